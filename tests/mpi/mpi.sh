#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi.sh - the programs of tests/mpi on 1 and 3 ranks, with GND_TEST_ALL on 1, 2, 3, 4 and 7, or on as many as the
# arguments say; each rank has one core of PoCL. One start of a program makes all of its checks; a rank's failure is
# rank 0's. mpi_arrays, the dearest, runs on one rank with GND_TEST_ALL or an argument only.
. "$GND_SRCDIR/tests/lib/tap.sh"
. "$GND_SRCDIR/tests/mpi/start.sh"

have_numpy=no
if python3 -c 'import numpy' 2>/dev/null; then have_numpy=yes; fi

# numpy FOLDER RANKS: NumPy reads the files that were written.
numpy() {
    if [ $have_numpy = no ]; then
        skip "$2 ranks: NumPy reads the files" "no NumPy (Debian: python3-numpy)"
        return
    fi
    check "$2 ranks: NumPy reads the files" python3 - "$1" <<'PY'
import sys
import numpy as np
for way, t in enumerate("float32 bool complex128 uint16 float16".split()):
    x = np.load(f"{sys.argv[1]}/way{way}.npy")
    assert x.dtype == t and np.array_equal(x, (np.arange(264) % 251).astype(t).reshape(11, 4, 6)), (way, x.dtype)
assert np.load(sys.argv[1] + "/one.npy") == 0 and np.load(sys.argv[1] + "/none.npy").shape == (0, 3)
PY
}

all='1 3'
if [ -n "${GND_TEST_ALL-}" ]; then all='1 2 3 4 7'; fi
if [ "$GND_TEST_SANITIZERS" != no ]; then all=3; fi # the same paths, at several times the cost
for p in ${*:-$all}; do
    case $p in 1) ways=4 ;; 2) ways=3 ;; 3) ways=0 ;; 4) ways=2 ;; *) ways=1 ;; esac
    if [ "$p" != 1 ] || [ -n "${GND_TEST_ALL-}$*" ]; then
        started "$p" mpi_arrays "$(if [ -n "${GND_TEST_ALL-}" ]; then echo 01234; else echo $ways; fi)"
    fi
    case $p in 1 | 3) started "$p" mpi_faults ;; esac
    case $p in 1 | 3) started "$p" mpi_root ;; esac
    case $p in 3) started 3 mpi_handles && started 3 mpi_eval && started 3 mpi_alone ${GND_TEST_ALL:+all} ;; esac
    mkdir -p "files$p"
    if [ $have_numpy = yes ]; then
        python3 -c 'import numpy as n, sys; n.save(sys.argv[1], n.asfortranarray(n.arange(60, dtype=">f4").reshape(5, 12)))' \
            "files$p/fortran.npy"
    fi
    started "$p" mpi_files "files$p"
    sed -n 's/^# bits //p' out >>bits
    case $p in 1 | 3) numpy "files$p" "$p" ;; esac
done

# Chunks of a few bytes: messages of many partners, and many of each, take turns in what is under way together.
GND_MPI_CHUNK=40 GND_MPI_STAGE=1000 started 7 mpi_exchange

check "reproducible sums and products have the same bits for any number of ranks" test "$(sort -u bits | wc -l)" = 1

# Each allocation of the library on one rank fails once: an error on all ranks, at once.
if [ "$GND_TEST_SANITIZERS" = no ] &&
    $CC -O1 -fPIC -shared -D_GNU_SOURCE -o no_memory.so -x c "$GND_SRCDIR/tests/mpi/no_memory.inc" -ldl 2>err; then
    launcher="env LD_PRELOAD=$scratch/no_memory.so" GND_MPI_TIMEOUT=30
    started 2 mpi_faults memory
    launcher=
else
    skip "a rank without memory" "a library before that of the sanitizers, or no compiler"
fi

# So does each call of MPI.
started 3 mpi_refused

# A rank that never comes: the program ends by MPI_Abort, after it has told.
# shellcheck disable=SC2086 # a command and its options
$mpirun -n 3 "$GND_BUILDDIR/tests/mpi/mpi_faults" late >out 2>err
sed -n 's/^# \(.*\)/# \1/p' out
check "a rank that does not come is named, and the job ends" test "$(grep -c '^ok' out)" = 4
done_testing
