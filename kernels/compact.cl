/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compact.cl - where a mask is true: its bits, the number of them in each block of 4096 elements,
 * and the elements at these positions, in order.
 *
 * The table t of a mask of n elements, nb blocks: int64 t[0 .. nb] is the number of true elements
 * before each block and before the end. After that come the bits, 64 per int64: element i is bit i
 * mod 64 of word i / 64.
 */

//@fn ones u32 u64 opencl
#define gnd_ones_$t(x) ((g_i32)popcount(x))
//@fn ones u32 cuda
#define gnd_ones_u32(x) __popc(x)
//@fn ones u64 cuda
#define gnd_ones_u64(x) __popcll(x)

/* The bits of 4 bytes, each 0 or 1; of 8: a product puts byte k's bit at 24 + k, at 56 + k. */
//@fn pack4 u32
#define gnd_pack4_u32(x) ((x) * 0x01020408u >> 24 & 15u)
//@fn pack8 u64
#define gnd_pack8_u64(x) ((x) * 0x0102040810204080UL >> 56)

/* BALLOT sets the bits of m for those of 32 successive work-items whose f is 1. */
//@text mask_vote cuda
#define VOTE 1
#define BALLOT(m, f) ((m) = __ballot_sync(0xffffffffu, f))
//@text mask_vote opencl
#ifdef __NV_CL_C_VERSION
#define VOTE 1
#define BALLOT(m, f)                                                                                       \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"        \
                 : "=r"(m) : "r"((g_u32)(f)))
#else
#define VOTE 0
#endif

/* GPU: groups of 256, a block each. Flags are read in the order of memory, with the last element for positions beyond
 * it. Where work-items can vote, 32 of them read 32 elements at a time, and number k keeps the bits of those read k-th.
 * Elsewhere the flags are converted in local memory to 16 bits for each work-item. */
//@text mask_bits
    GND_LOCAL g_i32 count[256];
#if VOTE
    const g_i32 lid = (g_i32)GND_LID(0), lane = lid & 31;
    const g_i64 base = (g_i64)GND_GRP(0) * 4096, first = base + (lid >> 5) * 512 + lane;
    g_u32 bits = 0, f[16];
    if (base + 4096 <= n) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            f[k] = IN_mask(first + k * 32) ? 1u : 0u;
    } else {
#pragma unroll
        for (int k = 0; k < 16; k++) {
            const g_i64 i = first + k * 32;
            f[k] = (IN_mask(i < n ? i : n - 1) ? 1u : 0u) & (g_u32)(i < n);
        }
    }
#pragma unroll
    for (int k = 0; k < 16; k++) {
        g_u32 m;
        BALLOT(m, f[k]);
        bits = lane == k ? m : bits;
    }
    if (lane < 16)
        ((GND_GLOBAL g_u32 *)(t + nb + 1))[GND_GRP(0) * 128 + (lid >> 5) * 16 + lane] = bits;
#else
    GND_LOCAL union { g_u8 b[4096]; g_u32 w[1024]; } flag;
    const g_i32 lid = (g_i32)GND_LID(0);
    const g_i64 base = (g_i64)GND_GRP(0) * 4096;
    g_u32 bits = 0;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        const g_i64 i = base + k * 256 + lid;
        flag.b[k * 256 + lid] = (IN_mask(i < n ? i : n - 1) ? 1 : 0) & (i < n);
    }
    GND_BARRIER();
    for (int k = 0; k < 4; k++)
        bits |= gnd_pack4_u32(flag.w[lid * 4 + k]) << (4 * k);
    ((GND_GLOBAL g_u16 *)(t + nb + 1))[GND_GRP(0) * 256 + lid] = (g_u16)bits;
#endif
    count[lid] = gnd_ones_u32(bits);
    GND_BARRIER();
    if (lid < 16) {
        g_i32 s = 0;
        for (int k = 0; k < 16; k++)
            s += count[k * 16 + lid];
        count[lid] = s;
    }
    GND_BARRIER();
    if (lid == 0) {
        g_i32 s = 0;
        for (int k = 0; k < 16; k++)
            s += count[k];
        c[GND_GRP(0)] = s;
    }

/* GPU: the counts c of the blocks become those before each, t. A group takes `per` blocks, a multiple of its
 * size, and adds up all before them by itself: there are few groups. */
//@text mask_scan
    GND_LOCAL g_i64 sum[1024];
    const g_i32 lid = (g_i32)GND_LID(0), size = (g_i32)GND_LSZ(0);
    const g_i64 first = (g_i64)GND_GRP(0) * per, last = first + per < nb ? first + per : nb;
    g_i64 own = 0, before;
    for (g_i64 i = lid; i < first; i += 8 * size) {
        g_i32 v[8];
#pragma unroll
        for (int k = 0; k < 8; k++)
            v[k] = c[i + k * size < first ? i + k * size : first - 1];
#pragma unroll
        for (int k = 0; k < 8; k++)
            own += i + k * size < first ? v[k] : 0;
    }
    sum[lid] = own;
    GND_BARRIER();
    for (g_i32 d = size / 2; d > 0; d /= 2) {
        if (lid < d)
            sum[lid] += sum[lid + d];
        GND_BARRIER();
    }
    before = sum[0];
    GND_BARRIER();
    for (g_i64 base = first; base < last; base += size) {
        const g_i64 i = base + lid;
        const g_i32 v = i < last ? c[i] : 0;
        sum[lid] = v;
        GND_BARRIER();
        for (g_i32 d = 1; d < size; d *= 2) {
            const g_i64 s = lid >= d ? sum[lid - d] : 0;
            GND_BARRIER();
            sum[lid] += s;
            GND_BARRIER();
        }
        if (i < last)
            t[i] = before + sum[lid] - v;
        before += sum[size - 1];
        GND_BARRIER();
    }
    if (lid == 0 && last == nb)
        t[nb] = before;

/* GPU: the places of a block's true elements in `at`, of which there are `count`: runs of 16 work-items add up
 * theirs one after another, and each work-item the runs before its own. */
//@text select_at
    GND_LOCAL g_u16 at[4096];
    GND_LOCAL g_i32 sum[256], run[16];
    const g_i32 lid = (g_i32)GND_LID(0);
    const g_i64 base = (g_i64)GND_GRP(0) * 4096, to = t[GND_GRP(0)];
    g_u32 bits = ((GND_CONST_GLOBAL g_u16 *)(t + nb + 1))[GND_GRP(0) * 256 + lid];
    g_i32 s = 0, count = 0;
    sum[lid] = gnd_ones_u32(bits);
    GND_BARRIER();
    if (lid < 16) {
        for (int k = 0; k < 16; k++) {
            const g_i32 own = sum[lid * 16 + k];
            sum[lid * 16 + k] = s;
            s += own;
        }
        run[lid] = s;
    }
    GND_BARRIER();
    s = sum[lid];
#pragma unroll
    for (int k = 0; k < 16; k++) {
        s += k < lid / 16 ? run[k] : 0;
        count += run[k];
    }

/* Four elements at a time: loads before stores, with the last element for positions beyond it. */
//@text select_out
    while (bits) {
        at[s++] = (g_u16)(lid * 16 + gnd_ctz_u32(bits));
        bits &= bits - 1;
    }
    GND_BARRIER();
    for (s = lid; s < count; s += 1024) {
        $T v[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            v[k] = PICK(base + at[s + k * 256 < count ? s + k * 256 : count - 1]);
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (s + k * 256 < count)
                gnd_st_$n(y, to + s + k * 256, v[k]);
    }

/* The number of each true element, counted from 1; 0 for the others. */
//@text select_rank
    (void)count;
    for (g_i32 k = 0; k < 16; k++, bits >>= 1) {
        s += (g_i32)(bits & 1);
        at[lid * 16 + k] = (g_u16)(bits & 1 ? s : 0);
    }
    GND_BARRIER();
    for (s = lid; s < 4096 && base + s < n; s += 256)
        y[base + s] = at[s] ? ($T)(to + at[s]) : 0;

/* CPU: a work-item takes `per` blocks. */
//@text mask_bits_own
    const g_i64 first = (g_i64)GND_GID(0) * per, last = first + per < nb ? first + per : nb;
    GND_GLOBAL g_u64 *w = (GND_GLOBAL g_u64 *)(t + nb + 1);
    for (g_i64 b = first; b < last; b++) {
        g_i64 count = 0;
        for (g_i64 i = b * 4096; i < b * 4096 + 4096; i += 64) {
            union { g_u8 b[64]; g_u64 w[8]; } flag;
            g_u64 bits = 0;
            if (i >= n) { /* the rest of the last block */
                w[i / 64] = 0;
                continue;
            }
            if (i + 64 <= n)
                for (int j = 0; j < 64; j++)
                    flag.b[j] = IN_mask(i + j) ? 1 : 0;
            else
                for (int j = 0; j < 64; j++)
                    flag.b[j] = i + j < n && IN_mask(i + j) ? 1 : 0;
            for (int j = 0; j < 8; j++)
                bits |= gnd_pack8_u64(flag.w[j]) << (8 * j);
            w[i / 64] = bits;
            count += gnd_ones_u64(bits);
        }
        t[b] = count;
    }
//@text mask_scan_own
    g_i64 s = 0;
    for (g_i64 b = 0; b < nb; b++) {
        const g_i64 v = t[b];
        t[b] = s;
        s += v;
    }
    t[nb] = s;
//@text select_out_own
    const g_i64 first = (g_i64)GND_GID(0) * per, last = first + per < nb ? first + per : nb;
    GND_CONST_GLOBAL g_u64 *w = (GND_CONST_GLOBAL g_u64 *)(t + nb + 1);
    for (g_i64 b = first; b < last; b++) {
        g_i64 to = t[b];
        for (g_i64 i = b * 64; i < b * 64 + 64; i++) {
            g_u64 bits = w[i];
            while (bits) {
                gnd_st_$n(y, to, PICK(i * 64 + gnd_ctz_u64(bits)));
                to++;
                bits &= bits - 1;
            }
        }
    }
//@text select_rank_own
    const g_i64 first = (g_i64)GND_GID(0) * per, last = first + per < nb ? first + per : nb;
    GND_CONST_GLOBAL g_u64 *w = (GND_CONST_GLOBAL g_u64 *)(t + nb + 1);
    for (g_i64 b = first; b < last; b++) {
        g_i64 to = t[b];
        for (g_i64 i = b * 4096; i < b * 4096 + 4096 && i < n; i++) {
            const g_i64 bit = (g_i64)(w[i / 64] >> (i & 63) & 1);
            to += bit;
            y[i] = bit ? ($T)to : 0;
        }
    }
