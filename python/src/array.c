/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array.c - gnd.ndarray: creation and release, conversion to numbers and text, iteration. Its
 * attributes are in attributes.c, the methods that make views in views.c. gnd/__init__.py adds the
 * methods that come from the table of functions.
 */
#include "py.h"

#include <stdlib.h>
#include <structmember.h>

PyTypeObject *py_array_type;

PyObject *py_array_new(gnd_array *value)
{
    return py_array_ordered(value, 0);
}

PyObject *py_array_ordered(gnd_array *value, int fortran)
{
    py_array *a = py_check(value) ? NULL : PyObject_New(py_array, py_array_type);
    if (!a) {
        gnd_release(value);
        return NULL;
    }
    a->value = value;
    a->version = 0;
    a->root = a->src = a->prev = a->next = NULL;
    a->link = NULL;
    a->weak = NULL;
    a->fortran = (char)fortran;
    a->readonly = 0;
    a->pins = NULL;
    return (PyObject *)a;
}

/* Frees a. *src receives its reference to its source, so that the caller can free long chains
 * without recursion. */
static void free_one(py_array *a, py_array **src)
{
    *src = a->src;
    if (a->weak)
        PyObject_ClearWeakRefs((PyObject *)a);
    if (a->src) {
        a->prev->next = a->next;
        if (a->next)
            a->next->prev = a->prev;
    }
    py_array *root = a->root;
    gnd_release(a->value);
    py_unpin(a);
    py_link_free(a->link);
    PyObject_Free(a);
    Py_DECREF(py_array_type);
    Py_XDECREF(root);
}

static void dealloc(PyObject *self)
{
    py_array *a = (py_array *)self, *src;
    free_one(a, &src);
    while (src && Py_REFCNT(src) == 1 && src->src && !src->weak) {
        a = src;
        free_one(a, &src);
    }
    Py_XDECREF(src);
}

/* --- as a number, as text --------------------------------------------------------------------- */

/* The only element as a Python number. The GIL is released while the device computes. */
static PyObject *item(PyObject *self)
{
    gnd_array *x = py_value((py_array *)self);
    gnd_status s = GND_OK;
    double z[2] = {0, 0};
    int64_t i = 0;
    uint64_t u = 0;
    if (!x)
        return NULL;
    const int kind = gnd_dtype_kind(gnd_dtype_of(x));
    if (gnd_size(x) != 1) {
        PyErr_Format(PyExc_TypeError,
                     "only an array of one element can be converted to a number; this one has %lld",
                     (long long)gnd_size(x));
        return NULL;
    }
    gnd_retain(x);
    Py_BEGIN_ALLOW_THREADS
    if (kind == 'b' || kind == 'i')
        i = gnd_item_i64(x, &s);
    else if (kind == 'u')
        u = gnd_item_u64(x, &s);
    else
        s = gnd_item_c128(x, z);
    Py_END_ALLOW_THREADS
    gnd_release(x);
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    return kind == 'b'   ? PyBool_FromLong(i != 0)
           : kind == 'i' ? PyLong_FromLongLong(i)
           : kind == 'u' ? PyLong_FromUnsignedLongLong(u)
           : kind == 'f' ? PyFloat_FromDouble(z[0])
                         : PyComplex_FromDoubles(z[0], z[1]);
}

static PyObject *method_item(PyObject *self, PyObject *args)
{
    const Py_ssize_t n = PyTuple_Size(args);
    if (n == 0) {
        gnd_array *all = py_value((py_array *)self);
        if (all && gnd_size(all) != 1)
            return PyErr_Format(PyExc_ValueError,
                                "item: only an array of size 1 has a number; this one has %lld",
                                (long long)gnd_size(all));
        return all ? item(self) : NULL;
    }
    PyObject *key = n == 1 ? PyTuple_GetItem(args, 0) : args, *flat = NULL;
    if (n == 1 && !PyTuple_Check(key)) { /* an index in C order */
        int64_t all = -1;
        flat = py_reshape((py_array *)self, 1, &all);
        if (!flat)
            return NULL;
    }
    PyObject *x = py_getitem(flat ? flat : self, key);
    PyObject *r = x ? item(x) : NULL;
    Py_XDECREF(flat);
    Py_XDECREF(x);
    return r;
}

static int truth(PyObject *self)
{
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return -1;
    if (gnd_size(x) != 1) {
        PyErr_SetString(PyExc_ValueError,
                        gnd_size(x) ? "the truth value of an array with more than one element is "
                                      "ambiguous: use a.any() or a.all()"
                                    : "the truth value of an empty array is ambiguous: use "
                                      "array.size > 0 to check that an array is not empty");
        return -1;
    }
    PyObject *o = item(self);
    const int r = o ? PyObject_IsTrue(o) : -1;
    Py_XDECREF(o);
    return r;
}

static PyObject *converted(PyObject *self, PyObject *(*to)(PyObject *))
{
    PyObject *o = item(self), *r = o ? to(o) : NULL;
    Py_XDECREF(o);
    return r;
}

static PyObject *to_int(PyObject *self)
{
    return converted(self, PyNumber_Long);
}

static PyObject *to_float(PyObject *self)
{
    return converted(self, PyNumber_Float);
}

static PyObject *to_index(PyObject *self)
{
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    const int kind = gnd_dtype_kind(gnd_dtype_of(x));
    if (gnd_ndim(x) || (kind != 'i' && kind != 'u')) {
        PyErr_SetString(PyExc_TypeError,
                        "only integer arrays of no dimension can be converted to an index");
        return NULL;
    }
    return item(self);
}

static PyObject *method_complex(PyObject *self, PyObject *none)
{
    (void)none;
    PyObject *o = item(self), *r = NULL;
    if (o)
        r = PyComplex_FromDoubles(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    Py_XDECREF(o);
    if (r && PyErr_Occurred())
        Py_CLEAR(r);
    return r;
}

static Py_ssize_t length(PyObject *self)
{
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return -1;
    if (!gnd_ndim(x)) {
        PyErr_SetString(PyExc_TypeError, "len() of an array without dimensions");
        return -1;
    }
    return (Py_ssize_t)gnd_shape(x)[0];
}

static PyObject *sequence_item(PyObject *self, Py_ssize_t i)
{
    PyObject *k = PyLong_FromSsize_t(i), *r = k ? py_getitem(self, k) : NULL;
    Py_XDECREF(k);
    return r;
}

static PyObject *iter(PyObject *self)
{
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    if (!gnd_ndim(x)) {
        PyErr_SetString(PyExc_TypeError, "iteration over an array without dimensions");
        return NULL;
    }
    return PySeqIter_New(self);
}

/* repr and str are those of a NumPy copy. */
static PyObject *text(PyObject *self, PyObject *(*f)(PyObject *))
{
    PyObject *a = py_to_numpy((py_array *)self), *r = a ? f(a) : NULL;
    Py_XDECREF(a);
    return r;
}

static PyObject *repr(PyObject *self)
{
    return text(self, PyObject_Repr);
}

static PyObject *str(PyObject *self)
{
    return text(self, PyObject_Str);
}

static PyObject *method_numpy(PyObject *self, PyObject *none)
{
    (void)none;
    return py_to_numpy((py_array *)self);
}

static PyObject *method_wait(PyObject *self, PyObject *none)
{
    gnd_array *x = py_value((py_array *)self);
    gnd_status s;
    (void)none;
    if (!x)
        return NULL;
    gnd_retain(x);
    Py_BEGIN_ALLOW_THREADS
    s = gnd_wait(x);
    Py_END_ALLOW_THREADS
    gnd_release(x);
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    Py_INCREF(self);
    return self;
}

/* --- the type --------------------------------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"item", method_item, METH_VARARGS,
     "item($self, *args)\n--\n\nThe element as a number of Python's."},
    {"_permute", py_method_permute, METH_O, NULL},
    {"_reshape", py_method_reshape, METH_O, NULL},
    {"_offset", py_method_offset, METH_NOARGS, NULL},
    {"_broadcast", py_method_broadcast, METH_O, NULL},
    {"_dtype", py_method_dtype, METH_O, NULL},
    {"_strided", py_method_strided, METH_VARARGS, NULL},
    {"_diagonal", py_method_diagonal, METH_VARARGS, NULL},
    {"_windows", py_method_windows, METH_VARARGS, NULL},
    {"__complex__", method_complex, METH_NOARGS, NULL},
    {"asnumpy", method_numpy, METH_NOARGS,
     "asnumpy($self)\n--\n\nA copy as numpy.ndarray, when it is computed."},
    {"wait", method_wait, METH_NOARGS,
     "wait($self)\n--\n\nEvaluates, waits for the device, and returns the array."},
    {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(py_array, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};

/* ndarray(shape, dtype=float, *, order='C'): calls gnd.empty. */
static PyObject *new_array(PyTypeObject *type, PyObject *args, PyObject *kw)
{
    (void)type;
    PyObject *m = PyImport_ImportModule("gnd"), *f = m ? PyObject_GetAttrString(m, "empty") : NULL;
    PyObject *r = f ? PyObject_Call(f, args, kw) : NULL;
    Py_XDECREF(f);
    Py_XDECREF(m);
    return r;
}

int py_array_init(PyObject *module)
{
    PyType_Slot slots[80];
    int n = 0;
#define SLOT(name, f) slots[n++] = (PyType_Slot){name, (void *)(f)}
    SLOT(
        Py_tp_doc,
        "An array on a device, with NumPy's meaning. Make one by gnd.array, gnd.zeros and the like. It is "
        "computed when it is needed: what is pending is fused.");
    SLOT(Py_tp_new, new_array);
    SLOT(Py_tp_dealloc, dealloc);
    SLOT(Py_tp_repr, repr);
    SLOT(Py_tp_str, str);
    SLOT(Py_tp_iter, iter);
    SLOT(Py_tp_hash, PyObject_HashNotImplemented);
    SLOT(Py_tp_richcompare, py_compare);
    SLOT(Py_tp_methods, methods);
    SLOT(Py_tp_getset, py_attributes);
    SLOT(Py_tp_members, members);
    SLOT(Py_mp_length, length);
    SLOT(Py_mp_subscript, py_getitem);
    SLOT(Py_mp_ass_subscript, py_setitem);
    SLOT(Py_sq_item, sequence_item);
    SLOT(Py_nb_bool, truth);
    SLOT(Py_nb_int, to_int);
    SLOT(Py_nb_float, to_float);
    SLOT(Py_nb_index, to_index);
    for (const PyType_Slot *s = py_number_slots; s->slot; s++)
        slots[n++] = *s;
    for (const PyType_Slot *s = py_buffer_slots; s->slot; s++)
        slots[n++] = *s;
    slots[n] = (PyType_Slot){0, NULL};
    PyType_Spec spec = {"gnd.ndarray", sizeof(py_array), 0, Py_TPFLAGS_DEFAULT, slots};
    py_array_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return py_array_type ? PyModule_AddObjectRef(module, "ndarray", (PyObject *)py_array_type) : -1;
}
