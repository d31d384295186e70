/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/live.h - the live nodes of a device.
 */
#ifndef GND_GRAPH_LIVE_H
#define GND_GRAPH_LIVE_H

#include <gnd/types.h>

/* Adds x, a node of a device, to the device's list; removes it. */
void gnd__live_add(gnd_array *x);
void gnd__live_remove(gnd_array *x);
/* For closing dev: frees its remaining nodes, and reports those that the user still holds
 * (GND_LOG=warn). */
void gnd__live_end(gnd_device *dev);

#endif
