/* SPDX-License-Identifier: BSD-3-Clause
 *
 * core.cl - the basis of every kernel: types, qualifiers, indices, bits of floats, elements in
 * memory, parts of complex numbers, floats to integers.
 *
 * The files of this folder are no compilation units: lib/codegen/prelude.c takes from them the
 * sections that a kernel uses. A section begins with one of these lines and ends before the next:
 *
 *   @base DIALECT [f64]                always in that dialect (only with float64: f64)
 *   @fn NAME SUFFIXES [DIALECT]        gnd_NAME_SUFFIX, one for each suffix: b i8 ... c128, or the
 *                                      letters i u f c for all of a kind (f: f32 f64)
 *   @text NAME [DIALECT]               the text of a primitive's kernel, between its braces:
 *                                      lib/prim names it, and gives it its parameters
 *
 * (after two slashes, at the start of a line), or before a comment that starts a line. The text of
 * a function is a template, $T and so on as in lib/graph/opset.h; what it needs is found by the
 * names gnd_... in it. It is OpenCL C 1.2 and CUDA C++ at once; complex values have .x and .y, +
 * and - in both.
 */
//@base opencl
#pragma OPENCL FP_CONTRACT OFF
typedef uchar g_b;
typedef char g_i8;
typedef short g_i16;
typedef int g_i32;
typedef long g_i64;
typedef uchar g_u8;
typedef ushort g_u16;
typedef uint g_u32;
typedef ulong g_u64;
typedef float g_f32;
typedef float2 g_c64;
#define GND_KERNEL __kernel
#define GND_GLOBAL __global
#define GND_CONST_GLOBAL __global const
#define GND_LOCAL __local
#define GND_LOCAL_PTR __local
#define GND_RESTRICT restrict
#define GND_GID(d) get_global_id(d)
#define GND_LID(d) get_local_id(d)
#define GND_GRP(d) get_group_id(d)
#define GND_LSZ(d) get_local_size(d)
#define GND_NGRP(d) get_num_groups(d)
#define GND_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define GND_FN static
#define GND_INLINE static __attribute__((always_inline))
#define GND_BITS_f32(x) as_uint(x)
#define GND_FROM_f32(u) as_float(u)
#define GND_INF_f32 INFINITY
#define GND_NAN_f32 NAN
//@base opencl f64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double g_f64;
typedef double2 g_c128;
#define GND_BITS_f64(x) as_ulong(x)
#define GND_FROM_f64(u) as_double(u)
#define GND_INF_f64 as_double(0x7ff0000000000000UL)
#define GND_NAN_f64 as_double(0x7ff8000000000000UL)
//@base cuda
typedef unsigned char g_b;
typedef signed char g_i8;
typedef short g_i16;
typedef int g_i32;
typedef long long g_i64;
typedef unsigned char g_u8;
typedef unsigned short g_u16;
typedef unsigned int g_u32;
typedef unsigned long long g_u64;
typedef float g_f32;
#define GND_KERNEL extern "C" __global__
#define GND_GLOBAL
#define GND_CONST_GLOBAL const
#define GND_LOCAL __shared__
#define GND_LOCAL_PTR
#define GND_RESTRICT __restrict__
#define GND_CAT_0(v) v.x
#define GND_CAT_1(v) v.y
#define GND_CAT_2(v) v.z
#define GND_LID(d) ((g_u64)GND_CAT_##d(threadIdx))
#define GND_GRP(d) ((g_u64)GND_CAT_##d(blockIdx))
#define GND_LSZ(d) ((g_u64)GND_CAT_##d(blockDim))
#define GND_NGRP(d) ((g_u64)GND_CAT_##d(gridDim))
#define GND_GID(d) (GND_GRP(d) * GND_LSZ(d) + GND_LID(d))
#define GND_BARRIER() __syncthreads()
#define GND_FN static __device__
#define GND_INLINE static __device__ __forceinline__
#define GND_BITS_f32(x) __float_as_uint(x)
#define GND_FROM_f32(u) __uint_as_float(u)
#define GND_INF_f32 __uint_as_float(0x7f800000u)
#define GND_NAN_f32 __uint_as_float(0x7fc00000u)
struct __align__(8) g_c64 { g_f32 x, y; };
GND_FN g_c64 operator+(g_c64 a, g_c64 b) { g_c64 r = {a.x + b.x, a.y + b.y}; return r; }
GND_FN g_c64 operator-(g_c64 a, g_c64 b) { g_c64 r = {a.x - b.x, a.y - b.y}; return r; }
GND_FN g_c64 operator-(g_c64 a) { g_c64 r = {-a.x, -a.y}; return r; }
GND_FN bool operator==(g_c64 a, g_c64 b) { return a.x == b.x && a.y == b.y; }
//@base cuda f64
typedef double g_f64;
#define GND_BITS_f64(x) ((g_u64)__double_as_longlong(x))
#define GND_FROM_f64(u) __longlong_as_double((g_i64)(u))
#define GND_INF_f64 __longlong_as_double(0x7ff0000000000000LL)
#define GND_NAN_f64 __longlong_as_double(0x7ff8000000000000LL)
struct __align__(16) g_c128 { g_f64 x, y; };
GND_FN g_c128 operator+(g_c128 a, g_c128 b) { g_c128 r = {a.x + b.x, a.y + b.y}; return r; }
GND_FN g_c128 operator-(g_c128 a, g_c128 b) { g_c128 r = {a.x - b.x, a.y - b.y}; return r; }
GND_FN g_c128 operator-(g_c128 a) { g_c128 r = {-a.x, -a.y}; return r; }
GND_FN bool operator==(g_c128 a, g_c128 b) { return a.x == b.x && a.y == b.y; }

/* One element in memory: p is a pointer to the memory type in any address space. */
//@fn ld b i u f c
#define gnd_ld_$t(p, i) ((p)[i])
//@fn ld f16 bf16
#define gnd_ld_$n(p, i) gnd_unpack_$n((p)[i])
//@fn st b i u f c
#define gnd_st_$t(p, i, v) ((p)[i] = (v))
//@fn st f16 bf16
#define gnd_st_$n(p, i, v) ((p)[i] = gnd_pack_$n(v))

/* Complex numbers and their parts. */
//@fn cplx c opencl
#define gnd_cplx_$t(re, im) (($T)((re), (im)))
//@fn cplx c cuda
GND_FN $T gnd_cplx_$t($R re, $R im) { $T z = {re, im}; return z; }
//@fn cplxof f32
#define gnd_cplxof_f32(re, im) gnd_cplx_c64(re, im)
//@fn cplxof f64
#define gnd_cplxof_f64(re, im) gnd_cplx_c128(re, im)
//@fn re c
#define gnd_re_$t(z) ((z).x)
//@fn im c
#define gnd_im_$t(z) ((z).y)

/* Before a loop over 64 lanes: all of them at once, in four vectors. The loop is then a straight line, and what the
 * lanes hold stays in registers from one line to the next. Left to itself LLVM takes 32 bytes at a time, and loads and
 * stores the lanes for each. If it cannot, it should not warn. */
//@fn lanes i32
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define gnd_lanes_i32 _Pragma("clang loop vectorize_width(16) interleave_count(4)")
#else
#define gnd_lanes_i32
#endif
/* The same over 32 lanes, in four vectors; over 8, in one. */
//@fn half_lanes i32
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define gnd_half_lanes_i32 _Pragma("clang loop vectorize_width(8) interleave_count(4)")
#else
#define gnd_half_lanes_i32
#endif
//@fn few_lanes i32
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define gnd_few_lanes_i32 _Pragma("clang loop vectorize_width(8) interleave_count(1)")
#else
#define gnd_few_lanes_i32
#endif

/* Floats to integers, towards zero. NaN and values out of range give the same as x86's cvttsd2si:
 * the smallest integer; uint64: 0 from 2^64 on, and below 0 the int64's bits (lib/base/dtype.c). */
//@fn f2i32 f32
GND_FN g_i32 gnd_f2i32_f32(g_f32 x)
{
    return x >= -2147483648.0f && x < 2147483648.0f ? (g_i32)x : (g_i32)0x80000000u;
}
//@fn f2i32 f64
GND_FN g_i32 gnd_f2i32_f64(g_f64 x)
{
    return x > -2147483649.0 && x < 2147483648.0 ? (g_i32)x : (g_i32)0x80000000u;
}
//@fn f2i64 f
GND_FN g_i64 gnd_f2i64_$t($T x)
{
    return x >= -9223372036854775808.0$f && x < 9223372036854775808.0$f
               ? (g_i64)x : (g_i64)((g_u64)1 << 63);
}
//@fn f2u64 f
GND_FN g_u64 gnd_f2u64_$t($T x)
{
    if (x >= 9223372036854775808.0$f)
        return x < 18446744073709551616.0$f ? (g_u64)x : 0;
    return (g_u64)gnd_f2i64_$t(x);
}
