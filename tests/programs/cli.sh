#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# cli.sh - the command gnd: what it prints and where, exit statuses, the caret, output files, bad
# files. Computes on the first device of GND_TEST_DEVICES; files are made with printf, so that NumPy
# is not needed.
. "$GND_SRCDIR/tests/lib/tap.sh"

dev=${GND_TEST_DEVICES:-opencl:pocl}
dev=${dev%%,*}
PATH=$GND_BUILDDIR/tools:$PATH
export GND_DEVICE="$dev"

# run ARGUMENT...: gnd with stdout in out, stderr in err, status in $rc.
run() { rc=0; gnd "$@" >out 2>err </dev/null || rc=$?; }
# is NAME STATUS STDOUT: of the last run; stderr must be empty when the status is 0.
is() {
    printf '%s\n' "$3" >want
    if [ $rc = "$2" ] && cmp -s want out && { [ "$2" != 0 ] || [ ! -s err ]; }; then pass "$1"; else
        fail "$1"
        { echo "status $rc, not $2; stdout:"; cat out; echo "wanted:"; cat want; echo "stderr:"; cat err; } | diag
    fi
}
# says NAME STATUS TEXT: stderr holds TEXT, stdout nothing.
says() {
    if [ $rc = "$2" ] && [ ! -s out ] && grep -qF -- "$3" err; then pass "$1"; else
        fail "$1"
        { echo "status $rc, not $2; stdout:"; cat out; echo "stderr without '$3':"; cat err; } | diag
    fi
}
# npy FILE HEADER [DATA]: a .npy file of version 1.0 with that header, DATA as printf escapes.
npy() {
    len=$((${#2} + 1))
    { printf '\223NUMPY\001\000'; printf "\\$(printf %03o $((len % 256)))\\$(printf %03o $((len / 256)))"
      printf '%s\n' "$2"; [ $# -lt 3 ] || printf "$3"; } >"$1"
}

if ! gnd eval '1' >/dev/null 2>err; then
    skip_all "no device $dev: $(head -n 1 err)"
fi

run eval 'x = arange(3); x <= x'
is "a comparison that compilers warn of" 0 '[ True  True  True]'

# --- help and usage -----------------------------------------------------------------------------
run --version
check "--version" grep -qx "gnd [0-9]*\.[0-9]*\.[0-9]*" out
run --help
check "--help" grep -q "gnd eval EXPR" out
for c in eval explain devices functions bench tune; do
    run help $c
    check "help $c" grep -q "^gnd $c" out
    run $c --help
    check "$c --help" grep -q "^gnd $c" out
done
run
says "no command" 2 "gnd: no command"
run evla
says "a wrong command" 2 "there is no command 'evla'"
run help median
check "help of a function" grep -qF 'median(x, axis=None, *, overwrite_input=False, keepdims=False)' out
run help no_such_name
says "help of nothing" 2 "there is no command and no function 'no_such_name'"
run functions
check "functions" grep -qF '  take(x, indices, axis=None, *, mode=' out
run functions np.amax
check "functions NAME" grep -qF 'x.amax(axis=None, *, keepdims=False, initial=None, where=True)' out
run functions median --json
check "functions NAME --json" grep -qF '{"names": ["median"], "signature": "median(x, axis=None, *, overwrite_input=False, keepdims=False)"' out
run functions meddian
says "functions WRONG" 1 "gnd: functions: unknown function 'meddian': did you mean 'median'?"
run functions a b
says "functions of two" 2 "gnd: functions: one name is possible: 'b'"
run functions --jason
says "functions with a wrong option" 2 "gnd: functions: unknown option '--jason'"
run eval
says "no expression" 2 "gnd: eval: no expression"
run eval 1 -x
says "a wrong option" 2 "there is no option '-x'"
run eval 1 -o
says "-o without a file" 2 "needs a file name"
run eval 1 -o out.txt
says "-o with another suffix" 2 ".npy, .npz or .png"
run eval x x
says "an argument that is no NAME=VALUE" 2 "unexpected argument 'x'"
run eval x 1x=2
says "a name that is none" 2 "unexpected argument '1x=2'"
run eval x x=1 x=2
says "a name given twice" 2 "'x' is given twice"
run eval x x=
says "a name without a value" 2 "no value"
GND_BACKEND_PATH=plugins gnd devices >out 2>err
if grep -q 'gnd-opencl.so is not installed' out; then
    check "devices says why no plugin was found" grep -qF "'plugins' is not an absolute path: refused" out
else
    skip "devices says why no plugin was found" "the plugins are installed"
fi
run devices now
says "devices takes nothing" 2 "unexpected argument 'now'"

# --- results ------------------------------------------------------------------------------------
run eval '2**-1 * 3 - -4 // 3'
is "a number" 0 3.5
run eval 'arange(6).reshape(2, 3) * 2'
is "an array" 0 '[[ 0  2  4]
 [ 6  8 10]]'
run eval 'linspace(0, 1, 5)'
is "floats as NumPy prints them" 0 '[0.   0.25 0.5  0.75 1.  ]'
run eval 'x = arange(4)
y = x**2   # squares
y.sum()'
is "statements" 0 14
run eval 'a * b + arange(3)' a=2 b=0.5
is "numbers by name" 0 '[1. 2. 3.]'
run eval 'a' a=2*pi
is "a number that is computed" 0 6.283185307179586
run eval -- '-arange(3)'
is "an expression after --" 0 '[ 0 -1 -2]'
run eval -d "$dev" '-x ** 2' x=3
is "an expression that begins with - after an option" 0 -9
run eval '-x ** 2' x=3 -d "$dev"
is "and before one" 0 -9
run eval -x x=3
is "a minus sign and a name" 0 -3
run eval -- '--x' x=3
is "two minus signs, after --" 0 3
run eval --no-such-option x=3
says "a word after -- is an option" 2 "there is no option '--no-such-option'"
run explain -d "$dev" '-x' x=3
check "explain takes such an expression too" test $rc = 0
rc=0; echo 'arange(3) + 1' | gnd eval - >out 2>err || rc=$?
is "an expression from standard input" 0 '[1 2 3]'
echo 'ones(2)' >expr.txt
run eval @expr.txt
is "an expression from a file" 0 '[1. 1.]'
run eval @nothing.txt
says "from a file that is not there" 1 "nothing.txt: No such file"
run eval 'arange(3)' -d "$dev"
is "-d DEVICE" 0 '[0 1 2]'
run eval 'arange(3)' --stats
check "--stats" grep -q "kernels .* launched" err
check "... and the result" grep -qx '\[0 1 2\]' out
run eval 'arange(3)' --stats
check "a second run builds no kernel" grep -q " 0 built" err

env -u GND_CACHE_DIR -u XDG_CACHE_HOME "HOME=$PWD/none" gnd eval 'arange(3)' -d "$dev" >out 2>err
rc=$?
is "without a home" 0 '[0 1 2]'
check "... none is made for the cache" test ! -e none/.cache/gnd

# --- files --------------------------------------------------------------------------------------
run eval 'arange(12.).reshape(3, 4)' -o x.npy
check "-o prints nothing" test "$rc" = 0 -a ! -s out -a ! -s err
run eval 'x[1]' x=x.npy
is "what was saved can be read" 0 '[4. 5. 6. 7.]'
run eval '2*x + 3*y - sqrt(x*x + y*y)' x=x.npy y=x.npy -o z.npy
run eval 'abs(z - (5 - sqrt(2)) * x).max() < 1e-12' z=z.npy x=x.npy
is "the main expression" 0 True
gnd eval 'x[:, :2]' x=x.npy -o - 2>err | gnd eval 'x + 1' x=- >out 2>>err
rc=$?
is "arrays from program to program" 0 "$(printf '[[ 1.  2.]\n [ 5.  6.]\n [ 9. 10.]]')"
run eval 'arange(200000.)' -o - # longer than a pipe holds
cp out long.npy
gnd eval 'x.sum()' x=- <long.npy >out 2>err
rc=$?
is "... of any length" 0 19999900000.0
run eval 'x + y' x=- y=-
says "standard input twice" 2 "- stands 2 times: standard input can be read once"
gnd eval 'x' x=- </dev/null >out 2>err
rc=$?
says "nothing on standard input" 1 "/dev/stdin"
run eval 'x' x=x.npy -o x.npz
run eval 'x.sum()' x=x.npz:arr_0
is "npz" 0 66.0
run eval 'x' x=x.npz
says "npz without a member" 1 "x.npz:MEMBER"
run eval 'x' x=x.npz:no
says "npz without that member" 1 "no"
run eval 'linspace(0, 1, 64).reshape(8, 8)' -o p.png
check "a picture" sh -c 'head -c 4 p.png | grep -q PNG'
run eval 'p[0, :3]' p=p.png
is "... is read again" 0 '[0 4 8]'
run eval 'p' p=none.png
says "a picture that is not there" 1 "load_png: none.png: cannot read: No such file"
run eval 'arange(3)' -o q.png
says "a picture needs two dimensions" 1 "a picture has the shape"
check "... and no file is left" test ! -e q.png
run eval 'zeros((2, 2), dtype=complex64)' -o q.png
says "a picture is not complex" 1 "complex64"
npy i2.npy "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }" '\001\000\377\377\000\001'
run eval 'x' x=i2.npy
is "int16" 0 '[  1  -1 256]'

# --- explain, devices ---------------------------------------------------------------------------
run explain '2*x + 3*y - sqrt(x*x + y*y)' x=x.npy y=z.npy
check "explain: one kernel" grep -q '^1 kernels, 0 calls, 192 bytes read, 96 bytes written' out
run explain '((x - y)**2).sum()' x=x.npy y=z.npy
check "explain: a sum reads each input once" grep -q '0 calls, 192 bytes read, 8 bytes written' out
run explain 'x + 1' x=x.npy --source
check "explain --source" grep -qi 'kernel void\|GND_KERNEL' out
run explain 'x + 1' x=x.npy -o y.npy
says "explain has no -o" 2 "there is no option"
run explain 'x +' x=x.npy
says "explain: an error" 1 "gnd: explain: column 4"
run devices
check "devices" grep -q '^opencl:0: \|^opencl: absent: ' out
check "what is absent has a reason" test "$(grep -c '^[a-z]*: absent: $' out)" = 0

run devices --json
if command -v python3 >/dev/null; then
    check "devices --json is JSON" python3 -m json.tool out json
    cat >inspect.py <<'EOF'
import json, sys
d = json.load(open('out'))
assert d['capabilities']['max dimensions'] == 32
assert set(d['capabilities']) == {'boolean indexing', 'data-dependent shapes', 'max dimensions'}
null = [x for x in d['devices'] if x['id'] == 'null:0'][0]
assert null['usable'] and null['name'] and null['memory_bytes'] > 0
assert null['dtypes']['real floating'] == ['float16', 'bfloat16', 'float32', 'float64']
assert null['default_dtypes']['integral'] == 'int64'
default = [x for x in d['devices'] if x['id'] == d['default_device']][0]
assert default['usable'] and default['default_dtypes']['real floating'].startswith('float')
assert set(d['formats']) == {'npz', 'png'}
for x in d['devices'] + list(d['formats'].values()):
    assert x['usable'] == (x['reason'] == ''), x
EOF
    check "... with what inspection tells" python3 inspect.py
    GND_DEVICE=null:1 gnd devices --json >out
    check "... its default device is the one that GND_DEVICE names" grep -q '"default_device": "null:1"' out
    GND_DEVICE='no"such' gnd devices --json >out
    check "... no default device: null and a reason, escaped" python3 -c '
import json
d = json.load(open("out"))
assert d["default_device"] is None and "no\"such" in d["reason"], d'
else
    skip "devices --json" "no python3"
fi
run eval 'sort(linspace(0, 1, 10**15))' -d null:0
says "memory for the corners that are printed: how much was asked for" 1 "asked for 8000000000000000 bytes"
if gnd eval 1 -d "${GND_TEST_DEVICES%%,*}" >/dev/null 2>&1; then
    run devices
    check "devices says what products, transforms and decompositions are made with" \
        test "$(grep -cE '^    (matmul|fft|solver)    ' out)" -ge 3
else
    skip "devices says what products are made with" "no device"
fi
run devices --json now
says "devices --json takes nothing more" 2 "unexpected argument 'now'"

# --- errors -------------------------------------------------------------------------------------
run eval 'x + xx' x=x.npy
says "an unknown name" 1 "gnd: eval: column 5: unknown name 'xx': did you mean 'x'?"
printf "gnd: eval: column 5: unknown name 'xx': did you mean 'x'?\n  x + xx\n      ^\n" >want
check "... with the line and a caret" cmp want err
run eval 'sqtr(2)'
says "an unknown function" 1 "did you mean 'sqrt'?"
run eval 'zeros((3, 4)) + zeros((5, 6))'
says "shapes that do not fit" 1 "column 15: add: shapes (3, 4) and (5, 6)"
run eval 'sin(1, 2)'
says "too many arguments" 1 "it is sin(x)"
run eval 'arange(3).sum(axis=4)'
says "an axis out of range" 1 "axis 4 is out of range"
run eval 'arange(3)[7]'
says "an index out of range" 1 "out of range"
run eval 'arange(6).reshape(4, -1)'
says "a reshape to a wrong size" 1 "reshape"
run eval '~ones(3)'
says "a dtype that is not allowed" 1 "bitwise_invert: float64 is not allowed"
run eval 'zeros((2**40, 2**40))'
says "a size of more than 64 bits" 1 "does not fit 64 bits"
run eval '1 +'
says "a syntax error" 1 "the expression ends"
run eval ''
says "an empty expression" 1 "nothing to evaluate"
run eval 1 -d nosuch:0
says "a missing backend" 1 "nosuch"
run eval 1 -d opencl:99
says "a missing device" 1 "99"

# --- bad files ----------------------------------------------------------------------------------
run eval x x=missing.npy
says "a missing file" 1 "missing.npy"
run eval x x=nonsense
says "neither file nor number" 1 "'nonsense' is no file and no number"
head -c 100 x.npy >short.npy
run eval x x=short.npy
says "a header that is cut off" 1 "short.npy"
head -c 150 x.npy >short.npy
run eval x x=short.npy
says "data that are cut off" 1 "short.npy"
cat x.npy x.npy >long.npy
run eval x x=long.npy
check "more data than promised: an error, or as NumPy reads it" test "$rc" = 1 -o "$rc" = 0
: >empty.npy
run eval x x=empty.npy
says "an empty file" 1 "empty.npy"
echo 'no array at all' >text.npy
run eval x x=text.npy
says "a file of another kind" 1 "text.npy"
npy obj.npy "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }" '\200\003N.'
run eval x x=obj.npy
says "a pickle" 1 "obj.npy"
npy huge.npy "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 16), }" 'x'
run eval x x=huge.npy
says "a shape that overflows" 1 "huge.npy"
npy big.npy "{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000,), }" 'x'
run eval x x=big.npy
says "a shape that the file has not" 1 "big.npy"
npy neg.npy "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }" 'x'
run eval x x=neg.npy
says "a negative extent" 1 "neg.npy"
npy odd.npy "{'descr': '<f8', 'fortran_order': False}" 'x'
run eval x x=odd.npy
says "a header without a shape" 1 "odd.npy"
mkdir folder
run eval x x=folder
says "a folder" 1 "folder"
run eval 'arange(3)' -o nowhere/x.npy
says "an output folder that is not there" 1 "nowhere/x.npy: cannot be written"
run eval 'arange(3)' -o x.npy/y.npy
says "an output below a file" 1 "cannot be written"
mkdir folder.npy
run eval 'arange(3)' -o folder.npy
says "an output that is a folder" 1 "it is a folder"
if [ "$(id -u)" != 0 ]; then
    mkdir closed && chmod 500 closed
    run eval 'arange(3)' -o closed/x.npy
    says "an output folder that is closed" 1 "cannot be written"
    chmod 000 i2.npy
    run eval x x=i2.npy
    says "an unreadable file" 1 "i2.npy"
else
    skip "an output folder that is closed" "root may write everywhere"
    skip "an unreadable file" "root may read everything"
fi
if [ -w /dev/full ]; then
    rc=0; gnd eval 'arange(3)' >/dev/full 2>err || rc=$?; : >out
    says "a full disk" 1 "could not be written"
else
    skip "a full disk" "no /dev/full"
fi

# --- environment variables ------------------------------------------------------------------------
# A value that is none of a variable's is an error that names both.
while read -r pair text; do
    rc=0
    env "$pair" gnd eval 'arange(3)' -d "$dev" >out 2>err </dev/null || rc=$?
    says "$pair" 1 "$pair: not $text"
done <<'EOF'
GND_BACKEND_PATH=plugins absolute paths with colons between them
GND_CACHE_DIR=cache an absolute path
GND_CACHE=never 0 or 1
GND_MEM_LIMIT=much a size (as in 512M)
GND_LOG=loud none, error, warn, info or debug
GND_DEBUG=all 0 or 1
GND_KERNEL_SHAPE=square cpu, gpu or gpu-apart
GND_SOLVER=fast large, lapack or blocked
GND_PRODUCTS=fast library or own
GND_NULL_MEMORY=much a size (as in 512M)
EOF
for pair in GND_DEVICE=nonsense GND_TRACE=/nowhere/trace.json; do
    rc=0
    env "$pair" gnd eval 'arange(3)' >out 2>err </dev/null || rc=$?
    says "$pair" 1 "${pair%%=*}"
done
case $dev in
opencl:*)
    for pair in GND_OPENCL_BLAS=mkl GND_OPENCL_STAGE=yes GND_OPENCL_SUBMIT=yes; do
        rc=0
        env "$pair" gnd eval 'arange(3)' -d "$dev" >out 2>err </dev/null || rc=$?
        says "$pair" 1 "$pair: not "
    done
    ;;
cuda:*)
    rc=0
    GND_CUDA_TF32=yes gnd eval 'arange(3)' -d "$dev" >out 2>err </dev/null || rc=$?
    says "GND_CUDA_TF32" 1 "GND_CUDA_TF32=yes: not 0 or 1"
    product='x = random((512, 512), dtype=float32, seed=1); z = x.astype(float64); abs(x @ x - z @ z).max() > 1e-3'
    coarse=True
    gnd devices | grep -q 'compute capability 7' && coarse=False # TF32 is there since 8.0
    GND_CUDA_TF32=1 run eval "$product" -d "$dev"
    is "products of float32 by TF32, when asked for" 0 $coarse
    GND_CUDA_TF32=0 run eval "$product" -d "$dev"
    is "and not otherwise" 0 False
    ;;
esac
GND_SOLVR=blocked GND_LOG=warn gnd eval 1 >out 2>err
check "a name that is nearly a variable's is in the log" grep -q 'GND_SOLVR: .*did you mean GND_SOLVER' err

# --- a pipe ---------------------------------------------------------------------------------------
{ rc=0; gnd eval 'arange(1000000) + 1' || rc=$?; echo $rc >status; } 2>err | :
check "a reader that goes away: no message" test ! -s err
run eval 'arange(3)'
is "all is well after that" 0 '[0 1 2]'
done_testing
