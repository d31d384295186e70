/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/set.h - arrays as sets of their elements. Arguments of any shape are flattened. Results are
 * 1-d and sorted, except inverse indices, which have the shape of x. Elements are equal by value:
 * -0 and 0 are equal (the first one is kept). NaN is equal to nothing unless stated otherwise, so
 * each NaN is an element of its own. Errors of all functions: GND_ERR_NULL, GND_ERR_DEVICE,
 * GND_ERR_ARG, the error of the array.
 *
 * The length of a result depends on values. All functions except gnd_isin therefore evaluate their
 * arguments and wait for the device: once, and twice for ints of 32 and 64 bits, whose range is
 * determined first.
 */
#ifndef GND_SET_H
#define GND_SET_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of gnd_unique: additional results, and treating all NaN as equal. */
#define GND_UNIQUE_INDICES 1u
#define GND_UNIQUE_INVERSE 2u
#define GND_UNIQUE_COUNTS 4u
#define GND_EQUAL_NAN 8u

/* The unique elements of x in out[0], followed by the results that flags select, in this order, all
 * int64: indices of the first occurrences in x; for each element of x, the index of its value; the
 * number of occurrences. GND_ERR_DEVMEM: x does not fit in a buffer of the device. Returns the
 * first error, which all places of out then hold. */
GND_API gnd_status gnd_unique(gnd_array *x, unsigned flags, gnd_array **out);
/* unique_all of the Array API standard: stores values, indices, inverse indices and counts in
 * out. */
GND_API gnd_status gnd_unique_all(gnd_array *x, gnd_array **out);
/* unique_counts of the Array API standard: stores values and counts in out. */
GND_API gnd_status gnd_unique_counts(gnd_array *x, gnd_array **out);
/* unique_inverse of the Array API standard: stores values and inverse indices in out. */
GND_API gnd_status gnd_unique_inverse(gnd_array *x, gnd_array **out);
/* unique_values of the Array API standard: returns the values. */
GND_API gnd_array *gnd_unique_values(gnd_array *x);

/* Same as gnd_unique, for slices of x along one axis. Slices are equal if all their elements are
 * equal (NaN is equal to nothing). The unique slices are in lexical order along that axis. The
 * inverse is 1-d. */
GND_API gnd_status gnd_unique_along(gnd_array *x, int axis, unsigned flags, gnd_array **out);

/* Whether each element of x1 is in x2 (invert != 0: is not): bools with the shape of x1. Either may
 * be a scalar. Does not wait. */
GND_API gnd_array *gnd_isin(gnd_array *x1, gnd_array *x2, int invert);
/* The sorted values that are in x1 or in x2. dtypes promote. All NaN are equal. */
GND_API gnd_array *gnd_union1d(gnd_array *x1, gnd_array *x2);
/* The sorted values that are in both x1 and x2. dtypes promote. NaN of x1 is not in x2. */
GND_API gnd_array *gnd_intersect1d(gnd_array *x1, gnd_array *x2);
/* The sorted values of x1 that are not in x2, in the dtype of x1. NaN of x1 is not in x2; all NaN
 * of x1 are equal. */
GND_API gnd_array *gnd_setdiff1d(gnd_array *x1, gnd_array *x2);
/* The sorted values that are in exactly one of x1 and x2. dtypes promote. All NaN of one array are
 * equal, but NaN of x1 is not in x2. */
GND_API gnd_array *gnd_setxor1d(gnd_array *x1, gnd_array *x2);
/* The elements of x1 that are not in x2, in the order and dtype of x1, including repetitions. */
GND_API gnd_array *gnd_setdiff1d_kept(gnd_array *x1, gnd_array *x2);
/* The values in both x1 and x2 in out[0], and the indices (int64) of their first occurrences in x1
 * and x2 in out[1] and out[2]. Returns the first error. */
GND_API gnd_status gnd_intersect1d_indices(gnd_array *x1, gnd_array *x2, gnd_array **out);

#ifdef __cplusplus
}
#endif
#endif
