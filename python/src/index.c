/* SPDX-License-Identifier: BSD-3-Clause
 *
 * index.c - x[key] and x[key] = value: Python keys as gnd_range. Ints, slices, None and ... give
 * views. Arrays of ints and masks give copies, and so does a key that names a single element.
 */
#include "py.h"

enum { MAX_KEY = 2 * GND_MAX_NDIM };

typedef struct key {
    int n, arrays, ints; /* the number of entries; of arrays and of ints among them */
    int dots, none;      /* whether there is an ellipsis; the number of entries None */
    gnd_range r[MAX_KEY];
    gnd_array *own[MAX_KEY]; /* to be released */
    int nown;
} key;

static void key_clear(key *k)
{
    while (k->nown)
        gnd_release(k->own[--k->nown]);
}

static int bad_key(PyObject *o)
{
    PyErr_Format(PyExc_IndexError,
                 "%R as an index: ints, slices, None and ... are possible; arrays used as "
                 "indices must be of ints or bools",
                 (PyObject *)Py_TYPE(o));
    return -1;
}

static int add_array(key *k, gnd_array *x)
{
    k->own[k->nown++] = x;
    if (py_check(x))
        return -1;
    const int kind = gnd_dtype_kind(gnd_dtype_of(x));
    if (kind != 'b' && kind != 'i' && kind != 'u') {
        if (gnd_size(x)) {
            PyErr_Format(PyExc_IndexError,
                         "an index of dtype %s: arrays used as indices must be of ints or bools",
                         gnd_dtype_name(gnd_dtype_of(x)));
            return -1;
        }
        k->own[k->nown - 1] = gnd_astype(x, GND_INT64); /* an empty list */
        gnd_release(x);
        x = k->own[k->nown - 1];
    }
    k->r[k->n++] = GND_AT(x);
    k->arrays++;
    return 0;
}

static int add_slice(key *k, PyObject *o)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(o, &start, &stop, &step)) /* which replaces missing numbers */
        return -1;
    /* GND_NONE is the least number. A number as low is given unless it ends a negative step, where
     * it means the same. */
    if (start == GND_NONE)
        start++;
    if (stop == GND_NONE && step > 0)
        stop++;
    k->r[k->n++] = GND_STEP(start, stop, step);
    return 0;
}

static int add(key *k, PyObject *o, gnd_device *dev)
{
    if (k->n == MAX_KEY || k->nown == MAX_KEY) {
        PyErr_Format(PyExc_IndexError, "too many indices: more than %d", MAX_KEY);
        return -1;
    }
    if (o == Py_None) {
        k->none++;
        k->r[k->n++] = GND_NEWAXIS;
        return 0;
    }
    if (o == Py_Ellipsis) {
        if (k->dots++) {
            PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
            return -1;
        }
        k->r[k->n++] = GND_DOTS;
        return 0;
    }
    if (PySlice_Check(o))
        return add_slice(k, o);
    if (PyBool_Check(o)) {
        const uint8_t b = o == Py_True;
        return add_array(k, gnd_from(dev, GND_BOOL, 0, NULL, &b));
    }
    if (py_is_array(o)) {
        gnd_array *x = py_value((py_array *)o);
        return x ? add_array(k, gnd_retain(x)) : -1;
    }
    if (PyIndex_Check(o)) {
        PyObject *i = PyNumber_Index(o);
        if (i) {
            const int64_t v = PyLong_AsLongLong(i);
            Py_DECREF(i);
            if (v == -1 && PyErr_Occurred())
                return -1;
            k->r[k->n++] = GND_ELEM(v);
            k->ints++;
            return 0;
        }
        PyErr_Clear(); /* a NumPy array with dimensions */
    }
    if (PyFloat_Check(o) || PyComplex_Check(o) || PyUnicode_Check(o) || PyDict_Check(o))
        return bad_key(o);
    gnd_array *x = py_from_numpy(o, dev);
    if (!x && PyErr_ExceptionMatches(PyExc_TypeError)) { /* objects, strings or fields */
        PyErr_Clear();
        return bad_key(o);
    }
    return x ? add_array(k, x) : -1;
}

/* *k = the entries of the key o. The caller calls key_clear(k), after an error too. */
static int parse(PyObject *o, gnd_device *dev, key *k)
{
    k->n = k->arrays = k->ints = k->dots = k->none = k->nown = 0;
    if (!PyTuple_Check(o))
        return add(k, o, dev);
    const Py_ssize_t n = PyTuple_Size(o);
    for (Py_ssize_t i = 0; i < n; i++)
        if (add(k, PyTuple_GetItem(o, i), dev))
            return -1;
    return 0;
}

/* *box = a basic key (no arrays in it) as a box of a, whose value is x. */
static int box_of(const key *k, py_array *a, gnd_array *x, py_link *box)
{
    const int nd = gnd_ndim(x), used = k->n - k->none - (k->dots != 0);
    if (used > nd) {
        PyErr_Format(PyExc_IndexError,
                     "too many indices: the array has %d dimensions, but %d were indexed", nd,
                     used);
        return -1;
    }
    if (nd - k->ints + k->none > GND_MAX_NDIM) {
        PyErr_Format(PyExc_IndexError, "%d dimensions: at most %d are possible",
                     nd - k->ints + k->none, GND_MAX_NDIM);
        return -1;
    }
    if (py_whole(a, box))
        return -1;
    int s = 0, d = 0;
    for (int i = 0; i < k->n; i++) {
        const gnd_range *r = &k->r[i];
        if (r->kind == GND_IDX_NEWAXIS) {
            box->axis[d++] = -1;
        } else if (r->kind == GND_IDX_ELLIPSIS) {
            for (int j = used; j < nd; j++)
                box->axis[d++] = s++;
        } else if (r->kind == GND_IDX_INT) {
            const int64_t n = box->count[s], at = r->start < 0 ? r->start + n : r->start;
            if (at < 0 || at >= n) {
                PyErr_Format(PyExc_IndexError,
                             "index %lld is out of bounds for axis %d with size %lld",
                             (long long)r->start, s, (long long)n);
                return -1;
            }
            box->start[s] = at;
            box->count[s++] = 1;
        } else {
            const int64_t n = box->count[s], step = r->step;
            Py_ssize_t b = (Py_ssize_t)r->start, e = (Py_ssize_t)r->stop;
            box->count[s] = PySlice_AdjustIndices((Py_ssize_t)n, &b, &e, (Py_ssize_t)step);
            box->start[s] = box->count[s] ? b : 0;
            box->step[s] = step;
            box->axis[d++] = s++;
        }
    }
    for (; s < nd; s++)
        box->axis[d++] = s;
    box->ndim = d;
    return 0;
}

PyObject *py_getitem(PyObject *self, PyObject *o)
{
    py_array *a = (py_array *)self;
    gnd_array *x = py_value(a);
    PyObject *r = NULL;
    py_link box;
    key k;
    if (!x || parse(o, gnd_device_of(x), &k)) {
        if (x)
            key_clear(&k);
        return NULL;
    }
    if (k.arrays) {
        r = py_array_new(gnd_index(x, k.n, k.r));
    } else if (!box_of(&k, a, x, &box)) {
        if (!box.ndim && !k.dots) /* one element: a copy, like NumPy's scalar */
            r = py_array_new(gnd_index(x, k.n, k.r));
        else
            r = py_view(a, &box);
    }
    key_clear(&k);
    return r;
}

/* Complex elements written to a real array: as in NumPy, a warning, and *v becomes their real
 * parts. Python complex numbers are an error, which gnd_set reports. */
static int drop_imaginary(gnd_array *x, gnd_array **v)
{
    static PyObject *warning;
    const int kind = gnd_dtype_kind(gnd_dtype_of(x));
    if (gnd_is_weak(*v) || gnd_dtype_kind(gnd_dtype_of(*v)) != 'c' || kind == 'c' || kind == 'b')
        return 0;
    if (!warning) {
        PyObject *m = PyImport_ImportModule("gnd._names");
        warning = m ? PyObject_GetAttrString(m, "ComplexWarning") : NULL;
        Py_XDECREF(m);
        if (!warning)
            return -1;
    }
    if (PyErr_WarnEx(warning, "Casting complex values to real discards the imaginary part", 1))
        return -1;
    gnd_array *real = gnd_real_part(*v);
    gnd_release(*v);
    *v = real;
    return 0;
}

int py_setitem(PyObject *self, PyObject *o, PyObject *value)
{
    py_array *a = (py_array *)self;
    gnd_array *x = py_value(a), *v = NULL;
    int bad = -1;
    key k;
    if (!x)
        return -1;
    if (!value) {
        PyErr_SetString(PyExc_ValueError, "elements of an array cannot be deleted");
        return -1;
    }
    if (py_is_array(value) && ((py_array *)value)->src) {
        /* The last step of x[key] += y: the view x[key] has the new value already. */
        PyObject *there = py_is_array(o) || PyList_Check(o) ? NULL : py_getitem(self, o);
        const int same =
            there && py_is_array(there) && py_same_view((py_array *)there, (py_array *)value);
        if (!there)
            PyErr_Clear();
        Py_XDECREF(there);
        if (same)
            return 0;
    }
    if (parse(o, gnd_device_of(x), &k))
        goto done;
    switch (py_operand(value, gnd_device_of(x), &v)) {
    case 1: v = py_from_numpy(value, gnd_device_of(x)); break;
    case 0: break;
    default: goto done;
    }
    if (!v)
        goto done;
    x = drop_imaginary(x, &v) ? NULL : py_value(a);
    bad = x ? py_write(a, gnd_set(x, k.n, k.r, v)) : -1;
done:
    gnd_release(v);
    key_clear(&k);
    return bad;
}
