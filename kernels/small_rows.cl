// SPDX-License-Identifier: BSD-3-Clause
//
// small_rows.cl - factors of many matrices that are too large for the registers of a work-item, and what follows of
// them, as in small.cl: LANES work-items have a matrix, each a row, in local memory, and a group of GROUP has PER
// matrices (lib/prim/small.c). Loops are not unrolled: with rows in registers compilers took seconds. Macros as there. Pivots are the first ones of the greatest size; rows stay where they
// are, and `place` is where LAPACK's exchanges would have put them.

//@text small_rows
    GND_LOCAL $T space[PER * N * PITCH], line[PER * N];
    GND_LOCAL $R great[GROUP];
    GND_LOCAL int rows[PER * N];
    const int lid = (int)GND_LID(0), mine = lid / LANES, lane = lid % LANES;
    const g_i64 first = (g_i64)GND_GRP(0) * PER, number = first + mine;
    const int here = batch - first < PER ? (int)(batch - first) : PER, live = mine < here;
    const int own = lane < N ? lane : N - 1; /* the row; work-items beyond N only look */
#define S(i, c) space[(mine * N + (i)) * PITCH + (c)]
#define LINE(c) line[mine * N + (c)]
#define GREAT(i) great[mine * LANES + (i)]
    $R lost = 0;
    int none = -1;
    for (int k = lid; k < PER * (N * N); k += GROUP)
        space[k / N * PITCH + k % N] = k < here * (N * N) ? IN_x(first * (N * N) + k) : VALUE(k / N % N == k % N);
    GND_BARRIER();
    for (int c = 0; c < (WHAT == 4 ? own + 1 : N); c++)
        lost += NONE(S(own, c));
    GREAT(lane) = lost;
    GND_BARRIER();
    lost = 0;
    for (int i = 0; i < N; i++)
        lost += GREAT(i);
    const int sound = lost == 0;
#if WHAT == 4
    for (int j = 0; j < N; j++) {
        const $R d = REAL(S(j, j)), root = sqrt(d);
        none = none < 0 && !(d > 0) ? j : none;
        const $T l = OVER(S(own, j), root);
        GND_BARRIER();
        if (lane >= j && lane < N) {
            LINE(lane) = l;
            S(lane, j) = lane == j ? VALUE(root) : l;
        }
        GND_BARRIER();
        if (lane < N)
            for (int c = j + 1; c <= lane; c++)
                S(lane, c) = S(lane, c) - MUL(l, CONJ(LINE(c)));
        GND_BARRIER();
    }
    if (lane == 0 && live && (none >= 0 || !sound))
        gnd_firstbad_i32(bad, (int)number * (N + 1) + (sound ? none : N));
    if (lane < N)
        for (int c = lane + 1; c < N; c++)
            S(lane, c) = VALUE(0);
#else
    int place = lane < N ? -1 : N;
    for (int j = 0; j < N; j++) {
        const $R size = lane < N ? SIZE(S(lane, j)) : 0;
        GND_BARRIER();
        GREAT(lane) = place >= 0 ? -1 : size == size ? size : GND_INF_$r; /* NaN by overflow is a pivot */
        GND_BARRIER();
        int p = 0;
        $R most = -1;
        _Pragma("unroll 4")
        for (int i = 0; i < N; i++) {
            const $R other = GREAT(i);
            p = other > most ? i : p;
            most = other > most ? other : most;
        }
        none = none < 0 && most == 0 ? j : none;
        place = lane == p ? j : place;
        if (place < 0) {
            const $T f = most == 0 ? VALUE(0) : DIV(S(lane, j), S(p, j));
            S(lane, j) = f;
            for (int c = j + 1; c < N; c++)
                S(lane, c) = S(lane, c) - MUL(f, S(p, c));
        }
    }
    place = sound ? place : lane; /* with NaN, rows may have no place */
    if (lane < N)
        rows[mine * N + place] = lane;
    GND_BARRIER();
#if WHAT < 2
    if (lane == 0 && live) {
        int odd = 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < i; k++)
                odd ^= rows[mine * N + k] > rows[mine * N + i];
        $T d = VALUE(odd ? -1 : 1);
        for (int j = 0; j < N; j++) {
            const $T pivot = sound ? S(rows[mine * N + j], j) : VALUE(lost);
#if WHAT == 0
            gnd_st_$t(y, number * (N + 1) + j, pivot);
#else
            d = MUL(d, pivot);
#endif
        }
#if WHAT == 0
        gnd_st_$t(y, number * (N + 1) + N, d);
#else
        gnd_st_$t(y, number, sound ? d : VALUE(lost));
#endif
    }
#else
    GND_LOCAL $T solved[PER * N * LANES];
#define X(i) solved[(mine * N + (i)) * LANES + lane]
    if (lane == 0 && live && none >= 0 && sound)
        gnd_firstbad_i32(bad, (int)number * (N + 1) + none);
    for (int c = lane; c < (live ? K : 0); c += LANES) {
        for (int i = 0; i < N; i++) {
            const int row = rows[mine * N + i];
#if WHAT == 3
            $T s = IN_b((number * N + row) * K + c);
#else
            $T s = VALUE(row == c);
#endif
            _Pragma("unroll 4")
            for (int k = 0; k < i; k++)
                s = s - MUL(S(row, k), X(k));
            X(i) = s;
        }
        for (int i = N - 1; i >= 0; i--) {
            const int row = rows[mine * N + i];
            $T s = X(i);
            _Pragma("unroll 4")
            for (int k = i + 1; k < N; k++)
                s = s - MUL(S(row, k), X(k));
            s = DIV(s, S(row, i));
            X(i) = s;
#if WHAT == 3
            gnd_st_$t(y, (number * N + i) * K + c, sound ? s : VALUE(lost));
#endif
        }
    }
#if WHAT == 2
    GND_BARRIER();
    if (lane < N)
        for (int i = 0; i < N; i++)
            S(i, lane) = sound ? X(i) : VALUE(lost);
#endif
#endif
#endif
#if WHAT == 2 || WHAT == 4
    GND_BARRIER();
    for (int k = lid; k < here * (N * N); k += GROUP)
        gnd_st_$t(y, first * (N * N) + k, space[k / N * PITCH + k % N]);
#endif
