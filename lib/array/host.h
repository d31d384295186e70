/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/host.h - what arrays give to the host: their elements as memory, for files and text; and
 * their errors as a status.
 */
#ifndef GND_ARRAY_HOST_H
#define GND_ARRAY_HOST_H

#include "graph/graph.h"

/* Bytes of the elements of x, an array without an error; it may be one that the user has no handle of. */
static inline size_t gnd__nbytes(const gnd_array *x)
{
    return (size_t)x->size * gnd_dtype_size((gnd_dtype)x->dtype);
}

/* The elements of x in C order in new memory (gnd__free), never NULL on success. Evaluates. Of a failure gnd_message
 * has the text, as one of func. */
gnd_status gnd__host_copy(const char *func, gnd_array *x, void **data);
/* The one element of x, whatever its dtype; another number of elements is GND_ERR_SHAPE. Evaluates. */
gnd_status gnd__one(const char *func, gnd_array *x, gnd__scalar *v);
/* The status that x holds, for a function that returns one: an error's message is kept for gnd_message. */
gnd_status gnd__told(const gnd_array *x);

#endif
