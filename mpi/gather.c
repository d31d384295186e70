/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gather.c - copies a small array to every rank by one all-gather of host memory. That takes about
 * log2(size) messages, where the mover sends one message to each rank. Partial results of
 * reductions are collected in this way, to memory of the host when they are few (fold.c).
 */
#include "ctx.h"

#include <string.h>

enum { SMALL = 1 << 16 }; /* bytes that a rank receives */

/* The size in bytes of the largest part. */
static int64_t largest(const gndm_part *p, int64_t size)
{
    gndm__box b;
    int64_t most = 0;
    for (int r = 0; r < p->ranks; r++) {
        gndm__part_box(p, r, &b);
        if (!gndm__box_empty(p->ndim, &b) && gndm__box_size(p->ndim, &b) * size > most)
            most = gndm__box_size(p->ndim, &b) * size;
    }
    return most;
}

int gndm__is_small(const gndm_array *x, const gndm_part *to)
{
    const int64_t size = (int64_t)gnd_dtype_size(x->dtype), part = largest(x->part, size);
    return x->ctx->size > 2 && !gndm__part_split_anywhere(to) &&
           gndm__part_split_anywhere(x->part) && part <= SMALL / x->ctx->size;
}

/* Copies the elements of a box, which are in C order in src, to their places in the whole array. */
static void scatter(const gndm_part *p, const gndm__box *b, int64_t size, const char *src,
                    char *dst)
{
    int64_t at[GND_MAX_NDIM];
    const int last = p->ndim - 1;
    const int64_t row = (b->stop[last] - b->start[last]) * size;
    memcpy(at, b->start, (size_t)p->ndim * sizeof *at);
    for (int d = 0; d >= 0;) {
        int64_t i = 0;
        for (int e = 0; e < p->ndim; e++)
            i = i * p->shape[e] + at[e];
        memcpy(dst + i * size, src, (size_t)row);
        src += row;
        for (d = last - 1; d >= 0 && ++at[d] == b->stop[d]; d--)
            at[d] = b->start[d];
    }
}

/* Assembles the whole array in C order. all: the parts of all ranks, `part` bytes for each. */
static void put_together(const gndm_part *p, int64_t size, int64_t part, const char *all,
                         char *whole)
{
    gndm__box b;
    for (int r = 0; r < p->ranks; r++) {
        gndm__part_box(p, r, &b);
        if (!gndm__box_empty(p->ndim, &b))
            scatter(p, &b, size, all + r * part, whole);
    }
}

gnd_status gndm__gather_host(gndm_ctx *c, gndm_array *x, void *whole)
{
    const gndm_part *p = x->part;
    const int64_t size = (int64_t)gnd_dtype_size(x->dtype), part = largest(p, size);
    char *memory = calloc(1, (size_t)(part * (c->size + 1)) + 1), text[GNDM_TEXT] = "";
    gnd_status st = GND_ERR_NOMEM;
    if (memory)
        st = gndm__host(c, x->local, memory, (size_t)(gnd_size(x->local) * size));
    snprintf(text, sizeof text, "%s", !memory ? "out of host memory" : st ? gnd_message() : "");
    st = gndm__agree(c, st, text);
    if (!st)
        st = gndm__allgather(c, memory, memory + part, (int)part);
    if (!st) {
        c->stats.exchanges++;
        c->stats.messages += (uint64_t)(c->size - 1);
        c->stats.bytes += (uint64_t)part * (uint64_t)(c->size - 1);
        c->stats.received += (uint64_t)part * (uint64_t)(c->size - 1);
        put_together(p, size, part, memory + part, whole);
    }
    if (!c->broken) /* after a timeout MPI may still write to the memory */
        free(memory);
    return st;
}

gnd_status gndm__gather_small(gndm_ctx *c, gndm_array *x, gnd_array **out)
{
    const gndm_part *p = x->part;
    char *whole = malloc((size_t)gndm_elements(x) * gnd_dtype_size(x->dtype) + 1);
    if (!whole)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    const gnd_status st = gndm__gather_host(c, x, whole);
    if (!st)
        *out = gnd_from(c->dev, x->dtype, p->ndim, p->shape, whole);
    free(whole);
    return st;
}
