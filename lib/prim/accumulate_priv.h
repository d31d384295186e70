/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/accumulate_priv.h - declarations shared by accumulate.c (ints, extremes, distribution of
 * values over work-items) and accumulate_floats.c (sums of floats).
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
/* Sums of floats and complex numbers. */
void gnd__acc_floats(gnd__prog *p);

static inline int64_t gnd__acc_ceil(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static inline int64_t gnd__acc_units(const gnd__prog *p)
{
    return p->t->props->compute_units ? (int64_t)p->t->props->compute_units : 1;
}

#endif
