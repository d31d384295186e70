/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/alone.c - decompositions of small matrices on one thread. OpenBLAS wakes all of its threads
 * for each step of a factorization, which takes longer than the step: 1.5 ms instead of 0.5 for the
 * determinant of 199 x 199 on 16 cores.
 *
 * Built for pthreads, OpenBLAS has one number of threads for the process, which its routines read
 * once: calls of other threads that begin in between get one thread too. Built for OpenMP, changing
 * that number frees buffers that other threads compute in; there each thread has a number of its
 * own, OpenMP's, and OpenBLAS leaves everything alone where it is 1.
 */
#include "host/lapack.h"

#include <dlfcn.h>
#include <pthread.h>

/* m n min(m, n) up to which a matrix is small. */
enum { SMALL = 256 * 256 * 256 };
/* What openblas_get_parallel says. */
enum { PTHREADS = 1, OPENMP = 2 };

static void (*set_threads)(int);
static int (*get_threads)(void);
static int own_number;                                   /* each thread has its own */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the two variables below */
static int users, before;

void gnd__alone_use(void (*set)(int), int (*get)(void), int own)
{
    set_threads = get ? set : NULL;
    get_threads = get;
    own_number = own;
}

void gnd__alone_library(void *library)
{
    int (*parallel)(void), (*get)(void) = NULL;
    void (*set)(int) = NULL;
    *(void **)&parallel = dlsym(library, "openblas_get_parallel");
    const int how = parallel ? parallel() : 0;
    if (how == PTHREADS || how == OPENMP) {
        const int omp = how == OPENMP;
        *(void **)&set = dlsym(library, omp ? "omp_set_num_threads" : "openblas_set_num_threads");
        *(void **)&get = dlsym(library, omp ? "omp_get_max_threads" : "openblas_get_num_threads");
    }
    gnd__alone_use(set, get, how == OPENMP);
}

int gnd__alone_begin(const gnd_solve_desc *s)
{
    const double m = (double)s->m, n = (double)s->n;
    if (!set_threads || m * n * (m < n ? m : n) > SMALL)
        return 0;
    if (own_number) {
        const int mine = get_threads();
        set_threads(1);
        return mine;
    }
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
    if (own_number) {
        set_threads(alone);
        return;
    }
    pthread_mutex_lock(&lock);
    if (--users == 0 && get_threads() == 1) /* else the program has chosen another number */
        set_threads(before);
    pthread_mutex_unlock(&lock);
}
