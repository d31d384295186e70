/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/gate.h - the only access to backends: finds, loads and checks plugins, opens devices, and
 * calls them. Knows nothing of arrays or graphs. Only host, prim, sched, array and ops call it.
 *
 * Every call below takes an open device and is made with its lock held (gnd__gate_lock), except
 * listing and opening. Missing optional slots are reported in one place, by name.
 */
#ifndef GND_DEVICE_GATE_H
#define GND_DEVICE_GATE_H

#include <gnd/backend.h>
#include <pthread.h>
#include "base/fork.h"
#include "base/strbuf.h"
#include "base/tune.h"

/* The tables of one loaded backend, copied and zero-extended to the sizes that this core knows. */
typedef struct gnd__backend {
    char name[32];
    char version[64];
    char path[4096]; /* file it was loaded from; "" if built in */
    gnd_err why;     /* why it cannot be used (code != 0), or why it has no device */
    int ndev;        /* number of its devices */
    gnd_device_ops device;
    gnd_memory_ops memory;
    gnd_queue_ops queue;
    gnd_program_ops program;
    gnd_blas_ops blas; /* all zero when absent */
    int has_blas;
    gnd_fft_ops fft; /* likewise */
    int has_fft;
    gnd_solver_ops solver; /* likewise */
    int has_solver;
    gnd_replay_ops replay; /* likewise */
    int has_replay;
} gnd__backend;

/* Counters of one device since it was opened, as gnd_device_stats() shows them. */
typedef struct gnd__counters {
    uint64_t launches, builds, disk_loads, disk_stores, mem_hits; /* kernels */
    uint64_t progs, prog_bytes, progs_dropped;                    /* programs in memory */
    uint64_t bytes_in_use, bytes_peak, bytes_held, bytes_kept, allocs, backend_allocs,
        trims;                        /* pool */
    uint64_t plans, plan_hits, calls; /* sched */
    uint64_t bytes_h2d, bytes_d2h;
} gnd__counters;

struct gnd__pool;
struct gnd__progcache;
struct gnd__trace;
struct gnd__streams;

/* One open device. */
typedef struct gnd__gdev {
    const gnd__backend *be;
    int index;   /* index of the device within its backend */
    char id[64]; /* "opencl:0" */
    gnd_props props;
    gnd_dev *dev;
    gnd_queue *queue; /* queue of the current stream of the thread that holds the lock */
    struct gnd__streams *streams; /* device/stream.h; NULL: only the default stream so far */
    int worked;  /* something was enqueued since the lock was taken; undefined without streams */
    int pending; /* something was enqueued since the host waited for the default stream */
    int reaches; /* all buffers of the pool have an address in host memory */
    int exposed; /* the native queue of the default stream was given out */
    pthread_mutex_t lock; /* recursive */
    struct gnd__pool *pool;
    struct gnd__progcache *progs;
    uint64_t segs_gone; /* buffers given back; their addresses may be reused */
    int starved;        /* a call outside the pool ran out of memory that the pool may be keeping */
    gnd__counters n;
    struct gnd__trace *trace; /* device/trace.h; NULL: tracing is off */
    gnd__tune tune;           /* base/tune.h: parameters of kernels */
    int tuned;                /* whether they come from the file */
    int64_t compile_ns;       /* ns spent on compiling kernels */
    int compile_said;         /* whether compiling.c has reported it */
    gnd_err tune_err;         /* why the file is not used, or why the last operation on it failed */
    int depth;                /* how often the lock's holder has taken it */
    struct gnd__foreign *dropped; /* foreign blocks whose owners are not told yet: foreign.c */
    uint64_t holds;               /* number of holds that outlive gnd__gate_close */
    int closed;                   /* closed, and waiting for the last of them */
    unsigned native; /* its number, from 1, if gnd__gate_open_native opened it; else 0 */
} gnd__gdev;

/* --- finding and opening -------------------------------------------------------------------- */

/* Lists all backends in order of preference (cuda, opencl, then others by name; "null" last), and
 * loads those not loaded yet. (Opening a device loads only what it needs.) Never fails: an unusable
 * backend has the reason in `why`. */
int gnd__gate_backends(const gnd__backend *const **list);
/* Problems with the search itself, one line each: a relative entry of GND_BACKEND_PATH, or a folder
 * that cannot be read. For the list of devices. Owned by the gate. */
int gnd__gate_notes(const char *const **list);
/* The folders searched for plugins, as "DIR, DIR" (owned by the gate). */
const char *gnd__gate_where(void);
/* The properties of device i of b. */
gnd_status gnd__gate_props(const gnd__backend *b, int i, gnd_props *p, gnd_err *e);
/* Opens the device that spec names: "opencl:1"; "opencl:pocl" (text found in platform, name or
 * vendor, any case); "cuda"; "pocl" (any backend). NULL or "": GND_DEVICE, else the best device
 * present (CUDA, then OpenCL GPUs, then OpenCL CPUs; never null). The message of a failure lists
 * the devices present. */
gnd_status gnd__gate_open(const char *spec, gnd__gdev **d, gnd_err *e);
/* Finds what gnd__gate_open would open, without opening it. */
gnd_status gnd__gate_resolve(const char *spec, const gnd__backend **b, int *index, gnd_err *e);
/* Opens the device of an application's context, to work in the application's queue. backend is a
 * name, "opencl". The id is that of the device and a number of its own: "opencl:0@1". */
gnd_status gnd__gate_open_native(const char *backend, const gnd_dev_native *n, gnd__gdev **d,
                                 gnd_err *e);
/* Waits for the device, then frees its pool, programs and queue, and the device itself. If
 * something holds the device, this happens when the last hold ends. */
void gnd__gate_close(gnd__gdev *d);
/* A hold keeps the device's memory after gnd__gate_close. The lock is held for the first, and not
 * for the second, which may free d. */
void gnd__gate_hold(gnd__gdev *d);
void gnd__gate_drop(gnd__gdev *d);
/* In a forked child whose devices are lost (base/fork.h) locking does nothing, and callers must do
 * nothing under it. */
void gnd__streams_enter(gnd__gdev *d);
static inline void gnd__gate_lock(gnd__gdev *d)
{
    if (!gnd__forked) {
        pthread_mutex_lock(&d->lock);
        if (d->depth++ == 0 && __builtin_expect(d->streams != NULL, 0))
            gnd__streams_enter(d);
    }
}
/* Ends what was done in the current stream, unlocks d, and then tells the owners of the foreign
 * blocks that were freed meanwhile. */
void gnd__foreign_unlock(gnd__gdev *d);
static inline void gnd__gate_unlock(gnd__gdev *d)
{
    if (gnd__forked)
        return;
    if (__builtin_expect(d->depth == 1 && (d->dropped != NULL || d->streams != NULL), 0)) {
        gnd__foreign_unlock(d);
        return;
    }
    d->depth--;
    pthread_mutex_unlock(&d->lock);
}
/* Locks two devices, always in the same order, so that two threads cannot deadlock. The caller must
 * hold no lock of a device. */
static inline void gnd__gate_lock_two(gnd__gdev *a, gnd__gdev *b)
{
    gnd__gate_lock(a < b ? a : b);
    gnd__gate_lock(a < b ? b : a);
}
void gnd__gate_unlock_two(gnd__gdev *a, gnd__gdev *b);

/* --- tuned parameters (tunefile.c) --------------------------------------------------------------
 * They are in the file tune-HASH.txt in the folder of the kernel cache. HASH depends on the
 * backend, platform, device and driver. The file is used only if the user owns it and nobody else
 * may write it. */
enum { GND__TUNE_PATH = 4200 };
/* Reads d's file into d->tune, or the defaults if there is none. If the file is invalid, the reason
 * is logged as a warning and kept in d->tune_err, and the defaults are used. */
void gnd__tunefile_load(gnd__gdev *d);
/* Writes its path to buf. Returns 0 if there is no folder for it (for example with GND_CACHE=0). */
int gnd__tunefile_path(const gnd__gdev *d, char buf[GND__TUNE_PATH]);
/* Write d->tune to the file; delete the file. GND_ERR_IO. */
gnd_status gnd__tunefile_save(gnd__gdev *d, gnd_err *e);
gnd_status gnd__tunefile_delete(gnd__gdev *d, gnd_err *e);

/* --- memory: blocks of the pool ---------------------------------------------------------------
 * A block is a part of a backend buffer. Freeing is immediate and stream-ordered: a block may be
 * reused while work that used it is still queued. Queues are in order, and a block remembers the
 * streams that used it, for which another stream waits on the device. */
typedef struct gnd__block {
    gnd_buf *buf;
    size_t off;           /* bytes; a multiple of 256 */
    size_t nbytes;        /* requested size; the block has at least this, rounded up to 16 */
    struct gnd__seg *seg; /* private to the pool; NULL: foreign memory */
    /* device/stream.h. users is 0 if only the default stream used it, before there were others */
    uint64_t users;  /* bit s: stream s used it since the last write, or wrote last */
    uint64_t used;   /* time of the latest of these uses */
    uint64_t wrote;  /* time of the last write */
    uint32_t writer; /* the stream of the last write */
} gnd__block;

/* GND_ERR_DEVMEM if no buffer of the device can have nbytes. */
gnd_status gnd__pool_fits(const gnd__gdev *d, size_t nbytes, gnd_err *e);
/* nbytes may be 0 (gives a block of the smallest size). Trims and retries before it fails with
 * GND_ERR_DEVMEM, whose message gives the bytes requested, in use and held, the limit, and the
 * device's memory. */
gnd_status gnd__pool_alloc(gnd__gdev *d, size_t nbytes, gnd__block **b, gnd_err *e);
void gnd__pool_free(gnd__gdev *d, gnd__block *b); /* NULL is allowed */
/* Returns every unused buffer to the backend. The result is the number of bytes returned. */
uint64_t gnd__pool_trim(gnd__gdev *d);
/* Total bytes that arrays may use: the limit, or the device's memory. */
uint64_t gnd__pool_most(const gnd__gdev *d);
/* Limits the bytes that the pool may hold from the backend; 0: no limit. Opening sets it from
 * GND_MEM_LIMIT. */
void gnd__pool_limit(gnd__gdev *d, uint64_t nbytes);
/* That limit. */
uint64_t gnd__pool_limited(const gnd__gdev *d);

/* --- host memory (direct.c) ---------------------------------------------------------------------
 * Whether the device may work in host memory, at addresses that the backend tells; and whether all
 * of the pool's memory is such, which the first buffer shows. */
int gnd__gate_shares(const gnd__gdev *d);
int gnd__gate_reaches(gnd__gdev *d);
/* The address of b there; NULL if the host does not reach it. */
char *gnd__gate_address(const gnd__block *b);
/* Whether everything that was enqueued is done, and nobody else can enqueue: then the host may read
 * and write there as if it were the device. */
static inline int gnd__gate_idle(const gnd__gdev *d)
{
    return !d->pending && !d->streams && !d->exposed && !d->native;
}
/* Counts a launch that the host makes itself, which fails if a test asked for that. */
gnd_status gnd__gate_here(gnd__gdev *d, gnd_err *e);

/* --- streams (stream.c) -------------------------------------------------------------------------
 * A stream is a queue of the device. The default stream, number 0, always exists. The current
 * stream of the thread that took the lock is d's until the lock is given back: all calls below
 * enqueue there. */

/* Makes another stream. Gives its number, and a serial number that no other stream of the process
 * has. GND_ERR_UNSUPPORTED: the backend has no events, or there are too many streams. */
gnd_status gnd__gate_stream_new(gnd__gdev *d, int *index, uint64_t *serial, gnd_err *e);
/* Waits for the stream and frees it, even if waiting fails. Where it is the current stream, the
 * default stream replaces it. */
gnd_status gnd__gate_stream_free(gnd__gdev *d, int index, gnd_err *e);
int gnd__gate_stream_lives(const gnd__gdev *d, int index, uint64_t serial);
/* Makes it the calling thread's current stream of d (serial 0: the default one). Takes no lock.
 * handle: what gnd__gate_stream_mine gives back. GND_ERR_UNSUPPORTED: the thread has current
 * streams of too many devices; GND_ERR_NOMEM. Neither has a message. */
gnd_status gnd__gate_stream_use(gnd__gdev *d, int index, uint64_t serial, void *handle);
/* Forgets the calling thread's current streams that have been freed. */
void gnd__gate_streams_sweep(int (*ended)(const void *handle, uint64_t serial));
/* The calling thread's current stream, which may have been freed since: its serial, 0 for the
 * default one, and its handle. Takes no lock. */
uint64_t gnd__gate_stream_mine(const gnd__gdev *d, int *index, void **handle);
/* The current stream of the holder of the lock. */
int gnd__gate_stream(const gnd__gdev *d);
/* Makes later work of stream `after` wait for the earlier work of stream `before`. */
gnd_status gnd__gate_stream_order(gnd__gdev *d, int after, int before, gnd_err *e);
/* Makes an event that comes when the work enqueued so far in stream `index` is done. The caller
 * frees it. */
typedef struct gnd__moment {
    int index;
    uint64_t at;
    gnd_event *ev;
} gnd__moment;
int gnd__gate_events(const gnd__gdev *d); /* whether the backend has events */
gnd_status gnd__gate_moment(gnd__gdev *d, int index, gnd__moment *m, gnd_err *e);
void gnd__gate_moment_free(gnd__gdev *d, gnd__moment *m);
/* Makes later work of stream `after` wait for the event. */
gnd_status gnd__gate_moment_order(gnd__gdev *d, int after, const gnd__moment *m, gnd_err *e);
/* Sets *yes to whether the event has come. GND_ERR_UNSUPPORTED: the backend cannot tell. */
gnd_status gnd__gate_moment_done(gnd__gdev *d, const gnd__moment *m, int *yes, gnd_err *e);
/* Sets *yes to whether all work of stream `index` is done. *asked is zeroed before the first call,
 * kept between calls and freed by the caller. Work that others enqueue in the stream's own queue
 * counts if it came before the call that set asked->ev. */
gnd_status gnd__gate_stream_done(gnd__gdev *d, int index, gnd__moment *asked, int *yes, gnd_err *e);
/* Makes the host wait for the event. Call it without d's lock: others can use d meanwhile if the
 * backend allows that. */
gnd_status gnd__gate_moment_wait(gnd__gdev *d, const gnd__moment *m, gnd_err *e);

/* Call before the current stream reads from a block or writes to it: makes the stream wait for
 * other streams' work on the block, and records the stream. The calls below that take a block do
 * this themselves. For the arguments of launches, library calls and lists, the caller does it. */
gnd_status gnd__stream_use(gnd__gdev *d, gnd__block *b, int write, gnd_err *e);
static inline gnd_status gnd__gate_use(gnd__gdev *d, gnd__block *b, int write, gnd_err *e)
{
    return __builtin_expect(d->streams != NULL, 0) ? gnd__stream_use(d, b, write, e) : GND_OK;
}

/* --- foreign memory (foreign.c) -----------------------------------------------------------------
 * A block of memory that another library owns. It is read only, and never the pool's.
 * gnd__pool_free ends it too: when the queue has finished what was enqueued before and the lock is
 * no longer held, `release` is called. */
typedef void gnd__release_fn(void *ctx);
/* Wraps nbytes of native memory: from byte off of m->handle on, or (off is 0) at m->address. Either
 * is a multiple of 16. The end of the block is reported only to an owner set by gnd__gate_owner.
 * GND_ERR_UNSUPPORTED if the backend cannot use such memory; e says why. */
gnd_status gnd__gate_wrap(gnd__gdev *d, const gnd_mem_native *m, size_t off, size_t nbytes,
                          gnd__block **b, gnd_err *e);
void gnd__gate_owner(gnd__block *b, gnd__release_fn *release, void *ctx);
int gnd__gate_can_wrap(const gnd__gdev *d);
/* The driver's name for byte off of b; the objects of the device and its queue.
 * GND_ERR_UNSUPPORTED if the backend does not tell. */
gnd_status gnd__gate_native(gnd__gdev *d, gnd__block *b, size_t off, gnd_mem_native *m, gnd_err *e);
gnd_status gnd__gate_device_native(gnd__gdev *d, gnd_dev_native *n, gnd_err *e);
/* Makes later work of the native queue `other` wait for the earlier work of d, or (after) the other
 * way round. Without such an entry the host waits for d, or fails with GND_ERR_UNSUPPORTED. */
gnd_status gnd__gate_order(gnd__gdev *d, void *other, int after, gnd_err *e);

/* --- transfers, at byte offsets within a block ------------------------------------------------ */
gnd_status gnd__gate_write(gnd__gdev *d, gnd__block *dst, size_t off, const void *src,
                           size_t nbytes, gnd_err *e);
gnd_status gnd__gate_read(gnd__gdev *d, void *dst, gnd__block *src, size_t off, size_t nbytes,
                          gnd_err *e);
gnd_status gnd__gate_copy(gnd__gdev *d, gnd__block *dst, size_t doff, gnd__block *src, size_t soff,
                          size_t nbytes, gnd_err *e);
/* The same two without waiting. Until the current stream's work is done, src must not change and
 * dst does not have the bytes. The transfer may also be done at once. */
gnd_status gnd__gate_write_async(gnd__gdev *d, gnd__block *dst, size_t off, const void *src,
                                 size_t nbytes, gnd_err *e);
gnd_status gnd__gate_read_async(gnd__gdev *d, void *dst, gnd__block *src, size_t off, size_t nbytes,
                                gnd_err *e);
/* Allocates host memory with which the device transfers at full speed. *p is NULL with GND_OK if
 * the backend has no special memory for that. */
gnd_status gnd__gate_host_alloc(gnd__gdev *d, size_t nbytes, void **p, gnd_err *e);
void gnd__gate_host_free(gnd__gdev *d, void *p);
/* Copies from another library's memory at src, an address of the device's own kind, which must stay
 * valid until the queue has finished. GND_ERR_UNSUPPORTED if the backend cannot do that. */
gnd_status gnd__gate_fetch(gnd__gdev *d, gnd__block *dst, size_t off, uint64_t src, size_t nbytes,
                           gnd_err *e);
/* Whether gnd__gate_peer can copy between two devices, both locked. A failure of the query counts
 * as no. */
int gnd__gate_can_peer(gnd__gdev *to, gnd__gdev *from);
/* Copies nbytes at soff of from's block to the start of to's block, after all work now in both
 * queues and before all later work of both. The host does not wait if the backend has events. */
gnd_status gnd__gate_peer(gnd__gdev *to, gnd__block *dst, gnd__gdev *from, gnd__block *src,
                          size_t soff, size_t nbytes, gnd_err *e);
/* Maps a part of a block to a host pointer until gnd__gate_unmap; waits for the queue's earlier
 * work. Cheap only if gnd__gate_can_map() says so. GND_ERR_UNSUPPORTED if the backend cannot
 * map. */
int gnd__gate_can_map(const gnd__gdev *d);
gnd_status gnd__gate_map(gnd__gdev *d, gnd__block *b, size_t off, size_t nbytes, uint32_t flags,
                         void **p, gnd_err *e);
gnd_status gnd__gate_unmap(gnd__gdev *d, gnd__block *b, void *p, gnd_err *e);
gnd_status gnd__gate_flush(gnd__gdev *d, gnd_err *e);
/* Waits for the current stream; for all streams. */
gnd_status gnd__gate_finish(gnd__gdev *d, gnd_err *e);
gnd_status gnd__gate_finish_all(gnd__gdev *d, gnd_err *e);
/* The same as gnd__gate_finish; where d has several streams and the lock is held once, others can
 * use d meanwhile. */
gnd_status gnd__gate_finish_apart(gnd__gdev *d, gnd_err *e);
/* Waits for all streams before freeing something that they may be using. Waits even if a test asked
 * this call to fail. */
gnd_status gnd__gate_settle(gnd__gdev *d, gnd_err *e);

/* --- kernels ---------------------------------------------------------------------------------- */
typedef struct gnd__kernel gnd__kernel; /* owned by the program cache; valid while held */

/* Gets the kernel `name` of the program with this source, and holds it. It comes from memory, from
 * disk, or from compiling, after which it is stored in both. On GND_ERR_BUILD the message holds the
 * compiler's first lines; with GND_DEBUG set, the whole source and compiler log go to the log. */
gnd_status gnd__gate_kernel(gnd__gdev *d, const char *name, const char *src, size_t len,
                            gnd__kernel **k, gnd_err *e);
/* The same without compiling: *k is NULL if the program is neither in memory nor on disk. */
gnd_status gnd__gate_kernel_cached(gnd__gdev *d, const char *name, const char *src, size_t len,
                                   gnd__kernel **k, gnd_err *e);
/* Between these two, programs that are to be compiled wait, where the backend can compile several
 * at once (gnd/backend.h), and are compiled side by side at the end. Kernels got meanwhile can be
 * launched after the end only. The end returns st, what came between; if that is a failure it
 * compiles nothing. */
void gnd__gate_builds_begin(gnd__gdev *d);
gnd_status gnd__gate_builds_end(gnd__gdev *d, gnd_status st, gnd_err *e);
/* Data that the author of kernel k attaches to it: NULL until set, freed with gnd__free when the
 * program is dropped. */
void *gnd__gate_kernel_note(const gnd__kernel *k);
void gnd__gate_kernel_set_note(gnd__kernel *k, void *note);
/* Adds and removes a hold; NULL is allowed. gnd__gate_progs_full may drop programs that nobody
 * holds. */
void gnd__gate_kernel_hold(gnd__kernel *k);
void gnd__gate_kernel_done(gnd__kernel *k);
/* If programs exceed their memory limit, drops some that are not held. Returns 1 if the held ones
 * alone are too much. The holders should then release some; if they cannot, gnd__gate_progs_needed
 * raises the limit to what is held. */
int gnd__gate_progs_full(gnd__gdev *d);
void gnd__gate_progs_needed(gnd__gdev *d);
/* For tests: limits the estimated bytes of all programs. */
void gnd__gate_progs_limit(gnd__gdev *d, uint64_t nbytes);
/* The source, *len bytes, that k was made from. Valid as long as k. */
const char *gnd__gate_source(const gnd__gdev *d, const gnd__kernel *k, size_t *len);
/* Sets a callback (NULL: none). fn(device, kernels compiled, seconds, ctx) is called once for each
 * open device when its compilations have taken one second in total, on the compiling thread and
 * with the device's lock held. */
typedef void gnd__compiling_fn(const char *device, uint64_t kernels, double seconds, void *ctx);
void gnd__compiling_tell(gnd__compiling_fn *fn, void *ctx);
/* For tests: the limit in place of one second. */
void gnd__compiling_limit(int64_t ns);
/* For tests: the same for storing kernels when a device is closed (progdisk.c). */
void gnd__store_limit(int64_t ns);
/* The whole compiler log of d's last program that failed to compile, or "". Owned by the device;
 * valid until the next such failure. */
const char *gnd__gate_build_log(const gnd__gdev *d);
/* The device resources that k uses; all 0 if the backend does not report them. */
gnd_status gnd__gate_kernel_info(gnd__gdev *d, gnd__kernel *k, gnd_kern_info *info, gnd_err *e);
/* Arguments of kind GND_ARG_BUF hold the block's buf; the caller passes offsets as values. */
gnd_status gnd__gate_launch(gnd__gdev *d, gnd__kernel *k, const gnd_klaunch *l, gnd_err *e);

/* Makes a list of the launches l[i] of k[i] that can be run repeatedly. *list is NULL with GND_OK
 * if the backend has no such lists or does not accept these launches. Free the list when the queue
 * has settled. */
gnd_status gnd__gate_list_new(gnd__gdev *d, int n, gnd__kernel *const *k, const gnd_klaunch *l,
                              gnd_list **list, gnd_err *e);
gnd_status gnd__gate_list_run(gnd__gdev *d, gnd_list *list, int n, gnd_err *e);
/* The same between two waits for the current stream; *ns is the time of the run. */
gnd_status gnd__gate_list_time(gnd__gdev *d, gnd_list *list, int n, int64_t *ns, gnd_err *e);
void gnd__gate_list_free(gnd__gdev *d, gnd_list *list);
/* Whether values of launches in a list can change: argument `arg` of launch i is *a in the runs
 * from now on. */
int gnd__gate_lists_vary(const gnd__gdev *d);
gnd_status gnd__gate_list_value(gnd__gdev *d, gnd_list *list, int i, int arg, const gnd_karg *a,
                                gnd_err *e);
/* A step of a loop: n launches, l[i] of k[i], and where they leave the word. */
typedef struct gnd__loop_step {
    int n;
    gnd__kernel **k;
    gnd_klaunch *l;
    const gnd__block *word;
    uint64_t off; /* bytes */
} gnd__loop_step;
/* Whether the backend has loops at all. */
int gnd__gate_loops(const gnd__gdev *d);
/* Makes a loop of n steps (gnd/backend.h), which is run and freed as a list. `control` has room for
 * two int64. *list is NULL with GND_OK if the backend does not accept it; the log says why. */
gnd_status gnd__gate_loop_new(gnd__gdev *d, int n, const gnd__loop_step *step,
                              const gnd__block *control, gnd_list **list, gnd_err *e);

/* --- optional groups -------------------------------------------------------------------------- */
gnd_status gnd__gate_gemm_supports(gnd__gdev *d, const gnd_gemm *g, int *yes, gnd_err *e);
/* The same for a product with flags. can_follow: whether the backend supports any flags. */
gnd_status gnd__gate_gemm_follows(gnd__gdev *d, const gnd_gemm *g, int *yes, gnd_err *e);
int gnd__gate_can_follow(const gnd__gdev *d);
gnd_status gnd__gate_gemm(gnd__gdev *d, const gnd_gemm *g, gnd_err *e);
/* One line about the libraries behind blas; GND_ERR_UNSUPPORTED if the backend has no blas
 * group. */
gnd_status gnd__gate_blas_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e);
/* The same for the kernel compiler; GND_ERR_UNSUPPORTED if the driver compiles. */
gnd_status gnd__gate_program_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e);
/* The same calls for transforms and for decompositions. */
gnd_status gnd__gate_fft_supports(gnd__gdev *d, const gnd_fft_desc *f, int *yes, gnd_err *e);
gnd_status gnd__gate_transform(gnd__gdev *d, const gnd_fft_desc *f, gnd_err *e);
gnd_status gnd__gate_fft_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e);
gnd_status gnd__gate_solver_supports(gnd__gdev *d, const gnd_solve_desc *s, int *yes, gnd_err *e);
gnd_status gnd__gate_solve(gnd__gdev *d, const gnd_solve_desc *s, gnd_err *e);
/* Whether the backend leaves the verdict on s to the caller, and that call: info for an int32 of
 * each matrix. */
int gnd__gate_solves_later(const gnd__gdev *d, const gnd_solve_desc *s);
gnd_status gnd__gate_solve_later(gnd__gdev *d, const gnd_solve_desc *s, gnd_buf *info, uint64_t off,
                                 gnd_err *e);
gnd_status gnd__gate_solver_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e);
/* Free and total bytes; both are props.mem_bytes if the backend cannot tell. */
gnd_status gnd__gate_mem_info(gnd__gdev *d, uint64_t *avail, uint64_t *total, gnd_err *e);

/* --- test hooks ------------------------------------------------------------------------------- */
/* Fails the n-th backend call from now that can fail (1: the next; 0: none), on any device, with
 * GND_ERR_BACKEND "injected". Advisory calls, whose failure changes no result (those of the disk
 * cache, mem_info, gemm_supports and follows, describe), do not count. */
void gnd__gate_fail_at(long n);
/* Backend calls made so far. */
long gnd__gate_calls(void);

#endif
