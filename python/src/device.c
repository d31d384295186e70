/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device.c - gnd.Device, the current device of each thread, and the list of devices. An opened
 * device stays open until the process ends, because arrays may live that long.
 */
#include "py.h"

enum { NESTED = 32 };

typedef struct py_device_obj {
    PyObject_HEAD
    gnd_device *dev;
    gnd_device *before[NESTED]; /* the current device at each entry of `with` */
    int depth;
} py_device_obj;

static PyTypeObject *type;
static _Thread_local gnd_device *current;

static gnd_device *opened(const char *spec)
{
    gnd_device *dev;
    Py_BEGIN_ALLOW_THREADS
    dev = gnd_open(spec);
    Py_END_ALLOW_THREADS
    if (gnd_device_status(dev) == GND_OK)
        return dev;
    py_raise(gnd_device_status(dev), gnd_device_error(dev));
    gnd_close(dev);
    return NULL;
}

gnd_device *py_device_of(PyObject *o)
{
    if (!o || o == Py_None) {
        if (!current)
            current = opened(NULL);
        return current;
    }
    if (Py_TYPE(o) == type)
        return ((py_device_obj *)o)->dev;
    const char *s = PyUnicode_Check(o) ? PyUnicode_AsUTF8AndSize(o, NULL) : NULL;
    if (s)
        return opened(s);
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError,
                     "device: %R: a gnd.Device or its name is wanted, such as \"opencl:0\"", o);
    return NULL;
}

PyObject *py_device(gnd_device *dev)
{
    py_device_obj *d = PyObject_New(py_device_obj, type);
    if (d) {
        d->dev = dev;
        d->depth = 0;
    }
    return (PyObject *)d;
}

static PyObject *make(PyTypeObject *t, PyObject *args, PyObject *kw)
{
    static char *names[] = {"spec", NULL};
    PyObject *spec = NULL;
    (void)t;
    if (!PyArg_ParseTupleAndKeywords(args, kw, "|O:Device", names, &spec))
        return NULL;
    gnd_device *dev = py_device_of(spec);
    return dev ? py_device(dev) : NULL;
}

static void dealloc(PyObject *self)
{
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *enter(PyObject *self, PyObject *none)
{
    py_device_obj *d = (py_device_obj *)self;
    (void)none;
    if (d->depth == NESTED) {
        PyErr_Format(PyExc_RuntimeError, "Device: one object is entered more than %d times",
                     NESTED);
        return NULL;
    }
    d->before[d->depth++] = current;
    current = d->dev;
    Py_INCREF(self);
    return self;
}

static PyObject *leave(PyObject *self, PyObject *args)
{
    py_device_obj *d = (py_device_obj *)self;
    (void)args;
    if (d->depth)
        current = d->before[--d->depth];
    Py_RETURN_NONE;
}

static PyObject *use(PyObject *self, PyObject *none)
{
    (void)none;
    current = ((py_device_obj *)self)->dev;
    Py_RETURN_NONE;
}

/* What a method without a result returns: None, or NULL after raising the error of the call that
 * gave s. */
static PyObject *none_or_raise(gnd_status s)
{
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    Py_RETURN_NONE;
}

static PyObject *synchronize(PyObject *self, PyObject *none)
{
    gnd_status s;
    (void)none;
    Py_BEGIN_ALLOW_THREADS
    s = gnd_sync(((py_device_obj *)self)->dev);
    Py_END_ALLOW_THREADS
    return none_or_raise(s);
}

static PyObject *of_info(const gnd_device_info *i)
{
    return Py_BuildValue("{sssssssssssssssssKsIsOsO}", "id", i->id, "backend", i->backend, "name",
                         i->name, "vendor", i->vendor, "platform", i->platform, "driver", i->driver,
                         "kind", i->kind, "reason", i->reason, "memory",
                         (unsigned long long)i->mem_bytes, "compute_units",
                         (unsigned)i->compute_units, "has_float64", i->has_f64 ? Py_True : Py_False,
                         "has_float16", i->has_f16 ? Py_True : Py_False);
}

static PyObject *info(PyObject *self, PyObject *none)
{
    gnd_device_info i;
    (void)none;
    const gnd_status s = gnd_device_describe(((py_device_obj *)self)->dev, &i);
    return s == GND_OK ? of_info(&i) : py_raise(s, gnd_message());
}

static PyObject *stats(PyObject *self, PyObject *none)
{
    gnd_stats s;
    (void)none;
    const gnd_status st = gnd_device_stats(((py_device_obj *)self)->dev, &s);
    if (st != GND_OK)
        return py_raise(st, gnd_message());
    return Py_BuildValue(
        "{sKsKsKsKsKsKsKsKsKsKsK}", "kernels_launched", (unsigned long long)s.kernels_launched,
        "library_calls", (unsigned long long)s.library_calls, "kernels_built",
        (unsigned long long)s.kernels_built, "kernels_from_disk",
        (unsigned long long)s.kernels_from_disk, "bytes_in_use", (unsigned long long)s.bytes_in_use,
        "bytes_peak", (unsigned long long)s.bytes_peak, "bytes_held",
        (unsigned long long)s.bytes_held, "arrays", (unsigned long long)s.arrays, "plans_made",
        (unsigned long long)s.plans_made, "plans_reused", (unsigned long long)s.plans_reused,
        "bytes_limit", (unsigned long long)s.bytes_limit);
}

static PyObject *set_limit(PyObject *self, PyObject *arg)
{
    const unsigned long long n = PyLong_AsUnsignedLongLong(arg);
    if (PyErr_Occurred())
        return NULL;
    return none_or_raise(gnd_device_set_limit(((py_device_obj *)self)->dev, n));
}

static PyObject *reset_peak(PyObject *self, PyObject *none)
{
    (void)none;
    return none_or_raise(gnd_device_reset_peak(((py_device_obj *)self)->dev));
}

static PyObject *trim(PyObject *self, PyObject *none)
{
    (void)none;
    return none_or_raise(gnd_device_trim(((py_device_obj *)self)->dev));
}

static PyObject *id(PyObject *self, void *none)
{
    (void)none;
    return PyUnicode_FromString(gnd_device_id(((py_device_obj *)self)->dev));
}

static PyObject *repr(PyObject *self)
{
    return PyUnicode_FromFormat("gnd.Device('%s')", gnd_device_id(((py_device_obj *)self)->dev));
}

static PyObject *str(PyObject *self)
{
    return id(self, NULL);
}

static PyObject *compare(PyObject *a, PyObject *b, int op)
{
    if (Py_TYPE(a) != type || Py_TYPE(b) != type || (op != Py_EQ && op != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong((((py_device_obj *)a)->dev == ((py_device_obj *)b)->dev) ==
                           (op == Py_EQ));
}

static Py_hash_t hash(PyObject *self)
{
    return (Py_hash_t)((uintptr_t)((py_device_obj *)self)->dev >> 4);
}

static PyMethodDef methods[] = {
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", leave, METH_VARARGS, NULL},
    {"use", use, METH_NOARGS, "Makes it the current device of this thread."},
    {"synchronize", synchronize, METH_NOARGS, "Waits until all work given to the device is done."},
    {"info", info, METH_NOARGS, "What the device is, as a dict."},
    {"stats", stats, METH_NOARGS,
     "Counters since the device was opened, as a dict; memory in bytes."},
    {"set_limit", set_limit, METH_O,
     "set_limit(nbytes): the most memory that arrays may hold; 0: no limit."},
    {"reset_peak", reset_peak, METH_NOARGS,
     "Sets bytes_peak of the counters to the bytes that are in use."},
    {"free_unused", trim, METH_NOARGS, "Gives unused memory of the pool back to the driver."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef getset[] = {{"id", id, NULL, "\"opencl:0\"", NULL},
                               {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_doc,
     "Device(spec=None)\n--\n\nA device by its name (\"cuda:0\", \"opencl:1\", a part of its own name); None: "
     "the current one, at first the best there is. In a `with` statement it is the current one of the "
     "thread. It stays open until the process ends."},
    {Py_tp_new, (void *)make},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_repr, (void *)repr},
    {Py_tp_str, (void *)str},
    {Py_tp_richcompare, (void *)compare},
    {Py_tp_hash, (void *)hash},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, NULL}};
static PyType_Spec spec = {"gnd.Device", sizeof(py_device_obj), 0, Py_TPFLAGS_DEFAULT, slots};

PyObject *py_devices(PyObject *self, PyObject *none)
{
    PyObject *list = PyList_New(0);
    (void)self;
    (void)none;
    const int n = gnd_device_count();
    for (int i = 0; list && i < n; i++) {
        gnd_device_info d;
        PyObject *o = gnd_device_list(i, &d) == GND_OK ? of_info(&d) : NULL;
        if (!o || PyList_Append(list, o))
            Py_CLEAR(list);
        Py_XDECREF(o);
    }
    return list;
}

int py_device_init(PyObject *module)
{
    type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return type ? PyModule_AddObjectRef(module, "Device", (PyObject *)type) : -1;
}
