/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/steps.c - steps of public functions; see steps.h.
 */
#include "array/steps.h"

#include <gnd/create.h>

gnd_array *gnd__op1(gnd__op op, gnd_array *a)
{
    return gnd__elementwise(op, 1, &a);
}

gnd_array *gnd__op2(gnd__op op, gnd_array *a, gnd_array *b)
{
    return gnd__elementwise(op, 2, (gnd_array *[]){a, b});
}

gnd_array *gnd__op3(gnd__op op, gnd_array *a, gnd_array *b, gnd_array *c)
{
    return gnd__elementwise(op, 3, (gnd_array *[]){a, b, c});
}

gnd_array *gnd__number(double v)
{
    return gnd_real(v);
}

gnd_array *gnd__with(gnd__op op, gnd_array *x, double v)
{
    return gnd__op2(op, x, gnd__number(v));
}

gnd_array *gnd__as(gnd_array *x, gnd_dtype t)
{
    if (x->kind == GND__ERROR || (gnd_dtype)x->dtype == t)
        return x;
    return gnd__cast_node(x, t);
}

gnd_array *gnd__cut(gnd_array *x, int k, int64_t start, int64_t count)
{
    return x->kind == GND__ERROR ? x : gnd__slice(x, k, start, count);
}

gnd_array *gnd__along(gnd_array *x, int ndim, int k)
{
    int64_t dim[GND_MAX_NDIM];
    if (x->kind == GND__ERROR)
        return x;
    for (int i = 0; i < ndim; i++)
        dim[i] = i == k ? x->size : 1;
    return gnd__reshaped(x, ndim, dim);
}

gnd_array *gnd__abs2(gnd_array *x)
{
    if (x->kind == GND__ERROR || gnd_dtype_kind((gnd_dtype)x->dtype) != 'c')
        return gnd__op1(GND__OP_SQUARE, x);
    gnd_array *re = gnd__op1(GND__OP_SQUARE, gnd__op1(GND__OP_REAL, x));
    gnd_array *im = gnd__op1(GND__OP_SQUARE, gnd__op1(GND__OP_IMAG, x));
    return gnd__op2(GND__OP_ADD, re, im);
}
