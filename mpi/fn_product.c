/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_product.c - products of matrices and vectors. Every rank computes a block of the result: C[i,
 * j] = the sum over panels of A[i, panel] B[panel, j]. The blocks form a grid of ranks; with one
 * row or one column it is the 1-d case (van de Geijn, Watts: SUMMA, 1997; C is not moved). The
 * mover fetches a panel from operands with any cuts, so they need not match the grid. If the inner
 * axis is cut and the result is small, each rank multiplies its share of the inner axis, and the
 * products are summed. A model of the time chooses between these (plan_time). Stacks of matrices
 * keep the cuts of the stack.
 */
#include "call.h"

#include <string.h>

enum { ALIGNED = 256, PANEL_BYTES = 64 << 20, LARGE = 1 << 20 /* elements, as in fn_reduce.c */ };

/* Figures of the model if speeds are not measured (GNDM_EVEN). Only their ratios matter. */
static const double LATENCY = 1e-4, LINK = 2e9, FLOPS = 5e10;

/* A product of an m x k and a k x n matrix. */
typedef struct product {
    gndm_ctx *c;
    gndm_array *x, *y;
    int64_t m, k, n;
    gnd_dtype dtype;
} product;

/* A way to compute it. part: the partition of the result or, if inner is set, of the inner axis
 * (k). */
typedef struct plan {
    gndm_part *part;
    int inner;
    double time;
} plan;

/* --- the model -------------------------------------------------------------------------------- */

/* The bytes of the box `want` of x that rank r does not have. */
static double lacking(const gndm_array *x, int r, const gndm__box *want)
{
    gndm__box have;
    double all = 1, own = 1;
    gndm__part_box(x->part, r, &have);
    for (int d = 0; d < x->part->ndim; d++) {
        const int64_t a = have.start[d] > want->start[d] ? have.start[d] : want->start[d];
        const int64_t b = have.stop[d] < want->stop[d] ? have.stop[d] : want->stop[d];
        all *= (double)(want->stop[d] - want->start[d]);
        own *= b > a ? (double)(b - a) : 0;
    }
    return (all - own) * (double)gnd_dtype_size(x->dtype);
}

/* The boxes of both operands that rank r needs for the inner indices from .. to. */
static void needs(const product *q, const plan *p, int r, int64_t from, int64_t to, gndm__box *x,
                  gndm__box *y)
{
    gndm__box b;
    gndm__part_box(p->part, r, &b);
    if (p->inner)
        b = (gndm__box){.start = {0, 0, b.start[0]}, .stop = {q->m, q->n, b.stop[0]}};
    else
        b.start[2] = from, b.stop[2] = to;
    *x = (gndm__box){.start = {b.start[0], b.start[2]}, .stop = {b.stop[0], b.stop[2]}};
    *y = (gndm__box){.start = {b.start[2], b.start[1]}, .stop = {b.stop[2], b.stop[1]}};
}

/* The size of the panels: a part of the smallest memory of a rank, if it is known. Wide panels make
 * few passes over the result. */
static double panel_bytes(const gndm_ctx *c)
{
    double least = 0;
    for (int r = 0; r < c->size && c->ranks; r++) {
        const double memory = (double)c->ranks[r].mem_bytes / 64;
        least = r == 0 || memory < least ? memory : least;
    }
    return least > PANEL_BYTES ? least : PANEL_BYTES;
}

/* The largest width of a panel: its number of inner indices. One rank fetches nothing and needs no
 * panels. */
static int64_t panel_width(const product *q, const plan *p)
{
    double most = 1;
    if (q->c->size == 1)
        return q->k > 0 ? q->k : 1;
    gndm__box x, y;
    for (int r = 0; r < q->c->size; r++) {
        needs(q, p, r, 0, 1, &x, &y);
        const double row = (double)(x.stop[0] - x.start[0]) * (double)gnd_dtype_size(q->x->dtype) +
                           (double)(y.stop[1] - y.start[1]) * (double)gnd_dtype_size(q->y->dtype);
        most = row > most ? row : most;
    }
    const int64_t width = (int64_t)(panel_bytes(q->c) / most);
    if (width >= ALIGNED) /* libraries are slower where panels begin at odd addresses */
        return width - width % ALIGNED;
    return width > 16 ? width : 16;
}

/* An estimate in seconds: the longest computing time of any rank, plus the longest receiving time,
 * plus a latency for each exchange. The sum over the parts of the inner axis is another exchange
 * (fn_reduce.c). */
static double plan_time(const product *q, const plan *p)
{
    const gndm_ctx *c = q->c;
    double work = 0, move = 0, messages = 0;
    gndm__box x, y;
    for (int r = 0; r < c->size; r++) {
        needs(q, p, r, 0, q->k, &x, &y);
        const double rate = c->ranks && c->ranks[r].flops > 0 ? c->ranks[r].flops : FLOPS;
        const double link = c->ranks && c->ranks[r].link > 0 ? c->ranks[r].link : LINK;
        const double w = 2. * (double)(x.stop[0] - x.start[0]) * (double)(x.stop[1] - x.start[1]) *
                         (double)(y.stop[1] - y.start[1]) / rate;
        const double bx = lacking(q->x, r, &x), by = lacking(q->y, r, &y);
        double bytes = bx + by;
        if (p->inner) {
            const double size = (double)(q->m * q->n), places = p->part->grid[0];
            bytes += size * (double)gnd_dtype_size(q->dtype) * (size > LARGE ? 2 : places - 1);
        }
        const double each = (bx > 0) + (by > 0);
        work = w > work ? w : work;
        move = bytes / link > move ? bytes / link : move;
        messages = each > messages ? each : messages;
    }
    const double panels = p->inner ? 1 : (double)q->k / (double)panel_width(q, p);
    return work + move + LATENCY * (messages * (panels > 1 ? panels : 1) + p->inner);
}

/* Makes part the best plan if it is better. Takes over part. */
static void consider(const product *q, plan *best, gndm_part *part, int inner)
{
    plan p = {.part = part, .inner = inner};
    if (part->status) {
        if (best->part) {
            gndm_part_free(part);
            return;
        }
    } else {
        p.time = plan_time(q, &p);
        /* an earlier plan is replaced only by one that is clearly better */
        if (best->part && !best->part->status && !(p.time < 0.9 * best->time)) {
            gndm_part_free(part);
            return;
        }
    }
    gndm_part_free(best->part);
    *best = p;
}

/* The partition of the result that has the cuts of one axis of an operand. The operand's other axis
 * is made whole. */
static gndm_part *like(const product *q, const gndm_array *x, int axis)
{
    const int64_t shape[2] = {q->m, q->n};
    const int from[2] = {axis == 0 ? 0 : -1, axis == 1 ? 1 : -1};
    gndm_part *whole = gndm__whole_axes(q->c, x->part, UINT32_C(1) << !axis);
    gndm_part *y = whole->status ? gndm__part_fail(whole->status, gndm_part_error(whole))
                                 : gndm__part_axes(q->c, whole, 2, shape, from);
    gndm_part_free(whole);
    return y;
}

/* Chooses the best plan from what all ranks know, so all choose the same. The caller frees
 * best->part. */
static void choose(const product *q, plan *best)
{
    gndm_ctx *c = q->c;
    const int64_t shape[2] = {q->m, q->n};
    *best = (plan){.part = NULL};
    consider(q, best, like(q, q->x, 0), 0);
    consider(q, best, like(q, q->y, 1), 0);
    /* cut the inner axis like the first operand, or like the second */
    const gndm_array *cut[2] = {q->x, q->y};
    for (int i = 0; i < 2; i++) {
        const int axis = 1 - i;
        if (cut[i]->part->grid[axis] > 1 && cut[i]->part->grid[!axis] == 1)
            consider(q, best, gndm__part_axes(c, cut[i]->part, 1, &q->k, &axis), 1);
    }
    if (best->time < 4 * LATENCY) /* no plan can gain much */
        return;
    if (!(c->flags & GNDM_EVEN) && !c->ranks && !gndm__measure(c) && !best->part->status)
        best->time = plan_time(q, best);
    for (int rows = 1; rows <= c->size; rows++) {
        const int grid[2] = {rows, c->size / rows};
        if (c->size % rows || grid[0] > q->m || grid[1] > q->n)
            continue;
        consider(q, best,
                 c->flags & GNDM_EVEN ? gndm_part_even(c, 2, shape, grid)
                                      : gndm_part_weighted(c, q->dtype, 2, shape, grid, GNDM_FLOPS),
                 0);
    }
}

/* --- products --------------------------------------------------------------------------------- */

/* Fetches the panels from .. to of both operands and multiplies them on this rank. */
static gnd_status multiply(const product *q, const plan *p, int64_t from, int64_t to,
                           gndm__box *want, gnd_array **out)
{
    gndm_ctx *c = q->c;
    gnd_array *x = NULL, *y = NULL;
    gndm__box other;
    for (int r = 0; r < c->size; r++)
        needs(q, p, r, from, to, &want[r], &other);
    gnd_status st = gndm__fetch(c, q->x, want, &x);
    for (int r = 0; r < c->size; r++)
        needs(q, p, r, from, to, &other, &want[r]);
    if (!st)
        st = gndm__fetch(c, q->y, want, &y);
    *out = st ? NULL : gnd_matmul(x, y);
    return st;
}

static gnd_status blocks(const product *q, const plan *p, gndm_array **out)
{
    gndm_ctx *c = q->c;
    const int64_t width = panel_width(q, p);
    gndm__box *want = malloc((size_t)c->size * sizeof *want);
    gnd_array *sum = NULL;
    gnd_status st = want ? GND_OK : gndm__broken(c, GND_ERR_NOMEM, "matmul: out of host memory");
    for (int64_t k = 0; (k < q->k || !sum) && !st; k += width) {
        gnd_array *next = NULL;
        gnd_scope_begin();
        st = multiply(q, p, k, k + width < q->k ? k + width : q->k, want, &next);
        if (!st) {
            next = gnd_retain(sum ? gnd_add(sum, next) : next);
            if (width < q->k)
                gnd_eval_all(1, &next); /* a failure is recorded in next */
            gnd_release(sum);
            sum = next;
        }
        gnd_scope_end();
    }
    free(want);
    if (!st)
        *out = gndm__array(c, q->dtype, p->part, sum);
    gnd_release(sum);
    return st;
}

/* Multiplies this rank's share of the inner axis, then sums the products of all shares. */
static gnd_status inner(const product *q, const plan *p, gndm_array **out)
{
    gndm_ctx *c = q->c;
    static const char *const names[] = {"axis", "dtype"};
    const int places = p->part->grid[0];
    const int64_t shape[3] = {places, q->m, q->n};
    gndm__box *want = malloc((size_t)c->size * sizeof *want);
    int64_t *cut = malloc(((size_t)places + 1) * sizeof *cut);
    gnd_array *local = NULL;
    gnd_status st =
        want && cut ? GND_OK : gndm__broken(c, GND_ERR_NOMEM, "matmul: out of host memory");
    if (!st)
        st = multiply(q, p, 0, q->k, want, &local);
    if (!st) {
        for (int i = 0; i <= places; i++)
            cut[i] = i;
        gndm_part *stack = gndm__part_new(c, 3, shape);
        gndm__part_split(c, stack, 0, places, p->part->stride[0], cut);
        gndm_array *all = gndm__array(c, q->dtype, stack, gnd_expand_dims(local, GND_AXIS(0)));
        gndm_part_free(stack);
        const gnd_value v[3] = {gndm_value(all), gnd_value_int(0), gnd_value_dtype(q->dtype)};
        const int truth = q->dtype == GND_BOOL;
        *out = gndm_apply(c, NULL, truth ? "any" : "sum", truth ? 2 : 3, v, truth ? 1 : 2, names);
        st = gndm__check(c, *out);
    }
    free(want);
    free(cut);
    return st;
}

/* --- operands --------------------------------------------------------------------------------- */

gndm_array *gndm__reshaped(gndm_ctx *c, gndm_array *x, int ndim, const int64_t *shape,
                           const int *from)
{
    gndm_part *p = gndm__part_axes(c, x->part, ndim, shape, from);
    gndm__box b;
    int64_t dim[GND_MAX_NDIM];
    gnd_array *y = x->local;
    if (!p->status)
        gndm__part_box(p, c->rank, &b);
    for (int d = 0; d < ndim && !p->status; d++)
        dim[d] = b.stop[d] - b.start[d];
    if (!p->status && !gnd_status_of(y))
        y = gnd_reshape(y, ndim, dim);
    gndm_array *z = gndm__array(c, x->dtype, p, y);
    gndm_part_free(p);
    return z;
}

/* The product of matrices and vectors. shape: the shape of the result. */
static gnd_status flat(gndm__args *a, gndm_array *x, gndm_array *y, int ndim, const int64_t *shape)
{
    gndm_ctx *c = a->c;
    const int vx = x->part->ndim == 1, vy = y->part->ndim == 1;
    static const int row[2] = {-1, 0}, column[2] = {0, -1};
    if (vx)
        x = gndm__reshaped(c, x, 2, (const int64_t[]){1, x->part->shape[0]}, row);
    if (vy)
        y = gndm__reshaped(c, y, 2, (const int64_t[]){y->part->shape[0], 1}, column);
    gnd_status st = gndm__check(c, x->status ? x : y);
    if (st)
        return st;
    const product q = {c,
                       x,
                       y,
                       x->part->shape[0],
                       x->part->shape[1],
                       y->part->shape[1],
                       gnd_promote(x->dtype, y->dtype)};
    plan p;
    gndm_array *z = NULL;
    choose(&q, &p);
    st = p.part->status ? gndm__fail(c, p.part->status, "%s", gndm_part_error(p.part))
         : p.inner      ? inner(&q, &p, &z)
                        : blocks(&q, &p, &z);
    gndm_part_free(p.part);
    if (!st && (vx || vy)) /* an axis of extent 1 that was added is never cut */
        z = gndm__reshaped(c, z, ndim, shape, vx ? (const int[]){1} : (const int[]){0});
    return st ? st : gndm__ret_array(a, z);
}

/* The product of stacks. The operand `lead` has all axes of the stack. It keeps the cuts of these
 * axes and of its axis `keeps`, which is an axis of the result; `other` is moved to match. sums:
 * the axis of `lead` that is summed over. */
static gnd_status stacked(gndm__args *a, gndm_array *lead, gndm_array *other, int keeps, int sums,
                          int ndim, const int64_t *shape)
{
    gndm_ctx *c = a->c;
    const int n = lead->part->ndim, on = other->part->ndim;
    int from[GND_MAX_NDIM];
    gnd_value local;
    gndm_part *p = gndm__whole_axes(c, lead->part, UINT32_C(1) << sums);
    for (int d = 0; d < on; d++)
        from[d] = d < on - 2 ? d + n - on : -1;
    gndm_part *to = p->status ? gndm__part_fail(p->status, gndm_part_error(p))
                              : gndm__part_axes(c, p, on, other->part->shape, from);
    gndm_array *x = gndm__moved(c, lead, p);
    gnd_status st = gndm__check(c, x);
    gndm_array *y = st ? NULL : gndm__moved(c, other, to);
    if (!st)
        st = gndm__check(c, y);
    if (!st) {
        const int first = lead == gndm__as_array(&a->v[a->at[0]]);
        gndm__replace(a, a->at[!first], x);
        gndm__replace(a, a->at[first], y);
        st = gndm__local_call(a, &local);
    }
    if (!st) {
        for (int d = 0; d < ndim; d++)
            from[d] = d < n - 2 ? d : -1;
        from[keeps == n - 2 ? n - 2 : ndim - 1] = keeps;
        gndm_part *after = gndm__part_axes(c, p, ndim, shape, from);
        st = gndm__ret(a, &local, after);
        gndm_part_free(after);
    }
    gndm_part_free(p);
    gndm_part_free(to);
    return st;
}

gnd_status gndm__fn_matmul(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x1"), *y = gndm__arg_array(a, "x2");
    gnd_value v;
    const gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || !y)
        return gndm__fn_gathered(a);
    const int nx = x->part->ndim, ny = y->part->ndim, ndim = gnd_ndim(v.as.array);
    const int64_t *shape = gnd_shape(v.as.array);
    const gnd_dtype t = gnd_dtype_of(v.as.array);
    if (a->c->flags & GNDM_REPRODUCIBLE && strchr("fc", gnd_dtype_kind(t)) &&
        x->part->shape[nx - 1])
        return gndm__matmul_reproducible(a, x, y, t);
    if (nx <= 2 && ny <= 2)
        return flat(a, x, y, ndim, shape);
    if (nx >= ny && !memcmp(x->part->shape, shape, (size_t)(nx - 2) * sizeof *shape))
        return stacked(a, x, y, nx - 2, nx - 1, ndim, shape);
    if (ny >= nx && !memcmp(y->part->shape, shape, (size_t)(ny - 2) * sizeof *shape))
        return stacked(a, y, x, ny - 1, ny - 2, ndim, shape);
    return gndm__fn_gathered(a); /* both stacks are broadcast */
}
