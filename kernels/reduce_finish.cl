/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reduce_finish.cl - shapes of the end of a reduction: the kernel that combines the partial results
 * of a split one (lib/codegen/reduce_finish.c), and the tree over the work-items of a group
 * (lib/codegen/acc_tree.c). lib/codegen/shape.h says what a shape is.
 */

// The end of a split reduction: S parts of kept point m to one, by a work-item, or by a group of
// `local`, each of which has eight loads under way at once.
//
//     group     a group takes a point
//     across    the parts of all points for one s lie together, else all parts of a point
//     eight     eight times `local`
//@shape reduce_finish
${declare A}
${if group}
const I m = (I)GND_GRP(0); const int lid = (int)GND_LID(0);
${else}
${declare B}
const I m = (I)GND_GID(0);
if (m >= M) return;
${end}
${init A}
${if group}
for (I s = lid; s < S; s += ${eight}) {
    ${loads}
    ${adds}
}
${tree A, lid, 0, ${local}}
${else}
#pragma unroll 8
for (I s = 0; s < S; s++) {
    ${if across}
    ${part_load B, (g_i64)s * M + m}
    ${else}
    ${part_load B, (g_i64)m * S + s}
    ${end}
    ${add A, B}
}
${end}
I f = m;
${indices f, 0, ${kept}}
${finish A}
${results}
${stores}

// The same on CPU devices, if the parts of all points for one s lie together: a work-item takes 64
// points side by side.
//@shape reduce_finish_lanes
const I left = (I)GND_GID(0) * 64;
const int count = M - left < 64 ? (int)(M - left) : 64;
${declare A[64]}
for (int l = 0; l < 64; l++) {
    ${init A[l]}
}
for (I s = 0; s < S; s++)
for (int l = 0; l < count; l++) {
    ${declare B}
    ${part_load B, (g_i64)s * M + left + l}
    ${add A[l], B}
}
for (int l = 0; l < count; l++) {
    I f = left + l;
    ${indices f, 0, ${kept}}
    ${finish A[l]}
    ${results}
    ${stores}
}

// One of the eight loads, `ahead` of s; a load beyond the end reads the last part instead, and is
// not added.
//@shape reduce_finish_load
${declare ${B}}
${part_load ${B}, (g_i64)m * S + (s + ${ahead} < S ? s + ${ahead} : S - 1)}

//@shape reduce_finish_load_across
${declare ${B}}
${part_load ${B}, (g_i64)(s + ${ahead} < S ? s + ${ahead} : S - 1) * M + m}

//@shape reduce_finish_add
if (s + ${ahead} < S) {
    ${add A, ${B}}
}

// The accumulators ${name} of `lanes` work-items, numbered by ${lane}, to the first of them, which
// is work-item ${first} of the group, through T in local memory. The order is that of a binary tree
// (i takes i + lanes/2, and so on); a work-item does up to three levels of it in registers.
//
//     all    every work-item takes the result; else the others return
//@shape acc_tree
${copy T[lid], ${name}}
GND_BARRIER();
${levels}
${if !all}
if (${lane} > 0) return;
${end}
${copy ${name}, T[${first}]}

// Up to three levels: ${n} accumulators, ${lanes} work-items apart, to one in each of these.
//
//     more    some work-item reads the result
//     last    these are a warp, which does the other levels
//@shape acc_tree_levels
if (${lane} < ${lanes}) {
    ${declare B[${n}]}
    #pragma unroll
    for (int t = 0; t < ${n}; t++) {
        ${copy B[t], T[lid + t * ${lanes}]}
    }
    ${halves}
    ${if last}
    ${rest}
    ${end}
    ${copy T[lid], B[0]}
}
${if more}
GND_BARRIER();
${end}

//@shape acc_tree_half
#pragma unroll
for (int t = 0; t < ${half}; t++) {
    ${add B[t], B[t + ${half}]}
}

// One level within a warp: ${name} takes that of the work-item ${half} further on. Those beyond the row take others,
// and are not used.
//@shape acc_tree_warp
${down ${other}, ${name}, ${half}}
${add ${name}, ${other}}

// The same tree for work-items of one warp, without local memory.
//@shape acc_tree_in_warp
{
    ${declare B}
    ${levels}
}
${if all}
${head ${name}, ${lanes}}
${else}
if (${lane} > 0) return;
${end}
