/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/pool_small.c - blocks up to 1 MiB, cut from segments of at least 2 MiB by two-level
 * segregated fit (Masmano, Ripoll, Crespo, Real: TLSF, ECRTS 2004). Sizes fall into classes, 16 per
 * power of two; two levels of bitmaps find a class with a free block; neighbouring free blocks are
 * merged. Every step is O(1). Sizes are rounded up to their class, by at most 1/16.
 */
#include <string.h>
#include "device/pool.h"

/* --- classes ---------------------------------------------------------------------------------- */

/* The class of g grains: level 0 holds 1..15 exactly; level l >= 1 holds [16, 32) << (l-1) in 16
 * steps. */
static inline void class_of(size_t g, unsigned *level, unsigned *step)
{
    unsigned top;

    if (g < STEPS) {
        *level = 0;
        *step = (unsigned)g;
        return;
    }
    top = log2_of(g);
    *level = top - STEP_BITS + 1;
    *step = (unsigned)(g >> (top - STEP_BITS)) & (STEPS - 1);
}

/* Rounds grains up to the next class, so that every block in that class's list fits. */
static inline size_t round_grains(size_t g)
{
    size_t unit;

    if (g < STEPS)
        return g;
    unit = (size_t)1 << (log2_of(g) - STEP_BITS);
    return (g + unit - 1) & ~(unit - 1);
}

/* --- free lists ------------------------------------------------------------------------------- */

static void list_add(struct gnd__pool *p, struct blk *b)
{
    unsigned l, s;

    class_of(b->cap / GRAIN, &l, &s);
    b->state = FREE;
    b->prev = NULL;
    b->next = p->free[l][s];
    if (b->next)
        b->next->prev = b;
    p->free[l][s] = b;
    p->step_map[l] |= 1u << s;
    p->level_map |= 1u << l;
}

static void list_take(struct gnd__pool *p, struct blk *b)
{
    unsigned l, s;

    class_of(b->cap / GRAIN, &l, &s);
    if (b->next)
        b->next->prev = b->prev;
    if (b->prev) {
        b->prev->next = b->next;
        return;
    }
    p->free[l][s] = b->next;
    if (!b->next) {
        p->step_map[l] &= ~(1u << s);
        if (!p->step_map[l])
            p->level_map &= ~(1u << l);
    }
}

/* --- small blocks ----------------------------------------------------------------------------- */

/* Adds a segment as one free block. Segments grow with the bytes held, so that there are few. */
static gnd_status grow(gnd__gdev *d, size_t need, gnd_err *e)
{
    struct gnd__pool *p = d->pool;
    struct gnd__seg *s;
    struct blk *b;
    gnd_status st;
    size_t bytes = SEG_MIN;

    while (bytes < SEG_MAX && bytes * 4 < p->small_held)
        bytes *= 2;
    if (d->props.max_alloc_bytes && bytes > d->props.max_alloc_bytes)
        bytes = need;
    if (!gnd__pool_room(d, bytes))
        bytes = need; /* under a tight limit a smaller segment may still fit */
    b = gnd__blk_new(p);
    if (!b)
        return no_host_memory(e);
    st = gnd__seg_new(d, bytes, 1, &s, e);
    if (st != GND_OK) {
        gnd__blk_drop(p, b);
        return st;
    }
    *b = (struct blk){.pub = {.buf = s->buf, .seg = s}, .cap = bytes & ~(GRAIN - 1)};
    list_add(p, b);
    return GND_OK;
}

gnd_status gnd__small_alloc(gnd__gdev *d, size_t nbytes, struct blk **out, gnd_err *e)
{
    struct gnd__pool *p = d->pool;
    size_t grains = round_grains(nbytes ? (nbytes + GRAIN - 1) / GRAIN : 1);
    size_t cap = grains * GRAIN;
    unsigned l, s;
    uint32_t map;
    struct blk *b, *rest;
    gnd_status st;

    class_of(grains, &l, &s);
again:
    map = p->step_map[l] & (~0u << s);
    if (!map) {
        map = p->level_map & (~0u << l << 1);
        if (!map) {
            if ((st = grow(d, cap, e)) != GND_OK)
                return st;
            goto again;
        }
        l = (unsigned)__builtin_ctz(map);
        map = p->step_map[l];
    }
    s = (unsigned)__builtin_ctz(map);
    b = p->free[l][s];

    if (b->cap > cap) {
        rest = gnd__blk_new(p);
        if (!rest)
            return no_host_memory(e);
        list_take(p, b);
        rest->pub = (gnd__block){.buf = b->pub.buf, .off = b->pub.off + cap, .seg = b->pub.seg};
        rest->cap = b->cap - cap;
        rest->before = b;
        rest->after = b->after;
        if (rest->after)
            rest->after->before = rest;
        b->after = rest;
        b->cap = cap;
        list_add(p, rest);
    } else {
        list_take(p, b);
    }
    *out = b;
    return GND_OK;
}

void gnd__small_free(struct gnd__pool *p, struct blk *b)
{
    struct blk *n = b->after;

    if (n && n->state == FREE) {
        list_take(p, n);
        b->cap += n->cap;
        b->after = n->after;
        if (b->after)
            b->after->before = b;
        gnd__blk_drop(p, n);
    }
    n = b->before;
    if (n && n->state == FREE) {
        list_take(p, n);
        n->cap += b->cap;
        n->after = b->after;
        if (n->after)
            n->after->before = n;
        gnd__blk_drop(p, b);
        b = n;
    }
    list_add(p, b);
}

uint64_t gnd__small_trim(gnd__gdev *d)
{
    struct gnd__pool *p = d->pool;
    struct blk *b, *next;
    uint64_t bytes = 0;
    unsigned l, s;

    for (l = 0; l < LEVELS; l++)
        for (s = 0; s < STEPS; s++)
            for (b = p->free[l][s]; b; b = next) {
                next = b->next;
                if (b->before || b->after)
                    continue;
                bytes += b->pub.seg->bytes;
                list_take(p, b);
                gnd__seg_delete(d, b->pub.seg);
                gnd__blk_drop(p, b);
            }
    return bytes;
}
