/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/opset.h - the table of elementwise operations (opset.def) as C data.
 */
#ifndef GND_GRAPH_OPSET_H
#define GND_GRAPH_OPSET_H

#include <gnd/types.h>

typedef enum gnd__op {
#define GND_OP(id, name, func, nin, rule, out, b, i, u, f, c, cost, doc, near) GND__OP_##id,
#include "base/opset.def"
#undef GND_OP
    GND__NOPS, /* so many are public */
    GND__BEFORE_FNS = GND__NOPS - 1,
#define GND_FN(id, name, nin, i, u, f, c, cost) GND__FN_##id,
#define GND_RANDOM(id, name, nin, text, cost, bits, word, fill, tries, two, busy) GND__FN_##id,
#include "graph/fnset.def"
#undef GND_FN
#undef GND_RANDOM
    GND__NALLOPS
} gnd__op;

/* How the compute dtype follows from the dtypes of the arguments. If the text for the kind of the
 * compute dtype is NULL, the operation is GND_ERR_DTYPE. If bools and ints give float64, a device
 * without float64 uses float32. */
typedef enum gnd__rule {
    GND__RULE_NUM,   /* promote */
    GND__RULE_FLOAT, /* bools and ints alone: each becomes a float (gnd__float_of) first; promote */
    GND__RULE_BITS,  /* promote; bools and ints only (texts for f and c are 0) */
    GND__RULE_SHIFT, /* promote, then bool becomes int8; ints only */
    GND__RULE_LOGIC, /* each argument cast to bool; the texts for b are used */
    GND__RULE_CMP,   /* promote; int64 (or a narrower signed int) with uint64 compares exactly: the
                        table has nothing for that, graph/infer.c writes it as other operations,
                        (i < u) as (i < 0) | ((uint64)i < u) and so on */
    GND__RULE_WHERE, /* the first argument to bool, the others promote */
    GND__RULE_COMPLEX, /* complex stays, others are real (real, imag) */
    GND__RULE_INT,  /* promote, then bool becomes int8 (NumPy: floor_divide, remainder, pow ...) */
    GND__RULE_NONE, /* internal: makers of nodes know the dtypes; fnset.def */
    GND__RULE_DIVIDE, /* promote, then bools and ints of every width become the default float:
                         float64 (NumPy: divide) */
    GND__RULE_LDEXP,  /* the first argument as FLOAT; the second, bools and ints only, is clamped
                         to int32 */
    GND__RULE_PARTS   /* promote bools, ints and floats, then the complex dtype of that */
} gnd__rule;

typedef enum gnd__outrule {
    GND__OUT_SAME, /* the compute dtype */
    GND__OUT_BOOL, /* bool: texts give 0 or 1 */
    GND__OUT_REAL, /* gnd__real_of the compute dtype */
    GND__OUT_INT32 /* int32 */
} gnd__outrule;

typedef struct gnd__opinfo {
    const char *name; /* the standard's name; the C function is another column */
    int nin;
    gnd__rule rule;
    gnd__outrule out;
    /* Kernel text by kind of the compute dtype; NULL: not allowed. $0 to $4 arguments, $T the C
     * type and $t the suffix of the compute dtype (float32's for float16 and bfloat16), $n its own
     * suffix (f16 and bf16 too), $U $u the unsigned int type of its width, $W the unsigned type for
     * arithmetic that wraps (g_u32 up to 32 bits, else g_u64), $R $r the real type of a complex
     * one, $f the suffix of a float literal of that real type ("f" or nothing). A text is an
     * expression that needs no parentheses around it. It may use an argument more than once.
     * Arguments must be names or be in parentheses. */
    const char *text_b, *text_i, *text_u, *text_f, *text_c;
    int cost; /* 1 arithmetic, 4 division or square root, 16 elementary functions */
    const char *doc;
    /* the text for floats near 0, which notes others in `bad`: kernels/elementary.cl; or NULL */
    const char *near;
    /* Of random numbers (fnset.def), else 0: the bits of a word, and texts. */
    int word_bits;
    const char *word, *fill, *tries, *two;
    int busy; /* takes so many instructions that work-items should have all registers */
} gnd__opinfo;

enum { GND__OP_ARGS = 5 }; /* the most arguments of an operation */

extern const gnd__opinfo gnd__ops[GND__NALLOPS];
/* Reductions, in the order of enum gnd__red (graph/redset.def). */
typedef enum gnd__red {
#define GND_RED(id, name, op, identity, place, ordered, compensated) GND__##id,
#include "graph/redset.def"
#undef GND_RED
    GND__NRED
} gnd__red;

/* The value that changes nothing. */
typedef enum gnd__identity { GND__ZERO, GND__ONE, GND__LOWEST, GND__HIGHEST } gnd__identity;

typedef struct gnd__redinfo {
    const char *name;
    gnd__op op; /* of two values; of places: whether the first one wins */
    gnd__identity identity;
    int place;       /* its result is the index of the value, int64, along one axis or all */
    int ordered;     /* its rounding depends on the order */
    int compensated; /* of floats and complex values: the rounding errors are added as well */
} gnd__redinfo;

extern const gnd__redinfo gnd__reds[GND__NRED];

/* The public operation of a name, or -1 (also for NULL). */
int gnd__op_find(const char *name);
/* The dtype of argument i (0 ...) for a compute dtype t, and of the result; and which argument has
 * the compute dtype itself. */
gnd_dtype gnd__op_arg(gnd__op op, int i, gnd_dtype t);
gnd_dtype gnd__op_out(gnd__op op, gnd_dtype t);
int gnd__op_main(gnd__op op);
/* The text for compute dtype kind 'b' 'i' 'u' 'f' 'c'; NULL when the operation does not take it. */
const char *gnd__op_text(gnd__op op, int kind);

#endif
