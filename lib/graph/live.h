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

/* The end of a scope and gnd_close on another thread may free the same arrays, so each waits for
 * the other. The thread of the scope works between gnd__ends_begin and gnd__ends_done. These calls
 * nest, because an owner of foreign memory may end scopes. The closing thread works between
 * gnd__ends_stop and gnd__ends_go and must not call user functions there. */
void gnd__ends_begin(void);
void gnd__ends_done(void);
void gnd__ends_stop(void);
void gnd__ends_go(void);

#endif
