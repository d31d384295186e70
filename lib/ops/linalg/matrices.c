/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/matrices.c - see matrices.h.
 */
#include "array/host.h"
#include "ops/linalg/matrices.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/views.h"
#include "device/gate.h"
#include "base/dtype.h"
#include "graph/check.h"
#include "prim/choices.h"
#include "prim/eigh_batch.h"
#include "host/lapack.h"
#include "prim/solve.h"
#include "device/device.h"
#include "graph/graph.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

static gnd_dtype solver_dtype(const gnd_device *dev, gnd_dtype t)
{
    switch (t) {
    case GND_FLOAT16:
    case GND_BFLOAT16: return GND_FLOAT32;
    case GND_FLOAT32:
    case GND_FLOAT64:
    case GND_COMPLEX64:
    case GND_COMPLEX128: return t;
    default: return gnd__device_float(dev);
    }
}

gnd_array *gnd__mats_of(gnd__mats *a, const char *func, gnd_array *x, int square)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, func, "x");
    memset(a, 0, sizeof *a);
    a->func = func;
    if (bad)
        return bad;
    if (x->ndim < 2)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "%s: x has shape %s: at least 2 dimensions are needed", func,
                         gnd__shape_text(text, x->ndim, x->dim));
    a->dev = x->dev;
    a->t = solver_dtype(x->dev, (gnd_dtype)x->dtype);
    a->nb = x->ndim - 2;
    a->nbatch = 1;
    for (int d = 0; d < a->nb; d++)
        a->nbatch *= a->batch[d] = x->dim[d];
    a->m = x->dim[a->nb];
    a->n = x->dim[a->nb + 1];
    if (square && a->m != a->n)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "%s: x has shape %s: %" PRId64 " != %" PRId64
                         ", and the matrices must be square",
                         func, gnd__shape_text(text, x->ndim, x->dim), a->m, a->n);
    a->x = gnd_astype(x, a->t);
    return NULL;
}

gnd_solve_desc gnd__mats_desc(const gnd__mats *a, gnd_solve_op op, unsigned flags, int64_t k)
{
    gnd_solve_desc s;
    memset(&s, 0, sizeof s);
    s.op = op;
    s.flags = flags;
    s.dtype = (uint32_t)a->t;
    s.m = a->m;
    s.n = a->n;
    s.k = k;
    s.nbatch = a->nbatch;
    return s;
}

/* Whether each matrix of a has a NaN or an infinity in the part that s reads: bool (batch, 1,
 * 1). */
static gnd_array *not_finite(const gnd__mats *a, const gnd_solve_desc *s)
{
    int lower, upper;
    gnd__solve_triangle(s, &lower, &upper);
    gnd_array *x = lower   ? gnd_tril(a->x, lower == 2 ? -1 : 0)
                   : upper ? gnd_triu(a->x, upper == 2 ? 1 : 0)
                           : a->x;
    return gnd_any(gnd_logical_not(gnd_isfinite(x)), GND_AXES(-1, -2), GND_KEEPDIMS);
}

void gnd__mats_sound(gnd__mats *a, const gnd_solve_desc *s)
{
    if (!gnd__solve_native(a->dev, s))
        return;
    a->bad = not_finite(a, s);
    a->x = gnd_where(a->bad, gnd_eye(a->dev, a->t, a->m, a->n, 0), a->x);
}

gnd_array *gnd__mats_nan(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *y, int vectors)
{
    const int apart = s->op == GND_SOLVE_QR && !gnd__for_cpu(a->dev);
    if (y->kind == GND__ERROR || (!a->bad && !apart && !gnd__solve_native(a->dev, s)))
        return y;
    gnd_array *bad = a->bad ? a->bad : not_finite(a, s);
    return gnd_where(vectors ? gnd_squeeze(bad, GND_AXIS(-1)) : bad, gnd_real(NAN), y);
}

gnd_array *gnd__mats_bad(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *sides)
{
    if (!gnd__solve_strict(s) || gnd__eigh_batch_takes(a->dev->g, s) ||
        !gnd__solve_native(a->dev, s))
        return NULL;
    gnd_array *bad = gnd_astype(not_finite(a, s), GND_UINT8);
    if (sides) {
        gnd_array *any =
            gnd_any(gnd_logical_not(gnd_isfinite(sides)), GND_AXES(-1, -2), GND_KEEPDIMS);
        bad = gnd_bitwise_or(bad, gnd_bitwise_left_shift(gnd_astype(any, GND_UINT8), gnd_int(1)));
    }
    return gnd_reshape(bad, 1, &a->nbatch);
}

gnd_array *gnd__mats_solve(const gnd__mats *a, const gnd_solve_desc *s)
{
    gnd_array *in = gnd_mT(a->x);
    return in->kind == GND__ERROR
               ? in
               : gnd__solve_node(a->func, a->dev, s, 1, &in, gnd__mats_bad(a, s, NULL));
}

gnd_array *gnd__mats_part(const gnd__mats *a, const gnd_solve_desc *s, gnd_array *y, int i,
                          int64_t rows, int64_t cols)
{
    int64_t dim[GND_MAX_NDIM];
    int nd = a->nb;
    if (y->kind == GND__ERROR)
        return y;
    memcpy(dim, a->batch, (size_t)nd * sizeof *dim);
    if (cols)
        dim[nd++] = cols;
    dim[nd++] = rows;
    y = gnd_reshape(gnd__slice(y, 0, gnd__solve_begin(s, i), gnd__solve_count(s, i)), nd, dim);
    return cols ? gnd_mT(y) : y;
}

gnd_array *gnd__mats_zeros(const gnd__mats *a, gnd_dtype t, int64_t rows, int64_t cols)
{
    int64_t dim[GND_MAX_NDIM];
    int nd = a->nb;
    memcpy(dim, a->batch, (size_t)nd * sizeof *dim);
    dim[nd++] = rows;
    if (cols >= 0)
        dim[nd++] = cols;
    return gnd_zeros(a->dev, t, nd, dim);
}

gnd_status gnd__mats_give(gnd__inner in, int n, gnd_array **const *out, gnd_array **y)
{
    gnd_status st = GND_OK;
    gnd__leave_all(in, n, y);
    for (int i = 0; i < n; i++) {
        if (st == GND_OK)
            st = gnd__told(y[i]);
        if (out[i])
            *out[i] = y[i];
        else
            gnd_release(y[i]);
    }
    return st;
}

gnd_status gnd__mats_fail(gnd__inner in, int n, gnd_array **const *out, gnd_array *bad)
{
    gnd_array *y[8];
    for (int i = 0; i < n; i++)
        y[i] = bad;
    return gnd__mats_give(in, n, out, y);
}

gnd_array *gnd__adjoint(gnd_array *x)
{
    return gnd_conj(gnd_mT(x));
}
