/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/half.c - converts float16 (IEEE 754 binary16: 5 exponent bits, 10 fraction bits) and
 * bfloat16 (8 and 7) to and from float and double, in integer arithmetic. Rounds once, to nearest
 * even; subnormals are exact; NaNs become quiet and keep the top of their payload.
 */
#include "base/dtype.h"

#include <string.h>

/* Converts d to a format of ebits exponent bits and mbits fraction bits, where ebits + mbits =
 * 15. */
static uint16_t narrow(double d, int ebits, int mbits)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    unsigned sign = (unsigned)(bits >> 63) << 15;
    int e = (int)(bits >> 52 & 0x7ff);
    uint64_t m = bits & (((uint64_t)1 << 52) - 1);
    unsigned inf = ((1u << ebits) - 1) << mbits;
    int bias = (1 << (ebits - 1)) - 1;

    if (e == 0x7ff)
        return (uint16_t)(sign | inf | (m ? (unsigned)(m >> (52 - mbits)) | 1u << (mbits - 1) : 0));
    if (e == 0) /* zero, or a double far below the smallest subnormal of either format */
        return (uint16_t)sign;
    e -= 1023;
    m |= (uint64_t)1 << 52;

    /* Drop `shift` bits, more of them below the normal range. The implicit bit of q adds 1 to the
     * exponent field, and so does a carry out of the fraction. */
    int normal = e >= 1 - bias;
    int shift = 52 - mbits + (normal ? 0 : 1 - bias - e);
    if (shift > 53) /* below half of the smallest subnormal: rounds to 0 */
        return (uint16_t)sign;
    uint64_t q = m >> shift, rest = m & (((uint64_t)1 << shift) - 1);
    uint64_t half = (uint64_t)1 << (shift - 1);
    if (rest > half || (rest == half && (q & 1)))
        q++;
    if (normal && e > bias)
        return (uint16_t)(sign | inf);
    unsigned r = (normal ? (unsigned)(e + bias - 1) << mbits : 0) + (unsigned)q;
    return (uint16_t)(sign | (r > inf ? inf : r));
}

uint16_t gnd__f64_to_f16(double d)
{
    return narrow(d, 5, 10);
}

uint16_t gnd__f64_to_bf16(double d)
{
    return narrow(d, 8, 7);
}

float gnd__bf16_to_f32(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

float gnd__f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 0x1f, m = h & 0x3ff, bits;
    if (e == 0x1f) {
        bits = sign | 0x7f800000u | m << 13 | (m ? 0x400000u : 0);
    } else if (e) {
        bits = sign | (e + 112) << 23 | m << 13;
    } else if (m) { /* subnormal: shift the leading bit up to the implicit place */
        e = 113;
        while (!(m & 0x400)) {
            m <<= 1;
            e--;
        }
        bits = sign | e << 23 | (m & 0x3ff) << 13;
    } else {
        bits = sign;
    }
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
