/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_feed.c - outputs of recordings that are fed to inputs, in any order and number, between
 * replays, writes and reads, against a model on the host: memory that changes places, three buffers
 * that rotate, views, products, a transform, an input as output, dtypes and shapes of the same size
 * in bytes. That nothing is copied where nothing need be; numbers as inputs; and on the null device
 * every call and every allocation failing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/null.h"
#include "base/mem.h"
#include "failing.h"
#include "ref.h"
#include "sched/merge.h"
#include "tap.h"

/* --- random steps ----------------------------------------------------------------------------- */

enum { M = 5, MM = M * M, NIN = 5, NOUT = 8, STEPS = 120 };
/* a, b, c are matrices of float32, k of int32, t a number. */
static const gnd_dtype in_type[NIN] = {GND_FLOAT32, GND_FLOAT32, GND_FLOAT32, GND_INT32,
                                       GND_FLOAT32};
static const int in_size[NIN] = {MM, MM, MM, MM, 1};
static const char *const out_text[NOUT] = {
    "(a + 2*b) % 7",      /* 0 */
    "b",                  /* 1: an input */
    "a @ c % 7",          /* 2: a library's call, or a kernel */
    "c.T",                /* 3: a view of an input */
    "(k * 3 + 1) % 11",   /* 4: int32 of the same number of bytes */
    "(t * 2 + 1) % 13",   /* 5 */
    "(a + 2*b) % 7 + t",  /* 6 */
    "where(k > 4, c, a)", /* 7 */
};
static const gnd_dtype out_type[NOUT] = {GND_FLOAT32, GND_FLOAT32, GND_FLOAT32, GND_FLOAT32,
                                         GND_INT32,   GND_FLOAT32, GND_FLOAT32, GND_FLOAT32};
static const int out_size[NOUT] = {MM, MM, MM, MM, MM, 1, MM, MM};

/* All values are small integers, so that floats are exact. */
typedef struct model {
    double in[NIN][MM], out[NOUT][MM];
} model;

static double mod(double x, double m)
{
    double r = x - m * (double)(long)(x / m);
    return r < 0 ? r + m : r;
}

/* Outputs that are inputs or views of them hold what those hold. */
static void look(model *m)
{
    for (int i = 0; i < MM; i++) {
        m->out[1][i] = m->in[1][i];
        m->out[3][i] = m->in[2][i % M * M + i / M];
    }
}

static void replay(model *m)
{
    for (int i = 0; i < MM; i++) {
        const double *a = m->in[0], *b = m->in[1], *c = m->in[2], *k = m->in[3];
        double sum = 0;
        for (int j = 0; j < M; j++)
            sum += a[i / M * M + j] * c[j * M + i % M];
        m->out[0][i] = mod(a[i] + 2 * b[i], 7);
        m->out[2][i] = mod(sum, 7);
        m->out[4][i] = mod(k[i] * 3 + 1, 11);
        m->out[6][i] = m->out[0][i] + m->in[4][0];
        m->out[7][i] = k[i] > 4 ? c[i] : a[i];
    }
    m->out[5][0] = mod(m->in[4][0] * 2 + 1, 13);
}

static void to_bytes(gnd_dtype t, int n, const double *from, void *to)
{
    for (int i = 0; i < n; i++)
        if (t == GND_INT32)
            ((int32_t *)to)[i] = (int32_t)from[i];
        else
            ((float *)to)[i] = (float)from[i];
}

static int holds(gnd_dtype t, int n, const void *got, const double *want)
{
    uint32_t bytes[MM];
    to_bytes(t, n, want, bytes);
    return !memcmp(got, bytes, (size_t)n * 4);
}

static gnd_recording *record_all(gnd_device *dev)
{
    static const char *const names[NIN] = {"a", "b", "c", "k", "t"};
    static const int64_t shape[2] = {M, M};
    gnd_array *in[NIN], *out[NOUT];
    gnd_scope_begin();
    for (int i = 0; i < NIN; i++)
        in[i] = gnd_placeholder(dev, in_type[i], in_size[i] > 1 ? 2 : 0, shape);
    for (int o = 0; o < NOUT; o++)
        out[o] = gnd_eval_names(dev, out_text[o], NIN, names, in);
    gnd_recording *r = gnd_record(NIN, in, NOUT, out);
    gnd_scope_end();
    return r;
}

/* One step of the model and of the recording. 0: they differ. */
static int random_step(gnd_device *dev, gnd_recording *r, model *m)
{
    uint32_t bytes[MM] = {0};
    const int o = (int)ref_range(0, NOUT - 1), i = (int)ref_range(0, NIN - 1);
    const size_t size = (size_t)in_size[i] * 4, osize = (size_t)out_size[o] * 4;
    switch (ref_range(0, 9)) {
    case 0: /* from the host, or an array */
        for (int k = 0; k < in_size[i]; k++)
            m->in[i][k] = (double)ref_range(0, 9);
        to_bytes(in_type[i], in_size[i], m->in[i], bytes);
        look(m);
        if (ref_range(0, 1))
            return gnd_recording_write(r, i, bytes, size) == GND_OK;
        gnd_array *x = gnd_from(dev, in_type[i], in_size[i] > 1 ? 2 : 0, (int64_t[]){M, M}, bytes);
        gnd_status s = gnd_recording_set(r, i, x);
        gnd_release(x);
        return s == GND_OK;
    case 1:
        m->in[4][0] = (double)ref_range(0, 9);
        return (ref_range(0, 1) ? gnd_recording_set_f64(r, 4, m->in[4][0])
                                : gnd_recording_set_i64(r, 4, (int64_t)m->in[4][0])) == GND_OK;
    case 2:
    case 3:
        return gnd_recording_read(r, o, bytes, osize) == GND_OK &&
               holds(out_type[o], out_size[o], bytes, m->out[o]);
    case 4:
    case 5:
        replay(m);
        look(m);
        return gnd_replay(r) == GND_OK;
    default:
        if (out_type[o] != in_type[i] || out_size[o] != in_size[i])
            return 1;
        memcpy(m->in[i], m->out[o], sizeof m->in[i]);
        look(m);
        return gnd_recording_feed(r, o, i) == GND_OK;
    }
}

static void random_steps(gnd_device *dev, const char *spec)
{
    static model m;
    gnd_recording *r = record_all(dev);
    int wrong = 0;
    if (!tap_ok(gnd_recording_status(r) == GND_OK, "%s: recorded %s", spec, gnd_recording_error(r)))
        return;
    for (int seed = 0; seed < 12 && !wrong; seed++) {
        uint32_t bytes[MM];
        ref_seed(500 + (uint64_t)seed);
        memset(&m, 0, sizeof m);
        for (int i = 0; i < NIN; i++) {
            for (int k = 0; k < in_size[i]; k++)
                m.in[i][k] = (double)ref_range(0, 9);
            to_bytes(in_type[i], in_size[i], m.in[i], bytes);
            gnd_recording_write(r, i, bytes, (size_t)in_size[i] * 4);
        }
        replay(&m);
        look(&m);
        gnd_replay(r);
        for (int k = 0; k < STEPS && !wrong; k++)
            if (!random_step(dev, r, &m)) {
                tap_diag("seed %d, step %d: %s", seed, k, gnd_message());
                wrong++;
            }
        for (int o = 0; o < NOUT && !wrong; o++) {
            gnd_recording_read(r, o, bytes, (size_t)out_size[o] * 4);
            wrong += !holds(out_type[o], out_size[o], bytes, m.out[o]);
        }
    }
    tap_ok(!wrong, "%s: feeding, setting, reading and replaying in any order", spec);
    gnd_recording_free(r);
}

/* --- loops ------------------------------------------------------------------------------------ */

/* The wave equation: the state before, the state, and the next rotate. One launch; with the next
 * state's sum in output 2, several. */
static gnd_recording *wave(gnd_device *dev, int64_t n, int sum)
{
    gnd_array *in[2], *out[3];
    gnd_scope_begin();
    in[0] = gnd_placeholder(dev, GND_FLOAT32, 1, &n);
    in[1] = gnd_placeholder(dev, GND_FLOAT32, 1, &n);
    gnd_array *around = gnd_add(gnd_roll(in[1], 1, (int64_t[]){1}, (int[]){0}),
                                gnd_roll(in[1], 1, (int64_t[]){-1}, (int[]){0}));
    out[0] =
        gnd_sub(gnd_add(gnd_mul(in[1], gnd_real(1.5)), gnd_mul(around, gnd_real(0.25))), in[0]);
    out[1] = in[1];
    out[2] = gnd_sum(out[0], GND_ALL, 0);
    gnd_recording *r = gnd_record(2, in, sum ? 3 : 2, out);
    gnd_scope_end();
    return r;
}

static void rotates(gnd_device *dev, const char *spec)
{
    enum { N = 40, ROUNDS = 50 };
    float u[3][N], got[N];
    gnd_recording *r = wave(dev, N, 0);
    for (int i = 0; i < N; i++)
        u[0][i] = u[1][i] = (float)(i % 7);
    gnd_recording_write(r, 0, u[0], sizeof *u);
    gnd_recording_write(r, 1, u[1], sizeof *u);
    for (int k = 0; k < ROUNDS; k++) {
        const float *old = u[k % 3], *now = u[(k + 1) % 3];
        float *next = u[(k + 2) % 3];
        for (int i = 0; i < N; i++)
            next[i] = now[i] * 1.5f + (now[(i + N - 1) % N] + now[(i + 1) % N]) * 0.25f - old[i];
        gnd_replay(r);
        gnd_recording_feed(r, 1, 0);
        gnd_recording_feed(r, 0, 1);
    }
    const gnd_status s = gnd_recording_read(r, 0, got, sizeof got);
    tap_ok(s == GND_OK && !memcmp(got, u[(ROUNDS + 1) % 3], sizeof got), "%s: three buffers rotate",
           spec);
    gnd_recording_free(r);
}

/* Inputs that are outputs change places, since all are taken before any is given. */
static void change_places(gnd_device *dev, const char *spec)
{
    float got[2] = {0, 0};
    gnd_scope_begin();
    gnd_array *a = gnd_placeholder(dev, GND_FLOAT32, 0, NULL),
              *b = gnd_placeholder(dev, GND_FLOAT32, 0, NULL);
    gnd_recording *r =
        gnd_record(2, (gnd_array *[]){a, b}, 3, (gnd_array *[]){a, b, gnd_subtract(a, b)});
    gnd_recording_set_f64(r, 0, 7);
    gnd_recording_set_f64(r, 1, 2);
    int s = gnd_replay(r);
    s |= gnd_recording_read(r, 2, &got[0], sizeof got[0]);
    const int st = gnd_recording_feed_all(r, 2, (int[]){0, 1}, (int[]){1, 0});
    s |= gnd_replay(r);
    s |= gnd_recording_read(r, 2, &got[1], sizeof got[1]);
    tap_ok(!s && !st && got[0] == 5 && got[1] == -5, "%s: two inputs change places: %g, then %g",
           spec, got[0], got[1]);
    gnd_recording_free(r);
    gnd_scope_end();
}

static void numbers(gnd_device *dev, const char *spec)
{
    static const gnd_dtype types[] = {GND_FLOAT32,   GND_INT8,    GND_UINT64,
                                      GND_COMPLEX64, GND_FLOAT16, GND_BOOL};
    gnd_array *in[6], *out[6];
    float re[2];
    int64_t i = 0;
    gnd_scope_begin();
    for (int k = 0; k < 6; k++) {
        in[k] = gnd_placeholder(dev, types[k], 0, NULL);
        out[k] = types[k] == GND_COMPLEX64
                     ? in[k]
                     : gnd_astype(in[k], types[k] == GND_FLOAT16 ? GND_FLOAT32 : types[k]);
    }
    gnd_recording *r = gnd_record(6, in, 6, out);
    tap_is_int(gnd_recording_status(r), GND_OK, "%s: numbers as inputs %s", spec,
               gnd_recording_error(r));
    gnd_recording_set_f64(r, 0, 0.1);
    gnd_recording_set_i64(r, 1, -7);
    gnd_recording_set_i64(r, 2, 77);
    gnd_recording_set(r, 3, gnd_complex(1, -2));
    gnd_recording_set_f64(r, 4, 0.1);
    gnd_recording_set(r, 5, gnd_bool(1));
    gnd_replay(r);
    tap_is_int(gnd_recording_status(r), GND_OK, "%s:   are set %s", spec, gnd_recording_error(r));
    gnd_recording_read(r, 0, re, 4);
    tap_ok(re[0] == 0.1f, "%s:   float32", spec);
    int8_t i8 = 0;
    gnd_recording_read(r, 1, &i8, 1);
    tap_is_int(i8, -7, "%s:   int8", spec);
    gnd_recording_read(r, 2, &i, 8);
    tap_is_int(i, 77, "%s:   uint64", spec);
    gnd_recording_read(r, 3, re, 8);
    tap_ok(re[0] == 1 && re[1] == -2, "%s:   complex64", spec);
    gnd_recording_read(r, 4, re, 4);
    tap_ok(re[0] == 0x1.998p-4f, "%s:   float16", spec);
    gnd_recording_read(r, 5, &i8, 1);
    tap_is_int(i8, 1, "%s:   bool", spec);
    tap_is_int(gnd_recording_set_i64(r, 1, 300), GND_ERR_OVERFLOW, "%s:   300 is no int8", spec);
    tap_is_str(gnd_message(), "recording_set: the scalar 300 does not fit int8", "%s:   as is said",
               spec);
    gnd_recording_wait(r);
    tap_is_int(gnd_recording_set_f64(r, 2, 1.5), GND_ERR_DTYPE, "%s:   1.5 is no uint64", spec);
    tap_is_str(gnd_message(), "recording_set: x is a float, input 2 uint64", "%s:   as is said",
               spec);
    gnd_recording_wait(r);
    tap_is_int(gnd_recording_set(r, 0, gnd_complex(1, 2)), GND_ERR_DTYPE,
               "%s:   nor 1+2i a float32", spec);
    gnd_recording_wait(r);
    gnd_recording_free(r);
    gnd_scope_end();
}

static void all(gnd_device *dev, const char *spec)
{
    random_steps(dev, spec);
    rotates(dev, spec);
    change_places(dev, spec);
    numbers(dev, spec);
    gnd__merge_force(3, 3, 1);
    random_steps(dev, spec);
    rotates(dev, spec);
    gnd__merge_force(0, 0, 0);
}

/* --- on the null device ----------------------------------------------------------------------- */

/* What a loop asks of the backend: a launch, or lists of several, and nothing else. */
static void no_copies(void)
{
    gnd_device *dev = gnd_open("null:0");
    for (int sum = 0; sum < 2; sum++) {
        gnd_recording *r = wave(dev, 1000, sum);
        gnd__null_reset();
        gnd__null_record(1);
        for (int k = 0; k < 30; k++) {
            gnd_replay(r);
            gnd_recording_feed(r, 1, 0);
            gnd_recording_feed(r, 0, 1);
        }
        gnd__null_record(0);
        char *log = gnd__null_log();
        tap_ok(!strstr(log, "replay of") == !sum && (sum || strstr(log, "launch k_")) &&
                   !strstr(log, "copy") && !strstr(log, "alloc"),
               "rotating copies nothing, %s", sum ? "in lists" : "by a launch");
        int lists = 0;
        for (const char *p = log; (p = strstr(p, "list of")); p++)
            lists++;
        tap_is_int(lists, sum ? 2 : 0, "lists that are made");
        gnd__free(log);
        gnd_recording_free(r);
    }
    gnd_array *t = gnd_placeholder(dev, GND_FLOAT32, 0, NULL), *y = gnd_sin(t);
    gnd_recording *r = gnd_record(1, &t, 1, &y);
    gnd_recording_set_f64(r, 0, 0);
    gnd__null_reset();
    gnd__null_record(1);
    gnd_recording_set_f64(r, 0, 1);
    gnd_replay(r);
    gnd__null_record(0);
    char *log = gnd__null_log();
    tap_ok(!strstr(log, "write") && !strstr(log, "copy") && !strstr(log, "alloc") &&
               !strstr(log, "finish"),
           "a number is an argument of a kernel");
    gnd__free(log);
    gnd_recording_free(r);
    gnd_release(t);
    gnd_release(y);
    gnd_close(dev);
}

/* How many of its calls went well. Ever new assignments of memory, so that versions come and go. */
static int program(gnd_device *dev)
{
    gnd_recording *r = record_all(dev);
    int good = gnd_recording_status(r) == GND_OK;
    for (int i = 0; i < 4; i++) {
        good += gnd_replay(r) == GND_OK;
        good += gnd_recording_feed(r, 0, i % 3) == GND_OK;
        good += gnd_recording_feed(r, 7, (i + 1) % 3) == GND_OK;
        good += gnd_recording_set_f64(r, 4, i) == GND_OK;
    }
    good += gnd_recording_wait(r) == GND_OK;
    gnd_recording_free(r);
    return good;
}

/* Many more assignments than versions are kept: memory stays flat. */
static void versions(void)
{
    gnd_device *dev = gnd_open("null:0");
    gnd_recording *r = record_all(dev);
    long live = 0;
    ref_seed(3);
    for (int i = 0; i < 3000; i++) {
        static const int from[3] = {0, 6, 7};
        gnd_replay(r);
        gnd_recording_feed(r, from[ref_range(0, 2)], (int)ref_range(0, 2));
        if (i == 500)
            live = gnd__mem_live();
    }
    tap_is_int(gnd_recording_wait(r), GND_OK, "thousands of assignments");
    tap_ok(gnd__mem_live() < live + 600, "  in flat memory: %ld, %ld", live, gnd__mem_live());
    gnd_recording_free(r);
    gnd_close(dev);
}

static const failing failures = {
    .program = program, .all = 18, .whole = 3, .most = 2000, .tries = 10, .least = 10};

int main(void)
{
    ref_devices(all);
    no_copies();
    versions();
    failing_each(&failures, gnd__mem_fail_at, "allocations");
    failing_each(&failures, gnd__gate_fail_at, "calls");
    return tap_done();
}
