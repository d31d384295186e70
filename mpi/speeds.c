/* SPDX-License-Identifier: BSD-3-Clause
 *
 * speeds.c - measures the speeds of the ranks' devices: elementwise work, sums and products at
 * growing sizes, of which the last one counts; and the link to the next rank. All ranks measure
 * that one at the same time, for a while, because they will also compute at the same time: ranks
 * that share cores or a GPU share its speed, in turns. The figures are kept in the
 * cache folder, in mpi-HASH.txt, one file for each rank. The hash covers the device, its driver,
 * the rank's place (host, number on its node, cores that it may use), the numbers of ranks, and
 * whether NCCL or a CUDA-aware MPI is used: two devices of one name may be of unlike speed.
 */
#include "nccl.h"

#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/* --- the file --------------------------------------------------------------------------------- */

/* What tells this rank's device from an equal one: the host, the number in the list of devices and
 * what CUDA makes of the list, the rank's number on its node, and how many cores it may use. */
static void place_of(const gndm_ctx *c, const gnd_device_info *d, char *text, size_t size)
{
    char host[64] = "";
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    cpu_set_t cores;
    gethostname(host, sizeof host - 1);
    snprintf(text, size, "%s|%s|%.200s|%d|%d", host, d->id, visible ? visible : "", c->node_rank,
             sched_getaffinity(0, sizeof cores, &cores) ? 0 : CPU_COUNT(&cores));
}

/* The path of the file; "" if there is no cache folder. */
static void path_of(gndm_ctx *c, const gnd_device_info *d, char *path, size_t size)
{
    char text[1024], place[384];
    uint64_t h = UINT64_C(14695981039346656037);
    path[0] = 0;
    if (gnd_tune_file(c->dev, path, size, NULL) || !path[0])
        return;
    char *slash = strrchr(path, '/');
    place_of(c, d, place, sizeof place);
    snprintf(text, sizeof text, "%s|%s|%s|%s|%s|%u|%d|%d|%d%s", place, d->backend, d->platform,
             d->name, d->driver, d->compute_units, c->node_size, c->size, c->nccl != NULL,
             c->nccl && c->nccl->peers ? "|peer"
             : c->aware                ? "|aware"
                                       : "");
    for (const char *s = text; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    if (slash)
        snprintf(slash + 1, size - (size_t)(slash + 1 - path), "mpi-%016" PRIx64 ".txt", h);
}

static int load(const char *path, gndm_rank_info *i)
{
    FILE *f = path[0] ? fopen(path, "r") : NULL;
    if (!f)
        return 0;
    const int n = fscanf(f, "gnd-mpi 8 bandwidth %lf sums %lf flops %lf link %lf latency %lf end",
                         &i->bandwidth, &i->sums, &i->flops, &i->link, &i->latency);
    fclose(f);
    return n == 5 && i->bandwidth > 0 && i->sums > 0 && i->flops > 0 && i->link >= 0 &&
           i->latency >= 0;
}

/* Saves the figures. If the file cannot be written, the next program measures again; this is not an
 * error. */
static void save(const char *path, const gndm_rank_info *i)
{
    char temporary[1200];
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    FILE *f = path[0] ? fopen(temporary, "w") : NULL;
    if (!f)
        return;
    fprintf(f, "gnd-mpi 8\nbandwidth %.6g\nsums %.6g\nflops %.6g\nlink %.6g\nlatency %.6g\nend\n",
            i->bandwidth, i->sums, i->flops, i->link, i->latency);
    const int bad = ferror(f);
    if (fclose(f) || bad || rename(temporary, path))
        remove(temporary);
}

/* --- measuring -------------------------------------------------------------------------------- */

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

/* Computes with x once. The seconds; 0 after a failure. */
static double once(gnd_array *x, work w)
{
    gnd_scope_begin();
    const double t = gndm__now();
    const gnd_status st = gnd_wait(done(x, w));
    const double dt = gndm__now() - t;
    gnd_scope_end();
    return st ? 0 : dt > 1e-9 ? dt : 1e-9;
}

/* The best of three times, in seconds; 0 after a failure. */
static double seconds(const gndm_ctx *c, int64_t n, work w)
{
    double best = 0, t = 1;
    gnd_scope_begin();
    gnd_array *x = operand(c, n, w);
    for (int i = 0; i < 4 && t > 0; i++) { /* the first run compiles */
        t = once(x, w);
        if (i && t > 0 && (best == 0 || t < best))
            best = t;
    }
    gnd_scope_end();
    return t > 0 ? best : 0;
}

/* Runs while all ranks compute: *y is the mean time of those that began within a span, in seconds;
 * 0 after a failure. A rank that has them goes on until all others have theirs, or it would leave
 * them its share of cores that they share. */
static gnd_status one_span(gndm_ctx *c, gnd_array *x, work w, double *y)
{
    const double span = 0.02, enough = 2;
    double sum = 0, t = 1;
    int runs = 0, done = 0;
    MPI_Request req;
    gnd_status st = gndm__barrier(c, c->comm);
    const double began = gndm__now();
    for (; !st && t > 0 && sum < span; runs++)
        sum += t = once(x, w);
    *y = t > 0 && runs ? sum / runs : 0;
    if (!st)
        st = gndm__mpi(c, MPI_Ibarrier(c->comm, &req), "MPI_Ibarrier");
    while (!st && !done && t > 0 && gndm__now() - began < enough) {
        t = once(x, w);
        st = gndm__mpi(c, MPI_Test(&req, &done, MPI_STATUS_IGNORE), "MPI_Test");
    }
    return st || done ? st : gndm__wait(c, 1, &req);
}

/* The time of a run while all ranks compute, in seconds; 0 after a failure. Other programs may
 * disturb a span, so it is the best of some, the same for all ranks: ranks that share cores take
 * turns of some milliseconds, and the best spans of each would add up to more than the cores have.
 */
static gnd_status together(gndm_ctx *c, int64_t n, work w, double *y)
{
    enum { SPANS = 5 };
    gnd_status st = GND_OK;
    double t[SPANS] = {0}, score[SPANS], best = 0;
    int at = 0;
    gnd_scope_begin();
    gnd_array *x = operand(c, n, w);
    once(x, w);
    for (int i = 0; i < SPANS && !st; i++) {
        st = one_span(c, x, w, &t[i]);
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

/* Measures at growing sizes until the time is so long that the launch is negligible and the floats
 * exceed most caches, and at that size together with the other ranks. A fast GPU needs some hundred
 * times the size that a CPU needs. The floats of a sum, which writes nothing, exceed a cache that
 * the ranks of a node share: some have 300 MiB. */
static gnd_status rate(gndm_ctx *c, work w, double *y)
{
    static const int64_t first[2] = {1 << 16, 128}, large[2] = {1 << 24, 128},
                         last[2] = {1 << 27, 4096};
    const int product = w == PRODUCT;
    const double enough = 2e-3;
    gnd_device_info info;
    const int known = gnd_device_describe(c->dev, &info) == GND_OK;
    const double memory = known ? (double)info.mem_bytes : 0,
                 cache = known && w == SUM ? cache_of(&info) : 0;
    int64_t n = first[product];
    for (int64_t i = n; i <= last[product]; i *= product ? 2 : 4) {
        const double k = (double)i, bytes = 12 * (product ? k * k : k);
        const double t = i > n && 4 * bytes > memory ? 0 : seconds(c, i, w);
        if (t > 0)
            n = i;
        if (!(t > 0) || (t > enough && i >= large[product] && 4 * k * c->node_size > 2 * cache))
            break;
    }
    double t;
    const gnd_status st = together(c, n, w, &t);
    const double k = (double)n;
    /* a device that fails to compute counts as slow; 0 would mean an unknown speed */
    *y = !(t > 0) ? 1 : product ? 2 * k * k * k / t : (w == SUM ? 4 : 8) * k / t;
    return st;
}

/* What a sum of few elements, and reading it, takes longer than its work at `speed` bytes per
 * second: the least of some times in seconds, while all ranks do so. So many elements that no
 * device leaves them to the calling thread. */
static gnd_status start_cost(gndm_ctx *c, double speed, double *y)
{
    enum { RUNS = 20, FEW = 1 << 16 };
    float sum;
    gnd_status st = gndm__barrier(c, c->comm), done_well = GND_OK;
    *y = 0;
    gnd_scope_begin();
    gnd_array *x = operand(c, FEW, SUM);
    for (int i = 0; i < RUNS && !st && !done_well; i++) {
        gnd_scope_begin();
        const double t = gndm__now();
        done_well = gnd_read(done(x, SUM), &sum, sizeof sum);
        const double dt = gndm__now() - t;
        *y = *y > 0 && *y < dt ? *y : dt;
        gnd_scope_end();
    }
    gnd_scope_end();
    *y = *y > 4 * FEW / speed ? *y - 4 * FEW / speed : 0;
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

/* Sets the shares: the smaller of those in elementwise work and in sums. Arrays are cut once for
 * both, and a rank that has too much delays all others, while one that has too little only leaves a
 * part of its own speed unused. */
static void share(const gndm_ctx *c, gndm_rank_info *all)
{
    double bandwidth = 0, sums = 0, total = 0;
    for (int r = 0; r < c->size; r++) {
        bandwidth += all[r].bandwidth;
        sums += all[r].sums;
    }
    for (int r = 0; r < c->size; r++) {
        const double a = all[r].bandwidth / bandwidth, b = all[r].sums / sums;
        total += all[r].share = a < b ? a : b;
    }
    for (int r = 0; r < c->size; r++)
        all[r].share /= total;
}

/* Sets the latency of each rank to the least one among devices of its name, which differ by what
 * else their hosts did meanwhile. */
static void alike(const gndm_ctx *c, gndm_rank_info *all)
{
    for (int r = 0; r < c->size; r++)
        for (int k = 0; k < c->size; k++)
            if (all[k].latency < all[r].latency && !strcmp(all[k].name, all[r].name))
                all[r].latency = all[k].latency;
}

gnd_status gndm__measure(gndm_ctx *c)
{
    gnd_device_info d;
    gndm_rank_info mine;
    char path[1024];
    if (c->ranks)
        return GND_OK;
    memset(&mine, 0, sizeof mine);
    gnd_status st = gnd_device_describe(c->dev, &d);
    gndm_rank_info *all = calloc((size_t)c->size, sizeof *all);
    if (!st && !all)
        st = GND_ERR_NOMEM;
    st = gndm__agree(c, st, "out of host memory, or a device that does not answer");
    if (!st) {
        path_of(c, &d, path, sizeof path);
        int known = load(path, &mine);
        st = gndm__allreduce(c, &known, 1, MPI_INT, MPI_MIN);
        if (!st && !known) {
            st = rate(c, ELEMENTWISE, &mine.bandwidth);
            if (!st)
                st = rate(c, SUM, &mine.sums);
            if (!st)
                st = rate(c, PRODUCT, &mine.flops);
            if (!st)
                st = start_cost(c, mine.sums, &mine.latency);
            if (!st)
                st = link_rate(c, &mine.link);
            if (!st)
                save(path, &mine);
        }
    }
    if (!st) {
        gethostname(mine.host, sizeof mine.host - 1);
        snprintf(mine.device, sizeof mine.device, "%s", d.id);
        snprintf(mine.name, sizeof mine.name, "%s", d.name);
        int others = 0;
        for (int r = 0; r < c->size; r++)
            others += r != c->rank && !gndm__nccl_reaches(c, r);
        const int staged = !strcmp(c->transport->name, "cuda-aware") && !c->aware;
        snprintf(mine.transport, sizeof mine.transport, "%s%s%s", c->nccl ? "nccl" : "",
                 c->nccl && others ? "+" : "",
                 c->nccl && !others ? ""
                 : staged           ? "staged"
                                    : c->transport->name);
        snprintf(mine.no_nccl, sizeof mine.no_nccl, "%s", c->why);
        snprintf(mine.no_cuda_mpi, sizeof mine.no_cuda_mpi, "%s", c->no_aware);
        snprintf(mine.no_peer, sizeof mine.no_peer, "%s", c->no_peer);
        mine.mem_bytes = d.mem_bytes;
        mine.max_alloc_bytes = d.max_alloc_bytes ? d.max_alloc_bytes : d.mem_bytes;
        st = gndm__allgather(c, &mine, all, (int)sizeof mine);
    }
    if (st) { /* after a timeout MPI may still write to the memory */
        if (!c->broken)
            free(all);
        return st;
    }
    share(c, all);
    alike(c, all);
    c->ranks = all;
    return GND_OK;
}

gnd_status gndm_ranks(gndm_ctx *c, gndm_rank_info *info)
{
    if (!c || !info)
        return GND_ERR_NULL;
    gnd_status st = gndm__enter(c, "ranks", "%d", c->size);
    if (!st)
        st = gndm__measure(c);
    if (!st)
        memcpy(info, c->ranks, (size_t)c->size * sizeof *info);
    gndm__leave(c, NULL);
    return st;
}
