/* SPDX-License-Identifier: BSD-3-Clause
 *
 * moved.h - checks functions that move elements, against the host's elements: for every element of
 * a result a plain rule says where it comes from.
 */
#ifndef MOVED_H
#define MOVED_H

#include "ref.h"

extern gnd_device *mv_dev;
extern ref_arr mv_h[8];    /* the host's view of the arrays of a case */
extern int64_t mv_par[64]; /* what the rule of a case needs to know */

/* Where element `at` of a result comes from; NULL: it is 0. */
typedef const void *mv_rule(const int64_t *at);
/* y has dtype t and that shape, and its elements by the rule. Releases y. */
void mv_follows(gnd_array *y, gnd_dtype t, int ndim, const int64_t *dim, mv_rule *from,
                const char *name);
/* The rule of a result that has the elements of mv_h[0] in their order. mv_par[0] is how many
 * dimensions it has, then they. */
const void *mv_same(const int64_t *at);

/* An array of that shape in any layout, mv_h[k] on the host. */
gnd_array *mv_make(int k, gnd_dtype t, int ndim, const int64_t *dim);
/* The next of all dtypes that the device has. */
gnd_dtype mv_dtype(void);
/* Extents from low to high. */
void mv_shape(int ndim, int64_t low, int64_t high, int64_t *dim);
/* Gives back n arrays of a case, and mv_h's. */
void mv_done(int n, gnd_array **x);

/* Runs n tests on a device, each in a scope; no array may be left. */
void mv_run(gnd_device *d, const char *spec, int n, void (*const *test)(void));

#endif
