/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_science.c - the rows of gnd bench for transforms, decompositions, and whole workloads (w_...).
 * A row is an expression in NumPy's syntax, as a user would write it; setups are expressions too, of
 * random numbers x (w->n of them in [0, 1)) and y.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* --- workloads ---------------------------------------------------------------------------------- */

static const char heat[] = /* one of 50 steps */
    "u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])\n"
    "u";
static const char black_scholes[] =
    "S = 50 + 50 * a[0]; K = 50 + 50 * a[1]; T = 0.1 + 2 * a[2]\n"
    "d1 = (log(S / K) + (0.02 + 0.5 * 0.09) * T) / (0.3 * sqrt(T)); d2 = d1 - 0.3 * sqrt(T)\n"
    "S * ndtr(d1) - K * exp(-0.02 * T) * ndtr(d2)";
static const char nbody[] =
    "r = a[None] - a[:, None]; d2 = (r * r).sum(-1) + 1e-3\n"
    "(r / (d2 * sqrt(d2))[..., None]).sum(1)";
static const char kmeans[] =
    "dist = (a * a).sum(1)[:, None] - 2 * a @ b.T + (b * b).sum(1)[None]; lab = dist.argmin(1)\n"
    "hot = (lab == arange(16)[:, None]).astype(float32)\n"
    "hot @ a / hot.sum(1)[:, None]";
static const char mandelbrot[] = "z = z * z + c; n = n + (abs(z) < 2)";
static const char pairdist[] = "sqrt(((a[:, None] - a[None])**2).sum(-1))";

/* The value of text, with a and b. */
static gnd_array *value(bench *w, const char *text)
{
    return gnd_eval(w->dev, text, "a", w->a, "b", w->b ? w->b : w->x, "x", w->x, "y", w->y, NULL);
}

static gnd_array *run_text(bench *w, const bench_row *r)
{
    return value(w, r->text);
}

/* u after 50 steps. */
static gnd_array *run_heat(bench *w, const bench_row *r)
{
    gnd_array *u = w->a;
    (void)r;
    gnd_scope_begin();
    for (int i = 0; i < 50; i++)
        u = gnd_eval(w->dev, heat, "u", u, NULL);
    gnd_keep(u);
    gnd_scope_end();
    return u;
}

static gnd_array *run_mandelbrot(bench *w, const bench_row *r)
{
    (void)r;
    gnd_scope_begin();
    gnd_array *z = gnd_zeros_like(w->a, GND_DTYPE_DEFAULT);
    gnd_array *n = gnd_zeros(w->dev, GND_INT32, 2, (int64_t[]){ 2048, 2048 });
    for (int i = 0; i < 50; i++) {
        z = gnd_eval(w->dev, "z * z + c", "z", z, "c", w->a, NULL);
        n = gnd_eval(w->dev, "n + (abs(z) < 2)", "z", z, "n", n, NULL);
    }
    gnd_keep(n);
    gnd_scope_end();
    return n;
}

/* All results of a decomposition, evaluated. */
static gnd_array *run_qr(bench *w, const bench_row *r)
{
    gnd_array *y[2];
    (void)r;
    gnd_scope_begin();
    w->st = gnd_qr(w->a, 0, &y[0], &y[1]);
    if (!w->st)
        w->st = gnd_eval_all(2, y);
    gnd_scope_end();
    return NULL;
}

static gnd_array *run_svd(bench *w, const bench_row *r)
{
    gnd_array *y[3];
    (void)r;
    gnd_scope_begin();
    w->st = gnd_svd(w->a, 1, &y[0], &y[1], &y[2]);
    if (!w->st)
        w->st = gnd_eval_all(3, y);
    gnd_scope_end();
    return NULL;
}

static gnd_array *run_eigh(bench *w, const bench_row *r)
{
    gnd_array *y[2];
    (void)r;
    gnd_scope_begin();
    w->st = gnd_eigh(w->a, 0, &y[0], &y[1]);
    if (!w->st)
        w->st = gnd_eval_all(2, y);
    gnd_scope_end();
    return NULL;
}

/* --- inputs ------------------------------------------------------------------------------------- */

/* a is a random array of the row's shape; the row's `make` may then make another thing of it. */
static void make_input(bench *w, const bench_row *r)
{
    int64_t shape[2] = { r->dim, r->dim2 };
    w->a = bench_random(w, GND_FLOAT32, r->dim2 ? 2 : 1, shape, 21);
    w->b = bench_random(w, GND_FLOAT32, r->dim2 ? 2 : 1, shape, 22);
    if (r->make)
        w->a = value(w, r->make);
    if (r->dtype != GND_FLOAT32 && gnd_dtype_of(w->a) == GND_FLOAT32) {
        w->a = gnd_astype(w->a, r->dtype);
        w->b = gnd_astype(w->b, r->dtype);
    }
}

static void make_kmeans(bench *w, const bench_row *r)
{
    int64_t points[2] = { 1000000, 32 }, centres[2] = { 16, 32 };
    (void)r;
    w->a = bench_random(w, GND_FLOAT32, 2, points, 23);
    w->b = bench_random(w, GND_FLOAT32, 2, centres, 24);
}

static void make_mandelbrot(bench *w, const bench_row *r)
{
    (void)r;
    w->a = gnd_eval(w->dev, "(linspace(-2, 1, 2048, dtype=float32)[None] + "
                    "1j * linspace(-1.5, 1.5, 2048, dtype=float32)[:, None]).astype(complex64)", NULL);
}

/* --- the table ---------------------------------------------------------------------------------- */

typedef gnd_array *call_fn(bench *w, const bench_row *r);

static bench_row *put(bench_row **next, const char *name, const char *text, const char *make,
                      int64_t dim, int64_t dim2)
{
    bench_row *r = (*next)++;
    *r = (bench_row){ .setup = make_input, .call = run_text, .text = text, .make = make,
                      .dtype = GND_FLOAT32, .dim = dim, .dim2 = dim2 };
    snprintf(r->name, sizeof r->name, "%s", name);
    return r;
}

int bench_rows_science(const bench *w, bench_row *rows)
{
    static const char complex_input[] = "(a + 1j * b).astype(complex64)";
    const int f64 = gnd_default_float(w->dev) == GND_FLOAT64;
    bench_row *p = rows;
    const double n = (double)(1 << 24);

    put(&p, "fft_2p24", "fft(a)", complex_input, 1 << 24, 0)->bytes = 16 * n;
    put(&p, "rfft_2p24", "rfft(a)", NULL, 1 << 24, 0)->bytes = 8 * n;
    put(&p, "fft2_4096", "fft2(a)", complex_input, 4096, 4096)->bytes = 32 * n;
    put(&p, "fft_batched_4096", "fft(a)", complex_input, 4096, 4096)->bytes = 16 * n;
    put(&p, "fft_prime_1000003", "fft(a)", complex_input, 1000003, 0);
    put(&p, "cholesky_f32_4096", "cholesky(a)", "a @ a.T + 4096 * eye(4096, dtype=float32)", 4096, 4096);
    if (f64)
        put(&p, "solve_f64_4096", "solve(a, b[:, 0])", NULL, 4096, 4096)->dtype = GND_FLOAT64;
    put(&p, "inv_f32_4096", "inv(a)", NULL, 4096, 4096);
    put(&p, "qr_f32_8192x1024", NULL, NULL, 8192, 1024)->call = run_qr;
    put(&p, "svd_f32_1024", NULL, NULL, 1024, 1024)->call = run_svd;
    put(&p, "eigh_f32_2048", NULL, "a @ a.T + 4096 * eye(2048, dtype=float32)", 2048, 2048)->call = run_eigh;

    put(&p, "w_heat_4096x50", NULL, NULL, 4096, 4096)->call = run_heat;
    put(&p, "w_blackscholes_1e7", black_scholes, NULL, 3, 10000000)->bytes = 16e7;
    put(&p, "w_nbody_8192", nbody, NULL, 8192, 3);
    put(&p, "w_kmeans_step_1e6x32x16", kmeans, NULL, 0, 0)->setup = make_kmeans;
    put(&p, "w_mandelbrot_2048x50", mandelbrot, NULL, 0, 0)->setup = make_mandelbrot;
    p[-1].call = run_mandelbrot;
    put(&p, "w_pairdist_4096x32", pairdist, NULL, 4096, 32);
    return (int)(p - rows);
}
