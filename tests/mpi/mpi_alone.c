/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_alone.c [all] - functions along axes that are whole on each rank: each rank computes its part
 * alone. Nothing is sent, dtype and shape are gnd's, the result is cut where the operand is, errors
 * have gnd's text on all ranks, and the host needs little more time than for the local call. `all`:
 * the elements of every row are compared, for which PoCL compiles many kernels. Started by mpi.sh.
 */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

/* A text, the axis of its result that is cut as axis 0 of x, and whether its elements are compared
 * without `all`. */
typedef struct row {
    const char *text;
    int axis, cheap;
} row;

static const row rows[] = {
    {"sum(x, axis=1)", 0, 1},
    {"prod(x, axis=-1, keepdims=True)", 0, 0},
    {"max(x, axis=1) + min(x, axis=(1,))", 0, 0},
    {"any(i, axis=1) & all(i, axis=1)", 0, 0},
    {"count_nonzero(i, axis=1)", 0, 0},
    {"mean(i, axis=1)", 0, 0},
    {"var(x, axis=1, ddof=1) + std(x, axis=1)", 0, 0},
    {"argmax(x, axis=1) - argmin(x, axis=1)", 0, 0},
    {"sum(x, axis=1, initial=2)", 0, 0},
    {"sum(x, axis=1, where=x > 0)", 0, 0},
    {"maximum.reduce(x, axis=1)", 0, 0},
    {"add.accumulate(x, axis=1)", 0, 0},
    {"nansum(x, axis=1) + nanprod(x, axis=1)", 0, 0},
    {"nanmean(x, axis=1, keepdims=True)", 0, 0},
    {"nanmean(i, axis=1)", 0, 0},
    {"nanvar(x, axis=1) + nanstd(x, axis=1, ddof=1)", 0, 0},
    {"nanmax(x, axis=1) - nanmin(x, axis=1)", 0, 0},
    {"nanargmax(x, axis=1) + nanargmin(x, axis=1)", 0, 0},
    {"ptp(i, axis=1)", 0, 0},
    {"logsumexp(x, axis=1, keepdims=True)", 0, 0},
    {"softmax(x, axis=1) + log_softmax(x, axis=1)", 0, 0},
    {"softmax(astype(x, float16), axis=-1)", 0, 0},
    {"normalize(x, axis=1) + standardize(x, axis=1)", 0, 0},
    {"vector_norm(x, axis=1) + norm(x, axis=1, ord=1)", 0, 0},
    {"norm(c, axis=(1, 2)) + matrix_norm(c, ord=1)", 0, 0},
    {"vecdot(x, y)", 0, 0},
    {"average(x, axis=1)", 0, 0},
    {"p, q = average(x, axis=1, returned=True); p + q", 0, 0},
    {"trapezoid(x)", 0, 0},
    {"median(x, axis=1) + nanmedian(x, axis=1)", 0, 0},
    {"quantile(x, 0.25, axis=1)", 0, 0},
    {"quantile(x, [0.25, 0.5], axis=1)", 1, 0},
    {"percentile(x, [25, 50], axis=1, keepdims=True)", 1, 0},
    {"sort(x, axis=1) + partition(x, 3)", 0, 0},
    {"argsort(x) + argpartition(x, 2, axis=1)", 0, 0},
    {"p, q = topk(x, 3); p * q", 0, 0},
    {"take_along_axis(x, i % 12, axis=1)", 0, 0},
    {"put_along_axis(x, i % 12, y, axis=1)", 0, 0},
    {"cumsum(x, axis=1) + cumprod(x, axis=1)", 0, 0},
    {"cumulative_sum(x, axis=1, include_initial=True)", 0, 0},
    {"cummax(x, axis=1) + nancumsum(x, axis=1)", 0, 0},
    {"diff(x, 2)", 0, 1},
    {"diff(x, axis=1, append=3)", 0, 1},
    {"gradient(x, axis=1)", 0, 0},
    {"unwrap(x)", 0, 0},
    {"cross(x[:, :3], y[:, :3])", 0, 0},
    {"flip(x, axis=1) + roll(x, 2, axis=1) + fftshift(x, axes=1)", 0, 1},
    {"roll(c, (1, 2), axis=(1, 2))", 0, 1},
    {"fft(x) + ifft(x, axis=1)", 0, 0},
    {"rfft(x, n=8)", 0, 0},
    {"irfft(x)", 0, 0},
    {"fft2(c) + fftn(c, axes=(1, 2))", 0, 0},
    {"dct(x, norm='ortho')", 0, 0},
};

/* Calls whose errors are those of gnd. */
static const char *const wrong[] = {
    "sum(x, axis=2)",         "topk(x, 13)", "median(x, axis=-3)", "fft(x, axis=2)",
    "quantile(x, 2, axis=1)", "diff(x, -1)", "softmax(c, axis=3)"};

enum { NAMES = 4 };
static const char *const names[NAMES] = {"x", "y", "i", "c"};
static gnd_array *plain[NAMES];

/* Whether y is cut along the axis where the array of partition p is along axis 0, and nowhere else;
 * p NULL: whether it is not cut. */
static int cut_as(gndm_array *y, const gndm_part *p, int axis)
{
    gndm_part *q = gndm_part_of(y);
    const int ndim = gndm_ndim(y);
    int64_t want[2][GND_MAX_NDIM], box[2][GND_MAX_NDIM];
    int right = gndm_part_status(q) == GND_OK;
    for (int r = 0; r < size && right; r++) {
        if (p)
            gndm_part_box(p, r, want[0], want[1]);
        gndm_part_box(q, r, box[0], box[1]);
        for (int d = 0; d < ndim; d++)
            right = right && box[0][d] == (p && d == axis ? want[0][0] : 0) &&
                    box[1][d] == (p && d == axis ? want[1][0] : gndm_shape(y)[d]);
    }
    gndm_part_free(q);
    return right;
}

/* way 1: odd cuts of axis 0 with an empty part; 4: copies. */
static void each(gndm_array *const *spread, int way, int all)
{
    gndm_part *p = gndm_part_of(spread[0]);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const row *r = &rows[k];
        gndm_stats before, after;
        gndm_scope_begin(ctx);
        gnd_scope_begin();
        gnd_array *ref = gnd_eval_names(dev, r->text, NAMES, names, plain);
        gndm_get_stats(ctx, &before);
        gndm_array *y = gndm_eval(ctx, r->text, NAMES, names, spread);
        gndm_get_stats(ctx, &after);
        int right = !gndm_status_of(y) && !gnd_status_of(ref) &&
                    gndm_dtype_of(y) == gnd_dtype_of(ref) && gndm_ndim(y) == gnd_ndim(ref);
        for (int d = 0; right && d < gnd_ndim(ref); d++)
            right = gndm_shape(y)[d] == gnd_shape(ref)[d];
        right = right && cut_as(y, way == 4 ? NULL : p, r->axis) &&
                before.messages == after.messages && before.exchanges == after.exchanges;
        dist_ok(right, "way %d: alone: %s %s%s", way, r->text, gndm_error(y), gnd_error(ref));
        if (all || r->cheap)
            dist_same(gndm_retain(y), ref, 1e-5, "way %d: %s", way, r->text);
        gnd_scope_end();
        gndm_scope_end(ctx);
    }
    gndm_part_free(p);
}

static void errors(gndm_array *const *spread)
{
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        gnd_array *ref = gnd_eval_names(dev, wrong[k], NAMES, names, plain);
        gndm_array *y = gndm_eval(ctx, wrong[k], NAMES, names, spread);
        dist_ok(gndm_status_of(y) && gndm_status_of(y) == gnd_status_of(ref) &&
                    !strcmp(gndm_error(y), gnd_error(ref)),
                "%s: %.90s", wrong[k], gndm_error(y));
        gnd_release(ref);
        gndm_release(y);
    }
    /* lists of elements are no ints along the axis: this one goes by the whole array */
    const gnd_value e[2] = {gnd_value_float(1), gnd_value_float(2)};
    const gnd_value v[3] = {gndm_value(spread[0]), gnd_value_int(1), gnd_value_tuple(2, e)};
    static const char *const kw[] = {"axis", "weights"};
    gndm_array *y = gndm_apply(ctx, NULL, "average", 3, v, 2, kw);
    dist_ok(gndm_status_of(y) != GND_OK, "weights of a wrong length: %.90s", gndm_error(y));
    gndm_release(y);
}

/* A part with an error of one rank: the call's shape is known, and the error is told later. */
static void of_one_rank(const gndm_part *p)
{
    int64_t from[2], to[2];
    gndm_part_box(p, rank, from, to);
    const int64_t dim[2] = {to[0] - from[0], to[1] - from[1]};
    gnd_array *local = gnd_zeros(dev, GND_FLOAT32, 2, dim);
    if (rank == 0) /* found when it is evaluated */
        local =
            gnd_add(local, gnd_take(gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){12}),
                                    gnd_full(dev, GND_INT64, 1, (int64_t[]){12}, gnd_int(99)), 0));
    gndm_array *x = gndm_wrap(ctx, local, p);
    gndm_array *y = gndm_along("nanvar", x, 1);
    dist_ok(!gndm_status_of(y) && gndm_ndim(y) == 1 && gndm_shape(y)[0] == 23,
            "a part with an error: %s", gndm_error(y));
    dist_ok(gndm_wait(ctx, 1, &y) != GND_OK && strstr(gndm_message(ctx), "[rank 0]") != NULL,
            "it is all ranks' then: %.90s", gndm_message(ctx));
    gndm_release(x);
    gndm_release(y);
}

/* The least time of a call of `name` along axis 1, of the rank's part or of the distributed array.
 */
static double least(const char *name, gnd_value x, int distributed)
{
    enum { ROUNDS = 40, CALLS = 10 };
    static const char *const kw[] = {"axis"};
    const gnd_value v[2] = {x, gnd_value_int(1)};
    gnd_value out;
    double best = 1;
    for (int i = 0; i < ROUNDS; i++) {
        gnd_scope_begin();
        gndm_scope_begin(ctx);
        const double t = MPI_Wtime();
        for (int k = 0; k < CALLS; k++)
            if (distributed)
                gndm_call(ctx, name, 2, v, 1, kw, &out);
            else
                gnd_call(dev, name, 2, v, 1, kw, &out);
        const double dt = (MPI_Wtime() - t) / CALLS;
        best = dt < best ? dt : best;
        gndm_scope_end(ctx);
        gnd_scope_end();
    }
    return best;
}

/* Compositions cost 50 to 500 us more; the goal is 10. Sanitizers are slower. */
static void costs(gndm_array *x)
{
    static const char *const some[] = {"nanvar", "logsumexp", "softmax", "median", "sort", "sum"};
    const char *sanitizers = getenv("GND_TEST_SANITIZERS");
    const double most = sanitizers && strcmp(sanitizers, "no") != 0 ? 1 : 40e-6;
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        const double local = least(some[k], gnd_value_array(gndm_local(x)), 0);
        const double more = least(some[k], gndm_value(x), 1) - local;
        dist_ok(more < most, "%s needs little more than the local call", some[k]);
    }
    /* whose end looked at all arrays, for 10 ns each */
    enum { ALIVE = 20000 };
    gndm_scope_begin(ctx);
    for (int i = 0; i < ALIVE; i++)
        gndm_at(x, ":1");
    dist_ok(least("sum", gndm_value(x), 1) - least("sum", gnd_value_array(gndm_local(x)), 0) < most,
            "a call does not need more when many arrays are alive");
    gndm_scope_end(ctx);
}

int main(int argc, char **argv)
{
    const int64_t m[2] = {23, 12}, cube[3] = {23, 4, 4};
    dist_begin(&argc, &argv, GNDM_EVEN);
    const int all = argc > 1 && !strcmp(argv[1], "all");
    plain[0] = dist_sample(GND_FLOAT32, 2, m, 1);
    plain[1] = dist_sample(GND_FLOAT32, 2, m, 2);
    plain[2] = gnd_abs(dist_sample(GND_INT32, 2, m, 3));
    plain[3] = dist_sample(GND_FLOAT32, 3, cube, 4);
    for (int way = 1; way < WAYS; way += 3) {
        gndm_array *spread[NAMES];
        gndm_part *p = dist_part(way, 2, m);
        for (int i = 0; i < NAMES; i++)
            spread[i] = dist_array(plain[i], way);
        each(spread, way, all);
        if (way == 1) {
            errors(spread);
            of_one_rank(p);
            costs(spread[0]);
        }
        gndm_part_free(p);
        for (int i = 0; i < NAMES; i++)
            gndm_release(spread[i]);
    }
    for (int i = 0; i < NAMES; i++)
        gnd_release(plain[i]);
    return dist_end();
}
