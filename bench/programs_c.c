/* SPDX-License-Identifier: BSD-3-Clause
 *
 * programs_c - the eight programs of examples/ as plain loops of C on one core, at the sizes of
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

/* --- PageRank --------------------------------------------------------------------------------- */

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

/* --- k-means ---------------------------------------------------------------------------------- */

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

/* --- bodies ----------------------------------------------------------------------------------- */

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

/* --- principal components --------------------------------------------------------------------- */

enum { ROWS = 500000, COLUMNS = 16, KEPT = 3 };

static float (*table)[COLUMNS];

static double unit(int64_t i, int k)
{
    return ((double)spread(i, k) + 0.5) * 0x1p-24;
}

static void fill_table(void)
{
    table = room(ROWS, sizeof *table);
    for (int64_t i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double v = 0.1 * (unit(16 * i + j, 0) - 0.5);
            for (int k = 0; k < KEPT; k++)
                v += (unit(i, k) - 0.5) * (3 - k) * cos((k + 1) * (j + 1.0));
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

static double pca(void)
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
    sample = room(SAMPLES, sizeof *sample);
    for (int i = 0; i < SAMPLES; i++) {
        double *x = sample[i];
        x[0] = 1;
        for (int k = 0; k < 3; k++)
            x[k + 1] = fmod((i + 1) * step[k], 1) - 0.5;
        x[4] = 3 * x[1] - 2 * x[2] + x[3] + 0.25 > sin(i + 1.0);
    }
}

static double logistic(void)
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

/* --- an image pipeline ------------------------------------------------------------------------ */

enum { SIDE = 1024, TAPS = 13 };

static float *picture;

static void draw(void)
{
    picture = room((size_t)SIDE * SIDE, sizeof *picture);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++) {
            const double y = (double)i / SIDE, x = (double)j / SIDE;
            picture[i * SIDE + j] = (float)(0.1 * sin(17 * x) * cos(13 * y) + 0.2 +
                                            0.4 * (hypot(x - 0.6, y - 0.4) < 0.25) +
                                            0.1 * (unit(i * SIDE + j, 0) - 0.5));
        }
}

/* Index i of a row that continues as its mirror image, the edge included. */
static int mirrored(int i)
{
    return i < 0 ? -1 - i : i >= SIDE ? 2 * SIDE - 1 - i : i;
}

static double image(void)
{
    float bell[TAPS], sum = 0, most = 0;
    float *across = room((size_t)SIDE * SIDE, sizeof *across),
          *smooth = room((size_t)SIDE * SIDE, sizeof *smooth),
          *result = room((size_t)SIDE * SIDE, sizeof *result);
    int32_t count[256] = {0};
    float upto[256];
    for (int k = 0; k < TAPS; k++)
        sum += bell[k] = (float)exp(-0.125 * (k - 6) * (k - 6));
    for (int k = 0; k < TAPS; k++)
        bell[k] /= sum;
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < TAPS; k++) {
            const float *from = picture + mirrored(i + k - 6) * SIDE;
            for (int j = 0; j < SIDE; j++)
                across[i * SIDE + j] += bell[k] * from[j];
        }
    for (int i = 0; i < SIDE; i++) {
        float row[SIDE + TAPS - 1], *to = smooth + i * SIDE;
        for (int j = 0; j < SIDE + TAPS - 1; j++)
            row[j] = across[i * SIDE + mirrored(j - 6)];
        for (int k = 0; k < TAPS; k++)
            for (int j = 0; j < SIDE; j++)
                to[j] += bell[k] * row[j + k];
        for (int j = 0; j < SIDE; j++)
            count[(int)fminf(fmaxf(to[j] * 256, 0), 255)]++;
    }
    for (int k = 0, n = 0; k < 256; k++)
        upto[k] = (float)(n += count[k]) / (SIDE * SIDE);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const float *here = smooth + i * SIDE + j;
            const float dy = here[i < SIDE - 1 ? SIDE : 0] - here[i > 0 ? -SIDE : 0],
                        dx = here[j < SIDE - 1] - here[-(j > 0)];
            const float steep = sqrtf(dx * dx + dy * dy) / 2;
            most = fmaxf(most, steep);
            result[i * SIDE + j] = steep > 0.03F ? 1 : upto[(int)fminf(fmaxf(*here * 256, 0), 255)];
        }
    free(across);
    free(smooth);
    free(result);
    return most;
}

/* --- a barrier option ------------------------------------------------------------------------- */

enum { PATHS = 500000, STEPS = 16 };

static uint64_t random_state;

/* A number above 0 and up to 1: xorshift64* (Vigna 2016). */
static float random01(void)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (float)((random_state * 2685821657736338717u >> 40) + 1) * 0x1p-24F;
}

static double barrier(void)
{
    const float spot = 100, strike = 105, bound = 90, rate = 0.03F, vol = 0.25F;
    const float dt = 1.0F / STEPS, var = vol * vol / STEPS, deviation = sqrtf(var);
    double worth = 0;
    random_state = 88172645463325252u;
    for (int i = 0; i < PATHS; i++) {
        float before = logf(spot / bound), after = before, alive = 1, normal[2];
        for (int k = 0; k < STEPS; k++) {
            if (k % 2 == 0) { /* Box and Muller 1958 */
                const float r = sqrtf(-2 * logf(random01())), turn = 6.2831853F * random01();
                normal[0] = r * cosf(turn);
                normal[1] = r * sinf(turn);
            }
            after = before + deviation * normal[k % 2] + rate * dt - var / 2;
            alive *= -expm1f(-2 / var * (fmaxf(before, 0) * fmaxf(after, 0)));
            before = after;
        }
        worth += (double)(fmaxf(bound * expf(after) - strike, 0) * alive * expf(-rate));
    }
    return worth / PATHS;
}

/* --- times ------------------------------------------------------------------------------------ */

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
    fill_table();
    fill_samples();
    draw();
    timed("kmeans", kmeans);
    timed("pca", pca);
    timed("image", image);
    timed("wave", wave);
    timed("barrier", barrier);
    timed("pagerank", pagerank);
    timed("logistic", logistic);
    timed("nbody", nbody);
    return 0;
}
