/* SPDX-License-Identifier: BSD-3-Clause
 *
 * map_tile.cl - shapes of maps with inputs that lie across the outputs, as in a transposition,
 * which lib/codegen/map_tile.c fills. The inputs are contiguous along axis d, the outputs along
 * the last one. Tile f begins at t0 and l0 of these. lib/codegen/shape.h says what a shape is.
 */

// CPU: a work-item takes a tile of ${side} by ${side}. With constant extents the compiler unrolls.
//@shape map_tile_cpu
I f = (I)GND_GID(0);
const I l0 = f % tl * ${side}; f /= tl;
const I t0 = f % tt * ${side}; f /= tt;
${other_indices}
${private_vectors ${area}}
const int nl = n${last} - l0 < ${side} ? (int)(n${last} - l0) : ${side},
          nt = n${d} - t0 < ${side} ? (int)(n${d} - t0) : ${side};
if (nl == ${side} && nt == ${side}) {
    ${points ${side}, ${side}}
} else {
    ${points nt, nl}
}

// Its inputs into u, then every point along the last axis.
//@shape map_tile_points_cpu
${inputs}
for (int x = 0; x < ${nt}; x++) {
    const I i${d} = t0 + x;
    for (int y = 0; y < ${nl}; y++) {
        const I i${last} = l0 + y;
        const int l = y * ${side} + x;
        ${lane_values ${side}}
        ${lane_stores ${side}}
    }
}

//@shape map_tile_input_cpu
for (int y = 0; y < ${nl}; y++) {
    const I i${last} = l0 + y;
    for (int x = 0; x < ${nt}; x++) {
        const I i${d} = t0 + x;
        u${in}.s[y * ${side} + x] = p${in}[${address ${in}}];
    }
}

// GPU: a group takes a tile of ${down} rows of ${across} elements, through local memory, T. It
// loads along d in vectors of ${vl} elements, ${beside} work-items side by side. Positions outside
// are read at the edge instead.
//@shape map_tile_gpu
const int lid = (int)GND_LID(0);
I f = (I)GND_GRP(0);
const I l0 = f % tl * ${down}; f /= tl;
const I t0 = f % tt * ${across}; f /= tt;
${other_indices}
{
    const int x = lid % ${beside} * ${vl}, y = lid / ${beside};
    const I i${d} = t0 + x < n${d} ? t0 + x : n${d} - ${vl};
    ${inputs}
}
GND_BARRIER();
${points}

// An input's elements of a tile, ${some} loads in flight at once, `step` rows apart. Rows are
// `pitch` apart in T, plus another `skew` every 2^shift rows.
//
//     raw, type    of a vector, and of its elements
//@shape map_tile_input_gpu
#pragma unroll 1
for (int b = y; b < ${down}; b += ${pace}) {
    union { ${raw} v; ${type} s[${vl}]; } r[${some}];
    #pragma unroll
    for (int j = 0; j < ${some}; j++) {
        const int z = b + j * ${step};
        const I i${last} = l0 + z < n${last} ? l0 + z : n${last} - 1;
        r[j].v = *(GND_CONST_GLOBAL ${raw} *)(p${in} + ${address ${in}});
    }
    #pragma unroll
    for (int j = 0; j < ${some}; j++) {
        const int z = b + j * ${step};
        #pragma unroll
        for (int l = 0; l < ${vl}; l++)
        T${in}[((z) * ${pitch} + ((z) >> ${shift}) * ${skew} + (x + l))] = r[j].s[l];
    }
}

// The points of a tile, along the last axis, in vectors of ${vs} elements, ${beside} work-items
// side by side.
//
//     taken      the crossing inputs, from T into u
//     vectors    vs is more than 1
//@shape map_tile_points_gpu
const int y = lid % ${beside} * ${vs};
const I x0 = l0 + y;
if (x0 >= n${last}) return;
#pragma unroll ${unroll}
for (int x = lid / ${beside}; x < ${across}; x += ${step}) {
    const I i${d} = t0 + x;
    if (i${d} < n${d}) {
        ${taken}
        ${if vectors}
        {
            const I i${last} = x0;
            ${vector_loads ${vs}}
            #pragma unroll
            for (int l = 0; l < ${vs}; l++) {
                const I i${last} = x0 + l; (void)i${last};
                ${tile_values}
                ${lane_stores ${vs}}
            }
            ${vector_stores ${vs}}
        }
        ${else}
        const int l = 0;
        const I i${last} = x0;
        ${tile_values}
        ${stores}
        ${end}
    }
}

//@shape map_tile_taken_gpu
struct { ${type} s[${vs}]; } u${in};
#pragma unroll
for (int l = 0; l < ${vs}; l++)
u${in}.s[l] = T${in}[((y + l) * ${pitch} + ((y + l) >> ${shift}) * ${skew} + (x))];
