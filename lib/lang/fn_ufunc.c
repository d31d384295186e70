/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_ufunc.c - the methods of NumPy's ufuncs, such as add.reduce, add.accumulate and
 * subtract.outer, and small functions that NumPy also has as attributes of arrays: handlers of
 * funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/reduce.h>
#include <gnd/scan.h>
#include <gnd/special.h>
#include <gnd/view.h>
#include "lang/call.h"

#include <string.h>

/* The axis defaults to 0 in these methods; None still means all axes. */
static void axis_is_0(gnd__args *c)
{
    if (c->arg[1].v.kind == GND__V_MISSING)
        c->arg[1].v = gnd__val_int(0);
}

/* Defines the method `name` of an operation by the function `f`, with axis 0 as the default. */
#define METHOD(name, f)                                                                            \
    int gnd__fn_##name(gnd__args *c)                                                               \
    {                                                                                              \
        axis_is_0(c);                                                                              \
        return gnd__fn_##f(c);                                                                     \
    }
METHOD(add_reduce, sum)
METHOD(multiply_reduce, prod)
METHOD(maximum_reduce, max)
METHOD(minimum_reduce, min)
METHOD(and_reduce, all)
METHOD(or_reduce, any)
METHOD(add_accumulate, cumsum)
METHOD(multiply_accumulate, cumprod)
METHOD(maximum_accumulate, cummax)
METHOD(minimum_accumulate, cummin)
#undef METHOD

/* OP.outer(a, b) applies OP to each pair of an element of a and one of b. */
int gnd__fn_ufunc_outer(gnd__args *c)
{
    int64_t dim[2 * GND_MAX_NDIM];
    gnd_array *a = gnd__arg_array(c, 0), *b = a ? gnd__arg_array(c, 1) : NULL, *in[2];
    const int op = gnd__expr_op(c->name, strcspn(c->name, "."));
    if (!b)
        return -1;
    if (op < 0)
        return gnd__expr_fail(c->x, GND_ERR_INTERNAL, c->at, "no operation of %s", c->name);
    const int n = gnd_ndim(a), m = gnd_ndim(b);
    if (n + m > GND_MAX_NDIM)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at,
                              "%s: %d and %d dimensions: at most %d are possible", c->name, n, m,
                              GND_MAX_NDIM);
    gnd_scope_begin();
    for (int i = 0; i < n + m; i++)
        dim[i] = i < n ? gnd_dim(a, i) : 1;
    in[0] = gnd_is_weak(a) ? a : gnd_reshape(a, n + m, dim);
    in[1] = b;
    gnd_array *y = gnd__expr_op_call(op, 2, in);
    gnd_keep(y);
    gnd_scope_end();
    return gnd__ret(c, y);
}

/* --- attributes as functions, and others ------------------------------------------------------ */

static int attribute(gnd__args *c, const char *name)
{
    *c->out = gnd__val_ref(&c->arg[0].v);
    if (c->out->kind == GND__V_TUPLE)
        c->out->kind = GND__V_LIST;
    if (!gnd__expr_attr(c->x, c->out, name, strlen(name), c->at))
        return 0;
    gnd__val_drop(c->out);
    return -1;
}

int gnd__fn_ndim(gnd__args *c)
{
    return attribute(c, "ndim");
}

int gnd__fn_size(gnd__args *c)
{
    int64_t axis[GND_MAX_NDIM], count = 1;
    uint32_t named = 0;
    int n;
    if (!gnd__arg_given(c, 1))
        return attribute(c, "size");
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_ints(c, 1, axis, GND_MAX_NDIM, &n))
        return -1;
    const int ndim = gnd_ndim(x);
    for (int i = 0; i < n; i++) {
        const int64_t d = axis[i] < 0 ? axis[i] + ndim : axis[i];
        if (d < 0 || d >= ndim)
            return gnd__expr_fail(c->x, GND_ERR_AXIS, c->arg[1].at,
                                  "size: axis %lld is out of range for %d dimensions",
                                  (long long)axis[i], ndim);
        if (named >> d & 1)
            return gnd__expr_fail(c->x, GND_ERR_AXIS, c->arg[1].at,
                                  "size: axis %lld is named twice", (long long)axis[i]);
        named |= (uint32_t)1 << d;
        count *= gnd_dim(x, (int)d);
    }
    *c->out = gnd__val_int(count);
    return 0;
}

/* x, dtype: an array of at least one dimension. */
int gnd__fn_ascontiguousarray(gnd__args *c)
{
    gnd_dtype t;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_dtype(c, 1, &t))
        return -1;
    gnd_scope_begin();
    gnd_array *y = t == GND_DTYPE_DEFAULT ? x : gnd_astype(x, t);
    y = gnd_ndim(y) ? gnd_retain(y) : gnd_reshape(y, 1, (int64_t[]){1});
    gnd_keep(y);
    gnd_scope_end();
    return gnd__ret(c, y);
}

int gnd__fn_spacing(gnd__args *c)
{
    return gnd__ret_of(c, gnd_spacing);
}

int gnd__fn_bitwise_count(gnd__args *c)
{
    return gnd__ret_of(c, gnd_bitwise_count);
}
