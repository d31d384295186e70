/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/rows.c - the stages of a kernel of rows, and which values each computes, takes from an
 * array or saves there: the same on GPUs and on CPUs (rows.h).
 */
#include "codegen/rows.h"

#include <string.h>

int gnd__rows_is_run(const gnd__kir *k, int i)
{
    const gnd__instr *in = &k->instr[i];
    if (in->kind != GND__I_LOAD || in->epilogue)
        return 0;
    for (int d = k->nkeep; d < k->nkeep + k->nred; d++)
        if (k->access[in->ref].stride[d])
            return 1;
    return 0;
}

void gnd__rows_stages(const gnd__kir *k, gnd__rows *w)
{
    uint8_t stage[GND__KIR_INSTR];
    w->nstage = 0;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        stage[i] = 0;
        if (in->kind == GND__I_RED)
            stage[i] = (uint8_t)(stage[k->red[in->ref].value] + 1);
        for (int j = 0; j < GND__CALL_ARGS; j++)
            if (in->kind != GND__I_RED && in->a[j] >= 0 && stage[in->a[j]] > stage[i])
                stage[i] = stage[in->a[j]];
    }
    for (int j = 0; j < k->nreds; j++) {
        w->stage[j] = stage[k->red[j].value];
        if (w->stage[j] >= w->nstage)
            w->nstage = w->stage[j] + 1;
    }
}

void gnd__rows_needed(const gnd__kir *k, const gnd__rows *w, int s, int all, const uint8_t *there,
                      uint8_t *need)
{
    memset(need, 0, GND__KIR_INSTR);
    for (int j = 0; j < k->nreds; j++)
        if (w->stage[j] == s)
            need[k->red[j].value] = 1;
    for (int j = 0; j < k->nout && s == w->nstage; j++)
        if (!k->access[k->out[j].access].epilogue)
            need[k->out[j].value] = 1;
    for (int i = k->ninstr - 1; i >= 0; i--)
        for (int j = 0; j < GND__CALL_ARGS && need[i] && (all || !there[i]); j++)
            if (k->instr[i].a[j] >= 0 && k->instr[i].kind != GND__I_RED)
                need[k->instr[i].a[j]] = 1;
}

static int cost_of(const gnd__kir *k, const gnd__instr *in)
{
    return in->kind == GND__I_OP     ? gnd__ops[in->op].cost
           : in->kind == GND__I_CALL ? k->fn[in->ref]->cost
                                     : 0;
}

int gnd__rows_work(const gnd__kir *k)
{
    int n = 0;
    for (int i = 0; i < k->ninstr; i++)
        n += k->instr[i].epilogue ? 0 : 2 + cost_of(k, &k->instr[i]);
    return n;
}

void gnd__rows_kept(const gnd__kir *k, gnd__rows *w, int loads)
{
    uint8_t need[GND__KIR_INSTR], seen[GND__KIR_INSTR];
    memset(seen, 0, sizeof seen);
    memset(w->kept, 0, sizeof w->kept);
    for (int s = 0; s <= w->nstage; s++) {
        gnd__rows_needed(k, w, s, 1, NULL, need);
        for (int i = 0; i < k->ninstr; i++) {
            const gnd__instr *in = &k->instr[i];
            if (need[i] && ((loads && (s == 0 || seen[i]) && gnd__rows_is_run(k, i)) ||
                            (seen[i] && cost_of(k, in) >= GND__ROWS_DEAR)))
                w->kept[i] = 1;
            seen[i] |= need[i];
        }
    }
}

void gnd__rows_only(gnd__cg *c, const gnd__rows *w, int s)
{
    c->part.skip_red = 0;
    for (int j = 0; j < c->k->nreds; j++)
        if (w->stage[j] != s)
            c->part.skip_red |= 1u << j;
}

unsigned gnd__rows_points(const gnd__kir *k)
{
    unsigned points = 0;
    for (int j = 0; j < k->nout; j++)
        if (!k->access[k->out[j].access].epilogue)
            points |= 1u << j;
    return points;
}

void gnd__rows_pick(const gnd__kir *k, gnd__rows *w, const uint8_t *need, const uint8_t *there)
{
    for (int i = 0; i < k->ninstr; i++)
        w->pick[i] = !need[i] || w->done[i]                 ? GND__PICK_NOT
                     : there[i]                             ? GND__PICK_TAKE
                     : w->kept[i] && w->current < w->nstage ? GND__PICK_SAVE
                                                            : GND__PICK_COMPUTE;
}

/* Whether instruction i is the same for a whole row; whole[]: of those before it. */
static int is_whole(const gnd__kir *k, int i, const uint8_t *whole)
{
    const gnd__instr *in = &k->instr[i];
    int all = 1;
    switch ((gnd__ikind)in->kind) {
    case GND__I_LOAD: return !in->epilogue && !gnd__rows_is_run(k, i);
    case GND__I_CONST:
    case GND__I_RED: return !in->epilogue;
    case GND__I_CAST:
    case GND__I_OP:
        for (int j = 0; j < gnd__kir_nargs(k, in); j++)
            all &= whole[in->a[j]];
        return all && !in->epilogue;
    default: return 0;
    }
}

void gnd__rows_whole(gnd__cg *c, gnd__rows *w, const uint8_t *need)
{
    uint8_t whole[GND__KIR_INSTR];
    for (int i = 0; i < c->k->ninstr; i++) {
        whole[i] = (uint8_t)is_whole(c->k, i, whole);
        w->pick[i] = need[i] && whole[i] && !w->done[i] ? GND__PICK_COMPUTE : GND__PICK_NOT;
    }
    gnd__rows_values(c, w);
    for (int i = 0; i < c->k->ninstr; i++)
        w->done[i] |= w->pick[i] == GND__PICK_COMPUTE;
}

void gnd__rows_saved(const gnd__kir *k, const gnd__rows *w, uint8_t *there)
{
    for (int i = 0; i < k->ninstr; i++)
        there[i] |= w->pick[i] == GND__PICK_SAVE;
}

void gnd__rows_arrays(gnd__cg *c, const gnd__rows *w, int count)
{
    for (int i = 0; i < c->k->ninstr; i++)
        if (w->kept[i])
            gnd__cgf(c, "    %s w%d[%d];\n", gnd__ctype_value((gnd_dtype)c->k->instr[i].dtype), i,
                     count);
}

/* Writes the epilogue's loads, or its other instructions. */
static void epilogue(gnd__cg *c, int loads)
{
    uint8_t pick[GND__KIR_INSTR];
    for (int i = 0; i < c->k->ninstr; i++)
        pick[i] = (c->k->instr[i].kind == GND__I_LOAD) == loads ? GND__PICK_COMPUTE : GND__PICK_NOT;
    c->part.pick = pick;
    gnd__cg_values(c, 1);
    c->part.pick = NULL;
}

void gnd__rows_output_loads(gnd__cg *c)
{
    epilogue(c, 1);
}

void gnd__rows_outputs(gnd__cg *c, unsigned points)
{
    epilogue(c, 0);
    c->part.skip_out = points;
    gnd__cg_stores(c);
    c->part.skip_out = 0;
}

void gnd__rows_values(gnd__cg *c, const gnd__rows *w)
{
    c->part.pick = w->pick;
    gnd__cg_values(c, 0);
    c->part.pick = NULL;
}
