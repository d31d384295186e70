/* SPDX-License-Identifier: BSD-3-Clause
 *
 * programs_c - four of the programs of examples/ as plain loops of C on one core, at the sizes of
 * `tests/programs/programs.py --times`: the median of 5 runs in ms, and a result that the examples
 * print, too.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t factor[3] = {2654435769, 3242174889, 2447445413};

static int64_t spread(int64_t i, int k)
{
    return (i * factor[k] & 0xffffffff) >> 8;
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) {
        fputs("programs_c: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

/* --- the wave equation: arrays with an edge of zeros ------------------------------------------ */

enum { GRID = 512, WIDE = GRID + 2, WAVES = 500 };

static double wave(void)
{
    float *before = room(WIDE * WIDE, sizeof *before), *u = room(WIDE * WIDE, sizeof *u);
    for (int i = 1; i <= GRID; i++)
        for (int j = 1; j <= GRID; j++) {
            const double y = i / (GRID + 1.0) - 0.3, x = j / (GRID + 1.0) - 0.4;
            u[i * WIDE + j] = before[i * WIDE + j] = (float)exp(-200 * (x * x + y * y));
        }
    for (int k = 0; k < WAVES; k++) {
        for (int i = 1; i <= GRID; i++) {
            const float *up = u + (i - 1) * WIDE, *here = u + i * WIDE, *down = u + (i + 1) * WIDE;
            float *next = before + i * WIDE;
            for (int j = 1; j <= GRID; j++)
                next[j] = 2 * here[j] - next[j] +
                          0.25f * (up[j] + down[j] + (here[j - 1] + here[j + 1]) - 4 * here[j]);
        }
        float *swap = before;
        before = u;
        u = swap;
    }
    double r = u[(GRID / 2 + 1) * WIDE + GRID / 2 + 1];
    free(before);
    free(u);
    return r;
}

/* --- PageRank
 * ----------------------------------------------------------------------------------------------------
 */

enum { PAGES = 200000, LINKS = 8 * PAGES };

static int32_t from[LINKS], to[LINKS];
static float out[PAGES];

static void links(void)
{
    for (int64_t i = 0; i < LINKS; i++) {
        from[i] = (int32_t)(spread(i, 0) * (PAGES - PAGES / 10) >> 24);
        to[i] = (int32_t)((spread(i, 1) * spread(i, 1) >> 24) * PAGES >> 24);
        out[from[i]]++;
    }
}

static double pagerank(void)
{
    static float rank[PAGES], share[PAGES];
    static double come[PAGES];
    for (int i = 0; i < PAGES; i++)
        rank[i] = 1.0F / PAGES;
    for (double change = 1; change > 1e-6;) {
        double stuck = change = 0;
        for (int i = 0; i < PAGES; i++) {
            if (out[i] == 0)
                stuck += rank[i];
            share[i] = rank[i] / (out[i] > 1 ? out[i] : 1);
            come[i] = 0;
        }
        for (int i = 0; i < LINKS; i++)
            come[to[i]] += share[from[i]];
        for (int i = 0; i < PAGES; i++) {
            float next = (float)(0.85 * (come[i] + stuck / PAGES) + 0.15 / PAGES);
            change += fabs((double)next - rank[i]);
            rank[i] = next;
        }
    }
    return rank[0];
}

/* --- k-means
 * -----------------------------------------------------------------------------------------------------
 */

enum { CLOUDS = 6, POINTS = CLOUDS * 20000 };

static float points[POINTS][2];

static void clouds(void)
{
    const double turn = 6.283185307179586;
    for (int i = 0; i < POINTS; i++) {
        const double way = turn * ((double)spread(i, 1) + 0.5) * 0x1p-24,
                     at = turn * (i % CLOUDS) / CLOUDS;
        const double away = 2.5 * sqrt(-2 * log(((double)spread(i, 2) + 0.5) * 0x1p-24));
        points[i][0] = (float)(10 * cos(at) + away * cos(way));
        points[i][1] = (float)(10 * sin(at) + away * sin(way));
    }
}

/* Labels by the nearest centre; how many changed, and the squared distances in sum. */
static int label(float c[CLOUDS][2], int *nearest, double *sum)
{
    int changed = 0;
    *sum = 0;
    for (int i = 0; i < POINTS; i++) {
        int best = 0;
        float least = INFINITY;
        for (int k = 0; k < CLOUDS; k++) {
            const float x = points[i][0] - c[k][0], y = points[i][1] - c[k][1], d = x * x + y * y;
            if (d < least) {
                least = d;
                best = k;
            }
        }
        changed += nearest[i] != best;
        nearest[i] = best;
        *sum += least;
    }
    return changed;
}

static double kmeans(void)
{
    static int nearest[POINTS];
    float c[CLOUDS][2];
    double sum;
    for (int k = 0; k < CLOUDS; k++)
        for (int d = 0; d < 2; d++)
            c[k][d] = 0.1F * points[k][d];
    label(c, nearest, &sum);
    do {
        double mean[CLOUDS][3] = {{0}};
        for (int i = 0; i < POINTS; i++) {
            mean[nearest[i]][0] += points[i][0];
            mean[nearest[i]][1] += points[i][1];
            mean[nearest[i]][2] += 1;
        }
        for (int k = 0; k < CLOUDS; k++)
            for (int d = 0; d < 2 && mean[k][2] > 0; d++)
                c[k][d] = (float)(mean[k][d] / mean[k][2]);
    } while (label(c, nearest, &sum) > 0);
    return sum / POINTS;
}

/* --- bodies
 * ------------------------------------------------------------------------------------------------------
 */

enum { BODIES = 512, MOVES = 50 };

static void pull(double x[BODIES][3], double a[BODIES][3])
{
    for (int i = 0; i < BODIES; i++) {
        double s[3] = {0};
        for (int j = 0; j < BODIES; j++) {
            const double d0 = x[j][0] - x[i][0], d1 = x[j][1] - x[i][1], d2 = x[j][2] - x[i][2];
            const double r2 = d0 * d0 + d1 * d1 + d2 * d2 + 0.01,
                         w = 1.0 / BODIES / (r2 * sqrt(r2));
            s[0] += w * d0;
            s[1] += w * d1;
            s[2] += w * d2;
        }
        memcpy(a[i], s, sizeof s);
    }
}

static double nbody(void)
{
    static double x[BODIES][3], v[BODIES][3], a[BODIES][3];
    const double dt = 0.01;
    for (int i = 0; i < BODIES; i++) {
        const double u = (i + 0.5) / BODIES, turn = 2.399963229728653 * i,
                     r = cbrt(fmod(i * 0.618033988749895, 1));
        const double flat = sqrt(1 - (2 * u - 1) * (2 * u - 1));
        const double start[3] = {r * flat * cos(turn), r * flat * sin(turn), r * (2 * u - 1)};
        memcpy(x[i], start, sizeof start);
    }
    memset(v, 0, sizeof v);
    pull(x, a);
    for (int k = 0; k < MOVES; k++) {
        for (int i = 0; i < BODIES; i++)
            for (int d = 0; d < 3; d++) {
                v[i][d] += 0.5 * dt * a[i][d];
                x[i][d] += dt * v[i][d];
            }
        pull(x, a);
        for (int i = 0; i < BODIES; i++)
            for (int d = 0; d < 3; d++)
                v[i][d] += 0.5 * dt * a[i][d];
    }
    double sum = 0;
    for (int i = 0; i < BODIES; i++)
        for (int d = 0; d < 3; d++)
            sum += x[i][d] * x[i][d];
    return sqrt(sum / BODIES);
}

/* --- times
 * -------------------------------------------------------------------------------------------------------
 */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void timed(const char *name, double (*work)(void))
{
    double ms[5], result = work();
    for (int i = 0; i < 5; i++) {
        struct timespec a, b;
        timespec_get(&a, TIME_UTC);
        result = work();
        timespec_get(&b, TIME_UTC);
        ms[i] = 1e3 * (double)(b.tv_sec - a.tv_sec) + 1e-6 * (double)(b.tv_nsec - a.tv_nsec);
    }
    qsort(ms, 5, sizeof *ms, by_value);
    printf("%-10s %8.1f ms   %.7g\n", name, ms[2], result);
}

int main(void)
{
    links();
    clouds();
    timed("kmeans", kmeans);
    timed("wave", wave);
    timed("pagerank", pagerank);
    timed("nbody", nbody);
    return 0;
}
