/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault_solve.c - every decomposition and solver with its n-th host allocation failing, for every
 * n, then with its n-th backend call failing, for every n: an error that says something, nothing
 * lost, and the right result afterwards. By LAPACK or the device's library, and in blocks
 * (GND_SOLVER). As fault_all.c for everything else.
 */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate.h"
#include "base/mem.h"
#include "host/lapack.h"
#include "ref.h"
#include "tap.h"

enum { N = 60, M = 70, MOST = 4 };

static float host[M * N];

/* What a function gives for x (M x N), a (N x N, positive definite) and b (N x 3). */
typedef int function(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y);

static int svd(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)a, (void)b;
    gnd_svd(x, 0, &y[0], &y[1], &y[2]);
    return 3;
}

static int svdvals(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)a, (void)b;
    y[0] = gnd_svdvals(x);
    return 1;
}

static int eigh(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)x, (void)b;
    gnd_eigh(a, 0, &y[0], &y[1]);
    return 2;
}

static int eig(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)x, (void)b;
    gnd_eig(a, &y[0], &y[1]);
    return 2;
}

static int lstsq(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)a, (void)b;
    gnd_lstsq(x, gnd_at(x, ":, :2"), -1, &y[0], &y[1], &y[2], &y[3]);
    return 4;
}

static int qr(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)a, (void)b;
    gnd_qr(x, 1, &y[0], &y[1]);
    return 2;
}

static int lu(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)a, (void)b;
    gnd_lu(x, &y[0], &y[1], &y[2]);
    return 3;
}

static int solve(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)x;
    y[0] = gnd_solve(a, b);
    return 1;
}

static int triangular(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)x;
    y[0] = gnd_cho_solve(gnd_cholesky(a, 0), 1, b);
    return 1;
}

/* Of two matrices that are halved not equally often. */
static int expm(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)x, (void)b;
    gnd_array *part = gnd_at(a, ":4, :4"), *two[2] = {part, gnd_mul(part, gnd_real(0x1p-8))};
    y[0] = gnd_expm(gnd_mul(gnd_stack(2, two, 0), gnd_real(0.25)));
    return 1;
}

static int cond(gnd_array *x, gnd_array *a, gnd_array *b, gnd_array **y)
{
    (void)x, (void)b;
    y[0] = gnd_cond(a, GND_ORD_1);
    return 1;
}

static const struct {
    const char *name;
    function *f;
    int blocked; /* it has two ways */
} functions[] = {
    {"svd", svd, 0},   {"svdvals", svdvals, 0}, {"eigh", eigh, 0},
    {"eig", eig, 0},   {"lstsq", lstsq, 0},     {"qr", qr, 1},
    {"lu", lu, 1},     {"solve", solve, 1},     {"cholesky and triangles", triangular, 1},
    {"expm", expm, 0}, {"cond", cond, 0},
};

/* A sum of everything; *st the first failure, *mute: a failed array without a message. */
static double run(gnd_device *dev, function *f, gnd_status *st, int *mute)
{
    gnd_array *y[MOST] = {NULL};
    double sum = 0;
    *st = GND_OK;
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, (int64_t[]){M, N}, host);
    gnd_array *a =
        gnd_add(gnd_matmul(gnd_T(x), x), gnd_mul(gnd_eye(dev, GND_FLOAT32, N, N, 0), gnd_int(N)));
    const int n = f(x, a, gnd_at(x, ":60, :3"), y);
    for (int i = 0; i < n; i++) {
        gnd_status s;
        sum += gnd_item_f64(gnd_sum(gnd_abs(y[i]), GND_ALL, 0), &s);
        *mute += s != GND_OK && s != GND_ERR_NOMEM && !*gnd_error(y[i]) && !*gnd_message();
        *st = *st == GND_OK ? s : *st;
    }
    gnd_scope_end();
    return sum;
}

static void inject(gnd_device *dev, const char *spec, int i, int mem)
{
    gnd_status st;
    gnd_stats s;
    int mute = 0, wrong = 0, odd = 0, lost = 0;
    long failed = 0, total;
    run(dev, functions[i].f, &st, &mute); /* makes kernels and plans */
    const double want = run(dev, functions[i].f, &st, &mute);
    gnd_device_stats(dev, &s);
    const uint64_t kept = s.bytes_in_use;
    if (!tap_is_int(st, GND_OK, "%s: %s without failures", spec, functions[i].name))
        return;
    total = mem ? -gnd__mem_count() : -gnd__gate_calls();
    run(dev, functions[i].f, &st, &mute);
    total += mem ? gnd__mem_count() : gnd__gate_calls();
    for (long at = 1; at <= total; at++) {
        mem ? gnd__mem_fail_at(at) : gnd__gate_fail_at(at);
        const double got = run(dev, functions[i].f, &st, &mute);
        mem ? gnd__mem_fail_at(0) : gnd__gate_fail_at(0);
        const gnd_status failure = st;
        failed += st != GND_OK;
        const int bad = st == GND_OK && got != want;
        const int unfit = st != GND_OK && st != GND_ERR_BACKEND && st != GND_ERR_DEVMEM &&
                          st != GND_ERR_NOMEM && st != GND_ERR_BUILD;
        const int later = run(dev, functions[i].f, &st, &mute) != want || st != GND_OK;
        if (bad + unfit + later)
            tap_diag("%s: %s %ld: %s, %g, should be %g; then %s: %s", functions[i].name,
                     mem ? "allocation" : "backend call", at, gnd_status_name(failure), got, want,
                     gnd_status_name(st), gnd_message());
        wrong += bad + later;
        odd += unfit;
        gnd_device_stats(dev, &s);
        if ((s.arrays != 0 || s.bytes_in_use != kept) && lost++ < 3)
            tap_diag("%ld: %d arrays, %d bytes, were %d", at, (int)s.arrays, (int)s.bytes_in_use,
                     (int)kept);
    }
    tap_ok(failed > 0, "%s: %s: %ld of %ld %s fail it", spec, functions[i].name, failed, total,
           mem ? "allocations" : "backend calls");
    tap_is_int(wrong, 0, "%s: %s: right afterwards, or where nothing failed", spec,
               functions[i].name);
    tap_is_int(odd + mute, 0, "%s: %s: errors fit and say something", spec, functions[i].name);
    tap_is_int(lost, 0, "%s: %s: no arrays and no device memory stay", spec, functions[i].name);
}

static void all(gnd_device *dev, const char *spec)
{
    uint32_t x = 1;
    if (!gnd__lapack_library()) {
        tap_skip(1, "%s: no LAPACK", spec);
        return;
    }
    for (int i = 0; i < M * N; i++) {
        x = x * 1664525u + 1013904223u;
        host[i] = (float)(x >> 8) * 0x1p-23f - 1;
    }
    for (int way = 0; way < 2; way++) {
        setenv("GND_SOLVER", way ? "blocked" : "lapack", 1);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            for (int mem = 0; mem < 2 && way <= functions[i].blocked; mem++)
                inject(dev, spec, (int)i, mem);
    }
}

int main(void)
{
    ref_devices(all);
    return tap_done();
}
