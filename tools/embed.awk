# SPDX-License-Identifier: BSD-3-Clause
#
# embed.awk - C source for the text of the kernels, from kernels/*.cl: one array gnd__kernels_text
# with every file, each after a line `//@file NAME` (NAME without folder and ".cl"). Runs with any
# POSIX awk.
#
#     awk -f embed.awk kernels/*.cl >data.c

# The name of a path: between the last / and ".cl".
function name(path) {
    sub(/.*\//, "", path)
    sub(/\.cl$/, "", path)
    return path
}

# One line as a C string literal. The characters go one by one: how \ and & count in the
# replacement of gsub differs between awks.
function literal(line,    i, c, s) {
    s = ""
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\\" || c == "\"")
            s = s "\\" c
        else if (c == "\t")
            s = s "\\t"
        else if (c == "?")
            s = s "\\?"
        else if (c != "\r")
            s = s c
    }
    return "    \"" s "\\n\""
}

BEGIN {
    print "/* SPDX-License-Identifier: BSD-3-Clause"
    print " *"
    print " * Made from kernels/ by tools/embed.awk."
    print " */"
    print "extern const char gnd__kernels_text[];"
    print "const char gnd__kernels_text[] ="
}
FNR == 1 { print literal("//@file " name(FILENAME)) }
{ print literal($0) }
END { print "    \"\";" }
