/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/host.h - host access to arrays: their elements as memory, for files and text, and their
 * errors as a status.
 */
#ifndef GND_ARRAY_HOST_H
#define GND_ARRAY_HOST_H

#include "graph/graph.h"

/* Copies the elements of x in C order to new memory (gnd__free); *data is never NULL on success.
 * Evaluates. After a failure gnd_message has the text, attributed to func. */
gnd_status gnd__host_copy(const char *func, gnd_array *x, void **data);
/* Gets the only element of x, of any dtype. GND_ERR_SHAPE if x has another number of elements.
 * Evaluates. */
gnd_status gnd__one(const char *func, gnd_array *x, gnd__scalar *v);
/* The status that x holds, for a function that returns a status. An error's message is kept for
 * gnd_message. */
gnd_status gnd__told(const gnd_array *x);

#endif
