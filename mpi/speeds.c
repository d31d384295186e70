/* SPDX-License-Identifier: BSD-3-Clause
 *
 * speeds.c - the speeds of the ranks and their shares of the work. Speeds are measured once
 * (rates.c) and kept in the cache folder, in mpi-HASH.txt, one file for each rank. The hash covers
 * the device, its driver, the rank's place (host, number on its node, cores that it may use), the
 * devices of all ranks of its host, the numbers of ranks, and whether NCCL or a CUDA-aware MPI is
 * used: two devices of one name may be of unlike speed. Ranks on one GPU are known by its PCI
 * address, whatever their backends, and get equal parts.
 */
#include "nccl.h"
#include "speeds.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/* --- the file --------------------------------------------------------------------------------- */

static uint64_t hashed(uint64_t h, const char *s)
{
    do
        h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    while (*s++);
    return h;
}

/* What tells this rank's device from an equal one: the host, the number in the list of devices and
 * what CUDA makes of the list, the rank's number on its node, and how many cores it may use. */
static void place_of(const gndm_ctx *c, const gndm_rank_info *i, char *text, size_t size)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    cpu_set_t cores;
    snprintf(text, size, "%s|%s|%.200s|%d|%d", i->host, i->device, visible ? visible : "",
             c->node_rank, sched_getaffinity(0, sizeof cores, &cores) ? 0 : CPU_COUNT(&cores));
}

/* The path of the file; "" if there is no cache folder. all: what the ranks tell of themselves. */
static void path_of(gndm_ctx *c, const gnd_device_info *d, const gndm_rank_info *all, char *path,
                    size_t size)
{
    char text[1024], place[384];
    path[0] = 0;
    if (gnd_tune_file(c->dev, path, size, NULL) || !path[0])
        return;
    char *slash = strrchr(path, '/');
    place_of(c, &all[c->rank], place, sizeof place);
    snprintf(text, sizeof text, "%s|%s|%s|%s|%s|%u|%d|%d|%d%s", place, d->backend, d->platform,
             d->name, d->driver, d->compute_units, c->node_size, c->size, c->nccl != NULL,
             c->nccl && c->nccl->peers ? "|peer"
             : c->aware                ? "|aware"
                                       : "");
    uint64_t h = hashed(UINT64_C(14695981039346656037), text);
    for (int r = 0; r < c->size; r++)
        if (!strcmp(all[r].host, all[c->rank].host))
            h = hashed(h, all[r].device);
    if (slash)
        snprintf(slash + 1, size - (size_t)(slash + 1 - path), "mpi-%016" PRIx64 ".txt", h);
}

#define FORM(x)                                                                                    \
    "gnd-mpi 9\nbandwidth " x "\nsums " x "\nflops " x "\nlink " x "\nlatency " x "\nalone " x     \
    " " x "\nturn " x "\nend\n"

static int load(const char *path, gndm__rates *y)
{
    FILE *f = path[0] ? fopen(path, "r") : NULL;
    if (!f)
        return 0;
    const int n = fscanf(f, FORM("%lf"), &y->bandwidth, &y->sums, &y->flops, &y->link, &y->latency,
                         &y->bandwidth_alone, &y->sums_alone, &y->turn);
    fclose(f);
    return n == 8 && y->bandwidth > 0 && y->sums > 0 && y->flops > 0 && y->link >= 0 &&
           y->latency >= 0 && y->bandwidth_alone >= 0 && y->sums_alone >= 0 && y->turn >= 0;
}

/* Saves the figures. If the file cannot be written, the next program measures again; this is not an
 * error. */
static void save(const char *path, const gndm__rates *y)
{
    char temporary[1200];
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    FILE *f = path[0] ? fopen(temporary, "w") : NULL;
    if (!f)
        return;
    fprintf(f, FORM("%.6g"), y->bandwidth, y->sums, y->flops, y->link, y->latency,
            y->bandwidth_alone, y->sums_alone, y->turn);
    const int bad = ferror(f);
    if (fclose(f) || bad || rename(temporary, path))
        remove(temporary);
}

/* --- shares ----------------------------------------------------------------------------------- */

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

/* The ranks on the GPU of rank r, of which it is the first: *n, and the places of `mine` among
 * them. */
static int place_among(const gndm_ctx *c, const gndm_rank_info *all, int r, int mine, int *n)
{
    int at = 0;
    *n = 0;
    for (int k = r; k < c->size; k++) {
        at += k < mine && all[k].first == r;
        *n += all[k].first == r;
    }
    return at;
}

/* Finds the ranks on one GPU, and this rank's place among those on its own. */
static void share_gpus(const gndm_ctx *c, gndm_rank_info *all, gndm__turns *turns)
{
    int n;
    for (int r = 0; r < c->size; r++) {
        all[r].first = r;
        for (int k = 0; k < r && all[r].first == r; k++)
            if (all[r].bus[0] && !strcmp(all[k].bus, all[r].bus) &&
                !strcmp(all[k].host, all[r].host))
                all[r].first = k;
    }
    turns->most = 1;
    turns->alike = 0;
    for (int r = 0; r < c->size; r++) {
        turns->alike +=
            !strcmp(all[r].name, all[c->rank].name) && !strcmp(all[r].host, all[c->rank].host);
        if (all[r].first == r) {
            place_among(c, all, r, c->rank, &n);
            turns->most = n > turns->most ? n : turns->most;
        }
    }
    turns->index = place_among(c, all, all[c->rank].first, c->rank, &n);
}

/* Sets the speeds of all ranks. Those on one GPU have the mean of theirs: which of them gets more
 * turns in a span is chance. */
static void take(const gndm_ctx *c, gndm_rank_info *all, const gndm__rates *rates)
{
    for (int f = 0; f < c->size; f++) {
        gndm__rates sum = {0};
        int n = 0;
        for (int r = f; r < c->size; r++)
            if (all[r].first == f) {
                sum.bandwidth += rates[r].bandwidth;
                sum.sums += rates[r].sums;
                sum.flops += rates[r].flops;
                sum.turn += rates[r].turn;
                n++;
            }
        const double alone =
            fmin(rates[f].bandwidth_alone / sum.bandwidth, rates[f].sums_alone / sum.sums);
        for (int r = f; r < c->size; r++)
            if (all[r].first == f) {
                all[r].bandwidth = sum.bandwidth / n;
                all[r].sums = sum.sums / n;
                all[r].flops = sum.flops / n;
                all[r].link = rates[r].link;
                all[r].latency = rates[r].latency;
                all[r].alone = n > 1 && alone > 0 ? alone : 1;
                all[r].turn = n > 1 ? sum.turn / n : 0;
            }
    }
}

/* What this rank tells the others of itself. */
static void introduce(const gndm_ctx *c, const gnd_device_info *d, gndm_rank_info *y)
{
    int others = 0;
    gethostname(y->host, sizeof y->host - 1);
    snprintf(y->device, sizeof y->device, "%s", d->id);
    snprintf(y->name, sizeof y->name, "%s", d->name);
    snprintf(y->bus, sizeof y->bus, "%s", d->bus);
    for (int r = 0; r < c->size; r++)
        others += r != c->rank && !gndm__nccl_reaches(c, r);
    const int staged = !strcmp(c->transport->name, "cuda-aware") && !c->aware;
    snprintf(y->transport, sizeof y->transport, "%s%s%s", c->nccl ? "nccl" : "",
             c->nccl && others ? "+" : "",
             c->nccl && !others ? ""
             : staged           ? "staged"
                                : c->transport->name);
    snprintf(y->no_nccl, sizeof y->no_nccl, "%s", c->why);
    snprintf(y->no_cuda_mpi, sizeof y->no_cuda_mpi, "%s", c->no_aware);
    snprintf(y->no_peer, sizeof y->no_peer, "%s", c->no_peer);
    y->mem_bytes = d->mem_bytes;
    y->max_alloc_bytes = d->max_alloc_bytes ? d->max_alloc_bytes : d->mem_bytes;
}

/* Loads this rank's speeds, or measures them if some rank has none. */
static gnd_status find(gndm_ctx *c, const gnd_device_info *d, gndm_rank_info *all, gndm__rates *y)
{
    gndm__turns turns;
    char path[1024];
    share_gpus(c, all, &turns);
    path_of(c, d, all, path, sizeof path);
    int known = load(path, y);
    gnd_status st = gndm__allreduce(c, &known, 1, MPI_INT, MPI_MIN);
    if (!st && !known) {
        memset(y, 0, sizeof *y);
        st = gndm__measure_rates(c, &turns, y);
        if (!st)
            save(path, y);
    }
    return st;
}

gnd_status gndm__measure(gndm_ctx *c)
{
    gnd_device_info d;
    gndm_rank_info mine;
    gndm__rates own = {0};
    if (c->ranks)
        return GND_OK;
    memset(&mine, 0, sizeof mine);
    gnd_status st = gnd_device_describe(c->dev, &d);
    gndm_rank_info *all = calloc((size_t)c->size, sizeof *all);
    gndm__rates *rates = calloc((size_t)c->size, sizeof *rates);
    if (!st && !(all && rates))
        st = GND_ERR_NOMEM;
    st = gndm__agree(c, st, "out of host memory, or a device that does not answer");
    if (!st) {
        introduce(c, &d, &mine);
        st = gndm__allgather(c, &mine, all, (int)sizeof mine);
    }
    if (!st)
        st = find(c, &d, all, &own);
    if (!st)
        st = gndm__allgather(c, &own, rates, (int)sizeof own);
    if (!st) {
        take(c, all, rates);
        share(c, all);
        alike(c, all);
        c->ranks = all;
    } else if (!c->broken) { /* after a timeout MPI may still write to the memory */
        free(all);
    }
    if (!st || !c->broken)
        free(rates);
    return st;
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
