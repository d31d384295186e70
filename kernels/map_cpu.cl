/* SPDX-License-Identifier: BSD-3-Clause
 *
 * map_cpu.cl - shapes of kernels on CPU devices that compute every point independently, which
 * lib/codegen/map_cpu.c and map_boxes.c fill; and random words of a run (lib/codegen/words.c).
 * lib/codegen/shape.h says what a shape is.
 *
 *     x, y      the last axis and the one before it
 *     rows      there is a y
 *     planes    there are more axes
 */

// One point per work-item. In a full group no work-item looks at its number: then its loop needs no
// masks, which compilers have for all dtypes with AVX-512 only.
//
//     keeps    there is an axis
//@shape map_points_cpu
${if keeps}
const I i${x} = (I)GND_GID(0);
const int full = (GND_GRP(0) + 1) * GND_LSZ(0) <= (g_u64)n${x};
if (!full && i${x} >= n${x}) return;
${end}
${values}
${stores}

// A run along axis ${l} and all points of the axes inside of it.
//
//     planes    there are axes outside of it
//     loops     row by row, or with the run as the innermost loop
//@shape map_nest_cpu
const I left = (I)GND_GID(0) * run;
const I end = n${l} - left < run ? n${l} : left + run;
${if planes}
I f = (I)GND_GID(1);
${indices f, 0, ${l}}
${end}
${loops ${l}}
{
    ${values}
    ${stores}
}

// The same run in blocks of ${block} points, whose inputs come into u first and whose outputs are
// stored from there last: compilers make vectors of the loop between. A block at the end computes
// its last point several times.
//
//     fetched, stored    the inputs and outputs of a block
//@shape map_blocks_cpu
const I left = (I)GND_GID(0) * run;
const I end = n${l} - left < run ? n${l} : left + run;
${if planes}
I f = (I)GND_GID(1);
${indices f, 0, ${l}}
${end}
${private_vectors ${block}}
${inner_loops ${l}}
for (I x = left; x < end; x += ${block}) {
    for (int l = 0; l < ${block}; l++) {
        const I i${l} = x + l < end ? x + l : end - 1;
        ${fetched}
    }
    for (int l = 0; l < ${block}; l++) {
        const I i${l} = x + l < end ? x + l : end - 1; (void)i${l};
        ${lane_values ${block}}
        ${lane_stores ${block}}
    }
    const int count = end - x < ${block} ? (int)(end - x) : ${block};
    for (int l = 0; l < count; l++) {
        const I i${l} = x + l;
        ${stored}
    }
}

// A run of up to ${run} points along x, `count` of them, from `left` on; in each of G rows.
//@shape map_runs_cpu
const I left = (I)GND_GID(0) * ${run};
const int count = n${x} - left < ${run} ? (int)(n${x} - left) : ${run};
${if planes}
I f = (I)GND_GID(2);
${indices f, 0, ${y}}
${end}
${if rows}
const I top = (I)GND_GID(1) * G, bottom = n${y} - top < G ? n${y} : top + G;
for (I i${y} = top; i${y} < bottom; i${y}++) {
    ${points}
}
${else}
${points}
${end}

// The points of a run, one after the other.
//
//     near    blocks of 128 points go the way for near arguments first, and again where `bad` notes
//             one that is far
//     dear    there are elementary functions
//     wide    lanes of these: gnd_wide of that suffix
//@shape map_run_points
${words_declare}
${words_fill ${x}, left, count}
${if near}
for (int l0 = 0; l0 < count; l0 += 128) {
    const int l1 = count - l0 < 128 ? count : l0 + 128;
    int bad = 0;
    gnd_wide_${wide}
    ${near_loop l0, l1}
    if (bad) {
        ${loop l0, l1}
    }
}
${else}
${if dear}
gnd_wide_${wide}
${end}
${loop 0, count}
${end}

//@shape map_run_cpu
for (int l = ${from}; l < ${to}; l++) {
    const I i${x} = left + l;
    ${values}
    ${stores}
}

// The points of a run in parts in which no condition changes.
//
//     conditions    the conditions and shifts of the part that begins at x0
//     borders       its end: the least place at which one of them changes
//     ways          the shapes map_boxes_way, one inside the other
//@shape map_boxes_cpu
const I end = left + count;
for (I x0 = left, part_; x0 < end; x0 = part_) {
    const I i${x} = x0;
    I stop = end;
    ${conditions}
    ${borders}
    part_ = stop;
    ${ways}
}

// A loop for a combination of conditions that most points have, without evaluating them; or else
// the next one.
//@shape map_boxes_way
if (${holds}) {
    ${loop}
} else {
    ${otherwise}
}

//@shape map_boxes_loop
for (I i${x} = x0; i${x} < stop; i${x}++) {
    ${values}
    ${stores}
}

// Where a condition changes, in a step of `stride` along x.
//@shape map_boxes_border
stop = gnd_border_${index}(${place}, ${stride}, e${i}, x0, stop);

// The array of the random words of instruction ${i}, in `room` elements, and where they begin.
//@shape words_declare
g_u${bits} za${i}[${room}];
const g_u${bits} *z${i};

// The words of `count` points along an axis from `first` on. The position of a point in the stream
// is ${offset} and the address of access ${at}.
//
//     prepared    the words are processed before they are used
//@shape words_fill
{
    const I i${axis} = ${first};
    const g_u64 at_ = (g_u64)(${offset}(g_i64)(${address ${at}}));
    z${i} = za${i} + gnd_words${bits}_u64(at_, ${count}, c${key}, za${i});
    ${if prepared}
    ${prepare};
    ${end}
}
