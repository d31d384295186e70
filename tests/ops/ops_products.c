/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_products.c - gnd_tensordot, gnd_tensordot_axes, gnd_vecdot, gnd_inner, gnd_dot, gnd_outer,
 * gnd_kron, gnd_cross and gnd_matrix_transpose against loops over indices: every dtype, operands in
 * every layout, broadcast and empty ones, numbers; what plan they make; and their errors, on the
 * null device.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "expect.h"
#include "ref.h"
#include "tap.h"

/* Which elements of a and b meet in term k of the element `out` of a result. */
typedef struct plan {
    const ref_arr *a, *b;
    int n; /* pairs of axes summed over */
    int pa[8], pb[8];
    int fa[8], fb[8], nfa, nfb; /* the axes left, in order */
    int conj;                   /* vecdot */
    void (*place)(const struct plan *p, const int64_t *out, int64_t k, int64_t *ia, int64_t *ib);
} plan;

/* --- the sum of products ---------------------------------------------------------------------- */

/* x * y added to r; the magnitude of it to mag. */
static void add_product(ref_num *r, ref_num x, ref_num y, int sign, long double *mag)
{
    if (r->kind == 'b') {
        r->i |= x.i & y.i;
    } else if (r->kind == 'i' || r->kind == 'u') {
        uint64_t v =
            (r->kind == 'i' ? (uint64_t)x.i : x.u) * (r->kind == 'i' ? (uint64_t)y.i : y.u);
        r->u += sign < 0 ? 0 - v : v;
        r->i = (int64_t)r->u;
    } else {
        r->re += sign * (x.re * y.re - x.im * y.im);
        r->im += sign * (x.re * y.im + x.im * y.re);
        *mag += (fabsl(x.re) + fabsl(x.im)) * (fabsl(y.re) + fabsl(y.im));
    }
}

/* Whether got is r, a sum of n products of magnitude mag, in dtype t. */
static int close_to(gnd_dtype t, ref_num got, ref_num r, int64_t n, long double mag)
{
    gnd_dtype acc = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    ref_num want = ref_as(t, r);
    int kind = gnd_dtype_kind(t);
    if (kind != 'f' && kind != 'c')
        return ref_ulps(t, got, want, 0) == 0;
    long double tol =
        (long double)(n + 2) * ref_ulp_at(acc, 1) * mag + ref_ulp_at(t, r.re) + ref_ulp_at(t, r.im);
    return fabsl(got.re - r.re) <= tol && fabsl(got.im - r.im) <= tol;
}

static void check(gnd_array *y, gnd_dtype t, int ndim, const int64_t *dim, int64_t terms,
                  const plan *p, const char *name)
{
    ref_arr got;
    char why[300] = "", s[2][80];
    int ok = ref_read(y, t, ndim, dim, &got, why, sizeof why);
    for (int64_t e = 0; ok && e < ref_size(&got); e++) {
        int64_t out[GND_MAX_NDIM], ia[GND_MAX_NDIM], ib[GND_MAX_NDIM];
        long double mag = 0;
        ref_num r = {.kind = gnd_dtype_kind(t)}, g = ref_nth(&got, e);
        ref_unravel(ndim, dim, e, out);
        for (int64_t k = 0; k < terms; k++) {
            p->place(p, out, k, ia, ib);
            ref_num u = ref_as(t, ref_get(p->a->t, ref_at(p->a, ia)));
            ref_num v = ref_as(t, ref_get(p->b->t, ref_at(p->b, ib)));
            if (p->conj)
                u.im = -u.im;
            add_product(&r, u, v, 1, &mag);
        }
        ok = close_to(t, g, r, terms, mag);
        if (!ok)
            snprintf(why, sizeof why, "element %" PRId64 ": %s, not %s", e, ref_text(g, s[0], 80),
                     ref_text(ref_as(t, r), s[1], 80));
    }
    if (!tap_ok(ok, "%s", name))
        tap_diag("%s", why);
    ref_free(&got);
}

/* "tensordot: int8, offset, transposed". */
static const char *label(const char *what, gnd_dtype t, ref_layout la, ref_layout lb)
{
    static char text[200];
    snprintf(text, sizeof text, "%s: %s, %s, %s", what, gnd_dtype_name(t), ref_layout_name(la),
             ref_layout_name(lb));
    return text;
}

/* --- over pairs of axes ----------------------------------------------------------------------- */

static void place_pairs(const plan *p, const int64_t *out, int64_t k, int64_t *ia, int64_t *ib)
{
    for (int i = p->n - 1; i >= 0; i--) {
        int64_t extent = p->a->dim[p->pa[i]];
        ia[p->pa[i]] = ib[p->pb[i]] = k % extent;
        k /= extent;
    }
    for (int i = 0; i < p->nfa; i++)
        ia[p->fa[i]] = out[i];
    for (int i = 0; i < p->nfb; i++)
        ib[p->fb[i]] = out[p->nfa + i];
}

/* The axes of the result, and the number of terms. */
static int free_axes(plan *p, int64_t *dim, int64_t *terms)
{
    int ndim = 0;
    *terms = 1;
    p->nfa = p->nfb = 0;
    p->place = place_pairs;
    for (int side = 0; side < 2; side++) {
        const ref_arr *x = side ? p->b : p->a;
        const int *pair = side ? p->pb : p->pa;
        for (int d = 0; d < x->ndim; d++) {
            int taken = 0;
            for (int i = 0; i < p->n; i++)
                taken |= pair[i] == d;
            if (taken)
                continue;
            dim[ndim++] = x->dim[d];
            if (side)
                p->fb[p->nfb++] = d;
            else
                p->fa[p->nfa++] = d;
        }
    }
    for (int i = 0; i < p->n; i++)
        *terms *= p->a->dim[p->pa[i]];
    return ndim;
}

/* gnd_tensordot_axes of two shapes; n < 0: gnd_tensordot over -n - 1 axes. */
static void tensordot(gnd_device *dev, gnd_dtype ta, gnd_dtype tb, int na, const int64_t *da,
                      int nb, const int64_t *db, int n, const int *pa, const int *pb, ref_layout la,
                      ref_layout lb)
{
    ref_arr a, b;
    int64_t dim[16], terms;
    gnd_dtype t = gnd_promote(ta, tb);
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, ta, na, da, la, REF_REAL, &a),
              *y = ref_make(dev, tb, nb, db, lb, REF_REAL, &b);
    int count = n < 0 ? -n - 1 : n;
    plan p = {.a = &a, .b = &b, .n = count};
    for (int i = 0; i < count; i++) {
        p.pa[i] = n < 0 ? na - count + i : pa[i] < 0 ? pa[i] + na : pa[i];
        p.pb[i] = n < 0 ? i : pb[i] < 0 ? pb[i] + nb : pb[i];
    }
    int ndim = free_axes(&p, dim, &terms);
    gnd_array *z = n < 0 ? gnd_tensordot(x, y, count) : gnd_tensordot_axes(x, y, n, pa, pb);
    check(z, t, ndim, dim, terms, &p, label(n < 0 ? "tensordot" : "tensordot_axes", t, la, lb));
    ref_free(&a), ref_free(&b);
    gnd_scope_end();
}

static void inner_or_dot(gnd_device *dev, gnd_dtype t, int na, const int64_t *da, int nb,
                         const int64_t *db, int dot, ref_layout la, ref_layout lb)
{
    ref_arr a, b;
    int64_t dim[16], terms;
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, t, na, da, la, REF_REAL, &a),
              *y = ref_make(dev, t, nb, db, lb, REF_REAL, &b);
    plan p = {.a = &a, .b = &b, .n = 1, .pa = {na - 1}, .pb = {dot && nb > 1 ? nb - 2 : nb - 1}};
    int ndim = free_axes(&p, dim, &terms);
    check(dot ? gnd_dot(x, y) : gnd_inner(x, y), t, ndim, dim, terms, &p,
          label(dot ? "dot" : "inner", t, la, lb));
    ref_free(&a), ref_free(&b);
    gnd_scope_end();
}

/* --- along an axis ---------------------------------------------------------------------------- */

/* vecdot: axes that broadcast, aligned at the end, round the vectors' axes pa[0] and pb[0]. */
static void place_along(const plan *p, const int64_t *out, int64_t k, int64_t *ia, int64_t *ib)
{
    int most = p->a->ndim > p->b->ndim ? p->a->ndim : p->b->ndim;
    for (int side = 0; side < 2; side++) {
        const ref_arr *x = side ? p->b : p->a;
        int axis = side ? p->pb[0] : p->pa[0], at = most - x->ndim;
        int64_t *i = side ? ib : ia;
        for (int d = 0; d < x->ndim; d++)
            i[d] = d == axis ? k : x->dim[d] == 1 ? (at++, 0) : out[at++];
    }
}

static void vecdot(gnd_device *dev, gnd_dtype ta, gnd_dtype tb, int na, const int64_t *da, int nb,
                   const int64_t *db, int axis, ref_layout la, ref_layout lb)
{
    ref_arr a, b;
    int64_t dim[16];
    int ndim = (na > nb ? na : nb) - 1;
    gnd_dtype t = gnd_promote(ta, tb);
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, ta, na, da, la, REF_REAL, &a),
              *y = ref_make(dev, tb, nb, db, lb, REF_REAL, &b);
    plan p = {.a = &a, .b = &b, .conj = 1, .place = place_along};
    p.pa[0] = axis < 0 ? axis + na : axis;
    p.pb[0] = axis < 0 ? axis + nb : axis;
    for (int d = 0; d < ndim; d++)
        dim[d] = 1;
    for (int side = 0; side < 2; side++) {
        int n = side ? nb : na, at = ndim + 1 - n;
        for (int d = 0; d < n; d++) {
            int64_t e = (side ? db : da)[d];
            if (d == p.pa[0] && !side)
                continue;
            if (d == p.pb[0] && side)
                continue;
            dim[at] = dim[at] == 1 ? e : dim[at];
            at++;
        }
    }
    check(gnd_vecdot(x, y, axis), t, ndim, dim, da[p.pa[0]], &p, label("vecdot", t, la, lb));
    ref_free(&a), ref_free(&b);
    gnd_scope_end();
}

/* gnd_cross of (2, 3) and (4, 1, 3), or with the vectors along axis 0. */
static void cross(gnd_device *dev, gnd_dtype t, int first, ref_layout la, ref_layout lb)
{
    ref_arr a, b, got;
    char why[300] = "", s[2][80];
    const int64_t *da = first ? (int64_t[]){3, 2} : (int64_t[]){2, 3};
    const int64_t *db = first ? (int64_t[]){3, 2} : (int64_t[]){4, 1, 3};
    const int64_t *dim = first ? (int64_t[]){3, 2} : (int64_t[]){4, 2, 3};
    int nb = first ? 2 : 3, ndim = nb;
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, t, 2, da, la, REF_REAL, &a),
              *y = ref_make(dev, t, nb, db, lb, REF_REAL, &b);
    int ok = ref_read(gnd_cross(x, y, first ? 0 : -1), t, ndim, dim, &got, why, sizeof why);
    for (int64_t e = 0; ok && e < ref_size(&got); e++) {
        int64_t o[3], ia[2], ib[3];
        long double mag = 0;
        ref_num r = {.kind = gnd_dtype_kind(t)}, g = ref_nth(&got, e);
        ref_unravel(ndim, dim, e, o);
        int64_t i = first ? o[0] : o[2], j = (i + 1) % 3, k = (i + 2) % 3;
        for (int term = 0; term < 2; term++) {
            int64_t u = term ? k : j, v = term ? j : k;
            ia[0] = first ? u : o[1], ia[1] = first ? o[1] : u;
            ib[0] = first ? v : o[0], ib[1] = first ? o[1] : 0, ib[2] = v;
            add_product(&r, ref_get(t, ref_at(&a, ia)), ref_get(t, ref_at(&b, ib)), term ? -1 : 1,
                        &mag);
        }
        /* 16-bit floats round each product. */
        if (t == GND_FLOAT16 || t == GND_BFLOAT16)
            ok = fabsl(g.re - r.re) <= 2 * ref_ulp_at(t, mag);
        else
            ok = close_to(t, g, r, 2, mag);
        if (!ok)
            snprintf(why, sizeof why, "element %" PRId64 ": %s, not %s", e, ref_text(g, s[0], 80),
                     ref_text(ref_as(t, r), s[1], 80));
    }
    if (!tap_ok(ok, "%s", label("cross", t, la, lb)))
        tap_diag("%s", why);
    ref_free(&a), ref_free(&b), ref_free(&got);
    gnd_scope_end();
}

/* --- without a sum ---------------------------------------------------------------------------- */

static void place_outer(const plan *p, const int64_t *out, int64_t k, int64_t *ia, int64_t *ib)
{
    (void)k;
    ref_unravel(p->a->ndim, p->a->dim, out[0], ia);
    ref_unravel(p->b->ndim, p->b->dim, out[1], ib);
}

static void place_kron(const plan *p, const int64_t *out, int64_t k, int64_t *ia, int64_t *ib)
{
    int na = p->a->ndim, nb = p->b->ndim, n = na > nb ? na : nb;
    (void)k;
    for (int d = 0; d < n; d++) {
        int ka = d - (n - na), kb = d - (n - nb);
        int64_t eb = kb < 0 ? 1 : p->b->dim[kb];
        if (ka >= 0)
            ia[ka] = out[d] / eb;
        if (kb >= 0)
            ib[kb] = out[d] % eb;
    }
}

static void outer_or_kron(gnd_device *dev, gnd_dtype t, int na, const int64_t *da, int nb,
                          const int64_t *db, int kron, ref_layout la, ref_layout lb)
{
    ref_arr a, b;
    int64_t dim[16];
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    gnd_array *x = ref_make(dev, t, na, da, la, REF_REAL, &a),
              *y = ref_make(dev, t, nb, db, lb, REF_REAL, &b);
    plan p = {.a = &a, .b = &b, .place = kron ? place_kron : place_outer};
    int ndim = 2;
    dim[0] = ref_size(&a);
    dim[1] = ref_size(&b);
    if (kron) {
        ndim = na > nb ? na : nb;
        for (int d = 0; d < ndim; d++)
            dim[d] = (d < ndim - na ? 1 : da[d - (ndim - na)]) *
                     (d < ndim - nb ? 1 : db[d - (ndim - nb)]);
    }
    check(kron ? gnd_kron(x, y) : gnd_outer(x, y), t, ndim, dim, 1, &p,
          label(kron ? "kron" : "outer", t, la, lb));
    ref_free(&a), ref_free(&b);
    gnd_scope_end();
}

/* --- what is run ------------------------------------------------------------------------------ */

static void every_dtype(gnd_device *dev, gnd_dtype t)
{
    tensordot(dev, t, t, 3, (int64_t[]){3, 5, 4}, 3, (int64_t[]){4, 2, 3}, 2, (int[]){0, -1},
              (int[]){2, 0}, REF_CONTIG, REF_OFFSET);
    vecdot(dev, t, t, 2, (int64_t[]){4, 37}, 2, (int64_t[]){4, 37}, -1, REF_CONTIG, REF_CONTIG);
    outer_or_kron(dev, t, 2, (int64_t[]){2, 3}, 2, (int64_t[]){4, 1}, t % 2, REF_CONTIG,
                  REF_TRANSPOSED);
    if (gnd_dtype_size(t) == 8 ||
        t == GND_FLOAT16) /* one dtype of each kind, and one that rounds on the way */
        cross(dev, t, 0, REF_CONTIG, REF_CONTIG);
}

static void shapes_and_layouts(gnd_device *dev)
{
    const gnd_dtype f = GND_FLOAT32, i = GND_INT32;
    int64_t abc[] = {3, 4, 5}, cab[] = {5, 3, 4}, bc[] = {4, 5}, none[] = {3, 0, 5},
            zero[] = {0, 2};
    for (int l = 0; l < REF_NLAYOUTS; l += 2) {
        ref_layout la = (ref_layout)l, lb = (ref_layout)((l + 3) % REF_NLAYOUTS);
        tensordot(dev, f, f, 3, abc, 3, cab, 2, (int[]){2, 1}, (int[]){0, 2}, la, lb);
        vecdot(dev, f, f, 3, abc, 2, (int64_t[]){1, 5}, -1, la, lb);
    }
    tensordot(dev, i, i, 3, abc, 2, bc, -3, NULL, NULL, REF_CONTIG, REF_CONTIG); /* 2 axes */
    tensordot(dev, i, i, 2, bc, 1, (int64_t[]){5}, -2, NULL, NULL, REF_TRANSPOSED, REF_NEGATIVE);
    tensordot(dev, i, i, 2, bc, 2, (int64_t[]){2, 3}, -1, NULL, NULL, REF_CONTIG,
              REF_TRANSPOSED); /* none */
    tensordot(dev, i, i, 0, NULL, 1, (int64_t[]){3}, -1, NULL, NULL, REF_CONTIG, REF_CONTIG);
    tensordot(dev, i, i, 3, abc, 3, cab, 3, (int[]){0, 1, 2}, (int[]){1, 2, 0}, REF_CONTIG,
              REF_STRIDED); /* all */
    tensordot(dev, i, i, 3, none, 2, zero, 1, (int[]){1}, (int[]){0}, REF_CONTIG, REF_CONTIG);
    tensordot(dev, i, i, 3, none, 1, (int64_t[]){3}, 1, (int[]){0}, (int[]){0}, REF_CONTIG,
              REF_CONTIG);
    tensordot(dev, i, f, 2, bc, 2, (int64_t[]){5, 2}, -2, NULL, NULL, REF_CONTIG, REF_CONTIG);
    tensordot(dev, GND_UINT8, GND_COMPLEX64, 2, bc, 2, (int64_t[]){5, 2}, -2, NULL, NULL,
              REF_CONTIG, REF_CONTIG);

    vecdot(dev, f, f, 2, bc, 1, (int64_t[]){5}, -1, REF_CONTIG, REF_NEGATIVE);
    vecdot(dev, f, f, 3, abc, 3, (int64_t[]){1, 4, 1}, 1, REF_CONTIG, REF_CONTIG);
    vecdot(dev, f, f, 2, bc, 3, abc, -2, REF_TRANSPOSED, REF_CONTIG);
    vecdot(dev, f, f, 3, none, 3, none, 1, REF_CONTIG, REF_CONTIG);
    vecdot(dev, f, f, 2, zero, 2, zero, 1, REF_CONTIG, REF_CONTIG);
    vecdot(dev, f, f, 1, (int64_t[]){1}, 1, (int64_t[]){1}, 0, REF_CONTIG, REF_CONTIG);
    vecdot(dev, f, f, 1, (int64_t[]){100003}, 1, (int64_t[]){100003}, -1, REF_CONTIG, REF_CONTIG);
    vecdot(dev, f, GND_COMPLEX64, 2, bc, 2, bc, -1, REF_CONTIG, REF_CONTIG);
    vecdot(dev, GND_COMPLEX64, f, 2, bc, 2, bc, 0, REF_CONTIG, REF_CONTIG);

    for (int d = 0; d < 2; d++) {
        inner_or_dot(dev, f, 1, (int64_t[]){5}, 1, (int64_t[]){5}, d, REF_OFFSET, REF_NEGATIVE);
        inner_or_dot(dev, i, 3, abc, 1, (int64_t[]){5}, d, REF_CONTIG, REF_CONTIG);
        inner_or_dot(dev, i, 2, bc, 3, d ? (int64_t[]){2, 5, 3} : (int64_t[]){2, 3, 5}, d,
                     REF_CONTIG, REF_TRANSPOSED);
        inner_or_dot(dev, i, 2, (int64_t[]){2, 0}, 1, (int64_t[]){0}, d, REF_CONTIG, REF_CONTIG);
    }

    outer_or_kron(dev, i, 2, bc, 2, zero, 0, REF_CONTIG, REF_CONTIG);
    outer_or_kron(dev, i, 0, NULL, 1, (int64_t[]){4}, 0, REF_CONTIG, REF_CONTIG);
    outer_or_kron(dev, i, 3, abc, 1, (int64_t[]){2}, 1, REF_STRIDED, REF_CONTIG);
    outer_or_kron(dev, i, 1, (int64_t[]){2}, 3, (int64_t[]){3, 1, 2}, 1, REF_CONTIG, REF_NEGATIVE);
    outer_or_kron(dev, i, 0, NULL, 2, bc, 1, REF_CONTIG, REF_TRANSPOSED);
    outer_or_kron(dev, i, 2, bc, 2, zero, 1, REF_CONTIG, REF_CONTIG);
    cross(dev, f, 1, REF_TRANSPOSED, REF_NEGATIVE);
    cross(dev, i, 0, REF_OFFSET, REF_STRIDED);
}

/* What is known without a reference: numbers, a plan, another view of the same. */
static void others(gnd_device *dev)
{
    gnd_scope_begin();
    int32_t v[6] = {1, 2, 3, 4, 5, 6}, w[6];
    gnd_array *x = gnd_from(dev, GND_INT32, 2, (int64_t[]){2, 3}, v);
    gnd_array *y = gnd_matrix_transpose(x);
    tap_ok(gnd_read(y, w, sizeof w) == GND_OK && w[0] == 1 && w[1] == 4 && w[5] == 6 &&
               gnd_dim(y, 0) == 3,
           "matrix_transpose");
    y = gnd_inner(x, gnd_int(2));
    tap_ok(gnd_read(y, w, sizeof w) == GND_OK && w[5] == 12 && gnd_dtype_of(y) == GND_INT32,
           "inner with a number");
    y = gnd_dot(gnd_int(3), x);
    tap_ok(gnd_read(y, w, sizeof w) == GND_OK && w[5] == 18 && gnd_ndim(y) == 2,
           "dot with a number");
    gnd_status st;
    tap_is_f64(gnd_item_f64(gnd_dot(gnd_int(3), gnd_real(0.5)), &st), 1.5, "dot of two numbers");
    y = gnd_kron(gnd_ones(dev, GND_INT8, 20,
                          (int64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}),
                 gnd_ones(dev, GND_INT8, 20,
                          (int64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3}));
    tap_ok(gnd_status_of(y) == GND_OK && gnd_size(y) == 6 && gnd_ndim(y) == 20,
           "kron of 20 dimensions");

    /* The vectors are read once, what comes before and after is in the same kernel. */
    gnd_array *a = gnd_wait(x) ? NULL : gnd_astype(x, GND_FLOAT32);
    y = gnd_sqrt(gnd_vecdot(gnd_square(a), gnd_add(a, gnd_int(1)), -1));
    char *text = gnd_explain(1, &y, 0, NULL);
    tap_has_str(text, "1 kernels, 0 calls", "vecdot fuses with what is round it");
    free(text);
    gnd_scope_end();
}

static void on_device(gnd_device *dev, const char *spec)
{
    tap_diag("%s", spec);
    ref_seed(5);
    for (int t = 0; t < GND_NDTYPES; t++)
        every_dtype(dev, (gnd_dtype)t);
    shapes_and_layouts(dev);
    others(dev);
}

/* --- errors ----------------------------------------------------------------------------------- */

static void errors(void)
{
    gnd_device *dev = gnd_open("null:0"), *other = gnd_open("null:1");
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){3, 4}),
              *v = gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){4});
    gnd_array *far = gnd_zeros(other, GND_FLOAT32, 1, (int64_t[]){4}),
              *b = gnd_zeros(dev, GND_BOOL, 1, (int64_t[]){3});
    gnd_array *big = gnd_zeros(dev, GND_INT8, 1, (int64_t[]){(int64_t)1 << 40});
    gnd_array *deep = gnd_zeros(
        dev, GND_INT8, 20, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    expect_message(gnd_tensordot(x, v, 1), GND_OK, "");
    expect_message(gnd_tensordot(NULL, v, 1), GND_ERR_NULL, "tensordot: x1 is NULL");
    expect_message(gnd_tensordot(x, v, 2), GND_ERR_AXIS,
                   "tensordot: 2 axes of arrays with 2 and 1 dimensions");
    expect_message(gnd_tensordot(x, v, -1), GND_ERR_AXIS,
                   "tensordot: -1 axes of arrays with 2 and 1 dimensions");
    expect_message(gnd_tensordot(v, x, 1), GND_ERR_SHAPE,
                   "tensordot: shapes (4,) and (3, 4): axis 0 has 4, axis 0 has 3");
    expect_message(
        gnd_tensordot(x, far, 1), GND_ERR_DEVICE,
        "tensordot: arrays of two devices, null:0 and null:1: move one with gnd_to_device");
    expect_message(gnd_tensordot(x, gnd_real(1), 0), GND_ERR_DEVICE,
                   "tensordot: x2 is a scalar and has no device: give it one with gnd_asarray");
    expect_message(gnd_tensordot(deep, deep, 0), GND_ERR_SHAPE,
                   "tensordot: 40 dimensions: 0 to 32 are possible");
    expect_message(
        gnd_tensordot(big, big, 0), GND_ERR_OVERFLOW,
        "tensordot: shape (1099511627776, 1099511627776) of int8: the number of bytes does not fit 64 bits");
    expect_message(gnd_tensordot_axes(x, v, 1, NULL, (int[]){0}), GND_ERR_NULL,
                   "tensordot: the list of axes is NULL");
    expect_message(gnd_tensordot_axes(x, v, 3, (int[]){0, 0, 0}, (int[]){0, 0, 0}), GND_ERR_AXIS,
                   "tensordot: 3 axes of an array of 2 dimensions");
    expect_message(gnd_tensordot_axes(x, x, 2, (int[]){0, 1}, (int[]){0, -2}), GND_ERR_AXIS,
                   "tensordot: axis -2 is named twice");
    expect_message(gnd_tensordot_axes(x, v, 1, (int[]){2}, (int[]){0}), GND_ERR_AXIS,
                   "tensordot: axis 2 is out of range for 2 dimensions");
    expect_message(gnd_vecdot(x, v, 1), GND_ERR_AXIS,
                   "vecdot: axis 1 is out of range for 1 dimension");
    expect_message(gnd_vecdot(x, b, -1), GND_ERR_SHAPE,
                   "vecdot: shapes (3, 4) and (3,): vectors of 4 and 3 elements");
    expect_message(gnd_vecdot(x, gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){2, 4}), -1),
                   GND_ERR_SHAPE,
                   "vecdot: shapes (3, 4) and (2, 4) do not broadcast: axis 0 has 3 and 2");
    expect_message(gnd_vecdot(x, gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){3, 1}), -1),
                   GND_ERR_SHAPE, "vecdot: shapes (3, 4) and (3, 1): vectors of 4 and 1 elements");
    expect_message(gnd_inner(x, b), GND_ERR_SHAPE,
                   "inner: shapes (3, 4) and (3,): axis 1 has 4, axis 0 has 3");
    expect_message(gnd_dot(x, x), GND_ERR_SHAPE,
                   "dot: shapes (3, 4) and (3, 4): axis 1 has 4, axis 0 has 3");
    expect_message(gnd_dot(x, NULL), GND_ERR_NULL, "dot: x2 is NULL");
    expect_message(
        gnd_outer(big, big), GND_ERR_OVERFLOW,
        "outer: shape (1099511627776, 1099511627776) of int8: the number of bytes does not fit 64 bits");
    expect_message(gnd_kron(big, big), GND_ERR_OVERFLOW,
                   "kron: axis 0: 1099511627776 * 1099511627776 does not fit 64 bits");
    expect_message(gnd_cross(b, b, 0), GND_ERR_DTYPE,
                   "cross: bool is not allowed: gnd_astype first");
    expect_message(gnd_cross(x, x, 0), GND_OK, "");
    expect_message(gnd_cross(x, v, -1), GND_ERR_SHAPE,
                   "cross: shapes (3, 4) and (4,): axis -1 has 4 and 4, not 3 and 3");
    expect_message(gnd_matrix_transpose(v), GND_ERR_SHAPE,
                   "matrix_transpose: shape (4,): at least 2 dimensions are needed");
    expect_message(gnd_outer(gnd_fail(GND_ERR_ARG, "mine"), x), GND_ERR_ARG, "mine");
    gnd_scope_end();
    gnd_stats st;
    gnd_device_stats(dev, &st);
    tap_is_int(st.arrays, 0, "nothing is left");
    gnd_close(other);
    gnd_close(dev);
}

/* --- allocations failing ---------------------------------------------------------------------- */

static gnd_array *call(int f, gnd_array *x, gnd_array *y)
{
    switch (f) {
    case 0: return gnd_tensordot(x, y, 1);
    case 1: return gnd_tensordot_axes(x, y, 2, (int[]){0, 1}, (int[]){0, 1});
    case 2: return gnd_vecdot(x, y, 0);
    case 3: return gnd_inner(x, y);
    case 4: return gnd_outer(x, y);
    case 5: return gnd_kron(x, y);
    case 6: return gnd_cross(x, y, 1);
    default: return gnd_tensordot(x, y, 0);
    }
}

static void out_of_memory(void)
{
    gnd_device *dev = gnd_open("null:0");
    long made = 0;
    for (int f = 0; f < 8; f++) {
        gnd_array *x = gnd_zeros(dev, f == 2 ? GND_COMPLEX64 : GND_FLOAT16, 2, (int64_t[]){3, 3});
        gnd_array *y = gnd_zeros(dev, GND_FLOAT16, 2, (int64_t[]){3, 3});
        int bad = 0;
        long n;
        for (n = 1; n < 1000; n++) {
            gnd__mem_fail_at(n);
            gnd_array *z = call(f, x, y);
            gnd__mem_fail_at(0);
            gnd_status st = gnd_status_of(z);
            gnd_release(z);
            if (st == GND_OK)
                break;
            bad += st != GND_ERR_NOMEM;
        }
        gnd_release(x);
        gnd_release(y);
        gnd_stats s;
        gnd_device_stats(dev, &s);
        tap_ok(!bad && n < 1000 && s.arrays == 0, "function %d: each of %ld allocations failing", f,
               n - 1);
        made += n - 1; /* few: nodes are used again */
    }
    tap_ok(made > 20, "%ld allocations", made);
    gnd_close(dev);
}

int main(void)
{
    errors();
    out_of_memory();
    ref_devices(on_device);
    return tap_done();
}
