/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stencil.c - parts with a border of their neighbours' elements (halo), and Python functions
 * applied to such parts (stencil).
 */
#include "pympi.h"

#include <pthread.h>

/* The function of a stencil, its argument and its result. */
typedef struct stencil {
    PyObject *f;
    gnd_array *in, *out;
} stencil;

/* An array that holds the raised exception as its error. The other ranks see the error at the next
 * exchange of data. */
static gnd_array *failed(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
    PyObject *text = value ? PyObject_Str(value) : NULL;
    PyObject *lineno = trace ? PyObject_GetAttrString(trace, "tb_lineno") : NULL;
    PyErr_Clear();
    const char *n = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const char *s = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    gnd_array *y =
        gnd_fail(GND_ERR_STATE, "stencil: the function raised %.60s in line %ld: %.300s",
                 n ? n : "an exception", lineno ? PyLong_AsLong(lineno) : 0L, s ? s : "");
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(text);
    Py_XDECREF(lineno);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return y;
}

/* Calls f with the input. Runs in a thread of its own. */
static void *compute(void *data)
{
    stencil *s = data;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *in = core->array_new(gnd_retain(s->in));
    PyObject *dev = in ? core->device(gnd_device_of(s->in)) : NULL;
    PyObject *used = dev ? PyObject_CallMethod(dev, "use", NULL) : NULL;
    PyObject *out = used ? PyObject_CallFunctionObjArgs(s->f, in, NULL) : NULL;
    gnd_array *value = out ? core->array_value(out) : NULL;
    s->out = value ? gnd_retain(value) : failed();
    Py_XDECREF(out);
    Py_XDECREF(used);
    Py_XDECREF(dev);
    Py_XDECREF(in);
    PyGILState_Release(gil);
    return NULL;
}

/* The library calls it without the GIL. An array made in this thread belongs to the scope of the
 * library's call, but the Python objects that f makes may outlive the call. So f runs in another
 * thread, which has no scopes, and the result is a new handle of the same value, made here. */
static gnd_array *apply(gnd_array *x, void *data)
{
    stencil *s = data;
    int same[GND_MAX_NDIM];
    pthread_t thread;
    s->in = x;
    if (pthread_create(&thread, NULL, compute, s))
        return gnd_fail(GND_ERR_NOMEM, "stencil: no thread for the function");
    pthread_join(thread, NULL);
    for (int d = 0; d < GND_MAX_NDIM; d++)
        same[d] = d;
    gnd_array *y = gnd_status_of(s->out) ? gnd_fail(gnd_status_of(s->out), "%s", gnd_error(s->out))
                                         : gnd_permute_dims(s->out, same);
    gnd_release(s->out);
    return y;
}

/* b and a = the widths of the borders below and above, one for each axis of x. 0, or -1. */
static int widths(gndm_array *x, PyObject *below, PyObject *above, int64_t *b, int64_t *a)
{
    const int nb = pm_ints_of(below, "below", b), na = nb < 0 ? -1 : pm_ints_of(above, "above", a);
    if (na < 0)
        return -1;
    if (nb == gndm_ndim(x) && na == gndm_ndim(x))
        return 0;
    PyErr_Format(PyExc_ValueError, "borders of %d and %d axes for an array of %d", nb, na,
                 gndm_ndim(x));
    return -1;
}

/* _halo(below, above, periodic): (the part with its border, the index of its first element) */
PyObject *pm_halo(PyObject *self, PyObject *args)
{
    pm_array *x = (pm_array *)self;
    PyObject *below, *above;
    int64_t b[GND_MAX_NDIM], a[GND_MAX_NDIM], start[GND_MAX_NDIM];
    int periodic;
    gnd_array *y;
    if (!PyArg_ParseTuple(args, "OOp:halo", &below, &above, &periodic) || !pm_begin(x->ctx))
        return NULL;
    if (widths(x->x, below, above, b, a)) {
        pm_end(x->ctx);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    y = gndm_halo(x->x, b, a, periodic, start);
    Py_END_ALLOW_THREADS
    pm_end(x->ctx);
    PyObject *o = core->array_new(y);
    return o ? Py_BuildValue("NN", o, core->ints(gndm_ndim(x->x), start)) : NULL;
}

/* _stencil(f, below, above, mode) */
PyObject *pm_stencil(PyObject *self, PyObject *args)
{
    pm_array *x = (pm_array *)self;
    PyObject *below, *above;
    int64_t b[GND_MAX_NDIM], a[GND_MAX_NDIM];
    const char *mode;
    stencil s;
    gndm_array *y;
    if (!PyArg_ParseTuple(args, "OOOs:stencil", &s.f, &below, &above, &mode) || !pm_begin(x->ctx))
        return NULL;
    if (widths(x->x, below, above, b, a)) {
        pm_end(x->ctx);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    y = gndm_stencil(x->x, b, a, mode, apply, &s);
    Py_END_ALLOW_THREADS
    return pm_array_ended(x->ctx, y);
}
