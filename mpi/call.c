/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call.c - gndm_call: binds the arguments of a function, and calls gnd on local parts or on
 * placeholders.
 */
#include "call.h"

#include <string.h>

/* --- arguments -------------------------------------------------------------------------------- */

static int has_name(const gnd_parameter *p, const char *name)
{
    return !strcmp(p->name, name) || gndm__word(p->others, name);
}

/* Sets a->at: the value of each parameter. Values that do not match a parameter are left for gnd,
 * which reports the error. */
static void bind(gndm__args *a)
{
    for (int i = 0; i < GND_PARAMETERS; i++)
        a->at[i] = -1;
    for (int i = 0; i < a->n - a->nkw && i < a->info->nparameters; i++) {
        if (a->info->parameter[i].kind == GND_PARAMETER_REST)
            break;
        a->at[i] = i;
    }
    for (int k = 0; k < a->nkw; k++)
        for (int i = 0; i < a->info->nparameters; i++)
            if (has_name(&a->info->parameter[i], a->kw[k]))
                a->at[i] = a->n - a->nkw + k;
}

const gnd_value *gndm__arg(const gndm__args *a, const char *name)
{
    for (int i = 0; i < a->info->nparameters; i++)
        if (has_name(&a->info->parameter[i], name) && a->at[i] >= 0)
            return a->v[a->at[i]].tag == GND_V_NOTHING ? NULL : &a->v[a->at[i]];
    return NULL;
}

int gndm__given(const gndm__args *a, const char *name)
{
    for (int i = 0; i < a->info->nparameters; i++)
        if (has_name(&a->info->parameter[i], name))
            return a->at[i] >= 0;
    return 0;
}

gndm_array *gndm__arg_array(const gndm__args *a, const char *name)
{
    return gndm__as_array(gndm__arg(a, name));
}

int64_t gndm__arg_int(const gndm__args *a, const char *name, int64_t initial)
{
    const gnd_value *v = gndm__arg(a, name);
    return v && (v->tag == GND_V_INT || v->tag == GND_V_BOOL) ? v->as.i : initial;
}

int gndm__arg_true(const gndm__args *a, const char *name)
{
    return gndm__arg_int(a, name, 0) != 0;
}

uint32_t gndm__arg_axes(const gndm__args *a, int ndim, int *all)
{
    const gnd_value *v = gndm__arg(a, "axis");
    uint32_t mask = 0;
    if (all)
        *all = !v;
    if (!v)
        return (uint32_t)((UINT64_C(1) << ndim) - 1);
    const int64_t n = v->tag == GND_V_TUPLE || v->tag == GND_V_LIST ? v->as.items.n : 1;
    for (int64_t i = 0; i < n; i++) {
        const gnd_value *x = v->tag == GND_V_INT ? v : &v->as.items.item[i];
        const int64_t d = x->as.i < 0 ? x->as.i + ndim : x->as.i;
        if (x->tag == GND_V_INT && d >= 0 && d < ndim)
            mask |= UINT32_C(1) << d;
    }
    return mask;
}

void gndm__replace(gndm__args *a, int i, gndm_array *x)
{
    a->v[i] = gndm_value(x);
}

/* --- calls of gnd ----------------------------------------------------------------------------- */

typedef gnd_array *stand_in(gndm_array *x);

static gnd_status replace_one(gndm__args *a, gnd_value *v, void *of)
{
    (void)a;
    if (gndm__as_array(v)) /* not a gnd array that a handler put there */
        *v = gnd_value_array((*(stand_in **)of)(gndm__as_array(v)));
    return GND_OK;
}

/* Calls the function with of(x) in place of each distributed array x. The generator of random
 * numbers is the context's. */
static gnd_status call_with(gndm__args *a, stand_in *of, gnd_value *out)
{
    gnd_value *v = malloc(((size_t)a->n + 1) * sizeof *v);
    int bad = !v;
    for (int i = 0; i < a->n && !bad; i++) {
        v[i] = a->v[i];
        bad = gndm__each_array(a, &v[i], replace_one, &of) != GND_OK;
    }
    if (bad) {
        free(v);
        *out = gnd_value_none();
        gnd_wait(gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", a->name)); /* gnd_message() */
        return GND_ERR_NOMEM;
    }
    gnd_rng *thread = gnd_call_rng(), before = *thread;
    *thread = a->c->rng;
    const gnd_status st = gnd_call_function(a->c->dev, a->f, a->n, v, a->nkw, a->kw, out);
    a->c->rng = *thread;
    *thread = before;
    free(v);
    return st;
}

/* gnd looks at the indices of a result without elements at once, so ints are zeros, not anything.
 */
static gnd_array *placeholder(gndm_array *x)
{
    if (x->status)
        return gnd_fail(x->status, "%s", gndm_error(x));
    gnd_array *(*make)(gnd_device *, gnd_dtype, int, const int64_t *) =
        strchr("iu", gnd_dtype_kind(x->dtype)) ? gnd_zeros : gnd_empty;
    return make(x->ctx->dev, x->dtype, x->part->ndim, x->part->shape);
}

gnd_status gndm__try(gndm__args *a, gnd_value *out)
{
    const gnd_rng before = a->c->rng;
    const gnd_status st = call_with(a, placeholder, out);
    a->c->rng = before;
    if (st == GND_ERR_NOMEM)
        return gndm__broken(a->c, st, "%s", gnd_message());
    return st ? gndm__fail(a->c, st, "%s", gnd_message()) : GND_OK;
}

gnd_status gndm__local_call(gndm__args *a, gnd_value *out)
{
    char text[GNDM_TEXT];
    const gnd_status st = call_with(a, gndm_local, out);
    if (!st)
        return GND_OK;
    snprintf(text, sizeof text, "%s", gnd_message());
    /* the error is this rank's own, unless the call fails on placeholders as well */
    gnd_value v;
    const gnd_status all = gndm__try(a, &v);
    if (all)
        return all;
    gnd_value_clear(&v);
    *out = gnd_value_array(gnd_fail(st, "%s", text));
    return GND_OK;
}

/* --- results ---------------------------------------------------------------------------------- */

gnd_status gndm__ret_array(gndm__args *a, gndm_array *y)
{
    if (y->status)
        return gndm__fail(a->c, y->status, "%s", gndm_error(y));
    *a->out = gndm_value(y);
    return GND_OK;
}

void gndm__drop_items(gnd_value *v)
{
    if (v->tag != GND_V_TUPLE && v->tag != GND_V_LIST)
        return;
    for (int64_t i = 0; i < v->as.items.n; i++) {
        const gnd_value *x = &v->as.items.item[i];
        if (x->tag == GND_V_STRING || x->tag == GND_V_SLICE || x->tag >= GND_V_TUPLE ||
            (x->tag == GND_V_ARRAY && gnd_is_weak(x->as.array)))
            return;
    }
    /* the scope must keep the arrays: gnd_value_clear releases one ownership, so add one before */
    for (int64_t i = 0; i < v->as.items.n; i++)
        if (v->as.items.item[i].tag == GND_V_ARRAY)
            gnd_retain(v->as.items.item[i].as.array);
    gnd_value_clear(v);
}

/* The result is a tuple like `like`, which is dropped: of arrays with its own parts, or all with
 * the error that this rank has instead, if it is not NULL. */
static gnd_status ret_tuple(gndm__args *a, gnd_value *like, gnd_array *error, gndm_part *part)
{
    const int64_t n = like->as.items.n;
    gnd_value *item = calloc((size_t)n + 1, sizeof *item);
    if (!item)
        return gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    for (int64_t i = 0; i < n; i++) {
        const gnd_value *v = &like->as.items.item[i];
        gnd_array *x = v->tag == GND_V_ARRAY ? v->as.array : NULL;
        item[i] = x && !gnd_is_weak(x)
                      ? gndm_value(gndm__array(a->c, gnd_dtype_of(x), part, error ? error : x))
                      : *v;
    }
    gndm__drop_items(like);
    *a->out = gnd_value_tuple(n, item);
    a->out->aux = GND_VALUE_OWNED;
    return GND_OK;
}

gnd_status gndm__ret(gndm__args *a, gnd_value *local, gndm_part *part)
{
    gndm_ctx *c = a->c;
    if (local->tag == GND_V_ARRAY && !gnd_is_weak(local->as.array)) {
        gnd_array *x = local->as.array;
        gnd_dtype t = gnd_dtype_of(x);
        gnd_value v;
        if (gnd_status_of(x)) { /* the local array has no dtype: take that of the other ranks */
            const gnd_status st = gndm__try(a, &v);
            if (st)
                return st;
            if (v.tag == GND_V_TUPLE || v.tag == GND_V_LIST)
                return ret_tuple(a, &v, x, part);
            t = v.tag == GND_V_ARRAY ? gnd_dtype_of(v.as.array) : GND_FLOAT64;
        }
        return gndm__ret_array(a, gndm__array(c, t, part, x));
    }
    if (local->tag != GND_V_TUPLE && local->tag != GND_V_LIST) {
        *a->out = *local;
        return GND_OK;
    }
    return ret_tuple(a, local, NULL, part);
}

void gndm_value_clear(gnd_value *v)
{
    if (!v)
        return;
    if (v->tag == GND_V_TUPLE && v->aux == GND_VALUE_OWNED) {
        for (int64_t i = 0; i < v->as.items.n; i++)
            gndm_release(gndm__as_array(&v->as.items.item[i]));
        free((void *)(uintptr_t)v->as.items.item);
    } else if (gndm__as_array(v)) {
        gndm_release(gndm__as_array(v));
    } else if (v->tag != GND_V_ARRAY) { /* numbers, and what gnd returned about dtypes */
        gnd_value_clear(v);
    }
    *v = gnd_value_none();
}

/* --- the call --------------------------------------------------------------------------------- */

/* Writes as text what must be the same on all ranks: shapes, dtypes and numbers. */
static void describe(int n, const gnd_value *v, int nkw, const char *const *kw, char *buf,
                     size_t size)
{
    size_t at = 0;
    buf[0] = 0;
    for (int i = 0; i < n && at + 32 < size; i++, v++) {
        const gndm_array *x = gndm__as_array(v);
        const int k = i - (n - nkw);
        at += (size_t)snprintf(buf + at, size - at, "%s%s%s", i ? ", " : "", k >= 0 ? kw[k] : "",
                               k >= 0 ? "=" : "");
        if (at >= size)
            break;
        if (x && !x->status) {
            char text[GNDM_SHAPE_TEXT];
            at += (size_t)snprintf(buf + at, size - at, "%s%s", gnd_dtype_name(x->dtype),
                                   gndm__shape_text(text, x->part->ndim, x->part->shape));
        } else if (v->tag == GND_V_FLOAT || v->tag == GND_V_COMPLEX) {
            at += (size_t)snprintf(buf + at, size - at, "%g", v->as.z.re);
        } else if (v->tag == GND_V_INT || v->tag == GND_V_BOOL) {
            at += (size_t)snprintf(buf + at, size - at, "%lld", (long long)v->as.i);
        } else {
            at += (size_t)snprintf(buf + at, size - at, "<%u>", v->tag);
        }
    }
}

static gnd_status begin(gndm_ctx *c, const char *name, int n, const gnd_value *v, int nkw,
                        const char *const *kw)
{
    char text[160] = "";
    if (c->flags & GNDM_CHECK_CALLS && !c->nested)
        describe(n, v, nkw, kw, text, sizeof text);
    return gndm__enter(c, name, "%s", text);
}

static gnd_status run(gndm_ctx *c, const gndm_part *part, const char *name, int n,
                      const gnd_value *values, int nkw, const char *const *keywords, gnd_value *out)
{
    gndm__args a = {.c = c, .name = name, .n = n, .nkw = nkw, .kw = keywords, .part = part};
    *out = gnd_value_none();
    a.out = out;
    a.f = gnd_function_find(name, 0);
    if (!a.f) {
        gnd_value none;
        const gnd_status st = gnd_call(c->dev, name, 0, NULL, 0, NULL, &none);
        return gndm__fail(c, st ? st : GND_ERR_NAME, "%s", gnd_message());
    }
    a.about = gndm__about_function(name, a.f);
    if (!a.about)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", name);
    a.info = &a.about->info;
    a.rule = a.about->rule;
    if (!a.rule || !a.rule->run)
        return gndm__fail(c, GND_ERR_UNSUPPORTED, "%s: not there for distributed arrays: %s", name,
                          a.rule ? a.rule->cls
                                 : "compute it with gnd on a copy that every rank has "
                                   "(gndm_part_replicated, gndm_local)");
    a.v = calloc((size_t)n + 1, sizeof *a.v);
    if (!a.v)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", name);
    if (n)
        memcpy(a.v, values, (size_t)n * sizeof *values);
    bind(&a);
    int done = 0;
    gnd_status st = gndm__adopt(&a);
    if (!st)
        st = gndm__alone(&a, &done);
    if (!st && !done)
        st = a.rule->run(&a);
    if (!st && c->broken) /* by a failure that the handler passed over */
        st = c->status;
    gndm__drop_memory(&a);
    free(a.v);
    return st;
}

/* Moves the arrays of a result out of the scope of the call. */
static void keep(const gnd_value *v)
{
    if (v->tag == GND_V_TUPLE && v->aux == GND_VALUE_OWNED)
        for (int64_t i = 0; i < v->as.items.n; i++)
            gndm_keep(gndm__as_array(&v->as.items.item[i]));
    else
        gndm_keep(gndm__as_array(v));
}

gnd_status gndm_call(gndm_ctx *c, const char *name, int n, const gnd_value *values, int nkw,
                     const char *const *keywords, gnd_value *out)
{
    if (!c || !name || !out || (n > 0 && !values) || (nkw > 0 && !keywords) || nkw > n)
        return GND_ERR_NULL;
    gnd_status st = begin(c, name, n, values, nkw, keywords);
    if (!st)
        st = run(c, NULL, name, n, values, nkw, keywords, out);
    else
        *out = gnd_value_none();
    if (!st)
        keep(out);
    gndm__leave(c, NULL);
    return st;
}

gndm_array *gndm_apply(gndm_ctx *c, const gndm_part *part, const char *name, int n,
                       const gnd_value *values, int nkw, const char *const *keywords)
{
    if (!c || !name || (n > 0 && !values) || (nkw > 0 && !keywords) || nkw > n)
        return gndm__error(c, GND_ERR_NULL);
    gnd_value out;
    gndm_array *y = NULL;
    gnd_status st = begin(c, name, n, values, nkw, keywords);
    if (!st)
        st = run(c, part, name, n, values, nkw, keywords, &out);
    if (!st && out.tag != GNDM_V_ARRAY) {
        st = gndm__fail(c, GND_ERR_TYPE, "%s: the result is no array: use gndm_call", name);
        gndm_value_clear(&out);
    }
    if (!st)
        y = part ? gndm_redistribute(gndm__as_array(&out), part) : gndm__as_array(&out);
    return gndm__leave(c, st ? gndm__error(c, st) : y);
}

/* --- short forms ------------------------------------------------------------------------------ */

gndm_array *gndm__call1(gndm_ctx *c, const char *name, gndm_array *x)
{
    const gnd_value v = gndm_value(x);
    return gndm_apply(c, NULL, name, 1, &v, 0, NULL);
}

gndm_array *gndm__call2(gndm_ctx *c, const char *name, gnd_value x, gnd_value y)
{
    const gnd_value v[2] = {x, y};
    return gndm_apply(c, NULL, name, 2, v, 0, NULL);
}

static gndm_ctx *ctx_of(const gndm_array *x)
{
    return x ? x->ctx : NULL;
}

gndm_array *gndm_unary(const char *name, gndm_array *x)
{
    return gndm__call1(ctx_of(x), name, x);
}

gndm_array *gndm_binary(const char *name, gndm_array *x, gndm_array *y)
{
    return gndm__call2(ctx_of(x), name, gndm_value(x), gndm_value(y));
}

gndm_array *gndm_with(const char *name, gndm_array *x, double number)
{
    return gndm__call2(ctx_of(x), name, gndm_value(x), gnd_value_float(number));
}

gndm_array *gndm_along(const char *name, gndm_array *x, int64_t axis)
{
    static const char *const axis_name[] = {"axis"};
    const gnd_value v[2] = {gndm_value(x),
                            axis == GND_NONE ? gnd_value_none() : gnd_value_int(axis)};
    return gndm_apply(ctx_of(x), NULL, name, 2, v, 1, axis_name);
}
