/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_pool.c - device memory: what a fused chain takes, a limit and what happens beyond it,
 * trimming, and that nothing is lost by running out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate.h"
#include "ref.h"
#include "device/device.h"
#include "graph/graph.h"
#include "tap.h"

#define MIB ((int64_t)1 << 20)

static const char *where;
static int computes;

static gnd_stats stats(gnd_device *dev)
{
    gnd_stats s;
    memset(&s, 0, sizeof s);
    gnd_sync(dev);
    gnd_device_stats(dev, &s);
    return s;
}

/* x[i] of a flat x, without anything that holds x afterwards. */
static double at(gnd_array *x, const char *index)
{
    gnd_scope_begin();
    double v = gnd_item_f64(gnd_at(x, index), NULL);
    gnd_scope_end();
    return v;
}

static gnd_array *megabytes(gnd_device *dev, int64_t mib)
{
    int64_t n = mib * MIB / 4;
    float *v = malloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++)
        v[i] = (float)(i % 1000);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &n, v);
    free(v);
    return x;
}

static void chain(gnd_device *dev)
{
    gnd_scope_begin();
    gnd_array *x = megabytes(dev, 4), *y = megabytes(dev, 4);
    gnd_device_reset_peak(dev);
    gnd_array *z = gnd_retain(x);
    for (int i = 0; i < 14; i++) { /* no handles on the way */
        gnd_assign(&z, gnd_multiply(z, gnd_real(0.5)));
        gnd_assign(&z, gnd_add(z, i & 1 ? x : y));
    }
    gnd_wait(z);
    gnd_stats s = stats(dev);
    tap_ok((int64_t)s.bytes_in_use >= 12 * MIB && (int64_t)s.bytes_in_use < 13 * MIB,
           "%s: two inputs and a result are in use", where);
    tap_ok((int64_t)s.bytes_peak < 13 * MIB, "%s: nor more at the peak of 28 operations (%.1f MiB)",
           where, (double)s.bytes_peak / (double)MIB);
    gnd_release(z);
    gnd_device_reset_peak(dev);
    gnd_wait(gnd_sum(gnd_square(gnd_subtract(x, y)), GND_ALL, 0));
    s = stats(dev);
    tap_ok((int64_t)(s.bytes_peak - s.bytes_in_use) < MIB / 4,
           "%s: a fused sum has no intermediates "
           "(%lld bytes)",
           where, (long long)(s.bytes_peak - s.bytes_in_use));
    gnd_scope_end();
    s = stats(dev);
    tap_is_int(s.bytes_in_use, 0, "%s: all given back to the pool", where);
    tap_ok(s.bytes_held > 0, "%s: which keeps it", where);
    uint64_t trims = s.trims;
    tap_is_int(gnd_device_trim(dev), GND_OK, "%s: trim", where);
    s = stats(dev);
    tap_is_int(s.bytes_held, 0, "%s: the pool gives all of it back to the driver", where);
    tap_ok(s.trims > trims, "%s: and counts that", where);
}

static void limit(gnd_device *dev)
{
    gnd_scope_begin();
    gnd_array *x = megabytes(dev, 8);
    tap_is_int(gnd_device_set_limit(dev, 26 * MIB), GND_OK, "%s: a limit", where);
    gnd_stats limited;
    tap_ok(gnd_device_stats(dev, &limited) == GND_OK && limited.bytes_limit == 26 * MIB,
           "%s: which the counters tell", where);
    /* too large at once */
    gnd_array *big =
        gnd_broadcast_to(gnd_reshape(x, 2, (int64_t[]){1, -1}), 2, (int64_t[]){8, 2 * MIB});
    big = gnd_add(big, gnd_int(1));
    gnd_array *sum = gnd_sum(big, GND_ALL, 0);
    tap_is_int(gnd_wait(big), GND_ERR_DEVMEM, "%s: 64 MiB do not fit", where);
    tap_has_str(gnd_error(big), "out of device memory", "%s: and the message says so", where);
    tap_is_int(gnd_status_of(big), GND_ERR_DEVMEM, "%s: the array has the error", where);
    tap_is_int(gnd_status_of(x), GND_OK, "%s: its input does not", where);
    /* fused: the sum of the array that did not fit needs next to none */
    tap_is_int(gnd_wait(sum), GND_OK, "%s: its sum is computed all the same", where);
    tap_is_int(gnd_status_of(gnd_negative(big)), GND_ERR_DEVMEM,
               "%s: what is made of it now has its error", where);
    /* by and by */
    gnd_array *a[6];
    int fit = 0;
    for (int i = 0; i < 6; i++) {
        a[i] = gnd_add(x, gnd_int(i));
        fit += gnd_wait(a[i]) == GND_OK;
    }
    tap_ok(fit >= 1 && fit <= 2, "%s: of 6 arrays of 8 MiB so many fit beside the first: %d", where,
           fit);
    tap_is_int(gnd_wait(a[0]), GND_OK, "%s: those that did stay", where);
    if (computes)
        tap_is_f64(at(a[0], "777"), 777, "%s: with their elements", where);
    gnd_array *up = megabytes(dev, 16);
    tap_is_int(gnd_status_of(up), GND_ERR_DEVMEM,
               "%s: an upload that does not fit is an error at once", where);
    /* room again */
    gnd_release(a[0]);
    gnd_release(a[1]);
    tap_is_int(gnd_wait(a[5]), GND_OK, "%s: after release the same array is computed", where);
    tap_is_int(gnd_status_of(a[5]), GND_OK, "%s: and its error is gone", where);
    if (computes)
        tap_is_f64(at(a[5], "777"), 782, "%s: right", where);
    gnd_stats s = stats(dev);
    tap_ok((int64_t)s.bytes_held <= 26 * MIB, "%s: the limit holds (%lld bytes held)", where,
           (long long)s.bytes_held);
    gnd_device_set_limit(dev, 0);
    tap_is_int(gnd_wait(big), GND_OK, "%s: without the limit the large one fits", where);
    if (computes)
        tap_is_f64(at(big, "7, 999"), 1000, "%s: and is right", where);
    gnd_scope_end();
    tap_is_int(stats(dev).bytes_in_use, 0, "%s: nothing is left", where);
}

/* The pool keeps memory of one size; what is needed then is another: it trims and tries again. */
static void retry(gnd_device *dev)
{
    gnd_device_trim(dev);
    gnd_device_set_limit(dev, 40 * MIB);
    for (int i = 0; i < 3; i++) {
        gnd_scope_begin();
        for (int k = 0; k < 3; k++)
            tap_is_int(gnd_status_of(megabytes(dev, 11)), GND_OK, "%s: 11 MiB, number %d", where,
                       k);
        gnd_scope_end();
        gnd_scope_begin();
        tap_is_int(gnd_status_of(megabytes(dev, 36)), GND_OK, "%s: then 36 MiB at once", where);
        gnd_scope_end();
    }
    gnd_device_set_limit(dev, 0);
    gnd_device_trim(dev);
    tap_is_int(stats(dev).bytes_held, 0, "%s: all given back", where);
}

/* What a library takes for itself (cuBLASLt's workspace, cuFFT's plans) or a kernel needs comes
 * from the driver, which has none while the pool keeps it. Here each first launch says so. */
static gnd__gdev *hungry;
static const gnd__backend *fed;
static int hungers;

static gnd_status launch_hungry(gnd_queue *q, gnd_kern *k, const gnd_klaunch *l, gnd_err *e)
{
    if (hungry->n.bytes_held - hungry->n.bytes_in_use < 16 * (uint64_t)MIB && hungers < 2)
        return fed->program.launch(q, k, l, e);
    hungers++;
    strcpy(e->msg, "no memory for a workspace");
    return e->code = GND_ERR_DEVMEM;
}

static gnd_status list_hungry(gnd_list *list, gnd_err *e)
{
    if (hungry->n.bytes_held - hungry->n.bytes_in_use < 16 * (uint64_t)MIB && hungers < 2)
        return fed->replay.list_run(list, e);
    hungers++;
    strcpy(e->msg, "no memory for a workspace");
    return e->code = GND_ERR_DEVMEM;
}

/* The same in a replay. */
static void outside_replay(gnd_device *dev, const gnd__backend *mine)
{
    gnd_array *p = gnd_placeholder(dev, GND_FLOAT32, 1, (int64_t[]){MIB / 4});
    gnd_array *y = gnd_sqrt(gnd_add(p, gnd_int(1)));
    gnd_recording *r = gnd_record(1, &p, 1, &y);
    gnd_scope_begin();
    gnd_recording_set(r, 0, megabytes(dev, 1));
    megabytes(dev, 32);
    gnd_scope_end();
    tap_is_int(gnd_recording_wait(r), GND_OK, "%s: a recording", where);
    dev->g->be = mine;
    tap_is_int(gnd_replay(r), GND_OK, "%s: a replay has the memory, too", where);
    dev->g->be = fed;
    tap_is_int(hungers, 1, "%s: after one failure", where);
    if (computes)
        tap_is_f64(at(gnd_recording_get(r, 0), "288"), 17, "%s: the result is right", where);
    gnd_recording_free(r);
    hungers = 0;
}

static void outside(gnd_device *dev)
{
    gnd__backend mine = *dev->g->be;
    mine.program.launch = launch_hungry;
    mine.replay.list_run = list_hungry;
    hungry = dev->g;
    fed = dev->g->be;
    gnd_device_set_limit(dev, 0);
    gnd_scope_begin();
    megabytes(dev, 32);
    gnd_scope_end();
    gnd_scope_begin();
    gnd_array *x = megabytes(dev, 1);
    tap_ok((int64_t)stats(dev).bytes_held >= 32 * MIB, "%s: the pool keeps 32 MiB", where);
    dev->g->be = &mine;
    gnd_array *y = gnd_sqrt(gnd_add(x, gnd_int(1)));
    tap_is_int(gnd_wait(y), GND_OK, "%s: a launch without memory has it after a trim", where);
    tap_is_int(hungers, 1, "%s: it failed once", where);
    if (computes)
        tap_is_f64(at(y, "288"), 17, "%s: the result is right", where);
    hungers = 2;
    y = gnd_sqrt(gnd_add(x, gnd_int(2)));
    tap_is_int(gnd_wait(y), GND_ERR_DEVMEM, "%s: where trimming does not help it is an error",
               where);
    tap_has_str(gnd_error(y), "no memory for a workspace", "%s: with the driver's words", where);
    tap_ok(hungers <= 4, "%s: and was not tried for ever", where);
    dev->g->be = fed;
    hungers = 0;
    tap_is_int(gnd_wait(y), GND_OK, "%s: the next read computes it", where);
    outside_replay(dev, &mine);
    gnd_scope_end();
    tap_is_int(stats(dev).bytes_in_use, 0, "%s: nothing is left", where);
}

/* The number of elements of y that differ from want(i), where the device computes. */
static int64_t wrong(gnd_array *y, double (*want)(int64_t i))
{
    const int64_t n = gnd_size(y);
    double *v = malloc((size_t)n * sizeof *v);
    int64_t bad = 0;
    if (gnd_read(gnd_astype(y, GND_FLOAT64), v, (size_t)n * sizeof *v) != GND_OK)
        bad = n;
    for (int64_t i = 0; i < n && computes; i++)
        bad += v[i] != want(i);
    free(v);
    return bad;
}

/* What cummax of 0, 1, ..., 999, 0, ... is, and what is made of it. */
static double most(int64_t i)
{
    return i < 999 ? (double)i : 999;
}
static double doubled(int64_t i)
{
    return most(i) * 2 - 1;
}
static double both_ends(int64_t i)
{
    return most(i) + most(2 * MIB / 4 - 1 - i);
}
static double below_row(int64_t i)
{
    return most(i) - most(i / 512 * 512 + 511);
}

/* Sines are computed for arguments near 0 first, and again where one is far: from an array that is
 * held, and from one that their result could be written over. */
static void over_twice(gnd_device *dev)
{
    const size_t bytes = 2 * MIB;
    float *v[2];
    for (int held = 0; held < 2; held++) {
        gnd_scope_begin();
        gnd_array *t = megabytes(dev, 2), *y;
        gnd_retain(t);
        gnd_assign(&t, gnd_multiply(t, gnd_real(1e7)));
        gnd_assign(&t, gnd_cummax(t, GND_AXIS(0)));
        if (held)
            gnd_wait(t);
        y = gnd_retain(t);
        if (!held)
            gnd_release(t);
        gnd_assign(&y, gnd_sin(y));
        gnd_assign(&y, gnd_multiply(y, gnd_int(3)));
        v[held] = calloc(1, bytes);
        tap_is_int(gnd_read(y, v[held], bytes), GND_OK, "%s: sines of an array that is%s held",
                   where, held ? "" : " not");
        gnd_release(y);
        if (held)
            gnd_release(t);
        gnd_scope_end();
    }
    tap_ok(!computes || memcmp(v[0], v[1], bytes) == 0, "%s: are the same", where);
    free(v[0]);
    free(v[1]);
}

/* A result is written over an intermediate array that nothing else needs. */
static void over(gnd_device *dev)
{
    gnd_scope_begin();
    gnd_array *x = megabytes(dev, 2), *y, *t;
    for (int rows = 0; rows < 2; rows++) {
        gnd_scope_begin();
        gnd_device_reset_peak(dev);
        const int64_t before = (int64_t)stats(dev).bytes_in_use;
        t = gnd_retain(x);
        gnd_assign(&t, gnd_cummax(t, GND_AXIS(0))); /* no handle on the way */
        if (rows) {
            gnd_assign(&t, gnd_reshape(t, 2, (int64_t[]){2 * MIB / 4 / 512, 512}));
            y = gnd_retain(t);
            gnd_assign(&y, gnd_max(y, GND_AXIS(1), GND_KEEPDIMS));
            gnd_assign(&t, gnd_subtract(t, y));
            gnd_release(y);
        } else {
            gnd_assign(&t, gnd_multiply(t, gnd_int(2)));
            gnd_assign(&t, gnd_subtract(t, gnd_int(1)));
        }
        gnd_wait(t);
        const int64_t more = (int64_t)stats(dev).bytes_peak - before;
        tap_ok(more < 3 * MIB, "%s: %s over the result of a scan take its memory (%lld bytes)",
               where, rows ? "rows" : "a map", (long long)more);
        tap_is_int(wrong(t, rows ? below_row : doubled), 0, "%s: with the right values", where);
        gnd_release(t);
        gnd_scope_end();
    }
    t = gnd_cummax(x, GND_AXIS(0));
    y = gnd_subtract(gnd_multiply(t, gnd_int(2)), gnd_int(1));
    tap_is_int(wrong(y, doubled), 0, "%s: a map of an array that is held", where);
    tap_is_int(wrong(t, most), 0, "%s: leaves that array as it is", where);
    y = gnd_retain(x);
    gnd_assign(&y, gnd_cummax(y, GND_AXIS(0)));
    gnd_assign(&y, gnd_add(y, gnd_flip(y, GND_AXIS(0))));
    tap_is_int(wrong(y, both_ends), 0, "%s: an array is not overwritten that is read elsewhere too",
               where);
    gnd_release(y);
    gnd_scope_end();
}

/* What no buffer can hold is an error before anything is launched. */
static void huge(gnd_device *dev)
{
    gnd_scope_begin();
    const uint64_t before = stats(dev).kernels_launched;
    gnd_array *x =
        gnd_broadcast_to(gnd_zeros(dev, GND_FLOAT32, 0, NULL), 1, (int64_t[]){(int64_t)1 << 44});
    gnd_array *y = gnd_cummax(gnd_add(x, gnd_int(1)), GND_AXIS(0));
    tap_is_int(gnd_wait(y), GND_ERR_DEVMEM, "%s: a scan of 2^44 elements", where);
    tap_has_str(gnd_error(y), "the largest buffer of", "%s: says what there could be", where);
    y = gnd_sort(x, 0, 0);
    tap_is_int(gnd_wait(y), GND_ERR_DEVMEM, "%s: a sort of 2^44 elements", where);
    tap_is_int((int64_t)(stats(dev).kernels_launched - before), 0, "%s: and nothing was launched",
               where);
    gnd_scope_end();
}

static void on_device(gnd_device *dev, const char *spec)
{
    where = spec;
    computes = strncmp(spec, "null", 4) != 0;
    chain(dev);
    limit(dev);
    retry(dev);
    outside(dev);
    over(dev);
    over_twice(dev);
    huge(dev);
}

int main(void)
{
    gnd_device *dev = gnd_open("null:0");
    on_device(dev, "null:0");
    gnd_close(dev);
    ref_devices(on_device);
    return tap_done();
}
