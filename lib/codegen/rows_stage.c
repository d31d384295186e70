/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/rows_stage.c - rows that go through local memory in kernels of rows on GPUs.
 *
 * Rows of few elements, or of a length that is no multiple of a vector, are read badly by the
 * work-items that compute them: neighbours read elements that are far apart, each access touches
 * many lines of memory, and a store writes parts of lines. Where the rows of an array lie one after
 * the other, those of a group are one block. The group moves the block as it lies, in whole
 * vectors, and a work-item finds its row in local memory. The texts are shapes of
 * kernels/rows_gpu.cl.
 */
#include "codegen/holes.h"
#include "codegen/rows.h"

#include <string.h>

#define STAGE_BYTES 16384 /* local memory of a group */
#define FEWEST 64         /* work-items of a group */
#define BANKS 32          /* of 4 bytes; also the work-items whose accesses they serve together */
#define ACCESS 4          /* 128ths of a clock of a work-item's access without conflicts */

/* Whether the rows of access a lie one after the other. */
static int is_block(const gnd__kir *k, int a)
{
    const gnd__access *x = &k->access[a];
    return x->slot >= 0 && !x->epilogue && x->aligned && x->stride[0] == k->dim[1] &&
           x->stride[1] == 1 && !gnd__kir_is_indexed(k, a);
}

/* Whether blocks are faster, of rows that the work-items would read as vectors of `wide` bytes.
 * Measured on an H200. Rows that are only read must be shorter than what a warp reads at a time,
 * and not so short that lines of memory stay in the cache from load to load. Where rows are
 * written, each store of a part of a line costs as much as one of the whole; vectors of 16 bytes
 * write whole lines if rows are whole lines, and nearly so if rows are very short. */
static int pays(int64_t row, int64_t size, int64_t wide, int written)
{
    const int64_t bytes = row * size;
    if (!written)
        return wide < 16 && bytes >= 28 && bytes <= 128 && row < 32;
    if (bytes > 1024 || row > 64 * size)
        return 0;
    return wide < 16 ? bytes >= 12 : size >= 4 && row >= 10 && bytes % 128 != 0;
}

int gnd__rows_blocks(const gnd__kir *k, int vec, uint8_t *block)
{
    int bytes = 0, written = 0;
    int64_t largest = 1;
    memset(block, 0, GND__KIR_ACCESS);
    if (k->nkeep != 1 || k->nred != 1 || gnd__kir_has_boxes(k))
        return 0;
    for (int i = 0; i < k->naccess; i++) {
        const int size = (int)gnd_dtype_size((gnd_dtype)k->access[i].dtype);
        if (!is_block(k, i))
            continue;
        block[i] = 1;
        bytes += size;
        written |= gnd__cg_is_output(k, i);
        largest = size > largest ? size : largest;
    }
    if (pays(k->dim[1], largest, vec * largest, written))
        return bytes;
    memset(block, 0, GND__KIR_ACCESS);
    return 0;
}

/* The clocks in which the banks of local memory serve an access of 32 work-items: the most words of
 * one bank. */
static int conflicts(int64_t row, int lanes, int size)
{
    int64_t word[BANKS];
    int words[BANKS] = {0}, n = 0, most = 1;
    for (int i = 0; i < BANKS; i++) {
        const int64_t at = ((i / lanes) * row + i % lanes) * size / 4;
        int j = 0;
        while (j < n && word[j] != at)
            j++;
        if (j == n) {
            word[n++] = at;
            if (++words[at % BANKS] > most)
                most = words[at % BANKS];
        }
    }
    return most;
}

int64_t gnd__rows_block_cost(const gnd__kir *k, const uint8_t *block, int lanes, int nvec)
{
    int64_t n = 0;
    for (int i = 0; i < k->naccess; i++)
        if (block[i])
            n += conflicts(k->dim[1], lanes, (int)gnd_dtype_size((gnd_dtype)k->access[i].dtype));
    return n * ACCESS * lanes * nvec;
}

int gnd__rows_block_group(const gnd__target *t, int lanes, int elements, int bytes, int most)
{
    const uint64_t share = t->props->local_bytes / 4,
                   room = share < STAGE_BYTES ? share : STAGE_BYTES;
    int local = most;
    while (local > FEWEST && (uint64_t)(local / lanes) * (uint64_t)(elements * bytes) > room)
        local /= 2;
    return local >= lanes && (uint64_t)(local / lanes) * (uint64_t)(elements * bytes) <= room
               ? local
               : 0;
}

/* The elements of a vector that moves a block of `rows` rows of any length. */
static int vector_of(const gnd__kir *k, int access, int rows)
{
    int n = 16 / (int)gnd_dtype_size((gnd_dtype)k->access[access].dtype);
    while (rows % n)
        n /= 2;
    return n;
}

void gnd__rows_block_arrays(gnd__cg *c, const gnd__rows *w)
{
    const int rows = w->local / w->lanes, row = w->lanes * w->nvec * w->vec;
    for (int i = 0; i < c->k->naccess; i++) {
        const int size = (int)gnd_dtype_size((gnd_dtype)c->k->access[i].dtype);
        if (c->vector.block[i])
            gnd__cg_shared(c, "uint4", 16, (rows * row * size + 15) / 16, "L%d", i);
    }
}

void gnd__rows_block_rows(gnd__cg *c)
{
    for (int i = 0; i < c->k->naccess; i++) {
        const char *type = gnd__ctype_mem((gnd_dtype)c->k->access[i].dtype);
        if (c->vector.block[i])
            gnd__cgf(c, "    GND_LOCAL_PTR %s *const h%d = (GND_LOCAL_PTR %s *)L%d + mine;\n", type,
                     i, type, i);
    }
}

void gnd__rows_block_moves(gnd__cg *c, const gnd__rows *w, int outputs)
{
    const int rows = w->local / w->lanes, row = w->lanes * w->nvec * w->vec;
    for (int i = 0; i < c->k->naccess; i++) {
        const gnd_dtype t = (gnd_dtype)c->k->access[i].dtype;
        const int per = vector_of(c->k, i, rows);
        if (!c->vector.block[i] || gnd__cg_is_output(c->k, i) != outputs)
            continue;
        const gnd__hole own[] = {
            {"at", .number = i},
            {"type", .text = gnd__ctype_mem(t)},
            {"raw", .text = gnd__cg_raw((size_t)per * gnd_dtype_size(t))},
            {"per", .number = per},
            {"group", .number = w->local},
            {"rounds", .number = (rows * row / per + w->local - 1) / w->local},
        };
        gnd__cg_shape_of(c, outputs ? "rows_gpu_put" : "rows_gpu_get", own, c);
    }
}
