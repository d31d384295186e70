/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse_boxes.c - joins as index maps: how many kernels pad, roll, concat, stack, tile and repeat
 * take among elementwise operations and views, which memory steps in one plan take, and that what a
 * box leaves out is not read. Kernels as for CPUs and as for GPUs. (tests/diff/diff_boxes.py has
 * the values of random expressions.)
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { N = 96, M = 160 };

static gnd_device *dev;
static char where[64];
static int computes;
static gnd_array *x, *u, *v; /* (N, M) float32 with elements */

/* Kernels and bytes of peak memory, as the last line of gnd_explain has them. */
static long long explained(gnd_array *a, long long *peak)
{
    long long kernels = -1, at = -1;
    gnd_status st;
    char *text = gnd_explain(1, &a, 0, &st), *last = text ? strstr(text, " kernels, ") : NULL;
    for (char *p = last; p; p = strstr(p + 1, " kernels, "))
        last = p;
    while (last && last > text && last[-1] != '\n')
        last--;
    if (!last ||
        sscanf(last, "%lld kernels, %*d calls, %*d bytes read, %*d bytes written, %lld bytes peak",
               &kernels, &at) != 2)
        tap_diag("gnd_explain: %s\n%s", gnd_status_name(st), text ? text : "no text");
    free(text);
    *peak = at;
    return kernels;
}

static void is_one(gnd_array *a, int kernels, const char *name)
{
    long long peak, n = explained(a, &peak);
    if (!tap_ok(n == kernels, "%s: %s: %d kernels (%lld)", where, name, kernels, n)) {
        char *text = gnd_explain(1, &a, 0, NULL);
        tap_diag("%s", text ? text : gnd_error(a));
        free(text);
    }
}

static gnd_array *roll(gnd_array *a, int64_t by, int axis)
{
    return gnd_roll(a, 1, &by, &axis);
}

static gnd_array *pad(gnd_array *a, const char *mode)
{
    return gnd_pad(a, (int64_t[]){1, 1, 1, 1}, mode, NULL);
}

/* The sum of the four neighbours in p, which has one element more on all sides. */
static gnd_array *around(gnd_array *p)
{
    return gnd_add(gnd_add(gnd_at(p, ":-2, 1:-1"), gnd_at(p, "2:, 1:-1")),
                   gnd_add(gnd_at(p, "1:-1, :-2"), gnd_at(p, "1:-1, 2:")));
}

/* A step of the heat equation: the inner part is set, the border stays. */
static gnd_array *heat(gnd_array *u)
{
    gnd_array *inner = gnd_at(u, "1:-1, 1:-1");
    gnd_array *change = gnd_subtract(around(u), gnd_multiply(inner, gnd_int(4)));
    return gnd_set(u, GND_IDX(GND_SLICE(1, -1), GND_SLICE(1, -1)),
                   gnd_add(inner, gnd_multiply(change, gnd_real(0.1))));
}

/* Conway's game of life on a torus. */
static gnd_array *life(gnd_array *b)
{
    gnd_array *n = NULL;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++) {
            gnd_array *y = i ? roll(b, i, 0) : b;
            y = j ? roll(y, j, 1) : y;
            if (i || j)
                n = n ? gnd_add(n, y) : y;
        }
    gnd_array *three = gnd_equal(n, gnd_int(3)), *two = gnd_equal(n, gnd_int(2));
    return gnd_astype(gnd_logical_or(three, gnd_logical_and(gnd_equal(b, gnd_int(1)), two)),
                      GND_UINT8);
}

static gnd_array *wave(gnd_array *now, gnd_array *before)
{
    gnd_array *lap = gnd_subtract(around(pad(now, "constant")), gnd_multiply(now, gnd_int(4)));
    return gnd_add(gnd_subtract(gnd_multiply(now, gnd_int(2)), before),
                   gnd_multiply(lap, gnd_real(0.1)));
}

static void counts(void)
{
    gnd_array *p = pad(x, "constant");
    is_one(gnd_add(gnd_add(gnd_at(p, ":-2, 1:-1"), gnd_at(p, "2:, 1:-1")), x), 1,
           "neighbours by pad");
    is_one(gnd_add(gnd_add(roll(x, 1, 0), roll(x, -1, 0)), x), 1, "neighbours by roll");
    is_one(gnd_add(gnd_add(roll(x, 1, 1), roll(x, -1, 1)), roll(roll(x, 1, 0), 1, 1)), 1,
           "... along both axes");
    is_one(gnd_subtract(around(p), gnd_multiply(x, gnd_int(4))), 1, "five points by pad");
    is_one(gnd_sqrt(roll(gnd_exp(x), 1, 0)), 1,
           "an expression rolled is computed once for each element");
    gnd_array *e = gnd_exp(gnd_exp(x));
    is_one(gnd_add(roll(e, 1, 0), e), 2, "... and stored where it is used otherwise too");
    is_one(gnd_add(gnd_concat(2, (gnd_array *[]){x, gnd_add(u, v)}, 0), gnd_int(1)), 1,
           "concat of two");
    is_one(gnd_add(gnd_concat(2, (gnd_array *[]){gnd_at(x, ":, :50"), gnd_at(u, ":, 50:")}, 1), v),
           1, "... along the last axis");
    is_one(gnd_multiply(gnd_stack(3, (gnd_array *[]){x, u, v}, 0), gnd_int(2)), 1,
           "stack of three");
    is_one(gnd_negative(gnd_concat(3, (gnd_array *[]){x, x, x}, 0)), 1, "one array three times");
    is_one(wave(x, u), 1, "a step of a wave equation by pad");
    is_one(wave(wave(x, u), x), 2, "two steps");
    gnd_array *plate = gnd_concat(2, (gnd_array *[]){x, u}, 0);
    gnd_wait(plate);
    is_one(heat(heat(heat(plate))), 3,
           "three steps of heat: what sets the inner part is stored with the border");
    is_one(heat(heat(heat(x))), 3, "... of a small array");
    gnd_array *b = gnd_astype(gnd_greater(x, gnd_int(0)), GND_UINT8);
    gnd_keep(b);
    gnd_wait(b);
    for (int i = 0; i < 10; i++)
        b = life(b);
    is_one(b, 10, "ten steps of the game of life by rolls");
    gnd_array *all[6] = {x, u, v, gnd_exp(x), gnd_exp(u), gnd_exp(v)};
    gnd_array *six = gnd_concat(6, all, 0);
    gnd_array *y = gnd_add(gnd_at(six, "1:"), gnd_at(six, ":-1"));
    long long peak;
    tap_ok(explained(y, &peak) >= 2, "%s: of many arrays it is stored", where);
    is_one(gnd_at(p, "1:-1, 1:-1"), 0, "what pad is made of, cut out again, is no work");
    is_one(gnd_add(gnd_at(gnd_concat(2, (gnd_array *[]){x, gnd_exp(u)}, 0), "5:90"), gnd_int(1)), 1,
           "a box that is not seen is not computed");
}

/* What is repeated is computed where it is used, as long as a CPU's vectors do not get too short.
 */
static void repeated(void)
{
    const int gpu = strstr(where, "GPU") != NULL;
    gnd_array *y = gnd_keep(gnd_ones(dev, GND_FLOAT32, 2, (int64_t[]){2 * N, M}));
    gnd_array *row = gnd_at(x, "0"), *ten = gnd_at(x, "0, :10"), *five = gnd_at(x, "0, :5");
    gnd_array *z = gnd_keep(gnd_ones(dev, GND_FLOAT32, 1, (int64_t[]){2 * M}));
    gnd_wait(y);
    gnd_wait(z);
    is_one(gnd_add(gnd_tile(x, 2, (int64_t[]){2, 1}), y), 1, "tile and a neighbour");
    is_one(gnd_add(gnd_repeat(x, 2, 0), y), 1, "repeat and a neighbour");
    is_one(gnd_add(gnd_tile(row, 1, (int64_t[]){2}), z), 1, "tile along the last axis");
    is_one(gnd_add(gnd_repeat(row, 2, 0), z), 1, "repeat along the last axis");
    is_one(gnd_add(gnd_repeat(row, 2, 0), gnd_exp(z)), gpu ? 1 : 2, "... beside what is not cheap");
    is_one(gnd_add(gnd_tile(gnd_add(row, gnd_int(1)), 1, (int64_t[]){2}), z), 1, "an expression");
    is_one(gnd_multiply(gnd_tile(row, 1, (int64_t[]){2}), gnd_repeat(row, 2, 0)), 1,
           "two of unlike parts");
    is_one(gnd_add(gnd_tile(ten, 1, (int64_t[]){2}), gnd_repeat(five, 4, 0)), 2,
           "two that no parts suit");
    is_one(gnd_add(gnd_tile(row, 1, (int64_t[]){2}), gnd_at(y, ":, :1")), 1,
           "tile that is broadcast");
    is_one(gnd_add(gnd_tile(row, 1, (int64_t[]){2}), roll(z, 1, 0)), 1, "tile and roll");
    is_one(gnd_add(gnd_tile(roll(row, 1, 0), 1, (int64_t[]){2}), z), 1, "tile of a roll");
    is_one(gnd_add(roll(gnd_tile(row, 1, (int64_t[]){2}), 1, 0), z), 2, "roll of a tile is stored");
}

/* Pads in all modes that take elements of x: large arrays as views; and joins that are the result.
 */
static void large(void)
{
    static const char *const mode[] = {"edge", "wrap", "reflect", "symmetric", "constant"};
    gnd_array *y =
        gnd_reshape(gnd_arange_i64(dev, 0, 300 * 260, 1, GND_FLOAT32), 2, (int64_t[]){300, 260});
    gnd_wait(gnd_keep(y));
    for (int i = 0; i < 5; i++) {
        char text[64];
        gnd_array *p = pad(y, mode[i]);
        is_one(p, 1, mode[i]);
        snprintf(text, sizeof text, "%s and neighbours", mode[i]);
        is_one(gnd_add(around(p), y), 1, text);
        snprintf(text, sizeof text, "%s and corners", mode[i]);
        is_one(gnd_add(gnd_add(gnd_at(p, ":-2, :-2"), gnd_at(p, "2:, 2:")), y), 1, text);
    }
    is_one(roll(y, 1, 1), 1, "roll that is the result");
    is_one(gnd_stack(3, (gnd_array *[]){x, u, v}, 0), 1, "stack that is the result");
    gnd_array *b[3] = {y, gnd_sum(y, GND_AXIS(0), GND_KEEPDIMS), y};
    tap_is_int(gnd_status_of(gnd_concat(3, b, 0)), GND_OK, "%s: a sum in a join", where);
}

/* Steps that need their padded arrays in memory: sums of windows. */
static gnd_array *blurred(gnd_array *a)
{
    gnd_array *p = pad(a, "constant");
    p = gnd_sliding_window_view(p, 2, (int64_t[]){3, 3}, (int[]){0, 1});
    return gnd_sum(gnd_multiply(p, gnd_real(0.1)), GND_AXES(2, 3), 0);
}

static void memory(void)
{
    long long two, many;
    gnd_array *y = blurred(blurred(x)), *z;
    explained(y, &two);
    for (int i = 2; i < 16; i++)
        y = blurred(y);
    z = gnd_add(y, gnd_sum(y, GND_ALL, 0));
    explained(z, &many);
    tap_ok(many <= two + 3 * 4 * (N + 2) * (M + 2),
           "%s: sixteen steps take no more memory than a few (%lld, two %lld)", where, many, two);
}

/* NaN and infinity beside what is chosen: nothing of them is in the result. */
static void unread(void)
{
    gnd_array *bad = gnd_full(dev, GND_FLOAT32, 2, (int64_t[]){N, M}, gnd_real(NAN));
    gnd_wait(gnd_keep(bad));
    gnd_array *c = gnd_concat(2, (gnd_array *[]){bad, x}, 0);
    gnd_array *y = gnd_add(gnd_at(c, "96:"),
                           gnd_multiply(gnd_at(pad(bad, "constant"), "0, 1:-1"), gnd_int(2)));
    if (computes)
        tap_is_f64(gnd_item_f64(gnd_any(gnd_isnan(gnd_add(y, gnd_int(0))), GND_ALL, 0), NULL), 0,
                   "%s: no NaN leaks", where);
}

static void all(const char *spec, int real)
{
    computes = real;
    for (int gpu = 0; gpu < 2; gpu++) {
        snprintf(where, sizeof where, "%s%s", spec, gpu ? " as a GPU" : "");
        setenv("GND_KERNEL_SHAPE", gpu ? "gpu" : "cpu", 1);
        dev = gnd_open(spec);
        if (gnd_device_status(dev) != GND_OK) {
            tap_fail("%s: %s", spec, gnd_device_error(dev));
            gnd_close(dev);
            continue;
        }
        gnd_scope_begin();
        gnd_array **a[3] = {&x, &u, &v};
        for (int k = 0; k < 3; k++) {
            ref_arr h;
            *a[k] = ref_make(dev, GND_FLOAT32, 2, (int64_t[]){N, M}, REF_CONTIG, REF_REAL, &h);
            ref_free(&h);
        }
        counts();
        repeated();
        large();
        memory();
        unread();
        gnd_scope_end();
        gnd_close(dev);
        unsetenv("GND_KERNEL_SHAPE");
    }
}

static void on_device(gnd_device *d, const char *spec)
{
    (void)d;
    all(spec, 1);
}

int main(void)
{
    all("null:0", 0);
    ref_devices(on_device);
    return tap_done();
}
