/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reduce_cpu.cl - shapes of reductions on CPU devices, which lib/codegen/reduce_cpu.c fills.
 * lib/codegen/shape.h says what a shape is, lib/codegen/holes.h which holes all shapes may have.
 */

// Along the last axis. A task takes G rows of R elements, or one part of `chunk` elements of a row:
// as many blocks of 64 lanes as there are, then runs of 32. `base` is what the index of the reduced
// elements is ahead of x.
//
//     kept, last    number of kept axes, the last axis
//     nested        several axes are reduced: a row of x is one of many
//     reduces       some axis is reduced
//     most          elements of a lane in a block
//     near          lanes go the way for near arguments first, and again where `bad` notes one
//                   that is far
//     words         random words come from arrays
//     places        places are looked for in blocks whose values win
//     side          the lanes of a block then
//     light         the lanes of a block stay in registers (gnd__cg_light_lanes)
//     wide          how many values of that run are computed at a time (gnd__cg_abreast)
//     dear          the values of a run of 32 are computed side by side, with its last one several
//                   times, and then added in their order
//     split         results are parts, one for each s
//@shape reduce_rows_cpu
${words_declare}
const I task = (I)GND_GID(0) / S, s = (I)GND_GID(0) % S;
I m1 = (task + 1) * G; if (m1 > M) m1 = M;
for (I m = task * G; m < m1; m++) {
    I f = m;
    ${indices f, 0, ${kept}}
    ${declare A}
    ${init A}
    I r = s * chunk, r1 = r + chunk; if (r1 > R) r1 = R;
    while (r < r1) {
        ${if nested}
        I q = r / n${last}; const I x0 = r - q * n${last};
        I e = n${last}; if (e - x0 > r1 - r) e = x0 + (r1 - r);
        ${indices q, ${kept}, ${last}}
        ${else}
        const I x0 = r, e = r1;
        ${end}
        const I base = r - x0; I x = x0; r += e - x0;
        ${if reduces}
        ${if places}
        while (e - x >= ${side}) {
            ${place_block}
        }
        ${else}
        while (e - x >= 64) {
            I kk = (e - x) / 64; if (kk > ${most}) kk = ${most};
            ${declare L[64]}
            ${words_fill ${last}, x, (int)kk * 64}
            ${if near}
            int bad = 0;
            ${near_lanes}
            if (bad) {
                x -= kk * 64;
                ${lanes}
            }
            ${else}
            ${lanes}
            ${end}
            ${if light}
            #pragma unroll
            ${end}
            for (int w = 32; w > 0; w /= 2)
            for (int l = 0; l < w; l++) {
                ${fold L[l], L[l + w]}
            }
            ${add A, L[0]}
        }
        ${end}
        ${end}
        ${if words}
        const I rest = x;
        ${words_fill ${last}, x, (int)(e - x)}
        ${end}
        while (x < e) {
            I y = x + 32; if (y > e) y = e;
            ${declare T}
            ${init T}
            ${if dear}
            ${rest_arrays}
            ${wide}
            for (int l = 0; l < 32; l++) {
                ${if reduces}
                const I i${last} = x + l < y ? x + l : y - 1;
                ${end}
                ${values}
                ${rest_keep l}
            }
            for (int l = 0; x < y; l++, x++) {
                ${rest_take l}
                ${step T, base + x}
            }
            ${else}
            for (; x < y; x++) {
                ${if reduces}
                const I i${last} = x;
                ${end}
                ${rest_values}
                ${step T, base + x}
            }
            ${end}
            ${add A, T}
        }
    }
    ${if split}
    ${part_store A, (g_i64)m * S + s}
    ${else}
    ${finish A}
    ${results}
    ${stores}
    ${end}
}

// kk times 64 elements of a row from x on, into the lanes L.
//
//     abreast    how many lanes at a time (gnd__cg_abreast)
//@shape reduce_lanes_cpu
for (int l = 0; l < 64; l++) {
    ${init L[l]}
}
for (I t = 0; t < kk; t++, x += 64)
${abreast}
for (int l = 0; l < 64; l++) {
    const I i${last} = x + l;
    ${values}
    ${step L[l], base + x + l}
}

// The values of a block from x on for reductions that give places, without the places: in F[0].
//
//     block    elements of a block, at most
//     again    the last lanes may take elements once more
//@shape reduce_place_values
${if again}
const I n_ = e - x < ${block} + ${side} ? e - x : ${block};
${else}
const I n_ = (e - x < ${block} ? e - x : ${block}) / ${side} * ${side};
${end}
const I end = x + n_ - ${side};
${declare L[${side}]}
${declare F[${side}]}
for (int l = 0; l < ${side}; l++) {
    ${init L[l]}
}
for (I t = x; t < x + n_; t += ${side}) {
    const I first = t < end ? t : end;
    ${abreast}
    for (int l = 0; l < ${side}; l++) {
        const I i${last} = first + l;
        ${values}
        ${step L[l], base + i${last}}
    }
}
for (int l = 0; l < ${side}; l++) {
    ${copy F[l], L[l]}
}
#pragma unroll
for (int w = ${side} / 2; w > 0; w /= 2)
for (int l = 0; l < w; l++) {
    ${fold F[l], F[l + w]}
}

// The place of F${j}[0], if it wins: of the first element of the block that is equal to it. In many
// lines of lanes it is looked for in the lanes that have it, in few in all of them, line by line.
//
//     many           there may be many lines
//     value          the instruction of the element's value
//     beats, same    the conditions that a value wins over another one, and that both are equal
//@shape reduce_place_find
if (A${j}_ < 0 || ${beats F${j}[0], A${j}}) {
    I first = x - ${side};
    int at = ${side};
    ${if many}
    if (n_ > 16 * ${side}) {
        I t0 = x + n_;
        for (int l = 0; l < ${side}; l++) {
            if (!(${same L${j}[l], F${j}[0]})) continue;
            for (I t = x; t < t0; t += ${side}) {
                const I i${last} = (t < end ? t : end) + l;
                ${values}
                if (${same v${value}, F${j}[0]}) { t0 = t; at = l; }
            }
        }
        first = t0 < end ? t0 : end;
    } else
    ${end}
    {
        int hit = 0;
        while (!hit && first < end) {
            first = first + ${side} < end ? first + ${side} : end;
            ${abreast}
            for (int l = 0; l < ${side}; l++) {
                const I i${last} = first + l;
                ${values}
                hit |= ${same v${value}, F${j}[0]} ? 1 : 0;
            }
        }
        ${abreast}
        for (int l = 0; l < ${side}; l++) {
            const I i${last} = first + l;
            ${values}
            const int l_ = ${same v${value}, F${j}[0]} ? l : ${side};
            at = l_ < at ? l_ : at;
        }
    }
    A${j} = F${j}[0]; A${j}_ = base + first + at;
}

// Across rows. A task takes a tile of up to 256 columns, nc of them, and walks down `chunk` rows in
// blocks of 64.
//
//     kept, axes, col    number of kept axes, of all axes, the axis of the columns
//     dear               the values of 32 columns are computed side by side first
//     near               for near arguments, and again where `bad` notes one that is far
//     split              results are parts, one for each s
//@shape reduce_columns_cpu
I f = (I)GND_GID(0);
const I s = f % S; f /= S;
const I left = f % tiles * 256; f /= tiles;
const I row = f;
int nc = n${col} - left < 256 ? (int)(n${col} - left) : 256;
${indices f, 0, ${col}}
${words_declare}
${declare A[256]}
${declare L[256]}
for (int l = 0; l < nc; l++) {
    ${init A[l]}
}
I r = s * chunk, r1 = r + chunk; if (r1 > R) r1 = R;
while (r < r1) {
    I e = r + 64; if (e > r1) e = r1;
    for (int l = 0; l < nc; l++) {
        ${init L[l]}
    }
    for (; r < e; r++) {
        I q = r;
        ${indices q, ${kept}, ${axes}}
        ${words_fill ${col}, left, nc}
        ${if dear}
        for (int l0 = 0; l0 < nc; l0 += 32) {
            const int l1 = nc - l0 < 32 ? nc - l0 : 32;
            ${rest_arrays}
            ${if near}
            int bad = 0;
            ${near_block}
            if (bad) {
                ${block}
            }
            ${else}
            ${block}
            ${end}
            for (int l = 0; l < l1; l++) {
                ${rest_take l}
                ${step L[l0 + l], r}
            }
        }
        ${else}
        for (int l = 0; l < nc; l++) {
            const I i${col} = left + l;
            ${column_values}
            ${step L[l], r}
        }
        ${end}
    }
    for (int l = 0; l < nc; l++) {
        ${add A[l], L[l]}
    }
}
for (int l = 0; l < nc; l++) {
    const I i${col} = left + l;
    ${if split}
    ${part_store A[l], (g_i64)s * M + ((g_i64)row * n${col} + i${col})}
    ${else}
    ${finish A[l]}
    ${results}
    ${stores}
    ${end}
}
(void)row;

// The values of the columns from l0 on, l1 of them.
//
//     wide    how many at a time (gnd__cg_abreast)
//@shape reduce_columns_block
${wide}
for (int l = 0; l < l1; l++) {
    const I i${col} = left + l0 + l;
    ${values}
    ${rest_keep l}
}
