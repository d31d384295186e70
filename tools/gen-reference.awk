# SPDX-License-Identifier: BSD-3-Clause
#
# gen-reference.awk - doc/API.md from the public headers, in the order in which gnd.h includes them:
# each declaration with the comment above it. Runs with any POSIX awk. elementwise.h is itself made by
# the build; gen is the folder that has it.
#
#     awk -f tools/gen-reference.awk -v src=include -v gen=build/include >doc/API.md

function trim(s) {
    sub(/^ +/, "", s)
    sub(/ +$/, "", s)
    return s
}

# A line of a comment without its marks.
function bare(s) {
    sub(/^ *\/\*/, "", s)
    sub(/\*\/ *$/, "", s)
    sub(/^ ?\* ?/, "", s)
    sub(/^ /, "", s)
    sub(/ +$/, "", s)
    return s
}

# Prose in which Markdown sees no marks (no a*b*c, no <tag); indented lines are code.
function prose(s,    out) {
    if (s ~ /^   /)
        return "\n```c\n" substr(s, 4) "\n```\n"
    sub(/ X\([^.]*\./, "", s)
    gsub(/<[A-Za-z]/, "\\\\&", s)
    out = ""
    while (match(s, /[A-Za-z0-9)]\*[A-Za-z0-9(]/)) {
        out = out substr(s, 1, RSTART) "\\"
        s = substr(s, RSTART + 1)
    }
    return out s
}

# Lines of code that follow one another are one block.
function joined(s) {
    gsub(/```\n\n\n```c\n/, "", s)
    return s
}

# Prints the declarations that were collected, then what is said of them.
function flush_block() {
    if (code != "") {
        printf "\n```c\n%s```\n", code
        if (said != "")
            printf "\n%s", joined(said)
    }
    code = said = ""
}

# X(GND_OK, 0, "success"), X(INT8, int8, 1, 'i') and X(GND_Q_LOWER, "lower") with a comment as rows of a table.
function row(s,    n, c, i, note) {
    s = substr(s, index(s, "X(") + 2)
    if (match(s, /\/\*.*\*\//)) {
        note = trim(substr(s, RSTART + 2, RLENGTH - 4))
        s = trim(substr(s, 1, RSTART - 1))
    }
    sub(/\) *\\?$/, "", s)
    n = split(s, c, /, */)
    for (i = 4; i <= n && c[3] ~ /^"/; i++)
        c[3] = c[3] ", " c[i]
    gsub(/"/, "", c[3])
    if (n == 2) {
        if (!in_table)
            printf "\n| constant | NumPy's name | place |\n|---|---|---|\n"
        gsub(/"/, "", c[2])
        print "| `" c[1] "` | `" c[2] "` | " note " |"
    } else if (c[3] ~ /^[0-9]+$/) {
        if (!in_table)
            printf "\n| constant | NumPy's name | bytes |\n|---|---|---|\n"
        print "| `GND_" c[1] "` | `" c[2] "` | " c[3] " |"
    } else {
        if (!in_table)
            printf "\n| status | value | meaning |\n|---|---|---|\n"
        print "| `" c[1] "` | " c[2] " | " c[3] " |"
    }
    in_table = 1
}

# One line of a header. What is for C++ alone is not shown, of functions with a body the first lines.
function take(s,    t) {
    if (s ~ /^#ifdef __cplusplus/)
        in_cxx = 1
    else if (s ~ /^#(else|endif)/)
        in_cxx = 0
    if (in_cxx)
        return
    if (in_body) {
        in_body = s !~ /^}/
        return
    }
    if (s == "{") {
        sub(/\n$/, ";\n", code)
        in_body = 1
        return
    }
    if (in_comment) {
        t = bare(s)
        if (first_comment) {
            if (s ~ /\*\//)
                first_comment = in_comment = 0
            if (t != "" && t !~ /^SPDX/)
                head = head prose(t) "\n"
            else if (head != "")
                head = head "\n"
            if (!in_comment) {
                sub("^gnd/" name " - ", "", head)
                head = toupper(substr(head, 1, 1)) substr(head, 2)
                sub(/\n+$/, "", head)
                head = joined(head)
                printf "\n## gnd/%s\n\n%s\n", name, head
            }
            return
        }
        said = said prose(t) "\n"
        if (s ~ /\*\//)
            in_comment = 0
        return
    }
    if (in_macro) {
        if (s ~ /^ *X\(/)
            row(s)
        in_macro = s ~ /\\$/
        return
    }
    if (s ~ /^#define GND_[A-Z]+_LIST\(/) {
        if (said != "")
            printf "\n%s", said
        said = ""
        in_macro = 1
        in_table = 0
        return
    }
    if (depth == 0 && s ~ /^\/\* --- /) {
        flush_block()
        gsub(/^\/\* --- *| *-* *\*\/$/, "", s)
        printf "\n### %s\n", toupper(substr(s, 1, 1)) substr(s, 2)
        return
    }
    if (depth == 0 && s ~ /^ *\/\*/) {
        if (code != "")
            flush_block()
        said = ""
        in_comment = 1
        take(s)
        return
    }
    if (s ~ /^ *$/) {
        if (depth == 0)
            flush_block()
        return
    }
    if (skip_enum || s ~ /^typedef enum gnd_(status|dtype|quantile_method) \{/) { # made from a list that is shown
        skip_enum = s !~ /^}/
        return
    }
    if (depth == 0 && s ~ /^(#(include|if|elif|ifdef|ifndef|endif|else|undef)|#define gndm_open |extern "C"|})/ ||
        s ~ /^#define GND_([A-Z]+_H|API|PRINTF|SENTINEL)/) {
        if (code == "")
            said = ""
        return
    }
    sub(/^GND_API /, "", s)
    sub(/ GND_(PRINTF\([0-9, ]*\)|SENTINEL);$/, ";", s)
    if (s ~ /^static inline /) {
        sub(/^static inline /, "", s)
        sub(/ *\{ *return .*$/, ";", s)
    } else {
        t = s
        depth += gsub(/\{/, "", t)
        depth -= gsub(/}/, "", t)
    }
    sub(/^        +/, "    ", s)
    code = code s "\n"
}

function header(n,    path, line) {
    name = n
    head = ""
    depth = in_comment = in_macro = skip_enum = 0
    code = said = ""
    path = src "/gnd/" n
    if ((getline line <path) <= 0) {
        path = gen "/gnd/" n
        if ((getline line <path) <= 0) {
            print "gen-reference.awk: no " n " in " src " or " gen >"/dev/stderr"
            exit 1
        }
    }
    in_comment = first_comment = 1
    take(line)
    while ((getline line <path) > 0)
        take(line)
    close(path)
    flush_block()
}

BEGIN {
    print "# The C API"
    print ""
    print "Made from the headers by tools/gen-reference.awk; tests/tree/docs.sh checks that it is current. Do not"
    print "edit: edit the header. `#include <gnd.h>` gives everything here but gnd/mpi.h, which is of libgnd-mpi"
    print "([CLUSTERS.md](CLUSTERS.md)). Rules that hold everywhere (errors, owners, laziness, threads) are in"
    print "the head of [gnd.h](../include/gnd.h), what results are in [SEMANTICS.md](SEMANTICS.md)."
    print "The contract of plugins, gnd/backend.h, is in [BACKENDS.md](BACKENDS.md)."
    path = src "/gnd.h"
    n = 0
    while ((getline line <path) > 0)
        if (line ~ /^#include <gnd\// && line !~ /version\.h/) {
            sub(/^#include <gnd\//, "", line)
            sub(/>.*/, "", line)
            list[++n] = line
        }
    close(path)
    if (n == 0) {
        print "gen-reference.awk: " path " includes nothing" >"/dev/stderr"
        exit 1
    }
    list[++n] = "mpi.h"
    for (i = 1; i <= n; i++)
        header(list[i])
}
