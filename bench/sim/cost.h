/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.h - included before everything else when libgnd-mpi is compiled for SimGrid (run.sh). SMPI's
 * non-blocking collectives send size - 1 messages from each rank, where MPI libraries send about
 * log2(size): here they are the blocking ones, whose algorithm SMPI lets one choose.
 */
#ifndef SIM_COST_H
#define SIM_COST_H

#include <mpi.h>
#include <smpi/smpi.h>

/* Bytes per second of the network of a node, in one direction (run.sh). */
#define SIM_NETWORK 12.5e9
/* The time in which all devices together, each at its speed, would do the work that they did since
 * sim_reset. All ranks call it. */
double sim_ideal(void);
void sim_reset(void);

static inline int sim_done(MPI_Request *r, int rc)
{
    *r = MPI_REQUEST_NULL;
    return rc;
}

/* SMPI's is not done with a request that was done before. */
static inline int sim_test(MPI_Request *r, int *done, MPI_Status *s)
{
    *done = *r == MPI_REQUEST_NULL;
    return *done ? MPI_SUCCESS : MPI_Test(r, done, s);
}

#undef MPI_Test
#undef MPI_Iallreduce
#undef MPI_Iallgather
#undef MPI_Ibcast
#undef MPI_Ibarrier
#undef MPI_Comm_idup
#define MPI_Test(r, done, s) sim_test(r, done, s)
#define MPI_Iallreduce(in, out, n, t, op, c, r) sim_done(r, MPI_Allreduce(in, out, n, t, op, c))
#define MPI_Iallgather(in, n, t, out, m, u, c, r) sim_done(r, MPI_Allgather(in, n, t, out, m, u, c))
#define MPI_Ibcast(data, n, t, root, c, r) sim_done(r, MPI_Bcast(data, n, t, root, c))
#define MPI_Ibarrier(c, r) sim_done(r, MPI_Barrier(c))
/* SMPI 3 has none; every simulated rank comes */
#define MPI_Comm_idup(c, y, r) sim_done(r, MPI_Comm_dup(c, y))

#endif
