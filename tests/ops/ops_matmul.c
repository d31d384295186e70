/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_matmul.c - products against three loops: all dtypes, vectors, matrices, batches and broadcast
 * batches, operands in every layout, sizes round the tiles, nothing at all; by the device's library
 * and by the kernels of our own (dtypes and layouts that no library takes, and all without a
 * library), in both of their shapes; and products with a sum and a maximum after them, in the
 * library's call or after it; and by tensor cores where they are. With the kernels for GPUs every
 * second dtype, all with GND_TEST_ALL.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

static const char *shape_name;
static int every; /* every dtype: not with the kernels for GPUs, which compile slowly */

/* Element (row i, column j) of batch at: a 1-d operand is a row on the left, a column on the right.
 */
static ref_num element(const ref_arr *a, const int64_t *batch, int nbatch, int64_t i, int64_t j,
                       int left)
{
    int64_t idx[GND_MAX_NDIM];
    if (a->ndim == 1) {
        idx[0] = left ? j : i;
    } else {
        int own = a->ndim - 2;
        for (int d = 0; d < own; d++) /* axes align at the end; extent 1 repeats */
            idx[d] = a->dim[d] == 1 ? 0 : batch[nbatch - own + d];
        idx[own] = i;
        idx[own + 1] = j;
    }
    return ref_get(a->t, ref_at(a, idx));
}

/* a @ b at one place, and the sum of magnitudes. */
static ref_num product(const ref_arr *a, const ref_arr *b, const int64_t *batch, int nbatch,
                       int64_t i, int64_t j, int64_t k, long double *mag)
{
    ref_num r = {.kind = gnd_dtype_kind(a->t)};
    *mag = 0;
    for (int64_t p = 0; p < k; p++) {
        ref_num x = element(a, batch, nbatch, i, p, 1), y = element(b, batch, nbatch, p, j, 0);
        if (r.kind == 'b') {
            r.i |= x.i & y.i;
        } else if (r.kind == 'i' || r.kind == 'u') {
            uint64_t v =
                (r.kind == 'i' ? (uint64_t)x.i : x.u) * (r.kind == 'i' ? (uint64_t)y.i : y.u);
            r.u += v;
            r.i = (int64_t)r.u;
        } else {
            r.re += x.re * y.re - x.im * y.im;
            r.im += x.re * y.im + x.im * y.re;
            *mag += (fabsl(x.re) + fabsl(x.im)) * (fabsl(y.re) + fabsl(y.im));
        }
    }
    return r;
}

static void check(gnd_device *dev, gnd_dtype t, int na, const int64_t *da, int nb,
                  const int64_t *db, ref_layout la, ref_layout lb)
{
    ref_arr a, b, got;
    int64_t dim[GND_MAX_NDIM], at[GND_MAX_NDIM], batch[GND_MAX_NDIM] = {0};
    int n = 0, ba = na > 2 ? na - 2 : 0, bb = nb > 2 ? nb - 2 : 0, nbatch = ba > bb ? ba : bb, ok;
    char why[300] = "", text[200] = "";
    gnd_dtype acc = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, t, na, da, la, REF_REAL, &a);
    gnd_array *y = ref_make(dev, t, nb, db, lb, REF_REAL, &b);
    for (int d = 0; d < nbatch; d++) {
        int64_t p = d < nbatch - ba ? 1 : da[d - (nbatch - ba)],
                q = d < nbatch - bb ? 1 : db[d - (nbatch - bb)];
        dim[n++] = p == 1 ? q : p;
    }
    if (na > 1)
        dim[n++] = da[na - 2];
    if (nb > 1)
        dim[n++] = db[nb - 1];
    int64_t k = da[na - 1];
    ok = ref_read(gnd_matmul(x, y), t, n, dim, &got, why, sizeof why);
    for (int64_t e = 0; ok && e < ref_size(&got); e++) {
        long double mag, eps = ref_ulp_at(acc, 1);
        char s[2][80];
        ref_unravel(n, dim, e, at);
        memcpy(batch, at, (size_t)nbatch * sizeof *batch);
        ref_num w = product(&a, &b, batch, nbatch, na > 1 ? at[nbatch] : 0, nb > 1 ? at[n - 1] : 0,
                            k, &mag);
        ref_num g = ref_nth(&got, e), want = ref_as(t, w);
        long double tol =
            (long double)(k + 2) * eps * mag + ref_ulp_at(t, w.re) + ref_ulp_at(t, w.im);
        int kind = gnd_dtype_kind(t);
        ok = kind == 'f' || kind == 'c' ? (g.re == want.re || fabsl(g.re - w.re) <= tol) &&
                                              (g.im == want.im || fabsl(g.im - w.im) <= tol)
                                        : ref_ulps(t, g, want, 0) == 0;
        if (!ok)
            snprintf(why, sizeof why, "element %" PRId64 ": %s, not %s", e, ref_text(g, s[0], 80),
                     ref_text(want, s[1], 80));
    }
    for (int side = 0; side < 2; side++)
        for (int d = 0; d < (side ? nb : na); d++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%" PRId64,
                     d      ? ","
                     : side ? ") @ ("
                            : "(",
                     side ? db[d] : da[d]);
    if (!tap_ok(ok, "%s: %s %s), %s @ %s", shape_name, gnd_dtype_name(t), text, ref_layout_name(la),
                ref_layout_name(lb)))
        tap_diag("%s", why);
    ref_free(&a), ref_free(&b), ref_free(&got);
    gnd_scope_end();
}

/* x^T x and x x^T of each of two matrices, which libraries compute by halves. */
static void with_itself(gnd_device *dev, gnd_dtype t, int64_t rows, int64_t cols)
{
    const int64_t dx[3] = {2, rows, cols};
    const gnd_dtype acc = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    if (ref_skip(dev, t, 2))
        return;
    for (int right = 0; right < 2; right++) { /* x x^T */
        const int64_t n = right ? rows : cols, k = right ? cols : rows, dim[3] = {2, n, n};
        ref_arr a, got;
        char why[300] = "";
        gnd_scope_begin();
        gnd_array *x = ref_make(dev, t, 3, dx, REF_CONTIG, REF_REAL, &a),
                  *y = gnd_matrix_transpose(x);
        int ok =
            ref_read(right ? gnd_matmul(x, y) : gnd_matmul(y, x), t, 3, dim, &got, why, sizeof why);
        for (int64_t e = 0; ok && e < 2 * n * n; e++) {
            const int64_t b = e / (n * n), i = e / n % n, j = e % n;
            long double re = 0, im = 0, mag = 0;
            for (int64_t p = 0; p < k; p++) {
                const ref_num u = ref_nth(&a,
                                          (b * rows + (right ? i : p)) * cols + (right ? p : i)),
                              v = ref_nth(&a,
                                          (b * rows + (right ? j : p)) * cols + (right ? p : j));
                const int c = u.kind == 'c';
                re += u.re * v.re - (c ? u.im * v.im : 0);
                im += c ? u.re * v.im + u.im * v.re : 0;
                mag +=
                    (fabsl(u.re) + (c ? fabsl(u.im) : 0)) * (fabsl(v.re) + (c ? fabsl(v.im) : 0));
            }
            const ref_num g = ref_nth(&got, e);
            const long double tol = (long double)(k + 2) * ref_ulp_at(acc, 1) * mag +
                                    ref_ulp_at(t, re) + ref_ulp_at(t, im);
            ok = fabsl(g.re - re) <= tol && (g.kind != 'c' || fabsl(g.im - im) <= tol);
            if (!ok)
                snprintf(why, sizeof why, "element %" PRId64 ": %Lg, not %Lg", e, g.re, re);
        }
        if (!tap_ok(ok, "%s: %s, 2 matrices of %d x %d %s", shape_name, gnd_dtype_name(t),
                    (int)rows, (int)cols, right ? "by their transposes" : "after their transposes"))
            tap_diag("%s", why);
        ref_free(&a), ref_free(&got);
        gnd_scope_end();
    }
}

static void check2(gnd_device *dev, gnd_dtype t, int64_t m, int64_t k, int64_t n, ref_layout la,
                   ref_layout lb)
{
    check(dev, t, 2, (int64_t[]){m, k}, 2, (int64_t[]){k, n}, la, lb);
}

/* --- what follows a product ------------------------------------------------------------------- */

enum { ROW = 1, FULL = 2, EACH = 4, RELU = 8, FIRST = 16, ALPHA = 32, BETA = 64, ZERO = 128 };

/* How many kernels are behind the library's call: OpenBLAS' results get all that follows,
 * cuBLASLt's no maximum, CLBlast's a factor only; none takes a factor 0. -1: one at most, as
 * cuBLASLt finds algorithms for batches. */
static int kernels_after(gnd_device *dev, int64_t nbatch, int what)
{
    gnd_device_info info = {0};
    gnd_device_describe(dev, &info);
    if (what & ZERO)
        return 1;
    if (!strcmp(info.kind, "cpu") || what == ALPHA)
        return 0;
    if (strcmp(info.backend, "cuda") || what & RELU)
        return 1;
    return nbatch ? -1 : 0;
}

/* max(0, alpha a @ b + beta c) in any of its parts (ZERO: alpha is 0, and NaN stays NaN), a with
 * one NaN, against loops: rounded after each step, or once. c is a row, a row or a matrix for each
 * batch (EACH), or a matrix; FIRST: c + a @ b. */
static void check_after(gnd_device *dev, gnd_dtype t, int64_t nbatch, int64_t m, int64_t k,
                        int64_t n, int what)
{
    static const int64_t none[1] = {0};
    ref_arr a, b, c = {0}, got;
    char why[300] = "", text[2][80];
    int nd = nbatch > 0 ? 3 : 2,
        nc = what & EACH   ? 3
             : what & FULL ? 2
                           : 1,
        real = gnd_dtype_kind(t) == 'f';
    int64_t da[3] = {nbatch, m, k}, db[3] = {nbatch, k, n}, dim[3] = {nbatch, m, n};
    int64_t dc[3] = {nbatch, what & FULL ? m : 1, n};
    gnd_dtype acc = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, t, nd, da + 3 - nd, REF_CONTIG, REF_REAL, &a);
    gnd_array *y = ref_make(dev, t, nd, db + 3 - nd, REF_CONTIG, REF_REAL, &b), *z = NULL;
    if (what & (ROW | FULL))
        z = ref_make(dev, t, nc, dc + 3 - nc, REF_CONTIG, REF_REAL, &c);
    if (real && m > 1) { /* the last row is NaN */
        ref_put(t, ref_at(&a, (int64_t[]){nd == 3 ? 0 : m - 1, nd == 3 ? m - 1 : 0, 0}),
                ref_float((long double)NAN));
        x = gnd_from(dev, t, nd, da + 3 - nd, a.p);
    }
    gnd_array *r = gnd_matmul(x, y);
    const double alpha = what & ALPHA ? what & ZERO ? 0 : -1.5 : 1, beta = what & BETA ? 0.25 : 1;
    if (what & ALPHA)
        r = what & FIRST ? gnd_multiply(gnd_real(alpha), r) : gnd_multiply(r, gnd_real(alpha));
    if (what & BETA)
        z = gnd_multiply(gnd_real(beta), z);
    if (z)
        r = what & FIRST ? gnd_add(z, r) : gnd_add(r, z);
    if (what & RELU)
        r = gnd_maximum(r, gnd_int(0));
    if (t == GND_FLOAT32 && m * n <= 4096) {
        char *plan = gnd_explain(1, &r, 0, NULL),
             *only = gnd_explain(1, (gnd_array *[]){gnd_matmul(x, y)}, 0, NULL);
        int calls = only && strstr(only, "0 kernels, 1 calls") != NULL;
        const int after = kernels_after(dev, nbatch, what);
        const int alone = m == 1 || n == 1; /* with a vector it is a sum, which fuses */
        if (calls)
            tap_ok(plan && ((after <= 0 && strstr(plan, "0 kernels, 1 calls")) ||
                            (after != 0 && strstr(plan, "1 kernels, 1 calls"))),
                   "... in one call and %d kernels (-1: at most one): %.40s", after,
                   plan ? plan : "");
        else
            tap_has_str(plan,
                        (z || what & (RELU | ALPHA)) && !alone ? "2 kernels, 0 calls" : "1 kernels",
                        alone ? "... in one kernel" : "... in two kernels");
        free(plan);
        free(only);
    }
    int ok = ref_read(r, t, nd, dim + 3 - nd, &got, why, sizeof why);
    for (int64_t e = 0; ok && e < ref_size(&got); e++) {
        int64_t at[3];
        long double mag;
        ref_unravel(nd, dim + 3 - nd, e, at);
        int64_t i = at[nd - 2], j = at[nd - 1];
        ref_num w = product(&a, &b, nd == 3 ? at : none, nd - 2, i, j, k, &mag),
                g = ref_nth(&got, e);
        w.re *= alpha;
        mag *= fabs(alpha);
        if (z) {
            int64_t ic[3] = {nd == 3 ? at[0] : 0, what & FULL ? i : 0, j};
            ref_num v = ref_get(t, ref_at(&c, ic + 3 - nc));
            w.re += beta * v.re;
            w.im += v.im;
            w.u += (uint64_t)v.i;
            w.i = (int64_t)w.u;
            mag += fabsl(v.re) + fabsl(v.im);
        }
        ref_num want = ref_as(t, w);
        if (what & RELU && real && w.re < 0)
            w.re = want.re = 0;
        if (what & RELU && !real && want.i < 0)
            want.i = 0;
        /* the product is rounded to t on the way, or not */
        long double tol = (long double)(k + 3) * ref_ulp_at(acc, 1) * mag +
                          2 * ref_ulp_at(t, mag < 60000 ? mag : 60000);
        ok = gnd_dtype_kind(t) == 'i' ? ref_ulps(t, g, want, 0) == 0
             : isnan(w.re)            ? isnan(g.re)
                                      : fabsl(g.re - w.re) <= tol && fabsl(g.im - w.im) <= tol;
        if (!ok)
            snprintf(why, sizeof why, "element %" PRId64 ": %s, not %s", e,
                     ref_text(g, text[0], 80), ref_text(want, text[1], 80));
    }
    if (!tap_ok(ok, "%s: %s (%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ")%s%s%s%s%s%s%s",
                shape_name, gnd_dtype_name(t), nbatch, m, k, n, what & ROW ? " + row" : "",
                what & FULL ? " + matrix" : "", what & EACH ? " each" : "",
                what & FIRST ? " first" : "", what & RELU ? ", relu" : "",
                what & ALPHA ? what & ZERO ? ", alpha 0" : ", alpha" : "",
                what & BETA ? ", beta" : ""))
        tap_diag("%s", why);
    ref_free(&a), ref_free(&b), ref_free(&c), ref_free(&got);
    gnd_scope_end();
}

static void after_products(gnd_device *dev)
{
    static const gnd_dtype types[] = {GND_FLOAT32,  GND_FLOAT64,   GND_FLOAT16,
                                      GND_BFLOAT16, GND_COMPLEX64, GND_INT32};
    for (int q = 0; q < 6; q++) {
        const int relu = types[q] == GND_COMPLEX64 ? 0 : RELU;
        if (!every && q % 2 == 0)
            continue;
        check_after(dev, types[q], 0, 33, 65, 18, ROW);
        check_after(dev, types[q], 0, 64, 32, 48, ROW | relu);
        check_after(dev, types[q], 0, 33, 65, 18, FULL | relu | FIRST);
        check_after(dev, types[q], 0, 64, 32, 48, FULL);
        check_after(dev, types[q], 0, 64, 65, 40, relu);
    }
    for (int q = 0; q < 4; q += every ? 1 : 2) {
        check_after(dev, types[q], 0, 33, 65, 18, ALPHA);
        check_after(dev, types[q], 0, 33, 65, 18, FULL | ALPHA | BETA | FIRST);
        check_after(dev, types[q], 0, 33, 65, 18, FULL | BETA | RELU);
        check_after(dev, types[q], 0, 33, 65, 18, ROW | ALPHA | ZERO);
    }
    for (int q = 0; q < 3; q += 2) {
        check_after(dev, types[q], 3, 16, 24, 8, ROW);
        check_after(dev, types[q], 3, 16, 24, 8, ROW | EACH | RELU);
        check_after(dev, types[q], 3, 16, 24, 8, FULL | EACH);
        check_after(dev, types[q], 3, 16, 24, 8, FULL | RELU);
        check_after(dev, types[q], 0, 1, 33, 7, ROW | RELU);
        check_after(dev, types[q], 0, 37, 33, 1, ROW | FIRST);
        check_after(dev, types[q], 0, 300, 8, 224, ROW | RELU);
    }
}

/* Kernels of ours where a library would be: few results of long sums, in parts; every size of tile.
 */
static void own_kernels(gnd_device *dev, const char *spec)
{
    static const gnd_dtype types[] = {GND_FLOAT32,    GND_FLOAT16, GND_FLOAT64, GND_COMPLEX64,
                                      GND_COMPLEX128, GND_INT8,    GND_UINT64,  GND_BOOL};
    tap_diag("%s, no library, kernels shaped for %s", spec, shape_name);
    ref_seed(12);
    for (int q = 0; q < 8; q++) {
        const gnd_dtype t = types[q];
        check2(dev, t, 20, 9001, 17, REF_TRANSPOSED, REF_CONTIG);
        if (q < 5)
            check2(dev, t, 70, 33, 65, REF_CONTIG, REF_CONTIG);
    }
    check2(dev, GND_FLOAT32, 130, 257, 129, REF_CONTIG, REF_TRANSPOSED);
    check2(dev, GND_FLOAT32, 7, 300, 260, REF_CONTIG, REF_CONTIG);
    check2(dev, GND_FLOAT32, 260, 300, 7, REF_TRANSPOSED, REF_CONTIG);
    check2(dev, GND_FLOAT32, 1, 9001, 17, REF_CONTIG, REF_CONTIG);
    check2(dev, GND_FLOAT32, 17, 9001, 1, REF_CONTIG, REF_STRIDED);
    check(dev, GND_FLOAT32, 3, (int64_t[]){3, 5, 9001}, 3, (int64_t[]){3, 9001, 6}, REF_CONTIG,
          REF_CONTIG);
    check(dev, GND_INT32, 3, (int64_t[]){2, 5, 9001}, 2, (int64_t[]){9001, 6}, REF_CONTIG,
          REF_CONTIG);
    /* the parts are added in one order, whatever the order in which they are computed */
    gnd_scope_begin();
    ref_arr a;
    gnd_array *x = ref_make(dev, GND_FLOAT32, 2, (int64_t[]){9001, 20}, REF_CONTIG, REF_REAL, &a);
    float got[2][400];
    for (int i = 0; i < 2; i++) {
        gnd_array *y = gnd_matmul(gnd_T(x), x);
        if (gnd_read(y, got[i], sizeof *got))
            tap_diag("%s", gnd_error(y));
    }
    tap_ok(memcmp(got[0], got[1], sizeof *got) == 0, "%s: the same bits again", shape_name);
    ref_free(&a);
    gnd_scope_end();
}

/* NaN and infinities reach the rows and columns that they belong to, and no others. */
static void nonfinite(gnd_device *dev, gnd_dtype t)
{
    enum { M = 70, K = 45, N = 90 };
    static float got[M * N], a[M * K] = {[3 * K + 5] = INFINITY, [9 * K + 2] = NAN};
    gnd_scope_begin();
    gnd_array *x = gnd_astype(gnd_from(dev, GND_FLOAT32, 2, (int64_t[]){M, K}, a), t),
              *y = gnd_ones(dev, t, 2, (int64_t[]){K, N});
    int ok = gnd_read(gnd_astype(gnd_matmul(x, y), GND_FLOAT32), got, sizeof got) == GND_OK;
    for (int e = 0; e < M * N; e++)
        ok &= e / N == 9 ? isnan(got[e]) : got[e] == (e / N == 3 ? INFINITY : 0);
    tap_ok(ok, "%s: rows of NaN and infinities", gnd_dtype_name(t));
    gnd_scope_end();
}

/* Products on tensor cores: edges of every tile, both orders of each operand, lines that copies of
 * 16, 4 and 2 bytes fit, sums in parts. */
static void on_cores(gnd_device *dev, const char *spec)
{
    static const gnd_dtype types[] = {GND_FLOAT16, GND_BFLOAT16, GND_FLOAT64};
    static const ref_layout layouts[] = {REF_CONTIG, REF_TRANSPOSED, REF_OFFSET, REF_STRIDED};
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT16, 2, (int64_t[]){64, 64}), *y = gnd_matmul(x, x);
    char *plan = gnd_explain(1, &y, GND_EXPLAIN_SOURCE, NULL);
    const int cores = plan && strstr(plan, "mma.sync") != NULL;
    free(plan);
    gnd_scope_end();
    if (!cores) {
        tap_skip(1, "%s: no tensor cores", spec);
        return;
    }
    ref_seed(13);
    for (int q = 0; q < 3; q++) {
        const gnd_dtype t = types[q];
        for (int i = 0; i < 16; i++) {
            check2(dev, t, 72, 40, 104, layouts[i / 4], layouts[i % 4]);
            check2(dev, t, 33 + i, 65 - i, 130 + 3 * i, layouts[i / 4], layouts[i % 4]);
        }
        check2(dev, t, 150, 66, 202, REF_CONTIG, REF_TRANSPOSED);
        check2(dev, t, 202, 66, 150, REF_TRANSPOSED, REF_CONTIG);
        check2(dev, t, 20, 9001, 17, REF_TRANSPOSED, REF_CONTIG);
        check2(dev, t, 24, 9008, 32, REF_CONTIG, REF_TRANSPOSED);
        check2(dev, t, 140, 600, 130, REF_CONTIG, REF_CONTIG);
        check2(dev, t, 1300, 9, 2570, REF_CONTIG, REF_CONTIG);
        check(dev, t, 3, (int64_t[]){3, 80, 48}, 3, (int64_t[]){3, 48, 96}, REF_CONTIG, REF_CONTIG);
        check(dev, t, 3, (int64_t[]){3, 65, 90}, 2, (int64_t[]){90, 67}, REF_TRANSPOSED,
              REF_CONTIG);
        check(dev, t, 4, (int64_t[]){2, 1, 70, 90}, 3, (int64_t[]){3, 90, 67}, REF_CONTIG,
              REF_TRANSPOSED);
        nonfinite(dev, t);
        check_after(dev, t, 0, 133, 65, 118, ROW | RELU);
        check_after(dev, t, 3, 66, 74, 90, FULL | ALPHA | BETA);
    }
}

static void on_device(gnd_device *dev, const char *spec)
{
    static const int64_t size[] = {1, 2, 3, 17, 33, 64, 65};
    const int ns = sizeof size / sizeof *size;
    const gnd_dtype lib[] = {GND_FLOAT32, GND_INT32};
    tap_diag("%s, kernels shaped for %s", spec, shape_name);
    ref_seed(11);
    for (int q = 0; q < 2; q++) /* a dtype of the library, and one of our own kernel */
        for (int i = 0; i < ns; i++) {
            check2(dev, lib[q], size[i], size[(i + 2) % ns], size[(i + 4) % ns], REF_CONTIG,
                   REF_CONTIG);
            check2(dev, lib[q], size[i], size[i], size[i], REF_TRANSPOSED, REF_CONTIG);
            check2(dev, lib[q], size[(i + 3) % ns], size[i], size[(i + 1) % ns], REF_CONTIG,
                   REF_TRANSPOSED);
        }
    for (int la = 0; la < REF_NLAYOUTS; la++)
        for (int lb = 0; lb < REF_NLAYOUTS; lb++)
            check2(dev, GND_FLOAT32, 17, 9, 5, (ref_layout)la, (ref_layout)lb);
    for (int t = 0; t < GND_NDTYPES; t++) {
        gnd_dtype d = (gnd_dtype)t;
        if (!every && t % 2 && t != GND_BFLOAT16) /* small tiles differ in little but their type */
            continue;
        check2(dev, d, 33, 65, 18, REF_CONTIG, REF_CONTIG);
        check2(dev, d, 7, 65, 3, REF_TRANSPOSED, REF_OFFSET);
        check2(dev, d, 5, 6, 70, REF_NEGATIVE, REF_TRANSPOSED);
        check(dev, d, 1, (int64_t[]){37}, 1, (int64_t[]){37}, REF_CONTIG, REF_NEGATIVE);
        check(dev, d, 3, (int64_t[]){3, 4, 9}, 3, (int64_t[]){3, 9, 5}, REF_CONTIG, REF_TRANSPOSED);
        check2(dev, d, 3, 0, 4, REF_CONTIG, REF_CONTIG);
    }
    for (int q = 0; q < 2; q++) {
        gnd_dtype t = lib[q];
        check(dev, t, 1, (int64_t[]){17}, 2, (int64_t[]){17, 33}, REF_CONTIG, REF_CONTIG);
        check(dev, t, 2, (int64_t[]){33, 17}, 1, (int64_t[]){17}, REF_TRANSPOSED, REF_OFFSET);
        check(dev, t, 1, (int64_t[]){5}, 3, (int64_t[]){4, 5, 6}, REF_EVALUATED, REF_STRIDED);
        check(dev, t, 3, (int64_t[]){4, 5, 6}, 1, (int64_t[]){6}, REF_STRIDED, REF_BROADCAST);
        check(dev, t, 3, (int64_t[]){1, 4, 9}, 3, (int64_t[]){3, 9, 5}, REF_CONTIG, REF_CONTIG);
        check(dev, t, 4, (int64_t[]){2, 1, 4, 9}, 3, (int64_t[]){3, 9, 5}, REF_CONTIG, REF_CONTIG);
        check(dev, t, 2, (int64_t[]){4, 9}, 4, (int64_t[]){2, 3, 9, 5}, REF_NEGATIVE, REF_STRIDED);
        check(dev, t, 4, (int64_t[]){2, 3, 4, 9}, 4, (int64_t[]){2, 3, 9, 1}, REF_TRANSPOSED,
              REF_CONTIG);
        check(dev, t, 4, (int64_t[]){5, 3, 1, 9}, 4, (int64_t[]){1, 3, 9, 4}, REF_BROADCAST,
              REF_OFFSET);
        check(dev, t, 3, (int64_t[]){0, 4, 9}, 2, (int64_t[]){9, 5}, REF_CONTIG, REF_CONTIG);
        check2(dev, t, 0, 3, 4, REF_CONTIG, REF_CONTIG);
        check2(dev, t, 3, 4, 0, REF_CONTIG, REF_CONTIG);
        check(dev, t, 1, (int64_t[]){0}, 1, (int64_t[]){0}, REF_CONTIG, REF_CONTIG);
        check2(dev, t, 130, 257, 129, REF_CONTIG, REF_CONTIG);
    }
    for (int i = 0; i < 2; i++) { /* long sums, in parts; columns beyond two vectors */
        const gnd_dtype t = i ? GND_FLOAT64 : GND_FLOAT32;
        check2(dev, t, 15, 801, 71, REF_CONTIG, REF_TRANSPOSED);
        check2(dev, t, 99, 390, 33, REF_TRANSPOSED, REF_CONTIG);
        check2(dev, t, 7, 801, 1, REF_CONTIG, REF_STRIDED);
        check2(dev, t, 1, 801, 301, REF_STRIDED, REF_CONTIG);
    }
    /* many small products, which on GPUs have a kernel of their own */
    const gnd_dtype some[] = {GND_FLOAT64, GND_FLOAT16, GND_COMPLEX64, GND_INT32};
    for (int q = 0; q < 4; q++) {
        check(dev, some[q], 3, (int64_t[]){41, 3, 5}, 3, (int64_t[]){41, 5, 4}, REF_CONTIG,
              q % 2 ? REF_TRANSPOSED : REF_CONTIG);
        check(dev, some[q], 3, (int64_t[]){150, 7 + q, 6}, 3, (int64_t[]){150, 6, 1},
              REF_TRANSPOSED, REF_CONTIG);
    }
    check(dev, GND_FLOAT32, 4, (int64_t[]){2, 40, 5, 3}, 3, (int64_t[]){40, 3, 19}, REF_CONTIG,
          REF_STRIDED);
    check(dev, GND_FLOAT32, 3, (int64_t[]){35, 4, 9}, 3, (int64_t[]){1, 9, 5}, REF_CONTIG,
          REF_CONTIG);
    with_itself(dev, GND_FLOAT32, 37, 11);
    with_itself(dev, GND_FLOAT64, 5, 9);
    with_itself(dev, GND_COMPLEX128, 7, 6);
    after_products(dev);
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu"};
    /* an OpenBLAS that is older than the CPU, of which gnd computes what it can; then OpenBLAS */
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    for (int i = 0; i < 2; i++) {
        if (i == 1)
            setenv("GND_OPENCL_BLAS", "openblas", 1); /* read when a device is opened */
        shape_name = shape[i];
        every = i == 0 || getenv("GND_TEST_ALL");
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(on_device);
    }
    setenv("GND_OPENCL_BLAS", "none", 1);
    for (int i = 0; i < 2; i++) {
        shape_name = shape[i];
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(own_kernels);
    }
    setenv("GND_PRODUCTS", "own", 1);
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(on_cores);
    return tap_done();
}
