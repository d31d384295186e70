/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/einsum.h - declarations shared by the parts of gnd_einsum: the parsed subscripts
 * (einsum_parse.c), the order of the contractions (einsum_path.c), and the nodes made in that order
 * (einsum.c).
 *
 * A label is a number that stands for a letter, or for one of the axes under an ellipsis. An axis
 * of extent 1 broadcasts whatever its label, so it is left out: the sets of labels below hold only
 * labels of extent 0, or of 2 and more, whose extent is the same in all operands.
 */
#ifndef GND_OPS_LINALG_EINSUM_H
#define GND_OPS_LINALG_EINSUM_H

#include "graph/graph.h"
#include <gnd/linalg.h>

enum { GND__EIN_LABELS = 64 }; /* bits of a set */

typedef struct gnd__ein {
    const char *func, *text; /* for messages */
    gnd_device *dev;
    int n, nlabel;
    int ell;                      /* axes under an ellipsis, the maximum of all operands */
    char letter[GND__EIN_LABELS]; /* for each label; '.' under an ellipsis */
    int64_t extent[GND__EIN_LABELS];
    int8_t first[GND__EIN_LABELS][2]; /* the operand and axis that determined the extent */
    int8_t axis[GND_EINSUM_OPERANDS][GND_MAX_NDIM]; /* the label of each axis */
    uint64_t set[GND_EINSUM_OPERANDS];              /* labels of an operand */
    int nout;
    int8_t out[GND_MAX_NDIM]; /* the labels of the result */
    uint64_t out_set;
    int nstep; /* n - 1: step s makes operand n + s from two earlier
                  ones */
    int8_t step[GND_EINSUM_OPERANDS][2];
    double naive, flops, largest; /* operations in one loop over all labels, in this order of
                                     contractions; elements of the largest operand made */
} gnd__ein;

static inline int gnd__ein_count(uint64_t set)
{
    return __builtin_popcountll(set);
}

/* Parses the subscripts of n operands x. NULL, or an error node. */
gnd_array *gnd__ein_parse(gnd__ein *e, const char *func, const char *subscripts, int n,
                          gnd_array *const *x);
/* Chooses the order. Returns 0, or -1 if out of memory. */
int gnd__ein_order(gnd__ein *e);
/* The labels of operand i that remain when all labels are summed that neither another operand
 * nor the result has. set: of 2n operands, including those that steps make; live: which of them
 * exist. */
uint64_t gnd__ein_left(const gnd__ein *e, const uint64_t *set, int i, const uint8_t *live);
/* The product of the extents of a set. */
double gnd__ein_size(const gnd__ein *e, uint64_t set);
/* The sum of a * b, which broadcast, over axes (of the result), as dtype t (products.c). 16-bit
 * floats are multiplied in float32 and rounded once. */
gnd_array *gnd__sum_of_products(gnd_array *a, gnd_array *b, gnd_axes axes, gnd_dtype t);

#endif
