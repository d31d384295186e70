/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/acc_tree.c - combines the accumulators of the work-items of a row: a binary tree, always
 * in the same order. Work-items of one warp pass them on by shuffles (CUDA), without barriers;
 * others through local memory, where a work-item does three levels in registers, which needs a
 * third of the barriers. The texts are shapes of kernels/reduce_finish.cl.
 */
#include "codegen/holes.h"

/* The number of accumulators that a work-item combines at once (with 16, registers do not suffice),
 * and the work-items of a warp. */
enum { AT_ONCE = 8, WARP = 32 };

typedef struct tree_writer {
    gnd__cg *c;
    const char *name, *lane;
    int lanes, all;
    int warp; /* the last levels are within a warp, by shuffles */
    int n;    /* accumulators that a work-item combines in this step */
} tree_writer;

/* Whether the work-items of a warp run together: shuffles need all of them. */
static int has_warps(const gnd__cg *c)
{
    return !c->t->cpu && c->t->props->dialect == GND_DIALECT_CUDA && gnd__cg_group(c, WARP) == WARP;
}

int gnd__acc_in_warp(const gnd__cg *c, int lanes)
{
    return lanes <= WARP && has_warps(c);
}

static void write_halves(void *who, const gnd__holeargs *a)
{
    const tree_writer *w = who;
    (void)a;
    for (int h = w->n / 2; h > 0; h /= 2) {
        const gnd__hole own[] = {{"half", .number = h}};
        gnd__cg_shape_of(w->c, "acc_tree_half", own, NULL);
    }
}

/* The accumulators of `lanes` work-items of a warp, by shuffles. */
static void write_warp(gnd__cg *c, const char *name, const char *other, int lanes)
{
    for (int h = lanes / 2; h > 0; h /= 2) {
        const gnd__hole own[] = {
            {"name", .text = name}, {"other", .text = other}, {"half", .number = h}};
        gnd__cg_shape_of(c, "acc_tree_warp", own, NULL);
    }
}

static void write_rest(void *who, const gnd__holeargs *a)
{
    const tree_writer *w = who;
    (void)a;
    write_warp(w->c, "B[0]", "B[1]", WARP);
}

static void write_levels(void *who, const gnd__holeargs *a)
{
    tree_writer *w = who;
    (void)a;
    while (w->lanes > 1) {
        const int levels = w->warp ? w->lanes / WARP : w->lanes;
        w->n = levels < AT_ONCE ? levels : AT_ONCE;
        w->lanes /= w->n;
        const int last = w->warp && w->lanes == WARP;
        const gnd__hole own[] = {
            {"lane", .text = w->lane},
            {"lanes", .number = w->lanes},
            {"n", .number = w->n},
            {"more", .number = (w->lanes > 1 && !last) || w->all},
            {"halves", .write = write_halves},
            {"last", .number = last},
            {"rest", .write = write_rest},
        };
        gnd__cg_shape_of(w->c, "acc_tree_levels", own, w);
        if (last)
            w->lanes = 1;
    }
}

static void write_all_levels(void *who, const gnd__holeargs *a)
{
    const tree_writer *w = who;
    (void)a;
    write_warp(w->c, w->name, "B", w->lanes);
}

void gnd__acc_tree(gnd__cg *c, const char *name, const char *lane, const char *first, int lanes,
                   int all)
{
    tree_writer w = {.c = c, .name = name, .lane = lane, .lanes = lanes, .all = all};
    if (gnd__acc_in_warp(c, lanes)) {
        const gnd__hole own[] = {
            {"name", .text = name},
            {"lane", .text = lane},
            {"all", .number = all},
            {"lanes", .number = lanes},
            {"levels", .write = write_all_levels},
        };
        gnd__cg_shape_of(c, "acc_tree_in_warp", own, &w);
        return;
    }
    w.warp = has_warps(c);
    const gnd__hole own[] = {
        {"name", .text = name},
        {"lane", .text = lane},
        {"first", .text = first},
        {"all", .number = all},
        {"levels", .write = write_levels},
    };
    gnd__cg_shape_of(c, "acc_tree", own, &w);
}
