/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernel.h - declarations that kernel.c (programs and kernels) and launch.c (launches) share.
 */
#ifndef GND_PY_KERNEL_H
#define GND_PY_KERNEL_H

#include "py.h"

enum { PY_KERNEL_ARGS = 32 };

typedef struct py_program {
    PyObject_HEAD
    gnd_program *p;
    gnd_device *dev;
} py_program;

typedef struct py_kernel {
    PyObject_HEAD
    py_program *of; /* owned */
    gnd_kernel *k;
    int nparam;
    gnd_kernel_param param[PY_KERNEL_ARGS];
} py_kernel;

/* Methods of a kernel. */
/* launch(grid, block, args, shared): a launch. shared: the bytes of local memory, passed as an
 * argument after args; 0: no such argument. */
PyObject *py_kernel_launch(PyObject *self, PyObject *const *v, Py_ssize_t n);
/* run(grid, block, args, shared, mask): a launch of a kernel that gnd.cuda wrote. */
PyObject *py_kernel_run(PyObject *self, PyObject *const *v, Py_ssize_t n);
/* _kernel_key(args): the key under which a kernel compiled for args is cached: bytes that tell
 * types, dtypes and numbers of dimensions. None if an argument is neither an ndarray, a number,
 * None nor a tuple of these. */
PyObject *py_kernel_key(PyObject *self, PyObject *args);

#endif
