/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_where.c - gnd_reduce: each reduction of the elements that a mask names, begun with a value,
 * against loops on the host, with and without NaN; results of the same as those of the plain
 * functions; errors.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { ROWS = 4, COLS = 6, SIZE = ROWS * COLS, KINDS = GND_REDUCE_NANSTD + 1 };

static gnd_device *dev;
static const int64_t shape[2] = {ROWS, COLS};
static const char *const name[KINDS] = {
    "sum", "prod",   "max",     "min",    "mean",   "var",     "std",    "any",
    "all", "nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"};

/* The reduction of n numbers by the definition. first: what it begins with, if `begun`. */
static double of(gnd_reduction r, int n, const double *x, int begun, double first,
                 double correction)
{
    double v[SIZE + 1];
    int m = 0, any = 0, all = 1, nan = 0;
    for (int i = 0; i < n; i++)
        if (r < GND_REDUCE_NANSUM || !isnan(x[i]))
            v[m++] = x[i];
    r = r < GND_REDUCE_NANSUM     ? r
        : r <= GND_REDUCE_NANPROD ? r - GND_REDUCE_NANSUM
        : r <= GND_REDUCE_NANMIN  ? GND_REDUCE_MAX + (r - GND_REDUCE_NANMAX)
                                  : GND_REDUCE_MEAN + (r - GND_REDUCE_NANMEAN);
    double sum = begun ? first : 0, product = begun ? first : 1, most = begun ? first : -INFINITY;
    double least = begun ? first : INFINITY, squares = 0, mean = 0;
    for (int i = 0; i < m; i++) {
        sum += v[i];
        product *= v[i];
        most = v[i] > most ? v[i] : most;
        least = v[i] < least ? v[i] : least;
        mean += v[i] / m;
        any |= v[i] != 0;
        all &= v[i] != 0;
        nan |= isnan(v[i]);
    }
    for (int i = 0; i < m; i++)
        squares += (v[i] - mean) * (v[i] - mean);
    const double free = m - correction > 0 ? m - correction : 0;
    switch (r) {
    case GND_REDUCE_SUM: return sum;
    case GND_REDUCE_PROD: return product;
    case GND_REDUCE_MAX: return nan ? NAN : most;
    case GND_REDUCE_MIN: return nan ? NAN : least;
    case GND_REDUCE_MEAN: return m ? mean : NAN;
    case GND_REDUCE_VAR: return m && free > 0 ? squares / free : NAN;
    case GND_REDUCE_STD: return m && free > 0 ? sqrt(squares / free) : NAN;
    case GND_REDUCE_ANY: return any;
    default: return all;
    }
}

static gnd_array *from(gnd_dtype t, int ndim, const int64_t *dim, const double *v)
{
    float data[SIZE];
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= dim[d];
    for (int64_t i = 0; i < n; i++)
        data[i] = (float)v[i];
    return gnd_astype(gnd_from(dev, GND_FLOAT32, ndim, dim, data), t);
}

/* Whether y's elements are want, to some ulps of sums. */
static void near(gnd_array *y, gnd_dtype t, int n, const double *want, const char *what)
{
    double got[SIZE];
    int bad = -1;
    const gnd_dtype is = gnd_dtype_of(y);
    ref_arr a;
    char why[200] = "";
    const int st =
        !ref_read(y, is, gnd_ndim(y), gnd_shape(y), &a, why, sizeof why) || ref_size(&a) != n;
    for (int i = 0; !st && i < n && bad < 0; i++) {
        const ref_num v = ref_nth(&a, i);
        got[i] = v.kind == 'f' ? (double)v.re : v.kind == 'u' ? (double)v.u : (double)v.i;
        if (!(got[i] == want[i] || (isnan(got[i]) && isnan(want[i])) ||
              fabs(got[i] - want[i]) <= 1e-5 * fabs(want[i])))
            bad = i;
    }
    if (!tap_ok(!st && bad < 0 && is == t, "%s", what)) {
        tap_diag("%s: %s", gnd_dtype_name(is), why);
        if (bad >= 0)
            tap_diag("element %d: %.9g, not %.9g", bad, got[bad], want[bad]);
    }
    if (!st)
        ref_free(&a);
}

/* A reduction and what it should give. */
typedef struct tried {
    gnd_array *y;
    gnd_dtype t;
    int n;
    double want[SIZE];
    char what[100];
} tried;

/* x, of dtype t and (4, 6), by r along an axis (-1: all) where m, of shape (4, 6), (6,) or (4, 1),
 * is true. */
static tried reduced(gnd_reduction r, gnd_dtype t, gnd_array *x, const double *v, int axis,
                     int form, gnd_array *where, const double *m)
{
    const gnd_reduction base = r < GND_REDUCE_NANSUM    ? r
                               : r < GND_REDUCE_NANMEAN ? r - GND_REDUCE_NANSUM
                                                        : r - GND_REDUCE_NANMEAN + GND_REDUCE_MEAN;
    const int extreme = base == GND_REDUCE_MAX || base == GND_REDUCE_MIN, kind = gnd_dtype_kind(t);
    const int spread = base == GND_REDUCE_VAR || base == GND_REDUCE_STD,
              floats = spread || base == GND_REDUCE_MEAN;
    const int begun = extreme || r == GND_REDUCE_SUM || r == GND_REDUCE_NANPROD;
    const double first = begun ? (double)ref_range(0, 3) : 0, correction = spread && r % 2 ? 1 : 0;
    gnd_reduce_options opt = {.where = where,
                              .initial = begun ? gnd_int((int64_t)first) : NULL,
                              .correction = correction};
    tried y = {.n = 0};
    for (int k = 0; k < (axis < 0 ? 1 : axis == 0 ? COLS : ROWS); k++) {
        double part[SIZE];
        int many = 0;
        for (int i = 0; i < SIZE; i++)
            if (m[form == 0   ? i
                  : form == 1 ? i % COLS
                              : i / COLS] != 0 &&
                (axis < 0 || (axis == 0 ? i % COLS : i / COLS) == k))
                part[many++] = v[i];
        y.want[y.n++] = of(r, many, part, begun, first, correction);
    }
    y.t = base == GND_REDUCE_ANY || base == GND_REDUCE_ALL ? GND_BOOL
          : extreme || kind == 'f'                         ? t
          : floats                                         ? gnd_default_float(dev)
          : kind == 'u'                                    ? GND_UINT64
                                                           : GND_INT64;
    y.y = gnd_reduce(r, x, axis < 0 ? GND_ALL : GND_AXIS(axis), axis == 1 ? GND_KEEPDIMS : 0,
                     GND_DTYPE_DEFAULT, &opt);
    snprintf(y.what, sizeof y.what, "%s of %s along %d%s", name[r], gnd_dtype_name(t), axis,
             begun ? ", begun" : "");
    return y;
}

/* Every reduction of floats (those without NaN of some with NaN), and some of ints; those along one
 * axis at once. */
static void test_where(void)
{
    static const gnd_reduction some[3] = {GND_REDUCE_SUM, GND_REDUCE_MIN, GND_REDUCE_NANVAR};
    static const int64_t row[1] = {COLS}, column[2] = {ROWS, 1};
    for (int axis = -1; axis < 2; axis++) {
        double v[3][SIZE], m[SIZE];
        tried y[KINDS];
        gnd_array *out[KINDS];
        int n = 0;
        const int form = axis + 1;
        const gnd_dtype whole = axis < 0 ? GND_INT32 : axis ? GND_UINT8 : GND_INT64;
        for (int i = 0; i < SIZE; i++) {
            v[0][i] = (double)ref_range(-4, 3) / 2 + .5;
            v[1][i] = ref_rnd() % 3 == 0 ? NAN : v[0][i];
            v[2][i] = (double)ref_range(0, 9);
            m[i] = (double)(ref_rnd() % 4 != 0 &&
                            i != 2); /* with (6,): a column where nothing counts */
        }
        gnd_array *where = from(GND_BOOL, form == 1 ? 1 : 2,
                                form == 0   ? shape
                                : form == 1 ? row
                                            : column,
                                m);
        gnd_array *x[3] = {from(GND_FLOAT32, 2, shape, v[0]), from(GND_FLOAT32, 2, shape, v[1]),
                           from(whole, 2, shape, v[2])};
        for (int r = 0; r < KINDS; r++)
            if (r % 3 == form || r % 8 == GND_REDUCE_VAR)
                y[n++] = reduced((gnd_reduction)r, GND_FLOAT32, x[r >= GND_REDUCE_NANSUM],
                                 v[r >= GND_REDUCE_NANSUM], axis, form, where, m);
        y[n++] = reduced(some[form], whole, x[2], v[2], axis, form, where, m);
        for (int i = 0; i < n; i++)
            out[i] = y[i].y;
        gnd_eval_all(n, out);
        for (int i = 0; i < n; i++)
            near(y[i].y, y[i].t, y[i].n, y[i].want, y[i].what);
    }
}

/* Without options: the plain functions; with a dtype. */
static void test_plain(void)
{
    static const double v[SIZE] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8,
                                   9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4};
    gnd_array *x = from(GND_INT8, 2, shape, v), *half = from(GND_FLOAT16, 2, shape, v);
    for (int r = 0; r < KINDS; r += 5) {
        const double want = of((gnd_reduction)r, SIZE, v, 0, 0, 0);
        gnd_array *y = gnd_reduce((gnd_reduction)r, x, GND_ALL, 0, GND_DTYPE_DEFAULT, NULL);
        near(y, gnd_dtype_of(y), 1, &want, name[r]);
    }
    const double sum = 115, mean = 115 / 24.;
    near(gnd_reduce(GND_REDUCE_SUM, x, GND_ALL, 0, GND_FLOAT32, NULL), GND_FLOAT32, 1, &sum,
         "a sum in float32");
    near(gnd_reduce(GND_REDUCE_MEAN, half, GND_ALL, 0, GND_FLOAT32, NULL), GND_FLOAT32, 1, &mean,
         "a mean in float32");
    gnd_reduce_options two = {.initial = gnd_int(2)};
    const double more = 117;
    near(gnd_reduce(GND_REDUCE_SUM, x, GND_ALL, 0, GND_INT16, &two), GND_INT16, 1, &more,
         "a sum in int16 from 2 on");
    gnd_array *yes = gnd_bool(1);
    gnd_reduce_options all = {.where = yes};
    near(gnd_reduce(GND_REDUCE_SUM, x, GND_ALL, 0, GND_INT16, &all), GND_INT16, 1, &sum,
         "where a scalar is true");
}

/* Nothing, and NaN as what it begins with. */
static void test_edges(void)
{
    const int64_t none[2] = {0, 3}, three = 3;
    const double seven[3] = {7, 7, 7}, nans[3] = {NAN, 1, -INFINITY}, nan = NAN, one = 1;
    gnd_array *nothing = gnd_zeros(dev, GND_FLOAT32, 2, none);
    gnd_reduce_options from7 = {.initial = gnd_int(7)};
    near(gnd_reduce(GND_REDUCE_MAX, nothing, GND_AXIS(0), 0, GND_DTYPE_DEFAULT, &from7),
         GND_FLOAT32, 3, seven, "the greatest of nothing and 7");
    near(gnd_reduce(GND_REDUCE_NANMIN, nothing, GND_AXIS(0), 0, GND_DTYPE_DEFAULT, &from7),
         GND_FLOAT32, 3, seven, "the least of nothing and 7, without NaN");
    gnd_array *x = from(GND_FLOAT32, 1, &three, nans), *no = gnd_zeros(dev, GND_BOOL, 1, &three);
    gnd_reduce_options from_nan = {.initial = gnd_real(NAN)},
                       nowhere = {.initial = gnd_real(NAN), .where = no};
    near(gnd_reduce(GND_REDUCE_NANMAX, x, GND_ALL, 0, GND_DTYPE_DEFAULT, &from_nan), GND_FLOAT32, 1,
         &one, "nanmax begun with NaN");
    near(gnd_reduce(GND_REDUCE_NANMAX, x, GND_ALL, 0, GND_DTYPE_DEFAULT, &nowhere), GND_FLOAT32, 1,
         &nan, "nanmax of nothing, begun with NaN");
    near(gnd_reduce(GND_REDUCE_MAX, x, GND_ALL, 0, GND_DTYPE_DEFAULT, &from_nan), GND_FLOAT32, 1,
         &nan, "max begun with NaN");
}

static void test_errors(void)
{
    const int64_t five = 5;
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 2, shape), *b = gnd_zeros(dev, GND_BOOL, 2, shape);
    gnd_array *b5 = gnd_zeros(dev, GND_BOOL, 1, &five), *i = gnd_zeros(dev, GND_INT8, 2, shape);
    const struct {
        gnd_reduction r;
        gnd_array *x;
        gnd_dtype t;
        gnd_reduce_options o;
        gnd_status want;
        const char *says;
    } bad[] = {
        {GND_REDUCE_SUM,
         x,
         GND_DTYPE_DEFAULT,
         {.where = b5},
         GND_ERR_SHAPE,
         "sum: where has shape (5,), which does not broadcast to x's, (4, 6)"},
        {GND_REDUCE_NANVAR,
         x,
         GND_DTYPE_DEFAULT,
         {.where = x},
         GND_ERR_DTYPE,
         "nanvar: where must be an array of bools, not of float32"},
        {GND_REDUCE_MAX,
         x,
         GND_DTYPE_DEFAULT,
         {.where = b},
         GND_ERR_ARG,
         "max: where= needs initial="},
        {GND_REDUCE_NANMIN,
         x,
         GND_DTYPE_DEFAULT,
         {.where = b},
         GND_ERR_ARG,
         "nanmin: where= needs initial="},
        {GND_REDUCE_MEAN,
         x,
         GND_DTYPE_DEFAULT,
         {.initial = gnd_int(1)},
         GND_ERR_ARG,
         "mean: initial: only sums"},
        {GND_REDUCE_ANY,
         x,
         GND_DTYPE_DEFAULT,
         {.initial = gnd_int(1)},
         GND_ERR_ARG,
         "any: initial: only sums"},
        {GND_REDUCE_SUM,
         x,
         GND_DTYPE_DEFAULT,
         {.initial = x},
         GND_ERR_SHAPE,
         "sum: initial has shape (4, 6)"},
        {GND_REDUCE_SUM,
         x,
         GND_DTYPE_DEFAULT,
         {.correction = 1},
         GND_ERR_ARG,
         "sum: correction 1: only var and std"},
        {GND_REDUCE_MAX, x, GND_INT8, {.correction = 0}, GND_ERR_ARG, "max: dtype int8: only sums"},
        {GND_REDUCE_PROD,
         x,
         (gnd_dtype)99,
         {.correction = 0},
         GND_ERR_DTYPE,
         "prod: 99 is no dtype"},
        {GND_REDUCE_MIN,
         i,
         GND_DTYPE_DEFAULT,
         {.initial = gnd_int(300)},
         GND_ERR_OVERFLOW,
         "min: "},
        {(gnd_reduction)KINDS,
         x,
         GND_DTYPE_DEFAULT,
         {.correction = 0},
         GND_ERR_ARG,
         "reduce: 16 is no reduction"},
        {GND_REDUCE_STD,
         gnd_int(1),
         GND_DTYPE_DEFAULT,
         {.correction = 0},
         GND_ERR_DEVICE,
         "std: x is a scalar"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        gnd_array *y = gnd_reduce(bad[k].r, bad[k].x, GND_ALL, 0, bad[k].t, &bad[k].o);
        tap_is_int(gnd_status_of(y), bad[k].want, "%s", bad[k].says);
        tap_is_int(strncmp(gnd_error(y), bad[k].says, strlen(bad[k].says)), 0, "says so: %s",
                   gnd_error(y));
    }
    tap_is_int(
        gnd_status_of(gnd_reduce(GND_REDUCE_SUM, x, GND_AXIS(2), 0, GND_DTYPE_DEFAULT, NULL)),
        GND_ERR_AXIS, "axis 2");
}

static void on_device(gnd_device *d, const char *spec)
{
    static void (*const test[])(void) = {test_where, test_plain, test_edges, test_errors};
    dev = d;
    tap_diag("%s", spec);
    ref_seed(16);
    ref_run(dev, sizeof test / sizeof test[0], test);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
