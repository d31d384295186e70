/* SPDX-License-Identifier: BSD-3-Clause
 *
 * map_random.cl - shapes of maps on GPUs of random numbers along one axis, without inputs, which
 * lib/codegen/map_random.c fills. lib/codegen/shape.h says what a shape is.
 */

// A work-item takes ${turns} vectors of ${vec} elements, a group's width g apart, where there are
// so many left.
//
//     pairs      a vector is two of 16 bytes, of which neighbouring work-items exchange one (all of
//                a group do)
//     behind     ${turns} - 1
//     words      those of numbers that are computed in pairs, of vector y0
//     may        some number may be rejected: first without drawing again, and once more with it if
//                one was
//@shape map_random
const I g = ${local}, f = (I)GND_GRP(0) * (${turns} * g) + (I)GND_LID(0);
${if pairs}
if (((I)GND_GRP(0) + 1) * (${turns} * g) <= n0 / 4) {
${else}
if (f + ${behind} * g < n0 / ${vec}) {
${end}
    #pragma unroll ${unroll}
    for (int h = 0; h < ${turns}; h++) {
        const I y0 = f + h * g, x0 = y0 * ${vec};
        ${words}
        {
            ${if pairs}
            ${pair_unions}
            ${else}
            const I i0 = x0;
            ${vector_loads ${vec}}
            ${end}
            ${if may}
            int bad = 0;
            ${end}
            ${twos}
            ${if may}
            ${tries}
            if (bad) {
                ${elements}
            }
            ${else}
            ${elements}
            ${end}
            ${if pairs}
            ${pair_stores}
            ${else}
            ${vector_stores ${vec}}
            ${end}
        }
    }
} else {
    #pragma unroll 1
    for (int h = 0; h < ${turns} && f + h * g <= n0 / ${vec}; h++) {
        const I x0 = (f + h * g) * ${vec};
        #pragma unroll 1
        for (I i0 = x0; i0 < n0 && i0 - x0 < ${vec}; i0++) {
            ${values}
            ${stores}
        }
    }
}

//@shape map_random_elements
#pragma unroll
for (int l = 0; l < ${vec}; l++) {
    const I i0 = x0 | l;
    ${lane_values ${vec}}
    ${lane_stores ${vec}}
}

// The words of numbers that are computed in pairs by instruction ${i}: block ${block} of a vector.
//@shape map_random_block
gnd_philox_u64((${index})y0 * ${blocks} + ${block}, 0, c${key}, four${i} + ${first});

// Two vectors of 16 bytes.
//@shape map_random_pair
{
    const I i0 = x0;
    gnd_storepairs_u64((GND_GLOBAL uint4 *)(p${out} + ${address ${out}}), u${out}.v, (int)(f & 1));
}
