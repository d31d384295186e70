/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/dlpack.h - what dlpack.c (copies) and dlpack_share.c (shared memory) have in common.
 */
#ifndef GND_ARRAY_DLPACK_H
#define GND_ARRAY_DLPACK_H

#include "array/native.h"
#include <gnd/dlpack.h>

/* The type code of a dtype, and the dtype of a tensor (GND_DTYPE_DEFAULT: no dtype fits). */
uint8_t gnd__dl_code(gnd_dtype t);
gnd_dtype gnd__dl_dtype(const gnd_dl_tensor *t);
/* The layout of the elements of x, of dtype t; x is not empty. -1: the strides leave 64 bits. CuPy
 * (14.2) divides the bytes of a stride by an unsigned size, so its stride of -1 element of 4 bytes
 * is 2^62 - 1 in a CUDA tensor. No other tensor has such a stride, so it is read as the original
 * negative one. */
int gnd__dl_reach(const gnd_dl_tensor *x, gnd_dtype t, gnd__reach *r);
/* Makes a copy of a tensor, as gnd_from_dlpack does. */
gnd_array *gnd__dl_copy(gnd_device *dev, const gnd_dl_tensor *x);
/* NULL, or the error of a structure that is NULL or of another version. */
gnd_array *gnd__dl_check(gnd_device *dev, const gnd_dl_versioned *v);
gnd_array *gnd__dl_check_legacy(gnd_device *dev, const gnd_dl_managed *m);

#endif
