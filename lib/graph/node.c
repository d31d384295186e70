/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/node.c - making and freeing nodes. A node is one allocation: the struct, its extents, more
 * inputs than three, and its payload (map, boxes or error). Making one costs an allocation, a link
 * in its device's list and a few counters; nothing is checked here but memory.
 */
#include "graph/graph.h"
#include "graph/scope.h"

#include <stdio.h>
#include <string.h>
#include "base/fork.h"
#include "base/mem.h"
#include <gnd/array.h>

void (*gnd__on_deep)(gnd_array *x);

static gnd_err nomem_err = {.code = GND_ERR_NOMEM, .msg = "out of host memory"};
static const int64_t no_dim[1];
static gnd_array nomem = {
    .magic = GND__MAGIC,
    .kind = GND__ERROR,
    .dtype = GND_DTYPE_DEFAULT,
    .refs = 1,
    .handles = 1,
    .dim = no_dim,
    .p = {.err = &nomem_err},
};

gnd_array *gnd__nomem(void)
{
    return &nomem;
}

/* --- making ----------------------------------------------------------------------------------- */

static uint32_t pending_of(const gnd_array *x)
{
    return __atomic_load_n(&x->pending, __ATOMIC_RELAXED);
}

/* An estimate of the operations below: the deepest input's count, and up to 16 for each other one.
 * A plain sum would double with every x = x + f(x), whose nodes are shared. */
static uint32_t pending_below(int nin, gnd_array *const *in)
{
    uint32_t most = 0, rest = 0;
    for (int i = 0; i < nin; i++) {
        uint32_t p = pending_of(in[i]), other = p < most ? p : most;
        most = p > most ? p : most;
        rest += other < 16 ? other : 16;
    }
    return most < UINT32_MAX - 1 - rest ? most + rest : UINT32_MAX - 1;
}

/* The same after the deep inputs, if any, were given to the hook: the least deep first, since the
 * others may be made of it. */
static uint32_t pending_with(int nin, gnd_array *const *in)
{
    static _Thread_local int inside; /* the hook may make nodes itself */
    uint32_t below = pending_below(nin, in);
    if (below < GND__DEEP || !gnd__on_deep || inside)
        return below;
    inside = 1;
    for (int tries = 0; tries < 4; tries++) {
        gnd_array *next = NULL;
        for (int i = 0; i < nin; i++)
            if (pending_of(in[i]) >= GND__DEEP / 2 &&
                (!next || pending_of(in[i]) < pending_of(next)))
                next = in[i];
        if (!next)
            break;
        gnd__on_deep(next);
        if (pending_of(next)) /* it could not be evaluated */
            break;
    }
    inside = 0;
    return pending_below(nin, in);
}

/* A node with `extra` bytes of payload after it, at *payload. *payload is uninitialised. An input that is an
 * error gives its error: most callers see to that, and this is the net for the steps between. */
static gnd_array *make(gnd__kind k, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       int nin, gnd_array *const *in, size_t extra, void *payload)
{
    if (__builtin_expect(gnd__forked && dev, 0)) { /* the device is lost: none of it is made or changed */
        gnd_err e = {.code = GND_OK};
        if (k != GND__ERROR) {
            gnd__fork_error(&e);
            return gnd__error_node(NULL, &e);
        }
        dev = NULL;
    }
    for (int i = 0; i < nin; i++)
        if (in[i]->kind == GND__ERROR)
            return gnd__error_node(in[i]->dev, in[i]->p.err);
    /* Nodes that compute nothing have nothing pending. */
    uint32_t pending = nin ? pending_with(nin, in) + 1 : 0;

    size_t small = sizeof(((gnd_array *)0)->in_small) / sizeof(gnd_array *);
    size_t nmore = (size_t)nin > small ? (size_t)nin : 0;
    size_t ndims = (size_t)ndim * sizeof(int64_t), nptrs = nmore * sizeof(gnd_array *);
    size_t bytes = sizeof(gnd_array) + ndims + nptrs + extra;
    char *mem = bytes <= GND__NODE_BYTES ? gnd__node_memory() : gnd__malloc(bytes);
    if (!mem)
        return &nomem;

    gnd_array *x = (gnd_array *)(void *)mem;
    int64_t *xdim = (int64_t *)(void *)(mem + sizeof *x);
    memset(x, 0, sizeof *x);
    x->magic = GND__MAGIC;
    x->kind = (uint8_t)k;
    x->ndim = (uint8_t)ndim;
    x->small = bytes <= GND__NODE_BYTES;
    x->dtype = t;
    x->nin = nin;
    atomic_init(&x->refs, 1);
    atomic_init(&x->handles, 1);
    x->pending = pending;
    x->dev = dev;
    x->dim = xdim;
    int64_t size = 1;
    int empty = 0, over = 0;
    for (int i = 0; i < ndim; i++) {
        xdim[i] = dim[i];
        if (dim[i] == 0)
            empty = 1;
        else
            over |= __builtin_mul_overflow(size, dim[i], &size);
    }
    x->size = empty ? 0 : size;
    x->in = nmore ? (gnd_array **)(void *)(mem + sizeof *x + ndims) : x->in_small;
    for (int i = 0; i < nin; i++) {
        x->in[i] = in[i];
        gnd__ref(in[i]);
    }
    if (payload)
        *(void **)payload = mem + sizeof *x + ndims + nptrs;
    if (dev)
        gnd__device_add(dev, x);
    if (over || gnd__scope_add(x)) { /* callers see to overflow: this is a net */
        atomic_store(&x->handles, 0);
        gnd__unref(x);
        return over ? gnd__fail(dev, GND_ERR_OVERFLOW, "an array of this shape is too large")
                    : &nomem;
    }
    return x;
}

gnd_array *gnd__node(gnd__kind k, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                     int nin, gnd_array *const *in)
{
    return make(k, dev, t, ndim, dim, nin, in, 0, NULL);
}

gnd_array *gnd__error_node(gnd_device *dev, const gnd_err *e)
{
    gnd_err *copy;
    if (e->code == GND_ERR_NOMEM && !strcmp(e->msg, nomem_err.msg))
        return &nomem;
    gnd_array *x =
        make(GND__ERROR, dev, GND_DTYPE_DEFAULT, 0, NULL, 0, NULL, sizeof *copy, &copy);
    if (x == &nomem)
        return x;
    *copy = *e;
    x->p.err = copy;
    x->size = 0;
    return x;
}

gnd_array *gnd__fail(gnd_device *dev, gnd_status code, const char *fmt, ...)
{
    gnd_err e = {.code = code};
    va_list ap;
    va_start(ap, fmt);
    if (vsnprintf(e.msg, sizeof e.msg, fmt, ap) < 0)
        e.msg[0] = '\0';
    va_end(ap);
    return gnd__error_node(dev, &e);
}

gnd_array *gnd__const(gnd_device *dev, gnd_dtype t, const gnd__scalar *v, int weak)
{
    gnd_array *x = make(GND__CONST, dev, t, 0, NULL, 0, NULL, 0, NULL);
    if (x->kind != GND__CONST)
        return x;
    x->p.value = *v;
    x->weak = weak != 0;
    return x;
}

gnd_array *gnd__op_node(gnd__op op, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                        int nin, gnd_array *const *in)
{
    gnd_array *x = make(GND__OP, dev, t, ndim, dim, nin, in, 0, NULL);
    if (x->kind == GND__OP)
        x->p.op = op;
    return x;
}

gnd_array *gnd__same(gnd_array *x)
{
    if (x == &nomem)
        return x;
    if (x->kind == GND__ERROR)
        return gnd__error_node(x->dev, x->p.err);
    if (x->kind == GND__CONST)
        return gnd__const(x->dev, (gnd_dtype)x->dtype, &x->p.value, x->weak);
    gnd_array *y = gnd__reshape_node(x, x->ndim, x->dim);
    if (y->kind == GND__RESHAPE)
        y->pending = pending_of(x);
    return y;
}

/* The value that a constant has once it is of dtype t. */
static gnd__scalar rounded(const gnd__scalar *v, gnd_dtype t)
{
    uint64_t room[2];
    gnd__store_scalar(t, room, v);
    return gnd__load_scalar(t, room);
}

gnd_array *gnd__cast_held(gnd_array *x, gnd_dtype t)
{
    return (gnd_dtype)x->dtype == t ? gnd_retain(x) : gnd__cast_node(x, t);
}

gnd_array *gnd__cast_node(gnd_array *x, gnd_dtype t)
{
    if ((gnd_dtype)x->dtype == t)
        return gnd__same(x);
    if (x->kind == GND__CONST) {
        gnd__scalar v = rounded(&x->p.value, t);
        return gnd__const(x->dev, t, &v, 0);
    }
    return make(GND__CAST, x->dev, t, x->ndim, x->dim, 1, &x, 0, NULL);
}

gnd_array *gnd__view_node(gnd_array *x, int ndim, const int64_t *dim, const gnd__map *m)
{
    gnd__map *copy;
    gnd_array *y =
        make(GND__VIEW, x->dev, (gnd_dtype)x->dtype, ndim, dim, 1, &x, sizeof *copy, &copy);
    if (y->kind != GND__VIEW)
        return y;
    /* Entries beyond the input's axes are never read: do not pay for them. */
    size_t n = x->ndim;
    memcpy(copy->start, m->start, n * sizeof m->start[0]);
    memcpy(copy->step, m->step, n * sizeof m->step[0]);
    memcpy(copy->from, m->from, n * sizeof m->from[0]);
    memset(copy->also, -1, n * sizeof copy->also[0]);
    y->p.map = copy;
    return y;
}

gnd_array *gnd__window_node(gnd_array *x, int axis, int64_t window)
{
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    for (int d = 0; d < x->ndim; d++) {
        m.start[d] = 0;
        m.step[d] = 1;
        m.from[d] = (int8_t)d;
        dim[d] = x->dim[d];
    }
    dim[axis] -= window - 1;
    dim[x->ndim] = window;
    gnd_array *y = gnd__view_node(x, x->ndim + 1, dim, &m);
    if (y->kind == GND__VIEW)
        y->p.map->also[axis] = (int8_t)x->ndim;
    return y;
}

gnd_array *gnd__reshape_node(gnd_array *x, int ndim, const int64_t *dim)
{
    return make(GND__RESHAPE, x->dev, (gnd_dtype)x->dtype, ndim, dim, 1, &x, 0, NULL);
}

gnd_array *gnd__reduce_node(gnd_array *x, gnd__red r, uint32_t mask, gnd_dtype t)
{
    int64_t dim[GND_MAX_NDIM];
    int ndim = 0;
    for (int i = 0; i < x->ndim; i++)
        if (!(mask >> i & 1))
            dim[ndim++] = x->dim[i];
    gnd_array *y = make(GND__REDUCE, x->dev, t, ndim, dim, 1, &x, 0, NULL);
    if (y->kind == GND__REDUCE) {
        y->p.red.op = r;
        y->p.red.mask = mask;
    }
    return y;
}

gnd_array *gnd__matmul_node(gnd_array *a, gnd_array *b, int ndim, const int64_t *dim)
{
    gnd_array *in[2] = {a, b};
    return make(GND__MATMUL, a->dev, (gnd_dtype)a->dtype, ndim, dim, 2, in, 0, NULL);
}

gnd_array *gnd__assemble_node(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim, int n,
                              gnd_array *const *in, const gnd__box *box)
{
    gnd__box *copy;
    size_t bytes = (size_t)n * sizeof *copy;
    gnd_array *y = make(GND__ASSEMBLE, dev, t, ndim, dim, n, in, bytes, &copy);
    if (y->kind != GND__ASSEMBLE)
        return y;
    memcpy(copy, box, bytes);
    y->p.box = copy;
    return y;
}

gnd_array *gnd__take_node(gnd_array *x, int n, gnd_array *const *idx, int ndim, const int64_t *dim,
                          const gnd__gather *how)
{
    gnd_array *in[GND_MAX_NDIM + 1];
    gnd__gather *copy;
    in[0] = x;
    for (int i = 0; i < n; i++)
        in[1 + i] = idx[i];
    gnd_array *y = make(GND__TAKE, x->dev, (gnd_dtype)x->dtype, ndim, dim, n + 1, in, sizeof *copy,
                        &copy);
    if (y->kind == GND__TAKE) {
        memcpy(copy->from, how->from, x->ndim * sizeof *how->from);
        memcpy(copy->via, how->via, x->ndim * sizeof *how->via);
        y->p.take = copy;
    }
    return y;
}

gnd_array *gnd__checked_node(gnd_array *idx, const char *func, int64_t size, int axis)
{
    gnd_array *y = make(GND__CHECKED, idx->dev, GND_INT64, idx->ndim, idx->dim, 1, &idx, 0, NULL);
    if (y->kind == GND__CHECKED) {
        y->p.check.func = func;
        y->p.check.size = size;
        y->p.check.axis = axis;
        y->p.check.code = GND_ERR_INDEX;
        y->p.check.what = NULL;
    }
    return y;
}

gnd_array *gnd__condition_node(gnd_array *ok, gnd_status code, const char *func, const char *what)
{
    /* as an index of one element: 0 when all is well, else 1, which is none */
    gnd_array *fails = gnd__op_node(GND__OP_LOGICAL_NOT, ok->dev, GND_BOOL, ok->ndim, ok->dim, 1, &ok);
    gnd_array *idx = fails->kind == GND__ERROR ? fails : gnd__cast_node(fails, GND_INT64);
    gnd_array *y = idx->kind == GND__ERROR ? idx : gnd__checked_node(idx, func, 1, -1);
    if (y->kind == GND__CHECKED) {
        y->p.check.code = code;
        y->p.check.what = what;
    }
    if (idx != y)
        gnd__done(idx);
    if (fails != idx && fails != y)
        gnd__done(fails);
    return y;
}

gnd_array *gnd__prim_node(gnd_device *dev, const gnd__primargs *p, gnd_dtype t, int ndim,
                          const int64_t *dim, int nin, gnd_array *const *in)
{
    gnd__primargs *copy;
    gnd_array *y = make(GND__PRIM, dev, t, ndim, dim, nin, in, sizeof *copy, &copy);
    if (y->kind == GND__PRIM) {
        memcpy(copy, p, sizeof *copy);
        y->p.prim = copy;
    }
    return y;
}

/* --- freeing ---------------------------------------------------------------------------------- */

void gnd__storage_ref(gnd__storage *st)
{
    atomic_fetch_add_explicit(&st->refs, 1, memory_order_relaxed);
}

/* One owner less, by a count that an atomic operation changes only where somebody else may: the last
 * owner is alone. 1: it was the last. */
static inline int last_of(atomic_int *refs)
{
    return atomic_load_explicit(refs, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(refs, 1, memory_order_acq_rel) == 1;
}

void gnd__storage_unref(gnd__storage *st)
{
    if (st && last_of(&st->refs))
        st->destroy(st);
}

void gnd__ref(gnd_array *x)
{
    if (x != &nomem)
        atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
}

/* One owner less. 1: it was the last. */
static int drop(gnd_array *x)
{
    return x != &nomem && last_of(&x->refs);
}

static void let_go(gnd_array *x)
{
    gnd__storage_unref(x->data.st);
    gnd__free(x->data.stride);
    for (gnd__fault *f = x->faults, *next; f; f = next) {
        next = f->next;
        gnd__free(f);
    }
    x->faults = NULL;
    x->data.st = NULL;
    x->data.stride = NULL;
    x->fault = NULL;
}

/* Frees the nodes of a list linked by `next`, and all that dies with them. */
static void free_list(gnd_array *dead)
{
    while (dead) {
        gnd_array *x = dead;
        dead = x->next;
        for (int i = 0; x->in && i < x->nin; i++) {
            gnd_array *y = x->in[i];
            if (!drop(y))
                continue;
            if (y->dev)
                gnd__device_remove(y->dev, y);
            y->next = dead;
            dead = y;
        }
        let_go(x);
        x->magic = 0;
        if (x->small)
            gnd__node_memory_free(x);
        else
            gnd__free(x);
    }
}

void gnd__unref(gnd_array *x)
{
    if (!x || (gnd__forked && x->dev) || !drop(x))
        return;
    if (x->dev)
        gnd__device_remove(x->dev, x);
    x->next = NULL;
    free_list(x);
}

void gnd__drop_inputs(gnd_array *x)
{
    gnd_array **in = x->in;
    if (!in)
        return;
    x->in = NULL;
    for (int i = 0; i < x->nin; i++)
        gnd__unref(in[i]);
}

void gnd__nodes_drain(gnd_array *list)
{
    gnd_array *next;
    for (gnd_array *x = list; x; x = next) {
        next = x->next;
        let_go(x);
        x->in = NULL; /* they are on the list too */
        if (!__atomic_load_n(&x->scope, __ATOMIC_ACQUIRE)) {
            x->magic = 0;
            gnd__free(x);
            continue;
        }
        x->dev = NULL;
        x->prev = x->next = NULL;
        x->pending = 0;
        atomic_store(&x->refs, 1);
        atomic_store(&x->handles, 1);
    }
}
