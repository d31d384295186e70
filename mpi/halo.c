/* SPDX-License-Identifier: BSD-3-Clause
 *
 * halo.c - local parts with a border of the neighbours' elements, for stencils: the boxes of the
 * ranks, enlarged, from the mover. A periodic axis asks for up to three pieces, since a box cannot
 * wrap around.
 */
#include "ctx.h"

#include <string.h>

/* The pieces of start .. stop on a ring of n elements: from[i] .. to[i], at most 3. */
static int pieces(int64_t start, int64_t stop, int64_t n, int64_t *from, int64_t *to)
{
    int k = 0;
    if (start < 0) {
        from[k] = start + n;
        to[k++] = stop < 0 ? stop + n : n;
    }
    if (stop > 0 && start < n) {
        from[k] = start > 0 ? start : 0;
        to[k++] = stop < n ? stop : n;
    }
    if (stop > n) {
        from[k] = start > n ? start - n : 0;
        to[k++] = stop - n;
    }
    return k;
}

/* The enlarged box of a rank; empty boxes stay empty. */
static void enlarged(const gndm_part *p, int rank, const int64_t *below, const int64_t *above,
                     int periodic, gndm__box *b)
{
    gndm__part_box(p, rank, b);
    if (gndm__box_empty(p->ndim, b))
        return;
    for (int d = 0; d < p->ndim; d++) {
        b->start[d] -= below[d];
        b->stop[d] += above[d];
        if (periodic)
            continue;
        b->start[d] = b->start[d] < 0 ? 0 : b->start[d];
        b->stop[d] = b->stop[d] > p->shape[d] ? p->shape[d] : b->stop[d];
    }
}

/* Adds the border of one axis after the other: x is what this rank has so far of the whole array
 * with its boxes in have[]; corners come with the later axes. */
static gnd_status bordered(gndm_ctx *c, gndm_array *x, const int64_t *below, const int64_t *above,
                           int periodic, gnd_array **out)
{
    const gndm_part *p = x->part;
    const int ndim = p->ndim;
    gndm__box *want = malloc(2 * (size_t)c->size * sizeof *want), *full = want + c->size;
    gnd_status st = want ? GND_OK : gndm__broken(c, GND_ERR_NOMEM, "halo: out of host memory");
    int64_t from[3], to[3];
    /* All combinations of the pieces of each axis, as a number with digits of 3; a combination that
     * a rank does not have is an empty box there. */
    int total = 1, wraps = 0;
    for (int r = 0; r < c->size && !st; r++)
        enlarged(p, r, below, above, periodic, &full[r]);
    for (int d = 0; d < ndim && periodic; d++)
        wraps |= below[d] + above[d] > 0 ? 1 << d : 0;
    for (int d = 0; d < ndim; d++)
        total *= wraps >> d & 1 ? 3 : 1;
    gnd_array **all = st ? NULL : calloc((size_t)total + 1, sizeof *all);
    if (!st && !all)
        st = gndm__broken(c, GND_ERR_NOMEM, "halo: out of host memory");
    for (int t = 0; t < total && !st; t++) {
        for (int r = 0; r < c->size; r++) {
            int code = t, lacking = gndm__box_empty(ndim, &full[r]);
            want[r] = full[r];
            for (int d = ndim - 1; d >= 0 && !lacking; d--) {
                if (!(wraps >> d & 1))
                    continue;
                const int k = code % 3;
                code /= 3;
                if (k >= pieces(full[r].start[d], full[r].stop[d], p->shape[d], from, to)) {
                    lacking = 1;
                    break;
                }
                want[r].start[d] = from[k];
                want[r].stop[d] = to[k];
            }
            if (lacking)
                memset(&want[r], 0, sizeof want[r]);
        }
        gnd_array *got = NULL;
        st = gndm__fetch(c, x, want, &got);
        all[t] = gndm__box_empty(ndim, &want[c->rank]) ? NULL : got;
    }
    /* join the pieces, the last axis first */
    int n = total;
    for (int d = ndim - 1; d >= 0 && !st; d--) {
        if (!(wraps >> d & 1))
            continue;
        n /= 3;
        for (int i = 0; i < n; i++) {
            int m = 0;
            gnd_array *row[3];
            for (int k = 0; k < 3; k++)
                if (all[3 * i + k])
                    row[m++] = all[3 * i + k];
            all[i] = m == 0 ? NULL : m == 1 ? row[0] : gnd_concat(m, row, d);
        }
    }
    if (!st)
        *out = all[0] ? all[0] : x->local;
    free(all);
    free(want);
    return st;
}

gnd_array *gndm_halo(gndm_array *x, const int64_t *below, const int64_t *above, int periodic,
                     int64_t *start)
{
    if (!x || x->status)
        return gnd_fail(x ? x->status : GND_ERR_NULL, "%s", x ? gndm_error(x) : "halo: x is NULL");
    gndm_ctx *c = x->ctx;
    gnd_array *y = NULL;
    gnd_status st = gndm__enter(c, "halo", "%d axes, %d", x->part->ndim, periodic);
    if (!st && x->part->ndim && (!below || !above))
        st = gndm__fail(c, GND_ERR_NULL, "halo: below or above is NULL");
    for (int d = 0; d < x->part->ndim && !st; d++)
        if (below[d] < 0 || above[d] < 0 || below[d] > x->part->shape[d] ||
            above[d] > x->part->shape[d])
            st = gndm__fail(c, GND_ERR_ARG,
                            "halo: a border of %lld and %lld on axis %d, which has %lld elements",
                            (long long)below[d], (long long)above[d], d,
                            (long long)x->part->shape[d]);
    if (!st)
        st = bordered(c, x, below, above, periodic, &y);
    if (!st && start) {
        gndm__box b;
        enlarged(x->part, c->rank, below, above, periodic, &b);
        memcpy(start, b.start, (size_t)x->part->ndim * sizeof *start);
    }
    y = st ? gnd_fail(st, "%s", c->message) : y;
    gnd_retain(y);
    gndm__leave(c, NULL);
    return y;
}
