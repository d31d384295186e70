/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array.c - handles of distributed arrays: ownership, scopes, errors and properties. A handle has a
 * partition and the rank's own gnd array. Sends no messages, except that gndm__settle agrees on
 * errors.
 */
#include "nccl.h"

#include <string.h>

/* --- creation --------------------------------------------------------------------------------- */

/* The list of arrays that a scope owns; the deepest ones share one. */
static gndm_array **owned_by(gndm_ctx *c, int scope)
{
    return &c->owned[scope < GNDM_SCOPES ? scope : GNDM_SCOPES - 1];
}

/* Makes x belong to the scope, 0: to none. The end of a scope looks at its own arrays only. */
static void belong(gndm_array *x, int scope)
{
    gndm_ctx *c = x->ctx;
    if (x->scope) {
        if (x->older)
            x->older->newer = x->newer;
        *(x->newer ? &x->newer->older : owned_by(c, x->scope)) = x->older;
    }
    x->scope = scope;
    x->older = x->newer = NULL;
    if (scope) {
        gndm_array **list = owned_by(c, scope);
        x->older = *list;
        if (x->older)
            x->older->newer = x;
        *list = x;
    }
}

static void link_in(gndm_ctx *c, gndm_array *x)
{
    x->ctx = c;
    x->refs = 1;
    belong(x, c->depth);
    x->next = c->arrays;
    if (c->arrays)
        c->arrays->prev = x;
    c->arrays = x;
}

/* Errors that need no memory and no context. They have no owner. */
static gndm_array lost = {.status = GND_ERR_NOMEM, .message = (char *)"out of host memory"};
static gndm_array nothing = {.status = GND_ERR_NULL,
                             .message = (char *)"an array or its context is NULL"};

static int is_static(const gndm_array *x)
{
    return x == &lost || x == &nothing;
}

gndm_array *gndm__array(gndm_ctx *c, gnd_dtype t, gndm_part *part, gnd_array *local)
{
    gndm_array *x = calloc(1, sizeof *x);
    if (!x || part->status == GND_ERR_NOMEM) { /* the other ranks have theirs */
        free(x);
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory",
                                           c->func ? c->func : "array"));
    }
    if (part->status) {
        free(x);
        return gndm__error(c, gndm__fail(c, part->status, "%s", gndm_part_error(part)));
    }
    link_in(c, x);
    x->dtype = t;
    x->part = gndm__part_retain(part);
    x->local = gnd_retain(local);
    return x;
}

gndm_array *gndm__error(gndm_ctx *c, gnd_status st)
{
    gndm_array *x = c ? calloc(1, sizeof *x) : NULL;
    if (!x)
        return c ? &lost : &nothing;
    link_in(c, x);
    x->status = st;
    x->dtype = GND_DTYPE_DEFAULT;
    x->message = strdup(c->message);
    return x;
}

/* --- owners ----------------------------------------------------------------------------------- */

gndm_array *gndm_retain(gndm_array *x)
{
    if (x && !is_static(x))
        x->refs++;
    return x;
}

void gndm_release(gndm_array *x)
{
    if (!x || is_static(x))
        return;
    belong(x, 0); /* the ownership that ends is the scope's */
    if (--x->refs)
        return;
    if (x->prev)
        x->prev->next = x->next;
    else
        x->ctx->arrays = x->next;
    if (x->next)
        x->next->prev = x->prev;
    gnd_release(x->local);
    gndm_part_free(x->part);
    free(x->message);
    free(x);
}

void gndm_scope_begin(gndm_ctx *c)
{
    if (c)
        c->depth++;
}

gnd_status gndm_scope_end(gndm_ctx *c)
{
    if (!c)
        return GND_ERR_NULL;
    if (c->depth == 0)
        return gndm__fail(c, GND_ERR_STATE, "scope_end: no scope is open");
    for (gndm_array *x = *owned_by(c, c->depth), *older; x; x = older) {
        older = x->older;
        if (x->scope == c->depth)
            gndm_release(x);
    }
    c->depth--;
    return GND_OK;
}

gndm_array *gndm_keep(gndm_array *x)
{
    if (x && x->scope > 0)
        belong(x, x->scope - 1);
    return x;
}

gndm_array *gndm_assign(gndm_array **var, gndm_array *value)
{
    gndm_array *old = *var;
    if (value && !is_static(value))
        belong(value, 0);
    *var = value;
    gndm_release(old);
    return value;
}

/* --- errors ----------------------------------------------------------------------------------- */

gnd_status gndm_status_of(const gndm_array *x)
{
    return x ? x->status : GND_ERR_NULL;
}

const char *gndm_error(const gndm_array *x)
{
    return x && x->status ? (x->message ? x->message : gnd_status_text(x->status)) : "";
}

gnd_status gndm__check(gndm_ctx *c, const gndm_array *x)
{
    if (!x)
        return gndm__fail(c, GND_ERR_NULL, "%s: an array is NULL", c->func);
    if (x->status)
        return gndm__fail(c, x->status, "%s", gndm_error(x));
    if (x->ctx != c)
        return gndm__fail(c, GND_ERR_STATE, "%s: arrays of two contexts", c->func);
    return GND_OK;
}

gnd_status gndm__ready(gndm_ctx *c, gnd_array *x)
{
    const gnd_status st = gndm__nccl_settle(c);
    return st ? st : gnd_wait(x);
}

gnd_status gndm__host(gndm_ctx *c, gnd_array *x, void *dst, size_t nbytes)
{
    const gnd_status st = gndm__nccl_settle(c);
    return st ? st : gnd_read(x, dst, nbytes);
}

gnd_status gndm__settle(gndm_ctx *c, int n, gndm_array *const *x)
{
    gnd_status st = GND_OK;
    const char *text = "";
    gnd_array **local = malloc(((size_t)n + 1) * sizeof *local);
    int todo = 0;
    for (int i = 0; i < n && local; i++)
        if (!x[i]->known)
            local[todo++] = x[i]->local;
    if (todo > 1)
        gnd_eval_all(todo, local); /* in one plan; failures are reported below */
    free(local);
    for (int i = 0; i < n && !st; i++) {
        st = x[i]->known ? GND_OK : gndm__ready(c, x[i]->local);
        if (st)
            text = gnd_status_of(x[i]->local) ? gnd_error(x[i]->local) : gnd_message();
    }
    return gndm__agree(c, st, text);
}

gnd_status gndm_wait(gndm_ctx *c, int n, gndm_array *const *x)
{
    if (!c || (n > 0 && !x))
        return GND_ERR_NULL;
    gnd_status st = gndm__enter(c, "wait", "%d arrays", n);
    for (int i = 0; i < n && !st; i++)
        st = gndm__check(c, x[i]);
    if (!st)
        st = gndm__settle(c, n, x);
    gndm__leave(c, NULL);
    return st;
}

/* --- properties ------------------------------------------------------------------------------- */

gnd_array *gndm_local(gndm_array *x)
{
    return x ? x->local : NULL;
}

gnd_dtype gndm_dtype_of(const gndm_array *x)
{
    return x && !x->status ? x->dtype : GND_DTYPE_DEFAULT;
}

int gndm_ndim(const gndm_array *x)
{
    return x && !x->status ? x->part->ndim : 0;
}

const int64_t *gndm_shape(const gndm_array *x)
{
    static const int64_t none[1];
    return x && !x->status ? x->part->shape : none;
}

int64_t gndm_elements(const gndm_array *x)
{
    return x && !x->status ? gndm__product(x->part->ndim, x->part->shape) : 0;
}

const char *gndm__shape_text(char *buf, int ndim, const int64_t *shape)
{
    char *p = buf;
    *p++ = '(';
    for (int d = 0; d < ndim; d++)
        p += sprintf(p, d ? ", %lld" : "%lld", (long long)shape[d]);
    strcpy(p, ndim == 1 ? ",)" : ")");
    return buf;
}

gnd_array *gndm__boxed(gnd_array *x, int ndim, const gndm__box *box, const int64_t *origin)
{
    gnd_range idx[GND_MAX_NDIM];
    int whole = 1;
    for (int d = 0; d < ndim; d++) {
        const int64_t at = origin ? origin[d] : 0, a = box->start[d] - at, b = box->stop[d] - at;
        idx[d] = GND_SLICE(a, b > a ? b : a);
        whole = whole && a == 0 && b == gnd_dim(x, d);
    }
    return whole ? x : gnd_index(x, ndim, idx);
}
