/* SPDX-License-Identifier: BSD-3-Clause
 *
 * matcheck.c - see matcheck.h.
 */
#include "matcheck.h"

#include <stdio.h>
#include "host/lapack.h"
#include "ref.h"
#include "tap.h"

const char *mat_named(const char *what, mat_kind k, const mat *a)
{
    static char label[200];
    snprintf(label, sizeof label, "%s of %s%s%lld of %lld x %lld", what,
             k < MAT_NKINDS ? mat_kind_name(k) : "", k < MAT_NKINDS ? " " : "", (long long)a->nb,
             (long long)a->m, (long long)a->n);
    return label;
}

mat mat_off(const mat *a, const mat *f, const mat *g)
{
    mat z = mat_probe(a->n), x = mat_mul(a, &z), gz = mat_mul(g, &z), y = mat_mul(f, &gz);
    return mat_sub(&x, &y);
}

void mat_solves(const mat *a, const mat *x, const mat *b, double c, const char *what)
{
    mat y = mat_mul(a, x), r = mat_sub(&y, b);
    double *scale = mat_times(mat_norms(a), mat_norms(x), r.nb), *of_b = mat_norms(b);
    for (int64_t i = 0; i < r.nb; i++)
        scale[i] += of_b[b->nb == 1 ? 0 : i];
    mat_within(&r, scale, c, what);
}

void mat_triangle_solves(const mat *a, const mat *x, const mat *b, unsigned flags, mat_kind k)
{
    const int64_t nb = a->nb, n = a->n, cols = x->n;
    double worst = 0;
    mat t = mat_new(nb, n, n);
    for (int64_t i = 0; i < nb * n * n; i++) {
        const int64_t r = i / n % n, c = i % n, trans = i - r * n - c + c * n + r;
        double complex v = (flags & GND_SOLVE_LOWER ? c > r : c < r) ? 0 : a->p[i];
        if (flags & GND_SOLVE_UNIT && r == c)
            v = 1;
        t.p[flags & (GND_SOLVE_TRANS | GND_SOLVE_ADJOINT) ? trans : i] =
            flags & GND_SOLVE_ADJOINT ? conj(v) : v;
    }
    mat y = mat_mul(&t, x);
    for (int64_t i = 0; i < nb * n * cols; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += cabs(t.p[i / cols * n + j]) *
                   cabs(x->p[(i / (n * cols) * n + j) * cols + i % cols]);
        const double e = cabs(y.p[i] - b->p[i]) / (sum * mat_eps);
        worst = e <= worst ? worst : e;
    }
    tap_ok(worst <= 4.0 * (double)n + 4, "%s: %s: flags %u: %s: %.3g eps", mat_where,
           gnd_dtype_name(mat_t), flags, mat_named("solve_triangular", k, a), worst);
}

void mat_dtypes(gnd_device *d, const char *where, int n, const gnd_dtype *t, uint64_t seed,
                void (*each)(int i))
{
    if (!gnd__lapack_library()) {
        tap_skip(1, "%s: no LAPACK", where);
        return;
    }
    for (int i = 0; i < n; i++) {
        if (ref_skip(d, t[i], 1))
            continue;
        mat_setting(d, where, t[i]);
        ref_seed(seed);
        each(i);
    }
}
