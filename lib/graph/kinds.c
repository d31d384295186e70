/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/kinds.c - makes the nodes of each kind: a node (node.c) and its payload. Arguments were
 * checked.
 */
#include "graph/graph.h"
#include "graph/scope.h"

#include <string.h>
#include "base/mem.h"
#include <gnd/array.h>

gnd_array *gnd__const(gnd_device *dev, gnd_dtype t, const gnd__scalar *v, int weak)
{
    gnd_array *x = gnd__node(GND__CONST, dev, t, 0, NULL, 0, NULL);
    if (x->kind != GND__CONST)
        return x;
    x->p.value = *v;
    x->weak = weak != 0;
    return x;
}

gnd_array *gnd__data_node(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                          gnd__storage *st, int64_t off, const int64_t *stride)
{
    const size_t n = (size_t)ndim * sizeof *stride;
    gnd_array *x = gnd__node(GND__DATA, dev, t, ndim, dim, 0, NULL);
    if (x->kind != GND__DATA)
        return x;
    if (stride) {
        x->data.stride = gnd__malloc(n);
        if (!x->data.stride) {
            gnd_release(x);
            return gnd__nomem();
        }
        memcpy(x->data.stride, stride, n);
    }
    gnd__storage_ref(st);
    x->data.st = st;
    x->data.off = off;
    x->data.contig = !stride;
    x->pending = 0;
    return x;
}

gnd_array *gnd__op_node(gnd__op op, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                        int nin, gnd_array *const *in)
{
    gnd_array *x = gnd__node(GND__OP, dev, t, ndim, dim, nin, in);
    if (x->kind == GND__OP)
        x->p.op = op;
    return x;
}

/* The value of a constant after conversion to dtype t. */
static gnd__scalar rounded(const gnd__scalar *v, gnd_dtype t)
{
    uint64_t room[2];
    gnd__store_scalar(t, room, v);
    return gnd__load_scalar(t, room);
}

gnd_array *gnd__cast_node(gnd_array *x, gnd_dtype t)
{
    if ((gnd_dtype)x->dtype == t)
        return gnd__same(x);
    if (x->kind == GND__CONST) {
        gnd__scalar v = rounded(&x->p.value, t);
        return gnd__const(x->dev, t, &v, 0);
    }
    return gnd__node(GND__CAST, x->dev, t, x->ndim, x->dim, 1, &x);
}

gnd_array *gnd__reduce_node(gnd_array *x, gnd__red r, uint32_t mask, gnd_dtype t)
{
    int64_t dim[GND_MAX_NDIM];
    int ndim = 0;
    for (int i = 0; i < x->ndim; i++)
        if (!(mask >> i & 1))
            dim[ndim++] = x->dim[i];
    gnd_array *y = gnd__node(GND__REDUCE, x->dev, t, ndim, dim, 1, &x);
    if (y->kind == GND__REDUCE) {
        y->p.red.op = r;
        y->p.red.mask = mask;
        y->p.red.fn = NULL;
    }
    return y;
}

gnd_array *gnd__matmul_node(gnd_array *a, gnd_array *b, int ndim, const int64_t *dim)
{
    gnd_array *in[2] = {a, b};
    return gnd__node(GND__MATMUL, a->dev, (gnd_dtype)a->dtype, ndim, dim, 2, in);
}

gnd_array *gnd__assemble_node(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim, int n,
                              gnd_array *const *in, const gnd__box *box)
{
    gnd__box *copy;
    size_t bytes = (size_t)n * sizeof *copy;
    gnd_array *y = gnd__node_with(GND__ASSEMBLE, dev, t, ndim, dim, n, in, bytes, &copy);
    if (y->kind != GND__ASSEMBLE)
        return y;
    memcpy(copy, box, bytes);
    y->p.box = copy;
    return y;
}

gnd_array *gnd__take_node(gnd_array *x, int n, gnd_array *const *idx, int ndim, const int64_t *dim,
                          const gnd__gather *how)
{
    gnd_array *in[GND_MAX_NDIM + 1];
    gnd__gather *copy;
    in[0] = x;
    for (int i = 0; i < n; i++)
        in[1 + i] = idx[i];
    gnd_array *y = gnd__node_with(GND__TAKE, x->dev, (gnd_dtype)x->dtype, ndim, dim, n + 1, in,
                                  sizeof *copy, &copy);
    if (y->kind == GND__TAKE) {
        memcpy(copy->from, how->from, x->ndim * sizeof *how->from);
        memcpy(copy->via, how->via, x->ndim * sizeof *how->via);
        y->p.take = copy;
    }
    return y;
}

gnd_array *gnd__checked_node(gnd_array *idx, const char *func, int64_t size, int axis)
{
    gnd_array *y = gnd__node(GND__CHECKED, idx->dev, GND_INT64, idx->ndim, idx->dim, 1, &idx);
    if (y->kind == GND__CHECKED) {
        y->p.check.func = func;
        y->p.check.size = size;
        y->p.check.axis = axis;
        y->p.check.code = GND_ERR_INDEX;
        y->p.check.what = NULL;
    }
    return y;
}

gnd_array *gnd__condition_node(gnd_array *ok, gnd_status code, const char *func, const char *what)
{
    /* an index into one element: 0 if the condition holds, else 1, which is out of range */
    const gnd__inner in = gnd__enter(NULL);
    gnd_array *fails =
        gnd__op_node(GND__OP_LOGICAL_NOT, ok->dev, GND_BOOL, ok->ndim, ok->dim, 1, &ok);
    gnd_array *idx = fails->kind == GND__ERROR ? fails : gnd__cast_node(fails, GND_INT64);
    gnd_array *y = idx->kind == GND__ERROR ? idx : gnd__checked_node(idx, func, 1, -1);
    if (y->kind == GND__CHECKED) {
        y->p.check.code = code;
        y->p.check.what = what;
    }
    return gnd__leave(in, y);
}

gnd_array *gnd__prim_node(gnd_device *dev, const gnd__primargs *p, gnd_dtype t, int ndim,
                          const int64_t *dim, int nin, gnd_array *const *in)
{
    gnd__primargs *copy;
    gnd_array *y = gnd__node_with(GND__PRIM, dev, t, ndim, dim, nin, in, sizeof *copy, &copy);
    if (y->kind == GND__PRIM) {
        memcpy(copy, p, sizeof *copy);
        y->p.prim = copy;
    }
    return y;
}
