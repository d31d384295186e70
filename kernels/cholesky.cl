// SPDX-License-Identifier: BSD-3-Clause
//
// cholesky.cl - Cholesky's factors of many matrices that are too large for small_rows.cl, a group of work-items each
// (lib/prim/small.c, whose macros for a dtype's arithmetic are used). Columns are taken WIDE at a time: every work-item
// factors their square block itself, in registers, finds its row of the block column, and takes what that contributes
// off its row on the right; TEAMS work-items share a row there. ROWS: a power of 2 from N on; GROUP is ROWS * TEAMS.
// Element k of a matrix is ROW(k), COL(k), PUT stores it and REFUSE notes a matrix that has no factor.
// SPACE: elements of local memory for the lower triangle by rows, which 32 rows one below another read without
// conflicts; 0: it is in the memory `space`, by columns.

//@text cholesky_batch
    GND_LOCAL $T line[ROWS * WIDE] __attribute__((aligned(16)));
    GND_LOCAL int unsound;
#if SPACE
    GND_LOCAL $T s[SPACE];
#define S(i, c) s[(i) * ((i) + 1) / 2 + (c)]
#define BARRIER() GND_BARRIER()
#else
    GND_GLOBAL $T *s = space + (g_i64)GND_GRP(0) * (N * N);
#define S(i, c) s[(c) * N + (i)]
#define BARRIER() gnd_barrierall_u32()
#endif
#define D(i, c) d[(i) * WIDE + (c)]
    const int lid = (int)GND_LID(0), lane = lid % ROWS, team = lid / ROWS;
    const g_i64 first = (g_i64)GND_GRP(0) * (N * N);
    $R lost = 0;
    int none = -1;
    if (lid == 0)
        unsound = 0;
    for (int k = lid; k < N * N; k += GROUP * 8) { /* loads first, which do not wait for one another */
        $T v[8];
        UNROLL
        for (int l = 0; l < 8; l++) {
            const int at = k + l * GROUP;
            v[l] = at < N * N && COL(at) <= ROW(at) ? IN_x(first + at) : VALUE(0);
        }
        UNROLL
        for (int l = 0; l < 8; l++) {
            const int at = k + l * GROUP, i = ROW(at), c = COL(at);
            lost += NONE(v[l]);
            if (at < N * N && c <= i)
                S(i, c) = v[l];
        }
    }
    BARRIER();
    if (!(lost == 0))
        unsound = 1;
    for (int j = 0; j < N; j += WIDE) {
        const int own = j + lane, row = own + WIDE;
        $T p[WIDE];
        if (team == 0 && own < N) {
            $T d[WIDE * WIDE];
            $R root[WIDE], by[WIDE];
            UNROLL
            for (int i = 0; i < WIDE; i++) {
                UNROLL
                for (int c = 0; c <= i; c++)
                    D(i, c) = j + i < N ? S(j + i, j + c) : VALUE(i == c);
            }
            UNROLL
            for (int c = 0; c < WIDE; c++) {
                $R size = REAL(D(c, c));
                UNROLL
                for (int k = 0; k < c; k++)
                    size -= SQUARE(D(c, k));
                none = none < 0 && !(size > 0) ? j + c : none;
                root[c] = sqrt(size);
                by[c] = 1 / root[c];
                UNROLL
                for (int i = c + 1; i < WIDE; i++) {
                    $T v = D(i, c);
                    UNROLL
                    for (int k = 0; k < c; k++)
                        v = v - MUL(D(i, k), CONJ(D(c, k)));
                    D(i, c) = SCALE(v, by[c]);
                }
            }
            UNROLL
            for (int c = 0; c < WIDE; c++) {
                $T v = c <= lane ? S(own, j + c) : VALUE(0);
                UNROLL
                for (int k = 0; k < c; k++)
                    v = v - MUL(p[k], CONJ(D(c, k)));
                p[c] = c == lane ? VALUE(root[c]) : SCALE(v, by[c]);
            }
        }
        BARRIER();
        if (team == 0 && own < N) {
            UNROLL
            for (int c = 0; c < WIDE; c++) {
                if (c <= lane)
                    S(own, j + c) = p[c];
                line[lane * WIDE + c] = p[c];
            }
        }
        BARRIER();
        if (row < N) {
            UNROLL
            for (int k = 0; k < WIDE; k++)
                p[k] = line[(lane + WIDE) * WIDE + k];
            _Pragma("unroll 2")
            for (int c = team; c <= lane; c += TEAMS) {
                $T v = S(row, j + WIDE + c);
                UNROLL
                for (int k = 0; k < WIDE; k++)
                    v = v - MUL(p[k], CONJ(line[(WIDE + c) * WIDE + k]));
                S(row, j + WIDE + c) = v;
            }
        }
        BARRIER();
    }
    if (lid == 0 && (none >= 0 || unsound))
        REFUSE(unsound, none)
    for (int k = lid; k < N * N; k += GROUP)
        PUT(first + k, ROW(k), COL(k))
