/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/index/put.c - NumPy's put and place: writes values in order at flat indices, or where a mask
 * is true, and repeats them if there are too few. Composed of other update functions; nothing
 * waits.
 */
#include <inttypes.h>
#include "array/steps.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/index.h>
#include <gnd/manip.h>
#include <gnd/scan.h>

gnd_array *gnd_put(gnd_array *x, gnd_array *indices, gnd_array *values)
{
    gnd_device *dev;
    gnd_array *bad = gnd__check_strong(x, "put", "x"), *y;
    if (bad || (bad = gnd__check_strong(indices, "put", "indices")) ||
        (bad = gnd__check(values, "put", "values")) ||
        (bad = gnd__check_devices("put", 3, (gnd_array *[]){x, indices, values}, &dev)))
        return bad;
    const gnd__inner in = gnd__enter("put");
    if (values->size == 0 || indices->size == 0) {
        y = x;
    } else {
        if (values->ndim)
            values = gnd_resize(values, 1, &indices->size);
        y = gnd_put_along_axis(gnd__flat(x), gnd__flat(indices), values, 0);
        y = gnd__is_bad(y) ? y : gnd__reshaped(y, x->ndim, x->dim);
    }
    return gnd__leave(in, y);
}

gnd_array *gnd_place(gnd_array *x, gnd_array *mask, gnd_array *values)
{
    gnd_device *dev;
    gnd_array *bad = gnd__check_strong(x, "place", "x"), *y;
    if (bad || (bad = gnd__check_strong(mask, "place", "mask")) ||
        (bad = gnd__check(values, "place", "values")) ||
        (bad = gnd__check_devices("place", 3, (gnd_array *[]){x, mask, values}, &dev)))
        return bad;
    if (mask->size != x->size)
        return gnd__fail(dev, GND_ERR_SHAPE, "place: a mask of %" PRId64 " elements for %" PRId64,
                         mask->size, x->size);
    if (values->size == 0)
        return gnd__fail(dev, GND_ERR_SHAPE, "place: there are no values");
    const gnd__inner in = gnd__enter("place");
    values = values->weak ? gnd__strong(values, dev, (gnd_dtype)x->dtype, "place")
                          : gnd__astype(values, (gnd_dtype)x->dtype, "place");
    gnd_array *m = gnd__as(gnd__flat(mask), GND_BOOL);
    if (gnd__is_bad(values) || gnd__is_bad(m) || x->size == 0) {
        y = gnd__is_bad(values) ? values : gnd__is_bad(m) ? m : x;
    } else if (values->size > 1) {
        gnd_array *rank =
            gnd_subtract(gnd_cumulative_sum(m, GND_AXIS(0), 0, GND_INT64), gnd_int(1));
        y = gnd_where(m, gnd__pick(gnd__flat(values), gnd_remainder(rank, gnd_int(values->size))),
                      gnd__flat(x));
    } else {
        y = gnd_where(m, gnd__reshaped(values, 0, NULL), gnd__flat(x));
    }
    return gnd__leave(in, gnd__is_bad(y) ? y : gnd__reshaped(y, x->ndim, x->dim));
}
