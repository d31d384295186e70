/* SPDX-License-Identifier: BSD-3-Clause
 *
 * number.c - the operators of gnd.mpi.ndarray. They call the functions by name. An operator in
 * place, such as x += y, gives the object of x another value in the same partition.
 */
#include "pympi.h"

#include <string.h>

/* *v = o as an operand: a distributed array, a number (weak, as in NumPy), or an array of gnd or
 * NumPy or a list, which every rank holds whole. For a list, *made is the array to be released.
 * 1: o is something else. */
static int operand(PyObject *o, py_hold *h, gnd_value *v, gnd_array **made)
{
    if (PyList_Check(o)) {
        *made = core->from_numpy(o, h->dev);
        *v = gnd_value_array(*made);
        return *made ? 0 : -1;
    }
    if (!pm_is_array(o) && !PyLong_Check(o) && !PyFloat_CheckExact(o) && !PyComplex_CheckExact(o) &&
        !PyObject_HasAttrString(o, "dtype"))
        return 1;
    return core->to_value(o, h, v);
}

static PyObject *binary(PyObject *a, PyObject *b, const char *name, const gndm_part *part)
{
    pm_ctx *ctx = ((pm_array *)(pm_is_array(a) ? a : b))->ctx;
    py_hold h = {.dev = gndm_device(ctx->c), .other = pm_to_value};
    gnd_value v[2];
    gnd_array *made[2] = {NULL, NULL};
    int bad = operand(a, &h, &v[0], &made[0]);
    if (!bad)
        bad = operand(b, &h, &v[1], &made[1]);
    PyObject *r = bad ? NULL : pm_call(ctx, part, name, 0, 2, v, 0, NULL);
    core->hold_clear(&h);
    gnd_release(made[0]);
    gnd_release(made[1]);
    if (bad > 0)
        Py_RETURN_NOTIMPLEMENTED;
    return r;
}

static PyObject *unary(PyObject *a, const char *name)
{
    gnd_value v;
    if (pm_to_value(a, &v))
        return NULL;
    return pm_call(((pm_array *)a)->ctx, NULL, name, 0, 1, &v, 0, NULL);
}

/* y cast to the dtype of x, if NumPy's rule "same_kind" allows it. Takes ownership of y. */
static PyObject *cast(pm_array *x, PyObject *y, const char *name)
{
    const gnd_dtype from = gndm_dtype_of(((pm_array *)y)->x), to = gndm_dtype_of(x->x);
    PyObject *r = NULL;
    if (from == to)
        return y;
    if (!core->same_kind(from, to)) {
        PyErr_Format(
            PyExc_TypeError,
            "%s: the result of dtype %s cannot be cast to %s with casting rule 'same_kind'", name,
            gnd_dtype_name(from), gnd_dtype_name(to));
    } else {
        const gnd_value v[2] = {gndm_value(((pm_array *)y)->x), gnd_value_dtype(to)};
        r = pm_call(x->ctx, NULL, "astype", 0, 2, v, 0, NULL);
    }
    Py_DECREF(y);
    return r;
}

static PyObject *in_place(PyObject *a, PyObject *b, const char *name)
{
    pm_array *x = (pm_array *)a;
    if (!x->ctx->c)
        return binary(a, b, name, NULL);
    gndm_part *part = gndm_part_of(x->x);
    PyObject *y = binary(a, b, name, part);
    gndm_part_free(part);
    if (!y || !pm_is_array(y))
        return y;
    y = cast(x, y, name);
    PyObject *r = y ? PyObject_CallMethod(a, "_become", "O", y) : NULL;
    Py_XDECREF(y);
    return r;
}

/* clang-format off */
#define BINARY(X)                                                                                  \
    X(add, "add") X(subtract, "subtract") X(multiply, "multiply") X(true_divide, "divide")         \
    X(floor_divide, "floor_divide") X(remainder, "remainder") X(and, "bitwise_and")                \
    X(or, "bitwise_or") X(xor, "bitwise_xor") X(lshift, "bitwise_left_shift")                      \
    X(rshift, "bitwise_right_shift") X(matrix_multiply, "matmul")
#define UNARY(X)                                                                                   \
    X(negative, "negative") X(positive, "positive") X(absolute, "abs") X(invert, "bitwise_invert")
/* clang-format on */
#define X(slot, name)                                                                              \
    static PyObject *n_##slot(PyObject *a, PyObject *b)                                            \
    {                                                                                              \
        return binary(a, b, name, NULL);                                                           \
    }                                                                                              \
    static PyObject *i_##slot(PyObject *a, PyObject *b)                                            \
    {                                                                                              \
        return in_place(a, b, name);                                                               \
    }
BINARY(X)
#undef X
#define X(slot, name)                                                                              \
    static PyObject *u_##slot(PyObject *a)                                                         \
    {                                                                                              \
        return unary(a, name);                                                                     \
    }
UNARY(X)
#undef X

static PyObject *n_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return binary(a, b, "pow", NULL);
}

static PyObject *i_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return in_place(a, b, "pow");
}

static PyObject *compare(PyObject *a, PyObject *b, int op)
{
    static const char *const name[] = {"less",      "less_equal", "equal",
                                       "not_equal", "greater",    "greater_equal"};
    return binary(a, b, name[op], NULL);
}

/* The value of an array of one element. Every rank gets it. */
static PyObject *item(PyObject *self)
{
    return PyObject_CallMethod(self, "item", NULL);
}

static PyObject *as_int(PyObject *self)
{
    PyObject *o = item(self), *r = o ? PyNumber_Long(o) : NULL;
    Py_XDECREF(o);
    return r;
}

static PyObject *as_float(PyObject *self)
{
    PyObject *o = item(self), *r = o ? PyNumber_Float(o) : NULL;
    Py_XDECREF(o);
    return r;
}

static int as_bool(PyObject *self)
{
    PyObject *o = item(self);
    const int r = o ? PyObject_IsTrue(o) : -1;
    Py_XDECREF(o);
    return r;
}

PyType_Slot pm_number_slots[] = {
#define X(slot, name) {Py_nb_##slot, (void *)n_##slot}, {Py_nb_inplace_##slot, (void *)i_##slot},
    BINARY(X)
#undef X
#define X(slot, name) {Py_nb_##slot, (void *)u_##slot},
        UNARY(X)
#undef X
            {Py_nb_power, (void *)n_power},
    {Py_nb_inplace_power, (void *)i_power},
    {Py_nb_int, (void *)as_int},
    {Py_nb_float, (void *)as_float},
    {Py_nb_bool, (void *)as_bool},
    {Py_tp_richcompare, (void *)compare},
    {0, NULL}};
