/* SPDX-License-Identifier: BSD-3-Clause
 *
 * root.c - elements in the host memory of one rank: gndm_scatter sends each rank its box,
 * gndm_gather collects the boxes. They go in chunks, of which two are under way, so the root needs
 * memory for two chunks besides the whole array, and the others for their own part.
 */
#include "ctx.h"

#include <string.h>

enum { TAG = 2, UNDER_WAY = 2 };

/* --- boxes of arrays in memory ---------------------------------------------------------------- */

/* A box of an array in C order, as rows that lie without a gap in the whole array. */
typedef struct rows {
    int ndim;                                       /* of the axes before the rows */
    int64_t extent[GND_MAX_NDIM], at[GND_MAX_NDIM]; /* of the box along them, and their strides */
    int64_t start, row, n; /* first element, elements of a row and of the box */
} rows;

static rows rows_of(const gndm_part *p, const gndm__box *b)
{
    rows q = {.row = 1, .n = gndm__box_size(p->ndim, b)};
    int64_t step = 1;
    int d = p->ndim - 1;
    for (; d >= 0; step *= p->shape[d--]) {
        q.row *= b->stop[d] - b->start[d];
        q.start += b->start[d] * step;
        if (b->stop[d] - b->start[d] != p->shape[d]) {
            step *= p->shape[d--];
            break;
        }
    }
    q.ndim = d + 1;
    for (; d >= 0; step *= p->shape[d--]) {
        q.extent[d] = b->stop[d] - b->start[d];
        q.at[d] = step;
        q.start += b->start[d] * step;
    }
    return q;
}

/* Copies elements first .. first + n - 1 of the box between the whole array and the memory of the
 * box's elements alone; `size` bytes each. */
static void copy(const rows *q, int64_t first, int64_t n, int64_t size, char *whole, char *alone,
                 int to_whole)
{
    while (n > 0) {
        int64_t k = first / q->row, at = q->start + first % q->row;
        for (int d = q->ndim - 1; d >= 0; d--) {
            at += k % q->extent[d] * q->at[d];
            k /= q->extent[d];
        }
        const int64_t rest = q->row - first % q->row, m = rest < n ? rest : n;
        if (to_whole)
            memcpy(whole + at * size, alone, (size_t)(m * size));
        else
            memcpy(alone, whole + at * size, (size_t)(m * size));
        alone += m * size;
        first += m;
        n -= m;
    }
}

/* --- messages --------------------------------------------------------------------------------- */

/* Chunks of n elements in order: chunk k begins at element k * step. */
typedef struct chunks {
    gndm_ctx *c;
    int peer, sending;
    int64_t n, size, step;
    MPI_Request req[UNDER_WAY];
} chunks;

static int64_t length(const chunks *q, int64_t k)
{
    const int64_t left = q->n - k * q->step;
    return left < 0 ? 0 : left < q->step ? left : q->step;
}

/* Starts chunk k, from or to `at`. */
static gnd_status start(chunks *q, int64_t k, char *at)
{
    gndm_ctx *c = q->c;
    const int64_t bytes = length(q, k) * q->size;
    MPI_Request *req = &q->req[k % UNDER_WAY];
    if (q->sending) {
        c->stats.messages++;
        c->stats.bytes += (uint64_t)bytes;
        return gndm__mpi(c, MPI_Isend(at, (int)bytes, MPI_BYTE, q->peer, TAG, c->comm, req),
                         "MPI_Isend");
    }
    c->stats.received += (uint64_t)bytes;
    return gndm__mpi(c, MPI_Irecv(at, (int)bytes, MPI_BYTE, q->peer, TAG, c->comm, req),
                     "MPI_Irecv");
}

/* Exchanges a box with a rank. ring NULL: `memory` has the elements of the box alone. Otherwise it
 * is the whole array, and each chunk is copied from or to the ring. */
static gnd_status move(chunks q, const rows *r, char *memory, char *ring)
{
    const int64_t bytes = q.step * q.size, last = (q.n + q.step - 1) / q.step;
    gnd_status st = GND_OK;
    for (int64_t k = 0; k < last + UNDER_WAY && !st; k++) {
        const int64_t before = k - UNDER_WAY;
        char *at = ring ? ring + k % UNDER_WAY * bytes : memory + k * bytes;
        if (before >= 0 && before < last)
            st = gndm__wait(q.c, 1, &q.req[k % UNDER_WAY]);
        if (before >= 0 && before < last && !st && ring && !q.sending)
            copy(r, before * q.step, length(&q, before), q.size, memory, at, 1);
        if (k < last && !st && ring && q.sending)
            copy(r, k * q.step, length(&q, k), q.size, memory, at, 0);
        if (k < last && !st)
            st = start(&q, k, at);
    }
    return st;
}

static chunks chunks_of(gndm_ctx *c, int peer, int sending, int64_t n, int64_t size)
{
    return (chunks){
        .c = c, .peer = peer, .sending = sending, .n = n, .size = size, .step = GNDM_CHUNK / size};
}

/* The number of elements of a rank's box. */
static int64_t held(const gndm_part *p, int rank, gndm__box *b)
{
    gndm__part_box(p, rank, b);
    return gndm__box_empty(p->ndim, b) ? 0 : gndm__box_size(p->ndim, b);
}

static gnd_status check_root(gndm_ctx *c, int root)
{
    return root >= 0 && root < c->size
               ? GND_OK
               : gndm__fail(c, GND_ERR_ARG, "%s: root is %d, of %d ranks", c->func, root, c->size);
}

/* Memory for n bytes, or NULL. After a failure of MPI it may still be written to. */
static void drop(gndm_ctx *c, char *memory)
{
    if (!c->broken)
        free(memory);
}

/* --- from the root ---------------------------------------------------------------------------- */

/* Sends the boxes. mine: memory for this rank's box, unless it is the root; `ring` is the root's.
 */
static gnd_status sent(gndm_ctx *c, int root, const gndm_part *p, int64_t size, char *whole,
                       char *mine, char *ring)
{
    gndm__box b;
    const int64_t n = held(p, c->rank, &b);
    gnd_status st = GND_OK;
    c->stats.exchanges++;
    if (!gndm__part_split_anywhere(p)) /* everybody gets everything */
        return gndm__bcast(c, mine ? mine : whole, n * size, root);
    if (c->rank != root)
        return n ? move(chunks_of(c, root, 0, n, size), NULL, mine, NULL) : GND_OK;
    for (int r = 0; r < c->size && !st; r++) {
        const int64_t m = r == root ? 0 : held(p, r, &b);
        const rows q = rows_of(p, &b);
        if (m)
            st = move(chunks_of(c, r, 1, m, size), &q, whole, ring);
    }
    return st;
}

gndm_array *gndm_scatter(gndm_ctx *c, int root, gnd_dtype t, int ndim, const int64_t *shape,
                         const void *data, const gndm_part *part)
{
    if (!c)
        return gndm__error(NULL, GND_ERR_NULL);
    gnd_status st = gndm__enter(c, "scatter", "%d, %s, %d axes", root, gnd_dtype_name(t), ndim);
    const int64_t size = (int64_t)gnd_dtype_size(t);
    if (!st && size == 0)
        st = gndm__fail(c, GND_ERR_DTYPE, "scatter: not a dtype");
    if (!st)
        st = check_root(c, root);
    gndm_part *p = st ? NULL : gndm__part_for(c, "scatter", t, ndim, shape, part);
    if (p && p->status == GND_ERR_NOMEM) /* of this rank alone: the others are told */
        st = gndm__broken(c, p->status, "scatter: out of host memory");
    else if (p && p->status)
        st = gndm__fail(c, p->status, "%s", gndm_part_error(p));
    if (st) {
        gndm_part_free(p);
        return gndm__leave(c, gndm__error(c, st));
    }
    gndm__box b;
    const int64_t n = held(p, c->rank, &b);
    char *mine = c->rank == root ? NULL : malloc((size_t)(n * size) + 1);
    char *ring = c->rank == root ? malloc((size_t)UNDER_WAY * GNDM_CHUNK) : NULL;
    st = !mine && !ring ? GND_ERR_NOMEM : GND_OK;
    if (c->rank == root && !data && !st)
        st = GND_ERR_NULL;
    st = gndm__agree(c, st,
                     st == GND_ERR_NOMEM ? "scatter: out of host memory" : "scatter: data is NULL");
    if (!st) /* the elements are only read */
        st = sent(c, root, p, size, (char *)(uintptr_t)data, mine, ring);
    gnd_array *x = NULL;
    if (!st) {
        int64_t dim[GND_MAX_NDIM], stride[GND_MAX_NDIM], step = size, at = 0;
        for (int d = ndim - 1; d >= 0; step *= mine ? dim[d] : shape[d], d--) {
            dim[d] = b.stop[d] - b.start[d];
            stride[d] = step;
            at += n ? b.start[d] * step : 0;
        }
        x = gnd_from_strided(c->dev, t, ndim, dim, stride, mine ? mine : (const char *)data + at);
    }
    drop(c, mine);
    drop(c, ring);
    gndm_array *y = st ? gndm__error(c, st) : gndm__array(c, t, p, x);
    gndm_part_free(p);
    return gndm__leave(c, y);
}

/* --- to the root ------------------------------------------------------------------------------ */

/* Whether the root gets the box of rank r from it: the lowest rank that has the box, but from no
 * rank if the root has it. */
static int gives(const gndm_part *p, int r, int root)
{
    int first = -1, own = 1;
    for (int k = 0; k < p->ranks && first < 0; k++) {
        int same = 1;
        for (int d = 0; d < p->ndim; d++)
            same = same && gndm__part_coord(p, k, d) == gndm__part_coord(p, r, d);
        first = same ? k : first;
    }
    for (int d = 0; d < p->ndim; d++)
        own = own && gndm__part_coord(p, root, d) == gndm__part_coord(p, r, d);
    return own ? r == root : r == first;
}

/* Copies this rank's elements to `mine`, and all boxes to dst of the root. */
static gnd_status collected(gndm_array *x, int root, char *dst, char *mine, char *ring)
{
    gndm_ctx *c = x->ctx;
    const gndm_part *p = x->part;
    const int64_t size = (int64_t)gnd_dtype_size(x->dtype);
    gndm__box b;
    const int64_t n = held(p, c->rank, &b);
    gnd_status st = GND_OK;
    if (n && gives(p, c->rank, root))
        st = gndm__host(c, x->local, mine, (size_t)(n * size));
    else
        st = gndm__ready(c, x->local);
    st = gndm__agree(c, st, gnd_status_of(x->local) ? gnd_error(x->local) : gnd_message());
    if (st)
        return st;
    c->stats.exchanges++;
    if (c->rank != root)
        return n && gives(p, c->rank, root) ? move(chunks_of(c, root, 1, n, size), NULL, mine, NULL)
                                            : GND_OK;
    for (int r = 0; r < c->size && !st; r++) {
        const int64_t m = gives(p, r, root) ? held(p, r, &b) : 0;
        if (!m)
            continue;
        const rows q = rows_of(p, &b);
        if (r == root)
            copy(&q, 0, m, size, dst, mine, 1);
        else
            st = move(chunks_of(c, r, 0, m, size), &q, dst, ring);
    }
    return st;
}

gnd_status gndm_gather(gndm_array *x, int root, void *dst, size_t nbytes)
{
    if (!x || x->status)
        return x ? x->status : GND_ERR_NULL;
    gndm_ctx *c = x->ctx;
    gnd_status st =
        gndm__enter(c, "gather", "%d, %d axes, %s", root, x->part->ndim, gnd_dtype_name(x->dtype));
    if (!st)
        st = check_root(c, root);
    if (st) {
        gndm__leave(c, NULL);
        return st;
    }
    const size_t one = gnd_dtype_size(x->dtype), size = (size_t)gndm_elements(x) * one;
    gndm__box b;
    char text[GNDM_TEXT] = "gather: out of host memory";
    char *mine = malloc((size_t)held(x->part, c->rank, &b) * one + 1);
    char *ring = c->rank == root ? malloc((size_t)UNDER_WAY * GNDM_CHUNK) : NULL;
    st = !mine || (c->rank == root && !ring) ? GND_ERR_NOMEM : GND_OK;
    if (c->rank == root && !st && !dst && size) {
        st = GND_ERR_NULL;
        snprintf(text, sizeof text, "gather: dst is NULL");
    } else if (c->rank == root && !st && nbytes != size) {
        st = GND_ERR_SHAPE;
        snprintf(text, sizeof text, "gather: room for %zu bytes, the array has %zu", nbytes, size);
    }
    st = gndm__agree(c, st, text);
    if (!st)
        st = collected(x, root, dst, mine, ring);
    drop(c, mine);
    drop(c, ring);
    gndm__leave(c, NULL);
    return st;
}
