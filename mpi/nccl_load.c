/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nccl_load.c - loads NCCL and CUDA's driver.
 */
#include "nccl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum { OLDEST = 21000 }; /* 2.10 */

static gndm__nccl_library library;
static char failure[GNDM_WHY], no_driver[GNDM_WHY];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Sets *f to the address of a function. Returns 0 if the library lacks it. */
static int find(void *lib, const char *file, const char *name, void *f, char *why)
{
    void *const p = dlsym(lib, name);
    *(void **)f = p;
    if (!p)
        snprintf(why, GNDM_WHY, "%s has no %s", file, name);
    return p != NULL;
}

static void *opened(const char *file, char *why)
{
    void *const lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const char *text = lib ? NULL : dlerror();
    if (!lib)
        snprintf(why, GNDM_WHY, "%s", text ? text : "dlopen failed");
    return lib;
}

static void load_driver(void)
{
    static const char cuda[] = "libcuda.so.1";
    void *const driver = opened(cuda, no_driver);
    if (!driver)
        return;
#define X(result, name, suffix, parameters)                                                        \
    if (!find(driver, cuda, "cu" #name suffix, &library.cu.name, no_driver))                       \
        return;
    GNDM__CU_LIST(X)
#undef X
#define X(result, name, suffix, parameters)                                                        \
    if (!find(driver, cuda, "cu" #name suffix, &library.peer.name, library.no_peer))               \
        return;
    GNDM__PEER_LIST(X)
#undef X
}

static void load(void)
{
    static const char nccl[] = "libnccl.so.2";
    int code = 0;
    load_driver();
    memcpy(failure, no_driver, sizeof failure);
    void *const lib = failure[0] ? NULL : opened(nccl, failure);
    if (!lib)
        return;
#define X(result, name, parameters)                                                                \
    if (!find(lib, nccl, "nccl" #name, &library.name, failure))                                    \
        return;
    GNDM__NCCL_LIST(X)
#undef X
    const int r = library.GetVersion(&code);
    if (r)
        snprintf(failure, sizeof failure, "%s: ncclGetVersion: %s", nccl,
                 library.GetErrorString(r));
    else if (code < OLDEST || code >= 30000) /* before 2.9 the code was 1000 * major ... */
        snprintf(failure, sizeof failure, "%s has version code %d: 2.10 or a newer 2.x is needed",
                 nccl, code);
    else
        library.version = code;
}

const gndm__nccl_library *gndm__nccl_load(char *why, size_t size)
{
    pthread_once(&once, load);
    if (library.version)
        return &library;
    snprintf(why, size, "%s", failure);
    return NULL;
}

const gndm__cuda *gndm__cuda_load(char *why, size_t size)
{
    pthread_once(&once, load);
    if (!no_driver[0])
        return &library.cu;
    snprintf(why, size, "%s", no_driver);
    return NULL;
}
