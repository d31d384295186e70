/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_through.c - elements of an expression that is not computed, taken by indices, beside those of
 * the same expression in memory (array/through.h): operands that broadcast along the indexed axes
 * and along others, casts, several indices, an index out of range; and operations on a permuted
 * array in another shape, and products with a vector of few terms, which are one kernel on GPUs.
 * With the kernels of both shapes.
 */
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

enum { ROWS = 40, COLS = 33 };
static const char *const names[] = {"x", "r", "i", "e"};
static gnd_array *v[4]; /* rows x columns, columns, indices of columns; an expression */

/* The number of kernels that a plan of y has. */
static int kernels_of(gnd_array *y)
{
    gnd_status st;
    char *plan = gnd_explain(1, &y, 0, &st);
    int n = 0;
    for (const char *p = plan; p && (p = strstr(p, "kernel ")); p += 7)
        n += p == plan || p[-1] == '\n';
    free(plan);
    return n;
}

static void equal(gnd_array *a, gnd_array *b, const char *what)
{
    gnd_status st;
    gnd_array *y = gnd_array_equal(a, b, 1);
    tap_ok(gnd_item_i64(y, &st) == 1 && st == GND_OK, "%s", what);
    if (st)
        tap_diag("%s", gnd_error(y));
    gnd_release(y);
}

/* The most bytes that a kernel of y's plan writes. */
static long most_written(gnd_array *y)
{
    gnd_status st;
    char *plan = gnd_explain(1, &y, 0, &st);
    long most = plan ? 0 : -1;
    for (const char *p = plan; p && (p = strstr(p, ", writes ")) != NULL; p += 9) {
        const long n = strtol(p + 9, NULL, 10);
        most = n > most ? n : most;
    }
    free(plan);
    return most;
}

/* `take` of e, which is the expression, before and after e is computed. */
static void taken(gnd_device *dev, const char *expression, const char *take)
{
    v[3] = gnd_eval_names(dev, expression, 3, names, v);
    gnd_array *lazy = gnd_eval_names(dev, take, 4, names, v);
    const long most = most_written(lazy);
    tap_is_int(gnd_wait(v[3]), GND_OK, "%s", expression);
    gnd_array *stored = gnd_eval_names(dev, take, 4, names, v);
    equal(lazy, stored, take);
    tap_ok(most > 0 && most < ROWS * COLS * 4, "and the expression is not stored: %ld bytes", most);
    gnd_release(stored);
    gnd_release(lazy);
    gnd_release(v[3]);
}

/* Products with a vector of few terms whose operand is computed: on GPUs a part of their kernel.
 * The numbers are ints up to 255, so sums are exact. */
static void terms(gnd_device *dev, int gpu)
{
    static const char *const text[][2] = {
        {"x.astype(float32) @ array([3, -1, 2], dtype=float32)", "x.astype(float32)"},
        {"x.astype(int32) @ array([3, -1, 2], dtype=int32)[:, None]", "x.astype(int32)"},
        {"(x[:, 1:] * 2).astype(complex64) @ array([1, 1j], dtype=complex64)",
         "(x[:, 1:] * 2).astype(complex64)"},
        {"x[::-1].reshape(7, 5, 3)[:, :, :1].astype(float32) @ array([2], dtype=float32)",
         "x[::-1].reshape(7, 5, 3)[:, :, :1].astype(float32)"},
        {"array([1, 2, 3], dtype=float32) @ x.T.astype(float32)", "x.T.astype(float32)"}};
    const int64_t dim[2] = {35, 3};
    const char *const x[] = {"x", "e"};
    unsigned char data[35 * 3];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)ref_range(0, 255);
    gnd_array *of[2] = {gnd_from(dev, GND_UINT8, 2, dim, data), NULL};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        char stored[128];
        const char *at = strstr(text[k][0], text[k][1]);
        snprintf(stored, sizeof stored, "%.*se%s", (int)(at - text[k][0]), text[k][0],
                 at + strlen(text[k][1]));
        of[1] = gnd_eval_names(dev, text[k][1], 1, x, of);
        tap_is_int(gnd_wait(of[1]), GND_OK, "%s", text[k][1]);
        gnd_array *lazy = gnd_eval_names(dev, text[k][0], 1, x, of),
                  *y = gnd_eval_names(dev, stored, 2, x, of);
        if (gpu)
            tap_is_int(kernels_of(lazy), 1, "one kernel: %s", text[k][0]);
        tap_ok(gnd_ndim(lazy) == gnd_ndim(y), "%d axes", gnd_ndim(y));
        equal(lazy, y, text[k][0]);
        gnd_release(lazy);
        gnd_release(y);
        gnd_release(of[1]);
    }
    gnd_release(of[0]);
}

static void all(gnd_device *dev, const char *spec)
{
    const int gpu = strcmp(getenv("GND_KERNEL_SHAPE"), "gpu") == 0;
    const int64_t dim[2] = {ROWS, COLS};
    ref_arr h[2];
    int64_t index[ROWS];
    tap_diag("%s, kernels for %ss", spec, getenv("GND_KERNEL_SHAPE"));
    v[0] = ref_make(dev, GND_FLOAT32, 2, dim, REF_CONTIG, REF_REAL, &h[0]);
    v[1] = ref_make(dev, GND_FLOAT32, 1, dim + 1, REF_CONTIG, REF_REAL, &h[1]);
    for (int k = 0; k < ROWS; k++)
        index[k] = ref_range(-COLS, COLS - 1);
    v[2] = gnd_from(dev, GND_INT64, DIM(ROWS, 1), index);
    taken(dev, "x - max(x, axis=1, keepdims=True) * r", "take_along_axis(e, i, axis=1)");
    taken(dev, "where(x > 0, (x * r).astype(int32), 7)", "e[:, i[:3, 0]]");
    taken(dev, "x[:, None, :] + x[:1, :3, None] * r", "e[i[:5, 0], :, i[:5, 0]]");
    taken(dev, "exp(x - x[:, :1]) + r[5]", "e[i[:4, 0]]");
    gnd_array *far = gnd_eval_names(dev, "(x + x[:, :1])[:, [0, 33]]", 3, names, v);
    tap_is_int(gnd_wait(far), GND_ERR_INDEX, "an index out of range is one still");
    gnd_release(far);

    static const char *const shapes[][2] = {
        {"x.T.reshape(-1) * 2 - 1", "(x.T * 1).copy().reshape(-1) * 2 - 1"},
        {"x.reshape(5, 8, 33).transpose(2, 0, 1).reshape(33 * 5, 8) + 3",
         "x.reshape(5, 8, 33).transpose(2, 0, 1).copy().reshape(33 * 5, 8) + 3"},
        {"x[:, ::-1].T.reshape(-1) + x.reshape(-1)",
         "x[:, ::-1].T.copy().reshape(-1) + x.reshape(-1)"}};
    for (int k = 0; k < 3; k++) {
        gnd_array *a = gnd_eval_names(dev, shapes[k][0], 3, names, v),
                  *b = gnd_eval_names(dev, shapes[k][1], 3, names, v);
        if (gpu)
            tap_is_int(kernels_of(a), 1, "one kernel: %s", shapes[k][0]);
        equal(a, b, shapes[k][0]);
        gnd_release(a);
        gnd_release(b);
    }
    terms(dev, gpu);
    for (int k = 0; k < 3; k++)
        gnd_release(v[k]);
    for (int k = 0; k < 2; k++)
        ref_free(&h[k]);
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(all);
    }
    return tap_done();
}
