/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/grave.c - see grave.h. Under a sanitizer memory is freed at once, because the sanitizer has
 * a quarantine of its own. Memory in use counts as an allocation (base/mem.h); memory that waits
 * for reuse does not.
 */
#include "base/grave.h"

#include <string.h>
#include "base/mem.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KEEPS 0
__attribute__((noinline, no_sanitize("address", "thread", "undefined")))
#else
#define KEEPS 1
#endif
uint32_t
gnd__grave_magic(const void *p)
{
    return __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
}

void *gnd__grave_new(gnd__graves *g, size_t n)
{
    gnd__dead *p = NULL;
    if (!gnd__mem_taken())
        return NULL;
    gnd__spin_lock(&g->lock);
    if (g->n > GND__GRAVES) {
        p = g->first;
        g->first = p->next;
        g->n--;
    }
    gnd__spin_unlock(&g->lock);
    p = p ? memset(p, 0, n) : gnd__mem_chunk(n);
    if (!p)
        gnd__mem_given();
    return p;
}

void gnd__grave_free(gnd__graves *g, void *memory)
{
    gnd__dead *p = memory;
    __atomic_store_n(&p->magic, 0, __ATOMIC_RELAXED);
    gnd__mem_given();
    if (!KEEPS) {
        gnd__mem_chunk_free(p);
        return;
    }
    p->next = NULL;
    gnd__spin_lock(&g->lock);
    if (g->n++)
        g->last->next = p;
    else
        g->first = p;
    g->last = p;
    gnd__spin_unlock(&g->lock);
}
