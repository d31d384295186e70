#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# pocl_build.sh - processes that fill PoCL's cache at once can meet in it, and a build then fails without an error in its log: the
# OpenCL plugin tries once more. Shown with a clBuildProgram that fails so often as the test says, and by processes
# that start at once on a cache that is not there. And the tool says on a terminal that it compiles, shown with one
# that takes its time.
. "$GND_SRCDIR/tests/lib/tap.sh"

plain_only "sanitizers want to be loaded first"
dev=${GND_TEST_DEVICES:-opencl:pocl}
dev=${dev%%,*}
[ "$dev" = opencl:pocl ] || skip_all "the device is $dev, not PoCL"
PATH=$GND_BUILDDIR/tools:$PATH
gnd eval -d "$dev" 1 >/dev/null 2>err || skip_all "no device $dev: $(head -n 1 err)"

cat >fails.c <<'C'
/* clBuildProgram that fails $FAILS times, as PoCL does then: a build failure, and $LOG. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef int build_fn(void *, unsigned, void *const *, const char *, void *, void *);
static int calls, failed;
typedef int info_fn(void *, void *, unsigned, size_t, void *, size_t *);
int clGetProgramBuildInfo(void *p, void *d, unsigned what, size_t cap, void *out, size_t *n)
{
    const char *log = getenv("LOG");
    info_fn *next;
    void *sym = dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), "clGetProgramBuildInfo");
    memcpy(&next, &sym, sizeof next);
    if (what != 0x1183 || !failed || !log)
        return next(p, d, what, cap, out, n);
    if (n)
        *n = strlen(log) + 1;
    if (out && cap > strlen(log))
        strcpy(out, log);
    return 0;
}
int clBuildProgram(void *p, unsigned n, void *const *d, const char *o, void *f, void *u)
{
    const char *fails = getenv("FAILS");
    build_fn *next;
    void *sym = dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), "clBuildProgram");
    memcpy(&next, &sym, sizeof next);
    fprintf(stderr, "build %d\n", ++calls);
    if (getenv("SLOW"))
        usleep(700000);
    failed = fails && calls <= atoi(fails);
    return failed ? -11 : next(p, n, d, o, f, u);
}
C
$CC -shared -fPIC -o fails.so fails.c -ldl 2>err || skip_all "no shared object: $(head -n 1 err)"

# builds FAILS: evaluates, by one kernel that the host does not run instead, with that many failures; status in $rc.
builds() {
    rc=0
    rm -rf cache && mkdir -m 700 cache
    GND_CACHE_DIR=$PWD/cache FAILS=$1 LD_PRELOAD=$PWD/fails.so gnd eval -d "$dev" 'cumsum(arange(3))' >out 2>err || rc=$?
}
builds 0
check "a build that succeeds is made once" test "$rc $(grep -c '^build' err) $(cat out)" = "0 1 [0 1 3]"
builds 1
check "one that fails without a log is tried again" test "$rc $(grep -c '^build' err) $(cat out)" = "0 2 [0 1 3]"
builds 2
check "twice is an error" test "$rc $(grep -c '^build' err)" = "1 2"
check "which names the call" grep -q 'clBuildProgram' err
LOG='Device pthread failed to build the program'
export LOG
builds 1
check "PoCL's own words are no error of a compiler's" test "$rc $(grep -c '^build' err) $(cat out)" = "0 2 [0 1 3]"
LOG='input.cl:1:1: error: expected identifier'
builds 1
check "a compiler's error is not tried again" test "$rc $(grep -c '^build' err)" = "1 1"
unset LOG

# Two kernels, and time for a look while the second one is compiled.
slow='x = sort(arange(5000.)); x[0] + x.sum()'
if command -v python3 >/dev/null; then
    rm -rf cache && mkdir -m 700 cache
    GND_CACHE_DIR=$PWD/cache SLOW=1 LD_PRELOAD=$PWD/fails.so python3 -c 'import pty, sys
sys.exit(pty.spawn(sys.argv[1:]) >> 8)' gnd eval -d "$dev" "$slow" >out 2>err </dev/null
    check "on a terminal gnd says that it compiles" grep -q 'compiling kernels (later runs find them' out
else
    skip "on a terminal gnd says that it compiles" "no python3"
fi
rm -rf cache && mkdir -m 700 cache
GND_CACHE_DIR=$PWD/cache SLOW=1 LD_PRELOAD=$PWD/fails.so gnd eval -d "$dev" "$slow" >out 2>err
check "kernels were compiled" test "$(grep -c '^build' err)" -gt 1
grep -v '^build' err >bad
none "elsewhere it says nothing" bad

for i in 1 2 3 4 5 6 7 8; do
    { POCL_CACHE_DIR=$PWD/pocl/new GND_CACHE_DIR=$PWD/gnd gnd eval -d "$dev" 'cumsum(arange(3)) * 2 + 1' >out.$i 2>err.$i ||
        echo "process $i: $(cat err.$i)" >bad.$i; } &
done
wait
cat bad.* >bad 2>/dev/null
none "8 processes at once on a new cache" bad
check "all compute" test "$(cat out.* | sort -u)" = '[1 3 7]'
done_testing
