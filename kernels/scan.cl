/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scan.cl - running sums, products, extremes along one axis: the texts of lib/prim/scan.c, which says
 * what is run when. The input is (M rows, n steps, inner columns) in C order; each row and column is
 * scanned along its steps. With INIT the result has one more step in front, of value FIRST.
 *
 * OP(a, b) is the operation (its arguments are names), a standing before b. A carry is what stands
 * before a block of elements: of type acc, made by acc_of, put behind another by acc_join, kept in
 * the scratch memory q (and r), put before a value by APPLY.
 */

/* Carries are values. */
//@text scan_plain
typedef $T acc;
#define ACC_LD(a, i) ((a) = q[i])
#define ACC_ST(a, i) (q[i] = (a))
#define ACC_GET(a, k) ((a) = ch[k])
#define ACC_SET(a, k) (ch[k] = (a))
#define APPLY(c, v) OP(c, v)
GND_FN acc acc_of($T v) { return v; }
GND_FN acc acc_join(acc a, acc b) { return OP(a, b); }

/* Sums of floats: h + l is the sum, l the rounding errors of h (Knuth's TwoSum). If there is no
 * error, or h is infinite, l is -0, which changes no value that it is added to. */
//@text scan_sum
typedef struct acc { $T h, l; } acc;
#define ACC_LD(a, i) ((a).h = q[i], (a).l = r[i])
#define ACC_ST(a, i) (q[i] = (a).h, r[i] = (a).l)
#define ACC_GET(a, k) ((a).h = ch[k], (a).l = cl[k])
#define ACC_SET(a, k) (ch[k] = (a).h, cl[k] = (a).l)
#define APPLY(c, v) ((c).h + ((c).l + (v)))
GND_FN $T acc_rest($T l) { return l != 0 && l == l ? l : -0.0$f; }
GND_FN acc acc_of($T v) { acc a; a.h = v; a.l = -0.0$f; return a; }
GND_FN acc acc_join(acc a, acc b)
{
    acc c;
    c.h = a.h + b.h;
    const $T t = c.h - a.h;
    c.l = acc_rest(((a.h - (c.h - t)) + (b.h - t)) + (a.l + b.l));
    return c;
}

/* The same for complex numbers, part by part. */
//@text scan_csum
typedef struct acc { $T h, l; } acc;
#define ACC_LD(a, i) ((a).h = q[i], (a).l = r[i])
#define ACC_ST(a, i) (q[i] = (a).h, r[i] = (a).l)
#define ACC_GET(a, k) ((a).h = ch[k], (a).l = cl[k])
#define ACC_SET(a, k) (ch[k] = (a).h, cl[k] = (a).l)
#define APPLY(c, v) ((c).h + ((c).l + (v)))
GND_FN $R acc_rest($R l) { return l != 0 && l == l ? l : -0.0$f; }
GND_FN acc acc_of($T v) { acc a; a.h = v; a.l = gnd_cplx_$t(-0.0$f, -0.0$f); return a; }
GND_FN acc acc_join(acc a, acc b)
{
    acc c;
    c.h = a.h + b.h;
    const $T t = c.h - a.h;
    const $T l = ((a.h - (c.h - t)) + (b.h - t)) + (a.l + b.l);
    c.l = gnd_cplx_$t(acc_rest(l.x), acc_rest(l.y));
    return c;
}

/* --- GPUs ---------------------------------------------------------------------------------------
 *
 * Rows. A group takes T * K steps of RG rows and all their columns at a time: one run of memory,
 * which goes through `buf` so that neighbours read neighbours there and each work-item has K steps of
 * one row and column here: of row r and column c those from j * K on, where the work-item is number
 * (r * T + j) * inner + c. With RG = 1 a group goes on along its part of the row: `chunk` steps, S
 * parts a row; what stands before part s is in q at s - 1 of the S - 1 there of each row and column.
 * Parts that were read last by the kernel before are taken first: they may still be in a cache. */
//@text scan_rows
    GND_LOCAL $T buf[WG * K + (WG * K >> PAD) + 1];
    GND_LOCAL $T sums[2 * WG];
    const int lid = (int)GND_LID(0), w = (int)inner, nt = (int)T;
    const int c = lid % w, j = lid / w % nt, part_row = lid / (w * nt);
    const g_i64 g = (g_i64)(GND_NGRP(0) - 1 - GND_GRP(0));
    const g_i64 row = g / S * RG, s = g % S;
    const int rows = M - row < RG ? (int)(M - row) : (int)RG;
    const g_i64 steps = n - s * chunk < chunk ? n - s * chunk : chunk;
    int has = 0;
    acc carry;
    $T v[K];
#if PARTS
    if (s > 0) {
        ACC_LD(carry, (row * w + c) * (S - 1) + s - 1);
        has = 1;
    }
#endif
#if INIT
    if (s == 0 && lid < rows * w)
        gnd_st_$n(y, (row + lid / w) * (n + 1) * w + lid % w, FIRST);
#endif
    for (g_i64 t0 = 0; t0 < steps; t0 += nt * K) {
        const int m = steps - t0 < nt * K ? (int)(steps - t0) : nt * K;
        const int e1 = rows * m * w;
        const g_i64 base = (row * n + s * chunk + t0) * w;
#pragma unroll
        for (int k = 0; k < K; k++) {
            const int e = k * WG + lid;
            if (e < e1)
                v[k] = IN_x(base + e);
        }
#pragma unroll
        for (int k = 0; k < K; k++) {
            const int e = k * WG + lid;
            if (e < e1)
                buf[e + (e >> PAD)] = v[k];
        }
        GND_BARRIER();
        const int at = (part_row * m + j * K) * w + c;
        const int count = part_row < rows ? m - j * K : 0;
        $T a = buf[0];
#pragma unroll
        for (int k = 0; k < K; k++) {
            const int e = at + k * w;
            if (k < count) {
                const $T b = buf[e + (e >> PAD)];
                a = k ? OP(a, b) : b;
                v[k] = a;
            }
        }
        /* the sums of the work-items of a row and column (Hillis and Steele, 1986) */
        int o = 0;
        sums[lid] = a;
        GND_BARRIER();
        for (int d = 1; d < nt; d *= 2) {
            const $T b = sums[o + (j >= d ? lid - d * w : lid)];
            a = j >= d ? OP(b, a) : a;
            o = WG - o;
            sums[o + lid] = a;
            GND_BARRIER();
        }
        const $T before = sums[o + (j > 0 ? lid - w : lid)];
        const $T all = sums[o + (nt - 1) * w + c];
#pragma unroll
        for (int k = 0; k < K; k++) {
            const int e = at + k * w;
            if (k < count) {
                const $T b = v[k];
                const $T d = j > 0 ? OP(before, b) : b;
                buf[e + (e >> PAD)] = has ? APPLY(carry, d) : d;
            }
        }
        carry = has ? acc_join(carry, acc_of(all)) : acc_of(all);
        has = 1;
        GND_BARRIER();
#pragma unroll
        for (int k = 0; k < K; k++) {
            const int e = k * WG + lid;
            if (e < e1) {
#if INIT
                gnd_st_$n(y, base + e + (row + e / (m * w) + 1) * w, buf[e + (e >> PAD)]);
#else
                gnd_st_$n(y, base + e, buf[e + (e >> PAD)]);
#endif
            }
        }
    }

/* The sums of the parts but the last of each row; each is a multiple of T * K steps. */
//@text scan_rows_part
    GND_LOCAL acc sums[WG];
    const int lid = (int)GND_LID(0), w = (int)inner, nt = (int)T;
    const int j = lid / w, across = nt * w;
    const g_i64 g = (g_i64)GND_GRP(0), row = g / (S - 1), s = g % (S - 1);
    const g_i64 base = (row * n + s * chunk) * w, end = chunk * w;
    acc a;
    if (lid < across) {
        for (g_i64 e = lid; e < end; e += across * K) {
            $T v[K];
#pragma unroll
            for (int k = 0; k < K; k++)
                v[k] = IN_x(base + e + k * across);
            $T b = v[0];
#pragma unroll
            for (int k = 1; k < K; k++)
                b = OP(b, v[k]);
            a = e < across ? acc_of(b) : acc_join(a, acc_of(b));
        }
        sums[lid] = a;
    }
    GND_BARRIER();
    for (int d = 1; d < nt; d *= 2) {
        if (lid < across && j % (2 * d) == 0 && j + d < nt)
            sums[lid] = acc_join(sums[lid], sums[lid + d * w]);
        GND_BARRIER();
    }
    if (lid < w) {
        a = sums[lid];
        ACC_ST(a, (row * w + lid) * (S - 1) + s);
    }

/* Scans the P carries of each of R rows in place; T work-items a row. */
//@text scan_carries
    GND_LOCAL acc sums[2 * WG];
    const int lid = (int)GND_LID(0), nt = (int)T, j = lid % nt;
    const g_i64 row = (g_i64)GND_GRP(0) * (WG / nt) + lid / nt;
    int has = 0;
    acc carry;
    for (g_i64 t0 = 0; t0 < P; t0 += nt) {
        const int here = row < R && t0 + j < P;
        acc a = acc_of(ZERO);
        if (here)
            ACC_LD(a, row * P + t0 + j);
        int o = 0;
        sums[lid] = a;
        GND_BARRIER();
        for (int d = 1; d < nt; d *= 2) {
            if (j >= d)
                a = acc_join(sums[o + lid - d], a);
            o = WG - o;
            sums[o + lid] = a;
            GND_BARRIER();
        }
        const acc all = sums[o + lid - j + nt - 1];
        if (has)
            a = acc_join(carry, a);
        if (here)
            ACC_ST(a, row * P + t0 + j);
        carry = has ? acc_join(carry, all) : all;
        has = 1;
        GND_BARRIER();
    }

/* Columns, by adjacent work-items: a work-item has one column of a part. Runs of 64 steps are
 * plain; the carry is the prefix before them. */
//@text scan_cols
    const g_i64 f = (g_i64)GND_GID(0);
    if (f >= M * S * inner)
        return;
    const g_i64 c = f % inner, s = f / inner % S, row = f / inner / S;
    const g_i64 end = n - s * chunk < chunk ? n - s * chunk : chunk;
    g_i64 i = (row * n + s * chunk) * inner + c;
    int has = 0;
    acc carry;
#if PARTS
    if (s > 0) {
        ACC_LD(carry, (row * inner + c) * (S - 1) + s - 1);
        has = 1;
    }
#endif
#if INIT
    if (s == 0)
        gnd_st_$n(y, row * (n + 1) * inner + c, FIRST);
#endif
    for (g_i64 t = 0; t < end; t += 64) {
        const int m = end - t < 64 ? (int)(end - t) : 64;
        int k = 0;
        $T a = IN_x(i);
        for (; k + K <= m; k += K) {
            $T v[K];
#pragma unroll
            for (int u = 0; u < K; u++)
                v[u] = IN_x(i + u * inner);
#pragma unroll
            for (int u = 0; u < K; u++) {
                const $T b = v[u];
                a = k + u ? OP(a, b) : b;
                gnd_st_$n(y, i + u * inner + SHIFT, has ? APPLY(carry, a) : a);
            }
            i += K * inner;
        }
        for (; k < m; k++) {
            const $T b = IN_x(i);
            a = k ? OP(a, b) : b;
            gnd_st_$n(y, i + SHIFT, has ? APPLY(carry, a) : a);
            i += inner;
        }
        carry = has ? acc_join(carry, acc_of(a)) : acc_of(a);
        has = 1;
    }

/* The sums of the parts but the last. */
//@text scan_cols_part
    const g_i64 f = (g_i64)GND_GID(0);
    if (f >= M * (S - 1) * inner)
        return;
    const g_i64 c = f % inner, s = f / inner % (S - 1), row = f / inner / (S - 1);
    g_i64 i = (row * n + s * chunk) * inner + c;
    acc carry;
    for (g_i64 t = 0; t < chunk; t += 64) {
        const int m = chunk - t < 64 ? (int)(chunk - t) : 64;
        int k = 0;
        $T a = IN_x(i);
        for (; k + K <= m; k += K) {
            $T v[K];
#pragma unroll
            for (int u = 0; u < K; u++)
                v[u] = IN_x(i + u * inner);
#pragma unroll
            for (int u = 0; u < K; u++) {
                const $T b = v[u];
                a = k + u ? OP(a, b) : b;
            }
            i += K * inner;
        }
        for (; k < m; k++) {
            const $T b = IN_x(i);
            a = k ? OP(a, b) : b;
            i += inner;
        }
        carry = t ? acc_join(carry, acc_of(a)) : acc_of(a);
    }
    ACC_ST(carry, (row * inner + c) * (S - 1) + s);

/* --- CPUs: groups of one work-item, each with a run of memory -------------------------------------
 *
 * Rows (inner is 1): RG rows, or one part of a row. 128 steps are eight runs of 16 side by side, as
 * independent chains of operations; each run then gets what stands before it. */
//@text scan_cpu_rows
    const g_i64 g = (g_i64)GND_GID(0), s = g % S;
    const g_i64 row1 = g / S * RG + RG < M ? g / S * RG + RG : M;
    for (g_i64 row = g / S * RG; row < row1; row++) {
        g_i64 i = row * n + s * chunk;
        const g_i64 end = n - s * chunk < chunk ? row * n + n : i + chunk;
        int has = 0;
        acc carry;
#if PARTS
        for (g_i64 t = 0; t < s; t++) {
            acc b;
            ACC_LD(b, row * (S - 1) + t);
            carry = has ? acc_join(carry, b) : b;
            has = 1;
        }
#endif
#if INIT
        if (s == 0)
            gnd_st_$n(y, row * (n + 1), FIRST);
#endif
#if RUNNING
        $T sum = 0;
        if (has)
            sum = OP(sum, carry);
        for (; i + 8 <= end; i += 8)
#pragma unroll
            for (int k = 0; k < 8; k++) {
                const $T b = IN_x(i + k);
                sum = OP(sum, b);
                gnd_st_$n(y, i + k + SHIFT, sum);
            }
        for (; i < end; i++) {
            const $T b = IN_x(i);
            sum = OP(sum, b);
            gnd_st_$n(y, i + SHIFT, sum);
        }
#else
        for (; i + 128 <= end; i += 128) {
            $T v[128];
            for (int k = 0; k < 16; k++)
#pragma unroll
                for (int l = 0; l < 8; l++) {
                    const $T b = IN_x(i + l * 16 + k);
                    v[l * 16 + k] = k ? OP(v[l * 16 + k - 1], b) : b;
                }
            $T a = v[15];
            for (int l = 0; l < 8; l++) {
                acc before = carry;
                int any = has;
                if (l) {
                    before = has ? acc_join(carry, acc_of(a)) : acc_of(a);
                    any = 1;
                    const $T b = v[l * 16 + 15];
                    a = OP(a, b);
                }
                if (any)
                    for (int k = 0; k < 16; k++) {
                        const $T b = v[l * 16 + k];
                        gnd_st_$n(y, i + l * 16 + k + SHIFT, APPLY(before, b));
                    }
                else
                    for (int k = 0; k < 16; k++)
                        gnd_st_$n(y, i + l * 16 + k + SHIFT, v[l * 16 + k]);
            }
            carry = has ? acc_join(carry, acc_of(a)) : acc_of(a);
            has = 1;
        }
        if (i < end) {
            $T a = IN_x(i);
            gnd_st_$n(y, i + SHIFT, has ? APPLY(carry, a) : a);
            for (i++; i < end; i++) {
                const $T b = IN_x(i);
                a = OP(a, b);
                gnd_st_$n(y, i + SHIFT, has ? APPLY(carry, a) : a);
            }
        }
#endif
    }

/* The sums of the parts but the last; a part is a multiple of 1024 steps. */
//@text scan_cpu_rows_part
    const g_i64 g = (g_i64)GND_GID(0), row = g / (S - 1), s = g % (S - 1);
    g_i64 i = row * n + s * chunk;
    const g_i64 end = i + chunk;
    int has = 0;
    acc carry;
    for (; i < end; i += 1024) {
        $T v[64];
        for (int l = 0; l < 64; l++)
            v[l] = IN_x(i + l);
        for (int k = 64; k < 1024; k += 64)
            for (int l = 0; l < 64; l++) {
                const $T b = IN_x(i + k + l);
                v[l] = OP(v[l], b);
            }
        for (int d = 32; d > 0; d /= 2)
            for (int l = 0; l < d; l++)
                v[l] = OP(v[l], v[l + d]);
        carry = has ? acc_join(carry, acc_of(v[0])) : acc_of(v[0]);
        has = 1;
    }
    ACC_ST(carry, row * (S - 1) + s);

/* Scans the P carries of each row in place, one work-item for RG of the R rows. */
//@text scan_cpu_carries
    const g_i64 g = (g_i64)GND_GID(0), row1 = g * RG + RG < R ? g * RG + RG : R;
    for (g_i64 row = g * RG; row < row1; row++) {
        acc a, b;
        ACC_LD(a, row * P);
        for (g_i64 s = 1; s < P; s++) {
            ACC_LD(b, row * P + s);
            a = acc_join(a, b);
            ACC_ST(a, row * P + s);
        }
    }

/* Columns: a tile of up to 256, steps one after the other. Carries stand in ch and cl. */
//@text scan_cpu_cols
    const g_i64 g = (g_i64)GND_GID(0), s = g % S, c0 = g / S % tiles * 256, row = g / S / tiles;
    const int nc = inner - c0 < 256 ? (int)(inner - c0) : 256;
    const g_i64 end = n - s * chunk < chunk ? n - s * chunk : chunk;
    g_i64 i = (row * n + s * chunk) * inner + c0;
    int has = 0;
    $T a[256], ch[256], cl[256];
    (void)cl;
#if PARTS
    if (s > 0) {
        for (int l = 0; l < nc; l++) {
            acc c;
            ACC_LD(c, (row * inner + c0 + l) * (S - 1) + s - 1);
            ACC_SET(c, l);
        }
        has = 1;
    }
#endif
#if INIT
    if (s == 0)
        for (int l = 0; l < nc; l++)
            gnd_st_$n(y, row * (n + 1) * inner + c0 + l, FIRST);
#endif
    for (g_i64 t = 0; t < end; t += 64) {
        const g_i64 m = end - t < 64 ? end - t : 64;
        for (g_i64 k = 0; k < m; k++, i += inner) {
            if (k)
                for (int l = 0; l < nc; l++) {
                    const $T b = IN_x(i + l);
                    a[l] = OP(a[l], b);
                }
            else
                for (int l = 0; l < nc; l++)
                    a[l] = IN_x(i + l);
            if (has)
                for (int l = 0; l < nc; l++) {
                    acc c;
                    ACC_GET(c, l);
                    gnd_st_$n(y, i + l + SHIFT, APPLY(c, a[l]));
                }
            else
                for (int l = 0; l < nc; l++)
                    gnd_st_$n(y, i + l + SHIFT, a[l]);
        }
        for (int l = 0; l < nc; l++) {
            acc c = acc_of(a[l]);
            if (has) {
                acc b;
                ACC_GET(b, l);
                c = acc_join(b, c);
            }
            ACC_SET(c, l);
        }
        has = 1;
    }

/* The sums of the parts but the last. */
//@text scan_cpu_cols_part
    const g_i64 g = (g_i64)GND_GID(0), s = g % (S - 1), c0 = g / (S - 1) % tiles * 256;
    const g_i64 row = g / (S - 1) / tiles;
    const int nc = inner - c0 < 256 ? (int)(inner - c0) : 256;
    g_i64 i = (row * n + s * chunk) * inner + c0;
    $T a[256], ch[256], cl[256];
    (void)cl;
    for (g_i64 t = 0; t < chunk; t += 64) {
        const g_i64 m = chunk - t < 64 ? chunk - t : 64;
        for (int l = 0; l < nc; l++)
            a[l] = IN_x(i + l);
        i += inner;
        for (g_i64 k = 1; k < m; k++, i += inner)
            for (int l = 0; l < nc; l++) {
                const $T b = IN_x(i + l);
                a[l] = OP(a[l], b);
            }
        for (int l = 0; l < nc; l++) {
            acc c = acc_of(a[l]);
            if (t) {
                acc b;
                ACC_GET(b, l);
                c = acc_join(b, c);
            }
            ACC_SET(c, l);
        }
    }
    for (int l = 0; l < nc; l++) {
        acc c;
        ACC_GET(c, l);
        ACC_ST(c, (row * inner + c0 + l) * (S - 1) + s);
    }
