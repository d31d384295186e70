/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shuffle.cl - values of other work-items of a warp, all 32 of which must come there together: down: of the one n
 * further on (beyond the last: its own), head: of the first of n,
 * cross: of the one whose number differs in the bits n.
 */

//@fn down b i8 i16 u8 u16 cuda
#define gnd_down_$t(v, n) (($T)__shfl_down_sync(0xffffffffu, (int)(v), n))
//@fn down i32 u32 i64 u64 f cuda
#define gnd_down_$t(v, n) __shfl_down_sync(0xffffffffu, v, n)
//@fn down c cuda
GND_FN $T gnd_down_$t($T v, int n)
{
    $T r = {__shfl_down_sync(0xffffffffu, v.x, n), __shfl_down_sync(0xffffffffu, v.y, n)};
    return r;
}
//@fn head b i8 i16 u8 u16 cuda
#define gnd_head_$t(v, n) (($T)__shfl_sync(0xffffffffu, (int)(v), 0, n))
//@fn head i32 u32 i64 u64 f cuda
#define gnd_head_$t(v, n) __shfl_sync(0xffffffffu, v, 0, n)
//@fn head c cuda
GND_FN $T gnd_head_$t($T v, int n)
{
    $T r = {__shfl_sync(0xffffffffu, v.x, 0, n), __shfl_sync(0xffffffffu, v.y, 0, n)};
    return r;
}
//@fn cross i32 u32 i64 u64 f cuda
#define gnd_cross_$t(v, n) __shfl_xor_sync(0xffffffffu, v, n)
