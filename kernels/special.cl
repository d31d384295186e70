/* SPDX-License-Identifier: BSD-3-Clause
 *
 * special.cl - special functions, and other operations beyond the Array API standard. Polynomials and
 * rational functions have the smallest greatest relative error on their interval:
 * tools/special-coeffs.py makes them. Errors are listed in doc/KERNELS.md, as measured by
 * tests/kernels/kernels_math.c.
 */

/* --- integers ------------------------------------------------------------------------------------ */

/* C's %, the sign of a. By 0 gives 0 (NumPy). */
//@fn fmod i
GND_FN $T gnd_fmod_$t($T a, $T b)
{
    return b == 0 || b == -1 ? ($T)0 : gnd_left_$t(a, b);
}
//@fn fmod u
GND_FN $T gnd_fmod_$t($T a, $T b)
{
    return b == 0 ? ($T)0 : gnd_left_$t(a, b);
}

/* Euclid's algorithm. Not negative, except if it wraps: the gcd of the smallest int and 0 or itself. */
//@fn gcd u
GND_FN $T gnd_gcd_$t($T a, $T b)
{
    while (b != 0) {
        const $T r = ($T)(a % b);
        a = b;
        b = r;
    }
    return a;
}
//@fn gcd i
GND_FN $T gnd_gcd_$t($T a, $T b)
{
    const $U x = ($U)(a < 0 ? 0 - ($W)a : ($W)a), y = ($U)(b < 0 ? 0 - ($W)b : ($W)b);
    return ($T)gnd_gcd_$u(x, y);
}
/* 0 when either is 0; wraps. */
//@fn lcm u
GND_FN $T gnd_lcm_$t($T a, $T b)
{
    const $T g = gnd_gcd_$t(a, b);
    return g == 0 ? ($T)0 : ($T)(($W)(a / g) * ($W)b);
}
//@fn lcm i
GND_FN $T gnd_lcm_$t($T a, $T b)
{
    const $U x = ($U)(a < 0 ? 0 - ($W)a : ($W)a), y = ($U)(b < 0 ? 0 - ($W)b : ($W)b);
    return ($T)gnd_lcm_$u(x, y);
}

/* --- parts of floats ----------------------------------------------------------------------------- */

/* x 2^e, rounded once; no e is too large. By products, because built-in functions may lose subnormal numbers: 2^e in up
 * to three factors. The first two products are exact unless the result is out of range anyway; factors below 1 are so
 * large that a subnormal intermediate product ends as 0 anyway. */
//@fn ldexp f
GND_FN $T gnd_ldexp_$t($T x, g_i32 e)
{
    const g_i32 top = sizeof($T) == 4 ? 127 : 1023, down = sizeof($T) == 4 ? -102 : -969;
    const g_i32 place = sizeof($T) == 4 ? 23 : 52;
    const $T up_2 = GND_FROM_$t(($U)(2 * top) << place), down_2 = GND_FROM_$t(($U)(down + top) << place);
    for (int i = 0; i < 2; i++) {
        if (e > top) {
            x *= up_2;
            e -= top;
        } else if (e <= -top) {
            x *= down_2;
            e -= down;
        }
    }
    e = e > top ? top : e <= -top ? 1 - top : e;
    return x * GND_FROM_$t(($U)(e + top) << place);
}
/* The m and e of x = m 2^e, 1/2 <= |m| < 1; m = x, e = 0 for 0, infinities and NaN. Exact. */
//@fn frexpm f
GND_FN $T gnd_frexpm_$t($T x)
{
    int e = 0;
    return x == 0.0$f || !(fabs(x) < GND_INF_$t) ? x : frexp(x, &e);
}
//@fn frexpe f
GND_FN g_i32 gnd_frexpe_$t($T x)
{
    int e = 0;
    if (x == 0.0$f || !(fabs(x) < GND_INF_$t))
        return 0;
    frexp(x, &e);
    return e;
}
/* What trunc(x) leaves, with the sign of x; 0 for infinities. Exact. */
//@fn modf f
GND_FN $T gnd_modf_$t($T x)
{
    return copysign(fabs(x) == GND_INF_$t ? 0.0$f : x - trunc(x), x);
}

/* The larger and the smaller one of complex values, by real, then by imaginary part; a NaN only when
 * both are (NumPy). */
//@fn fmax c
GND_FN $T gnd_fmax_$t($T a, $T b)
{
    return gnd_isnan_$t(b) || gnd_le_$t(b, a) ? a : b;
}
//@fn fmin c
GND_FN $T gnd_fmin_$t($T a, $T b)
{
    return gnd_isnan_$t(b) || gnd_le_$t(a, b) ? a : b;
}

/* --- of exponentials and sines ------------------------------------------------------------------- */

/* log2(2^x + 2^y), as gnd_logaddexp. */
//@fn logaddexp2 f
GND_FN $T gnd_logaddexp2_$t($T x, $T y)
{
    if (x == y)
        return x + 1.0$f;
    const $T d = x - y;
    if (d > 0.0$f)
        return x + gnd_log1p_$t(gnd_exp2_$t(-d)) * 1.44269504088896340736$f;
    if (d <= 0.0$f)
        return y + gnd_log1p_$t(gnd_exp2_$t(d)) * 1.44269504088896340736$f;
    return d; /* NaN */
}
/* x^(1/2): where the square root has -0 and NaN, 0 for -0 and inf for -inf. */
//@fn powhalf f
GND_FN $T gnd_powhalf_$t($T x)
{
    return x == -GND_INF_$t ? GND_INF_$t : sqrt(x + 0.0$f);
}
/* x log y; 0 log y is 0 unless y is NaN. */
//@fn xlogy f
GND_FN $T gnd_xlogy_$t($T x, $T y)
{
    return x == 0.0$f && y == y ? 0.0$f : x * gnd_log_$t(y);
}
/* 1 / (1 + exp(-x)) without overflow. */
//@fn sigmoid f
GND_FN $T gnd_sigmoid_$t($T x)
{
    const $T e = gnd_exp_$t(-fabs(x));
    return x < 0.0$f ? e / (1.0$f + e) : 1.0$f / (1.0$f + e);
}
/* log(p / (1 - p)); near 1/2, where that is small, by the exact 2 p - 1. */
//@fn logit f
GND_FN $T gnd_logit_$t($T p)
{
    if (p > 0.25$f && p < 0.75$f)
        return gnd_log1p_$t((2.0$f * p - 1.0$f) / (1.0$f - p));
    return gnd_log_$t(p / (1.0$f - p));
}
/* sin(pi x) / (pi x), 1 at 0; the tests for small x keep pi x above the subnormal numbers. */
//@fn sinc f
GND_FN $T gnd_sinc_$t($T x)
{
    if (fabs(x) < (sizeof($T) == 4 ? 1.220703125e-4$f : 3.7252902984619140625e-9$f))
        return 1.0$f;
    return sinpi(x) / (3.14159265358979323846$f * x) + 0.0$f; /* no -0 */
}

/* --- the gamma function's relatives -------------------------------------------------------------- */

/* The gamma function of float32, whose built-in may be off by hundreds of ulp: Stirling's formula from
 * 8 on, exp and the halved power so that neither overflows; gamma(1 + y) for y >= 0 by
 * y gamma(y) and a rational function for y < 1; below 0 by gamma(x) = pi / (sin(pi x) gamma(1 - x)). */
//@fn gammastir f32
GND_FN g_f32 gnd_gammastir_f32(g_f32 x)
{
    const g_f32 t = 1.0f / x, p = gnd_pow_f32(x, 0.5f * x);
    const g_f32 s = 0.9999999998f + t * (0.08333333249f + t * (0.003472975819f + t * -0.002703670727f));
    return x < 36.0f ? p * gnd_exp_f32(-x) * (s * (2.50662827463100050242f / sqrt(x))) * p : x + GND_INF_f32;
}
//@fn gamma1p f32
GND_FN g_f32 gnd_gamma1p_f32(g_f32 y)
{
    g_f32 t = y, r = 1.0f;
    if (y >= 8.0f)
        return y * gnd_gammastir_f32(y);
    for (; t >= 1.0f; t -= 1.0f)
        r *= t;
    const g_f32 p = 1.0f + t * (0.4163076208f + t * (0.2409681844f + t * (0.04060110634f + t *
                    0.01588568984f)));
    const g_f32 q = 1.0f + t * (0.9935233656f + t * (-0.174612937f + t * (-0.13533201f + t *
                    0.03018418405f)));
    return r * (p / q);
}
//@fn gammamost f32
GND_FN g_f32 gnd_gammamost_f32(g_f32 x)
{
    if (x < 0.0f)
        return 3.14159265358979323846f / (sinpi(x) * gnd_gamma1p_f32(-x));
    if (x < 1.0f)
        return gnd_gamma1p_f32(x) / x;
    return x < 8.0f ? gnd_gamma1p_f32(x - 1.0f) : gnd_gammastir_f32(x);
}
//@fn gammamost f64
#define gnd_gammamost_f64(x) tgamma(x)
/* For subnormal results and 0, where built-in functions differ, it is gamma(x + n) / (x (x + 1) ... (x + n - 1)), and
 * beyond that 0 with the sign. */
//@fn gamma f
GND_FN $T gnd_gamma_$t($T x)
{
    const int n = sizeof($T) == 4 ? 10 : 16;
    const $T low = sizeof($T) == 4 ? -33.0$f : -169.0$f, whole = floor(x);
    if (x < 0.0$f && x == whole)
        return GND_NAN_$t;
    if (!(x < low))
        return gnd_gammamost_$t(x);
    if (x < low - ($T)n)
        return whole == 2.0$f * floor(0.5$f * whole) ? 0.0$f : -0.0$f;
    $T p = x;
    for (int k = 1; k < n; k++)
        p *= x + ($T)k;
    return gnd_gammamost_$t(x + ($T)n) / p;
}

/* On CPUs by C. Lanczos' formula in float64 (g = 7, nine terms, as one quotient of polynomials): gamma(x) is
 * t^(x - 1/2) e^-t P(x) / Q(x), t = x + 13/2, to 2^-49 of itself; below 0 gamma(x) gamma(1 - x) is
 * pi / sin(pi x), with the sine's series. */
//@fn lgamma f32 cpu
GND_INLINE g_f32 gnd_lgamma_f32(g_f32 x)
{
    const g_f64 d = x, y = x < 0.0f ? 1.0 - d : fabs(d), c = y > 1e30 ? 1e30 : y, t = y + 6.5;
    const g_f64 p = 0x1.04d389a33ba33p+23 + c * (0x1.3e682e5b338e2p+23 + c * (0x1.54157ba47b3dfp+22
                    + c * (0x1.9f17c24e8c4d8p+20 + c * (0x1.3ca05fb5d9175p+18 + c * (0x1.351da7c3a1c5cp+15
                    + c * (0x1.7932133a5e8d7p+11 + c * (0x1.06fcb17b29bd6p+7 + c * 0x1.40d931ff622d4p+1)))))));
    const g_f64 q = c * (5040.0 + c * (13068.0 + c * (13132.0 + c * (6769.0 + c * (1960.0 + c * (322.0
                    + c * (28.0 + c)))))));
    const g_f64 f = fabs(d - rint(d)) * 0x1.921fb54442d18p+1, z = f * f;
    const g_f64 s = f * (1.0 + z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880
                    + z * (-1.0 / 39916800 + z * (1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0
                    + z * (1.0 / 355687428096000.0)))))))));
    const g_f64 u = (y - 0.5) * gnd_log_f64(t) - t;
    const g_f64 v = gnd_log_f64(x < 0.0f ? 0x1.921fb54442d18p+1 * q / (p * s) : p / q) + (x < 0.0f ? -u : u);
    return fabs(x) == GND_INF_f32 || (x < 0.0f && f == 0.0) ? GND_INF_f32 : (g_f32)v;
}
/* The built-in function, except at the ends of its range, where drivers return infinity for the
 * last finite results, or -inf for -inf (every large negative number is an integer), and near 0,
 * where one driver returns infinity because it has no subnormal numbers. */
//@fn lgamma f
GND_FN $T gnd_lgamma_$t($T x)
{
    if (fabs(x) < 1e-18$f)
        return -gnd_log_$t(fabs(x));
    if (fabs(x) > 1e30$f)
        return x > 0.0$f ? x * (gnd_log_$t(x) - 1.0$f) : GND_INF_$t;
    return lgamma(x);
}

/* digamma(1 + t) for 0 <= t < 1: a rational function by the distance from the root, which is given in
 * two parts. */
//@fn psi12 f32
GND_FN g_f32 gnd_psi12_f32(g_f32 t)
{
    const g_f32 p = 1.250380137f + t * (1.13115573f + t * (0.2107603753f + t * 0.002510022419f));
    const g_f32 q = 1.0f + t * (1.588196239f + t * (0.6523729225f + t * 0.06362204499f));
    return ((t - 0.461632133f) - 1.24381501e-08f) * (p / q);
}
//@fn psi12 f64
GND_FN g_f64 gnd_psi12_f64(g_f64 t)
{
    const g_f64 p =
        1.250380137503405357 + t * (1.742048201825083706 + t * (0.8040008082969195764 + t *
        (0.1449276161969015536 + t * (0.008690166417874694428 + t * (4.998696624019361755e-5 + t *
        -5.439715493968837776e-7)))));
    const g_f64 q =
        1.0 + t * (2.076761685939527539 + t * (1.460777331427188126 + t * (0.4360975676744191644 +
        t * (0.0542223377195448128 + t * 0.002140382041901548631))));
    return ((t - 0.46163214496836236) + 1.5522348162858677e-17) * (p / q);
}
/* digamma(x) - log(x) from x = 6 (10) on: its asymptotic series, -1 / 2x - sum B_2k / (2k x^2k)
 * (Abramowitz and Stegun, 6.3.18). */
//@fn psitail f32
GND_FN g_f32 gnd_psitail_f32(g_f32 x)
{
    const g_f32 r = 1.0f / x, z = r * r;
    return r * -0.5f - z * (0.0833333333f - z * (0.00833333333f - z * 0.00396825397f));
}
//@fn psitail f64
GND_FN g_f64 gnd_psitail_f64(g_f64 x)
{
    const g_f64 r = 1.0 / x, z = r * r;
    return r * -0.5 -
           z * (0.0833333333333333333333 - z * (0.00833333333333333333333 -
           z * (0.00396825396825396825397 - z * (0.00416666666666666666667 -
           z * (0.00757575757575757575758 - z * (0.0210927960927960927961 -
           z * 0.0833333333333333333333))))));
}
/* The derivative of log(gamma(x)). Down to [1, 2] by digamma(x) = digamma(x - 1) + 1 / (x - 1), from
 * below 0 by digamma(x) = digamma(1 - x) - pi cot(pi x). -inf at 0, inf at -0, NaN at the other poles
 * and at -inf. */
//@fn digamma f
GND_FN $T gnd_digamma_$t($T x)
{
    $T s = 0.0$f;
    if (x == 0.0$f)
        return copysign(GND_INF_$t, -x);
    if (x < 0.0$f) {
        const $T f = x - rint(x);
        if (!(fabs(f) > 0.0$f))
            return GND_NAN_$t;
        s = -3.14159265358979323846$f * cospi(f) / sinpi(f);
        x = 1.0$f - x;
    }
    if (x >= (sizeof($T) == 4 ? 6.0$f : 10.0$f))
        return x < GND_INF_$t ? s + (gnd_log_$t(x) + gnd_psitail_$t(x)) : x;
    if (x < 1.0$f)
        return s + (gnd_psi12_$t(x) - 1.0$f / x);
    $T r = 0.0$f;
    while (x >= 2.0$f) {
        x -= 1.0$f;
        r += 1.0$f / x;
    }
    return s + (x == x ? r + gnd_psi12_$t(x - 1.0$f) : x);
}

/* --- the error function's relatives -------------------------------------------------------------- */

/* erfc of float32, whose OpenCL built-in may be off by 60 ulp (CUDA's is good to 4): 1 - erf(x), or exp(-x^2) / (x + 3/2) and a
 * polynomial in 1 / (x + 3/2), with x^2 = h^2 - d, d = (h - x) (h + x), and an h of so few bits that
 * its square is exact; exp(d) is the end of its series. */
//@fn erfc f32 opencl
GND_FN g_f32 gnd_erfc_f32(g_f32 x)
{
    const g_f32 a = fabs(x), u = x * x;
    if (a < 0.5f)
        return 1.0f - x * (1.128379166f + u * (-0.3761260857f + u * (0.1128282282f + u *
                           (-0.02675718465f + u * 0.004717990067f))));
    if (!(a < 10.2f))
        return x != x ? x : x < 0.0f ? 2.0f : 0.0f;
    const g_f32 h = GND_FROM_f32(GND_BITS_f32(a) & 0xfffff000u), d = (h - a) * (h + a);
    const g_f32 v = 1.0f / (a + 1.5f), t = v - 0.28f;
    const g_f32 p = 0.8856254988f + t * (1.440440144f + t * (0.8722152421f + t * (-1.083443522f + t *
                    (-1.273272968f + t * (2.20616767f + t * (1.345091401f + t * (-5.761824189f + t *
                    (0.8676488295f + t * 9.812969333f))))))));
    const g_f32 s = v * p, e = d * (1.0f + d * (0.5f + d * (0.166666667f + d * 0.0416666667f)));
    const g_f32 r = gnd_exp_f32(-h * h) * (s + s * e);
    return x < 0.0f ? 2.0f - r : r;
}
//@fn erfc f32 cuda
#define gnd_erfc_f32(x) erfcf(x)
//@fn erfc f64
#define gnd_erfc_f64(x) erfc(x)

/* erfinv(x) / x at u = 0.7225 - x^2 >= 0. The interval is split as by M. J. Wichura, "Algorithm AS 241: the percentage
 * points of the normal distribution", 1988. */
//@fn erfinvmid f32
GND_FN g_f32 gnd_erfinvmid_f32(g_f32 t)
{
    const g_f32 p = 1.197532306f + t * (5.198448667f + t * (5.457509794f + t * (0.9660789687f + t *
                    -0.03647851393f)));
    const g_f32 q = 1.0f + t * (5.092280146f + t * (7.004656094f + t * 2.301960412f));
    return p / q;
}
//@fn erfinvmid f64
GND_FN g_f64 gnd_erfinvmid_f64(g_f64 t)
{
    const g_f64 p =
        1.197532311567091338 + t * (12.58911220786631943 + t * (50.81968800689814824 + t *
        (99.19920133328313105 + t * (96.96953312004777632 + t * (44.46244630263390847 + t *
        (7.855715236607944783 + t * (0.2905151422681703798 + t * -0.0031125267501218601)))))));
    const g_f64 q =
        1.0 + t * (11.26385921346594368 + t * (49.52108205854251109 + t * (107.7681977058743106 +
        t * (121.6955317620302361 + t * (68.38800159329156513 + t * (16.64619700666509772 + t *
        1.224064473027588819))))));
    return p / q;
}
/* erfcinv(y) for 0 < y < 0.15, by r = sqrt(-log(y)). */
//@fn erfcinvtail f32
GND_FN g_f32 gnd_erfcinvtail_f32(g_f32 y)
{
    const g_f32 t = fmin(sqrt(-gnd_log_f32(y)), 10.25f) - 1.25f;
    const g_f32 p = 0.8871607333f + t * (2.284665506f + t * (2.180083959f + t * (0.9222924262f + t *
                    (0.1568712347f + t * 0.00763145206f))));
    const g_f32 q = 1.0f + t * (1.425221127f + t * (0.7549077824f + t * (0.1474268504f + t *
                    0.007630650649f)));
    return p / q;
}
//@fn erfcinvtail f64
GND_FN g_f64 gnd_erfcinvtail_f64(g_f64 y)
{
    const g_f64 r = fmin(sqrt(-gnd_log_f64(y)), 27.4);
    if (r < 5.0) {
        const g_f64 t = r - 1.25;
        const g_f64 p =
            0.8871607306785806307 + t * (3.187799483010730095 + t * (4.819579121369577983 + t *
            (3.956745593103044923 + t * (1.887008975779847498 + t * (0.5155044018680312277 + t *
            (0.07439529768838336446 + t * (0.00485983542728281048 + t *
            1.027314382318003981e-4)))))));
        const g_f64 q =
            1.0 + t * (2.443226062640836769 + t * (2.559382612053913876 + t * (1.428082307306536641
            + t * (0.4381511679616808272 + t * (0.06874805500477007717 + t *
            (0.004732076576990011886 + t * 1.027278150737993943e-4))))));
        return p / q;
    }
    const g_f64 t = r - 5.0;
    const g_f64 p =
        4.779384858633335616 + t * (4.362900987242421621 + t * (1.637896925938137294 + t *
        (0.3255394374813616445 + t * (0.03674220639142831299 + t * (0.002347271147144636673 + t *
        (7.976823379542174406e-5 + t * (1.246583403939888319e-6 + t *
        6.303593063445720824e-9)))))));
    const g_f64 q =
        1.0 + t * (0.6984748873206308437 + t * (0.1935899718665864825 + t * (0.02697743316490067869
        + t * (0.001981751719452558787 + t * (7.371384744924355178e-5 + t *
        (1.215074715268773819e-6 + t * 6.303581876970593486e-9))))));
    return p / q;
}
/* The x with erf(x) = y; 1 - |y| is exact where it is used. */
//@fn erfinv f
GND_FN $T gnd_erfinv_$t($T y)
{
    const $T a = fabs(y);
    if (a <= 0.85$f)
        return y * gnd_erfinvmid_$t(0.7225$f - y * y);
    if (!(a < 1.0$f))
        return a == 1.0$f ? copysign(GND_INF_$t, y) : GND_NAN_$t;
    return copysign(gnd_erfcinvtail_$t(1.0$f - a), y);
}
/* The x of erfc(x) = y. */
//@fn erfcinv f
GND_FN $T gnd_erfcinv_$t($T y)
{
    const $T x = 1.0$f - y;
    if (fabs(x) <= 0.85$f)
        return x * gnd_erfinvmid_$t(0.7225$f - x * x);
    if (!(y > 0.0$f && y < 2.0$f))
        return y == 0.0$f ? GND_INF_$t : y == 2.0$f ? -GND_INF_$t : GND_NAN_$t;
    return y < 1.0$f ? gnd_erfcinvtail_$t(y) : -gnd_erfcinvtail_$t(2.0$f - y);
}

/* What x / sqrt(2) is more than hi, its rounded value. 1 / sqrt(2) = c + d, x = a + b, where c and a
 * have half of the bits and a * c is exact (T. J. Dekker, "A floating-point technique for extending
 * the available precision", 1971). */
//@fn rsqrt2lo f64
GND_FN g_f64 gnd_rsqrt2lo_f64(g_f64 x, g_f64 hi)
{
    const g_f64 a = GND_FROM_f64(GND_BITS_f64(x) & ~(((g_u64)1 << 27) - 1)), b = x - a;
    const g_f64 c = 0.70710677653551102, d = 4.6510365075551416e-09;
    return (((a * c - hi) + a * d) + b * c) + b * d;
}
/* The normal distribution's function of -a, a >= 0: exp(-a^2 / 2) v P(v), v = 1 / (a + 3), P of the smallest
 * greatest relative error up to 14.3, 2^-24. In float32 what squaring, scaling by log2(e) / 2 and the reciprocal
 * lose is put back: y + z = -a^2 / 2 log2(e), but for the rounding of that constant, which P has; v's error counts
 * 1.8 times, since P has it too. Without a branch: 4.3 ulp, and what the near functions add. */
//@fn ndtrnear f32
GND_FN g_f32 gnd_ndtrnear_f32(g_f32 x)
{
    const g_f32 b = fabs(x), a = b > 14.3f ? 14.3f : b, h = a * a, y = h * -0.72134751f;
    const g_f32 z = fma(fma(a, a, -h), -0.72134751f, -fma(h, 0.72134751f, y));
    const g_f32 v = gnd_rcpnear_f32(a + 3.0f), e = 1.8f * fma(-v, a, fma(-v, 3.0f, 1.0f));
    g_f32 p = fma(v, -447.51825f, 849.633728f);
    p = fma(v, p, -593.052307f);
    p = fma(v, p, 159.626663f);
    p = fma(v, p, -12.999958f);
    p = fma(v, p, 9.72300148f);
    p = fma(v, p, 3.0337913f);
    p = fma(v, p, 1.20229423f);
    p = fma(v, p, 0.398860604f);
    const g_f32 r = gnd_exp2near_f32(y) * (v * p), c = fma(r, fma(z, 0.693147181f, e), r);
    return x < 0.0f ? c : 1.0f - c;
}
//@fn ndtr f32 cpu
GND_FN g_f32 gnd_ndtr_f32(g_f32 x)
{
    const g_f64 b = x < 0.0f ? -(g_f64)x : (g_f64)x, a = b > 15.0 ? 15.0 : b;
    const g_f64 v = 1.0 / (a + 2.5), t = v - 0x1.d5cfaap-3;
    const g_f64 p = 0x1.8be4194e8c291p-1 + t * (0x1.2de255f41254ep+1 + t * (0x1.92bd7b36111d9p+1
                + t * (-0x1.260674a6b7d84p+1 + t * (-0x1.21650a1db614dp+3 + t * (0x1.5ad8464549733p+3
                + t * (0x1.9bc10588b611dp+4 + t * (-0x1.210cc3d487cc5p+6 + t * (-0x1.7ea08f1390501p+4
                + t * (0x1.301a1c70e6a52p+8 + t * -0x1.c552ae05b667fp+7)))))))));
    const g_f64 c = gnd_exp37_f64(-0.5 * (a * a)) * (v * p);
    return (g_f32)(x < 0.0f ? c : 1.0 - c);
}
//@fn ndtr f32
#define gnd_ndtr_f32(x) gnd_ndtrnear_f32(x)
/* erfc(-x / sqrt(2)) / 2. Far out a rounded -x / sqrt(2) = t would cost many ulp: erfc'(t) / erfc(t) is near
 * -(t + sqrt(t^2 + 4/3)) there, good for the correction. */
//@fn ndtr f64 opencl
GND_FN g_f64 gnd_ndtr_f64(g_f64 x)
{
    const g_f64 t = x * -0.707106781186547524401, c = 0.5 * gnd_erfc_f64(t);
    if (!(t > 1.0 && t < 40.0))
        return c;
    return c - c * (gnd_rsqrt2lo_f64(-x, t) * (t + sqrt(t * t + 1.33333333333333333)));
}
//@fn ndtr f64 cuda
#define gnd_ndtr_f64(x) normcdf(x)
/* log(ndtr(x)): 1 - ndtr(-x) on the right; far on the left the asymptotic series of the tail,
 * exp(-x^2 / 2) / (-x sqrt(2 pi)) (1 - 1 / x^2 + 3 / x^4 - ...) (Abramowitz and Stegun, 26.2.12). */
//@fn logndtr f
GND_FN $T gnd_logndtr_$t($T x)
{
    if (x > 0.0$f)
        return gnd_log1p_$t(-gnd_ndtr_$t(-x));
    if (x >= (sizeof($T) == 4 ? -8.0$f : -20.0$f) || x != x)
        return gnd_log_$t(gnd_ndtr_$t(x));
    const $T z = 1.0$f / x / x;
    const $T s = z * (1.0$f - z * (3.0$f - z * (15.0$f - z * (105.0$f - z * (945.0$f - z *
                 (10395.0$f - z * (135135.0$f - z * 2027025.0$f)))))));
    return -0.5$f * x * x - (gnd_log_$t(-x) + (0.918938533204672741780$f - gnd_log1p_$t(-s)));
}

/* --- Bessel functions ---------------------------------------------------------------------------- */

/* The modified Bessel function of the first kind, order 0: a polynomial in x^2 / 4, far out
 * exp(x) / sqrt(x) times one in 1 / x; exp in two steps, since it overflows first. */
//@fn i0 f32
GND_FN g_f32 gnd_i0_f32(g_f32 x)
{
    x = fabs(x);
    if (x <= 8.0f) {
        const g_f32 t = x * x * 0.25f;
        return 1.0f + t * (0.9999999919f + t * (0.2500000346f + t * (0.02777772557f + t *
               (0.001736148646f + t * (6.942961036e-5f + t * (1.932491934e-6f + t *
               (3.886515497e-8f + t * (6.599165264e-10f + t * (5.220264493e-12f + t *
               1.422524235e-13f)))))))));
    }
    const g_f32 t = 1.0f / x, e = gnd_exp_f32(0.5f * x);
    const g_f32 p = 0.3989422809f + t * (0.04986741978f + t * (0.02809477505f + t *
                    (0.02725187139f + t * (0.08511430571f + t * (-0.3055581968f + t *
                    1.827499348f)))));
    return x < GND_INF_f32 ? e * (p / sqrt(x)) * e : x;
}
//@fn i0 f64
GND_FN g_f64 gnd_i0_f64(g_f64 x)
{
    x = fabs(x);
    if (x <= 15.0) {
        const g_f64 t = x * x * 0.25;
        return 1.0 + t * (0.999999999999999949 + t * (0.250000000000000276 + t *
               (0.02777777777777723192 + t * (0.00173611111111164416 + t *
               (6.944444444414420004e-5 + t * (1.929012345786252028e-6 + t *
               (3.936759886553512052e-8 + t * (6.151187370859596562e-10 + t *
               (7.594057880743538343e-12 + t * (7.594063499181351114e-14 + t *
               (6.276045725683761264e-16 + t * (4.358581551786367048e-18 + t *
               (2.5781336827819275e-20 + t * (1.318322517737826352e-22 + t *
               (5.785578471415468504e-25 + t * (2.400065100860729309e-27 + t *
               (6.314148271243383575e-30 + t * (3.99311919486536979e-32 + t *
               (-3.259882857879496989e-35 + t * 5.30488086867025634e-37)))))))))))))))))));
    }
    const g_f64 t = 1.0 / x, e = gnd_exp_f64(0.5 * x);
    const g_f64 p = 0.3989422804014326792 + t * (0.04986778505017424152 + t *
                    (0.02805062909365073927 + t * (0.02921940470038933322 + t *
                    (0.04474225189866543641 + t * (0.09060670975652132213 + t *
                    (0.2275697455962091345 + t * (0.7563602152499398095 + t *
                    (-0.7411446068863793641 + t * (104.9291035973630977 + t *
                    (-1819.822394362827179 + t * (23364.8605146839699 + t *
                    (-166011.6186294700084 + t * 553850.0578501775766))))))))))));
    return x < GND_INF_f64 ? e * (p / sqrt(x)) * e : x;
}
