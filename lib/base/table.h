/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/table.h - a hash table from byte strings to pointers: keys are copied and compared in full
 * (a hash collision costs time, never a wrong answer). Not locked: whoever owns it serialises.
 */
#ifndef GND_BASE_TABLE_H
#define GND_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

typedef struct gnd__table gnd__table;

/* NULL when memory is out. */
gnd__table *gnd__table_new(void);
/* Calls drop (when not NULL) with every value, then frees the table. m may be NULL. */
void gnd__table_free(gnd__table *m, void (*drop)(void *value));
/* The value of the key of n bytes; NULL when there is none. */
void *gnd__table_get(const gnd__table *m, const void *key, size_t n);
/* Sets the key's value, which must not be NULL. *old (when old is not NULL) is the value that was
 * there before, else NULL. 0, or -1 when memory is out: the table is then as before. */
int gnd__table_put(gnd__table *m, const void *key, size_t n, void *value, void **old);
/* The same two for a caller who has a hash of the key, always the same for the same key. A table's keys
 * are all found by such, or none. */
void *gnd__table_find(const gnd__table *m, const void *key, size_t n, uint64_t hash);
int gnd__table_enter(gnd__table *m, const void *key, size_t n, uint64_t hash, void *value, void **old);
/* Takes the entry with that hash and value out; nothing when there is none. */
void gnd__table_take(gnd__table *m, uint64_t hash, const void *value);
size_t gnd__table_len(const gnd__table *m);
/* Steps through all entries, in no order: start with *at = 0; 0 at the end. Any of key, n and value
 * may be NULL. The table must not change meanwhile. */
int gnd__table_next(const gnd__table *m, size_t *at, const void **key, size_t *n, void **value);

#endif
