/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/checked_names.c - for checked mode: what tokens mean without a parser, and which names
 * are pointers to global memory. A pointer is known by its declaration.
 */
#include "codegen/checked_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

static const char spaces[] = "__global global GND_GLOBAL GND_CONST_GLOBAL";

const char gnd__checked_quals[] = "const volatile restrict __restrict__ __restrict GND_RESTRICT";

const char gnd__checked_before[] = "return else do case goto sizeof in";

static const char casts[] =
    "void bool char short int long unsigned signed float double size_t ptrdiff_t uchar ushort uint "
    "ulong const volatile struct int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t "
    "g_b g_i8 g_i16 g_i32 g_i64 g_u8 g_u16 g_u32 g_u64 g_f32 g_f64 half";

int32_t gnd__checked_closing(const gnd__checked_pass *x, int32_t t)
{
    int depth = 0;
    for (; t < x->n && x->t[t].type != GND__UT_END; t++) {
        depth +=
            gnd__checked_is(x, t, "(") || gnd__checked_is(x, t, "[") || gnd__checked_is(x, t, "{");
        depth -=
            gnd__checked_is(x, t, ")") || gnd__checked_is(x, t, "]") || gnd__checked_is(x, t, "}");
        if (depth == 0)
            return t;
    }
    return -1;
}

int32_t gnd__checked_opening(const gnd__checked_pass *x, int32_t t)
{
    int depth = 0;
    for (; t >= 0; t--) {
        depth +=
            gnd__checked_is(x, t, ")") || gnd__checked_is(x, t, "]") || gnd__checked_is(x, t, "}");
        depth -=
            gnd__checked_is(x, t, "(") || gnd__checked_is(x, t, "[") || gnd__checked_is(x, t, "{");
        if (depth == 0)
            return t;
    }
    return -1;
}

int gnd__checked_is_cast(const gnd__checked_pass *x, int32_t t)
{
    const int32_t open = gnd__checked_opening(x, t);
    if (open < 0 || open + 1 >= t ||
        (gnd__checked_is_word(x, open - 1) &&
         !gnd__checked_among(x, open - 1, "return else do case")))
        return 0;
    for (int32_t i = open + 1; i < t; i++)
        if (!gnd__checked_is_word(x, i) && !gnd__checked_is(x, i, "*"))
            return 0;
    if (gnd__checked_is(x, t - 1, "*"))
        return 1;
    const gnd__utoken *k = &x->t[t - 1];
    const char *s = x->s + k->at;
    if (gnd__checked_among(x, open + 1, casts) || gnd__checked_among(x, t - 1, casts) ||
        (k->len > 2 && !memcmp(s + k->len - 2, "_t", 2)))
        return 1;
    if (k->len > 1 && s[k->len - 1] >= '2' && s[k->len - 1] <= '8') /* float4 */
        return gnd__word_find(casts, s, k->len - 1, 0) >= 0;
    for (int32_t i = 0; i + 1 < x->n; i++) /* a name that the source defines */
        if (x->t[i].len == k->len && !memcmp(x->s + x->t[i].at, s, k->len) &&
            (gnd__checked_is(x, i - 1, "struct") || gnd__checked_is(x, i - 1, "enum")))
            return 1;
        else if (gnd__checked_is(x, i, "typedef"))
            for (int32_t j = i; j < x->n && !gnd__checked_is(x, j, ";"); j++)
                if (gnd__checked_is(x, j + 1, ";") && x->t[j].len == k->len &&
                    !memcmp(x->s + x->t[j].at, s, k->len))
                    return 1;
    return 0;
}

int gnd__checked_ends_value(const gnd__checked_pass *x, int32_t t)
{
    if (t < 0)
        return 0;
    if (x->t[t].type == GND__UT_NUMBER || x->t[t].type == GND__UT_TEXT ||
        gnd__checked_is(x, t, "]"))
        return 1;
    if (gnd__checked_is_word(x, t))
        return !gnd__checked_among(x, t, gnd__checked_before);
    if (gnd__checked_is(x, t, ")")) /* but not the ) of if (c) *p = v */
        return !gnd__checked_is_cast(x, t) &&
               !gnd__checked_among(x, gnd__checked_opening(x, t) - 1, "if while for switch");
    if (gnd__checked_pair(x, t - 1, "+", "+") || gnd__checked_pair(x, t - 1, "-", "-"))
        return gnd__checked_ends_value(x, t - 2);
    return 0;
}

int gnd__checked_is_unary(const gnd__checked_pass *x, int32_t t, const char *mark)
{
    return gnd__checked_is(x, t, mark) && !gnd__checked_ends_value(x, t - 1) &&
           !(gnd__checked_pair(x, t - 1, mark, mark) && *mark == '&');
}

int32_t gnd__checked_operand_end(const gnd__checked_pass *x, int32_t t)
{
    while (gnd__checked_is(x, t, "*") || gnd__checked_is(x, t, "&") || gnd__checked_is(x, t, "+") ||
           gnd__checked_is(x, t, "-"))
        t++;
    if (gnd__checked_is(x, t, "(")) {
        const int32_t close = gnd__checked_closing(x, t);
        if (close < 0)
            return x->n;
        if (gnd__checked_is_cast(x, close))
            return gnd__checked_operand_end(x, close + 1);
        t = close;
    }
    for (t++; t < x->n;) {
        if (gnd__checked_is(x, t, "(") || gnd__checked_is(x, t, "[")) {
            const int32_t close = gnd__checked_closing(x, t);
            if (close < 0)
                return x->n;
            t = close + 1;
        } else if (gnd__checked_is(x, t, ".") || gnd__checked_pair(x, t, "-", ">")) {
            t += gnd__checked_is(x, t, ".") ? 2 : 3;
        } else if (gnd__checked_pair(x, t, "+", "+") || gnd__checked_pair(x, t, "-", "-")) {
            t += 2;
        } else {
            break;
        }
    }
    return t;
}

/* --- names ------------------------------------------------------------------------------------ */

void gnd__checked_add_name(gnd__checked_pass *x, gnd__checked_name **list, int *n, int *cap,
                           int32_t t, int depth)
{
    if (*n == *cap) {
        gnd__checked_name *q = gnd__realloc(*list, (size_t)(*cap * 2 + 16) * sizeof *q);
        if (!q) {
            x->nomem = 1;
            return;
        }
        *list = q;
        *cap = *cap * 2 + 16;
    }
    (*list)[(*n)++] = (gnd__checked_name){x->s + x->t[t].at, x->t[t].len, depth};
}

int gnd__checked_has_name(const gnd__checked_pass *x, const gnd__checked_name *list, int n,
                          int32_t t)
{
    if (!gnd__checked_is_word(x, t))
        return 0;
    for (int i = n - 1; i >= 0; i--)
        if (list[i].len == x->t[t].len && !memcmp(list[i].text, x->s + x->t[t].at, x->t[t].len))
            return 1;
    return 0;
}

int gnd__checked_is_member(const gnd__checked_pass *x, int32_t t)
{
    return gnd__checked_is(x, t - 1, ".") || gnd__checked_pair(x, t - 2, "-", ">");
}

int gnd__checked_is_pointer(const gnd__checked_pass *x, int32_t t)
{
    return gnd__checked_has_name(x, x->v, x->nv, t) && !gnd__checked_is_member(x, t);
}

/* Whether the words of a declaration that end at t name global memory; on CUDA, any memory. */
static int words_tell(const gnd__checked_pass *x, int32_t t)
{
    int space = 0, n = 0;
    for (; gnd__checked_is_word(x, t) || (n > 0 && gnd__checked_is(x, t, ")") &&
                                          gnd__checked_is_word(x, gnd__checked_opening(x, t) - 1));
         t--, n++) {
        space |= gnd__checked_among(x, t, spaces);
        if (gnd__checked_among(x, t, gnd__checked_before))
            return 0;
        if (gnd__checked_is(x, t, ")"))
            t = gnd__checked_opening(x, t);
    }
    if (!x->any || space)
        return space;
    return n > 0 && (t < 0 || gnd__checked_is(x, t, "(") || gnd__checked_is(x, t, ",") ||
                     gnd__checked_is(x, t, ";") || gnd__checked_is(x, t, "{") ||
                     gnd__checked_is(x, t, "}") || gnd__checked_is(x, t, ":") ||
                     gnd__checked_is(x, t, ">") || gnd__checked_is(x, t, ")") ||
                     x->t[t].type == GND__UT_LINE);
}

int gnd__checked_declares(const gnd__checked_pass *x, int32_t t)
{
    int32_t b = t - 1;
    if (!gnd__checked_is_word(x, t) || gnd__checked_is(x, t + 1, "("))
        return 0;
    if (gnd__checked_is(x, t + 1, "[")) { /* a parameter: T x[] */
        const int32_t close = gnd__checked_closing(x, t + 1);
        if (gnd__checked_is_word(x, b) &&
            (gnd__checked_is(x, close + 1, ",") || gnd__checked_is(x, close + 1, ")"))) {
            for (; gnd__checked_is_word(x, b); b--)
                if (gnd__checked_among(x, b, spaces))
                    return 1;
            return 0;
        }
    }
    /* a product: a name that is accessed immediately is not being declared */
    if (gnd__checked_is(x, t + 1, "[") || gnd__checked_pair(x, t + 1, "-", ">"))
        return 0;
    while (gnd__checked_among(x, b, gnd__checked_quals))
        b--;
    if (gnd__checked_is(x, b, "*") && gnd__checked_is(x, b - 1, "*"))
        b--;
    if (!gnd__checked_is(x, b, "*"))
        return 0;
    if (words_tell(x, b - 1))
        return 1;
    if (!gnd__checked_is(x, b - 1, ","))
        return 0;
    int depth = 0; /* another name of the declaration: T *a = ..., *b */
    for (b -= 2; b >= 0; b--) {
        depth += gnd__checked_is(x, b, ")") || gnd__checked_is(x, b, "]");
        depth -= gnd__checked_is(x, b, "(") || gnd__checked_is(x, b, "[");
        if (depth < 0 && gnd__checked_is(x, b - 1, "for"))
            break;
        if (depth < 0)
            return 0;
        if (depth == 0 && (gnd__checked_is(x, b, ";") || gnd__checked_is(x, b, "{") ||
                           gnd__checked_is(x, b, "}")))
            break;
    }
    for (b++; gnd__checked_is_word(x, b); b++)
        ;
    return gnd__checked_is(x, b, "*") && words_tell(x, b - 1);
}

int gnd__checked_has_pointer(const gnd__checked_pass *x, int32_t a, int32_t b)
{
    for (int32_t t = a; t < b; t++) {
        if (gnd__checked_is_pointer(x, t)) {
            const int address = gnd__checked_is_unary(x, t - 1, "&");
            if ((!gnd__checked_is(x, t + 1, "[") && !gnd__checked_pair(x, t + 1, "-", ">")) ||
                address)
                if (t == a || !gnd__checked_is_unary(x, t - 1, "*") || t - 1 < a)
                    return 1;
        }
        if (gnd__checked_is(x, t, "[")) {
            t = gnd__checked_closing(x, t);
            if (t < 0)
                return 0;
        }
    }
    return 0;
}

int gnd__checked_auto_pointer(const gnd__checked_pass *x, int32_t t)
{
    if (!gnd__checked_among(x, t - 1, "auto __auto_type") || !gnd__checked_is(x, t + 1, "="))
        return 0;
    int32_t z = t + 2;
    while (z < x->n && !gnd__checked_is(x, z, ";") && !gnd__checked_is(x, z, "}"))
        z++;
    return gnd__checked_has_pointer(x, t + 2, z);
}
