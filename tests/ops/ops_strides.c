/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_strides.c - array arguments that a kernel gets as they are (GND_STRIDED), with extents and
 * strides of axes: random views of three axes in each language against the elements that are read,
 * without copies; pending expressions, broadcasts, nothing at all; alignment of vectors; errors.
 */
#include <stdio.h>
#include <string.h>

#include "nvrtcrun.h"
#include "ref.h"
#include "tap.h"

enum { MOST = 4096 };

/* y = x in C order, from strides. */
static const char opencl_text[] =
    "__kernel void pack(__global const int *x, __global int *y, long n0, long n1, long n2, long s0, long s1, long s2)\n"
    "{\n"
    "    const long i = get_global_id(0);\n"
    "    if (i < n0 * n1 * n2)\n"
    "        y[i] = x[i / (n1 * n2) * s0 + i / n2 % n1 * s1 + i % n2 * s2];\n"
    "}\n";
static const char cuda_text[] =
    "__global__ void pack(const int *x, int *y, long long n0, size_t n1, long long n2, ptrdiff_t s0, long long s1, long long s2)\n"
    "{\n"
    "    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x, m = n1;\n"
    "    if (i < n0 * m * n2)\n"
    "        y[i] = x[i / (m * n2) * s0 + i / n2 % m * s1 + i % n2 * s2];\n"
    "}\n";
static const char portable_text[] =
    "GND_KERNEL void pack(GND_CONST_GLOBAL g_i32 *x, GND_GLOBAL g_i32 *y, g_i64 n0, g_i64 n1, g_u64 n2, g_i64 s0,\n"
    "                     g_i64 s1, g_i64 s2)\n"
    "{\n"
    "    const g_i64 i = GND_GID(0), m = n2;\n"
    "    if (i < n0 * n1 * m)\n"
    "        y[i] = x[i / (n1 * m) * s0 + i / m % n1 * s1 + i % m * s2];\n"
    "}\n";

static gnd_device *dev;

static uint64_t launches(void)
{
    gnd_stats s;
    gnd_device_stats(dev, &s);
    return s.kernels_launched;
}

/* x of three axes by kernel k, from its strides. */
static gnd_array *pack(gnd_kernel *k, gnd_array *x)
{
    const gnd_arg args[] = {GND_STRIDED(x),   GND_OUT(3, gnd_shape(x), GND_INT32, NULL),
                            GND_EXTENT(0, 0), GND_EXTENT(0, 1),
                            GND_EXTENT(1, 2), GND_STRIDE(0, 0),
                            GND_STRIDE(0, 1), GND_STRIDE(0, 2)};
    gnd_array *y = NULL;
    gnd_launch(k, gnd_dims((size_t)gnd_size(x) / 64 + 1), gnd_dims(64), 8, args, &y);
    return y;
}

/* Whether x and y have the same elements. */
static int same(gnd_array *x, gnd_array *y, const char *what)
{
    static int32_t a[MOST], b[MOST];
    const size_t n = (size_t)gnd_size(x) * sizeof *a;
    if (gnd_read(x, a, n) != GND_OK || gnd_read(y, b, n) != GND_OK) {
        tap_diag("%s: %s %s", what, gnd_error(x), gnd_error(y));
        return 0;
    }
    for (size_t i = 0; i < n / sizeof *a; i++)
        if (a[i] != b[i]) {
            tap_diag("%s: element %zu is %d, not %d", what, i, b[i], a[i]);
            return 0;
        }
    return 1;
}

static unsigned seed = 7;
static int pick(int n)
{
    seed = seed * 1103515245u + 12345u;
    return (int)(seed >> 16 & 0x7fff) % n;
}

/* A random view of x, of three axes and at most MOST elements; its description in text. */
static gnd_array *view_of(gnd_array *x, char *text, size_t cap)
{
    static const char *const order[6] = {"0, 1, 2", "0, 2, 1", "1, 0, 2",
                                         "1, 2, 0", "2, 0, 1", "2, 1, 0"};
    char at[128];
    size_t n = 0;
    for (int d = 0; d < 3; d++) {
        const int step = 1 + pick(3), m = (int)gnd_shape(x)[d], a = pick(m + 1), b = pick(m + 1);
        const int lo = a < b ? a : b, hi = a < b ? b : a;
        if (pick(2))
            n += (size_t)snprintf(at + n, sizeof at - n, "%s%d:%d:%d", d ? ", " : "", lo, hi, step);
        else if (pick(2))
            n +=
                (size_t)snprintf(at + n, sizeof at - n, "%s%d:%d:%d", d ? ", " : "", hi, lo, -step);
        else
            n += (size_t)snprintf(at + n, sizeof at - n, "%s::%d", d ? ", " : "", -step);
    }
    const int o = pick(6), axes[3] = {order[o][0] - '0', order[o][3] - '0', order[o][6] - '0'};
    snprintf(text, cap, "x[%s].transpose(%s)", at, order[o]);
    return gnd_permute_dims(gnd_at(x, at), axes);
}

static void test_views(gnd_language language, const char *text, const char *name)
{
    const int64_t dim[3] = {9, 13, 11};
    static int32_t host[9 * 13 * 11];
    gnd_program *p = gnd_compile(dev, text, language, NULL);
    if (!tap_is_str(gnd_program_error(p), "", "%s compiles", name))
        return;
    gnd_kernel *k = gnd_program_kernel(p, "pack");
    for (int i = 0; i < 9 * 13 * 11; i++)
        host[i] = i * 7 - 1000;
    gnd_array *x = gnd_from(dev, GND_INT32, 3, dim, host);
    int bad = 0, empty = 0;
    uint64_t copies = 0;
    for (int i = 0; i < 60; i++) {
        char what[200];
        gnd_scope_begin();
        gnd_array *v = view_of(x, what, sizeof what), *y = pack(k, v);
        uint64_t before = launches();
        if (gnd_eval_all(1, &y) != GND_OK)
            tap_diag("%s: %s", what, gnd_error(y));
        copies += launches() - before > 1;
        empty += gnd_size(v) == 0;
        bad += !same(v, y, what);
        gnd_scope_end();
    }
    tap_is_int(bad, 0, "%s: 60 random views", name);
    tap_is_int((int64_t)copies, 0, "%s: of memory, none was copied", name);
    tap_ok(empty > 0 && empty < 60, "%s: %d of them had no elements", name, empty);

    /* of what is not computed yet, and what has no strides */
    gnd_array *sum = gnd_add(x, gnd_int(1)), *v = gnd_permute_dims(sum, (int[]){2, 0, 1});
    tap_ok(same(v, pack(k, v), "pending"), "%s: a view of an expression", name);
    const int64_t wide[3] = {5, 13, 11}, flat[3] = {3, 39, 11}, four[3] = {4, 1, 143};
    v = gnd_broadcast_to(gnd_at(x, "3:4"), 3, wide);
    tap_ok(same(v, pack(k, v), "broadcast"), "%s: a broadcast", name);
    v = gnd_reshape(gnd_at(x, "::-1, ::2"), 3, (int64_t[]){7, 9, 11});
    tap_ok(same(v, pack(k, v), "reshape"), "%s: a reshape that strides cannot express", name);
    v = gnd_reshape(x, 3, flat);
    tap_ok(same(v, pack(k, v), "reshape"), "%s: one that they can", name);
    v = gnd_reshape(gnd_at(x, "1::2"), 3, four);
    tap_ok(same(v, pack(k, v), "one"), "%s: an axis of one element", name);
    v = gnd_zeros(dev, GND_INT32, 3, (int64_t[]){0, INT64_C(1) << 30, INT64_C(1) << 30});
    tap_is_int(gnd_size(pack(k, v)), 0, "%s: nothing", name);
    gnd_program_free(p);
}

/* The strides themselves, of arguments of every kind. */
static void test_numbers(void)
{
    static const char text[] =
        "__kernel void tell(__global const float *x, __global const float *c, __global float *in, __global long *y,\n"
        "                   long a, long b, long d, long e, long f, long g, long h)\n"
        "{ y[0] = a; y[1] = b; y[2] = d; y[3] = e; y[4] = f; y[5] = g; y[6] = h; in[0] = x[0] + c[0]; }\n";
    const int64_t dim[2] = {4, 6}, seven = 7;
    float host[24];
    for (int i = 0; i < 24; i++)
        host[i] = (float)i;
    gnd_program *p = gnd_compile(dev, text, GND_OPENCL_C, NULL);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, dim, host), *y[2];
    gnd_array *t = gnd_at(x, "::-2, 1::3");
    const gnd_arg args[] = {
        GND_STRIDED(t),   GND_IN(t),        GND_INOUT(x),     GND_OUT(1, &seven, GND_INT64, NULL),
        GND_STRIDE(0, 0), GND_STRIDE(0, 1), GND_STRIDE(1, 0), GND_STRIDE(2, 0),
        GND_STRIDE(3, 0), GND_EXTENT(0, 1), GND_EXTENT(2, 0)};
    int64_t got[7] = {0};
    float first = 0;
    gnd_launch(gnd_program_kernel(p, NULL), gnd_dims(1), gnd_dims(1), 11, args, y);
    if (gnd_read(y[1], got, sizeof got) != GND_OK)
        tap_diag("%s", gnd_error(y[1]));
    tap_ok(got[0] == -12 && got[1] == 3 && got[2] == 2 && got[3] == 6 && got[4] == 1 &&
               got[5] == 2 && got[6] == 4,
           "strides and extents: %lld %lld %lld %lld %lld %lld %lld", (long long)got[0],
           (long long)got[1], (long long)got[2], (long long)got[3], (long long)got[4],
           (long long)got[5], (long long)got[6]);
    gnd_read(gnd_at(y[0], "0, 0"), &first, sizeof first);
    tap_ok(first == 38, "both pointers are to element (0, 0): %g", (double)first);
    gnd_program_free(p);
}

/* Pointers to vectors: views that begin elsewhere are copied where the type needs it. */
static void test_vectors(void)
{
    static const char text[] =
        "__kernel void four(__global const float4 *x, __global float4 *y) { y[get_global_id(0)] = x[get_global_id(0)]; }\n"
        "__kernel void eight(__global const int8 *x, __global int8 *y) { y[get_global_id(0)] = x[get_global_id(0)] * 2; }\n"
        "__kernel void sixteen(__global const int16 *x, __global int16 *y) { y[get_global_id(0)] = x[get_global_id(0)] + 1; }\n";
    const int64_t n = 256;
    int32_t host[256], got[256];
    for (int i = 0; i < 256; i++)
        host[i] = i;
    gnd_program *p = gnd_compile(dev, text, GND_OPENCL_C, NULL);
    tap_is_str(gnd_program_error(p), "", "kernels of vectors");
    gnd_array *x = gnd_from(dev, GND_INT32, 1, &n, host);
    gnd_array *f = gnd_astype(x, GND_FLOAT32);
    gnd_eval_all(1, &f);
    int bad = 0;
    for (int64_t from = 0; from < 40; from++) {
        const int64_t m = (256 - from) / 16 * 16;
        gnd_scope_begin();
        gnd_array *v = gnd_index(x, GND_IDX(GND_SLICE(from, from + m))), *y = NULL, *z = NULL,
                  *w = NULL;
        gnd_array *u = gnd_index(f, GND_IDX(GND_SLICE(from, from + m)));
        gnd_arg args[] = {from % 2 ? GND_STRIDED(v) : GND_IN(v), GND_OUT(1, &m, GND_INT32, NULL)};
        gnd_launch(gnd_program_kernel(p, "eight"), gnd_dims((size_t)m / 8), gnd_dims(1), 2, args,
                   &y);
        gnd_launch(gnd_program_kernel(p, "sixteen"), gnd_dims((size_t)m / 16), gnd_dims(1), 2, args,
                   &z);
        args[0] = GND_IN(u);
        args[1] = GND_OUT(1, &m, GND_FLOAT32, NULL);
        gnd_launch(gnd_program_kernel(p, "four"), gnd_dims((size_t)m / 4), gnd_dims(1), 2, args,
                   &w);
        if (gnd_read(y, got, (size_t)m * 4) != GND_OK)
            tap_diag("%s", gnd_error(y));
        for (int64_t i = 0; i < m; i++)
            bad += got[i] != 2 * host[from + i];
        gnd_read(z, got, (size_t)m * 4);
        for (int64_t i = 0; i < m; i++)
            bad += got[i] != host[from + i] + 1;
        bad += !same(v, gnd_astype(w, GND_INT32), "four");
        gnd_scope_end();
    }
    tap_is_int(bad, 0, "vectors of 16, 32 and 64 bytes from any element on");
    gnd_program_free(p);
}

static void test_checked(void)
{
    static const char text[] =
        "GND_KERNEL void pick(GND_CONST_GLOBAL g_i32 *x, GND_GLOBAL g_i32 *y, g_i64 s, g_i64 at)\n"
        "{ y[GND_GID(0)] = x[((g_i64)GND_GID(0) + at) * s]; }\n";
    const int64_t n = 10, five = 5;
    int32_t host[10], got[5];
    for (int i = 0; i < 10; i++)
        host[i] = i;
    gnd_program *p = gnd_compile(dev, text, GND_PORTABLE, "-checked");
    gnd_array *v = gnd_at(gnd_from(dev, GND_INT32, 1, &n, host), "::-2"), *y = NULL;
    gnd_arg args[] = {GND_STRIDED(v), GND_OUT(1, &five, GND_INT32, NULL), GND_STRIDE(0, 0),
                      GND_I64(0)};
    gnd_launch(gnd_program_kernel(p, NULL), gnd_dims(1), gnd_dims(5), 4, args, &y);
    tap_ok(gnd_read(y, got, sizeof got) == GND_OK && got[0] == 9 && got[4] == 1,
           "checked: a view by its strides: %s", gnd_error(y));
    args[3] = GND_I64(1);
    gnd_launch(gnd_program_kernel(p, NULL), gnd_dims(1), gnd_dims(5), 4, args, &y);
    tap_is_int(gnd_read(y, got, sizeof got), GND_ERR_INDEX, "checked: and one beyond it");
    tap_has_str(gnd_error(y), "index 5 is out of range for x of size 5", "which the message says");
    gnd_program_free(p);
}

static void refused(gnd_kernel *k, const gnd_arg *args, gnd_status st, const char *text)
{
    gnd_array *y = NULL;
    tap_is_str(gnd_status_name(gnd_launch(k, gnd_dims(1), gnd_dims(1), 8, args, &y)),
               gnd_status_name(st), "refused: %s", text);
    tap_has_str(gnd_error(y), text, "which the message says");
}

static void test_errors(void)
{
    static const char text[] =
        "__kernel void pack(__global const int *x, __global int *y, long n0, long n1, long n2, long s0, long s1, int s2)\n"
        "{ y[0] = x[0]; }\n";
    const int64_t dim[3] = {2, 3, 4};
    gnd_program *p = gnd_compile(dev, opencl_text, GND_OPENCL_C, NULL);
    gnd_program *q = gnd_compile(dev, text, GND_OPENCL_C, NULL);
    gnd_array *x = gnd_zeros(dev, GND_INT32, 3, dim), *y = NULL;
    gnd_kernel *k = gnd_program_kernel(p, NULL);
    const gnd_arg good[] = {GND_STRIDED(x),   GND_OUT(3, dim, GND_INT32, NULL),
                            GND_EXTENT(0, 0), GND_EXTENT(0, 1),
                            GND_EXTENT(1, 2), GND_STRIDE(0, 0),
                            GND_STRIDE(0, 1), GND_STRIDE(0, 2)};
    gnd_arg args[8];
    tap_is_int(gnd_launch(k, gnd_dims(1), gnd_dims(1), 8, good, &y), GND_OK, "good arguments");
#define CHANGED(i, arg, st, message)                                                               \
    memcpy(args, good, sizeof args);                                                               \
    args[i] = arg;                                                                                 \
    refused(k, args, st, message)
    CHANGED(5, GND_STRIDE(2, 0), GND_ERR_ARG,
            "args[5], long s0: a stride (GND_STRIDE) of argument 2, which is no array");
    CHANGED(5, GND_STRIDE(8, 0), GND_ERR_ARG, "of argument 8, which is no array");
    CHANGED(5, GND_STRIDE(-1, 0), GND_ERR_ARG, "of argument -1, which is no array");
    CHANGED(2, GND_EXTENT(0, 3), GND_ERR_AXIS, "args[2], long n0: axis 3 of args[0], which has 3");
    CHANGED(2, GND_EXTENT(1, -1), GND_ERR_AXIS, "axis -1 of args[1]");
    CHANGED(0, GND_STRIDE(1, 0), GND_ERR_ARG, "a pointer takes an array, not a stride");
    memcpy(args, good, sizeof args);
    args[1] = GND_STRIDED(x);
    tap_is_int(gnd_launch(k, gnd_dims(1), gnd_dims(1), 8, args, &y), GND_ERR_ARG, "no output");
    memcpy(args, good, sizeof args);
    refused(gnd_program_kernel(q, NULL), args, GND_ERR_DTYPE,
            "args[7], int s2: a stride (GND_STRIDE) is a number of 64 bits");
    gnd_program_free(p);
    gnd_program_free(q);
}

int main(void)
{
    const char *why;
    if (nvrtc_load(&why)) {
        tap_ok(nvrtc_build(cuda_text, 90), "NVRTC compiles the kernel in CUDA C");
    } else
        tap_skip(1, "%s", why);
    dev = ref_open_first();
    gnd_scope_begin();
    test_views(GND_OPENCL_C, opencl_text, "OpenCL C");
    test_views(GND_CUDA_C, cuda_text, "CUDA C");
    test_views(GND_PORTABLE, portable_text, "portable");
    test_numbers();
    if (strncmp(ref_first_device(), "cuda", 4)) /* operators of vectors are OpenCL C's */
        test_vectors();
    test_checked();
    test_errors();
    gnd_scope_end();
    gnd_close(dev);
    return tap_done();
}
