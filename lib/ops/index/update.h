/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/update.h - declarations shared by the updates of arrays: their arguments, and how new
 * elements of a part of an array get into their place (ops/index/update_place.c).
 */
#ifndef GND_OPS_INDEX_UPDATE_H
#define GND_OPS_INDEX_UPDATE_H

#include "ops/index/index.h"
#include "array/steps.h"

/* What every update begins with: arguments that are usable, on one device; else the error. */
gnd_array *gnd__upd_check(const char *func, gnd_array *x, int n, const gnd_range *idx,
                          gnd_array *value);
/* Where an index with arrays names nothing, so that nothing would check them: the error, or NULL.
 */
gnd_array *gnd__upd_unused(const gnd__indexed *ix);
/* value without leading axes of extent 1 that the shape has not, if it then broadcasts to the
 * shape; or an error. */
gnd_array *gnd__upd_fitted(const char *func, gnd_array *value, int ndim, const int64_t *dim);
/* The number v, of no device.. */
gnd_array *gnd__upd_int(int64_t v);
/* 0 .. n - 1 in the shape dim[ndim], which has n elements, and `more` axes of extent 1 behind.. */
gnd_array *gnd__upd_counted(gnd_device *dev, int ndim, const int64_t *dim, int more);
/* ix's x with w, of its view's shape or one element, in the place of the view. */
gnd_array *gnd__upd_back(gnd__indexed *ix, gnd_array *w);
/* y, of the shape of ix's x, in that of the array x that the caller gave. */
gnd_array *gnd__upd_end(gnd__indexed *ix, gnd_array *y, const gnd_array *x);

#endif
