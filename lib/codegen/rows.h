/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/rows.h - declarations shared by the kernels of rows for GPUs and for CPUs: stages, and
 * what each needs.
 *
 * A stage computes, for each element of a row, the inputs of its reductions, and starts when the
 * results that it uses are available. After the last one come the outputs with a value for each
 * element.
 */
#ifndef GND_CODEGEN_ROWS_H
#define GND_CODEGEN_ROWS_H

#include "codegen/emit.h"

#define GND__ROWS_DEAR 16 /* cost from which on a value is kept for later stages */

typedef struct gnd__rows {
    int vec, nvec, lanes,
        local;           /* elements of a vector, vectors of a work-item, its row's work-items */
    int full;            /* a row is exactly what its work-items hold */
    int sure;            /* vectors of each work-item that lie within the row */
    int nstage, current; /* stages, and the one being written */
    int stage[GND__KIR_RED];      /* of each reduction */
    uint8_t kept[GND__KIR_INSTR]; /* values that an array holds for later stages */
    uint8_t pick[GND__KIR_INSTR]; /* gnd__pick, for the stage being written */
    uint8_t done[GND__KIR_INSTR]; /* values of a whole row that are declared before its elements */
} gnd__rows;

/* Returns 1 if instruction i is a load with a different value for each element of a row. */
int gnd__rows_is_run(const gnd__kir *k, int i);
/* Fills in w->nstage and w->stage. */
void gnd__rows_stages(const gnd__kir *k, gnd__rows *w);
/* Sets need[i] to whether stage s (w->nstage: the outputs) needs instruction i. Values in there[]
 * need nothing else; with `all`, everything back to the loads is needed. */
void gnd__rows_needed(const gnd__kir *k, const gnd__rows *w, int s, int all, const uint8_t *there,
                      uint8_t *need);
/* Fills in w->kept: expensive values that two stages need, and with `loads` the loads along the row
 * that the first stage or two stages need (the others are made where they are used). */
void gnd__rows_kept(const gnd__kir *k, gnd__rows *w, int loads);
/* What an element of a row costs, all stages together: about the number of machine instructions. */
int gnd__rows_work(const gnd__kir *k);
/* Makes only the reductions of stage s active (gnd__part). */
void gnd__rows_only(gnd__cg *c, const gnd__rows *w, int s);

/* Blocks: the rows of a group in local memory (rows_stage.c). Marks in block[] the accesses whose
 * rows may be such a block, and returns the bytes of an element of all of them together; 0: there
 * is none, or vectors of `vec` elements are as fast. */
int gnd__rows_blocks(const gnd__kir *k, int vec, uint8_t *block);
/* The cost of reading and writing a row there, for rows_gpu.c. */
int64_t gnd__rows_block_cost(const gnd__kir *k, const uint8_t *block, int lanes, int nvec);
/* The work-items of a group, at most `most`, whose rows of so many elements fit; 0: there is no
 * such group. */
int gnd__rows_block_group(const gnd__target *t, int lanes, int elements, int bytes, int most);
/* The following are for the accesses marked in c->vector.block. Adds their blocks to local
 * memory; declares a work-item's own row, h, of each; moves the inputs' or the outputs' blocks. */
void gnd__rows_block_arrays(gnd__cg *c, const gnd__rows *w);
void gnd__rows_block_rows(gnd__cg *c);
void gnd__rows_block_moves(gnd__cg *c, const gnd__rows *w, int outputs);

/* Bits: the outputs with a value for each element of a row. */
unsigned gnd__rows_points(const gnd__kir *k);
/* Sets w->pick: how each instruction gets its value in the current stage. The stage needs need[],
 * and there[] is in arrays. */
void gnd__rows_pick(const gnd__kir *k, gnd__rows *w, const uint8_t *need, const uint8_t *there);
/* Declares, before the loops over elements, what the stage needs and what is the same for a whole
 * row (sqrt(variance)): compilers leave a function with branches inside a loop. Later calls of
 * gnd__rows_pick pass over it. */
void gnd__rows_whole(gnd__cg *c, gnd__rows *w, const uint8_t *need);
/* Adds to there[] what the stage has saved. */
void gnd__rows_saved(const gnd__kir *k, const gnd__rows *w, uint8_t *there);
/* Declares the arrays w of values kept, of `count` elements. */
void gnd__rows_arrays(gnd__cg *c, const gnd__rows *w, int count);
/* Declares what the outputs that have one value for a row load, which does not wait for results. */
void gnd__rows_output_loads(gnd__cg *c);
/* Writes these outputs, after gnd__rows_output_loads; points: the others. */
void gnd__rows_outputs(gnd__cg *c, unsigned points);
/* Writes the values of the current stage, of element e_. */
void gnd__rows_values(gnd__cg *c, const gnd__rows *w);

/* The form for CPUs (rows_cpu.c), and whether it suits k. */
gnd_status gnd__cg_rows_cpu(gnd__cg *c);
int gnd__rows_fit_cpu(const gnd__kir *k);

#endif
