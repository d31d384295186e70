/* SPDX-License-Identifier: BSD-3-Clause
 *
 * join.h - joins and rearrangements of distributed arrays, for handlers of functions: they are made
 * of slices, which send nothing, and of one function that joins arrays.
 */
#ifndef GNDM_JOIN_H
#define GNDM_JOIN_H

#include "shuffle.h"

/* n > 0 arrays joined along an axis, in dtype t. Their other extents are equal. Where the axis is
 * split, the result is cut where the sum of the operands' cuts is. Never NULL; an operand that
 * holds an error is the result. */
gndm_array *gndm__concat(gndm_ctx *c, int n, gndm_array *const *x, int axis, gnd_dtype t);
/* x rolled by `shift` places along an axis; from its end to its beginning (fn_shift.c). Never
 * NULL. */
gndm_array *gndm__rolled(gndm_ctx *c, gndm_array *x, int axis, int64_t shift);
gndm_array *gndm__flipped(gndm_ctx *c, gndm_array *x, uint32_t axes);
/* x broadcast to a shape, in the partition `part` of that shape. Never NULL. */
gndm_array *gndm__broadcast(gndm_ctx *c, gndm_array *x, gndm_part *part);
/* The diagonal of the matrices in two axes, as the last axis (fn_diagonal.c). Never NULL. */
gndm_array *gndm__diagonal(gndm_ctx *c, gndm_array *x, int64_t k, int axis1, int axis2);
/* The differences of neighbours along an axis, or their exclusive or of bools (fn_slope.c). Never
 * NULL. */
gndm_array *gndm__differences(gndm_ctx *c, gndm_array *x, int axis);

#endif
