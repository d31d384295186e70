/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/device.c - the device group: every device of every platform, GPUs first, then CPUs, then
 * others, each in the drivers' order. A platform that is broken or without devices gives a note and
 * does not hide the others. A device that cannot be used stays in the list with the reason.
 */
#define _POSIX_C_SOURCE 200809L
#include "ocl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Constants of extensions, which are not in the headers of every distribution. */
#define OCL_PLATFORM_NOT_FOUND_KHR (-1001)
#define OCL_DEVICE_WARP_SIZE_NV 0x4003
#define OCL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV 0x4000
#define OCL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV 0x4001
#define OCL_DEVICE_PCI_BUS_ID_NV 0x4008
#define OCL_DEVICE_PCI_SLOT_ID_NV 0x4009
#define OCL_DEVICE_PCI_DOMAIN_ID_NV 0x400A
#define OCL_DEVICE_PCI_BUS_INFO_KHR 0x410F
#define OCL_DEVICE_WAVEFRONT_WIDTH_AMD 0x4043
#define OCL_DEVICE_SUB_GROUP_SIZES_INTEL 0x4108

static gnd__ocl_info *list_;
static int nlist;
static char note_[400];
static gnd_err list_err; /* code != 0: the list could not be made */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void note(const char *platform, const char *what)
{
    size_t n = strlen(note_);
    snprintf(note_ + n, sizeof note_ - n, "%s%s: %s", n ? "; " : "", platform, what);
}

/* A string of the device, malloc'ed; NULL on any failure. */
static char *info_text(cl_device_id id, cl_device_info what)
{
    size_t n = 0;
    if (clGetDeviceInfo(id, what, 0, NULL, &n) != CL_SUCCESS)
        return NULL;
    char *s = malloc(n + 1);
    if (s && clGetDeviceInfo(id, what, n, s, NULL) != CL_SUCCESS)
        n = 0;
    if (s)
        s[n] = 0;
    return s;
}

static void info_str(cl_device_id id, cl_device_info what, char *dst, size_t cap)
{
    char *s = info_text(id, what);
    gnd__plug_str(dst, cap, s ? s : "");
    free(s);
}

static void platform_str(cl_platform_id id, cl_platform_info what, char *dst, size_t cap)
{
    size_t n = 0;
    dst[0] = 0;
    if (clGetPlatformInfo(id, what, 0, NULL, &n) != CL_SUCCESS)
        return;
    char *s = malloc(n + 1);
    if (s && clGetPlatformInfo(id, what, n, s, NULL) == CL_SUCCESS) {
        s[n] = 0;
        gnd__plug_str(dst, cap, s);
    }
    free(s);
}

/* Numbers: OpenCL's types differ in width, and a query that fails leaves 0. */
static uint64_t info_num(cl_device_id id, cl_device_info what)
{
    union {
        cl_uint u32;
        cl_ulong u64;
    } v = {.u64 = 0};
    size_t n = 0;
    if (clGetDeviceInfo(id, what, sizeof v, &v, &n) != CL_SUCCESS)
        return 0;
    return n == sizeof v.u32 ? v.u32 : v.u64;
}

static int has_ext(const char *all, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = all; (p = strstr(p, name)); p += n)
        if ((p == all || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0))
            return 1;
    return 0;
}

static uint32_t u32_of(uint64_t v)
{
    return v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static uint32_t subgroup_of(cl_device_id id, const char *ext)
{
    size_t sizes[16], n = 0;
    if (has_ext(ext, "cl_nv_device_attribute_query"))
        return u32_of(info_num(id, OCL_DEVICE_WARP_SIZE_NV));
    if (has_ext(ext, "cl_amd_device_attribute_query"))
        return u32_of(info_num(id, OCL_DEVICE_WAVEFRONT_WIDTH_AMD));
    if (has_ext(ext, "cl_intel_required_subgroup_size") &&
        clGetDeviceInfo(id, OCL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &n) ==
            CL_SUCCESS &&
        n >= sizeof *sizes)
        return u32_of(sizes[n / sizeof *sizes - 1]);
    return 0;
}

/* The PCI address. NVIDIA's slot is the number of the device with that of its function. */
static void find_bus(cl_device_id id, const char *ext, gnd_props *p)
{
    cl_uint at[4] = {0}; /* domain, bus, device, function */
    size_t n = 0;
    if (has_ext(ext, "cl_khr_pci_bus_info")) {
        if (clGetDeviceInfo(id, OCL_DEVICE_PCI_BUS_INFO_KHR, sizeof at, at, &n) == CL_SUCCESS &&
            n == sizeof at)
            gnd__plug_bus(p, at[0], at[1], at[2], at[3]);
    } else if (has_ext(ext, "cl_nv_device_attribute_query") &&
               clGetDeviceInfo(id, OCL_DEVICE_PCI_BUS_ID_NV, sizeof *at, at + 1, &n) ==
                   CL_SUCCESS) {
        const uint32_t slot = u32_of(info_num(id, OCL_DEVICE_PCI_SLOT_ID_NV));
        gnd__plug_bus(p, u32_of(info_num(id, OCL_DEVICE_PCI_DOMAIN_ID_NV)), at[1], slot >> 3,
                      slot & 7);
    }
}

/* Adds the compute capability of an NVIDIA device to its version, as the CUDA plugin says it. */
static void add_capability(cl_device_id id, gnd_props *p)
{
    const size_t n = strlen(p->version);
    const unsigned major = u32_of(info_num(id, OCL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV)),
                   minor = u32_of(info_num(id, OCL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV));
    if (major)
        snprintf(p->version + n, sizeof p->version - n, ", compute capability %u.%u", major, minor);
}

/* The first reason why the device cannot be used, or NULL. */
static void find_reason(cl_device_id id, gnd_props *p)
{
    int major = 0, minor = 0;
    const char *why = NULL;
    if (!info_num(id, CL_DEVICE_AVAILABLE))
        why = "the driver says that the device is not available";
    else if (sscanf(p->version, "OpenCL %d.%d", &major, &minor) != 2 || major * 100 + minor < 102)
        why = "OpenCL 1.2 is needed";
    else if (!info_num(id, CL_DEVICE_COMPILER_AVAILABLE))
        why = "the driver has no compiler";
    else if (!p->little_endian)
        why = "the device is big-endian";
    if (why)
        gnd__plug_str(p->reason, sizeof p->reason, why);
}

/* PoCL may report a quarter of a CPU's memory, and another value in each run. It is replaced by
 * half of the memory unless the user has set PoCL's limit. */
static uint64_t cpu_memory(uint64_t said)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    const uint64_t half = pages > 0 && bytes > 0 ? (uint64_t)pages / 2 * (uint64_t)bytes : 0;
    return said > half || getenv("POCL_MEMORY_LIMIT") ? said : half;
}

static void describe(gnd__ocl_info *d, const char *platform)
{
    gnd_props *p = &d->props;
    const cl_device_id id = d->id;
    d->type = (cl_device_type)info_num(id, CL_DEVICE_TYPE);
    info_str(id, CL_DEVICE_NAME, p->name, sizeof p->name);
    info_str(id, CL_DEVICE_VENDOR, p->vendor, sizeof p->vendor);
    info_str(id, CL_DRIVER_VERSION, p->driver, sizeof p->driver);
    info_str(id, CL_DEVICE_VERSION, p->version, sizeof p->version);
    gnd__plug_str(p->platform, sizeof p->platform, platform);
    d->pocl = strcmp(platform, "Portable Computing Language") == 0;
    d->apart = strcmp(platform, "rusticl") == 0;
    /* Oclgrind reports all device types at once: it runs on a CPU. */
    p->kind = d->type & CL_DEVICE_TYPE_CPU   ? GND_DEV_CPU
              : d->type & CL_DEVICE_TYPE_GPU ? GND_DEV_GPU
                                             : GND_DEV_OTHER;
    p->dialect = GND_DIALECT_OPENCL;
    p->mem_bytes = info_num(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    if (d->pocl && p->kind == GND_DEV_CPU)
        p->mem_bytes = cpu_memory(p->mem_bytes);
    p->max_alloc_bytes = info_num(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    p->local_bytes = info_num(id, CL_DEVICE_LOCAL_MEM_SIZE);
    p->cache_bytes = info_num(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    p->compute_units = u32_of(info_num(id, CL_DEVICE_MAX_COMPUTE_UNITS));
    p->max_group = u32_of(info_num(id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    size_t local[16] = {0}, n = 0;
    if (clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof local, local, &n) != CL_SUCCESS)
        memset(local, 0, sizeof local);
    for (int i = 0; i < 3; i++)
        p->max_local[i] = local[i] ? u32_of(local[i]) : 1;
    p->align_bytes = u32_of(info_num(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8);
    if (p->align_bytes < 64)
        p->align_bytes = 64;

    char *ext = info_text(id, CL_DEVICE_EXTENSIONS);
    const char *exts = ext ? ext : "";
    p->has_f64 = info_num(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0 || has_ext(exts, "cl_khr_fp64");
    p->has_f16 = has_ext(exts, "cl_khr_fp16");
    p->has_atomic64 = has_ext(exts, "cl_khr_int64_extended_atomics") &&
                      has_ext(exts, "cl_khr_int64_base_atomics");
    p->subgroup = p->kind == GND_DEV_CPU ? 0 : subgroup_of(id, exts); /* PoCL 5 says 512 */
    find_bus(id, exts, p);
    d->eager = has_ext(exts, "cl_nv_device_attribute_query") && !d->pocl;
    if (d->eager)
        add_capability(id, p);
    /* A thread of PoCL's runs a group from start to end. On NVIDIA's GPUs a resident group is never
     * replaced by one that is not resident. */
    p->has_progress = (d->pocl && p->kind == GND_DEV_CPU) || d->eager;
    free(ext);

    p->host_mapped = p->kind == GND_DEV_CPU || info_num(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    p->little_endian = info_num(id, CL_DEVICE_ENDIAN_LITTLE) != 0;
    d->exact_div =
        (info_num(id, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    find_reason(id, p);
}

/* Appends the devices of one platform to the list. */
static int add_platform(cl_platform_id pf)
{
    char name[96], version[128], why[160];
    cl_uint n = 0;
    gnd__plug_driver_begin();
    platform_str(pf, CL_PLATFORM_NAME, name, sizeof name);
    platform_str(pf, CL_PLATFORM_VERSION, version, sizeof version);
    cl_int r = clGetDeviceIDs(pf, CL_DEVICE_TYPE_ALL, 0, NULL, &n);
    gnd__plug_driver_end();
    if (r == CL_DEVICE_NOT_FOUND || (r == CL_SUCCESS && n == 0)) {
        note(name, "no device");
        return 1;
    }
    cl_device_id *ids = gnd__ocl_ok(r) ? calloc(n, sizeof *ids) : NULL;
    if (gnd__ocl_ok(r) && !ids)
        return 0;
    if (gnd__ocl_ok(r))
        r = clGetDeviceIDs(pf, CL_DEVICE_TYPE_ALL, n, ids, NULL);
    if (!gnd__ocl_ok(r)) {
        snprintf(why, sizeof why, "clGetDeviceIDs: %s (%d)", gnd__ocl_name(r), (int)r);
        note(name, why);
        free(ids);
        return 1;
    }
    gnd__ocl_info *more = realloc(list_, ((size_t)nlist + n) * sizeof *more);
    if (!more) {
        free(ids);
        return 0;
    }
    list_ = more;
    for (cl_uint i = 0; i < n; i++) {
        gnd__ocl_info *d = &list_[nlist++];
        memset(d, 0, sizeof *d);
        d->platform = pf;
        d->id = ids[i];
        gnd__plug_str(d->platform_version, sizeof d->platform_version, version);
        gnd__plug_driver_begin();
        describe(d, name);
        gnd__plug_driver_end();
    }
    free(ids);
    return 1;
}

static int rank(const gnd__ocl_info *d)
{
    return d->props.kind == GND_DEV_GPU ? 0 : d->props.kind == GND_DEV_CPU ? 1 : 2;
}

static void make_list(void)
{
    cl_uint n = 0;
    gnd__plug_driver_begin(); /* the loader loads all drivers at its first call */
    cl_int r = clGetPlatformIDs(0, NULL, &n);
    gnd__plug_driver_end();
    if (r == OCL_PLATFORM_NOT_FOUND_KHR || (gnd__ocl_ok(r) && n == 0)) {
        gnd__plug_str(note_, sizeof note_, "no OpenCL driver is installed (no platform was found)");
        return;
    }
    cl_platform_id *pf = gnd__ocl_ok(r) ? calloc(n, sizeof *pf) : NULL;
    if (gnd__ocl_ok(r) && pf)
        r = clGetPlatformIDs(n, pf, NULL);
    if (!gnd__ocl_ok(r)) {
        gnd__ocl_fail(&list_err, r, "clGetPlatformIDs");
        free(pf);
        return;
    }
    int ok = pf != NULL;
    for (cl_uint i = 0; i < n && ok; i++)
        ok = add_platform(pf[i]);
    free(pf);
    if (!ok) {
        gnd__plug_fail(&list_err, GND_ERR_NOMEM, 0, "out of memory listing OpenCL devices");
        return;
    }
    for (int i = 1; i < nlist; i++) { /* stable */
        const gnd__ocl_info d = list_[i];
        int j = i;
        for (; j > 0 && rank(&list_[j - 1]) > rank(&d); j--)
            list_[j] = list_[j - 1];
        list_[j] = d;
    }
}

int gnd__ocl_list(const gnd__ocl_info **list, const char **text)
{
    pthread_once(&once, make_list);
    if (list)
        *list = list_;
    if (text)
        *text = note_;
    return nlist;
}

static gnd_status dev_count(int *n, gnd_err *e)
{
    const char *text;
    *n = gnd__ocl_list(NULL, &text);
    if (list_err.code) {
        *n = 0;
        if (e)
            *e = list_err;
        return list_err.code;
    }
    gnd__plug_fail(e, GND_OK, 0, "%s", text);
    return GND_OK;
}

static const gnd__ocl_info *info_at(int i, gnd_err *e)
{
    const gnd__ocl_info *list;
    const int n = gnd__ocl_list(&list, NULL);
    if (i >= 0 && i < n)
        return &list[i];
    gnd__plug_fail(e, GND_ERR_DEVICE, 0, "no OpenCL device %d: there are %d", i, n);
    return NULL;
}

static gnd_status dev_props(int i, gnd_props *p, gnd_err *e)
{
    const gnd__ocl_info *d = info_at(i, e);
    if (!d)
        return GND_ERR_DEVICE;
    *p = d->props;
    return GND_OK;
}

gnd_status gnd__ocl_open(int i, cl_context ctx, gnd_dev **out, gnd_err *e)
{
    const gnd__ocl_info *info = info_at(i, e);
    cl_int r;
    if (!info)
        return GND_ERR_DEVICE;
    if (info->props.reason[0])
        return gnd__plug_fail(e, GND_ERR_DEVICE, 0, "%s: %s", info->props.name, info->props.reason);
    static const char *const blas[] = {"none", "openblas", "clblast", NULL};
    static const char *const yes[] = {"0", "1", NULL};
    int blas_asked, stage_asked, submit_asked, turns_asked;
    gnd_status s = gnd__plug_choice("GND_OPENCL_BLAS", blas, &blas_asked, e);
    if (s == GND_OK)
        s = gnd__plug_choice("GND_OPENCL_STAGE", yes, &stage_asked, e);
    if (s == GND_OK)
        s = gnd__plug_choice("GND_OPENCL_SUBMIT", yes, &submit_asked, e);
    if (s == GND_OK)
        s = gnd__plug_choice("GND_OPENCL_TURNS", yes, &turns_asked, e);
    if (s != GND_OK)
        return s;
    gnd_dev *d = calloc(1, sizeof *d);
    if (!d)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory opening a device");
    d->info = info;
    d->blas_asked = blas_asked;
    d->stage_asked = stage_asked;
    d->submit_asked = submit_asked;
    d->turns_asked = turns_asked;
    const cl_context_properties want[] = {CL_CONTEXT_PLATFORM,
                                          (cl_context_properties)info->platform, 0};
    if (ctx)
        d->ctx = gnd__ocl_ok(r = clRetainContext(ctx)) ? ctx : NULL;
    else
        d->ctx = clCreateContext(want, 1, &info->id, NULL, NULL, &r);
    if (!d->ctx) {
        free(d);
        return gnd__ocl_fail(e, r, "%s (%s)", ctx ? "clRetainContext" : "clCreateContext",
                             info->props.name);
    }
    d->host_ptr = info->pocl && info->props.kind == GND_DEV_CPU && gnd__ocl_shares_memory(d);
    gnd__ocl_submit_open(d);
    d->turns = -1;
    if (!ctx) /* the application's queue may wait for the application */
        gnd__ocl_turns_open(d);
    *out = d;
    return GND_OK;
}

static gnd_status dev_open(int i, gnd_dev **out, gnd_err *e)
{
    return gnd__ocl_open(i, NULL, out, e);
}

static void dev_close(gnd_dev *d)
{
    if (!d)
        return;
    gnd__ocl_submit_close(d);
    gnd__ocl_blas_close(d);
    gnd__ocl_stage_close(d);
    gnd__ocl_turns_close(d);
    if (d->touch)
        clReleaseCommandQueue(d->touch);
    clReleaseContext(d->ctx);
    free(d);
}

const gnd_device_ops gnd__ocl_device_ops = {
    .size = sizeof(gnd_device_ops),
    .count = dev_count,
    .props = dev_props,
    .open = dev_open,
    .close = dev_close,
    .open_native = gnd__ocl_open_native,
    .native = gnd__ocl_dev_native,
};
