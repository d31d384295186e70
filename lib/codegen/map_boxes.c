/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map_boxes.c - maps with conditions on indices (assemblies that are not stored), on CPU
 * devices.
 *
 * A condition for each point would prevent vectorisation. So a work-item takes a run of points
 * along the last axis, which is split where a condition changes: within a part each condition has
 * one value for all points, and shifts are numbers. The combinations of conditions that hold for
 * most points are found on samples of the space: for these the loop is written without conditions,
 * and once more with conditions for the few others.
 */
#include "codegen/emit.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

#define RUN 4096  /* points of a run */
#define WAYS 3    /* loops without conditions */
#define SAMPLES 7 /* along an axis */

/* The value of each condition at a point, and the number of each shift. */
typedef struct point {
    int64_t index[GND_MAX_NDIM];
    int64_t value[GND__KIR_INSTR];
} point;

static void look(const gnd__kir *k, point *p)
{
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        int64_t at;
        if (in->kind == GND__I_SHIFT)
            p->value[i] =
                (p->value[in->a[0]] ? in->step : 0) + (in->a[1] >= 0 ? p->value[in->a[1]] : 0);
        if (in->kind != GND__I_WITHIN)
            continue;
        at = k->access[in->ref].off + (in->a[0] >= 0 ? p->value[in->a[0]] : 0);
        for (int d = 0; d < k->nkeep; d++)
            at += k->access[in->ref].stride[d] * p->index[d];
        p->value[i] = at >= 0 && at < in->step && (in->a[1] < 0 || p->value[in->a[1]]);
    }
}

/* A combination of conditions, and the number of samples that have it. */
typedef struct way {
    uint8_t holds[GND__KIR_INSTR];
    int samples;
} way;

/* Finds the conditions that decide what is read, excluding those that only shift. */
static void deciding(const gnd__kir *k, uint8_t *is)
{
    memset(is, 0, GND__KIR_INSTR);
    for (int i = k->ninstr - 1; i >= 0; i--) {
        const gnd__instr *in = &k->instr[i];
        if (in->kind == GND__I_CHOOSE || (in->kind == GND__I_PIECE && in->a[0] >= 0))
            is[in->a[0]] = 1;
        if (in->kind == GND__I_GATHER && in->a[1] >= 0)
            is[in->a[1]] = 1;
    }
}

/* Finds the combinations of most samples, the most frequent first. Returns their number. */
static int find_ways(const gnd__kir *k, const uint8_t *is, way *w)
{
    enum { MOST = 16 };
    way *all = gnd__calloc(MOST, sizeof *all);
    point p;
    int n = 0, total = 1;
    memset(&p, 0, sizeof p);
    if (!all)
        return 0;
    for (int d = 0; d < k->nkeep; d++)
        total = total > 4000 / SAMPLES ? total : total * SAMPLES;
    for (int s = 0; s < total; s++) {
        int rest = s, j = 0;
        for (int d = k->nkeep - 1; d >= 0; d--, rest /= SAMPLES)
            p.index[d] = k->dim[d] / (2 * SAMPLES) * (2 * (rest % SAMPLES) + 1) +
                         k->dim[d] % (2 * SAMPLES) / 2;
        look(k, &p);
        for (; j < n; j++) {
            int equal = 1;
            for (int i = 0; i < k->ninstr && equal; i++)
                equal = !is[i] || all[j].holds[i] == (p.value[i] != 0);
            if (equal)
                break;
        }
        if (j == MOST)
            continue;
        if (j == n) {
            for (int i = 0; i < k->ninstr; i++)
                all[j].holds[i] = is[i] && p.value[i] != 0;
            n++;
        }
        all[j].samples++;
    }
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && all[j].samples > all[j - 1].samples; j--) {
            way t = all[j];
            all[j] = all[j - 1];
            all[j - 1] = t;
        }
    n = n > WAYS ? WAYS : n;
    memcpy(w, all, (size_t)n * sizeof *w);
    gnd__free(all);
    return n;
}

/* Marks what must be computed for each point if the conditions have the values h (NULL: any
 * values). */
static void needed(const gnd__kir *k, const uint8_t *h, uint8_t *pick)
{
    memset(pick, GND__PICK_NOT, GND__KIR_INSTR);
    for (int i = 0; i < k->nout; i++)
        pick[k->out[i].value] = GND__PICK_COMPUTE;
    for (int i = k->ninstr - 1; i >= 0; i--) {
        const gnd__instr *in = &k->instr[i];
        const int n =
            in->kind == GND__I_OP || in->kind == GND__I_CALL ? gnd__kir_nargs(k, in)
            : in->kind == GND__I_CAST || in->kind == GND__I_CHECK || in->kind == GND__I_GATHER ? 1
            : in->kind == GND__I_OFFSET                                                        ? 2
                                                                                               : 0;
        if (pick[i] == GND__PICK_NOT)
            continue;
        if (in->kind == GND__I_WITHIN || in->kind == GND__I_SHIFT) {
            pick[i] = GND__PICK_NOT; /* the same for all points of a part */
            continue;
        }
        for (int j = 0; j < n; j++)
            if (in->a[j] >= 0)
                pick[in->a[j]] = GND__PICK_COMPUTE;
        if (in->kind == GND__I_CHOOSE) {
            if (!h || h[in->a[0]])
                pick[in->a[1]] = GND__PICK_COMPUTE;
            if (!h || !h[in->a[0]])
                pick[in->a[2]] = GND__PICK_COMPUTE;
        }
    }
}

static void loop(gnd__cg *c, int x, const way *w, uint8_t *pick)
{
    needed(c->k, w ? w->holds : NULL, pick);
    c->part.pick = pick;
    c->part.inside = w != NULL;
    c->part.holds = w ? w->holds : NULL;
    gnd__cgf(c, "    for (I i%d = x0; i%d < stop; i%d++) {\n", x, x, x);
    gnd__cg_values(c, 0);
    gnd__cg_stores(c);
    gnd__cgf(c, "    }\n");
    c->part.pick = NULL;
    c->part.inside = 0;
    c->part.holds = NULL;
}

/* Computes the conditions and shifts of the part that begins at x0, and its end. */
static void begin_part(gnd__cg *c, int x, uint8_t *pick)
{
    const gnd__kir *k = c->k;
    gnd__cgf(c, "    const I i%d = x0;\n    I stop = end;\n", x);
    for (int i = 0; i < k->ninstr; i++)
        pick[i] = k->instr[i].kind == GND__I_WITHIN || k->instr[i].kind == GND__I_SHIFT
                      ? GND__PICK_COMPUTE
                      : GND__PICK_NOT;
    c->part.pick = pick;
    gnd__cg_values(c, 0);
    c->part.pick = NULL;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        if (in->kind != GND__I_WITHIN || k->access[in->ref].stride[x] == 0)
            continue;
        gnd__cgf(c, "    stop = gnd_border_%s(", c->wide ? "i64" : "i32");
        gnd__cg_place(c, i);
        if (k->access[in->ref].stride[x] == 1)
            gnd__cgf(c, ", 1, e%d, x0, stop);\n", i);
        else if (c->bake)
            gnd__cgf(c, ", (I)%lldL, e%d, x0, stop);\n", (long long)k->access[in->ref].stride[x],
                     i);
        else
            gnd__cgf(c, ", s%d_%d, e%d, x0, stop);\n", in->ref, x, i);
    }
}

gnd_status gnd__cg_map_boxes(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int n = k->nkeep, x = n - 1;
    const int64_t rows = n > 1 ? k->dim[n - 2] : 1, len = k->dim[x];
    size_t global[3] = {(size_t)((len + RUN - 1) / RUN), 1, 1}, local[3] = {1, 1, 1};
    uint8_t is[GND__KIR_INSTR], pick[GND__KIR_INSTR];
    way w[WAYS];
    deciding(k, is);
    const int ways = find_ways(k, is, w);
    gnd__cg_begin_map(c);
    gnd__cgf(
        c,
        "    const I left = (I)GND_GID(0) * %d;\n    const I end = n%d - left < %d ? n%d : left + %d;\n",
        RUN, x, RUN, x, RUN);
    if (n > 1) {
        global[1] = (size_t)rows;
        gnd__cgf(c, "    const I i%d = (I)GND_GID(1);\n", n - 2);
    }
    if (n > 2) {
        for (int d = 0; d < n - 2; d++)
            global[2] *= (size_t)k->dim[d];
        gnd__cgf(c, "    I f = (I)GND_GID(2);\n");
        gnd__cg_unflatten(c, "f", 0, n - 2);
    }
    gnd__cgf(c, "    for (I x0 = left, part_; x0 < end; x0 = part_) {\n");
    begin_part(c, x, pick);
    gnd__cgf(c, "    part_ = stop;\n");
    int any = 0;
    for (int i = 0; i < k->ninstr; i++)
        any |= is[i];
    for (int i = 0; i < ways && any; i++) {
        const char *and = "";
        gnd__cgf(c, "    if (");
        for (int j = 0; j < k->ninstr; j++)
            if (is[j]) {
                gnd__cgf(c, "%s%sv%d", and, w[i].holds[j] ? "" : "!", j);
                and = " && ";
            }
        gnd__cgf(c, ") {\n");
        loop(c, x, &w[i], pick);
        gnd__cgf(c, "    } else {\n");
    }
    loop(c, x, NULL, pick);
    for (int i = 0; i < ways && any; i++)
        gnd__cgf(c, "    }\n");
    gnd__cgf(c, "    }\n");
    return gnd__cg_end(c, 3, global, local);
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
