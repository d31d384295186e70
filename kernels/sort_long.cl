/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sort_long.cl - passes of a sort over long rows, block by block (lib/prim/sort_long.c): counting, places, and on CPUs
 * moving; which passes are made, and the source and target of elements. Elements and dig() are in sort.cl.
 *
 * Row r is cut in nblk blocks of len elements. Pass p: hist counts each block's digits, h[(r * nblk + block) * 256 +
 * digit]; scan makes of them the first position in the row; scatter moves. Before them, ctl finds the passes whose
 * digit is the same in all elements: ctl[p] is 0 for those, else 1 + 2 if the elements come from b (else a) + 4 if they
 * go to b (else a) + 8 for the last pass, whose results go to y + 16 for every second one that is made; ctl[DIGITS],
 * where PLAIN, is 1 if any element is odd(), that is, no plain float. Pass 0 reads the input. FIRST: pass 0; SINGLE: it
 * is the only one.
 */
//@text sort_hist
    const g_i64 g = (g_i64)GND_GRP(0), row = g / nblk, lo = (g - row * nblk) * len;
#if FIRST
    const g_i64 hi = lo + len < n ? lo + len : n;
#define AT(i) first(IN_x(row * n + (i)), i)
#else
    const g_u32 c = ctl[pass];
    const g_i64 hi = c == 0 ? lo : lo + len < n ? lo + len : n;
    GND_CONST_GLOBAL ELEM *src = (c & 2u ? (GND_CONST_GLOBAL ELEM *)b : (GND_CONST_GLOBAL ELEM *)a) + row * n;
#define AT(i) src[i]
#endif
#if FIRST && !SINGLE /* the bits in which digits differ from those of one element; whether any is odd */
    g_u32 mine[DWORDS + PLAIN];
    const ELEM one = first(IN_x(0), 0);
    for (int w = 0; w < DWORDS + PLAIN; w++)
        mine[w] = 0;
#define SEE(e)                                                                                             \
    for (int w = 0; w < DWORDS; w++)                                                                       \
        mine[w] |= digits(e, w) ^ digits(one, w);                                                          \
    if (odd(e))                                                                                            \
        mine[DWORDS + PLAIN - 1] |= 1u;
#else
#define SEE(e)
#endif
//@text sort_hist_gpu
    GND_LOCAL g_u32 cnt[1024];
    const int t = (int)GND_LID(0);
#if FIRST && !SINGLE
    GND_LOCAL g_u32 diff[DWORDS + PLAIN];
    if (t < DWORDS + PLAIN)
        diff[t] = 0;
#endif
    for (int i = t; i < 1024; i += TPG)
        cnt[i] = 0;
    GND_BARRIER();
    for (g_i64 base = lo; base < hi; base += 8 * TPG) {
        if (!DEAR && base + 8 * TPG <= hi) {
            ELEM e[8];
            UNROLL
            for (int j = 0; j < 8; j++)
                e[j] = AT(base + j * TPG + t);
            UNROLL
            for (int j = 0; j < 8; j++) {
                gnd_linc_u32(&cnt[dig(e[j], pass) * 4u + (t & 3)]);
                SEE(e[j])
            }
        } else {
#pragma unroll 1
            for (g_i64 i = base + t; i < hi; i += TPG) {
                const ELEM e = AT(i);
                gnd_linc_u32(&cnt[dig(e, pass) * 4u + (t & 3)]);
                SEE(e)
            }
            if (DEAR)
                break;
        }
    }
#if FIRST && !SINGLE
    for (int w = 0; w < DWORDS + PLAIN; w++)
        gnd_lor_u32(&diff[w], mine[w]);
#endif
    GND_BARRIER();
    for (int d = t; d < 256; d += TPG)
        h[g * 256 + d] = (COUNT)cnt[4 * d] + cnt[4 * d + 1] + cnt[4 * d + 2] + cnt[4 * d + 3];
#if FIRST && !SINGLE
    if (t < DWORDS + PLAIN)
        df[g * (DWORDS + PLAIN) + t] = diff[t];
#endif

/* Four tables, so that equal digits one after the other do not wait for each other. */
//@text sort_hist_cpu
    g_u32 cnt[4][256];
    g_u8 digit_of[RUN];
    for (int i = 0; i < 256; i++)
        cnt[0][i] = cnt[1][i] = cnt[2][i] = cnt[3][i] = 0;
    for (g_i64 i = lo; i < hi; i += RUN) {
        const int m = hi - i < RUN ? (int)(hi - i) : RUN;
        int k = 0;
        for (int q = 0; q < m; q++)
            digit_of[q] = (g_u8)dig(AT(i + q), pass);
#if FIRST && !SINGLE
        for (int q = 0; q < m; q++) {
            const ELEM e = AT(i + q);
            SEE(e)
        }
#endif
        for (; k + 4 <= m; k += 4) {
            cnt[0][digit_of[k]]++;
            cnt[1][digit_of[k + 1]]++;
            cnt[2][digit_of[k + 2]]++;
            cnt[3][digit_of[k + 3]]++;
        }
        for (; k < m; k++)
            cnt[0][digit_of[k]]++;
    }
    for (int d = 0; d < 256; d++)
        h[g * 256 + d] = (COUNT)cnt[0][d] + cnt[1][d] + cnt[2][d] + cnt[3][d];
#if FIRST && !SINGLE
    for (int w = 0; w < DWORDS + PLAIN; w++)
        df[g * (DWORDS + PLAIN) + w] = mine[w];
#endif

//@text sort_ctl
    GND_LOCAL g_u32 diff[WORDS];
    const int t = (int)GND_LID(0);
    g_u32 mine[WORDS];
    for (int w = 0; w < WORDS; w++)
        mine[w] = 0;
    for (g_i64 i = t; i < nblocks; i += TPG)
        for (int w = 0; w < WORDS; w++)
            mine[w] |= df[i * WORDS + w];
    if (t == 0)
        for (int w = 0; w < WORDS; w++)
            diff[w] = 0;
    GND_BARRIER();
    for (int w = 0; w < WORDS; w++)
        gnd_lor_u32(&diff[w], mine[w]);
    GND_BARRIER();
#define ODD (PLAIN && diff[WORDS - 1])
#define SEVERAL(p) (diff[(p) >> 2] >> (8 * ((p) & 3)) & 255u)
//@text sort_ctl_end
    if (t == 0) {
        int live = 1, k = 0;
        g_u32 from = 0;
        for (int p = 1; p < DIGITS; p++)
            live += SEVERAL(p) != 0;
        for (int p = 0; p < DIGITS; p++) {
            if (p > 0 && SEVERAL(p) == 0) {
                ctl[p] = 0;
                continue;
            }
            /* values end in b, which is the result */
            const g_u32 to = ((live - 1 - k) & 1) ? 0u : 4u;
            ctl[p] = 1u | from | to | (k == live - 1 ? 8u : 0u) | (k & 1 ? 16u : 0u);
            k++;
            from = to / 2u;
        }
        ctl[DIGITS] = ODD;
    }

/* A group takes a row: work-item (s, d) digit d in part s of the blocks. */
//@text sort_scan_gpu
    GND_LOCAL COUNT part[TPG], sum[2][256];
    const int t = (int)GND_LID(0), d = t & 255, s = t >> 8;
    const g_i64 row = (g_i64)GND_GRP(0), per = (nblk + TPG / 256 - 1) / (TPG / 256);
    const g_i64 b0 = s * per < nblk ? s * per : nblk, b1 = b0 + per < nblk ? b0 + per : nblk;
    GND_GLOBAL COUNT *hr = h + row * nblk * 256 + d;
    COUNT own = 0, all = 0;
    UNROLL8
    for (g_i64 i = b0; i < b1; i++)
        own += hr[i * 256];
    part[t] = own;
    GND_BARRIER();
    own = 0;
    for (int k = 0; k < TPG / 256; k++) {
        own += k < s ? part[k * 256 + d] : 0;
        all += part[k * 256 + d];
    }
    if (s == 0)
        sum[0][d] = all;
    GND_BARRIER();
    for (int k = 0; k < 8; k++) {
        if (s == 0)
            sum[(k + 1) & 1][d] = sum[k & 1][d] + (d >= 1 << k ? sum[k & 1][(d - (1 << k)) & 255] : 0);
        GND_BARRIER();
    }
    own += sum[0][d] - all;
    UNROLL8
    for (g_i64 i = b0; i < b1; i++) {
        const COUNT c = hr[i * 256];
        hr[i * 256] = own;
        own += c;
    }

//@text sort_scan_cpu
    const g_i64 row = (g_i64)GND_GRP(0);
    GND_GLOBAL COUNT *hr = h + row * nblk * 256;
    COUNT at[256], s = 0;
    for (int d = 0; d < 256; d++)
        at[d] = 0;
    for (g_i64 i = 0; i < nblk; i++)
        for (int d = 0; d < 256; d++)
            at[d] += hr[i * 256 + d];
    for (int d = 0; d < 256; d++) {
        const COUNT c = at[d];
        at[d] = s;
        s += c;
    }
    for (g_i64 i = 0; i < nblk; i++)
        for (int d = 0; d < 256; d++) {
            const COUNT c = hr[i * 256 + d];
            hr[i * 256 + d] = at[d];
            at[d] += c;
        }

/* The result has `keep` places of each row, beginning with place `from`: elements, or indices if ARG. CUT: these are
 * elements, and not all of them. */
//@text sort_give
#define KEPT(at) ((g_u64)((g_i64)(at) - from) < (g_u64)keep)
#if ARG
#define GIVEN(at, e) (y[at] = index(e))
#else
#define GIVEN(at, e) (((GND_GLOBAL ELEM *)y)[at] = (e))
#endif
#define GIVE(at, e)                                                                                        \
    do {                                                                                                   \
        if (KEPT(at))                                                                                      \
            GIVEN(row * keep + (g_i64)(at) - from, e);                                                     \
    } while (0)

/* Where the elements of a pass come from, and go to. ARG or CUT: the last pass writes to the result. */
//@text sort_ends
#if FIRST
#define AT(i) first(IN_x(row * n + (i)), i)
#else
#define AT(i) src[i]
#endif
#if (ARG || CUT) && SINGLE
#define MOVE(at, e) GIVE(at, e)
#elif ARG || CUT
#define MOVE(at, e)                                                                                        \
    do {                                                                                                   \
        if (!(c & 8u))                                                                                     \
            dst[at] = e;                                                                                   \
        else                                                                                               \
            GIVE(at, e);                                                                                   \
    } while (0)
#else
#define MOVE(at, e) (dst[at] = (e))
#endif

//@text sort_from_to
#if SINGLE
    const g_i64 hi = lo + len < n ? lo + len : n;
#if !ARG && !CUT
    GND_GLOBAL ELEM *dst = (GND_GLOBAL ELEM *)b + row * n;
#endif
#else
    const g_u32 c = ctl[pass];
    const g_i64 hi = c == 0 ? lo : lo + len < n ? lo + len : n;
    GND_GLOBAL ELEM *dst = (c & 4u ? (GND_GLOBAL ELEM *)b : (GND_GLOBAL ELEM *)a) + row * n;
#if !FIRST
    GND_CONST_GLOBAL ELEM *src = (c & 2u ? (GND_CONST_GLOBAL ELEM *)b : (GND_CONST_GLOBAL ELEM *)a) + row * n;
#endif
#endif

//@text sort_scatter_cpu
    COUNT at[256];
    const g_i64 g = (g_i64)GND_GRP(0), row = g / nblk, lo = (g - row * nblk) * len;
//@text sort_scatter_cpu_move
    g_u8 digit_of[RUN];
    for (int d = 0; d < 256; d++)
        at[d] = h[g * 256 + d];
    for (g_i64 i = lo; i < hi; i += RUN) {
        const int m = hi - i < RUN ? (int)(hi - i) : RUN;
        for (int k = 0; k < m; k++)
            digit_of[k] = (g_u8)dig(AT(i + k), pass);
        for (int k = 0; k < m; k++) {
            const ELEM e = AT(i + k);
            const COUNT to = at[digit_of[k]]++;
            MOVE(to, e);
        }
    }
