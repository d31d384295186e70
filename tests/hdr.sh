#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# hdr.sh - each public header compiles alone, as C11 and as C++17, without a warning.
. "$GND_SRCDIR/tests/tap.sh"

# compile COMPILER STANDARD FILE: the compiler may hold flags, the folders blanks.
compile() {
    # shellcheck disable=SC2086
    $1 "-std=$2" "-I$GND_BUILDDIR/include" "-I$GND_SRCDIR/include" -Wall -Wextra -pedantic -Werror -fsyntax-only "$3"
}
headers=$( (cd "$GND_SRCDIR/include" && ls gnd.h gnd/*.h; cd "$GND_BUILDDIR/include" && ls gnd/*.h) | sort -u)
have_cxx=no
echo 'int main() { return 0; }' >try.cc
# shellcheck disable=SC2086 # CC and CXX may hold flags
if $CXX -std=c++17 -fsyntax-only try.cc 2>/dev/null; then have_cxx=yes; fi
for h in $headers; do
    # Twice: the guard holds.
    printf '#include <%s>\n#include <%s>\ntypedef int gnd_not_empty;\n' "$h" "$h" | tee one.c >one.cc
    check "$h as C11" compile "$CC" c11 one.c
    if [ $have_cxx = no ]; then
        skip "$h as C++17" "no C++17 compiler: $CXX"
    elif grep -q '_Generic' "$GND_SRCDIR/include/$h" 2>/dev/null; then
        skip "$h as C++17" "it is for C11's _Generic"
    else
        check "$h as C++17" compile "$CXX" c++17 one.cc
    fi
done
done_testing
