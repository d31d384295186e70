/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/gate.h - the only door to backends: find, load and check plugins, open devices, and call
 * them. Knows nothing of arrays or graphs. Only host, prim, sched, array and ops call it.
 *
 * Every call below takes an open device and is made with its lock held (gnd__gate_lock), except
 * listing and opening. A missing optional slot is answered here, in one place, by name.
 */
#ifndef GND_DEVICE_GATE_H
#define GND_DEVICE_GATE_H

#include <gnd/backend.h>
#include <pthread.h>
#include "base/fork.h"
#include "base/strbuf.h"
#include "base/tune.h"

/* The tables of one loaded backend, copied and zero-extended to this core's sizes. */
typedef struct gnd__backend {
    char name[32];
    char version[64];
    char path[4096];          /* where it is loaded from; "" when built in */
    gnd_err why;              /* why it cannot be used (code != 0), or why it has no device */
    int ndev;                 /* devices it has */
    gnd_device_ops device;
    gnd_memory_ops memory;
    gnd_queue_ops queue;
    gnd_program_ops program;
    gnd_blas_ops blas;        /* all zero when absent */
    int has_blas;
    gnd_fft_ops fft;          /* likewise */
    int has_fft;
    gnd_solver_ops solver;    /* likewise */
    int has_solver;
    gnd_replay_ops replay;    /* likewise */
    int has_replay;
} gnd__backend;

/* Counters of one device since it was opened; what gnd_device_stats() shows. */
typedef struct gnd__counters {
    uint64_t launches, builds, disk_loads, disk_stores, mem_hits;      /* kernels */
    uint64_t progs, prog_bytes, progs_dropped;                         /* programs in memory */
    uint64_t bytes_in_use, bytes_peak, bytes_held, bytes_kept, allocs, backend_allocs, trims; /* pool */
    uint64_t plans, plan_hits, calls;                                  /* sched */
    uint64_t bytes_h2d, bytes_d2h;
} gnd__counters;

struct gnd__pool;
struct gnd__progcache;
struct gnd__trace;

/* One open device. */
typedef struct gnd__gdev {
    const gnd__backend *be;
    int index;                /* of the device within its backend */
    char id[64];              /* "opencl:0" */
    gnd_props props;
    gnd_dev *dev;
    gnd_queue *queue;
    pthread_mutex_t lock;     /* recursive */
    struct gnd__pool *pool;
    struct gnd__progcache *progs;
    uint64_t segs_gone;       /* buffers that went back to the backend: their addresses may come again */
    int starved;              /* a call but the pool's lacked memory: what the pool keeps may be it */
    gnd__counters n;
    struct gnd__trace *trace; /* device/trace.h; NULL: none is written */
    gnd__tune tune;           /* base/tune.h: parameters of kernels */
    int tuned;                /* they are the file's */
    int64_t compile_ns;       /* spent on compiling kernels */
    int compile_said;         /* compiling.c has told that */
    gnd_err tune_err;         /* why the file is not used, or the last call for it failed */
} gnd__gdev;

/* --- finding and opening -------------------------------------------------------------------- */

/* All backends, in order of preference (cuda, opencl, then others by name; "null" last). Loads those that
 * are not: opening a device loads what it needs only. Never fails: a backend that cannot be used says why. */
int gnd__gate_backends(const gnd__backend *const **list);
/* What was wrong with the search itself, one line each (a relative entry of GND_BACKEND_PATH, a
 * folder that cannot be read). For the list of devices. Owned by the gate. */
int gnd__gate_notes(const char *const **list);
/* Where plugins were looked for, as "DIR, DIR" (owned by the gate). */
const char *gnd__gate_where(void);
/* The properties of device i of b. */
gnd_status gnd__gate_props(const gnd__backend *b, int i, gnd_props *p, gnd_err *e);
/* Opens what spec names: "opencl:1", "opencl:pocl" (text found in platform, name or vendor, any
 * case), "cuda", "pocl" (any backend); NULL or "": GND_DEVICE, else the best device present (CUDA,
 * then OpenCL GPUs, then OpenCL CPUs; never null). The message of a failure names what is there. */
gnd_status gnd__gate_open(const char *spec, gnd__gdev **d, gnd_err *e);
/* What gnd__gate_open would open, without opening it. */
gnd_status gnd__gate_resolve(const char *spec, const gnd__backend **b, int *index, gnd_err *e);
/* Waits for the device, frees pool, programs, queue, device. */
void gnd__gate_close(gnd__gdev *d);
/* In a child to which devices are lost (base/fork.h) there is no lock, and nothing to be done under it. */
static inline void gnd__gate_lock(gnd__gdev *d)
{
    if (!gnd__forked)
        pthread_mutex_lock(&d->lock);
}
static inline void gnd__gate_unlock(gnd__gdev *d)
{
    if (!gnd__forked)
        pthread_mutex_unlock(&d->lock);
}
/* Both of two devices; in one order, so that two threads cannot wait for each other. No lock of a device
 * is held before. */
static inline void gnd__gate_lock_two(gnd__gdev *a, gnd__gdev *b)
{
    gnd__gate_lock(a < b ? a : b);
    gnd__gate_lock(a < b ? b : a);
}
static inline void gnd__gate_unlock_two(gnd__gdev *a, gnd__gdev *b)
{
    gnd__gate_unlock(a);
    gnd__gate_unlock(b);
}

/* --- tuned parameters (tunefile.c) --------------------------------------------------------------
 * A file of the folder of the kernel cache has them, tune-HASH.txt, HASH of backend, platform, device and driver.
 * It is used only when the user owns it and nobody else may write it. */
enum { GND__TUNE_PATH = 4200 };
/* Reads d's file into d->tune; the defaults where there is none. What is wrong with a file is logged as a
 * warning, kept in d->tune_err, and answered by the defaults. */
void gnd__tunefile_load(gnd__gdev *d);
/* Its path into buf; 0 when there is no folder for it (GND_CACHE=0, say). */
int gnd__tunefile_path(const gnd__gdev *d, char buf[GND__TUNE_PATH]);
/* Writes d->tune there; deletes it. GND_ERR_IO. */
gnd_status gnd__tunefile_save(gnd__gdev *d, gnd_err *e);
gnd_status gnd__tunefile_delete(gnd__gdev *d, gnd_err *e);

/* --- memory: blocks of the pool ---------------------------------------------------------------
 * A block is a part of a backend buffer. Freeing is at once and stream-ordered: a block may be
 * given out again while work that used it is still queued, since the queue is in order. */
typedef struct gnd__block {
    gnd_buf *buf;
    size_t off;               /* bytes; a multiple of 256 */
    size_t nbytes;            /* asked for; the block has at least this, rounded up to 16 */
    struct gnd__seg *seg;     /* the pool's own */
} gnd__block;

/* GND_ERR_DEVMEM where no buffer of the device can have nbytes. */
gnd_status gnd__pool_fits(const gnd__gdev *d, size_t nbytes, gnd_err *e);
/* nbytes may be 0 (a block of the smallest size). Trims and retries before GND_ERR_DEVMEM, whose
 * message gives bytes asked, in use, held, the limit and the device's memory. */
gnd_status gnd__pool_alloc(gnd__gdev *d, size_t nbytes, gnd__block **b, gnd_err *e);
void gnd__pool_free(gnd__gdev *d, gnd__block *b);  /* NULL is fine */
/* Gives every unused backend buffer back. Returns bytes given back. */
uint64_t gnd__pool_trim(gnd__gdev *d);
/* Bytes that arrays may take in all: the limit, or the device's memory. */
uint64_t gnd__pool_most(const gnd__gdev *d);
/* Most bytes the pool may hold from the backend; 0: no limit. Set at open from GND_MEM_LIMIT. */
void gnd__pool_limit(gnd__gdev *d, uint64_t nbytes);

/* --- transfers, at byte offsets within a block ------------------------------------------------ */
gnd_status gnd__gate_write(gnd__gdev *d, gnd__block *dst, size_t off, const void *src, size_t nbytes, gnd_err *e);
gnd_status gnd__gate_read(gnd__gdev *d, void *dst, gnd__block *src, size_t off, size_t nbytes, gnd_err *e);
gnd_status gnd__gate_copy(gnd__gdev *d, gnd__block *dst, size_t doff, gnd__block *src, size_t soff, size_t nbytes, gnd_err *e);
/* From another library's memory at src, an address of the device's kind, which stays until the queue is
 * finished. GND_ERR_UNSUPPORTED when the backend cannot. */
gnd_status gnd__gate_fetch(gnd__gdev *d, gnd__block *dst, size_t off, uint64_t src, size_t nbytes, gnd_err *e);
/* Between two devices, both locked. Whether gnd__gate_peer can; a failure of that question is a no. */
int gnd__gate_can_peer(gnd__gdev *to, gnd__gdev *from);
/* Copies nbytes at soff of from's block to the start of to's, after the work of both queues so far and
 * before all later work of both: nothing waits where the backend has events. */
gnd_status gnd__gate_peer(gnd__gdev *to, gnd__block *dst, gnd__gdev *from, gnd__block *src, size_t soff, size_t nbytes,
                          gnd_err *e);
/* A host pointer to a part of a block until unmapped; waits for the queue's earlier work. Cheap only
 * where gnd__gate_can_map() says so. GND_ERR_UNSUPPORTED when the backend cannot map. */
int gnd__gate_can_map(const gnd__gdev *d);
gnd_status gnd__gate_map(gnd__gdev *d, gnd__block *b, size_t off, size_t nbytes, uint32_t flags, void **p, gnd_err *e);
gnd_status gnd__gate_unmap(gnd__gdev *d, gnd__block *b, void *p, gnd_err *e);
gnd_status gnd__gate_flush(gnd__gdev *d, gnd_err *e);
gnd_status gnd__gate_finish(gnd__gdev *d, gnd_err *e);
/* Waits before something is freed that the queue may be using: also when a test asked this call to fail. */
gnd_status gnd__gate_settle(gnd__gdev *d, gnd_err *e);

/* --- kernels ---------------------------------------------------------------------------------- */
typedef struct gnd__kernel gnd__kernel;   /* owned by the program cache; lives while it is held */

/* The kernel `name` of the program with this source, held: from memory, from disk, or compiled (which is
 * then put in both). On GND_ERR_BUILD the message holds the compiler's first lines; with GND_DEBUG
 * set the whole source and log go to the log. */
gnd_status gnd__gate_kernel(gnd__gdev *d, const char *name, const char *src, size_t len, gnd__kernel **k, gnd_err *e);
/* The same without compiling: *k is NULL when the program is neither in memory nor on disk. */
gnd_status gnd__gate_kernel_cached(gnd__gdev *d, const char *name, const char *src, size_t len, gnd__kernel **k,
                                   gnd_err *e);
/* What who wrote kernel k keeps with it: NULL until it is set, freed with gnd__free when the program goes. */
void *gnd__gate_kernel_note(const gnd__kernel *k);
void gnd__gate_kernel_set_note(gnd__kernel *k, void *note);
/* One hold more, one less; NULL is fine. What is not held may go in gnd__gate_progs_full. */
void gnd__gate_kernel_hold(gnd__kernel *k);
void gnd__gate_kernel_done(gnd__kernel *k);
/* When programs take more memory than they may, drops some that are not held. 1: too much is held. Then whoever
 * holds some gives them up; when nobody can, gnd__gate_progs_needed says that it has to be so. */
int gnd__gate_progs_full(gnd__gdev *d);
void gnd__gate_progs_needed(gnd__gdev *d);
/* For tests: the most bytes that programs may take, by estimate. */
void gnd__gate_progs_limit(gnd__gdev *d, uint64_t nbytes);
/* The source that k was made from, of *len bytes; it stays as long as k does. */
const char *gnd__gate_source(const gnd__gdev *d, const gnd__kernel *k, size_t *len);
/* fn(device, kernels compiled, seconds, ctx) is called once for each open device when compiling has taken it a second,
 * on the thread that compiles, with the device's lock held; NULL: nothing is. */
typedef void gnd__compiling_fn(const char *device, uint64_t kernels, double seconds, void *ctx);
void gnd__compiling_tell(gnd__compiling_fn *fn, void *ctx);
/* For tests: instead of a second. */
void gnd__compiling_limit(int64_t ns);
/* All that the compiler said of the last program of d that did not compile; "" when it said nothing. The device's;
 * until the next program that does not. */
const char *gnd__gate_build_log(const gnd__gdev *d);
/* What k takes of the device; all 0 where the backend does not tell. */
gnd_status gnd__gate_kernel_info(gnd__gdev *d, gnd__kernel *k, gnd_kern_info *info, gnd_err *e);
/* Arguments of kind GND_ARG_BUF hold the block's buf (the caller passes offsets as values). */
gnd_status gnd__gate_launch(gnd__gdev *d, gnd__kernel *k, const gnd_klaunch *l, gnd_err *e);

/* The launches l[i] of k[i] as a list that can be run again and again. *list is NULL, and the result
 * GND_OK, where the backend has no such or does not take these. Free it when the queue has settled. */
gnd_status gnd__gate_list_new(gnd__gdev *d, int n, gnd__kernel *const *k, const gnd_klaunch *l, gnd_list **list, gnd_err *e);
gnd_status gnd__gate_list_run(gnd__gdev *d, gnd_list *list, int n, gnd_err *e);
void gnd__gate_list_free(gnd__gdev *d, gnd_list *list);

/* --- optional groups -------------------------------------------------------------------------- */
gnd_status gnd__gate_gemm_supports(gnd__gdev *d, const gnd_gemm *g, int *yes, gnd_err *e);
/* The same for a product with flags; can_follow: whether the backend takes any. */
gnd_status gnd__gate_gemm_follows(gnd__gdev *d, const gnd_gemm *g, int *yes, gnd_err *e);
int gnd__gate_can_follow(const gnd__gdev *d);
/* Tells the backend what d->tune decides of libraries; advisory. Whether it has something to decide, which loads
 * the library. */
void gnd__gate_blas_tune(gnd__gdev *d);
int gnd__gate_blas_tunes(gnd__gdev *d);
gnd_status gnd__gate_gemm(gnd__gdev *d, const gnd_gemm *g, gnd_err *e);
/* One line on the libraries behind blas; GND_ERR_UNSUPPORTED when there is no such group. */
gnd_status gnd__gate_blas_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e);
/* The same for what compiles kernels; GND_ERR_UNSUPPORTED: the driver does. */
gnd_status gnd__gate_program_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e);
/* The same for transforms and for decompositions. */
gnd_status gnd__gate_fft_supports(gnd__gdev *d, const gnd_fft_desc *f, int *yes, gnd_err *e);
gnd_status gnd__gate_transform(gnd__gdev *d, const gnd_fft_desc *f, gnd_err *e);
gnd_status gnd__gate_fft_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e);
gnd_status gnd__gate_solver_supports(gnd__gdev *d, const gnd_solve_desc *s, int *yes, gnd_err *e);
gnd_status gnd__gate_solve(gnd__gdev *d, const gnd_solve_desc *s, gnd_err *e);
gnd_status gnd__gate_solver_describe(gnd__gdev *d, char *buf, size_t cap, gnd_err *e);
/* Bytes free and in all; props.mem_bytes for both when the backend cannot tell. */
gnd_status gnd__gate_mem_info(gnd__gdev *d, uint64_t *avail, uint64_t *total, gnd_err *e);

/* --- test hooks -------------------------------------------------------------------------------- */
/* Fails the n-th backend call from now that can fail (1 = the next; 0 = never), on any device, with
 * GND_ERR_BACKEND "injected". Advisory calls, whose failure is answered by doing without (the disk
 * cache's, mem_info, gemm_supports and follows, describe), do not count. */
void gnd__gate_fail_at(long n);
/* Backend calls made so far. */
long gnd__gate_calls(void);

#endif
