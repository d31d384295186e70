# SPDX-License-Identifier: BSD-3-Clause
#
# opset.awk - functions that read the tables of the tree (base/opset.def and its like), for the
# generators: awk -f opset.awk -f GENERATOR.awk. An entry is "MACRO(column, ...)" over one or more
# lines; strings may hold commas and parentheses.

# Splits an entry into col[1..], without the quotes of strings; adjacent string literals are joined.
# The number of columns.
function split_entry(s,    i, c, str, n) {
    n = 1
    col[1] = ""
    str = 0
    for (i = index(s, "(") + 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "\"")
            str = !str
        else if (!str && (c == "," || c == ")")) {
            if (c == ")")
                return n
            col[++n] = ""
        } else if (str || c != " ")
            col[n] = col[n] c
    }
    return n
}

# Whether the entry s has its closing parenthesis outside strings.
function complete(s,    i, c, str, depth) {
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "\"")
            str = !str
        else if (!str && c == "(")
            depth++
        else if (!str && c == ")" && --depth == 0)
            return 1
    }
    return 0
}

# The dtypes that an operation with that rule takes, in words; col is its entry.
function dtypes(rule,    s) {
    if (rule == "LOGIC")
        return "every dtype"
    if (rule == "LDEXP")
        return "bool, ints, floats, and bool and ints for x2"
    if (rule == "PARTS")
        return "bool, ints, floats"
    if (rule == "FLOAT" || rule == "DIVIDE")
        return col[11] == "0" ? "bool, ints, floats" : "every dtype"
    if (rule == "WHERE")
        return "every dtype"
    s = rule == "INT" || col[7] != "0" ? "bool, ints" : "ints"
    if (col[10] != "0")
        s = s ", floats"
    if (col[11] != "0")
        s = s ", complex"
    return s == "bool, ints, floats, complex" ? "every dtype" : s
}
