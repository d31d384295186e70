/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_pad.c - the language's pad: converts NumPy's forms of "before and after, for each axis"
 * to the arguments of gnd_pad.
 */
#include <gnd/array.h>
#include <gnd/manip.h>
#include "base/mem.h"
#include "lang/call.h"

#include <stdio.h>
#include <string.h>

/* Item i of a value, as a new reference. A value without items is its own item 0. */
static int item(gnd__args *c, const gnd__slot *s, int i, gnd__val *out)
{
    if (gnd__val_is_seq(&s->v)) {
        *out = gnd__val_ref(&s->v.seq->item[i]);
        return 0;
    }
    if (s->v.kind == GND__V_ARRAY && gnd_ndim(s->v.held->a)) {
        gnd_range r = {.kind = GND_IDX_INT, .start = i};
        return gnd__val_array(c->x, out, gnd_index(s->v.held->a, 1, &r), s->at);
    }
    *out = gnd__val_ref(&s->v);
    return 0;
}

/* The number of items; 0 for a number. -1: the value is empty or of another kind. */
static int64_t count_of(const gnd__val *v)
{
    if (gnd__val_is_seq(v))
        return v->seq->n ? v->seq->n : -1;
    if (v->kind == GND__V_ARRAY) {
        const int64_t n = gnd_ndim(v->held->a) ? gnd_dim(v->held->a, 0) : 0;
        return n || !gnd_ndim(v->held->a) ? n : -1;
    }
    return gnd__val_is_number(v) ? 0 : -1;
}

static int wrong(gnd__args *c, int i, int ndim)
{
    char want[96];
    snprintf(want, sizeof want, "one value, (before, after), or a pair for each of %d axes", ndim);
    return gnd__val_is_seq(&c->arg[i].v) || c->arg[i].v.kind == GND__V_ARRAY
               ? gnd__arg_value(c, i, want)
               : gnd__arg_wrong(c, i, want);
}

/* Reads argument i as 2 * ndim values. The forms are v, (v,), (before, after), ((before, after),),
 * ((before, after), ...) and ((v,), ...). */
static int pairs(gnd__args *c, int i, int ndim, gnd__val *out)
{
    const gnd__slot *s = &c->arg[i];
    int64_t n = count_of(&s->v);
    int nested = 0, bad = 0;
    gnd__val first = {.kind = GND__V_MISSING};
    if (n > 0 && !item(c, s, 0, &first))
        nested = count_of(&first) > 0;
    gnd__val_drop(&first);
    if (n < 0 || (nested ? n != 1 && n != ndim : n != 0 && n != 1 && n != 2))
        return wrong(c, i, ndim);
    for (int d = 0; d < ndim && !bad; d++) {
        gnd__slot row = {.v = {.kind = GND__V_MISSING}, .at = s->at};
        if (nested)
            bad = item(c, s, n == 1 ? 0 : d, &row.v);
        else
            row.v = gnd__val_ref(&s->v);
        int64_t m = bad ? 0 : count_of(&row.v);
        if (!bad && m != 0 && m != 1 && m != 2)
            bad = wrong(c, i, ndim);
        for (int k = 0; k < 2 && !bad; k++) {
            bad = item(c, &row, m == 2 ? k : 0, &out[2 * d + k]);
            if (!bad && count_of(&out[2 * d + k]) != 0)
                bad = wrong(c, i, ndim);
        }
        gnd__val_drop(&row.v);
    }
    return bad ? -1 : 0;
}

static int ints(gnd__args *c, int i, int ndim, int64_t *v)
{
    gnd__val part[2 * GND_MAX_NDIM];
    memset(part, 0, sizeof part);
    int bad = pairs(c, i, ndim, part);
    for (int k = 0; k < 2 * ndim && !bad; k++)
        if ((bad = gnd__val_to_int(c->x, &part[k], c->arg[i].at, &v[k])) > 0)
            bad = gnd__arg_wrong(c, i, "made of ints");
    for (int k = 0; k < 2 * ndim; k++)
        gnd__val_drop(&part[k]);
    return bad;
}

/* Whether `name` is the mode (argument 2, default 'constant'). */
static int mode_is(const gnd__args *c, const char *name)
{
    const gnd__val *v = &c->arg[2].v;
    return v->kind == GND__V_STR ? strlen(name) == v->str.n && !memcmp(name, v->str.s, v->str.n)
                                 : !strcmp(name, "constant");
}

/* Refuses options that the mode does not have. */
static int check_options(gnd__args *c)
{
    static const struct {
        int arg;
        const char *name, *modes[4];
    } option[] = {
        {3, "constant_values", {"constant"}},
        {4, "end_values", {"linear_ramp"}},
        {5, "stat_length", {"maximum", "mean", "median", "minimum"}},
        {6, "reflect_type", {"reflect", "symmetric"}},
    };
    for (int i = 0; i < 4; i++) {
        int has = c->arg[option[i].arg].v.kind == GND__V_MISSING;
        for (int k = 0; k < 4 && option[i].modes[k]; k++)
            has |= mode_is(c, option[i].modes[k]);
        if (!has)
            return gnd__expr_fail(c->x, GND_ERR_ARG, c->arg[option[i].arg].at,
                                  "pad: mode \"%.*s\" has no "
                                  "argument '%s'",
                                  c->arg[2].v.kind == GND__V_STR ? (int)c->arg[2].v.str.n : 8,
                                  c->arg[2].v.kind == GND__V_STR ? c->arg[2].v.str.s : "constant",
                                  option[i].name);
    }
    return 0;
}

/* Reads argument i as 2 * ndim arrays. `part` owns them. */
static int values(gnd__args *c, int i, int ndim, gnd__val *part, gnd_array **v)
{
    if (pairs(c, i, ndim, part))
        return -1;
    for (int k = 0; k < 2 * ndim; k++)
        if (!(v[k] = gnd__val_to_array(c->x, &part[k], c->arg[i].at, "pad: a value")))
            return -1;
    return 0;
}

int gnd__fn_pad(gnd__args *c)
{
    gnd__val part[2 * GND_MAX_NDIM];
    gnd_array *v[2 * GND_MAX_NDIM], *x = gnd__arg_strong(c, 0);
    int64_t width[2 * GND_MAX_NDIM], length[2 * GND_MAX_NDIM];
    gnd_pad_options opt = {.odd = 0};
    char mode[40] = "constant";
    if (!x)
        return -1;
    const gnd__val *name = &c->arg[2].v;
    int ndim = gnd_ndim(x), bad;
    if (name->kind == GND__V_STR)
        snprintf(mode, sizeof mode, "%.*s", (int)name->str.n, name->str.s);
    else if (name->kind != GND__V_MISSING)
        return gnd__arg_wrong(c, 2, "a string");
    if ((opt.odd = gnd__arg_word(c, 6, "even odd", 0)) < 0)
        return -1;
    if (check_options(c))
        return -1;
    int has_values = mode_is(c, "linear_ramp") ? 4 : 3, use = gnd__arg_given(c, has_values);
    memset(part, 0, sizeof part);
    bad = ints(c, 1, ndim, width) || (gnd__arg_given(c, 5) && ints(c, 5, ndim, length)) ||
          (use && values(c, has_values, ndim, part, v));
    if (!bad) {
        opt.values = use ? v : NULL;
        opt.stat_length = gnd__arg_given(c, 5) ? length : NULL;
        bad = gnd__ret(c, gnd_pad(x, width, mode, &opt));
    }
    for (int k = 0; k < 2 * ndim; k++)
        gnd__val_drop(&part[k]);
    return bad;
}
