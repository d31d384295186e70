/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/load.c - the vendor's libraries. The driver is found by the dynamic loader. The toolkit's
 * libraries are first searched for as files: in LD_LIBRARY_PATH, CUDA_HOME, CUDA_PATH, the usual
 * folders, conda, and Python's wheels. So the NVRTC that would compile is known, for the key of
 * cached kernels, before it is loaded, and mostly without loading it. Last the dynamic loader is
 * asked. A library of a newer CUDA than the driver's is skipped, because its output may not run.
 * CUDA 13's libraries do not support Volta, which the driver still does: if there is such a device,
 * older libraries are preferred.
 */
#include "cu.h"

#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

gnd__cu_calls gnd__cu;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[400]; /* not empty: no driver */
static int driver_version;

static void load_driver(void)
{
    static const char *const names[] = {"libcuda.so.1", NULL};
    const gnd__plug_sym syms[] = {
#define X(slot, symbol) {#symbol, (void **)&gnd__cu.slot, 0},
        GND__CU_SYMBOLS(X)
#undef X
            {"cuFuncGetParamInfo", (void **)&gnd__cu.FuncGetParamInfo, 1},
        {"cuFuncGetAttribute", (void **)&gnd__cu.FuncGetAttribute, 1},
        {"cuOccupancyMaxPotentialBlockSize", (void **)&gnd__cu.OccupancyBlockSize, 1},
        {"cuGraphAddNode_v2", (void **)&gnd__cu.GraphAddNode, 1},
        {"cuGraphConditionalHandleCreate", (void **)&gnd__cu.GraphConditionalHandleCreate, 1},
    };
    char found[64];
    gnd_err e = {.code = GND_OK};
    if (!gnd__plug_load(names, syms, sizeof syms / sizeof *syms, found, sizeof found, reason,
                        sizeof reason))
        return;
    reason[0] = 0;
    CUresult r = gnd__cu.Init(0);
    if (r == CUDA_ERROR_STUB_LIBRARY)
        gnd__plug_fail(&e, GND_ERR_DEVICE, (int)r, "libcuda.so.1 is the toolkit's stub, no driver");
    else if (r != CUDA_SUCCESS)
        gnd__cu_fail(NULL, &e, r, "cuInit");
    else if ((r = gnd__cu.DriverGetVersion(&driver_version)) != CUDA_SUCCESS)
        gnd__cu_fail(NULL, &e, r, "cuDriverGetVersion");
    gnd__plug_str(reason, sizeof reason, e.msg);
}

const char *gnd__cu_driver(int *version)
{
    pthread_once(&once, load_driver);
    if (version)
        *version = driver_version;
    return reason[0] ? reason : NULL;
}

/* Folders after those of the environment; with '*' they are patterns. */
static const char *const usual[] = {
    "/usr/local/cuda/lib64",
    "/usr/local/cuda-*/lib64",
    "/opt/cuda/lib64",
#if defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu",
#elif defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu",
#endif
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib/python3*/*-packages/nvidia/*/lib",
    "/usr/lib/python3*/*-packages/nvidia/*/lib",
};

/* Variables that name folders, and subfolders of these. */
static const struct {
    const char *var, *below;
} places[] = {
    {"LD_LIBRARY_PATH", ""},
    {"CUDA_HOME", "/lib64"},
    {"CUDA_PATH", "/lib64"},
    {"CONDA_PREFIX", "/lib"},
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/*/lib"},
};

/* Whether FOLDER/NAME exists. FOLDER is n characters and `below`, which may be a pattern. */
static int look(const char *folder, size_t n, const char *below, const char *name, char *path,
                size_t cap)
{
    glob_t g;
    if (n == 0 || folder[0] != '/' || /* never the working directory */
        (size_t)snprintf(path, cap, "%.*s%s/%s", (int)n, folder, below, name) >= cap)
        return 0;
    if (!strchr(path, '*'))
        return access(path, R_OK) == 0;
    if (glob(path, 0, NULL, &g) != 0)
        return 0;
    /* If there are several, takes the last: the newest of cuda-12.2 and cuda-12.8. */
    const int found = g.gl_pathc > 0 && strlen(g.gl_pathv[g.gl_pathc - 1]) < cap;
    if (found)
        strcpy(path, g.gl_pathv[g.gl_pathc - 1]);
    globfree(&g);
    return found;
}

static int look_everywhere(const char *name, char *path, size_t cap)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *p = secure_getenv(places[i].var);
        for (; p && *p; p += *p == ':') {
            const size_t n = strcspn(p, ":");
            if (look(p, n, places[i].below, name, path, cap))
                return 1;
            p += n;
        }
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (look(usual[i], strlen(usual[i]), "", name, path, cap))
            return 1;
    return 0;
}

/* Versions are of CUDA, "13", "11.2"; "13:12" where CUDA 13's library is number 12. */
static const char *suffix_of(const char *version)
{
    const char *colon = strchr(version, ':');
    return colon ? colon + 1 : version;
}

static int for_driver(const char *version)
{
    int have;
    return gnd__cu_driver(&have) || atoi(version) <= have / 1000;
}

/* Whether every device is known to CUDA of that version. */
static int for_devices(const char *version)
{
    return atoi(version) < 13 || gnd__cu_oldest() >= 75;
}

/* The versions that suit the driver, those that suit every device first; their number. */
enum { MOST = 4 };
static int in_order(const char *const *versions, const char *list[MOST])
{
    int n = 0;
    for (int all = 1; all >= 0; all--)
        for (int i = 0; versions[i] && n < MOST; i++)
            if (for_driver(versions[i]) && for_devices(versions[i]) == all)
                list[n++] = versions[i];
    return n;
}

int gnd__cu_find(const char *stem, const char *const *versions, char *path, size_t cap)
{
    const char *list[MOST];
    const int n = in_order(versions, list);
    char name[64];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s.%s", stem, suffix_of(list[i]));
        if (look_everywhere(name, path, cap))
            return 1;
    }
    path[0] = 0;
    return 0;
}

int gnd__cu_load(const char *stem, const char *const *versions, const gnd__plug_sym *syms,
                 size_t nsyms, char *found, size_t cap, char *why, size_t whycap)
{
    char path[512], names[MOST][64], tried[200] = "";
    const char *list[MOST + 1] = {NULL}, *fit[MOST], *newer = NULL;
    if (gnd__cu_find(stem, versions, path, sizeof path)) {
        list[0] = path;
        return gnd__plug_load(list, syms, nsyms, found, cap, why, whycap);
    }
    const int n = in_order(versions, fit);
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "%s.%s", stem, suffix_of(fit[i]));
        const size_t k = strlen(tried);
        snprintf(tried + k, sizeof tried - k, "%s%s", k ? ", " : "", names[i]);
        list[i] = names[i];
    }
    for (; *versions && !newer; versions++)
        if (!for_driver(*versions))
            newer = *versions;
    if (gnd__plug_load(list, syms, nsyms, found, cap, why, whycap))
        return 1;
    const int k =
        n == 0
            ? 0
            : snprintf(why, whycap,
                       "none of %s is in LD_LIBRARY_PATH, CUDA_HOME or the usual folders", tried);
    char name[64];
    snprintf(name, sizeof name, "%s.%s", stem, newer ? suffix_of(newer) : "");
    if (newer && k >= 0 && (size_t)k < whycap && look_everywhere(name, path, sizeof path))
        snprintf(why + k, whycap - (size_t)k,
                 "%s%s is of a newer CUDA than the driver, which is for %d.%d", k ? "; " : "", path,
                 driver_version / 1000, driver_version % 1000 / 10);
    return 0;
}

int gnd__cu_lib_load(gnd__cu_lib *l)
{
    pthread_mutex_lock(&l->lock);
    if (!l->tried) {
        l->loaded = l->open(l);
        l->tried = 1;
    }
    const int loaded = l->loaded;
    pthread_mutex_unlock(&l->lock);
    return loaded;
}

int gnd__cu_lib_symbols(gnd__cu_lib *l, const gnd__plug_sym *syms, size_t nsyms)
{
    return gnd__cu_load(l->stem, l->versions, syms, nsyms, l->path, sizeof l->path, l->text,
                        sizeof l->text);
}

int gnd__cu_lib_found(gnd__cu_lib *l, int major, int minor, int patch)
{
    snprintf(l->text, sizeof l->text, "%s %d.%d.%d (%.300s)", l->name, major, minor, patch,
             l->path);
    return 1;
}

gnd_status gnd__cu_lib_describe(gnd__cu_lib *l, char *buf, size_t cap)
{
    char path[512], line[600];
    pthread_mutex_lock(&l->lock);
    const int tried = l->tried;
    pthread_mutex_unlock(&l->lock);
    if (!tried && gnd__cu_find(l->stem, l->versions, path, sizeof path))
        snprintf(line, sizeof line, "%s (%s)", l->name, path);
    else
        snprintf(line, sizeof line, "%s%s", gnd__cu_lib_load(l) ? "" : "none: ", l->text);
    if (cap)
        gnd__plug_str(buf, cap, line);
    return GND_OK;
}
