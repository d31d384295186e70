/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/set.h - arrays as sets of their elements. Arguments of any shape are taken as if flattened;
 * results are 1-d and sorted, but for inverses, which have the shape of x. Elements are the same
 * when they are equal: -0 and 0 are (the one that comes first stands for both); NaN, where nothing
 * else is said, is equal to nothing, so that each is an element of its own. Errors of all:
 * GND_ERR_NULL, GND_ERR_DEVICE, GND_ERR_ARG, the array's own error.
 *
 * How many there are depends on the elements: all but gnd_isin evaluate what they are given, and
 * wait for the device: once, and once more for ints of 32 and 64 bits, whose range is looked at
 * first.
 */
#ifndef GND_SET_H
#define GND_SET_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of gnd_unique: what to give beside the values; and that all NaN are one. */
#define GND_UNIQUE_INDICES 1u
#define GND_UNIQUE_INVERSE 2u
#define GND_UNIQUE_COUNTS 4u
#define GND_EQUAL_NAN 8u

/* The elements of x without repetition to out[0], and after it, in this order, what flags ask for:
 * the indices of their first occurrences in x, for each element of x the index of its value (both
 * int64), how often each occurs (int64). An x that no buffer of the device could hold is
 * GND_ERR_DEVMEM. Returns the first error; every place of out holds it then. */
GND_API gnd_status gnd_unique(gnd_array *x, unsigned flags, gnd_array **out);
/* The standard's unique_all: out gets values, indices, inverse indices and counts. */
GND_API gnd_status gnd_unique_all(gnd_array *x, gnd_array **out);
/* The standard's unique_counts: out gets values and counts. */
GND_API gnd_status gnd_unique_counts(gnd_array *x, gnd_array **out);
/* The standard's unique_inverse: out gets values and inverse indices. */
GND_API gnd_status gnd_unique_inverse(gnd_array *x, gnd_array **out);
/* The standard's unique_values: the values alone. */
GND_API gnd_array *gnd_unique_values(gnd_array *x);

/* The same for slices of x along one axis: those that are the same in all elements (a NaN is equal
 * to nothing) stand once, along that axis, in lexical order. The inverse is 1-d. */
GND_API gnd_status gnd_unique_along(gnd_array *x, int axis, unsigned flags, gnd_array **out);

/* Whether each element of x1 is among those of x2: bools, of the shape of x1; with invert whether
 * it is not. Either may be a scalar. Does not wait. */
GND_API gnd_array *gnd_isin(gnd_array *x1, gnd_array *x2, int invert);
/* The sorted values that are in x1 or in x2. dtypes promote. All NaN are one. */
GND_API gnd_array *gnd_union1d(gnd_array *x1, gnd_array *x2);
/* The sorted values that are in x1 and in x2. dtypes promote. A NaN of x1 is none of x2. */
GND_API gnd_array *gnd_intersect1d(gnd_array *x1, gnd_array *x2);
/* The sorted values of x1 that are not in x2, in x1's dtype. A NaN of x1 is none of x2; all NaN of
 * x1 are one. */
GND_API gnd_array *gnd_setdiff1d(gnd_array *x1, gnd_array *x2);
/* The sorted values that are in just one of x1 and x2. dtypes promote. Of each array by itself all
 * NaN are one, but a NaN of x1 is none of x2. */
GND_API gnd_array *gnd_setxor1d(gnd_array *x1, gnd_array *x2);
/* What is in x1 but not in x2, as it stands in x1: in its order and dtype, repetitions too. */
GND_API gnd_array *gnd_setdiff1d_kept(gnd_array *x1, gnd_array *x2);
/* What is in both to out[0], and the indices (int64) of its first occurrences in x1 and in x2 to
 * out[1] and out[2]. Returns the first error. */
GND_API gnd_status gnd_intersect1d_indices(gnd_array *x1, gnd_array *x2, gnd_array **out);

#ifdef __cplusplus
}
#endif
#endif
