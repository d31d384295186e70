/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/merge_priv.h - runs of launches that are merged, for merge_find.c, which finds them, and
 * merge.c, which makes their launches.
 */
#ifndef GND_SCHED_MERGE_PRIV_H
#define GND_SCHED_MERGE_PRIV_H

#include "codegen/merge.h"
#include "sched/merge.h"

enum {
    GND__MERGE_FUNCTIONS = 32, /* most distinct kernels of a run */
    GND__MERGE_GROUP = 512 /* most work-items of a merged launch, on GPUs: 1024 are no faster and
                              have half the registers */
};

/* Launches that are merged into one. */
typedef struct gnd__mrun {
    int first, n;
    int nfn, nmem;
    gnd__kernel *fn[GND__MERGE_FUNCTIONS];
    gnd_buf *mem[GND__MERGE_MEMS];
    int nnumber, number[GND__MERGE_NUMBERS], nvalue;
    int64_t now[GND__MERGE_NUMBERS];
    size_t turns, text;
    size_t begin, len; /* in the table, in units of 8 bytes: the chunks, followed by the places
                          of numbers */
    gnd__kernel *kernel;
} gnd__mrun;

typedef struct gnd__merger {
    gnd__gdev *d;
    gnd__target target;
    size_t group;
    int n;
    gnd__kernel *const *k;
    const gnd_klaunch *l;
    const int64_t *work;
    int64_t took;
    const gnd__mvalue *value;
    int nvalue;
    gnd__mrun *runs;
    int nruns;
} gnd__merger;

/* Finds the runs of m: m->runs, which the caller frees, and m->nruns. */
gnd_status gnd__merger_find(gnd__merger *m, gnd_err *e);
/* The changing values of launch i: a pointer to the first, and their number *n. */
const gnd__mvalue *gnd__merger_values(const gnd__merger *m, int i, int *n);
/* The numbers of a kernel, a buffer and a number of the caller's in run r; the count of those in r
 * if it is not among them. */
int gnd__mrun_fn(const gnd__mrun *r, const gnd__kernel *k);
int gnd__mrun_mem(const gnd__mrun *r, const gnd_buf *b);
int gnd__mrun_number(const gnd__mrun *r, int number);

#endif
