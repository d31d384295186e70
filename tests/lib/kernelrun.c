/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernelrun.c - see kernelrun.h. Built without OpenCL's headers it finds no device.
 */
#include "kernelrun.h"

#include "driverleaks.h"
#include "tap.h"

#include "base/dtype.h"
#include "codegen/prelude.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gnd_dtype krun_out_dtype(gnd__op op, gnd_dtype t)
{
    return gnd__op_out(op, t);
}

void krun_add_op(gnd__str *body, gnd__op op, gnd_dtype t)
{
    const gnd__opinfo *o = &gnd__ops[op];
    const char *const arg[GND__OP_ARGS] = {"x0", "x1", "x2", "x3"};
    gnd_dtype out = krun_out_dtype(op, t);
    gnd__str_addf(body, "GND_KERNEL void k_%s_%s(GND_GLOBAL %s *out", o->name, gnd__suffix(t),
                  gnd__ctype_mem(out));
    for (int i = 0; i < o->nin; i++)
        gnd__str_addf(body, ", GND_CONST_GLOBAL %s *a%d", gnd__ctype_mem(gnd__op_arg(op, i, t)), i);
    gnd__str_add(body, ")\n{\n    const g_i64 i = GND_GID(0);\n");
    for (int i = 0; i < o->nin; i++) {
        gnd_dtype ti = gnd__op_arg(op, i, t);
        gnd__str_addf(body, "    const %s x%d = gnd_ld_%s(a%d, i);\n", gnd__ctype_value(ti), i,
                      gnd__suffix(ti), i);
    }
    gnd__str_addf(body, "    gnd_st_%s(out, i, ", gnd__suffix(out));
    gnd__expand(body, gnd__op_text(op, gnd_dtype_kind(t)), t, arg);
    gnd__str_add(body, ");\n}\n");
}

#if defined(__has_include)
#if __has_include(<CL/cl.h>)
#define HAVE_CL 1
#endif
#endif

#ifdef HAVE_CL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

/* clang-format off */
#define CL_FUNCTIONS(X)                                                                            \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo)                  \
    X(clCreateContext) X(clCreateCommandQueue) X(clCreateBuffer) X(clCreateProgramWithSource)      \
    X(clBuildProgram) X(clGetProgramBuildInfo) X(clCreateKernel) X(clSetKernelArg)                 \
    X(clEnqueueNDRangeKernel) X(clEnqueueReadBuffer) X(clReleaseMemObject) X(clReleaseKernel)      \
    X(clReleaseProgram) X(clReleaseCommandQueue) X(clReleaseContext)
/* clang-format on */

struct krun {
    void *lib;
    cl_device_id dev;
    cl_context ctx;
    cl_command_queue queue;
    cl_program prog;
    gnd_props props;
#define X(f) __typeof__(&f) f;
    CL_FUNCTIONS(X)
#undef X
};

/* The device, or NULL. */
static cl_device_id find_device(krun *k)
{
    const char *wanted = getenv("GND_TEST_PLATFORM");
    cl_platform_id plat[16];
    cl_uint n = 0;
    if (k->clGetPlatformIDs(16, plat, &n) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < n && i < 16; i++) {
        char name[128] = "";
        cl_device_id dev;
        k->clGetPlatformInfo(plat[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strstr(name, wanted ? wanted : "Portable Computing Language") &&
            k->clGetDeviceIDs(plat[i], CL_DEVICE_TYPE_ALL, 1, &dev, NULL) == CL_SUCCESS)
            return dev;
    }
    return NULL;
}

krun *krun_open(const char **why)
{
    krun *k = calloc(1, sizeof *k);
    cl_device_fp_config f64 = 0;
    cl_device_type type = 0;
    cl_int st;
    *why = "out of memory";
    if (!k)
        return NULL;
    *why = "no libOpenCL.so.1";
    k->lib = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!k->lib)
        goto fail;
    *why = "libOpenCL.so.1 lacks a function";
#define X(f)                                                                                       \
    *(void **)&k->f = dlsym(k->lib, #f);                                                           \
    if (!k->f)                                                                                     \
        goto fail;
    CL_FUNCTIONS(X)
#undef X
    *why = "no such OpenCL device (PoCL)";
    driver_begin(); /* the loader loads all drivers at its first call */
    k->dev = find_device(k);
    driver_end();
    if (!k->dev)
        goto fail;
    *why = "others' compilers and their code have no sanitizers: the plain build's run does this";
    if (tap_sanitized())
        goto fail;
    *why = "no context on the OpenCL device";
    k->ctx = k->clCreateContext(NULL, 1, &k->dev, NULL, NULL, &st);
    if (k->ctx)
        k->queue = k->clCreateCommandQueue(k->ctx, k->dev, 0, &st);
    if (!k->queue)
        goto fail;
    k->clGetDeviceInfo(k->dev, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof f64, &f64, NULL);
    strcpy(k->props.name, "OpenCL");
    k->props.dialect = GND_DIALECT_OPENCL;
    k->props.has_f64 = f64 != 0;
    k->clGetDeviceInfo(k->dev, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    k->props.kind = type & CL_DEVICE_TYPE_CPU ? GND_DEV_CPU : GND_DEV_GPU;
    return k;
fail:
    krun_close(k);
    return NULL;
}

void krun_close(krun *k)
{
    if (!k)
        return;
    if (k->prog)
        k->clReleaseProgram(k->prog);
    if (k->queue)
        k->clReleaseCommandQueue(k->queue);
    if (k->ctx)
        k->clReleaseContext(k->ctx);
    free(k); /* the library stays: drivers do not like to be unloaded */
}

const gnd_props *krun_props(const krun *k)
{
    return &k->props;
}

int krun_build(krun *k, const char *body)
{
    gnd__str src = {0};
    gnd_err e = {0};
    cl_int st = CL_OUT_OF_HOST_MEMORY;
    if (gnd__prelude(&src, body, &k->props, &e)) {
        tap_diag("%s", e.msg);
        gnd__str_free(&src);
        return -1;
    }
    gnd__str_add(&src, body);
    if (k->prog)
        k->clReleaseProgram(k->prog);
    const char *s = gnd__str_get(&src);
    k->prog = k->clCreateProgramWithSource(k->ctx, 1, &s, NULL, &st);
    if (k->prog)
        st = k->clBuildProgram(k->prog, 1, &k->dev, "-cl-std=CL1.2", NULL, NULL);
    if (st != CL_SUCCESS) {
        char *log = calloc(1, 65536);
        if (log && k->prog)
            k->clGetProgramBuildInfo(k->prog, k->dev, CL_PROGRAM_BUILD_LOG, 65535, log, NULL);
        tap_diag("status %d\n%s", st, log ? log : "");
        free(log);
    }
    gnd__str_free(&src);
    return st == CL_SUCCESS ? 0 : -1;
}

int krun_run(krun *k, const char *name, size_t n, void *out, size_t out_bytes, int nin,
             const void *const *in, const size_t *in_bytes)
{
    cl_int st;
    cl_mem mem[5] = {0};
    cl_kernel kern = k->clCreateKernel(k->prog, name, &st);
    mem[0] = k->clCreateBuffer(k->ctx, CL_MEM_READ_WRITE, out_bytes, NULL, &st);
    for (int i = 0; i < nin && i < 4; i++)
        mem[i + 1] = k->clCreateBuffer(k->ctx, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, in_bytes[i],
                                       (void *)(uintptr_t)in[i], &st);
    for (int i = 0; i <= nin && kern && st == CL_SUCCESS; i++)
        st = k->clSetKernelArg(kern, (cl_uint)i, sizeof mem[i], &mem[i]);
    if (kern && st == CL_SUCCESS)
        st = k->clEnqueueNDRangeKernel(k->queue, kern, 1, NULL, &n, NULL, 0, NULL, NULL);
    if (kern && st == CL_SUCCESS)
        st = k->clEnqueueReadBuffer(k->queue, mem[0], CL_TRUE, 0, out_bytes, out, 0, NULL, NULL);
    for (int i = 0; i <= nin; i++)
        if (mem[i])
            k->clReleaseMemObject(mem[i]);
    if (kern)
        k->clReleaseKernel(kern);
    if (!kern || st != CL_SUCCESS)
        tap_diag("kernel %s: status %d", name, st);
    return kern && st == CL_SUCCESS ? 0 : -1;
}

#else

krun *krun_open(const char **why)
{
    *why = "built without OpenCL's headers";
    return NULL;
}

void krun_close(krun *k)
{
    (void)k;
}

const gnd_props *krun_props(const krun *k)
{
    (void)k;
    return NULL;
}

int krun_build(krun *k, const char *body)
{
    (void)k;
    (void)body;
    return -1;
}

int krun_run(krun *k, const char *name, size_t n, void *out, size_t out_bytes, int nin,
             const void *const *in, const size_t *in_bytes)
{
    (void)k;
    (void)name;
    (void)n;
    (void)out;
    (void)out_bytes;
    (void)nin;
    (void)in;
    (void)in_bytes;
    return -1;
}

#endif

int krun_elements(krun *k, const char *func, gnd_dtype t, size_t n, void *out, int nin,
                  const void *const *in)
{
    const size_t bytes = n * gnd_dtype_size(t), each[2] = {bytes, bytes};
    char name[64];
    snprintf(name, sizeof name, "k_%s_%s", func, gnd__suffix(t));
    return krun_run(k, name, n, out, bytes, nin, in, each);
}

int krun_functions(int argc, char **argv, gnd_dtype t, int n, gnd__op (*op)(int), const char *more,
                   void (*test)(krun *, int), void (*others)(krun *))
{
    const char *why = NULL;
    krun *k = krun_open(&why);
    gnd__str body = {0};
    if (!k)
        tap_skip_all("%s", why);
    if (krun_props(k)->kind != GND_DEV_CPU || !krun_props(k)->has_f64)
        tap_skip_all("not a CPU with float64: the functions are the driver's there");
    for (int i = 0; i < n; i++)
        krun_add_op(&body, op(i), t);
    gnd__str_add(&body, more);
    if (tap_ok(!krun_build(k, gnd__str_get(&body)), "they compile")) {
        for (int i = 0; i < n; i++) {
            int wanted = argc < 2;
            for (int j = 1; j < argc; j++)
                wanted |= !strcmp(argv[j], gnd__ops[op(i)].name);
            if (wanted)
                test(k, i);
        }
        if (argc < 2 && others)
            others(k);
    }
    gnd__str_free(&body);
    krun_close(k);
    return tap_done();
}
