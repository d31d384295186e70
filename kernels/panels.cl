// SPDX-License-Identifier: BSD-3-Clause
//
// panels.cl - panels of LU decompositions with partial pivoting, of matrices in Fortran order (lib/prim/panels.c, which
// defines the macros for a dtype's arithmetic). Pivots are LAPACK's: the number, from 1, of the row of the matrix that
// is exchanged with this one; of equal ones the first counts.

// The first `cols` columns, at most WIDE, from row `first` of the matrix on: a group of GROUP work-items, 64 to 512, has
// EACH rows per work-item in registers. The column of the pivot is the first of those in registers; then the others move
// up and it becomes the last, so that one text serves all.
//@text lu_columns
    GND_LOCAL $R most[GROUP + GROUP / 8 + 8];
    GND_LOCAL int place[GROUP + GROUP / 8 + 8];
    GND_LOCAL $T line[2 * WIDE];
    const int lid = (int)GND_LID(0), m = (int)rows, n = (int)cols;
    $T x[EACH][WIDE];
    UNROLL
    for (int r = 0; r < EACH; r++) {
        UNROLL
        for (int c = 0; c < WIDE; c++) {
            const int i = lid + r * GROUP;
            x[r][c] = i < m && c < n ? gnd_ld_$t(y, begin + i + c * ld) : VALUE(0);
        }
    }
    /* of 8 candidates: the greatest, or the first of those */
#define GREATEST(from, step) \
    UNROLL \
    for (int k = 0; k < 8; k++) { \
        const $R v = most[(from) + k * (step)]; \
        const int i = place[(from) + k * (step)]; \
        p = v > great || (v == great && i < p) ? i : p; \
        great = v > great ? v : great; \
    }
    for (int c = 0; c < n; c++) {
        $R great = -1;
        int p = c;
        UNROLL
        for (int r = 0; r < EACH; r++) {
            const int i = lid + r * GROUP;
            const $R v = SIZE(x[r][0]);
            p = i >= c && i < m && v > great ? i : p;
            great = i >= c && i < m && v > great ? v : great;
        }
        most[lid] = great;
        place[lid] = p;
        if (lid < 8) { /* of groups of less than 512 */
            most[GROUP + GROUP / 8 + lid] = -1;
            place[GROUP + GROUP / 8 + lid] = c;
        }
        GND_BARRIER();
        if (lid < GROUP / 8) {
            GREATEST(lid, GROUP / 8)
            most[GROUP + lid] = great;
            place[GROUP + lid] = p;
        }
        GND_BARRIER();
        if (lid < GROUP / 64) {
            GREATEST(GROUP + lid, GROUP / 64)
            most[GROUP + GROUP / 8 + lid] = great;
            place[GROUP + GROUP / 8 + lid] = p;
        }
        GND_BARRIER();
        great = -1;
        p = c;
        GREATEST(GROUP + GROUP / 8, 1)
        UNROLL
        for (int r = 0; r < EACH; r++)
            if (lid + r * GROUP == p) {
                UNROLL
                for (int k = 0; k < WIDE; k++)
                    line[WIDE + k] = x[r][k];
            }
        if (lid == c) {
            UNROLL
            for (int k = 0; k < WIDE; k++)
                line[k] = x[0][k];
        }
        GND_BARRIER();
        UNROLL
        for (int r = 0; r < EACH; r++)
            if (lid + r * GROUP == p) {
                UNROLL
                for (int k = 0; k < WIDE; k++)
                    x[r][k] = line[k];
            }
        if (lid == c) {
            UNROLL
            for (int k = 0; k < WIDE; k++)
                x[0][k] = line[WIDE + k];
        }
        const $T pivot = line[WIDE];
        const int none = SIZE(pivot) == 0, near = SIZE(pivot) < LEAST;
        const $T by = DIV(VALUE(1), none ? VALUE(1) : pivot);
        if (lid == 0) {
            pivots[at + c] = (g_i32)(first + p + 1);
#if STRICT
            if (none && check[0] == 0) {
                check[0] = 1;
                check[1] = (g_i32)matrix;
                check[2] = (g_i32)(matrix >> 32);
                check[3] = (g_i32)(first + c + 1);
            }
#endif
        }
        UNROLL
        for (int r = 0; r < EACH; r++) {
            const int below = lid + r * GROUP > c && !none;
            const $T f = !below ? x[r][0] : near ? DIV(x[r][0], pivot) : MUL(x[r][0], by);
            UNROLL
            for (int k = 1; k < WIDE; k++)
                x[r][k - 1] = below && k < WIDE - c ? LESS(x[r][k], f, line[WIDE + k]) : x[r][k];
            x[r][WIDE - 1] = f;
        }
    }
    UNROLL
    for (int r = 0; r < EACH; r++) {
        UNROLL
        for (int k = 0; k < WIDE; k++) { /* n have moved to the end */
            const int i = lid + r * GROUP, c = k - WIDE + n;
            if (i < m && c >= 0)
                gnd_st_$t(y, begin + i + c * ld, x[r][k]);
        }
    }

// What these columns mean for one other column of the panel, a group each: the exchanges and, on their right, the rows of
// U and what they take off the rows below. begin: row `first` of the panel's first column; `left` columns are before.
//@text lu_column
    GND_LOCAL $T l[WIDE * WIDE], u[WIDE];
    const int lid = (int)GND_LID(0), m = (int)rows, n = (int)cols, q = (int)GND_GRP(0), on_right = q >= (int)left;
    const g_i64 here = begin + (on_right ? q + n : q) * ld, factor = begin + left * ld;
    $T x[WIDE];
    const int own = lid % WIDE, moves = lid < 2 * WIDE && own < n;
    const int row = own < n && lid >= WIDE ? (int)(pivots[at + own] - 1 - first) : own;
    int to = row;
    for (int s = 0; s < n; s++) {
        const int p = (int)(pivots[at + s] - 1 - first);
        to = to == s ? p : to == p ? s : to;
    }
    for (int k = 0; k < WIDE * WIDE; k += GROUP) {
        const int i = (k + lid) % WIDE, c = (k + lid) / WIDE;
        if (c < WIDE)
            l[k + lid] = i < n && c < i ? gnd_ld_$t(y, factor + i + c * ld) : VALUE(0);
    }
    if (lid < WIDE)
        u[lid] = VALUE(0);
    const $T v = moves ? gnd_ld_$t(y, here + row) : VALUE(0);
    gnd_barrierall_u32();
    if (moves && to < n)
        u[to] = v;
    if (moves && (to >= n || !on_right))
        gnd_st_$t(y, here + to, v);
    gnd_barrierall_u32();
    if (on_right) {
        UNROLL
        for (int i = 0; i < WIDE; i++) {
            $T s = u[i];
            UNROLL
            for (int k = 0; k < i; k++)
                s = LESS(s, l[k * WIDE + i], x[k]);
            x[i] = i < n ? s : VALUE(0);
            if (lid == i && i < n)
                gnd_st_$t(y, here + i, s);
        }
        for (int top = n + lid; top < m; top += 4 * GROUP) {
            $T z[4];
            UNROLL
            for (int r = 0; r < 4; r++)
                z[r] = top + r * GROUP < m ? gnd_ld_$t(y, here + top + r * GROUP) : VALUE(0);
            UNROLL
            for (int k = 0; k < WIDE; k++) {
                UNROLL
                for (int r = 0; r < 4; r++)
                    z[r] = LESS(z[r],
                                k < n && top + r * GROUP < m ? gnd_ld_$t(y, factor + k * ld + top + r * GROUP) : VALUE(0),
                                x[k]);
            }
            UNROLL
            for (int r = 0; r < 4; r++)
                if (top + r * GROUP < m)
                    gnd_st_$t(y, here + top + r * GROUP, z[r]);
        }
    }

// The exchanges of a whole panel, `count` of them, at most MOST, on columns beside it: n columns, of which those from
// `left` on are `skip` further; a group has COLS of them. Every row that is exchanged is a work-item's, which follows it.
//@text lu_rows
    GND_LOCAL int p[MOST];
    const int lid = (int)GND_LID(0), c = (int)count;
    const g_i64 q = (g_i64)GND_GRP(0) * COLS;
    $T v[COLS];
    if (lid < MOST)
        p[lid] = lid < c ? (int)(pivots[at + lid] - 1 - first) : lid;
    GND_BARRIER();
    const int mine = lid % MOST, live = lid < 2 * MOST && mine < c, from = lid < MOST ? mine : p[mine];
    int to = from;
    for (int k = 0; k < c; k++)
        to = to == k ? p[k] : to == p[k] ? k : to;
    UNROLL
    for (int k = 0; k < COLS; k++) {
        const g_i64 col = q + k + (q + k < left ? 0 : skip);
        v[k] = live && q + k < n ? gnd_ld_$t(y, begin + col * ld + from) : VALUE(0);
    }
    gnd_barrierall_u32();
    UNROLL
    for (int k = 0; k < COLS; k++) {
        const g_i64 col = q + k + (q + k < left ? 0 : skip);
        if (live && q + k < n)
            gnd_st_$t(y, begin + col * ld + to, v[k]);
    }

// Notes the first 0 of a diagonal of n elements, `step` apart.
//@text diagonal_zero
    GND_LOCAL int first[GROUP];
    const int lid = (int)GND_LID(0);
    int least = (int)n;
    for (int k = 0; k < (int)n; k += GROUP) {
        const int i = k + lid;
        if (i < least && SIZE(gnd_ld_$t(y, begin + i * step)) == 0)
            least = i;
    }
    first[lid] = least;
    GND_BARRIER();
    if (lid == 0) {
        for (int k = 1; k < GROUP; k++)
            least = first[k] < least ? first[k] : least;
        if (least < (int)n && check[0] == 0) {
            check[0] = 1;
            check[1] = (g_i32)matrix;
            check[2] = (g_i32)(matrix >> 32);
            check[3] = least + 1;
        }
    }
