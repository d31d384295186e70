/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/near.c - stencils on GPUs: the accesses of one array through shifted views.
 *
 * Each access has a pointer, an offset and strides of its own, so a compiler computes an address
 * for each load, and loads an element again for each view and each point that reads it. Accesses
 * that are the same but for a shift by a few elements along the axes share these: the index of such
 * an access is that of the first one with numbers added, of which compilers make offsets within
 * load instructions, and equal loads of several points become one.
 *
 * The shifts are literals, so a kernel is compiled for each set of them. Programs change a shift
 * from call to call where there are two views or three, hence LEAST; one that searches with more
 * views than that, within FAR elements, compiles a kernel for each shift once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "codegen/emit.h"

#define LEAST 4 /* accesses that share */
#define FAR 8   /* the largest shift */

/* Whether only loads read access a, and nothing writes it. */
static int is_plain(const gnd__kir *k, int a)
{
    return k->access[a].slot >= 0 && !gnd__cg_is_output(k, a) && !gnd__kir_is_indexed(k, a);
}

/* Whether access b is access a with a shift; by[d] is the shift along axis d. */
static int shift_of(const gnd__cg *c, int a, int b, int8_t *by)
{
    const gnd__kir *k = c->k;
    const gnd__access *x = &k->access[a], *y = &k->access[b];
    int64_t left, reach = 0;
    uint64_t done = 0;
    if (x->slot != y->slot || x->dtype != y->dtype || __builtin_sub_overflow(y->off, x->off, &left))
        return 0;
    for (int d = 0; d < k->nkeep; d++) {
        by[d] = 0;
        if (x->stride[d] != y->stride[d])
            return 0;
    }
    for (int n = 0; n < k->nkeep; n++) { /* the longest stride first */
        int most = -1;
        for (int d = 0; d < k->nkeep; d++)
            if (!(done >> d & 1) && x->stride[d] &&
                (most < 0 || llabs(x->stride[d]) > llabs(x->stride[most])))
                most = d;
        if (most < 0)
            break;
        done |= (uint64_t)1 << most;
        const int64_t s = x->stride[most], half = llabs(s) / 2;
        const int64_t q = (left + (left < 0 ? -half : half)) / s; /* to the nearest */
        if (llabs(q) > FAR)
            return 0;
        by[most] = (int8_t)q;
        left -= q * s;
        reach += llabs(s) * (k->dim[most] + llabs(q)); /* cannot overflow unless c->wide */
        if (!c->wide && reach > INT32_MAX)
            return 0;
    }
    return left == 0;
}

void gnd__cg_find_near(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    memset(&c->near, 0, sizeof c->near);
    if (c->t->cpu || k->reduce)
        return;
    for (int a = 0; a < k->naccess; a++) {
        int8_t by[GND_MAX_NDIM];
        int n = 1;
        if (c->near.of[a] || !is_plain(k, a))
            continue;
        for (int b = a + 1; b < k->naccess; b++)
            n += !c->near.of[b] && is_plain(k, b) && shift_of(c, a, b, by);
        for (int b = a + 1; b < k->naccess && n >= LEAST; b++)
            if (!c->near.of[b] && is_plain(k, b) && shift_of(c, a, b, by)) {
                c->near.of[b] = (uint8_t)(a + 1);
                memcpy(c->near.by[b], by, (size_t)k->nkeep);
            }
    }
}
