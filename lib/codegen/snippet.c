/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/snippet.c - the user's pieces of code as functions, for certain dtypes: see snippet.h.
 *
 * A text is protected by a guard, because several kernels may become one text. It is equal in every
 * run of a program: its name is its hash. Type letters are macros around the user's text, and #line
 * gives its lines. A bool is `bool` inside, so that it is 0 or 1; float16 and bfloat16 are computed
 * in float and rounded at the end.
 */
#include "codegen/snippet.h"

#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "base/mem.h"
#include "codegen/complex.h"
#include "codegen/prelude.h"
#include "codegen/user_lex.h"

gnd_dtype gnd__sparam_dtype(const gnd__sparam *p, const gnd__letters *l)
{
    return (gnd_dtype)(p->letter ? l->of[(unsigned char)p->letter] : p->dtype);
}

static int complex_bit(int t)
{
    return t == GND_COMPLEX64 ? GND__Z64 : t == GND_COMPLEX128 ? GND__Z128 : 0;
}

int gnd__snippet_complex(const gnd__letters *l, const gnd__sparams *a, const gnd__sparams *b)
{
    int bits = 0;
    for (int c = 'A'; c <= 'Z'; c++)
        bits |= complex_bit(l->of[c]);
    for (int i = 0; a && i < a->n; i++)
        bits |= complex_bit((int)gnd__sparam_dtype(&a->p[i], l));
    for (int i = 0; b && i < b->n; i++)
        bits |= complex_bit((int)gnd__sparam_dtype(&b->p[i], l));
    return bits;
}

/* The C type of dtype t in the user's text. */
static const char *type_of(gnd_dtype t)
{
    return t == GND_BOOL ? "bool" : gnd__ctype_value(t);
}

/* Defines the known letters that are words of text (NULL: all known letters), or undefines them. */
static void letters(gnd__str *out, const gnd__letters *l, const char *text, int define)
{
    for (int c = 'A'; c <= 'Z'; c++) {
        int used = text == NULL;
        for (const char *p = text; p && !used && (p = strchr(p, c)); p++) {
            const char before = p > text ? p[-1] : ' ', after = p[1] ? p[1] : ' ';
            const int word = before == '_' || after == '_' || (before >= '0' && before <= '9') ||
                             (after >= '0' && after <= '9') ||
                             ((before | 32) >= 'a' && (before | 32) <= 'z') ||
                             ((after | 32) >= 'a' && (after | 32) <= 'z');
            used = !word;
        }
        if (l->of[c] < 0 || !used)
            continue;
        if (define)
            gnd__str_addf(out, "#define %c %s\n", c, type_of((gnd_dtype)l->of[c]));
        else
            gnd__str_addf(out, "#undef %c\n", c);
    }
}

static void hashed(char *out, size_t cap, const char *start, const char *name, const gnd__str *text)
{
    const gnd__hash h = gnd__hash_bytes(gnd__str_get(text), text->len, 0x736e6970);
    snprintf(out, cap, "%s_%.48s_%016llx", start, name, (unsigned long long)h.h[0]);
}

/* The preamble: before and after the functions. */
static void add_preamble(gnd__snippet *s, const char *preamble, const gnd__letters *l,
                         gnd__str *before, gnd__str *after)
{
    char guard[96];
    gnd__str text = {0};
    gnd__utoken *token = NULL;
    int32_t n = 0;
    if (!preamble)
        return;
    gnd__str_add(
        &text,
        "#ifdef __OPENCL_VERSION__\n#define __device__ static\n#define __forceinline__\n#endif\n");
    letters(&text, l, preamble, 1);
    gnd__str_addf(&text, "#line 1 \"preamble\"\n%s\n", preamble);
    letters(&text, l, preamble, 0);
    hashed(guard, sizeof guard, "UP", "", &text);
    gnd__str_addf(before, "#ifndef %s\n#define %s\n%s#endif\n", guard, guard, gnd__str_get(&text));
    gnd__str_add(after,
                 "#ifdef __OPENCL_VERSION__\n#undef __device__\n#undef __forceinline__\n#endif\n");
    if (gnd__user_lex("preamble", preamble, strlen(preamble), &token, &n, NULL) != GND_OK)
        after->bad = 1; /* it was read before, so the only failure is lack of memory */
    for (int32_t t = 0; t < n && token; t++) {
        char name[64];
        if (token[t].type == GND__UT_LINE &&
            sscanf(preamble + token[t].at, "# define %63[A-Za-z0-9_]", name) == 1)
            gnd__str_addf(after, "#undef %s\n", name);
    }
    before->bad |= text.bad;
    gnd__free(token);
    gnd__str_free(&text);
    s->before = before->s;
    s->after = after->s;
}

/* Makes s from the definition `text`, whose symbol NAME_ becomes the name of s. */
static gnd__snippet *finish(gnd__snippet *s, const char *preamble, const gnd__letters *l,
                            const gnd__str *text)
{
    gnd__str whole = {0}, before = {0}, after = {0};
    gnd__snippet *made = NULL;
    hashed(s->sym, sizeof s->sym, "uf", s->name, text);
    gnd__str_addf(&whole, "#ifndef %s_\n#define %s_\n", s->sym, s->sym);
    /* replaces the symbol */
    for (const char *p = gnd__str_get(text), *q; *p; p = q) {
        q = strstr(p, "NAME_");
        if (!q) {
            gnd__str_add(&whole, p);
            break;
        }
        gnd__str_addn(&whole, p, (size_t)(q - p));
        gnd__str_add(&whole, s->sym);
        q += 5;
    }
    gnd__str_add(&whole, "#line 1 \"kernel\"\n#endif\n");
    add_preamble(s, preamble, l, &before, &after);
    s->text = whole.s;
    if (!whole.bad && !text->bad && !before.bad && !after.bad)
        made = gnd__snippet_new(s);
    gnd__str_free(&whole);
    gnd__str_free(&before);
    gnd__str_free(&after);
    return made;
}

static const char inlined[] = "#ifdef GND_INLINE\nGND_INLINE\n#else\nGND_FN\n#endif\n";

/* Adds an argument. */
static void argument(gnd__snippet *s, gnd__str *text, gnd_dtype t, int raw, const char *name,
                     const char *end)
{
    gnd__str_addf(text, "%s%s %s%s%s", s->nin ? ", " : "", raw ? "GND_CONST_GLOBAL" : "const",
                  raw ? gnd__ctype_mem(t) : type_of(t), raw ? " *" : " ", name);
    gnd__str_add(text, end);
    s->memory |= raw ? 1u << s->nin : 0;
    s->in[s->nin++] = (int16_t)t;
}

static void arguments(gnd__snippet *s, const gnd__sfunc *f, gnd__str *text)
{
    const gnd__hidden *u = &f->code->uses;
    for (int i = 0; i < f->in->n; i++)
        argument(s, text, gnd__sparam_dtype(&f->in->p[i], f->letters), f->in->p[i].raw,
                 f->in->p[i].name, "");
    if (u->i)
        argument(s, text, GND_INT64, 0, "i", "");
    if (u->n || u->in_n)
        argument(s, text, GND_INT64, 0, "in_n_", "");
    if (u->out_n)
        argument(s, text, GND_INT64, 0, "out_n_", "");
    for (int i = 0; i < f->in->n; i++)
        if (u->sizes >> i & 1)
            argument(s, text, GND_INT64, 0, f->in->p[i].name, "_n_");
}

/* The value of output o as it leaves the function. */
static void leaves(gnd__str *text, gnd_dtype t, const char *name)
{
    if (t == GND_FLOAT16 || t == GND_BFLOAT16)
        gnd__str_addf(text, "gnd_round_%s(%s)", gnd__suffix(t), name);
    else
        gnd__str_addf(text, "(%s)%s", gnd__ctype_value(t), name);
}

/* The user's text with its letters; `bits`: for these complex dtypes, whose calls are defined.
 * `type`: it is the value of that type. */
static void user_text(gnd__str *text, const gnd__piece *p, int bits, const gnd__letters *l,
                      const char *type)
{
    if (type && bits) /* no line of the preprocessor may stand within a macro's argument */
        gnd__str_add(
            text,
            "#ifdef __OPENCL_VERSION__\n    __auto_type\n#else\n    auto\n#endif\n    raw_ = (\n");
    else if (type)
        gnd__str_addf(text, "    const %s value_ = (\n", type);
    letters(text, l, NULL, 1);
    gnd__str_addf(text, "#line 1 \"%s\"\n%s\n", p->what, bits ? p->ztext : p->text);
    letters(text, l, NULL, 0);
    gnd__str_add(text, type ? "    );\n" : "    ;}\n");
    if (type && bits)
        gnd__str_addf(text, "    const %s value_ = GNDZ_AS(%s, raw_);\n", type, type);
}

static void body(gnd__snippet *s, const gnd__sfunc *f, int bits, gnd__str *text)
{
    gnd__str_add(text, ")\n{\n");
    if (f->code->uses.n)
        gnd__str_add(text, "    const g_i64 n = in_n_;\n");
    for (int o = 0; o < s->nout && !f->value; o++) {
        const gnd_dtype t = (gnd_dtype)s->out[o];
        gnd__str_addf(text, "    %s %s = ", type_of(t), f->out->p[o].name);
        if (complex_bit((int)t))
            gnd__str_addf(text, "gnd_cplx_%s(0, 0);\n", gnd__suffix(t));
        else
            gnd__str_add(text, "0;\n");
    }
    if (!f->value)
        gnd__str_add(text, "    {\n");
    user_text(text, f->code, bits, f->letters, f->value ? type_of((gnd_dtype)s->out[0]) : NULL);
    for (int o = 0; o < s->nout; o++) {
        if (s->nout == 1)
            gnd__str_add(text, "    return ");
        else
            gnd__str_addf(text, "    *o%d_ = ", o);
        leaves(text, (gnd_dtype)s->out[o], f->value ? "value_" : f->out->p[o].name);
        gnd__str_add(text, ";\n");
    }
    gnd__str_add(text, "}\n");
}

gnd__snippet *gnd__snippet_function(const gnd__sfunc *f)
{
    gnd__snippet s;
    gnd__str text = {0};
    memset(&s, 0, sizeof s);
    s.name = (char *)f->name;
    s.nout = f->out->n;
    for (int o = 0; o < s.nout; o++)
        s.out[o] = (int16_t)gnd__sparam_dtype(&f->out->p[o], f->letters);
    s.cost = f->code->cost + 1;
    s.nops = f->code->ops < 1 ? 1 : f->code->ops > 16 ? 16 : f->code->ops;
    const int bits = gnd__snippet_complex(f->letters, f->in, f->out);
    if (bits)
        gnd__complex_begin(f->code->calls, bits, &text);
    gnd__str_add(&text, inlined);
    gnd__str_addf(&text, "%s NAME_(", s.nout == 1 ? gnd__ctype_value((gnd_dtype)s.out[0]) : "void");
    arguments(&s, f, &text);
    for (int o = 0; o < s.nout && s.nout > 1; o++)
        gnd__str_addf(&text, "%s%s *o%d_", o || s.nin ? ", " : "",
                      gnd__ctype_value((gnd_dtype)s.out[o]), o);
    body(&s, f, bits, &text);
    if (bits)
        gnd__complex_end(f->code->calls, &text);
    gnd__snippet *made = finish(&s, f->preamble, f->letters, &text);
    gnd__str_free(&text);
    return made;
}

/* Function NAME_ENDING of a value. */
static void value_function(gnd__str *text, const char *ending, const char *params, gnd_dtype t,
                           const gnd__piece *p, const gnd__letters *l)
{
    const int bits = gnd__snippet_complex(l, NULL, NULL) | complex_bit((int)t);
    if (bits)
        gnd__complex_begin(p->calls, bits, text);
    gnd__str_addf(text, "%s%s NAME_%s(%s)\n{\n", inlined, gnd__ctype_value(t), ending, params);
    user_text(text, p, bits, l, type_of(t));
    gnd__str_addf(text, "    return (%s)value_;\n}\n", gnd__ctype_value(t));
    if (bits)
        gnd__complex_end(p->calls, text);
}

gnd__snippet *gnd__snippet_fold(const char *name, const char *preamble, const gnd__piece *reduce,
                                const gnd__piece *identity, gnd_dtype t, const gnd__letters *l)
{
    gnd__snippet s;
    gnd__str text = {0};
    char params[64];
    memset(&s, 0, sizeof s);
    s.name = (char *)name;
    s.nin = 2;
    s.nout = 1;
    s.in[0] = s.in[1] = s.out[0] = (int16_t)t;
    s.cost = reduce->cost + 1;
    s.nops = 1;
    snprintf(params, sizeof params, "const %s a, const %s b", type_of(t), type_of(t));
    value_function(&text, "", params, t, reduce, l);
    value_function(&text, "_identity", "void", t, identity, l);
    gnd__snippet *made = finish(&s, preamble, l, &text);
    gnd__str_free(&text);
    return made;
}

gnd_status gnd__snippet_probe(const gnd__snippet *s, const gnd_props *props, gnd__str *out,
                              gnd_err *e)
{
    gnd__str text = {0};
    gnd__str_addf(&text,
                  "%s%s%sGND_KERNEL void k_probe(GND_GLOBAL g_i32 *x)\n{\n    x[0] = 0;\n}\n",
                  s->before ? s->before : "", s->text, s->after ? s->after : "");
    gnd_status st = text.bad ? gnd__err(e, GND_ERR_NOMEM, "out of host memory")
                             : gnd__prelude(out, gnd__str_get(&text), props, e);
    if (st == GND_ERR_INTERNAL &&
        e) /* of gnd's own texts it would be one; this one is the user's */
        st = e->code = GND_ERR_NAME;
    gnd__str_add(out, gnd__str_get(&text));
    if (st == GND_OK && (out->bad || text.bad))
        st = gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    gnd__str_free(&text);
    return st;
}
