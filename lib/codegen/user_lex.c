/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/user_lex.c - see user_lex.h.
 */
#include "codegen/user_lex.h"

#include <string.h>
#include "base/mem.h"

typedef struct lexer {
    const char *src;
    size_t len, at;
    int32_t line, col;
    gnd__utoken *token;
    int32_t n, cap;
} lexer;

static char peek(const lexer *x, size_t ahead)
{
    return x->at + ahead < x->len ? x->src[x->at + ahead] : '\0';
}

static void step(lexer *x, size_t n)
{
    for (; n > 0 && x->at < x->len; n--) {
        if (x->src[x->at++] == '\n') {
            x->line++;
            x->col = 1;
        } else {
            x->col++;
        }
    }
}

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The offset after a comment; 0 if it does not end. */
static int skip_comment(lexer *x)
{
    if (peek(x, 1) == '/') {
        while (x->at < x->len && peek(x, 0) != '\n')
            step(x, peek(x, 0) == '\\' ? 2 : 1);
        return 1;
    }
    step(x, 2);
    while (x->at < x->len && !(peek(x, 0) == '*' && peek(x, 1) == '/'))
        step(x, 1);
    if (x->at >= x->len)
        return 0;
    step(x, 2);
    return 1;
}

/* The offset after a string or character; 0 if it does not end on its line. */
static int skip_text(lexer *x)
{
    const char quote = peek(x, 0);
    step(x, 1);
    while (x->at < x->len && peek(x, 0) != quote) {
        if (peek(x, 0) == '\n')
            return 0;
        step(x, peek(x, 0) == '\\' ? 2 : 1);
    }
    if (x->at >= x->len)
        return 0;
    step(x, 1);
    return 1;
}

/* A preprocessor line, whose comments may go on over several lines. 0: one has no end. */
static int skip_line(lexer *x)
{
    while (x->at < x->len && peek(x, 0) != '\n') {
        if (peek(x, 0) == '/' && peek(x, 1) == '*') {
            if (!skip_comment(x))
                return 0;
        } else if (peek(x, 0) == '/' && peek(x, 1) == '/') {
            (void)skip_comment(x);
        } else {
            step(x, peek(x, 0) == '\\' ? 2 : 1);
        }
    }
    return 1;
}

static gnd__utoken *add(lexer *x, gnd__utype type)
{
    if (x->n == x->cap) {
        int32_t cap = x->cap ? 2 * x->cap : 256;
        gnd__utoken *t = gnd__realloc(x->token, (size_t)cap * sizeof *t);
        if (!t)
            return NULL;
        x->token = t;
        x->cap = cap;
    }
    gnd__utoken *t = &x->token[x->n++];
    *t =
        (gnd__utoken){.type = (uint8_t)type, .line = x->line, .col = x->col, .at = (uint32_t)x->at};
    return t;
}

/* One token that begins here. 0: it has no end. */
static int take(lexer *x, gnd__utype type)
{
    switch (type) {
    case GND__UT_WORD:
        while (is_letter(peek(x, 0)) || is_digit(peek(x, 0)))
            step(x, 1);
        return 1;
    case GND__UT_NUMBER: /* a preprocessing number: 1e-5f, 0x1p+3, 10ul */
        while (is_letter(peek(x, 0)) || is_digit(peek(x, 0)) || peek(x, 0) == '.' ||
               ((peek(x, 0) == '+' || peek(x, 0) == '-') && strchr("eEpP", x->src[x->at - 1])))
            step(x, 1);
        return 1;
    case GND__UT_TEXT: return skip_text(x);
    case GND__UT_LINE: return skip_line(x);
    default: step(x, 1); return 1;
    }
}

gnd_status gnd__utoken_syntax(gnd_err *e, const char *what, const gnd__utoken *t, const char *why)
{
    return gnd__err(e, GND_ERR_SYNTAX, "%s:%d:%d: %s", what, t->line, t->col, why);
}

gnd_status gnd__user_lex(const char *what, const char *src, size_t len, gnd__utoken **out,
                         int32_t *n, gnd_err *e)
{
    lexer x = {.src = src, .len = len, .line = 1, .col = 1};
    int begins = 1; /* nothing but white space before it on this line */
    *out = NULL;
    *n = 0;
    if (len > INT32_MAX)
        return gnd__err(e, GND_ERR_OVERFLOW, "a source of %zu bytes", len);
    while (x.at < x.len) {
        const char c = peek(&x, 0);
        const gnd__utoken here = {.line = x.line, .col = x.col};
        if (c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' ||
            (c == '\\' && peek(&x, 1) == '\n')) {
            begins |= c == '\n';
            step(&x, 1);
            continue;
        }
        if (c == '/' && (peek(&x, 1) == '/' || peek(&x, 1) == '*')) {
            if (!skip_comment(&x)) {
                gnd__free(x.token);
                return gnd__utoken_syntax(e, what, &here, "a comment without an end");
            }
            continue;
        }
        const gnd__utype type = c == '#' && begins ? GND__UT_LINE
                                : is_letter(c)     ? GND__UT_WORD
                                : is_digit(c) || (c == '.' && is_digit(peek(&x, 1)))
                                    ? GND__UT_NUMBER
                                : c == '"' || c == '\'' ? GND__UT_TEXT
                                                        : GND__UT_MARK;
        begins = 0;
        if (!add(&x, type)) {
            gnd__free(x.token);
            return gnd__err(e, GND_ERR_NOMEM, "out of memory for a source");
        }
        if (!take(&x, type)) {
            gnd__free(x.token);
            return gnd__utoken_syntax(e, what, &here,
                                      type == GND__UT_TEXT ? "a string without an end"
                                                           : "a comment without an end");
        }
        x.token[x.n - 1].len = (uint32_t)(x.at - x.token[x.n - 1].at);
    }
    if (!add(&x, GND__UT_END)) {
        gnd__free(x.token);
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a source");
    }
    *out = x.token;
    *n = x.n;
    return GND_OK;
}

int gnd__utoken_is(const char *src, const gnd__utoken *t, const char *word)
{
    return t->type != GND__UT_END && strlen(word) == t->len &&
           memcmp(src + t->at, word, t->len) == 0;
}
