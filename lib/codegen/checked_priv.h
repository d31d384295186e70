/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/checked_priv.h - what checked.c (accesses and texts) and checked_names.c (tokens and the
 * names that are pointers) share.
 */
#ifndef GND_CODEGEN_CHECKED_PRIV_H
#define GND_CODEGEN_CHECKED_PRIV_H

#include "base/words.h"
#include "codegen/checked.h"
#include "codegen/edits.h"

/* Qualifiers of types; words that stand before an expression. */
extern const char gnd__checked_quals[], gnd__checked_before[];

typedef struct gnd__checked_name {
    const char *text; /* the text, of len bytes */
    uint32_t len;
    int depth; /* depth of blocks */
} gnd__checked_name;

typedef struct gnd__checked_pass {
    const char *s;
    gnd__utoken *t;
    int32_t n;
    size_t shift;         /* offset of the tokens' bytes in the text, for a macro's body */
    int any;              /* CUDA C++: declarations do not name the memory */
    int bounds;           /* OpenCL: functions get the bounds as a parameter */
    gnd__checked_name *v; /* pointers in sight */
    int nv, capv;
    gnd__checked_name *fn; /* names of functions of the source */
    int nfn, capfn;
    int line; /* line of the user's source, and of the current token */
    gnd__edits edits;
    gnd_err *e;
    int nomem;
} gnd__checked_pass;

static inline int gnd__checked_is(const gnd__checked_pass *x, int32_t t, const char *word)
{
    return t >= 0 && t < x->n && gnd__utoken_is(x->s, &x->t[t], word);
}

static inline int gnd__checked_is_word(const gnd__checked_pass *x, int32_t t)
{
    return t >= 0 && t < x->n && x->t[t].type == GND__UT_WORD;
}

static inline int gnd__checked_among(const gnd__checked_pass *x, int32_t t, const char *words)
{
    return gnd__checked_is_word(x, t) &&
           gnd__word_find(words, x->s + x->t[t].at, x->t[t].len, 0) >= 0;
}

/* Whether marks a and b stand side by side at t. */
static inline int gnd__checked_pair(const gnd__checked_pass *x, int32_t t, const char *a,
                                    const char *b)
{
    return gnd__checked_is(x, t, a) && gnd__checked_is(x, t + 1, b) &&
           x->t[t + 1].at == x->t[t].at + 1;
}

/* The token that closes the bracket at t, or opens the one that t closes; -1: there is none. */
int32_t gnd__checked_closing(const gnd__checked_pass *x, int32_t t);
int32_t gnd__checked_opening(const gnd__checked_pass *x, int32_t t);
/* Whether the parentheses that t closes are those of a cast. */
int gnd__checked_is_cast(const gnd__checked_pass *x, int32_t t);
/* Whether a value ends at t, so that a following * multiplies. */
int gnd__checked_ends_value(const gnd__checked_pass *x, int32_t t);
/* Whether the operator at t is unary. */
int gnd__checked_is_unary(const gnd__checked_pass *x, int32_t t, const char *mark);
/* The end of the unary expression at t. */
int32_t gnd__checked_operand_end(const gnd__checked_pass *x, int32_t t);
void gnd__checked_add_name(gnd__checked_pass *x, gnd__checked_name **list, int *n, int *cap,
                           int32_t t, int depth);
int gnd__checked_has_name(const gnd__checked_pass *x, const gnd__checked_name *list, int n,
                          int32_t t);
int gnd__checked_is_member(const gnd__checked_pass *x, int32_t t);
int gnd__checked_is_pointer(const gnd__checked_pass *x, int32_t t);
/* Whether token t is the name of a pointer that is declared here. */
int gnd__checked_declares(const gnd__checked_pass *x, int32_t t);
/* Whether the value of tokens [a, b) comes from a pointer itself, not from what it points to. */
int gnd__checked_has_pointer(const gnd__checked_pass *x, int32_t a, int32_t b);
/* auto p = EXPRESSION; at the name t. */
int gnd__checked_auto_pointer(const gnd__checked_pass *x, int32_t t);

#endif
