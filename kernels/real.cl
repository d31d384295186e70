/* SPDX-License-Identifier: BSD-3-Clause
 *
 * real.cl - float32 and float64 beyond the built-in functions of OpenCL C and CUDA. What is exact
 * says so; the others are within a few ulp.
 */

/* -1, 0, 1; 0 for both zeros, NaN for NaN. Exact. */
//@fn sign f
GND_FN $T gnd_sign_$t($T x)
{
    return x > 0.0$f ? 1.0$f : x < 0.0$f ? -1.0$f : x == 0.0$f ? 0.0$f : x;
}

//@fn signbit f32
#define gnd_signbit_f32(x) (GND_BITS_f32(x) >> 31)
//@fn signbit f64
#define gnd_signbit_f64(x) (GND_BITS_f64(x) >> 63)

/* The bits of a float, and the float of bits. */
//@fn tobits f32
#define gnd_tobits_f32(x) GND_BITS_f32(x)
//@fn tobits f64
#define gnd_tobits_f64(x) GND_BITS_f64(x)
//@fn tobits f16
#define gnd_tobits_f16(x) gnd_pack_f16(x)
//@fn tobits bf16
#define gnd_tobits_bf16(x) gnd_pack_bf16(x)
//@fn frombits u32
#define gnd_frombits_u32(x) GND_FROM_f32(x)
//@fn frombits u64
#define gnd_frombits_u64(x) GND_FROM_f64(x)

/* min(max(x, lo), hi) where any NaN gives NaN; hi where lo > hi. Exact. */
//@fn clip f
GND_FN $T gnd_clip_$t($T x, $T lo, $T hi)
{
    const $T m = x >= lo || x != x ? x : lo;
    return m <= hi || m != m ? m : hi;
}

/* The neighbour of x towards y, by the bits (half.cl): built-in functions may lose subnormals. */
//@fn nextafter f
GND_FN $T gnd_nextafter_$t($T x, $T y)
{
    const $U u = GND_BITS_$t(x), sign = ($U)1 << (8 * sizeof($T) - 1);
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if ((u & (sign - 1)) == 0)
        return GND_FROM_$t(1 | (y < 0.0$f ? sign : 0));
    return GND_FROM_$t((x < y) == (x > 0.0$f) ? u + 1 : u - 1);
}

/* sqrt(x*x + y*y); inf when either is infinite, NaN or not. */
//@fn hypot f
#define gnd_hypot_$t(x, y) hypot(x, y)

/* Quotient and remainder of Python and NumPy (npy_divmod, after CPython's float_divmod): the
 * remainder has the sign of b, the quotient is the floor of the exact one up to rounding.
 * Special cases: a // 0 is a / 0 and a % 0 NaN; inf // b NaN; a % inf is a or inf. */
//@fn mod f
#define gnd_mod_$t(a, b) gnd_modof_$t(fmod(a, b), b)
//@fn floordiv f
GND_FN $T gnd_floordiv_$t($T a, $T b)
{
    return gnd_floordivof_$t(a, b, fmod(a, b));
}
/* The two of m = fmod(a, b). */
//@fn modof f
GND_FN $T gnd_modof_$t($T m, $T b)
{
    if (b == 0.0$f)
        return m;
    if (m != 0.0$f)
        return (b < 0.0$f) != (m < 0.0$f) ? m + b : m;
    return copysign(0.0$f, b);
}
//@fn floordivof f
GND_FN $T gnd_floordivof_$t($T a, $T b, $T m)
{
    if (b == 0.0$f)
        return a / b;
    $T d = (a - m) / b;
    if (m != 0.0$f && (b < 0.0$f) != (m < 0.0$f))
        d -= 1.0$f;
    if (d == 0.0$f)
        return copysign(0.0$f, a / b);
    const $T q = floor(d);
    return d - q > 0.5$f ? q + 1.0$f : q;
}

/* log(exp(x) + exp(y)) (npy_logaddexp): the larger one and a correction in [0, log 2]. Equal
 * infinities are themselves; NaN when either is NaN. */
//@fn logaddexp f
GND_FN $T gnd_logaddexp_$t($T x, $T y)
{
    if (x == y)
        return x + 0.693147180559945309417$f;
    const $T d = x - y;
    if (d > 0.0$f)
        return x + gnd_log1p_$t(gnd_exp_$t(-d));
    if (d <= 0.0$f)
        return y + gnd_log1p_$t(gnd_exp_$t(d));
    return d; /* NaN */
}
