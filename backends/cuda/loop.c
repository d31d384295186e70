/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/loop.c - loops as CUDA graphs with conditional nodes, for drivers of CUDA 12.4 and later.
 * The graph is one WHILE node. Its body has the kernels of step 0 and a kernel that looks at the
 * word which the step left. Further steps are nested, each in an IF node of the step before it, so
 * that the loop can end after any of them:
 *
 *     WHILE go { step 0; decide(go, go1); IF go1 { step 1; decide(go, go2); IF go2 { ... } } }
 *
 * Only device code can set a condition, by cudaGraphSetConditional. PTX calls it as an external
 * function, which the driver's PTX compiler knows. The kernel that does is therefore PTX, and
 * needs neither NVRTC nor libcudadevrt.
 */
#include "cu.h"

#include <stdlib.h>
#include <string.h>

#if CUDA_VERSION >= 12040

/* decide(word, control, go, next): control[1] = *word; both conditions become
 * 0 <= *word && *word < control[0]. In the last step, next is go. */
static const char decide_ptx[] =
    ".version 8.4\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".extern .func cudaGraphSetConditional\n"
    "(.param .b64 handle, .param .b32 value);\n"
    ".visible .entry gnd_decide(.param .u64 word, .param .u64 control,\n"
    "                           .param .u64 go, .param .u64 next)\n"
    "{\n"
    "    .reg .pred %p<5>;\n"
    "    .reg .b32 %r<2>;\n"
    "    .reg .b64 %rd<9>;\n"
    "    ld.param.u64 %rd1, [word];\n"
    "    ld.param.u64 %rd2, [control];\n"
    "    ld.param.u64 %rd3, [go];\n"
    "    ld.param.u64 %rd4, [next];\n"
    "    cvta.to.global.u64 %rd5, %rd1;\n"
    "    cvta.to.global.u64 %rd6, %rd2;\n"
    "    ld.global.u64 %rd7, [%rd5];\n"
    "    ld.global.u64 %rd8, [%rd6];\n"
    "    st.global.u64 [%rd6+8], %rd7;\n"
    "    setp.ge.s64 %p1, %rd7, 0;\n"
    "    setp.lt.s64 %p2, %rd7, %rd8;\n"
    "    and.pred %p3, %p1, %p2;\n"
    "    selp.u32 %r1, 1, 0, %p3;\n"
    "    {\n"
    "    .param .b64 h;\n"
    "    .param .b32 v;\n"
    "    st.param.b64 [h], %rd3;\n"
    "    st.param.b32 [v], %r1;\n"
    "    call.uni cudaGraphSetConditional, (h, v);\n"
    "    }\n"
    "    setp.eq.u64 %p4, %rd3, %rd4;\n"
    "    @%p4 bra done;\n"
    "    {\n"
    "    .param .b64 h;\n"
    "    .param .b32 v;\n"
    "    st.param.b64 [h], %rd4;\n"
    "    st.param.b32 [v], %r1;\n"
    "    call.uni cudaGraphSetConditional, (h, v);\n"
    "    }\n"
    "done:\n"
    "    ret;\n"
    "}\n";

void gnd__cu_loop_close(gnd_dev *d)
{
    if (d->decide_module && gnd__cu_enter_free(d))
        gnd__cu.ModuleUnload(d->decide_module);
    d->decide_module = NULL;
}

static gnd_status load_decide(gnd_dev *d, gnd_err *e)
{
    if (d->decide_module)
        return GND_OK;
    CUresult r = gnd__cu.ModuleLoadData(&d->decide_module, decide_ptx);
    if (r != CUDA_SUCCESS) {
        d->decide_module = NULL;
        return gnd__cu_fail(d, e, r, "cuModuleLoadData (PTX for loops)");
    }
    r = gnd__cu.ModuleGetFunction(&d->decide, d->decide_module, "gnd_decide");
    if (r == CUDA_SUCCESS)
        return GND_OK;
    gnd__cu_loop_close(d);
    return gnd__cu_fail(d, e, r, "cuModuleGetFunction (gnd_decide)");
}

/* Appends a conditional node to graph g after *last (may be NULL). *body is its graph. */
static gnd_status add_conditional(gnd_dev *d, CUgraph g, CUgraphNode *last,
                                  CUgraphConditionalNodeType type, CUgraphConditionalHandle h,
                                  CUgraph *body, gnd_err *e)
{
    CUgraphNodeParams p;
    CUgraphNode node;
    memset(&p, 0, sizeof p);
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = h;
    p.conditional.type = type;
    p.conditional.size = 1;
    p.conditional.ctx = d->ctx;
    const CUresult r = gnd__cu.GraphAddNode(&node, g, last, NULL, *last != NULL, &p);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(d, e, r, "cuGraphAddNode (a conditional node)");
    *last = node;
    *body = p.conditional.phGraph_out[0];
    return GND_OK;
}

static gnd_status new_handle(gnd_dev *d, CUgraph g, unsigned value, CUgraphConditionalHandle *h,
                             gnd_err *e)
{
    const CUresult r =
        gnd__cu.GraphConditionalHandleCreate(h, g, d->ctx, value, CU_GRAPH_COND_ASSIGN_DEFAULT);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(d, e, r, "cuGraphConditionalHandleCreate");
}

/* Appends the kernels of a step and the one that decides how to go on. */
static gnd_status add_step(gnd_dev *d, CUgraph g, const gnd_loop_step *s, CUdeviceptr control,
                           CUgraphConditionalHandle go, CUgraphConditionalHandle next,
                           CUgraphNode *last, gnd_err *e)
{
    CUdeviceptr word = s->word->p + s->off;
    void *params[] = {&word, &control, &go, &next};
    const CUDA_KERNEL_NODE_PARAMS p = {
        .func = d->decide,
        .gridDimX = 1,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = 1,
        .blockDimY = 1,
        .blockDimZ = 1,
        .kernelParams = params,
    };
    CUgraphNode node;
    gnd_status st = GND_OK;
    for (uint32_t i = 0; i < s->n && st == GND_OK; i++)
        st = gnd__cu_add_kernel(d, g, s->k[i], &s->l[i], last, e);
    if (st != GND_OK)
        return st;
    const CUresult r = gnd__cu.GraphAddKernelNode(&node, g, last, *last != NULL, &p);
    if (r != CUDA_SUCCESS)
        return gnd__cu_fail(d, e, r, "cuGraphAddKernelNode (gnd_decide)");
    *last = node;
    return GND_OK;
}

gnd_status gnd__cu_loop_graph(gnd_dev *d, CUgraph top, uint32_t n, const gnd_loop_step *step,
                              CUdeviceptr control, gnd_err *e)
{
    CUgraphConditionalHandle go = 0, next;
    CUgraphNode last = NULL;
    CUgraph body = NULL;
    if (!gnd__cu.GraphAddNode || !gnd__cu.GraphConditionalHandleCreate || d->info->driver < 12040)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                              "conditional nodes need a driver of CUDA 12.4, this one is for %d.%d",
                              d->info->driver / 1000, d->info->driver % 1000 / 10);
    gnd_status s = load_decide(d, e);
    if (s == GND_OK)
        s = new_handle(d, top, 1, &go, e);
    if (s == GND_OK)
        s = add_conditional(d, top, &last, CU_GRAPH_COND_TYPE_WHILE, go, &body, e);
    for (uint32_t i = 0; i < n && s == GND_OK; i++) {
        const int more = i + 1 < n;
        next = go;
        last = NULL;
        if (more)
            s = new_handle(d, body, 0, &next, e);
        if (s == GND_OK)
            s = add_step(d, body, &step[i], control, go, next, &last, e);
        if (s == GND_OK && more)
            s = add_conditional(d, body, &last, CU_GRAPH_COND_TYPE_IF, next, &body, e);
    }
    return s;
}

#else

void gnd__cu_loop_close(gnd_dev *d)
{
    (void)d;
}

gnd_status gnd__cu_loop_graph(gnd_dev *d, CUgraph top, uint32_t n, const gnd_loop_step *step,
                              CUdeviceptr control, gnd_err *e)
{
    (void)d, (void)top, (void)n, (void)step, (void)control;
    return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                          "this plugin was built with headers of CUDA %d.%d: loops need 12.4",
                          CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
}

#endif
