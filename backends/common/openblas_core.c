/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/openblas_core.c - the kernels of OpenBLAS. A library that is older than the CPU does not
 * know it, and uses kernels for SSE3 ("Prescott"), at a fifth of the speed or less. If such a
 * library is loaded here on a CPU that can do more, it chooses again, with the name of kernels that
 * this CPU can run. OPENBLAS_CORETYPE, set by the user, remains the choice.
 */
#define _GNU_SOURCE /* environ, RTLD_NOLOAD */
#include "gemm.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int gnd__openblas_in_use(const char *const *names)
{
    for (; *names; names++) {
        void *lib = dlopen(*names, RTLD_LAZY | RTLD_NOLOAD);
        if (lib) {
            dlclose(lib);
            return 1;
        }
    }
    return 0;
}

/* The setting for the best kernels that the library has and this CPU can run; NULL: none. */
static char *setting(const gnd__openblas_core *s)
{
    static char haswell[] = "OPENBLAS_CORETYPE=Haswell", skylake[] = "OPENBLAS_CORETYPE=SkylakeX",
                cooper[] = "OPENBLAS_CORETYPE=Cooperlake";
#ifdef __x86_64__
    const int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const int avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                       __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx512 && s->cooperlake && __builtin_cpu_supports("avx512bf16"))
        return cooper;
    if (avx512 && s->skylakex)
        return skylake;
    if (avx2 && s->haswell)
        return haswell;
#endif
    (void)haswell, (void)skylake, (void)cooper, (void)s;
    return NULL;
}

void gnd__openblas_choose(const gnd__openblas_core *s)
{
    static char **more; /* never freed: another thread may be reading it */
    char *entry, **old = environ;
    size_t n = 0;
    if (!s->name || !s->quit || !s->init || strcmp(s->name(), "Prescott") != 0 ||
        getenv("OPENBLAS_CORETYPE") || more || !(entry = setting(s)))
        return;
    while (old && old[n])
        n++;
    more = malloc((n + 2) * sizeof *more);
    if (!more)
        return;
    if (n)
        memcpy(more, old, n * sizeof *more);
    more[n] = entry;
    more[n + 1] = NULL;
    /* The library reads the environment when it chooses. setenv could move the array while another
     * thread reads it; so a second array takes its place, and both remain. */
    environ = more;
    s->quit();
    s->init();
    environ = old;
}
