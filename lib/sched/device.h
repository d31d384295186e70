/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/device.h - what an open device is inside the library: the gate's device, its live nodes, and
 * the evaluator's own things. Made by lib/api/device.c; known to api and sched only (the graph sees
 * the few functions at the end of graph.h).
 *
 * Locks, outermost first: the registry of open devices (device.c), g->lock (gnd__gate_lock; also
 * guards `in` and `data` of the nodes), `list` (only the list of live nodes; nothing is called with
 * it held). Freeing a node may take g->lock, by way of its storage.
 */
#ifndef GND_SCHED_DEVICE_H
#define GND_SCHED_DEVICE_H

#include <pthread.h>
#include "backend/gate.h"
#include "base/spin.h"
#include "graph/graph.h"

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

/* NULL when dev is usable; else a new error node: GND_ERR_NULL "func: the device is NULL", or the
 * device's own error. */
gnd_array *gnd__check_device(const char *func, gnd_device *dev);

/* A GND__DATA node with a copy of the host's elements (C order) on the device; one new handle, or an
 * error node. Bools are 0 or 1. `contiguous` may be NULL when the array is empty. In eval.c. */
gnd_array *gnd__upload(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       const void *contiguous);

#endif
