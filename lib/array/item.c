/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/item.c - arrays of one element as C numbers: gnd_item_f64 and similar. A value that the C
 * type cannot hold is an error: nothing wraps, and only fractions are dropped.
 */
#include <inttypes.h>
#include <math.h>
#include "array/host.h"
#include "base/err.h"
#include "graph/scope.h"
#include <gnd/array.h>

static gnd_status told(const char *func, gnd_err *e, gnd_status st, gnd_status *s)
{
    if (st != GND_OK && e->code != GND_OK)
        gnd__only_status(func, e);
    if (s)
        *s = st;
    return st;
}

static int is_real(const gnd__scalar *v, gnd_err *e)
{
    if (v->kind != 'c' || v->im == 0)
        return 1;
    gnd__err(e, GND_ERR_DTYPE,
             "the element %.9g%+.9gj is complex: take gnd_item_c128, or gnd_real_part first", v->re,
             v->im);
    return 0;
}

/* Converts v to a 64-bit int, signed or unsigned, with its fraction cut off. */
static gnd_status whole(const gnd__scalar *v, int has_sign, uint64_t *out, gnd_err *e)
{
    const char *name = has_sign ? "int64" : "uint64";
    if (!is_real(v, e))
        return e->code;
    if (v->kind == 'f' || v->kind == 'c') {
        double d = trunc(v->re);
        if (has_sign && d >= -0x1p63 && d < 0x1p63)
            *out = (uint64_t)(int64_t)d;
        else if (!has_sign && d >= 0 && d < 0x1p64)
            *out = (uint64_t)d;
        else
            return gnd__err(e, GND_ERR_OVERFLOW, "the element %.17g does not fit %s", v->re, name);
        return GND_OK;
    }
    *out = v->u;
    if (v->kind == 'u' && has_sign && v->u > INT64_MAX)
        return gnd__err(e, GND_ERR_OVERFLOW,
                        "the element %" PRIu64 " does not fit int64: take gnd_item_u64", v->u);
    if (v->kind == 'i' && !has_sign && v->i < 0)
        return gnd__err(e, GND_ERR_OVERFLOW,
                        "the element %" PRId64 " does not fit uint64: take gnd_item_i64", v->i);
    return GND_OK;
}

double gnd_item_f64(gnd_array *x, gnd_status *s)
{
    static const char func[] = "item_f64";
    gnd__scalar v;
    gnd_err e = {GND_OK, 0, ""};
    double r = NAN;
    gnd_status st = gnd__one(func, x, &v);
    if (st == GND_OK && !is_real(&v, &e))
        st = e.code;
    if (st == GND_OK)
        gnd__store_scalar(GND_FLOAT64, &r, &v);
    told(func, &e, st, s);
    return r;
}

static uint64_t int_item(const char *func, gnd_array *x, int has_sign, gnd_status *s)
{
    gnd__scalar v;
    gnd_err e = {GND_OK, 0, ""};
    uint64_t r = 0;
    gnd_status st = gnd__one(func, x, &v);
    if (st == GND_OK)
        st = whole(&v, has_sign, &r, &e);
    return told(func, &e, st, s) == GND_OK ? r : 0;
}

int64_t gnd_item_i64(gnd_array *x, gnd_status *s)
{
    return (int64_t)int_item("item_i64", x, 1, s);
}

uint64_t gnd_item_u64(gnd_array *x, gnd_status *s)
{
    return int_item("item_u64", x, 0, s);
}

gnd_status gnd_item_c128(gnd_array *x, double z[2])
{
    static const char func[] = "item_c128";
    gnd__scalar v;
    gnd_err e = {GND_OK, 0, ""};
    if (!z)
        return told(func, &e, gnd__err(&e, GND_ERR_NULL, "z is NULL"), NULL);
    z[0] = z[1] = NAN;
    gnd_status st = gnd__one(func, x, &v);
    if (st == GND_OK)
        gnd__store_scalar(GND_COMPLEX128, z, &v);
    return st;
}
