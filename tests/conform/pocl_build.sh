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
    fprintf(stderr, "build %d %s\n", ++calls, strstr(o, "-D_OPENCL_H_") ? "bare" : "whole");
    if (getenv("SLOW"))
        usleep(1500000);
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

# gnd's kernels are compiled with gnd's declarations of built-in functions (backends/opencl/declare.c), and with PoCL's
# if that fails; a user's kernels with PoCL's.
LOG='input.cl:1:1: error: use of undeclared identifier'
builds 1
check "a kernel that needs more is compiled with PoCL's declarations" \
    test "$rc $(grep '^build' err | tr '\n' ' ')$(cat out)" = "0 build 1 bare build 2 whole [0 1 3]"
cat >user.c <<'C'
#include <gnd.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    gnd_device *dev = gnd_open(argv[argc - 1]);
    gnd_program *p = gnd_compile(dev, "__kernel void f(__global float4 *x) { *x = sinpi(*x); }", GND_OPENCL_C, NULL);
    printf("%d", gnd_program_status(p) == GND_OK);
    gnd_program_free(p);
    gnd_close(dev);
    return 0;
}
C
check "a program with a user's kernel" $CC -std=c11 "-I$GND_BUILDDIR/include" "-I$GND_SRCDIR/include" user.c -o user \
    "-L$GND_BUILDDIR/lib/.libs" -lgnd
GND_CACHE=0 FAILS=1 LD_PRELOAD=$PWD/fails.so ./user "$dev" >out 2>err
check "a compiler's error in it is not tried again" test "$(grep '^build' err) $(cat out)" = "build 1 whole 0"
unset LOG
GND_CACHE=0 LD_PRELOAD=$PWD/fails.so ./user "$dev" >out 2>err
check "it may call any function" test "$(grep '^build' err) $(cat out)" = "build 1 whole 1"
x='x = arange(5000, dtype=float32); k = arange(300); s = x[x > 5].sum() + x.astype(float16).sum()'
for y in 'cumsum(x)' 'sort(x)' 'argmax(x)' 'fft(x[:300])' 'bincount(k % 7)' 'normal(0, 1, 5000, seed=1)' 'erf(x) + x % 3' \
    'exp(1j * x)' 'bitwise_count(k) // 3' 'inv(eye(3) * ones((20, 1, 1)))' 'searchsorted(x, x)' \
    'gamma(x) + digamma(x) + gammaln(x) + frexp(x)[0]'; do
    x="$x; s = s + real($y).sum()"
done
GND_CACHE=0 LD_PRELOAD=$PWD/fails.so gnd eval -d "$dev" "$x" >out 2>err
grep -v '^build [0-9]* bare$' err >bad
check "gnd's own kernels are compiled" test "$(grep -c '^build' err)" -gt 11
none "gnd's kernels need no other declarations" bad

# Two kernels, and time for a look while the second one is compiled.
slow='x = sort(arange(500000.)); x[0] + x.sum()'
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

# With GND_OPENCL_TURNS=1 one of them compiles. PoCL stores a kernel by renaming a file.
cat >stores.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *);
    void *sym = dlsym(RTLD_NEXT, "rename");
    memcpy(&next, &sym, sizeof next);
    if (strstr(to, ".so") || strstr(to, "/program.bc"))
        fprintf(stderr, "stores %s\n", to);
    return next(from, to);
}
C
check "a look at what PoCL stores" $CC -shared -fPIC -D_GNU_SOURCE -o stores.so stores.c -ldl
# turns VALUE: by 4 processes on a new cache with GND_OPENCL_TURNS=VALUE; what they store in `stored`.
turns() {
    rm -rf pocl out.* err.*
    for i in 1 2 3 4; do
        { POCL_CACHE_DIR=$PWD/pocl/new GND_CACHE=0 GND_OPENCL_TURNS=$1 GND_KERNEL_SHAPE=cpu LD_PRELOAD=$PWD/stores.so \
            gnd eval -d "$dev" 'cumsum(arange(5)) * 2 + 1' >out.$i 2>err.$i; } &
    done
    wait
    sort err.* >stored
}
turns 1
check "in turns all compute" test "$(sort -u out.*)" = '[ 1  3  7 13 21]'
check "each file of PoCL's is made once" sh -c 'grep -q "stores .*\.so" stored && [ -z "$(uniq -d stored)" ]'
check "a lock is in PoCL's cache" test -f pocl/new/gnd-turns
check "a value that is none" sh -c "! GND_OPENCL_TURNS=2 gnd eval -d $dev 1 2>err && grep -q GND_OPENCL_TURNS err"
turns 0
check "without turns there is no lock" test ! -e pocl/new/gnd-turns
done_testing
