/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_here_sums.c - sums by index on the calling thread (lib/host/nativesums.c) give the bits of
 * the device's kernels: random sizes and dtypes, rows, sums onto a base, views, no values, places
 * without any; exponents that lose bits of addends, subnormal numbers, NaN and infinities; and
 * positions that are no places are the same error. Masks of few elements, and random words of
 * positions that do not follow each other. Skipped where the device does not work in host memory.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "graph/graph.h"
#include "prim/accumulate.h"
#include "sched/here.h"
#include "tap.h"

#include <gnd.h>

enum { MOST = 4096, BYTES = MOST * 8 };

static gnd_device *dev;

static uint64_t random_word(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13;
    s ^= s >> 7;
    return s ^= s << 17;
}

/* What reals are: numbers of similar size, of any exponents, subnormal ones, or also not finite. */
enum { NEAR, WIDE, TINY, ODD, HOWS };

static double real(int how)
{
    const double x = (double)(int64_t)random_word() / 1e18;
    if (random_word() % 16 == 0)
        return random_word() % 2 ? 0.0 : -0.0;
    if (how == WIDE)
        return x * __builtin_ldexp(1, (int)(random_word() % 200) - 100);
    if (how == TINY)
        return x * (random_word() % 2 ? 1e-42 : 1e-320);
    if (how == ODD && random_word() % 100 == 0)
        return random_word() % 3 ? __builtin_inf() * (random_word() % 5 ? 1 : -1)
                                 : __builtin_nan("");
    return x;
}

/* n elements of dtype t; view: every other one of twice as many, backwards. */
static gnd_array *values(gnd_dtype t, int64_t n, int how, int view)
{
    static unsigned char data[2 * BYTES];
    const size_t size = gnd_dtype_size(t);
    const int64_t all = view ? 2 * n : n;
    for (int64_t i = 0; i < all; i++) {
        const double d = real(how);
        const float f = (float)d;
        const uint64_t bits = random_word();
        const uint8_t yes = bits & 1;
        memcpy(data + (size_t)i * size,
               t == GND_FLOAT32   ? (const void *)&f
               : t == GND_FLOAT64 ? (const void *)&d
               : t == GND_BOOL    ? (const void *)&yes
                                  : (const void *)&bits,
               size);
    }
    gnd_array *x = gnd_from(dev, t, 1, &all, data);
    return view ? gnd_at(x, "::-2") : x;
}

static gnd_array *places(int64_t n, int64_t m)
{
    static int64_t data[MOST];
    for (int64_t i = 0; i < n; i++)
        data[i] = (int64_t)(random_word() % (uint64_t)m);
    return gnd_from(dev, GND_INT64, 1, &n, data);
}

/* Whether elements agree in their bits; NaNs equal each other. */
static int same(gnd_dtype t, const char *a, const char *b, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += gnd_dtype_size(t)) {
        float f, g;
        double x, y;
        if (!memcmp(a + i, b + i, gnd_dtype_size(t)))
            continue;
        memcpy(&f, a + i, sizeof f), memcpy(&g, b + i, sizeof g);
        if (t == GND_FLOAT32 && f != f && g != g)
            continue;
        if (t != GND_FLOAT64)
            return 0;
        memcpy(&x, a + i, sizeof x), memcpy(&y, b + i, sizeof y);
        if (x == x || y == y)
            return 0;
    }
    return 1;
}

/* Evaluates y on the device and z here; returns whether they agree, and whether some of z ran
 * here. */
static int agree(gnd_array *y, gnd_array *z)
{
    static char a[BYTES], b[BYTES];
    const size_t bytes = gnd_nbytes(y);
    if (bytes > BYTES || gnd_nbytes(z) != bytes)
        return 0;
    gnd__here_force(0);
    gnd_status st = gnd_read(y, a, bytes);
    gnd_sync(dev);
    const uint64_t before = gnd__here_force(1);
    if (st == GND_OK)
        st = gnd_read(z, b, bytes);
    const int ran = gnd__here_force(1) > before;
    if (st != GND_OK)
        tap_diag("%s", gnd_message());
    return st == GND_OK && ran && same(gnd_dtype_of(y), a, b, bytes);
}

/* Random cases of dtype t. */
static void sums(gnd_dtype t, int how, int cases)
{
    int bad = 0;
    for (int i = 0; i < cases; i++) {
        /* few texts: each is compiled for the device */
        const int64_t width = i % 3 == 2 ? 5 : 1;
        const int64_t rows = 100 + (int64_t)(random_word() % (MOST / 8)),
                      m = 1 + (int64_t)(random_word() % 12);
        const int base = i % 2, view = i % 3 == 1;
        gnd_scope_begin();
        gnd_array *at = places(rows, m), *x = values(t, rows * width, how, view),
                  *b = base ? values(t, m * width, NEAR, 0) : NULL, *y[2];
        for (int k = 0; k < 2; k++)
            y[k] = gnd__accumulate_node(GND__ACC_ADD, at, x, b, m * width);
        if (!agree(y[0], y[1])) {
            tap_diag("%s: %lld rows of %lld, %lld places, base %d, view %d", gnd_dtype_name(t),
                     (long long)rows, (long long)width, (long long)m, base, view);
            bad++;
        }
        gnd_scope_end();
    }
    tap_ok(!bad, "sums of %s, kind %d, here and on the device", gnd_dtype_name(t), how);
}

/* The functions above it: weights of counts, of none as well, and additions at bad positions. */
static void functions(void)
{
    const int64_t n = 300, none = 0, bad_at[2] = {3, 77};
    double zero[5] = {1, 1, 1, 1, 1};
    float got[10];
    gnd_scope_begin();
    gnd_array *i = gnd_astype(places(n, 40), GND_INT32), *w = values(GND_FLOAT32, n, NEAR, 0);
    tap_ok(agree(gnd_bincount(i, w, 0), gnd_bincount(i, w, 0)) &&
               agree(gnd_bincount_of(gnd_sub(i, gnd_int(3)), w, 20),
                     gnd_bincount_of(gnd_sub(i, gnd_int(3)), w, 20)),
           "weighted counts");
    gnd_array *e =
        gnd_bincount(gnd_zeros(dev, GND_INT32, 1, &none), gnd_zeros(dev, GND_FLOAT64, 1, &none), 5);
    tap_ok(gnd_read(e, zero, sizeof zero) == GND_OK && zero[0] == 0 && zero[4] == 0,
           "of no elements");
    char text[2][256] = {"", ""};
    for (int k = 0; k < 2; k++) {
        const int64_t two = 2, m = 10;
        gnd__here_force(k);
        gnd_array *at = gnd_from(dev, GND_INT64, 1, &two, bad_at);
        const gnd_range r = GND_AT(at);
        gnd_array *y = gnd_add_at(gnd_zeros(dev, GND_FLOAT32, 1, &m), 1, &r,
                                  gnd_ones(dev, GND_FLOAT32, 1, &two));
        if (gnd_read(y, got, sizeof got) != GND_OK)
            strncpy(text[k], gnd_message(), sizeof text[k] - 1);
    }
    gnd__here_force(1);
    tap_ok(strstr(text[0], "77") && !strcmp(text[0], text[1]), "a bad position: %s", text[1]);
    gnd_scope_end();
}

/* Elements by a mask, whose table has whole blocks. */
static void masks(void)
{
    int bad = 0;
    for (int k = 0; k < 12; k++) {
        const int64_t n = k < 8 ? 61 + k : 1 + (int64_t)(random_word() % MOST);
        gnd_scope_begin();
        gnd_array *x = values(GND_INT16, n, NEAR, k & 1), *mask = values(GND_BOOL, n, NEAR, 0);
        bad += !agree(gnd_sum(gnd_compress(mask, x, 0), GND_ALL, 0),
                      gnd_sum(gnd_compress(mask, x, 0), GND_ALL, 0));
        gnd_scope_end();
    }
    tap_ok(!bad, "elements by a mask");
}

/* Words of a view of the generator's positions: backwards, and every third of the third on. */
static void words(void)
{
    static const gnd_dtype t[] = {GND_FLOAT32, GND_FLOAT64};
    int bad = 0;
    for (int k = 0; k < 8; k++) {
        const int64_t n = 5 + (int64_t)(random_word() % 900);
        gnd_array *y[2];
        gnd_scope_begin();
        for (int i = 0; i < 2; i++) {
            gnd_rng g = gnd_rng_seed(5);
            gnd_array *x = gnd_rng_random(&g, dev, t[k % 2], 1, &n);
            y[i] = k % 4 < 2   ? gnd_at(x, "2::3")
                   : k % 8 < 4 ? gnd_at(x, "::-1")
                               : gnd_slice(x, 0, k % 5, GND_NONE);
        }
        bad += !agree(y[0], y[1]);
        gnd_scope_end();
    }
    tap_ok(!bad, "random words of views");
}

int main(void)
{
    static const gnd_dtype whole[] = {GND_BOOL, GND_INT8, GND_UINT16, GND_INT32, GND_INT64};
    dev = gnd_open(NULL);
    if (gnd_device_status(dev) != GND_OK)
        tap_skip_all("%s", gnd_device_error(dev));
    gnd__gate_lock(dev->g);
    const int reaches = gnd__gate_shares(dev->g) && gnd__gate_reaches(dev->g);
    gnd__gate_unlock(dev->g);
    if (!reaches)
        tap_skip_all("%s does not work in host memory", gnd_device_id(dev));
    for (int how = 0; how < HOWS; how++) {
        sums(GND_FLOAT32, how, how == NEAR ? 6 : 3);
        sums(GND_FLOAT64, how, how == NEAR ? 6 : 3);
    }
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        sums(whole[i], NEAR, 2);
    functions();
    masks();
    words();
    gnd_close(dev);
    return tap_done();
}
