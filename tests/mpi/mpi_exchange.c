/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_exchange.c - messages of an exchange: of all ranks to all, uneven and missing ones, ones with
 * many chunks, and short ones beside long ones, of several sizes of elements; and that each rank
 * sends the bytes and messages that its cuts say. Started by mpi.sh and mpi_nccl.sh, with chunks of
 * a few bytes (GND_MPI_CHUNK, which has to be set).
 */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

static int64_t chunk; /* bytes */

/* n elements in parts that grow with the rank or, backwards, shrink with it; rank 1 has none. */
static gndm_part *uneven(int64_t n, int backwards, int64_t *cut)
{
    int64_t sum = 0, at = 0;
    const int64_t *cuts[1] = {cut};
    for (int r = 0; r < size; r++)
        sum += r == 1 ? 0 : r * r + 1;
    cut[0] = 0;
    for (int r = 0; r < size; r++) {
        const int as = backwards ? size - 1 - r : r;
        at += as == 1 ? 0 : as * as + 1;
        cut[r + 1] = n * at / sum;
    }
    return gndm_part_cuts(ctx, 1, &n, &size, cuts);
}

/* From growing parts to shrinking ones; what this rank sends. */
static void reversed(gnd_dtype t, int64_t n)
{
    int64_t from[65], to[65];
    gnd_array *x = dist_sample(t, 1, &n, 3);
    gndm_part *p = uneven(n, 0, from), *q = uneven(n, 1, to);
    gndm_array *whole = dist_array(x, 4), *a = gndm_redistribute(whole, p);
    const int64_t element = (int64_t)gnd_dtype_size(t), most = chunk / element;
    uint64_t bytes = 0, messages = 0, received = 0;
    for (int r = 0; r < size; r++) {
        const int64_t begin = from[rank] > to[r] ? from[rank] : to[r],
                      end = from[rank + 1] < to[r + 1] ? from[rank + 1] : to[r + 1],
                      first = to[rank] > from[r] ? to[rank] : from[r],
                      last = to[rank + 1] < from[r + 1] ? to[rank + 1] : from[r + 1];
        if (r != rank && end > begin) {
            bytes += (uint64_t)((end - begin) * element);
            messages += (uint64_t)((end - begin + most - 1) / most);
        }
        if (r != rank && last > first)
            received += (uint64_t)((last - first) * element);
    }
    gndm_wait(ctx, 1, &a);
    gndm_stats before, after;
    gndm_get_stats(ctx, &before);
    gndm_array *y = gndm_redistribute(a, q);
    gndm_get_stats(ctx, &after);
    dist_ok(after.bytes - before.bytes == bytes && after.messages - before.messages == messages &&
                after.received - before.received == received,
            "%s, %d elements: the bytes and messages that the cuts say (rank 0: %d in %d)",
            gnd_dtype_name(t), (int)n, (int)bytes, (int)messages);
    dist_same(y, x, 0, "%s, %d elements: from growing to shrinking parts", gnd_dtype_name(t),
              (int)n);
    gndm_part_free(p);
    gndm_part_free(q);
}

/* Between ways to cut a matrix. */
static void ways(gnd_dtype t)
{
    const int64_t shape[2] = {37, 29};
    gnd_array *x = dist_sample(t, 2, shape, 7);
    for (int i = 0; i < WAYS; i++)
        for (int j = 1; j < 3; j++) {
            gndm_part *p = dist_part((i + j) % WAYS, 2, shape);
            dist_same(gndm_redistribute(dist_array(x, i), p), x, 0, "%s: way %d to way %d",
                      gnd_dtype_name(t), i, (i + j) % WAYS);
            gndm_part_free(p);
        }
}

/* Exchanges whose sizes follow from values: by cuts of an array whose parts are sent in pieces. */
static void by_values(void)
{
    const int64_t n = 1000;
    gnd_array *x = dist_sample(GND_FLOAT32, 1, &n, 11);
    gndm_array *a = dist_array(x, 1);
    dist_same(gndm_unary("sort", a), gnd_sort(x, 0, 0), 0, "sort");
    gnd_array *i = gnd_argsort(x, 0, 0);
    const gnd_value in[2] = {gndm_value(a), gndm_value(dist_array(i, 2))};
    dist_same(gndm_apply(ctx, NULL, "take", 2, in, 0, NULL), gnd_take(x, i, 0), 0, "take");
}

/* Messages that are copied to the host before, while the device computes the next stage. */
static void stages(void)
{
    const int64_t shape[2] = {24, 35};
    gnd_array *x = dist_sample(GND_COMPLEX64, 2, shape, 13);
    dist_same(gndm_unary("fft2", dist_array(x, 0)), gnd_fftn(x, 2, NULL, NULL, GND_NORM_BACKWARD),
              1e-5, "fft2");
}

static gnd_array *pairs(gnd_array *b, void *data)
{
    (void)data;
    return gnd_add(gnd_at(b, ":-2"), gnd_at(b, "2:"));
}

/* Steps of a stencil, whose rims are sent before the rest is computed. No step computes the inner
 * elements apart from the rims, beside which they would have to be copied. */
static void steps(void)
{
    const int64_t shape[2] = {512 * size, 64}, wide[4] = {1, 1, 0, 0}, one[2] = {1, 0};
    gnd_array *ref = dist_sample(GND_INT32, 2, shape, 17);
    gndm_array *u = dist_array(ref, 0);
    gnd_stats before, after;
    gnd_wait(ref);
    gndm_wait(ctx, 1, &u);
    gnd_device_stats(dev, &before);
    for (int i = 0; i < 4; i++) {
        u = gndm_stencil(u, one, one, "wrap", pairs, NULL);
        ref = pairs(gnd_pad(ref, wide, "wrap", NULL), NULL);
        gnd_device_stats(dev, &after);
        if (i == 0)
            dist_ok(after.bytes_in_use - before.bytes_in_use < 512 * 64 * sizeof(int32_t) / 2,
                    "a stencil stores its borders, and no inner elements: %d bytes",
                    (int)(after.bytes_in_use - before.bytes_in_use));
    }
    dist_same(u, ref, 0, "four steps of a stencil");
}

int main(int argc, char **argv)
{
    static const gnd_dtype types[] = {GND_BOOL, GND_FLOAT32, GND_COMPLEX128};
    const char *bytes = getenv("GND_MPI_CHUNK");
    chunk = bytes ? atoll(bytes) : 0;
    dist_begin(&argc, &argv, GNDM_EVEN);
    gndm_scope_begin(ctx);
    dist_ok(chunk >= 16 && size < 64, "chunks of %d bytes", (int)chunk);
    for (size_t i = 0; i < sizeof types / sizeof *types && chunk >= 16; i++) {
        reversed(types[i], 0);
        reversed(types[i], 9);
        reversed(types[i], 3001);
    }
    ways(GND_FLOAT32);
    by_values();
    stages();
    steps();
    gndm_scope_end(ctx);
    return dist_end();
}
