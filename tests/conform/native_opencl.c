/* SPDX-License-Identifier: BSD-3-Clause
 *
 * native_opencl.c - gnd inside a plain OpenCL program, which has its own context, queue and
 * buffers: both work on the same memory in the order of that queue, without a copy and without
 * waiting; the program's objects are let go of; what does not fit together is refused.
 */
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "ref.h"
#include "tap.h"

#ifdef TEST_HAS_OPENCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum { N = 1000 };

static cl_platform_id platform;
static cl_device_id id;
static cl_context ctx;
static cl_command_queue queue;
static cl_mem mem;
static float host[N];

static unsigned mem_refs(void)
{
    cl_uint n = 0;
    clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof n, &n, NULL);
    return n;
}

/* Of the context and the queue. */
static unsigned other_refs(void)
{
    cl_uint n = 0, m = 0;
    clGetContextInfo(ctx, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n, NULL);
    clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof m, &m, NULL);
    return n * 1000 + m;
}

static void program_begin(void)
{
    cl_int r = 0;
    ctx = clCreateContext(NULL, 1, &id, NULL, NULL, &r);
    queue = ctx ? clCreateCommandQueue(ctx, id, 0, &r) : NULL;
    mem = queue ? clCreateBuffer(ctx, CL_MEM_READ_WRITE, sizeof host, NULL, &r) : NULL;
    if (!mem)
        tap_bail("OpenCL's error %d", (int)r);
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL);
}

static gnd_device *open_here(void)
{
    const gnd_native_device app = {.queue = queue};
    return gnd_open_native("opencl", &app);
}

/* n floats from `first` on in m. */
static gnd_array *wrap(gnd_device *dev, cl_mem m, int64_t n, int first)
{
    gnd_native_array a;
    gnd_native_fill(&a, GND_FLOAT32, 1, &n);
    a.kind = GND_NATIVE_OPENCL;
    a.handle = m;
    a.offset = 4 * (uint64_t)first;
    return gnd_from_native(dev, &a, NULL, NULL);
}

/* a x + b; nothing else is left of it. */
static gnd_array *line(gnd_array *x, double a, double b)
{
    gnd_scope_begin();
    gnd_array *y = gnd_keep(gnd_add(gnd_multiply(x, gnd_real(a)), gnd_real(b)));
    gnd_scope_end();
    return y;
}

/* Whether y is a x[i] + b for the x[i] of the buffer, as the program reads it by itself. */
static int is_line(gnd_array *y, int64_t n, int first, float a, float b)
{
    gnd_native_array at;
    float got[N];
    if (gnd_native(y, &at) != GND_OK || at.kind != GND_NATIVE_OPENCL || at.strides[0] != 4)
        return 0;
    if (clEnqueueReadBuffer(queue, at.handle, CL_TRUE, at.offset, (size_t)n * 4, got, 0, NULL,
                            NULL))
        return 0;
    for (int64_t i = 0; i < n; i++)
        if (got[i] != a * (float)(i + first) + b)
            return 0;
    return 1;
}

static void test_share(void)
{
    const unsigned mems = mem_refs(), others = other_refs();
    gnd_native_device n;
    gnd_native_array at;
    gnd_stats s;
    gnd_device *dev = open_here();
    if (!tap_is_str(gnd_device_error(dev), "", "gnd in the program's queue"))
        tap_bail("no device");
    tap_diag("%s", gnd_device_id(dev));
    tap_ok(gnd_device_native(dev, &n) == GND_OK && n.platform == platform && n.device == id &&
               n.context == ctx && n.queue == queue,
           "the objects are the program's");
    gnd_array *x = wrap(dev, mem, N, 0);
    tap_ok(gnd_native(x, &at) == GND_OK && at.handle == mem && at.offset == 0,
           "its buffer is an array: %s", gnd_error(x));
    gnd_array *y = line(x, 2, 1);
    tap_ok(is_line(y, N, 0, 2, 1), "the result, read by the program's own call");
    for (int first = 0; first < 9; first++) {
        gnd_array *part = wrap(dev, mem, 100 + first, first), *z = gnd_negative(part);
        tap_ok(is_line(z, 100 + first, first, -1, 0), "from element %d on", first);
        gnd_release(part);
        gnd_release(z);
    }
    gnd_release(y);
    gnd_device_stats(dev, &s);
    tap_ok(s.bytes_to_device == 0 && s.bytes_from_device == 0, "nothing was copied");
    tap_ok(mem_refs() > mems, "the buffer is held");
    gnd_release(x);
    clFinish(queue);
    tap_is_int(mem_refs(), mems, "and let go of");

    /* In the order of the queue: what the program enqueues before is done before. */
    const float seven = 7;
    int bad = 0;
    for (int i = 0; i < 20; i++) {
        const float v = seven + (float)i;
        cl_mem m = clCreateBuffer(ctx, CL_MEM_READ_WRITE, sizeof host, NULL, NULL);
        clEnqueueFillBuffer(queue, m, &v, sizeof v, 0, sizeof host, 0, NULL, NULL);
        x = wrap(dev, m, N, 0);
        clReleaseMemObject(m);
        gnd_scope_begin();
        y = gnd_add(gnd_sqrt(x), gnd_square(x));
        gnd_array *sum = gnd_sum(gnd_equal(y, gnd_at(y, "0")), GND_ALL, 0);
        float first = 0;
        gnd_native(y, &at);
        clEnqueueReadBuffer(queue, at.handle, CL_TRUE, at.offset, 4, &first, 0, NULL, NULL);
        bad += gnd_item_i64(sum, NULL) != N || first < v * v || first > v * v + v;
        gnd_scope_end();
        gnd_release(x);
    }
    tap_is_int(bad, 0, "after what the program enqueued, without waiting");
    gnd_close(dev);
    tap_is_int(other_refs(), others, "context and queue are let go of");
    clEnqueueFillBuffer(queue, mem, &seven, sizeof seven, 0, 4, 0, NULL, NULL);
    tap_ok(!clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL) &&
               host[0] == 7 && host[N - 1] == N - 1,
           "and work as before");
}

/* An array of gnd's own in a kernel of the program's. */
static void test_kernel(void)
{
    static const char *source = "__kernel void half_of(__global const float *x, ulong at,\n"
                                "                      __global float *y)\n"
                                "{ y[get_global_id(0)] = x[at + get_global_id(0)] / 2; }\n";
    const size_t n = N;
    gnd_native_array at;
    cl_int r;
    int bad = 0;
    gnd_device *dev = open_here();
    gnd_scope_begin();
    gnd_array *x = gnd_arange(dev, gnd_int(0), gnd_int(N), gnd_int(1), GND_FLOAT32);
    tap_is_int(gnd_native(x, &at), GND_OK, "an array");
    cl_program p = clCreateProgramWithSource(ctx, 1, &source, NULL, &r);
    clBuildProgram(p, 1, &id, "", NULL, NULL);
    cl_kernel k = clCreateKernel(p, "half_of", &r);
    const cl_ulong first = at.offset / 4;
    clSetKernelArg(k, 0, sizeof at.handle, &at.handle);
    clSetKernelArg(k, 1, sizeof first, &first);
    clSetKernelArg(k, 2, sizeof mem, &mem);
    r = clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL);
    tap_ok(!r && !clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL),
           "a kernel of the program's reads it");
    for (int i = 0; i < N; i++)
        bad += host[i] != (float)i / 2;
    tap_is_int(bad, 0, "rightly");
    clReleaseKernel(k);
    clReleaseProgram(p);
    gnd_scope_end();
    gnd_close(dev);
}

static void refuses(gnd_device *dev, cl_mem m, int64_t n, const char *text)
{
    gnd_array *x = wrap(dev, m, n, 0);
    tap_ok(gnd_status_of(x) == GND_ERR_ARG && strstr(gnd_error(x), text), "%s", gnd_error(x));
    gnd_release(x);
}

static void will_not_open(const gnd_native_device *app, gnd_status want, const char *text)
{
    gnd_device *dev = gnd_open_native("opencl", app);
    tap_ok(gnd_device_status(dev) == want && strstr(gnd_device_error(dev), text), "%s",
           gnd_device_error(dev));
    gnd_close(dev);
}

static void test_errors(void)
{
    gnd_device *dev = open_here();
    cl_context apart = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
    cl_mem there = clCreateBuffer(apart, CL_MEM_READ_WRITE, 64, NULL, NULL);
    cl_mem blind = clCreateBuffer(ctx, CL_MEM_WRITE_ONLY, 64, NULL, NULL);
    refuses(dev, there, 4, "open the device by gnd_open_native");
    refuses(dev, blind, 4, "CL_MEM_WRITE_ONLY");
    refuses(dev, mem, N + 1, "a cl_mem of 4000 bytes: 4004 are needed");
    clReleaseMemObject(there);
    clReleaseMemObject(blind);
    gnd_close(dev);
    gnd_native_device app = {.context = ctx};
    will_not_open(&app, GND_ERR_NULL, "the queue is NULL");
    app = (gnd_native_device){.context = apart, .queue = queue};
    will_not_open(&app, GND_ERR_ARG, "the queue is of context");
    app = (gnd_native_device){.device = &app, .queue = queue};
    will_not_open(&app, GND_ERR_ARG, "the queue is of device");
    cl_command_queue wild =
        clCreateCommandQueue(ctx, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
    app = (gnd_native_device){.queue = wild};
    if (wild)
        will_not_open(&app, GND_ERR_UNSUPPORTED, "the queue is out of order");
    else
        tap_skip(1, "the driver has no queues that are out of order");
    if (wild)
        clReleaseCommandQueue(wild);
    clReleaseContext(apart);
}

static void on_device(gnd_device *dev, const char *spec)
{
    gnd_native_device n;
    if (strncmp(gnd_device_id(dev), "opencl:", 7)) {
        tap_skip(1, "%s is no OpenCL device", spec);
        return;
    }
    tap_diag("%s", spec);
    if (!tap_is_int(gnd_device_native(dev, &n), GND_OK, "the device's objects"))
        return;
    platform = n.platform;
    id = n.device;
    program_begin();
    test_share();
    test_kernel();
    test_errors();
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseContext(ctx);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
#else
int main(void)
{
    tap_skip_all("configured without OpenCL");
}
#endif
