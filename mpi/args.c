/* SPDX-License-Identifier: BSD-3-Clause
 *
 * args.c - arguments of functions by name: values in lists, parameters by name, and calls of other
 * functions with values written in a format. Sends no messages.
 */
#include "call.h"

#include <stdarg.h>
#include <string.h>

/* --- lists ------------------------------------------------------------------------------------ */

struct gndm__memory {
    struct gndm__memory *next;
    gnd_value item[];
};

gnd_value *gndm__items(gndm__args *a, int64_t n)
{
    struct gndm__memory *m = calloc(1, sizeof *m + ((size_t)n + 1) * sizeof(gnd_value));
    if (!m) { /* the others are told: some callers have another way, which others would not take */
        gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
        return NULL;
    }
    m->next = a->memory;
    a->memory = m;
    return m->item;
}

void gndm__drop_memory(gndm__args *a)
{
    while (a->memory) {
        struct gndm__memory *m = a->memory;
        a->memory = m->next;
        free(m);
    }
}

int gndm__is_list(const gnd_value *v)
{
    return v && (v->tag == GND_V_TUPLE || v->tag == GND_V_LIST);
}

static int is_array(const gnd_value *v)
{
    return v->tag == GNDM_V_ARRAY ||
           (v->tag == GND_V_ARRAY && v->as.array && !gnd_is_weak(v->as.array));
}

int gndm__holds_array(const gnd_value *v)
{
    int yes = is_array(v);
    for (int64_t i = 0; gndm__is_list(v) && i < v->as.items.n && !yes; i++)
        yes = gndm__holds_array(&v->as.items.item[i]);
    return yes;
}

gnd_status gndm__each_array(gndm__args *a, gnd_value *v,
                            gnd_status (*f)(gndm__args *a, gnd_value *v, void *data), void *data)
{
    if (is_array(v))
        return f(a, v, data);
    if (!gndm__is_list(v) || !gndm__holds_array(v))
        return GND_OK;
    const int64_t n = v->as.items.n;
    gnd_value *item = gndm__items(a, n);
    if (!item)
        return a->c->status;
    gnd_status st = GND_OK;
    for (int64_t i = 0; i < n && !st; i++) {
        item[i] = v->as.items.item[i];
        st = gndm__each_array(a, &item[i], f, data);
    }
    v->as.items.item = item;
    v->aux &= ~GND_VALUE_OWNED; /* the items lie in the memory of the call */
    return st;
}

static gnd_status adopt_array(gndm__args *a, gnd_value *v, void *data)
{
    (void)data;
    if (v->tag == GND_V_ARRAY) {
        gnd_array *x = v->as.array;
        if (gnd_status_of(x))
            return gndm__fail(a->c, gnd_status_of(x), "%s", gnd_error(x));
        *v = gndm_value(gndm__copied(a->c, x));
    }
    return gndm__check(a->c, gndm__as_array(v));
}

/* Whether arguments may be lists of arrays. */
static int takes_lists(const gndm__rule *r)
{
    return !strcmp(r->cls, "lists") || !strcmp(r->cls, "gathered") ||
           r->run == gndm__fn_update_at || r->run == gndm__fn_solve_triangular;
}

gnd_status gndm__adopt(gndm__args *a)
{
    gnd_status st = GND_OK;
    for (int i = 0; i < a->n && !st; i++) {
        const int nested = gndm__is_list(&a->v[i]) && gndm__holds_array(&a->v[i]);
        if (nested && !takes_lists(a->rule))
            return gndm__fail(a->c, GND_ERR_TYPE,
                              "%s: argument %d is a list of distributed arrays: join them by stack "
                              "or concat",
                              a->name, i);
        st = gndm__each_array(a, &a->v[i], adopt_array, NULL);
    }
    return st;
}

static gnd_status collect(gndm__args *a, gnd_value *v, void *data)
{
    (void)a;
    gndm__arrays *all = data;
    if (all->n < all->room)
        all->x[all->n] = gndm__as_array(v);
    all->n++;
    return GND_OK;
}

gnd_status gndm__arrays_of(gndm__args *a, gndm__arrays *all)
{
    gnd_status st = GND_OK;
    *all = (gndm__arrays){0};
    for (int pass = 0; pass < 2 && !st; pass++) {
        all->n = 0;
        for (int i = 0; i < a->n && !st; i++)
            st = gndm__each_array(a, &a->v[i], collect, all);
        if (pass == 0 && !st) {
            gnd_value *room = gndm__items(a, all->n); /* a value is larger than a pointer */
            if (!room)
                return a->c->status;
            all->x = (gndm_array **)(void *)room;
            all->room = all->n;
        }
    }
    return st;
}

gndm_array *gndm__copied(gndm_ctx *c, gnd_array *x)
{
    gndm_part *p = gndm__part_new(c, gnd_ndim(x), gnd_shape(x));
    gndm_array *y = gndm__array(c, gnd_dtype_of(x), p, x);
    gndm_part_free(p);
    return y;
}

gndm_array *gndm__made(gndm__args *a, const gnd_value *v)
{
    gnd_value out;
    if (gndm__as_array(v))
        return gndm__as_array(v);
    if (gndm__is_list(v) && gndm__holds_array(v))
        return gndm__error(a->c, gndm__fail(a->c, GND_ERR_TYPE,
                                            "%s: a list of distributed arrays where an array is "
                                            "needed: join them by stack or concat",
                                            a->name));
    const gnd_status st = gnd_call(a->c->dev, "asarray", 1, v, 0, NULL, &out);
    if (st)
        return gndm__error(a->c, gndm__fail(a->c, st, "%s: %s", a->name, gnd_message()));
    return gndm__copied(a->c, out.as.array);
}

gndm_array **gndm__list(gndm__args *a, const gnd_value *v, int *n)
{
    static gndm_array *none[1];
    if (!gndm__is_list(v) || v->as.items.n > INT32_MAX)
        return NULL;
    *n = (int)v->as.items.n;
    gndm_array **x = *n ? (gndm_array **)(void *)gndm__items(a, *n) : none;
    for (int i = 0; i < *n && x; i++)
        x[i] = gndm__made(a, &v->as.items.item[i]);
    return x;
}

/* --- numbers ---------------------------------------------------------------------------------- */

int gndm__ints(const gnd_value *v, int most, int64_t *out)
{
    if (v && (v->tag == GND_V_INT || v->tag == GND_V_BOOL)) {
        out[0] = v->as.i;
        return 1;
    }
    if (!gndm__is_list(v) || v->as.items.n > most)
        return -1;
    for (int64_t i = 0; i < v->as.items.n; i++)
        if (v->as.items.item[i].tag != GND_V_INT)
            return -1;
        else
            out[i] = v->as.items.item[i].as.i;
    return (int)v->as.items.n;
}

int gndm__axis(const gndm__args *a, const char *name, int64_t initial, int ndim)
{
    const int64_t d = gndm__arg_int(a, name, initial);
    return (int)(d < 0 ? d + ndim : d);
}

int gndm__only(const gndm__args *a, const char *names)
{
    for (int i = 0; i < a->info->nparameters; i++) {
        const char *name = a->info->parameter[i].name;
        if (gndm__arg(a, name) && !gndm__word(names, name))
            return 0;
    }
    return 1;
}

int gndm__word(const char *names, const char *name)
{
    const size_t n = strlen(name);
    for (const char *s = strstr(names, name); s; s = strstr(s + 1, name))
        if ((s == names || s[-1] == ' ') && (s[n] == ' ' || !s[n]))
            return 1;
    return 0;
}

/* --- calls of other functions ----------------------------------------------------------------- */

enum { MOST = 8, NAME = 24 };

gndm_array *gndm__do(gndm_ctx *c, const char *name, const char *form, ...)
{
    gnd_value v[MOST];
    char kw[MOST][NAME];
    const char *names[MOST];
    int n = 0, nkw = 0;
    va_list ap;
    va_start(ap, form);
    for (const char *s = form; *s && n < MOST; n++) {
        const char *colon = s;
        while (*colon && *colon != ' ' && *colon != ':')
            colon++;
        if (*colon == ':') {
            snprintf(kw[nkw], NAME, "%.*s", (int)(colon - s), s);
            names[nkw] = kw[nkw];
            nkw++;
            s = colon + 1;
        }
        switch (*s) {
        case 'a': v[n] = gndm_value(va_arg(ap, gndm_array *)); break;
        case 'n': v[n] = gnd_value_int(va_arg(ap, int)); break;
        case 'i': v[n] = gnd_value_int(va_arg(ap, int64_t)); break;
        case 'f': v[n] = gnd_value_float(va_arg(ap, double)); break;
        case 'b': v[n] = gnd_value_bool(va_arg(ap, int)); break;
        case 't': v[n] = gnd_value_dtype(va_arg(ap, gnd_dtype)); break;
        default: v[n] = va_arg(ap, gnd_value); break; /* v */
        }
        s += s[1] ? 2 : 1;
    }
    va_end(ap);
    return gndm_apply(c, NULL, name, n, v, nkw, names);
}

gndm_array *gndm__sliced(gndm_ctx *c, gndm_array *x, int axis, int64_t start, int64_t stop,
                         int64_t step)
{
    gnd_range idx[GND_MAX_NDIM];
    (void)c;
    if (x->status)
        return x;
    for (int d = 0; d < x->part->ndim; d++)
        idx[d] = d == axis ? GND_STEP(start, stop, step) : GND_FULL;
    return gndm_index(x, x->part->ndim, idx);
}

gndm_array *gndm__as(gndm_ctx *c, gndm_array *x, gnd_dtype t)
{
    return x->status || x->dtype == t ? x : gndm__array(c, t, x->part, gnd_astype(x->local, t));
}

gndm_array *gndm__whole(gndm_ctx *c, gndm_array *x, uint32_t axes)
{
    if (x->status)
        return x;
    gndm_part *p = gndm__whole_axes(c, x->part, axes);
    gndm_array *y = gndm__moved(c, x, p);
    gndm_part_free(p);
    return y;
}

gndm_array *gndm__everywhere(gndm_ctx *c, gndm_array *x)
{
    if (x->status)
        return x;
    gndm_part *p = gndm__part_new(c, x->part->ndim, x->part->shape);
    gndm_array *y = gndm__moved(c, x, p);
    gndm_part_free(p);
    return y;
}

void gndm__take_items(gnd_value *out, int n, gndm_array **y)
{
    for (int i = 0; i < n; i++)
        y[i] = gndm__as_array(&out->as.items.item[i]);
    free((void *)(uintptr_t)out->as.items.item);
    *out = gnd_value_none();
}

gnd_status gndm__expect(gndm__args *a, gnd_array **like)
{
    gnd_value v;
    const gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (v.tag != GND_V_ARRAY)
        return gndm__fail(a->c, GND_ERR_INTERNAL, "%s: the result is no array", a->name);
    *like = v.as.array;
    return GND_OK;
}

gnd_status gndm__valid(gndm__args *a)
{
    gnd_value v;
    const gnd_status st = gndm__try(a, &v);
    if (!st)
        gndm__drop_items(&v);
    return st;
}

gnd_status gndm__ret_like(gndm__args *a, gndm_array *y, gnd_array *like)
{
    if (y->status)
        return gndm__fail(a->c, y->status, "%s", gndm_error(y));
    const int ndim = gnd_ndim(like);
    if (y->part->ndim != ndim ||
        (ndim && memcmp(y->part->shape, gnd_shape(like), (size_t)ndim * sizeof(int64_t)) != 0)) {
        char s[GNDM_SHAPE_TEXT], t[GNDM_SHAPE_TEXT];
        return gndm__fail(a->c, GND_ERR_INTERNAL, "%s: the result has shape %s, not %s", a->name,
                          gndm__shape_text(s, y->part->ndim, y->part->shape),
                          gndm__shape_text(t, ndim, gnd_shape(like)));
    }
    const gnd_dtype t = gnd_dtype_of(like); /* a handle of its own: y may be an argument */
    return gndm__ret_array(a, gndm__array(a->c, t, y->part, gnd_astype(y->local, t)));
}
