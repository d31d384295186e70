/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cdouble.cl - complex64 on CPUs, computed in float64, whose range and 53 bits make scaling and
 * most special cases unnecessary. There are no branches, and real and imaginary parts are separate
 * variables up to the last line: LLVM vectorises loops only if no value in them is a vector.
 * Special cases as in cexp.cl and ctrig.cl; errors are below 2 ulp of the modulus.
 */

/* One element in memory: see core.cl. As an integer, since LLVM makes a vector of two neighbouring loads.
 * For any address space, which OpenCL C 1.2 says one by one. */
//@fn ofbits c64 cpu
GND_INLINE g_c64 gnd_ofbits_c64(g_u64 u)
{
    return gnd_cplx_c64(GND_FROM_f32((g_u32)u), GND_FROM_f32((g_u32)(u >> 32)));
}
//@fn ld c64 cpu
GND_INLINE __attribute__((overloadable)) g_c64 gnd_ld_c64(GND_CONST_GLOBAL g_c64 *p, g_i64 i)
{
    return gnd_ofbits_c64(((GND_CONST_GLOBAL g_u64 *)p)[i]);
}
GND_INLINE __attribute__((overloadable)) g_c64 gnd_ld_c64(const GND_LOCAL g_c64 *p, g_i64 i)
{
    return p[i];
}
GND_INLINE __attribute__((overloadable)) g_c64 gnd_ld_c64(const g_c64 *p, g_i64 i)
{
    return p[i];
}
//@fn st c64 cpu
GND_INLINE __attribute__((overloadable)) void gnd_st_c64(GND_GLOBAL g_c64 *p, g_i64 i, g_c64 v)
{
    ((GND_GLOBAL g_u64 *)p)[i] = (g_u64)GND_BITS_f32(v.y) << 32 | GND_BITS_f32(v.x);
}
GND_INLINE __attribute__((overloadable)) void gnd_st_c64(GND_LOCAL g_c64 *p, g_i64 i, g_c64 v)
{
    p[i] = v;
}
GND_INLINE __attribute__((overloadable)) void gnd_st_c64(g_c64 *p, g_i64 i, g_c64 v)
{
    p[i] = v;
}

/* Sums by parts. */
//@fn add c64 cpu
GND_INLINE g_c64 gnd_add_c64(g_c64 a, g_c64 b)
{
    return gnd_cplx_c64(a.x + b.x, a.y + b.y);
}
//@fn sub c64 cpu
GND_INLINE g_c64 gnd_sub_c64(g_c64 a, g_c64 b)
{
    return gnd_cplx_c64(a.x - b.x, a.y - b.y);
}

/* x within [-300, 300]: e^300 times the smallest float32 is infinite there. A NaN stays. */
//@fn cwithin f64 cpu
GND_INLINE g_f64 gnd_cwithin_f64(g_f64 x)
{
    x = x < -300.0 ? -300.0 : x;
    return x > 300.0 ? 300.0 : x;
}
/* sinh(x) when e is exp(x): near 0 by its series. */
//@fn csinh f64 cpu
GND_INLINE g_f64 gnd_csinh_f64(g_f64 x, g_f64 e)
{
    const g_f64 z = x * x, w = x + x * z * (1.0 / 6 + z * (1.0 / 120 + z * (1.0 / 5040)));
    return z < 0.0625 ? w : 0.5 * (e - 1.0 / e);
}

//@fn exp c64 cpu
GND_INLINE g_c64 gnd_exp_c64(g_c64 z)
{
    const g_f32 x = z.x, y = z.y;
    const g_f64 e = gnd_exp37_f64(gnd_cwithin_f64(x));
    const g_f32 re = (g_f32)(e * (g_f64)gnd_cos_f32(y)), im = (g_f32)(e * (g_f64)gnd_sin_f32(y));
    const int edge = !(fabs(y) < GND_INF_f32);
    const g_f32 far = x == GND_INF_f32 ? x : x == -GND_INF_f32 ? 0.0f : GND_NAN_f32;
    const g_f32 end = x == -GND_INF_f32 ? copysign(0.0f, y) : GND_NAN_f32;
    return gnd_cplx_c64(edge ? far : re, edge ? end : y == 0.0f ? y : im);
}

/* log(x^2 + y^2) / 2, near 1 by log1p((a - 1) (a + 1) + b^2), where a is the larger part. */
//@fn log c64 cpu
GND_INLINE g_c64 gnd_log_c64(g_c64 z)
{
    const g_f32 x = z.x, y = z.y, ax = fabs(x), ay = fabs(y);
    const g_f64 a = ax > ay ? ax : ay, b = ax > ay ? ay : ax, h = a * a + b * b;
    const int near = h > 0.25 && h < 4.0;
    const g_f64 d = (a - 1.0) * (a + 1.0) + b * b, u = near ? 1.0 + d : h;
    const g_f64 rest = near ? (d - (u - 1.0)) / u : 0.0;
    const g_f64 v = gnd_logcases_f64(u, gnd_log42_f64(u));
    const g_f32 re = (g_f32)(0.5 * (u > 0.0 && u < GND_INF_f64 ? v + rest : v));
    return gnd_cplx_c64(ax == GND_INF_f32 || ay == GND_INF_f32 ? GND_INF_f32 : re, gnd_atan2_f32(y, x));
}

//@fn sqrt c64 cpu
GND_INLINE g_c64 gnd_sqrt_c64(g_c64 z)
{
    const g_f32 x = z.x, y = z.y, ax = fabs(x), ay = fabs(y);
    const g_f64 h = sqrt((g_f64)x * (g_f64)x + (g_f64)y * (g_f64)y), t = sqrt(((g_f64)ax + h) * 0.5);
    const g_f32 q = t > 0.0 ? (g_f32)((g_f64)ay / (2.0 * t)) : 0.0f, p = (g_f32)t;
    const g_f32 lo = t != t ? GND_NAN_f32 : q;
    const int inf = ax == GND_INF_f32;
    const g_f32 re = inf && x > 0.0f ? x : x >= 0.0f ? p : lo;
    const g_f32 im = inf && x < 0.0f ? GND_INF_f32 : x >= 0.0f ? lo : p;
    return gnd_cplx_c64(ay == GND_INF_f32 ? ay : re, ay == GND_INF_f32 ? y : copysign(im, y));
}

//@fn sinh c64 cpu
GND_INLINE g_c64 gnd_sinh_c64(g_c64 z)
{
    const g_f32 x = z.x, y = z.y;
    const g_f64 d = gnd_cwithin_f64(x), e = gnd_exp37_f64(d);
    const g_f32 re = (g_f32)(gnd_csinh_f64(d, e) * (g_f64)gnd_cos_f32(y));
    const g_f32 im = (g_f32)(0.5 * (e + 1.0 / e) * (g_f64)gnd_sin_f32(y));
    const int edge = !(fabs(y) < GND_INF_f32);
    const g_f32 end = x == 0.0f || fabs(x) == GND_INF_f32 ? x : GND_NAN_f32;
    return gnd_cplx_c64(edge ? end : re, edge ? GND_NAN_f32 : y == 0.0f ? y : im);
}
//@fn cosh c64 cpu
GND_INLINE g_c64 gnd_cosh_c64(g_c64 z)
{
    const g_f32 x = z.x, y = z.y;
    const g_f64 d = gnd_cwithin_f64(x), e = gnd_exp37_f64(d);
    const g_f32 re = (g_f32)(0.5 * (e + 1.0 / e) * (g_f64)gnd_cos_f32(y));
    const g_f32 im = (g_f32)(gnd_csinh_f64(d, e) * (g_f64)gnd_sin_f32(y));
    const int edge = !(fabs(y) < GND_INF_f32);
    const g_f32 far = fabs(x) == GND_INF_f32 ? GND_INF_f32 : GND_NAN_f32;
    return gnd_cplx_c64(edge ? far : re, edge ? (x == 0.0f ? x : GND_NAN_f32) : y == 0.0f ? copysign(1.0f, x) * y : im);
}
/* Kahan's formula, as in ctrig.cl. */
//@fn tanh c64 cpu
GND_INLINE g_c64 gnd_tanh_c64(g_c64 z)
{
    const g_f32 x = z.x, y = z.y;
    const g_f64 c = gnd_cwithin_f64(x), t = gnd_tan_f32(y), b = 1.0 + t * t;
    const g_f64 s = gnd_csinh_f64(c, gnd_exp37_f64(c)), d = 1.0 + b * s * s;
    const g_f32 re = (g_f32)(b * sqrt(1.0 + s * s) * s / d), im = (g_f32)(t / d);
    const int edge = !(fabs(y) < GND_INF_f32), inf = fabs(x) == GND_INF_f32;
    const g_f32 far = x == 0.0f ? x : GND_NAN_f32, one = copysign(1.0f, x);
    return gnd_cplx_c64(x != x ? x : inf ? one : edge ? far : re,
                        x != x ? (y == 0.0f ? y : x) : edge ? (inf ? copysign(0.0f, y) : GND_NAN_f32) : im);
}
