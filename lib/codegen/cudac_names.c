/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_names.c - words of CUDA C: those outside of the subset, names of types, and the
 * definitions of cudac.def that a source needs.
 */
#include "codegen/cudac.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/words.h"

static const struct row {
    const char *group, *names, *text, *note;
} rows[] = {
#define CUDAC(group, names, text, note) {group, names, text, note},
#include "codegen/cudac.def"
#undef CUDAC
};
enum { NROW = sizeof rows / sizeof *rows };

/* Words that only CUDA C++ has. */
static const char outside[] =
    "template class namespace using operator new delete virtual try catch throw typeid typename "
    "dynamic_cast friend mutable explicit decltype concept requires asm __asm__ __asm public "
    "protected __managed__ cudaTextureObject_t cudaSurfaceObject_t texture surface tex1D tex2D "
    "tex3D tex1Dfetch tex2DLod surf2Dread surf2Dwrite cudaMalloc cudaFree cudaMemcpy "
    "__cluster_dims__ __trap __nanosleep clock clock64 "
    "__activemask __match_any_sync __match_all_sync __half2 half2 assert "
    "__shfl __shfl_up __shfl_down __shfl_xor __ballot __any __all __pipeline_memcpy_async "
    "malloc free alignas thread_local wchar_t main";
static const char types[] =
    "void bool char short int long unsigned signed float double size_t ptrdiff_t int8_t int16_t "
    "int32_t int64_t uint8_t uint16_t uint32_t uint64_t uchar ushort uint ulong dim3 __half half "
    "auto const volatile struct union enum static register constexpr";
static const char vectors[] =
    "char uchar short ushort int uint long ulong longlong ulonglong float double";
/* Keywords of OpenCL C that are free for the user in CUDA C. */
static const char taken[] =
    "local global kernel constant private generic restrict pipe uniform complex imaginary event_t "
    "sampler_t image2d_t queue_t read_only write_only read_write vec_step half "
    "clamp mix dot cross length distance normalize step smoothstep sign select any all mad "
    "degrees radians rotate hadd upsample fract modf shuffle barrier prefetch popcount clz";

int gnd__cudac_row(int i, const char **group, const char **names, const char **note)
{
    if (i < 0 || i >= NROW)
        return 0;
    *group = rows[i].group;
    *names = rows[i].names;
    *note = rows[i].note;
    return 1;
}

int gnd__cudac_votes(const gnd__cudac *x)
{
    for (int i = 0; i < NROW; i++)
        if (x->used[i] && !strncmp(rows[i].names, "__syncthreads_", 14))
            return 1;
    return 0;
}

/* Positions before and after the source have no token. */
static int inside(const gnd__cudac *x, int32_t t)
{
    return t >= 0 && t < x->ntoken;
}

int gnd__cudac_is(const gnd__cudac *x, int32_t t, const char *word)
{
    return inside(x, t) && gnd__utoken_is(x->u->src, &x->token[t], word);
}

int gnd__cudac_among(const gnd__cudac *x, int32_t t, const char *words)
{
    if (!inside(x, t))
        return 0;
    const gnd__utoken *k = &x->token[t];
    return k->type == GND__UT_WORD && gnd__word_find(words, x->u->src + k->at, k->len, 0) >= 0;
}

int gnd__cudac_same(const gnd__cudac *x, int32_t a, int32_t b)
{
    const gnd__utoken *p = &x->token[a], *q = &x->token[b];
    return p->len == q->len && p->type == q->type &&
           !memcmp(x->u->src + p->at, x->u->src + q->at, p->len);
}

int32_t gnd__cudac_closing(const gnd__cudac *x, int32_t t)
{
    int depth = 0;
    for (; x->token[t].type != GND__UT_END; t++) {
        if (x->token[t].type != GND__UT_MARK)
            continue;
        const char c = x->u->src[x->token[t].at];
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth == 0)
            return t;
    }
    return -1;
}

gnd_status gnd__cudac_refuse(const gnd__cudac *x, int32_t t, const char *fmt, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return gnd__err(x->e, GND_ERR_UNSUPPORTED,
                    "source:%d:%d: %s (CUDA C on OpenCL devices: doc/CUDAC.md)", x->token[t].line,
                    x->token[t].col, text);
}

int gnd__cudac_type(const gnd__cudac *x, int32_t t)
{
    const gnd__utoken *k = &x->token[t];
    const char *s = x->u->src + k->at;
    if (k->type != GND__UT_WORD)
        return 0;
    if (gnd__cudac_among(x, t, types))
        return 1;
    if (k->len > 1 && s[k->len - 1] >= '2' && s[k->len - 1] <= '4' &&
        gnd__word_find(vectors, s, k->len - 1, 0) >= 0)
        return 1;
    for (int32_t i = 0; i < x->ntype; i++)
        if (gnd__cudac_same(x, x->type[i], t))
            return 1;
    const gnd__cmacro *m = gnd__cudac_macro(x, t); /* a name for a type */
    if (m && m->nparam < 0 && m->first < m->last) {
        for (int32_t i = m->first; i < m->last; i++)
            if (gnd__cudac_same(x, i, t) || gnd__cudac_macro(x, i) || !gnd__cudac_type(x, i))
                return 0;
        return 1;
    }
    for (const char *p = strstr(gnd__str_get(&x->u->defines), "#define "); p;
         p = strstr(p + 1, "#define ")) {
        const char *name = p + 8, *value = name + strcspn(name, " ");
        const size_t n = strcspn(value + 1, "\n ");
        if ((size_t)(value - name) == k->len && !memcmp(name, s, k->len) &&
            gnd__word_find(types, value + 1, n, 0) >= 0)
            return 1;
    }
    return 0;
}

/* Marks the rows that have this name as used, and the rows that their texts name. */
static void use_name(gnd__cudac *x, const char *s, size_t n)
{
    for (int i = 0; i < NROW; i++) {
        if (x->used[i] || gnd__word_find(rows[i].names, s, n, 0) < 0)
            continue;
        x->used[i] = 1;
        x->uses_half |= !strcmp(rows[i].group, "half");
        if (!strcmp(rows[i].group, "half") || !strcmp(rows[i].group, "types"))
            for (const char *p = rows[i].text; *p;) { /* names that the text uses */
                const size_t len =
                    strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
                if (len > 0)
                    use_name(x, p, len);
                p += len ? len : 1;
            }
    }
}

static gnd_status look(gnd__cudac *x, int32_t t)
{
    const gnd__utoken *k = &x->token[t];
    const char *s = x->u->src + k->at;
    if (gnd__cudac_among(x, t, outside))
        return gnd__cudac_refuse(
            x, t, "'%.*s' is outside of the subset and runs on CUDA devices only", (int)k->len, s);
    if (!x->props->has_f64 && gnd__cudac_is(x, t, "double"))
        return gnd__cudac_refuse(x, t, "double: the device has no float64");
    for (int i = 0; i < NROW; i++)
        if (!strcmp(rows[i].group, "warps") && gnd__word_find(rows[i].names, s, k->len, 0) >= 0 &&
            x->props->subgroup != 32)
            return gnd__cudac_refuse(
                x, t, "%.*s needs warps: %s has no sub-groups of 32 work-items%s", (int)k->len, s,
                x->props->name, x->props->kind == GND_DEV_CPU ? ", as no CPU has" : "");
    use_name(x, s, k->len);
    return GND_OK;
}

/* Whether two marks stand side by side. */
static int marks(const gnd__cudac *x, int32_t t, const char *two)
{
    return x->token[t].type == GND__UT_MARK && x->token[t + 1].type == GND__UT_MARK &&
           x->token[t + 1].at == x->token[t].at + 1 && !memcmp(x->u->src + x->token[t].at, two, 2);
}

gnd_status gnd__cudac_words(gnd__cudac *x)
{
    gnd_status st = GND_OK;
    x->used = gnd__calloc(NROW, 1);
    if (!x->used)
        return gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a source");
    for (int32_t t = 0; t < x->ntoken && st == GND_OK; t++) {
        if (x->token[t].type == GND__UT_WORD) {
            st = look(x, t);
            continue;
        }
        if (x->token[t].type != GND__UT_MARK)
            continue;
        if (marks(x, t, "::"))
            st = gnd__cudac_refuse(x, t,
                                   "'::' is outside of the subset and runs on CUDA devices only");
        else if (marks(x, t, "<<") && marks(x, t + 1, "<<"))
            st =
                gnd__cudac_refuse(x, t, "a launch from a kernel ('<<<') runs on CUDA devices only");
        else if (t > 0 && gnd__cudac_is(x, t, "[") &&
                 (gnd__cudac_is(x, t - 1, "=") || gnd__cudac_is(x, t - 1, "(") ||
                  gnd__cudac_is(x, t - 1, ",") || gnd__cudac_is(x, t - 1, "return")))
            st = gnd__cudac_refuse(
                x, t, "a lambda is outside of the subset and runs on CUDA devices only");
    }
    return st;
}

/* Defines make_float4 and similar functions for token k, once; names: those that are defined. */
static void make_vector(const gnd__utoken *k, const char *src, gnd__str *names, gnd__str *out)
{
    const char *s = src + k->at;
    const size_t n = k->len;
    if (n < 8 || n > 20 || memcmp(s, "make_", 5) || s[n - 1] < '2' || s[n - 1] > '4' ||
        gnd__word_find(vectors, s + 5, n - 6, 0) < 0)
        return;
    char name[32], base[32];
    snprintf(base, sizeof base, "%.*s", (int)(n - 6), s + 5);
    if (!strcmp(base, "longlong") || !strcmp(base, "ulonglong"))
        memmove(strstr(base, "longlong"), "long", 5);
    snprintf(name, sizeof name, "%.*s", (int)n, s);
    if (gnd__word_find(gnd__str_get(names), name, n, 0) >= 0)
        return;
    gnd__str_addf(names, "%s ", name);
    const int lanes = s[n - 1] - '0';
    gnd__str_addf(out, "static __attribute__((overloadable)) %s%d %s(", base, lanes, name);
    for (int i = 0; i < lanes; i++)
        gnd__str_addf(out, "%s%s %c", i ? ", " : "", base, "xyzw"[i]);
    gnd__str_addf(out, ") { return (%s%d)(", base, lanes);
    for (int i = 0; i < lanes; i++)
        gnd__str_addf(out, "%s%c", i ? ", " : "", "xyzw"[i]);
    gnd__str_add(out, "); }\n");
}

/* A row's text. Its functions whose names are the implementation's (__float_as_int) get others, as
 * a vendor's OpenCL may declare them itself: NVIDIA's does. */
static void row_text(int i, gnd__str *out)
{
    static const char function[] = "static __attribute__((overloadable)) ";
    for (const char *w = rows[i].names; *w && strstr(rows[i].text, function);) {
        char macro[64];
        const int n = (int)strcspn(w, " ");
        snprintf(macro, sizeof macro, "#define %.*s ", n, w);
        if (!strncmp(w, "__", 2) && !strstr(rows[i].text, macro))
            gnd__str_addf(out, "%sgndc%.*s\n", macro, n, w);
        w += n + (w[n] == ' ');
    }
    gnd__str_add(out, rows[i].text);
}

gnd_status gnd__cudac_prelude(gnd__cudac *x, gnd__str *out)
{
    gnd__str made = {0}, names = {0};
    if (x->props->has_f64)
        gnd__str_add(out,
                     "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n");
    gnd__str_add(
        out,
        "#ifdef cl_khr_int64_base_atomics\n#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "#endif\n#ifdef cl_khr_int64_extended_atomics\n#pragma OPENCL EXTENSION "
        "cl_khr_int64_extended_atomics : enable\n#endif\n");
    for (int i = 0; i < NROW; i++)
        if (x->used[i])
            row_text(i, out);
    for (int32_t t = 0; t < x->ntoken; t++)
        if (x->token[t].type == GND__UT_WORD)
            make_vector(&x->token[t], x->u->src, &names, &made);
    gnd__str_addn(out, gnd__str_get(&made), made.len);
    out->bad |= made.bad | names.bad;
    gnd__str_free(&made);
    gnd__str_free(&names);
    /* the user's names that are also names of OpenCL C; half means __half */
    for (const char *w = taken; *w;) {
        const size_t n = strcspn(w, " ");
        int found = 0;
        for (int32_t t = 0; t < x->ntoken && !found; t++)
            found = x->token[t].type == GND__UT_WORD && x->token[t].len == n &&
                    !memcmp(x->u->src + x->token[t].at, w, n);
        for (int32_t f = 0; f < x->nfn; f++)
            if (x->fn[f].kernel && x->token[x->fn[f].name].len == n &&
                !memcmp(x->u->src + x->token[x->fn[f].name].at, w, n)) {
                return gnd__cudac_refuse(x, x->fn[f].name,
                                         "OpenCL C has a function or word '%.*s': "
                                         "the kernel needs another name",
                                         (int)n, w);
            }
        if (found && n == 4 && !memcmp(w, "half", 4))
            gnd__str_add(out, "#define half __half\n");
        else if (found)
            gnd__str_addf(out, "#define %.*s gndu_%.*s\n", (int)n, w, (int)n, w);
        w += n + (w[n] == ' ');
    }
    for (int32_t f = 0; f < x->nfn; f++) {
        const gnd__utoken *k = &x->token[x->fn[f].name];
        int skip = x->fn[f].kernel || gnd__word_find(taken, x->u->src + k->at, k->len, 0) >= 0;
        for (int i = 0; i < NROW && !skip; i++)
            skip = gnd__word_find(rows[i].names, x->u->src + k->at, k->len, 0) >= 0;
        for (int32_t g = 0; g < f && !skip; g++)
            skip = gnd__cudac_same(x, x->fn[g].name, x->fn[f].name);
        if (!skip)
            gnd__str_addf(out, "#define %.*s gndu_%.*s\n", (int)k->len, x->u->src + k->at,
                          (int)k->len, x->u->src + k->at);
    }
    return out->bad ? gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a kernel's text") : GND_OK;
}
