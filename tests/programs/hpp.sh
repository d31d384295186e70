#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# hpp.sh - gnd.hpp: its test (hpp.cc) with exceptions in C++17 and without in C++20, and the examples in C++.
. "$GND_SRCDIR/tests/lib/tap.sh"

echo 'int main() { return 0; }' >try.cc
# shellcheck disable=SC2086 # CXX may hold flags
$CXX -std=c++17 -o try try.cc 2>/dev/null || skip_all "no C++17 compiler: $CXX"
# The compiler takes half as long again to optimize code with sanitizers.
case $GND_TEST_SANITIZERS in
    no) flags=-O1 program_flags=-O2 ;;
    yes) flags='-O0 -fsanitize=address,undefined' program_flags= ;;
    *) flags="-O0 -fsanitize=$GND_TEST_SANITIZERS" program_flags= ;;
esac

# compile OUT STANDARD FILE FLAG...
compile() {
    out=$1
    std=$2
    file=$3
    shift 3
    # shellcheck disable=SC2086
    $CXX "-std=$std" $flags -Wall -Wextra -pedantic -Werror "$@" "-I$GND_BUILDDIR/include" \
        "-I$GND_SRCDIR/include" -o "$out" "$file" "-L$GND_BUILDDIR/lib/.libs" -lgnd
}

# tested NAME PROGRAM: the points of its own TAP.
tested() {
    "./$2" "$dev" >out 2>err
    status=$?
    while read -r line; do
        case $line in
            ok*) pass "$1: ${line#ok * - }" ;;
            not*) fail "$1: ${line#not ok * - }" ;;
        esac
    done <out
    check "$1: to its end" test $status = 0
    diag <err
}

dev=${GND_TEST_DEVICES%%,*}
check "with exceptions it compiles, in C++17" compile with c++17 "$GND_SRCDIR/tests/programs/hpp.cc"
tested "with exceptions" with
if $CXX -std=c++20 -fsyntax-only try.cc 2>/dev/null; then newest=c++20; else newest=c++17; fi
check "without exceptions it compiles, in $newest" \
    compile without $newest "$GND_SRCDIR/tests/programs/hpp.cc" -DGND_CXX_EXCEPTIONS=0 -fno-exceptions
tested "without exceptions" without

# Two files with different settings are one program.
cat >one.cc <<'C'
#define GND_CXX_EXCEPTIONS 0
#include <gnd.hpp>
int one(gnd_device *d) { return gnd::zeros(d, GND_INT32, {2}).status() + gnd::zeros(d, GND_INT32, {-1}).status(); }
C
cat >two.cc <<'C'
#include <gnd.hpp>
int one(gnd_device *d);
int main(int, char **argv)
{
    gnd::device dev(argv[1]);
    try { gnd::zeros(dev, GND_INT32, {-1}); } catch (const gnd::error &e) { return one(dev) == e.code() ? 0 : 1; }
    return 2;
}
C
check "both kinds of errors in one program: it compiles" compile both c++17 one.cc two.cc
check "and runs" ./both "$dev"
for f in "$GND_SRCDIR"/examples/*.cc; do
    name=$(basename "$f" .cc)
    # shellcheck disable=SC2086 # a flag or none
    check "examples/$name.cc compiles" compile "$name" c++17 "$f" $program_flags
    check "and runs" ./"$name" "$dev"
    diag <tap.out
done
done_testing
