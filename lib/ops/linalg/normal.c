/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/normal.c - a^H a of a tall matrix of 32-bit floats in twice the digits, from which its
 * singular values have all digits of these floats, and what follows of it: R and Q.
 */
#include "ops/linalg/matrices.h"

#include "array/views.h"
#include "base/dtype.h"
#include "base/env.h"
#include "device/device.h"
#include "prim/choices.h"
#include "prim/normal.h"
#include "prim/tall_qr.h"
#include <gnd/array.h>
#include <gnd/elementwise.h>
#include <gnd/linalg.h>
#include <gnd/manip.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

/* Rows for each column from which a matrix is tall, and the elements from which this serves CPUs,
 * and devices whose other way is LAPACK on the host. */
enum { TALL = 4, LARGE = 1 << 14 };

int gnd__mats_twice(const gnd__mats *a)
{
    return (a->t == GND_FLOAT32 || a->t == GND_COMPLEX64) && !a->nb &&
           (!gnd__for_cpu(a->dev) || a->m * a->n >= LARGE) && gnd__device_has_f64(a->dev) &&
           a->n <= GND__NORMAL_MOST && a->m / TALL >= a->n &&
           gnd__env_choice(GND__ENV_SOLVER, 0) != GND__SOLVER_LAPACK;
}

/* x^H y. */
static gnd_array *adjoint_times(gnd_array *x, gnd_array *y)
{
    if (x->kind == GND__ERROR)
        return x;
    return gnd_matmul(gnd_dtype_kind((gnd_dtype)x->dtype) == 'c' ? gnd__adjoint(x) : gnd_mT(x), y);
}

gnd_array *gnd__mats_normal(const gnd__mats *a, gnd_array *b)
{
    const gnd_dtype wide = a->t == GND_FLOAT32 ? GND_FLOAT64 : GND_COMPLEX128;
    gnd_array *const x = gnd__stored(gnd_astype(a->x, wide)), *const square = adjoint_times(x, x);
    if (!b || square->kind == GND__ERROR || b->kind == GND__ERROR)
        return b && square->kind != GND__ERROR ? b : square;
    gnd_array *const y = gnd_astype(b, wide);
    gnd_array *both[2] = {square, NULL};
    if (b->dim[1] == 1) { /* a sum takes b as it is */
        gnd_array *const terms = gnd_multiply(wide == GND_FLOAT64 ? x : gnd_conj(x), y);
        both[1] = gnd_expand_dims(gnd_sum(terms, GND_AXIS(0), 0), GND_AXIS(-1));
    } else {
        both[1] = adjoint_times(x, y);
    }
    return gnd_concat(2, both, 1);
}

int gnd__tall_qr_takes(const gnd__mats *a)
{
    const gnd_solve_desc s = gnd__mats_desc(a, GND_SOLVE_QR, 0, 0);
    return gnd__mats_twice(a) && !gnd__for_cpu(a->dev) && a->m * a->n >= LARGE &&
           gnd__tall_qr_room(a->dev) && !gnd__solve_native(a->dev, &s);
}

void gnd__tall_qr(const gnd__mats *a, gnd_array **q, gnd_array **r)
{
    const int64_t m = a->m, n = a->n;
    gnd_array *square = a->x->kind == GND__ERROR ? a->x : gnd__mats_normal(a, NULL);
    gnd_array *all = square->kind == GND__ERROR ? square : gnd__tall_qr_node(a->func, a->x, square);
    *q = *r = all;
    if (all->kind == GND__ERROR)
        return;
    *q = gnd_reshape(gnd__slice(all, 0, 0, m * n), 2, (int64_t[]){m, n});
    *r = gnd_reshape(gnd__slice(all, 0, m * n, n * n), 2, (int64_t[]){n, n});
}
