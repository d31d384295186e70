/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/pointgroup.c - several short rows of points at once (points.c): each value of a group of
 * rows is one block, so that a call is of many points. Of folds, each row has its own.
 */
#include "host/points_priv.h"

/* Value i, an index or what one selects (GND__PV_OFFSET and after), of g rows of n points. */
static void index_of(gnd__runner *r, int i, int64_t g, int64_t n)
{
    static const int64_t none[2] = {0, 0};
    const gnd__points *p = r->p;
    const gnd__pvalue *v = &p->value[i];
    const int last = p->naxes - 1, has = v->kind == GND__PV_WITHIN || v->kind == GND__PV_TAKE;
    const char *arg[3];
    for (int j = 0; j < 3; j++)
        arg[j] = v->a[j] < 0 ? NULL : r->v[v->a[j]];
    gnd__points_index(v, gnd__points_room(r, i), arg, has ? r->first[v->ref] : 0,
                      has ? p->access[v->ref].stride + last - 1 : none,
                      v->kind == GND__PV_TAKE ? r->at[v->ref] : NULL,
                      v->kind == GND__PV_CHECK ? r->check[v->ref] : NULL, g, n);
}

static void load(gnd__runner *r, int i, int64_t g, int64_t n)
{
    const gnd__pvalue *v = &r->p->value[i];
    const int64_t *from = r->p->access[v->ref].stride + r->p->naxes - 2, to[2] = {n, 1};
    if (from[0] == n && (n == 1 || from[1] == 1)) {
        r->v[i] = r->at[v->ref];
        return;
    }
    gnd__move2(v->size, gnd__points_room(r, i), to, r->at[v->ref], from, g, n);
    r->v[i] = gnd__points_room(r, i);
}

static void count(gnd__runner *r, int i, int64_t g, int64_t n)
{
    const gnd__pvalue *v = &r->p->value[i];
    const int64_t *step = r->p->access[v->ref].stride + r->p->naxes - 2;
    int64_t *z = (void *)gnd__points_room(r, i);
    for (int64_t x = 0; x < g; x++) {
        int64_t at = r->first[v->ref] + x * step[0];
        for (int64_t k = 0; k < n; k++, at += step[1])
            z[x * n + k] = at;
    }
}

/* Value i of g rows of n points. */
static void value(gnd__runner *r, int i, int64_t g, int64_t n)
{
    const gnd__points *p = r->p;
    const gnd__pvalue *v = &p->value[i];
    char *z = gnd__points_room(r, i);
    switch ((gnd__pvkind)v->kind) {
    case GND__PV_SAME: r->v[i] = r->v[v->a[0]]; return;
    case GND__PV_CONST: return;
    case GND__PV_FOLD: r->v[i] = r->result[v->ref]; return;
    case GND__PV_LOAD: load(r, i, g, n); return;
    case GND__PV_IOTA: count(r, i, g, n); break;
    case GND__PV_LOOP:
        z = v->direct < 0 ? z : r->at[p->out[v->direct].access];
        v->loop(z, r->v[v->a[0]], v->a[1] < 0 ? NULL : r->v[v->a[1]],
                v->a[2] < 0 ? NULL : r->v[v->a[2]], (size_t)(g * n));
        break;
    default: index_of(r, i, g, n); break;
    }
    r->v[i] = z;
}

/* Computes g rows at r->at. later: values that are equal in all rows are there. */
static void run(gnd__runner *r, int64_t g, int later)
{
    const gnd__points *p = r->p;
    const int last = p->naxes - 1;
    const int64_t n = p->dim[last], left = p->nfold ? 1 : n, from[2] = {left, 1};
    for (int i = 0; i < p->nvalue; i++)
        if (!p->value[i].after && !(later && p->value[i].once))
            value(r, i, g, n);
    for (int f = 0; f < p->nfold; f++) {
        const gnd__pfold *fold = &p->fold[f];
        const int to = fold->place ? GND__POINTS_BYTES : fold->size;
        if (n == 1 && !fold->place) { /* a reduction over no axis */
            char none[GND__POINTS_BLOCK * GND__POINTS_BYTES];
            gnd__fill(to, none, fold->identity, g);
            fold->op(r->result[f], none, r->v[fold->value], NULL, (size_t)g);
            continue;
        }
        for (int64_t x = 0; x < g; x++)
            gnd__fold_row(fold, &r->fold[f], r->v[fold->value] + x * n * fold->size, n, p->most,
                          r->result[f] + x * to);
    }
    for (int i = 0; i < p->nvalue; i++)
        if (p->value[i].after)
            value(r, i, g, 1);
    for (int o = 0; o < p->nout; o++) {
        const gnd__paccess *a = &p->access[p->out[o].access];
        if (p->value[p->out[o].value].direct != o)
            gnd__move2(a->size, r->at[p->out[o].access], a->stride + last - 1,
                       r->v[p->out[o].value], from, g, left);
    }
}

void gnd__points_group(gnd__runner *r)
{
    const gnd__points *p = r->p;
    const int d = p->naxes - 2;
    const int64_t rows = p->dim[d];
    for (int64_t x = 0; x < rows; x += p->group) {
        const int64_t g = rows - x < p->group ? rows - x : p->group;
        run(r, g, r->later || x > 0);
        gnd__points_step(r, d, g);
    }
    gnd__points_step(r, d, -rows);
}
