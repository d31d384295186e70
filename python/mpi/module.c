/* SPDX-License-Identifier: BSD-3-Clause
 *
 * module.c - the module gnd._mpi: types, functions, and the initialization and finalization of MPI
 * if no other package does them.
 */
#include "pympi.h"

#include <string.h>

const py_api *core;

/* _library(): the name and version of the MPI library. */
static PyObject *library(PyObject *self, PyObject *none)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    int n = 0;
    (void)self;
    (void)none;
    MPI_Get_library_version(text, &n);
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)strnlen(text, (size_t)n));
}

/* _state(): "new" before MPI is initialized, "on" while it runs, "over" after its end. */
static PyObject *state(PyObject *self, PyObject *none)
{
    int on = 0, over = 0;
    (void)self;
    (void)none;
    MPI_Initialized(&on);
    MPI_Finalized(&over);
    return PyUnicode_FromString(over ? "over" : on ? "on" : "new");
}

/* _initialize(): starts MPI for calls from one thread at a time. */
static PyObject *initialize(PyObject *self, PyObject *none)
{
    int level = 0, rc;
    (void)self;
    (void)none;
    Py_BEGIN_ALLOW_THREADS
    rc = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    Py_END_ALLOW_THREADS
    if (rc != MPI_SUCCESS)
        return core->raise(GND_ERR_BACKEND, "gnd.mpi.open: MPI_Init_thread failed");
    Py_RETURN_NONE;
}

/* _finalize(): ends MPI if it runs. Called at the end of the process. */
static PyObject *finalize(PyObject *self, PyObject *none)
{
    int on = 0, over = 0;
    (void)self;
    (void)none;
    Py_BEGIN_ALLOW_THREADS
    MPI_Initialized(&on);
    MPI_Finalized(&over);
    if (on && !over)
        MPI_Finalize();
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

/* _abort(status): ends all ranks. */
static PyObject *end_all(PyObject *self, PyObject *status)
{
    const long s = PyLong_AsLong(status);
    (void)self;
    if (PyErr_Occurred())
        return NULL;
    MPI_Abort(MPI_COMM_WORLD, (int)s);
    Py_RETURN_NONE;
}

/* _world(): the Fortran handle of MPI_COMM_WORLD. */
static PyObject *world(PyObject *self, PyObject *none)
{
    (void)self;
    (void)none;
    return PyLong_FromLong((long)MPI_Comm_c2f(MPI_COMM_WORLD));
}

static PyMethodDef methods[] = {{"_library", library, METH_NOARGS, NULL},
                                {"_state", state, METH_NOARGS, NULL},
                                {"_initialize", initialize, METH_NOARGS, NULL},
                                {"_finalize", finalize, METH_NOARGS, NULL},
                                {"_abort", end_all, METH_O, NULL},
                                {"_world", world, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "gnd._mpi", NULL, -1, methods, NULL, NULL, NULL, NULL};

static int is_same_package(void)
{
    if (core && core->size == sizeof *core && !strcmp(core->version, gnd_version()))
        return 1;
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ImportError,
                     "gnd._mpi is of gnd %s, gnd._core is not: install both anew", gnd_version());
    return 0;
}

PyMODINIT_FUNC PyInit__mpi(void);
PyMODINIT_FUNC PyInit__mpi(void)
{
    core = PyCapsule_Import(PY_API_NAME, 0);
    PyObject *m = is_same_package() ? PyModule_Create(&module) : NULL;
    if (m && (pm_ctx_init(m) || pm_part_init(m) || pm_array_init(m) ||
              PyModule_AddFunctions(m, pm_call_methods) ||
              PyModule_AddIntConstant(m, "EVEN", GNDM_EVEN) ||
              PyModule_AddIntConstant(m, "CHECK_CALLS", GNDM_CHECK_CALLS) ||
              PyModule_AddIntConstant(m, "REPRODUCIBLE", GNDM_REPRODUCIBLE)))
        Py_CLEAR(m);
    return m;
}
