/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/object.c - arrays of another library in the language (gnd_eval_values). Functions,
 * operators, indices and attributes of such an array are calls of that library. The language
 * handles the text, names, numbers and their arithmetic, tuples, and the positions of errors.
 */
#include <gnd/array.h>
#include <gnd/eval.h>
#include <gnd/view.h>

#include <string.h>
#include "base/err.h"
#include "base/mem.h"
#include "lang/call.h"

int gnd__val_object(gnd__expr *x, gnd__val *v, const gnd_value *object, int own)
{
    gnd__object *o = gnd__malloc(sizeof *o);
    if (!o)
        return gnd__expr_nomem(x);
    *o = (gnd__object){.refs = 1, .own = own, .of = x->of, .v = *object};
    *v = (gnd__val){.kind = GND__V_OBJECT, .object = o};
    return 0;
}

/* --- results ---------------------------------------------------------------------------------- */

/* *v = r, a result of the library. Arrays and objects move to v; the caller still clears what is
 * left in r. */
static int receive(gnd__expr *x, gnd_value *r, gnd__val *v, size_t at)
{
    int bad;
    if (r->tag >= GND_V_OBJECT) {
        bad = gnd__val_object(x, v, r, 1);
    } else if (r->tag == GND_V_ARRAY) {
        *r = (bad = gnd__val_array(x, v, r->as.array, at), gnd_value_none());
        return bad;
    } else if (r->tag == GND_V_TUPLE || r->tag == GND_V_LIST) {
        const int64_t n = r->as.items.n;
        gnd_value *from = (gnd_value *)(uintptr_t)r->as.items.item;
        gnd__val *item = gnd__calloc((size_t)n + 1, sizeof *item);
        bad = item ? 0 : gnd__expr_nomem(x);
        for (int64_t i = 0; i < n && !bad; i++)
            bad = receive(x, &from[i], &item[i], at);
        if (!bad)
            bad = gnd__val_seq(x, v, GND__V_TUPLE, item, n, at);
        for (int64_t i = 0; item && i < n; i++)
            gnd__val_drop(&item[i]);
        gnd__free(item);
        return bad;
    } else {
        bad = r->tag <= GND_V_COMPLEX || r->tag == GND_V_DTYPE
                  ? gnd__value_take(x, r, v)
                  : gnd__expr_fail(x, GND_ERR_INTERNAL, at, "a result with the tag %u", r->tag);
    }
    if (!bad)
        *r = gnd_value_none();
    return bad;
}

/* Ends a call: st is its status, r its result. */
static int finish(gnd__expr *x, gnd_status st, gnd_value *r, gnd__val *v, size_t at)
{
    if (st)
        return gnd__expr_fail(x, st, at, "%s", x->of->message(x->of->arg));
    const int bad = receive(x, r, v, at);
    x->of->clear(x->of->arg, r);
    return bad;
}

/* --- calls ------------------------------------------------------------------------------------ */

static int holds_object(const gnd__val *v)
{
    if (v->kind == GND__V_OBJECT)
        return 1;
    for (int64_t i = 0; gnd__val_is_seq(v) && i < v->seq->n; i++)
        if (holds_object(&v->seq->item[i]))
            return 1;
    return 0;
}

int gnd__object_takes(const gnd__expr *x, const char *name, size_t len, const gnd__slot *arg, int n)
{
    char text[64];
    for (int i = 0; i < n; i++)
        if (holds_object(&arg[i].v))
            return 1;
    if (len >= sizeof text || !gnd__function(name, len, 0))
        return 0;
    memcpy(text, name, len);
    text[len] = 0;
    return x->of->makes(x->of->arg, text);
}

/* Turns the call of the method f into the call of the function with that name: x.reshape(2, 3)
 * becomes reshape(x, (2, 3)). The values of a "*" parameter become one tuple; *n is updated. */
static int as_function(gnd__expr *x, const gnd_function *f, gnd__slot *arg, int *n, size_t at)
{
    const gnd_function *same = gnd__function(f->name, strlen(f->name), 0);
    if (f->fn && same && same->fn != f->fn && (f->sig->n < 2 || !f->sig->p[1].rest))
        return gnd__expr_fail(x, GND_ERR_UNSUPPORTED, at, "%s has no method '%s': write %s(...)",
                              x->of->noun, f->name, f->name);
    int m = 1;
    if (!f->fn || f->sig->n < 2 || !f->sig->p[1].rest)
        return 0;
    while (m < *n && !arg[m].kw_n)
        m++;
    if (m == 1 || (m == 2 && gnd__val_is_seq(&arg[1].v)) ||
        (m == 2 && arg[1].v.kind == GND__V_NONE))
        return 0;
    gnd__val *item = gnd__calloc((size_t)m, sizeof *item), tuple;
    if (!item)
        return gnd__expr_nomem(x);
    for (int i = 1; i < m; i++) {
        item[i - 1] = arg[i].v;
        arg[i].v.kind = GND__V_MISSING;
    }
    const int bad = gnd__val_seq(x, &tuple, GND__V_TUPLE, item, m - 1, at);
    for (int i = 0; i < m - 1; i++)
        gnd__val_drop(&item[i]);
    gnd__free(item);
    if (bad)
        return -1;
    arg[1].v = tuple;
    for (int i = m; i < *n; i++) {
        arg[i - m + 2] = arg[i];
        if (m > 2)
            arg[i].v.kind = GND__V_MISSING;
    }
    *n -= m - 2;
    return 0;
}

/* Calls the library's function with n values. */
static int call(gnd__expr *x, const char *name, size_t at, const gnd__slot *arg, int n,
                gnd__val *out)
{
    enum { SIZE = 64 };
    gnd_value *v = gnd__calloc((size_t)n + 1, sizeof *v), r = gnd_value_none();
    char(*kw)[SIZE] = gnd__calloc((size_t)n + 1, SIZE);
    const char **names = gnd__calloc((size_t)n + 1, sizeof *names);
    int nkw = 0, bad = v && kw && names ? 0 : gnd__expr_nomem(x);
    for (int i = 0; i < n && !bad; i++) {
        gnd__val item = gnd__val_ref(&arg[i].v);
        bad = gnd__value_give(x, &item, &v[i]);
        gnd__val_drop(&item);
        if (!arg[i].kw_n)
            continue;
        memcpy(kw[nkw], arg[i].kw, arg[i].kw_n < SIZE ? arg[i].kw_n : SIZE - 1);
        names[nkw] = kw[nkw];
        nkw++;
    }
    if (!bad)
        bad = finish(x, x->of->call(x->of->arg, name, n, v, nkw, names, &r), &r, out, at);
    for (int i = 0; v && i < n; i++)
        gnd_value_clear(&v[i]);
    gnd__free(v);
    gnd__free(kw);
    gnd__free(names);
    return bad;
}

int gnd__object_call(gnd__expr *x, const char *name, size_t len, size_t at, int method,
                     gnd__slot *arg, int n, gnd__val *out)
{
    const gnd_function *f = gnd__function(name, len, method);
    if (method && n > 0 && arg[0].v.kind == GND__V_TUPLE)
        return gnd__expr_fail(x, GND_ERR_NAME, at, "a tuple has no methods");
    if (!f) {
        char near[160];
        const int m = (int)(len > 40 ? 40 : len);
        return gnd__expr_fail(
            x, GND_ERR_NAME, at, "unknown %s '%.*s'%s", method ? "method" : "function", m, name,
            gnd__expr_near(x, method ? GND__NEAR_METHODS : GND__NEAR_FUNCTIONS | GND__NEAR_DTYPES,
                           name, len, near, sizeof near));
    }
    if (method && as_function(x, f, arg, &n, at))
        return -1;
    if (f->dtype >= 0 && n == 1 && !arg[0].kw_n) { /* float32(x) is astype(x, float32) */
        gnd__slot both[2] = {
            arg[0], {.v = {.kind = GND__V_DTYPE, .python = f->python, .t = (gnd_dtype)f->dtype}}};
        return call(x, "astype", at, both, 2, out);
    }
    return call(x, f->name, at, arg, n, out);
}

int gnd__object_operator(gnd__expr *x, const char *name, gnd__val *a, gnd__val *b, size_t at)
{
    gnd__val *v[2] = {a, b}, out;
    gnd__slot arg[2];
    for (int i = 0; i < (b ? 2 : 1); i++) {
        if (gnd__val_is_seq(v[i]) && !gnd__val_to_array(x, v[i], at, name))
            return -1;
        if (v[i]->kind != GND__V_ARRAY && v[i]->kind != GND__V_OBJECT && !gnd__val_is_number(v[i]))
            return gnd__expr_fail(x, GND_ERR_TYPE, at, "%s: an array is needed, not %s", name,
                                  gnd__val_name(v[i]));
        arg[i] = (gnd__slot){.v = *v[i]};
    }
    if (call(x, name, at, arg, b ? 2 : 1, &out))
        return -1;
    gnd__val_drop(a);
    *a = out;
    return 0;
}

int gnd__object_index(gnd__expr *x, gnd__val *a, gnd__slot *idx, int n, size_t at)
{
    const gnd__seq *tuple = n == 1 && idx->v.kind == GND__V_TUPLE ? idx->v.seq : NULL;
    const int64_t m = tuple ? tuple->n : n;
    if (m > 2 * GND_MAX_NDIM)
        return gnd__expr_fail(x, GND_ERR_INDEX, at,
                              "%lld indices: arrays have at most %d dimensions", (long long)m,
                              GND_MAX_NDIM);
    gnd_value v[2 * GND_MAX_NDIM], self, r = gnd_value_none();
    gnd__val out;
    int have = 0, bad = gnd__value_give(x, a, &self);
    for (; have < m && !bad; have += !bad) {
        gnd__val item = gnd__val_ref(tuple ? &tuple->item[have] : &idx[have].v);
        bad = gnd__value_give(x, &item, &v[have]);
        gnd__val_drop(&item);
    }
    if (!bad)
        bad = finish(x, x->of->index(x->of->arg, &self, (int)m, v, &r), &r, &out, at);
    for (int i = 0; i < have; i++)
        gnd_value_clear(&v[i]);
    if (bad)
        return -1;
    gnd__val_drop(a);
    *a = out;
    return 0;
}

/* --- attributes ------------------------------------------------------------------------------- */

int gnd__object_attr(gnd__expr *x, gnd__val *v, const char *name, size_t n, size_t at)
{
    static const char *const words[] = {"T",    "mT",     "real",     "imag",  "shape", "ndim",
                                        "size", "nbytes", "itemsize", "dtype", NULL};
    static const char *const calls[] = {"permute_dims", "matrix_transpose", "real", "imag"};
    gnd_dtype t = GND_DTYPE_DEFAULT;
    int64_t shape[GND_MAX_NDIM], size = 1;
    int ndim = 0, k = 0;
    gnd__val out, item[GND_MAX_NDIM];
    while (words[k] && (strlen(words[k]) != n || memcmp(words[k], name, n)))
        k++;
    if (!words[k] && gnd__function(name, n, 1))
        return gnd__expr_fail(x, GND_ERR_NAME, at, "'%.*s' is a method: call it, x.%.*s()", (int)n,
                              name, (int)n, name);
    if (!words[k])
        return gnd__expr_fail(x, GND_ERR_NAME, at, "%s has no attribute '%.*s'", x->of->noun,
                              (int)(n > 40 ? 40 : n), name);
    if (k < 4)
        return gnd__object_operator(x, calls[k], v, NULL, at);
    const gnd_status st = x->of->describe(x->of->arg, &v->object->v, &t, &ndim, shape);
    if (st)
        return gnd__expr_fail(x, st, at, "%s", x->of->message(x->of->arg));
    for (int d = 0; d < ndim; d++) {
        size *= shape[d];
        item[d] = gnd__val_int(shape[d]);
    }
    const int64_t bytes = (int64_t)gnd_dtype_size(t);
    switch (k) {
    case 4:
        if (gnd__val_seq(x, &out, GND__V_TUPLE, item, ndim, at))
            return -1;
        break;
    case 5: out = gnd__val_int(ndim); break;
    case 6: out = gnd__val_int(size); break;
    case 7: out = gnd__val_int(size * bytes); break;
    case 8: out = gnd__val_int(bytes); break;
    default: out = (gnd__val){.kind = GND__V_DTYPE, .t = t}; break;
    }
    gnd__val_drop(v);
    *v = out;
    return 0;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Stores the result in *out; the caller owns it. */
static int give_result(gnd__expr *x, gnd_value *out)
{
    gnd__val *v = &x->result;
    if (v->kind != GND__V_OBJECT) {
        gnd_array *y = gnd__expr_result(x);
        if (!y)
            return -1;
        *out = gnd_value_array(y);
        out->aux = GND_VALUE_OWNED;
        return 0;
    }
    gnd__expr_drop_values(x);
    if (v->object->own && v->object->refs == 1) {
        v->object->own = 0; /* ownership moves to the caller */
        *out = v->object->v;
        return 0;
    }
    const gnd_value all = {.tag = GND_V_ELLIPSIS};
    const gnd_status st = x->of->index(x->of->arg, &v->object->v, 1, &all, out);
    return st ? gnd__expr_fail(x, st, 0, "%s", x->of->message(x->of->arg)) : 0;
}

gnd_status gnd_eval_values(const gnd_eval_objects *of, const char *text, int n,
                           const char *const *names, const gnd_value *values, gnd_value *out)
{
    if (!out || !of)
        return gnd__refuse(GND_ERR_NULL, "eval_values: %s is NULL", out ? "of" : "out");
    gnd__expr x = {.func = "eval_values", .dev = of->dev, .of = of};
    *out = gnd_value_none();
    int bad = gnd__expr_begin(&x, text, n, names, values);
    for (int i = 0; i < n && !bad; i++) {
        gnd__val v;
        bad = !names[i] ? gnd__expr_fail(&x, GND_ERR_NULL, 0, "a name is NULL")
                        : gnd__value_take(&x, &values[i], &v) || gnd__expr_bind(&x, names[i], v);
    }
    if (!bad)
        bad = gnd__expr_compute(&x, text) || give_result(&x, out);
    const gnd_status st = bad ? gnd__refuse(x.err.code, "%s", x.err.msg) : GND_OK;
    gnd__expr_end(&x);
    return st;
}
