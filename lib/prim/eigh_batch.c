/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/eigh_batch.c - the eigenvalues and eigenvectors of real symmetric matrices of up to 32 x 32
 * on a GPU, by Jacobi's rotations in local memory (kernels/jacobi.cl): one kernel, which notes the
 * first matrix that is not finite in a check. Libraries copy their operands, and their routines
 * for one matrix take longer than the rotations.
 */
#include "prim/eigh_batch.h"

#include "base/dtype.h"
#include "base/env.h"
#include "codegen/prelude.h"

/* The greatest side; work-items of a group; local memory that every device must have for it;
 * matrices whose number an int32 holds. */
enum { MOST = 32, GROUP = 160, WARP = 32, LOCAL = 32 * 1024, MANY = 1 << 30 };

int gnd__eigh_batch_takes(const gnd__gdev *g, const gnd_solve_desc *s)
{
    const gnd__target t = gnd__target_of(&g->props, &g->tune);
    return (s->op == GND_SOLVE_EIGH || s->op == GND_SOLVE_EIGVALSH) && !t.cpu &&
           gnd_dtype_kind((gnd_dtype)s->dtype) == 'f' && s->n >= 2 && s->n <= MOST &&
           s->nbatch < MANY && g->props.max_group >= GROUP && g->props.max_local[0] >= GROUP &&
           g->props.local_bytes >= LOCAL &&
           gnd__env_choice(GND__ENV_SOLVER, 0) != GND__SOLVER_LAPACK;
}

/* The work-items of a matrix of even side n: enough for the blocks and vectors of a step. */
static int lanes_for(int n, int vectors)
{
    return n <= 8 ? n == 6 ? 8 : n : n <= 16 ? 32 : vectors ? GROUP : GROUP - WARP;
}

static void memory(gnd__prog *p, const char *name, gnd__pmem m)
{
    if (m.kind == GND__PA_SCRATCH)
        gnd__pk_mem(p, name, m.ref, p->dtype);
    else
        gnd__pk_out(p, name);
}

void gnd__eigh_batch(gnd__prog *p, const gnd_solve_desc *s, const gnd__pmem *mem)
{
    const int n = (int)(s->n + s->n % 2), vectors = s->op == GND_SOLVE_EIGH,
              lanes = lanes_for(n, vectors);
    const int group = lanes < 32 ? 32 : lanes, per = group / lanes;
    const int64_t size = (int64_t)gnd_dtype_size(p->dtype);
    gnd__pk_begin(p, "k_eigh");
    gnd__pk_def(p, "#define N %d\n#define H %d\n#define PITCH %d\n#define VECTORS %d\n", n, n / 2,
                (n + 2) % 32 ? n + 2 : n + 4, vectors);
    gnd__pk_def(p, "#define LANES %d\n#define GROUP %d\n#define PER %d\n#define FIRST %d\n", lanes,
                group, per, lanes == GROUP ? WARP : 0);
    gnd__pk_def(p, "#define TINY %s\n",
                p->dtype == GND_FLOAT64 ? "1.3877787807814457e-17" : "7.4505806e-9f");
    gnd__pk_in(p, "x", 0);
    if (vectors) {
        memory(p, "y", mem[0]);
        gnd__pk_int(p, "begin", mem[0].off / size);
    }
    memory(p, "w", mem[1]);
    gnd__pk_int(p, "begin_w", mem[1].off / size);
    gnd__pk_check(p, "bad");
    gnd__pk_int(p, "n", s->n);
    gnd__pk_int(p, "batch", s->nbatch);
    gnd__pk_body(p, "jacobi_batch", p->dtype);
    gnd__pk_end1(p, (s->nbatch + per - 1) / per, (size_t)group, gnd__prog_reads(p, 0),
                 s->nbatch * s->n * (vectors ? s->n + 1 : 1) * size);
}
