/* SPDX-License-Identifier: BSD-3-Clause
 *
 * variates.cl - random numbers of distributions that reject, or count: from the words of kernels/random.cl.
 */
/* --- by rejection -------------------------------------------------------------------------------- */

/* A gamma number of shape a is what is returned times exp(-*boost) (Marsaglia, Tsang: A simple method for
 * generating gamma variables, ACM TOMS 26, 2000; shapes below 1 from a + 1, times u^(1/a)). a > 0. */
//@fn gammacore f32 f64
GND_FN $T gnd_gammacore_$t(g_u64 i, g_u64 key, $T a, $T *boost)
{
    const $T d = (a < 1 ? a + 1 : a) - ($T)0.33333333333333333$f, c = 1 / sqrt(9 * d);
    $T v = 0;
    $U x[4];
    *boost = 0;
    for (g_u32 k = 0; k < 200u; k++) {
        gnd_draws_$t(i, k, key, x);
        const $T n = gnd_polar_$t(x[0], x[1], 0u), t = c * n;
        v = t * (3 + t * (3 + t)); /* (1 + t)^3 - 1 */
        if (t > -1 && -gnd_neglog_$t(x[2]) < n * n / 2 + d * (gnd_log1p_$t(v) - v))
            break;
        v = 0;
    }
    if (a < 1)
        *boost = gnd_neglog_$t(x[3]) / a;
    return d * (1 + v);
}
/* NaN for a < 0; 0 for a = 0. */
//@fn gammavar f32 f64
GND_FN $T gnd_gammavar_$t(g_u64 i, g_u64 key, $T a)
{
    $T boost;
    if (!(a > 0) || a == GND_INF_$t)
        return a >= 0 ? a : GND_NAN_$t;
    const $T g = gnd_gammacore_$t(i, key, a, &boost);
    return a < 1 ? g * gnd_exp_$t(-boost) : g;
}
/* Its logarithm, which does not underflow where a is small. */
//@fn loggammavar f32 f64
GND_FN $T gnd_loggammavar_$t(g_u64 i, g_u64 key, $T a)
{
    $T boost;
    if (!(a > 0) || a == GND_INF_$t)
        return a > 0 ? a : a == 0 ? -GND_INF_$t : GND_NAN_$t;
    const $T g = gnd_gammacore_$t(i, key, a, &boost);
    return gnd_log_$t(g) - boost;
}

/* log(k!) - (log(2 pi)/2 + (k + 1/2) log(k + 1) - (k + 1)): Stirling's series beyond a table. */
//@fn stirling f32 f64
GND_FN $T gnd_stirling_$t($T k)
{
    const $T few[10] = {0.08106146679532726$f,  0.04134069595540929$f,  0.02767792568499834$f,
                        0.02079067210376509$f,  0.01664469118982119$f,  0.01387612882307075$f,
                        0.01189670994589177$f,  0.01041126526197209$f,  0.009255462182712733$f,
                        0.008330563433362871$f};
    if (k < 10)
        return few[k < 0 ? 0 : (int)k];
    const $T r = 1 / (k + 1), q = r * r;
    return r * (0.083333333333333333$f - q * (0.0027777777777777778$f -
                q * (0.00079365079365079365$f - q * 0.00059523809523809524$f)));
}

/* Poisson numbers: the distribution summed up to u below lam = 10, else by transformed rejection (PTRS of
 * Hoermann: The transformed rejection method for generating Poisson random variables, 1993). -1 where
 * lam is not in 0 .. 9.2e18. */
//@fn poisson f32 f64
GND_FN g_i64 gnd_poisson_$t(g_u64 i, g_u64 key, $T lam)
{
    $U x[4];
    if (!(lam >= 0 && lam <= ($T)9.2e18$f))
        return -1;
    if (lam < 10) {
        gnd_draws_$t(i, 0, key, x);
        $T u = gnd_open_$t(x[0]), p = gnd_exp_$t(-lam);
        int k = 0;
        while (u >= p && k < 200 && (k < lam || p > ($T)1e-17$f)) {
            u -= p;
            k++;
            p *= lam / k;
        }
        return k;
    }
    const $T b = ($T)0.931$f + ($T)2.53$f * sqrt(lam), a = ($T)0.02483$f * b - ($T)0.059$f;
    const $T ia = ($T)1.1239$f + ($T)1.1328$f / (b - ($T)3.4$f);
    const $T vr = ($T)0.9277$f - ($T)3.6224$f / (b - 2);
    for (g_u32 n = 0; n < 500u; n++) {
        gnd_draws_$t(i, n, key, x);
        const $T u = gnd_open_$t(x[0]) - ($T)0.5$f, v = gnd_open_$t(x[1]), us = ($T)0.5$f - fabs(u);
        const $T k = floor((2 * a / us + b) * u + lam + ($T)0.43$f);
        if (us >= ($T)0.07$f && v <= vr)
            return (g_i64)k;
        if (k < 0 || k > ($T)9.2e18$f || (us < ($T)0.013$f && v > us))
            continue;
        const $T d = k + 1 - lam; /* the logarithm of the probability of k, without its large terms */
        if (gnd_log_$t(v * ia / (a / (us * us) + b)) <=
            d - (k + ($T)0.5$f) * gnd_log1p_$t(d / lam) - ($T)0.5$f * gnd_log_$t(($T)6.283185307179586$f * lam) -
                gnd_stirling_$t(k))
            return (g_i64)k;
    }
    return (g_i64)lam;
}

/* Binomial numbers of n trials: summed up as above where n min(p, 1 - p) < 10, else BTRS (Hoermann: The
 * generation of binomial random variates, J. Stat. Comput. Simul. 46, 1993). -1 where p is not in
 * 0 .. 1, or n is negative or not whole. */
//@fn binomial f32 f64
GND_FN g_i64 gnd_binomial_$t(g_u64 i, g_u64 key, $T n, $T p)
{
    $U x[4];
    if (!(n >= 0 && n <= ($T)9.2e18$f && n == floor(n) && p >= 0 && p <= 1))
        return -1;
    const int flip = p > ($T)0.5$f;
    const $T s = flip ? 1 - p : p, r = s / (1 - s);
    $T found = floor(n * s);
    if (n * s < 10) {
        gnd_draws_$t(i, 0, key, x);
        $T u = gnd_open_$t(x[0]), q = gnd_exp_$t(n * gnd_log1p_$t(-s));
        int k = 0;
        while (u >= q && k < 200 && k < n && (k < n * s || q > ($T)1e-17$f)) {
            u -= q;
            q *= (n - k) / (k + 1) * r;
            k++;
        }
        found = k;
    } else {
        const $T sd = sqrt(n * s * (1 - s)), b = ($T)1.15$f + ($T)2.53$f * sd;
        const $T a = ($T)0.0248$f * b + ($T)0.01$f * s - ($T)0.0873$f, c = n * s + ($T)0.5$f;
        const $T vr = ($T)0.92$f - ($T)4.2$f / b, al = (($T)2.83$f + ($T)5.1$f / b) * sd;
        const $T m = floor((n + 1) * s);
        for (g_u32 j = 0; j < 500u; j++) {
            gnd_draws_$t(i, j, key, x);
            const $T u = gnd_open_$t(x[0]) - ($T)0.5$f, us = ($T)0.5$f - fabs(u);
            const $T v = gnd_open_$t(x[1]), k = floor((2 * a / us + b) * u + c);
            if (k < 0 || k > n)
                continue;
            found = k;
            if (us >= ($T)0.07$f && v <= vr)
                break;
            /* the logarithm of the probability of k divided by that of m; all its terms are of the size of k - m */
            const $T d = k - m;
            if (gnd_log_$t(v * al / (a / (us * us) + b)) <=
                (n - k + ($T)0.5$f) * gnd_log1p_$t(d / (n - k + 1)) - (k + ($T)0.5$f) * gnd_log1p_$t(d / (m + 1)) -
                    d * gnd_log_$t((m + 1) / (r * (n - m + 1))) + gnd_stirling_$t(m) + gnd_stirling_$t(n - m) -
                    gnd_stirling_$t(k) - gnd_stirling_$t(n - k))
                break;
        }
    }
    return (g_i64)(flip ? n - found : found);
}

/* Trials up to the first success: exponential numbers in steps of -log(1 - p). -1: p is not in ]0, 1]. */
//@fn geometric f32 f64
GND_FN g_i64 gnd_geometric_$t(g_u64 i, g_u64 key, $T p)
{
    if (!(p > 0 && p <= 1))
        return -1;
    const $T k = ceil(gnd_neglog_$t(gnd_word_$t(i, key)) / -gnd_log1p_$t(-p));
    return k < 1 ? 1 : k >= ($T)9.2e18$f ? 0x7fffffffffffffffL : (g_i64)k;
}
