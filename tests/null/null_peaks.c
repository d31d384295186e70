/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_peaks.c - the most device memory during one evaluation, beside its inputs, on the null
 * device of CUDA's dialect with libraries that compute nothing: decompositions keep one copy of
 * their matrix, products of computed operands a part of these.
 */
#include "tap.h"

#include "device/device.h"

#include <gnd.h>
#include <stdlib.h>
#include <string.h>

static gnd_status any_solve(gnd_dev *d, const gnd_solve_desc *s, int *yes, gnd_err *e)
{
    (void)d, (void)e;
    *yes = s->op != GND_SOLVE_INV || s->flags == 1;
    return GND_OK;
}

static gnd_status solved(gnd_queue *q, const gnd_solve_desc *s, gnd_err *e)
{
    (void)q, (void)s, (void)e;
    return GND_OK;
}

static gnd_status later(gnd_queue *q, const gnd_solve_desc *s, gnd_buf *info, uint64_t off,
                        gnd_err *e)
{
    (void)q, (void)s, (void)info, (void)off, (void)e;
    return GND_OK;
}

static gnd_status any_product(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    (void)d, (void)g, (void)e;
    *yes = 1;
    return GND_OK;
}

static gnd_status multiplied(gnd_queue *q, const gnd_gemm *g, gnd_err *e)
{
    (void)q, (void)g, (void)e;
    return GND_OK;
}

static uint64_t in_use(gnd_device *dev, int peak)
{
    gnd_stats s;
    gnd_sync(dev);
    gnd_device_stats(dev, &s);
    return peak ? s.bytes_peak : s.bytes_in_use;
}

/* Checks that `text` over x takes at most `most` bytes beside x. */
static void takes(gnd_device *dev, const char *text, gnd_array *x, double most)
{
    gnd_device_reset_peak(dev);
    const uint64_t before = in_use(dev, 0);
    gnd_array *y = gnd_eval(dev, text, "x", x, NULL);
    gnd_wait(y);
    const uint64_t peak = in_use(dev, 1) - before;
    tap_ok(gnd_status_of(y) == GND_OK && (double)peak <= most, "%s: %.2f of %.2f MB", text,
           (double)peak / 1e6, most / 1e6);
    if (gnd_status_of(y))
        tap_diag("%s", gnd_error(y));
    gnd_release(y);
}

enum { N = 512, BATCH = 300, SIDE = 31, ROWS = 200000, COLS = 15, SLACK = 400000 };

static void decompositions(gnd_device *dev)
{
    static const char *const square[] = {"linalg.cholesky(x)",
                                         "linalg.det(x)",
                                         "linalg.eigvalsh(x)",
                                         "linalg.eigh(x)[0]",
                                         "linalg.eigh(x)[1]",
                                         "linalg.qr(x)[1]",
                                         "linalg.solve(x, ones(512, float32))",
                                         "linalg.svdvals(x)"};
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){N, N});
    gnd_wait(x);
    /* a copy, and what an operation adds: R of a square matrix is another one */
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        takes(dev, square[i], x, (strstr(square[i], "qr") ? 2.0 : 1.0) * N * N * 4 + SLACK);
    gnd_release(x);
    x = gnd_zeros(dev, GND_FLOAT32, 3, (int64_t[]){BATCH, SIDE, SIDE});
    gnd_wait(x);
    takes(dev, "linalg.eigvalsh(x)", x, BATCH * SIDE * (SIDE + 1) * 4.0 + SLACK);
    takes(dev, "linalg.eigh(x)[0]", x, BATCH * SIDE * (SIDE + 1) * 4.0 + SLACK);
    gnd_release(x);
    x = gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){ROWS, COLS});
    gnd_wait(x);
    takes(dev, "linalg.qr(x)[1]", x, ROWS * COLS * 4.0 + 2 * SLACK);
    gnd_release(x);
}

/* Of the 134 MB that a float64 operand takes, a half at a time. */
static void products(gnd_device *dev)
{
    const double slab = 64.0 * (1 << 20) + SLACK;
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){1 << 18, 64});
    gnd_wait(x);
    takes(dev, "cov(x, rowvar=False)", x, slab);
    takes(dev, "(x.astype(float64) * 2).T @ ones((262144, 9))", x, slab + 9 * 8 * (1 << 18));
    takes(dev, "x.T.astype(float64) @ (x.astype(float64) + 1)", x, 2 * slab);
    gnd_release(x);
}

int main(void)
{
    gnd_device *dev = gnd_open("null:2");
    gnd__backend *b = (gnd__backend *)dev->g->be;
    const gnd__backend had = *b;
    b->has_solver = b->has_blas = 1;
    b->solver.supports = any_solve;
    b->solver.solve = solved;
    b->solver.solve_later = later;
    b->blas.supports = any_product;
    b->blas.gemm = multiplied;
    decompositions(dev);
    products(dev);
    *b = had;
    gnd_close(dev);
    return tap_done();
}
