/* SPDX-License-Identifier: BSD-3-Clause
 *
 * int.cl - integers: division as in Python, powers, shifts by any count. Arithmetic uses the
 * unsigned type $W, which wraps; nothing here is undefined in C.
 */

/* A quotient truncated towards 0, of ints of up to 32 bits, b not 0: on CPUs by floats, because vectors have no integer
 * division. It is exact: a quotient that is not whole differs from the next whole number by 1 / |b| or more, which
 * exceeds the rounding error of 2^-24 |a / b|, or 2^-53. */
//@fn quot i8 i16 u8 u16 cpu
#define gnd_quot_$t(a, b) (($T)((g_f32)(a) / (g_f32)(b)))
//@fn quot i32 u32 cpu
#define gnd_quot_$t(a, b) (($T)((g_f64)(a) / (g_f64)(b)))
//@fn quot i u
#define gnd_quot_$t(a, b) (($T)((a) / (b)))
/* What it leaves. */
//@fn left i8 i16 i32 u8 u16 u32 cpu
#define gnd_left_$t(a, b) (($T)(($W)(a) - ($W)gnd_quot_$t(a, b) * ($W)(b)))
//@fn left i u
#define gnd_left_$t(a, b) (($T)((a) % (b)))

/* Python's //: towards minus infinity. By 0 gives 0, the smallest int by -1 wraps (NumPy). */
//@fn floordiv i
GND_FN $T gnd_floordiv_$t($T a, $T b)
{
    if (b == 0)
        return 0;
    if (b == -1)
        return ($T)(0 - ($W)a);
    const $T q = gnd_quot_$t(a, b), r = gnd_left_$t(a, b);
    return ($T)(q - (r != 0 && (r < 0) != (b < 0)));
}
//@fn floordiv u
GND_FN $T gnd_floordiv_$t($T a, $T b)
{
    return b == 0 ? ($T)0 : gnd_quot_$t(a, b);
}

/* Python's %: the sign of b. By 0 gives 0 (NumPy). */
//@fn mod i
GND_FN $T gnd_mod_$t($T a, $T b)
{
    if (b == 0 || b == -1)
        return 0;
    const $T r = gnd_left_$t(a, b);
    return r != 0 && (r < 0) != (b < 0) ? ($T)(r + b) : r;
}
//@fn mod u
GND_FN $T gnd_mod_$t($T a, $T b)
{
    return b == 0 ? ($T)0 : gnd_left_$t(a, b);
}

/* By squaring, wrapping. Negative exponents: the exact value if it is whole (bases 1 and -1), else 0; NumPy raises an
 * error. */
//@fn pow i
GND_FN $T gnd_pow_$t($T a, $T b)
{
    if (b < 0)
        return ($T)(a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0);
    $W r = 1, p = ($W)a;
    for ($U n = ($U)b; n != 0; n >>= 1) {
        if (n & 1u)
            r *= p;
        p *= p;
    }
    return ($T)r;
}
//@fn pow u
GND_FN $T gnd_pow_$t($T a, $T b)
{
    $W r = 1, p = ($W)a;
    for ($U n = b; n != 0; n >>= 1) {
        if (n & 1u)
            r *= p;
        p *= p;
    }
    return ($T)r;
}

/* Counts not below the width shift everything out; negative ones are as $U not below it. */
//@fn shl i u
GND_FN $T gnd_shl_$t($T a, $T b)
{
    return ($U)b < 8 * sizeof($T) ? ($T)(($W)a << ($U)b) : ($T)0;
}
//@fn shr i
GND_FN $T gnd_shr_$t($T a, $T b)
{
    return ($T)(a >> (($U)b < 8 * sizeof($T) ? ($U)b : 8 * sizeof($T) - 1));
}
//@fn shr u
GND_FN $T gnd_shr_$t($T a, $T b)
{
    return b < 8 * sizeof($T) ? ($T)(a >> b) : ($T)0;
}

/* min(max(x, lo), hi): hi where lo > hi. */
//@fn clip i u
GND_FN $T gnd_clip_$t($T x, $T lo, $T hi)
{
    const $T m = x > lo ? x : lo;
    return m < hi ? m : hi;
}
