/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/pool.c - device memory in blocks. Blocks up to 1 MiB are cut from segments (pool_small.c).
 * Each larger block is a backend buffer of its own. Freed buffers are cached by class: 16 classes
 * per power of two, so at most 6.25% is unused; above 200 MiB in multiples of 2 MiB.
 *
 * Freeing is stream-ordered: queues are in order, so a block may be reused while work that used it
 * is still queued. With several streams, a block goes first to a stream that need not wait for any
 * other (stream.h); if there is none, the pool grows a little, and then the stream waits on the
 * device. Only returning a buffer to the backend waits here. bytes_in_use
 * counts the bytes of blocks in use, rounding included; bytes_held counts what was allocated from
 * the backend. All bookkeeping is on the host; device memory is never touched.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "device/pool.h"
#include "device/stream.h"
#include "base/env.h"
#include "base/log.h"
#include "base/mem.h"

/* --- structs ---------------------------------------------------------------------------------- */

struct blk *gnd__blk_new(struct gnd__pool *p)
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

void gnd__blk_drop(struct gnd__pool *p, struct blk *b)
{
    b->state = SPARE;
    b->next = p->spare;
    p->spare = b;
}

/* --- buffers of the backend ------------------------------------------------------------------- */

/* Limited by GND_MEM_LIMIT and, on devices that use host memory (where the driver may promise more
 * than exists), by the memory itself. */
int gnd__pool_room(const gnd__gdev *d, size_t bytes)
{
    uint64_t most = d->pool->limit ? d->pool->limit : UINT64_MAX;

    if (d->props.host_mapped && d->props.mem_bytes && d->props.mem_bytes < most)
        most = d->props.mem_bytes;
    return bytes <= most && d->n.bytes_held <= most - bytes;
}

gnd_status gnd__seg_new(gnd__gdev *d, size_t bytes, int small, struct gnd__seg **out, gnd_err *e)
{
    struct gnd__seg *s;
    gnd_status st;

    if (!gnd__pool_room(d, bytes))
        return GND_ERR_DEVMEM;
    s = gnd__malloc(sizeof *s);
    if (!s)
        return no_host_memory(e);
    *s = (struct gnd__seg){
        .bytes = bytes, .small = small, .arena = gnd__gate_stream(d), .next = d->pool->segs};
    if ((st = gnd__gate_tick(e)) == GND_OK) {
        d->n.backend_allocs++;
        st = d->be->memory.alloc(d->dev, bytes, &s->buf, e);
    }
    if (st != GND_OK) {
        gnd__free(s);
        return st;
    }
    s->host = gnd__host_address(d, s->buf);
    d->reaches = s->host && (d->reaches || !s->next);
    if (s->next)
        s->next->prev = s;
    d->pool->segs = s;
    d->n.bytes_held += bytes;
    if (small)
        d->pool->small_held += bytes;
    *out = s;
    return GND_OK;
}

void gnd__seg_delete(gnd__gdev *d, struct gnd__seg *s)
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
    d->segs_gone++;
    d->be->memory.free(s->buf);
    gnd__free(s);
}

/* --- big blocks ------------------------------------------------------------------------------- */

/* The size of a big block: 16 steps per power of two, or a multiple of 2 MiB if huge. */
static size_t round_big(size_t n)
{
    size_t unit = n > HUGE_MIN ? SEG_MIN : (size_t)1 << (log2_of(n) - 4);
    return (n + unit - 1) & ~(unit - 1);
}

/* The class of a rounded size n, between SMALL_MAX and HUGE_MIN: log2 and the 4 bits below it. */
static unsigned big_class(size_t n)
{
    unsigned top = log2_of(n);
    return (top * 16 + (unsigned)(n >> (top - 4) & 15)) % BIG_CLASSES;
}

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

enum {
    AHEAD = 8
}; /* number of free buffers of a size that other streams still use before one of them is taken */

/* Takes the best cached buffer for cap bytes. With several streams, prefers one for which the
 * current stream need not wait; otherwise, if there are more than `most` others, takes the one that
 * was freed first. */
static struct blk *cached(gnd__gdev *d, size_t cap, int most)
{
    struct blk **list = big_list(d->pool, cap), *best = NULL, *oldest = NULL;
    const int here = gnd__gate_stream(d);
    int others = 0;

    /* Each list holds one size, except the list of huge blocks and sizes cut to the maximum: take
     * the best fit. */
    for (struct blk *b = *list; b; b = b->next) {
        if (b->cap < cap || b->cap - cap > cap / 8)
            continue;
        if (UNLIKELY(d->streams != NULL) && !gnd__stream_clear(d, &b->pub, here)) {
            oldest = b;
            others++;
            continue;
        }
        if (!best || b->cap < best->cap)
            best = b;
        if (b->cap == cap)
            break;
    }
    if (!best && others > most)
        best = oldest;
    if (best)
        unlink_big(list, best);
    return best;
}

/* The same, after asking which buffers used by other streams have become free. */
static struct blk *cached_now(gnd__gdev *d, size_t cap)
{
    int tells = 1;

    for (struct blk *b = *big_list(d->pool, cap); b && tells; b = b->next)
        tells = gnd__streams_poll(d, &b->pub);
    return cached(d, cap, tells ? AHEAD - 1 : 0);
}

static gnd_status big_alloc(gnd__gdev *d, size_t nbytes, struct blk **out, gnd_err *e)
{
    struct gnd__pool *p = d->pool;
    size_t cap = round_big(nbytes), max = (size_t)d->props.max_alloc_bytes;
    struct blk *b;
    struct gnd__seg *s;
    gnd_status st;

    if (max && cap > max)
        cap = max;
    *out = cached(d, cap, INT_MAX);
    if (!*out && UNLIKELY(d->streams != NULL))
        *out = cached_now(d, cap);
    if (*out)
        return GND_OK;
    b = gnd__blk_new(p);
    if (!b)
        return no_host_memory(e);
    st = gnd__seg_new(d, cap, 0, &s, e);
    if (st == GND_ERR_DEVMEM && nbytes < cap) {
        if (e)
            gnd__err_clear(e);
        cap = (nbytes + 15) & ~(size_t)15; /* without rounding it may fit */
        st = gnd__seg_new(d, cap, 0, &s, e);
    }
    if (st != GND_OK) {
        gnd__blk_drop(p, b);
        if (st == GND_ERR_DEVMEM && d->streams &&
            (*out = cached(d, round_big(nbytes), 0)) != NULL) {
            if (e)
                gnd__err_clear(e);
            return GND_OK;
        }
        return st;
    }
    *b = (struct blk){.pub = {.buf = s->buf, .seg = s}, .cap = cap};
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
    return nbytes <= SMALL_MAX ? gnd__small_alloc(d, nbytes, b, e) : big_alloc(d, nbytes, b, e);
}

static gnd_status out_of_memory(gnd__gdev *d, size_t nbytes, const char *said, gnd_err *e)
{
    char limit[64] = "none", avail[64] = "";
    uint64_t left, total;

    if (d->pool->limit)
        snprintf(limit, sizeof limit, "%llu", (unsigned long long)d->pool->limit);
    if (d->be->device.mem_info && gnd__gate_mem_info(d, &left, &total, NULL) == GND_OK)
        snprintf(avail, sizeof avail, ", %llu of it free", (unsigned long long)left);
    return gnd__err(e, GND_ERR_DEVMEM,
                    "out of device memory on %s: asked for %zu bytes; %llu in use by %llu blocks, "
                    "%llu held, limit %s, the device has %llu%s%s%.200s",
                    d->id, nbytes, (unsigned long long)d->n.bytes_in_use,
                    (unsigned long long)d->pool->used_blocks, (unsigned long long)d->n.bytes_held,
                    limit, (unsigned long long)d->props.mem_bytes, avail, said[0] ? "; " : "",
                    said);
}

/* The slow path, after a first attempt ran out of memory. */
static gnd_status alloc_again(gnd__gdev *d, size_t nbytes, struct blk **b, gnd_err *said,
                              gnd_err *e)
{
    gnd_status st;
    char text[sizeof said->msg];

    st = gnd__gate_finish_all(d, e);
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

gnd_status gnd__pool_fits(const gnd__gdev *d, size_t nbytes, gnd_err *e)
{
    const uint64_t max = d->props.max_alloc_bytes;
    if (UNLIKELY(nbytes > SIZE_MAX / 2 || (max && nbytes > max)))
        return gnd__err(e, GND_ERR_DEVMEM,
                        "asked for %zu bytes in one piece, but the largest buffer of %s is %llu "
                        "bytes (it has %llu in all)",
                        nbytes, d->id, (unsigned long long)max,
                        (unsigned long long)d->props.mem_bytes);
    return GND_OK;
}

gnd_status gnd__pool_alloc(gnd__gdev *d, size_t nbytes, gnd__block **out, gnd_err *e)
{
    struct blk *b;
    gnd_status st;
    gnd_err said;

    *out = NULL;
    if (UNLIKELY(gnd__forked))
        return gnd__fork_error(e);
    st = gnd__pool_fits(d, nbytes, e);
    if (UNLIKELY(st != GND_OK))
        return st;
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
    if (UNLIKELY(d->streams != NULL) && (st = gnd__stream_use(d, &b->pub, 1, e)) != GND_OK) {
        gnd__pool_free(d, &b->pub);
        return st;
    }
    *out = &b->pub;
    return GND_OK;
}

void gnd__pool_free(gnd__gdev *d, gnd__block *block)
{
    struct blk *b = (struct blk *)block;

    if (!b || UNLIKELY(gnd__forked))
        return;
    if (UNLIKELY(!block->seg)) {
        gnd__foreign_free(d, block);
        return;
    }
    if (UNLIKELY(b->state != USED)) {
        gnd__log(GND__LOG_ERROR, "%s: a block was freed twice: please report it", d->id);
        return;
    }
    d->pool->used_blocks--;
    d->n.bytes_in_use -= b->cap;
    if (b->pub.seg->small) {
        gnd__small_free(d, b);
        return;
    }
    big_free(d->pool, b);
    /* On devices that use host memory, other programs need it too: keep at most a quarter of it
     * idle. */
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
        gnd__seg_delete(d, b->pub.seg);
        gnd__blk_drop(d->pool, b);
    }
    return bytes;
}

uint64_t gnd__pool_trim(gnd__gdev *d)
{
    struct gnd__pool *p = d->pool;
    uint64_t bytes = 0;
    unsigned i;

    if (d->n.bytes_held == d->n.bytes_in_use || gnd__forked)
        return 0;
    /* A buffer may be returned only if nothing queued uses it. If a queue failed, keep the
     * buffers. */
    if (gnd__queues_wait(d, NULL) != GND_OK)
        return 0;
    gnd__small_settled(d);
    for (i = 0; i < BIG_CLASSES; i++)
        bytes += give_back(d, &p->big[i]);
    bytes += give_back(d, &p->huge);
    bytes += gnd__small_trim(d);
    d->n.trims++;
    gnd__log(GND__LOG_DEBUG, "%s: gave %llu bytes back, %llu held", d->id,
             (unsigned long long)bytes, (unsigned long long)d->n.bytes_held);
    return bytes;
}

uint64_t gnd__pool_most(const gnd__gdev *d)
{
    const uint64_t limit = d->pool->limit, all = d->props.mem_bytes;

    return limit && (limit < all || !all) ? limit : all;
}

void gnd__pool_limit(gnd__gdev *d, uint64_t nbytes)
{
    d->pool->limit = nbytes;
    if (nbytes && d->n.bytes_held > nbytes)
        gnd__pool_trim(d);
}

gnd_status gnd__pool_stream(gnd__gdev *d, int index, gnd_err *e)
{
    struct arena **a = &d->pool->arena[index];

    if (!*a)
        *a = gnd__calloc(1, sizeof **a);
    return *a ? GND_OK : gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
}

uint64_t gnd__pool_limited(const gnd__gdev *d)
{
    return d->pool->limit;
}

gnd_status gnd__pool_new(gnd__gdev *d, gnd_err *e)
{
    gnd_status st;

    d->pool = gnd__calloc(1, sizeof *d->pool);
    if (!d->pool)
        return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
    if ((st = gnd__pool_stream(d, 0, e)) != GND_OK) {
        gnd__free(d->pool);
        d->pool = NULL;
        return st;
    }
    d->pool->limit = gnd__env_size(GND__ENV_MEM_LIMIT, 0);
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
        gnd__seg_delete(d, p->segs);
    while ((c = p->chunks) != NULL) {
        p->chunks = c->next;
        gnd__free(c);
    }
    for (int i = 0; i < ARENAS; i++)
        gnd__free(p->arena[i]);
    gnd__free(p);
    d->pool = NULL;
}
