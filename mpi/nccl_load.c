/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nccl_load.c - loads NCCL and CUDA's driver.
 */
#include "nccl.h"

#include <dlfcn.h>
#include <pthread.h>

enum { OLDEST = 21000 }; /* 2.10 */

static gndm__nccl_library library;
static char failure[GNDM_WHY];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Sets *f to the address of a function. Returns 0 if the library lacks it. */
static int find(void *lib, const char *file, const char *name, void *f)
{
    void *const p = dlsym(lib, name);
    *(void **)f = p;
    if (!p)
        snprintf(failure, sizeof failure, "%s has no %s", file, name);
    return p != NULL;
}

static void load(void)
{
    static const char nccl[] = "libnccl.so.2", cuda[] = "libcuda.so.1";
    int code = 0;
    void *driver = dlopen(cuda, RTLD_NOW | RTLD_LOCAL);
    void *lib = driver ? dlopen(nccl, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!lib) {
        const char *text = dlerror();
        snprintf(failure, sizeof failure, "%s", text ? text : "dlopen failed");
        return;
    }
#define X(result, name, parameters)                                                                \
    if (!find(lib, nccl, "nccl" #name, &library.name))                                             \
        return;
    GNDM__NCCL_LIST(X)
#undef X
#define X(result, name, suffix, parameters)                                                        \
    if (!find(driver, cuda, "cu" #name suffix, &library.cu.name))                                  \
        return;
    GNDM__CU_LIST(X)
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
