/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_solve.c - decompositions as nodes: what comes back of a batch, in every dtype, fits together, and
 * a matrix that cannot be decomposed is named.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "prim/lapack.h"
#include "prim/solve.h"
#include "ref.h"
#include "tap.h"

/* Operand i of the packed result as (batch, cols, rows) in C order. */
static gnd_array *part(gnd_array *y, const gnd_solve_desc *s, int i, int64_t cols, int64_t rows)
{
    gnd_range r = { GND_IDX_SLICE, gnd__solve_begin(s, i),
                    gnd__solve_begin(s, i) + gnd__solve_count(s, i), 1, NULL };
    return gnd_reshape(gnd_index(y, 1, &r), 3, (int64_t[]){ s->nbatch, cols, rows });
}

/* The largest |a - b|. */
static double apart(gnd_array *a, gnd_array *b)
{
    gnd_status st;
    double v = gnd_item_f64(gnd_max(gnd_abs(gnd_subtract(a, b)), GND_ALL, 0), &st);
    return st ? INFINITY : v;
}

static void dtype(gnd_device *dev, const char *spec, gnd_dtype t)
{
    enum { B = 3, N = 37 };
    const char *name = gnd_dtype_name(t);
    double eps = t == GND_FLOAT32 || t == GND_COMPLEX64 ? 1.2e-7 : 2.3e-16;
    int64_t dim[3] = { B, N, N };
    ref_arr host;
    gnd_solve_desc s;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, t, 3, dim, REF_CONTIG, REF_SMALL, &host);
    gnd_array *ah = gnd_conj(gnd_mT(a)), *eye = gnd_eye(dev, t, N, N, 0);
    gnd_array *spd = gnd_add(gnd_matmul(a, ah), eye); /* hermitian, positive definite */
    gnd_array *in[2], *y;
    memset(&s, 0, sizeof s);
    s.dtype = t;
    s.m = s.n = s.k = N;
    s.nbatch = B;

    s.op = GND_SOLVE_CHOLESKY;
    in[0] = gnd_mT(spd);
    gnd_array *l = gnd_tril(gnd_mT(part(gnd__solve_node(dev, &s, 1, in), &s, 0, N, N)), 0);
    tap_ok(apart(gnd_matmul(l, gnd_conj(gnd_mT(l))), spd) < 2000 * N * eps, "%s: %s: cholesky", spec, name);

    s.op = GND_SOLVE_SOLVE;
    in[1] = gnd_mT(a);
    y = gnd_mT(part(gnd__solve_node(dev, &s, 2, in), &s, 1, N, N));
    tap_ok(apart(gnd_matmul(spd, y), a) < 20000 * N * eps, "%s: %s: solve", spec, name);

    s.op = GND_SOLVE_QR;
    in[0] = gnd_mT(a);
    y = gnd__solve_node(dev, &s, 1, in);
    gnd_array *q = gnd_mT(part(y, &s, 0, N, N)), *r = gnd_triu(gnd_mT(part(y, &s, 1, N, N)), 0);
    tap_ok(apart(gnd_matmul(q, r), a) < 100 * N * eps, "%s: %s: qr", spec, name);
    tap_ok(apart(gnd_matmul(gnd_conj(gnd_mT(q)), q), eye) < 10 * N * eps, "%s: %s: q is orthogonal", spec,
           name);

    s.op = GND_SOLVE_SVD;
    y = gnd__solve_node(dev, &s, 1, in);
    gnd_array *u = gnd_mT(part(y, &s, 1, N, N)), *vh = gnd_mT(part(y, &s, 3, N, N));
    gnd_array *sv = part(y, &s, 2, 1, N);
    tap_ok(apart(gnd_matmul(gnd_multiply(u, sv), vh), a) < 200 * N * eps, "%s: %s: svd", spec, name);

    s.op = GND_SOLVE_EIGH;
    in[0] = gnd_mT(spd);
    y = gnd__solve_node(dev, &s, 1, in);
    gnd_array *v = gnd_mT(part(y, &s, 0, N, N)), *w = part(y, &s, 1, 1, N);
    tap_ok(apart(gnd_matmul(gnd_multiply(v, w), gnd_conj(gnd_mT(v))), spd) < 10000 * N * eps,
           "%s: %s: eigh", spec, name);

    s.op = GND_SOLVE_EIG;
    in[0] = gnd_mT(a);
    y = gnd__solve_node(dev, &s, 1, in);
    v = gnd_mT(part(y, &s, 2, N, N));
    w = part(y, &s, 1, 1, N);
    tap_ok(apart(gnd_matmul(gnd_astype(a, (gnd_dtype)v->dtype), v), gnd_multiply(v, w)) < 1000 * N * eps,
           "%s: %s: eig", spec, name);

    s.op = GND_SOLVE_CHOLESKY;
    in[0] = gnd_subtract(gnd_mT(spd), gnd_multiply(gnd_mT(spd), gnd_equal(gnd_reshape(
                gnd_arange(dev, gnd_int(0), gnd_int(B), gnd_int(1), GND_INT64), 3,
                (int64_t[]){ B, 1, 1 }), gnd_int(2)))); /* the last one is zero */
    y = gnd__solve_node(dev, &s, 1, in);
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: %s: not positive definite", spec, name);
    tap_has_str(gnd_error(y), "matrix 2: not positive definite: the leading minor of order 1",
                "%s: %s: which and where", spec, name);
    gnd_scope_end();
    ref_free(&host);
}

static void all(gnd_device *dev, const char *spec)
{
    static const gnd_dtype t[] = { GND_FLOAT32, GND_FLOAT64, GND_COMPLEX64, GND_COMPLEX128 };
    if (!gnd__lapack_library()) {
        tap_skip(1, "%s: no LAPACK", spec);
        return;
    }
    for (int i = 0; i < 4; i++)
        if (!ref_skip(dev, t[i], 9))
            dtype(dev, spec, t[i]);
}

int main(void)
{
    ref_devices(all);
    return tap_done();
}
