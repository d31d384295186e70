/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_stat.c - statistics against plain loops in long double: reductions without NaN, logsumexp and
 * softmax, normalizing; dtypes, axes, layouts, NaN and infinities,
 * what nothing gives; and that they read their array once where they can.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

static gnd_dtype whole_float; /* what ints become: the device's default float */

static int kind_of(gnd_dtype t)
{
    return gnd_dtype_kind(t);
}

static int is_half(gnd_dtype t)
{
    return t == GND_FLOAT16 || t == GND_BFLOAT16;
}

static ref_num real(ref_num v)
{
    if (v.kind == 'b' || v.kind == 'i')
        v.re = (long double)v.i;
    if (v.kind == 'u')
        v.re = (long double)v.u;
    if (v.kind != 'c')
        v.im = 0;
    return v;
}

static gnd_dtype float_for(gnd_dtype t)
{
    return strchr("biu", kind_of(t)) ? whole_float : t;
}

static gnd_dtype real_of(gnd_dtype t)
{
    return t == GND_COMPLEX64 ? GND_FLOAT32 : t == GND_COMPLEX128 ? GND_FLOAT64 : t;
}

/* One unit in the last place of 1 in what t is computed in. */
static long double eps_of(gnd_dtype t)
{
    return ref_ulp_at(real_of(is_half(t) ? GND_FLOAT32 : float_for(t)), 1);
}

/* got and want, both of dtype t, within tol or a rounding to t. */
static int right(gnd_dtype t, ref_num got, ref_num want, long double tol)
{
    if (ref_ulps(t, got, ref_as(t, want), 0) == 0)
        return 1;
    if (kind_of(t) != 'f' && kind_of(t) != 'c')
        return 0;
    tol += ref_ulp_at(real_of(t), hypotl(want.re, want.im));
    return fabsl(got.re - want.re) <= tol && (kind_of(t) == 'f' || fabsl(got.im - want.im) <= tol);
}

static void show(const char *what, int64_t k, ref_num got, ref_num want, long double tol)
{
    char a[80], b[80];
    tap_diag("%s: element %" PRId64 ": %s, not %s within %Lg", what, k, ref_text(got, a, sizeof a),
             ref_text(want, b, sizeof b), tol);
}

/* --- along one axis: a result for n values, or n of them -------------------------------------- */

enum {
    SUM,
    PROD,
    MEAN,
    VAR,
    STD,
    MAX,
    MIN,
    ARGMAX,
    ARGMIN,
    PTP,
    LSE,
    NREDUCE, /* one */
    SOFTMAX = NREDUCE,
    LOGSOFTMAX,
    NORMALIZE,
    STANDARDIZE,
    NOPS
}; /* n */
static const char *const op_name[NOPS] = {"nansum",      "nanprod",   "nanmean",    "nanvar",
                                          "nanstd",      "nanmax",    "nanmin",     "nanargmax",
                                          "nanargmin",   "ptp",       "logsumexp",  "softmax",
                                          "log_softmax", "normalize", "standardize"};

static gnd_array *apply(int op, gnd_array *x, gnd_axes axes, unsigned flags)
{
    switch (op) {
    case SUM: return gnd_nansum(x, axes, flags);
    case PROD: return gnd_nanprod(x, axes, flags);
    case MEAN: return gnd_nanmean(x, axes, flags);
    case VAR: return gnd_nanvar(x, axes, flags, 1);
    case STD: return gnd_nanstd(x, axes, flags, 0);
    case MAX: return gnd_nanmax(x, axes, flags);
    case MIN: return gnd_nanmin(x, axes, flags);
    case ARGMAX: return gnd_nanargmax(x, axes, flags);
    case ARGMIN: return gnd_nanargmin(x, axes, flags);
    case PTP: return gnd_ptp(x, axes, flags);
    case LSE: return gnd_logsumexp(x, NULL, axes, flags);
    case SOFTMAX: return gnd_softmax(x, axes);
    case LOGSOFTMAX: return gnd_log_softmax(x, axes);
    case NORMALIZE: return gnd_normalize(x, axes, 0.25);
    default: return gnd_standardize(x, axes, 0.5);
    }
}

static gnd_dtype result_dtype(int op, gnd_dtype t)
{
    int k = kind_of(t);
    switch (op) {
    case SUM:
    case PROD: return k == 'u' ? GND_UINT64 : k == 'b' || k == 'i' ? GND_INT64 : t;
    case MAX:
    case MIN:
    case PTP: return t;
    case ARGMAX:
    case ARGMIN: return GND_INT64;
    case VAR:
    case STD: return real_of(float_for(t));
    default: return float_for(t);
    }
}

static int above(ref_num a, ref_num b)
{
    return a.re > b.re || (a.re == b.re && a.im > b.im);
}

/* The place of the largest (smallest) that is no NaN; -1: there is none. */
static int64_t extreme(const ref_num *v, int64_t n, int least)
{
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++)
        if (!ref_is_nan(v[i]) &&
            (best < 0 || (least ? above(v[best], v[i]) : above(v[i], v[best]))))
            best = i;
    return best;
}

/* What op gives of n values (made real) of dtype t into out, one or n; *tol, in absolute terms. */
static void reference(int op, gnd_dtype t, const ref_num *v, int64_t n, ref_num *out,
                      long double *tol)
{
    ref_num r = {.kind = kind_of(result_dtype(op, t))};
    long double eps = eps_of(t), mag = 0, re = 0, im = 0, sq = 0, max = -HUGE_VALL;
    int64_t good = 0;
    int plain = op >= LSE || op == PTP, nans = 0;
    *tol = 0;
    for (int64_t i = 0; i < n; i++) {
        nans += ref_is_nan(v[i]);
        if (ref_is_nan(v[i]) && !plain)
            continue;
        good++;
        re += v[i].re;
        im += v[i].im;
        mag += isfinite(v[i].re) ? hypotl(v[i].re, v[i].im) : 0;
        max = v[i].re > max || isnan(v[i].re) ? v[i].re : max;
        max = nans ? NAN : max;
    }
    long double mre = re / (long double)good, mim = im / (long double)good;
    for (int64_t i = 0; i < n; i++)
        if (plain || !ref_is_nan(v[i])) {
            long double a = v[i].re - (op == NORMALIZE ? 0 : mre);
            long double b = v[i].im - (op == NORMALIZE ? 0 : mim);
            sq += a * a + b * b;
        }
    int64_t at = extreme(v, n, op == MIN || op == ARGMIN);
    long double shift = isfinite(max) ? max : 0, sum = 0, big = mag + 1;
    for (int64_t i = 0; i < n; i++)
        sum += expl(v[i].re - (op == SOFTMAX ? max : shift));
    switch (op) {
    case SUM:
        r.re = re, r.im = im, r.i = (int64_t)re, r.u = (uint64_t)re;
        *tol = 4 * eps * mag;
        break;
    case PROD:
        r.re = 1;
        for (int64_t i = 0; i < n; i++)
            if (!ref_is_nan(v[i])) {
                long double a = r.re, b = r.im;
                r.re = a * v[i].re - (v[i].kind == 'c' ? b * v[i].im : 0);
                r.im = v[i].kind == 'c' ? a * v[i].im + b * v[i].re : 0;
            }
        r.i = (int64_t)r.re, r.u = (uint64_t)r.re;
        *tol = 4 * (long double)n * eps * hypotl(r.re, r.im);
        break;
    case MEAN:
        r.re = mre, r.im = mim;
        *tol = 4 * eps * mag;
        break;
    case VAR:
    case STD:
        r.re = sq / (long double)(op == VAR ? good - 1 : good);
        r.re = op == VAR && good <= 1 ? NAN : op == STD ? sqrtl(r.re) : r.re;
        *tol = 16 * eps * big * big;
        break;
    case MAX:
    case MIN: r = at < 0 ? (ref_num){.kind = r.kind, .re = NAN, .im = NAN} : v[at]; break;
    case PTP:
        r.re = v[extreme(v, n, 0)].re - v[extreme(v, n, 1)].re;
        r.im = v[extreme(v, n, 0)].im - v[extreme(v, n, 1)].im;
        r.i = (int64_t)r.re, r.u = (uint64_t)r.re;
        if (nans)
            r.re = r.im = NAN;
        *tol = eps * mag;
        break;
    case ARGMAX:
    case ARGMIN: r = ref_int(at); break;
    case LSE:
        r.re = logl(sum) + max;
        r.re = n == 0 ? -HUGE_VALL : isinf(max) ? max : r.re;
        *tol = 8 * eps * (fabsl(r.re) + 1);
        break;
    default: break;
    }
    if (op < NREDUCE) {
        out[0] = r;
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        long double len =
            op == NORMALIZE ? fmaxl(sqrtl(sq), 0.25L) : sqrtl(sq / (long double)n + 0.5L);
        len = isnan(sq) ? sq : len;
        out[i] = r;
        out[i].re = op == SOFTMAX      ? expl(v[i].re - max) / sum
                    : op == LOGSOFTMAX ? v[i].re - shift - logl(sum)
                    : op == NORMALIZE  ? v[i].re / len
                                       : (v[i].re - mre) / len;
        out[i].im = op == NORMALIZE ? v[i].im / len : op == STANDARDIZE ? (v[i].im - mim) / len : 0;
    }
    *tol = 16 * eps * (op == LOGSOFTMAX || op == STANDARDIZE ? big : 1);
}

/* op along axis k of a 3-d array; k -1: of all. */
static void check(gnd_device *dev, int op, gnd_dtype t, const int64_t *dim, int k, int keep,
                  ref_layout l, int how)
{
    ref_arr x, got;
    char why[300] = "";
    int ndim = 3, bad = 0;
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *a = ref_make(dev, t, 3, dim, l, how, &x);
    int64_t n = k < 0 ? ref_size(&x) : dim[k], total = ref_size(&x), rdim[3];
    ref_num *v = malloc((size_t)(2 * n + 2) * sizeof *v), *want = v + n + 1;
    gnd_array *y =
        apply(op, a, k < 0 ? GND_ALL : GND_AXIS(k - (keep ? 3 : 0)), keep ? GND_KEEPDIMS : 0);
    if (op >= NREDUCE)
        memcpy(rdim, dim, sizeof rdim);
    else
        ndim = 0;
    for (int d = 0; d < 3 && op < NREDUCE; d++)
        if ((k >= 0 && d != k) || keep)
            rdim[ndim++] = k < 0 || d == k ? 1 : dim[d];
    gnd_dtype rt = result_dtype(op, t);
    if (!ref_read(y, rt, ndim, rdim, &got, why, sizeof why)) {
        bad = 1;
        tap_diag("%s", why);
    }
    /* Each line of x: the index without axis k counts them. */
    int64_t lines = k < 0 ? 1 : n ? total / n : ref_size(&got);
    for (int64_t line = 0; line < lines && !bad; line++) {
        int64_t idx[3], other[3], m = 0;
        long double tol;
        for (int d = 0; d < 3; d++)
            if (d != k)
                other[m++] = dim[d];
        if (k >= 0) {
            int64_t at[3];
            ref_unravel(2, other, line, at);
            m = 0;
            for (int d = 0; d < 3; d++)
                idx[d] = d == k ? 0 : at[m++];
        }
        for (int64_t i = 0; i < n; i++) {
            if (k >= 0)
                idx[k] = i;
            v[i] = real(k < 0 ? ref_nth(&x, i) : ref_get(t, ref_at(&x, idx)));
        }
        reference(op, t, v, n, want, &tol);
        for (int64_t i = 0; i < (op < NREDUCE ? 1 : n) && !bad; i++) {
            int64_t at = line;
            if (op >= NREDUCE && k >= 0) {
                idx[k] = i;
                at = (idx[0] * dim[1] + idx[1]) * dim[2] + idx[2];
            } else if (op >= NREDUCE) {
                at = i;
            }
            ref_num g = ref_nth(&got, at);
            bad = !right(rt, g, want[i], tol);
            if (bad)
                show(op_name[op], at, g, want[i], tol);
        }
    }
    tap_ok(!bad, "%s of %s (%" PRId64 ", %" PRId64 ", %" PRId64 ") %s%s, axis %d%s", op_name[op],
           gnd_dtype_name(t), dim[0], dim[1], dim[2], ref_layout_name(l),
           how == REF_SPECIAL ? " with NaN" : "", k, keep ? ", keepdims" : "");
    free(v);
    ref_free(&x);
    ref_free(&got);
    gnd_scope_end();
}

static void axes(gnd_device *dev)
{
    const int64_t dim[3] = {4, 7, 19}, none[3] = {2, 0, 3};
    for (int op = 0; op < NOPS; op++) {
        int how = op == PROD ? REF_NEAR_ONE : op == SUM || op == PTP ? REF_SMALL : REF_REAL;
        check(dev, op, GND_FLOAT32, dim, 2, 0, op % 3 ? REF_CONTIG : REF_NEGATIVE, how);
        if (op & 1)
            check(dev, op, GND_FLOAT32, dim, 0, 1, REF_CONTIG, how);
        else if (op < NREDUCE)
            check(dev, op, GND_FLOAT32, dim, -1, op & 2, REF_TRANSPOSED, how);
        if (op != MAX && op != MIN && op != ARGMAX && op != ARGMIN && op != PTP)
            check(dev, op, GND_FLOAT32, none, 1, op & 1, REF_CONTIG, how);
        if (op != ARGMAX && op != ARGMIN)
            check(dev, op, GND_FLOAT32, none, 2, 0, REF_CONTIG, how);
    }
}

static void dtypes(gnd_device *dev)
{
    const int64_t dim[3] = {3, 4, 9};
    const gnd_dtype t[] = {GND_BOOL,     GND_INT8,    GND_UINT16,   GND_FLOAT16,
                           GND_BFLOAT16, GND_FLOAT64, GND_COMPLEX64};
    for (int op = 0; op < NOPS; op++)
        for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
            int z = kind_of(t[i]) == 'c', rounds = op == LSE || op == SOFTMAX || op == LOGSOFTMAX;
            if ((z && (rounds || op == PTP)) || (t[i] == GND_BOOL && op == PTP) ||
                (t[i] == GND_BOOL && op == PROD) || ((size_t)op + i) % 5)
                continue;
            check(dev, op, t[i], dim, 1, 0, REF_CONTIG, op == PROD ? REF_NEAR_ONE : REF_SMALL);
        }
}

/* Rows with some NaN, none and nothing else; infinities; the same in columns. */
static void special(gnd_device *dev)
{
    enum { R = 8, C = 5 };
    static const float rows[R][C] = {{1, 2, NAN, -3, 0.5f},
                                     {NAN, NAN, NAN, NAN, NAN},
                                     {INFINITY, 1, NAN, 2, 3},
                                     {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY},
                                     {NAN, INFINITY, NAN, INFINITY, NAN},
                                     {NAN, -INFINITY, NAN, -INFINITY, NAN},
                                     {-INFINITY, 0, 5, -5, 100},
                                     {3, 3, 3, 3, 3}};
    for (int op = 0; op < NOPS; op++) {
        float v[R][C], got[R * C];
        int bad = 0;
        if (op == PTP)
            continue;
        gnd_scope_begin();
        memcpy(v, rows, sizeof v);
        gnd_array *x = gnd_from(dev, GND_FLOAT32, DIM(R, C), v);
        gnd_array *y = gnd_astype(apply(op, x, GND_AXIS(1), 0), GND_FLOAT32);
        int one = op < NREDUCE;
        if (gnd_read(y, got, (one ? R : R * C) * sizeof *got)) {
            bad = 1;
            tap_diag("%s", gnd_error(y));
        }
        for (int i = 0; i < R && !bad; i++) {
            ref_num line[C], want[C];
            long double tol;
            for (int j = 0; j < C; j++)
                line[j] = ref_float((long double)v[i][j]);
            reference(op, GND_FLOAT32, line, C, want, &tol);
            for (int j = 0; j < (one ? 1 : C) && !bad; j++) {
                ref_num g = ref_float((long double)got[one ? i : i * C + j]), w = real(want[j]);
                w.kind = 'f';
                if ((bad = !right(GND_FLOAT32, g, w, tol)))
                    show(op_name[op], i * C + j, g, w, tol);
            }
        }
        tap_ok(!bad, "%s of NaN and infinities", op_name[op]);
        gnd_scope_end();
    }
    double small[2] = {0, -60}, got = 0;
    if (!ref_skip(dev, GND_FLOAT64, 1)) {
        gnd_array *x = gnd_from(dev, GND_FLOAT64, DIM(2), small),
                  *y = gnd_logsumexp(x, NULL, GND_ALL, 0);
        gnd_read(y, &got, sizeof got);
        tap_near(got, exp(-60.0), 1e-12 * exp(-60.0), "logsumexp keeps what is small beside 1");
        gnd_release(x);
        gnd_release(y);
    }
}

/* --- plans ------------------------------------------------------------------------------------ */

/* The kernels that compute x. */
static int kernels(gnd_array *x)
{
    int n = 0;
    char *text = gnd_explain(1, &x, 0, NULL);
    for (const char *p = text; p && (p = strstr(p, "kernel ")); p++)
        n += p == text || p[-1] == '\n';
    free(text);
    return n;
}

static void fusion(gnd_device *dev)
{
    gnd_scope_begin();
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, DIM(64, 128));
    x = gnd_concat(1, &x, 0);
    gnd_wait(x);
    tap_is_int(kernels(gnd_nanargmin(x, GND_AXIS(1), 0)), 1, "nanargmin of rows is one kernel");
    tap_is_int(kernels(gnd_nanmean(x, GND_AXIS(1), 0)), 1, "so are nanmean");
    tap_is_int(kernels(gnd_nanmax(x, GND_AXIS(1), 0)), 1, "nanmax");
    tap_is_int(kernels(gnd_average(x, x, GND_AXIS(1), 0, NULL)), 1, "and average with weights");
    tap_is_int(kernels(gnd_logsumexp(x, NULL, GND_AXIS(1), 0)), 1, "logsumexp");
    gnd_scope_end();
}

static void on_device(gnd_device *dev, const char *spec)
{
    tap_diag("%s", spec);
    whole_float = gnd_default_float(dev);
    ref_seed(11);
    special(dev);
    axes(dev);
    dtypes(dev);
    fusion(dev);
    gnd_stats n;
    if (gnd_device_stats(dev, &n) == GND_OK)
        tap_diag("%d kernels built, %d from disk", (int)n.kernels_built, (int)n.kernels_from_disk);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
