/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/info.c - properties of dtypes, promotion of operands, and the standard's inspection of the
 * library and of devices that are not open.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "device/gate.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>
#include <gnd/info.h>

/* --- dtypes ----------------------------------------------------------------------------------- */

int gnd_isdtype(gnd_dtype t, unsigned kinds)
{
    switch (gnd_dtype_kind(t)) {
    case 'b': return (kinds & GND_KIND_BOOL) != 0;
    case 'i': return (kinds & GND_KIND_SIGNED) != 0;
    case 'u': return (kinds & GND_KIND_UNSIGNED) != 0;
    case 'f': return (kinds & GND_KIND_REAL) != 0;
    case 'c': return (kinds & GND_KIND_COMPLEX) != 0;
    default: return 0;
    }
}

static gnd_status fail_status(const char *func, gnd_status code, const char *msg)
{
    gnd_err e = {.code = code};
    snprintf(e.msg, sizeof e.msg, "%s", msg);
    return gnd__only_status(func, &e);
}

static gnd_status not_of_kind(const char *func, gnd_dtype t, const char *kinds)
{
    char msg[96];
    snprintf(msg, sizeof msg, "%s is not allowed: %s only", gnd_dtype_name(t), kinds);
    return fail_status(func, GND_ERR_DTYPE, msg);
}

gnd_status gnd_finfo(gnd_dtype t, gnd_float_info *out)
{
    /* IEEE 754: 1 sign bit, then the exponent, then the significand without its leading one. */
    static const struct {
        gnd_dtype t;
        int nmant, nexp, precision;
        double resolution;
    } facts[] = {
        {GND_FLOAT16, 10, 5, 3, 1e-3},
        {GND_BFLOAT16, 7, 8, 2, 1e-2},
        {GND_FLOAT32, 23, 8, 6, 1e-6},
        {GND_FLOAT64, 52, 11, 15, 1e-15},
    };
    if (!out)
        return fail_status("finfo", GND_ERR_NULL, "out is NULL");
    memset(out, 0, sizeof *out);
    out->dtype = GND_DTYPE_DEFAULT;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (facts[i].t != gnd__real_of(t))
            continue;
        int nmant = facts[i].nmant, most = (1 << (facts[i].nexp - 1)) - 1;
        double max = ldexp(2 - ldexp(1, -nmant), most);
        *out = (gnd_float_info){
            .dtype = facts[i].t,
            .bits = 8 * (int)gnd_dtype_size(facts[i].t),
            .eps = ldexp(1, -nmant),
            .epsneg = ldexp(1, -nmant - 1),
            .max = max,
            .min = -max,
            .smallest_normal = ldexp(1, 1 - most),
            .smallest_subnormal = ldexp(1, 1 - most - nmant),
            .precision = facts[i].precision,
            .resolution = facts[i].resolution,
            .nmant = nmant,
            .nexp = facts[i].nexp,
        };
        return GND_OK;
    }
    return not_of_kind("finfo", t, "floats and complex");
}

gnd_status gnd_iinfo(gnd_dtype t, gnd_int_info *out)
{
    if (!out)
        return fail_status("iinfo", GND_ERR_NULL, "out is NULL");
    memset(out, 0, sizeof *out);
    out->dtype = GND_DTYPE_DEFAULT;
    if (!gnd_isdtype(t, GND_KIND_INTEGRAL))
        return not_of_kind("iinfo", t, "ints");
    int bits = 8 * (int)gnd_dtype_size(t), has_sign = gnd_dtype_kind(t) == 'i';
    out->dtype = t;
    out->bits = bits;
    out->max = UINT64_MAX >> (64 - bits + has_sign);
    out->min = has_sign ? -(int64_t)out->max - 1 : 0;
    return GND_OK;
}

/* --- promotion -------------------------------------------------------------------------------- */

/* Stores the status and message of the error array bad for gnd_message, and releases bad. */
static void keep_message(const char *func, gnd_array *bad)
{
    gnd_err e = *bad->p.err;
    gnd_release(bad);
    gnd__only_status(func, &e);
}

gnd_dtype gnd_result_type(int n, gnd_array *const *x, int m, const gnd_dtype *t)
{
    gnd_device *dev = NULL;
    uint32_t set = 0;
    int weak = 0;
    if (n < 0 || m < 0 || n + m < 1 || (n && !x) || (m && !t)) {
        fail_status("result_type", n < 0 || m < 0 ? GND_ERR_ARG : GND_ERR_NULL,
                    n + m == 0 ? "no operands" : "a list is NULL or of negative length");
        return GND_DTYPE_DEFAULT;
    }
    gnd_array *bad = NULL;
    for (int i = 0; i < n && !bad; i++)
        bad = gnd__check(x[i], "result_type", "an array");
    if (!bad)
        bad = gnd__check_devices("result_type", n, x, &dev);
    if (bad) {
        keep_message("result_type", bad);
        return GND_DTYPE_DEFAULT;
    }
    for (int i = 0; i < n; i++)
        gnd__operand_dtype(x[i], &set, &weak);
    for (int i = 0; i < m; i++) {
        if (!gnd__dtype_ok(t[i])) {
            fail_status("result_type", GND_ERR_DTYPE, "a value that is no dtype");
            return GND_DTYPE_DEFAULT;
        }
        set |= (uint32_t)1 << t[i];
    }
    return gnd__promote_all(dev, set, weak);
}

int gnd_can_cast(gnd_dtype from, gnd_dtype to)
{
    return gnd__dtype_ok(to) && gnd_promote(from, to) == to;
}

int gnd_can_cast_array(const gnd_array *x, gnd_dtype to)
{
    if (gnd_status_of(x) || !gnd__dtype_ok(to))
        return 0;
    if (!x->weak)
        return gnd_can_cast((gnd_dtype)x->dtype, to) &&
               (!gnd__needs_f64(to) || gnd__device_has_f64(x->dev));
    return gnd__promote_weak(to, x->p.value.kind, GND_FLOAT64) == to &&
           gnd__scalar_fits(to, &x->p.value);
}

/* --- inspection ------------------------------------------------------------------------------- */

gnd_capability_set gnd_capabilities(void)
{
    return (gnd_capability_set){
        .boolean_indexing = 1, .data_dependent_shapes = 1, .max_dimensions = GND_MAX_NDIM};
}

gnd_status gnd_default_device(gnd_device_info *out)
{
    const gnd__backend *b;
    gnd_err e = {.code = GND_OK};
    int index;
    char id[64];
    if (!out)
        return fail_status("default_device", GND_ERR_NULL, "out is NULL");
    memset(out, 0, sizeof *out);
    if (gnd__gate_resolve(NULL, &b, &index, &e))
        return gnd__only_status("default_device", &e);
    snprintf(id, sizeof id, "%s:%d", b->name, index);
    for (int i = 0, n = gnd_device_count(); i < n; i++)
        if (!gnd_device_list(i, out) && !strcmp(out->id, id))
            return GND_OK;
    return fail_status("default_device", GND_ERR_INTERNAL, "the default device is not in the list");
}

/* Sets *yes to whether the device that spec names has float64. */
static gnd_status has_f64(const char *func, const char *spec, int *yes)
{
    const gnd__backend *b;
    gnd_props p;
    gnd_err e = {.code = GND_OK};
    int index;
    if (gnd__gate_resolve(spec, &b, &index, &e) || gnd__gate_props(b, index, &p, &e))
        return gnd__only_status(func, &e);
    if (p.reason[0])
        return fail_status(func, GND_ERR_DEVICE, p.reason);
    *yes = p.has_f64 != 0;
    return GND_OK;
}

gnd_status gnd_default_dtypes(const char *device, gnd_default_set *out)
{
    int f64;
    if (!out)
        return fail_status("default_dtypes", GND_ERR_NULL, "out is NULL");
    *out = (gnd_default_set){GND_DTYPE_DEFAULT, GND_DTYPE_DEFAULT, GND_DTYPE_DEFAULT,
                             GND_DTYPE_DEFAULT};
    gnd_status st = has_f64("default_dtypes", device, &f64);
    if (st)
        return st;
    out->real_floating = f64 ? GND_FLOAT64 : GND_FLOAT32;
    out->complex_floating = gnd__complex_of(out->real_floating);
    out->integral = GND_INT64;
    out->indexing = GND_INT64;
    return GND_OK;
}

int gnd_dtypes(const char *device, unsigned kinds, gnd_dtype out[GND_NDTYPES])
{
    int f64, n = 0;
    if (!out)
        return fail_status("dtypes", GND_ERR_NULL, "out is NULL");
    if (kinds & ~(unsigned)GND_KIND_ALL)
        return fail_status("dtypes", GND_ERR_ARG, "kinds has a bit that is no GND_KIND_*");
    gnd_status st = has_f64("dtypes", device, &f64);
    if (st)
        return st;
    for (int t = 0; t < GND_NDTYPES; t++)
        if (gnd_isdtype((gnd_dtype)t, kinds ? kinds : GND_KIND_ALL) &&
            (f64 || !gnd__needs_f64((gnd_dtype)t)))
            out[n++] = (gnd_dtype)t;
    return n;
}
