/* SPDX-License-Identifier: BSD-3-Clause
 *
 * solve.cl - the operands of library calls: copied to where they may be destroyed, and back.
 */
//@text solve_copy
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_st_$t(y, PLACE, IN_x(i));
//@text solve_widen
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_st_$t(y, begin + i, VALUE(x[i]));
//@text solve_swap
    const g_i64 c = (g_i64)GND_GID(0);
    if (c < n) {
        const g_i64 at_col = begin + (c < from ? c : c + skip) * ld;
        for (g_i64 i = 0; i < count; i++) {
            const g_i64 here = at_col + first + i, there = at_col + (g_i64)pivot[at + i] - 1;
            if (here != there) {
                const $T v = gnd_ld_$t(y, here);
                gnd_st_$t(y, here, gnd_ld_$t(y, there));
                gnd_st_$t(y, there, v);
            }
        }
    }
//@text solve_leaf
    // by tiles of LEAF x LEAF, a column of right sides for each work-item: what is known of x is taken off LEAF more of
    // its rows, in registers, and these are substituted; beyond the last row the triangle is that of the identity
    GND_LOCAL $T t[LEAF * PITCH];
    const g_i64 c = (g_i64)GND_GID(0), here = begin + c * ld;
    const int m = (int)rows;
    for (int top = 0; top < m; top += LEAF) {
        $T x[LEAF];
        UNROLL
        for (int i = 0; i < LEAF; i++)
            x[i] = c < n && top + i < m ? gnd_ld_$t(y, here + (top + i) * step) : VALUE(0);
        for (int left = 0; left <= top; left += LEAF) {
            GND_BARRIER();
            for (int e = 0; e < LEAF * LEAF; e += GROUP) {
                const int at = e + (int)GND_LID(0), i = ALONG ? at % LEAF : at / LEAF, k = ALONG ? at / LEAF : at % LEAF;
                if (at < LEAF * LEAF)
                    t[i * PITCH + k] = top + i < m && left + k <= top + i
                                          ? gnd_ld_$t(a, begin_a + (top + i) * row + (left + k) * col)
                                          : VALUE(i == k);
            }
            GND_BARRIER();
            if (left < top) {
                UNROLL4
                for (int k = 0; k < LEAF; k++) {
                    const $T v = c < n ? gnd_ld_$t(y, here + (left + k) * step) : VALUE(0);
                    UNROLL
                    for (int i = 0; i < LEAF; i++)
                        x[i] = LESS(x[i], t[i * PITCH + k], v);
                }
            }
        }
        UNROLL
        for (int i = 0; i < LEAF; i++) {
            $T s = x[i];
            UNROLL
            for (int k = 0; k < i; k++)
                s = LESS(s, t[i * PITCH + k], x[k]);
            x[i] = unit ? s : DIV(s, t[i * PITCH + i]);
        }
        UNROLL
        for (int i = 0; i < LEAF; i++)
            if (c < n && top + i < m)
                gnd_st_$t(y, here + (top + i) * step, x[i]);
    }
//@text solve_take
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_st_$t(y, begin + i / rows * ld + i % rows, PART(gnd_ld_$t(x, begin_x + i / rows * ldx + i % rows)));
//@text solve_eye
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_st_$t(y, begin + i, VALUE(i / rows == i % rows));
//@text solve_order
    // where row i of a matrix is after the exchanges: each work-item follows one row
    const g_i64 g = (g_i64)GND_GRP(0), i = g % blocks * (g_i64)GND_LSZ(0) + (g_i64)GND_LID(0), b = g / blocks * n;
    g_i64 at = i;
    for (g_i64 k = 0; k < n; k++) {
        const g_i64 p = (g_i64)pivot[b + k] - 1, j = p >= k && p < n ? p : k;
        at = at == k ? j : at == j ? k : at;
    }
    if (i < n) {
#if INVERSE
        place[b + i] = (g_i32)at;
#else
        place[b + at] = (g_i32)i;
#endif
    }
//@text solve_verdict
    // the first matrix that is not finite, else the first that the library refuses
    GND_LOCAL g_i64 first[GROUP];
    const int lid = (int)GND_LID(0);
    g_i64 least = 2 * count;
    for (g_i64 b = lid; b < count; b += GROUP) {
        const g_i64 key = FINITE(b) ? INFO(b) != 0 ? count + b : 2 * count : b;
        least = key < least ? key : least;
    }
    first[lid] = least;
    GND_BARRIER();
    if (lid == 0) {
        for (int k = 1; k < GROUP; k++)
            least = first[k] < least ? first[k] : least;
        if (least < 2 * count) {
            const g_i64 b = least % count;
            check[0] = 1;
            check[1] = (g_i32)b;
            check[2] = (g_i32)(b >> 32);
            check[3] = least < count ? 0 : INFO(b);
        }
    }
//@text solve_columns
    const g_i64 g = (g_i64)GND_GRP(0), i = g % blocks * (g_i64)GND_LSZ(0) + (g_i64)GND_LID(0), j = g / blocks;
    if (i < n)
        gnd_st_$t(y, j * n + i, gnd_ld_$t(x, (j / n * n + (g_i64)place[j]) * n + i));
//@text solve_rows
    const g_i64 g = (g_i64)GND_GRP(0), i = g % blocks * (g_i64)GND_LSZ(0) + (g_i64)GND_LID(0), j = g / blocks;
    if (i < n)
        gnd_st_$t(y, j * n + i, IN_x(j * n + (g_i64)row[j / k * n + i]));
