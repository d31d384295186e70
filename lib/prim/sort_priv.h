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
    int64_t rows, n, keep;
    int esize;       /* bytes of an element that the kernels move */
    int digits;      /* of a key, 8 bits each */
    int wide;        /* counts and positions of 64 bits */
    size_t tpg, ipt; /* work-items of a group, elements of each in a tile */
} gnd__sorter;

/* Appends the parameters and macros that describe elements. elem: GND__SORT_*; first: the elements
 * are computed from the input. */
enum {
    GND__SORT_OWN,
    GND__SORT_KEYED
}; /* values or keyed ones, as s->arg says; always keyed ones */
void gnd__sort_defs(gnd__sorter *s, int first, int elem);
/* UNROLL and UNROLL8. */
void gnd__sort_unroll_defs(gnd__sorter *s);
/* DIGITS, DWORDS and digits(). */
void gnd__sort_digit_defs(gnd__sorter *s);
/* GPU: sets s->tpg and s->ipt so that a group's tile holds n elements, or is the largest there can
 * be. 0: the device cannot have groups that sort a tile. */
int gnd__sort_tile(gnd__sorter *s, int64_t n);
/* The macros of a tile. */
void gnd__sort_tile_defs(gnd__sorter *s);
/* The dtype of memory for elements. */
gnd_dtype gnd__sort_mem(const gnd__sorter *s);

/* ROWS of 32 work-items, and how those rank digits; resident groups of 64 registers. */
void gnd__sort_warp_defs(gnd__sorter *s);

void gnd__sort_long(gnd__sorter *s);
/* Rows of up to GND__SORT_SHORT elements; rows that a tile holds, or a work-item of a CPU sorts. */
enum { GND__SORT_SHORT = 64 };
/* GPU: at most so many first places of rows that a tile holds. */
enum { GND__SORT_SELECT = 256 };
void gnd__sort_select(gnd__sorter *s);
void gnd__sort_short(gnd__sorter *s);
void gnd__sort_rows(gnd__sorter *s);
/* GPU: long rows that a group's registers hold. 0: they do not, or are too short to be sorted so.
 */
int gnd__sort_warps(gnd__sorter *s);

static inline int64_t gnd__ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

#endif
