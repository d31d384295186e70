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
#include <gnd/view.h>

/* Rows for each column from which a matrix is tall; blocks of rows, and the bytes of the wide
 * matrix up to which there is one; the elements from which this serves CPUs, and devices whose
 * other way is LAPACK on the host. */
enum { TALL = 4, BLOCKS = 4, WHOLE = 1 << 21, LARGE = 1 << 14 };

int gnd__mats_twice(const gnd__mats *a)
{
    return (a->t == GND_FLOAT32 || a->t == GND_COMPLEX64) && !a->nb &&
           (!gnd__for_cpu(a->dev) || a->m * a->n >= LARGE) && gnd__device_has_f64(a->dev) &&
           a->n <= GND__NORMAL_MOST && a->m / TALL >= a->n &&
           gnd__env_choice(GND__ENV_SOLVER, 0) != GND__SOLVER_LAPACK;
}

gnd_array *gnd__mats_normal(const gnd__mats *a, gnd_array *b)
{
    const gnd_dtype wide = a->t == GND_FLOAT32 ? GND_FLOAT64 : GND_COMPLEX128;
    const int blocks = a->m * a->n * (int64_t)gnd_dtype_size(wide) > WHOLE ? BLOCKS : 1;
    const int64_t rows = (a->m + blocks - 1) / blocks;
    gnd_array *sum = NULL;
    for (int64_t first = 0; first < a->m; first += rows) {
        const int64_t count = a->m - first < rows ? a->m - first : rows;
        gnd_array *all = gnd_astype(gnd__slice(a->x, 0, first, count), wide);
        if (b) {
            gnd_array *both[2] = {all, gnd_astype(gnd__slice(b, 0, first, count), wide)};
            all = gnd_concat(2, both, 1);
        }
        if (all->kind == GND__ERROR)
            return all;
        gnd_array *left = gnd_mT(gnd__slice(all, 1, 0, a->n));
        gnd_array *part = gnd_matmul(gnd_dtype_kind(wide) == 'c' ? gnd_conj(left) : left, all);
        sum = sum ? gnd_add(sum, part) : part;
    }
    return sum;
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
