/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/call_api.c - functions by name (gnd/call.h): converts tagged values to the values that
 * handlers take, and results back to tagged values. Look-up, binding of arguments and messages are
 * those of the language (lang/call.h).
 */
#include <gnd/array.h>
#include <gnd/call.h>
#include <gnd/create.h>
#include <gnd/device.h>

#include <string.h>
#include "base/err.h"
#include "base/mem.h"
#include "lang/call.h"

/* Calls with at most this many values need no allocation. */
enum { FEW = 8 };

/* --- results ---------------------------------------------------------------------------------- */

/* Memory for the items of a result. */
typedef struct block {
    const char *fields; /* or NULL */
    gnd_value item[];
} block;

static block *block_of(const gnd_value *v)
{
    return (block *)((char *)(uintptr_t)v->as.items.item - offsetof(block, item));
}

static int has_items(uint32_t tag)
{
    return tag == GND_V_SLICE || tag == GND_V_TUPLE || tag == GND_V_LIST || tag == GND_V_RECORD;
}

/* The recursion is as deep as the result is nested; whatever makes a result limits that. */
void gnd_value_clear(gnd_value *v)
{
    if (!v)
        return;
    const gnd_value w = *v;
    *v = gnd_value_none();
    if (!(w.aux & GND_VALUE_OWNED))
        return;
    if (w.tag == GND_V_ARRAY) {
        gnd_release(w.as.array);
    } else if (w.tag == GND_V_STRING) {
        gnd__free((void *)(uintptr_t)w.as.text.s);
    } else if (has_items(w.tag)) {
        block *b = block_of(&w);
        for (int64_t i = 0; i < w.as.items.n; i++)
            gnd_value_clear(&b->item[i]);
        gnd__free(b);
    }
}

const char *gnd_value_fields(const gnd_value *v)
{
    return v && v->aux & GND_VALUE_NAMED ? block_of(v)->fields : NULL;
}

const gnd_value *gnd_value_field(const gnd_value *v, const char *name)
{
    const char *p = gnd_value_fields(v);
    const size_t n = name ? strlen(name) : 0;
    for (int64_t i = 0; p && n && *p; i++) {
        const size_t len = strcspn(p, " ");
        if (len == n && !memcmp(p, name, n))
            return &v->as.items.item[i];
        p += len + (p[len] == ' ');
    }
    return NULL;
}

/* *out = v. The caller still drops v. */
static int give(gnd__expr *x, gnd__val *v, gnd_value *out);

static int give_items(gnd__expr *x, gnd__val *v, uint32_t tag, gnd_value *out)
{
    const gnd__seq *q = v->seq;
    block *b = gnd__malloc(sizeof *b + (size_t)q->n * sizeof b->item[0]);
    if (!b)
        return gnd__expr_nomem(x);
    b->fields = q->fields;
    *out = gnd_value_tuple(0, b->item);
    out->tag = tag;
    out->aux = GND_VALUE_OWNED | (q->fields ? GND_VALUE_NAMED : 0u);
    for (int64_t i = 0; i < q->n; i++) {
        gnd__val item = gnd__val_ref(&q->item[i]);
        const int bad = give(x, &item, &b->item[i]);
        gnd__val_drop(&item);
        if (bad) {
            gnd_value_clear(out);
            return -1;
        }
        out->as.items.n = i + 1;
    }
    return 0;
}

static int give_array(gnd__expr *x, gnd__val *v, gnd_value *out)
{
    gnd__held *h = v->held;
    gnd_array *a = h->a;
    if (h->own && h->refs == 1)
        h->own = 0; /* the handle moves to the result */
    else
        a = gnd__again(a);
    if (gnd_status_of(a)) {
        const gnd_status st = gnd_status_of(a);
        gnd__expr_fail(x, st, 0, "%s", gnd_error(a));
        gnd_release(a);
        return -1;
    }
    *out = gnd_value_array(a);
    out->aux = GND_VALUE_OWNED;
    return 0;
}

static int give(gnd__expr *x, gnd__val *v, gnd_value *out)
{
    char *text;
    *out = gnd_value_none();
    switch ((gnd__vkind)v->kind) {
    case GND__V_MISSING:
    case GND__V_NONE: return 0;
    case GND__V_ELLIPSIS: out->tag = GND_V_ELLIPSIS; return 0;
    case GND__V_BOOL: *out = gnd_value_bool(v->i != 0); return 0;
    case GND__V_INT:
    case GND__V_UINT:
        *out = gnd_value_int(v->i);
        out->aux = v->kind == GND__V_UINT ? GND_VALUE_UNSIGNED : 0;
        return 0;
    case GND__V_FLOAT:
    case GND__V_COMPLEX:
        out->tag = v->kind == GND__V_FLOAT ? GND_V_FLOAT : GND_V_COMPLEX;
        out->as.z = (gnd_value_parts){v->z.re, v->kind == GND__V_FLOAT ? 0 : v->z.im};
        return 0;
    case GND__V_STR:
        if (!(text = gnd__malloc(v->str.n + 1)))
            return gnd__expr_nomem(x);
        memcpy(text, v->str.s, v->str.n);
        text[v->str.n] = 0;
        *out = (gnd_value){GND_V_STRING, GND_VALUE_OWNED, {.text = {text, v->str.n}}};
        return 0;
    case GND__V_DTYPE:
        *out = gnd_value_dtype(v->t);
        out->aux = v->python ? GND_VALUE_PYTHON : 0;
        return 0;
    case GND__V_ARRAY: return give_array(x, v, out);
    case GND__V_SLICE: return give_items(x, v, GND_V_SLICE, out);
    case GND__V_TUPLE: return give_items(x, v, GND_V_TUPLE, out);
    case GND__V_LIST: return give_items(x, v, GND_V_LIST, out);
    case GND__V_RECORD: return give_items(x, v, GND_V_RECORD, out);
    case GND__V_OBJECT: *out = v->object->v; return 0;
    case GND__V_RNG: break; /* a generator is made only in a text */
    }
    return gnd__expr_fail(x, GND_ERR_INTERNAL, 0, "a result of kind %d", v->kind);
}

int gnd__value_give(gnd__expr *x, gnd__val *v, gnd_value *out)
{
    return give(x, v, out);
}

/* --- arguments -------------------------------------------------------------------------------- */

/* Checks an array argument; the messages are those of the language. */
static int take_array(gnd__expr *x, gnd_array *a, gnd__val *out)
{
    if (!a)
        return gnd__expr_fail(x, GND_ERR_NULL, 0, "an array argument is NULL");
    if (gnd__is_released(a))
        return gnd__expr_fail(x, GND_ERR_STATE, 0, "an argument is a released array");
    if (gnd_status_of(a)) {
        x->err.code = gnd_status_of(a);
        memcpy(x->err.msg, gnd_error(a), strlen(gnd_error(a)) + 1);
        return -1;
    }
    if (!x->dev)
        x->dev = gnd_device_of(a);
    return gnd__val_borrow(x, out, a);
}

/* *out = v. Strings and arrays stay owned by the caller. depth: the number of sequences around
 * v. */
static int take(gnd__expr *x, const gnd_value *v, gnd__val *out, int depth)
{
    static const gnd__vkind kinds[] = {[GND_V_SLICE] = GND__V_SLICE,
                                       [GND_V_TUPLE] = GND__V_TUPLE,
                                       [GND_V_LIST] = GND__V_LIST,
                                       [GND_V_RECORD] = GND__V_TUPLE};
    *out = (gnd__val){.kind = GND__V_NONE};
    switch (v->tag) {
    case GND_V_NOTHING: return 0;
    case GND_V_ELLIPSIS: out->kind = GND__V_ELLIPSIS; return 0;
    case GND_V_BOOL: *out = gnd__val_bool(v->as.i != 0); return 0;
    case GND_V_INT:
        *out =
            v->aux & GND_VALUE_UNSIGNED ? gnd__val_uint((uint64_t)v->as.i) : gnd__val_int(v->as.i);
        return 0;
    case GND_V_FLOAT: *out = gnd__val_float(v->as.z.re); return 0;
    case GND_V_COMPLEX: *out = gnd__val_complex(v->as.z.re, v->as.z.im); return 0;
    case GND_V_STRING:
        if (!v->as.text.s)
            return gnd__expr_fail(x, GND_ERR_NULL, 0, "a string among the arguments is NULL");
        out->kind = GND__V_STR;
        out->str.s = v->as.text.s;
        out->str.n = v->as.text.n;
        return 0;
    case GND_V_DTYPE:
        if ((int)v->as.dtype < 0 || v->as.dtype >= GND_NDTYPES)
            return gnd__expr_fail(x, GND_ERR_DTYPE, 0, "%d among the arguments is no dtype",
                                  (int)v->as.dtype);
        *out = (gnd__val){
            .kind = GND__V_DTYPE, .python = (v->aux & GND_VALUE_PYTHON) != 0, .t = v->as.dtype};
        return 0;
    case GND_V_ARRAY: return take_array(x, v->as.array, out);
    case GND_V_SLICE:
    case GND_V_TUPLE:
    case GND_V_LIST:
    case GND_V_RECORD: break;
    default:
        if (x->of && v->tag >= GND_V_OBJECT)
            return gnd__val_object(x, out, v, 0);
        return gnd__expr_fail(x, GND_ERR_ARG, 0, "an argument has the tag %u, which there is not",
                              v->tag);
    }
    const int64_t n = v->as.items.n;
    if (n < 0 || (n && !v->as.items.item))
        return gnd__expr_fail(
            x, n < 0 ? GND_ERR_ARG : GND_ERR_NULL, 0, "%s among the arguments has %lld items%s",
            v->tag == GND_V_LIST ? "a list" : "a tuple", (long long)n, n < 0 ? "" : " at NULL");
    if (v->tag == GND_V_SLICE && n != 3)
        return gnd__expr_fail(x, GND_ERR_ARG, 0,
                              "a slice of %lld items: it has start, stop and step", (long long)n);
    if (depth >= GND__EXPR_DEPTH || n > INT64_MAX / (int64_t)sizeof(gnd__val) - 1)
        return gnd__expr_fail(x, GND_ERR_OVERFLOW, 0, "lists of too many items or levels");
    gnd__val *item = gnd__malloc(((size_t)n + 1) * sizeof *item);
    if (!item)
        return gnd__expr_nomem(x);
    int64_t have = 0;
    int bad = 0;
    while (have < n && !(bad = take(x, &v->as.items.item[have], &item[have], depth + 1)))
        have++;
    if (!bad)
        bad = gnd__val_seq(x, out, (int)kinds[v->tag], item, n, 0);
    for (int64_t i = 0; i < have; i++)
        gnd__val_drop(&item[i]); /* the values are MISSING if they were moved */
    gnd__free(item);
    if (bad)
        out->kind = GND__V_NONE;
    return bad;
}

int gnd__value_take(gnd__expr *x, const gnd_value *v, gnd__val *out)
{
    return take(x, v, out, 0);
}

/* --- calls ------------------------------------------------------------------------------------ */

gnd_rng *gnd_call_rng(void)
{
    static _Thread_local gnd_rng rng; /* zeros are the state of gnd_rng_seed(0) */
    return &rng;
}

/* A number as a weak scalar; NULL for any other value. */
static gnd_array *scalar(const gnd_value *v)
{
    switch (v->tag) {
    case GND_V_BOOL: return gnd_bool(v->as.i != 0);
    case GND_V_INT:
        return v->aux & GND_VALUE_UNSIGNED ? gnd_uint((uint64_t)v->as.i) : gnd_int(v->as.i);
    case GND_V_FLOAT: return gnd_real(v->as.z.re);
    case GND_V_COMPLEX: return gnd_complex(v->as.z.re, v->as.z.im);
    default: return NULL;
    }
}

/* Applies operation op to n arrays and numbers without making a gnd__val of each: most calls are of
 * this kind. Returns 0 with the result in *y; 1 if an argument is neither array nor number. */
static int operation(int op, int n, const gnd_value *values, gnd_array **y)
{
    gnd_array *in[3] = {NULL}, *made[3];
    int m = 0, nin = 0;
    (void)gnd__expr_op_name(op, &nin);
    int other = n != nin;
    for (int i = 0; i < n && !other; i++) {
        if (values[i].tag == GND_V_ARRAY)
            in[i] = values[i].as.array;
        else if ((in[i] = scalar(&values[i])))
            made[m++] = in[i];
        else
            other = 1;
    }
    if (!other)
        *y = gnd__expr_op_call(op, n, in);
    while (m > 0)
        gnd_release(made[--m]);
    return other;
}

/* Stores the result y of an operation in *out: a number if all arguments were numbers. */
static gnd_status give_result(const gnd_function *f, gnd_array *y, gnd_value *out)
{
    gnd__expr x;
    gnd__val v;
    if (!gnd_status_of(y) && !gnd_is_weak(y)) {
        *out = gnd_value_array(y);
        out->aux = GND_VALUE_OWNED;
        return GND_OK;
    }
    memset(&x, 0, sizeof x);
    x.func = f->name;
    if (gnd__val_array(&x, &v, y, 0))
        return gnd__only_status(f->name, &x.err);
    return give(&x, &v, out) ? gnd__only_status(f->name, &x.err) : GND_OK;
}

/* Calls f; if f is NULL, the function of that name. */
static int run(gnd__expr *x, const gnd_function *f, const char *name, int method, int n,
               const gnd_value *values, int nkw, const char *const *keywords, gnd__slot *arg,
               gnd_value *out)
{
    gnd__val result = {.kind = GND__V_MISSING};
    for (int i = 0; i < n; i++) {
        const char *kw = i >= n - nkw ? keywords[i - (n - nkw)] : NULL;
        if (i >= n - nkw && !(kw && kw[0]))
            return gnd__expr_fail(x, kw ? GND_ERR_TYPE : GND_ERR_NULL, 0,
                                  "the name of keyword %d is %s", i - (n - nkw),
                                  kw ? "empty" : "NULL");
        arg[i].kw = kw;
        arg[i].kw_n = kw ? (uint32_t)strlen(kw) : 0;
        if (take(x, &values[i], &arg[i].v, 0))
            return -1;
    }
    int bad = f ? gnd__call_function(x, f, 0, arg, n, &result)
                : gnd__call(x, name, strlen(name), 0, method, arg, n, &result);
    if (!bad)
        bad = give(x, &result, out);
    gnd__val_drop(&result);
    return bad;
}

static gnd_status call(gnd_device *dev, const gnd_function *f, const char *name, int method, int n,
                       const gnd_value *values, int nkw, const char *const *keywords,
                       gnd_value *out)
{
    const char *func = f ? f->name : "call";
    gnd__slot few[FEW], *arg = few;
    gnd_array *y;
    gnd__expr x;
    if (!out)
        return gnd__refuse(GND_ERR_NULL, "%s: out is NULL", func);
    *out = gnd_value_none();
    if (n < 0 || nkw < 0 || nkw > n)
        return gnd__refuse(GND_ERR_ARG, "%s: n is %d and nkw %d: nkw of the n values have names",
                           func, n, nkw);
    if ((n && !values) || (nkw && !keywords))
        return gnd__refuse(GND_ERR_NULL, "%s: %s is NULL", func,
                           n && !values ? "values" : "keywords");
    if (n && nkw == n && method)
        return gnd__refuse(GND_ERR_TYPE,
                           "%s: the object of a method has no name: it is the first value", func);
    if (f && f->op >= 0 && !nkw && !operation(f->op, n, values, &y))
        return give_result(f, y, out);
    if (dev && gnd_device_status(dev))
        return gnd__refuse(gnd_device_status(dev), "%s: %s", func, gnd_device_error(dev));
    memset(&x, 0, sizeof x);
    x.func = func;
    x.dev = dev;
    x.rng = *gnd_call_rng();
    if (n > FEW && !(arg = gnd__malloc((size_t)n * sizeof *arg)))
        return gnd__refuse(GND_ERR_NOMEM, "%s: out of host memory", func);
    for (int i = 0; i < n; i++)
        arg[i] = (gnd__slot){.v = {.kind = GND__V_MISSING}};
    const int bad = run(&x, f, name, method, n, values, nkw, keywords, arg, out);
    for (int i = 0; i < n; i++)
        gnd__val_drop(&arg[i].v);
    if (arg != few)
        gnd__free(arg);
    *gnd_call_rng() = x.rng;
    return bad ? gnd__only_status(func, &x.err) : GND_OK;
}

const gnd_function *gnd_function_find(const char *name, int method)
{
    return name ? gnd__function(name, strlen(name), method != 0) : NULL;
}

gnd_status gnd_call_function(gnd_device *dev, const gnd_function *f, int n, const gnd_value *values,
                             int nkw, const char *const *keywords, gnd_value *out)
{
    if (!f)
        return gnd__refuse(GND_ERR_NULL, "call_function: f is NULL");
    return call(dev, f, NULL, f->method, n, values, nkw, keywords, out);
}

gnd_status gnd_call(gnd_device *dev, const char *name, int n, const gnd_value *values, int nkw,
                    const char *const *keywords, gnd_value *out)
{
    if (!name)
        return gnd__refuse(GND_ERR_NULL, "call: name is NULL");
    return call(dev, gnd_function_find(name, 0), name, 0, n, values, nkw, keywords, out);
}

gnd_status gnd_call_method(gnd_device *dev, const char *name, int n, const gnd_value *values,
                           int nkw, const char *const *keywords, gnd_value *out)
{
    if (!name)
        return gnd__refuse(GND_ERR_NULL, "call_method: name is NULL");
    return call(dev, gnd_function_find(name, 1), name, 1, n, values, nkw, keywords, out);
}
