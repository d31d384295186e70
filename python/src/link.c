/* SPDX-License-Identifier: BSD-3-Clause
 *
 * link.c - the memory of the links of views (view.c).
 */
#include "py.h"

#include <stdlib.h>
#include <string.h>

/* Links that ended, for the next views: the C library has no list for objects of their size. The
 * lock of the interpreter guards them. */
enum { KEPT = 32 };
static py_link *kept[KEPT];
static int nkept;

void py_link_free(py_link *l)
{
    if (l && nkept < KEPT)
        kept[nkept++] = l;
    else
        free(l);
}

py_link *py_link_copy(const py_link *l)
{
    const int box = l->kind == PY_VIEW_BOX || l->kind == PY_VIEW_WINDOWS;
    const size_t n = box ? (size_t)l->nsrc : 1, m = l->ndim > 2 ? (size_t)l->ndim : 2;
    py_link *c = nkept > 0 ? kept[--nkept] : malloc(sizeof *c);
    if (!c)
        return NULL;
    c->kind = l->kind;
    c->nsrc = l->nsrc;
    c->dtype = l->dtype;
    c->ndim = l->ndim;
    memcpy(c->start, l->start, n * sizeof *c->start);
    memcpy(c->step, l->step, n * sizeof *c->step);
    memcpy(c->count, l->count, n * sizeof *c->count);
    memcpy(c->axis, l->axis, (n > m ? n : m) * sizeof *c->axis);
    memcpy(c->shape, l->shape, m * sizeof *c->shape);
    memcpy(c->stride, l->stride, m * sizeof *c->stride);
    return c;
}
