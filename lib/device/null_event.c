/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/null_event.c - the null backend's events. Queues do their work when it is enqueued; the
 * order that events make is kept for null_order.c, and for the log: "record on 0.1" is queue 1 of
 * null:0, and "0.2 waits for 0.1". The first queue of a device has no number there.
 */
#include <stdio.h>
#include "base/err.h"
#include "base/mem.h"
#include "device/null_priv.h"

/* "0", "0.1" */
static const char *name(char buf[32], const gnd_dev *d, int number)
{
    if (number)
        snprintf(buf, 32, "%d.%d", d->index, number);
    else
        snprintf(buf, 32, "%d", d->index);
    return buf;
}

gnd_status gnd__null_record_event(gnd_queue *q, gnd_event **ev, gnd_err *e)
{
    char text[32];
    *ev = gnd__calloc(1, sizeof **ev);
    if (!*ev)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    (*ev)->number = q->number;
    gnd__null_recorded(q, *ev);
    gnd__null_object(1);
    gnd__null_note("record on %s\n", name(text, q->d, q->number));
    return GND_OK;
}

gnd_status gnd__null_wait_event(gnd_queue *q, gnd_event *ev, gnd_err *e)
{
    char one[32], two[32];
    (void)e;
    gnd__null_queue_after(q, ev);
    gnd__null_note("%s waits for %s\n", name(one, q->d, q->number), name(two, ev->d, ev->number));
    return GND_OK;
}

gnd_status gnd__null_event_wait(gnd_event *ev, gnd_err *e)
{
    char text[32];
    (void)e;
    gnd__null_event_waited(ev);
    gnd__null_note("wait for %s\n", name(text, ev->d, ev->number));
    return GND_OK;
}

gnd_status gnd__null_event_done(gnd_event *ev, int *yes, gnd_err *e)
{
    (void)e;
    *yes = gnd__null_event_come(ev);
    return GND_OK;
}

void gnd__null_event_free(gnd_event *ev)
{
    gnd__null_object(-1);
    gnd__free(ev);
}
