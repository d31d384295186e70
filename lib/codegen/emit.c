/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/emit.c - parameters and indices, and what a kernel begins and ends with, for every shape
 * of kernel. Values and stores are in codegen/values.c.
 */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

void gnd__cg_init(gnd__cg *c, const gnd__kir *k, const gnd__target *t, gnd__gen *out, gnd_err *e)
{
    *c = (gnd__cg){.k = k,
                   .t = t,
                   .out = out,
                   .e = e,
                   .vector = {.width = 1},
                   .piece = {.gid = "(I)GND_GID(0)"}};
}

size_t gnd__cg_group(const gnd__cg *c, size_t want)
{
    while (want > 1 && (want > c->t->props->max_group || want > c->t->props->max_local[0]))
        want /= 2;
    return want;
}

void gnd__cg_begin(gnd__cg *c, int n, const char *name)
{
    if (c->piece.number > 0)
        return; /* this kernel exists already */
    c->kern = &c->out->k[n];
    c->kern->name = name;
    c->kern->nargs = c->kern->nshared = 0;
    gnd__str_clear(&c->body);
    c->out->nkernel = n + 1;
}

void gnd__cg_arg(gnd__cg *c, gnd__akind kind, int ref, int64_t value, gnd__space space, int size,
                 const char *type, const char *name, ...)
{
    va_list ap;
    gnd__garg *a;
    char own[16];
    if (c->kern->nargs == GND__GEN_ARGS) {
        gnd__err(c->e, GND_ERR_INTERNAL, "a kernel with too many arguments");
        return;
    }
    a = &c->kern->arg[c->kern->nargs++];
    a->kind = (uint8_t)kind;
    a->ref = ref;
    a->value = value;
    a->piece = (uint8_t)c->piece.number;
    a->p.type = type;
    a->p.space = (uint8_t)space;
    a->p.size = (uint8_t)size;
    va_start(ap, name);
    vsnprintf(own, sizeof own, name, ap);
    va_end(ap);
    snprintf(a->p.name, sizeof a->p.name, "%s", own);
    if (c->piece
            .count) { /* the parameter has a name of its own, and the piece uses the usual one */
        gnd__cgf(c, "    ");
        gnd__param_text(&c->body, &a->p, "I", "", 1);
        snprintf(a->p.name, sizeof a->p.name, "a%d_%s", c->piece.number, own);
        gnd__cgf(c, " = %s;\n", a->p.name);
    }
}

void gnd__cg_shared(gnd__cg *c, const char *type, int esize, int count, const char *name, ...)
{
    va_list ap;
    gnd__gshared *s;
    if (c->kern->nshared == GND__KIR_ACCESS) {
        gnd__err(c->e, GND_ERR_INTERNAL, "a kernel with too many arrays in local memory");
        return;
    }
    s = &c->kern->shared[c->kern->nshared++];
    s->type = type;
    s->esize = esize;
    s->count = count;
    va_start(ap, name);
    vsnprintf(s->name, sizeof s->name, name, ap);
    va_end(ap);
}

void gnd__cg_int(gnd__cg *c, const char *name, int64_t value)
{
    gnd__cg_arg(c, GND__A_INT, 0, value, GND__VALUE, c->wide ? 8 : 4, "I", "%s", name);
}

int gnd__cg_is_output(const gnd__kir *k, int access)
{
    for (int i = 0; i < k->nout; i++)
        if (k->out[i].access == access)
            return 1;
    return 0;
}

int gnd__cg_in_phase(const gnd__kir *k, int access, int phase)
{
    int epilogue =
        k->reduce && (k->access[access].epilogue || (gnd__cg_is_output(k, access) && !k->rows));
    return phase == 2 || epilogue == phase;
}

static int axes_of(const gnd__cg *c, int access)
{
    return gnd__cg_in_phase(c->k, access, 0) || !c->k->reduce ? c->k->nkeep + c->k->nred
                                                              : c->k->nkeep;
}

int gnd__cg_literal(const gnd__cg *c, int access, int d)
{
    const int64_t stride = c->k->access[access].stride[d];
    return c->bake ||
           (c->t->cpu && d == c->k->nkeep + c->k->nred - 1 && stride >= -2 && stride <= 4);
}

/* Names for the memory of access i, which is access `first` with a shift. */
static void shared_access(gnd__cg *c, int i, int first)
{
    gnd__cgf(c,
             "    GND_CONST_GLOBAL %s *GND_RESTRICT p%d = p%d, *GND_RESTRICT b%d = b%d;\n"
             "    const g_i64 o%d = o%d;\n",
             gnd__ctype_mem((gnd_dtype)c->k->access[i].dtype), i, first, i, first, i, first);
}

void gnd__cg_access_args(gnd__cg *c, int phase)
{
    for (int i = 0; i < c->k->naccess; i++) {
        const gnd__access *a = &c->k->access[i];
        if (!gnd__cg_in_phase(c->k, i, phase))
            continue;
        if (c->near.of[i]) {
            shared_access(c, i, c->near.of[i] - 1);
            continue;
        }
        if (a->slot >= 0)
            gnd__cg_arg(c, GND__A_BUF, i, 0,
                        gnd__cg_is_output(c->k, i) ? GND__GLOBAL : GND__CONST_GLOBAL, 0,
                        gnd__ctype_mem((gnd_dtype)a->dtype), "b%d", i);
        gnd__cg_arg(c, GND__A_OFF, i, 0, GND__VALUE, 8, "g_i64", "o%d", i);
        for (int d = 0; d < axes_of(c, i); d++)
            if (a->stride[d] != 0 && a->stride[d] != 1 && !gnd__cg_literal(c, i, d)) {
                char name[32];
                snprintf(name, sizeof name, "s%d_%d", i, d);
                gnd__cg_int(c, name, a->stride[d]);
            }
        if (a->slot >= 0)
            gnd__cgf(c, "    %s %s *%s p%d = b%d + o%d;\n",
                     gnd__cg_is_output(c->k, i) ? "GND_GLOBAL" : "GND_CONST_GLOBAL",
                     gnd__ctype_mem((gnd_dtype)a->dtype), "GND_RESTRICT", i, i, i);
    }
}

/* What divides a number below 2^31 by the extent n: the factor, below 2^32, and from bit 32 on by
 * how many bits the product is shifted (T. Granlund, P. L. Montgomery, "Division by invariant
 * integers using multiplication", 1994). */
static int64_t divider(int64_t n)
{
    int l = 0;
    while ((int64_t)1 << l < n)
        l++;
    const uint64_t d = n > 0 ? (uint64_t)n : 1, factor = (((uint64_t)1 << (31 + l)) + d - 1) / d;
    return (int64_t)(factor | (uint64_t)(31 + l) << 32);
}

void gnd__cg_dim_args(gnd__cg *c, int d0, int d1)
{
    for (int d = d0; d < d1; d++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", d);
        gnd__cg_int(c, name, c->k->dim[d]);
        if (c->quick && d > 0)
            gnd__cg_arg(c, GND__A_INT, 0, divider(c->k->dim[d]), GND__VALUE, 8, "g_u64", "m%d", d);
    }
}

void gnd__cg_const_args(gnd__cg *c, int phase)
{
    for (int i = 0; i < c->k->ninstr; i++) {
        const gnd__instr *in = &c->k->instr[i];
        gnd_dtype t = (gnd_dtype)in->dtype;
        if (in->kind != GND__I_CONST || (phase < 2 && in->epilogue != phase))
            continue;
        gnd__cg_arg(c, GND__A_CONST, in->ref, 0, GND__VALUE,
                    t == GND_FLOAT16 || t == GND_BFLOAT16 ? 4 : (int)gnd_dtype_size(t),
                    gnd__ctype_value(t), "c%d", in->ref);
    }
    for (int i = 0; i < c->k->ninstr; i++) {
        const gnd__instr *in = &c->k->instr[i];
        char name[16];
        snprintf(name, sizeof name, "e%d", i);
        if (in->kind == GND__I_WITHIN || in->kind == GND__I_SHIFT)
            gnd__cg_int(c, name, in->step);
    }
    for (int i = 0, any = 0; i < c->k->ninstr; i++) {
        const gnd__instr *in = &c->k->instr[i];
        if (in->kind != GND__I_CHECK || (phase < 2 && in->epilogue != phase))
            continue;
        if (!any++)
            gnd__cg_arg(c, GND__A_CHECK, 0, 0, GND__GLOBAL, 0, "g_i32", "ck");
        gnd__cg_arg(c, GND__A_CHECKID, in->ref, 0, GND__VALUE, 4, "g_i32", "ck%d", i);
    }
}

void gnd__cg_begin_map(gnd__cg *c)
{
    gnd__cg_begin(c, 0, "k_map");
    gnd__cg_find_near(c);
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, c->k->nkeep);
    gnd__cg_const_args(c, 2);
}

void gnd__cg_address(gnd__cg *c, int access)
{
    const gnd__access *a = &c->k->access[access];
    int any = 0, apart = -1;
    for (int d = 0; d < axes_of(c, access) && c->apart; d++)
        apart = a->stride[d] == 1 ? d : apart;
    if (apart >= 0)
        gnd__cgf(c, "(g_i64)(");
    for (int d = 0; d < axes_of(c, access); d++) {
        if (a->stride[d] == 0 || d == apart)
            continue;
        const int by = c->near.by[access][d];
        gnd__cgf(c, by ? "%s(i%d + %d)" : "%si%d", any ? " + " : "", d, by);
        if (a->stride[d] != 1 && gnd__cg_literal(c, access, d))
            gnd__cgf(c, "*(I)%lldL", (long long)a->stride[d]);
        else if (a->stride[d] != 1)
            gnd__cgf(c, "*s%d_%d", c->near.of[access] ? c->near.of[access] - 1 : access, d);
        any = 1;
    }
    if (!any)
        gnd__cgf(c, "0");
    if (apart >= 0)
        gnd__cgf(c, ") + i%d", apart);
}

void gnd__cg_element(gnd__cg *c, int access)
{
    if (c->vector.block[access]) {
        gnd__cgf(c, "h%d, i%d", access, c->k->nkeep);
        return;
    }
    gnd__cgf(c, "p%d, ", access);
    gnd__cg_address(c, access);
}

void gnd__cg_unflatten(gnd__cg *c, const char *flat, int d0, int d1)
{
    for (int d = d1 - 1; d > d0; d--)
        if (c->quick)
            gnd__cgf(
                c,
                "    const I of%d = (I)(((g_u64)(g_u32)%s * (g_u32)m%d) >> (int)(m%d >> 32));\n"
                "    const I i%d = %s - of%d*n%d; %s = of%d;\n",
                d, flat, d, d, d, flat, d, d, flat, d);
        else
            gnd__cgf(c, "    const I i%d = %s %% n%d; %s /= n%d;\n", d, flat, d, flat, d);
    if (d1 > d0)
        gnd__cgf(c, "    const I i%d = %s;\n", d0, flat);
}

/* Large groups limit the registers of their work-items: a compiler that does not know the
 * group's size may use more than a group can have, and the launch fails. 256 work-items can have
 * all registers. If work-items do much in parallel (c->draw.sized), NVRTC is told so, or it uses
 * few. */
static void qualifiers(const gnd__cg *c, gnd__str *text, int ndim, const size_t *local)
{
    const gnd_props *p = c->t->props;
    int l[3] = {1, 1, 1};
    for (int d = 0; d < ndim; d++)
        l[d] = (int)local[d];
    if (p->kind == GND_DEV_CPU || (l[0] * l[1] * l[2] <= 256 && !c->draw.sized))
        gnd__str_add(text, "GND_KERNEL void ");
    else if (p->dialect == GND_DIALECT_CUDA)
        gnd__str_addf(text, "GND_KERNEL void __launch_bounds__(%d%s) ", l[0] * l[1] * l[2],
                      c->draw.sized ? ", 1" : "");
    else
        gnd__str_addf(text, "GND_KERNEL __attribute__((reqd_work_group_size(%d, %d, %d))) void ",
                      l[0], l[1], l[2]);
}

gnd_status gnd__cg_end(gnd__cg *c, int ndim, const size_t *global, const size_t *local)
{
    gnd__gkernel *k = c->kern;
    gnd__str text = {0};
    gnd_status st;
    gnd__cg_snippets(c->k, &text);
    gnd__str_addf(&text, "typedef %s I;\n", c->wide ? "g_i64" : "g_i32");
    qualifiers(c, &text, ndim, local);
    gnd__str_addf(&text, "%s(", k->name);
    for (int i = 0; i < k->nargs; i++) {
        gnd__str_add(&text, i ? ",\n    " : "\n    ");
        gnd__param_text(&text, &k->arg[i].p, "I", "", 1);
    }
    gnd__str_add(&text, ")\n{\n");
    for (int i = 0; i < k->nshared; i++)
        gnd__str_addf(&text, "    GND_LOCAL %s %s[%d];\n", k->shared[i].type, k->shared[i].name,
                      k->shared[i].count);
    k->wide = c->wide;
    k->body = text.len;
    k->body_len = c->body.len;
    gnd__str_addf(&text, "%s}\n", gnd__str_get(&c->body));
    k->ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        k->local[d] = local[d];
        k->global[d] = (global[d] + local[d] - 1) / local[d] * local[d];
    }
    st = text.bad || c->body.bad
             ? gnd__err(c->e, GND_ERR_NOMEM, "out of memory while writing a kernel")
             : gnd__prelude_kept(c->t->preludes, &k->src, &text, c->t->props, c->e);
    k->body += k->src.len;
    gnd__str_add(&k->src, gnd__str_get(&text));
    if (st == GND_OK && k->src.bad)
        st = gnd__err(c->e, GND_ERR_NOMEM, "out of memory while writing a kernel");
    gnd__str_free(&text);
    return st != GND_OK ? st : c->e ? c->e->code : GND_OK;
}
