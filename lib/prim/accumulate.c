/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/accumulate.c - see accumulate.h; the texts are in kernels/accumulate.cl.
 *
 * Three ways to add into m places. GPU: atomics in global memory; where the places fit local memory,
 * a group adds up in there first. CPU: few work-items, each with places of its own, joined in the end,
 * unless there are too many places for that: then atomics. All of them add ints, in any order.
 */
#include "prim/accumulate.h"

#include <string.h>
#include "base/dtype.h"
#include "codegen/prelude.h"
#include "graph/check.h"
#include "prim/prim.h"

enum { LOCAL_BYTES = 16384, LOCAL_LEAST = 4096, ITEMS = 8 };
#define OWN_BYTES ((int64_t)64 << 20)

gnd_array *gnd__accumulate_node(gnd__accop op, gnd_array *pos, gnd_array *val, gnd_array *base,
                                int64_t m)
{
    gnd__primargs a;
    gnd_array *in[3] = { pos, val, base };
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_ACCUMULATE;
    /* floats are looked at up to three times */
    a.mode[0] = a.mode[1] = strchr("fc", gnd_dtype_kind((gnd_dtype)val->dtype)) && op == GND__ACC_ADD
                                ? GND__IN_AGAIN : GND__IN_ONCE;
    a.mode[2] = GND__IN_ONCE;
    a.n[0] = op;
    return gnd__prim_node(pos->dev, &a, (gnd_dtype)val->dtype, 1, &m, base ? 3 : 2, in);
}

gnd_array *gnd__count_node(gnd_array *pos, int64_t m)
{
    gnd__scalar one = { .kind = 'i', .i = 1 };
    gnd_array *ones = gnd__filled(pos->dev, pos->size < INT32_MAX ? GND_INT32 : GND_INT64, pos->ndim,
                                  pos->dim, &one);
    gnd_array *y = ones->kind == GND__ERROR ? ones
                                            : gnd__accumulate_node(GND__ACC_ADD, pos, ones, NULL, m);
    if (y != ones)
        gnd__done(ones);
    return y;
}

/* --- what is common ---------------------------------------------------------------------------- */

typedef struct work {
    gnd__prog *p;
    int64_t n, m;    /* values, places */
    int own;         /* work-items with places of their own; 0: atomics */
    int nb;          /* places in local memory, as the text has it; 0: not there */
    int64_t per;     /* values of a group */
    int64_t groups;
    size_t local;    /* work-items of a group */
} work;

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

static int64_t units(const gnd__prog *p)
{
    return p->t->props->compute_units ? (int64_t)p->t->props->compute_units : 1;
}

/* Groups over all values: of many work-items with a few values each, or of one with many. */
static void spread_values(work *w)
{
    w->local = w->p->t->cpu ? 1 : gnd__prog_group(w->p, 256);
    w->per = w->p->t->cpu ? ceil_div(w->n, 4 * units(w->p)) : (int64_t)w->local * ITEMS;
    w->groups = ceil_div(w->n, w->per);
}

/* How to add into m places of so many bytes. */
static work choose(gnd__prog *p, int64_t bytes)
{
    work w = { .p = p, .n = p->in[0].size, .m = p->size };
    spread_values(&w);
    if (p->t->cpu) {
        int64_t own = w.n / (2 * w.m);
        own = own < 2 * units(p) ? own : 2 * units(p);
        own = own < OWN_BYTES / bytes / w.m ? own : OWN_BYTES / bytes / w.m;
        w.own = own > 1 ? (int)own : 0;
        if (w.own)
            w.per = ceil_div(w.n, w.own);
    } else if (bytes * w.m <= LOCAL_BYTES && w.n >= LOCAL_LEAST) {
        /* few groups, since each ends with m atomic additions; loops of less than 65536 turns */
        int64_t size = (int64_t)w.local, per = ceil_div(ceil_div(w.n, 8 * units(p)), size) * size;
        per = per < size * 65535 ? per : size * 65535;
        w.per = per > 4 * w.per ? per : 4 * w.per;
        for (w.nb = 64; w.nb < bytes / 4 * w.m;)
            w.nb *= 2;
    }
    w.groups = ceil_div(w.n, w.per);
    if (w.own)
        w.own = (int)w.groups;
    return w;
}

static void inputs(const work *w)
{
    gnd__pk_in(w->p, "pos", 0);
    gnd__pk_in(w->p, "val", 1);
    gnd__pk_int(w->p, "n", w->n);
    gnd__pk_int(w->p, "m", w->m);
    gnd__pk_int(w->p, "per", w->per);
}

static int64_t read_bytes(const work *w)
{
    return gnd__prog_reads(w->p, 0) + gnd__prog_reads(w->p, 1);
}

/* Ends a kernel that goes over all values. */
static void end_values(const work *w, int64_t wr)
{
    gnd__pk_end1(w->p, w->groups, w->local, read_bytes(w), wr);
}

/* Ends a kernel with a work-item for each of n elements. */
static void end_each(const work *w, int64_t n, int64_t rd, int64_t wr)
{
    size_t local = gnd__prog_group(w->p, 256);
    gnd__pk_end1(w->p, ceil_div(n, (int64_t)local), local, rd, wr);
}

/* --- ints -------------------------------------------------------------------------------------- */

/* The dtype of the accumulator: ints of 32 bits and more have their own. */
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

static const char *atomic_add(const gnd__prog *p, gnd_dtype t, char buf[32])
{
    int wide = gnd_dtype_size(t) == 8 && !p->t->props->has_atomic64;
    gnd__str s = { 0 };
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

/* y or the scratch gets the base, or zeros. */
static void init(const work *w, int scratch, gnd_dtype a, const char *open, int with_base)
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
    end_each(w, w->m, with_base && p->nin == 3 ? gnd__prog_reads(p, 2) : 0,
             w->m * (int64_t)gnd_dtype_size(a));
}

static void add_ints(gnd__prog *p)
{
    gnd_dtype a = acc_dtype(p->dtype);
    int64_t bytes = (int64_t)gnd_dtype_size(a);
    int bits = p->dtype == GND_BOOL, direct;
    char add[32];
    work w = choose(p, bytes);
    /* into the result itself, where nothing is left to do to it */
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
    gnd__pk_def(p, "#define ADD(p, v) %s(p, v)\n", bits ? "gnd_aor_i32" : atomic_add(p, a, add));
    if (w.own) {
        gnd__pk_body(p, "acc_add_own", a);
        end_values(&w, w.m * w.own * bytes);
    } else if (w.nb && !bits && (bytes == 4 || p->t->props->has_atomic64)) {
        gnd__pk_def(p, "#define NB %d\n#define LADD(p, v) gnd_ladd_%s(p, v)\n", w.nb, gnd__suffix(a));
        gnd__pk_body(p, "acc_add_local", a);
        end_values(&w, w.m * w.groups * bytes);
    } else {
        gnd__pk_body(p, "acc_add", a);
        end_values(&w, w.n * bytes);
    }
    if (direct)
        return;
    gnd__pk_begin(p, "k_end");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "acc", acc, a);
    gnd__pk_int(p, "m", w.m);
    base_macro(p, "", a);
    gnd__pk_def(p, "#define ACC %s\n#define OWN %d\n", gnd__ctype_value(a), w.own);
    gnd__pk_def(p, bits ? "#define END(i, a) (g_b)((BASE(i) | (a)) != 0)\n"
                        : "#define END(i, a) (%s)(BASE(i) + (a))\n", gnd__ctype_value(p->dtype));
    gnd__pk_body(p, "acc_end", p->dtype);
    end_each(&w, w.m, w.m * bytes * (w.own ? w.own : 1), w.m * (int64_t)gnd_dtype_size(p->dtype));
}

/* --- extremes ---------------------------------------------------------------------------------- */

static void extremes(gnd__prog *p)
{
    gnd_dtype t = p->dtype, a = acc_dtype(t), f = t == GND_FLOAT64 ? t : GND_FLOAT32;
    int64_t bytes = (int64_t)gnd_dtype_size(a);
    int min = p->args->n[0] == GND__ACC_MIN, is_float = gnd_dtype_kind(t) == 'f';
    const char *A = gnd__ctype_value(a);
    char key[160];
    work w = { .p = p, .n = p->in[0].size, .m = p->size };
    int acc;
    if (bytes == 8 && !p->t->props->has_atomic64) {
        gnd__prog_fail(p, GND_ERR_UNSUPPORTED, "extremes of %s by index: this device has no 64-bit "
                       "atomics: take a dtype of 32 bits", gnd_dtype_name(t));
        return;
    }
    spread_values(&w);
    /* in the order of ints; the complement turns the order round */
    gnd__str s = { 0 };
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
    end_each(&w, w.m, gnd__prog_reads(p, 2), w.m * bytes);
    gnd__pk_begin(p, "k_extreme");
    gnd__pk_mem(p, "acc", acc, a);
    inputs(&w);
    gnd__pk_def(p, "%s#define ACC %s\n", key, A);
    gnd__pk_def(p, a == GND_INT32 ? "#define AMAX(p, k) { if (gnd_peek_i32(p) < (k)) gnd_amax_%s(p, k); }\n"
                                  : "#define AMAX(p, k) gnd_amax_%s(p, k)\n", gnd__suffix(a));
    gnd__pk_body(p, "acc_max", a);
    end_values(&w, w.n * bytes);
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
    end_each(&w, w.m, w.m * bytes, w.m * (int64_t)gnd_dtype_size(t));
}

/* --- sums of floats ---------------------------------------------------------------------------- */

typedef struct sums {
    work w;
    gnd_dtype t, real;
    int parts, words, bits, low; /* bits: L, low: K of kernels/accumulate.cl */
    int acc, top, odd, all;      /* scratch */
} sums;

/* The macros of the texts. */
static void macros(const sums *s)
{
    gnd__prog *p = s->w.p;
    char add[32];
    const char *r = gnd__suffix(s->real), *add64 = atomic_add(p, GND_INT64, add);
    gnd__pk_def(p, "#define PARTS %d\n#define WORDS %d\n#define OWN %d\n", s->parts, s->words,
                s->w.own);
    gnd__pk_def(p, "#define VALUE %s\n#define PART(v, c) %s\n", gnd__ctype_value(s->t),
                s->parts == 2 ? "((c) ? (v).y : (v).x)" : "(v)");
    gnd__pk_def(p, "#define SCALE(e) (%d - (e))\n", 61 - s->bits);
    gnd__pk_def(p, "#define EXACT(all) ((all)[0] + (all)[1] <= %d)\n",
                61 - s->bits + (s->words == 2 ? s->low : 0));
    gnd__pk_def(p, "#define ADD64(p, v) %s(p, v)\n", add64);
    if (s->words == 1) {
        gnd__pk_def(p, "#define SUM(p, x, s) %s(p, gnd_fix_%s(x, s))\n", add64, r);
        gnd__pk_def(p, "#define LSUM(p, x, s) gnd_ladd_i64(p, gnd_fix_%s(x, s))\n", r);
        gnd__pk_def(p, "#define OWNSUM(p, x, s) *(p) += gnd_fix_%s(x, s)\n", r);
        return;
    }
    gnd__pk_def(p, "#define PAIR(add, p, x, s) { add(p, gnd_fixhi_%s(x, s)); add((p) + 1, "
                   "gnd_fixlo_%s(x, s, %d)); }\n", r, r, s->low);
    gnd__pk_def(p, "#define SUM(p, x, s) PAIR(%s, p, x, s)\n"
                   "#define LSUM(p, x, s) PAIR(gnd_ladd_i64, p, x, s)\n"
                   "#define PLUS(p, v) *(p) += (v)\n#define OWNSUM(p, x, s) PAIR(PLUS, p, x, s)\n", add64);
}

/* Begins a kernel that reads positions (or not), values and what is known of their exponents. */
static void begin(const sums *s, const char *name, int pos, int acc)
{
    gnd__prog *p = s->w.p;
    gnd__pk_begin(p, name);
    gnd__pk_mem(p, "all", s->all, GND_INT32);
    if (pos) {
        gnd__pk_mem(p, "top", s->top, GND_INT32);
        gnd__pk_in(p, "pos", 0);
        gnd__pk_int(p, "m", s->w.m);
        gnd__pk_int(p, "per", s->w.per);
    }
    if (acc) {
        gnd__pk_mem(p, "acc", s->acc, GND_INT64);
        gnd__pk_mem(p, "odd", s->odd, GND_INT32);
    }
    gnd__pk_in(p, "val", 1);
    gnd__pk_int(p, "n", s->w.n);
    macros(s);
}

/* The kernel `text`, in the way that was chosen. wr: bytes of a place. */
static void spread(const sums *s, const char *name, const char *text, int acc, int64_t wr)
{
    const work *w = &s->w;
    gnd__prog *p = w->p;
    char full[32];
    int local = w->nb && p->t->props->has_atomic64;
    strcpy(full, text);
    begin(s, name, 1, acc);
    if (local)
        gnd__pk_def(p, "#define NB %d\n", w->nb);
    strcat(full, w->own ? "_own" : local ? "_local" : "");
    gnd__pk_body(p, full, s->real);
    end_values(w, (w->own ? w->own * w->m : local ? w->groups * w->m : w->n) * wr);
}

static void add_floats(gnd__prog *p)
{
    sums s = { .t = p->dtype, .real = gnd__real_of(p->dtype) };
    const int both = gnd_dtype_kind(p->dtype) == 'c';
    int64_t cells;
    work span = { .p = p, .n = p->in[0].size };
    if (s.real != GND_FLOAT64)
        s.real = GND_FLOAT32;
    s.parts = both ? 2 : 1;
    s.words = s.real == GND_FLOAT64 ? 2 : 1;
    for (s.bits = 1; s.bits < 62 && ((int64_t)1 << s.bits) < p->in[0].size + 1;)
        s.bits++;
    s.low = 62 - s.bits;
    s.w = choose(p, 8 * s.parts * s.words);
    cells = s.w.m * s.parts;
    s.all = gnd__prog_scratch(p, 8);
    s.odd = gnd__prog_scratch(p, cells * 4);
    s.top = gnd__prog_scratch(p, cells * 4 * (s.w.own ? s.w.own : 1));
    s.acc = gnd__prog_scratch(p, cells * 8 * s.words * (s.w.own ? s.w.own : 1));
    gnd__prog_fill(p, s.all, GND_INT32, 2, "-100000");
    gnd__prog_fill(p, s.odd, GND_INT32, cells, "0");
    if (!s.w.own) {
        gnd__prog_fill(p, s.top, GND_INT32, cells, "-100000");
        gnd__prog_fill(p, s.acc, GND_INT64, cells * s.words, "0");
    }
    /* the exponents of all values */
    begin(&s, "k_span", 0, 0);
    spread_values(&span);
    gnd__pk_int(p, "per", span.per);
    gnd__pk_body(p, "acc_span", s.real);
    gnd__pk_end1(p, span.groups, span.local, gnd__prog_reads(p, 1), span.groups * 8);
    /* of each place's */
    spread(&s, "k_top", "acc_top", 0, 4 * s.parts);
    if (s.w.own) {
        gnd__pk_begin(p, "k_top_join");
        gnd__pk_mem(p, "all", s.all, GND_INT32);
        gnd__pk_mem(p, "top", s.top, GND_INT32);
        gnd__pk_int(p, "m", s.w.m);
        macros(&s);
        gnd__pk_body(p, "acc_top_join", s.real);
        end_each(&s.w, cells, cells * 4 * s.w.own, cells * 4);
    }
    spread(&s, "k_sum", "acc_sum", 1, 8 * s.parts * s.words);
    gnd__pk_begin(p, "k_end");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "all", s.all, GND_INT32);
    gnd__pk_mem(p, "top", s.top, GND_INT32);
    gnd__pk_mem(p, "odd", s.odd, GND_INT32);
    gnd__pk_mem(p, "acc", s.acc, GND_INT64);
    gnd__pk_int(p, "m", s.w.m);
    if (p->nin == 3)
        gnd__pk_in(p, "base", 2);
    macros(&s);
    gnd__pk_def(p, "#define BASE(i, c) %s\n", p->nin < 3 ? "0"
                : both ? "PART(IN_base(i), c)" : "IN_base(i)");
    if (s.words == 1)
        gnd__pk_def(p, "#define TOTAL(b, a, s, f) gnd_unfix_%s(b, (a)[0], s, f)\n", gnd__suffix(s.real));
    else
        gnd__pk_def(p, "#define TOTAL(b, a, s, f) gnd_unfix2_%s(b, (a)[0], (a)[1], s, %d, f)\n",
                    gnd__suffix(s.real), s.low);
    if (both)
        gnd__pk_def(p, "#define STORE(y, i, r) gnd_st_%s(y, i, gnd_cplx_%s((r)[0], (r)[1]))\n",
                    gnd__suffix(s.t), gnd__suffix(s.t));
    else if (s.t == GND_FLOAT16 || s.t == GND_BFLOAT16)
        gnd__pk_def(p, "#define STORE(y, i, r) gnd_st_%s(y, i, gnd_round_%s((r)[0]))\n",
                    gnd__suffix(s.t), gnd__suffix(s.t));
    else
        gnd__pk_def(p, "#define STORE(y, i, r) gnd_st_%s(y, i, (r)[0])\n", gnd__suffix(s.t));
    gnd__pk_body(p, "acc_sum_end", s.real);
    end_each(&s.w, s.w.m, cells * (8 * s.words + 8), p->size * (int64_t)gnd_dtype_size(p->dtype));
}

void gnd__prim_accumulate(gnd__prog *p)
{
    int kind = gnd_dtype_kind(p->dtype);
    if (p->size == 0)
        return;
    if (p->in[0].size == 0) {
        /* nothing comes to what there is */
        work w = { .p = p, .m = p->size };
        gnd__pk_begin(p, "k_init");
        gnd__pk_out(p, "y");
        gnd__pk_int(p, "m", w.m);
        if (p->nin == 3)
            gnd__pk_in(p, "base", 2);
        gnd__pk_def(p, "#define BASE(i) %s\n", p->nin == 3 ? "IN_base(i)" : "IN_zero(i)");
        if (p->nin < 3)
            gnd__pk_def(p, kind == 'c' ? "#define IN_zero(i) gnd_cplx_%s(0, 0)\n"
                                       : "#define IN_zero(i) 0\n", gnd__suffix(p->dtype));
        gnd__pk_body(p, "acc_base", p->dtype);
        end_each(&w, w.m, 0, w.m * (int64_t)gnd_dtype_size(p->dtype));
    } else if (p->args->n[0] != GND__ACC_ADD) {
        extremes(p);
    } else if (kind == 'f' || kind == 'c') {
        add_floats(p);
    } else {
        add_ints(p);
    }
}
