/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/fft.c - the fft group: cuFFT, loaded at the first transform. Plans are cached. If there are
 * too many, the least recently used one is destroyed, because each holds a work area in device
 * memory.
 */
#include "cu.h"

#include <cufft.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS(X)                                                                                 \
    X(cufftGetVersion)                                                                             \
    X(cufftCreate)                                                                                 \
    X(cufftDestroy)                                                                                \
    X(cufftSetStream)                                                                              \
    X(cufftMakePlanMany64)                                                                         \
    X(cufftExecC2C)                                                                                \
    X(cufftExecR2C)                                                                                \
    X(cufftExecC2R)                                                                                \
    X(cufftExecZ2Z)                                                                                \
    X(cufftExecD2Z)                                                                                \
    X(cufftExecZ2D)

static struct {
#define X(name) __typeof__(name) *name;
    SYMBOLS(X)
#undef X
} cf;

enum { PLANS = 32 };

/* The data on which a plan depends. Without padding: compared as bytes. */
typedef struct key {
    const gnd_queue *q; /* a plan has workspace, which two queues must not use at the same time */
    uint32_t dtype, kind, rank, zero;
    int64_t n[3], nbatch, in_stride, in_dist, out_stride, out_dist;
} key;

typedef struct plan {
    key k;
    cufftHandle h;
    uint64_t used; /* when; 0: free */
} plan;

struct gnd__cu_fft {
    plan p[PLANS];
    uint64_t clock;
};

static int open_lib(gnd__cu_lib *l)
{
    const gnd__plug_sym syms[] = {
#define X(name) {#name, (void **)&cf.name, 0},
        SYMBOLS(X)
#undef X
    };
    int v = 0;
    if (!gnd__cu_lib_symbols(l, syms, sizeof syms / sizeof *syms))
        return 0;
    cf.cufftGetVersion(&v); /* 12001: 12.0.1 */
    return gnd__cu_lib_found(l, v / 1000, v / 100 % 10, v % 100);
}

static const char *const versions[] = {"13:12", "12:11", "11:10", NULL};
static gnd__cu_lib lib = GND__CU_LIB("cuFFT", "libcufft.so", versions, open_lib);

static gnd_status fail(gnd_err *e, cufftResult r, const char *what)
{
    static const char *const names[] = {
        [CUFFT_INVALID_PLAN] = "invalid plan",     [CUFFT_ALLOC_FAILED] = "allocation failed",
        [CUFFT_INVALID_TYPE] = "invalid type",     [CUFFT_INVALID_VALUE] = "invalid value",
        [CUFFT_INTERNAL_ERROR] = "internal error", [CUFFT_EXEC_FAILED] = "execution failed",
        [CUFFT_SETUP_FAILED] = "setup failed",     [CUFFT_INVALID_SIZE] = "invalid size",
    };
    const char *name = (size_t)r < sizeof names / sizeof *names && names[r] ? names[r] : "error";
    return gnd__plug_fail(e, r == CUFFT_ALLOC_FAILED ? GND_ERR_DEVMEM : GND_ERR_BACKEND, (int)r,
                          "%s: %s (%d)", what, name, (int)r);
}

static gnd_status fft_supports(gnd_dev *d, const gnd_fft_desc *f, int *yes, gnd_err *e)
{
    (void)d;
    *yes = 0;
    if (!gnd__cu_lib_load(&lib)) {
        gnd__plug_fail(e, GND_OK, 0, "no cuFFT: %s", lib.text);
        return GND_OK;
    }
    *yes =
        (f->dtype == GND_COMPLEX64 || f->dtype == GND_COMPLEX128) && f->rank >= 1 && f->rank <= 3;
    return GND_OK;
}

/* The plan for f: a cached one, or a new one. */
static gnd_status find_plan(gnd_queue *q, const gnd_fft_desc *f, plan **out, gnd_err *e)
{
    gnd_dev *d = q->dev;
    static const cufftType types[3][2] = {
        {CUFFT_C2C, CUFFT_Z2Z}, {CUFFT_R2C, CUFFT_D2Z}, {CUFFT_C2R, CUFFT_Z2D}};
    const int rank = (int)f->rank;
    long long n[3], in[3], onembed[3];
    size_t work;
    plan *oldest;
    key k;
    memset(&k, 0, sizeof k);
    k.q = q;
    k.dtype = f->dtype;
    k.kind = f->kind;
    k.rank = f->rank;
    for (int i = 0; i < rank; i++)
        n[i] = in[i] = onembed[i] = k.n[i] = f->n[i];
    k.nbatch = f->nbatch;
    k.in_stride = f->in_stride, k.in_dist = f->in_dist;
    k.out_stride = f->out_stride, k.out_dist = f->out_dist;
    if (!d->fft && !(d->fft = calloc(1, sizeof *d->fft)))
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for cuFFT");
    oldest = d->fft->p;
    for (int i = 0; i < PLANS; i++) {
        plan *p = &d->fft->p[i];
        if (p->used && memcmp(&p->k, &k, sizeof k) == 0) {
            p->used = ++d->fft->clock;
            *out = p;
            return GND_OK;
        }
        if (p->used < oldest->used)
            oldest = p;
    }
    if (oldest->used)
        cf.cufftDestroy(oldest->h);
    oldest->used = 0;
    if (f->kind == GND_FFT_R2C)
        onembed[rank - 1] = n[rank - 1] / 2 + 1;
    else if (f->kind == GND_FFT_C2R)
        in[rank - 1] = n[rank - 1] / 2 + 1;
    cufftResult r = cf.cufftCreate(&oldest->h);
    if (r != CUFFT_SUCCESS)
        return fail(e, r, "cufftCreate");
    r = cf.cufftMakePlanMany64(oldest->h, rank, n, in, k.in_stride, k.in_dist, onembed,
                               k.out_stride, k.out_dist, types[f->kind][f->dtype == GND_COMPLEX128],
                               k.nbatch, &work);
    if (r != CUFFT_SUCCESS) {
        cf.cufftDestroy(oldest->h);
        return fail(e, r, "cufftMakePlanMany64");
    }
    oldest->k = k;
    oldest->used = ++d->fft->clock;
    *out = oldest;
    return GND_OK;
}

static gnd_status fft_transform(gnd_queue *q, const gnd_fft_desc *f, gnd_err *e)
{
    gnd_dev *d = q->dev;
    const int wide = f->dtype == GND_COMPLEX128, dir = f->inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    const uint64_t c = wide ? 16 : 8;
    plan *p = NULL;
    gnd_status s;
    if (!gnd__cu_lib_load(&lib))
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "transform: no cuFFT: %s", lib.text);
    if ((s = gnd__cu_enter(d, e)) != GND_OK || (s = find_plan(q, f, &p, e)) != GND_OK)
        return s;
    void *in = (void *)(f->in->p + f->in_off * (f->kind == GND_FFT_R2C ? c / 2 : c));
    void *out = (void *)(f->out->p + f->out_off * (f->kind == GND_FFT_C2R ? c / 2 : c));
    cufftResult r = cf.cufftSetStream(p->h, q->s);
    if (r == CUFFT_SUCCESS)
        switch (f->kind * 2 + (uint32_t)wide) {
        case 0: r = cf.cufftExecC2C(p->h, in, out, dir); break;
        case 1: r = cf.cufftExecZ2Z(p->h, in, out, dir); break;
        case 2: r = cf.cufftExecR2C(p->h, in, out); break;
        case 3: r = cf.cufftExecD2Z(p->h, in, out); break;
        case 4: r = cf.cufftExecC2R(p->h, in, out); break;
        default: r = cf.cufftExecZ2D(p->h, in, out); break;
        }
    if (r == CUFFT_SUCCESS)
        return GND_OK;
    const CUresult cr = gnd__cu.StreamSynchronize(q->s);
    return cr != CUDA_SUCCESS ? gnd__cu_fail(d, e, cr, "cufftExec") : fail(e, r, "cufftExec");
}

static gnd_status fft_describe(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    (void)d;
    (void)e;
    return gnd__cu_lib_describe(&lib, buf, cap);
}

void gnd__cu_fft_close(gnd_dev *d)
{
    if (!d->fft)
        return;
    for (int i = 0; i < PLANS && !d->lost; i++)
        if (d->fft->p[i].used)
            cf.cufftDestroy(d->fft->p[i].h);
    free(d->fft);
    d->fft = NULL;
}

const gnd_fft_ops gnd__cu_fft_ops = {
    .size = sizeof(gnd_fft_ops),
    .supports = fft_supports,
    .transform = fft_transform,
    .describe = fft_describe,
};
