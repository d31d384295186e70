#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# cppcheck.sh - cppcheck finds nothing where bytes come from outside and where memory and handles are owned: files,
# the expression language, the caches, arrays, plugins, the tool, libgnd-mpi. Its errors, warnings and remarks on performance and
# portability count, but for these, which version 2.10 gets wrong about this code:
#
#     arrayIndexOutOfBoundsCond, zerodivcond   it does not follow an `if` that ends the loop or chooses a sign
#     incorrectLogicOperator                   it reads the float 0x1p63 as an int
#     internalAstError                         it cannot read a conditional inside a compound literal
#     invalidPointerCast                       bytes as floats are what a buffer is
#     uninitvar, legacyUninitvar               it does not know that a function fills what it is given
#     nullPointerArithmeticRedundantCheck      it takes NULL + 0 for arithmetic
#     varFuncNullUB                            NULL is a pointer on every system that gnd runs on
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"
command -v cppcheck >/dev/null || skip_all "no cppcheck (Debian: cppcheck)"

not_these='arrayIndexOutOfBoundsCond zerodivcond incorrectLogicOperator internalAstError invalidPointerCast uninitvar
legacyUninitvar nullPointerArithmeticRedundantCheck varFuncNullUB'
folders=
for d in lib/array lib/base lib/device lib/io lib/lang tools formats backends mpi; do folders="$folders $GND_SRCDIR/$d"; done
# shellcheck disable=SC2046,SC2086 # one word for each
check "cppcheck runs" cppcheck --quiet --std=c11 --enable=warning,performance,portability --max-configs=1 \
    $(printf -- '--suppress=%s ' $not_these) -I "$GND_SRCDIR/include" -I "$GND_SRCDIR/lib" \
    -I "$GND_SRCDIR/backends" -I "$GND_BUILDDIR/include" -D_GNU_SOURCE -DOPEN_MPI \
    --template='{file}:{line}: {id}: {message}' --output-file=found $folders
none "and finds nothing" found

# What it finds nothing in, it has looked at.
printf 'int f(void) { int a[2]; a[2] = 0; return a[0]; }\n' >bad.c
cppcheck --quiet --template='{id}' bad.c 2>bad
check "it finds an index out of bounds" grep -q arrayIndexOutOfBounds bad
done_testing
