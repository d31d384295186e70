/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/replay.c - the replay group: each launch of a list has a kernel object of its own, whose
 * arguments are set once, so that a run consists only of enqueues.
 */
#include "ocl.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    cl_kernel k;
    cl_uint ndim;
    size_t global[3], local[3];
} entry;

struct gnd_list {
    gnd_dev *dev;
    gnd_queue *q;
    uint32_t n;
    entry e[];
};

static void list_free(gnd_list *t)
{
    if (!t)
        return;
    gnd__ocl_drain(t->dev);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->e[i].k)
            clReleaseKernel(t->e[i].k);
    free(t);
}

static gnd_status set_args(cl_kernel k, const gnd_klaunch *l, gnd_err *e)
{
    for (cl_uint i = 0; i < l->nargs; i++) {
        const gnd_karg *a = &l->args[i];
        const cl_int r = gnd__ocl_set_arg(k, i, a);
        if (!gnd__ocl_ok(r))
            return gnd__ocl_fail(e, r, "clSetKernelArg (argument %u, %u bytes)", (unsigned)i,
                                 (unsigned)a->nbytes);
    }
    return GND_OK;
}

static gnd_status list_new(gnd_queue *q, uint32_t n, gnd_kern *const *k, const gnd_klaunch *l,
                           gnd_list **out, gnd_err *e)
{
    gnd_status s = GND_OK;
    gnd_list *t = calloc(1, sizeof *t + n * sizeof t->e[0]);
    if (!t)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a list of %u launches",
                              (unsigned)n);
    t->dev = q->dev;
    t->q = q;
    t->n = n;
    for (uint32_t i = 0; i < n && s == GND_OK; i++) {
        entry *x = &t->e[i];
        x->ndim = l[i].ndim;
        for (unsigned d = 0; d < x->ndim && d < 3; d++) {
            x->global[d] = l[i].global[d];
            x->local[d] = l[i].local[d];
        }
        s = gnd__ocl_kernel_copy(k[i], l[i].nargs, &x->k, e);
        if (s == GND_OK)
            s = set_args(x->k, &l[i], e);
    }
    if (s != GND_OK) {
        list_free(t);
        return s;
    }
    *out = t;
    return GND_OK;
}

static gnd_status list_run_in(gnd_list *t, gnd_queue *q, gnd_err *e)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const entry *x = &t->e[i];
        gnd__ocl_call *c;
        const gnd_status s = gnd__ocl_later(q->dev, q, 0, &c, e);
        if (s != GND_OK)
            return s;
        if (c) {
            c->k = x->k;
            c->ndim = x->ndim;
            memcpy(c->global, x->global, sizeof c->global);
            memcpy(c->local, x->local, sizeof c->local);
            gnd__ocl_call_go(q->dev);
            continue;
        }
        q->waiting++;
        const cl_int r =
            clEnqueueNDRangeKernel(q->q, x->k, x->ndim, NULL, x->global, x->local, 0, NULL, NULL);
        if (!gnd__ocl_ok(r))
            return gnd__ocl_fail(e, r, "clEnqueueNDRangeKernel (launch %u of %u of a list)",
                                 (unsigned)i, (unsigned)t->n);
    }
    return GND_OK;
}

static gnd_status list_run(gnd_list *t, gnd_err *e)
{
    return list_run_in(t, t->q, e);
}

/* An enqueue copies the arguments, so pending runs keep theirs. */
static gnd_status list_value(gnd_list *t, uint32_t i, uint32_t arg, const gnd_karg *a, gnd_err *e)
{
    if (i >= t->n || a->kind != GND_ARG_VALUE)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "argument %u of launch %u of %u of a list",
                              (unsigned)arg, (unsigned)i, (unsigned)t->n);
    gnd__ocl_call *c;
    const gnd_status s = gnd__ocl_later(t->dev, NULL, 1, &c, e);
    if (s != GND_OK)
        return s;
    const cl_int r = c ? gnd__ocl_call_set(c, arg, a) : gnd__ocl_set_arg(t->e[i].k, arg, a);
    if (c && gnd__ocl_ok(r)) {
        c->k = t->e[i].k;
        gnd__ocl_call_go(t->dev);
    }
    if (!gnd__ocl_ok(r))
        return gnd__ocl_fail(e, r, "clSetKernelArg (argument %u, %u bytes)", (unsigned)arg,
                             (unsigned)a->nbytes);
    return GND_OK;
}

const gnd_replay_ops gnd__ocl_replay_ops = {
    .size = sizeof(gnd_replay_ops),
    .list_new = list_new,
    .list_run = list_run,
    .list_free = list_free,
    .list_value = list_value,
    .list_run_in = list_run_in,
};
