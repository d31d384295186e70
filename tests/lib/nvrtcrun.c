/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nvrtcrun.c - see nvrtcrun.h. Declares NVRTC's functions by itself, so that tests build without
 * CUDA.
 */
#include "nvrtcrun.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../backends/cuda/headers.h"
#include "driverleaks.h"
#include "tap.h"

typedef void *nvrtc_program;
static int (*version)(int *major, int *minor);
static int (*create)(nvrtc_program *, const char *, const char *, int, const char *const *,
                     const char *const *);
static int (*compile)(nvrtc_program, int, const char *const *);
static int (*log_size)(nvrtc_program, size_t *);
static int (*get_log)(nvrtc_program, char *);
static int (*code_size)(nvrtc_program, size_t *);
static int (*ptx_size)(nvrtc_program, size_t *);
static int (*get_ptx)(nvrtc_program, char *);
static int (*destroy)(nvrtc_program *);
static int (*arch_count)(int *);
static int (*arch_list)(int *);

static char version_text[32];
static char include_option[700]; /* "" when the toolkit's headers are not there */

static int get_symbols(void *lib)
{
    static const struct {
        const char *name;
        void *slot;
    } symbols[] = {
        {"nvrtcVersion", &version},
        {"nvrtcCreateProgram", &create},
        {"nvrtcCompileProgram", &compile},
        {"nvrtcGetProgramLogSize", &log_size},
        {"nvrtcGetProgramLog", &get_log},
        {"nvrtcGetCUBINSize", &code_size},
        {"nvrtcGetPTXSize", &ptx_size},
        {"nvrtcGetPTX", &get_ptx},
        {"nvrtcDestroyProgram", &destroy},
        {"nvrtcGetNumSupportedArchs", &arch_count},
        {"nvrtcGetSupportedArchs", &arch_list},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        *(void **)symbols[i].slot = dlsym(lib, symbols[i].name);
        if (!*(void **)symbols[i].slot)
            return 0;
    }
    return 1;
}

int nvrtc_load(const char **why)
{
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                        "/usr/local/cuda/lib64/libnvrtc.so.13",
                                        "/usr/local/cuda/lib64/libnvrtc.so.12"};
    static char text[300];
    const char *own = getenv("GND_TEST_NVRTC");
    void *lib = NULL;
    int major = 0, minor = 0;
    *why = text;
    if (own && *own && !(lib = dlopen(own, RTLD_NOW | RTLD_LOCAL)))
        tap_bail("GND_TEST_NVRTC: %s", dlerror());
    driver_begin();
    for (int i = 0; i < 4 && !lib; i++)
        lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    driver_end();
    if (!lib || !get_symbols(lib) || version(&major, &minor)) {
        snprintf(text, sizeof text, lib ? "libnvrtc is too old" : "no libnvrtc");
        return 0;
    }
    Dl_info info;
    if (dladdr((void *)(uintptr_t)version, &info) && info.dli_fname)
        gnd__cu_include_option(info.dli_fname, include_option, sizeof include_option);
    snprintf(version_text, sizeof version_text, "%d.%d", major, minor);
    return 1;
}

int nvrtc_headers(void)
{
    return include_option[0] != 0;
}

const char *nvrtc_version(void)
{
    return version_text;
}

int nvrtc_archs(int arch[NVRTC_ARCHS])
{
    static const int want[] = {70, 80, 90};
    int list[128], n = 0, narch = 0;
    if (arch_count(&n) || n <= 0 || n > 128 || arch_list(list))
        return 0;
    for (int w = 0; w < 3; w++)
        for (int i = 0; i < n; i++)
            if (list[i] == want[w] || (w == 0 && i == 0 && list[0] > 70 && list[0] < 80)) {
                arch[narch++] = list[i];
                break;
            }
    if (narch == 0 || arch[narch - 1] != list[n - 1])
        arch[narch++] = list[n - 1];
    return narch;
}

/* The compiled program, or NULL with its log said. As the plugin does, gnd's own texts get
 * --minimal where NVRTC knows it. fast: for a look whether it compiles; an older NVRTC refuses the
 * option. */
static nvrtc_program compiled(const char *text, const char *target, int fast)
{
    enum { INVALID_OPTION = 5 };
    const char *options[10] = {target,
                               "-fmad=false",
                               "-ftz=false",
                               "-prec-div=true",
                               "-prec-sqrt=true",
                               "--std=c++17",
                               "--device-as-default-execution-space"};
    nvrtc_program p = NULL;
    size_t n = 0;
    int k = 7;
    const int own = !strstr(text, "#line ");
    if (include_option[0])
        options[k++] = include_option;
    options[k] = "--minimal";
    options[k + own] = "--Ofast-compile=max";
    driver_begin();
    const int refused = create(&p, text, "gnd.cu", include_option[0] ? GND__CU_NC : GND__CU_NHEADER,
                               gnd__cu_header_texts, gnd__cu_header_names);
    driver_end();
    if (refused)
        return NULL;
    driver_begin();
    int failed = compile(p, k + own + fast, options);
    if (fast && failed == INVALID_OPTION)
        failed = compile(p, k + own, options);
    if (own && failed == INVALID_OPTION)
        failed = compile(p, k, options);
    driver_end();
    if (!failed)
        return p;
    char *log = log_size(p, &n) ? NULL : calloc(1, n + 1);
    if (log && !get_log(p, log))
        tap_diag("%s: %.4000s", target, log);
    free(log);
    destroy(&p);
    return NULL;
}

int nvrtc_build(const char *text, int sm)
{
    char target[48];
    size_t n = 0;
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d", sm);
    nvrtc_program p = compiled(text, target, !getenv("GND_TEST_ALL"));
    if (!p)
        return 0;
    const int ok = !code_size(p, &n) && n > 0;
    destroy(&p);
    return ok;
}

char *nvrtc_ptx(const char *text, int sm)
{
    char target[48];
    size_t n = 0;
    snprintf(target, sizeof target, "--gpu-architecture=compute_%d", sm);
    nvrtc_program p = compiled(text, target, 0);
    char *ptx = p && !ptx_size(p, &n) ? calloc(1, n + 1) : NULL;
    if (ptx && get_ptx(p, ptx)) {
        free(ptx);
        ptx = NULL;
    }
    if (p)
        destroy(&p);
    return ptx;
}
