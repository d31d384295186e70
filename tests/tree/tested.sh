#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tested.sh - every public function has a test. The table of functions and test files is made here and printed: nobody
# keeps it. A file of tests/ counts for a function if it calls it, by its name or by a macro of the headers, uses what
# the call gives, and compares something. So these do not count: a call that stands alone or behind (void), a name in a
# comment, and tests/tree, which gives bad arguments to all functions and reads no result. Functions of
# base/opset.def are called by tests/ops/ops_elementwise.c, which includes that table and compares every element.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"

printf '#include <gnd.h>\n#include <gnd/backend.h>\n' >all.c
# What a configuration without MPI cannot compile, it cannot call either.
if [ "$GND_TEST_MPI" != no ]; then echo '#include <gnd/mpi.h>' >>all.c; fi
# shellcheck disable=SC2086 # CC may hold flags
$CC -std=c11 -E -P -DGND_BUILD "-I$GND_BUILDDIR/include" "-I$GND_SRCDIR/include" $GND_TEST_MPI_CFLAGS all.c >all.i
tr '\n;' ' \n' <all.i | sed -n 's/.*visibility("default")))\(.*[ *]\)\(gndm*_[A-Za-z0-9_]*\) *(.*/\2 \1/p' |
    sed 's/ void *$/ nothing/; s/^gndm_open_[a-z]* /gndm_open /' | sort -u >declared
# Macros: NAME FUNCTION.
cat "$GND_SRCDIR"/include/gnd/*.h "$GND_BUILDDIR"/include/gnd/*.h |
    sed -n 's/^#define \([A-Za-z_0-9]*\)(.*[^A-Za-z_0-9]\(gnd_[A-Za-z_0-9]*\)(.*/\1 \2/p' >macros
sed -n 's/^GND_OP([A-Z0-9_]*, "[^"]*", \(gnd_[a-z0-9_]*\),.*/\1/p' "$GND_SRCDIR/lib/base/opset.def" >ops

cat >table.awk <<'A'
# Of the files named behind it: FUNCTION FILE, the first that counts for each function; alone where there is none.
function file_ends() {
    if (file != "" && compares)
        for (f in here)
            if (!(f in by))
                by[f] = file
    split("", here)
    compares = 0
}
FILENAME == "declared" { type[$1] = $NF; next }
FILENAME == "macros" { macro[$1] = $2; next }
FILENAME == "ops" { op[$1]; next }
FNR == 1 {
    file_ends()
    file = FILENAME
    sub(/^.*\/tests\//, "tests/", file)
    comment = 0
}
/^ *\/\*/ { comment = 1 }
{ was = comment }
/\*\// { comment = 0 }
was { next }
/^#include "base\/opset.def"/ && file ~ /\/ops_elementwise\.c$/ { for (f in op) here[f] }
/tap_(ok|is)|dist_(ok|same)\(|(^|[^A-Za-z_])(expect|ref|same|equal|check)[a-z_]*\(/ { compares = 1 }
{
    s = $0
    first = 1
    while (match(s, /[A-Za-z_][A-Za-z_0-9]*/)) {
        w = substr(s, RSTART, RLENGTH)
        before = substr(s, 1, RSTART - 1)
        s = substr(s, RSTART + RLENGTH)
        if (w in macro)
            w = macro[w]
        # It stands alone: nothing but blanks or (void) before the call, and no line above goes on. A function that
        # gives nothing has only its effect, which what follows looks at.
        if (w in type && !(first && before ~ /^[ \t]*(\(void\) *)?$/ && done && type[w] != "nothing"))
            here[w]
        first = 0
    }
    done = $0 ~ /[;{}:)][ \t]*(\/\*.*\*\/)?$/ || $0 == ""
}
END {
    file_ends()
    for (f in type)
        print f, by[f]
}
A
find "$GND_SRCDIR/tests" \( -name '*.c' -o -name '*.cc' \) ! -path '*/tree/*' ! -path '*/lib/*' | sort >files
# shellcheck disable=SC2046 # no blanks in the paths of sources, says configure
table() { $AWK -f table.awk declared macros ops $(cat "$1"); }
table files | sort >have
check "the headers declare functions" test "$(wc -l <have)" -gt 500
awk 'NF < 2' have >bad
none "every public function has a test that uses what it gives" bad
# The rule notices: without the files that name a function none is left for it.
xargs grep -Lw gnd_svd <files >fewer
check "one whose tests are taken away is found" sh -c "$AWK -f table.awk declared macros ops \$(cat fewer) | grep -qx 'gnd_svd *'"
printf '/* gnd_svd */\nvoid f(void)\n{\n    gnd_svd(x, 0, u, s, v);\n    tap_ok(1);\n}\n' >alone.c
echo alone.c >>fewer
check "and a call that stands alone is no test" sh -c "$AWK -f table.awk declared macros ops \$(cat fewer) | grep -qx 'gnd_svd *'"
diag <have
done_testing
