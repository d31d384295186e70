#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# cuda_fake.sh - the CUDA plugin without a GPU: a libcuda.so.1 made here, whose devices' memory is the
# host's and which computes nothing but the kernels of conform.c's lists. What the plugin says of devices and
# drivers, which of several CUDA libraries it takes, transfers of all sizes, what is reported when memory is out
# or a kernel has failed, and lists of launches as graphs: the calls, and when numbers that change take effect.
. "$GND_SRCDIR/tests/lib/tap.sh"

case :$GND_BACKEND_PATH: in
    *:"$GND_BUILDDIR/backends/cuda/.libs":*) ;;
    *) skip_all "the CUDA plugin is not built" ;;
esac

# FAKE_CC: compute capabilities; FAKE_DRIVER: version; FAKE_MOST: bytes of memory; FAKE_FAULT: waiting fails.
cat >fake.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned long long ptr;
static char ctx[8];
static _Thread_local void *now;
static size_t used;
static const char *var(const char *name, const char *otherwise)
{
    const char *s = getenv(name);
    return s ? s : otherwise;
}
static size_t most(void) { return (size_t)atoll(var("FAKE_MOST", "1000000000")); }
static void drain(void);
static int waited(void) { return drain(), getenv("FAKE_FAULT") ? 700 : 0; }
int cuDriverGetVersion(int *v) { return *v = atoi(var("FAKE_DRIVER", "13000")), 0; }
static int device(int want, int *cc)
{
    const char *s = var("FAKE_CC", "90");
    char *end;
    for (int i = 0;; i++, s = end) {
        const long v = strtol(s, &end, 10);
        if (end == s)
            return i;
        if (i == want)
            *cc = (int)v;
    }
}
int cuDeviceGetCount(int *n) { return *n = device(-1, NULL), 0; }
int cuDeviceGet(int *d, int i) { return *d = i, 0; }
int cuDeviceGetName(char *s, int n, int d) { return snprintf(s, (size_t)n, "Fake %d", d), 0; }
int cuDeviceGetAttribute(int *v, int what, int d)
{
    int cc = 0;
    device(d, &cc);
    *v = what == 33 ? 6 + d : what == 34 || what == 50 ? 0 /* the PCI address */ :
         what == 75 ? cc / 10 : what == 76 ? cc % 10 : what == 20 ? 0 : what == 10 ? 32 : 1024;
    return 0;
}
int cuDeviceTotalMem_v2(size_t *n, int d) { return *n = 1 << 30, (void)d, 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { return *c = &ctx[d], 0; }
int cuCtxGetCurrent(void **c) { return *c = now, 0; }
int cuCtxSetCurrent(void *c) { return now = c, 0; }
int cuMemGetInfo_v2(size_t *a, size_t *t) { return *a = most() - used, *t = 1 << 30, 0; }
int cuMemAlloc_v2(ptr *p, size_t n)
{
    if (used + n > most())
        return 2;
    size_t *m = malloc(n + 256);
    used += *m = n;
    *p = (ptr)(m + 32);
    return 0;
}
int cuMemFree_v2(ptr p) { size_t *m = (size_t *)p - 32; used -= *m; free(m); return 0; }
int cuMemHostAlloc(void **p, size_t n, unsigned f) { return *p = malloc(n), (void)f, 0; }
int cuMemFreeHost(void *p) { return free(p), 0; }
int cuPointerGetAttribute(void *v, int what, ptr p)
{
    const char *mine = getenv("FAKE_MEMORY"); /* an address up to which, from 64 KiB on, memory is device 0's */
    if (!mine || p < 65536 || p >= strtoull(mine, NULL, 0))
        return 1;
    return *(int *)v = what == 2 ? 2 : 0, 0;
}
int cuCtxGetDevice(int *d) { return *d = (int)((char *)now - ctx), 0; }
int cuStreamGetCtx(void *s, void **c) { return *c = *(char *)s ? (void *)s : (void *)ctx, 0; }
int cuMemcpyHtoDAsync_v2(ptr d, const void *s, size_t n, void *q) { return drain(), memcpy((void *)d, s, n), (void)q, 0; }
int cuMemcpyDtoHAsync_v2(void *d, ptr s, size_t n, void *q) { return drain(), memcpy(d, (void *)s, n), (void)q, 0; }
int cuMemcpyDtoDAsync_v2(ptr d, ptr s, size_t n, void *q) { return drain(), memcpy((void *)d, (void *)s, n), (void)q, 0; }
int cuMemcpyPeerAsync(ptr d, void *a, ptr s, void *b, size_t n, void *q)
{
    return drain(), memcpy((void *)d, (void *)s, n), (void)a, (void)b, (void)q, 0;
}
int cuStreamCreate(void **s, unsigned f) { return *s = malloc(1), (void)f, 0; }
int cuStreamDestroy_v2(void *s) { return free(s), 0; }
int cuEventCreate(void **s, unsigned f) { return *s = malloc(1), (void)f, 0; }
int cuEventDestroy_v2(void *s) { return free(s), 0; }
static void orders(const char *what, void *s)
{
    const char *to = getenv("FAKE_ORDER"); /* a file that gets a line for each */
    FILE *f = to ? fopen(to, "a") : NULL;
    if (f)
        fprintf(f, "%s %s\n", what, s == (void *)1 ? "legacy" : "stream"), fclose(f);
}
int cuEventRecord(void *e, void *s) { return orders("record", s), (void)e, 0; }
int cuStreamWaitEvent(void *s, void *e, unsigned f) { return orders("wait", s), (void)e, (void)f, 0; }
int cuEventSynchronize(void *s) { return (void)s, waited(); }
int cuStreamSynchronize(void *s) { return (void)s, waited(); }
int cuGetErrorName(int c, const char **s)
{
    return *s = c == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : c == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "?", 0;
}
int cuGetErrorString(int c, const char **s) { return *s = c == 2 ? "out of memory" : "illegal access", 0; }
C
cat "$GND_SRCDIR/tests/conform/fake_graph.inc" >>fake.c
sed -n 's/^ *X([A-Za-z0-9]*, *\(cu[A-Za-z0-9_]*\)).*/\1/p' "$GND_SRCDIR/backends/cuda/cu.h" | while read -r f; do
    grep -q "^int $f(" fake.c || echo "int $f(void) { return 0; }"
done >rest.c
mkdir lib home home/lib64
cat rest.c >>fake.c
if ! ${CC%% -fsan*} -w -shared -fPIC -O1 -Wl,-soname,libcuda.so.1 fake.c -o lib/libcuda.so.1 2>err; then
    skip_all "no C compiler that makes shared objects: $(head -n 1 err)"
fi
LD_LIBRARY_PATH=$scratch/lib:$GND_BUILDDIR/lib/.libs CUDA_HOME=$scratch/home GND_CACHE=0
export LD_LIBRARY_PATH CUDA_HOME GND_CACHE
unset CUDA_PATH CONDA_PREFIX VIRTUAL_ENV
for v in 11 12 13; do : >home/lib64/libcublasLt.so.$v; : >home/lib64/libnvrtc.so.$v; done

# lists NAME TEXT VARIABLE...: gnd devices has that text.
lists() {
    name=$1
    text=$2
    shift 2
    env "$@" gnd devices >out 2>&1
    check "$name" grep -F -e "$text" out
}
lists "a device" "cuda:0: Fake 0"
lists "its PCI address" "bus       0000:06:00.0"
lists "its compiler, which is not loaded for that" "compiler  NVRTC ($scratch/home/lib64/libnvrtc.so.13)"
lists "libraries that are too new for the driver, and which" \
    "matmul    none: $scratch/home/lib64/libcublasLt.so.13 is of a newer CUDA than the driver, which is for 10.2" \
    FAKE_DRIVER=10020
lists "the newest library that suits the driver, of CUDA 13" "lib64/libcublasLt.so.13" FAKE_CC=90
lists "of CUDA 12" "lib64/libcublasLt.so.12" FAKE_CC=90 FAKE_DRIVER=12040
lists "a Volta has CUDA 12's, since CUDA 13's do not know it" "lib64/libcublasLt.so.12" FAKE_CC=70
lists "another device beside a Volta, too" "lib64/libcublasLt.so.12" "FAKE_CC=90 70"
rm home/lib64/libcublasLt.so.1[12]
if [ -z "$(find /usr/local/cuda*/lib64 /usr/lib /usr/lib64 /usr/local/lib /opt/cuda -name 'libcublasLt.so.1[12]' 2>/dev/null)" ]; then
    lists "where that is lacking the newer one is taken" "lib64/libcublasLt.so.13" "FAKE_CC=90 70"
fi
lists "a Pascal is too old" "compute capability 6.0: 7.0 or higher is needed" FAKE_CC=60
lists "a driver without devices" "the driver has no device" FAKE_CC=

# Transfers: nothing is computed, what goes up comes down.
run() { GND_DEVICE=cuda:0 gnd "$@" >out 2>err; }
for n in 0 5 8192 8193 1048577 4200001; do
    gnd eval "full($n, 7.5)" -o null.npy -d null:0 # zeros, as nothing is computed there either
    head -c $((n * 8)) /dev/urandom >noise 2>/dev/null
    { head -c 128 null.npy; cat noise; } >in.npy
    rm -f out.npy
    check "$n float64 up and down" run eval x x=in.npy -o out.npy
    check "come back as they were" cmp in.npy out.npy
done

# Failures.
fails() {
    name=$1
    text=$2
    shift 2
    env GND_DEVICE=cuda:0 "$@" >out 2>err && rc=0 || rc=$?
    check "$name: an error" test "$rc" = 1
    check "$name: said" grep -F -e "$text" err
}
fails "no memory" "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory" FAKE_MOST=1000000 gnd eval x x=in.npy
fails "a word" "GND_CUDA_TF32=on: not 0 or 1" GND_CUDA_TF32=on gnd eval x x=in.npy
fails "a limit" "limit 1048576" GND_MEM_LIMIT=1M gnd eval x x=in.npy
# After a fault the driver takes nothing back: what it has is no leak of gnd's.
fails "a fault" "CUDA_ERROR_ILLEGAL_ADDRESS (700): illegal access" FAKE_FAULT=1 \
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" gnd eval x x=in.npy

# Lists: the checks of conform.c, compiled by an NVRTC that makes empty images.
mkdir rtc rtc/lib64
cat >rtc.c <<'C'
#include <stdlib.h>
#include <string.h>
const char *nvrtcGetErrorString(int r) { return (void)r, "?"; }
int nvrtcGetNumSupportedArchs(int *n) { return *n = 1, 0; }
int nvrtcGetSupportedArchs(int *a) { return *a = 90, 0; }
int nvrtcCreateProgram(void **p, const char *s, const char *f, int n, char **h, char **i) { return *p = &i, 0; }
int nvrtcDestroyProgram(void **p) { return 0; }
int nvrtcCompileProgram(void *p, int n, char **o)
{
    static int refused;
    const int minimal = n > 0 && !strcmp(o[n - 1], "--minimal");
    if (getenv("FAKE_MINIMAL")) /* 1: it must be given; 0: it is not known, and comes once */
        return atoi(getenv("FAKE_MINIMAL")) ? (minimal ? 0 : 6) : !minimal ? 0 : refused++ ? 6 : 5;
    return 0;
}
int nvrtcGetProgramLogSize(void *p, size_t *n) { return *n = 0; }
int nvrtcGetProgramLog(void *p, char *s) { return 0; }
int nvrtcGetCUBINSize(void *p, size_t *n) { return *n = 8, 0; }
int nvrtcGetCUBIN(void *p, char *s) { return memset(s, 1, 8), 0; }
int nvrtcGetPTXSize(void *p, size_t *n) { return *n = 8, 0; }
int nvrtcGetPTX(void *p, char *s) { return memset(s, 1, 8), 0; }
C
${CC%% -fsan*} -w -shared -fPIC -O1 -Wl,-soname,libnvrtc.so.13 rtc.c -o rtc/lib64/libnvrtc.so.13
cp rtc/lib64/libnvrtc.so.13 rtc/lib64/libnvrtc.so.12
conform() { env CUDA_HOME="$scratch/rtc" GND_TEST_DEVICES=cuda:0 GND_TEST_PART=lists "$@" "$GND_BUILDDIR/tests/conform/conform_cuda" >out 2>&1; }
check "lists of launches" conform FAKE_LOG="$scratch/log"
check "as graphs: one for 4 launches, one that fails" test "$(grep -c cuGraphCreate log)" = 2
check "a kernel's parameters are set once for a number that changed" test "$(grep -c SetParams log)" = 1
check "NVRTC is given --minimal" conform FAKE_MINIMAL=1
check "one that does not know it is asked once" conform FAKE_MINIMAL=0
check "without loops" grep -F "no loops: GND_CUDA_LOOPS=1 makes" out
check "with loops" conform GND_CUDA_LOOPS=1 FAKE_LOG="$scratch/loops" FAKE_PTX="$scratch/decide.ptx"
check "which were run" grep "^ok .* end after any step, and at limits" out
check "as conditional nodes: 1 to 4 of each of 20 loops" test "$(grep -c cuGraphAddNode loops)" = 200
for ptxas in "$(command -v ptxas)" /usr/local/cuda*/bin/ptxas; do
    [ -x "$ptxas" ] || continue
    check "the PTX is assembled, with its external function" "$ptxas" -arch=sm_90 decide.ptx -o decide.cubin
    sed 's/cudaGraphSetConditional/anotherFunction/' decide.ptx >other.ptx
    check "no other has one" sh -c "! '$ptxas' -arch=sm_90 other.ptx -o other.cubin 2>err"
    break
done
for call in cuGraphConditionalHandleCreate cuGraphAddNode cuModuleLoadData; do
    conform GND_CUDA_LOOPS=1 FAKE_FAIL=$call && rc=0 || rc=$?
    check "$call fails: an error that names it" grep -F "$call" out
done
check "an older driver" conform GND_CUDA_LOOPS=1 FAKE_DRIVER=12030
check "has no loops, and says so" grep -F "no loops: conditional nodes need a driver of CUDA 12.4, this one is for 12.3" out
for call in cuGraphCreate cuGraphAddKernelNode cuGraphInstantiate cuGraphExecKernelNodeSetParams cuGraphLaunch; do
    conform FAKE_FAIL=$call && rc=0 || rc=$?
    check "$call fails: an error that names it" grep -F "$call" out
done
# Native memory and an application's stream, by a program of its own.
cat >native.c <<'C'
#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int told;
static void release(void *ctx) { told++; (void)ctx; }
static int say(const char *what, int good) { printf("%s: %s\n", good ? "yes" : "no", what); return good; }
int main(void)
{
    char *stream = calloc(1, 1), *other = malloc(1);
    float *v = aligned_alloc(256, 4096), got[8];
    const int64_t n = 8, m[2] = {2, 4};
    gnd_native_array a, b;
    gnd_native_device app = {NULL, NULL, NULL, stream}, is;
    *other = 1;
    for (int i = 0; i < 1024; i++)
        v[i] = (float)i;
    gnd_device *dev = gnd_open_native("cuda", &app), *bad;
    say("opens in a stream", gnd_device_status(dev) == GND_OK && !strncmp(gnd_device_id(dev), "cuda:0@", 7));
    say("has it", gnd_device_native(dev, &is) == GND_OK && is.queue == stream && is.context && !is.platform);
    gnd_native_fill(&a, GND_FLOAT32, 1, &n);
    a.kind = GND_NATIVE_CUDA;
    a.address = (uint64_t)(uintptr_t)(v + 3);
    gnd_array *x = gnd_from_native(dev, &a, release, NULL);
    say(gnd_error(x), gnd_native(x, &b) == GND_OK && b.kind == GND_NATIVE_CUDA && b.address == a.address && !b.handle);
    say("reads there", gnd_read(x, got, sizeof got) == GND_OK && got[7] == 10);
    gnd_status st;
    gnd_dl_versioned *t = (gnd_dl_versioned *)(void *)gnd_share_dlpack(x, 0, GND_COPY_NEVER, 1, &st);
    say("exports it", t && t->dl_tensor.device_type == GND_DL_CUDA && t->dl_tensor.data == v + 3);
    gnd_release(x);
    say("holds it", told == 0);
    gnd_close(dev);
    say("also when closed", told == 0 && ((float *)t->dl_tensor.data)[0] == 3);
    setenv("FAKE_ORDER", "order", 1);
    t->deleter((struct DLManagedTensorVersioned *)(void *)t);
    say("gives it back", told == 1);
    unsetenv("FAKE_ORDER");
    app.queue = (void *)2;
    bad = gnd_open_native("cuda", &app);
    say(gnd_device_error(bad), gnd_device_status(bad) == GND_ERR_UNSUPPORTED);
    gnd_close(bad);
    app.queue = other;
    bad = gnd_open_native("cuda", &app);
    say(gnd_device_error(bad), gnd_device_status(bad) == GND_ERR_ARG);
    gnd_close(bad);
    app.queue = NULL;
    dev = gnd_open_native("cuda", &app);
    say("the legacy default stream", gnd_device_native(dev, &is) == GND_OK && is.queue == (void *)1);
    a.address = 4096;
    x = gnd_from_native(dev, &a, release, NULL);
    say(gnd_error(x), gnd_status_of(x) == GND_ERR_ARG && told == 2);
    gnd_release(x);
    a.kind = GND_NATIVE_HOST;
    x = gnd_from_native(dev, &a, release, NULL);
    say(gnd_error(x), gnd_status_of(x) == GND_ERR_UNSUPPORTED && told == 3);
    gnd_release(x);
    x = gnd_from(dev, GND_FLOAT32, 2, m, v);
    gnd_dl_managed *old = (gnd_dl_managed *)(void *)gnd_share_dlpack_legacy(x, 0, GND_COPY_IF_NEEDED, 1, &st);
    gnd_native(x, &b);
    say("a copy for the older structure", old && old->dl_tensor.device_type == GND_DL_CUDA &&
        old->dl_tensor.data != (void *)(uintptr_t)b.address && ((float *)old->dl_tensor.data)[5] == 5);
    old->deleter((struct DLManagedTensor *)(void *)old);
    gnd_release(x);
    gnd_close(dev);
    free(v);
    free(stream);
    free(other);
    return 0;
}
C
if [ "$GND_TEST_SANITIZERS" != no ]; then
    skip "native memory" "a program without sanitizers cannot load a library with them"
else
    # shellcheck disable=SC2086 # CC may hold flags
    check "a program with a stream of its own" $CC -std=c11 -Wall "-I$GND_BUILDDIR/include" "-I$GND_SRCDIR/include" \
        native.c -o native "-L$GND_BUILDDIR/lib/.libs" -lgnd
    check "it runs" env FAKE_MEMORY=0x7fffffffffff ./native
    FAKE_MEMORY=0x7fffffffffff ./native >out 2>err
    check "it sees 14 things" test "$(grep -c '^yes: ' out)" = 14
    grep '^no: ' out >bad
    none "as they should be" bad
    rm -f order
    FAKE_MEMORY=0x7fffffffffff ./native >out 2>err
    printf 'record legacy\nwait stream\n' >want
    check "memory comes back after the work in the legacy stream" cmp order want
fi
done_testing
