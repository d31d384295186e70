/* SPDX-License-Identifier: BSD-3-Clause
 *
 * inside.c - gnd inside an OpenCL program. The program has its own context, queue and buffer; gnd
 * computes on that buffer in the order of that queue, and the program reads the result by its own
 * call. Nothing is copied in between, and nobody waits.
 *
 *     inside
 */
#include <gnd.h>
#include <stdio.h>
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum { N = 1 << 20 };
static float wave[N];

/* The device that gnd would take. */
static cl_device_id best_device(void)
{
    gnd_native_device n = {NULL, NULL, NULL, NULL};
    gnd_device *dev = gnd_open(NULL);
    if (gnd_device_native(dev, &n) != GND_OK)
        fprintf(stderr, "inside: %s\n", gnd_message());
    gnd_close(dev);
    return n.platform ? n.device : NULL; /* a CUdevice is no cl_device_id */
}

static int smooth(cl_command_queue queue, cl_mem mem)
{
    const int64_t n = N;
    const gnd_native_device app = {.queue = queue};
    gnd_native_array in, out;
    int bad = 1;
    gnd_device *dev = gnd_open_native("opencl", &app);
    gnd_scope_begin();
    gnd_native_fill(&in, GND_FLOAT32, 1, &n);
    in.kind = GND_NATIVE_OPENCL;
    in.handle = mem;
    gnd_array *x = gnd_from_native(dev, &in, NULL, NULL);
    gnd_array *y = gnd_eval(dev, "(x[:-2] + 2*x[1:-1] + x[2:]) / 4", "x", x, NULL);
    if (gnd_native(y, &out) != GND_OK)
        fprintf(stderr, "inside: %s\n", gnd_message());
    else
        bad = clEnqueueReadBuffer(queue, out.handle, CL_TRUE, out.offset, out.nbytes, wave, 0, NULL,
                                  NULL);
    gnd_scope_end();
    gnd_close(dev);
    return bad;
}

int main(void)
{
    cl_device_id id = best_device();
    cl_int r = 0;
    if (!id) {
        fprintf(stderr, "inside: no OpenCL device: GND_DEVICE=opencl:0 names one\n");
        return 1;
    }
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &r);
    cl_command_queue queue = clCreateCommandQueue(context, id, 0, &r);
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof wave, NULL, &r);
    if (!mem) {
        fprintf(stderr, "inside: OpenCL's error %d\n", (int)r);
        return 1;
    }
    for (int i = 0; i < N; i++)
        wave[i] = (float)(i % 4); /* 0 1 2 3 0 1 ... */
    clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, sizeof wave, wave, 0, NULL, NULL);
    const int bad = smooth(queue, mem);
    if (!bad)
        printf("inside: %g %g %g %g ...\n", wave[0], wave[1], wave[2], wave[3]);
    clReleaseMemObject(mem);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return bad;
}
