# SPDX-License-Identifier: BSD-3-Clause
"""The heat equation on a plate without edges, spread over the ranks: mpirun -n 4 python3 heat_mpi.py [N [STEPS]].

A stencil computes inner elements while the borders of the parts are under way. With mpi4py: gnd.mpi.open(comm)."""
import sys

import gnd
import gnd.mpi

RATE = 0.24  # stable up to 1/4


def step(u):
    """New elements of a part with a border of one element."""
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    return u[1:-1, 1:-1] * (1 - 4 * RATE) + around * RATE


def main(n=96, steps=50):
    with gnd.mpi.open() as ctx:
        y = gnd.mpi.arange(n, dtype=gnd.float32)[:, None]
        x = gnd.mpi.arange(n, dtype=gnd.float32)
        u = gnd.mpi.hypot(y - n / 3, x - n / 2) < n / 6  # a hot disk
        u = u.astype(gnd.float32)
        before = float(u.mean())
        for _ in range(steps):
            u = u.stencil(step, 1, mode='wrap')
        after, warmest = float(u.mean()), float(u.max())
        if ctx.rank == 0:
            print(f'{ctx.size} ranks, {steps} steps: mean {before:.5f} before and {after:.5f} after; the warmest {warmest:.4f}')


main(*map(int, sys.argv[1:]))
