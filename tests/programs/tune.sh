#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tune.sh - gnd tune and its file: what is measured is kept and read again, what is no such file is told and not
# used, and no value changes a bit of a result. What is measured is not judged.
. "$GND_SRCDIR/tests/lib/tap.sh"

dev=${GND_TEST_DEVICES:-opencl:pocl}
dev=${dev%%,*}
gnd eval 1 -d "$dev" >/dev/null 2>err || skip_all "no device $dev: $(head -n 1 err)"
GND_CACHE_DIR=$PWD/cache
export GND_CACHE_DIR

# fails NAME STATUS TEXT ARGUMENT...: gnd tune ARGUMENT... ends so and says so.
fails() {
    name=$1 want=$2 text=$3
    shift 3
    rc=0
    gnd tune "$@" >out 2>err </dev/null || rc=$?
    [ "$rc" = "$want" ] || echo "status $rc" >err
    check "$name" grep -qF -- "$text" err
}
list() { gnd tune --list -d null:0; }

# --- the command, on a device that computes nothing -----------------------------------------------
fails "an option that is none" 2 "unexpected argument '--fast'" --fast
fails "a budget that is none" 2 "--budget takes seconds, not 'soon'" --budget soon
fails "two things at once" 2 "are three things to do" --list --reset
fails "--set without a value" 2 "--set takes NAME=VALUE" --set gpu_group
fails "--set of no number" 2 "gpu_group takes a number, not 'x'" --set gpu_group=x -d null:0
fails "a parameter that is none" 1 "there is no parameter 'speed'" --set speed=8 -d null:0
fails "a value out of range" 1 "gpu_group is a power of two from 64 to 256, not 512" --set gpu_group=512 -d null:0
fails "a value that is no power of two" 1 "not 100" --set gpu_group=100 -d null:0
fails "a tile that is none" 1 "product_tile4 is a number from 0 to 7, not 8" --set product_tile4=8 -d null:0
fails "a side that is none" 1 "library_f32 is 0 or a power of two" --set library_f32=3 -d null:0
fails "no device" 1 "no device" --list -d null:7
check "--list without a file" sh -c "gnd tune --list -d null:0 | grep -q 'tune-[0-9a-f]*\.txt: not there'"
check "--set" gnd tune --set gpu_group=128 -d null:0
check "is kept" sh -c "gnd tune --list -d null:0 | grep -q '^gpu_group *128 '"
file=$(list | tail -n 1)
check "in a file of its user's" test "$(stat -c %a "$file")" = 600
check "in the format that is documented" sh -c "head -n 1 '$file' | grep -qx 'gnd-tune 1' && tail -n 1 '$file' | grep -qx end"
cp "$file" good

# bad NAME TEXT: the file as it is is told of, and the defaults are used.
bad() {
    rc=0
    list >out 2>err || rc=$?
    check "$1" sh -c '[ "$1" = 1 ] && grep -q "^gpu_group *256 " out && grep -qF -- "$2" err' sh "$rc" "$2"
}
sed 's/^gpu_group.*/gpu_group 300/' good >"$file"; bad "a value that cannot be" "gpu_group is a power of two"
sed 's/^gpu_group.*/gpu_group/' good >"$file"; bad "a line without a value" "line 5: 'gpu_group' is not a name and a number"
sed 's/^gpu_group.*/gpu_group 5e/' good >"$file"; bad "a value that is no number" "gpu_group has no number"
sed 's/^gpu_group/gpu_speed/' good >"$file"; bad "a parameter that is none" "there is no parameter"
sed 's/^gpu_rows.*/gpu_group 512/' good >"$file"; bad "a parameter twice" "gpu_group is given twice"
sed 's/tune 1/tune 2/' good >"$file"; bad "another version" "line 1: "
sed '$d' good >"$file"; bad "a file cut off" "the line 'end' is missing"
: >"$file"; bad "an empty file" "the line 'end' is missing"
(cat good; echo more) >"$file"; bad "text after the end" "text after the line 'end'"
head -c 3000 /dev/urandom >"$file"; bad "garbage" "not used"
head -c 100000 /dev/zero >"$file"; bad "a large file of zeros" "more than 16384 bytes"
rm "$file"; mkdir "$file"; bad "a folder" "not a plain file"
rmdir "$file"; ln -s good "$file"; bad "a link" "not used"
rm "$file"; cp good "$file"; chmod 666 "$file"; bad "a file that others may write" "others own it or may write it"
check "a bad file is a warning of other commands" \
    sh -c "GND_LOG=warn gnd explain 'arange(9) + 1' -d null:0 2>&1 | grep -q 'tuning: .*not used'"
printf 'gnd-tune 1\ngpu_rows 2\nend\n' >"$file"; chmod 600 "$file"
check "a file of one parameter" sh -c "gnd tune --list -d null:0 >out && grep -q '^gpu_rows *2 ' out && grep -q '^gpu_group *256 ' out"
check "--reset" gnd tune --reset -d null:0
check "deletes it" test ! -e "$file"
check "--reset without a file" gnd tune --reset -d null:0
GND_CACHE=0 gnd tune --set gpu_rows=2 -d null:0 >out 2>err && rc=0 || rc=$?
check "no cache, no file" sh -c "[ $rc = 1 ] && grep -q 'the kernel cache is off' err"
check "tuning a device that computes nothing" gnd tune --budget 0 --n 2^10 -d null:0
gnd tune --reset -d null:0

# --- a device that computes ------------------------------------------------------------------------
# Sanitizers saw the same code on the null device.
if [ "$GND_TEST_SANITIZERS" != no ] && [ -z "${GND_TEST_ALL-}" ]; then
    skip "a device that computes" "under the sanitizers with GND_TEST_ALL"
    done_testing
fi
check "tuning with no time" sh -c "gnd tune --budget 0 --n 2^12 -d $dev >out"
check "tells what it chose, and where that is" sh -c "grep -q '^[cg]pu_' out && [ -f \"\$(tail -n 1 out)\" ]"
check "which the next program uses" sh -c "gnd tune --list -d $dev | tail -n 1 | grep -vq 'not there'"
check "--reset" gnd tune --reset -d "$dev"

# The same bits whatever the values: maps, a transposition, sums of both.
expr='x = sin(arange(5000, dtype=float32)); m = x[:4900].reshape(70, 70)
concat([(m.T * 3 + m).reshape(-1), 2 * x + x[::-1], (m + m[0])[1:, 2:].reshape(-1), stack([x.sum(), m.T.sum(), m.max()])])'
for value in cpu:cpu_group=64 cpu:cpu_tile=8 gpu:gpu_group=64 gpu:gpu_vector=4 gpu:gpu_rows=8; do
    GND_KERNEL_SHAPE=${value%%:*}
    export GND_KERNEL_SHAPE
    [ -f plain-$GND_KERNEL_SHAPE.npy ] || gnd eval "$expr" -d "$dev" -o plain-$GND_KERNEL_SHAPE.npy
    gnd tune --set "${value#*:}" -d "$dev"
    gnd eval "$expr" -d "$dev" -o tuned.npy
    check "${value#*:}: the same bits" cmp plain-$GND_KERNEL_SHAPE.npy tuned.npy
    gnd tune --reset -d "$dev"
done
# Passes of a sort by other tiles: several of them, the last one not full.
sorts='x = (arange(20000) * 7919 % 10007).astype(float32) - 5000; concat([sort(x), argsort(x).astype(float32)])'
gnd eval "$sorts" -d "$dev" -o plain.npy
gnd tune --set sort_group=128 -d "$dev"
gnd tune --set sort_items4=8 -d "$dev"
gnd tune --set sort_items8=4 -d "$dev"
gnd eval "$sorts" -d "$dev" -o tuned.npy
check "sort_group=128, sort_items4=8, sort_items8=4: the same bits" cmp plain.npy tuned.npy
gnd tune --reset -d "$dev"
# Products: the same bits by any tile; and by either, a library or kernels of gnd, about the same.
product='a = (arange(64 * 96, dtype=float32) % 13).reshape(64, 96) / 7; (a @ a.T).astype(float32)'
GND_KERNEL_SHAPE=gpu GND_OPENCL_BLAS=none
export GND_KERNEL_SHAPE GND_OPENCL_BLAS
gnd eval "$product" -d "$dev" -o plain.npy
for tile in 4 5; do
    gnd tune --set product_tile4=$tile -d "$dev"
    gnd eval "$product" -d "$dev" -o tuned.npy
    check "product_tile4=$tile: the same bits" cmp plain.npy tuned.npy
done
gnd tune --reset -d "$dev"
product='a = (arange(250000) % 17).reshape(500, 500).astype(float32); a @ a'
gnd eval "$product" -d "$dev" -o plain.npy
GND_OPENCL_BLAS=clblast
gnd tune --set library_f32=1 -d "$dev"
if ! gnd explain --source "$product" -d "$dev" | grep -q 'void k_matmul'; then
    gnd eval "$product" -d "$dev" -o tuned.npy
    check "library_f32=1: CLBlast" cmp plain.npy tuned.npy
    gnd tune --set library_f32=65536 -d "$dev"
    check "library_f32=65536: kernels of gnd" sh -c "gnd explain --source '$product' -d $dev | grep -q 'void k_matmul'"
    gnd tune --set library_f32=256 -d "$dev"
    check "library_f32=256: the library" sh -c "! gnd explain --source '$product' -d $dev | grep -q 'void k_matmul'"
else
    skip "products by CLBlast" "no CLBlast"
fi
gnd tune --reset -d "$dev"
done_testing
