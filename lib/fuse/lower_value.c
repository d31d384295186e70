/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/lower_value.c - lowers expressions to instructions of the kernel IR.
 *
 * The expression below each root is walked from the root to the leaves without recursion. The views
 * on the path are kept as a chain of frames; at a leaf the chain is applied to the leaf's layout,
 * which gives the strides of its access in the kernel's space. A node reached twice through the
 * same chain is one value. If strides cannot express a reshape, its node is marked `must` (a root
 * of its own) and the caller groups again.
 */
#include "fuse/lower.h"

#include <string.h>

#define MAX_STACK 768

static int32_t find_frame(gnd__lowering *lo, gnd__ftype type, int32_t node, int32_t from,
                          int32_t parent)
{
    gnd__frame *f;
    for (int i = 0; i < lo->nframe; i++) {
        f = &lo->frame[i];
        if (f->type == type && f->node == node && f->from == from && f->parent == parent)
            return i;
    }
    if (lo->nframe == GND__MAX_FRAMES) {
        lo->full = 1;
        return -1;
    }
    f = &lo->frame[lo->nframe];
    f->type = type;
    f->node = node;
    f->from = from;
    f->parent = parent;
    f->touched = 0;
    f->known = 0;
    memset(f->cond, -1, sizeof f->cond);
    return lo->nframe++;
}

static gnd__memo *find_memo(gnd__lowering *lo, int32_t node, int32_t f)
{
    uint32_t h = ((uint32_t)node * 2654435761u) ^ ((uint32_t)(f + 1) * 40503u);
    for (uint32_t i = h;; i++) {
        gnd__memo *m = &lo->memo[i & (GND__MAX_MEMO - 1)];
        if (m->value < 0 || (m->node == node && m->frame == f))
            return m;
    }
}

static int value_of(gnd__lowering *lo, int32_t node, int32_t f)
{
    return find_memo(lo, node, f)->value;
}

static void remember(gnd__lowering *lo, int32_t node, int32_t f, int value)
{
    gnd__memo *m = find_memo(lo, node, f);
    if (value < 0 || m->value >= 0)
        return;
    if (lo->nmemo > GND__MAX_MEMO / 2) {
        lo->full = 1;
        return;
    }
    lo->nmemo++;
    m->node = node;
    m->frame = f;
    m->value = value;
}

/* The frame of input j of elementwise node i, which itself is seen through f. */
static int32_t input_frame(gnd__lowering *lo, int32_t i, int j, int32_t f)
{
    const gnd__pnode *p = &lo->g->node[i];
    const gnd_array *a = p->a, *x = lo->g->node[lo->g->inputs[p->in + j]].a;
    if (x->ndim == a->ndim && memcmp(x->dim, a->dim, (size_t)a->ndim * sizeof *a->dim) == 0)
        return f;
    if (x->kind == GND__CONST)
        return -1; /* the same everywhere */
    return find_frame(lo, GND__F_BCAST, i, lo->g->inputs[p->in + j], f);
}

/* Whether frame f, or one nearer to the root, belongs to a box. */
static int in_box(const gnd__lowering *lo, int32_t f)
{
    for (; f >= 0; f = lo->frame[f].parent)
        if (lo->frame[f].type == GND__F_BOX)
            return 1;
    return 0;
}

/* Stack of values still to be computed. */
typedef struct waiting {
    struct {
        int32_t node, frame;
    } s[MAX_STACK];
    int n;
} waiting;

/* The value of node i in frame f; -1 if it must be computed first, and was added to the waiting
 * list, or if lo is full. */
static int needed(gnd__lowering *lo, waiting *w, int32_t i, int32_t f)
{
    const int v = lo->full ? -1 : value_of(lo, i, f);
    if (v >= 0 || lo->full)
        return v;
    if (w->n == MAX_STACK) {
        lo->full = 1;
    } else {
        w->s[w->n].node = i;
        w->s[w->n++].frame = f;
    }
    return -1;
}

/* An assembly that cannot be computed where it is used: its node must be stored. */
static int store_assembly(gnd__lowering *lo, int32_t i)
{
    lo->g->node[i].must = 1;
    lo->retry = 1;
    return -1;
}

/* The value of assembly i, seen through frame f, if the values of its boxes are known. -1: these
 * were added to the waiting list, or it is impossible. */
static int assembly_value(gnd__lowering *lo, waiting *w, int32_t i, int32_t f)
{
    const gnd__pnode *p = &lo->g->node[i];
    const int32_t x = gnd__shifted(lo->g, i);
    int32_t frame[GND__BOXES] = {0};
    int value[GND__BOXES] = {0}, ready = 1;
    uint32_t boxes;
    if (lo->w->nred > 0 || lo->w->type != GND__P_KERNEL)
        return store_assembly(lo, i);
    if (!gnd__touched(lo, i, f, &boxes))
        return -1;
    if (x >= 0) {
        frame[0] = find_frame(lo, GND__F_SHIFT, i, gnd__greatest_box(lo->g, i, boxes), f);
        if (lo->full)
            return -1;
        lo->frame[frame[0]].touched = boxes;
        return needed(lo, w, x, frame[0]);
    }
    for (int j = 0; j < p->a->nin && !lo->full; j++) {
        if (!(boxes >> j & 1))
            continue;
        frame[j] = find_frame(lo, GND__F_BOX, i, j, f);
        value[j] = lo->full ? -1 : needed(lo, w, lo->g->inputs[p->in + j], frame[j]);
        ready &= value[j] >= 0;
    }
    return ready && !lo->full ? gnd__chosen(lo, boxes, frame, value) : -1;
}

static int walk(gnd__lowering *lo, waiting *w)
{
    const int32_t root = w->s[0].node;
    while (w->n > 0) {
        int32_t i = w->s[w->n - 1].node, f = w->s[w->n - 1].frame;
        const gnd__pnode *p = &lo->g->node[i];
        const gnd_array *a = p->a;
        int v = -1, arg[GND_MAX_NDIM + 1] = {0}, ready = 1, first = 0;
        if (value_of(lo, i, f) >= 0) {
            w->n--;
            continue;
        }
        if (gnd__is_leaf(a) ||
            (p->role == GND__R_ROOT && !((f < 0 || lo->w->rows) && gnd__lower_in_kernel(lo, i))) ||
            (gnd__lower_red_index(lo, i) >= 0 && (lo->epilogue || lo->w->rows)) ||
            (!gnd__is_view(a) && !gnd__is_elementwise(a) && a->kind != GND__REDUCE &&
             !gnd__has_boxes(a))) {
            v = gnd__lower_leaf(lo, i, f);
        } else if (gnd__has_boxes(a)) {
            v = assembly_value(lo, w, i, f);
            if (lo->full || lo->retry)
                return -1;
            if (v < 0)
                continue;
        } else if (a->kind == GND__REDUCE) {
            const int n = (int)(a->in[0]->size / a->size);
            for (int j = n - 1; j >= 0; j--) {
                int32_t in = lo->g->inputs[p->in], ff = find_frame(lo, GND__F_PICK, i, j, f);
                arg[j] = needed(lo, w, in, ff);
                if (lo->full)
                    return -1;
                ready &= arg[j] >= 0;
            }
            if (!ready)
                continue;
            v = gnd__lower_expanded(lo, i, arg, n);
        } else if (gnd__is_view(a)) {
            int32_t in = lo->g->inputs[p->in];
            /* a stored reshape iterates over its input's space, in the same order */
            int32_t ff = a->kind == GND__RESHAPE && f < 0 && p->role == GND__R_ROOT
                             ? -1
                             : find_frame(lo, GND__F_VIEW, i, 0, f);
            v = needed(lo, w, in, ff);
            if (lo->full)
                return -1;
            if (v < 0)
                continue;
        } else {
            first = a->kind == GND__TAKE ? 1 : 0;
            for (int j = a->nin - 1; j >= first; j--) {
                if (gnd__reads_all(a, j))
                    continue;
                int32_t in = lo->g->inputs[p->in + j], ff = input_frame(lo, i, j, f);
                arg[j] = needed(lo, w, in, ff);
                if (lo->full)
                    return -1;
                ready &= arg[j] >= 0;
            }
            if (!ready)
                continue;
            /* the index is valid only where the box's condition holds; a user's function must not
             * get any other index */
            if ((a->kind == GND__CHECKED || a->kind == GND__CALL) && in_box(lo, f)) {
                lo->g->node[i].must = 1;
                lo->retry = 1;
                return -1;
            }
            v = first                  ? gnd__lower_gather(lo, i, f, arg)
                : a->kind == GND__CALL ? gnd__lower_call(lo, i, arg)
                                       : gnd__lower_combine(lo, i, arg);
        }
        if (v < 0)
            return -1;
        remember(lo, i, f, v);
        if (lo->full)
            return -1;
        w->n--;
    }
    return value_of(lo, root, -1);
}

int gnd__lower_value(gnd__lowering *lo, int32_t root)
{
    waiting w;
    w.n = 1;
    w.s[0].node = root;
    w.s[0].frame = -1;
    const int v = walk(lo, &w);
    for (int k = w.n - 1; k >= 0 && lo->full && lo->deepest < 0; k--)
        if (lo->g->node[w.s[k].node].role == GND__R_INLINE)
            lo->deepest = w.s[k].node;
    return v;
}

void gnd__lower_forget(gnd__lowering *lo)
{
    for (int i = 0; i < GND__MAX_MEMO; i++)
        lo->memo[i].value = -1;
    lo->nmemo = lo->nframe = 0;
}
