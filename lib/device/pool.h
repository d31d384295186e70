/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/pool.h - declarations shared by the halves of the memory pool: pool.c (backend buffers,
 * big blocks, the interface) and pool_small.c (blocks cut from segments).
 */
#ifndef GND_DEVICE_POOL_H
#define GND_DEVICE_POOL_H

#include "device/priv.h"

#define MIB ((size_t)1 << 20)
#define GRAIN ((size_t)256) /* offsets and sizes of small blocks are multiples of this */
#define SMALL_MAX MIB
#define SEG_MIN (2 * MIB)
#define SEG_MAX (32 * MIB)
#define HUGE_MIN (200 * MIB)

enum { STEP_BITS = 4, STEPS = 1 << STEP_BITS, LEVELS = 16, BIG_CLASSES = 512, CHUNK = 62 };

/* A block, in use or free. pub must be first: a gnd__block pointer points to this struct. */
struct blk {
    gnd__block pub;
    size_t cap;                 /* its size in bytes; in a small segment a multiple of GRAIN */
    struct blk *before, *after; /* its neighbours in the segment, by address */
    struct blk *prev, *next;    /* its free list */
    enum { SPARE, FREE, USED, WAITING } state;
};

struct gnd__seg {
    gnd_buf *buf;
    char *host; /* its address in host memory, or NULL */
    size_t bytes;
    int small;
    int arena;                    /* small segments: the stream that may use its free blocks */
    struct gnd__seg *prev, *next; /* the list of all segments of the pool */
};

struct chunk {
    struct chunk *next;
    struct blk b[CHUNK];
};

/* The free small blocks of a stream. It may write to them without a wait. A block that was freed
 * while another stream was using it waits, in the order of freeing. */
struct arena {
    uint32_t level_map;        /* bit l: step_map[l] != 0 */
    uint32_t step_map[LEVELS]; /* bit s: free[l][s] is not empty */
    struct blk *free[LEVELS][STEPS];
    struct blk *waiting, *last_waiting;
    size_t waiting_bytes;
};

enum { ARENAS = 64 }; /* number of arenas: as many as streams */

struct gnd__pool {
    uint64_t limit;
    struct arena *arena[ARENAS];  /* indexed by stream; that of the default stream always exists */
    struct blk *big[BIG_CLASSES]; /* cached buffers by class, most recently freed first */
    struct blk *huge;             /* cached buffers above HUGE_MIN, unordered */
    struct blk *spare;            /* unused structs */
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

/* The first takes an unused struct, or returns NULL if out of host memory; the second returns one.
 */
struct blk *gnd__blk_new(struct gnd__pool *p);
void gnd__blk_drop(struct gnd__pool *p, struct blk *b);

/* The address of b in host memory where host and device work; NULL: there is none (direct.c). */
char *gnd__host_address(const gnd__gdev *d, gnd_buf *b);

/* Whether the pool may hold that many more bytes. */
int gnd__pool_room(const gnd__gdev *d, size_t bytes);
/* Allocates a backend buffer. GND_ERR_DEVMEM, possibly without a message, if it does not fit; the
 * caller may trim and retry. */
gnd_status gnd__seg_new(gnd__gdev *d, size_t bytes, int small, struct gnd__seg **out, gnd_err *e);
void gnd__seg_delete(gnd__gdev *d, struct gnd__seg *s);

/* Requires nbytes <= SMALL_MAX. */
gnd_status gnd__small_alloc(gnd__gdev *d, size_t nbytes, struct blk **out, gnd_err *e);
void gnd__small_free(gnd__gdev *d, struct blk *b);
/* Call when all streams are idle: releases the blocks that wait for streams. */
void gnd__small_settled(gnd__gdev *d);
/* Returns wholly unused segments to the backend. The result is the number of bytes returned. */
uint64_t gnd__small_trim(gnd__gdev *d);

#endif
