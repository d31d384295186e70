/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/stream.h - the streams of a device, for the files of this room: stream.c orders them, the
 * pool asks which blocks a stream may reuse.
 *
 * Time is counted per device: each hold of the lock in which something was enqueued has a number,
 * and that is when its work was done, in whichever stream. A block knows the streams that used it
 * and when. So one comparison says whether a stream has to wait for another: it has seen the other
 * one up to some time, and the host knows up to what time a stream is done. The waits are events,
 * of which each stream keeps the last few; nothing is recorded for streams that nobody waits for.
 */
#ifndef GND_DEVICE_STREAM_H
#define GND_DEVICE_STREAM_H

#include "device/priv.h"

enum { GND__STREAMS = 64, GND__STREAM_EVENTS = 16 };

/* An event of a stream: covers its work up to time `at`, and the work that it had waited for by
 * then. */
typedef struct gnd__smark {
    gnd_event *ev; /* NULL: the entry is free, or the event has come */
    uint64_t at;
    uint64_t seen[GND__STREAMS];
} gnd__smark;

typedef struct gnd__gstream {
    gnd_queue *queue;
    uint64_t serial;             /* 0: the default stream */
    uint64_t last;               /* time of its latest work */
    int watched;                 /* some stream has waited for it: each hold ends with an event */
    int shared;                  /* others may enqueue in its queue, which no event covers */
    uint64_t seen[GND__STREAMS]; /* the time up to which it comes after each other stream */
    gnd__smark mark[GND__STREAM_EVENTS];
    unsigned next; /* index of the entry of mark to use next, the oldest */
} gnd__gstream;

struct gnd__streams {
    uint64_t now;
    int cur; /* current stream of the holder of the lock */
    int n;   /* all numbers in use are below this */
    gnd__gstream *s[GND__STREAMS];
    uint64_t done[GND__STREAMS]; /* the time up to which the host knows that their work is done */
};

/* Notes that the host knows the work of stream `index` up to time `at` to be done. */
void gnd__stream_came(gnd__gdev *d, int index, uint64_t at);
/* Whether stream `index` may write to b without waiting for any other. */
int gnd__stream_clear(const gnd__gdev *d, const gnd__block *b, int index);
/* Asks which events of the users of b have come. Returns 0 if the backend cannot tell. */
int gnd__streams_poll(gnd__gdev *d, const gnd__block *b);
/* Makes stream `index` wait until it may write to b. */
gnd_status gnd__stream_after(gnd__gdev *d, int index, const gnd__block *b, gnd_err *e);

#endif
