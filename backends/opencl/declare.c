/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/declare.c - the built-in functions that kernels of gnd call, declared for PoCL. Its
 * compiler reads clang's opencl-c.h before every source, 18,000 lines twice, which took two thirds
 * of the time of a small kernel. gnd's sources go without (program.c) and have this text first.
 * Each name has all its scalar forms, so that no other is called by a conversion of an argument;
 * vectors find none but fma, and the source is then compiled with opencl-c.h.
 */
#include "ocl.h"

/* opencl-c.h is empty if its guard is defined. Types, as_TYPE and constants are in another header,
 * and PoCL's names of functions (_cl_sqrt) are macros of a third one. */
const char gnd__ocl_bare[] = " -D_OPENCL_H_";

/* Ends so that lines are counted from the source's first. */
const char gnd__ocl_declared[] =
    "#define gndF __attribute__((overloadable, const))\n"
    "#define gndA __attribute__((overloadable))\n"
    "size_t gndF get_global_id(uint);"
    "size_t gndF get_local_id(uint);"
    "size_t gndF get_group_id(uint);"
    "size_t gndF get_global_size(uint);"
    "size_t gndF get_local_size(uint);"
    "size_t gndF get_num_groups(uint);"
    "size_t gndF get_global_offset(uint);"
    "void gndA __attribute__((convergent)) barrier(cl_mem_fence_flags);\n"
    "#ifdef cl_khr_fp64\n"
    "#define gndF64(x) x\n"
    "#else\n"
    "#define gndF64(x)\n"
    "#endif\n"
    /* functions of floats: one, two, three arguments; the exponent is an int */
    "#define gnd1(f) float gndF f(float); gndF64(double gndF f(double);)\n"
    "#define gnd2(f) float gndF f(float, float); gndF64(double gndF f(double, double);)\n"
    "gnd1(sqrt) gnd1(rsqrt) gnd1(fabs) gnd1(floor) gnd1(ceil) gnd1(rint) gnd1(trunc)"
    "gnd1(exp) gnd1(exp2) gnd1(expm1) gnd1(log) gnd1(log2) gnd1(log10) gnd1(log1p) gnd1(cbrt)"
    "gnd1(sin) gnd1(cos) gnd1(tan) gnd1(asin) gnd1(acos) gnd1(atan) gnd1(sinpi) gnd1(cospi)"
    "gnd1(sinh) gnd1(cosh) gnd1(tanh) gnd1(asinh) gnd1(acosh) gnd1(atanh)"
    "gnd1(erf) gnd1(erfc) gnd1(tgamma) gnd1(lgamma)"
    "gnd2(copysign) gnd2(fmax) gnd2(fmin) gnd2(fmod) gnd2(atan2) gnd2(hypot) gnd2(pow) gnd2(nextafter)"
    "float gndF fma(float, float, float); gndF64(double gndF fma(double, double, double);)"
    "float16 gndF fma(float16, float16, float16); gndF64(double8 gndF fma(double8, double8, double8);)\n"
    "float gndF ldexp(float, int); gndF64(double gndF ldexp(double, int);)\n"
    "float gndA frexp(float, int *); gndF64(double gndA frexp(double, int *);)\n"
    /* functions of ints */
    "#define gndI(T) T gndF popcount(T); T gndF clz(T); T gndF mul_hi(T, T);"
    "T gndF min(T, T); T gndF max(T, T);\n"
    "gndI(char) gndI(uchar) gndI(short) gndI(ushort) gndI(int) gndI(uint) gndI(long) gndI(ulong)"
    "gnd2(min) gnd2(max)\n"
    "void gndA vstore16(uint16, size_t, uint *); void gndA vstore8(ulong8, size_t, ulong *);\n"
    /* atomics, in both memories; those of 64 bits are an extension's, with other names */
    "#define gndP(n, S, T) T gndA n##_add(volatile S T *, T); T gndA n##_max(volatile S T *, T);"
    "T gndA n##_min(volatile S T *, T); T gndA n##_or(volatile S T *, T); T gndA n##_inc(volatile S T *);"
    "T gndA n##_cmpxchg(volatile S T *, T, T);\n"
    "#define gndM(n, T) gndP(n, __global, T) gndP(n, __local, T)\n"
    "gndM(atomic, int) gndM(atomic, uint) gndM(atom, long) gndM(atom, ulong)\n"
    "#line 1\n";
