/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scan_line.cl - running sums, products, extremes along long rows, or many columns, in one pass, where groups may
 * wait for groups that started before them (has_progress in gnd/backend.h). Carries and macros as in scan.cl; the
 * input is (M rows, n steps), and of columns (M, n, inner).
 *
 * A group takes a tile of WG * K steps; 32 successive work-items have 32 * K successive steps, which go through
 * a part of `buf` of their own. What stands before a tile comes from what others publish. Blocks of level l are
 * 32^l tiles. Each tile publishes its sum, and one that ends a block of level l + 1 that block's, from those of
 * the 32 blocks of level l in it. One that begins a block of level l publishes the prefix of that block: the
 * prefix of the block of level l + 1 that it is in, and then the sums of the blocks of level l between. So a tile
 * waits for few others one after the other, however many there are. And who adds what in which order depends on
 * the tile's number alone, not on who is faster: the same bits each time. (In the look-back of D. Merrill and
 * M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016, a tile adds what is there.)
 *
 * Tiles are taken in the order in which groups start: those waited for have started before, and go on. What is
 * published is words of 64 bits, half of each the value's and half a mark that it is there: the order of no
 * other access matters. st: the ticket; then for each row `each` words, the first half of them sums, list after
 * list, and the second half prefixes.
 */
/* Operations within 32 successive work-items: SYNC; TURN, whether these compute level l; WHO, the number of this one
 * among them. On other devices the group takes their place. */
//@text warps cuda
#define SYNC() __syncwarp()
#define TURN(l) (warp == (l) % (WG / 32))
#define WHO lane
//@text warps opencl
#ifdef __NV_CL_C_VERSION
#define SYNC() asm volatile("bar.warp.sync 0xffffffff;" : : : "memory")
#define TURN(l) (warp == (l) % (WG / 32))
#define WHO lane
#else
#define SYNC() GND_BARRIER()
#define TURN(l) 1
#define WHO lid
#endif
//@text scan_words
typedef union words { acc a; g_u32 w[AW]; } words;
GND_FN void acc_put(GND_GLOBAL g_u64 *p, acc a)
{
    words u;
    u.w[0] = 0;
    u.a = a;
    for (int k = 0; k < AW; k++)
        ((volatile GND_GLOBAL g_u64 *)p)[k] = (g_u64)1 << 32 | u.w[k];
}
GND_FN acc acc_get(GND_GLOBAL g_u64 *p)
{
    words u;
    for (int k = 0; k < AW; k++) {
        g_u64 s;
        do
            s = ((volatile GND_GLOBAL g_u64 *)p)[k];
        while (s >> 32 == 0);
        u.w[k] = (g_u32)s;
    }
    return u.a;
}
//@text scan_line_defs
#define SEG (32 * K + (32 * K >> PAD))
#define AT(e) ((e) + ((e) >> PAD))
#define DIGIT(l) (int)(tile >> (5 * (l)) & 31u)
GND_FN g_i64 list_at(g_i64 tiles, int l)
{
    g_i64 at = 0;
#pragma unroll 1
    for (; l > 0; l--) {
        at += tiles;
        tiles = (tiles + 31) >> 5;
    }
    return at;
}
#define ADD_UP(c)                                                                                          \
    GND_LOCAL_PTR acc *p = part + l * 32;                                                                  \
    if (WHO < (c))                                                                                         \
        p[WHO] = acc_get(at + (WHO - (c)) * AW);                                                           \
    SYNC();                                                                                                \
    for (int d = 16; d > 0; d /= 2) {                                                                      \
        if (WHO < d && WHO + d < (c))                                                                      \
            p[WHO] = acc_join(p[WHO], p[WHO + d]);                                                         \
        SYNC();                                                                                            \
    }
//@text scan_line
    GND_LOCAL $T buf[WG / 32 * SEG], pair[2 * WG], sums[WG / 32];
    const int lid = (int)GND_LID(0), lane = lid & 31, warp = lid >> 5;
    GND_LOCAL_PTR $T *own = buf + warp * SEG, *two = pair + warp * 64;
#if SINGLE
    const g_i64 row = (g_i64)GND_GRP(0);
    const g_u32 tile = 0;
#else
    GND_LOCAL acc part[LEVELS * 32];
    GND_LOCAL g_u32 ticket;
    if (lid == 0)
        ticket = gnd_ticket_u32((GND_GLOBAL g_u32 *)st);
    GND_BARRIER();
    const g_i64 g = (g_i64)ticket, row = g / tiles;
    const g_u32 tile = (g_u32)(g - row * tiles);
#endif
    const g_i64 first = (g_i64)tile * (WG * K), base = row * n + first + warp * (32 * K);
    const int m = n - first < WG * K ? (int)(n - first) : WG * K;
    /* existing steps of the 32 work-items, and of this one */
    const int have = m - warp * (32 * K), count = have - lane * K;
    $T v[AHEAD]; /* with KEEP AHEAD is K, and these become the scans of each work-item's own steps */
    if (have >= 32 * K) {
#pragma unroll
        for (int k = 0; k < K; k += AHEAD) {
#pragma unroll
            for (int i = 0; i < AHEAD; i++)
                v[i] = IN_x(base + (k + i) * 32 + lane);
#pragma unroll
            for (int i = 0; i < AHEAD; i++)
                own[AT((k + i) * 32 + lane)] = v[i];
        }
    } else if (have > 0) { /* places beyond the end read the row's first element: no load waits for a comparison */
#pragma unroll 1
        for (int k = 0; k < K; k += LATE) {
            $T w[LATE];
#pragma unroll
            for (int i = 0; i < LATE; i++) {
                const int e = (k + i) * 32 + lane;
                w[i] = IN_x(e < have ? base + e : row * n);
            }
#pragma unroll
            for (int i = 0; i < LATE; i++)
                own[AT((k + i) * 32 + lane)] = w[i];
        }
    }
    SYNC();
    $T a = ZERO;
#pragma unroll
    for (int k = 0; k < K; k++) {
        const $T b = own[AT(lane * K + k)], c = k ? OP(a, b) : b;
        a = k < count ? c : a;
#if KEEP
        v[k] = a;
#endif
    }
    int o = 0;
    two[lane] = a;
    SYNC();
    for (int d = 1; d < 32; d *= 2) {
        const $T b = two[o + (lane >= d ? lane - d : lane)];
        a = lane >= d ? OP(b, a) : a;
        o = 32 - o;
        two[o + lane] = a;
        SYNC();
    }
    $T before = two[o + (lane > 0 ? lane - 1 : 0)];
    if (lane == 31)
        sums[warp] = a;
    GND_BARRIER();
    $T all = sums[0];
#pragma unroll
    for (int q = 1; q < WG / 32; q++) {
        const $T b = sums[q];
        if (q == warp)
            before = lane > 0 ? OP(all, before) : all;
        all = OP(all, b);
    }
#if !SINGLE
    GND_GLOBAL g_u64 *sum = st + 8 + row * each, *prefix = sum + each / 2;
    if (lid == 0)
        acc_put(sum + (g_i64)tile * AW, acc_of(all));
#endif
#pragma unroll
    for (int k = 0; k < K; k++) {
#if KEEP
        a = v[k];
#else /* once more, because registers for K values would leave room for fewer groups */
        const $T b = own[AT(lane * K + k)];
        a = k ? OP(a, b) : b;
#endif
        const $T c = OP(before, a);
        own[AT(lane * K + k)] = lid > 0 ? c : a;
    }
#if SINGLE
    SYNC();
    const acc carry = acc_of(ZERO); /* of no tile */
#else
    /* the sums of the blocks that end with this tile; then the prefixes of the blocks that begin with it */
#pragma unroll 1
    for (int l = 0; tile >> (5 * l) && DIGIT(l) == 31; l++)
        if (TURN(l)) {
            GND_GLOBAL g_u64 *at = sum + (list_at(tiles, l) + (tile >> (5 * l))) * AW;
            ADD_UP(31)
            if (WHO == 0)
                acc_put(sum + (list_at(tiles, l + 1) + (tile >> (5 * l + 5))) * AW, acc_join(p[0], acc_get(at)));
            SYNC();
        }
#pragma unroll 1
    for (int l = LEVELS - 1; l >= 0; l--)
        if (tile >> (5 * l) && tile << (30 - 5 * l) << 2 == 0 && TURN(l)) {
            const g_u32 up = tile >> (5 * l + 5);
            const int c = DIGIT(l);
            GND_GLOBAL g_u64 *at = sum + (list_at(tiles, l) + (tile >> (5 * l))) * AW;
            ADD_UP(c)
            if (WHO == 0) {
                acc a = p[0];
                if (up) {
                    const acc b = acc_get(prefix + (list_at(tiles, l + 1) + up) * AW);
                    a = c ? acc_join(b, a) : b;
                }
                p[0] = a;
                if (l > 0)
                    acc_put(prefix + (list_at(tiles, l) + (tile >> (5 * l))) * AW, a);
            }
            SYNC();
        }
    GND_BARRIER();
    const acc carry = part[0];
#endif
#if INIT
    if (tile == 0 && lid == 0)
        gnd_st_$n(y, row * (n + 1), FIRST);
#endif
    const g_i64 to = base + (INIT ? row + 1 : 0);
    if (have >= 32 * K) {
#pragma unroll
        for (int k = 0; k < K; k++) {
            const $T b = own[AT(k * 32 + lane)];
            gnd_st_$n(y, to + k * 32 + lane, tile > 0 ? APPLY(carry, b) : b);
        }
    } else {
#pragma unroll 1
        for (int e = lane; e < have && e < 32 * K; e += 32) {
            const $T b = own[AT(e)];
            gnd_st_$n(y, to + e, tile > 0 ? APPLY(carry, b) : b);
        }
    }

/* Columns: a group takes WG / 32 * K steps of 32 columns, a strip; 32 successive work-items K steps of them, each one
 * column. What stands before a tile is what the tile before it has published, after it had waited itself: strips
 * are many, so while one waits others read, and tickets go across strips. st: the ticket; then, tile by tile,
 * what is summed up to its end in each column of the strips. */
//@text scan_strip
    GND_LOCAL $T sums[WG];
    GND_LOCAL acc carried[32];
    GND_LOCAL g_u32 ticket;
    const int lid = (int)GND_LID(0), lane = lid & 31, warp = lid >> 5;
    if (lid == 0)
        ticket = gnd_ticket_u32((GND_GLOBAL g_u32 *)st);
    GND_BARRIER();
    const g_i64 across = M * strips, tile = ticket / across, strip = ticket - tile * across, row = strip / strips;
    const g_i64 c = (strip - row * strips) * 32 + lane, first = tile * (WG / 32 * K) + warp * K;
    const int m = c >= inner || first >= n ? 0 : n - first < K ? (int)(n - first) : K;
    const g_i64 base = (row * n + first) * inner + c, to = base + SHIFT;
    $T v[K];
    if (m == K) {
#pragma unroll
        for (int k = 0; k < K; k++)
            v[k] = IN_x(base + k * inner);
    } else {
#pragma unroll
        for (int k = 0; k < K; k++)
            if (k < m)
                v[k] = IN_x(base + k * inner);
    }
    $T a = ZERO;
#pragma unroll
    for (int k = 0; k < K; k++)
        if (k < m) {
            const $T b = v[k];
            a = k ? OP(a, b) : b;
            v[k] = a;
        }
    sums[lid] = a;
    GND_BARRIER();
    $T before = sums[lane], all = before;
#pragma unroll
    for (int q = 1; q < WG / 32; q++) {
        const $T b = sums[q * 32 + lane];
        if (q == warp)
            before = all;
        all = OP(all, b); /* the last tile, which nobody reads, may not have all of them */
    }
    if (warp == 0 && c < inner) {
        GND_GLOBAL g_u64 *at = st + 8 + ((tile * across + strip) * 32 + lane) * AW;
        acc carry = acc_of(all);
        if (tile > 0) {
            const acc b = acc_get(at - across * 32 * AW);
            carried[lane] = b;
            carry = acc_join(b, carry);
        }
        if (tile + 1 < tiles)
            acc_put(at, carry);
    }
    GND_BARRIER();
#if INIT
    if (tile == 0 && warp == 0 && c < inner)
        gnd_st_$n(y, row * (n + 1) * inner + c, FIRST);
#endif
    const acc carry = carried[lane];
#pragma unroll
    for (int k = 0; k < K; k++)
        if (k < m) {
            const $T w = v[k], b = warp > 0 ? OP(before, w) : w;
            gnd_st_$n(y, to + k * inner, tile > 0 ? APPLY(carry, b) : b);
        }
