/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expr/fn_elem.c - elementwise functions whose arguments are more than arrays, small compositions of
 * elementwise operations, and products of matrices: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/view.h>
#include "expr/call.h"
#include "graph/graph.h"
#include "graph/scope.h"

#include <math.h>

static int unary(gnd__args *c, const char *op)
{
    gnd_array *x = gnd__arg_array(c, 0);
    return x ? gnd__ret(c, gnd__apply(op, 1, &x)) : -1;
}

int gnd__fn_real(gnd__args *c) { return unary(c, "real"); }
int gnd__fn_imag(gnd__args *c) { return unary(c, "imag"); }
int gnd__fn_conj(gnd__args *c) { return unary(c, "conj"); }

int gnd__fn_where(gnd__args *c)
{
    gnd_array *in[3];
    for (int i = 0; i < 3; i++)
        if (!(in[i] = gnd__arg_array(c, i)))
            return -1;
    return gnd__ret(c, gnd__apply("where", 3, in));
}

/* A bound that is None is no bound. */
int gnd__fn_clip(gnd__args *c)
{
    gnd_array *in[3];
    int low = gnd__arg_given(c, 1), high = gnd__arg_given(c, 2);
    if (!(in[0] = gnd__arg_array(c, 0)) || (low && !(in[1] = gnd__arg_array(c, 1))) ||
        (high && !(in[2] = gnd__arg_array(c, 2))))
        return -1;
    if (low && high)
        return gnd__ret(c, gnd__apply("clip", 3, in));
    if (!low && !high)
        return gnd__ret(c, gnd__same(in[0]));
    if (high)
        in[1] = in[2];
    return gnd__ret(c, gnd__apply(low ? "maximum" : "minimum", 2, in));
}

/* With decimals by way of a power of ten, as NumPy: x * 10**d, rounded, / 10**d. */
int gnd__fn_round(gnd__args *c)
{
    int64_t d = 0;
    gnd_array *x = gnd__arg_array(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &d)))
        return -1;
    int whole = gnd_dtype_kind(gnd_dtype_of(x)) != 'f' && gnd_dtype_kind(gnd_dtype_of(x)) != 'c';
    if (d == 0 || (whole && d > 0))
        return gnd__ret(c, gnd__apply("round", 1, &x));
    if (d > 300 || d < -300)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->arg[1].at, "%s: %lld decimals", c->name,
                              (long long)d);
    gnd_array *ten = gnd_real(pow(10, (double)(d < 0 ? -d : d)));
    gnd_array *y = gnd__apply(d > 0 ? "multiply" : "divide", 2, (gnd_array *[]){x, ten});
    y = gnd__then("round", y, NULL);
    y = gnd__then(d > 0 ? "divide" : "multiply", y, ten);
    if (whole && !gnd_status_of(y)) {
        gnd_array *z = gnd_astype(y, gnd_dtype_of(x));
        gnd_release(y);
        y = z;
    }
    return gnd__ret(c, y);
}

int gnd__fn_angle(gnd__args *c)
{
    gnd_array *z = gnd__arg_array(c, 0);
    if (!z)
        return -1;
    gnd_array *im = gnd__apply("imag", 1, &z), *re = gnd__apply("real", 1, &z);
    return gnd__ret(c, gnd__then("atan2", im, re));
}

/* |a - b| <= atol + rtol |b| where b is finite, a == b elsewhere. NULL: failed. */
static gnd_array *close_to(gnd__args *c)
{
    double rtol = 1e-5, atol = 1e-8;
    gnd_array *a = gnd__arg_array(c, 0), *b = a ? gnd__arg_array(c, 1) : NULL;
    if (!b || (gnd__arg_given(c, 2) && gnd__arg_real(c, 2, &rtol)) ||
        (gnd__arg_given(c, 3) && gnd__arg_real(c, 3, &atol)))
        return NULL;
    gnd_array *ab[2] = {a, b};
    gnd_array *diff = gnd__then("abs", gnd__apply("subtract", 2, ab), NULL);
    gnd_array *bound = gnd__then("multiply", gnd__apply("abs", 1, &b), gnd_real(rtol));
    bound = gnd__then("add", bound, gnd_real(atol));
    gnd_array *in[3] = {gnd__apply("isfinite", 1, &b), gnd__then("less_equal", diff, bound),
                        gnd__apply("equal", 2, ab)};
    gnd_array *y = gnd__apply("where", 3, in);
    for (int i = 0; i < 3; i++)
        gnd_release(in[i]);
    return y;
}

int gnd__fn_isclose(gnd__args *c)
{
    gnd_array *y = close_to(c);
    return y ? gnd__ret(c, y) : -1;
}

int gnd__fn_allclose(gnd__args *c)
{
    gnd_array *y = close_to(c);
    if (!y || gnd_is_weak(y))
        return y ? gnd__ret(c, y) : -1;
    gnd_array *all = gnd_all(y, GND_ALL, 0);
    gnd_release(y);
    return gnd__ret(c, all);
}

/* --- products ---------------------------------------------------------------------------------- */

static int two(gnd__args *c, gnd_array **a, gnd_array **b)
{
    return (*a = gnd__arg_strong(c, 0)) && (*b = gnd__arg_strong(c, 1)) ? 0 : -1;
}

int gnd__fn_matmul(gnd__args *c)
{
    gnd_array *a, *b;
    return two(c, &a, &b) ? -1 : gnd__ret(c, gnd_matmul(a, b));
}

/* NumPy's dot is matmul up to a 2-d right side, and a product when either side is a number. */
int gnd__fn_dot(gnd__args *c)
{
    gnd_array *in[2];
    if (!(in[0] = gnd__arg_array(c, 0)) || !(in[1] = gnd__arg_array(c, 1)))
        return -1;
    if (!gnd_ndim(in[0]) || !gnd_ndim(in[1]))
        return gnd__ret(c, gnd__apply("multiply", 2, in));
    if (gnd_ndim(in[1]) > 2 && gnd_ndim(in[0]) > 1)
        return gnd__expr_fail(c->x, GND_ERR_UNSUPPORTED, c->at, "dot: a right side of %d dimensions: "
                              "take @ (matmul)", gnd_ndim(in[1]));
    return gnd__ret(c, gnd_matmul(in[0], in[1]));
}

int gnd__fn_outer(gnd__args *c)
{
    gnd_array *a, *b;
    if (two(c, &a, &b))
        return -1;
    gnd_array *col = gnd_reshape(a, 2, (int64_t[]){-1, 1}), *row = gnd_reshape(b, 2, (int64_t[]){1, -1});
    return gnd__ret(c, gnd__then("multiply", col, row));
}

int gnd__fn_vecdot(gnd__args *c)
{
    int axis = -1;
    gnd_array *a, *b;
    if (two(c, &a, &b) || (gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &axis)))
        return -1;
    if (axis < -GND_MAX_NDIM || axis >= GND_MAX_NDIM)
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->arg[2].at, "vecdot: axis %d is out of range", axis);
    gnd_array *p = gnd__then("multiply", gnd__apply("conj", 1, &a), gnd__same(b));
    gnd_array *y = gnd_status_of(p) ? gnd__same(p) : gnd_sum_as(p, GND_AXIS(axis), 0, gnd_dtype_of(p));
    gnd_release(p);
    return gnd__ret(c, y);
}
