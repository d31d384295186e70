/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_create.c - creation of arrays. gnd's creation functions are lazy, and each element depends
 * only on its position (random numbers also on the number of the call). So every rank makes the
 * whole lazy array and computes only its box. The elements are the same for any number of ranks and
 * any cuts.
 */
#include "call.h"

#include <string.h>

static gndm_array *part_of_whole(gndm__args *a, gnd_array *x)
{
    gndm_ctx *c = a->c;
    const int ndim = gnd_ndim(x);
    const int fits = a->part && !a->part->status && a->part->ndim == ndim &&
                     !memcmp(a->part->shape, gnd_shape(x), (size_t)ndim * sizeof(int64_t));
    gndm_part *p =
        fits ? gndm__part_retain((gndm_part *)a->part) : gndm_part_default(c, ndim, gnd_shape(x));
    gndm__box box;
    if (!p->status)
        gndm__part_box(p, c->rank, &box);
    gndm_array *y = p->status
                        ? gndm__error(c, gndm__fail(c, p->status, "%s", gndm_part_error(p)))
                        : gndm__array(c, gnd_dtype_of(x), p, gndm__boxed(x, ndim, &box, NULL));
    gndm_part_free(p);
    return y;
}

gnd_status gndm__fn_create(gndm__args *a)
{
    gnd_value out;
    for (int i = 0; i < a->n; i++)
        if (gndm__as_array(&a->v[i]))
            return gndm__fail(a->c, GND_ERR_UNSUPPORTED,
                              "%s: parameters must be numbers: a distributed array of parameters "
                              "is not supported",
                              a->name);
    gnd_status st = gndm__local_call(a, &out);
    if (st)
        return st;
    if (out.tag == GND_V_ARRAY && !gnd_is_weak(out.as.array)) {
        if (gnd_status_of(out.as.array)) /* out of memory for a node: the shape is not known, so the
                                            rank cannot continue */
            return gndm__broken(a->c, gnd_status_of(out.as.array), "%s", gnd_error(out.as.array));
        return gndm__ret_array(a, part_of_whole(a, out.as.array));
    }
    *a->out = out;
    return GND_OK;
}
