/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heat ROWS COLUMNS STEPS even|speed halo|stencil - the time of a step of the heat equation with a
 * sum over the plate in each step, on all ranks: halo, stencil, reduction. mpirun -n 4 heat 8192
 * 8192 20 speed stencil runs it on the ranks' devices; run.sh compiles it with libgnd-mpi's sources
 * for SimGrid, where cost.c charges the time of the devices that it simulates.
 */
#include <gnd.h>
#include <gnd/mpi.h>
#include <stdlib.h>
#include <string.h>

static gndm_array *plate(gndm_ctx *c, int64_t rows, int64_t columns)
{
    const int64_t shape[2] = {rows, columns};
    const gnd_value v[3] = {gnd_value_int(0), gnd_value_int(columns), gnd_value_int(1)};
    gndm_part *whole = gndm_part_replicated(c, 1, &columns); /* else it would be sent to all */
    gndm_array *row = gndm_apply(c, whole, "arange", 3, v, 0, NULL);
    gndm_part_free(whole);
    const gnd_value dims[2] = {gnd_value_int(rows), gnd_value_int(1)};
    const gnd_value size[1] = {gnd_value_tuple(2, dims)};
    gndm_part *p = gndm_part_default(c, GND_FLOAT32, 2, shape);
    gndm_array *x = gndm_apply(c, NULL, "ones", 1, size, 0, NULL);
    x = gndm_binary("multiply", x, row);
    const gnd_value in[2] = {gndm_value(x), gnd_value_dtype(GND_FLOAT32)};
    x = gndm_apply(c, p, "astype", 2, in, 0, NULL);
    gndm_part_free(p);
    return x;
}

static gnd_array *points(gnd_array *b, void *data)
{
    (void)data;
    gnd_array *sum = gnd_add(gnd_add(gnd_at(b, "2:, 1:-1"), gnd_at(b, ":-2, 1:-1")),
                             gnd_add(gnd_at(b, "1:-1, 2:"), gnd_at(b, "1:-1, :-2")));
    return gnd_add(gnd_mul_f(gnd_at(b, "1:-1, 1:-1"), 0.2), gnd_mul_f(sum, 0.2));
}

/* A step whose borders come while its inner points are computed, or before all of them. */
static gndm_array *step(gndm_ctx *c, gndm_array *u, int overlapped)
{
    const int64_t one[2] = {1, 1};
    if (overlapped)
        return gndm_stencil(u, one, one, "wrap", points, NULL);
    gnd_array *b = gndm_halo(u, one, one, 1, NULL);
    gndm_part *p = gndm_part_of(u);
    gndm_array *y = gndm_wrap(c, points(b, NULL), p);
    gndm_part_free(p);
    gnd_release(b);
    return y;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 6) {
        fprintf(stderr, "usage: heat ROWS COLUMNS STEPS even|speed halo|stencil\n");
        return 2;
    }
    const int steps = atoi(argv[3]);
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, NULL, strcmp(argv[4], "even") ? 0 : GNDM_EVEN);
    if (gndm_status(c)) {
        fprintf(stderr, "heat: rank %d: %s\n", gndm_rank(c), gndm_message(c));
        return 1;
    }
    gndm_scope_begin(c);
    gnd_scope_begin();
    gndm_array *u = plate(c, atoll(argv[1]), atoll(argv[2]));
    gnd_status st = GND_OK;
    double began = 0, sum = 0;
    for (int i = -1; i < steps && !st; i++) { /* the first step makes the plans */
        if (i == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            began = MPI_Wtime();
#ifdef GND_SIM
            sim_reset();
#endif
        }
        gnd_scope_begin();
        gndm_scope_begin(c);
        gndm_assign(&u, step(c, u, !strcmp(argv[5], "stencil")));
        sum = gndm_item_f64(gndm_along("sum", u, GND_NONE), &st);
        gndm_scope_end(c);
        gnd_scope_end();
    }
    const double mine = (MPI_Wtime() - began) / steps;
    double all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
#ifdef GND_SIM
    const double ideal = sim_ideal() / steps;
    if (gndm_rank(c) == 0 && !st)
        printf("ranks %d cuts %s %s step %.3f ms ideal %.3f ms efficiency %.3f\n", gndm_size(c),
               argv[4], argv[5], 1e3 * all, 1e3 * ideal, ideal / all);
#else
    if (gndm_rank(c) == 0 && !st)
        printf("ranks %d cuts %s %s step %.3f ms sum %g\n", gndm_size(c), argv[4], argv[5],
               1e3 * all, sum);
#endif
    if (st)
        fprintf(stderr, "heat: rank %d: %s\n", gndm_rank(c), gndm_message(c));
    (void)sum;
    gndm_release(u);
    gnd_scope_end();
    gndm_scope_end(c);
    gndm_close(c);
    MPI_Finalize();
    return st != GND_OK;
}
