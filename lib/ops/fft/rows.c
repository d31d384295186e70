/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/fft/rows.c - transforms along the last axis that one kernel cannot do, composed of those that
 * it can. A long row is a matrix (Bailey's four steps: columns, roots, rows, transpose); a length
 * with a prime factor over 127 is a convolution (Bluestein) of a length without one, on CPUs rows
 * of short ones. The
 * multiplications by roots are elementwise and fuse with the reads of the next transform.
 */
#include "ops/fft/rows.h"

#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/view.h>

#include <string.h>
#include "array/views.h"
#include "prim/choices.h"
#include "prim/fft.h"
#include "device/device.h"
#include "graph/graph.h"

/* Many roots are composed from two tables: w^(TABLE a + b) = (w^TABLE)^a w^b. Up to DIRECT of them
 * cost less than the launches that make the tables. */
enum { TABLE = 4096, DIRECT = 1 << 17 };

/* exp(-2 pi i k/n), complex of dtype t, for int64 k in [0, n). */
static gnd_array *roots(gnd_array *k, int64_t n, gnd_dtype t)
{
    gnd__scalar v = {.kind = 'u', .u = (uint64_t)n};
    if (k->kind == GND__ERROR)
        return k;
    int wide = gnd__device_has_f64(k->dev);
    gnd_array *in[2] = {gnd_astype(k, GND_UINT64), gnd__const(k->dev, GND_UINT64, &v, 0)};
    for (int i = 0; i < 2; i++)
        if (in[i]->kind == GND__ERROR)
            return in[i];
    gnd_array *w = gnd__op_node(wide ? GND__FN_TWIDDLE64 : GND__FN_TWIDDLE32, k->dev,
                                wide ? GND_COMPLEX128 : GND_COMPLEX64, k->ndim, k->dim, 2, in);
    return gnd_astype(w, t);
}

static gnd_array *counted(gnd_device *dev, int64_t n)
{
    return gnd_arange(dev, gnd_int(0), gnd_int(n), gnd_int(1), GND_INT64);
}

/* x[(int64) idx]; idx has two axes and is in range. */
static gnd_array *looked_up(gnd_array *table, gnd_array *idx)
{
    gnd__gather how = {{-1}, {1}};
    if (table->kind == GND__ERROR || idx->kind == GND__ERROR)
        return table->kind == GND__ERROR ? table : idx;
    return gnd__take_node(table, 1, &idx, idx->ndim, idx->dim, &how);
}

gnd_array *gnd__fft_spins(gnd_array *k, int64_t n, gnd_dtype t)
{
    gnd_device *dev = k->dev;
    /* on a CPU looking up is no faster than computing, and each kernel saved saves a fifth of a
     * second of compilation */
    if (k->kind == GND__ERROR || k->size <= DIRECT || dev->g->props.kind == GND_DEV_CPU)
        return roots(k, n, t);
    if (n <= TABLE)
        return looked_up(roots(counted(dev, n), n, t), k);
    gnd_array *fine = roots(counted(dev, TABLE), n, t);
    gnd_array *coarse =
        roots(gnd_multiply(counted(dev, (n + TABLE - 1) / TABLE), gnd_int(TABLE)), n, t);
    return gnd_multiply(looked_up(coarse, gnd_bitwise_right_shift(k, gnd_int(12))),
                        looked_up(fine, gnd_bitwise_and(k, gnd_int(TABLE - 1))));
}

/* The elements of x at the positions idx of its last axis. */
static gnd_array *taken(gnd_array *x, gnd_array *idx)
{
    if (x->kind == GND__ERROR || idx->kind == GND__ERROR)
        return x->kind == GND__ERROR ? x : idx;
    return gnd__taken(x, idx, x->ndim - 1);
}

/* exp(-2 pi i jk/n) for j < rows, k < cols, where rows * cols = n; conjugated for an inverse
 * transform. */
static gnd_array *root_matrix(gnd_device *dev, int64_t rows, int64_t cols, gnd_dtype t, int inverse)
{
    int64_t col[2] = {rows, 1};
    gnd_array *jk = gnd_multiply(gnd_reshape(counted(dev, rows), 2, col), counted(dev, cols));
    gnd_array *w = gnd__fft_spins(jk, rows * cols, t);
    return inverse ? gnd_conj(w) : w;
}

/* Chooses how a long row is cut: the largest divisor of n up to `most` and up to sqrt(n). */
static int64_t cut(int64_t n, int64_t most)
{
    int64_t best = 1;
    for (int64_t d = 2; d <= most && d * d <= n; d++)
        if (n % d == 0)
            best = d;
    return best;
}

/* The part of n with prime factors that one kernel takes, if a convolution of the other part is one
 * kernel on a CPU: rows of it then cost less than a convolution of the whole. Otherwise 1. */
static int64_t smooth_part(const gnd_props *props, int64_t n, int64_t longest)
{
    int64_t s = 1, q = n;
    if (props->kind != GND_DEV_CPU)
        return 1;
    for (int64_t d = 2; d <= 127 && d <= q;)
        if (q % d)
            d++;
        else
            q /= d, s *= d;
    return s >= 4 && q > 1 && 4 * q <= longest ? s : 1;
}

static gnd_array *complex_rows(gnd_array *x, gnd_dtype t, int inverse, int64_t n, double scale,
                               int stored, gnd_array *at);

/* Transforms a row of n = n1 n2 as a matrix. */
static gnd_array *four_steps(gnd_array *x, gnd_dtype t, int inverse, int64_t n1, int64_t n2,
                             double scale, int stored)
{
    int64_t dim[GND_MAX_NDIM];
    int nd = x->ndim;
    if (x->kind == GND__ERROR)
        return x;
    if (nd >= GND_MAX_NDIM)
        return gnd__fail(x->dev, GND_ERR_UNSUPPORTED,
                         "fft: %d dimensions and rows of %lld elements: "
                         "at most %d dimensions",
                         nd, (long long)(n1 * n2), GND_MAX_NDIM - 1);
    memcpy(dim, x->dim, (size_t)nd * sizeof *dim);
    dim[nd - 1] = n1;
    dim[nd] = n2;
    gnd_array *a = gnd_swapaxes(gnd_reshape(stored ? gnd__stored(x) : x, nd + 1, dim), -1, -2);
    a = complex_rows(a, t, inverse, n1, 1, stored, NULL);
    a = gnd_multiply(a, root_matrix(x->dev, n2, n1, t, inverse));
    a = complex_rows(gnd_swapaxes(a, -1, -2), t, inverse, n2, scale, 0, NULL);
    return gnd_reshape(gnd_swapaxes(a, -1, -2), nd, x->dim);
}

/* The elements `at` of the last axis of x (order: of x in that order), of dtype t, where `in` is
 * true; 0 elsewhere. Where `in` is true they must be below n. */
static gnd_array *some(gnd_array *x, gnd__fft_order *order, gnd_dtype t, gnd_array *at, int64_t n,
                       gnd_array *in, gnd_array *times)
{
    gnd_array *place = gnd_minimum(at, gnd_int(n - 1));
    gnd_array *y = gnd_astype(taken(x, order ? order(place, n) : place), t);
    if (times)
        y = gnd_multiply(y, taken(times, place));
    return gnd_where(in, y, gnd_real(0));
}

/* On CPUs compiling a kernel costs as much as a pass over some 10^7 elements. Long transforms are
 * composed there so that few distinct kernels suffice, whose first stages read memory. */
static int few_kernels(const gnd_device *dev, gnd_dtype t, int64_t n)
{
    const gnd_props *props = &dev->g->props;
    return props->kind == GND_DEV_CPU && n > gnd__fft_longest(props, t);
}

int gnd__fft_few(const gnd_device *dev, int64_t n)
{
    return few_kernels(dev, GND_COMPLEX64, n);
}

/* The least of 2^i times 1, 9/8, 5/4 and 3/2 that is at least n. */
static int64_t smooth_from(int64_t n)
{
    static const int eighths[] = {8, 9, 10, 12};
    int64_t m = 1;
    for (int i = 0; m < n; i++)
        m = i < 12 ? (int64_t)1 << i / 4 : (int64_t)eighths[i % 4] << (i / 4 - 3);
    return m;
}

/* The side of a square of at least n elements, 2^i times 1, 5/4, 3/2 or 7/4. */
static int64_t side_of(int64_t n)
{
    int64_t s = 4;
    for (int i = 0; s * s < n; i++)
        s = (int64_t)(5 + i % 4) << i / 4;
    return s;
}

/* Transforms each row of z, given as squares z[j1][j2] of the elements j1 s + j2, to squares
 * X[k1][k2] of the elements k1 + s k2: four steps without the last one. turned: z[j2][j1], as it is
 * read. */
static gnd_array *square_of(gnd_array *turned, gnd_dtype t, int64_t s, gnd_array *w)
{
    gnd_array *a =
        turned->kind == GND__ERROR ? turned : gnd__fft_node(turned, t, GND_FFT_C2C, 0, 1, s, 1, 1);
    a = gnd_swapaxes(gnd_multiply(a, w), -1, -2);
    return a->kind == GND__ERROR ? a : gnd__fft_node(a, t, GND_FFT_C2C, 0, 1, s, 1, 0);
}

/* Bluestein's convolution in squares: the inverse transform reads the product of the transforms,
 * which have the same order, and the elements j of its result are taken. */
static gnd_array *convolved_squares(gnd_array *a, gnd_array *b, gnd_dtype t, int64_t s,
                                    gnd_array *j)
{
    int64_t dim[GND_MAX_NDIM];
    gnd_array *both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const int nd = both[i]->ndim;
        if (both[i]->kind == GND__ERROR)
            return both[i];
        memcpy(dim, both[i]->dim, (size_t)nd * sizeof *dim);
        dim[nd - 1] = dim[nd] = s;
        both[i] = gnd_swapaxes(gnd_reshape(both[i], nd + 1, dim), -1, -2);
    }
    gnd_array *w = root_matrix(a->dev, s, s, t, 0);
    gnd_array *y = gnd_conj(gnd_multiply(square_of(both[0], t, s, w), square_of(both[1], t, s, w)));
    y = square_of(y, t, s, w);
    if (y->kind == GND__ERROR)
        return y;
    /* element j1 + s j2 is at [j1][j2] */
    memcpy(dim, y->dim, (size_t)y->ndim * sizeof *dim);
    dim[y->ndim - 2] = s * s;
    gnd_array *at = gnd_add(gnd_multiply(gnd_remainder(j, gnd_int(s)), gnd_int(s)),
                            gnd_floor_divide(j, gnd_int(s)));
    return gnd_conj(taken(gnd_reshape(y, y->ndim - 1, dim), at));
}

/* Any n: jk = (j*j + k*k - (k - j)*(k - j)) / 2 turns it into a convolution with w[j] = exp(-pi i
 * j*j/n), by transforms of m elements. Both operands are gathers, which fuse with the transforms'
 * reads; on CPUs long ones are stored, in squares. Inverse transforms are conjugated before and
 * after. at: as in complex_rows. */
static gnd_array *bluestein(gnd_array *x, gnd__fft_order *order, gnd_dtype t, int inverse,
                            int64_t n, double scale, gnd_array *at)
{
    const gnd_props *props = &x->dev->g->props;
    const int64_t longest = gnd__fft_longest(props, t), side = side_of(2 * n - 1);
    int64_t m = smooth_from(2 * n - 1);
    const int few = few_kernels(x->dev, t, m),
              squares = few && side <= longest && x->ndim < GND_MAX_NDIM;
    m = squares ? side * side : m;
    gnd_array *j = counted(x->dev, n), *i = counted(x->dev, m);
    gnd_array *w = roots(gnd_remainder(gnd_multiply(j, j), gnd_int(2 * n)), 2 * n, t);
    if (inverse)
        w = gnd_conj(w);
    /* distance from 0 in either direction */
    gnd_array *far = gnd_minimum(i, gnd_subtract(gnd_int(m), i));
    gnd_array *b = gnd_conj(some(w, NULL, t, far, n, gnd_less(far, gnd_int(n)), NULL));
    gnd_array *a = some(x, order, t, i, n, gnd_less(i, gnd_int(n)), w);
    if (squares) {
        a = convolved_squares(a, b, t, side, at ? at : j);
    } else {
        a = gnd_multiply(complex_rows(a, t, 0, m, 1, few, NULL),
                         complex_rows(b, t, 0, m, 1, few, NULL));
        a = few ? gnd_conj(complex_rows(gnd_conj(a), t, 0, m, 1, 1, NULL))
                : complex_rows(a, t, 1, m, 1.0 / (double)m, 0, NULL);
        a = a->kind == GND__ERROR ? a : gnd__slice(a, a->ndim - 1, 0, n);
    }
    a = gnd_multiply(a, squares && at ? taken(w, at) : w);
    scale = few ? scale / (double)m : scale;
    a = scale == 1 ? a : gnd_multiply(a, gnd_real(scale));
    return at && !squares ? taken(a, at) : a;
}

/* stored: the first transform must read memory. at: NULL, or 1-d: only those elements of each row
 * of the result, which a transform that gathers anyway computes where they are needed. */
static gnd_array *complex_rows(gnd_array *x, gnd_dtype t, int inverse, int64_t n, double scale,
                               int stored, gnd_array *at)
{
    const gnd_props *props;
    int64_t longest, n1;
    if (x->kind == GND__ERROR)
        return x;
    props = &x->dev->g->props;
    longest = gnd__fft_longest(props, t);
    if (gnd__fft_library(x->dev, t, 1) ||
        gnd__fft_direct(props, gnd__for_cpu(x->dev), t, GND_FFT_C2C, n)) {
        x = gnd_astype(x, t);
        x = x->kind == GND__ERROR ? x
                                  : gnd__fft_node(x, t, GND_FFT_C2C, inverse, 1, n, scale, stored);
        return at ? taken(x, at) : x;
    }
    n1 = gnd__fft_smooth(n)       ? cut(n, longest)
         : x->ndim < GND_MAX_NDIM ? smooth_part(props, n, longest)
                                  : 1;
    if (n1 == 1)
        return bluestein(x, NULL, t, inverse, n, scale, at);
    x = gnd_astype(x, t);
    if (inverse && few_kernels(x->dev, t, n))
        x = gnd_conj(four_steps(gnd_conj(x), t, 0, n1, n / n1, scale, stored));
    else
        x = four_steps(x, t, inverse, n1, n / n1, scale, stored);
    return at ? taken(x, at) : x;
}

/* --- transforms of an even number of reals, by one of half as many complex numbers ------------ */

gnd_array *gnd__fft_paired(gnd_array *re, gnd_array *im, gnd_dtype t)
{
    gnd_array *in[2] = {re, im};
    if (re->kind == GND__ERROR || im->kind == GND__ERROR)
        return re->kind == GND__ERROR ? re : im;
    return gnd__op_node(GND__FN_COMPLEX, re->dev, t, re->ndim, re->dim, 2, in);
}

/* i z times s. */
static gnd_array *turned(gnd_array *z, gnd_dtype t, double s)
{
    return gnd__fft_paired(gnd_multiply(gnd_imag_part(z), gnd_real(-s)),
                           gnd_multiply(gnd_real_part(z), gnd_real(s)), t);
}

/* Every second element of the last axis, from `first` on. */
static gnd_array *every_other(gnd_array *x, int64_t first)
{
    int64_t dim[GND_MAX_NDIM];
    int last = x->ndim - 1;
    gnd__map m;
    memcpy(dim, x->dim, x->ndim * sizeof *dim);
    dim[last] /= 2;
    gnd__map_identity(&m, x->ndim);
    m.start[last] = first;
    m.step[last] = 2;
    return gnd__viewed(x, x->ndim, dim, &m);
}

/* z = x[2j] + i x[2j + 1], Z its transform, h = n/2: the even elements have (Z[k] + conj Z[h - k])
 * / 2, the odd ones -i/2 (Z[k] - conj Z[h - k]); x has the former plus w^k times the latter, k = 0
 * .. h. */
static gnd_array *half_r2c(gnd_array *x, gnd_dtype t, int inverse, int64_t n, double scale)
{
    int64_t h = n / 2;
    const int few = few_kernels(x->dev, t, h);
    gnd_array *z = complex_rows(gnd__fft_paired(every_other(x, 0), every_other(x, 1), t), t,
                                inverse, h, scale, few, NULL);
    gnd_array *k = counted(x->dev, h + 1), *w = gnd__fft_spins(k, n, t);
    gnd_array *a = taken(z, gnd_where(gnd_equal(k, gnd_int(h)), gnd_int(0), k));
    gnd_array *b = gnd_conj(
        taken(z, gnd_where(gnd_equal(k, gnd_int(0)), gnd_int(0), gnd_subtract(gnd_int(h), k))));
    return gnd_add(gnd_multiply(gnd_add(a, b), gnd_real(0.5)),
                   gnd_multiply(turned(gnd_subtract(a, b), t, -0.5), inverse ? gnd_conj(w) : w));
}

/* z with the first element of its last axis made real. */
static gnd_array *real_first(gnd_array *z, gnd_array *k, gnd_dtype t)
{
    return gnd__fft_paired(gnd_real_part(z),
                           gnd_where(gnd_equal(k, gnd_int(0)), gnd_real(0), gnd_imag_part(z)), t);
}

/* The reverse: (x[k] + conj x[h - k]) + i w^-k (x[k] - conj x[h - k]). With few kernels: a forward
 * transform of conjugates. */
static gnd_array *half_c2r(gnd_array *x, gnd_dtype t, int inverse, int64_t n, double scale)
{
    const int last = x->ndim - 1;
    int64_t h = n / 2, dim[GND_MAX_NDIM];
    const int few = few_kernels(x->dev, t, h), turn = few && inverse;
    gnd_array *k = counted(x->dev, h);
    gnd_array *w =
        gnd__fft_spins(gnd_add(gnd_multiply(k, gnd_int(4)), gnd_int(n)), 4 * n, t); /* -i w^k */
    gnd_array *a = real_first(gnd__slice(x, last, 0, h), k, t);
    gnd_array *b = gnd_conj(real_first(gnd_flip(gnd__slice(x, last, 1, h), GND_AXIS(-1)), k, t));
    gnd_array *odd =
        gnd_multiply(inverse ? gnd_subtract(a, b) : gnd_subtract(b, a), inverse ? gnd_conj(w) : w);
    gnd_array *z = gnd_add(gnd_add(a, b), odd);
    gnd_array *j = counted(x->dev, n);
    z = complex_rows(turn ? gnd_conj(z) : z, t, turn ? 0 : inverse, h, scale, few,
                     few ? gnd_bitwise_right_shift(j, gnd_int(1)) : NULL);
    if (few) {
        gnd_array *even = gnd_equal(gnd_bitwise_and(j, gnd_int(1)), gnd_int(0));
        return gnd_where(even, gnd_real_part(z),
                         turn ? gnd_negative(gnd_imag_part(z)) : gnd_imag_part(z));
    }
    gnd_array *part[2] = {gnd_real_part(z), gnd_imag_part(z)};
    memcpy(dim, x->dim, x->ndim * sizeof *dim);
    dim[last] = n;
    return gnd_reshape(gnd_stack(2, part, -1), x->ndim, dim);
}

gnd_array *gnd__fft_rows(gnd_array *x, gnd_dtype t, int kind, int inverse, int64_t n, double scale)
{
    int last = x->ndim - 1;
    int direct = gnd__fft_library(x->dev, t, 1) ||
                 gnd__fft_direct(&x->dev->g->props, gnd__for_cpu(x->dev), t, kind, n);
    if (kind == GND_FFT_C2C)
        return complex_rows(x, t, inverse, n, scale, 0, NULL);
    if (direct)
        return gnd__fft_node(x, t, kind, inverse, 1, n, scale, 0);
    if (n % 2 == 0 && x->ndim < GND_MAX_NDIM)
        return (kind == GND_FFT_R2C ? half_r2c : half_c2r)(x, t, inverse, n, scale);
    if (kind == GND_FFT_R2C)
        return gnd__slice(complex_rows(x, t, inverse, n, scale, 0, NULL), last, 0, n / 2 + 1);
    /* the other half: conjugates, reversed; invalid imaginary parts of the first (and the middle)
     * element vanish with the real part of the result */
    int64_t half = n / 2 + 1, rest = n - half;
    gnd_array *part[2] = {
        x, gnd_conj(gnd_flip(gnd__slice(x, last, 1, rest > 0 ? rest : 0), GND_AXIS(-1)))};
    return gnd_real_part(complex_rows(gnd_concat(2, part, -1), t, inverse, n, scale, 0, NULL));
}

gnd_array *gnd__fft_some(gnd_array *x, gnd__fft_order *order, gnd_dtype t, int64_t n, double scale,
                         gnd_array *at)
{
    if (n % 2 == 1 && few_kernels(x->dev, t, n) && !gnd__fft_smooth(n) &&
        !gnd__fft_library(x->dev, t, 1))
        return bluestein(x, order, t, 0, n, scale, at); /* gathers before and after */
    gnd_array *y = taken(x, order(counted(x->dev, n), n));
    return y->kind == GND__ERROR ? y : taken(gnd__fft_rows(y, t, GND_FFT_R2C, 0, n, scale), at);
}
