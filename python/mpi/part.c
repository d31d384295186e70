/* SPDX-License-Identifier: BSD-3-Clause
 *
 * part.c - gnd.mpi.Partition: a gndm_part with its shape.
 */
#include "pympi.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *pm_part_type;

PyObject *pm_part_new(pm_ctx *ctx, gndm_part *p, int ndim, const int64_t *shape)
{
    if (gndm_part_status(p)) {
        core->raise(gndm_part_status(p), gndm_part_error(p));
        gndm_part_free(p);
        return NULL;
    }
    pm_part *o = PyObject_New(pm_part, pm_part_type);
    if (!o) {
        gndm_part_free(p);
        return NULL;
    }
    Py_INCREF(ctx);
    o->ctx = ctx;
    o->p = p;
    o->ndim = ndim;
    memcpy(o->shape, shape, (size_t)ndim * sizeof *shape);
    return (PyObject *)o;
}

int pm_part_of(PyObject *o, const gndm_part **p)
{
    *p = NULL;
    if (o == Py_None)
        return 0;
    if (Py_TYPE(o) != pm_part_type) {
        PyErr_Format(PyExc_TypeError, "partition: %R: a gnd.mpi.Partition is wanted",
                     (PyObject *)Py_TYPE(o));
        return -1;
    }
    *p = ((pm_part *)o)->p;
    return 0;
}

int pm_ints_of(PyObject *tuple, const char *what, int64_t *v)
{
    const Py_ssize_t n = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;
    if (n < 0 || n > GND_MAX_NDIM) {
        PyErr_Format(PyExc_ValueError, "%s: %R: a tuple of at most %d ints is wanted", what, tuple,
                     GND_MAX_NDIM);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        v[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    return PyErr_Occurred() ? -1 : (int)n;
}

/* cut[d] = the cuts of axis d, from a tuple of tuples; an axis without cuts has None and keeps its
 * cut[d]. The caller frees them, after an error too. */
static int cuts_of(PyObject *tuple, const int *grid, int64_t **cut)
{
    for (Py_ssize_t d = 0; d < PyTuple_Size(tuple); d++) {
        PyObject *t = PyTuple_GetItem(tuple, d);
        if (t == Py_None)
            continue;
        if (PyTuple_Size(t) != grid[d] + 1)
            return PyErr_Occurred() ? -1
                                    : (PyErr_Format(PyExc_ValueError,
                                                    "partition: axis %zd has %d places of the grid "
                                                    "and %zd cuts: one more is needed",
                                                    d, grid[d], PyTuple_Size(t)),
                                       -1);
        cut[d] = malloc(sizeof(int64_t) * ((size_t)grid[d] + 1));
        if (!cut[d]) {
            PyErr_NoMemory();
            return -1;
        }
        for (int k = 0; k <= grid[d]; k++)
            cut[d][k] = PyLong_AsLongLong(PyTuple_GetItem(t, k));
        if (PyErr_Occurred())
            return -1;
    }
    return 0;
}

static gndm_part *made(gndm_ctx *c, unsigned flags, const char *by, gnd_dtype t, int ndim,
                       const int64_t *shape, const int *grid, int64_t *const *cut)
{
    switch (*by) {
    case 'r': return gndm_part_replicated(c, ndim, shape);
    case 'e': return gndm_part_even(c, ndim, shape, grid);
    case 'b': return gndm_part_weighted(c, t, ndim, shape, grid, GNDM_BANDWIDTH);
    case 'f': return gndm_part_weighted(c, t, ndim, shape, grid, GNDM_FLOPS);
    case 'c': return gndm_part_cuts(c, ndim, shape, grid, (const int64_t *const *)cut);
    }
    if (!grid)
        return gndm_part_default(c, t, ndim, shape);
    return flags & GNDM_EVEN ? gndm_part_even(c, ndim, shape, grid)
                             : gndm_part_weighted(c, t, ndim, shape, grid, GNDM_BANDWIDTH);
}

/* _partition(by, shape, grid, cuts, dtype): by: "replicated", "even", "bandwidth", "flops", "cuts",
 * "". */
PyObject *pm_partition(PyObject *self, PyObject *args)
{
    pm_ctx *ctx = (pm_ctx *)self;
    const char *by;
    PyObject *shape_, *grid_, *cuts, *dtype, *result = NULL;
    gnd_dtype t;
    int64_t shape[GND_MAX_NDIM], wide[GND_MAX_NDIM], *cut[GND_MAX_NDIM] = {NULL};
    int grid[GND_MAX_NDIM] = {0};
    if (!PyArg_ParseTuple(args, "sOOOO:partition", &by, &shape_, &grid_, &cuts, &dtype) ||
        core->dtype_of(dtype, &t, NULL))
        return NULL;
    const int ndim = pm_ints_of(shape_, "shape", shape);
    if (ndim < 0)
        return NULL;
    if (grid_ != Py_None) {
        const int n = pm_ints_of(grid_, "grid", wide);
        if (n >= 0 && n != ndim)
            PyErr_Format(PyExc_ValueError, "partition: a grid of %d axes for a shape of %d", n,
                         ndim);
        for (int d = 0; d < n; d++)
            grid[d] = wide[d] < 0 ? 0 : wide[d] > INT_MAX ? INT_MAX : (int)wide[d];
    }
    gndm_ctx *c = NULL;
    if (!PyErr_Occurred() && (cuts == Py_None || !cuts_of(cuts, grid, cut)))
        c = pm_begin(ctx);
    if (c) {
        gndm_part *p;
        Py_BEGIN_ALLOW_THREADS
        p = made(c, ctx->flags, by, t, ndim, shape, grid_ == Py_None ? NULL : grid, cut);
        Py_END_ALLOW_THREADS
        pm_end(ctx);
        result = pm_part_new(ctx, p, ndim, shape);
    }
    for (int d = 0; d < GND_MAX_NDIM; d++)
        free(cut[d]);
    return result;
}

static void dealloc(PyObject *self)
{
    PyTypeObject *t = Py_TYPE(self);
    gndm_part_free(((pm_part *)self)->p);
    Py_DECREF(((pm_part *)self)->ctx);
    PyObject_Free(self);
    Py_DECREF(t);
}

/* _box(rank): the box of a rank as a pair of tuples (start, stop). */
static PyObject *box(PyObject *self, PyObject *arg)
{
    const pm_part *p = (pm_part *)self;
    int64_t start[GND_MAX_NDIM], stop[GND_MAX_NDIM];
    const long rank = PyLong_AsLong(arg);
    if (rank == -1 && PyErr_Occurred())
        return NULL;
    const gnd_status st = gndm_part_box(p->p, rank > INT_MAX ? -1 : (int)rank, start, stop);
    if (st) {
        PyErr_Format(PyExc_IndexError, "partition: rank %ld is out of range", rank);
        return NULL;
    }
    return Py_BuildValue("NN", core->ints(p->ndim, start), core->ints(p->ndim, stop));
}

static PyObject *get_shape(PyObject *self, void *none)
{
    (void)none;
    return core->ints(((pm_part *)self)->ndim, ((pm_part *)self)->shape);
}

static PyObject *get_context(PyObject *self, void *none)
{
    PyObject *ctx = (PyObject *)((pm_part *)self)->ctx;
    (void)none;
    Py_INCREF(ctx);
    return ctx;
}

static PyMethodDef methods[] = {{"_box", box, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static PyGetSetDef getset[] = {
    {"shape", get_shape, NULL, "The shape that is divided.", NULL},
    {"context", get_context, NULL, "The context whose ranks hold the parts.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot slots[] = {
    {Py_tp_doc, "Which box of a shape each rank holds. Context.partition makes it."},
    {Py_tp_dealloc, (void *)dealloc},
    {Py_tp_methods, methods},
    {Py_tp_getset, getset},
    {0, NULL}};
static PyType_Spec spec = {"gnd.mpi.Partition", sizeof(pm_part), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int pm_part_init(PyObject *module)
{
    pm_part_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return pm_part_type ? PyModule_AddObjectRef(module, "Partition", (PyObject *)pm_part_type) : -1;
}
