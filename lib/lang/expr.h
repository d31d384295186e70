/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/expr.h - the expression language: text -> tokens (lex.c) -> a program for a stack machine
 * (parse.c) -> calls of the public API (run.c, call.c, fn_*.c). The files of lib/lang share this
 * header; lang/expr.c uses only gnd__expr_eval. The language knows the public API and the table of
 * elementwise operations, but nothing of fusion, scheduling or backends.
 */
#ifndef GND_LANG_EXPR_H
#define GND_LANG_EXPR_H

#include <gnd/backend.h>
#include <gnd/random.h>
#include <gnd/types.h>
#include <gnd/view.h>
#include <locale.h>
#include "base/table.h"
#include "lang/value.h"

/* Maximum nesting depth of brackets, powers and lists. */
#define GND__EXPR_DEPTH 200
/* Maximum length of a text in bytes. */
#define GND__EXPR_MAX_TEXT (64u << 20)

/* --- tokens ----------------------------------------------------------------------------------- */

typedef enum gnd__tok {
    GND__T_END,
    GND__T_SEP,
    GND__T_NAME,
    GND__T_NUM,
    GND__T_STR,
    GND__T_LPAREN,
    GND__T_RPAREN,
    GND__T_LBRACKET,
    GND__T_RBRACKET,
    GND__T_COMMA,
    GND__T_COLON,
    GND__T_DOT,
    GND__T_ELLIPSIS,
    GND__T_ASSIGN,
    GND__T_AUGMENT,
    /* operators, in the order of ops[] in ops.c */
    GND__T_ADD,
    GND__T_SUB,
    GND__T_MUL,
    GND__T_DIV,
    GND__T_FLOORDIV,
    GND__T_MOD,
    GND__T_POW,
    GND__T_MATMUL,
    GND__T_AND,
    GND__T_OR,
    GND__T_XOR,
    GND__T_SHL,
    GND__T_SHR,
    GND__T_LT,
    GND__T_LE,
    GND__T_GT,
    GND__T_GE,
    GND__T_EQ,
    GND__T_NE,
    GND__T_INVERT,
    GND__T_NEG,
    GND__T_POS, /* NEG and POS are not tokens: a program has them for the prefixes - and + */
    GND__T_COUNT
} gnd__tok;

typedef struct gnd__token {
    uint8_t type; /* gnd__tok */
    uint8_t sub;  /* GND__T_AUGMENT: the operator before '=' */
    uint32_t at;  /* byte offset in the text */
    uint32_t len;
} gnd__token;

/* --- programs --------------------------------------------------------------------------------- */

typedef enum gnd__code {
    GND__I_NUM, /* pushes the number v */
    GND__I_NONE,
    GND__I_ELLIPSIS,
    GND__I_STR,  /* pushes the string text[at, at + n) */
    GND__I_NAME, /* pushes the value of the name text[at, at + n) */
    GND__I_UNARY,
    GND__I_BINARY, /* tok: the operator */
    GND__I_TUPLE,
    GND__I_LIST,    /* makes a list of the n values on top */
    GND__I_SLICE,   /* makes a slice of the 3 values on top */
    GND__I_INDEX,   /* indexes the value below the n values on top by them */
    GND__I_AGAIN,   /* pushes copies of the n values on top */
    GND__I_SET,     /* a[n entries] tok= value: an array, n entries and the value are on top */
    GND__I_ATTR,    /* replaces the value on top by its attribute text[at, at + n) */
    GND__I_ARG,     /* makes the value on top an argument that begins at `at` */
    GND__I_KEYWORD, /* the same for the keyword argument text[at, at + n) */
    GND__I_CALL,    /* calls the function text[at, at + n) with the v.i values on top */
    GND__I_METHOD,  /* calls the method text[at, at + n) of the value below the v.i values on top */
    GND__I_STORE,   /* assigns the value on top to the name text[at, at + n); the value stays */
    GND__I_UNPACK, /* pushes the n items of the value on top, the first one last; the value stays */
    GND__I_DROP,   /* pops the value on top */
    GND__I_RESULT  /* pops the value on top, which is the program's result so far */
} gnd__code;

typedef struct gnd__instr {
    uint8_t code; /* gnd__code */
    uint8_t tok;  /* gnd__tok of an operator */
    uint32_t at, n;
    gnd__val v;
} gnd__instr;

/* A value on the machine's stack. */
typedef struct gnd__slot {
    gnd__val v;
    const char *kw;    /* the keyword, kw_n bytes; kw_n 0: positional */
    uint32_t at, kw_n; /* at: its offset in the text */
} gnd__slot;

typedef struct gnd__var {
    gnd__val v;
    const char *name;
    uint32_t n;
} gnd__var;

/* One evaluation, or one call by name. A call by name has no text; of the fields after func it uses
 * only dev, rng and err. */
typedef struct gnd__expr {
    const char *text; /* NULL: a call by name */
    const char *func; /* the function that is called by name */
    uint32_t len;
    gnd_device *dev;            /* device of new arrays, or NULL */
    const gnd_eval_objects *of; /* the library whose arrays may be among the values, or NULL */
    gnd_err err;       /* the first error; its message includes the position and the caret */
    locale_t c_locale; /* numbers are always read with '.' as the decimal point */
    gnd__token *tok;
    uint32_t ntok, captok;
    gnd__instr *code;
    uint32_t ncode, capcode;
    gnd__slot *stack;
    uint32_t nstack, capstack;
    gnd__var *var;
    uint32_t nvar, capvar;
    gnd__table *names; /* name -> index in var, plus 1 */
    gnd__val result;
    gnd_rng rng;              /* for random(), normal() ...; its seed is 0 until seed() is called */
    int16_t op[GND__T_COUNT]; /* gnd__op of an operator + 1; 0: not looked up yet */
} gnd__expr;

/* Evaluates the statements of text, with n names and values. Returns the last value as a new array,
 * which belongs to the thread's innermost scope or to the caller; never NULL. */
gnd_array *gnd__expr_eval(gnd_device *dev, const char *text, int n, const char *const *names,
                          gnd_array *const *values);

/* --- the steps; each returns 0, or -1 with x->err set ----------------------------------------- */
/* Checks the arguments of an evaluation and initializes x. Call gnd__expr_end after it in any
 * case. */
int gnd__expr_begin(gnd__expr *x, const char *text, int n, const void *names, const void *values);
/* name = v. Takes over v's reference, also on failure. */
int gnd__expr_bind(gnd__expr *x, const char *name, gnd__val v);
/* Runs all steps, from the text to x->result. */
int gnd__expr_compute(gnd__expr *x, const char *text);
/* x->result as a new array; NULL if it cannot be converted (x->err is set). */
gnd_array *gnd__expr_result(gnd__expr *x);
/* Drops the values of names and of the stack. */
void gnd__expr_drop_values(gnd__expr *x);
void gnd__expr_end(gnd__expr *x);
int gnd__expr_lex(gnd__expr *x);
int gnd__expr_parse(gnd__expr *x);
int gnd__expr_run(gnd__expr *x);
/* Converts the number token t to a value. */
int gnd__expr_number(gnd__expr *x, const gnd__token *t, gnd__val *v);
/* The same for a number after a minus sign: *v is negated. */
int gnd__expr_negated(gnd__expr *x, const gnd__token *t, gnd__val *v);
/* The spelling of an operator. */
const char *gnd__expr_spelling(gnd__tok t);

/* Sets x->err to the message for byte offset at, unless an error is already set. The message
 * includes the line of the text and a caret; for a call by name it begins with "FUNCTION: ".
 * Returns -1. */
int gnd__expr_fail(gnd__expr *x, gnd_status code, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int gnd__expr_nomem(gnd__expr *x);
/* Makes room for one more element of size bytes in *p, which has n. */
int gnd__expr_grow(gnd__expr *x, void *p, uint32_t n, uint32_t *cap, size_t size);

/* --- operators and indexing (ops.c, index.c) -------------------------------------------------- */
/* The result replaces *a. b stays owned by the caller. at: the operator's position. */
int gnd__expr_unary(gnd__expr *x, gnd__tok op, gnd__val *a, size_t at);
int gnd__expr_binary(gnd__expr *x, gnd__tok op, gnd__val *a, gnd__val *b, size_t at);
/* *a = (*a)[n values]. */
int gnd__expr_index(gnd__expr *x, gnd__val *a, gnd__slot *idx, int n, size_t at);
/* Converts the slice v to a range; a missing step is 1. */
int gnd__expr_slice(gnd__expr *x, const gnd__val *v, size_t at, gnd_range *r);
/* Clips the start and stop of a slice to n items, as Python does. Returns the number of items
 * selected. */
int64_t gnd__expr_clip(gnd_range *r, int64_t n);
/* *a = a new array: *a with the elements at [n entries] replaced by value. op: the operator of op=,
 * 0 for =. */
int gnd__expr_set_index(gnd__expr *x, gnd__val *a, gnd__slot *idx, int n, gnd__val *value, int op,
                        size_t at);
/* *out = f(a, entries, value). The entries are those of idx, which may be a tuple. */
int gnd__expr_update(gnd__expr *x, gnd_array *a, gnd__slot *idx, gnd_array *value,
                     gnd_array *(*f)(gnd_array *, int, const gnd_range *, gnd_array *),
                     gnd__val *out, size_t at);
/* *a = (*a).name. */
int gnd__expr_attr(gnd__expr *x, gnd__val *a, const char *name, size_t n, size_t at);

/* --- arrays of another library (object.c) ----------------------------------------------------- */
/* Whether the other library must execute the call of that name with n values. */
int gnd__object_takes(const gnd__expr *x, const char *name, size_t len, const gnd__slot *arg,
                      int n);
/* Calls the library's function. Values are moved out of arg. */
int gnd__object_call(gnd__expr *x, const char *name, size_t len, size_t at, int method,
                     gnd__slot *arg, int n, gnd__val *out);
/* *a = name(*a), or name(*a, *b) if b is not NULL; lists become arrays. */
int gnd__object_operator(gnd__expr *x, const char *name, gnd__val *a, gnd__val *b, size_t at);
/* *a = (*a)[n entries]. */
int gnd__object_index(gnd__expr *x, gnd__val *a, gnd__slot *idx, int n, size_t at);
/* *a = (*a).name. */
int gnd__object_attr(gnd__expr *x, gnd__val *a, const char *name, size_t n, size_t at);
/* *v = object. own 1: v owns it; own 0: it stays owned by the caller. */
int gnd__val_object(gnd__expr *x, gnd__val *v, const gnd_value *object, int own);

/* --- names (names.c) -------------------------------------------------------------------------- */
/* Looks up a constant, dtype or function group by name. Returns 1 if found, else 0. */
int gnd__expr_constant(const char *name, size_t n, gnd__val *v);
/* The dtype of a name or code ("float32", "f4", "<f4", "float"); GND_DTYPE_DEFAULT: there is none.
 * *python is 1 for float, int, bool and complex, whose width depends on the device; python may be
 * NULL. */
gnd_dtype gnd__expr_dtype(const char *name, size_t n, int *python);
/* The i-th other name or code of a dtype; NULL at the end. */
const char *gnd__expr_dtype_alias(int i);
/* The elementwise operation of a name or synonym (lookup.c); -1: there is none. */
int gnd__expr_op(const char *name, size_t n);
/* The name of operation op; NULL: there is no such operation. *nin, unless nin is NULL, is its
 * number of arguments. */
const char *gnd__expr_op_name(int op, int *nin);
/* Calls operation op. An error if op is -1 or n is not its number of arguments. */
gnd_array *gnd__expr_op_call(int op, int n, gnd_array *const *x);
/* Synonym i; *op is the name of the operation. NULL at the end. */
const char *gnd__expr_synonym(int i, const char **op);
/* A suggestion for an unknown name: ": did you mean 'x'?" or "". what: which names to search. */
enum {
    GND__NEAR_VALUES = 1,
    GND__NEAR_FUNCTIONS = 2,
    GND__NEAR_METHODS = 4,
    GND__NEAR_ATTRS = 8,
    GND__NEAR_DTYPES = 16
};
const char *gnd__expr_near(const gnd__expr *x, int what, const char *name, size_t n, char *buf,
                           size_t size);

#endif
