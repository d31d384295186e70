/* SPDX-License-Identifier: BSD-3-Clause
 *
 * map.cl - shapes of kernels on GPUs that compute every point independently, which
 * lib/codegen/map.c fills. lib/codegen/shape.h says what a shape is, lib/codegen/holes.h which
 * holes all shapes may have.
 */

// A work-item takes a point, or ${vec} neighbours along the last axis x.
//
//     gid             the number of the work-item
//     vectors, kept   it takes neighbours; number of axes
//     nested          there are several axes: x has a multiple of ${vec} elements
//     vector          the shape map_vector
//@shape map_flat
I f = ${gid};
if (f >= total) return;
${if vectors}
${if nested}
const I nv = n${x} / ${vec};
const I x0 = f % nv * ${vec}; f /= nv;
${indices f, 0, ${x}}
${vector}
${else}
const I x0 = f * ${vec};
if (x0 + ${vec} <= n${x}) {
    ${vector}
} else {
    #pragma unroll 1
    for (I i${x} = x0; i${x} < n${x}; i${x}++) {
        ${values}
        ${stores}
    }
}
${end}
${else}
${indices f, 0, ${kept}}
${values}
${stores}
${end}

// The elements x0 .. x0 + ${vec} along axis x. x0 is a multiple of ${vec}: with x0 | l the compiler
// knows the low bits of indices, and random numbers (kernels/random.cl) compute a block once for
// its elements.
//
//     later    the results wait in w[h] of each access
//@shape map_vector
{
    const I i${x} = x0;
    ${vector_loads ${vec}}
    #pragma unroll
    for (int l = 0; l < ${vec}; l++) {
        const I i${x} = x0 | l;
        ${lane_values ${vec}}
        ${lane_stores ${vec}}
    }
    ${if later}
    ${wait}
    ${else}
    ${vector_stores ${vec}}
    ${end}
}

// A work-item takes ${rows} points in consecutive rows, along axis y, or as many as are left. They
// share the arithmetic of the index, loads of values that are broadcast along the column, and loads
// of a stencil. Their values wait in u, so that no store comes between loads.
//
//     inner    1: there are conditions on indices, of which one combination holds for most points;
//              work-items all of whose points have it take `body` without conditions
//     conditions, holds    of a point; whether it has that combination
//     body     the shape map_rows_body
//@shape map_rows
I f = ${gid};
if (f >= total) return;
const I i${x} = f % n${x}; f /= n${x};
const I y0 = f % tiles * ${rows}; f /= tiles;
${indices f, 0, ${y}}
${if inner}
const I y1 = y0 + ${rows} < n${y} ? y0 + ${rows} : n${y};
int inner_ = y1 == y0 + ${rows};
#pragma unroll
for (int l = 0; l < ${rows}; l++) {
    const I i${y} = y0 + l; (void)i${y};
    ${conditions}
    inner_ &= ${holds};
}
if (inner_) {
    ${body}
} else {
    #pragma unroll 1
    for (I i${y} = y0; i${y} < y1; i${y}++) {
        ${values}
        ${stores}
    }
}
${else}
if (y0 + ${rows} <= n${y}) {
    ${body}
} else {
    #pragma unroll 1
    for (I i${y} = y0; i${y} < n${y}; i${y}++) {
        ${values}
        ${stores}
    }
}
${end}

//@shape map_rows_body
${private_vectors ${rows}}
#pragma unroll
for (int l = 0; l < ${rows}; l++) {
    const I i${y} = y0 + l; (void)i${y};
    ${lane_values ${rows}}
    ${lane_stores ${rows}}
}
#pragma unroll
for (int l = 0; l < ${rows}; l++) {
    const I i${y} = y0 + l;
    ${late_stores}
}

// A work-item takes ${spread} points, ${local} apart, or as many as are left. All loads come before
// the stores.
//
//     tile, last    points of a group, and the distance of a work-item's last one
//@shape map_spread
const I g = (I)GND_GRP(0) * ${tile} + (I)GND_LID(0);
if (g + ${last} < total) {
    ${private_vectors ${spread}}
    #pragma unroll
    for (int l = 0; l < ${spread}; l++) {
        I f = g + l * ${local};
        ${indices f, 0, ${kept}}
        ${lane_values ${spread}}
        ${lane_stores ${spread}}
    }
    #pragma unroll
    for (int l = 0; l < ${spread}; l++) {
        I f = g + l * ${local};
        ${indices f, 0, ${kept}}
        ${late_stores}
    }
} else {
    #pragma unroll 1
    for (I b = g; b < total; b += ${local}) {
        I f = b;
        ${indices f, 0, ${kept}}
        ${values}
        ${stores}
    }
}

// Vectors that are loaded through an index: a work-item takes ${rows}, in consecutive rows. All
// loads come before the stores, because each waits for its index first.
//
//     waiting         declares w, the results that wait
//     later, vector   the shape map_vector, with and without waiting
//@shape map_gather
I f = ${gid};
if (f >= total) return;
const I nv = n${x} / ${vec};
const I x0 = f % nv * ${vec}; f /= nv;
const I y0 = f % tiles * ${rows}; f /= tiles;
${indices f, 0, ${y}}
${waiting}
if (y0 + ${rows} <= n${y}) {
    #pragma unroll
    for (int h = 0; h < ${rows}; h++) {
        const I i${y} = y0 + h;
        ${later}
    }
    #pragma unroll
    for (int h = 0; h < ${rows}; h++) {
        const I i${y} = y0 + h, i${x} = x0;
        ${late_vectors}
    }
} else {
    #pragma unroll 1
    for (I i${y} = y0; i${y} < n${y}; i${y}++)
    ${vector}
}
