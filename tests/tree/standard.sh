#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# standard.sh - tools/standard.def has a row for every function of the Array API standard 2025.12, and
# each row is true: the function is declared, its name is one of the expression language, its test is
# there and names it, and what is called planned is not there yet. doc/ARRAY_API.md is made of it. The
# names are listed here once more, so that a row cannot be lost.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"

cat >names <<'EOF'
Creation: arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu
 zeros zeros_like
Data types: astype can_cast finfo iinfo isdtype result_type
Elementwise: abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or
 bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide greater
 greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and logical_not
 logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder
 round sign signbit sin sinh square sqrt subtract tan tanh trunc
Indexing: take take_along_axis
Linear algebra: matmul matrix_transpose tensordot vecdot
Manipulation: broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims repeat
 reshape roll squeeze stack tile unstack
Searching: argmax argmin count_nonzero nonzero searchsorted where
Set: isin unique_all unique_counts unique_inverse unique_values
Sorting: argsort sort
Statistical: cumulative_sum cumulative_prod max mean min prod std sum var
Utility: all any diff
Inspection: __array_namespace_info__
linalg: cholesky cross det diagonal eig eigh eigvals eigvalsh inv matrix_norm matrix_power matrix_rank outer pinv qr
 slogdet solve svd svdvals trace vector_norm
fft: fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift
EOF
# "GROUP NAME", sorted; blanks within a group's name are left out.
awk '{ if (/^[A-Za-z]/) { group = $0; sub(/:.*/, "", group); gsub(/ /, "", group); sub(/^[^:]*:/, "") }
       for (i = 1; i <= NF; i++) print group, $i }' names | sort >want
check "the standard has 136 functions in its main namespace" test "$(grep -cv '^linalg \|^fft ' want)" = 136
check "... and 35 more in its extensions" test "$(wc -l <want)" = 171

def=$GND_SRCDIR/tools/standard.def
sed -n 's/^STD("\([^"]*\)", "\([^"]*\)".*/\1:\2/p' "$def" | sed 's/ //g; s/:/ /' | sort >rows
comm -23 want rows >bad
none "every function of the standard has a row" bad
comm -13 want rows >bad
none "every row is a function of the standard, once" bad
grep '^STD(' "$def" | grep -Evx 'STD\(("[^"]*", ){5}"[^"]*"\)' >bad
none "every row has its six columns on one line" bad

# table SOURCE: the document from the tree SOURCE.
table() { $AWK -f "$GND_SRCDIR/tools/opset.awk" -f "$GND_SRCDIR/tools/gen-standard.awk" -v src="$1" -v gen="$GND_BUILDDIR/include"; }
rc=0
table "$GND_SRCDIR" >ARRAY_API.md 2>bad || rc=$?
check "the generator ends well" test $rc = 0
none "every row is true" bad
check "doc/ARRAY_API.md is current (else: awk -f tools/opset.awk -f tools/gen-standard.awk -v src=. -v gen=build/include >doc/ARRAY_API.md)" \
    diff "$GND_SRCDIR/doc/ARRAY_API.md" ARRAY_API.md
sed -n 's/^- \(Main.*\|Extension.*\)/\1/p' ARRAY_API.md | diag

# What the generator must find, in trees that are this one but for a row.
mkdir tree && for d in include lib tests; do ln -s "$GND_SRCDIR/$d" tree/$d; done
mkdir tree/tools
# finds NAME TEXT SED: with the table changed by SED it fails and says TEXT.
finds() {
    sed "$3" "$def" >tree/tools/standard.def
    if table tree >/dev/null 2>err; then
        fail "$1"
    else
        check "$1" grep -qF -- "$2" err
    fi
}
finds "a C function that does not exist" "eye: there is no C function gnd_eyes" 's/"gnd_eye"/"gnd_eyes"/'
finds "an expression that does not exist" "sum: there is no function of expressions summe" \
    '/"sum"/s/, "sum", "every/, "summe", "every/'
finds "an operation that does not exist" "zeros: no operation of base/opset.def" '/"zeros"/s/"gnd_zeros"/"op"/'
finds "a test that does not exist" "all: there is no ops_nothing.c below tests" '/"all"/s/ops_reduce/ops_nothing/'
finds "a test of something else" "matmul: version.c does not name gnd_matmul" '/"matmul"/s/ops_matmul/version/'
finds "no test" "any: no test is named" '/"any"/s/"ops_reduce.c"/"-"/'
finds "a function that is planned and there" "gnd_roll is there, and called planned" '/"roll"/s/"gnd_roll,/"planned gnd_roll,/'
finds "a second row" "stack: two rows" '/"stack"/p'
: >tree/tools/standard.def
check "no rows" sh -c "! $AWK -f '$GND_SRCDIR/tools/opset.awk' -f '$GND_SRCDIR/tools/gen-standard.awk' -v src=tree \
    -v gen='$GND_BUILDDIR/include'"
done_testing
