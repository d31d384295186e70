/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/codegen.h - translates kernel IR to kernel text, with a description of its arguments and
 * its launch.
 *
 * The text depends on the structure of the kernel (operations, dtypes, which strides are 0, 1 or
 * other, number of axes, width of an index), but not on sizes: those are arguments. A reduction
 * split over several work-groups gives two kernels, with partial results between them.
 */
#ifndef GND_CODEGEN_CODEGEN_H
#define GND_CODEGEN_CODEGEN_H

#include "base/strbuf.h"
#include "base/table.h"
#include "base/tune.h"
#include "fuse/kir.h"

#define GND__GEN_ARGS 360

typedef enum gnd__akind {
    GND__A_BUF,     /* memory of access ref */
    GND__A_OFF,     /* int64: where access ref begins, in elements */
    GND__A_CONST,   /* constant ref */
    GND__A_INT,     /* value, as int32 or int64 (size bytes) */
    GND__A_PART,    /* partial results ref */
    GND__A_PARTOFF, /* int64: where partial results ref begin, in elements */
    GND__A_CHECK,   /* memory of the checks of indices */
    GND__A_CHECKID, /* int32: the number of the check of node ref */
    GND__A_NUMBER,  /* the value of argument `value` of launch ref (graph/launch.h) */
    GND__A_LOCAL    /* value bytes of local memory */
} gnd__akind;

/* Where a parameter points to. */
typedef enum gnd__space { GND__VALUE, GND__GLOBAL, GND__CONST_GLOBAL } gnd__space;

/* A parameter of a kernel. type: of the value, or of what it points to; "I" is the kernel's index
 * type. */
typedef struct gnd__gparam {
    const char *type; /* static */
    uint8_t space;    /* gnd__space */
    uint8_t size;     /* bytes of the argument; 0 for buffers */
    char name[22];
} gnd__gparam;

typedef struct gnd__garg {
    uint8_t kind;  /* gnd__akind */
    uint8_t piece; /* the IR to which ref belongs if one kernel has several */
    int32_t ref;
    int64_t value;
    gnd__gparam p;
} gnd__garg;

/* An array in the local memory of a group. */
typedef struct gnd__gshared {
    const char *type; /* static */
    char name[12];
    int count, esize; /* elements, and bytes of each */
} gnd__gshared;

typedef struct gnd__gkernel {
    const char *name;
    gnd__str src; /* prelude and kernel */
    int wide;     /* I is g_i64, else g_i32 */
    int nargs;
    gnd__garg arg[GND__GEN_ARGS];
    int nshared;
    gnd__gshared shared[GND__KIR_ACCESS];
    /* position of its statements in src, behind the arrays in local memory */
    size_t body, body_len;
    int ndim;
    size_t global[3], local[3];
} gnd__gkernel;

/* The parts of a generated kernel, for embedding it into another text: one allocation, freed with
 * gnd__free. */
typedef struct gnd__form {
    int wide;
    int nparam, nshared;
    size_t body, body_len; /* in its source */
    size_t local;          /* bytes of local memory, each array aligned to 16 */
    gnd__gshared *shared;
    gnd__gparam *param;
} gnd__form;

/* NULL: out of memory. */
gnd__form *gnd__form_new(const gnd__gkernel *k);
/* The bytes of local memory that s takes as one of several arrays. */
size_t gnd__shared_bytes(const gnd__gshared *s);
/* Appends the declaration of p, with `prefix` before its name. index: the name for "I". promise:
 * declare that nothing else points to the same memory. */
void gnd__param_text(gnd__str *out, const gnd__gparam *p, const char *index, const char *prefix,
                     int promise);

typedef struct gnd__gen {
    int nkernel; /* 1 or 2 */
    gnd__gkernel k[2];
    int npart; /* number of arrays of partial results, with dtype and number
                  of elements each */
    int16_t part_dtype[2 * GND__KIR_RED];
    int64_t part_count;
} gnd__gen;

/* The form of kernels: the best one differs between GPUs and CPUs. */
typedef struct gnd__target {
    const gnd_props *props;
    int cpu;
    int waits; /* whether groups may wait for groups that started before them */
    const gnd__tune *tune;
    int capability; /* NVIDIA's compute capability: 10 * major + minor; 0: another device */
    /* preludes of the kernels of one plan (gnd__prelude_kept); NULL: none are kept */
    gnd__table *preludes;
} gnd__target;

/* The form for a device with the tuned parameters tune (base/tune.def): by its kind, unless
 * GND_KERNEL_SHAPE is cpu, gpu or gpu-apart. */
gnd__target gnd__target_of(const gnd_props *props, const gnd__tune *tune);
/* Whether kernels in the form for GPUs may use tensor cores by PTX (kernels/cores.cl). */
int gnd__has_cores(const gnd__target *t);

/* Writes the kernels of k, whose axes are merged and which has at least one point. Errors:
 * GND_ERR_NOMEM, GND_ERR_INTERNAL. The caller frees them with gnd__gen_free, also after errors. */
gnd_status gnd__codegen(const gnd__kir *k, const gnd__target *t, gnd__gen *out, gnd_err *e);
void gnd__gen_free(gnd__gen *g);
/* Writes n independent maps (at most GND__GEN_PIECES, each with points) as one kernel. *done is 0
 * if they cannot be combined; then nothing is written. */
#define GND__GEN_PIECES 8
gnd_status gnd__codegen_pieces(const gnd__kir *const *k, int n, const gnd__target *t, gnd__gen *out,
                               int *done, gnd_err *e);
/* Whether the rows of k (k->rows, axes not merged) fit into the registers of a group. */
int gnd__codegen_rows_fit(const gnd__kir *k, const gnd__target *t);

/* Whether a CPU's kernel of k, a reduction (axes merged) without random numbers, goes along rows;
 * *most: how many groups of lanes it takes at once (kernels/reduce_cpu.cl); *chunk: the elements of
 * a part of a row, 0: rows are not divided. */
int gnd__codegen_by_rows(const gnd__kir *k, int *most, int64_t *chunk);
/* Whether it goes down columns; *chunk: the elements of a part of a column. */
int gnd__codegen_by_columns(const gnd__kir *k, int64_t *chunk);

/* Whether k (axes not merged), which has conditions on indices, costs less than storing the
 * assemblies. */
int gnd__codegen_boxes_fit(const gnd__kir *k, const gnd__target *t);
/* Whether the text of k may compute a block of points again, from inputs that it reads again, after
 * it has written their results. */
int gnd__codegen_again(const gnd__kir *k, const gnd__target *t);

/* An expression as a function for a primitive's kernel, with the kernel parameters that it needs.
 * The index is flat, in C order of the expression's shape. */
typedef struct gnd__inl {
    gnd_dtype dtype; /* of the value */
    int wide;        /* its index type I is g_i64, else g_i32 */
    gnd__str params; /* of the kernel: ",\n    const float *x_b0, const g_i64 x_o0" */
    gnd__str text;   /* typedef, function x_at(I f, ...) and macro IN_x(i) */
    int nargs;
    gnd__garg *arg;
    int64_t rd; /* bytes that it reads */
    int plain;  /* a load along one axis, and casts: needs few registers */
    int dear;   /* takes so many instructions that a kernel should have few copies of it */
} gnd__inl;

/* Writes k (axes not merged; one value, nothing stored) as function `name`. The caller frees it
 * with gnd__inl_free, also after errors. */
gnd_status gnd__codegen_inline(gnd__kir *k, const gnd__target *t, const char *name, gnd__inl *out,
                               gnd_err *e);
void gnd__inl_free(gnd__inl *i);

#endif
