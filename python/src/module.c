/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module.c - the module gnd._core: it adds the types, the functions and the capsule of api.h.
 * Importing it opens no device.
 */
#include "api.h"

/* The value of an ndarray, borrowed from it. */
static gnd_array *array_value(PyObject *o)
{
    if (py_is_array(o))
        return py_value((py_array *)o);
    PyErr_Format(PyExc_TypeError, "%R: a gnd.ndarray is wanted", (PyObject *)Py_TYPE(o));
    return NULL;
}

/* Adds the table of api.h for other extensions of the package. */
static int add_api(PyObject *m)
{
    static py_api api = {.size = sizeof api,
                         .raise = py_raise,
                         .raise_of = py_raise_of,
                         .dtype = py_dtype,
                         .dtype_of = py_dtype_of,
                         .device_of = py_device_of,
                         .device = py_device,
                         .array_new = py_array_new,
                         .array_value = array_value,
                         .from_numpy = py_from_numpy,
                         .operand = py_operand,
                         .to_value = py_to_value,
                         .hold_clear = py_hold_clear,
                         .object_of = py_object_of,
                         .ints = py_ints,
                         .same_kind = py_same_kind};
    api.version = gnd_version();
    PyObject *c = PyCapsule_New(&api, PY_API_NAME, NULL);
    const int bad = !c || PyModule_AddObjectRef(m, "_api", c);
    Py_XDECREF(c);
    return bad ? -1 : 0;
}

static PyMethodDef methods[] = {
    {"devices", py_devices, METH_NOARGS,
     "devices($module)\n--\n\nEvery device, and every absence with its reason, as dicts."},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "gnd._core", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *m = PyModule_Create(&module);
    if (!m)
        return NULL;
    if (py_status_init(m) || py_dtype_init(m) || py_device_init(m) || py_array_init(m) ||
        py_kernel_init(m) || py_snippet_init(m) || py_stream_init(m) ||
        PyModule_AddFunctions(m, py_func_methods) || PyModule_AddFunctions(m, py_dlpack_methods) ||
        PyModule_AddFunctions(m, py_buffer_methods) ||
        PyModule_AddFunctions(m, py_record_methods) || add_api(m) ||
        PyModule_AddStringConstant(m, "version", gnd_version())) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
