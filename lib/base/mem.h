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

/* Test hooks: fail the n-th allocation from now (1 = the next; 0 = never). */
void gnd__mem_fail_at(long n);
/* Allocations made so far, and how many are live. */
long gnd__mem_count(void);
long gnd__mem_live(void);
/* Whether a test has asked for any of that, or for the like of backend calls. Then nothing is made by the way
 * that a test would not expect: what it counts stays the same from run to run. */
int gnd__mem_watched(void);
void gnd__mem_watch(void);

#endif
