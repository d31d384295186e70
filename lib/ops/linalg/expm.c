/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/expm.c - the matrix exponential: Pade's approximation of degree 13 of A / 2^s, squared
 * s times. The number s is found for each matrix of a batch from norms of its powers (Al-Mohy,
 * Higham: A new scaling and squaring algorithm for the matrix exponential, SIAM J. Matrix Anal.
 * Appl. 31, 2009, algorithm 5.1). Each matrix has its own, because a larger s than needed costs
 * accuracy, and a NaN in one matrix must not affect the next.
 */
#include <math.h>
#include <string.h>
#include "ops/linalg/matrices.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/graph.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/decompose.h>
#include <gnd/elementwise.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

/* The greatest norm for which degree 13 is good to 2^-53. */
static const double theta = 5.371920351148152;
/* Of norms for each matrix: of A, of its powers 4, 6, 8, 10, and of |A / ||A|| |^27. */
enum { ONE, P4, P6, P8, P10, ABS27, NORMS };

typedef struct powers {
    gnd_array *a, *a2, *a4, *a6;
} powers;

static powers powers_of(gnd_array *a)
{
    powers p = {.a = a, .a2 = gnd_matmul(a, a)};
    p.a4 = gnd_matmul(p.a2, p.a2);
    p.a6 = gnd_matmul(p.a2, p.a4);
    return p;
}

/* 1-norms of the n stacks x, read into v, n rows of a number for each matrix. */
static gnd_status norms(const gnd__mats *m, int n, gnd_array *const *x, double *v)
{
    gnd_array *y[NORMS];
    const size_t count = (size_t)n * (size_t)m->nbatch;
    for (int i = 0; i < n; i++)
        y[i] = gnd_reshape(gnd_matrix_norm(x[i], GND_ORD_1, 0), 1, &m->nbatch);
    gnd_array *all = gnd_stack(n, y, 0);
    if (all->dtype == GND_FLOAT64)
        return gnd_read(all, v, count * sizeof *v);
    float *f = gnd__malloc(count * sizeof *f);
    const gnd_status st = f ? gnd_read(all, f, count * sizeof *f) : GND_ERR_NOMEM;
    for (size_t i = 0; i < count && st == GND_OK; i++)
        v[i] = (double)f[i];
    gnd__free(f);
    return st;
}

/* 1^T |A / ||A|| |^27 of each matrix, in float64 if the device has it, because it may be small:
 * (batch, 1, n). */
static gnd_array *magnitudes(const gnd__mats *m)
{
    const gnd_dtype t = gnd__device_float(m->dev);
    gnd_array *x = gnd_astype(gnd_abs(m->x), t);
    x = gnd_divide(x, gnd_expand_dims(gnd_matrix_norm(x, GND_ORD_1, 0), GND_AXES(-1, -2)));
    gnd_array *v = gnd_add(gnd__mats_zeros(m, t, 1, m->n), gnd_int(1));
    for (int i = 0; i < 27; i++)
        v = gnd_matmul(v, x);
    return v;
}

/* The number of halvings for a matrix of these norms, of a dtype with that unit roundoff. */
static int halvings(const double *norm, double unit)
{
    double d[NORMS], eta = norm[ONE];
    const double root[NORMS] = {1, 1. / 4, 1. / 6, 1. / 8, 1. / 10, 1};
    if (!(norm[ONE] > theta) || !isfinite(norm[ONE]))
        return 0;
    for (int i = P4; i <= P10; i++)
        d[i] = pow(norm[i], root[i]);
    for (int i = P4; i < P10; i++) {
        const double bound = d[i] > d[i + 1] ? d[i] : d[i + 1];
        if (isfinite(d[i]) && isfinite(d[i + 1]) && bound < eta)
            eta = bound;
    }
    int s = eta > theta ? (int)ceil(log2(eta / theta)) : 0;
    /* and enough halvings for an accurate evaluation: |c| is the first term of the error's series
     */
    const double c = lgamma(27.) + lgamma(28.) - 2 * lgamma(14.), scaled = log2(norm[ONE]) - s;
    const double alpha = 26 * scaled + log2(norm[ABS27]) - c / log(2.) - log2(unit);
    if (isfinite(alpha) && alpha > 0)
        s += (int)ceil(alpha / 26);
    return s;
}

/* y times 2^-(k s) for each matrix. If all have the same s, it is halved[0]. */
static gnd_array *scaled(const gnd__mats *m, const int *halved, int one, int k, gnd_array *y)
{
    const gnd_dtype t = gnd__real_of(m->t);
    int64_t dim[GND_MAX_NDIM];
    gnd_array *f;
    if (one)
        return halved[0] ? gnd_multiply(y, gnd_real(ldexp(1, -k * halved[0]))) : y;
    memcpy(dim, m->batch, (size_t)m->nb * sizeof *dim);
    dim[m->nb] = dim[m->nb + 1] = 1;
    double *d = gnd__malloc((size_t)m->nbatch * sizeof *d);
    for (int64_t i = 0; i < m->nbatch && d; i++)
        if (t == GND_FLOAT64)
            d[i] = ldexp(1, -k * halved[i]);
        else
            memcpy((char *)d + (size_t)i * sizeof(float), &(float){ldexpf(1, -k * halved[i])},
                   sizeof(float));
    f = d ? gnd_from(m->dev, t, m->nb + 2, dim, d) : gnd__nomem();
    gnd__free(d);
    return gnd_multiply(y, f);
}

/* Squares y as often as each matrix was halved. */
static gnd_array *squared(const gnd__mats *m, const int *halved, int one, gnd_array *y)
{
    int64_t dim[GND_MAX_NDIM];
    gnd_array *often = NULL;
    int most = 0;
    memcpy(dim, m->batch, (size_t)m->nb * sizeof *dim);
    dim[m->nb] = dim[m->nb + 1] = 1;
    for (int64_t i = 0; i < m->nbatch; i++)
        most = halved[i] > most ? halved[i] : most;
    if (!one)
        often = gnd_from(m->dev, GND_INT32, m->nb + 2, dim, halved);
    for (int j = 0; j < most; j++) {
        gnd_array *next = gnd_matmul(y, y);
        y = one ? next : gnd_where(gnd_greater(often, gnd_int(j)), next, y);
    }
    return y;
}

/* The approximation for A, given its powers. */
static gnd_array *pade(const gnd__mats *m, const powers *p)
{
    static const double b[14] = {64764752532480000.,
                                 32382376266240000.,
                                 7771770303897600.,
                                 1187353796428800.,
                                 129060195264000.,
                                 10559470521600.,
                                 670442572800.,
                                 33522128640.,
                                 1323241920.,
                                 40840800.,
                                 960960.,
                                 16380.,
                                 182.,
                                 1.};
    gnd_array *eye = gnd_eye(m->dev, m->t, m->n, m->n, 0);
#define TERM(k, y) gnd_multiply(y, gnd_real(b[k]))
#define SUM3(i, j, k) gnd_add(gnd_add(TERM(i, p->a6), TERM(j, p->a4)), TERM(k, p->a2))
    gnd_array *u = gnd_matmul(
        p->a, gnd_add(gnd_matmul(p->a6, SUM3(13, 11, 9)), gnd_add(SUM3(7, 5, 3), TERM(1, eye))));
    gnd_array *v =
        gnd_add(gnd_matmul(p->a6, SUM3(12, 10, 8)), gnd_add(SUM3(6, 4, 2), TERM(0, eye)));
#undef SUM3
#undef TERM
    return gnd__mats_system("expm", gnd_subtract(v, u), gnd_add(v, u));
}

/* halved[i] for each matrix, powers of A / 2^s in *p, and whether all s are one. */
static gnd_status scale(const gnd__mats *m, int *halved, powers *p, int *one)
{
    const double unit = gnd__real_of(m->t) == GND_FLOAT64 ? 0x1p-53 : 0x1p-24;
    const int64_t nb = m->nbatch;
    int beyond = 0, most = 0;
    *one = 1;
    double *v = gnd__calloc((size_t)nb * NORMS, sizeof *v);
    if (!v)
        return GND_ERR_NOMEM;
    gnd_status st = norms(m, 1, &p->a, v);
    for (int64_t i = 0; i < nb; i++)
        most |= v[i] > theta && isfinite(v[i]);
    *p = powers_of(p->a);
    if (most && st == GND_OK) {
        gnd_array *x[NORMS] = {
            p->a, p->a4, p->a6, gnd_matmul(p->a4, p->a4), gnd_matmul(p->a4, p->a6), magnitudes(m)};
        st = norms(m, NORMS, x, v);
        for (int64_t i = 0; i < nb && st == GND_OK; i++) {
            double norm[NORMS];
            for (int k = 0; k < NORMS; k++)
                norm[k] = v[k * nb + i];
            halved[i] = halvings(norm, unit);
            *one &= halved[i] == halved[0];
            /* the sixth power, or its factor, leaves the range of the dtype */
            beyond |= isfinite(norm[ONE]) &&
                      (!isfinite(norm[P6]) || halved[i] > (unit < 0x1p-30 ? 160 : 20));
        }
    }
    gnd__free(v);
    if (beyond) {
        *p = powers_of(scaled(m, halved, *one, 1, p->a));
    } else {
        p->a = scaled(m, halved, *one, 1, p->a);
        p->a2 = scaled(m, halved, *one, 2, p->a2);
        p->a4 = scaled(m, halved, *one, 4, p->a4);
        p->a6 = scaled(m, halved, *one, 6, p->a6);
    }
    return st;
}

gnd_array *gnd_expm(gnd_array *x)
{
    gnd__mats m;
    powers p;
    int one;
    const gnd__inner in = gnd__enter("expm");
    gnd_array *y = gnd__mats_of(&m, "expm", x, 1);
    if (!y && gnd__mats_empty(&m))
        y = gnd__mats_zeros(&m, m.t, m.n, m.n);
    if (!y) {
        int *halved = gnd__calloc((size_t)m.nbatch, sizeof *halved);
        p.a = m.x;
        const gnd_status st = halved ? scale(&m, halved, &p, &one) : GND_ERR_NOMEM;
        if (st == GND_OK)
            y = squared(&m, halved, one, pade(&m, &p));
        else
            y = st == GND_ERR_NOMEM ? gnd__nomem()
                                    : gnd__named("expm", gnd_fail(st, "%s", gnd_message()));
        gnd__free(halved);
    }
    return gnd__leave(in, y);
}
