#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_sort.sh - starts mpi_sort, mpi_shape and mpi_random on 3 ranks, or all of their checks on 1, 2, 3, 4 and 7 with
# GND_TEST_ALL. One rank moves nothing: mpi.sh has it.
. "$GND_SRCDIR/tests/lib/tap.sh"
. "$GND_SRCDIR/tests/mpi/start.sh"

all=3 checks=few random='4 1'
if [ -n "${GND_TEST_ALL-}" ]; then all='1 2 3 4 7' checks=all random="50 $(date +%s)"; fi
for p in ${*:-$all}; do
    started "$p" mpi_sort "$checks"
    started "$p" mpi_shape "$checks"
    # shellcheck disable=SC2086 # two numbers; the second is told where a check fails
    started "$p" mpi_random $random
done
done_testing
