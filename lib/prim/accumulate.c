/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/accumulate.c - see accumulate.h: ints, extremes, and how values are distributed over
 * work-items. Sums of floats are in accumulate_floats.c. The texts are in kernels/accumulate.cl.
 *
 * There are three ways to add into m places. GPU: atomics in global memory; if the places fit into
 * local memory, a group first adds up there. CPU: few work-items, each with places of its own that
 * are joined at the end; atomics if there are many cores and too many places for that. All of them
 * add ints, so the order does not matter.
 */
#include "prim/accumulate.h"

#include <string.h>
#include "base/dtype.h"
#include "codegen/prelude.h"
#include "graph/check.h"
#include "prim/accumulate_priv.h"

enum { LOCAL_BYTES = 16384, LOCAL_LEAST = 4096, ITEMS = 8 };
/* On CPUs an atomic addition takes twice as long as so many plain ones, or as clearing and joining
 * so many places; up to that many cores, one of them adds sooner than all do by atomics, unless
 * there are so many places for a value that clearing them counts. */
enum { CHEAPER = 4, FEW_UNITS = 4, SPARSE = 16 };
#define OWN_BYTES ((int64_t)64 << 20)

gnd_array *gnd__accumulate_node(gnd__accop op, gnd_array *pos, gnd_array *val, gnd_array *base,
                                int64_t m)
{
    gnd__primargs a;
    gnd_array *in[3] = {pos, val, base};
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_ACCUMULATE;
    /* floats are read up to three times */
    a.mode[0] = a.mode[1] =
        strchr("fc", gnd_dtype_kind((gnd_dtype)val->dtype)) && op == GND__ACC_ADD ? GND__IN_AGAIN
                                                                                  : GND__IN_ONCE;
    a.mode[2] = GND__IN_ONCE;
    a.n[0] = op;
    return gnd__prim_node(pos->dev, &a, (gnd_dtype)val->dtype, 1, &m, base ? 3 : 2, in);
}

/* --- what is common --------------------------------------------------------------------------- */

void gnd__acc_spread(gnd__acc *w)
{
    w->local = w->p->t->cpu ? 1 : gnd__prog_group(w->p, 256);
    w->per =
        w->p->t->cpu ? gnd__acc_ceil(w->n, 4 * gnd__acc_units(w->p)) : (int64_t)w->local * ITEMS;
    w->groups = gnd__acc_ceil(w->n, w->per);
}

gnd__acc gnd__acc_choose(gnd__prog *p, int64_t bytes)
{
    gnd__acc w = {.p = p, .n = p->in[1].size, .m = p->size};
    gnd__acc_spread(&w);
    if (p->t->cpu) {
        const int64_t units = gnd__acc_units(p), room = OWN_BYTES / bytes / w.m,
                      few = CHEAPER * w.n / w.m < units ? CHEAPER * w.n / w.m : units;
        int64_t own = w.n / (2 * w.m) < 2 * units ? w.n / (2 * w.m) : 2 * units;
        if (own < few && CHEAPER * 2 * few >= units)
            own = few;
        own = own < room ? own : room;
        w.own = own > 1 ? (int)own : units <= FEW_UNITS && w.m / SPARSE <= w.n;
        if (w.own)
            w.per = gnd__acc_ceil(w.n, w.own);
    } else if (bytes * w.m <= LOCAL_BYTES && w.n >= LOCAL_LEAST) {
        /* few groups, because each ends with m atomic additions; loops of fewer than 65536
         * iterations */
        int64_t size = (int64_t)w.local,
                per = gnd__acc_ceil(gnd__acc_ceil(w.n, 8 * gnd__acc_units(p)), size) * size;
        per = per < size * 65535 ? per : size * 65535;
        w.per = per > 4 * w.per ? per : 4 * w.per;
        for (w.nb = 64; w.nb < bytes / 4 * w.m;)
            w.nb *= 2;
    }
    w.groups = gnd__acc_ceil(w.n, w.per);
    if (w.own)
        w.own = (int)w.groups;
    return w;
}

void gnd__acc_pos(gnd__prog *p)
{
    const int64_t n = p->in[1].size, width = n / p->in[0].size;
    if (width == 1) {
        gnd__pk_in(p, "pos", 0);
        return;
    }
    /* a shorter type divides faster */
    const char *t = n <= INT32_MAX ? "g_u32" : "g_i64";
    gnd__pk_in(p, "row", 0);
    gnd__pk_int(p, "width", width);
    gnd__pk_def(p,
                "#define IN_pos(i) (IN_row((g_i64)((%s)(i) / (%s)width)) * width + "
                "(g_i64)((%s)(i) %% (%s)width))\n",
                t, t, t, t);
}

static void inputs(const gnd__acc *w)
{
    gnd__acc_pos(w->p);
    gnd__pk_in(w->p, "val", 1);
    gnd__pk_int(w->p, "n", w->n);
    gnd__pk_int(w->p, "m", w->m);
    gnd__pk_int(w->p, "per", w->per);
}

int64_t gnd__acc_reads(const gnd__acc *w)
{
    return gnd__prog_reads(w->p, 0) + gnd__prog_reads(w->p, 1);
}

void gnd__acc_end_values(const gnd__acc *w, int64_t wr)
{
    gnd__pk_end1(w->p, w->groups, w->local, gnd__acc_reads(w), wr);
}

void gnd__acc_end_each(const gnd__acc *w, int64_t n, int64_t rd, int64_t wr)
{
    const size_t local = gnd__prog_group(w->p, w->p->t->cpu ? 1024 : 256);
    gnd__pk_end1(w->p, gnd__acc_ceil(n, (int64_t)local), local, rd, wr);
}

/* --- ints ------------------------------------------------------------------------------------- */

/* The dtype of the accumulator. Ints of at least 32 bits use their own dtype. */
static gnd_dtype acc_dtype(gnd_dtype t)
{
    switch (t) {
    case GND_UINT32:
    case GND_INT64:
    case GND_UINT64: return t;
    case GND_FLOAT64: return GND_INT64;
    default: return GND_INT32;
    }
}

const char *gnd__acc_atomic(const gnd__prog *p, gnd_dtype t, char buf[32])
{
    int wide = gnd_dtype_size(t) == 8 && !p->t->props->has_atomic64;
    gnd__str s = {0};
    gnd__str_addf(&s, "gnd_aadd%s_%s", wide ? "2" : "", gnd__suffix(t));
    strncpy(buf, gnd__str_get(&s), 31);
    buf[31] = 0;
    gnd__str_free(&s);
    return buf;
}

static void base_macro(gnd__prog *p, const char *open, gnd_dtype a)
{
    if (p->nin == 3)
        gnd__pk_in(p, "base", 2);
    gnd__pk_def(p, "#define BASE(i) %s(%s)%s%s\n", open, gnd__ctype_value(a),
                p->nin == 3 ? "IN_base(i)" : "0", *open ? ")" : "");
}

/* Initialises y or the scratch memory with the base, or zeros. */
static void init(const gnd__acc *w, int scratch, gnd_dtype a, const char *open, int with_base)
{
    gnd__prog *p = w->p;
    gnd__pk_begin(p, "k_init");
    if (scratch < 0)
        gnd__pk_out(p, "acc");
    else
        gnd__pk_mem(p, "acc", scratch, a);
    gnd__pk_int(p, "m", w->m);
    if (with_base)
        base_macro(p, open, a);
    else
        gnd__pk_def(p, "#define BASE(i) 0\n");
    gnd__pk_body(p, "acc_init", a);
    gnd__acc_end_each(w, w->m, with_base && p->nin == 3 ? gnd__prog_reads(p, 2) : 0,
                      w->m * (int64_t)gnd_dtype_size(a));
}

static void add_ints(gnd__prog *p)
{
    gnd_dtype a = acc_dtype(p->dtype);
    int64_t bytes = (int64_t)gnd_dtype_size(a);
    int bits = p->dtype == GND_BOOL, direct;
    char add[32];
    gnd__acc w = gnd__acc_choose(p, bytes);
    /* add directly into the result if no conversion is needed afterwards */
    direct = a == p->dtype && !w.own;
    int acc = direct ? -1 : gnd__prog_scratch(p, w.m * bytes * (w.own ? w.own : 1));
    if (!w.own)
        init(&w, acc, a, "", direct);
    gnd__pk_begin(p, "k_add");
    if (direct)
        gnd__pk_out(p, "acc");
    else
        gnd__pk_mem(p, "acc", acc, a);
    inputs(&w);
    gnd__pk_def(p, "#define VAL(i) (%s)IN_val(i)\n", gnd__ctype_value(a));
    gnd__pk_def(p, "#define ADD(p, v) %s(p, v)\n",
                bits ? "gnd_aor_i32" : gnd__acc_atomic(p, a, add));
    if (w.own) {
        gnd__pk_body(p, "acc_add_own", a);
        gnd__acc_end_values(&w, w.m * w.own * bytes);
    } else if (w.nb && !bits && (bytes == 4 || p->t->props->has_atomic64)) {
        gnd__pk_def(p, "#define NB %d\n#define LADD(p, v) gnd_ladd_%s(p, v)\n", w.nb,
                    gnd__suffix(a));
        gnd__pk_body(p, "acc_add_local", a);
        gnd__acc_end_values(&w, w.m * w.groups * bytes);
    } else {
        gnd__pk_body(p, "acc_add", a);
        gnd__acc_end_values(&w, w.n * bytes);
    }
    if (direct)
        return;
    gnd__pk_begin(p, "k_end");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "acc", acc, a);
    gnd__pk_int(p, "m", w.m);
    base_macro(p, "", a);
    gnd__pk_def(p, "#define ACC %s\n#define OWN %d\n", gnd__ctype_value(a), w.own);
    gnd__pk_def(p,
                bits ? "#define END(i, a) (g_b)((BASE(i) | (a)) != 0)\n"
                     : "#define END(i, a) (%s)(BASE(i) + (a))\n",
                gnd__ctype_value(p->dtype));
    gnd__pk_body(p, "acc_end", p->dtype);
    gnd__acc_end_each(&w, w.m, w.m * bytes * (w.own ? w.own : 1),
                      w.m * (int64_t)gnd_dtype_size(p->dtype));
}

/* --- extremes --------------------------------------------------------------------------------- */

static void extremes(gnd__prog *p)
{
    gnd_dtype t = p->dtype, a = acc_dtype(t), f = t == GND_FLOAT64 ? t : GND_FLOAT32;
    int64_t bytes = (int64_t)gnd_dtype_size(a);
    int min = p->args->n[0] == GND__ACC_MIN, is_float = gnd_dtype_kind(t) == 'f';
    const char *A = gnd__ctype_value(a);
    char key[160];
    gnd__acc w = {.p = p, .n = p->in[1].size, .m = p->size};
    int acc;
    if (bytes == 8 && !p->t->props->has_atomic64) {
        gnd__prog_fail(p, GND_ERR_UNSUPPORTED,
                       "extremes of %s by index: this device has no 64-bit "
                       "atomics: take a dtype of 32 bits",
                       gnd_dtype_name(t));
        return;
    }
    gnd__acc_spread(&w);
    /* the bits are ordered as ints; the complement reverses the order */
    gnd__str s = {0};
    if (is_float)
        gnd__str_addf(&s, "#define KEY(x) gnd_fkey_%s(%s(x))\n", gnd__suffix(f), min ? "-" : "");
    else
        gnd__str_addf(&s, "#define KEY(x) (%s)%s(%s)(x)\n", A, min ? "~" : "", A);
    strncpy(key, gnd__str_get(&s), sizeof key - 1);
    key[sizeof key - 1] = 0;
    gnd__str_free(&s);
    acc = gnd__prog_scratch(p, w.m * bytes);
    gnd__pk_begin(p, "k_init");
    gnd__pk_mem(p, "acc", acc, a);
    gnd__pk_in(p, "base", 2);
    gnd__pk_int(p, "m", w.m);
    gnd__pk_def(p, "%s#define BASE(i) KEY(IN_base(i))\n", key);
    gnd__pk_body(p, "acc_init", a);
    gnd__acc_end_each(&w, w.m, gnd__prog_reads(p, 2), w.m * bytes);
    gnd__pk_begin(p, "k_extreme");
    gnd__pk_mem(p, "acc", acc, a);
    inputs(&w);
    gnd__pk_def(p, "%s#define ACC %s\n", key, A);
    gnd__pk_def(p,
                a == GND_INT32
                    ? "#define AMAX(p, k) { if (gnd_peek_i32(p) < (k)) gnd_amax_%s(p, k); }\n"
                    : "#define AMAX(p, k) gnd_amax_%s(p, k)\n",
                gnd__suffix(a));
    gnd__pk_body(p, "acc_max", a);
    gnd__acc_end_values(&w, w.n * bytes);
    gnd__pk_begin(p, "k_end");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "acc", acc, a);
    gnd__pk_int(p, "m", w.m);
    gnd__pk_def(p, "#define ACC %s\n#define OWN 1\n", A);
    if (is_float)
        gnd__pk_def(p, "#define END(i, a) %s(gnd_unfkey_%s(a))\n", min ? "-" : "", gnd__suffix(f));
    else
        gnd__pk_def(p, "#define END(i, a) (%s)%s(a)\n", gnd__ctype_value(t), min ? "~" : "");
    gnd__pk_body(p, "acc_end", t);
    gnd__acc_end_each(&w, w.m, w.m * bytes, w.m * (int64_t)gnd_dtype_size(t));
}

void gnd__acc_base(gnd__prog *p)
{
    const int kind = gnd_dtype_kind(p->dtype);
    gnd__acc w = {.p = p, .m = p->size};
    gnd__pk_begin(p, "k_init");
    gnd__pk_out(p, "y");
    gnd__pk_int(p, "m", w.m);
    if (p->nin == 3)
        gnd__pk_in(p, "base", 2);
    gnd__pk_def(p, "#define BASE(i) %s\n", p->nin == 3 ? "IN_base(i)" : "IN_zero(i)");
    if (p->nin < 3)
        gnd__pk_def(
            p, kind == 'c' ? "#define IN_zero(i) gnd_cplx_%s(0, 0)\n" : "#define IN_zero(i) 0\n",
            gnd__suffix(p->dtype));
    gnd__pk_body(p, "acc_base", p->dtype);
    gnd__acc_end_each(&w, w.m, 0, w.m * (int64_t)gnd_dtype_size(p->dtype));
}

void gnd__prim_accumulate(gnd__prog *p)
{
    int kind = gnd_dtype_kind(p->dtype);
    if (p->size == 0)
        return;
    if (p->in[1].size == 0) {
        gnd__acc_base(p);
    } else if (p->args->n[0] != GND__ACC_ADD) {
        extremes(p);
    } else if (kind == 'f' || kind == 'c') {
        gnd__acc_floats(p);
    } else {
        add_ints(p);
    }
    if (p->in[1].size && p->args->n[0] == GND__ACC_ADD)
        p->native = (gnd__native){.what = GND__NATIVE_SUMS,
                                  .op = p->nin == 3,
                                  .t = p->dtype,
                                  .m = p->size,
                                  .n = p->in[1].size,
                                  .inner = p->in[1].size / p->in[0].size};
}
