/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call.c - the functions of the table on distributed arrays, as Python functions. Every function
 * takes two more keywords: partition= is the partition of the result, out= is an array that
 * receives the result.
 */
#include "pympi.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64 }; /* values of one call */

typedef struct entry {
    PyMethodDef def;
    char *name; /* in gnd's table */
    int linalg;
    int elementwise;
} entry;

int pm_to_value(PyObject *o, gnd_value *v)
{
    if (!pm_is_array(o))
        return 1;
    if (!((pm_array *)o)->ctx->c) {
        PyErr_SetString(PyExc_ValueError, "gnd.mpi: the context of the array is closed");
        return -1;
    }
    *v = gndm_value(((pm_array *)o)->x);
    return 0;
}

static PyObject *object_of(const gnd_value *v, void *ctx)
{
    if (v->tag == GNDM_V_ARRAY)
        return pm_array_new(ctx, gndm_retain((gndm_array *)(void *)v->as.array));
    PyErr_Format(PyExc_SystemError, "gnd.mpi: a result of kind %u", (unsigned)v->tag);
    return NULL;
}

PyObject *pm_call(pm_ctx *ctx, const gndm_part *part, const char *name, int linalg, int n,
                  const gnd_value *v, int nkw, const char *const *keyword)
{
    gndm_ctx *c = pm_begin(ctx);
    gnd_value out = gnd_value_none();
    gnd_status st;
    if (!c)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    if (part) {
        gndm_array *y = gndm_apply(c, part, name, n, v, nkw, keyword);
        st = gndm_status_of(y);
        if (st)
            gndm_release(y);
        else
            out = gndm_value(y);
    } else {
        st = gndm_call(c, name, n, v, nkw, keyword, &out);
    }
    Py_END_ALLOW_THREADS
    pm_end(ctx);
    if (st)
        return core->raise_of(name, linalg, st, gndm_message(c));
    PyObject *r = core->object_of(&out, object_of, ctx);
    gndm_value_clear(&out);
    return r;
}

/* The context of the first distributed array in o, which may be a list of them; NULL: there is
 * none. Lists of lists are looked at `depth` deep. */
static pm_ctx *context_in(PyObject *o, int depth)
{
    if (pm_is_array(o))
        return ((pm_array *)o)->ctx;
    if (depth == 0 || !(PyList_Check(o) || PyTuple_Check(o)))
        return NULL;
    const Py_ssize_t n = PySequence_Size(o);
    pm_ctx *found = NULL;
    for (Py_ssize_t i = 0; i < n && !found; i++)
        found =
            context_in(PyList_Check(o) ? PyList_GetItem(o, i) : PyTuple_GetItem(o, i), depth - 1);
    return found;
}

/* The context of a call, borrowed: that of its first distributed array, else that of partition=,
 * else the current one. */
static pm_ctx *context_of(const char *name, PyObject *const *args, Py_ssize_t n,
                          PyObject *partition)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        pm_ctx *ctx = context_in(args[i], 8);
        if (ctx)
            return ctx;
    }
    if (partition && Py_TYPE(partition) == pm_part_type)
        return ((pm_part *)partition)->ctx;
    if (!pm_current)
        PyErr_Format(PyExc_RuntimeError,
                     "gnd.mpi.%s: no distributed array is given, and no context is open: "
                     "gnd.mpi.open()",
                     name);
    return pm_current;
}

/* *v = an argument. A list or tuple given to an elementwise function becomes an array that every
 * rank holds whole: *made, to be released. */
static int value_of(const entry *e, PyObject *o, py_hold *h, gnd_value *v, gnd_array **made)
{
    if (!e->elementwise || !(PyList_Check(o) || PyTuple_Check(o)))
        return core->to_value(o, h, v);
    *made = core->from_numpy(o, h->dev);
    *v = gnd_value_array(*made);
    return *made ? 0 : -1;
}

static PyObject *store(PyObject *result, PyObject *out)
{
    if (result && out && out != Py_None) {
        PyObject *m = PyImport_ImportModule("gnd.mpi._index");
        PyObject *r = m ? PyObject_CallMethod(m, "store", "OO", out, result) : NULL;
        Py_XDECREF(m);
        Py_DECREF(result);
        return r;
    }
    return result;
}

static PyObject *call(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
    const entry *e = PyCapsule_GetPointer(self, NULL);
    const Py_ssize_t nk = names ? PyTuple_Size(names) : 0;
    PyObject *partition = NULL, *into = NULL, *result = NULL;
    gnd_value v[MOST];
    gnd_array *made[MOST] = {NULL};
    const char *keyword[MOST];
    const gndm_part *part = NULL;
    int used = 0, nkw = 0;
    if (!e)
        return NULL;
    if (n + nk > MOST)
        return PyErr_Format(PyExc_TypeError, "%s: %zd values: at most %d are possible", e->name,
                            n + nk, MOST);
    for (Py_ssize_t i = 0; i < nk; i++) {
        const char *k = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (!k)
            return NULL;
        if (!strcmp(k, "partition"))
            partition = args[n + i];
        else if (!strcmp(k, "out"))
            into = args[n + i];
    }
    pm_ctx *ctx = context_of(e->name, args, n + nk, partition);
    if (!ctx || (partition && pm_part_of(partition, &part)) || !pm_begin(ctx))
        return NULL;
    pm_end(ctx);
    py_hold h = {.dev = gndm_device(ctx->c), .other = pm_to_value};
    for (Py_ssize_t i = 0; i < n + nk; i++) {
        const char *k = i < n ? NULL : PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i - n), NULL);
        if (k && (!strcmp(k, "partition") || !strcmp(k, "out")))
            continue;
        if (k)
            keyword[nkw++] = k;
        if (k ? core->to_value(args[i], &h, &v[used])
              : value_of(e, args[i], &h, &v[used], &made[used]))
            goto done;
        used++;
    }
    result = store(pm_call(ctx, part, e->name, e->linalg, used, v, nkw, keyword), into);
done:
    core->hold_clear(&h);
    for (int i = 0; i < MOST; i++)
        gnd_release(made[i]);
    return result;
}

/* --- functions of the module ------------------------------------------------------------------ */

/* _function(name, own, text, linalg): the table's function name as a Python function whose own name
 * is own. */
static PyObject *make(PyObject *self, PyObject *args)
{
    const char *name, *own, *doc;
    int linalg;
    (void)self;
    if (!PyArg_ParseTuple(args, "sssp:_function", &name, &own, &doc, &linalg))
        return NULL;
    const char *cls = gndm_function_class(name);
    if (!cls)
        return PyErr_Format(PyExc_AttributeError, "gnd.mpi has no function %s", name);
    /* Never freed: functions of a module live as long as the process. */
    entry *e = calloc(1, sizeof *e);
    char *n = strdup(own), *d = strdup(doc), *full = strdup(name);
    PyObject *capsule = e && n && d && full ? PyCapsule_New(e, NULL, NULL) : NULL;
    if (!capsule) {
        free(e);
        free(n);
        free(d);
        free(full);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    e->name = full;
    e->linalg = linalg;
    e->elementwise = !strcmp(cls, "elementwise");
    e->def = (PyMethodDef){n, (PyCFunction)(void (*)(void))call, METH_FASTCALL | METH_KEYWORDS, d};
    PyObject *r = PyCFunction_NewEx(&e->def, capsule, NULL);
    Py_DECREF(capsule);
    return r;
}

/* _class(name): the class of a function (gndm_function_class), which tells how it works on
 * distributed arrays. None: it does not. */
static PyObject *class_of(PyObject *self, PyObject *name)
{
    const char *s = PyUnicode_AsUTF8AndSize(name, NULL);
    (void)self;
    if (!s)
        return NULL;
    const char *cls = gndm_function_class(s);
    if (!cls)
        Py_RETURN_NONE;
    return PyUnicode_FromString(cls);
}

/* _use(context): makes the context the current one; None: there is no current one. */
static PyObject *use(PyObject *self, PyObject *o)
{
    (void)self;
    pm_current = o == Py_None ? NULL : (pm_ctx *)o;
    Py_RETURN_NONE;
}

PyMethodDef pm_call_methods[] = {{"_function", make, METH_VARARGS, NULL},
                                 {"_class", class_of, METH_O, NULL},
                                 {"_use", use, METH_O, NULL},
                                 {NULL, NULL, 0, NULL}};
