/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_exact.c - products of matrices of floats that do not depend on the order of their sums, for
 * GNDM_REPRODUCIBLE. The rows of x and the columns of y are scaled by the exponents of their
 * largest absolute values, and split into slices of ints of few bits: x = 2^e (q0 2^-b + q1 2^-2b +
 * ...). The product of two slices, as matrices of float64, has sums of ints up to 2^53, which any
 * library makes exactly in any order (K. Ozaki, T. Ogita, S. Oishi, S. M. Rump, Error-free
 * transformations of matrix multiplication, 2012). All other steps are basic operations on float64.
 */
#include "call.h"

#include <math.h>

enum {
    EXACT = 53,     /* ints up to 2^EXACT are float64 */
    NARROW = 32,    /* the bits of an element that count, at least: for results of up to 32 bits, */
    WIDE = 60,      /* and for float64 */
    LEAST = -990,   /* the least exponent, so that scaled elements are no subnormal numbers */
    MOST_SLICES = 8 /* for sums of up to 2^37 terms */
};

/* How operands are split. */
typedef struct plan {
    gndm_ctx *c;
    int bits, slices;
} plan;

typedef struct factor {
    gndm_array *e, *q[MOST_SLICES]; /* exponents of rows or columns, slices */
} factor;

static plan plan_of(gndm_ctx *c, int64_t terms, gnd_dtype t)
{
    const int want = gnd_dtype_size(t) / (gnd_dtype_kind(t) == 'c' ? 2 : 1) > 4 ? WIDE : NARROW;
    int log = 0;
    while (log < 62 && INT64_C(1) << log < terms)
        log++;
    const int bits = (EXACT - log) / 2;
    return (plan){c, bits, bits > 0 ? (want + bits - 1) / bits : MOST_SLICES + 1};
}

/* Splits x, whose sums run along the axis. */
static void split(const plan *p, gndm_array *x, int axis, factor *f)
{
    gndm_ctx *c = p->c;
    gndm_array *largest =
        gndm__do(c, "max", "a axis:n keepdims:b", gndm__call1(c, "abs", x), axis, 1);
    f->e = gndm__do(c, "maximum", "a n", gndm__call1(c, "frexp_exponent", largest), LEAST);
    gndm_array *rest = gndm__do(c, "ldexp", "a a", x, gndm__call1(c, "negative", f->e));
    for (int i = 0; i < p->slices; i++) {
        rest = gndm__do(c, "multiply", "a f", rest, (double)(1 << p->bits));
        f->q[i] = gndm__call1(c, "round", rest);
        rest = gndm__do(c, "subtract", "a a", rest, f->q[i]);
    }
}

/* The product of matrices of finite float64. The products of slices i and j count 2^-(i + j)bits;
 * the smallest are added first. */
static gndm_array *finite_product(const plan *p, gndm_array *x, gndm_array *y)
{
    gndm_ctx *c = p->c;
    gndm_array *sum = NULL;
    factor fx, fy;
    split(p, x, -1, &fx);
    split(p, y, -2, &fy);
    for (int level = p->slices - 1; level >= 0; level--) {
        sum = sum ? gndm__do(c, "multiply", "a f", sum, 1. / (1 << p->bits)) : NULL;
        for (int i = 0; i <= level; i++) {
            gndm_array *z = gndm__do(c, "matmul", "a a", fx.q[i], fy.q[level - i]);
            sum = sum ? gndm__do(c, "add", "a a", sum, z) : z;
        }
    }
    gndm_array *e = gndm__do(c, "add", "a a", fx.e, fy.e);
    return gndm__do(c, "ldexp", "a a", sum, gndm__do(c, "subtract", "a n", e, 2 * p->bits));
}

/* x where `keep` is true, otherwise y. */
static gndm_array *chosen(gndm_ctx *c, gndm_array *keep, gnd_value x, gnd_value y)
{
    return gndm__do(c, "where", "a v v", keep, x, y);
}

/* x, real, as float64: its finite elements, and in *odd the others among the signs of these. */
static gndm_array *only_finite(gndm_ctx *c, gndm_array *x, gndm_array **odd)
{
    x = gndm__as(c, x, GND_FLOAT64);
    gndm_array *is = gndm__call1(c, "isfinite", x), *sign = gndm__call1(c, "sign", x);
    *odd = gndm__as(c, chosen(c, is, gndm_value(sign), gndm_value(x)), GND_FLOAT32);
    return chosen(c, is, gndm_value(x), gnd_value_float(0));
}

/* The product of real matrices. Where the signs give an infinity or a NaN, it is the result. */
static gndm_array *real_product(const plan *p, gndm_array *x, gndm_array *y)
{
    gndm_ctx *c = p->c;
    gndm_array *odd_x, *odd_y;
    x = only_finite(c, x, &odd_x);
    y = only_finite(c, y, &odd_y);
    gndm_array *z = finite_product(p, x, y);
    gndm_array *odd = gndm__as(c, gndm__do(c, "matmul", "a a", odd_x, odd_y), GND_FLOAT64);
    odd = chosen(c, gndm__call1(c, "isnan", odd), gnd_value_float(NAN), gndm_value(odd));
    return chosen(c, gndm__call1(c, "isfinite", odd), gndm_value(z), gndm_value(odd));
}

static gndm_array *part_of(gndm_ctx *c, gndm_array *x, int imaginary)
{
    return gndm__call1(c, imaginary ? "imag" : "real", x);
}

static gndm_array *complex_product(const plan *p, gndm_array *x, gndm_array *y)
{
    gndm_ctx *c = p->c;
    gndm_array *z[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            z[i][j] = real_product(p, part_of(c, x, i), part_of(c, y, j));
    return gndm__complex(c, gndm__do(c, "subtract", "a a", z[0][0], z[1][1]),
                         gndm__do(c, "add", "a a", z[0][1], z[1][0]));
}

gnd_status gndm__matmul_reproducible(gndm__args *a, gndm_array *x, gndm_array *y, gnd_dtype t)
{
    gndm_ctx *c = a->c;
    const int vx = x->part->ndim == 1, vy = y->part->ndim == 1;
    const plan p = plan_of(c, x->part->shape[x->part->ndim - 1], t);
    if (gnd_default_float(c->dev) != GND_FLOAT64)
        return gndm__fail(c, GND_ERR_UNSUPPORTED,
                          "%s: GNDM_REPRODUCIBLE needs devices with float64", a->name);
    if (p.slices > MOST_SLICES)
        return gndm__fail(c, GND_ERR_UNSUPPORTED,
                          "%s: GNDM_REPRODUCIBLE: sums of %lld terms: at most 2^37 are exact",
                          a->name, (long long)x->part->shape[x->part->ndim - 1]);
    const unsigned flags = c->flags;
    c->flags &= ~(unsigned)GNDM_REPRODUCIBLE; /* the inner products are exact */
    x = vx ? gndm__do(c, "expand_dims", "a n", x, 0) : x;
    y = vy ? gndm__do(c, "expand_dims", "a n", y, -1) : y;
    gndm_array *z = gnd_dtype_kind(t) == 'c' ? complex_product(&p, x, y) : real_product(&p, x, y);
    z = vx ? gndm__do(c, "squeeze", "a n", z, -2) : z;
    z = vy ? gndm__do(c, "squeeze", "a n", z, -1) : z;
    z = gndm__as(c, z, t);
    c->flags = flags;
    return gndm__ret_array(a, z);
}
