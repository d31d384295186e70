/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_kernel.c - users' kernels: arguments of every kind, outputs that are nodes like others, inout
 * arguments with and without copies, errors before a launch, compile errors at the user's own
 * lines. The texts are compiled by NVRTC too, where there is one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/user.h"
#include "nvrtcrun.h"
#include "ref.h"
#include "tap.h"

enum { N = 1000, ROWS = 24, COLS = 36 };

static const char simple[] =
    "/* two kernels */\n"
    "__kernel void twice(__global const float *x, __global float *y, const int n)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        y[i] = 2 * x[i];\n"
    "}\n"
    "#define STEP 3\n"
    "__kernel __attribute__((reqd_work_group_size(8, 8, 1)))\n"
    "void grid2(__global int *restrict y, uint cols)\n"
    "{\n"
    "    y[get_global_id(1) * cols + get_global_id(0)] = STEP * (int)get_group_id(0) + (int)get_local_id(1);\n"
    "}\n"
    "kernel void add_to(global float *const x, float c, float2 unused, global float *sum, __local float *tmp,\n"
    "                   local int *other)\n"
    "{ tmp[get_local_id(0)] = x[get_global_id(0)]; other[get_local_id(0)] = 1;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE); x[get_global_id(0)] += c;\n"
    "  if (get_local_id(0) == 0) { float s = 0;\n"
    "    for (size_t i = 0; i < get_local_size(0); i++) s += tmp[i] * other[i]; sum[get_group_id(0)] = s; } }\n";

/* As above, without what CUDA has not (a vector by value). */
static const char portable[] =
    "GND_KERNEL void parts(GND_CONST_GLOBAL g_f32 *x, GND_GLOBAL g_f32 *by2, GND_GLOBAL g_i64 *whole,\n"
    "                      GND_GLOBAL g_u16 *packed, const g_i64 n, GND_LOCAL_PTR g_f32 *tmp)\n"
    "{\n"
    "    const g_i64 i = GND_GID(0);\n"
    "    tmp[GND_LID(0)] = i < n ? x[i] : 0;\n"
    "    GND_BARRIER();\n"
    "    if (i < n) {\n"
    "        by2[i] = tmp[GND_LID(0)] * 0.5f;\n"
    "        whole[i] = gnd_f2i64_f32(tmp[GND_LID(0)] * SCALE);\n"
    "        packed[i] = gnd_pack_f16(gnd_round_f16(x[i]));\n"
    "    }\n"
    "}\n"
    "GND_KERNEL void plus(GND_GLOBAL g_f32 *x, const g_f32 c) { x[GND_GID(0)] += c; }\n";

static const char cuda_c[] =
    "template <class T> __device__ T half_of(T x) { return x / 2; }\n"
    "__constant__ float table[2] = {1, 2};\n"
    "extern \"C\" __global__ void __launch_bounds__(128) a(const float *__restrict__ x, float *y, int n)\n"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = half_of(x[i]) * table[1]; }\n"
    "__global__ void b(float *x) { extern __shared__ float s[]; s[threadIdx.x] = x[threadIdx.x];\n"
    "    __syncthreads(); x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }\n"
    "extern \"C\" { __global__ void c(double *const x) { x[threadIdx.x] = 1; } }\n";

static gnd_device *dev;
static float host[N];

static gnd_array *numbers(void)
{
    const int64_t n = N;
    for (int i = 0; i < N; i++)
        host[i] = (float)(i * 37 % 101) - 50.25f;
    return gnd_from(dev, GND_FLOAT32, 1, &n, host);
}

/* Whether x, n float32 values, is scale * host + plus. */
static int is_scaled(gnd_array *x, int n, float scale, float plus)
{
    float got[N];
    if (gnd_read(x, got, (size_t)n * sizeof *got) != GND_OK) {
        tap_diag("%s", gnd_error(x));
        return 0;
    }
    for (int i = 0; i < n; i++)
        if (got[i] != scale * host[i] + plus) {
            tap_diag("element %d is %g, not %g", i, (double)got[i],
                     (double)(scale * host[i] + plus));
            return 0;
        }
    return 1;
}

static uint64_t launches(void)
{
    gnd_stats s;
    gnd_device_stats(dev, &s);
    return s.kernels_launched;
}

/* 2 x by `twice`. */
static gnd_array *twice(gnd_program *p, gnd_array *x)
{
    const int64_t n = gnd_size(x);
    const gnd_arg args[] = {GND_IN(x), GND_OUT(gnd_ndim(x), gnd_shape(x), GND_FLOAT32, NULL),
                            GND_I32((int)n)};
    gnd_array *y = NULL;
    gnd_launch(gnd_program_kernel(p, "twice"), gnd_dims((size_t)(n + 63) / 64), gnd_dims(64), 3,
               args, &y);
    return y;
}

static void test_opencl(gnd_program *p)
{
    gnd_array *x = numbers(), *y = twice(p, x);
    tap_ok(is_scaled(y, N, 2, 0), "twice");
    uint64_t before = launches();
    tap_ok(is_scaled(y, N, 2, 0), "read again");
    tap_is_int(launches() - before, 0, "it runs once");
    /* among other nodes: what feeds it is stored, what follows is one kernel */
    gnd_array *z = gnd_add(twice(p, gnd_add(x, gnd_real(1))), gnd_real(-2));
    before = launches();
    tap_ok(is_scaled(z, N, 2, 0), "2 (x + 1) - 2");
    tap_is_int(launches() - before, 3, "three launches");
    gnd_array *chain = twice(p, twice(p, twice(p, x)));
    tap_ok(is_scaled(chain, N, 8, 0), "twice of twice of twice");
    /* a view that begins elsewhere, and one that is not contiguous */
    gnd_array *v = twice(p, gnd_index(x, GND_IDX(GND_SLICE(3, N))));
    gnd_array *w = twice(p, gnd_index(x, GND_IDX(GND_STEP(1, N, 2))));
    float got[N];
    gnd_read(v, got, (N - 3) * sizeof *got);
    tap_ok(got[0] == 2 * host[3] && got[N - 4] == 2 * host[N - 1], "a view that begins at 3");
    gnd_read(w, got, N / 2 * sizeof *got);
    tap_ok(got[0] == 2 * host[1] && got[N / 2 - 1] == 2 * host[N - 1], "every second element");
}

static void test_other_arguments(gnd_program *p)
{
    const int64_t dim[2] = {16, 24}, n = 24;
    const gnd_arg grid[] = {GND_OUT(2, dim, GND_INT32, NULL), GND_U32(24)};
    gnd_array *y = NULL, *x = numbers();
    gnd_launch(gnd_program_kernel(p, "grid2"), gnd_dims3(3, 2, 1), gnd_dims3(8, 8, 1), 2, grid, &y);
    int32_t got[16 * 24];
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "a launch over two axes");
    int bad = 0;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 24; j++)
            bad += got[i * 24 + j] != 3 * (j / 8) + i % 8;
    tap_is_int(bad, 0, "groups and items of both axes");
    /* a fill broadcasts; the part that the kernel leaves alone keeps it */
    const int64_t more = 2 * n;
    const gnd_arg fill[] = {GND_IN(x), GND_OUT(1, &more, GND_FLOAT32, gnd_real(7)), GND_I32(24)};
    gnd_launch(gnd_program_kernel(p, "twice"), gnd_dims(1), gnd_dims(32), 3, fill, &y);
    float f[48];
    gnd_read(y, f, sizeof f);
    tap_ok(f[23] == 2 * host[23] && f[24] == 7 && f[47] == 7, "an output with a fill");
}

static void test_portable(void)
{
    gnd_program *p = gnd_compile(dev, portable, GND_PORTABLE, "-D SCALE=10");
    tap_is_str(gnd_program_error(p), "", "the portable dialect compiles");
    const int64_t n = N;
    gnd_array *x = numbers(), *y[3] = {NULL};
    const gnd_arg args[] = {GND_IN(x),
                            GND_OUT(1, &n, GND_FLOAT32, NULL),
                            GND_OUT(1, &n, GND_INT64, NULL),
                            GND_OUT(1, &n, GND_FLOAT16, NULL),
                            GND_I64(N),
                            GND_LOCAL_BYTES(128 * sizeof(float))};
    gnd_kernel *parts = gnd_program_kernel(p, "parts");
    uint64_t before = launches();
    tap_is_int(gnd_launch(parts, gnd_dims(8), gnd_dims(128), 6, args, y), GND_OK, "three outputs");
    int64_t whole[N];
    tap_is_int(gnd_read(y[1], whole, sizeof whole), GND_OK, "the second one alone is read");
    tap_ok(is_scaled(y[0], N, 0.5f, 0), "then the first");
    gnd_array *third = gnd_astype(gnd_multiply(y[2], gnd_int(2)), GND_FLOAT32);
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += whole[i] != (int64_t)(host[i] * 10);
    tap_is_int(bad, 0, "int64 by the option's number");
    tap_ok(is_scaled(third, N, 2, 0), "then what is made of the third, float16");
    tap_is_int(launches() - before, 2, "the kernel ran once");
    /* an output that nobody has any more, and the others after it */
    gnd_launch(parts, gnd_dims(8), gnd_dims(128), 6, args, y);
    gnd_release(y[0]);
    tap_ok(is_scaled(gnd_astype(y[2], GND_FLOAT32), N, 1, 0), "without the first output");
    gnd_release(y[2]);
    gnd_read(y[1], whole, sizeof whole);
    tap_is_int(whole[5], (int64_t)(host[5] * 10), "the second after that");
    /* one that is there already, as a recording's output */
    gnd_launch(parts, gnd_dims(8), gnd_dims(128), 6, args, y);
    gnd_eval_all(1, &y[0]);
    gnd_recording *r = gnd_record(0, NULL, 1, &y[1]);
    tap_is_str(gnd_recording_error(r), "", "a recording of an output whose launch has run");
    gnd_recording_read(r, 0, whole, sizeof whole);
    tap_is_int(whole[7], (int64_t)(host[7] * 10), "has its elements");
    gnd_recording_free(r);
    /* outputs that meet again in one kernel */
    gnd_launch(parts, gnd_dims(8), gnd_dims(128), 6, args, y);
    gnd_array *sum = gnd_add(gnd_add(y[0], y[0]), gnd_subtract(gnd_astype(y[2], GND_FLOAT32), x));
    gnd_release(y[1]);
    tap_ok(is_scaled(sum, N, 1, 0), "two outputs in one expression");
    gnd_program_free(p);
    tap_ok(is_scaled(y[0], N, 0.5f, 0), "arrays outlive the program");
}

static void test_inout(void)
{
    gnd_program *p = gnd_compile(dev, portable, GND_PORTABLE, "-DSCALE=1");
    gnd_kernel *plus = gnd_program_kernel(p, "plus");
    const int64_t n = N;
    (void)numbers();
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &n, host), *y = NULL;
    gnd_arg args[] = {GND_INOUT(x), GND_F32(1)};
    gnd_launch(plus, gnd_dims(N / 8), gnd_dims(8), 2, args, &y);
    uint64_t before = launches();
    tap_ok(is_scaled(y, N, 1, 1), "an inout argument");
    tap_is_int(launches() - before, 2, "its old elements are copied, as they are still there");
    tap_ok(is_scaled(x, N, 1, 0), "and stay what they were");
    /* released: in place */
    gnd_stats s;
    for (int i = 0; i < 3; i++) {
        args[0] = GND_INOUT(y);
        gnd_array *next = NULL;
        gnd_launch(plus, gnd_dims(N / 8), gnd_dims(8), 2, args, &next);
        gnd_release(y);
        y = next;
        before = launches();
        gnd_device_reset_peak(dev);
        gnd_device_stats(dev, &s);
        const uint64_t in_use = s.bytes_in_use;
        gnd_eval_all(1, &y);
        gnd_device_stats(dev, &s);
        tap_ok(launches() - before == 1 && s.bytes_peak == in_use, "step %d is in place", i);
    }
    tap_ok(is_scaled(y, N, 1, 4), "and right");
    /* a chain that is evaluated at once, of a fresh value: no copy at all */
    gnd_array *z = gnd_multiply(x, gnd_real(2));
    for (int i = 0; i < 5; i++) {
        args[0] = GND_INOUT(z);
        gnd_array *next = NULL;
        gnd_launch(plus, gnd_dims(N / 8), gnd_dims(8), 2, args, &next);
        gnd_release(z);
        z = next;
    }
    before = launches();
    tap_ok(is_scaled(z, N, 2, 5), "five launches in a row");
    tap_is_int(launches() - before, 6, "one after the other in the same memory");
    /* a reader of the old value in the same evaluation */
    gnd_array *w = gnd_multiply(x, gnd_real(3)), *next = NULL;
    args[0] = GND_INOUT(w);
    gnd_launch(plus, gnd_dims(N / 8), gnd_dims(8), 2, args, &next);
    gnd_array *diff = gnd_subtract(next, w);
    gnd_release(w);
    tap_ok(is_scaled(diff, N, 0, 1), "the old value is read beside the new one");
    /* what is kept lazily: another array needs the old value later */
    w = gnd_from(dev, GND_FLOAT32, 1, &n, host);
    gnd_array *later = gnd_multiply(w, gnd_real(5));
    args[0] = GND_INOUT(w);
    gnd_launch(plus, gnd_dims(N / 8), gnd_dims(8), 2, args, &next);
    gnd_release(w);
    tap_ok(is_scaled(next, N, 1, 1) && is_scaled(later, N, 5, 0),
           "an array that needs the old value later");
    /* in place below something that is evaluated twice: the result stays */
    w = gnd_from(dev, GND_FLOAT32, 1, &n, host);
    args[0] = GND_INOUT(w);
    gnd_launch(plus, gnd_dims(N / 8), gnd_dims(8), 2, args, &next);
    gnd_release(w);
    gnd_array *lazy = gnd_add(next, gnd_real(1)), *total = gnd_sum(lazy, GND_ALL, 0);
    gnd_release(next);
    gnd_eval_all(1, &total);
    tap_ok(is_scaled(lazy, N, 1, 2), "what was changed in place is not changed again");
    gnd_scope_end();
    gnd_program_free(p);
}

static void test_record(gnd_program *p)
{
    const int64_t n = N;
    gnd_array *x = gnd_placeholder(dev, GND_FLOAT32, 1, &n), *y = gnd_add(twice(p, x), gnd_real(1));
    gnd_recording *r = gnd_record(1, &x, 1, &y);
    tap_is_str(gnd_recording_error(r), "", "a recording of a user's kernel");
    (void)numbers();
    for (int i = 0; i < 40; i++) { /* also once small kernels are merged */
        host[0] = (float)i;
        gnd_recording_write(r, 0, host, sizeof host);
        gnd_replay(r);
    }
    tap_ok(is_scaled(gnd_recording_get(r, 0), N, 2, 1), "is replayed");
    gnd_recording_free(r);
}

/* gnd_launch fails so. */
static void refused(gnd_kernel *k, gnd_extent3 grid, gnd_extent3 block, int nargs,
                    const gnd_arg *args, gnd_status want, const char *text)
{
    gnd_array *y[8] = {NULL};
    const uint64_t before = launches();
    const gnd_status st = gnd_launch(k, grid, block, nargs, args, y);
    tap_ok(st == want && strstr(gnd_message(), text) && launches() == before, "%s: %s",
           gnd_status_name(want), text);
    if (st != want || !strstr(gnd_message(), text))
        tap_diag("%s: %s", gnd_status_name(st), gnd_message());
    if (y[0])
        tap_ok(gnd_status_of(y[0]) == want && strstr(gnd_error(y[0]), text),
               "and the output says so");
}

static void test_refusals(gnd_program *p)
{
    const int64_t n = N, none = -1;
    gnd_array *x = numbers(), *i32 = gnd_astype(x, GND_INT32);
    gnd_kernel *k = gnd_program_kernel(p, "twice");
    const gnd_extent3 g = gnd_dims(16), b = gnd_dims(64);
    gnd_arg a[] = {GND_IN(x), GND_OUT(1, &n, GND_FLOAT32, NULL), GND_I32(N)};
    refused(NULL, g, b, 3, a, GND_ERR_NULL, "the kernel is NULL");
    refused(gnd_program_kernel(p, "twise"), g, b, 3, a, GND_ERR_NAME,
            "no kernel 'twise': did you mean 'twice'?");
    refused(gnd_program_kernel(p, "zzzzz"), g, b, 3, a, GND_ERR_NAME,
            "the program has twice, grid2, add_to");
    refused(gnd_program_kernel(p, NULL), g, b, 3, a, GND_ERR_NAME,
            "name is NULL, and the program has 3 kernels");
    refused(k, g, b, 2, a, GND_ERR_ARG, "kernel twice takes 3 arguments, 2 given");
    refused(k, g, b, 3, NULL, GND_ERR_NULL, "args is NULL");
    refused(k, gnd_dims(0), b, 3, a, GND_ERR_ARG, "grid.x is 0");
    refused(k, g, gnd_dims(1 << 20), 3, a, GND_ERR_ARG, "block.x is 1048576, the device has");
    refused(gnd_program_kernel(p, "grid2"), g, b, 2, (gnd_arg[]){a[1], GND_U32(3)}, GND_ERR_DTYPE,
            "a pointer to int cannot point to float32");
    refused(gnd_program_kernel(p, "grid2"), g, gnd_dims3(8, 4, 1), 2,
            (gnd_arg[]){GND_OUT(1, &n, GND_INT32, NULL), GND_U32(3)}, GND_ERR_ARG,
            "groups of 8 x 8 x 1");
    gnd_arg c[] = {a[0], a[1], GND_F32(3)};
    refused(k, g, b, 3, c, GND_ERR_DTYPE, "args[2], int n: a float32 is given");
    c[2] = GND_IN(x);
    refused(k, g, b, 3, c, GND_ERR_ARG, "args[2], int n: it takes a number, not an array");
    c[2] = a[2];
    c[0] = GND_IN(i32);
    refused(k, g, b, 3, c, GND_ERR_DTYPE,
            "args[0], float x: a pointer to float cannot point to int32");
    c[0] = GND_F32(1);
    refused(k, g, b, 3, c, GND_ERR_ARG, "a pointer takes an array, not a number");
    c[0] = GND_SAME(0);
    refused(k, g, b, 3, c, GND_ERR_ARG, "GND_SAME(0) is no out or inout argument before it");
    gnd_arg same[] = {a[0], GND_SAME(0), a[2]};
    refused(k, g, b, 3, same, GND_ERR_ARG, "GND_SAME(0) is no out or inout argument before it");
    c[0] = GND_IN(gnd_real(2));
    refused(k, g, b, 3, c, GND_ERR_ARG, "a number without a device");
    c[0] = GND_IN(NULL);
    refused(k, g, b, 3, c, GND_ERR_NULL, "args[0]");
    c[0] = GND_INOUT(x);
    refused(k, g, b, 3, c, GND_ERR_ARG, "const: only GND_IN fits");
    c[0] = GND_IN(gnd_sum(x, GND_AXIS(4), 0));
    refused(k, g, b, 3, c, GND_ERR_AXIS, "axis 4");
    c[0] = a[0];
    c[1] = GND_IN(x);
    refused(k, g, b, 3, c, GND_ERR_ARG, "no out or inout argument");
    c[1] = GND_OUT(1, &none, GND_FLOAT32, NULL);
    refused(k, g, b, 3, c, GND_ERR_SHAPE, "-1");
    c[1] = GND_OUT(1, &n, GND_FLOAT32, gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){3}, host));
    refused(k, g, b, 3, c, GND_ERR_SHAPE, "a fill of shape (3,) does not broadcast to (1000,)");
    gnd_arg l[] = {GND_INOUT(x),
                   GND_F32(1),
                   GND_F32(1),
                   GND_OUT(1, &n, GND_FLOAT32, NULL),
                   GND_LOCAL_BYTES((size_t)1 << 40),
                   GND_LOCAL_BYTES(4)};
    refused(gnd_program_kernel(p, "add_to"), g, b, 6, l, GND_ERR_DTYPE,
            "float2 unused: a float32 is given");
}

static void test_compile_errors(void)
{
    static const struct {
        const char *text;
        gnd_language language;
        const char *options;
        gnd_status st;
        const char *has;
    } c[] = {
        {"\n\n__kernel void f(__global float *x)\n{\n    x[0] = undefined_name;\n}\n", GND_OPENCL_C,
         NULL, GND_ERR_BUILD, "source:5:12:"},
        {"__kernel void f(__global float *x) { x[0] = wrong; }", GND_OPENCL_C, NULL, GND_ERR_BUILD,
         "source:1:45:"},
        {"GND_KERNEL void f(GND_GLOBAL g_f32 *x)\n{ x[0] = ; }", GND_PORTABLE, NULL, GND_ERR_BUILD,
         "source:2:10:"},
        {"GND_KERNEL void f(GND_GLOBAL g_f32 *x) { x[0] = gnd_nothing_f32(1); }", GND_PORTABLE,
         NULL, GND_ERR_NAME, "gnd_nothing_f32"},
        {"void f(int x) { }", GND_OPENCL_C, NULL, GND_ERR_NAME,
         "no kernel: none is marked __kernel"},
        {"__kernel void f(__global float *x) { } /* ", GND_OPENCL_C, NULL, GND_ERR_SYNTAX,
         "source:1:40: a comment without an end"},
        {"__kernel void f(__global float *x) { }", GND_OPENCL_C, "-O3", GND_ERR_ARG, "option -O3"},
        {"__kernel void f(int) { }", GND_OPENCL_C, NULL, GND_ERR_SYNTAX,
         "source:1:17: a kernel's parameter"},
        {"template <class T> __device__ T g(T x);\n__global__ void f(float *x) { }", GND_CUDA_C,
         NULL, GND_ERR_UNSUPPORTED, "runs on CUDA devices only"},
        {"x", (gnd_language)9, NULL, GND_ERR_ARG, "language 9"},
        {NULL, GND_OPENCL_C, NULL, GND_ERR_NULL, "source is NULL"},
    };
    const int cuda = strncmp(gnd_device_id(dev), "cuda", 4) == 0;
    gnd_device_info info;
    const int no_lines =
        gnd_device_describe(dev, &info) == GND_OK && strstr(info.name, "Oclgrind") != NULL;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        if (cuda && c[i].st == GND_ERR_UNSUPPORTED)
            continue;
        gnd_program *p = gnd_compile(dev, c[i].text, c[i].language, c[i].options);
        tap_is_str(gnd_status_name(gnd_program_status(p)), gnd_status_name(c[i].st),
                   "compile error %zu", i);
        if (c[i].st == GND_ERR_BUILD && no_lines) /* places are of the text that it compiles */
            tap_skip(1, "Oclgrind ignores #line");
        else
            tap_has_str(gnd_program_error(p), c[i].has, "its message");
        if (c[i].st == GND_ERR_BUILD)
            tap_has_str(gnd_program_log(p), "error", "its log");
        gnd_array *y = NULL;
        tap_is_int(gnd_launch(gnd_program_kernel(p, "f"), gnd_dims(1), gnd_dims(1), 0, NULL, &y),
                   c[i].st, "a launch gives the same");
        gnd_program_free(p);
    }
    gnd_program *none = gnd_compile(NULL, "x", GND_OPENCL_C, NULL);
    tap_is_int(gnd_program_status(none), GND_ERR_NULL, "no device");
    gnd_program_free(none);
}

/* One array as two arguments: one memory, copied and in place. */
static void test_same(void)
{
    static const char text[] =
        "GND_KERNEL void shift(GND_GLOBAL g_f32 *x, GND_GLOBAL g_f32 *y, g_i32 n)\n"
        "{ const g_i32 i = (g_i32)GND_GID(0); if (i < n / 2) { x[i] = x[i] + 1; y[i + n / 2] = y[i]; } }\n";
    gnd_program *p = gnd_compile(dev, text, GND_PORTABLE, NULL);
    gnd_array *x = numbers(), *y = NULL;
    const gnd_arg args[] = {GND_INOUT(x), GND_SAME(0), GND_I32(N)};
    float got[N];
    int bad = 0;
    for (int turn = 0; turn < 2; turn++) { /* the second one works in x's memory */
        gnd_launch(gnd_program_kernel(p, NULL), gnd_dims(N / 8), gnd_dims(8), 3, args, &y);
        if (turn)
            gnd_release(x);
        gnd_read(y, got, sizeof got);
        bad = 0;
        for (int i = 0; i < N / 2; i++)
            bad += got[i] != host[i] + 1 || got[i + N / 2] != host[i] + 1;
        tap_is_int(bad, 0, "an array as two arguments, %s", turn ? "in place" : "copied");
    }
    gnd_kernel_param par;
    gnd_kernel *k = gnd_program_kernel(p, NULL);
    tap_ok(gnd_kernel_parameter(k, 1, &par) == GND_OK && !strcmp(par.name, "y") &&
               par.kind == GND_ARG_INOUT && par.dtype == GND_FLOAT32 && par.lanes == 1 &&
               !strcmp(par.type, "g_f32"),
           "a parameter");
    tap_ok(gnd_kernel_parameter(k, 2, &par) == GND_OK && par.kind == GND_ARG_NUMBER &&
               par.dtype == GND_INT32,
           "one that is a number");
    tap_is_int(gnd_kernel_parameter(k, 3, &par), GND_ERR_INDEX, "there is no fourth");
    tap_is_int(gnd_kernel_parameter(k, 0, NULL), GND_ERR_NULL, "no place for it");
    tap_is_int(gnd_kernel_parameter(NULL, 0, &par), GND_ERR_NULL, "of no kernel");
    gnd_program_free(p);
}

static void test_info(gnd_program *p)
{
    gnd_kernel_facts f;
    tap_is_int(gnd_kernel_info(gnd_program_kernel(p, "twice"), 1000, &f), GND_OK,
               "what a kernel takes");
    tap_ok(f.max_group >= 1 && f.block.x >= 1 && f.block.x * f.grid.x >= 1000 &&
               f.block.x * (f.grid.x - 1) < 1000,
           "a block of %zu and a grid of %zu", f.block.x, f.grid.x);
    tap_is_int(gnd_kernel_info(gnd_program_kernel(p, "grid2"), 100, &f), GND_OK, "of fixed groups");
    tap_is_int((int64_t)f.block.x, 8, "its own block");
    tap_is_int(gnd_kernel_info(gnd_program_kernel(p, "nothing like"), 1, &f), GND_ERR_NAME,
               "no such kernel");
    tap_is_int(gnd_kernel_info(gnd_program_kernel(p, "twice"), 0, &f), GND_ERR_ARG, "n = 0");
    tap_is_str(gnd_program_name(p, 2), "add_to", "names in order");
    tap_ok(!gnd_program_name(p, 3), "and their end");
    gnd_array *y = twice(p, numbers());
    gnd_status st;
    char *text = gnd_explain(1, &y, GND_EXPLAIN_SOURCE, &st);
    tap_has_str(text, "kernel 1: user kernel twice", "explain names it");
    tap_has_str(text, "y[i] = 2 * x[i];", "and shows it");
    free(text);
}

/* The texts for CUDA compile. */
static void test_nvrtc(void)
{
    static const struct {
        gnd__ulang lang;
        const char *text, *options, *entry;
    } c[] = {
        {GND__UL_PORTABLE, portable, "-D SCALE=2", ".entry parts"},
        {GND__UL_CUDA, cuda_c, NULL, ".entry b"},
        {GND__UL_OPENCL,
         "#define BLOCK 16\n"
         "float square(__local float *p) { return *p * *p; }\n"
         "constant float table[2] = {1.0f, 2.0f};\n"
         "__kernel void f(__global const float *x, __local float *tmp, __global float *restrict y, __local uint *n,\n"
         "                __constant float *c, ulong len)\n"
         "{ __local float tile[BLOCK]; size_t i = get_global_id(0), l = get_local_id(0); local float *q = tmp;\n"
         "  tile[l % BLOCK] = x[i]; q[l] = clamp(x[i], 0.0f, 1.0f) + c[0]; atomic_inc(n);\n"
         "  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
         "  if (i < len) y[i] = square(&tmp[l]) + native_exp(tile[0]) + table[1] + mad(x[i], 2.0f, 1.0f) +\n"
         "      convert_float(popcount(n[0])) + as_float(as_uint(x[i])) + sin(x[i]) * rsqrt(2.0f) + mix(x[i], 1.0f, 0.5f); }\n"
         "kernel void g(global float *x) { global float *p = x + 1; *p = 1; }\n",
         NULL, ".entry g"},
    };
    const char *why;
    if (!nvrtc_load(&why)) {
        tap_skip(6, "%s", why);
        return;
    }
    gnd_props props = {.kind = GND_DEV_GPU, .dialect = GND_DIALECT_CUDA, .has_f64 = 1};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        gnd__usource u;
        gnd__str text = {0};
        gnd_err e = {.code = GND_OK};
        gnd_status st = gnd__usource_read(&u, c[i].lang, c[i].text, c[i].options, &e);
        if (st == GND_OK)
            st = gnd__usource_text(&u, &props, &text, &e);
        if (!tap_ok(st == GND_OK && nvrtc_build(gnd__str_get(&text), 90), "NVRTC compiles text %zu",
                    i))
            tap_diag("%s\n%s", e.msg, gnd__str_get(&text));
        char *ptx = nvrtc_ptx(gnd__str_get(&text),
                              90); /* a kernel that is none is left out without a word */
        tap_ok(ptx && strstr(ptx, c[i].entry), "and %s is a kernel there", c[i].entry);
        free(ptx);
        gnd__str_free(&text);
        gnd__usource_free(&u);
    }
}

int main(void)
{
    test_nvrtc();
    dev = ref_open_first();
    gnd_scope_begin();
    gnd_program *p = gnd_compile(dev, simple, GND_OPENCL_C, NULL);
    tap_is_str(gnd_program_error(p), "", "OpenCL C compiles");
    test_opencl(p);
    test_other_arguments(p);
    test_portable();
    test_same();
    test_inout();
    test_record(p);
    test_refusals(p);
    test_compile_errors();
    test_info(p);
    gnd_kernel *k = gnd_program_kernel(p, "twice");
    gnd_program_free(p);
    gnd_scope_end();
    tap_is_int(gnd_program_status(p), GND_ERR_STATE, "a program that was freed");
    gnd_array *y = NULL;
    tap_is_int(gnd_launch(k, gnd_dims(1), gnd_dims(1), 0, NULL, &y), GND_ERR_STATE,
               "and its kernel");
    p = gnd_compile(dev, simple, GND_OPENCL_C, NULL);
    gnd_close(dev);
    tap_is_int(gnd_launch(gnd_program_kernel(p, "twice"), gnd_dims(1), gnd_dims(1), 0, NULL, &y),
               GND_ERR_STATE, "a device that was closed");
    gnd_program_free(p);
    return tap_done();
}
