/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/sort.h - order: sorting, the greatest elements, partitions. Along one axis, which may be
 * negative; every dtype. Errors of all: GND_ERR_NULL, GND_ERR_AXIS (also for arrays without axes),
 * GND_ERR_ARG, the array's own error.
 *
 * The order is NumPy's: -0 is equal to 0, complex numbers compare by real part, then imaginary
 * part, bools as 0 and 1. NaN comes last, in descending order too (the standard leaves that open;
 * it is what NumPy does), complex ones by what is NaN: the imaginary part, the real part, both.
 * Every sort is stable, descending ones too: equal elements keep their order. So results do not
 * depend on the device.
 */
#ifndef GND_SORT_H
#define GND_SORT_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags. GND_DESCENDING: from the greatest to the smallest. GND_SMALLEST (gnd_topk): the smallest
 * ones, ascending. */
#define GND_DESCENDING 2u
#define GND_SMALLEST 4u

/* x with the elements along axis in order. Radix sort: the time does not depend on the values,
 * except that digits which are the same in all of them cost less. */
GND_API gnd_array *gnd_sort(gnd_array *x, int axis, unsigned flags);
/* int64: the indices along axis that put x in order. */
GND_API gnd_array *gnd_argsort(gnd_array *x, int axis, unsigned flags);
/* The k greatest elements along axis in descending order (GND_SMALLEST: the smallest ones,
 * ascending) to out[0], and their indices (int64) to out[1]; of equal ones the first come first.
 * NaN counts as none of the greatest, nor of the smallest, while there are numbers. Returns the
 * first error; GND_ERR_ARG: k is not in 0 .. the extent of axis; GND_ERR_NULL: out is NULL. */
GND_API gnd_status gnd_topk(gnd_array *x, int64_t k, int axis, unsigned flags, gnd_array **out);
/* x with its elements along axis so that those at the n indices kth (negative ones count from the
 * end) are where a sort puts them, what comes before them is not greater and what comes after not
 * smaller. GND_ERR_INDEX: a kth is out of range. */
GND_API gnd_array *gnd_partition(gnd_array *x, int n, const int64_t *kth, int axis);
/* int64: the indices along axis that partition x. */
GND_API gnd_array *gnd_argpartition(gnd_array *x, int n, const int64_t *kth, int axis);
/* int64: the indices along axis that sort by several keys of one shape; the last key counts first.
 * GND_ERR_SHAPE: shapes differ. */
GND_API gnd_array *gnd_lexsort(int n, gnd_array *const *keys, int axis);

#ifdef __cplusplus
}
#endif
#endif
