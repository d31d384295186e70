/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_dct.c - cosine and sine transforms: every type and norm against the matrix of the definition,
 * with lengths given, along an axis, of views; inverses; orthogonality; complex and other dtypes;
 * errors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "ref.h"
#include "tap.h"

static const char *where;
static gnd_device *dev;

/* Entry (k, j) of the matrix of a transform of n elements. */
static long double entry(int sine, int type, gnd_norm norm, int inverse, int64_t n, int64_t k,
                         int64_t j)
{
    const long double pi = 3.14159265358979323846264338327950288L, r = sqrtl(0.5L);
    int64_t all = type > 1 ? 2 * n : sine ? 2 * n + 2 : 2 * n - 2, edge = sine ? n - 1 : 0;
    long double v;
    if (inverse)
        type = type == 2 ? 3 : type == 3 ? 2 : type;
    int64_t a = type == 1 ? j + sine : type == 3 ? j + sine : 2 * j + 1;
    int64_t b = type == 1 ? k + sine : type == 2 ? k + sine : 2 * k + 1;
    long double angle = type == 1   ? 2 * pi * a * b / all
                        : type == 4 ? pi * a * b / (4 * n)
                                    : pi * a * b / (2 * n);
    v = 2 * (sine ? sinl(angle) : cosl(angle));
    if ((type == 3 && j == edge) || (type == 1 && !sine && (j == 0 || j == n - 1)))
        v /= 2;
    if (norm != GND_NORM_ORTHO)
        return (norm == GND_NORM_BACKWARD) == inverse ? v / all : v;
    if (type == 2 && k == edge)
        v *= r;
    if (type == 3 && j == edge)
        v /= r;
    if (type == 1 && !sine)
        v *= (k == 0 || k == n - 1 ? r : 1) / (j == 0 || j == n - 1 ? r : 1);
    return v / sqrtl(all);
}

typedef gnd_array *typed_fn(gnd_array *, int, int64_t, int, gnd_norm);
static typed_fn *const fns[2][2] = {{gnd_dct, gnd_idct}, {gnd_dst, gnd_idst}};
static const char *const names[2][2] = {{"dct", "idct"}, {"dst", "idst"}};

/* Along the middle axis of (2, have, 3), to n elements: the relative error. */
static double error(int sine, int inverse, int type, gnd_norm norm, gnd_dtype t, int64_t have,
                    int64_t n, ref_layout l)
{
    int64_t dim[3] = {2, have, 3}, out[3] = {2, n, 3};
    gnd_dtype want = t == GND_FLOAT64 || t == GND_INT32 ? GND_FLOAT64 : GND_FLOAT32;
    long double off = 0, size = 0;
    char why[256];
    ref_arr host, got;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, t, 3, dim, l, REF_SMALL, &host);
    gnd_array *y = fns[sine][inverse](x, type, n == have ? GND_FFT_FULL : n, 1, norm);
    if (!ref_read(y, want, 3, out, &got, why, sizeof why)) {
        tap_diag("%s: %s", names[sine][inverse], why);
        off = INFINITY;
    } else {
        for (int64_t i = 0; i < 2; i++)
            for (int64_t c = 0; c < 3; c++)
                for (int64_t k = 0; k < n; k++) {
                    long double s = 0;
                    for (int64_t j = 0; j < n && j < have; j++) {
                        ref_num v = ref_nth(&host, (i * have + j) * 3 + c);
                        s += entry(sine, type, norm, inverse, n, k, j) *
                             (v.kind == 'f' ? v.re : (long double)v.i);
                    }
                    long double d = ref_nth(&got, (i * n + k) * 3 + c).re - s;
                    off += d * d;
                    size += s * s;
                }
        ref_free(&got);
    }
    gnd_scope_end();
    ref_free(&host);
    return (double)sqrtl(off / (size > 0 ? size : 1));
}

static void against_definition(void)
{
    /* few: every length, scale and direction is a kernel of its own */
    static const struct {
        int inverse;
        gnd_norm norm;
        int64_t have, n;
        ref_layout l;
    } cases[] = {{0, GND_NORM_BACKWARD, 8, 8, REF_CONTIG},
                 {1, GND_NORM_ORTHO, 6, 8, REF_NEGATIVE},
                 {0, GND_NORM_ORTHO, 5, 5, REF_CONTIG}};
    for (int sine = 0; sine < 2; sine++)
        for (int type = 1; type <= 4; type++) {
            double worst = 0;
            for (int i = 0; i < 3 - (sine && type != 1); i++) {
                double e = error(sine, cases[i].inverse, type, cases[i].norm, GND_FLOAT32,
                                 cases[i].have, cases[i].n, cases[i].l);
                if (!(e <= worst))
                    worst = e;
            }
            tap_ok(worst < 1e-6, "%s: %s, type %d: error %.2g", where, names[sine][0], type, worst);
        }
    double e = error(0, 1, 2, GND_NORM_BACKWARD, GND_FLOAT32, 8, 8, REF_CONTIG);
    tap_ok(e < 1e-6, "%s: the scale of an inverse: error %.2g", where, e);
    e = error(0, 0, 3, GND_NORM_FORWARD, GND_FLOAT32, 9, 8, REF_TRANSPOSED);
    tap_ok(e < 1e-6, "%s: norm forward, of a view: error %.2g", where, e);
    e = fmax(error(0, 0, 2, GND_NORM_BACKWARD, GND_FLOAT32, 1, 1, REF_CONTIG),
             fmax(error(0, 0, 1, GND_NORM_ORTHO, GND_FLOAT32, 2, 2, REF_CONTIG),
                  error(1, 1, 4, GND_NORM_ORTHO, GND_FLOAT32, 1, 1, REF_CONTIG)));
    tap_ok(e < 1e-6, "%s: one and two elements: error %.2g", where, e);
    tap_ok(error(0, 0, 2, GND_NORM_ORTHO, GND_FLOAT16, 8, 8, REF_CONTIG) < 1e-6, "%s: float16",
           where);
    if (!ref_skip(dev, GND_FLOAT64, 1)) {
        e = fmax(error(0, 0, 2, GND_NORM_BACKWARD, GND_FLOAT64, 8, 8, REF_CONTIG),
                 error(0, 0, 4, GND_NORM_ORTHO, GND_INT32, 8, 8, REF_CONTIG));
        tap_ok(e < 1e-15, "%s: float64 and int32: error %.2g", where, e);
    }
}

static double apart(gnd_array *a, gnd_array *b)
{
    gnd_status st;
    double d = gnd_item_f64(gnd_max(gnd_abs(gnd_subtract(a, b)), GND_ALL, 0), &st);
    if (st)
        tap_diag("%s", gnd_message());
    return st ? INFINITY : d;
}

/* Long ones and back; what is orthogonal keeps the length; complex numbers part by part. */
static void long_ones(void)
{
    const int64_t n = 10000;
    gnd_status st[2];
    gnd_scope_begin();
    gnd_array *i = gnd_arange(dev, gnd_int(0), gnd_int(n), gnd_int(1), GND_FLOAT32);
    gnd_array *x = gnd_sin(gnd_multiply(i, gnd_real(0.37))),
              *y = gnd_dct(x, 2, GND_FFT_FULL, 0, GND_NORM_ORTHO);
    double a = gnd_item_f64(gnd_sum(gnd_square(x), GND_ALL, 0), &st[0]);
    double b = gnd_item_f64(gnd_sum(gnd_square(y), GND_ALL, 0), &st[1]);
    tap_ok(!st[0] && !st[1] && fabs(a / b - 1) < 1e-5, "%s: dct of %d: the length stays (%g, %g)",
           where, (int)n, a, b);
    double e = apart(gnd_idct(y, 2, GND_FFT_FULL, 0, GND_NORM_ORTHO), x);
    tap_ok(e < 3e-6, "%s: and back: %.2g", where, e);
    gnd_range first = {GND_IDX_SLICE, 0, 8, 1, NULL};
    gnd_array *p = gnd_index(x, 1, &first), *q = gnd_cos(p);
    gnd_array *z = gnd_add(p, gnd_multiply(q, gnd_complex(0, 1)));
    gnd_array *w = gnd_dct(z, 4, GND_FFT_FULL, 0, GND_NORM_BACKWARD);
    tap_ok(gnd_dtype_of(w) == GND_COMPLEX64 &&
               apart(gnd_imag_part(w), gnd_dct(q, 4, GND_FFT_FULL, 0, GND_NORM_BACKWARD)) < 1e-5 &&
               apart(gnd_real_part(w), gnd_dct(p, 4, GND_FFT_FULL, 0, GND_NORM_BACKWARD)) < 1e-5,
           "%s: complex numbers", where);
    gnd_scope_end();
}

static void all(gnd_device *d, const char *spec)
{
    dev = d;
    where = spec;
    ref_seed(3);
    against_definition();
    long_ones();
}

static void errors(void)
{
    gnd_device *null = gnd_open("null:0");
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(null, GND_FLOAT32, 1, (int64_t[]){4}),
              *e = gnd_zeros(null, GND_FLOAT32, 1, (int64_t[]){0});
    FAILS(gnd_dct(NULL, 2, 4, 0, 0), GND_ERR_NULL, "dct: x is NULL");
    FAILS(gnd_idct(x, 5, 4, 0, 0), GND_ERR_ARG, "idct: type is 5, not 1, 2, 3 or 4");
    FAILS(gnd_dst(x, 2, GND_FFT_FULL, 2, 0), GND_ERR_AXIS, "dst: axis 2");
    FAILS(gnd_idst(x, 2, GND_FFT_FULL, 0, (gnd_norm)9), GND_ERR_ARG,
          "idst: norm is 9, not 0 (backward)");
    FAILS(gnd_dct(e, 2, GND_FFT_FULL, 0, 0), GND_ERR_ARG,
          "dct: a transform of type 2 of 0 elements");
    FAILS(gnd_dct(x, 1, 1, 0, 0), GND_ERR_ARG, "dct: a transform of type 1 of 1 elements");
    gnd_scope_end();
    gnd_close(null);
}

int main(void)
{
    errors();
    ref_devices(all);
    return tap_done();
}
