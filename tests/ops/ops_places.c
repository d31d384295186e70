/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_places.c - argmax and argmin against a plain loop: the first NaN, else the first extreme.
 * Rows of every number of lanes and of what is left of them, columns from few to many, ties, zeros
 * of both signs, views; by the calling thread where it has loops, and by kernels.
 */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "devices.h"
#include "ref.h"
#include "tap.h"

#include <gnd.h>

enum { POINTS = 20000 };

static const int64_t lengths[] = {1,  2,  5,  7,  8,   9,   15,  31,   32,   33,  40,
                                  63, 64, 65, 96, 127, 139, 317, 1100, 1057, 9000};

/* What elements are: many different ones, few, also NaN, zeros of both signs, all equal, rising. */
enum { MANY, FEW, ODD, ZEROS, EQUAL, RISING, HOWS };

static double element(int how, int64_t i)
{
    const uint64_t w = ref_rnd();
    switch (how) {
    case FEW: return (double)(w % 3);
    case ODD: return w % 97 == 0 ? __builtin_nan("") : (double)(w % 100);
    case ZEROS: return w % 2 ? 0.0 : -0.0;
    case EQUAL: return 1;
    case RISING: return (double)(i % 127);
    default: return (double)(w % 101);
    }
}

/* The place of the extreme of n elements that are `step` apart. */
static int64_t place_of(const double *v, int64_t n, int64_t step, int least)
{
    int64_t at = 0;
    for (int64_t i = 1; i < n; i++) {
        const double x = v[i * step], b = v[at * step];
        if (b == b && (x != x || (least ? x < b : x > b)))
            at = i;
    }
    return at;
}

/* Compares the places of m rows of n, or of the n columns, of dtype t; view: every other element of
 * twice as many, backwards. Returns 0 if they are equal. */
static int wrong(gnd_device *dev, gnd_dtype t, int how, int64_t m, int64_t n, int columns, int view)
{
    static double data[2 * POINTS], x[POINTS];
    static int64_t got[POINTS];
    const int64_t wide = view ? 2 * n : n, dim[2] = {m, wide}, results = columns ? n : m;
    int bad = 0;
    for (int64_t i = 0; i < m * wide; i++)
        data[i] = element(how, i);
    gnd_scope_begin();
    gnd_array *a = gnd_astype(gnd_from(dev, GND_FLOAT64, 2, dim, data), t);
    bad |= gnd_eval_all(1, &a) != GND_OK;
    a = view ? gnd_at(a, ":, ::-2") : a;
    bad |= gnd_read(gnd_astype(a, GND_FLOAT64), x, (size_t)(m * n) * sizeof *x) != GND_OK;
    for (int least = 0; least < 2 && !bad; least++) {
        const gnd_axes axis = GND_AXIS(columns ? 0 : 1);
        gnd_array *p = least ? gnd_argmin(a, axis, 0) : gnd_argmax(a, axis, 0);
        bad = gnd_read(p, got, (size_t)results * sizeof *got) != GND_OK;
        for (int64_t k = 0; k < results && !bad; k++) {
            const int64_t want =
                columns ? place_of(x + k, m, n, least) : place_of(x + k * n, n, 1, least);
            bad = got[k] != want;
            if (bad)
                tap_diag("%s, %s of %lld x %lld, values %d: result %lld is %lld, not %lld",
                         gnd_dtype_name(t), columns ? "columns" : "rows", (long long)m,
                         (long long)n, how, (long long)k, (long long)got[k], (long long)want);
        }
    }
    gnd_scope_end();
    return bad;
}

/* All lengths of dtype t, in about `points` elements; few: only what has kernels of its own. */
static void lengths_of(gnd_device *dev, const char *how_named, gnd_dtype t, int64_t points, int few)
{
    const int real = t == GND_FLOAT32 || t == GND_FLOAT64;
    int bad = 0;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        const int64_t n = lengths[k], m = points / n < 2 ? 2 : points / n;
        for (int how = 0; how < HOWS && !bad; how++) {
            if ((how == ODD && !real) || m * n > POINTS)
                continue;
            bad |= wrong(dev, t, how, m, n, 0, 0);
            if (!few)
                bad |= wrong(dev, t, how, m, n, 0, 1);
            if (!few && n < 200)
                bad |= wrong(dev, t, how, m, n, 1, 0) || wrong(dev, t, how, 3, n, 1, how % 2);
        }
    }
    tap_ok(!bad, "%s: places of %s", how_named, gnd_dtype_name(t));
}

static const char *shape_name = "default";

static void on_device(gnd_device *dev, const char *spec)
{
    static const gnd_dtype all[] = {GND_BOOL,   GND_INT8,    GND_INT16,  GND_INT32,
                                    GND_INT64,  GND_UINT8,   GND_UINT16, GND_UINT32,
                                    GND_UINT64, GND_FLOAT32, GND_FLOAT64},
                           some[] = {GND_FLOAT32, GND_FLOAT64, GND_INT8};
    /* GPUs compile a kernel for each length and dtype, too */
    const int few = strcmp(shape_name, "default") != 0 || dev->g->props.kind != GND_DEV_CPU;
    tap_diag("%s, kernels shaped for %s", spec, shape_name);
    ref_seed(5);
    for (size_t i = 0; i < (few ? sizeof some : sizeof all) / sizeof *all; i++)
        lengths_of(dev, shape_name, few ? some[i] : all[i], 2500, few);
}

int main(void)
{
    ref_devices(on_device);
    shape_name = "cpu";
    setenv("GND_KERNEL_SHAPE", shape_name, 1);
    ref_devices(on_device);
    return tap_done();
}
