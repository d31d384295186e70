/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_call_cost - the host's time for calls on distributed arrays when nothing moves, beside the
 * same calls on the rank's own arrays: mpirun -n 2 bench/mpi_call_cost [NAME ...]. Nothing is
 * evaluated; the best of 50 rounds of 200 calls, of rank 0. Each call has an operand of its own, so
 * that no call finds what another one made. Rows of 1000 x 100 elements are cut; functions along an
 * axis work along the other one.
 */
#include <gnd.h>
#include <gnd/mpi.h>
#include <string.h>

enum { ROUNDS = 50, CALLS = 200 };

/* A call by name: of x, or of x and another array, or of x and a number; along axis 1 or not. */
typedef struct call {
    const char *name;
    int operands; /* arrays */
    double number;
    int along;
} call;

static const call calls[] = {
    {"add", 2, 0, 0},         {"add", 1, 2.5, 0},
    {"exp", 1, 0, 0},         {"where", 3, 0, 0},
    {"clip", 1, 0.5, 0},      {"astype", 1, 0, 0},
    {"transpose", 1, 0, 0},   {"expand_dims", 1, 0, 1},
    {"reshape", 1, 0, 0},     {"sum", 1, 0, 1},
    {"mean", 1, 0, 1},        {"max", 1, 0, 1},
    {"argmax", 1, 0, 1},      {"count_nonzero", 1, 0, 1},
    {"var", 1, 0, 1},         {"std", 1, 0, 1},
    {"cumsum", 1, 0, 1},      {"cummax", 1, 0, 1},
    {"sort", 1, 0, 1},        {"argsort", 1, 0, 1},
    {"topk", 1, 5, 1},        {"median", 1, 0, 1},
    {"quantile", 1, 0.25, 1}, {"percentile", 1, 25, 1},
    {"nanmedian", 1, 0, 1},   {"diff", 1, 0, 1},
    {"gradient", 1, 0, 1},    {"unwrap", 1, 0, 1},
    {"trapezoid", 1, 0, 1},   {"fft", 1, 0, 1},
    {"rfft", 1, 0, 1},        {"dct", 1, 0, 1},
    {"nansum", 1, 0, 1},      {"nanprod", 1, 0, 1},
    {"nanmean", 1, 0, 1},     {"nanvar", 1, 0, 1},
    {"nanstd", 1, 0, 1},      {"nanmax", 1, 0, 1},
    {"nanmin", 1, 0, 1},      {"nanargmax", 1, 0, 1},
    {"nancumsum", 1, 0, 1},   {"ptp", 1, 0, 1},
    {"average", 1, 0, 1},     {"logsumexp", 1, 0, 1},
    {"softmax", 1, 0, 1},     {"log_softmax", 1, 0, 1},
    {"normalize", 1, 0, 1},   {"standardize", 1, 0, 1},
    {"linalg.norm", 1, 0, 1}, {"vector_norm", 1, 0, 1},
    {"vecdot", 2, 0, 1},      {"take_along_axis", 0, 0, 1},
    {"flip", 1, 0, 1},        {"roll", 1, 3, 1},
};
enum { N = sizeof calls / sizeof *calls };

/* The values and keywords of a call. Returns the number of values, of which *nkw are keywords. */
static int arguments(const call *f, gnd_value x, gnd_value y, gnd_value index, gnd_value *v,
                     int *nkw)
{
    int n = 0;
    v[n++] = x;
    if (!strcmp(f->name, "where"))
        v[0] = y;
    for (int i = 1; i < f->operands; i++)
        v[n++] = i == 1 && f->operands == 3 ? x : y;
    if (!f->operands)
        v[n++] = index;
    if (!strcmp(f->name, "astype"))
        v[n++] = gnd_value_dtype(GND_FLOAT64);
    if (!strcmp(f->name, "clip"))
        v[n++] = gnd_value_float(0);
    if (!strcmp(f->name, "topk") || !strcmp(f->name, "roll") || !strcmp(f->name, "reshape"))
        v[n++] = gnd_value_int(f->number != 0 ? (int64_t)f->number : -1);
    else if (f->number != 0)
        v[n++] = gnd_value_float(f->number);
    *nkw = f->along;
    if (f->along)
        v[n++] = gnd_value_int(1);
    return n;
}

static void check(gndm_ctx *c, gnd_status st, const char *name, const char *message)
{
    if (!st)
        return;
    fprintf(stderr, "mpi_call_cost: %s: %s\n", name, message);
    MPI_Abort(MPI_COMM_WORLD, 1);
    gndm_close(c);
}

/* The least time of a call, of the local arrays (distributed 0) or of the distributed ones. */
static double least(gndm_ctx *c, const call *f, const gnd_value *x, gnd_value index,
                    int distributed)
{
    static const char *const kw[] = {"axis"};
    const gnd_function *g = gnd_function_find(f->name, 0);
    gnd_value v[8], out;
    int nkw;
    double best = 1;
    for (int i = 0; i < ROUNDS; i++) {
        gnd_scope_begin();
        gndm_scope_begin(c);
        const double t = MPI_Wtime();
        for (int k = 0; k < CALLS; k++) {
            const int n = arguments(f, x[k], x[CALLS], index, v, &nkw);
            if (distributed)
                check(c, gndm_call(c, f->name, n, v, nkw, kw, &out), f->name, gndm_message(c));
            else
                check(c, gnd_call_function(gndm_device(c), g, n, v, nkw, kw, &out), f->name,
                      gnd_message());
        }
        const double dt = (MPI_Wtime() - t) / CALLS;
        best = dt < best ? dt : best;
        gndm_scope_end(c);
        gnd_scope_end();
    }
    return best;
}

int main(int argc, char **argv)
{
    const int64_t shape[2] = {1000, 100};
    static gnd_value x[2][CALLS + 1];
    double most = 0;
    MPI_Init(&argc, &argv);
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, NULL, GNDM_EVEN);
    check(c, gndm_status(c), "open", gndm_message(c));
    gndm_part *p = gndm_part_default(c, GND_FLOAT32, 2, shape);
    int64_t from[2], to[2], dim[2];
    gndm_part_box(p, gndm_rank(c), from, to);
    for (int d = 0; d < 2; d++)
        dim[d] = to[d] - from[d];
    gnd_scope_begin();
    gndm_scope_begin(c);
    gnd_array *a = gnd_ones(gndm_device(c), GND_FLOAT32, 2, dim);
    gnd_array *i = gnd_zeros(gndm_device(c), GND_INT64, 2, dim);
    const gnd_value index[2] = {gnd_value_array(i), gndm_value(gndm_wrap(c, i, p))};
    check(c, gnd_wait(a), "ones", gnd_message());
    for (int k = 0; k <= CALLS; k++) {
        gnd_array *y = k < CALLS ? gnd_add_f(a, k) : a;
        x[0][k] = gnd_value_array(y);
        x[1][k] = gndm_value(gndm_wrap(c, y, p));
    }
    for (int f = 0; f < N; f++) {
        int chosen = argc < 2;
        for (int k = 1; k < argc; k++)
            chosen = chosen || !strcmp(argv[k], calls[f].name);
        if (!chosen)
            continue;
        gndm_stats before, after;
        gndm_get_stats(c, &before);
        const double local = least(c, &calls[f], x[0], index[0], 0);
        const double all = least(c, &calls[f], x[1], index[1], 1);
        gndm_get_stats(c, &after);
        most = all - local > most ? all - local : most;
        if (gndm_rank(c) == 0)
            printf("%-16s local %7.2f us, distributed %7.2f us, more by %7.2f us%s\n",
                   calls[f].name, 1e6 * local, 1e6 * all, 1e6 * (all - local),
                   after.messages != before.messages ? ", sends messages" : "");
    }
    if (gndm_rank(c) == 0)
        printf("at most %.2f us more\n", 1e6 * most);
    gndm_scope_end(c);
    gnd_scope_end();
    gndm_part_free(p);
    gndm_close(c);
    MPI_Finalize();
    return 0;
}
