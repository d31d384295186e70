/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/stat/close.c - comparisons of arrays up to a tolerance, and of whole arrays, with NumPy 2's
 * formulas and dtypes. Results are arrays: nothing is read back.
 */
#include <gnd/stat.h>

#include <math.h>
#include <string.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/reduce.h>
#include "array/steps.h"
#include "device/device.h"
#include "graph/check.h"

static gnd_array *check_pair(const char *func, gnd_array *a, gnd_array *b, gnd_device **dev)
{
    gnd_array *bad = gnd__check(a, func, "a");
    if (bad || (bad = gnd__check(b, func, "b")))
        return bad;
    return gnd__check_devices(func, 2, (gnd_array *[]){a, b}, dev);
}

static gnd_array *both_nan(gnd_array *a, gnd_array *b)
{
    return gnd__op2(GND__OP_LOGICAL_AND, gnd__op1(GND__OP_ISNAN, a), gnd__op1(GND__OP_ISNAN, b));
}

/* --- isclose ---------------------------------------------------------------------------------- */

/* b with ints converted to floats, as in NumPy, so that |b| is right for the smallest int. */
static gnd_array *inexact(gnd_array *b)
{
    int kind = gnd_dtype_kind((gnd_dtype)b->dtype);
    if (kind == 'f' || kind == 'c')
        return b;
    if (b->weak)
        return gnd__astype(b, GND_FLOAT64, "isclose");
    return gnd__as(b, gnd__device_float(b->dev));
}

static gnd_array *close_to(const char *func, gnd_array *a, gnd_array *b, double rtol, double atol,
                           int equal_nan)
{
    gnd_device *dev;
    gnd__shape shape;
    gnd_array *bad = check_pair(func, a, b, &dev);
    if (!bad)
        bad = gnd__check_broadcast(func, dev, GND_COMPLEX128, 2, (gnd_array *[]){a, b}, &shape);
    if (!bad && (isnan(rtol) || isnan(atol)))
        bad = gnd__fail(dev, GND_ERR_ARG, "%s: %s is NaN", func, isnan(rtol) ? "rtol" : "atol");
    if (bad)
        return bad;
    b = inexact(b);
    /* Bools cannot be subtracted: they become 0 and 1 in b's dtype. */
    if (!a->weak && a->dtype == GND_BOOL)
        a = b->weak ? gnd__as(a, gnd__device_float(dev)) : gnd__as(a, (gnd_dtype)b->dtype);
    gnd_array *d = gnd__op1(GND__OP_ABS, gnd__op2(GND__OP_SUBTRACT, a, b));
    gnd_array *bound = gnd__with(GND__OP_MULTIPLY, gnd__op1(GND__OP_ABS, b), rtol);
    gnd_array *near = gnd__op2(GND__OP_LESS_EQUAL, d, gnd__with(GND__OP_ADD, bound, atol));
    near = gnd__op2(GND__OP_LOGICAL_AND, near, gnd__op1(GND__OP_ISFINITE, b));
    gnd_array *y = gnd__op2(GND__OP_LOGICAL_OR, near, gnd__op2(GND__OP_EQUAL, a, b));
    return equal_nan ? gnd__op2(GND__OP_LOGICAL_OR, y, both_nan(a, b)) : y;
}

gnd_array *gnd_isclose(gnd_array *a, gnd_array *b, double rtol, double atol, int equal_nan)
{
    const gnd__inner in = gnd__enter("isclose");
    return gnd__leave(in, close_to("isclose", a, b, rtol, atol, equal_nan));
}

/* Whether all elements of x are true. A weak scalar is returned as it is. */
static gnd_array *all_of(gnd_array *x)
{
    return x->weak || x->kind == GND__ERROR ? x : gnd_all(x, GND_ALL, 0);
}

gnd_array *gnd_allclose(gnd_array *a, gnd_array *b, double rtol, double atol, int equal_nan)
{
    const gnd__inner in = gnd__enter("allclose");
    return gnd__leave(in, all_of(close_to("allclose", a, b, rtol, atol, equal_nan)));
}

/* --- equality of whole arrays ----------------------------------------------------------------- */

/* A 0-d false of dev. */
static gnd_array *never(gnd_device *dev)
{
    gnd__scalar v = {.kind = 'b'};
    return gnd__const(dev, GND_BOOL, &v, 0);
}

gnd_array *gnd_array_equal(gnd_array *a, gnd_array *b, int equal_nan)
{
    gnd_device *dev;
    gnd_array *bad = check_pair("array_equal", a, b, &dev);
    if (bad)
        return bad;
    if (a->ndim != b->ndim || (a->ndim && memcmp(a->dim, b->dim, a->ndim * sizeof a->dim[0])))
        return never(dev);
    const gnd__inner in = gnd__enter("array_equal");
    gnd_array *same = gnd__op2(GND__OP_EQUAL, a, b);
    if (equal_nan)
        same = gnd__op2(GND__OP_LOGICAL_OR, same, both_nan(a, b));
    return gnd__leave(in, all_of(same));
}

gnd_array *gnd_array_equiv(gnd_array *a, gnd_array *b)
{
    gnd_device *dev;
    gnd__shape sa, sb;
    gnd_array *bad = check_pair("array_equiv", a, b, &dev);
    if (bad)
        return bad;
    sa.ndim = a->ndim;
    sb.ndim = b->ndim;
    for (int i = 0; i < a->ndim; i++)
        sa.dim[i] = a->dim[i];
    for (int i = 0; i < b->ndim; i++)
        sb.dim[i] = b->dim[i];
    if (gnd__shape_broadcast(&sa, &sb))
        return never(dev);
    const gnd__inner in = gnd__enter("array_equiv");
    return gnd__leave(in, all_of(gnd__op2(GND__OP_EQUAL, a, b)));
}
