/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.c - the devices of a simulated cluster: gnd's null device, which computes nothing, and the
 * time that a device of a kind would take. The linker puts these functions before gnd's
 * (--wrap=NAME). Each kernel of a plan, as gnd_explain lists them, takes LAUNCH and its work at the
 * device's rate: the operations of a product, else the bytes that it reads and writes, with rates
 * of their own for the kernels of sorts and of transforms. Copies between host and device go at the
 * rate of the link. A device works in order and beside the host: what waits for it sleeps until it
 * is done. Copies in the two streams of exchanges, one for each direction, are beside its work and
 * each other, as copy engines and a link with two directions allow; they wait for the work before
 * them. PoCL has no such streams.
 *
 * Nobody computes elements, so what depends on them is given: a sort has random elements, of which
 * each rank sends every rank the same part (sample_split).
 *
 * The memory of one machine has to hold all ranks: staging memory is shared, and the elements of
 * messages of LONG bytes and more, which nobody looks at, are not copied. Arrays have addresses
 * only (GND_NULL_MEMORY). SIM_SCALE says how many rows of a plate one row stands for.
 *
 * SIM_MIX=speeds (the default): of four ranks one is as fast as an H200 by CUDA, one has half of
 * that, and two have an eighth. SIM_MIX=devices: of four ranks one is an H200 by CUDA, one an H200
 * by NVIDIA's OpenCL, and two are PoCL on two cores.
 */
#include "cost.h"

#include <gnd.h>
#include <gnd/mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONG (1 << 20)

enum { MOVES, PRODUCTS, SORTS, TRANSFORMS, KINDS };

/* The memory is that of one device. Rates are measured by `gnd bench`; MOVES: bytes per second of
 * `copy`; PRODUCTS: operations of matmul_f32; SORTS and TRANSFORMS: the bytes of the null device's
 * plan in the time of `sort` and fft2_4096. bench/results: 2026-11-22-h200-d (cuda.jsonl,
 * opencl-nvidia.jsonl), 2026-11-22-pocl-f. The launch and the link are rounded; PoCL's link is a
 * copy. */
typedef struct device {
    double rate[KINDS], launch, link, memory, array;
} device;

static const device cuda = {{4.18e12, 51.2e12, 2.39e12, 2.52e12}, 5e-6, 13e9, 150e9, 150e9};
static const device opencl = {{4.18e12, 41.0e12, 1.62e12, 1.44e12}, 7e-6, 13e9, 150e9, 37e9};
static const device pocl = {{32e9, 305e9, 4.5e9, 1.88e9}, 5e-6, 32e9, 17e9, 8e9};

static double busy_until, done[KINDS], scale = 1;
static double stream_until[3]; /* of streams 1, 2 ..: the end of their copies */
static device mine;

/* Ranks are threads of one process with variables of their own. */
static const device *own(void)
{
    if (mine.launch > 0)
        return &mine;
    const char *mix = getenv("SIM_MIX"), *rows = getenv("SIM_SCALE");
    static const double part[4] = {1, 0.5, 0.125, 0.125};
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scale = rows ? atof(rows) : 1;
    if (mix && !strcmp(mix, "devices")) {
        mine = rank % 4 == 0 ? cuda : rank % 4 == 1 ? opencl : pocl;
    } else {
        mine = cuda;
        for (int i = 0; i < KINDS; i++)
            mine.rate[i] *= part[rank % 4];
    }
    return &mine;
}

void sim_reset(void)
{
    memset(done, 0, sizeof done);
}

double sim_ideal(void)
{
    double sum[2 * KINDS], all[2 * KINDS], time = 0;
    for (int i = 0; i < KINDS; i++) {
        sum[i] = done[i];
        sum[KINDS + i] = own()->rate[i];
    }
    MPI_Allreduce(sum, all, 2 * KINDS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < KINDS; i++)
        time += all[i] / all[KINDS + i];
    return time;
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

/* The kind of a kernel by its label, and its operations, if it is a product. */
static int kind_of(const char *label, double *operations)
{
    double m, k, n, batch;
    if (sscanf(label, "matmul %*s %lfx%lfx%lf batch %lf", &m, &k, &n, &batch) == 4) {
        *operations = 2 * m * k * n * batch;
        return PRODUCTS;
    }
    return !strncmp(label, "sort:", 5) || !strncmp(label, "argsort:", 8) ? SORTS
           : !strncmp(label, "transform:", 10)                           ? TRANSFORMS
                                                                         : MOVES;
}

/* The time of one kernel: a product takes that of its operations or of its bytes. */
static double time_of(int kind, double operations, double bytes)
{
    const double *rate = own()->rate;
    if (kind == PRODUCTS && operations * scale / rate[kind] > bytes * scale / rate[MOVES]) {
        done[kind] += operations * scale;
        return operations * scale / rate[kind];
    }
    kind = kind == PRODUCTS ? MOVES : kind;
    done[kind] += bytes * scale;
    return bytes * scale / rate[kind];
}

/* The plan that evaluates x[0 .. n-1] starts. */
static void plan(int n, gnd_array *const *x)
{
    char *text = gnd_explain(n, x, 0, NULL);
    double operations = 0, in, out, time = 0;
    int kind = MOVES, kernels = 0, number;
    for (char *s = text, *next; s && *s; s = next) {
        int at = 0;
        next = strchr(s, '\n');
        next = next ? next + 1 : s + strlen(s);
        if ((sscanf(s, "kernel %d: %n", &number, &at) == 1 ||
             sscanf(s, "call %d: %n", &number, &at) == 1) &&
            at) {
            kind = kind_of(s + at, &operations);
            kernels++;
        } else if (sscanf(s, " reads %lf bytes, writes %lf bytes", &in, &out) == 2) {
            time += time_of(kind, operations, in + out);
        }
    }
    free(text);
    if (kernels == 0)
        return;
    sleep_for(own()->launch * kernels);
    work(time);
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
    work((double)nbytes / own()->link);
    finish();
    return nbytes < LONG ? __real_gnd_read(x, dst, nbytes) : __real_gnd_wait(x);
}

gnd_array *__wrap_gnd_from(gnd_device *d, gnd_dtype t, int ndim, const int64_t *shape,
                           const void *data)
{
    double n = (double)gnd_dtype_size(t);
    for (int i = 0; i < ndim; i++)
        n *= (double)shape[i];
    work(n / own()->link);
    return n < LONG ? __real_gnd_from(d, t, ndim, shape, data) : gnd_empty(d, t, ndim, shape);
}

/* --- the streams of an exchange --------------------------------------------------------------- */

/* The ranks share gnd's device, which has not so many streams: one is a number, 0 the default one.
 */
static char number[3];
static int made, now_in;

/* A copy in the current stream. It waits for the work so far if it reads what that computes. */
static void copy_beside(double bytes, int reads)
{
    const double now = MPI_Wtime(), begin = reads && busy_until > now ? busy_until : now;
    double *end = &stream_until[now_in];
    *end = (*end > begin ? *end : begin) + bytes / own()->link;
}

gnd_stream *__wrap_gnd_stream_create(gnd_device *d)
{
    (void)d;
    made = made % 2 + 1;
    return (gnd_stream *)&number[made];
}

gnd_status __wrap_gnd_stream_status(const gnd_stream *s)
{
    (void)s;
    return GND_OK;
}

gnd_status __wrap_gnd_stream_free(gnd_stream *s)
{
    (void)s;
    return GND_OK;
}

gnd_stream *__wrap_gnd_stream_current(gnd_device *d)
{
    (void)d;
    return (gnd_stream *)&number[now_in];
}

gnd_status __wrap_gnd_stream_use(gnd_stream *s)
{
    now_in = (int)((char *)s - number);
    return GND_OK;
}

gnd_status __wrap_gnd_stream_wait(gnd_stream *s, gnd_stream *other)
{
    const double end = stream_until[(char *)other - number];
    if ((char *)s == number && end > busy_until)
        busy_until = end;
    return GND_OK;
}

/* An event is the time at which it comes. */
gnd_status __wrap_gnd_stream_record(gnd_stream *s, gnd_stream_event **ev)
{
    double *at = malloc(sizeof *at);
    if (!at)
        return GND_ERR_NOMEM;
    *at = stream_until[(char *)s - number];
    *ev = (gnd_stream_event *)at;
    return GND_OK;
}

gnd_status __wrap_gnd_stream_event_done(gnd_stream_event *ev, int *done)
{
    *done = MPI_Wtime() >= *(const double *)ev;
    sleep_for(*done ? 0 : 1e-6);
    return GND_OK;
}

gnd_status __wrap_gnd_stream_event_free(gnd_stream_event *ev)
{
    free(ev);
    return GND_OK;
}

gnd_status __real_gnd_read_async(gnd_array *x, void *dst, size_t nbytes);
gnd_status __wrap_gnd_read_async(gnd_array *x, void *dst, size_t nbytes)
{
    plan(1, &x);
    copy_beside((double)nbytes, 1);
    return nbytes < LONG ? __real_gnd_read_async(x, dst, nbytes) : GND_OK;
}

gnd_array *__real_gnd_from_async(gnd_device *d, gnd_dtype t, int ndim, const int64_t *shape,
                                 const void *data);
gnd_array *__wrap_gnd_from_async(gnd_device *d, gnd_dtype t, int ndim, const int64_t *shape,
                                 const void *data)
{
    double n = (double)gnd_dtype_size(t);
    for (int i = 0; i < ndim; i++)
        n *= (double)shape[i];
    copy_beside(n, 0);
    return n < LONG ? __real_gnd_from_async(d, t, ndim, shape, data) : gnd_empty(d, t, ndim, shape);
}

/* --- what the devices are --------------------------------------------------------------------- */

/* The messages and the work of finding where to cut sorted elements are gnd's; what it finds is
 * that each rank's elements are spread over all of them. */
gnd_status __real_gndm__sample_split(gndm_ctx *c, gnd_array *key, gnd_dtype t, const int64_t *cut,
                                     int together, int64_t *send);
gnd_status __wrap_gndm__sample_split(gndm_ctx *c, gnd_array *key, gnd_dtype t, const int64_t *cut,
                                     int together, int64_t *send)
{
    const gnd_status st = __real_gndm__sample_split(c, key, t, cut, together, send);
    const int p = gndm_size(c);
    const double part = st || !cut[p] ? 0 : (double)gnd_dim(key, 0) / (double)cut[p];
    for (int r = 0; r < p && !st; r++)
        send[r] = (r + 1 < p ? (int64_t)(part * (double)cut[r + 1]) : gnd_dim(key, 0)) -
                  (int64_t)(part * (double)cut[r]);
    return st;
}

gnd_status __real_gnd_device_describe(gnd_device *d, gnd_device_info *info);
gnd_status __wrap_gnd_device_describe(gnd_device *d, gnd_device_info *info)
{
    const gnd_status st = __real_gnd_device_describe(d, info);
    info->mem_bytes = (uint64_t)own()->memory;
    info->max_alloc_bytes = (uint64_t)own()->array;
    info->host_mapped = own()->memory == pocl.memory;
    return st;
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
