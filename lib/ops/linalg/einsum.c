/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/einsum.c - gnd_einsum: views, sums, products and matrix products in the order that
 * einsum_path.c chose. Diagonals and other orders of axes are views. Two operands give
 *
 *     nothing to sum       one broadcast product, which fuses with its surroundings
 *     everything to sum    (except batches) one fused kernel of products and their sum
 *     otherwise            [batch, own of a, summed] by [batch, summed, own of b], a matrix
 *                          product whose operands are views if strides can express them, else
 *                          copies; own axes that are far from the others become batch axes of
 *                          this operand
 *
 * float16 and bfloat16: with more than two operands everything is computed in float32 and rounded
 * once.
 */
#include <stdlib.h>
#include <string.h>
#include "ops/linalg/einsum.h"
#include "array/host.h"
#include "array/views.h"
#include "base/strbuf.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "prim/choices.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/create.h>
#include <gnd/reduce.h>

/* An intermediate operand: its axes by label. None has extent 1. */
typedef struct part {
    gnd_array *x;
    int n;
    int8_t label[GND_MAX_NDIM];
} part;

static uint64_t bit(int label)
{
    return (uint64_t)1 << label;
}

static uint64_t set_of(const part *p)
{
    uint64_t s = 0;
    for (int d = 0; d < p->n; d++)
        s |= bit(p->label[d]);
    return s;
}

/* --- views ------------------------------------------------------------------------------------ */

static gnd_array *too_many(const gnd__ein *e)
{
    return gnd__fail(e->dev, GND_ERR_SHAPE,
                     "%s('%.80s'): a product on the way has more than %d axes", e->func, e->text,
                     GND_MAX_NDIM);
}

/* The view of x whose axis k is the axis of x with label[k], or has extent 1 if x has no such axis.
 * Axis d of x has label have[d]. Axes with equal labels are a diagonal; axes of extent 1 are left
 * out. */
static gnd_array *arranged(const gnd__ein *e, gnd_array *x, const int8_t *have, int n,
                           const int8_t *label)
{
    gnd__map m;
    int64_t dim[GND_MAX_NDIM];
    if (x->kind == GND__ERROR)
        return x;
    if (n > GND_MAX_NDIM)
        return too_many(e);
    for (int k = 0; k < n; k++)
        dim[k] = 1;
    for (int d = 0; d < x->ndim; d++) {
        m.start[d] = 0;
        m.step[d] = 1;
        m.from[d] = -1;
        for (int k = 0; k < n && x->dim[d] != 1; k++)
            if (label[k] == have[d]) {
                m.from[d] = (int8_t)k;
                dim[k] = x->dim[d];
            }
    }
    return gnd__viewed(x, n, dim, &m);
}

/* The number of elements along n axes of x. */
static int64_t joined(const gnd_array *x, int from, int n)
{
    int64_t size = 1;
    for (int d = from; d < from + n; d++)
        size *= x->dim[d];
    return size;
}

/* Makes operand i: takes diagonals, drops axes of extent 1, converts to dtype t. */
static part operand(const gnd__ein *e, int i, gnd_array *x, gnd_dtype t)
{
    part p = {0};
    uint64_t seen = 0;
    for (int d = 0; d < x->ndim; d++)
        if (x->dim[d] != 1 && !(seen & bit(e->axis[i][d]))) {
            seen |= bit(e->axis[i][d]);
            p.label[p.n++] = e->axis[i][d];
        }
    p.x = arranged(e, gnd__as_strong(x, e->dev, t, e->func), e->axis[i], p.n, p.label);
    return p;
}

/* Sums over the labels that are not in `kept`. */
static void sum_out(part *p, uint64_t kept, gnd_dtype t)
{
    gnd_axes axes = GND_NO_AXES;
    int n = 0;
    for (int d = 0; d < p->n; d++)
        if (kept & bit(p->label[d]))
            p->label[n++] = p->label[d];
        else
            axes = gnd_axes_union(axes, GND_AXIS(d));
    if (n < p->n)
        p->x = gnd_sum_as(p->x, axes, 0, t);
    p->n = n;
}

/* --- products --------------------------------------------------------------------------------- */

/* Appends the labels of p that are in set, in p's order. */
static void append(int8_t *list, int *n, const part *p, uint64_t set)
{
    for (int d = 0; d < p->n; d++)
        if (set & bit(p->label[d]))
            list[(*n)++] = p->label[d];
}

/* The labels that are kept, in the result's order if this is the last product, else in that of a
 * and b. */
static int kept_order(const gnd__ein *e, const part *a, const part *b, uint64_t kept, int last,
                      int8_t *list)
{
    int n = 0;
    for (int d = 0; last && d < e->nout; d++)
        if (kept & bit(e->out[d]))
            list[n++] = e->out[d];
    if (!last) {
        append(list, &n, a, kept);
        append(list, &n, b, kept & ~set_of(a));
    }
    return n;
}

/* a * b, and the sum over the labels that are not kept: elementwise, and fused. */
static part by_elements(const gnd__ein *e, const part *a, const part *b, uint64_t kept, int last,
                        gnd_dtype t)
{
    int8_t list[2 * GND_MAX_NDIM];
    part p = {0};
    int nkept = kept_order(e, a, b, kept, last, list), n = nkept;
    append(list, &n, a->x->size > b->x->size ? a : b, set_of(a) & set_of(b) & ~kept);
    gnd_array *x = arranged(e, a->x, a->label, n, list), *y = arranged(e, b->x, b->label, n, list);
    gnd_axes axes = GND_NO_AXES;
    for (int d = nkept; d < n; d++)
        axes = gnd_axes_union(axes, GND_AXIS(d));
    p.x = n > nkept ? gnd__sum_of_products(x, y, axes, t) : gnd_multiply(x, y);
    p.n = nkept;
    memcpy(p.label, list, (size_t)(nkept < GND_MAX_NDIM ? nkept : GND_MAX_NDIM));
    return p;
}

/* Whether the result begins, among the labels of both sets, with one of b. */
static int begins_with(const gnd__ein *e, uint64_t a, uint64_t b)
{
    for (int d = 0; d < e->nout; d++)
        if ((a | b) & bit(e->out[d]))
            return (b & bit(e->out[d])) != 0;
    return 0;
}

/* Selects from the labels `own` of p, which are rows or columns, those that are better batch axes.
 * These are not adjacent to the last ones, such as the images of 'nchw,ck->nkhw', and would have to
 * be copied. The other operand has one matrix for all. */
static uint64_t apart(const gnd__ein *e, const part *p, uint64_t own)
{
    uint64_t run = 0;
    int d = p->n - 1;
    while (d >= 0 && !(own & bit(p->label[d])))
        d--;
    for (; d >= 0 && own & bit(p->label[d]); d--)
        run |= bit(p->label[d]);
    return gnd__ein_size(e, run) >= 16 ? own & ~run : 0;
}

static part by_matrices(const gnd__ein *e, const part *a, const part *b, uint64_t kept, int last)
{
    const uint64_t sa = set_of(a), sb = set_of(b), both = sa & sb;
    const part *larger = a->x->size > b->x->size ? a : b;
    const uint64_t alone = apart(e, larger, kept & ~both & set_of(larger)),
                   wide = (both & kept) | alone;
    if (last && begins_with(e, sa & ~both & ~alone, sb & ~both & ~alone)) {
        const part *swap = a;
        a = b;
        b = swap;
    }
    int8_t la[3 * GND_MAX_NDIM], lb[3 * GND_MAX_NDIM], batch[GND_MAX_NDIM];
    int nbatch = 0, na, nb;
    part p = {0};
    if (last)
        for (int d = 0; d < e->nout; d++) {
            if (wide & bit(e->out[d]))
                batch[nbatch++] = e->out[d];
        }
    else
        append(batch, &nbatch, larger, wide);
    memcpy(la, batch, (size_t)nbatch);
    memcpy(lb, batch, (size_t)nbatch);
    na = nb = nbatch;
    append(la, &na, a, kept & ~both & ~alone);
    const int rows = na - nbatch;
    append(la, &na, larger, both & ~kept);
    append(lb, &nb, larger, both & ~kept);
    const int summed = nb - nbatch;
    append(lb, &nb, b, kept & ~both & ~alone);
    const int columns = nb - nbatch - summed;
    gnd_array *x = arranged(e, a->x, a->label, na, la), *y = arranged(e, b->x, b->label, nb, lb);
    p.x = x;
    p.n = nbatch + rows + columns;
    if (x->kind != GND__ERROR && (nbatch + 2 > GND_MAX_NDIM || p.n > GND_MAX_NDIM))
        p.x = too_many(e);
    else if (x->kind != GND__ERROR)
        p.x = y;
    if (p.x->kind == GND__ERROR)
        return p;
    int64_t da[GND_MAX_NDIM + 2], db[GND_MAX_NDIM + 2], dim[2 * GND_MAX_NDIM];
    for (int d = 0; d < nbatch; d++) {
        da[d] = x->dim[d];
        db[d] = y->dim[d];
        dim[d] = e->extent[batch[d]];
    }
    da[nbatch] = joined(x, nbatch, rows);
    da[nbatch + 1] = db[nbatch] = joined(x, nbatch + rows, summed);
    db[nbatch + 1] = joined(y, nbatch + summed, columns);
    for (int d = 0; d < rows; d++)
        dim[nbatch + d] = x->dim[nbatch + d];
    for (int d = 0; d < columns; d++)
        dim[nbatch + rows + d] = y->dim[nbatch + summed + d];
    memcpy(p.label, la, (size_t)(nbatch + rows));
    memcpy(p.label + nbatch + rows, lb + nbatch + summed, (size_t)columns);
    p.x = gnd_matmul(gnd__reshaped(x, nbatch + 2, da), gnd__reshaped(y, nbatch + 2, db));
    if (p.x->kind != GND__ERROR)
        p.x = gnd__reshaped(p.x, p.n, dim);
    return p;
}

/* The plan of a product of operands with labels a and b. */
typedef enum how { MULTIPLY, MULTIPLY_SUM, MATMUL } how;
static how how_of(uint64_t a, uint64_t b, uint64_t kept)
{
    return (a | b) == kept ? MULTIPLY : kept & ~(a & b) ? MATMUL : MULTIPLY_SUM;
}

/* Whether p is a view that repeats elements: windows, which a product of matrices would have to
 * copy. */
static int repeats(const part *p)
{
    const gnd_array *x = p->x;
    return x->kind == GND__VIEW && x->in && x->size > x->in[0]->size;
}

/* Multiplications that a GPU makes in the time that a copy and a library's call take. */
#define FEW_PRODUCTS (1 << 20)

/* Whether the product is a sum of products for each window, which reads the array and not a copy of
 * all windows: that of windows with one set of weights, and on a GPU a small one with several. */
static int is_filter(const gnd__ein *e, const part *a, const part *b, uint64_t kept)
{
    const uint64_t sa = set_of(a), sb = set_of(b);
    const int few = gnd__ein_size(e, sa | sb) <= FEW_PRODUCTS && !gnd__for_cpu(e->dev);
    return (repeats(a) && (few || !(kept & sb & ~sa))) ||
           (repeats(b) && (few || !(kept & sa & ~sb)));
}

/* --- the whole -------------------------------------------------------------------------------- */

static gnd_array *contract(const gnd__ein *e, gnd_array *const *x, gnd_dtype t, const int64_t *dim)
{
    part p[2 * GND_EINSUM_OPERANDS];
    uint64_t set[2 * GND_EINSUM_OPERANDS] = {0}, left[GND_EINSUM_OPERANDS];
    uint8_t live[2 * GND_EINSUM_OPERANDS] = {0};
    gnd_dtype wide = t;
    memcpy(set, e->set, (size_t)e->n * sizeof *set);
    memset(live, 1, (size_t)e->n);
    for (int i = 0; i < e->n; i++) {
        left[i] = gnd__ein_left(e, set, i, live);
        if ((t == GND_FLOAT16 || t == GND_BFLOAT16) && e->n > 1 && (e->n > 2 || left[i] != set[i]))
            wide = GND_FLOAT32;
    }
    for (int i = 0; i < e->n; i++) {
        p[i] = operand(e, i, x[i], wide);
        if (p[i].x->kind != GND__ERROR)
            sum_out(&p[i], left[i], wide);
        if (p[i].x->kind == GND__ERROR)
            return p[i].x;
    }
    part *r = &p[0];
    memcpy(set, left, (size_t)e->n * sizeof *set);
    for (int s = 0; s < e->n - 1; s++) {
        const int i = e->step[s][0], j = e->step[s][1], last = s == e->n - 2;
        uint64_t kept = 0;
        r = &p[e->n + s];
        live[i] = live[j] = 0;
        live[e->n + s] = 1;
        set[e->n + s] = set[i] | set[j];
        kept = gnd__ein_left(e, set, e->n + s, live);
        *r = how_of(set[i], set[j], kept) == MATMUL && !is_filter(e, &p[i], &p[j], kept)
                 ? by_matrices(e, &p[i], &p[j], kept, last)
                 : by_elements(e, &p[i], &p[j], kept, last, wide);
        set[e->n + s] = kept;
        if (r->x->kind == GND__ERROR)
            return r->x;
    }
    gnd_array *y = arranged(e, r->x, r->label, e->nout, e->out);
    if (y->kind != GND__ERROR)
        y = gnd__reshaped(y, e->nout, dim);
    return y->kind == GND__ERROR || wide == t ? y : gnd_astype(y, t);
}

gnd_array *gnd_einsum(const char *subscripts, int n, gnd_array *const *operands)
{
    gnd__ein e;
    int64_t dim[GND_MAX_NDIM];
    gnd_array *bad = gnd__ein_parse(&e, "einsum", subscripts, n, operands);
    if (bad)
        return bad;
    const gnd_dtype t = gnd__common_dtype(e.dev, n, operands);
    for (int d = 0; d < e.nout; d++)
        dim[d] = e.extent[e.out[d]];
    if ((bad = gnd__check_shape("einsum", e.dev, t, e.nout, dim)))
        return bad;
    for (int i = 0; i < e.nlabel; i++)
        if (e.extent[i] == 0) { /* sums are empty, or there are none */
            gnd__scalar zero = {.kind = gnd_dtype_kind(t)};
            return gnd__filled(e.dev, t, e.nout, dim, &zero);
        }
    if (gnd__ein_order(&e))
        return gnd__nomem();
    const gnd__inner in = gnd__enter(NULL);
    return gnd__leave(in, contract(&e, operands, t, dim));
}

/* --- the path as text ------------------------------------------------------------------------- */

/* The labels of a set: '...' and letters. */
static void add_set(gnd__str *s, const gnd__ein *e, uint64_t set)
{
    int dots = 0;
    for (int i = 0; i < e->nlabel; i++)
        if (set & bit(i) && e->letter[i] == '.')
            dots = 1;
    gnd__str_add(s, dots ? "..." : "");
    for (int i = 0; i < e->nlabel; i++)
        if (set & bit(i) && e->letter[i] != '.')
            gnd__str_addc(s, e->letter[i]);
}

/* Adds a line of the table: operands a and b, or (b < 0) one with the labels `before`, become an
 * operand with the labels `kept`. */
static void add_line(gnd__str *s, const gnd__ein *e, const char *call, const uint64_t *set,
                     const uint8_t *live, int a, int b, uint64_t before, uint64_t kept)
{
    gnd__str now = {0};
    add_set(&now, e, b < 0 ? before : set[a]);
    if (b >= 0) {
        gnd__str_addc(&now, ',');
        add_set(&now, e, set[b]);
    }
    gnd__str_add(&now, "->");
    add_set(&now, e, kept);
    gnd__str_addf(s, "%4d     %-14s %-26s ", gnd__ein_count(b < 0 ? before : set[a] | set[b]), call,
                  gnd__str_get(&now));
    s->bad |= now.bad;
    gnd__str_free(&now);
    for (int i = 0, n = 0; i < 2 * e->n; i++) {
        if (!live[i])
            continue;
        gnd__str_add(s, n++ ? "," : "");
        add_set(s, e, set[i]);
    }
    gnd__str_add(s, "->");
    add_set(s, e, e->out_set);
    gnd__str_addc(s, '\n');
}

static void path_text(gnd__str *s, const gnd__ein *e)
{
    static const char *const call[] = {"multiply", "multiply, sum", "matmul"};
    uint64_t set[2 * GND_EINSUM_OPERANDS] = {0}, left[GND_EINSUM_OPERANDS], all = 0;
    uint8_t live[2 * GND_EINSUM_OPERANDS] = {0};
    gnd__str t = {0};
    memcpy(set, e->set, (size_t)e->n * sizeof *set);
    memset(live, 1, (size_t)e->n);
    int scaling = 0;
    for (int i = 0; i < e->n; i++) {
        all |= set[i];
        left[i] = gnd__ein_left(e, set, i, live);
    }
    for (int i = 0; i < e->n; i++) {
        uint64_t before = set[i];
        set[i] = left[i];
        if (before == left[i])
            continue;
        add_line(&t, e, "sum", set, live, i, -1, before, left[i]);
        scaling = gnd__ein_count(before) > scaling ? gnd__ein_count(before) : scaling;
    }
    for (int k = 0; k < e->n - 1; k++) {
        const int i = e->step[k][0], j = e->step[k][1], labels = gnd__ein_count(set[i] | set[j]);
        live[i] = live[j] = 0;
        live[e->n + k] = 1;
        set[e->n + k] = set[i] | set[j];
        const uint64_t kept = set[e->n + k] = gnd__ein_left(e, set, e->n + k, live);
        add_line(&t, e, call[how_of(set[i], set[j], kept)], set, live, i, j, 0, kept);
        scaling = labels > scaling ? labels : scaling;
    }
    gnd__str_addf(s, "  Complete contraction:  %s\n         Naive scaling:  %d\n", e->text,
                  gnd__ein_count(all));
    gnd__str_addf(s, "     Optimized scaling:  %d\n      Naive FLOP count:  %.3e\n", scaling,
                  e->naive);
    gnd__str_addf(s, "  Optimized FLOP count:  %.3e\n   Theoretical speedup:  %.4g\n", e->flops,
                  e->flops > 0 ? e->naive / e->flops : 1);
    gnd__str_addf(s, "  Largest intermediate:  %.3e elements\n", e->largest);
    gnd__str_addf(s, "scaling  %-14s %-26s remaining\n%s", "call", "current", gnd__str_get(&t));
    s->bad |= t.bad;
    gnd__str_free(&t);
}

char *gnd_einsum_path(const char *subscripts, int n, gnd_array *const *operands, gnd_status *st)
{
    gnd__ein e;
    gnd__str s = {0};
    gnd_status dummy;
    char *text = NULL;
    st = st ? st : &dummy;
    gnd_array *bad = gnd__ein_parse(&e, "einsum_path", subscripts, n, operands);
    if (bad) {
        *st = gnd__told(bad);
        gnd_release(bad);
        return NULL;
    }
    *st = GND_ERR_NOMEM;
    int failed = gnd__ein_order(&e);
    if (!failed)
        path_text(&s, &e);
    if (!failed && !s.bad && (text = malloc(s.len + 1))) {
        memcpy(text, gnd__str_get(&s), s.len + 1);
        *st = GND_OK;
    }
    gnd__str_free(&s);
    if (!text)
        gnd__refuse(GND_ERR_NOMEM, "einsum_path: out of host memory");
    return text;
}
