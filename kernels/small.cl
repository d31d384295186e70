// SPDX-License-Identifier: BSD-3-Clause
//
// small.cl - factors of many small matrices, LU with partial pivoting, each by one work-item in its registers, and
// what follows of them (lib/prim/small.c). N: the side. WHAT: 0 the diagonal of U and the sign of the exchanges,
// 1 the determinant, 2 the inverse, 3 the solution for K right sides, 4 Cholesky's factor in place of LU. GROUP work-items pass their matrices through
// local memory, PITCH elements each, so that accesses of memory are contiguous; GROUP 0: each has EACH matrices, and
// reads and writes them itself.
//
// All indices of a and row are constants once the loops are unrolled (UNROLL), so that these are registers: rows are
// exchanged by selections, and the sizes of loops do not depend on the pivot.

/* Keeps the least v as 2^31 - 1 - v, so that 0 means none. */
//@fn firstbad i32 opencl
#define gnd_firstbad_i32(p, v) ((void)atomic_max((volatile GND_GLOBAL g_i32 *)(p), 0x7fffffff - (v)))
//@fn firstbad i32 cuda
#define gnd_firstbad_i32(p, v) ((void)atomicMax(p, 0x7fffffff - (v)))
//@text small
    $T a[N * N];
#if GROUP
    GND_LOCAL $T space[GROUP * PITCH];
    const int lid = (int)GND_LID(0);
    const g_i64 first = (g_i64)GND_GRP(0) * GROUP, b = first + lid;
    const int here = batch - first < GROUP ? (int)(batch - first) : GROUP;
    for (int k = lid; k < here * (N * N); k += GROUP)
        space[k / (N * N) * PITCH + k % (N * N)] = IN_x(first * (N * N) + k);
    GND_BARRIER();
#define TAKE(k) space[lid * PITCH + (k)]
    if (lid < here) {
#else
    const g_i64 first = (g_i64)GND_GID(0) * EACH;
#define TAKE(k) IN_x(b * (N * N) + (k))
    for (g_i64 b = first; b < first + EACH && b < batch; b++) {
#endif
        $R lost = 0;
        int none = -1;
        UNROLL
        for (int k = 0; k < N * N; k++) {
            a[k] = TAKE(k);
            if (WHAT != 4 || k % N <= k / N)
                lost += NONE(a[k]);
        }
        const int sound = lost == 0;
#if WHAT == 4
        UNROLL
        for (int j = 0; j < N; j++) {
            $R d = REAL(a[j * N + j]);
            UNROLL
            for (int k = 0; k < j; k++)
                d -= SQUARE(a[j * N + k]);
            none = none < 0 && !(d > 0) ? j : none;
            d = sqrt(d);
            a[j * N + j] = VALUE(d);
            UNROLL
            for (int i = j + 1; i < N; i++) {
                $T s = a[i * N + j];
                UNROLL
                for (int k = 0; k < j; k++)
                    s = s - MUL(a[i * N + k], CONJ(a[j * N + k]));
                a[i * N + j] = OVER(s, d);
            }
        }
        if (none >= 0 || !sound)
            gnd_firstbad_i32(bad, (int)b * (N + 1) + (sound ? none : N));
        UNROLL
        for (int k = 0; k < N * N; k++) {
            const $T s = k % N <= k / N ? a[k] : VALUE(0);
#if GROUP
            space[lid * PITCH + k] = s;
#else
            gnd_st_$t(y, b * (N * N) + k, s);
#endif
        }
#else
        int odd = 0, row[N];
        $T x[N];
        UNROLL
        for (int j = 0; j < N; j++)
            row[j] = j;
        UNROLL
        for (int j = 0; j < N; j++) {
            int p = j;
            $R most = SIZE(a[j * N + j]);
            UNROLL
            for (int i = j + 1; i < N; i++) {
                const $R size = SIZE(a[i * N + j]);
                p = size > most ? i : p;
                most = size > most ? size : most;
            }
            odd ^= p != j;
            none = none < 0 && most == 0 ? j : none;
            UNROLL
            for (int i = j + 1; i < N; i++) {
                const int swap = i == p, r = row[j];
                row[j] = swap ? row[i] : r;
                row[i] = swap ? r : row[i];
                UNROLL
                for (int c = 0; c < N; c++) {
                    const $T u = a[j * N + c], v = a[i * N + c];
                    a[j * N + c] = swap ? v : u;
                    a[i * N + c] = swap ? u : v;
                }
            }
            UNROLL
            for (int i = j + 1; i < N; i++) {
                const $T f = most == 0 ? VALUE(0) : DIV(a[i * N + j], a[j * N + j]);
                a[i * N + j] = f;
                UNROLL
                for (int c = j + 1; c < N; c++)
                    a[i * N + c] = a[i * N + c] - MUL(f, a[j * N + c]);
            }
        }
#if WHAT == 0
        UNROLL
        for (int j = 0; j < N; j++)
            gnd_st_$t(y, b * (N + 1) + j, sound ? a[j * N + j] : VALUE(lost));
        gnd_st_$t(y, b * (N + 1) + N, VALUE(odd ? -1 : 1));
#elif WHAT == 1
        $T d = VALUE(odd ? -1 : 1);
        UNROLL
        for (int j = 0; j < N; j++)
            d = MUL(d, a[j * N + j]);
        gnd_st_$t(y, b, sound ? d : VALUE(lost));
#else
        if (none >= 0 && sound)
            gnd_firstbad_i32(bad, (int)b * (N + 1) + none);
#if WHAT == 3
        for (int c = 0; c < K; c++) {
#else
        UNROLL
        for (int c = 0; c < N; c++) {
#endif
            UNROLL
            for (int i = 0; i < N; i++) {
#if WHAT == 3
                $T s = IN_b((b * N + row[i]) * K + c);
#else
                $T s = VALUE(row[i] == c);
#endif
                UNROLL
                for (int k = 0; k < i; k++)
                    s = s - MUL(a[i * N + k], x[k]);
                x[i] = s;
            }
            UNROLL
            for (int i = N - 1; i >= 0; i--) {
                $T s = x[i];
                UNROLL
                for (int k = i + 1; k < N; k++)
                    s = s - MUL(a[i * N + k], x[k]);
                x[i] = DIV(s, a[i * N + i]);
            }
            UNROLL
            for (int i = 0; i < N; i++) {
                const $T s = sound ? x[i] : VALUE(lost);
#if WHAT == 3
                gnd_st_$t(y, (b * N + i) * K + c, s);
#elif GROUP
                space[lid * PITCH + i * N + c] = s;
#else
                gnd_st_$t(y, b * (N * N) + i * N + c, s);
#endif
            }
        }
#endif
#endif
    }
#if GROUP && (WHAT == 2 || WHAT == 4)
    GND_BARRIER();
    for (int k = lid; k < here * (N * N); k += GROUP)
        gnd_st_$t(y, first * (N * N) + k, space[k / (N * N) * PITCH + k % (N * N)]);
#endif
