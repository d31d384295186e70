/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_root.c - elements that one rank has: gndm_scatter and gndm_gather, in all ways of cutting,
 * with any rank as the root. Started by mpi.sh.
 */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

/* Element i of a pattern of bytes that no shift keeps. */
static char byte_of(int64_t i)
{
    return (char)((i * 7 + i / 251 * 3 + i / 65521) % 127);
}

static void there_and_back(gnd_dtype t, int ndim, const int64_t *shape, int way, int root)
{
    int64_t n = (int64_t)gnd_dtype_size(t);
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    char *data = malloc((size_t)n + 1), *back = malloc((size_t)n + 1), *all = malloc((size_t)n + 1);
    for (int64_t i = 0; i < n; i++)
        data[i] = t == GND_BOOL ? byte_of(i) & 1 : byte_of(i);
    memset(back, 99, (size_t)n + 1);
    gndm_part *p = dist_part(way, ndim, shape);
    gndm_array *x = gndm_scatter(ctx, root, t, ndim, shape, rank == root ? data : NULL, p);
    gndm_part *q = gndm_part_of(x);
    int64_t a[2][GND_MAX_NDIM] = {{0}}, b[2][GND_MAX_NDIM] = {{0}};
    gndm_part_box(p, rank, a[0], a[1]);
    gndm_part_box(q, rank, b[0], b[1]);
    int right = !gndm_status_of(x) && gndm_dtype_of(x) == t && gndm_ndim(x) == ndim &&
                !memcmp(a, b, sizeof a);
    right = right && !gndm_read(x, all, (size_t)n) && !memcmp(all, data, (size_t)n);
    dist_ok(right, "%s of %d axes, way %d, from rank %d: %s", gnd_dtype_name(t), ndim, way, root,
            gndm_error(x));
    const gnd_status st =
        gndm_gather(x, root, rank == root ? back : NULL, rank == root ? (size_t)n : 0);
    right = !st;
    for (int64_t i = 0; i <= n && right; i++)
        right = back[i] == (rank == root && i < n ? data[i] : 99);
    dist_ok(right, "and back: %s", st ? gndm_message(ctx) : "");
    gndm_release(x);
    gndm_part_free(p);
    gndm_part_free(q);
    free(data);
    free(back);
    free(all);
}

static void refused(gndm_array *x, gnd_status want, const char *text)
{
    dist_ok(gndm_status_of(x) == want && strstr(gndm_error(x), text), "%s", gndm_error(x));
    gndm_release(x);
}

static void not_gathered(gnd_status st, gnd_status want, const char *text)
{
    dist_ok(st == want && strstr(gndm_message(ctx), text), "%s", gndm_message(ctx));
}

static void errors(void)
{
    const int64_t shape[2] = {5, 3}, other[2] = {5, 4};
    const float data[15] = {1, 2, 3};
    float back[15];
    gndm_part *p = dist_part(1, 2, other);
    refused(gndm_scatter(NULL, 0, GND_FLOAT32, 2, shape, data, NULL), GND_ERR_NULL, "NULL");
    refused(gndm_scatter(ctx, size, GND_FLOAT32, 2, shape, data, NULL), GND_ERR_ARG,
            "scatter: root is");
    refused(gndm_scatter(ctx, -1, GND_FLOAT32, 2, shape, data, NULL), GND_ERR_ARG, "root is -1");
    refused(gndm_scatter(ctx, 0, (gnd_dtype)77, 2, shape, data, NULL), GND_ERR_DTYPE,
            "scatter: not a dtype");
    refused(gndm_scatter(ctx, 0, GND_FLOAT32, 2, shape, data, p), GND_ERR_SHAPE,
            "scatter: shape (5, 3), a partition of (5, 4)");
    refused(gndm_scatter(ctx, 0, GND_FLOAT32, 99, shape, data, NULL), GND_ERR_SHAPE, "99 axes");
    refused(gndm_scatter(ctx, 0, GND_FLOAT32, 2, shape, rank == 0 ? NULL : data, NULL),
            GND_ERR_NULL, "scatter: data is NULL [rank 0]");
    gndm_part_free(p);
    gndm_array *x = gndm_from(ctx, GND_FLOAT32, 2, shape, data, NULL);
    dist_ok(gndm_gather(NULL, 0, back, sizeof back) == GND_ERR_NULL, "gather of NULL");
    not_gathered(gndm_gather(x, size, back, sizeof back), GND_ERR_ARG, "gather: root is");
    not_gathered(gndm_gather(x, 0, NULL, sizeof back), GND_ERR_NULL,
                 "gather: dst is NULL [rank 0]");
    not_gathered(gndm_gather(x, 0, back, 8), GND_ERR_SHAPE,
                 "gather: room for 8 bytes, the array has 60 [rank 0]");
    gndm_array *bad = gndm_along("sum", x, 9);
    dist_ok(gndm_gather(bad, 0, back, sizeof back) == gndm_status_of(bad) && gndm_status_of(bad),
            "gather of an error: %.60s", gndm_error(bad));
    gndm_release(bad);
    /* one rank's part fails when it is evaluated: that of the last one that has elements */
    p = gndm_part_of(x);
    int64_t from[2], to[2];
    gndm_part_box(p, rank, from, to);
    const int64_t dim[2] = {to[0] - from[0], to[1] - from[1]}, three = 3;
    gnd_array *local = gnd_zeros(dev, GND_FLOAT32, 2, dim);
    const int last = (size < shape[0] ? size : (int)shape[0]) - 1;
    if (rank == last)
        local = gnd_add(local, gnd_take(gnd_zeros(dev, GND_FLOAT32, 1, &three),
                                        gnd_full(dev, GND_INT64, 1, &three, gnd_int(50)), 0));
    bad = gndm_wrap(ctx, local, p);
    char named[32];
    snprintf(named, sizeof named, "[rank %d]", last);
    not_gathered(gndm_gather(bad, 0, back, sizeof back), GND_ERR_INDEX, named);
    gndm_release(bad);
    gndm_part_free(p);
    dist_ok(!gndm_gather(x, 0, back, sizeof back) && (rank || back[2] == 3), "and then it goes on");
    gndm_release(x);
}

/* Nothing but the boxes is sent. */
static void counts(void)
{
    const int64_t shape[2] = {1 << 11, 1 << 11}; /* 16 MiB: several chunks */
    gndm_stats before, after;
    float *data = calloc((size_t)shape[0] * (size_t)shape[1], sizeof *data);
    gndm_part *p = dist_part(2, 2, shape);
    int64_t from[2], to[2];
    gndm_part_box(p, rank, from, to);
    const uint64_t own = (uint64_t)((to[0] - from[0]) * (to[1] - from[1])) * sizeof *data,
                   all = (uint64_t)(shape[0] * shape[1]) * sizeof *data;
    for (int64_t i = 0; i < shape[0] * shape[1]; i++)
        data[i] = (float)i;
    gndm_get_stats(ctx, &before);
    gndm_array *x = gndm_scatter(ctx, 0, GND_FLOAT32, 2, shape, rank ? NULL : data, p);
    gndm_get_stats(ctx, &after);
    dist_ok(after.bytes - before.bytes == (rank ? 0 : all - own) &&
                after.received - before.received == (rank ? own : 0),
            "each rank gets its box");
    before = after;
    if (rank == 0)
        memset(data, 0, all);
    const gnd_status st = gndm_gather(x, 0, data, all);
    gndm_get_stats(ctx, &after);
    dist_ok(!st && after.received - before.received == (rank ? 0 : all - own) &&
                after.bytes - before.bytes == (rank ? own : 0),
            "and gives it back");
    int right = 1;
    for (int64_t i = 0; i < shape[0] * shape[1] && right; i++)
        right = data[i] == (float)i;
    dist_ok(right, "the elements of several chunks");
    gndm_release(x);
    gndm_part_free(p);
    free(data);
    /* of copies, and of a number that all ranks know, the root has its own */
    gndm_array *y = gndm_along(
        "sum", gndm_apply(ctx, NULL, "arange", 1, (gnd_value[]){gnd_value_int(9)}, 0, NULL),
        GND_NONE);
    int64_t sum = 0;
    gndm_wait(ctx, 1, &y);
    gndm_get_stats(ctx, &before);
    const gnd_status done = gndm_gather(y, size - 1, &sum, sizeof sum);
    gndm_get_stats(ctx, &after);
    dist_ok(!done && sum == (rank == size - 1 ? 36 : 0) && after.messages == before.messages,
            "a copy needs no message");
}

int main(int argc, char **argv)
{
    static const int64_t shapes[][3] = {{11, 4, 6}, {7}, {2, 3}, {0, 3}, {1}};
    static const int axes[] = {3, 1, 2, 2, 1, 0};
    static const gnd_dtype types[] = {GND_FLOAT32, GND_BOOL, GND_COMPLEX64, GND_INT16, GND_UINT64};
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    for (int way = 0; way < WAYS; way++)
        for (size_t s = 0; s < sizeof axes / sizeof *axes; s++) {
            gndm_scope_begin(ctx);
            there_and_back(types[(s + (size_t)way) % 5], axes[s], shapes[s < 5 ? s : 0], way,
                           (way + (int)s) % size);
            gndm_scope_end(ctx);
        }
    gndm_scope_begin(ctx);
    errors();
    counts();
    gndm_scope_end(ctx);
    return dist_end();
}
