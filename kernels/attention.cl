/* SPDX-License-Identifier: BSD-3-Clause
 *
 * attention.cl - sums of the rows of v weighted by softmax, for prim/attention.c:
 *
 *     y[b][i][d] = sum over j of w[b][i][j] v[b][j][d]
 *     w[b][i]    = softmax over j of SCALE(sum over c of q[b][i][c] k[b][j][c])
 *
 * with B batches, M rows of q, N of k and v, C and D columns. The scores are not stored: a group has BR rows of q,
 * takes 64 rows of k and v at a time, and keeps for each row the largest score so far, the sum of the exponentials
 * below it, and their sum of rows of v, which fade when the largest score grows.
 *
 *     MASK  0: nothing; 1: a score counts where IN_m is KEEP, and is `fill` elsewhere; 2: IN_m is added to it; 3: it
 *           counts where i at_row + j at_col + at_first >= 0. IN_m of [b][i][j] is at b mb + i mr + j mc.
 *
 * 64 scores of each row that are all `fill`, so far below the largest that their exponentials are 0, are left out
 * unless v has a NaN or an infinity there, which even a weight of 0 makes NaN. If the same holds of all that follow
 * (LAST), the group ends. ODDS is 1 where odds[b][j / 64] tells of v, and 0 where a group looks itself.
 */

/* Groups of WG work-items, 16 of them for a row, of which each has TM rows, TV of them side by side, 4 columns of
 * scores and DJ of the result, DV of them side by side. q and k come CK columns at a time, v VK rows. Rows of local
 * memory are QP long; weights of columns 0, 4, 8, ... come before those of 1, 5, 9. */
//@text attention
    GND_LOCAL g_f32 lq[CK * QP] LOCAL_ALIGN, lp[64 * QP] LOCAL_ALIGN, le[PIECE] LOCAL_ALIGN;
#if MASK % 2 && !SHUFFLES
    GND_LOCAL int any_;
#define ANY(r, is) \
    GND_BARRIER(); \
    if (lid == 0) any_ = 0; \
    GND_BARRIER(); \
    if (is) any_ = 1; \
    GND_BARRIER(); \
    r = any_
#else
#define ANY(r, is) r = __syncthreads_or(is)
#endif
#define ROW(i) ((i) / TV * (WG / 16 * TV) + w * TV + (i) % TV)
#define COL(j) ((j) / DV * (16 * DV) + x * DV + (j) % DV)
#define PART(c0) (C % CK && C - (c0) < CK ? C - (c0) : CK)
    const int lid = (int)GND_LID(0), x = lid % 16, w = lid / 16;
    const g_i64 b = (g_i64)GND_GRP(0) % B, i0 = (NR - 1 - (g_i64)GND_GRP(0) / B) * BR;
    const int rows = M - i0 < BR ? (int)(M - i0) : BR;
    const g_f32 scale = GND_FROM_f32((g_u32)scale_bits);
    GND_CONST_GLOBAL MT *qb = q + (b * M + i0) * C, *kb = k + b * N * C, *vb = v + b * N * D;
    g_f32 acc[TM][DJ], most[TM], sum[TM], s[TM][4], piece[EACH], piece_q[EACH_Q];
    UNROLL
    for (int i = 0; i < TM; i++) {
        most[i] = -GND_INF_f32;
        sum[i] = 0;
        UNROLL
        for (int j = 0; j < DJ; j++) acc[i][j] = 0;
    }
    for (g_i64 j0 = 0; j0 < N; j0 += 64) {
        const int cols = N - j0 < 64 ? (int)(N - j0) : 64;
        GND_CONST_GLOBAL MT *kj = kb + j0 * C, *vj = vb + j0 * D;
#define FETCH_K(c0) \
        UNROLL \
        for (int n = 0; n < EACH; n++) { \
            const int e = lid + n / 4 * WG, c = e % CK + (c0), j = e / CK * 4 + n % 4; \
            piece[n] = j < cols && c < C ? LD(kj, j * C + c) : 0; \
        } \
        UNROLL \
        for (int n = 0; n < EACH_Q; n++) { \
            const int e = lid + n * WG, c = e % CK + (c0), r = e / CK; \
            piece_q[n] = r < rows && c < C ? LD(qb, r * C + c) : 0; \
        }
#define FETCH_V(v0) \
        UNROLL \
        for (int n = 0; n < EACH; n++) { \
            const int e = lid + n * WG; \
            piece[n] = e < VK * D && e + (v0) * D < cols * D ? LD(vj, e + (v0) * D) : 0; \
        }
#if MASK % 2
        const g_f32 fill = GND_FROM_f32((g_u32)fill_bits);
        int far = 1, some, all = 0;
#if MASK == 3
        const int di = (int)at_row, dj = (int)at_col, place = di * (int)i0 + dj * (int)j0 + (int)at_first;
        some = place + (di > 0 ? di * (rows - 1) : 0) + (dj > 0 ? dj * (cols - 1) : 0) >= 0;
        all = place + (di < 0 ? di * (rows - 1) : 0) + (dj < 0 ? dj * (cols - 1) : 0) >= 0;
#define COUNTS(i, u) (di * ROW(i) + dj * (x * 4 + (u)) + place >= 0)
#define LAST (dj <= 0)
#else
        g_u32 keep = 0;
        UNROLL
        for (int i = 0; i < TM; i++) {
            UNROLL
            for (int u = 0; u < 4; u++) {
                const int r = ROW(i), j = x * 4 + u;
                if (r < rows && j < cols && (IN_m(b * mb + (i0 + r) * mr + (j0 + j) * mc) != 0) == KEEP)
                    keep |= (g_u32)1 << (i * 4 + u);
            }
        }
        some = keep != 0;
#define LAST 0
#define COUNTS(i, u) (keep >> ((i) * 4 + (u)) & 1u)
#endif
        for (int i = 0; i < TM; i++) far &= ROW(i) >= rows || fill - most[i] < -120.0f;
#if MASK == 3
        if (!some)
#endif
        {
            ANY(some, some || !far);
        }
        if (!some) {
            const g_i64 end = LAST ? N : j0 + cols;
            int odd = 0;
#if ODDS
            for (g_i64 e = j0 / 64 + lid; e < (end + 63) / 64; e += WG) odd |= odds[b * ((N + 63) / 64) + e];
#else
            const g_i64 size = (end - j0) * D;
            g_i64 e = lid;
            for (; e + 15 * WG < size; e += 16 * WG) {
                g_f32 t[16];
                UNROLL
                for (int n = 0; n < 16; n++) t[n] = LD(vj, e + n * WG);
                UNROLL
                for (int n = 0; n < 16; n++) odd |= !(t[n] - t[n] == 0);
            }
            for (; e < size; e += WG) {
                const g_f32 t = LD(vj, e);
                odd |= !(t - t == 0);
            }
#endif
            ANY(some, odd);
            if (!some && end == N)
                break;
            if (!some)
                continue;
        }
#endif
        UNROLL
        for (int i = 0; i < TM; i++) {
            UNROLL
            for (int u = 0; u < 4; u++) s[i][u] = 0;
        }
        FETCH_K(0)
        for (int c0 = 0; c0 < C; c0 += CK) {
            GND_BARRIER();
            UNROLL
            for (int n = 0; n < EACH; n++) {
                const int e = lid + n / 4 * WG;
                if (e < CK * 16) le[e % CK * 68 + e / CK * 4 + n % 4] = piece[n];
            }
            UNROLL
            for (int n = 0; n < EACH_Q; n++) {
                const int e = lid + n * WG;
                if (e < CK * BR) lq[e % CK * QP + e / CK] = piece_q[n];
            }
            GND_BARRIER();
            if (c0 + CK < C) {
                FETCH_K(c0 + CK)
            } else {
                FETCH_V(0)
            }
            UNROLL4
            for (int p = 0; p < PART(c0); p++) {
                g_f32 rq[TM], rk[4];
                UNROLL
                for (int i = 0; i < TM; i++) rq[i] = lq[p * QP + ROW(i)];
                UNROLL
                for (int u = 0; u < 4; u++) rk[u] = le[p * 68 + x * 4 + u];
                UNROLL
                for (int i = 0; i < TM; i++) {
                    UNROLL
                    for (int u = 0; u < 4; u++) s[i][u] = fma(rq[i], rk[u], s[i][u]);
                }
            }
        }
        g_f32 top[TM];
        UNROLL
        for (int i = 0; i < TM; i++) {
            top[i] = -GND_INF_f32;
            UNROLL
            for (int u = 0; u < 4; u++) {
                const int j = x * 4 + u;
                g_f32 t = SCALE(s[i][u]);
#if MASK % 2
                t = all || COUNTS(i, u) ? t : fill;
#elif MASK == 2
                if (ROW(i) < rows && j < cols) t += (g_f32)IN_m(b * mb + (i0 + ROW(i)) * mr + (j0 + j) * mc);
#endif
                s[i][u] = j < cols ? t : -GND_INF_f32;
                top[i] = fmax(top[i], s[i][u]);
            }
#if SHUFFLES
            UNROLL
            for (int h = 8; h > 0; h /= 2) top[i] = fmax(top[i], CROSS(top[i], h));
        }
#else
            lp[ROW(i) * 16 + x] = top[i];
        }
        GND_BARRIER();
        for (int i = 0; i < TM; i++)
            for (int h = 0; h < 16; h++) top[i] = fmax(top[i], lp[ROW(i) * 16 + h]);
        GND_BARRIER();
#endif
        UNROLL
        for (int i = 0; i < TM; i++) {
            top[i] = fmax(top[i], most[i]);
            const g_f32 from = top[i] == -GND_INF_f32 ? 0 : top[i], fade = exp(most[i] - from);
            most[i] = top[i];
            sum[i] *= fade;
            UNROLL
            for (int u = 0; u < 4; u++) {
                s[i][u] = exp(s[i][u] - from);
                sum[i] += s[i][u];
            }
            UNROLL
            for (int j = 0; j < DJ; j++) acc[i][j] *= fade;
        }
        UNROLL
        for (int u = 0; u < 4; u++) {
            UNROLL
            for (int i = 0; i < TM; i++) lp[(u * 16 + x) * QP + ROW(i)] = s[i][u];
        }
        for (int v0 = 0; v0 < cols; v0 += VK) {
            GND_BARRIER();
            UNROLL
            for (int n = 0; n < EACH; n++) {
                const int e = lid + n * WG;
                if (e < VK * D) le[e] = piece[n];
            }
            GND_BARRIER();
            if (v0 + VK < cols) {
                FETCH_V(v0 + VK)
            }
            UNROLL4
            for (int p = 0; p < VK; p++) {
                g_f32 rp[TM], rv[DJ];
                UNROLL
                for (int i = 0; i < TM; i++) rp[i] = lp[((v0 + p) / 4 + p % 4 * 16) * QP + ROW(i)];
                UNROLL
                for (int j = 0; j < DJ; j++) rv[j] = le[p * D + (COL(j) < D ? COL(j) : D - DV + j % DV)];
                UNROLL
                for (int i = 0; i < TM; i++) {
                    UNROLL
                    for (int j = 0; j < DJ; j++) acc[i][j] = fma(rp[i], rv[j], acc[i][j]);
                }
            }
        }
    }
    GND_BARRIER();
    UNROLL
    for (int i = 0; i < TM; i++) {
#if SHUFFLES
        UNROLL
        for (int h = 8; h > 0; h /= 2) sum[i] += CROSS(sum[i], h);
    }
#else
        lp[ROW(i) * 16 + x] = sum[i];
    }
    GND_BARRIER();
    for (int i = 0; i < TM; i++) {
        sum[i] = 0;
        for (int h = 0; h < 16; h++) sum[i] += lp[ROW(i) * 16 + h];
    }
#endif
    UNROLL
    for (int i = 0; i < TM; i++) {
        UNROLL
        for (int j = 0; j < DJ; j++) {
            if (ROW(i) < rows && COL(j) < D) ST(y, (b * M + i0 + ROW(i)) * D + COL(j), acc[i][j] / sum[i]);
        }
    }

/* Whether 64 rows of v have a NaN or an infinity, for groups of WG work-items. */
//@text attention_odds
    GND_LOCAL int any_;
    const int lid = (int)GND_LID(0);
    const g_i64 parts = (N + 63) / 64, b = (g_i64)GND_GRP(0) / parts, j0 = (g_i64)GND_GRP(0) % parts * 64;
    const g_i64 size = (N - j0 < 64 ? N - j0 : 64) * D;
    GND_CONST_GLOBAL MT *vj = v + (b * N + j0) * D;
    int odd = 0;
    if (lid == 0) any_ = 0;
    UNROLL16
    for (g_i64 e = lid; e < size; e += WG) {
        const g_f32 t = LD(vj, e);
        odd |= !(t - t == 0);
    }
    GND_BARRIER();
    if (odd) any_ = 1;
    GND_BARRIER();
    if (lid == 0) odds[GND_GRP(0)] = any_;

/* Rows of 16-bit elements on their way to local memory, 64 of W elements; what is beyond `rows`, or beyond a row's end
 * in the P - 8 places that it has there, is 0. A group's own copies are one group of them. Pieces have 8 elements; each
 * work-item has as many, and where they divide WG its pieces are in one column. */
//@text attention_tile
#define MOVE_ONE(e) \
    { \
        const int r = (e) / (P - 8), c = (e) % (P - 8); \
        const g_u16 u = r < rows && c < W ? from[r * W + c] : (g_u16)0; \
        asm volatile("st.shared.u16 [%0], %1;" :: "r"(to + (r * P + c) * 2), "h"(u) : "memory"); \
    }
GND_INLINE void tile(const int W, const int P, const g_u32 to, GND_CONST_GLOBAL g_u16 *from, int rows, int fast)
{
    const int lid = (int)GND_LID(0), pieces = P / 8 - 1;
    if (W % 8 == 0 && fast) {
        const int last = rows > 0 ? rows - 1 : 0;
#pragma unroll
        for (int i = 0; i < 64 * pieces / WG; i++) {
            const int one = WG % pieces == 0, e = lid + i * WG;
            const int r = one ? lid / pieces + i * (WG / pieces) : e / pieces, c = (one ? lid : e) % pieces * 8;
            COPY16(to + (r * P + c) * 2, from + ((r < rows ? r : last) * W + (c < W ? c : 0)),
                   r < rows && c < W ? 16 : 0);
        }
    } else if (W % 8 == 0) { /* a view that begins between vectors */
#pragma unroll 1
        for (int e = lid; e < 64 * (P - 8); e += WG) MOVE_ONE(e);
    } else {
        for (int e = lid; e < 64 * (P - 8); e += WG) MOVE_ONE(e);
    }
    SENT();
}
#define BASE2(x) (fabs(x) > 2.3e38f ? (x) : (x) * log2e) /* what is finite stays so */
#define ODD2(r) (((r) & ODD16) == ODD16 || ((r) >> 16 & ODD16) == ODD16)
#define EXP2(r, x) asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x))

/* The same on tensor cores, for 16-bit elements, with TURNS times BR rows of q: a warp has TURNS times 16 of them as
 * operands in registers, and those of its scores are the operand of the second product as they are. What is read from
 * local memory serves all of them. Of each 8 columns a work-item has two, of rows g, g + 8, and so on. With STAGES 2
 * the next 64 rows of k and v come while these are in use, and a group waits once for 64 rows; with 1, for which local
 * memory is enough with more columns, k and v come in turn while the other is in use. Rows of local memory are PC and
 * PD long: 8 more than a multiple of 16, so that the rows of a matrix lie in different banks. Scores and exponents are
 * of base 2. The scale is positive, since q has its sign; it is part of the exponents unless a mask comes between. */
//@text attention_mma
    GND_LOCAL g_u16 lk[STAGES * 64 * PC] LOCAL_ALIGN, lv[STAGES * 64 * PD] LOCAL_ALIGN;
    const int lid = (int)GND_LID(0), lane = lid % 32, warp = lid / 32, g = lane / 4, t = lane % 4;
    const g_i64 b = (g_i64)GND_GRP(0) % B, i0 = (NR - 1 - (g_i64)GND_GRP(0) / B) * BR * TURNS;
    const int rows = M - i0 < BR * TURNS ? (int)(M - i0) : BR * TURNS;
    const float log2e = 1.4426950408889634f, scale = fabs(GND_FROM_f32((g_u32)scale_bits)) * log2e;
    GND_CONST_GLOBAL g_u16 *const kb = k + b * N * C, *const vb = v + b * N * D;
    const int fast_k = ((size_t)q | (size_t)k) % 16 == 0, fast_v = (size_t)v % 16 == 0;
    const g_u32 first_k = SHARED(lk), first_v = SHARED(lv);
#define PART_OF(j) ((g_u32)((j) / 64 % STAGES) * 128)
#define LEFT(j) (N - (j) < 64 ? (int)(N - (j)) : 64)
#define BRING_K(j) tile(C, PC, first_k + PART_OF(j) * PC, kb + (j) * C, LEFT(j), fast_k)
#define BRING_V(j) tile(D, PD, first_v + PART_OF(j) * PD, vb + (j) * D, LEFT(j), fast_v)
    g_u32 a[TURNS][PC / 16][4];
    float o[TURNS][PD / 8 - 1][4], most[2 * TURNS], sum[2 * TURNS];
#pragma unroll
    for (int h = 0; h < 2 * TURNS; h++) {
        most[h] = -GND_INF_f32;
        sum[h] = 0;
#pragma unroll
        for (int n = 0; n < PD / 8 - 1; n++) o[h / 2][n][h % 2 * 2] = o[h / 2][n][h % 2 * 2 + 1] = 0;
    }
#pragma unroll
    for (int i = 0; i < BR * TURNS; i += BR) {
        tile(C, PC, first_k, rows > i ? q + (b * M + i0 + i) * C : q, rows - i, fast_k);
        ARRIVED(0);
        GND_BARRIER();
#pragma unroll
        for (int h = 0; h < TURNS; h++) {
            const int r = (warp * TURNS + h) * 16 - i;
#pragma unroll
            for (int c = 0; c < PC / 16 && r >= 0 && r < 64; c++)
                LDSM(a[h][c], "", first_k + ((r + lane % 16) * PC + c * 16 + lane / 16 * 8) * 2);
        }
        GND_BARRIER();
    }
    if ((g_u32)scale_bits >> 31) {
#pragma unroll
        for (int i = 0; i < TURNS * (PC / 16) * 4; i++) a[i / 4 / (PC / 16)][i / 4 % (PC / 16)][i % 4] ^= 0x80008000u;
    }
    BRING_K((g_i64)0);
#if STAGES == 2
    BRING_V((g_i64)0);
#endif
    for (g_i64 j0 = 0; j0 < N; j0 += 64) {
        const int cols = N - j0 < 64 ? (int)(N - j0) : 64;
        const g_i64 next = j0 + 64;
        const g_u32 at_k = first_k + PART_OF(j0) * PC, at_v = first_v + PART_OF(j0) * PD;
        float s[TURNS][8][4];
#if MASK % 2
        const float fill = BASE2(GND_FROM_f32((g_u32)fill_bits));
        int far = 1, some, all = 0;
#if MASK == 3
        const int di = (int)at_row, dj = (int)at_col, place = di * (int)i0 + dj * (int)j0 + (int)at_first;
        const int mine = place + di * (warp * TURNS * 16 + g) + dj * t * 2;
        some = place + (di > 0 ? di * (rows - 1) : 0) + (dj > 0 ? dj * (cols - 1) : 0) >= 0;
        all = place + (di < 0 ? di * (rows - 1) : 0) + (dj < 0 ? dj * (cols - 1) : 0) >= 0;
#define COUNTS(h, n) (mine + di * (h) * 8 + dj * ((n) / 2 * 8 + (n) % 2) >= 0)
#define LAST (dj <= 0)
#else
        g_u32 keep[TURNS], any = 0;
#pragma unroll
        for (int h = 0; h < TURNS; h++) {
            keep[h] = 0;
#pragma unroll
            for (int e = 0; e < 32; e++) {
                const int r = (warp * TURNS + h) * 16 + g + e % 4 / 2 * 8, j = e / 4 * 8 + t * 2 + e % 2;
                if (r < rows && j < cols && (IN_m(b * mb + (i0 + r) * mr + (j0 + j) * mc) != 0) == KEEP)
                    keep[h] |= 1u << e;
            }
            any |= keep[h];
        }
        some = any != 0;
#define LAST 0
#define COUNTS(h, n) (keep[(h) / 2] >> ((n) / 2 * 4 + (h) % 2 * 2 + (n) % 2) & 1u)
#endif
#pragma unroll
        for (int h = 0; h < 2 * TURNS; h++) far &= warp * TURNS * 16 + g + h * 8 >= rows || fill - most[h] < -160.0f;
        if (MASK == 1 || !some) {
            SOME(some, some || !far);
        }
        if (!some) {
            const g_i64 end = LAST ? N : next;
            int odd = 0;
#if ODDS
            for (g_i64 e = j0 / 64 + lid; e < (end < N ? end : N + 63) / 64; e += WG)
                odd |= odds[b * ((N + 63) / 64) + e];
#else
            const g_i64 size = ((N < end ? N : end) - j0) * D;
            GND_CONST_GLOBAL g_u16 *const vj = vb + j0 * D;
            g_i64 e = lid;
            if (D % 8 == 0 && fast_v) {
#pragma unroll 4
                for (; e < size / 8; e += WG) {
                    const uint4 r = ((GND_CONST_GLOBAL uint4 *)vj)[e];
                    odd |= ODD2(r.x) | ODD2(r.y) | ODD2(r.z) | ODD2(r.w);
                }
            } else {
#pragma unroll 8
                for (; e < size; e += WG) odd |= (vj[e] & ODD16) == ODD16;
            }
#endif
            SOME(some, odd);
            if (!some) {
                ARRIVED(0);
                if (end >= N)
                    break;
                BRING_K(next);
#if STAGES == 2
                BRING_V(next);
#endif
                continue;
            }
        }
#endif
        ARRIVED(0);
        GND_BARRIER();
#if STAGES == 1
        BRING_V(j0);
#else
        if (next < N) {
            BRING_K(next);
            BRING_V(next);
        }
#endif
#pragma unroll
        for (int n = 0; n < 32 * TURNS; n++) s[n / 32][n / 4 % 8][n % 4] = 0;
#pragma unroll
        for (int c = 0; c < PC / 16; c++) {
#pragma unroll
            for (int n = 0; n < 8; n += 2) {
                g_u32 m[4];
                LDSM(m, "", at_k + ((n * 8 + lane / 16 * 8 + lane % 8) * PC + c * 16 + lane / 8 % 2 * 8) * 2);
#pragma unroll
                for (int h = 0; h < TURNS; h++) {
                    MMA16(s[h][n], a[h][c], m);
                    MMA16(s[h][n + 1], a[h][c], m + 2);
                }
            }
        }
#if STAGES == 1
        GND_BARRIER();
        if (next < N)
            BRING_K(next);
        else
            SENT();
#endif
#pragma unroll
        for (int h = 0; h < 2 * TURNS; h++) {
            float top = -GND_INF_f32, times = scale, from, fade;
#define SCORE(n) s[h / 2][(n) / 2][h % 2 * 2 + (n) % 2]
#if MASK % 2
            if (!all) {
                times = 1;
#pragma unroll
                for (int n = 0; n < 16; n++) SCORE(n) = COUNTS(h, n) ? SCORE(n) * scale : fill;
            }
#elif MASK == 2
            times = 1;
#pragma unroll
            for (int n = 0; n < 16; n++) SCORE(n) *= scale;
#pragma unroll
            for (int n = 0; n < 16; n++) {
                const int r = warp * TURNS * 16 + g + h * 8, j = n / 2 * 8 + t * 2 + n % 2;
                if (r < rows && j < cols) {
                    const float by = (float)IN_m(b * mb + (i0 + r) * mr + (j0 + j) * mc);
                    SCORE(n) += BASE2(by);
                }
            }
#endif
            if (cols < 64) {
#pragma unroll
                for (int n = 0; n < 16; n++)
                    SCORE(n) = n / 2 * 8 + t * 2 + n % 2 < cols ? SCORE(n) * times : -GND_INF_f32;
                times = 1;
            }
#pragma unroll
            for (int n = 0; n < 16; n++) top = fmax(top, SCORE(n));
            top = fmax(top, CROSS(top, 1));
            top = fmax(top, CROSS(top, 2));
            if (fabs(top) * times > 65536.0f) { /* the rounding of top * times below would be no small exponent */
#pragma unroll
                for (int n = 0; n < 16; n++) SCORE(n) *= times;
                top *= times;
                times = 1;
            }
            top = fmax(most[h], top * times);
            from = top == -GND_INF_f32 ? 0 : top;
            EXP2(fade, most[h] - from);
            most[h] = top;
            sum[h] *= fade;
#pragma unroll
            for (int n = 0; n < 16; n++) {
                EXP2(SCORE(n), fma(SCORE(n), times, -from));
                sum[h] += SCORE(n);
            }
#pragma unroll
            for (int n = 0; n < PD / 8 - 1; n++) {
                o[h / 2][n][h % 2 * 2] *= fade;
                o[h / 2][n][h % 2 * 2 + 1] *= fade;
            }
        }
#if STAGES == 1
        ARRIVED(1);
        GND_BARRIER();
#endif
#pragma unroll
        for (int c = 0; c < 4; c++) {
            g_u32 w[TURNS][4];
#pragma unroll
            for (int h = 0; h < 4 * TURNS; h++)
                PACK(w[h / 4][h % 4], s[h / 4][c * 2 + h % 4 / 2][h % 2 * 2],
                     s[h / 4][c * 2 + h % 4 / 2][h % 2 * 2 + 1]);
#pragma unroll
            for (int n = 0; n < PD / 8 - 1; n += 2) {
                g_u32 m[4];
                LDSM(m, ".trans", at_v + ((c * 16 + lane / 8 % 2 * 8 + lane % 8) * PD + n * 8 + lane / 16 * 8) * 2);
#pragma unroll
                for (int h = 0; h < TURNS; h++) {
                    MMA16(o[h][n], w[h], m);
                    MMA16(o[h][n + 1], w[h], m + 2);
                }
            }
        }
    }
#pragma unroll
    for (int h = 0; h < 2 * TURNS; h++) {
        const int r = warp * TURNS * 16 + g + h * 8;
        sum[h] += CROSS(sum[h], 1);
        sum[h] += CROSS(sum[h], 2);
        const float share = 1 / sum[h]; /* its rounding is far below that of the 16 bits of a result */
#pragma unroll
        for (int n = 0; n < PD / 8 - 1; n++) {
            const int d = n * 8 + t * 2;
            GND_GLOBAL g_u16 *const to = y + (b * M + i0 + r) * D + d;
            g_u32 both;
            PACK(both, o[h / 2][n][h % 2 * 2] * share, o[h / 2][n][h % 2 * 2 + 1] * share);
            if (r < rows && D % 2 == 0 && d < D)
                *(GND_GLOBAL g_u32 *)to = both;
            if (r < rows && D % 2 && d < D)
                to[0] = (g_u16)both;
            if (r < rows && D % 2 && d + 1 < D)
                to[1] = (g_u16)(both >> 16);
        }
    }
