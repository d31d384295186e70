/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_nccl.c - NCCL below the exchanges, for mpi_nccl.sh: mpi_nccl: everything that can go through
 * it, against gnd alone; mpi_nccl trees: all-reduces of several groups; mpi_nccl moves: large
 * messages; mpi_nccl tell: what gndm_open decided; mpi_nccl fails TEXT: one rank's failure, whose
 * message has TEXT, is the same error on all ranks, and then it goes on by MPI; mpi_nccl breaks
 * TEXT: it ends the context, on all ranks, at once.
 */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what was decided ------------------------------------------------------------------------- */

static int tell(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ctx = gndm_open(MPI_COMM_WORLD, NULL, GNDM_EVEN);
    gndm_rank_info *info = calloc((size_t)size, sizeof *info);
    if (gndm_status(ctx))
        printf("rank %d: %s\n", rank, gndm_message(ctx));
    else if (!gndm_ranks(ctx, info) && rank == 0)
        for (int r = 0; r < size; r++)
            printf("rank %d: %s: %s; MPI: %s; copies: %s;\n", r, info[r].transport, info[r].no_nccl,
                   info[r].no_cuda_mpi, info[r].no_peer);
    free(info);
    gndm_close(ctx);
    MPI_Finalize();
    return 0;
}

/* --- everything ------------------------------------------------------------------------------- */

static void moves(gnd_dtype t, int64_t rows, int64_t columns)
{
    const int64_t shape[2] = {rows, columns};
    gnd_array *x = dist_sample(t, 2, shape, 7);
    for (int way = 0; way < WAYS; way++) {
        gndm_array *a = dist_array(x, way);
        gndm_part *p = dist_part((way + 1) % WAYS, 2, shape);
        dist_same(gndm_redistribute(a, p), x, 0, "%s (%d, %d) from way %d to way %d",
                  gnd_dtype_name(t), (int)rows, (int)columns, way, (way + 1) % WAYS);
        gndm_part_free(p);
        gndm_release(a);
    }
}

/* Parts that are views with strides, in memory and among their columns. */
static void strided(void)
{
    const int64_t n = 5 * size, wide[1] = {2 * n};
    gnd_array *x = gnd_arange_i64(dev, 0, 2 * n, 1, GND_INT32);
    gndm_part *p = gndm_part_even(ctx, 1, &n, NULL);
    gndm_part *whole = gndm_part_replicated(ctx, 1, &n);
    gnd_array *mine = gnd_index(x, GND_IDX(GND_SLICE(10 * rank, 10 * rank + 10)));
    gnd_wait(mine);
    gndm_array *a = gndm_wrap(ctx, gnd_at(mine, "::2"), p);
    dist_same(gndm_redistribute(a, whole), gnd_at(x, "::2"), 0, "parts with a stride of %d",
              (int)wide[0] / (int)n);
    gndm_release(a);
    gndm_part_free(p);
    gndm_part_free(whole);
}

static gnd_array *cross(gnd_array *b, void *data)
{
    (void)data;
    gnd_array *y = gnd_add(gnd_at(b, "2:, 1:-1"), gnd_at(b, ":-2, 1:-1"));
    return gnd_sub(y, gnd_mul_i(gnd_add(gnd_at(b, "1:-1, 2:"), gnd_at(b, "1:-1, :-2")), 3));
}

/* Several steps: each exchange sends rims that are computed before the part. */
static void steps(const char *mode, int way)
{
    const int64_t shape[2] = {60, 300}, one[2] = {1, 1}, width[4] = {1, 1, 1, 1};
    gnd_array *x = dist_sample(GND_INT32, 2, shape, 3);
    gndm_array *a = dist_array(x, way);
    for (int i = 0; i < 4; i++) {
        gndm_assign(&a, gndm_stencil(a, one, one, mode, cross, NULL));
        x = cross(gnd_pad(x, width, mode, NULL), NULL);
    }
    dist_same(a, x, 0, "4 steps of a stencil, %s, way %d", mode, way);
}

static void reductions(gnd_dtype t, int way, int n, const char *const *names)
{
    const int64_t shape[2] = {12, 50};
    gnd_array *x = dist_sample(t, 2, shape, 11);
    if (gnd_dtype_kind(t) == 'f')
        x = gnd_where(gnd_equal(gnd_arange_i64(dev, 0, 50, 1, GND_INT64), gnd_int(20)),
                      gnd_astype(gnd_real(NAN), t), x);
    gndm_array *a = dist_array(x, way);
    for (int i = 0; i < n; i++) {
        static const char *const keyword[] = {"axis"};
        const gnd_value v[2] = {gnd_value_array(x), gnd_value_int(0)};
        gnd_value ref;
        if (!dist_ok(gnd_call(dev, names[i], 2, v, 1, keyword, &ref) == GND_OK, "%s", names[i]))
            continue;
        dist_same(gndm_along(names[i], a, 0), ref.as.array, 1e-5, "%s of %s, way %d", names[i],
                  gnd_dtype_name(t), way);
    }
    gndm_release(a);
}

/* A result of more than 2^20 elements that every rank gets. */
static void all_reduce(void)
{
    static const char *const names[] = {"axis"};
    const int64_t n = (1 << 20) + 3, shape[2] = {size, n};
    gnd_array *x = gnd_astype(
        gnd_add(gnd_arange_i64(dev, 0, n, 1, GND_INT64),
                gnd_expand_dims(gnd_arange_i64(dev, 0, size, 1, GND_INT64), GND_AXIS(1))),
        GND_FLOAT32);
    gndm_part *p = gndm_part_even(ctx, 2, shape, (const int[]){size, 1});
    gndm_part *whole = gndm_part_replicated(ctx, 1, &n);
    gndm_array *a = gndm_wrap(ctx, gnd_index(x, GND_IDX(GND_SLICE(rank, rank + 1))), p);
    const gnd_value v[2] = {gndm_value(a), gnd_value_int(0)};
    dist_same(gndm_apply(ctx, whole, "sum", 2, v, 1, names), gnd_sum(x, GND_AXIS(0), 0), 1e-6,
              "a sum of %d elements on every rank", (int)n);
    dist_same(gndm_along("sum", a, 0), gnd_sum(x, GND_AXIS(0), 0), 1e-6, "the same, in shares");
    const gnd_value as[2] = {gndm_value(a), gnd_value_dtype(GND_BOOL)};
    static const char *const keyword[] = {"dtype"};
    gndm_array *sum = gndm_apply(ctx, NULL, "sum", 2, as, 1, keyword);
    unsigned char bytes = 0;
    dist_ok(gndm_read(sum, &bytes, 1) == GND_OK && bytes == 1, "a sum as bool is 1: %d", bytes);
    gndm_release(sum);
    gndm_release(a);
    gndm_part_free(p);
    gndm_part_free(whole);
}

/* Transforms whose exchange goes in stages (GND_MPI_STAGE), of slabs and pencils. */
static void transforms(void)
{
    static const char *const names[] = {"fft2", "ifftn", "rfftn"};
    const int64_t shape[3] = {12, 20, 18};
    for (int i = 0; i < 3; i++)
        for (int way = 0; way < WAYS; way++) {
            gnd_array *x = dist_sample(i == 2 ? GND_FLOAT32 : GND_COMPLEX64, 3, shape, 13 + i);
            gndm_array *a = dist_array(x, way);
            const gnd_value v = gnd_value_array(x);
            gnd_value ref;
            if (dist_ok(gnd_call(dev, names[i], 1, &v, 0, NULL, &ref) == GND_OK, "%s", names[i]))
                dist_same(gndm_unary(names[i], a), ref.as.array, 1e-5, "%s, way %d", names[i], way);
            gndm_release(a);
        }
}

/* Of vectors: columns, rows and the vector again go in stages, in chunks of unlike sizes. */
static void vectors(void)
{
    static const struct {
        const char *name;
        gnd_dtype t;
        int64_t n;
    } rows[] = {{"fft", GND_COMPLEX64, 17150}, {"rfft", GND_FLOAT32, 17150}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int way = 0; way < 2; way++) {
            gnd_array *x = dist_sample(rows[i].t, 1, &rows[i].n, 19);
            gndm_array *a = dist_array(x, way);
            const gnd_value v = gnd_value_array(x);
            gnd_value ref;
            if (dist_ok(gnd_call(dev, rows[i].name, 1, &v, 0, NULL, &ref) == GND_OK, "%s",
                        rows[i].name))
                dist_same(gndm_unary(rows[i].name, a), ref.as.array, 1e-5,
                          "%s of %d elements, way %d", rows[i].name, (int)rows[i].n, way);
            gndm_release(a);
        }
}

/* Messages of several chunks, of unlike sizes, from some ranks to some, also in stages. */
static void large(void)
{
    moves(GND_FLOAT32, 130, 210);
    moves(GND_COMPLEX128, 7, 33);
    strided();
    transforms();
    vectors();
}

static void everything(void)
{
    moves(GND_FLOAT32, 13, 21);
    moves(GND_INT8, 1, 40);
    strided();
    steps("wrap", 0);
    steps("constant", 2);
    reductions(GND_FLOAT32, 0, 4, (const char *const[]){"sum", "prod", "mean", "max"});
    reductions(GND_INT64, 0, 2, (const char *const[]){"min", "count_nonzero"});
    reductions(GND_INT64, 2, 1, (const char *const[]){"sum"}); /* the result is cut */
    reductions(GND_BOOL, 1, 2, (const char *const[]){"any", "all"});
    reductions(GND_COMPLEX64, 0, 1, (const char *const[]){"sum"});
    all_reduce();
    transforms();
    const int64_t n = 1000;
    gnd_array *x = dist_sample(GND_INT32, 1, &n, 5);
    gndm_array *a = dist_array(x, 1);
    dist_same(gndm_unary("sort", a), gnd_sort(x, 0, 0), 0, "a sort: rows whose numbers differ");
    gndm_release(a);
}

/* All-reduces of `odd` elements more than hier.c asks for, of each operation. */
static void tree(int64_t odd, gnd_dtype t, const char *name)
{
    static const char *const names[] = {"axis"};
    const int64_t n = (1 << 16) + odd, shape[2] = {size, n};
    gnd_array *x = dist_sample(t, 2, shape, 23);
    gndm_part *p = gndm_part_even(ctx, 2, shape, (const int[]){size, 1});
    gndm_part *whole = gndm_part_replicated(ctx, 1, &n);
    gndm_array *a = gndm_wrap(ctx, gnd_index(x, GND_IDX(GND_SLICE(rank, rank + 1))), p);
    const gnd_value v[2] = {gndm_value(a), gnd_value_int(0)},
                    w[2] = {gnd_value_array(x), gnd_value_int(0)};
    gnd_value ref;
    if (dist_ok(gnd_call(dev, name, 2, w, 1, names, &ref) == GND_OK, "%s", name))
        dist_same(gndm_apply(ctx, whole, name, 2, v, 1, names), ref.as.array, 1e-6,
                  "%s of %d rows of %d %s", name, size, (int)n, gnd_dtype_name(t));
    gndm_release(a);
    gndm_part_free(p);
    gndm_part_free(whole);
}

static void trees(void)
{
    tree(0, GND_FLOAT32, "sum");
    tree(1, GND_COMPLEX64, "sum");
    tree(7, GND_INT32, "max");
    tree(5, GND_INT64, "min");
    tree(3, GND_FLOAT64, "mean");
    tree(2, GND_BOOL, "any");
    tree(1, GND_BOOL, "all");
    tree(4, GND_FLOAT32, "prod");
    tree(6, GND_INT8, "count_nonzero");
}

/* --- failures --------------------------------------------------------------------------------- */

/* The text of this rank's error is the same on all ranks. */
static int everywhere(const char *text)
{
    char first[256] = "", mine[256];
    snprintf(mine, sizeof mine, "%s", text);
    memcpy(first, mine, sizeof first);
    MPI_Bcast(first, (int)sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    return !strcmp(first, mine);
}

/* wide: of reductions between several groups, too. */
static void failure(const char *text, int breaks, int wide)
{
    const int64_t n = 300;
    gnd_array *x = dist_sample(GND_INT32, 1, &n, 5);
    gndm_array *a = dist_array(x, 0);
    gndm_part *whole = gndm_part_replicated(ctx, 1, &n);
    const int64_t shape[2] = {size, 1 << 16};
    gnd_array *rows = wide ? gnd_ones(dev, GND_FLOAT32, 2, shape) : NULL;
    gndm_array *b = wide ? dist_array(rows, 0) : NULL;
    char message[256] = "";
    int failed = 0;
    for (int i = 0; i < 6 && !failed; i++) {
        gndm_array *y = i % 2 == 0 ? gndm_redistribute(a, whole)
                        : wide     ? gndm_along("sum", b, 0)
                                   : gndm_along("sum", a, GND_NONE);
        failed = gndm_wait(ctx, 1, &y) != GND_OK;
        gndm_release(y);
    }
    snprintf(message, sizeof message, "%s", gndm_message(ctx));
    dist_ok(failed && strstr(message, text) && strstr(message, "[rank 1]") && everywhere(message),
            "one rank's failure is everybody's: %s", message);
    dist_ok((gndm_status(ctx) != GND_OK) == breaks, "the context %s",
            breaks ? "is over" : "can still be used");
    gndm_rank_info info[8];
    if (!breaks && !gndm_ranks(ctx, info))
        dist_ok(!strcmp(info[1].transport, "staged") && strstr(info[0].no_nccl, text),
                "by MPI from then on, because: %s", info[0].no_nccl);
    if (!breaks)
        dist_same(gndm_redistribute(a, whole), x, 0, "and it moves what it should");
    gndm_release(a);
    gndm_release(b);
    gndm_part_free(whole);
}

/* A rank without memory for the messages of MPI. */
static void no_ring(void)
{
    const int64_t shape[2] = {60, 64};
    gndm_array *a = dist_array(dist_sample(GND_INT32, 2, shape, 5), 0);
    gndm_part *columns = dist_part(2, 2, shape);
    gndm_array *y = gndm_redistribute(a, columns);
    const int failed = gndm_wait(ctx, 1, &y) != GND_OK;
    dist_ok(failed && strstr(gndm_message(ctx), "no memory for messages [rank 1]") &&
                everywhere(gndm_message(ctx)) && gndm_status(ctx) != GND_OK,
            "one rank's lack is everybody's: %s", gndm_message(ctx));
    gndm_part_free(columns);
    gndm_release(a);
}

/* A copy to staging memory that fails on rank 1: which also receives, or only sends. */
static void copy_failure(int alone)
{
    const int64_t shape[2] = {60, 64};
    int64_t cut[2][16] = {{0}};
    const int64_t *cuts[2][2] = {{cut[0], NULL}, {cut[1], NULL}};
    const int grid[2] = {size, 1};
    for (int r = 0; r <= size; r++) { /* the last rank has all; the first one gets it */
        cut[0][r] = r == size ? 60 : 0;
        cut[1][r] = r > 0 ? 60 : 0;
    }
    gnd_array *x = dist_sample(GND_INT32, 2, shape, 5);
    gndm_part *from = alone ? gndm_part_cuts(ctx, 2, shape, grid, cuts[0]) : dist_part(0, 2, shape);
    gndm_part *to = alone ? gndm_part_cuts(ctx, 2, shape, grid, cuts[1]) : dist_part(2, 2, shape);
    gndm_array *a = gndm_redistribute(dist_array(x, 0), from), *y = gndm_redistribute(a, to);
    const int failed = gndm_wait(ctx, 1, &y) != GND_OK;
    dist_ok(failed && strstr(gndm_message(ctx), "a copy that failed") &&
                strstr(gndm_message(ctx), "[rank 1]") && everywhere(gndm_message(ctx)),
            "one rank's failure is everybody's: %s", gndm_message(ctx));
    dist_ok((gndm_status(ctx) != GND_OK) == alone, "the context %s",
            alone ? "is over" : "can still be used");
    if (!alone)
        dist_same(gndm_redistribute(a, to), x, 0, "and it moves what it should");
    gndm_part_free(from);
    gndm_part_free(to);
}

/* A failure of one stage of an exchange, of a matrix or a vector. */
static void stage_failure(const char *text, int vector)
{
    const int64_t shape[2] = {60, 64}, n = 17150;
    const char *name = vector ? "fft" : "fft2";
    gnd_array *x = dist_sample(GND_COMPLEX64, vector ? 1 : 2, vector ? &n : shape, 5);
    gndm_array *a = dist_array(x, 0), *y = gndm_unary(name, a);
    const int failed = gndm_wait(ctx, 1, &y) != GND_OK;
    dist_ok(failed && strstr(gndm_message(ctx), text) && strstr(gndm_message(ctx), "[rank 1]") &&
                everywhere(gndm_message(ctx)),
            "one rank's failure is everybody's: %s", gndm_message(ctx));
    gndm_release(y);
    dist_ok(gndm_status(ctx) == GND_OK, "the context can still be used");
    dist_same(gndm_unary(name, a), gnd_fftn(x, vector ? 1 : 2, NULL, NULL, GND_NORM_BACKWARD), 1e-5,
              "and it transforms as it should");
    gndm_release(a);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "tell"))
        return tell(&argc, &argv);
    dist_begin(&argc, &argv, GNDM_EVEN);
    gndm_scope_begin(ctx);
    if (argc > 1 && !strcmp(argv[1], "trees"))
        trees();
    else if (argc > 1 && !strcmp(argv[1], "large"))
        large();
    else if (argc > 1 && !strcmp(argv[1], "fails-ring"))
        no_ring();
    else if (argc > 1 && !strncmp(argv[1], "fails-copy", 10))
        copy_failure(!strcmp(argv[1], "fails-copy-alone"));
    else if (argc > 2 && (!strcmp(argv[1], "fails-stages") || !strcmp(argv[1], "fails-vector")))
        stage_failure(argv[2], !strcmp(argv[1], "fails-vector"));
    else if (argc > 2)
        failure(argv[2], !strcmp(argv[1], "breaks"), !strcmp(argv[1], "fails-large"));
    else
        everything();
    gndm_scope_end(ctx);
    return dist_end();
}
