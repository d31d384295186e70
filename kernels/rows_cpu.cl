/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rows_cpu.cl - shapes of kernels of rows on CPU devices, which lib/codegen/rows_cpu.c fills. A
 * task takes G rows of R elements; lib/codegen/shape.h says what a shape is.
 */

// kept: number of kept axes; arrays: of values that wait for later stages.
//@shape rows_cpu
${arrays}
I m1 = ((I)GND_GID(0) + 1) * G; if (m1 > M) m1 = M;
for (I m = (I)GND_GID(0) * G; m < m1; m++) {
    I f = m;
    ${indices f, 0, ${kept}}
    ${stages}
    ${row_outputs}
}

// The reductions of a stage over the row, into A: blocks of up to 16 times 64 lanes, then the rest.
//
//     dear    the values of the rest are computed side by side, 32 at a time, with the last one of
//             the row several times, and then added in their order
//@shape rows_cpu_reduce
${declare A}
${init A}
{
    I x = 0;
    while (R - x >= 64) {
        I kk = (R - x) / 64; if (kk > 16) kk = 16;
        ${declare L[64]}
        for (int l = 0; l < 64; l++) {
            ${init L[l]}
        }
        for (I t = 0; t < kk; t++, x += 64)
        ${abreast}
        for (int l = 0; l < 64; l++) {
            const I i${last} = x + l;
            const int e_ = (int)i${last}; (void)e_;
            ${stage_values}
            ${step L[l], x + l}
        }
        ${if light}
        #pragma unroll
        ${end}
        for (int h = 32; h > 0; h /= 2)
        for (int l = 0; l < h; l++) {
            ${fold L[l], L[l + h]}
        }
        ${add A, L[0]}
    }
    ${declare T}
    ${init T}
    ${if dear}
    ${rest_arrays}
    while (x < R) {
        const I y = x + 32 < R ? x + 32 : R;
        ${wide}
        for (int l = 0; l < 32; l++) {
            const I i${last} = x + l < R ? x + l : R - 1;
            const int e_ = (int)x + l; (void)e_;
            ${stage_values}
            ${rest_keep l}
        }
        for (int l = 0; x < y; l++, x++) {
            ${rest_take l}
            ${step T, x}
        }
    }
    ${else}
    for (; x < R; x++) {
        const I i${last} = x;
        const int e_ = (int)i${last}; (void)e_;
        ${stage_values}
        ${step T, x}
    }
    ${end}
    ${add A, T}
}
${finish A}

// The outputs that have a value for each element of the row.
//     wide    how many elements are computed at a time (gnd__cg_abreast)
//@shape rows_cpu_points
${wide}
for (I i${last} = 0; i${last} < R; i${last}++) {
    const int e_ = (int)i${last}; (void)e_;
    ${stage_values}
    ${stores}
}
