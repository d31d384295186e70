/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/args.c - helpers for handlers: they convert arguments to C values and C values to results.
 * Messages name the function, the argument and the given value.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/device.h>
#include "base/dtype.h"
#include "base/mem.h"
#include "base/words.h"
#include "lang/call.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int param_len(const gnd__args *c, int i)
{
    return (int)strcspn(c->param[i], "|,=");
}

static int wrong(gnd__args *c, int i, gnd_status code, const char *want)
{
    const gnd__val *v = &c->arg[i].v;
    char given[64];
    if (v->kind == GND__V_ARRAY)
        snprintf(given, sizeof given, "an array of %s with %d dimension%s",
                 gnd_dtype_name(gnd_dtype_of(v->held->a)), gnd_ndim(v->held->a),
                 gnd_ndim(v->held->a) == 1 ? "" : "s");
    else if (v->kind == GND__V_STR)
        snprintf(given, sizeof given, "'%.*s'", (int)(v->str.n > 40 ? 40 : v->str.n), v->str.s);
    else
        snprintf(given, sizeof given, "%s", gnd__val_name(v));
    return gnd__expr_fail(c->x, code, c->arg[i].at, "%s: %.*s must be %s, not %s", c->name,
                          param_len(c, i), c->param[i], want, given);
}

int gnd__arg_wrong(gnd__args *c, int i, const char *want)
{
    return wrong(c, i, GND_ERR_TYPE, want);
}
int gnd__arg_value(gnd__args *c, int i, const char *want)
{
    return wrong(c, i, GND_ERR_ARG, want);
}

int gnd__arg_word(gnd__args *c, int i, const char *words, int missing)
{
    const gnd__val *v = &c->arg[i].v;
    char want[320];
    if (!gnd__arg_given(c, i))
        return missing;
    const int k = v->kind == GND__V_STR ? gnd__word_find(words, v->str.s, v->str.n, 0) : -1;
    if (k >= 0)
        return k;
    gnd__word_list(want, sizeof want, words, "'");
    return v->kind == GND__V_STR ? gnd__arg_value(c, i, want) : gnd__arg_wrong(c, i, want);
}

/* --- arrays ----------------------------------------------------------------------------------- */

static gnd_array *to_array(gnd__args *c, gnd__slot *s, const char *param, int n)
{
    char what[96];
    if (s->v.kind == GND__V_ARRAY) /* what most calls have */
        return s->v.held->a;
    if (gnd__val_is_number(&s->v)) /* which is never wrong: it needs no words */
        return gnd__val_to_array(c->x, &s->v, s->at, c->name);
    snprintf(what, sizeof what, "%s: %.*s", c->name, n, param);
    return gnd__val_to_array(c->x, &s->v, s->at, what);
}

gnd_array *gnd__arg_array(gnd__args *c, int i)
{
    return to_array(c, &c->arg[i], c->param[i], param_len(c, i));
}

gnd_array *gnd__slot_strong(gnd__args *c, gnd__slot *s, const char *param)
{
    gnd_array *a = to_array(c, s, param, (int)strcspn(param, "|,="));
    gnd_device *dev;
    gnd__val v;
    if (!a || !gnd_is_weak(a))
        return a;
    if (gnd__arg_device(c, &dev) ||
        gnd__val_array(c->x, &v, gnd_asarray(dev, a, GND_DTYPE_DEFAULT), s->at))
        return NULL;
    gnd__val_drop(&s->v);
    s->v = v;
    return v.held->a;
}

gnd_array *gnd__arg_strong(gnd__args *c, int i)
{
    return gnd__slot_strong(c, &c->arg[i], c->param[i]);
}

gnd_array *gnd__arg_scalar(gnd__args *c, int i)
{
    gnd_array *a = gnd__arg_array(c, i);
    gnd_status st = GND_OK;
    if (!a || gnd_is_weak(a))
        return a;
    int kind = gnd_dtype_kind(gnd_dtype_of(a));
    if (gnd_size(a) != 1 || kind == 'c') {
        gnd__arg_wrong(c, i, "a number");
        return NULL;
    }
    gnd__val v = kind == 'f'   ? gnd__val_float(gnd_item_f64(a, &st))
                 : kind == 'u' ? gnd__val_uint(gnd_item_u64(a, &st))
                               : gnd__val_int(gnd_item_i64(a, &st));
    if (st) {
        gnd__expr_fail(c->x, st, c->arg[i].at, "%s", gnd_message());
        return NULL;
    }
    gnd__val_drop(&c->arg[i].v);
    c->arg[i].v = v;
    return gnd__arg_array(c, i);
}

/* Converts the items of s to arrays, in place. */
static gnd_array **arrays(gnd__args *c, gnd__slot *s, int n, const char *param)
{
    gnd_array **a = gnd__calloc((size_t)n + 1, sizeof *a);
    if (!a) {
        gnd__expr_nomem(c->x);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        if (!(a[i] = gnd__slot_strong(c, &s[i], param))) {
            gnd__free(a);
            return NULL;
        }
    return a;
}

int gnd__arg_parts(gnd__args *c, int i, int ndim)
{
    gnd__slot *s = &c->arg[i];
    gnd_array *x = s->v.kind == GND__V_ARRAY ? s->v.held->a : NULL;
    if (!x || gnd_ndim(x) < ndim)
        return 0;
    const int64_t n = gnd_dim(x, 0);
    if (n > 1 << 20)
        return gnd__expr_fail(c->x, GND_ERR_OVERFLOW, s->at, "%s: %lld arrays", c->name,
                              (long long)n);
    gnd_array **out = gnd__calloc((size_t)n + 1, sizeof *out);
    gnd__val *const result = c->out;
    gnd__val list;
    if (!out)
        return gnd__expr_nomem(c->x);
    c->out = &list;
    const int bad = gnd__ret_tuple(c, out, (int)n, gnd_unstack(x, 0, out));
    c->out = result;
    gnd__free(out);
    if (bad)
        return -1;
    gnd__val_drop(&s->v);
    s->v = list;
    return 0;
}

gnd_array **gnd__arg_arrays(gnd__args *c, int i, int *n)
{
    gnd__slot *s = &c->arg[i];
    if (gnd__arg_parts(c, i, 1))
        return NULL;
    if (!gnd__val_is_seq(&s->v)) {
        gnd__arg_wrong(c, i, "a list or tuple of arrays");
        return NULL;
    }
    const gnd__seq *seq = s->v.seq;
    if (seq->n > INT32_MAX) {
        gnd__arg_value(c, i, "a shorter list");
        return NULL;
    }
    *n = (int)seq->n;
    /* A fresh list of the same items, which may be changed. */
    gnd__slot *item = gnd__calloc((size_t)*n + 1, sizeof *item);
    gnd__val *v = gnd__calloc((size_t)*n + 1, sizeof *v), list;
    gnd_array **a = NULL;
    if (!item || !v) {
        gnd__expr_nomem(c->x);
    } else {
        for (int k = 0; k < *n; k++)
            item[k] = (gnd__slot){.v = gnd__val_ref(&seq->item[k]), .at = s->at};
        a = arrays(c, item, *n, c->param[i]);
        for (int k = 0; k < *n; k++)
            v[k] = item[k].v;
        if (a && gnd__val_seq(c->x, &list, GND__V_LIST, v, *n, s->at)) {
            gnd__free(a);
            a = NULL;
        } else if (a) {
            gnd__val_drop(&s->v); /* the arrays live in the new list */
            s->v = list;
        }
        for (int k = 0; k < *n; k++)
            gnd__val_drop(&v[k]);
    }
    gnd__free(item);
    gnd__free(v);
    return a;
}

gnd_array **gnd__rest_arrays(gnd__args *c, int *n)
{
    *n = c->nrest;
    return arrays(c, c->rest, c->nrest, "an argument");
}

/* --- numbers ---------------------------------------------------------------------------------- */

int gnd__arg_int(gnd__args *c, int i, int64_t *v)
{
    int r = gnd__val_to_int(c->x, &c->arg[i].v, c->arg[i].at, v);
    return r > 0 ? gnd__arg_wrong(c, i, "an int") : r;
}

int gnd__arg_bool(gnd__args *c, int i, int *v)
{
    if (c->arg[i].v.kind != GND__V_BOOL && c->arg[i].v.kind != GND__V_INT)
        return gnd__arg_wrong(c, i, "True or False");
    *v = c->arg[i].v.i != 0;
    return 0;
}

int gnd__arg_copy(gnd__args *c, int i)
{
    return gnd__arg_given(c, i) && c->arg[i].v.kind != GND__V_BOOL
               ? gnd__arg_wrong(c, i, "True, False or None")
               : 0;
}

int gnd__arg_order(gnd__args *c, int i)
{
    if (c->arg[i].v.kind == GND__V_STR && c->arg[i].v.str.n == 1 &&
        memchr("cfak", c->arg[i].v.str.s[0], 4))
        return 0;
    return gnd__arg_word(c, i, "C F A K", 0) < 0 ? -1 : 0;
}

int gnd__arg_real(gnd__args *c, int i, double *v)
{
    const gnd__val *a = &c->arg[i].v;
    if (a->kind < GND__V_BOOL || a->kind > GND__V_FLOAT)
        return gnd__arg_wrong(c, i, "a number");
    *v = gnd__val_real(a);
    return 0;
}

int gnd__arg_axis(gnd__args *c, int i, int *axis)
{
    int64_t v;
    if (gnd__arg_int(c, i, &v))
        return -1;
    *axis = v < -1000 ? -1000 : v > 1000 ? 1000 : (int)v;
    if (*axis == v)
        return 0;
    return gnd__expr_fail(c->x, GND_ERR_AXIS, c->arg[i].at, "%s: axis %lld is out of range",
                          c->name, (long long)v);
}

static int set_axis(gnd__args *c, int i, int64_t v, gnd_axes *axes)
{
    if (v <= -GND_MAX_NDIM || v >= GND_MAX_NDIM)
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->arg[i].at, "%s: axis %lld is out of range",
                              c->name, (long long)v);
    if (axes->bits & GND_AXIS(v).bits & ~GND_NO_AXES.bits)
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->arg[i].at, "%s: axis %lld is named twice",
                              c->name, (long long)v);
    *axes = gnd_axes_union(*axes, GND_AXIS(v));
    return 0;
}

int gnd__arg_axes(gnd__args *c, int i, gnd_axes *axes)
{
    int64_t v[64];
    int n;
    *axes = GND_ALL;
    if (!gnd__arg_given(c, i))
        return 0;
    *axes = GND_NO_AXES;
    if (c->arg[i].v.kind == GND__V_BOOL)
        return gnd__arg_wrong(c, i, "an int, a tuple of ints or None");
    if (gnd__arg_ints(c, i, v, 64, &n))
        return -1;
    for (int k = 0; k < n; k++)
        if (set_axis(c, i, v[k], axes))
            return -1;
    return 0;
}

gnd_array *gnd__arg_reduced(gnd__args *c, int keepdims, gnd_axes *axes, unsigned *flags)
{
    int keep = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_axes(c, 1, axes) ||
        (gnd__arg_given(c, keepdims) && gnd__arg_bool(c, keepdims, &keep)))
        return NULL;
    *flags = keep ? GND_KEEPDIMS : 0;
    return x;
}

/* Reads a 1-d array of ints from the device. */
static int read_ints(gnd__args *c, gnd__slot *s, int64_t *v, int max, int *n)
{
    gnd_array *a = s->v.held->a;
    int64_t size = gnd_size(a);
    gnd__val cast;
    if (size > max)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, s->at, "%s: %lld ints, at most %d are possible",
                              c->name, (long long)size, max);
    if (gnd__val_array(c->x, &cast, gnd_astype(a, GND_INT64), s->at))
        return -1;
    gnd_status st = gnd_read(cast.held->a, v, (size_t)size * sizeof *v);
    if (st)
        gnd__expr_fail(c->x, st, s->at, "%s", gnd_error(cast.held->a));
    gnd__val_drop(&cast);
    *n = (int)size;
    return st ? -1 : 0;
}

int64_t gnd__arg_length(const gnd__args *c, int i)
{
    const gnd__val *v = &c->arg[i].v;
    if (v->kind == GND__V_ARRAY)
        return gnd_size(v->held->a);
    return gnd__val_is_seq(v) ? v->seq->n : 1;
}

int gnd__slot_ints(gnd__args *c, gnd__slot *s, int64_t *v, int max, int *n)
{
    if (s->v.kind == GND__V_ARRAY && gnd_ndim(s->v.held->a) == 1 &&
        memchr("iu", gnd_dtype_kind(gnd_dtype_of(s->v.held->a)), 2))
        return read_ints(c, s, v, max, n);
    if (!gnd__val_is_seq(&s->v)) {
        *n = 1;
        return gnd__val_to_int(c->x, &s->v, s->at, v);
    }
    const gnd__seq *q = s->v.seq;
    if (q->n > max)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, s->at, "%s: %lld ints, at most %d are possible",
                              c->name, (long long)q->n, max);
    *n = (int)q->n;
    for (int k = 0; k < *n; k++) {
        int r = gnd__val_to_int(c->x, &q->item[k], s->at, &v[k]);
        if (r)
            return r;
    }
    return 0;
}

int gnd__arg_ints(gnd__args *c, int i, int64_t *v, int max, int *n)
{
    int r = gnd__slot_ints(c, &c->arg[i], v, max, n);
    return r > 0 ? gnd__arg_wrong(c, i, "an int or a tuple of ints") : r;
}

int gnd__rest_ints(gnd__args *c, int64_t *v, int max, int *n)
{
    int r = 0;
    if (c->nrest == 1) {
        r = gnd__slot_ints(c, c->rest, v, max, n);
    } else {
        if (c->nrest > max)
            return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at,
                                  "%s: %d ints, at most %d are possible", c->name, c->nrest, max);
        *n = c->nrest;
        for (int k = 0; k < c->nrest && !r; k++)
            r = gnd__val_to_int(c->x, &c->rest[k].v, c->rest[k].at, &v[k]);
    }
    return r > 0 ? gnd__expr_fail(c->x, GND_ERR_TYPE, c->rest->at,
                                  "%s: ints or a tuple of ints are "
                                  "needed",
                                  c->name)
                 : r;
}

/* --- dtypes and devices ----------------------------------------------------------------------- */

int gnd__arg_dtype(gnd__args *c, int i, gnd_dtype *t)
{
    const gnd__val *v = &c->arg[i].v;
    int python = 0;
    char near[160];
    *t = GND_DTYPE_DEFAULT;
    if (!gnd__arg_given(c, i))
        return 0;
    if (v->kind == GND__V_DTYPE) {
        *t = v->t;
        python = v->python;
    } else if (v->kind == GND__V_STR) {
        *t = gnd__expr_dtype(v->str.s, v->str.n, &python);
        if (*t == GND_DTYPE_DEFAULT)
            return gnd__expr_fail(
                c->x, GND_ERR_DTYPE, c->arg[i].at, "%s: '%.*s' is no dtype%s", c->name,
                (int)(v->str.n > 40 ? 40 : v->str.n), v->str.s,
                gnd__expr_near(c->x, GND__NEAR_DTYPES, v->str.s, v->str.n, near, sizeof near));
    } else {
        int extent = i == 1 && v->kind == GND__V_INT && !strncmp(c->param[0], "shape", 5);
        return gnd__arg_wrong(
            c, i,
            extent ? "a dtype (a shape of several extents is one tuple, as (3, 4))" : "a dtype");
    }
    if (python && c->x->dev && *t == GND_FLOAT64)
        *t = gnd_default_float(c->x->dev);
    else if (python && c->x->dev && *t == GND_COMPLEX128)
        *t = gnd__complex_of(gnd_default_float(c->x->dev));
    return 0;
}

int gnd__arg_device(gnd__args *c, gnd_device **dev)
{
    *dev = c->x->dev;
    if (*dev)
        return 0;
    return gnd__expr_fail(c->x, GND_ERR_DEVICE, c->at,
                          "%s: no device is given, and no array that has one", c->name);
}

/* --- results ---------------------------------------------------------------------------------- */

int gnd__ret(gnd__args *c, gnd_array *a)
{
    return gnd__val_array(c->x, c->out, a, c->at);
}

int gnd__ret_tuple(gnd__args *c, gnd_array **a, int n, gnd_status status)
{
    gnd__val *v = gnd__calloc((size_t)n + 1, sizeof *v);
    int bad = v ? 0 : gnd__expr_nomem(c->x);
    for (int i = 0; i < n; i++) {
        if (!a[i])
            continue;
        if (bad)
            gnd_release(a[i]);
        else
            bad = gnd__val_array(c->x, &v[i], a[i], c->at);
    }
    if (!bad && status)
        bad = gnd__expr_fail(c->x, status, c->at, "%s: %s", c->name, gnd_status_text(status));
    if (!bad)
        bad = gnd__val_seq(c->x, c->out, GND__V_TUPLE, v, n, c->at);
    for (int i = 0; v && i < n; i++)
        gnd__val_drop(&v[i]);
    gnd__free(v);
    return bad;
}

int gnd__ret_of(gnd__args *c, gnd_array *(*f)(gnd_array *))
{
    gnd_array *x = gnd__arg_strong(c, 0);
    return x ? gnd__ret(c, f(x)) : -1;
}

int gnd__ret_int(gnd__args *c, gnd_array *(*f)(gnd_array *, int64_t))
{
    int64_t k = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &k)))
        return -1;
    return gnd__ret(c, f(x, k));
}

int gnd__ret_axes(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_axes))
{
    gnd_axes axes;
    gnd_array *x = gnd__arg_strong(c, 0);
    return !x || gnd__arg_axes(c, 1, &axes) ? -1 : gnd__ret(c, f(x, axes));
}
