/* SPDX-License-Identifier: BSD-3-Clause
 *
 * launch.c - launches of the user's own kernels. Arguments are Python objects. Arrays that the
 * kernel may change get new values, and so do the arrays they are views of.
 */
#include "kernel.h"

#include <string.h>

enum { OUTS = 8 };

/* The state of one launch. */
typedef struct launch {
    py_kernel *k;
    int n, nout;
    gnd_arg arg[PY_KERNEL_ARGS + 1];
    PyObject *of[PY_KERNEL_ARGS + 1]; /* the arrays, borrowed */
    gnd_array *held[PY_KERNEL_ARGS + 1];
    int at[OUTS]; /* the indices of the arguments that get results */
} launch;

/* *a = a number of Python or NumPy as an argument of dtype t. */
static int number(PyObject *o, gnd_dtype t, gnd_arg *a)
{
    const int kind = gnd_dtype_kind(t);
    if (kind == 'f') {
        *a = gnd_arg_float(t, PyFloat_AsDouble(o), 0);
    } else if (kind == 'c') { /* numpy.complex64 is not a subclass of complex */
        PyObject *z = PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, o, NULL);
        if (z)
            *a = gnd_arg_float(t, PyComplex_RealAsDouble(z), PyComplex_ImagAsDouble(z));
        Py_XDECREF(z);
    } else if (kind == 'b') {
        *a = gnd_arg_int(t, PyObject_IsTrue(o) == 1);
    } else {
        PyObject *i = PyNumber_Index(o);
        if (i)
            *a = gnd_arg_int(t, (int64_t)PyLong_AsUnsignedLongLongMask(i));
        Py_XDECREF(i);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* *t = the dtype of a number for which the kernel declares none, by CuPy's rule. -1 with TypeError
 * if o is not a number. */
static int own_dtype(PyObject *o, gnd_dtype *t)
{
    if (PyBool_Check(o))
        *t = GND_BOOL;
    else if (PyFloat_CheckExact(o))
        *t = GND_FLOAT64;
    else if (PyLong_Check(o))
        *t = GND_INT64;
    else if (PyComplex_CheckExact(o))
        *t = GND_COMPLEX128;
    else {
        PyObject *d = PyObject_GetAttrString(o, "dtype");
        if (!d) {
            PyErr_Format(PyExc_TypeError, "%R is no argument of a kernel: arrays and numbers are",
                         (PyObject *)Py_TYPE(o));
            return -1;
        }
        const int bad = py_dtype_of(d, t, NULL);
        Py_DECREF(d);
        return bad;
    }
    return 0;
}

/* Argument i is the array o. written: the kernel may change it. */
static int array(launch *l, int i, PyObject *o, int written)
{
    gnd_array *x = py_value((py_array *)o);
    if (!x)
        return -1;
    for (int k = 0; k < i; k++)
        if (l->of[k] && l->arg[k].kind == GND_ARG_INOUT &&
            py_same_view((py_array *)l->of[k], (py_array *)o)) {
            l->arg[i] = gnd_arg_same(k);
            return 0;
        }
    l->of[i] = o;
    l->held[i] = gnd_retain(x);
    if (!written) {
        l->arg[i] = gnd_arg_in(x);
        return 0;
    }
    if (l->nout == OUTS) {
        PyErr_Format(PyExc_NotImplementedError,
                     "a kernel that may change more than %d arrays: say const where it only "
                     "reads",
                     OUTS);
        return -1;
    }
    l->at[l->nout++] = i;
    l->arg[i] = gnd_arg_inout(x);
    return 0;
}

static int argument(launch *l, PyObject *args, int i)
{
    PyObject *o = PyTuple_GetItem(args, i);
    const gnd_kernel_param *p = i < l->k->nparam ? &l->k->param[i] : NULL;
    if (py_is_array(o))
        return array(l, i, o, !p || p->kind != GND_ARG_IN);
    gnd_dtype t = p && p->kind == GND_ARG_NUMBER && p->lanes == 1 ? p->dtype : GND_DTYPE_DEFAULT;
    if (t == GND_DTYPE_DEFAULT && own_dtype(o, &t))
        return -1;
    if (number(o, t, &l->arg[i])) {
        if (p && PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(PyExc_TypeError, "launch: argument %d, %s %s: %R is given", i, p->type,
                         p->name, (PyObject *)Py_TYPE(o));
        return -1;
    }
    return 0;
}

static int extent(PyObject *o, const char *name, gnd_extent3 *e)
{
    size_t v[3] = {1, 1, 1};
    const Py_ssize_t n = PyTuple_Check(o) ? PyTuple_Size(o) : 1;
    if (n < 1 || n > 3) {
        PyErr_Format(PyExc_ValueError, "launch: %s %R: an int or a tuple of one to three is wanted",
                     name, o);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *k = PyNumber_Index(PyTuple_Check(o) ? PyTuple_GetItem(o, i) : o);
        v[i] = k ? PyLong_AsSize_t(k) : 0;
        Py_XDECREF(k);
        if (PyErr_Occurred())
            return -1;
        if (v[i] == 0) {
            PyErr_Format(PyExc_ValueError, "launch: %s %R: an extent is 0", name, o);
            return -1;
        }
    }
    *e = gnd_dims3(v[0], v[1], v[2]);
    return 0;
}

/* Launches the kernel and gives the arrays their new values. */
static int run(launch *l, gnd_extent3 grid, gnd_extent3 block)
{
    gnd_array *out[OUTS] = {NULL};
    const gnd_status s = gnd_launch(l->k->k, grid, block, l->n, l->arg, out);
    int bad = 0;
    for (int i = 0; i <= PY_KERNEL_ARGS; i++) /* for reuse of their memory */
        gnd_release(l->held[i]);
    memset(l->held, 0, sizeof l->held);
    if (s != GND_OK) {
        py_raise(s, gnd_message());
        bad = -1;
    }
    for (int i = 0; i < l->nout; i++)
        if (bad)
            gnd_release(out[i]);
        else
            bad = py_write((py_array *)l->of[l->at[i]], out[i]);
    return bad;
}

/* Releases what the launch holds. Returns the result of the method. */
static PyObject *done(launch *l, int bad)
{
    for (int i = 0; i <= PY_KERNEL_ARGS; i++)
        gnd_release(l->held[i]);
    if (bad)
        return NULL;
    Py_RETURN_NONE;
}

/* Reads the first four arguments of every launch: grid, block, the tuple of arguments, and the
 * bytes of local memory. */
static int begin(launch *l, PyObject *self, PyObject *const *v, gnd_extent3 *grid,
                 gnd_extent3 *block, size_t *shared)
{
    memset(l, 0, sizeof *l);
    l->k = (py_kernel *)self;
    if (!PyTuple_Check(v[2])) {
        PyErr_Format(PyExc_TypeError, "launch: args %R: a tuple is wanted", v[2]);
        return -1;
    }
    *shared = PyLong_AsSize_t(v[3]);
    return PyErr_Occurred() || extent(v[0], "grid", grid) || extent(v[1], "block", block) ? -1 : 0;
}

static int too_many(void)
{
    PyErr_Format(PyExc_NotImplementedError,
                 "launch: more than %d arguments, extents of arrays among them", PY_KERNEL_ARGS);
    return -1;
}

PyObject *py_kernel_launch(PyObject *self, PyObject *const *v, Py_ssize_t n)
{
    launch l;
    gnd_extent3 grid, block;
    size_t shared;
    if (n != 4) {
        PyErr_SetString(PyExc_TypeError, "launch(grid, block, args, shared)");
        return NULL;
    }
    if (begin(&l, self, v, &grid, &block, &shared))
        return NULL;
    const Py_ssize_t given = PyTuple_Size(v[2]);
    int bad = given > PY_KERNEL_ARGS ? too_many() : 0;
    for (int i = 0; i < given && !bad; i++)
        bad = argument(&l, v[2], i);
    l.n = bad ? 0 : (int)given;
    if (!bad && shared)
        l.arg[l.n++] = gnd_arg_local(shared);
    if (!bad)
        bad = run(&l, grid, block);
    return done(&l, bad);
}

/* Whether o is one of the arrays of args whose bit is set in mask. *at counts the arrays. */
static int is_written(PyObject *args, uint64_t mask, int *at, PyObject *o)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(args); i++) {
        PyObject *p = PyTuple_GetItem(args, i);
        if (PyTuple_Check(p) && is_written(p, mask, at, o))
            return 1;
        if (py_is_array(p) && mask >> (*at)++ & 1 && py_same_view((py_array *)p, (py_array *)o))
            return 1;
    }
    return 0;
}

/* Appends the arguments for args: for an array its memory and its extents, for a tuple its items.
 * The kernel may change the arrays whose bit is set in mask. *at counts the arrays. */
static int flatten(launch *l, PyObject *args, PyObject *all, uint64_t mask, int *at)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(args); i++) {
        PyObject *o = PyTuple_GetItem(args, i);
        int seen = 0;
        if (o == Py_None)
            continue;
        if (PyTuple_Check(o)) {
            if (flatten(l, o, all, mask, at))
                return -1;
            continue;
        }
        if (l->n >= l->k->nparam)
            return too_many();
        if (!py_is_array(o)) {
            /* A declared signature may have an int parameter where the caller gives a float. */
            const int whole = strchr("iu", gnd_dtype_kind(l->k->param[l->n].dtype)) != NULL;
            PyObject *as = whole && !PyIndex_Check(o) ? PyNumber_Long(o) : Py_NewRef(o);
            const int bad = !as || number(as, l->k->param[l->n].dtype, &l->arg[l->n]);
            Py_XDECREF(as);
            if (bad)
                return -1;
            l->n++;
            continue;
        }
        gnd_array *x = py_value((py_array *)o);
        if (!x || array(l, l->n, o, mask >> *at & 1 || is_written(all, mask, &seen, o)))
            return -1;
        (*at)++;
        l->n++;
        if (l->n + gnd_ndim(x) > l->k->nparam)
            return too_many();
        for (int d = 0; d < gnd_ndim(x); d++)
            l->arg[l->n++] = gnd_arg_int(GND_INT64, gnd_shape(x)[d]);
    }
    return 0;
}

PyObject *py_kernel_run(PyObject *self, PyObject *const *v, Py_ssize_t n)
{
    launch l;
    gnd_extent3 grid, block;
    size_t shared;
    int at = 0;
    if (n != 5) {
        PyErr_SetString(PyExc_TypeError, "run(grid, block, args, shared, mask)");
        return NULL;
    }
    const uint64_t mask = PyLong_AsUnsignedLongLong(v[4]);
    if (PyErr_Occurred() || begin(&l, self, v, &grid, &block, &shared))
        return NULL;
    int bad = flatten(&l, v[2], v[2], mask, &at);
    if (!bad && l.n + 2 == l.k->nparam) { /* dynamic local memory: its size and itself */
        l.arg[l.n++] = gnd_arg_int(GND_INT64, (int64_t)shared);
        l.arg[l.n++] = gnd_arg_local(shared ? shared : 16);
    }
    if (!bad)
        bad = run(&l, grid, block);
    return done(&l, bad);
}

/* Appends the key of args to key, which has n bytes and room for `room`. Returns the new n. -1: too
 * long, an argument that has no key, or an exception. */
static int key_of(PyObject *args, char *key, int n, int room)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(args); i++) {
        PyObject *o = PyTuple_GetItem(args, i);
        if (n + 3 > room)
            return -1;
        if (py_is_array(o)) {
            gnd_array *x = py_value((py_array *)o);
            if (!x)
                return -1;
            key[n++] = (char)('a' + gnd_dtype_of(x));
            key[n++] = (char)gnd_ndim(x);
        } else if (PyBool_Check(o))
            key[n++] = 'B';
        else if (PyLong_CheckExact(o))
            key[n++] = 'I';
        else if (PyFloat_CheckExact(o))
            key[n++] = 'F';
        else if (PyComplex_CheckExact(o))
            key[n++] = 'C';
        else if (o == Py_None)
            key[n++] = 'N';
        else if (PyTuple_CheckExact(o)) {
            key[n++] = '(';
            n = key_of(o, key, n, room);
            if (n < 0)
                return n;
            key[n++] = ')';
        } else {
            return -1;
        }
    }
    return n;
}

PyObject *py_kernel_key(PyObject *self, PyObject *args)
{
    char key[256];
    (void)self;
    if (!PyTuple_Check(args)) {
        PyErr_SetString(PyExc_TypeError, "_kernel_key: a tuple is wanted");
        return NULL;
    }
    const int n = key_of(args, key, 0, (int)sizeof key - 1);
    if (PyErr_Occurred())
        return NULL;
    if (n >= 0)
        return PyBytes_FromStringAndSize(key, n);
    Py_RETURN_NONE;
}
