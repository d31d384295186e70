/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/sort.h - sorting, largest elements, partitions. All work along one axis, which may be
 * negative, and accept every dtype. Errors of all functions: GND_ERR_NULL, GND_ERR_AXIS (also for
 * arrays without axes), GND_ERR_ARG, the error of the array.
 *
 * The order is NumPy's. -0 equals 0, complex numbers compare by real part, then by imaginary part,
 * and bools compare as 0 and 1. NaN comes last, in descending order as well, as in NumPy (the Array
 * API standard leaves this open). Complex NaN are ordered by the part that is NaN: imaginary, real,
 * both. Every sort is stable, including descending ones: equal elements keep their order. Results
 * therefore do not depend on the device.
 */
#ifndef GND_SORT_H
#define GND_SORT_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags. GND_DESCENDING: from largest to smallest. GND_SMALLEST (gnd_topk): the smallest elements,
 * ascending. */
#define GND_DESCENDING 2u
#define GND_SMALLEST 4u

/* x sorted along axis. Uses radix sort: the time does not depend on the values, except that digits
 * which are equal in all elements cost less. */
GND_API gnd_array *gnd_sort(gnd_array *x, int axis, unsigned flags);
/* The indices along axis that sort x, int64. Of an array without dimensions [0], as in NumPy. */
GND_API gnd_array *gnd_argsort(gnd_array *x, int axis, unsigned flags);
/* The k largest elements along axis, descending (GND_SMALLEST: the k smallest, ascending), in
 * out[0], and their indices (int64) in out[1]. Of equal elements the first are taken. NaN is taken
 * only if there are not enough numbers. Returns the first error. GND_ERR_ARG: k is not in 0 .. the
 * extent of axis; GND_ERR_NULL: out is NULL. */
GND_API gnd_status gnd_topk(gnd_array *x, int64_t k, int axis, unsigned flags, gnd_array **out);
/* x partitioned along axis. The elements at the n indices kth (negative ones count from the end)
 * are those of the sorted x; elements before them are not larger and elements after them not
 * smaller. Within these parts elements are in an order that does not depend on the device: that of
 * x, if n is 1 and the row has more than 8192 elements of a real dtype of two bytes or more, those
 * equal to the one at kth together; else the sorted one. A partition at the last place alone
 * exchanges two elements of x. A part of the result that is taken before the result was computed is
 * computed alone. GND_ERR_INDEX: an index is out of range. */
GND_API gnd_array *gnd_partition(gnd_array *x, int n, const int64_t *kth, int axis);
/* The indices along axis that partition x, int64. */
GND_API gnd_array *gnd_argpartition(gnd_array *x, int n, const int64_t *kth, int axis);
/* The indices along axis that sort by several keys of one shape, int64. The last key is the primary
 * key. GND_ERR_SHAPE: shapes differ. */
GND_API gnd_array *gnd_lexsort(int n, gnd_array *const *keys, int axis);

#ifdef __cplusplus
}
#endif
#endif
