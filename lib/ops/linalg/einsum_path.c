/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/einsum_path.c - the order in which gnd_einsum contracts its operands, two at a time.
 * The cost is opt_einsum's (D. G. A. Smith, J. Gray, "opt_einsum - A Python package for optimizing
 * contraction order for einsum-like expressions", Journal of Open Source Software 3 (26), 753,
 * 2018; its flop_count): the product of the extents of all labels of both operands, twice that if
 * some are summed. Up to FEW operands dynamic programming over subsets finds the cheapest order;
 * beyond, its greedy rule takes the pair whose result is smallest relative to the two.
 */
#include <math.h>
#include <string.h>
#include "ops/linalg/einsum.h"
#include "base/mem.h"

enum { FEW = 10 };

double gnd__ein_size(const gnd__ein *e, uint64_t set)
{
    double n = 1;
    for (; set; set &= set - 1)
        n *= (double)e->extent[__builtin_ctzll(set)];
    return n;
}

uint64_t gnd__ein_left(const gnd__ein *e, const uint64_t *set, int i, const uint8_t *live)
{
    uint64_t others = e->out_set;
    for (int j = 0; j < 2 * e->n; j++)
        if (live[j] && j != i)
            others |= set[j];
    return set[i] & others;
}

/* Operations of a product of operands with labels a and b, of which `kept` are in the result. */
static double cost_of(const gnd__ein *e, uint64_t a, uint64_t b, uint64_t kept)
{
    return gnd__ein_size(e, a | b) * ((a | b) & ~kept ? 2 : 1);
}

static void note_step(gnd__ein *e, const uint64_t *set, int a, int b, uint64_t kept)
{
    double size = gnd__ein_size(e, kept);
    e->step[e->nstep][0] = (int8_t)a;
    e->step[e->nstep++][1] = (int8_t)b;
    e->flops += cost_of(e, set[a], set[b], kept);
    e->largest = size > e->largest ? size : e->largest;
}

/* --- the cheapest of all ---------------------------------------------------------------------- */

typedef struct way {
    double cost, memory; /* operations; elements of all results on the way */
    uint64_t set;        /* labels of the result */
    uint32_t left;       /* one side of the last product; the other one is the rest */
} way;

/* The operand that subset s of the operands makes, its steps before it. */
static int steps_of(gnd__ein *e, const way *w, uint64_t *set, uint32_t s)
{
    if (!(s & (s - 1)))
        return __builtin_ctz(s);
    int a = steps_of(e, w, set, w[s].left), b = steps_of(e, w, set, s & ~w[s].left);
    note_step(e, set, a < b ? a : b, a < b ? b : a, w[s].set);
    set[e->n + e->nstep - 1] = w[s].set;
    return e->n + e->nstep - 1;
}

static int cheapest(gnd__ein *e, uint64_t *set)
{
    uint32_t all = ((uint32_t)1 << e->n) - 1;
    way *w = gnd__calloc((size_t)all + 1, sizeof *w);
    if (!w)
        return -1;
    for (uint32_t s = 1; s <= all; s++) {
        uint64_t inside = 0, outside = e->out_set;
        for (int i = 0; i < e->n; i++)
            *(s >> i & 1 ? &inside : &outside) |= set[i];
        w[s].set = inside & outside;
        if (!(s & (s - 1)))
            continue;
        w[s].cost = INFINITY;
        uint32_t lowest = s & (~s + 1); /* each split once: the left side has the lowest operand */
        for (uint32_t a = (s - 1) & s; a; a = (a - 1) & s) {
            if (!(a & lowest))
                continue;
            const way *l = &w[a], *r = &w[s & ~a];
            double c = l->cost + r->cost + cost_of(e, l->set, r->set, w[s].set);
            double m = l->memory + r->memory + gnd__ein_size(e, w[s].set);
            if (c < w[s].cost || (c == w[s].cost && m < w[s].memory)) {
                w[s].cost = c;
                w[s].memory = m;
                w[s].left = a;
            }
        }
    }
    steps_of(e, w, set, all);
    gnd__free(w);
    return 0;
}

/* --- greedy ----------------------------------------------------------------------------------- */

/* Chooses the pair with a common label whose result is smallest compared with its operands; if no
 * pair has one, the two smallest operands. */
static void greedy(gnd__ein *e, uint64_t *set, uint8_t *live)
{
    for (int s = 0; s < e->n - 1; s++) {
        int best[2] = {-1, -1}, best_joined = 0;
        double least = INFINITY;
        uint64_t kept = 0;
        for (int a = 0; a < e->n + s; a++)
            for (int b = a + 1; live[a] && b < e->n + s; b++) {
                int joined = (set[a] & set[b]) != 0;
                if (!live[b] || joined < best_joined)
                    continue;
                uint64_t others = e->out_set;
                for (int j = 0; j < e->n + s; j++)
                    if (live[j] && j != a && j != b)
                        others |= set[j];
                uint64_t k = (set[a] | set[b]) & others;
                double c =
                    gnd__ein_size(e, k) - gnd__ein_size(e, set[a]) - gnd__ein_size(e, set[b]);
                if (!joined)
                    c = gnd__ein_size(e, set[a]) * gnd__ein_size(e, set[b]);
                if (joined > best_joined || c < least) {
                    least = c;
                    best[0] = a;
                    best[1] = b;
                    best_joined = joined;
                    kept = k;
                }
            }
        note_step(e, set, best[0], best[1], kept);
        live[best[0]] = live[best[1]] = 0;
        live[e->n + s] = 1;
        set[e->n + s] = kept;
    }
}

int gnd__ein_order(gnd__ein *e)
{
    uint64_t set[2 * GND_EINSUM_OPERANDS] = {0}, all = 0;
    uint8_t live[2 * GND_EINSUM_OPERANDS] = {0};
    for (int i = 0; i < e->n; i++) {
        all |= set[i] = e->set[i];
        live[i] = 1;
    }
    e->naive = gnd__ein_size(e, all) * ((e->n > 1 ? e->n - 1 : 1) + ((all & ~e->out_set) != 0));
    e->largest = gnd__ein_size(e, e->out_set);
    for (int i = 0; i < e->n; i++) { /* labels that no other operand has are summed first */
        uint64_t left = gnd__ein_left(e, e->set, i, live);
        if (left != e->set[i])
            e->flops += gnd__ein_size(e, e->set[i]);
        set[i] = left;
    }
    if (e->n <= FEW)
        return e->n > 1 ? cheapest(e, set) : 0;
    greedy(e, set, live);
    return 0;
}
