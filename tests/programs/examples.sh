#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# examples.sh - every example runs, and says what is so: the findings of co2 against figures that
# awk computes from the same file by other ways, its errors for bad files, and the pictures' sizes.
. "$GND_SRCDIR/tests/lib/tap.sh"

data=$GND_SRCDIR/examples/data/co2.csv
examples=$GND_BUILDDIR/examples
GND_DEVICE=${GND_TEST_DEVICES%%,*}
export GND_DEVICE
if [ "$GND_TEST_SANITIZERS" != no ]; then
    { cat "$GND_SRCDIR/tests/lib/lsan.supp" && echo leak:libfontconfig; } >lsan.supp # cairo's fonts
    LSAN_OPTIONS=suppressions=$scratch/lsan.supp:print_suppressions=0
    export LSAN_OPTIONS
fi

# run NAME ARGS...: an example's output in NAME.out, its complaints in NAME.err, its status as ours.
run() { "$examples/$@" >"$1.out" 2>"$1.err"; }
# png FILE WIDTH HEIGHT: the file begins as a PNG of that size and ends as one.
png() {
    [ "$(od -An -tx1 -N16 "$1" | tr -d ' \n')" = 89504e470d0a1a0a0000000d49484452 ] &&
        [ "$(od -An -tu1 -j16 -N8 "$1" | awk '{ print ($3*256+$4) "x" ($7*256+$8) }')" = "$2x$3" ] &&
        [ "$(tail -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 49454e44ae426082 ]
}
# near GOT WANTED TOLERANCE
near() {
    [ -n "$1" ] && [ -n "$2" ] &&
        awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { exit !(a - b <= e + 0 && b - a <= e + 0) }'
}
# fails STATUS TEXT NAME ARGS...: the example ends with that status and its one line has the text.
fails() {
    fails_status=$1 fails_text=$2
    shift 2
    run "$@"
    [ $? = "$fails_status" ] && grep -qF -e "$fails_text" "$1.err" && [ "$(wc -l <"$1.err")" = 1 ]
}

# --- hello, fusion, heat, mandelbrot -----------------------------------------------------------------
want=$(awk 'BEGIN { for (j = 0; j < 4; j++) { m = 0
    for (i = 0; i < 3; i++) m += sin(4*i + j) / 3
    for (i = 0; i < 3; i++) s += (sin(4*i + j) - m) ^ 2 } print sqrt(s / 12) }')
if ! run hello && grep -qE 'no device|not installed' hello.err; then
    skip_all "$(head -n 1 hello.err)"
fi
check "hello runs" run hello
check "hello: rms $want" near "$(sed -n 's/^rms \([^,]*\),.*/\1/p' hello.out)" "$want" 2e-6
check "hello x.npy that is not there" fails 1 "none.npy" hello none.npy
check "hello on a device that is not there" env GND_DEVICE=nowhere:7 sh -c \
    "! '$examples/hello' >/dev/null 2>text && grep -q nowhere text && [ \$(wc -l <text) = 1 ]"

if [ ! -x "$examples/inside" ]; then
    skip "inside" "configured without OpenCL"
elif ! run inside && grep -q 'no OpenCL device' inside.err; then
    skip "inside" "the device is not OpenCL's"
else
    check "inside runs" run inside
    check "inside: on the program's own buffer" grep -qxF 'inside: 1 2 2 1 ...' inside.out
fi

check "fusion runs" run fusion
check "fusion: a chain of nine operations is one kernel" \
    sh -c "sed -n '2,/ peak\$/p' fusion.out | grep -q '^1 kernel.* 8388608 bytes read, 4194304 bytes written'"
check "fusion: a mean reads each input once" \
    sh -c "sed '1,/ peak\$/d' fusion.out | grep -q '^ *reads 8388608 bytes, writes [0-9]\{1,4\} bytes'"
# The mean of (7t - 4)^2 over n equal steps of t from 0 to 1.
want=$(awk 'BEGIN { n = 2^20 - 1; print 49 * (2*n + 1) / (6*n) - 56 / 2 + 16 }')
check "fusion: last 3" grep -q 'last of the first is 3 ' fusion.out
check "fusion: mean $want" near "$(sed -n 's/.*the mean is \([0-9.]*\)\.$/\1/p' fusion.out)" "$want" 3e-5

check "heat runs" run heat heat.png
check "heat: the mean warmth stays" awk '{ exit !($0 ~ /warmth/ && match($0, /[0-9.]+ before/) &&
    (a = substr($0, RSTART)) && match($0, /[0-9.]+ after/) && (b = substr($0, RSTART)) &&
    a + 0 > 0.1 && a - b < 2e-5 && b - a < 2e-5) }' heat.out
check "heat: memory does not grow with the steps" \
    awk '{ exit !(match($0, /[0-9.]+ MB/) && substr($0, RSTART) + 0 < 20) }' heat.out
check "heat.png is a picture of 960 x 240" png heat.png 960 240
check "heat into a folder that is not there" fails 1 "none/heat.png" heat none/heat.png

check "mandelbrot runs" run mandelbrot m.png
# The set's area is 1.5066; after 120 steps a little more is left in 3.6 x 2.4.
check "mandelbrot: the share that stays near" \
    near "$(sed -n 's/.*, \([0-9.]*\) of it stayed.*/\1/p' mandelbrot.out)" 0.1778 0.001
check "m.png is a picture of 900 x 600" png m.png 900 600

check "kmeans runs" run kmeans
check "kmeans: every point is with its nearest centre, after some steps" \
    grep -qE '^kmeans: ([3-9]|[1-9][0-9]+) steps .*, and 0 points belong elsewhere' kmeans.out
check "kmeans: the centres are found" near "$(sed -n 's/.*off by \([0-9.]*\) at.*/\1/p' kmeans.out)" 0 0.6

check "histogram runs" run histogram
check "histogram: a kernel of its own counts as bincount does" \
    grep -q '^histogram: 1048576 numbers in 64 bins, .* 0 bins differ$' histogram.out
check "twice runs" run twice
check "twice: CUDA C doubles 4 x 4 numbers" grep -q '^twice: 16 numbers, 0 differ$' twice.out
check "tiles runs" run tiles
check "tiles: CUDA C with shared memory multiplies as matmul does" \
    grep -q '^tiles: 100 x 70 elements, 0 differ$' tiles.out
check "huber runs" run huber
check "huber: a kernel of its own is computed with the sum of its results" \
    grep -qE '^huber: a mean loss of 0\.[0-9]*, [12] launch(es)?, as by where$' huber.out
check "stencil runs" run stencil
check "stencil: CUDA C's five points are those of slices" \
    grep -q '^stencil: 50 steps of 90 x 130 points, 0 differ$' stencil.out

check "cg runs" run cg 100
check "cg: after as many steps as theory allows" \
    awk '{ exit !($2 > 10 && $2 < 400) }' cg.out
check "cg: the residual is small" near "$(sed -n 's/.*residual \([-0-9.e]*\) of.*/\1/p' cg.out)" 0 1e-3
check "cg: the solution is right" near "$(sed -n 's/.*, error \([-0-9.e]*\)$/\1/p' cg.out)" 0 2e-3

check "rungekutta runs" run rungekutta
check "rungekutta: energies stay" near "$(sed -n 's/.*drift by \([-0-9.e]*\),.*/\1/p' rungekutta.out)" 0 1e-4
check "rungekutta: the swing takes what theory says" \
    awk '{ exit !(match($0, /takes [0-9.]+/) && (a = substr($0, RSTART + 6, RLENGTH - 6)) &&
        match($0, /theory [0-9.]+/) && (b = substr($0, RSTART + 7, RLENGTH - 7)) && a - b < 4e-3 && b - a < 4e-3) }' \
    rungekutta.out

# --- co2 -------------------------------------------------------------------------------------------
if [ ! -x "$examples/co2" ]; then
    skip "co2" "built without cairo"
    done_testing
fi

# The same findings in double precision: normal equations in place of orthogonal polynomials, sums in
# place of matrix products, frequencies near the year only.
awk -F, 'BEGIN { n = 0 } !/^#/ { t[n] = $1; w[n] = $2 != "nan"; p[n] = w[n] ? $2 : 0; n++ }
    END {
        for (i = 0; i < n; i++) mid += t[i] / n
        for (i = 0; i < n; i++) if (w[i]) {
            x[0] = 1; x[1] = t[i] - mid; x[2] = x[1] * x[1]; weeks++
            for (a = 0; a < 3; a++) r[a] += x[a] * p[i]
            for (a = 0; a < 3; a++) for (b = 0; b < 3; b++) m[a, b] += x[a] * x[b]
        }
        for (k = 0; k < 3; k++) for (a = k + 1; a < 3; a++) {
            f = m[a, k] / m[k, k]; r[a] -= f * r[k]
            for (b = k; b < 3; b++) m[a, b] -= f * m[k, b]
        }
        for (k = 2; k >= 0; k--) {
            for (b = k + 1; b < 3; b++) r[k] -= m[k, b] * c[b]
            c[k] = r[k] / m[k, k]
        }
        for (i = 0; i < n; i++) {
            u = t[i] - mid; fit[i] = c[0] + c[1] * u + c[2] * u * u
            e[i] = w[i] ? p[i] - fit[i] : 0; ss += e[i] * e[i]
            mo[i] = int(12 * (t[i] - int(t[i])))
            if (w[i]) { s[mo[i]] += e[i]; sn[mo[i]]++ }
        }
        top = low = 0
        for (k = 0; k < 12; k++) { s[k] /= sn[k]; if (s[k] > s[top]) top = k; if (s[k] < s[low]) low = k }
        for (i = 0; i < n; i++) { l[i] = w[i] ? e[i] - s[mo[i]] : 0; ls += l[i] * l[i] }
        for (i = 26; i < n - 26; i++) {
            g[i] = fit[i]
            for (k = -26; k <= 26; k++) g[i] += l[i + k] / (k == -26 || k == 26 ? 104 : 52)
        }
        for (i = 52; i < n - 52; i++) {
            d = int(t[i] / 10); rate = (g[i + 26] - g[i - 26]) / (52 * 7 / 365.25)
            ds[d] += rate; dn[d]++; if (rate > fast) fast = rate
        }
        for (f = 0.9; f < 1.1001; f += 0.005) {
            a = b = 0
            for (i = 0; i < n; i++) {
                v = 6.283185307179586 * f * (t[i] - mid); a += e[i] * cos(v); b += e[i] * sin(v)
            }
            v = 2 * sqrt(a * a + b * b) / weeks
            if (v > amp) { amp = v; best = f }
        }
        print "weeks", n; print "missing", n - weeks
        print "start", fit[0]; print "end", fit[n - 1]
        print "swing", s[top] - s[low]; print "top", top; print "low", low; print "fast", fast
        print "rms", sqrt(ls / weeks); print "rms0", sqrt(ss / weeks)
        print "period", 1 / best; print "amp", amp
        for (d = 196; d < 200; d++) print "d" d, ds[d] / dn[d]
    }' "$data" >want
want() { awk -v k="$1" '$1 == k { print $2 }' want; }
# got PATTERN: what its first group matches in the output.
got() { sed -n "s/.*$1.*/\1/p" co2.out | head -n 1; }
num='\([-+0-9.]*[0-9]\)'

check "co2 runs" run co2 "$data" co2.png
check "co2: number of weeks" near "$(got ": $num weeks")" "$(want weeks)" 0
check "co2: missing weeks" near "$(got " $num of them missing")" "$(want missing)" 0
check "co2: lowest and highest, as published" grep -q '313\.0 to 373\.9 ppm' co2.out
check "co2: the trend begins" near "$(got "rises from $num")" "$(want start)" 0.06
check "co2: the trend ends" near "$(got "rises from [0-9.]* to $num")" "$(want end)" 0.06
for d in 196 197 198 199; do
    check "co2: growth in the ${d}0s" near "$(got " $num in the ${d}0s")" "$(want d$d)" 0.008
done
check "co2: fastest growth" near "$(got "at most $num")" "$(want fast)" 0.01
check "co2: around 1998, the year of El Nino" near "$(got "around $num")" 1998.1 0.15
check "co2: swing of the seasons" near "$(got "swing by $num")" "$(want swing)" 0.02
check "co2: highest in May" test "$(got 'to [-0-9.]* in \([A-Z][a-z][a-z]\)')/$(want top)" = May/4
check "co2: lowest in October" test "$(got 'from [-0-9.]* in \([A-Z][a-z][a-z]\)')/$(want low)" = Oct/9
check "co2: the strongest cycle is a year" near "$(got "cycle takes $num")" "$(want period)" 0.004
check "co2: its amplitude" near "$(got "cycle takes [0-9.]* years ($num")" "$(want amp)" 0.01
check "co2: the next strongest is half a year" near "$(got "next strongest $num")" 0.5 0.002
check "co2: rms of what is left" near "$(got "rms of $num")" "$(want rms)" 0.008
check "co2: rms with the seasons" near "$(got "with the seasons $num")" "$(want rms0)" 0.008
check "co2: nothing on stderr" test ! -s co2.err
check "co2.png is a picture of 1400 x 960" png co2.png 1400 960
sed '/^Computed/d' co2.out >first
check "co2 again" run co2 "$data" co2.png
sed '/^Computed/d' co2.out >second
check "co2: the same again" cmp first second

# --- bad files ---------------------------------------------------------------------------------------
check "co2 without its file" fails 1 "none.csv: No such file" co2 none.csv
{ head -n 700 "$data" && echo '1990.5;350' && tail -n 700 "$data"; } >bad.csv
check "co2: a malformed line is named" fails 1 'bad.csv:701: not two numbers: 1990.5;350' co2 bad.csv
{ head -n 700 "$data" && echo 'nan,350'; } >bad.csv
check "co2: a year that is no number" fails 1 'bad.csv:701' co2 bad.csv
head -n 100 "$data" >bad.csv
check "co2: a record that is too short" fails 1 "less than 3 years" co2 bad.csv
awk 'BEGIN { for (i = 0; i < 9000; i++) print 1900 + i / 52 ",300" }' >bad.csv
check "co2: a record that is too long" fails 1 "bad.csv:8193: one line too many" co2 bad.csv
: >bad.csv
check "co2: an empty file" fails 1 "less than 3 years" co2 bad.csv
check "co2: a picture that cannot be written" fails 1 "none/co2.png" co2 "$data" none/co2.png
done_testing
