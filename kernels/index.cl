/* SPDX-License-Identifier: BSD-3-Clause
 *
 * index.cl - indices: reports those that are out of range, finds positions by index, and sets rows.
 */

/* Index i of an axis of n elements: negative ones count from the end. One out of range is noted in check number k of
 * the table e, four words each: set, the index's low and high half; the first such index stays. The index is replaced
 * by 0, so that nothing outside is accessed. */
//@fn checked i64 opencl
GND_FN g_i64 gnd_checked_i64(g_i64 i, g_i64 n, __global g_i32 *e, g_i32 k)
{
    const g_i64 at = i < 0 ? i + n : i;
    if (at >= 0 && at < n)
        return at;
    if (atomic_cmpxchg((volatile __global g_i32 *)e + 4 * k, 0, 1) == 0) {
        e[4 * k + 1] = (g_i32)i;
        e[4 * k + 2] = (g_i32)(i >> 32);
    }
    return 0;
}
//@fn checked i64 cuda
GND_FN g_i64 gnd_checked_i64(g_i64 i, g_i64 n, g_i32 *e, g_i32 k)
{
    const g_i64 at = i < 0 ? i + n : i;
    if (at >= 0 && at < n)
        return at;
    if (atomicCAS(e + 4 * k, 0, 1) == 0) {
        e[4 * k + 1] = (g_i32)i;
        e[4 * k + 2] = (g_i32)(i >> 32);
    }
    return 0;
}

/* The larger of the stored value and v; the order of calls does not matter. */
//@fn amax i32 u32 i64 u64 cuda
#define gnd_amax_$t(p, v) ((void)atomicMax(p, v))
//@fn amax i32 u32 opencl
#define gnd_amax_$t(p, v) ((void)atomic_max((volatile __global $T *)(p), v))
//@fn amax i64 u64 opencl
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define gnd_amax_$t(p, v) ((void)atom_max((volatile __global $T *)(p), v))

//@text fill
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        y[i] = VALUE;
//@text last
    const g_i64 i = (g_i64)GND_GID(0);
    if (i < n)
        gnd_amax_$t(y + IN_idx(i), ($T)(i + 1));

/* CPU: batches of m places, each a row; n positions set rows. A work-item has `rows` places of `share` batches: what
 * was there, then all values for these places in their order. Which of 256 positions are in its range is found without
 * branches, which nobody could predict. */
//@text set_places
    const X task = (X)GND_GID(0), b0 = task / (X)parts * (X)share, lo = task % (X)parts * (X)rows;
    const X hi = lo + (X)rows < (X)m ? lo + (X)rows : (X)m;
    const X b1 = b0 + (X)share < (X)batches ? b0 + (X)share : (X)batches;
    for (X b = b0; b < b1; b++) {
        const X first = (b * (X)m + lo) * WIDTH, end = (b * (X)m + hi) * WIDTH;
        for (X i = first; i < end; i++)
            gnd_st_$t(y, i, IN_base(i));
#if POS_INNER
        for (X j = 0; j < (X)n; j++)
            for (X w = 0; w < WIDTH; w++) {
                const X at = (X)IN_pos((b * (X)n + j) * WIDTH + w);
                if (at >= lo && at < hi)
                    gnd_st_$t(y, (b * (X)m + at) * WIDTH + w, IN_value(b * (X)outer + j * (X)next + w * INNER));
            }
#else
        for (X j0 = 0; j0 < (X)n; j0 += 256) {
            const X j1 = j0 + 256 < (X)n ? j0 + 256 : (X)n;
            X place[256], which[256];
            int count = 0;
            for (X j = j0; j < j1; j++) {
                const X at = (X)IN_pos(POS_OUTER ? b * (X)n + j : j);
                place[count] = (b * (X)m + at) * WIDTH;
                which[count] = b * (X)outer + j * (X)next;
                count += (int)(at >= lo) & (int)(at < hi);
            }
            for (int k = 0; k < count; k++) {
                const X to = place[k], from = which[k];
                for (X w = 0; w < WIDTH; w++)
                    gnd_st_$t(y, to + w, IN_value(from + w * INNER));
            }
        }
#endif
    }

/* Keys of argmax and argmin (flip: all ones): the greatest is that of the extreme value with the smallest index.
 * Zeros are equal, and a NaN beats all. */
//@fn argkey f32
GND_FN g_u64 gnd_argkey_f32(g_f32 x, g_u32 i, g_u32 flip)
{
    const g_u32 b = x == 0.0f ? 0u : GND_BITS_f32(x), k = (b ^ (b >> 31 ? 0xffffffffu : 0x80000000u)) ^ flip;
    return (g_u64)(x != x ? 0xffffffffu : k) << 32 | (g_u32)~i;
}
//@fn argkey i32
GND_FN g_u64 gnd_argkey_i32(g_i32 x, g_u32 i, g_u32 flip)
{
    return (g_u64)((g_u32)x ^ 0x80000000u ^ flip) << 32 | (g_u32)~i;
}
//@fn argkey u32
GND_FN g_u64 gnd_argkey_u32(g_u32 x, g_u32 i, g_u32 flip)
{
    return (g_u64)(x ^ flip) << 32 | (g_u32)~i;
}

/* The next point at which the run x .. stop enters or leaves the range 0 .. n - 1. Point x is at place i, and places
 * are s apart. */
//@fn border i32 i64
GND_FN $T gnd_border_$t($T i, $T s, $T n, $T x, $T stop)
{
    $T left = stop - x;
    if (s > 0 && i < n)
        left = i < 0 ? (s - 1 - i) / s : (n - i + s - 1) / s;
    if (s < 0 && i >= 0)
        left = i >= n ? (i - n) / -s + 1 : i / -s + 1;
    return left < stop - x ? x + left : stop;
}
