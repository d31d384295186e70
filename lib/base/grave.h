/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/grave.h - memory for handles (devices, recordings) whose first word, the magic, becomes 0
 * when the handle is freed. The memory stays readable and is reused only for handles of the same
 * kind, after GND__GRAVES others were freed. So the use of a freed handle is detected. (For arrays
 * see graph/cells.h.)
 */
#ifndef GND_BASE_GRAVE_H
#define GND_BASE_GRAVE_H

#include <stddef.h>
#include <stdint.h>
#include "base/spin.h"

enum { GND__GRAVES = 16 };

typedef struct gnd__dead {
    uint32_t magic;
    struct gnd__dead *next;
} gnd__dead;

/* Freed handles of one kind, the oldest first. Initialise with zeros. */
typedef struct gnd__graves {
    gnd__spin lock;
    gnd__dead *first, *last;
    int n;
} gnd__graves;

/* n zeroed bytes, or NULL. n must always be the same for g. */
void *gnd__grave_new(gnd__graves *g, size_t n);
/* Frees p and sets its magic to 0. */
void gnd__grave_free(gnd__graves *g, void *p);
/* The magic of a handle that may be freed. Reads memory that a sanitizer forbids other code to
 * read. */
uint32_t gnd__grave_magic(const void *p);

#endif
