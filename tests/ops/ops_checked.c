/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_checked.c - checked mode of users' kernels: accesses of each form in CUDA C and in the
 * portable language, good ones with the right result, bad ones with the kernel, line, index and
 * size in the error of the result; what follows is right again. The texts are compiled by NVRTC
 * too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/user.h"
#include "nvrtcrun.h"
#include "ref.h"
#include "tap.h"

enum { N = 10, ITEMS = 4 };

/* Accesses of the arrays x (float, N), y (float, N, out), with n the index. In CUDA C; the line of
 * the access is 12. */
static const struct {
    const char *code;
    int good;       /* an index that is fine */
    int bad;        /* one that is not */
    const char *at; /* what the message says of the bad one */
} access_of[] = {
    {"y[0] = x[n];", 9, 10, "index 10 is out of range for x of size 10"},
    {"const float *a_pointer_whose_name_is_longer_than_the_sixty_four_bytes_of_a_table = x; "
     "y[0] = a_pointer_whose_name_is_longer_than_the_sixty_four_bytes_of_a_table[n];",
     9, 10, "index 10 is out of range for x of size 10"},
    {"float a = 2; y[0] = (a * x[n]);", 9, 10, "index 10 is out of range for x of size 10"},
    {"float a = 2; if (n > -9 * x[n]) y[0] = a;", 9, 10,
     "index 10 is out of range for x of size 10"},
    {"float *p = y + n; if (n > -9) *p = 1;", 9, 10, "index 10 is out of range for y of size 10"},
    {"atomicAdd(y + n + 0 * (int)*x, 1.0f);", 9, 10, "index 10 is out of range for y of size 10"},
    {"y[0] = x[n];", 0, -1, "index -1 is out of range for x of size 10"},
    {"y[n] = 5;", 9, 10, "index 10 is out of range for y of size 10"},
    {"y[n] += 5;", 9, -3, "index -3 is out of range for y of size 10"},
    {"y[n]++;", 9, 12, "index 12 is out of range for y of size 10"},
    {"--y[n];", 9, 12, "index 12 is out of range for y of size 10"},
    {"y[0] = *(x + n);", 9, 10, "index 10 is out of range for x of size 10"},
    {"*(y + n) = 2;", 9, 10, "index 10 is out of range for y of size 10"},
    {"const float *p = x + n; y[0] = *p;", 9, 10, "index 10 is out of range for x of size 10"},
    {"const float *p = x; p += n; y[0] = p[1];", 8, 9, "index 10 is out of range for x of size 10"},
    {"const float *p = &x[n], *q = x; y[0] = *p++ + q[0];", 9, 11, "out of range for x of size 10"},
    {"float *p = y; *p = 1; p += n; *p++ = 3;", 9, 10, "index 10 is out of range for y of size 10"},
    {"y[0] = (x + 1)[n];", 8, 9, "index 10 is out of range for x of size 10"},
    {"y[0] = x[(int)x[n]];", 3, 20, "index 20 is out of range for x of size 10"},
    {"y[(int)x[0]] = x[n] * 2 * *x;", 9, 10, "index 10 is out of range for x of size 10"},
    {"y[0] = ((const float2 *)x)[n].y;", 4, 5, "index 10 is out of range for x of size 10"},
    {"y[0] = ((const float2 *)(x + 1))[n].x;", 3, 4, "index 10 is out of range for x of size 10"},
    {"const float2 *p = (const float2 *)x; y[0] = (p + n)->x;", 4, 5,
     "index 10 is out of range for x of size 10"},
    {"const float2 *p = (const float2 *)x + n; y[0] = p->y;", 4, 5,
     "index 10 is out of range for x of size 10"},
    {"float2 *p = (float2 *)y; p[n].x = 1;", 4, 5, "index 10 is out of range for y of size 10"},
    {"const float *p = x - 1; y[0] = p[n];", 10, 11, "out of range for x of size 10"},
    {"y[0] = n > 3 ? x[n] : 0;", 2, 10, "index 10 is out of range for x of size 10"},
    {"for (int i = 0; i < n; i++) y[0] += x[i];", 10, 11,
     "index 10 is out of range for x of size 10"},
    {"for (const float *p = x; p != x + n; ++p) y[0] += *p;", 10, 11,
     "index 10 is out of range for x of size 10"},
    {"__shared__ float s[4]; float own[4] = {0}; s[threadIdx.x] = 1; float *p = own; p[1] = s[0] * 2; y[n] = p[1];",
     9, 10, "index 10 is out of range for y of size 10"},
};

/* Those of CUDA C alone: functions, atomics, macros. The line is that of the access. */
static const struct {
    const char *before, *code;
    int line, good, bad;
    const char *at;
} more[] = {
    {"__device__ float get(const float *p, int i)\n{\n    return p[i];\n}\n", "y[0] = get(x, n);",
     3, 9, 10, "index 10 is out of range for x of size 10"},
    {"__device__ int get(const float *p, int i) { p += i; return (int)*p; }\n", "y[0] = get(x, n);",
     1, 9, 10, "index 10 is out of range for x of size 10"},
    {"__device__ float get(const float *p, int i) { return p[i]; }\n"
     "__device__ float twice(const float *p, int i) { return 2 * get(p + 1, i); }\n",
     "__shared__ float s[4]; s[threadIdx.x] = 1; y[0] = twice(x, n) + get(s, 0);", 1, 8, 9,
     "index 10 is out of range for x of size 10"},
    {"__device__ void put(float *p, int i);\n__device__ float none(void) { return 1; }\n"
     "__device__ void put(float *p, int i) { p[i] = none(); }\n",
     "put(y, n);", 3, 9, 10, "index 10 is out of range for y of size 10"},
    {"__device__ const float *from(const float *p, int i) { return p + i; }\n",
     "y[0] = *from(x, n);", 4, 9, 10, "index 10 is out of range for x of size 10"},
    {"__device__ const float *from(const float *p, int i) { return p + i; }\n",
     "y[0] = from(x, n)[0];", 4, 9, 10, "index 10 is out of range for x of size 10"},
    {"__device__ void set(float &r) { r = 4; }\n", "set(y[n]);", 4, 9, 10,
     "index 10 is out of range for y of size 10"},
    {"", "atomicAdd(&y[n], 1.0f);", 3, 9, 10, "index 10 is out of range for y of size 10"},
    {"", "atomicAdd(y + n, 1.0f); atomicAdd((int *)y, 1);", 3, 9, -1,
     "index -1 is out of range for y of size 10"},
    {"", "y[0] = __ldg(x + n) + __ldg(&x[1]);", 3, 9, 10,
     "index 10 is out of range for x of size 10"},
    {"#define AT(i) x[i]\n", "y[0] = AT(n);", 1, 9, 10,
     "index 10 is out of range for x of size 10"},
    {"struct Two { float a, b; };\n", "struct Two *t = (struct Two *)y; t[n].b = 2; y[1] = t->a;",
     4, 4, 5, "out of range for y of size 10"},
};

static const char portable[] =
    "GND_FN g_f32 get(GND_CONST_GLOBAL g_f32 *p, g_i64 i)\n"
    "{\n"
    "    return p[i];\n"
    "}\n"
    "GND_KERNEL void reads(GND_CONST_GLOBAL g_f32 *x, GND_GLOBAL g_f32 *y, const g_i32 n)\n"
    "{\n"
    "    GND_LOCAL g_f32 t[4];\n"
    "    t[GND_LID(0)] = 2.0f + gnd_sin_f32(0.0f);\n"
    "    GND_BARRIER();\n"
    "    y[GND_LID(0)] = t[3] * x[n];\n"
    "}\n"
    "GND_KERNEL void calls(GND_CONST_GLOBAL g_f32 *x, GND_GLOBAL g_f32 *y, const g_i32 n)\n"
    "{ GND_CONST_GLOBAL g_f32 *q = x; q++; y[0] = get(q, n); }\n"
    "GND_KERNEL void writes(GND_GLOBAL g_f32 y[], const g_i32 n, GND_LOCAL_PTR g_f32 *t)\n"
    "{\n"
    "    *t = 3; *(y + n) = *t;\n"
    "}\n";

static gnd_device *dev;

static char *source_of(const char *first, const char *code)
{
    char *s = malloc(4096);
    sprintf(s, "%sextern \"C\" __global__ void k(const float *x, float *y, int n)\n{\n    %s\n}\n",
            first, code);
    return s;
}

/* Launches k with n: the status, and the message. */
static gnd_status launched(gnd_program *p, int n, char *msg, float *got)
{
    static const float host[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 20};
    const int64_t ten = N;
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &ten, host), *y = NULL;
    const gnd_arg args[] = {GND_IN(x), GND_OUT(1, &ten, GND_FLOAT32, gnd_int(0)), GND_I32(n)};
    gnd_launch(gnd_program_kernel(p, NULL), gnd_dims(1), gnd_dims(1), 3, args, &y);
    const gnd_status st = gnd_read(y, got, N * sizeof *got);
    snprintf(msg, 300, "%s", gnd_error(y));
    return st;
}

/* One access in both ways. */
static void check_access(const char *first, const char *code, int line, int good, int bad,
                         const char *at)
{
    char *text = source_of(first, code), msg[300], want[300];
    float got[N], plain[N], same[N];
    gnd_program *p = gnd_compile(dev, text, GND_CUDA_C, "-checked"),
                *q = gnd_compile(dev, text, GND_CUDA_C, NULL);
    if (!tap_is_str(gnd_program_error(p), "", "%.60s", code))
        tap_diag("%s", gnd_program_log(p));
    gnd_status st = launched(p, good, msg, got);
    tap_ok(st == GND_OK && launched(q, good, want, plain) == GND_OK &&
               !memcmp(got, plain, sizeof got),
           "a good index %s", msg);
    st = launched(p, bad, msg, got);
    snprintf(want, sizeof want, "launch: kernel k: source:%d: ", line);
    if (!tap_ok(st == GND_ERR_INDEX && strstr(msg, want) && strstr(msg, at), "%s", msg))
        tap_diag("want %s%s", want, at);
    tap_ok(launched(p, good, msg, same) == GND_OK && !memcmp(same, plain, sizeof same),
           "and a good one afterwards");
    gnd_program_free(p);
    gnd_program_free(q);
    free(text);
}

static void test_portable(void)
{
    const float host[N] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const int64_t ten = N;
    float got[N];
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &ten, host), *y = NULL;
    gnd_program *p = gnd_compile(dev, portable, GND_PORTABLE, "-checked");
    if (!tap_is_str(gnd_program_error(p), "", "the portable language"))
        tap_diag("%s", gnd_program_log(p));
    for (int bad = 0; bad < 2; bad++) {
        gnd_arg args[] = {GND_IN(x), GND_OUT(1, &ten, GND_FLOAT32, gnd_int(0)),
                          GND_I32(bad ? 10 : 9)};
        gnd_launch(gnd_program_kernel(p, "reads"), gnd_dims(1), gnd_dims(ITEMS), 3, args, &y);
        gnd_status st = gnd_read(y, got, sizeof got);
        tap_ok(bad ? st == GND_ERR_INDEX : st == GND_OK && got[3] == 20, "reads: %s", gnd_error(y));
        if (bad)
            tap_is_str(gnd_error(y),
                       "launch: kernel reads: source:10: index 10 is out of range for x of size 10",
                       "what the message says");
        args[2] = GND_I32(bad ? 9 : 8);
        gnd_launch(gnd_program_kernel(p, "calls"), gnd_dims(1), gnd_dims(1), 3, args, &y);
        st = gnd_read(y, got, sizeof got);
        tap_ok(bad ? st == GND_ERR_INDEX && strstr(gnd_error(y), "kernel calls: source:3: index 10")
                   : st == GND_OK && got[0] == 10,
               "calls: %s", gnd_error(y));
        const gnd_arg more_args[] = {GND_INOUT(x), GND_I32(bad ? -1 : 0), GND_LOCAL_BYTES(16)};
        gnd_launch(gnd_program_kernel(p, "writes"), gnd_dims(1), gnd_dims(1), 3, more_args, &y);
        st = gnd_read(y, got, sizeof got);
        tap_ok(bad ? st == GND_ERR_INDEX &&
                         strstr(gnd_error(y), "kernel writes: source:16: index -1")
                   : st == GND_OK && got[0] == 3,
               "writes: %s", gnd_error(y));
    }
    /* an error of what is computed from it, and of a sum of it */
    const gnd_arg args[] = {GND_IN(x), GND_OUT(1, &ten, GND_FLOAT32, gnd_int(0)), GND_I32(1 << 30)};
    gnd_launch(gnd_program_kernel(p, "reads"), gnd_dims(2), gnd_dims(ITEMS), 3, args, &y);
    gnd_array *s = gnd_sum(gnd_add(y, x), GND_ALL, 0);
    tap_is_int(gnd_read(s, got, sizeof *got), GND_ERR_INDEX, "what is computed from it");
    tap_has_str(gnd_error(s), "index 1073741824 is out of range for x of size 10", "and why");
    gnd_program_free(p);
}

static void test_refusals(void)
{
    gnd_program *p = gnd_compile(dev, "__kernel void k(__global float *y) { y[0] = 1; }",
                                 GND_OPENCL_C, "-checked");
    tap_is_int(gnd_program_status(p), GND_ERR_UNSUPPORTED, "%s", gnd_program_error(p));
    gnd_program_free(p);
    p = gnd_compile(dev,
                    "#define GET(p, i) (p)[i]\n__global__ void k(float *y) { y[0] = GET(y, 1); }",
                    GND_CUDA_C, "-D Q -checked");
    tap_is_int(gnd_program_status(p), GND_ERR_UNSUPPORTED, "%s", gnd_program_error(p));
    tap_has_str(gnd_program_error(p), "source:1: macro GET accesses memory through its parameter p",
                "which says where");
    gnd_program_free(p);
    p = gnd_compile(
        dev, "#define W(p) (*(const float2 *)(p))\n__global__ void k(float *y) { y[0] = W(y).x; }",
        GND_CUDA_C, "-checked");
    tap_is_int(gnd_program_status(p), GND_ERR_UNSUPPORTED, "%s", gnd_program_error(p));
    gnd_program_free(p);
    p = gnd_compile(dev, "__global__ void k(float *y) { }", GND_CUDA_C, "-check");
    tap_has_str(gnd_program_error(p), "-checked", "an option that is none");
    gnd_program_free(p);
    setenv("GND_CHECKED", "1", 1);
    char *text = source_of("", "y[0] = x[n];"), msg[300];
    float got[N];
    p = gnd_compile(dev, text, GND_CUDA_C, NULL);
    tap_is_int(launched(p, 10, msg, got), GND_ERR_INDEX, "GND_CHECKED=1: %s", msg);
    gnd_program_free(p);
    setenv("GND_CHECKED", "maybe", 1);
    p = gnd_compile(dev, text, GND_CUDA_C, NULL);
    tap_is_int(gnd_program_status(p), GND_ERR_ARG, "%s", gnd_program_error(p));
    gnd_program_free(p);
    unsetenv("GND_CHECKED");
    free(text);
}

/* The text for a device of that dialect. */
static gnd_status text_of(const char *src, gnd__ulang lang, gnd_dialect d, gnd__str *out)
{
    const gnd_props props = {.kind = GND_DEV_GPU, .dialect = d, .has_f64 = 1, .subgroup = 32};
    gnd__usource u;
    gnd_err e = {.code = GND_OK};
    gnd_status st = gnd__usource_read(&u, lang, src, "-checked", &e);
    if (st == GND_OK)
        st = gnd__usource_text(&u, &props, out, &e);
    if (st != GND_OK)
        tap_diag("%s", e.msg);
    gnd__usource_free(&u);
    return st;
}

/* CUDA C for OpenCL devices with warps: an #ifdef stands among a kernel's attributes. */
static void test_warps(void)
{
    gnd__str out = {0};
    const gnd_status st =
        text_of("__device__ float at(const float *x, int i) { return x[i]; }\n"
                "__global__ void k(float *y, const float *x, int n) { y[0] = at(x, n); }\n",
                GND__UL_CUDA, GND_DIALECT_OPENCL, &out);
    const char *kernel = strstr(gnd__str_get(&out), "void k(");
    tap_ok(st == GND_OK && kernel && !strncmp(kernel, "void k(__global float *y", 24),
           "a kernel for devices with warps keeps its parameters");
    gnd__str_free(&out);
}

static void test_nvrtc(void)
{
    const char *why;
    if (!nvrtc_load(&why)) {
        tap_skip(1, "%s", why);
        return;
    }
    gnd__str out = {0};
    tap_ok(text_of(portable, GND__UL_PORTABLE, GND_DIALECT_CUDA, &out) == GND_OK &&
               nvrtc_build(gnd__str_get(&out), 90),
           "NVRTC compiles the portable language, checked");
    int bad = 0;
    gnd__str all = {0};
    for (size_t i = 0; i < sizeof access_of / sizeof *access_of; i++)
        gnd__str_addf(&all, "__global__ void a%d(const float *x, float *y, int n) { %s }\n", (int)i,
                      access_of[i].code);
    gnd__str_add(
        &all,
        "template <class T> __device__ T pick(const T *p, int i) { return p[i]; }\n"
        "__global__ void t(const float *x, float *y, int n)\n"
        "{ auto f = [=](int i) { return pick(x, i) * x[i]; }; auto q = y + n; q[0] = f(n); }\n");
    gnd__str_clear(&out);
    bad += text_of(gnd__str_get(&all), GND__UL_CUDA, GND_DIALECT_CUDA, &out) != GND_OK ||
           !nvrtc_build(gnd__str_get(&out), 90);
    tap_is_int(bad, 0, "and the accesses of CUDA C");
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        char *text = source_of(more[i].before, more[i].code);
        gnd__str_clear(&out);
        if (text_of(text, GND__UL_CUDA, GND_DIALECT_CUDA, &out) != GND_OK ||
            !nvrtc_build(gnd__str_get(&out), 90)) {
            tap_diag("%s", gnd__str_get(&out));
            bad++;
        }
        free(text);
    }
    tap_is_int(bad, 0, "and functions, atomics, macros");
    gnd__str_free(&all);
    gnd__str_free(&out);
}

int main(void)
{
    test_warps();
    test_nvrtc();
    dev = ref_open_first();
    gnd_scope_begin();
    for (size_t i = 0; i < sizeof access_of / sizeof *access_of; i++)
        check_access("", access_of[i].code, 3, access_of[i].good, access_of[i].bad,
                     access_of[i].at);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        check_access(more[i].before, more[i].code, more[i].line, more[i].good, more[i].bad,
                     more[i].at);
    test_portable();
    test_refusals();
    gnd_scope_end();
    gnd_close(dev);
    return tap_done();
}
