/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_loops.c - gnd_while and gnd_scan against loops of the host over the same bodies, bit for bit:
 * states of all kinds of dtypes and shapes, states that change places, views; any number of steps
 * that are queued before the host looks; conditions that are false at once, and limits; faults of
 * steps that the loop does not make, and of those it does; rows in and out, forward and backward;
 * errors; memory; loops that the device runs, the backend's and the tests' own (device_loops.h), in
 * turns of any number of steps, refused and failing; and on the null device, and for loops on the
 * device, every call and every allocation failing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/loop.h"
#include "device/device.h"
#include "device/gate.h"
#include "device/null.h"
#include "base/mem.h"
#include "failing.h"
#include "ref.h"
#include "tap.h"

enum { MOST = 6 };

/* Whether a and b are the same bit for bit. */
static int same(gnd_array *a, gnd_array *b)
{
    const size_t n = gnd_nbytes(a);
    char *p = calloc(1, n + 1), *q = calloc(1, n + 1);
    int ok = gnd_dtype_of(a) == gnd_dtype_of(b) && gnd_ndim(a) == gnd_ndim(b) && n == gnd_nbytes(b);
    for (int d = 0; ok && d < gnd_ndim(a); d++)
        ok = gnd_dim(a, d) == gnd_dim(b, d);
    ok = ok && gnd_read(a, p, n) == GND_OK && gnd_read(b, q, n) == GND_OK && !memcmp(p, q, n);
    if (!ok)
        tap_diag("%s and %s: %s %s", gnd_dtype_name(gnd_dtype_of(a)),
                 gnd_dtype_name(gnd_dtype_of(b)), gnd_error(a), gnd_error(b));
    free(p);
    free(q);
    return ok;
}

/* What gnd_while is said to do. */
static int64_t host_while(int n, gnd_array *const *init, gnd_loop_cond *cond, gnd_loop_body *body,
                          void *arg, int64_t most, gnd_array **out)
{
    int64_t steps = 0;
    for (int i = 0; i < n; i++)
        out[i] = init[i];
    while (steps < most && (!cond || gnd_item_i64(cond(out, arg), NULL))) {
        gnd_array *next[MOST];
        body(out, next, arg);
        memcpy(out, next, (size_t)n * sizeof *next);
        gnd_eval_all(n, out);
        steps++;
    }
    return steps;
}

static int agrees(int n, gnd_array *const *init, gnd_loop_cond *cond, gnd_loop_body *body,
                  void *arg, int64_t most, int64_t *made)
{
    gnd_array *got[MOST], *want[MOST];
    int64_t steps = -1;
    const gnd_status st = gnd_while(n, init, cond, body, arg, most, got, &steps);
    *made = host_while(n, init, cond, body, arg, most, want);
    int ok = st == GND_OK && steps == *made;
    if (!ok)
        tap_diag("%lld steps, not %lld: %s", (long long)steps, (long long)*made,
                 st == GND_OK ? "" : gnd_message());
    for (int i = 0; i < n && ok; i++)
        ok = same(got[i], want[i]);
    return ok;
}

/* --- random states ---------------------------------------------------------------------------- */

static gnd_array *random_array(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape)
{
    float v[64];
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    for (int i = 0; i < n; i++)
        v[i] = (float)ref_range(0, 99) / 8;
    gnd_array *x = gnd_from(dev, GND_FLOAT32, ndim, shape, v);
    return gnd_astype(x, t);
}

/* States 0 and 1 change places, 2 is turned round and grows, 3 is what 0 has, 4 is of a kind of its
 * own, 5 counts. */
static void mixed(gnd_array *const *s, gnd_array **next, void *arg)
{
    (void)arg;
    next[0] = s[1];
    next[1] = s[0];
    next[2] = gnd_add(gnd_matrix_transpose(s[2]), gnd_int(1));
    next[3] = gnd_add(s[3], gnd_astype(gnd_sum(s[0], GND_ALL, 0), GND_FLOAT32));
    next[4] = gnd_logical_xor(s[4], gnd_less(gnd_mod(s[5], gnd_int(3)), gnd_int(1)));
    next[5] = gnd_add(s[5], gnd_int(1));
}

static gnd_array *below(gnd_array *const *s, void *arg)
{
    return gnd_less(s[5], gnd_int(*(int64_t *)arg));
}

/* The host looks after a few steps, or the device runs the loops in turns of so many. */
static void random_states(gnd_device *dev, const char *spec, int by_device)
{
    static const gnd_dtype types[] = {GND_FLOAT32, GND_INT32, GND_UINT8, GND_INT64, GND_FLOAT16};
    static const int ahead[] = {1, 2, 5, 16, 0};
    int ok = 1;
    int64_t made, all = 0;
    for (int round = 0; round < 12 && ok; round++) {
        ref_seed(40 + (uint64_t)round);
        gnd_scope_begin();
        const int64_t k = ref_range(0, 4), sh[2] = {ref_range(0, 3), ref_range(1, 5)},
                      q[2] = {k, k};
        const gnd_dtype t = types[round % 5];
        int64_t limit = ref_range(0, 40);
        gnd_array *init[6] = {
            random_array(dev, t, 2, sh),
            random_array(dev, t, 2, sh),
            random_array(dev, types[ref_range(0, 4)], 2, q),
            random_array(dev, GND_FLOAT32, 0, NULL),
            random_array(dev, GND_BOOL, 1, sh),
            gnd_zeros(dev, GND_INT64, 0, NULL),
        };
        gnd__while_force(by_device ? 0 : ahead[round % 5]);
        gnd__while_device(by_device, ahead[round % 5]);
        ok = agrees(6, init, below, mixed, &limit, round % 3 ? 1000 : 17, &made) &&
             (round % 4 || agrees(6, init, NULL, mixed, NULL, limit, &made));
        all += made;
        gnd_scope_end();
    }
    gnd__while_force(0);
    tap_ok(ok && all > 50, "%s: while: states of all kinds, %lld steps", spec, (long long)all);
}

/* --- conditions that come true, limits -------------------------------------------------------- */

static void cosine(gnd_array *const *s, gnd_array **next, void *arg)
{
    (void)arg;
    next[0] = gnd_cos(s[0]);
    next[1] = s[0];
}

static gnd_array *moves(gnd_array *const *s, void *arg)
{
    (void)arg;
    return gnd_any(gnd_greater(gnd_abs(gnd_subtract(s[0], s[1])), gnd_real(1e-4)), GND_ALL, 0);
}

static gnd_array *never(gnd_array *const *s, void *arg)
{
    (void)s, (void)arg;
    return gnd_bool(0);
}

static void limits(gnd_device *dev, const char *spec)
{
    int64_t made = 0, steps = 7;
    gnd_scope_begin();
    gnd_array *x = gnd_arange_f64(dev, 0, 1, 0.01, GND_FLOAT32), *out[2];
    gnd_array *init[2] = {x, gnd_add(x, gnd_real(1))};
    tap_ok(agrees(2, init, moves, cosine, NULL, 100000, &made) && made > 10,
           "%s: until nothing moves: %lld steps", spec, (long long)made);
    for (int k = 1; k <= 3; k++) {
        gnd__while_force(8 * k);
        tap_ok(agrees(2, init, moves, cosine, NULL, made - 1, &made) && made > 5,
               "%s:   or one step less: %lld", spec, (long long)made);
    }
    gnd__while_force(0);
    tap_ok(agrees(2, init, moves, cosine, NULL, 0, &made) && made == 0, "%s:   or no step", spec);
    tap_ok(agrees(2, init, never, cosine, NULL, 10, &made) && made == 0, "%s:   or none is wanted",
           spec);
    tap_ok(agrees(2, init, NULL, cosine, NULL, 11, &made) && made == 11, "%s:   or eleven", spec);
    gnd_array *numbers[2] = {x, gnd_real(0)};
    tap_is_int(gnd_while(2, numbers, NULL, cosine, NULL, 1, out, &steps), GND_ERR_DTYPE,
               "%s: a number is a state", spec);
    tap_is_str(gnd_message(),
               "while: state 1 is float64, what the body makes of it float32: gnd_astype helps",
               "%s:   of the default dtype", spec);
    gnd_scope_end();
}

/* --- faults of steps that are not made -------------------------------------------------------- */

/* The sum of a table's entries, one in each step. */
static void lookup(gnd_array *const *s, gnd_array **next, void *arg)
{
    gnd_array *row = gnd_index(arg, 1, &(gnd_range){.kind = GND_IDX_ARRAY, .array = s[0]});
    next[0] = gnd_add(s[0], gnd_int(1));
    next[1] = gnd_add(s[1], row);
    next[2] = s[2];
}

static gnd_array *inside(gnd_array *const *s, void *arg)
{
    (void)arg;
    return gnd_less(s[0], s[2]);
}

/* A matrix that is positive definite for a while only. */
static void shrink(gnd_array *const *s, gnd_array **next, void *arg)
{
    next[1] = gnd_add(s[1], gnd_sum(gnd_cholesky(s[0], 0), GND_ALL, 0));
    next[0] = gnd_subtract(s[0], arg);
}

static gnd_array *positive(gnd_array *const *s, void *arg)
{
    (void)arg;
    return gnd_greater(gnd_min(gnd_diagonal(s[0], 0, -2, -1), GND_ALL, 0), gnd_real(0.2));
}

static void faults(gnd_device *dev, const char *spec, int by_device)
{
    static const int ahead[] = {1, 4, 32};
    int64_t made;
    for (int k = 0; k < 3; k++) {
        gnd_array *out[3];
        int64_t steps = -1;
        gnd__while_force(by_device ? 0 : ahead[k]);
        gnd__while_device(by_device, ahead[k]);
        gnd_scope_begin();
        gnd_array *table = gnd_arange_i64(dev, 0, 21, 1, GND_INT64),
                  *zero = gnd_zeros(dev, GND_INT64, 0, NULL);
        gnd_array *init[3] = {zero, zero, gnd_add(zero, gnd_int(21))};
        tap_ok(agrees(3, init, inside, lookup, table, 1000, &made) && made == 21,
               "%s: %d ahead: indices out of range in steps too many are none", spec, ahead[k]);
        init[2] = gnd_add(zero, gnd_int(24));
        tap_is_int(gnd_while(3, init, inside, lookup, table, 1000, out, &steps), GND_ERR_INDEX,
                   "%s:   others are", spec);
        tap_has_str(gnd_message(), "index 21 is out of range", "%s:   and named", spec);
        tap_ok(!strncmp(gnd_message(), "while: ", 7) && steps == 0 &&
                   gnd_status_of(out[1]) == GND_ERR_INDEX &&
                   !strcmp(gnd_error(out[1]), gnd_message()),
               "%s:   in the results, too", spec);
        gnd_array *eye = gnd_eye(dev, GND_FLOAT32, 4, 4, 0), *tenth = gnd_mul(eye, gnd_real(0.125));
        gnd_array *start[2] = {gnd_mul(eye, gnd_real(2)), gnd_zeros(dev, GND_FLOAT32, 0, NULL)};
        tap_ok(agrees(2, start, positive, shrink, tenth, 1000, &made) && made == 15,
               "%s:   a decomposition that does not exist likewise", spec);
        gnd_scope_end();
    }
    gnd__while_force(0);
}

/* --- scan ------------------------------------------------------------------------------------- */

/* States: a vector and a count; rows: a vector and an int; out: a vector, a number, a transposed
 * matrix. */
static void running(gnd_array *const *s, gnd_array *const *x, gnd_array **next, gnd_array **y,
                    void *arg)
{
    (void)arg;
    next[0] = gnd_add(gnd_mul(s[0], gnd_real(0.5)), x[0]);
    next[1] = gnd_add(s[1], x[1]);
    y[0] = gnd_mul(next[0], gnd_astype(s[1], GND_FLOAT32));
    y[1] = gnd_sum(s[0], GND_ALL, 0);
    y[2] = gnd_matrix_transpose(gnd_multiply(gnd_at(s[0], ":, None"), gnd_at(x[0], "None, :2")));
}

static void square(gnd_array *const *s, gnd_array *const *x, gnd_array **next, gnd_array **y,
                   void *arg)
{
    (void)s, (void)next, (void)arg;
    y[0] = gnd_multiply(x[0], x[0]);
}

static void count_up(gnd_array *const *s, gnd_array *const *x, gnd_array **next, gnd_array **y,
                     void *arg)
{
    (void)x, (void)arg;
    next[0] = gnd_add(s[0], gnd_int(2));
    y[0] = s[0];
}

static int scan_agrees(gnd_device *dev, int64_t length, int64_t m, int backward)
{
    gnd_array *got[2], *ys[3], *rows[3][32];
    const int64_t sh[2] = {m, length};
    gnd_array *xs[2] = {gnd_matrix_transpose(random_array(dev, GND_FLOAT32, 2, sh)),
                        random_array(dev, GND_INT64, 1, &length)};
    gnd_array *state[2] = {random_array(dev, GND_FLOAT32, 1, &m),
                           gnd_zeros(dev, GND_INT64, 0, NULL)};
    const gnd_status st = gnd_scan(2, state, 2, xs, -1, backward, 3, running, NULL, got, ys);
    if (st != GND_OK)
        tap_diag("%s", gnd_message());
    for (int64_t k = 0; k < length; k++) {
        const int64_t row = backward ? length - 1 - k : k;
        gnd_range at = {.kind = GND_IDX_INT, .start = row};
        gnd_array *x[2] = {gnd_index(xs[0], 1, &at), gnd_index(xs[1], 1, &at)}, *next[2], *y[3];
        running(state, x, next, y, NULL);
        for (int i = 0; i < 3; i++)
            rows[i][row] = y[i];
        memcpy(state, next, sizeof state);
        gnd_eval_all(2, state);
    }
    int ok = st == GND_OK && same(got[0], state[0]) && same(got[1], state[1]);
    for (int i = 0; i < 3 && ok && length > 0; i++)
        ok = same(ys[i], gnd_stack((int)length, rows[i], 0));
    if (ok && length == 0)
        ok = gnd_ndim(ys[0]) == 2 && gnd_dim(ys[0], 0) == 0 && gnd_dim(ys[0], 1) == m &&
             gnd_ndim(ys[1]) == 1 && gnd_dim(ys[2], 1) == (m < 2 ? m : 2);
    return ok;
}

static void scans(gnd_device *dev, const char *spec)
{
    int ok = 1;
    int64_t v[9], k = 3;
    for (int round = 0; round < 8 && ok; round++) {
        ref_seed(70 + (uint64_t)round);
        gnd_scope_begin();
        const int64_t length = round < 2 ? round : ref_range(2, 12);
        ok = scan_agrees(dev, length, round == 5 ? 0 : ref_range(1, 5), round % 2);
        gnd_scope_end();
    }
    tap_ok(ok, "%s: scan: rows in and out, forward and backward", spec);
    gnd_scope_begin();
    gnd_array *x = gnd_arange_i64(dev, 0, 9, 1, GND_INT64), *y, *s = gnd_int(5);
    tap_is_int(gnd_scan(0, NULL, 1, &x, -1, 0, 1, square, NULL, NULL, &y), GND_OK,
               "%s: without a state", spec);
    gnd_read(y, v, sizeof v);
    ok = 1;
    for (int i = 0; i < 9; i++)
        ok &= v[i] == i * i;
    tap_ok(ok, "%s:   is a map", spec);
    gnd_array *five = gnd_asarray(dev, s, GND_INT64), *end;
    tap_is_int(gnd_scan(1, &five, 0, NULL, k, 1, 1, count_up, NULL, &end, &y), GND_OK,
               "%s: without rows %s", spec, gnd_message());
    gnd_read(y, v, 24);
    tap_ok(v[2] == 5 && v[1] == 7 && v[0] == 9 && gnd_item_i64(end, NULL) == 11,
           "%s:   it counts, backward", spec);
    gnd_scope_end();
}

/* --- memory ----------------------------------------------------------------------------------- */

static void add_one(gnd_array *const *s, gnd_array **next, void *arg)
{
    (void)arg;
    next[0] = gnd_add(s[0], gnd_int(1));
}

static gnd_array *few(gnd_array *const *s, void *arg)
{
    return gnd_less(gnd_max(s[0], GND_ALL, 0), gnd_int(*(int64_t *)arg));
}

static void memory(gnd_device *dev, const char *spec)
{
    gnd_stats before, after;
    uint64_t peak[2];
    long live[2];
    int64_t steps = 0, limit[2] = {100, 10000}, n = 5000;
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_INT32, 1, &n), *out = NULL;
    gnd_wait(x);
    gnd_device_stats(dev, &before);
    for (int i = 0; i < 2; i++) {
        gnd_device_reset_peak(dev);
        if (gnd_while(1, &x, few, add_one, &limit[i], INT64_MAX, &out, &steps) != GND_OK)
            tap_diag("%s", gnd_message());
        tap_ok(steps == limit[i] && gnd_item_i64(gnd_min(out, GND_ALL, 0), NULL) == limit[i],
               "%s: %lld steps", spec, (long long)steps);
        gnd_release(out);
        gnd_device_stats(dev, &after);
        peak[i] = after.bytes_peak;
        live[i] = gnd__mem_live();
    }
    tap_ok(peak[1] <= peak[0] + 40000 && after.bytes_in_use <= before.bytes_in_use + 4096,
           "%s:   in the same memory: %llu and %llu bytes", spec, (unsigned long long)peak[0],
           (unsigned long long)peak[1]);
    tap_ok(live[1] < live[0] + 50, "%s:   of the host, too: %ld, %ld", spec, live[0], live[1]);
    gnd_scope_end();
}

/* --- loops on the device ---------------------------------------------------------------------- */

#include "device_loops.h"

static void rotate(gnd_array *const *s, gnd_array **next, void *arg)
{
    (void)arg;
    next[0] = gnd_add(gnd_mul(s[0], gnd_real(0.5)), s[1]);
    next[1] = s[0];
    next[2] = gnd_add(s[2], gnd_int(1));
}

static gnd_array *to_limit(gnd_array *const *s, void *arg)
{
    return gnd_less(s[2], gnd_int(*(int64_t *)arg));
}

/* What is no loop of launches: a copy of a state, and a state twice. */
static void doubles(gnd_array *const *s, gnd_array **next, void *arg)
{
    (void)arg;
    next[0] = gnd_flip(s[1], GND_ALL);
    next[1] = s[0];
    next[2] = gnd_add(s[2], gnd_int(1));
}

static void cosine_count(gnd_array *const *s, gnd_array **next, void *arg)
{
    cosine(s, next, arg);
    next[2] = gnd_add(s[2], gnd_int(1));
}

/* Whether the device runs a loop. */
static int is_run_by(gnd_device *dev)
{
    int64_t made, limit = 3;
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 0, NULL),
              *init[3] = {x, x, gnd_zeros(dev, GND_INT64, 0, NULL)};
    gnd__while_device(1, 0);
    const int same = agrees(3, init, to_limit, rotate, &limit, 10, &made);
    const int64_t t = gnd__while_device(0, 0);
    gnd_scope_end();
    return same && t > 0;
}

/* With every allocation of the host and every call failing once: an error or the right result. */
static void loops_failing(gnd_device *dev, const char *spec)
{
    const int64_t n = 9;
    int64_t made, limit = 12, steps;
    gnd_array *out[3];
    int failed = 0, wrong = 0;
    for (int calls = 0; calls < 2; calls++) {
        void (*fail_at)(long) = calls ? gnd__gate_fail_at : gnd__mem_fail_at;
        /* some failures are answered by the host making the steps */
        for (long at = 1, whole = 0; whole < 12 && at < 2000; at++) {
            gnd_scope_begin();
            gnd_array *x = random_array(dev, GND_FLOAT32, 1, &n),
                      *init[3] = {x, gnd_add(x, gnd_int(1)), gnd_zeros(dev, GND_INT64, 0, NULL)};
            gnd_eval_all(3, init);
            gnd__while_device(1, 4);
            fail_at(at);
            const gnd_status st = gnd_while(3, init, to_limit, rotate, &limit, 100, out, &steps);
            fail_at(0);
            whole = st == GND_OK ? whole + 1 : 0;
            failed += st != GND_OK;
            gnd__while_device(0, 0);
            if (st == GND_OK && (steps != 12 || gnd_item_i64(out[2], NULL) != 12))
                wrong++;
            gnd_scope_end();
        }
    }
    gnd_scope_begin();
    gnd_array *x = random_array(dev, GND_FLOAT32, 1, &n),
              *init[3] = {x, gnd_add(x, gnd_int(1)), gnd_zeros(dev, GND_INT64, 0, NULL)};
    gnd__while_device(1, 4);
    wrong += !agrees(3, init, to_limit, rotate, &limit, 100, &made);
    gnd__while_device(0, 0);
    gnd_scope_end();
    tap_ok(failed > 40 && wrong == 0 && loops_live == 0,
           "%s: loops on the device with %d failures: %d wrong, %d left", spec, failed, wrong,
           loops_live);
}

static void with_loops(gnd_device *dev, const char *spec)
{
    static const int lengths[] = {1, 2, 3, 7, 100};
    const int64_t n = 33;
    int64_t made, k;
    int ok = 1;
    (void)gnd__while_device(1, 0);
    for (int round = 0; round < 60 && ok; round++) {
        gnd_scope_begin();
        gnd_array *x = random_array(dev, GND_FLOAT32, 1, &n),
                  *init[3] = {x, gnd_add(x, gnd_int(1)), gnd_zeros(dev, GND_INT64, 0, NULL)};
        int64_t limit = round / 2;
        gnd__while_device(1, lengths[round % 5]);
        ok = agrees(3, init, to_limit, round % 2 ? cosine_count : rotate, &limit,
                    round % 7 ? 1000 : limit / 2 + 1, &made);
        const int64_t t = gnd__while_device(1, 0);
        ok = ok && (made == 0 || t > 0) && (made < 60 || lengths[round % 5] > 7 || t > made / 10);
        if (!ok)
            tap_diag("%lld steps in turns of %d: %lld turns", (long long)made, lengths[round % 5],
                     (long long)t);
        gnd_scope_end();
    }
    tap_ok(ok, "%s: loops on the device, in turns of any number of steps", spec);
    gnd_scope_begin();
    gnd_array *x = random_array(dev, GND_FLOAT32, 1, &n),
              *init[3] = {x, gnd_add(x, gnd_int(1)), gnd_zeros(dev, GND_INT64, 0, NULL)};
    k = 5000;
    gnd__while_device(0, 0);
    tap_ok(agrees(3, init, to_limit, rotate, &k, 10000, &made) && made == 5000,
           "%s:   after the "
           "host's first steps",
           spec);
    k = gnd__while_device(0, 0);
    tap_ok(k >= 0 && k < 100, "%s:   the host looks %lld times", spec, (long long)k);
    k = 10;
    gnd__while_device(1, 0);
    ok = agrees(3, init, to_limit, doubles, &k, 1000, &made) && made == 10;
    tap_ok(ok, "%s:   states that change places and order", spec);
    gnd_scope_end();
    random_states(dev, spec, 1);
    faults(dev, spec, 1);
    gnd__while_device(1, 0);
    memory(dev, spec);
    gnd__while_device(0, 0);
}

/* The same with the tests' own loops in place of the backend's. */
static void with_own_loops(gnd_device *dev, const char *spec)
{
    const int64_t n = 9;
    int64_t made, limit = 20;
    loops_of(dev, 1);
    loops_run = 0;
    with_loops(dev, spec);
    tap_ok(loops_run > 100 && loops_live == 0 && loops_longest >= 2,
           "%s:   %d runs of them, of up to %u steps, %d left", spec, loops_run, loops_longest,
           loops_live);
    gnd_scope_begin();
    gnd_array *x = random_array(dev, GND_FLOAT32, 1, &n),
              *init[3] = {x, gnd_add(x, gnd_int(1)), gnd_zeros(dev, GND_INT64, 0, NULL)};
    for (int fail = 0; fail < 2; fail++) {
        loops_refused = !fail;
        loops_fail = fail;
        gnd__while_device(1, 0);
        const int before = loops_run;
        tap_ok(agrees(3, init, to_limit, rotate, &limit, 1000, &made) && made == 20 &&
                   loops_run == before + fail,
               "%s: a loop that %s is run by the host", spec, fail ? "fails" : "is refused");
    }
    loops_refused = loops_fail = 0;
    gnd__while_device(0, 0);
    gnd_scope_end();
    loops_failing(dev, spec);
    loops_of(dev, 0);
    tap_is_int(loops_live, 0, "%s:   and freed", spec);
}

static void all(gnd_device *dev, const char *spec)
{
    random_states(dev, spec, 0);
    limits(dev, spec);
    faults(dev, spec, 0);
    scans(dev, spec);
    memory(dev, spec);
    if (!gnd__gate_loops(dev->g))
        tap_skip(1, "%s: the backend has no loops", spec);
    else if (!is_run_by(dev))
        tap_skip(1, "%s: the driver has no loops (GND_LOG=info says why)", spec);
    else
        with_loops(dev, spec);
    with_own_loops(dev, spec);
}

/* --- errors ----------------------------------------------------------------------------------- */

/* What a body gives for state 0, and a condition: the argument. */
static void gives(gnd_array *const *s, gnd_array **next, void *arg)
{
    (void)s;
    if (arg)
        next[0] = arg;
}

static gnd_array *cond_gives(gnd_array *const *s, void *arg)
{
    (void)s;
    return arg;
}

static void keeps(gnd_array *const *s, gnd_array **next, void *arg)
{
    (void)arg;
    next[0] = s[0];
}

static void loops(gnd_array *const *s, gnd_array **next, void *arg)
{
    if (gnd_while(1, s, few, add_one, arg, 3, next, NULL) == GND_OK)
        next[0] = s[0];
}

static void bad_rows(gnd_array *const *s, gnd_array *const *x, gnd_array **next, gnd_array **y,
                     void *arg)
{
    (void)x;
    next[0] = s[0];
    y[0] = arg;
}

static void is_error(gnd_status got, gnd_array **out, gnd_status code, const char *text)
{
    tap_is_int(got, code, "%s", text);
    tap_is_str(gnd_message(), text, "  is said");
    if (out)
        tap_ok(gnd_status_of(*out) == code && !strcmp(gnd_error(*out), text),
               "  and is the result");
}

static void errors(void)
{
    gnd_device *dev = gnd_open("null:0"), *other = gnd_open("null:1");
    int64_t n = 3, limit = 5;
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 1, &n), *out = NULL, *ys = NULL, *zero = gnd_real(0);
    gnd_array *two[2] = {x, gnd_zeros(other, GND_FLOAT32, 1, &n)}, *q[2], *none = NULL;
    is_error(gnd_while(0, &x, NULL, keeps, NULL, 1, &out, NULL), NULL, GND_ERR_ARG,
             "while: 0 states: at least one is needed");
    is_error(gnd_while(1, NULL, NULL, keeps, NULL, 1, &out, NULL), &out, GND_ERR_NULL,
             "while: init is NULL");
    is_error(gnd_while(1, &x, NULL, NULL, NULL, 1, &out, NULL), &out, GND_ERR_NULL,
             "while: body is NULL");
    is_error(gnd_while(1, &x, NULL, keeps, NULL, 1, NULL, NULL), NULL, GND_ERR_NULL,
             "while: out is NULL");
    is_error(gnd_while(1, &none, NULL, keeps, NULL, 1, &out, NULL), &out, GND_ERR_NULL,
             "while: init[0] is NULL");
    is_error(gnd_while(1, &x, NULL, keeps, NULL, -1, &out, NULL), &out, GND_ERR_ARG,
             "while: at most -1 steps");
    is_error(gnd_while(2, two, NULL, keeps, NULL, 1, q, NULL), &q[1], GND_ERR_DEVICE,
             "while: arrays of two devices, null:0 and null:1");
    is_error(gnd_while(1, &zero, NULL, keeps, NULL, 1, &out, NULL), &out, GND_ERR_DEVICE,
             "while: only numbers, which have no device: make one an array of a device");
    is_error(gnd_while(1, &x, NULL, gives, NULL, 1, &out, NULL), &out, GND_ERR_ARG,
             "while: the body does not set next[0]");
    is_error(gnd_while(1, &x, NULL, gives, gnd_zeros(dev, GND_FLOAT64, 1, &n), 1, &out, NULL), &out,
             GND_ERR_DTYPE,
             "while: state 0 is float32, what the body makes of it float64: gnd_astype helps");
    is_error(gnd_while(1, &x, NULL, gives, gnd_zeros(dev, GND_FLOAT32, 0, NULL), 1, &out, NULL),
             &out, GND_ERR_SHAPE, "while: state 0 has shape (3,), what the body makes of it ()");
    is_error(gnd_while(1, &x, NULL, gives, gnd_fail(GND_ERR_ARG, "while: mine"), 1, &out, NULL),
             &out, GND_ERR_ARG, "while: mine");
    is_error(gnd_while(1, &x, NULL, gives, gnd_placeholder(dev, GND_FLOAT32, 1, &n), 1, &out, NULL),
             &out, GND_ERR_STATE,
             "while: an output depends on a placeholder that is not among the inputs");
    is_error(gnd_while(1, &x, cond_gives, keeps, x, 1, &out, NULL), &out, GND_ERR_DTYPE,
             "while: cond gives float32, no bool");
    is_error(gnd_while(1, &x, cond_gives, keeps, gnd_less(x, x), 1, &out, NULL), &out,
             GND_ERR_SHAPE,
             "while: cond gives shape (3,), not (): gnd_all or gnd_any makes one bool of it");
    is_error(gnd_while(1, &x, cond_gives, keeps, NULL, 1, &out, NULL), &out, GND_ERR_NULL,
             "while: what cond gives is NULL");
    is_error(gnd_while(1, &x, NULL, loops, &limit, 1, &out, NULL), &out, GND_ERR_STATE,
             gnd_message());
    tap_has_str(gnd_message(), "placeholder", "  a loop in a loop");

    is_error(gnd_scan(-1, NULL, 0, NULL, 2, 0, 1, bad_rows, x, NULL, &ys), &ys, GND_ERR_ARG,
             "scan: -1 arrays in init");
    is_error(gnd_scan(1, &x, 1, NULL, 2, 0, 1, bad_rows, x, &out, &ys), &ys, GND_ERR_NULL,
             "scan: xs is NULL");
    is_error(gnd_scan(1, &x, 0, NULL, 2, 0, 1, NULL, x, &out, &ys), &ys, GND_ERR_NULL,
             "scan: body is NULL");
    is_error(gnd_scan(0, NULL, 0, NULL, 2, 0, 0, bad_rows, x, NULL, NULL), NULL, GND_ERR_ARG,
             "scan: no state and no rows: nothing is computed");
    is_error(gnd_scan(1, &x, 0, NULL, -1, 0, 1, bad_rows, x, &out, &ys), &out, GND_ERR_ARG,
             "scan: length -1 is that of xs, and there are none");
    q[0] = x, q[1] = gnd_zeros(dev, GND_FLOAT32, 0, NULL);
    is_error(gnd_scan(1, &x, 2, q, -1, 0, 1, bad_rows, x, &out, &ys), &out, GND_ERR_SHAPE,
             "scan: xs[1] has shape () and no rows");
    q[1] = gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){4, 1});
    is_error(gnd_scan(1, &x, 2, q, -1, 0, 1, bad_rows, x, &out, &ys), &out, GND_ERR_SHAPE,
             "scan: xs[1] has shape (4, 1), but there are 3 steps");
    is_error(gnd_scan(1, &x, 1, q, 7, 0, 1, bad_rows, x, &out, &ys), &out, GND_ERR_SHAPE,
             "scan: xs[0] has shape (3,), but there are 7 steps");
    is_error(gnd_scan(1, &x, 1, q, -1, 0, 1, bad_rows, NULL, &out, &ys), &ys, GND_ERR_ARG,
             "scan: the body does not set y[0]");
    tap_is_int(gnd_scan(1, &x, 0, NULL, INT64_MAX / 2, 0, 1, bad_rows, x, &out, &ys),
               GND_ERR_OVERFLOW, "rows that no memory holds: %s", gnd_message());
    gnd_scope_end();
    gnd_close(dev);
    gnd_close(other);
}

/* --- what fails ------------------------------------------------------------------------------- */

static gnd_array *flag(gnd_array *const *s, void *arg)
{
    (void)arg;
    return s[1];
}

static void with_flag(gnd_array *const *s, gnd_array **next, void *arg)
{
    (void)arg;
    next[0] = gnd_add(s[0], gnd_int(1));
    next[1] = gnd_logical_and(s[1], gnd_less(gnd_max(s[0], GND_ALL, 0), gnd_int(9)));
}

/* How many of its calls went well. Nothing is computed there, so no step is counted. */
static int program(gnd_device *dev)
{
    int64_t n = 3;
    int good = 0;
    const unsigned char yes = 1;
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 1, &n), *out[2], *ys[3];
    gnd_array *state[2] = {x, gnd_from(dev, GND_BOOL, 0, NULL, &yes)};
    gnd_array *s[2] = {x, gnd_zeros(dev, GND_INT64, 0, NULL)};
    gnd_array *xs[2] = {gnd_ones(dev, GND_FLOAT32, 2, (int64_t[]){4, 3}),
                        gnd_ones(dev, GND_INT64, 1, (int64_t[]){4})};
    good += gnd_while(2, state, NULL, with_flag, NULL, 5, out, NULL) == GND_OK;
    good += gnd_while(2, state, flag, with_flag, NULL, 5, out, NULL) == GND_ERR_INTERNAL;
    good += gnd_scan(2, s, 2, xs, -1, 0, 3, running, NULL, out, ys) == GND_OK;
    gnd_scope_end();
    return good;
}

static const failing failures = {
    .program = program, .all = 3, .whole = 3, .most = 2000, .tries = 10, .least = 10};

int main(void)
{
    setenv("GND_CUDA_LOOPS", "1", 1);
    ref_devices(all);
    errors();
    gnd__while_force(4);
    failing_each(&failures, gnd__mem_fail_at, "allocations");
    failing_each(&failures, gnd__gate_fail_at, "calls");
    return tap_done();
}
