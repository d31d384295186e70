/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/special.c - elementwise functions with several results or with arguments that are not
 * arrays. They are composed of operations of the table, which fuse.
 */
#include <gnd/special.h>

#include "array/host.h"
#include "array/steps.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/create.h>

#include <float.h>
#include <math.h>

static int kind_of(const gnd_array *x)
{
    return gnd_dtype_kind((gnd_dtype)x->dtype);
}

static int whole(const gnd_array *x)
{
    int k = kind_of(x);
    return k == 'b' || k == 'i' || k == 'u';
}

/* --- several results -------------------------------------------------------------------------- */

/* Ends a function with two results. */
static gnd_status ended(gnd__inner in, gnd_array *a, gnd_array *b, gnd_array **out_a,
                        gnd_array **out_b)
{
    gnd_array *y[2] = {a, b};
    gnd__leave_all(in, 2, y);
    *out_a = y[0];
    *out_b = y[1];
    const gnd_status st = gnd__told(y[0]);
    return st == GND_OK ? gnd__told(y[1]) : st;
}

/* Returns bad, a new error node, as both results. */
static gnd_status both(gnd_array *bad, gnd_array **a, gnd_array **b)
{
    gnd_status code = gnd__told(bad);
    *a = bad;
    *b = gnd__same(bad);
    return code;
}

gnd_status gnd_frexp(gnd_array *x, gnd_array **mantissa, gnd_array **exponent)
{
    if (!mantissa || !exponent)
        return gnd__refuse(GND_ERR_NULL, "frexp: %s is NULL", mantissa ? "exponent" : "mantissa");
    gnd_array *bad = gnd__check(x, "frexp", "x");
    if (bad)
        return both(bad, mantissa, exponent);
    const gnd__inner in = gnd__enter("frexp");
    return ended(in, gnd__op1(GND__OP_FREXP_MANTISSA, x), gnd__op1(GND__OP_FREXP_EXPONENT, x),
                 mantissa, exponent);
}

gnd_status gnd_modf(gnd_array *x, gnd_array **fraction, gnd_array **whole_part)
{
    if (!fraction || !whole_part)
        return gnd__refuse(GND_ERR_NULL, "modf: %s is NULL", fraction ? "whole" : "fraction");
    gnd_array *bad = gnd__check(x, "modf", "x");
    if (bad)
        return both(bad, fraction, whole_part);
    const gnd__inner in = gnd__enter("modf");
    gnd_array *f = gnd__op1(GND__OP_MODF_FRACTION, x), *w = f;
    if (!gnd__is_bad(f)) /* bool and ints are whole, as floats */
        w = x->dtype == f->dtype ? gnd__op1(GND__OP_TRUNC, x)
                                 : gnd__astype(x, (gnd_dtype)f->dtype, "modf");
    return ended(in, f, w, fraction, whole_part);
}

gnd_status gnd_divmod(gnd_array *x1, gnd_array *x2, gnd_array **quotient, gnd_array **remainder)
{
    gnd_array *bad;
    if (!quotient || !remainder)
        return gnd__refuse(GND_ERR_NULL, "divmod: %s is NULL", quotient ? "remainder" : "quotient");
    if ((bad = gnd__check(x1, "divmod", "x1")) || (bad = gnd__check(x2, "divmod", "x2")))
        return both(bad, quotient, remainder);
    const gnd__inner in = gnd__enter("divmod");
    gnd_array *q = gnd__op2(GND__OP_FLOOR_DIVIDE, x1, x2), *r = gnd__op2(GND__OP_REMAINDER, x1, x2);
    return ended(in, q, r, quotient, remainder);
}

/* --- powers, rounding, angles ----------------------------------------------------------------- */

gnd_array *gnd_float_power(gnd_array *x1, gnd_array *x2)
{
    gnd_array *x[2] = {x1, x2}, *y[2], *bad;
    gnd_device *dev;
    if ((bad = gnd__check(x1, "float_power", "x1")) ||
        (bad = gnd__check(x2, "float_power", "x2")) ||
        (bad = gnd__check_devices("float_power", 2, x, &dev)))
        return bad;
    const gnd__inner in = gnd__enter("float_power");
    gnd_dtype t = gnd__device_float(dev);
    for (int i = 0; i < 2; i++) {
        if (kind_of(x[i]) == 'c')
            y[i] = x[i]->weak ? x[i] : gnd__as(x[i], gnd__complex_of(t));
        else
            y[i] = x[i]->weak ? gnd__astype(x[i], GND_FLOAT64, "float_power") : gnd__as(x[i], t);
    }
    return gnd__leave(in, gnd__op2(GND__OP_POW, y[0], y[1]));
}

gnd_array *gnd_round_decimals(gnd_array *x, int decimals)
{
    gnd_array *bad = gnd__check(x, "round_decimals", "x");
    if (bad)
        return bad;
    if (decimals > 300 || decimals < -300)
        return gnd__fail(x->dev, GND_ERR_ARG, "round_decimals: decimals is %d: from -300 to 300",
                         decimals);
    const gnd__inner in = gnd__enter("round_decimals");
    if (decimals == 0 || (decimals > 0 && whole(x)))
        return gnd__leave(in, gnd__op1(GND__OP_ROUND, x));
    if (kind_of(x) == 'c') /* each part separately: a complex product gives NaN if a part is
                              infinite */
        return gnd__leave(in, gnd__op2(GND__OP_FROM_PARTS,
                                       gnd_round_decimals(gnd__op1(GND__OP_REAL, x), decimals),
                                       gnd_round_decimals(gnd__op1(GND__OP_IMAG, x), decimals)));
    const double ten = pow(10, decimals < 0 ? -decimals : decimals);
    gnd_array *y = gnd__op2(decimals > 0 ? GND__OP_MULTIPLY : GND__OP_DIVIDE, x, gnd_real(ten));
    y = gnd__op1(GND__OP_ROUND, y);
    y = gnd__op2(decimals > 0 ? GND__OP_DIVIDE : GND__OP_MULTIPLY, y, gnd_real(ten));
    if (!whole(x) || y->kind == GND__ERROR)
        return gnd__leave(in, y);
    return gnd__leave(in, gnd__astype(y, (gnd_dtype)x->dtype, "round_decimals"));
}

gnd_array *gnd_angle(gnd_array *z, int deg)
{
    gnd_array *bad = gnd__check(z, "angle", "z");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("angle");
    if (z->dtype == GND_BOOL) /* as NumPy, whose imaginary part of bools is Python's number 0 */
        z = gnd__astype(z, GND_INT64, "angle");
    gnd_array *y = gnd__op2(GND__OP_ATAN2, gnd__op1(GND__OP_IMAG, z), gnd__op1(GND__OP_REAL, z));
    return gnd__leave(in, deg ? gnd__op1(GND__OP_RAD2DEG, y) : y);
}

gnd_array *gnd_isreal(gnd_array *x)
{
    gnd_array *bad = gnd__check(x, "isreal", "x");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("isreal");
    return gnd__leave(in, gnd__op2(GND__OP_EQUAL, gnd__op1(GND__OP_IMAG, x), gnd_int(0)));
}

gnd_array *gnd_iscomplex(gnd_array *x)
{
    gnd_array *bad = gnd__check(x, "iscomplex", "x");
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("iscomplex");
    return gnd__leave(in, gnd__op2(GND__OP_NOT_EQUAL, gnd__op1(GND__OP_IMAG, x), gnd_int(0)));
}

gnd_array *gnd_relu(gnd_array *x)
{
    gnd_array *bad = gnd__check(x, "relu", "x");
    if (bad)
        return bad;
    if (kind_of(x) == 'c')
        return gnd__fail(x->dev, GND_ERR_DTYPE,
                         "relu: %s is not allowed: bools, ints and floats only",
                         gnd_dtype_name((gnd_dtype)x->dtype));
    const gnd__inner in = gnd__enter("relu");
    return gnd__leave(in, gnd__op2(GND__OP_MAXIMUM, x, gnd_int(0)));
}

/* --- nan_to_num ------------------------------------------------------------------------------- */

static double largest(gnd_dtype t)
{
    switch (t) {
    case GND_FLOAT16: return 65504;
    case GND_BFLOAT16: return 0x1.fep127;
    case GND_FLOAT32: return FLT_MAX;
    default: return DBL_MAX;
    }
}

/* Checks a replacement: NULL, or a new error node. */
static gnd_array *check_replacement(gnd_array *x, gnd_array *v, const char *arg)
{
    static const char func[] = "nan_to_num";
    char tx[GND__SHAPE_TEXT], tv[GND__SHAPE_TEXT];
    gnd_array *in[2] = {x, v}, *bad = gnd__check(v, func, arg);
    gnd_device *dev;
    gnd__shape s;
    if (bad || (bad = gnd__check_devices(func, 2, in, &dev)))
        return bad;
    if (kind_of(v) == 'c')
        return gnd__fail(dev, GND_ERR_DTYPE, "%s: %s is %s: it must be real", func, arg,
                         gnd_dtype_name((gnd_dtype)v->dtype));
    if ((bad = gnd__check_broadcast(func, dev, GND_BOOL, 2, in, &s)))
        return bad;
    int same = s.ndim == x->ndim;
    for (int k = 0; k < s.ndim && same; k++)
        same = s.dim[k] == x->dim[k];
    return same ? NULL
                : gnd__fail(dev, GND_ERR_SHAPE, "%s: %s of shape %s does not broadcast to x's %s",
                            func, arg, gnd__shape_text(tv, v->ndim, v->dim),
                            gnd__shape_text(tx, x->ndim, x->dim));
}

/* Real x with NaN and infinities replaced; v is of x's dtype or weak. */
static gnd_array *replaced(gnd_array *x, gnd_array *const v[3])
{
    static const gnd__op test[3] = {GND__OP_ISNAN, GND__OP_ISPOSINF, GND__OP_ISNEGINF};
    gnd_array *y = x;
    for (int i = 0; i < 3; i++)
        y = gnd__op3(GND__OP_WHERE, gnd__op1(test[i], x), v[i], y);
    return y;
}

gnd_array *gnd_nan_to_num(gnd_array *x, gnd_array *nan, gnd_array *posinf, gnd_array *neginf)
{
    static const char *const names[3] = {"nan", "posinf", "neginf"};
    gnd_array *given[3] = {nan, posinf, neginf}, *v[3], *y;
    gnd_array *bad = gnd__check(x, "nan_to_num", "x");
    for (int i = 0; i < 3 && !bad; i++)
        bad = given[i] ? check_replacement(x, given[i], names[i]) : NULL;
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("nan_to_num");
    if (whole(x))
        return gnd__leave(in, x);
    gnd_dtype t = gnd__real_of((gnd_dtype)x->dtype);
    for (int i = 0; i < 3; i++)
        v[i] = !given[i]                   ? gnd_real(i == 0   ? 0
                                                      : i == 1 ? largest(t)
                                                               : -largest(t))
               : given[i]->weak || x->weak ? given[i]
                                           : gnd__as(given[i], t);
    if (kind_of(x) == 'c') {
        gnd_array *re = gnd__op1(GND__OP_REAL, x), *im = gnd__op1(GND__OP_IMAG, x);
        y = gnd__op2(GND__OP_FROM_PARTS, replaced(re, v), replaced(im, v));
    } else {
        y = replaced(x, v);
    }
    return gnd__leave(in, y);
}
