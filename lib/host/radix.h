/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/radix.h - ints in stable order on the calling thread, by radix.
 */
#ifndef GND_HOST_RADIX_H
#define GND_HOST_RADIX_H

#include <stdint.h>

/* A key and the number of its element. */
typedef struct gnd__keyed {
    uint64_t key, index;
} gnd__keyed;

/* The keys are bits `low` and above of the ints. Sorts s[0 .. n), by way of t[0 .. n), n > 0, so
 * that places *first to *first + keep - 1 of the order are right. Returns s or t, where they are
 * then from place *first on, which it changes if it leaves out elements before them. */
uint32_t *gnd__radix_u32(uint32_t *s, uint32_t *t, int64_t n, int low, int64_t *first,
                         int64_t keep);
uint64_t *gnd__radix_u64(uint64_t *s, uint64_t *t, int64_t n, int low, int64_t *first,
                         int64_t keep);
gnd__keyed *gnd__radix_keyed(gnd__keyed *s, gnd__keyed *t, int64_t n, int low, int64_t *first,
                             int64_t keep);

#endif
