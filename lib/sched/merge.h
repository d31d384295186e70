/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/merge.h - runs of small launches as one: for lists that are run often where each launch costs the host
 * much, as by OpenCL. A run of consecutive launches becomes one launch of a kernel (codegen/merge.h) that walks
 * through a table of them. The same functions on the same numbers in the same order: the same bits.
 */
#ifndef GND_SCHED_MERGE_H
#define GND_SCHED_MERGE_H

#include "device/gate.h"
#include "codegen/codegen.h"

typedef struct gnd__merged {
    int n;                  /* launches; 0: nothing was merged, and there is nothing to free */
    gnd__kernel **kernel;
    gnd_launch *launch;
    gnd_karg *args;         /* of the launches that are merged ones; the others' are those that were given */
    gnd__block *table;
} gnd__merged;

/* Whether a list of d that has been run so often is to be merged: once, where its launches cost the host much. */
int gnd__merge_due(const gnd__gdev *d, unsigned runs);
/* Merges what can be of the launches l[i] of k[i], whose arithmetic is work[i]; compiles, takes memory, waits for
 * nothing. The launches stay the caller's and outlive the result. Whatever fails, GND_ERR_NOMEM too, means that they
 * go on as they are, and leaves nothing. */
gnd_status gnd__merge(gnd__gdev *d, int n, gnd__kernel *const *k, const gnd_launch *l, const int64_t *work,
                      gnd__merged *out, gnd_err *e);
/* The queue has settled. */
void gnd__merged_free(gnd__gdev *d, gnd__merged *m);

/* For tests: after how many runs lists are merged, also where lists cost little and while memory is counted; 0: as
 * usual. */
void gnd__merge_force(int runs);

#endif
