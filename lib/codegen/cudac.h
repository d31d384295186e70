/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac.h - CUDA C for OpenCL devices: the subset of doc/CUDAC.md as OpenCL C 1.2 with the
 * extensions of clang that all its compilers have (overloadable functions). Text to text.
 *
 * Names that differ are defined before the user's text (cudac.def). Declarations are translated,
 * because in OpenCL C the type of a pointer says which memory it points to. This is inferred from
 * the pointer's initial value. Functions with pointers are written once for each combination of
 * memories that they are called with, and the compiler chooses among them.
 *
 * cudac_names.c: words. cudac_read.c: declarations at file scope. cudac_space.c: which memory an
 * expression points to. cudac_body.c, cudac_decl.c, cudac_expr.c, cudac_calls.c: the inside of
 * functions. cudac_write.c: the text.
 */
#ifndef GND_CODEGEN_CUDAC_H
#define GND_CODEGEN_CUDAC_H

#include "codegen/edits.h"
#include "codegen/user.h"

/* Memory that a pointer points to. ANY: a null pointer. */
typedef enum gnd__cspace {
    CU_NONE,
    CU_GLOBAL,
    CU_LOCAL,
    CU_PRIVATE,
    CU_CONSTANT,
    CU_ANY
} gnd__cspace;

enum { CU_PARAMS = 24, CU_SPECS = 64, CU_DEPTH = 60, CU_ARGS = 32 };

typedef enum gnd__cvkind { CU_VALUE, CU_POINTER, CU_ARRAY, CU_REF } gnd__cvkind;

/* A name in scope: a parameter or a variable. */
typedef struct gnd__cvar {
    int32_t name;        /* its token */
    int32_t first, last; /* parameters: their tokens */
    int32_t depth;       /* of blocks */
    uint8_t kind;        /* gnd__cvkind */
    uint8_t space;       /* a pointer: the memory that it points to; else the memory that it is
                            in */
    uint8_t dims;        /* of an array */
    int32_t star;        /* parameters: the token of * or &; -1 */
} gnd__cvar;

/* A function for one combination of memories. */
typedef struct gnd__cspec {
    uint8_t space[CU_PARAMS];
    uint8_t done, ret; /* ret: the memory that its result points to */
    gnd__str head, body;
} gnd__cspec;

typedef struct gnd__cfn {
    int32_t start, name, open, close, body, end; /* tokens; body -1: a declaration */
    uint8_t kernel, ret_pointer, busy;
    int32_t nparam, nspec;
    gnd__cvar param[CU_PARAMS];
    gnd__cspec *spec;
} gnd__cfn;

/* #define at token `line`; the tokens of its name, parameters and body follow those of the
 * source. */
typedef struct gnd__cmacro {
    int32_t line, name, nparam, param, first,
        last; /* nparam -1: no parentheses; body [first, last) */
} gnd__cmacro;

/* The arguments of a macro where it is used. */
typedef struct gnd__cframe {
    const gnd__cmacro *macro;
    int32_t narg, from[CU_ARGS], to[CU_ARGS];
    const struct gnd__cframe *up;
} gnd__cframe;

typedef struct gnd__cudac {
    const gnd__usource *u;
    const gnd_props *props;
    gnd__utoken *token; /* those of the source, END, then those of macros */
    int32_t ntoken, captoken;
    gnd__cfn *fn;
    int32_t nfn;
    gnd__cmacro *macro;
    int32_t nmacro;
    int32_t *type; /* tokens of names of types */
    int32_t ntype;
    gnd__cvar *file; /* variables at file scope */
    int32_t nfile;
    gnd__cvar *var; /* variables in scope in the function being translated */
    int32_t nvar, capvar;
    const gnd__cframe *frame;
    gnd__edits edits;    /* of the function being translated */
    gnd__edits outer;    /* of what is outside of functions */
    gnd__str hoisted;    /* declarations that belong to the start of the kernel */
    gnd__str casts;      /* functions for casts in macros */
    gnd__str cast_names; /* their names, separated by blanks */
    uint8_t *used;       /* definitions of cudac.def */
    int32_t uses_half;
    gnd_err *e;
    int depth; /* of what is being inferred */
} gnd__cudac;

/* Appends u's source as OpenCL C. GND_ERR_UNSUPPORTED names line, column and construct. */
gnd_status gnd__cudac_text(const gnd__usource *u, const gnd_props *props, gnd__str *out,
                           gnd_err *e);

/* --- cudac_names.c --- */
/* Gets line i of the table of doc/CUDAC.md: its group, names and note. Returns 0 if there is no
 * such line. */
int gnd__cudac_row(int i, const char **group, const char **names, const char **note);
/* Checks each word: GND_ERR_UNSUPPORTED for constructs outside of the subset. */
gnd_status gnd__cudac_words(gnd__cudac *x);
/* Whether the source has barriers that count (__syncthreads_count and its like). */
int gnd__cudac_votes(const gnd__cudac *x);
/* The definitions that the source needs, and those of its own names. */
gnd_status gnd__cudac_prelude(gnd__cudac *x, gnd__str *out);
/* Whether token t is the name of a type, or a word before one (const, unsigned). */
int gnd__cudac_type(const gnd__cudac *x, int32_t t);
int gnd__cudac_is(const gnd__cudac *x, int32_t t, const char *word);
int gnd__cudac_among(const gnd__cudac *x, int32_t t, const char *words);
int gnd__cudac_same(const gnd__cudac *x, int32_t a, int32_t b);
/* The token that closes the one at t, ( [ or {; -1 if no token does. */
int32_t gnd__cudac_closing(const gnd__cudac *x, int32_t t);
/* GND_ERR_UNSUPPORTED: a construct at token t, and what to do. */
gnd_status gnd__cudac_refuse(const gnd__cudac *x, int32_t t, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* --- cudac_read.c --- */
gnd_status gnd__cudac_read(gnd__cudac *x);
const gnd__cmacro *gnd__cudac_macro(const gnd__cudac *x, int32_t t);
/* Whether the source has a function with the name of token t. */
int gnd__cudac_calls(const gnd__cudac *x, int32_t t);

/* --- cudac_space.c --- */
/* The memory to which the expression of tokens [a, b) points; CU_NONE: none, or unknown. */
gnd__cspace gnd__cudac_space(gnd__cudac *x, int32_t a, int32_t b);
/* The memory in which the lvalue of tokens [a, b) is. */
gnd__cspace gnd__cudac_place(gnd__cudac *x, int32_t a, int32_t b);
/* The variable with the name of token t; NULL. */
const gnd__cvar *gnd__cudac_var(const gnd__cudac *x, int32_t t);
/* Gets the tokens of the arguments of the call or macro use whose ( is token open. Returns their
 * number; -1: too many. */
int32_t gnd__cudac_args(const gnd__cudac *x, int32_t open, int32_t *from, int32_t *to);
const char *gnd__cudac_space_word(gnd__cspace s);

/* --- cudac_body.c --- */
/* Translates function f for spec s: fills in its texts, and adds specs of the functions that it
 * calls. */
gnd_status gnd__cudac_function(gnd__cudac *x, int32_t f, int32_t s);
/* --- cudac_expr.c --- */
/* Notes the edits of tokens [a, b), which are expressions and not declarations. */
gnd_status gnd__cudac_expression(gnd__cudac *x, gnd__edits *to, int32_t a, int32_t b);
/* --- cudac_calls.c --- */
/* Function f for the memories of space: the number of its spec; -1: no memory, or too many. */
int32_t gnd__cudac_spec(gnd__cudac *x, int32_t f, const uint8_t *space);

#endif
