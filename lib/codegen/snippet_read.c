/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/snippet_read.c - reads the user's parameter lists and pieces of code: see snippet.h. A
 * piece becomes part of a function that gnd writes, so text that would end that function or change
 * the text after it is refused here.
 */
#include "codegen/snippet.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/words.h"
#include "codegen/complex.h"
#include "codegen/user_lex.h"

/* Names that a parameter cannot have. */
static const char reserved[] =
    "i auto bool break case char const continue default do double else enum extern float for goto half if inline "
    "int long register restrict return short signed sizeof static struct switch typedef uchar uint ulong union "
    "unsigned ushort void volatile while true false size_t kernel global local constant private raw";

static int is_word(int c)
{
    return isalnum(c) || c == '_';
}

int gnd__is_name(const char *s)
{
    if (!isalpha((unsigned char)*s) && *s != '_')
        return 0;
    for (; *s; s++)
        if (!is_word((unsigned char)*s))
            return 0;
    return 1;
}

gnd_status gnd__stype_read(const char *what, const char *text, size_t len, char *letter,
                           int16_t *dtype, gnd_err *e)
{
    char word[32];
    *letter = 0;
    *dtype = -1;
    if (len == 1 && isupper((unsigned char)*text)) {
        *letter = *text;
        return GND_OK;
    }
    snprintf(word, sizeof word, "%.*s", (int)(len < sizeof word ? len : sizeof word - 1), text);
    const gnd_dtype t = gnd_dtype_parse(word);
    if (t == GND_DTYPE_DEFAULT)
        return gnd__err(e, GND_ERR_DTYPE,
                        "%s: unknown type '%s': a dtype (float32), or a capital letter for any",
                        what, word);
    *dtype = (int16_t)t;
    return GND_OK;
}

/* Reads one parameter, [s, end). */
static gnd_status read_param(gnd__sparams *all, const char *what, const char *s, const char *end,
                             gnd_err *e)
{
    const char *word[4];
    size_t len[4];
    int n = 0;
    gnd__sparam *p = &all->p[all->n];
    while (s < end) {
        while (s < end && isspace((unsigned char)*s))
            s++;
        const char *w = s;
        while (s < end && !isspace((unsigned char)*s))
            s++;
        if (s > w && n < 4) {
            word[n] = w;
            len[n++] = (size_t)(s - w);
        }
    }
    const int raw = n == 3 && len[0] == 3 && !memcmp(word[0], "raw", 3);
    if (n != 2 + raw)
        return gnd__err(e, GND_ERR_SYNTAX,
                        "%s: parameter %d: 'TYPE NAME' or 'raw TYPE NAME' is needed", what, all->n);
    const int k = n - 1;
    if (len[k] >= sizeof p->name)
        return gnd__err(e, GND_ERR_NAME, "%s: parameter %d: a name of more than %d characters",
                        what, all->n, (int)sizeof p->name - 1);
    memset(p, 0, sizeof *p);
    memcpy(p->name, word[k], len[k]);
    p->raw = (uint8_t)raw;
    if (!gnd__is_name(p->name) || gnd__word_find(reserved, p->name, len[k], 0) >= 0 ||
        len[k] == 0 || p->name[0] == '_' || p->name[len[k] - 1] == '_' ||
        !strncmp(p->name, "gnd_", 4))
        return gnd__err(e, GND_ERR_NAME, "%s: parameter %d: '%s' cannot be a name", what, all->n,
                        p->name);
    for (int i = 0; i < all->n; i++)
        if (!strcmp(all->p[i].name, p->name))
            return gnd__err(e, GND_ERR_NAME, "%s: the name '%s' comes twice", what, p->name);
    all->n++;
    return gnd__stype_read(what, word[k - 1], len[k - 1], &p->letter, &p->dtype, e);
}

gnd_status gnd__sparams_read(gnd__sparams *s, const char *what, const char *text, int most,
                             gnd_err *e)
{
    gnd_status st = GND_OK;
    const char *p = text;
    s->n = 0;
    while (isspace((unsigned char)*p))
        p++;
    while (*p && st == GND_OK) {
        const char *comma = strchr(p, ','), *end = comma ? comma : p + strlen(p);
        if (s->n == most)
            return gnd__err(e, GND_ERR_UNSUPPORTED, "%s: more than %d parameters", what, most);
        st = read_param(s, what, p, end, e);
        if (comma && st == GND_OK && !comma[1 + strspn(comma + 1, " \t\n")])
            return gnd__err(e, GND_ERR_SYNTAX, "%s: nothing after the last comma", what);
        p = comma ? comma + 1 : end;
    }
    return st;
}

/* --- pieces of code --------------------------------------------------------------------------- */

typedef struct reader {
    gnd__piece *p;
    const char *src;
    const gnd__utoken *t;
    int32_t n;
    gnd_err *e;
} reader;

static gnd_status wrong(const reader *r, int32_t t, const char *why)
{
    return gnd__utoken_syntax(r->e, r->p->what, &r->t[t], why);
}

static int is(const reader *r, int32_t t, const char *word)
{
    return t < r->n && gnd__utoken_is(r->src, &r->t[t], word);
}

/* Checks that brackets match, and that nothing ends the function. */
static gnd_status check_piece(const reader *r, int value)
{
    char open[64];
    int depth = 0;
    for (int32_t t = 0; t < r->n && r->t[t].type != GND__UT_END; t++) {
        const char c = r->t[t].type == GND__UT_MARK ? r->src[r->t[t].at] : 0;
        if (r->t[t].type == GND__UT_LINE && (value || !strstr(r->src + r->t[t].at, "pragma")))
            return wrong(r, t, "lines of the preprocessor stand in the preamble");
        if (is(r, t, "return"))
            return wrong(r, t, "'return': what is computed is assigned");
        if (c == ';' && value)
            return wrong(r, t, "';': a value is needed here, no statement");
        if (c == '(' || c == '[' || c == '{') {
            if (depth == (int)sizeof open)
                return wrong(r, t, "brackets are too deep");
            open[depth++] = c == '(' ? ')' : c == '[' ? ']' : '}';
        } else if (c == ')' || c == ']' || c == '}') {
            if (depth == 0 || open[--depth] != c)
                return wrong(r, t, "a bracket that closes what is not open");
        }
    }
    return depth ? wrong(r, r->n - 1, "a bracket is not closed") : GND_OK;
}

/* Replaces the tokens from t on, NAME.size(), by name and blanks, of the same length. */
static void replace(reader *r, int32_t t, const char *name)
{
    const size_t from = r->t[t].at, to = r->t[t + 4].at + r->t[t + 4].len, n = strlen(name);
    for (size_t k = from; k < to; k++)
        if (r->p->text[k] != '\n')
            r->p->text[k] = ' ';
    memcpy(r->p->text + from, name, n);
}

static int is_size(const reader *r, int32_t t)
{
    return is(r, t + 1, ".") && is(r, t + 2, "size") && is(r, t + 3, "(") && is(r, t + 4, ")");
}

/* Notes which names the piece uses. */
static gnd_status find_uses(reader *r, const gnd__sparams *in)
{
    gnd__hidden *u = &r->p->uses;
    for (int32_t t = 0; t < r->n; t++) {
        const int member = t > 0 && is(r, t - 1, ".");
        if (r->t[t].type == GND__UT_MARK && strchr("+-*/%<>=&|^?", r->src[r->t[t].at])) {
            r->p->ops++;
            r->p->cost += r->src[r->t[t].at] == '/' || r->src[r->t[t].at] == '%' ? 4 : 1;
        }
        if (r->t[t].type != GND__UT_WORD || member)
            continue;
        if (is(r, t, "for") || is(r, t, "while")) {
            r->p->cost += 1000;
            r->p->ops += 4;
        } else if (is(r, t + 1, "(")) {
            r->p->cost += 16;
            r->p->ops++;
        }
        if ((is(r, t, "_ind") || is(r, t, "_in_ind") || is(r, t, "_out_ind")) && !is_size(r, t))
            return wrong(r, t, "of indices there is size(); i is the index");
        if (is(r, t, "_ind") || is(r, t, "_in_ind")) {
            u->in_n = 1;
            replace(r, t, "in_n_");
        } else if (is(r, t, "_out_ind")) {
            u->out_n = 1;
            replace(r, t, "out_n_");
        }
        u->i |= is(r, t, "i");
        int known = 0;
        for (int k = 0; k < in->n; k++) {
            if (!is(r, t, in->p[k].name))
                continue;
            known = 1;
            if (in->p[k].raw && is(r, t + 1, ".") && !is_size(r, t))
                return wrong(r, t, "of a raw parameter there are size() and elements by index");
            if (in->p[k].raw && is_size(r, t)) {
                char name[40];
                snprintf(name, sizeof name, "%s_n_", in->p[k].name);
                u->sizes |= 1u << k;
                replace(r, t, name);
            }
        }
        u->n |= !known && is(r, t, "n");
    }
    return GND_OK;
}

/* Makes the text for complex dtypes. The dtypes are not known yet, so errors count only if they are
 * complex. */
static gnd_status read_complex(gnd__piece *p, int value, gnd_err *e)
{
    gnd__str text = {0};
    gnd_err bad = {.code = GND_OK};
    gnd_status st = gnd__complex_text(p->what, p->text, value, &text, &p->calls, &bad);
    if (st == GND_OK)
        p->ztext = gnd__strdup(gnd__str_get(&text));
    else if (st != GND_ERR_NOMEM)
        p->why = gnd__strdup(bad.msg);
    gnd__str_free(&text);
    return p->ztext || p->why ? GND_OK : gnd__err(e, GND_ERR_NOMEM, "out of host memory");
}

gnd_status gnd__piece_read(gnd__piece *p, const char *what, const char *text,
                           const gnd__sparams *in, int value, gnd_err *e)
{
    gnd__utoken *token = NULL;
    reader r = {.p = p, .src = text, .e = e};
    memset(p, 0, sizeof *p);
    p->what = what;
    gnd_status st = gnd__user_lex(what, text, strlen(text), &token, &r.n, e);
    if (st != GND_OK)
        return st;
    r.t = token;
    if (r.n < 2)
        st = gnd__err(e, GND_ERR_ARG, "%s is empty", what);
    if (st == GND_OK && !(p->text = gnd__strdup(text)))
        st = gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    if (st == GND_OK)
        st = check_piece(&r, value);
    if (st == GND_OK)
        st = find_uses(&r, in);
    gnd__free(token);
    return st == GND_OK ? read_complex(p, value, e) : st;
}

void gnd__piece_free(gnd__piece *p)
{
    gnd__free(p->text);
    gnd__free(p->ztext);
    gnd__free(p->why);
    p->text = p->ztext = p->why = NULL;
}
