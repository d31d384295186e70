/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/parse.h - the parser of expressions: the interface between parse.c (statements) and
 * parse_expr.c (expressions). Functions that return an int return 0, or -1 with the error in x.
 */
#ifndef GND_LANG_PARSE_H
#define GND_LANG_PARSE_H

#include <string.h>
#include "lang/expr.h"

typedef struct gnd__parser {
    gnd__expr *x;
    uint32_t pos;
    int depth;
    unsigned bound; /* bit i: a statement has assigned a value to the name modules[i] */
} gnd__parser;

/* The current token. */
static inline const gnd__token *gnd__parse_tok(const gnd__parser *p)
{
    return &p->x->tok[p->pos];
}

static inline int gnd__parse_is(const gnd__parser *p, gnd__tok t)
{
    return gnd__parse_tok(p)->type == t;
}

static inline int gnd__parse_is_word(const gnd__parser *p, const gnd__token *t, const char *word)
{
    return t->type == GND__T_NAME && t->len == strlen(word) &&
           !memcmp(p->x->text + t->at, word, t->len);
}

/* Appends an instruction for the stack machine. v is its constant, or NULL. */
int gnd__parse_emit(gnd__parser *p, gnd__code code, int op, uint32_t at, uint32_t n,
                    const gnd__val *v);
/* Records that a statement assigns to name t, which from then on is not a module. */
void gnd__parse_bound(gnd__parser *p, const gnd__token *t);
/* If the name t is a word of Python that has no meaning here, returns its entry: the word and a
 * hint. Else NULL. */
const char *const *gnd__parse_reserved(const gnd__parser *p, const gnd__token *t);
/* Reports the current token as an error. `wanted` says what was expected instead. Returns -1. */
int gnd__parse_unexpected(gnd__parser *p, const char *wanted);
/* Parses an expression: values separated by commas. */
int gnd__parse_tuple(gnd__parser *p);
/* Parses the entries of an index, starting at its '['. *count is set to their number. */
int gnd__parse_index(gnd__parser *p, uint32_t *count);

#endif
