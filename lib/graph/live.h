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

/* A scope that ends releases arrays that gnd_close of another thread may be about to free. Each
 * waits for the other. The scope's thread is at work between gnd__ends_begin and gnd__ends_done,
 * which nest, since an owner of foreign memory may end scopes. The closing thread is at work
 * between gnd__ends_stop and gnd__ends_go; no function of the user's may be called there. */
void gnd__ends_begin(void);
void gnd__ends_done(void);
void gnd__ends_stop(void);
void gnd__ends_go(void);

#endif
