/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/run.c - runs a program: a loop over its instructions with a stack of values. Intermediate
 * arrays are released as soon as they are used; so no scope is needed, and a long text holds few
 * handles. The graph keeps the nodes it needs. gnd__expr_eval does everything, from text to array.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include "base/err.h"
#include "base/mem.h"
#include "lang/call.h"
#include "lang/expr.h"

#include <stdio.h>
#include <string.h>

static int push(gnd__expr *x, gnd__val v, uint32_t at)
{
    if (gnd__expr_grow(x, &x->stack, x->nstack, &x->capstack, sizeof *x->stack)) {
        gnd__val_drop(&v);
        return -1;
    }
    x->stack[x->nstack++] = (gnd__slot){.v = v, .at = at};
    return 0;
}

static void pop(gnd__expr *x, uint32_t n)
{
    while (n--)
        gnd__val_drop(&x->stack[--x->nstack].v);
}

/* --- names ------------------------------------------------------------------------------------ */

static gnd__var *find(const gnd__expr *x, const char *name, size_t n)
{
    uintptr_t i = (uintptr_t)gnd__table_get(x->names, name, n);
    return i ? &x->var[i - 1] : NULL;
}

/* name = v. Takes over v's reference, also on failure. */
static int set(gnd__expr *x, const char *name, uint32_t n, gnd__val v)
{
    gnd__var *old = find(x, name, n);
    if (old) {
        gnd__val_drop(&old->v);
        old->v = v;
        return 0;
    }
    if (gnd__expr_grow(x, &x->var, x->nvar, &x->capvar, sizeof *x->var) ||
        (gnd__table_put(x->names, name, n, (void *)(uintptr_t)(x->nvar + 1), NULL) &&
         gnd__expr_nomem(x))) {
        gnd__val_drop(&v);
        return -1;
    }
    x->var[x->nvar++] = (gnd__var){.v = v, .name = name, .n = n};
    return 0;
}

/* Modules of other libraries. Their functions are written without a module, as the error message
 * says. */
static const char *const modules[] = {"cp", "cupy", "jax", "jnp", "math", "scipy", "torch", "tf"};

static int load(gnd__expr *x, const gnd__instr *in)
{
    const char *name = x->text + in->at;
    gnd__var *var = find(x, name, in->n);
    gnd__val v;
    if (var)
        return push(x, gnd__val_ref(&var->v), in->at);
    if (gnd__expr_constant(name, in->n, &v))
        return push(x, v, in->at);
    int n = (int)(in->n > 60 ? 60 : in->n);
    if (gnd__function(name, in->n, 0))
        return gnd__expr_fail(x, GND_ERR_NAME, in->at, "'%.*s' is a function: call it, %.*s(...)",
                              n, name, n, name);
    if (name[in->n] == '.')
        for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
            if (strlen(modules[i]) == in->n && !memcmp(modules[i], name, in->n))
                return gnd__expr_fail(x, GND_ERR_NAME, in->at,
                                      "unknown name '%.*s': functions stand alone, or after np.", n,
                                      name);
    char buf[160];
    return gnd__expr_fail(x, GND_ERR_NAME, in->at, "unknown name '%.*s'%s", n, name,
                          gnd__expr_near(x, GND__NEAR_VALUES, name, in->n, buf, sizeof buf));
}

/* Pushes the n items of the value on top, the first one last. The value stays below them. */
static int unpack(gnd__expr *x, const gnd__instr *in)
{
    gnd__val v = gnd__val_ref(&x->stack[x->nstack - 1].v);
    int bad = 0;
    if (!gnd__val_is_seq(&v))
        bad = gnd__expr_fail(x, GND_ERR_ARG, in->at, "%s cannot be taken apart into %u names",
                             gnd__val_name(&v), in->n);
    else if (v.seq->n != in->n)
        bad = gnd__expr_fail(x, GND_ERR_ARG, in->at, "%lld values for %u names",
                             (long long)v.seq->n, in->n);
    for (uint32_t i = in->n; i-- && !bad;)
        bad = push(x, gnd__val_ref(&v.seq->item[i]), in->at);
    gnd__val_drop(&v);
    return bad;
}

/* Replaces the n values on top by one tuple, list or slice of them. */
static int gather(gnd__expr *x, int kind, uint32_t n, uint32_t at)
{
    gnd__val *item = gnd__calloc((size_t)n + 1, sizeof *item), out;
    if (!item)
        return gnd__expr_nomem(x);
    gnd__slot *top = x->stack + x->nstack - n;
    for (uint32_t i = 0; i < n; i++) {
        item[i] = top[i].v;
        top[i].v.kind = GND__V_MISSING;
    }
    int bad = gnd__val_seq(x, &out, kind, item, n, at);
    for (uint32_t i = 0; i < n; i++)
        gnd__val_drop(&item[i]);
    gnd__free(item);
    pop(x, n);
    return bad ? -1 : push(x, out, at);
}

static int step(gnd__expr *x, const gnd__instr *in)
{
    gnd__slot *top = x->stack + x->nstack; /* top[-1] is the value on top */
    const char *name = x->text + in->at;
    int n, bad;
    switch ((gnd__code)in->code) {
    case GND__I_NUM: return push(x, in->v, in->at);
    case GND__I_NONE: return push(x, (gnd__val){.kind = GND__V_NONE}, in->at);
    case GND__I_ELLIPSIS: return push(x, (gnd__val){.kind = GND__V_ELLIPSIS}, in->at);
    case GND__I_STR: return push(x, (gnd__val){.kind = GND__V_STR, .str = {name, in->n}}, in->at);
    case GND__I_NAME: return load(x, in);
    case GND__I_UNARY: return gnd__expr_unary(x, (gnd__tok)in->tok, &top[-1].v, in->at);
    case GND__I_BINARY:
        bad = gnd__expr_binary(x, (gnd__tok)in->tok, &top[-2].v, &top[-1].v, in->at);
        pop(x, 1);
        return bad;
    case GND__I_TUPLE: return gather(x, GND__V_TUPLE, in->n, in->at);
    case GND__I_LIST: return gather(x, GND__V_LIST, in->n, in->at);
    case GND__I_SLICE: return gather(x, GND__V_SLICE, 3, in->at);
    case GND__I_INDEX:
        n = (int)in->n;
        bad = gnd__expr_index(x, &top[-n - 1].v, top - n, n, in->at);
        pop(x, in->n);
        return bad;
    case GND__I_AGAIN:
        for (uint32_t i = 0; i < in->n; i++) {
            top = x->stack + x->nstack - in->n; /* the stack may have moved */
            if (push(x, gnd__val_ref(&top->v), top->at))
                return -1;
        }
        return 0;
    case GND__I_SET:
        n = (int)in->n;
        bad = gnd__expr_set_index(x, &top[-n - 2].v, top - n - 1, n, &top[-1].v, in->tok, in->at);
        pop(x, in->n + 1);
        return bad;
    case GND__I_ATTR: return gnd__expr_attr(x, &top[-1].v, name, in->n, in->at);
    case GND__I_ARG:
        top[-1].at = in->at;
        top[-1].kw_n = 0;
        return 0;
    case GND__I_KEYWORD:
        top[-1].at = in->at;
        top[-1].kw = x->text + in->at;
        top[-1].kw_n = in->n;
        return 0;
    case GND__I_CALL:
    case GND__I_METHOD: {
        int method = in->code == GND__I_METHOD;
        uint32_t used = (uint32_t)in->v.i + (uint32_t)method;
        gnd__val out = {.kind = GND__V_MISSING};
        bad = gnd__call(x, name, in->n, in->at, method, top - used, (int)used, &out);
        pop(x, used);
        return bad ? -1 : push(x, out, in->at);
    }
    case GND__I_STORE: return set(x, name, in->n, gnd__val_ref(&top[-1].v));
    case GND__I_UNPACK: return unpack(x, in);
    case GND__I_DROP: pop(x, 1); return 0;
    case GND__I_RESULT:
        gnd__val_drop(&x->result);
        x->result = gnd__val_ref(&top[-1].v);
        pop(x, 1);
        return 0;
    }
    return gnd__expr_fail(x, GND_ERR_INTERNAL, in->at, "a bad instruction");
}

int gnd__expr_run(gnd__expr *x)
{
    if (gnd__expr_grow(x, &x->stack, x->nstack, &x->capstack,
                       sizeof *x->stack)) /* instructions point to its top even when it is empty */
        return -1;
    for (uint32_t i = 0; i < x->ncode; i++)
        if (step(x, &x->code[i]))
            return -1;
    return 0;
}

/* --- the whole -------------------------------------------------------------------------------- */

static int bind(gnd__expr *x, int n, const char *const *names, gnd_array *const *values)
{
    for (int i = 0; i < n; i++) {
        gnd__val v;
        if (!names[i] || !values[i]) {
            x->err.code = GND_ERR_NULL;
            snprintf(x->err.msg, sizeof x->err.msg,
                     names[i] ? "eval: the array of '%.100s' is NULL" : "eval: a name is NULL",
                     names[i] ? names[i] : "");
            return -1;
        }
        if (gnd__is_released(values[i])) {
            x->err.code = GND_ERR_STATE;
            snprintf(x->err.msg, sizeof x->err.msg, "eval: '%.100s' is %.100s", names[i],
                     gnd_error(values[i]));
            return -1;
        }
        if (gnd_status_of(values[i])) {
            x->err.code = gnd_status_of(values[i]);
            snprintf(x->err.msg, sizeof x->err.msg, "%s", gnd_error(values[i]));
            return -1;
        }
        if (!x->dev)
            x->dev = gnd_device_of(values[i]);
        if (gnd__val_borrow(x, &v, values[i]) || set(x, names[i], (uint32_t)strlen(names[i]), v))
            return -1;
    }
    return 0;
}

void gnd__expr_drop_values(gnd__expr *x)
{
    pop(x, x->nstack);
    for (uint32_t i = 0; i < x->nvar; i++)
        gnd__val_drop(&x->var[i].v);
    x->nvar = 0;
}

gnd_array *gnd__expr_result(gnd__expr *x)
{
    gnd__val *v = &x->result;
    size_t at = x->ncode ? x->code[x->ncode - 1].at : 0;
    for (int64_t i = 0; v->kind == GND__V_TUPLE && i < v->seq->n; i++)
        if (v->seq->item[i].kind == GND__V_ARRAY || v->seq->item[i].kind == GND__V_OBJECT) {
            gnd__expr_fail(x, GND_ERR_ARG, at,
                           "the result is a tuple of %lld values: take one with "
                           "[0], or stack them",
                           (long long)v->seq->n);
            return NULL;
        }
    if (v->kind == GND__V_DTYPE) {
        gnd__expr_fail(x, GND_ERR_ARG, at, "the result is the dtype %s: an array is needed",
                       gnd_dtype_name(v->t));
        return NULL;
    }
    if (v->kind == GND__V_STR) {
        gnd__expr_fail(x, GND_ERR_ARG, at, "the result is the string '%.*s': an array is needed",
                       (int)(v->str.n > 60 ? 60 : v->str.n), v->str.s);
        return NULL;
    }
    gnd_array *a = gnd__val_to_array(x, v, at, "the result");
    if (!a)
        return NULL;
    gnd__expr_drop_values(x);
    if (!v->held->own || v->held->refs > 1)
        return gnd__again(a);
    v->held->own = 0; /* the handle moves to the caller */
    return a;
}

void gnd__expr_end(gnd__expr *x)
{
    gnd__expr_drop_values(x);
    gnd__val_drop(&x->result);
    if (x->c_locale)
        freelocale(x->c_locale);
    gnd__free(x->tok);
    gnd__free(x->code);
    gnd__free(x->stack);
    gnd__free(x->var);
    gnd__table_free(x->names, NULL);
}

int gnd__expr_bind(gnd__expr *x, const char *name, gnd__val v)
{
    return set(x, name, (uint32_t)strlen(name), v);
}

int gnd__expr_begin(gnd__expr *x, const char *text, int n, const void *names, const void *values)
{
    if (!text)
        gnd__err(&x->err, GND_ERR_NULL, "eval: the text is NULL");
    else if (n < 0 || (n && (!names || !values)))
        gnd__err(&x->err, n < 0 ? GND_ERR_ARG : GND_ERR_NULL,
                 "eval: the names or the arrays are %s", n < 0 ? "fewer than none" : "NULL");
    else if (strlen(text) > GND__EXPR_MAX_TEXT)
        gnd__err(&x->err, GND_ERR_OVERFLOW, "eval: a text of %zu bytes: at most %u", strlen(text),
                 GND__EXPR_MAX_TEXT);
    else if (!(x->names = gnd__table_new()))
        gnd__err(&x->err, GND_ERR_NOMEM, "eval: out of host memory");
    return x->err.code ? -1 : 0;
}

int gnd__expr_compute(gnd__expr *x, const char *text)
{
    x->text = text;
    x->len = (uint32_t)strlen(text);
    return gnd__expr_lex(x) || gnd__expr_parse(x) || gnd__expr_run(x) ? -1 : 0;
}

gnd_array *gnd__expr_eval(gnd_device *dev, const char *text, int n, const char *const *names,
                          gnd_array *const *values)
{
    gnd__expr x = {.dev = dev};
    gnd_array *y = NULL;
    if (!gnd__expr_begin(&x, text, n, names, values) && !bind(&x, n, names, values) &&
        !gnd__expr_compute(&x, text))
        y = gnd__expr_result(&x);
    if (!y)
        y = gnd_fail(x.err.code, "%s", x.err.msg);
    gnd__expr_end(&x);
    return y;
}
