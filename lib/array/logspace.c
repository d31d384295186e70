/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/logspace.c - values evenly spaced on a logarithmic scale, as powers of a linspace.
 */
#include <inttypes.h>
#include <math.h>
#include "device/device.h"
#include "graph/graph.h"
#include "array/views.h"
#include "base/cmplx.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>

/* A weak scalar. */
static gnd_array *check_scalar(const char *func, const char *arg, gnd_device *dev, gnd_array *x)
{
    gnd_array *bad = gnd__check(x, func, arg);
    if (!bad && !x->weak)
        bad = gnd__fail(dev, GND_ERR_ARG, "%s: %s is an array: a scalar is needed (gnd_real ...)",
                        func, arg);
    return bad;
}

/* Checks the common arguments. *t: GND_DTYPE_DEFAULT becomes the default float, or its complex
 * dtype if z is not 0. *dt is the compute dtype. */
static gnd_array *check(const char *func, gnd_device *dev, int64_t num, int z, gnd_dtype *t,
                        gnd_dtype *dt)
{
    gnd_array *bad;
    *dt = z ? gnd__complex_of(gnd__device_float(dev)) : gnd__device_float(dev);
    if (*t == GND_DTYPE_DEFAULT)
        *t = *dt;
    if ((bad = gnd__check_type(func, dev, *t)))
        return bad;
    if (z && gnd_dtype_kind(*t) != 'c')
        return gnd__fail(dev, GND_ERR_DTYPE,
                         "%s: complex values as %s: take complex64 or complex128", func,
                         gnd_dtype_name(*t));
    if (num < 0)
        return gnd__fail(dev, GND_ERR_ARG, "%s: %" PRId64 " elements", func, num);
    return gnd__check_shape(func, dev, *t, 1, &num);
}

gnd_array *gnd_logspace(gnd_device *dev, gnd_array *start, gnd_array *stop, int64_t num,
                        int endpoint, gnd_array *base, gnd_dtype t)
{
    gnd_dtype dt;
    gnd_array *bad = gnd__check_device("logspace", dev);
    if (bad || (bad = check_scalar("logspace", "start", dev, start)) ||
        (bad = check_scalar("logspace", "stop", dev, stop)) ||
        (bad = check_scalar("logspace", "base", dev, base)))
        return bad;
    int z = start->p.value.kind == 'c' || stop->p.value.kind == 'c' || base->p.value.kind == 'c';
    if ((bad = check("logspace", dev, num, z, &t, &dt)))
        return bad;
    const gnd__inner in = gnd__enter("logspace");
    gnd_array *y = gnd_linspace(dev, start, stop, num, endpoint, dt);
    return gnd__leave(in, gnd_astype(gnd_pow(base, y), t));
}

static double complex value(const gnd_array *x)
{
    const gnd__scalar *v = &x->p.value;
    return v->kind == 'f'   ? v->re
           : v->kind == 'c' ? CMPLX(v->re, v->im)
           : v->kind == 'u' ? (double)v->u
                            : (double)v->i;
}

static gnd_array *number(int z, double complex v)
{
    return z ? gnd_complex(creal(v), cimag(v)) : gnd_real(creal(v));
}

/* The decimal logarithm. NaN for a negative real number, as its powers would be. */
static double complex log_of(int z, double complex v)
{
    return z ? clog(v) / log(10) : log10(creal(v));
}

gnd_array *gnd_geomspace(gnd_device *dev, gnd_array *start, gnd_array *stop, int64_t num,
                         int endpoint, gnd_dtype t)
{
    gnd_dtype dt;
    gnd_array *bad = gnd__check_device("geomspace", dev);
    if (bad || (bad = check_scalar("geomspace", "start", dev, start)) ||
        (bad = check_scalar("geomspace", "stop", dev, stop)))
        return bad;
    int z = start->p.value.kind == 'c' || stop->p.value.kind == 'c' ||
            (t != GND_DTYPE_DEFAULT && gnd_dtype_kind(t) == 'c');
    if ((bad = check("geomspace", dev, num, z, &t, &dt)))
        return bad;
    double complex a = value(start), b = value(stop);
    if (a == 0 || b == 0)
        return gnd__fail(dev, GND_ERR_ARG, "geomspace: %s is 0, which no factor leads to or from",
                         a == 0 ? "start" : "stop");
    /* As in NumPy: rotate start to the positive numbers, and rotate the result back. */
    double complex turn = z ? a / cabs(a) : creal(a) < 0 ? -1 : creal(a) > 0 ? 1 : NAN;
    double complex first = z ? cabs(a) : fabs(creal(a)),
                   last = z ? b / turn : creal(b) / creal(turn);
    const gnd__inner in = gnd__enter("geomspace");
    gnd_array *i = gnd_arange_i64(dev, 0, num, 1, GND_INT64);
    gnd_array *y = gnd_logspace(dev, number(z, log_of(z, first)), number(z, log_of(z, last)), num,
                                endpoint, gnd_real(10), dt);
    y = gnd_where(gnd_equal(i, gnd_int(0)), number(z, first), y);
    if (endpoint && num > 1)
        y = gnd_where(gnd_equal(i, gnd_int(num - 1)), number(z, last), y);
    y = gnd_multiply(y, number(z, turn));
    return gnd__leave(in, gnd_astype(y, t));
}
