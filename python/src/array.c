/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array.c - gnd.ndarray: creation and release, methods that make views, conversion to numbers and
 * text, iteration. Its attributes are in attributes.c. gnd/__init__.py adds the methods that come
 * from the table of functions.
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
    free(a->link);
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

/* --- views: the methods that functions in Python build on ------------------------------------- */

/* _offset(): bytes from the first element of .base to this array's, in NumPy's layout. */
static PyObject *method_offset(PyObject *self, PyObject *none)
{
    (void)none;
    return py_value((py_array *)self) ? PyLong_FromLongLong(py_offset((py_array *)self)) : NULL;
}

static int ints(PyObject *o, int64_t *v)
{
    const Py_ssize_t n = PySequence_Size(o);
    if (n < 0 || n > GND_MAX_NDIM) {
        if (n > 0)
            PyErr_Format(PyExc_ValueError, "%zd dimensions: at most %d are possible", n,
                         GND_MAX_NDIM);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(o, i), *k = item ? PyNumber_Index(item) : NULL;
        v[i] = k ? PyLong_AsLongLong(k) : -1;
        Py_XDECREF(k);
        Py_XDECREF(item);
        if (PyErr_Occurred())
            return -1;
    }
    return (int)n;
}

static PyObject *method_permute(PyObject *self, PyObject *axes)
{
    int64_t v[GND_MAX_NDIM];
    int perm[GND_MAX_NDIM], seen[GND_MAX_NDIM] = {0};
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    const int n = ints(axes, v), nd = gnd_ndim(x);
    if (n < 0)
        return NULL;
    for (int i = 0; i < n; i++) {
        const int64_t k = v[i] < 0 ? v[i] + nd : v[i];
        if (n != nd || k < 0 || k >= nd || seen[k]) {
            PyErr_Format(PyExc_ValueError,
                         "transpose: axes %R do not match an array of %d dimensions", axes, nd);
            return NULL;
        }
        seen[k] = 1;
        perm[i] = (int)k;
    }
    if (n != nd) {
        PyErr_Format(PyExc_ValueError, "transpose: axes %R do not match an array of %d dimensions",
                     axes, nd);
        return NULL;
    }
    return py_permuted((py_array *)self, perm);
}

static PyObject *method_reshape(PyObject *self, PyObject *shape)
{
    int64_t v[GND_MAX_NDIM];
    const int n = ints(shape, v);
    return n < 0 ? NULL : py_reshape((py_array *)self, n, v);
}

static PyObject *method_broadcast(PyObject *self, PyObject *shape)
{
    py_link l;
    int64_t v[GND_MAX_NDIM], stride[GND_MAX_NDIM];
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    const int n = ints(shape, v), nd = gnd_ndim(x);
    if (n < 0)
        return NULL;
    gnd_array *y = gnd_broadcast_to(x, n, v);
    const int bad = py_check(y);
    gnd_release(y);
    if (bad)
        return NULL;
    py_strides((py_array *)self, stride);
    l.kind = PY_VIEW_BROADCAST;
    l.ndim = n;
    for (int i = 0; i < n; i++) {
        const int k = i - (n - nd);
        l.shape[i] = v[i];
        l.stride[i] = k < 0 || gnd_shape(x)[k] == 1 ? 0 : stride[k];
    }
    return py_view((py_array *)self, &l);
}

/* gnd_view_dtype(x, t) as a view. If the two dtypes differ in size, the elements of the last axis
 * must be contiguous. */
static PyObject *method_dtype(PyObject *self, PyObject *dtype)
{
    py_link l;
    int64_t stride[GND_MAX_NDIM];
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    if (py_dtype_of(dtype, &l.dtype, NULL))
        return NULL;
    gnd_array *y = gnd_view_dtype(x, l.dtype);
    if (py_check(y)) {
        gnd_release(y);
        return NULL;
    }
    const int64_t from = (int64_t)gnd_dtype_size(gnd_dtype_of(x)),
                  to = (int64_t)gnd_dtype_size(l.dtype);
    py_strides((py_array *)self, stride);
    l.kind = PY_VIEW_DTYPE;
    l.ndim = gnd_ndim(x);
    int whole = 1;
    for (int i = 0; i < l.ndim; i++) {
        const int end = i == l.ndim - 1 && from != to;
        l.shape[i] = gnd_shape(y)[i];
        l.stride[i] = end ? 1 : stride[i] * from / to;
        whole &= end ? stride[i] == 1 || gnd_shape(x)[i] < 2 : stride[i] * from % to == 0;
    }
    gnd_release(y);
    if (!whole && gnd_size(x))
        return PyErr_Format(PyExc_ValueError,
                            "view: %s to %s: where the sizes differ the elements of the last axis "
                            "must be in a row: copy it first",
                            gnd_dtype_name(gnd_dtype_of(x)), gnd_dtype_name(l.dtype));
    return py_view((py_array *)self, &l);
}

/* _strided(shape, strides, first): a read-only view. Strides and first count elements of self in C
 * order. */
static PyObject *method_strided(PyObject *self, PyObject *args)
{
    py_link l;
    PyObject *shape, *strides;
    long long first;
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    if (!PyArg_ParseTuple(args, "OOL", &shape, &strides, &first))
        return NULL;
    const int n = ints(shape, l.shape), m = n < 0 ? -1 : ints(strides, l.stride);
    if (m < 0)
        return NULL;
    if (m != n)
        return PyErr_Format(PyExc_ValueError, "as_strided: %d strides for %d extents", m, n);
    l.kind = PY_VIEW_STRIDED;
    l.ndim = n;
    l.start[0] = first;
    gnd_array *y = gnd_as_strided(x, n, l.shape, l.stride, first);
    const int bad = py_check(y);
    gnd_release(y);
    return bad ? NULL : py_view((py_array *)self, &l);
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
    if (n == 0)
        return item(self);
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
    {"_permute", method_permute, METH_O, NULL},
    {"_reshape", method_reshape, METH_O, NULL},
    {"_offset", method_offset, METH_NOARGS, NULL},
    {"_broadcast", method_broadcast, METH_O, NULL},
    {"_dtype", method_dtype, METH_O, NULL},
    {"_strided", method_strided, METH_VARARGS, NULL},
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
