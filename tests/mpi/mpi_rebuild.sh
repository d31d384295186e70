#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_rebuild.sh [RUNS] - ranks that die, and the others go on without them (gndm_rebuild), from the last checkpoint and to
# the same bits: under the Open MPI 5 of build/openmpi5, with which libgnd-mpi is compiled here. RUNS (0, 30 with
# GND_TEST_ALL) more jobs whose rank is killed at a random time.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "the plain build's run does it"
[ "$GND_TEST_MPI" != no ] || skip_all "built without MPI (Debian: libopenmpi-dev)"
prefix=$GND_BUILDDIR/openmpi5
if [ ! -x "$prefix/bin/mpicc" ]; then
    why=$(cat "$GND_BUILDDIR/openmpi5.why" 2>/dev/null || :)
    skip_all "Open MPI 5 is not in build/openmpi5: ${why:-./quickstart check installs it}"
fi
. "$GND_SRCDIR/tests/mpi/start.sh"
prefix=$(cd "$prefix" && pwd)
LD_LIBRARY_PATH=$scratch:$prefix/lib:$LD_LIBRARY_PATH
export LD_LIBRARY_PATH
mpirun="$prefix/bin/mpirun --oversubscribe"

include="-I$GND_BUILDDIR/include -I$GND_SRCDIR/include -I$GND_SRCDIR/tests/lib -I$prefix/include"
for part in "-fPIC -shared -DGND_BUILD -o libgnd-mpi.so $GND_SRCDIR/mpi/*.c" \
    "-o mpi_kill $GND_SRCDIR/tests/mpi/mpi_kill.c $GND_SRCDIR/tests/mpi/dist.c $GND_SRCDIR/tests/lib/tap.c -L. -lgnd-mpi" \
    "-o mpi_faults $GND_SRCDIR/tests/mpi/mpi_faults.c $GND_SRCDIR/tests/mpi/dist.c $GND_SRCDIR/tests/lib/tap.c -L. -lgnd-mpi"; do
    # shellcheck disable=SC2086 # flags are words, and a pattern
    check "compiled: ${part#*-o }" $CC -std=gnu11 -O0 -ffp-contract=off -D_GNU_SOURCE $include $part \
        "-L$GND_BUILDDIR/lib/.libs" -lgnd "-L$prefix/lib" -lmpi -lm
done
program_folder=$scratch

# job FOLDER RANKS WAY [RANK STEP]...
job() {
    f=$1 p=$2 way=$3
    shift 3
    mkdir -p "$f"
    # shellcheck disable=SC2086 # a command and its options
    timeout -k 5 60 $mpirun --with-ft ulfm -n "$p" ./mpi_kill "$f" 60 6 "$way" "$@" >"$f/out" 2>"$f/err"
}
# goes_on NAME TEXT FOLDER RANKS WAY [RANK STEP]...: the job ends well, says TEXT, and gives the bits of the first one.
goes_on() {
    name=$1 text=$2
    shift 2
    if job "$@" && cmp "$1/end.npy" free/end.npy && grep -q "$text" "$1/out"; then
        pass "$name: $(sed -n '/go on/s/^# //p' "$1/out" | tr '\n' ' ')"
    else
        fail "$name"
        tail -n 20 "$1/out" "$1/err" | tr -d '\000' | diag
    fi
}
job free 3 0 || { fail "a job that nothing happens to" && diag <free/err; }
goes_on "one of four" '3 ranks go on' one 4 1 1 20
goes_on "before any checkpoint, the first rank" '2 ranks go on' early 3 2 0 2
goes_on "one after the other" '2 ranks go on' two 4 3 3 15 0 40

# What the same library says if mpirun was not told.
started 2 mpi_faults
check "without fault tolerance" grep -q 'a context without an error stays: Open MPI was started without it' out

runs=${1:-0}
if [ -n "${GND_TEST_ALL-}" ]; then runs=${1:-30}; fi
: >bad
for run in $(seq "$runs"); do
    job "run$run" 4 $((run % 4)) &
    job=$!
    while [ ! -e "run$run/pid.$((run % 4))" ] && kill -0 $job 2>/dev/null; do sleep 0.02; done
    sleep "0.$((run * 37 % 10))"
    kill -9 "$(cat "run$run/pid.$((run % 4))")" 2>/dev/null
    wait $job && cmp -s "run$run/end.npy" free/end.npy || { echo "run $run" && cat "run$run/out"; } >>bad
done
if [ "$runs" -gt 0 ]; then
    none "$runs jobs whose rank was killed: $(cat run*/out | grep -c 'go on') went on, all gave the same bits" bad
fi
done_testing
