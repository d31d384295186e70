/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/solve_mem.c - the operands of gnd_solve, their transfer to the host and back, and the call.
 */
#include "host/lapack.h"
#include "host/solve.h"

#include <string.h>
#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"
#include "device/trace.h"

enum { IN = 1, OUT = 2, IO = 3 };

/* The number of elements of an operand for one matrix, and their type. */
typedef struct operand {
    int64_t n;
    char type; /* 'x' the dtype, 'r' its real dtype, 'c' its complex dtype, 'i' int32 */
    int dir;
} operand;

static int64_t min2(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Lists the operands of s in order. Returns their number. */
static int operands(const gnd_solve_desc *s, operand o[GND_SOLVE_MEMS])
{
    int64_t m = s->m, n = s->n, k = s->k, q = min2(m, n);
    int full = (s->flags & 1) != 0;
    int c = 0;
#define ADD(count, type, dir)                                                                      \
    o[c++] = (operand)                                                                             \
    {                                                                                              \
        count, type, dir                                                                           \
    }
    switch ((gnd_solve_op)s->op) {
    case GND_SOLVE_CHOLESKY: ADD(n * n, 'x', IO); break;
    case GND_SOLVE_INV:
        ADD(n * n, 'x', full ? IN : IO);
        if (full) {
            ADD(n * n, 'x', OUT);
            ADD(n, 'i', OUT);
        }
        break;
    case GND_SOLVE_LU:
        ADD(m * n, 'x', IO);
        ADD(q, 'i', OUT);
        break;
    case GND_SOLVE_SOLVE:
    case GND_SOLVE_TRIANGULAR:
        ADD(n * n, 'x', IN);
        ADD(n * k, 'x', IO);
        break;
    case GND_SOLVE_Q:
        ADD(m * (full ? m : n), 'x', IO);
        ADD(n, 'x', IN);
        break;
    case GND_SOLVE_QR:
        if (s->flags & 2) {
            ADD(m * n, 'x', IO);
            ADD(q, 'x', OUT);
            break;
        }
        ADD(m * (full && m > n ? m : n), 'x', IO);
        ADD((full ? m : q) * n, 'x', OUT);
        break;
    case GND_SOLVE_SVD:
        ADD(m * n, 'x', IN);
        ADD(m * (full ? m : n), 'x', OUT);
        ADD(n, 'r', OUT);
        ADD(n * n, 'x', OUT);
        break;
    case GND_SOLVE_SVDVALS:
        ADD(m * n, 'x', IN);
        ADD(n, 'r', OUT);
        break;
    case GND_SOLVE_EIGH:
        ADD(n * n, 'x', IO);
        ADD(n, 'r', OUT);
        break;
    case GND_SOLVE_EIGVALSH:
        ADD(n * n, 'x', IN);
        ADD(n, 'r', OUT);
        break;
    case GND_SOLVE_EIG:
        ADD(n * n, 'x', IN);
        ADD(n, 'c', OUT);
        ADD(n * n, 'c', OUT);
        break;
    case GND_SOLVE_EIGVALS:
        ADD(n * n, 'x', IN);
        ADD(n, 'c', OUT);
        break;
    case GND_SOLVE_LSTSQ:
        ADD(m * n, 'x', IN);
        ADD((m > n ? m : n) * k, 'x', IO);
        ADD(q, 'r', OUT);
        ADD(1, 'i', OUT);
        break;
    }
#undef ADD
    return c;
}

int gnd__solve_operands(const gnd_solve_desc *s)
{
    operand o[GND_SOLVE_MEMS];
    return operands(s, o);
}

size_t gnd__solve_bytes(const gnd_solve_desc *s, int i)
{
    operand o[GND_SOLVE_MEMS];
    gnd_dtype t = (gnd_dtype)s->dtype;
    size_t size = gnd_dtype_size(t);
    if (i >= operands(s, o))
        return 0;
    if (o[i].type == 'r')
        size = gnd_dtype_size(gnd__real_of(t));
    else if (o[i].type == 'c' && gnd_dtype_kind(t) != 'c')
        size *= 2;
    else if (o[i].type == 'i')
        size = 4;
    return size * (size_t)o[i].n * (size_t)s->nbatch;
}

int gnd__solve_direction(const gnd_solve_desc *s, int i)
{
    operand o[GND_SOLVE_MEMS];
    return i < operands(s, o) ? o[i].dir : 0;
}

int gnd__solve_type(const gnd_solve_desc *s, int i)
{
    operand o[GND_SOLVE_MEMS];
    return i < operands(s, o) ? o[i].type : 0;
}

gnd_status gnd__host_take(gnd__gdev *d, gnd__block *b, size_t at, size_t n, int dir, void **p,
                          gnd_err *e)
{
    gnd_status st = GND_OK;
    if (gnd__gate_can_map(d))
        return gnd__gate_map(
            d, b, at, n, (dir & IN ? GND_MAP_READ : 0u) | (dir & OUT ? GND_MAP_WRITE : 0u), p, e);
    *p = gnd__malloc(n);
    if (!*p)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory for a matrix of %zu bytes", n);
    if (dir & IN)
        st = gnd__gate_read(d, *p, b, at, n, e);
    if (st != GND_OK) {
        gnd__free(*p);
        *p = NULL;
    }
    return st;
}

gnd_status gnd__host_give(gnd__gdev *d, gnd__block *b, size_t at, size_t n, int dir, void *p,
                          int good, gnd_err *e)
{
    gnd_status st = GND_OK;
    if (gnd__gate_can_map(d))
        return gnd__gate_unmap(d, b, p, e);
    if (good && dir & OUT)
        st = gnd__gate_write(d, b, at, p, n, e);
    gnd__free(p);
    return st;
}

gnd_status gnd__lapack_on(gnd__gdev *d, const gnd_solve_desc *s, int n, gnd__block *const *block,
                          const size_t *at, gnd_err *e)
{
    void *mem[GND_SOLVE_MEMS] = {NULL};
    gnd_status st = n == gnd__solve_operands(s)
                        ? GND_OK
                        : gnd__err(e, GND_ERR_INTERNAL, "a solver with %d operands", n);
    int have = 0, empty = 0;
    for (int i = 0; i < n; i++)
        empty |= gnd__solve_bytes(s, i) == 0;
    if (st != GND_OK || empty)
        return st;
    while (have < n && st == GND_OK) { /* LAPACK may overwrite operands that are only read */
        st = gnd__host_take(d, block[have], at[have], gnd__solve_bytes(s, have),
                            gnd__solve_direction(s, have) | OUT, &mem[have], e);
        have += st == GND_OK;
    }
    if (st == GND_OK)
        st = gnd__lapack(s, mem, e);
    for (int i = 0; i < have; i++) {
        gnd_err late = {GND_OK, 0, ""};
        if (gnd__host_give(d, block[i], at[i], gnd__solve_bytes(s, i), gnd__solve_direction(s, i),
                           mem[i], st == GND_OK, &late) != GND_OK &&
            st == GND_OK)
            st = gnd__err(e, late.code, "%s", late.msg);
    }
    return st;
}

gnd_status gnd__solve_run(gnd__gdev *d, const gnd__solve_call *c, const char *label, gnd_err *e)
{
    gnd__span span;
    gnd_status r;
    if (c->later) {
        r = gnd__gate_solve_later(d, &c->x, c->x.mem[c->n - 1], c->x.off[c->n - 1], e);
    } else if (!c->panel.kind && !c->on_host) {
        r = gnd__gate_solve(d, &c->x, e);
    } else {
        gnd__span_begin(d, &span, GND__SPAN_HOST);
        r = c->panel.kind ? gnd__panel_on(d, &c->panel, c->n, c->block, c->at, e)
                          : gnd__lapack_on(d, &c->x, c->n, c->block, c->at, e);
        gnd__span_end(d, &span, "library", label, -1);
    }
    if (r != GND_OK)
        gnd__err_prefix(e, "%s", c->func);
    return r;
}
