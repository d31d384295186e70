/* SPDX-License-Identifier: BSD-3-Clause
 *
 * half.cl - float16 (IEEE 754 binary16) and bfloat16: values are g_f32 on the dtype's grid, memory
 * is g_u16. round: a float rounded to the grid, to nearest even, with overflow to inf, subnormals
 * exact and NaN kept. pack, unpack: to and from memory; pack rounds. In integer arithmetic and
 * float additions that any device does the same way (after F. Giesen, "float->half variants",
 * 2012); CUDA has conversions in hardware, of bfloat16 from compute capability 8.0 on (they make every NaN the same one), and
 * NVIDIA's OpenCL takes those of float16.
 */

/* Normal numbers: add half of the last kept place (less one where that bit is even) and cut.
 * Subnormal ones: the place of 2^-24 is the last one of floats near 0.5. */
//@fn round f16 opencl
#ifdef __NV_CL_C_VERSION
GND_FN g_f32 gnd_round_f16(g_f32 x)
{
    return gnd_unpack_f16(gnd_pack_f16(x));
}
#else
GND_FN g_f32 gnd_round_f16(g_f32 x)
{
    const g_u32 u = GND_BITS_f32(x), s = u & 0x80000000u, a = u ^ s;
    const g_f32 tiny = (GND_FROM_f32(a) + 0.5f) - 0.5f;
    g_u32 r = (a + 0xfffu + (a >> 13 & 1u)) & ~0x1fffu;
    r = r >= 0x47800000u ? 0x7f800000u : r;
    r = a < 0x38800000u ? GND_BITS_f32(tiny) : r;
    return a > 0x7f800000u ? x : GND_FROM_f32(r | s);
}
#endif
//@fn round f16 cuda
GND_FN g_f32 gnd_round_f16(g_f32 x)
{
    return gnd_unpack_f16(gnd_pack_f16(x));
}
/* The conversion of two values takes an eighth of the time of that of one, and leaves x as the upper half of a float. */
//@fn round bf16 cuda
#if __CUDA_ARCH__ >= 800
GND_FN g_f32 gnd_round_bf16(g_f32 x)
{
    g_u32 w;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(x), "f"(0.f));
    return GND_FROM_f32(w);
}
#else
GND_FN g_f32 gnd_round_bf16(g_f32 x)
{
    const g_u32 a = GND_BITS_f32(x);
    const g_u32 r = (a + 0x7fffu + (a >> 16 & 1u)) & 0xffff0000u;
    return x != x ? x : GND_FROM_f32(r);
}
#endif
//@fn round bf16 opencl
GND_FN g_f32 gnd_round_bf16(g_f32 x)
{
    const g_u32 a = GND_BITS_f32(x);
    const g_u32 r = (a + 0x7fffu + (a >> 16 & 1u)) & 0xffff0000u;
    return x != x ? x : GND_FROM_f32(r);
}

/* An integer as a float, which is exact or has an odd last place, of 13 or more: rounding that to bfloat16 gives what
 * rounding the integer itself would (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved
 * algorithms using rounding to odd", IEEE Trans. Computers 57(4), 2008). float16 needs it not: what a float has no
 * place for is inf there. */
//@fn odd u32
GND_FN g_f32 gnd_odd_u32(g_u32 x)
{
    const g_u32 low = x >> 24 ? 0xffu : 0u;
    return (g_f32)((x | ((x & low) + low)) & ~low);
}
//@fn odd i32
GND_FN g_f32 gnd_odd_i32(g_i32 x)
{
    const g_u32 u = (g_u32)x, low = (x < 0 ? ~u : u) >> 24 ? 0xffu : 0u;
    return (g_f32)(g_i32)((u | ((u & low) + low)) & ~low);
}
/* The bits that are left out: so many that the rest fits a float, and has 13 places or more. */
//@fn oddlow u64
GND_FN g_u64 gnd_oddlow_u64(g_u64 x)
{
    const g_u64 one = 1;
    return (x >> 48 ? x >> 60 ? one << 40 : one << 36 : x >> 36 ? one << 24 : x >> 24 ? one << 12 : one) - one;
}
//@fn odd u64
GND_FN g_f32 gnd_odd_u64(g_u64 x)
{
    const g_u64 low = gnd_oddlow_u64(x);
    return (g_f32)((x | ((x & low) + low)) & ~low);
}
//@fn odd i64
GND_FN g_f32 gnd_odd_i64(g_i64 x)
{
    const g_u64 u = (g_u64)x, low = gnd_oddlow_u64(x < 0 ? ~u : u);
    return (g_f32)(g_i64)((u | ((u & low) + low)) & ~low);
}

/* From float64 in one rounding. */
//@fn round_f16 f64
GND_FN g_f32 gnd_round_f16_f64(g_f64 x)
{
    const g_u64 u = GND_BITS_f64(x), s = u & (g_u64)1 << 63, a = u ^ s;
    g_u64 r = (a + (((g_u64)1 << 41) - 1) + (a >> 42 & 1u)) & ~(((g_u64)1 << 42) - 1);
    if (a < (g_u64)1009 << 52) /* below 2^-14: doubles near 2^28 have the place of 2^-24 last */
        r = GND_BITS_f64((GND_FROM_f64(a) + 268435456.0) - 268435456.0);
    else if (r >= (g_u64)1039 << 52)
        r = (g_u64)0x7ff << 52;
    return (g_f32)(x != x ? x : GND_FROM_f64(r | s));
}
//@fn round_bf16 f64
GND_FN g_f32 gnd_round_bf16_f64(g_f64 x)
{
    const g_u64 u = GND_BITS_f64(x), s = u & (g_u64)1 << 63, a = u ^ s;
    const g_f64 c = GND_FROM_f64((g_u64)(1023 - 81) << 52); /* last place 2^-133 */
    g_u64 r = (a + (((g_u64)1 << 44) - 1) + (a >> 45 & 1u)) & ~(((g_u64)1 << 45) - 1);
    if (a < (g_u64)(1023 - 126) << 52)
        r = GND_BITS_f64((GND_FROM_f64(a) + c) - c);
    else if (r >= (g_u64)(1023 + 128) << 52)
        r = (g_u64)0x7ff << 52;
    return (g_f32)(x != x ? x : GND_FROM_f64(r | s));
}

//@fn pack f16 opencl
#ifdef __NV_CL_C_VERSION
GND_FN g_u16 gnd_pack_f16(g_f32 x)
{
    g_u16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}
#else
GND_FN g_u16 gnd_pack_f16(g_f32 x)
{
    const g_u32 u = GND_BITS_f32(x), s = u >> 16 & 0x8000u, a = u & 0x7fffffffu;
    const g_u32 tiny = GND_BITS_f32(GND_FROM_f32(a) + 0.5f) - 0x3f000000u;
    g_u32 h = (a - 0x38000000u + 0xfffu + (a >> 13 & 1u)) >> 13;
    h = a < 0x38800000u ? tiny : h;
    h = a >= 0x477ff000u ? 0x7c00u : h;
    h = a > 0x7f800000u ? 0x7e00u | (a >> 13 & 0x3ffu) : h;
    return (g_u16)(h | s);
}
#endif
//@fn pack f16 cuda
GND_FN g_u16 gnd_pack_f16(g_f32 x)
{
    g_u16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}
//@fn unpack f16 opencl
#ifdef __NV_CL_C_VERSION
GND_FN g_f32 gnd_unpack_f16(g_u16 h)
{
    g_f32 x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
    return x;
}
#else
GND_FN g_f32 gnd_unpack_f16(g_u16 h)
{
    const g_u32 s = (g_u32)(h & 0x8000u) << 16, m = (g_u32)(h & 0x7fffu) << 13;
    const g_u32 e = m & 0x0f800000u;
    const g_u32 sub = GND_BITS_f32(GND_FROM_f32(m + 0x38800000u) - 6.103515625e-05f);
    g_u32 r = m + 0x38000000u;
    r = e == 0x0f800000u ? m + 0x70000000u : r;
    r = e == 0 ? sub : r;
    return GND_FROM_f32(r | s);
}
#endif
//@fn unpack f16 cuda
GND_FN g_f32 gnd_unpack_f16(g_u16 h)
{
    g_f32 x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
    return x;
}
//@fn pack bf16 cuda
#if __CUDA_ARCH__ >= 800
GND_FN g_u16 gnd_pack_bf16(g_f32 x)
{
    g_u32 w;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(0.f), "f"(x));
    return (g_u16)w;
}
#else
GND_FN g_u16 gnd_pack_bf16(g_f32 x)
{
    const g_u32 a = GND_BITS_f32(x);
    const g_u32 r = (a + 0x7fffu + (a >> 16 & 1u)) >> 16;
    return (g_u16)(x != x ? a >> 16 | 0x40u : r);
}
#endif
//@fn pack bf16 opencl
GND_FN g_u16 gnd_pack_bf16(g_f32 x)
{
    const g_u32 a = GND_BITS_f32(x);
    const g_u32 r = (a + 0x7fffu + (a >> 16 & 1u)) >> 16;
    return (g_u16)(x != x ? a >> 16 | 0x40u : r);
}
//@fn unpack bf16
GND_FN g_f32 gnd_unpack_bf16(g_u16 h)
{
    return GND_FROM_f32((g_u32)h << 16);
}

/* The neighbour of x towards y on the dtype's grid, as nextafter(): stepping the bits of a number
 * away from or towards zero steps through the grid, subnormals, 0 and inf included. */
//@fn nextafter f16 bf16
GND_FN g_f32 gnd_nextafter_$n(g_f32 x, g_f32 y)
{
    const g_u16 h = gnd_pack_$n(x);
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0.0f)
        return gnd_unpack_$n((g_u16)(1u | (y < 0.0f ? 0x8000u : 0u)));
    return gnd_unpack_$n((g_u16)((x < y) == (x > 0.0f) ? h + 1u : h - 1u));
}
