/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heat_mpi [N [STEPS [PICTURE.png]]] - the heat equation on a plate without edges, N x N points,
 * spread over the ranks: mpirun -n 4 heat_mpi 96 50 heat.png. Each step takes a part with a border
 * of one element from the neighbours, and computes the new part of it.
 */
#include <gnd.h>
#include <gnd/mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A hot disk. */
static gndm_array *start(gndm_ctx *c, int64_t n)
{
    const int64_t shape[2] = {n, n};
    gndm_part *p = gndm_part_default(c, GND_FLOAT32, 2, shape);
    int64_t from[2] = {0, 0}, to[2] = {0, 0};
    gndm_part_box(p, gndm_rank(c), from, to);
    gnd_device *dev = gndm_device(c);
    gnd_array *y = gnd_arange_i64(dev, from[0], to[0], 1, GND_FLOAT32);
    gnd_array *x = gnd_arange_i64(dev, from[1], to[1], 1, GND_FLOAT32);
    gnd_array *away =
        gnd_hypot(gnd_sub_f(gnd_at(y, ":, None"), (double)n / 3), gnd_sub_f(x, (double)n / 2));
    gndm_array *u = gndm_wrap(c, gnd_astype(gnd_less_f(away, (double)n / 6), GND_FLOAT32), p);
    gndm_part_free(p);
    return u;
}

/* u' = u_xx + u_yy; stable for rates up to 1/4. */
static gndm_array *step(gndm_ctx *c, gndm_array *u, double rate)
{
    const int64_t one[2] = {1, 1};
    gnd_array *b = gndm_halo(u, one, one, 1, NULL), *next;
    if (gnd_dim(b, 0) == 0) {
        next = gndm_local(u); /* a rank without points */
    } else {
        gnd_array *mid = gnd_at(b, "1:-1, 1:-1");
        gnd_array *sum = gnd_add(gnd_add(gnd_at(b, "2:, 1:-1"), gnd_at(b, ":-2, 1:-1")),
                                 gnd_add(gnd_at(b, "1:-1, 2:"), gnd_at(b, "1:-1, :-2")));
        next = gnd_add(gnd_mul_f(mid, 1 - 4 * rate), gnd_mul_f(sum, rate));
    }
    gndm_part *p = gndm_part_of(u);
    gndm_array *y = gndm_wrap(c, next, p);
    gndm_part_free(p);
    gnd_release(b);
    return y;
}

/* The warmth as a picture, from rank 0. */
static gnd_status picture(gndm_ctx *c, gndm_array *u, const char *png)
{
    gndm_part *all = gndm_part_replicated(c, 2, gndm_shape(u));
    gnd_array *x = gndm_local(gndm_redistribute(u, all));
    gndm_part_free(all);
    return gndm_rank(c) ? GND_OK : gnd_save_png(gnd_astype(gnd_mul_f(x, 255), GND_UINT8), png);
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 96;
    const int steps = argc > 2 ? atoi(argv[2]) : 50;
    if (n < 3) {
        fprintf(stderr, "usage: heat_mpi [N [STEPS [PICTURE.png]]], N at least 3\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, NULL, 0);
    gndm_scope_begin(c);
    gnd_scope_begin();
    gndm_array *u = start(c, n);
    const double before = gndm_item_f64(gndm_along("mean", u, GND_NONE), NULL);
    for (int i = 0; i < steps; i++) {
        gnd_scope_begin();
        gndm_assign(&u, step(c, u, 0.24));
        gnd_scope_end();
    }
    gnd_status st, drawn = GND_OK;
    const double after = gndm_item_f64(gndm_along("mean", u, GND_NONE), &st);
    const double most = gndm_item_f64(gndm_along("max", u, GND_NONE), NULL);
    if (st == GND_OK && argc > 3)
        drawn = picture(c, u, argv[3]);
    if (gndm_rank(c) == 0 && st == GND_OK)
        printf("%d rank%s, %d steps: mean warmth %.5f before, %.5f after; the warmest %.4f\n",
               gndm_size(c), gndm_size(c) > 1 ? "s" : "", steps, before, after, most);
    if (gndm_rank(c) == 0 && (st || drawn))
        fprintf(stderr, "heat_mpi: %s\n", st ? gndm_message(c) : gnd_message());
    gndm_release(u);
    gnd_scope_end();
    gndm_scope_end(c);
    gndm_close(c);
    MPI_Finalize();
    return st != GND_OK || drawn != GND_OK;
}
