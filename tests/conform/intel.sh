#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# intel.sh - a bounded part of the suite on a second vendor's OpenCL for CPUs: Intel's, which ./quickstart check installs
# from PyPI into build/intel. It has float16, vectorises work-items itself and runs on any x86-64. Each program's own TAP
# is counted; it passes as a whole.
. "$GND_SRCDIR/tests/lib/tap.sh"

plain_only "a compiler with threads and memory of its own: not with sanitizers"
lib=$(find "$GND_BUILDDIR/intel" -name libintelocl.so 2>/dev/null | head -n 1)
if [ -z "$lib" ]; then
    why=$(cat "$GND_BUILDDIR/intel.why" 2>/dev/null || :)
    skip_all "Intel's OpenCL runtime is not in build/intel: ${why:-./quickstart check installs it}"
fi

# The loader sees this driver alone.
GND_CACHE=0 # binaries take PoCL a second compilation
export GND_CACHE
mkdir icd
echo "$lib" >icd/intel.icd
intel() {
    env OCL_ICD_VENDORS="$scratch/icd/" LD_LIBRARY_PATH="${lib%/*}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
        GND_TEST_DEVICES=opencl:0 GND_DEVICE=opencl:0 "$@"
}
intel gnd devices >devices 2>&1
if ! grep -q 'platform *Intel(R) OpenCL' devices; then
    skip_all "Intel's runtime finds no device here: $(grep '^opencl' devices | head -n 1)"
fi
sed -n '/^opencl:0/,/^[a-z]*:[^0]/p' devices | diag

check "float16 is there" sh -c "grep 'floats.*float16' devices"
n=0
while IFS= read -r expr; do
    n=$((n + 1))
    [ $((n % 6)) = 0 ] || continue # every sixth: each compiles a kernel or more
    gnd eval "$expr" -d opencl:pocl >want 2>&1
    if intel gnd eval "$expr" -d opencl:0 >got 2>err && cmp -s want got; then
        pass "$expr"
    else
        fail "$expr"
        { diff want got; cat err; } 2>&1 | head -n 30 | diag
    fi
done <"$GND_SRCDIR/tests/lib/exprs.txt"
for t in conform/conform_opencl ops/ops_elementwise ops/ops_kernel ops/ops_cudac ops/ops_snippet \
    ops/ops_complex_snippet ops/ops_strides ops/ops_checked; do
    if [ -x "$GND_BUILDDIR/tests/$t" ]; then
        if intel timeout 600 "$GND_BUILDDIR/tests/$t" >out 2>&1; then
            pass "$t, $(grep -c '^ok' out) checks, $(grep -c '^ok.*# SKIP' out) of them skipped"
        else
            fail "$t"
            grep -A6 '^not ok' out | head -n 40 | diag
            tail -n 5 out | diag
        fi
    fi
done
done_testing
