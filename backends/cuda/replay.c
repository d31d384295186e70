/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/replay.c - the replay group: launches as the nodes of a CUDA graph, in sequence as in the
 * stream. The driver copies the parameters when a node is added, checks and prepares everything
 * when the graph is instantiated, and then takes about a microsecond per kernel, mostly on the
 * device.
 *
 * A list keeps a copy of its launches, because the driver takes the parameters of a kernel node
 * only all together. list_value() changes the copy. The next run updates the nodes whose launches
 * have changed, each by one call, however many of its values are new. The update of an executable
 * graph affects later runs only: those in the stream keep their parameters.
 */
#include "cu.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    gnd_kern *k;
    gnd_klaunch l; /* with arguments of its own */
    CUgraphNode node;
    int changed; /* the executable graph has other values */
} entry;

struct gnd_list {
    gnd_dev *dev;
    gnd_queue *q; /* of list_run; it may be freed before the list */
    CUgraph graph;
    CUgraphExec exec;
    gnd_karg *args; /* of all launches, consecutively */
    int changed;    /* some launch is */
    uint32_t n;
    entry e[];
};

static void list_free(gnd_list *t)
{
    if (!t)
        return;
    if (gnd__cu_enter_free(t->dev)) {
        if (t->exec)
            gnd__cu.GraphExecDestroy(t->exec);
        if (t->graph)
            gnd__cu.GraphDestroy(t->graph);
    }
    free(t->args);
    free(t);
}

/* A list of these launches without a graph. */
static gnd_status copy_launches(gnd_queue *q, uint32_t n, gnd_kern *const *k, const gnd_klaunch *l,
                                gnd_list **out, gnd_err *e)
{
    size_t nargs = 0;
    for (uint32_t i = 0; i < n; i++)
        nargs += l[i].nargs;
    gnd_list *t = calloc(1, sizeof *t + n * sizeof t->e[0]);
    gnd_karg *args = malloc((nargs + 1) * sizeof *args);
    if (!t || !args) {
        free(t);
        free(args);
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a list of %u launches",
                              (unsigned)n);
    }
    t->dev = q->dev;
    t->q = q;
    t->n = n;
    t->args = args;
    for (uint32_t i = 0; i < n; i++) {
        t->e[i].k = k[i];
        t->e[i].l = l[i];
        t->e[i].l.args = args;
        if (l[i].nargs)
            memcpy(args, l[i].args, l[i].nargs * sizeof *args);
        args += l[i].nargs;
    }
    *out = t;
    return GND_OK;
}

/* Describes a launch for the driver. params has room for GND__CU_PARAMS. */
static gnd_status node_params(const gnd_kern *k, const gnd_klaunch *l, void **params,
                              CUDA_KERNEL_NODE_PARAMS *p, gnd_err *e)
{
    unsigned g[3] = {1, 1, 1}, b[3] = {1, 1, 1};
    size_t shared = 0;
    const gnd_status s = gnd__cu_params(k, l, params, &shared, g, b, e);
    if (s != GND_OK)
        return s;
    *p = (CUDA_KERNEL_NODE_PARAMS){
        .func = gnd__cu_function(k),
        .gridDimX = g[0],
        .gridDimY = g[1],
        .gridDimZ = g[2],
        .blockDimX = b[0],
        .blockDimY = b[1],
        .blockDimZ = b[2],
        .sharedMemBytes = (unsigned)shared,
        .kernelParams = params,
    };
    return GND_OK;
}

gnd_status gnd__cu_add_kernel(gnd_dev *d, CUgraph g, const gnd_kern *k, const gnd_klaunch *l,
                              CUgraphNode *last, gnd_err *e)
{
    void *params[GND__CU_PARAMS];
    CUDA_KERNEL_NODE_PARAMS p;
    CUgraphNode node;
    const gnd_status s = node_params(k, l, params, &p, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.GraphAddKernelNode(&node, g, last, *last != NULL, &p);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(d, e, r, "cuGraphAddKernelNode");
    *last = node;
    return GND_OK;
}

/* Completes t, whose graph was filled unless s says otherwise. */
static gnd_status instantiate(gnd_list *t, gnd_status s, gnd_list **out, gnd_err *e)
{
    if (s == GND_OK) {
        const CUresult r = gnd__cu.GraphInstantiate(&t->exec, t->graph, 0);
        if (r != CUDA_SUCCESS)
            s = gnd__cu_fail(t->dev, e, r, "cuGraphInstantiate (%u kernels)", (unsigned)t->n);
    }
    if (s != GND_OK) {
        list_free(t);
        return s;
    }
    *out = t;
    return GND_OK;
}

static gnd_status list_new(gnd_queue *q, uint32_t n, gnd_kern *const *k, const gnd_klaunch *l,
                           gnd_list **out, gnd_err *e)
{
    gnd_list *t = NULL;
    CUgraphNode last = NULL;
    gnd_status s = gnd__cu_enter(q->dev, e);
    if (s == GND_OK)
        s = copy_launches(q, n, k, l, &t, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.GraphCreate(&t->graph, 0);
    if (r != CUDA_SUCCESS)
        s = gnd__cu_fail(q->dev, e, r, "cuGraphCreate");
    for (uint32_t i = 0; i < n && s == GND_OK; i++) {
        s = gnd__cu_add_kernel(q->dev, t->graph, k[i], &l[i], &last, e);
        t->e[i].node = last;
    }
    return instantiate(t, s, out, e);
}

static gnd_status loop_new(gnd_queue *q, uint32_t n, const gnd_loop_step *step, gnd_buf *control,
                           uint64_t off, gnd_list **out, gnd_err *e)
{
    gnd_list *t = NULL;
    gnd_status s = gnd__cu_enter(q->dev, e);
    if (s == GND_OK && !q->dev->loops)
        s = gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                           "GND_CUDA_LOOPS=1 makes graphs with conditional nodes of loops");
    if (s == GND_OK)
        s = copy_launches(q, 0, NULL, NULL, &t, e); /* its values do not change */
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.GraphCreate(&t->graph, 0);
    s = r == CUDA_SUCCESS ? gnd__cu_loop_graph(q->dev, t->graph, n, step, control->p + off, e)
                          : gnd__cu_fail(q->dev, e, r, "cuGraphCreate");
    return instantiate(t, s, out, e);
}

/* Updates the nodes of launches that have changed. After a failure the rest stays marked. */
static gnd_status update(gnd_list *t, gnd_err *e)
{
    void *params[GND__CU_PARAMS];
    CUDA_KERNEL_NODE_PARAMS p;
    for (uint32_t i = 0; i < t->n; i++) {
        entry *x = &t->e[i];
        if (!x->changed)
            continue;
        const gnd_status s = node_params(x->k, &x->l, params, &p, e);
        if (s != GND_OK)
            return s;
        const CUresult r = gnd__cu.GraphExecKernelNodeSetParams(t->exec, x->node, &p);
        if (r != CUDA_SUCCESS)
            return gnd__cu_fail(t->dev, e, r,
                                "cuGraphExecKernelNodeSetParams (launch %u of %u of a list)",
                                (unsigned)i, (unsigned)t->n);
        x->changed = 0;
    }
    t->changed = 0;
    return GND_OK;
}

/* The driver runs an executable graph after its earlier runs, in all streams. */
static gnd_status list_run_in(gnd_list *t, gnd_queue *q, gnd_err *e)
{
    gnd_status s = gnd__cu_enter(t->dev, e);
    if (s == GND_OK && t->changed)
        s = update(t, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.GraphLaunch(t->exec, q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(t->dev, e, r, "cuGraphLaunch");
}

static gnd_status list_run(gnd_list *t, gnd_err *e)
{
    return list_run_in(t, t->q, e);
}

static gnd_status list_value(gnd_list *t, uint32_t i, uint32_t arg, const gnd_karg *a, gnd_err *e)
{
    if (i >= t->n || arg >= t->e[i].l.nargs)
        return gnd__plug_fail(e, GND_ERR_ARG, 0, "argument %u of launch %u of %u of a list",
                              (unsigned)arg, (unsigned)i, (unsigned)t->n);
    gnd_karg *to = (gnd_karg *)&t->e[i].l.args[arg]; /* of t->args */
    if (to->kind != GND_ARG_VALUE || a->kind != GND_ARG_VALUE || to->nbytes != a->nbytes)
        return gnd__plug_fail(e, GND_ERR_ARG, 0,
                              "argument %u of launch %u of a list is no value of %u bytes",
                              (unsigned)arg, (unsigned)i, (unsigned)a->nbytes);
    *to = *a;
    t->e[i].changed = t->changed = 1;
    return GND_OK;
}

const gnd_replay_ops gnd__cu_replay_ops = {
    .size = sizeof(gnd_replay_ops),
    .flags = GND_REPLAY_CHEAP,
    .list_new = list_new,
    .list_run = list_run,
    .list_free = list_free,
    .list_value = list_value,
    .loop_new = loop_new,
    .list_run_in = list_run_in,
};
