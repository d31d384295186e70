/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/attention.h - softmax(q k^T) v by one kernel on GPUs, without memory for the scores.
 */
#ifndef GND_PRIM_ATTENTION_H
#define GND_PRIM_ATTENTION_H

#include "graph/graph.h"

/* What becomes of a score after its scale. KEEP: it stays where m is true, and is `fill` elsewhere.
 * DROP: it stays where m is false. ADD: m is added. PLACE: it stays where at[0] * row + at[1] *
 * column + at[2] is not negative. */
typedef enum gnd__scores {
    GND__SCORES_PLAIN,
    GND__SCORES_KEEP,
    GND__SCORES_DROP,
    GND__SCORES_ADD,
    GND__SCORES_PLACE
} gnd__scores;

/* The parts of softmax(scale * (q @ kt)) over the last axis, written as exp(s - max) / sum. */
typedef struct gnd__attention {
    gnd_array *q, *kt; /* (..., m, c) and (..., c, n) */
    gnd_array *m;      /* broadcasts to the scores; NULL for PLAIN and PLACE */
    gnd__scores how;
    int64_t at[3];
    int divide; /* by the scale, not times it */
    double scale, fill;
} gnd__attention;

/* Whether p @ v is such a product, nothing of which is computed yet, of floats of 16 or 32 bits on
 * a GPU, and with sizes that the kernel takes. Fills x with arrays that gnd__attention_drop lets go
 * of. Takes the device's lock. */
int gnd__attention_of(gnd_array *p, const gnd_array *v, gnd__attention *x);
void gnd__attention_drop(gnd__attention *x);
/* The product, of x with k (..., n, c), the transpose of x->kt. */
gnd_array *gnd__attention_node(const gnd__attention *x, gnd_array *k, gnd_array *v);

#endif
