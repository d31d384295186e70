/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/user_lex.h - the tokens of a user's kernel source, C of any of the three languages, with
 * the position of each token. Comments are skipped; a preprocessor line is one token. Nothing is
 * expanded: the contents of macros are not seen.
 */
#ifndef GND_CODEGEN_USER_LEX_H
#define GND_CODEGEN_USER_LEX_H

#include "base/err.h"

typedef enum gnd__utype {
    GND__UT_WORD, /* a name or a keyword */
    GND__UT_NUMBER,
    GND__UT_TEXT, /* a string or a character */
    GND__UT_MARK, /* one character of punctuation */
    GND__UT_LINE, /* a preprocessor line, continued lines included */
    GND__UT_END   /* the end of the source: the last token of every list */
} gnd__utype;

typedef struct gnd__utoken {
    uint8_t type;      /* gnd__utype */
    int32_t line, col; /* from 1 */
    uint32_t at, len;  /* bytes of the source */
} gnd__utoken;

/* The tokens of src (len bytes) in *out, malloc'ed by base/mem.h; the last one is GND__UT_END.
 * GND_ERR_SYNTAX (gnd__utoken_syntax): a comment or string without an end. */
gnd_status gnd__user_lex(const char *what, const char *src, size_t len, gnd__utoken **out,
                         int32_t *n, gnd_err *e);
/* GND_ERR_SYNTAX, "WHAT:LINE:COLUMN: why" of token t. */
gnd_status gnd__utoken_syntax(gnd_err *e, const char *what, const gnd__utoken *t, const char *why);

/* Whether token t of src is this word or mark. */
int gnd__utoken_is(const char *src, const gnd__utoken *t, const char *word);

#endif
