/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/scalar.c - conversions between weak scalars, constants and arrays of a dtype, with the
 * errors of values that do not fit, and broadcasts to a shape.
 */
#include "graph/check.h"
#include "graph/scope.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void scalar_text(char *buf, size_t cap, const gnd__scalar *v)
{
    switch (v->kind) {
    case 'b': snprintf(buf, cap, "%s", v->i ? "True" : "False"); break;
    case 'u': snprintf(buf, cap, "%" PRIu64, v->u); break;
    case 'f': snprintf(buf, cap, "%.17g", v->re); break;
    case 'c': snprintf(buf, cap, "%.9g%+.9gj", v->re, v->im); break;
    default: snprintf(buf, cap, "%" PRId64, v->i); break;
    }
}

gnd__scalar gnd__converted(const gnd__scalar *v, gnd_dtype t)
{
    uint64_t room[2];
    gnd__store_scalar(t, room, v);
    return gnd__load_scalar(t, room);
}

/* Whether v, with its fraction cut off, is in the range of an int dtype. */
static int float_fits(gnd_dtype t, const gnd__scalar *v)
{
    int kind = gnd_dtype_kind(t);
    if (v->kind != 'f' || (kind != 'i' && kind != 'u'))
        return 1;
    double top = ldexp(1, (int)gnd_dtype_size(t) * 8 - (kind == 'i')), d = trunc(v->re);
    return d < top && d >= (kind == 'i' ? -top : 0);
}

gnd_array *gnd__strong(gnd_array *x, gnd_device *dev, gnd_dtype t, const char *func)
{
    gnd_array *bad = gnd__check(x, func, "x");
    if (bad)
        return bad;
    if (!x->weak)
        return t == GND_DTYPE_DEFAULT ? gnd__same(x) : gnd__astype(x, t, func);
    const gnd__scalar *v = &x->p.value;
    if (t == GND_DTYPE_DEFAULT)
        t = gnd__weak_dtype(dev, v->kind);
    if ((bad = gnd__check_type(func, dev, t)))
        return bad;
    char text[64];
    if (v->kind == 'c' && gnd_dtype_kind(t) != 'c') {
        scalar_text(text, sizeof text, v);
        return gnd__fail(dev, GND_ERR_DTYPE, "%s: the complex scalar %s as %s: take its real part",
                         func, text, gnd_dtype_name(t));
    }
    if (!gnd__scalar_fits(t, v) || !float_fits(t, v)) {
        scalar_text(text, sizeof text, v);
        return gnd__fail(dev, GND_ERR_OVERFLOW, "%s: the scalar %s does not fit %s", func, text,
                         gnd_dtype_name(t));
    }
    gnd__scalar c = gnd__converted(v, t);
    return gnd__const(dev, t, &c, 0);
}

gnd_array *gnd__as_strong(gnd_array *x, gnd_device *dev, gnd_dtype t, const char *func)
{
    return x->weak ? gnd__strong(x, dev, t, func) : gnd__cast_node(x, t);
}

gnd_array *gnd__broadcast(gnd_array *x, int ndim, const int64_t *dim)
{
    gnd__map m;
    if (x->ndim == ndim && (!ndim || !memcmp(x->dim, dim, (size_t)ndim * sizeof *dim)))
        return gnd__same(x);
    for (int i = 0; i < x->ndim; i++) {
        int out = i + ndim - x->ndim;
        m.start[i] = 0;
        m.step[i] = 1;
        m.from[i] = (int8_t)(x->dim[i] == 1 && dim[out] != 1 ? -1 : out);
    }
    return gnd__view_node(x, ndim, dim, &m);
}

gnd_array *gnd__filled(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       const gnd__scalar *v)
{
    if (ndim == 0)
        return gnd__const(dev, t, v, 0);
    const gnd__inner in = gnd__enter(NULL);
    gnd_array *c = gnd__const(dev, t, v, 0);
    return gnd__leave(in, c->kind == GND__ERROR ? c : gnd__broadcast(c, ndim, dim));
}

gnd_array *gnd__astype(gnd_array *x, gnd_dtype t, const char *func)
{
    gnd_array *bad = gnd__check(x, func, "x");
    if (bad || (bad = gnd__check_type(func, x->dev, t)))
        return bad;
    int from = gnd_dtype_kind((gnd_dtype)x->dtype), to = gnd_dtype_kind(t);
    if (from == 'c' && to != 'c' && to != 'b')
        return gnd__fail(x->dev, GND_ERR_DTYPE,
                         "%s: %s to %s drops the imaginary part: take gnd_real_part, "
                         "gnd_imag_part or gnd_abs",
                         func, gnd_dtype_name((gnd_dtype)x->dtype), gnd_dtype_name(t));
    if (!x->weak)
        return gnd__cast_node(x, t);
    /* A scalar stays a scalar: only its kind and its value change. */
    if (!gnd__scalar_fits(t, &x->p.value) || !float_fits(t, &x->p.value)) {
        char text[64];
        scalar_text(text, sizeof text, &x->p.value);
        return gnd__fail(NULL, GND_ERR_OVERFLOW, "%s: the scalar %s does not fit %s", func, text,
                         gnd_dtype_name(t));
    }
    gnd__scalar v = gnd__converted(&x->p.value, t);
    if (v.kind == 'u' && v.u <= INT64_MAX)
        v.kind = 'i';
    return gnd__const(NULL, gnd__weak_dtype(NULL, v.kind), &v, 1);
}
