#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_tools.sh - gnd eval, explain and devices with --mpi on 3 ranks, against gnd on one, and what is wrong usage.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "mpi.sh has the same paths with sanitizers"
. "$GND_SRCDIR/tests/mpi/start.sh"

# over RANKS ARGUMENT...: gnd on so many ranks
over() {
    ranks=$1
    shift
    # shellcheck disable=SC2086 # a command and its options
    $mpirun -n "$ranks" "$GND_BUILDDIR/tools/.libs/gnd" "$@" >out 2>err
}

gnd eval 'sin(arange(77).reshape(11, 7) * 0.25)' -o x.npy || fail "an array to begin with"
text='((x - x.mean(axis=0))**2).sum(axis=1)'
gnd eval "$text" x=x.npy >want
over 3 eval --mpi "$text" x=x.npy
check "a result that is printed" diff want out
over 3 eval --mpi 'x[::2] + k' x=x.npy k=2.5 -o y.npy
check "a file" test -s y.npy
gnd eval 'x[::2] + 2.5' x=x.npy >want
gnd eval y y=y.npy >out
check "which gnd reads" diff want out
over 3 explain --mpi "$text" x=x.npy
check "explain tells the bytes of each step" grep -q 'mean .*reduction.*moves [0-9]* bytes' out
over 3 devices --mpi
check "devices tells of every rank" test "$(grep -c '^rank [0-2]: ' out)" = 3
over 3 bench --mpi
check "bench has five kinds of work" test "$(grep -c ' per rank  efficiency [0-9]' out)" = 5
check "with efficiencies above 0" test "$(awk '/ efficiency [0-9]/ && $NF > 0' out | wc -l)" = 5
# Each rank keeps the figures of its own device, also beside an equal one.
(
    GND_CACHE=1 GND_CACHE_DIR=$scratch/speeds
    export GND_CACHE GND_CACHE_DIR
    over 2 devices --mpi
    bandwidth=1
    for f in speeds/mpi-*.txt; do
        sed "s/^\(bandwidth\|sums\) .*/\1 ${bandwidth}e9/" "$f" >edited && mv edited "$f"
        bandwidth=3
    done
    over 2 devices --mpi
)
check "two ranks with devices of one name keep two speeds" test "$(ls speeds/mpi-*.txt | wc -l)" = 2
check "and share the work by them" test "$(grep -c 'share *25\.0 %\|share *75\.0 %' out)" = 2
# One rank is slower and begins 1 ms later, of which 0.1 ms do not count. Parts of 8 bytes an element that both end at T:
# 8 n = 1e9 (T - 0.9 ms) + 3e9 T. If T is less than 0.9 ms, the slower one gets none.
(
    GND_CACHE=1 GND_CACHE_DIR=$scratch/late
    export GND_CACHE GND_CACHE_DIR
    cuts() { $mpirun -n 2 "$program_folder/mpi_handles" cuts 1000 1000000 30000000; }
    cuts >out 2>&1
    bandwidth=1 latency=1e-3
    for f in late/mpi-*.txt; do
        sed "s/^\(bandwidth\|sums\) .*/\1 ${bandwidth}e9/; s/^latency .*/latency $latency/" "$f" >edited && mv edited "$f"
        bandwidth=3 latency=5e-5
    done
    cuts 2>&1 | sed 's/^\(.*\) \(.*\)$/&\n\2 \1/' >cuts
)
check "a small array is the prompt rank's" grep -q '^0 1000$' cuts
check "a larger one ends on both at once" grep -q '^165625 834375$' cuts
check "of a large one each has its share" grep -q '^7415625 22584375$' cuts
# Ranks 1 and 2 have one GPU, rank 2 the better measured figures; they get equal parts. Together they are as fast as rank
# 1 alone, but wait 1 ms for a turn: of what takes less than 9 ms, rank 2 gets nothing.
(
    GND_CACHE=1 GND_CACHE_DIR=$scratch/turns
    export GND_CACHE GND_CACHE_DIR
    cuts() { $mpirun -n 3 "$program_folder/mpi_handles" cuts 1000000 30000000; }
    cuts >out 2>&1
    for f in turns/mpi-*.txt; do
        bandwidth=1 alone='4e9 4e9'
        if grep -q '^alone 0 0' "$f"; then bandwidth=3 alone='0 0'; fi
        sed "s/^\(bandwidth\|sums\) .*/\1 ${bandwidth}e9/; s/^alone .*/alone $alone/; s/^turn .*/turn 1e-3/; s/^latency .*/latency 1e-5/" \
            "$f" >edited && mv edited "$f"
    done
    cuts >cuts 2>&1
    # shellcheck disable=SC2086 # a command and its options
    $mpirun -n 1 gnd devices --mpi : -n 1 env GND_DEVICE=null:0 gnd devices --mpi : -n 1 env GND_DEVICE=null:2 gnd devices --mpi >out 2>&1
)
check "they tell of their turns" grep -q '^    turns     with others on 0000:00:1f.0, 1e+03 us each; rank 1 alone is 1 times' out
check "a small array is on one rank of a GPU" grep -q '^200000 800000 0$' cuts
check "of a large one the ranks of a GPU have equal parts" grep -q '^6000000 12000000 12000000$' cuts
over 2 eval --mpi 'x.maen()' x=x.npy && fail "a text that is wrong fails"
check "its error is told once, with its place" test "$(grep -c "did you mean 'mean'" err)" = 1
over 2 eval --mpi x x=nowhere.npy && fail "a file that is not there fails"
check "and names the array" grep -q 'gnd: eval: x: .*nowhere.npy' err
gnd eval --mpi x x=x.npy -o y.png 2>err && fail "a format that --mpi has not fails"
check "and says what to give" grep -q 'ends in .npy' err
GND_TRACE=t.json
export GND_TRACE
over 3 eval --mpi 'x = zeros((90, 90)) + arange(90.); y = x + x.T; z = y @ y.T; (z + z.T + sin(y).T).sum()'
unset GND_TRACE
check "the traces of all ranks are one file" python3 "$GND_SRCDIR/tests/mpi/merged.py" t.json 3
check "and no other file" test "$(echo t.json*)" = t.json
cp "$GND_BUILDDIR/tools/.libs/gnd" alone
if [ ! -e "$(sed -n 's/^pkglibexecdir = //p' "$GND_BUILDDIR/Makefile")/gnd-mpi" ]; then
    ./alone eval --mpi 1 >out 2>err
    check "a gnd without gnd-mpi says what to install" grep -q 'libopenmpi-dev' err
fi
done_testing
