/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/snippet.h - the user's pieces of code (gnd/snippet.h) read and checked, and written as
 * functions for certain dtypes (graph/snippet.h). Pure text to text.
 *
 * A piece sees its parameters by name. Its text may also use i, the index of its element in C
 * order, n, the number of elements, and NAME.size() of a `raw` parameter. These become arguments
 * after the user's (gnd__hidden).
 */
#ifndef GND_CODEGEN_SNIPPET_H
#define GND_CODEGEN_SNIPPET_H

#include "base/strbuf.h"
#include "graph/snippet.h"

/* A parameter as "raw T x" says it. */
typedef struct gnd__sparam {
    char name[32];
    char letter; /* the letter of its dtype; 0: `dtype` is its dtype */
    int16_t dtype;
    uint8_t raw;
} gnd__sparam;
typedef struct gnd__sparams {
    int n;
    gnd__sparam p[GND__CALL_ARGS];
} gnd__sparams;

/* The dtype of each letter; -1: not known. */
typedef struct gnd__letters {
    int16_t of[128];
} gnd__letters;

/* The names that a piece's text uses besides its parameters: the index, the number of elements,
 * that of the result's elements (after a reduction), sizes of raw parameters. */
typedef struct gnd__hidden {
    uint8_t i, n, in_n, out_n;
    uint32_t sizes; /* bits: parameters */
} gnd__hidden;

typedef struct gnd__piece {
    const char *what; /* static: "operation", for messages and for lines of the compiler's */
    char *text;       /* NAME.size() is a name; lines and columns are the user's */
    char *ztext;      /* the text where dtypes are complex (codegen/complex.h), or NULL ... */
    char *why;        /* ... and why there is none */
    uint64_t calls;   /* of the complex text */
    gnd__hidden uses;
    int ops, cost; /* about */
} gnd__piece;

/* Reads "T x, raw U y", at most `most` parameters. GND_ERR_SYNTAX, GND_ERR_DTYPE (an unknown type),
 * GND_ERR_NAME. */
gnd_status gnd__sparams_read(gnd__sparams *s, const char *what, const char *text, int most,
                             gnd_err *e);
/* A type by itself: a letter, or a dtype. */
gnd_status gnd__stype_read(const char *what, const char *text, size_t len, char *letter,
                           int16_t *dtype, gnd_err *e);
/* Whether text is a name of C. */
int gnd__is_name(const char *text);
/* Reads a piece with parameters in: statements, or a value (one expression). The caller frees it
 * with gnd__piece_free, also after errors. */
gnd_status gnd__piece_read(gnd__piece *p, const char *what, const char *text,
                           const gnd__sparams *in, int value, gnd_err *e);
void gnd__piece_free(gnd__piece *p);

/* A function to be written. */
typedef struct gnd__sfunc {
    const char *name, *preamble;
    const gnd__sparams *in, *out;
    const gnd__piece *code;
    int value; /* the code is an expression, the value of out[0] */
    const gnd__letters *letters;
} gnd__sfunc;

/* The function of values; hidden arguments follow: i, n, of the result, then sizes. NULL: no
 * memory. */
gnd__snippet *gnd__snippet_function(const gnd__sfunc *f);
/* The function that combines a and b of dtype t by an expression, starting from an identity. NULL:
 * out of memory. */
gnd__snippet *gnd__snippet_fold(const char *name, const char *preamble, const gnd__piece *reduce,
                                const gnd__piece *identity, gnd_dtype t,
                                const gnd__letters *letters);
/* The complex dtypes among those of letters and of two lists of parameters (either may be NULL):
 * bits of codegen/complex.h. */
int gnd__snippet_complex(const gnd__letters *l, const gnd__sparams *a, const gnd__sparams *b);
/* The dtype of p. */
gnd_dtype gnd__sparam_dtype(const gnd__sparam *p, const gnd__letters *l);
/* The text that shows whether s compiles: a kernel k_probe and what it needs. GND_ERR_NAME,
 * GND_ERR_UNSUPPORTED. */
gnd_status gnd__snippet_probe(const gnd__snippet *s, const gnd_props *props, gnd__str *out,
                              gnd_err *e);

#endif
