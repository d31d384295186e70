/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method.c - methods of the table as methods of ndarray.
 */
#include "func.h"

/* A method of a type is called with the object alone, which does not tell the method: each has a C
 * function of its own, with a number. A Python function in between would take a third of a
 * microsecond. */
enum { METHODS = 64 };
static py_entry *methods[METHODS];
static int nmethods;

static PyObject *call_method(int i, PyObject *self, PyObject *const *args, Py_ssize_t n,
                             PyObject *names)
{
    const Py_ssize_t more = n + (names ? PyTuple_Size(names) : 0);
    PyObject *all[PY_MOST + 1];
    if (more >= PY_MOST)
        return PyErr_Format(PyExc_TypeError, "%s: %zd values: at most %d are possible; give a list",
                            methods[i]->def.ml_name, more + 1, PY_MOST);
    all[0] = self;
    for (Py_ssize_t k = 0; k < more; k++)
        all[k + 1] = args[k];
    return py_call_entry(methods[i], all, n + 1, names);
}

#define EIGHT(M, d) M(d##0) M(d##1) M(d##2) M(d##3) M(d##4) M(d##5) M(d##6) M(d##7)
#define ALL(M)                                                                                     \
    EIGHT(M, 00)                                                                                   \
    EIGHT(M, 01) EIGHT(M, 02) EIGHT(M, 03) EIGHT(M, 04) EIGHT(M, 05) EIGHT(M, 06) EIGHT(M, 07)
#define FUNCTION(i)                                                                                \
    static PyObject *method_##i(PyObject *self, PyObject *const *args, Py_ssize_t n,               \
                                PyObject *names)                                                   \
    {                                                                                              \
        return call_method(i, self, args, n, names);                                               \
    }
ALL(FUNCTION)
#define ADDRESS(i) method_##i,
static PyObject *(*const method_functions[METHODS])(PyObject *, PyObject *const *, Py_ssize_t,
                                                    PyObject *) = {ALL(ADDRESS)};

PyObject *py_method(PyObject *self, PyObject *args)
{
    const char *name, *own, *doc;
    (void)self;
    if (!PyArg_ParseTuple(args, "sss:_method", &name, &own, &doc))
        return NULL;
    const gnd_function *f = gnd_function_find(name, 1);
    if (!f || nmethods == METHODS)
        return PyErr_Format(PyExc_AttributeError,
                            f ? "gnd has no room for method %s" : "gnd has no method %s", name);
    py_entry *e = py_entry_new(f, own, doc);
    if (!e)
        return NULL;
    e->def.ml_meth = (PyCFunction)(void (*)(void))method_functions[nmethods];
    methods[nmethods++] = e;
    return PyDescr_NewMethod(py_array_type, &e->def);
}
