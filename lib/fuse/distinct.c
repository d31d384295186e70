/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/distinct.c - what an inline expression costs where it is computed: its operations, each
 * counted once, and the bytes of its leaves. A tree count of operations doubles with every step of
 * a loop that uses its state twice (x = x * x + c), although a kernel computes each value once.
 */
#include "fuse/roles.h"

#include <string.h>

/* The most nodes that wait to be visited: an expression that has more is not counted further. */
enum { WAITING = 512 };

/* Whether input k of node p is seen through equal views as p itself, so that uses of it are one
 * value. */
static int same_points(gnd__pgraph *g, const gnd__pnode *p, int k)
{
    const gnd__pnode *q = gnd__input_of(g, p, k);
    return gnd__is_elementwise(p->a) && !gnd__reads_all(p->a, k) && gnd__same_shape(q->a, p->a);
}

/* Operations of node p alone. */
static uint32_t own_ops(const gnd_array *a)
{
    return a->kind == GND__CALL ? (uint32_t)a->p.call.fn->nops : 1;
}

uint32_t gnd__distinct_ops(gnd__pgraph *g, int32_t i, uint32_t most)
{
    int32_t stack[WAITING];
    int top = 0;
    uint32_t n = 0;
    const uint32_t walk = 2 * ++g->walk;
    stack[top++] = i;
    while (top > 0 && n <= most) {
        const int32_t at = stack[--top];
        gnd__pnode *p = &g->node[at];
        if (p->seen == walk || (at != i && p->role != GND__R_INLINE))
            continue;
        p->seen = walk;
        g->looked++;
        if (at != i && !gnd__is_elementwise(p->a)) {
            n += p->nops; /* seen through views: no other part of the expression shares it */
            continue;
        }
        n += own_ops(p->a);
        for (int k = 0; k < p->a->nin; k++) {
            gnd__pnode *q = gnd__input_of(g, p, k);
            if (q->role != GND__R_INLINE || q->seen == walk)
                continue;
            if (!same_points(g, p, k)) {
                q->seen = walk;
                n += q->nops;
            } else if (top == WAITING) {
                return most + 1;
            } else {
                stack[top++] = (int32_t)(q - g->node);
            }
        }
    }
    return n;
}

int gnd__is_compact(const gnd__pgraph *g, const gnd__pnode *p)
{
    int64_t room = p->a->size;
    if (p->nleaf > GND__LEAVES || gnd_dtype_size((gnd_dtype)p->a->dtype) != 8 ||
        !strchr("iuf", gnd_dtype_kind((gnd_dtype)p->a->dtype)))
        return 0;
    for (int k = 0; k < p->nleaf && room >= 0; k++) {
        const gnd_array *x = g->node[p->leaf[k]].a;
        const int64_t wide = 8 / (int64_t)gnd_dtype_size((gnd_dtype)x->dtype);
        room -= x->kind == GND__IOTA ? 0 : wide ? (x->size + wide - 1) / wide : 2 * x->size;
    }
    return room >= 0;
}
