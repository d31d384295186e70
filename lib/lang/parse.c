/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/parse.c - converts tokens to a program for a stack machine, with Python's grammar for
 * expressions:
 *
 *     statement   (NAME [, NAME ...] =)* tuple | NAME op= tuple | NAME [ INDEX ] (= | op=) tuple
 *     tuple       binary [, binary ...] [,]
 *     binary      operators by precedence: comparison < | < ^ < & < shifts < + - < * / // % @
 *     unary       (+ - ~)* power;  power: postfix [** unary]
 *     postfix     atom (( ARGS ) | [ INDEX ] | . NAME)*
 *
 * Statements are parsed here, and expressions in parse_expr.c. The machine that runs the program
 * does not recurse. A program's length is proportional to that of its text.
 */
#include "lang/parse.h"

/* The number of names in a target list "a, b =" at the current token; 0 if there is none. */
static uint32_t targets(const gnd__parser *p, uint32_t *commas)
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

static int check_target(gnd__parser *p, const gnd__token *t)
{
    if (gnd__parse_reserved(p, t) || gnd__parse_is_word(p, t, "None") ||
        gnd__parse_is_word(p, t, "True") || gnd__parse_is_word(p, t, "False"))
        return gnd__expr_fail(p->x, GND_ERR_SYNTAX, t->at, "'%.*s' cannot be assigned to",
                              (int)t->len, p->x->text + t->at);
    return 0;
}

static int store(gnd__parser *p, const gnd__token *t)
{
    gnd__parse_bound(p, t);
    return check_target(p, t) || gnd__parse_emit(p, GND__I_STORE, 0, t->at, t->len, NULL) ? -1 : 0;
}

static int end_of_statement(gnd__parser *p)
{
    const gnd__token *t = gnd__parse_tok(p);
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
    return gnd__parse_unexpected(p, "an operator");
}

/* Whether "NAME [ ... ] =" or "NAME [ ... ] op=" begins at the current token. */
static int sets_elements(const gnd__parser *p)
{
    const gnd__token *t = gnd__parse_tok(p);
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

/* Parses x[i] = v as x = set(x, i, v): the name gets a new array. x[i] += v reads x[i] first. */
static int set_elements(gnd__parser *p)
{
    const gnd__token *t = gnd__parse_tok(p), *op;
    uint32_t n, at = t[1].at;
    p->pos++;
    if (check_target(p, t) || gnd__parse_emit(p, GND__I_NAME, 0, t->at, t->len, NULL) ||
        gnd__parse_index(p, &n))
        return -1;
    op = gnd__parse_tok(p);
    p->pos++;
    if (op->type == GND__T_AUGMENT && (gnd__parse_emit(p, GND__I_AGAIN, 0, at, n + 1, NULL) ||
                                       gnd__parse_emit(p, GND__I_INDEX, 0, at, n, NULL)))
        return -1;
    if (gnd__parse_tuple(p) ||
        (op->type == GND__T_AUGMENT &&
         gnd__parse_emit(p, GND__I_BINARY, op->sub, op->at, 0, NULL)) ||
        gnd__parse_emit(p, GND__I_SET, op->type == GND__T_AUGMENT ? op->sub : 0, at, n, NULL))
        return -1;
    return store(p, t) || gnd__parse_emit(p, GND__I_RESULT, 0, t->at, 0, NULL) ? -1 : 0;
}

/* Whether a call by that name changes an argument in NumPy when it is a statement of its own. */
static int in_place(const gnd__parser *p, const gnd__instr *call)
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

/* Ends a statement without a target, which extends from the token `first` to the current one; its
 * value is on the stack. fill_diagonal(x, v) and similar functions change x in NumPy: here the name
 * gets the new array, as for x[i] = v. An array without a name cannot be changed; such a call is
 * allowed only as the result. */
static int changes(gnd__parser *p, uint32_t first)
{
    const gnd__token *end = gnd__parse_tok(p), *self = p->x->tok + first;
    const gnd__instr *last = &p->x->code[p->x->ncode - 1];
    if (!in_place(p, last))
        return 0;
    /* x.sort() changes x; put(x, ...) and rng.shuffle(x) change their first argument */
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

static int statement(gnd__parser *p)
{
    if (sets_elements(p))
        return set_elements(p);
    uint32_t first = p->pos, commas;
    const gnd__token *t = gnd__parse_tok(p);
    if (t->type == GND__T_NAME && t[1].type == GND__T_AUGMENT) {
        const gnd__token *op = &t[1];
        p->pos += 2;
        return check_target(p, t) || gnd__parse_emit(p, GND__I_NAME, 0, t->at, t->len, NULL) ||
                       gnd__parse_tuple(p) ||
                       gnd__parse_emit(p, GND__I_BINARY, op->sub, op->at, 0, NULL) || store(p, t) ||
                       gnd__parse_emit(p, GND__I_RESULT, 0, t->at, 0, NULL)
                   ? -1
                   : 0;
    }
    while (targets(p, &commas)) {
        while (!gnd__parse_is(p, GND__T_ASSIGN))
            p->pos++;
        p->pos++;
    }
    uint32_t value = p->pos;
    if (gnd__parse_tuple(p))
        return -1;
    uint32_t after = p->pos;
    if (value == first && changes(p, first))
        return -1;
    /* Go through every "names =" again, now that the value is on the stack. */
    for (p->pos = first; p->pos < value; p->pos++) {
        uint32_t n = targets(p, &commas);
        t = gnd__parse_tok(p);
        if (commas && gnd__parse_emit(p, GND__I_UNPACK, 0, t->at, n, NULL))
            return -1;
        for (; !gnd__parse_is(p, GND__T_ASSIGN); p->pos++)
            if (gnd__parse_is(p, GND__T_NAME) &&
                (store(p, gnd__parse_tok(p)) ||
                 (commas && gnd__parse_emit(p, GND__I_DROP, 0, gnd__parse_tok(p)->at, 0, NULL))))
                return -1;
    }
    p->pos = after;
    return gnd__parse_emit(p, GND__I_RESULT, 0, p->x->tok[value].at, 0, NULL);
}

int gnd__expr_parse(gnd__expr *x)
{
    gnd__parser p = {.x = x};
    while (!gnd__parse_is(&p, GND__T_END)) {
        if (gnd__parse_is(&p, GND__T_SEP)) {
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
