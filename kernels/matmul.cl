/* SPDX-License-Identifier: BSD-3-Clause
 *
 * matmul.cl - matrix products, for prim/gemm.c, which writes the parameters, the types T (a value) and MT
 * (an element in memory) and LD, ST, ZERO, MAC(sum, x, y), ADD(sum, x) before them:
 *
 *     c[z][i][j] = sum over p of a[z][i][p] b[z][p][j],   i < M, j < N, p < K, z < NB
 *
 * at any strides: a[z][i][p] is at oa + z ab + i ar + p ac, and so on. Where the results are too few to
 * fill the device, K is cut into S chunks of KC: chunk s of c is cs behind the one before, and
 * matmul_parts adds them, in an order that does not depend on which groups are first.
 */

/* A group makes BM x BN results: WG = TX TY work-items of TM x TN in registers, by slices of BK through
 * local memory. While one slice is multiplied, the next one is on its way to registers. Rows of slices are
 * LA and LB elements long. A work-item's rows are V neighbours, the next ones V TY further; likewise
 * columns. */
//@text matmul_gpu
    GND_LOCAL T la[BK * LA] LOCAL_ALIGN, lb[BK * LB] LOCAL_ALIGN;
    const int f = (int)GND_LID(0), x = f % TX, y = f / TX;
    const g_i64 tn = (N + BN - 1) / BN, g = (g_i64)GND_GRP(0), h = (g_i64)GND_GRP(1);
    const g_i64 j0 = g % tn * BN, i0 = g / tn * BM, k1 = (h + 1) * KC < K ? (h + 1) * KC : K;
    const int mi = M - i0 < BM ? (int)(M - i0) : BM, nj = N - j0 < BN ? (int)(N - j0) : BN;
    /* neighbours read along the axis that is contiguous */
    const int ak = ac == 1, bk = bc != 1;
    const int ap = ak ? f % BK : f / BM, ai = ak ? f / BK : f % BM;
    const int bp = bk ? f % BK : f / BN, bj = bk ? f / BK : f % BN;
    const int dap = ak ? 0 : WG / BM, dai = ak ? WG / BK : 0, dbp = bk ? 0 : WG / BN, dbj = bk ? WG / BK : 0;
    const g_i64 da = dai * ar + dap * ac, db = dbj * bc + dbp * br;
    for (g_i64 z = (g_i64)GND_GRP(2); z < NB; z += (g_i64)GND_NGRP(2)) {
        T s[TM][TN], va[BM * BK / WG], vb[BN * BK / WG];
        g_i64 k0 = h * KC, pa = oa + z * ab + (i0 + ai) * ar + (k0 + ap) * ac;
        g_i64 pb = ob + z * bb + (j0 + bj) * bc + (k0 + bp) * br;
        int left = k1 - k0 < BK ? (int)(k1 - k0) : BK;
#define FETCH(v, n, buf, at, step, p, dp, q, dq, end, full) \
        if (end == full && left == BK) { \
            GND_CONST_GLOBAL MT *o = buf + at; \
            int e; \
            UNROLL \
            for (e = 0; e < n; e++) { v[e] = LD(o, 0); o += step; } \
        } else { \
            g_i64 o = at; \
            int e; \
            UNROLL \
            for (e = 0; e < n; e++) { \
                v[e] = ZERO; \
                if ((q) + e * (dq) < end && (p) + e * (dp) < left) v[e] = LD(buf, o); \
                o += step; \
            } \
        }
        UNROLL
        for (int i = 0; i < TM; i++) {
        UNROLL
            for (int j = 0; j < TN; j++) s[i][j] = ZERO;
        }
        FETCH(va, BM * BK / WG, a, pa, da, ap, dap, ai, dai, mi, BM)
        FETCH(vb, BN * BK / WG, b, pb, db, bp, dbp, bj, dbj, nj, BN)
        while (k0 < k1) {
        UNROLL
            for (int e = 0; e < BM * BK / WG; e++) la[(ap + e * dap) * LA + ai + e * dai] = va[e];
        UNROLL
            for (int e = 0; e < BN * BK / WG; e++) lb[(bp + e * dbp) * LB + bj + e * dbj] = vb[e];
            GND_BARRIER();
            k0 += BK;
            if (k0 < k1) {
                left = k1 - k0 < BK ? (int)(k1 - k0) : BK;
                pa += BK * ac;
                pb += BK * br;
                FETCH(va, BM * BK / WG, a, pa, da, ap, dap, ai, dai, mi, BM)
                FETCH(vb, BN * BK / WG, b, pb, db, bp, dbp, bj, dbj, nj, BN)
            }
        UNROLL
            for (int p = 0; p < BK; p++) {
                T ra[TM], rb[TN];
        UNROLL
                for (int i = 0; i < TM; i++) ra[i] = la[p * LA + i / V * (V * TY) + y * V + i % V];
        UNROLL
                for (int j = 0; j < TN; j++) rb[j] = lb[p * LB + j / V * (V * TX) + x * V + j % V];
        UNROLL
                for (int i = 0; i < TM; i++) {
        UNROLL
                    for (int j = 0; j < TN; j++) s[i][j] = MAC(s[i][j], ra[i], rb[j]);
                }
            }
            GND_BARRIER();
        }
        UNROLL
        for (int i = 0; i < TM; i++) {
        UNROLL
            for (int j = 0; j < TN; j++) {
                const int u = i / V * (V * TY) + y * V + i % V, v = j / V * (V * TX) + x * V + j % V;
                if (u < mi && v < nj) ST(c, oc + z * cb + h * cs + (i0 + u) * cr + (j0 + v) * cc, s[i][j]);
            }
        }
    }

/* CPUs: a work-item makes a block of 4 rows by 32 columns in private memory, walking its chunk of k once;
 * the inner loop runs along a row of b and vectorises. */
//@text matmul_cpu
    const g_i64 tn = (N + 31) / 32, h = (g_i64)GND_GRP(0) / tn;
    const g_i64 j0 = (g_i64)GND_GRP(0) % tn * 32, i0 = (g_i64)GND_GRP(1) * 4;
    const g_i64 k1 = (h + 1) * KC < K ? (h + 1) * KC : K;
    const int nj = N - j0 < 32 ? (int)(N - j0) : 32, ni = M - i0 < 4 ? (int)(M - i0) : 4;
    for (g_i64 z = (g_i64)GND_GRP(2); z < NB; z += (g_i64)GND_NGRP(2)) {
        T s[4][32];
        for (int i = 0; i < 4; i++) for (int j = 0; j < 32; j++) s[i][j] = ZERO;
        for (g_i64 k = h * KC; k < k1; k++) {
            T bv[32];
            for (int j = 0; j < nj; j++) bv[j] = LD(b, ob + z * bb + k * br + (j0 + j) * bc);
            for (int i = 0; i < ni; i++) {
                const T av = LD(a, oa + z * ab + (i0 + i) * ar + k * ac);
                for (int j = 0; j < nj; j++) s[i][j] = MAC(s[i][j], av, bv[j]);
            }
        }
        for (int i = 0; i < ni; i++) for (int j = 0; j < nj; j++)
            ST(c, oc + z * cb + h * cs + (i0 + i) * cr + (j0 + j) * cc, s[i][j]);
    }

/* CPUs: a work-item makes BI rows (at most BMOST) of COLS columns. It copies PK rows of b into private memory, two vectors
 * VT for each, and then takes 8 rows of a through them with the sums in registers. Two vectors are COLS elements, or the
 * real and the imaginary parts: PUT, GET and MACS know. Each sum is that of matmul_cpu: one after the other along k. */
//@text matmul_block
    const g_i64 tn = (N + COLS - 1) / COLS, h = (g_i64)GND_GRP(0) / tn;
    const g_i64 j0 = (g_i64)GND_GRP(0) % tn * COLS, i0 = (g_i64)GND_GRP(1) * BI;
    const g_i64 k1 = (h + 1) * KC < K ? (h + 1) * KC : K;
    const int nj = N - j0 < COLS ? (int)(N - j0) : COLS, ni = M - i0 < BI ? (int)(M - i0) : (int)BI;
    VT acc[BMOST][2], row[PK][2];
    for (g_i64 z = (g_i64)GND_GRP(2); z < NB; z += (g_i64)GND_NGRP(2)) {
        for (int i = 0; i < ni + 7 && i < BMOST; i++) acc[i][0] = acc[i][1] = (VT)0;
        for (g_i64 k = h * KC; k < k1; k += PK) {
            const int kn = k1 - k < PK ? (int)(k1 - k) : PK;
            g_i64 o = ob + z * bb + k * br + j0 * bc;
            for (int p = 0; p < kn; p++) {
                if (nj < COLS) {
                    for (int j = 0; j < COLS; j++) PUT(p, j, j < nj ? LD(b, o + j * bc) : ZERO)
                } else if (bc == 1) {
                    for (int j = 0; j < COLS; j++) PUT(p, j, LD(b, o + j))
                } else {
                    for (int j = 0; j < COLS; j++) PUT(p, j, LD(b, o + j * bc))
                }
                o += br;
            }
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define BEGIN(r) \
            g_i64 a##r = oa + z * ab + (i0 + (i + r < ni ? i + r : ni - 1)) * ar + k * ac; \
            VT s##r = acc[i + r][0], t##r = acc[i + r][1];
#define STEP(r) { const T w = LD(a, a##r); MACS(s##r, t##r, w, x, y) a##r += ac; }
#define END(r) acc[i + r][0] = s##r; acc[i + r][1] = t##r;
            for (int i = 0; i < ni; i += 8) {
                EACH(BEGIN)
                for (int p = 0; p < kn; p++) {
                    const VT x = row[p][0], y = row[p][1];
                    EACH(STEP)
                }
                EACH(END)
            }
        }
        for (int i = 0; i < ni; i++)
            for (int j = 0; j < nj; j++) ST(c, oc + z * cb + h * cs + (i0 + i) * cr + (j0 + j) * cc, GET(i, j));
    }

/* The sum of S parts for each of MN results of NB products: a group of COLS x LANES work-items has COLS results, and
 * lane l adds the parts l, l + LANES and so on. */
//@text matmul_parts
    GND_LOCAL T sum[COLS * LANES];
    const int f = (int)GND_LID(0), l = f / COLS;
    const g_i64 e = (g_i64)GND_GRP(0) * COLS + f % COLS;
    for (g_i64 z = (g_i64)GND_GRP(2); z < NB; z += (g_i64)GND_NGRP(2)) {
        T s = ZERO;
        if (e < M * N) {
            g_i64 at = op + z * S * (M * N) + e;
            UNROLL4
            for (g_i64 k = l; k < S; k += LANES) s = ADD(s, LDP(parts, at + k * (M * N)));
        }
        sum[f] = s;
        GND_BARRIER();
        if (l == 0 && e < M * N) {
            for (int k = 1; k < LANES; k++) s = ADD(s, sum[f + k * COLS]);
            ST(c, oc + z * cb + e / N * cr + e % N * cc, s);
        }
        GND_BARRIER();
    }

/* Many small products, PER of them by a group: their operands and results pass through local memory, so that accesses
 * of memory are contiguous where matrices are. A work-item makes TM x TN results at a time, MB rows and NW columns apart.
 * SM x SK by SK x SN, with AK and BK: whether rows of a, columns of b are contiguous along the sum. */
//@text matmul_small
    GND_LOCAL T la[PER * SM * PA], lb[PER * SK * SN], lc[PER * SM * SN];
    const int lid = (int)GND_LID(0);
    for (g_i64 first = (g_i64)GND_GRP(0) * PER; first < NB; first += (g_i64)GND_NGRP(0) * PER) {
        const int here = NB - first < PER ? (int)(NB - first) : PER;
        for (int x = lid; x < here * (SM * SK); x += WG) {
            const int z = x / (SM * SK), r = x % (SM * SK), i = AK ? r / SK : r % SM, p = AK ? r % SK : r / SM;
            la[(z * SM + i) * PA + p] = LD(a, oa + (first + z) * ab + i * ar + p * ac);
        }
        for (int x = lid; x < here * (SK * SN); x += WG) {
            const int z = x / (SK * SN), r = x % (SK * SN), p = BK ? r % SK : r / SN, j = BK ? r / SK : r % SN;
            lb[(z * SK + p) * SN + j] = LD(b, ob + (first + z) * bb + p * br + j * bc);
        }
        GND_BARRIER();
        for (int x = lid; x < here * (MB * NW); x += WG) {
            const int z = x / (MB * NW), i = x / NW % MB, j = x % NW;
            T s[TM][TN];
            UNROLL
            for (int t = 0; t < TM * TN; t++)
                s[t / TN][t % TN] = ZERO;
            UNROLL
            for (int p = 0; p < SK; p++) {
                T y[TN];
                UNROLL
                for (int u = 0; u < TN; u++)
                    y[u] = lb[(z * SK + p) * SN + (j + u * NW < SN ? j + u * NW : SN - 1)];
                UNROLL
                for (int t = 0; t < TM; t++) {
                    const T w = la[(z * SM + (i + t * MB < SM ? i + t * MB : SM - 1)) * PA + p];
                    UNROLL
                    for (int u = 0; u < TN; u++)
                        s[t][u] = MAC(s[t][u], w, y[u]);
                }
            }
            UNROLL
            for (int t = 0; t < TM * TN; t++) {
                const int row = i + t / TN * MB, col = j + t % TN * NW;
                if (row < SM && col < SN)
                    lc[(z * SM + row) * SN + col] = s[t / TN][t % TN];
            }
        }
        GND_BARRIER();
        for (int x = lid; x < here * (SM * SN); x += WG) {
            const int z = x / (SM * SN), r = x % (SM * SN);
            ST(c, oc + (first + z) * cb + r / SN * cr + r % SN * cc, lc[x]);
        }
        GND_BARRIER();
    }
