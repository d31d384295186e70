/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_info.c - the language's functions of dtypes: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/info.h>
#include "base/mem.h"
#include "lang/call.h"

#include <string.h>

/* The dtype in argument i: a dtype, its name, or an array. */
static int type_of(gnd__args *c, int i, gnd_dtype *t)
{
    const gnd__val *v = &c->arg[i].v;
    if (v->kind == GND__V_DTYPE || v->kind == GND__V_STR)
        return gnd__arg_dtype(c, i, t);
    if (v->kind != GND__V_ARRAY)
        return gnd__arg_wrong(c, i, "a dtype or an array");
    *t = gnd_dtype_of(v->held->a);
    return 0;
}

static gnd__val dtype_value(gnd_dtype t)
{
    return (gnd__val){.kind = GND__V_DTYPE, .t = t};
}

/* --- limits ----------------------------------------------------------------------------------- */

int gnd__fn_finfo(gnd__args *c)
{
    gnd_dtype t;
    gnd_float_info f;
    if (type_of(c, 0, &t))
        return -1;
    gnd_status st = gnd_finfo(t, &f);
    if (st)
        return gnd__expr_fail(c->x, st, c->arg[0].at, "%s", gnd_message());
    gnd__val item[] = {
        gnd__val_int(f.bits),
        gnd__val_float(f.eps),
        gnd__val_float(f.epsneg),
        gnd__val_float(f.max),
        gnd__val_float(f.min),
        gnd__val_float(f.smallest_normal),
        gnd__val_float(f.smallest_normal),
        gnd__val_float(f.smallest_subnormal),
        gnd__val_float(f.resolution),
        gnd__val_int(f.precision),
        gnd__val_int(f.nmant),
        gnd__val_int(f.nexp),
        dtype_value(f.dtype),
    };
    return gnd__val_named(c->x, c->out, GND__V_RECORD,
                          "bits eps epsneg max min smallest_normal tiny "
                          "smallest_subnormal resolution precision nmant nexp dtype",
                          item, sizeof item / sizeof item[0], c->at);
}

int gnd__fn_iinfo(gnd__args *c)
{
    gnd_dtype t;
    gnd_int_info f;
    if (type_of(c, 0, &t))
        return -1;
    gnd_status st = gnd_iinfo(t, &f);
    if (st)
        return gnd__expr_fail(c->x, st, c->arg[0].at, "%s", gnd_message());
    gnd__val item[4] = {gnd__val_int(f.bits), gnd__val_uint(f.max), gnd__val_int(f.min),
                        dtype_value(t)};
    return gnd__val_named(c->x, c->out, GND__V_RECORD, "bits max min dtype", item, 4, c->at);
}

/* --- kinds ------------------------------------------------------------------------------------ */

static unsigned kind_named(const gnd__val *v)
{
    static const struct {
        const char *name;
        unsigned kinds;
    } kinds[] = {
        {"bool", GND_KIND_BOOL},
        {"signed integer", GND_KIND_SIGNED},
        {"unsigned integer", GND_KIND_UNSIGNED},
        {"integral", GND_KIND_INTEGRAL},
        {"real floating", GND_KIND_REAL},
        {"complex floating", GND_KIND_COMPLEX},
        {"numeric", GND_KIND_NUMERIC},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (v->str.n == strlen(kinds[i].name) && !memcmp(v->str.s, kinds[i].name, v->str.n))
            return kinds[i].kinds;
    return 0;
}

/* Returns 1 if t is of kind v, which is a dtype, the name of a kind, or a tuple of these; 0 if not;
 * -1 on an error. */
static int is_kind(gnd__args *c, gnd_dtype t, const gnd__val *v)
{
    int yes = 0;
    if (v->kind == GND__V_DTYPE)
        return v->t == t;
    if (v->kind == GND__V_STR && kind_named(v))
        return gnd_isdtype(t, kind_named(v));
    if (v->kind == GND__V_STR)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->arg[1].at,
                              "isdtype: '%.*s' is no kind: take 'bool', "
                              "'signed integer', 'unsigned integer', 'integral', 'real floating', "
                              "'complex floating' or 'numeric'",
                              (int)(v->str.n > 40 ? 40 : v->str.n), v->str.s);
    if (v->kind != GND__V_TUPLE)
        return gnd__arg_wrong(c, 1, "a dtype, the name of a kind, or a tuple of them");
    for (int64_t i = 0; i < v->seq->n; i++) {
        if (gnd__val_is_seq(&v->seq->item[i]))
            return gnd__arg_wrong(c, 1, "a tuple of dtypes and names of kinds");
        int k = is_kind(c, t, &v->seq->item[i]);
        if (k < 0)
            return -1;
        yes |= k;
    }
    return yes;
}

int gnd__fn_isdtype(gnd__args *c)
{
    gnd_dtype t;
    if (c->arg[0].v.kind != GND__V_DTYPE && c->arg[0].v.kind != GND__V_STR)
        return gnd__arg_wrong(c, 0, "a dtype");
    if (gnd__arg_dtype(c, 0, &t))
        return -1;
    int yes = is_kind(c, t, &c->arg[1].v);
    *c->out = gnd__val_bool(yes);
    return yes < 0 ? -1 : 0;
}

/* --- promotion -------------------------------------------------------------------------------- */

int gnd__fn_can_cast(gnd__args *c)
{
    gnd_dtype from, to;
    if (type_of(c, 0, &from) || gnd__arg_dtype(c, 1, &to))
        return -1;
    if (!gnd__arg_given(c, 1))
        return gnd__arg_wrong(c, 1, "a dtype");
    *c->out =
        gnd__val_bool(c->arg[0].v.kind == GND__V_ARRAY ? gnd_can_cast_array(c->arg[0].v.held->a, to)
                                                       : gnd_can_cast(from, to));
    return 0;
}

/* The arguments are arrays, numbers, dtypes and names of dtypes, in any order. */
int gnd__fn_result_type(gnd__args *c)
{
    int n = 0, m = 0, bad = 0;
    gnd_array **x = gnd__calloc((size_t)c->nrest + 1, sizeof *x);
    gnd_dtype *t = gnd__calloc((size_t)c->nrest + 1, sizeof *t);
    if (!x || !t)
        bad = gnd__expr_nomem(c->x);
    for (int i = 0; i < c->nrest && !bad; i++) {
        gnd__val *v = &c->rest[i].v;
        if (v->kind == GND__V_DTYPE || v->kind == GND__V_STR) {
            c->arg[0] = c->rest[i]; /* read by gnd__arg_dtype; not owned */
            bad = gnd__arg_dtype(c, 0, &t[m++]);
            c->arg[0].v.kind = GND__V_MISSING;
        } else {
            bad = !(x[n++] = gnd__val_to_array(c->x, v, c->rest[i].at, "result_type"));
        }
    }
    if (!bad) {
        gnd_dtype r = gnd_result_type(n, x, m, t);
        *c->out = dtype_value(r);
        if (r == GND_DTYPE_DEFAULT)
            bad = gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "%s", gnd_message());
    }
    gnd__free(x);
    gnd__free(t);
    return bad ? -1 : 0;
}
