#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_linear.sh - transforms, products and decompositions (mpi_linear) on 3 ranks, with GND_TEST_ALL on 1, 2, 3, 4 and 7
# in all ways of cutting, and the examples on 4.
. "$GND_SRCDIR/tests/lib/tap.sh"
. "$GND_SRCDIR/tests/mpi/start.sh"

if [ -n "${GND_TEST_ALL-}" ] && [ $# = 0 ]; then
    for p in 1 2 3 4 7; do started "$p" mpi_linear; done
else
    for p in ${*:-3}; do started "$p" mpi_linear 1; done
fi
done_testing
