/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/replay.c - the replay group: launches as the nodes of a CUDA graph, in sequence as in the
 * stream. The driver copies the parameters when a node is added, checks and prepares everything
 * when the graph is instantiated, and then takes about a microsecond per kernel, mostly on the
 * device.
 */
#include "cu.h"

#include <stdlib.h>
#include <string.h>

struct gnd_list {
    gnd_queue *q;
    CUgraph graph;
    CUgraphExec exec;
};

static void list_free(gnd_list *t)
{
    if (!t)
        return;
    if (gnd__cu_enter_free(t->q->dev)) {
        if (t->exec)
            gnd__cu.GraphExecDestroy(t->exec);
        if (t->graph)
            gnd__cu.GraphDestroy(t->graph);
    }
    free(t);
}

static gnd_status add_node(gnd_list *t, gnd_kern *k, const gnd_klaunch *l, CUgraphNode *last,
                           gnd_err *e)
{
    void *params[GND__CU_PARAMS];
    unsigned g[3] = {1, 1, 1}, b[3] = {1, 1, 1};
    size_t shared = 0;
    CUgraphNode node;
    gnd_status s = gnd__cu_params(k, l, params, &shared, g, b, e);
    if (s != GND_OK)
        return s;
    const CUDA_KERNEL_NODE_PARAMS p = {
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
    const CUresult r = gnd__cu.GraphAddKernelNode(&node, t->graph, last, *last != NULL, &p);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(t->q->dev, e, r, "cuGraphAddKernelNode");
    *last = node;
    return GND_OK;
}

static gnd_status list_new(gnd_queue *q, uint32_t n, gnd_kern *const *k, const gnd_klaunch *l,
                           gnd_list **out, gnd_err *e)
{
    CUgraphNode last = NULL;
    gnd_status s = gnd__cu_enter(q->dev, e);
    if (s != GND_OK)
        return s;
    gnd_list *t = calloc(1, sizeof *t);
    if (!t)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a list of %u launches",
                              (unsigned)n);
    t->q = q;
    CUresult r = gnd__cu.GraphCreate(&t->graph, 0);
    if (r != CUDA_SUCCESS)
        s = gnd__cu_fail(q->dev, e, r, "cuGraphCreate");
    for (uint32_t i = 0; i < n && s == GND_OK; i++)
        s = add_node(t, k[i], &l[i], &last, e);
    if (s == GND_OK && (r = gnd__cu.GraphInstantiate(&t->exec, t->graph, 0)) != CUDA_SUCCESS)
        s = gnd__cu_fail(q->dev, e, r, "cuGraphInstantiate (%u kernels)", (unsigned)n);
    if (s != GND_OK) {
        list_free(t);
        return s;
    }
    *out = t;
    return GND_OK;
}

static gnd_status list_run(gnd_list *t, gnd_err *e)
{
    const gnd_status s = gnd__cu_enter(t->q->dev, e);
    if (s != GND_OK)
        return s;
    const CUresult r = gnd__cu.GraphLaunch(t->exec, t->q->s);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(t->q->dev, e, r, "cuGraphLaunch");
}

const gnd_replay_ops gnd__cu_replay_ops = {
    .size = sizeof(gnd_replay_ops),
    .flags = GND_REPLAY_CHEAP,
    .list_new = list_new,
    .list_run = list_run,
    .list_free = list_free,
};
