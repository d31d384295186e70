/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/check.h - more checks of arguments than graph.h names, shared by graph/infer.c and the public functions.
 * Those that return an array return NULL when all is well, else a new error node.
 */
#ifndef GND_GRAPH_CHECK_H
#define GND_GRAPH_CHECK_H

#include "graph/graph.h"

/* "(3, 4)", cut with "...)" where it does not fit. Returns buf. */
#define GND__SHAPE_TEXT 160
const char *gnd__shape_text(char buf[GND__SHAPE_TEXT], int ndim, const int64_t *dim);

/* As gnd__check, and x is an array of a device, not a weak scalar. */
gnd_array *gnd__check_strong(const gnd_array *x, const char *func, const char *arg);
/* n >= 1 arrays in x, all usable, at least one of a device if strong; their device in *dev. */
gnd_array *gnd__check_list(const char *func, int n, gnd_array *const *x, gnd_device **dev);
/* A shape given by the user, for elements of dtype t: not NULL, no negative extent, at most 32
 * dimensions, no overflow. */
gnd_array *gnd__check_shape(const char *func, gnd_device *dev, gnd_dtype t, int ndim,
                            const int64_t *dim);
/* dtype t is one, and dev has it. */
gnd_array *gnd__check_type(const char *func, gnd_device *dev, gnd_dtype t);
/* axis in [-ndim, ndim) to *k in [0, ndim). */
gnd_array *gnd__check_axis(const char *func, gnd_device *dev, int axis, int ndim, int *k);
/* A bit set of axes of ndim dimensions to a mask. */
gnd_array *gnd__check_axes(const char *func, gnd_device *dev, gnd_axes axes, int ndim,
                           uint32_t *mask);
/* The common shape of n arrays in *out, for a result of dtype t. */
gnd_array *gnd__check_broadcast(const char *func, gnd_device *dev, gnd_dtype t, int n,
                                gnd_array *const *x, gnd__shape *out);

/* The dtype of a weak scalar of this kind when nothing else decides: bool, int64, dev's default
 * float, and complex of that. */
gnd_dtype gnd__weak_dtype(const gnd_device *dev, int kind);
/* The two steps of gnd__common_dtype, for operands that are no arrays. Adds x to a set of dtypes (bit
 * t: dtype t), or its kind to *weak, the strongest kind of weak scalars (0: there is none) ... */
void gnd__operand_dtype(const gnd_array *x, uint32_t *set, int *weak);
/* ... and what those promote to. */
gnd_dtype gnd__promote_all(const gnd_device *dev, uint32_t set, int weak);
/* The common dtype of n arrays by promotion, weak ones as such; float64 that only promotion asks
 * for is float32 on a device without it. When all are weak: gnd__weak_dtype of the strongest kind.
 */
gnd_dtype gnd__common_dtype(const gnd_device *dev, int n, gnd_array *const *x);
/* x as an array of dev and dtype t: weak scalars become constants, others are cast. A new handle,
 * or an error. */
gnd_array *gnd__as_strong(gnd_array *x, gnd_device *dev, gnd_dtype t, const char *func);
/* x (a usable array of a device) seen in a larger shape that it broadcasts to; x itself, as a new
 * handle, when it has it. */
gnd_array *gnd__broadcast(gnd_array *x, int ndim, const int64_t *dim);
/* A 0-d constant of dev and dtype t seen in that shape. */
gnd_array *gnd__filled(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       const gnd__scalar *v);

/* NULL when dev is usable; else a new error node: GND_ERR_NULL "func: the device is NULL", or the
 * device's own error. */
gnd_array *gnd__check_device(const char *func, gnd_device *dev);

#endif
