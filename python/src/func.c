/* SPDX-License-Identifier: BSD-3-Clause
 *
 * func.c - the functions and methods of the table as Python functions. One C function serves all of
 * them: its object holds the handle of the entry to call. Every function takes two more keywords:
 * device= is the device of the result, out= is an ndarray that receives the result.
 */
#include "func.h"

#include <stdlib.h>
#include <string.h>

/* The device of the first ndarray among the values. NumPy arrays are copied to that device. */
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

/* Whether the result may be cast to the dtype of out, by NumPy's rule "same_kind". */
static int fits(const py_entry *e, PyObject *result, PyObject *out)
{
    gnd_array *x = py_is_array(result) ? py_value((py_array *)result) : NULL,
              *y = x ? py_value((py_array *)out) : NULL;
    if (!x || !y)
        return !PyErr_Occurred();
    if (!strcmp(e->def.ml_name, "dot") && gnd_dtype_of(x) != gnd_dtype_of(y)) {
        PyErr_Format(PyExc_ValueError, "dot: out of dtype %s: the result is of dtype %s",
                     gnd_dtype_name(gnd_dtype_of(y)), gnd_dtype_name(gnd_dtype_of(x)));
        return 0;
    }
    if (py_same_kind(gnd_dtype_of(x), gnd_dtype_of(y)) || !strcmp(e->def.ml_name, "mean"))
        return 1;
    PyErr_Format(PyExc_TypeError,
                 "%s: the result of dtype %s cannot be cast to out of dtype %s with casting rule "
                 "'same_kind'",
                 e->def.ml_name, gnd_dtype_name(gnd_dtype_of(x)), gnd_dtype_name(gnd_dtype_of(y)));
    return 0;
}

/* Writes a result to out: an array, a tuple of one, or for several results a tuple of as many. */
static PyObject *to_out(const py_entry *e, PyObject *result, PyObject *out)
{
    if (result && PyTuple_Check(result) && PyTuple_Check(out) &&
        PyTuple_Size(result) == PyTuple_Size(out)) {
        for (Py_ssize_t i = 0; result && i < PyTuple_Size(out); i++) {
            PyObject *part = PyTuple_GetItem(result, i), *to = PyTuple_GetItem(out, i);
            Py_INCREF(part);
            part = to_out(e, part, to);
            if (!part || PyTuple_SetItem(result, i, part))
                Py_CLEAR(result);
        }
        return result;
    }
    if (PyTuple_Check(out) && PyTuple_Size(out) == 1)
        out = PyTuple_GetItem(out, 0);
    if (!result || out == Py_None)
        return result;
    if (!py_is_array(out)) {
        PyErr_Format(PyExc_TypeError, "out: %R: a gnd.ndarray is wanted", (PyObject *)Py_TYPE(out));
        Py_DECREF(result);
        return NULL;
    }
    const int bad = !fits(e, result, out) || py_setitem(out, Py_Ellipsis, result);
    Py_DECREF(result);
    if (bad)
        return NULL;
    Py_INCREF(out);
    return out;
}

/* The result on dev, which device= named. Functions of arrays compute on the device of their
 * arrays. */
static PyObject *moved(PyObject *result, gnd_device *dev)
{
    gnd_array *x = result && py_is_array(result) ? py_value((py_array *)result) : NULL;
    if (!x || gnd_device_of(x) == dev)
        return result;
    PyObject *there = py_array_new(gnd_to_device(x, dev));
    Py_DECREF(result);
    return there;
}

/* Whether NumPy's result would be in Fortran order. order= decides; without it, the arguments. */
static int in_fortran_order(const py_entry *e, PyObject *const *args, Py_ssize_t n, PyObject *order)
{
    const char *s = NULL;
    if (!order && e->order >= 0 && e->order < n)
        order = args[e->order];
    if (order && PyUnicode_Check(order))
        s = PyUnicode_AsUTF8AndSize(order, NULL);
    if (s && (*s == 'F' || *s == 'f'))
        return 1;
    if (s && (*s == 'C' || *s == 'c'))
        return 0;
    return (e->keeps || s) && py_fortran(args, n);
}

static void set_order(PyObject *result)
{
    if (result && py_is_array(result) && !((py_array *)result)->src)
        ((py_array *)result)->fortran = 1;
    for (Py_ssize_t i = 0; result && PyTuple_Check(result) && i < PyTuple_Size(result); i++)
        set_order(PyTuple_GetItem(result, i));
}

/* A call with keywords that only ufuncs have (where=, casting= and so on): handled in Python. */
static PyObject *call_ufunc(const py_entry *e, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
    PyObject *m = PyImport_ImportModule("gnd._ufunc");
    PyObject *t = PyTuple_New(n), *k = PyDict_New(), *r = NULL;
    for (Py_ssize_t i = 0; t && i < n; i++) {
        Py_INCREF(args[i]);
        PyTuple_SetItem(t, i, args[i]);
    }
    for (Py_ssize_t i = 0; k && names && i < PyTuple_Size(names); i++)
        if (PyDict_SetItem(k, PyTuple_GetItem(names, i), args[n + i]))
            Py_CLEAR(k);
    if (m && t && k)
        r = PyObject_CallMethod(m, "call", "sOO", e->def.ml_name, t, k);
    Py_XDECREF(m);
    Py_XDECREF(t);
    Py_XDECREF(k);
    return r;
}

/* Whether all n arguments are Python's bools. */
static int all_bools(PyObject *const *args, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++)
        if (!PyBool_Check(args[i]))
            return 0;
    return 1;
}

PyObject *py_call_entry(const py_entry *e, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
    const Py_ssize_t nk = names ? PyTuple_Size(names) : 0, all = n + nk;
    gnd_value in[PY_MOST], out;
    const char *keyword[PY_MOST];
    char other[PY_MOST]; /* of each keyword: whether it is passed to the table's function */
    py_hold h = {0};
    PyObject *result = NULL, *device = NULL, *into = NULL, *order = NULL;
    int used = (int)n, nkw = 0;
    if (e->elementwise && n > e->elementwise)
        return call_ufunc(e, args, n, names);
    if (all > PY_MOST) {
        PyErr_Format(PyExc_TypeError, "%s: %zd values: at most %d are possible; give a list",
                     e->def.ml_name, all, PY_MOST);
        return NULL;
    }
    /* As in sum(x, axis, dtype, out, keepdims): out follows the positional values, then come the
     * keyword-only parameters. */
    const Py_ssize_t places = e->places >= 0 && n > e->places ? e->places : n;
    if (n > places)
        into = args[places];
    for (Py_ssize_t i = places + 1; i < n && i - places - 1 < e->nkeys; i++)
        keyword[nkw++] = e->key[i - places - 1];
    if (n - places > 1 + e->nkeys) {
        PyErr_Format(PyExc_TypeError, "%s: too many arguments: at most %d, and out", e->def.ml_name,
                     e->places + e->nkeys);
        return NULL;
    }
    used = (int)places;
    for (Py_ssize_t i = 0; i < nk; i++) {
        const char *k = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (!k)
            return NULL;
        other[i] = 0;
        if (!strcmp(k, "device"))
            device = args[n + i];
        else if (!strcmp(k, "out"))
            into = args[n + i];
        else if (e->elementwise || !strcmp(k, "casting"))
            return call_ufunc(e, args, n, names);
        else {
            keyword[nkw++] = k;
            other[i] = 1;
        }
        if (e->order >= 0 && !strcmp(k, "order"))
            order = args[n + i];
    }
    gnd_device *where = device && device != Py_None ? py_device_of(device) : NULL;
    h.dev = PyErr_Occurred() ? NULL : first_device(args, all);
    if (!h.dev && !PyErr_Occurred())
        h.dev = where ? where : py_device_of(NULL);
    if (!h.dev)
        return NULL;
    for (Py_ssize_t i = 0; i < all; i++)
        if ((i < places || (i < n ? i > places : other[i - n])) &&
            py_to_value(args[i], &h, &in[i < places ? i : used++]))
            goto done;
    const gnd_status s = gnd_call_function(h.dev, e->f, used, in, nkw, keyword, &out);
    result = s == GND_OK ? py_from_value(&out)
                         : py_raise_of(e->def.ml_name, e->linalg, s, gnd_message());
    if (e->elementwise)
        result = py_numpy_scalar(result, all_bools(args, all));
    if (where)
        result = moved(result, where);
    if (in_fortran_order(e, args, all, order))
        set_order(result);
    if (into)
        result = to_out(e, result, into);
done:
    py_hold_clear(&h);
    return result;
}

static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
    const py_entry *e = PyCapsule_GetPointer(self, NULL);
    return e ? py_call_entry(e, args, n, names) : NULL;
}

/* Fills in e from the parameters that the table lists. */
static void describe(py_entry *e)
{
    gnd_function_info info;
    e->order = -1;
    if (gnd_function_describe(e->f, &info) != GND_OK)
        return;
    e->linalg = !strcmp(info.group, "linalg");
    for (int i = 0; i < info.nparameters; i++)
        if (info.parameter[i].kind == GND_PARAMETER_REST)
            e->places = -1;
        else if (info.parameter[i].kind != GND_PARAMETER_KEYWORD && e->places >= 0)
            e->places++;
        else if (e->nkeys < 4)
            memcpy(e->key[e->nkeys++], info.parameter[i].name, sizeof e->key[0]);
    for (int i = 0; i < info.nparameters; i++)
        if (!strcmp(info.parameter[i].name, "order") && info.parameter[i].value[0] == '\'') {
            e->order = i;
            e->keeps = info.parameter[i].value[1] == 'K';
        }
}

/* Never freed: functions of a module live as long as the process. */
py_entry *py_entry_new(const gnd_function *f, const char *own, const char *doc)
{
    py_entry *e = calloc(1, sizeof *e);
    char *n = strdup(own), *d = doc ? strdup(doc) : NULL;
    if (!e || !n || (doc && !d)) {
        free(e);
        free(n);
        free(d);
        PyErr_NoMemory();
        return NULL;
    }
    e->f = f;
    describe(e);
    e->def = (PyMethodDef){n, NULL, METH_FASTCALL | METH_KEYWORDS, d};
    return e;
}

/* _operands(name): the number of operands of the elementwise operation of that name; 0: the name is
 * not an elementwise operation. */
static PyObject *operands_of(PyObject *self, PyObject *args)
{
    const char *name;
    gnd_function_info info;
    (void)self;
    if (!PyArg_ParseTuple(args, "s:_operands", &name))
        return NULL;
    const gnd_function *f = gnd_function_find(name, 0);
    const int is = f && gnd_function_describe(f, &info) == GND_OK && info.nparameters > 0 &&
                   info.parameter[0].kind == GND_PARAMETER_PLACE;
    return PyLong_FromLong(is ? info.nparameters : 0);
}

/* _function(name, method, own, text, operands): the table's function or method as a Python function
 * whose own name is own. operands: the number of its operands if it is a ufunc, else 0. A ufunc
 * takes more keywords, and out by position after the operands. */
static PyObject *make(PyObject *self, PyObject *args)
{
    const char *name, *own, *doc;
    int method, operands = 0;
    (void)self;
    if (!PyArg_ParseTuple(args, "sisz|i:_function", &name, &method, &own, &doc, &operands))
        return NULL;
    const gnd_function *f = gnd_function_find(name, method);
    if (!f)
        return PyErr_Format(PyExc_AttributeError, "gnd has no function %s", name);
    py_entry *e = py_entry_new(f, own, doc);
    PyObject *capsule = e ? PyCapsule_New(e, NULL, NULL) : NULL;
    if (!capsule)
        return NULL;
    e->elementwise = operands;
    e->keeps |= operands > 0;
    e->def.ml_meth = (PyCFunction)(void (*)(void))call;
    PyObject *r = PyCFunction_NewEx(&e->def, capsule, NULL);
    Py_DECREF(capsule);
    return r;
}

/* Appends (name, method, parameters, group, text) to the list. signature: "sum(x, axis=None)"; an
 * empty one appends nothing. */
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

/* _functions(): a list of every function and method of the table, under each of its names. */
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

/* _ordered(x, fortran): a new ndarray with the value of x. fortran: whether NumPy would store it in
 * Fortran order. */
static PyObject *ordered(PyObject *self, PyObject *args)
{
    PyObject *o;
    int fortran;
    (void)self;
    if (!PyArg_ParseTuple(args, "O!p:_ordered", py_array_type, &o, &fortran))
        return NULL;
    gnd_array *x = py_value((py_array *)o);
    return x ? py_array_ordered(gnd_retain(x), fortran) : NULL;
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

/* *out = the values of the arrays of a tuple, retained. Returns their number, or -1. */
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

/* _rng(state): the state of this thread's generator as bytes. If state is bytes, it is restored
 * first; None leaves the generator as it is. */
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

/* _seeded(seed): the state of a new generator with that seed, as bytes. */
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
    {"_method", py_method, METH_VARARGS, NULL},
    {"_operands", operands_of, METH_VARARGS, NULL},
    {"_from_numpy", from_numpy, METH_VARARGS, NULL},
    {"_ordered", ordered, METH_VARARGS, NULL},
    {"to_device", to_device, METH_VARARGS,
     "to_device(x, device)\n--\n\nx on a device; x itself when it is there."},
    {"evaluate", evaluate, METH_VARARGS,
     "evaluate(*arrays)\n--\n\nStarts to compute the arrays, as one plan."},
    {"explain", (PyCFunction)(void (*)(void))explain, METH_VARARGS | METH_KEYWORDS,
     "explain(*arrays, source=False)\n--\n\nThe plan by which the arrays would be computed now, as text."},
    {"_rng", rng, METH_O, NULL},
    {"_seeded", seeded, METH_O, NULL},
    {NULL, NULL, 0, NULL}};
