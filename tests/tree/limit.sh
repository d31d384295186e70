#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# limit.sh - the time limit of `run --test`: it ends a test and all that it started, says so in the last line, and
# counts a second of a loaded machine as less.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "it does not depend on sanitizers: the plain build's run does it"

run=$GND_BUILDDIR/run
# The load of the machine, as `run` reads it, is $LOAD.
mkdir bin
cat >bin/cat <<'S'
#!/bin/sh
if [ "$*" = /proc/loadavg ]; then echo "$LOAD $LOAD $LOAD 1/999 1"; else exec /bin/cat "$@"; fi
S
chmod +x bin/cat
PATH=$scratch/bin:$PATH
LOAD=0.50
export PATH LOAD
cat >slow.sh <<'S'
sleep 300 &
echo $! >sleeper
wait
S
GND_TEST_TIMEOUT=1 "$run" --test ./slow.sh >out 2>&1
status=$?
diag <out
check "a test that takes too long fails" test $status != 0
check "and its last line says so" sh -c 'tail -n 1 out | grep -q "^not ok - gave up after 1 s"'
# Where nobody waits for orphans, one that has ended stays a zombie.
check "nothing that it started goes on" sh -c '! grep "^State:[[:space:]][^ZX]" "/proc/$(cat sleeper)/status"'

# A limit of 1 s is far away after 3.
echo 'sleep 3; echo "ok 1 - slept"; echo 1..1' >patient.sh
check "on a loaded machine the limit is later" env LOAD=400.00 GND_TEST_TIMEOUT=1 \
    "$run" --test ./patient.sh
echo 'exit 7' >seven.sh
"$run" --test ./seven.sh >out 2>&1
status=$?
check "the status of a test is passed on" test $status = 7
done_testing
