#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# calls.sh - every public function, by the declarations in the headers: called with released handles, NULL, other
# dtypes, placeholders, axes and dtypes that there are not, and without memory. Each notices, and each error begins
# with the function's name. A function that is added to the headers is tried too (tests/tree/calls.awk).
. "$GND_SRCDIR/tests/lib/tap.sh"

include="-I$GND_BUILDDIR/include -I$GND_SRCDIR/include -I$GND_SRCDIR/tests/tree"
flags='-std=c11 -g -Wall -Wextra -Werror'
case $GND_TEST_SANITIZERS in
    no) ;;
    thread) flags="$flags -fsanitize=thread" ;;
    *) flags="$flags -fsanitize=address,undefined -fno-sanitize-recover=all" ;;
esac
echo '#include <gnd.h>' >all.c
# shellcheck disable=SC2086 # CC and the lists of flags hold several words
{
    $CC -std=c11 -E -P -DGND_BUILD $include all.c >all.i
    tr '\n;' ' \n' <all.i | sed -n 's/.*visibility("default"))) *//p' | sed 's/  */ /g' >declarations
    $AWK -f "$GND_SRCDIR/tests/tree/calls.awk" declarations >calls.c || exit 99
    $CC $flags $include -I. calls.c -o calls "-L$GND_BUILDDIR/lib/.libs" -lgnd || exit 99
}
# What functions give beside arrays (tensors, texts) is dropped there: it is not looked for leaks.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS
./calls >out 2>err
status=$?
sed '/^1\.\.[0-9]*$/d' out
diag <err
tap_n=$(grep -cE '^(not )?ok ' out)
tap_failed=$(grep -c '^not ok ' out)
check "the program ends well" test $status -lt 2
done_testing
