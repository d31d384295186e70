/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/prelude.c - assembles the text before a kernel: the base of the dialect and the functions
 * that the kernel's text names, each after those that it needs. kernels/core.cl describes the
 * format of the sources. template.c expands templates.
 */
#include "codegen/prelude.h"

#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern const char gnd__kernels_text[];

enum { MAX_SECTIONS = 1024, ALL_DIALECTS = 3, MAX_KEPT = 64 };

/* One section of kernels/: of a base (name == NULL), of a function, or the text of a kernel. */
typedef struct section {
    const char *name, *body;
    unsigned short name_len, dtypes; /* dtypes: bit per gnd_dtype; base: 1 << GND_FLOAT64 or 0 */
    unsigned body_len, dialects;     /* bit (dialect - 1) */
    int text;                        /* a kernel's text, not a function */
    int cpu;                         /* only for CPUs with float64; the first match is used */
} section;

static section sections[MAX_SECTIONS];
static int nsections;
static const section *texts[MAX_SECTIONS]; /* those that are the text of a kernel */
static int ntexts;
static const char *index_error; /* set once, by make_index */
static pthread_once_t index_once = PTHREAD_ONCE_INIT;

/* --- reading ---------------------------------------------------------------------------------- */

static int is_word(char c)
{
    static const unsigned char bits[32] = {
        /* 0-9 */ [6] = 0xff,   [7] = 0x03,
        /* A-Z, _ */[8] = 0xfe, 0xff,       0xff, 0x87,
        /* a-z */ 0xfe,         0xff,       0xff, 0x07};
    return bits[(unsigned char)c >> 3] >> (c & 7) & 1;
}

static int same(const char *s, size_t n, const char *word)
{
    return strlen(word) == n && !memcmp(s, word, n);
}

/* The dtype of a suffix of n characters, or -1. */
static int suffix_dtype(const char *s, size_t n)
{
    for (int t = 0; t < GND_NDTYPES; t++)
        if (same(s, n, gnd__suffix((gnd_dtype)t)))
            return t;
    return -1;
}

/* The dtypes that a word of a section's line means: a suffix, or a letter for all dtypes of a kind
 * except float16 and bfloat16. 0: not such a word. */
static unsigned word_dtypes(const char *s, size_t n)
{
    int t = suffix_dtype(s, n);
    if (t >= 0)
        return 1u << t;
    unsigned set = 0;
    for (t = 0; n == 1 && t < GND_NDTYPES; t++)
        if (gnd_dtype_kind((gnd_dtype)t) == *s && t != GND_FLOAT16 && t != GND_BFLOAT16)
            set |= 1u << t;
    return set;
}

static unsigned word_dialect(const char *s, size_t n)
{
    if (same(s, n, "opencl"))
        return 1u << (GND_DIALECT_OPENCL - 1);
    return same(s, n, "cuda") ? 1u << (GND_DIALECT_CUDA - 1) : 0;
}

/* Parses the line of a section from after "//@" to its end. Returns 1 if it begins a section. */
static int parse_line(const char *p, const char *end, section *out)
{
    int base = 0, words = 0;
    memset(out, 0, sizeof *out);
    while (p < end) {
        while (p < end && *p == ' ')
            p++;
        const char *w = p;
        while (p < end && *p != ' ')
            p++;
        size_t n = (size_t)(p - w);
        if (!n)
            break;
        if (!words) {
            base = same(w, n, "base");
            out->text = same(w, n, "text");
            if (!base && !out->text && !same(w, n, "fn"))
                return 0; /* //@file */
        } else if (words == 1 && !base) {
            out->name = w;
            out->name_len = (unsigned short)n;
        } else if (same(w, n, "cpu")) {
            out->cpu = 1;
        } else if (word_dialect(w, n)) {
            out->dialects |= word_dialect(w, n);
        } else if (word_dtypes(w, n)) {
            out->dtypes |= (unsigned short)word_dtypes(w, n);
        } else {
            index_error = "a word of a section's line is not known";
        }
        words++;
    }
    if (!out->dialects)
        out->dialects = ALL_DIALECTS;
    return 1;
}

/* Ends a section before the comment of the next function, if there is one. */
static void end_section(section *s, const char *end)
{
    const char *p = s->body;
    while (p < end && strncmp(p, "/*", 2)) {
        const char *nl = memchr(p, '\n', (size_t)(end - p));
        p = nl ? nl + 1 : end;
    }
    s->body_len = (unsigned)(p - s->body);
}

static void make_index(void)
{
    section *cur = NULL;
    for (const char *p = gnd__kernels_text; *p;) {
        const char *nl = strchr(p, '\n'), *end = nl ? nl : p + strlen(p);
        if (!strncmp(p, "//@", 3)) {
            section s;
            if (cur)
                end_section(cur, p);
            cur = NULL;
            if (parse_line(p + 3, end, &s)) {
                if (nsections == MAX_SECTIONS) {
                    index_error = "more sections than MAX_SECTIONS of codegen/prelude.c";
                    return;
                }
                s.body = nl ? nl + 1 : end;
                cur = &sections[nsections++];
                *cur = s;
                if (s.text)
                    texts[ntexts++] = cur;
            }
        }
        p = nl ? nl + 1 : end;
        if (!*p && cur)
            end_section(cur, p);
    }
}

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct maker {
    unsigned dialect; /* bit */
    int f64;          /* float64 is used */
    int cpu;          /* sections marked cpu count */
    gnd__str text;    /* functions so far */
    gnd_err *e;
    /* Bit t of done[s]: the function is written; of busy[s]: it is being written. */
    unsigned short done[MAX_SECTIONS], busy[MAX_SECTIONS];
} maker;

static gnd_status need(maker *m, const char *text, size_t len);

/* Writes section k for dtype t, after the sections that it needs. */
static gnd_status write_fn(maker *m, int k, gnd_dtype t)
{
    const unsigned short bit = (unsigned short)(1u << t);
    const section *s = &sections[k];
    gnd__str templ = {0}, fn = {0};
    gnd_status st = GND_OK;

    if (m->done[k] & bit || m->busy[k] & bit) /* busy: it refers to itself */
        return GND_OK;
    m->busy[k] |= bit;
    gnd__str_addn(&templ, s->body, s->body_len);
    gnd__expand(&fn, gnd__str_get(&templ), t, NULL);
    if (templ.bad || fn.bad)
        st = gnd__err(m->e, GND_ERR_NOMEM, "out of memory for a kernel's text");
    if (!st)
        st = need(m, gnd__str_get(&fn), fn.len);
    if (!st)
        gnd__str_addn(&m->text, gnd__str_get(&fn), fn.len);
    m->done[k] |= bit;
    gnd__str_free(&templ);
    gnd__str_free(&fn);
    return st;
}

/* Writes the function of an identifier gnd_NAME_SUFFIX. */
static gnd_status need_name(maker *m, const char *id, size_t n)
{
    size_t us = n;
    while (us > 4 && id[us - 1] != '_')
        us--;
    int t = us > 4 ? suffix_dtype(id + us, n - us) : -1;
    if (t >= 0) {
        const char *name = id + 4;
        size_t name_len = us - 5;
        for (int k = 0; k < nsections; k++) {
            const section *s = &sections[k];
            if (s->name && !s->text && s->name_len == name_len &&
                !memcmp(s->name, name, name_len) && s->dialects & m->dialect &&
                s->dtypes & 1u << t && m->cpu >= s->cpu)
                return write_fn(m, k, (gnd_dtype)t);
        }
    }
    return gnd__err(m->e, GND_ERR_INTERNAL, "kernels/ has no function %.*s", (int)n, id);
}

/* Writes every function that the text names, and notes whether it uses float64. */
static gnd_status need(maker *m, const char *text, size_t len)
{
    gnd_status st = GND_OK;
    for (size_t i = 0; i < len && !st;) {
        if (!is_word(text[i])) {
            i++;
            continue;
        }
        const char *w = text + i;
        while (i < len && is_word(text[i]))
            i++;
        size_t n = (size_t)(text + i - w);
        if (n > 4 && !memcmp(w, "gnd_", 4))
            st = need_name(m, w, n);
        else if (same(w, n, "g_f64") || same(w, n, "g_c128") ||
                 (n > 4 && !memcmp(w, "GND_", 4) && !memcmp(w + n - 4, "_f64", 4)))
            m->f64 = 1;
    }
    return st;
}

int gnd__prelude_cpu(const gnd_props *props)
{
    return props->kind == GND_DEV_CPU && props->has_f64 && props->dialect == GND_DIALECT_OPENCL;
}

gnd_status gnd__prelude(gnd__str *out, const char *body, const gnd_props *props, gnd_err *e)
{
    pthread_once(&index_once, make_index);
    if (index_error)
        return gnd__err(e, GND_ERR_INTERNAL, "kernels/: %s", index_error);
    if (props->dialect != GND_DIALECT_OPENCL && props->dialect != GND_DIALECT_CUDA)
        return gnd__err(e, GND_ERR_UNSUPPORTED, "no kernels in dialect %u", props->dialect);

    maker m;
    memset(&m, 0, sizeof m);
    m.dialect = 1u << (props->dialect - 1);
    m.cpu = gnd__prelude_cpu(props);
    m.e = e;
    gnd_status st = need(&m, body, strlen(body));
    if (!st && m.f64 && !props->has_f64)
        st = gnd__err(e, GND_ERR_UNSUPPORTED, "device %s has no float64", props->name);
    for (const section *s = sections; s < sections + nsections && !st; s++)
        if (!s->name && s->dialects & m.dialect && (!s->dtypes || m.f64))
            gnd__str_addn(out, s->body, s->body_len);
    if (!st)
        gnd__str_addn(out, gnd__str_get(&m.text), m.text.len);
    gnd__str_add(out, "/* the kernel */\n"); /* for human readers */
    if (!st && (out->bad || m.text.bad))
        st = gnd__err(e, GND_ERR_NOMEM, "out of memory for a kernel's text");
    gnd__str_free(&m.text);
    return st;
}

gnd_status gnd__prelude_kept(gnd__table *kept, gnd__str *out, const gnd__str *body,
                             const gnd_props *props, gnd_err *e)
{
    const char *text = gnd__str_get(body);
    const char *known = kept ? gnd__table_get(kept, text, body->len) : NULL;
    const size_t begin = out->len;
    if (known) {
        gnd__str_add(out, known);
        return GND_OK;
    }
    const gnd_status st = gnd__prelude(out, text, props, e);
    if (st != GND_OK || !kept || gnd__table_len(kept) >= MAX_KEPT)
        return st;
    char *copy = gnd__strdup(gnd__str_get(out) + begin);
    if (copy && gnd__table_put(kept, text, body->len, copy, NULL))
        gnd__free(copy); /* without the entry it is made again */
    return GND_OK;
}

int gnd__kernel_function(gnd_dialect d, int i, char *buf, size_t cap)
{
    pthread_once(&index_once, make_index);
    for (const section *s = sections; s < sections + nsections; s++)
        for (int t = 0; t < GND_NDTYPES; t++)
            if (s->name && !s->text && (d == GND_DIALECT_OPENCL || !s->cpu) &&
                s->dialects & 1u << (d - 1) && s->dtypes & 1u << t && i-- == 0) {
                snprintf(buf, cap, "gnd_%.*s_%s", (int)s->name_len, s->name,
                         gnd__suffix((gnd_dtype)t));
                return 0;
            }
    return -1;
}

int gnd__kernel_text(gnd__str *out, const char *name, gnd_dialect d, gnd_dtype t)
{
    pthread_once(&index_once, make_index);
    const size_t n = strlen(name);
    for (int i = 0; i < ntexts; i++) {
        const section *s = texts[i];
        gnd__str templ = {0};
        if (s->name_len != n || memcmp(s->name, name, n) || !(s->dialects & 1u << (d - 1)))
            continue;
        gnd__str_addn(&templ, s->body, s->body_len);
        gnd__expand(out, gnd__str_get(&templ), t, NULL);
        out->bad |= templ.bad;
        gnd__str_free(&templ);
        return 1;
    }
    return 0;
}
