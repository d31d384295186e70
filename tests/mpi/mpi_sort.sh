#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_sort.sh - starts mpi_sort on 1 and 3 ranks, or all of its checks on 1, 2, 3, 4 and 7 with GND_TEST_ALL.
. "$GND_SRCDIR/tests/lib/tap.sh"
. "$GND_SRCDIR/tests/mpi/start.sh"

all='1 3' checks=few
if [ -n "${GND_TEST_ALL-}" ]; then all='1 2 3 4 7' checks=all; fi
if [ "$GND_TEST_SANITIZERS" != no ]; then all=3; fi # the same paths, at several times the cost
for p in ${*:-$all}; do started "$p" mpi_sort "$checks"; done
done_testing
