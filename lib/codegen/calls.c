/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/calls.c - calls of the user's functions (graph/snippet.h) in kernels, and the text of
 * these.
 *
 * A function with one output returns it. One with several stores them through pointers in oN_K:
 * output K of N, the first of the equal calls. Arguments are values, or pointers to arrays that are
 * in memory as a whole.
 */
#include "codegen/emit.h"

#include <string.h>

void gnd__cg_snippets(const gnd__kir *k, gnd__str *out)
{
    const gnd__snippet *before = gnd__kir_before(k);
    for (int late = 0; late < 2; late++) {
        if (late && before)
            gnd__str_add(out, before->before);
        for (int i = 0; i < k->nfn; i++)
            if (!k->fn[i]->before == !late)
                gnd__str_add(out, k->fn[i]->text);
    }
    if (before)
        gnd__str_add(out, before->after);
}

/* The first call in the same statements with the same result as call i. */
static int first_equal(const gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    for (int j = 0; j < i && !c->part.pick; j++) {
        const gnd__instr *x = &c->k->instr[j];
        if (x->kind == GND__I_CALL && x->ref == in->ref && x->epilogue == in->epilogue &&
            memcmp(x->a, in->a, sizeof in->a) == 0)
            return j;
    }
    return i;
}

static void arguments(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    for (int j = 0; j < c->k->fn[in->ref]->nin; j++) {
        const gnd__instr *x = &c->k->instr[in->a[j]];
        if (x->kind == GND__I_POINTER)
            gnd__cgf(c, "%sp%d", j ? ", " : "", x->ref);
        else
            gnd__cgf(c, "%sv%d", j ? ", " : "", in->a[j]);
    }
}

void gnd__cg_outputs(gnd__cg *c, int i)
{
    const gnd__snippet *fn = c->k->fn[c->k->instr[i].ref];
    if (fn->nout < 2 || first_equal(c, i) != i)
        return;
    for (int o = 0; o < fn->nout; o++)
        gnd__cgf(c, "    %s o%d_%d;\n", gnd__ctype_value((gnd_dtype)fn->out[o]), i, o);
    gnd__cgf(c, "    %s(", fn->sym);
    arguments(c, i);
    for (int o = 0; o < fn->nout; o++)
        gnd__cgf(c, "%s&o%d_%d", o || fn->nin ? ", " : "", i, o);
    gnd__cgf(c, ");\n");
}

void gnd__cg_call(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    const gnd__snippet *fn = c->k->fn[in->ref];
    if (fn->nout > 1) {
        gnd__cgf(c, "o%d_%d", first_equal(c, i), in->op);
        return;
    }
    gnd__cgf(c, "%s(", fn->sym);
    arguments(c, i);
    gnd__cgf(c, ")");
}
