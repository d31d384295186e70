/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stream.c - streams of a device and their events, as handles. gnd/_stream.py builds CuPy's classes
 * on them. The library keeps the current stream of each thread.
 */
#include "py.h"

#include <gnd/native.h>
#include <gnd/stream.h>

typedef struct py_stream {
    PyObject_HEAD
    gnd_stream *s;
    gnd_device *dev;
    int owned; /* not the default stream */
} py_stream;

typedef struct py_event {
    PyObject_HEAD
    gnd_stream_event *ev;
} py_event;

static PyTypeObject *stream_type, *event_type;

static PyObject *checked(gnd_status s)
{
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    Py_RETURN_NONE;
}

/* --- events ----------------------------------------------------------------------------------- */

static void event_dealloc(PyObject *self)
{
    gnd_stream_event_free(((py_event *)self)->ev);
    PyObject_Free(self);
    Py_DECREF(event_type);
}

static PyObject *event_synchronize(PyObject *self, PyObject *none)
{
    gnd_status s;
    (void)none;
    Py_BEGIN_ALLOW_THREADS
    s = gnd_stream_event_synchronize(((py_event *)self)->ev);
    Py_END_ALLOW_THREADS
    return checked(s);
}

static PyObject *event_done(PyObject *self, PyObject *none)
{
    int done = 0;
    (void)none;
    const gnd_status s = gnd_stream_event_done(((py_event *)self)->ev, &done);
    return s == GND_OK ? PyBool_FromLong(done) : py_raise(s, gnd_message());
}

static PyMethodDef event_methods[] = {{"synchronize", event_synchronize, METH_NOARGS, NULL},
                                      {"done", event_done, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};
static PyType_Slot event_slots[] = {{Py_tp_doc, "A point of a stream's work."},
                                    {Py_tp_dealloc, (void *)event_dealloc},
                                    {Py_tp_methods, event_methods},
                                    {0, NULL}};
static PyType_Spec event_spec = {"gnd._core._Event", sizeof(py_event), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 event_slots};

/* --- streams ---------------------------------------------------------------------------------- */

/* _Stream(device, default): a new stream of the device, or its default one. */
static PyObject *make(PyTypeObject *t, PyObject *args, PyObject *kw)
{
    PyObject *of = NULL;
    int is_default = 0;
    (void)t;
    (void)kw;
    if (!PyArg_ParseTuple(args, "Op:_Stream", &of, &is_default))
        return NULL;
    gnd_device *dev = py_device_of(of);
    if (!dev)
        return NULL;
    gnd_stream *s;
    Py_BEGIN_ALLOW_THREADS
    s = is_default ? gnd_stream_default(dev) : gnd_stream_create(dev);
    Py_END_ALLOW_THREADS
    const gnd_status st = gnd_stream_status(s);
    py_stream *o = NULL;
    if (st != GND_OK)
        py_raise(st, gnd_stream_error(s));
    else
        o = PyObject_New(py_stream, stream_type);
    if (!o) {
        if (!is_default)
            gnd_stream_free(s);
        return NULL;
    }
    *o = (py_stream){.ob_base = o->ob_base, .s = s, .dev = dev, .owned = !is_default};
    return (PyObject *)o;
}

static void dealloc(PyObject *self)
{
    py_stream *o = (py_stream *)self;
    if (o->owned) {
        Py_BEGIN_ALLOW_THREADS /* gnd_stream_free waits for the stream's work */
        gnd_stream_free(o->s);
        Py_END_ALLOW_THREADS
    }
    PyObject_Free(self);
    Py_DECREF(stream_type);
}

static PyObject *use(PyObject *self, PyObject *none)
{
    (void)none;
    return checked(gnd_stream_use(((py_stream *)self)->s));
}

static PyObject *synchronize(PyObject *self, PyObject *none)
{
    gnd_status s;
    (void)none;
    Py_BEGIN_ALLOW_THREADS
    s = gnd_stream_synchronize(((py_stream *)self)->s);
    Py_END_ALLOW_THREADS
    return checked(s);
}

static PyObject *is_done(PyObject *self, PyObject *none)
{
    int done = 0;
    (void)none;
    const gnd_status s = gnd_stream_done(((py_stream *)self)->s, &done);
    return s == GND_OK ? PyBool_FromLong(done) : py_raise(s, gnd_message());
}

static PyObject *record(PyObject *self, PyObject *none)
{
    gnd_stream_event *ev = NULL;
    (void)none;
    const gnd_status s = gnd_stream_record(((py_stream *)self)->s, &ev);
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    py_event *o = PyObject_New(py_event, event_type);
    if (o)
        o->ev = ev;
    else
        gnd_stream_event_free(ev);
    return (PyObject *)o;
}

static PyObject *wait_event(PyObject *self, PyObject *ev)
{
    if (Py_TYPE(ev) != event_type)
        return PyErr_Format(PyExc_TypeError, "wait_event: %R: an event is wanted", ev);
    return checked(gnd_stream_wait_event(((py_stream *)self)->s, ((py_event *)ev)->ev));
}

/* The native queue as a number. gnd_device_native gives the queue of the thread's current stream,
 * so this stream is made current for the call. */
static PyObject *ptr(PyObject *self, PyObject *none)
{
    py_stream *o = (py_stream *)self;
    gnd_native_device n;
    (void)none;
    gnd_stream *before = gnd_stream_current(o->dev);
    gnd_status s = gnd_stream_status(before);
    if (s == GND_OK)
        s = gnd_stream_use(o->s);
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    s = gnd_device_native(o->dev, &n);
    if (s != GND_OK)
        py_raise(s, gnd_message());
    gnd_stream_use(before);
    return s == GND_OK ? PyLong_FromUnsignedLongLong((uintptr_t)n.queue) : NULL;
}

static PyMethodDef methods[] = {{"use", use, METH_NOARGS, NULL},
                                {"synchronize", synchronize, METH_NOARGS, NULL},
                                {"done", is_done, METH_NOARGS, NULL},
                                {"record", record, METH_NOARGS, NULL},
                                {"wait_event", wait_event, METH_O, NULL},
                                {"ptr", ptr, METH_NOARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "A stream of a device."},
                              {Py_tp_new, (void *)make},
                              {Py_tp_dealloc, (void *)dealloc},
                              {Py_tp_methods, methods},
                              {0, NULL}};
static PyType_Spec spec = {"gnd._core._Stream", sizeof(py_stream), 0, Py_TPFLAGS_DEFAULT, slots};

int py_stream_init(PyObject *module)
{
    stream_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    event_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &event_spec, NULL);
    if (!stream_type || !event_type)
        return -1;
    return PyModule_AddObjectRef(module, "_Stream", (PyObject *)stream_type);
}
