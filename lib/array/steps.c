/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/steps.c - the list of handles that a composed function makes on its way; see steps.h.
 */
#include "array/steps.h"

#include <string.h>
#include <gnd/create.h>
#include "array/views.h"
#include "base/mem.h"
#include "graph/scope.h"

static gnd_array **place(gnd__steps *s, int i)
{
    int most = (int)(sizeof s->first / sizeof s->first[0]);
    return i < most ? &s->first[i] : &s->more[i - most];
}

/* Room for one more. 0, or -1. */
static int grow(gnd__steps *s)
{
    int most = (int)(sizeof s->first / sizeof s->first[0]);
    if (s->n < most + s->cap)
        return 0;
    int cap = s->cap ? 2 * s->cap : 64;
    gnd_array **p = gnd__realloc(s->more, (size_t)cap * sizeof *p);
    if (!p)
        return -1;
    s->more = p;
    s->cap = cap;
    return 0;
}

gnd_array *gnd__held(gnd__steps *s, gnd_array *x)
{
    if (grow(s)) {
        gnd__done(x);
        return gnd__nomem();
    }
    *place(s, s->n++) = x;
    return x;
}

gnd_array *gnd__end(gnd__steps *s, gnd_array *y)
{
    int mine = 0;
    for (int i = 0; i < s->n && !mine; i++)
        if (*place(s, i) == y) {
            *place(s, i) = NULL;
            mine = 1;
        }
    if (!mine)
        y = gnd__same(y);
    for (int i = 0; i < s->n; i++)
        gnd__done(*place(s, i));
    gnd__free(s->more);
    *s = (gnd__steps){0};
    return y;
}

/* --- steps ------------------------------------------------------------------------------------ */

gnd_array *gnd__op1(gnd__steps *s, gnd__op op, gnd_array *a)
{
    return gnd__held(s, gnd__elementwise(op, 1, &a));
}

gnd_array *gnd__op2(gnd__steps *s, gnd__op op, gnd_array *a, gnd_array *b)
{
    return gnd__held(s, gnd__elementwise(op, 2, (gnd_array *[]){a, b}));
}

gnd_array *gnd__op3(gnd__steps *s, gnd__op op, gnd_array *a, gnd_array *b, gnd_array *c)
{
    return gnd__held(s, gnd__elementwise(op, 3, (gnd_array *[]){a, b, c}));
}

gnd_array *gnd__number(gnd__steps *s, double v) { return gnd__held(s, gnd_real(v)); }

gnd_array *gnd__with(gnd__steps *s, gnd__op op, gnd_array *x, double v)
{
    return gnd__op2(s, op, x, gnd__number(s, v));
}

gnd_array *gnd__as(gnd__steps *s, gnd_array *x, gnd_dtype t)
{
    if (x->kind == GND__ERROR || (gnd_dtype)x->dtype == t)
        return x;
    return gnd__held(s, gnd__cast_node(x, t));
}

gnd_array *gnd__cut(gnd__steps *s, gnd_array *x, int k, int64_t start, int64_t count)
{
    return x->kind == GND__ERROR ? x : gnd__held(s, gnd__slice(x, k, start, count));
}

gnd_array *gnd__along(gnd__steps *s, gnd_array *x, int ndim, int k)
{
    int64_t dim[GND_MAX_NDIM];
    if (x->kind == GND__ERROR)
        return x;
    for (int i = 0; i < ndim; i++)
        dim[i] = i == k ? x->size : 1;
    return gnd__held(s, gnd__reshaped(x, ndim, dim));
}

gnd_array *gnd__abs2(gnd__steps *s, gnd_array *x)
{
    if (x->kind == GND__ERROR || gnd_dtype_kind((gnd_dtype)x->dtype) != 'c')
        return gnd__op1(s, GND__OP_SQUARE, x);
    gnd_array *re = gnd__op1(s, GND__OP_SQUARE, gnd__op1(s, GND__OP_REAL, x));
    gnd_array *im = gnd__op1(s, GND__OP_SQUARE, gnd__op1(s, GND__OP_IMAG, x));
    return gnd__op2(s, GND__OP_ADD, re, im);
}
