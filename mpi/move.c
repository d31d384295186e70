/* SPDX-License-Identifier: BSD-3-Clause
 *
 * move.c - the one mover of data: every rank gets a box of an array, from the ranks whose parts
 * cover it. Redistribution, slices, borders, reductions and products ask for boxes here. Which rank
 * sends what follows from the partition and the boxes, which all ranks know, so nothing is
 * negotiated. Where several ranks hold the same part, a rank takes its own, and the others share
 * the work.
 */
#include "transport.h"

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

/* The place of a rank in the process grid, as one number. */
static int place(const gndm_part *p, int rank)
{
    int y = 0;
    for (int d = 0; d < p->ndim; d++)
        y = y * p->grid[d] + gndm__part_coord(p, rank, d);
    return y;
}

/* Of the ranks with the part of rank `from`: is `from` the one that sends it to rank `to`? first[]
 * is, for each place, the number of ranks there; nth[r] is rank r's number among those of its
 * place. */
static int sends(const int *where, const int *count, const int *nth, int from, int to)
{
    if (where[from] == where[to])
        return from == to;
    return nth[from] == to % count[where[from]];
}

int gndm__fetch_is_local(const gndm_part *p, const gndm__box *want)
{
    gndm__box have;
    for (int r = 0; r < p->ranks; r++) {
        gndm__part_box(p, r, &have);
        if (!gndm__box_empty(p->ndim, &want[r]) && !inside(p->ndim, &want[r], &have))
            return 0;
    }
    return 1;
}

/* --- putting a box together ------------------------------------------------------------------- */

/* The pieces of a box, one from each part that overlaps it, in C order of the parts: joined axis by
 * axis. */
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

/* The piece of each place that overlaps the wanted box, in C order of the places. in[] and own are
 * what came. NULL without memory. */
static gnd_array *assemble(gndm_ctx *c, const gndm_part *p, const gndm__box *want,
                           const gndm__parcel *in, gnd_array *own, const int *where,
                           const int *count, const int *nth, int places)
{
    gnd_array **piece = calloc((size_t)places + 1, sizeof *piece), *y = NULL;
    if (!piece)
        return NULL;
    int n = 0;
    for (int at = 0; at < places; at++)
        for (int r = 0; r < c->size; r++) {
            gndm__box b, both;
            gndm__part_box(p, r, &b);
            if (where[r] != at || !sends(where, count, nth, r, c->rank) ||
                !overlap(p->ndim, want, &b, &both))
                continue;
            if (r == c->rank) {
                piece[n++] = own;
                continue;
            }
            int64_t dim[GND_MAX_NDIM];
            for (int d = 0; d < p->ndim; d++)
                dim[d] = both.stop[d] - both.start[d];
            piece[n++] = gnd_reshape(in[(c->rank - r + c->size) % c->size].x, p->ndim, dim);
        }
    y = n ? join(p, want, piece) : NULL;
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

/* A box of the own part. */
static gnd_array *own_box(gndm_ctx *c, const gndm_array *x, const gndm__box *box)
{
    gndm__box mine;
    gndm__part_box(x->part, c->rank, &mine);
    return gndm__boxed(x->local, x->part->ndim, box, mine.start);
}

/* Fills the parcels of this rank, and evaluates what it sends, all at once. */
static gnd_status pack(gndm_ctx *c, const gndm_array *x, const gndm__box *want, const int *where,
                       const int *count, const int *nth, gndm__parcel *out, gndm__parcel *in)
{
    const gndm_part *p = x->part;
    gndm__box mine, theirs, both;
    gnd_array **all = malloc(((size_t)c->size + 1) * sizeof *all);
    int n = 0;
    if (all) /* the part itself is kept: else its boxes would compute it again and again */
        all[n++] = x->local;
    gndm__part_box(p, c->rank, &mine);
    for (int k = 1; k < c->size; k++) {
        out[k].peer = (c->rank + k) % c->size;
        in[k].peer = (c->rank - k + c->size) % c->size;
        gndm__part_box(p, in[k].peer, &theirs);
        if (sends(where, count, nth, in[k].peer, c->rank) &&
            overlap(p->ndim, &want[c->rank], &theirs, &both))
            in[k].n = gndm__box_size(p->ndim, &both);
        if (sends(where, count, nth, c->rank, out[k].peer) &&
            overlap(p->ndim, &want[out[k].peer], &mine, &both)) {
            out[k].n = gndm__box_size(p->ndim, &both);
            out[k].x = own_box(c, x, &both);
            if (all)
                all[n++] = out[k].x;
        }
    }
    gnd_status st = all ? gnd_status_of(x->local) : GND_ERR_NOMEM;
    if (!st && n)
        st = gnd_eval_all(n, all);
    for (int i = 0; i < n && !st; i++)
        st = gnd_wait(all[i]);
    free(all);
    return st;
}

static gnd_status fetch(gndm_ctx *c, gndm_array *x, const gndm__box *want, gnd_array **out)
{
    const gndm_part *p = x->part;
    const size_t size = (size_t)c->size;
    gndm__parcel *parcel = calloc(2 * size, sizeof *parcel);
    int *where = calloc(3 * size, sizeof *where), places = 1;
    int *nth = where ? where + size : NULL, *count = where ? nth + size : NULL;
    for (int d = 0; d < p->ndim; d++)
        places *= p->grid[d];
    for (int r = 0; r < c->size && where; r++) {
        where[r] = place(p, r);
        nth[r] = count[where[r]]++;
    }
    gnd_status st = parcel && where ? GND_OK : GND_ERR_NOMEM;
    if (!st)
        st = pack(c, x, want, where, count, nth, parcel, parcel + size);
    const char *text = st == GND_ERR_NOMEM       ? "out of host memory"
                       : gnd_status_of(x->local) ? gnd_error(x->local)
                                                 : gnd_message();
    st = gndm__agree(c, st, text);
    if (!st)
        st = c->transport->exchange(c, x->dtype, parcel, parcel + size);
    if (!st) {
        c->stats.exchanges++;
        const gndm__box *mine = &want[c->rank];
        gndm__box have, both;
        gnd_array *own = NULL;
        gndm__part_box(p, c->rank, &have);
        if (overlap(p->ndim, mine, &have, &both))
            own = own_box(c, x, &both);
        *out = gndm__box_empty(p->ndim, mine)
                   ? nothing(c, x->dtype, p->ndim, mine)
                   : assemble(c, p, mine, parcel + size, own, where, count, nth, places);
        if (!*out)
            *out = gnd_fail(GND_ERR_NOMEM, "%s: out of host memory", c->func);
    }
    free(parcel);
    free(where);
    return st;
}

gnd_status gndm__fetch(gndm_ctx *c, gndm_array *x, const gndm__box *want, gnd_array **out)
{
    if (!gndm__fetch_is_local(x->part, want))
        return fetch(c, x, want, out);
    const gndm__box *mine = &want[c->rank];
    *out = gndm__box_empty(x->part->ndim, mine) && !gnd_status_of(x->local)
               ? nothing(c, x->dtype, x->part->ndim, mine)
               : own_box(c, x, mine);
    return GND_OK;
}

gndm_array *gndm__moved(gndm_ctx *c, gndm_array *x, gndm_part *part)
{
    if (part->status)
        return gndm__error(c, gndm__fail(c, part->status, "%s", gndm_part_error(part)));
    if (gndm__part_same(x->part, part))
        return x;
    gndm__box *want = malloc((size_t)c->size * sizeof *want);
    gnd_array *local = NULL;
    if (!want) /* the other ranks wait, and name this one */
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
