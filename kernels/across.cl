/* SPDX-License-Identifier: BSD-3-Clause
 *
 * across.cl - tiles of inputs that lie across the outputs, on CPU devices (lib/codegen/map_tile.c):
 * squares of as many rows as a vector has elements are turned in registers. Each stage interleaves
 * the first half of the vectors with the second half, which rotates the bits of (row, column) by
 * one place; after log2 of the rows they are (column, row).
 */

/* Asks for the cache line at p, to read (write: 0) or to write it. Only where the compiler's target is a CPU: there
 * all address spaces are one, which clang's builtin wants. */
//@fn fetch u8 opencl
#if defined(__x86_64__) || defined(__aarch64__) || defined(__arm__) || defined(__powerpc64__) || defined(__riscv)
#define gnd_fetch_u8(p, write) __builtin_prefetch((const void *)(size_t)(p), write)
#else
#define gnd_fetch_u8(p, write) ((void)0)
#endif
/* An element in memory, which may be a part of another value. */
//@fn word u8 u16 u32 u64 opencl
typedef $T __attribute__((may_alias)) gnd_word_$t;
/* A row of a square there, its length, and its value. */
//@fn row u8 opencl
typedef uchar16 __attribute__((may_alias, aligned(1))) gnd_row_u8;
#define GND_ROW_u8 16
#define GND_ROW_VALUE_u8 uchar16
//@fn row u16 opencl
typedef ushort8 __attribute__((may_alias, aligned(2))) gnd_row_u16;
#define GND_ROW_u16 8
#define GND_ROW_VALUE_u16 ushort8
//@fn row u32 opencl
typedef uint8 __attribute__((may_alias, aligned(4))) gnd_row_u32;
#define GND_ROW_u32 8
#define GND_ROW_VALUE_u32 uint8
//@fn row u64 opencl
typedef ulong4 __attribute__((may_alias, aligned(8))) gnd_row_u64;
#define GND_ROW_u64 4
#define GND_ROW_VALUE_u64 ulong4
/* u[x * pitch + y] = p[y * pace + x] for x < nt and y < nl. The last squares overlap others. */
//@fn across u8 u16 u32 u64 opencl
GND_FN void gnd_across_$t(GND_CONST_GLOBAL gnd_word_$t *p, g_i64 pace, int nt, int nl,
                           gnd_word_$t *u, int pitch)
{
    const int v = GND_ROW_$t;
    if (nt < v || nl < v) {
        for (int y = 0; y < nl; y++) {
            #pragma clang loop vectorize(disable)
            for (int x = 0; x < nt; x++)
                u[x * pitch + y] = p[y * pace + x];
        }
        return;
    }
    for (int y = 0; y < nl; y++)
        for (int x = 0; x < nt; x += 64 / (int)sizeof($T))
            gnd_fetch_u8(p + y * pace + x, 0);
    for (int y = 0; y < nl; y += v)
        for (int x = 0; x < nt; x += v) {
            const int top = y + v <= nl ? y : nl - v, left = x + v <= nt ? x : nt - v;
            GND_ROW_VALUE_$t r[GND_ROW_$t], s[GND_ROW_$t];
            #pragma unroll
            for (int i = 0; i < v; i++)
                r[i] = *(GND_CONST_GLOBAL gnd_row_$t *)(p + (top + i) * pace + left);
            #pragma unroll
            for (int n = 1; n < v; n *= 2) {
                #pragma unroll
                for (int i = 0; i < v / 2; i++) {
                    s[2 * i].even = r[i].lo;
                    s[2 * i].odd = r[i + v / 2].lo;
                    s[2 * i + 1].even = r[i].hi;
                    s[2 * i + 1].odd = r[i + v / 2].hi;
                }
                #pragma unroll
                for (int i = 0; i < v; i++)
                    r[i] = s[i];
            }
            #pragma unroll
            for (int i = 0; i < v; i++)
                *(gnd_row_$t *)(u + (left + i) * pitch + top) = r[i];
        }
}
