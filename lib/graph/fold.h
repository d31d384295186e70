/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/fold.h - declarations shared by fold.c, fold_complex.c and fold_special.c; gnd__fold itself
 * is in graph.h.
 */
#ifndef GND_GRAPH_FOLD_H
#define GND_GRAPH_FOLD_H

#include "base/dtype.h"
#include "graph/opset.h"

/* The results of gnd__fold other than 0: op does not take the kinds; an int result fits neither
 * int64 nor uint64. */
enum { GND__FOLD_REFUSED = -1, GND__FOLD_TOO_LARGE = -2 };

typedef struct gnd__cplx {
    double re, im;
} gnd__cplx;

/* Computes op on complex values; GND__FOLD_REFUSED if op does not take them. */
int gnd__fold_complex(gnd__op op, const gnd__cplx *x, gnd__scalar *out);

/* Computes those operations on float values that fold.c leaves to it; GND__FOLD_REFUSED if op does
 * not take them. */
int gnd__fold_special(gnd__op op, double a, double b, gnd__scalar *out);

#endif
