#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_sim.sh - 64 simulated nodes of unlike speeds (bench/sim): with cuts by speed a step of the heat equation, and one of
# k-means, is as fast as the speeds allow, with even cuts as slow as the slowest node.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "the plain build's run does it"
[ "$GND_TEST_MPI" != no ] || skip_all "built without MPI (Debian: libopenmpi-dev)"
command -v smpirun >/dev/null || skip_all "no SimGrid (Debian: libsimgrid-dev)"
# Most of the time is the host's of 64 ranks that are threads: k-means, with a collective in each step, has fewer.
few=@16
if [ -n "${GND_TEST_ALL-}" ]; then few=; fi
WORKS="heat kmeans:speed$few" STEPS=2 SIM_CFLAGS=-O0 timeout 600 "$GND_SRCDIR/bench/sim/run.sh" "$GND_BUILDDIR" 64 >out 2>err
status=$?
check "the simulation ends" test $status = 0
[ $status = 0 ] || head -n 20 err | diag
diag <out
# efficiency CUTS WORK TEST: what awk says of it.
efficiency() { awk -v cuts="$1" -v work="$2" '$4 == cuts && $5 == work { n++; e = $NF } END { exit !(n == 1 && ('"$3"')) }' out; }
check "cuts by speed: at least 0.9 of the summed speeds" efficiency speed stencil 'e >= 0.9'
check "even cuts: about 0.28" efficiency even stencil 'e > 0.2 && e < 0.32'
check "k-means with cuts by speed: at least 0.9" efficiency speed kmeans 'e >= 0.9'
done_testing
