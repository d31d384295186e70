/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stages.c - makes one axis of an array whole in stages: a stage has a chunk of each rank's
 * interval of the axis. While a stage is exchanged, the device computes the next one. With NCCL and
 * copies between GPUs all stages are given to the streams at once; by MPI, the host exchanges a
 * stage meanwhile.
 */
#include "move.h"
#include "nccl.h"

_Static_assert(GNDM__NCCL_EVENTS > 2 * GNDM__STAGES, "two exchanges may have all stages under way");

/* All stages of a move. cut: grid + 1 cuts of the axis within the current stage. */
typedef struct moving {
    gndm_ctx *c;
    const gndm__staged *s;
    gndm_array *x[GNDM__STAGES]; /* this rank's chunks, as distributed arrays */
    gndm__fetching q[GNDM__STAGES];
    gndm__wish wish[GNDM__STAGES];
    struct boxes {
        struct moving *m;
        int64_t *cut; /* of axis `at` of the stage, grid + 1 */
        int i;
    } boxes[GNDM__STAGES];
    gnd_array **piece; /* of stage i from place k of the axis: piece[i * grid + k] */
} moving;

/* The elements of chunk i within an interval: from .. to - 1. */
static void chunk_of(const gndm__staged *s, int i, int64_t extent, int64_t *from, int64_t *to)
{
    int64_t cut[GNDM__STAGES + 1];
    gndm__even_cuts(extent, s->n, cut);
    *from = cut[i];
    *to = cut[i + 1];
}

/* The chunk of stage b->i from place k, in the box of rank `rank` of s->to. */
static void box_of(const void *data, int rank, int k, gndm__box *b)
{
    const struct boxes *of = data;
    const gndm__staged *s = of->m->s;
    gndm__part_box(s->to, rank, b);
    b->start[s->at] = of->cut[k];
    b->stop[s->at] = of->cut[k + 1];
}

/* Makes this rank's part of stage i, and begins to compute it. A failure stays in the array. */
static void make(moving *m, int i)
{
    const gndm__staged *s = m->s;
    gndm_ctx *c = m->c;
    const gndm_part *p = s->from;
    const int k = gndm__part_coord(p, c->rank, s->at);
    int64_t from, to, shape[GND_MAX_NDIM], *cut = m->boxes[i].cut;
    int same[GND_MAX_NDIM];
    cut[0] = 0;
    for (int j = 0; j < p->grid[s->at]; j++) {
        chunk_of(s, i, p->cut[s->at][j + 1] - p->cut[s->at][j], &from, &to);
        cut[j + 1] = cut[j] + to - from;
    }
    for (int d = 0; d < p->ndim; d++) {
        same[d] = d == s->at ? -1 : d;
        shape[d] = d == s->at ? cut[p->grid[d]] : p->shape[d];
    }
    gndm_part *part = gndm__part_axes(c, p, p->ndim, shape, same);
    gndm__part_split(c, part, s->at, p->grid[s->at], p->stride[s->at], cut);
    chunk_of(s, i, p->cut[s->at][k + 1] - p->cut[s->at][k], &from, &to);
    gnd_array *x = s->n > 1 ? gnd_slice(s->local, s->d, from, to) : s->local;
    m->x[i] = gndm__array(c, s->dtype, part, s->work(x, s->data));
    gndm_part_free(part);
}

static gnd_status begin(moving *m, int i, void (*meanwhile)(const void *))
{
    const gnd_status st = gndm__check(m->c, m->x[i]);
    m->wish[i] = (gndm__wish){m->s->from->grid[m->s->at], box_of, &m->boxes[i], meanwhile};
    return st ? gndm__broken(m->c, st, "%s: %s", m->c->func, m->c->message)
              : gndm__fetch_begin(m->c, m->x[i], &m->wish[i], &m->q[i]);
}

static void make_next(const void *data)
{
    const struct boxes *of = data;
    if (of->i + 1 < of->m->s->n)
        make(of->m, of->i + 1);
}

/* Exchanges all stages. */
static gnd_status exchange(moving *m)
{
    gndm_ctx *c = m->c;
    const int n = m->s->n, held = n > 1 && gndm__nccl_covers(c);
    gnd_status st = GND_OK;
    int begun = 0;
    gndm__nccl_hold(c, held);
    make(m, 0);
    for (; begun < n && !st; begun++) {
        st = begin(m, begun, held || n == 1 ? NULL : make_next);
        if (held && !st && begun + 1 < n)
            make(m, begun + 1);
    }
    const int last = gndm__nccl_held(c);
    gndm__nccl_hold(c, 0);
    for (int i = 0; i < begun; i++)
        if (st)
            gndm__fetch_free(&m->q[i]);
        else
            gndm__fetch_end(&m->q[i], m->piece + (ptrdiff_t)i * m->s->from->grid[m->s->at]);
    /* the memory of the stages that began is freed with the call */
    if (st && held && !c->broken)
        gndm__nccl_settle(c);
    else if (st && last && c->nccl)
        gndm__nccl_release(c, last);
    return st;
}

/* Joins the pieces in the order of the axis: the stages of place 0, then those of place 1 ... */
static gnd_array *joined(const moving *m)
{
    const int n = m->s->n, grid = m->s->from->grid[m->s->at];
    gnd_array **all = m->piece + (ptrdiff_t)n * grid;
    int count = 0;
    for (int k = 0; k < grid; k++)
        for (int i = 0; i < n; i++)
            if (m->boxes[i].cut[k] < m->boxes[i].cut[k + 1])
                all[count++] = m->piece[i * grid + k];
    if (count == 0) /* an axis without elements */
        return m->piece[0];
    return count == 1 ? all[0] : gnd_concat(count, all, m->s->at);
}

gnd_status gndm__in_stages(gndm_ctx *c, const gndm__staged *s, gnd_array **out)
{
    const int grid = s->from->grid[s->at];
    const size_t pieces = (size_t)(s->n * grid), cuts = (size_t)(s->n * (grid + 1));
    moving *m = calloc(1, sizeof *m);
    gnd_array **piece = calloc(2 * pieces, sizeof *piece);
    int64_t *cut = calloc(cuts, sizeof *cut);
    gnd_status st = GND_OK;
    if (!m || !piece || !cut) { /* the others are told */
        st = gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    } else {
        m->c = c;
        m->s = s;
        m->piece = piece;
        for (int i = 0; i < s->n; i++)
            m->boxes[i] = (struct boxes){m, cut + (ptrdiff_t)i * (grid + 1), i};
        st = exchange(m);
    }
    if (!st)
        *out = joined(m);
    free(m);
    free(piece);
    free(cut);
    return st;
}

int gndm__stages(const gndm_ctx *c, const gndm_part *p, gnd_dtype t)
{
    /* CPU ranks share their cores with the exchange, so they gain nothing; nor do those that stage:
     * the network takes most of the time, and a stage is copied to the host before it is sent */
    const int64_t pays = c->stage                           ? c->stage
                         : gndm__nccl_covers(c) && c->peers ? INT64_C(128) << 20
                         : gndm__nccl_covers(c)             ? INT64_C(256) << 20
                         : c->all_aware                     ? INT64_C(64) << 20
                                                            : INT64_MAX;
    const int64_t bytes = gndm__product(p->ndim, p->shape) / c->size * (int64_t)gnd_dtype_size(t);
    const int64_t n = bytes / pays;
    return n < 1 ? 1 : n > GNDM__STAGES ? GNDM__STAGES : (int)n;
}
