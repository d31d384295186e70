/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/compact.c - see compact.h; the texts are in kernels/compact.cl. There are three kernels:
 * bits and counts of blocks, a scan of the counts by few groups, and the requested result, block by
 * block, so that reads and writes are local.
 */
#include "prim/compact.h"

#include <string.h>
#include "codegen/prelude.h"
#include "prim/prim.h"

enum { BLOCK = 4096, GROUP = 256, SCAN_GROUP = 1024, SCAN_GROUPS = 64 };
enum { POSITIONS, VALUES, RANKS };

static int64_t blocks(int64_t n)
{
    return n / BLOCK + (n % BLOCK != 0);
}

int64_t gnd__mask_count_at(int64_t n)
{
    return blocks(n);
}

gnd_array *gnd__mask_node(gnd_array *mask)
{
    gnd__primargs a;
    int64_t nb = blocks(mask->size), size = nb + 1 + nb * (BLOCK / 64);
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_MASK;
    a.mode[0] = GND__IN_ONCE;
    return gnd__prim_node(mask->dev, &a, GND_INT64, 1, &size, 1, &mask);
}

static gnd_array *select_node(gnd_array *table, gnd_array *x, int what, int64_t n, int64_t size,
                              gnd_dtype t)
{
    gnd__primargs a;
    gnd_array *in[2] = {table, x};
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_SELECT;
    a.mode[0] = GND__IN_MEM;
    a.mode[1] = GND__IN_ONCE;
    a.n[0] = what;
    a.n[1] = n;
    return gnd__prim_node(table->dev, &a, t, 1, &size, x ? 2 : 1, in);
}

gnd_array *gnd__mask_positions(gnd_array *table, int64_t n, int64_t count, gnd_dtype t)
{
    return select_node(table, NULL, POSITIONS, n, count, t);
}

gnd_array *gnd__mask_values(gnd_array *table, gnd_array *x, int64_t count)
{
    return select_node(table, x, VALUES, x->size, count, (gnd_dtype)x->dtype);
}

gnd_array *gnd__mask_ranks(gnd_array *table, int64_t n)
{
    return select_node(table, NULL, RANKS, n, n, n < INT32_MAX ? GND_INT32 : GND_INT64);
}

/* --- programs --------------------------------------------------------------------------------- */

/* Blocks per work-item on a CPU: few work-items with equal shares. */
static int64_t share(const gnd__prog *p, int64_t nb)
{
    int64_t items = 4 * (int64_t)p->t->props->compute_units;
    return nb / items + (nb % items != 0);
}

/* Whether groups of GROUP work-items process a block each; otherwise single work-items do. */
static int by_groups(const gnd__prog *p)
{
    return !p->t->cpu && gnd__prog_group(p, GROUP) == GROUP;
}

static void end_blocks(gnd__prog *p, int64_t nb, int64_t per, int64_t rd, int64_t wr)
{
    if (by_groups(p))
        gnd__pk_end1(p, nb, GROUP, rd, wr);
    else
        gnd__pk_end1(p, nb / per + (nb % per != 0), 1, rd, wr);
}

void gnd__prim_mask(gnd__prog *p)
{
    int64_t n = p->in[0].size, nb = blocks(n), per = share(p, nb);
    if (n == 0) {
        gnd__prog_fill(p, -1, GND_INT64, p->size, "0");
        return;
    }
    if (p->in[0].dtype == GND_BOOL)
        p->native = (gnd__native){.what = GND__NATIVE_MASK, .n = n};
    const int groups = by_groups(p);
    const int counts = groups ? gnd__prog_scratch(p, nb * 4) : -1;
    gnd__pk_begin(p, "k_bits");
    gnd__pk_out(p, "t");
    if (groups)
        gnd__pk_mem(p, "c", counts, GND_INT32);
    gnd__pk_in(p, "mask", 0);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "nb", nb);
    if (!groups)
        gnd__pk_int(p, "per", per);
    if (groups)
        gnd__pk_defs(p, "mask_vote", GND_INT64);
    gnd__pk_body(p, groups ? "mask_bits" : "mask_bits_own", GND_INT64);
    end_blocks(p, nb, per, gnd__prog_reads(p, 0), p->size * 8);
    gnd__pk_begin(p, "k_scan");
    gnd__pk_out(p, "t");
    if (groups)
        gnd__pk_mem(p, "c", counts, GND_INT32);
    gnd__pk_int(p, "nb", nb);
    if (groups) {
        const int64_t size = (int64_t)gnd__prog_group(p, SCAN_GROUP), most = SCAN_GROUPS * size;
        const int64_t each = (nb + most - 1) / most * size;
        gnd__pk_int(p, "per", each);
        gnd__pk_body(p, "mask_scan", GND_INT64);
        gnd__pk_end1(p, (nb + each - 1) / each, (size_t)size, nb * 4, nb * 8);
    } else {
        gnd__pk_body(p, "mask_scan_own", GND_INT64);
        gnd__pk_end1(p, 1, 1, nb * 8, nb * 8);
    }
}

void gnd__prim_select(gnd__prog *p)
{
    int what = (int)p->args->n[0], groups = by_groups(p);
    int64_t n = p->args->n[1], nb = blocks(n), per = share(p, nb);
    if (p->size == 0)
        return;
    p->native = (gnd__native){.what = GND__NATIVE_SELECT, .op = what, .t = p->dtype, .n = n};
    gnd__pk_begin(p, "k_select");
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "t", 0);
    if (what == VALUES)
        gnd__pk_in(p, "x", 1);
    gnd__pk_int(p, "nb", nb);
    if (what == VALUES)
        gnd__pk_def(p, "#define PICK(i) IN_x(i)\n");
    else if (what == POSITIONS)
        gnd__pk_def(p, "#define PICK(i) (%s)(i)\n", gnd__ctype_value(p->dtype));
    else
        gnd__pk_int(p, "n", n);
    if (groups)
        gnd__pk_body(p, "select_at", p->dtype);
    else
        gnd__pk_int(p, "per", per);
    gnd__pk_body(p,
                 what == RANKS ? groups ? "select_rank" : "select_rank_own"
                 : groups      ? "select_out"
                               : "select_out_own",
                 p->dtype);
    end_blocks(p, nb, per, nb * 8 + n / 8 + (what == VALUES ? gnd__prog_reads(p, 1) : 0),
               p->size * (int64_t)gnd_dtype_size(p->dtype));
}
