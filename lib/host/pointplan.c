/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/pointplan.c - how points are computed (points.c): which values stay in memory or are equal
 * in rows, the points of a block, and how long it takes.
 */
#include "host/points_priv.h"

/* Bytes of all blocks together; the longest rows of which several are taken where values are equal
 * along a row; the fewest rows that are taken as one row of more columns. */
enum { NEAR = 24 << 10, SHORT = 32, WIDEN = 4 };

/* Times in eighths of a nanosecond, about: of a point that is moved, or comes from afar; with an
 * index; of a call; of a point of a column that is compared for its place, alone and with other
 * rows; of the fold of a row, by runs, by lanes, and for a place. */
enum {
    MOVED = 4,
    FAR = 8,
    INDEX = 8,
    CALL = 64,
    PLACED = 8,
    ABREAST = 3,
    RUNS = 80,
    LANES = 480,
    PLACES = 240
};

/* Whether value v is the same in every row. */
static int same_in_rows(const gnd__points *p, const gnd__pvalue *v)
{
    const int last = p->naxes - 1;
    if (last < 1 || p->dim[last] > p->block || v->after || v->direct >= 0)
        return 0;
    if (v->kind == GND__PV_LOAD || v->kind == GND__PV_IOTA || v->kind == GND__PV_TAKE ||
        v->kind == GND__PV_WITHIN)
        for (int d = 0; d < last; d++)
            if (p->access[v->ref].stride[d] != 0)
                return 0;
    for (int j = 0; j < 3; j++)
        if (v->a[j] >= 0 && !p->value[v->a[j]].once)
            return 0;
    return v->kind != GND__PV_FOLD;
}

/* Marks the values that are computed for one point of a row: those that are equal along it, and
 * are used by such values alone, or for an index of elements. */
static void mark_alone(gnd__points *p)
{
    const int last = p->naxes - 1;
    for (int i = 0; i < p->nvalue; i++) {
        gnd__pvalue *v = &p->value[i];
        const int is_load = v->kind == GND__PV_LOAD || v->kind == GND__PV_IOTA;
        v->alone = last >= 0 && !v->after && !v->once && v->direct < 0 &&
                   (is_load ? p->access[v->ref].stride[last] == 0
                            : v->kind != GND__PV_CONST && v->kind != GND__PV_FOLD &&
                                  v->kind != GND__PV_TAKE && v->kind != GND__PV_WITHIN);
        for (int j = 0; j < 3 && v->alone; j++)
            v->alone =
                v->a[j] < 0 || p->value[v->a[j]].alone || p->value[v->a[j]].kind == GND__PV_CONST;
    }
    for (int o = 0; o < p->nout; o++)
        p->value[p->out[o].value].alone = 0;
    for (int f = 0; f < p->nfold; f++)
        p->value[p->fold[f].value].alone = 0;
    for (int i = p->nvalue - 1; i >= 0; i--) {
        const gnd__pvalue *v = &p->value[i];
        int keep = v->alone || v->kind == GND__PV_TAKE;
        for (int j = 0; j < 3 && !v->alone; j++)
            keep &= v->a[j] < 0 || p->value[v->a[j]].alone;
        for (int j = 0; j < 3 && !keep; j++)
            if (v->a[j] >= 0)
                p->value[v->a[j]].alone = 0;
    }
}

/* Sets the block of points, so that the buffers stay in the nearest cache. Of what lies in one of
 * several boxes, more small blocks lie in a single one. */
static void set_block(gnd__points *p)
{
    int bytes = 0, at = 0, boxes = 0, most = 1;
    for (int i = 0; i < p->nvalue; i++) {
        bytes += p->value[i].size;
        most = p->value[i].size > most ? p->value[i].size : most;
        boxes |= p->value[i].kind == GND__PV_WITHIN;
    }
    p->block = bytes > 0 ? NEAR / bytes & ~63 : GND__POINTS_LARGE;
    p->block = p->block > GND__POINTS_LARGE ? GND__POINTS_LARGE : p->block;
    p->block = p->block < GND__POINTS_BLOCK || boxes ? GND__POINTS_BLOCK : p->block;
    if (p->nred && !boxes) /* what a fold holds of each column is in such a room too */
        p->block = GND__POINTS_BLOCK * GND__POINTS_BYTES / most;
    for (int i = 0; i < p->nvalue; i++, at += p->block * p->value[i - 1].size)
        p->value[i].room = at;
}

/* Whether a value is for one point of a row alone. */
static int has_alone(const gnd__points *p)
{
    int yes = 0;
    for (int i = 0; i < p->nvalue; i++)
        yes |= p->value[i].alone;
    return yes;
}

/* Takes several rows of few columns at once, if places are looked for in what lies in the order of
 * memory: as one row of more columns. */
static void group_columns(gnd__points *p)
{
    const int last = p->naxes - 1;
    const int64_t n = p->dim[last], rows = p->dim[last - 1];
    int ok = p->nred == 1 && p->fold[0].place && n * WIDEN <= p->block && rows >= 2 * WIDEN;
    for (int i = 0; i < p->nvalue && ok; i++) {
        const gnd__pvalue *v = &p->value[i];
        const int64_t *stride = p->access[v->kind == GND__PV_LOAD ? v->ref : 0].stride + last - 1;
        ok = v->after || v->kind == GND__PV_CONST || v->kind == GND__PV_LOOP ||
             v->kind == GND__PV_SAME ||
             (v->kind == GND__PV_LOAD &&
              ((stride[0] == n && stride[1] == 1) || (stride[0] == 0 && stride[1] == 0)));
    }
    if (ok)
        p->group = p->block / (int)n;
}

/* Takes several rows at once, if they are short. */
static void set_group(gnd__points *p)
{
    const int last = p->naxes - 1;
    if (p->nred)
        group_columns(p);
    if (last < 1 || p->nred || 2 * p->dim[last] > p->block || p->dim[last - 1] < 2 ||
        (has_alone(p) && p->dim[last] > SHORT))
        return;
    p->group = p->block / (int)p->dim[last];
    p->group = p->group > GND__POINTS_BLOCK ? GND__POINTS_BLOCK : p->group;
    for (int i = 0; i < p->nvalue; i++) {
        gnd__pvalue *v = &p->value[i];
        const gnd__paccess *to = v->direct < 0 ? NULL : &p->access[p->out[v->direct].access];
        if (to && to->stride[last - 1] != p->dim[last])
            v->direct = -1;
        v->alone = 0;
    }
}

void gnd__points_ready(gnd__points *p)
{
    const int last = p->naxes - 1;
    p->whole = 1;
    p->copies = gnd__points_copies(p);
    set_block(p);
    for (int i = 0; i < p->nvalue; i++) {
        gnd__pvalue *v = &p->value[i];
        v->direct = -1;
        for (int o = 0; o < p->nout && v->kind == GND__PV_LOOP && v->direct < 0; o++)
            if (p->out[o].value == i && last >= 0 && p->access[p->out[o].access].stride[last] == 1)
                v->direct = (int16_t)o;
        v->once = (uint8_t)same_in_rows(p, v);
        p->whole &= v->after || v->kind == GND__PV_SAME || v->direct >= 0 ||
                    (v->kind == GND__PV_LOAD && last >= 0 && p->access[v->ref].stride[last] == 1);
    }
    if (!p->nred)
        mark_alone(p);
    set_group(p);
}

/* A load, for each point. */
static int64_t of_load(const gnd__points *p, const gnd__pvalue *v)
{
    const int last = p->naxes - 1;
    const int64_t *stride = p->access[v->ref].stride;
    if (last < 0 || (stride[last] == 1 && (!p->group || stride[last - 1] == p->dim[last])))
        return 0;
    return stride[last] == 0 || p->group ? MOVED : FAR;
}

/* The same of elements by index; a row by one index stays where it is, but for its store. */
static int64_t of_take(const gnd__points *p, const gnd__pvalue *v)
{
    const int last = p->naxes - 1;
    int alone = last >= 0 && !p->group && p->access[v->ref].stride[last] == 1;
    for (int j = 0; j < 2 && alone; j++)
        alone = v->a[j] < 0 || p->value[v->a[j]].alone;
    return alone ? (v->size + 7) / 8 : INDEX;
}

/* Of value v for each point. */
static int64_t of_point(const gnd__points *p, const gnd__pvalue *v)
{
    if (v->after || v->once || v->alone)
        return 0;
    switch ((gnd__pvkind)v->kind) {
    case GND__PV_LOAD: return of_load(p, v);
    case GND__PV_IOTA: return MOVED;
    case GND__PV_LOOP: return (v->size + 3) / 4 + v->size * (v->cost - (v->cost > 0)) / 8;
    case GND__PV_CONST:
    case GND__PV_SAME:
    case GND__PV_FOLD: return 0;
    case GND__PV_TAKE: return of_take(p, v);
    default: return INDEX;
    }
}

int64_t gnd__points_cost(const gnd__points *p)
{
    const int last = p->naxes - 1;
    const int64_t n = last < 0 ? 1 : p->dim[last], block = p->whole ? n : p->block;
    int64_t rows = 1, groups = 1, point = 0, calls = 0, results = 1, fold = 0;
    if (p->copies)
        return gnd__points_copy_cost(p);
    for (int d = 0; d < last; d++) {
        rows *= p->dim[d];
        groups *= d < last - 1 || !p->group ? p->dim[d] : (p->dim[d] + p->group - 1) / p->group;
        results *= d < last - p->nred ? p->dim[d] : 1;
    }
    for (int i = 0; i < p->nvalue; i++) {
        const int kind = p->value[i].kind;
        point += of_point(p, &p->value[i]);
        calls += kind != GND__PV_CONST && kind != GND__PV_SAME && kind != GND__PV_FOLD &&
                 !p->value[i].once;
    }
    for (int f = 0; f < p->nfold; f++) {
        point += !p->fold[f].place || !p->nred ? (p->fold[f].size + 3) / 4
                 : p->group                    ? ABREAST
                                               : PLACED;
        const int one = p->group && n == 1 && !p->fold[f].place;
        fold += p->nred ? results * CALL
                : one   ? rows + groups * CALL
                        : rows * (p->fold[f].place                              ? PLACES
                                  : n < GND__FOLD_LANES || p->fold[f].unordered ? RUNS
                                                                                : LANES);
    }
    calls += p->nred ? p->nfold : 0;
    return rows * n * point + fold +
           (p->group ? groups : rows * ((n + block - 1) / block)) * calls * CALL;
}
