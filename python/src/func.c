/* SPDX-License-Identifier: BSD-3-Clause
 *
 * func.c - the functions and methods of gnd's table as functions of Python: one C function, which
 * calls by the handle that its object holds. Keywords that every function has: device= is where the
 * result is, out= is an ndarray that gets the result.
 */
#include "py.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 }; /* values of one call */

typedef struct entry {
    const gnd_function *f;
    PyMethodDef def;
} entry;

/* The device of the first array among the values, so that NumPy's arrays go where gnd's are. */
static gnd_device *first_device(PyObject *const *args, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *o = args[i];
        for (int depth = 0;
             o && (PyTuple_Check(o) || PyList_Check(o)) && PySequence_Size(o) > 0 && depth < 4;
             depth++)
            o = PyTuple_Check(o) ? PyTuple_GetItem(o, 0) : PyList_GetItem(o, 0);
        if (o && py_is_array(o)) {
            gnd_array *x = py_value((py_array *)o);
            return x ? gnd_device_of(x) : NULL;
        }
    }
    return NULL;
}

/* Writes a result to what out= gave: an array, or a tuple of one. */
static PyObject *to_out(PyObject *result, PyObject *out)
{
    if (PyTuple_Check(out) && PyTuple_Size(out) == 1)
        out = PyTuple_GetItem(out, 0);
    if (!result || out == Py_None)
        return result;
    if (!py_is_array(out)) {
        PyErr_Format(PyExc_TypeError, "out: %R: a gnd.ndarray is wanted", (PyObject *)Py_TYPE(out));
        Py_DECREF(result);
        return NULL;
    }
    const int bad = py_setitem(out, Py_Ellipsis, result);
    Py_DECREF(result);
    if (bad)
        return NULL;
    Py_INCREF(out);
    return out;
}

/* The result on the device that device= gave: functions of arrays work where their arrays are. */
static PyObject *moved(PyObject *result, gnd_device *dev)
{
    gnd_array *x = result && py_is_array(result) ? py_value((py_array *)result) : NULL;
    if (!x || gnd_device_of(x) == dev)
        return result;
    PyObject *there = py_array_new(gnd_to_device(x, dev));
    Py_DECREF(result);
    return there;
}

static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
    const entry *e = PyCapsule_GetPointer(self, NULL);
    const Py_ssize_t nk = names ? PyTuple_Size(names) : 0, all = n + nk;
    gnd_value in[MOST], out;
    const char *keyword[MOST];
    py_hold h = {0};
    PyObject *result = NULL, *device = NULL, *into = NULL;
    int used = (int)n, nkw = 0;
    if (!e)
        return NULL;
    if (all > MOST) {
        PyErr_Format(PyExc_TypeError, "%s: %zd values: at most %d are possible; give a list",
                     e->def.ml_name, all, MOST);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < nk; i++) {
        const char *k = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (!k)
            return NULL;
        if (!strcmp(k, "device"))
            device = args[n + i];
        else if (!strcmp(k, "out"))
            into = args[n + i];
        else
            keyword[nkw++] = k;
    }
    gnd_device *where = device && device != Py_None ? py_device_of(device) : NULL;
    h.dev = PyErr_Occurred() ? NULL : first_device(args, all);
    if (!h.dev && !PyErr_Occurred())
        h.dev = where ? where : py_device_of(NULL);
    if (!h.dev)
        return NULL;
    for (Py_ssize_t i = 0; i < all; i++)
        if ((i < n || (args[i] != device && args[i] != into)) &&
            py_to_value(args[i], &h, &in[i < n ? i : used++]))
            goto done;
    const gnd_status s = gnd_call_function(h.dev, e->f, used, in, nkw, keyword, &out);
    result = s == GND_OK ? py_from_value(&out) : py_raise(s, gnd_message());
    if (where)
        result = moved(result, where);
    if (into)
        result = to_out(result, into);
done:
    py_hold_clear(&h);
    return result;
}

/* _function(name, method, signature, text): the table's function or method as a function. */
static PyObject *make(PyObject *self, PyObject *args)
{
    const char *name, *own, *doc;
    int method;
    (void)self;
    if (!PyArg_ParseTuple(args, "sisz:_function", &name, &method, &own, &doc))
        return NULL;
    const gnd_function *f = gnd_function_find(name, method);
    if (!f)
        return PyErr_Format(PyExc_AttributeError, "gnd has no function %s", name);
    /* These live as long as the process: functions of a module do. */
    entry *e = calloc(1, sizeof *e);
    char *n = strdup(own), *d = doc ? strdup(doc) : NULL;
    PyObject *capsule = e && n && (d || !doc) ? PyCapsule_New(e, NULL, NULL) : NULL;
    if (!capsule) {
        free(e);
        free(n);
        free(d);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    e->f = f;
    e->def = (PyMethodDef){n, (PyCFunction)(void (*)(void))call, METH_FASTCALL | METH_KEYWORDS, d};
    PyObject *r = PyCFunction_NewEx(&e->def, capsule, NULL);
    Py_DECREF(capsule);
    return r;
}

/* Appends (name, method, parameters, group, text) to the list. signature: "sum(x, axis=None)", or
 * "" for none. */
static int add_function(PyObject *list, const char *name, int method, const char *signature,
                        const gnd_function_info *i)
{
    const char *p = strchr(signature, '(');
    const size_t n = p ? strlen(p) : 0;
    if (n < 2)
        return 0;
    PyObject *t =
        Py_BuildValue("(sis#ss)", name, method, p + 1, (Py_ssize_t)(n - 2), i->group, i->doc);
    const int bad = !t || PyList_Append(list, t);
    Py_XDECREF(t);
    return bad ? -1 : 0;
}

/* _functions(): every function and method of the table, under each of its names. */
static PyObject *functions(PyObject *self, PyObject *none)
{
    PyObject *list = PyList_New(0);
    const gnd_function *f;
    (void)self;
    (void)none;
    for (int i = 0; list && (f = gnd_function_at(i)); i++) {
        gnd_function_info info;
        const char *name;
        if (gnd_function_describe(f, &info) != GND_OK)
            continue;
        for (int k = 0; list && (name = gnd_function_name(f, k)); k++)
            if (add_function(list, name, 0, info.signature, &info) ||
                (!strchr(name, '.') && add_function(list, name, 1, info.method, &info)))
                Py_CLEAR(list);
    }
    return list;
}

static PyObject *from_numpy(PyObject *self, PyObject *args)
{
    PyObject *o, *device;
    (void)self;
    if (!PyArg_ParseTuple(args, "OO:_from_numpy", &o, &device))
        return NULL;
    gnd_device *dev = py_device_of(device);
    gnd_array *x = dev ? py_from_numpy(o, dev) : NULL;
    return x ? py_array_new(x) : NULL;
}

static PyObject *to_device(PyObject *self, PyObject *args)
{
    PyObject *o, *device;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!O:to_device", py_array_type, &o, &device))
        return NULL;
    gnd_device *dev = py_device_of(device);
    gnd_array *x = dev ? py_value((py_array *)o) : NULL;
    return x ? py_array_new(gnd_to_device(x, dev)) : NULL;
}

/* The values of several arrays, retained; their number, or -1. */
static int values(PyObject *tuple, gnd_array ***out)
{
    const Py_ssize_t n = PyTuple_Size(tuple);
    *out = calloc((size_t)n + 1, sizeof **out);
    if (!*out) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *o = PyTuple_GetItem(tuple, i);
        gnd_array *x = py_is_array(o) ? py_value((py_array *)o) : NULL;
        if (!x) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_TypeError, "%R: a gnd.ndarray is wanted",
                             (PyObject *)Py_TYPE(o));
            while (i)
                gnd_release((*out)[--i]);
            free(*out);
            return -1;
        }
        (*out)[i] = gnd_retain(x);
    }
    return (int)n;
}

static void drop(int n, gnd_array **x)
{
    while (n)
        gnd_release(x[--n]);
    free(x);
}

static PyObject *evaluate(PyObject *self, PyObject *args)
{
    gnd_array **x;
    gnd_status s;
    const int n = values(args, &x);
    (void)self;
    if (n < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    s = n ? gnd_eval_all(n, x) : GND_OK;
    Py_END_ALLOW_THREADS
    drop(n, x);
    if (s != GND_OK)
        return py_raise(s, gnd_message());
    Py_RETURN_NONE;
}

static PyObject *explain(PyObject *self, PyObject *args, PyObject *kw)
{
    gnd_array **x;
    int source = 0;
    gnd_status s = GND_OK;
    (void)self;
    if (kw && PyDict_Size(kw)) {
        PyObject *o = PyDict_GetItemString(kw, "source");
        if (!o || PyDict_Size(kw) > 1) {
            PyErr_SetString(PyExc_TypeError, "explain: the one keyword is source=");
            return NULL;
        }
        source = PyObject_IsTrue(o);
    }
    const int n = values(args, &x);
    if (n < 0)
        return NULL;
    char *text = gnd_explain(n, x, source ? GND_EXPLAIN_SOURCE : 0, &s);
    drop(n, x);
    if (!text)
        return py_raise(s, gnd_message());
    PyObject *r = PyUnicode_FromString(text);
    free(text);
    return r;
}

/* _rng(state): the state of this thread's generator as bytes; when bytes are given, they become it
 * first. */
static PyObject *rng(PyObject *self, PyObject *state)
{
    char bytes[GND_RNG_BYTES], *p;
    Py_ssize_t n;
    (void)self;
    if (state != Py_None) {
        if (PyBytes_AsStringAndSize(state, &p, &n))
            return NULL;
        if (gnd_rng_restore(gnd_call_rng(), p, (size_t)n) != GND_OK)
            return py_raise(GND_ERR_ARG, gnd_message());
    }
    const gnd_status s = gnd_rng_save(gnd_call_rng(), bytes);
    return s == GND_OK ? PyBytes_FromStringAndSize(bytes, sizeof bytes)
                       : py_raise(s, gnd_message());
}

/* _seeded(seed): the state of a generator of that seed. */
static PyObject *seeded(PyObject *self, PyObject *seed)
{
    char bytes[GND_RNG_BYTES];
    (void)self;
    const uint64_t u = PyLong_AsUnsignedLongLong(seed);
    if (PyErr_Occurred())
        return NULL;
    const gnd_rng g = gnd_rng_seed(u);
    const gnd_status s = gnd_rng_save(&g, bytes);
    return s == GND_OK ? PyBytes_FromStringAndSize(bytes, sizeof bytes)
                       : py_raise(s, gnd_message());
}

PyMethodDef py_func_methods[] = {
    {"_functions", functions, METH_NOARGS, NULL},
    {"_function", make, METH_VARARGS, NULL},
    {"_from_numpy", from_numpy, METH_VARARGS, NULL},
    {"to_device", to_device, METH_VARARGS,
     "to_device(x, device)\n--\n\nx on a device; x itself when it is there."},
    {"evaluate", evaluate, METH_VARARGS,
     "evaluate(*arrays)\n--\n\nStarts to compute the arrays, as one plan."},
    {"explain", (PyCFunction)(void (*)(void))explain, METH_VARARGS | METH_KEYWORDS,
     "explain(*arrays, source=False)\n--\n\nThe plan by which the arrays would be computed now, as text."},
    {"_rng", rng, METH_O, NULL},
    {"_seeded", seeded, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
