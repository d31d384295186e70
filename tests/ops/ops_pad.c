/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_pad.c - gnd_pad against the host. Where elements only move, every dtype, and the index is
 * found by walking back and forth; where they are computed, axis by axis on a host array of doubles
 * that holds small whole numbers, so that results are exact but for means and ramps of floats.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

static gnd_device *dev;

/* --- elements that move ----------------------------------------------------------------------- */

enum { CONSTANT, EDGE, REFLECT, SYMMETRIC, WRAP, NMOVES };
static const char *const move_name[] = {"constant", "edge", "reflect", "symmetric", "wrap"};

/* Where element j of an axis of n comes from, when j is outside. */
static int64_t walked(int64_t j, int64_t n, int how)
{
    while (j < 0 || j >= n) {
        int below = j < 0;
        if (how == EDGE || n == 1)
            j = below ? 0 : n - 1;
        else if (how == WRAP)
            j += below ? n : -n;
        else if (how == REFLECT)
            j = below ? -j : 2 * (n - 1) - j;
        else
            j = below ? -1 - j : 2 * n - 1 - j;
    }
    return j;
}

static void moves(gnd_dtype t, int how, int ndim)
{
    int64_t dim[3], out[3], width[6];
    unsigned char value[6][16] = {{0}};
    gnd_array *values[6];
    gnd_pad_options opt = {0};
    char why[300];
    ref_arr h, got;
    for (int d = 0; d < ndim; d++) {
        dim[d] = ref_range(1, 5);
        for (int i = 0; i < 2; i++) {
            width[2 * d + i] = ref_rnd() % 4 ? ref_range(0, 2 * dim[d] + 3) : 0;
            int64_t v = ref_range(1, 99);
            values[2 * d + i] = gnd_int(v);
            ref_put(t, value[2 * d + i], ref_int(v));
        }
        out[d] = dim[d] + width[2 * d] + width[2 * d + 1];
    }
    opt.values = how == CONSTANT && ref_rnd() % 4 ? values : NULL;
    gnd_array *x =
        ref_make(dev, t, ndim, dim, (ref_layout)(ref_rnd() % REF_NLAYOUTS), REF_REAL, &h);
    gnd_array *y = gnd_pad(x, width, move_name[how], &opt);
    int ok = ref_read(y, t, ndim, out, &got, why, sizeof why);
    int64_t bad = -1;
    for (int64_t i = 0; ok && bad < 0 && i < ref_size(&got); i++) {
        int64_t at[3], from[3];
        int side = -1;
        ref_unravel(ndim, out, i, at);
        for (int d = 0; d < ndim; d++) {
            from[d] = at[d] - width[2 * d];
            if (how == CONSTANT && from[d] < 0)
                side = 2 * d; /* the last axis outside decides */
            else if (how == CONSTANT && from[d] >= dim[d])
                side = 2 * d + 1;
            else
                from[d] = walked(from[d], dim[d], how);
        }
        const void *want = side < 0     ? ref_at(&h, from)
                           : opt.values ? value[side]
                                        : (unsigned char[16]){0};
        if (memcmp(ref_at(&got, at), want, gnd_dtype_size(t)) != 0)
            bad = i;
    }
    if (!tap_ok(ok && bad < 0, "%s, %d dimensions of %s", move_name[how], ndim, gnd_dtype_name(t)))
        tap_diag("%s: element %" PRId64, ok ? "another value" : why, bad);
    if (ok)
        ref_free(&got);
    ref_free(&h);
}

/* Large arrays are joins of views; what has short rows or is padded by much, gathers. */
static void large(int how)
{
    const int64_t dim[2] = {300, 260}, width[2][4] = {{3, 0, 7, 11}, {0, 5, 0, 0}};
    ref_arr h;
    gnd_array *x = ref_make(dev, GND_INT32, 2, dim, REF_CONTIG, REF_REAL, &h);
    for (int k = 0; k < 2; k++) {
        const int64_t out[2] = {dim[0] + width[k][0] + width[k][1],
                                dim[1] + width[k][2] + width[k][3]};
        char why[300];
        ref_arr got;
        int64_t bad = -1;
        int ok = ref_read(gnd_pad(x, width[k], move_name[how], NULL), GND_INT32, 2, out, &got, why,
                          sizeof why);
        for (int64_t i = 0; ok && bad < 0 && i < out[0] * out[1]; i++) {
            const int64_t at[2] = {i / out[1], i % out[1]};
            const int64_t from[2] = {walked(at[0] - width[k][0], dim[0], how),
                                     walked(at[1] - width[k][2], dim[1], how)};
            if (memcmp(ref_at(&got, at), ref_at(&h, from), 4) != 0)
                bad = i;
        }
        if (!tap_ok(ok && bad < 0, "%s of a large array, %d", move_name[how], k))
            tap_diag("%s: element %" PRId64, ok ? "another value" : why, bad);
        if (ok)
            ref_free(&got);
    }
    ref_free(&h);
}

static void test_moves(void)
{
    for (int how = EDGE; how < NMOVES; how++)
        large(how);
    /* Every dtype with constants and one other mode: the kernels are the same for all of those. */
    for (int t = 0; t < GND_NDTYPES; t++)
        for (int how = 0; how < NMOVES && !(how == 0 && ref_skip(dev, (gnd_dtype)t, 2)); how++)
            if (!how || t % 4 + 1 == how || t == GND_INT32)
                moves((gnd_dtype)t, how, (t + how) % 3 + 1);
}

/* --- elements that are computed --------------------------------------------------------------- */

typedef struct host {
    int ndim;
    int64_t dim[3];
    double v[20000];
} host;

static int64_t size_of(const host *h)
{
    int64_t n = 1;
    for (int d = 0; d < h->ndim; d++)
        n *= h->dim[d];
    return n;
}

enum { LINE_MAX_N = 4, LINE_MIN, LINE_MEAN, LINE_MEDIAN, LINE_RAMP, LINE_REFLECT, LINE_SYMMETRIC };
static const char *const line_name[] = {
    "", "", "", "", "maximum", "minimum", "mean", "median", "linear_ramp", "reflect", "symmetric"};

/* 2 * edge - what is reflected, again and again. */
static double odd(const double *v, int64_t n, int64_t j, int how)
{
    int64_t skip = how == LINE_REFLECT;
    if (n == 1)
        return v[0];
    if (j < 0)
        return 2 * v[0] - odd(v, n, skip ? -j : -1 - j, how);
    if (j >= n)
        return 2 * v[n - 1] - odd(v, n, skip ? 2 * (n - 1) - j : 2 * n - 1 - j, how);
    return v[j];
}

/* The mean of the elements with as many below as above. */
static double median(const double *v, int64_t n)
{
    double s = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t less = 0, same = 0;
        for (int64_t j = 0; j < n; j++) {
            less += v[j] < v[i];
            same += v[j] == v[i];
        }
        for (int64_t k = (n - 1) / 2; k <= n / 2; k++)
            if (less <= k && k < less + same) {
                s += v[i] / (double)same;
                count++;
            }
    }
    return count ? s / (double)(2 - n % 2) : 0;
}

static double stat(const double *v, int64_t n, int how, int whole)
{
    double s = v[0];
    if (how == LINE_MEDIAN)
        return whole ? nearbyint(median(v, n)) : median(v, n);
    for (int64_t i = 1; i < n; i++)
        s = how == LINE_MAX_N ? fmax(s, v[i]) : how == LINE_MIN ? fmin(s, v[i]) : s + v[i];
    s = how == LINE_MEAN ? s / (double)n : s;
    return how == LINE_MEAN && whole ? nearbyint(s) : s;
}

/* One line of n elements with before and after. */
static void pad_line(const double *v, int64_t n, double *out, int64_t before, int64_t after,
                     int how, const int64_t *length, const double *end, int whole)
{
    for (int64_t p = 0; p < before + n + after; p++) {
        int64_t j = p - before;
        int right = j >= n;
        if (j >= 0 && j < n) {
            out[p] = v[j];
        } else if (how >= LINE_REFLECT) {
            out[p] = odd(v, n, j, how);
        } else if (how == LINE_RAMP) {
            int64_t count = right ? after : before, i = right ? before + n + after - 1 - p : p;
            out[p] = end[right] + (double)i * ((v[right ? n - 1 : 0] - end[right]) / (double)count);
            out[p] = whole ? floor(out[p]) : out[p];
        } else {
            int64_t len = length && length[right] < n ? length[right] : n;
            out[p] = stat(right ? v + n - len : v, len, how, whole);
        }
    }
}

static void pad_axis(host *h, int k, int64_t before, int64_t after, int how, const int64_t *length,
                     const double *end, int whole)
{
    static host old;
    int64_t n = h->dim[k], inner = 1, outer = 1;
    old = *h;
    for (int d = 0; d < h->ndim; d++)
        *(d < k ? &outer : &inner) *= d == k ? 1 : h->dim[d];
    h->dim[k] += before + after;
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            double line[600], out[600];
            for (int64_t j = 0; j < n; j++)
                line[j] = old.v[(o * n + j) * inner + i];
            pad_line(line, n, out, before, after, how, length, end, whole);
            for (int64_t j = 0; j < h->dim[k]; j++)
                h->v[(o * h->dim[k] + j) * inner + i] = out[j];
        }
}

static void computed(gnd_dtype t, int how, int ndim, int wide)
{
    static host h;
    int64_t width[6], length[6];
    double ends[6], in[6];
    gnd_array *values[6];
    int whole = gnd_dtype_kind(t) == 'i' || gnd_dtype_kind(t) == 'u';
    char why[300];
    ref_arr got;
    h.ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        h.dim[d] = ref_range(1, wide ? 4 : 6);
        for (int i = 0; i < 2; i++) {
            width[2 * d + i] = ref_rnd() % 5 ? ref_range(0, wide ? 20 : 7) : 0;
            length[2 * d + i] = ref_range(1, 7);
            ends[2 * d + i] = (double)ref_range(0, 9);
            values[2 * d + i] = gnd_real(ends[2 * d + i]);
        }
    }
    int64_t n = size_of(&h);
    for (int64_t i = 0; i < n; i++)
        h.v[i] = (double)ref_range(0, 9);
    ref_arr data = ref_new(t, ndim, h.dim);
    for (int64_t i = 0; i < n; i++)
        ref_put(t, data.p + (size_t)i * gnd_dtype_size(t), ref_float((long double)h.v[i]));
    gnd_array *x = gnd_from(dev, t, ndim, h.dim, data.p);
    ref_free(&data);
    gnd_pad_options opt = {.odd = how >= LINE_REFLECT};
    int some = ref_rnd() & 1;
    opt.stat_length = how <= LINE_MEDIAN && some ? length : NULL;
    opt.values = how == LINE_RAMP && some ? values : NULL;
    gnd_array *y = gnd_pad(x, width, line_name[how], &opt);
    for (int d = 0; d < ndim; d++) {
        in[0] = opt.values ? ends[2 * d] : 0, in[1] = opt.values ? ends[2 * d + 1] : 0;
        pad_axis(&h, d, width[2 * d], width[2 * d + 1], how,
                 opt.stat_length ? length + 2 * d : NULL, in, whole);
    }
    int ok = ref_read(y, t, ndim, h.dim, &got, why, sizeof why);
    int64_t bad = -1;
    for (int64_t i = 0; ok && bad < 0 && i < size_of(&h); i++) {
        ref_num v = ref_nth(&got, i);
        double g = whole ? (double)v.i : (double)v.re, tol = whole              ? 0
                                                             : t == GND_FLOAT16 ? 0.02
                                                                                : 1e-5;
        if (fabs(g - h.v[i]) > tol)
            bad = i;
    }
    if (!tap_ok(ok && bad < 0, "%s%s, %d dimensions of %s", line_name[how], opt.odd ? ", odd" : "",
                ndim, gnd_dtype_name(t)))
        tap_diag("%s: element %" PRId64 ": %g, not %g", ok ? "another value" : why, bad,
                 bad < 0 ? 0
                 : whole ? (double)ref_nth(&got, bad).i
                         : (double)ref_nth(&got, bad).re,
                 bad < 0 ? 0 : h.v[bad]);
    if (ok)
        ref_free(&got);
}

static void test_computed(void)
{
    /* int8 narrow: what leaves its range would wrap */
    static const gnd_dtype types[] = {GND_INT8, GND_FLOAT16, GND_INT64};
    for (int how = LINE_MAX_N; how <= LINE_SYMMETRIC; how++) {
        computed(GND_INT32, how, 2, 1);
        computed(GND_FLOAT32, how, how % 3 + 1, 1);
        computed(types[how % 3], how, 1, 0);
    }
}

/* --- other dtypes, plans ---------------------------------------------------------------------- */

static void test_others(void)
{
    /* bools count as numbers, and what is not 0 is true */
    unsigned char b[3] = {1, 0, 1}, got[9];
    int64_t width[2] = {3, 3}, n = 3, shape[2] = {40, 50}, around[4] = {2, 3, 4, 5};
    gnd_array *x = gnd_from(dev, GND_BOOL, 1, &n, b);
    gnd_pad_options odd_type = {.odd = 1};
    gnd_read(gnd_pad(x, width, "mean", NULL), got, 9);
    tap_is_mem(got, ((unsigned char[]){1, 1, 1, 1, 0, 1, 1, 1, 1}), 9, "mean of bools");
    gnd_read(gnd_pad(x, width, "symmetric", &odd_type), got, 9);
    tap_is_mem(got, ((unsigned char[]){1, 1, 1, 1, 0, 1, 1, 1, 1}), 9, "symmetric, odd, of bools");
    gnd_array *empty = gnd_zeros(dev, GND_INT32, 2, (int64_t[]){0, 2}), *one = gnd_int(7);
    gnd_array *all[4] = {one, one, one, one};
    gnd_pad_options sevens = {.values = all};
    int32_t v[8];
    gnd_array *y = gnd_pad(empty, (int64_t[]){1, 1, 1, 1}, "constant", &sevens);
    tap_is_int(gnd_read(y, v, sizeof v), GND_OK, "constant round nothing");
    for (int i = 0; i < 8; i++)
        if (v[i] != 7)
            tap_fail("constant round nothing: element %d is %d", i, v[i]);
    tap_is_int(gnd_size(gnd_pad(empty, (int64_t[]){0, 0, 2, 2}, "edge", NULL)), 0,
               "edge of nothing");
    tap_is_int(gnd_size(gnd_pad(empty, (int64_t[]){1, 0, 2, 2}, "empty", NULL)), 6, "empty");
    gnd_array *point = gnd_asarray(dev, one, GND_INT8), *same = gnd_pad(point, NULL, "wrap", NULL);
    tap_is_int(gnd_item_i64(same, NULL), 7, "0-d");
    /* One kernel for all axes, which goes on with what is made of it. */
    x = gnd_zeros(dev, GND_FLOAT32, 2, shape);
    gnd_wait(x);
    y = gnd_add(gnd_pad(x, around, "edge", NULL), gnd_int(1));
    char *plan = gnd_explain(1, &y, 0, NULL);
    tap_has_str(plan, "1 kernels, 0 calls", "edge is one kernel with what uses it");
    tap_has_str(plan, "10620 bytes written", "edge: only the result is written");
    free(plan);
    /* Constants are made round the expression, which is stored where it belongs. */
    y = gnd_pad(gnd_sin(x), around, "constant", NULL);
    plan = gnd_explain(1, &y, 0, NULL);
    tap_has_str(plan, "8000 bytes read, 10620 bytes written",
                "constants: the expression goes into its place");
    free(plan);
}

static void on_device(gnd_device *d, const char *spec)
{
    static void (*const test[])(void) = {test_moves, test_computed, test_others};
    dev = d;
    tap_diag("%s", spec);
    ref_seed(11);
    ref_run(dev, sizeof test / sizeof test[0], test);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
