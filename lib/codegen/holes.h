/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/holes.h - the holes that every shape of a generated kernel may have (codegen/shape.h),
 * beside those that its writer fills with numbers, texts and functions of its own.
 *
 *     ${values} ${results}       the values of a point, and those of the epilogue: vN, as constants
 *     ${stores}                  outputs from vN
 *     ${vector_loads 4} ${vector_stores 4}    vectors of 4 elements: the unions u of those accesses
 *     ${lane_values 4} ${lane_stores 4}       values and outputs of point l of them
 *     ${private_vectors 4}       u of those accesses, of 4 elements that lie nowhere else
 *     ${address 3}               the index of the point in access 3
 *     ${indices f, a, b}         the indices i of axes a .. b - 1, from the flat index f, destroyed
 *     ${rest_arrays} ${rest_keep l} ${rest_take l}   what reductions take (codegen/rest.c)
 *     ${words_declare} ${words_fill axis, first, count}    random words (codegen/words.c)
 *
 * Of accumulators, written NAME or NAME[i] (codegen/accum.c):
 *
 *     ${declare A} ${declare A[64]} ${init A[l]} ${finish A}
 *     ${step A[l], r}            takes the values of the point whose reduced index is r
 *     ${add A, B[l]}             A takes B with compensation
 *     ${fold A[l], A[l + w]}     the same plainly
 *     ${copy A, B[l]} ${keys K, A}
 *     ${tree K, lane, first, lanes}        over work-items, to lane 0; the others return
 *     ${tree_all K, lane, first, lanes}    over work-items, to all of them
 *     ${down A, B, n}            A is B of the work-item n further on in the warp
 *     ${head A, n}               A is that of the first of n work-items of a warp
 *     ${part_store A[l], at} ${part_load A, at}
 */
#ifndef GND_CODEGEN_HOLES_H
#define GND_CODEGEN_HOLES_H

#include "codegen/emit.h"
#include "codegen/shape.h"

/* Appends a shape to the statements of the kernel: n holes of the writer's own, whose functions
 * write for `who`, and those above. What is wrong is an error of the kernel's (c->e). */
void gnd__cg_shape(gnd__cg *c, const char *name, const gnd__hole *own, int n, void *who);
#define gnd__cg_shape_of(c, name, own, who)                                                        \
    gnd__cg_shape(c, name, own, (int)(sizeof(own) / sizeof *(own)), who)

/* A kernel for CPU devices whose work-items take runs of up to `run` points along the last axis
 * (there is one), which `points` writes. */
gnd_status gnd__cg_cpu_runs(gnd__cg *c, int run, void (*points)(void *who, const gnd__holeargs *a),
                            void *who);

#endif
