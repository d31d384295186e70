/* SPDX-License-Identifier: BSD-3-Clause
 *
 * map_tile.cl - shapes of maps with inputs that lie across the outputs, as in a transposition,
 * which lib/codegen/map_tile.c fills. The inputs are contiguous along axis d, the outputs along
 * the last one. Tile f begins at t0 and l0 of these. lib/codegen/shape.h says what a shape is.
 */

// CPU: a work-item takes a tile of ${down} by ${across}, of which its crossing inputs lie in u with
// rows of ${down} along the last axis.
//@shape map_tile_cpu
I f = (I)GND_GID(0);
const I l0 = f % tl * ${down}; f /= tl;
const I t0 = f % tt * ${across}; f /= tt;
${other_indices}
${private_vectors ${area}}
const int nl = n${last} - l0 < ${down} ? (int)(n${last} - l0) : ${down},
          nt = n${d} - t0 < ${across} ? (int)(n${d} - t0) : ${across};
${fetches}
${inputs}
if (nl == ${down}) {
    ${points ${down}}
} else {
    ${points nl}
}

// Asks for the lines of an output, which arrive while the inputs are turned: stores that wait for
// their lines would delay those into u.
//@shape map_tile_fetch_cpu
for (int x = 0; x < nt; x++) {
    const I i${d} = t0 + x;
    for (int y = 0; y < nl; y += ${line}) {
        const I i${last} = l0 + y;
        gnd_fetch_u8(p${out} + ${address ${out}}, 1);
    }
}

// Its points, ${nl} along the last axis. Of a constant number compilers make vectors only.
//@shape map_tile_points_cpu
for (int x = 0; x < nt; x++) {
    const I i${d} = t0 + x;
    for (int y = 0; y < ${nl}; y++) {
        const I i${last} = l0 + y;
        const int l = x * ${down} + y;
        ${lane_values ${area}}
        ${lane_stores ${area}}
    }
}

// An input of a tile, as words of its elements' size. Its rows are `pace` apart.
//
//     flips    there are words of that size
//@shape map_tile_input_cpu
{
    I from, pace;
    {
        const I i${last} = l0, i${d} = t0;
        from = ${address ${in}};
    }
    {
        const I i${last} = l0 + 1, i${d} = t0;
        pace = ${address ${in}} - from;
    }
    ${if flips}
    gnd_across_${word}((GND_CONST_GLOBAL gnd_word_${word} *)(p${in} + from), pace, nt, nl,
                       (gnd_word_${word} *)u${in}.s, ${down});
    ${else}
    for (int y = 0; y < nl; y++)
        for (int x = 0; x < nt; x++)
            u${in}.s[x * ${down} + y] = p${in}[from + y * pace + x];
    ${end}
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
