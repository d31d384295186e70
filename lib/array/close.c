/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/close.c - closing a device: first plans, then nodes, then the device.
 */
#include <gnd/device.h>

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
        (void)gnd__gate_finish(dev->g, &e); /* a waiting caller would get the failure; here there is
                                               none */
        gnd__sched_free(dev);
        gnd__gate_unlock(dev->g);
    }
    /* Owners of foreign memory are told when the list of nodes is gone: they may release arrays of
     * this device. */
    if (dev->g)
        gnd__gate_lock(dev->g);
    gnd__live_end(dev);
    if (dev->g)
        gnd__gate_unlock(dev->g);
    gnd__device_end(dev);
}
