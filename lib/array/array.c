/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/array.c - queries of an array's metadata and of its error. They evaluate nothing.
 */
#include <stdio.h>
#include <string.h>
#include "array/host.h"
#include "base/mem.h"
#include "graph/graph.h"
#include <gnd/array.h>

static const int64_t no_extent[1];

/* The error that x holds, from its creation or its evaluation. NULL: none. */
static const gnd_err *error_of(const gnd_array *x)
{
    static const gnd_err gone = {.code = GND_ERR_STATE, .msg = "the array was released"};
    if (!gnd__alive(x))
        return &gone;
    if (x->kind == GND__ERROR)
        return x->p.err;
    return __atomic_load_n(&x->fault, __ATOMIC_ACQUIRE);
}

static int usable(const gnd_array *x)
{
    return x && gnd__alive(x) && x->kind != GND__ERROR;
}

gnd_status gnd_status_of(const gnd_array *x)
{
    if (!x)
        return GND_ERR_NULL;
    const gnd_err *e = error_of(x);
    return e ? e->code : GND_OK;
}

const char *gnd_error(const gnd_array *x)
{
    if (!x)
        return "the array is NULL";
    const gnd_err *e = error_of(x);
    return e ? e->msg : "";
}

gnd_status gnd__told(const gnd_array *x)
{
    const gnd_err *e = error_of(x);
    return e ? gnd__refuse(e->code, "%s", e->msg[0] ? e->msg : gnd_status_text(e->code)) : GND_OK;
}

gnd_status gnd_try(gnd_first_error *first, gnd_status st)
{
    if (first && st < 0 && first->status == GND_OK) {
        first->status = st;
        snprintf(first->message, sizeof first->message, "%s", gnd_message());
    }
    return st;
}

gnd_array *gnd_try_array(gnd_first_error *first, gnd_array *x)
{
    gnd_status st = gnd_status_of(x);
    if (first && st < 0 && first->status == GND_OK) {
        first->status = st;
        snprintf(first->message, sizeof first->message, "%s", gnd_error(x));
    }
    return x;
}

gnd_array *gnd_fail(gnd_status code, const char *fmt, ...)
{
    gnd_err e = {.code = code < 0 ? code : GND_ERR_ARG};
    if (fmt) {
        va_list ap;
        va_start(ap, fmt);
        if (vsnprintf(e.msg, sizeof e.msg, fmt, ap) < 0)
            e.msg[0] = '\0';
        va_end(ap);
    } else {
        snprintf(e.msg, sizeof e.msg, "%s", gnd_status_text(e.code));
    }
    return gnd__error_node(NULL, &e);
}

gnd_dtype gnd_dtype_of(const gnd_array *x)
{
    return usable(x) ? (gnd_dtype)x->dtype : GND_DTYPE_DEFAULT;
}

int gnd_ndim(const gnd_array *x)
{
    return usable(x) ? x->ndim : 0;
}

const int64_t *gnd_shape(const gnd_array *x)
{
    return usable(x) ? x->dim : no_extent;
}

int64_t gnd_dim(const gnd_array *x, int axis)
{
    int a = usable(x) ? gnd__axis(axis, x->ndim) : -1;
    return a < 0 ? -1 : x->dim[a];
}

int64_t gnd_size(const gnd_array *x)
{
    return usable(x) ? x->size : 0;
}

size_t gnd_nbytes(const gnd_array *x)
{
    return usable(x) ? gnd__nbytes(x) : 0;
}

gnd_device *gnd_device_of(const gnd_array *x)
{
    return usable(x) ? x->dev : NULL;
}

int gnd_is_weak(const gnd_array *x)
{
    return usable(x) && x->weak;
}
