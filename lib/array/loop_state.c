/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/loop_state.c - what gnd_while and gnd_scan share: the checks of states, the recording of a
 * body, and the states before and after its steps. The steps themselves are in loop.c and
 * loop_scan.c.
 */
#include "array/loop_priv.h"

#include <gnd/array.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "array/place.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"

/* --- arguments -------------------------------------------------------------------------------- */

int gnd__loop_failed(gnd__loop *l, gnd_array *bad)
{
    const size_t n = strlen(l->func);
    if (!l->e.code) {
        l->e = *bad->p.err;
        if (strncmp(l->e.msg, l->func, n) != 0 || l->e.msg[n] != ':')
            gnd__err_prefix(&l->e, "%s", l->func);
    }
    gnd_release(bad);
    return 0;
}

int gnd__loop_refuse(gnd__loop *l, gnd_status code, const char *fmt, ...)
{
    char text[sizeof l->e.msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    gnd__err(&l->e, code, "%s: %s", l->func, text);
    return 0;
}

static int usable(gnd__loop *l, gnd_array *x, const char *list, int i)
{
    char name[32];
    snprintf(name, sizeof name, "%s[%d]", list, i);
    gnd_array *bad = gnd__check(x, l->func, name);
    if (bad)
        return gnd__loop_failed(l, bad);
    if (x->dev && l->dev && x->dev != l->dev)
        gnd__err(&l->e, GND_ERR_DEVICE, "%s: arrays of two devices, %s and %s", l->func,
                 gnd__device_id(l->dev), gnd__device_id(x->dev));
    if (x->dev)
        l->dev = x->dev;
    return l->e.code == GND_OK;
}

int gnd__loop_count_ok(gnd__loop *l, int n, const void *list, const char *name)
{
    if (n < 0)
        gnd__err(&l->e, GND_ERR_ARG, "%s: %d arrays in %s", l->func, n, name);
    else if (n > 0 && !list)
        gnd__err(&l->e, GND_ERR_NULL, "%s: %s is NULL", l->func, name);
    return l->e.code == GND_OK;
}

int gnd__loop_take_init(gnd__loop *l, gnd_array *const *init, int nx, gnd_array *const *xs)
{
    for (int i = 0; i < l->n; i++)
        if (!usable(l, init[i], "init", i))
            return 0;
    for (int i = 0; i < nx; i++)
        if (!usable(l, xs[i], "xs", i))
            return 0;
    if (!l->dev)
        return gnd__loop_refuse(
            l, GND_ERR_DEVICE, "only numbers, which have no device: make one an array of a device");
    l->init = gnd__calloc((size_t)l->n + 1, sizeof(gnd_array *));
    l->in = gnd__calloc((size_t)l->n + (size_t)l->nx + 1, sizeof(gnd_array *));
    l->made = gnd__calloc(2 * (size_t)l->n + (size_t)l->ny + 1, sizeof(gnd_array *));
    l->number = gnd__calloc((size_t)l->n + 1, sizeof(int));
    if (!l->init || !l->in || !l->made || !l->number)
        return gnd__loop_refuse(l, GND_ERR_NOMEM, "out of host memory");
    for (int i = 0; i < l->n; i++) {
        l->init[i] = init[i]->weak ? gnd__strong(init[i], l->dev, GND_DTYPE_DEFAULT, l->func)
                                   : gnd__same(init[i]);
        l->number[i] = i;
        if (l->init[i]->kind == GND__ERROR)
            return gnd__loop_failed(l, gnd__same(l->init[i]));
    }
    l->number[l->n] = l->n; /* the word */
    return 1;
}

/* --- the body --------------------------------------------------------------------------------- */

void gnd__loop_placeholders(gnd__loop *l)
{
    for (int i = 0; i < l->n; i++)
        l->in[i] = gnd_placeholder(l->dev, (gnd_dtype)l->init[i]->dtype, l->init[i]->ndim,
                                   l->init[i]->dim);
}

int gnd__loop_check_next(gnd__loop *l, int i)
{
    char a[GND__SHAPE_TEXT], b[GND__SHAPE_TEXT], name[48];
    const gnd_array *s = l->in[i];
    gnd_array *x = l->made[i];
    const gnd_dtype t = (gnd_dtype)s->dtype;
    snprintf(name, sizeof name, "next[%d]", i);
    if (!x)
        return gnd__loop_refuse(l, GND_ERR_ARG, "the body does not set %s", name);
    gnd_array *bad = gnd__check(x, l->func, name);
    if (bad)
        return gnd__loop_failed(l, bad);
    if (x->weak && gnd__promote_weak(t, x->p.value.kind, GND_FLOAT64) == t)
        l->made[i] = x = gnd__strong(x, l->dev, t, l->func);
    if (x->kind == GND__ERROR)
        return gnd__loop_failed(l, gnd__same(x));
    if (x->dtype != s->dtype)
        gnd__err(&l->e, GND_ERR_DTYPE,
                 "%s: state %d is %s, what the body makes of it %s: gnd_astype helps", l->func, i,
                 gnd_dtype_name(t), gnd_dtype_name((gnd_dtype)x->dtype));
    else if (x->ndim != s->ndim ||
             (x->ndim && memcmp(x->dim, s->dim, x->ndim * sizeof *x->dim) != 0))
        gnd__err(&l->e, GND_ERR_SHAPE, "%s: state %d has shape %s, what the body makes of it %s",
                 l->func, i, gnd__shape_text(a, s->ndim, s->dim),
                 gnd__shape_text(b, x->ndim, x->dim));
    return l->e.code == GND_OK;
}

int gnd__loop_record(gnd__loop *l, int nin, int nmade)
{
    for (int i = 0; i < l->n; i++)
        l->made[nmade++] = l->in[i];
    l->r = gnd_record(nin, l->in, nmade, l->made);
    const gnd_status st = gnd_recording_status(l->r);
    const char *text = gnd_recording_error(l->r);
    if (st != GND_OK)
        gnd__err(&l->e, st, "%s: %s", l->func, !strncmp(text, "record: ", 8) ? text + 8 : text);
    return st == GND_OK;
}

/* --- steps ------------------------------------------------------------------------------------ */

int gnd__loop_ok(gnd__loop *l, gnd_status st)
{
    if (st != GND_OK && !l->e.code) {
        const char *m = gnd_message();
        gnd__err(&l->e, st, "%s: %s", l->func, m);
    }
    return st == GND_OK;
}

int gnd__loop_set(gnd__loop *l, gnd_array *const *x)
{
    gnd_status st = GND_OK;
    for (int i = 0; i < l->n; i++)
        st = gnd_recording_set(l->r, i, x[i]);
    return gnd__loop_ok(l, st);
}

int gnd__loop_get(gnd__loop *l, int first, gnd_array **out)
{
    for (int i = 0; i < l->n; i++) {
        out[i] = gnd_recording_get(l->r, first + i);
        if (out[i]->kind != GND__ERROR)
            continue;
        if (!l->e.code)
            gnd__err(&l->e, out[i]->p.err->code, "%s: %s", l->func, out[i]->p.err->msg);
        for (int k = 0; k <= i; k++)
            gnd_release(out[k]);
        return 0;
    }
    return 1;
}

void gnd__loop_release(int n, gnd_array **x)
{
    for (int i = 0; i < n; i++)
        gnd_release(x[i]);
}

gnd_status gnd__loop_finish(gnd__loop *l, int n, gnd_array **out)
{
    if (l->r)
        gnd_recording_free(l->r);
    for (int i = 0; l->init && i < l->n && l->init[i]; i++)
        gnd_release(l->init[i]);
    gnd__free(l->init);
    gnd__free(l->in);
    gnd__free(l->made);
    gnd__free(l->number);
    if (l->e.code == GND_OK)
        return GND_OK;
    for (int i = 0; out && i < n; i++)
        out[i] = gnd__error_node(l->dev, &l->e);
    return gnd__only_status(l->func, &l->e);
}
