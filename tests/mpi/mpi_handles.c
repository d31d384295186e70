/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_handles.c - what ranks, partitions and arrays tell of themselves; owners and scopes; speeds
 * and the cuts that follow them; and NULL as each handle. Started by mpi.sh; mpi_handles cuts N...
 * by mpi_tools.sh.
 */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gndm_array *ramp(int64_t n)
{
    const gnd_value v = gnd_value_int(n);
    return gndm_apply(ctx, NULL, "arange", 1, &v, 0, NULL);
}

static void ranks(void)
{
    int mpi_rank, mpi_size;
    double share = 0;
    int good = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi_size);
    dist_ok(gndm_rank(ctx) == mpi_rank && gndm_size(ctx) == mpi_size, "rank and size");
    gndm_rank_info *info = calloc((size_t)size, sizeof *info);
    dist_ok(gndm_ranks(ctx, info) == GND_OK, "the ranks tell what they are");
    for (int r = 0; r < size; r++) {
        good &= info[r].bandwidth > 0 && info[r].sums > 0 && info[r].flops > 0;
        good &= info[r].host[0] && info[r].name[0];
        share += info[r].share;
    }
    dist_ok(good && !strcmp(info[rank].device, gnd_device_id(dev)), "device and measured speeds");
    dist_ok(share > 0.999 && share < 1.001, "shares add up to 1, not to %g", share);
    free(info);
}

static void parts(void)
{
    const int64_t shape[2] = {1000, 3};
    int64_t start[2], stop[2], at = 0;
    gndm_part *p = gndm_part_weighted(ctx, GND_FLOAT32, 2, shape, NULL, GNDM_FLOPS);
    dist_ok(gndm_part_status(p) == GND_OK && !gndm_part_error(p)[0],
            "cuts by the speed of products");
    for (int r = 0; r < size; r++) {
        if (gndm_part_box(p, r, start, stop) || start[0] != at || start[1] != 0 || stop[1] != 3)
            break;
        at = stop[0];
    }
    dist_ok(at == 1000, "they leave nothing out: %lld rows", (long long)at);
    gndm_part_free(p);
    const int grid[2] = {size + 1, 1};
    p = gndm_part_even(ctx, 2, shape, grid);
    dist_ok(gndm_part_status(p) == GND_ERR_ARG && gndm_part_error(p)[0],
            "a grid of too many ranks: %s", gndm_part_error(p));
    gndm_part_free(p);
}

/* The extent of this part of a vector; -1 after a failure. */
static int64_t extent(const gndm_part *p, int r)
{
    int64_t start[1], stop[1];
    return gndm_part_box(p, r, start, stop) ? -1 : stop[0] - start[0];
}

/* Vectors of 16 bytes per element that exceed what devices and their buffers hold. */
static void memory(void)
{
    gndm_rank_info *info = calloc((size_t)size, sizeof *info);
    int ok = gndm_ranks(ctx, info) == GND_OK, fits = ok;
    double sum = 0;
    uint64_t least = UINT64_MAX; /* any part of so many bytes fits any device */
    int64_t full = 0;
    for (int r = 0; r < size; r++) {
        ok = ok && info[r].max_alloc_bytes >= 16 && info[r].max_alloc_bytes <= info[r].mem_bytes;
        sum += (double)info[r].max_alloc_bytes;
        full += (int64_t)(info[r].max_alloc_bytes / 16);
        least = least < info[r].max_alloc_bytes ? least : info[r].max_alloc_bytes;
        least = least < info[r].mem_bytes / 2 ? least : info[r].mem_bytes / 2;
    }
    const int64_t much = INT64_C(1) << 50, some = full - 1, small = (int64_t)least;
    gndm_part *p = gndm_part_default(ctx, GND_COMPLEX128, 1, &much),
              *q = gndm_part_default(ctx, GND_COMPLEX128, 1, &some);
    for (int r = 0; r < size; r++) {
        const double want = (double)much * ((double)info[r].max_alloc_bytes / sum);
        ok = ok && fabs((double)extent(p, r) / want - 1) < 1e-7;
        fits = fits && extent(q, r) >= 0 && extent(q, r) <= (int64_t)(info[r].max_alloc_bytes / 16);
    }
    gndm_part *u = gndm_part_default(ctx, GND_FLOAT32, 1, &some);
    gndm_part *v = gndm_part_default(ctx, GND_UINT8, 1, &small);
    int half = 1, speed = 1;
    for (int r = 0; r < size; r++) {
        half = half && extent(u, r) >= 0 && extent(u, r) <= (int64_t)(info[r].mem_bytes / 8) + 1;
        speed = speed && fabs((double)extent(v, r) / (double)small - info[r].share) < 1e-3;
    }
    dist_ok(half, "of %.1f GB each part takes at most half of the memory", 4e-9 * (double)some);
    dist_ok(speed, "of %.1f GB in bytes each takes its share", 1e-9 * (double)small);
    gndm_part_free(u);
    gndm_part_free(v);
    dist_ok(ok, "beyond all buffers the cuts follow their sizes");
    dist_ok(fits, "%.1f GB in %d parts: each fits a buffer", 16e-9 * (double)some, size);
    gndm_part_free(p);
    gndm_part_free(q);
    free(info);
}

static void owners(void)
{
    const gnd_range idx[1] = {GND_SLICE(2, 10)};
    gndm_scope_begin(ctx);
    gndm_array *x = ramp(20), *y = gndm_keep(gndm_index(x, 1, idx)), *z = gndm_retain(ramp(7));
    gndm_scope_end(ctx);
    int64_t here = gndm_elements(y) ? gnd_size(gndm_local(y)) : -1, all = 0;
    MPI_Allreduce(&here, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    dist_ok(gndm_elements(y) == 8 && all == 8, "what is kept outlives its scope, in parts of %lld",
            (long long)all);
    dist_ok(gndm_elements(z) == 7, "and what has another owner");
    gndm_release(z);
    gndm_array *var = NULL;
    gndm_array *same = gndm_assign(&var, y);
    dist_ok(same == y && var == y, "assign gives its value");
    dist_ok(gndm_elements(gndm_assign(&var, ramp(3))) == 3, "and releases the old one");
    gndm_assign(&var, NULL);
}

/* Nothing is a handle of anything: each function notices. */
static void nothing(void)
{
    const gnd_range all[1] = {GND_FULL};
    const int64_t n = 4;
    gnd_status st;
    gnd_value out;
    dist_ok(gndm_status(NULL) == GND_ERR_NULL && gndm_ranks(NULL, NULL) == GND_ERR_NULL &&
                gndm_wait(NULL, 0, NULL) == GND_ERR_NULL && gndm_scope_end(NULL) == GND_ERR_NULL,
            "no context");
    gndm_part *p = gndm_part_even(NULL, 1, &n, NULL);
    dist_ok(gndm_part_status(p) == GND_ERR_NULL && gndm_part_status(NULL) == GND_ERR_NULL &&
                gndm_status_of(gndm_from(NULL, GND_INT8, 1, &n, "abcd", NULL)) == GND_ERR_NULL,
            "no partition without one");
    gndm_part_free(p);
    dist_ok(gndm_status_of(gndm_unary("exp", NULL)) == GND_ERR_NULL &&
                gndm_status_of(gndm_index(NULL, 1, all)) == GND_ERR_NULL &&
                gndm_status_of(gndm_at(NULL, ":")) == GND_ERR_NULL &&
                gndm_status_of(gndm_redistribute(NULL, NULL)) == GND_ERR_NULL,
            "no array");
    gndm_item_f64(NULL, &st);
    dist_ok(st == GND_ERR_NULL && gndm_read(NULL, NULL, 0) == GND_ERR_NULL &&
                gndm_save_npy(NULL, "x.npy") == GND_ERR_NULL && !gndm_local(NULL),
            "and no element of it");
    const gnd_value v = gndm_value(NULL);
    dist_ok(gndm_call(ctx, "exp", 1, &v, 0, NULL, &out) == GND_ERR_NULL &&
                gndm_call(ctx, NULL, 1, &v, 0, NULL, &out) == GND_ERR_NULL &&
                gndm_call(NULL, "exp", 1, &v, 0, NULL, &out) == GND_ERR_NULL,
            "no argument, no name, no context: %s", gndm_message(ctx));
}

/* Prints the default cuts of vectors of float32, for mpi_tools.sh. Ranks 1 and 2 have another
 * device, because those of one name have one latency; it is one device of two names. */
static int cuts(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0)
        setenv("GND_DEVICE", rank == 1 ? "null:0" : "null:2", 1);
    ctx = gndm_open(MPI_COMM_WORLD, NULL, 0);
    for (int i = 2; i < *argc; i++) {
        const int64_t n = atoll((*argv)[i]);
        gndm_part *p = gndm_part_default(ctx, GND_FLOAT32, 1, &n);
        for (int r = 0; gndm_rank(ctx) == 0 && r < gndm_size(ctx); r++)
            printf("%lld%s", (long long)extent(p, r), r + 1 < gndm_size(ctx) ? " " : "\n");
        gndm_part_free(p);
    }
    gndm_close(ctx);
    MPI_Finalize();
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "cuts"))
        return cuts(&argc, &argv);
    /* PoCL's device of rank 1 has 1 GB, where MPI tells the rank before it begins. */
    const char *me = getenv("OMPI_COMM_WORLD_RANK");
    me = me ? me : getenv("PMI_RANK");
    if (me && !strcmp(me, "1"))
        setenv("POCL_MEMORY_LIMIT", "1", 0);
    dist_begin(&argc, &argv, 0);
    gndm_scope_begin(ctx);
    ranks();
    parts();
    memory();
    owners();
    nothing();
    gndm_scope_end(ctx);
    return dist_end();
}
