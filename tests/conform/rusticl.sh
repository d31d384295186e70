#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# rusticl.sh - the suite's device tests on Mesa's rusticl (llvmpipe): another compiler, no float64,
# 32 KiB of local memory. Each program's own TAP is shown as comments; it passes as a whole.
. "$GND_SRCDIR/tests/lib/tap.sh"

RUSTICL_ENABLE=llvmpipe GND_CACHE=0 # binaries take PoCL a second compilation
export RUSTICL_ENABLE GND_CACHE
plain_only "Mesa's compiler leaks by itself: not with sanitizers"
gnd devices | grep -q 'rusticl' || skip_all "Mesa's rusticl is not installed"

check "float64 is refused, with a reason" sh -c \
    'gnd eval "ones((3,), dtype=float64)" -d opencl:llvmpipe 2>&1 | grep -i "float64"'
check "the default float is float32" sh -c \
    'test "$(gnd eval "arange(3) / 2" -d opencl:llvmpipe)" = "[0.  0.5 1. ]"'
check "rows of gnd bench in float64 are refused, with a reason" sh -c \
    '! gnd bench --only sum_f64 -d opencl:llvmpipe 2>err && grep -q "sum_f64: opencl:.* has no float64" err'
check "and --list leaves them out" sh -c '! gnd bench --list -d opencl:llvmpipe | grep _f64'
n=0
while IFS= read -r expr; do
    n=$((n + 1))
    [ $((n % 6)) = 1 ] || [ -n "${GND_TEST_ALL-}" ] || continue # intel.sh has others
    gnd eval "$expr" -d opencl:pocl >want 2>&1
    if gnd eval "$expr" -d opencl:llvmpipe >got 2>err && cmp -s want got; then
        pass "$expr"
    elif grep -q 'float64\|complex128' err; then
        skip "$expr" "the expression asks for float64"
    else
        fail "$expr"
        { diff want got; cat err; } 2>&1 | head -n 30 | diag
    fi
done <"$GND_SRCDIR/tests/lib/exprs.txt"
# ops_elementwise takes two minutes here; tests/conform/intel.sh has it on another compiler.
for t in conform/conform_opencl ops/ops_reduce ops/ops_matmul ops/ops_views plan/fuse_reduce \
    ops/ops_kernel ops/ops_strides ${GND_TEST_ALL:+ops/ops_elementwise}; do
    if [ -x "$GND_BUILDDIR/tests/$t" ]; then
        if GND_OPENCL_STAGE=1 GND_TEST_DEVICES=opencl:llvmpipe timeout 600 "$GND_BUILDDIR/tests/$t" >out 2>&1; then
            pass "$t, $(grep -c '^ok' out) checks, $(grep -c '^ok.*# SKIP' out) of them skipped"
        else
            fail "$t"
            grep -A6 '^not ok' out | head -n 40 | diag
        fi
    fi
done
done_testing
