/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/accum.c - accumulators of reductions: initialisation, adding a value, combining two, and
 * the result. Sums of floats carry the rounding error of every block along (Knuth's TwoSum), so
 * that a sum is accurate to a few ulp of the sum of magnitudes. The arithmetic needs no float64 and
 * is the same on every device. Running sums within a block of at most 64 terms are plain.
 */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

static int is_arg(int op)
{
    return gnd__reds[op].place;
}

/* The dtype in which reduction j accumulates. */
static gnd_dtype acc_type(const gnd__kir *k, int j)
{
    return (gnd_dtype)k->red[j].in;
}

static int kind_of(const gnd__kir *k, int j)
{
    return gnd_dtype_kind(acc_type(k, j));
}

static int compensated(const gnd__kir *k, int j)
{
    int kind = kind_of(k, j);
    return gnd__reds[k->red[j].op].compensated && (kind == 'f' || kind == 'c');
}

int gnd__acc_parts(const gnd__kir *k, int j)
{
    return compensated(k, j) || is_arg(k->red[j].op) ? 2 : 1;
}

/* The dtype stored between kernels: float16 sums are kept in float32. */
gnd_dtype gnd__acc_dtype(const gnd__kir *k, int j, int part)
{
    gnd_dtype t = acc_type(k, j);
    if (part == 1 && is_arg(k->red[j].op))
        return GND_INT64;
    return t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
}

int64_t gnd__acc_bytes(const gnd__kir *k)
{
    int64_t n = 0;
    for (int j = 0; j < k->nreds; j++)
        for (int p = 0; p < gnd__acc_parts(k, j); p++)
            n += (int64_t)gnd_dtype_size(gnd__acc_dtype(k, j, p));
    return n;
}

/* Whether accumulator j is a 64-bit key: the value in an ordered form above the complement of the
 * index. The greatest key wins, whatever the order. 0: only the identity was met. */
static int keyed(const gnd__cg *c, int j)
{
    return c->keys && is_arg(c->k->red[j].op) && !c->wide && !c->t->cpu &&
           kind_of(c->k, j) != 'b' && gnd_dtype_size(gnd__acc_dtype(c->k, j, 0)) <= 4;
}

/* gnd__acc_parts and gnd__acc_dtype for accumulators that may be keys. */
static int parts(const gnd__cg *c, int j)
{
    return keyed(c, j) ? 1 : gnd__acc_parts(c->k, j);
}

static gnd_dtype part_dtype(const gnd__cg *c, int j, int part)
{
    return keyed(c, j) ? GND_UINT64 : gnd__acc_dtype(c->k, j, part);
}

/* A bool in a register has the width of the values that were compared; otherwise compilers do not
 * vectorise. */
static const char *part_ctype(const gnd__cg *c, int j, int part)
{
    if (keyed(c, j))
        return "g_u64";
    gnd_dtype t = gnd__acc_dtype(c->k, j, 0);
    if (part == 1 && is_arg(c->k->red[j].op))
        return "I";
    return t == GND_BOOL ? "g_i32" : gnd__ctype_value(t);
}

/* The first active reduction from j on. */
static int next_red(const gnd__cg *c, int j)
{
    while (j < c->k->nreds && c->part.skip_red >> j & 1)
        j++;
    return j;
}

void gnd__acc_declare(gnd__cg *c, const char *name, const char *len)
{
    for (int j = next_red(c, 0); j < c->k->nreds; j = next_red(c, j + 1))
        for (int p = 0; p < parts(c, j); p++)
            gnd__cgf(c, "    %s %s%d%s%s;\n", part_ctype(c, j, p), name, j, p ? "_" : "", len);
}

void gnd__acc_shared(gnd__cg *c, int count)
{
    for (int j = next_red(c, 0); j < c->k->nreds; j = next_red(c, j + 1))
        for (int p = 0; p < parts(c, j); p++) {
            const char *type = part_ctype(c, j, p);
            const int esize = !strcmp(type, "I")       ? (c->wide ? 8 : 4)
                              : !strcmp(type, "g_i32") ? 4
                                                       : (int)gnd_dtype_size(part_dtype(c, j, p));
            gnd__cg_shared(c, type, esize, count, "T%d%s", j, p ? "_" : "");
        }
}

/* The identity element. */
static void identity(gnd__cg *c, int j)
{
    if (c->k->red[j].fn) {
        gnd__cgf(c, "%s_identity()", c->k->red[j].fn->sym);
        return;
    }
    gnd_dtype t = gnd__acc_dtype(c->k, j, 0);
    const char *s = gnd__suffix(t), *r = gnd__suffix(gnd__real_of(t));
    const gnd__identity what = gnd__reds[c->k->red[j].op].identity;
    int kind = gnd_dtype_kind(t);
    int bits = (int)gnd_dtype_size(t) * 8;
    int low = what == GND__LOWEST;
    if (what == GND__ZERO) {
        gnd__cgf(c, kind == 'c' ? "gnd_cplx_%s(0, 0)" : "0", s);
    } else if (what == GND__ONE) {
        gnd__cgf(c, kind == 'c' ? "gnd_cplx_%s(1, 0)" : "1", s);
    } else if (kind == 'f') {
        gnd__cgf(c, "%sGND_INF_%s", low ? "-" : "", s);
    } else if (kind == 'c') {
        gnd__cgf(c, "gnd_cplx_%s(%sGND_INF_%s, %sGND_INF_%s)", s, low ? "-" : "", r, low ? "-" : "",
                 r);
    } else if (kind == 'b') {
        gnd__cgf(c, low ? "0" : "1");
    } else if (kind == 'u') {
        gnd__cgf(c, low ? "0" : "(%s)~(g_u64)0", gnd__ctype_value(t));
    } else {
        gnd__cgf(c, low ? "(%s)((g_u64)1 << %d)" : "(%s)(((g_u64)1 << %d) - 1)",
                 gnd__ctype_value(t), bits - 1);
    }
}

void gnd__acc_init(gnd__cg *c, const char *name, const char *sfx)
{
    for (int j = next_red(c, 0); j < c->k->nreds; j = next_red(c, j + 1)) {
        if (keyed(c, j)) {
            gnd__cgf(c, "    %s%d%s = 0;\n", name, j, sfx);
            continue;
        }
        gnd__cgf(c, "    %s%d%s = ", name, j, sfx);
        identity(c, j);
        gnd__cgf(c, ";\n");
        if (gnd__acc_parts(c->k, j) == 2) {
            gnd__cgf(c, "    %s%d_%s = ", name, j, sfx);
            if (is_arg(c->k->red[j].op))
                gnd__cgf(c, "-1");
            else if (kind_of(c->k, j) == 'c')
                gnd__cgf(c, "gnd_cplx_%s(0, 0)", gnd__suffix(acc_type(c->k, j)));
            else
                gnd__cgf(c, "0");
            gnd__cgf(c, ";\n");
        }
    }
}

/* op(a, b) as an expression. */
static void binary(gnd__cg *c, int j, const char *a, const char *b)
{
    const char *arg[GND__OP_ARGS] = {a, b, "", "", ""};
    gnd_dtype t = gnd__acc_dtype(c->k, j, 0);
    const gnd__op op = gnd__reds[c->k->red[j].op].op;
    if (c->k->red[j].fn) {
        gnd__cgf(c, "%s(%s, %s)", c->k->red[j].fn->sym, a, b);
        return;
    }
    gnd__cgf(c, "(%s)(", part_ctype(c, j, 0));
    gnd__expand(&c->body, gnd__op_text(op, gnd_dtype_kind(t)), t, arg);
    gnd__cgf(c, ")");
}

void gnd__acc_beats(gnd__cg *c, int j, const char *a, const char *b)
{
    gnd_dtype t = gnd__acc_dtype(c->k, j, 0);
    int kind = gnd_dtype_kind(t);
    const gnd__op op = gnd__reds[c->k->red[j].op].op;
    const char *ab[GND__OP_ARGS] = {a, b, "", "", ""}, *aa[GND__OP_ARGS] = {a, "", "", "", ""};
    const char *bb[GND__OP_ARGS] = {b, "", "", "", ""};
    gnd__cgf(c, "((");
    gnd__expand(&c->body, gnd__op_text(op, kind), t, ab);
    gnd__cgf(c, ")");
    if (kind == 'f' || kind == 'c') {
        /* comparisons with NaN are false: a NaN wins over everything but a NaN */
        gnd__cgf(c, kind == 'c' ? " && !(" : " || ((");
        gnd__expand(&c->body, gnd__op_text(GND__OP_ISNAN, kind), t, kind == 'c' ? bb : aa);
        if (kind == 'c') {
            gnd__cgf(c, ") || ((");
            gnd__expand(&c->body, gnd__op_text(GND__OP_ISNAN, kind), t, aa);
        }
        gnd__cgf(c, ") && !(");
        gnd__expand(&c->body, gnd__op_text(GND__OP_ISNAN, kind), t, bb);
        gnd__cgf(c, "))");
    }
    gnd__cgf(c, ")");
}

void gnd__acc_same(gnd__cg *c, int j, const char *a, const char *b)
{
    gnd__cgf(c, "%s == %s", a, b);
    if (kind_of(c->k, j) == 'f')
        gnd__cgf(c, " || (%s != %s && %s != %s)", a, a, b, b);
}

/* The condition that v replaces a, whose index is smaller. Index -1 means that only the identity
 * was met: then all elements equal the identity, and so does the first. */
static void takes_over(gnd__cg *c, int j, const char *v, const char *a)
{
    const gnd_dtype t = gnd__acc_dtype(c->k, j, 0);
    const int kind = gnd_dtype_kind(t), most = gnd__reds[c->k->red[j].op].identity == GND__LOWEST;
    const char *va[GND__OP_ARGS] = {v, a, "", "", ""};
    if (kind == 'f') { /* greater, or NaN while a is not */
        gnd__cgf(c, "!(");
        gnd__expand(&c->body, gnd__op_text(most ? GND__OP_LESS_EQUAL : GND__OP_GREATER_EQUAL, kind),
                    t, va);
        gnd__cgf(c, ") && %s == %s", a, a);
    } else if (kind == 'c') {
        gnd__acc_beats(c, j, v, a);
    } else {
        gnd__expand(&c->body, gnd__op_text(gnd__reds[c->k->red[j].op].op, kind), t, va);
    }
}

void gnd__acc_step(gnd__cg *c, const char *name, const char *sfx, const char *index)
{
    for (int j = next_red(c, 0); j < c->k->nreds; j = next_red(c, j + 1)) {
        char a[64], v[16];
        snprintf(a, sizeof a, "%s%d%s", name, j, sfx);
        snprintf(v, sizeof v, "v%d", c->k->red[j].value);
        if (is_arg(c->k->red[j].op)) {
            gnd__cgf(c, "    { const int t_ = ");
            takes_over(c, j, v, a);
            gnd__cgf(c, "; %s = t_ ? %s : %s; %s%d_%s = t_ ? (I)(%s) : %s%d_%s; }\n", a, v, a, name,
                     j, sfx, index, name, j, sfx);
        } else {
            gnd__cgf(c, "    %s = ", a);
            binary(c, j, a, v);
            gnd__cgf(c, ";\n");
        }
    }
}

void gnd__acc_combine(gnd__cg *c, const char *dst, const char *dsfx, const char *src,
                      const char *ssfx, int exact)
{
    for (int j = next_red(c, 0); j < c->k->nreds; j = next_red(c, j + 1)) {
        char a[64], a2[64], b[64], b2[64];
        const char *T = part_ctype(c, j, 0);
        snprintf(a, sizeof a, "%s%d%s", dst, j, dsfx);
        snprintf(b, sizeof b, "%s%d%s", src, j, ssfx);
        snprintf(a2, sizeof a2, "%s%d_%s", dst, j, dsfx);
        snprintf(b2, sizeof b2, "%s%d_%s", src, j, ssfx);
        if (keyed(c, j)) {
            gnd__cgf(c, "    %s = %s < %s ? %s : %s;\n", a, a, b, b, a);
        } else if (is_arg(c->k->red[j].op) && c->t->cpu) {
            gnd__cgf(c, "    if (%s >= 0 && (%s < 0 || ", b2, a2);
            gnd__acc_beats(c, j, b, a);
            gnd__cgf(c, " || (%s < %s && !", b2, a2);
            gnd__acc_beats(c, j, a, b);
            gnd__cgf(c, "))) { %s = %s; %s = %s; }\n", a, b, a2, b2);
        } else if (is_arg(c->k->red[j].op)) {
            gnd__cgf(c, "    { const int t_ = (%s >= 0) & ((%s < 0) | ", b2, a2);
            gnd__acc_beats(c, j, b, a);
            gnd__cgf(c, " | ((%s < %s) & !", b2, a2);
            gnd__acc_beats(c, j, a, b);
            gnd__cgf(c, ")); %s = t_ ? %s : %s; %s = t_ ? %s : %s; }\n", a, b, a, a2, b2, a2);
        } else if (compensated(c->k, j) && exact) {
            gnd__cgf(c,
                     "    { const %s x_ = %s, h_ = %s, s_ = h_ + x_, b_ = s_ - h_;\n"
                     "      %s = %s + ((h_ - (s_ - b_)) + (x_ - b_)) + %s; %s = s_; }\n",
                     T, b, a, a2, a2, b2, a);
        } else {
            gnd__cgf(c, "    %s = ", a);
            binary(c, j, a, b);
            gnd__cgf(c, ";\n");
        }
    }
}

void gnd__acc_copy(gnd__cg *c, const char *dst, const char *dsfx, const char *src, const char *ssfx)
{
    for (int j = next_red(c, 0); j < c->k->nreds; j = next_red(c, j + 1))
        for (int p = 0; p < parts(c, j); p++)
            gnd__cgf(c, "    %s%d%s%s = %s%d%s%s;\n", dst, j, p ? "_" : "", dsfx, src, j,
                     p ? "_" : "", ssfx);
}

void gnd__acc_pass(gnd__cg *c, const char *fn, const char *dst, const char *dsfx, const char *src,
                   const char *ssfx, int n)
{
    for (int j = next_red(c, 0); j < c->k->nreds; j = next_red(c, j + 1))
        for (int p = 0; p < parts(c, j); p++) {
            const char *type = part_ctype(c, j, p);
            const char *t = !strcmp(type, "I")       ? (c->wide ? "i64" : "i32")
                            : !strcmp(type, "g_i32") ? "i32"
                                                     : gnd__suffix(part_dtype(c, j, p));
            gnd__cgf(c, "    %s%d%s%s = gnd_%s_%s(%s%d%s%s, %d);\n", dst, j, p ? "_" : "", dsfx, fn,
                     t, src, j, p ? "_" : "", ssfx, n);
        }
}

void gnd__acc_to_keys(gnd__cg *c, const char *dst, const char *src)
{
    c->keys = 1;
    gnd__acc_declare(c, dst, "");
    for (int j = next_red(c, 0); j < c->k->nreds; j = next_red(c, j + 1)) {
        if (keyed(c, j)) {
            const gnd_dtype t = gnd__acc_dtype(c->k, j, 0);
            const int kind = gnd_dtype_kind(t);
            gnd__cgf(c, "    %s%d = %s%d_ < 0 ? 0 : gnd_argkey_%s(%s%d, %s%d_, %s);\n", dst, j, src,
                     j,
                     kind == 'f'   ? "f32"
                     : kind == 'i' ? "i32"
                                   : "u32",
                     src, j, src, j,
                     gnd__reds[c->k->red[j].op].identity == GND__HIGHEST ? "0xffffffffu" : "0u");
            continue;
        }
        for (int p = 0; p < parts(c, j); p++)
            gnd__cgf(c, "    %s%d%s = %s%d%s;\n", dst, j, p ? "_" : "", src, j, p ? "_" : "");
    }
}

void gnd__acc_finish(gnd__cg *c, const char *name, const char *sfx)
{
    for (int j = next_red(c, 0); j < c->k->nreds; j = next_red(c, j + 1)) {
        gnd_dtype t = acc_type(c->k, j), m = gnd__acc_dtype(c->k, j, 0);
        const char *T = gnd__ctype_value(m);
        if (keyed(c, j)) {
            gnd__cgf(c, "    const g_i64 R%d = %s%d%s ? (g_i64)(g_u32)~(g_u32)%s%d%s : 0;\n", j,
                     name, j, sfx, name, j, sfx);
        } else if (is_arg(c->k->red[j].op)) {
            gnd__cgf(c, "    const g_i64 R%d = %s%d_%s < 0 ? 0 : (g_i64)%s%d_%s;\n", j, name, j,
                     sfx, name, j, sfx);
        } else if (compensated(c->k, j)) {
            /* the error term of a sum that overflowed is NaN */
            gnd__cgf(c, "    %s Q%d = %s%d%s + %s%d_%s;\n", T, j, name, j, sfx, name, j, sfx);
            if (gnd_dtype_kind(m) == 'c')
                gnd__cgf(c,
                         "    if (Q%d.x != Q%d.x) Q%d.x = %s%d%s.x;\n"
                         "    if (Q%d.y != Q%d.y) Q%d.y = %s%d%s.y;\n",
                         j, j, j, name, j, sfx, j, j, j, name, j, sfx);
            else
                gnd__cgf(c, "    if (Q%d != Q%d) Q%d = %s%d%s;\n", j, j, j, name, j, sfx);
            if (t != m)
                gnd__cgf(c, "    const g_f32 R%d = gnd_round_%s(Q%d);\n", j, gnd__suffix(t), j);
            else
                gnd__cgf(c, "    const %s R%d = Q%d;\n", T, j, j);
        } else if (t != m) {
            gnd__cgf(c, "    const g_f32 R%d = gnd_round_%s(%s%d%s);\n", j, gnd__suffix(t), name, j,
                     sfx);
        } else {
            gnd__cgf(c, "    const %s R%d = %s%d%s;\n", T, j, name, j, sfx);
        }
    }
}

void gnd__acc_part_args(gnd__cg *c, int writes)
{
    int n = 0;
    for (int j = 0; j < c->k->nreds; j++)
        for (int p = 0; p < parts(c, j); p++, n++) {
            gnd__cg_arg(c, GND__A_PART, n, 0, writes ? GND__GLOBAL : GND__CONST_GLOBAL, 0,
                        gnd__ctype_mem(part_dtype(c, j, p)), "q%d", n);
            gnd__cg_arg(c, GND__A_PARTOFF, n, 0, GND__VALUE, 8, "g_i64", "qo%d", n);
            c->out->part_dtype[n] = (int16_t)part_dtype(c, j, p);
        }
    c->out->npart = n;
}

void gnd__acc_part_store(gnd__cg *c, const char *name, const char *sfx, const char *at)
{
    int n = 0;
    for (int j = 0; j < c->k->nreds; j++)
        for (int p = 0; p < parts(c, j); p++, n++)
            gnd__cgf(c, "    q%d[qo%d + (%s)] = %s%d%s%s;\n", n, n, at, name, j, p ? "_" : "", sfx);
}

void gnd__acc_part_load(gnd__cg *c, const char *name, const char *at)
{
    int n = 0;
    for (int j = 0; j < c->k->nreds; j++)
        for (int p = 0; p < parts(c, j); p++, n++)
            gnd__cgf(c, "    %s%d%s = (%s)q%d[qo%d + (%s)];\n", name, j, p ? "_" : "",
                     part_ctype(c, j, p), n, n, at);
}
