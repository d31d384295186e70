/* SPDX-License-Identifier: BSD-3-Clause
 *
 * strided.h - arrays with strides of every kind over the ints 0 ... 23, for tests that give memory
 * to gnd by address, shape and strides.
 */
#ifndef STRIDED_H
#define STRIDED_H

#include <stdint.h>

/* Strides and the offset of the first element count ints. The stride of an extent of 1 may be any
 * number. */
typedef struct strided {
    const char *name;
    int ndim;
    int64_t dim[3], stride[3], first;
} strided;

enum { STRIDED_CASES = 11, STRIDED_MOST = 32 };
extern const strided strided_cases[STRIDED_CASES];

/* Writes the elements in C order, at most STRIDED_MOST, to want; returns how many. */
int64_t strided_elements(const strided *c, int32_t *want);

#endif
