/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cores.cl - tensor cores: instructions of NVIDIA's GPUs from compute capability 8.0 on, as PTX, which both NVRTC and
 * NVIDIA's OpenCL take, and the product of matrices by them (prim/gemm.c, prim/cores.c).
 */

/* An address of local memory as PTX wants it; a barrier that tells every work-item whether one of them said yes; a
 * value of the lane whose number differs in the bits n. */
//@text cores_names cuda
#define SHARED(p) ((g_u32)__cvta_generic_to_shared(p))
#define SOME(r, is) r = __syncthreads_or(is)
#define CROSS(v, n) gnd_cross_f32(v, n)
//@text cores_names opencl
#define SHARED(p) ((g_u32)(size_t)(p))
#define SOME(r, is) \
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.s32 %0, 1, 0, q; }" \
                 : "=r"(r) : "r"((g_i32)(is)) : "memory")
GND_INLINE g_f32 cross_(g_f32 v, g_i32 n)
{
    g_f32 r;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(r) : "f"(v), "r"(n));
    return r;
}
#define CROSS(v, n) cross_(v, n)

/* COPY16 and COPY: so many bytes, of which n are read and the others become 0, on their way from memory to local
 * memory; SENT ends a group of such copies, and ARRIVED(n) waits for all but the last n groups,
 * n a number. LDSM reads four blocks
 * of 8 x 8 elements of 16 bits, MMA16 multiplies by them, and PACK rounds two floats to such elements. */
//@text cores_asm
#define COPY16(to, from, n) \
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(n) : "memory")
#define COPY(bytes, to, from, n) \
    asm volatile("cp.async.ca.shared.global [%0], [%1], " #bytes ", %2;" :: "r"(to), "l"(from), "r"(n) : "memory")
#define SENT() asm volatile("cp.async.commit_group;" ::: "memory")
#define ARRIVED_(n) asm volatile("cp.async.wait_group " #n ";" ::: "memory")
#define ARRIVED(n) ARRIVED_(n)
#define LDSM(r, trans, at) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 {%0, %1, %2, %3}, [%4];" \
                 : "=r"((r)[0]), "=r"((r)[1]), "=r"((r)[2]), "=r"((r)[3]) : "r"(at) : "memory")
#define MMA16(s, a, b) \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." T16 "." T16 ".f32 " \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
        : "+f"((s)[0]), "+f"((s)[1]), "+f"((s)[2]), "+f"((s)[3]) \
        : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "r"((b)[0]), "r"((b)[1]))
#define PACK(r, low, high) asm("cvt.rn." T16 "x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low))

/* The product of 16-bit elements: how slices lie in local memory and how a warp multiplies them. A line is BK terms of
 * a row of a (AK) or a column of b (BKC), or a term of BM rows or BN columns, in pieces of 8 elements whose order
 * depends on the line, so that what a warp reads at once lies in different banks. W: the pieces of a line;
 * JUMP: from a work-item's piece to its next, WG pieces further. SINGLES: a
 * piece of a view that begins or goes on at odd places. */
//@text cores_of_2
#define EACH 8
#define PLACE(line, piece, W) \
    (((line) * (W) + ((W) >= 8 ? (piece) ^ (line) % 8 : (piece) ^ (line) / 2 % 4)) * 16)
#define JUMP(W) (WG * 16)
#define SINGLES(to, from, n) \
    { \
        g_u32 u[4]; \
        UNROLL \
        for (int h = 0; h < 4; h++) u[h] = (2 * h < n ? (g_u32)(from)[2 * h] : 0) | \
                                           (2 * h + 1 < n ? (g_u32)(from)[2 * h + 1] << 16 : 0); \
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" \
                     :: "r"(to), "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]) : "memory"); \
    }
#define MULTIPLY(at_a, at_b) \
    UNROLL \
    for (int p = 0; p < BK / 16; p++) { \
        g_u32 fa[TM / 16][4], fb[TN / 16][4]; \
        UNROLL \
        for (int i = 0; i < TM / 16; i++) { \
            if (AK) \
                LDSM(fa[i], "", at_a + PLACE(wm + i * 16 + lane % 16, p * 2 + lane / 16, BK / 8)); \
            else \
                LDSM(fa[i], ".trans", at_a + PLACE(p * 16 + lane / 16 * 8 + lane % 8, \
                                                   wm / 8 + i * 2 + lane / 8 % 2, BM / 8)); \
        } \
        UNROLL \
        for (int j = 0; j < TN / 16; j++) { \
            if (BKC) \
                LDSM(fb[j], "", at_b + PLACE(wn + j * 16 + lane / 16 * 8 + lane % 8, \
                                             p * 2 + lane / 8 % 2, BK / 8)); \
            else \
                LDSM(fb[j], ".trans", at_b + PLACE(p * 16 + lane % 16, wn / 8 + j * 2 + lane / 16, BN / 8)); \
        } \
        UNROLL \
        for (int i = 0; i < TM / 16; i++) { \
            UNROLL \
            for (int j = 0; j < TN / 8; j++) MMA16(s[i][j], fa[i], fb[j / 2] + j % 2 * 2); \
        } \
    }

/* The same of float64, in pieces of two elements; lines have PAD more. WIDE_MMA: instructions of compute capability 9.0
 * multiply 16 x 8 by 8 x 8, those before 8 x 4 by 4 x 8. */
//@text cores_of_8
#define EACH 2
#define PAD 4
#define PLACE(line, piece, W) (((line) * ((W) * 2 + PAD) + (piece) * 2) * 8)
#define JUMP(W) (WG / (W) * ((W) * 2 + PAD) * 8)
#define SINGLES(to, from, n) \
    { \
        COPY(8, to, from, (n > 0) * 8); \
        COPY(8, to + 8, from + (n > 1), (n > 1) * 8); \
    }
#if WIDE_MMA && (!defined __CUDA_ARCH__ || __CUDA_ARCH__ >= 900)
#define MMA8(s, a, b) \
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " \
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
        : "+d"((s)[0]), "+d"((s)[1]), "+d"((s)[2]), "+d"((s)[3]) \
        : "d"((a)[0]), "d"((a)[1]), "d"((a)[2]), "d"((a)[3]), "d"((b)[0]), "d"((b)[1]))
#else
#define MMA4(s, a, b) \
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" \
        : "+d"((s)[0]), "+d"((s)[1]) : "d"(a), "d"(b))
#define MMA8(s, a, b) \
    { \
        MMA4(s, (a)[0], (b)[0]); \
        MMA4(s + 2, (a)[1], (b)[0]); \
        MMA4(s, (a)[2], (b)[1]); \
        MMA4(s + 2, (a)[3], (b)[1]); \
    }
#endif
#define OF_A(row, term) xa[AK ? (row) * (BK + PAD) + (term) : (term) * (BM + PAD) + (row)]
#define OF_B(term, col) xb[BKC ? (col) * (BK + PAD) + (term) : (term) * (BN + PAD) + (col)]
#define MULTIPLY(at_a, at_b) \
    UNROLL \
    for (int p = 0; p < BK; p += 8) { \
        GND_LOCAL_PTR const g_f64 *xa = la + (at_a - to_a) / 8, *xb = lb + (at_b - to_b) / 8; \
        g_f64 fa[TM / 16][4], fb[TN / 8][2]; \
        UNROLL \
        for (int i = 0; i < TM / 4; i++) \
            fa[i / 4][i % 4] = OF_A(wm + i / 4 * 16 + i % 2 * 8 + lane / 4, p + i / 2 % 2 * 4 + lane % 4); \
        UNROLL \
        for (int j = 0; j < TN / 4; j++) fb[j / 2][j % 2] = OF_B(p + j % 2 * 4 + lane % 4, wn + j / 2 * 8 + lane / 4); \
        UNROLL \
        for (int i = 0; i < TM / 16; i++) { \
            UNROLL \
            for (int j = 0; j < TN / 8; j++) MMA8(s[i][j], fa[i], fb[j]); \
        } \
    }

/* A group has BM x BN results, and a warp TM x TN of them in registers. While a slice of BK terms is multiplied, the
 * next STAGES - 1 (AHEAD and one) are on their way to local memory. What is beyond an edge is 0 there. Groups that run
 * at the same time have tiles near one another. The sum of a result goes along k in slices: it depends on the shape
 * only.
 * PAIRS: two elements of 16 bits are written at once if the first of all is aligned to 4 bytes.
 * WAY_A, WAY_B: the bytes that a copy may take if the first line is aligned to them: 16, 4, or 1 for no copies. */
//@text matmul_cores
    GND_LOCAL MT la[STAGES * ROOM_A] LOCAL_ALIGN, lb[STAGES * ROOM_B] LOCAL_ALIGN;
    const int lid = (int)GND_LID(0), lane = lid % 32, warp = lid / 32;
    const int wm = warp / (BN / TN) * TM, wn = warp % (BN / TN) * TN;
    const g_i64 tm = (M + BM - 1) / BM, tn = (N + BN - 1) / BN, h = (g_i64)GND_GRP(1);
    const g_i64 g = (g_i64)GND_GRP(0), band = g / (8 * tn) * 8, high = tm - band < 8 ? tm - band : 8;
    const g_i64 i0 = (band + g % (8 * tn) % high) * BM, j0 = g % (8 * tn) / high * BN;
    const g_i64 k0 = h * KC, k1 = k0 + KC < K ? k0 + KC : K;
    const int mi = M - i0 < BM ? (int)(M - i0) : BM, nj = N - j0 < BN ? (int)(N - j0) : BN;
    const g_u32 to_a = SHARED(la), to_b = SHARED(lb);
    const g_i64 line_a = AK ? ar : ac, line_b = BKC ? bc : br;
#define PIECE(width, line) (lid / ((width) / EACH) * (line) + lid % ((width) / EACH) * EACH)
#define SEND(to, mine, from, line, way, fast, L, W, lines, width) \
    if (way == 16 && fast && left == BK && (width) % EACH == 0) { /* pieces are whole or beyond an edge */ \
        const int r = lid / (W), within = lid % (W) * EACH < (width); \
        const g_u32 at = to + PLACE(r, lid % (W), W); \
        GND_CONST_GLOBAL MT *o = mine; \
        UNROLL \
        for (int q = 0; q < (L) * (W) / WG; q++) { \
            const int is = within && r + q * (WG / (W)) < (lines); \
            COPY16(at + q * JUMP(W), is ? o : from, is ? 16 : 0); \
            o += WG / (W) * line; \
        } \
    } else { \
        for (int e = lid; e < (L) * (W); e += WG) { \
            const int r = e / (W), c = e % (W) * EACH, rest = r < (lines) ? (width) - c : 0; \
            const int n = rest < 0 ? 0 : rest < EACH ? rest : EACH; \
            GND_CONST_GLOBAL MT *const o = from + (n > 0 ? r * line + c : 0); \
            const g_u32 at = to + PLACE(r, e % (W), W); \
            if (way == 16 && fast) { \
                COPY16(at, o, n * (16 / EACH)); \
            } else if (way == 4 && fast) { \
                UNROLL \
                for (int q = 0; q < 8; q += 2) \
                    COPY(4, at + q * 2, o + (q < n ? q : 0), q < n ? (n - q < 2 ? 2 : 4) : 0); \
            } else { \
                SINGLES(at, o, n) \
            } \
        } \
    }
    /* The next slice: its first line is at pa and pb, and the first piece of a work-item at ga and gb. */
#define FETCH(stage, first) \
    { \
        const int left = k1 - (first) < BK ? (int)(k1 - (first)) : BK; \
        const g_u32 sa = to_a + (stage) * ROOM_A * (16 / EACH), sb = to_b + (stage) * ROOM_B * (16 / EACH); \
        if (AK) { \
            SEND(sa, ga, pa, line_a, WAY_A, fast_a, BM, BK / EACH, mi, left) \
        } else { \
            SEND(sa, ga, pa, line_a, WAY_A, fast_a, BK, BM / EACH, left, mi) \
        } \
        if (BKC) { \
            SEND(sb, gb, pb, line_b, WAY_B, fast_b, BN, BK / EACH, nj, left) \
        } else { \
            SEND(sb, gb, pb, line_b, WAY_B, fast_b, BK, BN / EACH, left, nj) \
        } \
        pa += BK * ac; \
        pb += BK * br; \
        ga += BK * ac; \
        gb += BK * br; \
    }
    for (g_i64 z = (g_i64)GND_GRP(2); z < NB; z += (g_i64)GND_NGRP(2)) {
        GND_CONST_GLOBAL MT *pa = a + oa + z * ab + i0 * ar, *pb = b + ob + z * bb + j0 * bc;
        const int fast_a = (size_t)pa % WAY_A == 0, fast_b = (size_t)pb % WAY_B == 0;
        pa += k0 * ac;
        pb += k0 * br;
        GND_CONST_GLOBAL MT *ga = pa + PIECE(AK ? BK : BM, line_a), *gb = pb + PIECE(BKC ? BK : BN, line_b);
        T s[TM / 16][TN / 8][4];
        int stage = 1;  /* of the slice at k */
        UNROLL
        for (int i = 0; i < TM / 16 * (TN / 8) * 4; i++) s[i / 4 / (TN / 8)][i / 4 % (TN / 8)][i % 4] = 0;
        for (g_i64 k = k0 - (STAGES - 1) * BK; k < k1; k += BK) {
            const g_i64 next = k + (STAGES - 1) * BK;
            if (k >= k0) {
                ARRIVED(AHEAD);
                GND_BARRIER();
            }
            if (next < k1) FETCH(stage == 0 ? STAGES - 1 : stage - 1, next)
            SENT();
            if (k >= k0) {
                const g_u32 at_a = to_a + stage * ROOM_A * (16 / EACH), at_b = to_b + stage * ROOM_B * (16 / EACH);
                MULTIPLY(at_a, at_b)
            }
            stage = stage == STAGES - 1 ? 0 : stage + 1;
        }
        ARRIVED(0);
        GND_BARRIER();
        GND_GLOBAL OT *const to = c + oc + z * cb + h * cs + i0 * cr + j0 * cc;
        const int pairs = PAIRS && (size_t)to % 4 == 0, u0 = wm + lane / 4, v0 = wn + lane % 4 * 2;
        UNROLL
        for (int i = 0; i < TM / 8; i++) {
            GND_GLOBAL OT *const row = to + (u0 + i * 8) * cr + v0 * cc;
            const int end = u0 + i * 8 < mi ? nj - v0 : 0;
            UNROLL
            for (int j = 0; j < TN / 8; j++) {
                const T x = s[i / 2][j][i % 2 * 2], y = s[i / 2][j][i % 2 * 2 + 1];
                BOTH(row + j * 8 * cc, x, y, j * 8 < end, j * 8 + 1 < end)
            }
        }
    }
