/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_expr.c - expressions: casts to pointers get the memory that they point to, C++
 * casts become C casts, and words and numbers of CUDA C become those of OpenCL C.
 */
#include "codegen/cudac_body.h"

#include <string.h>
#include "base/words.h"

static int is(const gnd__cudac *x, int32_t t, const char *word)
{
    return gnd__cudac_is(x, t, word);
}

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
    if (gnd__word_find(gnd__str_get(&x->cast_names), name, strlen(name), 0) < 0) {
        gnd__str_addf(&x->cast_names, "%s ", name);
        for (int s = CU_GLOBAL; s <= CU_CONSTANT; s++) {
            const char *w = gnd__cudac_space_word((gnd__cspace)s), *t = gnd__str_get(&type);
            gnd__str_addf(
                &x->casts,
                "static __attribute__((overloadable)) %s%s*%s(%s const void *p) { return (%s%s*)p; }\n",
                w, t, name, w, w, t);
        }
    }
    x->casts.bad |= type.bad | x->cast_names.bad;
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
        gnd__cudac_replace(x, to, first, "(");
        gnd__cudac_replace(x, to, first + 1, "(");
        gnd__edit_add(to, x->token[a].at, 0, "%s", gnd__cudac_space_word(s));
        gnd__cudac_replace(x, to, last, ")");
        gnd__cudac_after(x, to, end - 1, ")");
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
    gnd__cudac_after(x, to, end - 1, ")");
    return GND_OK;
}

/* static_cast<T>(e) and its like at t. */
static gnd_status named_cast(gnd__cudac *x, gnd__edits *to, int32_t t)
{
    int32_t gt = t + 1, star = 0;
    while (gt < x->ntoken - 1 && !is(x, gt, ">") && !is(x, gt, ";") && !is(x, gt, "("))
        gt++;
    if (!is(x, t + 1, "<") || !is(x, gt, ">") || !is(x, gt + 1, "("))
        return gnd__utoken_syntax(x->e, "source", &x->token[t], "a cast is NAME<TYPE>(VALUE)");
    const int32_t close = gnd__cudac_closing(x, gt + 1);
    if (close < 0)
        return gnd__utoken_syntax(x->e, "source", &x->token[t], "a ( without its )");
    for (int32_t i = t + 2; i < gt; i++) {
        if (is(x, i, "&"))
            return gnd__cudac_refuse(x, i, "a cast to a reference runs on CUDA devices only");
        if (is(x, i, "*"))
            star = star ? star : i;
    }
    if (star)
        return pointer_cast(x, to, t + 2, star, gt + 1, close + 1, t, gt);
    gnd__cudac_replace(x, to, t, "(");
    gnd__cudac_replace(x, to, t + 1, "(");
    gnd__cudac_replace(x, to, gt, ")");
    gnd__cudac_after(x, to, close, ")");
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

gnd_status gnd__cudac_token(gnd__cudac *x, gnd__edits *to, int32_t t, int32_t end)
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
        gnd__cudac_replace(x, to, t, " ");
    } else if (is(x, t, "nullptr")) {
        gnd__cudac_replace(x, to, t, "0");
    } else if (gnd__cudac_among(x, t, "static_cast reinterpret_cast const_cast")) {
        return named_cast(x, to, t);
    } else if (gnd__cudac_among(x, t, "__restrict__ __restrict")) {
        gnd__cudac_replace(x, to, t, "restrict");
    } else if (gnd__cudac_among(
                   x, t, "__align__ constexpr __noinline__ __forceinline__ __grid_constant__")) {
        gnd__cudac_replace(x, to, t, is(x, t, "__align__") ? "__attribute__((aligned" : " ");
        if (is(x, t, "__align__") && is(x, t + 1, "(") && gnd__cudac_closing(x, t + 1) > 0)
            gnd__cudac_after(x, to, gnd__cudac_closing(x, t + 1), "))");
    } else if (is(x, t + 1, "(") && gnd__cudac_type(x, t) && t > 0 && !gnd__cudac_type(x, t - 1) &&
               !gnd__cudac_among(x, t, "const volatile struct auto") && t + 1 < end) {
        const int32_t close = gnd__cudac_closing(x, t + 1);
        if (is(x, t + 2, "*"))
            return gnd__cudac_refuse(x, t, "a pointer to a function runs on CUDA devices only");
        if (close > 0) {
            gnd__edit_add(to, k->at, k->len, "((%.*s)", (int)k->len, s);
            gnd__cudac_after(x, to, close, ")");
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
            return gnd__cudac_call(x, to, t);
        if (m)
            return gnd__cudac_macro_calls(x, m, t);
    }
    return GND_OK;
}

gnd_status gnd__cudac_expression(gnd__cudac *x, gnd__edits *to, int32_t a, int32_t b)
{
    gnd_status st = GND_OK;
    for (int32_t t = a; t < b && st == GND_OK; t++)
        st = gnd__cudac_token(x, to, t, b);
    return st;
}
