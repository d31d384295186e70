/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/special.c - elementwise functions with several results or with other arguments than arrays:
 * compositions of operations of the table, which fuse.
 */
#include <gnd/special.h>

#include "array/host.h"
#include "array/views.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>

#include <float.h>
#include <math.h>

/* op on a, and b when it takes two; is done with them. */
static gnd_array *then(gnd__op op, gnd_array *a, gnd_array *b)
{
    gnd_array *in[2] = {a, b};
    gnd_array *y = gnd__elementwise(op, b ? 2 : 1, in);
    gnd__done(a);
    if (b)
        gnd__done(b);
    return y;
}

static gnd_array *unary(gnd__op op, gnd_array *x)
{
    return gnd__elementwise(op, 1, &x);
}

static gnd_array *weak_real(double v)
{
    gnd__scalar s = {.kind = 'f', .re = v};
    return gnd__const(NULL, GND_FLOAT64, &s, 1);
}

static gnd_array *weak_int(int64_t v)
{
    gnd__scalar s = {.kind = 'i'};
    s.i = v;
    return gnd__const(NULL, GND_INT64, &s, 1);
}

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

static gnd_status status_of(const char *func, gnd_array *a, gnd_array *b)
{
    gnd_status st = gnd__told(gnd__named(func, a));
    gnd__named(func, b);
    return st == GND_OK ? gnd__told(b) : st;
}

/* bad, a new error node, as both results. */
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
    *mantissa = unary(GND__OP_FREXP_MANTISSA, x);
    *exponent = unary(GND__OP_FREXP_EXPONENT, x);
    return status_of("frexp", *mantissa, *exponent);
}

gnd_status gnd_modf(gnd_array *x, gnd_array **fraction, gnd_array **whole_part)
{
    if (!fraction || !whole_part)
        return gnd__refuse(GND_ERR_NULL, "modf: %s is NULL", fraction ? "whole" : "fraction");
    gnd_array *bad = gnd__check(x, "modf", "x");
    if (bad)
        return both(bad, fraction, whole_part);
    *fraction = unary(GND__OP_MODF_FRACTION, x);
    if ((*fraction)->kind == GND__ERROR)
        *whole_part = gnd__same(*fraction);
    else if (x->dtype == (*fraction)->dtype)
        *whole_part = unary(GND__OP_TRUNC, x);
    else /* bool and ints, as floats */
        *whole_part = gnd__astype(x, (gnd_dtype)(*fraction)->dtype, "modf");
    return status_of("modf", *fraction, *whole_part);
}

gnd_status gnd_divmod(gnd_array *x1, gnd_array *x2, gnd_array **quotient, gnd_array **remainder)
{
    gnd_array *x[2] = {x1, x2}, *bad;
    if (!quotient || !remainder)
        return gnd__refuse(GND_ERR_NULL, "divmod: %s is NULL", quotient ? "remainder" : "quotient");
    if ((bad = gnd__check(x1, "divmod", "x1")) || (bad = gnd__check(x2, "divmod", "x2")))
        return both(bad, quotient, remainder);
    *quotient = gnd__elementwise(GND__OP_FLOOR_DIVIDE, 2, x);
    *remainder = gnd__elementwise(GND__OP_REMAINDER, 2, x);
    return status_of("divmod", *quotient, *remainder);
}

/* --- powers, rounding, angles ------------------------------------------------------------------- */

gnd_array *gnd_float_power(gnd_array *x1, gnd_array *x2)
{
    gnd_array *x[2] = {x1, x2}, *in[2], *bad;
    gnd_device *dev;
    if ((bad = gnd__check(x1, "float_power", "x1")) || (bad = gnd__check(x2, "float_power", "x2")) ||
        (bad = gnd__check_devices("float_power", 2, x, &dev)))
        return bad;
    gnd_dtype t = gnd__device_float(dev);
    for (int i = 0; i < 2; i++) {
        if (kind_of(x[i]) == 'c')
            in[i] = x[i]->weak ? gnd_retain(x[i]) : gnd__cast_held(x[i], gnd__complex_of(t));
        else
            in[i] = x[i]->weak ? gnd__astype(x[i], GND_FLOAT64, "float_power")
                               : gnd__cast_held(x[i], t);
    }
    return gnd__named("float_power", then(GND__OP_POW, in[0], in[1]));
}

static gnd_array *part_rounded(gnd_array *part, int decimals)
{
    return gnd__instead(part, gnd_round_decimals(part, decimals));
}

gnd_array *gnd_round_decimals(gnd_array *x, int decimals)
{
    gnd_array *bad = gnd__check(x, "round_decimals", "x");
    if (bad)
        return bad;
    if (decimals > 300 || decimals < -300)
        return gnd__fail(x->dev, GND_ERR_ARG, "round_decimals: decimals is %d: from -300 to 300",
                         decimals);
    if (decimals == 0 || (decimals > 0 && whole(x)))
        return unary(GND__OP_ROUND, x);
    if (kind_of(x) == 'c') /* each for itself: complex products make NaN where one is infinite */
        return then(GND__OP_FROM_PARTS, part_rounded(unary(GND__OP_REAL, x), decimals),
                    part_rounded(unary(GND__OP_IMAG, x), decimals));
    const double ten = pow(10, decimals < 0 ? -decimals : decimals);
    gnd_array *y = then(decimals > 0 ? GND__OP_MULTIPLY : GND__OP_DIVIDE, gnd_retain(x),
                        weak_real(ten));
    y = then(GND__OP_ROUND, y, NULL);
    y = then(decimals > 0 ? GND__OP_DIVIDE : GND__OP_MULTIPLY, y, weak_real(ten));
    if (!whole(x) || y->kind == GND__ERROR)
        return y;
    return gnd__instead(y, gnd__astype(y, (gnd_dtype)x->dtype, "round_decimals"));
}

gnd_array *gnd_angle(gnd_array *z, int deg)
{
    gnd_array *bad = gnd__check(z, "angle", "z");
    if (bad)
        return bad;
    gnd_array *y = then(GND__OP_ATAN2, unary(GND__OP_IMAG, z), unary(GND__OP_REAL, z));
    return deg ? then(GND__OP_RAD2DEG, y, NULL) : y;
}

gnd_array *gnd_isreal(gnd_array *x)
{
    gnd_array *bad = gnd__check(x, "isreal", "x");
    return bad ? bad : then(GND__OP_EQUAL, unary(GND__OP_IMAG, x), weak_int(0));
}

gnd_array *gnd_iscomplex(gnd_array *x)
{
    gnd_array *bad = gnd__check(x, "iscomplex", "x");
    return bad ? bad : then(GND__OP_NOT_EQUAL, unary(GND__OP_IMAG, x), weak_int(0));
}

gnd_array *gnd_relu(gnd_array *x)
{
    gnd_array *bad = gnd__check(x, "relu", "x");
    if (bad)
        return bad;
    if (kind_of(x) == 'c')
        return gnd__fail(x->dev, GND_ERR_DTYPE, "relu: %s is not allowed: bools, ints and floats only",
                         gnd_dtype_name((gnd_dtype)x->dtype));
    return then(GND__OP_MAXIMUM, gnd_retain(x), weak_int(0));
}

/* --- nan_to_num --------------------------------------------------------------------------------- */

static double largest(gnd_dtype t)
{
    switch (t) {
    case GND_FLOAT16: return 65504;
    case GND_BFLOAT16: return 0x1.fep127;
    case GND_FLOAT32: return FLT_MAX;
    default: return DBL_MAX;
    }
}

/* A replacement, checked: NULL, or a new error node. */
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

/* Real x with values in place of NaN and infinities; v is of x's dtype or weak. */
static gnd_array *replaced(gnd_array *x, gnd_array *const v[3])
{
    static const gnd__op test[3] = {GND__OP_ISNAN, GND__OP_ISPOSINF, GND__OP_ISNEGINF};
    gnd_array *y = gnd_retain(x);
    for (int i = 0; i < 3; i++) {
        gnd_array *in[3] = {unary(test[i], x), v[i], y};
        y = gnd__elementwise(GND__OP_WHERE, 3, in);
        gnd__done(in[0]);
        gnd__done(in[2]);
    }
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
    if (whole(x))
        return gnd__same(x);
    gnd_dtype t = gnd__real_of((gnd_dtype)x->dtype);
    for (int i = 0; i < 3; i++)
        v[i] = !given[i] ? weak_real(i == 0 ? 0 : i == 1 ? largest(t) : -largest(t))
               : given[i]->weak || x->weak ? gnd_retain(given[i]) : gnd__cast_held(given[i], t);
    if (kind_of(x) == 'c') {
        gnd_array *re = unary(GND__OP_REAL, x), *im = unary(GND__OP_IMAG, x);
        y = then(GND__OP_FROM_PARTS, gnd__instead(re, replaced(re, v)),
                 gnd__instead(im, replaced(im, v)));
    } else {
        y = replaced(x, v);
    }
    for (int i = 0; i < 3; i++)
        gnd__done(v[i]);
    return y;
}
