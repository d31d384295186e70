/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/call.c - binds positional and keyword arguments to the signature of a function, and calls
 * its handler. Elementwise operations and dtypes are functions without a table entry.
 */
#include "lang/call.h"

#include <gnd/array.h>
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/words.h"

#include <stdio.h>
#include <string.h>

static const gnd__fn table[] = {
#define FN(names, params, where, run, group, calls, doc)                                           \
    {names, params, calls, doc, GND__FN_##where, GND__GROUP_##group, gnd__fn_##run},
#include "lang/funcs.def"
#undef FN
};

const gnd__fn *gnd__fn_entry(int i)
{
    return i < (int)(sizeof table / sizeof table[0]) ? &table[i] : NULL;
}

/* --- signatures ------------------------------------------------------------------------------- */

size_t gnd__sig_default(const char *s)
{
    size_t n = 0;
    for (int open = 0; s[n] && (open || s[n] != ','); n++)
        open += (s[n] == '(') - (s[n] == ')');
    return n;
}

void gnd__sig_parse(const char *params, gnd__sig *sig)
{
    int keyword_only = 0;
    sig->n = 0;
    for (const char *s = params; *s;) {
        const size_t len = strcspn(s, ",=");
        if (*s == '*' && len == 1) {
            keyword_only = 1;
        } else {
            const int rest = *s == '*';
            sig->p[sig->n++] = (gnd__param){.at = (uint16_t)(s - params + rest),
                                            .n = (uint16_t)(len - (size_t)rest),
                                            .rest = (uint8_t)rest,
                                            .required = s[len] != '=' && !rest,
                                            .keyword_only = (uint8_t)keyword_only};
            keyword_only |= rest;
        }
        s += len + gnd__sig_default(s + len);
        s += strspn(s, ", ");
    }
}

/* Appends the first name of each parameter. A method's signature omits the first parameter. */
static void show_params(gnd__str *s, const gnd_function *f)
{
    const char *p = f->fn->params;
    if (f->method) {
        p += strcspn(p, ",");
        p += strspn(p, ", ");
    }
    while (*p) {
        if (*p == '|')
            p += strcspn(p, ",=");
        else
            gnd__str_addc(s, *p++);
    }
}

const char *gnd__sig_show(const gnd_function *f, char *buf, size_t size)
{
    static const char *const operands[] = {"", "x", "x1, x2", "x1, x2, x3"};
    gnd__str s = {0};
    gnd__str_addf(&s, "%s%s(", f->method ? "x." : "", f->name);
    int nin = 1;
    (void)gnd__expr_op_name(f->op, &nin);
    if (f->fn)
        show_params(&s, f);
    else
        gnd__str_add(&s, operands[nin]);
    gnd__str_addc(&s, ')');
    snprintf(buf, size, "%s", gnd__str_get(&s));
    gnd__str_free(&s);
    return buf;
}

/* --- binding ---------------------------------------------------------------------------------- */

/* The first name of parameter i. */
static const char *first_name(const gnd_function *f, int i, int *n)
{
    const char *s = f->fn->params + f->sig->p[i].at;
    *n = (int)strcspn(s, "|,=");
    return s;
}

static int bad_keyword(gnd__args *c, const gnd_function *f, const gnd__slot *s)
{
    char shown[256];
    int best = -1, near = 0, len, n = (int)(s->kw_n > 40 ? 40 : s->kw_n);
    for (int i = 0; i < f->sig->n; i++) {
        const char *name = first_name(f, i, &len);
        int d = gnd__near(s->kw, s->kw_n, name, (size_t)len);
        if (best < 0 || d < near) {
            best = i;
            near = d;
        }
    }
    gnd__sig_show(f, shown, sizeof shown);
    if (best >= 0 && near <= 2 + (int)s->kw_n / 2) {
        const char *name = first_name(f, best, &len);
        return gnd__expr_fail(c->x, GND_ERR_TYPE, s->at,
                              "%s has no argument '%.*s': did you mean '%.*s'? It is %s", c->name,
                              n, s->kw, len, name, shown);
    }
    return gnd__expr_fail(c->x, GND_ERR_TYPE, s->at, "%s has no argument '%.*s': it is %s", c->name,
                          n, s->kw, shown);
}

/* The parameter with the keyword's name; -1 if no parameter has it. */
static int find_keyword(const gnd_function *f, const gnd__slot *s)
{
    for (int i = 0; i < f->sig->n; i++) {
        const gnd__param *p = &f->sig->p[i];
        const char *name = f->fn->params + p->at, *end = name + p->n;
        while (!p->rest && name < end) {
            const char *bar = memchr(name, '|', (size_t)(end - name));
            const size_t n = (size_t)((bar ? bar : end) - name);
            if (n == s->kw_n && !memcmp(name, s->kw, n))
                return i;
            name += n + 1;
        }
    }
    return -1;
}

static int too_many(gnd__args *c, const gnd_function *f, size_t at)
{
    char shown[256];
    return gnd__expr_fail(c->x, GND_ERR_TYPE, at, "%s: too many arguments: it is %s", c->name,
                          gnd__sig_show(f, shown, sizeof shown));
}

/* Moves n values to their parameters. */
static int bind(gnd__args *c, const gnd_function *f, gnd__slot *arg, int n)
{
    const gnd__sig *sig = f->sig;
    const gnd__param *p = sig->p;
    char shown[256];
    int next = 0, len;
    for (int i = 0; i < sig->n; i++)
        c->param[i] = f->fn->params + p[i].at;
    for (int i = 0; i < n; i++) {
        int k = next;
        if (arg[i].kw_n) {
            k = find_keyword(f, &arg[i]);
            if (k < 0)
                return bad_keyword(c, f, &arg[i]);
            if (c->arg[k].v.kind != GND__V_MISSING)
                return gnd__expr_fail(c->x, GND_ERR_TYPE, arg[i].at, "%s: '%.*s' is given twice",
                                      c->name, (int)arg[i].kw_n, arg[i].kw);
        } else if (k < sig->n && p[k].rest) {
            if (!c->nrest++)
                c->rest = &arg[i];
            continue;
        } else if (k >= sig->n || p[k].keyword_only) {
            return too_many(c, f, arg[i].at);
        } else {
            next++;
        }
        c->arg[k] = arg[i];
        arg[i].v.kind = GND__V_MISSING;
    }
    for (int i = 0; i < sig->n; i++)
        if (p[i].required && c->arg[i].v.kind == GND__V_MISSING) {
            const char *name = first_name(f, i, &len);
            return gnd__expr_fail(c->x, GND_ERR_TYPE, c->at, "%s: '%.*s' is missing: it is %s",
                                  c->name, len, name, gnd__sig_show(f, shown, sizeof shown));
        }
    return 0;
}

/* --- kinds of functions ----------------------------------------------------------------------- */

static int call_op(gnd__args *c, const gnd_function *f, gnd__slot *arg, int n)
{
    int nin = 0;
    char shown[256];
    (void)gnd__expr_op_name(f->op, &nin);
    gnd_array *in[3];
    for (int i = 0; i < n; i++)
        if (arg[i].kw_n)
            return gnd__expr_fail(c->x, GND_ERR_TYPE, arg[i].at,
                                  "%s has no keyword arguments: it is %s", c->name,
                                  gnd__sig_show(f, shown, sizeof shown));
    if (n != nin)
        return gnd__expr_fail(c->x, GND_ERR_TYPE, n > nin ? arg[nin].at : c->at,
                              "%s takes %d argument%s, not %d: it is %s", c->name, nin,
                              nin == 1 ? "" : "s", n, gnd__sig_show(f, shown, sizeof shown));
    for (int i = 0; i < n; i++)
        if (!(in[i] = gnd__val_to_array(c->x, &arg[i].v, arg[i].at, c->name)))
            return -1;
    return gnd__ret(c, gnd__expr_op_call(f->op, n, in));
}

static int call_dtype(gnd__args *c, const gnd_function *f, gnd__slot *arg, int n)
{
    if (n != 1 || arg[0].kw_n)
        return gnd__expr_fail(c->x, GND_ERR_TYPE, c->at, "%s takes one value: it is %s(x)", c->name,
                              c->name);
    c->arg[0] = arg[0];
    arg[0].v.kind = GND__V_MISSING;
    c->arg[1].v = (gnd__val){.kind = GND__V_DTYPE, .python = f->python, .t = (gnd_dtype)f->dtype};
    c->param[0] = "x";
    c->param[1] = "dtype";
    int r = gnd__fn_astype(c);
    gnd__val_drop(&c->arg[0].v);
    return r;
}

/* Functions that Python users look for, and what to write instead. */
static const char *const instead[][2] = {
    {"len", "write x.shape[0], or x.size"},
    {"print", "the value of the last statement is the result"},
    {"random.Generator", "write default_rng(n)"},
    {"random.RandomState", "write default_rng(n)"},
};

static int unknown(gnd__expr *x, const char *name, size_t len, size_t at, int method)
{
    char near[160];
    int n = (int)(len > 40 ? 40 : len);
    gnd__val v;
    if (method && gnd__function(name, len, 0))
        return gnd__expr_fail(x, GND_ERR_NAME, at, "'%.*s' is no method: write %.*s(x)", n, name, n,
                              name);
    if (!method && gnd__function(name, len, 1))
        return gnd__expr_fail(x, GND_ERR_NAME, at, "'%.*s' is a method: write x.%.*s()", n, name, n,
                              name);
    if (!method && x->text &&
        (gnd__table_get(x->names, name, len) || gnd__expr_constant(name, len, &v)))
        return gnd__expr_fail(x, GND_ERR_NAME, at, "'%.*s' is no function (a product needs *)", n,
                              name);
    for (size_t i = 0; !method && i < sizeof instead / sizeof instead[0]; i++)
        if (strlen(instead[i][0]) == len && !memcmp(instead[i][0], name, len))
            return gnd__expr_fail(x, GND_ERR_NAME, at, "there is no function '%.*s': %s", n, name,
                                  instead[i][1]);
    return gnd__expr_fail(
        x, GND_ERR_NAME, at, "unknown %s '%.*s'%s", method ? "method" : "function", n, name,
        gnd__expr_near(x, method ? GND__NEAR_METHODS : GND__NEAR_FUNCTIONS | GND__NEAR_DTYPES, name,
                       len, near, sizeof near));
}

int gnd__call_function(gnd__expr *x, const gnd_function *f, size_t at, gnd__slot *arg, int n,
                       gnd__val *out)
{
    gnd__args c = {.x = x, .name = f->name, .at = at, .out = out};
    for (int i = 0; i < GND__FN_PARAMS; i++)
        c.arg[i].v.kind = GND__V_MISSING;
    if (f->method && n > 0) {
        const gnd__val *self = &arg[0].v;
        if (self->kind != GND__V_ARRAY && self->kind != GND__V_LIST && !gnd__val_is_number(self))
            return gnd__expr_fail(x, GND_ERR_NAME, at, "%s has no methods", gnd__val_name(self));
        arg[0].kw_n = 0;
    }
    if (f->op >= 0)
        return call_op(&c, f, arg, n);
    if (f->dtype >= 0)
        return call_dtype(&c, f, arg, n);
    int bad = bind(&c, f, arg, n) || f->fn->run(&c);
    for (int i = 0; i < GND__FN_PARAMS; i++)
        gnd__val_drop(&c.arg[i].v);
    return bad ? -1 : 0;
}

/* --- generators ------------------------------------------------------------------------------- */

/* default_rng(seed=None): makes a generator. Without a seed, it is split off from the program's
 * generator; a generator is returned as it is. */
static int default_rng(gnd__expr *x, size_t at, gnd__slot *arg, int n, gnd__val *out)
{
    int64_t seed = 0;
    const gnd__slot *s = n ? &arg[0] : NULL;
    if (x->of)
        return gnd__expr_fail(x, GND_ERR_UNSUPPORTED, at,
                              "default_rng makes no generator of %s: write seed(n), and "
                              "random.normal(...)",
                              x->of->noun);
    if (n > 1 || (n && s->kw_n && (s->kw_n != 4 || memcmp(s->kw, "seed", 4))))
        return gnd__expr_fail(x, GND_ERR_TYPE, n > 1 ? arg[1].at : s->at,
                              "default_rng takes one argument: it is default_rng(seed=None)");
    if (n && s->v.kind == GND__V_RNG) {
        *out = gnd__val_ref(&s->v);
        return 0;
    }
    const int drawn = !n || s->v.kind == GND__V_NONE;
    const int bad = drawn ? 0 : gnd__val_to_int(x, &s->v, s->at, &seed);
    if (bad > 0 || (!bad && seed < 0))
        return gnd__expr_fail(x, GND_ERR_TYPE, s->at,
                              "default_rng: seed is %s%s, not an int of 0 or more",
                              bad ? "" : "negative: ", gnd__val_name(&s->v));
    gnd__gen *gen = bad ? NULL : gnd__malloc(sizeof *gen);
    if (!gen)
        return bad ? -1 : gnd__expr_nomem(x);
    *gen =
        (gnd__gen){.refs = 1, .g = drawn ? gnd_rng_split(&x->rng) : gnd_rng_seed((uint64_t)seed)};
    *out = (gnd__val){.kind = GND__V_RNG, .gen = gen};
    return 0;
}

/* Calls a method of a generator: rng.normal(...) is random.normal(...) that draws from rng. */
static int draw(gnd__expr *x, const char *name, size_t len, size_t at, gnd__slot *arg, int n,
                gnd__val *out)
{
    char full[64];
    const int size = snprintf(full, sizeof full, "random.%.*s", (int)(len > 40 ? 40 : len), name);
    const int seeds = len == 4 && !memcmp(name, "seed", 4);
    const gnd_function *f = seeds ? NULL : gnd__function(full, (size_t)size, 0);
    if (!f)
        return gnd__expr_fail(x, GND_ERR_NAME, at, "generators have no method '%s'", full + 7);
    gnd__gen *gen = arg[0].v.gen;
    const gnd_rng outer = x->rng;
    x->rng = gen->g;
    const int bad = gnd__call_function(x, f, at, arg + 1, n - 1, out);
    gen->g = x->rng;
    x->rng = outer;
    return bad;
}

static int is_default_rng(const char *name, size_t len)
{
    static const char full[] = "random.default_rng", *const bare = full + 7;
    return (len == strlen(full) && !memcmp(name, full, len)) ||
           (len == strlen(bare) && !memcmp(name, bare, len));
}

int gnd__call(gnd__expr *x, const char *name, size_t len, size_t at, int method, gnd__slot *arg,
              int n, gnd__val *out)
{
    if (method && n > 0 && arg[0].v.kind == GND__V_RNG)
        return draw(x, name, len, at, arg, n, out);
    if (!method && is_default_rng(name, len))
        return default_rng(x, at, arg, n, out);
    if (x->of && gnd__object_takes(x, name, len, arg, n))
        return gnd__object_call(x, name, len, at, method, arg, n, out);
    const gnd_function *f = gnd__function(name, len, method);
    return f ? gnd__call_function(x, f, at, arg, n, out) : unknown(x, name, len, at, method);
}

gnd_array *gnd__apply(const char *name, int n, gnd_array *const *a)
{
    return gnd__expr_op_call(gnd__expr_op(name, strlen(name)), n, a);
}
