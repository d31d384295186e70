/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map_cpu.c - kernels that compute every point independently, on CPU devices.
 *
 * One point per work-item over a range of up to three axes, which the compiler vectorises along the
 * first. Or runs: a work-item takes a run of points along the last axis, for computations that are
 * faster for many points at once: random words (words.c), and functions with a shorter text for
 * most arguments. That text reports arguments for which it does not apply; the run is then computed
 * again.
 */
#include "codegen/emit.h"

static gnd_status points(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int n = k->nkeep;
    size_t global[3] = {1, 1, 1},
           group = gnd__cg_group(c, (size_t)c->t->tune->v[GND__TUNE_CPU_GROUP]);
    size_t local[3] = {group, 1, 1};
    gnd__cg_begin_map(c);
    if (n > 0) {
        int64_t x = k->dim[n - 1];
        global[0] = (size_t)x;
        gnd__cgf(c, "    const I i%d = (I)GND_GID(0);\n", n - 1);
        if (n > 1) {
            global[1] = (size_t)k->dim[n - 2];
            gnd__cgf(c, "    const I i%d = (I)GND_GID(1);\n", n - 2);
            local[0] = x > 512 ? group : x > 64 ? 128 : 16;
            if (local[0] > group)
                local[0] = group;
            local[1] = group / local[0];
            gnd__cgf(c, "    if (i%d >= n%d || i%d >= n%d) return;\n", n - 1, n - 1, n - 2, n - 2);
        } else {
            gnd__cgf(c, "    if (i%d >= n%d) return;\n", n - 1, n - 1);
        }
        if (n > 2) {
            for (int d = 0; d < n - 2; d++)
                global[2] *= (size_t)k->dim[d];
            gnd__cgf(c, "    I f = (I)GND_GID(2);\n");
            gnd__cg_unflatten(c, "f", 0, n - 2);
        }
    } else {
        local[0] = 1;
    }
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    return gnd__cg_end(c, 3, global, local);
}

#define SHORTEST 128 /* shortest axis that is divided into runs */

static void run_loop(gnd__cg *c, int x)
{
    gnd__cgf(c, "    for (int l = 0; l < count; l++) {\n    const I i%d = left + l;\n", x);
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n");
}

/* near: see gnd__cg_near. */
static gnd_status runs(gnd__cg *c, int near)
{
    const gnd__kir *k = c->k;
    const int n = k->nkeep, x = n - 1;
    size_t global[3] = {(size_t)((k->dim[x] + GND__CG_RUN - 1) / GND__CG_RUN), 1, 1},
           local[3] = {1, 1, 1};
    gnd__cg_begin_map(c);
    gnd__cgf(c, "    const I left = (I)GND_GID(0) * %d;\n", GND__CG_RUN);
    gnd__cgf(c, "    const int count = n%d - left < %d ? (int)(n%d - left) : %d;\n", x, GND__CG_RUN,
             x, GND__CG_RUN);
    if (n > 1) {
        global[1] = (size_t)k->dim[n - 2];
        gnd__cgf(c, "    const I i%d = (I)GND_GID(1);\n", n - 2);
    }
    if (n > 2) {
        for (int d = 0; d < n - 2; d++)
            global[2] *= (size_t)k->dim[d];
        gnd__cgf(c, "    I f = (I)GND_GID(2);\n");
        gnd__cg_unflatten(c, "f", 0, n - 2);
    }
    gnd__words_declare(c);
    gnd__words_fill(c, x, "left", "count");
    c->run.word_at = "l";
    c->run.near = near >= 0;
    if (c->run.near)
        gnd__cgf(c, "    int bad = 0;\n%s", near == GND_FLOAT64 ? "gnd_wide_f64\n" : "");
    run_loop(c, x);
    if (c->run.near) {
        c->run.near = 0;
        gnd__cgf(c, "    if (bad) {\n");
        run_loop(c, x);
        gnd__cgf(c, "    }\n");
    }
    c->run.word_at = NULL;
    return gnd__cg_end(c, 3, global, local);
}

gnd_status gnd__cg_map_cpu(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    if (k->nkeep > 0 && k->dim[k->nkeep - 1] >= SHORTEST) {
        const int near = gnd__cg_near(c);
        if (gnd__words_find(c, k->nkeep - 1) || near >= 0)
            return runs(c, near);
    }
    return points(c);
}
