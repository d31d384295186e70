/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nodeval.c - see nodeval.h.
 */
#include "nodeval.h"

#include <string.h>

#include <math.h>
#include "tap.h"

static void unravel(const gnd_array *x, int64_t at, int64_t *i)
{
    for (int k = x->ndim - 1; k >= 0; k--) {
        i[k] = at % x->dim[k];
        at /= x->dim[k];
    }
}

static int64_t ravel(const gnd_array *x, const int64_t *i)
{
    int64_t at = 0;
    for (int k = 0; k < x->ndim; k++) {
        if (i[k] < 0 || i[k] >= x->dim[k])
            tap_bail("nodeval: index %lld outside axis %d of extent %lld", (long long)i[k], k,
                     (long long)x->dim[k]);
        at = at * x->dim[k] + i[k];
    }
    return at;
}

static gnd__scalar as(gnd_dtype t, const gnd__scalar *v)
{
    uint64_t room[2];
    gnd__store_scalar(t, room, v);
    return gnd__load_scalar(t, room);
}

/* The input's element that broadcasts to element i of x. */
static gnd__scalar operand(const gnd_array *x, int which, const int64_t *i)
{
    const gnd_array *y = x->in[which];
    int64_t iy[GND_MAX_NDIM];
    for (int k = 0; k < y->ndim; k++)
        iy[k] = y->dim[k] == 1 ? 0 : i[k + x->ndim - y->ndim];
    return nodeval(y, ravel(y, iy));
}

static int compare(gnd__op op, double a, double b)
{
    switch (op) {
    case GND__OP_EQUAL: return a == b;
    case GND__OP_LESS: return a < b;
    case GND__OP_LESS_EQUAL: return a <= b;
    case GND__OP_GREATER: return a > b;
    default: return a >= b;
    }
}

static gnd__scalar operation(const gnd_array *x, const int64_t *i)
{
    gnd__op op = (gnd__op)x->p.op;
    gnd_dtype t = (gnd_dtype)x->in[x->nin - 1]->dtype; /* the compute dtype */
    gnd__scalar a = operand(x, 0, i), b = {.kind = 'b'}, r = {.kind = gnd_dtype_kind(t)};
    if (x->nin > 1)
        b = operand(x, 1, i);
    int whole = r.kind == 'i' || r.kind == 'u' || r.kind == 'b';
    switch (op) {
    case GND__OP_WHERE: return a.i ? b : operand(x, 2, i);
    case GND__OP_LOGICAL_AND: r.i = a.i & b.i; break;
    case GND__OP_LOGICAL_OR: r.i = a.i | b.i; break;
    case GND__OP_FLOOR: r.re = floor(a.re); break;
    case GND__OP_SQRT: r.re = sqrt(a.re); break;
    case GND__OP_BITWISE_RIGHT_SHIFT: r.i = a.i >> b.i; break;
    case GND__OP_FLOOR_DIVIDE: r.i = a.i / b.i - (a.i % b.i != 0 && (a.i < 0) != (b.i < 0)); break;
    case GND__OP_REMAINDER:
        r.i = a.i % b.i + (a.i % b.i && (a.i < 0) != (b.i < 0) ? b.i : 0);
        break;
    case GND__OP_MINIMUM: r.i = a.i < b.i ? a.i : b.i; break; /* of ints */
    case GND__OP_ADD:
        r.u = a.u + b.u;
        r.re = a.re + b.re;
        break;
    case GND__OP_SUBTRACT:
        r.u = a.u - b.u;
        r.re = a.re - b.re;
        break;
    case GND__OP_MULTIPLY:
        r.u = a.u * b.u;
        r.re = a.re * b.re;
        break;
    case GND__OP_DIVIDE: r.re = a.re / b.re; break;
    case GND__OP_EQUAL:
    case GND__OP_LESS:
    case GND__OP_LESS_EQUAL:
    case GND__OP_GREATER:
    case GND__OP_GREATER_EQUAL: {
        int less = r.kind == 'u' ? a.u < b.u : a.i < b.i, more = a.u != b.u && !less;
        r.i = whole ? compare(op, more, less) : compare(op, a.re, b.re);
        r.kind = 'b';
        return r;
    }
    default: tap_bail("nodeval: operation %s", gnd__ops[op].name);
    }
    return as((gnd_dtype)x->dtype, &r);
}

static gnd__scalar piece(const gnd_array *x, const int64_t *i)
{
    for (int n = 0; n < x->nin; n++) {
        const gnd_array *y = x->in[n];
        int64_t iy[GND_MAX_NDIM];
        int inside = 1;
        for (int k = 0; k < x->ndim; k++) {
            iy[k] = i[k] - x->p.box[n].start[k];
            inside &= iy[k] >= 0 && iy[k] < y->dim[k];
        }
        if (inside)
            return nodeval(y, ravel(y, iy));
    }
    tap_bail("nodeval: the boxes of an assemble do not cover it");
}

gnd__scalar nodeval(const gnd_array *x, int64_t at)
{
    int64_t i[GND_MAX_NDIM], iy[GND_MAX_NDIM];
    gnd__scalar v = {.kind = 'i', .i = at};
    if (at < 0 || at >= x->size)
        tap_bail("nodeval: element %lld of %lld", (long long)at, (long long)x->size);
    unravel(x, at, i);
    switch (x->kind) {
    case GND__CONST: return x->p.value;
    case GND__IOTA: return v;
    case GND__EMPTY: return as((gnd_dtype)x->dtype, &v);
    case GND__RESHAPE: return nodeval(x->in[0], at);
    case GND__CAST: v = nodeval(x->in[0], at); return as((gnd_dtype)x->dtype, &v);
    case GND__OP: return operation(x, i);
    case GND__ASSEMBLE: return piece(x, i);
    case GND__VIEW:
        memcpy(iy, x->p.view->start, x->in[0]->ndim * sizeof *iy);
        for (int k = 0; k < x->p.view->nterm; k++)
            iy[x->p.view->term[k].axis] += x->p.view->term[k].step * i[x->p.view->term[k].to];
        return nodeval(x->in[0], ravel(x->in[0], iy));
    default: tap_bail("nodeval: a node of kind %d", x->kind);
    }
}

double nodeval_f64(const gnd_array *x, int64_t at)
{
    gnd__scalar v = nodeval(x, at);
    return v.kind == 'f' || v.kind == 'c' ? v.re : v.kind == 'u' ? (double)v.u : (double)v.i;
}
