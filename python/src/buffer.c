/* SPDX-License-Identifier: BSD-3-Clause
 *
 * buffer.c - gives the elements of arrays to other libraries: the buffer protocol, and _pinned for
 * __array_interface__. Both show the value that the array had when they were made. A buffer is a
 * private copy. It is not marked read-only, because compiled code often accepts only writable
 * buffers although it writes to none; the memory of gnd itself must not be written. _pinned shares
 * the memory, on devices that work in host memory. The shared value stays alive, so a later write
 * to the array uses other memory.
 */
#include "py.h"

#include <gnd/native.h>
#include <stdlib.h>

/* Py_buffer. The limited API has it only since Python 3.11. */
typedef struct buffer {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize;
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} buffer;

/* Bits of the flags of a request: the PyBUF_ constants. */
enum { WRITABLE = 0x1, FORMAT = 0x4, ND = 0x8, STRIDES = 0x18, F = 0x58 };

typedef struct held {
    void *data;
    Py_ssize_t shape[GND_MAX_NDIM], strides[GND_MAX_NDIM];
} held;

struct py_pin {
    struct py_pin *next;
    gnd_array *x;
};

/* The format letter of the struct module for t; NULL for bfloat16. NumPy uses l, not q, for int64.
 */
static char *letter(gnd_dtype t)
{
    static char *const letters[GND_NDTYPES] = {
        [GND_BOOL] = "?",       [GND_INT8] = "b",       [GND_INT16] = "h",   [GND_INT32] = "i",
        [GND_INT64] = "l",      [GND_UINT8] = "B",      [GND_UINT16] = "H",  [GND_UINT32] = "I",
        [GND_UINT64] = "L",     [GND_FLOAT16] = "e",    [GND_FLOAT32] = "f", [GND_FLOAT64] = "d",
        [GND_COMPLEX64] = "Zf", [GND_COMPLEX128] = "Zd"};
    return letters[t];
}

/* Evaluates x; *m = its host memory. BufferError if the device's memory is not host memory. */
static int host_memory(gnd_array *x, gnd_native_array *m)
{
    static char none[16];
    gnd_status s;
    if (!letter(gnd_dtype_of(x))) {
        PyErr_SetString(PyExc_BufferError, "bfloat16 has no buffers: use asnumpy()");
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS
    s = gnd_native(x, m);
    if (s == GND_OK && m->address && m->kind != GND_NATIVE_CUDA)
        s = gnd_wait(x);
    Py_END_ALLOW_THREADS
    if (s != GND_OK) {
        py_raise(s, gnd_message());
        return -1;
    }
    if (m->kind == GND_NATIVE_NONE)
        m->address = (uint64_t)(uintptr_t)none;
    if (m->address && m->kind != GND_NATIVE_CUDA)
        return 0;
    PyErr_Format(PyExc_BufferError, "the memory of %s is not the host's: use asnumpy()",
                 gnd_device_id(gnd_device_of(x)));
    return -1;
}

/* A copy of the elements of x in C order, with its extents and strides. */
static held *copied(gnd_array *x)
{
    gnd_status s = GND_ERR_NOMEM;
    const size_t n = gnd_nbytes(x);
    held *h = malloc(sizeof *h);
    if (!h || posix_memalign(&h->data, 64, n ? n : 1)) {
        free(h);
        PyErr_NoMemory();
        return NULL;
    }
    Py_ssize_t step = (Py_ssize_t)gnd_dtype_size(gnd_dtype_of(x));
    for (int i = gnd_ndim(x) - 1; i >= 0; i--) {
        h->shape[i] = (Py_ssize_t)gnd_shape(x)[i];
        h->strides[i] = step;
        step *= h->shape[i];
    }
    gnd_retain(x);
    Py_BEGIN_ALLOW_THREADS
    s = gnd_read(x, h->data, n);
    Py_END_ALLOW_THREADS
    gnd_release(x);
    if (s == GND_OK)
        return h;
    free(h->data);
    free(h);
    py_raise(s, gnd_message());
    return NULL;
}

/* Whether an array in C order is in Fortran order too. */
static int one_axis(gnd_array *x)
{
    int n = 0;
    for (int i = 0; i < gnd_ndim(x); i++)
        n += gnd_shape(x)[i] != 1;
    return n < 2 || gnd_size(x) == 0;
}

static int get(PyObject *self, buffer *view, int flags)
{
    gnd_array *x = py_value((py_array *)self);
    view->obj = NULL;
    if (!x)
        return -1;
    char *format = letter(gnd_dtype_of(x));
    const char *why = NULL;
    if (flags & WRITABLE)
        why = "buffers of gnd's arrays are copies: what is written there would not arrive";
    else if (!format)
        why = "bfloat16 has no buffers: use asnumpy()";
    else if ((flags & F) == F && !one_axis(x))
        why = "gnd's arrays are in C order";
    held *h = why ? NULL : copied(x);
    if (!h) {
        if (why)
            PyErr_SetString(PyExc_BufferError, why);
        return -1;
    }
    *view = (buffer){.buf = h->data,
                     .obj = self,
                     .len = (Py_ssize_t)gnd_nbytes(x),
                     .itemsize = (Py_ssize_t)gnd_dtype_size(gnd_dtype_of(x)),
                     .ndim = gnd_ndim(x),
                     .format = flags & FORMAT ? format : NULL,
                     .shape = flags & ND ? h->shape : NULL,
                     .strides = (flags & STRIDES) == STRIDES ? h->strides : NULL,
                     .internal = h};
    Py_INCREF(self);
    return 0;
}

static void release(PyObject *self, buffer *view)
{
    held *h = view->internal;
    (void)self;
    free(h->data);
    free(h);
}

/* Py_bf_getbuffer and Py_bf_releasebuffer. The limited API has them only since Python 3.11. */
PyType_Slot py_buffer_slots[] = {{1, (void *)get}, {2, (void *)release}, {0, NULL}};

void py_unpin(py_array *a)
{
    for (struct py_pin *p = a->pins, *next; p; p = next) {
        next = p->next;
        gnd_release(p->x);
        free(p);
    }
}

/* _pinned(x): (address, strides in bytes) of its elements in host memory. The address is valid as
 * long as x lives. */
static PyObject *pinned(PyObject *self, PyObject *o)
{
    gnd_native_array m;
    (void)self;
    if (!py_is_array(o))
        return PyErr_Format(PyExc_TypeError, "_pinned: %R is not an array", o);
    py_array *a = (py_array *)o;
    gnd_array *x = py_value(a);
    if (!x)
        return NULL;
    gnd_retain(x);
    const int bad = host_memory(x, &m);
    struct py_pin *p = a->pins;
    while (p && p->x != x)
        p = p->next;
    if (bad || p) {
        gnd_release(x);
    } else if (!(p = malloc(sizeof *p))) {
        gnd_release(x);
        return PyErr_NoMemory();
    } else {
        *p = (struct py_pin){a->pins, x};
        a->pins = p;
    }
    PyObject *strides = bad ? NULL : py_ints(m.ndim, m.strides);
    return strides ? Py_BuildValue("(KN)", (unsigned long long)m.address, strides) : NULL;
}

PyMethodDef py_buffer_methods[] = {{"_pinned", pinned, METH_O, NULL}, {NULL, NULL, 0, NULL}};
