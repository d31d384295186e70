/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/nativekeys.h - keys of elements, whose order as unsigned ints is that of the elements
 * (gnd_sortkey in kernels/sort.cl).
 */
#ifndef GND_HOST_NATIVEKEYS_H
#define GND_HOST_NATIVEKEYS_H

#include <stdint.h>

/* The key of bits u: of floats NaN is all ones whatever the direction, and -0 is 0. */
static inline uint64_t gnd__key_of(uint64_t u, int kind, int bits, int descending)
{
    const uint64_t top = (uint64_t)1 << (bits - 1), all = top | (top - 1), a = u & ~top;
    const uint64_t flip = descending ? all : 0;
    if (kind == 'i')
        return u ^ top ^ flip;
    if (kind != 'f')
        return u ^ flip;
    if (a > (bits == 32 ? (uint64_t)0xff << 23 : (uint64_t)0x7ff << 52))
        return all;
    return (a == 0 ? top : u & top ? ~u & all : u | top) ^ flip;
}

/* The bits of an element of key k (gnd_sortback): of NaN a positive quiet one, of zeros 0. */
static inline uint64_t gnd__key_back(uint64_t k, int kind, int bits, int descending)
{
    const uint64_t top = (uint64_t)1 << (bits - 1), all = top | (top - 1);
    const uint64_t u = k ^ (descending ? all : 0);
    if (kind == 'i')
        return u ^ top;
    if (kind != 'f')
        return u;
    if (k == all)
        return bits == 32 ? (uint64_t)0x1ff << 22 : (uint64_t)0xfff << 51;
    return u & top ? u ^ top : ~u & all;
}

#endif
