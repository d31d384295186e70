/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/cudac_write.c - composes the text: definitions, the text outside of functions, and each
 * function once for each combination of memories, with #line for the user's lines. Kernels get
 * hidden parameters as user_text.c writes them: the bytes at which arrays begin, then the block of
 * dynamic shared memory.
 */
#include "codegen/checked.h"
#include "codegen/cudac.h"

#include <string.h>
#include "base/mem.h"

static int is(const gnd__cudac *x, int32_t t, const char *word)
{
    return gnd__cudac_is(x, t, word);
}

/* Functions are translated until no call asks for another combination. */
static gnd_status all_functions(gnd__cudac *x)
{
    gnd_status st = GND_OK;
    const uint8_t none[CU_PARAMS] = {0};
    int again = 1;
    for (int32_t f = 0; f < x->nfn; f++) {
        int pointers = 0;
        for (int32_t i = 0; i < x->fn[f].nparam; i++)
            pointers |= x->fn[f].param[i].kind == CU_POINTER || x->fn[f].param[i].kind == CU_REF;
        if (x->fn[f].body >= 0 && (x->fn[f].kernel || !pointers) && gnd__cudac_spec(x, f, none) < 0)
            return gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a source");
    }
    while (again && st == GND_OK) {
        again = 0;
        for (int32_t f = 0; f < x->nfn && st == GND_OK; f++)
            for (int32_t s = 0; s < x->fn[f].nspec && st == GND_OK; s++)
                if (!x->fn[f].spec[s].done) {
                    st = gnd__cudac_function(x, f, s);
                    again = 1;
                }
    }
    return st;
}

/* Refuses recursion, also through other functions: repeatedly removes functions that call no
 * remaining function. */
static gnd_status no_recursion(gnd__cudac *x)
{
    int left = x->nfn, before = x->nfn + 1;
    uint8_t *gone = gnd__calloc((size_t)x->nfn + 1, 1);
    if (!gone)
        return gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a source");
    while (left < before) {
        before = left;
        for (int32_t f = 0; f < x->nfn; f++) {
            int calls = 0;
            for (int32_t t = x->fn[f].body; !gone[f] && t > 0 && t < x->fn[f].end && !calls; t++)
                for (int32_t g = 0; g < x->nfn && is(x, t + 1, "(") && !calls; g++)
                    calls = !gone[g] && x->fn[g].body >= 0 &&
                            gnd__cudac_same(x, x->fn[g].name, t) && (g != f || !is(x, t - 1, "."));
            if (!gone[f] && !calls) {
                gone[f] = 1;
                left--;
            }
        }
    }
    gnd_status st = GND_OK;
    for (int32_t f = 0; f < x->nfn && st == GND_OK && left > 0; f++)
        if (!gone[f] && !x->fn[f].kernel)
            st = gnd__cudac_refuse(x, x->fn[f].name,
                                   "a function that calls itself runs on CUDA devices only");
    gnd__free(gone);
    return st;
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Writes a kernel's parameters for OpenCL C to a separate text. */
static gnd_status kernel_head(gnd__cudac *x, const gnd__cfn *f, const gnd__ukernel *k,
                              gnd__str *out)
{
    const char *src = x->u->src;
    int n = 0;
    gnd__str_addf(out, "__kernel ");
    const int64_t *size = k && k->reqd[0] > 0 ? k->reqd : k && k->sized[0] > 0 ? k->sized : NULL;
    if (size)
        gnd__str_addf(out, "__attribute__((reqd_work_group_size(%lld, %lld, %lld))) ",
                      (long long)size[0], (long long)size[1], (long long)size[2]);
    if (x->props->subgroup == 32)
        gnd__str_add(
            out,
            "\n#ifdef cl_intel_required_subgroup_size\n__attribute__((intel_reqd_sub_group_size(32)))\n#endif\n");
    gnd__str_addf(out, "void %.*s(", (int)x->token[f->name].len, src + x->token[f->name].at);
    for (int32_t i = 0; i < f->nparam; i++) {
        const gnd__cvar *p = &f->param[i];
        gnd__str_add(out, n++ ? ", " : "");
        if (p->kind == CU_POINTER)
            gnd__str_add(out, "__global ");
        int star = 0;
        for (int32_t t = p->first; t <= p->last; t++) {
            const int value_bool = p->kind == CU_VALUE && is(x, t, "bool");
            if ((is(x, t, "long") && is(x, t + 1, "long")) ||
                gnd__cudac_among(x, t, "__grid_constant__ __restrict__ __restrict") ||
                (star && is(x, t, "const")))
                continue;
            if (p->kind == CU_POINTER &&
                (is(x, t, "[") || is(x, t, "]") || x->token[t].type == GND__UT_NUMBER))
                continue;
            if (is(x, t, "*") || (p->kind == CU_POINTER && t == p->name && !star)) {
                star = 1;
                gnd__str_add(out, "*");
                if (is(x, t, "*"))
                    continue;
            }
            if (p->kind == CU_VALUE && t == p->name && k && k->param[i].dtype == GND_BOOL)
                gnd__str_addf(out, "gndb_%d", i);
            else
                gnd__str_addf(out, "%s%.*s ", value_bool ? "uchar/*" : "", (int)x->token[t].len,
                              src + x->token[t].at);
            if (value_bool)
                gnd__str_add(out, "*/");
        }
    }
    for (int32_t i = 0; i < f->nparam; i++)
        if (f->param[i].kind == CU_POINTER)
            gnd__str_addf(out, "%sconst long gndo_%d", n++ ? ", " : "", i);
    if (k && x->u->checked)
        gnd__checked_params(k, GND_DIALECT_OPENCL, out);
    if (k && k->shared)
        gnd__str_addf(out, "%s__local ulong2 *gndl_all",
                      n++ ? ", " : ""); /* 16 bytes, as in CUDA */
    gnd__str_add(out, ")\n{\n");
    if (gnd__cudac_votes(x))
        gnd__str_add(out, "__local int gndc_votes;\n");
    for (int32_t i = 0; i < f->nparam; i++) {
        const gnd__cvar *p = &f->param[i];
        const gnd__utoken *name = &x->token[p->name];
        if (p->kind == CU_POINTER) {
            gnd__str_addf(out, "%.*s = (__global ", (int)name->len, src + name->at);
            for (int32_t t = p->first; t < p->name && !is(x, t, "*"); t++)
                if (!(is(x, t, "long") && is(x, t + 1, "long")))
                    gnd__str_addf(out, "%.*s ", (int)x->token[t].len, src + x->token[t].at);
            gnd__str_addf(out, "*)((__global char *)%.*s + gndo_%d);\n", (int)name->len,
                          src + name->at, i);
        } else if (k && k->param[i].dtype == GND_BOOL) {
            gnd__str_addf(out, "bool %.*s = gndb_%d != 0;\n", (int)name->len, src + name->at, i);
        }
    }
    if (k && x->u->checked)
        gnd__checked_body(k, GND_DIALECT_OPENCL, out);
    return out->bad ? gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a kernel's text") : GND_OK;
}

static const gnd__ukernel *signature(const gnd__cudac *x, const gnd__cfn *f)
{
    for (int32_t i = 0; i < x->u->nkernel; i++)
        if (x->u->kernel[i].open == f->open)
            return &x->u->kernel[i];
    return NULL;
}

static gnd_status check_kernel(gnd__cudac *x, const gnd__cfn *f, const gnd__ukernel *k)
{
    for (int32_t i = 0; i < f->nparam; i++) {
        const gnd__cvar *p = &f->param[i];
        if (k && k->param[i].lanes == 3 && p->kind == CU_POINTER)
            return gnd__cudac_refuse(
                x, p->first, "a pointer to vectors of three: 12 bytes in CUDA, 16 in OpenCL C");
        if (p->name < 0)
            return gnd__utoken_syntax(x->e, "source", &x->token[p->first],
                                      "a kernel's parameter has a type and a name");
    }
    return GND_OK;
}

/* --- the text --------------------------------------------------------------------------------- */

static void place(const gnd__cudac *x, int32_t t, gnd__str *out)
{
    gnd__str_addf(out, "\n#line %d \"source\"\n%*s", x->token[t].line, x->token[t].col - 1, "");
}

static gnd_status write_functions(gnd__cudac *x, gnd__str *out)
{
    gnd_status st = GND_OK;
    size_t at = 0;
    for (int32_t fi = 0; fi < x->nfn && st == GND_OK; fi++) {
        const gnd__cfn *f = &x->fn[fi];
        const gnd__ukernel *k = f->kernel ? signature(x, f) : NULL;
        gnd__edits_copy(&x->outer, x->u->src, at, x->token[f->start].at, out);
        at = x->token[f->end].at + 1;
        if (f->kernel && f->body >= 0) {
            st = check_kernel(x, f, k);
            place(x, f->start, out);
            if (st == GND_OK)
                st = kernel_head(x, f, k, out);
            gnd__str_addn(out, gnd__str_get(&f->spec[0].body), f->spec[0].body.len);
            gnd__str_add(out, "}\n");
        } else if (!f->kernel) {
            for (int32_t g = 0; g < x->nfn;
                 g++) { /* a declaration: those of the function that it declares */
                const gnd__cfn *of = f->body < 0 ? &x->fn[g] : f;
                if (f->body < 0 && (of->body < 0 || of->nparam != f->nparam ||
                                    !gnd__cudac_same(x, of->name, f->name)))
                    continue;
                for (int32_t s = 0; s < of->nspec; s++) {
                    place(x, of->start, out);
                    gnd__str_addf(out, "%s)", gnd__str_get(&of->spec[s].head));
                    if (f->body < 0)
                        gnd__str_add(out, ";");
                    else
                        gnd__str_addf(out, "\n{%s}", gnd__str_get(&of->spec[s].body));
                }
                if (f->body >= 0)
                    break;
            }
        }
        place(x, f->end + 1, out);
        at = x->token[f->end + 1].at;
    }
    gnd__edits_copy(&x->outer, x->u->src, at, x->u->len, out);
    gnd__str_add(out, "\n");
    return out->bad && st == GND_OK
               ? gnd__err(x->e, GND_ERR_NOMEM, "out of memory for a kernel's text")
               : st;
}

static void free_all(gnd__cudac *x)
{
    for (int32_t f = 0; f < x->nfn; f++) {
        for (int32_t s = 0; s < x->fn[f].nspec; s++) {
            gnd__str_free(&x->fn[f].spec[s].head);
            gnd__str_free(&x->fn[f].spec[s].body);
        }
        gnd__free(x->fn[f].spec);
    }
    gnd__free(x->fn);
    gnd__free(x->macro);
    gnd__free(x->token);
    gnd__free(x->type);
    gnd__free(x->file);
    gnd__free(x->var);
    gnd__free(x->used);
    gnd__edits_free(&x->edits);
    gnd__edits_free(&x->outer);
    gnd__str_free(&x->hoisted);
    gnd__str_free(&x->casts);
    gnd__str_free(&x->cast_names);
}

gnd_status gnd__cudac_text(const gnd__usource *u, const gnd_props *props, gnd__str *out, gnd_err *e)
{
    gnd_err own = {.code = GND_OK};
    gnd__cudac x = {.u = u, .props = props, .e = e ? e : &own};
    gnd_status st = GND_OK;
    x.token = gnd__malloc((size_t)u->ntoken * sizeof *x.token);
    if (!x.token)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a source");
    memcpy(x.token, u->token, (size_t)u->ntoken * sizeof *x.token);
    x.ntoken = u->ntoken;
    st = gnd__cudac_read(&x);
    for (int32_t i = 0; i < x.nmacro && st == GND_OK; i++)
        st = gnd__cudac_expression(&x, &x.outer, x.macro[i].first, x.macro[i].last);
    if (st == GND_OK)
        st = no_recursion(&x);
    if (st == GND_OK)
        st = all_functions(&x);
    if (st == GND_OK)
        st = gnd__cudac_prelude(&x, out);
    if (st == GND_OK) {
        gnd__str_addn(out, gnd__str_get(&u->defines), u->defines.len);
        gnd__str_addn(out, gnd__str_get(&x.casts), x.casts.len);
        out->bad |= x.casts.bad;
        const size_t from = out->len;
        gnd__str_add(out, "#line 1 \"source\"\n");
        st = write_functions(&x, out);
        if (st == GND_OK && u->checked)
            st = gnd__checked_text(u, props->dialect, from, out, x.e);
    }
    free_all(&x);
    return st;
}
