/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_accumulate.c - values added up and compared in places by index, against plain loops: every
 * dtype, few and many places, sums that must be exact, what is not finite, and that the order of
 * the values changes no bit of the result.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "prim/accumulate.h"
#include "ref.h"
#include "tap.h"

enum { N = 20011 };

static int64_t pos[N];

static gnd_array *positions(gnd_device *dev, int64_t n)
{
    return gnd__checked_node(gnd_from(dev, GND_INT64, 1, &n, pos), "test", INT64_MAX / 2, 0);
}

static ref_num added(gnd_dtype t, ref_num a, ref_num b)
{
    int kind = gnd_dtype_kind(t);
    unsigned char room[16];
    a.i = kind == 'b' ? (a.i || b.i) : (int64_t)((uint64_t)a.i + (uint64_t)b.i);
    a.u += b.u;
    a.re += b.re;
    a.im += b.im;
    if (kind == 'f' || kind == 'c')
        return a;
    ref_put(t, room, a);
    return ref_get(t, room);
}

/* Whether b takes the place of a. */
static int beats(gnd__accop op, ref_num a, ref_num b)
{
    int less = a.kind == 'u' ? a.u < b.u : a.kind == 'f' ? a.re < b.re : a.i < b.i;
    int more = a.kind == 'u' ? a.u > b.u : a.kind == 'f' ? a.re > b.re : a.i > b.i;
    if (a.kind == 'f' && isnan(b.re))
        return 1;
    return op == GND__ACC_MAX ? less : more;
}

/* One case: m places, with a base or not. bound: of the error of sums in ulps of the sum of the
 * magnitudes. */
static void one(gnd_device *dev, const char *spec, gnd_dtype t, gnd__accop op, int64_t m, int how,
                int with_base)
{
    static const char *const names[] = {"add", "max", "min"};
    const int inexact = op == GND__ACC_ADD && strchr("fc", gnd_dtype_kind(t));
    int64_t n = N;
    ref_arr val, base, got;
    char why[200], a[80], b[80];
    double worst = 0;
    int64_t where = -1;
    ref_num *want = calloc((size_t)m, sizeof *want), worst_want = ref_int(0);
    long double *scale = calloc((size_t)m, sizeof *scale);
    gnd_scope_begin();
    for (int i = 0; i < N; i++)
        pos[i] = i % 3 ? ref_range(0, m - 1) : ref_range(0, (m - 1) / 7);
    gnd_array *v = ref_make(dev, t, 1, &n, REF_OFFSET, how, &val);
    gnd_array *x = ref_make(dev, t, 1, &m, REF_CONTIG, how == REF_SPECIAL ? REF_REAL : how, &base);
    for (int64_t i = 0; i < m; i++) {
        memset(&want[i], 0, sizeof want[i]);
        want[i].kind = gnd_dtype_kind(t);
        if (with_base)
            want[i] = ref_nth(&base, i);
        scale[i] = fabsl(want[i].re) + fabsl(want[i].im);
    }
    for (int64_t i = 0; i < N; i++) {
        ref_num q = ref_nth(&val, i), *w = &want[pos[i]];
        if (op == GND__ACC_ADD) {
            *w = added(t, *w, q);
            scale[pos[i]] += fabsl(q.re) + fabsl(q.im);
        } else if (beats(op, *w, q) && !(w->kind == 'f' && isnan(w->re))) {
            *w = q;
        }
    }
    gnd_array *y = gnd__accumulate_node(op, positions(dev, n), v, with_base ? x : NULL, m);
    if (!ref_read(y, t, 1, &m, &got, why, sizeof why)) {
        tap_fail("%s: %s %s: %s", spec, names[op], gnd_dtype_name(t), why);
    } else {
        for (int64_t i = 0; i < m; i++) {
            ref_num g = ref_nth(&got, i);
            unsigned char room[16];
            ref_put(t, room, want[i]);
            want[i] = ref_get(t, room); /* it may be infinite there */
            double err = inexact && isfinite(want[i].re) && isfinite(want[i].im)
                             ? (double)((fabsl(g.re - want[i].re) + fabsl(g.im - want[i].im)) /
                                        ref_ulp_at(t, scale[i]))
                             : ref_ulps(t, g, want[i], 0);
            if (isnan(err))
                err = INFINITY;
            if (err > worst || (err == worst && where < 0)) {
                worst = err;
                where = i;
                worst_want = want[i];
            }
        }
        if (!tap_ok(worst <= (inexact ? 1 : 0), "%s: %s %s into %d places%s: %g ulps", spec,
                    names[op], gnd_dtype_name(t), (int)m, with_base ? " with a base" : "", worst))
            tap_diag("at %d: %s, not %s", (int)where, ref_text(ref_nth(&got, where), a, sizeof a),
                     ref_text(worst_want, b, sizeof b));
        ref_free(&got);
    }
    gnd_scope_end();
    ref_free(&val);
    ref_free(&base);
    free(want);
    free(scale);
}

/* The same values in another order: the same bits. */
static void order(gnd_device *dev, const char *spec, gnd_dtype t, int64_t m)
{
    int64_t n = N;
    size_t size = gnd_dtype_size(t);
    ref_arr val;
    unsigned char *a = calloc((size_t)m, size), *b = calloc((size_t)m, size);
    gnd_scope_begin();
    for (int i = 0; i < N; i++)
        pos[i] = ref_range(0, m - 1);
    gnd_array *v = ref_make(dev, t, 1, &n, REF_CONTIG, REF_SPECIAL, &val);
    gnd_array *p = positions(dev, n), *wide = gnd_where(gnd_isfinite(v), v, gnd_int(1));
    gnd_array *y = gnd__accumulate_node(GND__ACC_ADD, p, wide, NULL, m);
    tap_is_int(gnd_read(y, a, (size_t)m * size), GND_OK, "%s: %s in order", spec,
               gnd_dtype_name(t));
    y = gnd__accumulate_node(GND__ACC_ADD, gnd_flip(p, GND_ALL), gnd_flip(wide, GND_ALL), NULL, m);
    tap_is_int(gnd_read(y, b, (size_t)m * size), GND_OK, "%s: backwards", spec);
    tap_is_mem(a, b, (size_t)m * size, "%s: the same bits", spec);
    gnd_scope_end();
    ref_free(&val);
    free(a);
    free(b);
}

/* Cancellation, tiny and huge values, infinities of both signs. */
static void edges(gnd_device *dev, const char *spec)
{
    const float v[] = {1e30f, 1,         -1e30f,   3e38f, 3e38f, -3e38f, 1e-45f, 1e-45f, INFINITY,
                       1,     -INFINITY, INFINITY, NAN,   5,     0.1f,   0.1f,   0.1f};
    const int64_t p[] = {0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 6};
    const float base[8] = {0, 0, 0, 1, 1, 1, 0, -0.0f};
    const float want[8] = {1, 3e38f, 3e-45f, INFINITY, NAN, NAN, (float)(3 * (double)0.1f), -0.0f};
    float got[8];
    int64_t n = sizeof v / sizeof *v, m = 8;
    int32_t count[8];
    static const int32_t counted[8] = {3, 3, 2, 2, 2, 2, 3, 0};
    gnd_scope_begin();
    gnd_array *at = gnd_from(dev, GND_INT64, 1, &n, p);
    gnd_array *y = gnd__accumulate_node(GND__ACC_ADD, at, gnd_from(dev, GND_FLOAT32, 1, &n, v),
                                        gnd_from(dev, GND_FLOAT32, 1, &m, base), m);
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "%s: edges", spec);
    for (int i = 0; i < 8; i++)
        if (i == 0) /* 1e30 is 2^99.7: no bit of 1 is left beside it */
            tap_ok(got[0] == 1 || got[0] == 0, "%s: cancelled: %g", spec, (double)got[0]);
        else
            tap_ok((got[i] == want[i] && signbit(got[i]) == signbit(want[i])) ||
                       (isnan(got[i]) && isnan(want[i])),
                   "%s: %g, not %g", spec, (double)got[i], (double)want[i]);
    y = gnd__accumulate_node(GND__ACC_ADD, at, gnd_ones(dev, GND_INT32, 1, &n), NULL, m);
    tap_is_int(gnd_read(y, count, sizeof count), GND_OK, "%s: counts", spec);
    tap_is_mem(count, counted, sizeof count, "%s: how many", spec);
    /* of nothing */
    n = 0;
    y = gnd__accumulate_node(GND__ACC_ADD, gnd_from(dev, GND_INT64, 1, &n, p),
                             gnd_from(dev, GND_FLOAT32, 1, &n, v),
                             gnd_from(dev, GND_FLOAT32, 1, &m, base), m);
    tap_is_int(gnd_read(y, got, sizeof got), GND_OK, "%s: nothing to add", spec);
    tap_is_mem(got, base, sizeof base, "%s: the base", spec);
    m = 0;
    y = gnd__accumulate_node(GND__ACC_ADD, gnd_from(dev, GND_INT64, 1, &n, p),
                             gnd_ones(dev, GND_INT32, 1, &n), NULL, m);
    tap_is_int(gnd_read(y, got, 0), GND_OK, "%s: no places", spec);
    gnd_scope_end();
}

/* Values of every exponent into a few places, and into those of many: the same bits. */
static void many(gnd_device *dev, const char *spec, gnd_dtype t)
{
    const int64_t n = N, few = 200, m = 40 * N;
    const size_t size = gnd_dtype_size(t);
    ref_arr val;
    unsigned char *a = calloc((size_t)few, size), *b = calloc((size_t)m, size);
    gnd_scope_begin();
    for (int i = 0; i < N; i++)
        pos[i] = ref_range(0, few - 1);
    gnd_array *v = ref_make(dev, t, 1, &n, REF_CONTIG, REF_SPECIAL, &val);
    gnd_array *p = positions(dev, n), *finite = gnd_where(gnd_isfinite(v), v, gnd_int(1));
    gnd_array *y = gnd__accumulate_node(GND__ACC_ADD, p, finite, NULL, few);
    tap_is_int(gnd_read(y, a, (size_t)few * size), GND_OK, "%s: %s into few places", spec,
               gnd_dtype_name(t));
    y = gnd__accumulate_node(GND__ACC_ADD, p, finite, NULL, m);
    tap_is_int(gnd_read(y, b, (size_t)m * size), GND_OK, "%s: into many", spec);
    tap_is_mem(b, a, (size_t)few * size, "%s: the same bits", spec);
    int rest = 0;
    for (size_t i = (size_t)few * size; i < (size_t)m * size; i++)
        rest |= b[i];
    tap_is_int(rest, 0, "%s: zeros elsewhere", spec);
    gnd_scope_end();
    ref_free(&val);
    free(a);
    free(b);
}

static void all(gnd_device *dev, const char *spec)
{
    ref_seed(11);
    for (int t = 0; t < GND_NDTYPES; t++) {
        const int kind = gnd_dtype_kind((gnd_dtype)t);
        const int all = t == GND_FLOAT32 || t == GND_INT64; /* the others half of it */
        if (ref_skip(dev, (gnd_dtype)t, 1 + (kind != 'c')))
            continue;
        if (all || t % 2)
            one(dev, spec, (gnd_dtype)t, GND__ACC_ADD, 30, REF_REAL, 0);
        if (all || t % 2 == 0)
            one(dev, spec, (gnd_dtype)t, GND__ACC_ADD, 30011, REF_SPECIAL, 1);
        if ((all || t % 2) && kind != 'c')
            one(dev, spec, (gnd_dtype)t, GND__ACC_MAX, 100, REF_SPECIAL, 1);
        if ((all || t % 2 == 0) && kind != 'c')
            one(dev, spec, (gnd_dtype)t, GND__ACC_MIN, 5003, REF_REAL, 1);
    }
    one(dev, spec, GND_FLOAT32, GND__ACC_ADD, 1000, REF_SMALL, 0);
    /* more places than values: a single work-item on few cores */
    one(dev, spec, GND_FLOAT32, GND__ACC_ADD, 5 * N + 1, REF_SPECIAL, 1);
    one(dev, spec, GND_COMPLEX64, GND__ACC_ADD, 5 * N, REF_REAL, 0);
    one(dev, spec, GND_INT16, GND__ACC_ADD, 5 * N, REF_REAL, 1);
    one(dev, spec, GND_FLOAT16, GND__ACC_ADD, 9 * N, REF_SPECIAL, 1);
    one(dev, spec, GND_COMPLEX64, GND__ACC_ADD, 9 * N, REF_REAL, 1);
    many(dev, spec, GND_FLOAT32);
    order(dev, spec, GND_FLOAT32, 11);
    order(dev, spec, GND_FLOAT32, 10007);
    if (!ref_lacks(dev, GND_FLOAT64)) {
        many(dev, spec, GND_FLOAT64);
        order(dev, spec, GND_FLOAT64, 2003);
        order(dev, spec, GND_COMPLEX128, 30);
    }
    edges(dev, spec);
}

int main(void)
{
    ref_devices(all);
    return tap_done();
}
