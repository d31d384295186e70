/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sort.cl - stable sorts of rows by radix, least significant digit first (lib/prim/sort.c).
 *
 * The kernels move elements of type ELEM: for sort the bits of a value in memory, for argsort a key and
 * an index. dig(e, p) is digit p (8 bits) of an element's key, an unsigned number in the order asked for:
 * NaN is last, -0 is 0, complex numbers have a last digit that says which parts are NaN. What a kernel
 * needs beside its parameters comes as macros: see lib/prim/sort.c.
 */

/* The bits of a value in memory. */
//@fn sortraw b i u
#define gnd_sortraw_$t(v) (($U)(v))
//@fn sortraw f16 bf16
#define gnd_sortraw_$n(v) gnd_pack_$n(v)
//@fn sortraw f
#define gnd_sortraw_$t(v) GND_BITS_$t(v)

/* From the bits r of a value the key whose order as unsigned ints is the values' order; flip is 0, or
 * all ones for the opposite order. NaN: all ones in both. */
//@fn sortkey b u
#define gnd_sortkey_$t(r, flip) (($U)((r) ^ ($U)(flip)))
//@fn sortkey i
#define gnd_sortkey_$t(r, flip) (($U)((r) ^ ($U)(flip) ^ ($U)1 << (8 * sizeof($U) - 1)))
//@fn sortkey f16
GND_FN g_u16 gnd_sortkey_f16(g_u16 r, g_u64 flip)
{
    const g_u32 u = r, a = u & 0x7fffu;
    const g_u32 k = (a == 0 ? 0x8000u : u & 0x8000u ? ~u : u | 0x8000u) ^ (g_u32)flip;
    return (g_u16)(a > 0x7c00u ? 0xffffu : k);
}
//@fn sortkey bf16
GND_FN g_u16 gnd_sortkey_bf16(g_u16 r, g_u64 flip)
{
    const g_u32 u = r, a = u & 0x7fffu;
    const g_u32 k = (a == 0 ? 0x8000u : u & 0x8000u ? ~u : u | 0x8000u) ^ (g_u32)flip;
    return (g_u16)(a > 0x7f80u ? 0xffffu : k);
}
//@fn sortkey f32
GND_FN g_u32 gnd_sortkey_f32(g_u32 u, g_u64 flip)
{
    const g_u32 a = u & 0x7fffffffu, s = (g_u32)((g_i32)u >> 31) | 0x80000000u;
    const g_u32 k = (a == 0 ? 0x80000000u : u ^ s) ^ (g_u32)flip;
    return a > 0x7f800000u ? 0xffffffffu : k;
}
//@fn sortkey f64
GND_FN g_u64 gnd_sortkey_f64(g_u64 u, g_u64 flip)
{
    const g_u64 top = (g_u64)1 << 63, a = u & ~top, s = (g_u64)((g_i64)u >> 63) | top;
    const g_u64 k = (a == 0 ? top : u ^ s) ^ flip;
    return a > (g_u64)0x7ff << 52 ? ~(g_u64)0 : k;
}

/* Counting in local memory. */
//@fn linc u32 opencl
#define gnd_linc_u32(p) ((void)atomic_inc((volatile __local g_u32 *)(p)))
//@fn linc u32 cuda
#define gnd_linc_u32(p) ((void)atomicAdd(p, 1u))
//@fn lor u32 opencl
#define gnd_lor_u32(p, v) ((void)atomic_or((volatile __local g_u32 *)(p), v))
//@fn lor u32 cuda
#define gnd_lor_u32(p, v) ((void)atomicOr(p, v))

/* --- elements: ELEM, first(value, index), dig(e, p), PAD (an element that none comes after), index(e) of
 * argsort, and for the exchange in local memory their words of 32 bits. flip, a parameter of the kernels:
 * see sortkey. -------------------------------------------------------------------------------------- */

/* Values of up to 4 bytes; of 8; complex ones. UINT: their bits; SIGN: the bits of PAD are ~SIGN when
 * ascending, so that NaN is, or the greatest int. */
//@text sort_value4
typedef UINT ELEM;
#define WORDS 1
#define first(v, i) ((ELEM)gnd_sortraw_$n(v))
#define dig(e, p) ((g_u32)(gnd_sortkey_$n(e, flip) >> (8 * (p))) & 255u)
#define word(e, w) ((g_u32)(e))
#define with(e, w, v) ((ELEM)(v))
//@text sort_value8
typedef g_u64 ELEM;
#define WORDS 2
#define first(v, i) ((ELEM)gnd_sortraw_$n(v))
#define dig(e, p) ((g_u32)(gnd_sortkey_$n(e, flip) >> (8 * (p))) & 255u)
//@text sort_value_c64
typedef g_u64 ELEM;
#define WORDS 2
#define PAD (~(g_u64)0)
#define first(v, i) ((g_u64)GND_BITS_f32((v).y) << 32 | GND_BITS_f32((v).x))
#define dig(e, p) digit(e, p, flip)
GND_FN g_u32 digit(ELEM e, int p, g_i64 flip)
{
    const g_u32 re = gnd_sortkey_f32((g_u32)e, flip), im = gnd_sortkey_f32((g_u32)(e >> 32), flip);
    return p < 4 ? im >> (8 * p) & 255u : p < 8 ? re >> (8 * (p - 4)) & 255u
                 : (g_u32)(re == 0xffffffffu) * 2u + (g_u32)(im == 0xffffffffu);
}
//@text sort_value_c128
typedef struct { g_u64 a, b; } ELEM;
#define WORDS 4
#define PAD pad()
#define dig(e, p) digit(e, p, flip)
GND_FN ELEM first(g_c128 v, g_i64 i)
{
    ELEM e;
    e.a = GND_BITS_f64(v.x);
    e.b = GND_BITS_f64(v.y);
    return e;
}
GND_FN g_u32 digit(ELEM e, int p, g_i64 flip)
{
    const g_u64 re = gnd_sortkey_f64(e.a, flip), im = gnd_sortkey_f64(e.b, flip);
    return p < 8 ? (g_u32)(im >> (8 * p)) & 255u : p < 16 ? (g_u32)(re >> (8 * (p - 8))) & 255u
                 : (g_u32)(re == ~(g_u64)0) * 2u + (g_u32)(im == ~(g_u64)0);
}
GND_FN ELEM pad(void)
{
    ELEM e;
    e.a = e.b = ~(g_u64)0;
    return e;
}

/* The end of an order of values that are no complex ones. */
//@text sort_pad
#define PAD ((ELEM)(~(g_u64)flip ^ SIGN))
//@text sort_pad_nan
#define PAD (~(ELEM)0)

/* Keys with an index: of up to 4 bytes in one word, of 8, of complex64 (real part above), of complex128;
 * each followed by how they are made of a value. */
//@text sort_arg4
typedef g_u64 ELEM;
#define WORDS 2
#define PAD (~(g_u64)0)
#define dig(e, p) ((g_u32)((e) >> (32 + 8 * (p))) & 255u)
#define index(e) ((g_i64)(g_u32)(e))
//@text sort_arg4_first
#define first(v, i) ((g_u64)gnd_sortkey_$n(gnd_sortraw_$n(v), flip) << 32 | (g_u32)(i))

//@text sort_arg8
typedef struct { g_u64 a, b; } ELEM;
#define WORDS 4
#define PAD pair(~(g_u64)0, 0)
GND_FN ELEM pair(g_u64 a, g_i64 i)
{
    ELEM e;
    e.a = a;
    e.b = (g_u64)i;
    return e;
}
#define index(e) ((g_i64)(e).b)
//@text sort_arg8_real
#define dig(e, p) ((g_u32)((e).a >> (8 * (p))) & 255u)
//@text sort_arg8_complex
GND_FN g_u32 dig(ELEM e, int p)
{
    return p < 8 ? (g_u32)(e.a >> (8 * p)) & 255u
                 : (g_u32)((g_u32)(e.a >> 32) == 0xffffffffu) * 2u + (g_u32)((g_u32)e.a == 0xffffffffu);
}
//@text sort_arg8_first
#define first(v, i) pair(gnd_sortkey_$n(gnd_sortraw_$n(v), flip), i)
//@text sort_arg_c64_first
#define KEY(x) gnd_sortkey_f32(GND_BITS_f32(x), flip)
#define first(v, i) pair((g_u64)KEY((v).x) << 32 | KEY((v).y), i)

//@text sort_arg16
typedef struct { g_u64 a, b, c; } ELEM;
#define WORDS 6
#define PAD triple(~(g_u64)0, ~(g_u64)0, 0)
GND_FN ELEM triple(g_u64 a, g_u64 c, g_i64 i)
{
    ELEM e;
    e.a = a;
    e.b = (g_u64)i;
    e.c = c;
    return e;
}
#define index(e) ((g_i64)(e).b)
GND_FN g_u32 dig(ELEM e, int p)
{
    return p < 8 ? (g_u32)(e.c >> (8 * p)) & 255u : p < 16 ? (g_u32)(e.a >> (8 * (p - 8))) & 255u
                 : (g_u32)(e.a == ~(g_u64)0) * 2u + (g_u32)(e.c == ~(g_u64)0);
}
//@text sort_arg_c128_first
#define KEY(x) gnd_sortkey_f64(GND_BITS_f64(x), flip)
#define first(v, i) triple(KEY((v).x), KEY((v).y), i)

/* Words of elements of 8 bytes, and of structures. */
//@text sort_words8
#define word(e, w) ((g_u32)((e) >> (32 * (w))))
#define with(e, w, v) ((w) ? ((e) & 0xffffffffu) | (g_u64)(v) << 32 : ((e) >> 32 << 32) | (v))
//@text sort_words16
GND_FN g_u32 word(ELEM e, int w)
{
    return (g_u32)((w < 2 ? e.a : e.b) >> (32 * (w & 1)));
}
GND_FN ELEM with(ELEM e, int w, g_u32 v)
{
    const g_u64 old = w < 2 ? e.a : e.b;
    const g_u64 now = w & 1 ? (old & 0xffffffffu) | (g_u64)v << 32 : (old >> 32 << 32) | v;
    if (w < 2)
        e.a = now;
    else
        e.b = now;
    return e;
}
//@text sort_words24
GND_FN g_u32 word(ELEM e, int w)
{
    return (g_u32)((w < 2 ? e.a : w < 4 ? e.b : e.c) >> (32 * (w & 1)));
}
GND_FN ELEM with(ELEM e, int w, g_u32 v)
{
    const g_u64 old = w < 2 ? e.a : w < 4 ? e.b : e.c;
    const g_u64 now = w & 1 ? (old & 0xffffffffu) | (g_u64)v << 32 : (old >> 32 << 32) | v;
    if (w < 2)
        e.a = now;
    else if (w < 4)
        e.b = now;
    else
        e.c = now;
    return e;
}

/* --- passes over long rows ------------------------------------------------------------------------
 * Row r is cut in nblk blocks of len elements. Pass p: hist counts each block's digits, h[(r * nblk +
 * block) * 256 + digit]; scan makes of them the first position in the row; scatter moves. Before them,
 * ctl finds the passes whose digit is the same in all elements: ctl[p] is 0 for those, else 1 + 2 if
 * the elements come from b (else a) + 4 if they go to b (else a) + 8 for the last pass, whose results go
 * to y. Pass 0 reads the input. FIRST: pass 0; SINGLE: it is the only one. */

/* Digits 4w .. 4w + 3 in one word. */
//@text sort_digits
#define digits(e, w) digits4(e, w, flip)
GND_FN g_u32 digits4(ELEM e, int w, g_i64 flip)
{
    g_u32 s = 0;
    for (int q = 0; q < 4; q++)
        if (4 * w + q < DIGITS)
            s |= dig(e, 4 * w + q) << (8 * q);
    return s;
}

//@text sort_hist_gpu
    GND_LOCAL g_u32 cnt[1024];
    const int t = (int)GND_LID(0);
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
#if FIRST && !SINGLE
    GND_LOCAL g_u32 diff[DWORDS];
    g_u32 mine[DWORDS];
    const ELEM one = first(IN_x(0), 0);
    for (int w = 0; w < DWORDS; w++)
        mine[w] = 0;
    if (t < DWORDS)
        diff[t] = 0;
#define SEE(e)                                                                                             \
    for (int w = 0; w < DWORDS; w++)                                                                       \
        mine[w] |= digits(e, w) ^ digits(one, w);
#else
#define SEE(e)
#endif
    for (int i = t; i < 1024; i += TPG)
        cnt[i] = 0;
    GND_BARRIER();
    for (g_i64 base = lo; base < hi; base += 8 * TPG) {
        if (base + 8 * TPG <= hi) {
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
            for (g_i64 i = base + t; i < hi; i += TPG) {
                const ELEM e = AT(i);
                gnd_linc_u32(&cnt[dig(e, pass) * 4u + (t & 3)]);
                SEE(e)
            }
        }
    }
#if FIRST && !SINGLE
    for (int w = 0; w < DWORDS; w++)
        gnd_lor_u32(&diff[w], mine[w]);
#endif
    GND_BARRIER();
    for (int d = t; d < 256; d += TPG)
        h[g * 256 + d] = (COUNT)cnt[4 * d] + cnt[4 * d + 1] + cnt[4 * d + 2] + cnt[4 * d + 3];
#if FIRST && !SINGLE
    if (t < DWORDS)
        df[g * DWORDS + t] = diff[t];
#endif

/* Four tables, so that equal digits one after the other do not wait for each other. */
//@text sort_hist_cpu
    g_u32 cnt[4][256];
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
#if FIRST && !SINGLE
    g_u32 mine[DWORDS];
    const ELEM one = first(IN_x(0), 0);
    for (int w = 0; w < DWORDS; w++)
        mine[w] = 0;
#define SEE(e)                                                                                             \
    for (int w = 0; w < DWORDS; w++)                                                                       \
        mine[w] |= digits(e, w) ^ digits(one, w);
#else
#define SEE(e)
#endif
    for (int i = 0; i < 256; i++)
        cnt[0][i] = cnt[1][i] = cnt[2][i] = cnt[3][i] = 0;
    g_i64 i = lo;
    for (; i + 4 <= hi; i += 4) {
        const ELEM e0 = AT(i), e1 = AT(i + 1), e2 = AT(i + 2), e3 = AT(i + 3);
        cnt[0][dig(e0, pass)]++;
        cnt[1][dig(e1, pass)]++;
        cnt[2][dig(e2, pass)]++;
        cnt[3][dig(e3, pass)]++;
        SEE(e0)
        SEE(e1)
        SEE(e2)
        SEE(e3)
    }
    for (; i < hi; i++) {
        const ELEM e = AT(i);
        cnt[0][dig(e, pass)]++;
        SEE(e)
    }
    for (int d = 0; d < 256; d++)
        h[g * 256 + d] = (COUNT)cnt[0][d] + cnt[1][d] + cnt[2][d] + cnt[3][d];
#if FIRST && !SINGLE
    for (int w = 0; w < DWORDS; w++)
        df[g * DWORDS + w] = mine[w];
#endif

//@text sort_ctl
    GND_LOCAL g_u32 diff[DWORDS];
    const int t = (int)GND_LID(0);
    g_u32 mine[DWORDS];
    for (int w = 0; w < DWORDS; w++)
        mine[w] = 0;
    for (g_i64 i = t; i < nblocks; i += TPG)
        for (int w = 0; w < DWORDS; w++)
            mine[w] |= df[i * DWORDS + w];
    if (t == 0)
        for (int w = 0; w < DWORDS; w++)
            diff[w] = 0;
    GND_BARRIER();
    for (int w = 0; w < DWORDS; w++)
        gnd_lor_u32(&diff[w], mine[w]);
    GND_BARRIER();
    if (t == 0) {
        int live = 1, k = 0;
        g_u32 from = 0;
        for (int p = 1; p < DIGITS; p++)
            live += (diff[p >> 2] >> (8 * (p & 3)) & 255u) != 0;
        for (int p = 0; p < DIGITS; p++) {
            if (p > 0 && (diff[p >> 2] >> (8 * (p & 3)) & 255u) == 0) {
                ctl[p] = 0;
                continue;
            }
            /* values end in b, which is the result */
            const g_u32 to = ((live - 1 - k) & 1) ? 0u : 4u;
            k++;
            ctl[p] = 1u | from | to | (k == live ? 8u : 0u);
            from = to / 2u;
        }
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

/* Where the elements of a pass come from, and go to. ARG: the last pass writes indices, those of the
 * first `keep` places of a row. */
//@text sort_ends
#if FIRST
#define AT(i) first(IN_x(row * n + (i)), i)
#else
#define AT(i) src[i]
#endif
#if ARG && SINGLE
#define MOVE(at, e)                                                                                        \
    do {                                                                                                   \
        if ((g_i64)(at) < keep)                                                                            \
            y[row * keep + (g_i64)(at)] = index(e);                                                        \
    } while (0)
#elif ARG
#define MOVE(at, e)                                                                                        \
    do {                                                                                                   \
        if (!(c & 8u))                                                                                     \
            dst[at] = e;                                                                                   \
        else if ((g_i64)(at) < keep)                                                                       \
            y[row * keep + (g_i64)(at)] = index(e);                                                        \
    } while (0)
#else
#define MOVE(at, e) (dst[at] = (e))
#endif

//@text sort_from_to
#if SINGLE
    const g_i64 hi = lo + len < n ? lo + len : n;
#if !ARG
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
    for (int d = 0; d < 256; d++)
        at[d] = h[g * 256 + d];
    for (g_i64 i = lo; i < hi; i++) {
        const ELEM e = AT(i);
        const COUNT to = at[dig(e, pass)]++;
        MOVE(to, e);
    }

/* --- a group sorts a tile of TPG * IPT elements, IPT successive ones per work-item, by four bits a
 * round: each counts its elements of each of the 16 values in 4 bits of a register, a scan over (value,
 * work-item) of two counts a word makes positions of them, and the elements go there through local
 * memory, a word at a time (after Satish, Harris, Garland: Designing efficient sorting algorithms for
 * manycore GPUs, IPDPS 2009). SLOT spreads the elements of a work-item over banks. ------------------ */

//@text sort_tile
#define CS (TPG + 32)
#define SLOT(i) ((i) + ((i) >> 5))
#define STRIPED (j * TPG + t)
#define EACH UNROLL for (int j = 0; j < IPT; j++)
#if ARG && !WIDE /* word 3 is the upper half of an index */
#define NEXT_WORD (w == 2 ? 2 : 1)
#else
#define NEXT_WORD 1
#endif
#define EXCHANGE(to, from) /* elements go to slot `to`, and come from slot `from` */                        \
    UNROLL for (int w = 0; w < WORDS; w += NEXT_WORD) {                                                    \
        GND_BARRIER();                                                                                     \
        EACH buf[to] = word(e[j], w);                                                                      \
        GND_BARRIER();                                                                                     \
        EACH e[j] = with(e[j], w, buf[from]);                                                              \
    }
//@text sort_tile_slots
    /* the slots of elements j * TPG + t, and of t * IPT + j */
    const int s0 = SLOT(t), b0 = SLOT(t * IPT);
#define SSLOT (s0 + j * (TPG + TPG / 32))
#define BSLOT (b0 + j)

/* One round: r[j] becomes the place of e[j] in the order of NIBBLE(e[j]). */
//@text sort_round
            g_u64 c4 = 0;
            EACH {
                const g_u32 q = NIBBLE(e[j]);
                r[j] = q | ((g_u32)(c4 >> (4 * q)) & 15u) << 4;
                if (j < 15)
                    c4 += (g_u64)1 << (4 * q);
            }
            GND_BARRIER();
            UNROLL
            for (int d = 0; d < 8; d++)
                buf[d * CS + s0] = ((g_u32)(c4 >> (4 * d)) & 15u) | ((g_u32)(c4 >> (4 * d + 32)) & 15u) << 16;
            if (IPT == 16) /* 16 of one value do not fit 4 bits */
                buf[(r[IPT - 1] & 7u) * CS + s0] += r[IPT - 1] & 8u ? 65536u : 1u;
            GND_BARRIER();
            /* eight successive counts: their sum, and the sums before each */
            const int own = 8 * t / TPG * CS + SLOT(8 * t % TPG), sums = 8 * CS;
            g_u32 x[8], s = 0, v;
            UNROLL
            for (int k = 0; k < 8; k++) {
                x[k] = s;
                s += buf[own + k];
            }
            buf[sums + t] = v = s;
            GND_BARRIER();
            int side = 0;
            for (int step = 1; step < TPG; step *= 8) {
                UNROLL
                for (int k = 1; k < 8; k++)
                    if (t >= k * step)
                        v += buf[sums + side + t - k * step];
                side = TPG - side;
                buf[sums + side + t] = v;
                GND_BARRIER();
            }
            /* values 8 to 15, in upper halves, come after all of the lower ones */
            v += (buf[sums + side + TPG - 1] << 16) - s;
            UNROLL
            for (int k = 0; k < 8; k++)
                buf[own + k] = x[k] + v;
            GND_BARRIER();
            EACH r[j] = (r[j] >> 4) + (buf[(r[j] & 7u) * CS + s0] >> (r[j] & 8u ? 16 : 0) & 0xffffu);

//@text sort_scatter_gpu
    GND_LOCAL g_u32 buf[BUFW];
    GND_LOCAL COUNT base[256];
    GND_LOCAL g_i32 beg[256];
    const int t = (int)GND_LID(0);
    const g_i64 g = (g_i64)GND_GRP(0), row = g / nblk, lo = (g - row * nblk) * len;
//@text sort_scatter_gpu_move
    for (int d = t; d < 256; d += TPG)
        base[d] = h[g * 256 + d];
    for (g_i64 tile = lo; tile < hi; tile += TPG * IPT) {
        const int cnt = hi - tile < TPG * IPT ? (int)(hi - tile) : TPG * IPT;
        ELEM e[IPT];
        g_u32 r[IPT];
        EACH e[j] = STRIPED < cnt ? AT(tile + STRIPED) : PAD;
        EXCHANGE(SSLOT, BSLOT)
        for (int up = 0; up < 2; up++) {
#define NIBBLE(e) (dig(e, pass) >> (4 * up) & 15u)
//@text sort_scatter_gpu_end
            const int f0 = up ? s0 : b0, fs = up ? TPG + TPG / 32 : 1;
            EXCHANGE(SLOT(r[j]), f0 + j * fs)
        }
        /* runs of one digit: where they begin */
        GND_BARRIER();
        EACH buf[STRIPED] = r[j] = dig(e[j], pass);
        GND_BARRIER();
        EACH if (STRIPED < cnt && (STRIPED == 0 || buf[STRIPED - 1] != r[j])) beg[r[j]] = STRIPED;
        GND_BARRIER();
        EACH if (STRIPED < cnt) {
            const COUNT to = base[r[j]] + (COUNT)(STRIPED - beg[r[j]]);
            MOVE(to, e[j]);
        }
        GND_BARRIER();
        EACH if (STRIPED < cnt && (STRIPED == cnt - 1 || buf[STRIPED + 1] != r[j]))
            base[r[j]] += (COUNT)(STRIPED + 1 - beg[r[j]]);
    }

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
#if ARG
        if (STRIPED < keep)
            y[row * keep + STRIPED] = index(e[j]);
#else
        ((GND_GLOBAL ELEM *)b)[row * n + STRIPED] = e[j];
#endif
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
#define PUT(at, v, i) gnd_st_$n(b, at, v)
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
        if (at < keep)
            PUT(row * keep + at, v, i);
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
            if (at < keep)
                PUT(row * keep + at, v[i], i);
        }
    }

/* A work-item sorts whole rows: counts all digits at once, then moves between memory of its own (a, and
 * for indices c) and the result. */
//@text sort_rows_cpu
    g_u32 cnt[DIGITS][256];
    const g_i64 me = (g_i64)GND_GRP(0);
    for (g_i64 row = me * per; row < (me + 1) * per && row < rows; row++) {
        int left = 0, flips = 0;
        for (int p = 0; p < DIGITS; p++)
            for (int d = 0; d < 256; d++)
                cnt[p][d] = 0;
        for (g_i64 i = 0; i < n; i++) {
            const ELEM e = AT(i);
            UNROLL
            for (int p = 0; p < DIGITS; p++)
                cnt[p][dig(e, p)]++;
        }
        const ELEM one = AT(0);
        for (int p = 1; p < DIGITS; p++)
            left += cnt[p][dig(one, p)] != n;
        for (int p = 0; p < DIGITS; p++) {
            g_u32 s = 0, *at = cnt[p];
            if (p > 0 && at[dig(one, p)] == n)
                continue;
            for (int d = 0; d < 256; d++) {
                const g_u32 c = at[d];
                at[d] = s;
                s += c;
            }
#if ARG
            GND_CONST_GLOBAL ELEM *src = (GND_CONST_GLOBAL ELEM *)(flips & 1 ? c : a) + me * n;
            GND_GLOBAL ELEM *dst = (GND_GLOBAL ELEM *)(flips & 1 ? a : c) + me * n;
#define PLACE(e)                                                                                           \
    do {                                                                                                   \
        const g_u32 to = at[dig(e, p)]++;                                                                  \
        if (left > 0)                                                                                      \
            dst[to] = e;                                                                                   \
        else if ((g_i64)to < keep)                                                                         \
            y[row * keep + to] = index(e);                                                                 \
    } while (0)
#else
            /* the last pass ends in b, the result */
            GND_GLOBAL ELEM *out = (GND_GLOBAL ELEM *)b + row * n, *own = (GND_GLOBAL ELEM *)a + me * n;
            GND_CONST_GLOBAL ELEM *src = left & 1 ? out : own;
            GND_GLOBAL ELEM *dst = left & 1 ? own : out;
#define PLACE(e) (dst[at[dig(e, p)]++] = (e))
#endif
            if (p == 0) {
                for (g_i64 i = 0; i < n; i++) {
                    const ELEM e = AT(i);
                    PLACE(e);
                }
            } else {
                for (g_i64 i = 0; i < n; i++) {
                    const ELEM e = src[i];
                    PLACE(e);
                }
            }
            left--;
            flips++;
        }
    }
