/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/points.c - runs the loops of a small elementwise computation, row by row along the last
 * axis, and within a row block by block. A value that is contiguous in the memory of an input or an
 * output stays there; others are in a buffer of a block. With folds a row has one result each, from
 * which the values after it are computed.
 */
#include "host/points_priv.h"

#include <string.h>

int gnd__exact_here(void)
{
    volatile float one = 1.0f, half_ulp = 0x1p-25f, tiny = 0x1p-140f;
    return one + 3 * half_ulp == 1.0f + 0x1p-23f && one + half_ulp == one &&
           -one - half_ulp == -one && tiny * one > 0;
}

/* The elements of value i, of which the index and the condition are equal along the block. */
static void take_block(gnd__runner *r, int i, int64_t left, int64_t n)
{
    const gnd__pvalue *v = &r->p->value[i];
    const int64_t step = r->p->access[v->ref].stride[r->p->naxes - 1];
    int64_t index = left * step;
    r->v[i] = gnd__points_room(r, i);
    if (v->a[1] >= 0 && !*r->v[v->a[1]]) {
        memset(gnd__points_room(r, i), 0, (size_t)n * v->size);
        return;
    }
    if (v->a[0] >= 0) {
        int64_t by;
        memcpy(&by, r->v[v->a[0]], sizeof by);
        index += by;
    }
    if (step == 1)
        r->v[i] = r->at[v->ref] + index * v->size;
    else
        gnd__move(v->size, gnd__points_room(r, i), 1, r->at[v->ref] + index * v->size, step, n);
}

/* A condition or shift of which the arguments are equal in the block: sets value i, if it is equal
 * there as well, and returns whether it is. at: the address of the first point. */
static int whole_block(gnd__runner *r, int i, int64_t at, int64_t step, int64_t n)
{
    const gnd__pvalue *v = &r->p->value[i];
    const int within = v->kind == GND__PV_WITHIN, by = v->a[!within], if_ = v->a[within];
    int64_t x = 0;
    if (by >= 0)
        memcpy(&x, r->v[by], sizeof x);
    const int holds = if_ < 0 || *r->v[if_];
    if (within) {
        const int64_t first = at + x, last = first + (n - 1) * step;
        const int in = first >= 0 && first < v->p, out = first < 0 || first >= v->p;
        const int same =
            (in && last >= 0 && last < v->p) || (out && (first < 0 ? last < 0 : last >= v->p));
        if (holds && !same)
            return 0;
        gnd__points_room(r, i)[0] = holds && in;
    } else {
        x += holds ? v->p : 0;
        memcpy(gnd__points_room(r, i), &x, sizeof x);
    }
    r->v[i] = gnd__points_room(r, i);
    return 1;
}

/* Fills the block of value j, of which the first is there. */
static void fill_block(gnd__runner *r, int j, int64_t n)
{
    if (j < 0 || !r->same[j] || r->p->value[j].alone)
        return;
    gnd__move(r->p->value[j].size, gnd__points_room(r, j), 1, r->v[j], 0, n);
    r->v[j] = gnd__points_room(r, j);
    r->same[j] = 0;
}

/* Value i, whose kind is GND__PV_OFFSET or after, of n points from `left` of the row on. */
static void index_of(gnd__runner *r, int i, int64_t left, int64_t n)
{
    const gnd__points *p = r->p;
    const gnd__pvalue *v = &p->value[i];
    const int has = v->kind == GND__PV_WITHIN || v->kind == GND__PV_TAKE;
    const int64_t step = has && p->naxes ? p->access[v->ref].stride[p->naxes - 1] : 0;
    const int64_t at = has ? r->first[v->ref] + left * step : 0;
    const char *arg[3];
    int same = !v->after && p->naxes > 0;
    for (int j = 0; j < 3; j++)
        same &= v->a[j] < 0 || r->same[v->a[j]];
    if (same && v->kind == GND__PV_TAKE) {
        take_block(r, i, left, n);
        return;
    }
    if (v->kind == GND__PV_CHOOSE && r->same[v->a[0]] && !p->value[v->a[0]].alone) {
        const int one = *r->v[v->a[0]] ? v->a[1] : v->a[2];
        fill_block(r, one, n);
        r->v[i] = r->v[one];
        return;
    }
    if (same && (v->kind == GND__PV_WITHIN || v->kind == GND__PV_SHIFT) &&
        whole_block(r, i, at, step, n)) {
        r->same[i] = 1;
        return;
    }
    for (int j = 0; j < 3; j++) {
        fill_block(r, v->a[j], n);
        arg[j] = v->a[j] < 0 ? NULL : r->v[v->a[j]];
    }
    gnd__points_index(v, gnd__points_room(r, i), arg, at, (const int64_t[2]){0, step},
                      v->kind == GND__PV_TAKE ? r->at[v->ref] + left * step * v->size : NULL,
                      v->kind == GND__PV_CHECK ? r->check[v->ref] : NULL, 1, n);
    r->v[i] = gnd__points_room(r, i);
}

void gnd__points_value(gnd__runner *r, int i, int64_t left, int64_t n)
{
    const gnd__points *p = r->p;
    const gnd__pvalue *v = &p->value[i];
    const int load = v->kind == GND__PV_LOAD || v->kind == GND__PV_IOTA;
    const int64_t step = load && p->naxes ? p->access[v->ref].stride[p->naxes - 1] : 0;
    if ((v->once && r->later) || (v->alone && left > 0))
        return;
    if (v->alone)
        n = 1;
    r->same[i] = v->alone;
    switch ((gnd__pvkind)v->kind) {
    case GND__PV_SAME: r->v[i] = r->v[v->a[0]]; break;
    case GND__PV_CONST: break;
    case GND__PV_FOLD: r->v[i] = r->folded[v->ref]; break;
    case GND__PV_LOAD:
        r->v[i] = step == 1 ? r->at[v->ref] + left * v->size : gnd__points_room(r, i);
        /* of a row of equal elements the first block; columns go on to other rows */
        if (step != 1 && (step != 0 || left == 0 || p->nred))
            gnd__move(v->size, gnd__points_room(r, i), 1, r->at[v->ref] + left * step * v->size,
                      step, n);
        break;
    case GND__PV_IOTA: {
        int64_t *z = (void *)gnd__points_room(r, i);
        const int64_t x = r->first[v->ref] + left * step;
        for (int64_t k = 0; k < n; k++)
            z[k] = x + k * step;
        r->v[i] = gnd__points_room(r, i);
        break;
    }
    case GND__PV_LOOP: {
        for (int j = 0; j < 3; j++)
            fill_block(r, v->a[j], n);
        char *z = v->direct < 0 ? gnd__points_room(r, i)
                                : r->at[p->out[v->direct].access] + left * v->size;
        v->loop(z, r->v[v->a[0]], v->a[1] < 0 ? NULL : r->v[v->a[1]],
                v->a[2] < 0 ? NULL : r->v[v->a[2]], (size_t)n);
        r->v[i] = z;
        break;
    }
    default: index_of(r, i, left, n); break;
    }
}

void gnd__points_store(const gnd__runner *r, int64_t left, int64_t n)
{
    const gnd__points *p = r->p;
    const int last = p->naxes - 1;
    for (int o = 0; o < p->nout; o++) {
        const gnd__paccess *a = &p->access[p->out[o].access];
        const int64_t step = last < 0 ? 0 : a->stride[last];
        if (p->value[p->out[o].value].direct != o)
            gnd__move(a->size, r->at[p->out[o].access] + left * step * a->size, step,
                      r->v[p->out[o].value], 1, n);
    }
}

/* The results of the row at r->at, a block at a time until all are decided. Returns 0 if the
 * beginning of a row does not decide. */
static int peek_row(gnd__runner *r)
{
    const gnd__points *p = r->p;
    const int64_t count = p->dim[p->naxes - 1];
    int open = p->nfold;
    for (int f = 0; f < p->nfold; f++)
        r->result[f][0] = p->fold[f].identity[0];
    for (int64_t left = 0, n; left < count && open; left += n) {
        n = count - left < p->block ? count - left : p->block;
        for (int i = 0; i < p->nvalue; i++)
            if (!p->value[i].after)
                gnd__points_value(r, i, left, n);
        for (int f = 0; f < p->nfold; f++) {
            const gnd__pfold *fold = &p->fold[f];
            if (r->result[f][0] != fold->identity[0])
                continue;
            gnd__fold_row(fold, &r->fold[f], r->v[fold->value], n, p->most, r->result[f]);
            open -= r->result[f][0] != fold->identity[0];
        }
    }
    return !open || p->peek == 2;
}

/* The row at r->at. Returns 0 if its beginning does not decide. */
static int run_row(gnd__runner *r)
{
    const gnd__points *p = r->p;
    const int last = p->naxes - 1;
    const int64_t count = last < 0 ? 1 : p->dim[last];
    const int64_t block = p->whole ? count : p->block;
    const int64_t part = p->nfold && p->chunk ? p->chunk : count;
    if (p->peek && !peek_row(r))
        return 0;
    for (int f = 0; f < p->nfold && !p->peek; f++)
        gnd__fold_begin(&p->fold[f], &r->fold[f]);
    for (int64_t left = 0, n; left < count && !p->peek; left += n) {
        const int64_t end = left / part * part + part, to = end < count ? end : count;
        n = to - left < block ? to - left : block;
        for (int i = 0; i < p->nvalue; i++)
            if (!p->value[i].after)
                gnd__points_value(r, i, left, n);
        for (int f = 0; f < p->nfold; f++)
            gnd__fold_take(&p->fold[f], &r->fold[f], r->v[p->fold[f].value], n, p->most);
        for (int o = 0; o < p->nout && !p->nfold; o++)
            fill_block(r, p->out[o].value, n);
        if (!p->nfold)
            gnd__points_store(r, left, n);
        for (int f = 0; f < p->nfold && p->chunk && left + n == to; f++)
            gnd__fold_part(&p->fold[f], &r->fold[f]);
    }
    if (!p->nfold)
        return 1;
    for (int f = 0; f < p->nfold; f++) {
        if (!p->peek)
            gnd__fold_end(&p->fold[f], &r->fold[f], r->result[f]);
        r->folded[f] = r->result[f];
    }
    for (int i = 0; i < p->nvalue; i++)
        if (p->value[i].after)
            gnd__points_value(r, i, 0, 1);
    gnd__points_store(r, 0, 1);
    return 1;
}

int gnd__points_run(const gnd__points *p, char *const *mem, const char *constant,
                    int32_t *const *check)
{
    gnd__runner r;
    int64_t index[GND__POINTS_AXES] = {0};
    if (p->copies) {
        gnd__points_copy(p, mem, constant);
        return 1;
    }
    r.p = p;
    r.later = 0;
    r.check = check;
    for (int i = 0; i < p->naccess; i++) {
        r.at[i] = mem[i];
        r.first[i] = p->access[i].off;
    }
    const int64_t row = p->naxes < 1 ? 1
                        : p->group   ? p->block
                                     : p->dim[p->naxes - 1],
                  most = row < p->block ? row : p->block;
    for (int i = 0; i < p->nvalue; i++)
        if (p->value[i].kind == GND__PV_CONST) {
            const gnd__pvalue *v = &p->value[i];
            char *z = gnd__points_room(&r, i);
            gnd__fill(v->size, z, constant + v->ref * GND__POINTS_BYTES, most);
            r.v[i] = z;
        }
    for (;;) {
        int d = p->naxes - 2 - (p->nred ? p->nred : p->group > 0);
        if (p->nred)
            gnd__points_columns(&r);
        else if (p->group)
            gnd__points_group(&r);
        else if (!run_row(&r))
            return 0;
        r.later = 1;
        for (; d >= 0; d--) { /* the next row */
            const int64_t by = ++index[d] < p->dim[d] ? 1 : 1 - p->dim[d];
            gnd__points_step(&r, d, by);
            if (by == 1)
                break;
            index[d] = 0;
        }
        if (d < 0)
            return 1;
    }
}
