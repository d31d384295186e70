/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_draw.c - random orders and choices. The keys of an order are random numbers, of which each
 * rank makes its own part, and which are sorted over all ranks; so the order is that of one rank.
 */
#include "shuffle.h"

/* Random bits for each element of a shape, as gnd draws them for its orders. The generator is that
 * of the parameter seed, or the context's. */
static gnd_array *keys(gndm__args *a, int ndim, const int64_t *shape)
{
    gndm_ctx *c = a->c;
    gnd_rng own, *g = &c->rng;
    if (gndm__arg(a, "seed")) {
        own = gnd_rng_seed((uint64_t)gndm__arg_int(a, "seed", 0));
        g = &own;
    }
    return gnd_rng_integers(g, c->dev, GND_UINT64, ndim, shape, NULL, NULL, 1);
}

/* The order of gnd's permutation of n elements: that of n random keys, each rank's part of which is
 * sorted with those of the others. Counts as one call of the generator. */
static gndm_array *random_order(gndm__args *a, int64_t n)
{
    return gndm__do(a->c, "argsort", "a", gndm__part_of_whole(a, keys(a, 1, &n)));
}

/* permutation and shuffle. */
gnd_status gndm__fn_permutation(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    if (!x)
        return gndm__ret_like(a, random_order(a, gnd_size(like)), like);
    const int axis = gndm__axis(a, "axis", 0, x->part->ndim);
    gndm_array *order = random_order(a, x->part->shape[axis]);
    return gndm__ret_like(a, gndm__do(a->c, "take", "a a axis:n", x, order, axis), like);
}

/* permuted: each line is sorted by random keys of its own. */
gnd_status gndm__fn_permuted(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x)
        return st ? st : gndm__fail(c, GND_ERR_TYPE, "%s: x must be an array", a->name);
    const int flat = !gndm__arg(a, "axis") || x->part->ndim == 0;
    const int axis = flat ? 0 : gndm__axis(a, "axis", 0, x->part->ndim);
    if (flat) {
        gndm_array *y = gndm__do(c, "take", "a a", gndm__do(c, "ravel", "a", x),
                                 random_order(a, gndm_elements(x)));
        gnd_value dim[GND_MAX_NDIM];
        for (int d = 0; d < x->part->ndim; d++)
            dim[d] = gnd_value_int(x->part->shape[d]);
        return gndm__ret_like(
            a, gndm__do(c, "reshape", "a v", y, gnd_value_tuple(x->part->ndim, dim)), like);
    }
    gnd_array *key = keys(a, x->part->ndim, x->part->shape);
    gndm__box box;
    gndm__part_box(x->part, c->rank, &box);
    gndm_array *order =
        gndm__array(c, GND_UINT64, x->part, gndm__boxed(key, x->part->ndim, &box, NULL));
    order = gndm__do(c, "argsort", "a axis:n", order, axis);
    return gndm__ret_like(a, gndm__do(c, "take_along_axis", "a a axis:n", x, order, axis), like);
}

/* choice: the elements at random places, which each rank draws for its part. */
gnd_status gndm__fn_choice(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "a");
    gnd_array *like;
    const int replaced = !gndm__given(a, "replace") || gndm__arg_true(a, "replace");
    if (!replaced && !gndm__arg(a, "p")) {
        const gnd_status st = gndm__expect(a, &like);
        if (st)
            return st;
        /* the first elements of a random order */
        const gnd_value *v = gndm__arg(a, "a");
        gnd_value dim[GND_MAX_NDIM];
        const int lead = gnd_ndim(like) - (x ? x->part->ndim - 1 : 0);
        int64_t m = 1;
        for (int d = 0; d < lead; d++) {
            m *= gnd_dim(like, d);
            dim[d] = gnd_value_int(gnd_dim(like, d));
        }
        if (!x && v->tag != GND_V_INT)
            return gndm__fail(a->c, GND_ERR_TYPE, "%s: a must be an int or an array", a->name);
        gndm_array *y = random_order(a, x ? x->part->shape[0] : v->as.i);
        y = gndm__sliced(a->c, y, 0, 0, m, 1);
        y = gndm__do(a->c, "reshape", "a v", y, gnd_value_tuple(lead, dim));
        if (x)
            y = gndm__do(a->c, "take", "a a axis:n", x, y, 0);
        return gndm__ret_like(a, y, like);
    }
    for (int i = 0; i < a->n; i++) /* the probabilities; an array to choose from is not moved */
        if (i != a->at[0]) {
            const gnd_status st = gndm__each_array(a, &a->v[i], gndm__parameter, NULL);
            if (st)
                return st;
        }
    if (x && x->part->ndim == 0)
        return gndm__fail(a->c, GND_ERR_SHAPE, "%s: a has no axis", a->name);
    if (x)
        a->v[a->at[0]] = gnd_value_int(x->part->shape[0]);
    gnd_value out;
    gnd_status st = gndm__local_call(a, &out);
    if (st)
        return st;
    if (out.tag != GND_V_ARRAY || gnd_status_of(out.as.array))
        return gndm__broken(a->c, GND_ERR_NOMEM, "%s: %s", a->name, gnd_message());
    gndm_array *i = gndm__part_of_whole(a, out.as.array);
    return gndm__ret_array(a, x ? gndm__do(a->c, "take", "a a axis:n", x, i, 0) : i);
}
