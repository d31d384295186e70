/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/nativetext.h - what the texts of kernels/ that are functions of native.c find there as
 * macros: a kernel of one work-item, whose inputs are in memory. Only native.c includes it.
 */
#ifndef GND_HOST_NATIVETEXT_H
#define GND_HOST_NATIVETEXT_H

#include "host/exactloop.h"
#include "host/native.h"

/* What stands before a block is looked at where there is something. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define GND_GLOBAL
#define GND_CONST_GLOBAL const
#define GND_GID(d) gid
#define IN_x(i) x[i]
#define IN_mask(i) mask[i]
#define PARTS 0
#define INIT 0
#define SHIFT 0
#define gnd_ctz_u64(x) __builtin_ctzll(x)
#define gnd_pack8_u64(x) ((x)*0x0102040810204080UL >> 56)
/* Processors before those with an instruction for it take a call of the compiler's library. */
static inline g_i64 gnd_ones_u64(g_u64 x)
{
    x -= x >> 1 & 0x5555555555555555UL;
    x = (x & 0x3333333333333333UL) + (x >> 2 & 0x3333333333333333UL);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fUL;
    return (g_i64)(x * 0x0101010101010101UL >> 56);
}
#define ST(t)                                                                                      \
    static inline void gnd_st_##t(g_##t *p, g_i64 i, g_##t v)                                      \
    {                                                                                              \
        p[i] = v;                                                                                  \
    }
ST(u8)
ST(u16)
ST(u32)
ST(u64)
ST(i32)
ST(i64)
ST(f32)
ST(f64)

#endif
