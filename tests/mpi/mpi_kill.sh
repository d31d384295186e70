#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_kill.sh [KILLS [SEED]] - kill -9 of a random rank at a random time of a job with checkpoints: the job ends, says so
# in one line, leaves no broken file, and a restart on another number of ranks, cut in another way, gives the same bits.
# The time is drawn from the length of an unharmed job. 2 runs; with GND_TEST_ALL as many as it takes until 100 kills met
# a running job, where each job has to end within 5 s after the kill (the limit of the 2 allows for a loaded machine).
. "$GND_SRCDIR/tests/lib/tap.sh"
if [ "$GND_TEST_SANITIZERS" != no ] && [ -z "${GND_TEST_ALL-}" ]; then skip_all "under the sanitizers with GND_TEST_ALL"; fi
. "$GND_SRCDIR/tests/mpi/start.sh"
command -v timeout >/dev/null || skip_all "no timeout"

kills=2 limit=20000 steps=60 every=6 measured=4
if [ -n "${GND_TEST_ALL-}" ]; then kills=100 limit=5000 steps=300 measured='2 2 3 3 4 4'; fi # the first of two may compile
kills=${1:-$kills} seed=${2:-$(date +%s)}
# the most runs, and the least kills of running jobs
most=$kills least=$(((kills + 1) / 2))
if [ -n "${GND_TEST_ALL-}" ]; then most=$((kills * 2)) least=$kills; fi
echo "# seed $seed"

milliseconds() { echo $(($(date +%s%N) / 1000000)); }
# job FOLDER RANKS WAY
job() {
    # shellcheck disable=SC2086 # a command and its options
    timeout -k 5 120 $mpirun -n "$2" "$GND_BUILDDIR/tests/mpi/mpi_kill" "$1" $steps $every "$3" >"$1/out" 2>"$1/err"
}
# alive FOLDER RANKS: all ranks have told their process ids.
alive() {
    n=0 tries=0
    while [ $n -lt "$2" ] && [ $tries -lt 2000 ]; do
        n=$(find "$1" -name 'pid.?' | wc -l)
        sleep 0.01
        tries=$((tries + 1))
    done
    [ "$n" -ge "$2" ]
}

# What the job computes, and how long it takes from the moment that its ranks are there until its result is there.
mkdir free
job free 3 0 & # compiles what the others find in the cache
wait $! || { fail "a job that nothing happens to" && diag <free/err; }
mv free/end.npy end.npy
for p in $measured; do
    rm -rf free && mkdir free
    job free "$p" 1 &
    alive free "$p"
    began=$(milliseconds)
    while [ ! -e free/end.npy ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
    echo $(($(milliseconds) - began)) >"span.$p"
    wait $!
    echo "# $p ranks: $(cat "span.$p") ms unharmed"
    check "the same bits on 3 and $p ranks" cmp free/end.npy end.npy
done
size=$(wc -c <end.npy)

run=0 died=0 resumed=0 late=0 slowest=0 total=0
: >bad
while [ $died -lt "$kills" ] && [ $run -lt "$most" ]; do
    run=$((run + 1))
    # ranks, the rank to kill, when (of the span), ranks and cuts of the restart
    # shellcheck disable=SC2046 # five numbers
    set -- $(awk -v s="$seed" -v r="$run" 'BEGIN { srand(s * 1000 + r); rand(); p = 2 + int(3 * rand())
        print p, int(p * rand()), rand(), 1 + int(4 * rand()), int(4 * rand()) }')
    p=$1 victim=$2 part=$3 again=$4 way=$5 f=run$run
    mkdir -p "$f"
    job "$f" "$p" $((run % 4)) &
    mpi=$!
    alive "$f" "$p" || echo "run $run: the ranks did not start" >>bad
    span=$(cat "span.$p" 2>/dev/null || cat span.4)
    sleep "$(awk -v t="$span" -v part="$part" 'BEGIN { print t * part / 1000 }')"
    began=$(milliseconds)
    kill -9 "$(cat "$f/pid.$victim")" 2>/dev/null
    wait $mpi
    status=$?
    took=$(($(milliseconds) - began))
    if [ $status = 0 ]; then
        late=$((late + 1)) # it was done before
    else
        died=$((died + 1)) total=$((total + took))
        [ $took -le $slowest ] || slowest=$took
        [ $status != 124 ] && [ $took -le $limit ] || echo "run $run: ended $took ms after the kill, status $status" >>bad
        lines=$(cat "$f/out" "$f/err" | grep -c -E 'on signal 9|\(signal 9\)') # MPICH writes it to its output
        [ "$lines" = 1 ] || { echo "run $run: $lines lines name the signal" && cat "$f/out" "$f/err"; } >>bad
    fi
    for file in "$f"/state/*.npy; do
        [ ! -e "$file" ] || [ "$(wc -c <"$file")" = "$size" ] || echo "run $run: $file is cut off" >>bad
    done
    rm -f "$f"/pid.* "$f/end.npy"
    job "$f" "$again" "$way" || { echo "run $run: the restart on $again ranks" && cat "$f/out" "$f/err"; } >>bad
    ! grep -q '^# from step' "$f/out" || resumed=$((resumed + 1))
    cmp "$f/end.npy" end.npy >>bad 2>&1 || echo "run $run: killed rank $victim of $p, restart on $again" >>bad
    rm -rf "$f"
done
echo "# $run runs: $died killed a job, $late came after its end; $resumed restarts went on from a checkpoint"
[ $died = 0 ] || echo "# a job ended $((total / died)) ms after the kill in the mean, $slowest ms at most"
none "no hang, one line, no broken file, the same bits after the restart" bad
check "$died kills hit a job, $least are wanted" test $died -ge "$least"
done_testing
