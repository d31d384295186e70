/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/prim.h - primitives: computations that no fused kernel can do (scans, sorts, scatters). A
 * primitive is a node with parameters (graph.h: GND__PRIM) and a function that writes its kernels
 * as a program. sched gives the program memory and makes it part of a plan. Programs are data:
 * nothing is launched here.
 *
 * A kernel's text is a section `@text NAME` of kernels/, which becomes the kernel's body. Its
 * parameters, by the names given to gnd__pk_in, gnd__pk_mem and gnd__pk_int, are generated: IN_x(i)
 * is element i (g_i64, C order) of input x as a value, whether x is memory or an expression; a
 * memory parameter y is a pointer to elements in memory (gnd_ld_$t(y, i), gnd_st_$t(y, i, v)).
 */
#ifndef GND_PRIM_PRIM_H
#define GND_PRIM_PRIM_H

#include "codegen/codegen.h"
#include "host/native.h"
#include "host/panel.h"

typedef enum gnd__prim_id {
#define GND_PRIM(ID, name, write) GND__PRIM_##ID,
#include "prim/prims.def"
#undef GND_PRIM
    GND__NPRIM
} gnd__prim_id;

/* The most elements of an input. It keeps sizes of scratch memory and numbers of groups, which are
 * small multiples of it, within 64 bits. The result must fit into a buffer (sched/plan.c). */
#define GND__PRIM_MOST ((int64_t)1 << 48)

enum { GND__PK_ARGS = 40, GND__PROG_SCRATCH = 16 };

/* The kinds of arguments of a program's kernel. */
typedef enum gnd__pakind {
    GND__PA_IN,
    GND__PA_INOFF, /* input ref, which is memory: its memory, its offset */
    GND__PA_OUT,
    GND__PA_OUTOFF,
    GND__PA_SCRATCH,
    GND__PA_SCRATCHOFF,
    GND__PA_INL,    /* argument number value of expression ref */
    GND__PA_INT,    /* an int64 */
    GND__PA_CHECK,  /* the table of checks, */
    GND__PA_CHECKID /* and the entry of this primitive (sched/check.h) */
} gnd__pakind;

typedef struct gnd__parg {
    uint8_t kind;  /* gnd__pakind */
    uint8_t esize; /* offsets: bytes of an element */
    int32_t ref;
    int64_t value;
} gnd__parg;

/* A library call in place of a kernel. */
typedef enum gnd__pcall {
    GND__PC_NONE,
    GND__PC_FFT,
    GND__PC_SOLVE,
    GND__PC_GEMM,
    GND__PC_PANEL,
    GND__PC_COPY /* of an input of mode COPY: one launch */
} gnd__pcall;

/* An operand: GND__PA_IN, GND__PA_OUT or GND__PA_SCRATCH, with its number, from byte `off` on. */
typedef struct gnd__pmem {
    gnd__pakind kind;
    int ref;
    int64_t off;
} gnd__pmem;

typedef struct gnd__pkernel {
    gnd__native native;      /* what the host may compute instead; by default nothing */
    gnd__pmem native_mem[2]; /* its input, which may be an expression, and its result */
    gnd__pcall call;         /* not NONE: arg[] are its operands' memory and offsets, in pairs */
    gnd_fft_desc fft;
    gnd_solve_desc solve;
    gnd_gemm gemm;
    gnd__panel panel;
    uint8_t on_host; /* SOLVE: LAPACK computes it */
    uint8_t later;   /* SOLVE: the last operand is memory for the verdict */
    int64_t room; /* COPY: elements from one matrix of the copy to the next; 0: as many as it has */
    const char *name;
    gnd__str head, defs, body; /* parameters, functions and macros, text */
    gnd__str src;              /* the whole text, once the kernel has ended */
    int nargs, caparg;
    gnd__parg *arg;
    int ndim, resident;
    size_t global[3], local[3];
    int64_t rd, wr;
} gnd__pkernel;

/* An input: an expression, or memory if inl is NULL: contiguous, except of mode COPY. */
typedef struct gnd__pin {
    gnd_dtype dtype;
    int ndim;
    const int64_t *dim;
    int64_t size;
    const gnd__inl *inl;
    int mem; /* whether it is in memory in C order, so that GND__PA_IN of a library call may refer
                to it, and kernels may read it if it is of mode COPY */
} gnd__pin;

typedef struct gnd__prog {
    const gnd__target *t;
    const gnd__primargs *args;
    /* the result */
    gnd_dtype dtype;
    int ndim;
    const int64_t *dim;
    int64_t size;
    int nin;
    gnd__pin in[GND__PRIM_INS];
    struct gnd__gdev *dev; /* for queries about its libraries */
    /* written by the primitive */
    int nscratch;
    size_t scratch[GND__PROG_SCRATCH]; /* bytes */
    int nkernel, capkernel;
    gnd__pkernel *k;
    gnd__native native; /* what the host may compute from the inputs instead of all kernels */
    gnd_err *e;
    gnd_status st; /* the first failure; after it every function below does nothing */
} gnd__prog;

typedef struct gnd__prim {
    const char *name;
    void (*write)(gnd__prog *p);
} gnd__prim;

extern const gnd__prim gnd__prims[GND__NPRIM];
#define GND_PRIM(ID, name, write) void write(gnd__prog *p);
#include "prim/prims.def"
#undef GND_PRIM

/* --- writing a program (prim/prog.c) ---------------------------------------------------------- */
/* Allocates that many bytes of uninitialised scratch memory. Returns its number. */
int gnd__prog_scratch(gnd__prog *p, int64_t nbytes);
/* Begins a kernel. The functions below add to the kernel begun last. */
void gnd__pk_begin(gnd__prog *p, const char *name);
/* Adds input `in` under that name. */
void gnd__pk_in(gnd__prog *p, const char *name, int in);
/* Adds the result as a pointer to its elements; adds scratch memory as a pointer to elements of
 * dtype t. */
void gnd__pk_out(gnd__prog *p, const char *name);
void gnd__pk_mem(gnd__prog *p, const char *name, int scratch, gnd_dtype t);
/* Adds scratch memory or the result, in elements of the result's dtype, and as a parameter `begin`
 * the number of its element where m begins. */
void gnd__pk_operand(gnd__prog *p, const char *name, const char *begin, gnd__pmem m);
/* Adds a parameter const g_i64 name. */
void gnd__pk_int(gnd__prog *p, const char *name, int64_t value);
/* Adds a pointer to the four words (int32) of the primitive's check. They are 0 at first. If the
 * first is not 0 when somebody reads the result, that is an error: gnd__prim_verdict. */
void gnd__pk_check(gnd__prog *p, const char *name);
/* Add text before the kernel: formatted like printf (macros), or the section `text` of kernels/, a
 * template of dtype t. The third adds such a section as the kernel's body. */
void gnd__pk_def(gnd__prog *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gnd__pk_defs(gnd__prog *p, const char *text, gnd_dtype t);
void gnd__pk_body(gnd__prog *p, const char *text, gnd_dtype t);
/* Defines UNROLL and UNROLL4, before loops that are unrolled on GPUs. CPUs have these kernels in
 * tests only, where unrolling would slow compilation. */
void gnd__pk_unroll(gnd__prog *p);
/* Adds text to the body as it is. */
void gnd__pk_add(gnd__prog *p, const char *text);
/* What the host may compute in place of this kernel alone. */
void gnd__pk_native(gnd__prog *p, const gnd__native *w, gnd__pmem in, gnd__pmem out);
/* Asks for that many groups of the kernel per multiprocessor at once. In CUDA this limits the
 * registers. */
void gnd__pk_resident(gnd__prog *p, int groups);
/* Ends the kernel: `groups` groups of `local` work-items along up to three axes (missing ones: 1).
 * rd, wr: bytes read and written, for explain. */
void gnd__pk_end(gnd__prog *p, const size_t groups[3], const size_t local[3], int64_t rd,
                 int64_t wr);
/* The same along one axis. */
void gnd__pk_end1(gnd__prog *p, int64_t groups, size_t local, int64_t rd, int64_t wr);
/* Adds a kernel that sets n elements of scratch memory (scratch >= 0) or of the result (-1) to the
 * value with that text ("0"). */
void gnd__prog_fill(gnd__prog *p, int scratch, gnd_dtype t, int64_t n, const char *value);
/* Adds a library call: f or s without buffers and offsets (its offsets are added to the beginnings
 * of the operands). A solver call that the backend does not support is marked for LAPACK on the
 * host (host/solve.h). The third call leaves each matrix's info in scratch memory `info` (int32),
 * if gnd__gate_solves_later. */
void gnd__prog_fft(gnd__prog *p, const gnd_fft_desc *f, gnd__pmem in, gnd__pmem out);
void gnd__prog_solve(gnd__prog *p, const gnd_solve_desc *s, int n, const gnd__pmem *mem);
void gnd__prog_solve_later(gnd__prog *p, const gnd_solve_desc *s, int n, const gnd__pmem *mem,
                           int info);
/* Adds the copy, in C order, of an input of mode COPY. room: elements from one matrix (the last two
 * axes) of the copy to the next; 0: as many as the matrix has. */
void gnd__prog_copy(gnd__prog *p, int in, gnd__pmem to, int64_t room);
/* Add a product of a, b and c that the backend supports (gnd__gate_gemm_supports), and the host's
 * work on a panel. */
void gnd__prog_gemm(gnd__prog *p, const gnd_gemm *g, const gnd__pmem mem[3]);
void gnd__prog_panel(gnd__prog *p, const gnd__panel *s, int n, const gnd__pmem *mem);
/* Adds a product by our own kernels (gnd__gemm_own). *parts: scratch memory for parts of sums,
 * which all products of a program share; -1 before the first. */
void gnd__prog_product(gnd__prog *p, const gnd_gemm *g, const gnd__pmem mem[3], int *parts);
/* The bytes read by the expression of input `in`, or the bytes of its memory. */
int64_t gnd__prog_reads(const gnd__prog *p, int in);
/* A group size for this device: `want` (a power of two), or the largest possible if that is
 * less. */
size_t gnd__prog_group(const gnd__prog *p, size_t want);
/* Fails: sets the reason why the primitive cannot be computed. */
void gnd__prog_fail(gnd__prog *p, gnd_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void gnd__prog_free(gnd__prog *p);

/* --- after it has run ------------------------------------------------------------------------- */
/* The error that the words of a check of a primitive with these parameters mean; the first is not
 * 0. */
gnd_status gnd__prim_verdict(const gnd__primargs *a, const int32_t word[4], gnd_err *e);

#endif
