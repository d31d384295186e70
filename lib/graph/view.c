/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/view.c - views. They are composed when they are made: a view of a view without elements of
 * its own becomes one view of the underlying array. So a chain of views of any length is one node,
 * or a few if reshapes that no index map can express lie between; and the intermediate views can be
 * freed.
 */
#include "graph/graph.h"

#include <string.h>
#include "graph/scope.h"

/* Maximum number of links in a chain of views and reshapes. Beyond it, only reshapes that strides
 * cannot express add links. */
#define LINKS 8

/* A view under construction: the terms of a gnd__view in order, for inputs of `nin` axes. */
typedef struct linear {
    int nin, nterm;
    int64_t start[GND_MAX_NDIM];
    gnd__term term[GND_MAX_NDIM * GND_MAX_NDIM];
} linear;

/* Sums and products modulo 2^64: intermediate values may overflow int64_t, the result is a valid
 * position. */
static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_term(linear *m, int axis, int to, int64_t step)
{
    m->term[m->nterm].step = step;
    m->term[m->nterm].axis = axis;
    m->term[m->nterm++].to = to;
}

/* Adds the terms of input axis `axis`: step[k] along output axis k. Output axes of one element are
 * skipped. */
static void add_terms(linear *m, int axis, int ndim, const int64_t *dim, const int64_t *step)
{
    for (int k = 0; k < ndim; k++)
        if (step[k] && dim[k] > 1)
            add_term(m, axis, k, step[k]);
}

/* A view without elements reads nothing. */
static int is_empty(int ndim, const int64_t *dim)
{
    for (int k = 0; k < ndim; k++)
        if (dim[k] == 0)
            return 1;
    return 0;
}

static void nothing(linear *m, int nin)
{
    m->nin = nin;
    m->nterm = 0;
    memset(m->start, 0, (size_t)nin * sizeof *m->start);
}

/* The coefficients of input axis `axis` by output axis. *t is the first term that may belong to it,
 * and advances. */
static void steps_of(const gnd__term **t, const gnd__term *end, int axis, int64_t *step)
{
    memset(step, 0, GND_MAX_NDIM * sizeof *step);
    for (; *t < end && (*t)->axis == axis; ++*t)
        step[(*t)->to] = (*t)->step;
}

/* Composes m, of shape dim[ndim], which is a view of the view v, into a view of v's input, which
 * has nin axes. */
static void compose(linear *m, const gnd__view *v, int nin, int ndim, const int64_t *dim)
{
    const gnd__term *first[GND_MAX_NDIM + 1], *t = v->term, *end = v->term + v->nterm;
    linear r;
    int at = 0;
    r.nin = nin;
    r.nterm = 0;
    for (int k = 0; k <= m->nin; k++) { /* the first term of each axis of v */
        while (at < m->nterm && m->term[at].axis < k)
            at++;
        first[k] = m->term + at;
    }
    for (int d = 0; d < nin; d++) {
        int64_t step[GND_MAX_NDIM] = {0};
        r.start[d] = v->start[d];
        for (; t < end && t->axis == d; t++) {
            r.start[d] = plus(r.start[d], times(t->step, m->start[t->to]));
            for (const gnd__term *u = first[t->to]; u < first[t->to + 1]; u++)
                step[u->to] = plus(step[u->to], times(t->step, u->step));
        }
        add_terms(&r, d, ndim, dim, step);
    }
    m->nin = nin;
    m->nterm = r.nterm;
    memcpy(m->start, r.start, (size_t)nin * sizeof *r.start);
    memcpy(m->term, r.term, (size_t)r.nterm * sizeof *r.term);
}

static void identity(linear *m, int ndim, const int64_t *dim)
{
    nothing(m, ndim);
    for (int k = 0; k < ndim && !is_empty(ndim, dim); k++)
        if (dim[k] > 1)
            add_term(m, k, k, 1);
}

static void of_view(linear *m, const gnd__view *v, int nin)
{
    m->nin = nin;
    m->nterm = v->nterm;
    memcpy(m->start, v->start, (size_t)nin * sizeof *v->start);
    memcpy(m->term, v->term, (size_t)v->nterm * sizeof *v->term);
}

/* Changes m's result from shape dim[ndim] to another shape of the same size. Returns 0 if there is
 * no such view. Uses strides, for each axis of the input separately. */
static int reshaped(linear *m, int ndim, const int64_t *dim, int to_ndim, const int64_t *to)
{
    const gnd__term *t = m->term, *end = m->term + m->nterm;
    linear r;
    gnd__layout l;
    gnd__shape s;
    if (is_empty(to_ndim, to)) {
        nothing(m, m->nin);
        return 1;
    }
    s.ndim = to_ndim;
    memcpy(s.dim, to, (size_t)to_ndim * sizeof *to);
    r.nterm = 0;
    for (int d = 0; d < m->nin; d++) {
        l.ndim = ndim;
        l.off = 0;
        memcpy(l.dim, dim, (size_t)ndim * sizeof *dim);
        steps_of(&t, end, d, l.stride);
        if (!gnd__layout_reshape(&l, &s))
            return 0;
        add_terms(&r, d, to_ndim, to, l.stride);
    }
    m->nterm = r.nterm;
    memcpy(m->term, r.term, (size_t)r.nterm * sizeof *r.term);
    return 1;
}

/* The layout of m's result in elements of the input in C order. */
static void layout_of(const linear *m, const int64_t *in_dim, int ndim, const int64_t *dim,
                      gnd__layout *l)
{
    gnd__layout in;
    gnd__shape s;
    s.ndim = m->nin;
    memcpy(s.dim, in_dim, (size_t)m->nin * sizeof *in_dim);
    gnd__layout_contig(&in, &s);
    l->ndim = ndim;
    l->off = 0;
    for (int k = 0; k < ndim; k++) {
        l->dim[k] = dim[k];
        l->stride[k] = 0;
    }
    for (int d = 0; d < m->nin; d++)
        l->off = plus(l->off, times(in.stride[d], m->start[d]));
    for (int i = 0; i < m->nterm; i++)
        l->stride[m->term[i].to] =
            plus(l->stride[m->term[i].to], times(in.stride[m->term[i].axis], m->term[i].step));
}

gnd_array *gnd__below(gnd_array *x)
{
    gnd_array *in = NULL;
    if (x->kind != GND__VIEW && x->kind != GND__RESHAPE)
        return NULL;
    gnd__spin_lock(&x->in_lock);
    if (x->in) {
        in = x->in[0];
        gnd__ref(in);
    }
    gnd__spin_unlock(&x->in_lock);
    return in;
}

/* Moves the walk on to `to`, which it then owns. It owned *held, unless NULL. */
static gnd_array *walk_to(gnd_array *to, gnd_array **held)
{
    gnd__unref(*held);
    return *held = to;
}

static uint32_t links_of(const gnd_array *x)
{
    const int view = x->kind == GND__VIEW || x->kind == GND__RESHAPE;
    return view && __atomic_load_n(&x->pending, __ATOMIC_RELAXED) ? x->links : 0;
}

static int same_shape(const gnd_array *x, int ndim, const int64_t *dim)
{
    return x->ndim == ndim && (ndim == 0 || memcmp(x->dim, dim, (size_t)ndim * sizeof *dim) == 0);
}

static int is_identity(const linear *m, const gnd_array *x, int ndim, const int64_t *dim)
{
    int n = 0;
    if (!same_shape(x, ndim, dim))
        return 0;
    for (int k = 0; k < ndim; k++) {
        if (m->start[k])
            return 0;
        if (dim[k] <= 1 || is_empty(ndim, dim))
            continue;
        if (n == m->nterm || m->term[n].axis != k || m->term[n].to != k || m->term[n].step != 1)
            return 0;
        n++;
    }
    return n == m->nterm;
}

/* Makes a reshape of x without composing. */
static gnd_array *reshape_of(gnd_array *x, int ndim, const int64_t *dim)
{
    if (same_shape(x, ndim, dim) && x->kind == GND__CONST)
        return gnd__const(x->dev, (gnd_dtype)x->dtype, &x->p.value, x->weak);
    gnd_array *y = gnd__node(GND__RESHAPE, x->dev, (gnd_dtype)x->dtype, ndim, dim, 1, &x);
    if (y->kind == GND__RESHAPE) {
        y->links = links_of(x) + 1;
        if (same_shape(x, ndim, dim)) /* nothing to do */
            y->pending = __atomic_load_n(&x->pending, __ATOMIC_RELAXED);
    }
    return y;
}

/* Expresses the reshape x as a view of its input `in`, if it only splits, adds or removes axes.
 * Returns 0 if it does not. */
static int split_of(linear *m, const gnd_array *x, const gnd_array *in)
{
    identity(m, in->ndim, in->dim);
    return reshaped(m, in->ndim, in->dim, x->ndim, x->dim);
}

/* Makes the view m of x without composing. */
static gnd_array *view_of(gnd_array *x, int ndim, const int64_t *dim, const linear *m)
{
    const size_t terms = (size_t)m->nterm * sizeof *m->term,
                 starts = (size_t)m->nin * sizeof *m->start;
    gnd__view *v;
    if (is_identity(m, x, ndim, dim))
        return reshape_of(x, ndim, dim);
    gnd_array *y = gnd__node_with(GND__VIEW, x->dev, (gnd_dtype)x->dtype, ndim, dim, 1, &x,
                                  sizeof *v + starts + terms, &v);
    if (y->kind != GND__VIEW)
        return y;
    v->nterm = m->nterm;
    v->start = (int64_t *)(void *)(v + 1);
    v->term = (gnd__term *)(void *)(v->start + m->nin);
    memcpy(v->start, m->start, starts);
    memcpy(v->term, m->term, terms);
    y->p.view = v;
    y->links = links_of(x) + 1;
    return y;
}

/* Makes the view m of x, or of the array below x. */
static gnd_array *viewed(gnd_array *x, int ndim, const int64_t *dim, linear *m)
{
    gnd_array *held = NULL, *in;
    while ((in = gnd__below(x))) {
        linear split;
        if (x->kind == GND__RESHAPE && same_shape(in, x->ndim, x->dim)) {
            ; /* another handle on the same array */
        } else if (x->kind == GND__VIEW) {
            compose(m, x->p.view, in->ndim, ndim, dim);
        } else if (split_of(&split, x, in)) {
            const gnd__view v = {split.nterm, split.start, split.term};
            compose(m, &v, in->ndim, ndim, dim);
        } else {
            gnd__unref(in);
            break;
        }
        x = walk_to(in, &held);
    }
    if (is_empty(ndim, dim))
        nothing(m, x->ndim);
    gnd_array *y = view_of(x, ndim, dim, m);
    gnd__unref(held);
    return y;
}

gnd_array *gnd__view_of_part(gnd_array *y, gnd_array *part, int64_t first)
{
    linear m;
    of_view(&m, y->p.view, part->ndim);
    if (first)
        m.start[part->ndim - 1] -= first;
    return viewed(part, y->ndim, y->dim, &m);
}

/* Converts a gnd__map: element i of output axis from[d] is at start[d] + step[d] * i of axis d. */
static void of_map(linear *m, const gnd_array *x, int ndim, const int64_t *dim, const gnd__map *map)
{
    m->nin = x->ndim;
    m->nterm = 0;
    for (int d = 0; d < x->ndim; d++) {
        const int to = map->from[d];
        m->start[d] = map->start[d];
        if (to >= 0 && to < ndim && map->step[d] && dim[to] > 1)
            add_term(m, d, to, map->step[d]);
    }
}

gnd_array *gnd__view_node(gnd_array *x, int ndim, const int64_t *dim, const gnd__map *map)
{
    linear m;
    of_map(&m, x, ndim, dim, map);
    return viewed(x, ndim, dim, &m);
}

gnd_array *gnd__window_node(gnd_array *x, int axis, int64_t window)
{
    linear m;
    int64_t dim[GND_MAX_NDIM];
    memcpy(dim, x->dim, x->ndim * sizeof *dim);
    dim[axis] -= window - 1;
    dim[x->ndim] = window;
    m.nin = x->ndim;
    m.nterm = 0;
    for (int d = 0; d < x->ndim; d++) {
        m.start[d] = 0;
        if (dim[d] > 1)
            add_term(&m, d, d, 1);
        if (d == axis && window > 1)
            add_term(&m, d, x->ndim, 1);
    }
    return viewed(x, x->ndim + 1, dim, &m);
}

gnd_array *gnd__strided_node(gnd_array *x, int ndim, const int64_t *dim, const int64_t *stride,
                             int64_t start)
{
    linear m;
    if (x->kind == GND__ERROR)
        return x;
    m.nin = 1;
    m.nterm = 0;
    m.start[0] = start;
    add_terms(&m, 0, ndim, dim, stride);
    return viewed(x, ndim, dim, &m);
}

/* Changes the shape of x, a view of the reshape r of `in`: if strides can express it over r's
 * elements in C order, the result is a view of `in` as one axis. NULL: they cannot. */
static gnd_array *of_flat(const linear *m, const gnd_array *x, const gnd_array *r, gnd_array *in,
                          int ndim, const int64_t *dim)
{
    linear flat;
    gnd__layout l;
    gnd__shape s;
    s.ndim = ndim;
    memcpy(s.dim, dim, (size_t)ndim * sizeof *dim);
    layout_of(m, r->dim, x->ndim, x->dim, &l);
    flat.nin = 1;
    flat.nterm = 0;
    flat.start[0] = l.off;
    if (!gnd__layout_reshape(&l, &s))
        return NULL;
    add_terms(&flat, 0, ndim, dim, l.stride);
    const gnd__inner steps = gnd__enter(NULL);
    gnd_array *f = gnd__reshape_node(in, 1, &in->size);
    return gnd__leave(steps, f->kind == GND__ERROR ? f : viewed(f, ndim, dim, &flat));
}

gnd_array *gnd__reshape_node(gnd_array *x, int ndim, const int64_t *dim)
{
    gnd_array *held = NULL, *in, *y = NULL;
    while (!y && (in = gnd__below(x))) {
        if (x->kind == GND__RESHAPE) {
            x = walk_to(in, &held);
            continue;
        }
        linear m;
        gnd__layout l;
        of_view(&m, x->p.view, in->ndim);
        if (same_shape(x, ndim, dim)) { /* another handle on the view */
            y = viewed(in, ndim, dim, &m);
            gnd__unref(in);
            break;
        }
        layout_of(&m, in->dim, x->ndim, x->dim, &l);
        /* the same elements in the same order */
        if (x->size == in->size && l.off == 0 && gnd__layout_is_contig(&l)) {
            x = walk_to(in, &held);
            continue;
        }
        gnd_array *deeper = NULL;
        if (reshaped(&m, x->ndim, x->dim, ndim, dim))
            y = viewed(in, ndim, dim, &m);
        else if (x->links >= LINKS && in->kind == GND__RESHAPE && (deeper = gnd__below(in)))
            y = of_flat(&m, x, in, deeper, ndim, dim);
        gnd__unref(deeper);
        gnd__unref(in);
        if (!y)
            break;
    }
    if (!y)
        y = reshape_of(x, ndim, dim);
    gnd__unref(held);
    return y;
}

gnd_array *gnd__same(gnd_array *x)
{
    if (x == gnd__nomem())
        return x;
    if (x->kind == GND__ERROR)
        return gnd__error_copy(x->dev, x->p.err);
    return gnd__reshape_node(x, x->ndim, x->dim);
}
