/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/compiling.c - reports that time goes into compiling kernels: once per open device, when
 * compilation has taken one second in total. Reports to the log (info) and to the program's
 * callback.
 */
#include <pthread.h>
#include "device/priv.h"
#include "base/log.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the two variables below */
static gnd__compiling_fn *told;
static void *told_ctx;
static int64_t limit = 1000000000;

void gnd__compiling_end(gnd__gdev *d, int64_t began)
{
    gnd__compiling_fn *fn;
    void *ctx;

    d->compile_ns += gnd__clock() - began;
    if (d->compile_said || d->compile_ns < limit)
        return;
    d->compile_said = 1;
    gnd__log(
        GND__LOG_INFO,
        "%s: compiling kernels has taken %.1f s, for %llu of them; a later run finds them in the cache",
        d->id, (double)d->compile_ns * 1e-9, (unsigned long long)d->n.builds);
    pthread_mutex_lock(&lock);
    fn = told;
    ctx = told_ctx;
    pthread_mutex_unlock(&lock);
    if (fn)
        fn(d->id, d->n.builds, (double)d->compile_ns * 1e-9, ctx);
}

void gnd__compiling_tell(gnd__compiling_fn *fn, void *ctx)
{
    pthread_mutex_lock(&lock);
    told = fn;
    told_ctx = ctx;
    pthread_mutex_unlock(&lock);
}

void gnd__compiling_limit(int64_t ns)
{
    limit = ns;
}
