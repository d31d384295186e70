# SPDX-License-Identifier: BSD-3-Clause
#
# gen-exact.awk - the loops that the host runs over small arrays (lib/host/exact.h), from
# lib/base/opset.def, lib/graph/fnset.def and files of kernels/: of each operation and dtype whose text is plain C of
# operations that are exact or correctly rounded, which is what it is also to the device's compiler.
# A text may call functions of kernels/ that are such, in their form for CPUs, and then has them
# before it. Complex operations have no loops. Runs with any POSIX awk, with the functions of
# opset.awk.
#
#     awk -f opset.awk -f gen-exact.awk core.cl ... opset.def fnset.def >lib/host/exact.c

# The text with the names of C for dtype t: arguments x, y and w.
function in_c(text, t) {
    gsub(/\$0/, "x", text)
    gsub(/\$1/, "y", text)
    gsub(/\$2/, "w", text)
    gsub(/\$[TR]/, "g_" t, text)
    gsub(/\$U/, "g_u" bits[t], text)
    gsub(/\$W/, bits[t] == 64 ? "g_u64" : "g_u32", text)
    gsub(/\$[tnr]/, t, text)
    gsub(/\$u/, "u" bits[t], text)
    gsub(/\$f/, t == "f32" ? "f" : "", text)
    return text
}

# Whether a text, its functions of kernels/ included, calls nothing but C's functions that round
# correctly or not at all.
function plain(text,    s, name) {
    s = text
    gsub(/GND_(INF|NAN|BITS|FROM)_f(32|64)/, "", s)
    gsub(/GND_(INLINE|FN)/, "", s)
    while (match(s, /gnd_[a-z0-9]+_[a-z0-9]+/)) {
        name = substr(s, RSTART, RLENGTH)
        s = substr(s, 1, RSTART - 1) substr(s, RSTART + RLENGTH)
        if (!pure(name))
            return 0
    }
    gsub(/(fabs|sqrt|ceil|floor|trunc|rint|copysign|fmod|fmin|fmax|fma|sizeof)\(/, "(", s)
    gsub(/(if|for|while|switch|return) *\(/, "(", s)
    gsub(/g_(b|[iuf][0-9]+)/, "", s)
    return s !~ /[A-Za-z_][A-Za-z_0-9]*\(/ && s !~ /gnd_|GND_|g_[a-z]|\.[xy]/
}

# Whether function `name` of kernels/ is plain; known[] has the answers: 1 yes, 2 no.
function pure(name) {
    if (!(name in known)) {
        known[name] = 1 # its own name is in its text
        known[name] = name in fn && plain(fn[name]) ? 1 : 2
    }
    return known[name] == 1
}

# Writes the functions of kernels/ that a text calls, each after those that it calls itself.
function need(text,    s, name) {
    s = text
    while (match(s, /gnd_[a-z0-9]+_[a-z0-9]+/)) {
        name = substr(s, RSTART, RLENGTH)
        s = substr(s, RSTART + RLENGTH)
        if (name in fn && !(name in written)) {
            written[name] = 1
            need(fn[name])
            printf "%s\n", fn[name]
        }
    }
}

# The loop of an operation on dtype t; near: its text for arguments near 0, or "0".
function loop(id, nin, rule, out, t, text, near) {
    text = in_c(text, t)
    near = in_c(near, t)
    if (rule == "LDEXP" || text == "0" || text ~ /^ *$/ || !plain(text))
        return
    need(text)
    if (near != "0" && plain(near)) {
        need(near)
        printf "NEAR_LOOP(%s_%s, %s, %d, %s, %s)\n", tolower(id), t, t, nin, near, text
    } else {
        printf "%s(%s_%s, %s, %s, %s, %d, %s)\n", t ~ /^f/ && id in often ? "WIDE_LOOP" : "LOOP",
            tolower(id), t, out == "BOOL" ? "b" : t, rule == "WHERE" ? "b" : t, t, nin, text
    }
    run(id, t, text)
    table = table "    [" nops "][GND_" name[t] "] = " tolower(id) "_" t ",\n"
}

# The operation from one element to the next, of those that reductions use, and on lanes of floats.
function run(id, t, text) {
    if (id !~ /^(ADD|MULTIPLY|MAXIMUM|MINIMUM|LOGICAL_(AND|OR)|BITWISE_(AND|OR|XOR))$/)
        return
    printf "%sRUN(%s_%s_run, %s, %s)\n", t ~ /64/ && id ~ /^M[AI][XN]IMUM$/ ? "WIDE_" : "",
        tolower(id), t, t, text
    runs = runs "    [" nops "][GND_" name[t] "] = " tolower(id) "_" t "_run,\n"
    if (t !~ /^f/)
        return
    printf "LANES(%s_%s_lanes, %s, %s)\n", tolower(id), t, t, text
    lanes = lanes "    [" nops "][GND_" name[t] "] = " tolower(id) "_" t "_lanes,\n"
}

# Random words, and numbers that are made of one exactly, x; `text` is the same of the arguments, of
# which there are nin; `post` changes an array of words before.
function word_of(id, nin, text, made, post,    size) {
    gsub(/\$3/, "words", post)
    post = post == 0 ? "(void)0" : in_c(post, "u64")
    if (!(id in words) || !plain(in_c(text, "u64")) || !plain(post))
        return
    need(text = in_c(text, "u64"))
    need(made = in_c(made, "u64"))
    need(post)
    size = id ~ /32/ ? 32 : 64
    printf "WORD_LOOP(%s, %s, %d, %d, %s, %s)\n", tolower(id), words[id], size, nin, post, made
    table = table "    [" nops "][GND_UINT64] = " tolower(id) ",\n"
}

function emit(    i) {
    i = split_entry(entry)
    near = col[i]
    if (entry !~ /^GND_OP/) {
        word_of(col[1], col[3], col[4], col[7], col[8])
        nops++
        return
    }
    loop(col[1], col[4], col[5], col[6], "b", col[7], "0")
    for (i = 2; i <= 5; i++)
        loop(col[1], col[4], col[5], col[6], order[i], col[8], "0")
    for (i = 6; i <= 9; i++)
        loop(col[1], col[4], col[5], col[6], order[i], col[9], "0")
    for (i = 10; i <= 11; i++)
        loop(col[1], col[4], col[5], col[6], order[i], col[10], near)
    nops++
}

# From dtype s to t: as lib/codegen/values.c writes it.
function cast(s, t,    text) {
    text = "(g_" t ")x"
    if (t == "b")
        text = "(x != 0)"
    else if (s ~ /^f/ && t ~ /^i/)
        text = "gnd_f2" (bits[t] < 64 ? "i32" : "i64") "_" s "(x)"
    else if (s ~ /^f/ && t ~ /^u/)
        text = "gnd_f2" (bits[t] <= 16 ? "i32" : bits[t] == 32 ? "i64" : "u64") "_" s "(x)"
    need(text)
    printf "LOOP(cast_%s_%s, %s, %s, %s, 1, %s)\n", s, t, t, s, s, text
    casts = casts "    [GND_" name[s] "][GND_" name[t] "] = cast_" s "_" t ",\n"
}

# A section of kernels/ has ended: keeps it for each of its dtypes; the form for CPUs is the one.
function section(    i, k, n, word, cpu, list, t) {
    n = split(head, word, " ")
    cpu = word[n] == "cpu"
    if (head != "" && word[n] != "cuda") {
        list = ""
        for (i = 3; i <= n; i++)
            list = list " " (word[i] == "i" ? "i8 i16 i32 i64" : word[i] == "u" ? \
                "u8 u16 u32 u64" : word[i] == "f" ? "f32 f64" : word[i])
        n = split(list, word, " ")
        for (i = 1; i <= n; i++) {
            t = word[i]
            k = "gnd_" fname "_" t
            if (t in bits && (cpu || !(k in of_cpu))) {
                fn[k] = in_c(body, t)
                if (cpu)
                    of_cpu[k] = 1
            }
        }
    }
    head = body = ""
}

BEGIN {
    n = split("b i8 i16 i32 i64 u8 u16 u32 u64 f32 f64", order, " ")
    split("BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT32 FLOAT64", names, " ")
    for (i = 1; i <= n; i++) {
        name[order[i]] = names[i]
        bits[order[i]] = order[i] == "b" ? 8 : substr(order[i], 2) + 0
    }
    # compiled for wider vectors as well, which takes its time: the frequent ones of many operations,
    # and those that are calls without such instructions
    n_often = split("ADD SUBTRACT MULTIPLY DIVIDE SQUARE SQRT MAXIMUM MINIMUM EXP EXPM1 LOG LOG1P LOG2 LOG10 TANH POW ERF ATAN FLOOR CEIL TRUNC ROUND", names, " ")
    for (i = 1; i <= n_often; i++)
        often[names[i]] = 1
    words["BITS32"] = words["BOUNDED32"] = "u32"
    words["BITS64"] = "u64"
    words["UNIFORM32"] = words["NORMAL32"] = words["EXPO32"] = words["LAPLACE32"] = words["LOGISTIC32"] = "f32"
    words["UNIFORM64"] = words["NORMAL64"] = words["EXPO64"] = words["LAPLACE64"] = words["LOGISTIC64"] = "f64"
    nops = 0
    print "/* Made from lib/base/opset.def and kernels/ by tools/gen-exact.awk. */"
    print "#include \"host/exact.h\""
    print "#include \"host/exactloop.h\"\n"
}

# What is for compilers of NVIDIA alone.
FILENAME ~ /\.cl$/ && /^#if defined\(__NV/ { nvidia = 1; next }
FILENAME ~ /\.cl$/ && nvidia && /^#(else|endif)/ { nvidia = $0 ~ /else/ ? 2 : 0; next }
FILENAME ~ /\.cl$/ && nvidia == 1 { next }

FILENAME ~ /\.cl$/ {
    if ($0 ~ /^\/\/@/ || $0 ~ /^\/\*/)
        section()
    if ($0 ~ /^\/\/@fn /) {
        head = $0
        fname = $2
    } else if (head != "" && $0 !~ /^ *$/) {
        gsub(/\/\*[^*]*\*\//, "")
        body = body $0 "\n"
    }
    next
}

/^GND_(OP|FN|RANDOM)\(/ { section(); entry = "" ; open = 1 }
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
    print "static gnd__run *const runs[][GND_NDTYPES] = {\n" runs "};"
    print "static gnd__run *const lanes[][GND_NDTYPES] = {\n" lanes "};"
    print "static gnd__loop *const casts[GND_NDTYPES][GND_NDTYPES] = {\n" casts "};"
    print "\ngnd__loop *gnd__exact_op(int op, gnd_dtype t)"
    print "{\n    return op >= 0 && (size_t)op < sizeof ops / sizeof *ops ? ops[op][t] : NULL;\n}"
    print "\ngnd__run *gnd__exact_run(int op, gnd_dtype t)"
    print "{\n    return op >= 0 && (size_t)op < sizeof runs / sizeof *runs ? runs[op][t] : NULL;\n}"
    print "\ngnd__run *gnd__exact_lanes(int op, gnd_dtype t)"
    print "{\n    return op >= 0 && (size_t)op < sizeof lanes / sizeof *lanes ? lanes[op][t] : NULL;\n}"
    print "\ngnd__loop *gnd__exact_cast(gnd_dtype from, gnd_dtype to)\n{\n    return casts[from][to];\n}"
}
