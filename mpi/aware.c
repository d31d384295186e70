/* SPDX-License-Identifier: BSD-3-Clause
 *
 * aware.c - MPI that reads and writes the memory of CUDA devices. A rank gives it device memory if
 * the library says at run time that it can (MPIX_Query_cuda_support), and if test messages through
 * such memory come right on all ranks. Other ranks of the context use host memory; both ends of a
 * message cut it alike.
 */
#include "nccl.h"

#include <dlfcn.h>
#include <string.h>

/* GND_MPI_CUDA: 0, 1 (required), or -1: wherever it works. Returns GND_ERR_ARG for anything else.
 */
static gnd_status wanted(int *mode)
{
    const char *s = getenv("GND_MPI_CUDA");
    *mode = !s || !*s ? -1 : !strcmp(s, "0") ? 0 : !strcmp(s, "1") ? 1 : 2;
    return *mode == 2 ? GND_ERR_ARG : GND_OK;
}

/* Why this rank cannot give device memory to MPI, or "". Otherwise sets c->cu and c->cu_context. */
static void look(gndm_ctx *c, int mode)
{
    gnd_device_info info;
    gnd_native_device native = {0};
    int (*query)(void) = NULL;
    const char *why = "";
    *(void **)&query = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    if (mode == 0)
        why = "GND_MPI_CUDA=0";
    else if (gnd_device_describe(c->dev, &info) || strcmp(info.backend, "cuda") != 0)
        why = "not a CUDA device";
    else if (!query)
        why = "this MPI has no MPIX_Query_cuda_support";
    else if (query() != 1)
        why = "this MPI is built without CUDA (MPIX_Query_cuda_support)";
    else if (gnd_device_native(c->dev, &native))
        why = gnd_message();
    snprintf(c->no_aware, sizeof c->no_aware, "%s", why);
    if (!why[0] && (c->cu = gndm__cuda_load(c->no_aware, sizeof c->no_aware)) != NULL)
        c->cu_context = native.context;
}

/* Sends n elements of this rank's device to the next rank and compares what comes from the one
 * before. */
static gnd_status trial(gndm_ctx *c, int64_t n)
{
    const char *text = "the test message through device memory came with wrong bytes";
    gndm__parcel *out = calloc(2 * (size_t)c->size, sizeof *out), *in = out + c->size;
    int32_t *data = calloc((size_t)n, sizeof *data);
    const int from = (c->rank + c->size - 1) % c->size;
    gnd_status st = out && data ? GND_OK : GND_ERR_NOMEM;
    gnd_scope_begin();
    for (int64_t i = 0; i < n && !st; i++)
        data[i] = (int32_t)(i * 31 + c->rank);
    if (!st) {
        out[1].n = in[1].n = n;
        out[1].peer = (c->rank + 1) % c->size;
        in[1].peer = from;
        out[1].x = gnd_from(c->dev, GND_INT32, 1, &n, data);
        st = gnd_wait(out[1].x);
        text = st ? gnd_message() : text;
    }
    st = gndm__agree(c, st, text);
    if (!st)
        st = gndm__by_device(c, GND_INT32, out, in);
    if (!st) {
        memset(data, 0, (size_t)n * sizeof *data);
        st = gnd_read(in[1].x, data, (size_t)n * sizeof *data);
        text = st ? gnd_message() : text;
        for (int64_t i = 0; i < n && !st; i++)
            st = data[i] == (int32_t)(i * 31 + from) ? GND_OK : GND_ERR_BACKEND;
        st = gndm__agree(c, st, text);
    }
    gnd_scope_end();
    if (!c->broken) { /* else MPI may still write to it */
        free(out);
        free(data);
    }
    return st;
}

gnd_status gndm__aware_open(gndm_ctx *c)
{
    int mode = 0, any;
    gnd_status st = gndm__agree(c, wanted(&mode), "gndm_open: GND_MPI_CUDA: not 0 or 1");
    if (!st) /* use that of rank 0: the environment may differ between ranks */
        st = gndm__bcast(c, &mode, sizeof mode, 0);
    if (st)
        return st;
    look(c, mode);
    any = c->cu != NULL;
    st = gndm__allreduce(c, &any, 1, MPI_INT, MPI_MAX);
    if (!st && any && c->size > 1) {
        st = trial(c, 100); /* which MPI copies, and one that it moves in another way */
        if (!st)
            st = trial(c, (GNDM_CHUNK + 64) / 4);
        if (st && !c->broken) {
            if (c->cu)
                snprintf(c->no_aware, sizeof c->no_aware, "%.*s", GNDM_WHY - 1, c->message);
            c->cu = NULL;
            c->message[0] = 0;
            st = GND_OK;
        }
    }
    c->aware = !st && any && c->cu != NULL;
    if (!st && any && c->size > 1) {
        c->all_aware = c->aware;
        st = gndm__allreduce(c, &c->all_aware, 1, MPI_INT, MPI_MIN);
    }
    if (!st && mode == 1) {
        char text[GNDM_TEXT];
        snprintf(text, sizeof text, "gndm_open: GND_MPI_CUDA=1, and MPI cannot use the device: %s",
                 c->no_aware);
        st = gndm__agree(c, c->aware || c->size == 1 ? GND_OK : GND_ERR_UNSUPPORTED, text);
    }
    return st;
}
