/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_shape.c [all] - reshape, quantiles, largest elements, set operations of two arrays, compress
 * and take_along_axis of distributed arrays against gnd on one rank; and how much a rank receives.
 * Started by mpi_sort.sh.
 */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int thorough;

/* Values 0 .. below - 1 without structure; of floats every nans-th is NaN (0: none). */
static gnd_array *numbers(gnd_dtype t, int64_t n, int below, int nans, uint64_t seed)
{
    double *v = malloc((size_t)n * sizeof *v + 8);
    uint64_t s = 88172645463325252u + seed * 7919;
    for (int64_t i = 0; i < n; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        v[i] = (double)(s >> 33 & 0x3fffffff) / 8;
        v[i] = nans && s % (uint64_t)nans == 0 ? NAN : fmod(floor(v[i]), below);
    }
    gnd_array *x = gnd_from(dev, GND_FLOAT64, 1, &n, v);
    free(v);
    return gnd_astype(x, t);
}

/* The call on arrays of gnd and on distributed ones: the same results. */
static void same(const char *f, int n, const gnd_value *plain, const gnd_value *spread, int nkw,
                 const char *const *kw, double tol, const char *what)
{
    gnd_value ref, out;
    const gnd_status st = gnd_call(dev, f, n, plain, nkw, kw, &ref);
    const gnd_status sm = gndm_call(ctx, f, n, spread, nkw, kw, &out);
    if (st || sm) {
        dist_ok(st == sm, "%s: %s: the same status: %s", what, f, gnd_status_name(st));
        if (st != sm && rank == 0)
            printf("# %s|%s\n", gnd_message(), gndm_message(ctx));
        return;
    }
    if (out.tag == GNDM_V_ARRAY) {
        dist_same((gndm_array *)(void *)out.as.array, ref.as.array, tol, "%s: %s", what, f);
        return;
    }
    const int64_t m = out.tag == GND_V_TUPLE ? out.as.items.n : -1;
    const int fits = (ref.tag == GND_V_TUPLE || ref.tag == GND_V_LIST) && ref.as.items.n == m;
    dist_ok(fits, "%s: %s: a tuple", what, f);
    for (int64_t i = 0; i < m && fits; i++)
        dist_same(gndm_retain((gndm_array *)(void *)out.as.items.item[i].as.array),
                  ref.as.items.item[i].as.array, tol, "%s: %s, result %d", what, f, (int)i);
    gndm_value_clear(&out);
}

/* f(x, y, kw=v ...), of which y and v may be missing. */
static void check(const char *f, gnd_array *x, gndm_array *dx, gnd_value y, gnd_value dy, int nkw,
                  const char *const *kw, const gnd_value *v, double tol, const char *what)
{
    gnd_value plain[6] = {gnd_value_array(x), y}, spread[6] = {gndm_value(dx), dy};
    const int n = y.tag == GND_V_NOTHING ? 1 : 2;
    for (int i = 0; i < nkw; i++)
        plain[n + i] = spread[n + i] = v[i];
    same(f, n + nkw, plain, spread, nkw, kw, tol, what);
}

/* --- shapes ----------------------------------------------------------------------------------- */

static void reshapes(int way)
{
    static const int64_t dims[][4] = {{2, 36, 20},    {3, 6, 8, 15}, {1, 720},
                                      {3, 2, 3, 120}, {2, 0, 4},     {2, 240, 3}};
    static const int64_t to[][4] = {{2, 36, 20}, {3, 2, 3, 120}, {1, -1},
                                    {2, 720, 1}, {3, 12, 12, 5}, {3, 1, 240, 3}};
    char what[120];
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        const int ndim = (int)dims[i][0];
        int64_t n = 1;
        for (int d = 0; d < ndim; d++)
            n *= dims[i][1 + d];
        gnd_scope_begin();
        gndm_scope_begin(ctx);
        gnd_array *x = gnd_reshape(gnd_arange_i64(dev, 0, n, 1, GND_INT32), ndim, dims[i] + 1);
        gndm_array *y = dist_array(x, way);
        for (size_t k = 0; k < sizeof to / sizeof *to && n; k++) {
            gnd_value e[4];
            for (int d = 0; d < to[k][0]; d++)
                e[d] = gnd_value_int(to[k][1 + d]);
            const gnd_value shape = gnd_value_tuple(to[k][0], e);
            snprintf(what, sizeof what, "way %d, shape %d to %d", way, (int)i, (int)k);
            check("reshape", x, y, shape, shape, 0, NULL, NULL, 0, what);
        }
        snprintf(what, sizeof what, "way %d, shape %d", way, (int)i);
        check(i % 2 ? "ravel" : "flatten", x, y, gnd_value_none(), gnd_value_none(), 0, NULL, NULL,
              0, what);
        gndm_scope_end(ctx);
        gnd_scope_end();
    }
}

/* Rows that stay on their ranks are not sent; other shapes send each element once. */
static void little_is_sent(void)
{
    const int64_t n = 40 * size, dim[3] = {n, 6, 5};
    const gnd_value rows[2] = {gnd_value_int(n), gnd_value_int(-1)};
    const gnd_value half[2] = {gnd_value_int(2), gnd_value_int(-1)};
    gndm_stats before, after;
    gndm_part *p = gndm_part_even(ctx, 3, dim, NULL);
    gndm_array *x = dist_array(gnd_ones(dev, GND_FLOAT32, 3, dim), 0), *y = gndm_redistribute(x, p);
    gndm_part_free(p);
    gnd_value v[2] = {gndm_value(y), gnd_value_tuple(2, rows)}, out;
    gndm_wait(ctx, 1, &y);
    gndm_get_stats(ctx, &before);
    gnd_status st = gndm_call(ctx, "reshape", 2, v, 0, NULL, &out);
    gndm_get_stats(ctx, &after);
    dist_ok(!st && after.bytes == before.bytes, "a reshape of whole rows sends nothing");
    gndm_value_clear(&out);
    v[1] = gnd_value_tuple(2, half);
    st = gndm_call(ctx, "reshape", 2, v, 0, NULL, &out);
    gndm_get_stats(ctx, &before);
    dist_ok(!st && before.received - after.received <= (uint64_t)(n * 30 * 4 / size + 240),
            "another one receives no more than the rank's own part");
    gndm_value_clear(&out);
}

/* --- order ------------------------------------------------------------------------------------ */

static void quantiles(gnd_dtype t, int nans, int way)
{
    static const char *const f[] = {"quantile", "percentile", "nanquantile", "median", "nanmedian"};
    static const char *const methods[] = {"linear",   "lower",           "higher",
                                          "midpoint", "nearest",         "hazen",
                                          "weibull",  "median_unbiased", "inverted_cdf"};
    static const char *const kw[] = {"axis", "keepdims", "method"};
    static const int64_t dims[][3] = {{67, 1, 1}, {61, 2, 1}, {2, 59, 1}, {9, 7, 2}};
    static const double some[3] = {0, 0.3, 1};
    const int64_t three = 3;
    char what[160];
    for (int i = 0; i < (thorough ? 4 : 2); i++) {
        gnd_scope_begin();
        gndm_scope_begin(ctx);
        const int ndim = i == 0 ? 1 : i < 3 ? 2 : 3;
        gnd_array *x = numbers(t, dims[i][0] * dims[i][1] * dims[i][2], 100, nans, (uint64_t)i);
        x = gnd_reshape(x, ndim, dims[i]);
        gndm_array *y = dist_array(x, way);
        gnd_array *q = gnd_from(dev, GND_FLOAT64, 1, &three, some);
        for (int d = -1; d < ndim; d++)
            for (int k = thorough ? 0 : (i + d + way + !nans) % 2; k < 5; k += thorough ? 1 : 2) {
                const int m = (i * 7 + d + 1 + k + way) % 9, median = k > 2;
                const gnd_value v[3] = {d < 0 ? gnd_value_none() : gnd_value_int(d),
                                        gnd_value_bool((d + k) % 2), gnd_value_string(methods[m])};
                const gnd_value one = gnd_value_float(k == 1 ? 37.5 : 0.375);
                const gnd_value a = median ? gnd_value_none() : k == 0 ? gnd_value_array(q) : one;
                snprintf(what, sizeof what, "%s%s, way %d, shape %d, axis %d, %s",
                         gnd_dtype_name(t), nans ? " with NaN" : "", way, i, d,
                         median ? "" : methods[m]);
                check(f[k], x, y, a, a, median ? 2 : 3, kw, v, 1e-6, what);
            }
        gndm_scope_end(ctx);
        gnd_scope_end();
    }
}

static void largest(int way)
{
    static const char *const kw[] = {"axis", "largest"};
    static const int64_t dims[][3] = {{90, 2, 1}, {2, 90, 1}, {2, 90, 2}, {12, 11, 3}};
    char what[120];
    for (int i = 0; i < 4; i += thorough ? 1 : 2) {
        const int ndim = i < 2 ? 2 : 3;
        gnd_array *x = numbers(GND_INT16, dims[i][0] * dims[i][1] * dims[i][2], 40, 0, 5);
        x = gnd_reshape(x, ndim, dims[i]);
        gndm_array *y = dist_array(x, way);
        for (int d = 0; d < ndim; d++)
            for (int k = 1; k <= (dims[i][d] < 3 ? 1 : 5); k += 4) {
                const gnd_value v[2] = {gnd_value_int(d), gnd_value_bool(k == 5)};
                snprintf(what, sizeof what, "way %d, shape %d, axis %d, %d", way, i, d, k);
                check("topk", x, y, gnd_value_int(k), gnd_value_int(k), 2, kw, v, 0, what);
            }
    }
}

/* --- sets and selections ---------------------------------------------------------------------- */

static void sets(gnd_dtype t, gnd_dtype u, int nans, int way)
{
    static const char *const f[] = {"union1d", "intersect1d", "setdiff1d", "setxor1d"};
    static const char *const once[] = {"assume_unique"};
    const gnd_value yes = gnd_value_bool(1);
    const int64_t dim[2] = {10, 9}, none = 0;
    char what[120];
    gnd_array *x = gnd_reshape(numbers(t, 90, 60, nans, 1), 2, dim),
              *y = numbers(u, 70, 60, nans, 2);
    gndm_array *dx = dist_array(x, way), *dy = dist_array(y, (way + 1) % WAYS);
    gnd_array *ux = gnd_arange_i64(dev, 80, 20, -1, t), *uy = gnd_arange_i64(dev, 0, 50, 1, u);
    gndm_array *dux = dist_array(ux, way), *duy = dist_array(uy, way ? 0 : 1);
    gnd_array *e = gnd_zeros(dev, u, 1, &none);
    gndm_array *de = dist_array(e, way);
    for (int k = 0; k < 4; k++) {
        snprintf(what, sizeof what, "%s and %s%s, way %d", gnd_dtype_name(t), gnd_dtype_name(u),
                 nans ? " with NaN" : "", way);
        check(f[k], x, dx, gnd_value_array(y), gndm_value(dy), 0, NULL, NULL, 0, what);
        check(f[k], x, dx, gnd_value_array(e), gndm_value(de), 0, NULL, NULL, 0,
              "with no elements");
        if (k)
            check(f[k], ux, dux, gnd_value_array(uy), gndm_value(duy), 1, once, &yes, 0, what);
    }
}

static void selections(int way)
{
    static const char *const kw[] = {"axis"};
    static const int64_t dims[][3] = {{41, 1, 1}, {29, 3, 1}, {3, 26, 1}, {6, 5, 4}};
    char what[120];
    for (int i = thorough ? 0 : 1; i < 4; i += thorough ? 1 : 2) {
        const int ndim = i == 0 ? 1 : i < 3 ? 2 : 3;
        const int64_t n = dims[i][0] * dims[i][1] * dims[i][2];
        gnd_array *x = gnd_reshape(numbers(GND_FLOAT32, n, 1000, 0, 9), ndim, dims[i]);
        gndm_array *y = dist_array(x, way);
        for (int d = -1; d < ndim; d++) {
            const gnd_value axis = d < 0 ? gnd_value_none() : gnd_value_int(d);
            const int64_t m = d < 0 ? n : dims[i][d];
            gnd_array *mask = gnd_greater(numbers(GND_INT32, m - (d == 0), 3, 0, 4), gnd_int(0));
            gndm_array *dm = dist_array(mask, (way + 1) % WAYS);
            snprintf(what, sizeof what, "way %d, shape %d, axis %d", way, i, d);
            gnd_value p[3] = {gnd_value_array(mask), gnd_value_array(x), axis};
            gnd_value s[3] = {gndm_value(dm), gndm_value(y), axis};
            same("compress", 3, p, s, 1, kw, 0, what);
            if (d < 0)
                continue;
            int64_t dim[3] = {dims[i][0], dims[i][1], dims[i][2]};
            dim[d] = 7;
            gnd_array *at = numbers(GND_INT64, n / m * 7, (int)m, 0, 3);
            at = gnd_sub(gnd_reshape(at, ndim, dim), gnd_int(m / 2));
            gndm_array *dat = dist_array(at, (way + 2) % WAYS);
            check("take_along_axis", x, y, gnd_value_array(at), gndm_value(dat), 1, kw, &axis, 0,
                  what);
        }
    }
}

/* --- compositions ----------------------------------------------------------------------------- */

/* The truth value of f(x, y) is `want`. */
static void truth(const char *f, gndm_array *x, gndm_array *y, int want)
{
    const gnd_value v[2] = {gndm_value(x), gndm_value(y)};
    gnd_value out;
    const gnd_status st = gndm_call(ctx, f, 2, v, 0, NULL, &out);
    dist_ok(!st && out.tag == GND_V_BOOL && out.as.i == want, "%s: %d", f, want);
}

static void compositions(int way)
{
    static const char *const kw[] = {"k", "axis"};
    const int64_t dim[2] = {23, 12}, turned[2] = {12, 23}, n = 276;
    gnd_array *x = gnd_reshape(numbers(GND_INT32, n, 50, 0, 6), 2, dim);
    gnd_array *y = gnd_reshape(numbers(GND_INT32, n, 50, 0, 7), 2, dim);
    gnd_array *z = gnd_reshape(y, 2, turned), *w = gnd_add(y, gnd_eye(dev, GND_INT32, 23, 12, 3));
    gndm_array *dx = dist_array(x, way), *dy = dist_array(y, (way + 1) % WAYS);
    gndm_array *dz = dist_array(z, way), *dw = dist_array(w, way);
    char what[60];
    snprintf(what, sizeof what, "way %d", way);
    for (int k = -13; k < 13; k += 5) {
        const gnd_value v = gnd_value_int(k);
        const gnd_value none = gnd_value_none();
        check(k % 2 ? "tril" : "triu", x, dx, none, none, 1, kw, &v, 0, what);
    }
    check("dot", x, dx, gnd_value_array(z), gndm_value(dz), 0, NULL, NULL, 0, what);
    check("outer", x, dx, gnd_value_array(y), gndm_value(dy), 0, NULL, NULL, 0, what);
    for (int d = 0; d < 2; d++) {
        const gnd_value v = gnd_value_int(d);
        check("vecdot", x, dx, gnd_value_array(y), gndm_value(dy), 1, kw + 1, &v, 0, what);
    }
    truth("array_equal", dy, dw, 0);
    truth("array_equal", dx, dx, 1);
    truth("array_equal", dx, dz, 0);
    truth("allclose", dx, dx, 1);
    truth("allclose", dy, dw, 0);
    gndm_part *whole = gndm_part_replicated(ctx, 2, dim); /* also without cuts */
    gndm_array *rx = gndm_redistribute(dx, whole), *ry = gndm_redistribute(dy, whole);
    truth("array_equal", rx, rx, 1);
    truth("allclose", rx, ry, 0);
    gndm_part_free(whole);
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    thorough = argc > 1 && !strcmp(argv[1], "all");
    for (int way = thorough ? 0 : 1; way < (thorough ? WAYS : 2); way++) {
        gndm_scope_begin(ctx);
        reshapes(way);
        quantiles(GND_FLOAT32, 0, way);
        quantiles(GND_FLOAT32, 9, (way + 1) % WAYS);
        largest(way);
        sets(GND_FLOAT32, GND_FLOAT32, 9, way);
        if (thorough) {
            quantiles(GND_INT32, 0, way);
            sets(GND_INT32, GND_INT32, 0, way);
            sets(GND_FLOAT32, GND_INT16, 9, way);
        }
        selections(way);
        compositions(way);
        gndm_scope_end(ctx);
    }
    gndm_scope_begin(ctx);
    if (size > 1)
        little_is_sent();
    gndm_scope_end(ctx);
    return dist_end();
}
