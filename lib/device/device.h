/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/device.h - an open device: the gate's device, and data that it keeps for the rooms above
 * without knowing their types: live nodes (graph/live.c) and plans (sched/exec.c).
 *
 * Locks, outermost first: the registry of open devices (device.c); g->lock (gnd__gate_lock), which
 * also guards `in` and `data` of the nodes; `list`, which guards only the list of live nodes, and
 * under which nothing is called. Freeing a node may take g->lock, through its storage.
 */
#ifndef GND_DEVICE_DEVICE_H
#define GND_DEVICE_DEVICE_H

#include <gnd/types.h>
#include "base/spin.h"
#include "device/gate.h"

#define GND__DEVICE_MAGIC 0x676e6432u

struct gnd_device {
    uint32_t magic; /* GND__DEVICE_MAGIC */
    int opens;      /* gnd_open calls without a gnd_close yet; under the registry's
                       lock */
    gnd_err err;    /* code != 0: opening failed and g is NULL */
    gnd__gdev *g;
    uint64_t serial;  /* unique among all devices that the process opens */
    int has_f64;      /* copied from the properties */
    gnd__spin list;   /* guards the two fields below */
    gnd_array *nodes; /* live nodes, linked by prev and next */
    uint64_t nnodes;
    struct gnd_device *next_open; /* the registry's list */
    struct gnd__sched *plans;     /* the plan cache, created and freed by sched; under g->lock */
    struct gnd__streaming *streaming; /* array/stream.c: streams, events, host memory; likewise */
};

/* Whether dev was closed. dev may be any pointer that was a device once. */
int gnd__device_closed(const gnd_device *dev);
/* GND_OK, or the reason why func cannot use dev. The message is kept for gnd_message. */
gnd_status gnd__told_device(const char *func, const gnd_device *dev);
int gnd__device_has_f64(const gnd_device *dev);     /* 1 for NULL */
gnd_dtype gnd__device_float(const gnd_device *dev); /* the default float; float64 for NULL */
const char *gnd__device_id(const gnd_device *dev);  /* "" if it is not open */

/* For gnd_close: undoes one gnd_open. Returns 1 if that was the last; dev is then in no list, and
 * the caller must free what it holds before gnd__device_end. */
int gnd__device_last(gnd_device *dev);
void gnd__device_end(gnd_device *dev);

#endif
