/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_call_cost - the host's time for calls on distributed arrays when nothing moves, beside the
 * same calls on the rank's own arrays: mpirun -n 2 bench/mpi_call_cost [NAME ...]. Nothing is
 * evaluated; the best of 50 rounds of 100 calls, of rank 0. Each call has an operand of its own, so
 * that no call finds what another one made. Rows of 1000 x 100 elements are cut; functions along an
 * axis work along the other one.
 */
#include <gnd.h>
#include <gnd/mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 50, CALLS = 100, MOST = 8 };

/* The values, separated by blanks: x, y: arrays of the same cuts, x another one in each call; l: a
 * list of both; i: of ints; s: a stack of matrices, cut along the stack, another one in each call;
 * w, v, k: a matrix, a sorted vector and ints, which every rank has; t: float64; b: the shape (3,
 * rows, 100); p: ((0, 0), (1, 1)); numbers. NAME= before a value: by name. */
typedef struct call {
    const char *name, *form;
} call;

static const call calls[] = {
    {"add", "x y"},
    {"add", "x 2.5"},
    {"exp", "x"},
    {"where", "y x y"},
    {"clip", "x 0 0.5"},
    {"round", "x 2"},
    {"isclose", "x y"},
    {"nan_to_num", "x"},
    {"astype", "x t"},
    {"tril", "x"},
    {"digitize", "x v"},
    {"searchsorted", "v x"},
    {"interp", "x v v"},
    {"polyval", "v x"},
    {"isin", "x v"},
    {"transpose", "x"},
    {"expand_dims", "x axis=1"},
    {"squeeze", "x"},
    {"reshape", "x -1"},
    {"broadcast_to", "x b"},
    {"hsplit", "x 2"},
    {"sum", "x axis=1"},
    {"sum", "x axis=1 keepdims=1"},
    {"mean", "x axis=1"},
    {"max", "x axis=1"},
    {"argmax", "x axis=1"},
    {"count_nonzero", "x axis=1"},
    {"var", "x axis=1"},
    {"std", "x axis=1"},
    {"cumsum", "x axis=1"},
    {"cummax", "x axis=1"},
    {"sort", "x axis=1"},
    {"argsort", "x axis=1"},
    {"topk", "x 5 axis=1"},
    {"median", "x axis=1"},
    {"quantile", "x 0.25 axis=1"},
    {"percentile", "x 25 axis=1"},
    {"nanmedian", "x axis=1"},
    {"diff", "x axis=1"},
    {"gradient", "x axis=1"},
    {"unwrap", "x axis=1"},
    {"trapezoid", "x axis=1"},
    {"sliding_window_view", "x 5 axis=1"},
    {"fft", "x axis=1"},
    {"rfft", "x axis=1"},
    {"fft2", "s"},
    {"dct", "x axis=1"},
    {"nansum", "x axis=1"},
    {"nanprod", "x axis=1"},
    {"nanmean", "x axis=1"},
    {"nanvar", "x axis=1"},
    {"nanstd", "x axis=1"},
    {"nanmax", "x axis=1"},
    {"nanmin", "x axis=1"},
    {"nanargmax", "x axis=1"},
    {"nancumsum", "x axis=1"},
    {"ptp", "x axis=1"},
    {"average", "x axis=1"},
    {"logsumexp", "x axis=1"},
    {"softmax", "x axis=1"},
    {"log_softmax", "x axis=1"},
    {"normalize", "x axis=1"},
    {"standardize", "x axis=1"},
    {"linalg.norm", "x axis=1"},
    {"vector_norm", "x axis=1"},
    {"matrix_norm", "s"},
    {"vecdot", "x y"},
    {"matmul", "x w"},
    {"det", "s"},
    {"inv", "s"},
    {"trace", "s axis1=1 axis2=2"},
    {"diagonal", "s axis1=1 axis2=2"},
    {"take_along_axis", "x i axis=1"},
    {"take", "x k axis=1"},
    {"flip", "x axis=1"},
    {"roll", "x 3 axis=1"},
    {"repeat", "x 2 axis=1"},
    {"pad", "x p"},
    {"concat", "l axis=1"},
    {"stack", "l axis=1"},
};
enum { N = sizeof calls / sizeof *calls };

/* The values of letters: those of the rank, or the distributed ones. */
typedef struct operands {
    gnd_value x[CALLS], s[CALLS], letter[128];
} operands;

/* Sets the values of a call and returns their number, of which the last *nkw have the names kw. */
static int arguments(const call *f, const operands *o, int k, gnd_value *v, gnd_value *list,
                     char name[][16], const char **kw, int *nkw)
{
    int n = 0;
    *nkw = 0;
    for (const char *p = f->form; *p; p += *p == ' ') {
        const size_t len = strcspn(p, " =");
        if (p[len] == '=') {
            snprintf(name[*nkw], sizeof name[0], "%.*s", (int)len, p);
            kw[*nkw] = name[*nkw];
            ++*nkw;
            p += len + 1;
        }
        char *end;
        const double number = strtod(p, &end);
        if (end > p) {
            v[n++] = memchr(p, '.', (size_t)(end - p)) ? gnd_value_float(number)
                                                       : gnd_value_int((int64_t)number);
            p = end;
            continue;
        }
        v[n] = *p == 'x' ? o->x[k] : *p == 's' ? o->s[k] : o->letter[(unsigned char)*p];
        if (*p == 'l') {
            list[0] = o->x[k];
            list[1] = o->letter['y'];
            v[n] = gnd_value_tuple(2, list);
        }
        n++;
        p++;
    }
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
static double least(gndm_ctx *c, const call *f, const operands *o, int distributed)
{
    const gnd_function *g = gnd_function_find(f->name, 0);
    gnd_value v[CALLS][MOST], list[CALLS][2], out[CALLS];
    char name[MOST][16];
    const char *kw[MOST];
    int n = 0, nkw = 0;
    double best = 1;
    for (int k = 0; k < CALLS; k++)
        n = arguments(f, o, k, v[k], list[k], name, kw, &nkw);
    for (int i = 0; i < ROUNDS; i++) {
        gnd_scope_begin();
        gndm_scope_begin(c);
        const double t = MPI_Wtime();
        for (int k = 0; k < CALLS; k++)
            if (distributed)
                check(c, gndm_call(c, f->name, n, v[k], nkw, kw, &out[k]), f->name,
                      gndm_message(c));
            else
                check(c, gnd_call_function(gndm_device(c), g, n, v[k], nkw, kw, &out[k]), f->name,
                      gnd_message());
        const double dt = (MPI_Wtime() - t) / CALLS;
        best = dt < best ? dt : best;
        for (int k = 0; k < CALLS; k++) /* tuples have memory */
            if (distributed && out[k].tag == GND_V_TUPLE) {
                gndm_value_clear(&out[k]);
            } else if (out[k].tag == GND_V_TUPLE || out[k].tag == GND_V_LIST) {
                for (int64_t m = 0; m < out[k].as.items.n; m++)
                    gnd_retain(out[k].as.items.item[m].as.array);
                gnd_value_clear(&out[k]);
            }
        gndm_scope_end(c);
        gnd_scope_end();
    }
    return best;
}

/* x and a distributed array of it: of this rank's part if p is given, else a copy on every rank. */
static void both(gndm_ctx *c, operands *o, char letter, gnd_array *x, const gndm_part *p)
{
    gndm_part *copies = gndm_part_replicated(c, gnd_ndim(x), gnd_shape(x));
    check(c, gnd_wait(x), "operands", gnd_message());
    o[0].letter[(unsigned char)letter] = gnd_value_array(x);
    o[1].letter[(unsigned char)letter] = gndm_value(gndm_wrap(c, x, p ? p : copies));
    gndm_part_free(copies);
}

int main(int argc, char **argv)
{
    const int64_t shape[2] = {1000, 100}, stack[3] = {1000, 8, 8}, few = 5;
    static const gnd_value zero[2] = {{GND_V_INT, 0, {0}}, {GND_V_INT, 0, {0}}};
    static const gnd_value one[2] = {{GND_V_INT, 0, {1}}, {GND_V_INT, 0, {1}}};
    static operands o[2];
    double most = 0;
    MPI_Init(&argc, &argv);
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, NULL, GNDM_EVEN);
    check(c, gndm_status(c), "open", gndm_message(c));
    gnd_device *dev = gndm_device(c);
    gndm_part *p = gndm_part_default(c, GND_FLOAT32, 2, shape);
    gndm_part *ps = gndm_part_default(c, GND_FLOAT32, 3, stack);
    int64_t from[3], to[3];
    gndm_part_box(p, gndm_rank(c), from, to);
    const int64_t rows = to[0] - from[0], dim[3] = {rows, 100}, ds[3] = {rows, 8, 8};
    gnd_scope_begin();
    gndm_scope_begin(c);
    gnd_array *a = gnd_ones(dev, GND_FLOAT32, 2, dim), *e = gnd_eye(dev, GND_FLOAT32, 8, 8, 0);
    both(c, o, 'y', a, p);
    both(c, o, 'i', gnd_zeros(dev, GND_INT64, 2, dim), p);
    both(c, o, 'w', gnd_ones(dev, GND_FLOAT32, 2, (int64_t[]){100, 100}), NULL);
    both(c, o, 'v', gnd_arange_f64(dev, 0, 100, 1, GND_FLOAT32), NULL);
    both(c, o, 'k', gnd_zeros(dev, GND_INT64, 1, &few), NULL);
    gnd_value pads[2] = {gnd_value_tuple(2, zero), gnd_value_tuple(2, one)}, extent[2][3];
    for (int d = 0; d < 2; d++) {
        extent[d][0] = gnd_value_int(3);
        extent[d][1] = gnd_value_int(d ? shape[0] : rows);
        extent[d][2] = gnd_value_int(100);
        o[d].letter['b'] = gnd_value_tuple(3, extent[d]);
        o[d].letter['p'] = gnd_value_tuple(2, pads);
        o[d].letter['t'] = gnd_value_dtype(GND_FLOAT64);
    }
    for (int k = 0; k < CALLS; k++) {
        gnd_array *x = gnd_add_f(a, k), *s = gnd_broadcast_to(gnd_add_f(e, k + 1), 3, ds);
        o[0].x[k] = gnd_value_array(x);
        o[1].x[k] = gndm_value(gndm_wrap(c, x, p));
        o[0].s[k] = gnd_value_array(s);
        o[1].s[k] = gndm_value(gndm_wrap(c, s, ps));
    }
    for (int f = 0; f < N; f++) {
        int chosen = argc < 2;
        for (int k = 1; k < argc; k++)
            chosen = chosen || !strcmp(argv[k], calls[f].name);
        if (!chosen)
            continue;
        gndm_stats before, after;
        gndm_get_stats(c, &before);
        const double local = least(c, &calls[f], &o[0], 0);
        const double all = least(c, &calls[f], &o[1], 1);
        gndm_get_stats(c, &after);
        most = all - local > most ? all - local : most;
        if (gndm_rank(c) == 0)
            printf("%-19s %-20s local %6.2f us, distributed %6.2f us, more by %6.2f us%s\n",
                   calls[f].name, calls[f].form, 1e6 * local, 1e6 * all, 1e6 * (all - local),
                   after.messages != before.messages ? ", sends messages" : "");
    }
    if (gndm_rank(c) == 0)
        printf("at most %.2f us more\n", 1e6 * most);
    gndm_scope_end(c);
    gnd_scope_end();
    gndm_part_free(p);
    gndm_part_free(ps);
    gndm_close(c);
    MPI_Finalize();
    return 0;
}
