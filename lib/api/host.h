/* SPDX-License-Identifier: BSD-3-Clause
 *
 * api/host.h - what arrays give to the host: their elements as memory, for files and text; their errors, and
 * those of devices, as a status.
 */
#ifndef GND_API_HOST_H
#define GND_API_HOST_H

#include "graph/graph.h"

/* The elements of x in C order in new memory (gnd__free), never NULL on success. Evaluates. */
gnd_status gnd__host_copy(gnd_array *x, void **data);
/* The status that x holds, for a function that returns one: an error's message is kept for gnd_message. */
gnd_status gnd__told(const gnd_array *x);
/* The same of a device: GND_OK, or why func cannot use it. */
gnd_status gnd__told_device(const char *func, const gnd_device *dev);

#endif
