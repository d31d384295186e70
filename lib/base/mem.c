/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/mem.c - host memory with counters and a switch that fails one allocation (see mem.h).
 * Counting starts when somebody first asks for a count or a failure; other programs pay for no
 * atomic operation. The counters are atomic, so that threads may allocate concurrently. A test that
 * fails the n-th allocation should run one thread to be repeatable.
 */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_long made, live, fail_in;
static atomic_int watched;

static inline int is_watched(void)
{
    return __builtin_expect(atomic_load_explicit(&watched, memory_order_relaxed), 0);
}

static void watch(void)
{
    atomic_store(&watched, 1);
}

/* Counts one allocation. Returns 1 if it must fail. */
static int must_fail(void)
{
    if (!is_watched())
        return 0;
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    if (atomic_load_explicit(&fail_in, memory_order_relaxed) <= 0)
        return 0;
    return atomic_fetch_sub_explicit(&fail_in, 1, memory_order_relaxed) == 1;
}

static void *counted(void *p)
{
    if (p && is_watched())
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return p;
}

/* Zero bytes get a real block too, so that NULL always means out of memory. */
void *gnd__malloc(size_t n)
{
    if (must_fail() || n > PTRDIFF_MAX)
        return NULL;
    return counted(malloc(n ? n : 1));
}

void *gnd__calloc(size_t n, size_t size)
{
    if (must_fail() || (size && n > PTRDIFF_MAX / size))
        return NULL;
    size_t total = n * size;
    return counted(calloc(total ? total : 1, 1));
}

void *gnd__realloc(void *p, size_t n)
{
    if (must_fail() || n > PTRDIFF_MAX)
        return NULL;
    void *q = realloc(p, n ? n : 1);
    return p ? q : counted(q);
}

void *gnd__mem_chunk(size_t n)
{
    return n > PTRDIFF_MAX ? NULL : calloc(n ? n : 1, 1);
}

void gnd__mem_chunk_free(void *p)
{
    free(p);
}

int gnd__mem_taken(void)
{
    if (must_fail())
        return 0;
    if (is_watched())
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return 1;
}

void gnd__mem_given(void)
{
    if (is_watched())
        atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
}

char *gnd__strdup(const char *s)
{
    return gnd__strndup(s, strlen(s));
}

char *gnd__strndup(const char *s, size_t n)
{
    const char *end = memchr(s, 0, n);
    size_t len = end ? (size_t)(end - s) : n;
    char *d = gnd__malloc(len + 1);
    if (!d)
        return NULL;
    memcpy(d, s, len);
    d[len] = '\0';
    return d;
}

void gnd__free(void *p)
{
    if (p)
        gnd__mem_given();
    free(p);
}

void gnd__mem_fail_at(long n)
{
    watch();
    atomic_store(&fail_in, n > 0 ? n : 0);
}

long gnd__mem_count(void)
{
    watch();
    return atomic_load(&made);
}

long gnd__mem_live(void)
{
    watch();
    return atomic_load(&live);
}
