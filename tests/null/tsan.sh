#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# tsan.sh - the tests on the null device that start threads, with the thread sanitizer: `make tsan` builds the core and
# these tests in build/tsan. Drivers of devices are not in that build: their races are not ours. A report of the
# sanitizer is a failure; none is suppressed.
. "$GND_SRCDIR/tests/lib/tap.sh"

plain_only "this script makes a build with a sanitizer itself"
command -v make >/dev/null || skip_all "no make"

# A program of two threads tells whether the compiler has the sanitizer, and whether it can map its memory here:
# kernels with more bits of address space randomisation than it knows end it before main.
cat >probe.c <<'EOF'
#include <pthread.h>
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *p) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return p; }
int main(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, f, 0)) return 2;
    f(0);
    pthread_join(t, 0);
    return n != 2;
}
EOF
# shellcheck disable=SC2086 # CC may have arguments
$CC -fsanitize=thread -g -O1 -pthread probe.c -o probe >err 2>&1 ||
    skip_all "$CC has no thread sanitizer: $(grep -v '^$' err | head -n 1)"
./probe >err 2>&1 || skip_all "the thread sanitizer does not work here: $(grep -v '^$' err | head -n 1)"

# The sanitizer must find a race, or what follows says nothing.
sed 's/pthread_mutex_[a-z]*lock(&m);//g' probe.c >race.c
# shellcheck disable=SC2086
$CC -fsanitize=thread -g -O1 -pthread race.c -o race
check "a race is found" sh -c '! ./race 2>report; grep -q "data race" report'

check "the core and the tests of threads are built" make -C "$GND_BUILDDIR" tsan-build
for t in $(make -s --no-print-directory -C "$GND_BUILDDIR" tsan-names); do
    if TSAN_OPTIONS=halt_on_error=0:exitcode=66 "$GND_BUILDDIR/tsan/run" --test "$GND_BUILDDIR/tsan/$t" >out 2>&1; then
        pass "$t: $(grep -c '^ok' out) checks"
    else
        fail "$t"
        grep -A30 -E '^not ok|WARNING: ThreadSanitizer' out | head -n 60 | diag
    fi
done
done_testing
