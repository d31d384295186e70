/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_sort.c [all] - sorts, running sums, sets, elements by index and counts of distributed arrays
 * against gnd on one rank, without gathering: even, odd and missing cuts, dtypes, NaN, duplicates,
 * arrays without elements, and how much a rank receives. Started by mpi_sort.sh.
 */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int thorough;

/* --- calls ------------------------------------------------------------------------------------ */

/* Arguments of a call: values, the last nkw by name. */
typedef struct call {
    const char *name;
    int n, nkw;
    gnd_value v[6];
    const char *kw[6];
} call;

static void with(call *q, const char *kw, gnd_value v)
{
    q->kw[q->nkw++] = kw;
    q->v[q->n++] = v;
}

/* The call on arrays x[] of gnd and on y[] made of them: the same results, one or a tuple. */
static void same(const call *q, int nx, gnd_array **x, gndm_array **y, double tol, const char *what)
{
    gnd_value a[8], b[8], ref, out;
    for (int i = 0; i < nx; i++) {
        a[i] = gnd_value_array(x[i]);
        b[i] = gndm_value(y[i]);
    }
    for (int i = 0; i < q->n; i++)
        a[nx + i] = b[nx + i] = q->v[i];
    const gnd_status st = gnd_call(dev, q->name, nx + q->n, a, q->nkw, q->kw, &ref);
    const gnd_status sm = gndm_call(ctx, q->name, nx + q->n, b, q->nkw, q->kw, &out);
    if (st || sm) {
        dist_ok(st == sm && st, "%s: %s: the same status (%d, %d)", what, q->name, (int)st,
                (int)sm);
        if (st != sm && rank == 0)
            printf("# %s|%s\n", gnd_message(), gndm_message(ctx));
        return;
    }
    if (out.tag == GNDM_V_ARRAY) {
        if (ref.tag == GND_V_ARRAY)
            dist_same((gndm_array *)(void *)out.as.array, ref.as.array, tol, "%s: %s", what,
                      q->name);
        else
            dist_ok(0, "%s: %s: an array", what, q->name);
        return;
    }
    const int64_t n = out.tag == GND_V_TUPLE ? out.as.items.n : -1;
    const int fits = (ref.tag == GND_V_TUPLE || ref.tag == GND_V_LIST) && ref.as.items.n == n;
    dist_ok(fits, "%s: %s: %d results", what, q->name, (int)n);
    for (int64_t i = 0; i < n && fits; i++)
        dist_same(gndm_retain((gndm_array *)(void *)out.as.items.item[i].as.array),
                  ref.as.items.item[i].as.array, tol, "%s: %s, result %d", what, q->name, (int)i);
    gndm_value_clear(&out);
}

/* f of one vector. */
static void same1(const char *f, gnd_array *x, gndm_array *y, double tol, const char *what)
{
    const call q = {.name = f};
    same(&q, 1, &x, &y, tol, what);
}

/* --- data ------------------------------------------------------------------------------------- */

enum { MIXED, EQUAL, RISING, FALLING, FEW, NANS, KINDS };
static const char *const kind_name[] = {"mixed", "equal", "rising", "falling", "few values", "NaN"};

static gnd_array *data(gnd_dtype t, int kind, int64_t n, int signs)
{
    double *v = malloc((size_t)n * sizeof *v + 8);
    uint64_t s = 88172645463325252u;
    for (int64_t i = 0; i < n; i++) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        const double r = (double)(s >> 11) / 9007199254740992.0;
        v[i] = kind == EQUAL     ? 3
               : kind == RISING  ? (double)i / 4
               : kind == FALLING ? (double)(n - i) / 4
               : kind == FEW     ? (double)(s % 3)
               : kind == NANS    ? (s % 4 ? NAN : r)
                                 : floor(r * 200) / 2 - (signs ? 50 : 0);
        if (kind == MIXED && i % 17 == 3)
            v[i] = s % 3 == 0 ? NAN : s % 3 == 1 ? -0.0 : INFINITY;
        if (gnd_dtype_kind(t) != 'f' && gnd_dtype_kind(t) != 'c' && !isfinite(v[i]))
            v[i] = (double)(s % 90);
    }
    gnd_array *x = gnd_from(dev, GND_FLOAT64, 1, &n, v);
    if (gnd_dtype_kind(t) == 'c') { /* NaN in one part, and in both */
        for (int64_t i = 0; i < n; i++)
            v[i] = i % 5 == 0 ? NAN : (double)(i % 3);
        gnd_array *im = kind == MIXED ? gnd_from(dev, GND_FLOAT64, 1, &n, v)
                                      : gnd_zeros(dev, GND_FLOAT64, 1, &n);
        x = gnd_from_parts(x, im);
    }
    free(v);
    return gnd_eval_all(1, &x) ? x : gnd_astype(x, t);
}

/* --- sorts ------------------------------------------------------------------------------------ */

static void sorts(gnd_dtype t, int kind, int64_t n, int way)
{
    char what[80];
    gnd_scope_begin();
    gndm_scope_begin(ctx);
    gnd_array *x = data(t, kind, n, gnd_dtype_kind(t) != 'u');
    gndm_array *y = dist_array(x, way);
    snprintf(what, sizeof what, "%s %s (%d), way %d", gnd_dtype_name(t), kind_name[kind], (int)n,
             way);
    call q = {.name = "sort"};
    same(&q, 1, &x, &y, 0, what);
    q.name = "argsort";
    same(&q, 1, &x, &y, 0, what);
    with(&q, "descending", gnd_value_bool(1));
    snprintf(what, sizeof what, "%s %s (%d), way %d, descending", gnd_dtype_name(t),
             kind_name[kind], (int)n, way);
    same(&q, 1, &x, &y, 0, what);
    q.name = "sort";
    same(&q, 1, &x, &y, 0, what);
    gndm_scope_end(ctx);
    gnd_scope_end();
}

/* Sorts of arrays along each axis and flattened, medians, largest elements. */
static void shapes(int way)
{
    static const int64_t dims[][3] = {{23, 1, 1}, {2, 29, 1}, {23, 2, 1}, {0, 4, 1}, {7, 5, 3}};
    char what[80];
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        const int ndim = dims[i][2] == 1 ? 2 : 3;
        int64_t n = dims[i][0] * dims[i][1] * dims[i][2];
        if (!thorough && i != 1) /* in CI one shape: each has kernels of its own */
            continue;
        gnd_scope_begin();
        gndm_scope_begin(ctx);
        gnd_array *x = gnd_reshape(data(GND_FLOAT32, MIXED, n, 1), ndim, dims[i]);
        gndm_array *y = dist_array(x, way);
        for (int d = -1; d < (thorough ? ndim : 1); d++) {
            snprintf(what, sizeof what, "shape %d, way %d, axis %d", (int)i, way, d);
            call q = {.name = "argsort"};
            with(&q, "axis", d < 0 ? gnd_value_none() : gnd_value_int(d));
            same(&q, 1, &x, &y, 0, what);
            q.name = "sort";
            same(&q, 1, &x, &y, 0, what);
        }
        if (n)
            same1("median", x, y, 0, what);
        gndm_scope_end(ctx);
        gnd_scope_end();
    }
    static const int64_t lengths[] = {61, 62};
    for (int i = 0; i < (thorough ? 2 : 1); i++) {
        gnd_scope_begin();
        gndm_scope_begin(ctx);
        gnd_array *x = data(GND_FLOAT32, i ? RISING : MIXED, lengths[i], 1);
        gndm_array *y = dist_array(x, way);
        snprintf(what, sizeof what, "%d elements, way %d", (int)lengths[i], way);
        same1("median", x, y, 0, what);
        for (int k = thorough ? 0 : 5; k < 62; k += thorough ? 20 : 40) {
            call q = {.name = "topk", .n = 1, .v = {gnd_value_int(k)}};
            same(&q, 1, &x, &y, 0, what);
            with(&q, "largest", gnd_value_bool(0));
            same(&q, 1, &x, &y, 0, what);
        }
        call q = {.name = "argpartition", .n = 1, .v = {gnd_value_int(20)}};
        same(&q, 1, &x, &y, 0, what);
        gndm_scope_end(ctx);
        gnd_scope_end();
    }
}

/* No input brings more than its share and n / p + p + 1 elements to a rank, in the sort and in the
 * step into the partition after it. */
static void balance(void)
{
    enum { N = 20000 };
    for (int kind = thorough ? 0 : EQUAL; kind < (thorough ? KINDS : RISING); kind++) {
        gnd_scope_begin();
        gndm_scope_begin(ctx);
        gndm_stats before, after;
        gnd_array *x = data(GND_FLOAT64, kind, N, 1);
        gndm_array *y = dist_array(x, 0);
        gndm_get_stats(ctx, &before);
        gndm_array *z = gndm_unary("sort", y);
        gndm_get_stats(ctx, &after);
        const int64_t share = N / size + 1,
                      samples = (int64_t)size * (2 * size > 32 ? 2 * size : 32);
        const int64_t most = 2 * share + size + 1 + samples + share;
        const int64_t got = (int64_t)((after.received - before.received) / sizeof(double));
        dist_ok(got <= most, "%s: a rank received %d elements, at most %d", kind_name[kind],
                (int)got, (int)most);
        dist_same(gndm_retain(z), gnd_sort(x, 0, 0), 0, "%s: %d sorted", kind_name[kind], N);
        gndm_scope_end(ctx);
        gnd_scope_end();
    }
}

static void all_sorts(void)
{
    static const gnd_dtype types[] = {GND_FLOAT32, GND_COMPLEX64, GND_BOOL,     GND_INT32,
                                      GND_FLOAT16, GND_INT64,     GND_UINT8,    GND_FLOAT64,
                                      GND_INT8,    GND_UINT64,    GND_BFLOAT16, GND_UINT16};
    static const int64_t lengths[] = {400, 0, 1, 5};
    for (int t = 0; t < (thorough ? 12 : 1); t++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int i = 0; i < 4; i++)
                for (int way = 0; way < 2; way++)
                    if (thorough || (i == 0 && way == kind % 2 && kind < RISING))
                        sorts(types[t], kind, lengths[i], way);
    shapes(1);
    if (thorough) {
        shapes(0);
        shapes(2);
        shapes(3);
        shapes(4);
    }
    balance();
}

/* --- running sums ----------------------------------------------------------------------------- */

static void scans(int way)
{
    static const char *const names[] = {"cumsum",     "cumprod", "nancumsum",
                                        "nancumprod", "cummax",  "cummin"};
    static const gnd_dtype types[] = {GND_FLOAT32, GND_INT32, GND_BOOL, GND_COMPLEX64, GND_FLOAT16};
    static const int64_t dims[][2] = {{40, 3}, {3, 41}, {0, 3}};
    char what[80];
    for (int t = 0; t < 5; t++)
        for (int f = 0; f < 6; f++)
            for (int d = -1; d < 2; d++) {
                const int64_t *dim = dims[t == 1 && d < 0 ? 2 : f % 2];
                if (!thorough && (f % 3 != d + 1 || (t ? t > 1 || f != 1 : f % 2)))
                    continue;
                gnd_scope_begin();
                gndm_scope_begin(ctx);
                gnd_array *x = data(types[t], f < 2 ? EQUAL : MIXED, dim[0] * dim[1], 1);
                if ((f == 1 || f == 3) && t != 1 && t != 2) /* products that stay in range */
                    x = gnd_astype(
                        gnd_add_f(gnd_div_f(gnd_cos(gnd_astype(gnd_real_part(x), GND_FLOAT32)), 64),
                                  1),
                        types[t]);
                x = gnd_reshape(x, 2, dim);
                gndm_array *y = dist_array(x, way);
                call q = {.name = names[f]};
                with(&q, "axis", d < 0 ? gnd_value_none() : gnd_value_int(d));
                snprintf(what, sizeof what, "%s, way %d, axis %d", gnd_dtype_name(types[t]), way,
                         d);
                same(&q, 1, &x, &y, 3e-6, what);
                gndm_scope_end(ctx);
                gnd_scope_end();
            }
    gnd_array *x = data(GND_INT32, MIXED, 37, 1);
    gndm_array *y = dist_array(x, way);
    call q = {.name = "cumulative_sum"};
    with(&q, "include_initial", gnd_value_bool(1));
    snprintf(what, sizeof what, "initial, way %d", way);
    same(&q, 1, &x, &y, 0, what);
    gndm_stats before, after;
    gndm_get_stats(ctx, &before);
    gndm_array *z = gndm_unary("cumsum", y);
    gndm_get_stats(ctx, &after);
    dist_ok(gndm_status_of(z) == GND_OK && after.received - before.received <= 8 * (uint64_t)size,
            "way %d: a running sum moves the totals alone", way);
    gndm_release(z);
}

/* --- sets and counts -------------------------------------------------------------------------- */

static void sets(int way)
{
    static const gnd_dtype types[] = {GND_FLOAT32, GND_INT32, GND_BOOL, GND_COMPLEX64};
    char what[80];
    for (int t = 0; t < (thorough ? 4 : 1); t++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (!thorough && kind != (t ? FEW : NANS))
                continue;
            gnd_scope_begin();
            gndm_scope_begin(ctx);
            gnd_array *x = data(types[t], kind, kind == RISING ? 0 : 92, 1);
            gndm_array *y = dist_array(x, way);
            snprintf(what, sizeof what, "%s %s, way %d", gnd_dtype_name(types[t]), kind_name[kind],
                     way);
            same1("unique_all", x, y, 0, what);
            same1("unique_values", x, y, 0, what);
            call q = {.name = "unique"};
            with(&q, "return_inverse", gnd_value_bool(1));
            with(&q, "return_counts", gnd_value_bool(1));
            if (kind != RISING) {
                x = gnd_reshape(x, 2, (const int64_t[]){4, 23});
                y = dist_array(x, way ? 2 : 0);
            }
            same(&q, 1, &x, &y, 0, what);
            gndm_scope_end(ctx);
            gnd_scope_end();
        }
    gnd_array *x[2] = {data(GND_FLOAT32, MIXED, 75, 1), data(GND_FLOAT32, RISING, 16, 0)};
    gndm_array *y[2] = {dist_array(x[0], way), dist_array(x[1], 0)};
    snprintf(what, sizeof what, "way %d", way);
    call q = {.name = "digitize"};
    same(&q, 2, x, y, 0, what);
    q.name = "isin";
    same(&q, 2, x, y, 0, what);
    gnd_array *s[2] = {x[1], x[0]};
    gndm_array *d[2] = {y[1], y[0]};
    q.name = "searchsorted";
    same(&q, 2, s, d, 0, what);
}

static void counts(int way)
{
    char what[80];
    snprintf(what, sizeof what, "way %d", way);
    gnd_array *x[2] = {data(GND_INT32, FEW, 81, 0), data(GND_FLOAT64, RISING, 81, 0)};
    gndm_array *y[2] = {dist_array(x[0], way), dist_array(x[1], 0)};
    call q = {.name = "bincount"};
    same(&q, 1, x, y, 0, what);
    same(&q, 2, x, y, 1e-14, what);
    with(&q, "minlength", gnd_value_int(9));
    same(&q, 1, x, y, 0, what);
    gnd_array *neg = gnd_sub(x[0], gnd_int(1));
    gndm_array *less = dist_array(neg, way);
    call b = {.name = "bincount"};
    same(&b, 1, &neg, &less, 0, what);
    call h = {.name = "histogram"};
    same(&h, 1, x, y, 0, what);
    same(&h, 1, x + 1, y + 1, 0, what);
    with(&h, "bins", gnd_value_int(7));
    with(&h, "density", gnd_value_bool(1));
    same(&h, 1, x + 1, y + 1, 1e-14, what);
    call w = {.name = "histogram"};
    const gnd_value range[2] = {gnd_value_int(2), gnd_value_float(12.5)};
    with(&w, "range", gnd_value_tuple(2, range));
    same(&w, 1, x + 1, y + 1, 0, what);
}

/* --- elements by index ------------------------------------------------------------------------ */

static void indexing(int way)
{
    static const int64_t dims[][3] = {{37, 1, 1}, {29, 3, 1}, {3, 26, 1}, {5, 4, 3}};
    char what[80];
    for (int i = thorough ? 0 : 1; i < (thorough ? 4 : 2); i++) {
        gnd_scope_begin();
        gndm_scope_begin(ctx);
        const int ndim = i == 0 ? 1 : i < 3 ? 2 : 3;
        const int64_t n = dims[i][0] * dims[i][1] * dims[i][2], k = 17;
        gnd_array *x[2] = {gnd_reshape(data(GND_FLOAT32, FALLING, n, 1), ndim, dims[i]), NULL};
        gndm_array *y[2] = {dist_array(x[0], way), NULL};
        for (int d = -1; d < ndim; d++) {
            const int64_t m = d < 0 ? n : dims[i][d];
            gnd_array *at = gnd_remainder(data(GND_INT32, RISING, 3 * k, 1), gnd_int(m));
            x[1] = gnd_sub(at, gnd_int(d < 0 ? m : m / 2));
            for (int shaped = 0; shaped < 2; shaped++) {
                if (shaped)
                    x[1] = gnd_reshape(x[1], 2, (const int64_t[]){k, 3});
                y[1] = dist_array(x[1], (way + d + 1) % WAYS);
                snprintf(what, sizeof what, "shape %d, way %d, axis %d, indices %d", i, way, d,
                         shaped);
                call q = {.name = "take"};
                with(&q, "axis", d < 0 ? gnd_value_none() : gnd_value_int(d));
                same(&q, 2, x, y, 0, what);
                if (d == 0 && shaped)
                    break;
            }
        }
        snprintf(what, sizeof what, "shape %d, way %d", i, way);
        gnd_array *m[2] = {gnd_greater(gnd_remainder(x[0], gnd_int(3)), gnd_int(1)), x[0]};
        gndm_array *u[2] = {dist_array(m[0], (way + 1) % WAYS), y[0]};
        call q = {.name = "extract"};
        same(&q, 2, m, u, 0, what);
        same1("nonzero", m[0], u[0], 0, what);
        same1("flatnonzero", m[0], u[0], 0, what);
        same1("argwhere", m[0], u[0], 0, what);
        gndm_scope_end(ctx);
        gnd_scope_end();
    }
    gnd_array *x[2] = {data(GND_INT32, RISING, 30, 0), data(GND_INT32, RISING, 200, 0)};
    gndm_array *y[2] = {dist_array(x[0], way), dist_array(x[1], 0)};
    const gnd_value v[2] = {gndm_value(y[0]), gndm_value(y[1])};
    gnd_value out;
    const gnd_status st = gndm_call(ctx, "take", 2, v, 0, NULL, &out);
    const int raised =
        st == GND_ERR_INDEX ||
        (!st &&
         gndm_wait(ctx, 1, (gndm_array *[]){(gndm_array *)(void *)out.as.array}) == GND_ERR_INDEX);
    dist_ok(raised && strstr(gndm_message(ctx), "range"), "way %d: an index out of range: %s", way,
            gndm_message(ctx));
    gndm_value_clear(&out);
    call q = {.name = "take"};
    with(&q, "mode", gnd_value_string("wrap"));
    snprintf(what, sizeof what, "wrapped, way %d", way);
    same(&q, 2, x, y, 0, what);
}

static void convolutions(int way)
{
    static const char *const modes[] = {"full", "same", "valid"};
    char what[80];
    for (int i = 0; i < (thorough ? 3 : 1); i++)
        for (int m = thorough ? 1 : 3; m < (thorough ? 6 : 4); m += 2) {
            gnd_scope_begin();
            gndm_scope_begin(ctx);
            gnd_array *x[2] = {data(GND_INT32, MIXED, 90, 1), data(GND_INT32, RISING, m + i, 0)};
            gndm_array *y[2] = {dist_array(x[0], way), dist_array(x[1], 0)};
            snprintf(what, sizeof what, "%s of %d, way %d", modes[i], m + i, way);
            call q = {.name = i == 1 ? "correlate" : "convolve"};
            with(&q, "mode", gnd_value_string(modes[i]));
            same(&q, 2, x, y, 0, what);
            gndm_scope_end(ctx);
            gnd_scope_end();
        }
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    thorough = argc > 1 && !strcmp(argv[1], "all");
    gndm_scope_begin(ctx);
    all_sorts();
    for (int way = thorough ? 0 : 1; way < (thorough ? WAYS : 2); way++) {
        gndm_scope_begin(ctx);
        scans(way);
        sets(way);
        counts(way);
        indexing(way);
        convolutions(way);
        gndm_scope_end(ctx);
    }
    gndm_scope_end(ctx);
    return dist_end();
}
