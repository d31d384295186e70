/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_repro.c - sums of floats that do not depend on the order, for GNDM_REPRODUCIBLE. Let e be the
 * exponent of the largest absolute value. A term x is q * 2^(e-30) + r * 2^(e-60) + a remainder,
 * with ints |q| <= 2^30 and |r| <= 2^29. The sums of q and of r are exact in 64 bits for up to 2^33
 * terms, so the ranks' sums can be added in any order. Each remainder, which is dropped, is below
 * 2^-60 of the largest term. Every step is a basic operation on float64 or ints, which all vendors
 * round alike.
 */
#include "call.h"

static gndm_array *number(gndm_ctx *c, const char *f, gndm_array *x, double v)
{
    return gndm__call2(c, f, gndm_value(x), gnd_value_float(v));
}

static gndm_array *two(gndm_ctx *c, const char *f, gndm_array *x, gndm_array *y)
{
    return gndm__call2(c, f, gndm_value(x), gndm_value(y));
}

/* f(x, axis, keepdims) */
static gndm_array *along(gndm_ctx *c, const char *f, gndm_array *x, gnd_value axis, int keep)
{
    static const char *const names[] = {"axis", "keepdims"};
    const gnd_value v[3] = {gndm_value(x), axis, gnd_value_bool(keep)};
    return gndm_apply(c, NULL, f, 3, v, 2, names);
}

/* The sum of real x, in float64. */
static gndm_array *sum_of(gndm_ctx *c, gndm_array *x, gnd_value axis, int keep)
{
    enum { BITS = 30, LEAST = -990 };
    const gnd_value all = axis;
    x = gndm__as(c, x, GND_FLOAT64);
    gndm_array *fine = gndm__call1(c, "isfinite", x);
    const gnd_value finite[3] = {gndm_value(fine), gndm_value(x), gnd_value_float(0)};
    const gnd_value others[3] = {gndm_value(fine), gnd_value_float(0), gndm_value(x)};
    gndm_array *y = gndm_apply(c, NULL, "where", 3, finite, 0, NULL);
    gndm_array *odd = along(c, "sum", gndm_apply(c, NULL, "where", 3, others, 0, NULL), all, keep);
    gndm_array *largest = along(c, "max", gndm__call1(c, "abs", y), all, 1);
    gndm_array *e = gndm__call1(c, "frexp_exponent", largest);
    e = gndm__call2(c, "maximum", gndm_value(e), gnd_value_int(LEAST));
    /* y * 2^(30 - e), by ldexp: the power itself may not fit in a float64 */
    gndm_array *up = gndm__call2(c, "subtract", gnd_value_int(BITS), gndm_value(e));
    gndm_array *scaled = two(c, "ldexp", y, up);
    gndm_array *q = gndm__call1(c, "round", scaled);
    gndm_array *r = number(c, "multiply", two(c, "subtract", scaled, q), 0x1p30);
    gndm_array *high = along(c, "sum", gndm__as(c, q, GND_INT64), all, keep);
    gndm_array *low =
        along(c, "sum", gndm__as(c, gndm__call1(c, "round", r), GND_INT64), all, keep);
    gndm_array *s = two(c, "add", gndm__as(c, high, GND_FLOAT64),
                        number(c, "multiply", gndm__as(c, low, GND_FLOAT64), 0x1p-30));
    if (!keep) { /* the maximum kept its axes: remove them from the exponent */
        gnd_value v[2] = {gndm_value(up), axis};
        up = gndm_apply(c, NULL, "squeeze", axis.tag == GND_V_NOTHING ? 1 : 2, v, 0, NULL);
    }
    s = two(c, "ldexp", s, gndm__call1(c, "negative", up));
    return two(c, "add", s, odd);
}

gndm_array *gndm__complex(gndm_ctx *c, gndm_array *re, gndm_array *im)
{
    if (re->status || im->status)
        return re->status ? re : im;
    im = gndm__moved(c, im, re->part);
    return im->status
               ? im
               : gndm__array(c, GND_COMPLEX128, re->part, gnd_from_parts(re->local, im->local));
}

gnd_status gndm__sum_reproducible(gndm__args *a, gndm_array *x, gnd_dtype t, double divisor)
{
    gndm_ctx *c = a->c;
    const gnd_value *v = gndm__arg(a, "axis");
    const gnd_value axis = v ? *v : gnd_value_none();
    const int keep = gndm__arg_true(a, "keepdims");
    if (gnd_default_float(c->dev) != GND_FLOAT64)
        return gndm__fail(c, GND_ERR_UNSUPPORTED,
                          "%s: GNDM_REPRODUCIBLE needs devices with float64", a->name);
    const unsigned flags = c->flags;
    c->flags &= ~(unsigned)GNDM_REPRODUCIBLE; /* the inner sums are exact or not finite */
    gndm_array *y;
    if (gnd_dtype_kind(x->dtype) == 'c') {
        gndm_array *re = sum_of(c, gndm__call1(c, "real", x), axis, keep);
        gndm_array *im = sum_of(c, gndm__call1(c, "imag", x), axis, keep);
        re = number(c, "divide", re, divisor);
        im = number(c, "divide", im, divisor);
        y = gndm__complex(c, re, im);
    } else {
        y = number(c, "divide", sum_of(c, x, axis, keep), divisor);
    }
    y = gndm__as(c, y, t);
    c->flags = flags;
    return gndm__ret_array(a, y);
}
