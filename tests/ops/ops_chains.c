/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_chains.c - long random chains of views of stored and of pending data, as the device computes
 * them, against a host array that moves its elements at every step. Some views on the way are kept,
 * and some evaluated: all of them have their elements in the end. Then loops, and threads of which
 * one evaluates what the other views. Arguments: first and last case.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "ref.h"
#include "tap.h"

#define MOST 3000 /* elements */
#define RANK 6
#define KEPT 2

typedef struct model {
    int ndim;
    int64_t dim[RANK], n;
    int16_t v[MOST];
} model;

/* A step of the model: its axis d is at start[d] + the sum over k of step[d][k] * i[k] of the axes
 * dim[ndim]. */
typedef struct move {
    int ndim;
    int64_t dim[RANK], start[RANK], step[RANK][RANK];
} move;

static gnd_device *dev;
static char trail[6000];

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

static void apply(model *m, const move *s)
{
    static model old;
    int64_t i[GND_MAX_NDIM];
    old = *m;
    m->ndim = s->ndim;
    memcpy(m->dim, s->dim, sizeof m->dim);
    m->n = count(m->ndim, m->dim);
    for (int64_t e = 0; e < m->n; e++) {
        int64_t off = 0;
        ref_unravel(m->ndim, m->dim, e, i);
        for (int d = 0; d < old.ndim; d++) {
            int64_t at = s->start[d];
            for (int k = 0; k < m->ndim; k++)
                at += s->step[d][k] * i[k];
            off = off * old.dim[d] + at;
        }
        m->v[e] = old.v[off];
    }
}

/* --- steps: the array's, and the model's in *s ------------------------------------------------ */

static gnd_array *indexed(gnd_array *x, const model *m, move *s)
{
    gnd_range r[RANK] = {{0}};
    s->ndim = 0;
    for (int d = 0; d < m->ndim; d++) {
        const int64_t n = m->dim[d];
        const int how = (int)(ref_rnd() % 8);
        int64_t step = how == 1 ? -1 : how == 2 ? 2 : 1, first = 0, len = n;
        if (how == 0 && n > 0) {
            s->start[d] = ref_range(0, n - 1);
            r[d] = (gnd_range){.kind = GND_IDX_INT, .start = s->start[d] - (ref_rnd() % 2 ? n : 0)};
            continue;
        }
        r[d] = (gnd_range){GND_IDX_SLICE, GND_NONE, GND_NONE, step, NULL};
        if (how == 1 && n > 0)
            first = n - 1;
        if (how == 2)
            len = (n + 1) / 2;
        if (how == 3 && n > 0) {
            r[d].start = first = 1;
            len = n - 1;
        }
        if (how == 4 && n > 1) {
            r[d].stop = -1;
            len = n - 1;
        }
        s->start[d] = len ? first : 0;
        s->step[d][s->ndim] = step;
        s->dim[s->ndim++] = len;
    }
    note("index", m->ndim, s->ndim);
    return gnd_index(x, m->ndim, r);
}

static gnd_array *permuted(gnd_array *x, const model *m, move *s)
{
    int perm[RANK];
    for (int k = 0; k < m->ndim; k++)
        perm[k] = k;
    for (int k = m->ndim - 1; k > 0; k--) {
        const int j = (int)ref_range(0, k), t = perm[k];
        perm[k] = perm[j];
        perm[j] = t;
    }
    s->ndim = m->ndim;
    for (int k = 0; k < m->ndim; k++) {
        s->dim[k] = m->dim[perm[k]];
        s->step[perm[k]][k] = 1;
    }
    note("permute", m->ndim, 0);
    return gnd_permute_dims(x, perm);
}

static gnd_array *diagonal(gnd_array *x, const model *m, move *s)
{
    const int64_t offset = m->dim[0] > 1 && m->dim[1] > 1 ? ref_range(-1, 1) : 0,
                  down = offset < 0 ? 1 : 0, right = offset > 0 ? 1 : 0;
    const int64_t na = m->dim[0] - down, nb = m->dim[1] - right;
    s->ndim = 0;
    for (int d = 2; d < m->ndim; d++) {
        s->step[d][s->ndim] = 1;
        s->dim[s->ndim++] = m->dim[d];
    }
    s->step[0][s->ndim] = s->step[1][s->ndim] = 1;
    s->dim[s->ndim++] = na < nb ? (na < 0 ? 0 : na) : (nb < 0 ? 0 : nb);
    s->start[0] = down;
    s->start[1] = right;
    note("diagonal", offset, 0);
    return gnd_diagonal(x, offset, 0, 1);
}

static gnd_array *windows(gnd_array *x, const model *m, move *s)
{
    const int axis = (int)ref_range(0, m->ndim - 1);
    const int64_t w = ref_range(1, m->dim[axis] < 3 ? m->dim[axis] : 3);
    s->ndim = m->ndim + 1;
    for (int d = 0; d < m->ndim; d++) {
        s->step[d][d] = 1;
        s->dim[d] = m->dim[d] - (d == axis ? w - 1 : 0);
    }
    s->step[axis][m->ndim] = 1;
    s->dim[m->ndim] = w;
    note("windows", axis, w);
    return gnd_sliding_window_view(x, 1, &w, &axis);
}

static gnd_array *wider(gnd_array *x, const model *m, move *s)
{
    int64_t most = MOST / (m->n ? m->n : 1); /* times as many elements */
    s->ndim = m->ndim + 1;
    s->dim[0] = ref_range(1, most < 3 ? most : 3);
    most /= s->dim[0];
    for (int d = 0; d < m->ndim; d++) {
        s->dim[d + 1] = m->dim[d];
        if (m->dim[d] == 1) {
            s->dim[d + 1] = ref_range(1, most < 4 ? most : 4);
            most /= s->dim[d + 1];
        } else {
            s->step[d][d + 1] = 1;
        }
    }
    note("broadcast", s->dim[0], 0);
    return gnd_broadcast_to(x, s->ndim, s->dim);
}

/* Another shape: the extents' factors, divided anew. The model's elements stay in their order. */
static gnd_array *reshaped(gnd_array *x, model *m)
{
    int64_t dim[RANK], left = m->n;
    int ndim = (int)ref_range(m->n == 1 ? 0 : 1, RANK - 2);
    for (int k = 0; k + 1 < ndim; k++) {
        dim[k] = left ? ref_range(1, 5) : ref_range(0, 2);
        while (left && left % dim[k])
            dim[k]--;
        left = dim[k] ? left / dim[k] : 0;
    }
    if (ndim)
        dim[ndim - 1] = m->n ? left : 0;
    memcpy(m->dim, dim, (size_t)ndim * sizeof *dim);
    m->ndim = ndim;
    note("reshape", ndim, m->n);
    return gnd_reshape(x, ndim, dim);
}

static gnd_array *step(gnd_array *x, model *m)
{
    move s;
    gnd_array *y;
    memset(&s, 0, sizeof s);
    const int kind = (int)(ref_rnd() % 10), small = m->n < 40 || m->ndim < 2;
    if (kind < 3)
        return reshaped(x, m);
    if (kind == 3 && m->ndim >= 2)
        y = diagonal(x, m, &s);
    else if (kind == 4 && m->ndim && m->ndim < RANK && m->n && m->n < MOST / 3)
        y = windows(x, m, &s);
    else if ((kind == 5 || small) && m->ndim < RANK && m->n < MOST / 12)
        y = wider(x, m, &s);
    else if (kind < 8 || m->n < 12)
        y = permuted(x, m, &s);
    else
        y = indexed(x, m, &s);
    apply(m, &s);
    return y;
}

/* --- one case --------------------------------------------------------------------------------- */

static int same(gnd_array *x, gnd_dtype t, const model *m, const char *what)
{
    ref_arr got;
    char why[300] = "";
    int64_t bad = -1;
    if (!ref_read(x, t, m->ndim, m->dim, &got, why, sizeof why)) {
        tap_diag("%s: %s", what, why);
        return 0;
    }
    for (int64_t i = 0; i < m->n && bad < 0; i++) {
        unsigned char want[16] = {0};
        ref_put(t, want, ref_as(t, ref_int(m->v[i])));
        if (ref_ulps(t, ref_nth(&got, i), ref_get(t, want), 0) != 0)
            bad = i;
    }
    if (bad >= 0)
        tap_diag("%s: element %" PRId64 " of %" PRId64 " is wrong", what, bad, m->n);
    ref_free(&got);
    return bad < 0;
}

/* The model's elements as an array of t: stored, or computed by what is stored in one way or
 * another. */
static gnd_array *start(model *m, gnd_dtype t, int how)
{
    int16_t one[MOST];
    for (int64_t i = 0; i < m->n; i++)
        m->v[i] = (int16_t)ref_range(0, 100);
    if (how == 3) /* the rows of a small array, again and again */
        for (int64_t i = 0; i < m->n; i++)
            m->v[i] = m->v[i % m->dim[m->ndim - 1]];
    for (int64_t i = 0; i < m->n; i++)
        one[i] = m->v[i];
    gnd_array *x = gnd_from(dev, GND_INT16, how == 3 ? 1 : m->ndim,
                            how == 3 ? &m->dim[m->ndim - 1] : m->dim, one);
    note("start", how, m->n);
    if (how == 1)
        return gnd_astype(gnd_multiply(x, gnd_int(1)), t);
    if (how == 2) { /* a product of a view: another kernel's root */
        int64_t two[RANK + 1] = {2};
        memcpy(two + 1, m->dim, (size_t)m->ndim * sizeof *two);
        return gnd_astype(gnd_max(gnd_broadcast_to(x, m->ndim + 1, two), GND_AXIS(0), 0), t);
    }
    if (how == 3)
        return gnd_add(gnd_astype(x, t), gnd_zeros(dev, t, m->ndim, m->dim));
    x = gnd_astype(x, t);
    gnd_wait(x);
    return x;
}

static void one_case(int number)
{
    static const gnd_dtype types[] = {GND_FLOAT32, GND_INT32, GND_UINT8, GND_COMPLEX64,
                                      GND_FLOAT64};
    static model m, kept[KEPT];
    gnd_dtype t = types[number / 4 % 5];
    gnd_array *keep[KEPT];
    int n = 0, ok;
    uint32_t links = 0;
    if (ref_lacks(dev, t))
        t = GND_FLOAT32;
    ref_seed((uint64_t)number + 77);
    trail[0] = 0;
    gnd_scope_begin();
    m.ndim = (int)ref_range(1, 4);
    for (int d = 0; d < m.ndim; d++)
        m.dim[d] = ref_range(2, 6);
    m.n = count(m.ndim, m.dim);
    gnd_array *x = start(&m, t, number % 4);
    for (int k = number % 5 ? (int)ref_range(5, 30) : 300, empty = 0; k > 0 && empty < 4; k--) {
        x = step(x, &m);
        empty += m.n == 0;
        links = x->links > links ? x->links : links;
        if (n < KEPT && ref_rnd() % 8 == 0) {
            kept[n] = m;
            keep[n++] = x;
        }
        if (ref_rnd() % 24 == 0) {
            note("eval", 0, 0);
            gnd_wait(x);
        }
    }
    ok = same(x, t, &m, "the last");
    for (int k = 0; k < n; k++)
        ok &= same(keep[k], t, &kept[k], "a view on the way");
    if (!tap_ok(ok, "case %d, %s: %d views of views at most", number, gnd_dtype_name(t),
                (int)links))
        tap_diag("%s", trail);
    gnd_scope_end();
}

/* --- loops ------------------------------------------------------------------------------------ */

static void loops(void)
{
    enum { N = 300, COPIES = 40 };
    float want[6], got[6], v[6] = {1, 2, 3, 4, 5, 6};
    int64_t n = N;
    gnd_scope_begin();
    gnd_array *x =
        gnd_multiply(gnd_arange(dev, gnd_int(0), gnd_int(N), gnd_int(1), GND_INT64), gnd_int(3));
    gnd_array *s = gnd_zeros(dev, GND_INT64, 0, NULL), *y = gnd_flip(x, GND_ALL);
    for (int i = 0; i < N; i++) {
        s = gnd_add(s, gnd_multiply(gnd_at(x, "0"), gnd_at(y, "-1")));
        x = gnd_at(x, "1:");
        y = gnd_at(gnd_flip(gnd_flip(y, GND_ALL), GND_ALL), ":-1");
    }
    tap_is_int(gnd_item_i64(s, NULL), 9 * (n - 1) * n * (2 * n - 1) / 6,
               "sums of x[0] * y[-1], x and y ever shorter");

    x = gnd_add(gnd_from(dev, GND_FLOAT32, 2, (int64_t[]){2, 3}, v), gnd_real(0));
    memcpy(want, v, sizeof v);
    for (int i = 0; i < COPIES; i++) { /* (2, 3) to (3, 2), read as (2, 3) */
        float old[6];
        memcpy(old, want, sizeof old);
        x = gnd_reshape(gnd_T(x), 2, (int64_t[]){2, 3});
        for (int k = 0; k < 6; k++)
            want[k] = old[k % 2 * 3 + k / 2];
    }
    tap_is_int(gnd_read(x, got, sizeof got), GND_OK, "%d times .T.reshape (%s)", COPIES,
               gnd_error(x));
    tap_is_mem(got, want, sizeof got, "  has the elements that it should have");
    gnd_scope_end();
}

/* --- threads: one evaluates what the other makes views of ------------------------------------- */

static void *evaluates(void *x)
{
    gnd_wait(x);
    return NULL;
}

static void threads(void)
{
    enum { ROUNDS = 100, VIEWS = 20 };
    const int64_t dim[2] = {16, 8};
    int32_t v[128];
    int bad = 0;
    for (int i = 0; i < 128; i++)
        v[i] = i;
    gnd_array *stored = gnd_from(dev, GND_INT32, 2, dim, v);
    for (int r = 0; r < ROUNDS; r++) {
        pthread_t id;
        /* a sum stays in a kernel of its own, whose memory goes when nobody else is known to want
         * it */
        gnd_array *twice = gnd_add(stored, stored),
                  *three = gnd_broadcast_to(twice, 3, (int64_t[]){5, 16, 8});
        gnd_array *b = gnd_sum(three, GND_AXIS(0), 0), *t = gnd_T(b),
                  *last = gnd_flip(t, GND_AXIS(0)), *view[VIEWS];
        gnd_release(twice);
        gnd_release(three);
        gnd_release(b);
        if (pthread_create(&id, NULL, evaluates, last))
            tap_bail("no thread");
        for (int k = 0; k < VIEWS; k++) {
            gnd_array *f = gnd_flip(k % 2 ? t : last, GND_ALL);
            gnd_array *row = gnd_index(f, 1, &(gnd_range){.kind = GND_IDX_INT, .start = k % 8});
            view[k] = gnd_add_i(row, 0);
            gnd_release(row);
            gnd_release(f);
        }
        pthread_join(id, NULL);
        for (int k = 0; k < VIEWS; k++) {
            int64_t got[16]; /* what int32 adds up to */
            bad += gnd_read(view[k], got, sizeof got) != GND_OK;
            for (int i = 0; i < 16;
                 i++) /* t[j, i] is 10 * (8 * i + j); last has its rows the other way round */
                bad += got[i] != 10 * (8 * (15 - i) + (k % 2 ? 7 - k % 8 : k % 8));
            gnd_release(view[k]);
        }
        gnd_release(t);
        gnd_release(last);
    }
    gnd_release(stored);
    tap_is_int(bad, 0, "views that one thread makes of what the other evaluates");
}

static int first = 0, last = 19;

static void on_device(gnd_device *d, const char *spec)
{
    dev = d;
    tap_diag("%s", spec);
    for (int i = first; i <= last; i++)
        one_case(i);
    loops();
    threads();
}

int main(int argc, char **argv)
{
    if (argc > 2)
        first = atoi(argv[1]), last = atoi(argv[2]);
    ref_devices(on_device);
    return tap_done();
}
