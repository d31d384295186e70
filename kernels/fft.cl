/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fft.cl - Fourier transforms: roots of unity, transforms of a few elements in registers. The forward
 * sign is exp(-2 pi i jk/n); an inverse transform swaps the parts of its input and its output.
 */

/* A part of exp(-2 pi i k/n) for k < n: the angle is brought into an eighth of the circle with whole numbers, where
 * sine and cosine are short polynomials (fdlibm's, of W. Kahan and K. C. Ng, 1993): no bit of a large angle is lost.
 * rootat: of the angle (pi/2) (q + part), or (pi/2) (q + 1 - part) if it is `high`. */
//@fn rootat f
GND_INLINE $T gnd_rootat_$t($T part, int q, int high, int sine)
{
    const $T a = ($T)1.5707963267948966192$f * part, z = a * a, h = z * ($T)0.5$f;
    const $T w = ($T)1 - h;
    const $T s = a + z * a * (($T)-1.66666666666666324348e-1$f + z * (($T)8.33333333332248946124e-3$f +
                 z * (($T)-1.98412698298579493134e-4$f + z * (($T)2.75573137070700676789e-6$f +
                 z * (($T)-2.50507602534068634195e-8$f + z * ($T)1.58969099521155010221e-10$f)))));
    const $T c = w + (($T)1 - w - h + z * z * (($T)4.16666666666666019037e-2$f + z * (($T)-1.38888888888741095749e-3$f +
                 z * (($T)2.48015872894767294178e-5$f + z * (($T)-2.75573143513906633035e-7$f +
                 z * (($T)2.08757232129817482790e-9$f + z * ($T)-1.13596475577881948265e-11$f))))));
    const int swap = high != (q & 1), minus = sine ? q < 2 : q == 1 || q == 2;
    const $T v = swap == (sine != 0) ? c : s;
    return minus ? -v : v;
}
/* CPUs without AVX-512 cannot convert vectors of 64-bit integers. Below 2^53 they are exact as float64, so n < 2^51. */
//@fn root f cpu
GND_INLINE $T gnd_root_$t(g_u64 k, g_u64 n, int sine)
{
    const g_f64 two52 = 4503599627370496.0, m = GND_FROM_f64(n | 0x4330000000000000UL) - two52;
    const g_f64 k4 = 4 * (GND_FROM_f64(k | 0x4330000000000000UL) - two52);
    const int q = (k4 >= m) + (k4 >= 2 * m) + (k4 >= 3 * m);
    const g_f64 rest = k4 - q * m;
    const int high = rest * 2 > m;
    return gnd_rootat_$t(($T)(high ? m - rest : rest) / ($T)m, q, high, sine);
}
//@fn root f
GND_INLINE $T gnd_root_$t(g_u64 k, g_u64 n, int sine)
{
    const g_u64 k4 = k * 4;
    const int q = (k4 >= n) + (k4 >= 2 * n) + (k4 >= 3 * n);
    const g_u64 rest = k4 - (g_u64)q * n;
    const int high = rest * 2 > n; /* past the middle of the quarter */
    return gnd_rootat_$t(($T)(high ? n - rest : rest) / ($T)n, q, high, sine);
}
//@fn twiddle32 u64
GND_FN g_c64 gnd_twiddle32_u64(g_u64 k, g_u64 n)
{
    return gnd_cplx_c64(gnd_root_f32(k, n, 0), gnd_root_f32(k, n, 1));
}
//@fn twiddle64 u64
GND_FN g_c128 gnd_twiddle64_u64(g_u64 k, g_u64 n)
{
    return gnd_cplx_c128(gnd_root_f64(k, n, 0), gnd_root_f64(k, n, 1));
}

/* -i z */
//@fn turn c
GND_FN $T gnd_turn_$t($T z) { return gnd_cplx_$t(z.y, -z.x); }
//@fn cswap c
GND_FN $T gnd_cswap_$t($T z) { return gnd_cplx_$t(z.y, z.x); }

/* z times a real number. */
//@fn scaled c
GND_FN $T gnd_scaled_$t($T z, $R s) { return gnd_cplx_$t(z.x * s, z.y * s); }
/* An element of a row of which only one half is stored: z if it is there, else its conjugate; real elements have no
 * imaginary part. */
//@fn half c
GND_FN $T gnd_half_$t($T z, int there, int real)
{
    return gnd_cplx_$t(z.x, real ? ($R)0 : there ? z.y : -z.y);
}

/* Transforms of v[0 .. r), in place and in order. */
//@fn dft2 c
GND_FN void gnd_dft2_$t($T *v)
{
    const $T a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
}
//@fn dft3 c
GND_FN void gnd_dft3_$t($T *v)
{
    const $T s = v[1] + v[2], d = v[1] - v[2];
    const $R h = 0.86602540378443864676$f;
    const $T m = gnd_cplx_$t(v[0].x - 0.5$f * s.x, v[0].y - 0.5$f * s.y);
    const $T t = gnd_cplx_$t(h * d.y, -h * d.x);
    v[0] = v[0] + s;
    v[1] = m + t;
    v[2] = m - t;
}
//@fn dft4 c
GND_FN void gnd_dft4_$t($T *v)
{
    const $T a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = gnd_turn_$t(v[1] - v[3]);
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
}
//@fn dft5 c
GND_FN void gnd_dft5_$t($T *v)
{
    const $R c1 = 0.30901699437494742410$f, c2 = -0.80901699437494742410$f;
    const $R s1 = 0.95105651629515357212$f, s2 = 0.58778525229247312917$f;
    const $T a = v[1] + v[4], b = v[2] + v[3], p = v[1] - v[4], q = v[2] - v[3];
    const $T m1 = gnd_cplx_$t(v[0].x + c1 * a.x + c2 * b.x, v[0].y + c1 * a.y + c2 * b.y);
    const $T m2 = gnd_cplx_$t(v[0].x + c2 * a.x + c1 * b.x, v[0].y + c2 * a.y + c1 * b.y);
    const $T t1 = gnd_cplx_$t(s1 * p.y + s2 * q.y, -(s1 * p.x + s2 * q.x));
    const $T t2 = gnd_cplx_$t(s2 * p.y - s1 * q.y, -(s2 * p.x - s1 * q.x));
    v[0] = v[0] + a + b;
    v[1] = m1 + t1;
    v[2] = m2 + t2;
    v[3] = m2 - t2;
    v[4] = m1 - t1;
}
//@fn dft8 c
GND_FN void gnd_dft8_$t($T *v)
{
    const $R h = 0.70710678118654752440$f;
    $T e[4], o[4], t;
    for (int i = 0; i < 4; i++) {
        e[i] = v[2 * i];
        o[i] = v[2 * i + 1];
    }
    gnd_dft4_$t(e);
    gnd_dft4_$t(o);
    t = o[1];
    o[1] = gnd_cplx_$t(h * (t.x + t.y), h * (t.y - t.x));
    o[2] = gnd_turn_$t(o[2]);
    t = o[3];
    o[3] = gnd_cplx_$t(h * (t.y - t.x), -h * (t.x + t.y));
    for (int i = 0; i < 4; i++) {
        v[i] = e[i] + o[i];
        v[i + 4] = e[i] - o[i];
    }
}
/* Of an odd number r of elements, by definition; y: room for as many; cs[i] = cos(2 pi i/r), sn[i] = sin(2 pi i/r). */
//@fn dftr c
GND_FN void gnd_dftr_$t($T *v, $T *y, const int r, const $R *cs, const $R *sn)
{
    for (int j = 0; j < r; j++) {
        $R re = 0, im = 0;
        int k = 0;
        for (int i = 0; i < r; i++) {
            re += v[i].x * cs[k] + v[i].y * sn[k];
            im += v[i].y * cs[k] - v[i].x * sn[k];
            k += j;
            k -= k >= r ? r : 0;
        }
        y[j] = gnd_cplx_$t(re, im);
    }
    for (int j = 0; j < r; j++)
        v[j] = y[j];
}

/* The same of r values whose parts lie apart, on CPUs. */
//@fn sdft2 f
GND_INLINE void gnd_sdft2_$t($T *x, $T *y)
{
    const $T a = x[0], b = y[0];
    x[0] = a + x[1];
    y[0] = b + y[1];
    x[1] = a - x[1];
    y[1] = b - y[1];
}
//@fn sdft3 f
GND_INLINE void gnd_sdft3_$t($T *x, $T *y)
{
    const $T h = 0.86602540378443864676$f;
    const $T sx = x[1] + x[2], sy = y[1] + y[2], dx = h * (x[1] - x[2]), dy = h * (y[1] - y[2]);
    const $T mx = x[0] - 0.5$f * sx, my = y[0] - 0.5$f * sy;
    x[0] += sx;
    y[0] += sy;
    x[1] = mx + dy;
    y[1] = my - dx;
    x[2] = mx - dy;
    y[2] = my + dx;
}
//@fn sdft4 f
GND_INLINE void gnd_sdft4_$t($T *x, $T *y)
{
    const $T ax = x[0] + x[2], ay = y[0] + y[2], bx = x[0] - x[2], by = y[0] - y[2];
    const $T cx = x[1] + x[3], cy = y[1] + y[3], dx = x[1] - x[3], dy = y[1] - y[3];
    x[0] = ax + cx;
    y[0] = ay + cy;
    x[1] = bx + dy;
    y[1] = by - dx;
    x[2] = ax - cx;
    y[2] = ay - cy;
    x[3] = bx - dy;
    y[3] = by + dx;
}
//@fn sdft5 f
GND_INLINE void gnd_sdft5_$t($T *x, $T *y)
{
    const $T c1 = 0.30901699437494742410$f, c2 = -0.80901699437494742410$f;
    const $T s1 = 0.95105651629515357212$f, s2 = 0.58778525229247312917$f;
    const $T ax = x[1] + x[4], ay = y[1] + y[4], bx = x[2] + x[3], by = y[2] + y[3];
    const $T px = x[1] - x[4], py = y[1] - y[4], qx = x[2] - x[3], qy = y[2] - y[3];
    const $T mx = x[0] + c1 * ax + c2 * bx, my = y[0] + c1 * ay + c2 * by;
    const $T nx = x[0] + c2 * ax + c1 * bx, ny = y[0] + c2 * ay + c1 * by;
    const $T tx = s1 * py + s2 * qy, ty = -(s1 * px + s2 * qx);
    const $T ux = s2 * py - s1 * qy, uy = -(s2 * px - s1 * qx);
    x[0] += ax + bx;
    y[0] += ay + by;
    x[1] = mx + tx;
    y[1] = my + ty;
    x[2] = nx + ux;
    y[2] = ny + uy;
    x[3] = nx - ux;
    y[3] = ny - uy;
    x[4] = mx - tx;
    y[4] = my - ty;
}
//@fn sdft8 f
GND_INLINE void gnd_sdft8_$t($T *x, $T *y)
{
    const $T h = 0.70710678118654752440$f;
    $T ex[4], ey[4], ox[4], oy[4];
    for (int i = 0; i < 4; i++) {
        ex[i] = x[2 * i];
        ey[i] = y[2 * i];
        ox[i] = x[2 * i + 1];
        oy[i] = y[2 * i + 1];
    }
    gnd_sdft4_$t(ex, ey);
    gnd_sdft4_$t(ox, oy);
    const $T a = ox[1], b = ox[2], c = ox[3];
    ox[1] = h * (a + oy[1]);
    oy[1] = h * (oy[1] - a);
    ox[2] = oy[2];
    oy[2] = -b;
    ox[3] = h * (oy[3] - c);
    oy[3] = -h * (c + oy[3]);
    for (int i = 0; i < 4; i++) {
        x[i] = ex[i] + ox[i];
        y[i] = ey[i] + oy[i];
        x[i + 4] = ex[i] - ox[i];
        y[i + 4] = ey[i] - oy[i];
    }
}

//@text fft_roots
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n) {
        /* the offset of the pass's roots: each pass has (r - 1) * s, where s is the product of the earlier radices */
        g_i64 at = i, s = 1, r = 0;
        for (int pass = 0; pass < 16; pass++) {
            r = (pass < 8 ? radices : others) >> 8 * (pass & 7) & 255;
            if (at < (r - 1) * s)
                break;
            at -= (r - 1) * s;
            s *= r;
        }
        const g_i64 k = at / s + 1, q = at - (k - 1) * s;
        y[i] = gnd_cplx_$t(ROOT((g_u64)(k * q), (g_u64)(s * r), 0), ROOT((g_u64)(k * q), (g_u64)(s * r), 1));
    }
//@text fft_roots_cpu
    /* the roots of factor k in all passes, their parts apart: vectors are made of numbers and not of pairs */
    const g_i64 k = (g_i64)GND_GID(0) + 1;
    const int radix[] = {RADICES};
    g_i64 s = 1;
    GND_GLOBAL $R *v = (GND_GLOBAL $R *)y;
    for (int i = 0; i < (int)(sizeof radix / sizeof *radix); i++) {
        const g_i64 r = radix[i];
        if (k < r) {
            GND_GLOBAL $R *u = v + 2 * (k - 1) * s;
            for (g_i64 j = 0; j < s; j++) {
                u[2 * j] = ROOT((g_u64)(k * j), (g_u64)(s * r), 0);
                u[2 * j + 1] = ROOT((g_u64)(k * j), (g_u64)(s * r), 1);
            }
        }
        v += 2 * (r - 1) * s;
        s *= r;
    }
//@text fft_scale
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        y[i] = TIMES(y[i]);
//@text fft_copy
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_st_$t(y, i, TIMES(IN_x(i)));
