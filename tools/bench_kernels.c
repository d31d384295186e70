/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_kernels.c - the rows of gnd bench for kernels of the program's own: a launch on 1000
 * elements, an elementwise kernel and a reduction of large arrays. bench/kernels_peers.py times the
 * same work by CuPy's RawKernel, ElementwiseKernel and ReductionKernel.
 */
#include "bench.h"

#include <stdio.h>

enum { SMALL = 1000, GROUP = 256 };

static gnd_program *program; /* made by the row's setup, of the device at hand */
static gnd_kernel *twice;
static gnd_ekernel *squares;
static gnd_rkernel *norm;

/* --- a launch --------------------------------------------------------------------------------- */

static void compile(bench *w, const bench_row *r)
{
    static const char text[] =
        "GND_KERNEL void twice(GND_CONST_GLOBAL g_f32 *x, GND_GLOBAL g_f32 *y, const g_i32 n)\n"
        "{ const g_i32 i = (g_i32)GND_GID(0); if (i < n) y[i] = 2 * x[i]; }\n";
    gnd_program_free(program);
    program = gnd_compile(w->dev, text, GND_PORTABLE, NULL);
    twice = gnd_program_kernel(program, "twice");
    w->a = bench_random(w, GND_FLOAT32, 1, &r->dim, 8);
}

static gnd_array *launch(bench *w, const bench_row *r)
{
    const gnd_arg args[] = {GND_IN(w->a), GND_OUT(1, &r->dim, GND_FLOAT32, NULL), GND_I32(r->dim)};
    gnd_array *y = NULL;
    w->st = gnd_launch(twice, gnd_dims((SMALL + GROUP - 1) / GROUP), gnd_dims(GROUP), 3, args, &y);
    return y;
}

/* --- pieces of code --------------------------------------------------------------------------- */

static void make_squares(bench *w, const bench_row *r)
{
    (void)w, (void)r;
    gnd_ekernel_free(squares);
    squares =
        gnd_elementwise_kernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff", NULL);
}

static gnd_array *elementwise(bench *w, const bench_row *r)
{
    gnd_array *z = NULL;
    (void)r;
    w->st = gnd_elementwise_call(squares, 2, (gnd_array *[]){w->x, w->y}, NULL, &z);
    return z;
}

static void make_norm(bench *w, const bench_row *r)
{
    (void)w, (void)r;
    gnd_rkernel_free(norm);
    norm = gnd_reduction_kernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm", NULL,
                                NULL);
}

static gnd_array *reduction(bench *w, const bench_row *r)
{
    gnd_array *y = NULL;
    (void)r;
    w->st = gnd_reduction_call(norm, 1, &w->x, GND_ALL, 0, NULL, &y);
    return y;
}

/* --- the table -------------------------------------------------------------------------------- */

int bench_rows_kernels(const bench *w, bench_row *rows)
{
    int two = 0; /* the sizes that names tell are powers of two, or numbers */
    char size[24];
    while (((int64_t)1 << two) < w->n0)
        two++;
    if (((int64_t)1 << two) == w->n0)
        snprintf(size, sizeof size, "2p%d", two);
    else
        snprintf(size, sizeof size, "%lld", (long long)w->n0);
    rows[0] = (bench_row){.name = "user_kernel_1000",
                          .setup = compile,
                          .call = launch,
                          .dtype = GND_FLOAT32,
                          .dim = SMALL};
    rows[1] = (bench_row){.setup = make_squares,
                          .call = elementwise,
                          .dtype = GND_FLOAT32,
                          .bytes = 12.0 * (double)w->n,
                          .law = 'n'};
    snprintf(rows[1].name, sizeof rows[1].name, "user_elementwise_%.14s", size);
    rows[2] = (bench_row){.setup = make_norm,
                          .call = reduction,
                          .dtype = GND_FLOAT32,
                          .bytes = 4.0 * (double)w->n,
                          .law = 'n'};
    snprintf(rows[2].name, sizeof rows[2].name, "user_reduction_%.14s", size);
    return 3;
}

void bench_kernels_end(void)
{
    gnd_program_free(program);
    gnd_ekernel_free(squares);
    gnd_rkernel_free(norm);
    program = NULL;
    twice = NULL;
    squares = NULL;
    norm = NULL;
}
