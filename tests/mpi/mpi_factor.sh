#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_factor.sh - factorizations by blocks (mpi_factor) on 3 ranks, or in more dtypes and sizes on 1, 2, 3, 4 and 7 with
# GND_TEST_ALL. Blocks of 8 columns: a matrix of 29 has an odd last one.
. "$GND_SRCDIR/tests/lib/tap.sh"
. "$GND_SRCDIR/tests/mpi/start.sh"

GND_MPI_BLOCK=8
export GND_MPI_BLOCK
all=3
if [ -n "${GND_TEST_ALL-}" ]; then all='1 2 3 4 7'; fi
for p in ${*:-$all}; do started "$p" mpi_factor; done
done_testing
