/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_body.c - functions: their parameters, the statements of their body, and their text
 * for one combination of memories.
 */
#include "codegen/cudac_body.h"

static int is(const gnd__cudac *x, int32_t t, const char *word)
{
    return gnd__cudac_is(x, t, word);
}

/* Whether a statement, and so a declaration, may begin at t. */
static int begins(const gnd__cudac *x, int32_t t)
{
    return is(x, t - 1, ";") || is(x, t - 1, "{") || is(x, t - 1, "}") ||
           x->token[t - 1].type == GND__UT_LINE || (is(x, t - 1, "(") && is(x, t - 2, "for")) ||
           is(x, t - 1, ":");
}

static gnd_status body(gnd__cudac *x, const gnd__cfn *f)
{
    gnd__cscope c = {.f = f, .depth = 1, .end = f->end, .kernel = f->kernel};
    gnd_status st = GND_OK;
    for (int32_t t = f->body + 1; t < f->end && st == GND_OK; t++) {
        int32_t next = t;
        if (!f->kernel &&
            gnd__cudac_among(x, t, "__syncthreads_count __syncthreads_and __syncthreads_or"))
            return gnd__cudac_refuse(x, t,
                                     "a barrier that counts stands in a kernel, not in a function");
        if (is(x, t, "{")) {
            c.depth++;
        } else if (is(x, t, "}")) {
            c.depth--;
            while (x->nvar > 0 && x->var[x->nvar - 1].depth > c.depth)
                x->nvar--;
        } else if (x->token[t].type == GND__UT_WORD && begins(x, t)) {
            if (is(x, t, "__shared__") || gnd__cudac_among(x, t, "extern static volatile")) {
                const int is_shared = is(x, t, "__shared__") || is(x, t + 1, "__shared__");
                if (is_shared) {
                    st = gnd__cudac_shared(x, &c, t, &next);
                    t = next;
                    continue;
                }
            }
            if (gnd__cudac_type(x, t) && !is(x, t + 1, "(")) {
                st = gnd__cudac_declaration(x, &c, t, &next);
                t = next - 1;
                continue;
            }
        }
        if (st == GND_OK)
            st = gnd__cudac_token(x, &x->edits, t, f->end);
    }
    return st;
}

/* Writes the parameters of f for spec s. */
static gnd_status parameters(gnd__cudac *x, const gnd__cfn *f, const gnd__cspec *s)
{
    gnd_status st = GND_OK;
    for (int32_t i = 0; i < f->nparam && st == GND_OK; i++) {
        gnd__cvar v = f->param[i];
        if (v.kind == CU_POINTER || v.kind == CU_REF) {
            v.space = f->kernel ? CU_GLOBAL : s->space[i];
            gnd__edit_add(&x->edits, x->token[v.first].at, 0, "%s",
                          gnd__cudac_space_word((gnd__cspace)v.space));
        }
        if (v.star >= 0 && is(x, v.star, "&"))
            gnd__cudac_replace(x, &x->edits, v.star, v.kind == CU_REF ? "*" : " ");
        for (int32_t t = v.first; t <= v.last; t++)
            if (is(x, t, "long") && is(x, t + 1, "long"))
                gnd__cudac_replace(x, &x->edits, t, " ");
            else if (gnd__cudac_among(x, t, "__restrict__ __restrict"))
                gnd__cudac_replace(x, &x->edits, t, "restrict");
            else if (is(x, t, "__grid_constant__"))
                gnd__cudac_replace(x, &x->edits, t, " ");
        if (v.name > v.first || (v.name == v.first && v.last > v.first))
            st = gnd__cudac_add_var(x, &v);
    }
    return st;
}

gnd_status gnd__cudac_function(gnd__cudac *x, int32_t fi, int32_t si)
{
    const gnd__cfn *f = &x->fn[fi];
    gnd__cspec spec = f->spec[si];
    x->nvar = 0;
    gnd__edits_clear(&x->edits);
    gnd__str_clear(&x->hoisted);
    gnd_status st = parameters(x, f, &spec);
    for (int32_t t = f->start; t < f->open; t++) {
        const int32_t close = gnd__cudac_among(x, t, "__launch_bounds__ __attribute__")
                                  ? gnd__cudac_closing(x, t + 1)
                                  : -1;
        if (close > 0) {
            gnd__edit_add(&x->edits, x->token[t].at, x->token[close].at + 1 - x->token[t].at, " ");
            t = close;
        } else if (
            gnd__cudac_among(
                x, t,
                "__device__ __host__ __forceinline__ __noinline__ inline static extern constexpr "
                "__inline__ __global__") ||
            x->token[t].type == GND__UT_TEXT || (is(x, t, "long") && is(x, t + 1, "long"))) {
            gnd__cudac_replace(x, &x->edits, t, is(x, t, "__global__") ? "__kernel" : " ");
        }
    }
    if (st == GND_OK)
        st = body(x, f);
    if (st != GND_OK)
        return st;
    if (f->ret_pointer) { /* by what it returns */
        for (int32_t t = f->body; t < f->end && !spec.ret; t++) {
            int32_t z = t + 1;
            while (is(x, t, "return") && z < f->end && !is(x, z, ";"))
                z++;
            if (is(x, t, "return"))
                spec.ret = (uint8_t)gnd__cudac_space(x, t + 1, z);
        }
        if (!spec.ret)
            return gnd__cudac_refuse(x, f->name,
                                     "it cannot be told which memory the result points to");
        gnd__str_add(&spec.head, gnd__cudac_space_word((gnd__cspace)spec.ret));
    }
    if (!f->kernel)
        gnd__str_add(&spec.head, "static __attribute__((overloadable)) ");
    gnd__edits_copy(&x->edits, x->u->src, x->token[f->start].at, x->token[f->close].at, &spec.head);
    gnd__str_addn(&spec.body, gnd__str_get(&x->hoisted), x->hoisted.len);
    spec.body.bad |= x->hoisted.bad;
    gnd__str_addf(&spec.body, "\n#line %d \"source\"\n%*s", x->token[f->body + 1].line,
                  x->token[f->body + 1].col - 1, "");
    gnd__edits_copy(&x->edits, x->u->src, x->token[f->body + 1].at, x->token[f->end].at,
                    &spec.body);
    spec.done = 1;
    x->fn[fi].spec[si] = spec; /* calls of itself may have added specs */
    return spec.head.bad || spec.body.bad
               ? gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a source")
               : GND_OK;
}
