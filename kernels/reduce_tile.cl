/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reduce_tile.cl - shapes of reductions on GPUs whose results share their inputs, which
 * lib/codegen/reduce_tile.c fills. A tile is ${ny} by ${nx} results, ${count} in all; result
 * (ty, tx) has accumulator ty * ${nx} + tx. lib/codegen/shape.h says what a shape is.
 */

// One tile: of a work-item, `across` of which stand side by side along x, or of a group. xb and yb
// are where it begins; neighbours in it are step_x and step_y apart.
//
//     x, y           axes of the tile; has_y: there is a y
//     shared         the tile is a group's
//     wide, high     extents of what a group computes, where a tile is a work-item's
//@shape reduce_tile
const int lid = (int)GND_LID(0); (void)lid;
I g = (I)GND_GRP(0);
${if shared}
const I xb = g % tilesx * ${nx}; g /= tilesx;
${else}
const I xb = g % tilesx * ${wide} + lid % ${across}; g /= tilesx;
${end}
${if has_y}
${if shared}
const I yb = g % tilesy * ${ny}; g /= tilesy;
${else}
const I yb = g % tilesy * ${high} + lid / ${across}; g /= tilesy;
${end}
${end}
${other_indices}
${declare A[${count}]}
#pragma unroll
for (int t = 0; t < ${count}; t++) {
    ${init A[t]}
}
${sums}
#pragma unroll
for (int ty = 0; ty < ${ny}; ty++)
#pragma unroll
for (int tx = 0; tx < ${nx}; tx++) {
    ${if has_y}
    const I i${y} = yb + ty * ${step_y};
    if (i${y} >= n${y}) continue;
    ${end}
    const I i${x} = xb + tx * ${step_x};
    if (i${x} >= n${x}) continue;
    ${finish A[ty * ${nx} + tx]}
    ${results}
    ${stores}
}

// The sums of a work-item's own tile, runs of up to ${run} terms.
//
//     once    there is a single run
//@shape reduce_tile_own
I r = 0;
${if once}
${span A, R}
${else}
while (r < R) {
    const I e = R - r > ${run} ? r + ${run} : R;
    ${declare E[${count}]}
    #pragma unroll
    for (int t = 0; t < ${count}; t++) {
        ${init E[t]}
    }
    ${span E, e}
    #pragma unroll
    for (int t = 0; t < ${count}; t++) {
        ${add A[t], E[t]}
    }
}
${end}

// The terms from r on up to `until`, into accumulator `name`.
//
//     stage    so many terms of rows are in local memory at a time; 0: none are
//@shape reduce_tile_span
${if stage}
while (r < ${until}) {
    const I from = r, to = ${until} - r > ${stage} ? r + ${stage} : ${until};
    GND_BARRIER();
    ${fills}
    GND_BARRIER();
    for (; r < to; r += ${vec}) {
        ${terms ${name}}
    }
}
${else}
for (; r < ${until}; r += ${vec}) {
    ${terms ${name}}
}
${end}

// The staged terms of the rows of an input, loaded by all work-items: `count` vectors, `per` of a
// row. Rows beyond the array are the last one.
//@shape reduce_tile_fill
#pragma unroll
for (int round = 0; round < ${rounds}; round++) {
    const int v = round * ${group} + lid, row = v / ${per};
    const I i${last} = from + v % ${per} * ${vec};
    const I i${axis} = ${low} + row < n${axis} ? ${low} + row : n${axis} - 1;
    if (v < ${count} && i${last} < R)
        ((GND_LOCAL_PTR ${raw} *)L${in})[row * ${pitch} + v % ${per}] =
            *(GND_CONST_GLOBAL ${raw} *)(p${in} + ${address ${in}});
}

// The sums of a group's tile: each work-item takes every ${group}-th term, and a tree in local
// memory, T, combines them, for all results at once. Sums of more than ${run} terms are accumulated
// there: in registers they would take twice the space, too much for several groups at a time.
//
//     long    there are such sums
//@shape reduce_tile_shared
${if long}
#pragma unroll
for (int t = 0; t < ${count}; t++) {
    ${init T[lid + t * ${group}]}
}
int left = ${run};
${end}
for (I r = lid; r < R; r += ${group}) {
    ${terms A}
    ${if long}
    if (--left == 0) {
        left = ${run};
        #pragma unroll
        for (int t = 0; t < ${count}; t++) {
            ${add T[lid + t * ${group}], A[t]}
            ${init A[t]}
        }
    }
    ${end}
}
#pragma unroll
for (int t = 0; t < ${count}; t++) {
    ${if long}
    ${add T[lid + t * ${group}], A[t]}
    ${else}
    ${copy T[lid + t * ${group}], A[t]}
    ${end}
}
GND_BARRIER();
#pragma unroll 1
for (int w = ${half}; w > 0; w /= 2) {
    if (lid < w)
    #pragma unroll
    for (int t = 0; t < ${count}; t++) {
        ${add T[lid + t * ${group}], T[lid + w + t * ${group}]}
    }
    GND_BARRIER();
}
if (lid > 0) return;
#pragma unroll
for (int t = 0; t < ${count}; t++) {
    ${copy A[t], T[t * ${group}]}
}

// Element r of the reduced axes, or ${vec} of them, into accumulator `name` of every result. A
// result beyond the array takes the terms of the last one instead. The compiler merges equal loads.
//
//     dx, dy        how far a result is from xb and yb
//     vectors       ${vec} elements are loaded at a time
//     last          the axis along which they are neighbours
//@shape reduce_tile_terms
I q = r; (void)q;
${indices q, ${kept}, ${axes}}
#pragma unroll
for (int ty = 0; ty < ${ny}; ty++)
#pragma unroll
for (int tx = 0; tx < ${nx}; tx++) {
    ${if has_y}
    const I i${y} = yb${dy} < n${y} ? yb${dy} : n${y} - 1; (void)i${y};
    ${end}
    const I i${x} = xb${dx} < n${x} ? xb${dx} : n${x} - 1; (void)i${x};
    ${if vectors}
    ${staged}
    ${vector_loads ${vec}}
    const I x0 = i${last};
    #pragma unroll
    for (int l = 0; l < ${vec}; l++) {
        const I i${last} = x0 + l; (void)i${last};
        ${lane_values ${vec}}
        ${step ${name}[ty * ${nx} + tx], r + l}
    }
    ${else}
    ${values}
    ${step ${name}[ty * ${nx} + tx], r}
    ${end}
}
