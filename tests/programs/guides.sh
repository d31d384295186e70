#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# guides.sh - the programs in documents do what the documents say. A block of code that is marked is compiled and run:
#
#     ```c file        declarations for the snippets of this document: functions, constants
#     ```c run         a snippet: statements that have a device `dev`, in a scope of their own
#     ```python run    the same in Python, with NumPy as `np`
#     ```text          what the snippet before prints; of snippets in two languages before it, what each prints
#
# A snippet without a ```text before the next heading, or the next snippet in its language, prints nothing. Each has to
# leave nothing behind: no array, no byte on the device, no open scope.
. "$GND_SRCDIR/tests/lib/tap.sh"

src=$GND_SRCDIR
GND_DEVICE=${GND_TEST_DEVICES%%,*}
export GND_DEVICE
if [ "$GND_TEST_SANITIZERS" != no ]; then
    skip_all "a program without sanitizers cannot use a library with them"
fi

# split DOCUMENT: into top.c, list (lines "NUMBER LANGUAGE LINE") and, of each snippet, NUMBER.LANGUAGE and NUMBER.want.
split() {
    $AWK -v doc="$1" '
        on == "text" && /^```$/ { for (l in waits) { close(waits[l] ".want"); delete waits[l] } }
        on != "" && /^```$/ { on = ""; next }
        on == "file" { print >"top.c"; next }
        on == "text" { for (l in waits) print >(waits[l] ".want"); next }
        on == "other" { next }
        on != "" { print >(n "." on); next }
        /^##* / { for (l in waits) delete waits[l] }
        /^```c file$/ { on = "file"; printf "#line %d \"%s\"\n", FNR + 1, doc >"top.c" }
        /^```(c|python) run$/ {
            on = $1 == "```c" ? "c" : "py"
            waits[on] = ++n
            print n, on, FNR >"list"
            printf "" >(n "." on)
            printf "" >(n ".want")
        }
        /^```text$/ { on = "text" }
        on == "" && /^```/ { on = "other" }
    ' "$src/$1"
}

# One program of all snippets in C: it runs those whose numbers are its arguments.
compose() {
    echo '#include <gnd.h>'
    echo '#include <math.h>'
    echo '#include <stdlib.h>'
    echo '#include <string.h>'
    if [ -f top.c ]; then cat top.c; fi
    while read -r n lang line; do
        if [ "$lang" = c ]; then
            printf 'static void snippet_%s(gnd_device *dev)\n{\n(void)dev;\n#line %s "%s"\n' "$n" $((line + 1)) "$1"
            cat "$n.c"
            echo '}'
        fi
    done <list
    cat <<'END'
#line 1 "guides.sh"
int main(int argc, char **argv)
{
    gnd_device *dev = gnd_open(NULL);
    gnd_stats before, after;
    gnd_scope_begin(); /* the table of indices to check, which a device makes with the first one and keeps */
    gnd_wait(gnd_take(gnd_zeros(dev, GND_INT32, 1, (int64_t[]){ 1 }), gnd_zeros(dev, GND_INT32, 1, (int64_t[]){ 1 }), 0));
    gnd_scope_end();
    if (argc != 2 || gnd_device_stats(dev, &before) != GND_OK) {
        fprintf(stderr, "guide: %s\n", gnd_message());
        return 99;
    }
    gnd_scope_begin();
    switch (atoi(argv[1])) {
END
    while read -r n lang line; do
        if [ "$lang" = c ]; then echo "    case $n: snippet_$n(dev); break;"; fi
    done <list
    cat <<'END'
    default: return 98;
    }
    if (gnd_scope_end() != GND_OK || gnd_scope_end() != GND_ERR_STATE)
        printf("guide: scopes were left open, or closed too often\n");
    gnd_device_stats(dev, &after);
    if (after.arrays != before.arrays || after.bytes_in_use != before.bytes_in_use)
        printf("guide: %d arrays, %lld bytes were left\n", (int)(after.arrays - before.arrays),
               (long long)(after.bytes_in_use - before.bytes_in_use));
    gnd_close(dev);
    return 0;
}
END
}

python=
for p in /usr/bin/python3 python3; do
    if $p -c 'import numpy' >/dev/null 2>&1; then python=$p && break; fi
done

# snippet DOCUMENT NUMBER LANGUAGE LINE: runs it and compares what it prints.
snippet() {
    name="$1:$4: the snippet in $3 prints what is said"
    if [ "$3" = py ]; then
        if [ -z "$python" ]; then
            skip "$name" "no python3 with NumPy (Debian: python3-numpy)"
            return
        fi
        { echo 'import numpy as np' && cat "$2.py"; } >run.py
        $python -B run.py >got 2>err
    else
        ./guide "$2" >got 2>err
    fi
    status=$?
    sed -i 's/ *$//' got # NumPy and printf end lines in blanks that documents do not have
    if [ $status = 0 ] && [ ! -s err ] && cmp -s got "$2.want"; then
        pass "$name"
    elif [ $status = 99 ] && grep -qE 'no device|not installed' err; then
        skip "$name" "$(head -n 1 err)"
    else
        fail "$name"
        { echo "status $status; wanted (-) and got (+):" && diff -u "$2.want" got && echo same; cat err; } | diag
    fi
}

all=0
for d in $(cd "$src" && ls README.md doc/*.md); do
    grep -qE '^```(c|python) run$' "$src/$d" || continue
    mkdir -p "$d" && cd "$d" || exit 99
    split "$d"
    compose "$d" >guide.c
    # shellcheck disable=SC2086 # CC may hold flags
    check "the snippets of $d compile" $CC -std=c11 -Wall -Wextra -Werror -Wno-unused-function \
        "-I$GND_BUILDDIR/include" "-I$src/include" guide.c -o guide "-L$GND_BUILDDIR/lib/.libs" -lgnd -lm
    if [ -x guide ]; then
        while read -r n lang line; do
            snippet "$d" "$n" "$lang" "$line"
            all=$((all + 1))
        done <list
    fi
    cd "$scratch" || exit 99
done
check "documents have snippets" test $all -gt 0
done_testing
