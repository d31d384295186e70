/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_read.c - reads the file scope of CUDA C: macros, types, constants, functions with
 * their parameters. Changes outside of functions are noted in x->outer.
 */
#include "codegen/cudac.h"

#include <string.h>
#include "base/mem.h"

static const char headers[] =
    "cuda.h cuda_runtime.h cuda_runtime_api.h cuda_fp16.h device_launch_parameters.h math.h cmath "
    "stdint.h cstdint stdio.h cstdio float.h cfloat limits.h climits math_constants.h stddef.h "
    "cstddef device_functions.h stdbool.h";

static int is(const gnd__cudac *x, int32_t t, const char *word)
{
    return gnd__cudac_is(x, t, word);
}

static gnd_status nomem(const gnd__cudac *x)
{
    return gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a source");
}

const gnd__cmacro *gnd__cudac_macro(const gnd__cudac *x, int32_t t)
{
    if (x->token[t].type != GND__UT_WORD)
        return NULL;
    for (int32_t i = x->nmacro - 1; i >= 0; i--)
        if (x->macro[i].name >= 0 && gnd__cudac_same(x, x->macro[i].name, t))
            return &x->macro[i];
    return NULL;
}

int gnd__cudac_calls(const gnd__cudac *x, int32_t t)
{
    for (int32_t f = 0; f < x->nfn; f++)
        if (x->token[t].type == GND__UT_WORD && gnd__cudac_same(x, x->fn[f].name, t))
            return 1;
    return 0;
}

/* --- the preprocessor's lines ----------------------------------------------------------------- */

/* An #include of something that OpenCL C has built in becomes a blank line. */
static gnd_status read_include(gnd__cudac *x, int32_t t, const char *text, size_t n)
{
    const char *open = memchr(text, '<', n), *name;
    char word[64];
    if (!open)
        open = memchr(text, '"', n);
    if (!open)
        return gnd__cudac_refuse(x, t, "#include of what is no name");
    name = open + 1;
    size_t len = 0;
    while (name + len < text + n && name[len] != '>' && name[len] != '"')
        len++;
    const char *p = headers;
    while (*p) {
        const size_t w = strcspn(p, " ");
        if (w == len && !memcmp(p, name, len)) {
            gnd__edit_add(&x->outer, x->token[t].at, x->token[t].len, " ");
            return GND_OK;
        }
        p += w + (p[w] == ' ');
    }
    len = len < sizeof word ? len : sizeof word - 1;
    memcpy(word, name, len);
    word[len] = '\0';
    return gnd__cudac_refuse(x, t, "#include of %s: there are no files beside the source", word);
}

/* Appends the tokens of the #define in line t to those of the source: name, parameters and body. */
static gnd_status read_define(gnd__cudac *x, int32_t t, size_t skip)
{
    gnd__utoken *k;
    int32_t n;
    const gnd__utoken at = x->token[t];
    gnd_status st = gnd__user_lex("source", x->u->src + at.at + skip, at.len - skip, &k, &n, x->e);
    if (st != GND_OK)
        return st;
    const int32_t first = x->ntoken;
    gnd__utoken *all = gnd__realloc(x->token, (size_t)(x->ntoken + n) * sizeof *all);
    gnd__cmacro *more = gnd__realloc(x->macro, (size_t)(x->nmacro + 1) * sizeof *more);
    x->token = all ? all : x->token;
    x->macro = more ? more : x->macro;
    if (!all || !more) {
        gnd__free(k);
        return nomem(x);
    }
    for (int32_t i = 0; i < n; i++) {
        k[i].col = k[i].line == 1 ? k[i].col + at.col - 1 + (int32_t)skip : k[i].col;
        k[i].line += at.line - 1;
        k[i].at += at.at + (uint32_t)skip;
        x->token[x->ntoken++] = k[i];
    }
    gnd__free(k);
    if (n < 2 || x->token[first].type != GND__UT_WORD)
        return GND_OK; /* the compiler will report it */
    gnd__cmacro *m = &x->macro[x->nmacro++];
    *m = (gnd__cmacro){
        .line = t, .name = first, .nparam = -1, .first = first + 1, .last = x->ntoken - 1};
    if (is(x, first + 1, "(") &&
        x->token[first + 1].at == x->token[first].at + x->token[first].len) {
        const int32_t close = gnd__cudac_closing(x, first + 1);
        if (close < 0)
            return GND_OK;
        m->param = first + 2;
        m->nparam = close == first + 2 ? 0 : (close - first - 1) / 2;
        m->first = close + 1;
    }
    return GND_OK;
}

static gnd_status read_line(gnd__cudac *x, int32_t t)
{
    const gnd__utoken k = x->token[t];
    const char *s = x->u->src + k.at;
    size_t n = 1;
    while (n < k.len && (s[n] == ' ' || s[n] == '\t'))
        n++;
    if (k.len - n > 7 && !memcmp(s + n, "include", 7))
        return read_include(x, t, s, k.len);
    if (k.len - n > 7 && !memcmp(s + n, "define", 6))
        return read_define(x, t, n + 6);
    return GND_OK;
}

/* --- functions -------------------------------------------------------------------------------- */

/* The parameter of tokens [from, to) of function f. */
static gnd_status read_param(gnd__cudac *x, gnd__cfn *f, int32_t from, int32_t to)
{
    gnd__cvar *p = &f->param[f->nparam];
    int stars = 0, is_const = 0;
    if (f->nparam == CU_PARAMS)
        return gnd__cudac_refuse(x, from, "more than %d parameters", CU_PARAMS);
    *p = (gnd__cvar){.name = -1, .first = from, .last = to - 1, .star = -1, .space = CU_PRIVATE};
    if (from == to)
        return gnd__cudac_refuse(x, from, "a parameter without a type");
    for (int32_t t = from; t < to; t++) {
        if (is(x, t, "="))
            return gnd__cudac_refuse(x, t, "a default argument runs on CUDA devices only");
        if (is(x, t, "(") && !is(x, t - 1, "__align__"))
            return gnd__cudac_refuse(x, t, "a pointer to a function runs on CUDA devices only");
        is_const |= is(x, t, "const");
        stars += is(x, t, "*");
        if (is(x, t, "*") || is(x, t, "&") || (is(x, t, "[") && !stars && p->star < 0)) {
            p->star = t;
            if (is(x, t, "["))
                stars++;
        }
        if (x->token[t].type == GND__UT_WORD && !(p->star >= 0 && is(x, p->star, "[")))
            p->name = t;
    }
    if (stars > 1)
        return gnd__cudac_refuse(x, from, "a pointer to pointers (or rows) as a parameter");
    if (p->star >= 0 && is(x, p->star, "&")) {
        p->kind = is_const ? CU_VALUE : CU_REF;
        if (f->kernel || stars || is(x, p->star + 1, "&"))
            return gnd__cudac_refuse(x, p->star, "such a reference runs on CUDA devices only");
    } else if (stars) {
        p->kind = CU_POINTER;
    }
    if (p->name <= from && f->body >= 0 && !(to - from == 1))
        return gnd__cudac_refuse(x, from, "a parameter without a name");
    f->nparam++;
    return GND_OK;
}

static gnd_status read_params(gnd__cudac *x, gnd__cfn *f)
{
    int32_t from = f->open + 1, depth = 0;
    gnd_status st = GND_OK;
    if (from == f->close || (from + 1 == f->close && is(x, from, "void")))
        return GND_OK;
    for (int32_t t = from; t <= f->close && st == GND_OK; t++) {
        depth += is(x, t, "(") || is(x, t, "[");
        if (t == f->close || (depth == 0 && is(x, t, ","))) {
            st = read_param(x, f, from, t);
            from = t + 1;
        }
        depth -= is(x, t, ")") || is(x, t, "]");
    }
    return st;
}

/* Reads the function whose ( is token `open`; it begins at start. *next is the token after it. */
static gnd_status read_function(gnd__cudac *x, int32_t start, int32_t open, int32_t *next)
{
    gnd__cfn *all = gnd__realloc(x->fn, (size_t)(x->nfn + 1) * sizeof *all);
    if (!all)
        return nomem(x);
    x->fn = all;
    gnd__cfn *f = &all[x->nfn++];
    int device = 0;
    *f = (gnd__cfn){.start = start, .name = open - 1, .open = open, .body = -1};
    f->close = gnd__cudac_closing(x, open);
    if (f->close < 0 || f->name < start || x->token[f->name].type != GND__UT_WORD)
        return gnd__utoken_syntax(x->e, "source", &x->token[start], "no declaration");
    for (int32_t t = start; t < f->name; t++) {
        if (is(x, t, "(") && gnd__cudac_closing(x, t) > 0) /* of __launch_bounds__(A * B) */
            t = gnd__cudac_closing(x, t);
        f->kernel |= is(x, t, "__global__");
        device |= is(x, t, "__device__") || is(x, t, "__global__");
        f->ret_pointer |= is(x, t, "*");
        if (is(x, t, "&"))
            return gnd__cudac_refuse(
                x, t, "a function that returns a reference runs on CUDA devices only");
    }
    if (!device)
        return gnd__cudac_refuse(x, f->name,
                                 "a function without __device__: there is no code for the host");
    *next = f->close + 1;
    if (is(x, *next, "{")) {
        f->body = *next;
        f->end = gnd__cudac_closing(x, f->body);
        if (f->end < 0)
            return gnd__utoken_syntax(x->e, "source", &x->token[f->body], "a { without its }");
        *next = f->end + 1;
    } else if (is(x, *next, ";")) {
        f->end = *next;
        ++*next;
    } else {
        return gnd__utoken_syntax(x->e, "source", &x->token[*next], "no declaration");
    }
    return read_params(x, f);
}

/* --- types and constants ---------------------------------------------------------------------- */

static gnd_status add_type(gnd__cudac *x, int32_t t)
{
    int32_t *q = gnd__realloc(x->type, (size_t)(x->ntype + 1) * sizeof *q);
    if (!q)
        return nomem(x);
    x->type = q;
    q[x->ntype++] = t;
    return GND_OK;
}

/* struct, union, enum or typedef from token a to the ; at z. */
static gnd_status read_type(gnd__cudac *x, int32_t a, int32_t z)
{
    gnd_status st = GND_OK;
    const int type_def = is(x, a, "typedef");
    int braces = 0;
    const int32_t k = a + type_def;
    for (int32_t t = a; t < z; t++) {
        braces |= is(x, t, "{");
        if (is(x, t, "*"))
            return gnd__cudac_refuse(
                x, t, "a pointer in a type: OpenCL C cannot tell which memory it points to");
        if (braces && is(x, t, "(") && !is(x, t - 1, "__align__"))
            return gnd__cudac_refuse(x, t, "a member function runs on CUDA devices only");
        if (is(x, t, "&"))
            return gnd__cudac_refuse(x, t, "a reference in a type runs on CUDA devices only");
    }
    if (gnd__cudac_among(x, k, "struct union enum")) {
        const int named = x->token[k + 1].type == GND__UT_WORD;
        if (named && is(x, k + 1, "class"))
            return gnd__cudac_refuse(x, k + 1, "a class runs on CUDA devices only");
        if (named && braces) {
            const gnd__utoken *s = &x->token[k], *n = &x->token[k + 1];
            st = add_type(x, k + 1);
            if (is(x, k, "enum")) /* no declaration before the enumeration itself */
                gnd__edit_add(&x->outer, x->token[z].at + 1, 0, " typedef enum %.*s %.*s;",
                              (int)n->len, x->u->src + n->at, (int)n->len, x->u->src + n->at);
            else
                gnd__edit_add(&x->outer, x->token[a].at, 0, "typedef %.*s %.*s %.*s; ", (int)s->len,
                              x->u->src + s->at, (int)n->len, x->u->src + n->at, (int)n->len,
                              x->u->src + n->at);
        }
    }
    if (st == GND_OK && type_def && x->token[z - 1].type == GND__UT_WORD)
        st = add_type(x, z - 1);
    return st == GND_OK ? gnd__cudac_expression(x, &x->outer, a, z) : st;
}

/* A variable at file scope, tokens [a, z). It must be a constant. */
static gnd_status read_variable(gnd__cudac *x, int32_t a, int32_t z)
{
    int32_t name = -1, eq = -1, square = -1;
    int constant = 0, shared = 0, whole = 0;
    for (int32_t t = a; t < z && eq < 0; t++) {
        const gnd__utoken *k = &x->token[t];
        if (is(x, t, "="))
            eq = t;
        else if (is(x, t, "["))
            square = square < 0 ? t : square;
        else if (is(x, t, "*") || is(x, t, "&"))
            return gnd__cudac_refuse(x, t, "a pointer or reference outside of functions");
        if (k->type == GND__UT_WORD && square < 0 && eq < 0 &&
            !gnd__cudac_among(x, t, "__constant__ __device__"))
            name = t;
        constant |= gnd__cudac_among(x, t, "__constant__ const constexpr");
        shared |= is(x, t, "__shared__");
        whole |= is(x, t, "int");
        if (gnd__cudac_among(x, t, "__constant__ __device__ static constexpr const extern inline"))
            gnd__edit_add(&x->outer, k->at, k->len, " ");
    }
    if (shared)
        return gnd__cudac_refuse(x, a, "__shared__ outside of functions: declare it in the kernel");
    if (name < 0)
        return gnd__cudac_expression(x, &x->outer, a, z);
    if (!constant)
        return gnd__cudac_refuse(x, name,
                                 "a __device__ variable: give the kernel an array instead");
    if (eq < 0)
        return gnd__cudac_refuse(x, name,
                                 "a constant without its values: give the kernel an array instead");
    gnd__cvar *q = gnd__realloc(x->file, (size_t)(x->nfile + 1) * sizeof *q);
    if (!q)
        return nomem(x);
    x->file = q;
    q[x->nfile++] = (gnd__cvar){
        .name = name, .kind = square < 0 ? CU_VALUE : CU_ARRAY, .space = CU_CONSTANT, .star = -1};
    for (int32_t t = square; t >= 0 && t < eq; t++)
        q[x->nfile - 1].dims += is(x, t, "[");
    if (square < 0 && whole && !gnd__cudac_among(x, a, "__constant__") && !is(x, z - 1, "}")) {
        /* a number that sizes of arrays may use */
        gnd__edit_add(&x->outer, x->token[a].at, 0, "enum { ");
        for (int32_t t = a; t < name; t++)
            if (gnd__cudac_type(x, t))
                gnd__edit_add(&x->outer, x->token[t].at, x->token[t].len, " ");
        gnd__edit_add(&x->outer, x->token[z].at, 0, " }");
    } else {
        gnd__edit_add(&x->outer, x->token[a].at, 0, "__constant ");
    }
    return gnd__cudac_expression(x, &x->outer, eq + 1, z);
}

/* The ; that ends the declaration at t, or the ( of a function's parameters. */
static int32_t declaration_end(const gnd__cudac *x, int32_t t, int32_t *open)
{
    int equals = 0;
    *open = -1;
    for (; x->token[t].type != GND__UT_END && x->token[t].type != GND__UT_LINE; t++) {
        if (is(x, t, ";"))
            return t;
        equals |= is(x, t, "=");
        if (is(x, t, "(") && !equals &&
            !gnd__cudac_among(x, t - 1, "__launch_bounds__ __align__ __attribute__")) {
            *open = t;
            return t;
        }
        if (is(x, t, "(") || is(x, t, "{") || is(x, t, "[")) {
            t = gnd__cudac_closing(x, t);
            if (t < 0)
                return -1;
        }
    }
    return -1;
}

gnd_status gnd__cudac_read(gnd__cudac *x)
{
    gnd_status st = GND_OK;
    const int32_t n = x->u->ntoken;
    for (int32_t t = 0; t < n && st == GND_OK; t++)
        if (x->token[t].type == GND__UT_LINE)
            st = read_line(x, t);
    if (st == GND_OK)
        st = gnd__cudac_words(x);
    for (int32_t t = 0; t < n - 1 && st == GND_OK;) {
        int32_t open;
        if (x->token[t].type == GND__UT_LINE || is(x, t, ";") || is(x, t, "}")) {
            if (is(x, t, "}")) /* of extern "C" { */
                gnd__edit_add(&x->outer, x->token[t].at, 1, " ");
            t++;
            continue;
        }
        if (is(x, t, "extern") && x->token[t + 1].type == GND__UT_TEXT && is(x, t + 2, "{")) {
            for (int i = 0; i < 3; i++, t++)
                gnd__edit_add(&x->outer, x->token[t].at, x->token[t].len, " ");
            continue;
        }
        const int32_t end = declaration_end(x, t, &open);
        if (end < 0)
            return gnd__utoken_syntax(x->e, "source", &x->token[t], "a declaration without an end");
        if (is(x, t, "static_assert")) {
            const int32_t close = gnd__cudac_closing(x, t + 1);
            t = close < 0 ? n : close + 1;
        } else if (open >= 0 && !is(x, t, "typedef")) {
            st = read_function(x, t, open, &t);
        } else if (open >= 0) {
            st = gnd__cudac_refuse(x, t, "a pointer to a function runs on CUDA devices only");
        } else {
            int body = 0;
            for (int32_t i = t; i < end; i++)
                body |= is(x, i, "{") && !is(x, i - 1, "=");
            st = is(x, t, "typedef") ||
                         (gnd__cudac_among(x, t, "struct union enum") && (body || end == t + 2))
                     ? read_type(x, t, end)
                     : read_variable(x, t, end);
            t = end + 1;
        }
    }
    return st;
}
