/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/lex.c - splits text into tokens as Python does: names, numbers (1_000, 0xff, 1e-3, 2j),
 * strings in single or double quotes, operators, comments. The end of a line separates statements
 * except within brackets and after a backslash. Numbers are only delimited here; gnd__expr_number
 * converts them.
 */
#include "lang/expr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_digit(int c)
{
    return c >= '0' && c <= '9';
}
static int is_alpha(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static int is_word(int c)
{
    return is_alpha(c) || is_digit(c);
}

static int add(gnd__expr *x, gnd__tok type, int sub, size_t at, size_t len)
{
    if (gnd__expr_grow(x, &x->tok, x->ntok, &x->captok, sizeof *x->tok))
        return -1;
    x->tok[x->ntok++] = (gnd__token){
        .type = (uint8_t)type, .sub = (uint8_t)sub, .at = (uint32_t)at, .len = (uint32_t)len};
    return 0;
}

/* Longest first. assigns: with = after it, the sign is an augmented assignment ("+="). */
static const struct {
    char s[4];
    uint8_t type, assigns;
} signs[] = {{"...", GND__T_ELLIPSIS, 0}, {"**", GND__T_POW, 1},   {"//", GND__T_FLOORDIV, 1},
             {"<<", GND__T_SHL, 1},       {">>", GND__T_SHR, 1},   {"<=", GND__T_LE, 0},
             {">=", GND__T_GE, 0},        {"==", GND__T_EQ, 0},    {"!=", GND__T_NE, 0},
             {"(", GND__T_LPAREN, 0},     {")", GND__T_RPAREN, 0}, {"[", GND__T_LBRACKET, 0},
             {"]", GND__T_RBRACKET, 0},   {",", GND__T_COMMA, 0},  {":", GND__T_COLON, 0},
             {".", GND__T_DOT, 0},        {"=", GND__T_ASSIGN, 0}, {"+", GND__T_ADD, 1},
             {"-", GND__T_SUB, 1},        {"*", GND__T_MUL, 1},    {"/", GND__T_DIV, 1},
             {"%", GND__T_MOD, 1},        {"@", GND__T_MATMUL, 1}, {"&", GND__T_AND, 1},
             {"|", GND__T_OR, 1},         {"^", GND__T_XOR, 1},    {"<", GND__T_LT, 0},
             {">", GND__T_GT, 0},         {"~", GND__T_INVERT, 0}};

const char *gnd__expr_spelling(gnd__tok t)
{
    if (t == GND__T_NEG)
        return "-";
    if (t == GND__T_POS)
        return "+";
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (signs[i].type == t)
            return signs[i].s;
    return "?";
}

/* Skips digits in a base, with single underscores between them. Returns the offset after them. */
static size_t digits(const char *s, size_t i, int base)
{
    for (;; i++) {
        int c = s[i], ok = is_digit(c)
                               ? c - '0' < base
                               : base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
        if (ok)
            continue;
        if (c == '_' && is_word(s[i + 1]) && s[i + 1] != '_' && i > 0 && is_word(s[i - 1]))
            continue;
        return i;
    }
}

static int number(gnd__expr *x, size_t *pos)
{
    const char *s = x->text;
    size_t at = *pos, i = at;
    int base = s[i] != '0'                          ? 10
               : s[i + 1] == 'x' || s[i + 1] == 'X' ? 16
               : s[i + 1] == 'o' || s[i + 1] == 'O' ? 8
               : s[i + 1] == 'b' || s[i + 1] == 'B' ? 2
                                                    : 10;
    if (base != 10) {
        i = digits(s, at + 2, base);
        if (i == at + 2)
            return gnd__expr_fail(x, GND_ERR_SYNTAX, at, "a number without digits");
    } else {
        i = digits(s, i, 10);
        int is_int = 1;
        if (s[i] == '.' && !(s[i + 1] == '.' && s[i + 2] == '.')) {
            is_int = 0;
            i = digits(s, i + 1, 10);
        }
        if (s[i] == 'e' || s[i] == 'E') {
            size_t k = i + 1 + (s[i + 1] == '+' || s[i + 1] == '-');
            if (is_digit(s[k])) {
                is_int = 0;
                i = digits(s, k, 10);
            }
        }
        if (s[i] == 'j' || s[i] == 'J') {
            is_int = 0;
            i++;
        }
        if (is_int && s[at] == '0') {
            for (size_t k = at; k < i; k++)
                if (s[k] != '0' && s[k] != '_')
                    return gnd__expr_fail(x, GND_ERR_SYNTAX, at,
                                          "an integer with leading zeros (0o for octal)");
        }
    }
    if (is_word(s[i])) {
        size_t k = i;
        while (is_word(s[k]))
            k++;
        int n = (int)(i - at > 20 ? 20 : i - at), m = (int)(k - i > 20 ? 20 : k - i);
        return gnd__expr_fail(
            x, GND_ERR_SYNTAX, i,
            "a number runs into a name: '%.*s%.*s' (a product is written %.*s*%.*s)", n, s + at, m,
            s + i, n, s + at, m, s + i);
    }
    *pos = i;
    return add(x, GND__T_NUM, 0, at, i - at);
}

static int string(gnd__expr *x, size_t *pos)
{
    const char *s = x->text;
    size_t at = *pos, i = at + 1;
    while (i < x->len && s[i] != s[at] && s[i] != '\n' && s[i] != '\\')
        i++;
    if (i < x->len && s[i] == '\\')
        return gnd__expr_fail(x, GND_ERR_SYNTAX, i, "a backslash in a string");
    if (i >= x->len || s[i] != s[at])
        return gnd__expr_fail(x, GND_ERR_SYNTAX, at, "a string without its closing quote");
    *pos = i + 1;
    return add(x, GND__T_STR, 0, at, i + 1 - at);
}

static int bad_character(gnd__expr *x, size_t at)
{
    unsigned char c = (unsigned char)x->text[at];
    if (c < 0x20 || c == 0x7f)
        return gnd__expr_fail(x, GND_ERR_SYNTAX, at, "a control character (0x%02x)", c);
    int n = 1;
    while (c >= 0x80 && n < 4 && ((unsigned char)x->text[at + n] & 0xc0) == 0x80)
        n++;
    const char *hint = c == '!'               ? " (not equal is !=, not is ~)"
                       : c == '$' || c == '?' ? ""
                       : c == '{' || c == '}' ? " (lists are written [1, 2])"
                                              : "";
    return gnd__expr_fail(x, GND_ERR_SYNTAX, at, "unexpected character '%.*s'%s", n, x->text + at,
                          hint);
}

int gnd__expr_lex(gnd__expr *x)
{
    const char *s = x->text;
    size_t i = 0;
    uint32_t open = 0; /* open brackets: within them a line end is white space */
    while (i < x->len) {
        int c = s[i];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
            i++;
        } else if (c == '\\' && (s[i + 1] == '\n' || (s[i + 1] == '\r' && s[i + 2] == '\n'))) {
            i += s[i + 1] == '\n' ? 2 : 3;
        } else if (c == '#') {
            while (i < x->len && s[i] != '\n')
                i++;
        } else if (c == ';' || c == '\n') {
            if ((c == ';' || !open) && add(x, GND__T_SEP, 0, i, 1))
                return -1;
            i++;
        } else if (is_alpha(c)) {
            size_t at = i;
            while (is_word(s[i]))
                i++;
            if (add(x, GND__T_NAME, 0, at, i - at))
                return -1;
        } else if (is_digit(c) || (c == '.' && is_digit(s[i + 1]))) {
            if (number(x, &i))
                return -1;
        } else if (c == '"' || c == '\'') {
            if (string(x, &i))
                return -1;
        } else {
            size_t k = 0, n = sizeof signs / sizeof signs[0];
            while (k < n && (c != signs[k].s[0] || strncmp(s + i, signs[k].s, strlen(signs[k].s))))
                k++;
            if (k == n)
                return bad_character(x, i);
            const size_t len = strlen(signs[k].s);
            const int augments = signs[k].assigns && s[i + len] == '=';
            const gnd__tok type = (gnd__tok)signs[k].type;
            if (augments ? add(x, GND__T_AUGMENT, type, i, len + 1) : add(x, type, 0, i, len))
                return -1;
            open += c == '(' || c == '[';
            open -= open && (c == ')' || c == ']');
            i += len + (size_t)augments;
        }
    }
    return add(x, GND__T_END, 0, x->len, 0);
}

/* Converts the digits of an integer token to *u. Returns 1 if the value does not fit. */
static int integer(const char *s, size_t n, uint64_t *u)
{
    unsigned base = 10;
    size_t i = 0;
    if (n > 2 && s[0] == '0' && !is_digit(s[1]) && s[1] != '_') {
        base = s[1] == 'x' || s[1] == 'X' ? 16 : s[1] == 'o' || s[1] == 'O' ? 8 : 2;
        i = 2;
    }
    *u = 0;
    for (; i < n; i++) {
        if (s[i] == '_')
            continue;
        unsigned d = (unsigned)(is_digit(s[i]) ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
        if (*u > (UINT64_MAX - d) / base)
            return 1;
        *u = *u * base + d;
    }
    return 0;
}

static int read_number(gnd__expr *x, const gnd__token *t, int negate, gnd__val *v)
{
    const char *s = x->text + t->at;
    int hex = t->len > 1 && s[0] == '0' && (s[1] | 0x20) >= 'a' && !strchr("eEjJ", s[1]);
    int is_int = hex, imag = !hex && (s[t->len - 1] | 0x20) == 'j';
    if (!hex) {
        is_int = 1;
        for (uint32_t i = 0; i < t->len; i++)
            if (!is_digit(s[i]) && s[i] != '_')
                is_int = 0;
    }
    if (is_int) {
        uint64_t u;
        if (integer(s, t->len, &u) || (negate && u > (uint64_t)INT64_MAX + 1))
            return gnd__expr_fail(x, GND_ERR_OVERFLOW, t->at,
                                  "the integer %.*s%s fits neither int64 nor uint64",
                                  (int)(t->len > 40 ? 40 : t->len), s, t->len > 40 ? "..." : "");
        *v = negate ? gnd__val_int((int64_t)(0 - u)) : gnd__val_uint(u);
        return 0;
    }
    char buf[1100];
    size_t n = 0, len = t->len - (size_t)imag;
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '_')
            continue;
        if (n + 1 >= sizeof buf)
            return gnd__expr_fail(x, GND_ERR_SYNTAX, t->at, "a number of more than 1,000 digits");
        buf[n++] = s[i];
    }
    buf[n] = 0;
    if (!x->c_locale)
        x->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!x->c_locale)
        return gnd__expr_nomem(x);
    double d = strtod_l(buf, NULL, x->c_locale);
    if (negate)
        d = -d;
    *v = imag ? gnd__val_complex(negate ? -0.0 : 0.0, d) : gnd__val_float(d);
    return 0;
}

int gnd__expr_number(gnd__expr *x, const gnd__token *t, gnd__val *v)
{
    return read_number(x, t, 0, v);
}

int gnd__expr_negated(gnd__expr *x, const gnd__token *t, gnd__val *v)
{
    return read_number(x, t, 1, v);
}
