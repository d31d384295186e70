/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fft_vector.c - the Fourier transform of a vector that is cut over the ranks (Bailey: FFTs in
 * external or hierarchical memory, 1990). With n = n1 n2, X[j1, j2] = x[j1 n2 + j2]:
 *
 *     Y[k1, k2] = sum over j2 of w_n^(j2 k1) w_n2^(j2 k2) (sum over j1 of X[j1, j2] w_n1^(j1 k1))
 *     y[k1 + n1 k2] = Y[k1, k2]
 *
 * so ranks transform columns, multiply by w_n^(j2 k1), transform rows, and the mover transposes
 * before, between and after. Pieces are sent in the order in which they are used next, so all lines
 * are contiguous where they are transformed. Reals need only the rows k1 <= n1/2: the others are
 * mirrored. A length without two factors that give every rank a line is transformed by a
 * convolution of a length that is a power of two (Bluestein, 1970).
 */
#include "fft.h"

#include <math.h>
#include <string.h>

/* Below this length every rank transforms the whole vector. */
enum { SHORT = 1 << 14 };
/* Bluestein's factors need squares of indices in int64, so lengths must be below this limit. */
static const int64_t LONG_CHIRP = INT64_C(1) << 31;

/* --- layouts ---------------------------------------------------------------------------------- */

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

/* A partition of shape with axis d split in proportion to the cuts of the vector x. Each cut is a
 * multiple of `unit`, but at most the extent. */
static gndm_part *scaled(gndm_ctx *c, const gndm_array *x, int ndim, const int64_t *shape, int d,
                         int64_t unit)
{
    const gndm_part *p = x->part;
    const int places = p->grid[0];
    const int64_t lines = unit > 1 ? (shape[d] + unit - 1) / unit : shape[d];
    gndm_part *y = gndm__part_new(c, ndim, shape);
    int64_t *cut = malloc(((size_t)places + 1) * sizeof *cut);
    if (!cut) {
        gndm_part_free(y);
        return gndm__part_fail(GND_ERR_NOMEM, "out of host memory");
    }
    for (int k = 0; k <= places; k++) {
        const double part =
            p->shape[0] ? (double)p->cut[0][k] / (double)p->shape[0] : (double)k / (double)places;
        const int64_t at = (int64_t)floor(part * (double)lines + 0.5) * unit;
        cut[k] = k == places || at > shape[d] ? shape[d] : at;
    }
    gndm__part_split(y, d, places, p->stride[0], cut);
    free(cut);
    return y;
}

static int64_t start_of(const gndm_part *p, int rank, int d)
{
    gndm__box b;
    gndm__part_box(p, rank, &b);
    return b.start[d];
}

static int64_t extent_of(const gndm_part *p, int rank, int d)
{
    gndm__box b;
    gndm__part_box(p, rank, &b);
    return b.stop[d] - b.start[d];
}

/* Fetches the interval from[r] .. to[r] - 1 of the vector x on each rank r, with zeros beyond its
 * end. want is scratch memory for one box per rank. */
static gnd_status padded(gndm_ctx *c, gndm_array *x, const int64_t *from, const int64_t *to,
                         gndm__box *want, gnd_array **out)
{
    const int64_t n = x->part->shape[0];
    for (int r = 0; r < c->size; r++) {
        want[r].start[0] = from[r] < n ? from[r] : n;
        want[r].stop[0] = to[r] < n ? to[r] : n;
        if (want[r].stop[0] < want[r].start[0])
            want[r].stop[0] = want[r].start[0];
    }
    const gndm__box *b = &want[c->rank];
    const gnd_status st = gndm__fetch(c, x, want, out);
    const int64_t lack = to[c->rank] - from[c->rank] - (b->stop[0] - b->start[0]);
    if (!st && lack > 0) {
        gnd_array *parts[2] = {*out, gnd_zeros(c->dev, x->dtype, 1, &lack)};
        *out = gnd_concat(2, parts, 0);
    }
    return st;
}

/* This rank's part of the matrix y in partition `to`, transposed: its columns are contiguous. */
static gnd_status columns_of(gndm_ctx *c, gndm_array *y, const gndm_part *to, gnd_array **out)
{
    const int swapped[2] = {1, 0};
    const int64_t shape[2] = {to->shape[1], to->shape[0]};
    gndm_part *from = gndm__part_axes(c, y->part, 2, shape, swapped);
    gndm_part *turned = gndm__part_axes(c, to, 2, shape, swapped);
    gnd_eval_all(1, &y->local); /* else transposing would copy it; a failure stays in the array */
    gndm_array *z = gndm__moved(c, gndm__array(c, y->dtype, from, gnd_T(y->local)), turned);
    const gnd_status st = gndm__check(c, z);
    if (!st)
        *out = z->local;
    gndm_part_free(from);
    gndm_part_free(turned);
    return st;
}

/* Converts the vector x to the matrix (n1, n2), with whole columns on each rank. */
static gnd_status to_columns(gndm_ctx *c, gndm_array *x, int64_t n1, int64_t n2, gndm_array **out)
{
    const int64_t shape[2] = {n1, n2};
    const size_t size = (size_t)c->size;
    gndm_part *rows = scaled(c, x, 2, shape, 0, 1), *columns = scaled(c, x, 2, shape, 1, 1);
    gndm__box *want = malloc(size * sizeof *want);
    int64_t *from = malloc(2 * size * sizeof *from);
    gnd_array *local = NULL;
    gnd_status st = want && from && !rows->status && !columns->status
                        ? GND_OK
                        : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int r = 0; r < c->size && !st; r++) {
        from[r] = start_of(rows, r, 0) * n2;
        from[size + (size_t)r] = from[r] + extent_of(rows, r, 0) * n2;
    }
    if (!st)
        st = padded(c, x, from, from + size, want, &local);
    if (!st) {
        const int64_t dim[2] = {extent_of(rows, c->rank, 0), n2};
        gndm_array *y = gndm__array(c, x->dtype, rows, gnd_reshape(local, 2, dim));
        st = gndm__check(c, y);
        if (!st)
            st = columns_of(c, y, columns, &local);
    }
    if (!st) {
        *out = gndm__array(c, x->dtype, columns, gnd_T(local));
        st = gndm__check(c, *out);
    }
    gndm_part_free(rows);
    gndm_part_free(columns);
    free(want);
    free(from);
    return st;
}

/* Converts the matrix y (n1, n2), with whole rows on each rank, to the vector of its columns; keeps
 * its first `keep` elements. */
static gnd_status from_rows(gndm_ctx *c, const gndm_array *like, gndm_array *y, int64_t keep,
                            gndm_array **out)
{
    const int64_t *shape = y->part->shape, n1 = shape[0], total = n1 * shape[1];
    gndm_part *columns = scaled(c, like, 2, shape, 1, 1), *line = scaled(c, like, 1, &total, 0, n1);
    gndm_array *z = NULL;
    gnd_array *local = NULL;
    gnd_status st = columns->status ? gndm__broken(c, columns->status, "%s: %s", c->func,
                                                   gndm_part_error(columns))
                                    : columns_of(c, y, columns, &local);
    if (!st) {
        const int64_t n = n1 * extent_of(columns, c->rank, 1);
        z = gndm__array(c, y->dtype, line, gnd_reshape(local, 1, &n));
        st = gndm__check(c, z);
    }
    gndm_part_free(line);
    gndm_part_free(columns);
    if (!st && keep < total) {
        gndm_part *p = scaled(c, like, 1, &keep, 0, 1);
        gndm__box *want = malloc((size_t)c->size * sizeof *want);
        st = want && !p->status ? GND_OK
                                : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
        for (int r = 0; r < c->size && !st; r++)
            gndm__part_box(p, r, &want[r]);
        if (!st)
            st = gndm__fetch(c, z, want, &local);
        if (!st)
            z = gndm__array(c, y->dtype, p, local);
        free(want);
        gndm_part_free(p);
    }
    *out = z;
    return st ? st : gndm__check(c, z);
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

/* From x (n1, n2), split by columns, to Y, split by rows. half: x is real, and only rows k1 <= n1/2
 * of Y are computed. */
static gnd_status transform(gndm_ctx *c, const gndm_array *like, gndm_array *x, int half,
                            int inverse, gnd_norm norm, gnd_dtype t, gndm_array **out)
{
    const int64_t n1 = x->part->shape[0], n2 = x->part->shape[1];
    const int64_t shape[2] = {half ? n1 / 2 + 1 : n1, n2};
    const int64_t count = extent_of(x->part, c->rank, 1), first = start_of(x->part, c->rank, 1);
    gnd_array *y = x->local;
    if (!gnd_status_of(y)) { /* along contiguous columns */
        y = gnd_T(y);
        y = half      ? gnd_rfft(y, GND_FFT_FULL, 1, norm)
            : inverse ? gnd_ifft(y, GND_FFT_FULL, 1, norm)
                      : gnd_fft(y, GND_FFT_FULL, 1, norm);
        if (count > 0)
            y = gnd_multiply(y, twiddles(c, shape[0], first, count, n1 * n2, inverse, t));
        gnd_eval_all(1, &y);
        y = gnd_T(y);
    }
    const int whole[2] = {-1, 1};
    gndm_part *columns = gndm__part_axes(c, x->part, 2, shape, whole);
    gndm_part *rows = scaled(c, like, 2, shape, 0, 1);
    gndm_array *z = gndm__moved(c, gndm__array(c, t, columns, y), rows);
    const gnd_status st = gndm__check(c, z);
    if (!st)
        z = gndm__array(c, t, rows,
                        inverse ? gnd_ifft(z->local, GND_FFT_FULL, 1, norm)
                                : gnd_fft(z->local, GND_FFT_FULL, 1, norm));
    gndm_part_free(columns);
    gndm_part_free(rows);
    *out = z;
    return st;
}

/* The first n/2 + 1 elements of the transform of n reals, from the rows k1 <= n1/2 of Y:
 * y[k1 + n1 k2] = conj(Y[n1 - k1, n2 - 1 - k2]) for the other k1. */
static gnd_status mirrored(gndm_ctx *c, const gndm_array *like, gndm_array *y, int64_t n1,
                           gndm_array **out)
{
    const int64_t n2 = y->part->shape[1], keep = n1 * n2 / 2 + 1, half = n1 / 2 + 1;
    gndm_part *p = scaled(c, like, 1, &keep, 0, n1);
    gndm__box *want = malloc((size_t)c->size * sizeof *want);
    gnd_array *low = NULL, *high = NULL;
    gnd_status st = want && !p->status
                        ? GND_OK
                        : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int turn = 0; turn < 2 && !st; turn++) {
        for (int r = 0; r < c->size;
             r++) { /* the columns k2 = a .. b - 1 hold the part of rank r */
            const int64_t from = start_of(p, r, 0), n = extent_of(p, r, 0);
            const int64_t a = from / n1, b = n ? (from + n + n1 - 1) / n1 : a;
            want[r] = turn ? (gndm__box){.start = {1, n2 - b}, .stop = {n1 - half + 1, n2 - a}}
                           : (gndm__box){.start = {0, a}, .stop = {half, b}};
        }
        st = gndm__fetch(c, y, want, turn ? &high : &low);
    }
    if (!st) {
        gnd_array *parts[2] = {gnd_T(low), gnd_T(gnd_conj(gnd_flip(high, GND_AXES(0, 1))))};
        const int64_t own = extent_of(p, c->rank, 0), all = -1;
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
    const int64_t from = start_of(p, c->rank, 0);
    return gnd_arange_i64(c->dev, from, from + extent_of(p, c->rank, 0), 1, GND_INT64);
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
    /* truncate first: the transform uses only f->n elements */
    gnd_status st = GND_OK;
    if (x->part->shape[0] > f->n) {
        const gnd_range first = GND_SLICE(0, f->n);
        x = gndm_index(x, 1, &first);
        st = gndm__check(c, x);
    }
    if (!st)
        st = to_columns(c, chirped(c, x, f, t, 1), m1, m2, &a);
    if (!st)
        st = transform(c, like, a, 0, 0, GND_NORM_BACKWARD, t, &b);
    if (!st) { /* the other factor of the convolution; each rank computes its own columns */
        const int64_t from = start_of(a->part, c->rank, 1), n = extent_of(a->part, c->rank, 1);
        gnd_array *j = gnd_mul_i(gnd_arange_i64(c->dev, 0, m1, 1, GND_INT64), m2);
        j = gnd_add(gnd_expand_dims(j, GND_AXIS(1)),
                    gnd_arange_i64(c->dev, from, from + n, 1, GND_INT64));
        j = gnd_minimum(j, gnd_subtract(gnd_int(m1 * m2), j));
        gnd_array *used = gnd_less(j, gnd_int(f->n));
        gnd_array *w = chirp(c, gnd_minimum(j, gnd_int(f->n)), f->n, !f->inverse, t);
        a = gndm__array(c, t, a->part, gnd_multiply(w, used));
        st = transform(c, like, a, 0, 0, GND_NORM_BACKWARD, t, &a);
    }
    if (!st) { /* Y[k1, k2] has index k1 + m1 k2, so the transpose of Y is split by columns again */
        const int swapped[2] = {1, 0};
        const int64_t shape[2] = {m2, m1};
        gndm_part *turned = gndm__part_axes(c, b->part, 2, shape, swapped);
        b = gndm__array(c, t, turned, gnd_T(gnd_multiply(a->local, b->local)));
        gndm_part_free(turned);
        st = transform(c, like, b, 0, 1, GND_NORM_BACKWARD, t, &b);
    }
    if (!st)
        st = from_rows(c, like, b, f->n, &b);
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
    gndm_part *p = scaled(c, x, 1, &n, 0, 1);
    gndm__box *want = malloc(size * sizeof *want);
    int64_t *from = malloc(2 * size * sizeof *from), *to = from ? from + size : NULL;
    gnd_array *parts[2] = {NULL, NULL};
    gnd_status st = want && from && !p->status
                        ? GND_OK
                        : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int turn = 0; turn < 2 && !st; turn++) {
        for (int r = 0; r < c->size; r++) {
            const int64_t a = start_of(p, r, 0), b = a + extent_of(p, r, 0);
            const int64_t low = b < half ? b : half, high = a > half ? a : half;
            from[r] = turn ? n - b + 1 : a;
            to[r] = turn ? n - high + 1 : low;
            if (to[r] < from[r])
                to[r] = from[r] = 0;
        }
        st = padded(c, x, from, to, want, &parts[turn]);
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
        st = to_columns(c, y, n1, n / n1, &y);
        if (!st)
            st = transform(c, like, y, half, f->inverse, f->norm, t, &y);
        if (!st)
            st = half ? mirrored(c, like, y, n1, &y) : from_rows(c, like, y, n, &y);
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
