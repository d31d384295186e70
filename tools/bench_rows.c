/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_rows.c - the rows of gnd bench: each a few lines against the public API, as a user would
 * write them. Names with a size in them are made for the size at hand.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- inputs ----------------------------------------------------------------------------------- */

/* Uniform in [0, 1), 24 bits each: SplitMix64. */
static void fill(float *p, int64_t n, uint64_t seed)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15u;
    for (int64_t i = 0; i < n; i++) {
        uint64_t z = s += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        p[i] = (float)((z ^ z >> 31) >> 40) * 0x1p-24f;
    }
}

gnd_array *bench_random(bench *w, gnd_dtype t, int ndim, const int64_t *shape, uint64_t seed)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    if (w->on_device) {
        gnd_rng g = gnd_rng_seed(seed);
        gnd_array *r = gnd_rng_random(&g, w->dev, GND_FLOAT32, ndim, shape);
        return t == GND_FLOAT32 ? r : gnd_astype(r, t);
    }
    float *p = malloc((size_t)(n ? n : 1) * sizeof *p);
    if (!p)
        return gnd_fail(GND_ERR_NOMEM, "out of memory for %lld random numbers", (long long)n);
    fill(p, n, seed);
    gnd_array *x = gnd_from(w->dev, GND_FLOAT32, ndim, shape, p);
    free(p);
    return t == GND_FLOAT32 ? x : gnd_astype(x, t);
}

int bench_inputs(bench *w)
{
    char rows[40];
    int64_t n = w->n, square[2] = {w->side, w->side};
    w->host = malloc((size_t)n * sizeof *w->host);
    if (!w->host)
        return complain("bench", "out of memory for %lld numbers", (long long)n);
    if (w->on_device)
        memset(w->host, 0, (size_t)n * sizeof *w->host);
    else
        fill(w->host, n, 1);
    w->x = w->on_device ? bench_random(w, GND_FLOAT32, 1, &n, 1)
                        : gnd_from(w->dev, GND_FLOAT32, 1, &n, w->host);
    w->y = bench_random(w, GND_FLOAT32, 1, &n, 2);
    snprintf(rows, sizeof rows, ":%lld", (long long)(w->side * w->side));
    w->m = gnd_reshape(gnd_at(w->x, rows), 2, square);
    gnd_array *all[] = {w->x, w->y, w->m};
    for (int i = 0; i < 3; i++)
        if (gnd_status_of(all[i]) || gnd_wait(all[i]))
            return complain_of("bench", NULL, all[i]);
    return EXIT_DONE;
}

static void as_dtype(bench *w, const bench_row *r)
{
    w->a = gnd_astype(w->x, r->dtype);
    w->b = gnd_astype(w->y, r->dtype);
}

static void two_matrices(bench *w, const bench_row *r)
{
    int64_t shape[2] = {r->dim, r->dim};
    w->a = bench_random(w, r->dtype, 2, shape, 3);
    w->b = bench_random(w, r->dtype, 2, shape, 4);
}

static void batches(bench *w, const bench_row *r)
{
    int64_t shape[3] = {64, r->dim, r->dim};
    w->a = bench_random(w, r->dtype, 3, shape, 5);
    w->b = bench_random(w, r->dtype, 3, shape, 6);
}

static void thin_batches(bench *w, const bench_row *r)
{
    w->a = bench_random(w, r->dtype, 3, (int64_t[]){r->dim, 128, 64}, 11);
    w->b = bench_random(w, r->dtype, 3, (int64_t[]){r->dim, 64, 128}, 12);
}

static void one_vector(bench *w, const bench_row *r)
{
    w->a = bench_random(w, r->dtype, 1, &r->dim, 7);
}

static void many_lengths(bench *w, const bench_row *r)
{
    w->a = bench_random(w, r->dtype, 1, &r->dim2, 7);
}

static void two_vectors(bench *w, const bench_row *r)
{
    w->a = bench_random(w, r->dtype, 1, &r->dim, 8);
    w->b = bench_random(w, r->dtype, 1, &r->dim, 9);
}

static void tall_matrix(bench *w, const bench_row *r)
{
    int64_t shape[2] = {r->dim, 64};
    w->a = bench_random(w, r->dtype, 2, shape, 10);
}

static void four_axes(bench *w, const bench_row *r)
{
    int64_t shape[4] = {64, w->n >> 18, 64, 64};
    (void)r;
    w->a = gnd_reshape(w->x, 4, shape);
}

/* The elements of y in order. */
static void sorted(bench *w, const bench_row *r)
{
    (void)r;
    w->a = gnd_sort(w->y, 0, 0);
}

/* Ints below r->dim. */
static void small_ints(bench *w, const bench_row *r)
{
    w->a = gnd_astype(gnd_multiply(w->x, gnd_int(r->dim)), GND_INT32);
}

/* Indices of x, anywhere; those of m's rows (dim 1). */
static void anywhere(bench *w, const bench_row *r)
{
    gnd_array *hi = gnd_astype(gnd_multiply(w->x, gnd_int(1 << 24)), GND_INT64);
    gnd_array *lo = gnd_astype(gnd_multiply(w->y, gnd_int(1 << 12)), GND_INT64);
    gnd_array *i = gnd_add(gnd_multiply(hi, gnd_int(1 << 12)), lo);
    if (r->dim)
        i = gnd_index(
            i, 1,
            &(gnd_range){.kind = GND_IDX_SLICE, .start = GND_NONE, .stop = w->side, .step = 1});
    w->a = gnd_astype(gnd_remainder(i, gnd_int(r->dim ? w->side : w->n)), GND_INT32);
}

static void upper_half(bench *w, const bench_row *r)
{
    (void)r;
    w->a = gnd_greater(w->x, gnd_real(0.5));
}

static void into_places(bench *w, const bench_row *r)
{
    small_ints(w, r);
    w->b = gnd_zeros(w->dev, GND_FLOAT32, 1, &r->dim);
}

/* --- calls ------------------------------------------------------------------------------------ */

#define CALL(name) static gnd_array *name(bench *w, const bench_row *r)
#define ROW(name, expr)                                                                            \
    CALL(name)                                                                                     \
    {                                                                                              \
        (void)r;                                                                                   \
        return expr;                                                                               \
    }

static gnd_array *plain_chain(gnd_array *x, gnd_array *y)
{
    gnd_array *lin = gnd_add(gnd_multiply(gnd_int(2), x), gnd_multiply(gnd_int(3), y));
    return gnd_subtract(lin, gnd_sqrt(gnd_add(gnd_multiply(x, x), gnd_multiply(y, y))));
}

ROW(do_copy, gnd_positive(w->x))
ROW(do_add, gnd_add(w->x, w->y))
ROW(do_add_ab, gnd_add(w->a, w->b))
ROW(do_sin, gnd_sin(w->x))
ROW(do_exp, gnd_exp(w->x))
ROW(do_sin_a, gnd_sin(w->a))
ROW(do_cast, gnd_astype(w->x, GND_FLOAT16))
ROW(do_chain, plain_chain(w->x, w->y))
ROW(do_take, gnd_take(w->x, w->a, 0))
ROW(do_take_rows, gnd_take(w->m, w->a, 0))
ROW(do_searchsorted, gnd_searchsorted(w->a, w->x, GND_LEFT, NULL))
ROW(do_bincount, gnd_bincount(w->a, NULL, 0))
ROW(do_unique, gnd_unique_values(w->a))
ROW(do_where, gnd_where(gnd_greater(w->x, gnd_real(0.5)), w->x, w->y))
ROW(do_bcast_row, gnd_add(w->m, gnd_at(w->m, "0")))
ROW(do_bcast_col, gnd_add(w->m, gnd_at(w->m, ":, :1")))
ROW(do_strided, gnd_positive(gnd_at(w->x, "::2")))
ROW(do_transpose, gnd_positive(gnd_T(w->m)))
ROW(do_concat, gnd_concat(2, (gnd_array *[]){w->x, w->y}, 0))
ROW(do_sum, gnd_sum(w->x, GND_ALL, 0))
ROW(do_sum_a, gnd_sum(w->a, GND_ALL, 0))
ROW(do_max, gnd_max(w->x, GND_ALL, 0))
ROW(do_argmax, gnd_argmax(w->x, GND_ALL, 0))
ROW(do_any, gnd_any(gnd_greater(w->x, gnd_int(2)), GND_ALL, 0))
ROW(do_sum_axis0, gnd_sum(w->m, GND_AXIS(0), 0))
ROW(do_sum_axis1, gnd_sum(w->m, GND_AXIS(1), 0))
ROW(do_argmax_axis0, gnd_argmax(w->m, GND_AXIS(0), 0))
ROW(do_var, gnd_var(w->m, GND_AXIS(1), 0, 0))
ROW(do_cumsum, gnd_cumulative_sum(w->x, GND_AXIS(0), 0, GND_DTYPE_DEFAULT))
ROW(do_cumsum_axis1, gnd_cumulative_sum(w->m, GND_AXIS(1), 0, GND_DTYPE_DEFAULT))
ROW(do_cumsum_axis0, gnd_cumulative_sum(w->m, GND_AXIS(0), 0, GND_DTYPE_DEFAULT))
ROW(do_sort, gnd_sort(w->x, 0, 0))
ROW(do_argsort, gnd_argsort(w->x, 0, 0))
ROW(do_sort_axis1, gnd_sort(w->m, 1, 0))
ROW(do_matmul, gnd_matmul(w->a, w->b))
ROW(do_einsum, gnd_einsum("bij,bjk->bik", 2, (gnd_array *[]){w->a, w->b}))
ROW(do_gemv, gnd_matmul(w->m, w->a))
ROW(do_gram, gnd_matmul(gnd_T(w->a), w->a))
ROW(do_small_chain, plain_chain(w->a, w->b))

CALL(do_sum_sq_diff)
{
    gnd_array *d = gnd_subtract(w->x, w->y);
    (void)r;
    return gnd_sum(gnd_multiply(d, d), GND_ALL, 0);
}

CALL(do_mask)
{
    (void)r;
    return gnd_index(w->x, 1, &(gnd_range){.kind = GND_IDX_ARRAY, .array = w->a});
}

CALL(do_nonzero)
{
    gnd_array *out[1];
    (void)r;
    gnd_nonzero(w->a, out);
    return out[0];
}

CALL(do_scatter_add)
{
    (void)r;
    return gnd_add_at(w->b, 1, &(gnd_range){.kind = GND_IDX_ARRAY, .array = w->a}, w->x);
}

/* The values are taken by the indices, so both are computed. */
CALL(do_topk)
{
    gnd_array *out[2];
    (void)r;
    (void)gnd_topk(w->m, 64, 1, 0, out);
    return out[0];
}

CALL(do_histogram)
{
    gnd_array *out[2];
    (void)r;
    gnd_histogram(w->x, 256, (double[]){0, 1}, NULL, NULL, 0, out);
    return out[0];
}

CALL(do_softmax)
{
    gnd_array *e = gnd_exp(gnd_subtract(w->m, gnd_max(w->m, GND_AXIS(1), GND_KEEPDIMS)));
    (void)r;
    return gnd_divide(e, gnd_sum(e, GND_AXIS(1), GND_KEEPDIMS));
}

/* Evaluates r->dim arrays at once. Each call has a length of its own: its plan is made, not found.
 */
static gnd_array *many_sinks(bench *w, const bench_row *r, gnd_array *(*make)(gnd_array *, int64_t))
{
    static int64_t call;
    const int64_t shape[2] = {4, 4 + call++ % (r->dim2 / 4 - 4)};
    const gnd_range part = {.kind = GND_IDX_SLICE, .stop = shape[0] * shape[1], .step = 1};
    gnd_array *m = gnd_reshape(gnd_index(w->a, 1, &part), 2, shape);
    gnd_array **sink = malloc((size_t)r->dim * sizeof *sink);
    w->st = sink ? GND_OK : GND_ERR_NOMEM;
    for (int64_t i = 0; i < r->dim && sink; i++)
        sink[i] = make(m, i);
    if (sink)
        w->st = gnd_eval_all((int)r->dim, sink);
    free(sink);
    return w->st ? gnd_fail(w->st, "%s", gnd_message()) : NULL;
}

static gnd_array *one_more(gnd_array *m, int64_t i)
{
    return gnd_add(m, gnd_int(i));
}

static gnd_array *sum_of_more(gnd_array *m, int64_t i)
{
    return gnd_sum(one_more(m, i), GND_ALL, 0);
}

static gnd_array *gram_of_more(gnd_array *m, int64_t i)
{
    return gnd_matmul(m, gnd_T(one_more(m, i)));
}

static gnd_array *sort_of_more(gnd_array *m, int64_t i)
{
    return gnd_sort(one_more(m, i), 1, 0);
}

CALL(do_sinks)
{
    return many_sinks(w, r, one_more);
}

CALL(do_sinks_sum)
{
    return many_sinks(w, r, sum_of_more);
}

CALL(do_sinks_matmul)
{
    return many_sinks(w, r, gram_of_more);
}

CALL(do_sinks_sort)
{
    return many_sinks(w, r, sort_of_more);
}

CALL(do_permute)
{
    static const int perm[4] = {0, 2, 3, 1};
    (void)r;
    return gnd_positive(gnd_permute_dims(w->a, perm));
}

/* --- the table -------------------------------------------------------------------------------- */

typedef void setup_fn(bench *w, const bench_row *r);
typedef gnd_array *call_fn(bench *w, const bench_row *r);

static bench_row *put(bench_row **next, setup_fn *setup, call_fn *call, double bytes,
                      const char *name)
{
    bench_row *r = (*next)++;
    *r =
        (bench_row){.setup = setup, .call = call, .bytes = bytes, .dtype = GND_FLOAT32, .law = 'n'};
    snprintf(r->name, sizeof r->name, "%s", name);
    return r;
}

/* A product of two square matrices. */
static void product(bench_row **next, const bench *w, gnd_dtype t, const char *t_name, int64_t dim)
{
    bench_row *r = put(next, two_matrices, do_matmul, 0, "");
    snprintf(r->name, sizeof r->name, "matmul_%s_%lld", t_name, (long long)dim);
    r->dtype = t;
    r->dim = bench_side(w, dim, 1);
    r->flops = 2.0 * (double)r->dim * (double)r->dim * (double)r->dim;
    r->law = 'q';
}

static void small(bench_row **next, setup_fn *setup, call_fn *call, const char *name)
{
    bench_row *r = put(next, setup, call, 0, name);
    r->dim = 1000;
    r->law = 0;
}

/* 16,000 arrays of parts of one of 10,000 elements. */
static void sinks(bench_row **next, call_fn *call, const char *name)
{
    small(next, many_lengths, call, name);
    (*next)[-1].dim = 16000;
    (*next)[-1].dim2 = 10000;
}

int bench_rows(const bench *w, bench_row *rows)
{
    const double n = (double)w->n, s = (double)w->side, mm = s * s;
    const int64_t big = w->gpu ? 8192 : 1024;
    bench_row *p = rows;
    char name[32];

    put(&p, NULL, do_copy, 8 * n, "copy");
    put(&p, NULL, do_add, 12 * n, "add");
    put(&p, as_dtype, do_add_ab, 6 * n, "add_f16")->dtype = GND_FLOAT16;
    put(&p, as_dtype, do_add_ab, 24 * n, "add_f64")->dtype = GND_FLOAT64;
    put(&p, NULL, do_sin, 8 * n, "sin");
    put(&p, NULL, do_exp, 8 * n, "exp");
    put(&p, as_dtype, do_sin_a, 16 * n, "sin_f64")->dtype = GND_FLOAT64;
    put(&p, NULL, do_cast, 6 * n, "cast_f32_f16");
    put(&p, NULL, do_chain, 12 * n, "chain");
    put(&p, NULL, do_where, 12 * n, "where");
    put(&p, sorted, do_searchsorted, 16 * n, "searchsorted")->law = 'l';
    put(&p, small_ints, do_bincount, 4 * n, "bincount")->dim = 1000000;
    put(&p, small_ints, do_unique, 4 * n, "unique")->dim = 1000000;
    p[-1].law = 'l';
    put(&p, NULL, do_histogram, 4 * n, "histogram");
    put(&p, NULL, do_bcast_row, 8 * mm, "bcast_row");
    put(&p, NULL, do_bcast_col, 8 * mm, "bcast_col");
    /* memory moves in lines: every other element costs as much as all */
    put(&p, NULL, do_strided, 6 * n, "strided_copy");
    put(&p, NULL, do_transpose, 8 * mm, "transpose_copy");
    if (w->n % (1 << 18) == 0 && w->n0 % (1 << 18) == 0)
        put(&p, four_axes, do_permute, 8 * n, "permute4d_copy");
    put(&p, NULL, do_concat, 16 * n, "concat");

    put(&p, NULL, do_sum, 4 * n, "sum");
    put(&p, as_dtype, do_sum_a, 8 * n, "sum_f64")->dtype = GND_FLOAT64;
    put(&p, NULL, do_sum_sq_diff, 8 * n, "sum_sq_diff");
    put(&p, NULL, do_sum_axis0, 4 * mm, "sum_axis0");
    put(&p, NULL, do_sum_axis1, 4 * mm, "sum_axis1");
    put(&p, NULL, do_max, 4 * n, "max");
    put(&p, NULL, do_argmax, 4 * n, "argmax");
    put(&p, NULL, do_argmax_axis0, 4 * mm, "argmax_axis0");
    put(&p, NULL, do_any, 4 * n, "any");
    put(&p, NULL, do_var, 4 * mm, "var_axis1");
    put(&p, NULL, do_softmax, 8 * mm, "softmax_axis1");

    put(&p, anywhere, do_take, 12 * n, "take_random");
    put(&p, anywhere, do_take_rows, 8 * mm, "take_rows")->dim = 1;
    put(&p, upper_half, do_mask, 7 * n, "mask_select");
    put(&p, upper_half, do_nonzero, 5 * n, "nonzero");
    put(&p, into_places, do_scatter_add, 8 * n, "scatter_add")->dim = 1000000;
    put(&p, NULL, do_cumsum, 8 * n, "cumsum");
    put(&p, NULL, do_cumsum_axis1, 8 * mm, "cumsum_axis1");
    put(&p, NULL, do_cumsum_axis0, 8 * mm, "cumsum_axis0");
    put(&p, NULL, do_sort, 8 * n, "sort")->law = 'l';
    put(&p, NULL, do_argsort, 12 * n, "argsort")->law = 'l';
    put(&p, NULL, do_sort_axis1, 8 * mm, "sort_axis1")->law = 'l';
    put(&p, NULL, do_topk, 4 * mm, "topk_axis1_64");

    product(&p, w, GND_FLOAT32, "f32", 512);
    product(&p, w, GND_FLOAT32, "f32", 1024);
    if (w->gpu)
        product(&p, w, GND_FLOAT32, "f32", 8192);
    product(&p, w, GND_FLOAT64, "f64", big);
    product(&p, w, GND_FLOAT16, "f16", big);
    product(&p, w, GND_BFLOAT16, "bf16", big);
    put(&p, batches, do_matmul, 0, "matmul_batched_64x512")->dim = bench_side(w, 512, 1);
    p[-1].flops = 2.0 * 64 * pow((double)p[-1].dim, 3);
    p[-1].law = 'q';
    snprintf(name, sizeof name, "gemv_%lld", (long long)w->side0);
    put(&p, one_vector, do_gemv, 4 * mm, name)->dim = w->side;
    put(&p, tall_matrix, do_gram, 0, "gram_1Mx64");
    p[-1].dim = bench_size(w, 1 << 20, 0);
    p[-1].flops = 2.0 * 64 * 64 * (double)p[-1].dim;
    put(&p, thin_batches, do_einsum, 0, "einsum_bij_bjk_bik")->dim = bench_size(w, 64, 0);
    p[-1].flops = 2.0 * (double)p[-1].dim * 128 * 128 * 64;

    small(&p, two_vectors, do_add_ab, "small_add_1000");
    small(&p, two_vectors, do_small_chain, "small_chain_1000");
    small(&p, one_vector, do_sum_a, "small_sum_1000");
    sinks(&p, do_sinks, "small_sinks_16000");
    sinks(&p, do_sinks_sum, "small_sinks_sum_16000");
    sinks(&p, do_sinks_matmul, "small_sinks_matmul_16000");
    sinks(&p, do_sinks_sort, "small_sinks_sort_16000");
    return (int)(p - rows);
}
