/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_prim.c - what indexing stands on, at the level of nodes: takes by several indices, indices
 * that the device checks, a primitive whose input is an expression, and how their errors travel.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "prim/scatter.h"
#include "ref.h"
#include "tap.h"

static gnd_array *ints(gnd_device *dev, int64_t n, const int64_t *v)
{
    return gnd_from(dev, GND_INT64, 1, &n, v);
}

/* y[i, j] = x[a[i], :, b[j]] with checked indices, fused with arithmetic on both sides. */
static void takes(gnd_device *dev, const char *spec)
{
    int64_t dim[3] = {4, 3, 5}, out[3] = {6, 3, 2};
    float host[60], got[36];
    const int64_t av[6] = {0, 3, -1, 2, -4, 1}, bv[2] = {4, -5};
    gnd__gather how = {{-1, 1, -1}, {1, 0, 2}};
    int wrong = 0;
    gnd_scope_begin();
    for (int i = 0; i < 60; i++)
        host[i] = (float)i;
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 3, dim, host);
    gnd_array *a =
        gnd_reshape(gnd__checked_node(ints(dev, 6, av), "take", 4, 0), 3, (int64_t[]){6, 1, 1});
    gnd_array *b =
        gnd_reshape(gnd__checked_node(ints(dev, 2, bv), "take", 5, 2), 3, (int64_t[]){1, 1, 2});
    gnd_array *y = gnd__take_node(x, 2, (gnd_array *[]){a, b}, 3, out, &how);
    y = gnd_add(y, gnd_int(100));
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "%s: take by two indices", spec);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++) {
                int64_t ia = av[i] < 0 ? av[i] + 4 : av[i], ib = bv[k] < 0 ? bv[k] + 5 : bv[k];
                wrong += got[(i * 3 + j) * 2 + k] != 100 + host[(ia * 3 + j) * 5 + ib];
            }
    tap_is_int(wrong, 0, "%s: the right elements", spec);
    gnd_scope_end();
}

/* A bad index is an error of what was computed from it, at the first read and at every later one,
 * and of nothing else. */
static void faults(gnd_device *dev, const char *spec)
{
    int64_t n = 8, m = 3, good[3] = {0, 1, 2}, bad[3] = {1, -9, 2};
    float v[8] = {0, 1, 2, 3, 4, 5, 6, 7}, got[8];
    gnd__gather how = {{-1}, {1}};
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &n, v);
    gnd_array *gi = gnd__checked_node(ints(dev, 3, good), "take", 8, 0);
    gnd_array *bi = gnd__checked_node(ints(dev, 3, bad), "take", 8, 0);
    gnd_array *g = gnd__take_node(x, 1, &gi, 1, &m, &how),
              *b = gnd__take_node(x, 1, &bi, 1, &m, &how);
    gnd_array *twice = gnd_multiply(b, gnd_int(2)), *both = gnd_add(g, b);
    tap_is_int(gnd_eval_all(3, (gnd_array *[]){g, b, twice}), GND_OK,
               "%s: evaluation does not wait", spec);
    tap_is_int(gnd_read(g, got, 12), GND_OK, "%s: what is right stays right", spec);
    tap_is_f64(got[2], 2, "%s: and has its elements", spec);
    for (int i = 0; i < 2; i++)
        tap_is_int(gnd_read(b, got, 12), GND_ERR_INDEX, "%s: a bad index", spec);
    tap_is_str(gnd_message(), "read: take: index -9 is out of range for axis 0 of size 8",
               "%s: it is named", spec);
    tap_is_str(gnd_error(b), "take: index -9 is out of range for axis 0 of size 8", "%s: and kept",
               spec);
    tap_is_int(gnd_wait(twice), GND_ERR_INDEX, "%s: what was computed from it", spec);
    tap_is_int(gnd_read(both, got, 12), GND_ERR_INDEX, "%s: and later", spec);
    tap_is_int(gnd_read(x, got, 32), GND_OK, "%s: the source is as it was", spec);
    gnd_scope_end();
}

static void last(gnd_device *dev, const char *spec)
{
    enum { N = 100003, M = 1009 };
    int64_t n = N;
    int32_t *want = calloc(M, sizeof *want), *got = calloc(M, sizeof *got);
    int64_t *v = calloc(N, sizeof *v);
    gnd_scope_begin();
    ref_seed(7);
    for (int64_t i = 0; i < N; i++) {
        v[i] = ref_range(0, M - 9);
        want[v[i] + 3] = (int32_t)i + 1;
    }
    /* an expression, a view, and nothing at all */
    gnd_array *idx = gnd_add(gnd_from(dev, GND_INT64, 1, &n, v), gnd_int(3));
    gnd_array *y = gnd__last_node(idx, M);
    tap_is_int(gnd_read(y, got, M * sizeof *got), GND_OK, "%s: last positions", spec);
    tap_is_mem(got, want, M * sizeof *want, "%s: the greatest position of each", spec);
    y = gnd__last_node(gnd_flip(gnd_flip(idx, GND_ALL), GND_ALL), M);
    tap_is_int(gnd_read(y, got, M * sizeof *got), GND_OK, "%s: of a view", spec);
    tap_is_mem(got, want, M * sizeof *want, "%s: the same", spec);
    n = 0;
    y = gnd__last_node(ints(dev, 0, v), 5);
    memset(want, 0, 20);
    tap_is_int(gnd_read(y, got, 20), GND_OK, "%s: of nothing", spec);
    tap_is_mem(got, want, 20, "%s: zeros", spec);
    gnd_scope_end();
    free(want);
    free(got);
    free(v);
}

/* Rows of every size of elements that are set in one pass: batches of M places, N positions, some
 * of them equal. Values and positions have an axis, or not, for batches, positions, elements of a
 * row. */
static void set(gnd_device *dev, const char *spec, gnd_dtype t, int batches, int m, int width)
{
    enum { N = 500 };
    const int64_t size = (int64_t)gnd_dtype_size(t), total = (int64_t)batches * m * width;
    unsigned char *base = malloc((size_t)(total * size)), *want = malloc((size_t)(total * size)),
                  *got = malloc((size_t)(total * size)),
                  *value = malloc((size_t)batches * N * (size_t)(width * size));
    int64_t *pos = malloc((size_t)batches * N * (size_t)width * sizeof *pos);
    int wrong = 0;
    for (int64_t i = 0; i < total * size; i++)
        base[i] = (unsigned char)(ref_rnd() & 63);
    for (int64_t i = 0; i < batches * N * width * size; i++)
        value[i] = (unsigned char)(ref_rnd() & 63);
    for (int64_t i = 0; i < batches * N * width; i++)
        pos[i] = ref_range(0, m - 1);
    for (int has = 0; has < 32; has++) {
        const gnd__places s = {m, N, width, has};
        const int64_t inner = has & GND__SET_INNER ? width : 1, each = has & GND__SET_EACH ? N : 1,
                      outer = has & GND__SET_OUTER ? batches : 1, nv = outer * each * inner,
                      np = (int64_t)N * (has & GND__POS_OUTER ? batches : 1) *
                           (has & GND__POS_INNER ? width : 1);
        if (has & GND__POS_INNER && !(has & GND__POS_OUTER))
            continue;
        memcpy(want, base, (size_t)(total * size));
        for (int b = 0; b < batches; b++)
            for (int j = 0; j < N; j++)
                for (int w = 0; w < width; w++) {
                    const int64_t row = has & GND__POS_OUTER ? b * N + j : j,
                                  at = pos[has & GND__POS_INNER ? row * width + w : row],
                                  from = ((outer > 1 ? b : 0) * each + (each > 1 ? j : 0)) * inner +
                                         (inner > 1 ? w : 0);
                    memcpy(want + (((int64_t)b * m + at) * width + w) * size, value + from * size,
                           (size_t)size);
                }
        gnd_scope_begin();
        gnd_array *y = gnd__set_node(gnd_from(dev, t, 1, &total, base), ints(dev, np, pos),
                                     gnd_from(dev, t, 1, &nv, value), &s);
        if (gnd_read(y, got, (size_t)(total * size)) != GND_OK ||
            memcmp(got, want, (size_t)(total * size))) {
            wrong++;
            tap_diag("axes %d: %s", has, gnd_error(y));
        }
        gnd_scope_end();
    }
    tap_ok(!wrong, "%s: %d batches of %d rows of %d %s set", spec, batches, m, width,
           gnd_dtype_name(t));
    free(base);
    free(want);
    free(got);
    free(value);
    free(pos);
}

static void all(gnd_device *dev, const char *spec)
{
    takes(dev, spec);
    faults(dev, spec);
    last(dev, spec);
    static const gnd_dtype dtypes[] = {GND_UINT8, GND_INT16, GND_INT32, GND_UINT64, GND_COMPLEX128};
    for (int i = 0; i < 5; i++) {
        const gnd_dtype t = dtypes[i];
        if (ref_skip(dev, t, 5))
            continue;
        set(dev, spec, t, 1, 37, 1);
        set(dev, spec, t, 3, 41, 5);
        set(dev, spec, t, 1, 30011, 1);
        set(dev, spec, t, 1, 911, 31);
        set(dev, spec, t, 29, 101, 7);
    }
}

int main(void)
{
    ref_devices(all);
    return tap_done();
}
