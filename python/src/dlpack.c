/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dlpack.c - DLPack capsules, which share memory where possible, and native objects of arrays and
 * devices.
 */
#include "py.h"

#include <gnd/dlpack.h>
#include <gnd/native.h>

/* Destructor of a capsule: calls the deleter of a tensor that no consumer has taken. */
static void unused(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        gnd_dl_versioned *t = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        if (t->deleter)
            t->deleter((struct DLManagedTensorVersioned *)t);
    } else if (PyCapsule_IsValid(capsule, "dltensor")) {
        gnd_dl_managed *t = PyCapsule_GetPointer(capsule, "dltensor");
        if (t->deleter)
            t->deleter((struct DLManagedTensor *)t);
    }
}

/* _to_dlpack(x, versioned, device_type, copy, stream): copy is a gnd_copy_rule. */
static PyObject *to_dlpack(PyObject *self, PyObject *args)
{
    PyObject *o;
    int versioned, type, copy;
    long long stream;
    gnd_status s = GND_OK;
    void *t;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!piiL:_to_dlpack", py_array_type, &o, &versioned, &type, &copy,
                          &stream))
        return NULL;
    gnd_array *x = py_value((py_array *)o);
    if (!x)
        return NULL;
    const gnd_copy_rule rule = (gnd_copy_rule)copy;
    gnd_retain(x);
    Py_BEGIN_ALLOW_THREADS
    t = versioned ? (void *)gnd_share_dlpack(x, type, rule, stream, &s)
                  : (void *)gnd_share_dlpack_legacy(x, type, rule, stream, &s);
    Py_END_ALLOW_THREADS
    gnd_release(x);
    if (t) {
        PyObject *c = PyCapsule_New(t, versioned ? "dltensor_versioned" : "dltensor", unused);
        if (!c && versioned)
            ((gnd_dl_versioned *)t)->deleter(t);
        else if (!c)
            ((gnd_dl_managed *)t)->deleter(t);
        return c;
    }
    if (s != GND_ERR_UNSUPPORTED && s != GND_ERR_DEVICE)
        return py_raise(s, gnd_message());
    PyErr_SetString(PyExc_BufferError, gnd_message());
    return NULL;
}

/* _from_dlpack(capsule, device, copy): consumes the capsule. */
static PyObject *from_dlpack(PyObject *self, PyObject *args)
{
    PyObject *capsule, *device;
    int copy;
    (void)self;
    if (!PyArg_ParseTuple(args, "OOi:_from_dlpack", &capsule, &device, &copy))
        return NULL;
    gnd_device *dev = py_device_of(device);
    if (!dev)
        return NULL;
    gnd_array *x;
    const gnd_copy_rule rule = (gnd_copy_rule)copy;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        void *t = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        PyCapsule_SetName(capsule, "used_dltensor_versioned");
        Py_BEGIN_ALLOW_THREADS
        x = gnd_take_dlpack(dev, t, rule);
        Py_END_ALLOW_THREADS
    } else if (PyCapsule_IsValid(capsule, "dltensor")) {
        void *t = PyCapsule_GetPointer(capsule, "dltensor");
        PyCapsule_SetName(capsule, "used_dltensor");
        Py_BEGIN_ALLOW_THREADS
        x = gnd_take_dlpack_legacy(dev, t, rule);
        Py_END_ALLOW_THREADS
    } else {
        PyErr_SetString(PyExc_BufferError,
                        "from_dlpack: a capsule of DLPack that was not used yet is wanted");
        return NULL;
    }
    const gnd_status s = gnd_status_of(x);
    if (rule == GND_COPY_NEVER && (s == GND_ERR_UNSUPPORTED || s == GND_ERR_ARG)) {
        PyErr_SetString(PyExc_BufferError, gnd_error(x));
        gnd_release(x);
        return NULL;
    }
    return py_array_new(x);
}

/* _native(x): (kind, address, handle, offset, strides in bytes) of its memory. */
static PyObject *native(PyObject *self, PyObject *o)
{
    gnd_native_array m;
    gnd_status s;
    (void)self;
    if (!py_is_array(o))
        return PyErr_Format(PyExc_TypeError, "_native: %R is not an array", o);
    gnd_array *x = py_value((py_array *)o);
    if (!x)
        return NULL;
    gnd_retain(x);
    Py_BEGIN_ALLOW_THREADS
    s = gnd_native(x, &m);
    Py_END_ALLOW_THREADS
    gnd_release(x);
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    PyObject *strides = py_ints(m.ndim, m.strides);
    return strides ? Py_BuildValue("(iKKKN)", (int)m.kind, (unsigned long long)m.address,
                                   (unsigned long long)(uintptr_t)m.handle,
                                   (unsigned long long)m.offset, strides)
                   : NULL;
}

/* _device_native(device): (platform, device, context, queue) as numbers. */
static PyObject *device_native(PyObject *self, PyObject *o)
{
    gnd_native_device n;
    (void)self;
    gnd_device *dev = py_device_of(o);
    if (!dev)
        return NULL;
    const gnd_status s = gnd_device_native(dev, &n);
    return s == GND_OK ? Py_BuildValue("(KKKK)", (unsigned long long)(uintptr_t)n.platform,
                                       (unsigned long long)(uintptr_t)n.device,
                                       (unsigned long long)(uintptr_t)n.context,
                                       (unsigned long long)(uintptr_t)n.queue)
                       : py_raise(s, gnd_message());
}

/* _open_native(backend, device, context, queue): a Device. It stays open, as every device does. */
static PyObject *open_native(PyObject *self, PyObject *args)
{
    const char *backend;
    unsigned long long device, context, queue;
    gnd_device *dev;
    (void)self;
    if (!PyArg_ParseTuple(args, "sKKK:open_native", &backend, &device, &context, &queue))
        return NULL;
    const gnd_native_device n = {.device = (void *)(uintptr_t)device,
                                 .context = (void *)(uintptr_t)context,
                                 .queue = (void *)(uintptr_t)queue};
    Py_BEGIN_ALLOW_THREADS
    dev = gnd_open_native(backend, &n);
    Py_END_ALLOW_THREADS
    if (gnd_device_status(dev) == GND_OK)
        return py_device(dev);
    py_raise(gnd_device_status(dev), gnd_device_error(dev));
    gnd_close(dev);
    return NULL;
}

PyMethodDef py_dlpack_methods[] = {{"_to_dlpack", to_dlpack, METH_VARARGS, NULL},
                                   {"_from_dlpack", from_dlpack, METH_VARARGS, NULL},
                                   {"_native", native, METH_O, NULL},
                                   {"_device_native", device_native, METH_O, NULL},
                                   {"_open_native", open_native, METH_VARARGS, NULL},
                                   {NULL, NULL, 0, NULL}};
