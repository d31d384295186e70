/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/hash.c - MurmurHash3_x64_128 (Austin Appleby, 2011, public domain: the SMHasher repository),
 * written anew from its description, with a 64-bit seed. Reads bytes as little-endian on every
 * machine. For seeds below 2^32 the results equal the reference's.
 */
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint64_t C1 = 0x87c37b91114253d5u, C2 = 0x4cf5ad432745937fu;

static uint64_t rotl(uint64_t x, int r)
{
    return x << r | x >> (64 - r);
}

/* Loads 8 bytes as a little-endian number. */
static uint64_t load8(const unsigned char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* Loads n <= 8 bytes likewise. */
static uint64_t load(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* The finaliser: every input bit flips every output bit with probability near 1/2. */
static uint64_t mix(uint64_t k)
{
    k = (k ^ k >> 33) * 0xff51afd7ed558ccdu;
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53u;
    return k ^ k >> 33;
}

gnd__hash gnd__hash_bytes(const void *data, size_t n, uint64_t seed)
{
    const unsigned char *p = data;
    uint64_t a = seed, b = seed;
    size_t left = n;
    for (; left >= 16; left -= 16, p += 16) {
        a ^= rotl(load8(p) * C1, 31) * C2;
        a = (rotl(a, 27) + b) * 5 + 0x52dce729;
        b ^= rotl(load8(p + 8) * C2, 33) * C1;
        b = (rotl(b, 31) + a) * 5 + 0x38495ab5;
    }
    if (left > 8)
        b ^= rotl(load(p + 8, left - 8) * C2, 33) * C1;
    if (left > 0)
        a ^= rotl(load(p, left < 8 ? left : 8) * C1, 31) * C2;
    a ^= (uint64_t)n;
    b ^= (uint64_t)n;
    a += b;
    b += a;
    a = mix(a);
    b = mix(b);
    a += b;
    b += a;
    return (gnd__hash){{a, b}};
}

void gnd__hash_hex(const gnd__hash *h, char out[33])
{
    snprintf(out, 33, "%016" PRIx64 "%016" PRIx64, h->h[0], h->h[1]);
}
