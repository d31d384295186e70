/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/value.c - values: reference counts, and arrays made of numbers and lists.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/device.h>
#include <gnd/view.h>
#include "base/dtype.h"
#include "base/mem.h"
#include "lang/expr.h"

#include <stdio.h>
#include <string.h>

/* Larger data belong in a file. */
enum { MAX_LEAVES = 1 << 26 };

gnd__val gnd__val_int(int64_t i)
{
    return (gnd__val){.kind = GND__V_INT, .i = i};
}
gnd__val gnd__val_bool(int b)
{
    return (gnd__val){.kind = GND__V_BOOL, .i = b != 0};
}
gnd__val gnd__val_uint(uint64_t u)
{
    return (gnd__val){.kind = u > INT64_MAX ? GND__V_UINT : GND__V_INT, .i = (int64_t)u};
}
gnd__val gnd__val_float(double d)
{
    return (gnd__val){.kind = GND__V_FLOAT, .z = {d, 0}};
}
gnd__val gnd__val_complex(double re, double im)
{
    return (gnd__val){.kind = GND__V_COMPLEX, .z = {re, im}};
}

/* Whether v holds a gnd__seq. */
static int has_items(const gnd__val *v)
{
    return gnd__val_is_seq(v) || v->kind == GND__V_SLICE || v->kind == GND__V_RECORD;
}

gnd__val gnd__val_ref(const gnd__val *v)
{
    if (v->kind == GND__V_ARRAY)
        v->held->refs++;
    else if (v->kind == GND__V_RNG)
        v->gen->refs++;
    else if (v->kind == GND__V_OBJECT)
        v->object->refs++;
    else if (has_items(v))
        v->seq->refs++;
    return *v;
}

/* The recursion is as deep as sequences are nested, which gnd__val_seq limits. */
void gnd__val_drop(gnd__val *v)
{
    gnd__val w = *v;
    v->kind = GND__V_MISSING;
    if (has_items(&w) && !--w.seq->refs) {
        for (int64_t i = 0; i < w.seq->n; i++)
            gnd__val_drop(&w.seq->item[i]);
        gnd__free(w.seq);
    } else if (w.kind == GND__V_ARRAY && !--w.held->refs) {
        if (w.held->own)
            gnd_release(w.held->a);
        gnd__free(w.held);
    } else if (w.kind == GND__V_RNG && !--w.gen->refs) {
        gnd__free(w.gen);
    } else if (w.kind == GND__V_OBJECT && !--w.object->refs) {
        if (w.object->own)
            w.object->of->clear(w.object->of->arg, &w.object->v);
        gnd__free(w.object);
    }
}

const char *gnd__val_name(const gnd__val *v)
{
    switch ((gnd__vkind)v->kind) {
    case GND__V_MISSING: return "nothing";
    case GND__V_NONE: return "None";
    case GND__V_ELLIPSIS: return "'...'";
    case GND__V_BOOL: return "a bool";
    case GND__V_INT: return "an int";
    case GND__V_UINT: return "an int beyond int64";
    case GND__V_FLOAT: return "a float";
    case GND__V_COMPLEX: return "a complex number";
    case GND__V_STR: return "a string";
    case GND__V_DTYPE: return "a dtype";
    case GND__V_SLICE: return "a slice";
    case GND__V_ARRAY: return "an array";
    case GND__V_TUPLE: return "a tuple";
    case GND__V_LIST: return "a list";
    case GND__V_RECORD: return "a record of values";
    case GND__V_RNG: return "a generator of random numbers";
    case GND__V_OBJECT: return v->object->of->noun;
    }
    return "a value";
}

int gnd__val_seq(gnd__expr *x, gnd__val *v, int kind, gnd__val *item, int64_t n, size_t at)
{
    int depth = 0;
    int64_t leaves = 0;
    for (int64_t i = 0; i < n; i++) {
        int nested = gnd__val_is_seq(&item[i]);
        if (nested && item[i].seq->depth > depth)
            depth = item[i].seq->depth;
        leaves += nested ? item[i].seq->leaves : 1;
        if (leaves > MAX_LEAVES || depth >= GND__EXPR_DEPTH)
            return gnd__expr_fail(x, GND_ERR_OVERFLOW, at,
                                  "lists of more than %d items or %d levels", MAX_LEAVES,
                                  GND__EXPR_DEPTH);
    }
    gnd__seq *s = gnd__malloc(sizeof *s + (size_t)n * sizeof s->item[0]);
    if (!s)
        return gnd__expr_nomem(x);
    s->refs = 1;
    s->n = n;
    s->depth = depth + 1;
    s->leaves = leaves;
    s->fields = NULL;
    for (int64_t i = 0; i < n; i++) {
        s->item[i] = item[i];
        item[i].kind = GND__V_MISSING;
    }
    *v = (gnd__val){.kind = kind, .seq = s};
    return 0;
}

int gnd__val_named(gnd__expr *x, gnd__val *v, int kind, const char *fields, gnd__val *item,
                   int64_t n, size_t at)
{
    if (gnd__val_seq(x, v, kind, item, n, at))
        return -1;
    v->seq->fields = fields;
    return 0;
}

int gnd__val_field(const gnd__val *v, const char *name, size_t n, gnd__val *item)
{
    if ((v->kind != GND__V_TUPLE && v->kind != GND__V_RECORD) || !v->seq->fields)
        return 0;
    const char *p = v->seq->fields;
    for (int64_t i = 0; i < v->seq->n; i++) {
        size_t len = strcspn(p, " ");
        if (len == n && !memcmp(p, name, n)) {
            *item = gnd__val_ref(&v->seq->item[i]);
            return 1;
        }
        p += len + (p[len] == ' ');
    }
    return 0;
}

/* Removes the prefixes from the names of C functions in a message of the library. */
static void plain_message(const char *msg, char *out, size_t size)
{
    static const char *const renamed[][2] = {
        {"gnd_real_part", "real"}, {"gnd_imag_part", "imag"}, {"gnd_", ""}, {"rng_", ""}};
    size_t n = 0;
    while (*msg && n + 1 < size) {
        size_t k = 0;
        while (k < 4 && strncmp(msg, renamed[k][0], strlen(renamed[k][0])))
            k++;
        if (k == 4) {
            out[n++] = *msg++;
            continue;
        }
        msg += strlen(renamed[k][0]);
        for (const char *p = renamed[k][1]; *p && n + 1 < size; p++)
            out[n++] = *p;
    }
    out[n] = 0;
}

static int hold(gnd__expr *x, gnd__val *v, gnd_array *a, int own)
{
    gnd__held *h = gnd__malloc(sizeof *h);
    if (!h)
        return gnd__expr_nomem(x);
    *h = (gnd__held){.refs = 1, .own = own, .a = a};
    *v = (gnd__val){.kind = GND__V_ARRAY, .held = h};
    return 0;
}

/* Takes over a; if a holds an error, reports it. */
static int adopt(gnd__expr *x, gnd__val *v, gnd_array *a, size_t at)
{
    gnd_status code = gnd_status_of(a);
    if (code) {
        char msg[504];
        plain_message(gnd_error(a), msg, sizeof msg);
        if (code == GND_ERR_NOMEM)
            gnd__expr_nomem(x);
        else
            gnd__expr_fail(x, code, at, "%s", msg);
    }
    if (code || hold(x, v, a, 1)) {
        gnd_release(a);
        return -1;
    }
    return 0;
}

/* The number in a weak scalar. */
static gnd__val number_of(gnd_array *a)
{
    union {
        unsigned char b;
        int64_t i;
        uint64_t u;
        double f;
        double z[2];
    } v;
    (void)gnd_read(a, &v, gnd_nbytes(a));
    switch (gnd_dtype_of(a)) {
    case GND_BOOL: return gnd__val_bool(v.b != 0);
    case GND_FLOAT64: return gnd__val_float(v.f);
    case GND_COMPLEX128: return gnd__val_complex(v.z[0], v.z[1]);
    case GND_UINT64: return gnd__val_uint(v.u);
    default: return gnd__val_int(v.i);
    }
}

int gnd__is_released(const gnd_array *a)
{
    return gnd_status_of(a) == GND_ERR_STATE &&
           !strncmp(gnd_error(a), "the array was released", 22);
}

gnd_array *gnd__again(gnd_array *a)
{
    return gnd_astype(a, gnd_dtype_of(a));
}

int gnd__val_array(gnd__expr *x, gnd__val *v, gnd_array *a, size_t at)
{
    if (gnd_status_of(a) || !gnd_is_weak(a))
        return adopt(x, v, a, at);
    *v = number_of(a);
    gnd_release(a);
    return 0;
}

int gnd__val_borrow(gnd__expr *x, gnd__val *v, gnd_array *a)
{
    if (gnd_is_weak(a)) {
        *v = number_of(a);
        return 0;
    }
    return hold(x, v, a, 0);
}

/* --- lists as arrays -------------------------------------------------------------------------- */

typedef struct shape_of_list {
    int ndim, arrays, kind; /* kind: the widest kind of the numbers; arrays: an item is an array */
    int negative;           /* an int is below 0 */
    int64_t dim[GND_MAX_NDIM];
} shape_of_list;

/* Walks v, which is at depth d. The first sequence at each depth sets the extent; the others must
 * have the same. */
static int measure(gnd__expr *x, const gnd__val *v, int d, shape_of_list *s, size_t at,
                   const char *what)
{
    if (!gnd__val_is_seq(v)) {
        if (v->kind == GND__V_ARRAY)
            s->arrays = 1;
        else if (!gnd__val_is_number(v))
            return gnd__expr_fail(x, GND_ERR_TYPE, at, "%s: %s in a list: numbers and arrays only",
                                  what, gnd__val_name(v));
        else if (v->kind > s->kind)
            s->kind = v->kind;
        s->negative |= v->kind == GND__V_INT && v->i < 0;
        if (s->ndim < 0)
            s->ndim = d;
        if (d != s->ndim && !s->arrays)
            return gnd__expr_fail(x, GND_ERR_SHAPE, at,
                                  "%s: a ragged list: items of different depth", what);
        return 0;
    }
    const gnd__seq *q = v->seq;
    if (d == GND_MAX_NDIM)
        return gnd__expr_fail(x, GND_ERR_SHAPE, at, "%s: lists nested more than %d deep", what,
                              GND_MAX_NDIM);
    if (s->dim[d] < 0)
        s->dim[d] = q->n;
    else if (s->dim[d] != q->n)
        return gnd__expr_fail(x, GND_ERR_SHAPE, at,
                              "%s: a ragged list: %lld items where the one before has %lld", what,
                              (long long)q->n, (long long)s->dim[d]);
    if (!q->n && s->ndim < 0)
        s->ndim = d + 1;
    for (int64_t i = 0; i < q->n; i++)
        if (measure(x, &q->item[i], d + 1, s, at, what))
            return -1;
    return 0;
}

static unsigned char *fill(const gnd__val *v, gnd_dtype t, unsigned char *p)
{
    if (gnd__val_is_seq(v)) {
        for (int64_t i = 0; i < v->seq->n; i++)
            p = fill(&v->seq->item[i], t, p);
        return p;
    }
    gnd__scalar s = {.kind = v->kind == GND__V_FLOAT     ? 'f'
                             : v->kind == GND__V_COMPLEX ? 'c'
                             : v->kind == GND__V_UINT    ? 'u'
                                                         : 'i'};
    if (s.kind == 'i' || s.kind == 'u') {
        s.i = v->i;
    } else {
        s.re = v->z.re;
        s.im = v->z.im;
    }
    gnd__store_scalar(t, p, &s);
    return p + gnd_dtype_size(t);
}

static gnd_dtype default_dtype(const gnd__expr *x, int kind)
{
    switch (kind) {
    case GND__V_BOOL: return GND_BOOL;
    case GND__V_INT: return GND_INT64;
    case GND__V_UINT: return GND_UINT64;
    case GND__V_COMPLEX: return gnd__complex_of(gnd_default_float(x->dev));
    default: return gnd_default_float(x->dev);
    }
}

static int list_to_array(gnd__expr *x, gnd__val *v, size_t at, const char *what);

/* Converts a list that contains arrays: converts each item to an array, then stacks them. */
static int stack_items(gnd__expr *x, gnd__val *v, size_t at, const char *what)
{
    int64_t n = v->seq->n;
    gnd_array **a = gnd__calloc((size_t)n, sizeof *a);
    gnd__val *w = gnd__calloc((size_t)n, sizeof *w);
    int bad = !a || !w ? gnd__expr_nomem(x) : 0;
    for (int64_t i = 0; i < n && !bad; i++) {
        w[i] = gnd__val_ref(&v->seq->item[i]);
        a[i] = gnd__val_to_array(x, &w[i], at, what);
        bad = a[i] ? 0 : -1;
        if (!bad && gnd_is_weak(a[i])) {
            gnd__val strong;
            bad = adopt(x, &strong, gnd_asarray(x->dev, a[i], GND_DTYPE_DEFAULT), at);
            if (!bad) {
                gnd__val_drop(&w[i]);
                w[i] = strong;
                a[i] = strong.held->a;
            }
        }
    }
    gnd__val out;
    if (!bad)
        bad = gnd__val_array(x, &out,
                             n > INT32_MAX ? gnd_fail(GND_ERR_OVERFLOW, "too many arrays")
                                           : gnd_stack((int)n, a, 0),
                             at);
    for (int64_t i = 0; w && i < n; i++)
        gnd__val_drop(&w[i]);
    gnd__free(w);
    gnd__free(a);
    if (bad)
        return -1;
    gnd__val_drop(v);
    *v = out;
    return 0;
}

static int list_to_array(gnd__expr *x, gnd__val *v, size_t at, const char *what)
{
    shape_of_list s = {.ndim = -1, .kind = GND__V_MISSING};
    for (int i = 0; i < GND_MAX_NDIM; i++)
        s.dim[i] = -1;
    if (!x->dev)
        return gnd__expr_fail(x, GND_ERR_DEVICE, at,
                              "%s: a list becomes an array, and there is no "
                              "device to hold it: give one",
                              what);
    if (measure(x, v, 0, &s, at, what))
        return -1;
    if (s.arrays)
        return stack_items(x, v, at, what);
    /* No int dtype holds both negative ints and those from 2^63 on. NumPy uses floats. */
    gnd_dtype t = default_dtype(x, s.kind == GND__V_UINT && s.negative ? GND__V_FLOAT : s.kind);
    int64_t n = 1;
    for (int i = 0; i < s.ndim; i++)
        n *= s.dim[i];
    unsigned char *buf = gnd__malloc((size_t)(n ? n : 1) * gnd_dtype_size(t));
    if (!buf)
        return gnd__expr_nomem(x);
    fill(v, t, buf);
    gnd__val out;
    int bad = gnd__val_array(x, &out, gnd_from(x->dev, t, s.ndim, s.dim, buf), at);
    gnd__free(buf);
    if (bad)
        return -1;
    gnd__val_drop(v);
    *v = out;
    return 0;
}

/* --- conversions ------------------------------------------------------------------------------ */

gnd_array *gnd__val_to_array(gnd__expr *x, gnd__val *v, size_t at, const char *what)
{
    gnd_array *a;
    switch ((gnd__vkind)v->kind) {
    case GND__V_ARRAY: return v->held->a;
    case GND__V_BOOL: a = gnd_bool((int)v->i); break;
    case GND__V_INT: a = gnd_int(v->i); break;
    case GND__V_UINT: a = gnd_uint((uint64_t)v->i); break;
    case GND__V_FLOAT: a = gnd_real(v->z.re); break;
    case GND__V_COMPLEX: a = gnd_complex(v->z.re, v->z.im); break;
    case GND__V_TUPLE:
    case GND__V_LIST: return list_to_array(x, v, at, what) ? NULL : v->held->a;
    default:
        gnd__expr_fail(x, GND_ERR_TYPE, at, "%s: an array is needed, not %s", what,
                       gnd__val_name(v));
        return NULL;
    }
    return adopt(x, v, a, at) ? NULL : v->held->a;
}

int gnd__val_to_int(gnd__expr *x, const gnd__val *v, size_t at, int64_t *i)
{
    if (v->kind == GND__V_INT || v->kind == GND__V_BOOL) {
        *i = v->i;
        return 0;
    }
    if (v->kind != GND__V_ARRAY || gnd_ndim(v->held->a) ||
        !memchr("iu", gnd_dtype_kind(gnd_dtype_of(v->held->a)), 2))
        return 1;
    gnd_status s = GND_OK;
    *i = gnd_item_i64(v->held->a, &s);
    if (s)
        return gnd__expr_fail(x, s, at, "%s", gnd_message());
    return 0;
}
