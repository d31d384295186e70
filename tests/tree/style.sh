#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# style.sh - what doc/CONVENTIONS.md asks of every file and a script can see.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"

(
    cd "$GND_SRCDIR" || exit
    find lib include backends formats fuzz kernels mpi python/src tests tools examples bench \( -name .libs -o -name .deps \) -prune -o \
        -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.hpp' -o -name '*.cl' -o -name '*.def' -o -name '*.inc' -o -name '*.awk' -o \
        -name '*.sh' -o -name '*.py' -o -name '*.h.in' \) ! -name '.*' ! -path include/gnd/version.h \
        ! -path include/gnd/elementwise.h ! -path include/gnd/where.h ! -path include/gnd/functions.hpp ! -path kernels/data.c ! -path lib/host/exact.c -print
    ls configure.ac Makefile.am bootstrap quickstart setup.py .ci/run m4/gnd.m4 build-aux/sources build-aux/run.in
) | sort >all

# A script's first line is its interpreter, and the licence its second.
while read -r f; do
    head -n 2 "$GND_SRCDIR/$f" | sed '/^#!/d' | head -n 1 | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || echo "$f"
done <all >bad
none "the first line of every file names the licence" bad

while read -r f; do
    n=$(wc -l <"$GND_SRCDIR/$f")
    if [ "$n" -gt 800 ]; then echo "$f: $n lines"; fi
done <all >bad
none "no file has more than 800 lines" bad

# Tables (.def) and what is included as text (.inc) have no functions, and are as long as what they list.
grep -E '\.[ch]$' all | grep -Ev '^(include|tests)/' >code
while read -r f; do
    n=$(wc -l <"$GND_SRCDIR/$f")
    if [ "$n" -gt 500 ]; then echo "$f: $n lines"; fi
done <code >bad
none "no C file outside of tests has more than 500 lines" bad

# The form of .clang-format: a function's body begins with { and ends with } in the first column.
(cd "$GND_SRCDIR" && xargs awk '
    FNR == 1 { from = 0 }
    /^\{/ { from = FNR }
    /^\}/ {
        if (from && FNR - from - 1 > 80) printf "%s:%d: %d lines\n", FILENAME, from, FNR - from - 1
        functions += from > 0
        from = 0
    }
    END { if (functions < 1000) print "only " functions + 0 " functions found" }') <code >bad
none "no function outside of tests has more than 80 lines" bad

(cd "$GND_SRCDIR" && find tests -maxdepth 1 -type f ! -name '.*') >bad
none "every file of tests is in a folder of its kind" bad

grep -v '^#' "$GND_SRCDIR/tests/lib/longest.txt" | while read -r f; do
    [ -f "$GND_SRCDIR/$f" ] || [ -f "$GND_SRCDIR/$f.c" ] || echo "$f"
done >bad
none "tests/lib/longest.txt names tests" bad

grep -E '\.([chl]|cc|hpp|cl|def)$' all | (cd "$GND_SRCDIR" && xargs grep -lP '\t|\r') >bad
none "no tabs in C" bad

(cd "$GND_SRCDIR" && xargs grep -nE ' +$') <all >bad
none "no blanks at the end of a line" bad

# Other versions of clang-format place some things otherwise.
what="every C and C++ file has the form of .clang-format"
if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    grep -E '\.([ch]|cc|hpp)$' all | (cd "$GND_SRCDIR" && xargs clang-format --dry-run --Werror 2>&1) |
        sed -n 's/^\([^ :]*:[0-9]*\):.*error:.*/\1/p' >bad
    none "$what" bad
else
    skip "$what" "clang-format 14 is not installed"
fi

grep -E '^(lib|include)/' all | grep '\.h$' | while read -r f; do
    grep -q '^#ifndef GND_' "$GND_SRCDIR/$f" || echo "$f"
done >bad
none "every header of lib/ and include/ has a guard" bad
done_testing
