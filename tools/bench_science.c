/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_science.c - the rows of gnd bench for transforms, decompositions, and whole workloads
 * (w_...). A row is an expression in NumPy's syntax, as a user would write it; setups are
 * expressions too, of random numbers x (w->n of them in [0, 1)) and y.
 */
#include "bench.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- workloads -------------------------------------------------------------------------------- */

static const char heat[] = /* one of 50 steps */
    "u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])\n"
    "u";
static const char black_scholes[] =
    "S = 50 + 50 * a[0]; K = 50 + 50 * a[1]; T = 0.1 + 2 * a[2]\n"
    "d1 = (log(S / K) + (0.02 + 0.5 * 0.09) * T) / (0.3 * sqrt(T)); d2 = d1 - 0.3 * sqrt(T)\n"
    "S * ndtr(d1) - K * exp(-0.02 * T) * ndtr(d2)";
static const char nbody[] = "r = a[None] - a[:, None]; d2 = (r * r).sum(-1) + 1e-3\n"
                            "(r / (d2 * sqrt(d2))[..., None]).sum(1)";
static const char kmeans[] =
    "dist = (a * a).sum(1)[:, None] - 2 * a @ b.T + (b * b).sum(1)[None]; lab = dist.argmin(1)\n"
    "hot = (lab == arange(16)[:, None]).astype(float32)\n"
    "hot @ a / hot.sum(1)[:, None]";
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

/* u after 50 steps. Each step is its own scope, and gnd_assign lets the array before go. */
static gnd_array *run_heat(bench *w, const bench_row *r)
{
    gnd_array *u = gnd_retain(w->a), *last;
    (void)r;
    for (int i = 0; i < 49; i++) {
        gnd_scope_begin();
        gnd_assign(&u, gnd_eval(w->dev, heat, "u", u, NULL));
        w->st = gnd_eval_all(1, &u); /* does not wait, so at most two are stored */
        gnd_scope_end();
    }
    last = gnd_eval(w->dev, heat, "u", u, NULL);
    gnd_release(u);
    return last;
}

gnd_array *bench_heat(bench *w, gnd_array *u, int steps)
{
    gnd_scope_begin();
    for (int i = 0; i < steps; i++)
        u = gnd_eval(w->dev, heat, "u", u, NULL);
    gnd_keep(u);
    gnd_scope_end();
    return u;
}

static gnd_array *run_mandelbrot(bench *w, const bench_row *r)
{
    static const char step[] = "z * z + c", count[] = "n + (abs(z) < 2)";
    gnd_array *z = gnd_retain(gnd_zeros_like(w->a, GND_DTYPE_DEFAULT)), *last;
    gnd_array *n = gnd_retain(gnd_zeros(w->dev, GND_INT32, 2, (int64_t[]){r->dim, r->dim}));
    for (int i = 0; i < 49; i++) {
        gnd_scope_begin();
        gnd_assign(&z, gnd_eval(w->dev, step, "z", z, "c", w->a, NULL));
        gnd_assign(&n, gnd_eval(w->dev, count, "z", z, "n", n, NULL));
        if (i % 5 == 4)
            w->st = gnd_eval_all(2, (gnd_array *[]){z, n}); /* one kernel makes five steps */
        gnd_scope_end();
    }
    last =
        gnd_eval(w->dev, count, "z", gnd_eval(w->dev, step, "z", z, "c", w->a, NULL), "n", n, NULL);
    gnd_release(z);
    gnd_release(n);
    return last;
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

/* --- inputs ----------------------------------------------------------------------------------- */

/* Whether an expression has the name b in it. */
static int names_b(const char *s)
{
    for (const char *p = s ? strchr(s, 'b') : NULL; p; p = strchr(p + 1, 'b'))
        if ((p == s || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[1]) &&
            p[1] != '_')
            return 1;
    return 0;
}

/* a is a random array of the row's shape, b another where the row's expressions have one; the row's
 * `make` may then make another thing of a. */
static void make_input(bench *w, const bench_row *r)
{
    int64_t shape[2] = {r->dim, r->dim2};
    w->a = bench_random(w, GND_FLOAT32, r->dim2 ? 2 : 1, shape, 21);
    if (names_b(r->make) || names_b(r->text))
        w->b = bench_random(w, GND_FLOAT32, r->dim2 ? 2 : 1, shape, 22);
    if (r->make) {
        w->a = value(w, r->make);
        w->b = NULL;
    }
    if (r->dtype != GND_FLOAT32 && gnd_dtype_of(w->a) == GND_FLOAT32) {
        w->a = gnd_astype(w->a, r->dtype);
        w->b = w->b ? gnd_astype(w->b, r->dtype) : NULL;
    }
}

static void make_kmeans(bench *w, const bench_row *r)
{
    int64_t points[2] = {r->dim, 32}, centres[2] = {16, 32};
    w->a = bench_random(w, GND_FLOAT32, 2, points, 23);
    w->b = bench_random(w, GND_FLOAT32, 2, centres, 24);
}

static void make_mandelbrot(bench *w, const bench_row *r)
{
    w->a = gnd_eval(w->dev,
                    "(linspace(-2, 1, side, dtype=float32)[None] + "
                    "1j * linspace(-1.5, 1.5, side, dtype=float32)[:, None]).astype(complex64)",
                    "side", gnd_int(r->dim), NULL);
}

/* --- the table -------------------------------------------------------------------------------- */

typedef gnd_array *call_fn(bench *w, const bench_row *r);

static bench_row *put(bench_row **next, const char *name, const char *text, const char *make,
                      int64_t dim, int64_t dim2)
{
    bench_row *r = (*next)++;
    *r = (bench_row){.setup = make_input,
                     .call = run_text,
                     .text = text,
                     .make = make,
                     .dtype = GND_FLOAT32,
                     .dim = dim,
                     .dim2 = dim2,
                     .law = 'n'};
    snprintf(r->name, sizeof r->name, "%s", name);
    return r;
}

/* The next dense row: so many operations in leading order. */
static void dense(bench_row *r, double flops)
{
    r->flops = flops;
    r->law = 'q';
}

static void needs(bench_row *r, double bytes, const char *what)
{
    r->extra = bytes;
    r->extra_for = what;
}

int bench_rows_science(const bench *w, bench_row *rows)
{
    static const char complex_input[] = "(a + 1j * b).astype(complex64)";
    static const char definite[] = "a @ a.T + a.shape[0] * eye(a.shape[0], dtype=float32)";
    static const int64_t primes[] = {64000031, 16000057, 4000037, 1000003, 250007, 62501, 15629};
    const int64_t length = bench_size(w, 1 << 24, 0), side = bench_side(w, 4096, 0),
                  s1 = bench_side(w, 1024, 1);
    const int64_t points = bench_size(w, 1000000, 0), dside = bench_side(w, 4096, 1),
                  mside = bench_side(w, 2048, 0);
    const double n = (double)length, s3 = pow((double)dside, 3), m = pow((double)mside, 2);
    bench_row *p = rows;

    put(&p, "fft_2p24", "fft(a)", complex_input, length, 0)->bytes = 16 * n;
    p[-1].law = 'l';
    put(&p, "rfft_2p24", "rfft(a)", NULL, length, 0)->bytes = 8 * n;
    p[-1].law = 'l';
    put(&p, "fft2_4096", "fft2(a)", complex_input, side, side)->bytes = 32 * n;
    p[-1].law = 'l';
    put(&p, "fft_batched_4096", "fft(a)", complex_input, side, side)->bytes = 16 * n;
    p[-1].law = 'l';
    put(&p, "fft_prime_1000003", "fft(a)", complex_input, primes[w->shrink + 3], 0)->law = 'l';
    dense(put(&p, "cholesky_f32_4096", "cholesky(a)", definite, dside, dside), s3 / 3);
    put(&p, "solve_f64_4096", "solve(a, b[:, 0])", NULL, dside, dside)->dtype = GND_FLOAT64;
    dense(p - 1, 2 * s3 / 3);
    dense(put(&p, "inv_f32_4096", "inv(a)", NULL, dside, dside), 2 * s3);
    put(&p, "qr_f32_8192x1024", NULL, NULL, 8 * s1, s1)->call = run_qr;
    dense(p - 1, (16 - 2.0 / 3) * pow((double)s1, 3));
    put(&p, "svd_f32_1024", NULL, NULL, s1, s1)->call = run_svd;
    dense(p - 1, 22 * pow((double)s1, 3));
    put(&p, "eigh_f32_2048", NULL, definite, 2 * s1, 2 * s1)->call = run_eigh;
    dense(p - 1, 9 * pow(2.0 * (double)s1, 3));

    put(&p, "w_heat_4096x50", NULL, NULL, side, side)->call = run_heat;
    needs(p - 1, 4 * n, "the state before a step");
    put(&p, "w_blackscholes_1e7", black_scholes, NULL, 3, 10 * points)->bytes =
        160 * (double)points;
    put(&p, "w_nbody_8192", nbody, NULL, 2 * side, 3);
    put(&p, "w_kmeans_step_1e6x32x16", kmeans, NULL, points, 0)->setup = make_kmeans;
    needs(p - 1, (4 * 32 + 4 * 16 + 4 + 8) * (double)points,
          "2a, the distances, the squares' sums, the labels");
    put(&p, "w_mandelbrot_2048x50", NULL, NULL, mside, 0)->setup = make_mandelbrot;
    p[-1].call = run_mandelbrot;
    needs(p - 1, (2 * 8 + 4) * m, "z before and after, the counts before");
    put(&p, "w_pairdist_4096x32", pairdist, NULL, side, 32);
    return (int)(p - rows);
}
