/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend/pool.c - device memory by blocks. Blocks up to 1 MiB are cut from segments of 2 MiB and
 * more by two-level segregated fit (Masmano, Ripoll, Crespo, Real: TLSF, ECRTS 2004): sizes fall in
 * classes, 16 steps per power of two; two bitmaps find a class with a free block; neighbours that
 * are free are merged. Every step is O(1). Bigger blocks are a backend buffer each, kept by class
 * (8 steps per power of two, so at most 12.5% unused; whole 2 MiB above 200 MiB) when freed.
 *
 * Freeing is stream-ordered: the queue is in order, so a block may be given out again while work
 * that used it is queued. Only giving a buffer back to the backend waits for the queue.
 * bytes_in_use counts what blocks cover, rounding included; bytes_held what the backend gave.
 * All the book-keeping is on the host; the device's memory is never touched.
 */
#include <stdio.h>
#include <string.h>
#include "backend/priv.h"
#include "base/env.h"
#include "base/log.h"
#include "base/mem.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GRAIN ((size_t)256)      /* offsets and sizes of small blocks are multiples of this */
#define SMALL_MAX MIB
#define SEG_MIN (2 * MIB)
#define SEG_MAX (32 * MIB)
#define HUGE_MIN (200 * MIB)

enum { STEP_BITS = 4, STEPS = 1 << STEP_BITS, LEVELS = 16, BIG_CLASSES = 512, CHUNK = 62 };

/* A block, given out or free. pub comes first: a gnd__block is a pointer to this. */
struct blk {
    gnd__block pub;
    size_t cap;                  /* bytes it covers: a multiple of GRAIN in a small segment */
    struct blk *before, *after;  /* its neighbours in the segment, by address */
    struct blk *prev, *next;     /* its free list */
    enum { SPARE, FREE, USED } state;
};

struct gnd__seg {
    gnd_buf *buf;
    size_t bytes;
    int small;
    struct gnd__seg *prev, *next; /* all of the pool */
};

struct chunk {
    struct chunk *next;
    struct blk b[CHUNK];
};

struct gnd__pool {
    uint64_t limit;
    uint32_t level_map;               /* bit l: step_map[l] is not 0 */
    uint32_t step_map[LEVELS];        /* bit s: free[l][s] is not empty */
    struct blk *free[LEVELS][STEPS];
    struct blk *big[BIG_CLASSES];     /* cached buffers by class, the last freed first */
    struct blk *huge;                 /* cached buffers above HUGE_MIN, in no order */
    struct blk *spare;                /* structs that describe nothing now */
    struct chunk *chunks;
    struct gnd__seg *segs;
    uint64_t small_held;
    uint64_t used_blocks;
};

/* --- classes ---------------------------------------------------------------------------------- */

static inline unsigned log2_of(size_t n)
{
    return 63u - (unsigned)__builtin_clzll((unsigned long long)n);
}

/* The class of g grains: level 0 holds 1..15 exactly, level l >= 1 holds [16, 32) << (l-1) in 16
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

/* Grains rounded up to the next class, so that every block in the list of that class fits. */
static inline size_t round_grains(size_t g)
{
    size_t unit;

    if (g < STEPS)
        return g;
    unit = (size_t)1 << (log2_of(g) - STEP_BITS);
    return (g + unit - 1) & ~(unit - 1);
}

/* Bytes of a big block: 8 steps per power of two, or whole segments when huge. */
static size_t round_big(size_t n)
{
    size_t unit = n > HUGE_MIN ? SEG_MIN : (size_t)1 << (log2_of(n) - 3);
    return (n + unit - 1) & ~(unit - 1);
}

/* The list of a rounded size n, SMALL_MAX < n <= HUGE_MIN rounded: log2 and the 3 bits below. */
static unsigned big_class(size_t n)
{
    unsigned top = log2_of(n);
    return (top * 8 + (unsigned)(n >> (top - 3) & 7)) % BIG_CLASSES;
}

/* --- structs ---------------------------------------------------------------------------------- */

static struct blk *blk_new(struct gnd__pool *p)
{
    struct blk *b = p->spare;
    struct chunk *c;
    int i;

    if (!b) {
        c = gnd__malloc(sizeof *c);
        if (!c)
            return NULL;
        c->next = p->chunks;
        p->chunks = c;
        for (i = 0; i < CHUNK; i++) {
            c->b[i].state = SPARE;
            c->b[i].next = p->spare;
            p->spare = &c->b[i];
        }
        b = p->spare;
    }
    p->spare = b->next;
    return b;
}

static void blk_drop(struct gnd__pool *p, struct blk *b)
{
    b->state = SPARE;
    b->next = p->spare;
    p->spare = b;
}

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

/* --- buffers of the backend ------------------------------------------------------------------- */

/* What bounds the bytes held: the limit, and on devices that live in host memory (where the driver
 * may promise more than there is) the memory itself. */
static uint64_t bound(const gnd__gdev *d)
{
    uint64_t b = d->pool->limit ? d->pool->limit : UINT64_MAX;

    if (d->props.host_mapped && d->props.mem_bytes && d->props.mem_bytes < b)
        b = d->props.mem_bytes;
    return b;
}

static gnd_status no_host_memory(gnd_err *e)
{
    return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
}

/* GND_ERR_DEVMEM without a message when it does not fit: the caller may trim and try again. */
static gnd_status seg_new(gnd__gdev *d, size_t bytes, int small, struct gnd__seg **out, gnd_err *e)
{
    struct gnd__seg *s;
    gnd_status st;

    if (bytes > bound(d) || d->n.bytes_held > bound(d) - bytes)
        return GND_ERR_DEVMEM;
    s = gnd__malloc(sizeof *s);
    if (!s)
        return no_host_memory(e);
    *s = (struct gnd__seg){ .bytes = bytes, .small = small, .next = d->pool->segs };
    if ((st = gnd__gate_tick(e)) == GND_OK) {
        d->n.backend_allocs++;
        st = d->be->memory.alloc(d->dev, bytes, &s->buf, e);
    }
    if (st != GND_OK) {
        gnd__free(s);
        return st;
    }
    if (s->next)
        s->next->prev = s;
    d->pool->segs = s;
    d->n.bytes_held += bytes;
    if (small)
        d->pool->small_held += bytes;
    *out = s;
    return GND_OK;
}

static void seg_delete(gnd__gdev *d, struct gnd__seg *s)
{
    if (s->prev)
        s->prev->next = s->next;
    else
        d->pool->segs = s->next;
    if (s->next)
        s->next->prev = s->prev;
    d->n.bytes_held -= s->bytes;
    if (s->small)
        d->pool->small_held -= s->bytes;
    d->be->memory.free(s->buf);
    gnd__free(s);
}

/* --- small blocks ----------------------------------------------------------------------------- */

/* Puts one free block over a new segment. Segments grow with what is held, to stay few. */
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
    if (bytes > bound(d) || d->n.bytes_held > bound(d) - bytes)
        bytes = need; /* the rest of a tight limit is still worth having */
    b = blk_new(p);
    if (!b)
        return no_host_memory(e);
    st = seg_new(d, bytes, 1, &s, e);
    if (st != GND_OK) {
        blk_drop(p, b);
        return st;
    }
    *b = (struct blk){ .pub = { .buf = s->buf, .seg = s }, .cap = bytes & ~(GRAIN - 1) };
    list_add(p, b);
    return GND_OK;
}

static gnd_status small_alloc(gnd__gdev *d, size_t nbytes, struct blk **out, gnd_err *e)
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
        rest = blk_new(p);
        if (!rest)
            return no_host_memory(e);
        list_take(p, b);
        rest->pub = (gnd__block){ .buf = b->pub.buf, .off = b->pub.off + cap, .seg = b->pub.seg };
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

static void small_free(struct gnd__pool *p, struct blk *b)
{
    struct blk *n = b->after;

    if (n && n->state == FREE) {
        list_take(p, n);
        b->cap += n->cap;
        b->after = n->after;
        if (b->after)
            b->after->before = b;
        blk_drop(p, n);
    }
    n = b->before;
    if (n && n->state == FREE) {
        list_take(p, n);
        n->cap += b->cap;
        n->after = b->after;
        if (n->after)
            n->after->before = n;
        blk_drop(p, b);
        b = n;
    }
    list_add(p, b);
}

/* --- big blocks ------------------------------------------------------------------------------- */

static void unlink_big(struct blk **head, struct blk *b)
{
    if (b->next)
        b->next->prev = b->prev;
    if (b->prev)
        b->prev->next = b->next;
    else
        *head = b->next;
}

static struct blk **big_list(struct gnd__pool *p, size_t cap)
{
    return cap > HUGE_MIN ? &p->huge : &p->big[big_class(cap)];
}

static gnd_status big_alloc(gnd__gdev *d, size_t nbytes, struct blk **out, gnd_err *e)
{
    struct gnd__pool *p = d->pool;
    size_t cap = round_big(nbytes), max = (size_t)d->props.max_alloc_bytes;
    struct blk *b, *best = NULL;
    struct gnd__seg *s;
    gnd_status st;

    if (max && cap > max)
        cap = max;
    /* A list holds one size, but for the list of huge ones and for sizes cut to max: best fit. */
    for (b = *big_list(p, cap); b; b = b->next)
        if (b->cap >= cap && b->cap - cap <= cap / 8 && (!best || b->cap < best->cap)) {
            best = b;
            if (b->cap == cap)
                break;
        }
    if (best) {
        unlink_big(big_list(p, best->cap), best);
        *out = best;
        return GND_OK;
    }
    b = blk_new(p);
    if (!b)
        return no_host_memory(e);
    st = seg_new(d, cap, 0, &s, e);
    if (st == GND_ERR_DEVMEM && nbytes < cap) {
        if (e)
            gnd__err_clear(e);
        cap = (nbytes + 15) & ~(size_t)15; /* without the rounding it may just fit */
        st = seg_new(d, cap, 0, &s, e);
    }
    if (st != GND_OK) {
        blk_drop(p, b);
        return st;
    }
    *b = (struct blk){ .pub = { .buf = s->buf, .seg = s }, .cap = cap };
    *out = b;
    return GND_OK;
}

static void big_free(struct gnd__pool *p, struct blk *b)
{
    struct blk **head = big_list(p, b->cap);

    b->state = FREE;
    b->prev = NULL;
    b->next = *head;
    if (b->next)
        b->next->prev = b;
    *head = b;
}

/* --- the interface ---------------------------------------------------------------------------- */

static gnd_status try_alloc(gnd__gdev *d, size_t nbytes, struct blk **b, gnd_err *e)
{
    return nbytes <= SMALL_MAX ? small_alloc(d, nbytes, b, e) : big_alloc(d, nbytes, b, e);
}

static gnd_status out_of_memory(gnd__gdev *d, size_t nbytes, const char *said, gnd_err *e)
{
    char limit[64] = "none";

    if (d->pool->limit)
        snprintf(limit, sizeof limit, "%llu", (unsigned long long)d->pool->limit);
    return gnd__err(e, GND_ERR_DEVMEM,
                    "out of device memory on %s: asked for %zu bytes; %llu in use by %llu blocks, "
                    "%llu held, limit %s, the device has %llu%s%.200s",
                    d->id, nbytes, (unsigned long long)d->n.bytes_in_use,
                    (unsigned long long)d->pool->used_blocks, (unsigned long long)d->n.bytes_held,
                    limit, (unsigned long long)d->props.mem_bytes, said[0] ? "; " : "", said);
}

/* The slow path: everything was tried once and memory is short. */
static gnd_status alloc_again(gnd__gdev *d, size_t nbytes, struct blk **b, gnd_err *said,
                              gnd_err *e)
{
    gnd_status st;
    char text[sizeof said->msg];

    st = gnd__gate_finish(d, e);
    if (st != GND_OK)
        return st;
    gnd__pool_trim(d);
    memcpy(text, said->msg, sizeof text);
    memset(said, 0, sizeof *said);
    st = try_alloc(d, nbytes, b, said);
    if (st == GND_ERR_DEVMEM)
        return out_of_memory(d, nbytes, said->msg[0] ? said->msg : text, e);
    return st;
}

gnd_status gnd__pool_alloc(gnd__gdev *d, size_t nbytes, gnd__block **out, gnd_err *e)
{
    uint64_t max = d->props.max_alloc_bytes;
    struct blk *b;
    gnd_status st;
    gnd_err said;

    *out = NULL;
    if (UNLIKELY(nbytes > SIZE_MAX / 2 || (max && nbytes > max)))
        return gnd__err(e, GND_ERR_DEVMEM,
                        "asked for %zu bytes in one piece, but the largest buffer of %s is %llu "
                        "bytes (it has %llu in all)",
                        nbytes, d->id, (unsigned long long)max,
                        (unsigned long long)d->props.mem_bytes);
    said.code = GND_OK;
    said.msg[0] = '\0';
    said.native = 0;
    st = try_alloc(d, nbytes, &b, &said);
    if (UNLIKELY(st != GND_OK)) {
        if (st == GND_ERR_DEVMEM)
            st = alloc_again(d, nbytes, &b, &said, e);
        if (st != GND_OK) {
            if (e && e->code == GND_OK) {
                *e = said;
                st = gnd__gate_failed(d->id, "alloc", st, e);
            }
            return st;
        }
    }
    b->state = USED;
    b->pub.nbytes = nbytes;
    d->pool->used_blocks++;
    d->n.allocs++;
    d->n.bytes_in_use += b->cap;
    if (d->n.bytes_in_use > d->n.bytes_peak)
        d->n.bytes_peak = d->n.bytes_in_use;
    *out = &b->pub;
    return GND_OK;
}

void gnd__pool_free(gnd__gdev *d, gnd__block *block)
{
    struct blk *b = (struct blk *)block;

    if (!b)
        return;
    if (UNLIKELY(b->state != USED)) {
        gnd__log(GND__LOG_ERROR, "%s: a block was freed twice: please report it", d->id);
        return;
    }
    d->pool->used_blocks--;
    d->n.bytes_in_use -= b->cap;
    if (b->pub.seg->small) {
        small_free(d->pool, b);
        return;
    }
    big_free(d->pool, b);
    /* Where the device's memory is the host's, others want it too: keep a quarter idle at most. */
    if (d->props.host_mapped && d->n.bytes_held - d->n.bytes_in_use > d->props.mem_bytes / 4)
        gnd__pool_trim(d);
}

static uint64_t give_back(gnd__gdev *d, struct blk **head)
{
    uint64_t bytes = 0;
    struct blk *b;

    while ((b = *head) != NULL) {
        bytes += b->cap;
        *head = b->next;
        seg_delete(d, b->pub.seg);
        blk_drop(d->pool, b);
    }
    return bytes;
}

uint64_t gnd__pool_trim(gnd__gdev *d)
{
    struct gnd__pool *p = d->pool;
    uint64_t bytes = 0;
    struct blk *b, *next;
    unsigned i, l, s;

    if (d->n.bytes_held == d->n.bytes_in_use)
        return 0;
    /* A buffer may only go when nothing queued uses it; a queue that failed keeps its buffers. */
    if (d->be->queue.finish(d->queue, NULL) != GND_OK)
        return 0;
    for (i = 0; i < BIG_CLASSES; i++)
        bytes += give_back(d, &p->big[i]);
    bytes += give_back(d, &p->huge);
    for (l = 0; l < LEVELS; l++)
        for (s = 0; s < STEPS; s++)
            for (b = p->free[l][s]; b; b = next) {
                next = b->next;
                if (b->before || b->after)
                    continue;
                bytes += b->pub.seg->bytes;
                list_take(p, b);
                seg_delete(d, b->pub.seg);
                blk_drop(p, b);
            }
    d->n.trims++;
    gnd__log(GND__LOG_DEBUG, "%s: gave %llu bytes back, %llu held", d->id,
             (unsigned long long)bytes, (unsigned long long)d->n.bytes_held);
    return bytes;
}

void gnd__pool_limit(gnd__gdev *d, uint64_t nbytes)
{
    d->pool->limit = nbytes;
    if (nbytes && d->n.bytes_held > nbytes)
        gnd__pool_trim(d);
}

gnd_status gnd__pool_new(gnd__gdev *d, gnd_err *e)
{
    uint64_t limit = 0;
    gnd_status st = gnd__env_size(GND__ENV_MEM_LIMIT, &limit, e);

    if (st != GND_OK)
        return st;
    d->pool = gnd__calloc(1, sizeof *d->pool);
    if (!d->pool)
        return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
    d->pool->limit = limit;
    return GND_OK;
}

void gnd__pool_delete(gnd__gdev *d)
{
    struct gnd__pool *p = d->pool;
    struct chunk *c;

    if (!p)
        return;
    if (p->used_blocks)
        gnd__log(GND__LOG_WARN, "%s: closed with %llu blocks in use", d->id,
                 (unsigned long long)p->used_blocks);
    while (p->segs)
        seg_delete(d, p->segs);
    while ((c = p->chunks) != NULL) {
        p->chunks = c->next;
        gnd__free(c);
    }
    gnd__free(p);
    d->pool = NULL;
}
