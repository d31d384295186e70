/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/random/random.c - the distributions whose elements are independent. A call takes its streams
 * from the generator (generator.c). Elements are functions of their index and a stream
 * (kernels/random.cl), so they are lazy and fuse.
 */
#include "ops/random/random.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include "array/views.h"
#include "base/err.h"
#include "device/device.h"
#include "graph/graph.h"
#include "graph/check.h"
#include "graph/scope.h"

/* --- one call --------------------------------------------------------------------------------- */

static double value_of(const gnd_array *x)
{
    const gnd__scalar *v = &x->p.value;
    return v->kind == 'f' || v->kind == 'c' ? v->re : v->kind == 'u' ? (double)v->u : (double)v->i;
}

static const char *const span_text[] = {"",
                                        "0 or more",
                                        "more than 0",
                                        "in 0 .. 1",
                                        "more than 0 and at most 1",
                                        "more than 0 and less than 1",
                                        "more than 1",
                                        "a whole number, 0 or more"};

static int in_span(gnd__span span, double v)
{
    switch (span) {
    case GND__NOT_NEGATIVE: return v >= 0;
    case GND__POSITIVE: return v > 0;
    case GND__PROBABILITY: return v >= 0 && v <= 1;
    case GND__CHANCE: return v > 0 && v <= 1;
    case GND__SHARE: return v > 0 && v < 1;
    case GND__ABOVE_ONE: return v > 1;
    case GND__TRIALS: return v >= 0 && v == floor(v);
    default: return 1;
    }
}

static gnd_array *check_param(const char *func, const gnd__param *p)
{
    gnd_array *bad = gnd__check(p->x, func, p->name);
    if (bad)
        return bad;
    if (gnd_dtype_kind((gnd_dtype)p->x->dtype) == 'c')
        return gnd__fail(p->x->dev, GND_ERR_DTYPE, "%s: %s is complex: it must be real", func,
                         p->name);
    if (p->x->weak && !in_span(p->span, value_of(p->x)))
        return gnd__fail(NULL, GND_ERR_ARG, "%s: %s is %g: it must be %s", func, p->name,
                         value_of(p->x), span_text[p->span]);
    return NULL;
}

/* Sets the device and the shape of the call. */
static gnd_array *check_place(gnd__draw *d, int ndim, const int64_t *shape, int n,
                              const gnd__param *p)
{
    char text[2][GND__SHAPE_TEXT];
    gnd_array *x[GND__DRAW_PARAMS], *bad;
    gnd_device *dev = NULL;
    gnd__shape all;
    int strong = 0;
    if (d->dev && (bad = gnd__check_device(d->func, d->dev)))
        return bad;
    for (int i = 0; i < n; i++) {
        if ((bad = check_param(d->func, &p[i])))
            return bad;
        x[i] = p[i].x;
        strong += !x[i]->weak;
    }
    if (strong && (bad = gnd__check_devices(d->func, n, x, &dev)))
        return bad;
    if (dev && d->dev && dev != d->dev)
        return gnd__fail(d->dev, GND_ERR_DEVICE, "%s: a parameter is on %s, the device is %s",
                         d->func, gnd__device_id(dev), gnd__device_id(d->dev));
    if (!d->dev)
        d->dev = dev;
    if ((bad = gnd__check_device(d->func, d->dev)))
        return bad;
    if (ndim >= 0) {
        if ((bad = gnd__check_shape(d->func, d->dev, GND_INT64, ndim, shape)))
            return bad;
        d->ndim = ndim;
        if (ndim)
            memcpy(d->dim, shape, (size_t)ndim * sizeof *shape);
    } else {
        d->ndim = 0;
    }
    if (!strong)
        return NULL;
    if ((bad = gnd__check_broadcast(d->func, d->dev, GND_INT64, n, x, &all)))
        return bad;
    if (ndim < 0) {
        d->ndim = all.ndim;
        memcpy(d->dim, all.dim, (size_t)all.ndim * sizeof *all.dim);
        return NULL;
    }
    int fits = all.ndim <= ndim;
    for (int i = 0; i < all.ndim && fits; i++)
        fits = all.dim[i] == 1 || all.dim[i] == shape[i + ndim - all.ndim];
    return fits ? NULL
                : gnd__fail(d->dev, GND_ERR_SHAPE,
                            "%s: parameters of shape %s do not broadcast to %s", d->func,
                            gnd__shape_text(text[0], all.ndim, all.dim),
                            gnd__shape_text(text[1], ndim, shape));
}

gnd_array *gnd__draw_shape(gnd__draw *d, const char *func, gnd_rng *g, gnd_device *dev, int ndim,
                           const int64_t *shape, int n, const gnd__param *p)
{
    memset(d, 0, sizeof *d);
    d->func = func;
    d->dev = dev;
    if (!g)
        return gnd__fail(dev, GND_ERR_NULL, "%s: g is NULL", func);
    d->g = gnd__rng_take(g);
    return check_place(d, ndim, shape, n, p);
}

void gnd__draw_places(gnd__draw *d)
{
    int64_t n = gnd__shape_size(d->ndim, d->dim, 1);
    gnd_array *i = gnd__node(GND__IOTA, d->dev, GND_INT64, 1, &n, 0, NULL);
    i = gnd__as(i, GND_UINT64);
    d->index = i->kind == GND__ERROR ? i : gnd__reshaped(i, d->ndim, d->dim);
}

/* A parameter of the call as an array of dtype c. Elements outside of its span become NaN. */
static gnd_array *param(gnd__draw *d, const gnd__param *p)
{
    if (p->x->weak)
        return p->x;
    gnd_array *x = gnd__as(p->x, d->c), *ok = NULL;
    if (p->span == GND__REAL)
        return x;
    if (p->span == GND__NOT_NEGATIVE || p->span == GND__TRIALS || p->span == GND__PROBABILITY)
        ok = gnd__with(GND__OP_GREATER_EQUAL, x, 0);
    else
        ok = gnd__with(GND__OP_GREATER, x, p->span == GND__ABOVE_ONE);
    if (p->span == GND__PROBABILITY || p->span == GND__CHANCE)
        ok = gnd__op2(GND__OP_LOGICAL_AND, ok, gnd__with(GND__OP_LESS_EQUAL, x, 1));
    if (p->span == GND__SHARE)
        ok = gnd__op2(GND__OP_LOGICAL_AND, ok, gnd__with(GND__OP_LESS, x, 1));
    return gnd__op3(GND__OP_WHERE, ok, x, gnd__number(NAN));
}

gnd_array *gnd__draw_begin(gnd__draw *d, const char *func, gnd_rng *g, gnd_device *dev, gnd_dtype t,
                           int counts, int ndim, const int64_t *shape, int n, const gnd__param *p)
{
    gnd_array *bad = gnd__draw_shape(d, func, g, dev, ndim, shape, n, p);
    if (bad)
        return bad;
    if (t == GND_DTYPE_DEFAULT)
        t = counts ? GND_INT64 : gnd__device_float(d->dev);
    d->t = t;
    if ((bad = gnd__check_type(func, d->dev, t)) ||
        (bad = gnd__check_shape(func, d->dev, t, d->ndim, d->dim)))
        return bad;
    int kind = gnd_dtype_kind(t);
    if (kind == 'c' || kind == 'b' || (!counts && kind != 'f'))
        return gnd__fail(d->dev, GND_ERR_DTYPE, "%s: dtype %s: it must be %s", func,
                         gnd_dtype_name(t), counts ? "an int or a float" : "a float");
    d->c = (counts ? gnd__device_has_f64(d->dev) : t == GND_FLOAT64) ? GND_FLOAT64 : GND_FLOAT32;
    d->in = gnd__enter(func);
    gnd__draw_places(d);
    for (int i = 0; i < n; i++)
        d->par[i] = param(d, &p[i]);
    return NULL;
}

gnd_array *gnd__draw_raw(gnd__draw *d, gnd__op op, gnd_dtype t, uint32_t sub, int n,
                         gnd_array *const *more)
{
    gnd__scalar key = {.kind = 'u', .u = gnd__rng_stream(&d->g, sub)};
    gnd_array *in[GND__OP_ARGS] = {d->index, gnd__const(d->dev, GND_UINT64, &key, 0)};
    for (int i = 0; i < n; i++)
        in[2 + i] = more[i];
    for (int i = 0; i < 2 + n; i++)
        if (in[i]->kind == GND__ERROR)
            return in[i];
    return gnd__op_node(op, d->dev, t, d->ndim, d->dim, 2 + n, in);
}

gnd_array *gnd__draw_of(gnd__draw *d, gnd__op op32, gnd__op op64, gnd_dtype t, uint32_t sub, int n,
                        gnd_array *const *more)
{
    gnd_array *x[GND__DRAW_PARAMS] = {NULL};
    for (int i = 0; i < n; i++)
        x[i] = more[i]->weak ? gnd__strong(more[i], d->dev, d->c, d->func) : more[i];
    return gnd__draw_raw(d, d->c == GND_FLOAT64 ? op64 : op32, t, sub, n, x);
}

gnd_array *gnd__draw_end(gnd__draw *d, gnd_array *y)
{
    return gnd__leave(d->in, gnd__as(y, d->t));
}

/* --- one draw per element --------------------------------------------------------------------- */

static int is_number(const gnd_array *x, double v)
{
    return x->weak && value_of(x) == v;
}

/* loc + scale * y, without the operations that change nothing. */
static gnd_array *placed(gnd_array *y, gnd_array *loc, gnd_array *scale)
{
    if (scale && !is_number(scale, 1))
        y = gnd__op2(GND__OP_MULTIPLY, y, scale);
    if (loc && !is_number(loc, 0))
        y = gnd__op2(GND__OP_ADD, y, loc);
    return y;
}

/* A distribution with a location (may be NULL) and a scale. */
static gnd_array *scaled(const char *func, gnd__op op32, gnd__op op64, gnd_rng *g, gnd_device *dev,
                         gnd_dtype t, int ndim, const int64_t *shape, const gnd__param *loc,
                         const gnd__param *scale)
{
    gnd__draw d;
    gnd__param p[2];
    int n = 0;
    if (loc)
        p[n++] = *loc;
    if (scale)
        p[n++] = *scale;
    gnd_array *bad = gnd__draw_begin(&d, func, g, dev, t, 0, ndim, shape, n, p);
    if (bad)
        return bad;
    gnd_array *y = gnd__draw_of(&d, op32, op64, d.c, 0, 0, NULL);
    return gnd__draw_end(&d, placed(y, loc ? d.par[0] : NULL, scale ? d.par[n - 1] : NULL));
}

/* u in [0, 1) of dtype d->t, with as many random bits as its significand. */
static gnd_array *unit(gnd__draw *d)
{
    gnd__op op = d->t == GND_FLOAT16    ? GND__FN_UNIFORM_F16
                 : d->t == GND_BFLOAT16 ? GND__FN_UNIFORM_BF16
                                        : GND__FN_UNIFORM32;
    return gnd__draw_of(d, op, GND__FN_UNIFORM64, d->t, 0, 0, NULL);
}

gnd_array *gnd_rng_random(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape)
{
    gnd__draw d;
    gnd_array *bad = gnd__draw_begin(&d, "rng_random", g, dev, t, 0, ndim, shape, 0, NULL);
    return bad ? bad : gnd__draw_end(&d, unit(&d));
}

gnd_array *gnd_rng_uniform(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                           gnd_array *low, gnd_array *high)
{
    gnd__draw d;
    gnd__param p[2] = {{"low", GND__REAL, low}, {"high", GND__REAL, high}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_uniform", g, dev, t, 0, ndim, shape, 2, p);
    if (bad)
        return bad;
    if (low->weak && high->weak) {
        const double a = value_of(low), b = value_of(high),
                     most = d.c == GND_FLOAT64 ? DBL_MAX : (double)FLT_MAX;
        if (!(fabs(b - a) <= most))
            return gnd__leave(d.in, gnd__fail(d.dev, GND_ERR_ARG,
                                              "%s: low %g and high %g: their "
                                              "difference is not a finite %s",
                                              d.func, a, b, gnd_dtype_name(d.c)));
    }
    gnd_array *span = gnd__op2(GND__OP_SUBTRACT, d.par[1], d.par[0]);
    gnd_array *u = gnd__as(unit(&d), d.c);
    return gnd__draw_end(&d, placed(u, d.par[0], span));
}

gnd_array *gnd_rng_standard_normal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                   const int64_t *shape)
{
    return scaled("rng_standard_normal", GND__FN_NORMAL32, GND__FN_NORMAL64, g, dev, t, ndim, shape,
                  NULL, NULL);
}

gnd_array *gnd_rng_normal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                          gnd_array *loc, gnd_array *scale)
{
    return scaled("rng_normal", GND__FN_NORMAL32, GND__FN_NORMAL64, g, dev, t, ndim, shape,
                  &(gnd__param){"loc", GND__REAL, loc},
                  &(gnd__param){"scale", GND__NOT_NEGATIVE, scale});
}

gnd_array *gnd_rng_lognormal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                             const int64_t *shape, gnd_array *mean, gnd_array *sigma)
{
    gnd__draw d;
    gnd__param p[2] = {{"mean", GND__REAL, mean}, {"sigma", GND__NOT_NEGATIVE, sigma}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_lognormal", g, dev, t, 0, ndim, shape, 2, p);
    if (bad)
        return bad;
    gnd_array *y = gnd__draw_of(&d, GND__FN_NORMAL32, GND__FN_NORMAL64, d.c, 0, 0, NULL);
    return gnd__draw_end(&d, gnd__op1(GND__OP_EXP, placed(y, d.par[0], d.par[1])));
}

gnd_array *gnd_rng_exponential(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                               const int64_t *shape, gnd_array *scale)
{
    return scaled("rng_exponential", GND__FN_EXPO32, GND__FN_EXPO64, g, dev, t, ndim, shape, NULL,
                  &(gnd__param){"scale", GND__NOT_NEGATIVE, scale});
}

gnd_array *gnd_rng_laplace(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                           gnd_array *loc, gnd_array *scale)
{
    return scaled("rng_laplace", GND__FN_LAPLACE32, GND__FN_LAPLACE64, g, dev, t, ndim, shape,
                  &(gnd__param){"loc", GND__REAL, loc},
                  &(gnd__param){"scale", GND__NOT_NEGATIVE, scale});
}

gnd_array *gnd_rng_logistic(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                            const int64_t *shape, gnd_array *loc, gnd_array *scale)
{
    return scaled("rng_logistic", GND__FN_LOGISTIC32, GND__FN_LOGISTIC64, g, dev, t, ndim, shape,
                  &(gnd__param){"loc", GND__REAL, loc},
                  &(gnd__param){"scale", GND__NOT_NEGATIVE, scale});
}

/* --- of gamma numbers ------------------------------------------------------------------------- */

static gnd_array *gamma_of(gnd__draw *d, gnd__op op, uint32_t sub, gnd_array *a)
{
    return gnd__draw_of(d, op, op, d->c, sub, 1, &a);
}

gnd_array *gnd_rng_gamma(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                         gnd_array *a, gnd_array *scale)
{
    gnd__draw d;
    gnd__param p[2] = {{"a", GND__NOT_NEGATIVE, a}, {"scale", GND__NOT_NEGATIVE, scale}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_gamma", g, dev, t, 0, ndim, shape, 2, p);
    if (bad)
        return bad;
    return gnd__draw_end(&d, placed(gamma_of(&d, GND__FN_GAMMAVAR, 0, d.par[0]), NULL, d.par[1]));
}

gnd_array *gnd_rng_beta(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                        gnd_array *a, gnd_array *b)
{
    gnd__draw d;
    gnd__param p[2] = {{"a", GND__POSITIVE, a}, {"b", GND__POSITIVE, b}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_beta", g, dev, t, 0, ndim, shape, 2, p);
    if (bad)
        return bad;
    /* x / (x + y) = 1 / (1 + exp(log y - log x)) */
    gnd_array *x = gamma_of(&d, GND__FN_LOGGAMMAVAR, 0, d.par[0]);
    gnd_array *y = gamma_of(&d, GND__FN_LOGGAMMAVAR, 1, d.par[1]);
    y = gnd__op1(GND__OP_EXP, gnd__op2(GND__OP_SUBTRACT, y, x));
    return gnd__draw_end(&d, gnd__op1(GND__OP_RECIPROCAL, gnd__with(GND__OP_ADD, y, 1)));
}

gnd_array *gnd_rng_chisquare(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                             const int64_t *shape, gnd_array *df)
{
    gnd__draw d;
    gnd__param p = {"df", GND__POSITIVE, df};
    gnd_array *bad = gnd__draw_begin(&d, "rng_chisquare", g, dev, t, 0, ndim, shape, 1, &p);
    if (bad)
        return bad;
    gnd_array *y = gamma_of(&d, GND__FN_GAMMAVAR, 0, gnd__with(GND__OP_MULTIPLY, d.par[0], 0.5));
    return gnd__draw_end(&d, gnd__with(GND__OP_MULTIPLY, y, 2));
}

gnd_array *gnd_rng_standard_t(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                              const int64_t *shape, gnd_array *df)
{
    gnd__draw d;
    gnd__param p = {"df", GND__POSITIVE, df};
    gnd_array *bad = gnd__draw_begin(&d, "rng_standard_t", g, dev, t, 0, ndim, shape, 1, &p);
    if (bad)
        return bad;
    /* normal * sqrt(a / gamma(a)), a = df / 2 */
    gnd_array *a = gnd__with(GND__OP_MULTIPLY, d.par[0], 0.5);
    gnd_array *y = gamma_of(&d, GND__FN_GAMMAVAR, 1, a);
    gnd_array *z = gnd__draw_of(&d, GND__FN_NORMAL32, GND__FN_NORMAL64, d.c, 0, 0, NULL);
    if (a->weak)
        a = gnd__strong(a, d.dev, d.c, d.func);
    y = gnd__op1(GND__OP_SQRT, gnd__op2(GND__OP_DIVIDE, a, y));
    return gnd__draw_end(&d, gnd__op2(GND__OP_MULTIPLY, z, y));
}

/* --- counts ----------------------------------------------------------------------------------- */

static gnd_array *counted(const char *func, gnd__op op, gnd_rng *g, gnd_device *dev, gnd_dtype t,
                          int ndim, const int64_t *shape, int n, const gnd__param *p)
{
    gnd__draw d;
    gnd_array *bad = gnd__draw_begin(&d, func, g, dev, t, 1, ndim, shape, n, p);
    return bad ? bad : gnd__draw_end(&d, gnd__draw_of(&d, op, op, GND_INT64, 0, n, d.par));
}

gnd_array *gnd_rng_poisson(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                           gnd_array *lam)
{
    const gnd__param p = {"lam", GND__NOT_NEGATIVE, lam};
    if (g && lam && gnd__alive(lam) && lam->weak && value_of(lam) > 9.2e18) {
        g->calls++;
        return gnd__fail(dev, GND_ERR_ARG, "rng_poisson: lam is %g: it must be at most 9.2e18",
                         value_of(lam));
    }
    return counted("rng_poisson", GND__FN_POISSON, g, dev, t, ndim, shape, 1, &p);
}

gnd_array *gnd_rng_binomial(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                            const int64_t *shape, gnd_array *n, gnd_array *p)
{
    const gnd__param q[2] = {{"n", GND__TRIALS, n}, {"p", GND__PROBABILITY, p}};
    return counted("rng_binomial", GND__FN_BINOMIAL, g, dev, t, ndim, shape, 2, q);
}

gnd_array *gnd_rng_geometric(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                             const int64_t *shape, gnd_array *p)
{
    const gnd__param q = {"p", GND__CHANCE, p};
    return counted("rng_geometric", GND__FN_GEOMETRIC, g, dev, t, ndim, shape, 1, &q);
}

gnd_array *gnd_rng_zipf(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                        gnd_array *a)
{
    const gnd__param q = {"a", GND__ABOVE_ONE, a};
    return counted("rng_zipf", GND__FN_ZIPF, g, dev, t, ndim, shape, 1, &q);
}

gnd_array *gnd_rng_hypergeometric(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                  const int64_t *shape, gnd_array *ngood, gnd_array *nbad,
                                  gnd_array *nsample)
{
    static const char func[] = "rng_hypergeometric";
    gnd__draw d;
    const gnd__param p[3] = {{"ngood", GND__TRIALS, ngood},
                             {"nbad", GND__TRIALS, nbad},
                             {"nsample", GND__TRIALS, nsample}};
    gnd_array *bad = gnd__draw_begin(&d, func, g, dev, t, 1, ndim, shape, 3, p);
    if (bad)
        return bad;
    if (ngood->weak && nbad->weak && nsample->weak) {
        const double good = value_of(ngood), rest = value_of(nbad), n = value_of(nsample);
        if (n > good + rest)
            return gnd__leave(d.in, gnd__fail(d.dev, GND_ERR_ARG,
                                              "%s: nsample is %.17g: it must be at most ngood + "
                                              "nbad, %.17g + %.17g",
                                              func, n, good, rest));
    }
    return gnd__draw_end(&d, gnd__draw_of(&d, GND__FN_HYPERGEOMETRIC, GND__FN_HYPERGEOMETRIC,
                                          GND_INT64, 0, 3, d.par));
}
