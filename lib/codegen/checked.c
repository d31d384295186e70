/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/checked.c - see checked.h. The text is not parsed: what is a pointer is told by its
 * declaration, what is an access by the marks round the name. More than 500 lines: the questions
 * about tokens are of use to the accesses alone.
 */
#include "codegen/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/words.h"
#include "codegen/edits.h"
#include "codegen/prelude.h"

static const char spaces[] = "__global global GND_GLOBAL GND_CONST_GLOBAL";
static const char quals[] = "const volatile restrict __restrict__ __restrict GND_RESTRICT";
/* Words before an expression. */
static const char before[] = "return else do case goto sizeof in";
static const char casts[] =
    "void bool char short int long unsigned signed float double size_t ptrdiff_t uchar ushort uint "
    "ulong const volatile struct int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t "
    "g_b g_i8 g_i16 g_i32 g_i64 g_u8 g_u16 g_u32 g_u64 g_f32 g_f64 half";

enum { NAME = 64 };

typedef struct name {
    char text[NAME];
    int depth; /* of blocks */
} name;

typedef struct pass {
    const char *s;
    gnd__utoken *t;
    int32_t n;
    size_t shift; /* of the tokens' bytes in the text: of a macro's body */
    int any;      /* CUDA C++: declarations do not say the memory */
    int bounds;   /* OpenCL: functions get the bounds */
    name *v;      /* pointers in sight */
    int nv, capv;
    name *fn; /* functions of the source */
    int nfn, capfn;
    int line; /* of the user's source; of the token at hand */
    gnd__edits edits;
    gnd_err *e;
    int nomem;
} pass;

/* --- tokens ----------------------------------------------------------------------------------- */

static int is(const pass *x, int32_t t, const char *word)
{
    return t >= 0 && t < x->n && gnd__utoken_is(x->s, &x->t[t], word);
}

static int is_word(const pass *x, int32_t t)
{
    return t >= 0 && t < x->n && x->t[t].type == GND__UT_WORD;
}

static int among(const pass *x, int32_t t, const char *words)
{
    return is_word(x, t) && gnd__word_find(words, x->s + x->t[t].at, x->t[t].len, 0) >= 0;
}

/* Marks a and b side by side at t. */
static int pair(const pass *x, int32_t t, const char *a, const char *b)
{
    return is(x, t, a) && is(x, t + 1, b) && x->t[t + 1].at == x->t[t].at + 1;
}

static int32_t closing(const pass *x, int32_t t)
{
    int depth = 0;
    for (; t < x->n && x->t[t].type != GND__UT_END; t++) {
        depth += is(x, t, "(") || is(x, t, "[") || is(x, t, "{");
        depth -= is(x, t, ")") || is(x, t, "]") || is(x, t, "}");
        if (depth == 0)
            return t;
    }
    return -1;
}

static int32_t opening(const pass *x, int32_t t)
{
    int depth = 0;
    for (; t >= 0; t--) {
        depth += is(x, t, ")") || is(x, t, "]") || is(x, t, "}");
        depth -= is(x, t, "(") || is(x, t, "[") || is(x, t, "{");
        if (depth == 0)
            return t;
    }
    return -1;
}

/* Whether the parentheses that t closes are a cast. */
static int is_cast(const pass *x, int32_t t)
{
    const int32_t open = opening(x, t);
    if (open < 0 || open + 1 >= t || is_word(x, open - 1))
        return 0;
    for (int32_t i = open + 1; i < t; i++)
        if (!is_word(x, i) && !is(x, i, "*"))
            return 0;
    if (is(x, t - 1, "*"))
        return 1;
    const gnd__utoken *k = &x->t[t - 1];
    const char *s = x->s + k->at;
    if (among(x, open + 1, casts) || among(x, t - 1, casts) ||
        (k->len > 2 && !memcmp(s + k->len - 2, "_t", 2)))
        return 1;
    if (k->len > 1 && s[k->len - 1] >= '2' && s[k->len - 1] <= '8') /* float4 */
        return gnd__word_find(casts, s, k->len - 1, 0) >= 0;
    for (int32_t i = 0; i + 1 < x->n; i++) /* a name of the source's own */
        if (x->t[i].len == k->len && !memcmp(x->s + x->t[i].at, s, k->len) &&
            (is(x, i - 1, "struct") || is(x, i - 1, "enum")))
            return 1;
        else if (is(x, i, "typedef"))
            for (int32_t j = i; j < x->n && !is(x, j, ";"); j++)
                if (is(x, j + 1, ";") && x->t[j].len == k->len &&
                    !memcmp(x->s + x->t[j].at, s, k->len))
                    return 1;
    return 0;
}

/* Whether a value ends at t, so that a * behind it multiplies. */
static int ends_value(const pass *x, int32_t t)
{
    if (t < 0)
        return 0;
    if (x->t[t].type == GND__UT_NUMBER || x->t[t].type == GND__UT_TEXT || is(x, t, "]"))
        return 1;
    if (is_word(x, t))
        return !among(x, t, before);
    if (is(x, t, ")"))
        return !is_cast(x, t);
    if (pair(x, t - 1, "+", "+") || pair(x, t - 1, "-", "-"))
        return ends_value(x, t - 2);
    return 0;
}

static int is_unary(const pass *x, int32_t t, const char *mark)
{
    return is(x, t, mark) && !ends_value(x, t - 1) && !(pair(x, t - 1, mark, mark) && *mark == '&');
}

/* The end of the unary expression at t. */
static int32_t operand_end(const pass *x, int32_t t)
{
    while (is(x, t, "*") || is(x, t, "&") || is(x, t, "+") || is(x, t, "-"))
        t++;
    if (is(x, t, "(")) {
        const int32_t close = closing(x, t);
        if (close < 0)
            return x->n;
        if (is_cast(x, close))
            return operand_end(x, close + 1);
        t = close;
    }
    for (t++; t < x->n;) {
        if (is(x, t, "(") || is(x, t, "[")) {
            const int32_t close = closing(x, t);
            if (close < 0)
                return x->n;
            t = close + 1;
        } else if (is(x, t, ".") || pair(x, t, "-", ">")) {
            t += is(x, t, ".") ? 2 : 3;
        } else if (pair(x, t, "+", "+") || pair(x, t, "-", "-")) {
            t += 2;
        } else {
            break;
        }
    }
    return t;
}

/* --- names ------------------------------------------------------------------------------------ */

static void add_name(pass *x, name **list, int *n, int *cap, int32_t t, int depth)
{
    if (*n == *cap) {
        name *q = gnd__realloc(*list, (size_t)(*cap * 2 + 16) * sizeof *q);
        if (!q) {
            x->nomem = 1;
            return;
        }
        *list = q;
        *cap = *cap * 2 + 16;
    }
    name *v = &(*list)[(*n)++];
    snprintf(v->text, sizeof v->text, "%.*s", (int)x->t[t].len, x->s + x->t[t].at);
    v->depth = depth;
}

static int has_name(const pass *x, const name *list, int n, int32_t t)
{
    if (!is_word(x, t))
        return 0;
    for (int i = n - 1; i >= 0; i--)
        if (strlen(list[i].text) == x->t[t].len &&
            !memcmp(list[i].text, x->s + x->t[t].at, x->t[t].len))
            return 1;
    return 0;
}

static int is_member(const pass *x, int32_t t)
{
    return is(x, t - 1, ".") || pair(x, t - 2, "-", ">");
}

static int is_pointer(const pass *x, int32_t t)
{
    return has_name(x, x->v, x->nv, t) && !is_member(x, t);
}

/* Whether the words that end at t, of a declaration, name global memory; on CUDA any memory. */
static int words_tell(const pass *x, int32_t t)
{
    int space = 0, n = 0;
    for (; is_word(x, t) || (n > 0 && is(x, t, ")") && is_word(x, opening(x, t) - 1)); t--, n++) {
        space |= among(x, t, spaces);
        if (among(x, t, before))
            return 0;
        if (is(x, t, ")"))
            t = opening(x, t);
    }
    if (!x->any || space)
        return space;
    return n > 0 && (t < 0 || is(x, t, "(") || is(x, t, ",") || is(x, t, ";") || is(x, t, "{") ||
                     is(x, t, "}") || is(x, t, ":") || is(x, t, ">") || is(x, t, ")") ||
                     x->t[t].type == GND__UT_LINE);
}

/* Whether token t is the name of a pointer that is declared here. */
static int declares(const pass *x, int32_t t)
{
    int32_t b = t - 1;
    if (!is_word(x, t) || is(x, t + 1, "("))
        return 0;
    if (is(x, t + 1, "[")) { /* a parameter: T x[] */
        const int32_t close = closing(x, t + 1);
        if (is_word(x, b) && (is(x, close + 1, ",") || is(x, close + 1, ")"))) {
            for (; is_word(x, b); b--)
                if (among(x, b, spaces))
                    return 1;
            return 0;
        }
    }
    while (among(x, b, quals))
        b--;
    if (is(x, b, "*") && is(x, b - 1, "*"))
        b--;
    if (!is(x, b, "*"))
        return 0;
    if (words_tell(x, b - 1))
        return 1;
    if (!is(x, b - 1, ","))
        return 0;
    int depth = 0; /* a further name: T *a = ..., *b */
    for (b -= 2; b >= 0; b--) {
        depth += is(x, b, ")") || is(x, b, "]");
        depth -= is(x, b, "(") || is(x, b, "[");
        if (depth < 0 && is(x, b - 1, "for"))
            break;
        if (depth < 0)
            return 0;
        if (depth == 0 && (is(x, b, ";") || is(x, b, "{") || is(x, b, "}")))
            break;
    }
    for (b++; is_word(x, b); b++)
        ;
    return is(x, b, "*") && words_tell(x, b - 1);
}

/* Whether tokens [a, b) are made of a pointer itself, not of what it points to. */
static int has_pointer(const pass *x, int32_t a, int32_t b)
{
    for (int32_t t = a; t < b; t++) {
        if (is_pointer(x, t)) {
            const int address = is_unary(x, t - 1, "&");
            if ((!is(x, t + 1, "[") && !pair(x, t + 1, "-", ">")) || address)
                if (t == a || !is_unary(x, t - 1, "*") || t - 1 < a)
                    return 1;
        }
        if (is(x, t, "[")) {
            t = closing(x, t);
            if (t < 0)
                return 0;
        }
    }
    return 0;
}

/* auto p = EXPRESSION; at the name t. */
static int auto_pointer(const pass *x, int32_t t)
{
    if (!among(x, t - 1, "auto __auto_type") || !is(x, t + 1, "="))
        return 0;
    int32_t z = t + 2;
    while (z < x->n && !is(x, z, ";") && !is(x, z, "}"))
        z++;
    return has_pointer(x, t + 2, z);
}

/* --- accesses --------------------------------------------------------------------------------- */

static void insert(pass *x, int32_t t, const char *text)
{
    gnd__edit_add(&x->edits, x->shift + x->t[t].at, 0, "%s", text);
}

static void after(pass *x, int32_t t, const char *text)
{
    gnd__edit_add(&x->edits, x->shift + x->t[t].at + x->t[t].len, 0, "%s", text);
}

static void replace(pass *x, int32_t t, const char *text)
{
    gnd__edit_add(&x->edits, x->shift + x->t[t].at, x->t[t].len, "%s", text);
}

/* Whether the access of tokens [a, b) is written. */
static int is_written(const pass *x, int32_t a, int32_t b)
{
    if (pair(x, a - 2, "+", "+") || pair(x, a - 2, "-", "-"))
        if (!ends_value(x, a - 3))
            return 1;
    while (is(x, b, ".") || is(x, b, "[")) {
        if (is(x, b, "[") && closing(x, b) < 0)
            return 0;
        b = is(x, b, ".") ? b + 2 : closing(x, b) + 1;
    }
    if (pair(x, b, "+", "+") || pair(x, b, "-", "-"))
        return 1;
    if (pair(x, b, "<", "<") || pair(x, b, ">", ">"))
        return pair(x, b + 1, "<", "=") || pair(x, b + 1, ">", "=");
    if (is(x, b, "="))
        return !pair(x, b, "=", "=");
    return (is(x, b, "+") || is(x, b, "-") || is(x, b, "*") || is(x, b, "/") || is(x, b, "%") ||
            is(x, b, "&") || is(x, b, "|") || is(x, b, "^")) &&
           x->t[b + 1].at == x->t[b].at + 1 && is(x, b + 1, "=");
}

/* The pointer [a, b) with the [ at b, or with -> there. */
static void subscript(pass *x, int32_t a, int32_t b)
{
    char end[32];
    if (is_unary(x, a - 1, "&") && is(x, b, "["))
        return; /* an address */
    if (is(x, b, "[")) {
        const int32_t close = closing(x, b);
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
static void argument(pass *x, int32_t t)
{
    const int32_t open = t + 1, close = closing(x, open);
    const int reads = among(x, t, "__ldg __ldcg __ldcs __ldca");
    char end[32];
    int32_t z = open + 1;
    while (z < close && !is(x, z, ",")) {
        if (is(x, z, "(") || is(x, z, "["))
            z = closing(x, z);
        z++;
    }
    if (close < 0 || z == open + 1 || !has_pointer(x, open + 1, z))
        return;
    insert(x, open + 1, "GNDC_P((");
    snprintf(end, sizeof end, "),%d,%d)", !reads, x->line);
    after(x, z - 1, end);
}

static int is_atomic(const pass *x, int32_t t)
{
    const char *s = x->s + x->t[t].at;
    return is_word(x, t) && is(x, t + 1, "(") && !has_name(x, x->fn, x->nfn, t) &&
           ((x->t[t].len > 6 && !memcmp(s, "atomic", 6)) ||
            (x->t[t].len > 5 && !memcmp(s, "atom_", 5)) ||
            among(x, t, "__ldg __ldcg __ldcs __ldca"));
}

static void access_at(pass *x, int32_t t)
{
    if (is_word(x, t)) {
        if (is_atomic(x, t))
            argument(x, t);
        else if (is_pointer(x, t) && !declares(x, t) &&
                 (is(x, t + 1, "[") || pair(x, t + 1, "-", ">")))
            subscript(x, t, t + 1);
    } else if (is(x, t, ")") && (is(x, t + 1, "[") || pair(x, t + 1, "-", ">")) && !is_cast(x, t)) {
        int32_t open = opening(x, t);
        if (open < 0 || !has_pointer(x, open + 1, t))
            return;
        if (is_word(x, open - 1) && !among(x, open - 1, before)) {
            if (!has_name(x, x->fn, x->nfn, open - 1))
                return;
            open--; /* the pointer that a function returns */
        }
        subscript(x, open, t + 1);
    } else if (is_unary(x, t, "*")) {
        const int32_t end = operand_end(x, t + 1);
        char text[32];
        int32_t first = t + 1;
        while (among(x, first, quals))
            first++;
        if (is(x, t + 1, ")") || is(x, t + 1, "*") || declares(x, first) || is(x, first, ",") ||
            end > x->n || !has_pointer(x, t + 1, end))
            return;
        replace(x, t, is_written(x, t, end) ? "GNDC_W((" : "GNDC_R((");
        snprintf(text, sizeof text, "),0,%d)", x->line);
        after(x, end - 1, text);
    }
}

/* --- the bounds as an argument, on OpenCL ------------------------------------------------------
 */

static void find_functions(pass *x)
{
    int depth = 0, kernel = 0, value = 0;
    for (int32_t t = 0; t < x->n; t++) {
        if (depth == 0) {
            kernel |= among(x, t, "__kernel kernel GND_KERNEL");
            value |= is(x, t, "=") || is(x, t, "typedef");
            if (is(x, t, "(")) {
                const int32_t close = closing(x, t);
                if (close < 0)
                    return;
                if (!kernel && !value && is_word(x, t - 1) &&
                    !among(x, t - 1, "__attribute__ static_assert _Static_assert") &&
                    (is(x, close + 1, "{") || is(x, close + 1, ";")) &&
                    !has_name(x, x->fn, x->nfn, t - 1))
                    add_name(x, &x->fn, &x->nfn, &x->capfn, t - 1, 0);
                t = close;
                continue;
            }
        }
        depth += is(x, t, "{");
        depth -= is(x, t, "}");
        if (depth == 0 && (is(x, t, ";") || is(x, t, "}") || x->t[t].type == GND__UT_LINE))
            kernel = value = 0;
    }
}

/* Function t, called or declared: the bounds come first. */
static void pass_bounds(pass *x, int32_t t, int depth)
{
    const int empty = is(x, t + 2, ")"), none = is(x, t + 2, "void") && is(x, t + 3, ")");
    if (is_member(x, t))
        return;
    if (depth > 0)
        after(x, t + 1, empty ? "gndc" : "gndc, ");
    else if (none)
        replace(x, t + 2, "const gndc_ctx *gndc");
    else
        after(x, t + 1, empty ? "const gndc_ctx *gndc" : "const gndc_ctx *gndc, ");
}

/* --- the text --------------------------------------------------------------------------------- */

/* The body of the macro whose line is token `at`: as code, with the pointers of the whole text. */
static gnd_status macro(pass *x, int32_t at, const name *all, int nall)
{
    const char *line = x->s + x->t[at].at;
    const size_t len = x->t[at].len;
    pass y = *x;
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
    st = gnd__user_lex(y.s, len - skip, &y.t, &n, x->e);
    if (st != GND_OK)
        return st;
    y.n = n - 1;
    y.v = (name *)all;
    y.nv = nall;
    int32_t body = 1, close = 0;
    if (is(&y, 1, "(") && y.t[1].at == y.t[0].at + y.t[0].len && (close = closing(&y, 1)) > 0)
        body = close + 1;
    for (int32_t t = body; t < y.n && st == GND_OK; t++) {
        for (int32_t i = 2; i < close; i++) /* an access through a parameter */
            if (is_word(&y, i) && is_word(&y, t) && y.t[i].len == y.t[t].len &&
                !memcmp(y.s + y.t[i].at, y.s + y.t[t].at, y.t[i].len)) {
                int32_t b = t - 1;
                while (is(&y, b, "(") || (is(&y, b, ")") && b > body && is_cast(&y, b))) {
                    b = is(&y, b, ")") ? opening(&y, b) - 1 : b - 1;
                    if (is_word(&y, b) && !strncmp(y.s + y.t[b].at, "gndk", 4))
                        b--; /* a cast of cudac_body.c */
                }
                if (is(&y, t + 1, "[") || pair(&y, t + 1, "-", ">") ||
                    (b >= body && is_unary(&y, b, "*")) ||
                    (is(&y, t + 1, ")") && is(&y, t + 2, "[")))
                    st = gnd__err(x->e, GND_ERR_UNSUPPORTED,
                                  "source:%d: macro %.*s accesses memory through its parameter "
                                  "%.*s, which cannot be checked: make it a function",
                                  x->line, (int)y.t[0].len, y.s + y.t[0].at, (int)y.t[i].len,
                                  y.s + y.t[i].at);
            }
        if (st != GND_OK)
            break;
        access_at(&y, t);
        if (y.bounds && is_word(&y, t) && is(&y, t + 1, "(") && has_name(&y, y.fn, y.nfn, t))
            pass_bounds(&y, t, 1);
    }
    x->edits = y.edits;
    gnd__free(y.t);
    return st;
}

/* All names of pointers: what a macro's body may have. */
static void find_all(pass *x)
{
    for (int32_t t = 0; t < x->n; t++)
        if ((declares(x, t) || auto_pointer(x, t)) && !is_pointer(x, t))
            add_name(x, &x->v, &x->nv, &x->capv, t, 0);
}

static gnd_status walk(pass *x, const name *all, int nall)
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
        parens += is(x, t, "(");
        parens -= is(x, t, ")");
        depth += is(x, t, "{");
        if (is(x, t, "}")) {
            depth--;
            while (x->nv > 0 && x->v[x->nv - 1].depth > depth)
                x->nv--;
        }
        if (is(x, t, ";") && depth == 0)
            x->nv = 0;
        if (declares(x, t) || auto_pointer(x, t)) {
            add_name(x, &x->v, &x->nv, &x->capv, t, depth + (parens > 0));
            continue;
        }
        access_at(x, t);
        if (x->bounds && is_word(x, t) && is(x, t + 1, "(") && has_name(x, x->fn, x->nfn, t))
            pass_bounds(x, t, depth);
    }
    return st;
}

gnd_status gnd__checked_text(const gnd__usource *u, gnd_dialect d, size_t from, gnd__str *out,
                             gnd_err *e)
{
    pass x = {.any = d == GND_DIALECT_CUDA && u->lang != GND__UL_PORTABLE,
              .bounds = d != GND_DIALECT_CUDA,
              .e = e,
              .line = 1};
    gnd__str text = {0};
    if (out->bad)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a kernel's text");
    x.s = gnd__str_get(out) + from;
    const size_t len = out->len - from;
    gnd_status st = gnd__user_lex(x.s, len, &x.t, &x.n, e);
    if (st == GND_OK) {
        x.n--; /* without the end */
        find_all(&x);
        name *all = x.v;
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
