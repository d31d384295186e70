/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fft_vector.c - the Fourier transform of a vector that is cut over the ranks (Bailey: FFTs in
 * external or hierarchical memory, 1990). With n = n1 n2, X[j1, j2] = x[j1 n2 + j2]:
 *
 *     Y[k1, k2] = sum over j2 of w_n^(j2 k1) w_n2^(j2 k2) (sum over j1 of X[j1, j2] w_n1^(j1 k1))
 *     y[k1 + n1 k2] = Y[k1, k2]
 *
 * so ranks transform columns, multiply by w_n^(j2 k1), transform rows, and the mover transposes
 * before, between and after (fft_moves.c). Pieces are sent in the order in which they are used
 * next, so all lines are contiguous where they are transformed. Reals need only the rows k1 <=
 * n1/2: the others are mirrored. A length without two factors that give every rank a line is
 * transformed by a convolution of a length that is a power of two (Bluestein, 1970).
 */
#include "fft.h"

#include <math.h>
#include <string.h>

/* Below this length every rank transforms the whole vector. */
enum { SHORT = 1 << 14 };
/* Bluestein's factors need squares of indices in int64, so lengths must be below this limit. */
static const int64_t LONG_CHIRP = INT64_C(1) << 31;

/* The largest n1 with n = n1 n2 and n1 <= n2 such that both are at least `least`, or 0. */
static int64_t factor(int64_t n, int64_t least)
{
    for (int64_t k = (int64_t)sqrt((double)n) + 1; k >= least && k > 1; k--)
        if (n % k == 0 && n / k >= least)
            return k;
    return 0;
}

int gndm__fft_fits(const gndm_array *x, const gndm__fft *f)
{
    const gndm_part *p = x->part;
    return p->ndim == 1 && p->grid[0] > 1 && f->n >= SHORT &&
           (f->n < LONG_CHIRP || factor(f->n, p->grid[0]));
}

/* --- factors ---------------------------------------------------------------------------------- */

/* exp(i angle), computed in the dtype of angle and converted to t. */
static gnd_array *unit_circle(gnd_array *angle, gnd_dtype t)
{
    return gnd_astype(gnd_add(gnd_cos(angle), gnd_multiply(gnd_sin(angle), gnd_complex(0, 1))), t);
}

/* exp(+-2 pi i k / n) for ints 0 <= k < n. */
static gnd_array *roots(gndm_ctx *c, gnd_array *k, int64_t n, int inverse, gnd_dtype t)
{
    k = gnd_where(gnd_greater(k, gnd_int(n / 2)), gnd_add_i(k, -n), k);
    k = gnd_div_f(gnd_astype(k, gnd_default_float(c->dev)), (double)n);
    return unit_circle(gnd_mul_f(k, (inverse ? 2 : -2) * 3.14159265358979323846), t);
}

/* The factors w_n^(j2 k1) for first <= j2 < first + count and k1 < rows. To compute few sines, each
 * factor is a product of two: one for j2 rounded down to first + a multiple of GROUP, one for the
 * rest. */
static gnd_array *twiddles(gndm_ctx *c, int64_t rows, int64_t first, int64_t count, int64_t n,
                           int inverse, gnd_dtype t)
{
    enum { GROUP = 64 };
    const int64_t groups = (count + GROUP - 1) / GROUP, high[3] = {groups, 1, rows},
                  low[3] = {1, GROUP, rows}, dim[2] = {groups * GROUP, rows};
    gnd_array *k = gnd_arange_i64(c->dev, 0, rows, 1, GND_INT64);
    gnd_array *group = gnd_arange_i64(c->dev, 0, groups, 1, GND_INT64);
    gnd_array *within = gnd_arange_i64(c->dev, 0, GROUP, 1, GND_INT64);
    group = gnd_expand_dims(gnd_add_i(gnd_mul_i(group, GROUP), first), GND_AXIS(1));
    within = gnd_expand_dims(within, GND_AXIS(1));
    gnd_array *both[2] = {roots(c, gnd_multiply(group, k), n, inverse, t),
                          roots(c, gnd_multiply(within, k), n, inverse, t)};
    gnd_eval_all(2, both);
    k = gnd_multiply(gnd_reshape(both[0], 3, high), gnd_reshape(both[1], 3, low));
    return gnd_slice(gnd_reshape(k, 2, dim), 0, 0, count);
}

/* --- the transform ---------------------------------------------------------------------------- */

/* Transforms of lines, for gndm__in_stages. */
typedef struct lines {
    gndm_ctx *c;
    gndm__columns *x;
    int64_t rows, first, n; /* of the columns' transforms; the next column; the vector's length */
    int half, inverse;
    gnd_norm norm;
    gnd_dtype t;
} lines;

static gnd_array *along_lines(const lines *w, gnd_array *x)
{
    return w->half      ? gnd_rfft(x, GND_FFT_FULL, 1, w->norm)
           : w->inverse ? gnd_ifft(x, GND_FFT_FULL, 1, w->norm)
                        : gnd_fft(x, GND_FFT_FULL, 1, w->norm);
}

/* The next columns, and their factors. Evaluated before it is turned, since turning would copy it.
 * A failure stays in the array. */
static gnd_array *some_columns(gnd_array *x, void *data)
{
    lines *w = data;
    x = gndm__columns_next(w->x, x);
    if (!gnd_status_of(x)) {
        const int64_t count = gnd_shape(x)[0];
        x = along_lines(w, x);
        if (count > 0)
            x = gnd_multiply(x, twiddles(w->c, w->rows, w->first, count, w->n, w->inverse, w->t));
        w->first += count;
    }
    gnd_eval_all(1, &x);
    return gnd_T(x);
}

static gnd_array *some_rows(gnd_array *x, void *data)
{
    x = along_lines(data, x);
    gnd_eval_all(1, &x);
    return gnd_T(x);
}

/* From x (n1, n2), split by columns, to Y before the transforms along its rows, split by rows.
 * half: x is real, and only rows k1 <= n1/2 of Y are computed. */
static gnd_status transform(gndm_ctx *c, const gndm_array *like, gndm__columns *x, int half,
                            int inverse, gnd_norm norm, gnd_dtype t, gndm_array **out)
{
    const int64_t n1 = x->part->shape[0], n2 = x->part->shape[1];
    const int64_t shape[2] = {half ? n1 / 2 + 1 : n1, n2};
    const int whole[2] = {-1, 1};
    gndm_part *columns = gndm__part_axes(c, x->part, 2, shape, whole);
    gndm_part *rows = gndm__fft_scaled(c, like, 2, shape, 0, 1);
    gnd_array *local = NULL;
    gnd_status st = columns->status ? columns->status : rows->status;
    if (st) /* the others are told */
        gndm__broken(c, st, "%s: out of host memory", c->func);
    if (!st) {
        lines w = {c,       x,    shape[0], gndm__fft_start(x->part, c->rank, 1), n1 * n2, half,
                   inverse, norm, t};
        const gndm__staged s = {.n = x->n ? x->n : gndm__stages(c, columns, t),
                                .local = x->lines,
                                .from = columns,
                                .to = rows,
                                .at = 1,
                                .dtype = t,
                                .work = some_columns,
                                .data = &w};
        st = gndm__in_stages(c, &s, &local);
    }
    if (!st) {
        *out = gndm__array(c, t, rows, local);
        st = gndm__check(c, *out);
    }
    gndm_part_free(columns);
    gndm_part_free(rows);
    return st;
}

/* Transforms the rows of y. */
static gndm_array *of_rows(gndm_ctx *c, const gndm_array *y, int inverse, gnd_norm norm)
{
    const lines w = {.inverse = inverse, .norm = norm};
    return gndm__array(c, y->dtype, y->part, along_lines(&w, y->local));
}

/* The first n/2 + 1 elements of the transform of n reals, from the rows k1 <= n1/2 of Y:
 * y[k1 + n1 k2] = conj(Y[n1 - k1, n2 - 1 - k2]) for the other k1. */
static gnd_status mirrored(gndm_ctx *c, const gndm_array *like, gndm_array *y, int64_t n1,
                           gndm_array **out)
{
    const int64_t n2 = y->part->shape[1], keep = n1 * n2 / 2 + 1, half = n1 / 2 + 1;
    gndm_part *p = gndm__fft_scaled(c, like, 1, &keep, 0, n1);
    gndm__box *want = malloc((size_t)c->size * sizeof *want);
    gnd_array *low = NULL, *high = NULL;
    gnd_status st = want && !p->status
                        ? GND_OK
                        : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int turn = 0; turn < 2 && !st; turn++) {
        for (int r = 0; r < c->size;
             r++) { /* the columns k2 = a .. b - 1 hold the part of rank r */
            const int64_t from = gndm__fft_start(p, r, 0), n = gndm__fft_extent(p, r, 0);
            const int64_t a = from / n1, b = n ? (from + n + n1 - 1) / n1 : a;
            want[r] = turn ? (gndm__box){.start = {1, n2 - b}, .stop = {n1 - half + 1, n2 - a}}
                           : (gndm__box){.start = {0, a}, .stop = {half, b}};
        }
        st = gndm__fetch(c, y, want, turn ? &high : &low);
    }
    if (!st) {
        gnd_array *parts[2] = {gnd_T(low), gnd_T(gnd_conj(gnd_flip(high, GND_AXES(0, 1))))};
        const int64_t own = gndm__fft_extent(p, c->rank, 0), all = -1;
        gnd_array *z = gnd_concat(2, parts, 1);
        z = own ? gnd_slice(gnd_reshape(z, 1, &all), 0, 0, own)
                : gnd_zeros(c->dev, y->dtype, 1, &own);
        *out = gndm__array(c, y->dtype, p, z);
        st = gndm__check(c, *out);
    }
    free(want);
    gndm_part_free(p);
    return st;
}

/* --- any length ------------------------------------------------------------------------------- */

/* exp(-i pi k^2 / n), or exp(+i pi k^2 / n) if inverse, for ints k. */
static gnd_array *chirp(gndm_ctx *c, gnd_array *k, int64_t n, int inverse, gnd_dtype t)
{
    return roots(c, gnd_remainder(gnd_multiply(k, k), gnd_int(2 * n)), 2 * n, inverse, t);
}

/* The factor of a normalization. */
static double scale_of(const gndm__fft *f)
{
    const double n = (double)f->n;
    if (f->norm == GND_NORM_ORTHO)
        return 1 / sqrt(n);
    return (f->norm == GND_NORM_BACKWARD) == (f->inverse != 0) ? 1 / n : 1;
}

/* The indices of the elements in this rank's part of a vector. */
static gnd_array *indices(gndm_ctx *c, const gndm_part *p)
{
    const int64_t from = gndm__fft_start(p, c->rank, 0);
    return gnd_arange_i64(c->dev, from, from + gndm__fft_extent(p, c->rank, 0), 1, GND_INT64);
}

/* x times chirp times `by`, in dtype t. */
static gndm_array *chirped(gndm_ctx *c, gndm_array *x, const gndm__fft *f, gnd_dtype t, double by)
{
    gnd_array *y = gnd_multiply(x->local, chirp(c, indices(c, x->part), f->n, f->inverse, t));
    return gndm__array(c, t, x->part, by == 1 ? y : gnd_astype(gnd_mul_f(y, by), t));
}

static gnd_status bluestein(gndm_ctx *c, gndm_array *x, const gndm__fft *f, gnd_dtype t,
                            gndm_array **out)
{
    int64_t m1 = 1, m2 = 1;
    while (m1 * m2 < 2 * f->n - 1)
        *(m1 > m2 ? &m2 : &m1) *= 2;
    const gndm_array *like = x;
    gndm_array *a = NULL, *b = NULL;
    gndm__columns m = {.n = 0};
    /* truncate first: the transform uses only f->n elements */
    gnd_status st = GND_OK;
    if (x->part->shape[0] > f->n) {
        const gnd_range first = GND_SLICE(0, f->n);
        x = gndm_index(x, 1, &first);
        st = gndm__check(c, x);
    }
    if (!st)
        st = gndm__columns_fetch(c, chirped(c, x, f, t, 1), m1, m2, &m);
    if (!st)
        st = transform(c, like, &m, 0, 0, GND_NORM_BACKWARD, t, &b);
    if (!st)
        st = gndm__check(c, b = of_rows(c, b, 0, GND_NORM_BACKWARD));
    if (!st) { /* the other factor of the convolution; each rank computes its own columns */
        const int64_t from = gndm__fft_start(m.part, c->rank, 1),
                      n = gndm__fft_extent(m.part, c->rank, 1);
        gnd_array *j = gnd_mul_i(gnd_arange_i64(c->dev, 0, m1, 1, GND_INT64), m2);
        j = gnd_add(
            gnd_expand_dims(gnd_arange_i64(c->dev, from, from + n, 1, GND_INT64), GND_AXIS(1)), j);
        j = gnd_minimum(j, gnd_subtract(gnd_int(m1 * m2), j));
        gnd_array *used = gnd_less(j, gnd_int(f->n));
        gnd_array *w = chirp(c, gnd_minimum(j, gnd_int(f->n)), f->n, !f->inverse, t);
        gndm__columns other = {.part = m.part, .dtype = t, .lines = gnd_multiply(w, used)};
        st = transform(c, like, &other, 0, 0, GND_NORM_BACKWARD, t, &a);
    }
    if (!st)
        st = gndm__check(c, a = of_rows(c, a, 0, GND_NORM_BACKWARD));
    if (!st) { /* Y[k1, k2] has index k1 + m1 k2, so the transpose of Y is split by columns again */
        const int swapped[2] = {1, 0};
        const int64_t shape[2] = {m2, m1};
        gndm__columns both = {.part = gndm__part_axes(c, b->part, 2, shape, swapped),
                              .dtype = t,
                              .lines = gnd_multiply(a->local, b->local)};
        st = transform(c, like, &both, 0, 1, GND_NORM_BACKWARD, t, &b);
        gndm_part_free(both.part);
    }
    if (!st) {
        lines w = {.inverse = 1, .norm = GND_NORM_BACKWARD};
        st = gndm__fft_from_rows(c, like, b, f->n, some_rows, &w, &b);
    }
    gndm__columns_free(c, &m);
    if (!st)
        *out = chirped(c, b, f, t, scale_of(f));
    return st;
}

/* --- reals and complex numbers ---------------------------------------------------------------- */

/* Extends x, the first n/2 + 1 elements of a Hermitian vector, to all n: x[k] = conj(x[n - k]). */
static gnd_status hermitian(gndm_ctx *c, gndm_array *x, int64_t n, gndm_array **out)
{
    const int64_t half = n / 2 + 1;
    const size_t size = (size_t)c->size;
    gndm_part *p = gndm__fft_scaled(c, x, 1, &n, 0, 1);
    gndm__box *want = malloc(size * sizeof *want);
    int64_t *from = malloc(2 * size * sizeof *from), *to = from ? from + size : NULL;
    gnd_array *parts[2] = {NULL, NULL};
    gnd_status st = want && from && !p->status
                        ? GND_OK
                        : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int turn = 0; turn < 2 && !st; turn++) {
        for (int r = 0; r < c->size; r++) {
            const int64_t a = gndm__fft_start(p, r, 0), b = a + gndm__fft_extent(p, r, 0);
            const int64_t low = b < half ? b : half, high = a > half ? a : half;
            from[r] = turn ? n - b + 1 : a;
            to[r] = turn ? n - high + 1 : low;
            if (to[r] < from[r])
                to[r] = from[r] = 0;
        }
        st = gndm__fft_padded(c, x, from, to, want, &parts[turn]);
    }
    if (!st) {
        parts[1] = gnd_conj(gnd_flip(parts[1], GND_AXIS(0)));
        *out = gndm__array(c, x->dtype, p, gnd_concat(2, parts, 0));
        st = gndm__check(c, *out);
    }
    free(want);
    free(from);
    gndm_part_free(p);
    return st;
}

gnd_status gndm__fft_vector(gndm_ctx *c, gndm_array *x, const gndm__fft *f, gnd_dtype t,
                            gndm_array **out)
{
    const int64_t n = f->n, n1 = factor(n, x->part->grid[0]);
    const gndm_array *like = x;
    gndm_array *y = x;
    gnd_status st = f->real && f->inverse ? hermitian(c, x, n, &y) : GND_OK;
    if (!st && n1) {
        const int half = f->real && !f->inverse;
        lines w = {.inverse = f->inverse, .norm = f->norm};
        gndm__columns m = {.n = 0};
        st = gndm__columns_fetch(c, y, n1, n / n1, &m);
        if (!st)
            st = transform(c, like, &m, half, f->inverse, f->norm, t, &y);
        if (!st && half)
            st = mirrored(c, like, of_rows(c, y, 0, f->norm), n1, &y);
        else if (!st)
            st = gndm__fft_from_rows(c, like, y, n, some_rows, &w, &y);
        gndm__columns_free(c, &m);
    } else if (!st) {
        st = bluestein(c, y, f, t, &y);
        if (!st && f->real && !f->inverse) {
            const gnd_range first = GND_SLICE(0, n / 2 + 1);
            y = gndm_index(y, 1, &first);
            st = gndm__check(c, y);
        }
    }
    if (!st && f->real && f->inverse)
        y = gndm__call1(c, "real", y);
    *out = y;
    return st ? st : gndm__check(c, y);
}
