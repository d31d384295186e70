/* SPDX-License-Identifier: BSD-3-Clause
 *
 * context.c - gnd.mpi.Context: a gndm_ctx, the guard of its calls, and files.
 */
#include "pympi.h"

#include <stdlib.h>
#include <string.h>
#include <structmember.h>

PyTypeObject *pm_ctx_type;
pm_ctx *pm_current;

/* --- calls ------------------------------------------------------------------------------------ */

gndm_ctx *pm_begin(pm_ctx *ctx)
{
    if (!ctx->c) {
        PyErr_SetString(PyExc_ValueError, "gnd.mpi: the context is closed");
        return NULL;
    }
    if (ctx->busy) {
        PyErr_SetString(PyExc_RuntimeError,
                        "gnd.mpi: a call on this context is running: calls come from one thread, "
                        "and a function of stencil() computes with gnd alone");
        return NULL;
    }
    ctx->busy = 1;
    return ctx->c;
}

void pm_end(pm_ctx *ctx)
{
    ctx->busy = 0;
    while (ctx->nlate)
        gndm_release(ctx->late[--ctx->nlate]);
}

void pm_release(pm_ctx *ctx, gndm_array *x)
{
    if (!ctx->c)
        return;
    if (!ctx->busy) {
        gndm_release(x);
        return;
    }
    if (ctx->nlate == ctx->room) {
        const int room = ctx->room ? 2 * ctx->room : 16;
        gndm_array **p = realloc(ctx->late, sizeof *p * (size_t)room);
        if (!p)
            return; /* closing the context releases it */
        ctx->late = p;
        ctx->room = room;
    }
    ctx->late[ctx->nlate++] = x;
}

PyObject *pm_fail(pm_ctx *ctx, gnd_status st)
{
    return core->raise(st, gndm_message(ctx->c));
}

/* --- opening and closing ---------------------------------------------------------------------- */

/* Context(handle, device, flags): handle is the Fortran handle of a communicator. */
static PyObject *make(PyTypeObject *t, PyObject *args, PyObject *kw)
{
    PyObject *device;
    int handle;
    unsigned flags;
    (void)kw;
    if (!PyArg_ParseTuple(args, "iOI:Context", &handle, &device, &flags))
        return NULL;
    gnd_device *dev = device == Py_None ? NULL : core->device_of(device);
    const MPI_Comm comm = MPI_Comm_f2c((MPI_Fint)handle);
    if (!dev && PyErr_Occurred())
        return NULL;
    if (comm == MPI_COMM_NULL) {
        PyErr_SetString(PyExc_ValueError, "gnd.mpi.open: the communicator is MPI.COMM_NULL");
        return NULL;
    }
    gndm_ctx *c;
    Py_BEGIN_ALLOW_THREADS
    c = gndm_open(comm, dev, flags);
    Py_END_ALLOW_THREADS
    if (gndm_status(c)) {
        core->raise(gndm_status(c), gndm_message(c));
        gndm_close(c);
        return NULL;
    }
    /* The device stays open until the process ends, like all devices of the package: arrays may
     * live that long. */
    if (!dev)
        gnd_open(gnd_device_id(gndm_device(c)));
    pm_ctx *ctx = PyObject_New(pm_ctx, t);
    if (!ctx) {
        gndm_close(c);
        return NULL;
    }
    memset((char *)ctx + sizeof(PyObject), 0, sizeof *ctx - sizeof(PyObject));
    ctx->c = c;
    ctx->flags = flags;
    return (PyObject *)ctx;
}

static PyObject *finish(PyObject *self, PyObject *none)
{
    pm_ctx *ctx = (pm_ctx *)self;
    (void)none;
    if (!ctx->c)
        Py_RETURN_NONE;
    gndm_ctx *c = pm_begin(ctx);
    if (!c)
        return NULL;
    pm_end(ctx);
    ctx->c = NULL;
    if (pm_current == ctx)
        pm_current = NULL;
    Py_BEGIN_ALLOW_THREADS
    gndm_close(c);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

/* Does not call gndm_close: closing is collective, and the other ranks may not take part. A context
 * that was not closed keeps its communicators. */
static void dealloc(PyObject *self)
{
    pm_ctx *ctx = (pm_ctx *)self;
    PyTypeObject *t = Py_TYPE(self);
    if (ctx->weak)
        PyObject_ClearWeakRefs(self);
    if (pm_current == ctx)
        pm_current = NULL;
    free(ctx->late);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* --- queries ---------------------------------------------------------------------------------- */

static int is_open(PyObject *self)
{
    if (!((pm_ctx *)self)->c)
        PyErr_SetString(PyExc_ValueError, "gnd.mpi: the context is closed");
    return ((pm_ctx *)self)->c != NULL;
}

static PyObject *get_rank(PyObject *self, void *none)
{
    (void)none;
    return is_open(self) ? PyLong_FromLong(gndm_rank(((pm_ctx *)self)->c)) : NULL;
}

static PyObject *get_size(PyObject *self, void *none)
{
    (void)none;
    return is_open(self) ? PyLong_FromLong(gndm_size(((pm_ctx *)self)->c)) : NULL;
}

static PyObject *get_device(PyObject *self, void *none)
{
    (void)none;
    return is_open(self) ? core->device(gndm_device(((pm_ctx *)self)->c)) : NULL;
}

static PyObject *get_closed(PyObject *self, void *none)
{
    (void)none;
    return PyBool_FromLong(!((pm_ctx *)self)->c);
}

static PyObject *stats(PyObject *self, PyObject *none)
{
    gndm_stats s;
    (void)none;
    if (!is_open(self))
        return NULL;
    gndm_get_stats(((pm_ctx *)self)->c, &s);
    return Py_BuildValue("{sKsKsKsK}", "bytes", (unsigned long long)s.bytes, "messages",
                         (unsigned long long)s.messages, "exchanges",
                         (unsigned long long)s.exchanges, "received",
                         (unsigned long long)s.received);
}

static PyObject *ranks(PyObject *self, PyObject *none)
{
    pm_ctx *ctx = (pm_ctx *)self;
    (void)none;
    gndm_ctx *c = pm_begin(ctx);
    if (!c)
        return NULL;
    const int n = gndm_size(c);
    gndm_rank_info *r = calloc((size_t)n, sizeof *r);
    gnd_status st = GND_ERR_NOMEM;
    if (r) {
        Py_BEGIN_ALLOW_THREADS
        st = gndm_ranks(c, r);
        Py_END_ALLOW_THREADS
    }
    pm_end(ctx);
    PyObject *list = st ? pm_fail(ctx, st) : PyList_New(0);
    for (int i = 0; list && i < n; i++) {
        PyObject *o = Py_BuildValue(
            "{sisssssssssdsdsdsdsdsdsKsssssssssisdsd}", "rank", i, "host", r[i].host, "device",
            r[i].device, "name", r[i].name, "transport", r[i].transport, "bandwidth",
            r[i].bandwidth, "sums", r[i].sums, "flops", r[i].flops, "link", r[i].link, "latency",
            r[i].latency, "share", r[i].share, "memory", (unsigned long long)r[i].mem_bytes,
            "no_nccl", r[i].no_nccl, "no_cuda_mpi", r[i].no_cuda_mpi, "no_peer", r[i].no_peer,
            "bus", r[i].bus, "first", r[i].first, "alone", r[i].alone, "turn", r[i].turn);
        if (!o || PyList_Append(list, o))
            Py_CLEAR(list);
        Py_XDECREF(o);
    }
    free(r);
    return list;
}

static PyObject *set_timeout(PyObject *self, PyObject *arg)
{
    const double s = PyFloat_AsDouble(arg);
    if (PyErr_Occurred() || !is_open(self))
        return NULL;
    gndm_set_timeout(((pm_ctx *)self)->c, s);
    Py_RETURN_NONE;
}

/* --- arrays of data --------------------------------------------------------------------------- */

/* _from(address, dtype, shape, partition, root=-1): a distributed array. Every rank gives all
 * elements, in C order, or the rank `root` alone. */
static PyObject *from(PyObject *self, PyObject *args)
{
    PyObject *at, *dtype, *tuple, *partition;
    int64_t shape[GND_MAX_NDIM];
    const gndm_part *part;
    gnd_dtype t;
    int root = -1;
    if (!PyArg_ParseTuple(args, "OOOO|i:_from", &at, &dtype, &tuple, &partition, &root))
        return NULL;
    const void *data = PyLong_AsVoidPtr(at);
    const int ndim = PyErr_Occurred() ? -1 : pm_ints_of(tuple, "shape", shape);
    if (ndim < 0 || core->dtype_of(dtype, &t, NULL) || pm_part_of(partition, &part))
        return NULL;
    gndm_ctx *c = pm_begin((pm_ctx *)self);
    gndm_array *x;
    if (!c)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    x = root < 0 ? gndm_from(c, t, ndim, shape, data, part)
                 : gndm_scatter(c, root, t, ndim, shape, data, part);
    Py_END_ALLOW_THREADS
    return pm_array_ended((pm_ctx *)self, x);
}

/* _wrap(local, partition) */
static PyObject *wrap(PyObject *self, PyObject *args)
{
    PyObject *own, *partition;
    const gndm_part *part;
    if (!PyArg_ParseTuple(args, "OO:wrap", &own, &partition) || pm_part_of(partition, &part))
        return NULL;
    gnd_array *local = core->array_value(own);
    gndm_ctx *c = local ? pm_begin((pm_ctx *)self) : NULL;
    gndm_array *x;
    if (!c)
        return NULL;
    gnd_retain(local);
    Py_BEGIN_ALLOW_THREADS
    x = gndm_wrap(c, local, part);
    gnd_release(local);
    Py_END_ALLOW_THREADS
    return pm_array_ended((pm_ctx *)self, x);
}

/* _wait(arrays) */
static PyObject *wait_for(PyObject *self, PyObject *tuple)
{
    pm_ctx *ctx = (pm_ctx *)self;
    gndm_array **x = pm_handles(ctx, tuple);
    gndm_ctx *c = x ? pm_begin(ctx) : NULL;
    gnd_status st = GND_OK;
    if (c) {
        const int n = (int)PyTuple_Size(tuple);
        Py_BEGIN_ALLOW_THREADS
        st = gndm_wait(c, n, x);
        Py_END_ALLOW_THREADS
        pm_end(ctx);
    }
    free(x);
    if (!c || st)
        return c ? pm_fail(ctx, st) : NULL;
    Py_RETURN_NONE;
}

/* --- expressions ------------------------------------------------------------------------------ */

/* The strings of a tuple. The items own them; the caller frees the list. */
static const char **strings(PyObject *tuple)
{
    const Py_ssize_t n = PyTuple_Size(tuple);
    const char **s = n < 0 ? NULL : calloc((size_t)n + 1, sizeof *s);
    if (!s && n >= 0)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; s && i < n; i++)
        if (!(s[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, i), NULL))) {
            free((void *)s);
            return NULL;
        }
    return s;
}

/* _eval(text, names, arrays, explain) */
static PyObject *evaluate(PyObject *self, PyObject *args)
{
    pm_ctx *ctx = (pm_ctx *)self;
    const char *text;
    PyObject *names, *arrays, *result = NULL;
    int explain;
    if (!PyArg_ParseTuple(args, "sO!O!p:eval", &text, &PyTuple_Type, &names, &PyTuple_Type, &arrays,
                          &explain))
        return NULL;
    const char **name = strings(names);
    gndm_array **x = name ? pm_handles(ctx, arrays) : NULL;
    gndm_ctx *c = x ? pm_begin(ctx) : NULL;
    if (c) {
        const int n = (int)PyTuple_Size(names);
        gndm_array *y = NULL;
        char *plan = NULL;
        gnd_status st = GND_OK;
        Py_BEGIN_ALLOW_THREADS
        if (explain)
            plan = gndm_explain(c, text, n, name, x, &st);
        else
            y = gndm_eval(c, text, n, name, x);
        Py_END_ALLOW_THREADS
        if (explain)
            pm_end(ctx);
        result = !explain ? pm_array_ended(ctx, y)
                 : plan   ? PyUnicode_FromString(plan)
                          : pm_fail(ctx, st);
        free(plan);
    }
    free((void *)name);
    free(x);
    return result;
}

/* --- files ------------------------------------------------------------------------------------ */

/* _load(path, partition) */
static PyObject *load(PyObject *self, PyObject *args)
{
    PyObject *path = NULL, *partition, *result = NULL;
    const gndm_part *part;
    if (!PyArg_ParseTuple(args, "O&O:load", PyUnicode_FSConverter, &path, &partition))
        return NULL;
    gndm_ctx *c = pm_part_of(partition, &part) ? NULL : pm_begin((pm_ctx *)self);
    if (c) {
        const char *name = PyBytes_AsString(path);
        gndm_array *x;
        Py_BEGIN_ALLOW_THREADS
        x = gndm_load_npy(c, name, part);
        Py_END_ALLOW_THREADS
        result = pm_array_ended((pm_ctx *)self, x);
    }
    Py_DECREF(path);
    return result;
}

/* _save_state(folder, step, names, arrays) */
static PyObject *save_state(PyObject *self, PyObject *args)
{
    pm_ctx *ctx = (pm_ctx *)self;
    PyObject *folder = NULL, *names, *arrays;
    long long step;
    gnd_status st = GND_OK;
    if (!PyArg_ParseTuple(args, "O&LO!O!:save_state", PyUnicode_FSConverter, &folder, &step,
                          &PyTuple_Type, &names, &PyTuple_Type, &arrays))
        return NULL;
    const char **name = strings(names);
    gndm_array **x = name ? pm_handles(ctx, arrays) : NULL;
    gndm_ctx *c = x ? pm_begin(ctx) : NULL;
    if (c) {
        const char *where = PyBytes_AsString(folder);
        const int n = (int)PyTuple_Size(names);
        Py_BEGIN_ALLOW_THREADS
        st = gndm_save_state(c, where, step, n, name, x);
        Py_END_ALLOW_THREADS
        pm_end(ctx);
    }
    free((void *)name);
    free(x);
    Py_DECREF(folder);
    if (!c || st)
        return c ? pm_fail(ctx, st) : NULL;
    Py_RETURN_NONE;
}

/* (step, arrays). Takes ownership of the arrays. */
static PyObject *loaded(pm_ctx *ctx, long long step, int n, gndm_array **x)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; i < n; i++) {
        PyObject *o = pm_array_new(ctx, x[i]);
        if (tuple && o)
            PyTuple_SetItem(tuple, i, o);
        else
            Py_XDECREF(o);
        if (!o)
            Py_CLEAR(tuple);
    }
    return tuple ? Py_BuildValue("LN", step, tuple) : NULL;
}

/* _load_state(folder, names, partitions): (step, arrays) */
static PyObject *load_state(PyObject *self, PyObject *args)
{
    pm_ctx *ctx = (pm_ctx *)self;
    PyObject *folder = NULL, *names, *partitions, *result = NULL;
    if (!PyArg_ParseTuple(args, "O&O!O!:load_state", PyUnicode_FSConverter, &folder, &PyTuple_Type,
                          &names, &PyTuple_Type, &partitions))
        return NULL;
    const int n = (int)PyTuple_Size(names);
    const char **name = strings(names);
    gndm_array **x = calloc((size_t)n + 1, sizeof *x);
    const gndm_part **part = calloc((size_t)n + 1, sizeof *part);
    int bad = !name || !x || !part;
    if (bad && !PyErr_Occurred())
        PyErr_NoMemory();
    for (int i = 0; i < n && !bad; i++)
        bad = pm_part_of(PyTuple_GetItem(partitions, i), &part[i]);
    gndm_ctx *c = bad ? NULL : pm_begin(ctx);
    if (c) {
        const char *where = PyBytes_AsString(folder);
        int64_t step = 0;
        gnd_status st;
        Py_BEGIN_ALLOW_THREADS
        st = gndm_load_state(c, where, &step, n, name, part, x);
        Py_END_ALLOW_THREADS
        pm_end(ctx);
        result = st ? pm_fail(ctx, st) : loaded(ctx, step, n, x);
    }
    free((void *)name);
    free((void *)part);
    free(x);
    Py_DECREF(folder);
    return result;
}

/* --- the type --------------------------------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"_close", finish, METH_NOARGS, NULL},
    {"stats", stats, METH_NOARGS,
     "stats($self)\n--\n\nBytes and messages that this rank sent, bytes that it received, and "
     "exchanges that it took part in, as a dict. Not collective."},
    {"ranks", ranks, METH_NOARGS,
     "ranks($self)\n--\n\nWhat each rank computes on, as dicts: its host, its device, how data gets "
     "to MPI, and measured speeds, in bytes and operations per second."},
    {"set_timeout", set_timeout, METH_O,
     "set_timeout($self, seconds, /)\n--\n\nThe longest time that a call waits for other ranks; 0: "
     "for ever. Not collective."},
    {"_partition", pm_partition, METH_VARARGS, NULL},
    {"_from", from, METH_VARARGS, NULL},
    {"_wrap", wrap, METH_VARARGS, NULL},
    {"_wait", wait_for, METH_O, NULL},
    {"_eval", evaluate, METH_VARARGS, NULL},
    {"_load", load, METH_VARARGS, NULL},
    {"_save_state", save_state, METH_VARARGS, NULL},
    {"_load_state", load_state, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef getset[] = {
    {"rank", get_rank, NULL, "The number of this rank, from 0.", NULL},
    {"size", get_size, NULL, "How many ranks there are.", NULL},
    {"device", get_device, NULL, "The device of this rank, a gnd.Device.", NULL},
    {"closed", get_closed, NULL, "Whether the context was closed.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(pm_ctx, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_doc, "A context of distributed arrays, which gnd.mpi.open makes: the ranks of a "
                "communicator, each with a device. In a `with` statement it is closed at the end."},
    {Py_tp_new, (void *)make},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {Py_tp_members, members},
    {0, NULL}};
static PyType_Spec spec = {"gnd.mpi.Context", sizeof(pm_ctx), 0, Py_TPFLAGS_DEFAULT, slots};

int pm_ctx_init(PyObject *module)
{
    pm_ctx_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return pm_ctx_type ? PyModule_AddObjectRef(module, "Context", (PyObject *)pm_ctx_type) : -1;
}
