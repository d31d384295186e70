/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mats.c - see mats.h.
 */
#include "mats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "ref.h"
#include "tap.h"

const char *mat_where;
gnd_device *mat_dev;
gnd_dtype mat_t;
double mat_eps;

static void **blocks;
static size_t nblocks, cap;

static void *room(size_t n)
{
    void *p = calloc(n ? n : 1, 1);
    if (nblocks == cap) {
        cap = cap ? 2 * cap : 64;
        blocks = realloc(blocks, cap * sizeof *blocks);
    }
    if (!p || !blocks) {
        puts("Bail out! no memory");
        exit(1);
    }
    return blocks[nblocks++] = p;
}

void mat_free_all(void)
{
    while (nblocks)
        free(blocks[--nblocks]);
    free(blocks);
    blocks = NULL;
    cap = 0;
}

void mat_setting(gnd_device *dev, const char *where, gnd_dtype t)
{
    mat_dev = dev;
    mat_where = where;
    mat_t = t;
    mat_eps = gnd__real_of(t) == GND_FLOAT64 ? 0x1p-52 : 0x1p-23;
}

const char *mat_kind_name(mat_kind k)
{
    static const char *const name[] = {"random", "strong", "hilbert", "graded", "near singular"};
    return name[k];
}

static int is_complex(void)
{
    return gnd_dtype_kind(mat_t) == 'c';
}

static double uniform(void)
{
    return (double)(ref_rnd() >> 11) * 0x1p-52 - 1;
}

static double complex value(void)
{
    double re = uniform();
    return is_complex() ? CMPLX(re, uniform()) : CMPLX(re, 0);
}

static void round_all(mat *a)
{
    if (gnd__real_of(mat_t) != GND_FLOAT64)
        for (int64_t i = 0; i < a->nb * a->m * a->n; i++)
            a->p[i] = CMPLX((double)(float)creal(a->p[i]), (double)(float)cimag(a->p[i]));
}

mat mat_new(int64_t nb, int64_t m, int64_t n)
{
    return (mat){nb, m, n, room((size_t)(nb * m * n) * sizeof(double complex))};
}

mat mat_eye(int64_t nb, int64_t m, int64_t n)
{
    mat y = mat_new(nb, m, n);
    for (int64_t b = 0; b < nb; b++)
        for (int64_t i = 0; i < m && i < n; i++)
            y.p[(b * m + i) * n + i] = 1;
    return y;
}

mat mat_make(mat_kind k, int64_t nb, int64_t m, int64_t n)
{
    mat y = mat_new(nb, m, n);
    double depth = gnd__real_of(mat_t) == GND_FLOAT64 ? 60 : 20, last = (double)(m > n ? m : n);
    for (int64_t b = 0; b < nb; b++) {
        double complex *p = y.p + b * m * n, *u = room((size_t)m * sizeof *u),
                       *v = room((size_t)n * sizeof *v);
        for (int64_t i = 0; i < m; i++)
            u[i] = value();
        for (int64_t j = 0; j < n; j++)
            v[j] = value();
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double complex r = value();
                if (k == MAT_STRONG && i == j)
                    r += 4 * last;
                else if (k == MAT_HILBERT)
                    r = (1.0 + 0.25 * (double)b) / (double)(i + j + 1);
                else if (k == MAT_GRADED)
                    r *= ldexp(1, -(int)(depth * (double)(i + j) / (2 * last)));
                else if (k == MAT_NEAR)
                    r = u[i] * v[j] + 16 * mat_eps * r;
                p[i * n + j] = r;
            }
    }
    round_all(&y);
    return y;
}

mat mat_positive(const mat *x, double shift)
{
    mat h = mat_adjoint(x), y = mat_mul(x, &h);
    for (int64_t b = 0; b < y.nb; b++) {
        double complex *p = y.p + b * y.n * y.n;
        for (int64_t i = 0; i < y.n; i++) {
            p[i * y.n + i] = creal(p[i * y.n + i]) + shift;
            for (int64_t j = 0; j < i; j++)
                p[j * y.n + i] = conj(p[i * y.n + j]);
        }
    }
    round_all(&y);
    return y;
}

gnd_array *mat_put(mat *a)
{
    size_t count = (size_t)(a->nb * a->m * a->n), size = gnd_dtype_size(mat_t);
    char *mem = room(count * size);
    round_all(a);
    for (size_t i = 0; i < count; i++) {
        double wide[2] = {creal(a->p[i]), cimag(a->p[i])};
        float narrow[2] = {(float)wide[0], (float)wide[1]};
        if (gnd__real_of(mat_t) == GND_FLOAT64)
            memcpy(mem + i * size, wide, size);
        else
            memcpy(mem + i * size, narrow, size);
    }
    return gnd_from(mat_dev, mat_t, 3, (int64_t[]){a->nb, a->m, a->n}, mem);
}

mat mat_get(gnd_array *x, int64_t nb, int64_t m, int64_t n)
{
    mat y = mat_new(nb, m, n);
    gnd_dtype t = gnd_dtype_of(x);
    size_t count = (size_t)(nb * m * n), size = gnd_dtype_size(t);
    char *mem = room(count * size);
    gnd_status st = gnd_read(x, mem, count * size);
    if (st != GND_OK) {
        tap_fail("%s: %s: %" PRId64 " of %" PRId64 " x %" PRId64 ": %s", mat_where,
                 gnd_dtype_name(mat_t), nb, m, n, gnd_message());
        for (size_t i = 0; i < count; i++)
            y.p[i] = NAN;
        return y;
    }
    for (size_t i = 0; i < count; i++) {
        ref_num v = ref_get(t, mem + i * size);
        y.p[i] = v.kind == 'i' ? CMPLX((double)v.i, 0)
                               : CMPLX((double)v.re, v.kind == 'c' ? (double)v.im : 0);
    }
    return y;
}

mat mat_mul(const mat *a, const mat *b)
{
    int64_t nb = a->nb > b->nb ? a->nb : b->nb, m = a->m, n = b->n, k = a->n;
    mat y = mat_new(nb, m, n);
    for (int64_t c = 0; c < nb; c++) {
        const double complex *x = a->p + (a->nb == 1 ? 0 : c * m * k),
                             *z = b->p + (b->nb == 1 ? 0 : c * k * n);
        for (int64_t i = 0; i < m; i++)
            for (int64_t l = 0; l < k; l++) {
                double complex f = x[i * k + l], *row = y.p + (c * m + i) * n;
                double re = creal(f), im = cimag(f);
                for (int64_t j = 0; j < n && (re != 0 || im != 0); j++) {
                    double complex g = z[l * n + j];
                    row[j] += CMPLX(re * creal(g) - im * cimag(g), re * cimag(g) + im * creal(g));
                }
            }
    }
    return y;
}

mat mat_sub(const mat *a, const mat *b)
{
    mat y = mat_new(a->nb > b->nb ? a->nb : b->nb, a->m, a->n);
    int64_t one = a->m * a->n;
    for (int64_t i = 0; i < y.nb * one; i++)
        y.p[i] = a->p[a->nb == 1 ? i % one : i] - b->p[b->nb == 1 ? i % one : i];
    return y;
}

mat mat_adjoint(const mat *a)
{
    mat y = mat_new(a->nb, a->n, a->m);
    for (int64_t b = 0; b < a->nb; b++)
        for (int64_t i = 0; i < a->m; i++)
            for (int64_t j = 0; j < a->n; j++)
                y.p[(b * a->n + j) * a->m + i] = conj(a->p[(b * a->m + i) * a->n + j]);
    return y;
}

mat mat_scale(const mat *a, const mat *d)
{
    mat y = mat_new(a->nb, a->m, a->n);
    for (int64_t i = 0; i < a->nb * a->m * a->n; i++)
        y.p[i] = a->p[i] * d->p[i / (a->m * a->n) * a->n + i % a->n];
    return y;
}

mat mat_probe(int64_t n)
{
    if (n <= 64)
        return mat_eye(1, n, n);
    mat z = mat_new(1, n, 8);
    for (int64_t i = 0; i < n * 8; i++)
        z.p[i] = (ref_rnd() & 64 ? 1 : -1) * sqrt(0.125);
    return z;
}

double *mat_norms(const mat *a)
{
    double *y = room((size_t)a->nb * sizeof *y);
    int64_t one = a->m * a->n;
    for (int64_t b = 0; b < a->nb; b++) {
        for (int64_t i = b * one; i < (b + 1) * one; i++)
            y[b] += creal(a->p[i]) * creal(a->p[i]) + cimag(a->p[i]) * cimag(a->p[i]);
        y[b] = sqrt(y[b]);
    }
    return y;
}

double *mat_times(const double *a, const double *b, int64_t nb)
{
    double *y = room((size_t)nb * sizeof *y);
    for (int64_t i = 0; i < nb; i++)
        y[i] = a[i] * b[i];
    return y;
}

double *mat_plus(const double *a, const double *b, int64_t nb)
{
    double *y = room((size_t)nb * sizeof *y);
    for (int64_t i = 0; i < nb; i++)
        y[i] = a[i] + b[i];
    return y;
}

void mat_within(const mat *r, const double *scale, double c, const char *what)
{
    double *norm = mat_norms(r), worst = 0;
    int64_t at = 0;
    for (int64_t b = 0; b < r->nb; b++) {
        double in_eps = norm[b] == 0 ? 0 : norm[b] / ((scale ? scale[b] : 1) * mat_eps);
        if (!(in_eps <= worst)) { /* a NaN, too */
            worst = in_eps;
            at = b;
        }
    }
    tap_ok(worst <= c, "%s: %s: %s: matrix %" PRId64 " is off by %.3g eps, at most %.3g", mat_where,
           gnd_dtype_name(mat_t), what, at, worst, c);
}

void mat_orthogonal(const mat *x, double c, const char *what)
{
    mat z = mat_probe(x->n), h = mat_adjoint(x), y = mat_mul(x, &z), back = mat_mul(&h, &y),
        r = mat_sub(&back, &z);
    mat_within(&r, NULL, c, what);
}

void mat_equal(const mat *a, const mat *b, double c, const char *what)
{
    mat r = mat_sub(a, b);
    double *norm = mat_norms(b), *scale = room((size_t)r.nb * sizeof *scale);
    for (int64_t i = 0; i < r.nb; i++)
        scale[i] = norm[b->nb == 1 ? 0 : i];
    mat_within(&r, scale, c, what);
}
