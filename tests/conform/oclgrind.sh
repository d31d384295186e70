#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# oclgrind.sh - kernels of every shape under Oclgrind, which checks each access to memory and looks
# for data races: the expressions of exprs.txt give what they give on PoCL, and Oclgrind has nothing to
# say. Odd lines run as kernels for GPUs, even lines as kernels for CPUs; with GND_TEST_ALL each as both.
. "$GND_SRCDIR/tests/lib/tap.sh"

command -v oclgrind >/dev/null || skip_all "oclgrind is not installed"
plain_only "Oclgrind replaces the OpenCL library: not with sanitizers"
gnd devices | grep -q 'Portable Computing' || skip_all "no PoCL to compare with"

# Kernels from Oclgrind's own compiler, not from the cache.
n=0
while IFS= read -r expr; do
    n=$((n + 1))
    gnd eval "$expr" -d opencl:pocl >want 2>&1
    if [ -n "${GND_TEST_ALL-}" ]; then shapes='cpu gpu'; elif [ $((n % 2)) = 1 ]; then shapes=gpu; else shapes=cpu; fi
    for shape in $shapes; do
        GND_CACHE=0 GND_KERNEL_SHAPE=$shape timeout 300 oclgrind --data-races --max-errors 20 --log log \
            "$(command -v gnd)" eval "$expr" -d opencl:oclgrind >got 2>err
        status=$?
        if [ $status = 0 ] && cmp -s want got && ! [ -s log ]; then
            pass "as for $shape: $expr"
        else
            fail "as for $shape: $expr"
            { echo "exit status $status"; diff want got; head -n 20 err log; } 2>&1 | head -n 60 | diag
        fi
        rm -f log
    done
done <"$GND_SRCDIR/tests/lib/exprs.txt"
[ $n -gt 20 ] && pass "all expressions were run" || fail "all expressions were run"
done_testing
