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
    GND_LOCAL $T t[LEAF * LEAF];
    $T x[LEAF];
    const g_i64 c = (g_i64)GND_GID(0);
    const int m = (int)rows;
    for (int i = (int)GND_LID(0); i < m * m; i += (int)GND_LSZ(0))
        if (i / m >= i % m)
            t[i / m * LEAF + i % m] = gnd_ld_$t(a, begin_a + i / m * row + i % m * col);
    GND_BARRIER();
    if (c < n)
        for (int i = 0; i < m; i++) {
            $T s = gnd_ld_$t(y, begin + i * step + c * ld);
            for (int k = 0; k < i; k++)
                s = s - MUL(t[i * LEAF + k], x[k]);
            if (!unit)
                s = DIV(s, t[i * LEAF + i]);
            x[i] = s;
            gnd_st_$t(y, begin + i * step + c * ld, s);
        }
//@text solve_take
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_st_$t(y, begin + i / rows * ld + i % rows, PART(gnd_ld_$t(x, begin_x + i / rows * ldx + i % rows)));
//@text solve_eye
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_st_$t(y, begin + i, VALUE(i / rows == i % rows));
//@text solve_columns
    const g_i64 g = (g_i64)GND_GRP(0), i = g % blocks * (g_i64)GND_LSZ(0) + (g_i64)GND_LID(0), j = g / blocks;
    if (i < n)
        gnd_st_$t(y, j * n + i, gnd_ld_$t(x, (j / n * n + (g_i64)place[j]) * n + i));
//@text solve_rows
    const g_i64 g = (g_i64)GND_GRP(0), i = g % blocks * (g_i64)GND_LSZ(0) + (g_i64)GND_LID(0), j = g / blocks;
    if (i < n)
        gnd_st_$t(y, j * n + i, IN_x(j * n + (g_i64)row[j / k * n + i]));
