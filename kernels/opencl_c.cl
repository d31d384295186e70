// SPDX-License-Identifier: BSD-3-Clause
//
// opencl_c.cl - names of OpenCL C that CUDA C does not have, for users' kernels in OpenCL C that NVRTC compiles
// (lib/codegen/user_text.c). That file removes the word `global`, which cannot be a macro: __global__ is an attribute
// of that name. Not here: vector literals and swizzles, images, pipes, half arithmetic.

//@text opencl_c cuda
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define __OPENCL_VERSION__ 120
#define __kernel extern "C" __global__
#define kernel __kernel
#define __global
#define __local __shared__
#define local __shared__
#define constant __constant__
#define __constant __constant__
#define __private
#define restrict __restrict__
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define reqd_work_group_size(x, y, z)
#define work_group_size_hint(x, y, z)
#define vec_type_hint(t)
#define DEV static __device__ __forceinline__
#define ITEM(v, d) ((d) == 0 ? v.x : (d) == 1 ? v.y : (d) == 2 ? v.z : 0u)
#define SIZE(v, d) ((d) == 0 ? v.x : (d) == 1 ? v.y : (d) == 2 ? v.z : 1u)
DEV size_t get_local_id(uint d) { return ITEM(threadIdx, d); }
DEV size_t get_group_id(uint d) { return ITEM(blockIdx, d); }
DEV size_t get_local_size(uint d) { return SIZE(blockDim, d); }
DEV size_t get_num_groups(uint d) { return SIZE(gridDim, d); }
DEV size_t get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
DEV size_t get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
DEV size_t get_global_offset(uint) { return 0; }
DEV uint get_work_dim() { return gridDim.z * blockDim.z > 1 ? 3 : gridDim.y * blockDim.y > 1 ? 2 : 1; }
#undef ITEM
#undef SIZE
DEV void barrier(uint) { __syncthreads(); }
DEV void mem_fence(uint) { __threadfence(); }
DEV void read_mem_fence(uint) { __threadfence(); }
DEV void write_mem_fence(uint) { __threadfence(); }
#define INFINITY __uint_as_float(0x7f800000u)
#define NAN __uint_as_float(0x7fc00000u)
#define MAXFLOAT 3.402823466e+38f
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.1920928955078125e-7f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.220446049250313e-16
#define M_PI 3.14159265358979323846
#define M_PI_F 3.14159265358979323846f
#define M_E 2.71828182845904523536
#define M_E_F 2.71828182845904523536f
#define as_int(x) __float_as_int((float)(x))
#define as_uint(x) __float_as_uint((float)(x))
DEV float as_float(int x) { return __int_as_float(x); }
DEV float as_float(uint x) { return __uint_as_float(x); }
#define as_long(x) ((long)__double_as_longlong((double)(x)))
#define as_ulong(x) ((ulong)__double_as_longlong((double)(x)))
#define as_double(x) __longlong_as_double((long long)(x))
#define convert_char(x) ((signed char)(x))
#define convert_uchar(x) ((uchar)(x))
#define convert_short(x) ((short)(x))
#define convert_ushort(x) ((ushort)(x))
#define convert_int(x) ((int)(x))
#define convert_uint(x) ((uint)(x))
#define convert_long(x) ((long)(x))
#define convert_ulong(x) ((ulong)(x))
#define convert_float(x) ((float)(x))
#define convert_double(x) ((double)(x))
#define convert_int_rte(x) __float2int_rn((float)(x))
#define convert_int_rtz(x) ((int)(x))
#define native_sin(x) __sinf(x)
#define native_cos(x) __cosf(x)
#define native_tan(x) __tanf(x)
#define native_exp(x) __expf(x)
#define native_exp2(x) exp2f(x)
#define native_exp10(x) __exp10f(x)
#define native_log(x) __logf(x)
#define native_log2(x) __log2f(x)
#define native_log10(x) __log10f(x)
#define native_sqrt(x) sqrtf(x)
#define native_rsqrt(x) rsqrtf(x)
#define native_recip(x) __frcp_rn(x)
#define native_divide(x, y) __fdividef(x, y)
#define native_powr(x, y) __powf(x, y)
#define half_exp(x) __expf(x)
#define half_sqrt(x) sqrtf(x)
#define half_rsqrt(x) rsqrtf(x)
#define powr(x, y) pow(x, y)
#define pown(x, n) pow(x, n)
#define mul24(x, y) __mul24(x, y)
#define mad24(x, y, z) (__mul24(x, y) + (z))
DEV int gndu_mul_hi(int x, int y) { return __mulhi(x, y); }
DEV uint gndu_mul_hi(uint x, uint y) { return __umulhi(x, y); }
DEV long gndu_mul_hi(long x, long y) { return (long)__mul64hi(x, y); }
DEV ulong gndu_mul_hi(ulong x, ulong y) { return (ulong)__umul64hi(x, y); }
#define mul_hi(x, y) gndu_mul_hi(x, y)
DEV float mad(float a, float b, float c) { return a * b + c; }
DEV double mad(double a, double b, double c) { return a * b + c; }
template <class T> DEV T clamp(T x, T low, T high) { return x < low ? low : x > high ? high : x; }
DEV float clamp(float x, float low, float high) { return fminf(fmaxf(x, low), high); }
DEV double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }
template <class T> DEV T mix(T x, T y, T a) { return x + (y - x) * a; }
template <class T> DEV T step(T edge, T x) { return x < edge ? (T)0 : (T)1; }
template <class T> DEV T smoothstep(T a, T b, T x)
{
    T t = (x - a) / (b - a);
    t = t < (T)0 ? (T)0 : t > (T)1 ? (T)1 : t;
    return t * t * ((T)3 - (T)2 * t);
}
template <class T> DEV T sign(T x) { return x > (T)0 ? (T)1 : x < (T)0 ? (T)-1 : x; }
template <class T> DEV T degrees(T x) { return x * (T)57.29577951308232; }
template <class T> DEV T radians(T x) { return x * (T)0.017453292519943295; }
template <class T> DEV T select(T a, T b, bool c) { return c ? b : a; }
template <class T> DEV T rotate(T x, T n)
{
    const uint bits = 8 * sizeof(T), k = (uint)n % bits;
    return k ? (T)(x << k | x >> (bits - k)) : x;
}
DEV int popcount(uint x) { return __popc(x); }
DEV int popcount(int x) { return __popc((uint)x); }
DEV ulong popcount(ulong x) { return (ulong)__popcll(x); }
DEV int clz(int x) { return __clz(x); }
DEV uint clz(uint x) { return (uint)__clz((int)x); }
DEV ulong clz(ulong x) { return (ulong)__clzll((long long)x); }
DEV float fract(float x, float *whole) { *whole = floorf(x); return fminf(x - *whole, 0.99999994f); }
#define ATOMIC(name, T, op)                                                                        \
    DEV T atomic_##name(volatile T *p, T v) { return op; }                                         \
    DEV T atom_##name(volatile T *p, T v) { return op; }
ATOMIC(add, int, atomicAdd((int *)p, v))
ATOMIC(add, uint, atomicAdd((uint *)p, v))
ATOMIC(add, ulong, (ulong)atomicAdd((unsigned long long *)p, (unsigned long long)v))
ATOMIC(add, long, (long)atomicAdd((unsigned long long *)p, (unsigned long long)v))
ATOMIC(sub, int, atomicSub((int *)p, v))
ATOMIC(sub, uint, atomicSub((uint *)p, v))
ATOMIC(min, int, atomicMin((int *)p, v))
ATOMIC(min, uint, atomicMin((uint *)p, v))
ATOMIC(max, int, atomicMax((int *)p, v))
ATOMIC(max, uint, atomicMax((uint *)p, v))
ATOMIC(and, int, atomicAnd((int *)p, v))
ATOMIC(and, uint, atomicAnd((uint *)p, v))
ATOMIC(or, int, atomicOr((int *)p, v))
ATOMIC(or, uint, atomicOr((uint *)p, v))
ATOMIC(xor, int, atomicXor((int *)p, v))
ATOMIC(xor, uint, atomicXor((uint *)p, v))
ATOMIC(xchg, int, atomicExch((int *)p, v))
ATOMIC(xchg, uint, atomicExch((uint *)p, v))
ATOMIC(xchg, float, atomicExch((float *)p, v))
#undef ATOMIC
DEV int atomic_inc(volatile int *p) { return atomicAdd((int *)p, 1); }
DEV uint atomic_inc(volatile uint *p) { return atomicAdd((uint *)p, 1u); }
DEV int atomic_dec(volatile int *p) { return atomicSub((int *)p, 1); }
DEV uint atomic_dec(volatile uint *p) { return atomicSub((uint *)p, 1u); }
DEV int atomic_cmpxchg(volatile int *p, int a, int b) { return atomicCAS((int *)p, a, b); }
DEV uint atomic_cmpxchg(volatile uint *p, uint a, uint b) { return atomicCAS((uint *)p, a, b); }
#undef DEV
