/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_merge.c - recordings that are replayed often: small launches in a row become one. Each
 * replay, merged or not, gives bit for bit what plain evaluation gives. Elementwise work of all
 * dtypes, reductions, views, gathers, random numbers; lists that merge whole, in part and not at
 * all; lists that are slower merged; more buffers than one kernel takes; indices out of range;
 * memory; and on the null device every call and every allocation failing.
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
#include "sched/here.h"
#include "sched/merge.h"
#include "tap.h"

enum { ROWS = 6, COLS = 50, N = ROWS * COLS, MERGED = 3, REPLAYS = 6 };
static const int64_t shape[2] = {ROWS, COLS};
static float host[N];

static void numbers(int round)
{
    ref_seed(99 + (uint64_t)round);
    for (int k = 0; k < N; k++)
        host[k] = (float)ref_range(-800, 800) / 64;
    host[7] = -0.0f;
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

static uint64_t launched(gnd_device *dev)
{
    gnd_stats s;
    gnd_device_stats(dev, &s);
    return s.kernels_launched;
}

/* Whether all generated kernels are merged there, or maps only: elsewhere those with barriers are
 * not, or nothing. */
static int merges_all(const char *spec)
{
    return strstr(spec, "pocl") && !getenv("GND_KERNEL_SHAPE");
}

static int merges_maps(const char *spec)
{
    return !strncmp(spec, "opencl", 6);
}

/* What a recording of n outputs f(x) gives at each of some replays is what plain evaluation gives;
 * the number of its launches falls from *before to *after. */
typedef void make_fn(gnd_device *dev, gnd_array *x, gnd_array **out);

static int same_bits(gnd_device *dev, make_fn *make, int n, uint64_t *before, uint64_t *after)
{
    gnd_array *x = gnd_placeholder(dev, GND_FLOAT32, 2, shape), *out[16], *plain[16];
    int same = 1;
    make(dev, x, out);
    gnd_recording *r = gnd_record(1, &x, n, out);
    if (gnd_recording_status(r) != GND_OK)
        tap_diag("%s", gnd_recording_error(r));
    *before = *after = 0;
    for (int round = 0; round < REPLAYS && same; round++) {
        gnd_scope_begin();
        numbers(round);
        make(dev, gnd_from(dev, GND_FLOAT32, 2, shape, host), plain);
        same &= gnd_recording_write(r, 0, host, sizeof host) == GND_OK;
        const uint64_t from = launched(dev);
        same &= gnd_replay(r) == GND_OK;
        *(round < MERGED ? before : after) = launched(dev) - from;
        for (int i = 0; i < n && same; i++) {
            const size_t bytes = gnd_nbytes(plain[i]);
            void *want = elements(plain[i]), *got = calloc(1, bytes + 1);
            same &=
                gnd_recording_read(r, i, got, bytes) == GND_OK && want && !memcmp(want, got, bytes);
            if (!same)
                tap_diag("replay %d, output %d: %s", round, i, gnd_message());
            free(want);
            free(got);
        }
        gnd_scope_end();
    }
    gnd_recording_free(r);
    return same;
}

/* --- what is recorded ------------------------------------------------------------------------- */

static const char *text;
static int steps = 8;

static void make_text(gnd_device *dev, gnd_array *x, gnd_array **out)
{
    static const char *const name[] = {"u"};
    out[0] = x;
    for (int i = 0; i < steps; i++)
        out[0] = gnd_eval_names(dev, text, 1, name, out);
}

/* An output of each dtype, and what comes of it; of shapes that differ, or they would be one kernel
 * anyway. */
static void make_dtypes(gnd_device *dev, gnd_array *x, gnd_array **out)
{
    (void)dev;
    for (int t = 0; t < GND_NDTYPES; t++) {
        char part[32];
        snprintf(part, sizeof part, "%d:, ::-1", t % 3);
        gnd_array *y = gnd_astype(gnd_at(x, part), (gnd_dtype)t);
        snprintf(part, sizeof part, ":, %d:", t);
        y = gnd_at(gnd_status_of(y) == GND_OK ? y : x, part); /* a device may lack float64 */
        out[t] = t == GND_BOOL ? gnd_logical_not(y) : gnd_add(gnd_multiply(y, gnd_int(3)), y);
    }
}

/* Parts of arrays that have buffers of their own. */
enum { BIG = 1 << 19, FAR = 7 };
static gnd_array *big[FAR];

static void make_far(gnd_device *dev, gnd_array *x, gnd_array **out)
{
    (void)dev;
    out[0] = x;
    for (int i = 0; i < 2 * FAR; i++) {
        gnd_array *part = gnd_reshape(gnd_at(big[i % FAR], "5:1505:5"), 2, shape);
        out[0] =
            gnd_add(gnd_multiply(part, gnd_at(out[0], "::-1")), gnd_sum(out[0], GND_AXIS(1), 1));
    }
}

static const struct {
    const char *what, *text;
    int left; /* launches that are left on CPUs, 0: as many as there were, -1: some fewer */
} texts[] = {
    {"steps of a stencil",
     "u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]); u", 1},
    {"reductions in between",
     "u = u / (1 + abs(u).max()); u + u.sum(axis=0) * 0.125 - u.mean(axis=1)[:, None]", 1},
    {"gathers and joins", "take(concat([u[3:], -u[:3]], axis=0), argmax(u[:, :6], axis=1), axis=0)",
     1},
    {"sorts in between",
     "u[1:-1] += 0.5 * u[:-2]; u[:, 1:] += u[:, :-1]; u[::2] += 1; sort(u, axis=1)", -1},
    {"one kernel", "u + 1", 0},
};

static void all(gnd_device *dev, const char *spec)
{
    uint64_t before, after;
    gnd_stats a, b;
    int same;
    gnd_sync(dev);
    gnd_device_stats(dev, &a);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gnd_scope_begin();
        text = texts[i].text;
        same = same_bits(dev, make_text, 1, &before, &after);
        tap_ok(same, "%s: %s, the same bits", spec, texts[i].what);
        if (merges_all(spec) && texts[i].left > 0)
            tap_is_int((int64_t)after, texts[i].left, "%s:   merged into one", spec);
        else if (texts[i].left && merges_maps(spec) && (i == 0 || merges_all(spec)))
            tap_ok(after < before, "%s:   %d launches instead of %d", spec, (int)after,
                   (int)before);
        else
            tap_ok(after <= before, "%s:   %d launches, %d before", spec, (int)after, (int)before);
        gnd_scope_end();
    }
    gnd_scope_begin();
    same = same_bits(dev, make_dtypes, GND_NDTYPES, &before, &after);
    tap_ok(same && (after < before || !merges_maps(spec)), "%s: all dtypes, %d launches, %d before",
           spec, (int)after, (int)before);
    for (int i = 0; i < FAR; i++)
        big[i] = gnd_full(dev, GND_FLOAT32, 1, (int64_t[]){BIG}, gnd_real(0.25 + 0.125 * i));
    gnd_eval_all(FAR, big);
    same = same_bits(dev, make_far, 1, &before, &after);
    tap_ok(same && (after < before || !merges_all(spec)),
           "%s: many buffers, %d launches, %d before", spec, (int)after, (int)before);
    gnd_scope_end();
    gnd_device_stats(dev, &b);
    tap_is_int((int64_t)b.bytes_in_use, (int64_t)a.bytes_in_use, "%s: all memory is given back",
               spec);
}

/* Numbers that change are the same numbers in launches that are one; more of them than one kernel
 * takes. */
static void numbers_change(gnd_device *dev, const char *spec)
{
    enum { NUMBERS = 6 };
    static const gnd_dtype type[NUMBERS] = {GND_FLOAT32, GND_INT16, GND_FLOAT16,
                                            GND_FLOAT32, GND_INT64, GND_COMPLEX64};
    gnd_array *in[NUMBERS + 1], *y;
    float got[N], want[N];
    int same = 1, before = 0, after = 0;
    gnd_scope_begin();
    for (int i = 0; i < NUMBERS; i++)
        in[i] = gnd_placeholder_number(dev, type[i]);
    in[NUMBERS] = y = gnd_placeholder(dev, GND_FLOAT32, 2, shape);
    for (int i = 0; i < 2 * NUMBERS; i++) {
        gnd_array *k = i % NUMBERS == 5 ? gnd_real_part(in[5]) : in[i % NUMBERS];
        y = gnd_add(gnd_multiply(gnd_at(y, "::-1"), gnd_real(0.5)), gnd_astype(k, GND_FLOAT32));
        y = gnd_sub(y, gnd_multiply(gnd_sum(y, GND_AXIS(1), 1), gnd_real(0x1p-10)));
    }
    gnd_recording *r = gnd_record(NUMBERS + 1, in, 1, &y);
    numbers(1);
    gnd_recording_write(r, NUMBERS, host, sizeof host);
    for (int round = 0; round < REPLAYS + 2 && same; round++) {
        const uint64_t from = launched(dev);
        gnd_scope_begin();
        gnd_array *plain = gnd_from(dev, GND_FLOAT32, 2, shape, host);
        for (int i = 0; i < NUMBERS; i++)
            if (round < 2 || i == round % NUMBERS)
                gnd_recording_set_i64(r, i, 3 * round + i);
        same &= gnd_replay(r) == GND_OK;
        *(round < MERGED ? &before : &after) = (int)(launched(dev) - from);
        for (int i = 0; i < 2 * NUMBERS; i++) {
            int last = round;
            while (last >= 2 && last % NUMBERS != i % NUMBERS)
                last--;
            plain = gnd_add(gnd_multiply(gnd_at(plain, "::-1"), gnd_real(0.5)),
                            gnd_real(3 * last + i % NUMBERS));
            plain = gnd_sub(plain, gnd_multiply(gnd_sum(plain, GND_AXIS(1), 1), gnd_real(0x1p-10)));
        }
        same &= gnd_recording_read(r, 0, got, sizeof got) == GND_OK &&
                gnd_read(plain, want, sizeof want) == GND_OK;
        for (int k = 0; k < N && same; k++) /* by other kernels, whose sums have another order */
            same &= fabsf(got[k] - want[k]) <= 1e-5f * (1 + fabsf(want[k]));
        if (!same)
            tap_diag("replay %d: %s", round, gnd_message());
        gnd_scope_end();
    }
    tap_ok(same, "%s: numbers that change, %d launches and then %d", spec, before, after);
    tap_ok(!merges_all(spec) || after < before, "%s:   which were merged", spec);
    gnd_recording_free(r);
    gnd_scope_end();
}

/* An index out of range among launches that are one. */
static void checked(gnd_device *dev, const char *spec)
{
    int64_t n = 3, at[3] = {2, 5, 0};
    float v[3 * COLS];
    gnd_scope_begin();
    numbers(0);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, shape, host),
              *i = gnd_placeholder(dev, GND_INT64, 1, &n), *y = x;
    for (int k = 0; k < 5; k++) {
        text = "u[1:-1] += u[:-2]; u";
        y = gnd_eval(dev, text, "u", y, NULL);
    }
    y = gnd_index(y, 1, &(gnd_range){.kind = GND_IDX_ARRAY, .array = i});
    gnd_recording *r = gnd_record(1, &i, 1, &y);
    gnd_status st = gnd_recording_write(r, 0, at, sizeof at);
    for (int k = 0; k < REPLAYS; k++)
        st = st ? st : gnd_replay(r);
    tap_is_int(st ? st : gnd_recording_read(r, 0, v, sizeof v), GND_OK, "%s: indices in range %s",
               spec, gnd_recording_error(r));
    at[1] = 6;
    gnd_recording_write(r, 0, at, sizeof at);
    gnd_replay(r);
    tap_is_int(gnd_recording_wait(r), GND_ERR_INDEX, "%s: one out of range", spec);
    at[1] = 1;
    gnd_recording_write(r, 0, at, sizeof at);
    gnd_replay(r);
    tap_is_int(gnd_recording_read(r, 0, v, sizeof v), GND_OK, "%s:   and gone in the next", spec);
    gnd_recording_free(r);
    gnd_scope_end();
}

/* A merged list that is slower runs in the timed runs and is then dropped. The list has the numbers
 * that were set meanwhile. */
static void slower(gnd_device *dev, const char *spec)
{
    gnd_scope_begin();
    gnd__merge_force(MERGED, MERGED, 0);
    text = texts[0].text;
    numbers(0);
    gnd_array *x[2] = {gnd_placeholder(dev, GND_FLOAT32, 2, shape),
                       gnd_placeholder_number(dev, GND_FLOAT32)},
              *out[1];
    make_text(dev, gnd_multiply(x[0], x[1]), out);
    gnd_recording *r = gnd_record(2, x, 1, out);
    gnd_recording_write(r, 0, host, sizeof host);
    uint64_t count[MERGED + GND__MERGE_TRIALS + 1];
    float got[N], want[N];
    int same = 1;
    for (int i = 0; i <= MERGED + GND__MERGE_TRIALS; i++) {
        const uint64_t from = launched(dev);
        gnd_recording_set_f64(r, 1, 1 + i);
        same &= gnd_replay(r) == GND_OK;
        count[i] = launched(dev) - from;
        make_text(dev, gnd_multiply(gnd_from(dev, GND_FLOAT32, 2, shape, host), gnd_real(1 + i)),
                  out);
        same &= gnd_recording_read(r, 0, got, sizeof got) == GND_OK &&
                gnd_read(out[0], want, sizeof want) == GND_OK && !memcmp(got, want, sizeof got);
    }
    tap_ok(same, "%s: merged and dropped, the same bits %s", spec, gnd_recording_error(r));
    tap_ok(count[MERGED + GND__MERGE_TRIALS] == count[0] &&
               (count[MERGED] < count[0] || !merges_maps(spec)),
           "%s:   %d launches, %d in the timed runs, %d then", spec, (int)count[0],
           (int)count[MERGED], (int)count[MERGED + GND__MERGE_TRIALS]);
    gnd_recording_free(r);
    gnd__merge_force(MERGED, MERGED, 1);
    gnd_scope_end();
}

static void device(gnd_device *dev, const char *spec)
{
    checked(dev, spec); /* first: it takes the table of indices' checks */
    all(dev, spec);
    numbers_change(dev, spec);
    slower(dev, spec);
}

/* --- on the null device ----------------------------------------------------------------------- */

enum { GOOD = 3 };

static int program(gnd_device *dev)
{
    gnd_array *out[1];
    int good = 0;
    gnd_scope_begin();
    memset(host, 0, sizeof host);
    text = texts[0].text;
    gnd_array *x[2] = {gnd_placeholder(dev, GND_FLOAT32, 2, shape),
                       gnd_placeholder_number(dev, GND_FLOAT32)};
    make_text(dev, gnd_multiply(x[0], x[1]), out);
    out[0] = gnd_add(gnd_at(out[0], "::-1"), x[1]);
    gnd_recording *r = gnd_record(2, x, 1, out);
    good += gnd_recording_write(r, 0, host, sizeof host) == GND_OK;
    for (int i = 0; i < REPLAYS - 1; i++) {
        (void)gnd_recording_set_f64(r, 1, i);
        (void)gnd_replay(r);
    }
    good += gnd_replay(r) == GND_OK;
    good += gnd_recording_read(r, 0, host, sizeof host) == GND_OK;
    gnd_recording_free(r);
    gnd_scope_end();
    return good;
}

/* What is launched. */
static void launches(void)
{
    gnd_device *dev = gnd_open("null:0"), *cuda = gnd_open("null:2");
    gnd_array *out[1];
    for (int i = 0; i < 2; i++) {
        gnd_device *d = i ? cuda : dev;
        gnd_scope_begin();
        text = texts[0].text;
        gnd_array *x = gnd_placeholder(d, GND_FLOAT32, 2, shape);
        make_text(d, x, out);
        gnd_recording *r = gnd_record(1, &x, 1, out);
        for (int k = 0; k < MERGED + 1; k++)
            gnd_replay(r);
        gnd__null_reset();
        gnd__null_record(1);
        gnd_replay(r);
        gnd__null_record(0);
        if (i)
            tap_ok(gnd__null_launches() > 1, "in CUDA's dialect nothing is merged");
        else
            tap_is_int(gnd__null_launches(), 1, "one launch does it all");
        gnd_recording_free(r);
        gnd_scope_end();
    }
    gnd_close(cuda);
    gnd_close(dev);
}

/* What is in no cache is compiled when that pays, and what is in one is merged at the first look.
 */
static void when(void)
{
    static const struct {
        int replays, most;
        const char *what;
    } round[] = {{2, 1000, "looked at, and not compiled"},
                 {4, 1, "compiled when it pays"},
                 {2, 1, "taken from memory at once"}};
    gnd_device *dev = gnd_open("null:0");
    gnd_scope_begin();
    gnd__merge_force(2, 4, 1);
    text = texts[0].text;
    for (int i = 0; i < 3; i++) {
        gnd_array *x = gnd_placeholder(dev, GND_FLOAT32, 2, shape), *out[1];
        make_text(dev, x, out);
        gnd_recording *r = gnd_record(1, &x, 1, out);
        for (int k = 0; k < round[i].replays; k++)
            gnd_replay(r);
        const uint64_t before = launched(dev);
        gnd_replay(r);
        const int n = (int)(launched(dev) - before);
        tap_ok(round[i].most == 1 ? n == 1 : n > 1, "%s: %d launches", round[i].what, n);
        gnd_recording_free(r);
    }
    gnd__merge_force(MERGED, MERGED, 1);
    gnd_scope_end();
    gnd_close(dev);
}

static const failing failures = {
    .program = program, .all = GOOD, .whole = 40, .most = 3000, .tries = 50, .least = 5};

int main(void)
{
    gnd__here_force(0); /* or the host runs these small launches itself */
    gnd__merge_force(MERGED, MERGED, 1);
    ref_devices(device);
    launches();
    when();
    steps = 2;
    failing_each(&failures, gnd__mem_fail_at, "allocations");
    gnd__merge_force(MERGED, MERGED, 0); /* the last replay drops what was merged */
    failing_each(&failures, gnd__gate_fail_at, "calls");
    tap_is_int(gnd__null_damage(), 0, "no write beyond memory");
    gnd__merge_force(0, 0, 0);
    return tap_done();
}
