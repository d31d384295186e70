/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pympi.h - declarations that the files of the extension gnd._mpi share. The extension gives
 * gnd/mpi.h to Python and uses CPython's limited API. Conversions and exceptions are those of
 * gnd._core (../src/api.h). Functions that return PyObject * give a new reference, or NULL with an
 * exception. Functions that return int give 0, or -1 with an exception. The GIL is released during
 * calls of the library, which may wait for other ranks.
 */
#ifndef GND_PYMPI_H
#define GND_PYMPI_H

#include "../src/api.h"

#include <gnd/mpi.h>

extern const py_api *core;

/* A context. A call of the library runs without the GIL. Until it ends (busy), no other call on the
 * context may begin, and arrays that are deleted are kept in `late`. */
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
    gndm_array *x; /* invalid once the context is closed */
    PyObject *weak;
} pm_array;

extern PyTypeObject *pm_ctx_type, *pm_part_type, *pm_array_type;
/* The current context, borrowed: used by calls without distributed arrays. May be NULL. */
extern pm_ctx *pm_current;

static inline int pm_is_array(PyObject *o)
{
    return Py_TYPE(o) == pm_array_type;
}

/* --- contexts (context.c) --------------------------------------------------------------------- */

int pm_ctx_init(PyObject *module);
/* Enclose every call of the library. pm_begin gives NULL with an exception if the context is closed
 * or a call is running. */
gndm_ctx *pm_begin(pm_ctx *ctx);
void pm_end(pm_ctx *ctx);
/* Raises the exception for st with the context's message. Returns NULL. */
PyObject *pm_fail(pm_ctx *ctx, gnd_status st);
/* Releases x: at once, or when the running call ends. */
void pm_release(pm_ctx *ctx, gndm_array *x);

/* --- partitions (part.c) ---------------------------------------------------------------------- */

int pm_part_init(PyObject *module);
/* A Partition object for p of that shape. Takes ownership of p; its error becomes an exception. */
PyObject *pm_part_new(pm_ctx *ctx, gndm_part *p, int ndim, const int64_t *shape);
/* *p = the partition of o, a Partition, borrowed; NULL for None. */
int pm_part_of(PyObject *o, const gndm_part **p);
/* v = the ints of a tuple, at most GND_MAX_NDIM. Returns their number, or -1. */
int pm_ints_of(PyObject *tuple, const char *what, int64_t *v);
PyObject *pm_partition(PyObject *ctx, PyObject *args);

/* --- arrays (array.c) ------------------------------------------------------------------------- */

int pm_array_init(PyObject *module);
/* An ndarray for x. Takes ownership of x; its error becomes an exception. */
PyObject *pm_array_new(pm_ctx *ctx, gndm_array *x);
/* The same, after pm_end(ctx). */
PyObject *pm_array_ended(pm_ctx *ctx, gndm_array *x);
/* The handles of a tuple of arrays of that context, borrowed. The caller frees the list. NULL with
 * an exception. */
gndm_array **pm_handles(pm_ctx *ctx, PyObject *tuple);
extern PyType_Slot pm_number_slots[];

/* --- functions (call.c) ----------------------------------------------------------------------- */

extern PyMethodDef pm_call_methods[];
/* Calls the function of that name. part: the partition of the result, or NULL for the default. */
PyObject *pm_call(pm_ctx *ctx, const gndm_part *part, const char *name, int linalg, int n,
                  const gnd_value *v, int nkw, const char *const *keyword);
/* The member `other` of py_hold: *v = the distributed array o; 1 if o is not one. */
int pm_to_value(PyObject *o, gnd_value *v);

/* --- neighbours (stencil.c) ------------------------------------------------------------------- */

PyObject *pm_halo(PyObject *self, PyObject *args);
PyObject *pm_stencil(PyObject *self, PyObject *args);

#endif
