/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/lower.c - lowers one work of the grouped graph to kernel IR: its space, its instructions
 * (fuse/lower_value.c), its outputs. Nodes that do not fit are marked, and the caller groups again.
 */
#include "fuse/lower.h"

#include <string.h>
#include "base/mem.h"

/* The layout to which output r of the work is stored, in the axes of the work's space. */
static void out_layout(gnd__lowering *lo, int r, gnd__layout *l)
{
    const gnd__pnode *p = &lo->g->node[lo->w->root[r]];
    int box = lo->w->box[r];
    if (p->a->kind == GND__RESHAPE && box < 0) {
        gnd__own_layout(lo->g->node[lo->g->inputs[p->in]].a, l);
        gnd__shape s;
        s.ndim = l->ndim;
        memcpy(s.dim, l->dim, sizeof s.dim);
        gnd__layout_contig(l, &s);
        return;
    }
    gnd__own_layout(p->a, l);
    if (box >= 0) {
        const gnd_array *x = lo->g->node[lo->g->inputs[p->in + box]].a;
        for (int d = 0; d < l->ndim; d++) {
            l->off += l->stride[d] * p->a->p.box[box].start[d];
            l->dim[d] = x->dim[d];
        }
    }
}

static int add_output(gnd__lowering *lo, int r, int value)
{
    gnd__kir *k = lo->k;
    const gnd__pnode *p = &lo->g->node[lo->w->root[r]];
    gnd__layout l;
    int acc;
    out_layout(lo, r, &l);
    gnd__in_parts(lo, &l);
    acc = gnd__lower_access(lo, p->slot, p->a->dtype, &l, 1);
    if (acc == -2)
        gnd__lower_apart(lo);
    if (acc < 0)
        return 0;
    k->out[k->nout].access = (int16_t)acc;
    k->out[k->nout++].value = (int16_t)value;
    return 1;
}

static int32_t root_expr(const gnd__lowering *lo, int r)
{
    const gnd__pnode *p = &lo->g->node[lo->w->root[r]];
    return lo->w->box[r] >= 0 ? lo->g->inputs[p->in + lo->w->box[r]] : lo->w->root[r];
}

static void set_space(gnd__lowering *lo)
{
    gnd__kir *k = lo->k;
    const gnd_array *a;
    if (lo->w->nred > 0) {
        const gnd_array *r = lo->g->node[lo->w->reduce].a;
        int n = 0;
        a = lo->g->node[lo->g->inputs[lo->g->node[lo->w->reduce].in]].a;
        for (int pass = 0; pass < 2; pass++)
            for (int d = 0; d < a->ndim; d++)
                if ((int)(r->p.red.mask >> d & 1) == pass) {
                    k->dim[n] = a->dim[d];
                    lo->perm[n++] = d;
                    *(pass ? &k->nred : &k->nkeep) += 1;
                }
        k->reduce = 1;
        return;
    }
    a = lo->g->node[root_expr(lo, 0)].a;
    if (a->kind == GND__RESHAPE && lo->w->box[0] < 0)
        a = lo->g->node[lo->g->inputs[lo->g->node[lo->w->root[0]].in]].a;
    lo->space.ndim = a->ndim;
    memcpy(lo->space.dim, a->dim, (size_t)a->ndim * sizeof *a->dim);
    k->nkeep = lo->parts.n ? lo->parts.n : a->ndim;
    memcpy(k->dim, lo->parts.n ? lo->parts.dim : a->dim, (size_t)k->nkeep * sizeof *k->dim);
}

/* The work is too big for one kernel: stores the heaviest inline node that it has computed; if only
 * views were too many, the node that the walk had reached. If every node is stored already, there
 * were too many roots or reductions. One root without inline nodes always fits. */
static gnd_status split(gnd__lowering *lo)
{
    const gnd__pwork *w = lo->w;
    gnd__pnode *best = NULL;
    for (int i = 0; i < GND__MAX_MEMO; i++) {
        const gnd__memo *m = &lo->memo[i];
        gnd__pnode *p = m->value >= 0 ? &lo->g->node[m->node] : NULL;
        if (p && p->role == GND__R_INLINE && !gnd__is_view(p->a) &&
            (!best || p->nops + p->nleaf > best->nops + best->nleaf))
            best = p;
    }
    /* an assembly is preferred: each of its boxes contains everything below */
    for (int f = lo->nframe - 1; f >= 0; f--)
        if ((lo->frame[f].type == GND__F_SHIFT || lo->frame[f].type == GND__F_BOX) &&
            lo->g->node[lo->frame[f].node].role == GND__R_INLINE)
            best = &lo->g->node[lo->frame[f].node];
    if (!best && lo->deepest >= 0)
        best = &lo->g->node[lo->deepest];
    lo->retry = 1;
    if (best) {
        best->must = 1;
    } else if (w->box[0] < 0 && lo->g->node[w->root[0]].a->kind == GND__ASSEMBLE) {
        lo->g->node[w->root[0]].must = 1;
    } else if (w->nroot > 1) {
        for (int r = 0; r < w->nroot; r++)
            lo->g->node[w->root[r]].no_merge = 1;
    } else if (w->nred > 0 && w->red[0] != w->root[0]) {
        gnd__lower_apart(lo);
    } else {
        return gnd__err(lo->e, GND_ERR_INTERNAL, "an expression does not fit into a kernel");
    }
    return GND_OK;
}

static const char *red_name(const gnd__kred *r)
{
    return r->fn ? r->fn->name : gnd__reds[r->op].name;
}

static void label(gnd__kir *k)
{
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < k->ninstr; i++) {
            const gnd__instr *in = &k->instr[i];
            const char *s = in->kind == GND__I_OP       ? gnd__ops[in->op].name
                            : in->kind == GND__I_CAST   ? gnd_dtype_name((gnd_dtype)in->dtype)
                            : in->kind == GND__I_GATHER ? "take"
                            : in->kind == GND__I_CALL   ? k->fn[in->ref]->name
                            : in->kind == GND__I_CHOOSE ? "choose"
                                                        : NULL;
            if (s && in->epilogue == pass && n + strlen(s) + 6 < sizeof k->label) {
                n += strlen(strcpy(k->label + n, n ? " " : ""));
                n += strlen(strcpy(k->label + n, s));
            }
        }
        for (int i = 0; i < k->nreds && pass == 0; i++)
            if (n + strlen(red_name(&k->red[i])) + 6 < sizeof k->label) {
                n += strlen(strcpy(k->label + n, n ? " " : ""));
                n += strlen(strcpy(k->label + n, red_name(&k->red[i])));
            }
    }
    if (n == 0)
        strcpy(k->label, "copy");
}

/* Kernels of rows: whether root r has a value for each point instead of each row. */
static int of_points(const gnd__lowering *lo, int r)
{
    const gnd_array *a = lo->g->node[lo->w->root[r]].a, *x = lo->g->node[lo->w->reduce].a->in[0];
    return a->ndim == x->ndim && memcmp(a->dim, x->dim, (size_t)a->ndim * sizeof *a->dim) == 0 &&
           a->kind != GND__REDUCE;
}

/* The instructions and outputs of the work. */
static void lower(gnd__lowering *lo)
{
    gnd__pgraph *g = lo->g;
    const gnd__pwork *w = lo->w;
    gnd__kir *k = lo->k;
    memset(k, 0, sizeof *k);
    lo->epilogue = lo->full = lo->retry = lo->divided = 0;
    lo->deepest = -1;
    gnd__lower_forget(lo);
    k->rows = w->rows;
    set_space(lo);
    for (int r = 0; r < w->nred && !lo->full && !lo->retry; r++) {
        const gnd__pnode *p = &g->node[w->red[r]];
        int v = gnd__lower_value(lo, g->inputs[p->in]);
        gnd__kred *red = &k->red[k->nreds++];
        red->op = (int16_t)p->a->p.red.op;
        red->in = (int16_t)g->node[g->inputs[p->in]].a->dtype;
        red->out = (int16_t)p->a->dtype;
        red->value = (int16_t)v;
        red->fn = p->a->p.red.fn;
        if (red->fn)
            (void)gnd__lower_snippet(lo, red->fn);
    }
    for (int r = 0; r < w->nroot && w->rows && !lo->full && !lo->retry; r++)
        if (of_points(lo, r)) {
            int v = gnd__lower_value(lo, w->root[r]);
            if (v >= 0)
                add_output(lo, r, v);
        }
    if (w->nred > 0 && !lo->full) {
        lo->epilogue = 1;
        gnd__lower_forget(lo);
    }
    for (int r = 0; r < w->nroot && !lo->full && !lo->retry; r++) {
        if (w->rows && of_points(lo, r))
            continue;
        int v = gnd__lower_value(lo, root_expr(lo, r));
        if (v >= 0 && w->type == GND__P_PRIM && k->nfn > 0 && gnd__kir_before(k)) {
            lo->full = 1; /* other inputs of the primitive may have a preceding text too */
        } else if (v >= 0 && w->type == GND__P_PRIM) {
            k->out[k->nout].access = -1;
            k->out[k->nout++].value = (int16_t)v;
        } else if (v >= 0) {
            add_output(lo, r, v);
        }
    }
}

gnd_status gnd__lower(gnd__pgraph *g, const gnd__pwork *w, gnd__kir *k, int *retry, gnd_err *e)
{
    gnd_status st = GND_OK;
    gnd__lowering *lo = gnd__malloc(sizeof *lo);
    if (!lo)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory while planning");
    lo->g = g;
    lo->w = w;
    lo->k = k;
    lo->e = e;
    lo->parts.n = lo->space.ndim = 0;
    do {
        lower(lo);
    } while (lo->divided); /* each attempt divides into more parts */
    if (lo->full && !lo->retry && w->rows) {
        gnd__not_rows(g, w);
        lo->retry = 1;
    } else if (lo->full && !lo->retry) {
        st = split(lo);
    }
    if (lo->retry && w->rows) /* for any reason: it may succeed without rows */
        gnd__not_rows(g, w);
    *retry = lo->retry;
    if (st == GND_OK && !*retry) {
        label(k);
        gnd__kir_moves(k);
        st = gnd__kir_verify(k, e);
    }
    gnd__free(lo);
    return st;
}

gnd_status gnd__lower_input(gnd__pgraph *g, const gnd__pwork *w, int in, gnd__kir *k, int *retry,
                            gnd_err *e)
{
    gnd__pwork one;
    memset(&one, 0, sizeof one);
    one.type = GND__P_PRIM;
    one.root[0] = w->root[0];
    one.box[0] = in;
    one.nroot = 1;
    one.reduce = one.merged = -1;
    return gnd__lower(g, &one, k, retry, e);
}
