/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/table.c - open addressing with linear probing, at most 3/4 full. Removal shifts later
 * entries back instead of leaving tombstones (Knuth, TAOCP 3, 6.4, algorithm R), so that a table
 * used as a cache for hours does not fill up with them.
 */
#include "base/table.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

typedef struct {
    void *key; /* NULL: free slot */
    size_t n;
    uint64_t hash;
    void *value;
} slot;

struct gnd__table {
    slot *slots; /* cap slots, a power of two; NULL if cap is 0 */
    size_t cap, len;
};

gnd__table *gnd__table_new(void)
{
    return gnd__calloc(1, sizeof(gnd__table));
}

void gnd__table_free(gnd__table *m, void (*drop)(void *value))
{
    if (!m)
        return;
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->slots[i].key)
            continue;
        if (drop)
            drop(m->slots[i].value);
        gnd__free(m->slots[i].key);
    }
    gnd__free(m->slots);
    gnd__free(m);
}

static uint64_t hash_of(const void *key, size_t n)
{
    return gnd__hash_bytes(key, n, 0).h[0];
}

/* The key's slot, or the free slot for it. Requires cap > 0. */
static size_t find(const gnd__table *m, const void *key, size_t n, uint64_t hash)
{
    size_t mask = m->cap - 1, i = (size_t)hash & mask;
    for (;; i = (i + 1) & mask) {
        const slot *s = &m->slots[i];
        if (!s->key)
            return i;
        if (s->hash == hash && s->n == n && (n == 0 || !memcmp(s->key, key, n)))
            return i;
    }
}

static int grow(gnd__table *m)
{
    size_t cap = m->cap ? m->cap * 2 : 16;
    slot *slots = gnd__calloc(cap, sizeof *slots);
    if (!slots)
        return -1;
    for (size_t i = 0; i < m->cap; i++) {
        if (!m->slots[i].key)
            continue;
        size_t j = (size_t)m->slots[i].hash & (cap - 1);
        while (slots[j].key)
            j = (j + 1) & (cap - 1);
        slots[j] = m->slots[i];
    }
    gnd__free(m->slots);
    m->slots = slots;
    m->cap = cap;
    return 0;
}

void *gnd__table_find(const gnd__table *m, const void *key, size_t n, uint64_t hash)
{
    if (!m->len)
        return NULL;
    const slot *s = &m->slots[find(m, key, n, hash)];
    return s->key ? s->value : NULL;
}

void *gnd__table_get(const gnd__table *m, const void *key, size_t n)
{
    return m->len ? gnd__table_find(m, key, n, hash_of(key, n)) : NULL;
}

int gnd__table_put(gnd__table *m, const void *key, size_t n, void *value, void **old)
{
    return gnd__table_enter(m, key, n, hash_of(key, n), value, old);
}

int gnd__table_enter(gnd__table *m, const void *key, size_t n, uint64_t hash, void *value,
                     void **old)
{
    if (old)
        *old = NULL;
    if (m->len >= m->cap / 4 * 3 && grow(m))
        return -1;
    slot *s = &m->slots[find(m, key, n, hash)];
    if (s->key) {
        if (old)
            *old = s->value;
        s->value = value;
        return 0;
    }
    void *copy = gnd__malloc(n);
    if (!copy)
        return -1;
    if (n)
        memcpy(copy, key, n);
    *s = (slot){copy, n, hash, value};
    m->len++;
    return 0;
}

void gnd__table_take(gnd__table *m, uint64_t hash, const void *value)
{
    const size_t mask = m->cap - 1;
    size_t gap;
    if (!m->len)
        return;
    for (gap = (size_t)hash & mask; m->slots[gap].key && m->slots[gap].value != value;
         gap = (gap + 1) & mask)
        ;
    if (!m->slots[gap].key)
        return;
    gnd__free(m->slots[gap].key);
    m->len--;
    for (size_t i = (gap + 1) & mask; m->slots[i].key; i = (i + 1) & mask) {
        const size_t home = (size_t)m->slots[i].hash & mask;
        if (((i - home) & mask) < ((i - gap) & mask))
            continue; /* its home lies after the gap */
        m->slots[gap] = m->slots[i];
        gap = i;
    }
    m->slots[gap] = (slot){0};
}

size_t gnd__table_len(const gnd__table *m)
{
    return m->len;
}

int gnd__table_next(const gnd__table *m, size_t *at, const void **key, size_t *n, void **value)
{
    while (*at < m->cap) {
        const slot *s = &m->slots[(*at)++];
        if (!s->key)
            continue;
        if (key)
            *key = s->key;
        if (n)
            *n = s->n;
        if (value)
            *value = s->value;
        return 1;
    }
    return 0;
}
