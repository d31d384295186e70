// SPDX-License-Identifier: BSD-3-Clause
//
// tall.cl - Q of a tall matrix: its rows, M x N, times the inverse of R, in twice their digits (lib/prim/tall_qr.c,
// which defines the type of such a value, WIDE, with TO and FROM, ZERO and MAC(sum, x, y)). A group of 256 makes 64 x 32
// results, a work-item 4 x 2 of them. w: the inverse, N x N, which is upper triangular, and a number other than 0 if Q
// is there already.

//@text tall_times
    GND_LOCAL WIDE la[16 * 65], lb[16 * 32];
    const int lid = (int)GND_LID(0), x = lid % 16, y4 = lid / 16 * 4;
    const g_i64 top = (g_i64)GND_GRP(0) * 64;
    const int left = (int)GND_GRP(1) * 32, end = left + 32 < N ? left + 32 : N;
    WIDE s[4][2];
    if (IS(LD_W(N * N)))
        return;
    for (int i = 0; i < 4; i++)
        s[i][0] = s[i][1] = ZERO;
    for (int first = 0; first < end; first += 16) {
        for (int e = lid; e < 64 * 16; e += 256) {
            const int i = e / 16, k = e % 16;
            la[k * 65 + i] = top + i < m && first + k < N ? TO(IN_a((top + i) * N + first + k)) : ZERO;
        }
        for (int e = lid; e < 16 * 32; e += 256) {
            const int k = e / 32, j = e % 32;
            lb[e] = first + k < N && left + j < N ? LD_W((first + k) * N + left + j) : ZERO;
        }
        GND_BARRIER();
        for (int k = 0; k < 16; k++) {
            const WIDE b0 = lb[k * 32 + x], b1 = lb[k * 32 + x + 16];
            _Pragma("unroll")
            for (int i = 0; i < 4; i++) {
                const WIDE v = la[k * 65 + y4 + i];
                s[i][0] = MAC(s[i][0], v, b0);
                s[i][1] = MAC(s[i][1], v, b1);
            }
        }
        GND_BARRIER();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            if (top + y4 + i < m && left + x + 16 * j < N)
                gnd_st_$t(y, (top + y4 + i) * N + left + x + 16 * j, FROM(s[i][j]));
