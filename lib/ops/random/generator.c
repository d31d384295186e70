/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/random/generator.c - generators: a key and a number of calls. A call derives its streams, and
 * a split its key, by Philox4x32-10 on the host.
 *
 * Counters of elements have 0 as their fourth word; those of the host do not, so they never
 * coincide. Stream `sub` of call n is words 0 and 1 of the output for the counter (n low, n high,
 * sub, 1). The key of a split is words 0 and 1 for (n low, n high, 0, 2).
 */
#include "ops/random/random.h"

#include <string.h>
#include "base/err.h"
#include "graph/graph.h"

/* The first two words of Philox4x32-10. */
static uint64_t philox(uint64_t n, uint32_t c2, uint32_t c3, uint64_t key)
{
    uint32_t c0 = (uint32_t)n, c1 = (uint32_t)(n >> 32), k0 = (uint32_t)key,
             k1 = (uint32_t)(key >> 32);
    for (int r = 0; r < 10; r++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        uint64_t p = (uint64_t)0xD2511F53u * c0, q = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(q >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)q;
        c2 = (uint32_t)(p >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p;
    }
    return (uint64_t)c1 << 32 | c0;
}

uint64_t gnd__rng_stream(const gnd_rng *g, uint32_t sub)
{
    return philox(g->calls, sub, 1, g->key);
}

gnd_rng gnd__rng_take(gnd_rng *g)
{
    gnd_rng now = *g;
    g->calls++;
    return now;
}

gnd_rng gnd_rng_seed(uint64_t seed)
{
    return (gnd_rng){.key = seed};
}

gnd_rng gnd_rng_split(gnd_rng *g)
{
    if (!g)
        return gnd_rng_seed(0);
    gnd_rng now = gnd__rng_take(g);
    return gnd_rng_seed(philox(now.calls, 0, 2, now.key));
}

void gnd_rng_jump(gnd_rng *g, uint64_t calls)
{
    if (g)
        g->calls += calls;
}

/* A stored generator: "gndrng", a zero byte, the version; then the key and the number of calls,
 * little endian. */
static const unsigned char magic[8] = {'g', 'n', 'd', 'r', 'n', 'g', 0, 1};

gnd_status gnd_rng_save(const gnd_rng *g, void *bytes)
{
    unsigned char *p = bytes;
    if (!g || !p) {
        gnd_err e = {.code = GND_OK};
        gnd__err(&e, GND_ERR_NULL, "%s is NULL", g ? "bytes" : "g");
        return gnd__only_status("rng_save", &e);
    }
    memcpy(p, magic, 8);
    for (int i = 0; i < 8; i++) {
        p[8 + i] = (unsigned char)(g->key >> (8 * i));
        p[16 + i] = (unsigned char)(g->calls >> (8 * i));
    }
    return GND_OK;
}

gnd_status gnd_rng_restore(gnd_rng *g, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    gnd_err e = {.code = GND_OK};
    if (!g || !p)
        gnd__err(&e, GND_ERR_NULL, "%s is NULL", g ? "bytes" : "g");
    else if (n != GND_RNG_BYTES)
        gnd__err(&e, GND_ERR_FORMAT, "%zu bytes: a generator has %d", n, GND_RNG_BYTES);
    else if (memcmp(p, magic, 8))
        gnd__err(&e, GND_ERR_FORMAT, "the bytes do not begin as those of a generator");
    if (e.code)
        return gnd__only_status("rng_restore", &e);
    *g = (gnd_rng){0};
    for (int i = 0; i < 8; i++) {
        g->key |= (uint64_t)p[8 + i] << (8 * i);
        g->calls |= (uint64_t)p[16 + i] << (8 * i);
    }
    return GND_OK;
}
