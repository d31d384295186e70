/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_quantile.c - medians, quantiles and percentiles of all elements, and along an axis that stays
 * split because no other axis can be split instead. The lines are sorted where they are
 * (fn_sort.c); every rank gets the one or two elements that determine each result, in one exchange,
 * and computes it. All other axes are made whole, and the lines are not sorted across ranks
 * (fn_lines.c).
 */
#include "shuffle.h"

#include <math.h>
#include <string.h>

enum { MOST = 512 }; /* quantiles of one call; for more the lines are made whole */

/* Quantile q of n sorted elements is at q (n + a) + b, counted from 0 (gnd/quantile.h). */
static const struct {
    const char *name;
    double a, b;
} methods[] = {{"linear", -1, 0},
               {"lower", -1, 0},
               {"higher", -1, 0},
               {"midpoint", -1, 0},
               {"nearest", -1, 0},
               {"interpolated_inverted_cdf", 0, -1},
               {"hazen", 0, -0.5},
               {"weibull", 1, -1},
               {"median_unbiased", 1. / 3, -2. / 3},
               {"normal_unbiased", 0.25, -0.625}};
enum { METHODS = sizeof methods / sizeof *methods, LOWER = 1, HIGHER, MIDPOINT, NEAREST };

/* A result is (1 - g) x[i] + g x[j] of a sorted line x. */
typedef struct place {
    int64_t i, j;
    double g;
} place;

typedef struct picking {
    gndm_ctx *c;
    gndm_array *sorted;
    int axis, n; /* of the lines; number of results */
    const place *at;
    int64_t last; /* an element that is NaN if one of the line is */
} picking;

/* The boxes of the elements: the lower and the upper ones of all places, and the last one. */
static void element(const void *data, int rank, int i, gndm__box *b)
{
    const picking *q = data;
    const gndm_part *p = q->sorted->part;
    (void)rank;
    for (int d = 0; d < p->ndim; d++) {
        b->start[d] = 0;
        b->stop[d] = p->shape[d];
    }
    b->start[q->axis] = i == 2 * q->n ? q->last : i < q->n ? q->at[i].i : q->at[i - q->n].j;
    b->stop[q->axis] = b->start[q->axis] + 1;
}

static place placed(int method, double q, int64_t n)
{
    const double at = q * ((double)n + methods[method].a) + methods[method].b;
    const double most = (double)(n - 1), v = at < 0 ? 0 : at > most ? most : at;
    const int64_t i = (int64_t)floor(v);
    place p = {i, i + (v > (double)i), v - floor(v)};
    switch (method) {
    case LOWER: p.j = p.i; break;
    case HIGHER: p.i = p.j; break;
    case MIDPOINT: p.g = p.g > 0 ? 0.5 : 0; break;
    case NEAREST: p.i = p.j = (int64_t)nearbyint(v); break;
    default: return p;
    }
    p.g = method == MIDPOINT ? p.g : 0;
    return p;
}

/* The results: one array of the lines for each place. */
static gnd_status pick(const picking *q, int median, int nan, gnd_array **out)
{
    const gndm__wish wish = {2 * q->n + 1, element, q, NULL};
    const gnd_axes axis = GND_AXIS(q->axis);
    gnd_array **got = calloc((size_t)wish.n, sizeof(gnd_array *));
    gnd_status st = gndm__agree(q->c, got ? GND_OK : GND_ERR_NOMEM, "out of host memory");
    if (!st)
        st = gndm__fetch_boxes(q->c, q->sorted, &wish, got);
    for (int k = 0; k < q->n && !st; k++) {
        gnd_array *two[2] = {got[k], got[q->n + k]};
        if (median)
            out[k] = gnd_median(gnd_concat(2, two, q->axis), axis, GND_KEEPDIMS);
        else if (q->at[k].i == q->at[k].j)
            out[k] = got[k];
        else
            out[k] = gnd_quantile(gnd_concat(2, two, q->axis), gnd_real(q->at[k].g), axis,
                                  GND_KEEPDIMS, GND_Q_LINEAR);
        if (!nan)
            out[k] = gnd_where(gnd_not_equal(got[2 * q->n], got[2 * q->n]), got[2 * q->n], out[k]);
    }
    free(got);
    return st;
}

/* The quantiles of the call, from 0 to 1. Returns their number, or -1 if they are unknown here. */
static int quantiles(const gndm__args *a, double *q)
{
    const gnd_value *v = gndm__arg(a, "q");
    gndm_array *x = gndm__as_array(v);
    const double all = strstr(a->name, "percentile") ? 100 : 1;
    int n = 1;
    if (!v)
        return -1;
    if (v->tag == GND_V_INT || v->tag == GND_V_FLOAT) {
        q[0] = (v->tag == GND_V_INT ? (double)v->as.i : v->as.z.re) / all;
    } else if (x && gndm_elements(x) <= MOST && !gndm__part_split_anywhere(x->part)) {
        n = (int)gndm_elements(x);
        if (gnd_read(gnd_astype(x->local, GND_FLOAT64), q, (size_t)n * sizeof *q))
            return -1;
        for (int i = 0; i < n; i++)
            q[i] /= all;
    } else {
        return -1;
    }
    for (int i = 0; i < n; i++)
        if (!(q[i] >= 0 && q[i] <= 1)) /* gnd has the error */
            return -1;
    return n;
}

static int method_of(const gndm__args *a)
{
    const gnd_value *v = gndm__arg(a, "method");
    int m = 0;
    while (v && m < METHODS &&
           !(v->tag == GND_V_STRING && strlen(methods[m].name) == (size_t)v->as.text.n &&
             !memcmp(v->as.text.s, methods[m].name, (size_t)v->as.text.n)))
        m++;
    return m < METHODS ? m : -1;
}

/* Counts the elements of all parts that are not NaN. */
static gnd_status numbers(gndm_ctx *c, const gndm_array *x, int64_t *n)
{
    gnd_array *y = gnd_sum(gnd_astype(gnd_equal(x->local, x->local), GND_INT64), GND_ALL, 0);
    gnd_status st = gnd_read(y, n, sizeof *n);
    st = gndm__agree(c, st, gnd_message());
    return st ? st : gndm__allreduce(c, n, 1, MPI_INT64_T, MPI_SUM);
}

/* Sorted x: a vector of all elements, or lines along the axis. *n: the elements of a line. */
static gnd_status sorted(picking *q, gndm_array *x, int whole, int nan, int64_t *n)
{
    gndm_ctx *c = q->c;
    if (whole)
        x = gndm__vector(c, x);
    gnd_status st = gndm__check(c, x);
    *n = st ? 0 : x->part->shape[q->axis];
    q->last = *n - 1;
    if (!st && nan)
        st = numbers(c, x, n);
    if (!st)
        q->sorted = gndm__sorted(c, x, q->axis);
    return st ? st : gndm__check(c, q->sorted);
}

/* The axis along which lines are sorted: -1: none, as all lines can be made whole. *whole: all
 * elements are one line. */
static int line_axis(const gndm__args *a, const gndm_array *x, int nan, int *whole)
{
    int all;
    const uint32_t axes = gndm__arg_axes(a, x->part->ndim, &all);
    *whole = all || __builtin_popcount(axes) == x->part->ndim;
    if (*whole)
        return gndm_elements(x) >= 2 * a->c->size ? 0 : -1;
    if (nan || __builtin_popcount(axes) != 1) /* the number of elements may differ between lines */
        return -1;
    const int d = __builtin_ctz(axes);
    return gndm__few_lines(x->part, d) && x->part->shape[d] >= 2 * a->c->size ? d : -1;
}

gnd_status gndm__fn_quantile(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x");
    const int nan = !strncmp(a->name, "nan", 3), median = !!strstr(a->name, "median");
    double *q = malloc(MOST * sizeof *q);
    place *at = malloc(MOST * sizeof *at);
    gnd_array **y = calloc(MOST, sizeof(gnd_array *));
    gnd_value v;
    gnd_status st = gndm__agree(c, q && at && y ? GND_OK : GND_ERR_NOMEM, "out of host memory");
    if (!st)
        st = gndm__try(a, &v);
    int whole = 0, n = 1, method = median ? 0 : method_of(a);
    picking p = {.c = c, .axis = -1, .at = at};
    if (!st && x && v.tag == GND_V_ARRAY && gndm__part_split_anywhere(x->part) && method >= 0) {
        p.axis = line_axis(a, x, nan, &whole);
        n = median ? 1 : quantiles(a, q);
    }
    if (!st && (p.axis < 0 || n < 1)) {
        st = gndm__fn_lines(a);
    } else if (!st) {
        const gnd_dtype t = gnd_dtype_of(v.as.array);
        const int ndim = gnd_ndim(v.as.array);
        int64_t m = 0;
        st = sorted(&p, x, whole, nan, &m);
        p.n = n;
        for (int k = 0; k < n && !st; k++) {
            if (m == 0) /* NaN alone, which the last element is */
                at[k] = (place){p.last, p.last, 0};
            else if (median)
                at[k] = (place){(m - 1) / 2, m / 2, 0.5};
            else
                at[k] = placed(method, q[k], m);
        }
        if (!st)
            st = pick(&p, median, nan, y);
        if (!st) {
            gnd_array *all = n == 1 ? y[0] : gnd_stack(n, y, 0);
            gndm_part *part = gndm__part_new(c, ndim, gnd_shape(v.as.array));
            all = gnd_astype(gnd_reshape(all, ndim, gnd_shape(v.as.array)), t);
            st = gndm__ret_array(a, gndm__array(c, t, part, all));
            gndm_part_free(part);
        }
    }
    free(q);
    free(at);
    free(y);
    return st;
}
