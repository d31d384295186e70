#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# opencl_groups.sh - an OpenCL driver that compiles kernels without a declared size for groups of 256, as NVIDIA's does:
# PoCL behind functions that say so and refuse larger groups. ops_blocks, and a program of PyCUDA's, run on it.
. "$GND_SRCDIR/tests/lib/tap.sh"

plain_only "a library is loaded before all others"
case :$GND_BACKEND_PATH: in
    *:"$GND_BUILDDIR/backends/opencl/.libs":*) ;;
    *) skip_all "the OpenCL plugin is not built" ;;
esac
gnd devices | grep -q '^opencl.*pocl\|Portable Computing Language' || skip_all "PoCL is not installed"

cat >limit.c <<'C'
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
enum { MOST = 256 };
static void *next(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f) {
        void *lib = dlopen("libOpenCL.so.1", RTLD_NOW);
        f = lib ? dlsym(lib, name) : NULL;
    }
    if (!f)
        abort();
    return f;
}
static cl_int (*info)(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void *, size_t *);
static int declared(cl_kernel k, cl_device_id d)
{
    size_t size[3] = {0};
    if (!info)
        *(void **)&info = next("clGetKernelWorkGroupInfo");
    return info(k, d, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size, size, NULL) == CL_SUCCESS && size[0] > 0;
}
cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, size_t cap,
                                            void *out, size_t *n)
{
    const int known = declared(k, d);
    const cl_int r = info(k, d, what, cap, out, n);
    if (r == CL_SUCCESS && what == CL_KERNEL_WORK_GROUP_SIZE && out && !known && *(size_t *)out > MOST)
        *(size_t *)out = MOST;
    return r;
}
cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint ndim, const size_t *off,
                                          const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
                                          cl_event *ev)
{
    static cl_int (*f)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                       const cl_event *, cl_event *);
    cl_device_id d;
    size_t items = 1;
    if (!f)
        *(void **)&f = next("clEnqueueNDRangeKernel");
    for (cl_uint i = 0; local && i < ndim; i++)
        items *= local[i];
    ((cl_int (*)(cl_command_queue, cl_command_queue_info, size_t, void *, size_t *))next("clGetCommandQueueInfo"))(
        q, CL_QUEUE_DEVICE, sizeof d, &d, NULL);
    if (items > MOST && !declared(k, d)) {
        fprintf(stderr, "a group of %zu for a kernel that declares none\n", items);
        return CL_INVALID_WORK_GROUP_SIZE;
    }
    return f(q, k, ndim, off, global, local, n, wait, ev);
}
C
if ! $CC -w -shared -fPIC -o limit.so limit.c -ldl >out 2>&1; then
    diag <out
    skip_all "the C compiler makes no shared object (are OpenCL's headers there?)"
fi
limited() { env LD_PRELOAD="$scratch/limit.so" "$@" >out 2>&1; }

if GND_TEST_GROUPS=256 limited "$GND_BUILDDIR/tests/ops/ops_blocks"; then
    pass "ops_blocks, $(grep -c '^ok' out) checks"
else
    fail "ops_blocks"
    grep -A6 '^not ok\|declares none\|error' out | head -n 40 | diag
fi
check "the limit was met" grep -q "^ok .* the driver's limit" out

# What the functions in front of the driver refuse: a program of plain OpenCL would see this.
cat >plain.c <<'C'
#include <gnd.h>
#include <stdio.h>
int main(void)
{
    /* gnd's own kernels have groups of their own choice, within the limit */
    gnd_device *dev = gnd_open("opencl:pocl");
    const int64_t n = 100000;
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 1, &n), *y = gnd_sum(x, GND_ALL, 0);
    printf("%g\n", gnd_item_f64(y, NULL));
    gnd_release(y);
    gnd_release(x);
    gnd_close(dev);
    return 0;
}
C
check "gnd's own kernels with it" sh -c "$CC -std=c11 -I$GND_BUILDDIR/include -I$GND_SRCDIR/include plain.c -o plain \
    -L$GND_BUILDDIR/lib/.libs -lgnd && GND_KERNEL_SHAPE=gpu LD_PRELOAD=$scratch/limit.so ./plain | grep '^100000$'"
done_testing
