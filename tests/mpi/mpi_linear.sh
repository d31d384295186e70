#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_linear.sh - transforms, products and decompositions (mpi_linear) on 3 ranks, with GND_TEST_ALL on 1, 2, 3, 4 and 7
# in all ways of cutting, and the examples on 4 (else one on 2).
. "$GND_SRCDIR/tests/lib/tap.sh"
. "$GND_SRCDIR/tests/mpi/start.sh"

# A few hundred bytes for a stage: transforms are exchanged in several.
GND_MPI_STAGE=500
export GND_MPI_STAGE

# example RANKS NAME [ARGUMENT...]: it ends well and tells its result, for which it has a bound.
example() {
    ranks=$1 prog=$2
    shift 2
    # shellcheck disable=SC2086 # a command and its options
    $mpirun -n "$ranks" "$GND_BUILDDIR/examples/$prog" "$@" >out 2>err
    status=$?
    if [ $status = 0 ] && grep -q "^$ranks ranks[:,] " out; then
        pass "$prog on $ranks ranks"
    else
        fail "$prog on $ranks ranks ($status)"
        cat out err | head -n 20 | diag
    fi
}

if [ -n "${GND_TEST_ALL-}" ] && [ $# = 0 ]; then
    for p in 1 2 3 4 7; do started "$p" mpi_linear; done
    for e in "spectrum_mpi 256" "kmeans_mpi 4000" "cg_mpi 64" "heat_mpi 96 50"; do
        # shellcheck disable=SC2086 # a name and its numbers
        example 4 $e "${e%%_*}.png"
        check "... and a picture" sh -c "head -c 4 ${e%%_*}.png | grep -q PNG"
    done
else
    few=3
    if [ "$GND_TEST_SANITIZERS" != no ]; then few=2; fi
    for p in ${*:-$few}; do started "$p" mpi_linear 1; done
    example 2 cg_mpi 32 u.png
    check "... and a picture" sh -c 'head -c 4 u.png | grep -q PNG'
fi
for e in cg_mpi heat_mpi kmeans_mpi spectrum_mpi; do
    "$GND_BUILDDIR/examples/$e" picture.png >out 2>err
    check "$e of no number says how it is used" grep -q "^usage: $e \[N.*PICTURE.png" err
done
done_testing
