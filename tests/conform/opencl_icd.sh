#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# opencl_icd.sh - OpenCL drivers without a device, made here: one that offers no platform and is unloaded again
# (as Mesa's Clover is), one whose platform has no devices. Both keep memory. Each is a reason in `gnd devices`,
# and what they keep is no leak of gnd's in a build with sanitizers. Other leaks still are.
. "$GND_SRCDIR/tests/lib/tap.sh"

case :$GND_BACKEND_PATH: in
    *:"$GND_BUILDDIR/backends/opencl/.libs":*) ;;
    *) skip_all "the OpenCL plugin is not built" ;;
esac

# The loader takes a driver's functions from a table behind each object; the table's order is cl_icd.h's.
cat >driver.c <<'C'
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <stdlib.h>
#include <string.h>
struct _cl_platform_id { cl_icd_dispatch *dispatch; };
static char *kept;
/* Memory that nothing refers to any more, as when the object with the only pointer is unloaded. */
static void keep(void)
{
    kept = malloc(128);
    memset(kept, 1, 128);
    kept = NULL;
}
static cl_int CL_API_CALL answer(const char *s, size_t cap, void *out, size_t *n)
{
    if (out && cap >= strlen(s) + 1)
        strcpy(out, s);
    if (n)
        *n = strlen(s) + 1;
    return CL_SUCCESS;
}
static cl_int CL_API_CALL platform_info(cl_platform_id p, cl_platform_info what, size_t cap, void *out, size_t *n)
{
    (void)p;
    keep();
    return answer(what == CL_PLATFORM_NAME ? "Empty" : what == CL_PLATFORM_VERSION ? "OpenCL 1.2 empty" :
                  what == CL_PLATFORM_EXTENSIONS ? "cl_khr_icd" : what == CL_PLATFORM_ICD_SUFFIX_KHR ? "EMPTY" : "",
                  cap, out, n);
}
static cl_int CL_API_CALL device_ids(cl_platform_id p, cl_device_type t, cl_uint cap, cl_device_id *ids, cl_uint *n)
{
    (void)p; (void)t; (void)cap; (void)ids;
    keep();
    if (n)
        *n = 0;
    return CL_DEVICE_NOT_FOUND;
}
static cl_icd_dispatch table;
static struct _cl_platform_id only = {&table};
static cl_int CL_API_CALL platforms(cl_uint cap, cl_platform_id *out, cl_uint *n)
{
    keep();
#ifdef UNLOADED
    (void)cap; (void)out; (void)only;
    if (n)
        *n = 0;
    return CL_PLATFORM_NOT_FOUND_KHR;
#else
    table.clGetPlatformIDs = platforms;
    table.clGetPlatformInfo = platform_info;
    table.clGetDeviceIDs = device_ids;
    if (out && cap)
        *out = &only;
    if (n)
        *n = 1;
    return CL_SUCCESS;
#endif
}
void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)platforms :
           strcmp(name, "clGetPlatformInfo") == 0 ? (void *)platform_info : NULL;
}
C
for kind in UNLOADED EMPTY; do
    mkdir $kind
    if ! $CC -w -shared -fPIC -D$kind -o $kind/driver.so driver.c >out 2>&1; then
        diag <out
        skip_all "the C compiler makes no OpenCL driver (is cl_icd.h there?)"
    fi
    echo "$scratch/$kind/driver.so" >$kind/only.icd
done

OCL_ICD_VENDORS=$scratch/UNLOADED gnd devices >out 2>&1
status=$?
diag <out
check "a driver that is unloaded again: status 0, no leak" test $status = 0
check "and the reason" grep -q 'no platform was found' out
OCL_ICD_VENDORS=$scratch/EMPTY gnd devices >out 2>&1
status=$?
diag <out
check "a platform without devices: status 0, no leak" test $status = 0
check "and the reason" grep -q 'Empty: no device' out

# Tests that call OpenCL themselves leave it out as well.
for kind in UNLOADED EMPTY; do
    OCL_ICD_VENDORS=$scratch/$kind "$GND_BUILDDIR/tests/kernels/kernels_half" >out 2>&1
    status=$?
    diag <out
    check "kernels_half with it is skipped: status 0, no leak" sh -c "test $status = 0 && grep -q SKIP out"
done

# A program of one's own that leaks: the driver's exemption has not switched the look off.
run=$GND_BUILDDIR/run
cat >leaks.c <<'C'
#include <stdlib.h>
static void *lose(size_t n) { return malloc(n); }
int main(int argc, char **argv) { (void)argv; return lose((size_t)argc * 100) == NULL; }
C
if [ "$GND_TEST_SANITIZERS" = no ]; then
    skip "a leak is named in the last line" "this build has no sanitizers"
else
    check "a program that leaks is built" $CC -g -fsanitize=address -o leaks leaks.c
    check "a test that leaks fails" sh -c "! $run --test ./leaks >out 2>&1"
    check "and its last line says so" sh -c 'tail -n 1 out | grep "^not ok - LeakSanitizer: memory was not freed"'
fi
done_testing
