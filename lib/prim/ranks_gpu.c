/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/ranks_gpu.c - elements at given places of sorted rows, on GPUs: see kernels/ranks_gpu.cl.
 * Two kernels for each 11 bits of a key. Once an eighth of a row or less is in question, that is
 * moved together and only read from there.
 */
#include "prim/ranks_priv.h"
#include "prim/sort_priv.h"

enum {
    GROUP = 512,
    EACH = 8,        /* elements that a work-item loads at once */
    WIDE_BITS = 11,  /* of the parts of an interval, for rows of MANY elements or more */
    NARROW_BITS = 8, /* and for shorter ones, whose counters shall not need more memory than they */
    MANY = 1 << 17,
    ROOM = 8192, /* counters of a group */
    GROUPS_PER_UNIT = 8
};

/* What the kernels share. */
typedef struct ranker {
    gnd__prog *p;
    gnd_dtype t, elem, key; /* of elements, of their bits, of their keys */
    int64_t rows, n, wanted, blocks, run, room;
    size_t group;
    int bits, counters, hist, ctl, open, state, ends, few;
} ranker;

static void begin(const ranker *r, const char *name, int first)
{
    gnd__prog *p = r->p;
    gnd__pk_begin(p, name);
    gnd__pk_int(p, "n", r->n);
    gnd__pk_int(p, "nblk", r->blocks);
    gnd__pk_int(p, "room", r->room);
    gnd__pk_int(p, "wanted", r->wanted);
    gnd__pk_mem(p, "hist", r->hist, GND_UINT32);
    if (first) {
        gnd__pk_mem(p, "ends", r->ends, r->key);
    }
    gnd__pk_def(p,
                "#define BITS %d\n#define KBITS %d\n#define WANTED %d\n#define ROOM %d\n"
                "#define TPG %d\n#define EACH %d\n#define ELEM g_u%d\n#define KEY g_u%d\n"
                "#define FIRST %d\n#define flip %d\n",
                r->bits, 8 * (int)gnd_dtype_size(r->elem), GND__RANKS_GPU_WANTED, r->counters,
                (int)r->group, EACH, 8 * (int)gnd_dtype_size(r->elem),
                8 * (int)gnd_dtype_size(r->key), first, p->args->n[0] ? -1 : 0);
    gnd__sort_unroll_defs(p);
}

static void count(const ranker *r, int first)
{
    gnd__prog *p = r->p;
    begin(r, "k_count", first);
    gnd__pk_in(p, "x", 0);
    gnd__pk_int(p, "run", r->run);
    if (!first) {
        gnd__pk_mem(p, "ctl", r->ctl, GND_UINT32);
        gnd__pk_mem(p, "open", r->open, r->key);
        gnd__pk_mem(p, "few", r->few, r->key);
    }
    gnd__pk_defs(p, "ranks_gpu_defs", r->t);
    gnd__pk_body(p, "ranks_count_gpu", r->t);
    gnd__pk_end1(p, r->rows * r->blocks, r->group, gnd__prog_reads(p, 0),
                 r->rows * r->wanted * 4 << r->bits);
}

static void find(const ranker *r, int first)
{
    gnd__prog *p = r->p;
    const int64_t counters = r->rows * r->wanted * 4 << r->bits;
    begin(r, "k_find", first);
    gnd__pk_out(p, "b");
    gnd__pk_int(p, "rows", r->rows);
    if (first)
        gnd__pk_in(p, "r", 1);
    gnd__pk_mem(p, "ctl", r->ctl, GND_UINT32);
    gnd__pk_mem(p, "open", r->open, r->key);
    gnd__pk_mem(p, "state", r->state, GND_UINT32);
    gnd__pk_defs(p, "ranks_gpu_defs", r->t);
    gnd__pk_body(p, "ranks_find_gpu", r->t);
    gnd__pk_end1(p, r->rows, 256, counters, counters);
}

/* The counters of a group: as many as half of the device's local memory holds, at least one copy.
 */
static int counters_of(const ranker *r)
{
    int room = ROOM;
    while (room > 1 << r->bits && (size_t)room * 8 > r->p->t->props->local_bytes)
        room /= 2;
    return room;
}

void gnd__ranks_on_gpu(gnd__prog *p)
{
    const gnd__pin *x = &p->in[0];
    const size_t size = gnd_dtype_size(x->dtype);
    const int64_t units = p->t->props->compute_units > 0 ? p->t->props->compute_units : 1;
    ranker r = {.p = p,
                .t = x->dtype,
                .elem = gnd__unsigned_of(size),
                .key = gnd__unsigned_of(size < 4 ? 4 : size),
                .rows = x->dim[0],
                .n = x->dim[1],
                .wanted = p->dim[0],
                .group = gnd__prog_group(p, GROUP)};
    const int64_t least = EACH * (int64_t)r.group;
    const int64_t keys = (int64_t)gnd_dtype_size(r.key);
    if (gnd__prog_group(p, 256) < 256) {
        gnd__prog_fail(p, GND_ERR_UNSUPPORTED,
                       "%s: this device takes work-groups of %u work-items only",
                       gnd__prims[p->args->id].name, p->t->props->max_group);
        return;
    }
    r.bits = r.n >= MANY ? WIDE_BITS : NARROW_BITS;
    r.blocks = (GROUPS_PER_UNIT * units + r.rows - 1) / r.rows;
    if (r.blocks > (r.n + least - 1) / least)
        r.blocks = (r.n + least - 1) / least;
    r.run = (r.n + r.blocks - 1) / r.blocks;
    r.blocks = (r.n + r.run - 1) / r.run;
    r.room = r.n / 8;
    r.counters = counters_of(&r);
    r.hist = gnd__prog_scratch(p, r.rows * r.wanted * 4 << r.bits);
    r.ctl = gnd__prog_scratch(p, r.rows * 16);
    r.open = gnd__prog_scratch(p, r.rows * r.wanted * 2 * keys);
    r.state = gnd__prog_scratch(p, r.rows * r.wanted * 8);
    r.ends = gnd__prog_scratch(p, r.rows * r.blocks * 2 * keys);
    r.few = gnd__prog_scratch(p, r.rows * r.room * keys);
    gnd__prog_fill(p, r.hist, GND_UINT32, r.rows * r.wanted << r.bits, "0");
    for (int known = 0; known < 8 * (int)size; known += r.bits) {
        count(&r, known == 0);
        find(&r, known == 0);
    }
}
