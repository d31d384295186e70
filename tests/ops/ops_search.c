/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_search.c - searching, interpolation and counting against plain loops: dtypes, NaN and
 * infinities, ties, sizes round those of the tree in local memory, views and expressions as
 * arguments; the functions of the language; errors that the device finds. With the kernels of both
 * shapes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

static const char *shape_name;
static int on_gpu; /* the shape for GPUs: what differs from the other is tested */

/* --- order ------------------------------------------------------------------------------------ */

static int before_real(long double a, long double b)
{
    return a < b || (b != b && a == a);
}

/* Whether a comes before b in NumPy's order. */
static int before(ref_num a, ref_num b)
{
    if (a.kind == 'u')
        return a.u < b.u;
    if (a.kind == 'f')
        return before_real(a.re, b.re);
    if (a.kind != 'c')
        return a.i < b.i;
    /* those with a NaN last: first those whose imaginary part is one, then the real part, then both
     */
    int ca = (isnan(a.re) != 0) * 2 + (isnan(a.im) != 0),
        cb = (isnan(b.re) != 0) * 2 + (isnan(b.im) != 0);
    if (ca != cb)
        return ca < cb;
    if (before_real(a.re, b.re) || before_real(b.re, a.re))
        return before_real(a.re, b.re);
    return before_real(a.im, b.im);
}

static size_t esize;
static gnd_dtype etype;

static int compare(const void *a, const void *b)
{
    ref_num x = ref_get(etype, a), y = ref_get(etype, b);
    return before(y, x) - before(x, y);
}

static void sort(ref_arr *a)
{
    etype = a->t;
    esize = gnd_dtype_size(a->t);
    qsort(a->p, (size_t)ref_size(a), esize, compare);
}

static int64_t place(const ref_arr *a, ref_num v, int right)
{
    int64_t k = 0,
            end = ref_size(a); /* the elements before k come before v, those from end on do not */
    while (k < end) {
        int64_t mid = (k + end) / 2;
        if (right ? !before(v, ref_nth(a, mid)) : before(ref_nth(a, mid), v))
            k = mid + 1;
        else
            end = mid;
    }
    return k;
}

/* --- searchsorted ----------------------------------------------------------------------------- */

static int64_t wrong_places(gnd_array *y, const ref_arr *a, const ref_arr *v, int right)
{
    int64_t m = ref_size(v), *got = calloc((size_t)m + 1, sizeof *got), bad = 0;
    if (gnd_read(y, got, (size_t)m * sizeof *got)) {
        tap_diag("%s", gnd_error(y));
        bad = -1;
    }
    for (int64_t i = 0; i < m && bad >= 0; i++)
        if (got[i] != place(a, ref_nth(v, i), right) && !bad++) {
            char text[64];
            tap_diag("element %lld, %s: %lld, want %lld", (long long)i,
                     ref_text(ref_nth(v, i), text, 64), (long long)got[i],
                     (long long)place(a, ref_nth(v, i), right));
        }
    free(got);
    return bad;
}

/* The number of elements of v that isin says wrongly to be in a, or not. */
static int64_t wrong_members(gnd_array *y, const ref_arr *a, const ref_arr *v)
{
    int64_t m = ref_size(v), bad = 0;
    unsigned char *got = calloc((size_t)m + 1, 1);
    if (gnd_read(y, got, (size_t)m)) {
        tap_diag("%s", gnd_error(y));
        bad = -1;
    }
    for (int64_t i = 0; i < m && bad >= 0; i++) {
        const ref_num x = ref_nth(v, i);
        const int number =
            strchr("fc", x.kind) ? !isnan(x.re) && !(x.kind == 'c' && isnan(x.im)) : 1;
        bad += got[i] != (number && place(a, x, 0) < place(a, x, 1));
    }
    free(got);
    return bad;
}

static void one_search(gnd_device *dev, const char *spec, gnd_dtype t, int64_t n, int64_t m,
                       int how, ref_layout l, int right)
{
    ref_arr a = ref_new(t, 1, &n), v;
    gnd_scope_begin();
    ref_fill(&a, how);
    sort(&a);
    int64_t dim[2] = {m, 3};
    gnd_array *x2 = ref_make(dev, t, 2, dim, l, how, &v), *x1 = gnd_from(dev, t, 1, &n, a.p);
    gnd_array *y = gnd_searchsorted(x1, x2, right ? GND_RIGHT : GND_LEFT, NULL);
    tap_is_int(wrong_places(y, &a, &v, right), 0, "%s %s: %s, %lld in %lld %s, %s", spec,
               shape_name, right ? "right" : "left", (long long)(3 * m), (long long)n,
               gnd_dtype_name(t), ref_layout_name(l));
    if (!right && n > 16) /* fewer are compared one by one */
        tap_is_int(wrong_members(gnd_isin(x2, x1, 0), &a, &v), 0, "%s %s: members of them", spec,
                   shape_name);
    gnd_scope_end();
    ref_free(&a);
    ref_free(&v);
}

/* In an array that is not sorted any place is right, but it is one. */
static void unsorted(gnd_device *dev, const char *spec)
{
    enum { N = 500, M = 20000 };
    static int64_t a[N], got[M];
    int bad = 0;
    gnd_scope_begin();
    for (int i = 0; i < N; i++)
        a[i] = i % 3 ? INT64_MAX - i : -(int64_t)i * 1000003;
    a[0] = 5, a[N - 1] = 9; /* near each other, as for a table */
    gnd_array *y =
        gnd_searchsorted(gnd_from(dev, GND_INT64, DIM(N), a),
                         gnd_arange_i64(dev, -M / 2, M / 2, 1, GND_INT64), GND_LEFT, NULL);
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "%s: in an array that is not sorted", spec);
    for (int i = 0; i < M; i++)
        bad += got[i] < 0 || got[i] > N;
    tap_is_int(bad, 0, "%s: places are within it", spec);
    gnd_scope_end();
}

static void searches(gnd_device *dev, const char *spec)
{
    static const int64_t sizes[] = {1, 2, 3, 15, 16, 17, 1000, 4096, 4097, 20011};
    for (int i = 0; i < 10; i++)
        one_search(dev, spec, GND_FLOAT32, sizes[i], i < 5 ? 7 : 200, REF_SMALL, REF_CONTIG, i & 1);
    for (int t = 0; t < GND_NDTYPES; t++) {
        if ((on_gpu && t % 4 != 1 && t != GND_COMPLEX64) || ref_skip(dev, (gnd_dtype)t, 1))
            continue;
        one_search(dev, spec, (gnd_dtype)t, 300, 80, REF_SPECIAL,
                   t % 3 == 1 ? REF_NEGATIVE : REF_CONTIG,
                   t == GND_BOOL || t == GND_FLOAT16 || t == GND_COMPLEX64);
    }
    one_search(dev, spec, GND_FLOAT32, 300, 80, REF_SPECIAL, REF_CONTIG, 0);
    if (on_gpu) { /* by an index, of one to three levels */
        static const gnd_dtype some[] = {GND_INT8, GND_FLOAT64, GND_COMPLEX64};
        for (int i = 0; i < 3; i++)
            if (!ref_skip(dev, some[i], 1))
                one_search(dev, spec, some[i], 40007, 401, REF_SPECIAL,
                           i == 1 ? REF_NEGATIVE : REF_CONTIG, i & 1);
        one_search(dev, spec, GND_FLOAT32, 8193, 100, REF_SMALL, REF_CONTIG, 0);
        one_search(dev, spec, GND_FLOAT32, 65536, 1000, REF_SPECIAL, REF_CONTIG, 0);
        one_search(dev, spec, GND_FLOAT32, 1200003, 4000, REF_SPECIAL, REF_CONTIG, 1);
        return;
    }
    one_search(dev, spec, GND_COMPLEX64, 300, 80, REF_SPECIAL, REF_TRANSPOSED, 0);

    /* many whole numbers: by a table, unless the ends are far apart */
    one_search(dev, spec, GND_INT64, 700, 6000, REF_SMALL, REF_CONTIG, 0);
    one_search(dev, spec, GND_INT64, 700, 6000, REF_SMALL, REF_NEGATIVE, 1);
    one_search(dev, spec, GND_INT64, 700, 6000, REF_SPECIAL, REF_CONTIG, 1);
    one_search(dev, spec, GND_UINT64, 30, 6000, REF_REAL, REF_CONTIG, 0);
    one_search(dev, spec, GND_INT16, 20011, 6000, REF_SPECIAL, REF_CONTIG, 0);
    one_search(dev, spec, GND_UINT16, 20011, 6000, REF_SPECIAL, REF_CONTIG, 1);
    one_search(dev, spec, GND_INT8, 1, 6000, REF_SPECIAL, REF_CONTIG, 0);
    one_search(dev, spec, GND_UINT8, 900, 6000, REF_SPECIAL, REF_CONTIG, 1);
    unsorted(dev, spec);

    /* by a sorter; expressions; promotion; scalars; nothing */
    float a[6] = {5, 1, 3, 3, 9, 7}, v[5] = {0, 3, 4, 9, NAN};
    int32_t order[6] = {1, 2, 3, 0, 5, -2}, bad[6] = {1, 2, 3, 0, 5, 6};
    int64_t got[5];
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, DIM(6), a),
              *q = gnd_from(dev, GND_FLOAT32, DIM(5), v);
    gnd_array *s = gnd_from(dev, GND_INT32, DIM(6), order),
              *e = gnd_from(dev, GND_INT32, DIM(6), bad);
    tap_is_int(gnd_read(gnd_searchsorted(x, q, GND_RIGHT, s), got, sizeof got), GND_OK,
               "%s: with a sorter", spec);
    tap_is_mem(got, ((int64_t[]){0, 3, 3, 6, 6}), sizeof got, "%s: the right places", spec);
    gnd_array *y = gnd_searchsorted(x, q, GND_RIGHT, e);
    tap_is_int(gnd_read(y, got, sizeof got), GND_ERR_INDEX, "%s: a sorter out of range", spec);
    tap_has_str(gnd_error(y), "searchsorted: index 6 is out of range for axis 0 of size 6",
                "%s: says so", spec);
    y = gnd_searchsorted(gnd_arange_i64(dev, 0, 50, 1, GND_INT8), gnd_multiply(q, gnd_int(2)),
                         GND_LEFT, NULL);
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "%s: int8 and float32", spec);
    tap_is_mem(got, ((int64_t[]){0, 6, 8, 18, 50}), sizeof got, "%s: are compared as floats", spec);
    y = gnd_arange_i64(dev, -100, 100, 1, GND_INT8);
    tap_is_f64(gnd_item_f64(gnd_searchsorted(y, gnd_int(300), GND_LEFT, NULL), NULL), 200,
               "%s: a scalar behind all", spec);
    tap_is_f64(gnd_item_f64(gnd_searchsorted(y, gnd_int(-1), GND_RIGHT, NULL), NULL), 100,
               "%s: one within", spec);
    y = gnd_searchsorted(gnd_at(x, ":0"), q, GND_LEFT, NULL);
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "%s: in nothing", spec);
    tap_is_mem(got, ((int64_t[5]){0}), sizeof got, "%s: zeros", spec);
    y = gnd_searchsorted(x, gnd_at(q, ":0"), GND_LEFT, NULL);
    tap_is_int(gnd_read(y, got, 0), GND_OK, "%s: of nothing", spec);
    gnd_scope_end();
}

/* --- digitize and interp ---------------------------------------------------------------------- */

static void bins(gnd_device *dev, const char *spec)
{
    double up[5] = {0, 1, 2.5, 2.5, 10}, v[8] = {-1, 0, 0.5, 1, 2.5, 9, 10, NAN};
    int64_t got[8];
    gnd_scope_begin();
    gnd_dtype t = gnd_default_float(dev);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, DIM(8), (float[]){-1, 0, 0.5f, 1, 2.5f, 9, 10, NAN});
    gnd_array *b =
        gnd_asarray(dev, gnd_from(dev, GND_FLOAT32, DIM(5), (float[]){0, 1, 2.5f, 2.5f, 10}), t);
    for (int k = 0; k < 4; k++) {
        int64_t want[8];
        int right = k & 1, down = k / 2;
        for (int i = 0; i < 8; i++) {
            want[i] = 0;
            for (int j = 0; j < 5; j++) {
                int in = isnan(v[i]) || (right ? up[j] < v[i] : up[j] <= v[i]);
                want[i] += down ? !in : in;
            }
            if (down) /* bins[i-1] > x >= bins[i], or bins[i-1] >= x > bins[i] */
                for (int j = 0, n = 0; j < 5; j++) {
                    n += isnan(v[i]) ? 0 : right ? up[4 - j] >= v[i] : up[4 - j] > v[i];
                    want[i] = n;
                }
        }
        gnd_array *y = gnd_digitize(x, down ? gnd_flip(b, GND_ALL) : b, right);
        tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "%s: digitize %d %d", spec, down, right);
        tap_is_mem(got, want, sizeof got, "%s: the right bins", spec);
    }
    gnd_array *y = gnd_digitize(x, gnd_roll_flat(b, 1), 0);
    tap_is_int(gnd_read(y, got, sizeof got), GND_ERR_ARG, "%s: bins in no order", spec);
    tap_is_str(gnd_error(y), "digitize: the bins must increase or decrease", "%s: say so", spec);
    tap_is_int(gnd_read(gnd_digitize(x, gnd_at(b, ":1"), 0), got, sizeof got), GND_OK,
               "%s: one bin", spec);
    tap_is_mem(got, ((int64_t[]){0, 1, 1, 1, 1, 1, 1, 1}), sizeof got, "%s: two sides", spec);
    gnd_scope_end();
}

enum { POINTS = 40, ASKED = 300 };

/* NumPy's formula on the host. */
static double line(double x, const double *xp, const double *fp, int n)
{
    int j = -1;
    while (j + 1 < n && xp[j + 1] <= x)
        j++;
    if (x != x)
        return x;
    if (j < 0 || x > xp[n - 1])
        return j < 0 ? -7 : 77;
    if (j == n - 1 || xp[j] == x)
        return fp[j];
    double slope = (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j]), y = slope * (x - xp[j]) + fp[j];
    if (y != y)
        y = slope * (x - xp[j + 1]) + fp[j + 1];
    return y != y && fp[j] == fp[j + 1] ? fp[j] : y;
}

static void lines(gnd_device *dev, const char *spec)
{
    float xp[POINTS], fp[POINTS], x[ASKED], one[1] = {2};
    double dxp[POINTS], dfp[POINTS], dx[ASKED], worst = 0;
    int differ = 0;
    ref_seed(3);
    for (int i = 0; i < POINTS; i++) {
        dxp[i] = xp[i] = (float)(i ? xp[i - 1] + (float)ref_range(1, 5) / 4 : -3);
        dfp[i] = fp[i] = i == 20              ? INFINITY
                         : i == 30 || i == 31 ? -INFINITY
                                              : (float)ref_range(-99, 99) / 8;
    }
    for (int i = 0; i < ASKED; i++)
        dx[i] = x[i] = i == 5           ? NAN
                       : i < 2 * POINTS ? xp[i % POINTS]
                                        : (float)ref_range(-400, 4000) / 100;
    gnd_scope_begin();
    gnd_dtype t = gnd_default_float(dev);
    gnd_array *ax = gnd_from(dev, GND_FLOAT32, DIM(ASKED), x),
              *axp = gnd_from(dev, GND_FLOAT32, DIM(POINTS), xp);
    gnd_array *afp = gnd_from(dev, GND_FLOAT32, DIM(POINTS), fp);
    gnd_array *y = gnd_interp(ax, axp, afp, gnd_int(-7), gnd_real(77), 0);
    tap_is_int(gnd_dtype_of(y), t, "%s: interp gives the default float", spec);
    double got[ASKED];
    gnd_array *wide = ref_lacks(dev, GND_FLOAT64) ? NULL : y;
    if (wide && tap_is_int(gnd_read(wide, got, sizeof got), GND_OK, "%s: interp", spec))
        for (int i = 0; i < ASKED; i++) {
            double want = line(dx[i], dxp, dfp, POINTS);
            if (isfinite(want))
                worst = fmax(worst, fabs(got[i] - want));
            else
                differ += memcmp(&got[i], &want, sizeof want) && !(isnan(got[i]) && isnan(want));
        }
    tap_is_int(differ, 0, "%s: infinities and NaN", spec);
    tap_near(worst, 0, 1e-13, "%s: values", spec);

    gnd_array *p1 = gnd_from(dev, GND_FLOAT32, DIM(1), one);
    y = gnd_interp(gnd_from(dev, GND_FLOAT32, DIM(3), (float[]){1, 2, 3}), p1,
                   gnd_multiply(p1, gnd_int(5)), NULL, gnd_int(4), 0);
    tap_is_f64(gnd_item_f64(gnd_at(y, "0"), NULL), 10, "%s: one point, before", spec);
    tap_is_f64(gnd_item_f64(gnd_at(y, "1"), NULL), 10, "%s: at", spec);
    tap_is_f64(gnd_item_f64(gnd_at(y, "2"), NULL), 4, "%s: behind", spec);
    /* complex values: parts by themselves, infinite ones too */
    float z[8] = {0, 1, 2, INFINITY, 4, INFINITY, 6, 0}, zx[4] = {0, 1, 2, 3};
    gnd_array *c = gnd_interp(gnd_from(dev, GND_FLOAT32, DIM(2), (float[]){1.5f, 2.5f}),
                              gnd_from(dev, GND_FLOAT32, DIM(4), zx),
                              gnd_from(dev, GND_COMPLEX64, DIM(4), z), NULL, NULL, 0);
    tap_is_f64(gnd_item_f64(gnd_at(gnd_real_part(c), "0"), NULL), 3,
               "%s: a complex value's real part", spec);
    tap_is_f64(gnd_item_f64(gnd_at(gnd_imag_part(c), "0"), NULL), INFINITY,
               "%s: and imaginary part", spec);
    tap_is_f64(gnd_item_f64(gnd_at(gnd_real_part(c), "1"), NULL), 5, "%s: of the next", spec);
    /* a period: points in any order */
    y = gnd_interp(gnd_from(dev, GND_FLOAT32, DIM(4), (float[]){-180, -170, 365, 10}),
                   gnd_from(dev, GND_FLOAT32, DIM(4), (float[]){190, -190, 350, -350}),
                   gnd_from(dev, GND_FLOAT32, DIM(4), (float[]){5, 10, 3, 4}), NULL, NULL, 360);
    float want[4] = {7.5f, 5, 3.75f, 4}, p[4];
    tap_is_int(gnd_read(gnd_astype(y, GND_FLOAT32), p, sizeof p), GND_OK,
               "%s: interp with a period", spec);
    tap_is_mem(p, want, sizeof p, "%s: values", spec);
    gnd_scope_end();
}

/* --- counting --------------------------------------------------------------------------------- */

static void one_count(gnd_device *dev, const char *spec, gnd_dtype t, int64_t n, int64_t m,
                      int64_t length)
{
    int32_t *v = calloc((size_t)m + 1, sizeof *v);
    int64_t *want = calloc((size_t)length + 1, sizeof *want),
            *got = calloc((size_t)length + 1, sizeof *got);
    gnd_scope_begin();
    for (int64_t i = 0; i < m; i++) {
        v[i] = (int32_t)ref_range(-n / 8, n);
        if (v[i] >= 0 && v[i] < length)
            want[v[i]]++;
    }
    gnd_array *x = gnd_astype(gnd_subtract(gnd_from(dev, GND_INT32, 1, &m, v), gnd_int(0)), t);
    gnd_array *y = gnd_bincount_of(x, NULL, length);
    tap_is_int(gnd_read(y, got, (size_t)length * sizeof *got), GND_OK, "%s %s: %lld %s into %lld",
               spec, shape_name, (long long)m, gnd_dtype_name(t), (long long)length);
    tap_is_mem(got, want, (size_t)length * sizeof *got, "%s: the right counts", spec);
    gnd_scope_end();
    free(v);
    free(want);
    free(got);
}

static void bincounts(gnd_device *dev, const char *spec)
{
    one_count(dev, spec, GND_INT32, 50, 100, 1);
    one_count(dev, spec, GND_INT32, 300, 70001, 256);
    one_count(dev, spec, GND_INT32, 9000, 20000, 8192);
    one_count(dev, spec, GND_INT32, 9000, 20000, 8193);
    one_count(dev, spec, GND_INT32, 100000, 5000, 100003);
    if (on_gpu) { /* dealt out to bins */
        one_count(dev, spec, GND_INT32, 30000, (1 << 20) + 5003, 20001);
        one_count(dev, spec, GND_INT64, 9, (1 << 20) + 1, 8500);
        return;
    }
    one_count(dev, spec, GND_INT64, 300, 5000, 200);
    one_count(dev, spec, GND_INT8, 100, 5000, 60);
    int64_t got[6];
    uint64_t big[3] = {2, (uint64_t)1 << 63, 2};
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_UINT8, DIM(5), (uint8_t[]){1, 3, 1, 1, 0}),
              *y = gnd_bincount(x, NULL, 0);
    tap_is_int(gnd_size(y), 4, "%s: the size of bincount", spec);
    tap_is_int(gnd_read(y, got, 32), GND_OK, "%s: bincount", spec);
    tap_is_mem(got, ((int64_t[]){1, 3, 0, 1}), 32, "%s: counts", spec);
    y = gnd_bincount(gnd_equal(x, gnd_int(1)), NULL, 6);
    tap_is_int(gnd_read(y, got, 48), GND_OK, "%s: of bools, at least 6", spec);
    tap_is_mem(got, ((int64_t[]){2, 3, 0, 0, 0, 0}), 48, "%s: counts", spec);
    tap_is_int(gnd_size(gnd_bincount(gnd_at(x, ":0"), NULL, 2)), 2, "%s: of nothing", spec);
    y = gnd_bincount(gnd_subtract(gnd_astype(x, GND_INT16), gnd_int(3)), NULL, 0);
    tap_is_int(gnd_status_of(y), GND_ERR_ARG, "%s: negative elements", spec);
    tap_is_str(gnd_error(y), "bincount: x has -3: none may be negative", "%s: are named", spec);
    y = gnd_bincount(gnd_from(dev, GND_UINT64, DIM(3), big), NULL, 0);
    tap_is_int(gnd_status_of(y), GND_ERR_OVERFLOW, "%s: too many bins", spec);
    tap_is_int(gnd_read(gnd_bincount_of(gnd_from(dev, GND_UINT64, DIM(3), big), NULL, 3), got, 24),
               GND_OK, "%s: uint64", spec);
    tap_is_mem(got, ((int64_t[]){0, 0, 2}), 24, "%s: beyond int64 is outside", spec);
    /* weights */
    gnd_array *w = gnd_from(dev, GND_FLOAT32, DIM(5), (float[]){1, 2, 3, 0.5f, -1});
    double sums[5], few[5] = {-1, 4.5, 0, 2, 0};
    for (int k = 0; k < 2; k++) {
        y = gnd_multiply(k ? gnd_bincount_of(x, w, 5) : gnd_bincount(x, w, 5), gnd_int(1));
        tap_is_int(gnd_dtype_of(y), gnd_default_float(dev), "%s: sums of weights are floats", spec);
        for (int i = 0; i < 5; i++) {
            char at[2] = {(char)('0' + i), 0};
            sums[i] = gnd_item_f64(gnd_at(y, at), NULL);
        }
        tap_is_mem(sums, few, sizeof few, "%s: sums", spec);
    }
    gnd_scope_end();
}

/* --- histograms ------------------------------------------------------------------------------- */

/* x in n bins with these edges: where to count it, or -1. */
static int64_t bin_of(double x, const double *edge, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (x >= edge[i] && (x < edge[i + 1] || (i == n - 1 && x == edge[n])))
            return i;
    return -1;
}

static void one_histogram(gnd_device *dev, const char *spec, gnd_dtype t, int64_t m, int64_t n,
                          const double *range, int given)
{
    ref_arr v, e;
    gnd_array *out[2];
    char why[200];
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, t, 2, (int64_t[]){m, 3}, REF_OFFSET, REF_SMALL, &v), *edges = NULL;
    gnd_dtype et = gnd_dtype_kind(t) == 'f' ? t : gnd_default_float(dev);
    if (given)
        edges = gnd_square(gnd_linspace(dev, gnd_int(0), gnd_real(2), n + 1, 1, et));
    tap_is_int(gnd_histogram(x, n, range, edges, NULL, 0, out), GND_OK, "%s: histogram of %s", spec,
               gnd_dtype_name(t));
    if (tap_ok(ref_read(out[1], et, 1, (int64_t[]){n + 1}, &e, why, sizeof why), "%s: edges",
               spec)) {
        double *edge = calloc((size_t)n + 1, sizeof *edge);
        int64_t *want = calloc((size_t)n, sizeof *want), *got = calloc((size_t)n, sizeof *got);
        for (int64_t i = 0; i <= n; i++)
            edge[i] = (double)ref_nth(&e, i).re;
        for (int64_t i = 0; i < ref_size(&v); i++) {
            ref_num a = ref_nth(&v, i);
            int64_t k = bin_of(a.kind == 'f'   ? (double)a.re
                               : a.kind == 'u' ? (double)a.u
                                               : (double)a.i,
                               edge, n);
            if (k >= 0)
                want[k]++;
        }
        tap_is_int(gnd_read(out[0], got, (size_t)n * sizeof *got), GND_OK, "%s: counts", spec);
        tap_is_mem(got, want, (size_t)n * sizeof *got, "%s %s: %lld bins%s%s of %s", spec,
                   shape_name, (long long)n, range ? " in a range" : "", given ? " by edges" : "",
                   gnd_dtype_name(t));
        free(edge);
        free(want);
        free(got);
        ref_free(&e);
    } else {
        tap_diag("%s", why);
    }
    gnd_scope_end();
    ref_free(&v);
}

/* Edges, and the numbers beside them, where rounding of a computed place would count in another
 * bin. */
static void beside_edges(gnd_device *dev, const char *spec, int64_t n, double low, double high)
{
    float *x = calloc(3 * (size_t)n + 8, sizeof *x);
    double *edge = calloc((size_t)n + 1, sizeof *edge);
    int64_t *want = calloc((size_t)n, 8), *got = calloc((size_t)n, 8), m = 0;
    gnd_array *out[2];
    gnd_scope_begin();
    gnd_array *e = gnd_linspace(dev, gnd_real(low), gnd_real(high), n + 1, 1, GND_FLOAT32);
    float *ends = calloc((size_t)n + 1, sizeof *ends);
    tap_is_int(gnd_read(e, ends, (size_t)(n + 1) * sizeof *ends), GND_OK, "%s: edges", spec);
    for (int64_t i = 0; i <= n; i++) {
        edge[i] = (double)ends[i];
        x[m++] = ends[i];
        x[m++] = nextafterf(ends[i], INFINITY);
        x[m++] = nextafterf(ends[i], -INFINITY);
    }
    x[m++] = NAN;
    x[m++] = INFINITY;
    x[m++] = -INFINITY;
    for (int64_t i = 0; i < m; i++) {
        const int64_t k = bin_of((double)x[i], edge, n);
        if (k >= 0)
            want[k]++;
    }
    gnd_histogram(gnd_from(dev, GND_FLOAT32, 1, &m, x), n, (double[]){low, high}, NULL, NULL, 0,
                  out);
    tap_is_int(gnd_read(out[0], got, (size_t)n * 8), GND_OK, "%s: counted", spec);
    tap_is_mem(got, want, (size_t)n * 8, "%s %s: numbers beside the edges of %lld bins", spec,
               shape_name, (long long)n);
    gnd_scope_end();
    free(ends);
    free(x);
    free(edge);
    free(want);
    free(got);
}

static void histograms(gnd_device *dev, const char *spec)
{
    const double range[2] = {-2.25, 3.1};
    one_histogram(dev, spec, GND_FLOAT32, 4000, 10, NULL, 0);
    one_histogram(dev, spec, GND_FLOAT32, 4000, 77, range, 0);
    one_histogram(dev, spec, GND_FLOAT32, 4000, 9, NULL, 1);
    beside_edges(dev, spec, 640, -0.1, 0.3);
    beside_edges(dev, spec, 8100, 1, 2); /* near a bin's edge everywhere, in float32 */
    if (on_gpu) {
        if (!ref_skip(dev, GND_FLOAT64, 2))
            one_histogram(dev, spec, GND_FLOAT64, 1000, 1000, NULL, 0);
        return;
    }
    one_histogram(dev, spec, GND_FLOAT16, 1000, 10, range, 0);
    one_histogram(dev, spec, GND_INT32, 1000, 7, NULL, 0);
    if (!ref_skip(dev, GND_FLOAT64, 4))
        one_histogram(dev, spec, GND_FLOAT64, 1000, 1000, range, 0);
    gnd_array *out[3];
    float v[4] = {1, 2, 1, NAN}, got[4];
    int64_t counts[6];
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, DIM(4), v), *three = gnd_at(x, ":3");
    gnd_histogram(x, 3, NULL, NULL, NULL, 0, out);
    tap_is_int(gnd_read(out[0], counts, 24), GND_ERR_ARG, "%s: a NaN without a range", spec);
    tap_is_int(gnd_read(out[1], got, 16), GND_ERR_ARG, "%s: nor are there edges", spec);
    gnd_histogram(x, 3, NULL, gnd_from(dev, GND_FLOAT32, DIM(4), (float[]){0, 2, 1, 3}), NULL, 0,
                  out);
    tap_is_int(gnd_read(out[0], counts, 24), GND_ERR_ARG, "%s: edges in disorder", spec);
    tap_is_str(gnd_error(out[0]), "histogram: the edges must increase", "%s: say so", spec);
    gnd_histogram(gnd_at(x, ":0"), 2, NULL, NULL, NULL, 0, out);
    tap_is_int(gnd_read(out[0], counts, 16), GND_OK, "%s: of nothing", spec);
    tap_is_mem(counts, ((int64_t[]){0, 0}), 16, "%s: zeros", spec);
    tap_is_f64(gnd_item_f64(gnd_at(out[1], "2"), NULL), 1, "%s: from 0 to 1", spec);
    gnd_histogram(gnd_at(x, "::2"), 2, (double[]){1, 1}, NULL, NULL, 0, out);
    tap_is_f64(gnd_item_f64(gnd_at(out[1], "0"), NULL), 0.5, "%s: an empty range is widened", spec);
    /* densities, weights */
    gnd_histogram(three, 2, NULL, NULL, NULL, GND_DENSITY, out);
    tap_is_int(gnd_dtype_of(out[0]), gnd_default_float(dev), "%s: densities are floats", spec);
    tap_near(gnd_item_f64(gnd_at(out[0], "0"), NULL), 4.0 / 3, 1e-6, "%s: their values", spec);
    gnd_array *w = gnd_from(dev, GND_FLOAT32, DIM(3), (float[]){0.5f, 4, 2});
    gnd_histogram(three, 2, NULL, NULL, w, 0, out);
    tap_is_int(gnd_read(out[0], got, 8), GND_OK, "%s: with weights", spec);
    tap_is_mem(got, ((float[]){2.5f, 4}), 8, "%s: sums", spec);
    gnd_histogram(three, 2, NULL, NULL, gnd_astype(w, GND_INT8), 0, out);
    int8_t small[2];
    tap_is_int(gnd_read(out[0], small, 2), GND_OK, "%s: in the dtype of the weights", spec);
    tap_is_mem(small, ((int8_t[]){2, 4}), 2, "%s: sums", spec);
    /* two dimensions */
    gnd_array *at[2] = {gnd_from(dev, GND_FLOAT32, DIM(5), (float[]){0, 1, 2, 3, 9}),
                        gnd_from(dev, GND_FLOAT32, DIM(5), (float[]){0, 0, 1, 1, 1})};
    gnd_histogramdd(2, at, (int64_t[]){3, 2}, (double[]){0, 3, 0, 1}, NULL, NULL, 0, out);
    float h[6];
    tap_is_int(gnd_read(gnd_astype(out[0], GND_FLOAT32), h, sizeof h), GND_OK, "%s: two dimensions",
               spec);
    tap_is_mem(h, ((float[]){1, 0, 1, 0, 0, 2}), sizeof h, "%s: counts", spec);
    gnd_histogramdd(2, at, (int64_t[]){3, 2}, (double[]){0, 3, 0, 1}, NULL, NULL, GND_DENSITY, out);
    tap_near(gnd_item_f64(gnd_sum(out[0], GND_ALL, 0), NULL), 2, 1e-6, "%s: densities", spec);
    gnd_scope_end();
}

/* --- the language ----------------------------------------------------------------------------- */

static void said(gnd_device *dev, const char *spec)
{
    static const expect_value cases[] = {
        {"searchsorted([1, 2, 2, 3], 2)", 1},
        {"searchsorted([1, 2, 2, 3], 2, side='right')", 3},
        {"array([3, 1, 2]).searchsorted(2.5, sorter=[1, 2, 0])", 2},
        {"digitize([0.5, 7], [0, 1, 5], right=True).sum()", 4},
        {"interp(2.5, [1, 2, 3], [3, 2, 0])", 1},
        {"interp(9, [1, 2, 3], [3, 2, 0], right=-1)", -1},
        {"bincount([1, 4, 1]).max() + bincount([9, 1], minlength=3, length=2).sum()", 3},
        {"histogram([1, 2, 1, 4], bins=3)[0][0]", 2},
        {"histogram([1, 2, 1, 4], [0, 1.5, 9])[0][1]", 2},
        {"histogram([1, 2, 1, 4], 4, (0, 2), density=True)[1][1]", 0.5},
        {"histogram_bin_edges([1, 2, 3], 4)[1]", 1.5},
        {"histogram2d([0, 1, 1], [5, 5, 6], 2)[0][1, 1]", 1},
        {"histogram2d([0, 1, 1], [5, 5, 6], [2, [0, 5.5, 9]], [[0, 1], None])[0][1, 0]", 1},
        {"histogramdd(array([[0, 1], [2, 3], [2, 4]]), 2)[1][0][2]", 2},
        {"histogramdd(([0, 2, 2], [1, 3, 4]), (2, 2))[0].sum()", 3},
    };
    expect_values(dev, spec, (int)(sizeof cases / sizeof *cases), cases);
}

static void all(gnd_device *dev, const char *spec)
{
    searches(dev, spec);
    bincounts(dev, spec);
    histograms(dev, spec);
    if (on_gpu)
        return;
    bins(dev, spec);
    lines(dev, spec);
    said(dev, spec);
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        shape_name = shape[i];
        on_gpu = i;
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(all);
    }
    return tap_done();
}
