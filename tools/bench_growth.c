/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_growth.c - gnd bench --growth: each row at a sixteenth, a quarter and all of its elements, and how
 * the time grows beside the row's law. The three sizes are timed in turn, several rounds, and the best
 * batch of each counts, so that other work on the machine hits all of them. On a CPU device the time is that
 * of the process on all cores, which other work does not change.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 3, ROUNDS = 3 };

static int is_cpu(const bench *w)
{
    gnd_device_info info;
    return !gnd_device_describe(w->dev, &info) && !strcmp(info.kind, "cpu");
}

/* Inputs of one size, and its rows. */
typedef struct size {
    bench w;
    bench_row row[BENCH_MAX_ROWS], copy;
    int rows;
} size;

static const bench_row *find(const size *z, const char *name)
{
    for (int i = 0; i < z->rows; i++)
        if (!strcmp(z->row[i].name, name))
            return &z->row[i];
    return NULL;
}

/* Best seconds of a call for each size, smallest first. -1 on failure, 1 when a size lacks the row. */
static int time_sizes(size *z, const char *name, double *best, char *why)
{
    const bench_row *r[SIZES];
    int calls[SIZES], bad = 0;
    gnd_array *a[SIZES], *b[SIZES];
    for (int i = 0; i < SIZES; i++) {
        best[i] = HUGE_VAL;
        if (!(r[i] = find(&z[i], name)))
            return 1;
    }
    gnd_scope_begin();
    for (int i = 0; i < SIZES && !bad; i++) {
        bad = bench_setup(&z[i].w, r[i], why) || !(calls[i] = bench_calls(&z[i].w, r[i], why)) ? -1 : 0;
        a[i] = z[i].w.a;
        b[i] = z[i].w.b;
    }
    for (int k = 0; k < ROUNDS && !bad; k++)
        for (int i = 0; i < SIZES && !bad; i++) {
            z[i].w.a = a[i];
            z[i].w.b = b[i];
            double t = bench_batch(&z[i].w, r[i], calls[i], why);
            bad = t < 0 ? -1 : 0;
            best[i] = fmin(best[i], t / calls[i]);
        }
    gnd_scope_end();
    return bad;
}

/* By what factor the law lets the time of row `of` grow from size z to the next. */
static double law_ratio(const size *z, const bench_row *small, const bench_row *large)
{
    if (large->law == 'f')
        return large->flops / small->flops;
    double n = (double)z->w.n;
    return large->law == 'l' ? 4 * log(4 * n) / log(n) : 4;
}

static void print(const size *z, const bench_row *r, const double *t, int json)
{
    const bench_row *at[SIZES];
    const char *law = r->law == 'l' ? "n log n" : r->law == 'f' ? "operations" : "n";
    for (int i = 0; i < SIZES; i++)
        at[i] = find(&z[i], r->name);
    double law1 = law_ratio(&z[0], at[0], at[1]), law2 = law_ratio(&z[1], at[1], at[2]);
    if (json)
        printf("{\"row\": \"%s\", \"framework\": \"gnd\", \"device\": \"%s\", \"law\": \"%s\", "
               "\"growth_ms\": [%.6f, %.6f, %.6f], \"law_ratios\": [%.3f, %.3f]}\n",
               r->name, gnd_device_id(z->w.dev), law, 1e3 * t[0], 1e3 * t[1], 1e3 * t[2], law1, law2);
    else
        printf("%-22s %10.4f ms %10.4f ms %10.4f ms   x %5.2f (%.2f)  x %5.2f (%.2f)  %s\n", r->name, 1e3 * t[0],
               1e3 * t[1], 1e3 * t[2], t[1] / t[0], law1, t[2] / t[1], law2, law);
    fflush(stdout);
}

int bench_growth(bench *w, int n, const bench_row *rows, int json)
{
    size *z = calloc(SIZES, sizeof *z);
    int status = z ? EXIT_DONE : complain("bench", "out of memory");
    char why[BENCH_WHY] = "";
    double t[SIZES];
    for (int i = 0; i < SIZES && !status; i++) {
        z[i].w = *w;
        z[i].w.host = z[i].w.pinned = NULL;
        z[i].w.shrink = SIZES - 1 - i;
        z[i].w.cpu_time = is_cpu(w);
        z[i].w.n = w->n0 >> 2 * z[i].w.shrink;
        z[i].w.side = (int64_t)sqrt((double)z[i].w.n);
        z[i].rows = bench_all_rows(&z[i].w, z[i].row, &z[i].copy);
        status = bench_inputs(&z[i].w);
    }
    if (!status && !json)
        printf("%s: %lld, %lld and %lld elements; x: how often longer each is than the one before (by the law)\n",
               gnd_device_id(w->dev), (long long)z[0].w.n, (long long)z[1].w.n, (long long)z[2].w.n);
    for (int i = 0; i < n && !status; i++) {
        if (!rows[i].law)
            continue;
        progress_begin("bench: %s (%d of %d)", rows[i].name, i + 1, n);
        int bad = time_sizes(z, rows[i].name, t, why);
        progress_end();
        if (bad < 0)
            status = complain("bench", "%s: %s", rows[i].name, why);
        else if (!bad)
            print(z, &rows[i], t, json);
    }
    for (int i = 0; i < SIZES && z; i++) {
        bench_transfers_end(&z[i].w);
        free(z[i].w.host);
    }
    free(z);
    return status;
}
