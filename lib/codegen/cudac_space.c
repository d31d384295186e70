/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_space.c - which memory an expression points to. Nothing is parsed beyond what that
 * takes: the names of pointers and arrays in an expression decide.
 */
#include "codegen/cudac.h"

static int is(const gnd__cudac *x, int32_t t, const char *word)
{
    return gnd__cudac_is(x, t, word);
}

const char *gnd__cudac_space_word(gnd__cspace s)
{
    static const char *const word[] = {"__private ", "__global ",   "__local ",
                                       "__private ", "__constant ", "__global "};
    return word[s];
}

const gnd__cvar *gnd__cudac_var(const gnd__cudac *x, int32_t t)
{
    for (int32_t i = x->nvar - 1; i >= 0; i--)
        if (gnd__cudac_same(x, x->var[i].name, t))
            return &x->var[i];
    for (int32_t i = 0; i < x->nfile; i++)
        if (gnd__cudac_same(x, x->file[i].name, t))
            return &x->file[i];
    return NULL;
}

int32_t gnd__cudac_args(const gnd__cudac *x, int32_t open, int32_t *from, int32_t *to)
{
    const int32_t close = gnd__cudac_closing(x, open);
    int32_t n = 0, depth = 0;
    if (close < 0)
        return -1;
    if (close == open + 1)
        return 0;
    from[0] = open + 1;
    for (int32_t t = open + 1; t <= close; t++) {
        depth += is(x, t, "(") || is(x, t, "[") || is(x, t, "{");
        if (t == close || (depth == 0 && is(x, t, ","))) {
            to[n++] = t;
            if (t == close)
                break;
            if (n == CU_ARGS)
                return -1;
            from[n] = t + 1;
        }
        depth -= is(x, t, ")") || is(x, t, "]") || is(x, t, "}");
    }
    return n;
}

/* The token after a cast at a, (T *) or static_cast<T *>; a if there is no cast. */
static int32_t past_cast(const gnd__cudac *x, int32_t a, int32_t b)
{
    int32_t t = a;
    if (gnd__cudac_among(x, a, "static_cast reinterpret_cast const_cast")) {
        while (t < b && !is(x, t, ">"))
            t++;
        return t < b ? t + 1 : a;
    }
    if (!is(x, a, "(") || !gnd__cudac_type(x, a + 1))
        return a;
    const int32_t close = gnd__cudac_closing(x, a);
    return close > 0 && close + 1 < b ? close + 1 : a;
}

/* Gets the argument for parameter t of the macro in use. Returns 0 if t is no parameter. */
static int framed(const gnd__cudac *x, int32_t t, int32_t *from, int32_t *to)
{
    const gnd__cframe *f = x->frame;
    for (int32_t i = 0; f && i < f->macro->nparam && i < f->narg; i++)
        if (gnd__cudac_same(x, f->macro->param + 2 * i, t)) {
            *from = f->from[i];
            *to = f->to[i];
            return 1;
        }
    return 0;
}

typedef gnd__cspace infer(gnd__cudac *x, int32_t a, int32_t b);

/* Word t as a macro, or a macro's parameter: what `of` says of its meaning. 0: it is neither. */
static int expanded(gnd__cudac *x, int32_t t, infer *of, gnd__cspace *s)
{
    int32_t from, to;
    const gnd__cframe *up = x->frame;
    if (framed(x, t, &from, &to)) {
        x->frame = up->up;
        *s = of(x, from, to);
        x->frame = up;
        return 1;
    }
    const gnd__cmacro *m = gnd__cudac_macro(x, t);
    if (!m)
        return 0;
    gnd__cframe f = {.macro = m, .up = up};
    if (m->nparam >= 0)
        f.narg = is(x, t + 1, "(") ? gnd__cudac_args(x, t + 1, f.from, f.to) : -1;
    *s = CU_NONE;
    if (f.narg < 0)
        return 1;
    x->frame = &f;
    *s = of(x, m->first, m->last);
    x->frame = up;
    return 1;
}

/* The memory to which the result of the function called at t points. */
static gnd__cspace call_space(gnd__cudac *x, int32_t t)
{
    int32_t from[CU_ARGS], to[CU_ARGS];
    const int32_t n = gnd__cudac_args(x, t + 1, from, to);
    for (int32_t f = 0; f < x->nfn; f++) {
        const gnd__cfn *g = &x->fn[f];
        uint8_t space[CU_PARAMS] = {0};
        if (!g->ret_pointer || g->nparam != n || g->body < 0 || !gnd__cudac_same(x, g->name, t))
            continue;
        for (int32_t i = 0; i < n; i++)
            if (g->param[i].kind == CU_POINTER || g->param[i].kind == CU_REF)
                space[i] =
                    (uint8_t)(g->param[i].kind == CU_REF ? gnd__cudac_place(x, from[i], to[i])
                                                         : gnd__cudac_space(x, from[i], to[i]));
        for (int32_t i = 0; i < n; i++) /* the result comes from its arguments */
            if (space[i] != CU_NONE && space[i] != CU_ANY)
                return (gnd__cspace)space[i];
    }
    return CU_NONE;
}

static gnd__cspace operand(gnd__cudac *x, int32_t a, int32_t b)
{
    gnd__cspace s;
    while (a < b && (is(x, a, "+") || is(x, a, "-")))
        a++;
    if (a >= b)
        return CU_NONE;
    const int32_t past = past_cast(x, a, b);
    if (past > a)
        return gnd__cudac_space(x, past, b);
    if (is(x, a, "&"))
        return gnd__cudac_place(x, a + 1, b);
    if (is(x, a, "(")) {
        const int32_t close = gnd__cudac_closing(x, a);
        return close == b - 1 ? gnd__cudac_space(x, a + 1, close) : CU_NONE;
    }
    if (b == a + 1 && (is(x, a, "0") || gnd__cudac_among(x, a, "NULL nullptr")))
        return CU_ANY;
    if (x->token[a].type != GND__UT_WORD)
        return CU_NONE;
    const gnd__cvar *v = gnd__cudac_var(x, a);
    if (!v || x->frame) {
        if (expanded(x, a, gnd__cudac_space, &s))
            return s;
        v = gnd__cudac_var(x, a);
    }
    if (!v)
        return is(x, a + 1, "(") && a + 1 < b ? call_space(x, a) : CU_NONE;
    int subscripts = 0;
    for (int32_t t = a + 1; t < b; t++) {
        if (is(x, t, "["))
            subscripts++;
        else if (is(x, t, ".") || is(x, t, "("))
            return CU_NONE;
        if (is(x, t, "[") && (t = gnd__cudac_closing(x, t)) < 0)
            return CU_NONE;
    }
    if (v->kind == CU_POINTER)
        return subscripts ? CU_NONE : (gnd__cspace)v->space;
    return v->kind == CU_ARRAY && subscripts < v->dims ? (gnd__cspace)v->space : CU_NONE;
}

gnd__cspace gnd__cudac_space(gnd__cudac *x, int32_t a, int32_t b)
{
    gnd__cspace s = CU_NONE, any = CU_NONE;
    int32_t from = a;
    if (a >= b || x->depth >= CU_DEPTH)
        return CU_NONE;
    x->depth++;
    for (int32_t t = a; t <= b && s == CU_NONE; t++) {
        if (t < b && (is(x, t, "(") || is(x, t, "["))) {
            const int32_t close = gnd__cudac_closing(x, t);
            if (close < 0 || close >= b)
                break;
            t = close;
            continue;
        }
        if (t < b && is(x, t, "?")) { /* the two results, not the condition */
            from = t + 1;
            continue;
        }
        if (t < b && is(x, t, "=") && !is(x, t + 1, "=") && t > a) {
            from = t + 1;
            continue;
        }
        if (t < b && !is(x, t, "+") && !is(x, t, "-") && !is(x, t, ":") && !is(x, t, ","))
            continue;
        if (t == from && t < b)
            continue;
        s = operand(x, from, t);
        if (s == CU_ANY) {
            any = s;
            s = CU_NONE;
        }
        from = t + 1;
    }
    x->depth--;
    return s == CU_NONE ? any : s;
}

gnd__cspace gnd__cudac_place(gnd__cudac *x, int32_t a, int32_t b)
{
    gnd__cspace s = CU_NONE;
    if (a >= b || x->depth >= CU_DEPTH)
        return CU_NONE;
    x->depth++;
    if (is(x, a, "*")) {
        s = gnd__cudac_space(x, a + 1, b);
    } else if (is(x, a, "(")) {
        const int32_t close = gnd__cudac_closing(x, a);
        if (close > 0 && close < b &&
            (is(x, close + 1, "[") || (is(x, close + 1, "-") && is(x, close + 2, ">"))))
            s = gnd__cudac_space(x, a + 1, close);
        else if (close > 0 && close < b)
            s = gnd__cudac_place(x, a + 1, close);
    } else if (gnd__cudac_among(x, a, "reinterpret_cast static_cast")) {
        s = gnd__cudac_space(x, past_cast(x, a, b), b);
    } else if (x->token[a].type == GND__UT_WORD) {
        const gnd__cvar *v = gnd__cudac_var(x, a);
        if ((!v || x->frame) && expanded(x, a, gnd__cudac_place, &s)) {
            if (s == CU_NONE && a + 1 < b && is(x, a + 1, "["))
                (void)expanded(x, a, gnd__cudac_space, &s);
        } else if (v && v->kind == CU_POINTER) {
            s = a + 1 < b && (is(x, a + 1, "[") || is(x, a + 1, "-")) ? (gnd__cspace)v->space
                                                                      : CU_NONE;
        } else if (v) {
            s = (gnd__cspace)v->space;
        }
    }
    x->depth--;
    return s;
}
