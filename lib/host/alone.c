/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/alone.c - decompositions of small matrices on one thread. OpenBLAS wakes all of its threads
 * for each step of a factorization, which takes longer than the step: 1.5 ms instead of 0.5 for the
 * determinant of 199 x 199 on 16 cores.
 */
#include "host/lapack.h"

#include <dlfcn.h>
#include <pthread.h>

/* m n min(m, n) up to which a matrix is small. */
enum { SMALL = 256 * 256 * 256 };

static void (*set_threads)(int);
static int (*get_threads)(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the two variables below */
static int users, before;

void gnd__alone_library(void *library)
{
    *(void **)&set_threads = dlsym(library, "openblas_set_num_threads");
    *(void **)&get_threads = dlsym(library, "openblas_get_num_threads");
}

int gnd__alone_begin(const gnd_solve_desc *s)
{
    const double m = (double)s->m, n = (double)s->n;
    if (!set_threads || !get_threads || m * n * (m < n ? m : n) > SMALL)
        return 0;
    pthread_mutex_lock(&lock);
    if (users++ == 0) {
        before = get_threads();
        set_threads(1);
    }
    pthread_mutex_unlock(&lock);
    return 1;
}

void gnd__alone_end(int alone)
{
    if (!alone)
        return;
    pthread_mutex_lock(&lock);
    if (--users == 0)
        set_threads(before);
    pthread_mutex_unlock(&lock);
}
