/* SPDX-License-Identifier: BSD-3-Clause
 *
 * programs_c - the eight programs of examples/ as plain loops of C on one core, at the sizes of
 * `tests/programs/programs.py --times`: the median of 5 runs in ms, and a result that the examples
 * print, too. Four of them are in programs_data.c.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "programs_data.h"

/* --- the wave equation: arrays with an edge of zeros ------------------------------------------ */

enum { GRID = 512, WIDE = GRID + 2, WAVES = 500 };

static double wave(void)
{
    float *before = programs_room(WIDE * WIDE, sizeof *before),
          *u = programs_room(WIDE * WIDE, sizeof *u);
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

/* --- an image pipeline ------------------------------------------------------------------------ */

enum { SIDE = 1024, TAPS = 13 };

static float *picture;

static void draw(void)
{
    picture = programs_room((size_t)SIDE * SIDE, sizeof *picture);
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++) {
            const double y = (double)i / SIDE, x = (double)j / SIDE;
            picture[i * SIDE + j] = (float)(0.1 * sin(17 * x) * cos(13 * y) + 0.2 +
                                            0.4 * (hypot(x - 0.6, y - 0.4) < 0.25) +
                                            0.1 * (programs_unit(i * SIDE + j, 0) - 0.5));
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
    float *across = programs_room((size_t)SIDE * SIDE, sizeof *across),
          *smooth = programs_room((size_t)SIDE * SIDE, sizeof *smooth),
          *result = programs_room((size_t)SIDE * SIDE, sizeof *result);
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
    programs_data();
    draw();
    timed("kmeans", programs_kmeans);
    timed("pca", programs_pca);
    timed("image", image);
    timed("wave", wave);
    timed("barrier", barrier);
    timed("pagerank", programs_pagerank);
    timed("logistic", programs_logistic);
    timed("nbody", nbody);
    return 0;
}
