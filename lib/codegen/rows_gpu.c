/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/rows_gpu.c - reductions along rows together with computations that use their results
 * along the same rows, as in exp(x - max(x)) / sum(...): a row is read once.
 *
 * G work-items share a row, and each holds up to 32 elements of it in registers. A stage computes
 * the inputs of its reductions, and a tree in local memory gives every work-item their results,
 * from which the next stage starts. Loaded elements and elementary functions are kept for later
 * stages, everything else is recomputed. A work-item's own runs are summed plainly, the tree is
 * compensated.
 */
#include "codegen/rows.h"

#include <stdio.h>
#include <string.h>

#define GROUP 256
#define MAX_GROUP 512
#define ROW_BYTES 128 /* of loaded elements that a work-item holds */
#define MAX_ELEMS 32
#define TREE_BYTES 16384 /* local memory */
#define MAX_TEXT 4096    /* instructions times elements, about */

int gnd__rows_is_run(const gnd__kir *k, int i)
{
    const gnd__instr *in = &k->instr[i];
    if (in->kind != GND__I_LOAD || in->epilogue)
        return 0;
    for (int d = k->nkeep; d < k->nkeep + k->nred; d++)
        if (k->access[in->ref].stride[d])
            return 1;
    return 0;
}

/* Elements that a work-item can hold: a power of two. */
static int most_elements(const gnd__kir *k)
{
    int bytes = 4, n = MAX_ELEMS;
    int loads = 0;
    for (int i = 0; i < k->ninstr; i++)
        if (gnd__rows_is_run(k, i)) {
            int size = (int)gnd_dtype_size((gnd_dtype)k->instr[i].dtype);
            loads += size < 4 ? 4 : size;
        }
    if (loads > bytes)
        bytes = loads;
    while (n > 1 && (n * bytes > ROW_BYTES || n * k->ninstr > MAX_TEXT))
        n /= 2;
    return n;
}

static int largest_group(const gnd__target *t)
{
    int n = MAX_GROUP;
    while (n > 1 && ((size_t)n > t->props->max_group || (size_t)n > t->props->max_local[0]))
        n /= 2;
    return n;
}

int gnd__codegen_rows_fit(const gnd__kir *k, const gnd__target *t)
{
    int64_t acc = 0;
    if (t->cpu)
        return gnd__rows_fit_cpu(k);
    for (int j = 0; j < k->nreds; j++)
        for (int p = 0; p < gnd__acc_parts(k, j); p++)
            acc += (int64_t)gnd_dtype_size(gnd__acc_dtype(k, j, p));
    return gnd__kir_reduced(k) <= (int64_t)most_elements(k) * largest_group(t) &&
           acc * MAX_GROUP <= TREE_BYTES && TREE_BYTES <= t->props->local_bytes / 2;
}

void gnd__rows_stages(const gnd__kir *k, gnd__rows *w)
{
    uint8_t stage[GND__KIR_INSTR];
    w->nstage = 0;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        stage[i] = 0;
        if (in->kind == GND__I_RED)
            stage[i] = (uint8_t)(stage[k->red[in->ref].value] + 1);
        for (int j = 0; j < GND__CALL_ARGS; j++)
            if (in->kind != GND__I_RED && in->a[j] >= 0 && stage[in->a[j]] > stage[i])
                stage[i] = stage[in->a[j]];
    }
    for (int j = 0; j < k->nreds; j++) {
        w->stage[j] = stage[k->red[j].value];
        if (w->stage[j] >= w->nstage)
            w->nstage = w->stage[j] + 1;
    }
}

void gnd__rows_needed(const gnd__kir *k, const gnd__rows *w, int s, int all, const uint8_t *there,
                      uint8_t *need)
{
    memset(need, 0, GND__KIR_INSTR);
    for (int j = 0; j < k->nreds; j++)
        if (w->stage[j] == s)
            need[k->red[j].value] = 1;
    for (int j = 0; j < k->nout && s == w->nstage; j++)
        if (!k->access[k->out[j].access].epilogue)
            need[k->out[j].value] = 1;
    for (int i = k->ninstr - 1; i >= 0; i--)
        for (int j = 0; j < GND__CALL_ARGS && need[i] && (all || !there[i]); j++)
            if (k->instr[i].a[j] >= 0 && k->instr[i].kind != GND__I_RED)
                need[k->instr[i].a[j]] = 1;
}

static int cost_of(const gnd__kir *k, const gnd__instr *in)
{
    return in->kind == GND__I_OP     ? gnd__ops[in->op].cost
           : in->kind == GND__I_CALL ? k->fn[in->ref]->cost
                                     : 0;
}

void gnd__rows_kept(const gnd__kir *k, gnd__rows *w, int loads)
{
    uint8_t need[GND__KIR_INSTR], seen[GND__KIR_INSTR];
    memset(seen, 0, sizeof seen);
    memset(w->kept, 0, sizeof w->kept);
    for (int s = 0; s <= w->nstage; s++) {
        gnd__rows_needed(k, w, s, 1, NULL, need);
        for (int i = 0; i < k->ninstr; i++) {
            const gnd__instr *in = &k->instr[i];
            if (need[i] && ((loads && gnd__rows_is_run(k, i)) ||
                            (seen[i] && cost_of(k, in) >= GND__ROWS_DEAR)))
                w->kept[i] = 1;
            seen[i] |= need[i];
        }
    }
}

void gnd__rows_only(gnd__cg *c, const gnd__rows *w, int s)
{
    c->skip_red = 0;
    for (int j = 0; j < c->k->nreds; j++)
        if (w->stage[j] != s)
            c->skip_red |= 1u << j;
}

static void shape_rows(gnd__cg *c, gnd__rows *w)
{
    const gnd__kir *k = c->k;
    const int64_t r = gnd__kir_reduced(k);
    int most = most_elements(k), n;
    w->vec = k->nred == 1 ? gnd__cg_vector_width(k, k->nkeep, 0, 0) : 1;
    while (w->vec > most)
        w->vec /= 2;
    n = w->vec > 4 || most < 4 ? w->vec : 4;
    while (n < most && (int64_t)n * GROUP < r)
        n *= 2;
    w->nvec = n / w->vec;
    w->lanes = 1;
    while ((int64_t)w->lanes * n < r)
        w->lanes *= 2;
    w->local = (int)gnd__cg_group(c, GROUP);
    if (w->local < w->lanes)
        w->local = w->lanes;
    w->full = r == (int64_t)w->lanes * n;
}

/* Begins the loop over a work-item's vectors. */
static void each_vector(gnd__cg *c, const gnd__rows *w, const char *from)
{
    gnd__cgf(c,
             "#pragma unroll\n    for (int n = 0; n < %d; n++) {\n"
             "    const I x0 = (I)(n * %d + lane) * %d;\n",
             w->nvec, w->lanes, w->vec);
    gnd__cgf(c, "    I q = %s; (void)q;\n", w->full ? "x0" : from);
}

/* Loads what the stage needs and does not have yet: all at once, clamped to the row. */
static void load_runs(gnd__cg *c, const gnd__rows *w, const uint8_t *need, uint8_t *there)
{
    const gnd__kir *k = c->k;
    const int last = k->nkeep + k->nred - 1;
    int any = 0;
    memset(c->vectorised, 0, sizeof c->vectorised);
    for (int i = 0; i < k->ninstr; i++)
        if (need[i] && gnd__rows_is_run(k, i) && !there[i]) {
            any = 1;
            c->vectorised[k->instr[i].ref] = w->vec > 1;
        }
    if (!any)
        return;
    each_vector(c, w, "x0 < R ? x0 : 0");
    gnd__cg_unflatten(c, "q", k->nkeep, last + 1);
    c->vec = w->vec;
    if (w->vec > 1)
        gnd__cg_vector_loads(c);
    gnd__cgf(c,
             "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    const int e_ = n * %d + l;\n",
             w->vec, w->vec);
    for (int i = 0; i < k->ninstr; i++) {
        if (!need[i] || !gnd__rows_is_run(k, i) || there[i])
            continue;
        gnd__cgf(c, "    w%d[e_] = gnd_ld_%s(", i, gnd__suffix((gnd_dtype)k->instr[i].dtype));
        if (w->vec > 1) {
            gnd__cgf(c, "u%d.s, l", k->instr[i].ref);
        } else {
            gnd__cgf(c, "p%d, ", k->instr[i].ref);
            gnd__cg_address(c, k->instr[i].ref);
        }
        gnd__cgf(c, ");\n");
        there[i] = 1;
    }
    gnd__cgf(c, "    }\n    }\n");
    c->vec = 1;
    memset(c->vectorised, 0, sizeof c->vectorised);
}

/* Computes the values of stage s for every element, into its accumulators or the outputs. */
static void elements(gnd__cg *c, gnd__rows *w, int s, uint8_t *there)
{
    const gnd__kir *k = c->k;
    const int last = k->nkeep + k->nred - 1, ends = s == w->nstage;
    uint8_t need[GND__KIR_INSTR];
    gnd__rows_needed(k, w, s, 0, there, need);
    load_runs(c, w, need, there);
    for (int i = 0; i < k->ninstr; i++)
        w->pick[i] = !need[i]              ? GND__PICK_NOT
                     : there[i]            ? GND__PICK_TAKE
                     : w->kept[i] && !ends ? GND__PICK_SAVE
                                           : GND__PICK_COMPUTE;
    each_vector(c, w, "x0");
    if (w->full)
        gnd__cgf(c, ends ? "    if (live) {\n" : "    {\n");
    else
        gnd__cgf(c, "    if (x0 < R%s) {\n", ends ? " && live" : "");
    gnd__cg_unflatten(c, "q", k->nkeep, last + 1);
    if (ends && w->vec > 1) {
        for (int j = 0; j < k->nout; j++)
            c->vectorised[k->out[j].access] = k->access[k->out[j].access].stride[last] == 1 &&
                                              !k->access[k->out[j].access].epilogue;
        c->vec = w->vec;
        gnd__cg_vector_loads(c); /* declares u */
    }
    gnd__cgf(
        c,
        "#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    const int e_ = n * %d + l; (void)e_;\n",
        w->vec, w->vec);
    if (w->vec > 1)
        gnd__cgf(c, "    const I i%d = x0 + l; (void)i%d;\n", last, last);
    c->pick = w->pick;
    gnd__cg_values(c, 0);
    c->pick = NULL;
    if (ends)
        gnd__cg_stores(c);
    else
        gnd__acc_step(c, "A", "", w->vec > 1 ? "x0 + l" : "x0");
    gnd__cgf(c, "    }\n");
    if (ends && w->vec > 1)
        gnd__cg_vector_stores(c);
    c->vec = 1;
    memset(c->vectorised, 0, sizeof c->vectorised);
    for (int i = 0; i < k->ninstr; i++)
        there[i] |= w->pick[i] == GND__PICK_SAVE;
    gnd__cgf(c, "    }\n    }\n");
}

/* Computes the results of the row from its work-items' accumulators, for each of them. */
static void tree(gnd__cg *c, const gnd__rows *w)
{
    gnd__acc_to_keys(c, "K", "A");
    if (w->lanes > 1)
        gnd__acc_tree(c, "K", "lane", "lid - lane", w->lanes, 1);
    gnd__acc_finish(c, "K", "");
    c->keys = 0;
}

gnd_status gnd__cg_rows(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int64_t m = gnd__kir_kept(k);
    uint8_t there[GND__KIR_INSTR];
    unsigned points = 0, all = (1u << k->nout) - 1;
    size_t global, local;
    gnd__rows w;
    memset(&w, 0, sizeof w);
    memset(there, 0, sizeof there);
    gnd__rows_stages(k, &w);
    gnd__rows_kept(k, &w, 1);
    shape_rows(c, &w);
    for (int j = 0; j < k->nout; j++)
        if (!k->access[k->out[j].access].epilogue)
            points |= 1u << j;
    gnd__cg_begin(c, 0, "k_rows");
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, k->nkeep + k->nred);
    gnd__cg_const_args(c, 2);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "R", gnd__kir_reduced(k));
    c->keys = 1;
    if (w.lanes > 1)
        gnd__acc_shared(c, w.local);
    c->keys = 0;
    gnd__cgf(c,
             "    const int lid = (int)GND_LID(0), lane = lid %% %d; (void)lane;\n"
             "    const I row = (I)GND_GRP(0) * %d + lid / %d;\n"
             "    const int live = row < M;\n    I f = live ? row : M - 1;\n",
             w.lanes, w.local / w.lanes, w.lanes);
    gnd__cg_unflatten(c, "f", 0, k->nkeep);
    for (int i = 0; i < k->ninstr; i++)
        if (w.kept[i])
            gnd__cgf(c, "    %s w%d[%d];\n", gnd__ctype_value((gnd_dtype)k->instr[i].dtype), i,
                     w.vec * w.nvec);
    for (int s = 0; s < w.nstage; s++) {
        gnd__rows_only(c, &w, s);
        gnd__acc_declare(c, "A", "");
        gnd__acc_init(c, "A", "");
        elements(c, &w, s, there);
        tree(c, &w);
    }
    c->skip_red = 0;
    if (points) {
        c->skip_out = all & ~points;
        elements(c, &w, w.nstage, there);
    }
    if (points != all) {
        c->skip_out = points;
        gnd__cgf(c, "    if (live && lane == 0) {\n");
        gnd__cg_values(c, 1);
        gnd__cg_stores(c);
        gnd__cgf(c, "    }\n");
    }
    c->skip_out = 0;
    local = (size_t)w.local;
    global = (size_t)((m + w.local / w.lanes - 1) / (w.local / w.lanes)) * local;
    return gnd__cg_end(c, 1, &global, &local);
}
