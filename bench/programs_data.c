/* SPDX-License-Identifier: BSD-3-Clause
 *
 * programs_data.c - see programs_data.h.
 */
#include "programs_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int64_t factor[3] = {2654435769, 3242174889, 2447445413};

int64_t programs_spread(int64_t i, int k)
{
    return (i * factor[k] & 0xffffffff) >> 8;
}

void *programs_room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) {
        fputs("programs_c: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

double programs_unit(int64_t i, int k)
{
    return ((double)programs_spread(i, k) + 0.5) * 0x1p-24;
}

/* --- PageRank --------------------------------------------------------------------------------- */

enum { PAGES = 200000, LINKS = 8 * PAGES };

static int32_t from[LINKS], to[LINKS];
static float out[PAGES];

static void links(void)
{
    for (int64_t i = 0; i < LINKS; i++) {
        from[i] = (int32_t)(programs_spread(i, 0) * (PAGES - PAGES / 10) >> 24);
        to[i] = (int32_t)((programs_spread(i, 1) * programs_spread(i, 1) >> 24) * PAGES >> 24);
        out[from[i]]++;
    }
}

double programs_pagerank(void)
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

/* --- k-means ---------------------------------------------------------------------------------- */

enum { CLOUDS = 6, POINTS = CLOUDS * 20000 };

static float points[POINTS][2];

static void clouds(void)
{
    const double turn = 6.283185307179586;
    for (int i = 0; i < POINTS; i++) {
        const double way = turn * ((double)programs_spread(i, 1) + 0.5) * 0x1p-24,
                     at = turn * (i % CLOUDS) / CLOUDS;
        const double away = 2.5 * sqrt(-2 * log(((double)programs_spread(i, 2) + 0.5) * 0x1p-24));
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

double programs_kmeans(void)
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

/* --- principal components --------------------------------------------------------------------- */

enum { ROWS = 500000, COLUMNS = 16, KEPT = 3 };

static float (*table)[COLUMNS];

static void fill_table(void)
{
    table = programs_room(ROWS, sizeof *table);
    for (int64_t i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double v = 0.1 * (programs_unit(16 * i + j, 0) - 0.5);
            for (int k = 0; k < KEPT; k++)
                v += (programs_unit(i, k) - 0.5) * (3 - k) * cos((k + 1) * (j + 1.0));
            table[i][j] = (float)v;
        }
}

/* Eigenvalues of the symmetric matrix a on its diagonal, eigenvectors in the columns of v: cyclic
 * Jacobi rotations (Golub and Van Loan, "Matrix Computations", 8.5). */
static void jacobi(double a[COLUMNS][COLUMNS], double v[COLUMNS][COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < COLUMNS; j++)
            v[i][j] = i == j;
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < COLUMNS; p++)
            for (int q = p + 1; q < COLUMNS; q++) {
                if (a[p][q] == 0)
                    continue;
                const double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau));
                const double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < COLUMNS; k++) {
                    const double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < COLUMNS; k++) {
                    const double x = a[p][k], y = a[q][k], z = v[k][p], w = v[k][q];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    v[k][p] = c * z - s * w;
                    v[k][q] = s * z + c * w;
                }
            }
}

double programs_pca(void)
{
    double mean[COLUMNS] = {0}, a[COLUMNS][COLUMNS] = {{0}}, v[COLUMNS][COLUMNS], left = 0;
    float m[COLUMNS], axis[KEPT][COLUMNS];
    int order[KEPT];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            mean[j] += table[i][j];
    for (int j = 0; j < COLUMNS; j++)
        m[j] = (float)(mean[j] / ROWS);
    for (int i = 0; i < ROWS; i++) {
        float x[COLUMNS];
        for (int j = 0; j < COLUMNS; j++)
            x[j] = table[i][j] - m[j];
        for (int j = 0; j < COLUMNS; j++)
            for (int k = 0; k < COLUMNS; k++)
                a[j][k] += (double)(x[j] * x[k]);
    }
    for (int j = 0; j < COLUMNS; j++)
        for (int k = 0; k < COLUMNS; k++)
            a[j][k] /= ROWS - 1;
    jacobi(a, v);
    for (int k = 0; k < KEPT; k++) {
        order[k] = -1;
        for (int j = 0; j < COLUMNS; j++)
            if (j != order[0] && (k < 2 || j != order[1]) &&
                (order[k] < 0 || a[j][j] > a[order[k]][order[k]]))
                order[k] = j;
        for (int j = 0; j < COLUMNS; j++)
            axis[k][j] = (float)v[j][order[k]];
    }
    for (int i = 0; i < ROWS; i++) {
        float x[COLUMNS], score[KEPT] = {0};
        for (int j = 0; j < COLUMNS; j++)
            x[j] = table[i][j] - m[j];
        for (int k = 0; k < KEPT; k++)
            for (int j = 0; j < COLUMNS; j++)
                score[k] += x[j] * axis[k][j];
        for (int j = 0; j < COLUMNS; j++) {
            float r = x[j];
            for (int k = 0; k < KEPT; k++)
                r -= score[k] * axis[k][j];
            left += (double)(r * r);
        }
    }
    return sqrt(left / ((double)ROWS * COLUMNS));
}

/* --- logistic regression, float64 ------------------------------------------------------------- */

enum { SAMPLES = 500000 };

static double (*sample)[5]; /* 1, three numbers and the answer */

static void fill_samples(void)
{
    static const double step[3] = {0.618033988749895, 0.754877666246693, 0.819172513396164};
    sample = programs_room(SAMPLES, sizeof *sample);
    for (int i = 0; i < SAMPLES; i++) {
        double *x = sample[i];
        x[0] = 1;
        for (int k = 0; k < 3; k++)
            x[k + 1] = fmod((i + 1) * step[k], 1) - 0.5;
        x[4] = 3 * x[1] - 2 * x[2] + x[3] + 0.25 > sin(i + 1.0);
    }
}

double programs_logistic(void)
{
    double w[4] = {0};
    for (int round = 0; round < 50; round++) {
        double h[4][5] = {{0}}, most = 0;
        for (int i = 0; i < SAMPLES; i++) {
            const double *x = sample[i];
            const double p =
                1 / (1 + exp(-(x[0] * w[0] + x[1] * w[1] + x[2] * w[2] + x[3] * w[3])));
            for (int j = 0; j < 4; j++) {
                for (int k = 0; k < 4; k++)
                    h[j][k] += x[j] * x[k] * (p * (1 - p));
                h[j][4] += x[j] * (x[4] - p);
            }
        }
        for (int j = 0; j < 4; j++) /* positive definite: no pivots are needed */
            for (int i = 0; i < 4; i++) {
                const double f = i == j ? 0 : h[i][j] / h[j][j];
                for (int k = j; k < 5 && i != j; k++)
                    h[i][k] -= f * h[j][k];
            }
        for (int j = 0; j < 4; j++) {
            w[j] += h[j][4] / h[j][j];
            most = fmax(most, fabs(h[j][4] / h[j][j]));
        }
        if (most <= 1e-6)
            break;
    }
    return w[1];
}

void programs_data(void)
{
    links();
    clouds();
    fill_table();
    fill_samples();
}
