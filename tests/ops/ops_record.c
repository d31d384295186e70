/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_record.c - recordings: each replay gives, bit for bit, what plain evaluation gives of the
 * same expression and the same numbers. Elementwise work, reductions, joins, updates, sorts,
 * library calls, views of inputs and inputs themselves as outputs; several outputs; other numbers;
 * random numbers; indices that only the device can check; memory; and on the null device every call
 * and every allocation failing, closing and releasing in every order.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate.h"
#include "device/null.h"
#include "base/mem.h"
#include "failing.h"
#include "ref.h"
#include "tap.h"

enum { ROWS = 6, COLS = 50, N = ROWS * COLS, ROUNDS = 3 };
static const int64_t shape[2] = {ROWS, COLS};
static float host[2][N];

static void numbers(int round)
{
    ref_seed(77 + (uint64_t)round);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < N; k++)
            host[i][k] = (float)ref_range(-800, 800) / 64;
}

/* x and y as arrays, or as placeholders. */
static void inputs(gnd_device *dev, int data, gnd_array **in)
{
    for (int i = 0; i < 2; i++)
        in[i] = data ? gnd_from(dev, GND_FLOAT32, 2, shape, host[i])
                     : gnd_placeholder(dev, GND_FLOAT32, 2, shape);
}

static gnd_array *evaluate(gnd_device *dev, const char *text, gnd_array *const *in)
{
    static const char *const names[2] = {"x", "y"};
    return gnd_eval_names(dev, text, 2, names, in);
}

/* The elements of a, malloc'ed. */
static void *elements(gnd_array *a)
{
    void *p = calloc(1, gnd_nbytes(a) + 1);
    if (gnd_read(a, p, gnd_nbytes(a)) != GND_OK) {
        tap_diag("%s", gnd_error(a));
        free(p);
        return NULL;
    }
    return p;
}

static const char *const texts[] = {
    "x + y",
    "2*x + 3*y - sqrt(x*x + y*y)",
    "where(x > y, x, 7)",
    "sum(x*y)",
    "(x - mean(x, axis=1, keepdims=True)) / (1 + std(y, axis=1, keepdims=True))",
    "argmax(x, axis=0)",
    "x.T",
    "x",
    "y[::-2, 3:9]",
    "concat([x, y[:2]], axis=0)",
    "z = x; z[1:3, ::5] += y[:2, ::5]; z",
    "sort(x, axis=1)",
    "cumulative_sum(y, axis=1)",
    "x @ y.T",
    "inv(x @ x.T + 1000*eye(6, dtype=float32))",
    "a = x.sum(axis=1); b = a / (1 + abs(a).max()); outer(b, b) + b",
    "take(x, argsort(y[:, 0]), axis=0)",
    "zeros((2, 0), dtype=float32) + x[:2, :0]",
    "ones((3,), dtype=float32)",
};

/* One expression: recorded once, replayed with other numbers. */
static void one_text(gnd_device *dev, const char *spec, const char *text)
{
    gnd_array *in[2], *y;
    int same = 1;
    gnd_scope_begin();
    inputs(dev, 0, in);
    y = evaluate(dev, text, in);
    gnd_recording *r = gnd_record(2, in, 1, &y);
    if (gnd_recording_status(r) != GND_OK) {
        tap_ok(0, "%s: %s", spec, text);
        tap_diag("%s", gnd_recording_error(r));
    }
    for (int round = 0; round < ROUNDS && gnd_recording_status(r) == GND_OK; round++) {
        gnd_array *data[2];
        numbers(round);
        inputs(dev, 1, data);
        gnd_array *plain = evaluate(dev, text, data);
        same &=
            gnd_recording_set(r, 0, round == 1 ? gnd_add(data[0], gnd_int(0)) : data[0]) == GND_OK;
        same &= gnd_recording_write(r, 1, host[1], sizeof host[1]) == GND_OK;
        same &= gnd_replay(r) == GND_OK;
        size_t n = gnd_nbytes(plain);
        void *want = elements(plain), *got = calloc(1, n + 1);
        gnd_array *copy = gnd_recording_get(r, 0);
        same &= gnd_recording_read(r, 0, got, n) == GND_OK && want && !memcmp(want, got, n);
        same &= gnd_ndim(copy) == gnd_ndim(plain) && gnd_dtype_of(copy) == gnd_dtype_of(plain);
        void *again = elements(copy);
        same &= again && want && !memcmp(again, want, n);
        free(want);
        free(got);
        free(again);
    }
    if (gnd_recording_status(r) == GND_OK && !tap_ok(same, "%s: %s", spec, text))
        tap_diag("%s", gnd_message());
    gnd_recording_free(r);
    gnd_scope_end();
}

/* Several outputs of one recording; arrays got before are not changed by later replays. */
static void outputs(gnd_device *dev, const char *spec)
{
    gnd_array *in[2], *out[4], *got[4];
    float first[N], again[N];
    gnd_scope_begin();
    numbers(0);
    inputs(dev, 0, in);
    out[0] = gnd_add(in[0], in[1]);
    out[1] = gnd_sum(out[0], GND_AXIS(1), 0);
    out[2] = gnd_add(in[0], in[1]); /* the same once more */
    out[3] = in[1];
    gnd_recording *r = gnd_record(2, in, 4, out);
    for (int i = 0; i < 2; i++)
        gnd_recording_write(r, i, host[i], sizeof host[i]);
    tap_is_int(gnd_replay(r), GND_OK, "%s: four outputs %s", spec, gnd_recording_error(r));
    for (int i = 0; i < 4; i++)
        got[i] = gnd_recording_get(r, i);
    gnd_read(got[0], first, sizeof first);
    int right = 1;
    for (int k = 0; k < N; k++)
        right &= first[k] == host[0][k] + host[1][k];
    gnd_read(got[2], again, sizeof again);
    right &= !memcmp(first, again, sizeof first);
    gnd_read(got[3], again, sizeof again);
    right &= !memcmp(host[1], again, sizeof again);
    tap_ok(right, "%s:   are right", spec);
    numbers(1);
    gnd_recording_write(r, 0, host[0], sizeof host[0]);
    gnd_replay(r);
    gnd_read(got[0], again, sizeof again);
    tap_ok(!memcmp(first, again, sizeof first), "%s:   what was got stays as it is", spec);
    /* what comes out of one replay goes into the next: no wait between */
    for (int i = 0; i < 3; i++) {
        gnd_recording_set(r, 0, gnd_recording_get(r, 0));
        gnd_replay(r);
    }
    gnd_recording_read(r, 0, again, sizeof again);
    numbers(0);
    const float *y = host[1];
    float x0[N];
    memcpy(x0, y, sizeof x0);
    numbers(1);
    right = 1;
    for (int k = 0; k < N; k++)
        right &= again[k] == host[0][k] + x0[k] + x0[k] + x0[k] + x0[k];
    tap_ok(right, "%s:   and what comes out can go in again", spec);
    right = gnd_recording_feed(r, 0, 0) == GND_OK && gnd_replay(r) == GND_OK;
    gnd_recording_read(r, 0, first, sizeof first);
    for (int k = 0; k < N; k++)
        right &= first[k] == again[k] + x0[k];
    /* output 3 is input 1 itself */
    right &= gnd_recording_feed(r, 3, 1) == GND_OK && gnd_recording_feed(r, 3, 0) == GND_OK &&
             gnd_replay(r) == GND_OK;
    gnd_recording_read(r, 0, again, sizeof again);
    for (int k = 0; k < N; k++)
        right &= again[k] == x0[k] + x0[k];
    tap_ok(right, "%s:   also on the device", spec);
    tap_is_int(gnd_recording_feed(r, 1, 0), GND_ERR_SHAPE, "%s:   of the same shape", spec);
    tap_has_str(gnd_message(), "recording_feed: output 1 has shape (6,), input 0 (6, 50)",
                "%s:   both are named", spec);
    gnd_recording_free(r);
    gnd_scope_end();
}

/* The same numbers are drawn at every replay. */
static void random_numbers(gnd_device *dev, const char *spec)
{
    float a[N], b[N];
    gnd_rng g = gnd_rng_seed(5);
    gnd_scope_begin();
    gnd_array *x = gnd_placeholder(dev, GND_FLOAT32, 2, shape);
    gnd_array *y = gnd_add(x, gnd_rng_random(&g, dev, GND_FLOAT32, 2, shape));
    gnd_recording *r = gnd_record(1, &x, 1, &y);
    memset(host[0], 0, sizeof host[0]);
    gnd_recording_write(r, 0, host[0], sizeof host[0]);
    gnd_replay(r);
    gnd_recording_read(r, 0, a, sizeof a);
    gnd_replay(r);
    gnd_recording_read(r, 0, b, sizeof b);
    tap_ok(!memcmp(a, b, sizeof a) && a[0] != a[1], "%s: random numbers are drawn once %s", spec,
           gnd_recording_error(r));
    gnd_recording_free(r);
    gnd_scope_end();
}

/* An index that is out of range in one replay and not in the next. */
static void checked(gnd_device *dev, const char *spec)
{
    int64_t n = 3, at[3] = {2, 5, 0};
    float v[3 * COLS];
    gnd_scope_begin();
    numbers(0);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, shape, host[0]);
    gnd_array *i = gnd_placeholder(dev, GND_INT64, 1, &n);
    gnd_array *y = gnd_index(x, 1, &(gnd_range){.kind = GND_IDX_ARRAY, .array = i});
    gnd_recording *r = gnd_record(1, &i, 1, &y);
    gnd_recording_write(r, 0, at, sizeof at);
    gnd_replay(r);
    tap_is_int(gnd_recording_read(r, 0, v, sizeof v), GND_OK, "%s: indices in range %s", spec,
               gnd_recording_error(r));
    tap_ok(v[0] == host[0][2 * COLS] && v[COLS] == host[0][5 * COLS], "%s:   take the right rows",
           spec);
    at[1] = 6;
    gnd_recording_write(r, 0, at, sizeof at);
    gnd_replay(r);
    tap_is_int(gnd_recording_wait(r), GND_ERR_INDEX, "%s: one out of range", spec);
    tap_has_str(gnd_message(), "index 6 is out of range", "%s:   is an error", spec);
    tap_is_int(gnd_recording_wait(r), GND_OK, "%s:   that is said once", spec);
    gnd_replay(r);
    tap_is_int(gnd_status_of(gnd_recording_get(r, 0)), GND_ERR_INDEX, "%s:   for each replay",
               spec);
    at[1] = 1;
    gnd_recording_write(r, 0, at, sizeof at);
    gnd_replay(r);
    tap_is_int(gnd_recording_read(r, 0, v, sizeof v), GND_OK, "%s:   and gone in the next", spec);
    gnd_recording_free(r);
    gnd_scope_end();
}

/* Memory goes with the recording, and a replay takes none. */
static void memory(gnd_device *dev, const char *spec)
{
    gnd_stats a, b, c;
    gnd_scope_begin();
    gnd_array *in[2];
    inputs(dev, 0, in);
    gnd_array *y = evaluate(dev, texts[4], in);
    gnd_device_stats(dev, &a);
    gnd_recording *r = gnd_record(2, in, 1, &y);
    gnd_device_stats(dev, &b);
    for (int i = 0; i < 10; i++)
        gnd_replay(r);
    gnd_sync(dev);
    gnd_device_stats(dev, &c);
    tap_ok(c.pool_allocs == b.pool_allocs && c.bytes_in_use == b.bytes_in_use &&
               c.bytes_in_use > a.bytes_in_use,
           "%s: a replay takes no memory", spec);
    tap_ok(c.plans_made == b.plans_made && c.plans_reused == b.plans_reused &&
               c.kernels_launched > b.kernels_launched,
           "%s:   and plans nothing", spec);
    gnd_recording_free(r);
    gnd_device_stats(dev, &c);
    tap_is_int((int64_t)c.bytes_in_use, (int64_t)a.bytes_in_use, "%s: its memory goes with it",
               spec);
    gnd_scope_end();
}

/* What uses numbers: kernels, reductions, a gather's index, what needs them in memory, outputs. */
static void use_numbers(gnd_array *x, gnd_array *a, gnd_array *i, gnd_array **out)
{
    gnd_array *row = gnd_at(x, "0");
    out[0] = gnd_add(gnd_multiply(x, a), gnd_multiply(gnd_sin(gnd_multiply(x, a)), i));
    out[1] = gnd_sum(gnd_multiply(x, a), GND_ALL, 0);
    out[2] = gnd_take(row, i, 0);
    out[3] = gnd_matmul(gnd_broadcast_to(a, 2, (int64_t[]){1, ROWS}), x);
    out[4] = gnd_sort(gnd_add(row, a), 0, 0);
    out[5] = gnd_add(a, gnd_real(0));
    out[6] = gnd_multiply(gnd_matmul(x, gnd_matrix_transpose(x)), a);
    out[7] = gnd_broadcast_to(i, 1, (int64_t[]){3});
}

enum { USES = 8 };

/* Replays with numbers that change give what plain evaluation gives; the same memory each time. */
static void by_value(gnd_device *dev, const char *spec)
{
    gnd_array *in[3], *out[USES + 1], *plain[USES + 1];
    gnd_scope_begin();
    in[0] = gnd_placeholder(dev, GND_FLOAT32, 2, shape);
    in[1] = gnd_placeholder_number(dev, GND_FLOAT32);
    in[2] = gnd_placeholder_number(dev, GND_INT32);
    use_numbers(in[0], in[1], in[2], out);
    out[USES] = in[1];
    gnd_recording *r = gnd_record(3, in, USES + 1, out);
    tap_is_int(gnd_recording_status(r), GND_OK, "%s: numbers by value %s", spec,
               gnd_recording_error(r));
    numbers(0);
    int same = gnd_recording_write(r, 0, host[0], sizeof host[0]) == GND_OK;
    for (int round = 0; round < 4 && same; round++) {
        const float a = round == 2 ? -0.5f : 2.0f - (float)round;
        const int32_t i = round % 3;
        gnd_scope_begin();
        use_numbers(gnd_from(dev, GND_FLOAT32, 2, shape, host[0]),
                    gnd_asarray(dev, gnd_real(a), GND_FLOAT32),
                    gnd_asarray(dev, gnd_int(i), GND_INT32), plain);
        plain[USES] = gnd_asarray(dev, gnd_real(a), GND_FLOAT32);
        if (round == 2)
            same &= gnd_recording_write(r, 1, &a, sizeof a) == GND_OK;
        else
            same &= gnd_recording_set_f64(r, 1, a) == GND_OK;
        same &= gnd_recording_set_i64(r, 2, i) == GND_OK && gnd_replay(r) == GND_OK;
        for (int k = 0; k <= USES; k++) {
            const size_t n = gnd_nbytes(plain[k]);
            float *want = elements(plain[k]), *got = calloc(1, n + 1);
            int near = gnd_recording_read(r, k, got, n) == GND_OK && want;
            for (size_t j = 0; near && k != 7 && j < n / sizeof *got; j++)
                near = fabsf(got[j] - want[j]) <= 1e-4f * (1 + fabsf(want[j]));
            if (!near && want)
                tap_diag("got %g, want %g", got[0], want[0]);
            near = near && (k != 7 || !memcmp(got, want, n));
            if (!near)
                tap_diag("replay %d, output %d: %s", round, k, gnd_message());
            same &= near;
            free(want);
            free(got);
        }
        gnd_scope_end();
    }
    tap_ok(same, "%s:   change from replay to replay", spec);
    gnd_recording_set_i64(r, 2, COLS);
    gnd_replay(r);
    tap_is_int(gnd_recording_wait(r), GND_ERR_INDEX, "%s:   an index among them out of range",
               spec);
    gnd_recording_free(r);
    gnd_scope_end();
}

/* A loop whose buffers change places: both versions of the calls get the numbers. With many
 * elements most replays still run when the number of a later one is set. */
static void by_value_fed(gnd_device *dev, const char *spec, int64_t n)
{
    gnd_array *in[2], *out;
    float *v = calloc((size_t)n, sizeof *v), want = 0;
    gnd_scope_begin();
    in[0] = gnd_placeholder(dev, GND_FLOAT32, 1, &n);
    in[1] = gnd_placeholder_number(dev, GND_FLOAT32);
    out = gnd_add(gnd_multiply(in[0], gnd_real(0.5)), in[1]);
    gnd_recording *r = gnd_record(2, in, 1, &out);
    gnd_recording_write(r, 0, v, (size_t)n * sizeof *v);
    for (int k = 0; k < 40; k++) {
        if (k % 3)
            gnd_recording_set_f64(r, 1, k);
        gnd_replay(r);
        gnd_recording_feed(r, 0, 0);
        want = want * 0.5f + (float)(k % 3 ? k : k ? k - 1 : 0);
    }
    int same = gnd_recording_read(r, 0, v, (size_t)n * sizeof *v) == GND_OK;
    for (int64_t i = 0; i < n; i++)
        same &= v[i] == want;
    tap_ok(same, "%s: a loop of %lld elements with a number that changes: %g, %g", spec,
           (long long)n, v[n - 1], want);
    gnd_recording_free(r);
    gnd_scope_end();
    free(v);
}

static void all(gnd_device *dev, const char *spec)
{
    by_value(dev, spec);
    by_value_fed(dev, spec, N);
    by_value_fed(dev, spec, 1 << 21);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        one_text(dev, spec, texts[i]);
    outputs(dev, spec);
    random_numbers(dev, spec);
    checked(dev, spec);
    memory(dev, spec);
}

/* --- on the null device ----------------------------------------------------------------------- */

static void is_error(gnd_recording *r, gnd_status code, const char *text)
{
    tap_is_int(gnd_recording_status(r), code, "%s", text);
    tap_has_str(gnd_recording_error(r), text, "  says so");
    tap_is_int(gnd_replay(r), code, "  and cannot be replayed");
    gnd_recording_free(r);
}

/* A step that failed with this code stops those that follow, until that is told once. */
static void stops(gnd_recording *r, gnd_status got, gnd_status code, const char *text)
{
    char first[256];
    snprintf(first, sizeof first, "%s", gnd_message());
    const int stays = got == code && gnd_replay(r) == code && !strcmp(gnd_message(), first) &&
                      gnd_recording_feed(r, 9, 9) == code && gnd_recording_status(r) == code &&
                      !strcmp(gnd_recording_error(r), first) && gnd_recording_wait(r) == code &&
                      !strcmp(gnd_message(), first);
    tap_ok(stays && gnd_recording_status(r) == GND_OK && gnd_recording_wait(r) == GND_OK, "%s: %s",
           text, first);
}

static void errors(void)
{
    gnd_device *dev = gnd_open("null:0"), *other = gnd_open("null:1");
    float v[N];
    gnd_scope_begin();
    gnd_array *in[2], *q[2], *data = gnd_zeros(dev, GND_FLOAT32, 2, shape);
    inputs(dev, 0, in);
    gnd_array *y = gnd_add(in[0], in[1]), *s = gnd_real(2);
    gnd_array *far = gnd_placeholder(other, GND_FLOAT32, 2, shape);
    is_error(gnd_record(2, in, 0, &y), GND_ERR_ARG, "record: 2 inputs and 0 outputs");
    is_error(gnd_record(-1, in, 1, &y), GND_ERR_ARG, "record: -1 inputs");
    is_error(gnd_record(2, NULL, 1, &y), GND_ERR_NULL, "record: in is NULL");
    is_error(gnd_record(2, in, 1, NULL), GND_ERR_NULL, "record: out is NULL");
    is_error(gnd_record(2, in, 1, (gnd_array *[]){NULL}), GND_ERR_NULL, "record: out[0] is NULL");
    is_error(gnd_record(1, &data, 1, &y), GND_ERR_ARG, "record: in[0] is no placeholder");
    q[0] = q[1] = in[0];
    is_error(gnd_record(2, q, 1, &y), GND_ERR_ARG,
             "record: in[0] and in[1] are the same placeholder");
    is_error(gnd_record(1, in, 1, &y), GND_ERR_STATE,
             "record: an output depends on a placeholder that is not among the inputs");
    is_error(gnd_record(2, in, 1, &s), GND_ERR_DEVICE, "record: out[0] is a scalar");
    is_error(gnd_record(1, &far, 1, &y), GND_ERR_DEVICE,
             "record: arrays of two devices, null:0 and null:1");
    gnd_array *bad = gnd_add(y, gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){7}));
    is_error(gnd_record(2, in, 1, &bad), GND_ERR_SHAPE, "do not broadcast");
    is_error(NULL, GND_ERR_NULL, "the recording is NULL");

    gnd_recording *r = gnd_record(2, in, 1, &y);
    tap_is_int(gnd_recording_status(r), GND_OK, "after all these it can be recorded");
    stops(r, gnd_recording_set(r, 2, data), GND_ERR_ARG, "recording_set: input 2");
    tap_is_str(gnd_message(), "recording_set: input 2 of 2", "  is named");
    stops(r, gnd_recording_set(r, 0, NULL), GND_ERR_NULL, "  NULL");
    stops(r, gnd_recording_set(r, 0, s), GND_ERR_SHAPE, "  a number");
    stops(r, gnd_recording_set(r, 0, far), GND_ERR_DEVICE, "  another device");
    stops(r, gnd_recording_set(r, 0, gnd_at(data, "1:")), GND_ERR_SHAPE, "  another shape");
    tap_is_str(gnd_message(), "recording_set: x has shape (5, 50), input 0 (6, 50)",
               "  both are named");
    stops(r, gnd_recording_set(r, 0, gnd_astype(data, GND_INT32)), GND_ERR_DTYPE,
          "  another dtype");
    stops(r, gnd_recording_set(r, 0, in[1]), GND_ERR_STATE, "  a placeholder");
    stops(r, gnd_recording_feed(r, 1, 0), GND_ERR_ARG, "recording_feed: output 1 of 1");
    stops(r, gnd_recording_feed(r, 0, 2), GND_ERR_ARG, "  input 2 of 2");
    tap_is_int(gnd_recording_feed(NULL, 0, 0), GND_ERR_NULL, "  NULL");
    stops(r, gnd_recording_write(r, 0, v, 8), GND_ERR_SHAPE, "recording_write: too few bytes");
    stops(r, gnd_recording_write(r, 0, NULL, sizeof v), GND_ERR_NULL, "  NULL");
    tap_is_int(gnd_recording_read(r, 1, v, sizeof v), GND_ERR_ARG, "recording_read: output 1 of 1");
    tap_is_int(gnd_recording_read(r, 0, v, 8), GND_ERR_SHAPE, "  too few bytes");
    tap_is_int(gnd_status_of(gnd_recording_get(r, -1)), GND_ERR_ARG, "recording_get: output -1");
    tap_is_str(gnd_error(gnd_recording_get(r, -1)), "recording_get: output -1 of 1", "  is named");

    tap_is_int(gnd_read(y, v, sizeof v), GND_ERR_STATE,
               "a placeholder's consequences cannot be read");
    tap_has_str(gnd_message(), "read: a placeholder has no elements", "  and why");
    tap_is_int(gnd_status_of(gnd_unique_values(in[0])), GND_ERR_STATE,
               "nor can a shape depend on one");
    tap_is_int(gnd_wait(in[1]), GND_ERR_STATE, "nor is there anything to wait for");
    gnd_array *fresh[2];
    inputs(dev, 0, fresh);
    gnd_array *deep = fresh[0];
    for (int i = 0; i < 5000; i++)
        deep = gnd_sin(deep);
    gnd_recording *many = gnd_record(2, fresh, 1, &deep);
    tap_is_int(gnd_recording_status(many), GND_OK, "thousands of operations %s",
               gnd_recording_error(many));
    tap_is_int(gnd_replay(many), GND_OK, "  can be replayed");
    gnd_recording_free(many);
    tap_is_int(gnd_status_of(gnd_placeholder(other, GND_FLOAT64, 0, NULL)), GND_ERR_UNSUPPORTED,
               "a placeholder of a dtype that the device lacks");
    tap_is_int(gnd_status_of(gnd_placeholder(NULL, GND_FLOAT32, 0, NULL)), GND_ERR_NULL,
               "  or of no device");
    gnd_scope_end();
    tap_is_int(gnd_replay(r), GND_OK, "a recording outlives the arrays it came from");
    gnd_close(dev);
    tap_is_int(gnd_replay(r), GND_ERR_STATE, "but not its device");
    tap_is_str(gnd_message(), "replay: the device of the recording was closed", "  and why");
    gnd_recording_free(r);
    gnd_recording_free(NULL);
    gnd_close(other);
}

/* A program with two recordings; how many calls went well. */
static int program(gnd_device *dev)
{
    gnd_array *in[3], *out[2], *z[2];
    float v[N];
    int good = 0;
    gnd_scope_begin();
    memset(host, 0, sizeof host);
    inputs(dev, 0, in);
    inputs(dev, 1, z);
    in[2] = gnd_placeholder_number(dev, GND_FLOAT32);
    out[0] = gnd_add(gnd_multiply(in[0], z[1]), in[1]);
    out[1] = gnd_sort(gnd_sum(gnd_exp(gnd_multiply(out[0], in[2])), GND_AXIS(0), 0), 0, 0);
    gnd_recording *r = gnd_record(3, in, 2, out), *one = gnd_record(2, in, 1, out);
    good += gnd_recording_status(r) == GND_OK;
    good += gnd_recording_set(r, 0, z[0]) == GND_OK;
    good += gnd_recording_write(r, 1, host[1], sizeof host[1]) == GND_OK;
    good += gnd_recording_set_f64(r, 2, 0.5) == GND_OK;
    good += gnd_replay(r) == GND_OK;
    good += gnd_recording_feed(r, 0, 1) == GND_OK;
    good += gnd_recording_read(r, 0, v, sizeof v) == GND_OK;
    good += gnd_status_of(gnd_recording_get(r, 1)) == GND_OK;
    gnd_recording_free(r);
    good += gnd_replay(one) == GND_OK;
    good += gnd_recording_wait(one) == GND_OK;
    gnd_recording_free(one);
    gnd_scope_end();
    return good;
}

/* What is launched, and in lists. */
static void launches(void)
{
    gnd_device *dev = gnd_open("null:0");
    gnd_array *in[2];
    gnd_scope_begin();
    inputs(dev, 0, in);
    gnd_array *y = evaluate(dev, "a = x.sum(axis=1); sort(a / (1 + abs(a).max()))", in);
    gnd_recording *r = gnd_record(2, in, 1, &y);
    tap_is_int(gnd_recording_status(r), GND_OK, "several kernels %s", gnd_recording_error(r));
    gnd__null_reset();
    gnd__null_record(1);
    gnd_replay(r);
    gnd__null_record(0);
    char *log = gnd__null_log(), text[64];
    snprintf(text, sizeof text, "replay of %ld\n", gnd__null_launches());
    tap_ok(gnd__null_launches() > 1, "  %ld of them", gnd__null_launches());
    tap_has_str(log, text, "  are one list");
    tap_ok(!strstr(log, "alloc") && !strstr(log, "write"), "  and nothing else happens");
    gnd__free(log);
    gnd_recording_free(r);
    gnd_scope_end();
    gnd_close(dev);
}

/* A number costs no launch, no memory and no transfer: a replay is its kernels. */
static void number_launches(void)
{
    gnd_device *dev = gnd_open("null:0");
    gnd_array *in[2], *y, *z[2];
    gnd_stats a, b;
    gnd_scope_begin();
    in[0] = gnd_placeholder(dev, GND_FLOAT32, 2, shape);
    in[1] = gnd_placeholder_number(dev, GND_FLOAT32);
    y = gnd_sort(gnd_add(gnd_multiply(in[0], in[1]), in[1]), 0, 0);
    gnd_recording *r = gnd_record(2, in, 1, &y);
    gnd_device_stats(dev, &a);
    gnd_replay(r);
    gnd_device_stats(dev, &b);
    const long kernels = (long)(b.kernels_launched - a.kernels_launched);
    gnd__null_reset();
    gnd__null_record(1);
    for (int k = 0; k < 3; k++) {
        gnd_recording_set_f64(r, 1, k + 0.25);
        gnd_replay(r);
    }
    gnd__null_record(0);
    char *log = gnd__null_log();
    tap_is_int(gnd__null_launches(), 3 * kernels, "three numbers, three replays of %ld kernels",
               kernels);
    tap_ok(!strstr(log, "alloc") && !strstr(log, "write") && !strstr(log, "copy"),
           "  and no transfer");
    gnd__free(log);
    z[0] = gnd_zeros(dev, GND_FLOAT32, 0, NULL);
    stops(r, gnd_recording_set(r, 1, z[0]), GND_ERR_ARG, "an array for a number");
    stops(r, gnd_recording_set(r, 1, gnd_complex(0, 1)), GND_ERR_DTYPE,
          "a complex number for a real one");
    gnd_recording_free(r);
    z[0] = gnd_sum(in[0], GND_ALL, 0);
    z[1] = gnd_add(in[0], in[1]);
    r = gnd_record(2, in, 2, z);
    stops(r, gnd_recording_feed(r, 0, 1), GND_ERR_ARG, "an output fed to a number");
    gnd_recording_free(r);
    r = gnd_record(1, in, 1, &y);
    is_error(r, GND_ERR_STATE, "a placeholder that is not among the inputs");
    tap_is_int(gnd_wait(y), GND_ERR_STATE, "a number that has no value cannot be read");
    tap_is_int(gnd_status_of(gnd_placeholder_number(NULL, GND_FLOAT32)), GND_ERR_NULL, "no device");
    tap_is_int(gnd_status_of(gnd_placeholder_number(dev, (gnd_dtype)99)), GND_ERR_DTYPE,
               "no dtype");
    gnd_scope_end();
    gnd_close(dev);
}

static const failing failures = {
    .program = program, .all = 10, .whole = 3, .most = 1000, .least = 10};

int main(void)
{
    const long live = gnd__mem_live();
    ref_devices(all);
    errors();
    launches();
    number_launches();
    failing_each(&failures, gnd__mem_fail_at, "allocations");
    failing_each(&failures, gnd__gate_fail_at, "calls");
    tap_is_int(gnd__null_damage(), 0, "no write beyond memory");
    tap_diag("%ld live at the start, %ld at the end", live, gnd__mem_live());
    return tap_done();
}
