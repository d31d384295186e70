/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/compile.c - NVRTC: from a kernel's text to a cubin for the device, or to PTX if the device
 * is newer than NVRTC (the driver then compiles the PTX). NVRTC is loaded at the first build, so
 * never with a warm kernel cache.
 *
 * The options give the same arithmetic as on the OpenCL side, where FP_CONTRACT is OFF: every
 * operation rounds separately, division and square root are correctly rounded, and subnormals are
 * kept.
 */
#include "cu.h"
#include "headers.h"

#include <nvrtc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const fixed[] = {
    "-fmad=false",     "-ftz=false",  "-prec-div=true",
    "-prec-sqrt=true", "--std=c++17", "--device-as-default-execution-space",
};
enum { NFIXED = sizeof fixed / sizeof *fixed, MAX_OPTIONS = 32 };

/* For gnd's own texts, which name no texture and no type of CUDA's runtime: without the
 * declarations of these the front end takes 5 ms less. The code is the same, so it is not in the
 * cache's key. Until an NVRTC has refused it: older ones do not know it. */
static const char minimal[] = "--minimal";
static atomic_int has_minimal = 1;

/* Every symbol that is used, once. */
#define SYMBOLS(X)                                                                                 \
    X(nvrtcGetErrorString)                                                                         \
    X(nvrtcGetNumSupportedArchs)                                                                   \
    X(nvrtcGetSupportedArchs)                                                                      \
    X(nvrtcCreateProgram)                                                                          \
    X(nvrtcDestroyProgram)                                                                         \
    X(nvrtcCompileProgram)                                                                         \
    X(nvrtcGetProgramLogSize)                                                                      \
    X(nvrtcGetProgramLog)                                                                          \
    X(nvrtcGetCUBINSize)                                                                           \
    X(nvrtcGetCUBIN)                                                                               \
    X(nvrtcGetPTXSize)                                                                             \
    X(nvrtcGetPTX)

static struct {
#define X(name) __typeof__(name) *name;
    SYMBOLS(X)
#undef X
} rtc;

static int open_lib(gnd__cu_lib *l)
{
    const gnd__plug_sym syms[] = {
#define X(name) {#name, (void **)&rtc.name, 0},
        SYMBOLS(X)
#undef X
    };
    if (!gnd__cu_lib_symbols(l, syms, sizeof syms / sizeof *syms))
        return 0;
    snprintf(l->text, sizeof l->text, "NVRTC (%.380s)", l->path);
    return 1;
}

static const char *const versions[] = {"13", "12", "11.2", NULL};
static gnd__cu_lib lib = GND__CU_LIB("NVRTC", "libnvrtc.so", versions, open_lib);

gnd_status gnd__cu_compiler_describe(gnd_dev *d, char *buf, size_t cap, gnd_err *e)
{
    (void)d;
    (void)e;
    return gnd__cu_lib_describe(&lib, buf, cap);
}

void gnd__cu_compiler(char *buf, size_t cap)
{
    char path[512];
    struct stat st;
    size_t n = 0;
    buf[0] = 0;
    for (size_t i = 0; i < NFIXED && n < cap; i++)
        n += (size_t)snprintf(buf + n, cap - n, "%s ", fixed[i]);
    if (n >= cap || !gnd__cu_find(lib.stem, lib.versions, path, sizeof path) ||
        stat(path, &st) != 0)
        return;
    snprintf(buf + n, cap - n, "|%s|%lld|%lld", path, (long long)st.st_size,
             (long long)st.st_mtime);
}

static gnd_status fail(gnd_err *e, nvrtcResult r, const char *what)
{
    return gnd__plug_fail(e, r == NVRTC_ERROR_OUT_OF_MEMORY ? GND_ERR_NOMEM : GND_ERR_BUILD, (int)r,
                          "%s: %s (%d)", what, rtc.nvrtcGetErrorString(r), (int)r);
}

/* "sm_90" when NVRTC knows the device; else the newest "compute_XX" below it, for PTX. */
static gnd_status target(const gnd__cu_info *d, char *buf, size_t cap, int *ptx, gnd_err *e)
{
    const int want = d->major * 10 + d->minor;
    int list[128], n = 0, best = 0;
    nvrtcResult r = rtc.nvrtcGetNumSupportedArchs(&n);
    if (r == NVRTC_SUCCESS && n > 0 && n <= 128)
        r = rtc.nvrtcGetSupportedArchs(list);
    if (r != NVRTC_SUCCESS || n <= 0 || n > 128)
        return fail(e, r, "nvrtcGetSupportedArchs");
    for (int i = 0; i < n; i++)
        if (list[i] <= want && list[i] > best)
            best = list[i];
    if (!best)
        return gnd__plug_fail(e, GND_ERR_BUILD, 0,
                              "this NVRTC compiles for compute capability %d.%d and up, not for "
                              "%d.%d: an older CUDA toolkit is needed",
                              list[0] / 10, list[0] % 10, d->major, d->minor);
    *ptx = best != want;
    snprintf(buf, cap, "--gpu-architecture=%s_%d", *ptx ? "compute" : "sm", best);
    return GND_OK;
}

/* The whole log, malloc'ed; NULL if there is no log. */
static char *program_log(nvrtcProgram p)
{
    size_t n = 0;
    if (rtc.nvrtcGetProgramLogSize(p, &n) != NVRTC_SUCCESS || n < 2)
        return NULL;
    char *s = calloc(1, n + 1);
    if (s && rtc.nvrtcGetProgramLog(p, s) == NVRTC_SUCCESS)
        return s;
    free(s);
    return NULL;
}

/* The program's image, malloc'ed with a 0 after it. */
static gnd_status image_of(nvrtcProgram p, int ptx, void **image, size_t *nbytes, gnd_err *e)
{
    size_t n = 0;
    nvrtcResult r = ptx ? rtc.nvrtcGetPTXSize(p, &n) : rtc.nvrtcGetCUBINSize(p, &n);
    if (r == NVRTC_SUCCESS && n == 0)
        return gnd__plug_fail(e, GND_ERR_BUILD, 0, "NVRTC gave no code");
    char *s = r == NVRTC_SUCCESS ? calloc(1, n + 1) : NULL;
    if (r == NVRTC_SUCCESS && !s)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a kernel's code");
    if (r == NVRTC_SUCCESS)
        r = ptx ? rtc.nvrtcGetPTX(p, s) : rtc.nvrtcGetCUBIN(p, s);
    if (r != NVRTC_SUCCESS) {
        free(s);
        return fail(e, r, ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
    }
    *image = s;
    *nbytes = n + (ptx != 0); /* PTX includes its terminating 0 */
    return GND_OK;
}

/* options has room for one more, for gnd's own texts: what users wrote follows a #line
 * (gnd/backend.h). */
static gnd_status compile(const char *src, int n, const char **options, int nheader, int ptx,
                          void **image, size_t *nbytes, char **log, gnd_err *e)
{
    nvrtcProgram p = NULL;
    gnd_status s;
    int less = !strstr(src, "#line ") && atomic_load(&has_minimal);
    options[n] = minimal;
    gnd__plug_driver_begin();
    nvrtcResult r = rtc.nvrtcCreateProgram(&p, src, "gnd.cu", nheader, gnd__cu_header_texts,
                                           gnd__cu_header_names);
    if (r == NVRTC_SUCCESS)
        r = rtc.nvrtcCompileProgram(p, n + less, options);
    if (r == NVRTC_ERROR_INVALID_OPTION && less) {
        atomic_store(&has_minimal, 0);
        r = rtc.nvrtcCompileProgram(p, n, options);
    }
    gnd__plug_driver_end();
    if (!p)
        return fail(e, r, "nvrtcCreateProgram");
    if (r == NVRTC_SUCCESS) {
        s = image_of(p, ptx, image, nbytes, e);
    } else {
        char *text = program_log(p);
        s = fail(e, r, "nvrtcCompileProgram");
        if (text && r == NVRTC_ERROR_COMPILATION)
            s = gnd__plug_fail(e, s, (int)r, "%.400s", text);
        if (log)
            *log = text;
        else
            free(text);
    }
    rtc.nvrtcDestroyProgram(&p);
    return s;
}

gnd_status gnd__cu_compile(gnd_dev *d, const char *src, size_t len, const char *opts, void **image,
                           size_t *nbytes, char **log, gnd_err *e)
{
    const char *options[MAX_OPTIONS + 1];
    char arch[48], include[600], *save = NULL;
    int n = 0, ptx = 0, nheader = 0;
    if (!gnd__cu_lib_load(&lib))
        return gnd__plug_fail(e, GND_ERR_BUILD, 0, "no compiler: %s", lib.text);
    gnd_status s = target(d->info, arch, sizeof arch, &ptx, e);
    if (s != GND_OK)
        return s;
    const size_t nopts = strlen(opts);
    char *text =
        malloc(len + 1 + nopts + 1); /* the source and the options, both of which are split */
    if (!text)
        return gnd__plug_fail(e, GND_ERR_NOMEM, 0, "out of memory for a kernel's text");
    char *words = text + len + 1;
    memcpy(text, src, len);
    text[len] = 0;
    memcpy(words, opts, nopts + 1);
    options[n++] = arch;
    for (size_t i = 0; i < NFIXED; i++)
        options[n++] = fixed[i];
    for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        if (n == MAX_OPTIONS) {
            s = gnd__plug_fail(e, GND_ERR_ARG, 0, "more options than %d", MAX_OPTIONS);
            goto free_text;
        }
        options[n++] = w;
    }
    if (strstr(text, "#include")) { /* gnd's own texts include nothing */
        nheader = GND__CU_NHEADER;
        if (n < MAX_OPTIONS && gnd__cu_include_option(lib.path, include, sizeof include)) {
            options[n++] = include;
            nheader = GND__CU_NC;
        }
    }
    s = compile(text, n, options, nheader, ptx, image, nbytes, log, e);

free_text:
    free(text);
    return s;
}
