/* SPDX-License-Identifier: BSD-3-Clause
 *
 * py.h - declarations that the files of the extension gnd._core share. The extension uses only
 * CPython's limited API of 3.10 and the public headers of gnd. Functions that return PyObject *
 * give a new reference, or NULL with an exception. Functions that return int give 0, or -1 with an
 * exception. The GIL is held, except during calls that may wait for a device.
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
/* Raises the exception for the status (IndexError for GND_ERR_INDEX ...) with the text. Returns
 * NULL. */
PyObject *py_raise(gnd_status s, const char *text);
/* The same for a failure of the function of that name in numpy or, with linalg, in numpy.linalg.
 * Some of these functions raise another exception. */
PyObject *py_raise_of(const char *name, int linalg, gnd_status s, const char *text);
/* 0, or -1 with the error of x as an exception. */
int py_check(const gnd_array *x);

/* --- dtypes (dtype.c) ------------------------------------------------------------------------- */

/* Makes the numpy.dtype object of each dtype. */
int py_dtype_init(PyObject *module);
/* The numpy.dtype of t. */
PyObject *py_dtype(gnd_dtype t);
/* *t = the dtype that o names (a numpy.dtype, a type, a string); -1 with TypeError. *python: 1 if o
 * is one of the Python types float, int, bool and complex; may be NULL. */
int py_dtype_of(PyObject *o, gnd_dtype *t, int *python);

/* --- devices (device.c) ----------------------------------------------------------------------- */

int py_device_init(PyObject *module);
/* The open device that o names (a Device, a string; None: the current one). It stays open. NULL
 * with an exception. */
gnd_device *py_device_of(PyObject *o);
PyObject *py_device(gnd_device *dev);
/* devices(): every device as a dict, and every missing one with the reason. */
PyObject *py_devices(PyObject *self, PyObject *none);

/* --- arrays (array.c, view.c) ----------------------------------------------------------------- */

enum {
    PY_VIEW_BOX,
    PY_VIEW_RESHAPE,
    PY_VIEW_BROADCAST,
    PY_VIEW_REAL,
    PY_VIEW_IMAG,
    PY_VIEW_DTYPE,
    PY_VIEW_STRIDED,
    PY_VIEW_DIAGONAL,
    PY_VIEW_WINDOWS
};

/* How the value of a view is made from the value of its source (view.c). */
typedef struct py_link {
    int kind; /* PY_VIEW_* */
    int nsrc; /* BOX: axes of the source, each with start, step and count; WINDOWS: their number,
                 with the axes in axis and their extents in count */
    int64_t start[GND_MAX_NDIM], step[GND_MAX_NDIM], count[GND_MAX_NDIM];
    gnd_dtype dtype;        /* DTYPE; STRIDED: start[0] is its first element;
                               DIAGONAL: axis[0], axis[1] are its axes, start[0]: it is read-only */
    int ndim;               /* of the view */
    int axis[GND_MAX_NDIM]; /* BOX: for each axis of the view its axis of the source; -1: new */
    int64_t shape[GND_MAX_NDIM];  /* of the view */
    int64_t stride[GND_MAX_NDIM]; /* of NumPy's view, in elements: they decide which reshapes
                                     copy */
} py_link;

/* An ndarray. NumPy arrays are mutable and can be seen through views; a gnd_array is an immutable
 * value. So an ndarray is a cell that holds a value (a root), or a view: a rule that makes its
 * value from the value of another ndarray, its source. Writing to a view makes a new value of its
 * source, and so on down to the root. */
typedef struct py_array {
    PyObject_HEAD
    gnd_array *value; /* of a view: made at the root's version `version`, or NULL */
    uint64_t version; /* of a root: the number of writes to it */
    /* of a view, owned: its root and its source. NULL: this is a root */
    struct py_array *root, *src;
    struct py_array *prev, *next; /* list of the root's views, headed by the root. Not owned */
    py_link *link;                /* of a view */
    PyObject *weak;
    struct py_pin *pins; /* values whose memory was given out by address (buffer.c) */
    char fortran;        /* of a root: NumPy would store it in Fortran order (py_strides) */
    char readonly;       /* its flag WRITEABLE is not set: a write is a ValueError */
} py_array;

extern PyTypeObject *py_array_type;
int py_array_init(PyObject *module);
/* Whether o is an ndarray. */
static inline int py_is_array(PyObject *o)
{
    return Py_TYPE(o) == py_array_type;
}
/* An ndarray with that value. Takes ownership of value; its error becomes an exception. */
PyObject *py_array_new(gnd_array *value);
/* The same. fortran: NumPy would store the array in Fortran order. */
PyObject *py_array_ordered(gnd_array *value, int fortran);
/* Whether NumPy stores an elementwise result of these n objects in Fortran order: at least one of
 * the arrays among them is in Fortran order, and none is in another order. */
int py_fortran(PyObject *const *o, Py_ssize_t n);
/* The value of a, borrowed from it. NULL with an exception. */
gnd_array *py_value(py_array *a);
/* Methods of ndarray that make views, for functions in Python (views.c). */
PyObject *py_method_offset(PyObject *self, PyObject *none);
PyObject *py_method_permute(PyObject *self, PyObject *axes);
PyObject *py_method_reshape(PyObject *self, PyObject *shape);
PyObject *py_method_broadcast(PyObject *self, PyObject *shape);
PyObject *py_method_dtype(PyObject *self, PyObject *dtype);
PyObject *py_method_strided(PyObject *self, PyObject *args);
PyObject *py_method_diagonal(PyObject *self, PyObject *args);
PyObject *py_method_windows(PyObject *self, PyObject *args);
/* Writes the value t to a, and so to its root and every view of it. t has a's shape and dtype.
 * Takes ownership of t. */
int py_write(py_array *a, gnd_array *t);
/* The function that made a, or an array that a is a view of, read-only for good. NULL: none did. */
const char *py_readonly_by(const py_array *a);
/* A view of a. link is copied; for a box, shape and stride are filled in. */
PyObject *py_view(py_array *a, const py_link *link);
/* A copy of what is set in l; NULL: memory is short. py_link_free ends it; NULL is allowed. */
py_link *py_link_copy(const py_link *l);
void py_link_free(py_link *l);
/* The strides that NumPy's array would have, in elements. */
void py_strides(py_array *a, int64_t *stride);
/* The offset of a's first element in its root, in bytes, with NumPy's strides. The value of a must
 * be present. */
int64_t py_offset(const py_array *a);
/* *box = the box that is all of a. Callers narrow or permute it. */
int py_whole(py_array *a, py_link *box);
PyObject *py_reshape(py_array *a, int ndim, const int64_t *shape);
/* Whether a and b are the same array, or equal views of the same source. */
int py_same_view(py_array *a, py_array *b);

/* n numbers as a tuple. */
PyObject *py_ints(int n, const int64_t *v);

/* --- attributes (attributes.c) ---------------------------------------------------------------- */

extern PyGetSetDef py_attributes[];
/* The axes of a in the order of perm, as a view. */
PyObject *py_permuted(py_array *a, const int *perm);

/* --- buffers (buffer.c) ----------------------------------------------------------------------- */

extern PyType_Slot py_buffer_slots[];
/* Releases the values of a whose memory was given out by address. */
void py_unpin(py_array *a);

/* --- indices (index.c) ------------------------------------------------------------------------ */

PyObject *py_getitem(PyObject *self, PyObject *key);
int py_setitem(PyObject *self, PyObject *key, PyObject *value);

/* --- operators (number.c) --------------------------------------------------------------------- */

extern PyType_Slot py_number_slots[];
/* Whether NumPy's rule "same_kind" allows a cast between the two dtypes. */
int py_same_kind(gnd_dtype from, gnd_dtype to);
PyObject *py_compare(PyObject *a, PyObject *b, int op);

/* --- values (value.c) ------------------------------------------------------------------------- */

/* What the values of one call own. */
typedef struct py_hold {
    gnd_device *dev; /* NumPy arrays are copied to it; NULL: not known yet */
    /* Converts an object of another extension to *v; 1 without an exception if o is not one. May be
     * NULL. */
    int (*other)(PyObject *o, gnd_value *v);
    gnd_array **array; /* to be released */
    int narray, room;
    void **block; /* to be freed */
    int nblock, blocks;
} py_hold;

void py_hold_clear(py_hold *h);
/* *out = o as an operand, to be released: the value of an ndarray, a weak scalar for a Python
 * number, a copy of a NumPy array or scalar. 1 without an exception if o is something else. */
int py_operand(PyObject *o, gnd_device *dev, gnd_array **out);
/* *v = o for gnd_call_function. h owns what *v refers to. */
int py_to_value(PyObject *o, py_hold *h, gnd_value *v);
/* The result v as a Python object. Clears v. */
PyObject *py_from_value(gnd_value *v);
/* v as a Python object. v is not changed. other, which may be NULL, converts tags that gnd/call.h
 * does not define. */
typedef PyObject *py_object_fn(const gnd_value *v, void *arg);
PyObject *py_object_of(const gnd_value *v, py_object_fn *other, void *arg);
/* A Python number as a NumPy scalar, anything else unchanged. of_bools: it was computed from bools
 * alone. Takes ownership of o. */
PyObject *py_numpy_scalar(PyObject *o, int of_bools);
/* A copy of any object that numpy.asarray accepts. */
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
