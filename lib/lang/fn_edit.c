/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_edit.c - the language's functions that insert and delete elements, and that make
 * diagonals and indices: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/manip.h>
#include "base/mem.h"
#include "lang/call.h"

#include <string.h>

/* --- places ----------------------------------------------------------------------------------- */

int gnd__fn_slice(gnd__args *c)
{
    gnd__val item[3] = {{.kind = GND__V_NONE}, {.kind = GND__V_NONE}, {.kind = GND__V_NONE}};
    if (c->nrest < 1 || c->nrest > 3)
        return gnd__expr_fail(c->x, GND_ERR_TYPE, c->at,
                              "slice: %d values: it is slice(stop) or "
                              "slice(start, stop, step=None)",
                              c->nrest);
    for (int i = 0; i < c->nrest; i++)
        item[c->nrest == 1 ? 1 : i] = gnd__val_ref(&c->rest[i].v);
    int bad = gnd__val_seq(c->x, c->out, GND__V_SLICE, item, 3, c->at);
    for (int i = 0; i < 3; i++)
        gnd__val_drop(&item[i]);
    return bad;
}

/* The indices that argument 1 (an int, a slice or a list) selects on an axis of `extent`
 * elements. */
typedef struct places {
    enum { ONE, RANGE, LIST } kind;
    int64_t one;
    gnd_range range;
    int64_t *list; /* freed with gnd__free */
    int n;
} places;

static int is_mask(const gnd__val *v)
{
    if (v->kind == GND__V_ARRAY)
        return gnd_dtype_of(v->held->a) == GND_BOOL && gnd_ndim(v->held->a) == 1;
    int n = 0;
    for (int64_t i = 0; gnd__val_is_seq(v) && i < v->seq->n; i++)
        n += v->seq->item[i].kind == GND__V_BOOL;
    return n && n == v->seq->n;
}

/* Converts a mask to the indices of its true elements. */
static int read_mask(gnd__args *c, int64_t extent, places *p)
{
    gnd_array *a = gnd__arg_strong(c, 1);
    if (!a)
        return -1;
    int64_t n = gnd_size(a);
    if (n != extent)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->arg[1].at,
                              "%s: a mask of %lld elements for an "
                              "axis of %lld",
                              c->name, (long long)n, (long long)extent);
    unsigned char *mask = gnd__malloc((size_t)n + 1);
    p->list = gnd__malloc(((size_t)n + 1) * sizeof *p->list);
    int bad = mask && p->list ? 0 : gnd__expr_nomem(c->x);
    gnd_status s = bad ? GND_OK : gnd_read(a, mask, (size_t)n);
    if (s)
        bad = gnd__expr_fail(c->x, s, c->arg[1].at, "%s", gnd_error(a));
    for (int64_t i = 0; i < n && !bad; i++)
        if (mask[i])
            p->list[p->n++] = i;
    gnd__free(mask);
    return bad;
}

static int read_places(gnd__args *c, int64_t extent, places *p)
{
    const gnd__val *v = &c->arg[1].v;
    int64_t most = gnd__val_is_seq(v)        ? v->seq->n
                   : v->kind == GND__V_ARRAY ? gnd_size(v->held->a)
                                             : 1;
    memset(p, 0, sizeof *p);
    if (v->kind == GND__V_SLICE) {
        p->kind = RANGE;
        return gnd__expr_slice(c->x, v, c->arg[1].at, &p->range);
    }
    if (v->kind == GND__V_INT || (v->kind == GND__V_ARRAY && !gnd_ndim(v->held->a)))
        return gnd__arg_int(c, 1, &p->one);
    if (most > INT32_MAX - 1)
        return gnd__arg_value(c, 1, "a shorter list");
    p->kind = LIST;
    if (is_mask(v))
        return read_mask(c, extent, p);
    if (!gnd__val_is_seq(v) && v->kind != GND__V_ARRAY)
        return gnd__arg_wrong(c, 1, "an int, a slice, or a list of ints");
    if (!(p->list = gnd__malloc(((size_t)most + 1) * sizeof *p->list)))
        return gnd__expr_nomem(c->x);
    return gnd__arg_ints(c, 1, p->list, (int)most + 1, &p->n);
}

/* Converts a slice to a list of indices. */
static int list_range(gnd__args *c, int64_t extent, places *p)
{
    gnd_range r = p->range;
    int64_t n = gnd__expr_clip(&r, extent);
    if (n > INT32_MAX - 1)
        return gnd__arg_value(c, 1, "a shorter slice");
    if (!(p->list = gnd__malloc(((size_t)n + 1) * sizeof *p->list)))
        return gnd__expr_nomem(c->x);
    for (p->n = 0; p->n < n; p->n++)
        p->list[p->n] = r.start + p->n * r.step;
    p->kind = LIST;
    return 0;
}

/* Returns a new handle of x and reads the axis in argument `at`. Without an axis, x is
 * flattened. */
static gnd_array *along(gnd__args *c, int at, int *axis)
{
    gnd_array *x = gnd__arg_strong(c, 0);
    *axis = 0;
    if (!x || (gnd__arg_given(c, at) && gnd__arg_axis(c, at, axis)))
        return NULL;
    if (!gnd__arg_given(c, at))
        return gnd_ravel(x);
    if (gnd_dim(x, *axis) >= 0)
        return gnd__again(x);
    gnd__expr_fail(c->x, GND_ERR_AXIS, c->arg[at].at,
                   "%s: axis %d is out of range for %d dimension%s", c->name, *axis, gnd_ndim(x),
                   gnd_ndim(x) == 1 ? "" : "s");
    return NULL;
}

int gnd__fn_insert(gnd__args *c)
{
    int axis;
    places p = {.kind = ONE};
    gnd_array *x = along(c, 3, &axis), *v = x ? gnd__arg_array(c, 2) : NULL;
    int bad = v ? read_places(c, gnd_dim(x, axis), &p) : -1;
    if (!bad && p.kind == RANGE)
        bad = list_range(c, gnd_dim(x, axis), &p);
    if (!bad)
        bad = gnd__ret(c, p.kind == ONE ? gnd_insert(x, p.one, v, axis)
                                        : gnd_insert_each(x, p.n, p.list, v, axis));
    gnd__free(p.list);
    gnd_release(x);
    return bad;
}

int gnd__fn_delete(gnd__args *c)
{
    int axis;
    places p = {.kind = ONE};
    gnd_array *x = along(c, 2, &axis);
    int bad = x ? read_places(c, gnd_dim(x, axis), &p) : -1;
    if (!bad)
        bad = gnd__ret(c, p.kind == ONE     ? gnd_delete(x, p.one, axis)
                          : p.kind == RANGE ? gnd_delete_range(x, p.range, axis)
                                            : gnd_delete_each(x, p.n, p.list, axis));
    gnd__free(p.list);
    gnd_release(x);
    return bad;
}

int gnd__fn_resize(gnd__args *c)
{
    int64_t shape[GND_MAX_NDIM];
    int ndim;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_ints(c, 1, shape, GND_MAX_NDIM, &ndim))
        return -1;
    return gnd__ret(c, gnd_resize(x, ndim, shape));
}

/* --- diagonals and indices -------------------------------------------------------------------- */

int gnd__fn_diag(gnd__args *c)
{
    return gnd__ret_int(c, gnd_diag);
}
int gnd__fn_diagflat(gnd__args *c)
{
    return gnd__ret_int(c, gnd_diagflat);
}

static int triangle(gnd__args *c,
                    gnd_status (*make)(gnd_device *, int64_t, int64_t, int64_t, gnd_array **))
{
    int64_t n, k = 0, m = -1;
    gnd_device *dev;
    gnd_array *out[2];
    if (gnd__arg_int(c, 0, &n) || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &k)) ||
        (gnd__arg_given(c, 2) && gnd__arg_int(c, 2, &m)) || gnd__arg_device(c, &dev))
        return -1;
    if (gnd__arg_given(c, 2) && m < 0)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->arg[2].at,
                              "%s: shape (%lld, %lld): a negative "
                              "extent",
                              c->name, (long long)n, (long long)m);
    return gnd__ret_tuple(c, out, 2, make(dev, n, k, m, out));
}

int gnd__fn_tril_indices(gnd__args *c)
{
    return triangle(c, gnd_tril_indices);
}
int gnd__fn_triu_indices(gnd__args *c)
{
    return triangle(c, gnd_triu_indices);
}

static int triangle_from(gnd__args *c, gnd_status (*make)(gnd_array *, int64_t, gnd_array **))
{
    int64_t k = 0;
    gnd_array *x = gnd__arg_strong(c, 0), *out[2];
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &k)))
        return -1;
    return gnd__ret_tuple(c, out, 2, make(x, k, out));
}

int gnd__fn_tril_indices_from(gnd__args *c)
{
    return triangle_from(c, gnd_tril_indices_from);
}
int gnd__fn_triu_indices_from(gnd__args *c)
{
    return triangle_from(c, gnd_triu_indices_from);
}

/* Returns one array for each axis; they broadcast to the shape. */
static int sparse(gnd__args *c, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape)
{
    gnd_array *out[GND_MAX_NDIM];
    for (int d = 0; d < ndim; d++) {
        int64_t dim[GND_MAX_NDIM];
        for (int i = 0; i < ndim; i++)
            dim[i] = i == d ? -1 : 1;
        gnd_array *line =
            gnd_arange_i64(dev, 0, shape[d], 1, t == GND_DTYPE_DEFAULT ? GND_INT64 : t);
        out[d] = gnd_reshape(line, ndim, dim);
        gnd_release(line);
    }
    return gnd__ret_tuple(c, out, ndim, GND_OK);
}

int gnd__fn_indices(gnd__args *c)
{
    int64_t shape[GND_MAX_NDIM];
    int ndim, open = 0;
    gnd_dtype t;
    gnd_device *dev;
    if (gnd__arg_ints(c, 0, shape, GND_MAX_NDIM, &ndim) || gnd__arg_dtype(c, 1, &t) ||
        (gnd__arg_given(c, 2) && gnd__arg_bool(c, 2, &open)) || gnd__arg_device(c, &dev))
        return -1;
    return open ? sparse(c, dev, t, ndim, shape) : gnd__ret(c, gnd_indices(dev, t, ndim, shape));
}

/* --- on a logarithmic scale ------------------------------------------------------------------- */

/* Reads start, stop, num and endpoint, and dtype in argument `at`. */
static int scale(gnd__args *c, int at, gnd_array **ends, int64_t *num, int *endpoint, gnd_dtype *t,
                 gnd_device **dev)
{
    *num = 50;
    *endpoint = 1;
    return !(ends[0] = gnd__arg_scalar(c, 0)) || !(ends[1] = gnd__arg_scalar(c, 1)) ||
                   (gnd__arg_given(c, 2) && gnd__arg_int(c, 2, num)) ||
                   (gnd__arg_given(c, 3) && gnd__arg_bool(c, 3, endpoint)) ||
                   gnd__arg_dtype(c, at, t) || gnd__arg_device(c, dev)
               ? -1
               : 0;
}

int gnd__fn_logspace(gnd__args *c)
{
    int64_t num;
    int endpoint;
    gnd_dtype t;
    gnd_device *dev;
    gnd_array *ends[2], *base;
    if (!gnd__arg_given(c, 4))
        c->arg[4] = (gnd__slot){.v = gnd__val_float(10), .at = (uint32_t)c->at};
    if (scale(c, 5, ends, &num, &endpoint, &t, &dev) || !(base = gnd__arg_scalar(c, 4)))
        return -1;
    return gnd__ret(c, gnd_logspace(dev, ends[0], ends[1], num, endpoint, base, t));
}

int gnd__fn_geomspace(gnd__args *c)
{
    int64_t num;
    int endpoint;
    gnd_dtype t;
    gnd_device *dev;
    gnd_array *ends[2];
    if (scale(c, 4, ends, &num, &endpoint, &t, &dev))
        return -1;
    return gnd__ret(c, gnd_geomspace(dev, ends[0], ends[1], num, endpoint, t));
}
