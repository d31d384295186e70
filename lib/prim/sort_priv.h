/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/sort_priv.h - between the files of the sorts: sort.c (elements, choice), sort_long.c (passes
 * over long rows), sort_rows.c (rows that a group or a work-item sorts).
 */
#ifndef GND_PRIM_SORT_PRIV_H
#define GND_PRIM_SORT_PRIV_H

#include "prim/prim.h"

typedef struct gnd__sorter {
    gnd__prog *p;
    gnd_dtype t; /* of the input */
    int arg, descending;
    int64_t rows, n, from, keep; /* of each row the result has `keep` places from `from` on */
    int esize;                   /* bytes of an element that the kernels move */
    int digits;                  /* the number of 8-bit digits of a key */
    int wide;                    /* counts and positions have 64 bits */
    size_t tpg, ipt;             /* work-items per group; elements per work-item of a tile */
} gnd__sorter;

/* What the kernels move: values, or with s->arg pairs of a key and an index; or always such pairs.
 */
enum { GND__SORT_OWN, GND__SORT_KEYED };
/* Appends the parameters and macros that describe elements. elem: GND__SORT_*; first: this kernel
 * computes the elements from the input. */
void gnd__sort_defs(gnd__sorter *s, int first, int elem);
/* Appends the parameters that tell which places of a row the result has. */
void gnd__sort_keep_params(gnd__sorter *s);
/* Appends the macros UNROLL and UNROLL8. */
void gnd__sort_unroll_defs(gnd__prog *p);
/* Appends DIGITS, DWORDS and digits(). */
void gnd__sort_digit_defs(gnd__sorter *s);
/* GPUs: sets s->tpg and s->ipt so that the tile of a group holds n elements, or is as large as
 * possible. Returns 0 if no group of the device can sort a tile. */
int gnd__sort_tile(gnd__sorter *s, int64_t n);
/* Appends the macros of a tile. */
void gnd__sort_tile_defs(gnd__sorter *s);
/* The dtype of scratch memory for elements. */
gnd_dtype gnd__sort_mem(const gnd__sorter *s);

/* Appends the macros with which a group ranks digits in ROWS rows of 32 work-items, and the number
 * of groups that must be resident: work-items then have 64 registers. */
void gnd__sort_warp_defs(gnd__sorter *s);

void gnd__sort_long(gnd__sorter *s);
enum {
    GND__SORT_SHORT = 64,  /* the longest rows of gnd__sort_short */
    GND__SORT_SELECT = 256 /* the most elements that gnd__sort_select keeps */
};
/* GPUs: the first elements of rows that fit into a tile. */
void gnd__sort_select(gnd__sorter *s);
/* Short rows. */
void gnd__sort_short(gnd__sorter *s);
/* Rows that fit into a tile of a GPU, or that one work-item of a CPU sorts. */
void gnd__sort_rows(gnd__sorter *s);
/* GPUs: rows that fit into the registers of a group. Returns 0 if they do not fit, or are too short
 * for this method. */
int gnd__sort_warps(gnd__sorter *s);

static inline int64_t gnd__ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

#endif
