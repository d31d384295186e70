/* SPDX-License-Identifier: BSD-3-Clause
 *
 * status.c - statuses as Python exceptions: those that NumPy raises for the same mistakes.
 */
#include "py.h"

#include <string.h>

static PyObject *error_, *linalg_error, *axis_error;

int py_status_init(PyObject *module)
{
    PyObject *linalg = PyImport_ImportModule("numpy.linalg");
    if (!linalg)
        return -1;
    linalg_error = PyObject_GetAttrString(linalg, "LinAlgError");
    Py_DECREF(linalg);
    /* numpy.exceptions exists since NumPy 1.25 */
    PyObject *where = PyImport_ImportModule("numpy.exceptions");
    if (!where) {
        PyErr_Clear();
        where = PyImport_ImportModule("numpy");
    }
    axis_error = where ? PyObject_GetAttrString(where, "AxisError") : NULL;
    Py_XDECREF(where);
    error_ = PyErr_NewExceptionWithDoc(
        "gnd.Error", "A device, a driver or a kernel failed; the text says which and what to do.",
        PyExc_RuntimeError, NULL);
    if (!linalg_error || !axis_error || !error_)
        return -1;
    return PyModule_AddObjectRef(module, "AxisError", axis_error)
               ? -1
               : PyModule_AddObjectRef(module, "Error", error_);
}

PyObject *py_raise(gnd_status s, const char *text)
{
    PyObject *type = error_;
    switch (s) {
    case GND_ERR_ARG:
    case GND_ERR_SHAPE:
    case GND_ERR_SYNTAX: type = PyExc_ValueError; break;
    case GND_ERR_AXIS: type = axis_error; break; /* it is a ValueError and an IndexError */
    case GND_ERR_DTYPE:
    case GND_ERR_TYPE:
    case GND_ERR_NULL: type = PyExc_TypeError; break;
    case GND_ERR_INDEX: type = PyExc_IndexError; break;
    case GND_ERR_OVERFLOW: type = PyExc_OverflowError; break;
    case GND_ERR_NOMEM:
    case GND_ERR_DEVMEM: type = PyExc_MemoryError; break;
    case GND_ERR_IO: type = PyExc_OSError; break;
    case GND_ERR_FORMAT: type = PyExc_ValueError; break;
    case GND_ERR_NAME: type = PyExc_AttributeError; break;
    case GND_ERR_UNSUPPORTED: type = PyExc_NotImplementedError; break;
    case GND_ERR_LINALG: type = linalg_error; break;
    default: break;
    }
    PyErr_SetString(type, text && *text ? text : gnd_status_text(s));
    return NULL;
}

/* NumPy raises LinAlgError for arguments that are not matrices or not square, and ValueError for an
 * order statistic out of range. */
PyObject *py_raise_of(const char *name, int linalg, gnd_status s, const char *text)
{
    if (s == GND_ERR_INDEX && strstr(name, "partition"))
        s = GND_ERR_ARG;
    else if (linalg && s == GND_ERR_SHAPE && text &&
             (strstr(text, "must be square") || strstr(text, "at least 2 dim") ||
              strstr(text, "is not defined on empty arrays")))
        s = GND_ERR_LINALG;
    return py_raise(s, text);
}

int py_check(const gnd_array *x)
{
    const gnd_status s = gnd_status_of(x);
    if (s == GND_OK)
        return 0;
    py_raise(s, gnd_error(x));
    return -1;
}
