/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/pool_small.c - blocks up to 1 MiB, cut from segments of at least 2 MiB by two-level
 * segregated fit (Masmano, Ripoll, Crespo, Real: TLSF, ECRTS 2004). Sizes fall into classes, 16 per
 * power of two; two levels of bitmaps find a class with a free block; neighbouring free blocks are
 * merged. Every step is O(1). Sizes are rounded up to their class, by at most 1/16.
 *
 * Each stream has its own free blocks and segments: an arena. So streams that share no arrays never
 * wait for each other because of memory.
 */
#include <string.h>
#include "device/pool.h"
#include "device/stream.h"

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

static void list_add(struct arena *p, struct blk *b)
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

static void list_take(struct arena *p, struct blk *b)
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

/* Makes a block free that its arena's stream may write to, merged with its free neighbours. */
static void give(struct gnd__pool *p, struct blk *b)
{
    struct arena *a = p->arena[b->pub.seg->arena];
    struct blk *n = b->after;

    if (n && n->state == FREE) {
        list_take(a, n);
        b->cap += n->cap;
        b->after = n->after;
        if (b->after)
            b->after->before = b;
        gnd__blk_drop(p, n);
    }
    n = b->before;
    if (n && n->state == FREE) {
        list_take(a, n);
        n->cap += b->cap;
        n->after = b->after;
        if (n->after)
            n->after->before = n;
        gnd__blk_drop(p, b);
        b = n;
    }
    list_add(a, b);
}

/* --- blocks that wait ------------------------------------------------------------------------- */

static void wait_add(struct arena *a, struct blk *b)
{
    b->state = WAITING;
    b->next = NULL;
    if (a->last_waiting)
        a->last_waiting->next = b;
    else
        a->waiting = b;
    a->last_waiting = b;
    a->waiting_bytes += b->cap;
}

/* Makes the waiting blocks free that no stream uses any more; all of them if `all`. */
static void collect(gnd__gdev *d, int index, int all)
{
    struct arena *a = d->pool->arena[index];
    struct blk *b = a->waiting, *next;

    a->waiting = a->last_waiting = NULL;
    a->waiting_bytes = 0;
    for (; b; b = next) {
        next = b->next;
        if (all || gnd__stream_clear(d, &b->pub, index))
            give(d->pool, b);
        else
            wait_add(a, b);
    }
}

/* Makes the stream wait until it may write to the block that was freed first. */
static gnd_status wait_oldest(gnd__gdev *d, int index, gnd_err *e)
{
    struct arena *a = d->pool->arena[index];
    struct blk *b = a->waiting;
    const gnd_status st = gnd__stream_after(d, index, &b->pub, e);

    if (st != GND_OK)
        return st;
    a->waiting = b->next;
    if (!a->waiting)
        a->last_waiting = NULL;
    a->waiting_bytes -= b->cap;
    give(d->pool, b);
    return GND_OK;
}

void gnd__small_settled(gnd__gdev *d)
{
    for (int i = 0; i < ARENAS; i++)
        if (d->pool->arena[i] && d->pool->arena[i]->waiting)
            collect(d, i, 1);
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
    list_add(p->arena[s->arena], b);
    return GND_OK;
}

/* Cuts a block of a class's size, in grains, from a free block of the arena. *out NULL: there is
 * none. */
static gnd_status cut(struct gnd__pool *p, struct arena *a, size_t grains, struct blk **out,
                      gnd_err *e)
{
    const size_t cap = grains * GRAIN;
    unsigned l, s;
    uint32_t map;
    struct blk *b, *rest;

    *out = NULL;
    class_of(grains, &l, &s);
    map = a->step_map[l] & (~0u << s);
    if (!map) {
        map = a->level_map & (~0u << l << 1);
        if (!map)
            return GND_OK;
        l = (unsigned)__builtin_ctz(map);
        map = a->step_map[l];
    }
    s = (unsigned)__builtin_ctz(map);
    b = a->free[l][s];

    if (b->cap > cap) {
        rest = gnd__blk_new(p);
        if (!rest)
            return no_host_memory(e);
        list_take(a, b);
        rest->pub = (gnd__block){.buf = b->pub.buf, .off = b->pub.off + cap, .seg = b->pub.seg};
        rest->cap = b->cap - cap;
        rest->before = b;
        rest->after = b->after;
        if (rest->after)
            rest->after->before = rest;
        b->after = rest;
        b->cap = cap;
        list_add(a, rest);
    } else {
        list_take(a, b);
    }
    b->pub.users = 0;
    *out = b;
    return GND_OK;
}

/* Called if the arena has no such block: tries blocks that waited, more memory, and blocks of other
 * arenas. */
static gnd_status find_more(gnd__gdev *d, size_t grains, struct blk **out, gnd_err *e)
{
    struct gnd__pool *p = d->pool;
    const int here = gnd__gate_stream(d);
    struct arena *a = p->arena[here];
    gnd_status st = GND_OK;
    int tells = 1;

    for (struct blk *b = a->waiting; b && tells; b = b->next)
        tells = gnd__streams_poll(d, &b->pub);
    if (a->waiting) {
        collect(d, here, 0);
        st = cut(p, a, grains, out, e);
    }
    if (st != GND_OK || *out)
        return st;
    if (!a->waiting || (tells && a->waiting_bytes < SEG_MAX)) {
        st = grow(d, grains * GRAIN, e);
        if (st == GND_OK)
            return cut(p, a, grains, out, e);
        if (st != GND_ERR_DEVMEM || !d->streams)
            return st;
    }
    gnd_status more = GND_OK;
    while (more == GND_OK && !*out && a->waiting)
        if ((more = wait_oldest(d, here, e)) == GND_OK)
            more = cut(p, a, grains, out, e);
    if (st == GND_OK && more == GND_OK && !*out && (st = grow(d, grains * GRAIN, e)) == GND_OK)
        return cut(p, a, grains, out, e);
    for (int i = 0; i < ARENAS && more == GND_OK && !*out; i++)
        if (i != here && p->arena[i] && (more = cut(p, p->arena[i], grains, out, e)) == GND_OK &&
            *out) { /* until now, that stream could use them */
            (*out)->pub.users = (uint64_t)1 << i;
            (*out)->pub.used = UINT64_MAX;
        }
    if (more == GND_OK && *out && e)
        gnd__err_clear(e);
    return *out ? more : more == GND_OK ? st : more;
}

gnd_status gnd__small_alloc(gnd__gdev *d, size_t nbytes, struct blk **out, gnd_err *e)
{
    const size_t grains = round_grains(nbytes ? (nbytes + GRAIN - 1) / GRAIN : 1);
    const gnd_status st = cut(d->pool, d->pool->arena[gnd__gate_stream(d)], grains, out, e);

    return st != GND_OK || *out ? st : find_more(d, grains, out, e);
}

void gnd__small_free(gnd__gdev *d, struct blk *b)
{
    const int home = b->pub.seg->arena;

    if (UNLIKELY(d->streams != NULL) && !gnd__stream_clear(d, &b->pub, home))
        wait_add(d->pool->arena[home], b);
    else
        give(d->pool, b);
}

/* The trim of one arena. */
static uint64_t trim(gnd__gdev *d, struct arena *a)
{
    struct gnd__pool *p = d->pool;
    struct blk *b, *next;
    uint64_t bytes = 0;
    unsigned l, s;

    for (l = 0; l < LEVELS; l++)
        for (s = 0; s < STEPS; s++)
            for (b = a->free[l][s]; b; b = next) {
                next = b->next;
                if (b->before || b->after)
                    continue;
                bytes += b->pub.seg->bytes;
                list_take(a, b);
                gnd__seg_delete(d, b->pub.seg);
                gnd__blk_drop(p, b);
            }
    return bytes;
}

uint64_t gnd__small_trim(gnd__gdev *d)
{
    uint64_t bytes = 0;

    for (int i = 0; i < ARENAS; i++)
        if (d->pool->arena[i])
            bytes += trim(d, d->pool->arena[i]);
    return bytes;
}
