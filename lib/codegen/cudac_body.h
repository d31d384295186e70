/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_body.h - what the files that translate the inside of functions share: cudac_body.c
 * (functions), cudac_decl.c (declarations), cudac_expr.c (expressions), cudac_calls.c (calls).
 */
#ifndef GND_CODEGEN_CUDAC_BODY_H
#define GND_CODEGEN_CUDAC_BODY_H

#include "codegen/cudac.h"

/* The block of function f that is being translated. */
typedef struct gnd__cscope {
    const gnd__cfn *f;
    int32_t depth, end; /* end: the token that closes f */
    int kernel;
} gnd__cscope;

/* Replaces token t by the word. */
static inline void gnd__cudac_replace(const gnd__cudac *x, gnd__edits *to, int32_t t,
                                      const char *word)
{
    gnd__edit_add(to, x->token[t].at, x->token[t].len, "%s", word);
}

/* Inserts the word after token t. */
static inline void gnd__cudac_after(const gnd__cudac *x, gnd__edits *to, int32_t t,
                                    const char *word)
{
    gnd__edit_add(to, x->token[t].at + x->token[t].len, 0, "%s", word);
}

/* --- cudac_calls.c ---------------------------------------------------------------------------- */
/* Translates the call of a function of the source at token t: adds specs for its arguments, and &
 * for references. to is NULL in a macro. */
gnd_status gnd__cudac_call(gnd__cudac *x, gnd__edits *to, int32_t t);
/* The same for calls in the body of macro m, which is used at token t. */
gnd_status gnd__cudac_macro_calls(gnd__cudac *x, const gnd__cmacro *m, int32_t t);

/* --- cudac_expr.c ----------------------------------------------------------------------------- */
/* Translates token t in an expression that ends at `end`. */
gnd_status gnd__cudac_token(gnd__cudac *x, gnd__edits *to, int32_t t, int32_t end);

/* --- cudac_decl.c ----------------------------------------------------------------------------- */
/* Adds a variable to those in scope. */
gnd_status gnd__cudac_add_var(gnd__cudac *x, const gnd__cvar *v);
/* Translates __shared__ at t. At the start of a kernel it stays where it is; elsewhere it is moved
 * there. *next becomes the token after it. */
gnd_status gnd__cudac_shared(gnd__cudac *x, const gnd__cscope *c, int32_t t, int32_t *next);
/* Translates the declaration at t and notes its variables. *next becomes the first declarator. */
gnd_status gnd__cudac_declaration(gnd__cudac *x, const gnd__cscope *c, int32_t t, int32_t *next);

#endif
