/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/boxes.c - assemblies that are computed where they are used: the index of each point tells in
 * which box it lies.
 *
 * If all boxes are cut from one array, along the same axes in the same steps (roll), the assembly
 * is that array read at a shifted position, where the shift depends on the box. Otherwise each
 * box's input is a value of its own, which is read under the condition that the point is in the
 * box, and the value of the point's box is selected. Boxes that the kernel's points cannot reach
 * are dropped, and conditions that always hold are omitted.
 */
#include "fuse/lower.h"

#include <string.h>
#include "base/mem.h"

/* Input j of assembly p if it is a view that is computed where it is used, else NULL. */
static const gnd__view *view_of(const gnd__pgraph *g, const gnd__pnode *p, int j)
{
    const gnd__pnode *q = &g->node[g->inputs[p->in + j]];
    return q->role == GND__R_INLINE && q->a->kind == GND__VIEW ? q->a->p.view : NULL;
}

/* The node from which box j of assembly p is cut. */
static int32_t cut_from(const gnd__pgraph *g, const gnd__pnode *p, int j)
{
    const int32_t i = g->inputs[p->in + j];
    return view_of(g, p, j) ? g->inputs[g->node[i].in] : i;
}

static int64_t box_extent(const gnd__pgraph *g, const gnd__pnode *p, int j, int d)
{
    return g->node[g->inputs[p->in + j]].a->dim[d];
}

/* Gets the first term, from number *k on, of box j along its axis `to`. Returns 0 if there is
 * none. */
static int next_term(const gnd__pgraph *g, const gnd__pnode *p, int j, int to, int32_t *k,
                     gnd__term *t)
{
    const gnd__view *v = view_of(g, p, j);
    if (!v) { /* the axis itself */
        *t = (gnd__term){.step = 1, .axis = to, .to = to};
        return (*k)++ == 0;
    }
    while (*k < v->nterm && v->term[*k].to != to)
        ++*k;
    if (*k >= v->nterm)
        return 0;
    *t = v->term[(*k)++];
    return 1;
}

/* A box with more than one element along axis d, whose terms say how all boxes move along it; -1:
 * there is none. */
static int leader(const gnd__pgraph *g, const gnd__pnode *p, int d)
{
    for (int j = 0; j < p->a->nin; j++)
        if (box_extent(g, p, j, d) > 1)
            return j;
    return -1;
}

static int same_terms(const gnd__pgraph *g, const gnd__pnode *p, int i, int j, int to)
{
    int32_t ki = 0, kj = 0;
    for (;;) {
        gnd__term x, y;
        const int has = next_term(g, p, i, to, &ki, &x);
        if (has != next_term(g, p, j, to, &kj, &y))
            return 0;
        if (!has)
            return 1;
        if (x.axis != y.axis || x.step != y.step)
            return 0;
    }
}

int32_t gnd__shifted(const gnd__pgraph *g, int32_t i)
{
    const gnd__pnode *p = &g->node[i];
    const int32_t x = cut_from(g, p, 0);
    if (p->a->nin > GND__BOXES)
        return -1;
    for (int j = 1; j < p->a->nin; j++)
        if (cut_from(g, p, j) != x)
            return -1;
    for (int d = 0; d < p->a->ndim; d++) {
        const int first = leader(g, p, d);
        for (int j = first + 1; j < p->a->nin && first >= 0; j++)
            if (box_extent(g, p, j, d) > 1 && !same_terms(g, p, first, j, d))
                return -1;
    }
    return x;
}

/* --- layouts through frames ------------------------------------------------------------------- */

/* Converts l, the layout of the array from which the boxes of assembly p are cut, to that of box j
 * extended over the whole assembly. */
static void through_shift(gnd__lowering *lo, const gnd__pnode *p, int j, gnd__layout *l)
{
    const gnd_array *a = p->a;
    const gnd__view *v = view_of(lo->g, p, j);
    gnd__layout out;
    out.ndim = a->ndim;
    out.off = l->off;
    for (int d = 0; d < l->ndim && v; d++)
        out.off += l->stride[d] * v->start[d];
    for (int d = 0; d < a->ndim; d++) {
        const int first = leader(lo->g, p, d);
        gnd__term t;
        out.dim[d] = a->dim[d];
        out.stride[d] = 0;
        for (int32_t k = 0; first >= 0 && next_term(lo->g, p, first, d, &k, &t);)
            out.stride[d] += l->stride[t.axis] * t.step;
        out.off -= out.stride[d] * a->p.box[j].start[d];
    }
    *l = out;
}

/* Converts the layout of box j's input to that of the whole assembly. */
static void through_box(const gnd_array *a, int j, gnd__layout *l)
{
    for (int d = 0; d < a->ndim; d++) {
        l->off -= l->stride[d] * a->p.box[j].start[d];
        l->dim[d] = a->dim[d];
    }
}

static void least_and_most(const gnd__layout *l, int64_t *lo, int64_t *hi)
{
    *lo = *hi = l->off;
    for (int d = 0; d < l->ndim; d++)
        *(l->stride[d] < 0 ? lo : hi) += l->stride[d] * (l->dim[d] > 0 ? l->dim[d] - 1 : 0);
}

/* Adds a shift by `by` where condition c holds. */
static void add_shift(gnd__lowering *lo, gnd__where *w, int c, int64_t by)
{
    gnd__instr in = gnd__lower_instr(lo, GND__I_SHIFT, GND_INT64);
    if (by == 0 || c < 0)
        return;
    in.a[0] = (int16_t)c;
    in.a[1] = (int16_t)w->shift;
    in.step = by;
    w->shift = gnd__lower_add(lo, &in);
}

/* Applies a shift frame: the layout is that of the first box, and the conditions of the others
 * shift it. */
static void shift(gnd__lowering *lo, const gnd__frame *fr, gnd__where *w)
{
    const gnd__pnode *p = &lo->g->node[fr->node];
    gnd__layout base = w->l;
    int64_t least = 0, most = 0;
    through_shift(lo, p, fr->from, &base);
    for (int j = 0; j < p->a->nin; j++) {
        gnd__layout l = w->l;
        if (j == fr->from || !(fr->touched >> j & 1))
            continue;
        through_shift(lo, p, j, &l);
        const int64_t by = l.off - base.off;
        least = by < least ? by : least;
        most = by > most ? by : most;
        if (w->conditions)
            add_shift(lo, w, fr->cond[j], by);
    }
    w->least += least;
    w->most += most;
    w->l = base;
}

int gnd__through_frames(gnd__lowering *lo, int32_t f, gnd__where *w)
{
    int ok = 1;
    for (; f >= 0 && !lo->full; f = lo->frame[f].parent) {
        const gnd__frame *fr = &lo->frame[f];
        gnd_array *a = lo->g->node[fr->node].a;
        switch (fr->type) {
        case GND__F_BCAST: gnd__through_broadcast(&w->l, a->ndim, a->dim); break;
        case GND__F_PICK: gnd__through_pick(&w->l, a, fr->from); break;
        case GND__F_SHIFT: shift(lo, fr, w); break;
        case GND__F_BOX:
            through_box(a, fr->from, &w->l);
            if (w->guard < 0 && fr->cond[0] >= 0)
                /* it is valid only where those of frames nearer to the root hold */
                w->guard = fr->cond[0];
            break;
        case GND__F_VIEW:
            if (!gnd__through_view(&w->l, a)) {
                if (gnd__reshaped_in_parts(lo, a, fr->parent, &w->l))
                    return ok;
                if (ok && gnd__divide(lo, a, fr->parent)) {
                    lo->retry = lo->divided = 1;
                    return 0;
                }
                lo->g->node[fr->node].must =
                    1; /* Marks the following nodes too that could not be expressed once this one is
                          stored: a long chain is then grouped again once, not once per node */
                lo->retry = 1; /* chain of many is to be grouped again once, and not for each */
                ok = 0;
                gnd__own_layout(a, &w->l);
            }
        }
    }
    gnd__in_parts(lo, &w->l);
    return ok && !lo->full;
}

/* --- conditions ------------------------------------------------------------------------------- */

/* The position of the index along axis d of assembly a, seen through frame f. Returns 0 if lowering
 * must be tried again. */
static int index_along(gnd__lowering *lo, const gnd_array *a, int d, int32_t f, int conditions,
                       gnd__where *w)
{
    memset(w, 0, sizeof *w);
    w->guard = w->shift = -1;
    w->conditions = conditions;
    w->l.ndim = a->ndim;
    memcpy(w->l.dim, a->dim, (size_t)a->ndim * sizeof *a->dim);
    w->l.stride[d] = 1;
    return gnd__through_frames(lo, f, w);
}

/* Whether a point's index along axis d, in the range lo .. hi, can be in box j (bit 0), and outside
 * it (bit 1). Indices outside the assembly belong to points that do not use the value. */
static int sides(const gnd__lowering *l, const gnd__pnode *p, int j, int d, int64_t lo, int64_t hi)
{
    const int64_t first = p->a->p.box[j].start[d], end = first + box_extent(l->g, p, j, d);
    lo = lo < 0 ? 0 : lo;
    hi = hi < p->a->dim[d] ? hi : p->a->dim[d] - 1;
    return (hi >= first && lo < end) | (lo < first || hi >= end) << 1;
}

int gnd__touched(gnd__lowering *lo, int32_t i, int32_t f, uint32_t *boxes)
{
    const gnd__pnode *p = &lo->g->node[i];
    *boxes = p->a->nin < 32 ? ((uint32_t)1 << p->a->nin) - 1 : UINT32_MAX;
    for (int d = 0; d < p->a->ndim; d++) {
        gnd__where w;
        int64_t least, most;
        if (!index_along(lo, p->a, d, f, 0, &w))
            return 0;
        least_and_most(&w.l, &least, &most);
        for (int j = 0; j < p->a->nin; j++)
            if (!(sides(lo, p, j, d, least + w.least, most + w.most) & 1))
                *boxes &= ~((uint32_t)1 << j);
    }
    if (!*boxes) /* no point uses it */
        *boxes = 1;
    return 1;
}

/* Makes the condition that a point is in box j of frame fr and that `outer` holds: *c, -1 if it
 * always holds. Returns 0 if lowering must be tried again. */
static int condition(gnd__lowering *lo, const gnd__frame *fr, int j, int outer, int *c)
{
    const gnd__pnode *p = &lo->g->node[fr->node];
    *c = outer;
    for (int d = 0; d < p->a->ndim; d++) {
        gnd__instr in = gnd__lower_instr(lo, GND__I_WITHIN, GND_BOOL);
        gnd__where w;
        int64_t least, most;
        if (!index_along(lo, p->a, d, fr->parent, 1, &w))
            return 0;
        least_and_most(&w.l, &least, &most);
        if (!(sides(lo, p, j, d, least + w.least, most + w.most) & 2))
            continue;
        w.l.off -= p->a->p.box[j].start[d];
        in.ref = gnd__lower_access(lo, -1, GND_INT64, &w.l, 0);
        in.a[0] = (int16_t)w.shift;
        in.a[1] = (int16_t)*c;
        in.step = box_extent(lo->g, p, j, d);
        if (in.ref < 0 || (*c = gnd__lower_add(lo, &in)) < 0)
            return 0;
    }
    return 1;
}

/* The innermost condition of the frames from f outwards. */
static int outer_guard(const gnd__lowering *lo, int32_t f)
{
    for (; f >= 0; f = lo->frame[f].parent)
        if (lo->frame[f].type == GND__F_BOX && lo->frame[f].cond[0] >= 0)
            return lo->frame[f].cond[0];
    return -1;
}

int gnd__conditions(gnd__lowering *lo, int32_t f)
{
    int32_t chain[GND__MAX_FRAMES];
    int n = 0;
    for (; f >= 0; f = lo->frame[f].parent)
        if ((lo->frame[f].type == GND__F_SHIFT || lo->frame[f].type == GND__F_BOX) &&
            !lo->frame[f].known)
            chain[n++] = f;
    while (n > 0) { /* from the root, because each needs those before it */
        gnd__frame *fr = &lo->frame[chain[--n]];
        int c;
        if (fr->type == GND__F_BOX) {
            if (!condition(lo, fr, fr->from, outer_guard(lo, fr->parent), &c))
                return 0;
            fr->cond[0] = (int16_t)c;
        } else {
            for (int j = 0; j < lo->g->node[fr->node].a->nin; j++) {
                if (j == fr->from || !(fr->touched >> j & 1))
                    continue;
                if (!condition(lo, fr, j, -1, &c))
                    return 0;
                fr->cond[j] = (int16_t)c;
            }
        }
        fr->known = 1;
    }
    return 1;
}

/* --- the value of an assembly ----------------------------------------------------------------- */

/* The largest box, with which the others are compared. */
int gnd__greatest_box(const gnd__pgraph *g, int32_t i, uint32_t boxes)
{
    const gnd__pnode *p = &g->node[i];
    int best = -1;
    for (int j = 0; j < p->a->nin; j++)
        if (boxes >> j & 1 && (best < 0 || g->node[g->inputs[p->in + j]].a->size >
                                               g->node[g->inputs[p->in + best]].a->size))
            best = j;
    return best;
}

int gnd__chosen(gnd__lowering *lo, uint32_t boxes, const int32_t *frame, const int *value)
{
    int most = 0, v = -1;
    /* the value of the largest number of boxes is the default */
    for (int j = 0; j < GND__BOXES; j++) {
        int n = 0;
        for (int k = 0; k < GND__BOXES && boxes >> j & 1; k++)
            n += boxes >> k & 1 && value[k] == value[j];
        if (n >= most && n > 0) {
            most = n;
            v = value[j];
        }
    }
    for (int j = 0, rest = v; j < GND__BOXES; j++) {
        gnd__instr in;
        if (!(boxes >> j & 1) || value[j] == rest)
            continue;
        if (!gnd__conditions(lo, frame[j]))
            return -1;
        in = gnd__lower_instr(lo, GND__I_CHOOSE, lo->k->instr[value[j]].dtype);
        in.a[0] = lo->frame[frame[j]].cond[0];
        in.a[1] = (int16_t)value[j];
        in.a[2] = (int16_t)v;
        if (in.a[0] < 0)
            return value[j];
        if ((v = gnd__lower_add(lo, &in)) < 0)
            return -1;
    }
    return v;
}

void gnd__not_boxes(gnd__pgraph *g, const gnd__pwork *w)
{
    uint8_t *below = gnd__calloc((size_t)g->nnode + 1, 1);
    if (!below) {
        g->oom = 1;
        return;
    }
    for (int r = 0; r < w->nroot; r++) {
        gnd__pnode *p = &g->node[w->root[r]];
        p->must |= w->box[r] < 0 && p->a->kind == GND__ASSEMBLE;
        for (int k = 0; k < p->a->nin; k++)
            if (w->box[r] < 0 || w->box[r] == k)
                below[g->inputs[p->in + k]] = 1;
    }
    for (int32_t i = g->nnode - 1; i >= 0; i--) {
        gnd__pnode *p = &g->node[i];
        if (!below[i] || p->role != GND__R_INLINE)
            continue;
        p->must |= p->a->kind == GND__ASSEMBLE;
        for (int k = 0; k < p->a->nin; k++)
            below[g->inputs[p->in + k]] = 1;
    }
    gnd__free(below);
}
