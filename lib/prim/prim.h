/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/prim.h - primitives: what no fused kernel can compute (scans, sorts, scatters). A primitive is a
 * node with parameters (graph.h: GND__PRIM) and a function that writes its kernels down: a program,
 * which sched gives memory and puts into a plan. Programs are data: nothing is launched here.
 *
 * A kernel's text is a section `@text NAME` of kernels/, between the braces of the kernel. Its
 * parameters, by the names given to gnd__pk_in, gnd__pk_mem, gnd__pk_int, are written for it:
 * IN_x(i) is element i (g_i64, C order) of input x as a value, whether x is memory or an expression; a
 * memory parameter y is a pointer to elements in memory (gnd_ld_$t(y, i), gnd_st_$t(y, i, v)).
 */
#ifndef GND_PRIM_PRIM_H
#define GND_PRIM_PRIM_H

#include "codegen/codegen.h"
#include "host/panel.h"

typedef enum gnd__prim_id {
#define GND_PRIM(ID, name, write) GND__PRIM_##ID,
#include "prim/prims.def"
#undef GND_PRIM
    GND__NPRIM
} gnd__prim_id;

/* An input has at most so many elements, so that sizes of scratch memory and counts of groups, which are small
 * multiples of it, stay within 64 bits. The result fits into a buffer (sched/plan.c). */
#define GND__PRIM_MOST ((int64_t)1 << 48)

enum { GND__PK_ARGS = 40, GND__PROG_SCRATCH = 16 };

/* What an argument of a program's kernel is. */
typedef enum gnd__pakind {
    GND__PA_IN, GND__PA_INOFF,         /* input ref, which is memory: its memory, its offset */
    GND__PA_OUT, GND__PA_OUTOFF,
    GND__PA_SCRATCH, GND__PA_SCRATCHOFF,
    GND__PA_INL,                       /* argument number value of expression ref */
    GND__PA_INT                        /* an int64 */
} gnd__pakind;

typedef struct gnd__parg {
    uint8_t kind;      /* gnd__pakind */
    uint8_t esize;     /* offsets: bytes of an element */
    int32_t ref;
    int64_t value;
} gnd__parg;

/* A library call in the place of a kernel. */
typedef enum gnd__pcall { GND__PC_NONE, GND__PC_FFT, GND__PC_SOLVE, GND__PC_GEMM, GND__PC_PANEL } gnd__pcall;

typedef struct gnd__pkernel {
    gnd__pcall call;           /* not NONE: arg[] are its operands' memory and offsets, in pairs */
    gnd_fft_desc fft;
    gnd_solve_desc solve;
    gnd_gemm gemm;
    gnd__panel panel;
    const char *name;
    gnd__str head, defs, body; /* parameters, functions and macros, text */
    gnd__str src;              /* all of it, once ended */
    int nargs, caparg;
    gnd__parg *arg;
    int ndim, resident;
    size_t global[3], local[3];
    int64_t rd, wr;
} gnd__pkernel;

/* An input: an expression, or contiguous memory when inl is NULL. */
typedef struct gnd__pin {
    gnd_dtype dtype;
    int ndim;
    const int64_t *dim;
    int64_t size;
    const gnd__inl *inl;
    int mem;           /* it also lies in memory, in C order: GND__PA_IN of a library call may be it */
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
    struct gnd__gdev *dev;     /* to ask what its libraries support */
    /* what the primitive writes */
    int nscratch;
    size_t scratch[GND__PROG_SCRATCH]; /* bytes */
    int nkernel, capkernel;
    gnd__pkernel *k;
    gnd_err *e;
    gnd_status st;     /* the first failure; every function below then does nothing */
} gnd__prog;

typedef struct gnd__prim {
    const char *name;
    void (*write)(gnd__prog *p);
} gnd__prim;

extern const gnd__prim gnd__prims[GND__NPRIM];
#define GND_PRIM(ID, name, write) void write(gnd__prog *p);
#include "prim/prims.def"
#undef GND_PRIM

/* --- writing a program (prim/prog.c) ------------------------------------------------------------ */
/* Scratch memory of so many bytes, contents not defined: its number. */
int gnd__prog_scratch(gnd__prog *p, int64_t nbytes);
/* Begins a kernel; the functions below add to the one begun last. */
void gnd__pk_begin(gnd__prog *p, const char *name);
/* Input `in` under that name. */
void gnd__pk_in(gnd__prog *p, const char *name, int in);
/* The result as a pointer to its elements; scratch as a pointer to elements of dtype t. */
void gnd__pk_out(gnd__prog *p, const char *name);
void gnd__pk_mem(gnd__prog *p, const char *name, int scratch, gnd_dtype t);
/* const g_i64 name. */
void gnd__pk_int(gnd__prog *p, const char *name, int64_t value);
/* Text before the kernel (macros), printf; and the section `text` of kernels/, a template of dtype t:
 * before the kernel, or as its body. */
void gnd__pk_def(gnd__prog *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gnd__pk_defs(gnd__prog *p, const char *text, gnd_dtype t);
void gnd__pk_body(gnd__prog *p, const char *text, gnd_dtype t);
/* Text of the body, as it is. */
void gnd__pk_add(gnd__prog *p, const char *text);
/* So many groups of the kernel shall run on a multiprocessor at once: bounds registers, in CUDA. */
void gnd__pk_resident(gnd__prog *p, int groups);
/* Ends the kernel: groups of `local` work-items, `groups` of them, along up to three axes (missing
 * ones: 1). bytes: read and written, for explain. */
void gnd__pk_end(gnd__prog *p, const size_t groups[3], const size_t local[3], int64_t rd, int64_t wr);
/* The same along one axis. */
void gnd__pk_end1(gnd__prog *p, int64_t groups, size_t local, int64_t rd, int64_t wr);
/* A kernel that sets n elements of scratch (scratch >= 0) or of the result (-1) to the value whose
 * text is given ("0"). */
void gnd__prog_fill(gnd__prog *p, int scratch, gnd_dtype t, int64_t n, const char *value);
/* A library call: f or s without buffers and offsets (those are added to where operands begin), the
 * operands in order as GND__PA_IN (memory), GND__PA_OUT or GND__PA_SCRATCH with their number, each at
 * an offset of `off` bytes within it. A call of the solver that the backend does not take goes to
 * LAPACK on the host (host/lapack.h). */
typedef struct gnd__pmem { gnd__pakind kind; int ref; int64_t off; } gnd__pmem;
void gnd__prog_fft(gnd__prog *p, const gnd_fft_desc *f, gnd__pmem in, gnd__pmem out);
void gnd__prog_solve(gnd__prog *p, const gnd_solve_desc *s, int n, const gnd__pmem *mem);
/* A product that the backend takes (gnd__gate_gemm_supports), of a, b and c; and the host's work on a panel. */
void gnd__prog_gemm(gnd__prog *p, const gnd_gemm *g, const gnd__pmem mem[3]);
void gnd__prog_panel(gnd__prog *p, const gnd__panel *s, int n, const gnd__pmem *mem);
/* Bytes of input `in` that its expression reads, or of its memory. */
int64_t gnd__prog_reads(const gnd__prog *p, int in);
/* A group size for this device: `want` (a power of two), or the most it takes. */
size_t gnd__prog_group(const gnd__prog *p, size_t want);
/* Says why the primitive cannot be computed. */
void gnd__prog_fail(gnd__prog *p, gnd_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void gnd__prog_free(gnd__prog *p);

#endif
