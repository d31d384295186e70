/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rows_gpu.cl - shapes of kernels of rows on GPUs, which lib/codegen/rows_gpu.c fills. ${lanes}
 * work-items, numbered by `lane`, share a row of R elements and hold ${nvec} vectors of ${vec}
 * elements each; a group has ${rows} rows. lib/codegen/shape.h says what a shape is.
 */

// A group's rows beyond the last one repeat the last one, and store nothing (live).
//
//     kept      number of kept axes
//     arrays    of values that wait for later stages, in registers
//     some      some output has one value for a row
//     sure      so many vectors of a work-item lie within the row
//     blocks    some arrays' rows of the group lie one after the other and go through local memory:
//     reads     inputs, and
//     writes    outputs
//@shape rows_gpu
const int sure = ${sure}; (void)sure;
const int lid = (int)GND_LID(0), lane = lid % ${lanes}; (void)lane;
const I row = (I)GND_GRP(0) * ${rows} + lid / ${lanes};
const int live = row < M;
I f = live ? row : M - 1;
${indices f, 0, ${kept}}
${arrays}
${if some}
${output_loads}
${end}
${if blocks}
const I left = M - (I)GND_GRP(0) * ${rows}, begin = (I)GND_GRP(0) * ${rows} * R;
const int held = (int)(left < ${rows} ? left * R : ${rows} * R), mine = lid / ${lanes} * (int)R;
${block_rows}
${end}
${if reads}
${gets}
GND_BARRIER();
${end}
${stages}
${if writes}
GND_BARRIER();
${puts}
${end}
${if some}
if (live && lane == 0) {
    ${row_outputs}
}
${end}

// The block of an input to local memory, all loads at once; and that of an output from there.
//
//     type, raw     of an element, and of a vector of ${per} elements
//     rounds        vectors of a work-item
//@shape rows_gpu_get
{
    GND_CONST_GLOBAL ${type} *from = p${at} + begin;
    ${raw} t[${rounds}];
    #pragma unroll
    for (int n = 0; n < ${rounds}; n++) {
        const int v = n * ${group} + lid;
        if (v < held / ${per})
            t[n] = ((GND_CONST_GLOBAL ${raw} *)from)[v];
    }
    #pragma unroll
    for (int n = 0; n < ${rounds}; n++) {
        const int v = n * ${group} + lid;
        if (v < held / ${per})
            ((GND_LOCAL_PTR ${raw} *)L${at})[v] = t[n];
    }
    const int rest = held / ${per} * ${per} + lid;
    if (rest < held)
        ((GND_LOCAL_PTR ${type} *)L${at})[rest] = from[rest];
}
//@shape rows_gpu_put
{
    GND_GLOBAL ${type} *to = p${at} + begin;
    #pragma unroll
    for (int n = 0; n < ${rounds}; n++) {
        const int v = n * ${group} + lid;
        if (v < held / ${per})
            ((GND_GLOBAL ${raw} *)to)[v] = ((GND_LOCAL_PTR const ${raw} *)L${at})[v];
    }
    const int rest = held / ${per} * ${per} + lid;
    if (rest < held)
        to[rest] = ((GND_LOCAL_PTR const ${type} *)L${at})[rest];
}

// What a stage loads, all at once. Elements beyond the row's end are read at its begin instead.
//
//     axes    number of all axes
//     full    a row is exactly what its work-items hold
//@shape rows_gpu_loads
#pragma unroll
for (int n = 0; n < ${nvec}; n++) {
    const I x0 = (I)(n * ${lanes} + lane) * ${vec};
    ${if full}
    I q = x0; (void)q;
    ${else}
    I q = n < sure || x0 < R ? x0 : 0; (void)q;
    ${end}
    ${indices q, ${kept}, ${axes}}
    ${if vectors}
    ${vector_loads ${vec}}
    ${end}
    #pragma unroll
    for (int l = 0; l < ${vec}; l++) {
        const int e_ = n * ${vec} + l;
        ${elements}
    }
}

// The elements of the row that a work-item holds: each goes into A, or into the outputs that have a
// value for each element of the row.
//
//     within             the condition that the row has them
//     outputs            they go there
//     row_vectors        vectors of what is loaded where it is used, and of outputs
//     index              the position of an element in the row
//     whole              values that are the same for the whole row
//@shape rows_gpu_row
${loads}
${whole}
#pragma unroll
for (int n = 0; n < ${nvec}; n++) {
    const I x0 = (I)(n * ${lanes} + lane) * ${vec};
    I q = x0; (void)q;
    if (${within}) {
        ${indices q, ${kept}, ${axes}}
        ${if vectors}
        ${row_vectors}
        ${end}
        #pragma unroll
        for (int l = 0; l < ${vec}; l++) {
            const int e_ = n * ${vec} + l; (void)e_;
            ${if vectors}
            const I i${last} = x0 + l; (void)i${last};
            ${end}
            ${stage_values}
            ${if outputs}
            ${lane_stores ${vec}}
            ${else}
            ${step A, ${index}}
            ${end}
        }
        ${if outputs}
        ${if vectors}
        ${vector_stores ${vec}}
        ${end}
        ${end}
    }
}

// The reductions of a stage: the work-item's elements into A, then those of the row's work-items
// into K of each.
//
//     shared    there are several
//@shape rows_gpu_reduce
${declare A}
${init A}
${row}
${keys K, A}
${if shared}
${tree_all K, lane, lid - lane, ${lanes}}
${end}
${finish K}
