/* SPDX-License-Identifier: BSD-3-Clause
 *
 * attributes.c - the attributes of gnd.ndarray: shape, strides, dtype, device and so on, and the
 * views that are attributes (T, mT, real, imag).
 */
#include "py.h"

static PyObject *tuple_of(int n, const int64_t *v, int64_t factor)
{
    PyObject *t = PyTuple_New(n);
    for (int i = 0; t && i < n; i++) {
        PyObject *o = PyLong_FromLongLong(v[i] * factor);
        if (!o || PyTuple_SetItem(t, i, o))
            Py_CLEAR(t);
    }
    return t;
}

PyObject *py_ints(int n, const int64_t *v)
{
    return tuple_of(n, v, 1);
}

static PyObject *get_shape(PyObject *self, void *none)
{
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    return x ? tuple_of(gnd_ndim(x), gnd_shape(x), 1) : NULL;
}

static int set_shape(PyObject *self, PyObject *shape, void *none)
{
    (void)self, (void)shape, (void)none;
    PyErr_SetString(PyExc_AttributeError, "shape cannot be assigned: use x = x.reshape(shape)");
    return -1;
}

static PyObject *get_strides(PyObject *self, void *none)
{
    int64_t stride[GND_MAX_NDIM];
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    py_strides((py_array *)self, stride);
    return tuple_of(gnd_ndim(x), stride, (int64_t)gnd_dtype_size(gnd_dtype_of(x)));
}

/* Whether the elements are in C order (1) and in Fortran order (2) without gaps, added up. */
static PyObject *get_dense(PyObject *self, void *none)
{
    int64_t stride[GND_MAX_NDIM], next[2] = {1, 1};
    int dense = 3;
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    const int n = gnd_ndim(x);
    const int64_t *shape = gnd_shape(x);
    py_strides((py_array *)self, stride);
    for (int i = 0; i < n && gnd_size(x) > 0; i++)
        for (int fortran = 0; fortran < 2; fortran++) {
            const int d = fortran ? i : n - 1 - i;
            if (shape[d] != 1 && stride[d] != next[fortran])
                dense &= ~(1 << fortran);
            next[fortran] *= shape[d];
        }
    return PyLong_FromLong(dense);
}

static PyObject *get_ndim(PyObject *self, void *none)
{
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    return x ? PyLong_FromLong(gnd_ndim(x)) : NULL;
}

static PyObject *get_size(PyObject *self, void *none)
{
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    return x ? PyLong_FromLongLong(gnd_size(x)) : NULL;
}

static PyObject *get_itemsize(PyObject *self, void *none)
{
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    return x ? PyLong_FromSize_t(gnd_dtype_size(gnd_dtype_of(x))) : NULL;
}

static PyObject *get_nbytes(PyObject *self, void *none)
{
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    return x ? PyLong_FromSize_t(gnd_nbytes(x)) : NULL;
}

static PyObject *get_dtype(PyObject *self, void *none)
{
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    return x ? py_dtype(gnd_dtype_of(x)) : NULL;
}

static PyObject *get_device(PyObject *self, void *none)
{
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    return x ? py_device(gnd_device_of(x)) : NULL;
}

static PyObject *get_base(PyObject *self, void *none)
{
    PyObject *root = (PyObject *)((py_array *)self)->root;
    (void)none;
    root = root ? root : Py_None;
    Py_INCREF(root);
    return root;
}

PyObject *py_permuted(py_array *a, const int *perm)
{
    py_link whole, box;
    if (py_whole(a, &whole))
        return NULL;
    box = whole;
    for (int i = 0; i < box.ndim; i++)
        box.axis[i] = perm[i];
    return py_view(a, &box);
}

static PyObject *get_T(PyObject *self, void *none)
{
    int perm[GND_MAX_NDIM];
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    const int n = gnd_ndim(x);
    for (int i = 0; i < n; i++)
        perm[i] = n - 1 - i;
    return py_permuted((py_array *)self, perm);
}

static PyObject *get_mT(PyObject *self, void *none)
{
    int perm[GND_MAX_NDIM];
    (void)none;
    gnd_array *x = py_value((py_array *)self);
    if (!x)
        return NULL;
    const int n = gnd_ndim(x);
    if (n < 2) {
        PyErr_Format(PyExc_ValueError, "mT: matrix transpose with ndim < 2 is undefined: x has %d",
                     n);
        return NULL;
    }
    for (int i = 0; i < n; i++)
        perm[i] = i < n - 2 ? i : 2 * n - 3 - i;
    return py_permuted((py_array *)self, perm);
}

/* The real or imaginary part: a view if the array is complex; otherwise the array itself, or zeros.
 */
static PyObject *part(PyObject *self, int kind)
{
    gnd_array *x = py_value((py_array *)self);
    py_link l;
    int64_t stride[GND_MAX_NDIM];
    if (!x)
        return NULL;
    if (gnd_dtype_kind(gnd_dtype_of(x)) != 'c') {
        if (kind == PY_VIEW_IMAG) { /* zeros, which are no part of x */
            PyObject *zeros = py_array_new(gnd_imag_part(x));
            if (zeros)
                ((py_array *)zeros)->readonly = 1;
            return zeros;
        }
        Py_INCREF(self);
        return self;
    }
    py_strides((py_array *)self, stride);
    l.kind = kind;
    l.ndim = gnd_ndim(x);
    for (int i = 0; i < l.ndim; i++) {
        l.shape[i] = gnd_shape(x)[i];
        l.stride[i] = 2 * stride[i];
    }
    return py_view((py_array *)self, &l);
}

static PyObject *get_real(PyObject *self, void *none)
{
    (void)none;
    return part(self, PY_VIEW_REAL);
}

static PyObject *get_imag(PyObject *self, void *none)
{
    (void)none;
    return part(self, PY_VIEW_IMAG);
}

static int set_part(PyObject *self, PyObject *value, PyObject *view)
{
    (void)self;
    if (!view)
        return -1;
    const int bad = value ? py_setitem(view, Py_Ellipsis, value) : -1;
    Py_DECREF(view);
    return bad;
}

static int set_real(PyObject *self, PyObject *value, void *none)
{
    (void)none;
    return set_part(self, value, part(self, PY_VIEW_REAL));
}

static int set_imag(PyObject *self, PyObject *value, void *none)
{
    gnd_array *x = py_value((py_array *)self);
    (void)none;
    if (x && gnd_dtype_kind(gnd_dtype_of(x)) != 'c') {
        PyErr_SetString(PyExc_TypeError, "imag: the array is not complex");
        return -1;
    }
    return set_part(self, value, part(self, PY_VIEW_IMAG));
}

/* _writeable: the flag. An array that was made read-only for good keeps it, as does a view of an
 * array that is read-only. */
static PyObject *get_writeable(PyObject *self, void *none)
{
    (void)none;
    return PyBool_FromLong(!((py_array *)self)->readonly);
}

static int set_writeable(PyObject *self, PyObject *value, void *none)
{
    py_array *a = (py_array *)self;
    const int to = value ? PyObject_IsTrue(value) : -1;
    (void)none;
    if (to < 0)
        return -1;
    const char *by = py_readonly_by(a);
    if (to && (by || (a->src && a->root->readonly))) {
        PyErr_Format(PyExc_ValueError, "cannot set WRITEABLE flag to True of this array: %s%s",
                     by ? "it was made by " : "it is a view of an array that is read-only",
                     by ? by : "");
        return -1;
    }
    a->readonly = (char)!to;
    return 0;
}

PyGetSetDef py_attributes[] = {
    {"shape", get_shape, set_shape, "The extents, a tuple.", NULL},
    {"strides", get_strides, NULL,
     "Bytes from one element to the next along each axis, as NumPy would have them.", NULL},
    {"ndim", get_ndim, NULL, "The number of dimensions.", NULL},
    {"size", get_size, NULL, "The number of elements.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of one element.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of all elements.", NULL},
    {"dtype", get_dtype, NULL, "The numpy.dtype.", NULL},
    {"device", get_device, NULL, "The gnd.Device.", NULL},
    {"base", get_base, NULL, "The array that this one is a view of, or None.", NULL},
    {"T", get_T, NULL, "A view with all axes in opposite order.", NULL},
    {"mT", get_mT, NULL, "A view with the last two axes swapped.", NULL},
    {"_dense", get_dense, NULL, NULL, NULL},
    {"_writeable", get_writeable, set_writeable, NULL, NULL},
    {"real", get_real, set_real, "The real part, a view.", NULL},
    {"imag", get_imag, set_imag, "The imaginary part, a view.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
