/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_rng.c - the rows of gnd bench for random numbers. Each call draws on.
 */
#include "bench.h"

#include <stdio.h>

static gnd_rng rng = {0};

#define CALL(name, expr)                                                                           \
    static gnd_array *name(bench *w, const bench_row *r)                                           \
    {                                                                                              \
        (void)r;                                                                                   \
        return expr;                                                                               \
    }

CALL(run_rand, gnd_rng_random(&rng, w->dev, GND_FLOAT32, 1, &w->n))
CALL(run_randn, gnd_rng_standard_normal(&rng, w->dev, GND_FLOAT32, 1, &w->n))
CALL(run_randint, gnd_rng_integers(&rng, w->dev, GND_INT64, 1, &w->n, NULL, gnd_int(1000), 0))

/* pi/4 from pairs of numbers in the unit square. */
static gnd_array *run_mc_pi(bench *w, const bench_row *r)
{
    gnd_array *a = run_rand(w, r), *b = run_rand(w, r);
    gnd_array *d = gnd_add(gnd_multiply(a, a), gnd_multiply(b, b));
    return gnd_mean(gnd_less(d, gnd_int(1)), GND_ALL, 0);
}

static void put(bench_row **next, const char *name, gnd_array *(*call)(bench *, const bench_row *),
                double bytes)
{
    bench_row *r = (*next)++;
    *r = (bench_row){.call = call, .bytes = bytes, .dtype = GND_FLOAT32, .law = 'n'};
    snprintf(r->name, sizeof r->name, "%s", name);
}

int bench_rows_rng(const bench *w, bench_row *rows)
{
    const double n = (double)w->n;
    bench_row *p = rows;
    char name[32];
    int bits = 0;
    while ((int64_t)2 << bits <= w->n0)
        bits++;
    put(&p, "rand", run_rand, 4 * n);
    put(&p, "randn", run_randn, 4 * n);
    put(&p, "randint", run_randint, 8 * n);
    snprintf(name, sizeof name, "w_mc_pi_2p%d", bits);
    put(&p, name, run_mc_pi, 0);
    return (int)(p - rows);
}
