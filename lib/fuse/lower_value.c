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

/* --- values ----------------------------------------------------------------------------------- */

gnd__instr gnd__lower_instr(const gnd__lowering *lo, gnd__ikind kind, int dtype)
{
    gnd__instr in;
    memset(&in, 0, sizeof in);
    in.kind = (uint8_t)kind;
    in.epilogue = (uint8_t)lo->epilogue;
    in.dtype = (int16_t)dtype;
    for (int j = 0; j < GND__CALL_ARGS; j++)
        in.a[j] = -1;
    return in;
}

/* Compares field by field, because copies of structs do not preserve padding. */
static int same_instr(const gnd__instr *x, const gnd__instr *y)
{
    return x->kind == y->kind && x->epilogue == y->epilogue && x->op == y->op &&
           x->dtype == y->dtype && x->ctype == y->ctype && x->ref == y->ref && x->step == y->step &&
           memcmp(x->a, y->a, sizeof x->a) == 0;
}

/* The value of an instruction: that of an equal earlier one, or a new one. */
int gnd__lower_add(gnd__lowering *lo, const gnd__instr *in)
{
    gnd__kir *k = lo->k;
    for (int i = 0; i < k->ninstr; i++)
        if (same_instr(&k->instr[i], in))
            return i;
    if (k->ninstr == GND__KIR_INSTR) {
        lo->full = 1;
        return -1;
    }
    k->instr[k->ninstr] = *in;
    return k->ninstr++;
}

int gnd__lower_snippet(gnd__lowering *lo, const gnd__snippet *fn)
{
    gnd__kir *k = lo->k;
    const gnd__snippet *other = gnd__kir_before(k);
    for (int i = 0; i < k->nfn; i++)
        if (k->fn[i] == fn)
            return i;
    if (k->nfn == GND__KIR_FNS || (fn->before && other && strcmp(fn->before, other->before))) {
        lo->full = 1;
        return -1;
    }
    k->fn[k->nfn] = fn;
    return k->nfn++;
}

int gnd__lower_access(gnd__lowering *lo, int32_t slot, int dtype, const gnd__layout *l, int aligned)
{
    gnd__kir *k = lo->k;
    gnd__access *a;
    if (k->naccess == GND__KIR_ACCESS) {
        lo->full = 1;
        return -1;
    }
    a = &k->access[k->naccess];
    memset(a, 0, sizeof *a);
    a->slot = slot;
    a->dtype = (int16_t)dtype;
    a->epilogue = (uint8_t)lo->epilogue;
    a->off = l->off;
    a->aligned =
        (uint8_t)(aligned && (uint64_t)l->off * gnd_dtype_size((gnd_dtype)dtype) % 16 == 0);
    if (!k->reduce) {
        memcpy(a->stride, l->stride, (size_t)l->ndim * sizeof *a->stride);
    } else if (!lo->epilogue) {
        for (int d = 0; d < k->nkeep + k->nred; d++)
            a->stride[d] = l->stride[lo->perm[d]];
    } else {
        int d = 0;
        for (int j = 0; j < l->ndim; j++) {
            if (l->dim[j] == 1)
                continue;
            while (d < k->nkeep && k->dim[d] == 1)
                d++;
            if (d == k->nkeep || k->dim[d] != l->dim[j])
                return -2; /* the result has another shape */
            a->stride[d++] = l->stride[j];
        }
    }
    for (int i = 0; i < k->naccess; i++) {
        gnd__access *b = &k->access[i];
        if (b->slot == a->slot && b->dtype == a->dtype && b->epilogue == a->epilogue &&
            b->off == a->off && memcmp(b->stride, a->stride, sizeof a->stride) == 0)
            return i;
    }
    return k->naccess++;
}

void gnd__lower_apart(gnd__lowering *lo)
{
    for (int r = 0; r < lo->w->nred; r++)
        lo->g->node[lo->w->red[r]].no_absorb = 1;
    lo->retry = 1;
}

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

static int in_kernel(const gnd__lowering *lo, int32_t node)
{
    for (int i = 0; i < lo->w->nroot; i++)
        if (lo->w->root[i] == node && lo->w->box[i] < 0)
            return 1;
    return 0;
}

static int red_index(const gnd__lowering *lo, int32_t node)
{
    for (int i = 0; i < lo->w->nred; i++)
        if (lo->w->red[i] == node)
            return i;
    return -1;
}

/* Returns 1 if l, a reduction's result seen from the points of a kernel of rows, refers to the
 * point's own row. */
static int is_own_row(const gnd__lowering *lo, const gnd__layout *l)
{
    const gnd__kir *k = lo->k;
    int64_t stride = 1;
    if (l->off != 0 || l->ndim != k->nkeep + k->nred)
        return 0;
    for (int d = k->nkeep + k->nred - 1; d >= 0; d--) {
        int64_t own = d < k->nkeep ? stride : 0;
        if (k->dim[d] > 1 && l->stride[lo->perm[d]] != own)
            return 0;
        if (d < k->nkeep)
            stride *= k->dim[d];
    }
    return 1;
}

static int leaf_aligned(const gnd_array *a)
{
    return !a->data.st || (uint64_t)a->data.off * gnd_dtype_size((gnd_dtype)a->dtype) % 16 == 0;
}

/* The location of the elements of layout l for the points of the kernel, through frame f. Returns
 * 0: try again, or full. */
static int where(gnd__lowering *lo, int32_t f, const gnd__layout *l, gnd__where *w)
{
    memset(w, 0, sizeof *w);
    w->l = *l;
    w->guard = w->shift = -1;
    w->conditions = 1;
    return gnd__conditions(lo, f) && gnd__through_frames(lo, f, w);
}

/* int64: v (-1: none) plus a shift. */
static int plus_shift(gnd__lowering *lo, int v, int shift)
{
    gnd__instr in = gnd__lower_instr(lo, GND__I_OFFSET, GND_INT64);
    if (shift < 0)
        return v;
    in.a[0] = (int16_t)shift;
    in.a[1] = (int16_t)v;
    in.step = 1;
    return gnd__lower_add(lo, &in);
}

/* The value of a node that needs no further walk: a leaf, a constant, another kernel's root, a
 * reduction of this kernel. */
static int leaf_value(gnd__lowering *lo, int32_t i, int32_t f)
{
    const gnd__pnode *p = &lo->g->node[i];
    const gnd_array *a = p->a;
    gnd__layout l;
    gnd__where w;
    gnd__instr in;
    int acc;
    if (a->kind == GND__CONST && !a->data.st && (p->role != GND__R_ROOT || in_kernel(lo, i))) {
        for (int j = 0; j < lo->k->ninstr; j++)
            if (lo->k->instr[j].kind == GND__I_CONST && lo->k->instr[j].epilogue == lo->epilogue &&
                lo->k->constant[lo->k->instr[j].ref] == i)
                return j;
        if (lo->k->nconst == GND__KIR_CONST) {
            lo->full = 1;
            return -1;
        }
        in = gnd__lower_instr(lo, GND__I_CONST, a->dtype);
        in.ref = (int16_t)lo->k->nconst;
        lo->k->constant[lo->k->nconst] = i;
        lo->k->const_dtype[lo->k->nconst++] = (int16_t)a->dtype;
        return gnd__lower_add(lo, &in);
    }
    gnd__own_layout(a, &l);
    if (!where(lo, f, &l, &w))
        return -1;
    l = w.l;
    if (red_index(lo, i) >= 0 && lo->epilogue) {
        if (!gnd__layout_is_contig(&l) || l.off != 0) {
            lo->g->node[i].no_absorb = 1;
            lo->retry = 1;
            return -1;
        }
        in = gnd__lower_instr(lo, GND__I_RED, a->dtype);
        in.ref = (int16_t)red_index(lo, i);
        return gnd__lower_add(lo, &in);
    }
    if (red_index(lo, i) >= 0 && lo->w->rows) {
        if (red_index(lo, i) >= lo->k->nreds || !is_own_row(lo, &l)) {
            gnd__not_rows(lo->g, lo->w);
            lo->retry = 1;
            return -1;
        }
        in = gnd__lower_instr(lo, GND__I_RED, a->dtype);
        in.ref = red_index(lo, i);
        return gnd__lower_add(lo, &in);
    }
    acc = a->kind == GND__IOTA && !a->data.st && (p->role != GND__R_ROOT || in_kernel(lo, i))
              ? gnd__lower_access(lo, -1, GND_INT64, &l, 0)
              : gnd__lower_access(lo, p->slot, a->dtype, &l, leaf_aligned(a));
    if (acc == -2)
        gnd__lower_apart(lo);
    if (acc < 0)
        return -1;
    in = gnd__lower_instr(lo,
                          lo->k->access[acc].slot < 0    ? GND__I_IOTA
                          : w.guard >= 0 || w.shift >= 0 ? GND__I_PIECE
                                                         : GND__I_LOAD,
                          a->dtype);
    in.ref = acc;
    if (in.kind == GND__I_IOTA)
        return plus_shift(lo, gnd__lower_add(lo, &in), w.shift);
    in.a[0] = (int16_t)w.guard;
    in.a[1] = (int16_t)w.shift;
    return gnd__lower_add(lo, &in);
}

/* A take: an access to in[0] along the axes that the node keeps, plus the offsets from the
 * indices. */
static int gather_value(gnd__lowering *lo, int32_t i, int32_t f, const int *index)
{
    const gnd__pnode *p = &lo->g->node[i];
    const gnd_array *a = p->a;
    const gnd__gather *how = a->p.take;
    int32_t src = lo->g->inputs[p->in], blame;
    gnd__place pl;
    gnd__layout l;
    gnd__where w;
    gnd__instr in;
    int acc, off = -1;
    if (lo->w->rows) { /* this very kernel might store what is indexed */
        gnd__not_rows(lo->g, lo->w);
        lo->retry = 1;
        return -1;
    }
    if (!gnd__place_of(lo->g, src, &pl, &blame)) {
        lo->g->node[blame].must = 1;
        lo->retry = 1;
        return -1;
    }
    l.ndim = a->ndim;
    l.off = pl.l.off;
    for (int d = 0; d < a->ndim; d++) {
        l.dim[d] = a->dim[d];
        l.stride[d] = 0;
    }
    for (int d = 0; d < pl.l.ndim; d++) {
        if (how->from[d] >= 0) {
            l.stride[how->from[d]] += pl.l.stride[d];
            continue;
        }
        in = gnd__lower_instr(lo, GND__I_OFFSET, GND_INT64);
        in.a[0] = (int16_t)index[how->via[d]];
        in.a[1] = (int16_t)off;
        in.step = pl.l.stride[d];
        off = gnd__lower_add(lo, &in);
        if (off < 0)
            return -1;
    }
    if (!where(lo, f, &l, &w))
        return -1;
    acc = gnd__lower_access(lo, pl.slot, a->dtype, &w.l, leaf_aligned(pl.a));
    off = plus_shift(lo, off, w.shift);
    if (acc == -2)
        gnd__lower_apart(lo);
    if (acc < 0 || off < 0)
        return -1;
    in = gnd__lower_instr(lo, GND__I_GATHER, a->dtype);
    in.ref = acc;
    in.a[0] = (int16_t)off;
    in.a[1] = (int16_t)w.guard;
    return gnd__lower_add(lo, &in);
}

/* Input j of call i, of which the function gets a pointer: it is stored, in C order. */
static int pointer_value(gnd__lowering *lo, int32_t i, int j)
{
    const gnd__pnode *p = &lo->g->node[i];
    int32_t blame;
    gnd__place pl;
    gnd__layout l;
    gnd__instr in;
    if (lo->w->rows) { /* it might be stored by this very kernel */
        gnd__not_rows(lo->g, lo->w);
        lo->retry = 1;
        return -1;
    }
    if (!gnd__place_of(lo->g, lo->g->inputs[p->in + j], &pl, &blame)) {
        lo->g->node[blame].must = 1;
        lo->retry = 1;
        return -1;
    }
    memset(&l, 0, sizeof l); /* the same for all points */
    l.off = pl.l.off;
    const int acc = gnd__lower_access(lo, pl.slot, pl.a->dtype, &l, leaf_aligned(pl.a));
    if (acc < 0)
        return -1;
    in = gnd__lower_instr(lo, GND__I_POINTER, pl.a->dtype);
    in.ref = acc;
    return gnd__lower_add(lo, &in);
}

/* Call i of the user's function. */
static int call_value(gnd__lowering *lo, int32_t i, const int *arg)
{
    const gnd_array *a = lo->g->node[i].a;
    gnd__instr in = gnd__lower_instr(lo, GND__I_CALL, a->dtype);
    in.op = (int16_t)a->p.call.out;
    in.ref = gnd__lower_snippet(lo, a->p.call.fn);
    for (int j = 0; j < a->nin && in.ref >= 0; j++) {
        const int v = gnd__reads_all(a, j) ? pointer_value(lo, i, j) : arg[j];
        if (v < 0)
            return -1;
        in.a[j] = (int16_t)v;
    }
    return in.ref < 0 ? -1 : gnd__lower_add(lo, &in);
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

static int combine(gnd__lowering *lo, int32_t i, const int *arg)
{
    const gnd_array *a = lo->g->node[i].a;
    gnd__instr in = gnd__lower_instr(lo,
                                     a->kind == GND__CAST      ? GND__I_CAST
                                     : a->kind == GND__CHECKED ? GND__I_CHECK
                                                               : GND__I_OP,
                                     a->dtype);
    for (int j = 0; j < a->nin; j++)
        in.a[j] = (int16_t)arg[j];
    const int own = a->kind == GND__OP ? gnd__op_main((gnd__op)a->p.op) : a->nin - 1;
    in.ctype = (int16_t)lo->k->instr[arg[own]].dtype;
    if (a->kind == GND__OP)
        in.op = (int16_t)a->p.op;
    if (a->kind == GND__CHECKED) {
        in.ref = i;
        in.step = a->p.check.size;
    }
    return gnd__lower_add(lo, &in);
}

/* Expands a short reduction of n values. */
static int written_out(gnd__lowering *lo, int32_t i, const int *arg, int n)
{
    const gnd_array *a = lo->g->node[i].a;
    int v = arg[0];
    for (int j = 1; j < n && v >= 0; j++) {
        gnd__instr in = gnd__lower_instr(lo, GND__I_OP, a->dtype);
        in.op = (int16_t)gnd__reds[a->p.red.op].op;
        in.ctype = (int16_t)a->dtype;
        in.a[0] = (int16_t)v;
        in.a[1] = (int16_t)arg[j];
        v = gnd__lower_add(lo, &in);
    }
    return v;
}

/* Whether frame f, or one nearer to the root, belongs to a box. */
static int in_box(const gnd__lowering *lo, int32_t f)
{
    for (; f >= 0; f = lo->frame[f].parent)
        if (lo->frame[f].type == GND__F_BOX)
            return 1;
    return 0;
}

/* Values still to be computed, the last one first. */
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

/* The value of assembly i, seen through frame f, if those of its boxes are known; -1: they were
 * added to the waiting list, or it is impossible. */
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
            (p->role == GND__R_ROOT && !((f < 0 || lo->w->rows) && in_kernel(lo, i))) ||
            (red_index(lo, i) >= 0 && (lo->epilogue || lo->w->rows)) ||
            (!gnd__is_view(a) && !gnd__is_elementwise(a) && a->kind != GND__REDUCE &&
             !gnd__has_boxes(a))) {
            v = leaf_value(lo, i, f);
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
            v = written_out(lo, i, arg, n);
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
            /* an index is one only where the box's condition holds; a function of the user's sees
             * nothing else */
            if ((a->kind == GND__CHECKED || a->kind == GND__CALL) && in_box(lo, f)) {
                lo->g->node[i].must = 1;
                lo->retry = 1;
                return -1;
            }
            v = first                  ? gather_value(lo, i, f, arg)
                : a->kind == GND__CALL ? call_value(lo, i, arg)
                                       : combine(lo, i, arg);
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
