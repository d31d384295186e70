# SPDX-License-Identifier: BSD-3-Clause
#
# gen-native.awk - primitives of the host (lib/host/native.h) from the texts that kernels/ has for
# the work-items of CPUs: masks, selections and scans of elements in memory, in the same order and
# with the same bits. Runs with any POSIX awk, with the functions of opset.awk.
#
#     awk -f opset.awk -f gen-native.awk compact.cl scan.cl opset.def >lib/host/native.c

# The text with the names of C for dtype t.
function in_c(text, t) {
    gsub(/\$[TR]/, "g_" t, text)
    gsub(/\$[tnr]/, t, text)
    gsub(/\$f/, t == "f32" ? "f" : "", text)
    return text
}

# A function whose body is a text of kernels/; `before` stands in front of it.
function written(head, before, name, t) {
    print "static void " head "\n{\n" before in_c(body[name], t) "}"
}

# The elements, positions or ranks of a mask's true elements; SELECT of prim/compact.c.
function chosen(id, t, text,    size) {
    size = substr(t, 2) / 8
    written(id "(const void *table, const void *from, int64_t n, void *result)",
        "    const g_i64 *t = table, nb = (n + 4095) / 4096, per = nb, gid = 0;\n" \
        "    const g_" t " *x = from;\n    g_" t " *y = result;\n    (void)x;\n", text, t)
    selects = selects "        [" (id ~ /^pos/ ? 0 : id ~ /^val/ ? 1 : 2) "][" size "] = " id ",\n"
}

function scans(id, text, t,    s, sums) {
    s = id "_" t
    sums = id == "sum" && t ~ /^f/
    gsub(/\$0/, "(a)", text)
    gsub(/\$1/, "(b)", text)
    gsub(/\$W/, t ~ /64/ ? "g_u64" : "g_u32", text)
    print "#define OP(a, b) " in_c(text, t)
    print "#define acc acc_" s "\n#define acc_of acc_of_" s "\n#define acc_join acc_join_" s
    print "#define acc_rest acc_rest_" s
    print in_c(body[sums ? "scan_sum" : "scan_plain"], t)
    print "#undef RUNNING\n#define RUNNING " (id == "sum" && t !~ /^f/)
    written("rows_" s "(const void *in, void *out, g_i64 M, g_i64 n, g_i64 inner)",
        "    const g_" t " *x = in;\n    g_" t " *y = out;\n    const g_i64 S = 1, RG = M, chunk = n, gid = 0;\n    (void)inner;\n",
        "scan_cpu_rows", t)
    written("tile_" s "(const g_" t " *x, g_" t " *y, g_i64 n, g_i64 inner, g_i64 tiles, g_i64 gid)",
        "    const g_i64 S = 1, chunk = n;\n", "scan_cpu_cols", t)
    print "static void columns_" s "(const void *in, void *out, g_i64 M, g_i64 n, g_i64 inner)\n{"
    print "    const g_i64 tiles = (inner + 255) / 256;"
    print "    for (g_i64 gid = 0; gid < M * tiles; gid++)"
    print "        tile_" s "(in, out, n, inner, tiles, gid);\n}"
    print "#undef OP\n#undef acc\n#undef acc_of\n#undef acc_join\n#undef acc_rest"
    for (k in macro)
        print "#undef " k
    table = table "    [" at[id] "][GND_" name[t] "] = {rows_" s ", columns_" s "},\n"
}

BEGIN {
    nt = split("i32 i64 u64 f32 f64", types, " ")
    split("INT32 INT64 UINT64 FLOAT32 FLOAT64", names, " ")
    for (i = 1; i <= nt; i++)
        name[types[i]] = names[i]
    split("ACC_LD ACC_ST ACC_GET ACC_SET APPLY", list, " ")
    for (i in list)
        macro[list[i]] = 1
    print "/* Made from kernels/ and lib/base/opset.def by tools/gen-native.awk. */"
    print "#include \"host/nativetext.h\"\n"
}

FILENAME ~ /\.cl$/ {
    if ($0 ~ /^\/\/@/ || $0 ~ /^\/\*/)
        text = ""
    if ($0 ~ /^\/\/@text /)
        text = $2
    else if (text != "" && $0 !~ /^#pragma/)
        body[text] = body[text] $0 "\n"
    next
}

/^GND_OP\(/ { entry = "" ; open = 1 }
open {
    sub(/^ +/, "")
    entry = entry (entry == "" ? "" : " ") $0
    if (complete(entry)) {
        open = 0
        split_entry(entry)
        for (i = 8; i <= 10; i++)
            op[col[1] " " (i == 8 ? "i" : i == 9 ? "u" : "f")] = col[i]
    }
}

END {
    written("mask_bits(const g_u8 *mask, g_i64 n, g_i64 nb, g_i64 *t)",
        "    const g_i64 per = nb, gid = 0;\n", "mask_bits_own", "u8")
    written("mask_counts(g_i64 nb, g_i64 *t)", "", "mask_scan_own", "i64")
    print "void gnd__native_mask(const void *mask, int64_t n, void *table)\n{"
    print "    const g_i64 nb = (n + 4095) / 4096;"
    print "    mask_bits(mask, n, nb, table);\n    mask_counts(nb, table);\n}"
    print "#define PICK(i) x[i]"
    for (i = 8; i <= 64; i *= 2)
        chosen("values_u" i, "u" i, "select_out_own")
    print "#undef PICK\n#define PICK(i) (i)"
    for (i = 32; i <= 64; i *= 2) {
        chosen("positions_i" i, "i" i, "select_out_own")
        chosen("ranks_i" i, "i" i, "select_rank_own")
    }
    nid = split("sum prod max min", ids, " ")
    split("ADD MULTIPLY MAXIMUM MINIMUM", ops, " ")
    for (j = 1; j <= nid; j++)
        at[ids[j]] = j - 1
    for (j = 1; j <= nid; j++)
        for (i = 1; i <= nt; i++)
            scans(ids[j], op[ops[j] " " substr(types[i], 1, 1)], types[i])
    print "\nstatic const struct {\n    gnd__native_scan *rows, *columns;"
    print "} scan[4][GND_NDTYPES] = {\n" table "};\n"
    print "gnd__native_scan *gnd__native_scan_of(int op, gnd_dtype t, int columns)\n{"
    print "    return columns ? scan[op][t].columns : scan[op][t].rows;\n}\n"
    print "gnd__native_select *gnd__native_select_of(int what, int size)\n{"
    print "    static gnd__native_select *const selects[3][9] = {\n" selects "    };"
    print "    return what >= 0 && what < 3 && size <= 8 ? selects[what][size] : NULL;\n}"
}
