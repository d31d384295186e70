/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/check.c - argument errors, all in one style: "FUNCTION: what was given, why it is wrong",
 * and what to do if that is not obvious. Every check returns NULL or a new error node.
 */
#include "graph/check.h"
#include "graph/label.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "device/device.h"
#include <gnd/device.h>

const char *gnd__shape_text(char buf[GND__SHAPE_TEXT], int ndim, const int64_t *dim)
{
    size_t at = 0, cap = GND__SHAPE_TEXT - 8; /* leaves room for "..." and the end */
    buf[at++] = '(';
    for (int i = 0; i < ndim; i++) {
        char one[32];
        int n = snprintf(one, sizeof one, "%s%" PRId64, i ? ", " : "", dim[i]);
        if (at + (size_t)n > cap) {
            memcpy(buf + at, ", ...", 5);
            at += 5;
            break;
        }
        memcpy(buf + at, one, (size_t)n);
        at += (size_t)n;
    }
    memcpy(buf + at, ndim == 1 ? ",)" : ")", ndim == 1 ? 3 : 2);
    return buf;
}

gnd_array *gnd__check(const gnd_array *x, const char *func, const char *arg)
{
    if (!x)
        return gnd__fail(NULL, GND_ERR_NULL, "%s: %s is NULL", func, arg);
    if (!gnd__alive(x))
        return gnd__fail(NULL, GND_ERR_STATE, "%s: %s is a released array", func, arg);
    if (x->kind == GND__ERROR)
        return gnd__error_copy(x->dev, x->p.err);
    if (gnd__label_of(x))
        gnd__label_arg(func, arg, x);
    const gnd_err *fault = __atomic_load_n(&x->fault, __ATOMIC_ACQUIRE);
    return fault ? gnd__error_copy(x->dev, fault) : NULL;
}

gnd_array *gnd__check_item(const gnd_array *x, const char *func, const char *list, int i)
{
    char arg[32];
    if (x && gnd__alive(x) && x->kind != GND__ERROR && !gnd__label_of(x) &&
        !__atomic_load_n(&x->fault, __ATOMIC_ACQUIRE))
        return NULL;
    snprintf(arg, sizeof arg, "%s[%d]", list, i);
    return gnd__check(x, func, arg);
}

gnd_array *gnd__check_strong(const gnd_array *x, const char *func, const char *arg)
{
    gnd_array *bad = gnd__check(x, func, arg);
    if (!bad && !x->dev)
        bad = gnd__fail(NULL, GND_ERR_DEVICE,
                        "%s: %s is a scalar and has no device: give it one with gnd_asarray", func,
                        arg);
    return bad;
}

gnd_array *gnd__check_device(const char *func, gnd_device *dev)
{
    gnd_status st = gnd_device_status(dev);
    if (!st)
        return NULL;
    if (!dev || gnd__device_closed(dev))
        return gnd__fail(NULL, st, "%s: %s", func, gnd_device_error(dev));
    return gnd__error_node(dev, &dev->err);
}

gnd_array *gnd__check_devices(const char *func, int n, gnd_array *const *x, gnd_device **dev)
{
    *dev = NULL;
    for (int i = 0; i < n; i++) {
        if (!x[i]->dev || x[i]->dev == *dev)
            continue;
        if (*dev)
            return gnd__fail(*dev, GND_ERR_DEVICE,
                             "%s: arrays of two devices, %s and %s: move one with gnd_to_device",
                             func, gnd__device_id(*dev), gnd__device_id(x[i]->dev));
        *dev = x[i]->dev;
    }
    return NULL;
}

gnd_array *gnd__check_list(const char *func, int n, gnd_array *const *x, gnd_device **dev)
{
    *dev = NULL;
    if (n < 1)
        return gnd__fail(NULL, GND_ERR_ARG, "%s: %d arrays: at least one is needed", func, n);
    if (!x)
        return gnd__fail(NULL, GND_ERR_NULL, "%s: the list of arrays is NULL", func);
    for (int i = 0; i < n; i++) {
        gnd_array *bad = gnd__check_item(x[i], func, "x", i);
        if (bad)
            return bad;
    }
    gnd_array *bad = gnd__check_devices(func, n, x, dev);
    if (!bad && !*dev)
        bad = gnd__fail(NULL, GND_ERR_DEVICE,
                        "%s: only scalars, which have no device: give one a device with "
                        "gnd_asarray",
                        func);
    return bad;
}

gnd_status gnd__check_dtype(const char *func, gnd_device *dev, gnd_dtype t, gnd_err *e)
{
    if (!gnd__dtype_ok(t))
        return gnd__err(e, GND_ERR_DTYPE, "%s: %d is no dtype", func, (int)t);
    if (!gnd__needs_f64(t) || gnd__device_has_f64(dev))
        return GND_OK;
    return gnd__err(e, GND_ERR_UNSUPPORTED, "%s: %s: the device %s has no float64: take %s", func,
                    gnd_dtype_name(t), gnd__device_id(dev),
                    t == GND_FLOAT64 ? "float32" : "complex64");
}

gnd_array *gnd__check_type(const char *func, gnd_device *dev, gnd_dtype t)
{
    gnd_err e; /* written only on failure */
    e.code = GND_OK;
    return gnd__check_dtype(func, dev, t, &e) ? gnd__error_node(dev, &e) : NULL;
}

gnd_array *gnd__check_shape(const char *func, gnd_device *dev, gnd_dtype t, int ndim,
                            const int64_t *dim)
{
    char text[GND__SHAPE_TEXT];
    if (ndim < 0 || ndim > GND_MAX_NDIM)
        return gnd__fail(dev, GND_ERR_SHAPE, "%s: %d dimensions: 0 to %d are possible", func, ndim,
                         GND_MAX_NDIM);
    if (ndim && !dim)
        return gnd__fail(dev, GND_ERR_NULL, "%s: the shape is NULL", func);
    for (int i = 0; i < ndim; i++)
        if (dim[i] < 0)
            return gnd__fail(dev, GND_ERR_SHAPE, "%s: shape %s: axis %d has a negative extent",
                             func, gnd__shape_text(text, ndim, dim), i);
    if (gnd__shape_size(ndim, dim, gnd_dtype_size(t)) < 0)
        return gnd__fail(dev, GND_ERR_OVERFLOW,
                         "%s: shape %s of %s: the number of bytes does not fit 64 bits", func,
                         gnd__shape_text(text, ndim, dim), gnd_dtype_name(t));
    return NULL;
}

gnd_array *gnd__check_axis(const char *func, gnd_device *dev, int axis, int ndim, int *k)
{
    *k = gnd__axis(axis, ndim);
    if (*k >= 0)
        return NULL;
    return gnd__fail(dev, GND_ERR_AXIS, "%s: axis %d is out of range for %d dimension%s", func,
                     axis, ndim, ndim == 1 ? "" : "s");
}

gnd_array *gnd__check_axes(const char *func, gnd_device *dev, gnd_axes axes, int ndim,
                           uint32_t *mask)
{
    int bad, wrong = gnd__axes_mask(axes, ndim, mask, &bad);
    if (!wrong)
        return NULL;
    if (wrong == -2)
        return gnd__fail(dev, GND_ERR_AXIS,
                         "%s: the bits 0x%" PRIx64 " are no set of axes: GND_AXIS(n) is, GND_ALL "
                         "and GND_NO_AXES",
                         func, axes.bits);
    if (gnd__axis(bad, ndim) >= 0)
        return gnd__fail(dev, GND_ERR_AXIS, "%s: axis %d is named twice (it is axis %d too)", func,
                         bad, bad < 0 ? bad + ndim : bad - ndim);
    return gnd__fail(dev, GND_ERR_AXIS, "%s: axis %d is out of range for %d dimension%s", func, bad,
                     ndim, ndim == 1 ? "" : "s");
}

/* Names the first axis at which the shapes of a and b do not broadcast. */
static gnd_array *no_broadcast(const char *func, gnd_device *dev, const gnd_array *a,
                               const gnd_array *b)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    int least = a->ndim < b->ndim ? a->ndim : b->ndim;
    for (int k = -least; k < 0; k++) {
        int64_t da = a->dim[a->ndim + k], db = b->dim[b->ndim + k];
        if (da != db && da != 1 && db != 1)
            return gnd__fail(
                dev, GND_ERR_SHAPE,
                "%s: shapes %s and %s do not broadcast: axis %d has %" PRId64 " and %" PRId64, func,
                gnd__shape_text(ta, a->ndim, a->dim), gnd__shape_text(tb, b->ndim, b->dim),
                a->ndim == b->ndim ? k + a->ndim : k, da, db);
    }
    return NULL;
}

static void shape_of(const gnd_array *x, gnd__shape *s)
{
    s->ndim = x->ndim;
    for (int i = 0; i < s->ndim; i++)
        s->dim[i] = x->dim[i];
}

gnd_array *gnd__check_broadcast(const char *func, gnd_device *dev, gnd_dtype t, int n,
                                gnd_array *const *x, gnd__shape *out)
{
    gnd__shape s;
    shape_of(x[0], out);
    for (int i = 1; i < n; i++) {
        shape_of(x[i], &s);
        if (!gnd__shape_broadcast(out, &s))
            continue;
        /* An extent that does not match the common shape does not match one of the arrays
         * before. */
        for (int j = 0; j < i; j++) {
            gnd_array *bad = no_broadcast(func, dev, x[j], x[i]);
            if (bad)
                return bad;
        }
    }
    return n > 1 ? gnd__check_shape(func, dev, t, out->ndim, out->dim) : NULL;
}
