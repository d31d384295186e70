/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/rows_gpu.c - reductions along rows together with computations that use their results
 * along the same rows, as in exp(x - max(x)) / sum(...): a row is read once.
 *
 * G work-items share a row, and each holds up to 32 elements of it in registers. A stage computes
 * the inputs of its reductions, and a tree in local memory gives every work-item their results,
 * from which the next stage starts. Loaded elements that two stages need and elementary functions
 * are kept for later stages, everything else is recomputed. A work-item's own runs are summed
 * plainly, the tree is compensated. The texts are shapes of kernels/rows_gpu.cl.
 */
#include "codegen/holes.h"
#include "codegen/rows.h"

#include <string.h>

#define GROUP 256
#define MAX_GROUP 512
#define LAST_GROUP 1024 /* where MAX_GROUP with a quarter more elements does not suffice */
#define ROW_BYTES 128   /* of loaded elements that a work-item holds */
#define MAX_ELEMS 32
#define TREE_BYTES 16384 /* local memory */
#define MAX_TEXT 4096    /* approximate limit of instructions times elements */
#define WARP 32
#define LINE 128        /* bytes */
#define FEW_LANES 65536 /* of all rows together: a large GPU has more */
#define FEW_ELEMS 16    /* of a work-item, if more of these can share the row */

/* Elements that a work-item can hold: a power of two. */
static int most_elements(const gnd__kir *k)
{
    int bytes = 4, n = MAX_ELEMS;
    int loads = 0;
    gnd__rows w;
    gnd__rows_stages(k, &w);
    gnd__rows_kept(k, &w, 1);
    for (int i = 0; i < k->ninstr; i++)
        if (w.kept[i] && gnd__rows_is_run(k, i)) {
            int size = (int)gnd_dtype_size((gnd_dtype)k->instr[i].dtype);
            loads += size < 4 ? 4 : size;
        }
    if (loads > bytes)
        bytes = loads;
    while (n > 1 && (n * bytes > ROW_BYTES || n * k->ninstr > MAX_TEXT))
        n /= 2;
    return n;
}

/* The most work-items of a row, whose accumulators fit in local memory. */
static int largest_group(const gnd__kir *k, const gnd__target *t)
{
    int n = LAST_GROUP;
    while (n > 1 && ((size_t)n > t->props->max_group || (size_t)n > t->props->max_local[0] ||
                     n * gnd__acc_bytes(k) > TREE_BYTES))
        n /= 2;
    return n;
}

int gnd__codegen_rows_fit(const gnd__kir *k, const gnd__target *t)
{
    if (t->cpu)
        return gnd__rows_fit_cpu(k);
    return gnd__kir_reduced(k) <= (int64_t)most_elements(k) * largest_group(k, t) &&
           gnd__acc_bytes(k) * MAX_GROUP <= TREE_BYTES && TREE_BYTES <= t->props->local_bytes / 2;
}

/* The numbers of vectors of a work-item: few, so that rows of many lengths share a kernel. */
static const uint8_t steps[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 36, 40};

/* The vectors of a work-item of a row of `need` vectors for each of its lanes: a step. */
static int vectors_from(int64_t need)
{
    int i = 0;
    while (steps[i] < need)
        i++;
    return steps[i];
}

/* The lines of memory that one access of a warp touches: of the row, or of its several rows, which
 * lie side by side. */
static int64_t lines_of(const gnd__kir *k, int access, int lanes, int vec)
{
    const int64_t size = (int64_t)gnd_dtype_size((gnd_dtype)k->access[access].dtype);
    const int64_t rows = lanes < WARP ? WARP / lanes : 1,
                  each = (lanes < WARP ? lanes : WARP) * vec * size;
    const int64_t apart = rows * ((each + LINE - 1) / LINE),
                  together = (rows * gnd__kir_reduced(k) * size + LINE - 1) / LINE;
    return apart < together ? apart : together;
}

/* What a row costs, in 128ths of a clock of a compute unit of 4 x 32 lanes: instructions, of which
 * a work-item has some for its place, for each element and for each level of a tree; and the lines
 * of memory of each access. Both go on at once, but not perfectly. Of blocks in local memory each
 * line is touched once; `bytes` are those of an element, 0 without blocks. */
static int64_t cost_of(const gnd__kir *k, int lanes, int vec, int nvec, int bytes,
                       const uint8_t *block)
{
    int levels = 0;
    int64_t lines = 0;
    for (int i = 0; i < k->ninstr; i++)
        lines += gnd__rows_is_run(k, i) ? lines_of(k, k->instr[i].ref, lanes, vec) : 0;
    for (int j = 0; j < k->nout; j++)
        lines +=
            k->access[k->out[j].access].epilogue ? 0 : lines_of(k, k->out[j].access, lanes, vec);
    for (int n = lanes; n > 1; n /= 2)
        levels++;
    const int64_t run = (int64_t)lanes * (80 + nvec * vec * gnd__rows_work(k) +
                                          (levels * 10 + (lanes > WARP ? 64 : 0)) * k->nreds),
                  move = bytes ? gnd__kir_reduced(k) * bytes +
                                     gnd__rows_block_cost(k, block, lanes, nvec)
                               : 128 * nvec * lines * lanes / WARP;
    return run > move ? run + move / 4 : move + run / 4;
}

/* The vectors of each of `lanes` work-items that hold a row in `most` elements or few more; 0: they
 * cannot. */
static int vectors_of(const gnd__kir *k, int lanes, int vec, int most, int largest)
{
    const int64_t need = (gnd__kir_reduced(k) + (int64_t)lanes * vec - 1) / ((int64_t)lanes * vec);
    const int limit = lanes < GROUP && 2 * lanes <= largest && most > FEW_ELEMS ? FEW_ELEMS
                      : lanes == MAX_GROUP                                      ? most + most / 4
                                                                                : most;
    return need * vec > limit ? 0 : vectors_from(need);
}

/* The lanes of a row: those that cost least. Few rows get more lanes, for which they have no other
 * use. Marks the blocks that go through local memory. */
static void shape_rows(gnd__cg *c, gnd__rows *w)
{
    const gnd__kir *k = c->k;
    const int64_t m = gnd__kir_kept(k);
    const int most = most_elements(k), largest = largest_group(k, c->t),
              group = (int)gnd__cg_group(c, GROUP);
    uint8_t block[GND__KIR_ACCESS];
    int64_t best = -1;
    int blocks = 0, wide = k->nred == 1 ? gnd__cg_vector_width(k, k->nkeep, 0, 0) : 1;
    while (wide > most)
        wide /= 2;
    const int bytes = gnd__rows_blocks(k, wide, block);
    for (int lanes = 1; lanes <= largest && (lanes <= MAX_GROUP || best < 0); lanes *= 2) {
        int vec = 1, nvec = bytes ? vectors_of(k, lanes, 1, most, largest) : 0;
        int local = gnd__rows_block_group(c->t, lanes, lanes * nvec, bytes, group);
        const int whole = nvec && local;
        if (!whole) {
            vec = wide;
            nvec = vectors_of(k, lanes, vec, most, largest);
            local = group < lanes ? lanes : group;
        }
        if (!nvec)
            continue;
        const int64_t cost = cost_of(k, lanes, vec, nvec, whole ? bytes : 0, block);
        const int idle = m * lanes < FEW_LANES && lanes <= GROUP && nvec * vec > 4;
        if (best < 0 || cost < best) {
            w->lanes = lanes;
            w->vec = vec;
            w->nvec = nvec;
            w->local = local;
            blocks = whole;
            best = idle ? INT64_MAX : cost;
        }
    }
    if (blocks)
        memcpy(c->vector.block, block, sizeof block);
    w->full = gnd__kir_reduced(k) == (int64_t)w->lanes * w->nvec * w->vec;
    w->sure = 0; /* rows of fewer vectors than these would have another kernel */
    for (int i = 0; steps[i] < w->nvec; i++)
        w->sure = steps[i];
}

/* The data that fill the shapes of kernels/rows_gpu.cl. */
typedef struct row_writer {
    gnd__cg *c;
    gnd__rows w;
    int last;                      /* axis */
    unsigned points;               /* bits: outputs with a value for each element of a row */
    int outputs;                   /* these are being written */
    uint8_t there[GND__KIR_INSTR]; /* values that are in registers */
    uint8_t need[GND__KIR_INSTR];  /* what the stage being written needs */
} row_writer;

/* Whether the stage needs instruction i, a load along the row that was not made yet: of an array
 * that is kept, or where it is used. */
static int is_due(const row_writer *r, int i, int kept)
{
    return r->need[i] && gnd__rows_is_run(r->c->k, i) && !r->there[i] && r->w.kept[i] == kept;
}

static void write_elements(void *who, const gnd__holeargs *a)
{
    row_writer *r = who;
    gnd__cg *c = r->c;
    (void)a;
    for (int i = 0; i < c->k->ninstr; i++) {
        const gnd__instr *in = &c->k->instr[i];
        if (!is_due(r, i, 1))
            continue;
        gnd__cgf(c, "    w%d[e_] = gnd_ld_%s(", i, gnd__suffix((gnd_dtype)in->dtype));
        if (r->w.vec > 1) {
            gnd__cgf(c, "u%d.s, l", in->ref);
        } else {
            gnd__cg_element(c, in->ref);
        }
        gnd__cgf(c, ");\n");
        r->there[i] = 1;
    }
}

static void write_loads(void *who, const gnd__holeargs *a)
{
    row_writer *r = who;
    gnd__cg *c = r->c;
    const gnd__kir *k = c->k;
    const gnd__hole own[] = {
        {"kept", .number = k->nkeep},    {"axes", .number = r->last + 1},
        {"lanes", .number = r->w.lanes}, {"nvec", .number = r->w.nvec},
        {"vec", .number = r->w.vec},     {"vectors", .number = r->w.vec > 1},
        {"full", .number = r->w.full},   {"elements", .write = write_elements},
    };
    int any = 0;
    (void)a;
    for (int i = 0; i < k->ninstr; i++)
        if (is_due(r, i, 1)) {
            any = 1;
            c->vector.on[k->instr[i].ref] = r->w.vec > 1;
        }
    if (any)
        gnd__cg_shape_of(c, "rows_gpu_loads", own, r);
    memset(c->vector.on, 0, sizeof c->vector.on);
}

static void write_whole(void *who, const gnd__holeargs *a)
{
    row_writer *r = who;
    (void)a;
    gnd__rows_whole(r->c, &r->w, r->need);
}

static void write_values(void *who, const gnd__holeargs *a)
{
    row_writer *r = who;
    (void)a;
    gnd__rows_pick(r->c->k, &r->w, r->need, r->there);
    r->c->vector.width = r->w.vec;
    gnd__rows_values(r->c, &r->w);
    r->c->vector.width = 1;
}

/* Declares the vectors of the outputs that are contiguous along the row, reads those of loads that
 * are made where they are used, and marks both. */
static void write_vectors(void *who, const gnd__holeargs *a)
{
    row_writer *r = who;
    gnd__cg *c = r->c;
    (void)a;
    for (int i = 0; i < c->k->ninstr; i++)
        if (is_due(r, i, 0))
            c->vector.on[c->k->instr[i].ref] = 1;
    for (int j = 0; j < c->k->nout && r->outputs; j++) {
        const gnd__access *x = &c->k->access[c->k->out[j].access];
        c->vector.on[c->k->out[j].access] = x->stride[r->last] == 1 && !x->epilogue;
    }
    c->vector.width = r->w.vec;
    gnd__cg_vector_loads(c);
    c->vector.width = 1;
}

/* Processes the elements of the row: they go into the accumulators, or the outputs. */
static void fill_row(row_writer *r, int outputs)
{
    gnd__cg *c = r->c;
    r->outputs = outputs;
    const gnd__hole own[] = {
        {"kept", .number = c->k->nkeep},
        {"axes", .number = r->last + 1},
        {"last", .number = r->last},
        {"lanes", .number = r->w.lanes},
        {"nvec", .number = r->w.nvec},
        {"vec", .number = r->w.vec},
        {"vectors", .number = r->w.vec > 1},
        {"within", .text = r->w.full ? (outputs ? "live" : "1")
                           : outputs ? "(n < sure || x0 < R) && live"
                                     : "n < sure || x0 < R"},
        {"outputs", .number = outputs},
        {"index", .text = r->w.vec > 1 ? "x0 + l" : "x0"},
        {"whole", .write = write_whole},
        {"loads", .write = write_loads},
        {"stage_values", .write = write_values},
        {"row_vectors", .write = write_vectors},
    };
    gnd__cg_shape_of(c, "rows_gpu_row", own, r);
    memset(c->vector.on, 0, sizeof c->vector.on);
}

static void write_row(void *who, const gnd__holeargs *a)
{
    (void)a;
    fill_row(who, 0);
}

/* The reductions of stage s. */
static void reduce_stage(row_writer *r, int s)
{
    gnd__cg *c = r->c;
    const gnd__hole own[] = {
        {"lanes", .number = r->w.lanes},
        {"shared", .number = r->w.lanes > 1},
        {"row", .write = write_row},
    };
    gnd__rows_only(c, &r->w, s);
    gnd__cg_shape_of(c, "rows_gpu_reduce", own, r);
    c->keys = 0; /* of this stage's results */
    c->part.skip_red = 0;
}

/* The outputs that have a value for each element of the row. */
static void write_points(row_writer *r)
{
    gnd__cg *c = r->c;
    c->part.skip_out = ~r->points;
    fill_row(r, 1);
    c->part.skip_out = 0;
}

static void write_stages(void *who, const gnd__holeargs *a)
{
    row_writer *r = who;
    (void)a;
    for (int s = 0; s <= r->w.nstage; s++) {
        r->w.current = s;
        gnd__rows_needed(r->c->k, &r->w, s, 0, r->there, r->need);
        if (s < r->w.nstage)
            reduce_stage(r, s);
        else if (r->points)
            write_points(r);
        gnd__rows_saved(r->c->k, &r->w, r->there);
    }
}

static void write_arrays(void *who, const gnd__holeargs *a)
{
    const row_writer *r = who;
    (void)a;
    gnd__rows_arrays(r->c, &r->w, r->w.vec * r->w.nvec);
}

static void write_output_loads(void *who, const gnd__holeargs *a)
{
    const row_writer *r = who;
    (void)a;
    gnd__rows_output_loads(r->c);
}

static void write_block_rows(void *who, const gnd__holeargs *a)
{
    const row_writer *r = who;
    (void)a;
    gnd__rows_block_rows(r->c);
}

static void write_gets(void *who, const gnd__holeargs *a)
{
    const row_writer *r = who;
    (void)a;
    gnd__rows_block_moves(r->c, &r->w, 0);
}

static void write_puts(void *who, const gnd__holeargs *a)
{
    const row_writer *r = who;
    (void)a;
    gnd__rows_block_moves(r->c, &r->w, 1);
}

static void write_row_outputs(void *who, const gnd__holeargs *a)
{
    const row_writer *r = who;
    (void)a;
    gnd__rows_outputs(r->c, r->points);
}

/* Whether inputs, or outputs, have blocks. */
static int has_blocks(const gnd__cg *c, int outputs)
{
    int any = 0;
    for (int i = 0; i < c->k->naccess; i++)
        any |= c->vector.block[i] && gnd__cg_is_output(c->k, i) == outputs;
    return any;
}

gnd_status gnd__cg_rows(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int64_t m = gnd__kir_kept(k);
    row_writer r = {.c = c, .last = k->nkeep + k->nred - 1};
    gnd__rows_stages(k, &r.w);
    gnd__rows_kept(k, &r.w, 1);
    shape_rows(c, &r.w);
    r.points = gnd__rows_points(k);
    gnd__cg_begin(c, 0, "k_rows");
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, r.last + 1);
    gnd__cg_const_args(c, 2);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "R", gnd__kir_reduced(k));
    c->keys = 1; /* in local memory */
    if (r.w.lanes > 1 && !gnd__acc_in_warp(c, r.w.lanes))
        gnd__acc_shared(c, r.w.local);
    c->keys = 0;
    gnd__rows_block_arrays(c, &r.w);
    const int rows = r.w.local / r.w.lanes;
    const gnd__hole own[] = {
        {"kept", .number = k->nkeep},
        {"lanes", .number = r.w.lanes},
        {"rows", .number = rows},
        {"sure", .number = r.w.sure},
        {"arrays", .write = write_arrays},
        {"stages", .write = write_stages},
        {"blocks", .number = has_blocks(c, 0) || has_blocks(c, 1)},
        {"reads", .number = has_blocks(c, 0)},
        {"writes", .number = has_blocks(c, 1)},
        {"block_rows", .write = write_block_rows},
        {"gets", .write = write_gets},
        {"puts", .write = write_puts},
        {"some", .number = r.points != (1u << k->nout) - 1},
        {"output_loads", .write = write_output_loads},
        {"row_outputs", .write = write_row_outputs},
    };
    gnd__cg_shape_of(c, "rows_gpu", own, &r);
    const size_t local = (size_t)r.w.local, global = (size_t)((m + rows - 1) / rows) * local;
    return gnd__cg_end(c, 1, &global, &local);
}
