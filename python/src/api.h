/* SPDX-License-Identifier: BSD-3-Clause
 *
 * api.h - the interface of the extension gnd._core for other extensions of the package: a table of
 * functions in the capsule gnd._core._api. py.h declares and describes them.
 */
#ifndef GND_PY_API_H
#define GND_PY_API_H

#include "py.h"

#define PY_API_NAME "gnd._core._api"

typedef struct py_api {
    size_t size;         /* of this struct */
    const char *version; /* gnd_version() of the extension that fills it in */
    PyObject *(*raise)(gnd_status s, const char *text);
    PyObject *(*raise_of)(const char *name, int linalg, gnd_status s, const char *text);
    PyObject *(*dtype)(gnd_dtype t);
    int (*dtype_of)(PyObject *o, gnd_dtype *t, int *python);
    gnd_device *(*device_of)(PyObject *o);
    PyObject *(*device)(gnd_device *dev);
    PyObject *(*array_new)(gnd_array *value);
    gnd_array *(*array_value)(PyObject *o);
    gnd_array *(*from_numpy)(PyObject *o, gnd_device *dev);
    int (*operand)(PyObject *o, gnd_device *dev, gnd_array **out);
    int (*to_value)(PyObject *o, py_hold *h, gnd_value *v);
    void (*hold_clear)(py_hold *h);
    PyObject *(*object_of)(const gnd_value *v, py_object_fn *other, void *arg);
    PyObject *(*ints)(int n, const int64_t *v);
    int (*same_kind)(gnd_dtype from, gnd_dtype to);
} py_api;

#endif
