/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernel.c - the program's own kernels: gnd._core.Program, Kernel and their launches. Arguments are
 * values of Python; arrays that the kernel may change get new values, through their views too. What
 * is compiled, and how often, is for gnd/kernels.py and gnd/cuda.
 */
#include "py.h"

#include <string.h>

enum { ARGS = 32, OUTS = 8 };

typedef struct py_program {
    PyObject_HEAD gnd_program *p;
    gnd_device *dev;
} py_program;

typedef struct py_kernel {
    PyObject_HEAD py_program *of; /* owned */
    gnd_kernel *k;
    int nparam;
    gnd_kernel_param param[ARGS];
} py_kernel;

static PyTypeObject *program_type, *kernel_type;

/* --- programs --------------------------------------------------------------------------------- */

/* _compile(device, source, language, options) */
static PyObject *compile(PyObject *self, PyObject *args)
{
    PyObject *device;
    const char *source, *options;
    int language;
    gnd_program *p;
    (void)self;
    if (!PyArg_ParseTuple(args, "Osiz:_compile", &device, &source, &language, &options))
        return NULL;
    gnd_device *dev = py_device_of(device);
    if (!dev)
        return NULL;
    Py_BEGIN_ALLOW_THREADS p = gnd_compile(dev, source, (gnd_language)language, options);
    Py_END_ALLOW_THREADS if (gnd_program_status(p) != GND_OK)
    {
        py_raise(gnd_program_status(p), gnd_program_error(p));
        gnd_program_free(p);
        return NULL;
    }
    py_program *o = PyObject_New(py_program, program_type);
    if (!o) {
        gnd_program_free(p);
        return NULL;
    }
    o->p = p;
    o->dev = dev;
    return (PyObject *)o;
}

static void program_dealloc(PyObject *self)
{
    gnd_program_free(((py_program *)self)->p);
    PyObject_Free(self);
    Py_DECREF(program_type);
}

static PyObject *program_names(PyObject *self, void *none)
{
    PyObject *list = PyList_New(0);
    const char *name;
    (void)none;
    for (int i = 0; list && (name = gnd_program_name(((py_program *)self)->p, i)); i++) {
        PyObject *s = PyUnicode_FromString(name);
        if (!s || PyList_Append(list, s))
            Py_CLEAR(list);
        Py_XDECREF(s);
    }
    return list;
}

/* kernel(name): None is the only one. */
static PyObject *program_kernel(PyObject *self, PyObject *name)
{
    py_program *p = (py_program *)self;
    const char *s = name == Py_None ? NULL : PyUnicode_AsUTF8AndSize(name, NULL);
    if (!s && name != Py_None)
        return NULL;
    py_kernel *o = PyObject_New(py_kernel, kernel_type);
    if (!o)
        return NULL;
    gnd_status st;
    Py_INCREF(self);
    o->of = p;
    o->k = gnd_program_kernel(p->p, s);
    for (o->nparam = 0; o->nparam < ARGS; o->nparam++)
        if ((st = gnd_kernel_parameter(o->k, o->nparam, &o->param[o->nparam])) != GND_OK)
            break;
    gnd_kernel_param more;
    if (o->nparam == ARGS && gnd_kernel_parameter(o->k, ARGS, &more) == GND_OK) {
        Py_DECREF(o);
        PyErr_Format(PyExc_NotImplementedError, "a kernel of more than %d parameters", ARGS);
        return NULL;
    }
    if (o->nparam < ARGS && st != GND_ERR_INDEX) {
        Py_DECREF(o);
        return py_raise(st, gnd_message());
    }
    return (PyObject *)o;
}

/* --- arguments -------------------------------------------------------------------------------- */

/* What one launch holds. */
typedef struct launch {
    py_kernel *k;
    int n, nout;
    gnd_arg arg[ARGS + 1];
    PyObject *of[ARGS + 1]; /* the arrays, borrowed */
    gnd_array *held[ARGS + 1];
    int at[OUTS]; /* the arguments that get results */
} launch;

/* A number of Python's or NumPy's as dtype t. */
static int number(PyObject *o, gnd_dtype t, gnd_arg *a)
{
    const int kind = gnd_dtype_kind(t);
    if (kind == 'f' || kind == 'c') {
        const double re = kind == 'c' ? PyComplex_RealAsDouble(o) : PyFloat_AsDouble(o);
        const double im = kind == 'c' ? PyComplex_ImagAsDouble(o) : 0;
        *a = gnd_arg_float(t, re, im);
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

/* The dtype that a number has by itself: CuPy's rule. -1: it is none. */
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

/* The array o as argument i, which the kernel may change. */
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

/* Launches and gives the arrays their new values. */
static int run(launch *l, gnd_extent3 grid, gnd_extent3 block)
{
    gnd_array *out[OUTS] = {NULL};
    const gnd_status s = gnd_launch(l->k->k, grid, block, l->n, l->arg, out);
    int bad = 0;
    for (int i = 0; i <= ARGS; i++) /* so that the kernel can work in their memory */
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

/* Lets go what the launch holds; the result of the method. */
static PyObject *done(launch *l, int bad)
{
    for (int i = 0; i <= ARGS; i++)
        gnd_release(l->held[i]);
    if (bad)
        return NULL;
    Py_RETURN_NONE;
}

/* Grid, block, the tuple of arguments and bytes of local memory, which begin every launch. */
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
                 "launch: more than %d arguments, extents of arrays among them", ARGS);
    return -1;
}

/* launch(grid, block, args, shared): shared bytes of local memory behind the arguments; 0: none. */
static PyObject *kernel_launch(PyObject *self, PyObject *const *v, Py_ssize_t n)
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
    int bad = given > ARGS ? too_many() : 0;
    for (int i = 0; i < given && !bad; i++)
        bad = argument(&l, v[2], i);
    l.n = bad ? 0 : (int)given;
    if (!bad && shared)
        l.arg[l.n++] = gnd_arg_local(shared);
    if (!bad)
        bad = run(&l, grid, block);
    return done(&l, bad);
}

/* Whether one of the arrays of args that bits of mask name is o; *at counts the arrays. */
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

/* Appends what the parameters take of args: of an array its memory and its extents, of a tuple its
 * items. The arrays that bits of mask name are changed. */
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
            if (number(o, l->k->param[l->n].dtype, &l->arg[l->n]))
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

/* run(grid, block, args, shared, mask): a launch of a kernel that gnd.cuda wrote. */
static PyObject *kernel_run(PyObject *self, PyObject *const *v, Py_ssize_t n)
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
    if (!bad && l.n < l.k->nparam) /* the dynamic local memory is the last parameter */
        l.arg[l.n++] = gnd_arg_local(shared ? shared : 16);
    if (!bad)
        bad = run(&l, grid, block);
    return done(&l, bad);
}

/* _kernel_key(args): what a kernel is compiled for: bytes that tell dtypes and dimensions. None:
 * one of them is neither an array of gnd's nor a number nor a tuple of these. */
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
        else if (PyTuple_Check(o)) {
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

static PyObject *kernel_key(PyObject *self, PyObject *args)
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

/* --- kernels ---------------------------------------------------------------------------------- */

static void kernel_dealloc(PyObject *self)
{
    Py_DECREF(((py_kernel *)self)->of);
    PyObject_Free(self);
    Py_DECREF(kernel_type);
}

/* info(n): gnd_kernel_info as a dict. */
static PyObject *kernel_info(PyObject *self, PyObject *arg)
{
    gnd_kernel_facts f;
    const long long n = PyLong_AsLongLong(arg);
    if (PyErr_Occurred())
        return NULL;
    const gnd_status s = gnd_kernel_info(((py_kernel *)self)->k, n, &f);
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    return Py_BuildValue("{sLsLsLsLsLsKsK}", "num_regs", (long long)f.registers, "local_size_bytes",
                         (long long)f.private_bytes, "shared_size_bytes", (long long)f.local_bytes,
                         "max_threads_per_block", (long long)f.max_group, "multiple",
                         (long long)f.multiple, "block", (unsigned long long)f.block.x, "grid",
                         (unsigned long long)f.grid.x);
}

/* The parameters as tuples (name, type, kind, dtype, lanes). */
static PyObject *kernel_parameters(PyObject *self, void *none)
{
    static const char *const kinds[] = {"in", "out", "inout", "number", "shared"};
    py_kernel *k = (py_kernel *)self;
    PyObject *t = PyTuple_New(k->nparam);
    (void)none;
    for (int i = 0; t && i < k->nparam; i++) {
        const gnd_kernel_param *p = &k->param[i];
        PyObject *d = p->dtype == GND_DTYPE_DEFAULT ? Py_None : py_dtype(p->dtype);
        if (d == Py_None)
            Py_INCREF(d);
        PyObject *o =
            d ? Py_BuildValue("(sssNi)", p->name, p->type, kinds[p->kind], d, p->lanes) : NULL;
        if (!o || PyTuple_SetItem(t, i, o))
            Py_CLEAR(t);
    }
    return t;
}

static PyMethodDef program_methods[] = {{"kernel", program_kernel, METH_O,
                                         "kernel($self, name)\n--\n\nA kernel by its "
                                         "name; None: the only one."},
                                        {NULL, NULL, 0, NULL}};
static PyGetSetDef program_getset[] = {
    {"names", program_names, NULL, "The kernels, in the order of the source.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot program_slots[] = {{Py_tp_doc, "A source that is compiled for a device."},
                                      {Py_tp_dealloc, (void *)program_dealloc},
                                      {Py_tp_methods, program_methods},
                                      {Py_tp_getset, program_getset},
                                      {0, NULL}};
static PyMethodDef kernel_methods[] = {
    {"launch", (PyCFunction)(void (*)(void))kernel_launch, METH_FASTCALL,
     "launch($self, grid, block, args, shared)\n--\n\nLaunches it; arrays that it may change get new values."},
    {"run", (PyCFunction)(void (*)(void))kernel_run, METH_FASTCALL, NULL},
    {"info", kernel_info, METH_O,
     "info($self, n)\n--\n\nWhat it takes, and a block and a grid for n work-items."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef kernel_getset[] = {{"parameters", kernel_parameters, NULL,
                                       "(name, type, kind, dtype or None, lanes) of each.", NULL},
                                      {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot kernel_slots[] = {{Py_tp_doc, "A kernel of a Program."},
                                     {Py_tp_dealloc, (void *)kernel_dealloc},
                                     {Py_tp_methods, kernel_methods},
                                     {Py_tp_getset, kernel_getset},
                                     {0, NULL}};
static PyType_Spec program_spec = {"gnd._core.Program", sizeof(py_program), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   program_slots};
static PyType_Spec kernel_spec = {"gnd._core.Kernel", sizeof(py_kernel), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  kernel_slots};
static PyMethodDef functions[] = {{"_compile", compile, METH_VARARGS, NULL},
                                  {"_kernel_key", kernel_key, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int py_kernel_init(PyObject *module)
{
    program_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &program_spec, NULL);
    kernel_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &kernel_spec, NULL);
    return program_type && kernel_type ? PyModule_AddFunctions(module, functions) : -1;
}
