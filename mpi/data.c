/* SPDX-License-Identifier: BSD-3-Clause
 *
 * data.c - copies elements from the program into distributed arrays and back.
 */
#include "ctx.h"

#include <math.h>
#include <string.h>

/* --- from the program ------------------------------------------------------------------------- */

gndm_part *gndm__part_for(gndm_ctx *c, const char *func, gnd_dtype t, int ndim,
                          const int64_t *shape, const gndm_part *part)
{
    if (!part)
        return gndm_part_default(c, t, ndim, shape);
    if (!part->status &&
        (part->ndim != ndim || memcmp(part->shape, shape, (size_t)ndim * sizeof *shape) != 0)) {
        char a[GNDM_SHAPE_TEXT], b[GNDM_SHAPE_TEXT], text[2 * GNDM_SHAPE_TEXT + 80];
        snprintf(text, sizeof text, "%s: shape %s, a partition of %s", func,
                 gndm__shape_text(a, ndim, shape), gndm__shape_text(b, part->ndim, part->shape));
        return gndm__part_fail(GND_ERR_SHAPE, text);
    }
    return gndm__part_retain((gndm_part *)part);
}

gndm_array *gndm_from(gndm_ctx *c, gnd_dtype t, int ndim, const int64_t *shape, const void *data,
                      const gndm_part *part)
{
    if (!c)
        return gndm__error(NULL, GND_ERR_NULL);
    gndm_array *y = NULL;
    gnd_status st = gndm__enter(c, "from", "%s, %d axes", gnd_dtype_name(t), ndim);
    if (!st && gnd_dtype_size(t) == 0)
        st = gndm__fail(c, GND_ERR_DTYPE, "from: not a dtype");
    if (!st && !data)
        st = gndm__fail(c, GND_ERR_NULL, "from: data is NULL");
    gndm_part *p = st ? NULL : gndm__part_for(c, "from", t, ndim, shape, part);
    if (!st) {
        /* Copy only this rank's box, a strided view of the data. */
        gndm__box box;
        int64_t dim[GND_MAX_NDIM], stride[GND_MAX_NDIM], at = 0;
        int64_t step = (int64_t)gnd_dtype_size(t);
        if (!p->status)
            gndm__part_box(p, c->rank, &box);
        for (int d = ndim - 1; d >= 0 && !p->status; d--) {
            stride[d] = step;
            dim[d] = box.stop[d] - box.start[d];
            at += box.start[d] * step;
            step *= shape[d];
        }
        gnd_array *x = p->status
                           ? NULL
                           : gnd_from_strided(c->dev, t, ndim, dim, stride,
                                              gndm__product(ndim, dim) ? (const char *)data + at
                                                                       : (const char *)data);
        y = p->status ? gndm__error(c, gndm__fail(c, p->status, "%s", gndm_part_error(p)))
                      : gndm__array(c, t, p, x);
        gndm_part_free(p);
    }
    return gndm__leave(c, st ? gndm__error(c, st) : y);
}

gndm_array *gndm_wrap(gndm_ctx *c, gnd_array *local, const gndm_part *part)
{
    if (!c)
        return gndm__error(NULL, GND_ERR_NULL);
    char text[GNDM_TEXT] = "";
    gnd_status st = gndm__enter(c, "wrap", "%d axes", part ? part->ndim : -1);
    if (!st && !part)
        st = gndm__fail(c, GND_ERR_NULL, "wrap: part is NULL");
    if (!st && part->status)
        st = gndm__fail(c, part->status, "%s", gndm_part_error(part));
    if (st)
        return gndm__leave(c, gndm__error(c, st));
    gndm__box box;
    gndm__part_box(part, c->rank, &box);
    gnd_status own = local ? gnd_status_of(local) : GND_ERR_NULL;
    int64_t dim[GND_MAX_NDIM];
    int fits = !own && gnd_ndim(local) == part->ndim && gnd_device_of(local) == c->dev;
    for (int d = 0; d < part->ndim; d++) {
        dim[d] = box.stop[d] - box.start[d];
        fits = fits && gnd_dim(local, d) == dim[d];
    }
    if (own) {
        snprintf(text, sizeof text, "wrap: %s", local ? gnd_error(local) : "local is NULL");
    } else if (!fits) {
        char a[GNDM_SHAPE_TEXT], b[GNDM_SHAPE_TEXT];
        own = GND_ERR_SHAPE;
        snprintf(text, sizeof text,
                 "wrap: local has shape %.300s, the box of the partition %.300s, or it is of "
                 "another device",
                 gndm__shape_text(a, gnd_ndim(local), gnd_shape(local)),
                 gndm__shape_text(b, part->ndim, dim));
    }
    /* all ranks must have the dtype of rank 0 */
    int first = own ? -1 : (int)gnd_dtype_of(local);
    st = gndm__agree(c, own, text);
    if (!st)
        st = gndm__bcast(c, &first, sizeof first, 0);
    if (!st && first != (int)gnd_dtype_of(local)) {
        own = GND_ERR_DTYPE;
        snprintf(text, sizeof text, "wrap: local is %s here and %s on rank 0",
                 gnd_dtype_name(gnd_dtype_of(local)), gnd_dtype_name((gnd_dtype)first));
    }
    if (!st)
        st = gndm__agree(c, own, text);
    return gndm__leave(c, st ? gndm__error(c, st)
                             : gndm__array(c, (gnd_dtype)first, (gndm_part *)part, local));
}

/* --- to the program --------------------------------------------------------------------------- */

/* Copies all elements to dst on all ranks. Ranks that held the same part may have computed
 * different bits, if their devices differ; then all ranks get the elements of rank 0. */
static gnd_status read_all(gndm_ctx *c, gndm_array *x, void *dst, size_t nbytes)
{
    int64_t places = 1;
    if (x->known) {
        memcpy(dst, x->number, nbytes);
        return GND_OK;
    }
    for (int d = 0; d < x->part->ndim; d++)
        places *= x->part->grid[d];
    gndm_part *whole = gndm__part_new(c, x->part->ndim, x->part->shape);
    gndm_array *y = gndm__moved(c, x, whole);
    gndm_part_free(whole);
    if (y->status)
        return y->status;
    gnd_status st = gndm__host(c, y->local, dst, nbytes);
    st = gndm__agree(c, st, st ? gnd_message() : "");
    if (!st && places < c->size && c->size > 1)
        st = gndm__bcast(c, dst, (int64_t)nbytes, 0);
    return st;
}

gnd_status gndm_read(gndm_array *x, void *dst, size_t nbytes)
{
    if (!x || x->status)
        return x ? x->status : GND_ERR_NULL;
    gndm_ctx *c = x->ctx;
    gnd_status st = gndm__enter(c, "read", "%d axes, %s", x->part->ndim, gnd_dtype_name(x->dtype));
    const size_t size = (size_t)gndm_elements(x) * gnd_dtype_size(x->dtype);
    if (!st && !dst && size)
        st = gndm__fail(c, GND_ERR_NULL, "read: dst is NULL");
    if (!st && nbytes != size)
        st = gndm__fail(c, GND_ERR_SHAPE, "read: room for %zu bytes, the array has %zu", nbytes,
                        size);
    if (!st)
        st = read_all(c, x, dst, nbytes);
    gndm__leave(c, NULL);
    return st;
}

/* The only element of x as a gnd array, if possible one that needs no device, or an error. */
static gnd_array *one(gndm_array *x)
{
    char data[16];
    if (!x)
        return gnd_fail(GND_ERR_NULL, "item: x is NULL");
    gndm_ctx *c = x->ctx;
    if (!x->status && gndm_elements(x) != 1)
        return gnd_fail(gndm__fail(c, GND_ERR_SHAPE, "item: an array of %lld elements",
                                   (long long)gndm_elements(x)),
                        "item: not one element");
    const gnd_status st = gndm_read(x, data, gnd_dtype_size(gndm_dtype_of(x)));
    if (st)
        return gnd_fail(st, "item: %s", x->status ? gndm_error(x) : c->message);
    return gndm__has_scalar(x->dtype) ? gndm__scalar(x->dtype, data)
                                      : gnd_from(c->dev, x->dtype, 0, NULL, data);
}

double gndm_item_f64(gndm_array *x, gnd_status *s)
{
    gnd_array *v = one(x);
    gnd_status st = gnd_status_of(v);
    const double y = st ? NAN : gnd_item_f64(v, &st);
    gnd_release(v);
    if (s)
        *s = st;
    return y;
}

int64_t gndm_item_i64(gndm_array *x, gnd_status *s)
{
    gnd_array *v = one(x);
    gnd_status st = gnd_status_of(v);
    const int64_t y = st ? 0 : gnd_item_i64(v, &st);
    gnd_release(v);
    if (s)
        *s = st;
    return y;
}
