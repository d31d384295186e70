/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reduce_gpu.cl - shapes of reductions on GPUs, which lib/codegen/reduce_gpu.c fills.
 * lib/codegen/shape.h says what a shape is, lib/codegen/holes.h which holes all shapes may have.
 */

// Along the last axis. A group of `local` work-items takes up to `chunk` elements of one row: the
// vectors of ${vec} elements, one a work-item at a time, then the rest one by one.
//
//     kept, last, axes    number of kept axes, the last axis, number of all axes
//     vectors             elements are loaded ${vec} at a time into the lanes L; `pace` is the
//                         distance of a work-item's vectors
//     rest                where single elements begin
//     split               results are parts, one for each s
//@shape reduce_rows_gpu
const int lid = (int)GND_LID(0);
const I m = (I)GND_GRP(0) / S, s = (I)GND_GRP(0) % S;
I f = m;
${indices f, 0, ${kept}}
const I r0 = s * ${chunk}; I r1 = r0 + ${chunk}; if (r1 > R) r1 = R;
${declare A}
${init A}
${if vectors}
${declare L[${vec}]}
for (int l = 0; l < ${vec}; l++) {
    ${init L[l]}
}
const I rv = r0 + (r1 - r0) / ${vec} * ${vec};
for (I x = r0 + lid * ${vec}; x < rv; x += ${pace}) {
    I q = x; (void)q;
    ${indices q, ${kept}, ${axes}}
    const I first = i${last};
    ${vector_loads ${vec}}
    #pragma unroll
    for (int l = 0; l < ${vec}; l++) {
        const I i${last} = first | l;
        ${lane_values ${vec}}
        ${step L[l], x + l}
        (void)i${last};
    }
}
for (int l = 0; l < ${vec}; l++) {
    ${add A, L[l]}
}
${end}
${declare E}
${init E}
${if vectors}
#pragma unroll 1
${end}
for (I x = ${rest} + lid; x < r1; x += ${local})
{
    I q = x; (void)q;
    ${indices q, ${kept}, ${axes}}
    ${values}
    ${step E, x}
}
${add A, E}
${keys K, A}
${tree K, lid, 0, ${local}}
${if split}
${part_store K, (g_i64)m * S + s}
${else}
${finish K}
${results}
${stores}
${end}

// Across rows. A group is ${across} work-items side by side, each with ${vec} neighbouring kept
// points, in ${down} layers y that divide a chunk of the reduced elements and combine in local
// memory.
//
//     kept, axes    number of kept axes, of all axes
//     keeps, nested some axis is kept; several are
//     x             the last of them, along which points are neighbours
//     vectors       they are loaded ${vec} at a time
//     layers        there are several; `round` is one less than their number
//     narrow        layers take every ${pace}-th element in turn, and combine by a tree
//     split         results are parts, one for each s
//@shape reduce_points_gpu
const int lid = (int)GND_LID(0), y = lid / ${across}; (void)y;
const I s = (I)GND_GRP(0) / tiles;
const I m = ((I)GND_GRP(0) % tiles * ${across} + lid % ${across}) * ${vec};
I f = m;
${if nested}
const I x${x} = f % n${x}; f /= n${x};
${indices f, 0, ${x}}
${else}
${if keeps}
const I x0 = f;
${end}
${end}
${declare A[${vec}]}
${declare E[${vec}]}
for (int l = 0; l < ${vec}; l++) {
    ${init A[l]}
}
I r = s * chunk, r1 = r + chunk; if (r1 > R) r1 = R;
${if narrow}
r += y;
${else}
${if layers}
{
    const I part = (chunk + ${round}) / ${down}; r += y * part;
    if (r1 > r + part) r1 = r + part;
}
${end}
${end}
if (m < M) {
    while (r < r1) {
        I e = r + 64 * ${pace}; if (e > r1) e = r1;
        for (int l = 0; l < ${vec}; l++) {
            ${init E[l]}
        }
        #pragma unroll 4
        for (; r < e; r += ${pace}) {
            I q = r; (void)q;
            ${indices q, ${kept}, ${axes}}
            ${if vectors}
            const I i${x} = x${x};
            ${vector_loads ${vec}}
            ${end}
            #pragma unroll
            for (int l = 0; l < ${vec}; l++) {
                ${if keeps}
                const I i${x} = x${x} + l; (void)i${x};
                ${end}
                ${lane_values ${vec}}
                ${step E[l], r}
            }
        }
        for (int l = 0; l < ${vec}; l++) {
            ${add A[l], E[l]}
        }
    }
}
${if layers}
for (int l = 0; l < ${vec}; l++) {
    ${copy T[lid + l * ${local}], A[l]}
}
GND_BARRIER();
${if narrow}
for (int n = ${down}; n > 1;) {
    const int h = (n + 1) / 2;
    if (y < n - h) {
        for (int l = 0; l < ${vec}; l++) {
            ${add A[l], T[lid + h * ${across} + l * ${local}]}
            ${copy T[lid + l * ${local}], A[l]}
        }
    }
    GND_BARRIER();
    n = h;
}
if (y > 0 || m >= M) return;
${else}
if (y > 0 || m >= M) return;
for (int w = 1; w < ${down}; w++)
for (int l = 0; l < ${vec}; l++) {
    ${add A[l], T[lid + w * ${across} + l * ${local}]}
}
${end}
${else}
if (m >= M) return;
${end}
for (int l = 0; l < ${vec}; l++) {
    ${if keeps}
    const I i${x} = x${x} + l; (void)i${x};
    ${end}
    ${if split}
    ${part_store A[l], (g_i64)s * M + m + l}
    ${else}
    ${finish A[l]}
    ${results}
    ${stores}
    ${end}
}
