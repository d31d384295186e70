/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/tall.c - tall matrices of few columns on GPUs, cut into blocks of rows: each block is
 * Q R, and the Rs below one another are a matrix with the same singular values and n / rows as many
 * rows (J. Demmel, L. Grigori, M. Hoemmen, J. Langou, Communication-optimal parallel and sequential
 * QR and LU factorizations, 2012). One kernel does all blocks (prim/qr_batch.h), where a library or
 * the host would go through the matrix column by column.
 */
#include "ops/linalg/matrices.h"

#include "array/views.h"
#include "base/dtype.h"
#include "base/env.h"
#include "prim/choices.h"
#include "device/device.h"
#include "graph/graph.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/decompose.h>
#include <gnd/linalg.h>
#include <gnd/view.h>

/* A block has at most ROWS rows and BYTES, which fit into local memory, and at least FEW times as
 * many rows as columns. A matrix has at least BLOCKS of them. */
enum { ROWS = 256, BYTES = 24 * 1024, FEW = 4, BLOCKS = 8 };

/* The rows of a block, or 0: the matrix is not cut. */
static int64_t block_of(const gnd__mats *a)
{
    int64_t rows = ROWS;
    while (rows >= FEW * a->n && rows * a->n * (int64_t)gnd_dtype_size(a->t) > BYTES)
        rows /= 2;
    if (a->nb || rows < FEW * a->n || a->m / rows < BLOCKS || gnd__for_cpu(a->dev) ||
        gnd__env_choice(GND__ENV_SOLVER, 0) == GND__SOLVER_LAPACK)
        return 0;
    return rows;
}

/* The blocks of x, (m, k), with zeros below the last row. */
static gnd_array *blocks(gnd_array *x, int64_t rows)
{
    if (x->kind == GND__ERROR)
        return x;
    const int64_t k = x->dim[1], n = (x->dim[0] + rows - 1) / rows, rest = n * rows - x->dim[0];
    if (rest) {
        gnd_array *both[2] = {x, gnd_zeros(x->dev, (gnd_dtype)x->dtype, 2, (int64_t[]){rest, k})};
        x = gnd_concat(2, both, 0);
    }
    return gnd_reshape(x, 3, (int64_t[]){n, rows, k});
}

/* Matrices below one another. */
static gnd_array *below(gnd_array *x)
{
    return x->kind == GND__ERROR ? x
                                 : gnd_reshape(x, 2, (int64_t[]){x->dim[0] * x->dim[1], x->dim[2]});
}

int gnd__tall_cut(gnd__mats *a, gnd_array **q)
{
    const int64_t rows = block_of(a);
    gnd_array *r;
    if (!rows || a->x->kind == GND__ERROR)
        return 0;
    (void)gnd_qr(blocks(a->x, rows), 0, q, &r); /* an error is in both */
    a->x = below(r);
    if (a->x->kind != GND__ERROR)
        a->m = a->x->dim[0];
    return 1;
}

int gnd__tall_core(gnd__mats *a, gnd_solve_op op, gnd_array **q)
{
    const gnd_solve_desc whole = gnd__mats_desc(a, op, 0, 0),
                         first = gnd__mats_desc(a, GND_SOLVE_QR, 0, 0);
    gnd_solve_desc core = whole;
    gnd_array *r;
    core.m = a->n;
    if (a->nb || a->m <= a->n || a->x->kind == GND__ERROR || gnd__solve_native(a->dev, &core))
        return 0;
    if (!gnd__solve_native(a->dev, &first) &&
        (gnd__solve_native(a->dev, &whole) || !gnd__tall_qr_takes(a)))
        return 0;
    (void)gnd_qr(a->x, 0, q, &r); /* an error is in both */
    *q = (*q)->kind == GND__ERROR ? *q : gnd_expand_dims(*q, GND_AXIS(0));
    a->x = r;
    a->m = a->n;
    return 1;
}

gnd_array *gnd__tall_times(gnd_array *q, gnd_array *y, int64_t m)
{
    if (q->kind == GND__ERROR || y->kind == GND__ERROR)
        return q->kind == GND__ERROR ? q : y;
    gnd_array *parts = gnd_reshape(y, 3, (int64_t[]){q->dim[0], q->dim[2], y->dim[1]});
    gnd_array *all = below(gnd_matmul(q, parts));
    return all->kind == GND__ERROR ? all : gnd__slice(all, 0, 0, m);
}

gnd_array *gnd__tall_sides(gnd_array *q, gnd_array *b)
{
    if (q->kind == GND__ERROR)
        return q;
    return below(gnd_matmul(gnd__adjoint(q), blocks(b, q->dim[1])));
}
