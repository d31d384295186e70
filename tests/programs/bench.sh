#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# bench.sh - gnd bench: its options, the memory of the workloads, growth. Times are printed, never judged.
. "$GND_SRCDIR/tests/lib/tap.sh"

dev=${GND_TEST_DEVICES:-opencl:pocl}
dev=${dev%%,*}
gnd eval 1 -d "$dev" >/dev/null 2>err || skip_all "no device $dev: $(head -n 1 err)"

# fails NAME STATUS TEXT ARGUMENT...: gnd bench ARGUMENT... ends so and says so.
fails() {
    name=$1 want=$2 text=$3
    shift 3
    rc=0
    gnd bench -d "$dev" "$@" >out 2>err </dev/null || rc=$?
    [ "$rc" = "$want" ] || echo "status $rc" >err
    check "$name" grep -qF -- "$text" err
}

fails "an option that is none" 2 "unexpected argument '--fast'" --fast
fails "--n of no number" 2 "--n takes a number" --n 2^x
fails "--shrink of no small number" 2 "--shrink takes 0 to 3" --shrink 9
fails "--growth and --memory" 2 "--growth goes with neither" --growth --memory
fails "a row that is none" 2 "no row is called 'nonsense'" --only nonsense
check "--list names rows" sh -c "gnd bench -d $dev --list | grep -qx sort_axis1"
check "--only takes patterns" test "$(gnd bench -d "$dev" --list --only 'sum_axis?,copy' | wc -l)" = 3

# The workloads, a sixteenth as large: peak <= inputs + result + what the algorithm takes (bench_science.c).
check "no workload takes more memory than it needs" sh -c "gnd bench -d $dev --memory --shrink 2 >out 2>err"
check "each is told" test "$(grep -c '^w_.*/16 *peak' out)" -ge 6
check "a row as JSON" sh -c "gnd bench -d $dev --only w_mc_pi* --n 2^16 --json >json"
for key in row ms peak_bytes in_bytes out_bytes extra_bytes; do
    check "which has $key" grep -q "\"$key\": " json
done
check "growth" sh -c "gnd bench -d $dev --growth --only sum,matmul_f32_512,small_add_1000 --n 2^14 --json >json"
check "of rows with a law" test "$(grep -c growth_ms json)" = 2
check "three times, three costs, a verdict" grep -Eq \
    '"law": "n\^1.5", "growth_ms": \[[0-9., ]*\], "cost": \[1, [0-9.]*, [0-9.]*\], "holds": (true|false)' json
done_testing
