/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/random/made.c - distributions that are computed from draws of other distributions:
 * exponential, normal, uniform, gamma and Poisson. Like those (random.c) they are lazy and fuse.
 */
#include "ops/random/random.h"

#include <math.h>
#include "base/err.h"
#include "graph/check.h"
#include "graph/graph.h"
#include "graph/scope.h"

static gnd_array *expo(gnd__draw *d, uint32_t sub)
{
    return gnd__draw_of(d, GND__FN_EXPO32, GND__FN_EXPO64, d->c, sub, 0, NULL);
}

static gnd_array *unit(gnd__draw *d, uint32_t sub)
{
    return gnd__draw_of(d, GND__FN_UNIFORM32, GND__FN_UNIFORM64, d->c, sub, 0, NULL);
}

static gnd_array *normal(gnd__draw *d, uint32_t sub)
{
    return gnd__draw_of(d, GND__FN_NORMAL32, GND__FN_NORMAL64, d->c, sub, 0, NULL);
}

static gnd_array *gamma_of(gnd__draw *d, uint32_t sub, gnd_array *a)
{
    return gnd__draw_of(d, GND__FN_GAMMAVAR, GND__FN_GAMMAVAR, d->c, sub, 1, &a);
}

static gnd_array *poisson(gnd__draw *d, uint32_t sub, gnd_array *lam)
{
    return gnd__draw_of(d, GND__FN_POISSON, GND__FN_POISSON, GND_INT64, sub, 1, &lam);
}

/* Parameter i as a float, also if it is a weak int. */
static gnd_array *real(gnd__draw *d, int i)
{
    gnd_array *x = d->par[i];
    return x->weak ? gnd__strong(x, d->dev, d->c, d->func) : x;
}

static gnd_array *times(gnd_array *x, gnd_array *y)
{
    return gnd__op2(GND__OP_MULTIPLY, x, y);
}

static gnd_array *over(gnd_array *x, gnd_array *y)
{
    return gnd__op2(GND__OP_DIVIDE, x, y);
}

static gnd_array *plus(gnd_array *x, gnd_array *y)
{
    return gnd__op2(GND__OP_ADD, x, y);
}

static gnd_array *negated(gnd_array *x)
{
    return gnd__op1(GND__OP_NEGATIVE, x);
}

/* --- of an exponential number E -------------------------------------------------------------- */

gnd_array *gnd_rng_gumbel(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                          gnd_array *loc, gnd_array *scale)
{
    gnd__draw d;
    gnd__param p[2] = {{"loc", GND__REAL, loc}, {"scale", GND__NOT_NEGATIVE, scale}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_gumbel", g, dev, t, 0, ndim, shape, 2, p);
    if (bad)
        return bad;
    gnd_array *y = times(gnd__op1(GND__OP_LOG, expo(&d, 0)), real(&d, 1));
    return gnd__draw_end(&d, gnd__op2(GND__OP_SUBTRACT, real(&d, 0), y));
}

gnd_array *gnd_rng_weibull(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                           gnd_array *a)
{
    gnd__draw d;
    gnd__param p = {"a", GND__NOT_NEGATIVE, a};
    gnd_array *bad = gnd__draw_begin(&d, "rng_weibull", g, dev, t, 0, ndim, shape, 1, &p);
    if (bad)
        return bad;
    gnd_array *k = real(&d, 0), *zero = gnd__with(GND__OP_EQUAL, k, 0);
    gnd_array *y = gnd__op2(GND__OP_POW, expo(&d, 0), gnd__op1(GND__OP_RECIPROCAL, k));
    return gnd__draw_end(&d, gnd__op3(GND__OP_WHERE, zero, gnd__number(0), y));
}

gnd_array *gnd_rng_pareto(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                          gnd_array *a)
{
    gnd__draw d;
    gnd__param p = {"a", GND__POSITIVE, a};
    gnd_array *bad = gnd__draw_begin(&d, "rng_pareto", g, dev, t, 0, ndim, shape, 1, &p);
    if (bad)
        return bad;
    return gnd__draw_end(&d, gnd__op1(GND__OP_EXPM1, over(expo(&d, 0), real(&d, 0))));
}

gnd_array *gnd_rng_power(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                         gnd_array *a)
{
    gnd__draw d;
    gnd__param p = {"a", GND__POSITIVE, a};
    gnd_array *bad = gnd__draw_begin(&d, "rng_power", g, dev, t, 0, ndim, shape, 1, &p);
    if (bad)
        return bad;
    gnd_array *y = negated(gnd__op1(GND__OP_EXPM1, negated(expo(&d, 0))));
    return gnd__draw_end(&d, gnd__op2(GND__OP_POW, y, gnd__op1(GND__OP_RECIPROCAL, real(&d, 0))));
}

gnd_array *gnd_rng_rayleigh(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                            const int64_t *shape, gnd_array *scale)
{
    gnd__draw d;
    gnd__param p = {"scale", GND__NOT_NEGATIVE, scale};
    gnd_array *bad = gnd__draw_begin(&d, "rng_rayleigh", g, dev, t, 0, ndim, shape, 1, &p);
    if (bad)
        return bad;
    gnd_array *y = gnd__op1(GND__OP_SQRT, gnd__with(GND__OP_MULTIPLY, expo(&d, 0), 2));
    return gnd__draw_end(&d, times(y, real(&d, 0)));
}

/* --- of uniform and normal numbers ------------------------------------------------------------ */

gnd_array *gnd_rng_standard_cauchy(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                   const int64_t *shape)
{
    gnd__draw d;
    gnd_array *bad = gnd__draw_begin(&d, "rng_standard_cauchy", g, dev, t, 0, ndim, shape, 0, NULL);
    return bad ? bad : gnd__draw_end(&d, over(normal(&d, 0), normal(&d, 1)));
}

static double number(const gnd_array *x)
{
    const gnd__scalar *v = &x->p.value;
    return v->kind == 'f' ? v->re : v->kind == 'u' ? (double)v->u : (double)v->i;
}

gnd_array *gnd_rng_triangular(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                              const int64_t *shape, gnd_array *left, gnd_array *mode,
                              gnd_array *right)
{
    gnd__draw d;
    gnd__param p[3] = {
        {"left", GND__REAL, left}, {"mode", GND__REAL, mode}, {"right", GND__REAL, right}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_triangular", g, dev, t, 0, ndim, shape, 3, p);
    if (bad)
        return bad;
    if (left->weak && mode->weak && right->weak) {
        const double l = number(left), m = number(mode), r = number(right);
        if (!(l <= m && m <= r && l < r))
            return gnd__leave(d.in, gnd__fail(d.dev, GND_ERR_ARG,
                                              "%s: left %g, mode %g and right %g: left <= mode <= "
                                              "right and left < right are wanted",
                                              d.func, l, m, r));
    }
    gnd_array *l = real(&d, 0), *m = real(&d, 1), *r = real(&d, 2), *u = unit(&d, 0);
    gnd_array *span = gnd__op2(GND__OP_SUBTRACT, r, l), *rise = gnd__op2(GND__OP_SUBTRACT, m, l);
    gnd_array *fall = gnd__op2(GND__OP_SUBTRACT, r, m),
              *rest = gnd__with(GND__OP_ADD, negated(u), 1);
    gnd_array *up = plus(l, gnd__op1(GND__OP_SQRT, times(times(u, rise), span)));
    gnd_array *down = gnd__op1(GND__OP_SQRT, times(times(rest, fall), span));
    down = gnd__op2(GND__OP_SUBTRACT, r, down);
    gnd_array *y =
        gnd__op3(GND__OP_WHERE, gnd__op2(GND__OP_LESS_EQUAL, times(u, span), rise), up, down);
    gnd_array *ok = gnd__op2(GND__OP_LOGICAL_AND, gnd__op2(GND__OP_LESS_EQUAL, l, m),
                             gnd__op2(GND__OP_LESS_EQUAL, m, r));
    ok = gnd__op2(GND__OP_LOGICAL_AND, ok, gnd__op2(GND__OP_LESS, l, r));
    return gnd__draw_end(&d, gnd__op3(GND__OP_WHERE, ok, y, gnd__number(NAN)));
}

gnd_array *gnd_rng_wald(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                        gnd_array *mean, gnd_array *scale)
{
    gnd__draw d;
    gnd__param p[2] = {{"mean", GND__POSITIVE, mean}, {"scale", GND__POSITIVE, scale}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_wald", g, dev, t, 0, ndim, shape, 2, p);
    if (bad)
        return bad;
    /* With w = mean z^2 / (2 scale) and k = 1 + w + sqrt(w (w + 2)), the smaller root is mean / k
     * and the larger one mean k. The smaller one is taken with probability k / (k + 1). */
    gnd_array *m = real(&d, 0), *z = normal(&d, 0), *k;
    gnd_array *w = over(times(m, times(z, z)), gnd__with(GND__OP_MULTIPLY, real(&d, 1), 2));
    k = gnd__op1(GND__OP_SQRT, times(w, gnd__with(GND__OP_ADD, w, 2)));
    k = gnd__with(GND__OP_ADD, plus(k, w), 1);
    gnd_array *small = times(unit(&d, 1), gnd__with(GND__OP_ADD, k, 1));
    small = gnd__op2(GND__OP_LESS_EQUAL, small, k);
    return gnd__draw_end(&d, gnd__op3(GND__OP_WHERE, small, over(m, k), times(m, k)));
}

gnd_array *gnd_rng_vonmises(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                            const int64_t *shape, gnd_array *mu, gnd_array *kappa)
{
    const double turn = 6.283185307179586;
    gnd__draw d;
    gnd__param p[2] = {{"mu", GND__REAL, mu}, {"kappa", GND__NOT_NEGATIVE, kappa}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_vonmises", g, dev, t, 0, ndim, shape, 2, p);
    if (bad)
        return bad;
    gnd_array *y = gnd__draw_of(&d, GND__FN_VONMISES, GND__FN_VONMISES, d.c, 0, 1, &d.par[1]);
    y = plus(y, real(&d, 0));
    gnd_array *turns = gnd__op1(GND__OP_ROUND, gnd__with(GND__OP_MULTIPLY, y, 1 / turn));
    return gnd__draw_end(&d,
                         gnd__op2(GND__OP_SUBTRACT, y, gnd__with(GND__OP_MULTIPLY, turns, turn)));
}

/* --- of gamma numbers ------------------------------------------------------------------------- */

/* A chi-square number of `a` degrees of freedom, divided by a: 2 / a times a gamma number of shape
 * a / 2. */
static gnd_array *chi_mean(gnd__draw *d, uint32_t sub, gnd_array *a)
{
    return over(
        gnd__with(GND__OP_MULTIPLY, gamma_of(d, sub, gnd__with(GND__OP_MULTIPLY, a, 0.5)), 2), a);
}

/* Noncentral chi-square: chi-square with df + 2 n degrees of freedom, where n is a Poisson number
 * of mean nonc / 2. */
static gnd_array *noncentral(gnd__draw *d, gnd_array *df, gnd_array *nonc)
{
    gnd_array *n = gnd__as(poisson(d, 1, gnd__with(GND__OP_MULTIPLY, nonc, 0.5)), d->c);
    n = plus(gnd__with(GND__OP_MULTIPLY, df, 0.5), n);
    return gnd__with(GND__OP_MULTIPLY, gamma_of(d, 0, n), 2);
}

gnd_array *gnd_rng_f(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                     gnd_array *dfnum, gnd_array *dfden)
{
    gnd__draw d;
    gnd__param p[2] = {{"dfnum", GND__POSITIVE, dfnum}, {"dfden", GND__POSITIVE, dfden}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_f", g, dev, t, 0, ndim, shape, 2, p);
    if (bad)
        return bad;
    gnd_array *y = chi_mean(&d, 0, real(&d, 0));
    return gnd__draw_end(&d, over(y, chi_mean(&d, 1, real(&d, 1))));
}

gnd_array *gnd_rng_noncentral_chisquare(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                        const int64_t *shape, gnd_array *df, gnd_array *nonc)
{
    gnd__draw d;
    gnd__param p[2] = {{"df", GND__POSITIVE, df}, {"nonc", GND__NOT_NEGATIVE, nonc}};
    gnd_array *bad =
        gnd__draw_begin(&d, "rng_noncentral_chisquare", g, dev, t, 0, ndim, shape, 2, p);
    return bad ? bad : gnd__draw_end(&d, noncentral(&d, real(&d, 0), real(&d, 1)));
}

gnd_array *gnd_rng_noncentral_f(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                const int64_t *shape, gnd_array *dfnum, gnd_array *dfden,
                                gnd_array *nonc)
{
    gnd__draw d;
    gnd__param p[3] = {{"dfnum", GND__POSITIVE, dfnum},
                       {"dfden", GND__POSITIVE, dfden},
                       {"nonc", GND__NOT_NEGATIVE, nonc}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_noncentral_f", g, dev, t, 0, ndim, shape, 3, p);
    if (bad)
        return bad;
    gnd_array *y = over(noncentral(&d, real(&d, 0), real(&d, 2)), real(&d, 0));
    return gnd__draw_end(&d, over(y, chi_mean(&d, 2, real(&d, 1))));
}

/* --- counts ----------------------------------------------------------------------------------- */

gnd_array *gnd_rng_negative_binomial(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *n, gnd_array *p)
{
    gnd__draw d;
    gnd__param q[2] = {{"n", GND__POSITIVE, n}, {"p", GND__CHANCE, p}};
    gnd_array *bad = gnd__draw_begin(&d, "rng_negative_binomial", g, dev, t, 1, ndim, shape, 2, q);
    if (bad)
        return bad;
    gnd_array *c = real(&d, 1), *y = gamma_of(&d, 0, real(&d, 0));
    y = times(y, over(gnd__with(GND__OP_ADD, negated(c), 1), c));
    return gnd__draw_end(&d, poisson(&d, 1, y));
}

gnd_array *gnd_rng_logseries(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                             const int64_t *shape, gnd_array *p)
{
    gnd__draw d;
    gnd__param a = {"p", GND__SHARE, p};
    gnd_array *bad = gnd__draw_begin(&d, "rng_logseries", g, dev, t, 1, ndim, shape, 1, &a);
    if (bad)
        return bad;
    /* Kemp's algorithm LS ("Efficient generation of logarithmically distributed pseudo-random
     * variables", 1981): 1 + floor(log v / log q) with q = 1 - (1 - p)^u and log v = -e */
    gnd_array *r = gnd__op1(GND__OP_LOG1P, negated(real(&d, 0))), *e = negated(expo(&d, 1));
    gnd_array *q = negated(gnd__op1(GND__OP_EXPM1, times(unit(&d, 0), r)));
    gnd_array *y = gnd__op1(GND__OP_FLOOR, over(e, gnd__op1(GND__OP_LOG, q)));
    return gnd__draw_end(&d, gnd__as(gnd__with(GND__OP_ADD, y, 1), GND_INT64));
}
