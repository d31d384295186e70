/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_slabs.c - products of large arrays that are computed for them alone, which plans divide into
 * slabs of the contracted axis: small ints, so that every sum is exact in any order, beside a loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { LONG = (1 << 20) + 93, A = 5, B = 4 };

static int8_t *some(int64_t n)
{
    int8_t *p = malloc((size_t)n);
    for (int64_t i = 0; i < n; i++)
        p[i] = (int8_t)ref_range(-3, 3);
    return p;
}

/* Compares y, (rows, cols), with want. */
static void same(const char *where, const char *what, gnd_array *y, const double *want, int n)
{
    double got[A * A] = {0};
    int bad = gnd_read(y, got, (size_t)n * sizeof *got) != GND_OK;
    for (int i = 0; i < n && !bad; i++)
        bad = got[i] != want[i];
    tap_ok(!bad, "%s: %s", where, what);
    if (gnd_status_of(y))
        tap_diag("%s", gnd_error(y));
    gnd_release(y);
}

/* Sums of f(u[k, i]) g(v[k, j]), where f is the number times fa plus ga. */
static void sums(double *want, const int8_t *u, int nu, double fa, double ga, const int8_t *v,
                 int nv, double fb, double gb)
{
    memset(want, 0, sizeof *want * (size_t)(nu * nv));
    for (int64_t k = 0; k < LONG; k++)
        for (int i = 0; i < nu; i++)
            for (int j = 0; j < nv; j++)
                want[i * nv + j] += (u[k * nu + i] * fa + ga) * (v[k * nv + j] * fb + gb);
}

static gnd_array *of(gnd_device *dev, const char *text, gnd_array *x, gnd_array *y)
{
    return gnd_eval(dev, text, "x", x, "y", y, NULL);
}

static void products(const char *where, gnd_device *dev)
{
    const int64_t da[2] = {LONG, A}, db[2] = {LONG, B};
    double want[A * A];
    int8_t *u = some((int64_t)LONG * A), *v = some((int64_t)LONG * B);
    gnd_array *x = gnd_from(dev, GND_INT8, 2, da, u), *y = gnd_from(dev, GND_INT8, 2, db, v);
    gnd_array *yf = gnd_astype(y, GND_FLOAT64), *xt = gnd_eval(dev, "x.T.copy()", "x", x, NULL);
    gnd_wait(yf);
    sums(want, u, A, 1, 0, u, A, 1, 0);
    same(where, "one array on both sides",
         of(dev, "(x.astype(float64)).T @ x.astype(float64)", x, y), want, A * A);
    sums(want, u, A, 3, 1, v, B, 1, 0);
    same(where, "a computed array and one in memory",
         of(dev, "(x * 3.0 + 1).astype(float64).T @ y", x, yf), want, A * B);
    sums(want, u, A, 1, 0, v, B, 2, -1);
    same(where, "two computed arrays",
         of(dev, "x.astype(float64).T @ (y * 2 - 1).astype(float64)", x, y), want, A * B);
    same(where, "the contracted axis is the last",
         of(dev, "x.astype(float64) @ (y * 2 - 1).astype(float64)", xt, y), want, A * B);
    sums(want, v, B, 1, 0, u, A, 2, 0);
    for (int i = 0; i < A * B; i++)
        want[i] *= 0.5;
    same(where, "a factor after the product",
         of(dev, "0.5 * (y.T @ (x * 2).astype(float64).T)", xt, yf), want, A * B);
    for (int i = 0; i < B; i++)
        for (int j = 0; j < A; j++)
            want[i * A + j] += j;
    same(where, "an addend after the product",
         of(dev, "0.5 * (y.T @ (x * 2).astype(float64)) + arange(5.0)", x, yf), want, A * B);
    gnd_release(xt);
    gnd_release(yf);
    gnd_release(y);
    gnd_release(x);
    free(u);
    free(v);
}

/* An operand that is asked for as well has all its elements. */
static void also_asked_for(const char *where, gnd_device *dev)
{
    const int64_t da[2] = {LONG, A};
    double want[A * A], last = 0;
    int8_t *u = some((int64_t)LONG * A);
    gnd_array *x = gnd_from(dev, GND_INT8, 2, da, u);
    gnd_array *w = gnd_astype(x, GND_FLOAT64), *y = gnd_matmul(gnd_mT(w), w);
    sums(want, u, A, 1, 0, u, A, 1, 0);
    gnd_array *both[2] = {gnd_retain(y), gnd_retain(w)};
    gnd_eval_all(2, both);
    same(where, "an operand that is a sink too", y, want, A * A);
    gnd_array *at = gnd_at(w, "-1, -1");
    tap_ok(gnd_read(at, &last, sizeof last) == GND_OK && last == u[(int64_t)LONG * A - 1],
           "%s: and its last element", where);
    gnd_release(at);
    gnd_release(both[0]);
    gnd_release(both[1]);
    gnd_release(w);
    y = gnd_matmul(gnd_mT(gnd_astype(x, GND_FLOAT64)), w = gnd_astype(x, GND_FLOAT64));
    same(where, "an operand with a handle", y, want, A * A);
    gnd_release(w);
    gnd_release(x);
    free(u);
}

static void all(gnd_device *dev, const char *spec)
{
    if (ref_skip(dev, GND_FLOAT64, 9))
        return;
    products(spec, dev);
    also_asked_for(spec, dev);
}

int main(void)
{
    static const char *const shapes[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        setenv("GND_KERNEL_SHAPE", shapes[i], 1);
        ref_devices(all);
    }
    return tap_done();
}
