/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_large.c - arrays of more than 2^31 elements: made, added, summed, searched, scanned, sliced,
 * sorted, taken from, masked, made unique, and read back in part; all of it against closed forms,
 * computed on the device. Needs up to 60 GiB there: skipped on smaller ones, and unless
 * GND_TEST_LARGE is set. That is 1, or a power of two up to 65536 by which all sizes are divided,
 * to try the test itself.
 */
#include "ref.h"
#include "tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED ((uint64_t)60 << 30)
#define LEAST ((uint64_t)17 << 30) /* for one array */

/* 2^30 and its exponent, or less: see GND_TEST_LARGE. */
static int64_t big = (int64_t)1 << 30;
static int bits = 30;

/* Element i of the test arrays, before the marked one. */
static uint64_t pattern(int64_t i)
{
    return (uint64_t)i % 251;
}

/* The sum of the pattern over n elements. */
static uint64_t pattern_sum(int64_t n)
{
    uint64_t rest = (uint64_t)n % 251;
    return (uint64_t)n / 251 * (251 * 250 / 2) + rest * (rest - 1) / 2;
}

static void one(gnd_device *dev, gnd_dtype t, int64_t n)
{
    const char *name = gnd_dtype_name(t);
    const int64_t mark = n - 5;
    unsigned char part[7 * 4];
    gnd_status st;
    gnd_scope_begin();
    gnd_array *i = gnd_arange_i64(dev, 0, n, 1, GND_INT64);
    gnd_array *x = gnd_astype(gnd_remainder(i, gnd_int(251)), t);
    x = gnd_where(gnd_equal(i, gnd_int(mark)), gnd_astype(gnd_int(252), t), x);
    st = gnd_eval_all(1, &x);
    tap_ok(st == GND_OK, "%s: %lld elements are made: %s", name, (long long)n, gnd_error(x));
    gnd_array *y = gnd_add(x, gnd_int(1));
    st = gnd_eval_all(1, &y);
    tap_ok(st == GND_OK, "%s: and added to: %s", name, gnd_error(y));
    uint64_t want = pattern_sum(n) - pattern(mark) + 252 + (uint64_t)n;
    if (t == GND_UINT8)
        tap_is_int(gnd_item_i64(gnd_sum(y, GND_ALL, 0), &st), (int64_t)want, "%s: sum", name);
    else
        tap_ok(llabs(gnd_item_i64(gnd_sum(y, GND_ALL, 0), &st) - (int64_t)want) <= 1 << 17,
               "%s: sum, to float32's precision", name);
    tap_ok(st == GND_OK, "%s: sum was computed", name);
    tap_is_int(gnd_item_i64(gnd_argmax(y, GND_ALL, 0), &st), mark, "%s: argmax", name);
    tap_is_int(gnd_item_i64(gnd_argmax(gnd_flip(y, GND_ALL), GND_ALL, 0), &st), n - 1 - mark,
               "%s: argmax from behind", name);
    gnd_range tail = {GND_IDX_SLICE, n - 7, GND_NONE, 1, NULL};
    gnd_array *end = gnd_index(y, 1, &tail);
    memset(part, 0, sizeof part);
    st = gnd_read(end, part, gnd_nbytes(end));
    int right = st == GND_OK && gnd_size(end) == 7;
    for (int k = 0; k < 7 && right; k++) {
        int64_t at = n - 7 + k;
        uint64_t v = (at == mark ? 252 : pattern(at)) + 1;
        float f;
        memcpy(&f, part + 4 * k, 4);
        right = t == GND_UINT8 ? part[k] == v : f == (float)v;
    }
    tap_ok(right, "%s: the last elements, read back", name);
    gnd_range step = {GND_IDX_SLICE, 3, GND_NONE, 1000003, NULL};
    gnd_array *few = gnd_index(y, 1, &step);
    float *host = malloc((size_t)gnd_size(few) * 4);
    st = gnd_read(gnd_astype(few, GND_FLOAT32), host, (size_t)gnd_size(few) * 4);
    right = st == GND_OK;
    for (int64_t k = 0; k < gnd_size(few) && right; k++)
        right = host[k] == (float)(pattern(3 + k * 1000003) + 1);
    tap_ok(right, "%s: every 1000003rd element", name);
    free(host);
    gnd_scope_end();
}

/* Running sums of the pattern, modulo 2^32, along one row and down columns, against the formula. */
static void scans(gnd_device *dev)
{
    const int64_t n = 2 * big + 7, rows = (1 << 15) + 1, cols = big >> 14;
    gnd_status st;
    gnd_scope_begin();
    gnd_array *i = gnd_arange_i64(dev, 0, n, 1, GND_INT64), *k = gnd_add(i, gnd_int(1));
    gnd_array *full = gnd_multiply(gnd_floor_divide(k, gnd_int(251)), gnd_int(251 * 250 / 2));
    gnd_array *r = gnd_remainder(k, gnd_int(251));
    gnd_array *rest = gnd_floor_divide(gnd_multiply(r, gnd_subtract(r, gnd_int(1))), gnd_int(2));
    gnd_array *want = gnd_astype(gnd_add(full, rest), GND_UINT32);
    gnd_array *x = gnd_astype(gnd_remainder(i, gnd_int(251)), GND_UINT8);
    gnd_array *y = gnd_cumulative_sum(x, GND_ALL, 0, GND_UINT32);
    tap_is_int(gnd_item_i64(gnd_count_nonzero(gnd_not_equal(y, want), GND_ALL, 0), &st), 0,
               "cumulative_sum of %lld elements", (long long)n);
    tap_is_int(st, GND_OK, "it was computed");
    y = gnd_cumulative_sum(
        gnd_broadcast_to(gnd_full(dev, GND_UINT8, 0, NULL, gnd_int(3)), 2, (int64_t[]){rows, cols}),
        GND_AXIS(0), 0, GND_UINT32);
    want = gnd_reshape(gnd_multiply(gnd_arange_i64(dev, 1, rows + 1, 1, GND_INT64), gnd_int(3)), 2,
                       (int64_t[]){rows, 1});
    tap_is_int(gnd_item_i64(gnd_count_nonzero(gnd_not_equal(y, want), GND_ALL, 0), &st), 0,
               "down columns of %lld elements", (long long)(rows * cols));
    tap_is_int(st, GND_OK, "it was computed");
    gnd_scope_end();
}

/* --- indices, order, masks -------------------------------------------------------------------- */

static gnd_array *indices(gnd_device *dev, int64_t n)
{
    return gnd_arange_i64(dev, 0, n, 1, GND_INT64);
}

/* Elements of x that are not those of want: none but `but`. */
static void same(gnd_array *x, gnd_array *want, int64_t but, const char *what)
{
    gnd_status st;
    gnd_array *bad = gnd_count_nonzero(gnd_not_equal(x, want), GND_ALL, 0);
    int64_t n = gnd_item_i64(bad, &st);
    tap_ok(st == GND_OK && n == but, "%s, %lld elements: %lld differ%s%s", what,
           (long long)gnd_size(x), (long long)n, st ? ": " : "", st ? gnd_error(bad) : "");
}

static gnd_array *modulo(gnd_array *i, int64_t m)
{
    return gnd_remainder(i, gnd_int(m));
}

/* 2^keep values, each as often as the others among 2^of successive i. */
static gnd_array *shuffled(gnd_array *i, int of, int keep)
{
    gnd_array *k = gnd_multiply(i, gnd_int(1640531527));
    k = gnd_bitwise_and(k, gnd_int(((int64_t)1 << of) - 1));
    return gnd_floor_divide(k, gnd_int((int64_t)1 << (of - keep)));
}

static void sorts(gnd_device *dev)
{
    int64_t n = 3 * big, first[251];
    float end[5] = {0};
    gnd_scope_begin();
    gnd_array *i = indices(dev, n);
    gnd_array *y = gnd_sort(gnd_astype(shuffled(i, bits, 8), GND_UINT8), 0, 0);
    same(y, gnd_floor_divide(i, gnd_int(n / 256)), 0, "sort of uint8");
    gnd_scope_end();
    /* stable: those of one value in the order in which they came, which is in steps of 251 */
    gnd_scope_begin();
    n = 2 * big + 7;
    y = gnd_argsort(gnd_astype(modulo(indices(dev, n), 251), GND_UINT8), 0, 0);
    (void)gnd_eval_all(1, &y);
    same(gnd_subtract(gnd_at(y, "1:"), gnd_at(y, ":-1")), gnd_int(251), 250, "argsort of uint8");
    for (int64_t d = 0; d < 251; d++)
        first[d] = d * (n / 251) + (d < n % 251 ? d : n % 251);
    same(gnd_take(y, gnd_from(dev, GND_INT64, 1, (int64_t[]){251}, first), 0), indices(dev, 251), 0,
         "where its values begin");
    gnd_scope_end();
    gnd_scope_begin();
    i = indices(dev, n);
    gnd_array *past = gnd_subtract(i, gnd_int(2 * big)), *half = gnd_int(big >> 7);
    gnd_array *v = gnd_astype(gnd_subtract(shuffled(i, bits + 1, bits - 6), half), GND_FLOAT32);
    gnd_array *odd =
        gnd_where(gnd_less(past, gnd_int(2)), gnd_real(-INFINITY),
                  gnd_where(gnd_less(past, gnd_int(4)), gnd_real(INFINITY), gnd_real(NAN)));
    y = gnd_sort(gnd_where(gnd_less(past, gnd_int(0)), v, gnd_astype(odd, GND_FLOAT32)), 0, 0);
    (void)gnd_eval_all(1, &y);
    gnd_range mid = {GND_IDX_SLICE, 2, -5, 1, NULL};
    same(gnd_index(y, 1, &mid),
         gnd_subtract(gnd_floor_divide(indices(dev, 2 * big), gnd_int(128)), half), 0,
         "sort of float32");
    same(gnd_at(y, ":2"), gnd_real(-INFINITY), 0, "what is before");
    tap_is_int(gnd_read(gnd_at(y, "-5:"), end, sizeof end), GND_OK, "what is behind is read");
    tap_ok(end[0] == INFINITY && end[1] == INFINITY && isnan(end[2]) && isnan(end[3]) &&
               isnan(end[4]),
           "and right: %g %g %g %g %g", end[0], end[1], end[2], end[3], end[4]);
    gnd_scope_end();
}

static void takes(gnd_device *dev)
{
    const int64_t n = 3 * big, m = big >> 10;
    gnd_status st;
    char text[32];
    gnd_scope_begin();
    gnd_array *i = indices(dev, n), *x = gnd_astype(modulo(i, 251), GND_UINT8);
    (void)gnd_eval_all(1, &x);
    gnd_array *back = gnd_subtract(gnd_int(n - 1), gnd_multiply(indices(dev, m), gnd_int(3071)));
    (void)gnd_eval_all(1, &back);
    same(gnd_take(x, back, 0), modulo(back, 251), 0, "take at indices that are stored");
    same(gnd_take(x, gnd_subtract(gnd_int(-1), i), 0), modulo(gnd_subtract(gnd_int(n - 1), i), 251),
         0, "take at negative indices");
    gnd_array *table = gnd_astype(gnd_subtract(gnd_int(250), indices(dev, 251)), GND_UINT8);
    same(gnd_take(table, modulo(i, 251), 0), gnd_subtract(gnd_int(250), modulo(i, 251)), 0,
         "take of few");
    gnd_array *bad = gnd_sum(gnd_take(x, gnd_add(back, gnd_int(1)), 0), GND_ALL, 0);
    (void)gnd_item_i64(bad, &st);
    tap_ok(st == GND_ERR_INDEX, "an index too large is an error");
    snprintf(text, sizeof text, "index %lld ", (long long)n);
    tap_has_str(gnd_error(bad), text, "with the index");
    gnd_scope_end();
}

/* nonzero of rows x 2^30 elements, of which few are true, all of them in the last row. */
static void places(gnd_device *dev, int64_t rows)
{
    const int64_t before = (rows - 1) * big, n = rows * big, first = (before + 996) / 997 * 997;
    gnd_array *i, *mask, *at[2], *want;
    gnd_scope_begin();
    i = indices(dev, n);
    mask = gnd_logical_and(gnd_equal(modulo(i, 997), gnd_int(0)),
                           gnd_greater_equal(i, gnd_int(before)));
    want = gnd_arange_i64(dev, first, n, 997, GND_INT64);
    tap_diag("%lld true ones among %lld", (long long)gnd_size(want), (long long)n);
    tap_is_int(gnd_nonzero(mask, at), GND_OK, "nonzero");
    same(at[0], want, 0, "nonzero");
    tap_is_int(gnd_nonzero(gnd_reshape(mask, 2, (int64_t[]){rows, big}), at), GND_OK,
               "nonzero of rows");
    same(at[0], gnd_int(rows - 1), 0, "the rows");
    same(at[1], gnd_subtract(want, gnd_int(before)), 0, "the columns");
    gnd_scope_end();
}

static void masks(gnd_device *dev)
{
    const int64_t n = 3 * big;
    gnd_scope_begin();
    gnd_array *i = indices(dev, n), *x = gnd_astype(modulo(i, 251), GND_UINT8);
    (void)gnd_eval_all(1, &x);
    gnd_range r = {GND_IDX_ARRAY, 0, 0, 0, NULL};
    gnd_array *k = gnd_arange_i64(dev, 996, n, 997, GND_INT64);
    r.array = gnd_equal(modulo(i, 997), gnd_int(996));
    same(gnd_index(x, 1, &r), modulo(k, 251), 0, "x[mask], of few");
    r.array = gnd_not_equal(modulo(i, 4), gnd_int(0));
    gnd_array *y = gnd_index(x, 1, &r);
    k = indices(dev, gnd_size(y));
    tap_is_int(gnd_size(y), n / 4 * 3, "x[mask], of many: their number");
    k = gnd_add(gnd_multiply(gnd_floor_divide(k, gnd_int(3)), gnd_int(4)),
                gnd_add(modulo(k, 3), gnd_int(1)));
    same(y, modulo(k, 251), 0, "x[mask], of many");
    gnd_scope_end();
}

static void uniques(gnd_device *dev)
{
    int64_t n = 3 * big;
    gnd_array *y[2];
    gnd_scope_begin();
    gnd_array *i = indices(dev, n), *x = gnd_astype(modulo(i, 251), GND_UINT8);
    same(gnd_unique_values(x), indices(dev, 251), 0, "unique_values of uint8");
    tap_is_int(gnd_unique_counts(x, y), GND_OK, "unique_counts");
    gnd_array *k = indices(dev, 251), *more = gnd_less(k, gnd_int(n % 251));
    same(y[1], gnd_add(gnd_int(n / 251), gnd_astype(more, GND_INT64)), 0, "its counts");
    gnd_scope_end();
    gnd_scope_begin();
    n = 2 * big + 7;
    i = indices(dev, n);
    x = gnd_where(gnd_less(i, gnd_int(2 * big)), gnd_astype(shuffled(i, bits + 1, 11), GND_FLOAT32),
                  gnd_real(NAN));
    tap_is_int(gnd_unique_counts(x, y), GND_OK, "unique_counts of float32");
    same(gnd_at(y[0], ":2048"), indices(dev, 2048), 0, "its values");
    same(gnd_at(y[0], "2048:"), gnd_at(y[0], "2048:"), 7, "every NaN");
    same(y[1], gnd_where(gnd_isnan(y[0]), gnd_int(1), gnd_int(big >> 10)), 0, "its counts");
    gnd_scope_end();
}

static void large(gnd_device *dev, const char *id)
{
    gnd_device_info info;
    const uint64_t part = ((uint64_t)1 << 30) / (uint64_t)big;
    gnd_device_describe(dev, &info);
    if (info.mem_bytes < NEED / part || info.max_alloc_bytes < LEAST / part) {
        tap_skip(1, "%s has less than 60 GiB, or no 17 GiB for one array", id);
        return;
    }
    tap_diag("%s: %s", id, info.name);
    one(dev, GND_UINT8, 3 * big);
    one(dev, GND_FLOAT32, 2 * big + 7);
    scans(dev);
    sorts(dev);
    takes(dev);
    places(dev, 3);
    places(dev, 5);
    masks(dev);
    uniques(dev);
}

int main(void)
{
    const char *s = getenv("GND_TEST_LARGE");
    int64_t part = s ? strtoll(s, NULL, 10) : 0;
    if (part < 1 || part > 65536 || (part & (part - 1)))
        tap_skip_all("needs 60 GiB of device memory: GND_TEST_LARGE=1 runs it");
    for (; part > 1; part /= 2, bits--)
        big /= 2;
    ref_devices(large);
    return tap_done();
}
