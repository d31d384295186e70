// SPDX-License-Identifier: BSD-3-Clause
//
// horner.cl - values of polynomials: r[i] = ((y[i] + p[0]) x[i] + p[1]) x[i] + ... + p[n - 1], for m values, EACH of
// them in a work-item. AT(k, i): the index of coefficient k for value i.

//@text horner
    const g_i64 first = (g_i64)GND_GID(0) * EACH;
    $T a[EACH], b[EACH];
    if (first >= m)
        return;
    for (g_i32 e = 0; e < EACH; e++) {
        const g_i64 i = first + e < m ? first + e : m - 1;
        a[e] = IN_x(i);
        b[e] = IN_y(i);
    }
    for (g_i64 k = 0; k < n; k++)
        for (g_i32 e = 0; e < EACH; e++) {
            const g_i64 i = first + e < m ? first + e : m - 1;
            const $T c = IN_p(AT(k, i)), s = b[e];
            b[e] = k == 0 ? ADD(s, c) : ADD(MUL(s, a[e]), c);
        }
    for (g_i32 e = 0; e < EACH; e++)
        if (first + e < m)
            gnd_st_$t(r, first + e, b[e]);
