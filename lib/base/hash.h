/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/hash.h - a 128-bit hash of bytes, for cache keys and hash tables. It is not cryptographic
 * and does not resist deliberate collisions. It is the same on every machine, so that it may be
 * stored.
 */
#ifndef GND_BASE_HASH_H
#define GND_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t h[2];
} gnd__hash;

/* Hashes n bytes at p (p may be NULL if n is 0). Different seeds give unrelated functions. */
gnd__hash gnd__hash_bytes(const void *p, size_t n, uint64_t seed);
/* Writes 32 lower-case hexadecimal digits and a terminator. */
void gnd__hash_hex(const gnd__hash *h, char out[33]);

#endif
