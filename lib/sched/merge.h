/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/merge.h - runs of small launches as one: for lists that are run often where each launch
 * costs the host much, as by OpenCL. A run of consecutive launches becomes one launch of a kernel
 * (codegen/merge.h) that walks through a table of them. The same functions on the same numbers in
 * the same order: the same bits.
 */
#ifndef GND_SCHED_MERGE_H
#define GND_SCHED_MERGE_H

#include "device/gate.h"
#include "codegen/codegen.h"

typedef struct gnd__merged {
    int n; /* launches; 0: nothing was merged, and there is nothing to free */
    gnd__kernel **kernel;
    gnd_klaunch *launch;
    /* of the launches that are merged ones; the others' are those that were given */
    gnd_karg *args;
    gnd__block *table;
} gnd__merged;

/* When merging pays: kernels that are in the kernel cache are merged after 32 runs. Others are
 * compiled when the runs have cost the host as much time, for the launches that merging saves, as
 * compiling is expected to take: so never more than twice the time of the better of both ways is
 * spent, however long the list goes on. */

/* After how many runs a list of d is to be looked at first (gnd__merge); 0: never, its launches
 * cost the host little. */
unsigned gnd__merge_first(const gnd__gdev *d);
/* Whether kernels of d need their form as a note (gnd__form), to be merged some day. */
int gnd__merge_wants(const gnd__gdev *d);
/* Merges what can be of the launches l[i] of k[i], whose arithmetic is work[i], of a list that has
 * run `runs` times; compiles, takes memory, waits for nothing. When that does not pay yet nothing
 * is merged, and *again says after how many runs it will; 0: never. The launches stay the caller's
 * and outlive the result. Whatever fails, GND_ERR_NOMEM too, means that they go on as they are, and
 * leaves nothing. */
gnd_status gnd__merge(gnd__gdev *d, unsigned runs, int n, gnd__kernel *const *k,
                      const gnd_klaunch *l, const int64_t *work, unsigned *again, gnd__merged *out,
                      gnd_err *e);
/* The queue has settled. */
void gnd__merged_free(gnd__gdev *d, gnd__merged *m);

/* For tests: after how many runs lists are looked at, and after how many compiling pays, also where
 * lists cost little; 0: as usual. */
void gnd__merge_force(int first, int pays);

#endif
