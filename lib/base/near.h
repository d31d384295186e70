/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/near.h - how far apart two names are, for whoever answers an unknown name by one that may have been meant.
 */
#ifndef GND_BASE_NEAR_H
#define GND_BASE_NEAR_H

#include <stddef.h>

/* The edit distance of two names (letters of other case count half), in halves of an edit. */
int gnd__near(const char *a, size_t na, const char *b, size_t nb);

#endif
