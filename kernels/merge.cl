/* SPDX-License-Identifier: BSD-3-Clause
 *
 * merge.cl - shapes of a kernel that does what several launches of others would do one after the
 * other (lib/codegen/merge.h has its arguments), which lib/codegen/merge.c fills. For OpenCL.
 * lib/codegen/shape.h says what a shape is.
 */

// The position of a work-item: at at_x_, at_y_, at_z_, of an entry with the head at_h_.
//
// CPU: one work-item, which goes through the points in loops, the innermost of which runs over
// independent points. GPU: each work-item takes every GROUP_-th point (EACH_); or several groups of
// `size` run at a time, each with its own local memory (GROUPS_).
//@shape merge_base
#undef GND_GID
#undef GND_LID
#undef GND_GRP
#undef GND_LSZ
#undef GND_NGRP
#define AT_0_ at_x_
#define AT_1_ at_y_
#define AT_2_ at_z_
#define GND_GID(d) ((size_t)AT_##d##_)
#define GND_LSZ(d) ((size_t)at_h_[5 + d])
#define GND_LID(d) ((size_t)(AT_##d##_ % at_h_[5 + d]))
#define GND_GRP(d) ((size_t)(AT_##d##_ / at_h_[5 + d]))
#define GND_NGRP(d) ((size_t)(at_h_[2 + d] / at_h_[5 + d]))
#define MEMS_ GND_GLOBAL g_u8 *m0, GND_GLOBAL g_u8 *m1, GND_GLOBAL g_u8 *m2, GND_GLOBAL g_u8 *m3
#define MEM_(i) ((i) == 0 ? m0 : (i) == 1 ? m1 : (i) == 2 ? m2 : m3)
#define GROUP_ ${group}
${if cpu}
#define ONE_ static __attribute__((always_inline))
#define TAB_ GND_CONST_GLOBAL
#define EACH_(call) \
    const int nx_ = at_h_[2], ny_ = at_h_[3], nz_ = at_h_[4]; \
    for (int at_z_ = 0; at_z_ < nz_; at_z_++) \
        for (int at_y_ = 0; at_y_ < ny_; at_y_++) { \
            _Pragma("clang loop vectorize(assume_safety)") \
            for (int at_x_ = 0; at_x_ < nx_; at_x_++) \
                call; \
        }
${else}
#define ONE_ static
#define TAB_ GND_LOCAL_PTR const
#define EACH_(call) \
    const int nx_ = at_h_[2], ny_ = at_h_[3], all_ = nx_ * ny_ * at_h_[4], flat_ = nx_ == all_; \
    for (int f_ = (int)get_local_id(0); f_ < all_; f_ += GROUP_) { \
        const int at_x_ = flat_ ? f_ : f_ % nx_, r_ = flat_ ? 0 : f_ / nx_, \
                  at_y_ = flat_ ? 0 : r_ % ny_; \
        const int at_z_ = flat_ ? 0 : r_ / ny_; \
        call; \
    }
#define GROUPS_(size, call) \
    const int lid_ = (int)get_local_id(0), sub_ = lid_ / size; \
    const int gx_ = at_h_[2] / size, ny_ = at_h_[3], last_ = gx_ * ny_ * at_h_[4] - 1; \
    for (int g_ = 0; g_ <= last_; g_ += GROUP_ / size) { \
        const int own_ = g_ + sub_ < last_ ? g_ + sub_ : last_, r_ = own_ / gx_; \
        const int at_x_ = own_ % gx_ * size + lid_ % size, at_y_ = r_ % ny_, at_z_ = r_ / ny_; \
        call; \
        GND_BARRIER(); \
    }
${end}

// A kernel: its statements as a function of a point and an entry's head, whose arrays in local
// memory are parts of the merged kernel's; and what reads its arguments from an entry and calls it
// for each point.
//
//     index         the kernel's index type
//     local         bytes of local memory; 0: none
//     group         work-items of its groups
//@shape merge_function
#define I I_${number}
typedef ${index} I;
${if local}
ONE_ void k_${number}(const int at_x_, const int at_y_, const int at_z_,
                      TAB_ int *at_h_, GND_LOCAL_PTR g_u8 *lm_${parameters})
${else}
ONE_ void k_${number}(const int at_x_, const int at_y_, const int at_z_,
                      TAB_ int *at_h_${parameters})
${end}
{
    ${arrays}
    ${statements}
}
${if local}
ONE_ void run_${number}(TAB_ g_i64 *t_, TAB_ int *at_h_, GND_LOCAL_PTR g_u8 *l_, MEMS_)
${else}
ONE_ void run_${number}(TAB_ g_i64 *t_, TAB_ int *at_h_, MEMS_)
${end}
{
    ${arguments}
    ${if local}
    GROUPS_(${group}, k_${number}(at_x_, at_y_, at_z_, at_h_, l_ + sub_ * ${local}${names}))
    ${else}
    EACH_(k_${number}(at_x_, at_y_, at_z_, at_h_${names}))
    ${end}
}
#undef I

// What walks through the table, chunk by chunk; on GPUs through local memory.
//
//     numbers        values that change from run to run come as arguments: the kernel first puts
//                    them into the entries, byte by byte, as they are read as other types
//     local, room    some function needs local memory; so many units of 16 bytes
//     chunk, half    elements of a chunk, and units of 16 bytes
//@shape merge_kernel
GND_KERNEL __attribute__((reqd_work_group_size(${group}, 1, 1))) void k_merged(
    ${if numbers}
    GND_GLOBAL g_i64 *table,
    ${else}
    GND_CONST_GLOBAL g_i64 *table,
    ${end}
    const g_i64 begin,
    const g_i32 chunks,
    ${if numbers}
    MEMS_, const g_i64 v0, const g_i64 v1, const g_i64 v2, const g_i64 v3)
    ${else}
    MEMS_)
    ${end}
{
    ${if local}
    GND_LOCAL uint4 room[${room}];
    ${end}
    ${if !cpu}
    GND_LOCAL uint4 chunk[${half}];
    ${end}
    ${if numbers}
    GND_GLOBAL g_i64 *own = table + begin;
    GND_GLOBAL g_i64 *fix = own + (g_i64)chunks * ${chunk};
    ${if cpu}
    for (; fix[0] >= 0; fix += 2) {
    ${else}
    for (; get_local_id(0) == 0 && fix[0] >= 0; fix += 2) {
    ${end}
        const g_i64 v = fix[1] == 0 ? v0 : fix[1] == 1 ? v1 : fix[1] == 2 ? v2 : v3;
        GND_GLOBAL g_u8 *to = (GND_GLOBAL g_u8 *)(own + fix[0]);
        for (int i = 0; i < 8; i++)
            to[i] = (g_u8)(v >> 8 * i);
    }
    ${if !cpu}
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    ${end}
    ${end}
    for (int c = 0; c < chunks; c++) {
        GND_CONST_GLOBAL g_i64 *from = table + begin + c * ${chunk};
        ${if cpu}
        TAB_ g_i64 *t = from;
        ${else}
        GND_BARRIER();
        for (int i = (int)get_local_id(0); i < ${half}; i += GROUP_)
            chunk[i] = ((GND_CONST_GLOBAL uint4 *)from)[i];
        GND_BARRIER();
        TAB_ g_i64 *t = (TAB_ g_i64 *)chunk;
        ${end}
        TAB_ int *h = (TAB_ int *)t;
        while (h[0] >= 0) {
            switch (h[0]) {
            ${cases}
            }
            t += h[1];
            h = (TAB_ int *)t;
            ${if !cpu}
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            ${end}
        }
    }
}
