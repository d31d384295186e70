/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.c - recordings (gnd/record.h) for gnd.jit (gnd/_jit.py): placeholders, the recording of
 * what is computed from them, and replays. A replay is one call that sets the inputs, replays and
 * returns the outputs. A recording is a capsule. The caller ensures that only one thread at a time
 * uses it.
 */
#include "py.h"

#include <stdlib.h>

static const char capsule_name[] = "gnd.recording";

static void free_recording(PyObject *capsule)
{
    gnd_recording *r = PyCapsule_GetPointer(capsule, capsule_name);
    Py_BEGIN_ALLOW_THREADS
    gnd_recording_free(r);
    Py_END_ALLOW_THREADS
}

/* _placeholder(device, dtype, shape): an input of a recording, an array whose elements are given at
 * each replay. shape None: a number, which is passed by value. */
static PyObject *placeholder(PyObject *self, PyObject *args)
{
    PyObject *device, *dtype, *shape;
    gnd_dtype t;
    int64_t dim[GND_MAX_NDIM];
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO:_placeholder", &device, &dtype, &shape))
        return NULL;
    gnd_device *dev = py_device_of(device);
    if (!dev || py_dtype_of(dtype, &t, NULL))
        return NULL;
    if (shape == Py_None)
        return py_array_new(gnd_placeholder_number(dev, t));
    const Py_ssize_t n = PyTuple_Size(shape);
    if (n < 0 || n > GND_MAX_NDIM)
        return n < 0 ? NULL : PyErr_Format(PyExc_ValueError, "jit: %zd dimensions", n);
    for (Py_ssize_t i = 0; i < n; i++) {
        dim[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
        if (PyErr_Occurred())
            return NULL;
    }
    return py_array_new(gnd_placeholder(dev, t, (int)n, dim));
}

/* _version(x): the number of writes to a root x. For a view, the version of its root at which its
 * value was made. */
static PyObject *version(PyObject *self, PyObject *x)
{
    (void)self;
    if (!py_is_array(x))
        return PyErr_Format(PyExc_TypeError, "%R: a gnd.ndarray is wanted", (PyObject *)Py_TYPE(x));
    return PyLong_FromUnsignedLongLong(((py_array *)x)->version);
}

/* The values of a tuple of arrays. The values are borrowed; the caller frees the list. NULL with an
 * exception. */
static gnd_array **values(PyObject *tuple, int *n)
{
    const Py_ssize_t k = PyTuple_Size(tuple);
    gnd_array **x = k < 0 ? NULL : calloc((size_t)k + 1, sizeof *x);
    if (!x)
        return k < 0 ? NULL : (gnd_array **)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < k; i++) {
        PyObject *o = PyTuple_GetItem(tuple, i);
        x[i] = py_is_array(o) ? py_value((py_array *)o) : NULL;
        if (!x[i]) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_TypeError, "%R: a gnd.ndarray is wanted",
                             (PyObject *)Py_TYPE(o));
            free(x);
            return NULL;
        }
    }
    *n = (int)k;
    return x;
}

/* _record(inputs, outputs): a recording of how the arrays in the tuple outputs are computed from
 * the placeholders in the tuple inputs. */
static PyObject *record(PyObject *self, PyObject *args)
{
    PyObject *ins, *outs, *capsule = NULL;
    int nin = 0, nout = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O!:_record", &PyTuple_Type, &ins, &PyTuple_Type, &outs))
        return NULL;
    gnd_array **in = values(ins, &nin), **out = in ? values(outs, &nout) : NULL;
    if (out) {
        gnd_recording *r = gnd_record(nin, in, nout, out);
        if (gnd_recording_status(r) != GND_OK) {
            py_raise(gnd_recording_status(r), gnd_recording_error(r));
            gnd_recording_free(r);
        } else {
            capsule = PyCapsule_New(r, capsule_name, free_recording);
            if (!capsule)
                gnd_recording_free(r);
        }
    }
    free(in);
    free(out);
    return capsule;
}

/* Sets input i to an array or a Python number. */
static int set(gnd_recording *r, int i, PyObject *o, gnd_device *dev)
{
    gnd_array *x = NULL;
    const int what = py_operand(o, dev, &x);
    if (what) {
        if (what > 0)
            PyErr_Format(PyExc_TypeError, "jit: %R is neither an array nor a number",
                         (PyObject *)Py_TYPE(o));
        return -1;
    }
    const gnd_status s = gnd_recording_set(r, i, x);
    gnd_release(x);
    if (s == GND_OK)
        return 0;
    py_raise(s, gnd_recording_error(r));
    gnd_recording_wait(r); /* reports the error again and so clears it */
    return -1;
}

/* _replay(recording, device, inputs, n): the n outputs for these inputs, a tuple. */
static PyObject *replay(PyObject *self, PyObject *args)
{
    PyObject *capsule, *device, *ins;
    int nout;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOO!i:_replay", &capsule, &device, &PyTuple_Type, &ins, &nout))
        return NULL;
    gnd_recording *r = PyCapsule_GetPointer(capsule, capsule_name);
    gnd_device *dev = r ? py_device_of(device) : NULL;
    if (!dev)
        return NULL;
    const Py_ssize_t n = PyTuple_Size(ins);
    for (Py_ssize_t i = 0; i < n; i++)
        if (set(r, (int)i, PyTuple_GetItem(ins, i), dev))
            return NULL;
    Py_BEGIN_ALLOW_THREADS
    gnd_replay(r); /* an error is reported by every output */
    Py_END_ALLOW_THREADS
    PyObject *t = PyTuple_New(nout);
    for (int i = 0; t && i < nout; i++) {
        gnd_array *y;
        Py_BEGIN_ALLOW_THREADS
        y = gnd_recording_get(r, i);
        Py_END_ALLOW_THREADS
        PyObject *o = py_array_new(y);
        if (!o || PyTuple_SetItem(t, i, o))
            Py_CLEAR(t);
    }
    return t;
}

PyMethodDef py_record_methods[] = {{"_placeholder", placeholder, METH_VARARGS, NULL},
                                   {"_version", version, METH_O, NULL},
                                   {"_record", record, METH_VARARGS, NULL},
                                   {"_replay", replay, METH_VARARGS, NULL},
                                   {NULL, NULL, 0, NULL}};
