/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_large.c - arrays of more than 2^31 elements: made, added, summed, searched, scanned, sliced and
 * read back in part. Needs up to 40 GiB on the device: skipped on smaller ones, and unless
 * GND_TEST_LARGE=1.
 */
#include "ref.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#define NEED ((uint64_t)40 << 30)

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
    gnd_range tail = { GND_IDX_SLICE, n - 7, GND_NONE, 1, NULL };
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
    gnd_range step = { GND_IDX_SLICE, 3, GND_NONE, 1000003, NULL };
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
    const int64_t n = ((int64_t)1 << 31) + 7, rows = (1 << 15) + 1, cols = 1 << 16;
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
    y = gnd_cumulative_sum(gnd_broadcast_to(gnd_full(dev, GND_UINT8, 0, NULL, gnd_int(3)), 2,
                                            (int64_t[]){rows, cols}), GND_AXIS(0), 0, GND_UINT32);
    want = gnd_reshape(gnd_multiply(gnd_arange_i64(dev, 1, rows + 1, 1, GND_INT64), gnd_int(3)), 2,
                       (int64_t[]){rows, 1});
    tap_is_int(gnd_item_i64(gnd_count_nonzero(gnd_not_equal(y, want), GND_ALL, 0), &st), 0,
               "down columns of %lld elements", (long long)(rows * cols));
    tap_is_int(st, GND_OK, "it was computed");
    gnd_scope_end();
}

static void large(gnd_device *dev, const char *id)
{
    gnd_device_info info;
    gnd_device_describe(dev, &info);
    if (info.mem_bytes < NEED || info.max_alloc_bytes < NEED / 4) {
        tap_skip(1, "%s has less than 40 GiB, or no 10 GiB for one array", id);
        return;
    }
    tap_diag("%s: %s", id, info.name);
    one(dev, GND_UINT8, (int64_t)3 << 30);
    one(dev, GND_FLOAT32, ((int64_t)1 << 31) + 7);
    scans(dev);
}

int main(void)
{
    const char *s = getenv("GND_TEST_LARGE");
    if (!s || strcmp(s, "1") != 0)
        tap_skip_all("needs 40 GiB of device memory: GND_TEST_LARGE=1 runs it");
    ref_devices(large);
    return tap_done();
}
