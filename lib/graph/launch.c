/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/launch.c - see launch.h.
 */
#include "graph/launch.h"

#include <stddef.h>
#include <string.h>
#include "base/mem.h"
#include "base/refs.h"

gnd__user *gnd__user_new(const char *name, const char *src, size_t len)
{
    static _Atomic uint64_t last;
    gnd__user *u = gnd__calloc(1, sizeof *u);
    if (!u)
        return NULL;
    atomic_init(&u->refs, 1);
    u->id = atomic_fetch_add(&last, 1) + 1;
    u->name = gnd__strdup(name);
    u->src = gnd__strndup(src, len);
    u->len = len;
    if (u->name && u->src)
        return u;
    gnd__user_unref(u);
    return NULL;
}

void gnd__user_unref(gnd__user *u)
{
    if (!u || !gnd__refs_drop(&u->refs))
        return;
    gnd__free(u->name);
    gnd__free(u->src);
    gnd__free(u);
}

gnd__bounds *gnd__bounds_new(int n)
{
    gnd__bounds *b = gnd__calloc(1, sizeof *b + (size_t)n * sizeof b->array[0]);
    if (b) {
        atomic_init(&b->refs, 1);
        b->n = n;
    }
    return b;
}

void gnd__bounds_unref(gnd__bounds *b)
{
    if (b && gnd__refs_drop(&b->refs))
        gnd__free(b);
}

void gnd__launch_nodes(gnd_device *dev, const gnd__launch *l, int nin, gnd_array *const *in,
                       const gnd_dtype *t, const int *ndim, const int64_t *const *dim,
                       gnd_array **y)
{
    gnd__launch *copy;
    const size_t n = offsetof(gnd__launch, arg) + (size_t)l->narg * sizeof l->arg[0];
    y[0] = gnd__node_with(GND__LAUNCH, dev, t[0], ndim[0], dim[0], nin, in, n, &copy);
    if (y[0]->kind == GND__LAUNCH) {
        memcpy(copy, l, n);
        gnd__refs_add(&copy->user->refs);
        if (copy->bounds)
            gnd__refs_add(&copy->bounds->refs);
        y[0]->p.launch = copy;
    }
    for (int k = 1; k < l->nout; k++) {
        y[k] = gnd__node(GND__PART, dev, t[k], ndim[k], dim[k], 1, &y[0]);
        if (y[k]->kind != GND__PART)
            continue;
        y[k]->p.part = k;
        atomic_fetch_or(&copy->parts, 1u << k);
    }
}

void gnd__part_adopt(gnd_array *x)
{
    if (x->kind != GND__PART || x->data.st || !x->in || !x->in[0]->data.st)
        return;
    gnd__storage *st = x->in[0]->p.launch->st[x->p.part];
    if (!st)
        return;
    x->in[0]->p.launch->st[x->p.part] = NULL; /* x owns it now */
    x->data.st = st;
    x->data.off = 0;
    x->data.contig = 1;
    __atomic_store_n(&x->pending, 0, __ATOMIC_RELAXED);
    gnd__drop_inputs(x);
}

void gnd__launch_let_go(gnd_array *x)
{
    gnd__launch *l = x->p.launch;
    if (!l)
        return;
    for (int k = 1; k < l->nout; k++)
        gnd__storage_unref(l->st[k]);
    gnd__user_unref(l->user);
    gnd__bounds_unref(l->bounds);
    x->p.launch = NULL;
}

void gnd__part_leave(gnd_array *x)
{
    gnd__launch *l = x->in[0]->kind == GND__LAUNCH ? x->in[0]->p.launch : NULL;
    if (l)
        atomic_fetch_and(&l->parts, ~(1u << x->p.part));
}
