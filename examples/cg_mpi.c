/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cg_mpi [N [PICTURE.png]] - conjugate gradients over the ranks: mpirun -n 4 cg_mpi 128 u.png.
 * Solves u - Laplace u = f on an N x N periodic grid. The operator takes parts with a border of
 * their neighbours' elements; the inner products are reductions, the same bits on all ranks, so all
 * stop at the same step.
 */
#include <gnd.h>
#include <gnd/mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* 5 u - (its four neighbours). */
static gndm_array *operator_on(gndm_ctx *c, gndm_array *u)
{
    const int64_t one[2] = {1, 1};
    gnd_array *b = gndm_halo(u, one, one, 1, NULL), *y = gndm_local(u);
    if (gnd_dim(b, 0) > 0) {
        gnd_array *sum = gnd_add(gnd_add(gnd_at(b, "2:, 1:-1"), gnd_at(b, ":-2, 1:-1")),
                                 gnd_add(gnd_at(b, "1:-1, 2:"), gnd_at(b, "1:-1, :-2")));
        y = gnd_sub(gnd_mul_f(gnd_at(b, "1:-1, 1:-1"), 5), sum);
    }
    gndm_part *p = gndm_part_of(u);
    gndm_array *z = gndm_wrap(c, y, p);
    gndm_part_free(p);
    gnd_release(b);
    return z;
}

static double dot(gndm_array *x, gndm_array *y)
{
    return gndm_item_f64(gndm_along("sum", gndm_binary("multiply", x, y), GND_NONE), NULL);
}

/* y + a x */
static gndm_array *plus(gndm_array *y, double a, gndm_array *x)
{
    return gndm_binary("add", y, gndm_with("multiply", x, a));
}

/* u as a picture from black, the least, to white, from rank 0. */
static gnd_status picture(gndm_ctx *c, gndm_array *u, const char *png)
{
    gndm_part *all = gndm_part_replicated(c, 2, gndm_shape(u));
    gndm_array *whole = gndm_redistribute(u, all);
    gnd_array *x = gndm_local(whole);
    gnd_status st = GND_OK;
    gndm_part_free(all);
    gnd_scope_begin();
    if (gndm_rank(c) == 0) {
        gnd_array *low = gnd_min(x, GND_ALL, 0), *most = gnd_max(x, GND_ALL, 0);
        x = gnd_div(gnd_sub(x, low), gnd_sub(most, low));
        st = gnd_save_png(gnd_astype(gnd_mul_f(x, 255), GND_UINT8), png);
    }
    gnd_scope_end();
    gndm_release(whole);
    return st;
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 64;
    if (n < 3) {
        fprintf(stderr, "usage: cg_mpi [N [PICTURE.png]], N at least 3\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, NULL, 0);
    const gnd_value item[2] = {gnd_value_int(n), gnd_value_int(n)}, size = gnd_value_tuple(2, item);
    const char *name = "size";
    gndm_array *f = gndm_apply(c, NULL, "standard_normal", 1, &size, 1, &name);
    gndm_array *u = gndm_with("multiply", f, 0), *r = gndm_retain(f), *p = gndm_retain(f);
    const double first = dot(r, r);
    double rr = first;
    int steps = 0;
    for (; steps < 200 && rr > 1e-10 * first; steps++) { /* false for NaN: an error */
        gndm_scope_begin(c);
        gnd_scope_begin();
        gndm_array *ap = operator_on(c, p);
        const double a = rr / dot(p, ap);
        gndm_assign(&u, gndm_retain(plus(u, a, p)));
        gndm_assign(&r, gndm_retain(plus(r, -a, ap)));
        const double next = dot(r, r);
        gndm_assign(&p, gndm_retain(plus(r, next / rr, p)));
        rr = next;
        gnd_scope_end();
        gndm_scope_end(c);
    }
    gndm_array *rest = plus(f, -1, operator_on(c, u));
    const double left = sqrt(dot(rest, rest) / first);
    const gnd_status drawn = left < 1e-4 && argc > 2 ? picture(c, u, argv[2]) : GND_OK;
    if (drawn)
        fprintf(stderr, "cg_mpi: %s\n", gnd_message());
    if (gndm_rank(c) == 0 && left < 1e-4)
        printf("%d rank%s: %d steps, |f - A u| / |f| = %.1g\n", gndm_size(c),
               gndm_size(c) > 1 ? "s" : "", steps, left);
    else if (gndm_rank(c) == 0)
        fprintf(stderr, "cg_mpi: not solved: %g %s\n", left, gndm_message(c));
    gndm_close(c);
    MPI_Finalize();
    return !(left < 1e-4) || drawn != GND_OK;
}
