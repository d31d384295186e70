/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/refs.h - counts of owners that several threads change. What a count of 0 frees is its
 * user's.
 */
#ifndef GND_BASE_REFS_H
#define GND_BASE_REFS_H

#include <stdatomic.h>

static inline void gnd__refs_add(atomic_int *refs)
{
    atomic_fetch_add_explicit(refs, 1, memory_order_relaxed);
}

/* Removes one owner. Returns 1 if it was the last. Uses an atomic operation only if there are other
 * owners: the last owner is alone. */
static inline int gnd__refs_drop(atomic_int *refs)
{
    return atomic_load_explicit(refs, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

#endif
