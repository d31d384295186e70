/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module.c - the module gnd._core: types, functions, and the list of what gnd has by name.
 * Importing it opens no device.
 */
#include "py.h"

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
        PyModule_AddFunctions(m, py_record_methods) ||
        PyModule_AddStringConstant(m, "version", gnd_version())) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
