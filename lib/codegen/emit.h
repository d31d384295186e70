/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/emit.h - the writer's state and functions shared by the writers of maps and reductions:
 * arguments, indices, bodies.
 *
 * Names in the text: pA the memory of access A, sA_D its stride along axis D, nD an extent, iD an
 * index, cK a constant, vN the value of instruction N, uA the vector of access A, I the index type.
 */
#ifndef GND_CODEGEN_EMIT_H
#define GND_CODEGEN_EMIT_H

#include "codegen/codegen.h"
#include "codegen/prelude.h"

#define GND__CG_DEAR 16 /* cost of an operation from which on vectors of it count */

/* How an instruction is handled: not at all, v is computed, taken from w[e_], or computed and
 * saved there. */
enum gnd__pick { GND__PICK_NOT, GND__PICK_COMPUTE, GND__PICK_TAKE, GND__PICK_SAVE };

/* Vectors, of several elements along one axis (codegen/vector.c). */
typedef struct gnd__vectors {
    int width;                       /* elements of one; 1: no vectors */
    uint8_t on[GND__KIR_ACCESS];     /* the accesses that use them: their elements are in u */
    uint8_t staged[GND__KIR_ACCESS]; /* those of them whose vectors are in local memory: vector hA
                                        of array LA */
    uint8_t block[GND__KIR_ACCESS];  /* accesses without vectors whose rows of the group are in
                                        local memory: a work-item's row is hA */
    int gathers;                     /* vectors read through an index are loaded at l == 0 */
} gnd__vectors;

/* Runs of points along an axis, on CPUs. */
typedef struct gnd__run {
    const char *word_at;           /* the point's position in arrays of random words, or NULL */
    uint8_t words[GND__KIR_INSTR]; /* instructions whose words are in arrays (codegen/words.c) */
    int near; /* 1: functions use their text for arguments near 0, and report others in `bad` */
} gnd__run;

/* Random numbers on GPUs (codegen/map_random.c). */
typedef struct gnd__draw {
    int tries; /* numbers that would be rejected set `bad` and are not drawn again */
    int sized; /* the compiler is told the size of a group, even if it is small */
    uint8_t twos[GND__KIR_INSTR]; /* computed in pairs, at even l, from words "fourN" */
} gnd__draw;

/* The part of the statements that is being written, if not all are. */
typedef struct gnd__part {
    const uint8_t *pick;  /* for each instruction, gnd__pick; NULL: all of the phase */
    int inside;           /* 1: conditions have the values in `holds`, and are not evaluated */
    const uint8_t *holds; /* value of each instruction that is a condition */
    unsigned skip_red, skip_out; /* bits: reductions and outputs that are inactive */
} gnd__part;

/* Accesses that are another one with a shift (codegen/near.c). */
typedef struct gnd__near {
    uint8_t of[GND__KIR_ACCESS];              /* 1 + the other access; 0: none */
    int8_t by[GND__KIR_ACCESS][GND_MAX_NDIM]; /* the shift along each axis */
} gnd__near;

/* One of several maps in one kernel. */
typedef struct gnd__piece {
    int number, count; /* 0 in all: the map is the only one */
    const char *gid;   /* name of the number of the work-item within the piece */
} gnd__piece;

/* The state of a writer. It sets the contexts that it uses and resets them; the holes of its shapes
 * see them (codegen/holes.h). */
typedef struct gnd__cg {
    const gnd__kir *k;
    const gnd__target *t;
    gnd__gen *out;
    gnd__gkernel *kern; /* the one being written */
    gnd__str body;      /* its statements */
    gnd_err *e;
    int wide;  /* indices need 64 bits */
    int bake;  /* strides as literals */
    int quick; /* indices are divided by multiplications: parameters m1, m2 ... beside n1, n2 ... */
    int counts; /* indices of points are known to be non-negative */
    int apart;  /* an address ends with the index of contiguous elements, added in 64 bits, so that
                   compilers know that it does not wrap */
    int keys;   /* accumulators of argmax and argmin are keys, if supported */
    gnd__vectors vector;
    gnd__run run;
    gnd__draw draw;
    gnd__part part;
    gnd__near near;
    gnd__piece piece;
} gnd__cg;

/* Begins to write k for t into out, which has no kernels yet. */
void gnd__cg_init(gnd__cg *c, const gnd__kir *k, const gnd__target *t, gnd__gen *out, gnd_err *e);
/* Whether an index or an address of k needs 64 bits. */
int gnd__cg_wide(const gnd__kir *k);
/* The same if no index counts kept and reduced axes together. */
int gnd__cg_wide_apart(const gnd__kir *k);
/* Whether its strides exceed the parameters of a kernel, so that they must be literals. */
int gnd__cg_must_bake(const gnd__kir *k, int wide);
/* Whether the stride of the access along axis d is a literal: all if c says so, and short ones
 * along the last axis on CPUs, of whose loads compilers make shuffles then. */
int gnd__cg_literal(const gnd__cg *c, int access, int d);
/* A group of `want` work-items (a power of two), or the most that the device allows. */
size_t gnd__cg_group(const gnd__cg *c, size_t want);
/* Begins kernel number n with that name. */
void gnd__cg_begin(gnd__cg *c, int n, const char *name);
/* Adds a parameter and the description of its argument: a value of `size` bytes, or memory (0
 * bytes). type is static. */
void gnd__cg_arg(gnd__cg *c, gnd__akind kind, int ref, int64_t value, gnd__space space, int size,
                 const char *type, const char *name, ...) __attribute__((format(printf, 8, 9)));
/* Adds an array of `count` elements to the group's local memory. type is static, of esize bytes. */
void gnd__cg_shared(gnd__cg *c, const char *type, int esize, int count, const char *name, ...)
    __attribute__((format(printf, 5, 6)));
/* An index-typed parameter. */
void gnd__cg_int(gnd__cg *c, const char *name, int64_t value);
/* Finds c->near. Called before gnd__cg_access_args. */
void gnd__cg_find_near(gnd__cg *c);
/* Parameters: memory, offsets and strides of the accesses of one phase (0 body, 1 epilogue, 2 both,
 * outputs with the epilogue of a reduction), the extents of axes [d0, d1), the constants. */
void gnd__cg_access_args(gnd__cg *c, int phase);
void gnd__cg_dim_args(gnd__cg *c, int d0, int d1);
void gnd__cg_const_args(gnd__cg *c, int phase);
/* Begins the kernel of a map, k_map, with everything that its points need. */
void gnd__cg_begin_map(gnd__cg *c);
/* Writes the index in "p3[...]": the sum over the axes, "0" if there is none. */
void gnd__cg_address(gnd__cg *c, int access);
/* Writes memory and index of an access, the arguments of gnd_ld and gnd_st: "p3, ..." */
void gnd__cg_element(gnd__cg *c, int access);
/* Writes the index to which condition i applies. */
void gnd__cg_place(gnd__cg *c, int i);
/* Declares i of axes [d0, d1) from the flat index named `flat`, which it destroys. */
void gnd__cg_unflatten(gnd__cg *c, const char *flat, int d0, int d1);
/* Declares the values of a phase's instructions. */
void gnd__cg_values(gnd__cg *c, int epilogue);
/* Stores the outputs (values of the current point). */
void gnd__cg_stores(gnd__cg *c);
/* Ends the kernel: joins prelude, parameters and statements to its source. */
gnd_status gnd__cg_end(gnd__cg *c, int ndim, const size_t *global, const size_t *local);
#define gnd__cgf(c, ...) gnd__str_addf(&(c)->body, __VA_ARGS__)

/* Whether an access belongs to the epilogue part (its own, or an output of a reduction). */
int gnd__cg_in_phase(const gnd__kir *k, int access, int phase);
/* Whether an output is stored there. */
int gnd__cg_is_output(const gnd__kir *k, int access);

/* --- vectors (codegen/vector.c) --------------------------------------------------------------- */
/* The widest vector along axis d that every access of the body allows (1, 2, 4, 8 or 16
 * elements): strides 0 or 1 there, 16-byte alignment, and an extent that is a multiple unless
 * tail is allowed. 1 if there are gathers, unless those are allowed and their indices stay the
 * same along d. */
int gnd__cg_vector_width(const gnd__kir *k, int d, int tail, int gathers);
/* Loads (declares) vector unions for vectorised accesses at the current indices. */
void gnd__cg_vector_loads(gnd__cg *c);
/* Stores the unions of vectorised outputs at the current indices. */
void gnd__cg_vector_stores(gnd__cg *c);
/* "uint4": the built-in type of that many bytes (1 to 16), which one load transfers. */
const char *gnd__cg_raw(size_t bytes);

/* --- shapes ----------------------------------------------------------------------------------- */
/* If operations of the body have a text for arguments near 0 (kernels/elementary.cl): their widest
 * compute dtype, else -1. */
int gnd__cg_near(const gnd__cg *c);

/* --- functions of the user's (codegen/calls.c) ------------------------------------------------ */
/* The text of the functions that k calls. */
void gnd__cg_snippets(const gnd__kir *k, gnd__str *out);
/* Writes call i: if it has several outputs and no equal call precedes it, variables for the outputs
 * and the statement; then its value. */
void gnd__cg_outputs(gnd__cg *c, int i);
void gnd__cg_call(gnd__cg *c, int i);

gnd_status gnd__cg_map(gnd__cg *c);
gnd_status gnd__cg_map_cpu(gnd__cg *c);
gnd_status gnd__cg_map_boxes(gnd__cg *c);
/* Declares u of each access of c->vector.on: n private elements of the work-item. */
void gnd__cg_private(gnd__cg *c, int n);
/* Whether k reads no memory and computes random numbers; and a writer of such a kernel along one
 * axis, by vectors of that many elements, whose parameters are already written
 * (codegen/map_random.c). */
int gnd__cg_is_generator(const gnd__kir *k);
gnd_status gnd__cg_map_random(gnd__cg *c, int vec, size_t local);
/* If inputs lie across the outputs, as in a transposition: the axis along which they are
 * contiguous in memory, else -1. Marks these inputs as vectorised (codegen/map_tile.c).
 * gnd__cg_map_tiles returns 1 if such a kernel was written, with *st; otherwise nothing is
 * marked or written. */
int gnd__cg_tile_axis(gnd__cg *c);
/* Whether the values of the end of a row are computed side by side first: see codegen/rest.c. */
int gnd__cg_rest_dear(const gnd__cg *c);
/* Whether there are elementary functions of real floats that kernels/ has for vectors. */
int gnd__cg_wide_floats(const gnd__cg *c);
/* What stands before a loop over values that are computed side by side: how many lanes the compiler
 * is to take, or nothing. light: all 64. */
const char *gnd__cg_abreast(const gnd__cg *c, int light);
/* Whether 64 lanes along axis `last` can be computed at once with what they hold in registers:
 * elements side by side in memory, and little arithmetic. */
int gnd__cg_light_lanes(const gnd__cg *c, int last);
/* Writes their arrays; that the value of a point is kept at `at`; and that it is taken there. */
typedef enum gnd__rest { GND__REST_ARRAYS, GND__REST_KEEP, GND__REST_TAKE } gnd__rest;
void gnd__cg_rest(gnd__cg *c, gnd__rest what, const char *at);
int gnd__cg_map_tiles(gnd__cg *c, gnd_status *st);
/* Writes c->k as a piece of a kernel for GPUs: parameters and text. *groups is the number of
 * groups of `local` work-items that it needs. gnd__cg_is_piece says whether that is possible. */
int gnd__cg_is_piece(gnd__cg *c);
void gnd__cg_map_piece(gnd__cg *c, size_t local, size_t *groups);
gnd_status gnd__cg_reduce_cpu(gnd__cg *c);
gnd_status gnd__cg_reduce_gpu(gnd__cg *c);
/* Returns 1 if tiles of results suit k; *st says whether they could be written
 * (codegen/reduce_tile.c). */
int gnd__cg_reduce_tile(gnd__cg *c, gnd_status *st);
/* Rows in registers: reductions along them and computations with their results
 * (codegen/rows_gpu.c). */
gnd_status gnd__cg_rows(gnd__cg *c);

/* --- random words (codegen/words.c) ----------------------------------------------------------- */
#define GND__CG_RUN 1024 /* points whose words are computed at once */
/* Marks in c->run.words the instructions whose words can be computed for runs along an axis.
 * Returns their number. */
int gnd__words_find(gnd__cg *c, int axis);
int gnd__words_any(const gnd__cg *c);
/* Declares their arrays; and computes the words of `count` (at most GND__CG_RUN) points along
 * the axis from `first` on, where the indices of the other axes are declared. */
void gnd__words_declare(gnd__cg *c);
void gnd__words_fill(gnd__cg *c, int axis, const char *first, const char *count);
/* The value of such an instruction at c->run.word_at. */
void gnd__words_value(gnd__cg *c, int i);

/* --- accumulators (codegen/accum.c) ----------------------------------------------------------- */
/* Accumulator j named NAMEj (and NAMEj_ for its second part). sfx is an index such as "[l]" or "".
 */
int gnd__acc_parts(const gnd__kir *k, int j); /* 1 or 2 */
gnd_dtype gnd__acc_dtype(const gnd__kir *k, int j, int part);
/* Bytes of the accumulators of a work-item. */
int64_t gnd__acc_bytes(const gnd__kir *k);
void gnd__acc_declare(gnd__cg *c, const char *name, const char *len);
/* Accumulators T in local memory, `count` of each. */
void gnd__acc_shared(gnd__cg *c, int count);
void gnd__acc_init(gnd__cg *c, const char *name, const char *sfx);
/* Combines name with the current values; index is the text of the reduced index. plain: a
 * running sum without compensation (lanes and short runs). */
void gnd__acc_step(gnd__cg *c, const char *name, const char *sfx, const char *index);
/* Conditions on values of reduction j that gives a place: a beats b, that is it is greater
 * (smaller), or NaN and b is not; a and b are equal, or both NaN. */
void gnd__acc_beats(gnd__cg *c, int j, const char *a, const char *b);
void gnd__acc_same(gnd__cg *c, int j, const char *a, const char *b);
/* Combines dst with src. exact: with compensation. */
void gnd__acc_combine(gnd__cg *c, const char *dst, const char *dsfx, const char *src,
                      const char *ssfx, int exact);
/* Accumulators of argmax and argmin as keys: 64 bits, the greatest wins; for values of up to 4
 * bytes and 32-bit indices. Sets c->keys, which makes the functions here treat accumulators as
 * keys, and declares dst and sets it from src. */
void gnd__acc_to_keys(gnd__cg *c, const char *dst, const char *src);
/* Combines the accumulators `name` of the work-items lid that share a row, through T in local
 * memory. There are `lanes` of them (a power of two) with the numbers `lane`, from lid ==
 * `first` on. The result is in each of them (all), or only in lane 0, and the others return. All
 * work-items of the group must come here. gnd__acc_in_warp: so many need no T. */
int gnd__acc_in_warp(const gnd__cg *c, int lanes);
void gnd__acc_tree(gnd__cg *c, const char *name, const char *lane, const char *first, int lanes,
                   int all);
void gnd__acc_copy(gnd__cg *c, const char *dst, const char *dsfx, const char *src,
                   const char *ssfx);
/* Sets dst to src of another work-item of the warp: gnd_FN with number n. */
void gnd__acc_pass(gnd__cg *c, const char *fn, const char *dst, const char *dsfx, const char *src,
                   const char *ssfx, int n);
/* Declares RJ, the results. */
void gnd__acc_finish(gnd__cg *c, const char *name, const char *sfx);
/* Parameters of the partial results; stores to and loads from element `at` of them. */
void gnd__acc_part_args(gnd__cg *c, int writes);
void gnd__acc_part_store(gnd__cg *c, const char *name, const char *sfx, const char *at);
void gnd__acc_part_load(gnd__cg *c, const char *name, const char *at);

/* --- a reduction's kernels (codegen/reduce_finish.c) ------------------------------------------ */
/* Parameters of the first kernel for all its axes. ends: it writes the outputs; else partial
 * results. */
void gnd__cg_reduce_args(gnd__cg *c, int ends);
/* Whether parts may be combined in any order: not with a fold of the user's own. */
int gnd__cg_any_order(const gnd__kir *k);
/* Ends the first kernel, of so many groups of `local` work-items. With more than one split writes
 * the second one, which combines the partial results of each kept point, and the epilogue. across:
 * the parts of all points for one split lie together, instead of all parts of a point. */
gnd_status gnd__cg_end_reduction(gnd__cg *c, size_t groups, size_t local, int64_t splits,
                                 int across);

#endif
