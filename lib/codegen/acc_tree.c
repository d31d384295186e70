/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/acc_tree.c - combines the accumulators of the work-items of a row: a binary tree in local
 * memory, of which a work-item does three levels in registers. That needs a third of the barriers.
 * The texts are shapes of kernels/reduce_finish.cl.
 */
#include "codegen/holes.h"

/* The number of accumulators that a work-item combines at once. With 16, registers do not suffice.
 */
#define AT_ONCE 8

typedef struct tree_writer {
    gnd__cg *c;
    const char *lane;
    int lanes, all;
    int n; /* accumulators that a work-item combines in this step */
} tree_writer;

static void write_halves(void *who, const gnd__holeargs *a)
{
    const tree_writer *w = who;
    (void)a;
    for (int h = w->n / 2; h > 0; h /= 2) {
        const gnd__hole own[] = {{"half", .number = h}};
        gnd__cg_shape_of(w->c, "acc_tree_half", own, NULL);
    }
}

static void write_levels(void *who, const gnd__holeargs *a)
{
    tree_writer *w = who;
    (void)a;
    while (w->lanes > 1) {
        w->n = w->lanes < AT_ONCE ? w->lanes : AT_ONCE;
        w->lanes /= w->n;
        const gnd__hole own[] = {
            {"lane", .text = w->lane},
            {"lanes", .number = w->lanes},
            {"n", .number = w->n},
            {"more", .number = w->lanes > 1 || w->all},
            {"halves", .write = write_halves},
        };
        gnd__cg_shape_of(w->c, "acc_tree_levels", own, w);
    }
}

void gnd__acc_tree(gnd__cg *c, const char *name, const char *lane, const char *first, int lanes,
                   int all)
{
    tree_writer w = {.c = c, .lane = lane, .lanes = lanes, .all = all};
    const gnd__hole own[] = {
        {"name", .text = name},
        {"lane", .text = lane},
        {"first", .text = first},
        {"all", .number = all},
        {"levels", .write = write_levels},
    };
    gnd__cg_shape_of(c, "acc_tree", own, &w);
}
