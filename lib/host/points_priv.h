/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/points_priv.h - what points.c (rows), pointgroup.c (several rows at once) and columns.c
 * (folds down columns) share.
 */
#ifndef GND_HOST_POINTS_PRIV_H
#define GND_HOST_POINTS_PRIV_H

#include "host/points.h"

typedef struct gnd__runner {
    const gnd__points *p;
    char *at[GND__POINTS_ACCESS];      /* of the row's first point */
    int64_t first[GND__POINTS_ACCESS]; /* without memory: the address there */
    const char *v[GND__POINTS_VALUES]; /* of the block */
    uint8_t same[GND__POINTS_VALUES];  /* 1: equal in the whole block, of which v has the first */
    int later;                         /* 1: not the first row */
    int32_t *const *check;
    gnd__folding fold[GND__POINTS_FOLDS];
    char result[GND__POINTS_FOLDS][GND__POINTS_BLOCK * GND__POINTS_BYTES]; /* of rows */
    const char *folded[GND__POINTS_FOLDS]; /* where the results are */
    _Alignas(64) char room[GND__POINTS_VALUES * GND__POINTS_BLOCK * GND__POINTS_BYTES];
} gnd__runner;

/* The block of value i. */
static inline char *gnd__points_room(gnd__runner *r, int i)
{
    return r->room + r->p->value[i].room;
}
/* Moves r by so many rows along axis d. */
static inline void gnd__points_step(gnd__runner *r, int d, int64_t by)
{
    const gnd__points *p = r->p;
    for (int i = 0; i < p->naccess; i++) {
        if (r->at[i])
            r->at[i] += by * p->access[i].stride[d] * p->access[i].size;
        r->first[i] += by * p->access[i].stride[d];
    }
}

/* Value i of n points from `left` of the row on. */
void gnd__points_value(gnd__runner *r, int i, int64_t left, int64_t n);
/* The outputs of n points from `left` of the row on, but those that are in their place. */
void gnd__points_store(const gnd__runner *r, int64_t left, int64_t n);
/* Computes all rows along the axis before the last, p->group of them at once. */
void gnd__points_group(gnd__runner *r);
/* Folds the columns at r->at, and computes what follows from their results. */
void gnd__points_columns(gnd__runner *r);
/* Whether p only moves elements, as gnd__points_copy does, how long that takes, and that. */
int gnd__points_copies(const gnd__points *p);
int64_t gnd__points_copy_cost(const gnd__points *p);
void gnd__points_copy(const gnd__points *p, char *const *mem, const char *constant);

#endif
