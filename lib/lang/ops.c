/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/ops.c - operators and attributes of values. Numbers use Python's arithmetic; everything else
 * is converted to arrays and uses the elementwise operation with the operator's name.
 */
#include <gnd/array.h>
#include <gnd/device.h>
#include <gnd/linalg.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

#include <string.h>

static const char *const op_names[GND__T_COUNT] = {
    [GND__T_ADD] = "add",
    [GND__T_SUB] = "subtract",
    [GND__T_MUL] = "multiply",
    [GND__T_DIV] = "divide",
    [GND__T_FLOORDIV] = "floor_divide",
    [GND__T_MOD] = "remainder",
    [GND__T_POW] = "pow",
    [GND__T_MATMUL] = "matmul",
    [GND__T_AND] = "bitwise_and",
    [GND__T_OR] = "bitwise_or",
    [GND__T_XOR] = "bitwise_xor",
    [GND__T_SHL] = "bitwise_left_shift",
    [GND__T_SHR] = "bitwise_right_shift",
    [GND__T_LT] = "less",
    [GND__T_LE] = "less_equal",
    [GND__T_GT] = "greater",
    [GND__T_GE] = "greater_equal",
    [GND__T_EQ] = "equal",
    [GND__T_NE] = "not_equal",
    [GND__T_INVERT] = "bitwise_invert",
    [GND__T_NEG] = "negative",
    [GND__T_POS] = "positive",
};

static gnd_array *apply(gnd__expr *x, gnd__tok op, int n, gnd_array *const *in)
{
    if (!x->op[op])
        x->op[op] = (int16_t)(gnd__expr_op(op_names[op], strlen(op_names[op])) + 1);
    return gnd__expr_op_call(x->op[op] - 1, n, in);
}

int gnd__expr_unary(gnd__expr *x, gnd__tok op, gnd__val *a, size_t at)
{
    if (gnd__val_is_number(a))
        return gnd__num_unary(x, op, a, at);
    if (a->kind == GND__V_OBJECT)
        return gnd__object_operator(x, op_names[op], a, NULL, at);
    gnd_array *in = gnd__val_to_array(x, a, at, gnd__expr_spelling(op));
    gnd__val out;
    if (!in || gnd__val_array(x, &out, apply(x, op, 1, &in), at))
        return -1;
    gnd__val_drop(a);
    *a = out;
    return 0;
}

/* (1, 2) + (3,), for example to build shapes. */
static int join_tuples(gnd__expr *x, gnd__val *a, const gnd__val *b, size_t at)
{
    int64_t n = a->seq->n, m = b->seq->n;
    gnd__val *item = gnd__calloc((size_t)(n + m) + 1, sizeof *item), out;
    if (!item)
        return gnd__expr_nomem(x);
    for (int64_t i = 0; i < n + m; i++)
        item[i] = gnd__val_ref(i < n ? &a->seq->item[i] : &b->seq->item[i - n]);
    int bad = gnd__val_seq(x, &out, GND__V_TUPLE, item, n + m, at);
    for (int64_t i = 0; i < n + m; i++)
        gnd__val_drop(&item[i]);
    gnd__free(item);
    if (bad)
        return -1;
    gnd__val_drop(a);
    *a = out;
    return 0;
}

/* Compares dtypes, strings, None and tuples of numbers. Returns whether they are equal; -1 if they
 * cannot be compared. */
static int same(const gnd__val *a, const gnd__val *b)
{
    if (a->kind != b->kind)
        return a->kind == GND__V_NONE || b->kind == GND__V_NONE ? 0 : -1;
    if (a->kind == GND__V_DTYPE)
        return a->t == b->t;
    if (a->kind == GND__V_STR)
        return a->str.n == b->str.n && !memcmp(a->str.s, b->str.s, a->str.n);
    if (a->kind == GND__V_NONE)
        return 1;
    if (a->kind != GND__V_TUPLE)
        return -1;
    int eq = a->seq->n == b->seq->n;
    for (int64_t i = 0; i < a->seq->n; i++) {
        const gnd__val *p = &a->seq->item[i], *q = eq ? &b->seq->item[i] : p;
        if (p->kind != GND__V_INT || q->kind != GND__V_INT)
            return -1;
        eq &= p->i == q->i;
    }
    return eq;
}

int gnd__expr_binary(gnd__expr *x, gnd__tok op, gnd__val *a, gnd__val *b, size_t at)
{
    if (gnd__val_is_number(a) && gnd__val_is_number(b))
        return gnd__num_binary(x, op, a, b, at);
    if (op == GND__T_ADD && a->kind == GND__V_TUPLE && b->kind == GND__V_TUPLE)
        return join_tuples(x, a, b, at);
    int eq = op == GND__T_EQ || op == GND__T_NE ? same(a, b) : -1;
    if (eq >= 0) {
        gnd__val_drop(a);
        *a = gnd__val_bool(eq == (op == GND__T_EQ));
        return 0;
    }
    if (a->kind == GND__V_OBJECT || b->kind == GND__V_OBJECT)
        return gnd__object_operator(x, op_names[op], a, b, at);
    const char *what = gnd__expr_spelling(op);
    gnd_array *in[2];
    gnd__val out;
    if (!(in[0] = gnd__val_to_array(x, a, at, what)) ||
        !(in[1] = gnd__val_to_array(x, b, at, what)))
        return -1;
    gnd_array *y = op == GND__T_MATMUL ? gnd_matmul(in[0], in[1]) : apply(x, op, 2, in);
    if (gnd__val_array(x, &out, y, at))
        return -1;
    gnd__val_drop(a);
    *a = out;
    return 0;
}

/* --- attributes ------------------------------------------------------------------------------- */

static int is(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && !memcmp(s, word, n);
}

static int shape_tuple(gnd__expr *x, const gnd_array *a, gnd__val *out, size_t at)
{
    gnd__val item[GND_MAX_NDIM];
    int ndim = gnd_ndim(a);
    for (int i = 0; i < ndim; i++)
        item[i] = gnd__val_int(gnd_shape(a)[i]);
    return gnd__val_seq(x, out, GND__V_TUPLE, item, ndim, at);
}

/* real and imag. For an array that is not complex, they are the array itself and zeros, as in
 * NumPy. */
static gnd_array *part(gnd_array *a, const char *name)
{
    return gnd__expr_op_call(gnd__expr_op(name, strlen(name)), 1, &a);
}

static gnd__val string(const char *s)
{
    return (gnd__val){.kind = GND__V_STR, .str = {s, strlen(s)}};
}

/* The attributes itemsize, kind and name of a dtype. */
static int dtype_attr(gnd__expr *x, gnd__val *v, const char *name, size_t n, size_t at)
{
    static const char kinds[] = "b\0i\0u\0f\0c";
    gnd_dtype t = v->t;
    if (is(name, n, "itemsize"))
        *v = gnd__val_int((int64_t)gnd_dtype_size(t));
    else if (is(name, n, "name"))
        *v = string(gnd_dtype_name(t));
    else if (is(name, n, "kind"))
        *v = string((const char *)memchr(kinds, gnd_dtype_kind(t), sizeof kinds));
    else
        return gnd__expr_fail(x, GND_ERR_NAME, at,
                              "dtypes have no attribute '%.*s': there are itemsize kind name",
                              (int)(n > 40 ? 40 : n), name);
    return 0;
}

int gnd__expr_attr(gnd__expr *x, gnd__val *v, const char *name, size_t n, size_t at)
{
    char buf[160];
    gnd__val field;
    if (gnd__val_field(v, name, n, &field)) {
        gnd__val_drop(v);
        *v = field;
        return 0;
    }
    if (v->kind == GND__V_RECORD)
        return gnd__expr_fail(x, GND_ERR_NAME, at, "no '%.*s' here: there are %s",
                              (int)(n > 40 ? 40 : n), name, v->seq->fields);
    if (v->kind == GND__V_DTYPE)
        return dtype_attr(x, v, name, n, at);
    if (v->kind == GND__V_OBJECT)
        return gnd__object_attr(x, v, name, n, at);
    if (!gnd__val_is_number(v) && v->kind != GND__V_ARRAY && v->kind != GND__V_LIST)
        return gnd__expr_fail(x, GND_ERR_NAME, at, "%s has no attributes", gnd__val_name(v));
    gnd_array *a = gnd__val_to_array(x, v, at, "attribute");
    if (!a)
        return -1;
    gnd__val out;
    int bad;
    if (is(name, n, "T"))
        bad = gnd__val_array(x, &out, gnd_is_weak(a) ? gnd__again(a) : gnd_T(a), at);
    else if (is(name, n, "mT"))
        bad = gnd__val_array(x, &out, gnd_mT(a), at);
    else if (is(name, n, "real") || is(name, n, "imag"))
        bad = gnd__val_array(x, &out, part(a, is(name, n, "real") ? "real" : "imag"), at);
    else if (is(name, n, "shape"))
        bad = shape_tuple(x, a, &out, at);
    else if (is(name, n, "ndim"))
        bad = (out = gnd__val_int(gnd_ndim(a)), 0);
    else if (is(name, n, "size"))
        bad = (out = gnd__val_int(gnd_size(a)), 0);
    else if (is(name, n, "nbytes"))
        bad = (out = gnd__val_int((int64_t)gnd_nbytes(a)), 0);
    else if (is(name, n, "itemsize"))
        bad = (out = gnd__val_int((int64_t)gnd_dtype_size(gnd_dtype_of(a))), 0);
    else if (is(name, n, "dtype"))
        bad = (out = (gnd__val){.kind = GND__V_DTYPE, .t = gnd_dtype_of(a)}, 0);
    else if (is(name, n, "device"))
        bad = (out = gnd_device_of(a) ? string(gnd_device_id(gnd_device_of(a)))
                                      : (gnd__val){.kind = GND__V_NONE},
               0);
    else if (gnd__function(name, n, 1))
        bad = gnd__expr_fail(x, GND_ERR_NAME, at, "'%.*s' is a method: call it, x.%.*s()", (int)n,
                             name, (int)n, name);
    else
        bad = gnd__expr_fail(
            x, GND_ERR_NAME, at, "arrays have no attribute '%.*s'%s", (int)(n > 40 ? 40 : n), name,
            gnd__expr_near(x, GND__NEAR_ATTRS | GND__NEAR_METHODS, name, n, buf, sizeof buf));
    if (bad)
        return -1;
    gnd__val_drop(v);
    *v = out;
    return 0;
}
