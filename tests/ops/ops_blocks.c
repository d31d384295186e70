/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_blocks.c - blocks of every size that the device has, also above what its compiler takes for a
 * kernel that declares none: in each language, along one axis and two, with local memory, checked.
 * opencl_groups.sh runs it on a driver of that kind, where GND_TEST_GROUPS is what this driver
 * takes.
 */
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

/* y[i] = the number of the work-item that is opposite in its group. */
static const char opencl_text[] =
    "__kernel void turn(__global int *y, __local int *t)\n"
    "{\n"
    "    const int w = get_local_size(0), n = w * get_local_size(1), i = get_local_id(0) + w * get_local_id(1);\n"
    "    const int g = get_group_id(0) * n;\n"
    "    t[i] = g + i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    y[g + i] = t[n - 1 - i];\n"
    "}\n"
    "__kernel void other(__global int *y) { y[get_global_id(0)] = 1; }\n"
    "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void fixed(__global int *y) { y[get_global_id(0)] = 1; }\n";
static const char cuda_text[] =
    "__global__ void turn(int *y)\n"
    "{\n"
    "    extern __shared__ int t[];\n"
    "    const int w = blockDim.x, n = w * blockDim.y, i = threadIdx.x + w * threadIdx.y, g = blockIdx.x * n;\n"
    "    t[i] = g + i;\n"
    "    __syncthreads();\n"
    "    y[g + i] = t[n - 1 - i];\n"
    "}\n";
static const char portable_text[] =
    "GND_KERNEL void turn(GND_GLOBAL g_i32 *y, GND_LOCAL_PTR g_i32 *t)\n"
    "{\n"
    "    const g_i32 w = (g_i32)GND_LSZ(0), n = w * (g_i32)GND_LSZ(1), i = (g_i32)GND_LID(0) + w * (g_i32)GND_LID(1);\n"
    "    const g_i32 g = (g_i32)GND_GRP(0) * n;\n"
    "    t[i] = g + i;\n"
    "    GND_BARRIER();\n"
    "    y[g + i] = t[n - 1 - i];\n"
    "}\n";

static gnd_device *dev;

static int turned(gnd_kernel *k, size_t w, size_t h)
{
    enum { GROUPS = 3 };
    const int64_t n = (int64_t)(w * h), all = GROUPS * n;
    const gnd_arg args[] = {GND_OUT(1, &all, GND_INT32, NULL), GND_LOCAL_BYTES(w * h * 4)};
    gnd_array *y = NULL;
    int32_t *got = calloc((size_t)all, sizeof *got);
    int good = 1;
    gnd_launch(k, gnd_dims(GROUPS), gnd_dims3(w, h, 1), 2, args, &y);
    if (gnd_read(y, got, (size_t)all * sizeof *got) != GND_OK) {
        tap_diag("%s", gnd_error(y));
        good = 0;
    }
    for (int64_t i = 0; i < all && good; i++)
        good = got[i] == i / n * n + n - 1 - i % n;
    free(got);
    gnd_release(y);
    return good;
}

static void test_sizes(gnd_language language, const char *text, const char *options,
                       const char *name)
{
    static const size_t size[][2] = {{1, 1},   {100, 1},  {256, 1}, {257, 1}, {400, 1},
                                     {20, 20}, {1024, 1}, {400, 1}, {8, 64}};
    gnd_program *p = gnd_compile(dev, text, language, options);
    if (!tap_is_str(gnd_program_error(p), "", "%s compiles", name))
        return;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        tap_ok(turned(gnd_program_kernel(p, "turn"), size[i][0], size[i][1]),
               "%s: a block of %zu x %zu", name, size[i][0], size[i][1]);
    gnd_program_free(p);
}

static void test_limits(void)
{
    const char *given = getenv("GND_TEST_GROUPS");
    gnd_device_info info;
    gnd_kernel_facts facts = {0};
    const int64_t n = 100;
    const gnd_arg args[] = {GND_OUT(1, &n, GND_INT32, NULL)};
    gnd_array *y = NULL;
    gnd_stats before, after;
    gnd_device_describe(dev, &info);
    gnd_program *p = gnd_compile(dev, opencl_text, GND_OPENCL_C, NULL);
    gnd_kernel *k = gnd_program_kernel(p, "other");
    gnd_kernel_info(k, n, &facts);
    if (given)
        tap_is_int(facts.max_group, atoi(given), "the driver's limit");
    tap_is_int(gnd_launch(k, gnd_dims(1), gnd_dims(1 << 20), 1, args, &y), GND_ERR_ARG,
               "a block that the device has not");
    tap_is_int(gnd_launch(gnd_program_kernel(p, "fixed"), gnd_dims(1), gnd_dims(512), 1, args, &y),
               GND_ERR_ARG, "a block other than the declared one");
    /* compiled once for each size that is beyond what the driver gives a kernel of any size */
    k = gnd_program_kernel(p, "turn");
    gnd_kernel_info(k, n, &facts);
    gnd_device_stats(dev, &before);
    const int good = turned(k, 300, 1) + turned(k, 300, 1) + turned(k, 300, 1);
    gnd_device_stats(dev, &after);
    const uint64_t made = after.kernels_built + after.kernels_from_disk - before.kernels_built -
                          before.kernels_from_disk;
    tap_ok(good == 3 && made == (facts.max_group < 300), "three launches compile %llu kernels",
           (unsigned long long)made);
    gnd_program_free(p);
}

int main(void)
{
    dev = ref_open_first();
    gnd_scope_begin();
    test_sizes(GND_OPENCL_C, opencl_text, NULL, "OpenCL C");
    test_sizes(GND_CUDA_C, cuda_text, NULL, "CUDA C");
    test_sizes(GND_CUDA_C, cuda_text, "-checked", "CUDA C, checked");
    test_sizes(GND_PORTABLE, portable_text, NULL, "portable");
    if (strncmp(ref_first_device(), "cuda", 4) && !strstr(ref_first_device(), "nvidia"))
        test_limits();
    gnd_scope_end();
    gnd_close(dev);
    return tap_done();
}
