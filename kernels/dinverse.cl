/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dinverse.cl - inverse trigonometric and hyperbolic functions and hypot of float64 on CPUs. As in
 * double.cl there are no branches and no calls, and results are within 2 ulp over the whole range
 * (tests/kernels/kernels_double.c). The methods follow FreeBSD's msun (Sun Microsystems' fdlibm);
 * polynomials: tools/special-coeffs.py.
 */

/* --- inverse trigonometric functions ------------------------------------------------------------ */

/* atan(a), a >= 0: one division reduces it to |t| <= 7/16 around 0, 1/2, 1, 3/2 or infinity. */
//@fn atanpart f64 cpu
GND_INLINE g_f64 gnd_atanpart_f64(g_f64 a)
{
    const int some = a > 0.4375, one = a > 0.6875, more = a > 1.1875, far = a > 2.4375;
    const g_f64 num = far ? -1.0 : more ? a - 1.5 : one ? a - 1.0 : some ? 2.0 * a - 1.0 : a;
    const g_f64 den = far ? a : more ? 1.0 + 1.5 * a : one ? a + 1.0 : some ? 2.0 + a : 1.0;
    const g_f64 hi = far ? 0x1.921fb54442d18p+0 : more ? 0x1.f730bd281f69bp-1 : one ? 0x1.921fb54442d18p-1
                     : some ? 0x1.dac670561bb4fp-2 : 0.0;
    const g_f64 lo = far ? 0x1.1a62633145c07p-54 : more ? 0x1.007887af0cbbdp-56 : one ? 0x1.1a62633145c07p-55
                     : some ? 0x1.a2b7f222f65e2p-56 : 0.0;
    const g_f64 t = num / den, z = t * t;
    const g_f64 p = -0x1.5555555555555p-2 + z * (0x1.99999999998c9p-3 + z * (-0x1.249249248580fp-3
                    + z * (0x1.c71c71bd49944p-4 + z * (-0x1.745d155144e93p-4 + z * (0x1.3b13763e8f961p-4
                    + z * (-0x1.110ca35bfcf38p-4 + z * (0x1.e170fa184df26p-5 + z * (-0x1.ab5c9933a36bcp-5
                    + z * (0x1.700c6a6813fe8p-5 + z * (-0x1.0f79f4a1208acp-5 + z * 0x1.e46bc82f1071fp-7))))))))));
    return hi + (t + (lo + t * z * p));
}
//@fn atan f64 cpu
GND_INLINE g_f64 gnd_atan_f64(g_f64 x)
{
    return gnd_signed_f64(gnd_atanpart_f64(gnd_mag_f64(x)), x);
}
/* Both infinite: as the diagonal; both zero: 0 or pi, by the sign of x. */
//@fn atan2 f64 cpu
GND_INLINE g_f64 gnd_atan2_f64(g_f64 y, g_f64 x)
{
    const g_f64 ay = gnd_mag_f64(y), ax = gnd_mag_f64(x);
    const g_f64 q = ((ay == 0.0) & (ax == 0.0)) ? 0.0 : ((ay == GND_INF_f64) & (ax == ay)) ? 1.0 : ay / ax;
    const g_f64 v = gnd_atanpart_f64(q);
    const g_f64 w = GND_BITS_f64(x) >> 63 ? 0x1.921fb54442d18p+1 - (v - 0x1.1a62633145c07p-53) : v;
    return ((x != x) | (y != y)) ? x + y : gnd_signed_f64(w, y);
}
/* asin(s)/s - 1 at z = s^2 <= 1/4. */
//@fn asinpart f64 cpu
GND_INLINE g_f64 gnd_asinpart_f64(g_f64 z)
{
    const g_f64 p = 0x1.5555555555555p-3 + z * (-0x1.4d55f25509d25p-2 + z * (0x1.9bf5a88d07d2cp-3
                    + z * (-0x1.47f5d5cf7493ep-5 + z * (0x1.9e959c4f5ec15p-11 + z * 0x1.237097f30f21bp-15))));
    const g_f64 w = z + (p - p);
    const g_f64 q = 1.0 + w * (-0x1.339a0f5960f88p+1 + w * (0x1.029eb4be05f27p+1 + w * (-0x1.6042d058dc6b1p-1
                    + w * 0x1.3b5b410eee62cp-4)));
    return z * p / q;
}
/* From 1/2 on by asin(x) = pi/2 - 2 asin(s), s^2 = (1 - x)/2: s as a value of 21 bits, and in *c what that lacks. */
//@fn halfroot f64 cpu
GND_INLINE g_f64 gnd_halfroot_f64(g_f64 z, g_f64 s, g_f64 *c)
{
    const g_f64 h = gnd_top_f64(s);
    *c = (z - h * h) / (s + h + 0x1p-600);
    return h;
}
//@fn asin f64 cpu
GND_INLINE g_f64 gnd_asin_f64(g_f64 x)
{
    const g_f64 a = gnd_mag_f64(x), z = a < 0.5 ? a * a : (1.0 - a) * 0.5, r = gnd_asinpart_f64(z), s = sqrt(z);
    g_f64 c;
    const g_f64 h = gnd_halfroot_f64(z, s, &c);
    const g_f64 v = 0x1.921fb54442d18p-1 - ((2.0 * s * r - (0x1.1a62633145c07p-54 - 2.0 * c))
                                            - (0x1.921fb54442d18p-1 - 2.0 * h));
    return gnd_signed_f64(a < 0.5 ? a + a * r : v, x);
}
//@fn acos f64 cpu
GND_INLINE g_f64 gnd_acos_f64(g_f64 x)
{
    const g_f64 a = gnd_mag_f64(x), z = a < 0.5 ? a * a : (1.0 - a) * 0.5, r = gnd_asinpart_f64(z), s = sqrt(z);
    g_f64 c;
    const g_f64 h = gnd_halfroot_f64(z, s, &c);
    const g_f64 up = 2.0 * (h + (r * s + c));
    const g_f64 down = 0x1.921fb54442d18p+1 - 2.0 * (s + (r * s - 0x1.1a62633145c07p-54));
    const g_f64 near = 0x1.921fb54442d18p+0 - (x - (0x1.1a62633145c07p-54 - x * r));
    return a < 0.5 ? near : x < 0.0 ? down : up;
}

/* --- inverse hyperbolic functions --------------------------------------------------------------- */

/* log(1 + t + c) + k log(2), t >= 0, c as what t lacks. */
//@fn logone f64 cpu
GND_INLINE g_f64 gnd_logone_f64(g_f64 t, g_f64 c, g_f64 k)
{
    g_f64 e;
    const g_f64 u = 1.0 + t, l = (t > 1.0 ? 1.0 - (u - t) : t - (u - 1.0)) + c, f = gnd_fraction_f64(u, &e);
    return gnd_logsum_f64(f, l / u, k + e);
}
/* log(1 + (a + a^2 / (1 + sqrt(1 + a^2)))); from 2^60 on log(2 a). */
//@fn asinh f64 cpu
GND_INLINE g_f64 gnd_asinh_f64(g_f64 x)
{
    const g_f64 a = gnd_mag_f64(x), z = a * a, d = z / (1.0 + sqrt(1.0 + z)), t = a + d;
    const int big = a > 0x1p60;
    const g_f64 v = gnd_logone_f64(big ? a : t, big ? 0.0 : (a - t) + d, big ? 1.0 : 0.0);
    return gnd_signed_f64(a < GND_INF_f64 ? v : a, x);
}
/* log(1 + (d + sqrt(2 d + d^2))), d = x - 1. */
//@fn acosh f64 cpu
GND_INLINE g_f64 gnd_acosh_f64(g_f64 x)
{
    const g_f64 d = x - 1.0, s = sqrt(2.0 * d + d * d), t = s + d;
    const int big = x > 0x1p60;
    const g_f64 v = gnd_logone_f64(big ? x : t, big ? 0.0 : (s - t) + d, big ? 1.0 : 0.0);
    return x >= 1.0 ? (x < GND_INF_f64 ? v : x) : GND_NAN_f64;
}
/* Half of log(1 + 2 a / (1 - a)), which below 1/2 is taken as 2 a + 2 a^2 / (1 - a). */
//@fn atanh f64 cpu
GND_INLINE g_f64 gnd_atanh_f64(g_f64 x)
{
    const g_f64 a = gnd_mag_f64(x), b = 2.0 * a;
    const int low = a < 0.5;
    const g_f64 q = (low ? b * a : b) / (1.0 - a), t = low ? b + q : q;
    const g_f64 v = 0.5 * gnd_logone_f64(t, low ? (b - t) + q : 0.0, 0.0);
    return gnd_signed_f64(a < 1.0 ? v : a == 1.0 ? GND_INF_f64 : GND_NAN_f64, x);
}

/* --- hypot -------------------------------------------------------------------------------------- */

/* Intermediate results do not over- or underflow. An infinite side makes it infinite, also if the other is NaN. */
//@fn hypot f64 cpu
GND_INLINE g_f64 gnd_hypot_f64(g_f64 x, g_f64 y)
{
    const g_f64 ax = gnd_mag_f64(x), ay = gnd_mag_f64(y), m = ax > ay ? ax : ay;
    const int big = m > 0x1p500, small = m < 0x1p-450;
    const g_f64 f = big ? 0x1p-600 : small ? 0x1p600 : 1.0, g = big ? 0x1p600 : small ? 0x1p-600 : 1.0;
    const g_f64 a = ax * f, b = ay * f;
    return ((ax == GND_INF_f64) | (ay == GND_INF_f64)) ? GND_INF_f64 : sqrt(a * a + b * b) * g;
}
