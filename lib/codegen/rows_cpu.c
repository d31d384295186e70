/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/rows_cpu.c - kernels of rows on CPU devices: a work-item takes some rows one after
 * another.
 *
 * Each stage walks the row in blocks of 64 lanes, as reductions do on CPUs; after the first one the
 * row comes from the cache. Elementary functions that are needed again are kept in an array.
 */
#include "codegen/rows.h"

#include <stdio.h>
#include <string.h>

#define LANES 64
#define MOST 16384     /* elements of a row */
#define MOST_KEPT 4096 /* the same, where values are kept: of at most KEPT arrays */
#define KEPT 2
#define FEWEST 16 /* rows, so that all cores have some */

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

/* Values of the current stage, of element i. */
static void values(gnd__cg *c, const gnd__rows *w)
{
    gnd__cgf(c, "    const int e_ = (int)i%d; (void)e_;\n", c->k->nkeep + c->k->nred - 1);
    c->pick = w->pick;
    gnd__cg_values(c, 0);
    c->pick = NULL;
}

/* The reductions of a stage over the row, into A. */
static void reduce(gnd__cg *c, const gnd__rows *w)
{
    const int last = c->k->nkeep + c->k->nred - 1;
    gnd__acc_declare(c, "A", "");
    gnd__acc_init(c, "A", "");
    gnd__cgf(c,
             "    {\n    I x = 0;\n    while (R - x >= %d) {\n"
             "    I kk = (R - x) / %d; if (kk > 16) kk = 16;\n",
             LANES, LANES);
    gnd__acc_declare(c, "L", "[64]");
    gnd__cgf(c, "    for (int l = 0; l < %d; l++) {\n", LANES);
    gnd__acc_init(c, "L", "[l]");
    gnd__cgf(c,
             "    }\n    for (I t = 0; t < kk; t++, x += %d)\n"
             "    for (int l = 0; l < %d; l++) {\n    const I i%d = x + l;\n",
             LANES, LANES, last);
    values(c, w);
    gnd__acc_step(c, "L", "[l]", "x + l");
    gnd__cgf(c, "    }\n    for (int h = %d; h > 0; h /= 2)\n    for (int l = 0; l < h; l++) {\n",
             LANES / 2);
    gnd__acc_combine(c, "L", "[l]", "L", "[l + h]", 0);
    gnd__cgf(c, "    }\n");
    gnd__acc_combine(c, "A", "", "L", "[0]", 1);
    gnd__cgf(c, "    }\n");
    gnd__acc_declare(c, "T", "");
    gnd__acc_init(c, "T", "");
    gnd__cgf(c, "    for (; x < R; x++) {\n    const I i%d = x;\n", last);
    values(c, w);
    gnd__acc_step(c, "T", "", "x");
    gnd__cgf(c, "    }\n");
    gnd__acc_combine(c, "A", "", "T", "", 1);
    gnd__cgf(c, "    }\n");
    gnd__acc_finish(c, "A", "");
}

gnd_status gnd__cg_rows_cpu(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    const int last = k->nkeep + k->nred - 1;
    const int64_t m = gnd__kir_kept(k), r = gnd__kir_reduced(k);
    int64_t each = 32768 / r < m / 64 ? 32768 / r : m / 64;
    uint8_t there[GND__KIR_INSTR], need[GND__KIR_INSTR];
    unsigned points = 0;
    size_t global, local = 1;
    gnd__rows w;
    if (each < 1)
        each = 1;
    memset(&w, 0, sizeof w);
    memset(there, 0, sizeof there);
    gnd__rows_stages(k, &w);
    gnd__rows_kept(k, &w, 0);
    for (unsigned j = 0, bit = 1; j < (unsigned)k->nout; j++, bit <<= 1)
        points |= k->access[k->out[j].access].epilogue ? 0 : bit;
    gnd__cg_begin(c, 0, "k_rows");
    gnd__cg_access_args(c, 2);
    gnd__cg_dim_args(c, 0, last + 1);
    gnd__cg_const_args(c, 2);
    gnd__cg_int(c, "M", m);
    gnd__cg_int(c, "R", r);
    gnd__cg_int(c, "G", each);
    for (int i = 0; i < k->ninstr; i++)
        if (w.kept[i])
            gnd__cgf(c, "    %s w%d[%d];\n", gnd__ctype_value((gnd_dtype)k->instr[i].dtype), i,
                     MOST_KEPT);
    gnd__cgf(c, "    I m1 = ((I)GND_GID(0) + 1) * G; if (m1 > M) m1 = M;\n"
                "    for (I m = (I)GND_GID(0) * G; m < m1; m++) {\n    I f = m;\n");
    gnd__cg_unflatten(c, "f", 0, k->nkeep);
    for (int s = 0; s <= w.nstage; s++) {
        gnd__rows_needed(k, &w, s, 0, there, need);
        for (int i = 0; i < k->ninstr; i++)
            w.pick[i] = !need[i]                    ? GND__PICK_NOT
                        : there[i]                  ? GND__PICK_TAKE
                        : w.kept[i] && s < w.nstage ? GND__PICK_SAVE
                                                    : GND__PICK_COMPUTE;
        if (s < w.nstage) {
            gnd__rows_only(c, &w, s);
            reduce(c, &w);
            c->skip_red = 0;
        } else if (points) {
            c->skip_out = ~points;
            gnd__cgf(c, "    for (I i%d = 0; i%d < R; i%d++) {\n", last, last, last);
            values(c, &w);
            gnd__cg_stores(c);
            gnd__cgf(c, "    }\n");
        }
        for (int i = 0; i < k->ninstr; i++)
            there[i] |= w.pick[i] == GND__PICK_SAVE;
    }
    c->skip_out = points;
    gnd__cg_values(c, 1);
    gnd__cg_stores(c);
    c->skip_out = 0;
    gnd__cgf(c, "    }\n");
    global = (size_t)((m + each - 1) / each);
    return gnd__cg_end(c, 1, &global, &local);
}
