/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_factor.c - Cholesky, systems, inverses and determinants of distributed matrices against what
 * gnd computes on one rank. The matrices are well conditioned, so the bounds are multiples of eps
 * and of n. Errors have the text of one rank's.
 */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int all; /* GND_TEST_ALL: else one dtype, since each has kernels to compile */

static double bound_of(gnd_dtype t, int64_t n)
{
    return 64 * (double)n * (t == GND_FLOAT64 || t == GND_COMPLEX128 ? 2.3e-16 : 1.2e-7);
}

/* The call on one rank and distributed: the same results, within tol of the largest element, or the
 * same error. */
static void same(const char *name, int n, gnd_array *const *x, int way, int upper, double tol)
{
    static const char *const keyword[] = {"upper"};
    gnd_value v[3], ref, out;
    gndm_array *d[2] = {NULL, NULL};
    char text[512], shape[64] = "";
    for (int i = 0; i < n; i++)
        v[i] = gnd_value_array(x[i]);
    v[n] = gnd_value_bool(1);
    for (int i = 0; i < gnd_ndim(x[n - 1]); i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), " %lld",
                 (long long)gnd_dim(x[n - 1], i));
    gnd_status want = gnd_call(dev, name, n + upper, v, upper, keyword, &ref);
    const int many = !want && ref.tag == GND_V_TUPLE;
    for (int i = 0; i < (many ? 2 : 1) && !want; i++)
        want = gnd_wait(many ? ref.as.items.item[i].as.array : ref.as.array);
    gnd_array *one = want || many ? NULL : ref.as.array;
    snprintf(text, sizeof text, "%s", want && one ? gnd_error(one) : gnd_message());
    for (int i = 0; i < n; i++)
        v[i] = gndm_value(d[i] = dist_array(x[i], i ? (way + 2) % WAYS : way));
    gnd_status got = gndm_call(ctx, name, n + upper, v, upper, keyword, &out);
    if (want) {
        const char *plain = strncmp(text, "wait: ", 6) ? text : text + 6;
        /* copies on every rank are computed by one rank's function, and an agreement adds the rank
         */
        const char *message = strstr(gndm_message(ctx), plain);
        dist_ok(got == want && message && (size == 1 || way == 4 || message == gndm_message(ctx)),
                "way %d: %s of %s: \"%s\" is \"%s\"", way, name, shape, gndm_message(ctx), plain);
    } else if (dist_ok(!got, "way %d: %s%s of %s%s", way, name, upper ? " (upper)" : "",
                       gnd_dtype_name(gnd_dtype_of(x[0])), shape)) {
        for (int i = 0; i < (many ? 2 : 1); i++) {
            gndm_array *y =
                (gndm_array *)(void *)(many ? out.as.items.item[i].as.array : out.as.array);
            dist_same(gndm_retain(y), many ? ref.as.items.item[i].as.array : one, tol, "%s, %d",
                      name, i);
        }
        gndm_value_clear(&out);
    }
    for (int i = 0; i < n; i++)
        gndm_release(d[i]);
}

/* x x^H + 1: positive definite, of condition about n. */
static gnd_array *definite(gnd_array *x)
{
    gnd_array *y = gnd_matmul(x, gnd_conj(gnd_mT(x)));
    const int64_t n = gnd_dim(x, gnd_ndim(x) - 1);
    return gnd_add(y, gnd_eye(dev, gnd_dtype_of(x), n, n, 0));
}

/* sample + 4 on the diagonal after an exchange of rows, so that there are pivots. */
static gnd_array *regular(gnd_dtype t, int64_t n, uint32_t seed)
{
    const int64_t shape[2] = {n, n};
    gnd_array *x = dist_sample(t, 2, shape, seed);
    gnd_array *one = gnd_eye(dev, GND_INT32, n, n, 0);
    return gnd_flip(gnd_add(x, gnd_multiply(one, gnd_int(4))), GND_AXIS(0));
}

static void systems(gnd_dtype t, int64_t n, int way)
{
    const gnd_dtype f = gnd_dtype_kind(t) == 'i' ? GND_FLOAT64 : t;
    const double tol = bound_of(f, n);
    const int64_t few[2] = {n, 2}, many[2] = {n, n + 4};
    gnd_array *x = regular(t, n, 1), *b[3];
    b[0] = dist_sample(t, 1, &n, 2);
    b[1] = dist_sample(t, 2, few, 3);
    b[2] = dist_sample(t, 2, many, 4);
    for (int i = 0; i < 3; i += all ? 1 : 2)
        same("solve", 2, (gnd_array *[]){x, b[i]}, way, 0, tol);
    same("inv", 1, &x, way, 0, tol);
    same("det", 1, &x, way, 0, tol);
    same("slogdet", 1, &x, way, 0, tol);
}

static void cholesky(gnd_dtype t, int64_t n, int way)
{
    const int64_t shape[2] = {n, n};
    gnd_array *x = definite(dist_sample(t, 2, shape, 5));
    same("cholesky", 1, &x, way, 0, bound_of(t, n));
    /* what is above the diagonal is not read */
    x = gnd_where(gnd_tril(gnd_ones(dev, GND_BOOL, 2, shape), 0), x, gnd_real(NAN));
    same("cholesky", 1, &x, way, 1, bound_of(t, n));
}

/* One element (i, j) of x becomes v. */
static gnd_array *with(gnd_array *x, int64_t i, int64_t j, double v)
{
    const int64_t n = gnd_dim(x, 0), shape[2] = {n, n};
    gnd_array *at = gnd_equal(gnd_reshape(gnd_arange_i64(dev, 0, n * n, 1, GND_INT64), 2, shape),
                              gnd_int(i * n + j));
    return gnd_where(at, gnd_real(v), x);
}

static void errors(int way)
{
    const int64_t n = 29, shape[2] = {n, n}, line = n;
    gnd_array *x = regular(GND_FLOAT64, n, 6), *b = dist_sample(GND_FLOAT64, 1, &line, 7), *y;
    gnd_array *column = gnd_arange_i64(dev, 0, n, 1, GND_INT64);
    gnd_array *zero = gnd_where(gnd_equal(column, gnd_int(19)), gnd_real(0), x);
    same("solve", 2, (gnd_array *[]){zero, b}, way, 0, 0);
    gnd_array *both = gnd_where(gnd_equal(gnd_expand_dims(column, GND_AXIS(1)), gnd_int(19)),
                                gnd_real(0), zero); /* inv may decompose the transpose */
    same("inv", 1, &both, way, 0, 0);
    same("det", 1, &zero, way, 0, 0);
    same("slogdet", 1, &zero, way, 0, 0);
    y = with(x, 11, 3, NAN);
    same("solve", 2, (gnd_array *[]){y, b}, way, 0, 0);
    same("det", 1, &y, way, 0, 0);
    x = definite(dist_sample(GND_FLOAT64, 2, shape, 8));
    y = with(x, 20, 20, -1);
    same("cholesky", 1, &y, way, 0, 0);
    y = with(x, 20, 4, INFINITY);
    same("cholesky", 1, &y, way, 0, 0);
    const int64_t wide[2] = {n, n - 1}, less = n - 1;
    y = dist_sample(GND_FLOAT64, 2, wide, 9);
    same("cholesky", 1, &y, way, 0, 0);
    same("solve", 2, (gnd_array *[]){x, dist_sample(GND_FLOAT64, 1, &less, 9)}, way, 0, 0);
}

/* Stacks keep the cuts of the stack; empty ones and matrices without elements. */
static void stacks(int way)
{
    const int64_t shape[3] = {5, 6, 6}, sides[3] = {5, 6, 2}, none[2] = {0, 0},
                  empty[3] = {0, 4, 4};
    gnd_array *x = dist_sample(GND_FLOAT64, 3, shape, 10), *y = definite(x);
    gnd_array *b = dist_sample(GND_FLOAT64, 3, sides, 11), *side = gnd_slice(b, 0, 0, 1);
    gnd_array *e = gnd_zeros(dev, GND_FLOAT64, 2, none), *z = gnd_zeros(dev, GND_FLOAT64, 3, empty);
    same("solve", 2, (gnd_array *[]){y, b}, way, 0, 1e-11);
    same("solve", 2, (gnd_array *[]){y, gnd_squeeze(side, GND_AXIS(0))}, way, 0, 1e-11);
    same("cholesky", 1, &y, way, 0, 1e-11);
    same("slogdet", 1, &y, way, 0, 1e-11);
    if (all) {
        same("inv", 1, &y, way, 0, 1e-11);
        same("det", 1, &y, way, 0, 1e-11);
    }
    same("det", 1, &e, way, 0, 0);
    same("inv", 1, &z, way, 0, 0);
}

/* A rank gets its share of the matrix and the panels, never more: less than the whole matrix for
 * each of the ways there and back, and half of it in panels. */
static void traffic(void)
{
    const int64_t n = 64, line = n;
    gnd_array *x = regular(GND_FLOAT64, n, 12), *b = dist_sample(GND_FLOAT64, 1, &line, 13);
    gndm_array *d = dist_array(x, 0), *s = dist_array(b, 0);
    gndm_stats before, after;
    gndm_get_stats(ctx, &before);
    gndm_array *y = gndm_binary("solve", d, s);
    gndm_wait(ctx, 1, &y);
    gndm_get_stats(ctx, &after);
    const double got = (double)(after.received - before.received) / (double)(n * n * 8);
    dist_ok(size == 1 || got < 0.5 + 0.5 + 1. / size + 0.3, "solve brings a rank %.2f matrices",
            got);
    gndm_release(y);
    gndm_release(d);
    gndm_release(s);
}

int main(int argc, char **argv)
{
    static const gnd_dtype dtypes[] = {GND_FLOAT64, GND_COMPLEX64, GND_FLOAT32, GND_COMPLEX128};
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    all = getenv("GND_TEST_ALL") != NULL;
    gndm_scope_begin(ctx);
    for (const char *s = argc > 1 ? argv[1] : all ? "01234" : "1"; *s; s++) {
        const int way = *s - '0';
        for (int i = 0; i < (all ? 4 : 1); i++) {
            gndm_scope_begin(ctx);
            systems(dtypes[i], 29, way);
            cholesky(dtypes[i], 29, way);
            if (all) {
                systems(dtypes[i], 64, way);
                cholesky(dtypes[i], 83, way);
            }
            gndm_scope_end(ctx);
        }
        if (all)
            systems(GND_INT32, 29, way);
        if (all || way == 1) {
            errors(way);
            stacks(way);
        }
    }
    if (all)
        traffic();
    gndm_scope_end(ctx);
    return dist_end();
}
