/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_call_cost - the host's time for calls on distributed arrays when nothing moves, beside the
 * same calls on the rank's own arrays: mpirun -n 2 bench/mpi_call_cost. Nothing is evaluated; the
 * best of 50 rounds of 200 calls, of rank 0.
 */
#include <gnd.h>
#include <gnd/mpi.h>

enum { ROUNDS = 50, CALLS = 200 };

int main(int argc, char **argv)
{
    static const char *const names[] = {"add", "exp", "add a number", "slice"};
    const int64_t shape[2] = {1000, 100};
    MPI_Init(&argc, &argv);
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, NULL, GNDM_EVEN);
    if (gndm_status(c)) {
        fprintf(stderr, "mpi_call_cost: %s\n", gndm_message(c));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    gndm_part *p = gndm_part_default(c, GND_FLOAT32, 2, shape);
    int64_t from[2], to[2], dim[2];
    gndm_part_box(p, gndm_rank(c), from, to);
    for (int d = 0; d < 2; d++)
        dim[d] = to[d] - from[d];
    gnd_array *a = gnd_ones(gndm_device(c), GND_FLOAT32, 2, dim);
    gndm_array *x = gndm_wrap(c, a, p);
    if (gndm_wait(c, 1, &x)) {
        fprintf(stderr, "mpi_call_cost: %s\n", gndm_message(c));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int f = 0; f < 4; f++) {
        double best[2] = {1, 1};
        for (int i = 0; i < 2 * ROUNDS; i++) {
            gnd_scope_begin();
            gndm_scope_begin(c);
            gnd_array *y = a; /* a chain: no call finds what another one made */
            gndm_array *z = x;
            const double t = MPI_Wtime();
            for (int k = 0; k < CALLS; k++)
                switch (2 * f + i % 2) {
                case 0: y = gnd_add(y, a); break;
                case 1: z = gndm_binary("add", z, x); break;
                case 2: y = gnd_exp(y); break;
                case 3: z = gndm_unary("exp", z); break;
                case 4: y = gnd_add_f(y, 2.5); break;
                case 5: z = gndm_with("add", z, 2.5); break;
                case 6: gnd_at(a, ":, 1:-1"); break;
                default: gndm_at(x, ":, 1:-1"); break;
                }
            const double dt = (MPI_Wtime() - t) / CALLS;
            best[i % 2] = dt < best[i % 2] ? dt : best[i % 2];
            if (gnd_status_of(y) || gndm_status_of(z)) {
                fprintf(stderr, "mpi_call_cost: %s%s\n", gnd_error(y), gndm_error(z));
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
            gndm_scope_end(c);
            gnd_scope_end();
        }
        if (gndm_rank(c) == 0)
            printf("%-14s local %6.2f us, distributed %6.2f us, more by %6.2f us\n", names[f],
                   1e6 * best[0], 1e6 * best[1], 1e6 * (best[1] - best[0]));
    }
    gndm_release(x);
    gnd_release(a);
    gndm_part_free(p);
    gndm_close(c);
    MPI_Finalize();
    return 0;
}
