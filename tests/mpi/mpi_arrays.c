/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_arrays.c [WAYS] - distributed arrays in ways of cutting (digits of dist_part, all of them by
 * default) against gnd on one rank: in and out,
 * redistribution, elementwise functions, reductions, creation, views, functions along axes,
 * products. Started by mpi.sh.
 */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The ranks compute on devices of different names: their elementary functions may round apart. */
static int unlike;

static void compare_devices(void)
{
    gnd_device_info mine = {.name = ""}, first;
    const gnd_status st = gnd_device_describe(dev, &mine);
    first = mine;
    MPI_Bcast(first.name, sizeof first.name, MPI_CHAR, 0, MPI_COMM_WORLD);
    unlike = strcmp(first.name, mine.name) != 0;
    MPI_Allreduce(MPI_IN_PLACE, &unlike, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    dist_ok(st == GND_OK, "devices of %s", unlike ? "different names" : "one name");
}

static gndm_array *named(const char *name, gndm_array *x, const char *key, gnd_value v)
{
    const gnd_value in[2] = {gndm_value(x), v};
    return gndm_apply(ctx, NULL, name, 2, in, 1, &key);
}

static gnd_array *local_named(const char *name, gnd_array *x, const char *key, gnd_value v)
{
    const gnd_value in[2] = {gnd_value_array(x), v};
    gnd_value out;
    if (gnd_call(dev, name, 2, in, 1, &key, &out))
        return gnd_fail(GND_ERR_ARG, "%s", gnd_message());
    return out.tag == GND_V_ARRAY ? out.as.array : gnd_fail(GND_ERR_ARG, "no array");
}

/* Numbers with a NaN, infinities and ties. */
static gnd_array *sample(gnd_dtype t, int ndim, const int64_t *shape, int special)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    double *v = malloc((size_t)n * sizeof *v + 1);
    for (int64_t i = 0; i < n; i++)
        v[i] = (double)((i * 7919 + 13) % 101) / 8 - 6;
    if (special && n > 20) {
        v[n / 2] = NAN;
        v[n / 3] = INFINITY;
        v[n - 2] = -INFINITY;
    }
    gnd_array *x = gnd_from(dev, GND_FLOAT64, ndim, shape, v);
    free(v);
    return gnd_astype(t == GND_UINT8 ? gnd_abs(x) : x, t);
}

static void movement(void)
{
    const int64_t shape[3] = {13, 5, 6}, none[2] = {0, 4};
    gnd_array *x = sample(GND_FLOAT32, 3, shape, 0);
    for (int i = 0; i < WAYS; i++)
        for (int j = 0; j < WAYS; j++) {
            gndm_array *a = dist_array(x, i);
            gndm_part *p = dist_part(j, 3, shape);
            dist_same(gndm_redistribute(a, p), x, 0, "way %d to way %d", i, j);
            gndm_part_free(p);
            gndm_release(a);
        }
    gnd_array *y = gnd_zeros(dev, GND_INT64, 2, none);
    dist_same(dist_array(y, 0), y, 0, "no elements");
    const int64_t large[2] = {1100, 1009};
    x = sample(GND_FLOAT64, 2, large, 0);
    gndm_array *a = dist_array(x, 0);
    gndm_part *p = dist_part(2, 2, large);
    dist_same(gndm_redistribute(a, p), x, 0, "more than a chunk");
    gndm_part_free(p);
    gndm_release(a);
}

static void elementwise(int way)
{
    const int64_t shape[2] = {17, 6};
    gnd_array *x = sample(GND_FLOAT32, 2, shape, 1), *y = sample(GND_INT32, 2, shape, 0);
    gnd_array *row = sample(GND_FLOAT32, 1, shape + 1, 0), *col = gnd_at(x, ":, 1:2");
    gndm_array *a = dist_array(x, way), *b = dist_array(y, (way + 1) % WAYS);
    gndm_array *r = dist_array(row, 0), *c = dist_array(col, way);
    gndm_stats before, after;
    gndm_get_stats(ctx, &before);
    gndm_array *z = gndm_binary("add", gndm_unary("exp", a), a);
    gndm_get_stats(ctx, &after);
    dist_ok(before.exchanges == after.exchanges, "way %d: no message with one partition", way);
    dist_same(z, gnd_add(gnd_exp(x), x), unlike ? 4e-7 : 0, "way %d: exp(x) + x", way);
    dist_same(gndm_binary("multiply", a, b), gnd_multiply(x, y), 0, "way %d: mixed cuts", way);
    dist_same(gndm_binary("subtract", a, r), gnd_sub(x, row), 0, "way %d: a row", way);
    dist_same(gndm_binary("subtract", c, r), gnd_sub(col, row), 0, "way %d: column and row", way);
    dist_same(gndm_with("pow", a, 2), gnd_pow(x, gnd_real(2)), 0, "way %d: a number", way);
    dist_same(gndm_unary("isnan", a), gnd_isnan(x), 0, "way %d: bools", way);
    gnd_value v[3] = {gndm_value(gndm_with("greater", a, 0)), gndm_value(a), gnd_value_int(0)};
    dist_same(gndm_apply(ctx, NULL, "where", 3, v, 0, NULL),
              gnd_where(gnd_greater(x, gnd_int(0)), x, gnd_int(0)), 0, "way %d: where", way);
    gnd_value in = gndm_value(a), out;
    const gnd_status st = gndm_call(ctx, "modf", 1, &in, 0, NULL, &out);
    dist_ok(st == GND_OK && out.tag == GND_V_TUPLE && out.as.items.n == 2, "way %d: modf", way);
    gndm_value_clear(&out);
    gndm_array *bad = gndm_binary("add", a, dist_array(sample(GND_FLOAT32, 1, shape, 0), 0));
    dist_ok(gndm_status_of(bad) == GND_ERR_SHAPE && strstr(gndm_error(bad), "(17, 6)"),
            "way %d: shapes that do not fit: %s", way, gndm_error(bad));
    bad = gndm_unary("bitwise_invert", a);
    dist_ok(gndm_status_of(bad) == GND_ERR_DTYPE, "way %d: a dtype that is not allowed", way);
}

/* All reductions of float32 in two ways of cutting, and a part of them of other dtypes and ways. */
static void reductions(int way)
{
    static const char *const names[] = {"sum",    "prod",          "max",    "min", "any",
                                        "all",    "count_nonzero", "mean",   "var", "std",
                                        "argmax", "argmin",        "median", "ptp"};
    static const gnd_dtype dtypes[] = {GND_FLOAT32, GND_INT32, GND_BOOL,   GND_COMPLEX64,
                                       GND_FLOAT16, GND_UINT8, GND_FLOAT64};
    const int64_t shape[2] = {19, 7};
    for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
        for (int special = 0; special < 2; special++) {
            if ((special && dtypes[t] != GND_FLOAT32) || (t > 1 && (int)t % WAYS != way))
                continue;
            gnd_array *x = sample(dtypes[t], 2, shape, special);
            gndm_array *a = dist_array(x, way);
            for (size_t f = 0; f < sizeof names / sizeof *names; f++)
                for (int axis = -1; axis < 2; axis++) {
                    if ((int)(f + t) % 3 != axis + 1 && (t > 0 || way > 1))
                        continue; /* one of three */
                    const gnd_value v = axis < 0 ? gnd_value_none() : gnd_value_int(axis);
                    gnd_array *ref = local_named(names[f], x, "axis", v);
                    gndm_array *y = named(names[f], a, "axis", v);
                    if (gnd_status_of(ref)) {
                        dist_ok(gndm_status_of(y) != GND_OK, "way %d: %s of %s is an error", way,
                                names[f], gnd_dtype_name(dtypes[t]));
                        gndm_release(y);
                        continue;
                    }
                    const double tol =
                        gnd_dtype_of(ref) == GND_FLOAT64 || gnd_dtype_of(ref) == GND_COMPLEX128
                            ? 1e-13
                            : 2e-6;
                    dist_same(y, ref, tol, "way %d: %s of %s%s, axis %d", way, names[f],
                              gnd_dtype_name(dtypes[t]), special ? " with NaN" : "", axis);
                }
            gndm_release(a);
        }
    gnd_array *x = sample(GND_FLOAT32, 2, shape, 0);
    gndm_array *a = dist_array(x, way);
    dist_same(named("sum", a, "keepdims", gnd_value_bool(1)),
              local_named("sum", x, "keepdims", gnd_value_bool(1)), 2e-6, "way %d: keepdims", way);
    dist_same(named("sum", a, "initial", gnd_value_int(5)),
              local_named("sum", x, "initial", gnd_value_int(5)), 2e-6, "way %d: initial", way);
    const int64_t none[2] = {0, 4};
    gnd_array *e = gnd_zeros(dev, GND_FLOAT32, 2, none);
    gndm_array *d = dist_array(e, way);
    dist_same(gndm_along("sum", d, 0), gnd_sum(e, GND_AXIS(0), 0), 0, "way %d: sum of nothing",
              way);
    gndm_array *bad = gndm_along("max", d, 0);
    dist_ok(gndm_status_of(bad) == GND_ERR_SHAPE, "way %d: max of nothing", way);
    bad = gndm_along("sum", a, 4);
    dist_ok(gndm_status_of(bad) == GND_ERR_AXIS, "way %d: no such axis", way);
}

/* Two reductions to one number, which is combined on the host, of every dtype in one of the ways;
 * and reading it. */
static void numbers(int way)
{
    const int64_t shape[2] = {23, 3};
    for (gnd_dtype t = GND_BOOL; t < GND_NDTYPES; t++) {
        const int complex_in = gnd_dtype_kind(t) == 'c',
                  floats = strchr("fc", gnd_dtype_kind(t)) != 0;
        const int bits = 8 * (int)gnd_dtype_size(t) / (1 + complex_in);
        const double tol = !floats ? 0 : bits == 16 ? 1e-2 : bits == 32 ? 2e-6 : 1e-13;
        gnd_array *x = sample(t, 2, shape, floats && t % 2);
        gndm_array *a = (int)t % WAYS == way ? dist_array(x, way) : NULL;
        for (int f = 0; f < 2 && a; f++) {
            const char *name = f ? "prod" : complex_in ? "mean" : "max";
            gnd_array *ref = local_named(name, x, "axis", gnd_value_none());
            gndm_array *y = named(name, a, "axis", gnd_value_none());
            gnd_status st = GND_OK, so = GND_OK;
            const double is = gndm_item_f64(y, &st), of = gnd_item_f64(ref, &so);
            dist_ok(st == so && isnan(is) == isnan(of), "way %d: the number of %s of %s: %g, %g",
                    way, name, gnd_dtype_name(t), is, of);
            dist_same(y, ref, tol, "way %d: %s of all %s", way, name, gnd_dtype_name(t));
        }
        if (a)
            gndm_release(a);
    }
    gnd_array *x = sample(GND_INT32, 2, shape, 0);
    dist_same(named("sum", dist_array(x, way), "dtype", gnd_value_dtype(GND_BOOL)),
              local_named("sum", x, "dtype", gnd_value_dtype(GND_BOOL)), 0, "way %d: a sum as bool",
              way);
}

static void creation(void)
{
    const gnd_value shape_items[2] = {gnd_value_int(31), gnd_value_int(5)};
    const gnd_value shape = gnd_value_tuple(2, shape_items);
    static const char *const random[] = {"random", "standard_normal", "standard_gamma"};
    static const char *const size_name[] = {"size"};
    gnd_value v[3] = {gnd_value_int(3), gnd_value_int(40), gnd_value_int(2)}, out;
    gnd_call(dev, "arange", 3, v, 0, NULL, &out);
    dist_same(gndm_apply(ctx, NULL, "arange", 3, v, 0, NULL), out.as.array, 0, "arange");
    gnd_call(dev, "linspace", 3, v, 0, NULL, &out);
    dist_same(gndm_apply(ctx, NULL, "linspace", 3, v, 0, NULL), out.as.array, 0, "linspace");
    *gnd_call_rng() = gnd_rng_seed(7);
    v[0] = gnd_value_int(7);
    gndm_call(ctx, "seed", 1, v, 0, NULL, &out);
    for (int i = 0; i < 3; i++) {
        const int64_t dim[2] = {31, 5};
        gnd_value in[2] = {gnd_value_float(2.5), shape};
        const int first = i < 2;
        gndm_part *p = dist_part(1, 2, dim);
        gnd_call(dev, random[i], 2 - first, in + first, 1, size_name, &out);
        dist_same(gndm_apply(ctx, p, random[i], 2 - first, in + first, 1, size_name), out.as.array,
                  unlike && i > 0 ? 1e-15 : 0, "%s of odd cuts", random[i]);
        gndm_part_free(p);
    }
}

static void views(int way)
{
    static const char *const text[] = {
        "2:11", "3", ":, 1::2", "None, 5:2, ...", "..., ::-1", "-1, :, None, 2", "1:12:3, 1, ::-2",
        "::-3"};
    const int64_t shape[3] = {13, 4, 5};
    gnd_array *x = sample(GND_INT32, 3, shape, 0);
    gndm_array *a = dist_array(x, way);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        dist_same(gndm_at(a, text[i]), gnd_at(x, text[i]), 0, "way %d: x[%s]", way, text[i]);
    dist_same(gndm_unary("permute_dims", a), gnd_T(x), 0, "way %d: T", way);
    gnd_value v[3] = {gndm_value(a), gnd_value_int(0), gnd_value_int(2)};
    dist_same(gndm_apply(ctx, NULL, "moveaxis", 3, v, 0, NULL),
              gnd_moveaxis(x, 1, (int[]){0}, (int[]){2}), 0, "way %d: moveaxis", way);
    dist_same(gndm_along("expand_dims", a, 1), gnd_expand_dims(x, GND_AXIS(1)), 0,
              "way %d: expand_dims", way);
    gnd_array *thin = gnd_at(x, ":, 1:2");
    gndm_array *t = dist_array(thin, way);
    dist_same(gndm_unary("squeeze", t), gnd_squeeze(thin, GND_ALL), 0, "way %d: squeeze", way);
    dist_ok(gndm_status_of(gndm_at(a, "99")) == GND_ERR_INDEX, "way %d: an index out of range",
            way);
    gndm_release(a);
    gndm_release(t);
}

static void lines(int way)
{
    static const char *const names[] = {"sort",    "argsort", "cumsum", "fft",
                                        "softmax", "diff",    "flip",   "nansum"};
    const int64_t shape[2] = {16, 9};
    gnd_array *x = sample(GND_FLOAT32, 2, shape, 0);
    gndm_array *a = dist_array(x, way);
    for (size_t f = 0; f < sizeof names / sizeof *names; f++)
        for (int axis = 0; axis < 2; axis++) {
            const gnd_value v = gnd_value_int(axis);
            dist_same(named(names[f], a, "axis", v), local_named(names[f], x, "axis", v), 2e-6,
                      "way %d: %s along %d", way, names[f], axis);
        }
    gnd_array *flat = gnd_reshape(x, 1, (int64_t[]){144});
    gndm_array *b = dist_array(flat, way);
    gnd_value in = gnd_value_array(flat), out;
    gnd_call(dev, "sort", 1, &in, 0, NULL, &out);
    dist_same(gndm_unary("sort", b), out.as.array, 0, "way %d: sort of a vector", way);
    gnd_call(dev, "unique", 1, &in, 0, NULL, &out);
    dist_same(gndm_unary("unique", b), out.as.array, 0, "way %d: unique", way);
    gndm_release(a);
    gndm_release(b);
}

static void products(int way)
{
    const int64_t s[3] = {18, 11, 7};
    gnd_array *x = sample(GND_FLOAT32, 2, s, 0), *y = sample(GND_FLOAT32, 2, s + 1, 0);
    gnd_array *v = sample(GND_FLOAT32, 1, s + 1, 0);
    gndm_array *a = dist_array(x, way), *b = dist_array(y, (way + 2) % WAYS), *c = dist_array(v, 0);
    dist_same(gndm_binary("matmul", a, b), gnd_matmul(x, y), 1e-6, "way %d: matmul", way);
    dist_same(gndm_binary("matmul", a, c), gnd_matmul(x, v), 1e-6, "way %d: times a vector", way);
    dist_ok(gndm_status_of(gndm_binary("matmul", a, a)) == GND_ERR_SHAPE, "way %d: shapes", way);
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    gndm_scope_begin(ctx);
    compare_devices();
    movement();
    creation();
    for (const char *s = argc > 1 ? argv[1] : "01234"; *s; s++) {
        const int way = *s - '0';
        gndm_scope_begin(ctx);
        elementwise(way);
        reductions(way);
        views(way);
        lines(way);
        products(way);
        numbers(way);
        gndm_scope_end(ctx);
    }
    dist_ok(gndm_function_class("exp") && !gndm_function_class("nothing"), "classes of functions");
    gndm_scope_end(ctx);
    return dist_end();
}
