/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/products.c - composed products of arrays: sums over axes as one matrix product
 * (tensordot, inner, dot), or, if the result needs no matrix, as a sum of products that fuses with
 * its surroundings (vecdot); and products without a sum (outer, kron, cross).
 */
#include <inttypes.h>
#include <stdio.h>
#include "ops/linalg/einsum.h"
#include "array/steps.h"
#include "graph/check.h"
#include "graph/scope.h"
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/reduce.h>
#include <gnd/view.h>

/* --- steps ------------------------------------------------------------------------------------ */

/* Checks two arrays; sets their device and the dtype to which they promote. Returns an error, or
 * NULL. */
static gnd_array *check_two(const char *func, gnd_array *a, gnd_array *b, gnd_device **dev,
                            gnd_dtype *t)
{
    gnd_array *x[2] = {a, b};
    gnd_array *bad = gnd__check_strong(a, func, "x1");
    if (bad || (bad = gnd__check_strong(b, func, "x2")) ||
        (bad = gnd__check_devices(func, 2, x, dev)))
        return bad;
    *t = gnd__common_dtype(*dev, 2, x);
    return NULL;
}

/* "FUNC: shapes (3,) and (4,)WHY". */
static gnd_array *bad_shapes(const char *func, gnd_device *dev, const gnd_array *a,
                             const gnd_array *b, const char *why)
{
    char ta[GND__SHAPE_TEXT], tb[GND__SHAPE_TEXT];
    return gnd__fail(dev, GND_ERR_SHAPE, "%s: shapes %s and %s%s", func,
                     gnd__shape_text(ta, a->ndim, a->dim), gnd__shape_text(tb, b->ndim, b->dim),
                     why);
}

/* Moves axis k to the end. */
static gnd_array *to_last(gnd_array *x, int k)
{
    int perm[GND_MAX_NDIM];
    for (int i = 0; i < x->ndim - 1; i++)
        perm[i] = i < k ? i : i + 1;
    perm[x->ndim - 1] = k;
    return gnd__permuted(x, perm);
}

gnd_array *gnd__sum_of_products(gnd_array *a, gnd_array *b, gnd_axes axes, gnd_dtype t)
{
    gnd_dtype wide = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    gnd_array *ca = gnd__as(a, wide), *cb = gnd__as(b, wide);
    gnd_array *p = gnd_multiply(ca, cb);
    gnd_array *y = gnd_sum_as(p, axes, 0, wide);
    return wide == t ? y : gnd_astype(y, t);
}

/* --- sums over pairs of axes ------------------------------------------------------------------ */

/* Axis a[i] of one array is paired with axis b[i] of the other. All are in range and distinct. */
typedef struct pairs {
    int n, a[GND_MAX_NDIM], b[GND_MAX_NDIM];
} pairs;

/* Sorts the pairs by the axes of the first array, so that adjacent axes merge into one. */
static void sort_pairs(pairs *p)
{
    for (int i = 1; i < p->n; i++)
        for (int k = i; k > 0 && p->a[k - 1] > p->a[k]; k--) {
            int a = p->a[k], b = p->b[k];
            p->a[k] = p->a[k - 1];
            p->b[k] = p->b[k - 1];
            p->a[k - 1] = a;
            p->b[k - 1] = b;
        }
}

/* Writes the axes of x that are not in k[n] to out, in order. Returns their number. */
static int other_axes(const gnd_array *x, int n, const int *k, int *out)
{
    int m = 0;
    for (int d = 0; d < x->ndim; d++) {
        int taken = 0;
        for (int i = 0; i < n; i++)
            taken |= k[i] == d;
        if (!taken)
            out[m++] = d;
    }
    return m;
}

/* x as a matrix: axes u[nu] become its rows, the other axes v[nv] its columns. */
static gnd_array *as_matrix(gnd_array *x, int nu, const int *u, int nv, const int *v)
{
    int perm[GND_MAX_NDIM];
    int64_t dim[2] = {1, 1};
    for (int i = 0; i < nu; i++)
        dim[0] *= x->dim[perm[i] = u[i]];
    for (int i = 0; i < nv; i++)
        dim[1] *= x->dim[perm[nu + i] = v[i]];
    gnd_array *p = gnd__permuted(x, perm);
    return p->kind == GND__ERROR ? p : gnd__reshaped(p, 2, dim);
}

/* The products of all pairs of elements of a and b: the axes of a, then those of b. */
static gnd_array *all_products(gnd_array *a, gnd_array *b)
{
    uint32_t last = (uint32_t)((((uint64_t)1 << b->ndim) - 1) << a->ndim);
    gnd_array *wide = gnd__expanded(a, last);
    return gnd_multiply(wide, b);
}

/* The sum over the pairs p of axes of a and b. t: the dtype to which they promote. */
static gnd_array *contract(const char *func, gnd_array *a, gnd_array *b, gnd_device *dev,
                           gnd_dtype t, pairs *p)
{
    for (int i = 0; i < p->n; i++) {
        char why[96];
        if (a->dim[p->a[i]] == b->dim[p->b[i]])
            continue;
        snprintf(why, sizeof why, ": axis %d has %" PRId64 ", axis %d has %" PRId64, p->a[i],
                 a->dim[p->a[i]], p->b[i], b->dim[p->b[i]]);
        return bad_shapes(func, dev, a, b, why);
    }
    int fa[GND_MAX_NDIM], fb[GND_MAX_NDIM];
    sort_pairs(p);
    int na = other_axes(a, p->n, p->a, fa), nb = other_axes(b, p->n, p->b, fb);
    int64_t dim[2 * GND_MAX_NDIM];
    for (int i = 0; i < na; i++)
        dim[i] = a->dim[fa[i]];
    for (int i = 0; i < nb; i++)
        dim[na + i] = b->dim[fb[i]];
    gnd_array *bad = gnd__check_shape(func, dev, t, na + nb, dim);
    if (bad)
        return bad;
    if (a->size == 0 || b->size == 0) { /* empty sums, or no sums */
        gnd__scalar zero = {.kind = gnd_dtype_kind(t)};
        return gnd__filled(dev, t, na + nb, dim, &zero);
    }
    if (p->n == 0)
        return all_products(a, b);
    if (na + nb == 0) { /* one number: b's axes in the order of a's, and no copy of either */
        int perm[GND_MAX_NDIM];
        for (int i = 0; i < p->n; i++)
            perm[i] = p->b[i];
        gnd_array *pb = gnd__permuted(b, perm);
        if (pb->kind == GND__ERROR)
            return pb;
        return gnd__sum_of_products(a, pb, GND_ALL, t);
    }
    gnd_array *ma = as_matrix(a, na, fa, p->n, p->a), *mb = as_matrix(b, p->n, p->b, nb, fb);
    gnd_array *y = gnd_matmul(ma, mb);
    return y->kind == GND__ERROR ? y : gnd__reshaped(y, na + nb, dim);
}

gnd_array *gnd_tensordot(gnd_array *a, gnd_array *b, int n)
{
    gnd_device *dev;
    gnd_dtype t;
    pairs p = {.n = n};
    gnd_array *bad = check_two("tensordot", a, b, &dev, &t);
    if (bad)
        return bad;
    if (n < 0 || n > a->ndim || n > b->ndim)
        return gnd__fail(dev, GND_ERR_AXIS,
                         "tensordot: %d axes of arrays with %d and %d dimensions", n, a->ndim,
                         b->ndim);
    for (int i = 0; i < n; i++) {
        p.a[i] = a->ndim - n + i;
        p.b[i] = i;
    }
    const gnd__inner in = gnd__enter("tensordot");
    return gnd__leave(in, contract("tensordot", a, b, dev, t, &p));
}

/* Normalizes n axes of x into k and checks that none occurs twice. Returns an error, or NULL. */
static gnd_array *check_list(gnd_device *dev, const gnd_array *x, int n, const int *axes, int *k)
{
    uint32_t seen = 0;
    if (n && !axes)
        return gnd__fail(dev, GND_ERR_NULL, "tensordot: the list of axes is NULL");
    if (n < 0 || n > x->ndim)
        return gnd__fail(dev, GND_ERR_AXIS, "tensordot: %d axes of an array of %d dimension%s", n,
                         x->ndim, x->ndim == 1 ? "" : "s");
    for (int i = 0; i < n; i++) {
        gnd_array *bad = gnd__check_axis("tensordot", dev, axes[i], x->ndim, &k[i]);
        if (bad)
            return bad;
        if (seen >> k[i] & 1)
            return gnd__fail(dev, GND_ERR_AXIS, "tensordot: axis %d is named twice", axes[i]);
        seen |= (uint32_t)1 << k[i];
    }
    return NULL;
}

gnd_array *gnd_tensordot_axes(gnd_array *a, gnd_array *b, int n, const int *axes_a,
                              const int *axes_b)
{
    gnd_device *dev;
    gnd_dtype t;
    pairs p = {.n = n};
    gnd_array *bad = check_two("tensordot", a, b, &dev, &t);
    if (bad || (bad = check_list(dev, a, n, axes_a, p.a)) ||
        (bad = check_list(dev, b, n, axes_b, p.b)))
        return bad;
    const gnd__inner in = gnd__enter("tensordot");
    return gnd__leave(in, contract("tensordot", a, b, dev, t, &p));
}

/* If a or b is a number (a weak scalar or a 0-d array), gnd_multiply of both; an error; or NULL. */
static gnd_array *by_number(const char *func, gnd_array *a, gnd_array *b)
{
    gnd_array *bad = gnd__check(a, func, "x1");
    if (bad || (bad = gnd__check(b, func, "x2")))
        return bad;
    return a->ndim && b->ndim ? NULL : gnd_multiply(a, b);
}

gnd_array *gnd_inner(gnd_array *a, gnd_array *b)
{
    gnd_device *dev;
    gnd_dtype t;
    gnd_array *y = by_number("inner", a, b);
    if (y || (y = check_two("inner", a, b, &dev, &t)))
        return y;
    pairs p = {.n = 1, .a = {a->ndim - 1}, .b = {b->ndim - 1}};
    const gnd__inner in = gnd__enter("inner");
    return gnd__leave(in, contract("inner", a, b, dev, t, &p));
}

gnd_array *gnd_dot(gnd_array *a, gnd_array *b)
{
    gnd_device *dev;
    gnd_dtype t;
    gnd_array *y = by_number("dot", a, b);
    if (y || (y = check_two("dot", a, b, &dev, &t)))
        return y;
    pairs p = {.n = 1, .a = {a->ndim - 1}, .b = {b->ndim > 1 ? b->ndim - 2 : 0}};
    const gnd__inner in = gnd__enter("dot");
    return gnd__leave(in, contract("dot", a, b, dev, t, &p));
}

/* --- vectors along an axis -------------------------------------------------------------------- */

gnd_array *gnd_vecdot(gnd_array *x1, gnd_array *x2, int axis)
{
    gnd_device *dev;
    gnd_dtype t;
    int k1, k2;
    gnd_array *bad = check_two("vecdot", x1, x2, &dev, &t);
    if (bad || (bad = gnd__check_axis("vecdot", dev, axis, x1->ndim, &k1)) ||
        (bad = gnd__check_axis("vecdot", dev, axis, x2->ndim, &k2)))
        return bad;
    if (x1->dim[k1] != x2->dim[k2]) {
        char why[80];
        snprintf(why, sizeof why, ": vectors of %" PRId64 " and %" PRId64 " elements", x1->dim[k1],
                 x2->dim[k2]);
        return bad_shapes("vecdot", dev, x1, x2, why);
    }
    const gnd__inner in = gnd__enter("vecdot");
    gnd_array *v[2] = {to_last(x1, k1), to_last(x2, k2)};
    gnd__shape s;
    gnd_array *y = v[0]->kind == GND__ERROR   ? v[0]
                   : v[1]->kind == GND__ERROR ? v[1]
                                              : gnd__check_broadcast("vecdot", dev, t, 2, v, &s);
    if (!y) {
        if (gnd_dtype_kind((gnd_dtype)x1->dtype) == 'c')
            v[0] = gnd_conj(v[0]);
        y = gnd__sum_of_products(v[0], v[1], GND_AXIS(-1), t);
    }
    return gnd__leave(in, y);
}

/* The cross product of vectors, which are along the last axes of a and b, and along `axis` of the
 * result. Each element of both is one view, of extent 1 along the last axis. */
static gnd_array *crossed(gnd_array *a, gnd_array *b, int axis)
{
    gnd_array *pa[3], *pb[3], *part[3];
    for (int i = 0; i < 3; i++) {
        pa[i] = gnd__slice(a, a->ndim - 1, i, 1);
        pb[i] = gnd__slice(b, b->ndim - 1, i, 1);
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        part[i] = gnd_subtract(gnd_multiply(pa[j], pb[k]), gnd_multiply(pa[k], pb[j]));
    }
    gnd_array *y = gnd_concat(3, part, -1);
    return y->kind == GND__ERROR ? y : gnd_moveaxis(y, 1, (int[]){-1}, &axis);
}

gnd_array *gnd_cross(gnd_array *x1, gnd_array *x2, int axis)
{
    gnd_device *dev;
    gnd_dtype t;
    int k1, k2;
    gnd_array *bad = check_two("cross", x1, x2, &dev, &t);
    if (bad || (bad = gnd__check_axis("cross", dev, axis, x1->ndim, &k1)) ||
        (bad = gnd__check_axis("cross", dev, axis, x2->ndim, &k2)))
        return bad;
    if (t == GND_BOOL)
        return gnd__fail(dev, GND_ERR_DTYPE, "cross: bool is not allowed: gnd_astype first");
    if (x1->dim[k1] != 3 || x2->dim[k2] != 3) {
        char why[96];
        snprintf(why, sizeof why, ": axis %d has %" PRId64 " and %" PRId64 ", not 3 and 3", axis,
                 x1->dim[k1], x2->dim[k2]);
        return bad_shapes("cross", dev, x1, x2, why);
    }
    const gnd__inner in = gnd__enter("cross");
    gnd_array *v[2] = {to_last(x1, k1), to_last(x2, k2)};
    gnd__shape s;
    gnd_array *y = v[0]->kind == GND__ERROR   ? v[0]
                   : v[1]->kind == GND__ERROR ? v[1]
                                              : gnd__check_broadcast("cross", dev, t, 2, v, &s);
    if (!y)
        y = crossed(v[0], v[1], axis);
    return gnd__leave(in, y);
}

/* --- without a sum ---------------------------------------------------------------------------- */

gnd_array *gnd_outer(gnd_array *a, gnd_array *b)
{
    gnd_device *dev;
    gnd_dtype t;
    gnd_array *bad = check_two("outer", a, b, &dev, &t);
    if (bad || (bad = gnd__check_shape("outer", dev, t, 2, (int64_t[]){a->size, b->size})))
        return bad;
    const gnd__inner in = gnd__enter("outer");
    gnd_array *col = gnd__reshaped(a, 2, (int64_t[]){a->size, 1});
    gnd_array *row = gnd__reshaped(b, 1, (int64_t[]){b->size});
    gnd_array *y = gnd_multiply(col, row);
    return gnd__leave(in, y);
}

gnd_array *gnd_kron(gnd_array *a, gnd_array *b)
{
    gnd_device *dev;
    gnd_dtype t;
    gnd_array *bad = check_two("kron", a, b, &dev, &t);
    if (bad)
        return bad;
    /* Axis d of the result is an axis of a and, inside it, one of b. Both get an axis, with extent
     * 1 in the other array, unless one of them has extent 1 anyway. */
    int ndim = a->ndim > b->ndim ? a->ndim : b->ndim, n = 0;
    int64_t da[2 * GND_MAX_NDIM], db[2 * GND_MAX_NDIM], dim[GND_MAX_NDIM];
    for (int d = 0; d < ndim; d++) {
        int ka = d - (ndim - a->ndim), kb = d - (ndim - b->ndim);
        int64_t ea = ka < 0 ? 1 : a->dim[ka], eb = kb < 0 ? 1 : b->dim[kb];
        if (__builtin_mul_overflow(ea, eb, &dim[d]))
            return gnd__fail(dev, GND_ERR_OVERFLOW,
                             "kron: axis %d: %" PRId64 " * %" PRId64 " does not fit 64 bits", d, ea,
                             eb);
        int two = ea != 1 && eb != 1;
        da[n] = ea;
        db[n] = two ? 1 : eb;
        da[n + two] = two ? 1 : ea;
        db[n + two] = eb;
        n += two + !(ea == 1 && eb == 1);
    }
    if ((bad = gnd__check_shape("kron", dev, t, ndim, dim)))
        return bad;
    if (n > GND_MAX_NDIM)
        return bad_shapes("kron", dev, a, b, ": more than 32 axes are needed on the way");
    const gnd__inner in = gnd__enter("kron");
    gnd_array *pa = gnd__reshaped(a, n, da), *pb = gnd__reshaped(b, n, db);
    gnd_array *y = gnd_multiply(pa, pb);
    return gnd__leave(in, y->kind == GND__ERROR ? y : gnd__reshaped(y, ndim, dim));
}

gnd_array *gnd_matrix_transpose(gnd_array *x)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *bad = gnd__check_strong(x, "matrix_transpose", "x");
    if (bad)
        return bad;
    if (x->ndim < 2)
        return gnd__fail(x->dev, GND_ERR_SHAPE,
                         "matrix_transpose: shape %s: at least 2 dimensions are needed",
                         gnd__shape_text(text, x->ndim, x->dim));
    return gnd_mT(x);
}
