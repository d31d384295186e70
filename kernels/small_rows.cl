// SPDX-License-Identifier: BSD-3-Clause
//
// small_rows.cl - factors of many matrices that are too large for the registers of a work-item, and what follows of
// them, as in small.cl: LANES work-items have a matrix, each a row of it in registers, and a group of GROUP has PER
// matrices (lib/prim/small.c). Macros as there. Pivots are the first ones of the greatest size; rows stay where they
// are, and `place` is where LAPACK's exchanges would have put them.

//@text small_rows
    GND_LOCAL $T space[PER * N * PITCH], line[PER * N];
    GND_LOCAL $R great[GROUP];
    GND_LOCAL int rows[PER * N];
    const int lid = (int)GND_LID(0), mine = lid / LANES, lane = lid % LANES;
    const g_i64 first = (g_i64)GND_GRP(0) * PER, b = first + mine;
    const int here = batch - first < PER ? (int)(batch - first) : PER, live = mine < here;
#define S(i, c) space[(mine * N + (i)) * PITCH + (c)]
#define LINE(c) line[mine * N + (c)]
#define GREAT(i) great[mine * LANES + (i)]
    $T a[N];
    $R lost = 0;
    int none = -1;
    for (int k = lid; k < here * (N * N); k += GROUP)
        space[k / N * PITCH + k % N] = IN_x(first * (N * N) + k);
    GND_BARRIER();
    _Pragma("unroll")
    for (int c = 0; c < N; c++) {
        a[c] = live && lane < N && (WHAT != 4 || c <= lane) ? S(lane, c) : VALUE(0);
        lost += NONE(a[c]);
    }
    GREAT(lane) = lost;
    GND_BARRIER();
    lost = 0;
    for (int i = 0; i < N; i++)
        lost += GREAT(i);
    const int sound = lost == 0;
    GND_BARRIER();
#if WHAT == 4
    _Pragma("unroll")
    for (int j = 0; j < N; j++) {
        if (lane == j)
            GREAT(0) = REAL(a[j]);
        GND_BARRIER();
        const $R d = GREAT(0), root = sqrt(d);
        const $T l = lane == j ? VALUE(root) : OVER(a[j], root);
        none = none < 0 && !(d > 0) ? j : none;
        a[j] = l;
        if (lane >= j && lane < N)
            LINE(lane) = l;
        GND_BARRIER();
        _Pragma("unroll")
        for (int c = j + 1; c < N; c++)
            a[c] = a[c] - MUL(l, CONJ(LINE(c)));
    }
    if (lane == 0 && live && (none >= 0 || !sound))
        gnd_firstbad_i32(bad, (int)b * (N + 1) + (sound ? none : N));
    _Pragma("unroll")
    for (int c = 0; c < N; c++)
        if (lane < N)
            S(lane, c) = c <= lane ? a[c] : VALUE(0);
#else
    int place = lane < N ? -1 : N;
    $T pivot = VALUE(1);
    _Pragma("unroll")
    for (int j = 0; j < N; j++) {
        const $R own = SIZE(a[j]);
        GREAT(lane) = place >= 0 ? -1 : own == own ? own : GND_INF_$r; /* NaN by overflow is a pivot */
        GND_BARRIER();
        int p = 0;
        $R most = -1;
        _Pragma("unroll 8")
        for (int i = 0; i < N; i++) {
            const $R size = GREAT(i);
            p = size > most ? i : p;
            most = size > most ? size : most;
        }
        none = none < 0 && most == 0 ? j : none;
        if (lane == p) {
            place = j;
            pivot = a[j];
            _Pragma("unroll")
            for (int c = j; c < N; c++)
                LINE(c) = a[c];
        }
        GND_BARRIER();
        const $T f = most == 0 ? VALUE(0) : DIV(a[j], LINE(j));
        if (place < 0) {
            a[j] = f;
            _Pragma("unroll")
            for (int c = j + 1; c < N; c++)
                a[c] = a[c] - MUL(f, LINE(c));
        }
    }
    /* in the order of the elimination; a matrix with NaN may have rows without a place */
    place = sound ? place : lane;
    GND_BARRIER();
    if (lane < N)
        rows[mine * N + place] = lane;
#if WHAT < 2
    if (lane < N)
        LINE(place) = pivot;
    GND_BARRIER();
    if (lane == 0 && live) {
        int odd = 0;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < i; k++)
                odd ^= rows[mine * N + k] > rows[mine * N + i];
        $T d = VALUE(odd ? -1 : 1);
        for (int j = 0; j < N; j++) {
#if WHAT == 0
            gnd_st_$t(y, b * (N + 1) + j, sound ? LINE(j) : VALUE(lost));
        }
        gnd_st_$t(y, b * (N + 1) + N, d);
#else
            d = MUL(d, LINE(j));
        }
        gnd_st_$t(y, b, sound ? d : VALUE(lost));
#endif
    }
#else
    _Pragma("unroll")
    for (int c = 0; c < N; c++)
        if (lane < N)
            S(place, c) = a[c];
    if (lane == 0 && live && none >= 0 && sound)
        gnd_firstbad_i32(bad, (int)b * (N + 1) + none);
    GND_BARRIER();
    $T x[N];
    for (int c = lane; c < (live ? K : 0); c += LANES) {
        _Pragma("unroll")
        for (int i = 0; i < N; i++) {
            const int row = rows[mine * N + i];
#if WHAT == 3
            $T s = IN_b((b * N + row) * K + c);
#else
            $T s = VALUE(row == c);
#endif
            _Pragma("unroll")
            for (int k = 0; k < i; k++)
                s = s - MUL(S(i, k), x[k]);
            x[i] = s;
        }
        _Pragma("unroll")
        for (int i = N - 1; i >= 0; i--) {
            $T s = x[i];
            _Pragma("unroll")
            for (int k = i + 1; k < N; k++)
                s = s - MUL(S(i, k), x[k]);
            x[i] = DIV(s, S(i, i));
#if WHAT == 3
            gnd_st_$t(y, (b * N + i) * K + c, sound ? x[i] : VALUE(lost));
#endif
        }
    }
#if WHAT == 2
    GND_BARRIER();
    _Pragma("unroll")
    for (int i = 0; i < N; i++)
        if (lane < N)
            S(i, lane) = sound ? x[i] : VALUE(lost);
#endif
#endif
#endif
#if WHAT == 2 || WHAT == 4
    GND_BARRIER();
    for (int k = lid; k < here * (N * N); k += GROUP)
        gnd_st_$t(y, first * (N * N) + k, space[k / N * PITCH + k % N]);
#endif
