/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fft_moves.c - the layouts and moves of fft_vector.c: a vector becomes a matrix with whole columns
 * on each rank, one with whole rows, and a vector again. If NCCL or copies between GPUs move all,
 * this goes in stages, a chunk of each rank's lines after the other: columns are transformed while
 * others arrive and others leave, rows while others leave (stages.c).
 */
#include "fft.h"

#include <math.h>
#include <string.h>

/* --- layouts ---------------------------------------------------------------------------------- */

gndm_part *gndm__fft_scaled(gndm_ctx *c, const gndm_array *x, int ndim, const int64_t *shape, int d,
                            int64_t unit)
{
    const gndm_part *p = x->part;
    const int places = p->grid[0];
    const int64_t lines = unit > 1 ? (shape[d] + unit - 1) / unit : shape[d];
    gndm_part *y = gndm__part_new(c, ndim, shape);
    int64_t *cut = malloc(((size_t)places + 1) * sizeof *cut);
    if (!cut) {
        gndm_part_free(y);
        return gndm__part_lost(c);
    }
    for (int k = 0; k <= places; k++) {
        const double part =
            p->shape[0] ? (double)p->cut[0][k] / (double)p->shape[0] : (double)k / (double)places;
        const int64_t at = (int64_t)floor(part * (double)lines + 0.5) * unit;
        cut[k] = k == places || at > shape[d] ? shape[d] : at;
    }
    gndm__part_split(c, y, d, places, p->stride[0], cut);
    free(cut);
    return y;
}

int64_t gndm__fft_start(const gndm_part *p, int rank, int d)
{
    gndm__box b;
    gndm__part_box(p, rank, &b);
    return b.start[d];
}

int64_t gndm__fft_extent(const gndm_part *p, int rank, int d)
{
    gndm__box b;
    gndm__part_box(p, rank, &b);
    return b.stop[d] - b.start[d];
}

gnd_status gndm__fft_padded(gndm_ctx *c, gndm_array *x, const int64_t *from, const int64_t *to,
                            gndm__box *want, gnd_array **out)
{
    const int64_t n = x->part->shape[0];
    for (int r = 0; r < c->size; r++) {
        want[r].start[0] = from[r] < n ? from[r] : n;
        want[r].stop[0] = to[r] < n ? to[r] : n;
        if (want[r].stop[0] < want[r].start[0])
            want[r].stop[0] = want[r].start[0];
    }
    const gndm__box *b = &want[c->rank];
    const gnd_status st = gndm__fetch(c, x, want, out);
    const int64_t lack = to[c->rank] - from[c->rank] - (b->stop[0] - b->start[0]);
    if (!st && lack > 0) {
        gnd_array *parts[2] = {*out, gnd_zeros(c->dev, x->dtype, 1, &lack)};
        *out = gnd_concat(2, parts, 0);
    }
    return st;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* p, of a matrix, for the transposed one. The caller frees it. */
static gndm_part *turned(gndm_ctx *c, const gndm_part *p)
{
    const int swapped[2] = {1, 0};
    const int64_t shape[2] = {p->shape[1], p->shape[0]};
    return gndm__part_axes(c, p, 2, shape, swapped);
}

/* The columns of chunk i of a rank, as rows of the transposed matrix. */
static void chunk_box(const void *data, int rank, int k, gndm__box *b)
{
    const struct gndm__column_chunk *of = data;
    const int64_t first = gndm__fft_start(of->m->part, rank, 1);
    int64_t cut[GNDM__STAGES + 1];
    (void)k;
    gndm__even_cuts(gndm__fft_extent(of->m->part, rank, 1), of->m->n, cut);
    b->start[0] = first + cut[of->i];
    b->stop[0] = first + cut[of->i + 1];
    b->start[1] = 0;
    b->stop[1] = of->m->part->shape[0];
}

/* Starts the exchanges of all chunks of y, the transposed matrix, split by columns. */
static gnd_status begin_chunks(gndm_ctx *c, gndm_array *y, gndm__columns *m)
{
    const int64_t dim[2] = {gndm__fft_extent(m->part, c->rank, 1), m->part->shape[0]};
    const int n = m->n;
    gnd_status st = GND_OK;
    m->lines = gnd_empty(c->dev, m->dtype, 2, dim);
    gndm__nccl_hold(c, 1);
    for (int i = 0; i < n && !st; i++) {
        m->chunk[i] = (struct gndm__column_chunk){m, i};
        m->wish[i] = (gndm__wish){1, chunk_box, &m->chunk[i], NULL};
        st = gndm__fetch_begin(c, y, &m->wish[i], &m->q[i]);
        if (st) {
            for (int j = 0; j <= i; j++)
                gndm__fetch_free(&m->q[j]);
            m->n = 0;
            gndm__nccl_hold(c, 0);
            if (!c->broken) /* the memory of the chunks that began is freed with the call */
                gndm__nccl_settle(c);
        }
    }
    return st;
}

/* The columns of y, a matrix with whole rows on each rank, in one exchange or in chunks. */
static gnd_status take_columns(gndm_ctx *c, gndm_array *y, gndm__columns *m)
{
    gndm_part *from = turned(c, y->part), *to = turned(c, m->part);
    gnd_eval_all(1, &y->local); /* else transposing would copy it; a failure stays in the array */
    gndm_array *z = gndm__array(c, y->dtype, from, gnd_T(y->local));
    m->n = gndm__nccl_covers(c) ? gndm__stages(c, m->part, y->dtype) : 1;
    gnd_status st = gndm__check(c, z);
    if (!st && m->n > 1) {
        st = begin_chunks(c, z, m);
    } else if (!st) {
        m->n = 0;
        z = gndm__moved(c, z, to);
        st = gndm__check(c, z);
        m->lines = st ? NULL : z->local;
    }
    gndm_part_free(from);
    gndm_part_free(to);
    return st;
}

gnd_status gndm__columns_fetch(gndm_ctx *c, gndm_array *x, int64_t n1, int64_t n2, gndm__columns *m)
{
    const int64_t shape[2] = {n1, n2};
    const size_t size = (size_t)c->size;
    gndm_part *rows = gndm__fft_scaled(c, x, 2, shape, 0, 1);
    gndm__box *want = malloc(size * sizeof *want);
    int64_t *from = malloc(2 * size * sizeof *from);
    gnd_array *local = NULL;
    *m = (gndm__columns){.part = gndm__fft_scaled(c, x, 2, shape, 1, 1), .dtype = x->dtype};
    gnd_status st = want && from && !rows->status && !m->part->status
                        ? GND_OK
                        : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int r = 0; r < c->size && !st; r++) {
        from[r] = gndm__fft_start(rows, r, 0) * n2;
        from[size + (size_t)r] = from[r] + gndm__fft_extent(rows, r, 0) * n2;
    }
    if (!st)
        st = gndm__fft_padded(c, x, from, from + size, want, &local);
    if (!st) {
        const int64_t dim[2] = {gndm__fft_extent(rows, c->rank, 0), n2};
        gndm_array *y = gndm__array(c, x->dtype, rows, gnd_reshape(local, 2, dim));
        st = gndm__check(c, y);
        if (!st)
            st = take_columns(c, y, m);
    }
    gndm_part_free(rows);
    free(want);
    free(from);
    return st;
}

gnd_array *gndm__columns_next(gndm__columns *m, gnd_array *x)
{
    if (m->next < m->n)
        gndm__fetch_end(&m->q[m->next++], &x);
    return x;
}

void gndm__columns_free(gndm_ctx *c, gndm__columns *m)
{
    if (m->next < m->n) { /* a failure: gndm__in_stages has not taken them */
        gndm__nccl_hold(c, 0);
        if (!c->broken)
            gndm__nccl_settle(c);
    }
    while (m->next < m->n)
        gndm__fetch_free(&m->q[m->next++]);
    gndm_part_free(m->part);
    m->part = NULL;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* This rank's part of the matrix y in partition `to`, transposed: its columns are contiguous. */
static gnd_status columns_of(gndm_ctx *c, gndm_array *y, const gndm_part *to,
                             gnd_array *(*work)(gnd_array *rows, void *data), void *data,
                             gnd_array **out)
{
    gndm_part *a = turned(c, y->part), *b = turned(c, to);
    gnd_status st = a->status ? a->status : b->status;
    if (st) /* the others are told */
        gndm__broken(c, st, "%s: %s", c->func, gndm_part_error(a->status ? a : b));
    if (!st) {
        const gndm__staged s = {.n = gndm__stages(c, a, y->dtype),
                                .local = y->local,
                                .from = a,
                                .to = b,
                                .at = 1,
                                .dtype = y->dtype,
                                .work = work,
                                .data = data};
        st = gndm__in_stages(c, &s, out);
    }
    gndm_part_free(a);
    gndm_part_free(b);
    return st;
}

gnd_status gndm__fft_from_rows(gndm_ctx *c, const gndm_array *like, gndm_array *y, int64_t keep,
                               gnd_array *(*work)(gnd_array *rows, void *data), void *data,
                               gndm_array **out)
{
    const int64_t *shape = y->part->shape, n1 = shape[0], total = n1 * shape[1];
    gndm_part *columns = gndm__fft_scaled(c, like, 2, shape, 1, 1);
    gndm_part *line = gndm__fft_scaled(c, like, 1, &total, 0, n1);
    gndm_array *z = NULL;
    gnd_array *local = NULL;
    gnd_status st = columns->status ? gndm__broken(c, columns->status, "%s: %s", c->func,
                                                   gndm_part_error(columns))
                                    : columns_of(c, y, columns, work, data, &local);
    if (!st) {
        const int64_t n = n1 * gndm__fft_extent(columns, c->rank, 1);
        z = gndm__array(c, y->dtype, line, gnd_reshape(local, 1, &n));
        st = gndm__check(c, z);
    }
    gndm_part_free(line);
    gndm_part_free(columns);
    if (!st && keep < total) {
        gndm_part *p = gndm__fft_scaled(c, like, 1, &keep, 0, 1);
        gndm__box *want = malloc((size_t)c->size * sizeof *want);
        st = want && !p->status ? GND_OK
                                : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
        for (int r = 0; r < c->size && !st; r++)
            gndm__part_box(p, r, &want[r]);
        if (!st)
            st = gndm__fetch(c, z, want, &local);
        if (!st)
            z = gndm__array(c, y->dtype, p, local);
        free(want);
        gndm_part_free(p);
    }
    *out = z;
    return st ? st : gndm__check(c, z);
}
