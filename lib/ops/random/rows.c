/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/random/rows.c - distributions of rows: multinomial, multivariate hypergeometric, Dirichlet,
 * multivariate normal. The rows are the last axis of the result.
 */
#include <string.h>
#include "ops/linalg/matrices.h"
#include "ops/random/random.h"
#include "array/views.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/decompose.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/stat.h>
#include <gnd/view.h>

/* Checks that x is an array with a last axis that is not empty. On failure the call of g is counted
 * too. */
static gnd_array *check_rows(const char *func, gnd_rng *g, const char *name, gnd_array *x)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, func, name);
    if (!bad && (x->ndim < 1 || x->dim[x->ndim - 1] < 1))
        bad = gnd__fail(x->dev, GND_ERR_SHAPE,
                        "%s: %s has shape %s: it needs elements along a last axis", func, name,
                        gnd__shape_text(text, x->ndim, x->dim));
    if (bad && g)
        g->calls++;
    return bad;
}

/* --- multinomial ------------------------------------------------------------------------------ */

/* The probabilities of outcome j: x[..., j]. */
static gnd_array *outcome(gnd_array *x, int64_t j)
{
    gnd__map m;
    gnd__map_identity(&m, x->ndim);
    m.start[x->ndim - 1] = j;
    m.step[x->ndim - 1] = 0;
    m.from[x->ndim - 1] = -1;
    return gnd__viewed(x, x->ndim - 1, x->dim, &m);
}

/* The number of the remaining trials with outcome j; q: its probability, or its things; rest: of
 * all outcomes from j on. */
typedef gnd_array *outcome_fn(gnd__draw *d, int64_t j, gnd_array *left, gnd_array *q,
                              gnd_array *rest);

/* A binomial number, with the outcome's share of the remaining probability. */
static gnd_array *with_share(gnd__draw *d, int64_t j, gnd_array *left, gnd_array *q,
                             gnd_array *rest)
{
    /* q / rest, at most 1; 0 if rest is 0 */
    gnd_array *some = gnd__with(GND__OP_GREATER, rest, 0);
    gnd_array *share = gnd__with(GND__OP_MINIMUM, gnd__op2(GND__OP_DIVIDE, q, rest), 1);
    share = gnd__op3(GND__OP_WHERE, some, share, gnd__with(GND__OP_MULTIPLY, q, 0));
    gnd_array *in[2] = {left, share};
    return gnd__draw_raw(d, GND__FN_BINOMIAL, GND_INT64, (uint32_t)j, 2, in);
}

/* A hypergeometric number of the outcome's things and of all others that remain. */
static gnd_array *of_things(gnd__draw *d, int64_t j, gnd_array *left, gnd_array *q, gnd_array *rest)
{
    gnd_array *in[3] = {q, gnd__op2(GND__OP_SUBTRACT, rest, q), left};
    return gnd__draw_raw(d, GND__FN_HYPERGEOMETRIC, GND_INT64, (uint32_t)j, 3, in);
}

/* Draws one outcome after the other; rest: of all outcomes. */
static gnd_array *outcomes(gnd__draw *d, gnd_array *p, gnd_array *rest, outcome_fn *draw)
{
    const int64_t k = p->dim[p->ndim - 1];
    gnd_array **part = gnd__malloc((size_t)k * sizeof *part);
    if (!part)
        return gnd__nomem();
    gnd_array *left = d->par[0]->weak ? gnd__strong(d->par[0], d->dev, d->c, d->func) : d->par[0];
    gnd_array *bad = NULL;
    p = gnd__as(p, d->c);
    for (int64_t j = 0; j < k && !bad; j++) {
        gnd_array *x = left;
        if (j < k - 1) {
            gnd_array *q = outcome(p, j);
            x = draw(d, j, left, q, rest);
            left = gnd__op2(GND__OP_SUBTRACT, left, gnd__as(x, d->c));
            rest = gnd__op2(GND__OP_SUBTRACT, rest, q);
            gnd_array *now[3] = {x, left, rest};
            for (int i = 0; i < 3 && !bad; i++)
                bad = now[i]->kind == GND__ERROR ? now[i] : NULL;
            if (!bad && gnd_eval_all(3, now)) /* so that the next outcome runs the same kernel */
                bad = gnd_fail(gnd_status_of(x) ? gnd_status_of(x) : GND_ERR_BACKEND, "%s: %s",
                               d->func, gnd_message());
        }
        x = gnd__as(x, d->t);
        part[j] = x->kind == GND__ERROR ? x : gnd__broadcast(x, d->ndim, d->dim);
    }
    gnd_array *y = bad ? bad : gnd_stack((int)k, part, -1);
    gnd__free(part);
    return y;
}

/* check_rows, and that the outcomes can be counted. */
static gnd_array *check_outcomes(const char *func, gnd_rng *g, const char *name, gnd_array *x)
{
    gnd_array *bad = check_rows(func, g, name, x);
    if (bad || x->dim[x->ndim - 1] <= INT32_MAX)
        return bad;
    if (g)
        g->calls++;
    return gnd__fail(x->dev, GND_ERR_OVERFLOW, "%s: %s has more than 2^31 - 1 outcomes", func,
                     name);
}

gnd_array *gnd_rng_multinomial(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                               const int64_t *shape, gnd_array *n, gnd_array *p)
{
    gnd__draw d;
    gnd_array *bad = check_outcomes("rng_multinomial", g, "p", p);
    if (bad)
        return bad;
    const gnd__inner in = gnd__enter("rng_multinomial");
    const gnd__param q[2] = {{"n", GND__TRIALS, n}, {"p", GND__REAL, outcome(p, 0)}};
    bad = gnd__draw_begin(&d, "rng_multinomial", g, dev, t, 1, ndim, shape, 2, q);
    return gnd__leave(in,
                      bad ? bad : gnd__draw_end(&d, outcomes(&d, p, gnd__number(1), with_share)));
}

gnd_array *gnd_rng_multivariate_hypergeometric(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                               const int64_t *shape, gnd_array *colors,
                                               gnd_array *nsample)
{
    static const char func[] = "rng_multivariate_hypergeometric";
    gnd__draw d;
    gnd_array *bad = check_outcomes(func, g, "colors", colors);
    if (bad)
        return bad;
    if (gnd_dtype_kind((gnd_dtype)colors->dtype) == 'c') {
        if (g)
            g->calls++;
        return gnd__fail(colors->dev, GND_ERR_DTYPE, "%s: colors is complex: it must be real",
                         func);
    }
    const gnd__inner in = gnd__enter(func);
    const gnd__param q[2] = {{"nsample", GND__TRIALS, nsample},
                             {"colors", GND__REAL, outcome(colors, 0)}};
    bad = gnd__draw_begin(&d, func, g, dev, t, 1, ndim, shape, 2, q);
    if (bad)
        return gnd__leave(in, bad);
    gnd_array *count = gnd__as(colors, d.c), *all = gnd_sum(count, GND_AXIS(-1), 0);
    gnd_array *ok = gnd__op2(GND__OP_LOGICAL_AND, gnd__op2(GND__OP_GREATER_EQUAL, all, d.par[0]),
                             gnd__with(GND__OP_GREATER_EQUAL, gnd_min(count, GND_AXIS(-1), 0), 0));
    ok = gnd_expand_dims(ok, GND_AXIS(-1));
    gnd_array *y = outcomes(&d, colors, all, of_things);
    return gnd__leave(in, gnd__draw_end(&d, gnd__op3(GND__OP_WHERE, ok, y, gnd__number(-1))));
}

/* --- Dirichlet -------------------------------------------------------------------------------- */

/* Writes the shape followed by k to full. Returns its number of dimensions, or -1. */
static int with_rows(int ndim, const int64_t *shape, int64_t k, int64_t *full)
{
    if (ndim >= GND_MAX_NDIM || (ndim > 0 && !shape))
        return -1;
    if (ndim > 0)
        memcpy(full, shape, (size_t)ndim * sizeof *shape);
    full[ndim] = k;
    return ndim + 1;
}

gnd_array *gnd_rng_dirichlet(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                             const int64_t *shape, gnd_array *alpha)
{
    gnd__draw d;
    int64_t full[GND_MAX_NDIM];
    const gnd__param p = {"alpha", GND__POSITIVE, alpha};
    gnd_array *bad = check_rows("rng_dirichlet", g, "alpha", alpha);
    if (bad)
        return bad;
    int m = ndim < 0 ? -1 : with_rows(ndim, shape, alpha->dim[alpha->ndim - 1], full);
    if (ndim >= 0 && m < 0) { /* the check of shapes reports it */
        m = ndim + 1;
        if (m > GND_MAX_NDIM || !shape)
            return gnd__fail(
                alpha->dev, shape ? GND_ERR_SHAPE : GND_ERR_NULL,
                "rng_dirichlet: %d dimensions and the rows: at most %d, and a shape that is "
                "not NULL",
                ndim, GND_MAX_NDIM);
    }
    if ((bad = gnd__draw_begin(&d, "rng_dirichlet", g, dev, t, 0, m, full, 1, &p)))
        return bad;
    gnd_array *x = gnd__draw_of(&d, GND__FN_LOGGAMMAVAR, GND__FN_LOGGAMMAVAR, d.c, 0, 1, d.par);
    return gnd__draw_end(&d, x->kind == GND__ERROR ? x : gnd_softmax(x, GND_AXIS(-1)));
}

/* --- multivariate normal ---------------------------------------------------------------------- */

/* A with A^T A = cov, of dtype c. */
static gnd_array *root_of(const char *func, gnd_array *cov, gnd_rng_root root)
{
    gnd_array *u, *w, *v;
    if (root == GND_ROOT_CHOLESKY)
        return gnd__mats_cholesky(func, cov, 1);
    if (root == GND_ROOT_EIGH) {
        gnd__mats_eigh(func, cov, 0, &w, &v);
        /* rounding may make a 0 negative */
        w = gnd__op1(GND__OP_SQRT, gnd__with(GND__OP_MAXIMUM, w, 0));
        v = gnd__op2(GND__OP_MULTIPLY, v, w);
        return v->kind == GND__ERROR ? v : gnd_matrix_transpose(v);
    }
    gnd__mats_svd(func, cov, 0, NULL, &u, &w, &v);
    w = gnd__op1(GND__OP_SQRT, w);
    return gnd__op2(GND__OP_MULTIPLY, v, w->kind == GND__ERROR ? w : gnd__expanded(w, 2));
}

gnd_array *gnd_rng_multivariate_normal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                       const int64_t *shape, gnd_array *mean, gnd_array *cov,
                                       gnd_rng_root root)
{
    static const char func[] = "rng_multivariate_normal";
    char text[2][GND__SHAPE_TEXT];
    gnd__draw d;
    int64_t full[GND_MAX_NDIM];
    gnd_array *bad = check_rows(func, g, "mean", mean);
    if (!bad)
        bad = gnd__check_strong(cov, func, "cov");
    if (bad)
        return bad;
    int64_t k = mean->dim[mean->ndim - 1];
    if (mean->ndim != 1 || cov->ndim != 2 || cov->dim[0] != k || cov->dim[1] != k)
        return gnd__fail(mean->dev, GND_ERR_SHAPE,
                         "%s: mean %s and cov %s: (k,) and (k, k) are needed", func,
                         gnd__shape_text(text[0], mean->ndim, mean->dim),
                         gnd__shape_text(text[1], cov->ndim, cov->dim));
    int m = with_rows(ndim < 0 ? 0 : ndim, shape, k, full);
    if (m < 0)
        return gnd__fail(mean->dev, ndim < GND_MAX_NDIM ? GND_ERR_NULL : GND_ERR_SHAPE,
                         "%s: %d dimensions and the rows: at most %d, and a shape that is not NULL",
                         func, ndim, GND_MAX_NDIM);
    const gnd__inner in = gnd__enter(func);
    const gnd__param p[2] = {{"mean", GND__REAL, mean}, {"cov", GND__REAL, outcome(cov, 0)}};
    bad = gnd__draw_begin(&d, func, g, dev, t, 0, m, full, 2, p);
    if (bad)
        return gnd__leave(in, bad);
    gnd_array *a = root_of(func, gnd__as(cov, d.c), root);
    gnd_array *z = gnd__draw_of(&d, GND__FN_NORMAL32, GND__FN_NORMAL64, d.c, 0, 0, NULL);
    if (m == 1 && z->kind != GND__ERROR)
        z = gnd__reshaped(z, 2, (const int64_t[]){1, k});
    if (z->kind != GND__ERROR)
        z = gnd_matmul(z, a);
    z = gnd__op2(GND__OP_ADD, z, d.par[0]);
    if (m == 1 && z->kind != GND__ERROR)
        z = gnd__reshaped(z, 1, &k);
    return gnd__leave(in, gnd__draw_end(&d, z));
}
