/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_matmul.c - products against three loops: all dtypes, vectors, matrices, batches and broadcast
 * batches, operands in every layout, sizes round the tiles, nothing at all; by the device's library
 * and by the kernel of our own (dtypes and layouts that no library takes), in both of its shapes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

static const char *shape_name;

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

static void check2(gnd_device *dev, gnd_dtype t, int64_t m, int64_t k, int64_t n, ref_layout la,
                   ref_layout lb)
{
    check(dev, t, 2, (int64_t[]){m, k}, 2, (int64_t[]){k, n}, la, lb);
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
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        shape_name = shape[i];
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(on_device);
    }
    return tap_done();
}
