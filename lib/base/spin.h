/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/spin.h - a lock for a few instructions that call nothing. Locking is one atomic operation
 * and unlocking a plain store, where a mutex costs two atomic operations and two calls. A thread
 * that waits long yields the processor.
 */
#ifndef GND_BASE_SPIN_H
#define GND_BASE_SPIN_H

#include <sched.h>
#include <stdatomic.h>

typedef struct gnd__spin {
    atomic_int taken;
} gnd__spin;

static inline void gnd__spin_lock(gnd__spin *l)
{
    for (int i = 0; atomic_exchange_explicit(&l->taken, 1, memory_order_acquire); i++)
        while (atomic_load_explicit(&l->taken, memory_order_relaxed))
            if (++i > 100) {
                sched_yield();
                i = 0;
            }
}

static inline void gnd__spin_unlock(gnd__spin *l)
{
    atomic_store_explicit(&l->taken, 0, memory_order_release);
}

#endif
