/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_replay.c - replays whose launches run on the calling thread (lib/sched/here.c) leave the bits
 * that the device leaves, with inputs that are set, fed and numbers; they count the same launches,
 * and run on the device while it has work, and if it has several streams. Calls and allocations
 * that fail are errors. Skipped where the device does not work in host memory.
 */
#include <string.h>

#include "base/mem.h"
#include "device/device.h"
#include "sched/here.h"
#include "tap.h"

#include <gnd.h>

static gnd_device *dev;

enum { N = 259, TURNS = 12, SUMS = 2 };

/* What the replays of one recording leave. */
typedef struct outcome {
    float x[N], kept[N], sum[TURNS][SUMS];
    uint64_t launches, here;
} outcome;

/* x = x*c - y/4, where c is a number; the sum of its squares; the larger of x and y. */
static gnd_recording *recorded(void)
{
    const int64_t n = N;
    gnd_array *in[3] = {gnd_placeholder(dev, GND_FLOAT32, 1, &n),
                        gnd_placeholder(dev, GND_FLOAT32, 1, &n),
                        gnd_placeholder_number(dev, GND_FLOAT32)};
    gnd_array *x = gnd_sub(gnd_mul(in[0], in[2]), gnd_div_f(in[1], 4));
    gnd_array *out[3] = {x, gnd_sum(gnd_mul(x, x), GND_ALL, 0), gnd_maximum(x, in[1])};
    return gnd_record(3, in, 3, out);
}

/* Replays on the calling thread, or on the device. Every third turn y changes, and every fourth
 * the larger ones go to y, so that memory changes places in several ways. */
static int replay(int here, int busy, gnd_array *const *y, outcome *to)
{
    const int o[2] = {0, 2}, i[2] = {0, 1};
    gnd_stats began, ended;
    int bad = 0;
    gnd__here_force(here);
    gnd_recording *r = recorded();
    bad += gnd_recording_set(r, 0, y[0]) != GND_OK;
    gnd_sync(dev);
    gnd_device_stats(dev, &began);
    const uint64_t before = gnd__here_force(here);
    for (int k = 0; k < TURNS; k++) {
        gnd_array *kernel =
            gnd_abs(gnd_astype(y[k % 3], GND_COMPLEX64)); /* the host has no loop of it */
        if (k % 3 == 0)
            bad += gnd_recording_set(r, 1, y[k / 3 % 3]) != GND_OK;
        bad += gnd_recording_set_f64(r, 2, 0.75 + k / 16.0) != GND_OK;
        if (busy)
            bad += gnd_eval_all(1, &kernel) != GND_OK;
        bad += gnd_replay(r) != GND_OK;
        if (k % 4 == 3)
            bad += gnd_recording_feed_all(r, 2, o, i) != GND_OK;
        else
            bad += gnd_recording_feed(r, 0, 0) != GND_OK;
        for (int s = 0; s < SUMS; s++)
            bad += gnd_recording_read(r, 1, &to->sum[k][s], sizeof(float)) != GND_OK;
        gnd_release(kernel);
    }
    gnd_device_stats(dev, &ended);
    to->launches = ended.kernels_launched - began.kernels_launched - (busy ? TURNS : 0);
    to->here = gnd__here_force(1) - before;
    bad += gnd_recording_read(r, 0, to->x, sizeof to->x) != GND_OK;
    bad += gnd_recording_read(r, 2, to->kept, sizeof to->kept) != GND_OK;
    if (bad)
        tap_diag("%s", gnd_recording_error(r));
    gnd_recording_free(r);
    return bad;
}

static int equal(const outcome *a, const outcome *b)
{
    return !memcmp(a->x, b->x, sizeof a->x) && !memcmp(a->kept, b->kept, sizeof a->kept) &&
           !memcmp(a->sum, b->sum, sizeof a->sum);
}

/* A failure of each call of a replay. */
static void replays_fail(void)
{
    float sum = -1, again = -2;
    int bad = 0, failed = 0;
    gnd_recording *r = recorded();
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 1, &(int64_t){N});
    gnd_recording_set(r, 0, x);
    gnd_recording_set(r, 1, x);
    gnd_recording_set_f64(r, 2, 3);
    gnd_recording_wait(r);
    for (int n = 1; n < 20; n++) {
        gnd__gate_fail_at(n);
        const gnd_status st = gnd_replay(r);
        gnd__gate_fail_at(0);
        failed += st == GND_ERR_BACKEND;
        bad += st != GND_OK && (st != GND_ERR_BACKEND || !strstr(gnd_message(), "replay: "));
        bad += gnd_recording_wait(r) != st;
        bad += gnd_replay(r) != GND_OK || gnd_recording_read(r, 1, &sum, sizeof sum) != GND_OK;
        again = n == 1 ? sum : again;
        bad += sum != again;
    }
    tap_ok(!bad && failed > 0 && failed < 10, "%d calls of a replay fail, and the next one runs",
           failed);
    gnd_release(x);
    gnd_recording_free(r);
}

/* Memory that lacks while a recording is made: an error, and nothing is left behind. */
static void recordings_lack(void)
{
    int bad = 0, n = 0;
    long live = 0;
    for (gnd_status st = GND_ERR_NOMEM; st != GND_OK; n++) {
        gnd_scope_begin();
        gnd__mem_fail_at(n);
        gnd_recording *r = recorded();
        gnd__mem_fail_at(0);
        st = gnd_recording_status(r);
        bad += st != GND_OK && (n == 0 || st != GND_ERR_NOMEM);
        bad += gnd_recording_free(r) != GND_OK;
        gnd_scope_end();
        if (n == 0) { /* with everything in the caches */
            live = gnd__mem_live();
            st = GND_ERR_NOMEM;
        }
    }
    tap_ok(!bad && n > 20, "%d allocations of a recording fail", n - 2);
    tap_is_int(gnd__mem_live(), live, "and leave no memory behind");
}

/* Replays on the calling thread and on the device leave the same bits and count the same. */
static void recordings(void)
{
    static outcome device, here, busy;
    gnd_stream *s;
    gnd_array *y[3];
    gnd_scope_begin();
    for (int i = 0; i < 3; i++) {
        const int64_t n = N;
        float data[N];
        for (int k = 0; k < N; k++)
            data[k] = (float)((i + 1) * 7919 * k % 2001) / 1000 - 1;
        y[i] = gnd_from(dev, GND_FLOAT32, 1, &n, data);
    }
    const int bad = replay(0, 0, y, &device) + replay(1, 0, y, &here) + replay(1, 1, y, &busy);
    tap_ok(!bad && equal(&device, &here), "replays here and on the device give the same bits");
    tap_is_int(here.launches, device.launches, "both count the same launches");
    tap_is_int(here.here, here.launches, "all of them ran here");
    tap_is_int(device.here, 0, "and none of the device's");
    tap_ok(equal(&device, &busy) && busy.here == 0, "behind a kernel they run on the device: %d",
           (int)busy.here);
    replays_fail();
    recordings_lack();
    s = gnd_stream_create(dev);
    tap_ok(!replay(1, 0, y, &busy) && equal(&device, &busy) && busy.here == 0,
           "on a device with several streams too");
    gnd_stream_free(s);
    gnd_scope_end();
}

int main(void)
{
    dev = gnd_open(NULL);
    if (gnd_device_status(dev) != GND_OK)
        tap_skip_all("%s", gnd_device_error(dev));
    gnd__gate_lock(dev->g);
    const int reaches = gnd__gate_shares(dev->g) && gnd__gate_reaches(dev->g);
    gnd__gate_unlock(dev->g);
    if (!reaches)
        tap_skip_all("%s does not work in host memory", gnd_device_id(dev));
    recordings();
    gnd_close(dev);
    return tap_done();
}
