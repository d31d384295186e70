/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sample.c - finds where to cut the sorted elements of all ranks into one run for each rank:
 * parallel sorting by regular sampling (Shi and Schaeffer, Journal of Parallel and Distributed
 * Computing 14, 1992), with the position as a part of the key. With p ranks and n elements, every
 * h-th element of each rank's sorted part is a sample, h = ceil(n / (p max(2 p, 32))). The samples
 * of all ranks are sorted by value, rank and position, which is the order of a stable sort of all
 * elements. So equal elements are distinguished, and for every input a run exceeds its share by at
 * most n / p + p + 1 elements.
 *
 * Memory: O(p^2) samples, and two counts for each cut.
 */
#include "shuffle.h"

#include <math.h>
#include <string.h>

/* Known to all ranks. */
typedef struct sampling {
    gndm_ctx *c;
    int64_t *length, *base; /* of each rank: its elements; the samples of lower ranks */
    int64_t total, step, count;
    int64_t *order;  /* the indices of the samples in sorted order */
    int64_t *chosen; /* for each cut its sample; -1: before, -2: after all elements */
} sampling;

static gnd_status lengths(sampling *q, int64_t mine)
{
    gndm_ctx *c = q->c;
    const int64_t p = c->size, parts = p * (2 * p > 32 ? 2 * p : 32);
    const gnd_status st = gndm__allgather(c, &mine, q->length, (int)sizeof mine);
    q->total = 0;
    for (int r = 0; r < c->size; r++)
        q->total += q->length[r];
    q->step = q->total / parts + (q->total % parts != 0);
    q->step = q->step ? q->step : 1;
    q->base[0] = 0;
    for (int r = 0; r < c->size; r++)
        q->base[r + 1] = q->base[r] + q->length[r] / q->step;
    q->count = q->base[c->size];
    return st;
}

/* Collects all samples on every rank, in the order of the ranks. */
static gndm_array *gathered(const sampling *q, gnd_array *key, gnd_dtype t)
{
    const gnd_range every = GND_STEP(q->step - 1, GND_NONE, q->step);
    gnd_array *own = gnd_index(key, 1, &every);
    gndm_part *p = gndm__part_new(q->c, 1, &q->count), *all = gndm__part_new(q->c, 1, &q->count);
    gndm__part_split(q->c, p, 0, q->c->size, 1, q->base);
    gndm_array *y = gndm__array(q->c, t, p, own);
    y = y->status ? y : gndm__moved(q->c, y, all);
    gndm_part_free(p);
    gndm_part_free(all);
    return y;
}

/* Chooses for each cut the sample before which about `cut` elements lie. At least (i + 1) step
 * elements, and at most p (step - 1) more, precede or equal sample i in sorted order: the middle of
 * these bounds is used. */
static void choose(sampling *q, const int64_t *cut)
{
    const int64_t p = q->c->size, spread = p * (q->step - 1) / 2;
    for (int j = 0; j + 1 < p; j++) {
        const int64_t want = cut[j + 1], i = (want - spread) / q->step - 1;
        if (want >= q->total)
            q->chosen[j] = -2;
        else if (want <= 0 || want < spread + q->step || i < 0)
            q->chosen[j] = -1;
        else
            q->chosen[j] = q->order[i < q->count ? i : q->count - 1];
    }
}

/* Counts this rank's elements that are less than each chosen sample (less), and those that are less
 * than or equal to it (upto). */
static gnd_status ranked(const sampling *q, gnd_array *all, gnd_array *key, int64_t *less,
                         int64_t *upto, char *nan)
{
    const int64_t m = q->c->size - 1;
    int64_t *id = malloc(((size_t)m + 1) * sizeof *id);
    if (!id)
        return GND_ERR_NOMEM;
    for (int64_t j = 0; j < m; j++)
        id[j] = q->chosen[j] < 0 ? 0 : q->chosen[j];
    gnd_array *v = gnd_take(all, gnd_from(q->c->dev, GND_INT64, 1, &m, id), 0);
    gnd_array *y[3] = {gnd_searchsorted(key, v, GND_LEFT, NULL),
                       gnd_searchsorted(key, v, GND_RIGHT, NULL), gnd_not_equal(v, v)};
    free(id);
    gnd_status st = gnd_eval_all(3, y);
    if (!st)
        st = gnd_read(y[0], less, (size_t)m * sizeof *less);
    if (!st)
        st = gnd_read(y[1], upto, (size_t)m * sizeof *upto);
    return st ? st : gnd_read(y[2], nan, (size_t)m);
}

/* Computes how many of this rank's elements each run gets. The elements before a cut are those less
 * than its sample and, of equal ones, those of lower ranks and positions. */
static void positions(const sampling *q, const int64_t *less, const int64_t *upto, const char *nan,
                      int together, int64_t *send)
{
    const int rank = q->c->rank, p = q->c->size;
    int64_t before = 0;
    for (int j = 0; j + 1 < p; j++) {
        const int64_t id = q->chosen[j];
        int64_t at = id == -2 ? q->length[rank] : 0;
        if (id >= 0) {
            int from = 0;
            while (q->base[from + 1] <= id)
                from++;
            if (together == GNDM__TOGETHER || (together && !nan[j]) || rank < from)
                at = upto[j];
            else if (rank > from)
                at = less[j];
            else
                at = (id - q->base[from] + 1) * q->step;
        }
        send[j] = at - before;
        before = at;
    }
    send[p - 1] = q->length[rank] - before;
}

static gnd_status split(sampling *q, gnd_array *key, gnd_dtype t, const int64_t *cut, int together,
                        int64_t *send)
{
    gndm_ctx *c = q->c;
    const size_t p = (size_t)c->size;
    gndm_array *all = gathered(q, key, t);
    if (all->status)
        return gndm__check(c, all);
    int64_t *less = calloc(2 * p, sizeof *less);
    char *nan = calloc(p, 1);
    q->order = malloc(((size_t)q->count + 1) * sizeof *q->order);
    gnd_status st = less && nan && q->order ? GND_OK : GND_ERR_NOMEM;
    if (!st)
        st = gnd_read(gnd_argsort(all->local, 0, 0), q->order, (size_t)q->count * sizeof *q->order);
    if (!st) {
        choose(q, cut);
        st = ranked(q, all->local, key, less, less + p, nan);
    }
    st = gndm__agree(c, st, st == GND_ERR_NOMEM ? "out of host memory" : gnd_message());
    if (!st)
        positions(q, less, less + p, nan, together, send);
    free(less);
    free(nan);
    free(q->order);
    return st;
}

gnd_status gndm__sample_split(gndm_ctx *c, gnd_array *key, gnd_dtype t, const int64_t *cut,
                              int together, int64_t *send)
{
    sampling q = {.c = c};
    const size_t p = (size_t)c->size;
    gnd_status st = gndm__ready(c, key);
    st = gndm__agree(c, st, gnd_status_of(key) ? gnd_error(key) : gnd_message());
    if (st)
        return st;
    memset(send, 0, p * sizeof *send);
    send[0] = gnd_dim(key, 0);
    q.length = calloc(3 * p + 1, sizeof *q.length);
    if (!q.length)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    q.base = q.length + p;
    q.chosen = q.base + p + 1;
    if (p > 1)
        st = lengths(&q, send[0]);
    if (!st && p > 1 && q.total)
        st = split(&q, key, t, cut, together, send);
    free(q.length);
    return st;
}
