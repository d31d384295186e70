/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/user_text.c - the text that is compiled from a user's source: see user.h. The user's text
 * is copied from front to back. Text is inserted at some tokens, after which #line and white space
 * restore the line and the column; some tokens become white space.
 */
#include "codegen/user.h"

#include <string.h>
#include "codegen/checked.h"
#include "codegen/cudac.h"
#include "codegen/prelude.h"

typedef struct writer {
    const gnd__usource *u;
    const gnd_props *props;
    gnd__str *out;
    size_t at; /* written so far */
    int cuda;  /* the device's compiler is CUDA's */
} writer;

static int is(const gnd__usource *u, int32_t t, const char *word)
{
    return gnd__utoken_is(u->src, &u->token[t], word);
}

static void copy_to(writer *w, size_t at)
{
    gnd__str_addn(w->out, w->u->src + w->at, at - w->at);
    w->at = at;
}

/* Writes token t as white space. */
static void blank(writer *w, int32_t t)
{
    const gnd__utoken *k = &w->u->token[t];
    copy_to(w, k->at);
    for (uint32_t i = 0; i < k->len; i++)
        gnd__str_addc(w->out, ' ');
    w->at = k->at + k->len;
}

/* Writes a #line so that the next line has the number of token t, and indents it to the token's
 * column. */
static void place(writer *w, int32_t t)
{
    gnd__str_addf(w->out, "\n#line %d \"source\"\n%*s", w->u->token[t].line, w->u->token[t].col - 1,
                  "");
}

/* Whether p has no parameter in CUDA: dynamic shared memory. */
static int is_carved(const writer *w, const gnd__uparam *p)
{
    return w->cuda && p->kind == GND__UP_LOCAL;
}

/* Whether token t is OpenCL C's word for global memory, which CUDA does not have. */
static int is_global(const writer *w, int32_t t)
{
    return w->cuda && w->u->lang == GND__UL_OPENCL &&
           (is(w->u, t, "__global") || is(w->u, t, "global"));
}

/* The type of pointer p, without its name, as a cast has it. */
static void pointer_type(writer *w, const gnd__uparam *p)
{
    const gnd__usource *u = w->u;
    int star = 0;
    for (int32_t t = p->first; t < p->name_at; t++) {
        const gnd__utoken *k = &u->token[t];
        if (is(u, t, "restrict") || is(u, t, "__restrict__") || is(u, t, "__restrict") ||
            is(u, t, "GND_RESTRICT") || (star && is(u, t, "const")) || is_global(w, t) ||
            (w->cuda && p->kind == GND__UP_LOCAL &&
             (is(u, t, "__local") || is(u, t, "local") || is(u, t, "GND_LOCAL") ||
              is(u, t, "GND_LOCAL_PTR"))))
            continue;
        star |= is(u, t, "*");
        gnd__str_addf(w->out, "%.*s ", (int)k->len, u->src + k->at);
    }
    if (!star)
        gnd__str_add(w->out, "*");
}

/* The address space of pointer p according to its declaration. */
static const char *space(const writer *w, const gnd__uparam *p)
{
    if (w->cuda)
        return "";
    for (int32_t t = p->first; t < p->name_at; t++)
        if (is(w->u, t, "__constant") || is(w->u, t, "constant"))
            return "__constant ";
    return "__global ";
}

/* Blanks tokens in the parameters that CUDA does not have, or that would forbid changing a
 * pointer. */
static void blank_params(writer *w, const gnd__ukernel *k)
{
    const gnd__usource *u = w->u;
    int kept = 0, last = -1;
    for (int i = 0; i < k->nparam; i++)
        if (!is_carved(w, &k->param[i]))
            last = i;
    for (int i = 0; i < k->nparam; i++) {
        const gnd__uparam *p = &k->param[i];
        const int carved = is_carved(w, p);
        int star = 0;
        for (int32_t t = p->first; t <= p->last; t++) {
            star |= is(u, t, "*");
            if (carved || is_global(w, t) ||
                (w->cuda && p->kind == GND__UP_GLOBAL &&
                 (is(u, t, "__constant") || is(u, t, "constant"))) ||
                (p->kind == GND__UP_GLOBAL && star && is(u, t, "const")))
                blank(w, t);
        }
        kept += !carved;
        if (i + 1 < k->nparam && (carved || i >= last))
            blank(w, p->last + 1); /* the comma */
    }
    copy_to(w, u->token[k->close].at);
    for (int i = 0, n = 0; i < k->nparam; i++) {
        const gnd__uparam *p = &k->param[i];
        if (p->kind == GND__UP_VALUE || (p->kind == GND__UP_LOCAL && !w->cuda))
            continue;
        gnd__str_addf(w->out, "%sconst %s gnd%c_%d", kept || n++ ? ", " : "",
                      w->cuda ? "long long" : "long", p->kind == GND__UP_LOCAL ? 'l' : 'o', i);
    }
    if (w->u->checked)
        gnd__checked_params(k, w->props->dialect, w->out);
    place(w, k->close);
}

/* Writes the start of the kernel's body. */
static void open_body(writer *w, const gnd__ukernel *k)
{
    const gnd__usource *u = w->u;
    int carved = 0;
    copy_to(w, u->token[k->body].at + 1);
    gnd__str_add(w->out, "\n");
    for (int i = 0; i < k->nparam; i++) {
        const gnd__uparam *p = &k->param[i];
        if (is_carved(w, p)) {
            if (!carved++)
                gnd__str_add(w->out, "extern __shared__ __align__(16) unsigned char gndl_all[];\n");
            pointer_type(w, p);
            gnd__str_addf(w->out, " %s = (", p->name);
            pointer_type(w, p);
            gnd__str_addf(w->out, ")(gndl_all + gndl_%d);\n", i);
        } else if (p->kind == GND__UP_GLOBAL) {
            gnd__str_addf(w->out, "%s = (", p->name);
            pointer_type(w, p);
            gnd__str_addf(w->out, ")((%schar *)%s + gndo_%d);\n", space(w, p), p->name, i);
        }
    }
    if (u->checked)
        gnd__checked_body(k, w->props->dialect, w->out);
    place(w, k->body + 1);
    w->at = u->token[k->body + 1].at;
}

/* Blanks OpenCL C's words for global memory, and for local and constant memory in declarations of
 * pointers: CUDA does not have them. */
static void blank_spaces(writer *w, int32_t from, int32_t to)
{
    const gnd__usource *u = w->u;
    for (int32_t t = from; t < to; t++) {
        int star = 0;
        if (is_global(w, t))
            blank(w, t);
        if (!is(u, t, "__local") && !is(u, t, "local") && !is(u, t, "__constant") &&
            !is(u, t, "constant"))
            continue;
        for (int32_t s = t;
             s < to && !is(u, s, ";") && !is(u, s, ",") && !is(u, s, ")") && !is(u, s, "="); s++)
            star |= is(u, s, "*");
        if (star)
            blank(w, t);
    }
}

static void write_source(writer *w)
{
    const gnd__usource *u = w->u;
    const int spaces = w->cuda && u->lang == GND__UL_OPENCL;
    int32_t done = 0;
    gnd__str_add(w->out, "#line 1 \"source\"\n");
    for (int i = 0; i < u->nkernel; i++) {
        const gnd__ukernel *k = &u->kernel[i];
        if (spaces)
            blank_spaces(w, done, k->start);
        if (u->lang == GND__UL_CUDA && !k->is_extern) {
            copy_to(w, u->token[k->start].at);
            gnd__str_add(w->out, "\nextern \"C\"");
            place(w, k->start);
        }
        if (k->sized[0] > 0 && !w->cuda) {
            copy_to(w, u->token[k->start].at);
            gnd__str_addf(w->out, "\n__attribute__((reqd_work_group_size(%lld, %lld, %lld)))",
                          (long long)k->sized[0], (long long)k->sized[1], (long long)k->sized[2]);
            place(w, k->start);
        }
        blank_params(w, k);
        open_body(w, k);
        done = k->body + 1;
    }
    if (spaces)
        blank_spaces(w, done, u->ntoken);
    copy_to(w, u->len);
    gnd__str_add(w->out, "\n");
}

gnd_status gnd__usource_text(const gnd__usource *u, const gnd_props *props, gnd__str *out,
                             gnd_err *e)
{
    writer w = {.u = u, .props = props, .out = out, .cuda = props->dialect == GND_DIALECT_CUDA};
    gnd_status st = GND_OK;
    if (u->checked && u->lang == GND__UL_OPENCL)
        return gnd__err(e, GND_ERR_UNSUPPORTED,
                        "checked mode is for GND_CUDA_C and GND_PORTABLE, not for GND_OPENCL_C");
    if (u->checked)
        st = gnd__checked_prelude(u, props->dialect, out, e);
    if (st != GND_OK)
        return st;
    if (u->lang == GND__UL_CUDA && !w.cuda)
        return gnd__cudac_text(u, props, out, e);
    if (u->lang == GND__UL_PORTABLE)
        st = gnd__prelude(out, u->src, props, e);
    /* in gnd's own texts it would be an internal error; this text is the user's */
    if (st == GND_ERR_INTERNAL && e)
        st = e->code = GND_ERR_NAME;
    if (u->lang == GND__UL_OPENCL && w.cuda &&
        !gnd__kernel_text(out, "opencl_c", GND_DIALECT_CUDA, GND_FLOAT32))
        st = gnd__err(e, GND_ERR_INTERNAL, "kernels/ has no text opencl_c");
    if (st != GND_OK)
        return st;
    gnd__str_add(out, gnd__str_get(&u->defines));
    const size_t from = out->len;
    write_source(&w);
    if (u->checked)
        return gnd__checked_text(u, props->dialect, from, out, e);
    return out->bad ? gnd__err(e, GND_ERR_NOMEM, "out of memory for a kernel's text") : GND_OK;
}
