#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# symbols.sh - the same rule as imports.sh for what is linked: a function or a table that an object of lib uses is
# defined in its room, or in one that tests/tree/layers.txt allows it. There are no exceptions.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"

nm=${NM:-nm}
if ! command -v "$nm" >/dev/null; then
    skip "objects use their room and those below" "there is no nm"
    done_testing
fi

# The object of each source; "ROOM OBJECT" into objects.
(cd "$GND_SRCDIR" && find lib -name '*.c' ! -name '.*' && echo kernels/data.c) | sort | while read -r f; do
    dir=${f%/*} name=${f##*/}
    name=libgndcore_la-${name%.c}.o
    for o in "$GND_BUILDDIR/$dir/.libs/$name" "$GND_BUILDDIR/$dir/$name" \
        "$GND_BUILDDIR/$dir/.libs/lib_$name" "$GND_BUILDDIR/$dir/lib_$name"; do
        if [ -f "$o" ]; then
            echo "${dir#lib/} $o" >>objects
            continue 2
        fi
    done
    echo "$f: no object in $GND_BUILDDIR"
done >bad
none "every source of lib is compiled" bad

# "ROOM FILE TYPE SYMBOL" of each symbol of ours.
sed 's/^[^ ]* //' objects | xargs "$nm" -A | awk '
    FNR == NR { room[$2] = $1; next }
    $NF ~ /^gnd/ {
        o = $0
        sub(/\.o:.*/, ".o", o)
        file = o
        sub(/.*libgndcore_la-/, "", file)
        sub(/\.o$/, ".c", file)
        print room[o], file, $(NF - 1), $NF
    }' objects - >symbols
awk '$3 ~ /^[TDBRGSVWC]$/' symbols | wc -l | awk '{ if ($1 < 500) print "only " $1 " symbols are defined: not what nm says here" }' >bad
none "nm tells what objects define" bad

grep -v '^#' "$GND_SRCDIR/tests/tree/layers.txt" | awk '
    FILENAME == "-" { for (i = 1; i <= NF; i++) allowed[$1, $i]; next }
    $3 == "U" { use[++n] = $0; next }
    $3 ~ /^[TDBRGSVWC]$/ { where[$4] = $1; file[$4] = $2 }
    END {
        for (i = 1; i <= n; i++) {
            split(use[i], u, " ")
            public = u[4] ~ /^gnd_[^_]/ && (u[1], "public") in allowed
            if (u[4] in where && !((u[1], where[u[4]]) in allowed) && !public)
                print "lib/" u[1] "/" u[2] " uses " u[4] " of lib/" where[u[4]] "/" file[u[4]]
        }
    }' - symbols | sort -u >bad
none "a file of lib uses its room and those that tests/tree/layers.txt allows it" bad
done_testing
