/* SPDX-License-Identifier: BSD-3-Clause
 *
 * api/host.h - arrays as host memory, for files and text.
 */
#ifndef GND_API_HOST_H
#define GND_API_HOST_H

#include "graph/graph.h"

/* The elements of x in C order in new memory (gnd__free), never NULL on success. Evaluates. */
gnd_status gnd__host_copy(gnd_array *x, void **data);
/* The end of a call that only a status can answer: keeps the message for gnd_message, gives the
 * status. */
gnd_status gnd__only_status(const char *func, const gnd_err *e);

#endif
