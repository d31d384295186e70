#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# docs.sh - the documentation is true where a script can tell: the README's example is the one that is
# compiled and run, links and named files exist, every environment variable is described and no other
# is, doc/API.md is what the headers say, and nothing is too wide or too long.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"

src=$GND_SRCDIR
docs=$(cd "$src" && ls README.md doc/*.md)

# --- the README's example --------------------------------------------------------------------------
# block LANGUAGE: the first block of the README in that language.
block() { awk -v lang="^\`\`\`$1\$" '/^```$/ { if (on) exit } on { print } $0 ~ lang { on = 1 }' "$src/README.md"; }
block c >readme.c
block text >readme.out
check "README.md has an example in C" test -s readme.c
file=$src/examples/hello.c
if [ -f "$file" ]; then
    check "it is examples/hello.c" diff "$file" readme.c
else
    skip "it is examples/hello.c" "there is no such file"
fi
# shellcheck disable=SC2086 # CC may hold flags
check "the README's example compiles" $CC -std=c11 -Wall -Wextra -Werror "-I$GND_BUILDDIR/include" \
    "-I$src/include" readme.c -o readme "-L$GND_BUILDDIR/lib/.libs" -lgnd
if GND_DEVICE=${GND_TEST_DEVICES%%,*} ./readme >out 2>err; then
    # the device is the reader's own
    sed -i 's/ on [a-z]*:[0-9]*$/ on a device/' readme.out out
    check "it prints what README.md says" diff readme.out out
elif grep -qE 'no device|not installed' out err; then
    skip "it prints what README.md says" "$(cat out err | grep -hE 'no device|not installed' | head -n 1)"
else
    fail "the README's example runs"
    cat out err | diag
fi

# --- links and files -------------------------------------------------------------------------------
# Of a document: "TARGET" of every link but those to other hosts; blocks of code are no prose.
prose() { awk '/^ *```/ { on = !on; next } !on' "$1"; }
# The anchors that its headings make.
anchors() {
    prose "$1" | sed -n 's/^##* *//p' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
for d in $docs; do
    prose "$src/$d" | grep -o ']([^)]*)' | sed 's/^](//; s/)$//' | grep -v '^https*://' | while read -r link; do
        path=${link%%#*}
        target=$src/$(dirname "$d")/$path
        [ -n "$path" ] || target=$src/$d
        if [ ! -e "$target" ]; then
            echo "$d: $link"
        elif [ "$link" != "$path" ] && ! anchors "$target" | grep -qxF -e "${link#*#}"; then
            echo "$d: $link (no such heading)"
        fi
    done
done >bad
none "every link leads somewhere" bad

# Words in `...` that are paths of the tree; NAME, * and <...> stand for something.
for d in $docs; do
    prose "$src/$d" | grep -o '`[^`]*`' | tr -d '`' | tr ' ' '\n' |
        grep -E '^(\./)?(lib|include|formats|kernels|backends|mpi|tests|tools|examples|bench|doc|build-aux|m4|\.ci)/[A-Za-z0-9._/-]*$|^(configure\.ac|Makefile\.am|bootstrap|quickstart|sources\.mk|gnd\.pc\.in)$' |
        grep -vE '[A-Z]{4}|NAME' | sort -u | while read -r path; do
        path=${path#./}
        [ -e "$src/$path" ] || [ -e "$GND_BUILDDIR/$path" ] || echo "$d: $path"
    done
done >bad
none "every file that is named exists" bad

# The table of libgnd-mpi's files; handlers of functions are one row of it.
for f in "$src"/mpi/*.c; do
    f=mpi/${f##*/}
    case $f in mpi/fn_*) ;; *) grep -qF "\`$f\`" "$src/doc/ARCHITECTURE.md" || echo "$f" ;; esac
done >bad
none "doc/ARCHITECTURE.md names each file of mpi" bad

# --- environment variables -------------------------------------------------------------------------
env=$src/doc/ENVIRONMENT.md
sed -n 's/^- `\(GND_[A-Z0-9_]*\)`:.*/\1/p' "$env" | sort >described
uniq -d described >bad
none "no variable is described twice" bad
{
    sed -n 's/^ *X([A-Z0-9_]*, "\(GND_[A-Z0-9_]*\)".*/\1/p' "$src/lib/base/env.h"
    find "$src/lib" "$src/backends" "$src/tools" "$src/tests" "$src/examples" "$src/bench" "$src/setup.py" "$src/mpi" \
        \( -name '*.[ch]' -o -name '*.py' \) -exec grep -ohE "(getenv\(|plug_choice\(|environ[^\"']*)[\"']GND_[A-Z0-9_]+" {} + |
        sed 's/.*GND_/GND_/'
    sed -nE 's/.*\$\{(GND_[A-Z0-9_]+)[-:].*/\1/p' "$src/quickstart" "$src/build-aux/run.in"
} | grep -vxE 'GND_(SRCDIR|BUILDDIR)' | sort -u >read
check "variables are read" test -s read
comm -23 read described >bad
none "every variable that is read is described in doc/ENVIRONMENT.md" bad
comm -13 read described >bad
none "doc/ENVIRONMENT.md describes no other" bad
for d in $docs; do
    prose "$src/$d" | grep -oE '`GND_[A-Z0-9_]+=' | tr -d '`=' | sort -u | comm -23 - described | sed "s|^|$d: |"
done >bad
none "no document sets another" bad

# --- the API ---------------------------------------------------------------------------------------
# Each function has a comment of its own directly above it, and no two the same: doc/API.md shows each by itself.
sed -n 's/^#include <gnd\/\(.*\)>.*/\1/p' "$src/include/gnd.h" | while read -r h; do
    if [ -f "$src/include/gnd/$h" ]; then echo "$src/include/gnd/$h"; else echo "$GND_BUILDDIR/include/gnd/$h"; fi
done >headers
echo "$src/include/gnd/mpi.h" >>headers
xargs cat <headers | $AWK '
    /^\/\*/ { text = "" }
    /^\/\*/, /\*\/ *$/ { text = text " " $0; next }
    /^GND_API / {
        match($0, /gndm?_[A-Za-z0-9_]+\(/)
        name = substr($0, RSTART, RLENGTH - 1)
        gsub(/[ *\/]+/, " ", text)
        if (text == "" || text ~ /^ *---/)
            print name ": no comment directly above it"
        else if (text in seen)
            print name ": the same text as " seen[text]
        seen[text] = name
    }
    { text = "" }' >bad
none "each function has a comment of its own" bad

$AWK -f "$src/tools/gen-reference.awk" -v "src=$src/include" -v "gen=$GND_BUILDDIR/include" >API.md
check "doc/API.md is current (else: awk -f tools/gen-reference.awk -v src=include -v gen=build/include >doc/API.md)" \
    diff "$src/doc/API.md" API.md
for h in "$src"/include/gnd/*.h "$GND_BUILDDIR/include/gnd/elementwise.h"; do
    sed -nE 's/^(GND_API|static inline) [^(]*[ *](gndm?_[a-z0-9_]+) *\(.*/\2/p' "$h"
done | sort -u >functions
check "the headers have functions" test -s functions
while read -r f; do grep -q "[ *]$f(" "$src/doc/API.md" || echo "$f"; done <functions >bad
none "doc/API.md has every public function" bad

# What the table of functions says of C: only functions that there are.
grep -oE '"gnd_[a-z0-9_ ]*"' "$src/lib/lang/funcs.def" | tr -d '"' | tr ' ' '\n' | sort -u >named
check "the table of functions names C functions" test "$(wc -l <named)" -gt 200
comm -23 named functions >bad
none "each of them is public" bad

# --- the manual page ------------------------------------------------------------------------------
sed -n 's/^[A-Z]*FN("\([^"]*\)".*/\1/p; s/^GND_OP([A-Z0-9_]*, "\([^"]*\)".*/\1/p' "$src/lib/lang/funcs.def" \
    "$src/lib/base/opset.def" | tr ' ' '\n' | grep -v '\.' | sort -u >functions
check "the expression language has functions" test "$(wc -l <functions)" -gt 300
tr -c 'A-Za-z0-9_' '\n' <"$src/doc/gnd.1" | sort -u >words
comm -23 functions words >bad
none "doc/gnd.1 names every function of the expression language" bad
if command -v groff >/dev/null; then
    groff -ww -mdoc -Tutf8 "$src/doc/gnd.1" 2>bad >/dev/null || echo "groff failed" >>bad
    none "groff has nothing to say on doc/gnd.1" bad
else
    skip "groff has nothing to say on doc/gnd.1" "no groff"
fi

# --- form ------------------------------------------------------------------------------------------
for d in $docs; do
    awk -v d="$d" 'length($0) > 120 { print d ":" FNR ": " length($0) " characters" }' "$src/$d"
done >bad
none "no line has more than 120 characters" bad
for d in $docs; do grep -nE '[[:blank:]]+$' "$src/$d" | sed "s|^|$d:|"; done >bad
none "no blanks at the end of a line" bad
# Texts that wait for an editor.
for d in $docs CHANGELOG.md CONTRIBUTING.md SECURITY.md doc/gnd.1; do
    grep -nwE 'XX+|TODO|FIXME|TBD' "$src/$d" | sed "s|^|$d:|"
done >bad
none "nothing is left to write" bad
check "doc/CONVENTIONS.md has fewer than 100 lines" test "$(wc -l <"$src/doc/CONVENTIONS.md")" -lt 100
done_testing
