/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_calls.c - calls of functions of the source: each asks for the function for the
 * memories that its arguments point to (gnd__cspec). Writes no text except references.
 */
#include "codegen/cudac_body.h"

#include <string.h>
#include "base/mem.h"

static int is(const gnd__cudac *x, int32_t t, const char *word)
{
    return gnd__cudac_is(x, t, word);
}

int32_t gnd__cudac_spec(gnd__cudac *x, int32_t f, const uint8_t *space)
{
    gnd__cfn *g = &x->fn[f];
    for (int32_t s = 0; s < g->nspec; s++)
        if (!memcmp(g->spec[s].space, space, (size_t)g->nparam))
            return s;
    if (g->nspec == CU_SPECS) {
        (void)gnd__cudac_refuse(
            x, g->name, "this function is called with more than %d combinations of memories",
            CU_SPECS);
        return -1;
    }
    gnd__cspec *q = gnd__realloc(g->spec, (size_t)(g->nspec + 1) * sizeof *q);
    if (!q) {
        gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a source");
        return -1;
    }
    g->spec = q;
    q += g->nspec;
    memset(q, 0, sizeof *q);
    memcpy(q->space, space, (size_t)g->nparam);
    return g->nspec++;
}

gnd_status gnd__cudac_call(gnd__cudac *x, gnd__edits *to, int32_t t)
{
    int32_t from[CU_ARGS], end[CU_ARGS];
    const int32_t n = gnd__cudac_args(x, t + 1, from, end);
    int found = 0;
    for (int32_t f = 0; f < x->nfn; f++) {
        const gnd__cfn *g = &x->fn[f];
        uint8_t space[CU_PARAMS] = {0};
        if (g->body < 0 || g->nparam != n || !gnd__cudac_same(x, g->name, t))
            continue;
        if (g->kernel)
            return gnd__cudac_refuse(x, t, "a kernel is called as a function");
        for (int32_t i = 0; i < n; i++) {
            const gnd__cvar *p = &g->param[i];
            if (p->kind != CU_POINTER && p->kind != CU_REF)
                continue;
            space[i] = (uint8_t)(p->kind == CU_REF ? gnd__cudac_place(x, from[i], end[i])
                                                   : gnd__cudac_space(x, from[i], end[i]));
            if (space[i] == CU_ANY)
                space[i] = CU_GLOBAL;
            if (space[i] == CU_NONE)
                return gnd__cudac_refuse(
                    x, from[i],
                    "argument %d: it cannot be told which memory it points to; "
                    "give a pointer variable",
                    i + 1);
            if (p->kind == CU_REF && !found && to) {
                gnd__edit_add(to, x->token[from[i]].at, 0, "&(");
                gnd__cudac_after(x, to, end[i] - 1, ")");
            }
        }
        found = 1;
        if (gnd__cudac_spec(x, f, space) < 0)
            return x->e ? x->e->code : GND_ERR_UNSUPPORTED;
    }
    return GND_OK;
}

gnd_status gnd__cudac_macro_calls(gnd__cudac *x, const gnd__cmacro *m, int32_t t)
{
    gnd__cframe f = {.macro = m, .up = x->frame};
    gnd_status st = GND_OK;
    if (m->nparam >= 0 && !is(x, t + 1, "("))
        return GND_OK;
    if (m->nparam >= 0)
        f.narg = gnd__cudac_args(x, t + 1, f.from, f.to);
    if (f.narg < 0 || x->depth >= CU_DEPTH)
        return GND_OK;
    x->frame = &f;
    x->depth++;
    for (int32_t i = m->first; i < m->last && st == GND_OK; i++) {
        const gnd__cmacro *inner = gnd__cudac_macro(x, i);
        if (inner && inner != m)
            st = gnd__cudac_macro_calls(x, inner, i);
        else if (is(x, i + 1, "(") && gnd__cudac_calls(x, i))
            st = gnd__cudac_call(x, NULL, i);
    }
    x->depth--;
    x->frame = f.up;
    return st;
}
