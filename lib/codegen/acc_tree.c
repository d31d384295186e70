/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/acc_tree.c - combines the accumulators of the work-items of a row.
 *
 * The order is that of a binary tree over the work-items (i takes i + n/2, and so on), but a
 * work-item does three levels of it in registers, which needs a third of the barriers.
 */
#include "codegen/emit.h"

#include <stdio.h>

#define AT_ONCE                                                                                    \
    8 /* accumulators that a work-item combines at once; with 16 registers run short               \
       */

/* T[at + t step], t = 0 .. n - 1, into T[at]. */
static void levels(gnd__cg *c, const char *at, int n, int step)
{
    char len[16], from[64];
    snprintf(len, sizeof len, "[%d]", n);
    snprintf(from, sizeof from, "[%s + t * %d]", at, step);
    gnd__acc_declare(c, "B", len);
    gnd__cgf(c, "#pragma unroll\n    for (int t = 0; t < %d; t++) {\n", n);
    gnd__acc_copy(c, "B", "[t]", "T", from);
    gnd__cgf(c, "    }\n");
    for (int h = n / 2; h > 0; h /= 2) {
        snprintf(from, sizeof from, "[t + %d]", h);
        gnd__cgf(c, "#pragma unroll\n    for (int t = 0; t < %d; t++) {\n", h);
        gnd__acc_combine(c, "B", "[t]", "B", from, 1);
        gnd__cgf(c, "    }\n");
    }
    snprintf(from, sizeof from, "[%s]", at);
    gnd__acc_copy(c, "T", from, "B", "[0]");
}

void gnd__acc_tree(gnd__cg *c, const char *name, const char *lane, const char *first, int lanes,
                   int all)
{
    char at[32];
    gnd__acc_copy(c, "T", "[lid]", name, "");
    gnd__cgf(c, "    GND_BARRIER();\n");
    while (lanes > 1) {
        const int n = lanes < AT_ONCE ? lanes : AT_ONCE;
        lanes /= n;
        gnd__cgf(c, "    if (%s < %d) {\n", lane, lanes);
        levels(c, "lid", n, lanes);
        gnd__cgf(c, "    }\n");
        if (lanes > 1 || all)
            gnd__cgf(c, "    GND_BARRIER();\n");
    }
    if (!all)
        gnd__cgf(c, "    if (%s > 0) return;\n", lane);
    snprintf(at, sizeof at, "[%s]", first);
    gnd__acc_copy(c, name, "", "T", at);
}
