/* SPDX-License-Identifier: BSD-3-Clause
 *
 * move.c - the mover: every rank gets a box of an array from the ranks whose parts cover it.
 * Redistribution, slices, borders, reductions and products ask for boxes here. The senders follow
 * from the partition and the boxes, which all ranks know, so nothing is negotiated. If several
 * ranks hold the same part, a rank uses its own copy, and the ranks share the work of sending to
 * others.
 */
#include "move.h"

#include <string.h>

/* --- who sends what --------------------------------------------------------------------------- */

static int overlap(int ndim, const gndm__box *a, const gndm__box *b, gndm__box *both)
{
    for (int d = 0; d < ndim; d++) {
        both->start[d] = a->start[d] > b->start[d] ? a->start[d] : b->start[d];
        both->stop[d] = a->stop[d] < b->stop[d] ? a->stop[d] : b->stop[d];
        if (both->start[d] >= both->stop[d])
            return 0;
    }
    return 1;
}

static int inside(int ndim, const gndm__box *small, const gndm__box *large)
{
    for (int d = 0; d < ndim; d++)
        if (small->start[d] < large->start[d] || small->stop[d] > large->stop[d])
            return 0;
    return 1;
}

/* The position of a rank in the process grid, as one number (its place). */
static int place(const gndm_part *p, int rank)
{
    int y = 0;
    for (int d = 0; d < p->ndim; d++)
        y = y * p->grid[d] + gndm__part_coord(p, rank, d);
    return y;
}

typedef gndm__fetching fetching;

/* Whether `from` sends to rank `to`, among all ranks that hold the same part as `from`. */
static int sends(const fetching *q, int from, int to)
{
    if (q->where[from] == q->where[to])
        return from == to;
    return q->nth[from] == to % q->count[q->where[from]];
}

static void one_box(const void *data, int rank, int i, gndm__box *b)
{
    (void)i;
    *b = ((const gndm__box *)data)[rank];
}

static int is_local(const gndm_part *p, const gndm__wish *wish)
{
    gndm__box have, want;
    for (int r = 0; r < p->ranks; r++) {
        gndm__part_box(p, r, &have);
        for (int i = 0; i < wish->n; i++) {
            wish->box(wish->data, r, i, &want);
            if (!gndm__box_empty(p->ndim, &want) && !inside(p->ndim, &want, &have))
                return 0;
        }
    }
    return 1;
}

int gndm__fetch_is_local(const gndm_part *p, const gndm__box *want)
{
    const gndm__wish wish = {1, one_box, want, NULL};
    return is_local(p, &wish);
}

/* --- putting a box together ------------------------------------------------------------------- */

/* Joins the pieces of a box, axis by axis. There is one piece for each part that overlaps the box,
 * in C order of the parts. */
static gnd_array *join(const gndm_part *p, const gndm__box *want, gnd_array **piece)
{
    int64_t n = 1, along[GND_MAX_NDIM];
    for (int d = 0; d < p->ndim; d++) {
        along[d] = p->cut[d] ? 0 : 1;
        for (int k = 0; p->cut[d] && k < p->grid[d]; k++) {
            const int64_t a = p->cut[d][k], b = p->cut[d][k + 1];
            along[d] += a < b && a < want->stop[d] && b > want->start[d];
        }
        n *= along[d];
    }
    for (int d = p->ndim - 1; d >= 0; d--) {
        if (along[d] == 1)
            continue;
        n /= along[d];
        for (int64_t i = 0; i < n; i++)
            piece[i] = gnd_concat((int)along[d], piece + i * along[d], d);
    }
    return piece[0];
}

/* Assembles box i of this rank from the pieces of the places that overlap it, in C order of the
 * places. NULL: out of memory, or nothing overlaps. */
static gnd_array *assemble(const fetching *q, int i, gnd_array *own)
{
    const gndm_part *p = q->x->part;
    gndm__box want, b, both;
    int n = 0;
    q->wish->box(q->wish->data, q->c->rank, i, &want);
    gnd_array **piece = calloc((size_t)q->c->size + 1, sizeof *piece), *y = NULL;
    for (int k = 0; piece && k < q->c->size; k++) {
        const int r = q->order[k];
        gndm__part_box(p, r, &b);
        if (!sends(q, r, q->c->rank) || !overlap(p->ndim, &want, &b, &both))
            continue;
        if (r == q->c->rank) {
            piece[n++] = own;
            continue;
        }
        /* the pieces of the boxes before this one precede them in the parcel */
        gndm__parcel *from = &q->in[(q->c->rank - r + q->c->size) % q->c->size];
        const int64_t size = gndm__box_size(p->ndim, &both), at = from->taken;
        int64_t dim[GND_MAX_NDIM];
        from->taken += size;
        for (int d = 0; d < p->ndim; d++)
            dim[d] = both.stop[d] - both.start[d];
        gnd_array *part = size == from->n ? from->x : gnd_slice(from->x, 0, at, at + size);
        piece[n++] = gnd_reshape(part, p->ndim, dim);
    }
    y = n ? join(p, &want, piece) : NULL;
    free(piece);
    return y;
}

/* --- the exchange ----------------------------------------------------------------------------- */

static gnd_array *nothing(gndm_ctx *c, gnd_dtype t, int ndim, const gndm__box *want)
{
    int64_t dim[GND_MAX_NDIM];
    for (int d = 0; d < ndim; d++) {
        dim[d] = want->stop[d] - want->start[d];
        dim[d] = dim[d] < 0 ? 0 : dim[d];
    }
    return gnd_zeros(c->dev, t, ndim, dim);
}

/* A box of this rank's own part. */
static gnd_array *own_box(gndm_ctx *c, const gndm_array *x, const gndm__box *box)
{
    gndm__box mine;
    gndm__part_box(x->part, c->rank, &mine);
    return gndm__boxed(x->local, x->part->ndim, box, mine.start);
}

/* The number of elements that rank `from` sends to rank `to`. If with is not NULL, `from` is this
 * rank, and *with gets the elements as one array. */
static int64_t parcel_of(const fetching *q, int from, int to, gnd_array **with)
{
    const int ndim = q->x->part->ndim;
    gndm__box have, want, both;
    int64_t n = 0;
    int m = 0;
    if (!sends(q, from, to))
        return 0;
    gndm__part_box(q->x->part, from, &have);
    gnd_array **piece = with ? malloc(((size_t)q->wish->n + 1) * sizeof *piece) : NULL;
    for (int i = 0; i < q->wish->n; i++) {
        q->wish->box(q->wish->data, to, i, &want);
        if (!overlap(ndim, &want, &have, &both))
            continue;
        n += gndm__box_size(ndim, &both);
        if (piece)
            piece[m++] = own_box(q->c, q->x, &both);
    }
    for (int i = 0; m > 1 && i < m; i++)
        piece[i] = gnd_reshape(piece[i], 1, (int64_t[]){gnd_size(piece[i])});
    if (with && m)
        *with = m > 1 ? gnd_concat(m, piece, 0) : piece[0];
    else if (with && !piece)
        *with = gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", q->c->func);
    free(piece);
    return n;
}

/* Copies what this rank sends to host memory, unless MPI takes it from the device. Reading it later
 * would wait for the work that begins meanwhile. */
static gnd_status to_host(const fetching *q)
{
    gnd_status st = GND_OK;
    for (int k = 1; k < q->c->size; k++) {
        q->in[k].hosted = !q->in[k].direct && !q->in[k].address;
        q->out[k].hosted = !q->out[k].direct && !q->out[k].address;
        if (!q->out[k].hosted)
            continue;
        const size_t n = (size_t)q->out[k].n * gnd_dtype_size(q->x->dtype);
        if (!n || st)
            continue;
        q->out[k].host = malloc(n);
        st = q->out[k].host ? gnd_read(q->out[k].x, q->out[k].host, n) : GND_ERR_NOMEM;
    }
    return st;
}

/* Evaluates this rank's part and what it sends, n arrays, of which the part is the first. What NCCL
 * sends is not waited for. If that is little of the part (borders), it is computed before the part:
 * it is sent while the part is computed. */
static gnd_status compute(const fetching *q, int n, gnd_array **all, int staged)
{
    gndm_ctx *c = q->c;
    int64_t sent = 0;
    for (int i = 1; i < n; i++)
        sent += gnd_size(all[i]);
    const int first = n > 1 && sent < gnd_size(all[0]) / 64;
    gnd_status st = first ? gnd_eval_all(n - 1, all + 1) : gnd_eval_all(n, all);
    if (!st)
        st = gndm__nccl_prepare(c, q->x->dtype, q->out, q->in);
    for (int i = first; i < n && !st && staged; i++)
        st = gndm__ready(c, all[i]);
    if (!st && staged && c->cu)
        st = gndm__place_parcels(c, q->x->dtype, q->out, q->in);
    if (!st && staged && (first || q->wish->meanwhile))
        st = to_host(q);
    if (!st && first)
        st = gnd_eval_all(1, all);
    return st;
}

/* Fills the parcels of this rank and evaluates them. */
static gnd_status pack(const fetching *q)
{
    gndm_ctx *c = q->c;
    gnd_array **all = malloc(((size_t)c->size + 1) * sizeof *all);
    int n = 0, staged = 0;
    if (all) /* the part too: otherwise it might be computed again for each of its boxes */
        all[n++] = q->x->local;
    for (int k = 1; k < c->size; k++) {
        q->out[k].peer = (c->rank + k) % c->size;
        q->in[k].peer = (c->rank - k + c->size) % c->size;
        q->out[k].direct = gndm__nccl_reaches(c, q->out[k].peer);
        q->in[k].direct = gndm__nccl_reaches(c, q->in[k].peer);
        q->in[k].n = parcel_of(q, q->in[k].peer, c->rank, NULL);
        q->out[k].n = parcel_of(q, c->rank, q->out[k].peer, &q->out[k].x);
        if (q->out[k].n && all)
            all[n++] = q->out[k].x;
        staged |= (q->out[k].n && !q->out[k].direct) || (q->in[k].n && !q->in[k].direct);
    }
    gnd_status st = all ? gnd_status_of(q->x->local) : GND_ERR_NOMEM;
    if (!st)
        st = compute(q, n, all, staged);
    free(all);
    return st;
}

/* Converts what was received in host memory to arrays, and frees that memory. */
static void from_host(const fetching *q)
{
    for (int k = 1; k < q->c->size; k++) {
        if (q->in[k].host)
            q->in[k].x = gnd_from(q->c->dev, q->x->dtype, 1, &q->in[k].n, q->in[k].host);
        free(q->in[k].host);
        free(q->out[k].host);
    }
}

/* The part of box i of this rank that it has itself, or NULL. */
static gnd_array *own_piece(const fetching *q, int i)
{
    gndm__box have, want, both;
    gndm__part_box(q->x->part, q->c->rank, &have);
    q->wish->box(q->wish->data, q->c->rank, i, &want);
    return overlap(q->x->part->ndim, &want, &have, &both) ? own_box(q->c, q->x, &both) : NULL;
}

/* Assembles the boxes of this rank after the exchange. */
static void unpack(const fetching *q, gnd_array **out)
{
    const int ndim = q->x->part->ndim;
    gndm__box want;
    for (int i = 0; i < q->wish->n; i++) {
        gnd_array *own = own_piece(q, i);
        q->wish->box(q->wish->data, q->c->rank, i, &want);
        out[i] = gndm__box_empty(ndim, &want) ? nothing(q->c, q->x->dtype, ndim, &want)
                                              : assemble(q, i, own);
        if (!out[i])
            out[i] = gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", q->c->func);
    }
}

/* Sorts the ranks by their places, in O(size). */
static void arrange(fetching *q, int places)
{
    const gndm_part *p = q->x->part;
    for (int r = 0; r < q->c->size; r++) {
        q->where[r] = place(p, r);
        q->nth[r] = q->count[q->where[r]]++;
    }
    int *next = q->order + q->c->size, at = 0;
    for (int i = 0; i < places; i++) {
        next[i] = at;
        at += q->count[i];
    }
    for (int r = 0; r < q->c->size; r++)
        q->order[next[q->where[r]]++] = r;
}

/* Exchanges what the boxes of q->wish need. */
static gnd_status exchange(fetching *q)
{
    gndm_ctx *c = q->c;
    const gndm__wish *wish = q->wish;
    gnd_status st = pack(q);
    const char *text = st == GND_ERR_NOMEM          ? "out of host memory"
                       : gnd_status_of(q->x->local) ? gnd_error(q->x->local)
                                                    : gnd_message();
    char kept[GNDM_TEXT];
    snprintf(kept, sizeof kept, "%s", st ? text : "");
    if (wish->meanwhile)
        wish->meanwhile(wish->data);
    st = gndm__agree(c, st, kept);
    if (!st)
        st = gndm__exchange(c, q->x->dtype, q->out, q->in);
    if (!c->broken)
        from_host(q);
    c->stats.exchanges += !st;
    return st;
}

gnd_status gndm__fetch_begin(gndm_ctx *c, gndm_array *x, const gndm__wish *wish, fetching *q)
{
    const size_t size = (size_t)c->size;
    int places = 1;
    *q = (fetching){.c = c, .x = x, .wish = wish, .local = is_local(x->part, wish)};
    if (q->local) {
        if (wish->meanwhile)
            wish->meanwhile(wish->data);
        return GND_OK;
    }
    q->out = calloc(2 * size, sizeof *q->out);
    q->in = q->out ? q->out + size : NULL;
    q->where = calloc(5 * size, sizeof *q->where);
    if (!q->out || !q->where) {
        if (wish->meanwhile)
            wish->meanwhile(wish->data);
        return gndm__agree(c, GND_ERR_NOMEM, "out of host memory");
    }
    q->nth = q->where + size, q->count = q->where + 2 * size, q->order = q->where + 3 * size;
    for (int d = 0; d < x->part->ndim; d++)
        places *= x->part->grid[d];
    arrange(q, places);
    const gnd_status st = exchange(q);
    q->event = st ? 0 : gndm__nccl_held(c);
    return st;
}

void gndm__fetch_end(fetching *q, gnd_array **out)
{
    gndm_ctx *c = q->c;
    gndm__box want;
    const gnd_status st = q->event ? gndm__nccl_release(c, q->event) : GND_OK;
    if (!q->local)
        unpack(q, out);
    for (int i = 0; i < q->wish->n && q->local; i++) {
        q->wish->box(q->wish->data, c->rank, i, &want);
        out[i] = gndm__box_empty(q->x->part->ndim, &want) && !gnd_status_of(q->x->local)
                     ? nothing(c, q->x->dtype, q->x->part->ndim, &want)
                     : own_box(c, q->x, &want);
    }
    for (int i = 0; i < q->wish->n && st; i++)
        out[i] = gnd_fail(st, "%s", c->message);
    gndm__fetch_free(q);
}

void gndm__fetch_free(fetching *q)
{
    free(q->out);
    free(q->where);
    q->out = NULL;
    q->where = NULL;
}

gnd_status gndm__fetch_boxes(gndm_ctx *c, gndm_array *x, const gndm__wish *wish, gnd_array **out)
{
    fetching q;
    const gnd_status st = gndm__fetch_begin(c, x, wish, &q);
    if (st)
        gndm__fetch_free(&q);
    else
        gndm__fetch_end(&q, out);
    return st;
}

gnd_status gndm__fetch(gndm_ctx *c, gndm_array *x, const gndm__box *want, gnd_array **out)
{
    const gndm__wish wish = {1, one_box, want, NULL};
    return gndm__fetch_boxes(c, x, &wish, out);
}

gndm_array *gndm__moved(gndm_ctx *c, gndm_array *x, gndm_part *part)
{
    if (part->status == GND_ERR_NOMEM)
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    if (part->status)
        return gndm__error(c, gndm__fail(c, part->status, "%s", gndm_part_error(part)));
    if (gndm__part_same(x->part, part))
        return x;
    gnd_array *local = NULL;
    if (gndm__is_small(x, part)) {
        const gnd_status st = gndm__gather_small(c, x, &local);
        return st ? gndm__error(c, st) : gndm__array(c, x->dtype, part, local);
    }
    gndm__box *want = malloc((size_t)c->size * sizeof *want);
    if (!want)
        return gndm__error(c, gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func));
    for (int r = 0; r < c->size; r++)
        gndm__part_box(part, r, &want[r]);
    const gnd_status st = gndm__fetch(c, x, want, &local);
    free(want);
    return st ? gndm__error(c, st) : gndm__array(c, x->dtype, part, local);
}

gndm_array *gndm_redistribute(gndm_array *x, const gndm_part *part)
{
    if (!x || x->status)
        return x ? gndm_retain(x) : gndm__error(NULL, GND_ERR_NULL);
    gndm_ctx *c = x->ctx;
    gnd_status st = gndm__enter(c, "redistribute", "%d axes", x->part->ndim);
    if (!st && !part)
        st = gndm__fail(c, GND_ERR_NULL, "redistribute: part is NULL");
    if (!st && part->status)
        st = gndm__fail(c, part->status, "%s", gndm_part_error(part));
    if (!st && (part->ndim != x->part->ndim ||
                memcmp(part->shape, x->part->shape, (size_t)part->ndim * sizeof *part->shape))) {
        char a[GNDM_SHAPE_TEXT], b[GNDM_SHAPE_TEXT];
        st = gndm__fail(c, GND_ERR_SHAPE, "redistribute: an array of shape %s, a partition of %s",
                        gndm__shape_text(a, x->part->ndim, x->part->shape),
                        gndm__shape_text(b, part->ndim, part->shape));
    }
    gndm_array *y = st ? gndm__error(c, st) : gndm__moved(c, x, (gndm_part *)part);
    return gndm__leave(c, y == x ? gndm__array(c, x->dtype, x->part, x->local) : y);
}
