/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sort_rows.cl - rows that are sorted in one kernel (lib/prim/sort_rows.c): by a group in local memory, by a work-item
 * of a CPU, by counting (short ones), or only their first places. Elements, dig() and the rounds of a tile are in
 * sort.cl.
 */
/* --- rows that a group sorts in local memory: n <= TPG * IPT. Only those rounds are made in whose four
 * bits the elements differ. ------------------------------------------------------------------------- */

//@text sort_rows_gpu
    GND_LOCAL g_u32 buf[BUFW];
    GND_LOCAL g_u32 diff[DWORDS];
    GND_LOCAL g_i32 live[2 * DIGITS + 1];
    const int t = (int)GND_LID(0), cnt = (int)n;
    const g_i64 row = (g_i64)GND_GRP(0);
    const ELEM one = AT(0);
    ELEM e[IPT];
    g_u32 r[IPT], mine[DWORDS];
    for (int w = 0; w < DWORDS; w++)
        mine[w] = 0;
    EACH {
        e[j] = PAD;
        if (STRIPED < cnt) {
            e[j] = AT(STRIPED);
            for (int w = 0; w < DWORDS; w++)
                mine[w] |= digits(e[j], w) ^ digits(one, w);
        }
    }
    if (t == 0)
        for (int w = 0; w < DWORDS; w++)
            diff[w] = 0;
    GND_BARRIER();
    for (int w = 0; w < DWORDS; w++)
        gnd_lor_u32(&diff[w], mine[w]);
    GND_BARRIER();
    if (t == 0) {
        int k = 0;
        for (int q = 0; q < 2 * DIGITS; q++)
            if (diff[q >> 3] >> (4 * (q & 7)) & 15u)
                live[k++] = q;
        live[2 * DIGITS] = k;
    }
    GND_BARRIER();
    const int rounds = live[2 * DIGITS];
//@text sort_rows_gpu_rounds
    {
        const int f0 = rounds ? b0 : s0, fs = rounds ? 1 : TPG + TPG / 32;
        EXCHANGE(SSLOT, f0 + j * fs)
    }
    for (int k = 0; k < rounds; k++) {
        const int q4 = live[k];
#define NIBBLE(e) (dig(e, q4 >> 1) >> (4 * (q4 & 1)) & 15u)
//@text sort_rows_gpu_end
        const int last = k == rounds - 1, f0 = last ? s0 : b0, fs = last ? TPG + TPG / 32 : 1;
        EXCHANGE(SLOT(r[j]), f0 + j * fs)
    }
    EACH if (STRIPED < cnt) {
        GIVE(STRIPED, e[j]);
    }

/* --- long rows that a group sorts in registers: 8 bits a pass, and only those in which elements differ. 32
 * successive work-items have 32 * IPT successive elements, and rank each 32 at once by counts of their own, as
 * sort_move.cl does (TOGETHER). Sums over rows of the group and digits make places of the ranks; the elements go
 * there through the memory of the counts, a PIECE at a time: a word, or all of a small one. --------------- */

//@text sort_warps
    GND_LOCAL g_u32 buf[BUFW];
    GND_LOCAL g_u32 sum[256], part[8], diff[DWORDS + PLAIN];
    GND_LOCAL_PTR g_u32 *seen = buf;
    GND_LOCAL_PTR PIECE *slot = (GND_LOCAL_PTR PIECE *)buf;
    const int t = (int)GND_LID(0), lane = t & 31, own = (t >> 5) * 256, cnt = (int)n, full = cnt == TPG * IPT;
    const g_i64 row = (g_i64)GND_GRP(0);
    const ELEM one = AT(0);
    ELEM e[IPT];
    g_u32 mine[DWORDS + PLAIN];
    for (int w = 0; w < DWORDS + PLAIN; w++)
        mine[w] = 0;
#define ROWED ((t >> 5) * 32 * IPT + j * 32 + lane)
#define RANK(digit)                                                                                        \
    {                                                                                                      \
        const g_u32 d = digit;                                                                             \
        g_u32 m;                                                                                           \
        TOGETHER(m, d)                                                                                     \
        const g_u32 at = seen[own + d] + POPC(m & ((1u << lane) - 1u));                                    \
        SYNC();                                                                                            \
        if (m >> lane == 1u) { /* the last one of them */                                                  \
            seen[own + d] = at + 1u;                                                                       \
            CLEAR(d);                                                                                      \
        }                                                                                                  \
        SYNC();                                                                                            \
        r[j] = at | d << 16;                                                                               \
    }
    if (full && !DEAR) {
        EACH e[j] = AT(ROWED);
    } else {
        EACH e[j] = ROWED < cnt ? AT(ROWED) : PAD;
    }
    EACH if (full || ROWED < cnt) {
        for (int w = 0; w < DWORDS; w++)
            mine[w] |= digits(e[j], w) ^ digits(one, w);
        if (odd(e[j]))
            mine[DWORDS + PLAIN - 1] |= 1u;
    }
    if (t < DWORDS + PLAIN)
        diff[t] = 0;
    GND_BARRIER();
    for (int w = 0; w < DWORDS + PLAIN; w++)
        gnd_lor_u32(&diff[w], mine[w]);
    GND_BARRIER();
    const int plainly = PLAIN && full && diff[DWORDS + PLAIN - 1] == 0;
    for (int p = 0; p < DIGITS; p++) {
        if ((diff[p >> 2] >> (8 * (p & 3)) & 255u) == 0)
            continue;
        g_u32 r[IPT], s = 0, all = 0;
        GND_BARRIER();
        for (int i = t; i < ROWS * 256 * (1 + PEERS); i += TPG)
            seen[i] = 0;
        GND_BARRIER();
        if (plainly) {
            EACH RANK(plain(e[j], p))
        } else {
            EACH RANK(dig(e[j], p))
        }
        GND_BARRIER();
        if (t < 256) {
            UNROLL for (int w = 0; w < ROWS; w++) {
                const g_u32 c = seen[w * 256 + t];
                seen[w * 256 + t] = all;
                all += c;
            }
            sum[t] = s = all;
        }
        UNROLL for (int k = 1; k < 32; k *= 2) {
            SYNC();
            if (t < 256 && lane >= k)
                s += sum[t - k];
            SYNC();
            if (t < 256)
                sum[t] = s;
        }
        if (t < 256 && lane == 31)
            part[t >> 5] = s;
        GND_BARRIER();
        if (t < 256) {
            UNROLL for (int k = 0; k < 7; k++)
                s += k < t >> 5 ? part[k] : 0u;
            sum[t] = s - all;
        }
        GND_BARRIER();
        EACH r[j] = (r[j] & 0xffffu) + seen[own + (r[j] >> 16)] + sum[r[j] >> 16];
        UNROLL for (int w = 0; w < WORDS; w++) {
            GND_BARRIER();
            EACH slot[r[j]] = (PIECE)word(e[j], w);
            GND_BARRIER();
            EACH e[j] = with(e[j], w, slot[ROWED]);
        }
    }
    EACH if (full || ROWED < cnt) {
        GIVE(ROWED, e[j]);
    }

/* --- the first `keep` places of rows that the registers of a group hold. A first kernel (sort_bound) deals a row to
 * PARTS parts, at least twice as many as places. Of the first elements of the parts the one at place `keep` is a
 * bound, because it and those before it are `keep` elements; few others come before it as well. If they fit into
 * `chosen`, each counts what comes before it; else the row is `left` to the second kernel: how many, and which. ---- */
//@fn lticket u32 opencl
#define gnd_lticket_u32(p) atomic_inc((volatile __local g_u32 *)(p))
//@fn lticket u32 cuda
#define gnd_lticket_u32(p) atomicAdd(p, 1u)
//@text sort_bound
    GND_LOCAL g_u32 cnt[2 * PARTS], count;
    GND_LOCAL ELEM chosen[2 * PARTS], best[TPG], bound;
    const int t = (int)GND_LID(0), len = (int)n;
    const g_i64 row = (g_i64)GND_GRP(0);
    ELEM e[IPT];
    g_u32 few = 0;
    if (len == TPG * IPT) {
        EACH e[j] = AT(STRIPED);
    } else {
        EACH { /* no load waits for a comparison */
            const ELEM v = AT(STRIPED < len ? STRIPED : 0);
            e[j] = STRIPED < len ? v : PAD;
        }
    }
    ELEM top = e[0];
    UNROLL for (int j = 1; j < IPT; j++)
        if (before(e[j], top))
            top = e[j];
    best[t] = top;
    for (int i = t; i < 2 * PARTS; i += TPG)
        cnt[i] = 0;
    if (t == 0) {
        count = 0;
        bound = PAD;
    }
    GND_BARRIER();
    if (t < PARTS) {
        for (int k = t + PARTS; k < TPG; k += PARTS)
            if (before(best[k], top))
                top = best[k];
        chosen[t] = top;
    }
    GND_BARRIER();
    /* cnt[i] = how many of the first c of `chosen` come before chosen[i]: several work-items count for each */
#define PLACES(c)                                                                                          \
    {                                                                                                      \
        const int times = (c) < TPG ? TPG / (c) : 1;                                                       \
        for (int w = t; w < (c) * times; w += TPG) {                                                       \
            const int i = w % (c);                                                                         \
            const ELEM own = chosen[i];                                                                    \
            g_u32 at = 0;                                                                                  \
            for (int k = w / (c); k < (c); k += times)                                                     \
                at += before(chosen[k], own);                                                              \
            gnd_ladd_u32(&cnt[i], at);                                                                     \
        }                                                                                                  \
        GND_BARRIER();                                                                                     \
    }
    PLACES(PARTS)
    if (t < PARTS && (g_i64)cnt[t] == keep - 1)
        bound = chosen[t];
    GND_BARRIER();
    top = bound;
    for (int i = t; i < 2 * PARTS; i += TPG)
        cnt[i] = 0;
    EACH few |= (g_u32)(STRIPED < len && !before(top, e[j])) << j;
    for (; few; few &= few - 1u) { /* read again, because registers have no indices */
        const int i = gnd_ctz_u32(few) * TPG + t;
        const g_u32 at = gnd_lticket_u32(&count);
        if (at < 2 * PARTS)
            chosen[at] = AT(i);
    }
    GND_BARRIER();
    const int all = count <= 2 * PARTS ? (int)count : 1;
    PLACES(all)
    if (count > 2 * PARTS) {
        if (t == 0)
            left[1 + gnd_ticket_u32(left)] = (g_u32)row;
    } else {
        for (int i = t; i < all; i += TPG)
            if ((g_i64)cnt[i] < keep)
                y[row * keep + cnt[i]] = index(chosen[i]);
    }

/* Digit by digit, the most significant first, the elements that may still be the last one of the places are counted by
 * their values of the digit; those of smaller values are taken. The index gives the last digits (SELECTED of an
 * element), so that no two are equal. A few are left, which each count what comes before them. ------------- */
//@text sort_select
    GND_LOCAL g_u32 cnt[1024], sum[2][256], found[3], count;
    GND_LOCAL ELEM chosen[KEEP];
    const int t = (int)GND_LID(0), len = (int)n;
    /* As many rounds for each work-item: in loops in loops PoCL computes something else otherwise. */
#define EACH_DIGIT for (int w = 0, d = t; w < 256; w += TPG, d += TPG) if (d < 256)
#define SELECTED(e) (p < IDIGITS ? (g_u32)(index(e) >> (8 * p)) & 255u : dig(e, p - IDIGITS))
    for (g_i64 q = (g_i64)GND_GRP(0); q < LEFT; q += (g_i64)GND_NGRP(0)) {
        const g_i64 row = ROW(q);
        ELEM e[IPT];
        g_u32 open = 0, taken = 0, rest = (g_u32)keep;
        EACH {
            e[j] = PAD;
            if (STRIPED < len) {
                e[j] = AT(STRIPED);
                open |= 1u << j;
            }
        }
        if (t == 0)
            count = 0;
        for (int p = DIGITS + IDIGITS - 1; p >= 0; p--) {
            for (int i = t; i < 1024; i += TPG)
                cnt[i] = 0;
            GND_BARRIER();
            EACH if (open >> j & 1u) gnd_linc_u32(&cnt[SELECTED(e[j]) * 4u + (g_u32)(t & 3)]);
            GND_BARRIER();
            EACH_DIGIT
                sum[0][d] = cnt[4 * d] + cnt[4 * d + 1] + cnt[4 * d + 2] + cnt[4 * d + 3];
            GND_BARRIER();
            for (int k = 0; k < 8; k++) {
                EACH_DIGIT
                    sum[(k + 1) & 1][d] = sum[k & 1][d] + (d >= 1 << k ? sum[k & 1][d - (1 << k)] : 0u);
                GND_BARRIER();
            }
            EACH_DIGIT {
                const g_u32 less = d ? sum[0][d - 1] : 0u;
                if (less < rest && rest <= sum[0][d]) {
                    found[0] = (g_u32)d;
                    found[1] = less;
                    found[2] = sum[0][d];
                }
            }
            GND_BARRIER();
            const g_u32 limit = found[0], all = found[2] == rest;
            EACH if (open >> j & 1u) {
                const g_u32 d = SELECTED(e[j]);
                if (d < limit || (all && d == limit))
                    taken |= 1u << j;
                if (d != limit)
                    open &= ~(1u << j);
            }
            rest -= found[1];
            if (all)
                break;
        }
        EACH if (taken >> j & 1u) chosen[gnd_lticket_u32(&count)] = e[j];
        GND_BARRIER();
        for (int i = t; i < (int)keep; i += TPG) {
            const ELEM own = chosen[i];
            int at = 0;
            for (int k = 0; k < (int)keep; k++)
                at += before(chosen[k], own);
            y[row * keep + at] = index(own);
        }
        GND_BARRIER();
    }

/* --- short rows: a work-item counts what comes before its element. Elements are those of argsort, which
 * before() puts in order. TPG / n rows a group. ---------------------------------------------------- */

//@text sort_before4
#define before(x, y) ((x) < (y))
//@text sort_before8
GND_FN int before(ELEM x, ELEM y)
{
    return x.a < y.a || (x.a == y.a && x.b < y.b);
}
//@text sort_before8_complex
GND_FN int before(ELEM x, ELEM y)
{
    const g_u32 p = dig(x, 8), q = dig(y, 8);
    return p < q || (p == q && (x.a < y.a || (x.a == y.a && x.b < y.b)));
}
//@text sort_before16
GND_FN int before(ELEM x, ELEM y)
{
    const g_u32 p = dig(x, 16), q = dig(y, 16);
    return p < q || (p == q && (x.a < y.a || (x.a == y.a && (x.c < y.c || (x.c == y.c && x.b < y.b)))));
}

//@text sort_short
#if ARG
#define PUT(at, v, i) (y[at] = (i))
#else
#define PUT(at, v, i) gnd_st_$n(y, at, v)
#endif
//@text sort_short_gpu
    GND_LOCAL ELEM tile[TPG];
    const int t = (int)GND_LID(0), len = (int)n, r = t / len, i = t - r * len;
    const g_i64 row = (g_i64)GND_GRP(0) * (TPG / len) + r;
    const int mine = r < TPG / len && row < rows;
    const $T v = IN_x(mine ? row * n + i : 0);
    const ELEM e = first(v, i);
    tile[t] = e;
    GND_BARRIER();
    if (mine) {
        int at = 0;
        for (int j = 0; j < len; j++)
            at += before(tile[r * len + j], e);
        if (KEPT(at))
            PUT(row * keep + at - from, v, i);
    }
//@text sort_short_cpu
    ELEM e[SHORT];
    $T v[SHORT];
    const int len = (int)n;
    const g_i64 first_row = (g_i64)GND_GRP(0) * per;
    for (g_i64 row = first_row; row < first_row + per && row < rows; row++) {
        for (int i = 0; i < len; i++) {
            v[i] = IN_x(row * n + i);
            e[i] = first(v[i], i);
        }
        for (int i = 0; i < len; i++) {
            const ELEM own = e[i];
            int at = 0;
            for (int j = 0; j < len; j++)
                at += before(e[j], own);
            if (KEPT(at))
                PUT(row * keep + at - from, v[i], i);
        }
    }

/* A work-item sorts whole rows: counts all digits at once, then moves between memory of its own (a, and
 * for indices c) and the result. */
//@text sort_rows_cpu
    g_u32 cnt[DIGITS][256];
    const g_i64 me = (g_i64)GND_GRP(0);
    for (g_i64 row = me * per; row < (me + 1) * per && row < rows; row++) {
        int left = 0, flips = 0;
        g_i64 m = n, before = 0;
        for (int p = 0; p < DIGITS; p++)
            for (int d = 0; d < 256; d++)
                cnt[p][d] = 0;
#if CUT
        /* what has no highest digit of the result's places is left out, if that is half of the row */
        GND_GLOBAL ELEM *near = (GND_GLOBAL ELEM *)a + me * n;
        g_u32 *top = cnt[DIGITS - 1];
        int d0 = 0;
        for (g_i64 i = 0; i < n; i++)
            top[dig(AT(i), DIGITS - 1)]++;
        while (before + top[d0] <= from)
            before += top[d0++];
        int d1 = d0;
        m = top[d0];
        while (before + m < from + keep)
            m += top[++d1];
        g_i64 k = 0;
        for (g_i64 i = 0; i < n && 2 * m <= n; i++) {
            const ELEM e = AT(i);
            const int d = (int)dig(e, DIGITS - 1);
            near[k] = e;
            k += d >= d0 && d <= d1;
        }
        if (2 * m > n) {
            m = n;
            before = 0;
        }
        for (int d = 0; d < 256; d++)
            top[d] = 0;
#define ROW_AT(i) (m < n ? near[i] : AT(i))
#else
#define ROW_AT(i) AT(i)
#endif
        for (g_i64 i = 0; i < m; i++) {
            const ELEM e = ROW_AT(i);
            UNROLL
            for (int p = 0; p < DIGITS; p++)
                cnt[p][dig(e, p)]++;
        }
        const ELEM one = ROW_AT(0);
        for (int p = 1; p < DIGITS; p++)
            left += cnt[p][dig(one, p)] != m;
        for (int p = 0; p < DIGITS; p++) {
            g_u32 s = 0, *at = cnt[p];
            if (p > 0 && at[dig(one, p)] == m)
                continue;
            for (int d = 0; d < 256; d++) {
                const g_u32 c = at[d];
                at[d] = s;
                s += c;
            }
#if ARG || CUT
            GND_CONST_GLOBAL ELEM *src = (GND_CONST_GLOBAL ELEM *)(flips & 1 ? c : a) + me * n;
            GND_GLOBAL ELEM *dst = (GND_GLOBAL ELEM *)(flips & 1 ? a : c) + me * n;
#define PLACE(e)                                                                                           \
    do {                                                                                                   \
        const g_u32 to = at[dig(e, p)]++;                                                                  \
        if (left > 0)                                                                                      \
            dst[to] = e;                                                                                   \
        else                                                                                               \
            GIVE(to + before, e);                                                                          \
    } while (0)
#else
            /* the last pass ends in the result */
            GND_GLOBAL ELEM *out = (GND_GLOBAL ELEM *)y + row * n, *own = (GND_GLOBAL ELEM *)a + me * n;
            GND_CONST_GLOBAL ELEM *src = left & 1 ? out : own;
            GND_GLOBAL ELEM *dst = left & 1 ? own : out;
#define PLACE(e) (dst[at[dig(e, p)]++] = (e))
#endif
            if (p == 0) {
                for (g_i64 i = 0; i < m; i++) {
                    const ELEM e = ROW_AT(i);
                    PLACE(e);
                }
            } else {
                for (g_i64 i = 0; i < m; i++) {
                    const ELEM e = src[i];
                    PLACE(e);
                }
            }
            left--;
            flips++;
        }
    }
