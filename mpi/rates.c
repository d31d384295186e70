/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rates.c - measures the speeds of the ranks' devices: elementwise work, sums and products at
 * growing sizes, of which the last one counts; and the link to the next rank. All ranks measure
 * that one at the same time, for a while, because they will also compute at the same time. Ranks
 * on one GPU take turns of some milliseconds, and each change costs time. So they measure for
 * longer, and without waiting after each run; and once more while only the first of them computes.
 */
#include "nccl.h"
#include "speeds.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef enum work { ELEMENTWISE, SUM, PRODUCT } work;

static gnd_array *done(gnd_array *x, work w)
{
    return w == PRODUCT ? gnd_matmul(x, x)
           : w == SUM   ? gnd_sum(x, GND_ALL, 0)
                        : gnd_add_f(gnd_mul_f(x, 0.5), 1);
}

/* The operand of work on n floats, or of an n x n product, computed: elements that are not stored
 * would not be read. */
static gnd_array *operand(const gndm_ctx *c, int64_t n, work w)
{
    const int64_t dim[2] = {n, n};
    gnd_array *x = gnd_ones(c->dev, GND_FLOAT32, w == PRODUCT ? 2 : 1, dim);
    x = gnd_add(x, gnd_arange_i64(c->dev, 0, n, 1, GND_FLOAT32));
    gnd_wait(x); /* a failure is that of the first run, too */
    return x;
}

/* Computes with x `times` times and waits for the last. The seconds of one; 0 after a failure. */
static double runs(gnd_array *x, work w, int times)
{
    gnd_status st = GND_OK;
    const double t = gndm__now();
    for (int i = 0; i < times && !st; i++) {
        gnd_scope_begin();
        gnd_array *y = done(x, w);
        st = i + 1 < times ? gnd_eval_all(1, &y) : gnd_wait(y);
        gnd_scope_end();
    }
    const double dt = (gndm__now() - t) / times;
    return st ? 0 : dt > 1e-9 ? dt : 1e-9;
}

/* The best of three times, in seconds; 0 after a failure. */
static double seconds(const gndm_ctx *c, int64_t n, work w)
{
    double best = 0, t = 1;
    gnd_scope_begin();
    gnd_array *x = operand(c, n, w);
    for (int i = 0; i < 4 && t > 0; i++) { /* the first run compiles */
        t = runs(x, w, 1);
        if (i && t > 0 && (best == 0 || t < best))
            best = t;
    }
    gnd_scope_end();
    return t > 0 ? best : 0;
}

/* How a rank computes in a span of some seconds: `times` runs before each wait. */
typedef struct pace {
    double span;
    int times;
    int works; /* 0: it waits for the others */
} pace;

/* Runs while all ranks compute: *y is the mean time of those that began within a span, in seconds;
 * 0 after a failure. A rank that has them goes on until all others have theirs, or it would leave
 * them its share of cores or of a GPU. */
static gnd_status one_span(gndm_ctx *c, gnd_array *x, work w, const pace *p, double *y)
{
    const double enough = 2;
    double t = p->works, sum = 0;
    int n = 0, all_done = 0;
    MPI_Request req;
    gnd_status st = gndm__barrier(c, c->comm);
    const double began = gndm__now();
    for (; !st && t > 0 && sum * p->times < p->span; n++)
        sum += t = runs(x, w, p->times);
    *y = t > 0 && n ? sum / n : 0;
    if (!st)
        st = gndm__mpi(c, MPI_Ibarrier(c->comm, &req), "MPI_Ibarrier");
    while (!st && !all_done && t > 0 && gndm__now() - began < enough) {
        t = runs(x, w, p->times);
        st = gndm__mpi(c, MPI_Test(&req, &all_done, MPI_STATUS_IGNORE), "MPI_Test");
    }
    return st || all_done ? st : gndm__wait(c, 1, &req);
}

/* The time of a run while all ranks compute, in seconds; 0 after a failure. Other programs may
 * disturb a span, so it is the best of some, the same for all ranks: ranks that share cores take
 * turns of some milliseconds, and the best spans of each would add up to more than the cores have.
 */
static gnd_status together(gndm_ctx *c, int64_t n, work w, const pace *p, double *y)
{
    enum { SPANS = 5 };
    gnd_status st = GND_OK;
    double t[SPANS] = {0}, score[SPANS], best = 0;
    int at = 0;
    gnd_scope_begin();
    gnd_array *x = operand(c, n, w);
    runs(x, w, 1);
    for (int i = 0; i < SPANS && !st; i++) {
        st = one_span(c, x, w, p, &t[i]);
        best = best > 0 && best < t[i] ? best : t[i];
    }
    gnd_scope_end();
    for (int i = 0; i < SPANS; i++)
        score[i] = t[i] > 0 ? best / t[i] : 0;
    if (!st)
        st = gndm__allreduce(c, score, SPANS, MPI_DOUBLE, MPI_SUM);
    for (int i = 1; i < SPANS && !st; i++)
        if (score[i] > score[at])
            at = i;
    *y = st ? 0 : t[at];
    return st;
}

/* The bytes of the last level cache, if the device is a CPU and the system tells them, or 0. */
static double cache_of(const gnd_device_info *info)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long bytes = !strcmp(info->kind, "cpu") ? sysconf(_SC_LEVEL3_CACHE_SIZE) : 0;
    return bytes > 0 ? (double)bytes : 0;
#else
    (void)info;
    return 0;
#endif
}

/* The size at which work is measured: it grows until the time is so long that the launch is
 * negligible and the floats exceed most caches. A fast GPU needs some hundred times the size that a
 * CPU needs. What a CPU reads and writes exceeds a cache that its ranks share: some have 300 MiB,
 * and are a fifth faster within. *t: seconds of one run, 0 after a failure. */
static int64_t size_of(const gndm_ctx *c, const gndm__turns *turns, const gnd_device_info *info,
                       work w, double *t)
{
    static const int64_t first[2] = {1 << 16, 128}, large[2] = {1 << 24, 128},
                         last[2] = {1 << 27, 4096};
    const int product = w == PRODUCT;
    const double enough = 2e-3, memory = (double)info->mem_bytes,
                 cache = product ? 0 : cache_of(info) / turns->alike;
    int64_t n = first[product];
    *t = 0;
    for (int64_t i = n; i <= last[product]; i *= product ? 2 : 4) {
        const double k = (double)i, bytes = 12 * (product ? k * k : k);
        const double now = i > n && 4 * bytes > memory ? 0 : seconds(c, i, w);
        if (now > 0) {
            n = i;
            *t = now;
        }
        if (!(now > 0) ||
            (now > enough && i >= large[product] && (w == SUM ? 4 : 8) * k > 2 * cache))
            break;
    }
    return n;
}

/* *y: the speed of the work while all ranks compute; *alone (may be NULL): while only the first of
 * the ranks on each GPU does, 0 for the others. */
static gnd_status rate(gndm_ctx *c, const gndm__turns *turns, const gnd_device_info *info, work w,
                       double *y, double *alone)
{
    const int shared = turns->most > 1, gpu = !strcmp(info->kind, "gpu");
    const double wait = shared && gpu ? 10e-3 : 2e-3; /* runs take that long before each wait */
    pace p = {.span = shared ? 0.06 : 0.02, .times = 1, .works = 1};
    double t = 0, one = 0;
    int64_t n = 0;
    gnd_status st = GND_OK;
    for (int i = 0; i < turns->most && !st; i++) { /* alone, on a GPU */
        if (i == turns->index)
            n = size_of(c, turns, info, w, &t);
        if (shared)
            st = gndm__barrier(c, c->comm);
    }
    if (t > 0)
        p.times = (int)fmin(ceil(wait / t), 200);
    if (!st)
        st = together(c, n, w, &p, &t);
    p.works = turns->index == 0;
    if (!st && shared && alone)
        st = together(c, n, w, &p, &one);
    const double k = (double)n, all = w == PRODUCT ? 2 * k * k * k : (w == SUM ? 4 : 8) * k;
    /* a device that fails to compute counts as slow; 0 would mean an unknown speed */
    *y = t > 0 ? all / t : 1;
    if (alone)
        *alone = one > 0 ? all / one : 0;
    return st;
}

static int by_value(const void *a, const void *b)
{
    const double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

/* Sums of few elements, which are read, for at least that many seconds: the least time in seconds,
 * and the median; 0 after a failure. So many elements that no device leaves them to the calling
 * thread. */
static void small_sums(gnd_array *x, double span, double *least, double *median)
{
    enum { FEWEST = 20, RUNS = 1000 };
    double t[RUNS], all = 0;
    float sum;
    int n = 0;
    gnd_status st = GND_OK;
    while (n < RUNS && (n < FEWEST || all < span) && !st) {
        gnd_scope_begin();
        const double began = gndm__now();
        st = gnd_read(done(x, SUM), &sum, sizeof sum);
        all += t[n++] = gndm__now() - began;
        gnd_scope_end();
    }
    qsort(t, (size_t)n, sizeof *t, by_value);
    *least = st ? 0 : t[0];
    *median = st ? 0 : t[n / 2];
}

/* What a sum of few elements, and reading it, takes longer than its work, while others on the same
 * GPU wait; and what it takes longer than that if they do not: two changes of the turn. */
static gnd_status start_cost(gndm_ctx *c, const gndm__turns *turns, gndm__rates *y)
{
    enum { FEW = 1 << 16 };
    const double span = 0.02;
    double least = 0, alone = 0, median = 0, unused;
    gnd_status st = GND_OK;
    gnd_scope_begin();
    gnd_array *x = operand(c, FEW, SUM);
    for (int i = 0; i < turns->most && !st; i++) {
        st = gndm__barrier(c, c->comm);
        if (i == turns->index && !st)
            small_sums(x, 0, &least, &alone);
    }
    if (!st && turns->most > 1) {
        st = gndm__barrier(c, c->comm);
        if (!st)
            small_sums(x, span, &unused, &median);
    }
    gnd_scope_end();
    y->latency = fmax(least - 4 * FEW / y->sums, 0);
    y->turn = fmax(median - alone, 0);
    return st;
}

/* Sends n elements of x to the next rank, receives as many from the one before, and waits for them.
 * The seconds; 0 after a failure. */
static double send_on(gndm_ctx *c, gnd_array *x, int64_t n, gndm__parcel *out, gndm__parcel *in)
{
    memset(out, 0, (size_t)c->size * sizeof *out);
    memset(in, 0, (size_t)c->size * sizeof *in);
    out[1] = (gndm__parcel){.peer = (c->rank + 1) % c->size, .n = n, .x = gnd_slice(x, 0, 0, n)};
    in[1] = (gndm__parcel){.peer = (c->rank + c->size - 1) % c->size, .n = n};
    out[1].direct = gndm__nccl_reaches(c, out[1].peer);
    in[1].direct = gndm__nccl_reaches(c, in[1].peer);
    gnd_status st = gndm__ready(c, out[1].x);
    st = gndm__agree(c, st, gnd_message());
    const double t = gndm__now();
    if (!st) {
        st = gndm__nccl_prepare(c, GND_INT32, out, in);
        st = gndm__agree(c, st, gnd_message());
    }
    if (!st)
        st = gndm__exchange(c, GND_INT32, out, in);
    if (!st)
        st = gndm__ready(c, in[1].x);
    return st ? 0 : gndm__now() - t;
}

/* Bytes per second to the next rank while all ranks send. Measured with growing messages, because
 * NCCL is at its speed only with large ones. */
static gnd_status link_rate(gndm_ctx *c, double *y)
{
    static const int64_t sizes[] = {1 << 18, 1 << 20, 1 << 20, 1 << 24, 1 << 24};
    const double enough = 2e-3;
    *y = 0;
    if (c->size == 1)
        return GND_OK;
    gndm__parcel *parcel = calloc(2 * (size_t)c->size, sizeof *parcel);
    gnd_status st = gndm__agree(c, parcel ? GND_OK : GND_ERR_NOMEM, "out of host memory");
    gnd_scope_begin();
    const int64_t most = c->group ? 1 << 24 : 1 << 20;
    gnd_array *x = st ? NULL : gnd_zeros(c->dev, GND_INT32, 1, &most);
    for (int i = 0; i < (c->group ? 5 : 3) && !st; i++) {
        gnd_scope_begin();
        double t = send_on(c, x, sizes[i], parcel, parcel + c->size);
        gnd_scope_end();
        const double v = t > 0 ? 4 * (double)sizes[i] / t : 1;
        *y = v > *y ? v : *y;
        st = gndm__allreduce(c, &t, 1, MPI_DOUBLE, MPI_MAX);
        if (t > enough && i >= 1)
            break;
    }
    gnd_scope_end();
    if (!c->broken)
        free(parcel);
    return st;
}

gnd_status gndm__measure_rates(gndm_ctx *c, const gndm__turns *turns, gndm__rates *y)
{
    gnd_device_info info;
    if (gnd_device_describe(c->dev, &info)) /* it fails to compute, too */
        memset(&info, 0, sizeof info);
    gnd_status st = rate(c, turns, &info, ELEMENTWISE, &y->bandwidth, &y->bandwidth_alone);
    if (!st)
        st = rate(c, turns, &info, SUM, &y->sums, &y->sums_alone);
    if (!st)
        st = rate(c, turns, &info, PRODUCT, &y->flops, NULL);
    if (!st)
        st = start_cost(c, turns, y);
    return st ? st : link_rate(c, &y->link);
}
