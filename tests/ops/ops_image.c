/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_image.c - gnd/image.h against plain loops on the host that walk each window (of filters and
 * morphology) or the whole axis (of other sizes), for random shapes, windows, borders and dtypes.
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

static void filtered(const host *h, int64_t rank, const int64_t *size, int mirrored,
                     gnd_border border, double fill, host *out)
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
        out->v[i] = nan && rank < 0 ? NAN
                                    : part[rank == MINIMUM   ? 0
                                           : rank == MAXIMUM ? count - 1
                                                             : rank];
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
    static const struct {
        const char *name;
        filter *f;
        const char *steps;
    } box[] = {
        {"minimum", gnd_minimum_filter, "e"}, {"maximum", gnd_maximum_filter, "m"},
        {"erosion", gnd_grey_erosion, "e"},   {"dilation", gnd_grey_dilation, "d"},
        {"opening", gnd_grey_opening, "ed"},  {"closing", gnd_grey_closing, "de"},
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
    same(gnd_rank_filter(x, ref_rnd() % 2 ? rank : rank - count, ndim, size, border, fill), t, &a,
         "rank");
    filtered(&h, 0, size, 0, border, beyond_edges, &a);
    same(gnd_rank_filter(x, 0, ndim, size, border, fill), t, &a, "rank 0");
    filtered(&h, count / 2, size, 0, border, beyond_edges, &a);
    same(gnd_median_filter(x, ndim, size, border, fill), t, &a, "median");
    const int percent = (int)ref_range(0, 100);
    filtered(&h, percent == 100 ? count - 1 : (int64_t)((double)count * percent / 100), size, 0,
             border, beyond_edges, &a);
    same(gnd_percentile_filter(x,
                               percent && percent < 100 && ref_rnd() % 2 ? percent - 100 : percent,
                               ndim, size, border, fill),
         t, &a, "percentile");
}

static void test_filters(void)
{
    static const gnd_dtype type[] = {GND_FLOAT32, GND_UINT8,   GND_BOOL,
                                     GND_INT64,   GND_FLOAT16, GND_UINT16};
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
    same(gnd_median_filter(x, 1, &three, GND_BORDER_REFLECT, NULL), GND_INT32, &median,
         "median of 3");
    same(gnd_median_filter(x, 1, &two, GND_BORDER_REFLECT, NULL), GND_INT32, &median2,
         "median of 2: the greater one");
    same(gnd_minimum_filter(x, 1, &two, GND_BORDER_REFLECT, NULL), GND_INT32, &lowest,
         "minimum of 2");
    same(gnd_grey_dilation(x, 1, &two, GND_BORDER_REFLECT, NULL), GND_INT32, &dilated,
         "dilation by 2");
    same(gnd_grey_opening(x, 1, &two, GND_BORDER_REFLECT, NULL), GND_INT32, &opened,
         "opening by 2");
}

static void test_others(void)
{
    const int64_t shape[2] = {4, 5}, none[2] = {0, 5}, three = 3, zero = 0, sizes[3] = {3, 3, 3};
    const int64_t huge[2] = {INT64_C(1) << 40, INT64_C(1) << 40};
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 2, shape),
              *empty = gnd_zeros(dev, GND_INT8, 2, none);
    gnd_array *point = gnd_asarray(dev, gnd_int(7), GND_INT8);
    tap_is_int(gnd_size(gnd_median_filter(empty, 1, &three, GND_BORDER_WRAP, NULL)), 0, "nothing");
    tap_is_int(gnd_size(gnd_grey_opening(empty, 1, &three, GND_BORDER_MIRROR, NULL)), 0,
               "the opening of nothing");
    tap_is_int(gnd_item_i64(gnd_grey_closing(point, 0, NULL, GND_BORDER_REFLECT, NULL), NULL), 7,
               "0-d");
    struct {
        gnd_array *y;
        gnd_status want;
        const char *says;
    } bad[] = {
        {gnd_median_filter(x, 3, sizes, GND_BORDER_REFLECT, NULL), GND_ERR_SHAPE,
         "median_filter: 3 sizes for shape (4, 5): one is needed, or one for each axis"},
        {gnd_grey_erosion(x, 1, &zero, GND_BORDER_REFLECT, NULL), GND_ERR_ARG,
         "grey_erosion: a window of 0 elements along axis 0"},
        {gnd_grey_closing(x, 1, &three, (gnd_border)5, NULL), GND_ERR_ARG,
         "grey_closing: border is 5, not GND_BORDER_REFLECT"},
        {gnd_minimum_filter(x, 1, NULL, GND_BORDER_WRAP, NULL), GND_ERR_NULL,
         "minimum_filter: the list of sizes is NULL"},
        {gnd_maximum_filter(x, 1, &three, GND_BORDER_CONSTANT, x), GND_ERR_SHAPE,
         "maximum_filter: a fill of shape (4, 5): one number is needed"},
        {gnd_rank_filter(x, 9, 1, &three, GND_BORDER_WRAP, NULL), GND_ERR_ARG,
         "rank_filter: rank 9 of windows of 9 elements"},
        {gnd_rank_filter(x, -10, 1, &three, GND_BORDER_WRAP, NULL), GND_ERR_ARG,
         "rank_filter: rank -10 of windows of 9 elements"},
        {gnd_percentile_filter(x, 101, 1, &three, GND_BORDER_WRAP, NULL), GND_ERR_ARG,
         "percentile_filter: percentile 101 is not in -100 .. 100"},
        {gnd_percentile_filter(x, NAN, 1, &three, GND_BORDER_WRAP, NULL), GND_ERR_ARG,
         "percentile_filter: percentile"},
        {gnd_median_filter(x, 2, huge, GND_BORDER_WRAP, NULL), GND_ERR_OVERFLOW,
         "median_filter: the elements of one"},
        {gnd_grey_dilation(gnd_zeros(dev, GND_COMPLEX64, 1, shape), 1, &three, GND_BORDER_WRAP,
                           NULL),
         GND_ERR_DTYPE, "grey_dilation: complex64: complex numbers have no order"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tap_is_int(gnd_status_of(bad[i].y), bad[i].want, "%s", bad[i].says);
        tap_has_str(gnd_error(bad[i].y), bad[i].says, "says so");
    }
}

/* --- binary morphology ------------------------------------------------------------------------ */

/* One erosion or dilation by the definition; s has element q of the structure. */
static void morphed(const host *h, const host *s, int erosion, int border, host *out)
{
    *out = *h;
    for (int64_t i = 0; i < size_of(h); i++) {
        int64_t at[NDIM];
        int all = 1, any = 0;
        ref_unravel(h->ndim, h->dim, i, at);
        for (int64_t k = 0; k < size_of(s); k++) {
            int64_t q[NDIM], p[NDIM];
            if (s->v[k] == 0)
                continue;
            ref_unravel(s->ndim, s->dim, k, q);
            for (int d = 0; d < h->ndim; d++)
                p[d] = erosion ? at[d] + q[d] - s->dim[d] / 2 : at[d] - (q[d] - s->dim[d] / 2);
            const int on = beyond(h, p, GND_BORDER_CONSTANT, border) != 0;
            all &= on;
            any |= on;
        }
        out->v[i] = erosion ? all : any;
    }
}

static void binary(gnd_dtype t, int ndim, int with_structure)
{
    static host h, s, a, b;
    gnd_array *x = some(t, ndim, 0, &h),
              *structure = with_structure ? some(GND_BOOL, ndim, 0, &s) : NULL;
    for (int64_t i = 0; i < size_of(&h); i++)
        h.v[i] = h.v[i] != 0;
    if (!with_structure) {
        s.ndim = ndim;
        for (int d = 0; d < ndim; d++)
            s.dim[d] = 3;
        for (int64_t i = 0; i < size_of(&s); i++) {
            int64_t q[NDIM];
            int off = 0;
            ref_unravel(ndim, s.dim, i, q);
            for (int d = 0; d < ndim; d++)
                off += q[d] != 1;
            s.v[i] = off <= 1;
        }
    }
    morphed(&h, &s, 1, 1, &a);
    same(gnd_binary_erosion(x, structure, 1, 1), GND_BOOL, &a, "binary erosion");
    morphed(&h, &s, 0, 0, &a);
    morphed(&a, &s, 0, 0, &b);
    same(gnd_binary_dilation(x, structure, 2, 0), GND_BOOL, &b, "binary dilation, twice");
    morphed(&a, &s, 1, 0, &b);
    same(gnd_binary_closing(x, structure, 1), GND_BOOL, &b, "binary closing");
    morphed(&h, &s, 1, 0, &a);
    morphed(&a, &s, 0, 0, &b);
    same(gnd_binary_opening(x, structure, 1), GND_BOOL, &b, "binary opening");
}

static void test_binary(void)
{
    binary(GND_BOOL, 2, 0);
    binary(GND_UINT8, 2, 1);
    binary(GND_FLOAT32, 1, 1);
    /* As SciPy: structure [1, 1] of an even size. */
    const int64_t five = 5, two = 2;
    const unsigned char v[5] = {0, 1, 1, 0, 1}, s[2] = {1, 1};
    gnd_array *x = gnd_from(dev, GND_BOOL, 1, &five, v),
              *pair = gnd_from(dev, GND_BOOL, 1, &two, s);
    static const host eroded = {1, {5}, {0, 0, 1, 0, 0}}, dilated = {1, {5}, {1, 1, 1, 1, 1}};
    same(gnd_binary_erosion(x, pair, 1, 0), GND_BOOL, &eroded, "erosion by two");
    same(gnd_binary_dilation(x, pair, 1, 0), GND_BOOL, &dilated, "dilation by two");
    gnd_array *point = gnd_asarray(dev, gnd_int(7), GND_INT8);
    tap_is_int(gnd_item_i64(gnd_binary_erosion(point, NULL, 1, 0), NULL), 1, "0-d");
}

/* --- other sizes ------------------------------------------------------------------------------ */

static double kernel(gnd_interpolation how, double d)
{
    d = fabs(d);
    if (how == GND_INTERPOLATE_LINEAR)
        return d < 1 ? 1 - d : 0;
    return d < 1   ? 1.5 * d * d * d - 2.5 * d * d + 1
           : d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2
                   : 0;
}

/* Along axis d, of all elements of the axis, whatever they weigh. */
static void resized(const host *h, int d, int64_t m, gnd_interpolation how, int antialias,
                    host *out)
{
    const int64_t n = h->dim[d];
    const double wide = antialias && m < n ? (double)n / (double)m : 1;
    *out = *h;
    out->dim[d] = m;
    for (int64_t i = 0; i < size_of(out); i++) {
        int64_t at[NDIM];
        double sum = 0, total = 0;
        ref_unravel(out->ndim, out->dim, i, at);
        const double place = ((double)at[d] + 0.5) * (double)n / (double)m - 0.5;
        const int64_t middle = (2 * at[d] + 1) * n / (2 * m);
        for (at[d] = 0; at[d] < n; at[d]++) {
            const double w = how == GND_INTERPOLATE_NEAREST
                                 ? at[d] == middle
                                 : kernel(how, (place - (double)at[d]) / wide);
            total += w;
            sum += w != 0 ? w * beyond(h, at, GND_BORDER_CONSTANT, 0) : 0;
        }
        out->v[i] = sum / total;
    }
}

/* Whether y has dtype t and values near want's. */
static void close_to(gnd_array *y, gnd_dtype t, const host *want, double bound, const char *what)
{
    char why[300] = "";
    ref_arr got;
    int64_t bad = -1;
    const int ok = ref_read(y, t, want->ndim, want->dim, &got, why, sizeof why);
    for (int64_t i = 0; ok && bad < 0 && i < size_of(want); i++) {
        const ref_num e = ref_nth(&got, i);
        const double v = e.kind == 'f' ? (double)e.re : e.kind == 'u' ? (double)e.u : (double)e.i;
        if (!(fabs(v - want->v[i]) <= bound)) {
            bad = i;
            snprintf(why, sizeof why, "element %" PRId64 ": %.9g, not %.9g", i, v, want->v[i]);
        }
    }
    if (!tap_ok(ok && bad < 0, "%s", what))
        tap_diag("%s", why);
    if (ok)
        ref_free(&got);
}

static void test_resize(void)
{
    static const struct {
        gnd_dtype t;
        gnd_interpolation how;
        int antialias, ndim;
        int64_t from[2], to[2];
    } all[] = {
        {GND_FLOAT32, GND_INTERPOLATE_LINEAR, 1, 2, {4, 6}, {9, 6}},
        {GND_FLOAT32, GND_INTERPOLATE_LINEAR, 0, 2, {9, 8}, {4, 3}},
        {GND_FLOAT32, GND_INTERPOLATE_LINEAR, 1, 2, {9, 8}, {4, 3}},
        {GND_FLOAT32, GND_INTERPOLATE_CUBIC, 1, 2, {5, 11}, {7, 2}},
        {GND_FLOAT32, GND_INTERPOLATE_CUBIC, 0, 1, {7}, {5}},
        {GND_UINT8, GND_INTERPOLATE_LINEAR, 1, 1, {6}, {4}},
        {GND_UINT8, GND_INTERPOLATE_NEAREST, 1, 2, {4, 6}, {7, 3}},
        {GND_INT64, GND_INTERPOLATE_NEAREST, 0, 1, {1}, {5}},
        {GND_FLOAT16, GND_INTERPOLATE_LINEAR, 1, 1, {6}, {13}},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        static host h, a, b;
        char what[100];
        ref_arr r;
        h.ndim = all[k].ndim;
        for (int d = 0; d < h.ndim; d++)
            h.dim[d] = all[k].from[d];
        gnd_array *x =
            ref_make(dev, all[k].t, h.ndim, h.dim, (ref_layout)(k % REF_NLAYOUTS), REF_SMALL, &r);
        for (int64_t i = 0; i < size_of(&h); i++)
            h.v[i] = number(all[k].t, ref_at(&r, (ref_unravel(h.ndim, h.dim, i, a.dim), a.dim)));
        ref_free(&r);
        a = h;
        for (int d = 0; d < h.ndim; d++, a = b)
            if (a.dim[d] != all[k].to[d])
                resized(&a, d, all[k].to[d], all[k].how, all[k].antialias, &b);
            else
                b = a;
        const int whole = gnd_dtype_kind(all[k].t) != 'f' && all[k].how != GND_INTERPOLATE_NEAREST;
        snprintf(what, sizeof what, "resize %zu: %s, interpolation %d, antialias %d", k,
                 gnd_dtype_name(all[k].t), (int)all[k].how, all[k].antialias);
        close_to(gnd_image_resize(x, h.ndim, all[k].to, all[k].how, all[k].antialias),
                 whole ? gnd_default_float(dev) : all[k].t, &a,
                 all[k].t == GND_FLOAT16 ? 4e-3 : 1e-5, what);
    }
    /* PyTorch's interpolate(mode="linear", align_corners=False) of 1 2 4 to 6 elements. */
    static const host torch = {1, {6}, {1, 1.25, 1.75, 2.5, 3.5, 4}};
    const float v[3] = {1, 2, 4};
    const int64_t three = 3, six = 6, empty[2] = {0, 3}, some_of[2] = {2, 3};
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &three, v),
              *nothing = gnd_zeros(dev, GND_FLOAT32, 2, empty);
    close_to(gnd_image_resize(x, 1, &six, GND_INTERPOLATE_LINEAR, 0), GND_FLOAT32, &torch, 0,
             "as PyTorch's");
    tap_is_int(gnd_size(gnd_image_resize(x, 1, empty, GND_INTERPOLATE_CUBIC, 1)), 0, "to nothing");
    const struct {
        gnd_array *y;
        gnd_status want;
        const char *says;
    } bad[] = {
        {gnd_image_resize(x, 2, some_of, GND_INTERPOLATE_LINEAR, 1), GND_ERR_SHAPE,
         "image_resize: shape (2, 3) for x of shape (3,): as many axes are needed"},
        {gnd_image_resize(nothing, 2, some_of, GND_INTERPOLATE_LINEAR, 1), GND_ERR_SHAPE,
         "image_resize: x of shape (0, 3) has nothing to make shape (2, 3) of"},
        {gnd_image_resize(x, 1, &six, (gnd_interpolation)3, 1), GND_ERR_ARG,
         "image_resize: interpolation is 3, not GND_INTERPOLATE_NEAREST"},
        {gnd_image_resize(x, 1, (int64_t[]){INT64_C(1) << 60}, GND_INTERPOLATE_LINEAR, 1),
         GND_ERR_OVERFLOW, "image_resize: "},
        {gnd_image_resize(x, 1, (int64_t[]){-1}, GND_INTERPOLATE_LINEAR, 1), GND_ERR_SHAPE,
         "image_resize: shape (-1,)"},
        {gnd_binary_erosion(x, nothing, 1, 0), GND_ERR_SHAPE,
         "binary_erosion: structure of shape (0, 3) for x of shape (3,): as many axes"},
        {gnd_binary_dilation(x, gnd_zeros(dev, GND_BOOL, 1, empty), 1, 0), GND_ERR_SHAPE,
         "binary_dilation: structure of shape (0,) has no elements"},
        {gnd_binary_opening(x, NULL, 0), GND_ERR_ARG,
         "binary_opening: 0 iterations: at least one is needed"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tap_is_int(gnd_status_of(bad[i].y), bad[i].want, "%s", bad[i].says);
        tap_is_int(strncmp(gnd_error(bad[i].y), bad[i].says, strlen(bad[i].says)), 0, "says so: %s",
                   gnd_error(bad[i].y));
    }
}

static void on_device(gnd_device *d, const char *spec)
{
    static void (*const test[])(void) = {test_filters, test_known, test_others, test_binary,
                                         test_resize};
    dev = d;
    tap_diag("%s", spec);
    ref_seed(14);
    ref_run(dev, sizeof test / sizeof test[0], test);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
