/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/close.c - closing a device: first plans, then nodes, then the device.
 */
#include <gnd/device.h>

#include "array/stream.h"
#include "device/device.h"
#include "graph/live.h"
#include "sched/plan.h"

void gnd_close(gnd_device *dev)
{
    if (!gnd__device_last(dev))
        return;
    if (dev->g) {
        gnd_err e = {.code = GND_OK};
        gnd__gate_lock(dev->g);
        (void)gnd__gate_finish_all(dev->g, &e); /* the failure has no caller to be reported to */
        gnd__sched_free(dev);
        gnd__streaming_end(dev);
        gnd__gate_unlock(dev->g);
    }
    /* Unlocking the gate tells owners of foreign memory. They may release arrays of this device and
     * end scopes, so the list of nodes is gone by then and scopes end again. A scope that ends may
     * need the gate, so scopes are stopped before it is locked. */
    gnd__ends_stop();
    if (dev->g)
        gnd__gate_lock(dev->g);
    gnd__live_end(dev);
    gnd__ends_go();
    if (dev->g)
        gnd__gate_unlock(dev->g);
    gnd__device_end(dev);
}
