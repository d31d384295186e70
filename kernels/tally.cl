/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tally.cl - how often each of 0 .. n - 1 occurs among m ints; what is outside is not counted. Counts
 * are ints, so that it does not matter in which order they are added.
 */

/* One more at p, in local memory; v more at counter k of y, int64: by its low half where all counts
 * fit that. */
//@fn lcount u32 opencl
#define gnd_lcount_u32(p) ((void)atomic_inc((volatile __local g_u32 *)(p)))
//@fn lcount u32 cuda
#define gnd_lcount_u32(p) ((void)atomicAdd(p, 1u))
//@fn gcount u32 opencl
#define gnd_gcount_u32(y, k, v) ((void)atomic_add((volatile __global g_u32 *)(y) + 2 * (k), v))
//@fn gcount u32 cuda
#define gnd_gcount_u32(y, k, v) ((void)atomicAdd((g_u32 *)(y) + 2 * (k), v))
//@fn gcount u64 opencl
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define gnd_gcount_u64(y, k, v) ((void)atom_add((volatile __global g_u64 *)(y) + (k), (g_u64)(v)))
//@fn gcount u64 cuda
#define gnd_gcount_u64(y, k, v) ((void)atomicAdd((g_u64 *)(y) + (k), (g_u64)(v)))

/* Few counters: every group counts in local memory, with 2^shift counters for each number, so that neighbours seldom
 * wait for each other, and adds its counts at the end. Positions beyond the last element read the last one, so that no
 * load waits for a comparison. */
//@text tally_local
    GND_LOCAL g_u32 h[SLOTS];
    const g_i32 lid = (g_i32)GND_LID(0), lsz = (g_i32)GND_LSZ(0), sh = (g_i32)shift;
    const g_i32 copies = 1 << sh, mine = lid & (copies - 1);
    const g_i64 all = (g_i64)GND_NGRP(0) * lsz;
    for (g_i32 k = lid; k < (g_i32)n << sh; k += lsz)
        h[k] = 0;
    GND_BARRIER();
    for (g_i64 i = (g_i64)GND_GRP(0) * lsz + lid; i < m; i += EACH * all) {
        g_i32 b[EACH];
#pragma unroll
        for (g_i32 e = 0; e < EACH; e++) {
            const g_i64 j = i + e * all, v = (g_i64)IN_x(j < m ? j : m - 1);
            b[e] = v < 0 || v >= n || j >= m ? -1 : (g_i32)v;
        }
#pragma unroll
        for (g_i32 e = 0; e < EACH; e++)
            if (b[e] >= 0)
                gnd_lcount_u32(&h[(b[e] << sh) + mine]);
    }
    GND_BARRIER();
    for (g_i32 k = lid; k < (g_i32)n; k += lsz) {
        g_u32 c = 0;
        for (g_i32 r = 0; r < copies; r++)
            c += h[(k << sh) + ((r + k) & (copies - 1))];
        if (c != 0)
            GCOUNT(y, (g_i64)k, c);
    }

/* Many: straight to memory. */
//@text tally_global
    const g_i64 all = (g_i64)GND_NGRP(0) * (g_i64)GND_LSZ(0), i = (g_i64)GND_GID(0);
    g_i64 b[EACH];
#pragma unroll
    for (g_i32 e = 0; e < EACH; e++)
        b[e] = (g_i64)IN_x(i + e * all < m ? i + e * all : m - 1);
#pragma unroll
    for (g_i32 e = 0; e < EACH; e++)
        if (i + e * all < m && b[e] >= 0 && b[e] < n)
            GCOUNT(y, b[e], 1u);

/* A CPU: a work-item has a run of values and counters of its own, which are then added up. */
//@text tally_run
    const g_i64 g = (g_i64)GND_GRP(0), from = g * run, to = from + run < m ? from + run : m;
    GND_GLOBAL $T *GND_RESTRICT own = c + g * n;
    for (g_i64 k = 0; k < n; k++)
        own[k] = 0;
    for (g_i64 i = from; i < to; i++) {
        const g_i64 b = (g_i64)IN_x(i);
        if (b >= 0 && b < n)
            own[b]++;
    }
//@text tally_sum
    const g_i64 from = (g_i64)GND_GRP(0) * run, to = from + run < n ? from + run : n;
    for (g_i64 k = from; k < to; k++)
        y[k] = (g_i64)c[k];
    for (g_i64 r = 1; r < runs; r++)
        for (g_i64 k = from; k < to; k++)
            y[k] += (g_i64)c[r * n + k];
