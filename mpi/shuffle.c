/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shuffle.c - exchanges of rows whose numbers are exchanged first, and arrays assembled from parts
 * whose sizes are known only to their ranks. The context's transports move the bytes.
 */
#include "shuffle.h"
#include "nccl.h"

#include <string.h>

/* --- counts ----------------------------------------------------------------------------------- */

gnd_status gndm__shuffle_open(gndm_ctx *c, gndm__shuffle *s, const int64_t *send)
{
    const size_t p = (size_t)c->size;
    int64_t *all = malloc(p * p * sizeof *all);
    s->nsend = s->nrecv = 0;
    s->send = calloc(2 * p, sizeof *s->send);
    s->recv = s->send ? s->send + p : NULL;
    if (!all || !s->send) {
        free(all);
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    }
    const gnd_status st = gndm__allgather(c, send, all, (int)(p * sizeof *send));
    for (size_t r = 0; r < p && !st; r++) {
        s->nsend += s->send[r] = send[r];
        s->nrecv += s->recv[r] = all[r * p + (size_t)c->rank];
    }
    free(all);
    return st;
}

void gndm__shuffle_close(gndm__shuffle *s)
{
    free(s->send);
    s->send = s->recv = NULL;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Cuts x into the parcels of this rank and evaluates them in one call. */
static gnd_status pack(gndm_ctx *c, gnd_array *x, const int64_t *send, const int64_t *recv,
                       int64_t inner, gndm__parcel *out, gndm__parcel *in)
{
    gnd_array **all = malloc(((size_t)c->size + 1) * sizeof *all);
    int n = 0;
    int64_t at = 0;
    if (!all)
        return GND_ERR_NOMEM;
    all[n++] = x;
    for (int r = 0; r < c->size; r++) {
        const int k = (r - c->rank + c->size) % c->size, from = (c->rank - k + c->size) % c->size;
        const int64_t m = send[r] * inner;
        out[k].peer = r;
        in[k].peer = from;
        out[k].direct = k && gndm__nccl_reaches(c, r);
        in[k].direct = k && gndm__nccl_reaches(c, from);
        if (k) /* the own rows are not sent */
            in[k].n = recv[from] * inner;
        out[k].n = m;
        out[k].of = x;
        out[k].from = at;
        if (m)
            all[n++] = out[k].x = gnd_slice(x, 0, at, at + m);
        at += m;
    }
    gnd_status st = gnd_status_of(x);
    if (!st)
        st = gnd_eval_all(n, all);
    for (int i = 0; i < n && !st; i++)
        st = gndm__ready(c, all[i]);
    free(all);
    return st;
}

/* Joins the received rows and the own ones, in the order of the ranks. */
static gnd_array *unpack(gndm_ctx *c, gnd_dtype t, const gndm__parcel *own, const gndm__parcel *in)
{
    gnd_array **piece = malloc(((size_t)c->size + 1) * sizeof *piece), *y;
    const int64_t none = 0;
    int n = 0;
    if (!piece)
        return gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int r = 0; r < c->size; r++) {
        const gndm__parcel *p = r == c->rank ? own : &in[(c->rank - r + c->size) % c->size];
        if (p->n)
            piece[n++] = p->x;
    }
    y = n == 0 ? gnd_zeros(c->dev, t, 1, &none) : n == 1 ? piece[0] : gnd_concat(n, piece, 0);
    free(piece);
    return y;
}

gnd_status gndm__shuffle_run(gndm_ctx *c, const gndm__shuffle *s, int back, gnd_dtype t,
                             gnd_array *x, int64_t inner, gnd_array **out)
{
    const int64_t *send = back ? s->recv : s->send, *recv = back ? s->send : s->recv;
    const int64_t n = (back ? s->nrecv : s->nsend) * inner;
    gndm__parcel *parcel = calloc(2 * (size_t)c->size, sizeof *parcel);
    gnd_status st = parcel ? GND_OK : GND_ERR_NOMEM;
    if (!gnd_status_of(x))
        x = gnd_reshape(x, 1, &n);
    if (!st)
        st = pack(c, x, send, recv, inner, parcel, parcel + c->size);
    if (!st)
        st = gndm__nccl_prepare(c, t, parcel, parcel + c->size);
    const char *text = st == GND_ERR_NOMEM ? "out of host memory"
                       : gnd_status_of(x)  ? gnd_error(x)
                                           : gnd_message();
    st = gndm__agree(c, st, text);
    if (!st) {
        const gndm__parcel own = parcel[0];
        parcel[0].n = 0;
        st = gndm__exchange(c, t, parcel, parcel + c->size);
        c->stats.exchanges += c->size > 1;
        if (!st)
            *out = unpack(c, t, &own, parcel + c->size);
    }
    free(parcel);
    return st;
}

/* --- parts put together ----------------------------------------------------------------------- */

gndm_array *gndm__joined(gndm_ctx *c, gnd_dtype t, gnd_array *local, int ndim, int axis,
                         gndm_part *to)
{
    gnd_status st = gndm__ready(c, local);
    st = gndm__agree(c, st, gnd_status_of(local) ? gnd_error(local) : gnd_message());
    if (st)
        return gndm__error(c, st);
    int64_t *cut = calloc((size_t)c->size + 1, sizeof *cut), shape[GND_MAX_NDIM];
    if (!cut)
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    for (int d = 0; d < ndim; d++)
        shape[d] = gnd_dim(local, d);
    st = gndm__allgather(c, &shape[axis], cut + 1, (int)sizeof *cut);
    for (int r = 0; r < c->size; r++)
        cut[r + 1] += cut[r];
    shape[axis] = cut[c->size];
    gndm_part *p = gndm__part_new(c, ndim, shape);
    gndm__part_split(c, p, axis, c->size, 1, cut);
    gndm_array *y = st ? gndm__error(c, st) : gndm__array(c, t, p, local);
    gndm_part_free(p);
    free(cut);
    if (y->status)
        return y;
    to = to ? gndm__part_retain(to) : gndm_part_default(c, t, ndim, shape);
    y = gndm__moved(c, y, to);
    gndm_part_free(to);
    return y;
}

gnd_status gndm__ret_arrays(gndm__args *a, int n, gndm_array **y)
{
    for (int i = 0; i < n; i++) {
        const gnd_status st = gndm__check(a->c, y[i]);
        if (st)
            return st;
    }
    gnd_value *item = calloc((size_t)n + 1, sizeof *item);
    if (!item)
        return gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    for (int i = 0; i < n; i++)
        item[i] = gndm_value(y[i]);
    *a->out = gnd_value_tuple(n, item);
    a->out->aux = GND_VALUE_OWNED;
    return GND_OK;
}

/* --- flattened arrays ------------------------------------------------------------------------- */

/* Finds the largest box that begins the elements at .. stop in C order, and returns its number of
 * elements. When this is repeated, an interval consists of at most 2 ndim - 1 boxes. */
static int64_t next_box(int ndim, const int64_t *shape, int64_t at, int64_t stop, gndm__box *b)
{
    int64_t inner[GND_MAX_NDIM], n = 1;
    int axis = 0;
    memset(b, 0, sizeof *b);
    if (at >= stop)
        return 0;
    for (int d = ndim - 1; d >= 0; d--) {
        inner[d] = n;
        n *= shape[d];
    }
    while (at % inner[axis] || at + inner[axis] > stop)
        axis++;
    for (int d = 0; d < ndim; d++) {
        const int64_t i = at / inner[d] % shape[d];
        b->start[d] = d <= axis ? i : 0;
        b->stop[d] = d < axis ? i + 1 : shape[d];
    }
    const int64_t most = (stop - at) / inner[axis];
    if (b->stop[axis] - b->start[axis] > most)
        b->stop[axis] = b->start[axis] + most;
    return (b->stop[axis] - b->start[axis]) * inner[axis];
}

/* The vector of x's elements in C order, in the partition p: fetches the boxes of which the
 * intervals consist. */
static gndm_array *by_boxes(gndm_ctx *c, gndm_array *x, gndm_part *p)
{
    enum { MOST = 2 * GND_MAX_NDIM };
    gndm__box *want = malloc((size_t)c->size * sizeof *want), mine;
    int64_t *at = malloc((size_t)c->size * sizeof *at);
    gnd_array *piece[MOST];
    gnd_status st =
        want && at ? GND_OK : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    int n = 0;
    for (int r = 0; r < c->size && !st; r++) {
        gndm__part_box(p, r, &mine);
        at[r] = mine.start[0];
    }
    for (int more = 1; more && !st;) {
        int64_t own = 0;
        more = 0;
        for (int r = 0; r < c->size; r++) {
            gndm__part_box(p, r, &mine);
            const int64_t m =
                next_box(x->part->ndim, x->part->shape, at[r], mine.stop[0], &want[r]);
            at[r] += m;
            more |= m > 0;
            own = r == c->rank ? m : own;
        }
        gnd_array *got = NULL;
        if (more)
            st = gndm__fetch(c, x, want, &got);
        if (own && !st)
            piece[n++] = gnd_status_of(got) ? got : gnd_reshape(got, 1, &own);
    }
    const int64_t none = 0;
    gnd_array *y = st || !n ? gnd_zeros(c->dev, x->dtype, 1, &none)
                   : n == 1 ? piece[0]
                            : gnd_concat(n, piece, 0);
    free(want);
    free(at);
    return st ? gndm__error(c, st) : gndm__array(c, x->dtype, p, y);
}

gndm_array *gndm__vector(gndm_ctx *c, gndm_array *x)
{
    if (x->status)
        return x;
    const int64_t n = gndm_elements(x);
    int whole = x->part->ndim > 0 && (x->part->cut[0] || c->size == 1) &&
                x->part->grid[0] == c->size && x->part->stride[0] == 1;
    if (whole && x->part->ndim == 1)
        return x;
    gndm_array *y;
    gndm_part *p;
    if (whole) {
        const int64_t inner = gndm__product(x->part->ndim - 1, x->part->shape + 1);
        int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut), own;
        p = gndm__part_new(c, 1, &n);
        for (int r = 0; r <= c->size && cut; r++)
            cut[r] = c->size > 1 ? x->part->cut[0][r] * inner : r * n;
        if (!cut) {
            gndm_part_free(p);
            return gndm__error(c,
                               gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
        }
        gndm__part_split(c, p, 0, c->size, 1, cut);
        own = cut[c->rank + 1] - cut[c->rank];
        free(cut);
        y = gndm__array(c, x->dtype, p,
                        gnd_status_of(x->local) ? x->local : gnd_reshape(x->local, 1, &own));
    } else {
        p = gndm_part_default(c, x->dtype, 1, &n);
        y = p->status ? gndm__error(c, gndm__fail(c, p->status, "%s", gndm_part_error(p)))
                      : by_boxes(c, x, p);
    }
    gndm_part_free(p);
    return y;
}

gndm_array *gndm__split_along(gndm_ctx *c, gndm_array *x, int d)
{
    const int kept = x->part->grid[d] == c->size && c->size > 1;
    gndm_part *p = gndm__part_new(c, x->part->ndim, x->part->shape);
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    if (!cut) {
        gndm_part_free(p);
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    }
    gndm__even_cuts(x->part->shape[d], c->size, cut);
    gndm__part_split(c, p, d, c->size, 1, kept ? x->part->cut[d] : cut);
    gndm_array *y = gndm__moved(c, x, p);
    free(cut);
    gndm_part_free(p);
    return y;
}
