# SPDX-License-Identifier: BSD-3-Clause
#
# gen-where.awk - the header gnd/where.h from the other public headers: a macro for each function, which tells the
# library the file and the line before it calls the function. Runs with any POSIX awk.
#
#     awk -f tools/gen-where.awk HEADER... >include/gnd/where.h

function wrap(f) {
    if (f == "gnd_here" || f in seen)
        return
    seen[f] = 1
    call = "(gnd_here(__FILE__, __LINE__), " f "(__VA_ARGS__))"
    between = length(call) + length(f) > 106 ? " \\\n    " : " "
    print "#define " f "(...)" between call
}

BEGIN {
    print "/* SPDX-License-Identifier: BSD-3-Clause"
    print " *"
    print " * gnd/where.h - errors and arrays know where in the program they were made. Made from the other headers by"
    print " * tools/gen-where.awk. Not to be included by itself: define GND_WHERE before gnd.h is included, in each source"
    print " * file that is to be told of, or by the compiler's -DGND_WHERE. Without that nothing of it costs anything."
    print " *"
    print " * Each function becomes a macro that calls gnd_here first; a name without parentheses behind it stays the"
    print " * function. So an error's text ends in \"[heat.c:42]\", and gnd_made_at tells it of an array."
    print " */"
    print "#ifndef GND_WHERE_H"
    print "#define GND_WHERE_H"
    print ""
}

FILENAME ~ /backend\.h$/ { next }
/^(GND_API|static inline) [^(]*[ *]gnd_[A-Za-z0-9_]+ *\(/ {
    match($0, /[ *]gnd_[A-Za-z0-9_]+ *\(/)
    f = substr($0, RSTART + 1, RLENGTH - 2)
    sub(/ +$/, "", f)
    wrap(f)
}
/^GND_NUMBERS\(/ {
    sub(/^GND_NUMBERS\(/, "")
    sub(/,.*/, "")
    wrap("gnd_" $0 "_f")
    wrap("gnd_f_" $0)
    wrap("gnd_" $0 "_i")
    wrap("gnd_i_" $0)
}

END {
    print ""
    print "#endif"
}
