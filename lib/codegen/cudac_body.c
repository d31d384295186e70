/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_body.c - the inside of functions: declarations get the memory that their pointers
 * point to, casts too, calls ask for the combination of memories that they have, shared memory goes
 * to the start of the kernel.
 */
#include "codegen/cudac.h"

#include <string.h>
#include "base/mem.h"

static int is(const gnd__cudac *x, int32_t t, const char *word)
{
    return gnd__cudac_is(x, t, word);
}

static void replace(const gnd__cudac *x, gnd__edits *to, int32_t t, const char *word)
{
    gnd__edit_add(to, x->token[t].at, x->token[t].len, "%s", word);
}

static void after(const gnd__cudac *x, gnd__edits *to, int32_t t, const char *word)
{
    gnd__edit_add(to, x->token[t].at + x->token[t].len, 0, "%s", word);
}

/* --- functions for combinations of memories --------------------------------------------------- */

int32_t gnd__cudac_spec(gnd__cudac *x, int32_t f, const uint8_t *space)
{
    gnd__cfn *g = &x->fn[f];
    for (int32_t s = 0; s < g->nspec; s++)
        if (!memcmp(g->spec[s].space, space, (size_t)g->nparam))
            return s;
    if (g->nspec == CU_SPECS) {
        (void)gnd__cudac_refuse(
            x, g->name, "this function is called with more than %d combinations of memories",
            CU_SPECS);
        return -1;
    }
    gnd__cspec *q = gnd__realloc(g->spec, (size_t)(g->nspec + 1) * sizeof *q);
    if (!q) {
        gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a source");
        return -1;
    }
    g->spec = q;
    q += g->nspec;
    memset(q, 0, sizeof *q);
    memcpy(q->space, space, (size_t)g->nparam);
    return g->nspec++;
}

/* The call of a function of the source at token t: specs for its arguments, & for references.
 * caller -1: in a macro where it is defined, nothing is known yet. */
static gnd_status call(gnd__cudac *x, gnd__edits *to, int32_t t)
{
    int32_t from[CU_ARGS], end[CU_ARGS];
    const int32_t n = gnd__cudac_args(x, t + 1, from, end);
    int found = 0;
    for (int32_t f = 0; f < x->nfn; f++) {
        const gnd__cfn *g = &x->fn[f];
        uint8_t space[CU_PARAMS] = {0};
        if (g->body < 0 || g->nparam != n || !gnd__cudac_same(x, g->name, t))
            continue;
        if (g->kernel)
            return gnd__cudac_refuse(x, t, "a kernel is called as a function");
        for (int32_t i = 0; i < n; i++) {
            const gnd__cvar *p = &g->param[i];
            if (p->kind != CU_POINTER && p->kind != CU_REF)
                continue;
            space[i] = (uint8_t)(p->kind == CU_REF ? gnd__cudac_place(x, from[i], end[i])
                                                   : gnd__cudac_space(x, from[i], end[i]));
            if (space[i] == CU_ANY)
                space[i] = CU_GLOBAL;
            if (space[i] == CU_NONE)
                return gnd__cudac_refuse(
                    x, from[i],
                    "argument %d: it cannot be told which memory it points to; "
                    "give a pointer variable",
                    i + 1);
            if (p->kind == CU_REF && !found && to) {
                gnd__edit_add(to, x->token[from[i]].at, 0, "&(");
                after(x, to, end[i] - 1, ")");
            }
        }
        found = 1;
        if (gnd__cudac_spec(x, f, space) < 0)
            return x->e ? x->e->code : GND_ERR_UNSUPPORTED;
    }
    return GND_OK;
}

/* Calls of functions in the body of macro m, used at token t. */
static gnd_status macro_calls(gnd__cudac *x, const gnd__cmacro *m, int32_t t)
{
    gnd__cframe f = {.macro = m, .up = x->frame};
    gnd_status st = GND_OK;
    if (m->nparam >= 0 && !is(x, t + 1, "("))
        return GND_OK;
    if (m->nparam >= 0)
        f.narg = gnd__cudac_args(x, t + 1, f.from, f.to);
    if (f.narg < 0 || x->depth >= CU_DEPTH)
        return GND_OK;
    x->frame = &f;
    x->depth++;
    for (int32_t i = m->first; i < m->last && st == GND_OK; i++) {
        const gnd__cmacro *inner = gnd__cudac_macro(x, i);
        if (inner && inner != m)
            st = macro_calls(x, inner, i);
        else if (is(x, i + 1, "(") && gnd__cudac_calls(x, i))
            st = call(x, NULL, i);
    }
    x->depth--;
    x->frame = f.up;
    return st;
}

/* --- expressions ------------------------------------------------------------------------------ */

/* The end of the unary expression at t. */
static int32_t unary_end(const gnd__cudac *x, int32_t t, int32_t end)
{
    while (t < end && (is(x, t, "&") || is(x, t, "*") || is(x, t, "-") || is(x, t, "+") ||
                       is(x, t, "!") || is(x, t, "~")))
        t++;
    if (t >= end)
        return end;
    if (is(x, t, "(")) {
        const int cast = gnd__cudac_type(x, t + 1);
        t = gnd__cudac_closing(x, t);
        if (t < 0)
            return end;
        if (cast)
            return unary_end(x, t + 1, end);
    }
    for (t++; t < end && (is(x, t, "(") || is(x, t, "[") || is(x, t, ".") ||
                          (is(x, t, "-") && is(x, t + 1, ">")));) {
        if (is(x, t, "(") || is(x, t, "[")) {
            t = gnd__cudac_closing(x, t);
            if (t < 0)
                return end;
            t++;
        } else {
            t += is(x, t, ".") ? 2 : 3;
        }
    }
    return t < end ? t : end;
}

/* Functions that cast pointers in macros to type [a, b), in each memory. */
static void cast_functions(gnd__cudac *x, int32_t a, int32_t b, const char *name)
{
    gnd__str type = {0};
    for (int32_t t = a; t < b; t++)
        if (!gnd__cudac_among(x, t, "const volatile") &&
            !(is(x, t, "long") && is(x, t + 1, "long")))
            gnd__str_addf(&type, "%.*s ", (int)x->token[t].len, x->u->src + x->token[t].at);
    if (!strstr(gnd__str_get(&x->casts), name))
        for (int s = CU_GLOBAL; s <= CU_CONSTANT; s++) {
            const char *w = gnd__cudac_space_word((gnd__cspace)s), *t = gnd__str_get(&type);
            gnd__str_addf(
                &x->casts,
                "static __attribute__((overloadable)) %s%s*%s(%s const void *p) { return (%s%s*)p; }\n",
                w, t, name, w, w, t);
        }
    x->casts.bad |= type.bad;
    gnd__str_free(&type);
}

/* A cast to a pointer: type [a, b) without its star, operand [from, end); [first, last] are the
 * tokens that say so. */
static gnd_status pointer_cast(gnd__cudac *x, gnd__edits *to, int32_t a, int32_t b, int32_t from,
                               int32_t end, int32_t first, int32_t last)
{
    const gnd__cspace s = gnd__cudac_space(x, from, end);
    char name[64] = "gndk";
    if (s != CU_NONE) {
        if (is(x, first, "(")) {
            gnd__edit_add(to, x->token[a].at, 0, "%s", gnd__cudac_space_word(s));
            return GND_OK;
        }
        replace(x, to, first, "(");
        replace(x, to, first + 1, "(");
        gnd__edit_add(to, x->token[a].at, 0, "%s", gnd__cudac_space_word(s));
        replace(x, to, last, ")");
        after(x, to, end - 1, ")");
        return GND_OK;
    }
    if (to != &x->outer)
        return gnd__cudac_refuse(
            x, first, "a cast to a pointer: it cannot be told which memory it points to");
    for (int32_t t = a; t < b && strlen(name) + x->token[t].len + 2 < sizeof name; t++)
        if (!gnd__cudac_among(x, t, "const volatile") &&
            !(is(x, t, "long") && is(x, t + 1, "long"))) {
            strcat(name, "_");
            strncat(name, x->u->src + x->token[t].at, x->token[t].len);
        }
    cast_functions(x, a, b, name);
    gnd__edit_add(to, x->token[first].at,
                  x->token[last].at + x->token[last].len - x->token[first].at, "%s(", name);
    after(x, to, end - 1, ")");
    return GND_OK;
}

/* static_cast<T>(e) and its like at t. */
static gnd_status named_cast(gnd__cudac *x, gnd__edits *to, int32_t t)
{
    int32_t gt = t + 1, star = 0;
    while (gt < x->ntoken - 1 && !is(x, gt, ">") && !is(x, gt, ";") && !is(x, gt, "("))
        gt++;
    if (!is(x, t + 1, "<") || !is(x, gt, ">") || !is(x, gt + 1, "("))
        return gnd__err(x->e, GND_ERR_SYNTAX, "source:%d:%d: a cast is NAME<TYPE>(VALUE)",
                        x->token[t].line, x->token[t].col);
    const int32_t close = gnd__cudac_closing(x, gt + 1);
    if (close < 0)
        return gnd__err(x->e, GND_ERR_SYNTAX, "source:%d:%d: a ( without its )", x->token[t].line,
                        x->token[t].col);
    for (int32_t i = t + 2; i < gt; i++) {
        if (is(x, i, "&"))
            return gnd__cudac_refuse(x, i, "a cast to a reference runs on CUDA devices only");
        if (is(x, i, "*"))
            star = star ? star : i;
    }
    if (star)
        return pointer_cast(x, to, t + 2, star, gt + 1, close + 1, t, gt);
    replace(x, to, t, "(");
    replace(x, to, t + 1, "(");
    replace(x, to, gt, ")");
    after(x, to, close, ")");
    return GND_OK;
}

/* "%lld" is "%ld" in OpenCL C. */
static void format(const gnd__cudac *x, gnd__edits *to, int32_t t)
{
    const gnd__utoken *k = &x->token[t];
    const char *s = x->u->src + k->at;
    for (uint32_t i = 0; i + 2 < k->len; i++) {
        if (s[i] != '%')
            continue;
        i++;
        while (i < k->len && strchr("0123456789.+-# *", s[i]))
            i++;
        if (i + 1 < k->len && s[i] == 'l' && s[i + 1] == 'l')
            gnd__edit_add(to, k->at + i, 2, "%s", "l\"\"");
        else if (i < k->len && s[i] == 'z')
            gnd__edit_add(to, k->at + i, 1, "l");
    }
}

/* Changes of token t in an expression that ends at `end`. */
static gnd_status token(gnd__cudac *x, gnd__edits *to, int32_t t, int32_t end)
{
    const gnd__utoken *k = &x->token[t];
    const char *s = x->u->src + k->at;
    if (k->type == GND__UT_NUMBER) {
        for (uint32_t i = 0; i + 1 < k->len; i++)
            if ((s[i] == 'l' && s[i + 1] == 'l') || (s[i] == 'L' && s[i + 1] == 'L'))
                gnd__edit_add(to, k->at + i, 2, "l");
        return GND_OK;
    }
    if (k->type == GND__UT_TEXT) {
        if (s[0] == '"')
            format(x, to, t);
        return GND_OK;
    }
    if (is(x, t, "(") && gnd__cudac_type(x, t + 1)) {
        const int32_t close = gnd__cudac_closing(x, t);
        int32_t star = 0;
        for (int32_t i = t + 1; i < close; i++) {
            if (!gnd__cudac_type(x, i) && !is(x, i, "*") &&
                !gnd__cudac_among(x, i, "__restrict__ __restrict"))
                return GND_OK; /* for (const float *p = ... */
            if (is(x, i, "*") && !star)
                star = i;
        }
        if (!star || close < 0 || close + 1 >= end || (t > 0 && is(x, t - 1, "sizeof")))
            return GND_OK;
        if (is(x, star + 1, "*"))
            return gnd__cudac_refuse(x, t, "a pointer to pointers");
        return pointer_cast(x, to, t + 1, star, close + 1, unary_end(x, close + 1, end), t, close);
    }
    if (k->type != GND__UT_WORD)
        return GND_OK;
    if (is(x, t, "long") && is(x, t + 1, "long")) {
        replace(x, to, t, " ");
    } else if (is(x, t, "nullptr")) {
        replace(x, to, t, "0");
    } else if (gnd__cudac_among(x, t, "static_cast reinterpret_cast const_cast")) {
        return named_cast(x, to, t);
    } else if (gnd__cudac_among(x, t, "__restrict__ __restrict")) {
        replace(x, to, t, "restrict");
    } else if (gnd__cudac_among(
                   x, t, "__align__ constexpr __noinline__ __forceinline__ __grid_constant__")) {
        replace(x, to, t, is(x, t, "__align__") ? "__attribute__((aligned" : " ");
        if (is(x, t, "__align__") && is(x, t + 1, "(") && gnd__cudac_closing(x, t + 1) > 0)
            after(x, to, gnd__cudac_closing(x, t + 1), "))");
    } else if (is(x, t + 1, "(") && gnd__cudac_type(x, t) && t > 0 && !gnd__cudac_type(x, t - 1) &&
               !gnd__cudac_among(x, t, "const volatile struct auto") && t + 1 < end) {
        const int32_t close = gnd__cudac_closing(x, t + 1);
        if (is(x, t + 2, "*"))
            return gnd__cudac_refuse(x, t, "a pointer to a function runs on CUDA devices only");
        if (close > 0) {
            gnd__edit_add(to, k->at, k->len, "((%.*s)", (int)k->len, s);
            after(x, to, close, ")");
        }
    } else if (to == &x->edits) {
        const int member = t > 0 && (is(x, t - 1, ".") || (is(x, t - 1, ">") && is(x, t - 2, "-")));
        const gnd__cvar *v = member ? NULL : gnd__cudac_var(x, t);
        const gnd__cmacro *m = v ? NULL : gnd__cudac_macro(x, t);
        if (v && v->kind == CU_REF)
            gnd__edit_add(to, k->at, k->len, "(*%.*s)", (int)k->len, s);
        if (v && v->kind == CU_POINTER && is(x, t + 1, "=") && !is(x, t + 2, "=") &&
            (t == 0 || !is(x, t - 1, "*"))) {
            int32_t z = t + 2;
            while (z < end && !is(x, z, ";") && !is(x, z, ",") && !is(x, z, ")"))
                z = is(x, z, "(") || is(x, z, "[") ? gnd__cudac_closing(x, z) + 1 : z + 1;
            const gnd__cspace is_now = gnd__cudac_space(x, t + 2, z);
            if (is_now != CU_NONE && is_now != CU_ANY && is_now != v->space)
                return gnd__cudac_refuse(x, t,
                                         "a pointer to %smemory is given an address of %smemory",
                                         gnd__cudac_space_word((gnd__cspace)v->space) + 2,
                                         gnd__cudac_space_word(is_now) + 2);
        }
        if (!v && !m && is(x, t + 1, "(") && gnd__cudac_calls(x, t))
            return call(x, to, t);
        if (m)
            return macro_calls(x, m, t);
    }
    return GND_OK;
}

gnd_status gnd__cudac_expression(gnd__cudac *x, gnd__edits *to, int32_t a, int32_t b)
{
    gnd_status st = GND_OK;
    for (int32_t t = a; t < b && st == GND_OK; t++)
        st = token(x, to, t, b);
    return st;
}

/* --- declarations
 * ------------------------------------------------------------------------------------------------
 */

static gnd_status add_var(gnd__cudac *x, const gnd__cvar *v)
{
    if (x->nvar == x->capvar) {
        const int32_t cap = x->capvar ? 2 * x->capvar : 32;
        gnd__cvar *q = gnd__realloc(x->var, (size_t)cap * sizeof *q);
        if (!q)
            return gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a source");
        x->var = q;
        x->capvar = cap;
    }
    x->var[x->nvar++] = *v;
    return GND_OK;
}

/* What the variable of token name points to: by the first assignment in [t, end) that tells. */
static gnd__cspace by_assignment(gnd__cudac *x, int32_t name, int32_t t, int32_t end)
{
    gnd__cspace s = CU_NONE;
    for (; t + 2 < end && s == CU_NONE; t++) {
        if (!gnd__cudac_same(x, t, name) || !is(x, t + 1, "=") || is(x, t + 2, "=") ||
            is(x, t - 1, "*") || is(x, t - 1, "."))
            continue;
        int32_t z = t + 2;
        while (z < end && !is(x, z, ";"))
            z++;
        s = gnd__cudac_space(x, t + 2, z);
        s = s == CU_ANY ? CU_NONE : s;
    }
    return s;
}

/* The end of a declarator with its initial value: its , or ; or ) */
static int32_t declarator_end(const gnd__cudac *x, int32_t t, int32_t end)
{
    while (t < end && !is(x, t, ",") && !is(x, t, ";") && !is(x, t, ")")) {
        if (is(x, t, "(") || is(x, t, "[") || is(x, t, "{")) {
            t = gnd__cudac_closing(x, t);
            if (t < 0)
                return end;
        }
        t++;
    }
    return t < end ? t : end;
}

typedef struct scope {
    const gnd__cfn *f;
    int32_t depth, end;
    int kernel;
} scope;

/* __shared__ at t: at the start of a kernel it stays where it is, else it goes there. *next: behind
 * it. */
static gnd_status shared(gnd__cudac *x, const scope *c, int32_t t, int32_t *next)
{
    const int32_t a = t;
    int32_t z = t, word = -1, name = -1, square = -1;
    int dynamic = 0;
    gnd_status st;
    while (z < c->end && !is(x, z, ";"))
        z++;
    for (int32_t i = a; i < z; i++) {
        dynamic |= is(x, i, "extern");
        word = is(x, i, "__shared__") ? i : word;
        if (is(x, i, "*") || is(x, i, "&"))
            if (square < 0)
                return gnd__cudac_refuse(x, i, "a __shared__ pointer");
        square = is(x, i, "[") && square < 0 ? i : square;
        if (x->token[i].type == GND__UT_WORD && square < 0)
            name = i;
        if (is(x, i, "="))
            return gnd__cudac_refuse(x, i, "shared memory with initial values");
        if (is(x, i, ",") && dynamic)
            return gnd__cudac_refuse(x, i, "several extern __shared__ names in one declaration");
    }
    if (!c->kernel)
        return gnd__cudac_refuse(
            x, word, "__shared__ in a function: declare it in the kernel and give a pointer to it");
    if (name < 0)
        return gnd__err(x->e, GND_ERR_SYNTAX, "source:%d:%d: no declaration", x->token[a].line,
                        x->token[a].col);
    gnd__cvar v = {.name = name,
                   .depth = dynamic ? 1 : c->depth,
                   .kind = square < 0 ? CU_VALUE : CU_ARRAY,
                   .space = CU_LOCAL,
                   .star = -1};
    st = gnd__cudac_expression(x, &x->edits, a, z);
    if (dynamic) {
        if (square < 0 || !is(x, square + 1, "]"))
            return gnd__cudac_refuse(x, word, "extern __shared__ is an array without a size");
        v.kind = CU_POINTER;
        gnd__str type = {0};
        for (int32_t i = word + 1; i < name; i++)
            if (!is(x, i, "__align__") && !(is(x, i, "long") && is(x, i + 1, "long")) &&
                x->token[i].type == GND__UT_WORD)
                gnd__str_addf(&type, "%.*s ", (int)x->token[i].len, x->u->src + x->token[i].at);
        gnd__edit_add(&x->edits, x->token[a].at,
                      x->token[z - 1].at + x->token[z - 1].len - x->token[a].at,
                      "__local %s*%.*s = (__local %s*)gndl_all", gnd__str_get(&type),
                      (int)x->token[name].len, x->u->src + x->token[name].at, gnd__str_get(&type));
        x->edits.bad |= type.bad;
        gnd__str_free(&type);
        *next = z;
        return st == GND_OK ? add_var(x, &v) : st;
    }
    for (int32_t i = a; i < z; i++)
        if (gnd__cudac_among(x, i, "__shared__ static volatile"))
            replace(x, &x->edits, i,
                    is(x, i, "__shared__") ? "__local"
                    : is(x, i, "static")   ? " "
                                           : "volatile");
    /* each name of the declaration */
    for (int32_t i = name; st == GND_OK && i < z;) {
        v.name = i;
        v.dims = 0;
        const int32_t e = declarator_end(x, i, z);
        for (int32_t j = i + 1; j < e; j++)
            if (is(x, j, "[") && gnd__cudac_closing(x, j) > 0) {
                v.dims++;
                j = gnd__cudac_closing(x, j);
            }
        v.kind = v.dims ? CU_ARRAY : CU_VALUE;
        st = add_var(x, &v);
        i = e + 1;
    }
    if (c->depth > 1 && st == GND_OK) {
        const size_t from = x->token[a].at, to = x->token[z].at + 1;
        gnd__edits_copy(&x->edits, x->u->src, from, to, &x->hoisted);
        gnd__str_addc(&x->hoisted, '\n');
        gnd__edit_add(&x->edits, from > 0 ? from - 1 : 0, to - from + (from > 0), "%c",
                      from > 0 ? x->u->src[from - 1] : ' ');
    }
    *next = z;
    return st;
}

/* The declaration at t, whose words of a type are [t, name): notes its variables. *next: the first
 * declarator. */
static gnd_status declaration(gnd__cudac *x, const scope *c, int32_t t, int32_t *next)
{
    int32_t base = t, d;
    gnd__cspace first = CU_NONE;
    gnd_status st = GND_OK;
    int is_auto = 0, constant = 0;
    while (gnd__cudac_type(x, base) || gnd__cudac_among(x, base, "__restrict__")) {
        const int tag = gnd__cudac_among(x, base, "struct union enum");
        is_auto |= is(x, base, "auto");
        constant |= is(x, base, "constexpr");
        if (is(x, base, "static"))
            return gnd__cudac_refuse(x, base, "a static variable in a function");
        base += 1 + tag;
    }
    *next = base;
    if (x->token[base].type != GND__UT_WORD && !is(x, base, "*") && !is(x, base, "&"))
        return GND_OK; /* no declaration */
    for (d = base; st == GND_OK && d < c->end;) {
        gnd__cvar v = {.name = -1, .depth = c->depth, .space = CU_PRIVATE, .star = -1};
        const int32_t begin = d, z = declarator_end(x, d, c->end);
        int stars = 0;
        for (; d < z && v.name < 0; d++) {
            stars += is(x, d, "*");
            if (is(x, d, "&"))
                return gnd__cudac_refuse(
                    x, d, "a reference as a variable: use a pointer, or run it on CUDA devices");
            if (x->token[d].type == GND__UT_WORD &&
                !gnd__cudac_among(x, d, "const volatile __restrict__ __restrict"))
                v.name = d;
            else if (!is(x, d, "*") && x->token[d].type != GND__UT_WORD)
                return GND_OK;
        }
        if (v.name < 0)
            return GND_OK;
        for (; d < z && is(x, d, "[");) {
            v.dims++;
            const int32_t close = gnd__cudac_closing(x, d);
            if (close < 0)
                return GND_OK;
            d = close + 1;
        }
        const int value = d < z && is(x, d, "=") && !is(x, d + 1, "=");
        gnd__cspace s = value ? gnd__cudac_space(x, d + 1, z) : CU_NONE;
        if (is_auto && !stars && s != CU_NONE && s != CU_ANY) {
            v.kind = CU_POINTER;
            v.space = (uint8_t)s;
        } else if (stars) {
            if (stars > 1 || v.dims)
                return gnd__cudac_refuse(x, begin, "a pointer to pointers, or an array of them");
            if (s == CU_NONE || s == CU_ANY)
                s = by_assignment(x, v.name, z, c->end);
            if (s == CU_NONE)
                return gnd__cudac_refuse(
                    x, v.name,
                    "it cannot be told which memory this pointer points to: initialise it");
            v.kind = CU_POINTER;
            v.space = (uint8_t)s;
            if (first == CU_NONE && begin == base) {
                first = s;
                gnd__edit_add(&x->edits, x->token[t].at, 0, "%s", gnd__cudac_space_word(s));
            } else if (first != s) {
                return gnd__cudac_refuse(
                    x, begin,
                    "pointers to several memories in one declaration: declare each by itself");
            }
        } else if (v.dims) {
            v.kind = CU_ARRAY;
        }
        st = add_var(x, &v);
        d = z + 1;
        if (z >= c->end || !is(x, z, ","))
            break;
    }
    /* a number that sizes of arrays may be made of */
    if (st == GND_OK && (constant || is(x, t, "const")) && base < c->end && is(x, base + 1, "=") &&
        (is(x, base - 1, "int") || is(x, base - 1, "unsigned"))) {
        const int32_t z = declarator_end(x, base, c->end);
        int plain = is(x, z, ";");
        for (int32_t i = base + 2; i < z && plain; i++)
            plain = x->token[i].type == GND__UT_NUMBER || x->token[i].type == GND__UT_MARK ||
                    (gnd__cudac_macro(x, i) != NULL && gnd__cudac_macro(x, i)->nparam < 0);
        if (plain) {
            gnd__edit_add(&x->edits, x->token[t].at,
                          x->token[base - 1].at + x->token[base - 1].len - x->token[t].at,
                          "enum {");
            gnd__edit_add(&x->edits, x->token[z].at, 0, " }");
        }
    }
    for (int32_t i = t; i < base && st == GND_OK; i++)
        if (is(x, i, "auto"))
            replace(x, &x->edits, i, "__auto_type");
        else if (is(x, i, "constexpr"))
            replace(x, &x->edits, i, "const");
        else if (is(x, i, "long") && is(x, i + 1, "long"))
            replace(x, &x->edits, i, " ");
    return st;
}

/* Whether a statement, and so a declaration, may begin at t. */
static int begins(const gnd__cudac *x, int32_t t)
{
    return is(x, t - 1, ";") || is(x, t - 1, "{") || is(x, t - 1, "}") ||
           x->token[t - 1].type == GND__UT_LINE || (is(x, t - 1, "(") && is(x, t - 2, "for")) ||
           is(x, t - 1, ":");
}

/* --- functions ---------------------------------------------------------------------------------
 */

static gnd_status body(gnd__cudac *x, const gnd__cfn *f)
{
    scope c = {.f = f, .depth = 1, .end = f->end, .kernel = f->kernel};
    gnd_status st = GND_OK;
    for (int32_t t = f->body + 1; t < f->end && st == GND_OK; t++) {
        int32_t next = t;
        if (is(x, t, "{")) {
            c.depth++;
        } else if (is(x, t, "}")) {
            c.depth--;
            while (x->nvar > 0 && x->var[x->nvar - 1].depth > c.depth)
                x->nvar--;
        } else if (x->token[t].type == GND__UT_WORD && begins(x, t)) {
            if (is(x, t, "__shared__") || gnd__cudac_among(x, t, "extern static volatile")) {
                const int is_shared = is(x, t, "__shared__") || is(x, t + 1, "__shared__");
                if (is_shared) {
                    st = shared(x, &c, t, &next);
                    t = next;
                    continue;
                }
            }
            if (gnd__cudac_type(x, t) && !is(x, t + 1, "(")) {
                st = declaration(x, &c, t, &next);
                t = next - 1;
                continue;
            }
        }
        if (st == GND_OK)
            st = token(x, &x->edits, t, f->end);
    }
    return st;
}

/* The parameters of f for spec s. */
static gnd_status parameters(gnd__cudac *x, const gnd__cfn *f, const gnd__cspec *s)
{
    gnd_status st = GND_OK;
    for (int32_t i = 0; i < f->nparam && st == GND_OK; i++) {
        gnd__cvar v = f->param[i];
        if (v.kind == CU_POINTER || v.kind == CU_REF) {
            v.space = f->kernel ? CU_GLOBAL : s->space[i];
            gnd__edit_add(&x->edits, x->token[v.first].at, 0, "%s",
                          gnd__cudac_space_word((gnd__cspace)v.space));
        }
        if (v.star >= 0 && is(x, v.star, "&"))
            replace(x, &x->edits, v.star, v.kind == CU_REF ? "*" : " ");
        for (int32_t t = v.first; t <= v.last; t++)
            if (is(x, t, "long") && is(x, t + 1, "long"))
                replace(x, &x->edits, t, " ");
            else if (gnd__cudac_among(x, t, "__restrict__ __restrict"))
                replace(x, &x->edits, t, "restrict");
            else if (is(x, t, "__grid_constant__"))
                replace(x, &x->edits, t, " ");
        if (v.name > v.first || (v.name == v.first && v.last > v.first))
            st = add_var(x, &v);
    }
    return st;
}

gnd_status gnd__cudac_function(gnd__cudac *x, int32_t fi, int32_t si)
{
    const gnd__cfn *f = &x->fn[fi];
    gnd__cspec spec = f->spec[si];
    x->nvar = 0;
    gnd__edits_clear(&x->edits);
    gnd__str_clear(&x->hoisted);
    gnd_status st = parameters(x, f, &spec);
    for (int32_t t = f->start; t < f->open; t++) {
        const int32_t close = gnd__cudac_among(x, t, "__launch_bounds__ __attribute__")
                                  ? gnd__cudac_closing(x, t + 1)
                                  : -1;
        if (close > 0) {
            gnd__edit_add(&x->edits, x->token[t].at, x->token[close].at + 1 - x->token[t].at, " ");
            t = close;
        } else if (
            gnd__cudac_among(
                x, t,
                "__device__ __host__ __forceinline__ __noinline__ inline static extern constexpr "
                "__inline__ __global__") ||
            x->token[t].type == GND__UT_TEXT || (is(x, t, "long") && is(x, t + 1, "long"))) {
            replace(x, &x->edits, t, is(x, t, "__global__") ? "__kernel" : " ");
        }
    }
    if (st == GND_OK)
        st = body(x, f);
    if (st != GND_OK)
        return st;
    if (f->ret_pointer) { /* by what it returns */
        for (int32_t t = f->body; t < f->end && !spec.ret; t++) {
            int32_t z = t + 1;
            while (is(x, t, "return") && z < f->end && !is(x, z, ";"))
                z++;
            if (is(x, t, "return"))
                spec.ret = (uint8_t)gnd__cudac_space(x, t + 1, z);
        }
        if (!spec.ret)
            return gnd__cudac_refuse(x, f->name,
                                     "it cannot be told which memory the result points to");
        gnd__str_add(&spec.head, gnd__cudac_space_word((gnd__cspace)spec.ret));
    }
    if (!f->kernel)
        gnd__str_add(&spec.head, "static __attribute__((overloadable)) ");
    gnd__edits_copy(&x->edits, x->u->src, x->token[f->start].at, x->token[f->close].at, &spec.head);
    gnd__str_addn(&spec.body, gnd__str_get(&x->hoisted), x->hoisted.len);
    spec.body.bad |= x->hoisted.bad;
    gnd__str_addf(&spec.body, "\n#line %d \"source\"\n%*s", x->token[f->body + 1].line,
                  x->token[f->body + 1].col - 1, "");
    gnd__edits_copy(&x->edits, x->u->src, x->token[f->body + 1].at, x->token[f->end].at,
                    &spec.body);
    spec.done = 1;
    x->fn[fi].spec[si] = spec; /* calls of itself may have added specs */
    return spec.head.bad || spec.body.bad
               ? gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a source")
               : GND_OK;
}
