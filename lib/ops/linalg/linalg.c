/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/linalg.c - matrix products: shapes, dtypes and one-dimensional operands as in NumPy's
 * matmul, expressed as a GND__MATMUL of operands with at least two axes; and traces.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "array/steps.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "ops/linalg/einsum.h"
#include "prim/attention.h"
#include "prim/choices.h"
#include "prim/product.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

/* The extents of a product. */
typedef struct product {
    int ndim; /* of the product with all matrix axes */
    int64_t dim[GND_MAX_NDIM];
    uint32_t drop; /* axes of one-dimensional operands, not in the result */
} product;

static gnd_array *check_product(gnd_array *a, gnd_array *b, gnd_device *dev, gnd_dtype t,
                                product *p)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    gnd__shape_text(ta, a->ndim, a->dim);
    gnd__shape_text(tb, b->ndim, b->dim);
    if (!a->ndim || !b->ndim)
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "matmul: shapes %s and %s: a number is no matrix: take gnd_multiply", ta,
                         tb);
    int64_t k = a->dim[a->ndim - 1], kb = b->dim[b->ndim > 1 ? b->ndim - 2 : 0];
    if (k != kb)
        return gnd__fail(dev, GND_ERR_SHAPE, "matmul: shapes %s and %s: %" PRId64 " != %" PRId64,
                         ta, tb, k, kb);

    int na = a->ndim > 2 ? a->ndim - 2 : 0, nb = b->ndim > 2 ? b->ndim - 2 : 0;
    gnd__shape s = {.ndim = na}, sb = {.ndim = nb};
    memcpy(s.dim, a->dim, (size_t)na * sizeof s.dim[0]);
    memcpy(sb.dim, b->dim, (size_t)nb * sizeof s.dim[0]);
    if (gnd__shape_broadcast(&s, &sb))
        return gnd__fail(dev, GND_ERR_SHAPE,
                         "matmul: shapes %s and %s: the axes before the matrices do not broadcast",
                         ta, tb);
    p->ndim = s.ndim + 2;
    p->drop = 0;
    memcpy(p->dim, s.dim, (size_t)s.ndim * sizeof s.dim[0]);
    p->dim[s.ndim] = a->ndim > 1 ? a->dim[a->ndim - 2] : 1;
    p->dim[s.ndim + 1] = b->ndim > 1 ? b->dim[b->ndim - 1] : 1;
    if (a->ndim == 1)
        p->drop |= (uint32_t)1 << s.ndim;
    if (b->ndim == 1)
        p->drop |= (uint32_t)1 << (s.ndim + 1);
    return gnd__check_shape("matmul", dev, t, p->ndim, p->dim);
}

/* y without the axes that mask has, which are of extent 1. */
static gnd_array *without(gnd_array *y, uint32_t mask)
{
    int64_t dim[GND_MAX_NDIM];
    gnd__map m;
    int ndim = 0;
    if (!mask || y->kind == GND__ERROR)
        return y;
    gnd__map_identity(&m, y->ndim);
    for (int i = 0; i < y->ndim; i++) {
        m.from[i] = -1;
        if (!(mask >> i & 1)) {
            m.from[i] = (int8_t)ndim;
            dim[ndim++] = y->dim[i];
        }
    }
    return gnd__viewed(y, ndim, dim, &m);
}

/* x as a matrix of dtype t: a row or a column when it has one axis. */
static gnd_array *matrix(gnd_array *x, gnd_dtype t, int column)
{
    gnd_array *c = gnd__as(x, t);
    if (c->kind == GND__ERROR || x->ndim != 1)
        return c;
    return gnd__expanded(c, column ? 2 : 1);
}

/* Whether the product with a vector is a sum of products. On a GPU memory bounds it, so no library
 * is faster; and as a sum it is one kernel with what its operands are still to be computed from (a
 * conversion of pixels) and with what follows (an activation). */
static int is_sum(const gnd_array *a, const product *p)
{
    return !gnd__for_cpu(a->dev) && a->dtype != GND_BOOL &&
           (p->dim[p->ndim - 1] == 1 || p->dim[p->ndim - 2] == 1);
}

/* The product with a vector as a sum, which fuses. */
static gnd_array *sum_of_terms(gnd_array *a, gnd_array *b, const product *p)
{
    const gnd_dtype t = (gnd_dtype)a->dtype;
    const int columns = p->dim[p->ndim - 1] == 1;
    gnd_array *y = columns ? gnd__sum_of_products(a, gnd_matrix_transpose(b), GND_AXIS(-1), t)
                           : gnd__sum_of_products(gnd_matrix_transpose(a), b, GND_AXIS(-2), t);
    return gnd__is_bad(y) ? y : gnd__expanded(y, (uint32_t)1 << (p->ndim - (columns ? 1 : 2)));
}

/* The operand `in` and the factor c of a multiple x = in c that is still to be computed, if c is a
 * power of two; otherwise 0. The device's lock is held. */
static int is_doubled(const gnd_array *x, gnd_array **in, double *c)
{
    int exponent;
    if (x->kind != GND__OP || x->p.op != GND__OP_MULTIPLY || x->data.st || !x->in)
        return 0;
    for (int i = 0; i < 2; i++) {
        const gnd_array *k = x->in[i];
        const gnd__scalar *v = &k->p.value;
        *in = x->in[!i];
        if (k->kind == GND__CONST && (*in)->kind != GND__CONST && (*in)->dtype == x->dtype &&
            v->kind == 'f' && fabs(frexp(*c = v->re, &exponent)) == 0.5 && abs(exponent) <= 64)
            return 1;
    }
    return 0;
}

/* The same of x or of a view of a multiple, with the view of `in`; NULL: x is no such multiple. */
static gnd_array *undoubled(gnd_array *x, double *c)
{
    gnd_array *in = NULL, *y = NULL;
    if (x->dtype != GND_FLOAT32 && x->dtype != GND_FLOAT64 && x->dtype != GND_BFLOAT16)
        return NULL;
    gnd__gate_lock(x->dev->g); /* another thread may evaluate x, which then releases its inputs */
    if (is_doubled(x, &in, c))
        y = gnd__same(in);
    else if (x->kind == GND__VIEW && !x->data.st && x->in && is_doubled(x->in[0], &in, c))
        y = gnd__view_of_part(x, in, 0);
    gnd__gate_unlock(x->dev->g);
    return y;
}

static gnd_array *multiply(gnd_array *a, gnd_array *b, const product *p);

/* The product of a and b if one of them, no smaller than the result, is a multiple by a power of
 * two: the multiple of the product, whose factor is part of the call or of the next kernel, where
 * the operand's would be a pass through memory. The bits are the same unless numbers leave the
 * dtype's range, so this is not for float16. NULL: there is no such operand. */
static gnd_array *multiple(gnd_array *a, gnd_array *b, const product *p)
{
    const int64_t m = p->dim[p->ndim - 2], n = p->dim[p->ndim - 1], k = a->dim[a->ndim - 1];
    gnd_array *x, *y;
    double c;
    if (n <= k && (x = undoubled(a, &c)))
        y = x->kind == GND__ERROR ? x : multiply(x, b, p);
    else if (m <= k && (x = undoubled(b, &c)))
        y = x->kind == GND__ERROR ? x : multiply(a, x, p);
    else
        return NULL;
    return gnd_multiply(y, gnd_real(c));
}

/* The product of a and b; by one kernel if a is softmax(q k^T). */
static gnd_array *multiply(gnd_array *a, gnd_array *b, const product *p)
{
    gnd__attention x;
    gnd_array *const twice = multiple(a, b, p);
    int perm[GND_MAX_NDIM];
    if (twice)
        return twice;
    if (!gnd__attention_of(a, b, &x))
        return is_sum(a, p) ? sum_of_terms(a, b, p) : gnd__matmul_node(a, b, p->ndim, p->dim);
    for (int d = 0; d < p->ndim; d++)
        perm[d] = d < p->ndim - 2 ? d : 2 * p->ndim - 3 - d;
    gnd_array *k = gnd__permuted(x.kt, perm);
    gnd_array *y = k->kind == GND__ERROR ? k : gnd__attention_node(&x, k, b);
    gnd__attention_drop(&x);
    return y;
}

gnd_array *gnd_matmul(gnd_array *a, gnd_array *b)
{
    gnd_device *dev;
    product p;
    gnd_array *x[2] = {a, b};
    gnd_array *bad = gnd__check_strong(a, "matmul", "a");
    if (bad || (bad = gnd__check_strong(b, "matmul", "b")) ||
        (bad = gnd__check_devices("matmul", 2, x, &dev)))
        return bad;
    gnd_dtype t = gnd__common_dtype(dev, 2, x);
    if ((bad = check_product(a, b, dev, t, &p)))
        return bad;

    const gnd__inner in = gnd__enter("matmul");
    gnd_array *y;
    if (a->size == 0 || b->size == 0) { /* empty sums, or no sums */
        gnd__scalar zero = {.kind = gnd_dtype_kind(t)};
        y = gnd__filled(dev, t, p.ndim, p.dim, &zero);
    } else {
        gnd_array *ma = matrix(a, t, 0), *mb = matrix(b, t, 1);
        y = ma->kind == GND__ERROR ? ma : mb->kind == GND__ERROR ? mb : multiply(ma, mb, &p);
    }
    return gnd__leave(in, without(y, p.drop));
}

gnd_array *gnd_trace(gnd_array *x, int64_t offset, int axis1, int axis2, gnd_dtype t)
{
    char text[GND__SHAPE_TEXT];
    int a, b;
    gnd_array *bad = gnd__check_strong(x, "trace", "x");
    if (bad)
        return bad;
    if (x->ndim < 2)
        return gnd__fail(x->dev, GND_ERR_SHAPE, "trace: shape %s: at least 2 dimensions are needed",
                         gnd__shape_text(text, x->ndim, x->dim));
    if ((bad = gnd__check_axis("trace", x->dev, axis1, x->ndim, &a)) ||
        (bad = gnd__check_axis("trace", x->dev, axis2, x->ndim, &b)) ||
        (t != GND_DTYPE_DEFAULT && (bad = gnd__check_type("trace", x->dev, t))))
        return bad;
    if (a == b)
        return gnd__fail(x->dev, GND_ERR_AXIS, "trace: axis %d is named twice", axis2);
    const gnd__inner in = gnd__enter("trace");
    gnd_array *d = gnd_diagonal(x, offset, a, b);
    return gnd__leave(in, gnd_sum_as(d, GND_AXIS(-1), 0, t));
}
