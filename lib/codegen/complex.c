/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/complex.c - reads the statements and expressions of a piece and writes them with calls
 * for operators: see complex.h. Nothing is known of types but their names; the calls themselves are
 * complex_calls.c's.
 */
#include "codegen/complex.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/words.h"
#include "codegen/complex_calls.h"
#include "codegen/user_lex.h"

enum { DEPTH = 60 }; /* depth of brackets and operators */

typedef struct reader {
    const char *what, *src;
    const gnd__utoken *t;
    int32_t n, at, line;
    int depth;
    uint64_t used;
    gnd_err *e;
    gnd_status st;
} reader;

static const char types[] =
    "void bool char short int long unsigned signed float double const volatile size_t int8_t int16_t int32_t int64_t "
    "uint8_t uint16_t uint32_t uint64_t uchar ushort uint ulong g_b g_i8 g_i16 g_i32 g_i64 g_u8 g_u16 g_u32 g_u64 "
    "g_f32 g_f64 g_c64 g_c128";

/* Operators of two operands, by precedence. An operator comes before the operators that are its
 * beginning. */
static const struct {
    const char *op;
    int level;
    const char *call;
} binaries[] = {{"||", 1, NULL},  {"&&", 2, NULL}, {"==", 6, "EQ"}, {"!=", 6, "NE"},
                {"<<", 8, NULL},  {">>", 8, NULL}, {"<=", 7, "LE"}, {">=", 7, "GE"},
                {"|", 3, NULL},   {"^", 4, NULL},  {"&", 5, NULL},  {"<", 7, "LT"},
                {">", 7, "GT"},   {"+", 9, "ADD"}, {"-", 9, "SUB"}, {"*", 10, "MUL"},
                {"/", 10, "DIV"}, {"%", 10, NULL}};

static void expression(reader *r, gnd__str *out);
static void assignment(reader *r, gnd__str *out);
static void unary(reader *r, gnd__str *out);

/* --- tokens ----------------------------------------------------------------------------------- */

static int is_at(const reader *r, int32_t t, const char *word)
{
    return t >= 0 && t < r->n && gnd__utoken_is(r->src, &r->t[t], word);
}

/* Whether these marks stand from token t on, without a space between them. */
static int marks_at(const reader *r, int32_t t, const char *marks)
{
    for (int i = 0; marks[i]; i++)
        if (t + i >= r->n || r->t[t + i].type != GND__UT_MARK ||
            r->src[r->t[t + i].at] != marks[i] ||
            (i > 0 && r->t[t + i].at != r->t[t].at + (uint32_t)i))
            return 0;
    return 1;
}

static int ends(const reader *r)
{
    return r->st != GND_OK || r->t[r->at].type == GND__UT_END;
}

static void refuse(reader *r, const char *why)
{
    const gnd__utoken *t = &r->t[r->at];
    if (r->st == GND_OK)
        r->st = gnd__err(r->e, GND_ERR_UNSUPPORTED, "%s:%d:%d: %s, in code with complex dtypes",
                         r->what, t->line, t->col, why);
}

/* Copies n tokens and keeps the user's lines. */
static void copy(reader *r, int n, gnd__str *out)
{
    for (; n > 0 && !ends(r); n--, r->at++) {
        const gnd__utoken *t = &r->t[r->at];
        for (; r->line < t->line; r->line++)
            gnd__str_addc(out, '\n');
        gnd__str_addn(out, r->src + t->at, t->len);
        if (n == 1 || t[1].at != t->at + t->len) /* ++ counts as one token */
            gnd__str_addc(out, ' ');
        if (t->type == GND__UT_LINE) {
            gnd__str_addc(out, '\n');
            r->line++;
        }
    }
}

static void copy_mark(reader *r, const char *mark, gnd__str *out)
{
    char why[40];
    if (r->st == GND_OK && !is_at(r, r->at, mark)) {
        snprintf(why, sizeof why, "'%s' is missing here", mark);
        refuse(r, why);
    }
    copy(r, 1, out);
}

/* A single capital letter, which stands for a dtype. */
static int is_letter(const reader *r, int32_t t)
{
    return r->t[t].type == GND__UT_WORD && r->t[t].len == 1 &&
           isupper((unsigned char)r->src[r->t[t].at]);
}

static int is_type(const reader *r, int32_t t)
{
    return r->t[t].type == GND__UT_WORD &&
           (is_letter(r, t) || gnd__word_find(types, r->src + r->t[t].at, r->t[t].len, 0) >= 0);
}

/* Appends the words of a type, tokens [from, to), as they occur in the name of a conversion. */
static void type_words(const reader *r, int32_t from, int32_t to, gnd__str *out)
{
    for (int32_t t = from; t < to; t++)
        if (!is_at(r, t, "const") && !is_at(r, t, "volatile"))
            gnd__str_addf(out, "%.*s ", (int)r->t[t].len, r->src + r->t[t].at);
}

/* --- expressions ------------------------------------------------------------------------------ */

static void call(reader *r, const char *name, gnd__str *out, const gnd__str *a, const gnd__str *b)
{
    r->used |= gnd__complex_bit(name);
    gnd__str_addf(out, "GNDZ_%s(%s", name, gnd__str_get(a));
    if (b)
        gnd__str_addf(out, ", %s", gnd__str_get(b));
    gnd__str_add(out, ") ");
    out->bad |= a->bad | (b && b->bad);
}

/* The number of tokens of a type in parentheses from the current token on; 0: it is not a cast. */
static int cast_at(const reader *r)
{
    int32_t t = r->at + 1;
    while (t < r->n && is_type(r, t))
        t++;
    if (t == r->at + 1)
        return 0;
    while (is_at(r, t, "*"))
        t++;
    if (!is_at(r, t, ")"))
        return 0;
    const gnd__utoken *next = &r->t[t + 1];
    const int operand =
        next->type == GND__UT_WORD || next->type == GND__UT_NUMBER || is_at(r, t + 1, "(");
    return operand || !is_letter(r, t - 1) ? (int)(t - r->at + 1) : 0;
}

/* name ( arguments ), or a type's name. */
static void named_call(reader *r, gnd__str *out)
{
    const gnd__utoken *name = &r->t[r->at];
    const int type = is_type(r, r->at);
    const char *known = gnd__complex_function(r->src + name->at, name->len);
    gnd__str text = {0};
    int nargs = 0;
    r->at += 2;
    while (!ends(r) && !is_at(r, r->at, ")")) {
        assignment(r, &text);
        nargs++;
        if (is_at(r, r->at, ","))
            copy(r, 1, &text);
        else if (!is_at(r, r->at, ")"))
            refuse(r, "')' is missing here");
    }
    if (!ends(r))
        r->at++;
    if (type)
        gnd__str_addf(out, "GNDZ_%s(%.*s, ", nargs == 2 ? "MAKE" : "AS", (int)name->len,
                      r->src + name->at);
    else if (known) {
        r->used |= gnd__complex_bit(known);
        gnd__str_addf(out, "GNDZ_%s(", known);
    } else
        gnd__str_addf(out, "%.*s(", (int)name->len, r->src + name->at);
    gnd__str_addf(out, "%s) ", gnd__str_get(&text));
    out->bad |= text.bad;
    gnd__str_free(&text);
}

static void primary(reader *r, gnd__str *out)
{
    if (is_at(r, r->at, "(")) {
        copy(r, 1, out);
        expression(r, out);
        copy_mark(r, ")", out);
    } else if (r->t[r->at].type == GND__UT_WORD && is_at(r, r->at + 1, "(")) {
        named_call(r, out);
    } else if (r->t[r->at].type == GND__UT_MARK || ends(r)) {
        refuse(r, "a value is missing here");
    } else {
        copy(r, 1, out);
    }
}

/* A value and its postfix parts: indices, members, ++. */
static void postfix(reader *r, gnd__str *out)
{
    gnd__str a = {0};
    primary(r, &a);
    while (!ends(r)) {
        const int real = is_at(r, r->at + 1, "real"), imag = is_at(r, r->at + 1, "imag");
        if (is_at(r, r->at, "[")) {
            copy(r, 1, &a);
            expression(r, &a);
            copy_mark(r, "]", &a);
        } else if (is_at(r, r->at, ".") && (real || imag) && is_at(r, r->at + 2, "(") &&
                   is_at(r, r->at + 3, ")")) {
            gnd__str part = {0};
            call(r, real ? "REAL" : "IMAG", &part, &a, NULL);
            gnd__str_free(&a);
            a = part;
            r->at += 4;
        } else if (marks_at(r, r->at, "++") || marks_at(r, r->at, "--") || is_at(r, r->at, ".")) {
            copy(r, 2, &a);
        } else if (marks_at(r, r->at, "->")) {
            copy(r, 3, &a);
        } else {
            break;
        }
    }
    gnd__str_addn(out, gnd__str_get(&a), a.len);
    out->bad |= a.bad;
    gnd__str_free(&a);
}

static void unary(reader *r, gnd__str *out)
{
    gnd__str a = {0};
    int n;
    if (++r->depth > DEPTH)
        refuse(r, "an expression of more than 60 levels");
    if (ends(r)) {
        refuse(r, "a value is missing here");
    } else if (marks_at(r, r->at, "++") || marks_at(r, r->at, "--")) {
        copy(r, 2, out);
        unary(r, out);
    } else if (is_at(r, r->at, "-")) {
        r->at++;
        unary(r, &a);
        call(r, "NEG", out, &a, NULL);
    } else if (is_at(r, r->at, "+") || is_at(r, r->at, "!") || is_at(r, r->at, "~") ||
               is_at(r, r->at, "*") || is_at(r, r->at, "&")) {
        copy(r, 1, out);
        unary(r, out);
    } else if (is_at(r, r->at, "sizeof")) {
        copy(r, 1, out);
        n = is_at(r, r->at, "(") ? cast_at(r) : 0;
        n ? copy(r, n, out) : unary(r, out);
    } else if (is_at(r, r->at, "(") && (n = cast_at(r)) > 0) {
        const int32_t type = r->at + 1;
        const int pointer = is_at(r, r->at + n - 2, "*");
        gnd__str_add(out, pointer ? "(" : "GNDZ_AS(");
        type_words(r, type, type + n - 2, out);
        gnd__str_add(out, pointer ? ")" : ", ");
        r->at += n;
        unary(r, out);
        gnd__str_add(out, pointer ? "" : ") ");
    } else {
        postfix(r, out);
    }
    r->depth--;
    out->bad |= a.bad;
    gnd__str_free(&a);
}

/* The operator of two operands at the current token; -1: there is none. */
static int binary_at(const reader *r)
{
    for (int i = 0; i < (int)(sizeof binaries / sizeof *binaries); i++) {
        const int n = (int)strlen(binaries[i].op), level = binaries[i].level;
        if (!marks_at(r, r->at, binaries[i].op))
            continue;
        const int compares = level == 6 || level == 7;
        char assigns[4];
        memcpy(assigns, binaries[i].op, (size_t)n);
        memcpy(assigns + n, "=", 2);
        return !compares && level > 2 && marks_at(r, r->at, assigns) ? -1 : i;
    }
    return -1;
}

static void binary(reader *r, int level, gnd__str *out)
{
    gnd__str a = {0};
    int k;
    unary(r, &a);
    while (!ends(r) && (k = binary_at(r)) >= 0 && binaries[k].level >= level) {
        gnd__str b = {0}, c = {0};
        r->at += (int32_t)strlen(binaries[k].op);
        if (++r->depth > DEPTH)
            refuse(r, "an expression of more than 60 levels");
        binary(r, binaries[k].level + 1, &b);
        r->depth--;
        if (binaries[k].call)
            call(r, binaries[k].call, &c, &a, &b);
        else
            gnd__str_addf(&c, "(%s%s %s) ", gnd__str_get(&a), binaries[k].op, gnd__str_get(&b));
        c.bad |= a.bad | b.bad;
        gnd__str_free(&a);
        gnd__str_free(&b);
        a = c;
    }
    gnd__str_addn(out, gnd__str_get(&a), a.len);
    out->bad |= a.bad;
    gnd__str_free(&a);
}

static void conditional(reader *r, gnd__str *out)
{
    gnd__str a = {0};
    binary(r, 1, &a);
    if (!ends(r) && is_at(r, r->at, "?")) {
        gnd__str_addf(out, "(%s", gnd__str_get(&a));
        copy(r, 1, out);
        if (++r->depth > DEPTH)
            refuse(r, "an expression of more than 60 levels");
        expression(r, out);
        copy_mark(r, ":", out);
        conditional(r, out);
        r->depth--;
        gnd__str_add(out, ") ");
    } else {
        gnd__str_addn(out, gnd__str_get(&a), a.len);
    }
    out->bad |= a.bad;
    gnd__str_free(&a);
}

/* a op= b, written as a = a op b or unchanged */
static void compound(reader *r, const gnd__str *a, gnd__str *out)
{
    static const char *const ops[] = {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    static const char *const calls[] = {"ADD", "SUB", "MUL", "DIV"};
    int k = 0;
    gnd__str b = {0}, c = {0};
    while (k < 10 && !marks_at(r, r->at, ops[k]))
        k++;
    if (k == 10) {
        gnd__str_addn(out, gnd__str_get(a), a->len);
        return;
    }
    if (k < 4 && (strstr(gnd__str_get(a), "++") || strstr(gnd__str_get(a), "--") ||
                  strchr(gnd__str_get(a), '(')))
        refuse(r, "a call, ++ or -- in what is assigned to");
    r->at += (int32_t)strlen(ops[k]);
    assignment(r, &b);
    if (k < 4) {
        call(r, calls[k], &c, a, &b);
        gnd__str_addf(out, "GNDZ_SET(%s, %s) ", gnd__str_get(a), gnd__str_get(&c));
    } else {
        gnd__str_addf(out, "%s%s %s", gnd__str_get(a), ops[k], gnd__str_get(&b));
    }
    out->bad |= a->bad | b.bad | c.bad;
    gnd__str_free(&b);
    gnd__str_free(&c);
}

static void assignment(reader *r, gnd__str *out)
{
    gnd__str a = {0}, b = {0};
    if (++r->depth > DEPTH)
        refuse(r, "an expression of more than 60 levels");
    conditional(r, &a);
    if (!ends(r) && is_at(r, r->at, "=") && !marks_at(r, r->at, "==")) {
        r->at++;
        assignment(r, &b);
        gnd__str_addf(out, "GNDZ_SET(%s, %s) ", gnd__str_get(&a), gnd__str_get(&b));
    } else if (!ends(r)) {
        compound(r, &a, out);
    } else {
        gnd__str_addn(out, gnd__str_get(&a), a.len);
    }
    r->depth--;
    out->bad |= a.bad | b.bad;
    gnd__str_free(&a);
    gnd__str_free(&b);
}

static void expression(reader *r, gnd__str *out)
{
    assignment(r, out);
    while (!ends(r) && is_at(r, r->at, ",")) {
        copy(r, 1, out);
        assignment(r, out);
    }
}

/* --- statements ------------------------------------------------------------------------------- */

/* Whether a declaration begins at the current token. */
static int declares(const reader *r)
{
    return is_type(r, r->at) && !is_at(r, r->at + 1, "(");
}

/* T a = x, b[2], *p = q ... up to the end of the statement. */
static void declaration(reader *r, gnd__str *out)
{
    const int32_t first = r->at;
    int32_t last;
    while (!ends(r) && is_type(r, r->at) && r->t[r->at + 1].type != GND__UT_END)
        copy(r, 1, out);
    last = r->at;
    while (!ends(r) && !is_at(r, r->at, ";")) {
        int plain = 0;
        while (!ends(r) && !is_at(r, r->at, "=") && !is_at(r, r->at, ",") &&
               !is_at(r, r->at, ";")) {
            plain |= is_at(r, r->at, "*") || is_at(r, r->at, "[");
            copy(r, 1, out);
        }
        if (!ends(r) && is_at(r, r->at, "=")) {
            copy(r, 1, out);
            if (is_at(r, r->at, "{")) {
                refuse(r, "initial values in braces");
                return;
            }
            if (!plain) {
                gnd__str_add(out, "GNDZ_AS(");
                type_words(r, first, last, out);
                gnd__str_add(out, ", ");
            }
            assignment(r, out);
            gnd__str_add(out, plain ? "" : ") ");
        }
        if (!ends(r) && is_at(r, r->at, ","))
            copy(r, 1, out);
    }
}

/* The contents of the parentheses of if, while, switch and for. */
static void condition(reader *r, gnd__str *out)
{
    copy_mark(r, "(", out);
    if (!ends(r) && declares(r))
        declaration(r, out);
    while (!ends(r) && !is_at(r, r->at, ")")) {
        if (is_at(r, r->at, ";"))
            copy(r, 1, out);
        else
            expression(r, out);
    }
    copy_mark(r, ")", out);
}

static void statements(reader *r, gnd__str *out)
{
    static const char verbatim[] = "else do break continue default";
    while (!ends(r)) {
        const gnd__utoken *t = &r->t[r->at];
        const int word = t->type == GND__UT_WORD;
        if (t->type == GND__UT_LINE || is_at(r, r->at, "{") || is_at(r, r->at, "}") ||
            is_at(r, r->at, ";") || is_at(r, r->at, ":") ||
            (word && gnd__word_find(verbatim, r->src + t->at, t->len, 0) >= 0)) {
            copy(r, 1, out);
        } else if (is_at(r, r->at, "if") || is_at(r, r->at, "while") || is_at(r, r->at, "for") ||
                   is_at(r, r->at, "switch")) {
            copy(r, 1, out);
            condition(r, out);
        } else if (is_at(r, r->at, "case")) {
            copy(r, 1, out);
            conditional(r, out);
        } else if (declares(r)) {
            declaration(r, out);
        } else {
            expression(r, out);
            if (!ends(r) && !is_at(r, r->at, ";"))
                refuse(r, "this is no expression");
        }
    }
}

gnd_status gnd__complex_text(const char *what, const char *text, int value, gnd__str *out,
                             uint64_t *used, gnd_err *e)
{
    gnd__utoken *token = NULL;
    reader r = {.what = what, .src = text, .line = 1, .e = e};
    r.st = gnd__user_lex(r.what, text, strlen(text), &token, &r.n, e);
    r.t = token;
    if (r.st == GND_OK && value) {
        expression(&r, out);
        if (!ends(&r))
            refuse(&r, "this is no expression");
    } else if (r.st == GND_OK) {
        statements(&r, out);
    }
    gnd__free(token);
    *used |= r.used;
    return out->bad && r.st == GND_OK ? gnd__err(e, GND_ERR_NOMEM, "out of host memory") : r.st;
}
