/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/moves.c - elements of 16-bit floats that a kernel only moves are words of 16 bits.
 *
 * A value of float16 or bfloat16 is a float32 in a kernel. Conversion to it and back costs
 * instructions, and some devices replace the bits of a NaN. Where an element goes from a load to a
 * store, at most through choices, no number is needed: instructions and accesses have the dtype
 * uint16 instead.
 */
#include "fuse/kir.h"

static int reads(const gnd__instr *in)
{
    return in->kind == GND__I_LOAD || in->kind == GND__I_GATHER || in->kind == GND__I_PIECE;
}

/* Whether `in` chooses one of its two last arguments. */
static int chooses(const gnd__instr *in)
{
    return in->kind == GND__I_CHOOSE || (in->kind == GND__I_OP && in->op == GND__OP_WHERE);
}

/* Whether values of this dtype could be words. */
static int is_half(int dtype)
{
    return dtype == GND_FLOAT16 || dtype == GND_BFLOAT16;
}

/* Whether instruction i needs argument j as a number. */
static int is_number(const gnd__kir *k, const unsigned char *word, int i, int j)
{
    return !chooses(&k->instr[i]) || j == 0 || !word[i];
}

/* Clears the marks of instructions that others need as numbers. Returns whether it changed any. */
static int clear(const gnd__kir *k, unsigned char *word)
{
    int changed = 0;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        for (int j = 0; j < gnd__kir_nargs(k, in); j++) {
            const int a = in->a[j];
            if (a < 0)
                continue;
            if (word[a] && is_number(k, word, i, j)) {
                word[a] = 0;
                changed = 1;
            } else if (word[i] && j > 0 && chooses(in) && !word[a]) {
                word[i] = 0;
                changed = 1;
            }
        }
        if (word[i] || (!reads(in) && in->kind != GND__I_POINTER))
            continue;
        for (int j = 0; j < k->ninstr; j++) /* all readers of an access read the same dtype */
            if (word[j] && reads(&k->instr[j]) && k->instr[j].ref == in->ref) {
                word[j] = 0;
                changed = 1;
            }
    }
    return changed;
}

void gnd__kir_moves(gnd__kir *k)
{
    unsigned char word[GND__KIR_INSTR];
    int any = 0;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        word[i] = is_half(in->dtype) && (reads(in) || chooses(in));
        any |= word[i];
    }
    for (int r = 0; r < k->nreds && any; r++)
        word[k->red[r].value] = 0;
    for (int o = 0; o < k->nout && any; o++)
        if (k->out[o].access < 0) /* the input of a primitive */
            word[k->out[o].value] = 0;
    while (any && clear(k, word))
        ;
    for (int i = 0; i < k->ninstr && any; i++) {
        if (!word[i])
            continue;
        k->instr[i].dtype = k->instr[i].ctype = GND_UINT16;
        if (reads(&k->instr[i]))
            k->access[k->instr[i].ref].dtype = GND_UINT16;
    }
    for (int o = 0; o < k->nout && any; o++)
        if (word[k->out[o].value])
            k->access[k->out[o].access].dtype = GND_UINT16;
}
