/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/rows_cpu.c - kernels of rows on CPU devices: a work-item takes some rows one after
 * another.
 *
 * Each stage goes through the row in blocks of 64 lanes, as reductions do on CPUs; after the first
 * one the row comes from the cache. Elementary functions that are needed again are kept in an
 * array.
 */
#include "codegen/holes.h"
#include "codegen/rows.h"

#include <string.h>

#define LANES 64
#define MOST 16384     /* most elements of a row */
#define MOST_KEPT 4096 /* the same if values are kept, in at most KEPT arrays */
#define KEPT 2
#define FEWEST 16 /* fewest rows, so that all cores have work */

static int count_kept(const gnd__kir *k)
{
    gnd__rows w;
    int n = 0;
    memset(&w, 0, sizeof w);
    gnd__rows_stages(k, &w);
    gnd__rows_kept(k, &w, 0);
    for (int i = 0; i < k->ninstr; i++)
        n += w.kept[i];
    return n;
}

int gnd__rows_fit_cpu(const gnd__kir *whole)
{
    gnd__kir k = *whole;
    const int kept = count_kept(whole);
    int contiguous = 1;
    gnd__kir_collapse(&k);
    for (int i = 0; i < k.naccess; i++)
        contiguous &= k.access[i].epilogue || k.access[i].stride[k.nkeep] == 0 ||
                      k.access[i].stride[k.nkeep] == 1;
    return k.nred == 1 && contiguous && k.dim[k.nkeep] <= (kept ? MOST_KEPT : MOST) &&
           kept <= KEPT && k.dim[k.nkeep] >= LANES && gnd__kir_kept(&k) >= FEWEST;
}

/* The data that fill the shapes of kernels/rows_cpu.cl. */
typedef struct row_writer {
    gnd__cg *c;
    gnd__rows w;
    int last;                      /* axis */
    unsigned points;               /* bits: outputs with a value for each element of a row */
    uint8_t there[GND__KIR_INSTR]; /* values that are kept in arrays */
} row_writer;

static void write_arrays(void *who, const gnd__holeargs *a)
{
    const row_writer *r = who;
    (void)a;
    gnd__rows_arrays(r->c, &r->w, MOST_KEPT + LANES / 2); /* and the last run's end */
}

static void write_values(void *who, const gnd__holeargs *a)
{
    const row_writer *r = who;
    (void)a;
    gnd__rows_values(r->c, &r->w);
}

/* How each instruction gets its value in stage s. */
static void pick_values(row_writer *r, int s)
{
    uint8_t need[GND__KIR_INSTR];
    r->w.current = s;
    gnd__rows_needed(r->c->k, &r->w, s, 0, r->there, need);
    gnd__rows_pick(r->c->k, &r->w, need, r->there);
}

static void write_stages(void *who, const gnd__holeargs *a)
{
    row_writer *r = who;
    const int light = gnd__cg_light_lanes(r->c, r->last);
    const gnd__hole own[] = {
        {"last", .number = r->last},
        {"dear", .number = gnd__cg_rest_dear(r->c)},
        {"light", .number = light},
        {"abreast", .text = gnd__cg_abreast(r->c, light)},
        {"wide", .text = gnd__cg_abreast(r->c, 0)},
        {"stage_values", .write = write_values},
    };
    const gnd__hole points[] = {
        {"last", .number = r->last},
        {"wide", .text = gnd__cg_abreast(r->c, 0)},
        {"stage_values", .write = write_values},
    };
    (void)a;
    for (int s = 0; s <= r->w.nstage; s++) {
        pick_values(r, s);
        if (s < r->w.nstage) {
            gnd__rows_only(r->c, &r->w, s);
            gnd__cg_shape_of(r->c, "rows_cpu_reduce", own, r);
            r->c->part.skip_red = 0;
        } else if (r->points) {
            r->c->part.skip_out = ~r->points;
            gnd__cg_shape_of(r->c, "rows_cpu_points", points, r);
        }
        gnd__rows_saved(r->c->k, &r->w, r->there);
    }
}

static void write_row_outputs(void *who, const gnd__holeargs *a)
{
    const row_writer *r = who;
    (void)a;
    gnd__rows_outputs(r->c, r->points);
}

gnd_status gnd__cg_rows_cpu(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int64_t m = gnd__kir_kept(k), n = gnd__kir_reduced(k);
    int64_t each = 32768 / n < m / 64 ? 32768 / n : m / 64;
    size_t global, local = 1;
    row_writer r = {.c = c, .last = k->nkeep + k->nred - 1};
    const gnd__hole own[] = {
        {"kept", .number = k->nkeep},
        {"arrays", .write = write_arrays},
        {"stages", .write = write_stages},
        {"row_outputs", .write = write_row_outputs},
    };
    if (each < 1)
        each = 1;
    c->apart = 1;
    gnd__rows_stages(k, &r.w);
    gnd__rows_kept(k, &r.w, 0);
    r.points = gnd__rows_points(k);
    gnd__cg_begin(c, 0, "k_rows");
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, r.last + 1);
    gnd__cg_const_args(c, 2);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "R", n);
    gnd__cg_int(c, "G", each);
    gnd__cg_shape_of(c, "rows_cpu", own, &r);
    global = (size_t)((m + each - 1) / each);
    return gnd__cg_end(c, 1, &global, &local);
}
