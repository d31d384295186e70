/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/call.c - binds positional and keyword arguments to the signature of a function, and calls its
 * handler. Elementwise operations and dtypes are functions without an entry of their
 * own.
 */
#include "lang/call.h"

#include <gnd/array.h>
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/words.h"

#include <stdio.h>
#include <string.h>

static const gnd__fn table[] = {
#define FN(names, params, where, run) {names, params, GND__FN_##where, gnd__fn_##run},
#include "lang/funcs.def"
#undef FN
};

const gnd__fn *gnd__fn_entry(int i)
{
    return i < (int)(sizeof table / sizeof table[0]) ? &table[i] : NULL;
}

/* Whether one of the words of list, separated by sep, is the name. */
static int has_word(const char *list, char sep, const char *name, size_t n)
{
    for (const char *p = list;;) {
        const char *end = strchr(p, sep);
        size_t len = end ? (size_t)(end - p) : strlen(p);
        if (len == n && !memcmp(p, name, n))
            return 1;
        if (!end)
            return 0;
        p = end + 1;
    }
}

/* --- signatures -------------------------------------------------------------------------------- */

/* One parameter, pointing into the signature. */
typedef struct param {
    const char *names; /* "x|a" */
    size_t n;
    int required, rest, keyword_only;
} param;

static int parse_params(const char *s, param *p)
{
    int n = 0, keyword_only = 0;
    while (*s) {
        size_t len = strcspn(s, ",="), k;
        if (*s == '*' && len == 1) {
            keyword_only = 1;
        } else {
            int rest = *s == '*';
            p[n++] = (param){.names = s + rest, .n = len - (size_t)rest, .rest = rest,
                             .required = s[len] != '=' && !rest, .keyword_only = keyword_only};
            keyword_only |= rest;
        }
        k = len + strcspn(s + len, ",");
        s += k + (s[k] == ',') + (s[k] == ',' && s[k + 1] == ' ');
    }
    return n;
}

/* The signature as it is shown: first names only; a method's without its first parameter. */
static void show(const char *fn, const char *params, int method, char *buf, size_t size)
{
    gnd__str s = {0};
    const char *p = params;
    if (method) {
        p += strcspn(p, ",");
        p += *p == ',';
        p += *p == ' ';
    }
    gnd__str_addf(&s, "%s%s(", method ? "x." : "", fn);
    while (*p) {
        if (*p == '|')
            p += strcspn(p, ",=");
        else
            gnd__str_addc(&s, *p++);
    }
    gnd__str_addc(&s, ')');
    snprintf(buf, size, "%s", gnd__str_get(&s));
    gnd__str_free(&s);
}

static int bad_keyword(gnd__args *c, const gnd__slot *s, const param *p, int np, const char *shown)
{
    const char *kw = c->x->text + s->kw_at;
    int best = -1, near = 0, n = (int)(s->kw_n > 40 ? 40 : s->kw_n);
    for (int i = 0; i < np; i++) {
        size_t len = strcspn(p[i].names, "|,=");
        int d = gnd__near(kw, s->kw_n, p[i].names, len);
        if (best < 0 || d < near) {
            best = i;
            near = d;
        }
    }
    if (best >= 0 && near <= 2 + (int)s->kw_n / 2)
        return gnd__expr_fail(c->x, GND_ERR_ARG, s->at, "%s has no argument '%.*s': did you mean "
                              "'%.*s'? It is %s", c->name, n, kw,
                              (int)strcspn(p[best].names, "|,="), p[best].names, shown);
    return gnd__expr_fail(c->x, GND_ERR_ARG, s->at, "%s has no argument '%.*s': it is %s", c->name, n,
                          kw, shown);
}

static int find_keyword(const gnd__expr *x, const gnd__slot *s, const param *p, int np)
{
    for (int i = 0; i < np; i++) {
        char names[64];
        snprintf(names, sizeof names, "%.*s", (int)p[i].n, p[i].names);
        if (!p[i].rest && has_word(names, '|', x->text + s->kw_at, s->kw_n))
            return i;
    }
    return -1;
}

/* Moves n values to their parameters. */
static int bind(gnd__args *c, const char *params, gnd__slot *arg, int n, const char *shown)
{
    param p[GND__FN_PARAMS];
    int np = parse_params(params, p), next = 0;
    for (int i = 0; i < np; i++)
        c->param[i] = p[i].names;
    for (int i = 0; i < n; i++) {
        int k = next;
        if (arg[i].kw_n) {
            k = find_keyword(c->x, &arg[i], p, np);
            if (k < 0)
                return bad_keyword(c, &arg[i], p, np, shown);
            if (c->arg[k].v.kind != GND__V_MISSING)
                return gnd__expr_fail(c->x, GND_ERR_ARG, arg[i].at, "%s: '%.*s' is given twice",
                                      c->name, (int)arg[i].kw_n, c->x->text + arg[i].kw_at);
        } else if (k < np && p[k].rest) {
            if (!c->nrest++)
                c->rest = &arg[i];
            continue;
        } else if (k >= np || p[k].keyword_only) {
            return gnd__expr_fail(c->x, GND_ERR_ARG, arg[i].at, "%s: too many arguments: it is %s",
                                  c->name, shown);
        } else {
            next++;
        }
        c->arg[k] = arg[i];
        arg[i].v.kind = GND__V_MISSING;
    }
    for (int i = 0; i < np; i++)
        if (p[i].required && c->arg[i].v.kind == GND__V_MISSING)
            return gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "%s: '%.*s' is missing: it is %s", c->name,
                                  (int)strcspn(p[i].names, "|,="), p[i].names, shown);
    return 0;
}

/* --- kinds of functions ------------------------------------------------------------------------ */

static int call_op(gnd__args *c, int op, gnd__slot *arg, int n)
{
    int nin = 0;
    (void)gnd__expr_op_name(op, &nin);
    gnd_array *in[3];
    for (int i = 0; i < n; i++)
        if (arg[i].kw_n)
            return gnd__expr_fail(c->x, GND_ERR_ARG, arg[i].at, "%s has no keyword arguments: it is "
                                  "%s(%s)", c->name, c->name, nin == 1 ? "x" : "x1, x2");
    if (n != nin)
        return gnd__expr_fail(c->x, GND_ERR_ARG, n > nin ? arg[nin].at : c->at,
                              "%s takes %d argument%s, not %d: it is %s(%s)", c->name, nin,
                              nin == 1 ? "" : "s", n, c->name,
                              nin == 1 ? "x" : nin == 2 ? "x1, x2" : "x1, x2, x3");
    for (int i = 0; i < n; i++)
        if (!(in[i] = gnd__val_to_array(c->x, &arg[i].v, arg[i].at, c->name)))
            return -1;
    return gnd__ret(c, gnd__expr_op_call(op, n, in));
}

static int call_dtype(gnd__args *c, gnd__slot *arg, int n, const gnd__val *t)
{
    if (n != 1 || arg[0].kw_n)
        return gnd__expr_fail(c->x, GND_ERR_ARG, c->at, "%s takes one value: it is %s(x)", c->name,
                              c->name);
    c->arg[0] = arg[0];
    arg[0].v.kind = GND__V_MISSING;
    c->arg[1].v = *t;
    c->param[0] = "x";
    c->param[1] = "dtype";
    int r = gnd__fn_astype(c);
    gnd__val_drop(&c->arg[0].v);
    return r;
}

/* Functions that Python's users look for, and what to write instead. */
static const char *const instead[][2] = {
    {"len", "write x.shape[0], or x.size"},
    {"print", "the value of the last statement is the result"},
    {"default_rng", "write seed(n); or give one call its own, normal(size=3, seed=n)"},
    {"random.default_rng", "write seed(n); or give one call its own, normal(size=3, seed=n)"},
    {"random.Generator", "write seed(n); or give one call its own, normal(size=3, seed=n)"},
    {"random.RandomState", "write seed(n); or give one call its own, normal(size=3, seed=n)"},
};

static int unknown(gnd__args *c, size_t len, int method)
{
    gnd__expr *x = c->x;
    const char *name = x->text + c->at;
    char near[160];
    int n = (int)(len > 40 ? 40 : len);
    gnd__val v;
    if (method && (gnd__fn_find(name, len, 0) || gnd__expr_op(name, len) >= 0))
        return gnd__expr_fail(x, GND_ERR_NAME, c->at, "'%.*s' is no method: write %.*s(x)", n, name, n,
                              name);
    if (!method && gnd__fn_find(name, len, 1))
        return gnd__expr_fail(x, GND_ERR_NAME, c->at, "'%.*s' is a method: write x.%.*s()", n, name, n,
                              name);
    if (!method && (gnd__table_get(x->names, name, len) || gnd__expr_constant(name, len, &v)))
        return gnd__expr_fail(x, GND_ERR_NAME, c->at, "'%.*s' is no function (a product needs *)", n,
                              name);
    for (size_t i = 0; !method && i < sizeof instead / sizeof instead[0]; i++)
        if (strlen(instead[i][0]) == len && !memcmp(instead[i][0], name, len))
            return gnd__expr_fail(x, GND_ERR_NAME, c->at, "there is no function '%.*s': %s", n, name, instead[i][1]);
    return gnd__expr_fail(x, GND_ERR_NAME, c->at, "unknown %s '%.*s'%s", method ? "method" : "function",
                          n, name,
                          gnd__expr_near(x, method ? GND__NEAR_METHODS
                                                   : GND__NEAR_FUNCTIONS | GND__NEAR_DTYPES,
                                         name, len, near, sizeof near));
}

int gnd__call(gnd__expr *x, const char *name, size_t len, size_t at, int method, gnd__slot *arg, int n,
              gnd__val *out)
{
    char own[64], shown[256];
    gnd__args c = {.x = x, .name = own, .at = at, .out = out};
    snprintf(own, sizeof own, "%.*s", (int)(len > 60 ? 60 : len), name);
    for (int i = 0; i < GND__FN_PARAMS; i++)
        c.arg[i].v.kind = GND__V_MISSING;
    if (method && arg[0].v.kind != GND__V_ARRAY && arg[0].v.kind != GND__V_LIST &&
        !gnd__val_is_number(&arg[0].v))
        return gnd__expr_fail(x, GND_ERR_NAME, at, "%s has no methods", gnd__val_name(&arg[0].v));
    if (method)
        arg[0].kw_n = 0;
    const gnd__fn *fn = gnd__fn_find(name, len, method);
    if (!fn) {
        int op = method ? -1 : gnd__expr_op(name, len), python = 0;
        if (op >= 0)
            return call_op(&c, op, arg, n);
        gnd__val t = {.kind = GND__V_DTYPE};
        t.t = method ? GND_DTYPE_DEFAULT : gnd__expr_dtype(name, len, &python);
        t.python = python;
        return t.t == GND_DTYPE_DEFAULT ? unknown(&c, len, method) : call_dtype(&c, arg, n, &t);
    }
    show(own, fn->params, method, shown, sizeof shown);
    int bad = bind(&c, fn->params, arg, n, shown) || fn->run(&c);
    for (int i = 0; i < GND__FN_PARAMS; i++)
        gnd__val_drop(&c.arg[i].v);
    return bad ? -1 : 0;
}

gnd_array *gnd__apply(const char *name, int n, gnd_array *const *a)
{
    return gnd__expr_op_call(gnd__expr_op(name, strlen(name)), n, a);
}
