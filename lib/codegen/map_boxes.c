/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map_boxes.c - maps with conditions on indices (assemblies that are not stored), on CPU
 * devices.
 *
 * A condition for each point would prevent vectorisation. So a work-item takes a run of points
 * along the last axis, which is split where a condition changes: within a part each condition has
 * one value for all points, and shifts are numbers. The combinations of conditions that hold for
 * most points are found on samples of the space: for these the loop is written without conditions,
 * and once more with conditions for the few others. The texts are shapes of kernels/map_cpu.cl.
 */
#include "codegen/holes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "codegen/ways.h"

#define RUN 4096 /* points of a run */
#define WAYS 3   /* loops without conditions */

/* The data that fill the shapes. */
typedef struct box_writer {
    gnd__cg *c;
    int x; /* axis */
    uint8_t is[GND__KIR_INSTR], pick[GND__KIR_INSTR];
    gnd__way w[WAYS];
    int ways, next; /* loops without conditions, and the next one to be written */
} box_writer;

/* Writes the loop for the conditions of w (NULL: any). */
static void loop(box_writer *b, const gnd__way *w)
{
    gnd__cg *c = b->c;
    const gnd__hole own[] = {{"x", .number = b->x}};
    gnd__ways_needed(c->k, w ? w->holds : NULL, 0, b->pick);
    c->part = (gnd__part){.pick = b->pick, .inside = w != NULL, .holds = w ? w->holds : NULL};
    gnd__cg_shape_of(c, "map_boxes_loop", own, NULL);
    c->part = (gnd__part){0};
}

static void write_conditions(void *who, const gnd__holeargs *a)
{
    box_writer *b = who;
    const gnd__kir *k = b->c->k;
    (void)a;
    for (int i = 0; i < k->ninstr; i++)
        b->pick[i] = k->instr[i].kind == GND__I_WITHIN || k->instr[i].kind == GND__I_SHIFT
                         ? GND__PICK_COMPUTE
                         : GND__PICK_NOT;
    b->c->part.pick = b->pick;
    gnd__cg_values(b->c, 0);
    b->c->part.pick = NULL;
}

typedef struct border_writer {
    gnd__cg *c;
    int i; /* the condition */
} border_writer;

static void write_place(void *who, const gnd__holeargs *a)
{
    const border_writer *b = who;
    (void)a;
    gnd__cg_place(b->c, b->i);
}

static void write_borders(void *who, const gnd__holeargs *a)
{
    const box_writer *b = who;
    const gnd__kir *k = b->c->k;
    (void)a;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        if (in->kind != GND__I_WITHIN || k->access[in->ref].stride[b->x] == 0)
            continue;
        border_writer w = {b->c, i};
        char stride[32];
        if (k->access[in->ref].stride[b->x] == 1)
            snprintf(stride, sizeof stride, "1");
        else if (gnd__cg_literal(b->c, in->ref, b->x))
            snprintf(stride, sizeof stride, "(I)%lldL", (long long)k->access[in->ref].stride[b->x]);
        else
            snprintf(stride, sizeof stride, "s%d_%d", in->ref, b->x);
        const gnd__hole own[] = {
            {"i", .number = i},
            {"index", .text = b->c->wide ? "i64" : "i32"},
            {"place", .write = write_place},
            {"stride", .text = stride},
        };
        gnd__cg_shape_of(b->c, "map_boxes_border", own, &w);
    }
}

/* Whether the conditions of the current way hold. */
static void write_holds(void *who, const gnd__holeargs *a)
{
    const box_writer *b = who;
    const gnd__way *w = &b->w[b->next - 1];
    const char *and = "";
    (void)a;
    for (int i = 0; i < b->c->k->ninstr; i++)
        if (b->is[i]) {
            gnd__cgf(b->c, "%s%sv%d", and, w->holds[i] ? "" : "!", i);
            and = " && ";
        }
}

static void write_loop(void *who, const gnd__holeargs *a)
{
    box_writer *b = who;
    (void)a;
    loop(b, &b->w[b->next - 1]);
}

/* The next loop without conditions, and the text for other points. */
static void write_ways(void *who, const gnd__holeargs *a)
{
    box_writer *b = who;
    const gnd__hole own[] = {
        {"holds", .write = write_holds},
        {"loop", .write = write_loop},
        {"otherwise", .write = write_ways},
    };
    (void)a;
    if (b->next == b->ways) {
        loop(b, NULL);
        return;
    }
    b->next++;
    gnd__cg_shape_of(b->c, "map_boxes_way", own, b);
}

static void write_run(void *who, const gnd__holeargs *a)
{
    const box_writer *b = who;
    const gnd__hole own[] = {
        {"x", .number = b->x},
        {"conditions", .write = write_conditions},
        {"borders", .write = write_borders},
        {"ways", .write = write_ways},
    };
    (void)a;
    gnd__cg_shape_of(b->c, "map_boxes_cpu", own, who);
}

gnd_status gnd__cg_map_boxes(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    box_writer b = {.c = c, .x = k->nkeep - 1};
    int any = 0, samples;
    gnd__ways_deciding(k, b.is);
    for (int i = 0; i < k->ninstr; i++)
        any |= b.is[i];
    b.ways = any ? gnd__ways_find(k, b.is, WAYS, b.w, &samples) : 0;
    return gnd__cg_cpu_runs(c, RUN, write_run, &b);
}

int gnd__codegen_boxes_fit(const gnd__kir *k, const gnd__target *t)
{
    gnd__kir *flat = gnd__malloc(sizeof *flat);
    int ok = flat != NULL;
    if (ok) {
        gnd__cg c;
        *flat = *k;
        gnd__kir_collapse(flat);
        const int x = flat->nkeep - 1;
        gnd__cg_init(&c, flat, t, NULL, NULL);
        /* inputs across the outputs are read in tiles, and stored in between */
        for (int i = 0; i < flat->ninstr && ok && x > 0; i++) {
            const gnd__instr *in = &flat->instr[i];
            const gnd__access *a = &flat->access[in->ref];
            if (in->kind != GND__I_PIECE && in->kind != GND__I_LOAD)
                continue;
            for (int d = 0; d < x; d++)
                ok &= a->stride[d] != 1 || flat->dim[d] < 32 || llabs(a->stride[x]) <= 1;
        }
        if (t->cpu && ok) /* short rows, and computations that use other runs */
            ok = x >= 0 && flat->dim[x] >= GND__CPU_ROW && gnd__cg_near(&c) < 0 &&
                 !gnd__words_find(&c, x);
    }
    gnd__free(flat);
    return ok;
}
