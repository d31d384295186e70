#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# openblas.sh - which kernels OpenBLAS uses: a library made here, which does not know the CPU, is told to choose those
# for AVX2 or AVX-512, and nothing else of the process changes. The user's OPENBLAS_CORETYPE, a library that knows its
# CPU, one that another part of the process uses, and one that cannot choose stay as they are.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "the library made here has no sanitizers"
case $GND_TEST_DEVICES in *pocl*) ;; *) skip_all "no PoCL among the devices of this run" ;; esac
grep -q '^flags.* avx2' /proc/cpuinfo 2>/dev/null || skip_all "this CPU has no AVX2"

cat >fake.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static const char *core = "Prescott";
char *openblas_get_config(void) { return "OpenBLAS 9.8.7 FAKE"; }
char *openblas_get_corename(void) { return (char *)core; }
#ifndef OLD
static int quit;
int gotoblas_HASWELL, gotoblas_SKYLAKEX, gotoblas_COOPERLAKE;
void gotoblas_dynamic_quit(void) { quit++; }
void gotoblas_dynamic_init(void)
{
    const char *s = getenv("OPENBLAS_CORETYPE");
    core = s && quit == 1 ? s : "no choice";
    fprintf(stderr, "fake: HOME is %s\n", getenv("HOME") ? "still there" : "lost");
}
#endif
__attribute__((constructor)) static void begin(void)
{
    const char *s = getenv("FAKE_CORE");
    core = s ? s : core;
}
__attribute__((destructor)) static void end(void)
{
    if (getenv("FAKE_END"))
        fprintf(stderr, "fake: OPENBLAS_CORETYPE is %s\n", getenv("OPENBLAS_CORETYPE") ? "left" : "not set");
}
#define X(name) void cblas_##name(void) { abort(); }
X(sgemm) X(dgemm) X(cgemm) X(zgemm) X(sgemv) X(dgemv) X(cgemv) X(zgemv) X(ssyrk) X(dsyrk) X(csyrk) X(zsyrk)
C
mkdir blas old
check "a library to compile" $CC -shared -fPIC -o blas/libopenblasp.so.0 fake.c
check "an old one" $CC -DOLD -shared -fPIC -o old/libopenblasp.so.0 fake.c
unset OPENBLAS_CORETYPE
libraries=$LD_LIBRARY_PATH

# told NAME KERNELS FOLDER [VARIABLE=VALUE...]: what gnd says of the library in FOLDER.
told() {
    name=$1 kernels=$2 folder=$3
    shift 3
    env HOME=/ LD_LIBRARY_PATH="$scratch/$folder:$libraries" "$@" "$GND_BUILDDIR/tools/.libs/gnd" devices >out 2>err
    check "$name" grep -Eq "OpenBLAS 9\.8\.7 \(libopenblasp\.so\.0, kernels for ($kernels)\)" out
}
told "kernels that the CPU can run" 'Haswell|SkylakeX|Cooperlake' blas FAKE_END=1
check "the choice sees the rest of the environment" grep -q 'fake: HOME is still there' err
check "whose variables are as before afterwards" grep -q 'fake: OPENBLAS_CORETYPE is not set' err
if grep -q '^flags.* avx512vl' /proc/cpuinfo; then
    check "those for AVX-512, where it is" grep -Eq 'kernels for (SkylakeX|Cooperlake)' out
fi
told "the user's choice stays" Prescott blas OPENBLAS_CORETYPE=Prescott
told "a library that knows its CPU" Zen blas FAKE_CORE=Zen
told "a library that the process had before" Prescott blas LD_PRELOAD="$scratch/blas/libopenblasp.so.0"
told "a library that cannot choose" Prescott old
done_testing
