/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/points.h - small elementwise computations and reductions on the calling thread, in memory
 * that host and device share: a list of loops (host/exact.h), each over a block of points. The
 * results have the same bits as those of the device's kernel.
 */
#ifndef GND_HOST_POINTS_H
#define GND_HOST_POINTS_H

#include "host/exact.h"

enum {
    GND__POINTS_VALUES = 48,
    GND__POINTS_ACCESS = 16,
    GND__POINTS_AXES = 4,
    GND__POINTS_FOLDS = 4,
    GND__POINTS_CHECKS = 4,
    GND__POINTS_BYTES = 8,   /* of an element, at most */
    GND__POINTS_BLOCK = 128, /* points of a block, at least, and at most */
    GND__POINTS_LARGE = 1024,
    GND__POINTS_BOXES = 16 /* into which a space is divided, at most */
};

typedef enum gnd__pvkind {
    GND__PV_LOAD,  /* the element of access ref */
    GND__PV_CONST, /* constant ref */
    GND__PV_IOTA,  /* int64: the address of access ref itself, in elements */
    GND__PV_LOOP,  /* loop of a[0..2]; -1: no such argument */
    GND__PV_SAME,  /* a[0] */
    GND__PV_FOLD,  /* the result of fold ref, after the row */
    /* int64 indices: p is a number of the value, a[] are values, of which -1 is absent */
    GND__PV_OFFSET, /* a[0] * p + a[1] */
    GND__PV_CHECK,  /* index a[0] of an axis of p elements; bad ones are noted in check ref */
    GND__PV_SHIFT,  /* p where a[0] is true, else 0; plus a[1] */
    GND__PV_WITHIN, /* bool: whether the address of access ref plus a[0] is in 0 .. p - 1, and a[1]
                     */
    GND__PV_TAKE,   /* the element of access ref and a[0] behind it, where a[1] is true; else 0 */
    GND__PV_CHOOSE  /* a[1] where a[0] is true, else a[2] */
} gnd__pvkind;

typedef struct gnd__pvalue {
    uint8_t kind;  /* gnd__pvkind */
    uint8_t size;  /* bytes of an element */
    uint8_t after; /* 1: one value for a row, from the results of folds and other such values */
    int16_t a[3];
    int16_t ref;
    /* set by gnd__points_ready: the output that a GND__PV_LOOP writes to, or -1; 1: rows have equal
     * values and fit a block, so that the first row has computed them; 1: equal along a row, and
     * computed for its first point alone */
    int16_t direct;
    uint8_t once, alone;
    uint8_t cost; /* of a GND__PV_LOOP: that of its operation (base/opset.def), 0 of a cast */
    int32_t room; /* where its block is, in bytes; also set by gnd__points_ready */
    int64_t p;
    gnd__loop *loop;
} gnd__pvalue;

/* The element of a point is at off + sum(stride[d] * i[d]), in elements; off matters without memory
 * only (GND__PV_IOTA). */
typedef struct gnd__paccess {
    uint8_t size;
    int64_t off, stride[GND__POINTS_AXES];
} gnd__paccess;

/* A reduction of a value along the last axis, or down columns. */
typedef struct gnd__pfold {
    int16_t value;
    uint8_t size;           /* bytes of an element */
    uint8_t unordered;      /* of ints: any order gives the same result */
    uint8_t compensated;    /* a sum of floats, which carries its rounding error along */
    gnd__place_loop *place; /* not NULL: the result is the place (int64) of an extreme */
    gnd__place_loop *join;  /* then, down columns: of such results */
    gnd__loop *op;
    gnd__run *run;   /* the same from element to element */
    gnd__run *lanes; /* the same on lanes, of floats */
    char identity[GND__POINTS_BYTES];
} gnd__pfold;

typedef struct gnd__points {
    int naxes, nvalue, naccess, nout, ncheck;
    int nfold; /* 0: a map; else outputs are values `after` the rows */
    /* nred > 0: folds go down columns. The last axis is that of the columns, the nred before it are
     * reduced, in parts of `chunk` elements. Else rows are folded in parts of `chunk` elements, a
     * multiple of 1024; 0: in one */
    int nred;
    int64_t chunk;
    int most; /* groups of 64 elements that a fold takes at once */
    /* one long row of bools (2), or the beginning of one (1): a result that is not the identity is
     * not changed by what follows */
    int peek;
    /* set by gnd__points_ready: every value is in the memory of an access: no blocks; the points of
     * a block; so many rows along the axis before the last are computed at once, 0: one by one.
     * With nred > 0 only places are computed so */
    int whole, block, group;
    int copies; /* set by it as well: 1: elements are moved, and nothing is computed */
    int64_t dim[GND__POINTS_AXES];
    gnd__pvalue value[GND__POINTS_VALUES]; /* each after those that it uses */
    gnd__paccess access[GND__POINTS_ACCESS];
    gnd__pfold fold[GND__POINTS_FOLDS];
    struct {
        int16_t value, access;
    } out[GND__POINTS_ACCESS];
} gnd__points;

/* A fold under way (fold.c). */
enum { GND__FOLD_LANES = GND__EXACT_LANES };
typedef struct gnd__folding {
    char lane[2][GND__FOLD_LANES * GND__POINTS_BYTES];
    int groups, parts;
    int64_t place, seen; /* of the extreme in sum; elements so far */
    struct gnd__partial {
        char sum[GND__POINTS_BYTES], error[GND__POINTS_BYTES];
    } now, all; /* of this part of a row, and of the parts before it */
} gnd__folding;
void gnd__fold_begin(const gnd__pfold *f, gnd__folding *s);
/* Takes the next n values: a multiple of GND__FOLD_LANES, except at the end of the row. */
void gnd__fold_take(const gnd__pfold *f, gnd__folding *s, const char *v, int64_t n, int most);
/* Ends a part of a row; gnd__fold_take begins the next one. */
void gnd__fold_part(const gnd__pfold *f, gnd__folding *s);
/* Writes the result to z. */
void gnd__fold_end(const gnd__pfold *f, gnd__folding *s, char *z);
/* All of these for a row of n values. */
void gnd__fold_row(const gnd__pfold *f, gnd__folding *s, const char *v, int64_t n, int most,
                   char *z);

/* z[i * to] = x[i * from], and z[i] = x[0], in elements of `size` bytes (1, 2, 4 or 8; move.c). */
void gnd__move(int size, char *z, int64_t to, const char *x, int64_t from, int64_t n);
void gnd__fill(int size, char *z, const char *x, int64_t n);
/* z[i * to[0] + j * to[1]] = x[i * from[0] + j * from[1]] for i below m and j below n. */
void gnd__move2(int size, char *z, const int64_t to[2], const char *x, const int64_t from[2],
                int64_t m, int64_t n);
/* The axis that its inner loop goes along: that of elements side by side, else the longer one. */
int gnd__inner_axis(const int64_t to[2], const int64_t from[2], int64_t m, int64_t n);

/* Completes p, of which everything else is set. */
void gnd__points_ready(gnd__points *p);
/* How long that takes, in eighths of a nanosecond, about. */
int64_t gnd__points_cost(const gnd__points *p);
/* Computes all rows; there is at least one. mem: of each access, where its element of index 0 is.
 * constant: the constants, GND__POINTS_BYTES each. check: of each check, its entry (as
 * gnd_checked_i64 in kernels/index.cl writes it). Outputs overlap nothing else. Returns 0 if
 * the beginning of a row (peek) decides nothing; then nothing is stored. */
int gnd__points_run(const gnd__points *p, char *const *mem, const char *constant,
                    int32_t *const *check);

/* A box of the space of points with conditions on indices, and what they are in it: without
 * conditions. */
typedef struct gnd__pbox {
    struct {
        int16_t from; /* the access of the whole */
        int64_t by;   /* elements behind its first one */
    } access[GND__POINTS_ACCESS];
    gnd__points p;
} gnd__pbox;
/* Divides p, which is complete, into at most GND__POINTS_BOXES boxes. Returns their number; 0: not
 * possible. */
int gnd__points_cut(const gnd__points *p, gnd__pbox *box);
/* Computes them, as gnd__points_run. */
void gnd__boxes_run(const gnd__pbox *box, int n, char *const *mem, const char *constant);

/* Values of kind GND__PV_OFFSET or after, of `rows` rows of n points. arg: the values a[]; at,
 * stride: in elements, the address of the first point and its steps, of rows and of points, of
 * access ref; mem: its memory there; entry: of a check. */
void gnd__points_index(const gnd__pvalue *v, void *z, const char *const arg[3], int64_t at,
                       const int64_t stride[2], const char *mem, int32_t *entry, int64_t rows,
                       int64_t n);

#endif
