/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sort.cl - what the stable sorts by radix, least significant digit first, have in common (lib/prim/sort.c):
 * keys, elements, and how a group brings the elements of a tile into order in local memory. The kernels
 * are in sort_long.cl, sort_move.cl (long rows) and sort_rows.cl.
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

/* The bits of a value that has key k: of NaN a positive quiet one, of zeros 0. */
//@fn sortback b u
#define gnd_sortback_$t(k, flip) (($U)((k) ^ ($U)(flip)))
//@fn sortback i
#define gnd_sortback_$t(k, flip) (($U)((k) ^ ($U)(flip) ^ ($U)1 << (8 * sizeof($U) - 1)))
//@fn sortback f16
GND_FN g_u16 gnd_sortback_f16(g_u32 k, g_u64 flip)
{
    const g_u32 u = (k ^ (g_u32)flip) & 0xffffu;
    return (g_u16)(k == 0xffffu ? 0x7e00u : u & 0x8000u ? u ^ 0x8000u : ~u);
}
//@fn sortback bf16
GND_FN g_u16 gnd_sortback_bf16(g_u32 k, g_u64 flip)
{
    const g_u32 u = (k ^ (g_u32)flip) & 0xffffu;
    return (g_u16)(k == 0xffffu ? 0x7fc0u : u & 0x8000u ? u ^ 0x8000u : ~u);
}
//@fn sortback f32
GND_FN g_u32 gnd_sortback_f32(g_u32 k, g_u64 flip)
{
    const g_u32 u = k ^ (g_u32)flip;
    return k == 0xffffffffu ? 0x7fc00000u : u & 0x80000000u ? u ^ 0x80000000u : ~u;
}
//@fn sortback f64
GND_FN g_u64 gnd_sortback_f64(g_u64 k, g_u64 flip)
{
    const g_u64 top = (g_u64)1 << 63, u = k ^ flip;
    return k == ~(g_u64)0 ? (g_u64)0xfff << 51 : u & top ? u ^ top : ~u;
}

/* The same of bits that are no NaN and not -0, before flip; and whether they are. */
//@fn sortplain f16 bf16
#define gnd_sortplain_$n(r) ((g_u32)(r) ^ ((r) & 0x8000u ? 0xffffu : 0x8000u))
//@fn sortplain f32
#define gnd_sortplain_f32(r) ((r) ^ ((g_u32)((g_i32)(r) >> 31) | 0x80000000u))
//@fn sortplain f64
#define gnd_sortplain_f64(r) ((r) ^ ((g_u64)((g_i64)(r) >> 63) | (g_u64)1 << 63))
//@fn sortodd f16
#define gnd_sortodd_f16(r) (((r) & 0x7fffu) > 0x7c00u || (r) == 0x8000u)
//@fn sortodd bf16
#define gnd_sortodd_bf16(r) (((r) & 0x7fffu) > 0x7f80u || (r) == 0x8000u)
//@fn sortodd f32
#define gnd_sortodd_f32(r) (((r) & 0x7fffffffu) > 0x7f800000u || (r) == 0x80000000u)
//@fn sortodd f64
#define gnd_sortodd_f64(r) (((r) & ~((g_u64)1 << 63)) > (g_u64)0x7ff << 52 || (r) == (g_u64)1 << 63)

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

/* Digits of floats if none of all is NaN or -0, which odd() says. */
//@text sort_plain
#define PLAIN 1
#define plain(e, p) (((g_u32)(gnd_sortplain_$n(e) >> (8 * (p))) ^ (g_u32)flip) & 255u)
#define odd(e) gnd_sortodd_$n(e)
//@text sort_not_plain
#define PLAIN 0
#define plain(e, p) 0u
#define odd(e) 0

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

/* --- a group sorts a tile of TPG * IPT elements, IPT successive ones per work-item, by four bits a
 * round: each counts its elements of each of the 16 values in 4 bits of a register, a scan over (value,
 * work-item) of two counts a word makes positions of them, and the elements go there through local
 * memory, a word at a time (after Satish, Harris, Garland: Designing efficient sorting algorithms for
 * manycore GPUs, IPDPS 2009). SLOT spreads the elements of a work-item over banks. ------------------ */

//@text sort_each
#define STRIPED (j * TPG + t)
#define EACH UNROLL for (int j = 0; j < IPT; j++)
//@text sort_tile
#define CS (TPG + 32)
#define SLOT(i) ((i) + ((i) >> 5))
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
