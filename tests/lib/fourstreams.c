/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fourstreams.c - see fourstreams.h.
 */
#include "fourstreams.h"

#include <string.h>

#include "devices.h"
#include "tap.h"

static void (*run)(gnd_device *dev, const char *spec, gnd_stream *const *stream);

uint64_t roll(dice *d, uint64_t n)
{
    d->s = d->s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (d->s >> 33) % n;
}

static void on_device(gnd_device *dev, const char *where)
{
    gnd_stats s;
    gnd_stream *stream[STREAMS];
    gnd_array *early = gnd_arange_i64(dev, 0, 5000, 1, GND_INT64); /* before there are streams */
    gnd_eval_all(1, &early);
    stream[0] = gnd_stream_default(dev);
    tap_is_int(gnd_stream_status(stream[0]), GND_OK, "%s: the default stream", where);
    for (int i = 1; i < STREAMS; i++) {
        stream[i] = gnd_stream_create(dev);
        if (gnd_stream_status(stream[i]) == GND_ERR_UNSUPPORTED && i == 1) {
            tap_ok(strstr(gnd_stream_error(stream[1]), "order") != NULL, "%s: one stream: %s",
                   where, gnd_stream_error(stream[1]));
            gnd_stream_free(stream[1]);
            gnd_release(early);
            return;
        }
        if (!tap_is_int(gnd_stream_status(stream[i]), GND_OK, "%s: a stream", where))
            tap_bail("%s", gnd_stream_error(stream[i]));
    }
    gnd_stream_use(stream[1]);
    gnd_array *s0 = gnd_sum(early, GND_ALL, 0);
    tap_ok(gnd_item_f64(s0, NULL) == 4999.0 * 2500, "%s: an array from before", where);
    gnd_release(s0);
    gnd_release(early);
    run(dev, where, stream);
    for (int i = 1; i < STREAMS; i++)
        tap_is_int(gnd_stream_free(stream[i]), GND_OK, "%s: freed", where);
    tap_is_int(gnd_sync(dev), GND_OK, "%s: sync", where);
    gnd_device_stats(dev, &s);
    tap_is_int(s.arrays, 0, "%s: no arrays are left", where);
    tap_ok(s.bytes_in_use <= 64 << 10, "%s: no memory is left but tables", where);
    tap_is_int(gnd_stream_status(stream[0]) == GND_OK, 1, "%s: alive", where);
}

void with_streams(void (*tests)(gnd_device *dev, const char *spec, gnd_stream *const *stream))
{
    run = tests;
    ref_devices(on_device);
}
