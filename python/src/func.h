/* SPDX-License-Identifier: BSD-3-Clause
 *
 * func.h - what func.c (functions of the table) and method.c (methods of ndarray) share.
 */
#ifndef GND_PY_FUNC_H
#define GND_PY_FUNC_H

#include "py.h"

enum { PY_MOST = 64 }; /* values of one call */

typedef struct py_entry {
    const gnd_function *f;
    PyMethodDef def;
    int elementwise; /* the number of its operands as a ufunc; 0: it is not a ufunc */
    int order;       /* the index of the parameter order=; -1: it has none */
    int keeps;       /* without order= the result has the order of the arguments */
    int places;      /* the number of values it takes by position; -1: any number */
    int linalg;      /* it belongs to numpy.linalg */
    int nkeys;       /* the number of its keyword-only parameters */
    char key[4][24]; /* their names; NumPy takes them by position too, after out */
} py_entry;

/* An entry for f, whose own name is own; its C function is not set. NULL with an exception. */
py_entry *py_entry_new(const gnd_function *f, const char *own, const char *doc);
/* Calls it, as Python calls a function of METH_FASTCALL | METH_KEYWORDS. */
PyObject *py_call_entry(const py_entry *e, PyObject *const *args, Py_ssize_t n, PyObject *names);
/* _method(name, own, text): the table's method as a method of ndarray whose own name is own. */
PyObject *py_method(PyObject *self, PyObject *args);

#endif
