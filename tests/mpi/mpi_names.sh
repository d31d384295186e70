#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_names.sh - starts mpi_names: the texts that need few compilations on 3 ranks with odd cuts; with GND_TEST_ALL all
# of them on 1, 2, 3, 4 and 7 ranks, or as many as the arguments say, with all kinds of cuts.
. "$GND_SRCDIR/tests/lib/tap.sh"
. "$GND_SRCDIR/tests/mpi/start.sh"

if [ -n "${GND_TEST_ALL-}" ]; then
    for p in ${*:-1 2 3 4 7}; do started "$p" mpi_names 01234; done
else
    started 3 mpi_names
fi
done_testing
