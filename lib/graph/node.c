/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/node.c - making and freeing nodes. A node is a cell (graph/cells.h) with the struct, its
 * extents, inputs beyond three, and its payload (map, boxes or error); what does not fit is an
 * allocation beside it. Making a node costs that, a link in its device's list and a few counters.
 * Only memory is checked here.
 */
#include "graph/graph.h"
#include "graph/scope.h"

#include <stdio.h>
#include <string.h>
#include "base/fork.h"
#include "base/mem.h"
#include "base/refs.h"
#include "graph/cells.h"
#include "graph/label.h"
#include "graph/launch.h"
#include "graph/live.h"
#include "graph/snippet.h"
#include <gnd/array.h>

void (*gnd__on_deep)(gnd_array *x);

static gnd_err nomem_err = {.code = GND_ERR_NOMEM, .msg = "out of host memory"};
static gnd_err closed_err = {.code = GND_ERR_STATE, .msg = "an array of a device that was closed"};
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

/* Estimates the number of operations below: the count of the deepest input, plus up to 16 for each
 * other one. A plain sum would double with every x = x + f(x), whose nodes are shared. */
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

/* The number of pending operations at which x should be evaluated early. */
static uint32_t due_at(const gnd_array *x)
{
    const uint32_t deep = pending_of(x) ? __atomic_load_n(&x->deep, __ATOMIC_RELAXED) : 0;
    return deep > GND__DEEP ? deep : GND__DEEP;
}

static uint32_t latest_due(int nin, gnd_array *const *in)
{
    uint32_t at = GND__DEEP;
    for (int i = 0; i < nin; i++)
        at = due_at(in[i]) > at ? due_at(in[i]) : at;
    return at;
}

/* The same after the hook has evaluated the deep inputs, least deep first, because the others may
 * be made from it. An input that cannot be evaluated (it is made of placeholders, or memory is out)
 * becomes due again at twice its depth, so that the walks over a graph of n nodes take O(n) in all,
 * not O(n * n). *due is the value for the new node. */
static uint32_t pending_with(int nin, gnd_array *const *in, uint32_t *due)
{
    static _Thread_local int inside; /* the hook may make nodes itself */
    uint32_t below = pending_below(nin, in);
    *due = 0;
    if (below < GND__DEEP)
        return below;
    *due = latest_due(nin, in);
    if (below < *due || !gnd__on_deep || inside)
        return below;
    inside = 1;
    for (int tries = 0; tries < 4; tries++) {
        gnd_array *next = NULL;
        for (int i = 0; i < nin; i++)
            if (pending_of(in[i]) >= due_at(in[i]) / 2 &&
                (!next || pending_of(in[i]) < pending_of(next)))
                next = in[i];
        if (!next)
            break;
        gnd__on_deep(next);
        const uint32_t left = pending_of(next);
        if (left)
            __atomic_store_n(&next->deep, left < UINT32_MAX / 2 ? 2 * left + 2 : UINT32_MAX,
                             __ATOMIC_RELAXED);
    }
    inside = 0;
    *due = latest_due(nin, in);
    return pending_below(nin, in);
}

/* Makes a node with `extra` bytes of uninitialised payload at *payload. If an input is an error,
 * returns its error: most callers check that themselves, and this catches the rest. */
static gnd_array *make(gnd__kind k, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       int nin, gnd_array *const *in, size_t extra, void *payload)
{
    if (__builtin_expect(gnd__forked && dev, 0)) { /* the device is lost: nothing of it is made or
                                                      changed */
        gnd_err e = {.code = GND_OK};
        if (k != GND__ERROR) {
            gnd__fork_error(&e);
            return gnd__error_node(NULL, &e);
        }
        dev = NULL;
    }
    for (int i = 0; i < nin; i++)
        if (in[i]->kind == GND__ERROR)
            return gnd__error_copy(in[i]->dev, in[i]->p.err);
    /* Nodes that compute nothing have nothing pending. */
    uint32_t due = 0, pending = nin ? pending_with(nin, in, &due) + 1 : 0;

    size_t small = sizeof(((gnd_array *)0)->in_small) / sizeof(gnd_array *);
    size_t nmore = (size_t)nin > small ? (size_t)nin : 0;
    size_t ndims = (size_t)ndim * sizeof(int64_t), nptrs = nmore * sizeof(gnd_array *);
    size_t bytes = ndims + nptrs + extra;
    uint8_t place;
    gnd_array *x = gnd__cell_new(&place);
    char *mem = (char *)(x + 1), *more = NULL;
    if (x && bytes > GND__NODE_BYTES - sizeof *x && !(mem = more = gnd__malloc(bytes))) {
        x->magic = 0;
        gnd__cell_free(x, place);
        x = NULL;
    }
    if (!x)
        return &nomem;

    int64_t *xdim = (int64_t *)(void *)mem;
    memset(x, 0, sizeof *x);
    x->magic = GND__MAGIC;
    x->kind = (uint8_t)k;
    x->ndim = (uint8_t)ndim;
    x->place = place;
    x->more = more;
    x->dtype = t;
    x->nin = nin;
    atomic_init(&x->refs, 1);
    atomic_init(&x->handles, 1);
    x->pending = pending;
    x->deep = due;
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
    x->in = nmore ? (gnd_array **)(void *)(mem + ndims) : x->in_small;
    for (int i = 0; i < nin; i++) {
        x->in[i] = in[i];
        gnd__ref(in[i]);
    }
    if (__builtin_expect(gnd__here.file != NULL, 0))
        gnd__label_place(x);
    if (payload)
        *(void **)payload = mem + ndims + nptrs;
    if (dev)
        gnd__live_add(x);
    if (over || gnd__scope_add(x)) { /* callers check overflow; this is a safeguard */
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

gnd_array *gnd__node_with(gnd__kind k, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                          int nin, gnd_array *const *in, size_t extra, void *payload)
{
    return make(k, dev, t, ndim, dim, nin, in, extra, payload);
}

gnd_array *gnd__error_copy(gnd_device *dev, const gnd_err *e)
{
    gnd_err *copy;
    if (e->code == GND_ERR_NOMEM && !strcmp(e->msg, nomem_err.msg))
        return &nomem;
    gnd_array *x = make(GND__ERROR, dev, GND_DTYPE_DEFAULT, 0, NULL, 0, NULL, sizeof *copy, &copy);
    if (x == &nomem)
        return x;
    *copy = *e;
    x->p.err = copy;
    x->size = 0;
    return x;
}

gnd_array *gnd__error_node(gnd_device *dev, const gnd_err *e)
{
    gnd_err made = *e;
    const char *func = gnd__inner_func();
    gnd__label_error(&made);
    if (func)
        gnd__err_of(&made, func);
    gnd__err_made(&made);
    return gnd__error_copy(dev, &made);
}

gnd_array *gnd__named(const char *func, gnd_array *y)
{
    if (y != &nomem &&
        y->kind == GND__ERROR) /* its own record, which no other thread has seen yet */
        gnd__err_named(y->p.err, func);
    return y;
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

/* --- freeing ---------------------------------------------------------------------------------- */

void gnd__storage_ref(gnd__storage *st)
{
    gnd__refs_add(&st->refs);
}

void gnd__storage_unref(gnd__storage *st)
{
    if (st && gnd__refs_drop(&st->refs))
        st->destroy(st);
}

void gnd__ref(gnd_array *x)
{
    if (x != &nomem)
        gnd__refs_add(&x->refs);
}

/* Removes one owner. Returns 1 if it was the last. */
static int drop(gnd_array *x)
{
    return x != &nomem && gnd__refs_drop(&x->refs);
}

static void let_go(gnd_array *x)
{
    if (x->kind == GND__LAUNCH)
        gnd__launch_let_go(x);
    else if (x->kind == GND__CALL || x->kind == GND__REDUCE)
        gnd__snippet_let_go(x);
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

static void free_node(gnd_array *x)
{
    gnd__free(x->more);
    if (x->label)
        gnd__label_free(x->label);
    __atomic_store_n(&x->magic, 0, __ATOMIC_RELAXED);
    gnd__cell_free(x, x->place);
}

/* Frees the nodes of a list linked by `next`, and everything that loses its last owner with
 * them. */
static void free_list(gnd_array *dead)
{
    while (dead) {
        gnd_array *x = dead;
        dead = x->next;
        if (x->kind == GND__PART && x->in)
            gnd__part_leave(x);
        for (int i = 0; x->in && i < x->nin; i++) {
            gnd_array *y = x->in[i];
            if (!drop(y))
                continue;
            if (y->dev)
                gnd__live_remove(y);
            y->next = dead;
            dead = y;
        }
        let_go(x);
        free_node(x);
    }
}

void gnd__unref(gnd_array *x)
{
    if (!x || (gnd__forked && x->dev) || !drop(x))
        return;
    if (x->dev)
        gnd__live_remove(x);
    x->next = NULL;
    free_list(x);
}

void gnd__drop_inputs(gnd_array *x)
{
    gnd_array **in = x->in;
    if (!in)
        return;
    if (x->kind == GND__PART)
        gnd__part_leave(x);
    gnd__spin_lock(&x->in_lock); /* excludes threads that make views of x (graph/view.c) */
    x->in = NULL;
    gnd__spin_unlock(&x->in_lock);
    for (int i = 0; i < x->nin; i++)
        gnd__unref(in[i]);
}

void gnd__nodes_drain(gnd_array *list)
{
    gnd_array *next;
    for (gnd_array *x = list; x; x = next) {
        next = x->next;
        let_go(x);
        x->in = NULL; /* the inputs are in the list too */
        if (!__atomic_load_n(&x->scope, __ATOMIC_ACQUIRE)) {
            free_node(x);
            continue;
        }
        x->kind = GND__ERROR;
        x->p.err = &closed_err;
        x->dev = NULL;
        x->prev = x->next = NULL;
        x->pending = 0;
        atomic_store(&x->refs, 1);
        atomic_store(&x->handles, 1);
    }
}
