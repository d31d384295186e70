#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# fuzz.sh - a bounded run of make fuzz: each harness of fuzz/ with libFuzzer for some seconds, in a build of its own that
# is not optimized.
. "$GND_SRCDIR/tests/lib/tap.sh"

# The harnesses have sanitizers of their own.
plain_only "the plain build's run does this"
status=0
FUZZ_QUICK=1 sh "$GND_SRCDIR/fuzz/run.sh" "$GND_SRCDIR" "$GND_BUILDDIR" 3 >out 2>&1 || status=$?
[ $status != 77 ] || skip_all "$(head -n 1 out)"
diag <out
check "every harness ran" test "$(grep -c '^fuzz [a-z]*: [1-9]' out)" = "$(grep -l LLVMFuzzerTestOneInput "$GND_SRCDIR"/fuzz/*.c | grep -vc /plain.c)"
check "and found nothing" test $status = 0
done_testing
