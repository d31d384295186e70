/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/plan.h - plans: what is launched, in which order, in which memory; made once for a
 * structure of graph and run for every graph of that structure.
 *
 * A plan knows nodes by their number in the collected graph (fuse/fuse.h), never by pointer. All
 * functions are called with the device's lock held.
 */
#ifndef GND_SCHED_PLAN_H
#define GND_SCHED_PLAN_H

#include "device/gate.h"
#include "codegen/codegen.h"
#include "fuse/fuse.h"
#include "host/solve.h"

/* Memory of a plan: that of a node with elements, or memory that is taken while the plan runs. */
typedef struct gnd__pslot {
    int32_t node;      /* the node whose elements it holds; -1: scratch */
    uint8_t leaf;      /* 1: the node has them before the plan runs */
    int32_t last;      /* the last step that uses it; -1: none */
    int32_t next_dead; /* the next slot with the same last step, or -1 */
    size_t nbytes;
} gnd__pslot;

typedef enum gnd__stype { GND__S_LAUNCH, GND__S_GEMM, GND__S_FFT, GND__S_SOLVE } gnd__stype;

/* An argument of a launch; GND__A_PART is a slot like any other here. */
typedef struct gnd__sarg {
    uint8_t kind; /* gnd__akind */
    uint8_t size;
    uint8_t esize;   /* GND__A_OFF: bytes of the slot's elements */
    uint8_t written; /* GND__A_BUF of a user's kernel: whether the kernel writes there */
    int16_t dtype;   /* GND__A_CONST */
    int32_t ref;     /* slot, node of a constant, or number of a check */
    int64_t value;   /* GND__A_INT's value; GND__A_OFF: added to the leaf's own offset */
} gnd__sarg;

typedef struct gnd__step {
    gnd__stype type;
    uint8_t first; /* the first launch of a work: explain counts works */
    int32_t dead;  /* the first slot whose last use is this step, or -1 */
    gnd__kernel *kernel;
    int ndim;
    size_t global[3], local[3];
    int32_t nargs;
    gnd__sarg *arg;
    gnd_karg *karg; /* the arguments for the backend; made by the first run, as is launch */
    gnd_klaunch launch;
    gnd_gemm gemm;         /* buffers are filled in when it runs */
    int32_t gemm_slot[4];  /* slots of a, b, c and the addend, or -1 */
    int32_t gemm_const[2]; /* nodes of the constants alpha and beta, or -1: as in gemm */
    gnd_fft_desc fft;      /* filled in when it runs; arg: memory and offset of each operand */
    gnd_solve_desc solve;
    gnd__panel panel;       /* GND__S_SOLVE: used instead of solve if its kind is not 0 */
    uint8_t on_host, later; /* GND__S_SOLVE: gnd__solve_call */
    /* launches: slot `output` may be in the memory of slot `spent`, which no later step reads; -1:
     * none */
    int32_t spent, output;
    /* launches: 1 + the node of the user's kernel that overwrites an array; 0: none */
    int32_t over;
    int32_t prim; /* GND__S_SOLVE: the node it belongs to */
    char label[160];
    int64_t rd, wr;         /* bytes */
    int64_t work;           /* generated kernels: gnd__kir_work; 0: unknown */
    struct gnd__here *here; /* what the host may run instead; NULL: nothing (sched/here.h) */
    char *source;           /* kept for explain only */
} gnd__step;

/* The final location of a sink's elements. */
typedef struct gnd__presult {
    int32_t node, slot;
    int64_t off;
    uint8_t contig;
    uint8_t expensive; /* computing it again would cost more than its memory: sched/keep.c */
    int64_t *stride;   /* NULL when contiguous */
} gnd__presult;

/* Output k of launch `node`, whose node is not in the graph, or is in it with the same slot: memory
 * that the launch keeps for it. */
typedef struct gnd__ppart {
    int32_t node, slot;
    int k;
} gnd__ppart;

typedef struct gnd__plan {
    int32_t nslot, capslot, nstep, capstep, nresult, nnode, nexpensive;
    gnd__pslot *slot;
    gnd__step *step;
    gnd__presult
        *result;   /* sinks and roots, in order of their nodes; nexpensive of them are expensive */
    int32_t *nuse; /* for each node: how often it is an input within the graph */
    int repeats;   /* -1: its launches are never a list; 0: not known yet */
    struct gnd__repeat *repeat;      /* sched/repeat.c */
    uint64_t hash;                   /* hash of its key in the cache */
    size_t nbytes;                   /* approximate bytes, with that key */
    struct gnd__plan *newer, *older; /* neighbours in the cache, ordered by their last run */
    int32_t npart, cappart;          /* outputs of launches that are not nodes of the graph */
    gnd__ppart *part;
    int nlaunch;              /* users' kernels */
    int over;                 /* some step's `over` is set */
    int here;                 /* some of its steps have `here` */
    int32_t ncheck, capcheck; /* nodes whose indices the device checks */
    int32_t *check;
} gnd__plan;

typedef struct gnd__sched {
    struct gnd__table *cache; /* key -> plan */
    gnd__plan *newest, *oldest;
    size_t cached;     /* approximate bytes of keys and plans in it */
    gnd__pgraph graph; /* reused */
    /* reused by run, capblock entries each */
    gnd__block **block; /* of each slot */
    gnd__storage **st;  /* for each slot that nodes keep */
    int64_t **stride;   /* of each result */
    uint8_t *keep;      /* for each slot: whether its memory outlives the plan */
    uint8_t *retain;    /* for each result: gnd__retention */
    int32_t *spare;     /* slots whose memory a later step of this run may take over */
    int32_t nspare;
    int32_t capblock;
    uint8_t *live; /* for each node: scratch of keep.c */
    int32_t caplive;
    int kept;                   /* this run also keeps results without an owner */
    int frugal;                 /* memory is short: this run does not keep them */
    struct gnd__ctable *table;  /* of checks: sched/check.h */
    struct gnd__icheck **check; /* the checks of this run */
    uint64_t stamp;             /* the last that sched/check.c marked checks with */
    int32_t capcheck;
    int nlist;                     /* number of lists of its plans: sched/repeat.c */
    struct gnd__recorded *records; /* recordings that exist: sched/record.h */
} gnd__sched;

/* Makes storage with one owner on block b, which is returned to the pool with it. NULL: out of
 * memory. */
gnd__storage *gnd__storage_new(gnd_device *dev, gnd__block *b);

/* The scheduler of a device; made at first use. NULL: out of memory. */
gnd__sched *gnd__sched_of(gnd_device *dev);
/* Frees the cache when dev is closed, before its nodes are freed. dev is locked and idle. */
void gnd__sched_free(gnd_device *dev);
/* Drops all plans of dev, because tuned parameters have changed. dev is locked. */
void gnd__plans_forget(gnd_device *dev);

/* Makes the plan of a collected graph. want_source: keep texts and build nothing. */
gnd_status gnd__plan_make(gnd__pgraph *g, int want_source, gnd__plan **p, gnd_err *e);
void gnd__plan_free(gnd__plan *p);
/* Approximate bytes of host memory that p takes. */
size_t gnd__plan_bytes(const gnd__plan *p);
/* Runs it on the nodes of g; nodes get their elements. On failure no node changes. */
gnd_status gnd__plan_run(gnd__sched *s, gnd__plan *p, gnd__pgraph *g, gnd_err *e);

/* Parts of a run, for recordings. The plan of the collected graph: from the cache, or made now. */
gnd_status gnd__plan_find(gnd__sched *s, gnd__pgraph *g, gnd__plan **p, gnd_err *e);
/* keep.c: what happens to a result after the plan has run. */
typedef enum gnd__retention {
    GND__RETAIN_NOT = 0,
    GND__RETAIN_OWNED, /* it was asked for, or has an owner outside the graph */
    GND__RETAIN_KEPT   /* it was expensive, and something that has an owner and no elements needs it
                        */
} gnd__retention;
/* Chooses which results of p are kept: s->retain, which is allocated and all zero. Returns 1 if
 * some are kept, else 0, also if out of memory. */
int gnd__keep_choose(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g);
/* Counts the new storage st as kept until it is destroyed. */
void gnd__keep_count(gnd__storage *st);

/* Allocates the cleared state of a run of p. Marks the results that nodes get, and the slots whose
 * memory therefore outlives the plan. A node that is not marked stays without elements, even if a
 * view of it is made while the plan runs. Returns 0 if out of memory. */
int gnd__plan_room(gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g);
/* Takes a block of the pool for slot i, unless it has one. This and the following functions are in
 * bind.c. */
gnd_status gnd__plan_need(gnd__sched *s, const gnd__plan *p, gnd__gdev *d, int32_t i, gnd_err *e);
/* Where the elements of slot i begin in host memory; NULL: the host does not reach them. */
char *gnd__bind_address(const gnd__sched *s, const gnd__plan *p, const gnd__pgraph *g, int32_t i);
/* Sets k->u, and nothing else of *k, to constant a as a value of dtype t. */
void gnd__bind_constant(gnd_karg *k, const gnd_array *a, gnd_dtype t);
/* Prepares the arguments of a step's call. Slots without a block in s->block get one from the pool.
 * For a launch, the result is st->launch. */
gnd_status gnd__bind_launch(gnd__sched *s, gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                            gnd__step *st, gnd_err *e);
gnd_status gnd__bind_gemm(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                          const gnd__step *st, gnd_gemm *gemm, gnd_err *e);
gnd_status gnd__bind_fft(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                         const gnd__step *st, gnd_fft_desc *f, gnd_err *e);
gnd_status gnd__bind_solve(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g, gnd__gdev *d,
                           const gnd__step *st, gnd__solve_call *c, gnd_err *e);

/* --- repeat.c: the same launches again. Whether p's are of that kind; then all are bound first
 * (gnd__bind_launch) and made by gnd__repeat_run, one by one or as a list of the backend. */
int gnd__repeats(gnd__plan *p, gnd_device *dev);
gnd_status gnd__repeat_run(gnd__plan *p, gnd_err *e);
void gnd__repeat_free(gnd__plan *p);
/* For tests: a list is made after so many runs; 0: as usual. */
void gnd__repeat_force(int runs);

/* Evaluates n nodes of dev that have no elements: collect, plan (or find the plan), run. */
gnd_status gnd__evaluate(gnd_device *dev, int n, gnd_array *const *sink, gnd_err *e);
/* The text of gnd_explain. */
gnd_status gnd__plan_explain(const gnd__plan *p, const gnd__pgraph *g, unsigned flags,
                             gnd__str *out);
/* The names that the user gave to what a step reads and writes: "'a', 'b'"; "" when there are none.
 * Returns buf. */
#define GND__STEP_NAMES 256
const char *gnd__step_names(char buf[GND__STEP_NAMES], const gnd__plan *p, const gnd__pgraph *g,
                            const gnd__step *st);
/* Adds to e, an error about missing memory, which step needed it and for what. Returns code. */
gnd_status gnd__plan_lacks(const gnd__plan *p, const gnd__pgraph *g, int32_t slot, gnd_status code,
                           gnd_err *e);

#endif
