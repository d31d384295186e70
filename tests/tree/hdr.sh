#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# hdr.sh - each public header compiles alone, as C11 and as C++17, without a warning.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"

# compile COMPILER STANDARD FILE: the compiler may hold flags, the folders blanks.
compile() {
    # shellcheck disable=SC2086
    $1 "-std=$2" ${flags-} "-I$GND_BUILDDIR/include" "-I$GND_SRCDIR/include" -Wall -Wextra -pedantic -Werror -fsyntax-only "$3"
}
headers=$( (cd "$GND_SRCDIR/include" && ls gnd.h gnd/*.h; cd "$GND_BUILDDIR/include" && ls gnd/*.h) | sort -u)
have_cxx=no
echo 'int main() { return 0; }' >try.cc
# shellcheck disable=SC2086 # CC and CXX may hold flags
if $CXX -std=c++17 -fsyntax-only try.cc 2>/dev/null; then have_cxx=yes; fi
for h in $headers; do
    flags=
    if [ "$h" = gnd/mpi.h ]; then
        if [ "$GND_TEST_MPI" = no ]; then
            skip "$h" "built without MPI"
            continue
        fi
        flags=$GND_TEST_MPI_CFLAGS
    fi
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
for h in gnd.hpp gnd/functions.hpp; do
    printf '#include <%s>\n#include <%s>\n' "$h" "$h" >one.cc
    if [ $have_cxx = no ]; then
        skip "$h as C++17" "no C++17 compiler: $CXX"
    else
        check "$h as C++17" compile "$CXX" c++17 one.cc
    fi
done

# Sets of axes and numbers: what each is for compiles in both languages, the other is refused.
axes() {
    printf '#include <gnd.h>\n'
    printf 'gnd_array *f(gnd_array *x, int n, const int *list);\n'
    printf 'gnd_array *f(gnd_array *x, int n, const int *list)\n{\n    (void)n;\n    (void)list;\n    return %s;\n}\n' "$1"
}
refused() { ! compile "$@" 2>/dev/null; }
for way in "$CC c11 one.c" "$CXX c++17 one.cc"; do
    file=${way##* } rest=${way% *}
    std=${rest##* } compiler=${rest% *}
    if [ "$std" = c++17 ] && [ $have_cxx = no ]; then
        skip "sets of axes as C++17" "no C++17 compiler: $CXX"
        continue
    fi
    for good in 'gnd_sum(x, GND_AXIS(0), 0)' 'gnd_sum(x, GND_AXIS(n), 0)' 'gnd_sum(x, GND_AXES(0, -1), 0)' \
        'gnd_sum(x, GND_AXES(n, 2, 3), GND_KEEPDIMS)' 'gnd_sum(x, GND_ALL, 0)' 'gnd_flip(x, GND_NO_AXES)' \
        'gnd_sum(x, gnd_axes_of(2, list), 0)' 'gnd_squeeze(x, gnd_axes_union(GND_AXIS(0), GND_AXES(1, 2)))' \
        'gnd_sort(x, 0, 0)'; do
        axes "$good" >"$file"
        check "$std: $good" compile "$compiler" "$std" "$file"
    done
    for bad in 'gnd_sum(x, 1, 0)' 'gnd_sum(x, n, 0)' 'gnd_flip(x, -1)' 'gnd_sort(x, GND_AXIS(0), 0)' \
        'gnd_concat(1, &x, GND_ALL)' 'gnd_sort(x, GND_AXES(0, 1), 0)'; do
        axes "$bad" >"$file"
        check "$std: $bad is refused" refused "$compiler" "$std" "$file"
    done
done
done_testing
