#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# imports.sh - the import rule: a room of lib includes only rooms below it, as tests/tree/layers.txt has them,
# plugins include no header of lib/, users of the library only the public ones.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"

# includes DIR...: "FILE HEADER" for each #include "HEADER" in the C files there.
includes() {
    for d; do
        if [ -d "$GND_SRCDIR/$d" ]; then find "$GND_SRCDIR/$d" -name '*.[ch]'; fi
    done | sort | while read -r f; do
        sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$f" | sed "s|^|${f#"$GND_SRCDIR"/} |"
    done
}

# The table of rooms: every folder with C files is in it, and a room names only those above it.
grep -v '^#' "$GND_SRCDIR/tests/tree/layers.txt" >layers
{
    (cd "$GND_SRCDIR/lib" && find . -name '*.c' ! -name '.*') | sed 's|^\./||; s|/[^/]*$||' | sort -u |
        awk 'NR == FNR { room[$1]; next } !($1 in room) { print "lib/" $1 " is not in tests/tree/layers.txt" }' layers -
    awk '{ for (i = 2; i <= NF; i++) if ($i != "public" && !($i in above)) print $1 ": " $i " is not above it in tests/tree/layers.txt"
           above[$1] }' layers
} >bad
none "every folder of lib is in the table of rooms, and each room names those above it" bad

includes lib | awk 'function room(path) { sub(/\/[^\/]*$/, "", path); return path }
    NR == FNR { for (i = 1; i <= NF; i++) allowed[$1, $i]; next }
    $2 ~ /\.\./ { print $1 ": " $2 " (no .. in includes)"; next }
    {
        from = substr(room($1), 5)
        if (!((from, room($2)) in allowed)) print $1 ": " $2
    }' layers - >bad
none "a file of lib includes headers of its room and of those that tests/tree/layers.txt allows it" bad

includes lib | grep ' device/' | grep -Ev '^lib/device/' | grep -v ' device/\(device\|gate\|trace\)\.h$' >bad
none "of lib/device others include device.h, gate.h and trace.h only" bad

includes backends tools examples bench mpi | awk 'NR == FNR { layer[$1]; next }
    { split($2, part, "/"); sub(/^\.\.\/common\//, "", $2)
      if (part[1] in layer || part[1] == "ops" || $2 ~ /\.\.|^lib\//) print $1 ": " $2 }' layers - >bad
none "backends, tools, examples, bench and mpi include no header of lib/" bad
grep -rln 'include *<\(mpi\|gnd/mpi\)\.h>' "$GND_SRCDIR/lib" "$GND_SRCDIR/backends" "$GND_SRCDIR/formats" >bad
none "only mpi, its tests and examples know MPI" bad
includes include >bad
none "public headers include each other by <>" bad
grep -rln 'include *<\(CL/\|cuda\|nvrtc\)' "$GND_SRCDIR/lib" "$GND_SRCDIR/include" "$GND_SRCDIR/tools" >bad
none "only plugins include a vendor's header" bad
done_testing
