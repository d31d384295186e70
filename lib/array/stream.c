/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/stream.c - streams and events as handles; see gnd/stream.h. device/stream.c orders the
 * work. The handles of a device are in lists, so that closing it can end them.
 */
#include <gnd/stream.h>

#include <stdlib.h>
#include <string.h>
#include "array/stream.h"
#include "base/err.h"
#include "base/grave.h"
#include "base/mem.h"

#define STREAM 0x676e6473u
#define EVENT 0x676e6465u

struct gnd_stream {
    uint32_t magic;  /* STREAM; 0 once freed */
    gnd_err err;     /* code != 0: it could not be made */
    gnd_device *dev; /* NULL: it could not be made, or the device was closed */
    int index;
    gnd__moment asked; /* state of gnd_stream_done; ev: NULL, or an event that had not come at the
                          last query */
    uint64_t serial;   /* 0: the default stream */
    struct gnd_stream *next; /* the device's handles */
};

struct gnd_stream_event {
    uint32_t magic; /* EVENT */
    gnd_device *dev;
    gnd__moment m;
    struct gnd_stream_event *next;
};

static gnd__graves streams_freed, events_freed;
/* The error results of gnd_stream_default and gnd_stream_current. */
enum { NOMEM, NO_DEVICE, NOT_OPEN };
static gnd_stream no_stream[] = {
    [NOMEM] = {.magic = STREAM,
               .err = {.code = GND_ERR_NOMEM, .msg = "the stream: out of host memory"}},
    [NO_DEVICE] = {.magic = STREAM,
                   .err = {.code = GND_ERR_NULL, .msg = "the stream: the device is NULL"}},
    [NOT_OPEN] = {.magic = STREAM,
                  .err = {.code = GND_ERR_STATE,
                          .msg = "the stream: the device could not be opened, or was closed"}},
};

static int is_static(const gnd_stream *s)
{
    return s >= no_stream && s < no_stream + sizeof no_stream / sizeof *no_stream;
}

gnd__streaming *gnd__streaming_of(gnd_device *dev)
{
    if (!dev->streaming)
        dev->streaming = gnd__calloc(1, sizeof *dev->streaming);
    return dev->streaming;
}

/* --- state ------------------------------------------------------------------------------------ */

static const gnd_err *state_of(const gnd_stream *s)
{
    static const gnd_err none = {GND_ERR_NULL, 0, "the stream is NULL"};
    static const gnd_err gone = {GND_ERR_STATE, 0, "the stream was freed"};
    static const gnd_err closed = {GND_ERR_STATE, 0, "the device of the stream was closed"};
    if (!s)
        return &none;
    if (gnd__grave_magic(s) != STREAM)
        return &gone;
    return s->err.code || s->dev ? &s->err : &closed;
}

gnd_status gnd_stream_status(const gnd_stream *s)
{
    return state_of(s)->code;
}

const char *gnd_stream_error(const gnd_stream *s)
{
    return state_of(s)->msg;
}

/* GND_OK, or the reason why func cannot use s. */
static gnd_status usable(const char *func, const gnd_stream *s)
{
    const gnd_err *e = state_of(s);
    gnd_err fork = {GND_OK, 0, ""};
    if (e->code != GND_OK)
        return gnd__only_status(func, e);
    return gnd__forked ? gnd__fork_error(&fork), gnd__only_status(func, &fork) : GND_OK;
}

/* --- making and freeing ----------------------------------------------------------------------- */

/* Puts a new handle into its device's list, or makes it an error handle. */
static gnd_stream *stream_new(gnd_device *dev, gnd_err *e, int index, uint64_t serial)
{
    gnd_stream *s = gnd__grave_new(&streams_freed, sizeof *s);
    if (!s)
        return &no_stream[NOMEM];
    s->magic = STREAM;
    if (e->code) {
        s->err = *e;
        return s;
    }
    s->dev = dev;
    s->index = index;
    s->serial = serial;
    s->next = dev->streaming->streams;
    dev->streaming->streams = s;
    return s;
}

static gnd_status check_device(const char *func, gnd_device *dev, gnd_err *e)
{
    const gnd_status st = gnd_device_status(dev);
    if (st != GND_OK)
        return gnd__err(e, st, "%s: %s", func, gnd_device_error(dev));
    return gnd__forked ? gnd__fork_error(e) : GND_OK;
}

gnd_stream *gnd_stream_create(gnd_device *dev)
{
    gnd_err e = {GND_OK, 0, ""};
    uint64_t serial = 0;
    int index = 0;
    if (check_device("stream_create", dev, &e) != GND_OK)
        return stream_new(NULL, &e, 0, 0);
    gnd__gate_lock(dev->g);
    if (!gnd__streaming_of(dev))
        gnd__err(&e, GND_ERR_NOMEM, "stream_create: out of host memory");
    else if (gnd__gate_stream_new(dev->g, &index, &serial, &e) != GND_OK)
        gnd__err_prefix(&e, "stream_create");
    gnd_stream *s = stream_new(dev, &e, index, serial);
    if (s == &no_stream[NOMEM] && serial)
        (void)gnd__gate_stream_free(dev->g, index, NULL);
    gnd__gate_unlock(dev->g);
    return s;
}

gnd_stream *gnd_stream_default(gnd_device *dev)
{
    gnd_err e = {GND_OK, 0, ""};
    if (check_device("stream_default", dev, &e) != GND_OK)
        return &no_stream[dev ? NOT_OPEN : NO_DEVICE];
    gnd__gate_lock(dev->g);
    gnd_stream *s = NULL;
    if (gnd__streaming_of(dev)) {
        s = dev->streaming->standard;
        if (!s && (s = stream_new(dev, &e, 0, 0)) != &no_stream[NOMEM])
            dev->streaming->standard = s;
    }
    gnd__gate_unlock(dev->g);
    return s ? s : &no_stream[NOMEM];
}

static void unlink_stream(gnd_stream *s)
{
    gnd_stream **at = &s->dev->streaming->streams;
    while (*at && *at != s)
        at = &(*at)->next;
    if (*at)
        *at = s->next;
}

gnd_status gnd_stream_free(gnd_stream *s)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = GND_OK;
    if (!s || is_static(s))
        return GND_OK;
    if (gnd__grave_magic(s) != STREAM)
        return gnd__refuse(GND_ERR_STATE, "stream_free: the stream was freed");
    if (s->dev && gnd__forked)
        return gnd__fork_error(&e), gnd__only_status("stream_free", &e);
    if (s->dev) {
        gnd__gdev *d = s->dev->g;
        if (!s->serial)
            return gnd__refuse(GND_ERR_ARG, "stream_free: the default stream goes with its device");
        gnd__gate_lock(d);
        unlink_stream(s);
        gnd__gate_moment_free(d, &s->asked);
        st = gnd__gate_stream_free(d, s->index, &e);
        gnd__gate_unlock(d);
    }
    gnd__grave_free(&streams_freed, s);
    return st == GND_OK ? st : gnd__only_status("stream_free", &e);
}

void gnd__streaming_end(gnd_device *dev)
{
    gnd__streaming *x = dev->streaming;
    if (!x)
        return;
    while (x->streams) {
        gnd_stream *s = x->streams;
        x->streams = s->next;
        gnd__gate_moment_free(dev->g, &s->asked);
        s->dev = NULL;
        if (s == x->standard)
            gnd__grave_free(&streams_freed, s);
    }
    while (x->events) {
        gnd_stream_event *ev = x->events;
        x->events = ev->next;
        gnd__gate_moment_free(dev->g, &ev->m);
        ev->dev = NULL;
    }
    gnd__host_end(dev);
    gnd__free(x);
    dev->streaming = NULL;
}

/* --- the current one -------------------------------------------------------------------------- */

/* Whether a stream was freed, or its device closed. */
static int ended(const void *handle, uint64_t serial)
{
    const gnd_stream *s = handle;
    return gnd__grave_magic(s) != STREAM || s->serial != serial || !s->dev;
}

gnd_status gnd_stream_use(gnd_stream *s)
{
    gnd_status st = usable("stream_use", s);
    if (st != GND_OK)
        return st;
    st = gnd__gate_stream_use(s->dev->g, s->index, s->serial, s);
    if (st == GND_ERR_UNSUPPORTED) {
        gnd__gate_streams_sweep(ended);
        st = gnd__gate_stream_use(s->dev->g, s->index, s->serial, s);
    }
    if (st == GND_OK)
        return st;
    if (st == GND_ERR_NOMEM)
        return gnd__refuse(st, "stream_use: out of host memory");
    return gnd__refuse(GND_ERR_UNSUPPORTED,
                       "stream_use: this thread has current streams of 16 devices: use the default "
                       "stream of some of them");
}

gnd_stream *gnd_stream_current(gnd_device *dev)
{
    gnd_err e = {GND_OK, 0, ""};
    void *handle = NULL;
    int index;
    if (check_device("stream_current", dev, &e) != GND_OK)
        return &no_stream[dev ? NOT_OPEN : NO_DEVICE];
    const uint64_t serial = gnd__gate_stream_mine(dev->g, &index, &handle);
    gnd_stream *s = handle;
    if (serial && gnd__grave_magic(s) == STREAM && s->serial == serial && s->dev == dev)
        return s;
    return gnd_stream_default(dev);
}

/* --- order ------------------------------------------------------------------------------------ */

gnd_status gnd_stream_synchronize(gnd_stream *s)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd__moment m;
    gnd_status st = usable("stream_synchronize", s);
    if (st != GND_OK)
        return st;
    gnd__gdev *d = s->dev->g;
    gnd__gate_lock(d);
    if (gnd__gate_events(d))
        st = gnd__gate_moment(d, s->index, &m, &e);
    else
        m = (gnd__moment){.index = s->index};
    gnd__gate_unlock(d);
    if (st == GND_OK) {
        st = gnd__gate_moment_wait(d, &m, &e);
        gnd__gate_lock(d);
        gnd__gate_moment_free(d, &m);
        gnd__gate_unlock(d);
    }
    return st == GND_OK ? st : gnd__only_status("stream_synchronize", &e);
}

gnd_status gnd_stream_done(gnd_stream *s, int *done)
{
    gnd_err e = {GND_OK, 0, ""};
    if (!done)
        return gnd__refuse(GND_ERR_NULL, "stream_done: done is NULL");
    *done = 0;
    gnd_status st = usable("stream_done", s);
    if (st != GND_OK)
        return st;
    gnd__gate_lock(s->dev->g);
    st = gnd__gate_stream_done(s->dev->g, s->index, &s->asked, done, &e);
    gnd__gate_unlock(s->dev->g);
    return st == GND_OK ? st : gnd__only_status("stream_done", &e);
}

/* Makes s wait for the work of stream `index` of dev until now, or for moment m. */
static gnd_status waits(const char *func, gnd_stream *s, gnd_device *dev, int index,
                        const gnd__moment *m)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st;
    if (s->dev != dev)
        return gnd__refuse(GND_ERR_DEVICE, "%s: a stream of %s waits for one of %s", func,
                           gnd_device_id(s->dev), gnd_device_id(dev));
    gnd__gate_lock(dev->g);
    st = m ? gnd__gate_moment_order(dev->g, s->index, m, &e)
           : gnd__gate_stream_order(dev->g, s->index, index, &e);
    gnd__gate_unlock(dev->g);
    return st == GND_OK ? st : gnd__only_status(func, &e);
}

gnd_status gnd_stream_wait(gnd_stream *s, gnd_stream *other)
{
    gnd_status st = usable("stream_wait", s);
    if (st == GND_OK)
        st = usable("stream_wait", other);
    return st == GND_OK ? waits("stream_wait", s, other->dev, other->index, NULL) : st;
}

/* --- events ----------------------------------------------------------------------------------- */

gnd_status gnd_stream_record(gnd_stream *s, gnd_stream_event **ev)
{
    gnd_err e = {GND_OK, 0, ""};
    if (!ev)
        return gnd__refuse(GND_ERR_NULL, "stream_record: ev is NULL");
    *ev = NULL;
    gnd_status st = usable("stream_record", s);
    if (st != GND_OK)
        return st;
    gnd_stream_event *x = gnd__grave_new(&events_freed, sizeof *x);
    if (!x)
        return gnd__refuse(GND_ERR_NOMEM, "stream_record: out of host memory");
    gnd__gate_lock(s->dev->g);
    st = gnd__gate_moment(s->dev->g, s->index, &x->m, &e);
    if (st == GND_OK) {
        x->magic = EVENT;
        x->dev = s->dev;
        x->next = s->dev->streaming->events;
        s->dev->streaming->events = x;
        *ev = x;
    }
    gnd__gate_unlock(s->dev->g);
    if (st == GND_OK)
        return st;
    gnd__grave_free(&events_freed, x);
    return gnd__only_status("stream_record", &e);
}

static gnd_status event_usable(const char *func, const gnd_stream_event *ev)
{
    gnd_err e = {GND_OK, 0, ""};
    if (!ev)
        return gnd__refuse(GND_ERR_NULL, "%s: the event is NULL", func);
    if (gnd__grave_magic(ev) != EVENT)
        return gnd__refuse(GND_ERR_STATE, "%s: the event was freed", func);
    if (!ev->dev)
        return gnd__refuse(GND_ERR_STATE, "%s: the device of the event was closed", func);
    return gnd__forked ? gnd__fork_error(&e), gnd__only_status(func, &e) : GND_OK;
}

gnd_status gnd_stream_wait_event(gnd_stream *s, gnd_stream_event *ev)
{
    gnd_status st = usable("stream_wait_event", s);
    if (st == GND_OK)
        st = event_usable("stream_wait_event", ev);
    return st == GND_OK ? waits("stream_wait_event", s, ev->dev, 0, &ev->m) : st;
}

gnd_status gnd_stream_event_synchronize(gnd_stream_event *ev)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = event_usable("stream_event_synchronize", ev);
    if (st != GND_OK)
        return st;
    st = gnd__gate_moment_wait(ev->dev->g, &ev->m, &e);
    return st == GND_OK ? st : gnd__only_status("stream_event_synchronize", &e);
}

gnd_status gnd_stream_event_done(gnd_stream_event *ev, int *done)
{
    gnd_err e = {GND_OK, 0, ""};
    if (!done)
        return gnd__refuse(GND_ERR_NULL, "stream_event_done: done is NULL");
    *done = 0;
    gnd_status st = event_usable("stream_event_done", ev);
    if (st != GND_OK)
        return st;
    gnd__gate_lock(ev->dev->g);
    st = gnd__gate_moment_done(ev->dev->g, &ev->m, done, &e);
    gnd__gate_unlock(ev->dev->g);
    return st == GND_OK ? st : gnd__only_status("stream_event_done", &e);
}

gnd_status gnd_stream_event_free(gnd_stream_event *ev)
{
    gnd_err e = {GND_OK, 0, ""};
    if (!ev)
        return GND_OK;
    if (gnd__grave_magic(ev) != EVENT)
        return gnd__refuse(GND_ERR_STATE, "stream_event_free: the event was freed");
    if (ev->dev && gnd__forked)
        return gnd__fork_error(&e), gnd__only_status("stream_event_free", &e);
    if (ev->dev) {
        gnd__gate_lock(ev->dev->g);
        gnd_stream_event **at = &ev->dev->streaming->events;
        while (*at && *at != ev)
            at = &(*at)->next;
        if (*at)
            *at = ev->next;
        gnd__gate_moment_free(ev->dev->g, &ev->m);
        gnd__gate_unlock(ev->dev->g);
    }
    gnd__grave_free(&events_freed, ev);
    return GND_OK;
}
