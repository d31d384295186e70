/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_linear.c - transforms, products and factorizations over the ranks, against what gnd computes
 * on one rank, and by their residuals. Bounds are multiples of eps and of the size, as the error
 * analysis of each algorithm has them.
 */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int all; /* GND_TEST_ALL: else few dtypes, since each has kernels to compile */

static gnd_array *local_call(const char *name, int n, const gnd_value *v, int nkw,
                             const char *const *kw)
{
    gnd_value out;
    if (gnd_call(dev, name, n, v, nkw, kw, &out))
        return gnd_fail(GND_ERR_ARG, "%s", gnd_message());
    return out.tag == GND_V_ARRAY ? out.as.array : gnd_fail(GND_ERR_ARG, "no array");
}

static double eps_of(gnd_dtype t)
{
    return t == GND_FLOAT64 || t == GND_COMPLEX128 ? 2.3e-16 : 1.2e-7;
}

/* --- transforms ------------------------------------------------------------------------------- */

/* A transform by name, distributed in one way, against that of one rank: within some eps log n of
 * the largest element. */
static void transform(const char *name, gnd_array *x, int way, int nkw, const char *const *kw,
                      const gnd_value *values)
{
    gnd_value v[4] = {gnd_value_array(x)};
    for (int i = 0; i < nkw; i++)
        v[i + 1] = values[i];
    gnd_array *ref = local_call(name, nkw + 1, v, nkw, kw);
    gndm_array *a = dist_array(x, way);
    v[0] = gndm_value(a);
    dist_same(gndm_apply(ctx, NULL, name, nkw + 1, v, nkw, kw), ref, 16 * eps_of(gnd_dtype_of(ref)),
              "way %d: %s of %s, %lld elements", way, name, gnd_dtype_name(gnd_dtype_of(x)),
              (long long)gnd_size(x));
    gndm_release(a);
}

static void transforms(int way)
{
    static const char *const names[] = {"fftn", "rfftn", "irfftn", "ifft2", "ifftn", "fft2"};
    static const char *const axes_name[] = {"axes", "norm"}, *const s_name[] = {"s"};
    const int64_t shape[3] = {9, 10, 9}, none[3] = {4, 0, 3};
    const gnd_value pair[2] = {gnd_value_int(2), gnd_value_int(0)};
    const gnd_value lengths[2] = {gnd_value_int(5), gnd_value_int(12)};
    gnd_array *x = dist_sample(GND_FLOAT64, 3, shape, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (i > 1 && !all)
            continue;
        transform(names[i], x, way, 0, NULL, NULL);
    }
    const gnd_value v[2] = {gnd_value_tuple(2, pair), gnd_value_string("ortho")};
    const gnd_value s = gnd_value_tuple(2, lengths);
    if (all) {
        transform("fftn", x, way, 2, axes_name, v);
        transform("rfftn", x, way, 2, axes_name, v);
        transform("irfft2", x, way, 1, s_name, &s);
    }
    const int64_t rows[3] = {4, 0, 3};
    gnd_array *e = gnd_zeros(dev, GND_FLOAT32, 3, rows);
    const gnd_value zero = gnd_value_int(0);
    static const char *const axis[] = {"axis"};
    transform("fft", e, way, 1, axis, &zero);
    gndm_array *d = dist_array(gnd_zeros(dev, GND_FLOAT32, 3, none), way);
    gndm_array *bad = gndm_along("fft", d, 1);
    dist_ok(gndm_status_of(bad) == GND_ERR_ARG, "way %d: a transform of no elements: %s", way,
            gndm_error(bad));
}

/* Vectors: lengths with two factors, even and odd, and a prime. */
static void vectors(int way)
{
    static const char *const n_norm[] = {"n", "norm"};
    const int64_t even = 18000, odd = 17325, prime = 16411;
    gnd_array *x = dist_sample(GND_FLOAT64, 1, &even, 2),
              *y = dist_sample(GND_COMPLEX128, 1, &odd, 3);
    gnd_array *z = dist_sample(GND_FLOAT64, 1, &prime, 4);
    transform("rfft", x, way, 0, NULL, NULL);
    transform("fft", z, way, 0, NULL, NULL);
    if (!all)
        return;
    transform("fft", y, way, 0, NULL, NULL);
    gnd_value v[2] = {gnd_value_int(odd), gnd_value_string("ortho")};
    transform("irfft", x, way, 2, n_norm, v); /* padded */
    transform("rfft", gnd_real_part(y), way, 2, n_norm, v);
    transform("rfft", gnd_astype(x, GND_FLOAT32), way, 0, NULL, NULL);
    v[0] = gnd_value_int(prime);
    v[1] = gnd_value_string("forward");
    transform("ifft", y, way, 2, n_norm, v); /* truncated, by Bluestein's algorithm */
}

/* No rank needs the whole vector: what each sends is its part, a few times. */
static void traffic(void)
{
    const int64_t n = 65536;
    gnd_array *x = dist_sample(GND_COMPLEX128, 1, &n, 5);
    gndm_array *a = dist_array(x, 0);
    gndm_stats before, after;
    gndm_get_stats(ctx, &before);
    gndm_array *y = gndm_unary("fft", a);
    gndm_wait(ctx, 1, &y);
    gndm_get_stats(ctx, &after);
    const double sent = (double)(after.bytes - before.bytes) / (double)(n * 16);
    dist_ok(size == 1 || sent < 3.2 / size, "a transform sends each element at most three times");
    gndm_release(y);
    gndm_release(a);
}

/* --- products --------------------------------------------------------------------------------- */

static void product(gnd_array *x, gnd_array *y, int wx, int wy)
{
    gndm_array *a = dist_array(x, wx), *b = dist_array(y, wy);
    gnd_array *ref = gnd_matmul(x, y);
    const int64_t k = gnd_dim(x, gnd_ndim(x) - 1);
    dist_same(gndm_binary("matmul", a, b), ref, 4 * (double)(k + 1) * eps_of(gnd_dtype_of(ref)),
              "ways %d and %d: %s%dd @ %s%dd of %lld", wx, wy, gnd_dtype_name(gnd_dtype_of(x)),
              gnd_ndim(x), gnd_dtype_name(gnd_dtype_of(y)), gnd_ndim(y), (long long)k);
    gndm_release(a);
    gndm_release(b);
}

static void products(int way)
{
    const int64_t tall[2] = {700, 5}, wide[2] = {5, 700}, square[2] = {61, 61}, line = 61,
                  none[2] = {61, 0}, nothing[2] = {0, 9}, stack[3] = {4, 11, 61},
                  stacks[4] = {2, 1, 61, 3};
    const gnd_dtype r = all ? GND_FLOAT32 : GND_FLOAT64, z = all ? GND_COMPLEX64 : GND_COMPLEX128;
    gnd_array *x = dist_sample(r, 2, tall, 6), *y = dist_sample(r, 2, wide, 7);
    gnd_array *s = dist_sample(z, 2, square, 8), *v = dist_sample(GND_FLOAT64, 1, &line, 9);
    const int other = (way + 2) % WAYS;
    product(y, x, way, other);
    product(y, x, 2, 0); /* the inner axis is cut in both */
    product(x, y, way, other);
    product(s, v, way, 0);
    product(v, s, 0, way);
    product(v, v, 0, other);
    product(gnd_zeros(dev, GND_FLOAT64, 2, none), gnd_zeros(dev, GND_FLOAT64, 2, nothing), way,
            other);
    const int64_t ints[2] = {40, 6};
    gnd_array *i = dist_sample(GND_INT32, 2, ints, 20);
    if (all)
        product(gnd_T(i), i, 2, way);
    gnd_array *t = dist_sample(GND_FLOAT64, 3, stack, 10),
              *u = dist_sample(GND_FLOAT64, 4, stacks, 11);
    product(t, v, way, 0);
    product(s, gnd_mT(t), 0, way);
    product(t, u, way, other);
    product(t, gnd_mT(t), way, 0);
}

/* A product that is worth a grid, and one of more than a panel with GND_TEST_ALL. */
static void large_products(void)
{
    const int64_t n[2] = {420, 390}, m[2] = {390, 450};
    gnd_array *x = dist_sample(GND_FLOAT64, 2, n, 12), *y = dist_sample(GND_FLOAT64, 2, m, 13);
    product(x, y, 3, 2);
    product(x, y, 0, 1);
    if (!all)
        return;
    const int64_t a[2] = {30, 300000}, b[2] = {300000, 40};
    product(dist_sample(GND_FLOAT64, 2, a, 14), dist_sample(GND_FLOAT64, 2, b, 15), 4, 2);
    product(dist_sample(GND_FLOAT64, 2, a, 14), dist_sample(GND_FLOAT64, 2, b, 15), 0, 2);
}

/* --- decompositions --------------------------------------------------------------------------- */

/* The largest magnitude of x, as a number. */
static double largest(gnd_array *x)
{
    gnd_status st;
    const double y = gnd_item_f64(gnd_max(gnd_abs(x), GND_ALL, 0), &st);
    return st ? INFINITY : y;
}

/* x whole on every rank. */
static gnd_array *whole(gndm_array *x)
{
    char *data = malloc((size_t)gndm_elements(x) * gnd_dtype_size(gndm_dtype_of(x)) + 1);
    const gnd_status st =
        gndm_read(x, data, (size_t)gndm_elements(x) * gnd_dtype_size(gndm_dtype_of(x)));
    gnd_array *y = st ? gnd_fail(st, "%s", gndm_message(ctx))
                      : gnd_from(dev, gndm_dtype_of(x), gndm_ndim(x), gndm_shape(x), data);
    free(data);
    return y;
}

/* Q R is x within a multiple of eps n of its size, and Q^H Q the identity; R is a triangle, and up
 * to the sign of its rows that of one rank. */
static void qr(gnd_dtype t, int64_t m, int64_t n, int way)
{
    const int64_t shape[2] = {m, n};
    static const char *const mode[] = {"mode"};
    gnd_array *x = dist_sample(t, 2, shape, 16), *ref_q, *ref_r;
    gndm_array *a = dist_array(x, way);
    gnd_value v[2] = {gndm_value(a), gnd_value_string("r")}, out;
    const double tol = 8 * (double)n * eps_of(t);
    if (!dist_ok(!gndm_call(ctx, "qr", 1, v, 0, NULL, &out) && out.tag == GND_V_TUPLE,
                 "way %d: qr of %s (%lld, %lld)", way, gnd_dtype_name(t), (long long)m,
                 (long long)n))
        return;
    gndm_array *dq = (gndm_array *)(void *)out.as.items.item[0].as.array;
    gndm_array *dr = (gndm_array *)(void *)out.as.items.item[1].as.array;
    gnd_array *q = whole(dq), *r = whole(dr);
    gnd_qr(x, 0, &ref_q, &ref_r);
    const double back = largest(gnd_subtract(gnd_matmul(q, r), x)) / sqrt((double)m);
    const double orth = largest(
        gnd_subtract(gnd_matmul(gnd_conj(gnd_T(q)), q), gnd_eye(dev, GND_FLOAT32, n, n, 0)));
    const double signs = largest(gnd_subtract(gnd_abs(r), gnd_abs(ref_r))) / largest(ref_r);
    dist_ok(back <= tol && orth <= tol, "Q R is x (%.1g), Q is orthogonal (%.1g)", back, orth);
    dist_ok(largest(gnd_subtract(r, gnd_triu(r, 0))) == 0 && signs <= 8 * tol,
            "R is the triangle of one rank but for signs (%.1g)", signs);
    dist_same(gndm_apply(ctx, NULL, "qr", 2, v, 1, mode), r, 0, "mode r gives the same R");
    gndm_value_clear(&out);
}

/* The four results of lstsq against those of one rank; the condition of x is small. */
static void lstsq(gnd_dtype t, int64_t m, int64_t n, int64_t k, int way)
{
    const int64_t sx[2] = {m, n}, sb[2] = {m, k};
    gnd_array *x = dist_sample(t, 2, sx, 17), *b = dist_sample(t, k ? 2 : 1, sb, 18), *ref[4];
    gnd_value v[2] = {gndm_value(dist_array(x, way)), gndm_value(dist_array(b, 0))}, out;
    gnd_lstsq(x, b, -1, &ref[0], &ref[1], &ref[2], &ref[3]);
    if (!dist_ok(!gndm_call(ctx, "lstsq", 2, v, 0, NULL, &out) && out.as.items.n == 4,
                 "way %d: lstsq of %s (%lld, %lld) and %lld", way, gnd_dtype_name(t), (long long)m,
                 (long long)n, (long long)k))
        return;
    for (int i = 0; i < 4; i++) {
        gndm_array *y = (gndm_array *)(void *)out.as.items.item[i].as.array;
        dist_same(gndm_retain(y), ref[i], i == 2 ? 0 : 32 * (double)n * eps_of(t), "result %d", i);
    }
    gndm_value_clear(&out);
}

static void decompositions(int way)
{
    qr(GND_FLOAT64, 151, 9, way);
    qr(GND_FLOAT64, 12, 7, way); /* not tall enough */
    lstsq(GND_FLOAT64, 160, 6, 3, way);
    if (all) {
        lstsq(GND_FLOAT64, 130, 5, 0, way);
        qr(GND_COMPLEX64, 90, 4, way);
        qr(GND_FLOAT32, 640, 12, way);
        lstsq(GND_COMPLEX128, 9, 8, 2, way);
        lstsq(GND_FLOAT32, 200, 8, 1, way);
    }
    const int64_t shape[2] = {80, 3};
    gnd_array *x = dist_sample(GND_FLOAT64, 2, shape, 19);
    x = gnd_where(gnd_greater(x, gnd_real(0.98)), gnd_real(NAN), x);
    gnd_value v[2] = {gndm_value(dist_array(x, way)), gndm_value(dist_array(x, 0))}, out;
    const gnd_status st = gndm_call(ctx, "lstsq", 2, v, 0, NULL, &out);
    dist_ok(st == GND_ERR_LINALG, "way %d: lstsq of NaN: %s", way, gndm_message(ctx));
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    all = getenv("GND_TEST_ALL") != NULL;
    gndm_scope_begin(ctx);
    for (const char *s = argc > 1 ? argv[1] : "01234"; *s; s++) {
        const int way = *s - '0';
        gndm_scope_begin(ctx);
        transforms(way);
        vectors(way);
        products(way);
        decompositions(way);
        gndm_scope_end(ctx);
    }
    if (all)
        traffic();
    large_products();
    gndm_scope_end(ctx);
    return dist_end();
}
