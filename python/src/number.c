/* SPDX-License-Identifier: BSD-3-Clause
 *
 * number.c - the operators of gnd.ndarray. Python numbers are weak, as in NumPy 2. An operator in
 * place, such as x += y, gives x a new value of the same shape and dtype.
 */
#include "py.h"

typedef gnd_array *binary_fn(gnd_array *, gnd_array *);

/* *x = o as an operand, to be released: a list or tuple is an array, as in NumPy. 1: its type is
 * unknown. */
static int operand(PyObject *o, gnd_device *dev, gnd_array **x)
{
    const int r = py_operand(o, dev, x);
    if (r != 1 || !(PyList_Check(o) || PyTuple_Check(o)))
        return r;
    *x = py_from_numpy(o, dev);
    return *x ? 0 : -1;
}

/* *x, *y = both operands as arrays, to be released. 1: an operand has an unknown type, and the
 * operator returns NotImplemented. */
static int operands(PyObject *a, PyObject *b, gnd_array **x, gnd_array **y)
{
    gnd_device *dev = NULL;
    PyObject *own = py_is_array(a) ? a : b;
    gnd_array *v = py_value((py_array *)own);
    *x = *y = NULL;
    if (!v)
        return -1;
    dev = gnd_device_of(v);
    int r = operand(a, dev, x);
    if (!r)
        r = operand(b, dev, y);
    if (r) {
        gnd_release(*x);
        gnd_release(*y);
    }
    return r;
}

static PyObject *binary(PyObject *a, PyObject *b, binary_fn *f)
{
    gnd_array *x, *y;
    switch (operands(a, b, &x, &y)) {
    case 1: Py_RETURN_NOTIMPLEMENTED;
    case 0: break;
    default: return NULL;
    }
    if (f == gnd_matmul && (!gnd_ndim(x) || !gnd_ndim(y))) {
        gnd_release(x);
        gnd_release(y);
        PyErr_SetString(PyExc_ValueError,
                        "matmul: an operand is a number or has no dimension: take *");
        return NULL;
    }
    gnd_array *z = f(x, y);
    gnd_release(x);
    gnd_release(y);
    return py_array_ordered(z, gnd_ndim(z) > 1 && f != gnd_matmul &&
                                   py_fortran((PyObject *[]){a, b}, 2));
}

int py_same_kind(gnd_dtype from, gnd_dtype to)
{
    static const char order[] = "buifc";
    const int f = gnd_dtype_kind(from), t = gnd_dtype_kind(to);
    int i = 0, j = 0;
    while (order[i] != f)
        i++;
    while (order[j] != t)
        j++;
    return i <= j;
}

static PyObject *in_place(PyObject *a, PyObject *b, binary_fn *f, const char *name)
{
    gnd_array *x, *y;
    switch (operands(a, b, &x, &y)) {
    case 1: Py_RETURN_NOTIMPLEMENTED;
    case 0: break;
    default: return NULL;
    }
    gnd_array *z = f(x, y);
    int fits = !py_check(z);
    if (fits && !py_same_kind(gnd_dtype_of(z), gnd_dtype_of(x))) {
        PyErr_Format(
            PyExc_TypeError,
            "%s: the result of dtype %s cannot be cast to %s with casting rule 'same_kind'", name,
            gnd_dtype_name(gnd_dtype_of(z)), gnd_dtype_name(gnd_dtype_of(x)));
        fits = 0;
    }
    for (int i = 0; fits && i < (gnd_ndim(x) > gnd_ndim(z) ? gnd_ndim(x) : gnd_ndim(z)); i++)
        if (gnd_ndim(x) != gnd_ndim(z) || gnd_shape(x)[i] != gnd_shape(z)[i]) {
            PyErr_Format(PyExc_ValueError,
                         "%s: the right side does not broadcast to the left side's shape", name);
            fits = 0;
        }
    const gnd_dtype t = gnd_dtype_of(x);
    gnd_release(x);
    gnd_release(y);
    if (!fits) {
        gnd_release(z);
        return NULL;
    }
    if (gnd_dtype_of(z) != t) {
        gnd_array *c = gnd_astype(z, t);
        gnd_release(z);
        z = c;
    }
    if (py_write((py_array *)a, z))
        return NULL;
    Py_INCREF(a);
    return a;
}

/* clang-format off */
#define BINARY(X)                                                                                  \
    X(add, gnd_add) X(subtract, gnd_subtract) X(multiply, gnd_multiply) X(true_divide, gnd_divide) \
    X(floor_divide, gnd_floor_divide) X(remainder, gnd_remainder) X(and, gnd_bitwise_and)          \
    X(or, gnd_bitwise_or) X(xor, gnd_bitwise_xor) X(lshift, gnd_bitwise_left_shift)                \
    X(rshift, gnd_bitwise_right_shift) X(matrix_multiply, gnd_matmul)
/* clang-format on */
#define X(name, f)                                                                                 \
    static PyObject *n_##name(PyObject *a, PyObject *b)                                            \
    {                                                                                              \
        return binary(a, b, f);                                                                    \
    }                                                                                              \
    static PyObject *i_##name(PyObject *a, PyObject *b)                                            \
    {                                                                                              \
        return in_place(a, b, f, #f + 4);                                                          \
    }
BINARY(X)
#undef X

static PyObject *n_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return binary(a, b, gnd_pow);
}

static PyObject *i_power(PyObject *a, PyObject *b, PyObject *modulus)
{
    if (modulus != Py_None)
        Py_RETURN_NOTIMPLEMENTED;
    return in_place(a, b, gnd_pow, "power");
}

static PyObject *n_divmod(PyObject *a, PyObject *b)
{
    PyObject *q = binary(a, b, gnd_floor_divide), *r;
    if (!q || q == Py_NotImplemented)
        return q;
    r = binary(a, b, gnd_remainder);
    return r ? Py_BuildValue("(NN)", q, r) : (Py_DECREF(q), NULL);
}

static PyObject *unary(PyObject *a, gnd_array *(*f)(gnd_array *))
{
    gnd_array *x = py_value((py_array *)a);
    return x ? py_array_ordered(f(x), py_fortran(&a, 1)) : NULL;
}

static PyObject *n_negative(PyObject *a)
{
    return unary(a, gnd_negative);
}

static PyObject *n_positive(PyObject *a)
{
    return unary(a, gnd_positive);
}

static PyObject *n_absolute(PyObject *a)
{
    return unary(a, gnd_abs);
}

static PyObject *n_invert(PyObject *a)
{
    return unary(a, gnd_bitwise_invert);
}

/* 1 if o equals nothing but itself, that is if its type inherits the comparisons of object; 0 if it
 * does not; -1 with an exception. */
static int of_identity(PyObject *o)
{
    static const char *const name[] = {"__eq__", "__ne__"};
    int same = 1;
    for (int i = 0; same == 1 && i < 2; i++) {
        PyObject *own = PyObject_GetAttrString((PyObject *)Py_TYPE(o), name[i]);
        PyObject *base = PyObject_GetAttrString((PyObject *)&PyBaseObject_Type, name[i]);
        same = own && base ? own == base : -1;
        Py_XDECREF(own);
        Py_XDECREF(base);
    }
    return same;
}

/* a == o and a != o for None and objects that equal nothing but themselves: no element is equal, as
 * in NumPy. */
static PyObject *with_object(PyObject *a, PyObject *o, int op)
{
    const int alone = o == Py_None ? 1 : of_identity(o);
    if (alone < 0)
        return NULL;
    if (!alone)
        Py_RETURN_NOTIMPLEMENTED;
    gnd_array *x = py_value((py_array *)a);
    if (!x)
        return NULL;
    return py_array_new((op == Py_EQ ? gnd_zeros : gnd_ones)(gnd_device_of(x), GND_BOOL,
                                                             gnd_ndim(x), gnd_shape(x)));
}

/* a is always an array: Python calls the comparison slot of a type with an object of that type
 * first, and mirrors the operator if need be. */
PyObject *py_compare(PyObject *a, PyObject *b, int op)
{
    static binary_fn *const f[] = {
        [Py_LT] = gnd_less,      [Py_LE] = gnd_less_equal, [Py_EQ] = gnd_equal,
        [Py_NE] = gnd_not_equal, [Py_GT] = gnd_greater,    [Py_GE] = gnd_greater_equal};
    PyObject *r = binary(a, b, f[op]);
    if (r != Py_NotImplemented || (op != Py_EQ && op != Py_NE))
        return r;
    Py_DECREF(r);
    return with_object(a, b, op);
}

PyType_Slot py_number_slots[] = {
#define X(name, f) {Py_nb_##name, (void *)n_##name}, {Py_nb_inplace_##name, (void *)i_##name},
    BINARY(X)
#undef X
        {Py_nb_power, (void *)n_power},
    {Py_nb_inplace_power, (void *)i_power},
    {Py_nb_divmod, (void *)n_divmod},
    {Py_nb_negative, (void *)n_negative},
    {Py_nb_positive, (void *)n_positive},
    {Py_nb_absolute, (void *)n_absolute},
    {Py_nb_invert, (void *)n_invert},
    {0, NULL}};
