# SPDX-License-Identifier: BSD-3-Clause
#
# gen-exact.awk - the loops that the host runs over small arrays (lib/host/exact.h), from
# lib/base/opset.def: of each operation and dtype whose text is plain C and exact, which is what it
# is also to the device's compiler. A text that names a function of kernels/ has no loop, and
# complex operations have none. Runs with any POSIX awk, with the functions of opset.awk.
#
#     awk -f opset.awk -f gen-exact.awk opset.def >lib/host/exact.c

# Functions of C that round correctly or not at all.
function plain(text,    s) {
    s = text
    gsub(/GND_INF_\$t/, "", s)
    gsub(/(fabs|sqrt|ceil|floor|trunc|rint|copysign)\(/, "(", s)
    gsub(/\$[TWRUf]/, "", s)
    return s !~ /[A-Za-z_][A-Za-z_0-9]*\(/ && s !~ /gnd_|GND_|\.[xy]/
}

# The text with the names of C: arguments x, y and w.
function in_c(text, t) {
    gsub(/\$0/, "x", text)
    gsub(/\$1/, "y", text)
    gsub(/\$2/, "w", text)
    gsub(/\$T/, type[t], text)
    gsub(/\$R/, type[t], text)
    gsub(/\$U/, "u" bits[t], text)
    gsub(/\$W/, bits[t] == 64 ? "u64" : "u32", text)
    gsub(/\$t/, t, text)
    gsub(/\$f/, t == "f32" ? "f" : "", text)
    return text
}

function loop(id, nin, rule, out, t, text) {
    if (text == "0" || text ~ /^ *$/ || !plain(text))
        return
    printf "LOOP(%s_%s, %s, %s, %s, %d, %s)\n", tolower(id), t, out == "BOOL" ? "b" : type[t],
        rule == "WHERE" ? "b" : type[t], type[t], nin, in_c(text, t)
    table = table "    [" nops "][GND_" name[t] "] = " tolower(id) "_" t ",\n"
}

function emit(    i) {
    split_entry(entry)
    loop(col[1], col[4], col[5], col[6], "b", col[7])
    for (i = 2; i <= 5; i++)
        loop(col[1], col[4], col[5], col[6], order[i], col[8])
    for (i = 6; i <= 9; i++)
        loop(col[1], col[4], col[5], col[6], order[i], col[9])
    for (i = 10; i <= 11; i++)
        loop(col[1], col[4], col[5], col[6], order[i], col[10])
    nops++
}

# From dtype s to t: as lib/codegen/values.c writes it.
function cast(s, t,    text) {
    text = "(" type[t] ")x"
    if (t == "b")
        text = "(x != 0)"
    else if (s ~ /^f/ && t ~ /^i/)
        text = "to_" (bits[t] < 64 ? "i32" : "i64") "_" s "(x)"
    else if (s ~ /^f/ && t ~ /^u/)
        text = "to_" (bits[t] <= 16 ? "i32" : bits[t] == 32 ? "i64" : "u64") "_" s "(x)"
    printf "LOOP(cast_%s_%s, %s, %s, %s, 1, %s)\n", s, t, type[t], type[s], type[s], text
    casts = casts "    [GND_" name[s] "][GND_" name[t] "] = cast_" s "_" t ",\n"
}

BEGIN {
    n = split("b i8 i16 i32 i64 u8 u16 u32 u64 f32 f64", order, " ")
    split("BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT32 FLOAT64", names, " ")
    for (i = 1; i <= n; i++) {
        name[order[i]] = names[i]
        type[order[i]] = order[i]
        bits[order[i]] = order[i] == "b" ? 8 : substr(order[i], 2) + 0
    }
    nops = 0
    print "/* Made from lib/base/opset.def by tools/gen-exact.awk. */"
    print "#include \"host/exact.h\""
    print "#include \"host/exactloop.h\"\n"
}

/^GND_OP\(/ { entry = "" ; open = 1 }
open {
    sub(/^ +/, "")
    entry = entry (entry == "" ? "" : " ") $0
    if (complete(entry)) {
        open = 0
        emit()
    }
}

END {
    for (i = 1; i <= n; i++)
        for (j = 1; j <= n; j++)
            if (i != j)
                cast(order[i], order[j])
    print "\nstatic gnd__loop *const ops[][GND_NDTYPES] = {\n" table "};"
    print "static gnd__loop *const casts[GND_NDTYPES][GND_NDTYPES] = {\n" casts "};"
    print "\ngnd__loop *gnd__exact_op(int op, gnd_dtype t)"
    print "{\n    return op >= 0 && (size_t)op < sizeof ops / sizeof *ops ? ops[op][t] : NULL;\n}"
    print "\ngnd__loop *gnd__exact_cast(gnd_dtype from, gnd_dtype to)\n{\n    return casts[from][to];\n}"
}
