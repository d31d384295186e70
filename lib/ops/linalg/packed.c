/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/packed.c - the packed QR decomposition of LAPACK: reflectors below the diagonal of R.
 * They are found from Q, as Ballard et al. show ("Reconstructing Householder vectors from
 * tall-skinny QR", 2014): with signs D, Q D - I = V U without exchanges, where V has the reflectors
 * and the diagonal of U the negative factors tau.
 */
#include "ops/linalg/matrices.h"

#include <string.h>
#include "array/views.h"
#include "base/dtype.h"
#include "base/mem.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/decompose.h>
#include <gnd/elementwise.h>
#include <gnd/manip.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

/* The reflectors that are found so far: w is Q after the steps, v has the reflectors, each a column
 * below the diagonal, factor tau (a row), sign D (a row). All but w are 0 beyond the steps. */
typedef struct packed {
    gnd_array *row, *col; /* the numbers of rows (m x 1) and columns (1 x k) */
    gnd_array *numbers;   /* 0 to k - 1 in memory */
    gnd_array *w, *v, *factor, *sign;
    gnd_dtype real;
    double flat; /* |p - 1| up to which the pivot p of Q means no reflector */
} packed;

/* Step j: the reflector of column j, and w without it. */
static void reflect(packed *s, int64_t j)
{
    /* j is an element of memory, so that all steps have the same kernels */
    gnd_array *at = gnd__slice(s->numbers, 0, j, 1), *zero = gnd_int(0), *one = gnd_int(1);
    gnd_array *here = gnd_equal(s->col, at), *of_row = gnd_equal(s->row, at);
    gnd_array *line = gnd_sum(gnd_where(of_row, s->w, zero), GND_AXIS(-2), GND_KEEPDIMS);
    gnd_array *column = gnd_sum(gnd_where(here, s->w, zero), GND_AXIS(-1), GND_KEEPDIMS);
    gnd_array *p = gnd_sum(gnd_where(here, line, zero), GND_AXIS(-1), GND_KEEPDIMS);
    gnd_array *none = gnd_less_equal(gnd_abs(gnd_subtract(p, one)), gnd_real(s->flat));
    gnd_array *plus = gnd_logical_or(none, gnd_less(gnd_real_part(p), zero));
    gnd_array *sign = gnd_astype(gnd_where(plus, one, gnd_int(-1)), s->real);
    gnd_array *pivot = gnd_where(none, gnd_int(-1), gnd_subtract(gnd_multiply(p, sign), one));
    gnd_array *v = gnd_divide(gnd_multiply(column, sign), pivot);
    v = gnd_where(gnd_logical_and(gnd_greater(s->row, at), gnd_logical_not(none)), v, zero);
    s->v = gnd_where(here, v, s->v);
    s->sign = gnd_where(here, sign, s->sign);
    s->factor =
        gnd_where(gnd_logical_and(here, gnd_logical_not(none)), gnd_negative(pivot), s->factor);
    line = gnd_where(gnd_greater(s->col, at), line, zero);
    s->w = gnd_subtract(s->w, gnd_multiply(v, line));
}

/* x with `more` rows (axis -2) or columns (-1) of zeros after its own. */
static gnd_array *grown(const gnd__mats *a, gnd_array *x, int axis, int64_t more)
{
    const int64_t rows = axis == -2 ? more : a->m, cols = axis == -2 ? a->n : more;
    gnd_array *both[2] = {x, gnd__mats_zeros(a, a->t, rows, cols)};
    return more ? gnd_concat(2, both, axis) : x;
}

gnd_status gnd_qr_packed(gnd_array *x, gnd_array **h, gnd_array **tau)
{
    gnd__mats a;
    gnd_array *y[2], *q, *r, **const out[2] = {h, tau};
    const gnd__inner in = gnd__enter("qr_packed");
    gnd_array *bad = gnd__mats_of(&a, "qr_packed", x, 0);
    if (bad)
        return gnd__mats_fail(in, 2, out, bad);
    const int64_t k = a.m < a.n ? a.m : a.n;
    if (gnd__mats_empty(&a)) {
        y[0] = gnd__mats_zeros(&a, a.t, a.m, a.n);
        y[1] = gnd_sum(gnd__mats_zeros(&a, a.t, k, 1), GND_AXIS(-1), 0);
        return gnd__mats_give(in, 2, out, y);
    }
    gnd_qr(x, 0, &q, &r);
    const gnd_dtype real = gnd__real_of(a.t);
    int32_t *count = gnd__malloc((size_t)k * sizeof *count);
    if (!count)
        return gnd__mats_fail(in, 2, out, gnd__nomem());
    for (int64_t j = 0; j < k; j++)
        count[j] = (int32_t)j;
    packed s = {
        .row = gnd_reshape(gnd_arange_i64(a.dev, 0, a.m, 1, GND_INT32), 2, (int64_t[]){a.m, 1}),
        .col = gnd_arange_i64(a.dev, 0, k, 1, GND_INT32),
        .numbers = gnd_from(a.dev, GND_INT32, 1, &k, count),
        .real = real,
        .w = q,
        .v = gnd__mats_zeros(&a, a.t, a.m, k),
        .factor = gnd__mats_zeros(&a, a.t, 1, k),
        .sign = gnd__mats_zeros(&a, a.t, 1, k),
        .flat = 64 * (real == GND_FLOAT64 ? 0x1p-52 : 0x1p-23)};
    gnd__free(count);
    for (int64_t j = 0; j < k; j++)
        reflect(&s, j);
    r = gnd_multiply(r, gnd_mT(s.sign));
    y[0] = gnd_add(grown(&a, r, -2, a.m - k), grown(&a, s.v, -1, a.n - k));
    y[1] = gnd_squeeze(s.factor, GND_AXIS(-2));
    /* many steps are evaluated on the way: an error there names no function */
    for (int i = 0; i < 2; i++)
        if (gnd_status_of(y[i]) && strncmp(gnd_error(y[i]), a.func, strlen(a.func)) != 0)
            y[i] = gnd__fail(a.dev, gnd_status_of(y[i]), "%s: %s", a.func, gnd_error(y[i]));
    return gnd__mats_give(in, 2, out, y);
}
