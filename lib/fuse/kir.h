/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/kir.h - the kernel IR: what one fused kernel computes, before it becomes text.
 *
 * A kernel runs over an iteration space: kept axes first, then reduced ones (none for a map). Its
 * body is a list of instructions in SSA order; each gives one value per point of the space. A map
 * stores values. A reduction folds values over the reduced axes; its epilogue instructions, one
 * value per point of the kept axes, process the results before they are stored. With rows, values
 * of points may use results too (x / sum(x)), and an output without `epilogue` has one value per
 * point. An access gives the location of a point's element: off + sum(stride[d] * i[d]) in elements
 * of a slot. Slots are numbers that sched binds to memory. Conditions on indices (WITHIN) select
 * the box of an assembly that contains a point; only maps have them.
 */
#ifndef GND_FUSE_KIR_H
#define GND_FUSE_KIR_H

#include "base/shape.h"
#include "base/strbuf.h"
#include "graph/snippet.h"

/* The number of points of the last axis from which a CPU kernel with conditions or divided axes is
 * worthwhile. */
#define GND__CPU_ROW 48
#define GND__KIR_INSTR 256
#define GND__KIR_ACCESS 40
#define GND__KIR_OUT 8
#define GND__KIR_RED 4
#define GND__KIR_CONST 64
#define GND__KIR_FNS 16

typedef enum gnd__ikind {
    GND__I_LOAD,   /* access ref */
    GND__I_IOTA,   /* the access's address itself, as int64 (slot -1) */
    GND__I_CONST,  /* constant ref */
    GND__I_OP,     /* op of a[0..2] */
    GND__I_CAST,   /* a[0] as dtype */
    GND__I_GATHER, /* access ref, plus a[0] (int64), where condition a[1] holds (-1: everywhere);
                      else 0 */
    GND__I_RED,    /* the result of reduction ref (in the epilogue, or with rows after it) */
    GND__I_OFFSET, /* int64: a[0] * step, plus a[1] unless that is -1 */
    GND__I_CHECK,  /* int64: index a[0] of an axis of step elements; ref: the graph's node */
    GND__I_WITHIN, /* bool: whether the address of access ref (slot -1), plus shift a[0], is at
                      least 0 and below step, and condition a[1] holds; either may be -1: none */
    GND__I_SHIFT,  /* an index: step where condition a[0] holds, else 0; plus shift a[1] unless that
                      is -1 */
    GND__I_PIECE,  /* access ref, plus shift a[1] unless that is -1, where condition a[0] holds (-1:
                      everywhere). Elsewhere nothing is read, and the value is 0 */
    GND__I_CHOOSE, /* a[1] where condition a[0] holds, else a[2] */
    GND__I_CALL,   /* output op of function ref (gnd__kir.fn) of as many a[] as it has arguments */
    GND__I_POINTER /* of a call's argument: where the memory of access ref begins. No value by
                      itself */
} gnd__ikind;

typedef struct gnd__instr {
    uint8_t kind; /* gnd__ikind */
    uint8_t epilogue;
    int16_t op;    /* gnd__op of GND__I_OP; GND__I_CALL */
    int16_t dtype; /* of the value */
    int16_t ctype; /* GND__I_OP: the compute dtype (that of the arguments) */
    int16_t a[GND__CALL_ARGS];
    int32_t ref;
    int64_t step; /* GND__I_OFFSET, GND__I_CHECK, GND__I_WITHIN, GND__I_SHIFT */
} gnd__instr;

typedef struct gnd__access {
    int32_t slot;     /* -1 for iota */
    int16_t dtype;    /* of the elements in memory */
    uint8_t epilogue; /* kept axes only */
    uint8_t aligned;  /* the slot's own offset and off are multiples of 16 bytes */
    int64_t off;      /* added to the slot's own offset */
    int64_t stride[GND_MAX_NDIM];
} gnd__access;

typedef struct gnd__kred {
    int16_t op, value;
    int16_t in, out;        /* dtypes */
    const gnd__snippet *fn; /* of GND__FOLD; else NULL */
} gnd__kred;
typedef struct gnd__kout {
    int16_t value;
    int16_t access;
} gnd__kout; /* access -1: not stored */

typedef struct gnd__kir {
    int nkeep, nred; /* axes: nkeep kept ones, then nred reduced ones */
    int reduce;      /* 1: a reduction, even over no axis */
    int rows;        /* 1: values of points use results of reductions, and are stored */
    int64_t dim[GND_MAX_NDIM];
    int ninstr, naccess, nout, nreds, nconst;
    gnd__instr instr[GND__KIR_INSTR];
    gnd__access access[GND__KIR_ACCESS];
    gnd__kout out[GND__KIR_OUT];
    gnd__kred red[GND__KIR_RED];
    int32_t constant[GND__KIR_CONST]; /* the graph's constants, by pnode */
    int16_t const_dtype[GND__KIR_CONST];
    int nfn;
    const gnd__snippet *fn[GND__KIR_FNS]; /* of calls and reductions; the graph holds them */
    char label[160]; /* names of the fused operations, for explain: "multiply add sum" */
} gnd__kir;

/* The number of points of the kept axes, and of the reduced axes. */
int64_t gnd__kir_kept(const gnd__kir *k);
int64_t gnd__kir_reduced(const gnd__kir *k);
/* Whether k has conditions on indices. */
int gnd__kir_has_boxes(const gnd__kir *k);
/* Whether indices, or a call that gets its pointer, choose what is read of access a. */
int gnd__kir_is_indexed(const gnd__kir *k, int a);
/* How many of an instruction's a[] are values. A value of -1 is absent. */
int gnd__kir_nargs(const gnd__kir *k, const gnd__instr *in);
/* A function of k with a preceding text, which is the same for all functions that have one; NULL if
 * none has. */
const gnd__snippet *gnd__kir_before(const gnd__kir *k);
/* Drops axes of extent 1, orders reduced axes by stride (unless an index is needed), and merges
 * adjacent axes that every access treats as one. */
void gnd__kir_collapse(gnd__kir *k);
/* Elements of 16-bit floats that k only moves become uint16, with all their bits (moves.c). */
void gnd__kir_moves(gnd__kir *k);
/* Checks that k is well-formed (SSA order, dtypes, ranges): GND_ERR_INTERNAL says what is wrong. */
gnd_status gnd__kir_verify(const gnd__kir *k, gnd_err *e);
/* The bytes that one run reads and writes; each access counts every element that it touches
 * once. */
void gnd__kir_bytes(const gnd__kir *k, int64_t *rd, int64_t *wr);
/* An access that the only output of k may overwrite: every point reads the element that it writes,
 * before it writes it, and no point reads another one of that slot. -1: there is none. */
int gnd__kir_over(const gnd__kir *k);
/* An estimate of the arithmetic: the cost of the instructions at all points, in units of an
 * addition. */
int64_t gnd__kir_work(const gnd__kir *k);

#endif
