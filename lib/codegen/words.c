/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/words.c - random words of a run of points, computed before the points on CPU devices.
 *
 * Four neighbours share a block of the generator, which LLVM does not find out in a loop that it vectorises.
 * So a kernel that walks an axis in runs has the words of a run put into an array by a loop over blocks
 * (gnd_words32_u64 and gnd_words64_u64 of kernels/random.cl), and takes the points' words from there: zN is where
 * those of instruction N begin, in zaN.
 */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

#define MOST 8 /* arrays of a kernel, of up to 8 KiB each */

/* The text of an instruction's value when $0 is its word: 32 bits, or 64 of two. NULL: it takes none. */
static const char *text_of(int op, int *bits)
{
    *bits = 32;
    switch (op) {
    case GND__FN_BITS32:
        return "$0";
    case GND__FN_UNIFORM32:
        return "gnd_unit_f32($0)";
    case GND__FN_UNIFORM_F16:
        return "gnd_unit_f16($0)";
    case GND__FN_UNIFORM_BF16:
        return "gnd_unit_bf16($0)";
    case GND__FN_NORMAL32: /* the array has the numbers */
        return "GND_FROM_f32($0)";
    case GND__FN_EXPO32:
        return "gnd_neglog_f32($0)";
    case GND__FN_LAPLACE32:
        return "gnd_laplaceof_f32($0)";
    case GND__FN_LOGISTIC32:
        return "gnd_logisticof_f32($0)";
    case GND__FN_BOUNDED32: /* the array has words that are not rejected */
        return "(g_u32)((g_u64)$0 * $2 >> 32)";
    }
    *bits = 64;
    switch (op) {
    case GND__FN_BITS64:
        return "$0";
    case GND__FN_UNIFORM64:
        return "gnd_unit_f64($0)";
    case GND__FN_NORMAL64:
        return "GND_FROM_f64($0)";
    case GND__FN_EXPO64:
        return "gnd_neglog_f64($0)";
    case GND__FN_LAPLACE64:
        return "gnd_laplaceof_f64($0)";
    case GND__FN_LOGISTIC64:
        return "gnd_logisticof_f64($0)";
    }
    return NULL;
}

/* The access of the iota that is the place of instruction i, or -1. */
static int place_of(const gnd__kir *k, int i)
{
    int at = k->instr[i].a[0];
    if (k->instr[at].kind == GND__I_CAST)
        at = k->instr[at].a[0];
    return k->instr[at].kind == GND__I_IOTA ? k->instr[at].ref : -1;
}

int gnd__words_find(gnd__cg *c, int axis)
{
    const gnd__kir *k = c->k;
    int n = 0, bits;
    memset(c->words, 0, sizeof c->words);
    for (int i = 0; i < k->ninstr && n < MOST && gnd__prelude_cpu(c->t->props); i++) {
        const gnd__instr *in = &k->instr[i];
        if (in->kind != GND__I_OP || in->epilogue || !text_of(in->op, &bits) || place_of(k, i) < 0)
            continue;
        c->words[i] = k->access[place_of(k, i)].stride[axis] == 1 && k->instr[in->a[1]].kind == GND__I_CONST &&
                      (in->op != GND__FN_BOUNDED32 || k->instr[in->a[2]].kind == GND__I_CONST);
        n += c->words[i];
    }
    return n;
}

int gnd__words_any(const gnd__cg *c)
{
    for (int i = 0; i < c->k->ninstr; i++)
        if (c->words[i])
            return 1;
    return 0;
}

void gnd__words_declare(gnd__cg *c)
{
    int bits;
    for (int i = 0; i < c->k->ninstr; i++)
        if (c->words[i]) {
            text_of(c->k->instr[i].op, &bits);
            gnd__cgf(c, "    g_u%d za%d[%d];\n    const g_u%d *z%d;\n", bits, i, GND__CG_RUN + 32, bits, i);
        }
}

void gnd__words_fill(gnd__cg *c, int axis, const char *first, const char *count)
{
    const gnd__kir *k = c->k;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        int bits, at;
        if (!c->words[i])
            continue;
        text_of(in->op, &bits);
        at = place_of(k, i);
        gnd__cgf(c, "    {\n    const I i%d = %s;\n    const g_u64 at_ = (g_u64)(", axis, first);
        if (k->access[at].off)
            gnd__cgf(c, "o%d + ", at);
        gnd__cgf(c, "(g_i64)(");
        gnd__cg_address(c, at);
        gnd__cgf(c, "));\n    z%d = za%d + gnd_words%d_u64(at_, %s, c%d, za%d);\n", i, i, bits, count,
                 k->instr[in->a[1]].ref, i);
        if (in->op == GND__FN_NORMAL32)
            gnd__cgf(c, "    gnd_normals_u64(at_, %s, za%d);\n", count, i);
        if (in->op == GND__FN_NORMAL64)
            gnd__cgf(c, "    gnd_longnormals_u64(at_, %s, za%d);\n", count, i);
        if (in->op == GND__FN_BOUNDED32)
            gnd__cgf(c, "    gnd_accepted_u64(at_, %s, c%d, c%d, za%d + (at_ & 3));\n", count,
                     k->instr[in->a[1]].ref, k->instr[in->a[2]].ref, i);
        gnd__cgf(c, "    }\n");
    }
}

void gnd__words_value(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    char word[64], name[GND__OP_ARGS][16];
    const char *arg[GND__OP_ARGS];
    int bits;
    for (int j = 0; j < GND__OP_ARGS; j++) {
        snprintf(name[j], sizeof name[j], "v%d", in->a[j]);
        arg[j] = name[j];
    }
    snprintf(word, sizeof word, "z%d[%s]", i, c->word_at);
    arg[0] = word;
    gnd__expand(&c->body, text_of(in->op, &bits), (gnd_dtype)in->ctype, arg);
}
