/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_image.c - gnd/image.h against plain loops on the host that walk each window, for random shapes, windows,
 * borders and dtypes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { MOST = 4096, NDIM = 3 };

static gnd_device *dev;

typedef struct host {
    int ndim;
    int64_t dim[NDIM];
    double v[MOST];
} host;

static int64_t size_of(const host *h)
{
    int64_t n = 1;
    for (int d = 0; d < h->ndim; d++)
        n *= h->dim[d];
    return n;
}

/* Where place j of an axis of n comes from; -1: from nowhere. */
static int64_t walked(int64_t j, int64_t n, gnd_border border)
{
    while (j < 0 || j >= n) {
        const int below = j < 0;
        if (border == GND_BORDER_CONSTANT)
            return -1;
        if (border == GND_BORDER_NEAREST || (n == 1 && border == GND_BORDER_MIRROR))
            j = below ? 0 : n - 1;
        else if (border == GND_BORDER_WRAP)
            j += below ? n : -n;
        else if (border == GND_BORDER_MIRROR)
            j = below ? -j : 2 * (n - 1) - j;
        else
            j = below ? -1 - j : 2 * n - 1 - j;
    }
    return j;
}

static double beyond(const host *h, const int64_t *at, gnd_border border, double fill)
{
    int64_t i = 0;
    for (int d = 0; d < h->ndim; d++) {
        const int64_t j = walked(at[d], h->dim[d], border);
        if (j < 0)
            return fill;
        i = i * h->dim[d] + j;
    }
    return h->v[i];
}

/* NaN last. */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y))
        return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* rank of all the window's elements; MINIMUM, MAXIMUM: these, or NaN. */
enum { MINIMUM = -1, MAXIMUM = -2 };

static void filtered(const host *h, int64_t rank, const int64_t *size, int mirrored, gnd_border border, double fill,
                     host *out)
{
    static double part[MOST];
    int64_t count = 1;
    *out = *h;
    for (int d = 0; d < h->ndim; d++)
        count *= size[d];
    for (int64_t i = 0; i < size_of(h); i++) {
        int64_t at[NDIM];
        int nan = 0;
        ref_unravel(h->ndim, h->dim, i, at);
        for (int64_t k = 0; k < count; k++) {
            int64_t w[NDIM];
            ref_unravel(h->ndim, size, k, w);
            for (int d = 0; d < h->ndim; d++)
                w[d] = at[d] + (mirrored ? size[d] / 2 - w[d] : w[d] - size[d] / 2);
            part[k] = beyond(h, w, border, fill);
            nan |= isnan(part[k]);
        }
        qsort(part, (size_t)count, sizeof *part, ascending);
        out->v[i] = nan && rank < 0 ? NAN : part[rank == MINIMUM ? 0 : rank == MAXIMUM ? count - 1 : rank];
    }
}

static double number(gnd_dtype t, const void *p)
{
    const ref_num v = ref_get(t, p);
    return v.kind == 'f' ? (double)v.re : v.kind == 'u' ? (double)v.u : (double)v.i;
}

/* Whether y has dtype t and the values of want. */
static void same(gnd_array *y, gnd_dtype t, const host *want, const char *what)
{
    char why[300] = "";
    ref_arr got;
    int64_t bad = -1;
    const int ok = ref_read(y, t, want->ndim, want->dim, &got, why, sizeof why);
    for (int64_t i = 0; ok && bad < 0 && i < size_of(want); i++) {
        int64_t at[NDIM];
        ref_unravel(want->ndim, want->dim, i, at);
        const double v = number(t, ref_at(&got, at));
        if (!(v == want->v[i] || (isnan(v) && isnan(want->v[i])))) {
            bad = i;
            snprintf(why, sizeof why, "element %" PRId64 ": %g, not %g", i, v, want->v[i]);
        }
    }
    if (!tap_ok(ok && bad < 0, "%s, %d dimensions of %s", what, want->ndim, gnd_dtype_name(t)))
        tap_diag("%s", why);
    if (ok)
        ref_free(&got);
}

/* An array of random shape and layout, and the same on the host. */
static gnd_array *some(gnd_dtype t, int ndim, int special, host *h)
{
    ref_arr a;
    h->ndim = ndim;
    for (int d = 0; d < ndim; d++)
        h->dim[d] = ref_range(1, ndim == 3 ? 5 : 9);
    gnd_array *x = ref_make(dev, t, ndim, h->dim, (ref_layout)(ref_rnd() % REF_NLAYOUTS),
                            special ? REF_SPECIAL : REF_SMALL, &a);
    for (int64_t i = 0; i < size_of(h); i++) {
        int64_t at[NDIM];
        ref_unravel(ndim, h->dim, i, at);
        h->v[i] = number(t, ref_at(&a, at));
    }
    ref_free(&a);
    return x;
}

typedef gnd_array *filter(gnd_array *, int, const int64_t *, gnd_border, gnd_array *);

/* Every filter with one shape, window and border. */
static void filters(gnd_dtype t, gnd_border border, int ndim, int special)
{
    static const struct { const char *name; filter *f; const char *steps; } box[] = {
        {"minimum", gnd_minimum_filter, "e"}, {"maximum", gnd_maximum_filter, "m"}, {"erosion", gnd_grey_erosion, "e"},
        {"dilation", gnd_grey_dilation, "d"}, {"opening", gnd_grey_opening, "ed"}, {"closing", gnd_grey_closing, "de"},
    };
    static host h, a, b;
    gnd_array *x = some(t, ndim, special, &h);
    int64_t size[NDIM], count = 1;
    for (int d = 0; d < ndim; d++)
        count *= size[d] = ref_range(1, ndim == 3 ? 3 : 5);
    const double v = t == GND_BOOL ? 1 : 3;
    gnd_array *fill = ref_rnd() % 2 ? gnd_int((int64_t)v) : NULL;
    const double beyond_edges = fill ? v : 0;
    for (size_t k = 0; k < sizeof box / sizeof *box; k++) {
        if (k % 3 != ref_rnd() % 3) /* a third of them, by chance */
            continue;
        a = h;
        for (const char *s = box[k].steps; *s; s++, a = b)
            filtered(&a, *s == 'e' ? MINIMUM : MAXIMUM, size, *s == 'd', border, beyond_edges, &b);
        same(box[k].f(x, ndim, size, border, fill), t, &a, box[k].name);
    }
    const int64_t rank = ref_range(0, count - 1);
    filtered(&h, rank, size, 0, border, beyond_edges, &a);
    same(gnd_rank_filter(x, ref_rnd() % 2 ? rank : rank - count, ndim, size, border, fill), t, &a, "rank");
    filtered(&h, 0, size, 0, border, beyond_edges, &a);
    same(gnd_rank_filter(x, 0, ndim, size, border, fill), t, &a, "rank 0");
    filtered(&h, count / 2, size, 0, border, beyond_edges, &a);
    same(gnd_median_filter(x, ndim, size, border, fill), t, &a, "median");
    const int percent = (int)ref_range(0, 100);
    filtered(&h, percent == 100 ? count - 1 : (int64_t)((double)count * percent / 100), size, 0, border, beyond_edges, &a);
    same(gnd_percentile_filter(x, percent && percent < 100 && ref_rnd() % 2 ? percent - 100 : percent, ndim, size,
                               border, fill), t, &a, "percentile");
}

static void test_filters(void)
{
    static const gnd_dtype type[] = {GND_FLOAT32, GND_UINT8, GND_BOOL, GND_INT64, GND_FLOAT16, GND_UINT16};
    for (int border = GND_BORDER_REFLECT; border <= GND_BORDER_WRAP; border++)
        for (int k = 0; k < 2; k++) {
            const gnd_dtype t = type[k ? 1 + border : 0];
            gnd_scope_begin();
            if (!ref_skip(dev, t, 1))
                filters(t, (gnd_border)border, (border + k) % 3 + 1, !k);
            gnd_scope_end();
        }
}

/* By hand, by SciPy's rules for windows of even size. */
static void test_known(void)
{
    const int64_t two = 2, three = 3, n = 6;
    const int32_t v[6] = {5, 1, 4, 9, 2, 6};
    gnd_array *x = gnd_from(dev, GND_INT32, 1, &n, v);
    static const host median = {1, {6}, {5, 4, 4, 4, 6, 6}}, median2 = {1, {6}, {5, 5, 4, 9, 9, 6}};
    static const host lowest = {1, {6}, {5, 1, 1, 4, 2, 2}}, dilated = {1, {6}, {5, 4, 9, 9, 6, 6}};
    static const host opened = {1, {6}, {5, 1, 4, 4, 2, 2}};
    same(gnd_median_filter(x, 1, &three, GND_BORDER_REFLECT, NULL), GND_INT32, &median, "median of 3");
    same(gnd_median_filter(x, 1, &two, GND_BORDER_REFLECT, NULL), GND_INT32, &median2, "median of 2: the greater one");
    same(gnd_minimum_filter(x, 1, &two, GND_BORDER_REFLECT, NULL), GND_INT32, &lowest, "minimum of 2");
    same(gnd_grey_dilation(x, 1, &two, GND_BORDER_REFLECT, NULL), GND_INT32, &dilated, "dilation by 2");
    same(gnd_grey_opening(x, 1, &two, GND_BORDER_REFLECT, NULL), GND_INT32, &opened, "opening by 2");
}

static void test_others(void)
{
    const int64_t shape[2] = {4, 5}, none[2] = {0, 5}, three = 3, zero = 0, sizes[3] = {3, 3, 3};
    const int64_t huge[2] = {INT64_C(1) << 40, INT64_C(1) << 40};
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 2, shape), *empty = gnd_zeros(dev, GND_INT8, 2, none);
    gnd_array *point = gnd_asarray(dev, gnd_int(7), GND_INT8);
    tap_is_int(gnd_size(gnd_median_filter(empty, 1, &three, GND_BORDER_WRAP, NULL)), 0, "nothing");
    tap_is_int(gnd_size(gnd_grey_opening(empty, 1, &three, GND_BORDER_MIRROR, NULL)), 0, "the opening of nothing");
    tap_is_int(gnd_item_i64(gnd_grey_closing(point, 0, NULL, GND_BORDER_REFLECT, NULL), NULL), 7, "0-d");
    struct { gnd_array *y; gnd_status want; const char *says; } bad[] = {
        {gnd_median_filter(x, 3, sizes, GND_BORDER_REFLECT, NULL), GND_ERR_SHAPE,
         "median_filter: 3 sizes for shape (4, 5): one is needed, or one for each axis"},
        {gnd_grey_erosion(x, 1, &zero, GND_BORDER_REFLECT, NULL), GND_ERR_ARG,
         "grey_erosion: a window of 0 elements along axis 0"},
        {gnd_grey_closing(x, 1, &three, (gnd_border)5, NULL), GND_ERR_ARG, "grey_closing: border 5 is none"},
        {gnd_minimum_filter(x, 1, NULL, GND_BORDER_WRAP, NULL), GND_ERR_NULL, "minimum_filter: the list of sizes is NULL"},
        {gnd_maximum_filter(x, 1, &three, GND_BORDER_CONSTANT, x), GND_ERR_SHAPE,
         "maximum_filter: a fill of shape (4, 5): one number is needed"},
        {gnd_rank_filter(x, 9, 1, &three, GND_BORDER_WRAP, NULL), GND_ERR_ARG,
         "rank_filter: rank 9 of windows of 9 elements"},
        {gnd_rank_filter(x, -10, 1, &three, GND_BORDER_WRAP, NULL), GND_ERR_ARG,
         "rank_filter: rank -10 of windows of 9 elements"},
        {gnd_percentile_filter(x, 101, 1, &three, GND_BORDER_WRAP, NULL), GND_ERR_ARG,
         "percentile_filter: percentile 101 is not in -100 .. 100"},
        {gnd_percentile_filter(x, NAN, 1, &three, GND_BORDER_WRAP, NULL), GND_ERR_ARG, "percentile_filter: percentile"},
        {gnd_median_filter(x, 2, huge, GND_BORDER_WRAP, NULL), GND_ERR_OVERFLOW, "median_filter: the elements of one"},
        {gnd_grey_dilation(gnd_zeros(dev, GND_COMPLEX64, 1, shape), 1, &three, GND_BORDER_WRAP, NULL), GND_ERR_DTYPE,
         "grey_dilation: complex64: complex numbers have no order"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tap_is_int(gnd_status_of(bad[i].y), bad[i].want, "%s", bad[i].says);
        tap_has_str(gnd_error(bad[i].y), bad[i].says, "says so");
    }
}

static void on_device(gnd_device *d, const char *spec)
{
    static void (*const test[])(void) = {test_filters, test_known, test_others};
    dev = d;
    tap_diag("%s", spec);
    ref_seed(14);
    for (size_t i = 0; i < sizeof test / sizeof test[0]; i++) {
        gnd_scope_begin();
        test[i]();
        gnd_scope_end();
    }
    gnd_stats st;
    gnd_device_stats(dev, &st);
    tap_is_int(st.arrays, 0, "no array is left");
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
