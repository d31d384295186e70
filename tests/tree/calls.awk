# SPDX-License-Identifier: BSD-3-Clause
#
# calls.awk - a call of each public function, as C for tests/tree/calls.h, from declarations of one line each
# ("gnd_array *gnd_add(gnd_array *x1, gnd_array *x2)"). Arguments that are arrays come from v[], in order; the others
# have values with which most functions do something. A type that is not known here ends it with an error, so that a
# function that is added to the headers gets its call, and with it all that calls.h checks.

function word(s) { sub(/^.*[ *]/, "", s); return s }

# The C expression of parameter `name` of type `type` of function f.
function value(f, type, name) {
    if (name ~ /\[2\]$/) return "(double *)bytes"
    if (type ~ /^(const )?gnd_array \*$/) {
        kinds = kinds (kinds == "" ? "" : ", ") "\"" name "\""
        return "v[" nv++ "]"
    }
    if (type == "gnd_array *const *") {
        kinds = kinds (kinds == "" ? "" : ", ") "\"" name "\""
        lists = lists nv ","
        return "v + " nv++
    }
    if (type == "gnd_array **")
        return f == "gnd_assign" ? "&variable" : "outs + " 1100 * nout++
    if (type ~ /gnd_device \*$/) { ndev++; return "the_device" }
    if (type ~ /gnd_recording \*$/) { nrec++; return "the_recording" }
    if (type ~ /gnd_rng \*$/) return "&generator"
    if (type == "gnd_kernel *") return "NULL"
    if (type == "gnd_extent3") return "(gnd_extent3){1, 1, 1}"
    if (type == "const gnd_arg *") return "&an_output"
    if (type == "const gnd_kernel_call *") return "NULL"
    if (type == "gnd_ekernel *" || type == "gnd_rkernel *")
        return f ~ /_free$/ ? "NULL" : type == "gnd_ekernel *" ? "an_ekernel()" : "an_rkernel()"
    if (type == "const gnd_ekernel *" || type == "const gnd_rkernel *") return "NULL"
    if (type == "gnd_axes") { naxis++; return "the_axes" }
    if (type == "gnd_dtype") {
        ndtype++
        return f ~ /rng_(integers|poisson|binomial|geometric|multinomial)$/ ? "int_dtype" : "the_dtype"
    }
    if (type == "int") {
        if (name ~ /^axis1?$/) { naxis++; return "the_axis" }
        if (name == "ndim") return "2"
        if (name ~ /^(n|iterations|nx|nin|nout|nargs|naxes|deg|edge_order|axis2|b|to_j)$/) return "1"
        if (name == "type") return "2"
        return "0"
    }
    if (type ~ /^(int64_t|uint64_t)$/)
        return name ~ /^(stop|size|length)$/ ? "4" : name ~ /^(n|m|num|bins|at)$/ ? "2" : name ~ /^(start|offset|minlength)$/ ? "0" : "1"
    if (type == "size_t") return "64"
    if (type == "double") return name ~ /^(correction|rtol|atol|rcond)$/ ? "0" : "1"
    if (type == "unsigned") return "0"
    if (type == "const int64_t *") return name ~ /^(shape|s|size)$/ ? "fours" : "ones"
    if (type == "const int *") return f == "gnd_block" ? "NULL" : "places"
    if (type == "const char *")
        return name == "subscripts" ? "\"ij\"" : name == "mode" ? "\"edge\"" : name == "index" ? "\"0\"" : \
               name ~ /path/ ? "\"/nowhere/file\"" : "\"x\""
    if (type == "const char *const *") return "names"
    if (type == "const gnd_range *") return "&whole"
    if (type == "gnd_range") return "whole"
    if (type == "int *") return "&number"
    if (type == "int64_t *") return "&steps"
    if (type == "int32_t") return "0"
    if (type == "gnd_native_array *") return "&native"
    if (type == "gnd_loop_cond *") return "NULL"
    if (type ~ /^gnd_(loop|scan)_body \*$/) return substr(type, 1, length(type) - 2) "_of_calls"
    if (type == "void *" && name == "arg") return "NULL"
    if (type == "gnd_first_error *") return "&first"
    if (type == "FILE *") return "nowhere"
    if (type == "gnd_status *") return "&status"
    if (type ~ /^(const )?void \*$/) return "bytes"
    if (type ~ /^const (double|gnd_dtype|gnd_(pad|reduce)_options) \*$/) return "NULL"
    if (type ~ /^gnd_(norm|conv_mode|conv_method|quantile_method|matrix_ord|rng_root|index_mode|casting|reduction|interpolation|boundary|border|copy_rule)$/)
        return "(" type ")0"
    return ""
}

BEGIN { print "#include \"calls.h\"" }

/^(const )?[a-zA-Z_0-9 ]*[ *]gnd_[A-Za-z0-9_]*\(/ {
    head = $0
    sub(/\(.*/, "", head)
    f = word(head)
    ret = substr(head, 1, length(head) - length(f))
    sub(/ $/, "", ret)
    args = $0
    sub(/^[^(]*\(/, "", args)
    sub(/\)[^)]*$/, "", args)
    if (f == "gnd_eval")
        args = "gnd_device *dev, const char *text, const char *name, gnd_array *x, void *end"
    if (args ~ /\.\.\.|DLManaged|__/ || f ~ /^gnd_(release|close|open)$/)
        next
    n = split(args, a, /, */)
    nv = nout = ndev = nrec = naxis = ndtype = 0
    kinds = lists = call = ""
    known = 1
    for (i = 1; i <= n && args != "void"; i++) {
        name = word(a[i])
        type = substr(a[i], 1, length(a[i]) - length(name))
        sub(/ $/, "", type)
        if (name == "end")
            v = "NULL"
        else
            v = value(f, type, name)
        if (v == "") {
            known = 0
            what = type " " name
        }
        call = call (i > 1 ? ", " : "") v
    }
    if (nv + ndev + nrec == 0)
        next
    if (!known) {
        if (nv) { # a function of arrays has to be tried
            print "calls.awk: " f ": no value for " what >"/dev/stderr"
            failed = 1
        }
        next
    }
    kind = ret == "gnd_array *" ? "ARRAY" : ret == "gnd_status" ? "STATUS" : call ~ /&status/ ? "TOLD" : "ANSWER"
    print "static void call_" f "(gnd_array **v) { (void)v; GIVES_" kind "(" f "(" call ")); }"
    said = f == "gnd_reduce" ? "sum" : substr(f, 5) # messages are those of the reduction, here number 0
    table = table "    {\"" said "\", call_" f ", GIVES_" kind "_K, " nv ", {" (nv ? kinds : "0") "}, " ndev ", " nrec ", " naxis ", " ndtype "},\n"
}

END {
    print "static const struct call calls[] = {\n" table "};\n#include \"calls_check.h\""
    exit failed
}
