/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_cudac.c - CUDA C on every device: each line of the table of doc/CUDAC.md by an expression and
 * its value, whole kernels, what is refused. NVRTC compiles the same texts as they are.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/cudac.h"
#include "nvrtcrun.h"
#include "ref.h"
#include "tap.h"

/* Expressions of x[0..3] = 0.5, 2, -3.25, 7 and n = 4, for work-item 0 of one group of four. */
static const struct {
    const char *text;
    double want;
} value[] = {
    {"threadIdx.x + 10 * blockIdx.x + 100 * blockDim.x + 1000 * gridDim.x", 1400},
    {"warpSize", 32},
    {"(size_t)n * 2", 8},
    {"(ptrdiff_t)n - 5", -1},
    {"(int8_t)3 + (int16_t)4 + (int32_t)5 + (int64_t)6", 18},
    {"(uint8_t)259 + (uint16_t)4 + (uint32_t)5 + (uint64_t)6", 18},
    {"make_longlong2(3, 4).y + make_ulonglong2(5, 6).x", 9},
    {"make_longlong3(1ll << 40, 4, 5).z + (make_longlong3(1ll << 40, 4, 5).x >> 39)", 7},
    {"make_longlong4(1, 2, 3, -(1ll << 40)).z + (make_longlong4(1, 2, 3, -(1ll << 40)).w >> 39)",
     1},
    {"make_ulonglong3(1ull << 63, 4, 5).y + (make_ulonglong3(1ull << 63, 4, 5).x >> 60)", 12},
    {"make_ulonglong4(1, 2, 3, 1ull << 63).y + (make_ulonglong4(1, 2, 3, 1ull << 63).w >> 60)", 10},
    {"make_float4(1, 2, 3, 4).w + make_int2(5, 6).y + make_uchar3(7, 8, 9).z", 19},
    {"__ldg(x + 1) + __ldcg(&x[3]) + __ldcs(x) + __ldca(x)", 10},
    {"__popc(255) + __popcll(0xffffffffffull)", 48},
    {"__clz(1) + __clzll(1)", 94},
    {"__ffs(8) + __ffs(0) + __ffsll(1ll << 40)", 45},
    {"(double)__brev(1u)", 2147483648.0},
    {"__mul24(-3, 5) + (int)__umul24(3, 7)", 6},
    {"__mulhi(1 << 30, 8) + (int)__umulhi(1u << 31, 4)", 4},
    {"__mul64hi(1ll << 62, 8) + (long long)__umul64hi(1ull << 63, 4)", 4},
    {"__sad(3, -5, 2) + __usad(9, 4, 1)", 16},
    {"__funnelshift_l(0x80000000u, 1u, 1) + __funnelshift_r(4u, 0u, 1)", 5},
    {"__float_as_int(1.0f) + (int)__float_as_uint(0.0f)", 0x3f800000},
    {"__int_as_float(0x40000000) + __uint_as_float(0x3f800000u)", 3},
    {"__longlong_as_double(__double_as_longlong(2.5))", 2.5},
    {"__float2int_rn(2.5f) + 10 * __float2int_rz(-1.5f) + 100 * __float2int_ru(1.1f) + 1000 * __float2int_rd(-1.1f)",
     -1808},
    {"__float2uint_rn(1.5f) + __float2uint_rz(1.9f)", 3},
    {"__int2float_rn(-7) + __uint2float_rn(9u)", 2},
    {"__double2int_rn(3.5) + __double2int_rz(3.9) + __double2float_rn(0.5)", 7.5},
    {"lrintf(2.5f) + lroundf(2.5f)", 5},
    {"sinf(x[0])", 0.479425538604203},
    {"cosf(x[0])", 0.8775825618903728},
    {"tanf(x[0])", 0.5463024898437905},
    {"asinf(x[0])", 0.5235987755982989},
    {"acosf(x[0])", 1.0471975511965979},
    {"atanf(x[0])", 0.4636476090008061},
    {"sinhf(x[0])", 0.5210953054937474},
    {"coshf(x[0])", 1.1276259652063807},
    {"tanhf(x[0])", 0.46211715726000973},
    {"asinhf(x[0])", 0.48121182505960347},
    {"acoshf(x[1])", 1.3169578969248166},
    {"atanhf(x[0])", 0.5493061443340549},
    {"expf(x[0])", 1.6487212707001282},
    {"exp2f(x[1])", 4},
    {"exp10f(x[1])", 100},
    {"expm1f(x[0])", 0.6487212707001282},
    {"logf(x[1])", 0.6931471805599453},
    {"log2f(x[1])", 1},
    {"log10f(x[1])", 0.3010299956639812},
    {"log1pf(x[0])", 0.4054651081081644},
    {"sqrtf(x[1])", 1.4142135623730951},
    {"rsqrtf(x[1])", 0.7071067811865475},
    {"cbrtf(x[1])", 1.2599210498948732},
    {"ceilf(x[0])", 1},
    {"floorf(x[2])", -4},
    {"truncf(x[2])", -3},
    {"roundf(x[0])", 1},
    {"rintf(x[0]) + nearbyintf(x[2])", -3},
    {"fabsf(x[2])", 3.25},
    {"erff(x[0]) + erfcf(x[0])", 1},
    {"tgammaf(x[3]) + lgammaf(x[1])", 720},
    {"sinpif(x[0]) + cospif(x[1])", 2},
    {"powf(x[1], x[3])", 128},
    {"atan2f(x[0], x[1])", 0.24497866312686414},
    {"fmodf(x[3], x[1]) + remainderf(x[3], x[1])", 0},
    {"fminf(x[0], x[1]) + 10 * fmaxf(x[0], x[1])", 20.5},
    {"hypotf(3, 4)", 5},
    {"fdimf(x[1], x[0])", 1.5},
    {"copysignf(x[1], x[2])", -2},
    {"fmaf(x[0], x[1], x[3])", 8},
    {"ldexpf(x[0], 3)", 4},
    {"__sinf(x[0]) + __cosf(x[0]) + __tanf(x[0])", 1.9033105903383666},
    {"__expf(x[0]) + __exp10f(x[1])", 101.6487212707},
    {"__logf(x[1]) + __log2f(x[1]) + __log10f(x[1])", 1.9941771762239265},
    {"__powf(x[1], x[3])", 128},
    {"__fdividef(x[3], x[1])", 3.5},
    {"__saturatef(x[3]) + __saturatef(x[2])", 1},
    {"__fadd_rn(1, 2) + __fsub_rn(5, 1) + __fmul_rn(2, 3)", 13},
    {"__fmaf_rn(2, 3, 4)", 10},
    {"__fdiv_rn(1, 2) + __fsqrt_rn(9) + __frcp_rn(4)", 3.75},
    {"sin(0.5) + cos(0.5) + tan(0.5) + asin(0.5) + acos(0.5) + atan(0.5)", 3.9375},
    {"sinh(0.5) + cosh(0.5) + tanh(0.5) + asinh(0.5) + acosh(2.0) + atanh(0.5)", 4.458314},
    {"exp(0.5) + exp2(x[1]) + exp10(2.0) + expm1(0.5) + log(2.0) + log2(x[1]) + log10(2.0) + log1p(0.5)",
     108.697085},
    {"sqrt(9.0) + rsqrt(0.25) + cbrt(27.0) + hypot(3.0, 4.0)", 13},
    {"ceil(1.5) + floor(1.5) + trunc(1.5) + round(1.5) + rint(1.5) + fabs(-1.5)", 9.5},
    {"nearbyint(2.5)", 2},
    {"erf(0.5) + erfc(0.5) + tgamma(5.0) + lgamma(2.0)", 25},
    {"sinpi(0.5) + cospi(1.0)", 0},
    {"atan2(0.0, 1.0) + fmod(7.0, 4.0) + remainder(7.0, 4.0) + fdim(3.0, 1.0) + copysign(2.0, -1.0)",
     2},
    {"fmin(1.0, 2.0) + fmax(1.0, 2.0) + fma(2.0, 3.0, 4.0) + ldexp(1.0, 3)", 21},
    {"isnan(x[0]) + isinf(x[1]) * 10 + (isfinite(x[2]) != 0) * 100 + (signbit(x[2]) != 0) * 1000",
     1100},
    {"pow(x[1], 3) + pow(2.0, 3.0) + pow(x[1], x[1])", 20},
    {"min(3, n) + max(2.5f, x[0]) + min(5u, 9u) + max(1.0, 2.0)", 12.5},
    {"abs(-3) + labs(-4l) + llabs(-5ll) + abs(-1.5f)", 13.5},
    {"isinf(INFINITY) + isnan(NAN) + (FLT_MAX > 1e38f) + (FLT_MIN < 1e-30f) + (FLT_EPSILON < 1e-6f) + (INT_MAX > 0) + (INT_MIN < 0) + (UINT_MAX > 0u)",
     8},
    {"(CUDART_INF_F > 1.0f) + CUDART_PI_F + (CUDART_NAN_F != CUDART_NAN_F)", 5.14159265},
    {"(LLONG_MAX > 0) + (ULLONG_MAX > 0)", 2},
    {"static_cast<float>(n) / 8 + float(n) + int(2.9f) + (bool)5", 7.5},
    {"sizeof(long long) + 0 * 5ull", 8},
    {"true + false + (x == nullptr)", 1},
};

/* Statements that make r of x, n and shared memory, for what is no expression of one work-item. */
static const struct {
    const char *text;
    double want;
} more[] = {
    {"__shared__ int s[4]; s[threadIdx.x] = n; __syncthreads(); r = s[0] + s[1] + s[2] + s[3];",
     16},
    {"r = 1; __threadfence(); __threadfence_block(); __threadfence_system();", 1},
    {"longlong2 a = {1, 2}; longlong3 b = {1, 2, 3}; longlong4 c = {1, 2, 3, 4}; ulonglong2 d = {5, 6}; ulonglong3 e = {7, 8, 9};\n"
     "  ulonglong4 f; f.x = c.w; f.y = d.y; f.z = e.z; f.w = 1ull << 40; b.z += a.y; r = b.z + f.x + f.y + f.z + (f.w >> 38);",
     5 + 4 + 6 + 9 + 4},
    {"r = __syncthreads_count(threadIdx.x > 0) + 10 * (__syncthreads_and(threadIdx.x < 4) != 0) + 100 * (__syncthreads_and(threadIdx.x < 3) != 0) +\n"
     "  1000 * (__syncthreads_or(threadIdx.x == 3) != 0) + 10000 * (__syncthreads_or(threadIdx.x == 4) != 0);\n"
     "  for (int i = 0; i <= n; i++) r += 0.25f * __syncthreads_count((int)threadIdx.x < i);",
     3 + 10 + 1000 + 2.5},
    {"dim3 d = blockDim; r = d.x; static_assert(sizeof(int) == 4, \"size\");", 4},
    {"__shared__ int a; __shared__ unsigned b; __shared__ unsigned long long c; __shared__ float d; __shared__ double e;\n"
     "  if (threadIdx.x == 0) { a = 0; b = 0; c = 0; d = 0; e = 0; } __syncthreads();\n"
     "  atomicAdd(&a, 1); atomicAdd(&b, 2u); atomicAdd(&c, 3ull); atomicAdd(&d, 0.5f); atomicAdd(&e, 0.25);\n"
     "  __syncthreads(); r = a + b + c + d + e;",
     27},
    {"__shared__ int a[9]; if (threadIdx.x == 0) for (int i = 0; i < 9; i++) a[i] = 6; __syncthreads();\n"
     "  const int t = threadIdx.x + 1; atomicSub(&a[0], t); atomicMin(&a[1], t); atomicMax(&a[2], t * 10); atomicAnd(&a[3], 3);\n"
     "  atomicOr(&a[4], 1); atomicXor(&a[5], t); atomicExch(&a[6], 5); atomicCAS(&a[7], 6, 8); __syncthreads();\n"
     "  r = a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];",
     -4 + 1 + 40 + 2 + 7 + 2 + 5 + 8},
    {"__shared__ unsigned a[2]; if (threadIdx.x == 0) { a[0] = 0; a[1] = 0; } __syncthreads();\n"
     "  atomicInc(&a[0], 2u); atomicDec(&a[1], 9u); __syncthreads(); r = a[0] + 10 * a[1];",
     61},
    {"float s, c; sincosf(x[0], &s, &c); double ds, dc; sincos(0.5, &ds, &dc); r = s * s + c * c + ds * ds + dc * dc;",
     2},
    {"const float *p = x + 1; const float *q; q = p + 1; p++; r = *p - *q + p[1] + (p == q);", 8},
    {"float v[2] = {1, 2}; float *p = v; p[1] += 3; auto k = 2; auto w = &v[1]; r = *w + k + p[0];",
     8},
    {"const int M = 3; constexpr int K = 2; __shared__ float s[M * K]; s[threadIdx.x] = 1; __syncthreads(); r = sizeof(s) / 4;",
     6},
    {"if (n > 0) { __shared__ float inner[4]; inner[threadIdx.x] = x[threadIdx.x]; __syncthreads(); r = inner[3]; }",
     7},
    {"const int2 *p = (const int2 *)x; const float2 *q = reinterpret_cast<const float2 *>(x + 2); r = q->y + (p != nullptr);",
     8},
    {"r = twice(3) + total(x, n) + first_of(x) ; float own[2] = {1, 2}; r += total(own, 2); __shared__ float s[4];\n"
     "  s[threadIdx.x] = 1; __syncthreads(); r += total(s, 4) + *beyond(s, 1) + *beyond(x, 1);",
     6 + 6.25 + 0.5 + 3 + 4 + 1 + 2},
    {"float a = 1, b = 2; swap_them(a, b); Pair p; p.first = a; p.second = 2.5; Colour c = GREEN; r = p.first * 10 + sum_of(p) + c;",
     20 + 4.5 + 1},
    {"r = TABLE[1] + LIMIT + SQUARE(n) + AT(1) + WIDE(x).y + FIRST(x);", 20 + 5 + 16 + 2 + 2 + 0.5},
    {"long long big = 1ll << 40; unsigned long long u = (unsigned long long)big; r = (float)(u >> 38) + (long long int)3;",
     7},
    {"for (int i = 0, j = 3; i < j; i++, j--) r += i + j; do r += 1; while (r < 0); switch (n) { case 4: r += 2; break; default: r = 0; }",
     9},
    {"if (n == 0) printf(\"%lld %d\\n\", 5ll, n); r = 1;", 1},
};

static const char *const half_case =
    "#include <cuda_fp16.h>\n"
    "extern \"C\" __global__ void h(float *r, const __half *x)\n"
    "{\n"
    "    __half a = x[0], b = __float2half(1.5f), c = __float2half_rn(2.0f);\n"
    "    r[0] = __half2float(__hadd(a, b)) + __half2float(__hsub(a, b)) + __half2float(__hmul(b, c)) + __half2float(__hdiv(b, c));\n"
    "    r[1] = __half2float(__hfma(a, b, c)) + __half2float(__hneg(b));\n"
    "    r[2] = __hlt(a, b) + 2 * __hle(a, b) + 4 * __hgt(a, b) + 8 * __hge(a, b) + 16 * __heq(a, a) + 32 * __hne(a, b);\n"
    "    half d = __ushort_as_half(__half_as_ushort(b)); r[3] = __half2float(d);\n"
    "}\n";

static const char *const head =
    "#include <stdint.h>\n#include <cmath>\n#include <float.h>\n#include <limits.h>\n#include <math_constants.h>\n#define SQUARE(v) ((v) * (v))\n#define AT(i) x[i]\n#define WIDE(p) (*(const float2 *)(p))\n#define FIRST(p) (*(const float *)(p))\n"
    "const int LIMIT = 5;\n__constant__ float TABLE[3] = {10, 20, 30};\n"
    "struct Pair { float first; double second; };\nenum Colour { RED, GREEN };\n"
    "__device__ float total(const float *p, int n);\n"
    "__device__ __forceinline__ int twice(int local) { return 2 * local; }\n"
    "static __device__ float first_of(const float *__restrict__ p) { return p[0]; }\n"
    "__host__ __device__ inline void swap_them(float &a, float &b) { float t = a; a = b; b = t; }\n"
    "__device__ double sum_of(const Pair &p) { return p.first + p.second; }\n"
    "__device__ const float *beyond(const float *p, int n) { return p + n; }\n";
static const char *const tail =
    "__device__ float total(const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += *(p + i); return s; }\n";

/* What each work-item of two warps gets by each function of warps, against the host. */
static const char *const warps_case =
    "extern \"C\" __global__ void w(long long *y)\n{\n"
    "    const unsigned all = 0xffffffffu;\n"
    "    const int i = threadIdx.x, lane = i % warpSize;\n"
    "    long long s = __shfl_sync(all, i, 5);\n"
    "    s = 64 * s + __shfl_up_sync(all, (unsigned)lane, 3);\n"
    "    s = 64 * s + (int)__shfl_down_sync(all, (float)lane, 4);\n"
    "    s = 64 * s + (__shfl_xor_sync(all, (long long)lane << 40, 6) >> 40);\n"
    "    s = 64 * s + (__shfl_sync(all, (unsigned long long)lane << 33, 40) >> 33);\n"
    "    __syncwarp();\n"
    "    const unsigned odd = __ballot_sync(all, lane % 2);\n"
    "    __syncwarp(all);\n"
    "    s = 64 * s + (odd == 0xaaaaaaaau);\n"
    "    s = 64 * s + 4 * (__any_sync(all, lane == 7) != 0) + 2 * (__all_sync(all, lane < 32) != 0) +\n"
    "        (__all_sync(all, lane < 31) != 0);\n"
    "    y[i] = s;\n}\n";

enum {
    NVALUE = sizeof value / sizeof *value,
    NMORE = sizeof more / sizeof *more,
    NROW = NVALUE + NMORE
};
static gnd_device *dev;

/* The source of all cases: a kernel for each, vI and mI. */
static char *whole(void)
{
    char *s = malloc(1 << 16);
    size_t n = (size_t)sprintf(s, "%s", head);
    for (int i = 0; i < NVALUE; i++)
        n += (size_t)sprintf(s + n,
                             "extern \"C\" __global__ void v%d(float *y, const float *x, int n)\n"
                             "{ const float r = (float)(%s); y[threadIdx.x] = r; }\n",
                             i, value[i].text);
    for (int i = 0; i < NMORE; i++)
        n += (size_t)sprintf(s + n,
                             "extern \"C\" __global__ void m%d(float *y, const float *x, int n)\n"
                             "{\n  float r = 0;\n  %s\n  y[threadIdx.x] = r;\n}\n",
                             i, more[i].text);
    sprintf(s + n, "%s", tail);
    return s;
}

static int has_word(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        if ((p == text || (!isalnum((unsigned char)p[-1]) && p[-1] != '_')) &&
            !isalnum((unsigned char)p[n]) && p[n] != '_')
            return 1;
    return 0;
}

static void test_table(void)
{
    char *text = whole();
    gnd_program *p = gnd_compile(dev, text, GND_CUDA_C, NULL);
    const float host[4] = {0.5f, 2, -3.25f, 7};
    const int64_t four = 4;
    if (!tap_is_str(gnd_program_error(p), "", "the table's expressions compile"))
        tap_diag("%s", gnd_program_log(p));
    for (int i = 0; i < NROW && gnd_program_status(p) == GND_OK; i++) {
        char name[16];
        const int first = i < NVALUE;
        const double want = first ? value[i].want : more[i - NVALUE].want;
        gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &four, host), *y = NULL;
        const gnd_arg args[] = {GND_OUT(1, &four, GND_FLOAT32, NULL), GND_IN(x), GND_I32(4)};
        float got[4] = {NAN, NAN, NAN, NAN};
        snprintf(name, sizeof name, "%c%d", first ? 'v' : 'm', first ? i : i - NVALUE);
        gnd_launch(gnd_program_kernel(p, name), gnd_dims(1), gnd_dims(4), 3, args, &y);
        if (gnd_read(y, got, sizeof got) != GND_OK)
            tap_diag("%s", gnd_error(y));
        tap_near(got[0], want, 1e-4 * (fabs(want) > 1 ? fabs(want) : 1), "%.60s",
                 first ? value[i].text : more[i - NVALUE].text);
    }
    gnd_program_free(p);
    const char *group, *names, *note, *dir = getenv("GND_SRCDIR");
    char path[512], row[512];
    snprintf(path, sizeof path, "%s/doc/CUDAC.md", dir ? dir : ".");
    FILE *f = fopen(path, "r");
    char *doc = calloc(1, 1 << 16);
    if (!tap_ok(f && doc && fread(doc, 1, (1 << 16) - 1, f) > 0, "doc/CUDAC.md is there"))
        tap_bail("%s cannot be read", path);
    fclose(f);
    for (int i = 0; gnd__cudac_row(i, &group, &names, &note); i++) { /* no name without a case */
        char word[48];
        int missing = 0;
        snprintf(row, sizeof row, "| %s | `%s` | %s |\n", group, names, note);
        tap_ok(strstr(doc, row) != NULL, "doc/CUDAC.md has the line of %.60s", names);
        for (const char *w = names; *w; w += strspn(w, " ")) {
            const size_t n = strcspn(w, " ");
            snprintf(word, sizeof word, "%.*s", (int)n, w);
            if (!has_word(text, word) && !has_word(half_case, word) &&
                !has_word(warps_case, word)) {
                tap_diag("no case has %s", word);
                missing++;
            }
            w += n;
        }
        if (missing)
            tap_fail("the line of %s", names);
    }
    free(doc);
    free(text);
}

static void test_half(void)
{
    gnd_program *p = gnd_compile(dev, half_case, GND_CUDA_C, NULL);
    const float host[1] = {0.5f};
    const int64_t one = 1, four = 4;
    float got[4] = {0};
    gnd_array *x = gnd_astype(gnd_from(dev, GND_FLOAT32, 1, &one, host), GND_FLOAT16), *y = NULL;
    const gnd_arg args[] = {GND_OUT(1, &four, GND_FLOAT32, NULL), GND_IN(x)};
    if (!tap_is_str(gnd_program_error(p), "", "half compiles"))
        tap_diag("%s", gnd_program_log(p));
    gnd_launch(gnd_program_kernel(p, "h"), gnd_dims(1), gnd_dims(1), 2, args, &y);
    gnd_read(y, got, sizeof got);
    tap_ok(got[0] == 2 - 1 + 3 + 0.75f && got[1] == 2.75f - 1.5f && got[2] == 1 + 2 + 16 + 32 &&
               got[3] == 1.5f,
           "half: %g %g %g %g", (double)got[0], (double)got[1], (double)got[2], (double)got[3]);
    gnd_program_free(p);
}

/* Dynamic shared memory, numbers of each kind, device functions on it, atomics in global memory. */
static void test_kernels(void)
{
    static const char text[] =
        "extern \"C\" {\n"
        "__device__ void add_all(float *to, const float *from, size_t n)\n"
        "{ for (size_t i = 0; i < n; ++i) atomicAdd(to, from[i]); }\n"
        "}\n"
        "__global__ void __launch_bounds__(64)\n"
        "unused(float *y);\n"
        "__global__ void __launch_bounds__(8 * 8) other(float *y) { y[0] = 1; }\n"
        "__global__ void __launch_bounds__(64)\n"
        "sums(float *__restrict__ total, const float *x, bool twice, size_t n, long long skip, unsigned char c)\n"
        "{\n"
        "    extern __shared__ float part[];\n"
        "    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    part[threadIdx.x] = i < n && i >= skip ? x[i] : 0.f;\n"
        "    __syncthreads();\n"
        "    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {\n"
        "        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];\n"
        "        __syncthreads();\n"
        "    }\n"
        "    if (threadIdx.x == 0) { add_all(total, part, 1); if (twice) add_all(&total[0], &part[0], 1); total[1] = c; }\n"
        "}\n";
    enum { N = 200 };
    float host[N], got[2] = {0};
    const int64_t n = N, two = 2;
    for (int i = 0; i < N; i++)
        host[i] = (float)(i % 7);
    gnd_program *p = gnd_compile(dev, text, GND_CUDA_C, NULL);
    if (!tap_is_str(gnd_program_error(p), "", "a sum with dynamic shared memory compiles"))
        tap_diag("%s", gnd_program_log(p));
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &n, host), *y = NULL;
    gnd_arg args[] = {GND_OUT(1, &two, GND_FLOAT32, gnd_int(0)),
                      GND_IN(gnd_index(x, GND_IDX(GND_SLICE(3, N)))),
                      gnd_arg_int(GND_BOOL, 1),
                      GND_U64(N - 3),
                      GND_I64(4),
                      GND_U8(9),
                      GND_LOCAL_BYTES(64 * sizeof(float))};
    double want = 0;
    for (int i = 7; i < N; i++)
        want += 2 * host[i];
    tap_is_int(gnd_launch(gnd_program_kernel(p, "sums"), gnd_dims(4), gnd_dims(64), 7, args, &y),
               GND_OK, "and is launched");
    if (gnd_read(y, got, sizeof got) != GND_OK)
        tap_diag("%s", gnd_error(y));
    tap_ok(got[0] == (float)want && got[1] == 9, "a sum of %g is %g, and 9 is %g", want,
           (double)got[0], (double)got[1]);
    tap_is_int(gnd_launch(gnd_program_kernel(p, "sums"), gnd_dims(4), gnd_dims(128), 7, args, &y),
               GND_ERR_ARG, "more than __launch_bounds__");
    gnd_program_free(p);
}

static void test_warps(void)
{
    gnd_program *p = gnd_compile(dev, warps_case, GND_CUDA_C, NULL);
    const int64_t n = 64;
    const gnd_arg args[] = {GND_OUT(1, &n, GND_INT64, NULL)};
    int64_t got[64] = {0};
    gnd_array *y = NULL;
    if (gnd_program_status(p) != GND_OK) {
        tap_has_str(gnd_program_error(p), "needs warps", "no warps here, which the error says");
        gnd_program_free(p);
        return;
    }
    gnd_launch(gnd_program_kernel(p, "w"), gnd_dims(1), gnd_dims(64), 1, args, &y);
    if (gnd_read(y, got, sizeof got) != GND_OK)
        tap_diag("%s", gnd_error(y));
    int bad = 0;
    for (int i = 0; i < 64; i++) {
        const int lane = i % 32;
        const int part[] = {i - lane + 5,
                            lane < 3 ? lane : lane - 3,
                            lane > 27 ? lane : lane + 4,
                            lane ^ 6,
                            40 % 32,
                            1,
                            6};
        int64_t want = 0;
        for (size_t k = 0; k < sizeof part / sizeof *part; k++)
            want = 64 * want + part[k];
        if (got[i] != want && !bad++)
            tap_diag("work-item %d: %lld, not %lld", i, (long long)got[i], (long long)want);
    }
    tap_is_int(bad, 0, "functions of warps");
    gnd_program_free(p);
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *has;
        gnd_status st;
    } c[] = {
        {"template <class T> __device__ T f(T x) { return x; }\n__global__ void k(float *y) { }",
         "source:1:1: 'template'", GND_ERR_UNSUPPORTED},
        {"__global__ void k(float *y)\n{\n  auto f = [](int i) { return i; };\n}",
         "source:3:12: a lambda", GND_ERR_UNSUPPORTED},
        {"namespace a { }\n__global__ void k(float *y) { }", "'namespace'", GND_ERR_UNSUPPORTED},
        {"class A { };\n__global__ void k(float *y) { }", "'class'", GND_ERR_UNSUPPORTED},
        {"__global__ void k(float *y) { std::min(1, 2); }", "'::'", GND_ERR_UNSUPPORTED},
        {"__global__ void k(float *y) { k<<<1, 1>>>(y); }", "a launch from a kernel",
         GND_ERR_UNSUPPORTED},
        {"__global__ void k(float *y) { float *p = new float[3]; }", "'new'", GND_ERR_UNSUPPORTED},
        {"__global__ void k(float *y) { asm(\"\"); }", "'asm'", GND_ERR_UNSUPPORTED},
        {"struct A { int x; int get() { return x; } };\n__global__ void k(float *y) { }",
         "a member function", GND_ERR_UNSUPPORTED},
        {"struct A { float *p; };\n__global__ void k(float *y) { }", "a pointer in a type",
         GND_ERR_UNSUPPORTED},
        {"__device__ int counter;\n__global__ void k(float *y) { }", "a __device__ variable",
         GND_ERR_UNSUPPORTED},
        {"__constant__ float t[4];\n__global__ void k(float *y) { }",
         "a constant without its values", GND_ERR_UNSUPPORTED},
        {"__device__ void f(float *y) { __shared__ int s[3]; s[0] = *y; }\n__global__ void k(float *y) { f(y); }",
         "__shared__ in a function", GND_ERR_UNSUPPORTED},
        {"__device__ int f(int n) { return n ? f(n - 1) : 0; }\n__global__ void k(float *y) { y[0] = f(3); }",
         "calls itself", GND_ERR_UNSUPPORTED},
        {"__device__ int f(int n = 3) { return n; }\n__global__ void k(float *y) { }",
         "a default argument", GND_ERR_UNSUPPORTED},
        {"int f(int n) { return n; }\n__global__ void k(float *y) { }", "without __device__",
         GND_ERR_UNSUPPORTED},
        {"__device__ int all(int p)\n{ return __syncthreads_and(p); }\n__global__ void k(float *y) { y[0] = all(1); }",
         "source:2:10: a barrier that counts", GND_ERR_UNSUPPORTED},
        {"#include <vector>\n__global__ void k(float *y) { }", "#include of vector",
         GND_ERR_UNSUPPORTED},
        {"__global__ void step(float *y) { }",
         "source:1:17: OpenCL C has a function or word 'step'", GND_ERR_UNSUPPORTED},
        {"__global__ void k(float **y) { }", "a pointer to pointers", GND_ERR_UNSUPPORTED},
        {"__global__ void k(float3 *y) { }", "vectors of three", GND_ERR_UNSUPPORTED},
        {"__global__ void k(float *y) { float &z = y[0]; }", "a reference as a variable",
         GND_ERR_UNSUPPORTED},
        {"__global__ void k(float *y) { float *p; p[0] = 1; }", "which memory this pointer",
         GND_ERR_UNSUPPORTED},
        {"__global__ void k(float *y) { __shared__ float s[2]; float *p = y; p = s; }",
         "is given an address of", GND_ERR_UNSUPPORTED},
        {"__global__ void k(float *y)\n{\n    y[0] = undefined_name;\n}\n",
         "source:3:12:", GND_ERR_BUILD},
        {"__device__ float f(float *p)\n{ return p[0] + wrong; }\n__global__ void k(float *y)\n{ y[0] = f(y); }\n",
         "source:2:17:", GND_ERR_BUILD},
    };
    gnd_device_info info;
    gnd_device_describe(dev, &info);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        gnd_program *p = gnd_compile(dev, c[i].text, GND_CUDA_C, NULL);
        tap_is_str(gnd_status_name(gnd_program_status(p)), gnd_status_name(c[i].st), "refused: %s",
                   c[i].has);
        tap_has_str(gnd_program_error(p), c[i].has, "and why");
        gnd_program_free(p);
    }
}

static void test_nvrtc(void)
{
    const char *why;
    if (!nvrtc_load(&why)) {
        tap_skip(1, "%s", why);
        return;
    }
    char *text = whole();
    tap_ok(nvrtc_build(text, 90), "NVRTC compiles the same cases as they are");
    tap_ok(nvrtc_build(warps_case, 90), "and those of warps");
    if (nvrtc_headers())
        tap_ok(nvrtc_build(half_case, 90), "and those of half");
    else
        tap_skip(1, "no headers of CUDA");
    free(text);
}

int main(void)
{
    test_nvrtc();
    dev = ref_open_first();
    gnd_scope_begin();
    const int cuda = strncmp(gnd_device_id(dev), "cuda", 4) == 0;
    test_kernels();
    test_table();
    test_half();
    test_warps();
    if (!cuda) /* NVRTC takes what the subset has not */
        test_refusals();
    gnd_scope_end();
    gnd_close(dev);
    return tap_done();
}
