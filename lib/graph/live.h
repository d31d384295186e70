/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/live.h - the live nodes of a device.
 */
#ifndef GND_GRAPH_LIVE_H
#define GND_GRAPH_LIVE_H

#include <gnd/types.h>

/* x, a node of a device, goes into its list or out of it. */
void gnd__live_add(gnd_array *x);
void gnd__live_remove(gnd_array *x);
/* dev closes: frees what is left of its nodes, and tells GND_LOG=warn which of them the user still has. */
void gnd__live_end(gnd_device *dev);

#endif
