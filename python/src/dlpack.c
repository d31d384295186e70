/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dlpack.c - capsules of DLPack: arrays of other libraries in, copies in host memory out.
 */
#include "py.h"

#include <gnd/dlpack.h>

/* Calls the deleter of a tensor that nobody took. */
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

/* _to_dlpack(x, versioned) */
static PyObject *to_dlpack(PyObject *self, PyObject *args)
{
    PyObject *o;
    int versioned;
    gnd_status s = GND_OK;
    void *t;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!p:_to_dlpack", py_array_type, &o, &versioned))
        return NULL;
    gnd_array *x = py_value((py_array *)o);
    if (!x)
        return NULL;
    gnd_retain(x);
    Py_BEGIN_ALLOW_THREADS
    t = versioned ? (void *)gnd_to_dlpack(x, &s) : (void *)gnd_to_dlpack_legacy(x, &s);
    Py_END_ALLOW_THREADS
    gnd_release(x);
    return t ? PyCapsule_New(t, versioned ? "dltensor_versioned" : "dltensor", unused)
             : py_raise(s, gnd_message());
}

/* _from_dlpack(capsule, device): a copy; the capsule is used up. */
static PyObject *from_dlpack(PyObject *self, PyObject *args)
{
    PyObject *capsule, *device;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO:_from_dlpack", &capsule, &device))
        return NULL;
    gnd_device *dev = py_device_of(device);
    if (!dev)
        return NULL;
    gnd_array *x;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        gnd_dl_versioned *t = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        x = gnd_from_dlpack(dev, (const struct DLManagedTensorVersioned *)t);
        PyCapsule_SetName(capsule, "used_dltensor_versioned");
        if (t->deleter)
            t->deleter((struct DLManagedTensorVersioned *)t);
    } else if (PyCapsule_IsValid(capsule, "dltensor")) {
        gnd_dl_managed *t = PyCapsule_GetPointer(capsule, "dltensor");
        x = gnd_from_dlpack_legacy(dev, (const struct DLManagedTensor *)t);
        PyCapsule_SetName(capsule, "used_dltensor");
        if (t->deleter)
            t->deleter((struct DLManagedTensor *)t);
    } else {
        PyErr_SetString(PyExc_BufferError,
                        "from_dlpack: a capsule of DLPack that was not used yet is wanted");
        return NULL;
    }
    return py_array_new(x);
}

PyMethodDef py_dlpack_methods[] = {{"_to_dlpack", to_dlpack, METH_VARARGS, NULL},
                                   {"_from_dlpack", from_dlpack, METH_VARARGS, NULL},
                                   {NULL, NULL, 0, NULL}};
