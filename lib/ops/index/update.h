/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/update.h - declarations shared by the updates of arrays: their arguments, and how new
 * elements of a part of an array get into their place (ops/index/update_place.c).
 */
#ifndef GND_OPS_INDEX_UPDATE_H
#define GND_OPS_INDEX_UPDATE_H

#include "ops/index/index.h"
#include "array/steps.h"

/* Checks at the beginning of every update: usable arguments on one device; else the error. */
gnd_array *gnd__update_check(const char *func, gnd_array *x, int n, const gnd_range *idx,
                             gnd_array *value);
/* Checks an index with arrays that selects no element, which no kernel checks. Returns the error,
 * or NULL. */
gnd_array *gnd__update_unused(const gnd__indexed *ix);
/* value without leading axes of extent 1 that the shape does not have, if it then broadcasts to the
 * shape; or an error. */
gnd_array *gnd__update_fitted(const char *func, gnd_array *value, int ndim, const int64_t *dim);
/* A weak scalar of value v. */
gnd_array *gnd__update_int(int64_t v);
/* 0 .. n - 1 in the shape dim[ndim], which has n elements, with `more` axes of extent 1
 * appended. */
gnd_array *gnd__update_counted(gnd_device *dev, int ndim, const int64_t *dim, int more);
/* ix's x with the view replaced by w, which has the view's shape or one element. */
gnd_array *gnd__update_back(gnd__indexed *ix, gnd_array *w);
/* Changes y from the shape of ix's x to that of the array x that the caller gave. */
gnd_array *gnd__update_end(gnd__indexed *ix, gnd_array *y, const gnd_array *x);

#endif
