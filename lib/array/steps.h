/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/steps.h - public functions that are made of other functions: the list of handles that one
 * makes on its way, so that none is lost and the code reads as the formula. A step takes arrays
 * that may hold errors and passes the first one on; it gives an array that the list owns.
 *
 *     gnd__steps s = {0};
 *     gnd_array *d = gnd__op2(&s, GND__OP_SUBTRACT, x, gnd__held(&s, gnd_mean(x, axes, 0)));
 *     return gnd__end(&s, gnd__op1(&s, GND__OP_ABS, d));
 */
#ifndef GND_ARRAY_STEPS_H
#define GND_ARRAY_STEPS_H

#include "graph/graph.h"

typedef struct gnd__steps {
    int n, cap; /* cap: of more, 0 before it is needed */
    gnd_array **more;
    gnd_array *first[24];
} gnd__steps;

/* Hands the handle x over to the list and gives it back; the out-of-memory error when the list
 * cannot grow. */
gnd_array *gnd__held(gnd__steps *s, gnd_array *x);
/* The end: y becomes the caller's, a handle of its own when it is not of the list, and every other
 * handle is let go. */
gnd_array *gnd__end(gnd__steps *s, gnd_array *y);

/* Elementwise operations; arguments may be weak scalars. */
gnd_array *gnd__op1(gnd__steps *s, gnd__op op, gnd_array *a);
gnd_array *gnd__op2(gnd__steps *s, gnd__op op, gnd_array *a, gnd_array *b);
gnd_array *gnd__op3(gnd__steps *s, gnd__op op, gnd_array *a, gnd_array *b, gnd_array *c);
/* The weak scalar v. */
gnd_array *gnd__number(gnd__steps *s, double v);
/* x op v. */
gnd_array *gnd__with(gnd__steps *s, gnd__op op, gnd_array *x, double v);
/* x as dtype t, x itself when it has it; nothing is checked. */
gnd_array *gnd__as(gnd__steps *s, gnd_array *x, gnd_dtype t);
/* Elements start to start + count of axis k of x. */
gnd_array *gnd__cut(gnd__steps *s, gnd_array *x, int k, int64_t start, int64_t count);
/* x, of one axis, as axis k of an array of ndim axes, the others of extent 1. */
gnd_array *gnd__along(gnd__steps *s, gnd_array *x, int ndim, int k);
/* |x|^2, real. */
gnd_array *gnd__abs2(gnd__steps *s, gnd_array *x);

/* --- reductions ------------------------------------------------------------------------------- */

/* x, flags and axes of a public function that reduces; *mask gets the axes. NULL, or the error. */
gnd_array *gnd__check_reduction(const char *func, gnd_array *x, gnd_axes axes, unsigned flags,
                                uint32_t *mask);
/* The number of elements that go into one of the result. */
int64_t gnd__count_of(const gnd_array *x, uint32_t mask);
/* The shape of the result; returns its number of axes. */
int gnd__reduced_dims(const gnd_array *x, uint32_t mask, unsigned flags, int64_t *dim);
/* What means are computed in: ints in dev's default float, 16-bit floats in float32. */
gnd_dtype gnd__wide_float(const gnd_device *dev, gnd_dtype t);
/* What they are given as: the same, but 16-bit floats as themselves. */
gnd_dtype gnd__mean_float(const gnd_device *dev, gnd_dtype t);
/* t, or without the float64 that promotion alone has brought where dev has none. */
gnd_dtype gnd__within(const gnd_device *dev, gnd_dtype t);
/* What t and dev's default float promote to. */
gnd_dtype gnd__default_with(const gnd_device *dev, gnd_dtype t);

#endif
