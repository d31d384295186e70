/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/points_priv.h - what points.c (rows) and columns.c (folds down columns) share.
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
    char result[GND__POINTS_FOLDS][GND__POINTS_BYTES];
    const char *folded[GND__POINTS_FOLDS]; /* where the results are */
    _Alignas(64) char room[GND__POINTS_VALUES][GND__POINTS_BLOCK * GND__POINTS_BYTES];
} gnd__runner;

/* Value i of n points from `left` of the row on. */
void gnd__points_value(gnd__runner *r, int i, int64_t left, int64_t n);
/* The outputs of n points from `left` of the row on, but those that are in their place. */
void gnd__points_store(const gnd__runner *r, int64_t left, int64_t n);
/* Folds the columns at r->at, and computes what follows from their results. */
void gnd__points_columns(gnd__runner *r);

#endif
