/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/lower_node.c - the instructions of single nodes: loads, gathers, operations, calls. The
 * values of their inputs are known (lower_value.c walks the expression). An instruction that equals
 * an earlier one of the kernel is that one.
 */
#include "fuse/lower.h"

#include <string.h>

/* --- instructions and accesses ---------------------------------------------------------------- */

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

/* --- nodes ------------------------------------------------------------------------------------ */

int gnd__lower_in_kernel(const gnd__lowering *lo, int32_t node)
{
    for (int i = 0; i < lo->w->nroot; i++)
        if (lo->w->root[i] == node && lo->w->box[i] < 0)
            return 1;
    return 0;
}

int gnd__lower_red_index(const gnd__lowering *lo, int32_t node)
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

/* int64: v plus a shift; either may be absent, -1. */
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

int gnd__lower_leaf(gnd__lowering *lo, int32_t i, int32_t f)
{
    const gnd__pnode *p = &lo->g->node[i];
    const gnd_array *a = p->a;
    gnd__layout l;
    gnd__where w;
    gnd__instr in;
    int acc;
    if (a->kind == GND__CONST && !a->data.st &&
        (p->role != GND__R_ROOT || gnd__lower_in_kernel(lo, i))) {
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
    if (gnd__lower_red_index(lo, i) >= 0 && lo->epilogue) {
        if (!gnd__layout_is_contig(&l) || l.off != 0) {
            lo->g->node[i].no_absorb = 1;
            lo->retry = 1;
            return -1;
        }
        in = gnd__lower_instr(lo, GND__I_RED, a->dtype);
        in.ref = (int16_t)gnd__lower_red_index(lo, i);
        return gnd__lower_add(lo, &in);
    }
    if (gnd__lower_red_index(lo, i) >= 0 && lo->w->rows) {
        if (gnd__lower_red_index(lo, i) >= lo->k->nreds || !is_own_row(lo, &l)) {
            gnd__not_rows(lo->g, lo->w);
            lo->retry = 1;
            return -1;
        }
        in = gnd__lower_instr(lo, GND__I_RED, a->dtype);
        in.ref = gnd__lower_red_index(lo, i);
        return gnd__lower_add(lo, &in);
    }
    acc = a->kind == GND__IOTA && !a->data.st &&
                  (p->role != GND__R_ROOT || gnd__lower_in_kernel(lo, i))
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

int gnd__lower_gather(gnd__lowering *lo, int32_t i, int32_t f, const int *index)
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
    if (lo->w->rows) { /* the indexed array might be stored by this kernel */
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

/* Input j of call i, which the function gets as a pointer: it is stored, in C order. */
static int pointer_value(gnd__lowering *lo, int32_t i, int j)
{
    const gnd__pnode *p = &lo->g->node[i];
    int32_t blame;
    gnd__place pl;
    gnd__layout l;
    gnd__instr in;
    if (lo->w->rows) { /* it might be stored by this kernel */
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

int gnd__lower_call(gnd__lowering *lo, int32_t i, const int *arg)
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

int gnd__lower_combine(gnd__lowering *lo, int32_t i, const int *arg)
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

int gnd__lower_expanded(gnd__lowering *lo, int32_t i, const int *arg, int n)
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
