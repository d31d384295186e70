/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/table.h - a hash table from byte strings to pointers. Keys are copied and compared in full,
 * so that a hash collision costs time and never gives a wrong answer. Not locked: the owner
 * serialises access.
 */
#ifndef GND_BASE_TABLE_H
#define GND_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct gnd__table gnd__table;

/* NULL if out of memory. */
gnd__table *gnd__table_new(void);
/* Calls drop, unless NULL, with every value, then frees the table. m may be NULL. */
void gnd__table_free(gnd__table *m, void (*drop)(void *value));
/* The value of the key of n bytes, or NULL. */
void *gnd__table_get(const gnd__table *m, const void *key, size_t n);
/* Sets the key's value, which must not be NULL. *old, unless old is NULL, is the previous value or
 * NULL. Returns 0, or -1 if out of memory; the table is then unchanged. */
int gnd__table_put(gnd__table *m, const void *key, size_t n, void *value, void **old);
/* The same two functions for a caller that supplies the key's hash. One table must use either these
 * functions or the two above, not both. */
void *gnd__table_find(const gnd__table *m, const void *key, size_t n, uint64_t hash);
int gnd__table_enter(gnd__table *m, const void *key, size_t n, uint64_t hash, void *value,
                     void **old);
/* Removes the entry with that hash and value, if there is one. */
void gnd__table_take(gnd__table *m, uint64_t hash, const void *value);
size_t gnd__table_len(const gnd__table *m);
/* Iterates over all entries, in no particular order: start with *at = 0; returns 0 at the end. key,
 * n and value may each be NULL. The table must not change during the iteration. */
int gnd__table_next(const gnd__table *m, size_t *at, const void **key, size_t *n, void **value);

#endif
