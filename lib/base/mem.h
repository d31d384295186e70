/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/mem.h - host memory. Every allocation of the library uses these functions, so that a test
 * can fail the n-th one (gnd__mem_fail_at). All return NULL when out of memory; none aborts.
 */
#ifndef GND_BASE_MEM_H
#define GND_BASE_MEM_H

#include <stddef.h>

void *gnd__malloc(size_t n);
void *gnd__calloc(size_t n, size_t size); /* checks n * size for overflow */
void *gnd__realloc(void *p, size_t n);    /* on failure p stays valid */
char *gnd__strdup(const char *s);
char *gnd__strndup(const char *s, size_t n);
void gnd__free(void *p); /* NULL is allowed */

/* For allocators that keep memory for reuse (graph/cells.c, base/grave.c). gnd__mem_chunk returns
 * zeroed memory that is not counted. gnd__mem_taken and gnd__mem_given count what the allocator
 * hands out of it, like any other allocation; gnd__mem_taken returns 0 if this allocation must
 * fail. */
void *gnd__mem_chunk(size_t n);
void gnd__mem_chunk_free(void *p);
int gnd__mem_taken(void);
void gnd__mem_given(void);

/* Test hook: fails the n-th allocation from now (1: the next; 0: none). */
void gnd__mem_fail_at(long n);
/* Allocations made so far, and those still live. */
long gnd__mem_count(void);
long gnd__mem_live(void);

#endif
