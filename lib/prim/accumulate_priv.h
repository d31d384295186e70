/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/accumulate_priv.h - declarations shared by accumulate.c (ints, extremes, distribution of
 * values over work-items), accumulate_floats.c (sums of floats) and accumulate_rows.c (of rows).
 */
#ifndef GND_PRIM_ACCUMULATE_PRIV_H
#define GND_PRIM_ACCUMULATE_PRIV_H

#include "prim/prim.h"

typedef struct gnd__acc {
    gnd__prog *p;
    int64_t n, m; /* values, places */
    int own;      /* number of work-items with places of their own; 0: atomics */
    int nb;       /* number of places in local memory, as a constant of the text */
    int64_t per;  /* values per group */
    int64_t groups;
    size_t local; /* work-items per group */
} gnd__acc;

/* Sums of floats and complex numbers. */
typedef struct gnd__accsums {
    gnd__acc w;
    gnd_dtype t, real;
    int parts, words, bits, low; /* bits: L, low: K of kernels/accumulate.cl */
    int acc, top, odd, all;      /* scratch */
    /* if values are dealt out: places of a bin (2^shift) and number of bins, as in the text; words
     * of a value, values of a work-item, tiles; scratch: for each bin, whether it has too many
     * values (else -1) */
    int shift, nbins, vw, ipt, big;
    int64_t bins, tiles;
} gnd__accsums;

/* Sets the groups over all values: many work-items with a few values each, or one with many. */
void gnd__acc_spread(gnd__acc *w);
/* Chooses how to add into m places of that many bytes each. */
gnd__acc gnd__acc_choose(gnd__prog *p, int64_t bytes);
/* Bytes of positions and values. */
int64_t gnd__acc_reads(const gnd__acc *w);
/* The first ends a kernel that processes all values, the second one with a work-item for each of n
 * elements. */
void gnd__acc_end_values(const gnd__acc *w, int64_t wr);
void gnd__acc_end_each(const gnd__acc *w, int64_t n, int64_t rd, int64_t wr);
/* Writes to buf the name of the function that adds a t in global memory. */
const char *gnd__acc_atomic(const gnd__prog *p, gnd_dtype t, char buf[32]);
/* Writes what is added to, or zeros, to the result. */
void gnd__acc_base(gnd__prog *p);
/* Adds the positions of all values to the kernel, as IN_pos. */
void gnd__acc_pos(gnd__prog *p);
/* Sums of floats and complex numbers. */
void gnd__acc_floats(gnd__prog *p);
/* Add macros of the texts: all but those that convert a place's sum to its result, and these. */
void gnd__acc_macros(const gnd__accsums *s);
void gnd__acc_totals(const gnd__accsums *s);
/* Adds up rows whose numbers are ordered by place first (kernels/deal_rows.cl), if that is faster.
 * Returns 1, or 0: nothing is written. */
int gnd__acc_by_rows(gnd__accsums *s);

static inline int64_t gnd__acc_ceil(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static inline int64_t gnd__acc_units(const gnd__prog *p)
{
    return p->t->props->compute_units ? (int64_t)p->t->props->compute_units : 1;
}

#endif
