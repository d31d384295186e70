/* SPDX-License-Identifier: BSD-3-Clause
 *
 * hier.c - all-reduces. If all ranks are one group of NCCL, NCCL does it. Otherwise, for large
 * arrays, each group reduces by NCCL to one slice on each of its ranks; the slices of the groups
 * are combined by MPI; and each group gathers its slices by NCCL. A rank without a group is a group
 * of its own, with one slice. So each group sends and receives about twice the array, whatever its
 * number of ranks.
 *
 * Groups may have unlike numbers of ranks. The cuts of all groups together divide the array into
 * segments. A segment has one owner in each group. The owners divide it into shares; each combines
 * one share of all groups, in the order of the groups, and sends it to the others.
 */
#include "nccl.h"

#include <string.h>

/* Elements below which one gathering of all partial results is faster. */
enum { PAYS = 1 << 16 };

typedef struct tree {
    gndm_ctx *c;
    gnd_dtype t;
    int op;
    int64_t n;
    int groups;
    int *of, *nth;       /* the group of each rank, and its number in it */
    int *count, *member; /* of each group: its number of ranks; the first of its ranks in `order` */
    int *order;
    int *owner;     /* of the current segment, for each group */
    int64_t *share; /* groups + 1 cuts of the current segment */
    gndm__parcel *out, *in;
    gnd_array **piece; /* room for the pieces of one array */
} tree;

/* --- groups, slices, segments ----------------------------------------------------------------- */

static gnd_status open_tree(tree *q)
{
    const gndm_ctx *c = q->c;
    const size_t p = (size_t)c->size;
    int *ints = calloc(6 * p, sizeof *ints);
    q->of = ints;
    q->share = calloc(p + 1, sizeof *q->share);
    q->out = calloc(2 * p, sizeof *q->out);
    q->piece = calloc(p * (2 * p + 2), sizeof *q->piece);
    if (!ints || !q->share || !q->out || !q->piece)
        return GND_ERR_NOMEM;
    q->in = q->out + p;
    q->nth = ints + p, q->count = ints + 2 * p, q->member = ints + 3 * p, q->order = ints + 4 * p;
    q->owner = ints + 5 * p;
    for (int r = 0, at = 0; r < c->size; r++) {
        int s = 0;
        while (s < r && (c->group[r] < 0 || c->group[s] != c->group[r]))
            s++;
        if (s < r)
            continue;
        q->member[q->groups] = at;
        for (s = r; s < c->size; s++)
            if (s == r || (c->group[r] >= 0 && c->group[s] == c->group[r])) {
                q->of[s] = q->groups;
                q->nth[s] = q->count[q->groups]++;
                q->order[at++] = s;
            }
        q->groups++;
    }
    return GND_OK;
}

static void close_tree(tree *q)
{
    free(q->of);
    free(q->share);
    free(q->out);
    free(q->piece);
}

/* The length of the slices of group g; the last ones may have fewer elements of the array. */
static int64_t slice(const tree *q, int g)
{
    return (q->n + q->count[g] - 1) / q->count[g];
}

/* Sets the owners and the shares of the segment that begins at `at`. Returns its end. */
static int64_t segment(tree *q, int64_t at)
{
    int64_t stop = q->n;
    for (int g = 0; g < q->groups; g++) {
        const int64_t i = at / slice(q, g), end = (i + 1) * slice(q, g);
        q->owner[g] = q->order[q->member[g] + i];
        stop = end < stop ? end : stop;
    }
    gndm__even_cuts(stop - at, q->groups, q->share);
    for (int g = 0; g <= q->groups; g++)
        q->share[g] += at;
    return stop;
}

/* --- between the groups ----------------------------------------------------------------------- */

static gnd_array *combined(const tree *q, gnd_array *x, gnd_array *y)
{
    const int truth = q->t == GND_BOOL;
    switch (q->op) {
    case GNDM__NCCL_SUM: return gnd_add(x, y);
    case GNDM__NCCL_PROD: return gnd_multiply(x, y);
    case GNDM__NCCL_MAX: return truth ? gnd_logical_or(x, y) : gnd_maximum(x, y);
    default: return truth ? gnd_logical_and(x, y) : gnd_minimum(x, y);
    }
}

/* Elements from .. stop of x, whose first element is number `first` of the array. */
static gnd_array *cut_out(gnd_array *x, int64_t first, int64_t from, int64_t stop)
{
    return gnd_slice(x, 0, from - first, stop - first);
}

static gnd_array *joined(const tree *q, int n, gnd_array **piece)
{
    const int64_t none = 0;
    return n > 1 ? gnd_concat(n, piece, 0) : n ? piece[0] : gnd_zeros(q->c->dev, q->t, 1, &none);
}

/* Fills the parcels: to the other owners of each of this rank's segments, their shares of `mine`
 * (back 0), or this rank's combined share of it (back 1). `mine` begins with element `first`; with
 * back it consists of this rank's shares, one after the other. */
static void fill(tree *q, gnd_array *mine, int64_t first, int back)
{
    const int me = q->c->rank, size = q->c->size, g = q->of[me];
    memset(q->out, 0, 2 * (size_t)size * sizeof *q->out);
    for (int k = 1; k < size; k++) {
        gndm__parcel *out = &q->out[k], *in = &q->in[k];
        out->peer = (me + k) % size;
        in->peer = (me - k + size) % size;
        int m = 0;
        int64_t done = 0;
        for (int64_t at = 0, stop; at < q->n; at = stop) {
            stop = segment(q, at);
            if (q->owner[g] != me)
                continue;
            const int to = q->of[out->peer], from = q->of[in->peer];
            const int64_t here = q->share[g + 1] - q->share[g];
            const int s = back ? g : to;
            if (q->owner[to] == out->peer && to != g && q->share[s] < q->share[s + 1]) {
                q->piece[m++] = back ? gnd_slice(mine, 0, done, done + here)
                                     : cut_out(mine, first, q->share[s], q->share[s + 1]);
                out->n += q->share[s + 1] - q->share[s];
            }
            if (q->owner[from] == in->peer && from != g)
                in->n += back ? q->share[from + 1] - q->share[from] : here;
            done += here;
        }
        out->x = m ? joined(q, m, q->piece) : NULL;
    }
}

/* Moves the parcels by MPI. The status is the same on all ranks. */
static gnd_status trade(tree *q, gnd_array *mine)
{
    gndm_ctx *c = q->c;
    gnd_status st = gndm__ready(c, mine);
    for (int k = 1; k < c->size && !st; k++)
        if (q->out[k].n)
            st = gndm__ready(c, q->out[k].x);
    st = gndm__agree(c, st, gnd_status_of(mine) ? gnd_error(mine) : gnd_message());
    if (!st)
        st = gndm__exchange(c, q->t, q->out, q->in);
    c->stats.exchanges += !st;
    return st;
}

/* The next `n` elements that came from rank r. */
static gnd_array *come(tree *q, int r, int64_t n)
{
    gndm__parcel *p = &q->in[(q->c->rank - r + q->c->size) % q->c->size];
    p->taken += n;
    return n == p->n ? p->x : gnd_slice(p->x, 0, p->taken - n, p->taken);
}

/* This rank's shares of all its segments, combined. */
static gnd_array *combine(tree *q, gnd_array *mine, int64_t first)
{
    const int me = q->c->rank, g = q->of[me];
    int m = 0;
    for (int64_t at = 0, stop; at < q->n; at = stop) {
        stop = segment(q, at);
        if (q->owner[g] != me || q->share[g] == q->share[g + 1])
            continue;
        gnd_array *y = NULL;
        for (int h = 0; h < q->groups; h++) {
            gnd_array *x = h == g ? cut_out(mine, first, q->share[g], q->share[g + 1])
                                  : come(q, q->owner[h], q->share[g + 1] - q->share[g]);
            y = y ? combined(q, y, x) : x;
        }
        q->piece[m++] = y;
    }
    return joined(q, m, q->piece);
}

/* This rank's whole slice, from its own shares and those that came. */
static gnd_array *assemble(tree *q, gnd_array *own)
{
    const int me = q->c->rank, g = q->of[me];
    int m = 0;
    int64_t done = 0;
    for (int64_t at = 0, stop; at < q->n; at = stop) {
        stop = segment(q, at);
        for (int h = 0; q->owner[g] == me && h < q->groups; h++) {
            const int64_t n = q->share[h + 1] - q->share[h];
            if (n == 0)
                continue;
            q->piece[m++] = h == g ? gnd_slice(own, 0, done, done + n) : come(q, q->owner[h], n);
            done += h == g ? n : 0;
        }
    }
    return joined(q, m, q->piece);
}

/* Combines the slices of the groups. mine: this rank's slice; becomes the combined one. */
static gnd_status between(tree *q, gnd_array **mine)
{
    const int64_t first = slice(q, q->of[q->c->rank]) * q->nth[q->c->rank];
    fill(q, *mine, first, 0);
    gnd_status st = trade(q, *mine);
    if (st)
        return st;
    gnd_array *own = combine(q, *mine, first);
    fill(q, own, 0, 1);
    st = trade(q, own);
    if (!st)
        *mine = assemble(q, own);
    return st;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* x with zeros behind it, so that it has n elements. */
static gnd_array *padded(const tree *q, gnd_array *x, int64_t n)
{
    const int64_t lack = n - gnd_size(x);
    if (gnd_status_of(x) || lack == 0)
        return x;
    return gnd_concat(2, (gnd_array *[]){x, gnd_zeros(q->c->dev, q->t, 1, &lack)}, 0);
}

static gnd_status climb(tree *q, gnd_array *x, gnd_array **out)
{
    gndm_ctx *c = q->c;
    const int me = c->rank, g = q->of[me], ndim = gnd_ndim(x);
    const int64_t len = slice(q, g), all = len * q->count[g], *shape = gnd_shape(x);
    int64_t from = len * q->nth[me], stop = from + len;
    from = from < q->n ? from : q->n;
    stop = stop < q->n ? stop : q->n;
    gnd_array *y = gnd_status_of(x) ? x : padded(q, gnd_reshape(x, 1, &q->n), all);
    gnd_status st = gndm__nccl_scatter(c, y, q->op, len, &y);
    if (st)
        return st;
    y = gnd_slice(y, 0, 0, stop - from);
    st = between(q, &y);
    if (!st)
        st = gndm__nccl_gather(c, padded(q, y, len), all, &y);
    if (!st)
        *out = gnd_reshape(gnd_slice(y, 0, 0, q->n), ndim, shape);
    return st;
}

int gndm__all_reduces(const gndm_ctx *c, gnd_dtype t, int op, int64_t n)
{
    return gndm__nccl_knows(t, op) && (gndm__nccl_covers(c) || (c->group && n >= PAYS));
}

gnd_status gndm__all_reduce(gndm_ctx *c, gnd_array *x, int64_t n, int op, gnd_array **out)
{
    if (gndm__nccl_covers(c))
        return gndm__nccl_reduce(c, x, op, out);
    tree q = {.c = c, .t = gnd_dtype_of(x), .op = op, .n = n};
    gnd_status st = gndm__agree(c, open_tree(&q), "out of host memory");
    if (!st)
        st = climb(&q, x, out);
    if (!c->broken) /* else MPI may still write to the memory */
        close_tree(&q);
    return st;
}
