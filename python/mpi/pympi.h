/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pympi.h - what the files of the extension gnd._mpi share: gnd/mpi.h for Python, in CPython's
 * limited API. Conversions and exceptions are those of gnd._core (../src/api.h). Functions that
 * return PyObject * give a new reference, or NULL with an exception; functions that return int give
 * 0, or -1 with an exception. The GIL is released while the library is called, since it may wait
 * for other ranks.
 */
#ifndef GND_PYMPI_H
#define GND_PYMPI_H

#include "../src/api.h"

#include <gnd/mpi.h>

extern const py_api *core;

/* A context. While a call of the library runs, without the GIL, no other may, and arrays that are
 * deleted meanwhile wait in `late`. */
typedef struct pm_ctx {
    PyObject_HEAD
    gndm_ctx *c; /* NULL: closed */
    unsigned flags;
    int busy;
    gndm_array **late;
    int nlate, room;
    PyObject *weak;
} pm_ctx;

typedef struct pm_part {
    PyObject_HEAD
    pm_ctx *ctx;
    gndm_part *p;
    int ndim;
    int64_t shape[GND_MAX_NDIM];
} pm_part;

typedef struct pm_array {
    PyObject_HEAD
    pm_ctx *ctx;
    gndm_array *x; /* of no use when the context is closed */
    PyObject *weak;
} pm_array;

extern PyTypeObject *pm_ctx_type, *pm_part_type, *pm_array_type;
/* The context that functions without distributed arrays use, borrowed; or NULL. */
extern pm_ctx *pm_current;

static inline int pm_is_array(PyObject *o)
{
    return Py_TYPE(o) == pm_array_type;
}

/* --- contexts (context.c) --------------------------------------------------------------------- */

int pm_ctx_init(PyObject *module);
/* Before a call of the library, and after it. NULL with an exception: the context is closed, or a
 * call is running. */
gndm_ctx *pm_begin(pm_ctx *ctx);
void pm_end(pm_ctx *ctx);
/* The exception for the context's message; returns NULL. */
PyObject *pm_fail(pm_ctx *ctx, gnd_status st);
/* Releases x, or does so when the running call has ended. */
void pm_release(pm_ctx *ctx, gndm_array *x);

/* --- partitions (part.c) ---------------------------------------------------------------------- */

int pm_part_init(PyObject *module);
/* The partition p of that shape, which is taken over; its error becomes an exception. */
PyObject *pm_part_new(pm_ctx *ctx, gndm_part *p, int ndim, const int64_t *shape);
/* What o says, a Partition or None (NULL). */
int pm_part_of(PyObject *o, const gndm_part **p);
/* Ints of a tuple into v, at most GND_MAX_NDIM; their number, or -1. */
int pm_ints_of(PyObject *tuple, const char *what, int64_t *v);
PyObject *pm_partition(PyObject *ctx, PyObject *args);

/* --- arrays (array.c) ------------------------------------------------------------------------- */

int pm_array_init(PyObject *module);
/* An array of x, which is taken over; its error becomes an exception. */
PyObject *pm_array_new(pm_ctx *ctx, gndm_array *x);
/* The same for a call that pm_begin began: ends it. */
PyObject *pm_array_ended(pm_ctx *ctx, gndm_array *x);
/* The handles of a sequence of arrays of that context, for free(); NULL with an exception. */
gndm_array **pm_handles(pm_ctx *ctx, PyObject *tuple);
extern PyType_Slot pm_number_slots[];

/* --- functions (call.c) ----------------------------------------------------------------------- */

extern PyMethodDef pm_call_methods[];
/* A call of the function of that name; part: that of the result, or NULL. */
PyObject *pm_call(pm_ctx *ctx, const gndm_part *part, const char *name, int linalg, int n,
                  const gnd_value *v, int nkw, const char *const *keyword);
/* *v = the distributed array o, for py_hold: 1 when it is none. */
int pm_to_value(PyObject *o, gnd_value *v);

/* --- neighbours (stencil.c) ------------------------------------------------------------------- */

PyObject *pm_halo(PyObject *self, PyObject *args);
PyObject *pm_stencil(PyObject *self, PyObject *args);

#endif
