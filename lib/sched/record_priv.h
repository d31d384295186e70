/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/record_priv.h - the parts of a recording, for record.c, which makes it with record_steps.c,
 * and replay.c, which runs it.
 */
#ifndef GND_SCHED_RECORD_PRIV_H
#define GND_SCHED_RECORD_PRIV_H

#include "sched/here.h"
#include "sched/merge.h"
#include "sched/record.h"

/* Memory that belongs only to the recording. */
typedef struct gnd__rblock {
    gnd__block *b;
    int busy; /* a slot of the plan uses it while the recording is made */
} gnd__rblock;

/* One call of the backend: a list of launches, launches, or a library call. */
typedef struct gnd__ritem {
    gnd__stype type;
    /* GND__S_LAUNCH: n launches, in a list if there is one */
    int n;
    gnd__kernel **kernel;
    gnd_klaunch *launch;
    gnd_list *list;
    gnd__here_bound *here; /* what the calling thread runs instead, one for each launch; NULL: some
                              launch has no such form */
    unsigned runs;         /* number of runs by the device */
    int64_t *work;         /* arithmetic of each, from the plan */
    int one_by_one;        /* some of its values change, and the backend's lists cannot change them:
                              no list */
    int value, nvalue;     /* range of those values in the recording's list */
    unsigned merge_at;     /* number of runs after which gnd__merge is called; 0: never */
    gnd__merged merged;    /* the merged launches and their list */
    gnd_list *merged_list;
    int64_t took, merged_took; /* ns of the fastest timed run of each list; 0: none */
    int trials;                /* runs of the merged list that remain to be timed */
    gnd_gemm gemm;
    gnd_fft_desc fft;
    gnd__solve_call solve;
    char label[160];
} gnd__ritem;

enum { GND__RUSE_HERE = -1 };

/* An operand of a launch (or of a library call) whose memory is a place. */
typedef struct gnd__ruse {
    int item, launch, arg;
    int32_t place;
    int esize; /* 0: the buffer; GND__RUSE_HERE: access `arg` of `here`; else the argument is an
                  offset in units of so many bytes */
} gnd__ruse;

/* A block as arguments have it. It may be freed since. */
typedef struct gnd__rbound {
    gnd__block *block;
    gnd_buf *buf;
    size_t off;
    char *address; /* or NULL */
} gnd__rbound;

/* lend.c: the block of a place by which versions are found. */
gnd__block *gnd__place_key(const gnd__rplace *p);
/* Ends the loan of a place, which needs another block then. */
void gnd__place_back(gnd__rplace *p);
/* Where the arguments of version v have place k. */
gnd__rbound gnd__version_bound(const gnd__recorded *r, const gnd__rversion *v, int k);
/* Changes the arguments of v to where the places are. */
gnd_status gnd__version_bind(gnd__recorded *r, gnd__rversion *v, gnd_err *e);
/* replay.c: changes an operand of t to block `to`. */
void gnd__ritem_move(gnd__ritem *t, const gnd__ruse *u, const gnd__rbound *from, gnd__block *to);
/* Whether some launches of v are in a list. */
int gnd__version_has_lists(const gnd__rversion *v);
/* GND_ERR_NOMEM. */
gnd_status gnd__rnomem(gnd_err *e);
/* Stores all steps of p as items of r->first. The slots that s->keep marks keep their memory. */
gnd_status gnd__record_steps(gnd__recorded *r, gnd__sched *s, gnd__plan *p, gnd_err *e);
/* Whether an output in this slot could be fed to an input. Its memory may then be exchanged with
 * the input's, so nothing else may use it. */
int gnd__record_is_place(const gnd__recorded *r, const gnd__sched *s, const gnd__plan *p,
                         int32_t slot);
/* Takes memory of the recording for a slot that has none. */
gnd_status gnd__record_need(gnd__recorded *r, gnd__sched *s, const gnd__plan *p, int32_t slot,
                            gnd_err *e);
/* Block b no longer belongs to the recording: a storage owns it. */
void gnd__record_disown(gnd__recorded *r, const gnd__block *b);
/* Removes what the calling thread would run instead of the launches of t. */
void gnd__ritem_here_free(gnd__ritem *t);
/* Copies the launch with arguments of its own. */
gnd_status gnd__copy_launch(gnd_klaunch *to, const gnd_klaunch *from, gnd_err *e);
/* The place of a storage; -1: it is not a place. */
int32_t gnd__rplace_of(const gnd__recorded *r, const gnd__storage *st);
/* numbers.c: whether some argument of step st of the graph that is being recorded is a number. */
int gnd__step_has_number(const gnd__pgraph *g, const gnd__step *st);
/* Notes the arguments of step st, launch `launch` of the item t that is being made, that are
 * numbers. */
gnd_status gnd__note_values(gnd__recorded *r, const gnd__pgraph *g, const gnd__step *st,
                            gnd__ritem *t, int launch, gnd_err *e);
/* Writes the numbers that changed to version v. */
gnd_status gnd__put_values(gnd__recorded *r, gnd__rversion *v, gnd_err *e);
/* Gives each place that runs write its own block. A run begins with this. */
void gnd__recorded_apart(gnd__recorded *r);
/* The version for the current blocks of the places. */
gnd_status gnd__version_here(gnd__recorded *r, gnd__rversion **out, gnd_err *e);
/* Makes the lists of a version's launches. */
gnd_status gnd__version_lists(gnd__recorded *r, gnd__rversion *v, gnd_err *e);

#endif
