/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/snippet.c - see snippet.h.
 */
#include "graph/snippet.h"

#include <string.h>
#include "base/mem.h"
#include "base/refs.h"

gnd__snippet *gnd__snippet_new(const gnd__snippet *like)
{
    static _Atomic uint64_t last;
    gnd__snippet *s = gnd__malloc(sizeof *s);
    if (!s)
        return NULL;
    *s = *like;
    atomic_init(&s->refs, 1);
    s->id = atomic_fetch_add(&last, 1) + 1;
    s->name = gnd__strdup(like->name);
    s->text = gnd__strdup(like->text);
    s->before = like->before ? gnd__strdup(like->before) : NULL;
    s->after = like->after ? gnd__strdup(like->after) : NULL;
    if (s->name && s->text && !s->before == !like->before && !s->after == !like->after)
        return s;
    gnd__snippet_unref(s);
    return NULL;
}

void gnd__snippet_unref(gnd__snippet *s)
{
    if (!s || !gnd__refs_drop(&s->refs))
        return;
    gnd__free(s->name);
    gnd__free(s->text);
    gnd__free(s->before);
    gnd__free(s->after);
    gnd__free(s);
}

gnd_array *gnd__call_node(gnd__snippet *s, int out, gnd_device *dev, int ndim, const int64_t *dim,
                          gnd_array *const *in)
{
    gnd_array *y = gnd__node(GND__CALL, dev, (gnd_dtype)s->out[out], ndim, dim, s->nin, in);
    if (y->kind == GND__CALL) {
        gnd__refs_add(&s->refs);
        y->p.call.fn = s;
        y->p.call.out = out;
    }
    return y;
}

gnd_array *gnd__fold_node(gnd_array *x, gnd__snippet *s, uint32_t mask)
{
    gnd_array *y = gnd__reduce_node(x, GND__FOLD, mask, (gnd_dtype)s->out[0]);
    if (y->kind == GND__REDUCE) {
        gnd__refs_add(&s->refs);
        y->p.red.fn = s;
    }
    return y;
}

void gnd__snippet_let_go(gnd_array *x)
{
    gnd__snippet **at = x->kind == GND__CALL ? &x->p.call.fn : &x->p.red.fn;
    gnd__snippet_unref(*at);
    *at = NULL;
}
