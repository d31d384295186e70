/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/clblast.c - CLBlast, loaded at the first request. Its C interface is declared here from
 * its documentation, so that building does not need its headers. Its kernels index with 32-bit
 * integers, offset included: a matrix far into a large buffer is passed as a sub-buffer.
 */
#include "blas.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

/* gemm, gemmStridedBatched and gemv, for each scalar type. */
#define DECLARE(type, scalar)                                                                      \
    typedef int type##_gemm_fn(int, int, int, size_t, size_t, size_t, scalar, cl_mem, size_t,      \
                               size_t, cl_mem, size_t, size_t, scalar, cl_mem, size_t, size_t,     \
                               cl_command_queue *, cl_event *);                                    \
    typedef int type##_batch_fn(int, int, int, size_t, size_t, size_t, scalar, cl_mem, size_t,     \
                                size_t, size_t, cl_mem, size_t, size_t, size_t, scalar, cl_mem,    \
                                size_t, size_t, size_t, size_t, cl_command_queue *, cl_event *);   \
    typedef int type##_gemv_fn(int, int, size_t, size_t, scalar, cl_mem, size_t, size_t, cl_mem,   \
                               size_t, size_t, scalar, cl_mem, size_t, size_t, cl_command_queue *, \
                               cl_event *);
DECLARE(s, float)
DECLARE(d, double)
DECLARE(c, cl_float2)
DECLARE(z, cl_double2)
typedef int clear_fn(void);
typedef int override_fn(cl_device_id, const char *, int, size_t, const char **, const size_t *);

#define SYMBOLS(X)                                                                                 \
    X(s_gemm_fn, CLBlastSgemm)                                                                     \
    X(d_gemm_fn, CLBlastDgemm)                                                                     \
    X(c_gemm_fn, CLBlastCgemm)                                                                     \
    X(z_gemm_fn, CLBlastZgemm)                                                                     \
    X(s_batch_fn, CLBlastSgemmStridedBatched)                                                      \
    X(d_batch_fn, CLBlastDgemmStridedBatched)                                                      \
    X(c_batch_fn, CLBlastCgemmStridedBatched)                                                      \
    X(z_batch_fn, CLBlastZgemmStridedBatched)                                                      \
    X(s_gemv_fn, CLBlastSgemv)                                                                     \
    X(d_gemv_fn, CLBlastDgemv)                                                                     \
    X(c_gemv_fn, CLBlastCgemv)                                                                     \
    X(z_gemv_fn, CLBlastZgemv)                                                                     \
    X(clear_fn, CLBlastClearCache)

static struct {
#define X(type, name) type *name;
    SYMBOLS(X)
#undef X
    override_fn *CLBlastOverrideParameters; /* since 0.9 */
} cb;
static int loaded;
static char text_[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const char *const names[] = {"libclblast.so.1", NULL};
    const gnd__plug_sym syms[] = {
#define X(type, name) {#name, (void **)&cb.name, 0},
        SYMBOLS(X)
#undef X
            {"CLBlastOverrideParameters", (void **)&cb.CLBlastOverrideParameters, 1},
    };
    char found[64], why[200];
    loaded = gnd__plug_load(names, syms, sizeof syms / sizeof *syms, found, sizeof found, why,
                            sizeof why);
    if (loaded)
        snprintf(text_, sizeof text_, "CLBlast (%s)", found);
    else
        gnd__plug_str(text_, sizeof text_, why);
}

int gnd__clblast(const char **text)
{
    pthread_once(&once, load);
    *text = text_;
    return loaded;
}

gnd_status gnd__clblast_takes(gnd_dev *d, const gnd_gemm *g, const gnd__blas_gemm *p, gnd_err *e)
{
    const gnd__blas_mat *const m[3] = {&p->a, &p->b, &p->c};
    const gnd_props *pr = &d->info->props;
    if (g->k == 0)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "CLBlast: no products of no terms");
    if ((g->dtype == GND_FLOAT64 || g->dtype == GND_COMPLEX128) && !pr->has_f64)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "the device has no float64");
    for (int i = 0; i < 3; i++)
        if ((m[i]->hi - m[i]->lo + pr->align_bytes) / p->esize > INT_MAX)
            return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0,
                                  "CLBlast: a matrix is too large for its 32-bit indices");
    return GND_OK;
}

/* A matrix as CLBlast takes it: the buffer and the offset in elements. */
typedef struct place {
    cl_mem mem, sub;
    size_t off;
} place;

static cl_int place_of(const gnd_buf *b, const gnd__blas_mat *m, size_t esize, place *pl)
{
    cl_int r = CL_SUCCESS;
    pl->mem = b->mem;
    pl->sub = NULL;
    pl->off = (size_t)(m->lo / esize);
    if (m->hi / esize <= INT_MAX)
        return r;
    const size_t align = b->dev->info->props.align_bytes;
    cl_buffer_region reg = {.origin = (size_t)m->lo / align * align};
    reg.size = (size_t)m->hi - reg.origin;
    pl->sub = clCreateSubBuffer(b->mem, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &reg, &r);
    pl->mem = pl->sub;
    pl->off = ((size_t)m->lo - reg.origin) / esize;
    return r;
}

static int call(gnd_queue *q, const gnd_gemm *g, const gnd__blas_gemm *p, const place *pl)
{
    gnd__blas_gemv v;
    /* CLBlast's gemv reads y even if beta is 0, which keeps NaN. So y is cleared first. */
    const int is_gemv = g->nbatch == 1 && gnd__blas_as_gemv(g, p, &v) &&
                        (g->beta != 0.0 || v.incy == 1 || g->m == 1);
    if (is_gemv && g->beta == 0.0) {
        const cl_uint zero = 0;
        const cl_int r =
            clEnqueueFillBuffer(q->q, pl[2].mem, &zero, sizeof zero, pl[2].off * p->esize,
                                (size_t)(g->m * g->n) * p->esize, 0, NULL, NULL);
        if (!gnd__ocl_ok(r))
            return r;
    }
    const place *const pm = is_gemv && v.of_b ? &pl[1] : &pl[0];
    const place *const px = is_gemv && v.of_b ? &pl[0] : &pl[1];
    const int ta = p->a.trans ? TRANS : NO_TRANS, tb = p->b.trans ? TRANS : NO_TRANS;
    const size_t m = (size_t)g->m, n = (size_t)g->n, k = (size_t)g->k, nb = (size_t)g->nbatch;
    const cl_float2 ca = {{(float)g->alpha, 0}}, cb_ = {{(float)g->beta, 0}};
    const cl_double2 za = {{g->alpha, 0}}, zb = {{g->beta, 0}};
#define ONE(f, al, be)                                                                             \
    f(ROW_MAJOR, ta, tb, m, n, k, al, pl[0].mem, pl[0].off, (size_t)p->a.ld, pl[1].mem, pl[1].off, \
      (size_t)p->b.ld, be, pl[2].mem, pl[2].off, (size_t)p->c.ld, &q->q, NULL)
#define MANY(f, al, be)                                                                            \
    f(ROW_MAJOR, ta, tb, m, n, k, al, pl[0].mem, pl[0].off, (size_t)p->a.ld, (size_t)g->a.batch,   \
      pl[1].mem, pl[1].off, (size_t)p->b.ld, (size_t)g->b.batch, be, pl[2].mem, pl[2].off,         \
      (size_t)p->c.ld, (size_t)g->c.batch, nb, &q->q, NULL)
#define VECTOR(f, al, be)                                                                          \
    f(ROW_MAJOR, v.trans ? TRANS : NO_TRANS, (size_t)v.rows, (size_t)v.cols, al, pm->mem, pm->off, \
      (size_t)v.ld, px->mem, px->off, (size_t)v.incx, be, pl[2].mem, pl[2].off, (size_t)v.incy,    \
      &q->q, NULL)
#define EITHER(T, al, be)                                                                          \
    (is_gemv   ? VECTOR(cb.CLBlast##T##gemv, al, be)                                               \
     : nb == 1 ? ONE(cb.CLBlast##T##gemm, al, be)                                                  \
               : MANY(cb.CLBlast##T##gemmStridedBatched, al, be))
    switch (g->dtype) {
    case GND_FLOAT32: return EITHER(S, (float)g->alpha, (float)g->beta);
    case GND_FLOAT64: return EITHER(D, g->alpha, g->beta);
    case GND_COMPLEX64: return EITHER(C, ca, cb_);
    default: return EITHER(Z, za, zb);
    }
#undef EITHER
#undef VECTOR
#undef MANY
#undef ONE
}

gnd_status gnd__clblast_gemm(gnd_queue *q, const gnd_gemm *g, const gnd__blas_gemm *p, gnd_err *e)
{
    const gnd_buf *const b[3] = {g->a.buf, g->b.buf, g->c.buf};
    const gnd__blas_mat *const m[3] = {&p->a, &p->b, &p->c};
    place pl[3] = {{0}};
    gnd_status s = gnd__clblast_takes(q->dev, g, p, e);
    if (s != GND_OK)
        return s;
    for (int i = 0; i < 3 && s == GND_OK; i++) {
        const cl_int r = place_of(b[i], m[i], p->esize, &pl[i]);
        if (!gnd__ocl_ok(r))
            s = gnd__ocl_fail(e, r, "clCreateSubBuffer");
    }
    if (s == GND_OK) {
        const int r = call(q, g, p, pl);
        if (r != 0)
            s = gnd__ocl_fail(e, r, "CLBlast gemm (%lld x %lld x %lld)", (long long)g->m,
                              (long long)g->n, (long long)g->k);
    }
    for (int i = 0; i < 3; i++)
        if (pl[i].sub)
            clReleaseMemObject(pl[i].sub);
    return s;
}

/* --- its own parameters ----------------------------------------------------------------------- */

/* The parameters of the kernel Xgemm, in this order. Work-groups of MDIMC x NDIMC make MWG x NWG
 * results, KWG terms at a time, through local memory (SA, SB). On an H200, for which CLBlast has no
 * parameters, float32 takes 0.94 and float64 0.35 of the time of CLBlast's own choice. */
enum { PARAMS = 16 };
static const char *params[PARAMS] = {"GEMMK", "KREG",  "KWG",   "KWI", "MDIMA", "MDIMC",
                                     "MWG",   "NDIMB", "NDIMC", "NWG", "SA",    "SB",
                                     "STRM",  "STRN",  "VWM",   "VWN"};
static const size_t nvidia[2][PARAMS] = {
    {0, 1, 16, 2, 16, 16, 128, 16, 16, 128, 1, 1, 0, 0, 4, 4},
    {0, 1, 16, 2, 16, 16, 64, 16, 16, 64, 1, 1, 1, 1, 1, 1},
};

void gnd__clblast_prepare(gnd_dev *d, uint32_t dtype)
{
    const int i = dtype == GND_FLOAT32 ? 0 : dtype == GND_FLOAT64 ? 1 : -1;
    if (i < 0 || d->clblast_ready[i] || !strstr(d->info->props.vendor, "NVIDIA"))
        return;
    d->clblast_ready[i] = 1;
    if (cb.CLBlastOverrideParameters) /* after a failure CLBlast uses its own parameters */
        (void)cb.CLBlastOverrideParameters(d->info->id, "Xgemm", i ? 64 : 32, PARAMS, params,
                                           nvidia[i]);
}

void gnd__clblast_close(void)
{
    if (loaded)
        cb.CLBlastClearCache();
}
