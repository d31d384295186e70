/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/kernel/arg.c - arguments and extents of a launch as values, which launch.c checks.
 */
#include <string.h>

#include "ops/kernel/program.h"

gnd_arg gnd_arg_in(gnd_array *x)
{
    return (gnd_arg){.kind = GND_ARG_IN, .array = x};
}

gnd_arg gnd_arg_strided(gnd_array *x)
{
    return (gnd_arg){.kind = GND_ARG_STRIDED, .array = x};
}

gnd_arg gnd_arg_extent(int i, int axis)
{
    return (gnd_arg){.kind = GND_ARG_EXTENT, .ndim = axis, .value.i = i};
}

gnd_arg gnd_arg_stride(int i, int axis)
{
    return (gnd_arg){.kind = GND_ARG_STRIDE, .ndim = axis, .value.i = i};
}

gnd_arg gnd_arg_out(int ndim, const int64_t *shape, gnd_dtype t, gnd_array *fill)
{
    return (gnd_arg){.kind = GND_ARG_OUT, .dtype = t, .array = fill, .ndim = ndim, .shape = shape};
}

gnd_arg gnd_arg_inout(gnd_array *x)
{
    return (gnd_arg){.kind = GND_ARG_INOUT, .array = x};
}

gnd_arg gnd_arg_same(int i)
{
    return (gnd_arg){.kind = GND_ARG_SAME, .value.i = i};
}

gnd_arg gnd_arg_local(size_t nbytes)
{
    return (gnd_arg){.kind = GND_ARG_LOCAL_MEM, .nbytes = nbytes};
}

gnd_arg gnd_arg_int(gnd_dtype t, int64_t v)
{
    return (gnd_arg){.kind = GND_ARG_NUMBER, .dtype = t, .value.i = t == GND_BOOL ? v != 0 : v};
}

gnd_arg gnd_arg_float(gnd_dtype t, double re, double im)
{
    gnd_arg a = {.kind = GND_ARG_NUMBER, .dtype = t};
    const float single[2] = {(float)re, (float)im};
    if (t == GND_FLOAT32 || t == GND_COMPLEX64) {
        memcpy(a.value.bytes, single, sizeof single);
    } else {
        a.value.f[0] = re;
        a.value.f[1] = im;
    }
    return a;
}

gnd_extent3 gnd_dims(size_t n)
{
    return (gnd_extent3){n, 1, 1};
}

gnd_extent3 gnd_dims3(size_t nx, size_t ny, size_t nz)
{
    return (gnd_extent3){nx, ny, nz};
}

int gnd__arg_shape(const gnd_arg *args, int nargs, int64_t k, const int64_t **dim)
{
    while (k >= 0 && k < nargs && args[k].kind == GND_ARG_SAME)
        k = args[k].value.i; /* of an argument before it */
    if (k < 0 || k >= nargs)
        return -1;
    const gnd_arg *a = &args[k];
    if (a->kind == GND_ARG_OUT) {
        *dim = a->shape;
        return a->ndim;
    }
    if (a->kind != GND_ARG_IN && a->kind != GND_ARG_INOUT && a->kind != GND_ARG_STRIDED)
        return -1;
    *dim = a->array->dim;
    return a->array->ndim;
}
