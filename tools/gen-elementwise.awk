# SPDX-License-Identifier: BSD-3-Clause
#
# gen-elementwise.awk - the public header of the elementwise functions, from lib/base/opset.def:
# one declaration each, with a comment that says what it does, the dtypes it takes and the one it
# gives. Runs with any POSIX awk, with the functions of opset.awk.
#
#     awk -f opset.awk -f gen-elementwise.awk opset.def >include/gnd/elementwise.h

# The dtype of the result, in words.
function result(rule, out, nin,    s) {
    if (out == "BOOL")
        return "bool"
    if (out == "INT32")
        return "int32"
    if (rule == "PARTS")
        return "the complex dtype of the promoted one"
    if (rule == "WHERE")
        s = "the promoted dtype of x2 and x3"
    else
        s = nin == 1 ? "the dtype of x" : rule == "LDEXP" ? "the dtype of x1" : "the promoted dtype"
    if (rule == "FLOAT" || rule == "LDEXP")
        s = s "; for bool and ints a float (float16 from 8 bits, float32 from 16, else float64)"
    if (rule == "DIVIDE")
        s = s "; for bool and ints float64"
    if (rule == "INT")
        s = s "; for bool int8"
    if (out == "REAL")
        s = s "; for complex its real dtype"
    return s
}

# Prints text in lines of up to 100 characters, the first after `first`, the others after `rest`.
function wrap(text, first, rest,    n, w, i, line) {
    n = split(text, w, " ")
    line = first w[1]
    for (i = 2; i <= n; i++) {
        if (length(line) + 1 + length(w[i]) > 96) {
            print line
            line = rest w[i]
        } else
            line = line " " w[i]
    }
    return line
}

function emit(    nin, args, i) {
    split_entry(entry)
    nin = col[4] + 0
    args = "gnd_array *x"
    for (i = 1; i <= nin && nin > 1; i++)
        args = (i > 1 ? args ", " : "") "gnd_array *x" i
    print wrap(col[13] " Takes " dtypes(col[5]) "; gives " result(col[5], col[6], nin) ".", "/* ",
               " * ") " */"
    print "GND_API gnd_array *" col[3] "(" args ");"
}

# The forms with a number of an operation of two arguments, under its short name.
function numbers(name, func) {
    print "GND_NUMBERS(" name ", " func ")"
}

function alias(name, func, doc, two) {
    print "/* " doc " */"
    if (two)
        print "static inline gnd_array *" name "(gnd_array *x1, gnd_array *x2) { return " func \
            "(x1, x2); }"
    else
        print "static inline gnd_array *" name "(gnd_array *x) { return " func "(x); }"
}

BEGIN {
    print "/* SPDX-License-Identifier: BSD-3-Clause"
    print " *"
    print " * gnd/elementwise.h - functions that work element by element. Made from"
    print " * lib/base/opset.def by tools/gen-elementwise.awk."
    print " *"
    print " * Arguments broadcast to a common shape, which is the result's, and promote to a common"
    print " * dtype; weak scalars (gnd_int, gnd_real ...) take the dtype of what they meet. float16 and"
    print " * bfloat16 are computed in float32 and rounded. Semantics are the Array API standard's, and"
    print " * NumPy 2's where it leaves a choice. Errors of all: GND_ERR_NULL, GND_ERR_SHAPE (shapes that"
    print " * do not broadcast), GND_ERR_DTYPE (a dtype that the function does not take), GND_ERR_DEVICE"
    print " * (arrays of different devices), GND_ERR_OVERFLOW (a weak int that does not fit),"
    print " * GND_ERR_UNSUPPORTED (float64 or complex128 where the device has no float64), GND_ERR_NOMEM,"
    print " * and those that the arguments carry."
    print " */"
    print "#ifndef GND_ELEMENTWISE_H"
    print "#define GND_ELEMENTWISE_H"
    print ""
    print "#include <gnd/array.h>"
    print "#include <gnd/create.h>"
    print ""
    print "#ifdef __cplusplus"
    print "extern \"C\" {"
    print "#endif"
}

# A comment line of the table that names a group becomes one of the header.
/^\/\* --- / { print ""; print $0; next }
/^GND_OP\(/ { entry = "" ; open = 1 }
open {
    sub(/^ +/, "")
    entry = entry (entry == "" ? "" : " ") $0
    if (complete(entry)) {
        open = 0
        emit()
        if (col[4] == 2 && col[5] != "PARTS")
            with_number[++nwith] = col[3]
    }
}

END {
    print ""
    print "/* --- short names --- */"
    alias("gnd_sub", "gnd_subtract", "gnd_subtract.", 1)
    alias("gnd_mul", "gnd_multiply", "gnd_multiply.", 1)
    alias("gnd_div", "gnd_divide", "gnd_divide.", 1)
    alias("gnd_mod", "gnd_remainder", "gnd_remainder.", 1)
    alias("gnd_power", "gnd_pow", "gnd_pow.", 1)
    alias("gnd_neg", "gnd_negative", "gnd_negative.", 0)
    alias("gnd_radians", "gnd_deg2rad", "gnd_deg2rad.", 0)
    alias("gnd_degrees", "gnd_rad2deg", "gnd_rad2deg.", 0)
    alias("gnd_expit", "gnd_sigmoid", "gnd_sigmoid.", 0)
    print ""
    print "/* --- with numbers --- */"
    print "/* f(x1, x2), which then releases `number`, one of them: so that it needs no owner. */"
    print "static inline gnd_array *gnd_with_number(gnd_array *(*f)(gnd_array *, gnd_array *), gnd_array *x1,"
    print "                                         gnd_array *x2, gnd_array *number)"
    print "{"
    print "    gnd_array *y = f(x1, x2);"
    print "    gnd_release(number);"
    print "    return y;"
    print "}"
    print "/* The operations of two arguments with a number in place of one of them. GND_NUMBERS(mul, gnd_multiply) makes"
    print " *     gnd_mul_f(x, 0.5)   x * 0.5     gnd_f_mul(0.5, x)   0.5 * x     a double, as gnd_real has it"
    print " *     gnd_mul_i(x, 2)     x * 2       gnd_i_mul(2, x)     2 * x       an int64_t, as gnd_int has it"
    print " * They are functions: a 2 for gnd_mul_f is the float 2.0, and makes floats of an array of ints. The number is"
    print " * released with its last use; errors are the operation's. */"
    print "#define GND_NUMBERS(name, func) \\"
    print "    static inline gnd_array *gnd_##name##_f(gnd_array *x1, double x2) \\"
    print "    { \\"
    print "        gnd_array *n = gnd_real(x2); \\"
    print "        return gnd_with_number(func, x1, n, n); \\"
    print "    } \\"
    print "    static inline gnd_array *gnd_f_##name(double x1, gnd_array *x2) \\"
    print "    { \\"
    print "        gnd_array *n = gnd_real(x1); \\"
    print "        return gnd_with_number(func, n, x2, n); \\"
    print "    } \\"
    print "    static inline gnd_array *gnd_##name##_i(gnd_array *x1, int64_t x2) \\"
    print "    { \\"
    print "        gnd_array *n = gnd_int(x2); \\"
    print "        return gnd_with_number(func, x1, n, n); \\"
    print "    } \\"
    print "    static inline gnd_array *gnd_i_##name(int64_t x1, gnd_array *x2) \\"
    print "    { \\"
    print "        gnd_array *n = gnd_int(x1); \\"
    print "        return gnd_with_number(func, n, x2, n); \\"
    print "    }"
    print "/* Of all of them, in the order of the functions above. */"
    short_name["gnd_subtract"] = "sub"
    short_name["gnd_multiply"] = "mul"
    short_name["gnd_divide"] = "div"
    short_name["gnd_remainder"] = "mod"
    for (i = 1; i <= nwith; i++) {
        f = with_number[i]
        numbers(f in short_name ? short_name[f] : substr(f, 5), f)
    }
    print "/* x where the condition is true, else the number. */"
    print "static inline gnd_array *gnd_where_f(gnd_array *condition, gnd_array *x, double other)"
    print "{"
    print "    gnd_array *n = gnd_real(other), *y = gnd_where(condition, x, n);"
    print "    gnd_release(n);"
    print "    return y;"
    print "}"
    print "/* The same with an int. */"
    print "static inline gnd_array *gnd_where_i(gnd_array *condition, gnd_array *x, int64_t other)"
    print "{"
    print "    gnd_array *n = gnd_int(other), *y = gnd_where(condition, x, n);"
    print "    gnd_release(n);"
    print "    return y;"
    print "}"
    print "/* gnd_clip between two numbers. */"
    print "static inline gnd_array *gnd_clip_f(gnd_array *x, double low, double high)"
    print "{"
    print "    gnd_array *a = gnd_real(low), *b = gnd_real(high), *y = gnd_clip(x, a, b);"
    print "    gnd_release(a);"
    print "    gnd_release(b);"
    print "    return y;"
    print "}"
    print "/* The same with ints. */"
    print "static inline gnd_array *gnd_clip_i(gnd_array *x, int64_t low, int64_t high)"
    print "{"
    print "    gnd_array *a = gnd_int(low), *b = gnd_int(high), *y = gnd_clip(x, a, b);"
    print "    gnd_release(a);"
    print "    gnd_release(b);"
    print "    return y;"
    print "}"
    print ""
    print "#ifdef __cplusplus"
    print "}"
    print "#endif"
    print "#endif"
}
