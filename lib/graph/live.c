/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/live.c - the list of live nodes of each device, and its cleanup when the device closes.
 */
#include "graph/live.h"

#include <sched.h>
#include "base/fork.h"
#include "base/log.h"
#include "device/device.h"
#include "graph/graph.h"
#include "graph/label.h"
#include "graph/scope.h"

void gnd__live_add(gnd_array *x)
{
    gnd_device *dev = x->dev;
    gnd__spin_lock(&dev->list);
    x->prev = NULL;
    x->next = dev->nodes;
    if (dev->nodes)
        dev->nodes->prev = x;
    dev->nodes = x;
    dev->nnodes++;
    gnd__spin_unlock(&dev->list);
}

void gnd__live_remove(gnd_array *x)
{
    gnd_device *dev = x->dev;
    gnd__spin_lock(&dev->list);
    if (x->prev)
        x->prev->next = x->next;
    else
        dev->nodes = x->next;
    if (x->next)
        x->next->prev = x->prev;
    dev->nnodes--;
    gnd__spin_unlock(&dev->list);
}

/* For GND_LOG=warn: reports how many arrays the user still holds, and the first of them. */
static void report_left(const gnd_device *dev)
{
    enum { SHOWN = 5 };
    const gnd_array *last = NULL;
    int n = 0, shown = 0;
    if (!gnd__log_on(GND__LOG_WARN))
        return;
    for (const gnd_array *x = dev->nodes; x; x = x->next) {
        n += atomic_load(&x->handles) > 0;
        last = x;
    }
    if (!n)
        return;
    gnd__log(GND__LOG_WARN, "close: %d array%s of %s %s not released", n, n == 1 ? "" : "s",
             gnd__device_id(dev), n == 1 ? "was" : "were");
    for (const gnd_array *x = last; x && shown < SHOWN; x = x->prev) {
        char text[GND__WHAT_TEXT];
        if (atomic_load(&x->handles) < 1)
            continue;
        shown++;
        gnd__log(GND__LOG_WARN, "close: %s", gnd__what_text(text, x));
    }
}

void gnd__live_end(gnd_device *dev)
{
    gnd_array *left = dev->nodes;
    report_left(dev);
    dev->nodes = NULL;
    gnd__nodes_drain(left);
}

/* How many threads release arrays of scopes, and how many free the nodes of a closing device. One
 * of the two is 0 while the other works. */
static atomic_int ending, closing;
static _Thread_local int depth; /* the depth of nested ends of scopes of this thread */

static void wait_for_closing(void)
{
    for (;;) {
        atomic_fetch_add(&ending, 1);
        if (!atomic_load(&closing))
            return;
        atomic_fetch_sub(&ending, 1);
        while (atomic_load(&closing))
            sched_yield();
    }
}

void gnd__ends_begin(void)
{
    if (!depth++)
        wait_for_closing();
}

void gnd__ends_done(void)
{
    if (!--depth)
        atomic_fetch_sub(&ending, 1);
}

void gnd__ends_stop(void)
{
    if (depth) /* an owner of foreign memory may close the device in its callback */
        atomic_fetch_sub(&ending, 1);
    atomic_fetch_add(&closing, 1);
    while (atomic_load(&ending) && !gnd__forked) /* a child of fork() has no other thread */
        sched_yield();
}

void gnd__ends_go(void)
{
    atomic_fetch_sub(&closing, 1);
    if (depth)
        wait_for_closing();
}
