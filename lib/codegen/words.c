/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/words.c - random words of a run of points, computed before the points on CPU devices.
 *
 * Four neighbours share a block of the generator, which LLVM does not detect in a loop that it
 * vectorises. So a kernel that goes through an axis in runs first fills an array with the words of
 * a run by a loop over blocks (gnd_words32_u64 and gnd_words64_u64 of kernels/random.cl), and reads
 * the points' words from there: the words of instruction N begin at zN, in zaN. The texts are
 * shapes of kernels/map_cpu.cl.
 */
#include "codegen/holes.h"

#include <stdio.h>
#include <string.h>

#define MOST 8 /* arrays of a kernel, of up to 8 KiB each */

/* The entry of the table of functions for instruction i, an operation. */
static const gnd__opinfo *info(const gnd__kir *k, int i)
{
    return &gnd__ops[k->instr[i].op];
}

/* The access of the iota that is the position of instruction i, or -1. */
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
    int n = 0;
    memset(c->run.words, 0, sizeof c->run.words);
    for (int i = 0; i < k->ninstr && n < MOST && gnd__prelude_cpu(c->t->props); i++) {
        const gnd__instr *in = &k->instr[i];
        if (in->kind != GND__I_OP || in->epilogue || !info(k, i)->word || place_of(k, i) < 0)
            continue;
        c->run.words[i] = k->access[place_of(k, i)].stride[axis] == 1;
        for (int j = 1; j < info(k, i)->nin; j++)
            c->run.words[i] &= k->instr[in->a[j]].kind == GND__I_CONST;
        n += c->run.words[i];
    }
    return n;
}

int gnd__words_any(const gnd__cg *c)
{
    for (int i = 0; i < c->k->ninstr; i++)
        if (c->run.words[i])
            return 1;
    return 0;
}

void gnd__words_declare(gnd__cg *c)
{
    for (int i = 0; i < c->k->ninstr; i++) {
        const gnd__hole own[] = {
            {"i", .number = i},
            {"bits", .number = info(c->k, i)->word_bits},
            {"room", .number = GND__CG_RUN + 32},
        };
        if (c->run.words[i])
            gnd__cg_shape_of(c, "words_declare", own, NULL);
    }
}

/* The words of an instruction. */
typedef struct words_writer {
    gnd__cg *c;
    int i;
    const char *count;
} words_writer;

/* Processes them before they are used. */
static void write_prepare(void *who, const gnd__holeargs *a)
{
    const words_writer *w = who;
    const gnd__kir *k = w->c->k;
    char name[3][16] = {"", "", ""};
    const char *const arg[GND__OP_ARGS] = {w->count, name[0], name[1], name[2], ""};
    (void)a;
    for (int j = 1; j < info(k, w->i)->nin; j++)
        snprintf(name[j - 1], sizeof name[0], "c%d", k->instr[k->instr[w->i].a[j]].ref);
    snprintf(name[2], sizeof name[2], "za%d", w->i);
    gnd__expand(&w->c->body, info(k, w->i)->fill, GND_UINT64, arg);
}

void gnd__words_fill(gnd__cg *c, int axis, const char *first, const char *count)
{
    const gnd__kir *k = c->k;
    for (int i = 0; i < k->ninstr; i++) {
        words_writer w = {c, i, count};
        char offset[24] = "";
        if (!c->run.words[i])
            continue;
        const int at = place_of(k, i);
        if (k->access[at].off)
            snprintf(offset, sizeof offset, "o%d + ", at);
        const gnd__hole own[] = {
            {"i", .number = i},
            {"bits", .number = info(k, i)->word_bits},
            {"axis", .number = axis},
            {"first", .text = first},
            {"count", .text = count},
            {"at", .number = at},
            {"offset", .text = offset},
            {"key", .number = k->instr[k->instr[i].a[1]].ref},
            {"prepared", .number = info(k, i)->fill != NULL},
            {"prepare", .write = write_prepare},
        };
        gnd__cg_shape_of(c, "words_fill", own, &w);
    }
}

void gnd__words_value(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    char word[64], name[GND__OP_ARGS][16];
    const char *arg[GND__OP_ARGS];
    for (int j = 0; j < GND__OP_ARGS; j++) {
        snprintf(name[j], sizeof name[j], "v%d", in->a[j]);
        arg[j] = name[j];
    }
    snprintf(word, sizeof word, "z%d[%s]", i, c->run.word_at);
    arg[0] = word;
    gnd__expand(&c->body, info(c->k, i)->word, (gnd_dtype)in->ctype, arg);
}
