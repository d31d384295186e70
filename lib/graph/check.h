/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/check.h - checks of arguments beyond those in graph.h, for graph/infer.c and the public
 * functions. Those that return an array return NULL on success, else a new error node.
 */
#ifndef GND_GRAPH_CHECK_H
#define GND_GRAPH_CHECK_H

#include "graph/graph.h"

/* Writes a shape, "(3, 4)", cut to end in "...)" if it is too long. Returns buf. */
#define GND__SHAPE_TEXT 160
const char *gnd__shape_text(char buf[GND__SHAPE_TEXT], int ndim, const int64_t *dim);

/* Like gnd__check of argument "list[i]", whose name is only made for a message. */
gnd_array *gnd__check_item(const gnd_array *x, const char *func, const char *list, int i);
/* Like gnd__check; x must also be an array of a device, not a weak scalar. */
gnd_array *gnd__check_strong(const gnd_array *x, const char *func, const char *arg);
/* Checks n >= 1 arrays in x. If strong, at least one must belong to a device. *dev becomes their
 * device. */
gnd_array *gnd__check_list(const char *func, int n, gnd_array *const *x, gnd_device **dev);
/* Checks a shape that the user gave for elements of dtype t: not NULL, no negative extent, at most
 * 32 dimensions, no overflow. */
gnd_array *gnd__check_shape(const char *func, gnd_device *dev, gnd_dtype t, int ndim,
                            const int64_t *dim);
/* Checks that t is a dtype and that dev supports it. */
gnd_array *gnd__check_type(const char *func, gnd_device *dev, gnd_dtype t);
/* Maps axis in [-ndim, ndim) to *k in [0, ndim). */
gnd_array *gnd__check_axis(const char *func, gnd_device *dev, int axis, int ndim, int *k);
/* Converts a set of axes of ndim dimensions to a mask. */
gnd_array *gnd__check_axes(const char *func, gnd_device *dev, gnd_axes axes, int ndim,
                           uint32_t *mask);
/* Broadcasts n arrays to their common shape *out, for a result of dtype t. */
gnd_array *gnd__check_broadcast(const char *func, gnd_device *dev, gnd_dtype t, int n,
                                gnd_array *const *x, gnd__shape *out);

/* The dtype of a weak scalar of this kind if nothing else decides: bool, int64, dev's default
 * float, or the complex dtype of that. */
gnd_dtype gnd__weak_dtype(const gnd_device *dev, int kind);
/* The two steps of gnd__common_dtype, for operands that are not all in one list of arrays. First:
 * adds x's dtype to a set (bit t: dtype t), or its kind to *weak, the strongest kind of the weak
 * scalars (0: none). */
void gnd__operand_dtype(const gnd_array *x, uint32_t *set, int *weak);
/* Second: the dtype to which these promote. */
gnd_dtype gnd__promote_all(const gnd_device *dev, uint32_t set, int weak);
/* The common dtype of n arrays by promotion, with weak scalars as such. float64 that results only
 * from promotion becomes float32 on a device without float64. If all are weak: gnd__weak_dtype of
 * the strongest kind. */
gnd_dtype gnd__common_dtype(const gnd_device *dev, int n, gnd_array *const *x);
/* v in dtype t. It must fit. */
gnd__scalar gnd__converted(const gnd__scalar *v, gnd_dtype t);
/* x as an array of dev and dtype t: weak scalars become constants, other arrays are cast. Returns a
 * new handle or an error. */
gnd_array *gnd__as_strong(gnd_array *x, gnd_device *dev, gnd_dtype t, const char *func);
/* x (a usable array of a device) broadcast to a larger shape. If x has that shape, a new handle to
 * x. */
gnd_array *gnd__broadcast(gnd_array *x, int ndim, const int64_t *dim);
/* A 0-d constant of dev and dtype t, broadcast to that shape. */
gnd_array *gnd__filled(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       const gnd__scalar *v);

/* NULL if dev is usable; else a new error node: GND_ERR_NULL "func: the device is NULL", or the
 * device's own error. */
gnd_array *gnd__check_device(const char *func, gnd_device *dev);

#endif
