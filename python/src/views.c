/* SPDX-License-Identifier: BSD-3-Clause
 *
 * views.c - gnd.ndarray: the methods that make views (view.c). Functions in Python build on them.
 */
#include "py.h"

#include <string.h>

int64_t py_offset(const py_array *a)
{
    int64_t n = 0;
    for (; a->src; a = a->src) {
        const int64_t item = (int64_t)gnd_dtype_size(gnd_dtype_of(a->value));
        int64_t stride[GND_MAX_NDIM];
        py_strides(a->src, stride);
        if (a->link->kind == PY_VIEW_IMAG)
            n += item;
        if (a->link->kind == PY_VIEW_STRIDED)
            n += a->link->start[0] * item;
        for (int s = 0; a->link->kind == PY_VIEW_BOX && s < a->link->nsrc; s++)
            n += a->link->start[s] * stride[s] * item;
    }
    return n;
}

/* _offset(): bytes from the first element of .base to this array's, in NumPy's layout. */
PyObject *py_method_offset(PyObject *self, PyObject *none)
{
    (void)none;
    return py_value((py_array *)self) ? PyLong_FromLongLong(py_offset((py_array *)self)) : NULL;
}

static int ints(PyObject *o, int64_t *v)
{
    const Py_ssize_t n = PySequence_Size(o);
    if (n < 0 || n > GND_MAX_NDIM) {
        if (n > 0)
            PyErr_Format(PyExc_ValueError,
                         "maximum supported dimension for an ndarray is %d, found %zd",
                         GND_MAX_NDIM, n);
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

PyObject *py_method_permute(PyObject *self, PyObject *axes)
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

PyObject *py_method_reshape(PyObject *self, PyObject *shape)
{
    int64_t v[GND_MAX_NDIM];
    const int n = ints(shape, v);
    return n < 0 ? NULL : py_reshape((py_array *)self, n, v);
}

PyObject *py_method_broadcast(PyObject *self, PyObject *shape)
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
PyObject *py_method_dtype(PyObject *self, PyObject *dtype)
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
PyObject *py_method_strided(PyObject *self, PyObject *args)
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

/* _diagonal(axis1, axis2, readonly): the diagonal of two axes of one extent, as the last axis of a
 * view. */
PyObject *py_method_diagonal(PyObject *self, PyObject *args)
{
    py_link l;
    int64_t stride[GND_MAX_NDIM];
    int readonly, k = 0;
    gnd_array *x = py_value((py_array *)self);
    if (!x || !PyArg_ParseTuple(args, "iip", &l.axis[0], &l.axis[1], &readonly))
        return NULL;
    gnd_array *y = gnd_diagonal(x, 0, l.axis[0], l.axis[1]);
    const int bad = py_check(y);
    gnd_release(y);
    if (bad)
        return NULL;
    py_strides((py_array *)self, stride);
    l.kind = PY_VIEW_DIAGONAL;
    l.start[0] = readonly;
    l.ndim = gnd_ndim(x) - 1;
    for (int i = 0; i < gnd_ndim(x); i++)
        if (i != l.axis[0] && i != l.axis[1]) {
            l.shape[k] = gnd_shape(x)[i];
            l.stride[k++] = stride[i];
        }
    l.shape[k] = gnd_shape(x)[l.axis[0]];
    l.stride[k] = stride[l.axis[0]] + stride[l.axis[1]];
    return py_view((py_array *)self, &l);
}

/* _windows(sizes, axes): gnd_sliding_window_view as a read-only view. */
PyObject *py_method_windows(PyObject *self, PyObject *args)
{
    py_link l;
    PyObject *sizes, *axes;
    int64_t axis[GND_MAX_NDIM], stride[GND_MAX_NDIM];
    gnd_array *x = py_value((py_array *)self);
    if (!x || !PyArg_ParseTuple(args, "OO", &sizes, &axes))
        return NULL;
    const int n = ints(sizes, l.count), nd = gnd_ndim(x);
    if (n < 0 || ints(axes, axis) != n || n + nd > GND_MAX_NDIM)
        return PyErr_Occurred() ? NULL
                                : PyErr_Format(PyExc_ValueError,
                                               "sliding_window_view: %d windows of an array of %d "
                                               "dimensions: one for each axis that is named, and "
                                               "at most %d dimensions in all, are possible",
                                               n, nd, GND_MAX_NDIM);
    for (int i = 0; i < n; i++)
        l.axis[i] = (int)axis[i];
    gnd_array *y = gnd_sliding_window_view(x, n, l.count, l.axis);
    if (py_check(y)) {
        gnd_release(y);
        return NULL;
    }
    py_strides((py_array *)self, stride);
    l.kind = PY_VIEW_WINDOWS;
    l.nsrc = n;
    l.ndim = nd + n;
    for (int i = 0; i < l.ndim; i++) {
        l.shape[i] = gnd_shape(y)[i];
        l.stride[i] = stride[i < nd ? i : (l.axis[i - nd] + nd) % nd];
    }
    gnd_release(y);
    return py_view((py_array *)self, &l);
}
