#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_names.sh - starts mpi_names: the texts that need few compilations on 3 ranks with odd cuts; with GND_TEST_ALL all
# of them on 1, 2, 3, 4 and 7 ranks, or as many as the arguments say, with all kinds of cuts.
. "$GND_SRCDIR/tests/lib/tap.sh"
. "$GND_SRCDIR/tests/mpi/start.sh"

all=3 ways=
if [ -n "${GND_TEST_ALL-}" ]; then all='1 2 3 4 7' ways=01234; fi
for p in ${*:-$all}; do started "$p" mpi_names ${ways:+"$ways"}; done
done_testing
