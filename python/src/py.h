/* SPDX-License-Identifier: BSD-3-Clause
 *
 * py.h - what the files of the extension gnd._core share. CPython's limited API of 3.10 and the
 * public headers of gnd, nothing else. Functions that return PyObject * give a new reference, or
 * NULL with an exception; functions that return int give 0, or -1 with an exception. The GIL is
 * held, but where something waits for a device.
 */
#ifndef GND_PY_H
#define GND_PY_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030A0000
#endif
#include <Python.h>

#include <gnd.h>

/* --- errors (status.c) ------------------------------------------------------------------------ */

/* Makes the exceptions and adds them to the module. */
int py_status_init(PyObject *module);
/* Raises what fits the status (IndexError for GND_ERR_INDEX ...) with the text; returns NULL. */
PyObject *py_raise(gnd_status s, const char *text);
/* The same for a failure of the function of that name, which is NumPy's (linalg: numpy.linalg's):
 * for some it is another exception. */
PyObject *py_raise_of(const char *name, int linalg, gnd_status s, const char *text);
/* 0, or -1 with the error that x holds. */
int py_check(const gnd_array *x);

/* --- dtypes (dtype.c) ------------------------------------------------------------------------- */

/* NumPy's dtypes, by gnd's codes. */
int py_dtype_init(PyObject *module);
/* The numpy.dtype of t. */
PyObject *py_dtype(gnd_dtype t);
/* The dtype that o says (a numpy.dtype, a type, a name); -1 with TypeError. *python: 1 when o is
 * one of Python's types float, int, bool or complex; may be NULL. */
int py_dtype_of(PyObject *o, gnd_dtype *t, int *python);

/* --- devices (device.c) ----------------------------------------------------------------------- */

int py_device_init(PyObject *module);
/* The open device that o says (a Device, a name, None: the current one). It stays open. NULL with
 * an exception. */
gnd_device *py_device_of(PyObject *o);
PyObject *py_device(gnd_device *dev);
/* devices(): every device, and every absence, as dicts. */
PyObject *py_devices(PyObject *self, PyObject *none);

/* --- arrays (array.c, view.c) ----------------------------------------------------------------- */

enum {
    PY_VIEW_BOX,
    PY_VIEW_RESHAPE,
    PY_VIEW_BROADCAST,
    PY_VIEW_REAL,
    PY_VIEW_IMAG,
    PY_VIEW_DTYPE,
    PY_VIEW_STRIDED
};

/* Of a view: how its value is made of that of what it looks at (view.c). */
typedef struct py_link {
    int kind; /* PY_VIEW_* */
    int nsrc; /* BOX: axes of the source, each with start, step and count */
    int64_t start[GND_MAX_NDIM], step[GND_MAX_NDIM], count[GND_MAX_NDIM];
    gnd_dtype dtype;        /* DTYPE; STRIDED: start[0] is its first element */
    int ndim;               /* of the view */
    int axis[GND_MAX_NDIM]; /* BOX: for each axis of the view that of the source; -1: a new one */
    int64_t shape[GND_MAX_NDIM];  /* of the view */
    int64_t stride[GND_MAX_NDIM]; /* that NumPy's view would have, in elements: decides what
                                     reshapes copy */
} py_link;

/* An ndarray. NumPy's arrays can be written to and seen through views, gnd's are values. So an
 * array is a cell that holds a value, and a view is a way to make its value from another array's.
 * Writing through a view makes a new value of what it looks at, down to the root. */
typedef struct py_array {
    PyObject_HEAD
    gnd_array *value; /* of a view: of the root's version `version`, or NULL */
    uint64_t version; /* of the root: how often it was written to */
    /* of a view, owned: the cell, and what it looks at. NULL: this is a root */
    struct py_array *root, *src;
    struct py_array *prev, *next; /* the root's views, first: the root's next. Not owned */
    py_link *link;                /* of a view */
    PyObject *weak;
    struct py_pin *pins; /* values whose memory was given out by address (buffer.c) */
    char fortran;        /* of a root: NumPy's array would be in Fortran order (py_strides) */
} py_array;

extern PyTypeObject *py_array_type;
int py_array_init(PyObject *module);
/* Whether o is an ndarray. */
static inline int py_is_array(PyObject *o)
{
    return Py_TYPE(o) == py_array_type;
}
/* An ndarray with that value, which is taken over; its error becomes an exception. */
PyObject *py_array_new(gnd_array *value);
/* The same; fortran: NumPy's array would be in Fortran order. */
PyObject *py_array_ordered(gnd_array *value, int fortran);
/* Whether NumPy gives an elementwise result of these n objects in Fortran order: of the arrays
 * among them that have an order, all have this one. */
int py_fortran(PyObject *const *o, Py_ssize_t n);
/* The value of a; it stays a's. NULL with an exception. */
gnd_array *py_value(py_array *a);
/* Gives a the value t, which is taken over and has a's shape and dtype, and with it all that looks
 * at the same. */
int py_write(py_array *a, gnd_array *t);
/* A view of a; link is copied (its shape and stride are filled in for boxes). */
PyObject *py_view(py_array *a, const py_link *link);
/* The strides of what NumPy would have, in elements. */
void py_strides(py_array *a, int64_t *stride);
/* Where a's first element would be in its root, in bytes, if its views had NumPy's strides. a's
 * value is there. */
int64_t py_offset(const py_array *a);
/* Box that is all of a; the start of what changes it. */
int py_whole(py_array *a, py_link *box);
PyObject *py_reshape(py_array *a, int ndim, const int64_t *shape);
/* Whether both are the same elements of one cell, unchanged since a was made. */
int py_same_view(py_array *a, py_array *b);

/* n numbers as a tuple. */
PyObject *py_ints(int n, const int64_t *v);

/* --- attributes (attributes.c) ---------------------------------------------------------------- */

extern PyGetSetDef py_attributes[];
/* The axes of a in the order of perm, as a view. */
PyObject *py_permuted(py_array *a, const int *perm);

/* --- buffers (buffer.c) ----------------------------------------------------------------------- */

extern PyType_Slot py_buffer_slots[];
/* Releases what a gave out by address. */
void py_unpin(py_array *a);

/* --- indices (index.c) ------------------------------------------------------------------------ */

PyObject *py_getitem(PyObject *self, PyObject *key);
int py_setitem(PyObject *self, PyObject *key, PyObject *value);

/* --- operators (number.c) --------------------------------------------------------------------- */

extern PyType_Slot py_number_slots[];
/* Whether NumPy's rule "same_kind" casts from to to. */
int py_same_kind(gnd_dtype from, gnd_dtype to);
PyObject *py_compare(PyObject *a, PyObject *b, int op);

/* --- values (value.c) ------------------------------------------------------------------------- */

/* What the values of one call hold. */
typedef struct py_hold {
    gnd_device *dev; /* where NumPy's arrays go; NULL: not known yet */
    /* *v = an object of another extension; 1 without an exception when it is none. May be NULL. */
    int (*other)(PyObject *o, gnd_value *v);
    gnd_array **array; /* to be released */
    int narray, room;
    void **block; /* to be freed */
    int nblock, blocks;
} py_hold;

void py_hold_clear(py_hold *h);
/* The array that o means as an operand, to be released: an ndarray's value, a weak scalar for a
 * number of Python's, a copy of NumPy's arrays and scalars. 1 without an exception when o is
 * something else. */
int py_operand(PyObject *o, gnd_device *dev, gnd_array **out);
/* *v = o for gnd_call_function; what it needs is in h. */
int py_to_value(PyObject *o, py_hold *h, gnd_value *v);
/* The result v, which is cleared. */
PyObject *py_from_value(gnd_value *v);
/* What v says, which is left as it is. other (may be NULL): for tags that gnd/call.h does not have.
 */
typedef PyObject *py_object_fn(const gnd_value *v, void *arg);
PyObject *py_object_of(const gnd_value *v, py_object_fn *other, void *arg);
/* A number of Python's as NumPy's scalar, anything else as it is. The reference is given on. */
PyObject *py_numpy_scalar(PyObject *o);
/* A copy of what is an array for NumPy. */
gnd_array *py_from_numpy(PyObject *o, gnd_device *dev);
/* A copy as numpy.ndarray. */
PyObject *py_to_numpy(py_array *a);

/* --- kernels (kernel.c) ----------------------------------------------------------------------- */

int py_kernel_init(PyObject *module);

/* --- elementwise and reduction kernels (snippet.c) -------------------------------------------- */

int py_snippet_init(PyObject *module);

/* --- streams (stream.c) ----------------------------------------------------------------------- */

int py_stream_init(PyObject *module);

/* --- functions (func.c), DLPack (dlpack.c), recordings (record.c) ----------------------------- */

extern PyMethodDef py_func_methods[], py_dlpack_methods[], py_record_methods[], py_buffer_methods[];

#endif
