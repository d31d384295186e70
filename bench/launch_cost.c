/* SPDX-License-Identifier: BSD-3-Clause
 *
 * launch_cost.c - what the launch of a user's kernel on 1000 elements costs beside the driver's own
 * launch of the same kernel, in one process, in turn:
 *
 *     build/run build/bench/launch_cost [-d DEVICE] [-r ROUNDS]
 *
 * Prints one JSON object: medians of ROUNDS (15) batches of at least 20 ms with a wait at the end
 * of each, in microseconds: `bare_us` (cuLaunchKernel, or clSetKernelArg and
 * clEnqueueNDRangeKernel), `gnd_us` (gnd_launch with a new output, evaluated, released) and
 * `more_us`, their difference. The bare launch writes into the same memory each time and allocates
 * nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <gnd.h>

enum { N = 1000, GROUP = 256, MAX_ROUNDS = 101 };

static const char opencl_text[] =
    "__kernel void twice(__global const float *x, __global float *y, const int n)\n"
    "{ const int i = get_global_id(0); if (i < n) y[i] = 2 * x[i]; }\n";
static const char cuda_text[] =
    "extern \"C\" __global__ void twice(const float *x, float *y, const int n)\n"
    "{ const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }\n";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A side: one launch, and a wait. 0: done. */
typedef struct side {
    int (*launch)(void);
    int (*wait)(void);
} side;

static void *symbol(void *lib, const char *name)
{
    void *f = dlsym(lib, name);
    if (!f) {
        fprintf(stderr, "launch_cost: the driver has no %s\n", name);
        exit(1);
    }
    return f;
}

#define GET(f, lib, name) (*(void **)&(f) = symbol(lib, name))

/* --- CUDA ------------------------------------------------------------------------------------- */

/* As cuda.h and nvrtc.h declare them. */
static int (*cu_launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, void *, void **, void **);
static int (*cu_sync)(void *);
static void *cu_function, *cu_stream;
static unsigned long long cu_x, cu_y;

static int cuda_launch(void)
{
    int n = N;
    void *args[] = {&cu_x, &cu_y, &n};
    return cu_launch(cu_function, (N + GROUP - 1) / GROUP, 1, 1, GROUP, 1, 1, 0, cu_stream, args,
                     NULL);
}

static int cuda_wait(void)
{
    return cu_sync(cu_stream);
}

/* The text as PTX; freed by nobody. */
static char *cuda_ptx(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                        "/usr/local/cuda/lib64/libnvrtc.so"};
    int (*create)(void **, const char *, const char *, int, const char *const *,
                  const char *const *);
    int (*compile)(void *, int, const char *const *), (*size)(void *, size_t *);
    int (*get)(void *, char *);
    void *lib = NULL, *p;
    size_t n;
    for (int i = 0; i < 3 && !lib; i++)
        lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return NULL;
    GET(create, lib, "nvrtcCreateProgram");
    GET(compile, lib, "nvrtcCompileProgram");
    GET(size, lib, "nvrtcGetPTXSize");
    GET(get, lib, "nvrtcGetPTX");
    if (create(&p, cuda_text, "twice.cu", 0, NULL, NULL) || compile(p, 0, NULL) || size(p, &n))
        return NULL;
    char *ptx = malloc(n);
    return ptx && !get(p, ptx) ? ptx : NULL;
}

static int cuda_open(side *s)
{
    int (*init)(unsigned), (*device)(int *, int), (*retain)(void **, int), (*current)(void *);
    int (*load)(void **, const void *), (*function)(void **, void *, const char *);
    int (*alloc)(unsigned long long *, size_t), (*stream)(void **, unsigned);
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context, *module;
    int d;
    if (!lib)
        return 1;
    GET(init, lib, "cuInit");
    GET(device, lib, "cuDeviceGet");
    GET(retain, lib, "cuDevicePrimaryCtxRetain");
    GET(current, lib, "cuCtxSetCurrent");
    GET(load, lib, "cuModuleLoadData");
    GET(function, lib, "cuModuleGetFunction");
    GET(alloc, lib, "cuMemAlloc_v2");
    GET(stream, lib, "cuStreamCreate");
    GET(cu_launch, lib, "cuLaunchKernel");
    GET(cu_sync, lib, "cuStreamSynchronize");
    const char *ptx = cuda_ptx();
    *s = (side){cuda_launch, cuda_wait};
    return !ptx || init(0) || device(&d, 0) || retain(&context, d) || current(context) ||
           load(&module, ptx) || function(&cu_function, module, "twice") || alloc(&cu_x, 4 * N) ||
           alloc(&cu_y, 4 * N) || stream(&cu_stream, 1);
}

/* --- OpenCL ----------------------------------------------------------------------------------- */

/* As cl.h declares them. */
static int (*cl_arg)(void *, unsigned, size_t, const void *);
static int (*cl_enqueue)(void *, void *, unsigned, const size_t *, const size_t *, const size_t *,
                         unsigned, const void *, void *);
static int (*cl_finish)(void *);
static void *cl_kernel, *cl_queue, *cl_x, *cl_y;

static int opencl_launch(void)
{
    const int n = N;
    const size_t local = GROUP, global = (N + GROUP - 1) / GROUP * GROUP;
    return cl_arg(cl_kernel, 0, sizeof cl_x, &cl_x) || cl_arg(cl_kernel, 1, sizeof cl_y, &cl_y) ||
           cl_arg(cl_kernel, 2, sizeof n, &n) ||
           cl_enqueue(cl_queue, cl_kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

static int opencl_wait(void)
{
    return cl_finish(cl_queue);
}

/* The device whose name is `name`. */
static int opencl_open(side *s, const char *name)
{
    enum { DEVICE_NAME = 0x102b, MOST = 16 };
    int (*platforms)(unsigned, void **, unsigned *), r = 0;
    int (*devices)(void *, unsigned long, unsigned, void **, unsigned *);
    int (*info)(void *, unsigned, size_t, void *, size_t *);
    int (*build)(void *, unsigned, void **, const char *, void *, void *);
    void *(*context)(const void *, unsigned, void **, void *, void *, int *);
    void *(*queue)(void *, void *, unsigned long, int *), *(*kernel)(void *, const char *, int *);
    void *(*program)(void *, unsigned, const char **, const size_t *, int *);
    void *(*buffer)(void *, unsigned long, size_t, void *, int *);
    void *lib = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL), *p[MOST], *all[MOST], *d = NULL;
    unsigned np = 0, nd;
    if (!lib)
        return 1;
    GET(platforms, lib, "clGetPlatformIDs");
    GET(devices, lib, "clGetDeviceIDs");
    GET(info, lib, "clGetDeviceInfo");
    GET(context, lib, "clCreateContext");
    GET(queue, lib, "clCreateCommandQueue");
    GET(program, lib, "clCreateProgramWithSource");
    GET(build, lib, "clBuildProgram");
    GET(kernel, lib, "clCreateKernel");
    GET(buffer, lib, "clCreateBuffer");
    GET(cl_arg, lib, "clSetKernelArg");
    GET(cl_enqueue, lib, "clEnqueueNDRangeKernel");
    GET(cl_finish, lib, "clFinish");
    if (platforms(MOST, p, &np))
        return 1;
    for (unsigned i = 0; i < np && i < MOST && !d; i++) {
        nd = 0;
        if (devices(p[i], 0xffffffffu, MOST, all, &nd))
            continue;
        for (unsigned k = 0; k < nd && k < MOST && !d; k++) {
            char have[256] = "";
            if (!info(all[k], DEVICE_NAME, sizeof have, have, NULL) && strstr(have, name))
                d = all[k];
        }
    }
    if (!d)
        return 1;
    void *c = context(NULL, 1, &d, NULL, NULL, &r);
    const char *text = opencl_text;
    void *prog = c ? program(c, 1, &text, NULL, &r) : NULL;
    if (!prog || build(prog, 0, NULL, NULL, NULL, NULL))
        return 1;
    cl_kernel = kernel(prog, "twice", &r);
    cl_queue = queue(c, d, 0, &r);
    cl_x = buffer(c, 1, 4 * N, NULL, &r);
    cl_y = buffer(c, 1, 4 * N, NULL, &r);
    *s = (side){opencl_launch, opencl_wait};
    return !cl_kernel || !cl_queue || !cl_x || !cl_y;
}

/* --- gnd -------------------------------------------------------------------------------------- */

static gnd_device *dev;
static gnd_kernel *twice;
static gnd_array *x;

static int gnd_side_launch(void)
{
    const int64_t n = N;
    const gnd_arg args[] = {GND_IN(x), GND_OUT(1, &n, GND_FLOAT32, NULL), GND_I32(N)};
    gnd_array *y;
    gnd_status st =
        gnd_launch(twice, gnd_dims((N + GROUP - 1) / GROUP), gnd_dims(GROUP), 3, args, &y);
    if (!st)
        st = gnd_eval_all(1, &y);
    gnd_release(y);
    return st != GND_OK;
}

static int gnd_side_wait(void)
{
    return gnd_sync(dev) != GND_OK;
}

/* --- timing ----------------------------------------------------------------------------------- */

/* Microseconds of a launch in a batch of so many; negative on failure. */
static double batch(const side *s, int n)
{
    const double t = now();
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad |= s->launch();
    bad |= s->wait();
    return bad ? -1 : 1e6 * (now() - t) / n;
}

static int by_value(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

int main(int argc, char **argv)
{
    const char *name = getenv("GND_DEVICE");
    gnd_device_info info;
    side s[2] = {{0}, {gnd_side_launch, gnd_side_wait}};
    double t[2][MAX_ROUNDS];
    int rounds = 15, c, calls[2] = {64, 64};
    while ((c = getopt(argc, argv, "d:r:")) != -1) {
        if (c == 'd')
            name = optarg;
        else if (c == 'r' && atoi(optarg) > 0 && atoi(optarg) <= MAX_ROUNDS)
            rounds = atoi(optarg);
        else
            return 2;
    }
    dev = gnd_open(name);
    if (gnd_device_status(dev) || gnd_device_describe(dev, &info)) {
        fprintf(stderr, "launch_cost: %s\n", gnd_device_error(dev));
        return 1;
    }
    const int cuda = !strcmp(info.backend, "cuda");
    if (cuda ? cuda_open(&s[0]) : opencl_open(&s[0], info.name)) {
        fprintf(stderr, "launch_cost: %s: the driver's own launch could not be set up\n", info.id);
        return 1;
    }
    gnd_program *p =
        gnd_compile(dev, cuda ? cuda_text : opencl_text, cuda ? GND_CUDA_C : GND_OPENCL_C, NULL);
    twice = gnd_program_kernel(p, "twice");
    const int64_t n = N;
    x = gnd_ones(dev, GND_FLOAT32, 1, &n);
    for (int k = 0; k < 2; k++)
        for (double one = 0; one * calls[k] < 2e4; calls[k] *= 2) {
            one = batch(&s[k], calls[k]);
            if (one < 0) {
                fprintf(stderr, "launch_cost: %s: a launch failed: %s\n", info.id,
                        k ? gnd_message() : "the driver's");
                return 1;
            }
        }
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < 2; k++)
            t[k][r] = batch(&s[k], calls[k]);
    for (int k = 0; k < 2; k++)
        qsort(t[k], (size_t)rounds, sizeof(double), by_value);
    printf(
        "{\"row\": \"user_kernel_1000_cost\", \"device\": \"%s\", \"bare_us\": %.3f, \"gnd_us\": %.3f, "
        "\"more_us\": %.3f}\n",
        info.id, t[0][rounds / 2], t[1][rounds / 2], t[1][rounds / 2] - t[0][rounds / 2]);
    gnd_release(x);
    gnd_program_free(p);
    gnd_close(dev);
    return 0;
}
