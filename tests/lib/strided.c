/* SPDX-License-Identifier: BSD-3-Clause
 *
 * strided.c - see strided.h.
 */
#include "strided.h"
#include "ref.h"

const strided strided_cases[STRIDED_CASES] = {
    {"C order", 2, {4, 6}, {6, 1}, 0},
    {"Fortran order", 2, {4, 6}, {1, 4}, 0},
    {"every second", 1, {12}, {2}, 1},
    {"backwards", 1, {24}, {-1}, 23},
    {"a box", 3, {2, 2, 3}, {12, 4, 1}, 5},
    {"both ways", 2, {3, 4}, {-6, 2}, 12},
    {"one element, repeated", 2, {3, 2}, {0, 0}, 7},
    {"rows, repeated", 2, {3, 6}, {0, 1}, 6},
    {"a number", 0, {0}, {0}, 9},
    {"an extent of 1 with any stride", 2, {1, 6}, {INT64_MAX, 1}, 6},
    {"overlapping", 2, {5, 3}, {1, 2}, 3},
};

int64_t strided_elements(const strided *c, int32_t *want)
{
    int64_t n = 1;
    for (int d = 0; d < c->ndim; d++)
        n *= c->dim[d];
    for (int64_t e = 0; e < n; e++) {
        int64_t idx[3], at = c->first;
        ref_unravel(c->ndim, c->dim, e, idx);
        for (int d = 0; d < c->ndim; d++)
            at += c->dim[d] > 1 ? idx[d] * c->stride[d] : 0;
        want[e] = (int32_t)at;
    }
    return n;
}
