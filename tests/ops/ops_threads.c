/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_threads.c - four threads share a device and arrays, and evaluate the same graphs and
 * different ones at once: every result is right, and nothing is left over. Worth a run under
 * -fsanitize=thread now and then.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crowd.h"
#include "ref.h"
#include "tap.h"

enum { THREADS = 4, ROUNDS = 40, N = 3000 };

static gnd_device *dev;
static gnd_array *x,
    *lazy[ROUNDS]; /* shared: data, and expressions that all threads read at once */
static float host[N];

static void complain(crowd_job *j, int round, const char *what, double got, double want,
                     gnd_array *a)
{
    crowd_complain(j, "round %d: %s is %.9g, not %.9g %s", round, what, got, want, gnd_error(a));
}

static void work(crowd_job *j)
{
    for (int r = 0; r < ROUNDS; r++) {
        float v[N];
        gnd_scope_begin();
        /* one graph, evaluated by whoever comes first */
        gnd_status st = gnd_read(lazy[r], v, sizeof v);
        int at = (r * 37 + j->number * 11) % N;
        double want = (double)((host[at] + (float)r) * host[at]);
        if (st != GND_OK || fabs((double)v[at] - want) > 1e-5 * fabs(want))
            complain(j, r, "the shared expression", (double)v[at], want, lazy[r]);
        /* one of its own over the shared ones: other constants, the same structure */
        gnd_array *own = gnd_subtract(gnd_multiply(lazy[r], gnd_int(j->number)), x);
        gnd_array *s = gnd_max(own, GND_ALL, 0);
        double m = -INFINITY, got = gnd_item_f64(s, NULL);
        for (int i = 0; i < N; i++) {
            float e = (host[i] + (float)r) * host[i] * (float)j->number - host[i];
            m = fmax(m, (double)e);
        }
        if (!(fabs(got - m) <= 1e-4 * fabs(m) + 1e-4))
            complain(j, r, "the greatest of its own", got, m, s);
        /* a structure of its own, views and joins among it */
        gnd_array *k[] = {gnd_at(x, "::-1"),
                          gnd_full(dev, GND_FLOAT32, 1, (int64_t[]){j->number + 1}, gnd_real(r)),
                          x};
        gnd_array *c = gnd_concat(3, k, 0);
        got = gnd_item_f64(gnd_at(c, j->number % 2 ? "0" : "-1"), NULL);
        if (got != (double)host[N - 1])
            complain(j, r, "an end of the joined array", got, (double)host[N - 1], c);
        got = gnd_item_f64(gnd_sum(gnd_at(c, "3000:-3000"), GND_ALL, 0), NULL);
        if (got != (j->number + 1) * r)
            complain(j, r, "the middle of it", got, (j->number + 1) * r, c);
        gnd_release(gnd_retain(x)); /* counts are shared too */
        if (r % 8 == j->number)
            gnd_device_trim(dev);
        gnd_scope_end();
    }
}

static void on_device(gnd_device *d, const char *spec)
{
    gnd_stats s;
    dev = d;
    gnd_scope_begin();
    x = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){N}, host);
    for (int r = 0; r < ROUNDS; r++)
        lazy[r] = gnd_multiply(gnd_add(x, gnd_int(r)), x);
    crowd(THREADS, work, spec);
    gnd_scope_end();
    gnd_sync(dev);
    gnd_device_stats(dev, &s);
    tap_is_int(s.arrays, 0, "%s: no arrays are left", spec);
    tap_is_int(s.bytes_in_use, 0, "%s: no memory is left", spec);
}

int main(void)
{
    for (int i = 0; i < N; i++)
        host[i] = (float)((i * 7919) % 1000) / 64 - 5;
    ref_devices(on_device);
    return tap_done();
}
