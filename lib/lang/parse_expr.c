/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/parse_expr.c - converts the tokens of expressions to a program for a stack machine. parse.c
 * gives the grammar and parses statements.
 *
 * Chains of operators of one level are parsed in loops, so only brackets and ** nest; their depth
 * is limited here (GND__EXPR_DEPTH).
 */
#include "lang/parse.h"

#include <string.h>

/* Names that may stand before a dot and a function's name, unless a value has that name. */
static const char *const modules[] = {"np", "numpy", "random", "linalg", "fft"};

static int binary(gnd__parser *p, int above);

/* The index in modules of token t, if a dot and a name follow it; else -1. */
static int module_of(const gnd__parser *p, const gnd__token *t)
{
    for (int i = 0; i < 5; i++)
        if (gnd__parse_is_word(p, t, modules[i]))
            return t[1].type == GND__T_DOT && t[2].type == GND__T_NAME && !(p->bound >> i & 1) &&
                           !gnd__table_get(p->x->names, p->x->text + t->at, t->len)
                       ? i
                       : -1;
    return -1;
}

int gnd__parse_emit(gnd__parser *p, gnd__code code, int op, uint32_t at, uint32_t n,
                    const gnd__val *v)
{
    gnd__expr *x = p->x;
    if (gnd__expr_grow(x, &x->code, x->ncode, &x->capcode, sizeof *x->code))
        return -1;
    gnd__instr *i = &x->code[x->ncode++];
    *i = (gnd__instr){.code = (uint8_t)code, .tok = (uint8_t)op, .at = at, .n = n};
    if (v)
        i->v = *v;
    return 0;
}

void gnd__parse_bound(gnd__parser *p, const gnd__token *t)
{
    for (int i = 0; i < 5; i++)
        p->bound |= (unsigned)gnd__parse_is_word(p, t, modules[i]) << i;
}

/* --- what is not expected --------------------------------------------------------------------- */

/* Python's words that have no meaning here, and what to write instead. */
static const char *const words[][2] = {
    {"and", "for arrays write (a) & (b), or logical_and(a, b)"},
    {"or", "for arrays write (a) | (b), or logical_or(a, b)"},
    {"not", "for arrays write ~(a), or logical_not(a)"},
    {"if", "choose with where(condition, a, b)"},
    {"else", "choose with where(condition, a, b)"},
    {"is", "compare with =="},
    {"in", "compare with == and any()"},
    {"for", "arrays are computed as a whole"},
    {"while", "arrays are computed as a whole"},
    {"lambda", "functions cannot be defined"},
    {"def", "functions cannot be defined"},
    {"import", "every function is there already"},
    {"from", "every function is there already"},
    {"return", "the value of the last statement is the result"},
    {"del", "names go by themselves"},
};

const char *const *gnd__parse_reserved(const gnd__parser *p, const gnd__token *t)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (gnd__parse_is_word(p, t, words[i][0]))
            return words[i];
    return NULL;
}

int gnd__parse_unexpected(gnd__parser *p, const char *wanted)
{
    const gnd__token *t = gnd__parse_tok(p);
    gnd__expr *x = p->x;
    const char *const *word = gnd__parse_reserved(p, t);
    if (word)
        return gnd__expr_fail(x, GND_ERR_SYNTAX, t->at, "'%s' is not supported: %s", word[0],
                              word[1]);
    if (t->type == GND__T_END || (t->type == GND__T_SEP && x->text[t->at] == '\n'))
        return gnd__expr_fail(x, GND_ERR_SYNTAX, t->at, "the expression ends where %s is expected",
                              wanted);
    const char *own = x->text + t->at;
    if (t->at > 0 && (own[0] == '&' || own[0] == '|') && own[-1] == own[0])
        return gnd__expr_fail(x, GND_ERR_SYNTAX, t->at,
                              "'%c%c' is not supported: for arrays write (a) %c (b)", own[0],
                              own[0], own[0]);
    int n = (int)(t->len > 40 ? 40 : t->len);
    return gnd__expr_fail(x, GND_ERR_SYNTAX, t->at, "unexpected '%.*s': %s is expected", n, own,
                          wanted);
}

static int deeper(gnd__parser *p)
{
    if (++p->depth > GND__EXPR_DEPTH)
        return gnd__expr_fail(p->x, GND_ERR_SYNTAX, gnd__parse_tok(p)->at,
                              "more than %d levels of nesting: give parts a name", GND__EXPR_DEPTH);
    return 0;
}

/* --- atoms ------------------------------------------------------------------------------------ */

/* Parses items separated by commas, up to the closing token. *n is the number of items; *comma is 1
 * if there was a comma. */
static int items(gnd__parser *p, gnd__tok close, uint32_t *n, int *comma)
{
    *n = 0;
    *comma = 0;
    while (!gnd__parse_is(p, close)) {
        if (binary(p, 0))
            return -1;
        ++*n;
        if (gnd__parse_is(p, close))
            break;
        if (!gnd__parse_is(p, GND__T_COMMA))
            return gnd__parse_unexpected(p, close == GND__T_RPAREN ? "',' or ')'" : "',' or ']'");
        *comma = 1;
        p->pos++;
    }
    return 0;
}

static int group(gnd__parser *p)
{
    const gnd__token *t = gnd__parse_tok(p);
    uint32_t at = t->at, n;
    int list = t->type == GND__T_LBRACKET, comma;
    if (deeper(p))
        return -1;
    p->pos++;
    if (items(p, list ? GND__T_RBRACKET : GND__T_RPAREN, &n, &comma))
        return -1;
    p->pos++;
    p->depth--;
    if (list)
        return gnd__parse_emit(p, GND__I_LIST, 0, at, n, NULL);
    return n == 1 && !comma ? 0 : gnd__parse_emit(p, GND__I_TUPLE, 0, at, n, NULL);
}

/* Parses the arguments of a call, after its '('. */
static int arguments(gnd__parser *p, uint32_t *n)
{
    uint32_t keyword = 0;
    *n = 0;
    if (deeper(p))
        return -1;
    while (!gnd__parse_is(p, GND__T_RPAREN)) {
        const gnd__token *t = gnd__parse_tok(p);
        uint32_t at = t->at, len = t->len, named = 0;
        if (t->type == GND__T_NAME && t[1].type == GND__T_ASSIGN) {
            named = 1;
            keyword = 1;
            p->pos += 2;
        } else if (t->type == GND__T_MUL || t->type == GND__T_POW) {
            return gnd__expr_fail(p->x, GND_ERR_SYNTAX, at,
                                  "arguments cannot be unpacked: write them out");
        }
        if (binary(p, 0))
            return -1;
        if (keyword && !named)
            return gnd__expr_fail(p->x, GND_ERR_SYNTAX, at,
                                  "a positional argument after a keyword argument");
        if (gnd__parse_emit(p, named ? GND__I_KEYWORD : GND__I_ARG, 0, at, named ? len : 0, NULL))
            return -1;
        ++*n;
        if (gnd__parse_is(p, GND__T_COMMA))
            p->pos++;
        else if (!gnd__parse_is(p, GND__T_RPAREN))
            return gnd__parse_unexpected(p, "',' or ')'");
    }
    p->pos++;
    p->depth--;
    return 0;
}

/* Parses one entry of an index: a value, or start:stop:step. */
static int index_entry(gnd__parser *p)
{
    uint32_t at = gnd__parse_tok(p)->at;
    int parts = 0;
    if (!gnd__parse_is(p, GND__T_COLON)) {
        if (binary(p, 0))
            return -1;
        if (!gnd__parse_is(p, GND__T_COLON))
            return gnd__parse_emit(p, GND__I_ARG, 0, at, 0, NULL);
    } else if (gnd__parse_emit(p, GND__I_NONE, 0, at, 0, NULL)) {
        return -1;
    }
    for (parts = 1; parts < 3 && gnd__parse_is(p, GND__T_COLON); parts++) {
        p->pos++;
        if (gnd__parse_is(p, GND__T_COLON) || gnd__parse_is(p, GND__T_COMMA) ||
            gnd__parse_is(p, GND__T_RBRACKET)) {
            if (gnd__parse_emit(p, GND__I_NONE, 0, at, 0, NULL))
                return -1;
        } else if (binary(p, 0)) {
            return -1;
        }
    }
    for (; parts < 3; parts++)
        if (gnd__parse_emit(p, GND__I_NONE, 0, at, 0, NULL))
            return -1;
    return gnd__parse_emit(p, GND__I_SLICE, 0, at, 0, NULL);
}

int gnd__parse_index(gnd__parser *p, uint32_t *count)
{
    uint32_t n = 0;
    int comma = 0;
    if (deeper(p))
        return -1;
    p->pos++;
    while (!gnd__parse_is(p, GND__T_RBRACKET)) {
        if (index_entry(p))
            return -1;
        n++;
        if (gnd__parse_is(p, GND__T_COMMA)) {
            comma = 1;
            p->pos++;
        } else if (!gnd__parse_is(p, GND__T_RBRACKET)) {
            return gnd__parse_unexpected(p, "',' or ']'");
        }
    }
    if (!n && !comma)
        return gnd__parse_unexpected(p, "an index");
    p->pos++;
    p->depth--;
    *count = n;
    return 0;
}

static int index_list(gnd__parser *p)
{
    uint32_t at = gnd__parse_tok(p)->at, n;
    return gnd__parse_index(p, &n) || gnd__parse_emit(p, GND__I_INDEX, 0, at, n, NULL) ? -1 : 0;
}

/* Parses a call of the name t. code: a function, or a method of the value below the arguments. */
static int call(gnd__parser *p, const gnd__token *t, gnd__code code)
{
    uint32_t at = t->at, len = t->len, n;
    p->pos++;
    if (arguments(p, &n))
        return -1;
    gnd__val count = gnd__val_int(n);
    return gnd__parse_emit(p, code, 0, at, len, &count);
}

static int of_ufunc(const gnd__parser *p, const gnd__token *t)
{
    return gnd__parse_is_word(p, t, "reduce") || gnd__parse_is_word(p, t, "accumulate") ||
           gnd__parse_is_word(p, t, "outer") || gnd__parse_is_word(p, t, "at");
}

static int name(gnd__parser *p)
{
    const gnd__token *t = gnd__parse_tok(p);
    if (gnd__parse_reserved(p, t))
        return gnd__parse_unexpected(p, "a value");
    int module = module_of(p, t);
    if (module == 0 || module == 1) { /* np.sin is sin */
        p->pos += 2;
        t = gnd__parse_tok(p);
        module = module_of(p, t);
    }
    /* random.normal(...) is one name, and so are names of linalg and fft: without the module some
     * are other functions */
    gnd__token dotted = *t;
    if (module > 1 && t[3].type == GND__T_LPAREN) {
        dotted.len = t[2].at + t[2].len - t->at;
        p->pos += 3;
        return call(p, &dotted, GND__I_CALL);
    }
    /* add.reduce(...) is one name too: arrays have no such methods */
    if (t[1].type == GND__T_DOT && t[2].type == GND__T_NAME && t[3].type == GND__T_LPAREN &&
        of_ufunc(p, &t[2]) && !gnd__table_get(p->x->names, p->x->text + t->at, t->len)) {
        dotted.len = t[2].at + t[2].len - t->at;
        p->pos += 3;
        return call(p, &dotted, GND__I_CALL);
    }
    p->pos++;
    if (gnd__parse_is(p, GND__T_LPAREN))
        return call(p, t, GND__I_CALL);
    return gnd__parse_emit(p, GND__I_NAME, 0, t->at, t->len, NULL);
}

static int atom(gnd__parser *p)
{
    const gnd__token *t = gnd__parse_tok(p);
    gnd__val v;
    switch (t->type) {
    case GND__T_NUM:
        if (gnd__expr_number(p->x, t, &v))
            return -1;
        p->pos++;
        return gnd__parse_emit(p, GND__I_NUM, 0, t->at, t->len, &v);
    case GND__T_STR:
        p->pos++;
        return gnd__parse_emit(p, GND__I_STR, 0, t->at + 1, t->len - 2, NULL);
    case GND__T_ELLIPSIS: p->pos++; return gnd__parse_emit(p, GND__I_ELLIPSIS, 0, t->at, 0, NULL);
    case GND__T_NAME: return name(p);
    case GND__T_LPAREN:
    case GND__T_LBRACKET: return group(p);
    default: return gnd__parse_unexpected(p, "a value");
    }
}

/* --- operators -------------------------------------------------------------------------------- */

static int postfix(gnd__parser *p)
{
    if (atom(p))
        return -1;
    for (;;) {
        const gnd__token *t = gnd__parse_tok(p);
        if (t->type == GND__T_LBRACKET) {
            if (index_list(p))
                return -1;
        } else if (t->type == GND__T_DOT) {
            p->pos++;
            t = gnd__parse_tok(p);
            if (t->type != GND__T_NAME)
                return gnd__parse_unexpected(p, "the name of an attribute");
            p->pos++;
            if (gnd__parse_is(p, GND__T_LPAREN)
                    ? call(p, t, GND__I_METHOD)
                    : gnd__parse_emit(p, GND__I_ATTR, 0, t->at, t->len, NULL))
                return -1;
        } else if (t->type == GND__T_LPAREN) {
            return gnd__expr_fail(p->x, GND_ERR_SYNTAX, t->at,
                                  "only functions and methods can be called (a product needs *)");
        } else {
            return 0;
        }
    }
}

static int is_sign(const gnd__parser *p)
{
    return gnd__parse_is(p, GND__T_SUB) || gnd__parse_is(p, GND__T_ADD) ||
           gnd__parse_is(p, GND__T_INVERT);
}

static int unary(gnd__parser *p)
{
    uint32_t first = p->pos, signs;
    while (is_sign(p))
        p->pos++;
    signs = p->pos;
    const gnd__token *t = gnd__parse_tok(p);
    if (signs > first && t[-1].type == GND__T_SUB && t->type == GND__T_NUM &&
        t[1].type != GND__T_POW && t[1].type != GND__T_DOT && t[1].type != GND__T_LBRACKET &&
        t[1].type != GND__T_LPAREN) {
        /* Read the sign with the number, so that the smallest int can be written. */
        gnd__val v;
        if (gnd__expr_negated(p->x, t, &v) ||
            gnd__parse_emit(p, GND__I_NUM, 0, t[-1].at, t->len, &v))
            return -1;
        p->pos++;
        signs--;
    } else {
        if (postfix(p))
            return -1;
        if (gnd__parse_is(p, GND__T_POW)) {
            uint32_t at = gnd__parse_tok(p)->at;
            if (deeper(p))
                return -1;
            p->pos++;
            if (unary(p) || gnd__parse_emit(p, GND__I_BINARY, GND__T_POW, at, 0, NULL))
                return -1;
            p->depth--;
        }
    }
    while (signs-- > first) {
        const gnd__token *s = &p->x->tok[signs];
        gnd__tok op = s->type == GND__T_SUB   ? GND__T_NEG
                      : s->type == GND__T_ADD ? GND__T_POS
                                              : GND__T_INVERT;
        if (gnd__parse_emit(p, GND__I_UNARY, op, s->at, 0, NULL))
            return -1;
    }
    return 0;
}

static int precedence(int t)
{
    switch (t) {
    case GND__T_LT:
    case GND__T_LE:
    case GND__T_GT:
    case GND__T_GE:
    case GND__T_EQ:
    case GND__T_NE: return 1;
    case GND__T_OR: return 2;
    case GND__T_XOR: return 3;
    case GND__T_AND: return 4;
    case GND__T_SHL:
    case GND__T_SHR: return 5;
    case GND__T_ADD:
    case GND__T_SUB: return 6;
    case GND__T_MUL:
    case GND__T_DIV:
    case GND__T_FLOORDIV:
    case GND__T_MOD:
    case GND__T_MATMUL: return 7;
    default: return 0;
    }
}

/* Parses operators that bind tighter than `above`. At most seven calls are nested per bracket. */
static int binary(gnd__parser *p, int above)
{
    if (unary(p))
        return -1;
    int compared = 0;
    for (;;) {
        const gnd__token *t = gnd__parse_tok(p);
        int prec = precedence(t->type);
        if (prec <= above)
            return 0;
        if (prec == 1 && compared++)
            return gnd__expr_fail(p->x, GND_ERR_SYNTAX, t->at,
                                  "comparisons cannot be chained: write (a < b) & (b < c)");
        p->pos++;
        if (binary(p, prec) || gnd__parse_emit(p, GND__I_BINARY, t->type, t->at, 0, NULL))
            return -1;
    }
}

int gnd__parse_tuple(gnd__parser *p)
{
    uint32_t n = 1, at = gnd__parse_tok(p)->at;
    if (binary(p, 0))
        return -1;
    if (!gnd__parse_is(p, GND__T_COMMA))
        return 0;
    while (gnd__parse_is(p, GND__T_COMMA)) {
        p->pos++;
        if (gnd__parse_is(p, GND__T_END) || gnd__parse_is(p, GND__T_SEP))
            break;
        if (binary(p, 0))
            return -1;
        n++;
    }
    return gnd__parse_emit(p, GND__I_TUPLE, 0, at, n, NULL);
}
