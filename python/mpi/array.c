/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array.c - gnd.mpi.ndarray: a gndm_array with the context that it belongs to. An assignment to an
 * array gives its object another value.
 */
#include "pympi.h"

#include <stdlib.h>
#include <string.h>
#include <structmember.h>

PyTypeObject *pm_array_type;

/* --- creation --------------------------------------------------------------------------------- */

PyObject *pm_array_new(pm_ctx *ctx, gndm_array *x)
{
    if (gndm_status_of(x)) {
        core->raise(gndm_status_of(x), gndm_error(x));
        gndm_release(x);
        return NULL;
    }
    pm_array *a = PyObject_New(pm_array, pm_array_type);
    if (!a) {
        gndm_release(x);
        return NULL;
    }
    Py_INCREF(ctx);
    a->ctx = ctx;
    a->x = x;
    a->weak = NULL;
    return (PyObject *)a;
}

PyObject *pm_array_ended(pm_ctx *ctx, gndm_array *x)
{
    pm_end(ctx);
    return pm_array_new(ctx, x);
}

static void dealloc(PyObject *self)
{
    pm_array *a = (pm_array *)self;
    PyTypeObject *t = Py_TYPE(self);
    if (a->weak)
        PyObject_ClearWeakRefs(self);
    pm_release(a->ctx, a->x);
    Py_DECREF(a->ctx);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* The handle of an array; NULL with an exception if its context is closed. */
static gndm_array *handle(PyObject *self)
{
    pm_array *a = (pm_array *)self;
    if (a->ctx->c)
        return a->x;
    PyErr_SetString(PyExc_ValueError, "gnd.mpi: the context of the array is closed");
    return NULL;
}

gndm_array **pm_handles(pm_ctx *ctx, PyObject *tuple)
{
    const Py_ssize_t n = PyTuple_Size(tuple);
    gndm_array **x = n < 0 ? NULL : calloc((size_t)n + 1, sizeof *x);
    if (!x && n >= 0)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; x && i < n; i++) {
        PyObject *o = PyTuple_GetItem(tuple, i);
        if (!pm_is_array(o))
            PyErr_Format(PyExc_TypeError, "%R: a gnd.mpi.ndarray is wanted",
                         (PyObject *)Py_TYPE(o));
        else if (((pm_array *)o)->ctx != ctx)
            PyErr_SetString(PyExc_ValueError, "gnd.mpi: an array of another context");
        else
            x[i] = handle(o);
        if (!x[i]) {
            free(x);
            return NULL;
        }
    }
    return x;
}

/* --- attributes ------------------------------------------------------------------------------- */

static PyObject *get_shape(PyObject *self, void *none)
{
    gndm_array *x = handle(self);
    (void)none;
    return x ? core->ints(gndm_ndim(x), gndm_shape(x)) : NULL;
}

static PyObject *get_dtype(PyObject *self, void *none)
{
    gndm_array *x = handle(self);
    (void)none;
    return x ? core->dtype(gndm_dtype_of(x)) : NULL;
}

static PyObject *get_ndim(PyObject *self, void *none)
{
    gndm_array *x = handle(self);
    (void)none;
    return x ? PyLong_FromLong(gndm_ndim(x)) : NULL;
}

static PyObject *get_size(PyObject *self, void *none)
{
    gndm_array *x = handle(self);
    (void)none;
    return x ? PyLong_FromLongLong(gndm_elements(x)) : NULL;
}

static PyObject *get_nbytes(PyObject *self, void *none)
{
    gndm_array *x = handle(self);
    (void)none;
    return x ? PyLong_FromLongLong(gndm_elements(x) * (int64_t)gnd_dtype_size(gndm_dtype_of(x)))
             : NULL;
}

static PyObject *get_partition(PyObject *self, void *none)
{
    gndm_array *x = handle(self);
    (void)none;
    return x ? pm_part_new(((pm_array *)self)->ctx, gndm_part_of(x), gndm_ndim(x), gndm_shape(x))
             : NULL;
}

static PyObject *get_context(PyObject *self, void *none)
{
    PyObject *ctx = (PyObject *)((pm_array *)self)->ctx;
    (void)none;
    Py_INCREF(ctx);
    return ctx;
}

static PyObject *get_local(PyObject *self, void *none)
{
    gndm_array *x = handle(self);
    (void)none;
    return x ? core->array_new(gnd_retain(gndm_local(x))) : NULL;
}

static Py_ssize_t length(PyObject *self)
{
    gndm_array *x = handle(self);
    if (x && gndm_ndim(x))
        return (Py_ssize_t)gndm_shape(x)[0];
    if (x)
        PyErr_SetString(PyExc_TypeError, "len() of an array without dimensions");
    return -1;
}

/* --- data transfer ---------------------------------------------------------------------------- */

static PyObject *redistribute(PyObject *self, PyObject *partition)
{
    pm_ctx *ctx = ((pm_array *)self)->ctx;
    gndm_array *x = handle(self), *y;
    const gndm_part *part;
    if (!x || pm_part_of(partition, &part) || !pm_begin(ctx))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    y = gndm_redistribute(x, part);
    Py_END_ALLOW_THREADS
    return pm_array_ended(ctx, y);
}

/* _read(address, nbytes, root=None): copies all elements to the address, on every rank, or on that
 * one alone. */
static PyObject *read_all(PyObject *self, PyObject *args)
{
    pm_ctx *ctx = ((pm_array *)self)->ctx;
    gndm_array *x = handle(self);
    PyObject *at, *one = Py_None;
    Py_ssize_t nbytes;
    gnd_status st;
    if (!x || !PyArg_ParseTuple(args, "On|O:_read", &at, &nbytes, &one))
        return NULL;
    void *p = PyLong_AsVoidPtr(at);
    const int all = one == Py_None;
    const int root = all || PyErr_Occurred() ? 0 : (int)PyLong_AsLong(one);
    if (PyErr_Occurred() || !pm_begin(ctx))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    st = all ? gndm_read(x, p, (size_t)nbytes) : gndm_gather(x, root, p, (size_t)nbytes);
    Py_END_ALLOW_THREADS
    pm_end(ctx);
    if (st)
        return pm_fail(ctx, st);
    Py_RETURN_NONE;
}

static PyObject *save(PyObject *self, PyObject *args)
{
    pm_ctx *ctx = ((pm_array *)self)->ctx;
    gndm_array *x = handle(self);
    PyObject *path = NULL;
    gnd_status st = GND_OK;
    if (!x || !PyArg_ParseTuple(args, "O&:save", PyUnicode_FSConverter, &path))
        return NULL;
    gndm_ctx *c = pm_begin(ctx);
    if (c) {
        const char *name = PyBytes_AsString(path);
        Py_BEGIN_ALLOW_THREADS
        st = gndm_save_npy(x, name);
        Py_END_ALLOW_THREADS
        pm_end(ctx);
    }
    Py_DECREF(path);
    if (!c || st)
        return c ? pm_fail(ctx, st) : NULL;
    Py_RETURN_NONE;
}

/* --- indices ---------------------------------------------------------------------------------- */

/* Functions in Python: f(array, key) for advanced indices, f(array, key, value) for assignments. */
static PyObject *advanced, *assigned;

static PyObject *set_index(PyObject *self, PyObject *args)
{
    PyObject *get, *set;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO:_set_index", &get, &set))
        return NULL;
    Py_INCREF(get);
    Py_INCREF(set);
    advanced = get;
    assigned = set;
    Py_RETURN_NONE;
}

/* *r = one entry of a key. 1: gndm_index does not support it. */
static int entry(PyObject *o, gnd_range *r)
{
    Py_ssize_t start, stop, step;
    if (o == Py_None) {
        *r = GND_NEWAXIS;
    } else if (o == Py_Ellipsis) {
        *r = GND_DOTS;
    } else if (PySlice_Check(o)) {
        if (PySlice_Unpack(o, &start, &stop, &step))
            return -1;
        PyObject *s = PyObject_GetAttrString(o, "start"), *e = PyObject_GetAttrString(o, "stop");
        if (s && e)
            *r = GND_STEP(s == Py_None ? GND_NONE : start, e == Py_None ? GND_NONE : stop, step);
        Py_XDECREF(s);
        Py_XDECREF(e);
        return s && e ? 0 : -1;
    } else if (!PyBool_Check(o) && PyIndex_Check(o) && !PyObject_HasAttrString(o, "shape")) {
        const Py_ssize_t i = PyNumber_AsSsize_t(o, PyExc_IndexError);
        if (i == -1 && PyErr_Occurred())
            return -1;
        *r = GND_ELEM(i);
    } else {
        return 1;
    }
    return 0;
}

static PyObject *getitem(PyObject *self, PyObject *key)
{
    enum { MOST = 2 * GND_MAX_NDIM };
    pm_ctx *ctx = ((pm_array *)self)->ctx;
    gndm_array *x = handle(self), *y;
    gnd_range r[MOST];
    const int many = PyTuple_Check(key);
    const Py_ssize_t n = many ? PyTuple_Size(key) : 1;
    if (!x)
        return NULL;
    if (n > MOST) {
        PyErr_Format(PyExc_IndexError, "an index of %zd entries: at most %d are possible", n, MOST);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        const int is = entry(many ? PyTuple_GetItem(key, i) : key, &r[i]);
        if (is < 0)
            return NULL;
        if (is)
            return PyObject_CallFunctionObjArgs(advanced, self, key, NULL);
    }
    if (!pm_begin(ctx))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    y = gndm_index(x, (int)n, r);
    Py_END_ALLOW_THREADS
    return pm_array_ended(ctx, y);
}

static int setitem(PyObject *self, PyObject *key, PyObject *value)
{
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted");
        return -1;
    }
    PyObject *r = PyObject_CallFunctionObjArgs(assigned, self, key, value, NULL);
    Py_XDECREF(r);
    return r ? 0 : -1;
}

/* _become(other): self takes the value of other, which has the same shape and dtype. */
static PyObject *become(PyObject *self, PyObject *other)
{
    pm_array *a = (pm_array *)self;
    gndm_array *x = handle(self), *y = x && pm_is_array(other) ? handle(other) : NULL;
    if (!y) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "_become: a gnd.mpi.ndarray is wanted");
        return NULL;
    }
    if (a->ctx != ((pm_array *)other)->ctx) {
        PyErr_SetString(PyExc_ValueError, "gnd.mpi: an array of another context");
        return NULL;
    }
    if (gndm_ndim(x) != gndm_ndim(y) || gndm_dtype_of(x) != gndm_dtype_of(y) ||
        memcmp(gndm_shape(x), gndm_shape(y), sizeof(int64_t) * (size_t)gndm_ndim(x)) != 0) {
        PyErr_SetString(PyExc_ValueError, "_become: another shape or dtype");
        return NULL;
    }
    a->x = gndm_retain(y);
    pm_release(a->ctx, x);
    Py_INCREF(self);
    return self;
}

/* --- the type --------------------------------------------------------------------------------- */

static PyMethodDef methods[] = {
    {"redistribute", redistribute, METH_O,
     "redistribute($self, partition, /)\n--\n\nThe array in another partition: what does not lie "
     "where it is wanted is moved."},
    {"save", save, METH_VARARGS,
     "save($self, path, /)\n--\n\nWrites the array as a .npy file, each rank its part."},
    {"_read", read_all, METH_VARARGS, NULL},
    {"_become", become, METH_O, NULL},
    {"_halo", pm_halo, METH_VARARGS, NULL},
    {"_stencil", pm_stencil, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef getset[] = {
    {"shape", get_shape, NULL, "The extents over all ranks.", NULL},
    {"dtype", get_dtype, NULL, "The numpy.dtype of the elements.", NULL},
    {"ndim", get_ndim, NULL, "The number of axes.", NULL},
    {"size", get_size, NULL, "The number of elements over all ranks.", NULL},
    {"nbytes", get_nbytes, NULL, "The bytes of the elements over all ranks.", NULL},
    {"partition", get_partition, NULL, "Which box each rank holds, a Partition.", NULL},
    {"context", get_context, NULL, "The context that the array belongs to.", NULL},
    {"local", get_local, NULL, "The part of this rank, a gnd.ndarray with its value.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(pm_array, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL}};
static PyMethodDef functions[] = {{"_set_index", set_index, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int pm_array_init(PyObject *module)
{
    static const PyType_Slot own[] = {
        {Py_tp_doc, "An array whose parts lie on the ranks of a context. Its methods are those of "
                    "gnd.ndarray; all ranks call them alike."},
        {Py_tp_dealloc, (void *)dealloc},
        {Py_tp_methods, methods},
        {Py_tp_getset, getset},
        {Py_tp_members, members},
        {Py_tp_hash, (void *)PyObject_HashNotImplemented},
        {Py_mp_length, (void *)length},
        {Py_mp_subscript, (void *)getitem},
        {Py_mp_ass_subscript, (void *)setitem}};
    PyType_Slot slots[64];
    size_t n = sizeof own / sizeof own[0];
    memcpy(slots, own, sizeof own);
    for (int i = 0; pm_number_slots[i].slot; i++)
        slots[n++] = pm_number_slots[i];
    slots[n] = (PyType_Slot){0, NULL};
    PyType_Spec spec = {"gnd.mpi.ndarray", sizeof(pm_array), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    pm_array_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!pm_array_type || PyModule_AddFunctions(module, functions))
        return -1;
    return PyModule_AddObjectRef(module, "ndarray", (PyObject *)pm_array_type);
}
