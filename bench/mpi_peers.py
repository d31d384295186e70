#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""mpi_peers.py PEER [RUNS] - three workloads with gnd.mpi, or with another library on the same ranks:

    mpirun -n 2 python3 bench/mpi_peers.py gnd        gnd.mpi
    mpirun -n 2 python3 bench/mpi_peers.py numpy      NumPy for the parts, mpi4py for the messages
    mpirun -n 2 python3 bench/mpi_peers.py heat       Heat (PyTorch and mpi4py)
    mpirun -n 2 python3 bench/mpi_peers.py petsc      PETSc by petsc4py, in float64, which its builds have
    python3 bench/mpi_peers.py dask                   Dask array, two threads of one process

A line for each: the least of RUNS (5) times, the longest of any rank, in ms; the lines of code that compute it; and a
number that all peers must agree on. Work: the mean of (x / 2 + 1)^2 of 2^24 float32; 20 steps of the heat equation on
2048 x 2048 float32; the product of two matrices of 1536 x 1536 float32.
"""
import inspect
import sys
import time

import numpy as np

N, SIDE, STEPS, ORDER = 1 << 24, 2048, 20, 1536


class Gnd:
    def __init__(self):
        import gnd.mpi
        self.np = gnd.mpi
        self.ctx = gnd.mpi.open()
        self.rank = self.ctx.rank

    def begin(self):
        self.x = self.np.arange(N, dtype="float32") / N
        i = self.np.arange(SIDE, dtype="float32")
        self.u = (i.reshape(SIDE, 1) * 7 + i * 3) % 11
        k = self.np.arange(ORDER, dtype="float32")
        self.a = (k.reshape(ORDER, 1) + k) % 13
        self.ctx.wait(self.x, self.u, self.a)

    def elementwise(self):
        return float(((self.x / 2 + 1) ** 2).mean())

    @staticmethod
    def diffuse(b):
        return b[1:-1, 1:-1] * 0.2 + (b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2]) * 0.2

    def diffusion(self):
        u = self.u
        for _ in range(STEPS):
            u = u.stencil(self.diffuse, 1, 1, "wrap")
        return float((u * u).mean())

    def product(self):
        return float((self.a @ self.a).mean())

    code = {"elementwise": [elementwise], "diffusion": [diffuse.__func__, diffusion], "product": [product]}

    def slowest(self, t):
        return float(self.ctx.wrap(self._local(t), axis=0).max())

    def _local(self, t):
        import gnd
        return gnd.asarray(np.array([t]), device=self.ctx.device)


class Numpy:
    def __init__(self):
        from mpi4py import MPI
        self.MPI, self.comm = MPI, MPI.COMM_WORLD
        self.rank, self.size = self.comm.rank, self.comm.size

    def mine(self, n):
        return slice(n * self.rank // self.size, n * (self.rank + 1) // self.size)

    def begin(self):
        self.x = np.arange(N, dtype="float32")[self.mine(N)] / N
        i = np.arange(SIDE, dtype="float32")
        self.u = ((i[:, None] * 7 + i * 3) % 11)[self.mine(SIDE)]
        k = np.arange(ORDER, dtype="float32")
        self.a = ((k[:, None] + k) % 13)[self.mine(ORDER)]

    def elementwise(self):
        own = ((self.x / 2 + 1) ** 2).sum(dtype="float64")
        return self.comm.allreduce(own) / N

    def diffusion(self):
        u, up, down = self.u, (self.rank - 1) % self.size, (self.rank + 1) % self.size
        for _ in range(STEPS):
            b = np.empty((len(u) + 2, SIDE + 2), "float32")
            b[1:-1, 1:-1] = u
            self.comm.Sendrecv(u[-1].copy(), down, 0, b[0, 1:-1], up, 0)
            self.comm.Sendrecv(u[0].copy(), up, 1, b[-1, 1:-1], down, 1)
            b[:, 0], b[:, -1] = b[:, -2], b[:, 1]
            u = b[1:-1, 1:-1] * np.float32(0.2) + (
                b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2]) * np.float32(0.2)
        return self.comm.allreduce(np.square(u).sum(dtype="float64")) / SIDE**2

    def product(self):
        b = np.empty((ORDER, ORDER), "float32")
        rows = [ORDER * (r + 1) // self.size - ORDER * r // self.size for r in range(self.size)]
        self.comm.Allgatherv(self.a, [b, [n * ORDER for n in rows]])
        return self.comm.allreduce((self.a @ b).sum(dtype="float64")) / ORDER**2

    code = {"elementwise": [elementwise], "diffusion": [mine, diffusion], "product": [mine, product]}

    def slowest(self, t):
        return self.comm.allreduce(t, op=self.MPI.MAX)


class Heat:
    def __init__(self):
        import heat as ht
        self.ht, self.comm = ht, ht.get_comm()
        self.rank = self.comm.rank

    def begin(self):
        ht = self.ht
        self.x = ht.arange(N, dtype=ht.float32, split=0) / N
        i = ht.arange(SIDE, dtype=ht.float32)
        self.u = ht.resplit((i.reshape((SIDE, 1)) * 7 + i * 3) % 11, 0)
        k = ht.arange(ORDER, dtype=ht.float32)
        self.a = ht.resplit((k.reshape((ORDER, 1)) + k) % 13, 0)

    def elementwise(self):
        return float(((self.x / 2 + 1) ** 2).mean())

    def diffusion(self):
        u, roll = self.u, self.ht.roll
        for _ in range(STEPS):
            u = u * 0.2 + (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1)) * 0.2
        return float((u * u).mean())

    def product(self):
        return float(self.ht.matmul(self.a, self.a).mean())

    code = {"elementwise": [elementwise], "diffusion": [diffusion], "product": [product]}

    def slowest(self, t):
        from mpi4py import MPI
        return self.comm.handle.allreduce(t, op=MPI.MAX)


class Petsc:
    def __init__(self):
        from mpi4py import MPI
        from petsc4py import PETSc
        self.MPI, self.petsc, self.comm = MPI, PETSc, MPI.COMM_WORLD
        self.rank = self.comm.rank

    def begin(self):
        self.x = self.petsc.Vec().createMPI(N)
        self.x.setArray(np.arange(*self.x.getOwnershipRange()) / N)
        self.grid = self.petsc.DMDA().create(sizes=(SIDE, SIDE), stencil_width=1, boundary_type=("periodic",) * 2,
                                             proc_sizes=(1, self.comm.size))
        self.u = self.grid.createGlobalVec()
        (i0, i1), (j0, j1) = self.grid.getRanges()
        self.grid.getVecArray(self.u)[:] = (np.arange(i0, i1)[:, None] * 3 + np.arange(j0, j1) * 7) % 11
        a = self.petsc.Mat().createDense((ORDER, ORDER), comm=self.petsc.COMM_WORLD)
        a.setUp()
        first, end = a.getOwnershipRange()
        a.getDenseArray()[:] = (np.arange(first, end)[:, None] + np.arange(ORDER)) % 13
        a.assemble()
        self.a = a.convert("scalapack", self.petsc.Mat())  # its product takes a sixth of the time of PETSc's own

    def elementwise(self):
        y = self.x.copy()
        y.scale(0.5)
        y.shift(1)
        y.pointwiseMult(y, y)
        return y.sum() / N

    def diffusion(self):
        u, local = self.u.copy(), self.grid.createLocalVec()
        shape = tuple(b - a for a, b in self.grid.getGhostRanges())[::-1]
        for _ in range(STEPS):
            self.grid.globalToLocal(u, local)
            b = local.getArray().reshape(shape)
            y = b[1:-1, 1:-1] * 0.2 + (b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2]) * 0.2
            u.setArray(y.ravel())
        return u.dot(u) / SIDE**2

    def product(self):
        c = self.a.matMult(self.a).convert("dense", self.petsc.Mat())
        return self.comm.allreduce(c.getDenseArray().sum()) / ORDER**2

    code = {"elementwise": [elementwise], "diffusion": [diffusion], "product": [product]}

    def slowest(self, t):
        return self.comm.allreduce(t, op=self.MPI.MAX)


class Dask:
    rank = 0

    def __init__(self):
        import dask
        import dask.array as da
        dask.config.set(scheduler="threads", num_workers=2)
        self.da = da

    def begin(self):
        da = self.da
        self.x = (da.arange(N, dtype="float32", chunks=N // 2) / np.float32(N)).persist()
        i = da.arange(SIDE, dtype="float32", chunks=SIDE // 2)
        self.u = ((i[:, None] * 7 + i * 3) % 11).rechunk((SIDE // 2, SIDE)).persist()
        k = da.arange(ORDER, dtype="float32", chunks=ORDER // 2)
        self.a = ((k[:, None] + k) % 13).rechunk((ORDER // 2, ORDER)).persist()

    def elementwise(self):
        return float(((self.x / 2 + 1) ** 2).mean(dtype="float64"))

    @staticmethod
    def diffuse(b):
        y = b.copy()
        y[1:-1, 1:-1] = b[1:-1, 1:-1] * np.float32(0.2) + (
            b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2]) * np.float32(0.2)
        return y

    def diffusion(self):
        u = self.u
        for _ in range(STEPS):
            u = u.map_overlap(self.diffuse, depth=1, boundary="periodic", dtype="float32")
        return float((u * u).mean(dtype="float64"))

    def product(self):
        return float((self.a @ self.a).mean(dtype="float64"))

    code = {"elementwise": [elementwise], "diffusion": [diffuse.__func__, diffusion], "product": [product]}

    def slowest(self, t):
        return t


def lines(functions):
    """The lines of functions without empty ones and decorators."""
    text = "".join(inspect.getsource(f) for f in functions).splitlines()
    return sum(1 for t in text if t.strip() and not t.strip().startswith("@"))


def main():
    peers = {"gnd": Gnd, "numpy": Numpy, "heat": Heat, "petsc": Petsc, "dask": Dask}
    if len(sys.argv) < 2 or sys.argv[1] not in peers:
        sys.exit("usage: mpi_peers.py " + "|".join(peers) + " [RUNS]")
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    try:
        peer = peers[sys.argv[1]]()
    except ImportError as e:
        sys.exit(f"mpi_peers.py: {e}")
    peer.begin()
    for name in "elementwise", "diffusion", "product":
        least = float("inf")
        for i in range(runs + 1):  # the first run compiles
            peer.slowest(0)  # all ranks begin together
            began = time.perf_counter()
            value = getattr(peer, name)()
            took = peer.slowest(time.perf_counter() - began)
            least = min(least, took) if i else least
        if peer.rank == 0:
            print(f"{sys.argv[1]:6} {name:12} {least * 1e3:9.2f} ms {lines(peer.code[name]):3} lines  {value:.6g}",
                  flush=True)


if __name__ == "__main__":
    main()
