/* SPDX-License-Identifier: BSD-3-Clause
 *
 * native_devices.c - gnd in an OpenCL context of two devices: kernels are built for the queue's
 * device alone, tell their resources, and a second opening finds their binaries on the disk. PoCL
 * is asked for two devices.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <gnd.h>
#include "device/gate.h"
#include "driverleaks.h"
#include "tap.h"

#ifdef TEST_HAS_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum { N = 300 };

/* Text that no cache has: the number differs in each run. */
static char text[300];

/* i * scale by the user's kernel, and a sum of gnd's own, on the queue's device. */
static void compute(cl_command_queue queue, int which, int from_disk)
{
    const gnd_native_device app = {.queue = queue};
    const int64_t n = N;
    gnd_kernel_facts facts;
    gnd_stats s;
    float got[N];
    int bad = 0;
    gnd_device *dev = gnd_open_native("opencl", &app);
    if (!tap_is_str(gnd_device_error(dev), "", "device %d of two", which))
        return;
    gnd_scope_begin();
    gnd_program *p = gnd_compile(dev, text, GND_OPENCL_C, NULL);
    tap_is_str(gnd_program_error(p), "", "a kernel compiles");
    gnd_kernel *k = gnd_program_kernel(p, NULL);
    memset(&facts, 0, sizeof facts);
    gnd_kernel_info(k, N, &facts);
    tap_ok(facts.max_group > 1 && facts.multiple > 0,
           "and tells its resources: groups of %lld, multiples of %lld", (long long)facts.max_group,
           (long long)facts.multiple);
    const gnd_arg args[] = {GND_OUT(1, &n, GND_FLOAT32, NULL)};
    gnd_array *y = NULL;
    gnd_launch(k, gnd_dims(N / 10), gnd_dims(10), 1, args, &y);
    gnd_read(y, got, sizeof got);
    for (int i = 0; i < N; i++)
        bad += got[i] != 3 * (float)i;
    tap_is_int(bad, 0, "its results");
    tap_ok(gnd_item_f64(gnd_sum(y, GND_ALL, 0), NULL) == 3.0 * N * (N - 1) / 2, "and their sum");
    gnd_device_stats(dev, &s);
    if (from_disk)
        tap_ok(s.kernels_built == 0 && s.kernels_from_disk > 0,
               "%llu kernels are from the disk, %llu built",
               (unsigned long long)s.kernels_from_disk, (unsigned long long)s.kernels_built);
    else
        tap_ok(s.kernels_built > 0, "%llu kernels were built", (unsigned long long)s.kernels_built);
    gnd_program_free(p);
    gnd_scope_end();
    gnd_close(dev);
}

int main(void)
{
    cl_platform_id platform[16];
    cl_device_id id[2];
    cl_uint n = 0, ndev = 0;
    cl_int r;
    setenv("POCL_DEVICES", "pthread pthread", 1);
    gnd__store_limit(INT64_MAX); /* or closing stores one of the kernels only, on a busy machine */
    driver_begin();              /* the loader loads all drivers at its first call */
    clGetPlatformIDs(16, platform, &n);
    driver_end();
    for (cl_uint i = 0; i < n && i < 16 && ndev < 2; i++) {
        char name[64] = "";
        clGetPlatformInfo(platform[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        ndev = 0;
        if (strstr(name, "Portable Computing Language"))
            clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, 2, id, &ndev);
    }
    if (ndev < 2)
        tap_skip_all("there is no PoCL, or it has one device");
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(text, sizeof text,
             "/* %lld.%09ld %d */\n__kernel void scale(__global float *y)\n"
             "{ y[get_global_id(0)] = 3 * (int)get_global_id(0); }\n",
             (long long)t.tv_sec, t.tv_nsec, (int)getpid());
    cl_context ctx = clCreateContext(NULL, 2, id, NULL, NULL, &r);
    if (!ctx)
        tap_skip_all("PoCL makes no context of two devices");
    for (int i = 0; i < 2; i++) {
        cl_command_queue queue = clCreateCommandQueue(ctx, id[i], 0, &r);
        compute(queue, i, i > 0); /* the second device is one like the first */
        compute(queue, i, 1);
        clReleaseCommandQueue(queue);
    }
    clReleaseContext(ctx);
    return tap_done();
}
#else
int main(void)
{
    tap_skip_all("configured without OpenCL");
}
#endif
