/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/mem.h - host memory. Every allocation of the library goes through here, so that a test can
 * fail the n-th one (gnd__mem_fail_at). All return NULL when memory is out; none aborts.
 */
#ifndef GND_BASE_MEM_H
#define GND_BASE_MEM_H

#include <stddef.h>

void *gnd__malloc(size_t n);
void *gnd__calloc(size_t n, size_t size); /* checks n * size for overflow */
void *gnd__realloc(void *p, size_t n);    /* on failure p stays valid */
char *gnd__strdup(const char *s);
char *gnd__strndup(const char *s, size_t n);
void gnd__free(void *p);                  /* NULL is fine */

/* For allocators that keep memory for what comes next (graph/cells.c, base/grave.c). Their own memory, zeroed, which
 * is not counted; and what they hand out of it, which is counted and fails like any other allocation.
 * gnd__mem_taken: 0 when this one has to fail. */
void *gnd__mem_chunk(size_t n);
void gnd__mem_chunk_free(void *p);
int gnd__mem_taken(void);
void gnd__mem_given(void);

/* Test hooks: fail the n-th allocation from now (1 = the next; 0 = never). */
void gnd__mem_fail_at(long n);
/* Allocations made so far, and how many are live. */
long gnd__mem_count(void);
long gnd__mem_live(void);

#endif
