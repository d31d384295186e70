/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/emit.c - parameters, indices, values and stores, for every shape of kernel.
 */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

size_t gnd__cg_group(const gnd__cg *c, size_t want)
{
    while (want > 1 && (want > c->t->props->max_group || want > c->t->props->max_local[0]))
        want /= 2;
    return want;
}

void gnd__cg_begin(gnd__cg *c, int n, const char *name)
{
    if (c->piece > 0)
        return; /* the kernel exists already */
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
    a->piece = (uint8_t)c->piece;
    a->p.type = type;
    a->p.space = (uint8_t)space;
    a->p.size = (uint8_t)size;
    va_start(ap, name);
    vsnprintf(own, sizeof own, name, ap);
    va_end(ap);
    snprintf(a->p.name, sizeof a->p.name, "%s", own);
    if (c->pieces) { /* the parameter has a name of its own, and the piece uses the usual one */
        gnd__cgf(c, "    ");
        gnd__param_text(&c->body, &a->p, "I", "", 1);
        snprintf(a->p.name, sizeof a->p.name, "a%d_%s", c->piece, own);
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

void gnd__cg_access_args(gnd__cg *c, int phase)
{
    for (int i = 0; i < c->k->naccess; i++) {
        const gnd__access *a = &c->k->access[i];
        if (!gnd__cg_in_phase(c->k, i, phase))
            continue;
        if (a->slot >= 0)
            gnd__cg_arg(c, GND__A_BUF, i, 0,
                        gnd__cg_is_output(c->k, i) ? GND__GLOBAL : GND__CONST_GLOBAL, 0,
                        gnd__ctype_mem((gnd_dtype)a->dtype), "b%d", i);
        gnd__cg_arg(c, GND__A_OFF, i, 0, GND__VALUE, 8, "g_i64", "o%d", i);
        for (int d = 0; d < axes_of(c, i) && !c->bake; d++)
            if (a->stride[d] != 0 && a->stride[d] != 1) {
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

void gnd__cg_dim_args(gnd__cg *c, int d0, int d1)
{
    for (int d = d0; d < d1; d++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", d);
        gnd__cg_int(c, name, c->k->dim[d]);
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
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, c->k->nkeep);
    gnd__cg_const_args(c, 2);
}

void gnd__cg_address(gnd__cg *c, int access)
{
    const gnd__access *a = &c->k->access[access];
    int any = 0;
    for (int d = 0; d < axes_of(c, access); d++) {
        if (a->stride[d] == 0)
            continue;
        gnd__cgf(c, "%si%d", any ? " + " : "", d);
        if (a->stride[d] != 1 && c->bake)
            gnd__cgf(c, "*(I)%lldL", (long long)a->stride[d]);
        else if (a->stride[d] != 1)
            gnd__cgf(c, "*s%d_%d", access, d);
        any = 1;
    }
    if (!any)
        gnd__cgf(c, "0");
}

void gnd__cg_unflatten(gnd__cg *c, const char *flat, int d0, int d1)
{
    for (int d = d1 - 1; d > d0; d--)
        gnd__cgf(c, "    const I i%d = %s %% n%d; %s /= n%d;\n", d, flat, d, flat, d);
    if (d1 > d0)
        gnd__cgf(c, "    const I i%d = %s;\n", d0, flat);
}

/* Writes a cast of the value named x from one dtype to another. */
static void cast_text(gnd__cg *c, gnd_dtype from, gnd_dtype to, const char *x)
{
    const char *T = gnd__ctype_value(to), *f = gnd__suffix(from);
    int fk = gnd_dtype_kind(from), tk = gnd_dtype_kind(to);
    int small = gnd_dtype_size(to) < 8;
    if (from == GND_FLOAT16 || from == GND_BFLOAT16)
        f = "f32";
    if (to == GND_BOOL) {
        if (fk == 'c')
            gnd__cgf(c, "(g_b)(gnd_re_%s(%s) != 0 || gnd_im_%s(%s) != 0)", f, x, f, x);
        else
            gnd__cgf(c, "(g_b)(%s != 0)", x);
    } else if (tk == 'c') {
        const char *R = gnd__ctype_value(gnd__real_of(to)), *t = gnd__suffix(to);
        if (fk == 'c')
            gnd__cgf(c, "gnd_cplx_%s((%s)gnd_re_%s(%s), (%s)gnd_im_%s(%s))", t, R, f, x, R, f, x);
        else
            gnd__cgf(c, "gnd_cplx_%s((%s)%s, (%s)0)", t, R, x, R);
    } else if (to == GND_FLOAT16 || to == GND_BFLOAT16) {
        const char *n = to == GND_FLOAT16 ? "f16" : "bf16";
        if (from == to)
            gnd__cgf(c, "%s", x);
        else if (from == GND_FLOAT64)
            gnd__cgf(c, "gnd_round_%s_f64(%s)", n, x);
        else if (to == GND_BFLOAT16 && (fk == 'i' || fk == 'u') && gnd_dtype_size(from) > 2)
            gnd__cgf(c, "gnd_round_bf16(gnd_odd_%s(%s))", f, x);
        else
            gnd__cgf(c, "gnd_round_%s((g_f32)%s)", n, x);
    } else if (fk == 'f' && tk == 'i') {
        gnd__cgf(c, "(%s)gnd_f2%s_%s(%s)", T, small ? "i32" : "i64", f, x);
    } else if (fk == 'f' && tk == 'u') {
        gnd__cgf(c, "(%s)gnd_f2%s_%s(%s)", T,
                 gnd_dtype_size(to) <= 2 ? "i32"
                 : small                 ? "i64"
                                         : "u64",
                 f, x);
    } else {
        gnd__cgf(c, "(%s)%s", T, x);
    }
}

/* The text of an operation for arguments near 0; NULL: it has none. */
static const char *near_text(const gnd__instr *in)
{
    if (in->kind != GND__I_OP || in->epilogue || gnd_dtype_kind((gnd_dtype)in->ctype) != 'f')
        return NULL;
    return gnd__ops[in->op].near;
}

int gnd__cg_near(const gnd__cg *c)
{
    int t = -1;
    for (int i = 0; i < c->k->ninstr && gnd__prelude_cpu(c->t->props); i++)
        if (near_text(&c->k->instr[i]) && t != GND_FLOAT64)
            t = c->k->instr[i].ctype;
    return t;
}

static void op_text(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    char name[GND__OP_ARGS][16];
    const char *arg[GND__OP_ARGS];
    gnd_dtype ct = (gnd_dtype)in->ctype, t = (gnd_dtype)in->dtype;
    const char *near = c->near ? near_text(in) : NULL;
    const char *templ = near ? near : gnd__op_text((gnd__op)in->op, gnd_dtype_kind(ct));
    int half = (t == GND_FLOAT16 || t == GND_BFLOAT16);
    if (c->tries && gnd__ops[in->op].tries)
        templ = gnd__ops[in->op].tries;
    for (int j = 0; j < GND__OP_ARGS; j++) {
        snprintf(name[j], sizeof name[j], "v%d", in->a[j]);
        arg[j] = name[j];
    }
    if (c->twos[i]) {
        gnd__cgf(c, "l & 1 ? two%d : gnd_polartwo_f32(four%d[l], four%d[l | 1], &two%d)", i, i, i,
                 i);
        return;
    }
    gnd__cgf(c, half ? "gnd_round_%s(" : "(%s)(", half ? gnd__suffix(t) : gnd__ctype_value(t));
    if (c->word_at && c->words[i])
        gnd__words_value(c, i);
    else
        gnd__expand(&c->body, templ, ct, arg);
    gnd__cgf(c, ")");
}

/* "0" in dtype t, used where condition `guard` does not hold. */
static void zero_text(gnd__cg *c, gnd_dtype t)
{
    if (gnd_dtype_kind(t) == 'c')
        gnd__cgf(c, "gnd_cplx_%s(0, 0)", gnd__suffix(t));
    else
        gnd__cgf(c, "(%s)0", gnd__ctype_value(t));
}

/* The load behind an index, instruction i. */
static void gather_text(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    const char *suffix = gnd__suffix((gnd_dtype)in->dtype);
    const int guarded = in->a[1] >= 0 && !c->inside;
    if (c->gathers && c->vectorised[in->ref]) { /* the whole vector at its first element */
        gnd__cgf(c, "l == 0 ? (g%d.v = *(GND_CONST_GLOBAL %s *)(p%d + ", i,
                 gnd__cg_raw(gnd_dtype_size((gnd_dtype)in->dtype) * (size_t)c->vec), in->ref);
        gnd__cg_address(c, in->ref);
        gnd__cgf(c, " + v%d), gnd_ld_%s(g%d.s, 0)) : gnd_ld_%s(g%d.s, l)", in->a[0], suffix, i,
                 suffix, i);
        return;
    }
    if (guarded)
        gnd__cgf(c, "v%d ? ", in->a[1]);
    gnd__cgf(c, gnd__kir_has_boxes(c->k) ? "gnd_ld_%s(b%d, o%d + " : "gnd_ld_%s(p%d, ", suffix,
             in->ref, in->ref);
    gnd__cg_address(c, in->ref);
    gnd__cgf(c, " + v%d)", in->a[0]);
    if (guarded) {
        gnd__cgf(c, " : ");
        zero_text(c, (gnd_dtype)in->dtype);
    }
}

/* Writes the load of a piece. Its memory may begin after the start of the access; the shift
 * compensates for that. */
static void piece_text(gnd__cg *c, const gnd__instr *in)
{
    if (in->a[0] >= 0 && !c->inside)
        gnd__cgf(c, "v%d ? ", in->a[0]);
    gnd__cgf(c, "gnd_ld_%s(b%d, o%d + (g_i64)(", gnd__suffix((gnd_dtype)in->dtype), in->ref,
             in->ref);
    gnd__cg_address(c, in->ref);
    if (in->a[1] >= 0)
        gnd__cgf(c, " + v%d", in->a[1]);
    gnd__cgf(c, "))");
    if (in->a[0] >= 0 && !c->inside) {
        gnd__cgf(c, " : ");
        zero_text(c, (gnd_dtype)in->dtype);
    }
}

void gnd__cg_place(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    gnd__cgf(c, "(I)o%d + ", in->ref);
    gnd__cg_address(c, in->ref);
    if (in->a[0] >= 0)
        gnd__cgf(c, " + v%d", in->a[0]);
}

/* Whether the flattened number is non-decreasing in every index. */
static int ascends(const gnd__cg *c, int access)
{
    for (int d = 0; d < c->k->nkeep + c->k->nred; d++)
        if (c->k->access[access].stride[d] < 0)
            return 0;
    return 1;
}

void gnd__cg_values(gnd__cg *c, int epilogue)
{
    const gnd__kir *k = c->k;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        char x[16];
        if (in->epilogue != epilogue || (c->pick && c->pick[i] == GND__PICK_NOT) ||
            in->kind == GND__I_POINTER)
            continue;
        if (in->kind == GND__I_CALL && !(c->pick && c->pick[i] == GND__PICK_TAKE))
            gnd__cg_outputs(c, i);
        if (c->pick && c->pick[i] == GND__PICK_TAKE) {
            gnd__cgf(c, "    const %s v%d = w%d[e_];\n", gnd__ctype_value((gnd_dtype)in->dtype), i,
                     i);
            continue;
        }
        gnd__cgf(c, "    const %s v%d = ",
                 in->kind == GND__I_SHIFT ? "I" : gnd__ctype_value((gnd_dtype)in->dtype), i);
        switch ((gnd__ikind)in->kind) {
        case GND__I_LOAD:
            if (c->vec > 1 && c->vectorised[in->ref])
                gnd__cgf(c, "gnd_ld_%s(u%d.s, l)", gnd__suffix((gnd_dtype)in->dtype), in->ref);
            else {
                gnd__cgf(c, "gnd_ld_%s(p%d, ", gnd__suffix((gnd_dtype)in->dtype), in->ref);
                gnd__cg_address(c, in->ref);
                gnd__cgf(c, ")");
            }
            break;
        case GND__I_GATHER: gather_text(c, i); break;
        case GND__I_WITHIN:
            gnd__cgf(c, "(g_b)(");
            if (in->a[1] >= 0)
                gnd__cgf(c, "v%d && ", in->a[1]);
            gnd__cgf(c, "(%s)(", c->wide ? "g_u64" : "g_u32");
            gnd__cg_place(c, i);
            gnd__cgf(c, ") < (%s)e%d)", c->wide ? "g_u64" : "g_u32", i);
            break;
        case GND__I_SHIFT:
            gnd__cgf(c, "(v%d ? e%d : 0)", in->a[0], i);
            if (in->a[1] >= 0)
                gnd__cgf(c, " + v%d", in->a[1]);
            break;
        case GND__I_PIECE: piece_text(c, in); break;
        case GND__I_CHOOSE:
            if (c->inside)
                gnd__cgf(c, "v%d", in->a[c->holds[in->a[0]] ? 1 : 2]);
            else
                gnd__cgf(c, "v%d ? v%d : v%d", in->a[0], in->a[1], in->a[2]);
            break;
        case GND__I_OFFSET:
            if (in->a[1] >= 0)
                gnd__cgf(c, "v%d + ", in->a[1]);
            gnd__cgf(c, "v%d * (g_i64)%lldL", in->a[0], (long long)in->step);
            break;
        case GND__I_CHECK:
            gnd__cgf(c, "gnd_checked_i64(v%d, %lldL, ck, ck%d)", in->a[0], (long long)in->step, i);
            break;
        case GND__I_IOTA:
            if (k->access[in->ref].off) /* otherwise the compiler knows the low bits */
                gnd__cgf(c, "o%d + ", in->ref);
            gnd__cgf(c, c->counts && !epilogue && !c->wide && ascends(c, in->ref)
                            ? "(g_i64)(g_u32)("
                            : "(g_i64)(");
            gnd__cg_address(c, in->ref);
            gnd__cgf(c, ")");
            break;
        case GND__I_CONST: gnd__cgf(c, "c%d", in->ref); break;
        case GND__I_RED: gnd__cgf(c, "R%d", in->ref); break;
        case GND__I_CAST:
            snprintf(x, sizeof x, "v%d", in->a[0]);
            cast_text(c, (gnd_dtype)k->instr[in->a[0]].dtype, (gnd_dtype)in->dtype, x);
            break;
        case GND__I_OP: op_text(c, i); break;
        case GND__I_CALL: gnd__cg_call(c, i); break;
        case GND__I_POINTER: break;
        }
        gnd__cgf(c, ";\n");
        if (c->pick && c->pick[i] == GND__PICK_SAVE)
            gnd__cgf(c, "    w%d[e_] = v%d;\n", i, i);
    }
}

void gnd__cg_stores(gnd__cg *c)
{
    for (int i = 0; i < c->k->nout; i++) {
        int a = c->k->out[i].access;
        const char *s = gnd__suffix((gnd_dtype)c->k->access[a].dtype);
        if (c->skip_out >> i & 1)
            continue;
        if (c->vec > 1 && c->vectorised[a]) {
            gnd__cgf(c, "    gnd_st_%s(u%d.s, l, v%d);\n", s, a, c->k->out[i].value);
        } else {
            gnd__cgf(c, "    gnd_st_%s(p%d, ", s, a);
            gnd__cg_address(c, a);
            gnd__cgf(c, ", v%d);\n", c->k->out[i].value);
        }
    }
}

/* Large groups limit the registers of their work-items: a compiler that does not know the
 * group's size may use more than a group can have, and the launch fails. 256 work-items can have
 * all registers. If work-items do much in parallel (c->sized), NVRTC is told so, or it uses few. */
static void qualifiers(const gnd__cg *c, gnd__str *text, int ndim, const size_t *local)
{
    const gnd_props *p = c->t->props;
    int l[3] = {1, 1, 1};
    for (int d = 0; d < ndim; d++)
        l[d] = (int)local[d];
    if (p->kind == GND_DEV_CPU || (l[0] * l[1] * l[2] <= 256 && !c->sized))
        gnd__str_add(text, "GND_KERNEL void ");
    else if (p->dialect == GND_DIALECT_CUDA)
        gnd__str_addf(text, "GND_KERNEL void __launch_bounds__(%d%s) ", l[0] * l[1] * l[2],
                      c->sized ? ", 1" : "");
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
             : gnd__prelude(&k->src, gnd__str_get(&text), c->t->props, c->e);
    k->body += k->src.len;
    gnd__str_add(&k->src, gnd__str_get(&text));
    if (st == GND_OK && k->src.bad)
        st = gnd__err(c->e, GND_ERR_NOMEM, "out of memory while writing a kernel");
    gnd__str_free(&text);
    return st != GND_OK ? st : c->e ? c->e->code : GND_OK;
}
