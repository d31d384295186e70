/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.c - the devices of a simulated cluster: gnd's null device, which computes nothing, and the
 * time that a device of a speed would take. The linker puts these functions before gnd's
 * (--wrap=NAME). A plan takes the bytes that gnd_explain says it reads and writes, divided by the
 * device's rate, and LAUNCH for each kernel; copies between host and device go at LINK. A device
 * works in order and beside the host: what waits for it sleeps until it is done.
 *
 * The memory of one machine has to hold all ranks: staging memory is shared, and the elements of
 * messages of LONG bytes and more, which nobody looks at, are not copied.
 *
 * Of four ranks one is as fast as an H200 (RATE: what copies move there, bench/results), one has
 * half of that, and two have an eighth. SIM_SCALE says how many rows of a plate one row stands
 * for: the arrays of all ranks lie in the memory of one machine.
 */
#include "cost.h"

#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RATE 4.18e12
#define LAUNCH 5e-6
#define LINK 13e9
#define LONG (1 << 20)

static double busy_until, bytes;

double sim_rate(void)
{
    static const double part[4] = {1, 0.5, 0.125, 0.125};
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return RATE * part[rank % 4];
}

double sim_bytes(void)
{
    return bytes;
}

void sim_reset(void)
{
    bytes = 0;
}

static void sleep_for(double seconds)
{
    const struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (seconds > 0)
        nanosleep(&t, NULL);
}

static void work(double seconds)
{
    const double now = MPI_Wtime();
    busy_until = (busy_until > now ? busy_until : now) + seconds;
}

static void finish(void)
{
    sleep_for(busy_until - MPI_Wtime());
}

/* The plan that evaluates x[0 .. n-1] starts. */
static void plan(int n, gnd_array *const *x)
{
    static double scale;
    if (scale == 0)
        scale = getenv("SIM_SCALE") ? atof(getenv("SIM_SCALE")) : 1;
    char *text = gnd_explain(n, x, 0, NULL), *last = text;
    long kernels = 0, calls = 0;
    double in = 0, out = 0;
    for (char *s = text; s && (s = strchr(s, '\n')) && s[1]; last = ++s)
        ;
    if (text && sscanf(last, "%ld kernels, %ld calls, %lf bytes read, %lf bytes written", &kernels,
                       &calls, &in, &out) != 4) {
        fprintf(stderr, "cost: gnd_explain ends with: %s", last);
        abort();
    }
    free(text);
    if (kernels == 0)
        return;
    bytes += (in + out) * scale;
    sleep_for(LAUNCH * (double)kernels);
    work((in + out) * scale / sim_rate());
}

gnd_status __real_gnd_eval_all(int n, gnd_array *const *x);
gnd_status __real_gnd_wait(gnd_array *x);
gnd_status __real_gnd_read(gnd_array *x, void *dst, size_t nbytes);
gnd_array *__real_gnd_from(gnd_device *d, gnd_dtype t, int ndim, const int64_t *shape,
                           const void *data);

gnd_status __wrap_gnd_eval_all(int n, gnd_array *const *x)
{
    plan(n, x);
    return __real_gnd_eval_all(n, x);
}

gnd_status __wrap_gnd_wait(gnd_array *x)
{
    plan(1, &x);
    finish();
    return __real_gnd_wait(x);
}

gnd_status __wrap_gnd_read(gnd_array *x, void *dst, size_t nbytes)
{
    plan(1, &x);
    work((double)nbytes / LINK);
    finish();
    return nbytes < LONG ? __real_gnd_read(x, dst, nbytes) : __real_gnd_wait(x);
}

gnd_array *__wrap_gnd_from(gnd_device *d, gnd_dtype t, int ndim, const int64_t *shape,
                           const void *data)
{
    double n = (double)gnd_dtype_size(t);
    for (int i = 0; i < ndim; i++)
        n *= (double)shape[i];
    work(n / LINK);
    return n < LONG ? __real_gnd_from(d, t, ndim, shape, data) : gnd_empty(d, t, ndim, shape);
}

/* Each rank is a node of its own. */
int __wrap_gethostname(char *name, size_t size)
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, size, "node%d", rank);
    return 0;
}

gnd_status __wrap_gnd_host_alloc(gnd_device *d, size_t nbytes, void **out)
{
    (void)d;
    *out = SMPI_SHARED_MALLOC(nbytes);
    return *out ? GND_OK : GND_ERR_NOMEM;
}

gnd_status __wrap_gnd_host_free(gnd_device *d, void *p)
{
    (void)d;
    if (p)
        SMPI_SHARED_FREE(p);
    return GND_OK;
}
