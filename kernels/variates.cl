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

/* Zipf's numbers: k = 1, 2, ... with probability proportional to k^-a, by rejection from a continuous power law
 * (Devroye: Non-Uniform Random Variate Generation, 1986, X.6.1) that ends at 9.2e18. -1 where a is not above 1. */
//@fn zipf f32 f64
GND_FN g_i64 gnd_zipf_$t(g_u64 i, g_u64 key, $T a)
{
    const $T s = a - 1;
    $U x[4];
    if (!(s > 0))
        return -1;
    if (s > 64) /* 2 has a probability below 2^-64 */
        return 1;
    /* u^(-1/s) for u in ]9.2e18^-s, 1[; 2^s and (1 + 1/k)^s, less 1, without cancellation */
    const $T span = -gnd_expm1_$t(($T)-43.66568$f * s), two = gnd_expm1_$t(($T)0.6931471805599453$f * s);
    for (g_u32 n = 0; n < 500u; n++) {
        gnd_draws_$t(i, n, key, x);
        const $T k = floor(gnd_exp_$t(-gnd_log1p_$t(-span * gnd_open_$t(x[0])) / s));
        if (!(k >= 1 && k <= ($T)9.2e18$f))
            continue;
        const $T t = gnd_expm1_$t(s * gnd_log1p_$t(1 / k));
        if (gnd_open_$t(x[1]) * k * t * (two + 1) <= (t + 1) * two)
            return (g_i64)k;
    }
    return 1;
}

/* Von Mises' angles around 0 of concentration kappa, in -pi .. pi (Best, Fisher: Efficient simulation of the von Mises
 * distribution, Applied Statistics 28, 1979), by 1 - cos of the angle, so that nothing cancels. NaN: kappa < 0. */
//@fn vonmises f32 f64
GND_FN $T gnd_vonmises_$t(g_u64 i, g_u64 key, $T kappa)
{
    const $T pi = ($T)3.141592653589793$f;
    $U x[4];
    gnd_draws_$t(i, 0, key, x);
    if (!(kappa >= 0))
        return GND_NAN_$t;
    if (kappa < ($T)1e-8$f) /* a circle of equal density */
        return pi * (2 * gnd_open_$t(x[0]) - 1);
    if (kappa > ($T)1e8$f) /* a normal number */
        return gnd_polar_$t(x[0], x[1], 0u) / sqrt(kappa);
    /* r, rho and s are Best and Fisher's; above is s - 1 */
    const $T q = sqrt(1 + 4 * kappa * kappa), r = 1 + q;
    const $T rho = 2 * kappa * sqrt(r) / (r * (sqrt(r) + ($T)1.4142135623730951$f));
    const $T short_of_1 = kappa < 1 ? 1 - rho : (sqrt(2 * r) - 1 - 1 / (q + 2 * kappa)) / (2 * kappa);
    const $T above = short_of_1 * short_of_1 / (2 * rho);
    for (g_u32 n = 0; n < 500u; n++) {
        gnd_draws_$t(i, n, key, x);
        const $T sine = gnd_sin_$t(pi / 2 * gnd_open_$t(x[0])), dz = 2 * sine * sine; /* 1 - z */
        const $T dw = above * dz / (above + 2 - dz);                              /* 1 - cos(angle) */
        const $T y = kappa * (above + dw), v = gnd_open_$t(x[1]);
        if (y * (2 - y) >= v || gnd_log_$t(y / v) + 1 >= y) {
            const $T angle = 2 * gnd_asin_$t(sqrt(dw / 2));
            return gnd_open_$t(x[2]) < ($T)0.5$f ? -angle : angle;
        }
    }
    return 0;
}

/* log(m! / k!) + d (log(m + 1) - 1), d = k - m: of the size of d also where the logarithms are large. */
//@fn factorials f32 f64
GND_FN $T gnd_factorials_$t($T m, $T k)
{
    return gnd_stirling_$t(m) - gnd_stirling_$t(k) - (k + ($T)0.5$f) * gnd_log1p_$t((k - m) / (m + 1));
}
/* How many of n things drawn from good and bad ones are good: one after the other for few, else by the ratio of
 * uniforms (HRUA* of Stadlober: The ratio of uniforms approach for generating discrete random variates, J. Comput.
 * Appl. Math. 31, 1990). -1 where numbers are negative or not whole, or n > good + bad. */
//@fn hypergeometric f32 f64
GND_FN g_i64 gnd_hypergeometric_$t(g_u64 i, g_u64 key, $T good, $T bad, $T n)
{
    const $T all = good + bad, few = good < bad ? good : bad, many = all - few;
    if (!(good >= 0 && bad >= 0 && n >= 0 && n <= all && all <= ($T)9.2e18$f && good == floor(good) &&
          bad == floor(bad) && n == floor(n)))
        return -1;
    /* what is drawn, or what is left, whichever is less; of the rarer kind */
    const $T some = 2 * n > all ? all - n : n;
    $T found = 0;
    $U x[4];
    if (some < 10) {
        for (int j = 0; j < (int)some; j++) {
            if ((j & 3) == 0)
                gnd_draws_$t(i, (g_u32)j >> 2, key, x);
            found += gnd_open_$t(x[j & 3]) * (all - j) < few - found;
        }
    } else {
        const $T mean = some * (few / all), m = floor((some + 1) * ((few + 1) / (all + 2)));
        const $T sd = sqrt((all - some) / (all - 1) * mean * (many / all) + ($T)0.5$f);
        const $T h = ($T)1.7155277699214135$f * sd + ($T)0.8989161620588988$f;
        const $T most = some < few ? some : few, far = floor(mean + ($T)0.5$f + 16 * sd);
        const $T last = most < far ? most : far, rest = many - some;
        const $T slope = gnd_log_$t((m + 1) / (few - m + 1) * ((rest + m + 1) / (some - m + 1)));
        found = m;
        for (g_u32 j = 0; j < 500u; j++) {
            gnd_draws_$t(i, j, key, x);
            const $T u = gnd_open_$t(x[0]);
            const $T at = mean + ($T)0.5$f + h * (gnd_open_$t(x[1]) - ($T)0.5$f) / u, k = floor(at);
            if (!(at >= 0 && k <= last))
                continue;
            /* the logarithm of the probability of k over that of m */
            const $T t = gnd_factorials_$t(m, k) + gnd_factorials_$t(few - m, few - k) +
                         gnd_factorials_$t(some - m, some - k) + gnd_factorials_$t(rest + m, rest + k) -
                         (k - m) * slope;
            if (2 * gnd_log_$t(u) <= t) {
                found = k;
                break;
            }
        }
    }
    if (good > bad)
        found = some - found;
    return (g_i64)(2 * n > all ? good - found : found);
}
