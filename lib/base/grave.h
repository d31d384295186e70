/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/grave.h - memory of handles (devices, recordings) that begins with a word, "magic", which is 0 once the
 * handle was given back. It stays memory of such handles, so that one that is used afterwards can be read and is
 * noticed, until GND__GRAVES others were given back and one is made in its place. (Arrays: graph/cells.h.)
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

/* Of one kind of handle: all 0 at first. The oldest is the first. */
typedef struct gnd__graves {
    gnd__spin lock;
    gnd__dead *first, *last;
    int n;
} gnd__graves;

/* n bytes of zeros, the same n for all of g; or NULL. */
void *gnd__grave_new(gnd__graves *g, size_t n);
/* Gives p back and makes its magic 0. */
void gnd__grave_free(gnd__graves *g, void *p);
/* The magic of a handle that is none any more, perhaps: what a sanitizer does not let others read. */
uint32_t gnd__grave_magic(const void *p);

#endif
