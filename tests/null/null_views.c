/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_views.c - views and joins against a plain model: random chains of them are applied to an
 * array of the graph and to a small host array that really moves its elements, each implemented
 * independently from NumPy's documentation; then every element is compared. Runs on the null
 * device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/device.h>
#include <gnd/manip.h>
#include <gnd/view.h>
#include "nodeval.h"
#include "tap.h"

#define MOST 2000 /* elements of the model */

typedef struct model {
    int ndim;
    int64_t dim[10], n;
    int32_t v[MOST];
} model;

static uint64_t state = 88172645463325252u;
static gnd_device *dev;
static char trail[4000]; /* what was done, for the report */

static int64_t rnd(int64_t low, int64_t high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int64_t)(state % (uint64_t)(high - low + 1));
}

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *fmt, ...)
{
    size_t len = strlen(trail);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(trail + len, sizeof trail - len, fmt, ap);
    va_end(ap);
}

/* --- the model -------------------------------------------------------------------------------- */

static int64_t count(int ndim, const int64_t *dim)
{
    int64_t n = 1;
    for (int k = 0; k < ndim; k++)
        n *= dim[k];
    return n;
}

static void unravel(const model *m, int64_t at, int64_t *i)
{
    for (int k = m->ndim - 1; k >= 0; k--) {
        i[k] = at % m->dim[k];
        at /= m->dim[k];
    }
}

static int32_t get(const model *m, const int64_t *i)
{
    int64_t at = 0;
    for (int k = 0; k < m->ndim; k++)
        at = at * m->dim[k] + i[k];
    return m->v[at];
}

static void shape(model *m, int ndim, const int64_t *dim)
{
    m->ndim = ndim;
    memmove(m->dim, dim, (size_t)ndim * sizeof dim[0]);
    m->n = count(ndim, dim);
}

/* --- one random step of each kind: the array's, and the model's ------------------------------- */

/* An index: entries for gnd_index, the same as text, and the model's elements. */
static gnd_array *step_index(gnd_array *x, model *m)
{
    gnd_range r[12];
    char text[400] = "";
    model old = *m;
    int64_t pick[10][64], len[10], dim[10], from[10];
    int n = 0, axis = 0, out = 0, ellipsis = 0;
    int whole_from = (int)rnd(0, m->ndim), whole = (int)rnd(0, m->ndim - whole_from);

    while (axis < m->ndim || n == 0) {
        char one[100];
        int kind = (int)rnd(0, 9);
        if (!ellipsis && axis == whole_from && (whole || m->ndim == 0)) {
            r[n++] = (gnd_range){.kind = GND_IDX_ELLIPSIS};
            strcpy(one, "...");
            for (int k = 0; k < whole; k++, axis++) {
                for (int64_t i = 0; i < m->dim[axis]; i++)
                    pick[axis][i] = i;
                len[axis] = dim[out] = m->dim[axis];
                from[axis] = out++;
            }
            ellipsis = 1;
        } else if (kind == 0 && out + m->ndim - axis < 7) {
            r[n++] = (gnd_range){.kind = GND_IDX_NEWAXIS};
            strcpy(one, rnd(0, 1) ? "None" : " newaxis ");
            dim[out++] = 1;
        } else if (axis == m->ndim) {
            continue;
        } else if (kind < 3 && m->dim[axis] > 0) {
            int64_t d = m->dim[axis], i = rnd(-d, d - 1);
            r[n++] = (gnd_range){.kind = GND_IDX_INT, .start = i};
            snprintf(one, sizeof one, " %" PRId64, i);
            pick[axis][0] = i < 0 ? i + d : i;
            len[axis] = 1;
            from[axis++] = -1;
        } else {
            /* Python: walk from start by step while inside stop, where both are first clipped. */
            int64_t d = m->dim[axis], step = rnd(1, 3) * (rnd(0, 1) ? 1 : -1);
            int64_t start = rnd(0, 2) ? rnd(-d - 2, d + 2) : GND_NONE;
            int64_t stop = rnd(0, 2) ? rnd(-d - 2, d + 2) : GND_NONE, a = start, b = stop;
            if (a != GND_NONE && a < 0)
                a += d;
            if (b != GND_NONE && b < 0)
                b += d;
            len[axis] = 0;
            for (int64_t i = step > 0 ? 0 : d - 1; i >= 0 && i<d; i += step> 0 ? 1 : -1) {
                int64_t first = a == GND_NONE ? (step > 0 ? 0 : d - 1)
                                : step > 0    ? (a < 0 ? 0 : a)
                                              : (a >= d ? d - 1 : a);
                int past = b != GND_NONE && (step > 0 ? i >= b : i <= b);
                int before = step > 0 ? i < first : i > first;
                if (!before && !past && (i - first) % step == 0)
                    pick[axis][len[axis]++] = i;
            }
            r[n++] = (gnd_range){GND_IDX_SLICE, start, stop, step == 1 ? rnd(0, 1) : step, NULL};
            char s0[24] = "", s1[24] = "";
            if (start != GND_NONE)
                snprintf(s0, sizeof s0, "%" PRId64, start);
            if (stop != GND_NONE)
                snprintf(s1, sizeof s1, "%" PRId64, stop);
            if (step == 1 && rnd(0, 1))
                snprintf(one, sizeof one, "%s:%s%s", s0, s1, rnd(0, 1) ? ":" : "");
            else
                snprintf(one, sizeof one, "%s : %s:%" PRId64, s0, s1, step);
            dim[out] = len[axis];
            from[axis++] = out++;
        }
        strcat(strcat(text, n > 1 ? "," : ""), one);
    }
    if (rnd(0, 3) == 0)
        strcat(text, ", ");
    shape(m, out, dim);
    for (int64_t at = 0; at < m->n; at++) {
        int64_t i[10], j[10];
        unravel(m, at, i);
        for (int k = 0; k < old.ndim; k++)
            j[k] = pick[k][from[k] < 0 ? 0 : i[from[k]]];
        m->v[at] = get(&old, j);
    }
    note("[%s] ", text);
    return rnd(0, 1) ? gnd_at(x, text) : gnd_index(x, n, r);
}

static gnd_array *step_reshape(gnd_array *x, model *m)
{
    int64_t dim[10], left = m->n, given[10];
    int ndim = (int)rnd(m->n == 1 ? 0 : 1, 4), hole = (int)rnd(-1, ndim - 1);
    for (int k = 0; k < ndim; k++) {
        int64_t d = k == ndim - 1 ? left : rnd(1, 6);
        while (left && left % d)
            d--;
        dim[k] = d;
        left = left ? left / d : 0;
    }
    int64_t known = 1;
    for (int k = 0; k < ndim; k++) {
        given[k] = dim[k];
        known *= k == hole ? 1 : dim[k];
    }
    if (hole >= 0 && known)
        given[hole] = -1;
    shape(m, ndim, dim);
    note("reshape to %d ", ndim);
    return gnd_reshape(x, ndim, given);
}

static gnd_array *permute(gnd_array *x, model *m, const int *perm, gnd_array *y)
{
    model old = *m;
    int64_t dim[10];
    (void)x;
    for (int k = 0; k < m->ndim; k++)
        dim[k] = old.dim[perm[k]];
    shape(m, old.ndim, dim);
    for (int64_t at = 0; at < m->n; at++) {
        int64_t i[10], j[10];
        unravel(m, at, i);
        for (int k = 0; k < m->ndim; k++)
            j[perm[k]] = i[k];
        m->v[at] = get(&old, j);
    }
    return y;
}

static gnd_array *step_permute(gnd_array *x, model *m)
{
    int perm[10] = {0}, given[10], n = m->ndim;
    for (int k = 0; k < n; k++)
        perm[k] = k;
    switch (rnd(0, 3)) {
    case 0:
        note("T ");
        for (int k = 0; k < n; k++)
            perm[k] = n - 1 - k;
        return permute(x, m, perm, rnd(0, 1) ? gnd_T(x) : gnd_permute_dims(x, NULL));
    case 1:
        if (n) {
            int a = (int)rnd(0, n - 1), b = (int)rnd(0, n - 1);
            note("swapaxes %d %d ", a, b);
            perm[a] = b;
            perm[b] = a;
            return permute(x, m, perm, gnd_swapaxes(x, a - n, b));
        }
        return gnd_permute_dims(x, perm);
    case 2:
        if (n) {
            /* NumPy: take the axis out, insert it at its destination. */
            int a = (int)rnd(0, n - 1), b = (int)rnd(0, n - 1), k = 0, source = a, dest = b - n;
            for (int i = 0; i < n; i++)
                if (i != b) {
                    k += k == a;
                    perm[i] = k++;
                }
            perm[b] = a;
            note("moveaxis %d %d ", a, b);
            return permute(x, m, perm, gnd_moveaxis(x, 1, &source, &dest));
        }
        return gnd_moveaxis(x, 0, NULL, NULL);
    default:
        for (int k = n - 1; k > 0; k--) {
            int j = (int)rnd(0, k), t = perm[k];
            perm[k] = perm[j];
            perm[j] = t;
        }
        for (int k = 0; k < n; k++)
            given[k] = rnd(0, 1) ? perm[k] : perm[k] - n;
        note("permute ");
        return permute(x, m, perm, gnd_permute_dims(x, given));
    }
}

static gnd_array *step_flip(gnd_array *x, model *m)
{
    model old = *m;
    uint32_t mask = (uint32_t)rnd(0, (1 << m->ndim) - 1);
    int all = rnd(0, 3) == 0;
    gnd_axes axes = GND_NO_AXES;
    for (int k = 0; k < m->ndim; k++)
        if (mask >> k & 1)
            axes = gnd_axes_union(axes, GND_AXIS(rnd(0, 1) ? k : k - m->ndim));
    for (int64_t at = 0; at < m->n; at++) {
        int64_t i[10];
        unravel(m, at, i);
        for (int k = 0; k < m->ndim; k++)
            if (all || (mask >> k & 1))
                i[k] = m->dim[k] - 1 - i[k];
        m->v[at] = get(&old, i);
    }
    note("flip %x ", all ? -1u : mask);
    return gnd_flip(x, all ? GND_ALL : axes);
}

static gnd_array *step_ones(gnd_array *x, model *m)
{
    int64_t dim[10];
    int n = 0;
    if (rnd(0, 1)) {
        int all = (int)rnd(0, 1);
        gnd_axes axes = GND_NO_AXES;
        for (int k = 0; k < m->ndim; k++) {
            int drop = m->dim[k] == 1 && (all || rnd(0, 1));
            if (drop)
                axes = gnd_axes_union(axes, GND_AXIS(k - m->ndim));
            else
                dim[n++] = m->dim[k];
        }
        shape(m, n, dim);
        note("squeeze ");
        return gnd_squeeze(x, all ? GND_ALL : axes);
    }
    gnd_axes axes = GND_NO_AXES;
    int out = m->ndim + (int)rnd(0, 2), left = out - m->ndim;
    for (int k = 0; k < out; k++) {
        if (left && (out - k == left || rnd(0, 1))) {
            axes = gnd_axes_union(axes, GND_AXIS(rnd(0, 1) ? k : k - out));
            dim[k] = 1;
            left--;
        } else {
            dim[k] = m->dim[n++];
        }
    }
    shape(m, out, dim);
    note("expand ");
    return gnd_expand_dims(x, axes);
}

static gnd_array *step_broadcast(gnd_array *x, model *m)
{
    model old = *m;
    int64_t dim[10];
    int more = (int)rnd(0, 1);
    for (int k = 0; k < m->ndim + more; k++) {
        dim[k] = k < more ? 1 : m->dim[k - more];
        if (dim[k] == 1)
            dim[k] = rnd(0, 3);
    }
    if (count(m->ndim + more, dim) > MOST)
        return gnd_broadcast_to(x, m->ndim, m->dim);
    shape(m, m->ndim + more, dim);
    for (int64_t at = 0; at < m->n; at++) {
        int64_t i[10];
        unravel(m, at, i);
        for (int k = 0; k < old.ndim; k++)
            i[k] = old.dim[k] == 1 ? 0 : i[k + more];
        m->v[at] = get(&old, i);
    }
    note("broadcast ");
    return gnd_broadcast_to(x, m->ndim, m->dim);
}

static gnd_array *step_diagonal(gnd_array *x, model *m)
{
    if (m->ndim < 2)
        return gnd_flip(x, GND_NO_AXES);
    model old = *m;
    int a = (int)rnd(0, m->ndim - 1), b = (a + (int)rnd(1, m->ndim - 1)) % m->ndim, n = 0;
    int64_t k = rnd(-4, 4), dim[10], len = 0;
    while ((k < 0 ? len - k : len) < old.dim[a] && (k > 0 ? len + k : len) < old.dim[b])
        len++;
    for (int d = 0; d < m->ndim; d++)
        if (d != a && d != b)
            dim[n++] = m->dim[d];
    dim[n++] = len;
    shape(m, n, dim);
    for (int64_t at = 0; at < m->n; at++) {
        int64_t i[10], j[10];
        unravel(m, at, i);
        n = 0;
        for (int d = 0; d < old.ndim; d++)
            if (d != a && d != b)
                j[d] = i[n++];
        j[a] = i[n] + (k < 0 ? -k : 0);
        j[b] = i[n] + (k > 0 ? k : 0);
        m->v[at] = get(&old, j);
    }
    note("diagonal %d %d %d ", (int)k, a, b);
    return gnd_diagonal(x, k, a, b - old.ndim);
}

/* Element i along an axis of the result is element pick[i] of that axis. */
static void along(model *m, int axis, int64_t len, const int64_t *pick)
{
    model old = *m;
    int64_t dim[10];
    memcpy(dim, m->dim, sizeof dim);
    dim[axis] = len;
    shape(m, m->ndim, dim);
    for (int64_t at = 0; at < m->n; at++) {
        int64_t i[10];
        unravel(m, at, i);
        i[axis] = pick[i[axis]];
        m->v[at] = get(&old, i);
    }
}

/* Windows along one axis, or along it twice. */
static gnd_array *step_window(gnd_array *x, model *m)
{
    if (!m->ndim || m->n == 0 || m->n > MOST / 16)
        return gnd_reshape(x, m->ndim, m->dim);
    model old = *m;
    int axis = (int)rnd(0, m->ndim - 1), n = (int)rnd(1, 2);
    int64_t w[2] = {rnd(1, m->dim[axis] < 4 ? m->dim[axis] : 4), 1}, dim[10];
    if (n == 2)
        w[1] = rnd(1, m->dim[axis] - w[0] + 1 < 3 ? m->dim[axis] - w[0] + 1 : 3);
    memcpy(dim, m->dim, sizeof dim);
    dim[axis] -= w[0] + w[1] - 2;
    for (int k = 0; k < n; k++)
        dim[m->ndim + k] = w[k];
    shape(m, m->ndim + n, dim);
    for (int64_t at = 0; at < m->n; at++) {
        int64_t i[10];
        unravel(m, at, i);
        for (int k = 0; k < n; k++)
            i[axis] += i[old.ndim + k];
        m->v[at] = get(&old, i);
    }
    note("windows %d x %d along %d ", (int)w[0], (int)w[1], axis);
    return gnd_sliding_window_view(x, n, w, (int[]){axis, axis - old.ndim});
}

static gnd_array *step_join(gnd_array *x, model *m)
{
    if (!m->ndim || m->n > MOST / 4)
        return gnd_roll(x, 0, NULL, NULL);
    int axis = (int)rnd(0, m->ndim - 1), given = rnd(0, 1) ? axis : axis - m->ndim;
    int64_t d = m->dim[axis], pick[1000], len = 0, times = rnd(0, 3);
    switch (rnd(0, 4)) {
    case 0: {
        int64_t shift = rnd(-100, 100);
        for (int64_t i = 0; i < d; i++)
            pick[((i + shift) % d + d) % d] = i;
        along(m, axis, d, pick);
        note("roll %d by %d ", axis, (int)shift);
        int twice[2] = {given, axis};
        int64_t parts[2] = {shift - 7, 7};
        return rnd(0, 1) ? gnd_roll(x, 1, &shift, &given) : gnd_roll(x, 2, parts, twice);
    }
    case 1:
        for (int64_t i = 0; i < d; i++)
            for (int64_t k = 0; k < times; k++)
                pick[len++] = i;
        along(m, axis, len, pick);
        note("repeat %d by %d ", axis, (int)times);
        return gnd_repeat(x, times, given);
    case 2: {
        gnd_array *list[3] = {x, x, x};
        times = rnd(1, 3);
        for (int64_t k = 0; k < times; k++)
            for (int64_t i = 0; i < d; i++)
                pick[len++] = i;
        along(m, axis, len, pick);
        note("concat %d of %d ", axis, (int)times);
        return gnd_concat((int)times, list, given);
    }
    case 3: {
        int64_t reps[10];
        int n = (int)rnd(1, m->ndim);
        for (int k = 0; k < n; k++) {
            int ax = m->ndim - n + k;
            reps[k] = m->n > MOST / 4 ? 1 : rnd(0, 8) ? rnd(1, 2) : 0;
            len = 0;
            for (int64_t j = 0; j < reps[k]; j++)
                for (int64_t i = 0; i < m->dim[ax]; i++)
                    pick[len++] = i;
            along(m, ax, len, pick);
        }
        note("tile %d ", n);
        return gnd_tile(x, n, reps);
    }
    default: {
        int64_t shift = rnd(-100, 100);
        model old = *m;
        for (int64_t i = 0; i < m->n; i++)
            m->v[((i + shift) % m->n + m->n) % m->n] = old.v[i];
        note("roll flat %d ", (int)shift);
        return gnd_roll_flat(x, shift);
    }
    }
}

/* --- the comparison --------------------------------------------------------------------------- */

static int same(const gnd_array *x, const model *m)
{
    if (gnd_status_of(x)) {
        tap_diag("%s", gnd_error(x));
        return 0;
    }
    if (gnd_ndim(x) != m->ndim ||
        memcmp(gnd_shape(x), m->dim, (size_t)m->ndim * sizeof m->dim[0]) != 0) {
        tap_diag("another shape");
        return 0;
    }
    for (int64_t i = 0; i < m->n; i++) {
        gnd__scalar v = nodeval(x, i);
        if (v.i != m->v[i]) {
            tap_diag("element %" PRId64 " is %" PRId64 ", not %d", i, v.i, m->v[i]);
            return 0;
        }
    }
    return 1;
}

static int one_chain(void)
{
    static gnd_array *(*const step[])(gnd_array *, model *) = {
        step_index, step_index, step_reshape,  step_permute,   step_flip,
        step_ones,  step_join,  step_diagonal, step_broadcast, step_window,
    };
    static model m;
    int64_t dim[10];
    int ndim = (int)rnd(0, 4);
    for (int k = 0; k < ndim; k++)
        dim[k] = rnd(0, 19) ? rnd(1, 5) : 0;
    shape(&m, ndim, dim);
    for (int64_t i = 0; i < m.n; i++)
        m.v[i] = (int32_t)i;
    trail[0] = '\0';
    gnd_scope_begin();
    gnd_array *x = gnd_empty(dev, GND_INT32, ndim, dim);
    int good = 1;
    for (int64_t n = rnd(1, 5); n > 0 && good; n--) {
        int wide = m.ndim > 6;
        for (int k = 0; k < m.ndim; k++)
            wide |= m.dim[k] > 60;
        x = step[wide ? 2 : rnd(0, 9)](x, &m);
        good = same(x, &m);
    }
    gnd_scope_end();
    return good;
}

int main(void)
{
    const char *seed = getenv("GND_TEST_SEED");
    if (seed)
        state = strtoull(seed, NULL, 0) | 1;
    dev = gnd_open("null:0");
    tap_diag("GND_TEST_SEED=%" PRIu64, state);
    for (int batch = 0; batch < 20; batch++) {
        int bad = 0;
        for (int i = 0; i < 200; i++) {
            uint64_t from = state;
            if (one_chain())
                continue;
            bad++;
            tap_diag("GND_TEST_SEED=%" PRIu64 ": %s", from, trail);
        }
        tap_is_int(bad, 0, "chains %d to %d", batch * 200, batch * 200 + 199);
    }
    gnd_stats st;
    tap_is_int(gnd_device_stats(dev, &st), GND_OK, "statistics");
    tap_is_int(st.arrays, 0, "no array is left");
    gnd_close(dev);
    return tap_done();
}
