/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value.c - conversion of Python objects to gnd_value and back, and of NumPy arrays to arrays on a
 * device and back, by copy. NumPy is used through its Python interface (__array_interface__), so
 * the extension does not depend on a version of NumPy's C API.
 */
#include "py.h"

#include <stdlib.h>
#include <string.h>

static PyObject *np_asarray, *np_empty, *np_ndarray, *np_generic, *namedtuple;

/* Looks up, once, the names that this file uses. */
static int numpy(void)
{
    if (np_generic)
        return 0;
    PyObject *np = PyImport_ImportModule("numpy"), *c = PyImport_ImportModule("collections");
    if (np && c) {
        np_asarray = PyObject_GetAttrString(np, "asarray");
        np_empty = PyObject_GetAttrString(np, "empty");
        np_ndarray = PyObject_GetAttrString(np, "ndarray");
        namedtuple = PyObject_GetAttrString(c, "namedtuple");
        np_generic = PyObject_GetAttrString(np, "generic");
    }
    Py_XDECREF(np);
    Py_XDECREF(c);
    return np_generic ? 0 : -1;
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* *p = the address of the elements of a numpy.ndarray. */
static int address(PyObject *a, void **p)
{
    PyObject *d = PyObject_GetAttrString(a, "__array_interface__");
    PyObject *data = d ? PyDict_GetItemString(d, "data") : NULL;
    PyObject *at = data ? PyTuple_GetItem(data, 0) : NULL;
    *p = at ? PyLong_AsVoidPtr(at) : NULL;
    Py_XDECREF(d);
    return PyErr_Occurred() || !at ? -1 : 0;
}

gnd_array *py_from_numpy(PyObject *o, gnd_device *dev)
{
    gnd_dtype t;
    int64_t shape[GND_MAX_NDIM];
    gnd_array *x = NULL;
    void *p;
    if (numpy())
        return NULL;
    PyObject *a = PyObject_CallFunction(np_asarray, "OOs", o, Py_None, "C"), *dt = NULL,
             *native = NULL, *s = NULL;
    if (!a)
        return NULL;
    dt = PyObject_GetAttrString(a, "dtype");
    if (!dt || py_dtype_of(dt, &t, NULL))
        goto done;
    native = PyObject_GetAttrString(dt, "isnative");
    if (native == Py_False) {
        PyObject *d = py_dtype(t), *b = d ? PyObject_CallMethod(a, "astype", "O", d) : NULL;
        Py_XDECREF(d);
        Py_DECREF(a);
        a = b;
        if (!a)
            goto done;
    }
    s = PyObject_GetAttrString(a, "shape");
    if (!s || address(a, &p))
        goto done;
    const Py_ssize_t n = PyTuple_Size(s);
    if (n > GND_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError, "an array of %zd dimensions: at most %d are possible", n,
                     GND_MAX_NDIM);
        goto done;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        shape[i] = PyLong_AsLongLong(PyTuple_GetItem(s, i));
    x = gnd_from(dev, t, (int)n, shape, p);
    if (py_check(x)) {
        gnd_release(x);
        x = NULL;
    }
done:
    Py_XDECREF(a);
    Py_XDECREF(dt);
    Py_XDECREF(native);
    Py_XDECREF(s);
    return x;
}

PyObject *py_to_numpy(py_array *a)
{
    gnd_array *x = py_value(a);
    if (!x || numpy())
        return NULL;
    PyObject *shape = PyObject_GetAttrString((PyObject *)a, "shape"),
             *dt = py_dtype(gnd_dtype_of(x));
    PyObject *out = shape && dt ? PyObject_CallFunctionObjArgs(np_empty, shape, dt, NULL) : NULL;
    void *p = NULL;
    gnd_status s = GND_OK;
    Py_XDECREF(shape);
    Py_XDECREF(dt);
    if (!out || address(out, &p)) {
        Py_XDECREF(out);
        return NULL;
    }
    gnd_retain(x);
    Py_BEGIN_ALLOW_THREADS
    s = gnd_read(x, p, gnd_nbytes(x));
    Py_END_ALLOW_THREADS
    gnd_release(x);
    if (s == GND_OK)
        return out;
    Py_DECREF(out);
    return py_raise(s, gnd_message());
}

int py_operand(PyObject *o, gnd_device *dev, gnd_array **out)
{
    if (py_is_array(o)) {
        gnd_array *x = py_value((py_array *)o);
        *out = x ? gnd_retain(x) : NULL;
    } else if (PyFloat_CheckExact(o)) {
        *out = gnd_real(PyFloat_AsDouble(o));
    } else if (PyBool_Check(o)) {
        *out = gnd_bool(o == Py_True);
    } else if (PyLong_Check(o)) {
        int over = 0;
        const int64_t i = PyLong_AsLongLongAndOverflow(o, &over);
        if (over > 0) {
            const uint64_t u = PyLong_AsUnsignedLongLong(o);
            if (PyErr_Occurred())
                return -1;
            *out = gnd_uint(u);
        } else if (over) {
            PyErr_Format(PyExc_OverflowError, "%R is no int of 64 bits", o);
            return -1;
        } else {
            *out = gnd_int(i);
        }
    } else if (PyComplex_CheckExact(o)) {
        *out = gnd_complex(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    } else {
        if (numpy())
            return -1;
        const int is =
            PyObject_IsInstance(o, np_generic) == 1 || PyObject_IsInstance(o, np_ndarray) == 1;
        if (!is)
            return PyErr_Occurred() ? -1 : 1;
        *out = py_from_numpy(o, dev);
    }
    return *out ? 0 : -1;
}

/* --- values of calls -------------------------------------------------------------------------- */

void py_hold_clear(py_hold *h)
{
    while (h->narray)
        gnd_release(h->array[--h->narray]);
    while (h->nblock)
        free(h->block[--h->nblock]);
    free(h->array);
    free(h->block);
}

static int hold_array(py_hold *h, gnd_array *x)
{
    if (h->narray == h->room) {
        const int room = h->room ? 2 * h->room : 8;
        gnd_array **p = realloc(h->array, sizeof *p * (size_t)room);
        if (!p) {
            gnd_release(x);
            PyErr_NoMemory();
            return -1;
        }
        h->array = p;
        h->room = room;
    }
    h->array[h->narray++] = x;
    return 0;
}

static void *hold_block(py_hold *h, size_t n)
{
    if (h->nblock == h->blocks) {
        const int blocks = h->blocks ? 2 * h->blocks : 8;
        void **p = realloc(h->block, sizeof *p * (size_t)blocks);
        if (!p)
            return PyErr_NoMemory();
        h->block = p;
        h->blocks = blocks;
    }
    void *p = malloc(n ? n : 1);
    if (!p)
        return PyErr_NoMemory();
    h->block[h->nblock++] = p;
    return p;
}

/* *v = a tuple, list or slice (tag) of the n items of o. */
static int items(PyObject *o, PyObject *(*get)(PyObject *, Py_ssize_t), Py_ssize_t n, py_hold *h,
                 gnd_value *v, int tag)
{
    gnd_value *item = n < 0 ? NULL : hold_block(h, sizeof *item * (size_t)n);
    if (!item)
        return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *p = get(o, i);
        const int bad = !p || py_to_value(p, h, &item[i]);
        Py_XDECREF(p); /* its container, or h, owns it until the call ends */
        if (bad)
            return -1;
    }
    *v = gnd_value_tuple(n, item);
    v->tag = (uint32_t)tag;
    return 0;
}

static PyObject *slice_item(PyObject *o, Py_ssize_t i)
{
    return PyObject_GetAttrString(o, i == 0 ? "start" : i == 1 ? "stop" : "step");
}

static int int_value(PyObject *o, gnd_value *v)
{
    int over = 0;
    *v = gnd_value_int(PyLong_AsLongLongAndOverflow(o, &over));
    if (over > 0) {
        v->as.i = (int64_t)PyLong_AsUnsignedLongLong(o);
        v->aux = GND_VALUE_UNSIGNED;
    } else if (over) {
        PyErr_Format(PyExc_OverflowError, "%R is no int of 64 bits", o);
    }
    return PyErr_Occurred() ? -1 : 0;
}

static gnd_device *device_of(py_hold *h)
{
    if (!h->dev)
        h->dev = py_device_of(NULL);
    return h->dev;
}

int py_to_value(PyObject *o, py_hold *h, gnd_value *v)
{
    if (py_is_array(o)) {
        gnd_array *x = py_value((py_array *)o);
        *v = gnd_value_array(x);
        return x ? hold_array(h, gnd_retain(x)) : -1;
    }
    if (o == Py_None)
        *v = gnd_value_none();
    else if (PyBool_Check(o))
        *v = gnd_value_bool(o == Py_True);
    else if (PyLong_Check(o))
        return int_value(o, v);
    else if (PyFloat_CheckExact(o))
        *v = gnd_value_float(PyFloat_AsDouble(o));
    else if (PyComplex_CheckExact(o)) {
        *v = gnd_value_float(PyComplex_RealAsDouble(o));
        v->tag = GND_V_COMPLEX;
        v->as.z.im = PyComplex_ImagAsDouble(o);
    } else if (PyUnicode_Check(o)) {
        Py_ssize_t n;
        *v = gnd_value_none();
        v->tag = GND_V_STRING;
        v->as.text.s = PyUnicode_AsUTF8AndSize(o, &n);
        v->as.text.n = (size_t)n;
        return v->as.text.s ? 0 : -1;
    } else if (PyTuple_Check(o))
        return items(o, PySequence_GetItem, PyTuple_Size(o), h, v, GND_V_TUPLE);
    else if (PyList_Check(o) || PyRange_Check(o))
        return items(o, PySequence_GetItem, PySequence_Size(o), h, v, GND_V_LIST);
    else if (PySlice_Check(o))
        return items(o, slice_item, 3, h, v, GND_V_SLICE);
    else if (o == Py_Ellipsis) {
        *v = gnd_value_none();
        v->tag = GND_V_ELLIPSIS;
    } else {
        const int foreign = h->other ? h->other(o, v) : 1;
        if (foreign <= 0)
            return foreign;
        if (numpy())
            return -1;
        const int is =
            PyObject_IsInstance(o, np_generic) == 1 || PyObject_IsInstance(o, np_ndarray) == 1;
        if (PyErr_Occurred())
            return -1;
        if (is) {
            gnd_array *x = device_of(h) ? py_from_numpy(o, h->dev) : NULL;
            *v = gnd_value_array(x);
            return x ? hold_array(h, x) : -1;
        }
        gnd_dtype t;
        int python;
        if (!PyType_Check(o) && /* dtypes are types, or have an itemsize and no elements */
            (!PyObject_HasAttrString(o, "itemsize") || PyObject_HasAttrString(o, "__array__"))) {
            if (PyIndex_Check(o)) {
                PyObject *i = PyNumber_Index(o);
                const int bad = !i || int_value(i, v);
                Py_XDECREF(i);
                return bad ? -1 : 0;
            }
            if (PyObject_HasAttrString(o, "__array__")) {
                gnd_array *x = device_of(h) ? py_from_numpy(o, h->dev) : NULL;
                *v = gnd_value_array(x);
                return x ? hold_array(h, x) : -1;
            }
            PyErr_Format(PyExc_TypeError,
                         "%R is no value for gnd: arrays, numbers, strings, dtypes, slices, tuples "
                         "and lists of them are",
                         (PyObject *)Py_TYPE(o));
            return -1;
        }
        if (py_dtype_of(o, &t, &python))
            return -1;
        *v = gnd_value_dtype(t);
        v->aux = python ? GND_VALUE_PYTHON : 0;
    }
    return 0;
}

/* The named tuple type with these fields, made at first use. */
static PyObject *record_type(const char *fields)
{
    static PyObject *types; /* by the string of fields */
    if (!types && !(types = PyDict_New()))
        return NULL;
    PyObject *t = PyDict_GetItemString(types, fields);
    if (t) {
        Py_INCREF(t);
        return t;
    }
    t = PyObject_CallFunction(namedtuple, "ss", "Result", fields);
    if (t && PyDict_SetItemString(types, fields, t))
        Py_CLEAR(t);
    return t;
}

PyObject *py_object_of(const gnd_value *v, py_object_fn *other, void *arg)
{
    switch ((gnd_tag)v->tag) {
    case GND_V_NOTHING: Py_RETURN_NONE;
    case GND_V_ELLIPSIS: Py_INCREF(Py_Ellipsis); return Py_Ellipsis;
    case GND_V_BOOL: return PyBool_FromLong(v->as.i != 0);
    case GND_V_INT:
        return v->aux & GND_VALUE_UNSIGNED ? PyLong_FromUnsignedLongLong((uint64_t)v->as.i)
                                           : PyLong_FromLongLong(v->as.i);
    case GND_V_FLOAT: return PyFloat_FromDouble(v->as.z.re);
    case GND_V_COMPLEX: return PyComplex_FromDoubles(v->as.z.re, v->as.z.im);
    case GND_V_STRING: return PyUnicode_FromStringAndSize(v->as.text.s, (Py_ssize_t)v->as.text.n);
    case GND_V_DTYPE: return py_dtype(v->as.dtype);
    case GND_V_ARRAY: return py_array_new(gnd_retain(v->as.array));
    default: break;
    }
    if (v->tag > GND_V_RECORD && other)
        return other(v, arg);
    PyObject *t = v->tag == GND_V_LIST ? PyList_New(0) : PyTuple_New((Py_ssize_t)v->as.items.n);
    for (int64_t i = 0; t && i < v->as.items.n; i++) {
        PyObject *o = py_object_of(&v->as.items.item[i], other, arg);
        int bad = !o;
        if (o && v->tag == GND_V_LIST) {
            bad = PyList_Append(t, o);
            Py_DECREF(o);
        } else if (o) {
            bad = PyTuple_SetItem(t, (Py_ssize_t)i, o);
        }
        if (bad)
            Py_CLEAR(t);
    }
    const char *fields = gnd_value_fields(v);
    if (t && fields && !numpy()) {
        PyObject *type = record_type(fields), *r = type ? PyObject_CallObject(type, t) : NULL;
        Py_XDECREF(type);
        Py_DECREF(t);
        return r;
    }
    return t;
}

PyObject *py_numpy_scalar(PyObject *o, int of_bools)
{
    if (!o || numpy() ||
        !(PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) ||
          PyComplex_CheckExact(o)))
        return o;
    /* what NumPy does not compute in bools it computes in int8 */
    PyObject *int8 = of_bools && PyLong_CheckExact(o) ? PyUnicode_FromString("int8") : NULL;
    PyObject *x = PyObject_CallFunctionObjArgs(np_asarray, o, int8, NULL), *none = PyTuple_New(0);
    PyObject *r = x && none ? PyObject_GetItem(x, none) : NULL;
    Py_XDECREF(x);
    Py_XDECREF(none);
    Py_XDECREF(int8);
    Py_DECREF(o);
    return r;
}

PyObject *py_from_value(gnd_value *v)
{
    PyObject *o = py_object_of(v, NULL, NULL);
    gnd_value_clear(v);
    return o;
}
