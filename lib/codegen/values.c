/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/values.c - the values of a point, instruction by instruction, and the stores of its
 * outputs.
 */
#include "codegen/emit.h"

#include <stdio.h>

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

static int near_of(const gnd__kir *k, const gnd__target *t)
{
    int dtype = -1;
    for (int i = 0; i < k->ninstr && gnd__prelude_cpu(t->props); i++)
        if (near_text(&k->instr[i]) && dtype != GND_FLOAT64)
            dtype = k->instr[i].ctype;
    return dtype;
}

int gnd__cg_near(const gnd__cg *c)
{
    return near_of(c->k, c->t);
}

int gnd__codegen_again(const gnd__kir *k, const gnd__target *t)
{
    return near_of(k, t) >= 0;
}

/* A random number of two that are computed at once, at even l. */
static void two_text(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    char name[3][24];
    const char *const arg[GND__OP_ARGS] = {name[0], name[1], name[2], "", ""};
    snprintf(name[0], sizeof name[0], "four%d[l]", i);
    snprintf(name[1], sizeof name[1], "four%d[l | 1]", i);
    snprintf(name[2], sizeof name[2], "two%d", i);
    gnd__cgf(c, "l & 1 ? two%d : ", i);
    gnd__expand(&c->body, gnd__ops[in->op].two, (gnd_dtype)in->ctype, arg);
}

/* The type that a float of a point has in a kernel: 0: float32, 1: float64; -1: no real float. */
static int float_type(gnd_dtype t)
{
    return gnd_dtype_kind(t) != 'f' ? -1 : t == GND_FLOAT64;
}

/* The last function called before instruction i, in the same text, with that result; -1: none. */
static int function_before(const gnd__cg *c, int i, int type)
{
    const gnd__instr *in = c->k->instr;
    for (int j = i - 1; j >= 0; j--) {
        const int skipped = c->part.pick && c->part.pick[j] == GND__PICK_NOT;
        if (in[j].kind != GND__I_OP || in[j].epilogue != in[i].epilogue || skipped)
            continue;
        const char *text = gnd__op_text((gnd__op)in[j].op, gnd_dtype_kind((gnd_dtype)in[j].ctype));
        if (text && *text != '(' && float_type((gnd_dtype)in[j].dtype) == type)
            return j;
    }
    return -1;
}

/* The arguments of a function, in name. Where a point calls two functions with equal operations,
 * PoCL's compiler first makes pairs of these, and then no vectors of the points. So the arguments
 * of a function depend on the result of the one before it, by a 0 that the compiler does not yet
 * know when it looks for pairs (gnd_after in kernels/elementary.cl). */
static void wait_for_function(const gnd__cg *c, int i, char (*name)[64])
{
    const gnd__instr *in = &c->k->instr[i];
    const int type = float_type((gnd_dtype)in->ctype);
    const int before =
        type >= 0 && gnd__prelude_cpu(c->t->props) ? function_before(c, i, type) : -1;
    for (int j = 0; before >= 0 && j < gnd__kir_nargs(c->k, in); j++)
        if (float_type((gnd_dtype)c->k->instr[in->a[j]].dtype) == type)
            snprintf(name[j], sizeof name[j], "gnd_after_%s(v%d, v%d)", type ? "f64" : "f32",
                     in->a[j], before);
}

static void op_text(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    char name[GND__OP_ARGS][64];
    const char *arg[GND__OP_ARGS];
    gnd_dtype ct = (gnd_dtype)in->ctype, t = (gnd_dtype)in->dtype;
    const char *near = c->run.near ? near_text(in) : NULL;
    const char *templ = near ? near : gnd__op_text((gnd__op)in->op, gnd_dtype_kind(ct));
    int half = (t == GND_FLOAT16 || t == GND_BFLOAT16);
    if (c->draw.tries && gnd__ops[in->op].tries)
        templ = gnd__ops[in->op].tries;
    for (int j = 0; j < GND__OP_ARGS; j++) {
        snprintf(name[j], sizeof name[j], "v%d", in->a[j]);
        arg[j] = name[j];
    }
    if (*templ != '(')
        wait_for_function(c, i, name);
    if (c->draw.twos[i]) {
        two_text(c, i);
        return;
    }
    gnd__cgf(c, half ? "gnd_round_%s(" : "(%s)(", half ? gnd__suffix(t) : gnd__ctype_value(t));
    if (c->run.word_at && c->run.words[i])
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

/* The load through an index, instruction i. */
static void gather_text(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    const char *suffix = gnd__suffix((gnd_dtype)in->dtype);
    const int guarded = in->a[1] >= 0 && !c->part.inside;
    if (c->vector.gathers && c->vector.on[in->ref]) { /* the whole vector at its first element */
        gnd__cgf(c, "l == 0 ? (g%d.v = *(GND_CONST_GLOBAL %s *)(p%d + ", i,
                 gnd__cg_raw(gnd_dtype_size((gnd_dtype)in->dtype) * (size_t)c->vector.width),
                 in->ref);
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
    if (in->a[0] >= 0 && !c->part.inside)
        gnd__cgf(c, "v%d ? ", in->a[0]);
    gnd__cgf(c, "gnd_ld_%s(b%d, o%d + (g_i64)(", gnd__suffix((gnd_dtype)in->dtype), in->ref,
             in->ref);
    gnd__cg_address(c, in->ref);
    if (in->a[1] >= 0)
        gnd__cgf(c, " + v%d", in->a[1]);
    gnd__cgf(c, "))");
    if (in->a[0] >= 0 && !c->part.inside) {
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

static void load_text(gnd__cg *c, const gnd__instr *in)
{
    const char *suffix = gnd__suffix((gnd_dtype)in->dtype);
    if (c->vector.width > 1 && c->vector.on[in->ref]) {
        gnd__cgf(c, "gnd_ld_%s(u%d.s, l)", suffix, in->ref);
        return;
    }
    gnd__cgf(c, "gnd_ld_%s(", suffix);
    gnd__cg_element(c, in->ref);
    gnd__cgf(c, ")");
}

/* The condition that is instruction i. */
static void within_text(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    const char *U = c->wide ? "g_u64" : "g_u32";
    gnd__cgf(c, "(g_b)(");
    if (in->a[1] >= 0)
        gnd__cgf(c, "v%d && ", in->a[1]);
    gnd__cgf(c, "(%s)(", U);
    gnd__cg_place(c, i);
    gnd__cgf(c, ") < (%s)e%d)", U, i);
}

static void iota_text(gnd__cg *c, const gnd__instr *in)
{
    const int counts = c->counts && !in->epilogue && !c->wide && ascends(c, in->ref);
    if (c->k->access[in->ref].off) /* otherwise the compiler knows the low bits */
        gnd__cgf(c, "o%d + ", in->ref);
    gnd__cgf(c, counts ? "(g_i64)(g_u32)(" : "(g_i64)(");
    gnd__cg_address(c, in->ref);
    gnd__cgf(c, ")");
}

static void choose_text(gnd__cg *c, const gnd__instr *in)
{
    if (c->part.inside)
        gnd__cgf(c, "v%d", in->a[c->part.holds[in->a[0]] ? 1 : 2]);
    else
        gnd__cgf(c, "v%d ? v%d : v%d", in->a[0], in->a[1], in->a[2]);
}

/* The expression that is the value of instruction i. */
static void value_text(gnd__cg *c, int i)
{
    const gnd__instr *in = &c->k->instr[i];
    char x[16];
    switch ((gnd__ikind)in->kind) {
    case GND__I_LOAD: load_text(c, in); break;
    case GND__I_GATHER: gather_text(c, i); break;
    case GND__I_WITHIN: within_text(c, i); break;
    case GND__I_SHIFT:
        if (c->part.inside)
            gnd__cgf(c, c->part.holds[in->a[0]] ? "e%d" : "0", i);
        else
            gnd__cgf(c, "(v%d ? e%d : 0)", in->a[0], i);
        if (in->a[1] >= 0)
            gnd__cgf(c, " + v%d", in->a[1]);
        break;
    case GND__I_PIECE: piece_text(c, in); break;
    case GND__I_CHOOSE: choose_text(c, in); break;
    case GND__I_OFFSET:
        if (in->a[1] >= 0)
            gnd__cgf(c, "v%d + ", in->a[1]);
        gnd__cgf(c, "v%d * (g_i64)%lldL", in->a[0], (long long)in->step);
        break;
    case GND__I_CHECK:
        gnd__cgf(c, "gnd_checked_i64(v%d, %lldL, ck, ck%d)", in->a[0], (long long)in->step, i);
        break;
    case GND__I_IOTA: iota_text(c, in); break;
    case GND__I_CONST: gnd__cgf(c, "c%d", in->ref); break;
    case GND__I_RED: gnd__cgf(c, "R%d", in->ref); break;
    case GND__I_CAST:
        snprintf(x, sizeof x, "v%d", in->a[0]);
        cast_text(c, (gnd_dtype)c->k->instr[in->a[0]].dtype, (gnd_dtype)in->dtype, x);
        break;
    case GND__I_OP: op_text(c, i); break;
    case GND__I_CALL: gnd__cg_call(c, i); break;
    case GND__I_POINTER: break;
    }
}

void gnd__cg_values(gnd__cg *c, int epilogue)
{
    for (int i = 0; i < c->k->ninstr; i++) {
        const gnd__instr *in = &c->k->instr[i];
        const int pick = c->part.pick ? c->part.pick[i] : GND__PICK_COMPUTE;
        const char *T = in->kind == GND__I_SHIFT ? "I" : gnd__ctype_value((gnd_dtype)in->dtype);
        if (in->epilogue != epilogue || pick == GND__PICK_NOT || in->kind == GND__I_POINTER)
            continue;
        if (pick == GND__PICK_TAKE) {
            gnd__cgf(c, "    const %s v%d = w%d[e_];\n", T, i, i);
            continue;
        }
        if (in->kind == GND__I_CALL)
            gnd__cg_outputs(c, i);
        gnd__cgf(c, "    const %s v%d = ", T, i);
        value_text(c, i);
        gnd__cgf(c, ";\n");
        if (pick == GND__PICK_SAVE)
            gnd__cgf(c, "    w%d[e_] = v%d;\n", i, i);
    }
}

void gnd__cg_stores(gnd__cg *c)
{
    for (int i = 0; i < c->k->nout; i++) {
        int a = c->k->out[i].access;
        const char *s = gnd__suffix((gnd_dtype)c->k->access[a].dtype);
        if (c->part.skip_out >> i & 1)
            continue;
        if (c->vector.width > 1 && c->vector.on[a]) {
            gnd__cgf(c, "    gnd_st_%s(u%d.s, l, v%d);\n", s, a, c->k->out[i].value);
        } else {
            gnd__cgf(c, "    gnd_st_%s(", s);
            gnd__cg_element(c, a);
            gnd__cgf(c, ", v%d);\n", c->k->out[i].value);
        }
    }
}
