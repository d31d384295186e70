/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/edits.c - see edits.h.
 */
#include "codegen/edits.h"

#include <stdarg.h>
#include <stdlib.h>
#include "base/mem.h"

void gnd__edit_add(gnd__edits *x, size_t at, size_t len, const char *fmt, ...)
{
    va_list ap;
    if (x->n == x->cap) {
        const uint32_t cap = x->cap ? 2 * x->cap : 64;
        gnd__edit *q = gnd__realloc(x->edit, cap * sizeof *q);
        if (!q) {
            x->bad = 1;
            return;
        }
        x->edit = q;
        x->cap = cap;
    }
    const size_t from = x->text.len;
    va_start(ap, fmt);
    gnd__str_addv(&x->text, fmt, ap);
    va_end(ap);
    x->edit[x->n] = (gnd__edit){.at = (uint32_t)at,
                                .len = (uint32_t)len,
                                .text = (uint32_t)from,
                                .size = (uint32_t)(x->text.len - from),
                                .order = x->n};
    x->n++;
    x->sorted = 0;
}

static int compare(const void *pa, const void *pb)
{
    const gnd__edit *a = pa, *b = pb;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (!a->len != !b->len) /* insertions come before the text at the same place */
        return a->len ? 1 : -1;
    return a->order < b->order ? -1 : a->order > b->order;
}

void gnd__edits_copy(gnd__edits *x, const char *src, size_t from, size_t to, gnd__str *out)
{
    uint32_t lo = 0, hi = x->n;
    if (!x->sorted && x->n > 1)
        qsort(x->edit, x->n, sizeof *x->edit, compare);
    x->sorted = 1;
    out->bad |= x->bad | x->text.bad;
    while (lo < hi) { /* the first edit at `from` or after it */
        const uint32_t mid = lo + (hi - lo) / 2;
        if (x->edit[mid].at < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < x->n && x->edit[lo].at < to; lo++) {
        const gnd__edit *e = &x->edit[lo];
        if (e->at < from || e->at + (size_t)e->len > to)
            continue;
        gnd__str_addn(out, src + from, e->at - from);
        gnd__str_addn(out, gnd__str_get(&x->text) + e->text, e->size);
        for (uint32_t i = e->size; i < e->len; i++)
            gnd__str_addc(out, src[e->at + i] == '\n' ? '\n' : ' ');
        from = e->at + (size_t)e->len;
    }
    if (from < to)
        gnd__str_addn(out, src + from, to - from);
}

void gnd__edits_clear(gnd__edits *x)
{
    x->n = 0;
    x->sorted = 0;
    gnd__str_clear(&x->text);
}

void gnd__edits_free(gnd__edits *x)
{
    gnd__free(x->edit);
    gnd__str_free(&x->text);
    *x = (gnd__edits){0};
}
