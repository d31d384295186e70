/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_product.c - matrix products. The first operand keeps its rows where they are. A small second
 * operand is copied to every rank. Otherwise panels of it go around: for each panel of the inner
 * axis every rank gets the columns of its rows and the rows of the second operand, in any cuts of
 * both, and adds their product; no rank holds more of the second operand than a panel.
 */
#include "call.h"

#include <string.h>

enum { PANEL_BYTES = 64 << 20 };

/* The product by panels of 2-d operands; part: of the result, split by rows only. */
static gnd_status by_panels(gndm__args *a, gndm_array *x, gndm_array *y, gndm_part *part)
{
    gndm_ctx *c = a->c;
    const int64_t inner = x->part->shape[1], n = y->part->shape[1];
    const int64_t row = n * (int64_t)gnd_dtype_size(y->dtype);
    const int64_t width = PANEL_BYTES / row > 16 ? PANEL_BYTES / row : 16;
    gndm__box *want = malloc((size_t)c->size * sizeof *want);
    gnd_array *sum = NULL;
    gnd_status st = want ? GND_OK : gndm__broken(c, GND_ERR_NOMEM, "matmul: out of host memory");
    for (int64_t k = 0; k < inner && !st; k += width) {
        const int64_t end = k + width < inner ? k + width : inner;
        gnd_array *panel = NULL;
        for (int r = 0; r < c->size; r++)
            want[r] = (gndm__box){.start = {k, 0}, .stop = {end, n}};
        gnd_scope_begin();
        st = gndm__fetch(c, y, want, &panel);
        gnd_array *part_sum = st ? NULL : gnd_matmul(gnd_slice(x->local, 1, k, end), panel);
        if (!st) {
            gnd_array *next = gnd_retain(sum ? gnd_add(sum, part_sum) : part_sum);
            gnd_eval_all(1, &next); /* a failure stays in it */
            gnd_release(sum);
            sum = next;
        }
        gnd_scope_end();
    }
    free(want);
    if (!st)
        st = gndm__ret_array(a, gndm__array(c, gnd_promote(x->dtype, y->dtype), part, sum));
    gnd_release(sum);
    return st;
}

gnd_status gndm__fn_matmul(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x1"), *y = gndm__arg_array(a, "x2");
    gnd_value v, local;
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || !y || x->part->ndim < 2 || y->part->ndim > 2)
        return gndm__fn_gathered(a);
    const int last = x->part->ndim - 1, ndim = gnd_ndim(v.as.array);
    const int64_t *shape = gnd_shape(v.as.array);
    int from[GND_MAX_NDIM];
    gndm_part *rows = gndm__whole_axes(c, x->part, UINT32_C(1) << last);
    x = gndm__moved(c, x, rows);
    for (int d = 0; d < ndim; d++)
        from[d] = d < last ? d : -1;
    gndm_part *after = gndm__part_axes(c, rows, ndim, shape, from);
    st = gndm__check(c, x);
    if (!st && x->part->ndim == 2 && y->part->ndim == 2 && gndm__part_split_anywhere(y->part) &&
        gndm_elements(y) * (int64_t)gnd_dtype_size(y->dtype) > PANEL_BYTES) {
        st = by_panels(a, x, y, after);
    } else if (!st) {
        gndm_part *all = gndm__part_new(c, y->part->ndim, y->part->shape);
        y = gndm__moved(c, y, all);
        gndm_part_free(all);
        st = gndm__check(c, y);
        gndm__replace(a, a->at[0], x);
        gndm__replace(a, a->at[1], y);
        if (!st)
            st = gndm__local_call(a, &local);
        if (!st)
            st = gndm__ret(a, &local, after);
    }
    gndm_part_free(rows);
    gndm_part_free(after);
    return st;
}
