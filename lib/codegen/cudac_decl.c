/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_decl.c - declarations in functions: pointers get the memory that they point to, and
 * shared memory is declared at the start of the kernel.
 */
#include "codegen/cudac_body.h"

#include "base/mem.h"

static int is(const gnd__cudac *x, int32_t t, const char *word)
{
    return gnd__cudac_is(x, t, word);
}

gnd_status gnd__cudac_add_var(gnd__cudac *x, const gnd__cvar *v)
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

/* extern __shared__ in tokens [a, z): a pointer to the start of the kernel's local memory. The
 * tokens of its type follow token word. */
static void dynamic_shared(gnd__cudac *x, int32_t a, int32_t z, int32_t word, int32_t name)
{
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
}

gnd_status gnd__cudac_shared(gnd__cudac *x, const gnd__cscope *c, int32_t t, int32_t *next)
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
        return gnd__utoken_syntax(x->e, "source", &x->token[a], "no declaration");
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
        dynamic_shared(x, a, z, word, name);
        *next = z;
        return st == GND_OK ? gnd__cudac_add_var(x, &v) : st;
    }
    for (int32_t i = a; i < z; i++)
        if (gnd__cudac_among(x, i, "__shared__ static volatile"))
            gnd__cudac_replace(x, &x->edits, i,
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
        st = gnd__cudac_add_var(x, &v);
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

/* A const int of a plain value may be the size of an array: it becomes an enum. Its declaration
 * begins at t, its name is token base. */
static void size_constant(gnd__cudac *x, const gnd__cscope *c, int32_t t, int32_t base)
{
    if (base >= c->end || !is(x, base + 1, "=") ||
        !(is(x, base - 1, "int") || is(x, base - 1, "unsigned")))
        return;
    const int32_t z = declarator_end(x, base, c->end);
    int plain = is(x, z, ";");
    for (int32_t i = base + 2; i < z && plain; i++)
        plain = x->token[i].type == GND__UT_NUMBER || x->token[i].type == GND__UT_MARK ||
                (gnd__cudac_macro(x, i) != NULL && gnd__cudac_macro(x, i)->nparam < 0);
    if (plain) {
        gnd__edit_add(&x->edits, x->token[t].at,
                      x->token[base - 1].at + x->token[base - 1].len - x->token[t].at, "enum {");
        gnd__edit_add(&x->edits, x->token[z].at, 0, " }");
    }
}

/* Replaces the words of a type, [t, base), that OpenCL C spells in another way. */
static void type_words(gnd__cudac *x, int32_t t, int32_t base)
{
    for (int32_t i = t; i < base; i++)
        if (is(x, i, "auto"))
            gnd__cudac_replace(x, &x->edits, i, "__auto_type");
        else if (is(x, i, "constexpr"))
            gnd__cudac_replace(x, &x->edits, i, "const");
        else if (is(x, i, "long") && is(x, i + 1, "long"))
            gnd__cudac_replace(x, &x->edits, i, " ");
}

gnd_status gnd__cudac_declaration(gnd__cudac *x, const gnd__cscope *c, int32_t t, int32_t *next)
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
        st = gnd__cudac_add_var(x, &v);
        d = z + 1;
        if (z >= c->end || !is(x, z, ","))
            break;
    }
    if (st == GND_OK && (constant || is(x, t, "const")))
        size_constant(x, c, t, base);
    if (st == GND_OK)
        type_words(x, t, base);
    return st;
}
