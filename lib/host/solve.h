/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/solve.h - a decomposition or a panel of one on device memory: by the library of the backend,
 * or on the host.
 */
#ifndef GND_HOST_SOLVE_H
#define GND_HOST_SOLVE_H

#include "host/panel.h"

/* Operand i begins at byte at[i] of block[i]. */
typedef struct gnd__solve_call {
    const char *func; /* what messages begin with */
    gnd_solve_desc x;
    gnd__panel panel; /* of a kind other than 0: instead of x */
    int on_host;      /* LAPACK computes it, not the library of the backend; panels always are */
    int later;        /* the last operand is memory for the verdict (gnd__gate_solve_later) */
    int n;
    gnd__block *block[GND_SOLVE_MEMS];
    size_t at[GND_SOLVE_MEMS];
} gnd__solve_call;

/* Runs the call by the backend's library, or by LAPACK on memory that is mapped or copied. label:
 * for traces. Errors as gnd_solver_ops says, with c->func in front. */
gnd_status gnd__solve_run(gnd__gdev *d, const gnd__solve_call *c, const char *label, gnd_err *e);

#endif
