/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/blas.c - the blas group. CPU devices: OpenBLAS on the mapped buffers, 10 to 40 times as
 * fast there as kernels in the form for GPUs; where it is older than the CPU, loops of wide.c, and
 * the core's kernels for large products. Other devices: CLBlast (clblast.c). The core decides
 * which products it asks for. If a library is missing, the answer has a reason and the core uses
 * its own kernels.
 *
 * For tests, the environment variable GND_OPENCL_BLAS = none | openblas | clblast overrides the
 * choice. openblas needs a device whose memory the host shares (props.host_mapped).
 *
 * float16 and bfloat16 are never accepted: OpenBLAS does not have them, and CLBlast accumulates in
 * float16, which the contract does not allow.
 */
#include "ocl.h"
#include "blas.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Extents and multiplications of a large product. */
enum { SIDE = 128, LARGE = 1 << 23 };

/* Whether wide.c computes in place of OpenBLAS: which the user did not ask for. */
static int is_wide(const gnd_dev *d)
{
    return !d->blas_asked && gnd__openblas_is_old();
}

/* Whether kernels of gnd, on all cores, are faster than wide.c on one. */
static int is_large(const gnd_gemm *g)
{
    return g->m >= SIDE && g->n >= SIDE && g->k >= SIDE &&
           (double)g->nbatch * (double)g->m * (double)g->n * (double)g->k >= LARGE;
}

/* Decides once per device. d->blas_text is the library's name and version, or the reason why there
 * is no library. */
static gnd__ocl_blas choose(gnd_dev *d)
{
    if (d->blas != GND__OCL_BLAS_UNKNOWN)
        return d->blas;
    const gnd_props *p = &d->info->props;
    const char *text = "none: GND_OPENCL_BLAS=none";
    gnd__ocl_blas lib = d->blas_asked            ? (gnd__ocl_blas)d->blas_asked
                        : p->kind == GND_DEV_CPU ? GND__OCL_BLAS_OPENBLAS
                                                 : GND__OCL_BLAS_CLBLAST;
    char none[320];
    if (lib == GND__OCL_BLAS_OPENBLAS && !p->host_mapped) {
        text = "none: OpenBLAS needs memory that the host shares";
        lib = GND__OCL_BLAS_NONE;
    } else if ((lib == GND__OCL_BLAS_OPENBLAS && !gnd__openblas(&text)) ||
               (lib == GND__OCL_BLAS_CLBLAST && !gnd__clblast(&text))) {
        snprintf(none, sizeof none, "none: %s", text);
        text = none;
        lib = GND__OCL_BLAS_NONE;
    } else if (lib == GND__OCL_BLAS_OPENBLAS && is_wide(d)) {
        snprintf(none, sizeof none, "%s; for float32 and float64 loops of gnd with AVX-512", text);
        text = none;
    }
    gnd__plug_str(d->blas_text, sizeof d->blas_text, text);
    d->blas = lib;
    return lib;
}

static gnd_status blas_supports(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    gnd__blas_gemm p;
    const gnd__ocl_blas lib = choose(d);
    *yes = 0;
    if (lib == GND__OCL_BLAS_NONE) {
        gnd__plug_fail(e, GND_OK, 0, "blas: %s", d->blas_text);
        return GND_OK;
    }
    if (!gnd__openblas_dtype(g->dtype)) { /* the same four dtypes for both libraries */
        gnd__plug_fail(e, GND_OK, 0, "%s does not take this dtype", d->blas_text);
        return GND_OK;
    }
    if (lib == GND__OCL_BLAS_OPENBLAS && is_wide(d) && gnd__wide_has(g->dtype) && is_large(g)) {
        gnd__plug_fail(e, GND_OK, 0, "kernels of gnd are faster than %s", d->blas_text);
        return GND_OK;
    }
    gnd_status s = gnd__blas_layout(g, INT_MAX, &p, e);
    if (s == GND_OK && lib == GND__OCL_BLAS_CLBLAST)
        s = gnd__clblast_takes(d, g, &p, e);
    if (e)
        e->code = GND_OK; /* an unsupported product is not an error; the reason is kept */
    *yes = s == GND_OK;
    return GND_OK;
}

/* Only OpenBLAS does these: CLBlast's routines compute plain products. */
static gnd_status blas_follows(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    gnd__blas_gemm p;
    const gnd_status s = blas_supports(d, g, yes, e);
    if (s == GND_OK && *yes)
        *yes = choose(d) == GND__OCL_BLAS_OPENBLAS &&
               gnd__blas_layout(g, INT_MAX, &p, NULL) == GND_OK && gnd__openblas_follows(g, &p);
    return s;
}

/* A buffer that the product uses, mapped once over the whole range in use. */
typedef struct mapping {
    gnd_buf *buf;
    uint64_t lo, hi;
    char *p; /* host address of byte lo */
} mapping;

static int add_mapping(mapping *maps, int n, gnd_buf *buf, const gnd__blas_mat *m)
{
    if (m->lo == m->hi)
        return n;
    for (int i = 0; i < n; i++)
        if (maps[i].buf == buf) {
            maps[i].lo = m->lo < maps[i].lo ? m->lo : maps[i].lo;
            maps[i].hi = m->hi > maps[i].hi ? m->hi : maps[i].hi;
            return n;
        }
    maps[n] = (mapping){.buf = buf, .lo = m->lo, .hi = m->hi};
    return n + 1;
}

static void *address(const mapping *maps, int n, const gnd_buf *buf, const gnd__blas_mat *m)
{
    for (int i = 0; i < n && m->lo < m->hi; i++)
        if (maps[i].buf == buf)
            return maps[i].p + (m->lo - maps[i].lo);
    return NULL;
}

static gnd_status on_host(gnd_queue *q, const gnd_gemm *g, const gnd__blas_gemm *p, gnd_err *e)
{
    mapping maps[4];
    const int plus = (g->flags & GND_GEMM_PLUS) != 0;
    gnd_status s = GND_OK;
    int n = add_mapping(maps, 0, g->a.buf, &p->a), done = 0;
    n = add_mapping(maps, n, g->b.buf, &p->b);
    n = add_mapping(maps, n, g->c.buf, &p->c);
    if (plus)
        n = add_mapping(maps, n, g->plus.buf, &p->plus);
    for (; done < n && s == GND_OK; done++) {
        mapping *m = &maps[done];
        void *at = NULL;
        s = gnd__ocl_memory_ops.map(q, m->buf, (size_t)m->lo, (size_t)(m->hi - m->lo),
                                    GND_MAP_READ | (m->buf == g->c.buf ? GND_MAP_WRITE : 0), &at,
                                    e);
        m->p = at;
        if (s != GND_OK)
            break;
    }
    if (s == GND_OK)
        gnd__openblas_gemm(g, p, address(maps, n, g->a.buf, &p->a),
                           address(maps, n, g->b.buf, &p->b), address(maps, n, g->c.buf, &p->c),
                           plus ? address(maps, n, g->plus.buf, &p->plus) : NULL, is_wide(q->dev));
    while (done-- > 0) {
        const gnd_status u =
            gnd__ocl_memory_ops.unmap(q, maps[done].buf, maps[done].p, s == GND_OK ? e : NULL);
        s = s == GND_OK ? u : s;
    }
    return s;
}

static size_t bytes_of(const gnd_buf *b)
{
    return b->nbytes;
}

static gnd_status blas_gemm(gnd_queue *q, const gnd_gemm *g, gnd_err *e)
{
    gnd__blas_gemm p;
    gnd_dev *d = q->dev;
    const gnd__ocl_blas lib = choose(d);
    gnd_status s;
    if (lib == GND__OCL_BLAS_NONE)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "gemm: %s", d->blas_text);
    if (!gnd__openblas_dtype(g->dtype))
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "gemm: %s does not take this dtype",
                              d->blas_text);
    if ((s = gnd__blas_layout(g, INT_MAX, &p, e)) != GND_OK ||
        (s = gnd__blas_in_buffers(g, &p, bytes_of, e)) != GND_OK)
        return s;
    if (g->flags && lib != GND__OCL_BLAS_OPENBLAS)
        return gnd__plug_fail(e, GND_ERR_UNSUPPORTED, 0, "gemm: %s takes nothing after it",
                              d->blas_text);
    if (g->m == 0 || g->n == 0 || g->nbatch == 0)
        return GND_OK;
    if (lib == GND__OCL_BLAS_OPENBLAS)
        return on_host(q, g, &p, e);
    if ((s = gnd__ocl_settle(d, e)) != GND_OK)
        return s;
    gnd__clblast_prepare(d, g->dtype);
    return gnd__clblast_gemm(q, g, &p, e);
}

/* Elsewhere the end of a mapping is a command of the queue. */
static int blas_blocking(gnd_dev *d)
{
    return d->host_ptr && choose(d) == GND__OCL_BLAS_OPENBLAS;
}

static gnd_status blas_describe(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    (void)e;
    choose(d);
    if (cap)
        gnd__plug_str(buf, cap, d->blas_text);
    return GND_OK;
}

void gnd__ocl_blas_close(gnd_dev *d)
{
    if (d->blas == GND__OCL_BLAS_CLBLAST)
        gnd__clblast_close();
}

const gnd_blas_ops gnd__ocl_blas_ops = {
    .size = sizeof(gnd_blas_ops),
    .supports = blas_supports,
    .gemm = blas_gemm,
    .describe = blas_describe,
    .follows = blas_follows,
    .blocking = blas_blocking,
};
