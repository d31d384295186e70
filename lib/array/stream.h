/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/stream.h - what a device has of streams, between stream.c (streams and events) and async.c
 * (host memory and transfers). Guarded by the device's lock.
 */
#ifndef GND_ARRAY_STREAM_H
#define GND_ARRAY_STREAM_H

#include "device/device.h"
#include <gnd/device.h>
#include <gnd/stream.h>

/* Memory of gnd_host_alloc. */
typedef struct gnd__host {
    struct gnd__host *next;
    void *p;
    int plain; /* of the C library */
} gnd__host;

typedef struct gnd__streaming {
    gnd_stream *streams, *standard; /* all that have handles; the default one's */
    gnd_stream_event *events;
    gnd__host *hosts;
} gnd__streaming;

/* The streams of dev, made at first use. NULL: out of memory. */
gnd__streaming *gnd__streaming_of(gnd_device *dev);
/* Call when the device closes and is idle: ends its events and frees its host memory. The handles
 * stay with their owners. */
void gnd__streaming_end(gnd_device *dev);
/* The part of async.c. */
void gnd__host_end(gnd_device *dev);

#endif
