#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# oclgrind.sh - kernels of every shape under Oclgrind, which checks each access to memory and looks
# for data races: the expressions of exprs.txt give what they give on PoCL, and Oclgrind has nothing to
# say. Of eight lines one runs as kernels for GPUs, one as kernels for CPUs; with GND_TEST_ALL each as both.
# Then tests of users' kernels.
. "$GND_SRCDIR/tests/lib/tap.sh"

command -v oclgrind >/dev/null || skip_all "oclgrind is not installed"
plain_only "Oclgrind replaces the OpenCL library: not with sanitizers"
gnd devices | grep -q 'Portable Computing' || skip_all "no PoCL to compare with"

# Kernels from each driver's own compiler, not from the cache, whose binaries PoCL would compile once more.
GND_CACHE=0
export GND_CACHE
n=0
while IFS= read -r expr; do
    n=$((n + 1))
    case ${GND_TEST_ALL:+all}$((n % 8)) in
        all*) shapes='cpu gpu' ;;
        1) shapes=gpu ;;
        2) shapes=cpu ;;
        *) continue ;;
    esac
    gnd eval "$expr" -d opencl:pocl >want 2>&1
    for shape in $shapes; do
        GND_KERNEL_SHAPE=$shape timeout 300 oclgrind --data-races --max-errors 20 --log log \
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
# Kernels of a program's own: bounds, in place, strides, local memory.
for t in ops_kernel ops_strides; do
    [ -x "$GND_BUILDDIR/tests/ops/$t" ] || continue
    GND_TEST_DEVICES=opencl:oclgrind timeout 300 oclgrind --data-races --max-errors 20 --log log \
        "$GND_BUILDDIR/tests/ops/$t" >got 2>err
    status=$?
    if [ $status = 0 ] && ! [ -s log ]; then
        pass "$t, $(grep -c '^ok' got) checks"
    else
        fail "$t"
        { echo "exit status $status"; grep -A6 '^not ok' got; head -n 20 err log; } 2>&1 | head -n 60 | diag
    fi
    rm -f log
done
[ $n -gt 20 ] && pass "all expressions were run" || fail "all expressions were run"
done_testing
