/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wave [N [TIMES]] - a drum of N x N points (200) with a fixed edge is let go: 500 steps of the
 * wave equation, recorded. The state before the last one is needed, so three buffers change places.
 * TIMES > 1: how long it takes, too.
 */
#include "share.h"

enum { STEPS = 500 };
static const double rate = 0.25; /* (speed * step / spacing)^2; stable up to 1/2 */

typedef struct drum {
    gnd_array *start;
    gnd_recording *step;
    double middle, height, rms;
    gnd_status status;
} drum;

/* u_xx + u_yy with spacing 1, and 0 outside. */
static gnd_array *laplace(gnd_array *u)
{
    gnd_array *p = gnd_pad(u, (int64_t[]){1, 1, 1, 1}, "constant", NULL);
    gnd_array *around = gnd_add(gnd_add(gnd_at(p, ":-2, 1:-1"), gnd_at(p, "2:, 1:-1")),
                                gnd_add(gnd_at(p, "1:-1, :-2"), gnd_at(p, "1:-1, 2:")));
    return gnd_sub(around, gnd_mul_f(u, 4));
}

/* (before, u) -> (u, 2 u - before + rate * laplace(u)). */
static gnd_recording *recorded(gnd_device *dev, int64_t n)
{
    const int64_t shape[2] = {n, n};
    gnd_array *in[2] = {gnd_placeholder(dev, GND_FLOAT32, 2, shape),
                        gnd_placeholder(dev, GND_FLOAT32, 2, shape)};
    gnd_array *next = gnd_add(gnd_sub(gnd_mul_f(in[1], 2), in[0]), gnd_mul_f(laplace(in[1]), rate));
    return gnd_record(2, in, 2, (gnd_array *[]){in[1], next});
}

static void sound(void *arg)
{
    drum *d = arg;
    gnd_scope_begin();
    gnd_recording_set(d->step, 0, d->start); /* at rest: it was there before, too */
    gnd_recording_set(d->step, 1, d->start);
    for (int k = 0; k < STEPS; k++) {
        gnd_replay(d->step);
        gnd_recording_feed_all(d->step, 2, (int[]){0, 1}, (int[]){0, 1});
    }
    gnd_array *u = gnd_recording_get(d->step, 1);
    const int64_t middle = gnd_dim(d->start, 0) / 2;
    gnd_array *found[] = {gnd_index(u, GND_IDX(GND_ELEM(middle), GND_ELEM(middle))),
                          gnd_max(gnd_abs(u), GND_ALL, 0),
                          gnd_sqrt(gnd_mean(gnd_square(u), GND_ALL, 0))};
    d->status = gnd_eval_all(3, found);
    d->middle = gnd_item_f64(found[0], &d->status);
    d->height = gnd_item_f64(found[1], &d->status);
    d->rms = gnd_item_f64(found[2], &d->status);
    gnd_scope_end();
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 200;
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    /* A bell, off the middle. */
    gnd_array *x =
        gnd_div(gnd_arange_i64(dev, 1, n + 1, 1, GND_FLOAT32), gnd_real((double)(n + 1)));
    gnd_array *far =
        gnd_add(gnd_square(gnd_sub_f(x, 0.4)), gnd_at(gnd_square(gnd_sub_f(x, 0.3)), ":, None"));
    drum d = {gnd_exp(gnd_mul_f(far, -200)), recorded(dev, n), 0, 0, 0, GND_OK};
    repeat(argc > 2 ? atoi(argv[2]) : 1, sound, &d);
    if (d.status == GND_OK)
        printf("wave: %lld x %lld, %d steps on %s; %.7g in the middle, %.7g at most, rms %.7g\n",
               (long long)n, (long long)n, STEPS, gnd_device_id(dev), d.middle, d.height, d.rms);
    else
        fprintf(stderr, "wave: %s\n", gnd_message());
    gnd_recording_free(d.step);
    gnd_scope_end();
    gnd_close(dev);
    return d.status != GND_OK;
}
