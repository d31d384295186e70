#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_python.sh - gnd.mpi of the Python package: mpi_python.py on 1 and 3 ranks (with GND_TEST_ALL on 2, 4 and 7 too), the
# example, and what is said where something is lacking.
. "$GND_SRCDIR/tests/lib/tap.sh"
. "$GND_SRCDIR/tests/mpi/start.sh"
[ -f "$GND_BUILDDIR/python/gnd/_mpi.abi3.so" ] || skip_all "the Python package is not built with MPI (Debian: python3-dev)"
python3 -c 'import numpy' 2>/dev/null || skip_all "no python3 with NumPy (Debian: python3-numpy)"
if [ "$GND_TEST_SANITIZERS" != no ] && [ -z "${GND_TEST_ALL-}" ]; then skip_all "under the sanitizers with GND_TEST_ALL"; fi
launcher='python3 -B'
if [ "$GND_TEST_SANITIZERS" != no ]; then # pytap.py does the same for itself
    launcher="env LD_PRELOAD=$($CC -print-file-name=libasan.so):$($CC -print-file-name=libstdc++.so.6) $launcher"
fi
program_folder=$GND_SRCDIR/tests/mpi
mkdir files
for p in 1 3 ${GND_TEST_ALL:+2 4 7}; do started "$p" mpi_python.py "$PWD/files"; done

program_folder=$GND_SRCDIR/python/examples
$mpirun -n 3 $launcher "$program_folder/heat_mpi.py" 48 20 >out 2>err
cat err >&2
check "examples/heat_mpi.py keeps the mean" grep -q '3 ranks, 20 steps: mean 0.08377 before and 0.08377 after' out

# An exception of one rank ends all of them.
cat >alone.py <<'PY'
import gnd.mpi
ctx = gnd.mpi.open(even=True)
if ctx.rank == 1:
    raise KeyError("rank 1 alone")
print(float(gnd.mpi.ones(9).sum()))
PY
$mpirun -n 2 $launcher alone.py >out 2>err
check "an exception of one rank ends the job" test $? != 0
check "and is shown" grep -q 'KeyError: .rank 1 alone' err

# Another MPI's mpi4py, and a build without MPI.
cat >another.py <<'PY'
import sys, types
import gnd.mpi
other = types.ModuleType("mpi4py.MPI")
other.Get_library_version = lambda: "SOMEMPI 9.9"
sys.modules["mpi4py.MPI"] = other
try:
    gnd.mpi.open()
except RuntimeError as e:
    print(e)
PY
$launcher another.py >out 2>err
check "mpi4py with another MPI is an error" grep -q 'mpi4py uses SOMEMPI 9.9, and libgnd-mpi .*: build gnd with the MPI of' out
mkdir -p bare
cp -r "$GND_BUILDDIR/python/gnd" bare/gnd && rm bare/gnd/_mpi.abi3.so
PYTHONPATH=$PWD/bare $launcher -c 'import gnd, gnd.mpi' >out 2>&1
check "a build without MPI says what to install" grep -q 'ImportError: gnd.mpi: this build of gnd has no distributed.*libopenmpi-dev' out
check "and gnd itself works" env "PYTHONPATH=$PWD/bare" $launcher -c 'import gnd; gnd.devices()'
done_testing
