# SPDX-License-Identifier: BSD-3-Clause
"""Texts in the portable dialect that kernels in Python stand on: barriers, compare and swap, bounds of slices; and, where
a kernel needs them, functions of bits, votes of a group, and what threads of a warp do together."""

BASE = '''#ifdef __CUDACC__
#define NB_CONSTANT const
#define NB_LONG "ll"
#define NB_TABLE static __device__ const
#define NB_BARRIER() __syncthreads()
#define NB_FENCE() __threadfence()
#define NB_CAS32(p, a, b) atomicCAS((g_u32 *)(p), a, b)
#define NB_CAS64(p, a, b) atomicCAS((g_u64 *)(p), a, b)
#else
#define NB_CONSTANT __constant const
#define NB_LONG "l"
#define NB_TABLE __constant const
#define NB_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define NB_FENCE() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define NB_CAS32(p, a, b) atomic_cmpxchg(p, a, b)
#define NB_CAS64(p, a, b) atom_cmpxchg(p, a, b)
#endif
GND_FN g_i64 nb_wrap(g_i64 i, g_i64 n) { return i < 0 ? i + n : i; }
GND_FN g_i64 nb_bound(g_i64 i, g_i64 n, g_i64 step)
{
    if (i < 0)
        i += n;
    if (i < 0)
        return step < 0 ? -1 : 0;
    return i < n ? i : step < 0 ? n - 1 : n;
}
GND_FN g_i64 nb_count(g_i64 start, g_i64 stop, g_i64 step)
{
    if (step > 0)
        return stop > start ? (stop - start - 1) / step + 1 : 0;
    return step < 0 && start > stop ? (start - stop - 1) / -step + 1 : 0;
}
'''
ERROR = '''GND_FN void nb_error(GND_GLOBAL g_i64 *e, g_i64 code, g_i64 i, g_i64 n)
{
    if (NB_CAS32((volatile GND_GLOBAL g_u32 *)e, 0u, (g_u32)code) == 0u) {
        e[1] = i;
        e[2] = n;
        e[3] = (g_i64)GND_LID(0); e[4] = (g_i64)GND_LID(1); e[5] = (g_i64)GND_LID(2);
        e[6] = (g_i64)GND_GRP(0); e[7] = (g_i64)GND_GRP(1); e[8] = (g_i64)GND_GRP(2);
    }
}
'''
BITS = '''#ifdef __CUDACC__
#define nb_popc32(x) __popc(x)
#define nb_popc64(x) __popcll(x)
#define nb_clz32(x) __clz((int)(x))
#define nb_clz64(x) __clzll((long long)(x))
#define nb_ffs32(x) __ffs((int)(x))
#define nb_ffs64(x) __ffsll((long long)(x))
#define nb_brev32(x) __brev(x)
#define nb_brev64(x) __brevll(x)
#else
#define nb_popc32(x) popcount(x)
#define nb_popc64(x) popcount(x)
#define nb_clz32(x) clz(x)
#define nb_clz64(x) clz(x)
GND_FN g_u32 nb_ffs32(g_u32 x) { return x ? 32u - clz(x & (0u - x)) : 0u; }
GND_FN g_u64 nb_ffs64(g_u64 x) { return x ? 64u - clz(x & (0u - x)) : 0u; }
GND_FN g_u32 nb_brev32(g_u32 x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
    return x >> 16 | x << 16;
}
GND_FN g_u64 nb_brev64(g_u64 x) { return (g_u64)nb_brev32((g_u32)x) << 32 | nb_brev32((g_u32)(x >> 32)); }
#endif
'''
VOTES = '''#ifdef __CUDACC__
#define nb_votes(p, v) ((g_u32)__syncthreads_count(p))
#else
GND_FN g_u32 nb_votes(g_b p, GND_LOCAL_PTR g_u32 *v)
{
    NB_BARRIER();
    if (GND_LID(0) == 0 && GND_LID(1) == 0 && GND_LID(2) == 0)
        v[0] = 0u;
    NB_BARRIER();
    if (p)
        atomic_inc(v);
    NB_BARRIER();
    return v[0];
}
#endif
'''
WARPS = '''#ifdef __CUDACC__
#define nb_shfl32_idx(m, v, l) __shfl_sync(m, (unsigned int)(v), l)
#define nb_shfl32_up(m, v, l) __shfl_up_sync(m, (unsigned int)(v), l)
#define nb_shfl32_down(m, v, l) __shfl_down_sync(m, (unsigned int)(v), l)
#define nb_shfl32_xor(m, v, l) __shfl_xor_sync(m, (unsigned int)(v), l)
#define nb_shfl64_idx(m, v, l) __shfl_sync(m, (unsigned long long)(v), l)
#define nb_shfl64_up(m, v, l) __shfl_up_sync(m, (unsigned long long)(v), l)
#define nb_shfl64_down(m, v, l) __shfl_down_sync(m, (unsigned long long)(v), l)
#define nb_shfl64_xor(m, v, l) __shfl_xor_sync(m, (unsigned long long)(v), l)
#define nb_ballot(m, p) __ballot_sync(m, p)
#define nb_match(m, v) __match_any_sync(m, (unsigned long long)(v))
#define nb_activemask() __activemask()
#define nb_syncwarp(m) __syncwarp(m)
GND_FN g_u32 nb_lane(void) { g_u32 r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
#else
#define NB_SHFL(name, form, clamp)                                                                \\
    GND_FN g_u32 nb_shfl32_##name(g_u32 m, g_u32 v, g_i32 l)                                       \\
    {                                                                                              \\
        g_u32 r;                                                                                   \\
        asm volatile("shfl.sync." form ".b32 %0, %1, %2, " clamp ", %3;"                           \\
                     : "=r"(r) : "r"(v), "r"(l), "r"(m));                                          \\
        return r;                                                                                  \\
    }                                                                                              \\
    GND_FN g_u64 nb_shfl64_##name(g_u32 m, g_u64 v, g_i32 l)                                       \\
    {                                                                                              \\
        const g_u32 low = nb_shfl32_##name(m, (g_u32)v, l);                                        \\
        return (g_u64)nb_shfl32_##name(m, (g_u32)(v >> 32), l) << 32 | low;                        \\
    }
NB_SHFL(idx, "idx", "31")
NB_SHFL(up, "up", "0")
NB_SHFL(down, "down", "31")
NB_SHFL(xor, "bfly", "31")
GND_FN g_u32 nb_ballot(g_u32 m, g_u32 p)
{
    g_u32 r;
    asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, q, %2; }" : "=r"(r) : "r"(p), "r"(m));
    return r;
}
GND_FN g_u32 nb_match(g_u32 m, g_u64 v)
{
    g_u32 r;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(v), "r"(m));
    return r;
}
GND_FN g_u32 nb_activemask(void) { g_u32 r; asm volatile("activemask.b32 %0;" : "=r"(r)); return r; }
GND_FN void nb_syncwarp(g_u32 m) { asm volatile("bar.warp.sync %0;" : : "r"(m) : "memory"); }
GND_FN g_u32 nb_lane(void) { g_u32 r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
#endif
'''
NEEDED = {'bits': BITS, 'votes': VOTES, 'warps': WARPS}
