/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_scaling [-s SHIFT] [-r RUNS] [-w 1] [ROW...] - times of distributed work at fixed sizes, to
 * compare numbers of ranks: mpirun -n 1 mpi_scaling, mpirun -n 2 mpi_scaling. Efficiency is the
 * time on one rank over (ranks times the time on several). Each line has the least and the median
 * of RUNS (7) times in ms, each the longest of any rank, the bytes or operations per second of all
 * ranks together, and the bytes that rank 0 sent. -s SHIFT divides the number of elements by
 * 2^SHIFT. -w 1 cuts by measured speed, not evenly; the summed speeds are what such cuts could
 * reach. `nccl` calls ncclAllReduce itself, on as many bytes as `allreduce`.
 */
#include <dlfcn.h>
#include <gnd.h>
#include <gnd/mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gndm_ctx *ctx;
static int rank, size, shift, runs = 7;
static gndm_array *x, *y; /* operands of the row */

static gndm_array *eval(const char *text)
{
    return gndm_eval(ctx, text, 0, NULL, NULL);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The side of a square of 2^exponent elements. */
static int64_t side(int exponent)
{
    return INT64_C(1) << (exponent - shift) / 2;
}

static int64_t length(int exponent)
{
    return INT64_C(1) << (exponent - shift);
}

static void ramp(int exponent)
{
    char text[64];
    snprintf(text, sizeof text, "arange(%lld, dtype=float32)", (long long)length(exponent));
    x = eval(text);
}

static void ramp_33(void)
{
    ramp(33);
}

static void ramp_34(void)
{
    ramp(34);
}

static gndm_array *elementwise(void)
{
    return gndm_with("add", gndm_with("multiply", x, 0.5), 1);
}

static gndm_array *reduction(void)
{
    return gndm_along("sum", x, GND_NONE);
}

static void plate(void)
{
    char text[96];
    snprintf(text, sizeof text, "random.random((%lld, %lld), dtype=float32)", (long long)side(28),
             (long long)side(28));
    x = eval(text);
}

static gnd_array *diffuse(gnd_array *b, void *data)
{
    (void)data;
    gnd_array *sum = gnd_add(gnd_add(gnd_at(b, "2:, 1:-1"), gnd_at(b, ":-2, 1:-1")),
                             gnd_add(gnd_at(b, "1:-1, 2:"), gnd_at(b, "1:-1, :-2")));
    return gnd_add(gnd_mul_f(gnd_at(b, "1:-1, 1:-1"), 0.2), gnd_mul_f(sum, 0.2));
}

enum { STEPS = 50 };

/* Steps that overlap the exchange with the inner elements. */
static gndm_array *heat(void)
{
    static const int64_t one[2] = {1, 1};
    gndm_array *u = gndm_retain(x);
    for (int i = 0; i < STEPS; i++) {
        gnd_scope_begin();
        gndm_assign(&u, gndm_stencil(u, one, one, "constant", diffuse, NULL));
        gnd_scope_end();
    }
    return u;
}

/* Steps that compute after the exchange. */
static gndm_array *heat_halo(void)
{
    static const int64_t one[2] = {1, 1};
    gndm_array *u = gndm_retain(x);
    gndm_part *p = gndm_part_of(u);
    for (int i = 0; i < STEPS; i++) {
        gnd_scope_begin();
        gnd_array *b = gndm_halo(u, one, one, 1, NULL), *next = diffuse(b, NULL);
        gnd_eval_all(1, &next);
        gndm_assign(&u, gndm_wrap(ctx, next, p));
        gnd_release(b);
        gnd_scope_end();
    }
    gndm_part_free(p);
    return u;
}

static void matrices(void)
{
    char text[96];
    snprintf(text, sizeof text, "random.random((%lld, %lld), dtype=float32)", (long long)side(30),
             (long long)side(30));
    x = eval(text);
    y = eval(text);
}

static gndm_array *product(void)
{
    return gndm_binary("matmul", x, y);
}

static void signal_1d(void)
{
    char text[96];
    snprintf(text, sizeof text, "random.random(%lld, dtype=float32).astype(complex64)",
             (long long)length(28));
    x = eval(text);
}

static void signal_2d(void)
{
    char text[96];
    snprintf(text, sizeof text, "random.random((%lld, %lld), dtype=float32).astype(complex64)",
             (long long)side(28), (long long)side(28));
    x = eval(text);
}

static gndm_array *fft(void)
{
    return gndm_unary("fft", x);
}

static gndm_array *fft2(void)
{
    return gndm_unary("fft2", x);
}

/* A vector on each rank, as rows of an array that is cut by rows. */
static void vectors(void)
{
    const int64_t n = length(28), shape[2] = {size, n}, one[2] = {1, n};
    const int grid[2] = {size, 1};
    gndm_part *p = gndm_part_even(ctx, 2, shape, grid);
    gnd_array *v = gnd_reshape(gnd_arange_i64(gndm_device(ctx), 0, n, 1, GND_FLOAT32), 2, one);
    x = gndm_wrap(ctx, v, p);
    gndm_part_free(p);
}

static gndm_array *all_reduce(void)
{
    static const char *const names[] = {"axis"};
    const int64_t n = length(28);
    gndm_part *whole = gndm_part_even(ctx, 1, &n, (const int[]){1});
    const gnd_value v[2] = {gndm_value(x), gnd_value_int(0)};
    gndm_array *z = gndm_apply(ctx, whole, "sum", 2, v, 1, names);
    gndm_part_free(whole);
    return z;
}

static gndm_array *redistribution(void)
{
    const int grid[2] = {1, size};
    gndm_part *p = gndm_part_even(ctx, 2, gndm_shape(x), grid);
    gndm_array *z = gndm_redistribute(x, p);
    gndm_part_free(p);
    return z;
}

/* work: bytes (or operations) of one run for each element. times: runs in one measurement. */
static const struct {
    const char *name;
    void (*prepare)(void);
    gndm_array *(*run)(void);
    int times;
    int exponent;
    double work; /* per element; matmul: 2 n^3 */
    const char *unit;
} rows[] = {
    {"elementwise", ramp_33, elementwise, 4, 33, 8, "GB/s"},
    {"reduction", ramp_34, reduction, 4, 34, 4, "GB/s"},
    {"heat", plate, heat, 1, 28, 8 * STEPS, "GB/s"},
    {"heat_halo", plate, heat_halo, 1, 28, 8 * STEPS, "GB/s"},
    {"matmul", matrices, product, 1, 30, 0, "Gflop/s"},
    {"fft", signal_1d, fft, 1, 28, 5. * 28, "Gflop/s"},
    {"fft2", signal_2d, fft2, 1, 28, 5. * 28, "Gflop/s"},
    {"allreduce", vectors, all_reduce, 1, 28, 4, "GB/s"},
    {"transpose", plate, redistribution, 1, 28, 4, "GB/s"},
};

/* --- timing ----------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

static int report(const char *name, double *t, double work, const char *unit, uint64_t bytes)
{
    qsort(t, (size_t)runs, sizeof *t, by_value);
    if (rank == 0)
        printf("%-12s %d ranks  least %10.3f ms  median %10.3f ms  %10.1f %-8s sent %.0f MB\n",
               name, size, t[0] * 1e3, t[runs / 2] * 1e3, work / t[0] / 1e9, unit,
               (double)bytes / 1e6);
    fflush(stdout);
    return 0;
}

static int complain(const char *name)
{
    if (rank == 0)
        printf("%-12s failed: %s\n", name, gndm_message(ctx));
    return 1;
}

static int row(size_t i)
{
    double t[64];
    gndm_stats before, after;
    gndm_scope_begin(ctx);
    gnd_scope_begin();
    rows[i].prepare();
    int bad = gndm_wait(ctx, 1, &x) || (y && gndm_wait(ctx, 1, &y));
    gndm_get_stats(ctx, &before);
    for (int k = -1; k < runs && !bad; k++) {
        gndm_scope_begin(ctx);
        gnd_scope_begin();
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (int j = 0; j < rows[i].times && !bad; j++) {
            gndm_scope_begin(ctx);
            gndm_array *z = rows[i].run();
            gnd_array *local = gndm_local(z);
            bad = gndm_status_of(z) != GND_OK;
            /* a sum of several ranks is a number when its call returns */
            if (!bad && j + 1 < rows[i].times && (rows[i].run != reduction || size == 1))
                gnd_eval_all(1, &local); /* a failure of one rank is found by the wait */
            if (!bad && j + 1 == rows[i].times)
                bad = gndm_wait(ctx, 1, &z) != GND_OK;
            gndm_scope_end(ctx);
        }
        double took = (MPI_Wtime() - start) / rows[i].times;
        gnd_scope_end();
        gndm_scope_end(ctx);
        MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (k >= 0) /* the first run compiles */
            t[k] = took;
    }
    gndm_get_stats(ctx, &after);
    gnd_scope_end();
    gndm_scope_end(ctx);
    x = y = NULL;
    const double n = pow(2, rows[i].exponent - shift),
                 work = rows[i].work > 0 ? rows[i].work * n : 2 * n * (double)side(30);
    return bad ? complain(rows[i].name)
               : report(rows[i].name, t, work, rows[i].unit,
                        (after.bytes - before.bytes) / (uint64_t)(runs + 1) /
                            (uint64_t)rows[i].times);
}

/* --- NCCL alone ------------------------------------------------------------------------------- */

typedef struct id {
    char bytes[128];
} id;

static int nccl(void)
{
    enum { FLOAT = 7, SUM = 0 };
    int (*unique)(id *), (*init)(void **, int, id, int), (*destroy)(void *), (*push)(void *);
    int (*reduce)(const void *, void *, size_t, int, int, void *, void *), (*sync)(void *);
    void *lib = dlopen("libnccl.so.2", RTLD_NOW), *cuda = dlopen("libcuda.so.1", RTLD_NOW), *comm;
    gnd_native_device native;
    gnd_native_array from, to;
    const int64_t n = length(28);
    double t[64];
    id key;
    if (!lib || !cuda || size == 1)
        return 0;
    *(void **)&unique = dlsym(lib, "ncclGetUniqueId");
    *(void **)&init = dlsym(lib, "ncclCommInitRank");
    *(void **)&destroy = dlsym(lib, "ncclCommDestroy");
    *(void **)&reduce = dlsym(lib, "ncclAllReduce");
    *(void **)&push = dlsym(cuda, "cuCtxPushCurrent_v2");
    *(void **)&sync = dlsym(cuda, "cuStreamSynchronize");
    gnd_scope_begin();
    gnd_native_new(gndm_device(ctx), GND_FLOAT32, 1, &n, &from);
    gnd_native_new(gndm_device(ctx), GND_FLOAT32, 1, &n, &to);
    int bad = gnd_device_native(gndm_device(ctx), &native) || push(native.context) ||
              (rank == 0 && unique(&key));
    MPI_Bcast(&key, (int)sizeof key, MPI_BYTE, 0, MPI_COMM_WORLD);
    bad = bad || init(&comm, size, key, rank);
    for (int k = -2; k < runs && !bad; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        bad = reduce((void *)(uintptr_t)from.address, (void *)(uintptr_t)to.address, (size_t)n,
                     FLOAT, SUM, comm, native.queue) ||
              sync(native.queue);
        double took = MPI_Wtime() - start;
        MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (k >= 0)
            t[k] = took;
    }
    gnd_scope_end();
    if (bad)
        printf("nccl         failed on rank %d\n", rank);
    else
        destroy(comm);
    return bad ? 1 : report("nccl", t, 4 * (double)n, "GB/s", (uint64_t)n * 4);
}

/* --- the program ------------------------------------------------------------------------------ */

static int wanted(const char *name, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return 1;
    return n == 0;
}

/* Tells what the ranks are. */
static int ranks(void)
{
    gndm_rank_info *info = calloc((size_t)size, sizeof *info);
    double bandwidth = 0, sums = 0, flops = 0;
    if (!info || gndm_ranks(ctx, info))
        return complain("gndm_ranks");
    for (int r = 0; r < size; r++) {
        bandwidth += info[r].bandwidth;
        sums += info[r].sums;
        flops += info[r].flops;
        if (rank == 0)
            printf("# %s: %s; share %.4f; link %.1f GB/s (%s)%s%s\n", info[r].device, info[r].name,
                   info[r].share, info[r].link / 1e9, info[r].transport,
                   info[r].no_nccl[0] ? "; no NCCL: " : "", info[r].no_nccl);
    }
    if (rank == 0)
        printf("# summed speeds: elementwise %.1f GB/s, sums %.1f GB/s, products %.1f Gflop/s\n",
               bandwidth / 1e9, sums / 1e9, flops / 1e9);
    free(info);
    return 0;
}

int main(int argc, char **argv)
{
    int bad = 0, first = 1;
    unsigned flags = GNDM_EVEN;
    MPI_Init(&argc, &argv);
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        if (argv[first][1] == 's')
            shift = atoi(argv[first + 1]);
        if (argv[first][1] == 'r')
            runs = atoi(argv[first + 1]);
        if (argv[first][1] == 'w' && atoi(argv[first + 1]))
            flags = 0;
    }
    runs = runs < 1 ? 1 : runs > 64 ? 64 : runs;
    ctx = gndm_open(MPI_COMM_WORLD, NULL, flags);
    rank = gndm_rank(ctx);
    size = gndm_size(ctx);
    if (gndm_status(ctx))
        bad = complain("gndm_open");
    if (!bad)
        bad = ranks();
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !gndm_status(ctx); i++)
        if (wanted(rows[i].name, argc - first, argv + first))
            bad |= row(i);
    if (!gndm_status(ctx) && wanted("nccl", argc - first, argv + first))
        bad |= nccl();
    gndm_close(ctx);
    MPI_Finalize();
    return bad;
}
