#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# imports.sh - the import rule: a layer includes only layers below it, only sched, prim and api
# include the gate, plugins include no header of lib/, users of the library only the public ones.
. "$GND_SRCDIR/tests/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"

# includes DIR...: "FILE HEADER" for each #include "HEADER" in the C files there.
includes() {
    for d; do
        if [ -d "$GND_SRCDIR/$d" ]; then find "$GND_SRCDIR/$d" -name '*.[ch]'; fi
    done | sort | while read -r f; do
        sed -n 's/^[ \t]*#[ \t]*include[ \t]*"\([^"]*\)".*/\1/p' "$f" | sed "s|^|${f#"$GND_SRCDIR"/} |"
    done
}

# layer NAME ALLOWED...: files of lib/NAME include of lib/ only what is in the layers ALLOWED, or
# in their own folder.
layer() {
    name=$1
    includes "lib/$name" | awk -v self="$name" -v allowed=" $* " '{
        n = split($2, part, "/")
        if ($2 ~ /\.\./) print $1 ": " $2 " (no .. in includes)"
        else if (n > 1 && index(allowed, " " part[1] " ") == 0) print $1 ": " $2
    }' >bad
    none "lib/$name includes only: $*" bad
}

layer base
layer graph base
layer fuse base graph
layer codegen base graph fuse
layer backend base
layer prim base graph fuse codegen backend
layer sched base graph fuse codegen backend prim
layer io base
layer expr base graph
layer api base graph fuse codegen backend prim sched expr io

includes lib | grep 'backend/' | grep -Ev '^lib/(backend|sched|prim|api)/' >bad
none "only sched, prim and api include the gate" bad
includes lib | grep 'backend/' | grep -Ev '^lib/backend/' | grep -v 'backend/\(gate\|trace\)\.h$' >bad
none "of lib/backend others include gate.h and trace.h only" bad

(cd "$GND_SRCDIR" && ls lib) >layers
includes backends tools examples bench | awk 'NR == FNR { layer[$1]; next }
    { split($2, part, "/"); sub(/^\.\.\/common\//, "", $2)
      if (part[1] in layer || $2 ~ /\.\.|^lib\//) print $1 ": " $2 }' layers - >bad
none "backends, tools, examples and bench include no header of lib/" bad
includes include >bad
none "public headers include each other by <>" bad
grep -rln 'include *<\(CL/\|cuda\|nvrtc\)' "$GND_SRCDIR/lib" "$GND_SRCDIR/include" "$GND_SRCDIR/tools" >bad
none "only plugins include a vendor's header" bad
done_testing
