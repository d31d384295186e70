/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/trace.h - GND_TRACE=FILE: what the host does for a device and what the device does, with
 * times, in Chrome's trace event format (JSON), which Perfetto and chrome://tracing show.
 *
 * A span is opened and closed around a piece of work, with the device's lock held. Device spans also
 * put an event of the backend before and behind the work; their times are read later, at the latest
 * when the device is closed. Without GND_TRACE, d->trace is NULL and a span costs one comparison.
 */
#ifndef GND_DEVICE_TRACE_H
#define GND_DEVICE_TRACE_H

#include "device/gate.h"

typedef enum gnd__span_kind {
    GND__SPAN_HOST,   /* the host works or waits */
    GND__SPAN_DEVICE, /* and puts work into the queue */
} gnd__span_kind;

/* Made on the caller's stack; nothing in it is the caller's. */
typedef struct gnd__span {
    uint64_t t0;      /* ns of the host's monotonic clock; 0: no trace */
    gnd_event *before;
} gnd__span;

/* Whether GND_TRACE asks for a trace: the device's queue needs timing then. */
int gnd__trace_wanted(void);
/* Begins d's trace when one is asked for. GND_ERR_IO: the file cannot be written, e says why. */
gnd_status gnd__trace_open(gnd__gdev *d, gnd_err *e);
/* Writes what is outstanding. The device is idle. */
void gnd__trace_close(gnd__gdev *d);

void gnd__trace_begin(gnd__gdev *d, gnd__span *s, gnd__span_kind kind);
/* category is a word of ours; name is any text; nbytes < 0: not shown. */
void gnd__trace_end(gnd__gdev *d, const gnd__span *s, const char *category, const char *name,
                    int64_t nbytes);
/* What the next device span does, instead of its name; label lives until then. rd, wr in bytes. */
void gnd__trace_label(gnd__gdev *d, const char *label, int64_t rd, int64_t wr);
/* The queue has been waited for: times of the device can be had without a wait. */
void gnd__trace_idle(gnd__gdev *d);

static inline void gnd__span_begin(gnd__gdev *d, gnd__span *s, gnd__span_kind kind)
{
    s->t0 = 0;
    if (__builtin_expect(d->trace != NULL, 0))
        gnd__trace_begin(d, s, kind);
}

static inline void gnd__span_end(gnd__gdev *d, const gnd__span *s, const char *category,
                                 const char *name, int64_t nbytes)
{
    if (__builtin_expect(s->t0 != 0, 0))
        gnd__trace_end(d, s, category, name, nbytes);
}

#endif
