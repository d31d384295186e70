/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/merge.h - merges small launches, for lists that are run often if each launch costs the host
 * much, as with OpenCL. A run of consecutive launches becomes one launch of a kernel
 * (codegen/merge.h) that goes through a table of them. It applies the same functions to the same
 * numbers in the same order, and so gives the same bits.
 */
#ifndef GND_SCHED_MERGE_H
#define GND_SCHED_MERGE_H

#include "device/gate.h"
#include "codegen/codegen.h"

/* Argument `arg` of launch `launch` of a list, a value, is number `number` of the caller's: it
 * changes from run to run (gnd__gate_list_value). */
typedef struct gnd__mvalue {
    int launch, arg, number;
} gnd__mvalue;

typedef struct gnd__merged {
    /* number of launches; 0: nothing was merged, and there is nothing to free */
    int n;
    gnd__kernel **kernel;
    gnd_klaunch *launch;
    /* arguments of the merged launches; the others keep theirs */
    gnd_karg *args;
    gnd__block *table;
    gnd__mvalue *value; /* the values that change of these launches, nvalue of them */
    int nvalue;
} gnd__merged;

/* When merging pays: before a list is considered, its runs are timed. If the merged kernels are in
 * the kernel cache, they are used after 32 runs. Otherwise they are compiled when the launches that
 * merging saves have taken as much time as compiling is expected to take. So the total time is at
 * most twice that of the better choice, however long the list is used. The first runs of the merged
 * list are timed too, and it is dropped if it is slower. */

enum { GND__MERGE_TRIALS = 3 }; /* timed runs, before and after; the least time counts */

/* The number of runs after which a list of d is first considered (gnd__merge); 0: never, because
 * its launches cost the host little. */
unsigned gnd__merge_first(const gnd__gdev *d);
/* Whether kernels of d need their form as a note (gnd__form), so that they can be merged later. */
int gnd__merge_wants(const gnd__gdev *d);
/* Launches, in order: l[i] of k[i], whose arithmetic is work[i], and what changes among their
 * values, by launch. took: the time of a run in ns. */
typedef struct gnd__mlist {
    int n, nvalue;
    int64_t took;
    gnd__kernel *const *k;
    const gnd_klaunch *l;
    const int64_t *work;
    const gnd__mvalue *value;
} gnd__mlist;

/* Merges what it can of a list that has run `runs` times. It may compile and allocate, but does not
 * wait. If merging does not pay yet nothing is merged, and *again is the number of runs after which
 * it will (0: never). The launches stay the caller's and must outlive the result. After any
 * failure, also GND_ERR_NOMEM, the launches remain usable as they are and nothing is left behind.
 */
gnd_status gnd__merge(gnd__gdev *d, unsigned runs, const gnd__mlist *list, unsigned *again,
                      gnd__merged *out, gnd_err *e);
/* Whether a merged list whose runs take `merged` ns is better than the list, which takes `took`. */
int gnd__merge_keeps(int64_t took, int64_t merged);
/* The queue must have settled. */
void gnd__merged_free(gnd__gdev *d, gnd__merged *m);

/* For tests: the numbers of runs after which lists are considered and after which compiling
 * pays, also for lists that cost little, and whether merged lists are kept; 0, 0, 0: as usual. */
void gnd__merge_force(int first, int pays, int keep);

#endif
