/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/kernel/launch.c - gnd_launch: checks the arguments against the kernel's parameters and the
 * device's limits before anything runs, then makes the nodes (graph/launch.h).
 */
#include "ops/kernel/program.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "array/host.h"
#include "codegen/checked.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/array.h>

/* A launch under construction. */
typedef struct maker {
    gnd_kernel *k;
    gnd_device *dev;
    int nin, nheld;
    size_t local; /* bytes of local memory */
    gnd_err e;    /* the following fields are not initialised, except e.code, and l without its
                     arguments */
    gnd_array *in[GND_MAX_NDIM];
    gnd_array *held[GND__LAUNCH_OUTS]; /* intermediate arrays, to be released */
    gnd_dtype t[GND__LAUNCH_OUTS];
    int ndim[GND__LAUNCH_OUTS];
    const int64_t *dim[GND__LAUNCH_OUTS];
    int where[GND__LAUNCH_ARGS]; /* for each parameter, its argument in l; -1: none */
    gnd__launch l;
} maker;

/* --- arguments -------------------------------------------------------------------------------- */

static const char *const kind_name[] = {"an array to read (GND_IN)",
                                        "a new array (GND_OUT)",
                                        "an array to change (GND_INOUT)",
                                        "a number",
                                        "local memory",
                                        "an array again (GND_SAME)",
                                        "an array as it is (GND_STRIDED)",
                                        "an extent (GND_EXTENT)",
                                        "a stride (GND_STRIDE)"};

/* Refuses argument i, parameter p. */
#define REFUSE(m, code, i, p, fmt, ...)                                                            \
    gnd__err(&(m)->e, code, "launch: kernel %s: args[%d], %s %s: " fmt, (m)->k->sig->name, i,      \
             (p)->type, (p)->name, __VA_ARGS__)

static gnd_status take_error(maker *m, gnd_array *bad)
{
    m->e = *bad->p.err;
    gnd_release(bad);
    return m->e.code;
}

static gnd_status check_type(maker *m, int i, const gnd__uparam *p, gnd_dtype t)
{
    if (gnd__uparam_takes(p, t))
        return GND_OK;
    return REFUSE(m, GND_ERR_DTYPE, i, p, "a pointer to %s cannot point to %s", p->type,
                  gnd_dtype_name(t));
}

/* Adds x as an input of the launch; its number goes to *in. */
static gnd_status add_input(maker *m, int i, const gnd__uparam *p, gnd_array *x, int8_t *in)
{
    if (m->nin == GND_MAX_NDIM)
        return REFUSE(m, GND_ERR_ARG, i, p, "more than %d arrays", GND_MAX_NDIM);
    *in = (int8_t)m->nin;
    m->in[m->nin++] = x;
    return GND_OK;
}

/* Checks an array that the caller gave as argument i. */
static gnd_status check_array(maker *m, int i, const gnd__uparam *p, const gnd_array *x)
{
    gnd_array *bad = gnd__check_item(x, "launch", "args", i);
    if (bad)
        return take_error(m, bad);
    if (x->weak)
        return REFUSE(m, GND_ERR_ARG, i, p, "%s",
                      "a number without a device: gnd_full makes an array of it");
    if (x->dev != m->dev)
        return REFUSE(m, GND_ERR_DEVICE, i, p, "an array of %s, and the kernel is of %s",
                      gnd__device_id(x->dev), gnd__device_id(m->dev));
    return check_type(m, i, p, (gnd_dtype)x->dtype);
}

/* Adds a new output for argument i; its number goes to *out. */
static gnd_status add_output(maker *m, int i, const gnd__uparam *p, gnd_dtype t, int ndim,
                             const int64_t *dim, int8_t *out)
{
    gnd_array *bad;
    if (p->is_const)
        return REFUSE(m, GND_ERR_ARG, i, p, "%s", "what it points to is const: only GND_IN fits");
    if (m->l.nout == GND__LAUNCH_OUTS)
        return REFUSE(m, GND_ERR_ARG, i, p, "more than %d outputs", GND__LAUNCH_OUTS);
    if ((bad = gnd__check_type("launch", m->dev, t)) ||
        (bad = gnd__check_shape("launch", m->dev, t, ndim, dim)))
        return take_error(m, bad);
    const int k = m->l.nout++;
    *out = (int8_t)k;
    m->t[k] = t;
    m->ndim[k] = ndim;
    m->dim[k] = dim;
    m->l.out_bytes[k] = (size_t)gnd__shape_size(ndim, dim, 1) * gnd_dtype_size(t);
    return check_type(m, i, p, t);
}

/* The initial elements of out argument a, as an array of its dtype and shape. */
static gnd_status add_fill(maker *m, int i, const gnd__uparam *p, const gnd_arg *a, int8_t *in)
{
    char name[64];
    gnd_device *dev;
    snprintf(name, sizeof name, "args[%d]'s fill", i);
    gnd_array *bad = gnd__check(a->array, "launch", name);
    if (bad)
        return take_error(m, bad);
    dev = a->array->dev;
    if (dev && dev != m->dev)
        return REFUSE(m, GND_ERR_DEVICE, i, p, "a fill of %s, and the kernel is of %s",
                      gnd__device_id(dev), gnd__device_id(m->dev));
    gnd_array *x = gnd__as_strong(a->array, m->dev, a->dtype, "launch"), *y;
    if (x->kind == GND__ERROR)
        return take_error(m, x);
    if (a->ndim < x->ndim)
        y = NULL;
    else {
        y = x;
        for (int d = 0; d < x->ndim; d++)
            if (x->dim[d] != 1 && x->dim[d] != a->shape[a->ndim - x->ndim + d])
                y = NULL;
    }
    if (!y) {
        char have[GND__SHAPE_TEXT], want[GND__SHAPE_TEXT];
        gnd__shape_text(have, x->ndim, x->dim);
        gnd_release(x);
        return REFUSE(m, GND_ERR_SHAPE, i, p, "a fill of shape %s does not broadcast to %s", have,
                      gnd__shape_text(want, a->ndim, a->shape));
    }
    y = gnd__broadcast(x, a->ndim, a->shape);
    gnd_release(x);
    if (y->kind == GND__ERROR)
        return take_error(m, y);
    m->held[m->nheld++] = y;
    return add_input(m, i, p, y, in);
}

static int same_class(int a, int b)
{
    if (a == b)
        return 1;
    const int ka = gnd_dtype_kind((gnd_dtype)a), kb = gnd_dtype_kind((gnd_dtype)b);
    const int whole = strchr("biu", ka) && strchr("biu", kb);
    return gnd_dtype_size((gnd_dtype)a) == gnd_dtype_size((gnd_dtype)b) && (ka == kb || whole);
}

static gnd_status number(maker *m, int i, const gnd__uparam *p, const gnd_arg *a, gnd__larg *b)
{
    if (a->kind != GND_ARG_NUMBER) { /* its value is set when all arrays are known: add_axes */
        if (p->dtype >= 0 && (p->lanes != 1 || !same_class(p->dtype, GND_INT64)))
            return REFUSE(m, GND_ERR_DTYPE, i, p, "%s is a number of 64 bits", kind_name[a->kind]);
        *b = (gnd__larg){.kind = GND__L_VALUE, .nbytes = 8};
        return GND_OK;
    }
    if (p->dtype >= 0 && (p->lanes != 1 || !same_class(p->dtype, (int)a->dtype)))
        return REFUSE(m, GND_ERR_DTYPE, i, p, "a %s is given", gnd_dtype_name(a->dtype));
    b->kind = GND__L_VALUE;
    b->nbytes = (uint32_t)gnd_dtype_size(a->dtype);
    memcpy(b->value, a->value.bytes, sizeof b->value);
    return GND_OK;
}

/* The memory of the argument that a refers to, which has number m->where[] in the launch. */
static gnd_status add_same(maker *m, int i, const gnd__uparam *p, const gnd_arg *a, gnd__larg *b)
{
    const int64_t k = a->value.i;
    if (k < 0 || k >= i || m->where[k] < 0 || m->l.arg[m->where[k]].kind == GND__L_IN ||
        m->l.arg[m->where[k]].kind > GND__L_INOUT)
        return REFUSE(m, GND_ERR_ARG, i, p, "GND_SAME(%lld) is no out or inout argument before it",
                      (long long)k);
    if (p->is_const)
        return REFUSE(m, GND_ERR_ARG, i, p, "%s", "what it points to is const: only GND_IN fits");
    b->kind = GND__L_OUT;
    b->out = m->l.arg[m->where[k]].out;
    return check_type(m, i, p, m->t[b->out]);
}

/* The alignment that the elements of p's type need, if it exceeds that of the array. */
static uint8_t alignment(const gnd__uparam *p)
{
    const size_t n = gnd__uparam_bytes(p);
    return (uint8_t)(p->dtype < 0 || (p->lanes > 1 && n < 16) ? 16 : p->lanes > 1 ? n : 0);
}

/* Whether a has a kind that p accepts; p is not a pointer to global memory. */
static int fits(const gnd__uparam *p, const gnd_arg *a)
{
    if (p->kind == GND__UP_LOCAL)
        return a->kind == GND_ARG_LOCAL_MEM;
    return a->kind == GND_ARG_NUMBER || a->kind == GND_ARG_EXTENT || a->kind == GND_ARG_STRIDE;
}

/* Adds argument a, number i, for parameter p. */
static gnd_status add_arg(maker *m, int i, const gnd__uparam *p, const gnd_arg *a, gnd__larg *b)
{
    gnd_status st;
    b->aligned = alignment(p);
    if (p->kind != GND__UP_GLOBAL && !fits(p, a))
        return REFUSE(m, GND_ERR_ARG, i, p, "it takes %s, not %s",
                      kind_name[p->kind == GND__UP_VALUE ? GND_ARG_NUMBER : GND_ARG_LOCAL_MEM],
                      kind_name[a->kind]);
    switch (a->kind) {
    case GND_ARG_IN:
    case GND_ARG_STRIDED:
        b->kind = GND__L_IN;
        b->strided = a->kind == GND_ARG_STRIDED && !m->k->of_checked;
        st = check_array(m, i, p, a->array);
        return st == GND_OK ? add_input(m, i, p, a->array, &b->in) : st;
    case GND_ARG_INOUT:
        b->kind = GND__L_INOUT;
        st = check_array(m, i, p, a->array);
        if (st == GND_OK)
            st = add_output(m, i, p, (gnd_dtype)a->array->dtype, a->array->ndim, a->array->dim,
                            &b->out);
        return st == GND_OK ? add_input(m, i, p, a->array, &b->in) : st;
    case GND_ARG_OUT:
        b->kind = a->array ? GND__L_INOUT : GND__L_OUT;
        st = add_output(m, i, p, a->dtype, a->ndim, a->shape, &b->out);
        return st == GND_OK && a->array ? add_fill(m, i, p, a, &b->in) : st;
    case GND_ARG_SAME: return add_same(m, i, p, a, b);
    default:
        if (p->kind == GND__UP_GLOBAL)
            return REFUSE(m, GND_ERR_ARG, i, p, "a pointer takes an array, not %s",
                          kind_name[a->kind]);
        if (a->kind != GND_ARG_LOCAL_MEM)
            return number(m, i, p, a, b);
        b->kind = GND__L_LOCAL;
        b->nbytes = (uint32_t)a->nbytes;
        return GND_OK;
    }
}

/* Adds argument i, an extent or a stride. */
static gnd_status add_axis(maker *m, int i, int nargs, const gnd_arg *args)
{
    const gnd_arg *a = &args[i];
    const gnd__uparam *p = &m->k->sig->param[i];
    const int64_t k = a->value.i;
    const int64_t *dim;
    const int ndim = gnd__arg_shape(args, nargs, k, &dim);
    gnd__larg *b = &m->l.arg[m->where[i]];
    if (ndim < 0)
        return REFUSE(m, GND_ERR_ARG, i, p, "%s of argument %lld, which is no array",
                      kind_name[a->kind], (long long)k);
    if (a->ndim < 0 || a->ndim >= ndim)
        return REFUSE(m, GND_ERR_AXIS, i, p, "axis %d of args[%lld], which has %d", a->ndim,
                      (long long)k, ndim);
    int64_t v = dim[a->ndim];
    if (a->kind == GND_ARG_STRIDE) {
        v = gnd__shape_size(ndim, dim, 1) > 0;
        for (int d = a->ndim + 1; d < ndim && v; d++)
            v *= dim[d];
        if (m->l.arg[m->where[k]].strided)
            *b = (gnd__larg){
                .kind = GND__L_STRIDE, .of = (int8_t)m->where[k], .axis = (int8_t)a->ndim};
    }
    memcpy(b->value, &v, sizeof v);
    return GND_OK;
}

/* Adds nbytes of local memory. In CUDA, *at is its start within the single block. */
static gnd_status add_local(maker *m, int i, size_t nbytes, int64_t *at)
{
    const uint64_t most = m->dev->g->props.local_bytes;
    *at = (int64_t)m->local;
    if (nbytes == 0 || nbytes > most || m->local + nbytes + m->k->info.local_bytes > most)
        return gnd__err(&m->e, GND_ERR_ARG,
                        "launch: kernel %s: args[%d]: %zu bytes of local memory, where %llu are "
                        "left of the device's %llu",
                        m->k->sig->name, i, nbytes,
                        (unsigned long long)(most > m->local + m->k->info.local_bytes
                                                 ? most - m->local - m->k->info.local_bytes
                                                 : 0),
                        (unsigned long long)most);
    m->local += (nbytes + 15) / 16 * 16;
    return GND_OK;
}

/* The hidden arguments of checked kernels (codegen/checked.h), from number *at of the launch's on.
 */
static gnd_status add_bounds(maker *m, const gnd_arg *args, int *at)
{
    const gnd__ukernel *sig = m->k->sig;
    gnd__larg *arg = m->l.arg;
    gnd__bounds *b = gnd__bounds_new(sig->nparam);
    int n = 0;
    if (!b)
        return gnd__err(&m->e, GND_ERR_NOMEM, "launch: out of host memory");
    m->l.bounds = b;
    snprintf(b->kernel, sizeof b->kernel, "%s", sig->name);
    for (int i = 0; i < sig->nparam; i++) {
        const gnd__uparam *p = &sig->param[i];
        if (p->kind != GND__UP_GLOBAL)
            continue;
        const gnd__larg *a = &arg[m->where[i]];
        const int in = args[i].kind == GND_ARG_IN || args[i].kind == GND_ARG_STRIDED;
        const gnd_array *x = in ? args[i].array : NULL;
        const int64_t esize = (int64_t)gnd_dtype_size(x ? (gnd_dtype)x->dtype : m->t[a->out]);
        const int64_t bytes = x ? x->size * esize : (int64_t)m->l.out_bytes[a->out];
        snprintf(b->array[n].name, sizeof b->array[n].name, "%s", p->name);
        b->array[n].esize = esize;
        b->array[n++].size = bytes / esize;
        arg[*at] = (gnd__larg){.kind = GND__L_VALUE, .nbytes = 8};
        memcpy(arg[(*at)++].value, &bytes, 8);
    }
    b->n = n;
    if (n == 0)
        return GND_OK;
    arg[(*at)++] = (gnd__larg){.kind = GND__L_TABLE};
    arg[(*at)++] = (gnd__larg){.kind = GND__L_ENTRY, .nbytes = 4};
    arg[*at] = (gnd__larg){.kind = GND__L_SCRATCH, .nbytes = GND__CHECKED_BYTES};
    arg[*at + 1] = (gnd__larg){.kind = GND__L_OFFSET, .of = (int8_t)*at};
    *at += 2;
    return GND_OK;
}

/* The arguments for all parameters, then the hidden ones (codegen/user.h). */
static gnd_status add_args(maker *m, int nargs, const gnd_arg *args)
{
    const gnd__ukernel *sig = m->k->sig;
    const int cuda = m->dev->g->props.dialect == GND_DIALECT_CUDA;
    int64_t at[GND__LAUNCH_ARGS]; /* only of local memory */
    gnd_status st = GND_OK;
    int nlocal = 0;
    gnd__larg *arg = m->l.arg;
    int n = 0, extra = nargs - sig->nparam;
    /* CUDA C's dynamic shared memory has no parameter */
    if ((cuda || sig->shared) && extra == 1 && nargs > 0 &&
        args[nargs - 1].kind == GND_ARG_LOCAL_MEM) {
        st = add_local(m, nargs - 1, args[nargs - 1].nbytes, &at[0]);
        nlocal = 1;
        extra = 0;
    }
    if (extra)
        return gnd__err(&m->e, GND_ERR_ARG, "launch: kernel %s takes %d argument%s, %d given",
                        sig->name, sig->nparam, sig->nparam == 1 ? "" : "s", nargs);
    const int checked = m->k->of_checked;
    if ((2 + checked) * sig->nparam + 1 + 4 * checked > GND__LAUNCH_ARGS)
        return gnd__err(&m->e, GND_ERR_UNSUPPORTED,
                        "launch: kernel %s has %d parameters, at most %d are possible%s", sig->name,
                        sig->nparam, (GND__LAUNCH_ARGS - 1 - 4 * checked) / (2 + checked),
                        checked ? " in checked mode" : "");
    for (int i = 0; i < sig->nparam && st == GND_OK; i++) {
        gnd__larg b = {0};
        if ((unsigned)args[i].kind > GND_ARG_STRIDE)
            return REFUSE(m, GND_ERR_ARG, i, &sig->param[i], "%d is no kind of argument",
                          (int)args[i].kind);
        m->where[i] = -1;
        st = add_arg(m, i, &sig->param[i], &args[i], &b);
        if (st == GND_OK && b.kind == GND__L_LOCAL)
            st = add_local(m, i, args[i].nbytes, &at[i]);
        if (b.kind == GND__L_LOCAL && cuda) {
            nlocal = 1;
            continue;
        }
        m->where[i] = n;
        arg[n++] = b;
    }
    for (int i = 0; i < sig->nparam && st == GND_OK; i++)
        if (args[i].kind == GND_ARG_EXTENT || args[i].kind == GND_ARG_STRIDE)
            st = add_axis(m, i, sig->nparam, args);
    for (int i = 0; i < sig->nparam && st == GND_OK; i++) {
        const gnd__uparam *p = &sig->param[i];
        if (p->kind == GND__UP_GLOBAL) {
            arg[n++] = (gnd__larg){.kind = GND__L_OFFSET, .of = (int8_t)m->where[i]};
        } else if (p->kind == GND__UP_LOCAL && cuda) {
            arg[n] = (gnd__larg){.kind = GND__L_VALUE, .nbytes = 8};
            memcpy(arg[n++].value, &at[i], 8);
        }
    }
    if (checked && st == GND_OK)
        st = add_bounds(m, args, &n);
    if (nlocal || (sig->shared && !cuda)) /* on OpenCL it is a parameter, which needs a size */
        arg[n++] = (gnd__larg){.kind = GND__L_LOCAL, .nbytes = nlocal ? (uint32_t)m->local : 16};
    m->l.narg = n;
    if (st == GND_OK && m->l.nout == 0)
        st = gnd__err(&m->e, GND_ERR_ARG,
                      "launch: kernel %s: no out or inout argument: arrays do not change, so a "
                      "launch makes new ones",
                      sig->name);
    return st;
}

/* --- grid and block --------------------------------------------------------------------------- */

static gnd_status add_extents(maker *m, gnd_extent3 grid, gnd_extent3 block)
{
    const gnd_props *p = &m->dev->g->props;
    const gnd__ukernel *sig = m->k->sig;
    const size_t g[3] = {grid.x, grid.y ? grid.y : 1, grid.z ? grid.z : 1};
    const size_t b[3] = {block.x, block.y ? block.y : 1, block.z ? block.z : 1};
    const char axis[] = "xyz";
    uint64_t most = p->max_group, items = 1;
    /* some driver reports a smaller number for any kernel; OpenCL compiles it for a larger one */
    if (m->k->info.max_group >= 64 && m->k->info.max_group < most &&
        (p->dialect != GND_DIALECT_OPENCL || sig->reqd[0] > 0))
        most = m->k->info.max_group;
    if (sig->most > 0 && (uint64_t)sig->most < most)
        most = (uint64_t)sig->most;
    if (g[0] == 0 || b[0] == 0)
        return gnd__err(&m->e, GND_ERR_ARG, "launch: kernel %s: %s.x is 0", sig->name,
                        g[0] ? "block" : "grid");
    for (int d = 0; d < 3; d++) {
        const uint64_t groups = p->dialect == GND_DIALECT_CUDA && d ? 65535 : INT32_MAX;
        if (b[d] > p->max_local[d])
            return gnd__err(&m->e, GND_ERR_ARG,
                            "launch: kernel %s: block.%c is %zu, the device has %u at most",
                            sig->name, axis[d], b[d], (unsigned)p->max_local[d]);
        if (g[d] > groups)
            return gnd__err(&m->e, GND_ERR_ARG,
                            "launch: kernel %s: grid.%c is %zu, the device has %llu at most",
                            sig->name, axis[d], g[d], (unsigned long long)groups);
        if (sig->reqd[0] > 0 && (int64_t)b[d] != sig->reqd[d])
            return gnd__err(&m->e, GND_ERR_ARG,
                            "launch: kernel %s: block.%c is %zu, the kernel wants groups of "
                            "%lld x %lld x %lld",
                            sig->name, axis[d], b[d], (long long)sig->reqd[0],
                            (long long)sig->reqd[1], (long long)sig->reqd[2]);
        items *= b[d];
        m->l.grid[d] = g[d];
        m->l.block[d] = b[d];
    }
    if (items > most)
        return gnd__err(&m->e, GND_ERR_ARG,
                        "launch: kernel %s: a block of %zu x %zu x %zu, where groups have %llu "
                        "work-items at most",
                        sig->name, b[0], b[1], b[2], (unsigned long long)most);
    m->l.user = m->k->user;
    if (gnd__kernel_too_small(m->k, p, items)) {
        const gnd__sized *s = gnd__kernel_sized(m->k, b, &m->e);
        if (!s)
            return gnd__err_prefix(&m->e, "launch: kernel %s", sig->name), m->e.code;
        m->l.user = s->user;
    }
    return GND_OK;
}

/* --- the launch ------------------------------------------------------------------------------- */

/* Puts error e in place of each output. */
static gnd_status give_error(gnd_device *dev, const gnd_err *e, int nargs, const gnd_arg *args,
                             gnd_array **out)
{
    gnd_array *bad = gnd__error_node(dev, e);
    const gnd_status st = gnd__told(bad);
    int k = 0;
    for (int i = 0; i < nargs && args && out && k < GND__LAUNCH_OUTS; i++)
        if (args[i].kind == GND_ARG_OUT || args[i].kind == GND_ARG_INOUT) {
            out[k] = k ? gnd__same(out[0]) : bad;
            k++;
        }
    if (k == 0)
        gnd_release(bad);
    return st;
}

gnd_status gnd_launch(gnd_kernel *k, gnd_extent3 grid, gnd_extent3 block, int nargs,
                      const gnd_arg *args, gnd_array **out)
{
    maker m;
    /* A maker takes about 4 KiB, of which most launches use little. */
    memset(&m, 0, offsetof(maker, e));
    memset(&m.l, 0, offsetof(gnd__launch, arg));
    m.e.code = GND_OK;
    m.k = k;
    gnd_status st = gnd__kernel_usable("launch", k, &m.dev, &m.e);
    if (st == GND_OK && (!out || (nargs > 0 && !args)))
        st = gnd__err(&m.e, GND_ERR_NULL, "launch: kernel %s: %s is NULL", k->sig->name,
                      out ? "args" : "out");
    if (st == GND_OK)
        st = add_args(&m, nargs, args);
    if (st == GND_OK)
        st = add_extents(&m, grid, block);
    if (st == GND_OK)
        gnd__launch_nodes(m.dev, &m.l, m.nin, m.in, m.t, m.ndim, m.dim, out);
    for (int i = 0; i < m.nheld; i++)
        gnd_release(m.held[i]);
    gnd__bounds_unref(m.l.bounds);
    if (st != GND_OK)
        return give_error(m.dev, &m.e, nargs, args, out);
    for (int i = 0; i < m.l.nout && st == GND_OK; i++)
        st = gnd__told(out[i]);
    return st;
}
