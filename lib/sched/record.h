/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/record.h - recordings: a plan bound to memory of its own, to be run again and again. Its
 * inputs are placeholders: nodes without elements, for which the recording has memory. Its results
 * stay in its memory as well. So a run binds nothing, and the backend may have prepared all of it.
 *
 * An output that is fed to an input is not copied: memory changes places. Each input, and each
 * output as large as one, is a place, which has a block of its own and at any time is in one block
 * of those of its size. Several places may be in one block until one of them is written: then it
 * moves to a block in which no other is. For each assignment of blocks that runs meet there is a
 * version of the calls, with arguments of its own; loops have a few.
 *
 * An input that is set to an array is not copied either where launches take their arguments each
 * time (no list has them): the input is in the array's memory, which the recording holds until the
 * input is set, fed or written next (sched/lend.c).
 *
 * An input that is a number (gnd_placeholder_number) has no memory. The plan has a constant in its
 * place, so it is an argument of the kernels that use it, and where something needs it in memory a
 * kernel of the recording stores it. A version gets the numbers that have changed since its last
 * run when it runs.
 *
 * Launches that sched/here.h has loops for run on the calling thread while the device is idle.
 *
 * All functions are called with the device's lock held.
 */
#ifndef GND_SCHED_RECORD_H
#define GND_SCHED_RECORD_H

#include "sched/check.h"

struct gnd__rblock;
struct gnd__ritem;
struct gnd__ruse;

typedef struct gnd__rplace {
    gnd__storage *st; /* st->block is its current block */
    gnd__block *own;  /* its block when the recording was made; it is there again when the
                         recording is freed */
    size_t nbytes;
    int written;        /* by runs */
    gnd__storage *lent; /* an array's memory in which it is; NULL: in memory of the recording */
} gnd__rplace;

/* The calls for one assignment of blocks to places. */
typedef struct gnd__rversion {
    gnd__block **at; /* block of each place; NULL: its own. A lent place counts as in its own */
    struct gnd__rbound *bound; /* where its arguments have the places that are or were lent; NULL */
    struct gnd__ritem *item;
    int nitem;
    uint64_t used; /* the recording's run number at its last run */
    uint64_t sets; /* count of settings whose numbers its arguments have */
} gnd__rversion;

enum { GND__VERSIONS = 6 };

typedef struct gnd__recorded {
    struct gnd__recorded *prev, *next; /* the device's recordings */
    struct gnd__recorded **owner;      /* set to NULL when the device closes */
    gnd_device *dev;
    int nin, nout;
    gnd_array **in, **out; /* GND__DATA nodes whose elements are in the recording's memory; numbers:
                              GND__CONST */
    uint64_t *set, sets;   /* for each number input: the count of settings at its last setting */
    struct gnd__mvalue *value; /* the arguments that are numbers, by item: gnd__ritem */
    int nvalue, capvalue;
    struct gnd__pnumber *number; /* while the recording is made: the placeholder of each input */
    gnd__storage **held;         /* memory of other owners that it reads */
    int nheld;
    struct gnd__rblock *block;
    int nblock, capblock;
    gnd__rplace *place;
    int nplace;
    struct gnd__ruse *use; /* the operands that a version changes */
    int nuse, capuse;
    gnd__rversion first; /* as it was recorded: each place in its own block */
    gnd__rversion other[GND__VERSIONS];
    int nother;
    uint64_t runs;
    int lends;                  /* some place is lent or was */
    struct gnd__cycle *cycle;   /* the loop over it, or NULL */
    struct gnd__checks *checks; /* checks of indices */
} gnd__recorded;

/* Records how out[] come from in[], placeholders of dev, all different. out[] are of dev and depend
 * on no other placeholder (GND_ERR_STATE). Nothing runs. *owner is where the caller keeps the
 * result. */
gnd_status gnd__recorded_make(gnd_device *dev, int nin, gnd_array *const *in, int nout,
                              gnd_array *const *out, gnd__recorded **owner, gnd_err *e);
/* Makes the current stream wait for work of other streams on the memory that runs use. */
gnd_status gnd__recorded_use(gnd__recorded *r, gnd_err *e);
/* Enqueues all calls of one run. */
gnd_status gnd__recorded_run(gnd__recorded *r, gnd_err *e);
/* The block that gives input i the elements of output o, which has its dtype and shape. NULL: a
 * copy is needed. */
gnd__block *gnd__recorded_block(const gnd__recorded *r, int o, int i);
/* Moves input i to block b, a result of gnd__recorded_block. */
void gnd__recorded_place(gnd__recorded *r, int i, gnd__block *b);
/* Whether output o is an input or a view of one. */
int gnd__recorded_is_input(const gnd__recorded *r, int o);
/* Call before input i is written: gives it memory that no other place uses. */
void gnd__recorded_write(gnd__recorded *r, int i);
/* Moves input i to the memory of c, which has its elements in C order, if runs can follow it there.
 * Returns 0 if the elements must be copied. */
int gnd__recorded_lend(gnd__recorded *r, int i, gnd_array *c);
/* Copies the elements of lent places to memory of the recording. */
gnd_status gnd__recorded_own(gnd__recorded *r, gnd_err *e);
/* Whether input i is a number. The functions below for places do not accept numbers. */
int gnd__recorded_by_value(const gnd__recorded *r, int i);
/* Sets input i, a number, to v, a value of its dtype, for all later runs. */
void gnd__recorded_value(gnd__recorded *r, int i, const gnd__scalar *v);
/* Writes the constant c, a device scalar of input i's dtype, to input i of shape (), as a kernel
 * argument. */
gnd_status gnd__recorded_number(gnd__recorded *r, int i, gnd_array *c, gnd_err *e);
/* Makes a loop on the device. After each run outputs o[k] are fed to inputs i[k], until output
 * `word`, an int64, is negative or reaches a limit. *steps is the number of steps after which
 * memory is where it was; 0: this recording, or this device, has no such loop (the log says why).
 * Nothing runs. */
gnd_status gnd__cycle_make(gnd__recorded *r, int n, const int *o, const int *i, int word,
                           int *steps, gnd_err *e);
/* Runs the loop after `made` steps, until its word is negative or `limit` steps have been made, and
 * waits. *word is the word after the last step. */
gnd_status gnd__cycle_run(gnd__recorded *r, int64_t made, int64_t limit, int64_t *word, gnd_err *e);
/* Waits for the device if there is a loop, and frees it. */
gnd_status gnd__cycle_free(gnd__recorded *r, gnd_err *e);
/* Frees the recording; waits for the device first. If waiting fails, the recording is freed too and
 * the failure is returned. */
gnd_status gnd__recorded_free(gnd__recorded *r, gnd_err *e);

#endif
