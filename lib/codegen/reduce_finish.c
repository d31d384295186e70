/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/reduce_finish.c - what all reductions have in common: the parameters of the first kernel,
 * and the kernel that ends a split reduction. The texts are shapes of kernels/reduce_finish.cl.
 */
#include "codegen/holes.h"

void gnd__cg_reduce_args(gnd__cg *c, int ends)
{
    const gnd__kir *k = c->k;
    gnd__cg_access_args(c, 0);
    if (ends)
        gnd__cg_access_args(c, 1);
    gnd__cg_dim_args(c, 0, k->nkeep + k->nred);
    gnd__cg_const_args(c, ends ? 2 : 0);
    if (!ends)
        gnd__acc_part_args(c, 1);
}

int gnd__cg_any_order(const gnd__kir *k)
{
    for (int j = 0; j < k->nreds; j++)
        if (k->red[j].fn)
            return 0;
    return 1;
}

/* The loads of one work-item of a group; they are as many elements apart as the group has
 * work-items. */
typedef struct finish_writer {
    gnd__cg *c;
    int local, across;
} finish_writer;

static void each_load(const finish_writer *w, const char *shape)
{
    static const char *const name[] = {"Ba", "Bb", "Bc", "Bd", "Be", "Bf", "Bg", "Bh"};
    for (int i = 0; i < 8; i++) {
        const gnd__hole own[] = {{"B", .text = name[i]}, {"ahead", .number = i * w->local}};
        gnd__cg_shape_of(w->c, shape, own, NULL);
    }
}

static void write_loads(void *who, const gnd__holeargs *a)
{
    const finish_writer *w = who;
    (void)a;
    each_load(w, w->across ? "reduce_finish_load_across" : "reduce_finish_load");
}

static void write_adds(void *who, const gnd__holeargs *a)
{
    (void)a;
    each_load(who, "reduce_finish_add");
}

/* Points of which each gets a group although the parts of a point do not lie together. */
#define FEW 4096

/* Partial results of kept point m are at m * S + s, or with `across` at s * M + m. On a GPU a group
 * takes one point when there are many partial results; else one work-item does. On a CPU one takes
 * 64 points, with `across`. */
static gnd_status finish_kernel(gnd__cg *c, int64_t splits, int across)
{
    const gnd__kir *k = c->k;
    int64_t m = gnd__kir_kept(k);
    int group = !c->t->cpu && splits > 32 && (!across || (m <= FEW && gnd__cg_any_order(k)));
    const int lanes = c->t->cpu && across;
    size_t global, local = c->t->cpu ? 1 : group ? gnd__cg_group(c, 256) : 64;
    gnd__cg_begin(c, 1, "k_finish");
    gnd__cg_access_args(c, 1);
    gnd__cg_dim_args(c, 0, k->nkeep);
    gnd__cg_const_args(c, 1);
    gnd__acc_part_args(c, 0);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "S", splits);
    if (group)
        gnd__acc_shared(c, 256);
    finish_writer w = {c, (int)local, across};
    const gnd__hole of_lanes[] = {{"kept", .number = k->nkeep}};
    const gnd__hole own[] = {
        {"kept", .number = k->nkeep},     {"group", .number = group},
        {"across", .number = across},     {"local", .number = w.local},
        {"eight", .number = w.local * 8}, {"loads", .write = write_loads},
        {"adds", .write = write_adds},
    };
    if (lanes)
        gnd__cg_shape_of(c, "reduce_finish_lanes", of_lanes, NULL);
    else
        gnd__cg_shape_of(c, "reduce_finish", own, &w);
    global = group ? (size_t)m * local : lanes ? ((size_t)m + 63) / 64 : (size_t)m;
    return gnd__cg_end(c, 1, &global, &local);
}

gnd_status gnd__cg_end_reduction(gnd__cg *c, size_t groups, size_t local, int64_t splits,
                                 int across)
{
    const size_t global = groups * local;
    gnd_status st;
    c->out->part_count = gnd__kir_kept(c->k) * splits;
    st = gnd__cg_end(c, 1, &global, &local);
    return st != GND_OK || splits == 1 ? st : finish_kernel(c, splits, across);
}
