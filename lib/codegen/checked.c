/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/checked.c - see checked.h. The text is not parsed: an access is known by the marks around
 * the name of a pointer (checked_names.c).
 */
#include "codegen/checked_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "codegen/prelude.h"

/* --- accesses --------------------------------------------------------------------------------- */

static void insert(gnd__checked_pass *x, int32_t t, const char *text)
{
    gnd__edit_add(&x->edits, x->shift + x->t[t].at, 0, "%s", text);
}

static void after(gnd__checked_pass *x, int32_t t, const char *text)
{
    gnd__edit_add(&x->edits, x->shift + x->t[t].at + x->t[t].len, 0, "%s", text);
}

static void replace(gnd__checked_pass *x, int32_t t, const char *text)
{
    gnd__edit_add(&x->edits, x->shift + x->t[t].at, x->t[t].len, "%s", text);
}

/* Whether the access of tokens [a, b) is written. */
static int is_written(const gnd__checked_pass *x, int32_t a, int32_t b)
{
    if (gnd__checked_pair(x, a - 2, "+", "+") || gnd__checked_pair(x, a - 2, "-", "-"))
        if (!gnd__checked_ends_value(x, a - 3))
            return 1;
    while (gnd__checked_is(x, b, ".") || gnd__checked_is(x, b, "[")) {
        if (gnd__checked_is(x, b, "[") && gnd__checked_closing(x, b) < 0)
            return 0;
        b = gnd__checked_is(x, b, ".") ? b + 2 : gnd__checked_closing(x, b) + 1;
    }
    if (gnd__checked_pair(x, b, "+", "+") || gnd__checked_pair(x, b, "-", "-"))
        return 1;
    if (gnd__checked_pair(x, b, "<", "<") || gnd__checked_pair(x, b, ">", ">"))
        return gnd__checked_pair(x, b + 1, "<", "=") || gnd__checked_pair(x, b + 1, ">", "=");
    if (gnd__checked_is(x, b, "="))
        return !gnd__checked_pair(x, b, "=", "=");
    return (gnd__checked_is(x, b, "+") || gnd__checked_is(x, b, "-") ||
            gnd__checked_is(x, b, "*") || gnd__checked_is(x, b, "/") ||
            gnd__checked_is(x, b, "%") || gnd__checked_is(x, b, "&") ||
            gnd__checked_is(x, b, "|") || gnd__checked_is(x, b, "^")) &&
           x->t[b + 1].at == x->t[b].at + 1 && gnd__checked_is(x, b + 1, "=");
}

/* The access to pointer [a, b) with a [ or -> at b. */
static void subscript(gnd__checked_pass *x, int32_t a, int32_t b)
{
    char end[32];
    if (gnd__checked_is_unary(x, a - 1, "&") && gnd__checked_is(x, b, "["))
        return; /* only the address is taken */
    if (gnd__checked_is(x, b, "[")) {
        const int32_t close = gnd__checked_closing(x, b);
        if (close < 0)
            return;
        insert(x, a, is_written(x, a, close + 1) ? "GNDC_W(" : "GNDC_R(");
        replace(x, b, ",(");
        snprintf(end, sizeof end, "),%d)", x->line);
        replace(x, close, end);
    } else {
        insert(x, a, is_written(x, a, b + 3) ? "GNDC_W(" : "GNDC_R(");
        snprintf(end, sizeof end, ",0,%d).", x->line);
        replace(x, b, end);
        replace(x, b + 1, " ");
    }
}

/* The first argument of an atomic function, or of __ldg, at t. */
static void argument(gnd__checked_pass *x, int32_t t)
{
    const int32_t open = t + 1, close = gnd__checked_closing(x, open);
    const int reads = gnd__checked_among(x, t, "__ldg __ldcg __ldcs __ldca");
    char end[32];
    int32_t z = open + 1;
    while (z < close && !gnd__checked_is(x, z, ",")) {
        if (gnd__checked_is(x, z, "(") || gnd__checked_is(x, z, "["))
            z = gnd__checked_closing(x, z);
        z++;
    }
    if (close < 0 || z == open + 1 || !gnd__checked_has_pointer(x, open + 1, z))
        return;
    insert(x, open + 1, "GNDC_P((");
    /* written in place of the following token, because inner accesses may end at the same byte */
    snprintf(end, sizeof end, "),%d,%d)%c", !reads, x->line, x->s[x->t[z].at]);
    replace(x, z, end);
}

static int is_atomic(const gnd__checked_pass *x, int32_t t)
{
    const char *s = x->s + x->t[t].at;
    return gnd__checked_is_word(x, t) && gnd__checked_is(x, t + 1, "(") &&
           !gnd__checked_has_name(x, x->fn, x->nfn, t) &&
           ((x->t[t].len > 6 && !memcmp(s, "atomic", 6)) ||
            (x->t[t].len > 5 && !memcmp(s, "atom_", 5)) ||
            gnd__checked_among(x, t, "__ldg __ldcg __ldcs __ldca"));
}

static void access_at(gnd__checked_pass *x, int32_t t)
{
    if (gnd__checked_is_word(x, t)) {
        if (is_atomic(x, t))
            argument(x, t);
        else if (gnd__checked_is_pointer(x, t) && !gnd__checked_declares(x, t) &&
                 (gnd__checked_is(x, t + 1, "[") || gnd__checked_pair(x, t + 1, "-", ">")))
            subscript(x, t, t + 1);
    } else if (gnd__checked_is(x, t, ")") &&
               (gnd__checked_is(x, t + 1, "[") || gnd__checked_pair(x, t + 1, "-", ">")) &&
               !gnd__checked_is_cast(x, t)) {
        int32_t open = gnd__checked_opening(x, t);
        if (open < 0 || !gnd__checked_has_pointer(x, open + 1, t))
            return;
        if (gnd__checked_is_word(x, open - 1) &&
            !gnd__checked_among(x, open - 1, gnd__checked_before)) {
            if (!gnd__checked_has_name(x, x->fn, x->nfn, open - 1))
                return;
            open--; /* the pointer that a function returns */
        }
        subscript(x, open, t + 1);
    } else if (gnd__checked_is_unary(x, t, "*")) {
        const int32_t end = gnd__checked_operand_end(x, t + 1);
        char text[32];
        int32_t first = t + 1;
        while (gnd__checked_among(x, first, gnd__checked_quals))
            first++;
        if (gnd__checked_is(x, t + 1, ")") || gnd__checked_is(x, t + 1, "*") ||
            gnd__checked_declares(x, first) || gnd__checked_is(x, first, ",") || end > x->n ||
            !gnd__checked_has_pointer(x, t + 1, end))
            return;
        replace(x, t, is_written(x, t, end) ? "GNDC_W((" : "GNDC_R((");
        snprintf(text, sizeof text, "),0,%d)", x->line);
        after(x, end - 1, text);
    }
}

/* --- the bounds as an argument, on OpenCL ------------------------------------------------------
 */

static void find_functions(gnd__checked_pass *x)
{
    int depth = 0, kernel = 0, value = 0;
    for (int32_t t = 0; t < x->n; t++) {
        if (depth == 0) {
            kernel |= gnd__checked_among(x, t, "__kernel kernel GND_KERNEL");
            value |= gnd__checked_is(x, t, "=") || gnd__checked_is(x, t, "typedef");
            if (gnd__checked_is(x, t, "(")) {
                const int32_t close = gnd__checked_closing(x, t);
                if (close < 0)
                    return;
                if (!kernel && !value && gnd__checked_is_word(x, t - 1) &&
                    !gnd__checked_among(x, t - 1, "__attribute__ static_assert _Static_assert") &&
                    (gnd__checked_is(x, close + 1, "{") || gnd__checked_is(x, close + 1, ";")) &&
                    !gnd__checked_has_name(x, x->fn, x->nfn, t - 1))
                    gnd__checked_add_name(x, &x->fn, &x->nfn, &x->capfn, t - 1, 0);
                t = close;
                continue;
            }
        }
        depth += gnd__checked_is(x, t, "{");
        depth -= gnd__checked_is(x, t, "}");
        if (depth == 0 && (gnd__checked_is(x, t, ";") || gnd__checked_is(x, t, "}")))
            kernel = value = 0;
        else if (depth == 0 && x->t[t].type == GND__UT_LINE)
            value = 0; /* a kernel may have an #ifdef among its attributes */
    }
}

/* Function t, called or declared: adds the bounds as its first argument or parameter. */
static void pass_bounds(gnd__checked_pass *x, int32_t t, int depth)
{
    const int empty = gnd__checked_is(x, t + 2, ")"),
              none = gnd__checked_is(x, t + 2, "void") && gnd__checked_is(x, t + 3, ")");
    if (gnd__checked_is_member(x, t))
        return;
    if (depth > 0)
        after(x, t + 1, empty ? "gndc" : "gndc, ");
    else if (none)
        replace(x, t + 2, "const gndc_ctx *gndc");
    else
        after(x, t + 1, empty ? "const gndc_ctx *gndc" : "const gndc_ctx *gndc, ");
}

/* --- the text --------------------------------------------------------------------------------- */

/* Rewrites the body of the macro whose line is token `at`, as code that sees the pointers of the
 * whole text. */
static gnd_status macro(gnd__checked_pass *x, int32_t at, const gnd__checked_name *all, int nall)
{
    const char *line = x->s + x->t[at].at;
    const size_t len = x->t[at].len;
    gnd__checked_pass y = *x;
    gnd_status st = GND_OK;
    size_t skip = 1;
    int32_t n;
    while (skip < len && (line[skip] == ' ' || line[skip] == '\t'))
        skip++;
    if (len < skip + 7 || memcmp(line + skip, "define", 6))
        return GND_OK;
    skip += 6;
    y.s = line + skip;
    y.shift = x->shift + x->t[at].at + skip;
    st = gnd__user_lex("source", y.s, len - skip, &y.t, &n, x->e);
    if (st != GND_OK)
        return st;
    y.n = n - 1;
    y.v = (gnd__checked_name *)all;
    y.nv = nall;
    int32_t body = 1, close = 0;
    if (gnd__checked_is(&y, 1, "(") && y.t[1].at == y.t[0].at + y.t[0].len &&
        (close = gnd__checked_closing(&y, 1)) > 0)
        body = close + 1;
    for (int32_t t = body; t < y.n && st == GND_OK; t++) {
        for (int32_t i = 2; i < close; i++) /* an access through a parameter */
            if (gnd__checked_is_word(&y, i) && gnd__checked_is_word(&y, t) &&
                y.t[i].len == y.t[t].len && !memcmp(y.s + y.t[i].at, y.s + y.t[t].at, y.t[i].len)) {
                int32_t b = t - 1;
                while (gnd__checked_is(&y, b, "(") ||
                       (gnd__checked_is(&y, b, ")") && b > body && gnd__checked_is_cast(&y, b))) {
                    b = gnd__checked_is(&y, b, ")") ? gnd__checked_opening(&y, b) - 1 : b - 1;
                    if (gnd__checked_is_word(&y, b) && !strncmp(y.s + y.t[b].at, "gndk", 4))
                        b--; /* a cast of cudac_body.c */
                }
                if (gnd__checked_is(&y, t + 1, "[") || gnd__checked_pair(&y, t + 1, "-", ">") ||
                    (b >= body && gnd__checked_is_unary(&y, b, "*")) ||
                    (gnd__checked_is(&y, t + 1, ")") && gnd__checked_is(&y, t + 2, "[")))
                    st = gnd__err(x->e, GND_ERR_UNSUPPORTED,
                                  "source:%d: macro %.*s accesses memory through its parameter "
                                  "%.*s, which cannot be checked: make it a function",
                                  x->line, (int)y.t[0].len, y.s + y.t[0].at, (int)y.t[i].len,
                                  y.s + y.t[i].at);
            }
        if (st != GND_OK)
            break;
        access_at(&y, t);
        if (y.bounds && gnd__checked_is_word(&y, t) && gnd__checked_is(&y, t + 1, "(") &&
            gnd__checked_has_name(&y, y.fn, y.nfn, t))
            pass_bounds(&y, t, 1);
    }
    x->edits = y.edits;
    gnd__free(y.t);
    return st;
}

/* All names of pointers, which a macro's body may use. */
static void find_all(gnd__checked_pass *x)
{
    for (int32_t t = 0; t < x->n; t++)
        if ((gnd__checked_declares(x, t) || gnd__checked_auto_pointer(x, t)) &&
            !gnd__checked_is_pointer(x, t))
            gnd__checked_add_name(x, &x->v, &x->nv, &x->capv, t, 0);
}

static gnd_status walk(gnd__checked_pass *x, const gnd__checked_name *all, int nall)
{
    gnd_status st = GND_OK;
    int depth = 0, parens = 0, delta = 0;
    for (int32_t t = 0; t < x->n && st == GND_OK; t++) {
        char text[64];
        long line;
        x->line = x->t[t].line + delta;
        if (x->t[t].type == GND__UT_LINE) {
            snprintf(text, sizeof text, "%.*s", (int)(x->t[t].len < 63 ? x->t[t].len : 63),
                     x->s + x->t[t].at);
            if (sscanf(text, "#line %ld", &line) == 1)
                delta = (int)line - x->t[t].line - 1;
            else
                st = macro(x, t, all, nall);
            continue;
        }
        parens += gnd__checked_is(x, t, "(");
        parens -= gnd__checked_is(x, t, ")");
        depth += gnd__checked_is(x, t, "{");
        if (gnd__checked_is(x, t, "}")) {
            depth--;
            while (x->nv > 0 && x->v[x->nv - 1].depth > depth)
                x->nv--;
        }
        if (gnd__checked_is(x, t, ";") && depth == 0)
            x->nv = 0;
        if (gnd__checked_declares(x, t) || gnd__checked_auto_pointer(x, t)) {
            gnd__checked_add_name(x, &x->v, &x->nv, &x->capv, t, depth + (parens > 0));
            continue;
        }
        access_at(x, t);
        if (x->bounds && gnd__checked_is_word(x, t) && gnd__checked_is(x, t + 1, "(") &&
            gnd__checked_has_name(x, x->fn, x->nfn, t))
            pass_bounds(x, t, depth);
    }
    return st;
}

gnd_status gnd__checked_text(const gnd__usource *u, gnd_dialect d, size_t from, gnd__str *out,
                             gnd_err *e)
{
    gnd__checked_pass x = {.any = d == GND_DIALECT_CUDA && u->lang != GND__UL_PORTABLE,
                           .bounds = d != GND_DIALECT_CUDA,
                           .e = e,
                           .line = 1};
    gnd__str text = {0};
    if (out->bad)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a kernel's text");
    x.s = gnd__str_get(out) + from;
    const size_t len = out->len - from;
    gnd_status st = gnd__user_lex("source", x.s, len, &x.t, &x.n, e);
    if (st == GND_OK) {
        x.n--; /* without the end token */
        find_all(&x);
        gnd__checked_name *all = x.v;
        const int nall = x.nv;
        x.v = NULL;
        x.nv = x.capv = 0;
        find_functions(&x);
        st = walk(&x, all, nall);
        gnd__free(all);
    }
    if (st == GND_OK) {
        gnd__str_addn(&text, gnd__str_get(out), from);
        gnd__edits_copy(&x.edits, x.s, 0, len, &text);
        if (text.bad || x.nomem)
            st = gnd__err(e, GND_ERR_NOMEM, "out of memory for a kernel's text");
    }
    if (st == GND_OK) {
        gnd__str_clear(out);
        gnd__str_addn(out, gnd__str_get(&text), text.len);
    }
    gnd__str_free(&text);
    gnd__edits_free(&x.edits);
    gnd__free(x.t);
    gnd__free(x.v);
    gnd__free(x.fn);
    return st;
}

gnd_status gnd__checked_prelude(const gnd__usource *u, gnd_dialect d, gnd__str *out, gnd_err *e)
{
    int most = 1;
    for (int32_t k = 0; k < u->nkernel; k++) {
        int n = 0;
        for (int32_t i = 0; i < u->kernel[k].nparam; i++)
            n += u->kernel[k].param[i].kind == GND__UP_GLOBAL;
        most = n > most ? n : most;
    }
    gnd__str_addf(out, "#define GNDC_MAX %d\n", most);
    return gnd__kernel_text(out, "checked", d, GND_FLOAT32)
               ? GND_OK
               : gnd__err(e, GND_ERR_INTERNAL, "kernels/ has no text checked");
}

static int pointers(const gnd__ukernel *k)
{
    int n = 0;
    for (int32_t i = 0; i < k->nparam; i++)
        n += k->param[i].kind == GND__UP_GLOBAL;
    return n;
}

void gnd__checked_params(const gnd__ukernel *k, gnd_dialect d, gnd__str *out)
{
    const int cuda = d == GND_DIALECT_CUDA;
    if (!pointers(k))
        return;
    for (int32_t i = 0; i < k->nparam; i++)
        if (k->param[i].kind == GND__UP_GLOBAL)
            gnd__str_addf(out, ", const %s gndn_%d", cuda ? "long long" : "long", i);
    gnd__str_addf(
        out,
        cuda ? ", int *gndc_table, const int gndc_entry, char *gndc_mem, const long long gndc_off"
             : ", __global int *gndc_table, const int gndc_entry, __global char "
               "*gndc_mem, const long gndc_off");
}

void gnd__checked_body(const gnd__ukernel *k, gnd_dialect d, gnd__str *out)
{
    const int cuda = d == GND_DIALECT_CUDA;
    int n = 0;
    if (!pointers(k)) {
        gnd__str_add(out, cuda ? "" : "const gndc_ctx *gndc = 0;\n");
        return;
    }
    gnd__str_add(out, cuda ? "gndc_ctx &gndc_v = *gndc_get();\n" : "gndc_ctx gndc_v;\n");
    gnd__str_add(
        out, "gndc_v.entry = gndc_table + 4 * gndc_entry; gndc_v.scratch = gndc_mem + gndc_off;\n");
    for (int32_t i = 0; i < k->nparam; i++)
        if (k->param[i].kind == GND__UP_GLOBAL) {
            gnd__str_addf(out, "gndc_v.base[%d] = (%s)%s; gndc_v.bytes[%d] = gndn_%d;\n", n,
                          cuda ? "unsigned long long" : "ulong", k->param[i].name, n, i);
            n++;
        }
    gnd__str_addf(out, "gndc_v.n = %d;\n%s", n, cuda ? "" : "const gndc_ctx *gndc = &gndc_v;\n");
}
