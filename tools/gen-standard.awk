# SPDX-License-Identifier: BSD-3-Clause
#
# gen-standard.awk - doc/ARRAY_API.md from tools/standard.def, each row of which is checked on the way:
# its C functions are declared in the headers, its names are functions of the expression language, its
# test is there, names the first C function, and what is called planned is not there yet. What is wrong
# goes to stderr and makes the exit status 1. A row that says "planned" alone, as those of the
# extensions may, names nothing: what there is shows, but does not count. Runs with any POSIX awk, with the functions of opset.awk;
# src is the source tree, gen the folder that has gnd/elementwise.h.
#
#     awk -f tools/opset.awk -f tools/gen-standard.awk -v src=. -v gen=build/include >doc/ARRAY_API.md

function wrong(what) {
    print "standard.def: " name ": " what >"/dev/stderr"
    failed = 1
}

# --- what the tree has ------------------------------------------------------------------------------

function read_header(path,    line) {
    while ((getline line <path) > 0)
        if (line ~ /^(GND_API|static inline) / && match(line, /gnd_[a-zA-Z0-9_]+ *\(/)) {
            line = substr(line, RSTART, RLENGTH)
            sub(/ *\($/, "", line)
            declared[line] = 1
        }
    close(path)
}

function read_headers(    line, path) {
    path = src "/include/gnd.h"
    while ((getline line <path) > 0)
        if (line ~ /^#include <gnd\//) {
            sub(/^#include <gnd\//, "", line)
            sub(/>.*/, "", line)
            read_header(src "/include/gnd/" line)
            read_header(gen "/gnd/" line)
        }
    close(path)
}

# The table's entries with that macro, one after the other, to take(macro).
function read_table(path, macro,    line, entry, open) {
    while ((getline line <path) > 0) {
        if (index(line, macro "(") == 1) {
            entry = ""
            open = 1
        }
        if (!open)
            continue
        sub(/^ +/, "", line)
        entry = entry (entry == "" ? "" : " ") line
        if (complete(entry)) {
            open = 0
            split_entry(entry)
            take(macro)
        }
    }
    close(path)
}

function take(macro,    i, n, w) {
    if (macro == "GND_OP") {
        op_func[col[2]] = col[3]
        op_dtypes[col[2]] = dtypes(col[5])
        expression[col[2]] = 1
    } else if (macro == "FN") {
        n = split(col[1], w, " ")
        for (i = 1; i <= n; i++)
            expression[w[i]] = 1
    } else {
        name = col[2]
        rows++
        row()
    }
}

# Reads a test: its text to test_text, and to runs_on where it runs. 0: there is no such file.
function read_test(file,    line, path, find) {
    if (file in test_text)
        return test_text[file] != ""
    test_text[file] = ""
    runs_on[file] = "needs none"
    find = "find '" src "/tests/' -name '" file "'"
    path = ""
    find | getline path
    close(find)
    if (path == "")
        return 0
    while ((getline line <path) > 0) {
        test_text[file] = test_text[file] line "\n"
        if (line ~ /ref_devices\(|GND_TEST_DEVICES/)
            runs_on[file] = "all"
    }
    close(path)
    return test_text[file] != ""
}

# Whether a test has that word.
function mentions(file, word,    s, at, before, after) {
    s = test_text[file]
    while ((at = index(s, word)) > 0) {
        before = at > 1 ? substr(s, at - 1, 1) : " "
        after = substr(s, at + length(word), 1)
        if (before !~ /[A-Za-z0-9_]/ && after !~ /[A-Za-z0-9_]/)
            return 1
        s = substr(s, at + length(word))
    }
    return 0
}

# --- rows -------------------------------------------------------------------------------------------

# Checks that each name of a list is in the table `have`, or, of planned ones, is not.
function check_names(list, is_planned, what, in_c,    n, i, w) {
    n = split(list, w, /, */)
    for (i = 1; i <= n; i++) {
        if (w[i] == "")
            continue
        there = in_c ? (w[i] in declared) : (w[i] in expression)
        if (!there && !is_planned)
            wrong("there is no " what " " w[i])
        if (there && is_planned)
            wrong(w[i] " is there, and called planned: fill in the row")
    }
}

function without_planned(s) {
    sub(/^planned *|^-$/, "", s)
    return s
}

function ticked(list,    s) {
    if (list == "")
        return ""
    s = "`" list "`"
    gsub(/, */, "`, `", s)
    return s
}

function row(    c, e, t, test, c_planned, e_planned, first, status) {
    if (group != col[1]) {
        group = col[1]
        groups[++ngroups] = group
    }
    if (name in seen)
        wrong("two rows")
    seen[name] = 1
    c = col[3]
    e = col[4]
    t = col[5]
    test = col[6]
    if (c == "op" || e == "op" || t == "op") {
        if (!(name in op_func))
            wrong("no operation of base/opset.def")
        c = c == "op" ? op_func[name] : c
        e = e == "op" ? name : e
        t = t == "op" ? op_dtypes[name] : t
    }
    c_planned = c ~ /^planned/
    e_planned = e ~ /^planned/
    if (c == "planned" && ("gnd_" name) in declared) { # an extension's, without a row yet
        total[group]++
        put(ticked(name), ticked("gnd_" name), name in expression ? ticked(name) : "planned", "", "", "planned")
        return
    }
    check_names(without_planned(c), c_planned, "C function", 1)
    check_names(without_planned(e), e_planned, "function of expressions", 0)
    first = c
    sub(/,.*/, "", first)
    if (c_planned || test == "-") {
        if (!c_planned)
            wrong("no test is named")
        status = "planned"
    } else if (!read_test(test)) {
        wrong("there is no " test " below tests")
    } else if (!mentions(test, first) && !(col[3] == "op" && mentions(test, "opset.def"))) {
        wrong(test " does not name " first)
    }
    total[group]++
    if (!c_planned && !e_planned)
        done[group]++
    sub(/^every dtype$/, "all", t)
    put(ticked(name), c_planned ? "planned" : ticked(without_planned(c)),
        e_planned ? "planned" : ticked(without_planned(e)), t == "-" ? "" : t,
        status == "planned" ? "" : runs_on[test], status == "planned" ? "" : "`" test "`")
}

# A row of the document, in lines of at most 120 characters.
function put(a, c, e, t, d, test,    line, n, w, i) {
    line = "| " a " | " c " | " e " | " t " | " d " | " test " |"
    if (length(line) > 120) {
        n = split(c, w, /, /)
        line = "| " a " | " w[1] " | " e " | " t " | " d " | " test " |"
        for (i = 2; i <= n; i++)
            line = line "\n| | " w[i] " | | | | |"
    }
    gsub(/\|  \|/, "| |", line)
    gsub(/\|  \|/, "| |", line)
    text[group] = text[group] line "\n"
}

# --- the document -----------------------------------------------------------------------------------

BEGIN {
    failed = 0
    read_headers()
    read_table(src "/lib/base/opset.def", "GND_OP")
    read_table(src "/lib/lang/funcs.def", "FN")
    read_table(src "/tools/standard.def", "STD")
    if (!rows) {
        print "gen-standard.awk: no rows in " src "/tools/standard.def" >"/dev/stderr"
        exit 1
    }
    main_total = main_done = 0
    for (i = 1; i <= ngroups; i++)
        if (groups[i] != "linalg" && groups[i] != "fft") {
            main_total += total[groups[i]]
            main_done += done[groups[i]]
        }
    print "# The Array API standard"
    print ""
    print "Every function of the [Python Array API standard 2025.12](https://data-apis.org/array-api/2025.12/):"
    print "its C name, its name in expressions (`gnd_eval`, `gnd eval`), its dtypes, the devices on which it runs,"
    print "and the test that covers it. Made from tools/standard.def and the tables of the code by"
    print "tools/gen-standard.awk, which checks each row; tests/tree/standard.sh checks that no function is left out."
    print "Do not edit."
    print ""
    print "- Main namespace: " main_done " of " main_total " functions."
    print "- Extension linalg: " done["linalg"] + 0 " of " total["linalg"] ", without the four that are in the main namespace as well."
    print "- Extension fft: " done["fft"] + 0 " of " total["fft"] "."
    print ""
    print "dtypes: *all* are bool, int8 to int64, uint8 to uint64, float32, float64, complex64 and complex128, and,"
    print "in addition to those of the standard, float16 and bfloat16. A device without float64 has neither float64 nor"
    print "complex128. [SEMANTICS.md](SEMANTICS.md) has the dtype of each result. Devices: *all* means that the test runs on every"
    print "device given to the tests; *needs none* means that the function computes nothing."
    for (i = 1; i <= ngroups; i++) {
        print ""
        print "## " (groups[i] == "linalg" || groups[i] == "fft" ? "Extension " : "") groups[i]
        print ""
        print "| function | in C | in expressions | dtypes | devices | test |"
        print "|---|---|---|---|---|---|"
        printf "%s", text[groups[i]]
    }
    print ""
    print "## Constants, attributes and operators"
    print ""
    print "- Constants: `e`, `inf`, `nan`, `newaxis` and `pi` in expressions; `GND_E`, `GND_INF`, `GND_NAN`,"
    print "  `GND_IDX_NEWAXIS` and `GND_PI` in C."
    print "- Attributes of arrays: `x.device`, `x.dtype`, `x.mT`, `x.ndim`, `x.shape`, `x.size`, `x.T`; in C `gnd_device_of`,"
    print "  `gnd_dtype_of`, `gnd_mT`, `gnd_ndim`, `gnd_shape`, `gnd_size`, `gnd_T`. `to_device` is `gnd_to_device`,"
    print "  `__dlpack__` `gnd_to_dlpack`."
    print "- Operators: all of Python's in expressions; in C the corresponding functions."
    print "- `copy=` of `asarray`, `astype` and `reshape` is accepted in expressions and has no effect: arrays are values,"
    print "  so a copy cannot be distinguished from a view, and no memory is used if a view suffices."
    exit failed
}
