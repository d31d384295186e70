/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/pointbox.c - divides the space of points with conditions on indices into boxes, in each of
 * which every condition either holds or does not. What is left of them in a box has no conditions,
 * and reads only what it uses.
 */
#include "host/points.h"

#include <string.h>

enum { PENDING = 2 * GND__POINTS_BOXES + 2 };

/* A box under way: its first point and extents. */
typedef struct range {
    int64_t lo[GND__POINTS_AXES], dim[GND__POINTS_AXES];
} range;

/* What a value is in a box: one of the others (itself, if nothing else), or a number. */
typedef struct seen {
    uint8_t known; /* 1: a condition or a shift, `x`; 2: nothing that anybody reads */
    int16_t is;
    int64_t x;
} seen;

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* The address of access a at the first point of r. */
static int64_t address(const gnd__points *p, int a, const range *r)
{
    int64_t at = p->access[a].off;
    for (int d = 0; d < p->naxes; d++)
        at += p->access[a].stride[d] * r->lo[d];
    return at;
}

/* The place on the axis of step s where base + s * i enters or leaves 0 .. p - 1 first: 0 if it
 * does neither within n points. */
static int64_t turn_of(int64_t base, int64_t s, int64_t p, int64_t n)
{
    const int64_t a = s > 0 ? floor_div(s - 1 - base, s) : floor_div(base, -s) + 1;
    const int64_t b = s > 0 ? floor_div(s - 1 + p - base, s) : floor_div(base - p, -s) + 1;
    const int64_t first = a > 0 && (a < b || b <= 0) ? a : b;
    return first > 0 && first < n ? first : 0;
}

/* Condition v, of which the arguments are known. Returns 1 if it is the same in all of r, and -1 if
 * it is not, at *at of *axis; 0: it depends on more than one axis. */
static int condition(const gnd__points *p, const gnd__pvalue *v, const range *r, seen s[], seen *to,
                     int *axis, int64_t *at)
{
    const int64_t base = address(p, v->ref, r) + (v->a[0] < 0 ? 0 : s[v->a[0]].x);
    int along = -1;
    to->known = 1;
    to->x = base >= 0 && base < v->p;
    if (v->a[1] >= 0 && !s[v->a[1]].x) {
        to->x = 0;
        return 1;
    }
    for (int d = 0; d < p->naxes; d++)
        if (p->access[v->ref].stride[d] != 0 && r->dim[d] > 1) {
            if (along >= 0)
                return 0;
            along = d;
        }
    *axis = along;
    *at = along < 0 ? 0 : turn_of(base, p->access[v->ref].stride[along], v->p, r->dim[along]);
    return *at ? -1 : 1;
}

/* Whether the arguments of v that are conditions or shifts are known. */
static int arguments(const gnd__pvalue *v, const seen s[])
{
    const int kind = v->kind, first = kind == GND__PV_CHOOSE || kind == GND__PV_TAKE;
    for (int j = 0; j < 3; j++) {
        const int known = v->a[j] >= 0 && s[v->a[j]].known == 1;
        if (v->a[j] >= 0 && !known && (kind == GND__PV_WITHIN || kind == GND__PV_SHIFT))
            return 0;
        if (known && !first && kind != GND__PV_WITHIN && kind != GND__PV_SHIFT)
            return 0;
    }
    return 1;
}

/* What the values are in r. Returns as `condition`. */
static int look(const gnd__points *p, const range *r, seen s[], int *axis, int64_t *at)
{
    for (int i = 0; i < p->nvalue; i++) {
        const gnd__pvalue *v = &p->value[i];
        int ok = arguments(v, s);
        s[i] = (seen){.is = (int16_t)i};
        if (v->kind == GND__PV_WITHIN && ok) {
            ok = condition(p, v, r, s, &s[i], axis, at);
        } else if (v->kind == GND__PV_SHIFT) {
            s[i].known = 1;
            s[i].x = (s[v->a[0]].x ? v->p : 0) + (v->a[1] < 0 ? 0 : s[v->a[1]].x);
        } else if (v->kind == GND__PV_TAKE && v->a[1] >= 0) {
            const seen *c = &s[v->a[1]];
            ok &= c->known == 1;
            s[i].known = c->known == 1 && !c->x ? 2 : 0;
        } else if (v->kind == GND__PV_CHOOSE && s[v->a[0]].known == 1) {
            s[i] = s[v->a[s[v->a[0]].x ? 1 : 2]];
        }
        if (ok != 1)
            return ok;
    }
    return 1;
}

/* Adds access a of p, `by` elements further on, to b; returns its number, or -1. */
static int add_access(gnd__pbox *b, const gnd__points *p, int a, const range *r, int64_t by)
{
    const int64_t at = address(p, a, r) - p->access[a].off + by;
    int n = 0;
    while (n < b->p.naccess && (b->access[n].from != a || b->access[n].by != at))
        n++;
    if (n == GND__POINTS_ACCESS)
        return -1;
    if (n == b->p.naccess) {
        b->p.access[n] = p->access[a];
        b->p.access[n].off += at;
        b->access[n].from = (int16_t)a;
        b->access[n].by = at;
        b->p.naccess++;
    }
    return n;
}

/* Adds value i of p to b, of which the arguments are there as `to` says. Returns 0 if b is full. */
static int add_value(gnd__pbox *b, const gnd__points *p, const range *r, const seen s[], int i,
                     int16_t to[])
{
    gnd__pvalue v = p->value[i];
    const int takes = v.kind == GND__PV_TAKE, shifted = takes && v.a[0] >= 0 && s[v.a[0]].known;
    int n = 0;
    if (takes || v.kind == GND__PV_LOAD || v.kind == GND__PV_IOTA)
        n = add_access(b, p, v.ref, r, shifted ? s[v.a[0]].x : 0);
    if (takes && (v.a[0] < 0 || shifted)) {
        v.kind = GND__PV_LOAD;
        v.a[0] = -1;
    }
    if (takes || v.kind == GND__PV_LOAD || v.kind == GND__PV_IOTA)
        v.ref = (int16_t)n;
    if (takes)
        v.a[1] = -1;
    for (int j = 0; j < 3; j++)
        if (v.a[j] >= 0)
            v.a[j] = to[s[v.a[j]].is];
    to[i] = (int16_t)b->p.nvalue;
    b->p.value[b->p.nvalue++] = v;
    return n >= 0;
}

/* Sets b to what p computes in r. Returns 0 if it cannot. */
static int make(gnd__pbox *b, const gnd__points *p, const range *r, const seen s[])
{
    uint8_t need[GND__POINTS_VALUES] = {0};
    int16_t to[GND__POINTS_VALUES];
    memset(b, 0, sizeof *b);
    b->p.naxes = p->naxes;
    b->p.nout = p->nout;
    memcpy(b->p.dim, r->dim, sizeof b->p.dim);
    for (int o = 0; o < p->nout; o++) {
        if (s[p->out[o].value].known)
            return 0;
        need[s[p->out[o].value].is] = 1;
    }
    for (int i = p->nvalue - 1; i >= 0; i--)
        for (int j = 0; j < 3 && need[i]; j++) {
            const int a = p->value[i].a[j], takes = p->value[i].kind == GND__PV_TAKE;
            if (a < 0 || (takes && s[a].known == 1))
                continue;
            if (s[a].known)
                return 0;
            need[s[a].is] = 1;
        }
    for (int i = 0; i < p->nvalue; i++)
        if (need[i] && !add_value(b, p, r, s, i, to))
            return 0;
    for (int o = 0; o < p->nout; o++) {
        const int a = add_access(b, p, p->out[o].access, r, 0);
        if (a < 0)
            return 0;
        b->p.out[o].value = to[s[p->out[o].value].is];
        b->p.out[o].access = (int16_t)a;
    }
    return 1;
}

int gnd__points_cut(const gnd__points *p, gnd__pbox *box)
{
    range todo[PENDING];
    seen s[GND__POINTS_VALUES];
    int n = 1, boxes = 0;
    if (p->ncheck || p->nfold || p->naxes < 1)
        return 0;
    memset(todo, 0, sizeof *todo);
    memcpy(todo->dim, p->dim, sizeof todo->dim);
    while (n > 0) {
        range r = todo[--n];
        int axis = 0;
        int64_t at = 0;
        const int what = look(p, &r, s, &axis, &at);
        if (what == 0 || (what < 0 && n + 2 > PENDING))
            return 0;
        if (what < 0) {
            todo[n] = r;
            todo[n].lo[axis] += at;
            todo[n++].dim[axis] -= at;
            todo[n] = r;
            todo[n++].dim[axis] = at;
            continue;
        }
        if (boxes == GND__POINTS_BOXES || !make(&box[boxes], p, &r, s))
            return 0;
        gnd__points_ready(&box[boxes++].p);
    }
    return boxes;
}

void gnd__boxes_run(const gnd__pbox *box, int n, char *const *mem, const char *constant)
{
    for (int i = 0; i < n; i++) {
        const gnd__pbox *b = &box[i];
        char *at[GND__POINTS_ACCESS];
        for (int a = 0; a < b->p.naccess; a++)
            at[a] = mem[b->access[a].from]
                        ? mem[b->access[a].from] + b->access[a].by * b->p.access[a].size
                        : NULL;
        (void)gnd__points_run(&b->p, at, constant, NULL);
    }
}
