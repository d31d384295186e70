/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/norms.c - norms of vectors and matrices, and products of many matrices.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "ops/linalg/matrices.h"
#include "array/steps.h"
#include "base/dtype.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/decompose.h>
#include <gnd/elementwise.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

/* x, converted to a float dtype if it has ints or bools. */
static gnd_array *inexact(gnd_array *x)
{
    int kind = gnd_dtype_kind((gnd_dtype)x->dtype);
    return kind == 'f' || kind == 'c' ? x : gnd_astype(x, gnd__device_float(x->dev));
}

/* |x|^2, computed without a square root. */
static gnd_array *squares(gnd_array *x)
{
    if (gnd_dtype_kind((gnd_dtype)x->dtype) != 'c')
        return gnd_square(x);
    return gnd_add(gnd_square(gnd_real_part(x)), gnd_square(gnd_imag_part(x)));
}

gnd_array *gnd_vector_norm(gnd_array *x, gnd_axes axes, unsigned flags, double ord)
{
    gnd_array *bad = gnd__check_strong(x, "vector_norm", "x"), *y;
    if (bad)
        return bad;
    if (isnan(ord))
        return gnd__fail(x->dev, GND_ERR_ARG, "vector_norm: ord is NaN");
    const gnd__inner in = gnd__enter("vector_norm");
    x = inexact(x);
    if (ord == 2)
        y = gnd_sqrt(gnd_sum(squares(x), axes, flags));
    else if (ord == INFINITY)
        y = gnd_max(gnd_abs(x), axes, flags);
    else if (ord == -INFINITY)
        y = gnd_min(gnd_abs(x), axes, flags);
    else if (ord == 0)
        y = gnd_astype(gnd_count_nonzero(x, axes, flags), gnd__real_of((gnd_dtype)x->dtype));
    else if (ord == 1)
        y = gnd_sum(gnd_abs(x), axes, flags);
    else
        y = gnd_pow(gnd_sum(gnd_pow(gnd_abs(x), gnd_real(ord)), axes, flags), gnd_real(1 / ord));
    return gnd__leave(in, y);
}

gnd_array *gnd_matrix_norm(gnd_array *x, gnd_matrix_ord ord, unsigned flags)
{
    gnd_axes rows = GND_AXIS(-2), cols = GND_AXIS(-1), both = gnd_axes_union(rows, cols);
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, "matrix_norm", "x"), *y;
    if (bad)
        return bad;
    if (x->ndim < 2)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "matrix_norm: x has shape %s: at least 2 dimensions are "
                         "needed",
                         gnd__shape_text(text, x->ndim, x->dim));
    const gnd__inner in = gnd__enter("matrix_norm");
    x = inexact(x);
    switch (ord) {
    case GND_ORD_FRO: y = gnd_sqrt(gnd_sum(squares(x), both, flags)); break;
    case GND_ORD_1: y = gnd_max(gnd_sum(gnd_abs(x), rows, GND_KEEPDIMS), both, flags); break;
    case GND_ORD_NEG_1: y = gnd_min(gnd_sum(gnd_abs(x), rows, GND_KEEPDIMS), both, flags); break;
    case GND_ORD_INF: y = gnd_max(gnd_sum(gnd_abs(x), cols, GND_KEEPDIMS), both, flags); break;
    case GND_ORD_NEG_INF: y = gnd_min(gnd_sum(gnd_abs(x), cols, GND_KEEPDIMS), both, flags); break;
    case GND_ORD_NUC:
    case GND_ORD_2:
    case GND_ORD_NEG_2:
        y = gnd__mats_svdvals("matrix_norm", x);
        y = ord == GND_ORD_NUC ? gnd_sum(y, cols, 0)
            : ord == GND_ORD_2 ? gnd_max(y, cols, 0)
                               : gnd_min(y, cols, 0);
        if (flags & GND_KEEPDIMS)
            y = gnd_expand_dims(y, both);
        break;
    default:
        y = gnd__fail(x->dev, GND_ERR_ARG, "matrix_norm: ord is %d, not a gnd_matrix_ord",
                      (int)ord);
    }
    return gnd__leave(in, y);
}

/* --- products of many ------------------------------------------------------------------------- */

/* The product of matrices i to j. cut[i * n + j] is the last matrix of the left factor. */
static gnd_array *chain(gnd_array *const *x, const int *cut, int n, int i, int j)
{
    if (i == j)
        return x[i];
    int k = cut[i * n + j];
    return gnd_matmul(chain(x, cut, n, i, k), chain(x, cut, n, k + 1, j));
}

gnd_array *gnd_multi_dot(int n, gnd_array *const *x)
{
    gnd_device *dev;
    gnd_array *bad = gnd__check_list("multi_dot", n, x, &dev), *y;
    if (bad)
        return bad;
    if (n < 2 || n > 1000)
        return gnd__fail(dev, GND_ERR_ARG, "multi_dot: %d arrays: 2 to 1000 are possible", n);
    for (int i = 0; i < n; i++)
        if (x[i]->ndim != 2 && !(x[i]->ndim == 1 && (i == 0 || i == n - 1)))
            return gnd__fail(dev, GND_ERR_SHAPE,
                             "multi_dot: array %d has %d dimensions: 2 are needed (the "
                             "first and the last may have 1)",
                             i, x[i]->ndim);
    double *cost = gnd__calloc((size_t)n * (size_t)n, sizeof *cost);
    int *cut = gnd__calloc((size_t)n * (size_t)n, sizeof *cut);
    double *dim = gnd__calloc((size_t)n + 1, sizeof *dim);
    if (!cost || !cut || !dim) {
        y = gnd__nomem();
    } else {
        dim[0] = x[0]->ndim == 1 ? 1 : (double)x[0]->dim[0];
        for (int i = 0; i < n; i++)
            dim[i + 1] = x[i]->ndim == 2 ? (double)x[i]->dim[1] : i == 0 ? (double)x[0]->dim[0] : 1;
        /* the cheapest order for each run of matrices, by increasing length */
        for (int len = 2; len <= n; len++)
            for (int i = 0; i + len <= n; i++) {
                int j = i + len - 1;
                cost[i * n + j] = INFINITY;
                for (int k = i; k < j; k++) {
                    double c =
                        cost[i * n + k] + cost[(k + 1) * n + j] + dim[i] * dim[k + 1] * dim[j + 1];
                    if (c < cost[i * n + j]) {
                        cost[i * n + j] = c;
                        cut[i * n + j] = k;
                    }
                }
            }
        const gnd__inner in = gnd__enter("multi_dot");
        y = gnd__leave(in, chain(x, cut, n, 0, n - 1));
    }
    gnd__free(cost);
    gnd__free(cut);
    gnd__free(dim);
    return y;
}
