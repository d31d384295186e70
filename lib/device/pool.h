/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/pool.h - what the two halves of the memory pool share: pool.c (buffers of the backend, big
 * blocks, the interface) and pool_small.c (blocks cut from segments).
 */
#ifndef GND_DEVICE_POOL_H
#define GND_DEVICE_POOL_H

#include "device/priv.h"

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

static inline unsigned log2_of(size_t n)
{
    return 63u - (unsigned)__builtin_clzll((unsigned long long)n);
}

static inline gnd_status no_host_memory(gnd_err *e)
{
    return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
}

/* A struct that describes nothing yet; NULL when host memory is out. And back. */
struct blk *gnd__blk_new(struct gnd__pool *p);
void gnd__blk_drop(struct gnd__pool *p, struct blk *b);

/* Whether that many bytes more may be held. */
int gnd__pool_room(const gnd__gdev *d, size_t bytes);
/* A buffer of the backend. GND_ERR_DEVMEM, perhaps without a message, when it does not fit: the
 * caller may trim and try again. */
gnd_status gnd__seg_new(gnd__gdev *d, size_t bytes, int small, struct gnd__seg **out, gnd_err *e);
void gnd__seg_delete(gnd__gdev *d, struct gnd__seg *s);

/* nbytes <= SMALL_MAX. */
gnd_status gnd__small_alloc(gnd__gdev *d, size_t nbytes, struct blk **out, gnd_err *e);
void gnd__small_free(struct gnd__pool *p, struct blk *b);
/* Gives back the segments of which nothing is in use; their bytes. */
uint64_t gnd__small_trim(gnd__gdev *d);

#endif
