# SPDX-License-Identifier: BSD-3-Clause
#
# gen-cxx.awk - include/gnd/functions.hpp from the public headers given as arguments: for each C function that
# makes arrays one of the same name without gnd_, in namespace gnd, whose arguments and results are gnd::array.
# Runs with any POSIX awk.
#
#     awk -f tools/gen-cxx.awk include/gnd/*.h build/include/gnd/elementwise.h
#
#   gnd_array *x                         const array &x
#   int n, gnd_array *const *x           const arrays &x
#   int ndim, const int64_t *shape       const extents &shape     (also int n, const int64_t *reps)
#   int n, const gnd_range *idx          const indices &idx
#   gnd_array **u, gnd_array **v         a std::tuple of results, in place of the status
#
# A last flags is 0 unless given, an axes before it all of them. What has other pointers than these, or names an
# operator or a keyword of C++, is left out: gnd.hpp has it by hand, or the C function serves.

function trim(s) {
    sub(/^[ \t]+/, "", s)
    sub(/[ \t]+$/, "", s)
    return s
}

# The last word of a parameter, and what comes before it.
function name_of(p) {
    match(p, /[A-Za-z0-9_]+$/)
    return substr(p, RSTART)
}

function type_of(p) {
    match(p, /[A-Za-z0-9_]+$/)
    return trim(substr(p, 1, RSTART - 1))
}

# One declaration on one line, without GND_API.
function declare(d,    name, result, list, n, p, i, params, args, types, nout, t, v, part, from) {
    if (d !~ /^gnd_array \*gnd_/ && d !~ /^gnd_status gnd_/)
        return
    result = d ~ /^gnd_array/ ? "array" : "status"
    match(d, /gnd_[A-Za-z0-9_]+\(/)
    name = substr(d, RSTART + 4, RLENGTH - 5)
    if (name in skip || d ~ /\.\.\./)
        return
    list = substr(d, RSTART + RLENGTH)
    sub(/\).*$/, "", list)
    n = split(list, p, /,/)
    params = args = ""
    nout = 0
    from = n + 1
    for (i = n; i >= 1; i--) { # what may be left out: the last ones alone
        p[i] = trim(p[i])
        t = type_of(p[i])
        v = name_of(p[i])
        if (v == "flags" && t == "unsigned" || t == "gnd_axes" && v == "axes")
            from = i
        else
            break
    }
    for (i = 1; i <= n; i++) {
        p[i] = trim(p[i])
        t = type_of(p[i])
        v = name_of(p[i])
        part = ""
        if (t == "int" && i < n) {
            p[i + 1] = trim(p[i + 1])
            if (type_of(p[i + 1]) == "gnd_array *const *")
                part = "const arrays &" name_of(p[i + 1])
            else if (type_of(p[i + 1]) == "const gnd_range *")
                part = "const indices &" name_of(p[i + 1])
            else if (type_of(p[i + 1]) == "const int64_t *" && type_of(trim(p[i + 2])) != "const int *")
                part = "const extents &" name_of(p[i + 1])
        }
        if (part != "") {
            i++
            v = name_of(p[i])
            args = args ", " v ".n(), " v ".data()"
        } else if (t == "gnd_array *" || t == "const gnd_array *") {
            part = "const array &" v
            args = args ", " v ".get()"
        } else if (t == "gnd_array **" && v != "out" && v != "var") {
            args = args ", &out_[" nout "]"
            types = nout++ ? types ", array" : "array"
            continue
        } else if (t == "gnd_device *") {
            part = "gnd_device *" v
            args = args ", " v
        } else if (t ~ /\*/ && t != "const char *" && t != "gnd_rng *" && t != "const void *") {
            return
        } else {
            part = t (t ~ /\*$/ ? "" : " ") v
            if (i >= from)
                part = part (v == "flags" ? " = 0" : " = GND_ALL")
            args = args ", " v
        }
        params = params (params == "" ? "" : ", ") part
    }
    if ((result == "status") != (nout > 0) || params !~ /(array|arrays) &|gnd_device|gnd_rng/)
        return
    args = substr(args, 3)
    if (result == "array")
        printf "inline array %s(%s)\n{\n    return array(gnd_%s(%s));\n}\n", name, params, name, args
    else
        printf "inline std::tuple<%s> %s(%s)\n{\n    gnd_array *out_[%d] = {};\n" \
            "    return detail::results(gnd_%s(%s), out_, std::make_index_sequence<%d>());\n}\n",
            types, name, params, nout, name, args, nout
}

BEGIN {
    # Keywords and operators of C++, and what gnd.hpp has in another form.
    n = split("bool int delete retain release assign rotate name try try_array keep fail read wait " \
              "print index at from eval eval_names " \
              "item_f64 item_i64 status_of device_describe set add_at max_at min_at", w, / /)
    for (i = 1; i <= n; i++)
        skip[w[i]] = 1
    print "/* SPDX-License-Identifier: BSD-3-Clause"
    print " *"
    print " * gnd/functions.hpp - the functions of gnd for gnd::array, included by gnd.hpp. Each does what the C function"
    print " * of its name does (doc/API.md). Made from the headers by tools/gen-cxx.awk."
    print " */"
    print "#ifndef GND_FUNCTIONS_HPP"
    print "#define GND_FUNCTIONS_HPP"
    print ""
    print "#include <gnd.hpp>"
    print ""
    print "namespace gnd {"
    print "inline namespace GND_CXX_ERRORS {"
}

/^GND_API / {
    decl = substr($0, 9)
    while (decl !~ /;[ \t]*$/ && (getline line) > 0)
        decl = decl " " trim(line)
    declare(decl)
}

END {
    print "}"
    print "}"
    print ""
    print "#endif"
}
