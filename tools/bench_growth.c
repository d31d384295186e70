/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_growth.c - gnd bench --growth: each row at a sixteenth, a quarter and all of its elements,
 * and what an element costs by the row's law, beside the smallest size. The smallest size lies
 * beyond the device's cache; where that cannot be (CPUs whose caches are hundreds of MiB), caches
 * are emptied before each call. The sizes are timed in turn, several rounds, and the median of each
 * counts, so that other work on the machine hits all of them. On a CPU device the time is that of
 * the process on all cores, which other work does not change much.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 3, ROUNDS = 3, COLD_ROUNDS = 5, BASE = 24 /* many names tell 2^BASE elements */ };
static const double most = 1.25; /* how much more an element may cost than at the smallest size */

int64_t bench_growth_size(const gnd_device_info *info)
{
    const int gpu = !strcmp(info->kind, "gpu");
    int small = gpu ? 24 : 20;
    while (gpu && 4ull << small < info->cache_bytes && small < 30)
        small += 2;
    while (small > 16 && 64ull << small > info->mem_bytes / 64)
        small -= 2;
    return (int64_t)16 << small;
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

/* --- cold caches ------------------------------------------------------------------------------ */

/* What fills the caches with something else; NULL: they need not be emptied. */
static gnd_array *make_ballast(const bench *w, const bench *smallest)
{
    gnd_device_info info;
    if (gnd_device_describe(w->dev, &info) || (uint64_t)smallest->n * 4 >= info.cache_bytes)
        return NULL;
    const uint64_t bytes = fmin(2.0 * (double)info.cache_bytes, (double)info.mem_bytes / 8);
    gnd_array *a = gnd_ones(w->dev, GND_FLOAT32, 1, &(int64_t){(int64_t)(bytes / 4)});
    return gnd_wait(a) ? NULL : a;
}

/* Reads the ballast. Returns 0, or -1 and sets why. */
static int empty_caches(gnd_array *ballast, char *why)
{
    gnd_scope_begin();
    gnd_array *sum = gnd_sum(ballast, GND_ALL, 0);
    const int bad = gnd_wait(sum) != GND_OK;
    if (bad)
        snprintf(why, BENCH_WHY, "%s", gnd_error(sum));
    gnd_scope_end();
    return bad ? -1 : 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* --- timing ----------------------------------------------------------------------------------- */

/* Seconds of a call for each size, smallest first. -1 on failure, 1 when a size lacks the row. */
static int time_sizes(size *z, const char *name, gnd_array *ballast, double *t, char *why)
{
    const bench_row *r[SIZES];
    double all[SIZES][COLD_ROUNDS];
    int calls[SIZES], bad = 0, rounds = ballast ? COLD_ROUNDS : ROUNDS;
    gnd_array *a[SIZES], *b[SIZES];
    for (int i = 0; i < SIZES; i++)
        if (!(r[i] = find(&z[i], name)))
            return 1;
    gnd_scope_begin();
    for (int i = 0; i < SIZES && !bad; i++) {
        bad = bench_setup(&z[i].w, r[i], why) ? -1 : 0;
        calls[i] = 1;
        if (!bad && ballast)
            bad = bench_batch(&z[i].w, r[i], 1, why) < 0 ? -1 : 0; /* compiles */
        else if (!bad && !(calls[i] = bench_calls(&z[i].w, r[i], why)))
            bad = -1;
        a[i] = z[i].w.a;
        b[i] = z[i].w.b;
    }
    for (int k = 0; k < rounds && !bad; k++)
        for (int i = 0; i < SIZES && !bad; i++) {
            z[i].w.a = a[i];
            z[i].w.b = b[i];
            if (ballast && (bad = empty_caches(ballast, why)) != 0)
                break;
            all[i][k] = bench_batch(&z[i].w, r[i], calls[i], why) / calls[i];
            bad = all[i][k] < 0 ? -1 : 0;
            if (all[i][k] > 1)
                rounds = 3;
        }
    for (int i = 0; i < SIZES && !bad; i++) {
        qsort(all[i], (size_t)rounds, sizeof all[i][0], by_value);
        t[i] = all[i][rounds / 2];
    }
    gnd_scope_end();
    return bad;
}

/* By what factor the law lets the time of a row of z grow to four times as many elements. */
static double law_ratio(const size *z, const bench_row *r)
{
    const double n =
        r->dim && r->text ? (double)r->dim * (double)(r->dim2 ? r->dim2 : 1) : (double)z->w.n;
    return r->law == 'q' ? 8 : r->law == 'l' ? 4 * log(4 * n) / log(n) : 4;
}

static void print(const size *z, const bench_row *r, const double *t, int json)
{
    const char *law = r->law == 'l' ? "n log n" : r->law == 'q' ? "n^1.5" : "n";
    const double law1 = law_ratio(&z[0], find(&z[0], r->name)),
                 law2 = law_ratio(&z[1], find(&z[1], r->name));
    const double cost[2] = {t[1] / t[0] / law1, t[2] / t[0] / law1 / law2};
    const int holds = cost[0] <= most && cost[1] <= most;
    if (json)
        printf(
            "{\"row\": \"%s\", \"framework\": \"gnd\", \"device\": \"%s\", \"n\": %lld, \"law\": \"%s\", "
            "\"growth_ms\": [%.6f, %.6f, %.6f], \"cost\": [1, %.3f, %.3f], \"holds\": %s}\n",
            r->name, gnd_device_id(z->w.dev), (long long)z[SIZES - 1].w.n, law, 1e3 * t[0],
            1e3 * t[1], 1e3 * t[2], cost[0], cost[1], holds ? "true" : "false");
    else
        printf("%-24s %-7s %10.4f ms %10.4f ms %10.4f ms   1.00 %5.2f %5.2f%s\n", r->name, law,
               1e3 * t[0], 1e3 * t[1], 1e3 * t[2], cost[0], cost[1],
               holds ? "" : "  more than the law");
    fflush(stdout);
}

/* Size i of w. Rows whose names tell a size have it at the largest; where the smallest has as many
 * elements as most of those names tell, at the smallest; but those of n^1.5 operations then in the
 * middle, or they took minutes. */
static int make_size(size *z, const bench *w, int i)
{
    const int down = SIZES - 1 - i, large = w->n0 >> 4 >= 1 << BASE;
    z->w = *w;
    z->w.host = z->w.pinned = NULL;
    z->w.cpu_time = !w->gpu;
    z->w.on_device = w->gpu;
    z->w.shrink = large ? down - 2 : down;
    z->w.by_work = large;
    z->w.n = w->n0 >> 2 * down;
    z->w.side = (int64_t)sqrt((double)z->w.n);
    z->rows = bench_all_rows(&z->w, z->row, &z->copy);
    return bench_inputs(&z->w);
}

int bench_growth(bench *w, int n, const bench_row *rows, int json)
{
    size *z = calloc(SIZES, sizeof *z);
    int status = z ? EXIT_DONE : complain("bench", "out of memory");
    gnd_array *ballast = NULL;
    char why[BENCH_WHY] = "";
    double t[SIZES];
    for (int i = 0; i < SIZES && !status; i++)
        status = make_size(&z[i], w, i);
    const int ready = !status;
    if (ready)
        ballast = make_ballast(w, &z[0].w);
    if (ready && !json)
        printf(
            "%s: %lld, %lld and %lld elements%s; what an element costs, by the law, beside the smallest\n",
            gnd_device_id(w->dev), (long long)z[0].w.n, (long long)z[1].w.n, (long long)z[2].w.n,
            ballast ? ", caches emptied before each call" : "");
    for (int i = 0; i < n && ready; i++) {
        if (!rows[i].law)
            continue;
        progress_begin("bench: %s (%d of %d)", rows[i].name, i + 1, n);
        int bad = time_sizes(z, rows[i].name, ballast, t, why);
        progress_end();
        if (bad < 0)
            status = complain("bench", "%s: %s", rows[i].name, why);
        else if (!bad)
            print(z, &rows[i], t, json);
    }
    for (int i = 0; i < SIZES && z; i++) {
        bench_transfers_end(&z[i].w);
        bench_replay_end(&z[i].w);
        free(z[i].w.host);
    }
    free(z);
    return status;
}
