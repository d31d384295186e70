/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/kernel/snippet.c - elementwise and reduction kernels: their texts are read and checked when
 * they are made, and compiled by themselves when dtypes and a device are known, so that errors come
 * before any launch.
 */
#include "ops/kernel/snippet.h"

#include <string.h>
#include "base/grave.h"
#include "base/mem.h"
#include "codegen/user_lex.h"

/* A kind of kernel, and what is answered where there is no kernel of this kind. */
typedef struct kind {
    uint32_t magic;
    gnd_rkernel none; /* out of memory */
    const char *null, *freed;
} kind;

static kind elementwise = {
    .magic = 0x676e6436,
    .none.k = {.magic = 0x676e6436,
               .err = {.code = GND_ERR_NOMEM, .msg = "elementwise_kernel: out of host memory"}},
    .null = "ekernel_error: k is NULL",
    .freed = "ekernel_error: k is a freed kernel",
};
static kind reduction = {
    .magic = 0x676e6437,
    .none.k = {.magic = 0x676e6437,
               .err = {.code = GND_ERR_NOMEM, .msg = "reduction_kernel: out of host memory"}},
    .null = "rkernel_error: k is NULL",
    .freed = "rkernel_error: k is a freed kernel",
};

static gnd__graves graves;

/* --- making them ------------------------------------------------------------------------------ */

static gnd_status read_common(gnd_ekernel *k, const char *in, const char *out, const char *name,
                              const char *preamble)
{
    gnd__utoken *token = NULL;
    int32_t n;
    if (!gnd__is_name(name) || strlen(name) > 60)
        return gnd__err(&k->err, GND_ERR_NAME,
                        "name '%.70s': at most 60 letters, digits and _ are needed", name);
    gnd_status st = gnd__sparams_read(&k->in, "in_params", in, GND__CALL_ARGS, &k->err);
    if (st == GND_OK)
        st = gnd__sparams_read(&k->out, "out_params", out, GND__CALL_OUTS, &k->err);
    if (st != GND_OK)
        return st;
    if (k->out.n == 0)
        return gnd__err(&k->err, GND_ERR_ARG,
                        "out_params is empty: a kernel has at least one output");
    for (int o = 0; o < k->out.n; o++) {
        if (k->out.p[o].raw)
            return gnd__err(&k->err, GND_ERR_UNSUPPORTED,
                            "out_params: %s is raw: gnd_launch has outputs whose elements "
                            "are written anywhere",
                            k->out.p[o].name);
        for (int i = 0; i < k->in.n; i++)
            if (!strcmp(k->in.p[i].name, k->out.p[o].name))
                return gnd__err(&k->err, GND_ERR_NAME, "out_params: '%s' is an input",
                                k->out.p[o].name);
    }
    k->name = gnd__strdup(name);
    if (preamble && preamble[strspn(preamble, " \t\r\n")]) {
        st = gnd__user_lex("preamble", preamble, strlen(preamble), &token, &n, &k->err);
        gnd__free(token);
        if (st != GND_OK)
            return st;
        k->preamble = gnd__strdup(preamble);
        if (!k->preamble)
            k->name = k->name ? (gnd__free(k->name), NULL) : NULL;
    }
    return k->name ? GND_OK : gnd__err(&k->err, GND_ERR_NOMEM, "out of host memory");
}

/* n is not a number of elements if an output has that name */
static void not_hidden(const gnd_ekernel *k, gnd__piece *p)
{
    for (int o = 0; o < k->out.n; o++)
        if (!strcmp(k->out.p[o].name, "n"))
            p->uses.n = 0;
}

/* Reserves room for the hidden arguments of code. */
static gnd_status check_room(gnd_ekernel *k, const gnd__piece *p, int n)
{
    int hidden =
        p->uses.i + (p->uses.n || p->uses.in_n) + p->uses.out_n + __builtin_popcount(p->uses.sizes);
    if (n + hidden > GND__CALL_ARGS)
        return gnd__err(&k->err, GND_ERR_UNSUPPORTED,
                        "%d inputs, and %d more for i, n and sizes: at most %d are possible", n,
                        hidden, GND__CALL_ARGS);
    return GND_OK;
}

static gnd_ekernel *made(const char *func, gnd_ekernel *k)
{
    if (k->err.code != GND_OK) {
        gnd__err_prefix(&k->err, "%s", func);
        gnd__err_made(&k->err);
    }
    return k;
}

static gnd_status missing(gnd_ekernel *k, const char *what)
{
    return gnd__err(&k->err, GND_ERR_NULL, "%s is NULL", what);
}

gnd_ekernel *gnd_elementwise_kernel(const char *in_params, const char *out_params,
                                    const char *operation, const char *name, const char *preamble)
{
    gnd_rkernel *r = gnd__grave_new(&graves, sizeof *r);
    if (!r)
        return &elementwise.none.k;
    gnd_ekernel *k = &r->k;
    k->magic = elementwise.magic;
    gnd_status st = !in_params    ? missing(k, "in_params")
                    : !out_params ? missing(k, "out_params")
                    : !operation  ? missing(k, "operation")
                    : !name       ? missing(k, "name")
                                  : read_common(k, in_params, out_params, name, preamble);
    if (st == GND_OK)
        st = gnd__piece_read(&k->code, "operation", operation, &k->in, 0, &k->err);
    not_hidden(k, &k->code);
    if (st == GND_OK && k->code.uses.out_n)
        st = gnd__err(&k->err, GND_ERR_SYNTAX, "operation: _out_ind is a reduction's");
    if (st == GND_OK)
        (void)check_room(k, &k->code, k->in.n);
    return made("elementwise_kernel", k);
}

static gnd_status read_reduction(gnd_ekernel *k, const char *map, const char *reduce,
                                 const char *post, const char *identity, const char *type)
{
    const gnd__sparams none = {.n = 0};
    gnd__sparam *a = &k->acc.p[0];
    *a = k->out.p[0];
    gnd_status st = GND_OK;
    if (type)
        st = gnd__stype_read("reduce_type", type, strlen(type), &a->letter, &a->dtype, &k->err);
    strcpy(a->name, "a");
    k->acc.p[1] = *a;
    strcpy(k->acc.p[1].name, "b");
    k->acc.n = 2;
    for (int o = 0; o < k->out.n && st == GND_OK; o++)
        if (!strcmp(k->out.p[o].name, "a"))
            st = gnd__err(&k->err, GND_ERR_NAME, "out_params: 'a' is what is reduced");
    if (st == GND_OK)
        st = gnd__piece_read(&k->code, "map_expr", map, &k->in, 1, &k->err);
    if (st == GND_OK)
        st = gnd__piece_read(&k->reduce, "reduce_expr", reduce, &k->acc, 1, &k->err);
    if (st == GND_OK)
        st = gnd__piece_read(&k->identity, "identity", identity, &none, 1, &k->err);
    k->acc.n = 1;
    if (st == GND_OK)
        st = gnd__piece_read(&k->post, "post_map_expr", post, &k->acc, 0, &k->err);
    not_hidden(k, &k->post);
    const gnd__hidden *r = &k->reduce.uses, *i = &k->identity.uses;
    if (st == GND_OK && (r->i || r->n || r->in_n || r->out_n || i->i || i->n || i->in_n ||
                         i->out_n || k->post.uses.i || k->post.uses.n || k->code.uses.out_n))
        st = gnd__err(&k->err, GND_ERR_SYNTAX,
                      "i and n are map_expr's, _in_ind map_expr's and post_map_expr's, _out_ind "
                      "post_map_expr's");
    return st;
}

gnd_rkernel *gnd_reduction_kernel(const char *in_params, const char *out_params,
                                  const char *map_expr, const char *reduce_expr,
                                  const char *post_map_expr, const char *identity, const char *name,
                                  const char *reduce_type, const char *preamble)
{
    gnd_rkernel *r = gnd__grave_new(&graves, sizeof *r);
    if (!r)
        return &reduction.none;
    gnd_ekernel *k = &r->k;
    k->magic = reduction.magic;
    gnd_status st = !in_params       ? missing(k, "in_params")
                    : !out_params    ? missing(k, "out_params")
                    : !map_expr      ? missing(k, "map_expr")
                    : !reduce_expr   ? missing(k, "reduce_expr")
                    : !post_map_expr ? missing(k, "post_map_expr")
                    : !identity      ? missing(k, "identity")
                    : !name          ? missing(k, "name")
                                     : read_common(k, in_params, out_params, name, preamble);
    if (st == GND_OK)
        st = read_reduction(k, map_expr, reduce_expr, post_map_expr, identity, reduce_type);
    if (st == GND_OK)
        (void)check_room(k, &k->code, k->in.n);
    made("reduction_kernel", k);
    return r;
}

/* --- for dtypes and a device ------------------------------------------------------------------ */

static void free_bound(gnd__bound *b)
{
    for (int i = 0; i < GND__FNS; i++)
        gnd__snippet_unref(b->fn[i]);
    gnd__free(b);
}

static gnd__snippet *function(const gnd_ekernel *k, const gnd__sparams *in, const gnd__sparams *out,
                              const gnd__piece *code, int value, const gnd__letters *l)
{
    const gnd__sfunc f = {.name = k->name,
                          .preamble = k->preamble,
                          .in = in,
                          .out = out,
                          .code = code,
                          .value = value,
                          .letters = l};
    return gnd__snippet_function(&f);
}

static gnd_status make_functions(gnd__bound *b, const gnd_ekernel *k, int reduces, gnd_err *e)
{
    const gnd__letters *l = &b->letters;
    const gnd__sparams none = {.n = 0};
    int n = 1;
    const gnd__piece *const pieces[] = {&k->code, &k->reduce, &k->identity, &k->post};
    if (gnd__snippet_complex(l, &k->in, &k->out) | gnd__snippet_complex(l, &k->acc, NULL))
        for (int i = 0; i < (reduces ? 4 : 1); i++)
            if (pieces[i]->why)
                return gnd__err(e, GND_ERR_UNSUPPORTED, "%s", pieces[i]->why);
    if (!reduces) {
        b->fn[GND__FN_MAP] = function(k, &k->in, &k->out, &k->code, 0, l);
    } else {
        b->fn[GND__FN_MAP] = function(k, &k->in, &k->acc, &k->code, 1, l);
        b->fn[GND__FN_FOLD] = gnd__snippet_fold(k->name, k->preamble, &k->reduce, &k->identity,
                                                gnd__sparam_dtype(&k->acc.p[0], l), l);
        b->fn[GND__FN_POST] = function(k, &k->acc, &k->out, &k->post, 0, l);
        b->fn[GND__FN_NOTHING] = function(k, &none, &k->acc, &k->identity, 1, l);
        n = GND__FNS;
    }
    for (int i = 0; i < n; i++)
        if (!b->fn[i])
            return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    return GND_OK;
}

/* Checks that fn compiles. */
static gnd_status probe(const gnd__snippet *fn, gnd_device *dev, gnd_err *e)
{
    gnd__str text = {0};
    gnd__kernel *built = NULL;
    gnd_status st = gnd__snippet_probe(fn, &dev->g->props, &text, e);
    if (st == GND_OK) {
        gnd__gate_lock(dev->g);
        st = gnd__gate_kernel(dev->g, "k_probe", gnd__str_get(&text), text.len, &built, e);
        gnd__gate_kernel_done(built);
        gnd__gate_unlock(dev->g);
    }
    gnd__str_free(&text);
    return st;
}

static const gnd__bound *find_bound(const gnd__bound *b, const gnd_device *dev,
                                    const gnd__letters *l)
{
    while (b && (b->dev != dev || b->serial != dev->serial || memcmp(&b->letters, l, sizeof *l)))
        b = b->next;
    return b;
}

const gnd__bound *gnd__bind(gnd_ekernel *k, int reduces, gnd_device *dev, const gnd__letters *l,
                            gnd_err *e)
{
    gnd__spin_lock(&k->lock);
    const gnd__bound *known = find_bound(k->bound, dev, l);
    gnd__spin_unlock(&k->lock);
    if (known)
        return known;
    gnd__bound *b = gnd__calloc(1, sizeof *b);
    gnd_status st = b ? GND_OK : gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    if (b) {
        b->dev = dev;
        b->serial = dev->serial;
        b->letters = *l;
        st = make_functions(b, k, reduces, e);
    }
    for (int i = 0; i < GND__FNS && st == GND_OK; i++)
        if (b->fn[i])
            st = probe(b->fn[i], dev, e);
    if (st != GND_OK) {
        if (b)
            free_bound(b);
        return NULL;
    }
    gnd__spin_lock(&k->lock);
    known =
        find_bound(k->bound, dev,
                   l); /* another thread may have made it meanwhile: equal functions are shared */
    if (!known) {
        b->next = k->bound;
        k->bound = b;
    }
    gnd__spin_unlock(&k->lock);
    if (known)
        free_bound(b);
    return known ? known : b;
}

/* --- handles ---------------------------------------------------------------------------------- */

/* The kernel of r is its first member. */
static const gnd_ekernel *kernel_of(const gnd_rkernel *r)
{
    return (const gnd_ekernel *)r;
}

static int is_kernel(const kind *c, const gnd_ekernel *k)
{
    return k == &c->none.k || gnd__grave_magic(k) == c->magic;
}

static gnd_status usable(const kind *c, const gnd_ekernel *k, gnd_err *e)
{
    if (!k)
        return gnd__err(e, GND_ERR_NULL, "k is NULL");
    if (!is_kernel(c, k))
        return gnd__err(e, GND_ERR_STATE, "k is a freed kernel");
    return k->err.code == GND_OK ? GND_OK : gnd__err(e, k->err.code, "%s", k->err.msg);
}

gnd_status gnd__ekernel_usable(const gnd_ekernel *k, gnd_err *e)
{
    return usable(&elementwise, k, e);
}

gnd_status gnd__rkernel_usable(const gnd_rkernel *k, gnd_err *e)
{
    return usable(&reduction, kernel_of(k), e);
}

static gnd_status status_of(const kind *c, const gnd_ekernel *k)
{
    return !k ? GND_ERR_NULL : is_kernel(c, k) ? k->err.code : GND_ERR_STATE;
}

gnd_status gnd_ekernel_status(const gnd_ekernel *k)
{
    return status_of(&elementwise, k);
}

gnd_status gnd_rkernel_status(const gnd_rkernel *k)
{
    return status_of(&reduction, kernel_of(k));
}

static const char *error_of(const kind *c, const gnd_ekernel *k)
{
    return !k ? c->null : is_kernel(c, k) ? k->err.msg : c->freed;
}

const char *gnd_ekernel_error(const gnd_ekernel *k)
{
    return error_of(&elementwise, k);
}

const char *gnd_rkernel_error(const gnd_rkernel *k)
{
    return error_of(&reduction, kernel_of(k));
}

static void free_kernel(const kind *c, gnd_ekernel *k)
{
    if (!k || k == &c->none.k || !is_kernel(c, k))
        return;
    for (gnd__bound *b = k->bound, *next; b; b = next) {
        next = b->next;
        free_bound(b);
    }
    gnd__free(k->name);
    gnd__free(k->preamble);
    gnd__piece_free(&k->code);
    gnd__piece_free(&k->reduce);
    gnd__piece_free(&k->identity);
    gnd__piece_free(&k->post);
    gnd__grave_free(&graves, k);
}

void gnd_ekernel_free(gnd_ekernel *k)
{
    free_kernel(&elementwise, k);
}

void gnd_rkernel_free(gnd_rkernel *k)
{
    free_kernel(&reduction, (gnd_ekernel *)k);
}
