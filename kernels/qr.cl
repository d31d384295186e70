/* SPDX-License-Identifier: BSD-3-Clause
 *
 * qr.cl - the QR decomposition of many small matrices, a group each, by Householder's reflections as LAPACK's geqr2
 * and org2r make them (lib/prim/qr_batch.c, which defines GROUP work-items, LANES of them side by side along columns,
 * room for ROWS and COLS, SPACE elements in local memory or 0, and the arithmetic of a dtype).
 */
//@fn barrierall u32 opencl
#define gnd_barrierall_u32() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
//@fn barrierall u32 cuda
#define gnd_barrierall_u32() __syncthreads()
//@text qr_batch
    GND_LOCAL $T v[ROWS], tau[COLS], part[GROUP];
    GND_LOCAL $R sums[32];
    GND_LOCAL int power[COLS];
#if SPACE
    GND_LOCAL $T w[SPACE];
#define BARRIER() GND_BARRIER()
#else
    GND_GLOBAL $T *w = space + (g_i64)GND_GRP(0) * m * pitch;
#define BARRIER() gnd_barrierall_u32()
#endif
#define W(i, c) w[(i) * ld + (c)]
    const int t = (int)GND_LID(0), lane = t % LANES, team = t / LANES, teams = GROUP / LANES;
    const int rows = (int)m, wide = (int)n, all = (int)cols, high = (int)rows_r, ld = (int)pitch;
    const int q = rows < wide ? rows : wide;
    const g_i64 from = (g_i64)GND_GRP(0) * m * n;
    for (int k = t; k < rows * wide; k += GROUP)
        W(k / wide, k % wide) = IN_x(from + k % wide * rows + k / wide); /* a transposed view, mostly */
    BARRIER();
    /* each column by a power of 2, so that squares neither overflow nor vanish */
    for (int c = t; c < wide; c += GROUP) {
        $R most = 0;
        for (int i = 0; i < rows; i++)
            most = fmax(most, SIZE(W(i, c)));
        const int e = gnd_frexpe_$r(most);
        power[c] = e;
        for (int i = 0; i < rows && e != 0; i++)
            W(i, c) = SCALED(W(i, c), -e);
    }
    BARRIER();
    /* columns from `first` up to `end`: less v times f times their products with v, which begins in row j */
#define REFLECT(f, first, end) \
    for (int b = first; b < end; b += LANES) { \
        const int c = b + lane; \
        $T s = VALUE(0); \
        if (c < end) \
            for (int i = j + team; i < rows; i += teams) \
                s = s + MUL(CONJ(v[i]), W(i, c)); \
        part[t] = s; \
        GND_BARRIER(); \
        if (c < end) { \
            s = part[lane]; \
            for (int k = 1; k < teams; k++) \
                s = s + part[k * LANES + lane]; \
            s = MUL(f, s); \
            for (int i = j + team; i < rows; i += teams) \
                W(i, c) = W(i, c) - MUL(v[i], s); \
        } \
        BARRIER(); \
    }
    for (int j = 0; j < q; j++) {
        if (t < 32) {
            $R s = 0;
            for (int i = j + 1 + t; i < rows; i += 32)
                s += SQUARE(W(i, j));
            sums[t] = s;
        }
        const $T alpha = W(j, j);
        BARRIER();
        $R rest = sums[0];
        for (int k = 1; k < 32; k++)
            rest += sums[k];
        $T f = VALUE(0), by = VALUE(0), beta = alpha;
        if (!STANDS(alpha, rest)) { /* NaN does not */
            const $R size = sqrt(SQUARE(alpha) + rest);
            beta = VALUE(REAL(alpha) < 0 ? size : -size);
            f = DIV(beta - alpha, beta);
            by = DIV(VALUE(1), alpha - beta);
        }
        for (int i = j + t; i < rows; i += GROUP) {
            const $T z = i == j ? VALUE(1) : MUL(W(i, j), by);
            v[i] = z;
            W(i, j) = i == j ? beta : z;
        }
        if (t == 0)
            tau[j] = f;
        BARRIER();
        REFLECT(CONJ(f), j + 1, wide)
    }
    for (int k = t; k < high * wide; k += GROUP) {
        const int i = k % high, c = k / high;
        gnd_st_$t(r, begin_r + (g_i64)GND_GRP(0) * high * wide + k, i > c ? VALUE(0) : SCALED(W(i, c), power[c]));
    }
    BARRIER();
    for (int k = t; k < rows * (all - q); k += GROUP)
        W(k % rows, q + k / rows) = VALUE(k % rows == q + k / rows);
    /* every reflection, the last one first, on columns of the unit matrix, in their own place */
    for (int j = q - 1; j >= 0; j--) {
        const $T f = tau[j];
        for (int i = j + t; i < rows; i += GROUP)
            v[i] = i == j ? VALUE(1) : W(i, j);
        BARRIER();
        for (int i = t; i < rows; i += GROUP)
            W(i, j) = i < j ? VALUE(0) : VALUE(i == j) - MUL(f, v[i]);
        REFLECT(f, j + 1, all)
        if (j + 1 >= all)
            BARRIER();
    }
    for (int k = t; k < rows * all; k += GROUP)
        gnd_st_$t(y, begin + (g_i64)GND_GRP(0) * m * room + k, W(k % rows, k / rows));
