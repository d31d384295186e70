/* SPDX-License-Identifier: BSD-3-Clause
 *
 * snippet.c - gnd._core.Snippet: elementwise and reduction kernels made from pieces of C
 * (gnd/snippet.h), and their calls. gnd/snippets.py gives them CuPy's signatures.
 */
#include "py.h"

enum { INS = 32, OUTS = 8 };

/* A kernel: one of the two pointers is not NULL. */
typedef struct py_snippet {
    PyObject_HEAD
    gnd_ekernel *e;
    gnd_rkernel *r;
    int nout;
} py_snippet;

/* The state of one call. */
typedef struct call {
    int nin, nout;
    gnd_array *in[INS];   /* owned */
    gnd_array *out[OUTS]; /* results, owned */
    PyObject *into[OUTS]; /* the arrays that receive them, borrowed; NULL: a new array */
    gnd_dtype dtype[OUTS];
    gnd_kernel_call how;
} call;

static PyTypeObject *snippet_type;

static PyObject *snippet_new(gnd_ekernel *e, gnd_rkernel *r, int nout)
{
    const gnd_status st = e ? gnd_ekernel_status(e) : gnd_rkernel_status(r);
    py_snippet *o = NULL;
    if (st != GND_OK)
        py_raise(st, e ? gnd_ekernel_error(e) : gnd_rkernel_error(r));
    else
        o = PyObject_New(py_snippet, snippet_type);
    if (!o) {
        gnd_ekernel_free(e);
        gnd_rkernel_free(r);
        return NULL;
    }
    o->e = e;
    o->r = r;
    o->nout = nout;
    return (PyObject *)o;
}

static void snippet_dealloc(PyObject *self)
{
    gnd_ekernel_free(((py_snippet *)self)->e);
    gnd_rkernel_free(((py_snippet *)self)->r);
    PyObject_Free(self);
    Py_DECREF(snippet_type);
}

/* _elementwise(nout, in_params, out_params, operation, name, preamble) */
static PyObject *elementwise(PyObject *self, PyObject *args)
{
    const char *in, *out, *operation, *name, *preamble;
    int nout;
    (void)self;
    if (!PyArg_ParseTuple(args, "issssz:_elementwise", &nout, &in, &out, &operation, &name,
                          &preamble))
        return NULL;
    return snippet_new(gnd_elementwise_kernel(in, out, operation, name, preamble), NULL, nout);
}

/* _reduction(nout, in_params, out_params, map, reduce, post_map, identity, name, reduce_type,
 * preamble) */
static PyObject *reduction(PyObject *self, PyObject *args)
{
    const char *in, *out, *map, *reduce, *post, *identity, *name, *type, *preamble;
    int nout;
    (void)self;
    if (!PyArg_ParseTuple(args,
                          "isssssss"
                          "zz:_reduction",
                          &nout, &in, &out, &map, &reduce, &post, &identity, &name, &type,
                          &preamble))
        return NULL;
    return snippet_new(
        NULL, gnd_reduction_kernel(in, out, map, reduce, post, identity, name, type, preamble),
        nout);
}

/* --- calls ------------------------------------------------------------------------------------ */

static void done(call *c)
{
    for (int i = 0; i < c->nin; i++)
        gnd_release(c->in[i]);
    for (int i = 0; i < c->nout; i++)
        gnd_release(c->out[i]);
}

/* Fills in the inputs and outputs of a call. in: a tuple of arrays and numbers. into: a tuple of
 * the arrays that receive the outputs, or empty. device: used if no argument is an array. */
static int begin(call *c, py_snippet *k, PyObject *in, PyObject *into, PyObject *device)
{
    const Py_ssize_t nin = PyTuple_Size(in), ninto = PyTuple_Size(into);
    if (nin > INS) {
        PyErr_Format(PyExc_NotImplementedError, "%zd inputs: at most %d are possible", nin, INS);
        return -1;
    }
    for (; c->nin < nin; c->nin++) {
        PyObject *o = PyTuple_GetItem(in, c->nin);
        const int other = py_operand(o, NULL, &c->in[c->nin]);
        if (other > 0)
            PyErr_Format(PyExc_TypeError,
                         "argument %d is %R: arrays of gnd's and numbers are possible", c->nin,
                         (PyObject *)Py_TYPE(o));
        if (other)
            return -1;
        if (!c->how.dev && py_is_array(o))
            c->how.dev = gnd_device_of(c->in[c->nin]);
    }
    for (int i = 0; i < OUTS; i++)
        c->dtype[i] = GND_DTYPE_DEFAULT;
    for (Py_ssize_t i = 0; i < ninto && i < OUTS; i++) {
        PyObject *o = PyTuple_GetItem(into, i);
        gnd_array *x = py_is_array(o) ? py_value((py_array *)o) : NULL;
        if (!x) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_TypeError, "output %zd is %R: an array of gnd's is wanted", i,
                             (PyObject *)Py_TYPE(o));
            return -1;
        }
        c->into[i] = o;
        c->dtype[i] = gnd_dtype_of(x);
        if (!c->how.dev)
            c->how.dev = gnd_device_of(x);
    }
    if (!c->how.dev && !(c->how.dev = py_device_of(device)))
        return -1;
    c->how.out_dtype = c->dtype;
    c->nout = k->nout;
    return 0;
}

/* Output i as an ndarray: a new one, or the given one that receives it. */
static PyObject *output(call *c, int i)
{
    gnd_array *y = c->out[i];
    PyObject *o = c->into[i];
    c->out[i] = NULL;
    if (!o)
        return py_array_new(y);
    gnd_array *x = py_value((py_array *)o);
    int same = x && gnd_status_of(y) == GND_OK && gnd_ndim(x) == gnd_ndim(y);
    for (int d = 0; same && d < gnd_ndim(y); d++)
        same = gnd_shape(x)[d] == gnd_shape(y)[d];
    if (x && !same && gnd_status_of(y) == GND_OK) {
        PyErr_Format(PyExc_ValueError,
                     "output %d has another shape than the result: %d axes, the result %d", i,
                     gnd_ndim(x), gnd_ndim(y));
        x = NULL;
    }
    if (!x || py_check(y)) {
        gnd_release(y);
        return NULL;
    }
    if (py_write((py_array *)o, y))
        return NULL;
    Py_INCREF(o);
    return o;
}

/* The outputs as a tuple. */
static PyObject *results(call *c, gnd_status s)
{
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    PyObject *t = PyTuple_New(c->nout);
    for (int i = 0; t && i < c->nout; i++) {
        PyObject *o = output(c, i);
        if (!o || PyTuple_SetItem(t, i, o))
            Py_CLEAR(t);
    }
    return t;
}

/* call(inputs, outputs, size, device): calls an elementwise kernel. size 0: the size of the inputs.
 */
static PyObject *snippet_call(PyObject *self, PyObject *args)
{
    py_snippet *k = (py_snippet *)self;
    call c = {0};
    PyObject *in, *into, *device;
    long long size;
    if (!PyArg_ParseTuple(args, "O!O!LO:call", &PyTuple_Type, &in, &PyTuple_Type, &into, &size,
                          &device))
        return NULL;
    PyObject *t = NULL;
    if (!begin(&c, k, in, into, device)) {
        c.how.size = size;
        t = results(&c, gnd_elementwise_call(k->e, c.nin, c.in, &c.how, c.out));
    }
    done(&c);
    return t;
}

/* reduce(inputs, outputs, axes, keepdims, device): calls a reduction kernel. axes: a tuple of ints;
 * None: all. */
static PyObject *snippet_reduce(PyObject *self, PyObject *args)
{
    py_snippet *k = (py_snippet *)self;
    call c = {0};
    gnd_axes axes = GND_ALL;
    PyObject *in, *into, *axis, *device;
    int keepdims;
    if (!PyArg_ParseTuple(args, "O!O!OpO:reduce", &PyTuple_Type, &in, &PyTuple_Type, &into, &axis,
                          &keepdims, &device))
        return NULL;
    if (axis != Py_None) {
        axes = GND_NO_AXES;
        for (Py_ssize_t i = 0; i < PyTuple_Size(axis); i++)
            axes = gnd_axes_union(axes, GND_AXIS(PyLong_AsLongLong(PyTuple_GetItem(axis, i))));
        if (PyErr_Occurred())
            return NULL;
    }
    PyObject *t = NULL;
    if (!begin(&c, k, in, into, device))
        t = results(&c, gnd_reduction_call(k->r, c.nin, c.in, axes, keepdims ? GND_KEEPDIMS : 0,
                                           &c.how, c.out));
    done(&c);
    return t;
}

static PyMethodDef methods[] = {{"call", snippet_call, METH_VARARGS, NULL},
                                {"reduce", snippet_reduce, METH_VARARGS, NULL},
                                {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_doc, "An elementwise or a reduction kernel."},
                              {Py_tp_dealloc, (void *)snippet_dealloc},
                              {Py_tp_methods, methods},
                              {0, NULL}};
static PyType_Spec spec = {"gnd._core.Snippet", sizeof(py_snippet), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
static PyMethodDef functions[] = {{"_elementwise", elementwise, METH_VARARGS, NULL},
                                  {"_reduction", reduction, METH_VARARGS, NULL},
                                  {NULL, NULL, 0, NULL}};

int py_snippet_init(PyObject *module)
{
    snippet_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    return snippet_type ? PyModule_AddFunctions(module, functions) : -1;
}
