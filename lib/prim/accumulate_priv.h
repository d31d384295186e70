/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/accumulate_priv.h - between the files of sums and extremes by index: accumulate.c (ints, extremes, how
 * values are spread over work-items), accumulate_floats.c (sums of floats).
 */
#ifndef GND_PRIM_ACCUMULATE_PRIV_H
#define GND_PRIM_ACCUMULATE_PRIV_H

#include "prim/prim.h"

typedef struct gnd__acc {
    gnd__prog *p;
    int64_t n, m;    /* values, places */
    int own;         /* work-items with places of their own; 0: atomics */
    int nb;          /* places in local memory, as the text has it; 0: not there */
    int64_t per;     /* values of a group */
    int64_t groups;
    size_t local;    /* work-items of a group */
} gnd__acc;

/* Groups over all values: of many work-items with a few values each, or of one with many. */
void gnd__acc_spread(gnd__acc *w);
/* How to add into m places of so many bytes. */
gnd__acc gnd__acc_choose(gnd__prog *p, int64_t bytes);
/* Bytes of positions and values. */
int64_t gnd__acc_reads(const gnd__acc *w);
/* Ends a kernel that goes over all values; one with a work-item for each of n elements. */
void gnd__acc_end_values(const gnd__acc *w, int64_t wr);
void gnd__acc_end_each(const gnd__acc *w, int64_t n, int64_t rd, int64_t wr);
/* The function that adds a t in global memory, in buf. */
const char *gnd__acc_atomic(const gnd__prog *p, gnd_dtype t, char buf[32]);
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
