/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_create.c - creation of arrays. gnd's creation functions are lazy, and each element depends
 * only on its position (random numbers also on the number of the call). So every rank makes the
 * whole lazy array and computes only its box. The elements are the same for any number of ranks and
 * any cuts.
 */
#include "shuffle.h"

#include <string.h>

gndm_array *gndm__part_of_whole(gndm__args *a, gnd_array *x)
{
    gndm_ctx *c = a->c;
    const int ndim = gnd_ndim(x);
    const int fits = a->part && !a->part->status && a->part->ndim == ndim &&
                     !memcmp(a->part->shape, gnd_shape(x), (size_t)ndim * sizeof(int64_t));
    gndm_part *p = fits ? gndm__part_retain((gndm_part *)a->part)
                        : gndm_part_default(c, gnd_dtype_of(x), ndim, gnd_shape(x));
    gndm__box box;
    if (!p->status)
        gndm__part_box(p, c->rank, &box);
    gndm_array *y = p->status
                        ? gndm__error(c, gndm__fail(c, p->status, "%s", gndm_part_error(p)))
                        : gndm__array(c, gnd_dtype_of(x), p, gndm__boxed(x, ndim, &box, NULL));
    gndm_part_free(p);
    return y;
}

gnd_status gndm__parameter(gndm__args *a, gnd_value *v, void *data)
{
    (void)data;
    *v = gndm_value(gndm__everywhere(a->c, gndm__as_array(v)));
    return gndm__check(a->c, gndm__as_array(v));
}

/* The result: its arrays become distributed ones. */
static gnd_status created(gndm__args *a, gnd_value *out)
{
    const int one = out->tag == GND_V_ARRAY && !gnd_is_weak(out->as.array);
    if (gndm__is_list(out) && !gndm__holds_array(out)) { /* extents */
        gndm_part *none = gndm__part_new(a->c, 0, NULL);
        const gnd_status st = gndm__ret(a, out, none);
        gndm_part_free(none);
        return st;
    }
    const int64_t n = one ? 1 : gndm__is_list(out) ? out->as.items.n : 0;
    gndm_array **y = (gndm_array **)(void *)gndm__items(a, n);
    if (!y)
        return gndm__broken(a->c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    if (n == 0) {
        *a->out = *out;
        return GND_OK;
    }
    for (int64_t i = 0; i < n; i++) {
        gnd_array *x = one ? out->as.array : out->as.items.item[i].as.array;
        if (gnd_status_of(x)) /* out of memory for a node: the shape is not known, so the rank
                                 cannot continue */
            return gndm__broken(a->c, gnd_status_of(x), "%s", gnd_error(x));
        y[i] = gndm__part_of_whole(a, x);
    }
    if (!one)
        gndm__drop_items(out);
    return one ? gndm__ret_array(a, y[0]) : gndm__ret_arrays(a, (int)n, y);
}

/* data 1: parameters may be arrays, which every rank gets, such as the probabilities of outcomes.
 */
gnd_status gndm__fn_create(gndm__args *a)
{
    gnd_value out;
    gnd_status st = GND_OK;
    for (int i = 0; i < a->n && !st; i++)
        if (a->rule->data)
            st = gndm__each_array(a, &a->v[i], gndm__parameter, NULL);
        else if (gndm__as_array(&a->v[i]))
            return gndm__fail(a->c, GND_ERR_UNSUPPORTED,
                              "%s: parameters must be numbers: a distributed array of parameters "
                              "is not supported",
                              a->name);
    if (!st)
        st = gndm__local_call(a, &out);
    return st ? st : created(a, &out);
}

/* Functions of shapes and dtypes alone: gnd's results for placeholders. Their arrays are indices,
 * which do not depend on elements. */
gnd_status gndm__fn_of_shape(gndm__args *a)
{
    gnd_value out;
    const gnd_status st = gndm__try(a, &out);
    return st ? st : created(a, &out);
}
