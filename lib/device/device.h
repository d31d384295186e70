/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/device.h - what an open device is inside the library: the gate's device, its live nodes, and
 * the evaluator's own things. Made by lib/array/device.c; known to sched, array and ops only (the graph sees
 * the few functions at the end of graph.h).
 *
 * Locks, outermost first: the registry of open devices (device.c), g->lock (gnd__gate_lock; also
 * guards `in` and `data` of the nodes), `list` (only the list of live nodes; nothing is called with
 * it held). Freeing a node may take g->lock, by way of its storage.
 */
#ifndef GND_DEVICE_DEVICE_H
#define GND_DEVICE_DEVICE_H

#include <gnd/types.h>
#include "base/spin.h"
#include "device/gate.h"

#define GND__DEVICE_MAGIC 0x676e6432u

struct gnd_device {
    uint32_t magic;              /* GND__DEVICE_MAGIC */
    int opens;                   /* gnd_open calls not yet closed; under the registry's lock */
    gnd_err err;                 /* code != 0: the device did not open, and g is NULL */
    gnd__gdev *g;
    int has_f64;                 /* copied from the properties */
    gnd__spin list;              /* guards the two below */
    gnd_array *nodes;            /* live nodes, linked by prev and next */
    uint64_t nnodes;
    struct gnd_device *next_open; /* the registry's list */
    /* The plan cache, owned by sched: plans_free(plans) is called when the device closes, after it
     * is idle and before its nodes are freed. Under g->lock. */
    void *plans;
    void (*plans_free)(void *plans);
};

#endif
