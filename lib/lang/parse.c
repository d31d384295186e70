/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/parse.c - tokens to a program for a stack machine, with Python's grammar for expressions:
 *
 *     statement   (NAME [, NAME ...] =)* tuple | NAME op= tuple | NAME [ INDEX ] (= | op=) tuple
 *     tuple       binary [, binary ...] [,]
 *     binary      operators by precedence: comparison < | < ^ < & < shifts < + - < * / // % @
 *     unary       (+ - ~)* power;  power: postfix [** unary]
 *     postfix     atom (( ARGS ) | [ INDEX ] | . NAME)*
 *
 * Chains of one level are loops, so only brackets and ** nest (GND__EXPR_DEPTH, checked here); the
 * machine that runs the program has no recursion at all. A program is as long as its text.
 */
#include "lang/expr.h"

#include <string.h>

typedef struct parser {
    gnd__expr *x;
    uint32_t pos;
    int depth;
    unsigned bound; /* bit i: a statement has given modules[i] a value */
} parser;

/* Words that may stand before a function's name and a dot, unless they are names of values. */
static const char *const modules[] = {"np", "numpy", "random", "linalg", "fft"};

static int binary(parser *p, int above);

static const gnd__token *tok(const parser *p)
{
    return &p->x->tok[p->pos];
}

static int is(const parser *p, gnd__tok t)
{
    return tok(p)->type == t;
}

static int is_word(const parser *p, const gnd__token *t, const char *word)
{
    return t->type == GND__T_NAME && t->len == strlen(word) &&
           !memcmp(p->x->text + t->at, word, t->len);
}

/* The number of the module that token t names, with a name behind it; -1: it names none. */
static int module_of(const parser *p, const gnd__token *t)
{
    for (int i = 0; i < 5; i++)
        if (is_word(p, t, modules[i]))
            return t[1].type == GND__T_DOT && t[2].type == GND__T_NAME && !(p->bound >> i & 1) &&
                           !gnd__table_get(p->x->names, p->x->text + t->at, t->len)
                       ? i
                       : -1;
    return -1;
}

static int emit(parser *p, gnd__code code, int op, uint32_t at, uint32_t n, const gnd__val *v)
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

static const char *const *reserved(const parser *p, const gnd__token *t)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (is_word(p, t, words[i][0]))
            return words[i];
    return NULL;
}

static int unexpected(parser *p, const char *wanted)
{
    const gnd__token *t = tok(p);
    gnd__expr *x = p->x;
    const char *const *word = reserved(p, t);
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

static int deeper(parser *p)
{
    if (++p->depth > GND__EXPR_DEPTH)
        return gnd__expr_fail(p->x, GND_ERR_SYNTAX, tok(p)->at,
                              "more than %d levels of nesting: give parts a name", GND__EXPR_DEPTH);
    return 0;
}

/* --- atoms ------------------------------------------------------------------------------------ */

/* Items with commas between, up to the closing token; *n of them and whether there was a comma. */
static int items(parser *p, gnd__tok close, uint32_t *n, int *comma)
{
    *n = 0;
    *comma = 0;
    while (!is(p, close)) {
        if (binary(p, 0))
            return -1;
        ++*n;
        if (is(p, close))
            break;
        if (!is(p, GND__T_COMMA))
            return unexpected(p, close == GND__T_RPAREN ? "',' or ')'" : "',' or ']'");
        *comma = 1;
        p->pos++;
    }
    return 0;
}

static int group(parser *p)
{
    const gnd__token *t = tok(p);
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
        return emit(p, GND__I_LIST, 0, at, n, NULL);
    return n == 1 && !comma ? 0 : emit(p, GND__I_TUPLE, 0, at, n, NULL);
}

/* The arguments of a call, after its '('. */
static int arguments(parser *p, uint32_t *n)
{
    uint32_t keyword = 0;
    *n = 0;
    if (deeper(p))
        return -1;
    while (!is(p, GND__T_RPAREN)) {
        const gnd__token *t = tok(p);
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
        if (emit(p, named ? GND__I_KEYWORD : GND__I_ARG, 0, at, named ? len : 0, NULL))
            return -1;
        ++*n;
        if (is(p, GND__T_COMMA))
            p->pos++;
        else if (!is(p, GND__T_RPAREN))
            return unexpected(p, "',' or ')'");
    }
    p->pos++;
    p->depth--;
    return 0;
}

/* One entry of an index: a value, or start:stop:step. */
static int index_entry(parser *p)
{
    uint32_t at = tok(p)->at;
    int parts = 0;
    if (!is(p, GND__T_COLON)) {
        if (binary(p, 0))
            return -1;
        if (!is(p, GND__T_COLON))
            return emit(p, GND__I_ARG, 0, at, 0, NULL);
    } else if (emit(p, GND__I_NONE, 0, at, 0, NULL)) {
        return -1;
    }
    for (parts = 1; parts < 3 && is(p, GND__T_COLON); parts++) {
        p->pos++;
        if (is(p, GND__T_COLON) || is(p, GND__T_COMMA) || is(p, GND__T_RBRACKET)) {
            if (emit(p, GND__I_NONE, 0, at, 0, NULL))
                return -1;
        } else if (binary(p, 0)) {
            return -1;
        }
    }
    for (; parts < 3; parts++)
        if (emit(p, GND__I_NONE, 0, at, 0, NULL))
            return -1;
    return emit(p, GND__I_SLICE, 0, at, 0, NULL);
}

/* The entries of an index, from its '[' on: their number. */
static int index_entries(parser *p, uint32_t *count)
{
    uint32_t n = 0;
    int comma = 0;
    if (deeper(p))
        return -1;
    p->pos++;
    while (!is(p, GND__T_RBRACKET)) {
        if (index_entry(p))
            return -1;
        n++;
        if (is(p, GND__T_COMMA)) {
            comma = 1;
            p->pos++;
        } else if (!is(p, GND__T_RBRACKET)) {
            return unexpected(p, "',' or ']'");
        }
    }
    if (!n && !comma)
        return unexpected(p, "an index");
    p->pos++;
    p->depth--;
    *count = n;
    return 0;
}

static int index_list(parser *p)
{
    uint32_t at = tok(p)->at, n;
    return index_entries(p, &n) || emit(p, GND__I_INDEX, 0, at, n, NULL) ? -1 : 0;
}

/* A call of the name t: a method when there is a value below. */
static int call(parser *p, const gnd__token *t, gnd__code code)
{
    uint32_t at = t->at, len = t->len, n;
    p->pos++;
    if (arguments(p, &n))
        return -1;
    gnd__val count = gnd__val_int(n);
    return emit(p, code, 0, at, len, &count);
}

static int of_ufunc(const parser *p, const gnd__token *t)
{
    return is_word(p, t, "reduce") || is_word(p, t, "accumulate") || is_word(p, t, "outer") ||
           is_word(p, t, "at");
}

static int name(parser *p)
{
    const gnd__token *t = tok(p);
    if (reserved(p, t))
        return unexpected(p, "a value");
    int module = module_of(p, t);
    if (module == 0 || module == 1) { /* np.sin is sin */
        p->pos += 2;
        t = tok(p);
        module = module_of(p, t);
    }
    /* random.normal(...) is one name, and so with linalg and fft: some are other functions without
     * it */
    gnd__token dotted = *t;
    if (module > 1 && t[3].type == GND__T_LPAREN) {
        dotted.len = t[2].at + t[2].len - t->at;
        p->pos += 3;
        return call(p, &dotted, GND__I_CALL);
    }
    /* add.reduce(...) is one name too: no array has such a method */
    if (t[1].type == GND__T_DOT && t[2].type == GND__T_NAME && t[3].type == GND__T_LPAREN &&
        of_ufunc(p, &t[2]) && !gnd__table_get(p->x->names, p->x->text + t->at, t->len)) {
        dotted.len = t[2].at + t[2].len - t->at;
        p->pos += 3;
        return call(p, &dotted, GND__I_CALL);
    }
    p->pos++;
    if (is(p, GND__T_LPAREN))
        return call(p, t, GND__I_CALL);
    return emit(p, GND__I_NAME, 0, t->at, t->len, NULL);
}

static int atom(parser *p)
{
    const gnd__token *t = tok(p);
    gnd__val v;
    switch (t->type) {
    case GND__T_NUM:
        if (gnd__expr_number(p->x, t, &v))
            return -1;
        p->pos++;
        return emit(p, GND__I_NUM, 0, t->at, t->len, &v);
    case GND__T_STR: p->pos++; return emit(p, GND__I_STR, 0, t->at + 1, t->len - 2, NULL);
    case GND__T_ELLIPSIS: p->pos++; return emit(p, GND__I_ELLIPSIS, 0, t->at, 0, NULL);
    case GND__T_NAME: return name(p);
    case GND__T_LPAREN:
    case GND__T_LBRACKET: return group(p);
    default: return unexpected(p, "a value");
    }
}

/* --- operators -------------------------------------------------------------------------------- */

static int postfix(parser *p)
{
    if (atom(p))
        return -1;
    for (;;) {
        const gnd__token *t = tok(p);
        if (t->type == GND__T_LBRACKET) {
            if (index_list(p))
                return -1;
        } else if (t->type == GND__T_DOT) {
            p->pos++;
            t = tok(p);
            if (t->type != GND__T_NAME)
                return unexpected(p, "the name of an attribute");
            p->pos++;
            if (is(p, GND__T_LPAREN) ? call(p, t, GND__I_METHOD)
                                     : emit(p, GND__I_ATTR, 0, t->at, t->len, NULL))
                return -1;
        } else if (t->type == GND__T_LPAREN) {
            return gnd__expr_fail(p->x, GND_ERR_SYNTAX, t->at,
                                  "only functions and methods can be called (a product needs *)");
        } else {
            return 0;
        }
    }
}

static int is_sign(const parser *p)
{
    return is(p, GND__T_SUB) || is(p, GND__T_ADD) || is(p, GND__T_INVERT);
}

static int unary(parser *p)
{
    uint32_t first = p->pos, signs;
    while (is_sign(p))
        p->pos++;
    signs = p->pos;
    const gnd__token *t = tok(p);
    if (signs > first && t[-1].type == GND__T_SUB && t->type == GND__T_NUM &&
        t[1].type != GND__T_POW && t[1].type != GND__T_DOT && t[1].type != GND__T_LBRACKET &&
        t[1].type != GND__T_LPAREN) {
        /* A negative number: so the smallest int can be written. */
        gnd__val v;
        if (gnd__expr_negated(p->x, t, &v) || emit(p, GND__I_NUM, 0, t[-1].at, t->len, &v))
            return -1;
        p->pos++;
        signs--;
    } else {
        if (postfix(p))
            return -1;
        if (is(p, GND__T_POW)) {
            uint32_t at = tok(p)->at;
            if (deeper(p))
                return -1;
            p->pos++;
            if (unary(p) || emit(p, GND__I_BINARY, GND__T_POW, at, 0, NULL))
                return -1;
            p->depth--;
        }
    }
    while (signs-- > first) {
        const gnd__token *s = &p->x->tok[signs];
        gnd__tok op = s->type == GND__T_SUB   ? GND__T_NEG
                      : s->type == GND__T_ADD ? GND__T_POS
                                              : GND__T_INVERT;
        if (emit(p, GND__I_UNARY, op, s->at, 0, NULL))
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

/* Operators that bind tighter than `above`: at most seven calls deep for each bracket. */
static int binary(parser *p, int above)
{
    if (unary(p))
        return -1;
    int compared = 0;
    for (;;) {
        const gnd__token *t = tok(p);
        int prec = precedence(t->type);
        if (prec <= above)
            return 0;
        if (prec == 1 && compared++)
            return gnd__expr_fail(p->x, GND_ERR_SYNTAX, t->at,
                                  "comparisons cannot be chained: write (a < b) & (b < c)");
        p->pos++;
        if (binary(p, prec) || emit(p, GND__I_BINARY, t->type, t->at, 0, NULL))
            return -1;
    }
}

static int tuple(parser *p)
{
    uint32_t n = 1, at = tok(p)->at;
    if (binary(p, 0))
        return -1;
    if (!is(p, GND__T_COMMA))
        return 0;
    while (is(p, GND__T_COMMA)) {
        p->pos++;
        if (is(p, GND__T_END) || is(p, GND__T_SEP))
            break;
        if (binary(p, 0))
            return -1;
        n++;
    }
    return emit(p, GND__I_TUPLE, 0, at, n, NULL);
}

/* --- statements ------------------------------------------------------------------------------- */

/* The number of names of a target list "a, b =" at the current token; 0 when it is none. */
static uint32_t targets(const parser *p, uint32_t *commas)
{
    uint32_t i = p->pos, n = 0;
    *commas = 0;
    while (p->x->tok[i].type == GND__T_NAME) {
        n++;
        i++;
        if (p->x->tok[i].type == GND__T_ASSIGN)
            return n;
        if (p->x->tok[i].type != GND__T_COMMA)
            return 0;
        ++*commas;
        i++;
    }
    return n && p->x->tok[i].type == GND__T_ASSIGN ? n : 0;
}

static int check_target(parser *p, const gnd__token *t)
{
    if (reserved(p, t) || is_word(p, t, "None") || is_word(p, t, "True") || is_word(p, t, "False"))
        return gnd__expr_fail(p->x, GND_ERR_SYNTAX, t->at, "'%.*s' cannot be assigned to",
                              (int)t->len, p->x->text + t->at);
    return 0;
}

static int store(parser *p, const gnd__token *t)
{
    for (int i = 0; i < 5; i++)
        p->bound |= (unsigned)is_word(p, t, modules[i]) << i;
    return check_target(p, t) || emit(p, GND__I_STORE, 0, t->at, t->len, NULL) ? -1 : 0;
}

static int end_of_statement(parser *p)
{
    const gnd__token *t = tok(p);
    if (t->type == GND__T_END || t->type == GND__T_SEP)
        return 0;
    if (t->type == GND__T_ASSIGN || t->type == GND__T_AUGMENT)
        return gnd__expr_fail(p->x, GND_ERR_SYNTAX, t->at,
                              "only a name, or x[...] of a name, can be assigned to");
    if (t->type == GND__T_COLON)
        return gnd__expr_fail(p->x, GND_ERR_SYNTAX, t->at, "a ':' outside an index");
    if (t->type == GND__T_RPAREN || t->type == GND__T_RBRACKET)
        return gnd__expr_fail(p->x, GND_ERR_SYNTAX, t->at, "a '%c' that nothing opened",
                              p->x->text[t->at]);
    return unexpected(p, "an operator");
}

/* Whether "NAME [ ... ] =" or op= begins here. */
static int sets_elements(const parser *p)
{
    const gnd__token *t = tok(p);
    int depth = 0;
    if (t->type != GND__T_NAME || t[1].type != GND__T_LBRACKET)
        return 0;
    for (t++; t->type != GND__T_END; t++) {
        depth += (t->type == GND__T_LBRACKET) - (t->type == GND__T_RBRACKET);
        if (depth == 0)
            return t[1].type == GND__T_ASSIGN || t[1].type == GND__T_AUGMENT;
    }
    return 0;
}

/* x[i] = v as x = set(x, i, v): the name gets a new array. x[i] += v reads x[i] first. */
static int set_elements(parser *p)
{
    const gnd__token *t = tok(p), *op;
    uint32_t n, at = t[1].at;
    p->pos++;
    if (check_target(p, t) || emit(p, GND__I_NAME, 0, t->at, t->len, NULL) || index_entries(p, &n))
        return -1;
    op = tok(p);
    p->pos++;
    if (op->type == GND__T_AUGMENT &&
        (emit(p, GND__I_AGAIN, 0, at, n + 1, NULL) || emit(p, GND__I_INDEX, 0, at, n, NULL)))
        return -1;
    if (tuple(p) ||
        (op->type == GND__T_AUGMENT && emit(p, GND__I_BINARY, op->sub, op->at, 0, NULL)) ||
        emit(p, GND__I_SET, op->type == GND__T_AUGMENT ? op->sub : 0, at, n, NULL))
        return -1;
    return store(p, t) || emit(p, GND__I_RESULT, 0, t->at, 0, NULL) ? -1 : 0;
}

/* Whether a call by that name, as a statement of its own, changes an argument in NumPy. */
static int in_place(const parser *p, const gnd__instr *call)
{
    static const char *const function[] = {
        "add.at", "maximum.at", "minimum.at", "fill_diagonal",  "putmask",       "copyto",
        "put",    "place",      "shuffle",    "put_along_axis", "random.shuffle"};
    static const char *const method[] = {"sort", "partition", "shuffle"};
    const int m = call->code == GND__I_METHOD;
    const size_t count = m ? sizeof method / sizeof *method : sizeof function / sizeof *function;
    for (size_t i = 0; i < count && (m || call->code == GND__I_CALL); i++) {
        const char *name = m ? method[i] : function[i];
        if (strlen(name) == call->n && !memcmp(p->x->text + call->at, name, call->n))
            return 1;
    }
    return 0;
}

/* A statement without a target, from the token `first` to the current one, and its value on the
 * stack. fill_diagonal(x, v) and its like change x in NumPy: here the name gets the new array, as
 * by x[i] = v. What has no name cannot be changed; its value may only be the result. */
static int changes(parser *p, uint32_t first)
{
    const gnd__token *end = tok(p), *self = p->x->tok + first;
    const gnd__instr *last = &p->x->code[p->x->ncode - 1];
    if (!in_place(p, last))
        return 0;
    /* x.sort() changes x, and put(x, ...) and rng.shuffle(x) their first argument */
    const int own = last->code == GND__I_METHOD && last->n != strlen("shuffle");
    if (!own) {
        while (self < end && self->at != last->at)
            self++;
        while (self < end && self->type != GND__T_LPAREN)
            self++;
        self++;
    }
    if (self + 1 < end && self->type == GND__T_NAME &&
        (own ? self[1].type == GND__T_DOT && self[2].at == last->at
             : self[1].type == GND__T_COMMA || self[1].type == GND__T_RPAREN))
        return store(p, self);
    while (end->type == GND__T_SEP)
        end++;
    if (end->type == GND__T_END)
        return 0;
    return gnd__expr_fail(p->x, GND_ERR_SYNTAX, last->at,
                          "%.*s as a statement changes the array of a name: name the array first",
                          (int)last->n, p->x->text + last->at);
}

static int statement(parser *p)
{
    if (sets_elements(p))
        return set_elements(p);
    uint32_t first = p->pos, commas;
    const gnd__token *t = tok(p);
    if (t->type == GND__T_NAME && t[1].type == GND__T_AUGMENT) {
        const gnd__token *op = &t[1];
        p->pos += 2;
        return check_target(p, t) || emit(p, GND__I_NAME, 0, t->at, t->len, NULL) || tuple(p) ||
                       emit(p, GND__I_BINARY, op->sub, op->at, 0, NULL) || store(p, t) ||
                       emit(p, GND__I_RESULT, 0, t->at, 0, NULL)
                   ? -1
                   : 0;
    }
    while (targets(p, &commas)) {
        while (!is(p, GND__T_ASSIGN))
            p->pos++;
        p->pos++;
    }
    uint32_t value = p->pos;
    if (tuple(p))
        return -1;
    uint32_t after = p->pos;
    if (value == first && changes(p, first))
        return -1;
    /* Every "names =" again, now that the value is there. */
    for (p->pos = first; p->pos < value; p->pos++) {
        uint32_t n = targets(p, &commas);
        t = tok(p);
        if (commas && emit(p, GND__I_UNPACK, 0, t->at, n, NULL))
            return -1;
        for (; !is(p, GND__T_ASSIGN); p->pos++)
            if (is(p, GND__T_NAME) &&
                (store(p, tok(p)) || (commas && emit(p, GND__I_DROP, 0, tok(p)->at, 0, NULL))))
                return -1;
    }
    p->pos = after;
    return emit(p, GND__I_RESULT, 0, p->x->tok[value].at, 0, NULL);
}

int gnd__expr_parse(gnd__expr *x)
{
    parser p = {.x = x};
    while (!is(&p, GND__T_END)) {
        if (is(&p, GND__T_SEP)) {
            p.pos++;
            continue;
        }
        if (statement(&p) || end_of_statement(&p))
            return -1;
    }
    if (!x->ncode)
        return gnd__expr_fail(x, GND_ERR_SYNTAX, 0, "nothing to evaluate");
    return 0;
}
