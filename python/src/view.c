/* SPDX-License-Identifier: BSD-3-Clause
 *
 * view.c - writable views as in NumPy, over gnd arrays, which are immutable values. The method is
 * functionalization, as in PyTorch (FunctionalStorageImpl). A view holds its source and the rule
 * that makes its value from the value of the source (py_link). Writing to a view makes a new value
 * of its source, and so on down to the root. A box of a box becomes one box, so chains of slices
 * and transpositions do not grow.
 */
#include "py.h"

#include <string.h>

/* --- boxes ------------------------------------------------------------------------------------ */

int py_whole(py_array *a, py_link *box)
{
    gnd_array *x = py_value(a);
    if (!x)
        return -1;
    box->kind = PY_VIEW_BOX;
    box->nsrc = box->ndim = gnd_ndim(x);
    for (int i = 0; i < box->ndim; i++) {
        box->start[i] = 0;
        box->step[i] = 1;
        box->count[i] = gnd_shape(x)[i];
        box->axis[i] = i;
    }
    return 0;
}

/* *c = box b of the view that box a makes, as one box of a's source. */
static void compose(const py_link *a, const py_link *b, py_link *c)
{
    *c = *a;
    c->ndim = b->ndim;
    for (int i = 0; i < b->nsrc; i++) {
        const int s = a->axis[i];
        if (s < 0)
            continue;
        c->start[s] = a->start[s] + a->step[s] * b->start[i];
        c->step[s] = a->step[s] * b->step[i];
        c->count[s] = b->count[i];
    }
    for (int i = 0; i < b->ndim; i++)
        c->axis[i] = b->axis[i] < 0 ? -1 : a->axis[b->axis[i]];
}

/* Whether box b of the view that box a makes is a box of a's source. It is not if b selects no
 * element of an axis that a added. */
static int composes(const py_link *a, const py_link *b)
{
    for (int i = 0; i < b->nsrc; i++)
        if (a->axis[i] < 0 && b->count[i] != 1)
            return 0;
    return 1;
}

/* The extents and strides of the box's view, from the strides of its source. */
static void fill_in(py_link *box, const int64_t *stride)
{
    for (int i = 0; i < box->ndim; i++) {
        const int s = box->axis[i];
        box->shape[i] = s < 0 ? 1 : box->count[s];
        box->stride[i] = s < 0 ? 0 : stride[s] * box->step[s];
    }
}

/* r = the entries of gnd_index for the axes of the source. An axis that is not in the view is
 * indexed by a single element. */
static void entries(const py_link *box, gnd_range *r)
{
    char kept[GND_MAX_NDIM] = {0};
    for (int i = 0; i < box->ndim; i++)
        if (box->axis[i] >= 0)
            kept[box->axis[i]] = 1;
    for (int s = 0; s < box->nsrc; s++) {
        const int64_t last = box->start[s] + box->step[s] * (box->count[s] - 1);
        if (!kept[s])
            r[s] = GND_ELEM(box->start[s]);
        else if (box->count[s] == 0)
            r[s] = GND_SLICE(0, 0);
        else if (box->step[s] > 0)
            r[s] = GND_STEP(box->start[s], last + 1, box->step[s]);
        else
            r[s] = GND_STEP(box->start[s], last ? last - 1 : GND_NONE, box->step[s]);
    }
}

/* perm[i] = the rank, among the kept axes in the source's order, of axis i of the view without new
 * axes. Returns the number of kept axes. */
static int order(const py_link *box, int *perm)
{
    int rank[GND_MAX_NDIM], n = 0, k = 0;
    for (int s = 0; s < box->nsrc; s++) {
        rank[s] = -1;
        for (int i = 0; i < box->ndim; i++)
            if (box->axis[i] == s)
                rank[s] = n++;
    }
    for (int i = 0; i < box->ndim; i++)
        if (box->axis[i] >= 0)
            perm[k++] = rank[box->axis[i]];
    return n;
}

static int in_order(const int *perm, int n)
{
    for (int i = 0; i < n; i++)
        if (perm[i] != i)
            return 0;
    return 1;
}

/* *x = next, which was made from *x. Releases the old *x. */
static void step(gnd_array **x, gnd_array *next)
{
    gnd_release(*x);
    *x = next;
}

static gnd_array *box_of(const py_link *box, gnd_array *src)
{
    gnd_range r[GND_MAX_NDIM];
    int perm[GND_MAX_NDIM];
    const int n = order(box, perm);
    int all = n == box->nsrc;
    for (int s = 0; s < box->nsrc; s++)
        all = all && !box->start[s] && box->step[s] == 1 && box->count[s] == gnd_dim(src, s);
    if (!all)
        entries(box, r);
    gnd_array *x = all ? gnd_retain(src) : gnd_index(src, box->nsrc, r);
    if (!in_order(perm, n))
        step(&x, gnd_permute_dims(x, perm));
    if (n < box->ndim)
        step(&x, gnd_reshape(x, box->ndim, box->shape));
    return x;
}

/* The source with the elements of the box replaced by t. */
static gnd_array *box_set(const py_link *box, gnd_array *src, gnd_array *t)
{
    gnd_range r[GND_MAX_NDIM];
    int perm[GND_MAX_NDIM], inverse[GND_MAX_NDIM];
    int64_t shape[GND_MAX_NDIM];
    int k = 0;
    entries(box, r);
    const int n = order(box, perm);
    gnd_array *x = gnd_retain(t);
    for (int i = 0; i < box->ndim; i++)
        if (box->axis[i] >= 0)
            shape[k++] = box->shape[i];
    if (n < box->ndim)
        step(&x, gnd_reshape(x, n, shape));
    for (int i = 0; i < n; i++)
        inverse[perm[i]] = i;
    if (!in_order(perm, n))
        step(&x, gnd_permute_dims(x, inverse));
    step(&x, gnd_set(src, box->nsrc, r, x));
    return x;
}

/* --- links ------------------------------------------------------------------------------------ */

static gnd_array *apply(const py_link *l, gnd_array *src)
{
    switch (l->kind) {
    case PY_VIEW_BOX: return box_of(l, src);
    case PY_VIEW_RESHAPE: return gnd_reshape(src, l->ndim, l->shape);
    case PY_VIEW_BROADCAST: return gnd_broadcast_to(src, l->ndim, l->shape);
    case PY_VIEW_REAL: return gnd_real_part(src);
    case PY_VIEW_DTYPE: return gnd_view_dtype(src, l->dtype);
    case PY_VIEW_STRIDED: return gnd_as_strided(src, l->ndim, l->shape, l->stride, l->start[0]);
    case PY_VIEW_DIAGONAL: return gnd_diagonal(src, 0, l->axis[0], l->axis[1]);
    case PY_VIEW_WINDOWS: return gnd_sliding_window_view(src, l->nsrc, l->count, l->axis);
    default: return gnd_imag_part(src);
    }
}

/* The source with its diagonal over axes of one extent replaced by t, whose last axis it is. */
static gnd_array *diagonal_set(const py_link *l, gnd_array *src, gnd_array *t)
{
    const int nd = gnd_ndim(src), a = l->axis[0] < l->axis[1] ? l->axis[0] : l->axis[1],
              b = l->axis[0] + l->axis[1] - a;
    int64_t shape[GND_MAX_NDIM], ones[GND_MAX_NDIM];
    int perm[GND_MAX_NDIM], k = 0, from = 0;
    for (int i = 0; i < nd; i++) {
        shape[i] = i == b ? 1 : gnd_shape(src)[i];
        ones[i] = i == a || i == b ? gnd_shape(src)[i] : 1;
        if (i != b)
            perm[k++] = i == a ? nd - 2 : from++;
    }
    gnd_array *mask = gnd_eye(gnd_device_of(src), GND_BOOL, gnd_shape(src)[a], -1, 0);
    gnd_array *x = gnd_permute_dims(t, perm);
    step(&mask, gnd_reshape(mask, nd, ones));
    step(&x, gnd_reshape(x, nd, shape));
    step(&x, gnd_where(mask, x, src));
    gnd_release(mask);
    return x;
}

/* src with the elements of the view, which is not read-only, replaced by t. */
static gnd_array *reverse(const py_link *l, gnd_array *src, gnd_array *t)
{
    switch (l->kind) {
    case PY_VIEW_BOX: return box_set(l, src, t);
    case PY_VIEW_RESHAPE: return gnd_reshape(t, gnd_ndim(src), gnd_shape(src));
    case PY_VIEW_DTYPE: return gnd_view_dtype(t, gnd_dtype_of(src));
    case PY_VIEW_DIAGONAL: return diagonal_set(l, src, t);
    default: break;
    }
    gnd_array *other = l->kind == PY_VIEW_REAL ? gnd_imag_part(src) : gnd_real_part(src);
    gnd_array *x = l->kind == PY_VIEW_REAL ? gnd_from_parts(t, other) : gnd_from_parts(other, t);
    gnd_release(other);
    return x;
}

/* --- values ----------------------------------------------------------------------------------- */

gnd_array *py_value(py_array *a)
{
    if (!a->src)
        return a->value;
    if (a->value && a->version == a->root->version)
        return a->value;
    gnd_array *src = py_value(a->src);
    if (!src)
        return NULL;
    gnd_release(a->value);
    a->value = apply(a->link, src);
    a->version = a->root->version;
    if (py_check(a->value)) {
        gnd_release(a->value);
        a->value = NULL;
        return NULL;
    }
    return a->value;
}

/* The function that makes read-only views with this link, or NULL. */
static const char *readonly_link(const py_link *l)
{
    switch (l->kind) {
    case PY_VIEW_BROADCAST: return "broadcast_to";
    case PY_VIEW_STRIDED: return "as_strided";
    case PY_VIEW_WINDOWS: return "sliding_window_view";
    case PY_VIEW_DIAGONAL: return l->start[0] ? "diagonal" : NULL;
    default: return NULL;
    }
}

const char *py_readonly_by(const py_array *a)
{
    const char *by = NULL;
    for (; a->src && !by; a = a->src)
        by = readonly_link(a->link);
    return by;
}

int py_write(py_array *a, gnd_array *t)
{
    const char *by = a->readonly ? py_readonly_by(a) : NULL;
    if (a->readonly)
        PyErr_Format(PyExc_ValueError, "assignment destination is read-only%s%s",
                     by ? ": it was made by " : "", by ? by : "");
    if (a->readonly || py_check(t)) {
        gnd_release(t);
        return -1;
    }
    for (; a->src; a = a->src) {
        gnd_array *src = py_value(a->src);
        gnd_array *next = src ? reverse(a->link, src, t) : NULL;
        gnd_release(t);
        if (!next || py_check(next)) {
            gnd_release(next);
            return -1;
        }
        t = next;
    }
    /* Values of views refer to the old value. Without them it can be written in place. */
    for (py_array *v = a->next; v; v = v->next) {
        gnd_release(v->value);
        v->value = NULL;
    }
    gnd_release(a->value);
    a->value = t;
    a->version++;
    return 0;
}

void py_strides(py_array *a, int64_t *stride)
{
    if (a->src) {
        memcpy(stride, a->link->stride, sizeof(int64_t) * (size_t)a->link->ndim);
        return;
    }
    /* An array without elements has strides of 0. */
    int64_t n = gnd_size(a->value) > 0;
    const int ndim = gnd_ndim(a->value);
    for (int k = 0; k < ndim; k++) {
        const int i = a->fortran ? k : ndim - 1 - k;
        stride[i] = n;
        n *= gnd_shape(a->value)[i];
    }
}

/* 1: the strides of a grow from the first axis to the last, as in Fortran order. 0: they do not.
 * -1: a has no order: it has no elements, or fewer than two axes of more than one element. */
static int order_of(py_array *a)
{
    const gnd_array *x = a->value;
    int64_t stride[GND_MAX_NDIM], last = -1;
    int axes = 0, grow = 1;
    if (!x || gnd_ndim(x) < 2)
        return -1;
    if (!a->src && !a->fortran)
        return 0;
    py_strides(a, stride);
    for (int i = 0; i < gnd_ndim(x); i++) {
        if (gnd_shape(x)[i] == 0)
            return -1;
        if (gnd_shape(x)[i] == 1)
            continue;
        const int64_t s = stride[i] < 0 ? -stride[i] : stride[i];
        grow &= s > last;
        last = s;
        axes++;
    }
    return axes < 2 ? -1 : grow;
}

int py_fortran(PyObject *const *o, Py_ssize_t n)
{
    int found = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const int order = py_is_array(o[i]) ? order_of((py_array *)o[i]) : -1;
        if (order == 0)
            return 0;
        found |= order == 1;
    }
    return found;
}

PyObject *py_view(py_array *a, const py_link *link)
{
    py_array *src = a;
    py_link *l = py_link_copy(link);
    if (!l)
        return PyErr_NoMemory();
    if (l->kind == PY_VIEW_BOX) {
        int64_t stride[GND_MAX_NDIM];
        if (a->src && a->link->kind == PY_VIEW_BOX && composes(a->link, l)) {
            compose(a->link, link, l);
            src = a->src;
        }
        py_strides(src, stride);
        fill_in(l, stride);
    } else if (l->kind == PY_VIEW_RESHAPE && a->src && a->link->kind == PY_VIEW_RESHAPE) {
        src = a->src;
    }
    py_array *v = PyObject_New(py_array, py_array_type);
    if (!v) {
        py_link_free(l);
        return NULL;
    }
    v->value = NULL;
    v->weak = NULL;
    v->fortran = 0;
    v->readonly = (char)(a->readonly || readonly_link(l));
    v->pins = NULL;
    v->version = 0;
    v->link = l;
    v->src = src;
    v->root = src->src ? src->root : src;
    Py_INCREF(v->src);
    Py_INCREF(v->root);
    v->prev = v->root;
    v->next = v->root->next;
    if (v->next)
        v->next->prev = v;
    v->root->next = v;
    if (!py_value(v))
        Py_CLEAR(v);
    return (PyObject *)v;
}

/* Whether two links of one source and one kind have equal parameters. */
static int same_link(const py_link *p, const py_link *q)
{
    const int has_axes = p->kind == PY_VIEW_BOX || p->kind == PY_VIEW_WINDOWS;
    const size_t n = sizeof(int64_t) * (size_t)(has_axes ? p->nsrc : 0),
                 m = sizeof(int64_t) * (size_t)p->ndim;
    if (p->ndim != q->ndim || memcmp(p->shape, q->shape, m))
        return 0;
    switch (p->kind) {
    case PY_VIEW_BOX:
        return !memcmp(p->start, q->start, n) && !memcmp(p->step, q->step, n) &&
               !memcmp(p->count, q->count, n) &&
               !memcmp(p->axis, q->axis, sizeof(int) * (size_t)p->ndim);
    case PY_VIEW_DTYPE: return p->dtype == q->dtype;
    case PY_VIEW_STRIDED: return p->start[0] == q->start[0] && !memcmp(p->stride, q->stride, m);
    case PY_VIEW_DIAGONAL: return p->axis[0] == q->axis[0] && p->axis[1] == q->axis[1];
    case PY_VIEW_WINDOWS:
        return p->nsrc == q->nsrc && !memcmp(p->count, q->count, n) &&
               !memcmp(p->axis, q->axis, sizeof(int) * (size_t)p->nsrc);
    default: return 1;
    }
}

int py_same_view(py_array *a, py_array *b)
{
    return a == b || (a->src && a->src == b->src && a->link->kind == b->link->kind &&
                      same_link(a->link, b->link));
}

/* --- reshaping -------------------------------------------------------------------------------- */

/* stride = strides under which the elements of an array (oshape, ostride), read in C order, have
 * the new shape. Returns 0 if there are no such strides; then NumPy copies. The axes of both shapes
 * are grouped so that each pair of groups has the same number of elements; the old axes of a group
 * must be one run of equally spaced elements. */
static int without_copy(int nold, const int64_t *oshape, const int64_t *ostride, int n,
                        const int64_t *shape, int64_t *stride)
{
    int64_t dims[GND_MAX_NDIM], steps[GND_MAX_NDIM];
    int m = 0, i = 0, j = 0;
    for (int k = 0; k < nold; k++)
        if (oshape[k] != 1) {
            dims[m] = oshape[k];
            steps[m++] = ostride[k];
        }
    while (j < n && i < m) {
        int64_t a = dims[i], b = shape[j];
        int i1 = i + 1, j1 = j + 1;
        while (a != b)
            if (a < b) {
                if (i1 == m)
                    return 0;
                a *= dims[i1++];
            } else {
                if (j1 == n)
                    return 0;
                b *= shape[j1++];
            }
        for (int k = i; k + 1 < i1; k++)
            if (steps[k] != steps[k + 1] * dims[k + 1])
                return 0;
        stride[j1 - 1] = steps[i1 - 1];
        for (int k = j1 - 1; k > j; k--)
            stride[k - 1] = stride[k] * shape[k];
        i = i1;
        j = j1;
    }
    for (; j < n; j++)
        stride[j] = 1;
    return i == m;
}

PyObject *py_reshape(py_array *a, int ndim, const int64_t *shape)
{
    gnd_array *x = py_value(a), *y;
    if (!x)
        return NULL;
    y = gnd_reshape(x, ndim, shape);
    py_link l;
    int64_t stride[GND_MAX_NDIM];
    if (py_check(y)) {
        gnd_release(y);
        return NULL;
    }
    l.kind = PY_VIEW_RESHAPE;
    l.ndim = ndim;
    memcpy(l.shape, gnd_shape(y), sizeof(int64_t) * (size_t)ndim);
    py_strides(a, stride);
    if (gnd_size(x) == 0) { /* strides exist for any shape */
        int64_t step = 1;
        for (int i = ndim - 1; i >= 0; i--) {
            l.stride[i] = step;
            step *= l.shape[i] ? l.shape[i] : 1;
        }
        gnd_release(y);
        return py_view(a, &l);
    }
    if (!without_copy(gnd_ndim(x), gnd_shape(x), stride, ndim, l.shape, l.stride))
        return py_array_new(y);
    const int same =
        ndim == gnd_ndim(x) && !memcmp(l.shape, gnd_shape(x), sizeof(int64_t) * (size_t)ndim);
    gnd_release(y);
    if (same) { /* the shape is unchanged: a box, which composes */
        py_link box;
        return py_whole(a, &box) ? NULL : py_view(a, &box);
    }
    return py_view(a, &l);
}
