#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tidy.sh - clang-tidy finds nothing in lib, tools, formats, backends and mpi, of a short list of checks: those that
# tell of mistakes, need no exceptions here, and cost a fraction of a compilation.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"
command -v clang-tidy >/dev/null || skip_all "no clang-tidy (Debian: clang-tidy)"

checks='-*'
for c in assert-side-effect bool-pointer-implicit-conversion incorrect-roundings infinite-loop integer-division \
    macro-repeated-side-effects multiple-statement-macro posix-return redundant-branch-condition \
    suspicious-enum-usage suspicious-include suspicious-memset-usage suspicious-missing-comma suspicious-semicolon \
    swapped-arguments terminating-continue too-small-loop-variable unused-return-value; do
    checks=$checks,bugprone-$c
done
for c in cert-env33-c cert-fio38-c cert-msc24-c cert-msc30-c cert-pos44-c misc-definitions-in-headers \
    misc-redundant-expression misc-unused-parameters readability-avoid-const-params-in-decls \
    readability-delete-null-pointer readability-duplicate-include readability-misleading-indentation \
    readability-redundant-control-flow readability-redundant-declaration; do
    checks=$checks,$c
done

# tidy FILE...: what it says of them, in `found`
tidy() {
    # shellcheck disable=SC2086 # flags are words
    clang-tidy --quiet --checks="$checks" "$@" -- -std=gnu11 -D_GNU_SOURCE -I"$GND_SRCDIR/include" -I"$GND_SRCDIR/lib" \
        -I"$GND_SRCDIR/backends" -I"$GND_BUILDDIR/include" -DGND_LIBEXECDIR='"/"' $GND_TEST_MPI_CFLAGS >all 2>log
    grep -E ' (warning|error): ' all | sed "s|$GND_SRCDIR/||" >found
}

# Files that include headers which this machine lacks (libpng, OpenCL, MPI) are left out.
for d in lib tools formats backends mpi; do find "$GND_SRCDIR/$d" -name '*.c'; done | sort >files
# shellcheck disable=SC2046 # no path of ours has a blank
tidy $(cat files)
grep 'file not found' found >lacking
sed 's/:.*//' lacking | while read -r f; do grep -v ":.*$f" found >rest && mv rest found; done
grep -v 'file not found' found >rest
none "clang-tidy finds nothing in $(wc -l <files) files" rest
if [ -s lacking ]; then
    skip "files whose headers are not there" "$(head -n 1 lacking)"
fi

# What it finds nothing in, it has looked at.
printf '#include <string.h>\nvoid f(char *p) { memset(p, sizeof *p, 0); for (;;) { if (*p == *p) break; } }\n' >bad.c
tidy bad.c
check "it finds a comparison of a thing with itself" grep -q misc-redundant-expression found
done_testing
