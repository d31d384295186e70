/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_views.c - random compositions of views, joins and elementwise operations, as the device
 * computes them, against a host array that really moves its elements at every step. Some
 * intermediate results are evaluated on the way. With the kernels of both shapes, and up to 32
 * dimensions. Arguments: first and last case.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

#define MOST 4000 /* elements */
#define RANK 8

typedef struct model {
    int ndim;
    int64_t dim[GND_MAX_NDIM];
    int32_t v[MOST];
} model;

static const char *shape_name;
static gnd_device *dev;
static char trail[2000];

static void note(const char *s, int64_t a, int64_t b)
{
    size_t n = strlen(trail);
    snprintf(trail + n, sizeof trail - n, " %s(%" PRId64 ",%" PRId64 ")", s, a, b);
}

static int64_t count(int ndim, const int64_t *dim)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= dim[d];
    return n;
}

/* m becomes an array of that shape whose element idx is m's element where(idx); `from` gets that.
 */
#define MOVE(m, nd, dims, ...)                                                                     \
    do {                                                                                           \
        model old_ = *(m);                                                                         \
        (m)->ndim = (nd);                                                                          \
        memcpy((m)->dim, (dims), sizeof(int64_t) * (size_t)(nd));                                  \
        for (int64_t e_ = 0, n_ = count((m)->ndim, (m)->dim); e_ < n_; e_++) {                     \
            int64_t at[GND_MAX_NDIM], from[GND_MAX_NDIM] = {0}, off_ = 0;                          \
            ref_unravel((m)->ndim, (m)->dim, e_, at);                                              \
            __VA_ARGS__;                                                                           \
            for (int d_ = 0; d_ < old_.ndim; d_++)                                                 \
                off_ = off_ * old_.dim[d_] + from[d_];                                             \
            (m)->v[e_] = old_.v[off_];                                                             \
        }                                                                                          \
    } while (0)

/* --- one random step: the array's and the model's --------------------------------------------- */

static gnd_array *step_slice(gnd_array *x, model *m)
{
    gnd_range r[RANK] = {{0}};
    int64_t dim[RANK], start[RANK], step[RANK];
    int n = 0, out[RANK];
    for (int d = 0; d < m->ndim; d++) {
        int64_t e = m->dim[d];
        start[d] = 0, step[d] = 1, out[d] = n;
        r[d] = (gnd_range){GND_IDX_SLICE, GND_NONE, GND_NONE, 1, NULL};
        if (ref_rnd() % 3 == 0 && e > 0) { /* an integer */
            start[d] = ref_range(0, e - 1);
            r[d] = (gnd_range){GND_IDX_INT, start[d] - (ref_rnd() & 1 ? e : 0), 0, 0, NULL};
            out[d] = -1;
            continue;
        }
        dim[n] = e;
        if (ref_rnd() % 2 && e > 1) {
            int64_t a = ref_range(0, e - 1), b = ref_range(0, e), s = ref_range(1, 3);
            if (ref_rnd() & 1) { /* backwards from a to b + 1 */
                b = ref_range(-1, e - 2);
                r[d] = (gnd_range){GND_IDX_SLICE, a, b < 0 ? GND_NONE : b, -s, NULL};
                dim[n] = a > b ? (a - b + s - 1) / s : 0;
                s = -s;
            } else {
                r[d] = (gnd_range){GND_IDX_SLICE, a, b, s, NULL};
                dim[n] = b > a ? (b - a + s - 1) / s : 0;
            }
            start[d] = a, step[d] = s;
        }
        n++;
    }
    x = gnd_index(x, m->ndim, r);
    note("index", n, m->ndim);
    int nd = m->ndim;
    MOVE(m, n, dim,
         for (int d = 0; d < nd; d++) from[d] =
             out[d] < 0 ? start[d] : start[d] + step[d] * at[out[d]]);
    return x;
}

static gnd_array *step_permute(gnd_array *x, model *m)
{
    int perm[RANK];
    int64_t dim[RANK];
    for (int d = 0; d < m->ndim; d++)
        perm[d] = d;
    for (int d = m->ndim - 1; d > 0; d--) {
        int k = (int)ref_range(0, d), t = perm[d];
        perm[d] = perm[k], perm[k] = t;
    }
    for (int d = 0; d < m->ndim; d++)
        dim[d] = m->dim[perm[d]];
    note("permute", m->ndim, 0);
    MOVE(m, m->ndim, dim, for (int d = 0; d < old_.ndim; d++) from[perm[d]] = at[d]);
    return gnd_permute_dims(x, perm);
}

static gnd_array *step_reshape(gnd_array *x, model *m)
{
    int64_t n = count(m->ndim, m->dim), dim[RANK];
    int k = 0;
    if (n == 0)
        return x;
    while (n > 1 && k < 4) { /* a random divisor at a time */
        int64_t f = ref_range(1, n);
        while (n % f)
            f--;
        dim[k++] = f;
        n /= f;
    }
    if (n > 1 || k == 0)
        dim[k++] = n;
    m->ndim = k;
    memcpy(m->dim, dim, sizeof *dim * (size_t)k);
    note("reshape", k, dim[0]);
    return gnd_reshape(x, k, dim);
}

static gnd_array *step_broadcast(gnd_array *x, model *m)
{
    int64_t dim[RANK], n = count(m->ndim, m->dim), more = ref_range(1, 4);
    int add = m->ndim < RANK - 1 && n * more <= MOST, nd = m->ndim + add;
    if (add)
        dim[0] = more, n *= more;
    for (int d = 0; d < m->ndim; d++) {
        int64_t e = ref_range(1, 5);
        dim[d + add] = m->dim[d] == 1 && n * e <= MOST ? (n *= e, e) : m->dim[d];
    }
    note("broadcast_to", nd, dim[0]);
    x = gnd_broadcast_to(x, nd, dim);
    MOVE(m, nd, dim,
         for (int d = 0; d < old_.ndim; d++) from[d] = old_.dim[d] == 1 ? 0 : at[d + add]);
    return x;
}

static gnd_array *step_flip(gnd_array *x, model *m)
{
    gnd_axes axes = GND_NO_AXES;
    for (int d = 0; d < m->ndim; d++)
        if (ref_rnd() & 1)
            axes = gnd_axes_union(axes, GND_AXIS(d));
    note("flip", (int64_t)axes.bits, 0);
    MOVE(m, m->ndim, old_.dim,
         for (int d = 0; d < old_.ndim; d++) from[d] =
             axes.bits >> d & 1 ? old_.dim[d] - 1 - at[d] : at[d]);
    return gnd_flip(x, axes);
}

static gnd_array *step_diagonal(gnd_array *x, model *m)
{
    if (m->ndim < 2)
        return x;
    int a = (int)ref_range(0, m->ndim - 1), b = (int)ref_range(0, m->ndim - 2), n = 0;
    b += b >= a;
    int64_t off = ref_range(-2, 2), dim[RANK], len;
    int64_t r = m->dim[a] + (off < 0 ? off : 0), c = m->dim[b] - (off > 0 ? off : 0);
    len = r < c ? r : c;
    for (int d = 0; d < m->ndim; d++)
        if (d != a && d != b)
            dim[n++] = m->dim[d];
    dim[n++] = len < 0 ? 0 : len;
    note("diagonal", a, b);
    MOVE(m, n, dim, {
        int k = 0;
        for (int d = 0; d < old_.ndim; d++)
            if (d != a && d != b)
                from[d] = at[k++];
        from[a] = at[k] + (off < 0 ? -off : 0);
        from[b] = at[k] + (off > 0 ? off : 0);
    });
    return gnd_diagonal(x, off, a, b);
}

static gnd_array *step_ones(gnd_array *x, model *m)
{
    int n = 0;
    if (m->ndim < RANK - 1 && ref_rnd() & 1) {
        int axis = (int)ref_range(0, m->ndim);
        memmove(m->dim + axis + 1, m->dim + axis, sizeof *m->dim * (size_t)(m->ndim - axis));
        m->dim[axis] = 1;
        m->ndim++;
        note("expand_dims", axis, 0);
        return gnd_expand_dims(x, GND_AXIS(axis));
    }
    for (int d = 0; d < m->ndim; d++)
        if (m->dim[d] != 1)
            m->dim[n++] = m->dim[d];
    m->ndim = n;
    note("squeeze", n, 0);
    return gnd_squeeze(x, GND_ALL);
}

static int32_t wrap(int64_t v)
{
    return (int32_t)(uint32_t)(uint64_t)v;
}

static gnd_array *step_map(gnd_array *x, model *m)
{
    int64_t n = count(m->ndim, m->dim);
    int how = (int)(ref_rnd() % 4);
    note("map", how, 0);
    if (how == 0 || m->ndim == 0) {
        for (int64_t i = 0; i < n; i++)
            m->v[i] = wrap((int64_t)m->v[i] * 3 + 1);
        return gnd_add(gnd_multiply(x, gnd_int(3)), gnd_int(1));
    }
    if (how == 1) { /* its own mirror image, added */
        model old = *m;
        MOVE(m, m->ndim, old_.dim,
             for (int d = 0; d < old_.ndim; d++) from[d] = old_.dim[d] - 1 - at[d]);
        for (int64_t i = 0; i < n; i++)
            m->v[i] = wrap((int64_t)m->v[i] + old.v[i]);
        return gnd_add(x, gnd_flip(x, GND_ALL));
    }
    if (how == 2) { /* a row, broadcast */
        int64_t c = m->dim[m->ndim - 1];
        for (int64_t i = 0; i < n; i++)
            m->v[i] = wrap((int64_t)m->v[i] - 5 * (i % c));
        return gnd_subtract(x, gnd_multiply(gnd_arange_i64(dev, 0, c, 1, GND_INT32), gnd_int(5)));
    }
    for (int64_t i = 0; i < n; i++)
        m->v[i] = m->v[i] > 40 ? m->v[i] : -m->v[i];
    return gnd_where(gnd_greater(x, gnd_int(40)), x, gnd_negative(x));
}

static gnd_array *step_join(gnd_array *x, model *m)
{
    int64_t n = count(m->ndim, m->dim), dim[RANK];
    int axis = m->ndim ? (int)ref_range(0, m->ndim - 1) : 0, how = (int)(ref_rnd() % 5);
    if (m->ndim == 0 || m->ndim >= RANK - 1 || n * 3 > MOST)
        return x;
    memcpy(dim, m->dim, sizeof dim);
    int64_t e = m->dim[axis];
    note("join", how, axis);
    if (how == 0) { /* x and its flip, one after the other */
        gnd_array *two[] = {x, gnd_flip(x, GND_AXIS(axis)), x};
        dim[axis] = 3 * e;
        MOVE(m, m->ndim, dim, {
            memcpy(from, at, sizeof from);
            int64_t k = at[axis] / e;
            from[axis] = k == 1 ? 2 * e - 1 - at[axis] : at[axis] - k * e;
        });
        return gnd_concat(3, two, axis);
    }
    if (how == 1) {
        gnd_array *two[] = {x, gnd_flip(x, GND_ALL)};
        memmove(dim + axis + 1, dim + axis, sizeof *dim * (size_t)(m->ndim - axis));
        dim[axis] = 2;
        MOVE(
            m, m->ndim + 1, dim, for (int d = 0; d < old_.ndim; d++) {
                int64_t i = at[d + (d >= axis)];
                from[d] = at[axis] ? old_.dim[d] - 1 - i : i;
            });
        return gnd_stack(2, two, axis);
    }
    if (how == 2) {
        int64_t reps[RANK];
        for (int d = 0; d < m->ndim; d++)
            reps[d] = d == axis ? 2 : 1;
        dim[axis] *= 2;
        MOVE(m, m->ndim, dim, for (int d = 0; d < old_.ndim; d++) from[d] = at[d] % old_.dim[d]);
        return gnd_tile(x, m->ndim, reps);
    }
    if (how == 3) {
        dim[axis] *= 2;
        MOVE(m, m->ndim, dim, {
            memcpy(from, at, sizeof from);
            from[axis] = at[axis] / 2;
        });
        return gnd_repeat(x, 2, axis);
    }
    int64_t shift = ref_range(-7, 7);
    MOVE(m, m->ndim, dim, {
        memcpy(from, at, sizeof from);
        from[axis] = ((at[axis] - shift) % e + e) % e;
    });
    return gnd_roll(x, 1, &shift, &axis);
}

static gnd_array *step_take(gnd_array *x, model *m)
{
    int64_t counts[MOST], pick[MOST], dim[RANK], total = 0;
    int axis = m->ndim ? (int)ref_range(0, m->ndim - 1) : 0;
    if (m->ndim == 0 || count(m->ndim, m->dim) * 2 > MOST)
        return x;
    memcpy(dim, m->dim, sizeof dim);
    for (int64_t i = 0; i < m->dim[axis]; i++) {
        counts[i] = ref_range(0, 2);
        for (int64_t k = 0; k < counts[i]; k++)
            pick[total++] = i;
    }
    note("repeat_each", axis, total);
    dim[axis] = total;
    MOVE(m, m->ndim, dim, {
        memcpy(from, at, sizeof from);
        from[axis] = pick[at[axis]];
    });
    return gnd_repeat_each(x, counts, axis);
}

static gnd_array *step_window(gnd_array *x, model *m)
{
    int axis = m->ndim ? (int)ref_range(0, m->ndim - 1) : 0;
    if (m->ndim == 0 || m->ndim >= RANK - 1 || count(m->ndim, m->dim) == 0)
        return x;
    int64_t dim[RANK], n = count(m->ndim, m->dim), w = ref_range(1, 4);
    if (w > m->dim[axis] || n * w > MOST)
        return x;
    memcpy(dim, m->dim, sizeof dim);
    dim[axis] -= w - 1;
    dim[m->ndim] = w;
    note("windows", axis, w);
    MOVE(m, m->ndim + 1, dim, {
        memcpy(from, at, sizeof from);
        from[axis] += at[old_.ndim];
    });
    return gnd_sliding_window_view(x, 1, &w, &axis);
}

static gnd_array *step_sum(gnd_array *x, model *m)
{
    if (m->ndim == 0)
        return x;
    int axis = (int)ref_range(0, m->ndim - 1), n = 0;
    int64_t dim[RANK], e = m->dim[axis];
    model old = *m;
    for (int d = 0; d < m->ndim; d++)
        if (d != axis)
            dim[n++] = m->dim[d];
    m->ndim = n;
    memcpy(m->dim, dim, sizeof *dim * (size_t)n);
    int64_t inner = count(old.ndim - axis - 1, old.dim + axis + 1), total = count(n, dim);
    for (int64_t k = 0; k < total; k++) {
        int64_t s = 0;
        for (int64_t i = 0; i < e; i++)
            s += old.v[(k / inner * e + i) * inner + k % inner];
        m->v[k] = wrap(s);
    }
    note("sum", axis, e);
    return gnd_astype(gnd_sum(x, GND_AXIS(axis), 0), GND_INT32);
}

static gnd_array *step(gnd_array *x, model *m)
{
    switch (ref_rnd() % 16) {
    case 0:
    case 1: return step_slice(x, m);
    case 2:
    case 3: return step_permute(x, m);
    case 4: return step_reshape(x, m);
    case 5: return step_broadcast(x, m);
    case 6: return step_flip(x, m);
    case 7: return step_diagonal(x, m);
    case 8: return step_ones(x, m);
    case 9:
    case 10: return step_map(x, m);
    case 11:
    case 12: return step_join(x, m);
    case 13: return step_take(x, m);
    case 14: return step_sum(x, m);
    default: return step_window(x, m);
    }
}

static void one_case(int number)
{
    static model m;
    static int32_t got[MOST];
    int64_t n, bad = -1;
    ref_seed((uint64_t)number + 1000);
    trail[0] = 0;
    gnd_scope_begin();
    m.ndim = (int)ref_range(1, 4);
    for (int d = 0; d < m.ndim; d++)
        m.dim[d] = ref_range(m.ndim > 2 ? 2 : 5, m.ndim > 2 ? 7 : 30);
    n = count(m.ndim, m.dim);
    for (int64_t i = 0; i < n; i++)
        m.v[i] = (int32_t)ref_range(-100, 100);
    gnd_array *x = gnd_from(dev, GND_INT32, m.ndim, m.dim, m.v);
    for (int k = (int)ref_range(3, 12); k > 0; k--) {
        x = step(x, &m);
        if (ref_rnd() % 8 == 0) {
            note("eval", 0, 0);
            gnd_wait(x);
        }
    }
    n = count(m.ndim, m.dim);
    memset(got, 0x55, sizeof got);
    gnd_status st = gnd_read(x, got, (size_t)n * 4);
    int same = st == GND_OK && gnd_ndim(x) == m.ndim && gnd_dtype_of(x) == GND_INT32 &&
               memcmp(gnd_shape(x), m.dim, sizeof *m.dim * (size_t)m.ndim) == 0;
    for (int64_t i = 0; same && bad < 0 && i < n; i++)
        if (got[i] != m.v[i])
            bad = i;
    if (!tap_ok(same && bad < 0, "%s: composition %d:%s", shape_name, number, trail)) {
        tap_diag("%s %s; %d dimensions for %d", gnd_status_name(st), gnd_error(x), gnd_ndim(x),
                 m.ndim);
        if (bad >= 0)
            tap_diag("element %" PRId64 " of %" PRId64 ": %d, not %d", bad, n, got[bad], m.v[bad]);
    }
    gnd_scope_end();
}

/* 32 dimensions: eleven of extent 2 among ones. */
static void many_axes(void)
{
    enum { D = GND_MAX_NDIM };
    static model m;
    static int32_t got[MOST];
    int perm[D];
    gnd_axes axes = GND_NO_AXES;
    gnd_scope_begin();
    m.ndim = D;
    for (int d = 0; d < D; d++) {
        m.dim[d] = d % 3 == 0 ? 2 : 1;
        perm[d] = d * 7 % D;
        if (d % 2)
            axes = gnd_axes_union(axes, GND_AXIS(d));
    }
    int64_t n = count(D, m.dim), dim[D];
    for (int64_t i = 0; i < n; i++)
        m.v[i] = (int32_t)i;
    gnd_array *x = gnd_from(dev, GND_INT32, D, m.dim, m.v);
    gnd_array *y = gnd_add(gnd_permute_dims(gnd_flip(x, axes), perm), gnd_int(1));
    for (int d = 0; d < D; d++)
        dim[d] = m.dim[perm[d]];
    MOVE(&m, D, dim,
         for (int d = 0; d < D; d++) from[perm[d]] =
             axes.bits >> perm[d] & 1 ? old_.dim[perm[d]] - 1 - at[d] : at[d]);
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += ++m.v[i];
    tap_is_int(gnd_read(y, got, (size_t)n * 4), GND_OK, "%s: 32 dimensions", shape_name);
    tap_is_mem(got, m.v, (size_t)n * 4, "%s: flipped, permuted, mapped", shape_name);
    tap_is_int(gnd_item_i64(gnd_sum(y, GND_ALL, 0), NULL), sum, "%s: and summed", shape_name);
    gnd_array *odd = gnd_sum(y, GND_AXES_BITS(GND_NO_AXES.bits | 0x55555555u), 0);
    tap_is_int(gnd_item_i64(gnd_sum(odd, GND_ALL, 0), NULL), sum, "%s: every second axis first",
               shape_name);
    gnd_scope_end();
}

static int first = 0, last = 79;

static void on_device(gnd_device *d, const char *spec)
{
    dev = d;
    tap_diag("%s, kernels shaped for %s", spec, shape_name);
    many_axes();
    for (int i = first; i <= last; i++)
        one_case(i);
}

int main(int argc, char **argv)
{
    static const char *const shape[] = {"cpu", "gpu"};
    if (argc > 2)
        first = atoi(argv[1]), last = atoi(argv[2]);
    for (int i = 0; i < 2; i++) {
        shape_name = shape[i];
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(on_device);
    }
    return tap_done();
}
