/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocks.c - see blocks.h. The blocks of a rank are boxes of the matrix, so one exchange of the
 * mover distributes them and another one returns them. A panel that is sent to all ranks is an
 * array with all its rows on one rank.
 */
#include "blocks.h"

#include <string.h>

/* Sets owner[k] of each block to the rank with the fewest blocks in proportion to its speed, and
 * had[r] to the number of blocks of rank r. */
static void deal(const gndm_ctx *c, int count, int *owner, int *had)
{
    for (int k = 0; k < count; k++) {
        double least = 0;
        for (int r = 0; r < c->size; r++) {
            const double v = c->ranks && c->ranks[r].flops > 0 ? c->ranks[r].flops : 1;
            const double full = (had[r] + 1) / v;
            if (r == 0 || full < least * (1 - 1e-9)) {
                least = full;
                owner[k] = r;
            }
        }
        had[owner[k]]++;
    }
}

gnd_status gndm__blocks_open(gndm_ctx *c, gndm__blocks *b, int64_t n, int lower)
{
    memset(b, 0, sizeof *b);
    b->c = c;
    b->n = n;
    b->width = c->block;
    b->lower = lower;
    if (!(c->flags & GNDM_EVEN) && !c->ranks) {
        const gnd_status st = gndm__measure(c);
        if (st)
            return st;
    }
    while ((n + b->width - 1) / b->width > 1 << 20)
        b->width *= 2;
    b->count = (int)((n + b->width - 1) / b->width);
    const size_t m = (size_t)b->count, p = (size_t)c->size;
    b->at = calloc(m + 1 + (3 * m + p + 1) / 2 + 1, sizeof *b->at);
    if (!b->at)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    b->owner = (int *)(void *)(b->at + m + 1);
    b->nth = b->owner + m;
    b->order = b->nth + m;
    b->base = b->order + m;
    deal(c, b->count, b->owner, b->base);
    int before = 0;
    for (int r = 0; r <= c->size; r++) {
        const int had = r < c->size ? b->base[r] : 0;
        b->most = had > b->most ? had : b->most;
        b->base[r] = before;
        before += had;
    }
    int64_t at = 0;
    for (int r = 0, i = 0; r < c->size; r++)
        for (int k = 0, nth = 0; k < b->count; k++)
            if (b->owner[k] == r) {
                b->nth[k] = nth++;
                b->order[i++] = k;
                b->at[k] = at;
                at += gndm__block_size(b, k);
            }
    return GND_OK;
}

void gndm__blocks_close(gndm__blocks *b)
{
    free(b->at);
    b->at = NULL;
}

int64_t gndm__own_columns(const gndm__blocks *b, int from, int to)
{
    int64_t n = 0;
    for (int k = from; k < to; k++)
        n += b->owner[k] == b->c->rank ? gndm__block_size(b, k) : 0;
    return n;
}

void gndm__hold(gnd_array **slot, gnd_array *x)
{
    gnd_array *old = *slot;
    *slot = gnd_retain(x);
    gnd_release(old);
}

/* --- distribution and return ------------------------------------------------------------------ */

static void dealt_box(const void *data, int rank, int i, gndm__box *box)
{
    const gndm__blocks *b = data;
    memset(box, 0, sizeof *box);
    if (i >= b->base[rank + 1] - b->base[rank])
        return;
    const int k = b->order[b->base[rank] + i];
    box->start[0] = b->lower ? gndm__block_begin(b, k) : 0;
    box->stop[0] = b->n;
    box->start[1] = gndm__block_begin(b, k);
    box->stop[1] = gndm__block_begin(b, k + 1);
}

gnd_status gndm__blocks_fetch(const gndm__blocks *b, gndm_array *x, gnd_dtype t, gnd_array **own)
{
    gndm_ctx *c = b->c;
    const gndm__wish wish = {b->most, dealt_box, b, NULL};
    gnd_array **got = calloc((size_t)b->most + 1, sizeof *got);
    if (!got)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    gnd_scope_begin();
    const gnd_status st = gndm__fetch_boxes(c, x, &wish, got);
    const int mine = st ? 0 : b->base[c->rank + 1] - b->base[c->rank];
    for (int i = 0; i < mine; i++)
        got[i] = gnd_astype(got[i], t);
    if (mine)
        gnd_eval_all(mine, got); /* failures stay in the arrays */
    for (int i = 0; i < mine; i++)
        gndm__hold(&own[i], got[i]);
    gnd_scope_end();
    free(got);
    return st;
}

typedef struct giving {
    const gndm__blocks *b;
    const gndm_part *part;
} giving;

/* The box of block k that lies in the partition's box of a rank. Its columns are counted in the
 * order of all ranks' blocks (gndm__blocks.at). */
static void given_box(const void *data, int rank, int k, gndm__box *box)
{
    const giving *g = data;
    const int64_t begin = gndm__block_begin(g->b, k), end = gndm__block_begin(g->b, k + 1);
    gndm__part_box(g->part, rank, box);
    const int64_t from = box->start[1] > begin ? box->start[1] : begin;
    const int64_t to = box->stop[1] < end ? box->stop[1] : end;
    box->start[1] = g->b->at[k] + from - begin;
    box->stop[1] = g->b->at[k] + (to > from ? to : from) - begin;
}

gndm_array *gndm__blocks_give(const gndm__blocks *b, gnd_array *x, gnd_dtype t, gndm_part *part)
{
    gndm_ctx *c = b->c;
    const giving g = {b, part};
    const gndm__wish wish = {b->count, given_box, &g, NULL};
    const int64_t shape[2] = {b->n, b->n};
    gnd_array **got = calloc((size_t)b->count + 1, sizeof *got), *y = NULL;
    int64_t *cut = calloc((size_t)c->size + 1, sizeof *cut);
    gnd_status st =
        got && cut ? GND_OK : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    for (int k = 0; k < b->count && !st; k++)
        cut[b->owner[k] + 1] += gndm__block_size(b, k);
    for (int r = 0; r < c->size && !st; r++)
        cut[r + 1] += cut[r];
    if (!st) {
        gndm_part *dealt = gndm__part_new(c, 2, shape);
        gndm__part_split(c, dealt, 1, c->size, 1, cut);
        gndm_array *all = gndm__array(c, t, dealt, x);
        gndm_part_free(dealt);
        st = gndm__check(c, all);
        if (!st)
            st = gndm__fetch_boxes(c, all, &wish, got);
    }
    if (!st) {
        gndm__box mine;
        gndm__part_box(part, c->rank, &mine);
        const int64_t dim[2] = {mine.stop[0] - mine.start[0], mine.stop[1] - mine.start[1]};
        int n = 0;
        for (int k = 0; k < b->count; k++)
            if (gnd_status_of(got[k]) || gnd_dim(got[k], 1) > 0)
                got[n++] = got[k];
        y = n == 0 || dim[0] == 0 ? gnd_zeros(c->dev, t, 2, dim)
            : n == 1              ? got[0]
                                  : gnd_concat(n, got, 1);
    }
    free(got);
    free(cut);
    return st ? gndm__error(c, st) : gndm__array(c, t, part, y);
}

gnd_status gndm__blocks_spread(const gndm__blocks *b, gnd_dtype t, gnd_array *x, int64_t rows,
                               int64_t columns, int owner, const char *wanted, gnd_array **out)
{
    gndm_ctx *c = b->c;
    const int64_t shape[2] = {rows, columns}, none[2] = {0, columns};
    gndm__box *want = calloc((size_t)c->size, sizeof *want);
    int64_t *cut = calloc((size_t)c->size + 1, sizeof *cut);
    gnd_status st =
        want && cut ? GND_OK : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    if (!st) {
        for (int r = 0; r < c->size; r++) {
            cut[r + 1] = r < owner ? 0 : rows;
            want[r].stop[0] = !wanted || wanted[r] ? rows : 0;
            want[r].stop[1] = columns;
        }
        gndm_part *p = gndm__part_new(c, 2, shape);
        gndm__part_split(c, p, 0, c->size, 1, cut);
        gndm_array *y = gndm__array(c, t, p, c->rank == owner ? x : gnd_zeros(c->dev, t, 2, none));
        gndm_part_free(p);
        st = gndm__check(c, y);
        if (!st)
            st = gndm__fetch(c, y, want, out);
    }
    free(want);
    free(cut);
    return st;
}
