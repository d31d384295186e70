/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd-mpi.c - gnd COMMAND --mpi: eval, explain, devices and bench on the ranks of mpirun. This is a
 * separate program, which gnd starts, so that gnd itself does not link MPI. Rank 0 prints what is
 * the same on all ranks.
 */
#include "gnd.h"

#include <gnd/mpi.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;
static gndm_ctx *ctx;

/* Rank 0 prints the message of the context. */
static int complain_mpi(const char *cmd, const char *where)
{
    if (rank > 0)
        return EXIT_FAILED;
    return where ? complain(cmd, "%s: %s", where, gndm_message(ctx))
                 : complain(cmd, "%s", gndm_message(ctx));
}

/* --- eval and explain ------------------------------------------------------------------------- */

static int ends_in(const char *s, const char *end)
{
    const size_t n = strlen(s), m = strlen(end);
    return n > m && !strcmp(s + n - m, end);
}

/* Refuses what --mpi does not support: files of other formats, and pipes. */
static int refused(const input *in)
{
    if (in->output && !ends_in(in->output, ".npy"))
        return rank ? EXIT_USAGE
                    : misuse(in->cmd, "-o %s: with --mpi a name that ends in .npy is needed",
                             in->output);
    for (int i = 0; i < in->n; i++) {
        const char *v = in->value[i];
        if (!strcmp(v, "-") || ends_in(v, ".png") || ends_in(v, ".npz") || strstr(v, ".npz:"))
            return rank ? EXIT_USAGE
                        : misuse(in->cmd, "%s=%s: with --mpi a .npy file or a number is needed",
                                 in->name[i], v);
    }
    return EXIT_DONE;
}

/* Parses the command line, which is the same on all ranks. Rank 0 reports errors. */
static int parse(input *in, int argc, char **argv, unsigned takes)
{
    fflush(stderr);
    const int err = rank ? dup(STDERR_FILENO) : -1;
    if (rank && !freopen("/dev/null", "w", stderr))
        return EXIT_FAILED;
    const int r = input_parse(in, argc, argv, takes);
    if (rank) {
        fflush(stderr);
        dup2(err, STDERR_FILENO);
        close(err);
    }
    return r ? r : refused(in);
}

static int open_ranks(const char *cmd, const char *device)
{
    if (device)
        setenv("GND_DEVICE", device, 1);
    ctx = gndm_open(MPI_COMM_WORLD, NULL, 0);
    return gndm_status(ctx) ? complain_mpi(cmd, NULL) : EXIT_DONE;
}

static int load(const input *in, gndm_array **x)
{
    for (int i = 0; i < in->n; i++) {
        const char *v = in->value[i];
        const int file = ends_in(v, ".npy") || !access(v, F_OK);
        x[i] = file ? gndm_load_npy(ctx, v, NULL) : gndm_eval(ctx, v, 0, NULL, NULL);
        if (gndm_status_of(x[i]))
            return complain_mpi(in->cmd, in->name[i]);
    }
    return EXIT_DONE;
}

/* Rank 0 prints the array as NumPy does. */
static int print(const input *in, gndm_array *y)
{
    enum { MOST = 1 << 20 };
    if (gndm_elements(y) > MOST)
        return rank ? EXIT_FAILED
                    : complain(in->cmd, "the result has %" PRId64 " elements: save it, -o FILE.npy",
                               gndm_elements(y));
    gndm_part *p = gndm_part_replicated(ctx, gndm_ndim(y), gndm_shape(y));
    gndm_array *whole = gndm_redistribute(y, p);
    gndm_part_free(p);
    int r = gndm_wait(ctx, 1, &whole) ? complain_mpi(in->cmd, NULL) : EXIT_DONE;
    if (!r && rank == 0) {
        gnd_status s = GND_OK;
        char *text = gnd_to_string(gndm_local(whole), &s);
        if (text)
            puts(text);
        r = text ? finish_output(in->cmd) : complain_last(in->cmd, s);
        free(text);
    }
    gndm_release(whole);
    return r;
}

static int eval(int argc, char **argv, int explain)
{
    input in = {.cmd = argv[0]};
    int r = parse(&in, argc, argv, explain ? 0 : INPUT_OUTPUT);
    gndm_array **x = r ? NULL : calloc((size_t)in.n + 1, sizeof *x);
    if (!r && !x)
        r = complain(in.cmd, "out of host memory");
    if (!r)
        r = open_ranks(in.cmd, in.device);
    if (!r)
        r = load(&in, x);
    if (!r && explain) {
        gnd_status s;
        char *text = gndm_explain(ctx, in.text, in.n, (const char *const *)in.name, x, &s);
        if (!text)
            r = complain_mpi(in.cmd, NULL);
        else if (rank == 0) {
            puts(text);
            r = finish_output(in.cmd);
        }
        free(text);
    } else if (!r) {
        gndm_array *y = gndm_eval(ctx, in.text, in.n, (const char *const *)in.name, x);
        if (gndm_status_of(y))
            r = complain_mpi(in.cmd, NULL);
        else if (in.output)
            r = gndm_save_npy(y, in.output) ? complain_mpi(in.cmd, in.output) : EXIT_DONE;
        else
            r = print(&in, y);
        gndm_stats s;
        gndm_get_stats(ctx, &s);
        if (in.stats)
            fprintf(stderr,
                    "gnd: stats: rank %d: %" PRIu64 " bytes sent in %" PRIu64 " messages, %" PRIu64
                    " exchanges\n",
                    rank, s.bytes, s.messages, s.exchanges);
    }
    free(x);
    input_free(&in);
    return r;
}

/* --- devices ---------------------------------------------------------------------------------- */

static gndm_rank_info *rank_list(const char *cmd)
{
    gndm_rank_info *info = calloc((size_t)gndm_size(ctx), sizeof *info);
    if (!info) {
        complain(cmd, "out of host memory");
        return NULL;
    }
    if (!gndm_ranks(ctx, info))
        return info;
    complain_mpi(cmd, NULL);
    free(info);
    return NULL;
}

static int devices(void)
{
    gndm_rank_info *info = rank_list("devices");
    if (!info)
        return EXIT_FAILED;
    for (int r = 0; rank == 0 && r < gndm_size(ctx); r++) {
        char mem[16];
        printf("rank %d: %s: %s: %s\n", r, info[r].host, info[r].device, info[r].name);
        printf("    speeds    elementwise %.3g GB/s, sums %.3g GB/s, products %.3g Gflop/s, "
               "link %.3g GB/s (%s)\n",
               info[r].bandwidth / 1e9, info[r].sums / 1e9, info[r].flops / 1e9, info[r].link / 1e9,
               info[r].transport);
        printf("    share     %.1f %% of large arrays; latency %.3g us; memory %s\n",
               100 * info[r].share, info[r].latency * 1e6,
               size_text((double)info[r].mem_bytes, mem, sizeof mem));
        if (info[r].turn > 0)
            printf("    turns     with others on %s, %.3g us each; rank %d alone is %.3g times as "
                   "fast\n",
                   info[r].bus, info[r].turn * 1e6, info[r].first, info[r].alone);
        if (info[r].no_nccl[0])
            printf("    no NCCL   %s\n", info[r].no_nccl);
        else if (info[r].no_peer[0])
            printf("    NCCL      for large messages, too: %s\n", info[r].no_peer);
        if (!strncmp(info[r].device, "cuda", 4) && info[r].no_cuda_mpi[0])
            printf("    MPI       not with device memory: %s\n", info[r].no_cuda_mpi);
    }
    free(info);
    return rank ? EXIT_DONE : finish_output("devices");
}

/* --- bench ------------------------------------------------------------------------------------ */

enum { COLUMNS = 1024 };

/* These functions run a row of the table once. x is (rows, COLUMNS) of float32. The caller waits
 * for the result. */
static gndm_array *elementwise(gndm_array *x)
{
    return gndm_with("add", gndm_with("multiply", x, 2), 1);
}

static gndm_array *reduction(gndm_array *x)
{
    return gndm_along("sum", x, GND_NONE);
}

static gnd_array *neighbours(gnd_array *b, void *data)
{
    (void)data;
    return gnd_add(gnd_at(b, ":-2"), gnd_at(b, "2:"));
}

/* Steps, as programs make them: the borders of a step are under way while the rest of the step
 * before is computed. */
enum { STEPS = 4 };

static gndm_array *stencil(gndm_array *x)
{
    const int64_t one[2] = {1, 0};
    for (int i = 0; i < STEPS; i++)
        x = gndm_stencil(x, one, one, "wrap", neighbours, NULL);
    return x;
}

static gndm_array *product(gndm_array *x)
{
    return gndm_binary("matmul", x, gndm_at(x, "0:1024"));
}

static gndm_array *redistribution(gndm_array *x)
{
    const int grid[2] = {1, gndm_size(ctx)};
    gndm_part *p = gndm_part_even(ctx, 2, gndm_shape(x), grid);
    gndm_array *y = gndm_redistribute(x, p);
    gndm_part_free(p);
    return y;
}

static const struct {
    const char *name;
    gndm_array *(*run)(gndm_array *x);
    double touched; /* bytes that devices read from memory and write to it, or for LINK bytes that
                       are moved, per byte of x; what is read again soon comes from a cache */
    enum { ELEMENTWISE, SUMS, PRODUCT, LINK } speed; /* which of the measured speeds limits it */
} rows[] = {{"elementwise x*2 + 1", elementwise, 2, ELEMENTWISE},
            {"reduction x.sum()", reduction, 1, SUMS},
            {"4 steps of a stencil of 2 rows", stencil, 2 * STEPS, ELEMENTWISE},
            {"product x @ (1024, 1024)", product, 0, PRODUCT},
            {"rows to columns", redistribution, 1, LINK}};

/* The shortest time of several runs, in seconds; negative if a run failed. */
static double measured(gndm_array *(*run)(gndm_array *), gndm_array *x)
{
    double best = -1;
    for (int i = 0; i < 6; i++) {
        gndm_scope_begin(ctx);
        MPI_Barrier(MPI_COMM_WORLD);
        const double t = MPI_Wtime();
        gndm_array *y = run(x);
        const gnd_status st = gndm_wait(ctx, 1, &y);
        double took = MPI_Wtime() - t, all = 0;
        gndm_scope_end(ctx);
        if (st)
            return -1;
        MPI_Allreduce(&took, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (i && (best < 0 || all < best)) /* the first run compiles */
            best = all;
    }
    return best;
}

/* How many rows a rank adds to the operands (*few: those of products and moves): so many that a GPU
 * works for milliseconds, and that the caches of a CPU's node do not hold what its ranks read,
 * because the measured speeds are those of memory. */
static void operands(const gndm_rank_info *info, int64_t *most, int64_t *few)
{
    enum { ROW = 4 * COLUMNS };
    gnd_device_info d;
    int64_t cache = 0, near = 0;
    const int gpu = !gnd_device_describe(gndm_device(ctx), &d) && !strcmp(d.kind, "gpu");
#ifdef _SC_LEVEL3_CACHE_SIZE
    cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    for (int r = 0; r < gndm_size(ctx); r++)
        near += !strcmp(info[r].host, info[rank].host);
    *most = (gpu ? 512 << 20 : 64 << 20) / ROW;
    if (!gpu && 2 * cache / near / ROW > *most)
        *most = 2 * cache / near / ROW;
    *few = gpu ? *most : 4096;
}

/* Float32 (*all, COLUMNS), computed. *all: the rows of all ranks. */
static gndm_array *of_rows(int64_t rows_of_rank, int64_t *all)
{
    char text[128];
    MPI_Allreduce(&rows_of_rank, all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    snprintf(text, sizeof text,
             "zeros((%" PRId64 ", %d), dtype=float32) + arange(%d, dtype=float32) / %d", *all,
             COLUMNS, COLUMNS, COLUMNS);
    gndm_array *x = gndm_eval(ctx, text, 0, NULL, NULL);
    gndm_wait(ctx, 1, &x);
    return x;
}

static int bench(void)
{
    const int p = gndm_size(ctx);
    gndm_rank_info *info = rank_list("bench");
    double speeds[4] = {0};
    int64_t most, few;
    if (!info)
        return EXIT_FAILED;
    for (int r = 0; r < p; r++) {
        speeds[ELEMENTWISE] += info[r].bandwidth;
        speeds[SUMS] += info[r].sums;
        speeds[PRODUCT] += info[r].flops;
        speeds[LINK] += info[r].link;
    }
    operands(info, &most, &few);
    free(info);
    gndm_array *x = of_rows(most, &most), *small = of_rows(few, &few);
    if (gndm_wait(ctx, 1, &x) || gndm_wait(ctx, 1, &small))
        return complain_mpi("bench", NULL);
    if (rank == 0)
        printf("%d ranks, float32(%" PRId64 ", %d), the last two (%" PRId64
               ", %d); efficiency: of the summed measured speeds\n",
               p, most, COLUMNS, few, COLUMNS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].speed == LINK && p == 1)
            continue; /* one rank moves nothing */
        const int product = rows[i].speed == PRODUCT;
        gndm_array *on = product || rows[i].speed == LINK ? small : x;
        const double s = measured(rows[i].run, on), bytes = 4.0 * (double)gndm_elements(on);
        if (s < 0)
            return complain_mpi("bench", rows[i].name);
        double work = product ? 2.0 * COLUMNS * bytes / 4 : rows[i].touched * bytes;
        if (rows[i].speed == LINK) /* each rank keeps one part of its rows */
            work *= (p - 1.0) / p;
        if (rank == 0)
            printf("%-30s %9.3f ms  %8.2f %s per rank  efficiency %.2f\n", rows[i].name, s * 1e3,
                   work / s / 1e9 / p, product ? "Gflop/s" : "GB/s   ",
                   work / s / speeds[rows[i].speed]);
    }
    gndm_release(small);
    gndm_release(x);
    return rank ? EXIT_DONE : finish_output("bench");
}

/* --- the program ------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    int r;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *cmd = argc > 1 ? argv[1] : "";
    if (!strcmp(cmd, "eval") || !strcmp(cmd, "explain")) {
        r = eval(argc - 1, argv + 1, !strcmp(cmd, "explain"));
    } else if (argc != 2 || (strcmp(cmd, "devices") != 0 && strcmp(cmd, "bench") != 0)) {
        r = rank ? EXIT_USAGE
                 : misuse(argc > 1 ? cmd : NULL,
                          "--mpi goes with eval, explain, devices and bench; the last two take "
                          "nothing else");
    } else {
        r = open_ranks(cmd, NULL);
        if (!r)
            r = !strcmp(cmd, "devices") ? devices() : bench();
    }
    gndm_close(ctx);
    MPI_Finalize();
    return r;
}
