/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_set.c - unique elements of distributed arrays. A rank finds the unique elements of its part,
 * sends each to the rank of its run (sample.c; equal values go to one rank), and finds the unique
 * elements of what it received: at most one of each value came from each rank. First indices and
 * counts travel with the values. For the inverse, the number of a value is sent back to the ranks
 * that it came from.
 */
#include "shuffle.h"

#include <string.h>

typedef struct unique {
    gndm_ctx *c;
    gndm_array *x; /* a vector */
    unsigned flags;
    gnd_array *own[4];  /* of the part: values, first indices, inverse, counts; unused ones NULL */
    gnd_array *here[4]; /* the same of the run; here[2] is the inverse of the received values */
    int64_t before;     /* number of values in the runs of lower ranks */
} unique;

/* Stores the results of gnd_unique at fixed places in out. A failure stays in the arrays. */
static void unique_of(gnd_array *x, unsigned flags, gnd_array **out)
{
    gnd_array *y[4] = {NULL};
    int n = 1;
    gnd_unique(x, flags, y);
    out[0] = y[0];
    for (int i = 1; i < 4; i++)
        out[i] = flags >> (i - 1) & 1 ? y[n++] : NULL;
}

/* Divides the unique elements of all parts evenly. send[r]: how many of this rank's elements go to
 * rank r. */
static gnd_status divide(const unique *q, int64_t *send)
{
    gndm_ctx *c = q->c;
    gnd_array *key = q->own[0];
    gnd_status st = gndm__ready(c, key);
    st = gndm__agree(c, st, gnd_status_of(key) ? gnd_error(key) : gnd_message());
    if (st)
        return st;
    int64_t total = gnd_dim(key, 0), *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    if (!cut)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    st = gndm__allreduce(c, &total, 1, MPI_INT64_T, MPI_SUM);
    gndm__even_cuts(total, c->size, cut);
    if (!st)
        st = gndm__sample_split(c, key, q->x->dtype, cut,
                                q->flags & GND_EQUAL_NAN ? GNDM__TOGETHER : GNDM__NUMBERS, send);
    free(cut);
    return st;
}

/* Finds the unique elements of the run. The elements arrive in the order of the ranks, so the first
 * of equal ones is the first in the whole array. */
static gnd_status merge(unique *q, const gndm__shuffle *s)
{
    gndm_ctx *c = q->c;
    gnd_array *came[4] = {NULL}, *first = q->own[1];
    if (first)
        first = gnd_add_i(first, gndm__first(q->x));
    gnd_status st = gndm__shuffle_run(c, s, 0, q->x->dtype, q->own[0], 1, &came[0]);
    if (!st && first)
        st = gndm__shuffle_run(c, s, 0, GND_INT64, first, 1, &came[1]);
    if (!st && q->own[3])
        st = gndm__shuffle_run(c, s, 0, GND_INT64, q->own[3], 1, &came[3]);
    if (st)
        return st;
    unsigned flags = q->flags;
    flags |= q->own[3] ? GND_UNIQUE_INVERSE : 0;
    flags &= ~(unsigned)GND_UNIQUE_COUNTS;
    unique_of(came[0], flags, q->here);
    st = gnd_wait(q->here[0]);
    st = gndm__agree(c, st, gnd_status_of(q->here[0]) ? gnd_error(q->here[0]) : gnd_message());
    if (st)
        return st;
    const int64_t n = gnd_dim(q->here[0], 0);
    if (q->here[1])
        q->here[1] = gnd_take(came[1], q->here[1], 0);
    if (q->own[3]) {
        const gnd_range at = GND_AT(q->here[2]);
        q->here[3] = gnd_add_at(gnd_zeros(c->dev, GND_INT64, 1, &n), 1, &at, came[3]);
    }
    int64_t *all = malloc((size_t)c->size * sizeof *all);
    if (!all)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    st = gndm__allgather(c, &n, all, (int)sizeof n);
    for (int r = 0; r < c->rank; r++)
        q->before += all[r];
    free(all);
    return st;
}

/* The inverse: for each element of x, the number of its value. */
static gnd_status invert(unique *q, const gndm__shuffle *s, gndm_array **out)
{
    gnd_array *number = gnd_add_i(q->here[2], q->before), *table = NULL;
    const gnd_status st = gndm__shuffle_run(q->c, s, 1, GND_INT64, number, 1, &table);
    if (!st)
        *out = gndm__array(q->c, GND_INT64, q->x->part, gnd_take(table, q->own[2], 0));
    return st;
}

/* Computes the results that the flags select. The values come first. */
static gnd_status find(unique *q, gndm_array **out)
{
    gndm_ctx *c = q->c;
    gndm__shuffle s = {0};
    int64_t *send = malloc((size_t)c->size * sizeof *send);
    if (!send)
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    unique_of(q->x->local, q->flags, q->own);
    gnd_status st = divide(q, send);
    if (!st)
        st = gndm__shuffle_open(c, &s, send);
    if (!st)
        st = merge(q, &s);
    int n = 0;
    for (int i = 0; i < 4 && !st; i++) {
        if (i && !(q->flags >> (i - 1) & 1))
            continue;
        if (i == 2)
            st = invert(q, &s, &out[n]);
        else
            out[n] = gndm__joined(c, i ? GND_INT64 : q->x->dtype, q->here[i], 1, 0, NULL);
        st = st ? st : gndm__check(c, out[n]);
        n++;
    }
    gndm__shuffle_close(&s);
    free(send);
    return st;
}

static unsigned flags_of(const gndm__args *a)
{
    if (!strcmp(a->name, "unique_all"))
        return GND_UNIQUE_INDICES | GND_UNIQUE_INVERSE | GND_UNIQUE_COUNTS;
    if (!strcmp(a->name, "unique_counts"))
        return GND_UNIQUE_COUNTS;
    if (!strcmp(a->name, "unique_inverse"))
        return GND_UNIQUE_INVERSE;
    if (!strcmp(a->name, "unique_values"))
        return 0;
    return (gndm__arg_true(a, "return_index") ? GND_UNIQUE_INDICES : 0) |
           (gndm__arg_true(a, "return_inverse") ? GND_UNIQUE_INVERSE : 0) |
           (gndm__arg_true(a, "return_counts") ? GND_UNIQUE_COUNTS : 0) |
           (gndm__arg_int(a, "equal_nan", 1) ? GND_EQUAL_NAN : 0);
}

gnd_status gndm__fn_unique(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *out[4] = {NULL};
    if (!x || gndm__arg(a, "axis") || !gndm__part_split_anywhere(x->part))
        return gndm__fn_gathered(a);
    gndm_array *const given = x;
    const int64_t none = 0; /* tried on no elements, to find wrong arguments without long waits */
    gndm_part *p = gndm__part_new(c, 1, &none);
    gndm__replace(a, a->at[0], gndm__array(c, x->dtype, p, gnd_zeros(c->dev, x->dtype, 1, &none)));
    gndm_part_free(p);
    gnd_status st = gndm__valid(a);
    if (st)
        return st;
    unique q = {.c = c, .flags = flags_of(a)};
    const int ndim = given->part->ndim, shaped = ndim > 1 && q.flags & GND_UNIQUE_INVERSE;
    if (shaped) /* split by rows: then a rank's elements of the inverse are in their order */
        x = gndm__split_along(c, x, 0);
    q.x = gndm__vector(c, x);
    st = gndm__check(c, q.x);
    if (!st)
        st = find(&q, out);
    if (st)
        return st;
    const int at = 1 + !!(q.flags & GND_UNIQUE_INDICES); /* the place of the inverse */
    if (shaped) {
        gndm__box b;
        int64_t dim[GND_MAX_NDIM];
        gndm__part_box(x->part, c->rank, &b);
        for (int d = 0; d < ndim; d++)
            dim[d] = b.stop[d] - b.start[d];
        out[at] = gndm__array(c, GND_INT64, x->part, gnd_reshape(out[at]->local, ndim, dim));
    }
    const int n = 1 + __builtin_popcount(q.flags & 7u);
    return n == 1 ? gndm__ret_array(a, out[0]) : gndm__ret_arrays(a, n, out);
}
