/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/trace.h - GND_TRACE=FILE writes what the host does for a device and what the device does,
 * with times, in Chrome's trace event format (JSON), which Perfetto and chrome://tracing show.
 *
 * A span is opened and closed around a piece of work, with the device's lock held. A device span
 * also enqueues a backend event before and after the work; their times are read later, at the
 * latest when the device is closed. Without GND_TRACE, d->trace is NULL and a span costs one
 * comparison.
 */
#ifndef GND_DEVICE_TRACE_H
#define GND_DEVICE_TRACE_H

#include "device/gate.h"

typedef enum gnd__span_kind {
    GND__SPAN_HOST,   /* the host works or waits */
    GND__SPAN_DEVICE, /* the host also enqueues work */
} gnd__span_kind;

/* Lives on the caller's stack; its fields are private. */
typedef struct gnd__span {
    uint64_t t0; /* ns of the host's monotonic clock; 0: tracing is off */
    gnd_event *before;
} gnd__span;

/* Whether GND_TRACE asks for a trace. The device's queue then needs timing. */
int gnd__trace_wanted(void);
static inline uint32_t gnd__queue_flags(void)
{
    return gnd__trace_wanted() ? GND_QUEUE_TIMING : 0;
}
/* Begins d's trace if one is asked for. GND_ERR_IO: the file cannot be written; e says why. */
gnd_status gnd__trace_open(gnd__gdev *d, gnd_err *e);
/* Writes pending spans. The device must be idle. */
void gnd__trace_close(gnd__gdev *d);

void gnd__trace_begin(gnd__gdev *d, gnd__span *s, gnd__span_kind kind);
/* category is a literal of the library; name is any text; nbytes < 0: not shown. */
void gnd__trace_end(gnd__gdev *d, const gnd__span *s, const char *category, const char *name,
                    int64_t nbytes);
/* Sets the text of the next device span in place of its name. label must live until then. rd, wr:
 * bytes read and written. */
void gnd__trace_label(gnd__gdev *d, const char *label, int64_t rd, int64_t wr);
/* Nanoseconds of the host's monotonic clock. */
int64_t gnd__clock(void);
/* Whether this process writes a trace (tracefile.c). */
int gnd__trace_writes(void);
/* Ends the trace, and gives its file's name and its text, both malloc'ed. GND_ERR_STATE: there is
 * none. */
gnd_status gnd__trace_take(char **path, char **text, gnd_err *e);
/* A span of the calling thread, from t0 to t1 of gnd__clock; nbytes < 0: not shown. */
void gnd__trace_span(const char *category, const char *name, int64_t t0, int64_t t1,
                     int64_t nbytes);
/* Call when the queue has been waited for: the device's times can then be read without waiting. */
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
