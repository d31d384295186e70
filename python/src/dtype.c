/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dtype.c - dtypes as numpy.dtype objects. bfloat16 comes from the package ml_dtypes, if that is
 * installed.
 */
#include "py.h"

static PyObject *made[GND_NDTYPES]; /* numpy.dtype; bfloat16 is made at its first use */
static PyObject *np_dtype;

int py_dtype_init(PyObject *module)
{
    PyObject *np = PyImport_ImportModule("numpy");
    (void)module;
    if (!np)
        return -1;
    np_dtype = PyObject_GetAttrString(np, "dtype");
    Py_DECREF(np);
    if (!np_dtype)
        return -1;
    for (int t = 0; t < GND_NDTYPES; t++)
        if (t != GND_BFLOAT16 &&
            !(made[t] = PyObject_CallFunction(np_dtype, "s", gnd_dtype_name((gnd_dtype)t))))
            return -1;
    return 0;
}

PyObject *py_dtype(gnd_dtype t)
{
    if (t == GND_BFLOAT16 && !made[t]) {
        PyObject *ml = PyImport_ImportModule("ml_dtypes");
        if (!ml) {
            PyErr_Clear();
            PyErr_SetString(PyExc_TypeError,
                            "bfloat16 is no dtype of NumPy's: install ml_dtypes, or convert by "
                            "astype(gnd.float32)");
            return NULL;
        }
        PyObject *type = PyObject_GetAttrString(ml, "bfloat16");
        made[t] = type ? PyObject_CallFunctionObjArgs(np_dtype, type, NULL) : NULL;
        Py_XDECREF(type);
        Py_DECREF(ml);
        if (!made[t])
            return NULL;
    }
    if ((int)t < 0 || t >= GND_NDTYPES) {
        PyErr_SetString(PyExc_TypeError, "no dtype");
        return NULL;
    }
    Py_INCREF(made[t]);
    return made[t];
}

/* *t = the code of a numpy.dtype, by its name; GND_DTYPE_DEFAULT if gnd has no such dtype. */
static int by_name(PyObject *dtype, gnd_dtype *t)
{
    PyObject *name = PyObject_GetAttrString(dtype, "name");
    const char *s = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    if (!s) {
        Py_XDECREF(name);
        return -1;
    }
    *t = gnd_dtype_parse(s);
    Py_DECREF(name);
    return 0;
}

int py_dtype_of(PyObject *o, gnd_dtype *t, int *python)
{
    static PyTypeObject *const types[] = {&PyBool_Type, &PyLong_Type, &PyFloat_Type,
                                          &PyComplex_Type};
    static const gnd_dtype codes[] = {GND_BOOL, GND_INT64, GND_FLOAT64, GND_COMPLEX128};
    if (python)
        *python = 0;
    for (int i = 0; i < 4; i++)
        if (o == (PyObject *)types[i]) {
            *t = codes[i];
            if (python)
                *python = 1;
            return 0;
        }
    for (int i = 0; i < GND_NDTYPES; i++)
        if (o == made[i]) {
            *t = (gnd_dtype)i;
            return 0;
        }
    if (PyUnicode_Check(o)) { /* bfloat16 has no dtype in NumPy itself */
        const char *s = PyUnicode_AsUTF8AndSize(o, NULL);
        if (!s)
            return -1;
        *t = gnd_dtype_parse(s);
        if (*t != GND_DTYPE_DEFAULT)
            return 0;
    }
    PyObject *d = PyObject_CallFunctionObjArgs(np_dtype, o, NULL);
    if (!d)
        return -1;
    for (int i = 0; i < GND_NDTYPES;
         i++) /* NumPy's types, as float32, have one dtype each; its name takes 10 us */
        if (d == made[i]) {
            *t = (gnd_dtype)i;
            Py_DECREF(d);
            return 0;
        }
    const int bad = by_name(d, t);
    if (!bad && *t == GND_DTYPE_DEFAULT)
        PyErr_Format(PyExc_TypeError, "gnd has no dtype %R", d);
    Py_DECREF(d);
    return bad || *t == GND_DTYPE_DEFAULT ? -1 : 0;
}
