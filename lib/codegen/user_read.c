/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/user_read.c - finds the kernels of a user's source and reads their parameters. Constructs
 * that it cannot read (a type hidden in a macro with arguments, a template) are left to the
 * compiler: the type is then unknown, and nothing is checked.
 */
#include "codegen/user.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/words.h"

typedef struct alias {
    char name[48], type[48];
} alias;

/* Address space qualifiers, by language or in all of them. */
static const char globals[] = "__global global GND_GLOBAL GND_CONST_GLOBAL __constant constant";
static const char locals[] = "__local local GND_LOCAL GND_LOCAL_PTR";
static const char consts[] = "const GND_CONST_GLOBAL __constant constant";
/* Words of a declaration that are not part of the type's name. */
static const char others[] = "const volatile restrict __restrict__ __restrict GND_RESTRICT struct "
                             "__private private register __grid_constant__";
static const char *const marks_of[GND__ULANGS] = {"__kernel kernel", "__global__", "GND_KERNEL"};

static int among(const gnd__usource *u, int32_t t, const char *list)
{
    return u->token[t].type == GND__UT_WORD &&
           gnd__word_find(list, u->src + u->token[t].at, u->token[t].len, 0) >= 0;
}

static int is(const gnd__usource *u, int32_t t, const char *word)
{
    return gnd__utoken_is(u->src, &u->token[t], word);
}

static gnd_status syntax(const gnd__usource *u, int32_t t, gnd_err *e, const char *what)
{
    return gnd__utoken_syntax(e, "source", &u->token[t], what);
}

/* The token that closes the one at t; -1 if no token does. */
static int32_t closing(const gnd__usource *u, int32_t t, const char *open, const char *close)
{
    int depth = 0;
    for (; u->token[t].type != GND__UT_END; t++) {
        depth += is(u, t, open);
        depth -= is(u, t, close);
        if (depth == 0)
            return t;
    }
    return -1;
}

/* Adds the words of tokens [from, to) that name a type to text, one blank between them. */
static void type_words(const gnd__usource *u, int32_t from, int32_t to, char *text, size_t cap)
{
    size_t n = 0;
    text[0] = '\0';
    for (int32_t t = from; t < to; t++) {
        if (u->token[t].type != GND__UT_WORD || among(u, t, others) || among(u, t, globals) ||
            among(u, t, locals))
            continue;
        if (n + u->token[t].len + 2 > cap)
            break;
        if (n)
            text[n++] = ' ';
        memcpy(text + n, u->src + u->token[t].at, u->token[t].len);
        n += u->token[t].len;
        text[n] = '\0';
    }
}

/* --- names of types --------------------------------------------------------------------------- */

static gnd_status add_alias(gnd__usource *u, const char *name, size_t len, const char *type,
                            gnd_err *e)
{
    if (len >= sizeof u->alias->name || strlen(type) >= sizeof u->alias->type || !type[0])
        return GND_OK; /* not a type that could be known */
    alias *a = gnd__realloc(u->alias, (size_t)(u->nalias + 1) * sizeof *a);
    if (!a)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a source");
    u->alias = a;
    a += u->nalias++;
    memcpy(a->name, name, len);
    a->name[len] = '\0';
    snprintf(a->type, sizeof a->type, "%s", type);
    return GND_OK;
}

/* "#define real float" at token t. */
static gnd_status read_define(gnd__usource *u, int32_t t, gnd_err *e)
{
    char line[128], name[48], type[48];
    const gnd__utoken *k = &u->token[t];
    int at = 0;
    if (k->len >= sizeof line)
        return GND_OK;
    memcpy(line, u->src + k->at, k->len);
    line[k->len] = '\0';
    if (sscanf(line, "# define %47[A-Za-z0-9_] %47[A-Za-z0-9_ ]%n", name, type, &at) != 2)
        return GND_OK;
    size_t n = strlen(type);
    while (n > 0 && type[n - 1] == ' ')
        type[--n] = '\0';
    return line[at] == '\0' ? add_alias(u, name, strlen(name), type, e) : GND_OK;
}

static gnd_status read_aliases(gnd__usource *u, gnd_err *e)
{
    gnd_status st = GND_OK;
    for (int32_t t = 0; t < u->ntoken && st == GND_OK; t++) {
        if (u->token[t].type == GND__UT_LINE) {
            st = read_define(u, t, e);
        } else if (is(u, t, "typedef")) {
            char type[48];
            int32_t end = t + 1;
            while (u->token[end].type == GND__UT_WORD)
                end++;
            if (end - t < 3 || !is(u, end, ";"))
                continue;
            type_words(u, t + 1, end - 1, type, sizeof type);
            st = add_alias(u, u->src + u->token[end - 1].at, u->token[end - 1].len, type, e);
        }
    }
    return st;
}

static int dtype_of(const gnd__usource *u, const char *type, int32_t *lanes)
{
    char name[48];
    snprintf(name, sizeof name, "%s", type);
    for (int depth = 0; depth < 8; depth++) {
        int n, found = 0;
        const int t = gnd__user_dtype(name, &n);
        *lanes = n;
        if (t >= 0)
            return t;
        for (int32_t i = 0; i < u->nalias && !found; i++)
            if (!strcmp(u->alias[i].name, name)) {
                snprintf(name, sizeof name, "%s", u->alias[i].type);
                found = 1;
            }
        if (!found)
            break;
    }
    return -1;
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Reads the parameter of tokens [from, to). */
static gnd_status read_param(gnd__usource *u, int32_t from, int32_t to, gnd__uparam *p, gnd_err *e)
{
    int32_t name = -1, star = -1;
    memset(p, 0, sizeof *p);
    p->first = from;
    p->last = to - 1;
    for (int32_t t = from; t < to; t++) {
        if (is(u, t, "["))
            star = star < 0 ? t : star;
        else if (is(u, t, "*"))
            star = t;
        if (u->token[t].type == GND__UT_WORD && !among(u, t, others) &&
            !(star >= 0 && is(u, star, "[")))
            name = t;
    }
    if (name <= from)
        return syntax(u, from, e, "a kernel's parameter has a type and a name");
    p->name_at = name;
    snprintf(p->name, sizeof p->name, "%.*s", (int)u->token[name].len, u->src + u->token[name].at);
    type_words(u, from, name, p->type, sizeof p->type);
    p->kind = star < 0 ? GND__UP_VALUE : GND__UP_GLOBAL;
    for (int32_t t = from; t < name; t++) {
        if (star >= 0 && among(u, t, locals))
            p->kind = GND__UP_LOCAL;
        p->is_const |= (t < star || is(u, star < 0 ? t : star, "[")) && among(u, t, consts);
    }
    p->dtype = (int16_t)dtype_of(u, p->type, &p->lanes);
    return GND_OK;
}

static gnd_status read_params(gnd__usource *u, gnd__ukernel *k, gnd_err *e)
{
    gnd_status st = GND_OK;
    int32_t from = k->open + 1, depth = 0, most = 1;
    if (from == k->close || (from + 1 == k->close && is(u, from, "void")))
        return GND_OK;
    for (int32_t t = from; t < k->close; t++)
        most += is(u, t, ",");
    k->param = gnd__calloc((size_t)most, sizeof *k->param);
    if (!k->param)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a source");
    for (int32_t t = from; t <= k->close && st == GND_OK; t++) {
        depth += is(u, t, "(") || is(u, t, "[") || is(u, t, "<");
        depth -= is(u, t, ")") || is(u, t, "]") || is(u, t, ">");
        if (t != k->close && !(depth == 0 && is(u, t, ",")))
            continue;
        if (t == from)
            return syntax(u, t, e, "a kernel's parameter has a type and a name");
        st = read_param(u, from, t, &k->param[k->nparam], e);
        k->nparam += st == GND_OK;
        from = t + 1;
    }
    return st;
}

/* The numbers of an attribute whose ( is token t, as far as they are literals. */
static void read_numbers(const gnd__usource *u, int32_t t, int n, int64_t *out)
{
    for (int i = 0; i < n; i++, t++) {
        if (u->token[t + 1].type != GND__UT_NUMBER)
            return;
        out[i] = strtoll(u->src + u->token[++t].at, NULL, 0);
        if (!is(u, t + 1, ","))
            return;
    }
}

/* Reads the kernel whose mark (__kernel, __global__) is token t. *next is the token after it.
 */
static gnd_status read_kernel(gnd__usource *u, int32_t t, int32_t *next, gnd_err *e)
{
    gnd__ukernel k = {.start = t};
    int is_template = 0;
    while (k.start > 0) { /* back to the start of the declaration */
        const int32_t b = k.start - 1;
        if (is(u, b, ";") || is(u, b, "{") || is(u, b, "}") || u->token[b].type == GND__UT_LINE)
            break;
        is_template |= is(u, b, "template");
        if (is(u, b, "extern") && u->token[b + 1].type == GND__UT_TEXT)
            k.is_extern = 1;
        k.start = b;
    }
    *next = t + 1;
    for (t++; !is(u, t, "(") || k.open == 0; t++) {
        if (u->token[t].type == GND__UT_END || is(u, t, ";") || is(u, t, "{"))
            return syntax(u, t, e, "a kernel is a function: NAME(PARAMETERS) { ... }");
        if (among(u, t, "__attribute__ __launch_bounds__ __align__ __cluster_dims__") &&
            is(u, t + 1, "(")) {
            const int32_t end = closing(u, t + 1, "(", ")");
            if (end < 0)
                return syntax(u, t, e, "a ( without its )");
            if (is(u, t, "__launch_bounds__"))
                read_numbers(u, t + 1, 1, &k.most);
            for (int32_t a = t; a < end; a++)
                if (is(u, a, "reqd_work_group_size") && is(u, a + 1, "("))
                    read_numbers(u, a + 1, 3, k.reqd);
            t = end;
        } else if (u->token[t].type == GND__UT_WORD && is(u, t + 1, "(")) {
            k.open = t + 1;
            break;
        }
    }
    k.close = closing(u, k.open, "(", ")");
    if (k.close < 0)
        return syntax(u, k.open, e, "a ( without its )");
    k.body = k.close + 1;
    while (!is(u, k.body, "{") && !is(u, k.body, ";") && u->token[k.body].type != GND__UT_END)
        k.body++;
    *next = k.body;
    if (!is(u, k.body, "{") || is_template)
        return GND_OK; /* a declaration, or something without a name */
    k.name = gnd__strndup(u->src + u->token[k.open - 1].at, u->token[k.open - 1].len);
    gnd__ukernel *all = gnd__realloc(u->kernel, (size_t)(u->nkernel + 1) * sizeof *all);
    if (all)
        u->kernel = all;
    if (!all || !k.name) {
        gnd__free(k.name);
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a source");
    }
    for (int32_t a = k.body, end = closing(u, k.body, "{", "}"); a < end; a++)
        k.shared |= is(u, a, "extern") && is(u, a + 1, "__shared__");
    u->kernel[u->nkernel++] = k;
    return read_params(u, &u->kernel[u->nkernel - 1], e);
}

static gnd_status read_kernels(gnd__usource *u, gnd_err *e)
{
    gnd_status st = GND_OK;
    int32_t depth = 0, linkage = 0; /* depth of blocks of extern "C" */
    for (int32_t t = 0; t < u->ntoken && st == GND_OK; t++) {
        if (is(u, t, "{")) {
            linkage += depth == linkage && t >= 2 && is(u, t - 2, "extern") &&
                       u->token[t - 1].type == GND__UT_TEXT;
            depth++;
        } else if (is(u, t, "}")) {
            depth--;
            linkage = linkage > depth ? depth : linkage;
        } else if (among(u, t, marks_of[u->lang])) {
            const int32_t n = u->nkernel;
            st = read_kernel(u, t, &t, e);
            t--;
            if (u->nkernel > n && linkage > 0)
                u->kernel[n].is_extern = 1;
        }
    }
    return st;
}

/* --- options ---------------------------------------------------------------------------------- */

static gnd_status read_options(gnd__usource *u, const char *options, gnd_err *e)
{
    const char *p = options ? options : "";
    gnd_status st = GND_OK;
    for (p += strspn(p, " \t"); *p && st == GND_OK; p += strspn(p, " \t")) {
        size_t n = strcspn(p, " \t");
        if (n == 8 && !strncmp(p, "-checked", 8)) {
            u->checked = 1;
            p += n;
            continue;
        }
        if (strncmp(p, "-D", 2) != 0)
            return gnd__err(e, GND_ERR_ARG,
                            "option %.*s: there is -D NAME, -D NAME=VALUE and -checked", (int)n, p);
        p += 2;
        p += strspn(p, " \t");
        n = strcspn(p, " \t");
        const size_t name = strcspn(p, " \t=");
        if (name == 0)
            return gnd__err(e, GND_ERR_ARG, "option -D: a name is missing");
        char value[48];
        snprintf(value, sizeof value, "%.*s", n > name ? (int)(n - name - 1) : 1,
                 n > name ? p + name + 1 : "1");
        gnd__str_addf(&u->defines, "#define %.*s %.*s\n", (int)name, p,
                      n > name ? (int)(n - name - 1) : 1, n > name ? p + name + 1 : "1");
        st = add_alias(u, p, name, value, e);
        p += n;
    }
    return u->defines.bad ? gnd__err(e, GND_ERR_NOMEM, "out of memory for a source") : st;
}

gnd_status gnd__usource_read(gnd__usource *u, gnd__ulang lang, const char *src, const char *options,
                             gnd_err *e)
{
    memset(u, 0, sizeof *u);
    u->lang = lang;
    u->len = strlen(src);
    u->src = gnd__strdup(src);
    if (!u->src)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a source");
    gnd_status st = gnd__user_lex("source", u->src, u->len, &u->token, &u->ntoken, e);
    if (st == GND_OK)
        st = read_options(u, options, e);
    if (st == GND_OK)
        st = read_aliases(u, e);
    if (st == GND_OK)
        st = read_kernels(u, e);
    if (st == GND_OK && u->nkernel == 0)
        st = gnd__err(e, GND_ERR_NAME, "the source has no kernel: none is marked %s",
                      lang == GND__UL_OPENCL ? "__kernel" : marks_of[lang]);
    return st;
}

void gnd__usource_free(gnd__usource *u)
{
    for (int32_t i = 0; i < u->nkernel; i++) {
        gnd__free(u->kernel[i].name);
        gnd__free(u->kernel[i].param);
    }
    gnd__free(u->kernel);
    gnd__free(u->alias);
    gnd__free(u->token);
    gnd__free(u->src);
    gnd__str_free(&u->defines);
    memset(u, 0, sizeof *u);
}

int gnd__ukernel_find(const gnd__usource *u, const char *name)
{
    if (!name)
        return u->nkernel == 1 ? 0 : -1;
    for (int32_t i = 0; i < u->nkernel; i++)
        if (!strcmp(u->kernel[i].name, name))
            return i;
    return -1;
}

const char *gnd__ukernel_near(const gnd__usource *u, const char *name)
{
    const size_t n = strlen(name);
    const char *best = NULL;
    int least = (int)n + 1; /* half an edit per letter: more is a different name */
    for (int32_t i = 0; i < u->nkernel; i++) {
        const int d = gnd__near(name, n, u->kernel[i].name, strlen(u->kernel[i].name));
        if (d < least) {
            least = d;
            best = u->kernel[i].name;
        }
    }
    return best;
}
