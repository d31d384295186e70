/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernel.c - the user's own kernels: gnd._core.Program and Kernel. launch.c launches them.
 * gnd/kernels.py and gnd/cuda decide what is compiled and cache it.
 */
#include "kernel.h"

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
    Py_BEGIN_ALLOW_THREADS
    p = gnd_compile(dev, source, (gnd_language)language, options);
    Py_END_ALLOW_THREADS
    if (gnd_program_status(p) != GND_OK) {
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

/* kernel(name): the kernel of that name. None: the only kernel of the program. */
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
    for (o->nparam = 0; o->nparam < PY_KERNEL_ARGS; o->nparam++)
        if ((st = gnd_kernel_parameter(o->k, o->nparam, &o->param[o->nparam])) != GND_OK)
            break;
    gnd_kernel_param more;
    if (o->nparam == PY_KERNEL_ARGS &&
        gnd_kernel_parameter(o->k, PY_KERNEL_ARGS, &more) == GND_OK) {
        Py_DECREF(o);
        PyErr_Format(PyExc_NotImplementedError, "a kernel of more than %d parameters",
                     PY_KERNEL_ARGS);
        return NULL;
    }
    if (o->nparam < PY_KERNEL_ARGS && st != GND_ERR_INDEX) {
        Py_DECREF(o);
        return py_raise(st, gnd_message());
    }
    return (PyObject *)o;
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
    {"launch", (PyCFunction)(void (*)(void))py_kernel_launch, METH_FASTCALL,
     "launch($self, grid, block, args, shared)\n--\n\nLaunches it; arrays that it may change get new values."},
    {"run", (PyCFunction)(void (*)(void))py_kernel_run, METH_FASTCALL, NULL},
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
                                  {"_kernel_key", py_kernel_key, METH_O, NULL},
                                  {NULL, NULL, 0, NULL}};

int py_kernel_init(PyObject *module)
{
    program_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &program_spec, NULL);
    kernel_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &kernel_spec, NULL);
    return program_type && kernel_type ? PyModule_AddFunctions(module, functions) : -1;
}
