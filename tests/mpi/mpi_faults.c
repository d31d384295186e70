/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_faults.c - failures of one rank, calls that differ, ranks that do not come: each is the same
 * error on all ranks, and nothing hangs. With the argument `late` the last rank never comes, and
 * the program ends by MPI_Abort; with `memory`, and no_memory.inc before other libraries, rank 1
 * has too little memory. Started by mpi.sh.
 */
#include "dist.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A rank's own part that cannot be computed: an index that only the device checks. */
static gndm_array *faulty(int who)
{
    const int64_t n = 4, shape[1] = {4 * size};
    int64_t at[4] = {0, 1, 2, rank == who ? 1000 : 3};
    gnd_array *x =
        gnd_take(gnd_arange_i64(dev, 0, 8, 1, GND_INT64), gnd_from(dev, GND_INT64, 1, &n, at), 0);
    gndm_part *p = gndm_part_even(ctx, 1, shape, NULL);
    gndm_array *y = gndm_wrap(ctx, x, p);
    gndm_part_free(p);
    return y;
}

static void local_errors(void)
{
    char named[32];
    const int who = size - 1;
    snprintf(named, sizeof named, "[rank %d]", who);
    gndm_array *x = faulty(who);
    dist_ok(gndm_status_of(x) == GND_OK, "an error that nobody has seen yet");
    gndm_array *y = gndm_with("add", x, 1);
    gnd_status st = gndm_wait(ctx, 1, &y);
    dist_ok(st == GND_ERR_INDEX && strstr(gndm_message(ctx), named),
            "one rank's fault is everybody's: %s", gndm_message(ctx));
    gndm_item_f64(gndm_along("sum", faulty(who), GND_NONE), &st);
    dist_ok(st != GND_OK, "and of what is computed from it");
    const int64_t shape[1] = {size};
    gndm_part *p = gndm_part_even(ctx, 1, shape, NULL);
    gnd_array *part = gnd_zeros(dev, rank == who ? GND_INT32 : GND_FLOAT32, 1, (int64_t[]){1});
    gndm_array *z = gndm_wrap(ctx, part, p);
    dist_ok(size == 1 || gndm_status_of(z) == GND_ERR_DTYPE, "parts of unlike dtypes: %s",
            gndm_error(z));
    part = gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){rank == who ? 2 : 1});
    z = gndm_wrap(ctx, part, p);
    dist_ok(gndm_status_of(z) == GND_ERR_SHAPE && strstr(gndm_error(z), named),
            "a part of a wrong shape: %s", gndm_error(z));
    gndm_part_free(p);
}

static void different_calls(void)
{
    const int64_t n = 40;
    gndm_array *x = gndm_apply(ctx, NULL, "arange", 1, (gnd_value[]){gnd_value_int(n)}, 0, NULL);
    if (size == 1)
        return;
    gndm_array *y = gndm_along(rank == 1 ? "max" : "sum", x, 0);
    dist_ok(gndm_status_of(y) == GND_ERR_STATE && strstr(gndm_error(y), "sum") &&
                strstr(gndm_error(y), "max"),
            "different functions: %s", gndm_error(y));
    y = gndm_with("add", x, rank == 1 ? 2 : 3);
    dist_ok(gndm_status_of(y) == GND_ERR_STATE && strstr(gndm_error(y), "add"),
            "different numbers: %s", gndm_error(y));
    dist_ok(gndm_item_i64(gndm_along("sum", x, 0), NULL) == n * (n - 1) / 2, "and then it goes on");
}

/* Without GNDM_CHECK_CALLS only calls that exchange data are compared; the environment of rank 0
 * can add the flag. */
static void unchecked_calls(void)
{
    const int64_t n = 40;
    gndm_ctx *before = ctx;
    if (size == 1)
        return;
    for (int checked = 0; checked < 2; checked++) {
        if (checked && rank == 0)
            setenv("GND_MPI_CHECK_CALLS", "1", 1);
        ctx = gndm_open(MPI_COMM_WORLD, dev, GNDM_EVEN);
        unsetenv("GND_MPI_CHECK_CALLS");
        gndm_array *x =
            gndm_apply(ctx, NULL, "arange", 1, (gnd_value[]){gnd_value_int(n)}, 0, NULL);
        gndm_array *y = gndm_with("add", x, rank == 1 ? 2 : 3);
        dist_ok(gndm_status_of(y) == (checked ? GND_ERR_STATE : GND_OK),
                "different numbers, %s: %s", checked ? "compared" : "not compared", gndm_error(y));
        y = gndm_along(rank == 1 ? "max" : "sum", x, 0);
        gnd_status st = gndm_status_of(y);
        if (!st)
            gndm_item_i64(y, &st);
        dist_ok(st == GND_ERR_STATE && strstr(gndm_message(ctx), "rank 0 calls sum(") &&
                    strstr(gndm_message(ctx), "rank 1 calls max("),
                "different functions that exchange data: %s", gndm_message(ctx));
        gndm_close(ctx);
    }
    if (rank == size - 1)
        setenv("GND_MPI_CHECK_CALLS", "yes", 1);
    ctx = gndm_open(MPI_COMM_WORLD, dev, GNDM_EVEN);
    unsetenv("GND_MPI_CHECK_CALLS");
    dist_ok(gndm_status(ctx) == GND_ERR_ARG && strstr(gndm_message(ctx), "GND_MPI_CHECK_CALLS"),
            "%s", gndm_message(ctx));
    gndm_close(ctx);
    /* a wrong limit of one rank is not waited for, either */
    const char *limit = getenv("GND_MPI_TIMEOUT");
    char was[32];
    snprintf(was, sizeof was, "%s", limit ? limit : "");
    if (rank == 1)
        setenv("GND_MPI_TIMEOUT", "soon", 1);
    ctx = gndm_open(MPI_COMM_WORLD, dev, GNDM_EVEN);
    setenv("GND_MPI_TIMEOUT", was, 1);
    dist_ok(gndm_status(ctx) == GND_ERR_ARG && strstr(gndm_message(ctx), "GND_MPI_TIMEOUT") &&
                strstr(gndm_message(ctx), "[rank 1]"),
            "%s", gndm_message(ctx));
    gndm_close(ctx);
    /* nor is a division of the node that only one rank is told of: it is rank 0's that counts */
    setenv("GND_MPI_TIMEOUT", "20", 1);
    if (rank == 1)
        setenv("GND_MPI_NODE", "1", 1);
    ctx = gndm_open(MPI_COMM_WORLD, dev, GNDM_EVEN);
    unsetenv("GND_MPI_NODE");
    setenv("GND_MPI_TIMEOUT", was, 1);
    dist_ok(gndm_status(ctx) == GND_OK, "GND_MPI_NODE on rank 1 alone: %s", gndm_message(ctx));
    gndm_close(ctx);
    ctx = before;
}

/* --- a rank without memory -------------------------------------------------------------------- */

/* Work whose allocations fail one after the other: a text with the arrays of operands(), or a
 * function, with its name. DEAR: only with GND_TEST_ALL. */
enum { DEAR = 1, OPERANDS = 5 };
typedef struct work {
    const char *text;
    gnd_status (*run)(gndm_ctx *c, gndm_array *const *x);
    int dear;
} work;

static const char *const operand_names[OPERANDS] = {"v", "x", "y", "k", "z"};

/* v: a vector, x and y: matrices, k: integers, z: a stack. */
static void operands(gndm_ctx *c, gndm_array **x)
{
    static const char *const texts[OPERANDS] = {
        "sin(arange(60.))", "sin(arange(84.)).reshape(12, 7)", "cos(arange(84.)).reshape(12, 7)",
        "arange(60) % 7", "sin(arange(96.)).reshape(6, 4, 4)"};
    for (int i = 0; i < OPERANDS; i++)
        x[i] = gndm_eval(c, texts[i], 0, NULL, NULL);
    gndm_wait(c, OPERANDS, x);
}

/* What the program has, in default partitions and in given ones, and back. */
static gnd_status to_and_from(gndm_ctx *c, gndm_array *const *x)
{
    const int64_t n = 9, shape[2] = {6, 5}, cut[3] = {0, 4, 6}, *const cuts[2] = {cut, NULL};
    const int grid[2] = {2, 1};
    double data[30] = {1, 2, 3}, back[30];
    gndm_array *y[5];
    gndm_part *p = gndm_part_cuts(c, 2, shape, grid, cuts), *q = gndm_part_even(c, 2, shape, NULL);
    (void)x;
    y[0] = gndm_from(c, GND_FLOAT32, 1, &n, data, NULL);
    y[1] = gndm_from(c, GND_FLOAT32, 2, shape, data, p);
    y[2] = gndm_redistribute(y[1], q);
    y[3] = gndm_scatter(c, 0, GND_FLOAT32, 2, shape, data, NULL);
    y[4] = gndm_wrap(c, gndm_local(y[2]), q);
    gndm_part_free(p);
    gndm_part_free(q);
    gnd_status st = gndm_wait(c, 5, y);
    st = st ? st : gndm_gather(y[3], 1, back, 30 * sizeof(float));
    st = st ? st : gndm_read(y[1], back, 30 * sizeof(float));
    return st ? st : gndm_read(y[4], back, 30 * sizeof(float));
}

static gnd_array *doubled(gnd_array *b, void *data)
{
    (void)data;
    return gnd_mul_f(gnd_at(b, "1:-1, 1:-1"), 2);
}

static gnd_status borders(gndm_ctx *c, gndm_array *const *x)
{
    const int64_t one[2] = {1, 1};
    gndm_array *y[2] = {gndm_stencil(x[1], one, one, "wrap", doubled, NULL)};
    gnd_array *b = gndm_halo(x[1], one, one, 1, NULL);
    gndm_part *p = gndm_part_of(x[1]);
    y[1] = gndm_wrap(c, gnd_at(b, "1:-1, 1:-1"), p);
    gndm_part_free(p);
    const gnd_status st = gndm_wait(c, 2, y);
    gnd_release(b);
    return st;
}

static gnd_status files(gndm_ctx *c, gndm_array *const *x)
{
    gnd_status st = gndm_save_npy(x[1], "no_memory.npy");
    if (st)
        return st;
    gndm_array *y = gndm_load_npy(c, "no_memory.npy", NULL);
    return gndm_wait(c, 1, &y);
}

static gnd_status explained(gndm_ctx *c, gndm_array *const *x)
{
    gnd_status st;
    char *text = gndm_explain(c, "(x + y).sum()", OPERANDS, operand_names, x, &st);
    free(text);
    return st;
}

static const work works[] = {
    {"from and read", to_and_from, 0},
    {"borders", borders, 0},
    {"files", files, 0},
    {"explain", explained, 0},
    {"fft(v)", NULL, 0},
    {"rfft(v)", NULL, DEAR},
    {"ifft2(x)", NULL, DEAR},
    {"fftn(z, axes=(0, 1))", NULL, DEAR},
    {"x @ y.T", NULL, DEAR},
    {"x.T @ y", NULL, 0},
    {"z @ z", NULL, DEAR},
    {"v @ v", NULL, DEAR},
    {"sort(v)", NULL, 0},
    {"argsort(x, axis=0)", NULL, DEAR},
    {"topk(v, 3)[0]", NULL, DEAR},
    {"cumsum(v)", NULL, DEAR},
    {"cumsum(x, axis=0)", NULL, DEAR},
    {"take(v, k)", NULL, 0},
    {"x[k % 7]", NULL, DEAR},
    {"x[:, 2:5]", NULL, DEAR},
    {"v[::-2]", NULL, DEAR},
    {"extract(x > 0, x)", NULL, DEAR},
    {"nonzero(x > 0)[0]", NULL, DEAR},
    {"compress(v > 0, v)", NULL, DEAR},
    {"take_along_axis(x, argsort(x, axis=0), axis=0)", NULL, DEAR},
    {"unique(k)", NULL, DEAR},
    {"union1d(k, k)", NULL, DEAR},
    {"intersect1d(k, k[:9])", NULL, DEAR},
    {"isin(k, k[:3])", NULL, DEAR},
    {"bincount(k)", NULL, DEAR},
    {"histogram(v, 5)[0]", NULL, DEAR},
    {"digitize(v, sort(v[:4]))", NULL, DEAR},
    {"quantile(v, 0.3)", NULL, DEAR},
    {"median(x, axis=0)", NULL, DEAR},
    {"reshape(x, (7, 12))", NULL, DEAR},
    {"ravel(x.T)", NULL, DEAR},
    {"concat((x, y))", NULL, 0},
    {"stack((x, y))", NULL, DEAR},
    {"block([[x, y], [y, x]])", NULL, DEAR},
    {"append(v, [1, 2])", NULL, DEAR},
    {"p, q, r = split(v, 3); q - r", NULL, DEAR},
    {"unstack(x[:3])[0]", NULL, 0},
    {"roll(v, 7)", NULL, DEAR},
    {"flip(v)", NULL, DEAR},
    {"rot90(x)", NULL, DEAR},
    {"repeat(x, 3)", NULL, DEAR},
    {"repeat(v[:5], [1, 0, 2, 3, 1])", NULL, DEAR},
    {"tile(v, 2)", NULL, DEAR},
    {"resize(x, (7, 50))", NULL, DEAR},
    {"pad(x, 2)", NULL, DEAR},
    {"pad(v, 3, mode='wrap')", NULL, 0},
    {"broadcast_to(v, (4, 60))", NULL, DEAR},
    {"meshgrid(v, v)[0]", NULL, DEAR},
    {"subtract.outer(v, v[:7])", NULL, DEAR},
    {"diagonal(x, 1)", NULL, DEAR},
    {"diag(v)", NULL, DEAR},
    {"fill_diagonal(x, 7)", NULL, DEAR},
    {"trace(x)", NULL, DEAR},
    {"average(x)", NULL, DEAR},
    {"average(x, axis=0, weights=abs(y))", NULL, DEAR},
    {"cov(x)", NULL, DEAR},
    {"trapezoid(v)", NULL, DEAR},
    {"lexsort((k, v))", NULL, DEAR},
    {"diff(v)", NULL, DEAR},
    {"diff(x, 2, axis=0)", NULL, DEAR},
    {"gradient(v)", NULL, DEAR},
    {"sliding_window_view(v, 5)", NULL, DEAR},
    {"median_filter(x, 3)", NULL, DEAR},
    {"convolve2d(x, y[:3, :4])", NULL, DEAR},
    {"convolve(v, v[:5])", NULL, DEAR},
    {"fftconvolve(v, v[:9])", NULL, DEAR},
    {"vector_norm(x)", NULL, DEAR},
    {"norm(x, 1)", NULL, DEAR},
    {"cond(z)", NULL, DEAR},
    {"inner(x, y)", NULL, DEAR},
    {"tensordot(x, y, axes=((0,), (0,)))", NULL, DEAR},
    {"einsum('ij,kj->ki', x, y)", NULL, 0},
    {"einsum('ii->i', x[:7])", NULL, DEAR},
    {"kron(x, y[:2, :3])", NULL, DEAR},
    {"matrix_power(z, 5)", NULL, DEAR},
    {"multi_dot([x, y.T, x])", NULL, DEAR},
    {"svd(x, full_matrices=False)[0]", NULL, DEAR},
    {"svdvals(x)", NULL, DEAR},
    {"qr(x)[0]", NULL, DEAR},
    {"lstsq(x, y)[0]", NULL, DEAR},
    {"pinv(x)", NULL, DEAR},
    {"polyfit(v, v, 2)", NULL, DEAR},
    {"vander(v, 4)", NULL, DEAR},
    {"cholesky(x.T @ x + 9 * eye(7))", NULL, DEAR},
    {"solve(x.T @ x + 9 * eye(7), x.T)", NULL, DEAR},
    {"inv(x.T @ x + 9 * eye(7))", NULL, DEAR},
    {"det(x.T @ x + 9 * eye(7))", NULL, DEAR},
    {"slogdet(z)[0]", NULL, DEAR},
    {"solve_triangular(z[0] + 9 * eye(4), x[:4])", NULL, DEAR},
    {"eigvalsh(z + z.mT)", NULL, DEAR},
    {"set_at(x, x > 0, 0)", NULL, DEAR},
    {"add_at(v, k, 2.)", NULL, DEAR},
    {"put(x, [3, -1, 40], [7, 8])", NULL, DEAR},
    {"putmask(x, x > 0, y)", NULL, DEAR},
    {"place(x, x > 0, v[:5])", NULL, DEAR},
    {"put_along_axis(x, k[:7].reshape(1, 7), 5, axis=0)", NULL, DEAR},
    {"insert(v, 4, v[:3])", NULL, DEAR},
    {"delete(x, [0, 3], axis=0)", NULL, DEAR},
    {"copyto(x, y[0], where=x > 0)", NULL, DEAR},
    {"permutation(41)", NULL, DEAR},
    {"permutation(x)", NULL, DEAR},
    {"shuffle(x, axis=1)", NULL, DEAR},
    {"permuted(x, axis=0)", NULL, DEAR},
    {"choice(x, 7, replace=False)", NULL, DEAR},
    {"choice(v, (5, 8))", NULL, DEAR},
    {"random.normal(size=40)", NULL, DEAR},
    {"select([x > 0], [y], -1)", NULL, DEAR},
    {"view_dtype(x, int16)", NULL, DEAR},
    {"x.sum()", NULL, DEAR},
    {"x.sum(axis=0)", NULL, DEAR},
    {"var(x, axis=0)", NULL, DEAR},
    {"argmax(v)", NULL, DEAR},
    {"max(x, axis=0)", NULL, DEAR},
    {"searchsorted(sort(v), v)", NULL, DEAR},
    {"any(x > 2)", NULL, DEAR},
    {"nanmedian(x)", NULL, DEAR},
    {"linspace(0, 1, 50)", NULL, DEAR},
    {"eye(9)", NULL, DEAR},
    {"tril(x)", NULL, DEAR},
    {"cross(x[:, :3], y[:, :3])", NULL, DEAR},
    {"outer(v, v)", NULL, DEAR},
    {"array_equal(x, y)", NULL, DEAR},
    {"x + v[:7]", NULL, DEAR},
    {"x.T + y.T", NULL, DEAR},
    {"where(x > 0, x, y.sum(axis=0))", NULL, DEAR},
};

static gnd_status done(gndm_ctx *c, const work *w, gndm_array *const *x)
{
    if (w->run)
        return w->run(c, x);
    gndm_array *y = gndm_eval(c, w->text, OPERANDS, operand_names, x);
    return gndm_wait(c, 1, &y);
}

/* Each allocation of the library on rank 1 fails once. It ends the context on all ranks, or is an
 * error of the call on all of them, or there is another way. Returns 0 if nothing was as it should
 * be. */
static int without_memory(const work *w, gnd_device *own, long (*fail_at)(long))
{
    enum { MOST = 3000 };
    gndm_array *x[OPERANDS];
    gndm_ctx *c = NULL;
    long i = 1;
    int over = 0, right = 1;
    for (; right && !over && i < MOST; i++) {
        if (!c) {
            c = gndm_open(MPI_COMM_WORLD, own, GNDM_EVEN);
            operands(c, x);
        }
        gndm_scope_begin(c);
        gnd_scope_begin();
        if (rank == 1)
            fail_at(i);
        gnd_status st = done(c, w, x), next = gndm_wait(c, OPERANDS, x);
        st = st ? st : next; /* what is told at the next call at the latest */
        over = rank == 1 && fail_at(0) > 0;
        MPI_Bcast(&over, 1, MPI_INT, 1, MPI_COMM_WORLD);
        int good = st == GND_OK;
        MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        right = good || (!over && st && strstr(gndm_message(c), "out of host memory") &&
                         strstr(gndm_message(c), "[rank 1]"));
        MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (!right)
            printf("# rank %d, allocation %ld of %s: %d %s\n", rank, i, w->text, st,
                   gndm_message(c));
        gnd_scope_end();
        gndm_scope_end(c);
        int ended = gndm_status(c) != GND_OK || !right;
        MPI_Allreduce(MPI_IN_PLACE, &ended, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (ended) {
            gndm_close(c);
            c = NULL;
        }
    }
    gndm_close(c);
    dist_ok(right && over && i > 5, "%s: %ld allocations of rank 1 fail", w->text, i - 2);
    return right;
}

/* only: the number of the one work to do, or -1. */
static void no_memory(int only)
{
    long (*fail_at)(long) = NULL;
    gnd_device *own = gnd_open(NULL);
    *(void **)&fail_at = dlsym(RTLD_DEFAULT, "no_memory");
    dist_ok(fail_at != NULL, "each allocation of rank 1 will fail");
    for (size_t i = 0; fail_at && i < sizeof works / sizeof *works; i++)
        if (only < 0 ? !works[i].dear || getenv("GND_TEST_ALL") : (int)i == only)
            without_memory(&works[i], own, fail_at);
    gnd_close(own);
}

static int late(void)
{
    const int64_t n = 1000;
    gndm_array *x = gndm_apply(ctx, NULL, "arange", 1, (gnd_value[]){gnd_value_int(n)}, 0, NULL);
    gndm_set_timeout(ctx, 1.5);
    if (rank == size - 1) {
        sleep(30); /* the others end the program before */
        return 1;
    }
    gnd_status st;
    char named[64];
    snprintf(named, sizeof named, "for rank %d,", size - 1);
    time_t began = time(NULL);
    setenv("GND_MPI_TIMEOUT", "1", 1);
    gndm_ctx *other = gndm_open(MPI_COMM_WORLD, dev, 0);
    if (rank == 0)
        tap_ok(gndm_status(other) == GND_ERR_STATE && strstr(gndm_message(other), named) &&
                   strstr(gndm_message(other), "gndm_open") && time(NULL) - began < 20,
               "in gndm_open, too: %s", gndm_message(other));
    gndm_close(other);
    began = time(NULL);
    gndm_item_i64(gndm_along("sum", x, 0), &st);
    const int ok = st == GND_ERR_STATE && strstr(gndm_message(ctx), named) &&
                   time(NULL) - began < 20 && gndm_status(ctx) == GND_ERR_STATE;
    if (rank == 0) {
        tap_ok(ok, "a rank that does not come is named: %s", gndm_message(ctx));
        tap_ok(gndm_wait(ctx, 1, &x) == GND_ERR_STATE, "later calls fail at once");
        if (gndm_no_rebuild(ctx)[0])
            tap_ok(gndm_rebuild(ctx) == ctx && gndm_status(ctx) == GND_ERR_UNSUPPORTED &&
                       strstr(gndm_message(ctx), "gndm_load_state") &&
                       strstr(gndm_message(ctx), named),
                   "no rebuilding with this MPI: %s", gndm_message(ctx));
        else
            tap_skip(1, "this MPI can do it");
        tap_done();
        fflush(stdout);
        sleep(1);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    sleep(30);
    return 1;
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    if (argc > 1 && !strcmp(argv[1], "late"))
        return late();
    if (argc > 1 && !strcmp(argv[1], "memory")) {
        no_memory(argc > 2 ? atoi(argv[2]) : -1);
        return dist_end();
    }
    gndm_scope_begin(ctx);
    local_errors();
    different_calls();
    unchecked_calls();
    if (gndm_no_rebuild(ctx)[0])
        dist_ok(gndm_rebuild(ctx) == ctx && gndm_status(ctx) == GND_OK,
                "a context without an error stays: %s", gndm_no_rebuild(ctx));
    gndm_scope_end(ctx);
    return dist_end();
}
