/* SPDX-License-Identifier: BSD-3-Clause
 *
 * works NAME SIZE STEPS even|speed - the time of a step of other work than heat.c's, on all ranks:
 *
 *     sum      x = x / 2 + 1 of a vector of SIZE float32, and the sum of x
 *     cg       a step of conjugate gradients on a plate of SIZE x 65536 float32
 *     kmeans   a step of k-means with SIZE points of 16 float32 and 8 centres
 *     matmul   the product of SIZE x SIZE float32
 *     fft2     the transform of SIZE x SIZE complex64
 *     fft      the transform of a vector of SIZE complex64
 *     sort     a vector of SIZE float32
 *
 * `mpirun -n 4 works matmul 4096 5 speed` runs it on the ranks' devices; run.sh compiles it with
 * libgnd-mpi's sources for SimGrid. `most` is the time that the busiest rank's messages take.
 */
#include <gnd.h>
#include <gnd/mpi.h>
#include <stdlib.h>
#include <string.h>

static gndm_ctx *c;
static gndm_array *x, *y, *z; /* operands */

/* An array of ones times numbers along the last axis, stored: one of equal numbers would not be. */
static gndm_array *numbers(int ndim, int64_t rows, int64_t columns, gnd_dtype t)
{
    const int64_t shape[2] = {ndim == 1 ? columns : rows, columns};
    gndm_part *p = gndm_part_default(c, t, ndim, shape);
    gndm_part *whole = ndim == 1 ? NULL : gndm_part_replicated(c, 1, &columns);
    const gnd_value v[3] = {gnd_value_int(0), gnd_value_int(columns), gnd_value_int(1)};
    gndm_array *a = gndm_apply(c, whole, "arange", 3, v, 0, NULL);
    if (ndim == 2) {
        const gnd_value dims[2] = {gnd_value_int(rows), gnd_value_int(1)};
        const gnd_value size[1] = {gnd_value_tuple(2, dims)};
        a = gndm_binary("multiply", gndm_apply(c, NULL, "ones", 1, size, 0, NULL), a);
    }
    const gnd_value in[2] = {gndm_value(a), gnd_value_dtype(t)};
    a = gndm_apply(c, p, "astype", 2, in, 0, NULL);
    gndm_part_free(p);
    gndm_part_free(whole);
    gndm_wait(c, 1, &a);
    return a;
}

/* --- elements and reductions ------------------------------------------------------------------ */

static gnd_status item(gndm_array *a)
{
    gnd_status st = GND_OK;
    gndm_item_f64(a, &st);
    return st;
}

static void vector(int64_t n)
{
    x = numbers(1, 0, n, GND_FLOAT32);
}

static gnd_status sum(void)
{
    gndm_assign(&x, gndm_with("add", gndm_with("multiply", x, 0.5), 1));
    return item(gndm_along("sum", x, GND_NONE));
}

static void plates(int64_t n)
{
    x = numbers(2, n, 65536, GND_FLOAT32);
    y = numbers(2, n, 65536, GND_FLOAT32);
    z = numbers(2, n, 65536, GND_FLOAT32);
}

static gnd_array *points(gnd_array *b, void *data)
{
    (void)data;
    gnd_array *sum = gnd_add(gnd_add(gnd_at(b, "2:, 1:-1"), gnd_at(b, ":-2, 1:-1")),
                             gnd_add(gnd_at(b, "1:-1, 2:"), gnd_at(b, "1:-1, :-2")));
    return gnd_sub(gnd_mul_f(gnd_at(b, "1:-1, 1:-1"), 5), sum);
}

static gnd_status dot(gndm_array *a, gndm_array *b)
{
    return item(gndm_along("sum", gndm_binary("multiply", a, b), GND_NONE));
}

static gndm_array *plus(gndm_array *a, double number, gndm_array *b)
{
    return gndm_binary("add", a, gndm_with("multiply", b, number));
}

/* As examples/cg_mpi.c with overlapped borders: x the solution, y what is left, z the direction. */
static gnd_status cg(void)
{
    const int64_t one[2] = {1, 1};
    gndm_array *az = gndm_stencil(z, one, one, "constant", points, NULL);
    gnd_status st = dot(z, az);
    gndm_assign(&x, plus(x, 0.25, z));
    gndm_assign(&y, plus(y, -0.25, az));
    st = st ? st : dot(y, y);
    gndm_assign(&z, plus(y, 0.75, z));
    return st ? st : gndm_wait(c, 3, (gndm_array *[]){x, y, z});
}

static void clouds(int64_t n)
{
    x = numbers(2, n, 16, GND_FLOAT32);
    y = gndm_retain(gndm_at(x, "0:8"));
}

static gnd_status kmeans(void)
{
    static const char text[] = "k = ((x[:, None] - m)**2).sum(2).argmin(1)\n"
                               "w = (k[:, None] == arange(8)).T.astype(float32)\n"
                               "(w @ x) / maximum(w.sum(1), 1)[:, None]";
    gndm_assign(&y, gndm_eval(c, text, 2, (const char *[]){"x", "m"}, (gndm_array *[]){x, y}));
    return gndm_wait(c, 1, &y);
}

/* --- exchanges of all elements ---------------------------------------------------------------- */

static void matrices(int64_t n)
{
    x = numbers(2, n, n, GND_FLOAT32);
    y = numbers(2, n, n, GND_FLOAT32);
}

static gnd_status wait_for(gndm_array *a)
{
    return gndm_wait(c, 1, &a);
}

static gnd_status product(void)
{
    return wait_for(gndm_binary("matmul", x, y));
}

static void signal_2d(int64_t n)
{
    x = numbers(2, n, n, GND_COMPLEX64);
}

static void signal_1d(int64_t n)
{
    x = numbers(1, 0, n, GND_COMPLEX64);
}

static gnd_status fft2(void)
{
    return wait_for(gndm_unary("fft2", x));
}

static gnd_status fft(void)
{
    return wait_for(gndm_unary("fft", x));
}

static gnd_status sort(void)
{
    return wait_for(gndm_unary("sort", x));
}

/* plain: its steps are alike from the first on, but for the plans. */
static const struct {
    const char *name;
    void (*prepare)(int64_t n);
    gnd_status (*step)(void);
    int plain;
} works[] = {
    {"sum", vector, sum, 0},          {"cg", plates, cg, 0},        {"kmeans", clouds, kmeans, 0},
    {"matmul", matrices, product, 1}, {"fft2", signal_2d, fft2, 1}, {"fft", signal_1d, fft, 1},
    {"sort", vector, sort, 1},
};

/* Runs steps; *seconds: of one, on the slowest rank. */
static gnd_status run(int w, int steps, double *seconds, gndm_stats *before)
{
    gnd_status st = GND_OK;
    double began = 0;
#ifdef GND_SIM
    const int first = works[w].plain ? 0 : -1; /* where plans take no time */
#else
    const int first = -1; /* the first step makes the plans */
#endif
    for (int i = first; i < steps && !st; i++) {
        if (i == 0) {
            MPI_Barrier(MPI_COMM_WORLD);
            began = MPI_Wtime();
            gndm_get_stats(c, before);
#ifdef GND_SIM
            sim_reset();
#endif
        }
        gnd_scope_begin();
        gndm_scope_begin(c);
        st = works[w].step();
        gndm_scope_end(c);
        gnd_scope_end();
    }
    const double mine = (MPI_Wtime() - began) / steps;
    MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return st;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int w = 0;
    const int n = sizeof works / sizeof *works;
    while (argc == 5 && w < n && strcmp(works[w].name, argv[1]))
        w++;
    if (argc != 5 || w == n) {
        fprintf(stderr, "usage: works sum|cg|kmeans|matmul|fft2|fft|sort SIZE STEPS even|speed\n");
        return 2;
    }
    const int steps = atoi(argv[3]);
    double seconds = 0;
    gndm_stats before = {0}, after;
    c = gndm_open(MPI_COMM_WORLD, NULL, strcmp(argv[4], "even") ? 0 : GNDM_EVEN);
    gnd_status st = gndm_status(c);
    gndm_scope_begin(c);
    gnd_scope_begin();
    if (!st) {
        works[w].prepare(atoll(argv[2]));
        st = run(w, steps, &seconds, &before);
    }
    gndm_get_stats(c, &after);
    const double out = (double)(after.bytes - before.bytes) / steps;
    const double in = (double)(after.received - before.received) / steps, own = out > in ? out : in;
    double most = 0;
    MPI_Reduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
#ifdef GND_SIM
    const double ideal = sim_ideal() / steps;
    if (gndm_rank(c) == 0 && !st)
        printf("ranks %d cuts %s %s step %.3f ms ideal %.3f ms most %.3f ms efficiency %.3f\n",
               gndm_size(c), argv[4], argv[1], 1e3 * seconds, 1e3 * ideal, 1e3 * most / SIM_NETWORK,
               ideal / seconds);
#else
    if (gndm_rank(c) == 0 && !st)
        printf("ranks %d cuts %s %s step %.3f ms most %.3f MB\n", gndm_size(c), argv[4], argv[1],
               1e3 * seconds, most / 1e6);
#endif
    if (st)
        fprintf(stderr, "works: rank %d: %s\n", gndm_rank(c), gndm_message(c));
    gndm_release(x);
    gndm_release(y);
    gndm_release(z);
    gnd_scope_end();
    gndm_scope_end(c);
    gndm_close(c);
    MPI_Finalize();
    return st != GND_OK;
}
