/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/eval.c - turns lazy arrays into elements: evaluation, reading, uploading, explaining.
 *
 * A failure is stored in the array (its `fault`), and the next read tries again: inputs are kept
 * until the elements exist, so nothing is lost.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/device.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "array/host.h"
#include "array/place.h"
#include "device/device.h"
#include "graph/graph.h"
#include "base/mem.h"
#include "graph/label.h"
#include "graph/scope.h"
#include "sched/check.h"

/* Up to this many arrays need no allocated list. */
enum { FEW = 8 };

/* Stores e in x (device lock held), or clears it if e is NULL. If out of memory the error is not
 * stored; the current call still returns it. */
static void set_fault(gnd_array *x, const gnd_err *e)
{
    gnd__fault *f = x->faults;
    if (!e) {
        if (f) /* otherwise there was no fault */
            __atomic_store_n(&x->fault, NULL, __ATOMIC_RELEASE);
        return;
    }
    if (!f || f->err.code != e->code || strcmp(f->err.msg, e->msg) != 0) {
        f = gnd__malloc(sizeof *f);
        if (!f)
            return;
        f->err = *e;
        f->next = x->faults;
        x->faults = f;
    }
    __atomic_store_n(&x->fault, &f->err, __ATOMIC_RELEASE);
}

/* Evaluates n arrays of one device (their lock held) as one plan. */
static gnd_status evaluate(gnd_device *dev, int n, gnd_array *const *x, gnd_err *e)
{
    gnd_array *few[FEW], **todo = n <= FEW ? few : gnd__malloc((size_t)n * sizeof *todo);
    gnd_status st = GND_OK;
    int m = 0;
    if (!todo)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while evaluating");
    if (gnd__forked)
        st = gnd__fork_error(e);
    for (int i = 0; i < n; i++)
        if (st != GND_OK)
            set_fault(x[i], e);
        else if (!x[i]->data.st)
            todo[m++] = x[i];
    if (m > 0) {
        st = gnd__evaluate(dev, m, todo, e);
        /* GND_ERR_STATE: a placeholder is unbound. No fault is recorded. */
        for (int i = 0; i < m && st != GND_ERR_STATE; i++)
            set_fault(todo[i], st == GND_OK ? NULL : e);
    }
    if (todo != few)
        gnd__free(todo);
    return st;
}

/* A node with the elements of x in C order: x, or a new node with a copy, which the caller must
 * unreference. */
static gnd_status contiguous(gnd_array *x, gnd_array **out, gnd_err *e)
{
    gnd__box box;
    gnd_status st;
    *out = x;
    if (x->data.contig) {
        gnd__ref(x);
        return GND_OK;
    }
    memset(&box, 0, sizeof box);
    *out = gnd__assemble_node(x->dev, (gnd_dtype)x->dtype, x->ndim, x->dim, 1, &x, &box);
    if ((*out)->kind == GND__ERROR)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while reading");
    gnd__ref(*out);
    gnd_release(*out);
    st = gnd__evaluate(x->dev, 1, out, e);
    if (st != GND_OK)
        gnd__unref(*out);
    return st;
}

/* GND_OK if x is an array that is not an error. */
static gnd_status state_of(const gnd_array *x, gnd_err *e)
{
    if (!x)
        return gnd__err(e, GND_ERR_NULL, "the array is NULL");
    if (!gnd__alive(x))
        return gnd__err(e, GND_ERR_STATE, "x is a released array");
    return x->kind == GND__ERROR ? gnd__err(e, gnd_status_of(x), "%s", gnd_error(x)) : GND_OK;
}

/* A weak scalar's elements: bool, int64, float64, complex128. */
static void read_scalar(const gnd_array *x, void *dst)
{
    gnd__store_scalar((gnd_dtype)x->dtype, dst, &x->p.value);
}

gnd_status gnd__elements(gnd_array *x, gnd_err *e)
{
    return evaluate(x->dev, 1, &x, e);
}

gnd_status gnd__ready(gnd_array *x, gnd_array **c, gnd_err *e)
{
    gnd_status st = evaluate(x->dev, 1, &x, e);
    if (st != GND_OK)
        return st;
    if (x->size == 0) {
        gnd__ref(x);
        *c = x;
        return GND_OK;
    }
    st = contiguous(x, c, e);
    if (st != GND_OK)
        set_fault(x, e);
    return st;
}

gnd_status gnd__passed(gnd_array *x, gnd_status st, gnd_err *e)
{
    if (st == GND_OK)
        st = gnd__checks_pass(x->data.st, e);
    set_fault(x, st == GND_OK ? NULL : e); /* x may have had a fault from an earlier read */
    return st;
}

static gnd_status read_elements(gnd_array *x, void *dst, gnd_err *e)
{
    gnd_array *c;
    gnd_status st;
    gnd__gdev *d;
    if (!x->dev) {
        read_scalar(x, dst);
        return GND_OK;
    }
    d = x->dev->g;
    gnd__gate_lock(d);
    st = gnd__ready(x, &c, e);
    if (st == GND_OK && d->streams && x->size > 0) { /* other threads can enqueue work meanwhile */
        st = gnd__gate_use(d, c->data.st->block, 0, e);
        if (st == GND_OK)
            st = gnd__gate_finish_apart(d, e);
        if (st != GND_OK) {
            st = gnd__passed(x, st, e);
            gnd__unref(c);
        }
    }
    if (st == GND_OK) {
        const size_t off = (size_t)c->data.off * gnd_dtype_size((gnd_dtype)x->dtype);
        st = x->size > 0 ? gnd__gate_read(d, dst, c->data.st->block, off, gnd__nbytes(x), e)
                         : gnd__gate_finish(d, e);
        st = gnd__passed(x, st, e);
        gnd__unref(c);
    }
    gnd__gate_unlock(d);
    return st;
}

gnd_status gnd_read(gnd_array *x, void *dst, size_t nbytes)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = state_of(x, &e);
    if (st == GND_OK && nbytes != gnd__nbytes(x))
        st = gnd__err(&e, GND_ERR_SHAPE, "room for %zu bytes given, the array has %zu", nbytes,
                      gnd__nbytes(x));
    if (st == GND_OK && !dst && nbytes > 0)
        st = gnd__err(&e, GND_ERR_NULL, "dst is NULL");
    if (st == GND_OK)
        st = read_elements(x, dst, &e);
    return st == GND_OK ? st : gnd__only_status("read", &e);
}

gnd_status gnd__one(const char *func, gnd_array *x, gnd__scalar *v)
{
    unsigned char b[16];
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = state_of(x, &e);
    if (st == GND_OK && x->size != 1)
        st = gnd__err(&e, GND_ERR_SHAPE, "x must have exactly one element, but has %lld",
                      (long long)x->size);
    if (st == GND_OK)
        st = read_elements(x, b, &e);
    if (st == GND_OK)
        *v = gnd__load_scalar((gnd_dtype)x->dtype, b);
    return st == GND_OK ? st : gnd__only_status(func, &e);
}

static gnd_status eval_all(const char *func, int n, gnd_array *const *x)
{
    gnd_err e;
    gnd_status st = GND_OK;
    gnd__err_clear(&e); /* the text of 500 bytes need not be zero */
    if (n > 0 && !x)
        st = gnd__err(&e, GND_ERR_NULL, "x is NULL");
    for (int i = 0; i < n && st == GND_OK; i++)
        st = state_of(x[i], &e);
    /* one plan per device: the first array of a device includes the others */
    for (int i = 0; i < n && st == GND_OK; i++) {
        gnd_array *few[FEW], **mine;
        int m = 0, first = x[i]->dev != NULL;
        for (int j = i - 1; j >= 0 && first;
             j--) /* usually the previous one, so the search is short */
            first = x[j]->dev != x[i]->dev;
        if (!first)
            continue;
        mine = n <= FEW ? few : gnd__malloc((size_t)n * sizeof *mine);
        if (!mine) {
            st = gnd__err(&e, GND_ERR_NOMEM, "out of memory while evaluating");
            break;
        }
        for (int j = i; j < n; j++)
            if (x[j]->dev == x[i]->dev)
                mine[m++] = x[j];
        gnd__gate_lock(x[i]->dev->g);
        st = evaluate(x[i]->dev, m, mine, &e);
        gnd__gate_unlock(x[i]->dev->g);
        if (mine != few)
            gnd__free(mine);
    }
    return st == GND_OK ? st : gnd__only_status(func, &e);
}

gnd_status gnd_eval_all(int n, gnd_array *const *x)
{
    return eval_all("eval_all", n, x);
}

gnd_status gnd_wait(gnd_array *x)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = eval_all("wait", 1, &x);
    if (st != GND_OK || !x->dev)
        return st;
    gnd__gate_lock(x->dev->g);
    st = gnd__gate_use(x->dev->g, x->data.st->block, 0, &e);
    if (st == GND_OK)
        st = gnd__gate_finish_apart(x->dev->g, &e);
    if (st == GND_OK)
        st = gnd__checks_pass(x->data.st, &e);
    set_fault(x, st == GND_OK ? NULL : &e);
    gnd__gate_unlock(x->dev->g);
    return st == GND_OK ? st : gnd__only_status("wait", &e);
}

gnd_status gnd_sync(gnd_device *dev)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = gnd__told_device("sync", dev);
    if (st != GND_OK)
        return st;
    gnd__gate_lock(dev->g);
    st = gnd__gate_finish_all(dev->g, &e);
    gnd__gate_unlock(dev->g);
    return st == GND_OK ? st : gnd__only_status("sync", &e);
}

gnd_array *gnd__placed(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim)
{
    gnd_array *x = gnd__node(GND__DATA, dev, t, ndim, dim, 0, NULL), *failed;
    gnd_err e = {GND_OK, 0, ""};
    gnd__block *b = NULL;
    gnd__storage *st;
    if (x->kind == GND__ERROR)
        return x;
    gnd__gate_lock(dev->g);
    if (gnd__pool_alloc(dev->g, (size_t)x->size * gnd_dtype_size(t), &b, &e) != GND_OK) {
        char what[GND__WHAT_TEXT];
        gnd__err_prefix(&e, "no memory for %.200s", gnd__what_text(what, x));
        goto fail;
    }
    st = gnd__storage_new(dev, b);
    if (!st) {
        gnd__err(&e, GND_ERR_NOMEM, "out of memory while making an array");
        goto fail;
    }
    x->data.st = st;
    x->data.contig = 1;
    x->pending = 0;
    gnd__gate_unlock(dev->g);
    return x;
fail:
    gnd__pool_free(dev->g, b);
    gnd__gate_unlock(dev->g);
    failed = gnd__error_node(dev, &e);
    gnd_release(x);
    return failed;
}

gnd_array *gnd__upload(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       const void *contiguous_data)
{
    gnd_array *x = gnd__placed(dev, t, ndim, dim), *failed;
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st;
    if (x->kind == GND__ERROR || x->size == 0)
        return x;
    gnd__gate_lock(dev->g);
    st = gnd__gate_write(dev->g, x->data.st->block, 0, contiguous_data, gnd__nbytes(x), &e);
    gnd__gate_unlock(dev->g);
    if (st == GND_OK)
        return x;
    failed = gnd__error_node(dev, &e);
    gnd_release(x);
    return failed;
}

char *gnd_explain(int n, gnd_array *const *x, unsigned flags, gnd_status *s)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = n > 0 && !x ? gnd__err(&e, GND_ERR_NULL, "x is NULL") : GND_OK;
    gnd__pgraph g;
    gnd__plan *p = NULL;
    gnd__str out = {0};
    gnd_device *dev = NULL;
    gnd_array **todo = gnd__malloc(((size_t)(n > 0 ? n : 0) + 1) * sizeof *todo);
    char *text = NULL;
    int m = 0;
    memset(&g, 0, sizeof g);
    if (!todo)
        st = gnd__err(&e, GND_ERR_NOMEM, "out of memory");
    for (int i = 0; i < n && st == GND_OK; i++) {
        st = state_of(x[i], &e);
        if (st != GND_OK || !x[i]->dev)
            continue;
        if (dev && dev != x[i]->dev)
            st = gnd__err(&e, GND_ERR_DEVICE, "arrays of two devices, %s and %s",
                          gnd__device_id(dev), gnd__device_id(x[i]->dev));
        dev = x[i]->dev;
    }
    if (st == GND_OK && dev) {
        gnd__gate_lock(dev->g);
        for (int i = 0; i < n; i++)
            if (x[i]->dev && !x[i]->data.st)
                todo[m++] = x[i];
        st = gnd__forked ? gnd__fork_error(&e) : gnd__collect(&g, dev, m, todo, &e);
        if (st == GND_OK)
            st = gnd__plan_make(&g, 1, &p, &e);
        if (st == GND_OK)
            st = gnd__plan_explain(p, &g, flags, &out);
        gnd__plan_free(p);
        gnd__pgraph_free(&g);
        gnd__gate_unlock(dev->g);
    } else if (st == GND_OK) {
        gnd__str_add(&out, "0 kernels, 0 calls, 0 bytes read, 0 bytes written, 0 bytes peak\n");
    }
    if (st == GND_OK && !out.bad) {
        text = malloc(out.len + 1);
        if (text)
            memcpy(text, gnd__str_get(&out), out.len + 1);
    }
    if (st == GND_OK && !text)
        st = gnd__err(&e, GND_ERR_NOMEM, "out of memory");
    if (st != GND_OK)
        gnd__only_status("explain", &e);
    if (s)
        *s = st;
    gnd__str_free(&out);
    gnd__free(todo);
    return text;
}

/* Evaluates a graph that became deep, so that graphs stay small. A failure occurs again when
 * something is read. */
static void on_deep(gnd_array *x)
{
    gnd_err e = {GND_OK, 0, ""};
    if (!x->dev || x->kind == GND__ERROR)
        return;
    gnd__gate_lock(x->dev->g);
    (void)evaluate(x->dev, 1, &x, &e);
    gnd__gate_unlock(x->dev->g);
}

__attribute__((constructor)) static void set_hook(void)
{
    gnd__on_deep = on_deep;
}
