/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/priv.h - declarations private to lib/device: counting of backend calls, error messages,
 * and the parts of an open device that have a file of their own.
 */
#ifndef GND_DEVICE_PRIV_H
#define GND_DEVICE_PRIV_H

#include <stdatomic.h>
#include "device/gate.h"
#include "device/trace.h"
#include "base/err.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* --- counting (call.c) ------------------------------------------------------------------------
 * Every backend call whose failure the caller sees is counted and can be made to fail. Advisory
 * calls (cache_key, binary_*, mem_info, blas.supports, finish while closing) are not counted: their
 * failure changes no result, so no error would follow from it. */
extern atomic_long gnd__gate_ncalls;
extern atomic_long gnd__gate_failing; /* number of the call that fails; 0: no call */

gnd_status gnd__gate_injected(gnd_err *e);

/* GND_OK, or the injected failure if this call must fail. */
static inline gnd_status gnd__gate_tick(gnd_err *e)
{
    long c = atomic_fetch_add_explicit(&gnd__gate_ncalls, 1, memory_order_relaxed) + 1;
    if (UNLIKELY(c == atomic_load_explicit(&gnd__gate_failing, memory_order_relaxed)))
        return gnd__gate_injected(e);
    return UNLIKELY(gnd__forked) ? gnd__fork_error(e) : GND_OK;
}

/* Reports a missing optional slot. The only place that does so. */
gnd_status gnd__gate_missing(const gnd__gdev *d, const char *slot, gnd_err *e);
/* Completes a plugin's failure: an invalid status becomes GND_ERR_BACKEND, a missing message is
 * filled in, and the device's id is prepended unless the matrix is the cause and not the device.
 * Returns the status. */
gnd_status gnd__gate_failed(const char *id, const char *slot, gnd_status st, gnd_err *e);
/* The same for a call of an open device other than the pool's. A lack of memory marks d as
 * starved. */
gnd_status gnd__gate_call_failed(gnd__gdev *d, const char *slot, gnd_status st, gnd_err *e);

/* --- loading (gate.c) ------------------------------------------------------------------------- */

/* Checks the tables in and copies them to b, truncated or zero-extended to this core's sizes, then
 * calls count(). b->name is already set. On failure b->why holds the reason. */
void gnd__gate_adopt(gnd__backend *b, const gnd_backend *in);
/* All backends in order of preference, loaded or not. Only their names and paths are certainly
 * set. */
int gnd__gate_found(const gnd__backend *const **list);
/* Loads b (from that list) unless it is loaded. */
void gnd__gate_need(const gnd__backend *b);

/* --- the null backend (null.c) ---------------------------------------------------------------- */
const gnd_backend *gnd__null_tables(void);

/* --- parts of an open device ------------------------------------------------------------------ */
gnd_status gnd__pool_new(gnd__gdev *d, gnd_err *e);
/* Frees everything, including blocks still in use. The device must be idle. */
void gnd__pool_delete(gnd__gdev *d);
/* Makes the pool's data for a stream of this number. They stay when the stream is freed. */
gnd_status gnd__pool_stream(gnd__gdev *d, int index, gnd_err *e);

/* Ends a foreign block (foreign.c). */
void gnd__foreign_free(gnd__gdev *d, gnd__block *b);

/* Streams (stream.c). Waits for every queue of d; the first failure. */
gnd_status gnd__queues_wait(gnd__gdev *d, gnd_err *e);
/* Call when the host has waited for the current stream. */
void gnd__stream_finished(gnd__gdev *d);
/* Call when the holder of the lock has finished, if d has streams. */
void gnd__streams_leave(gnd__gdev *d);
/* Call when others may enqueue work in the current stream's queue from now on. */
void gnd__stream_expose(gnd__gdev *d);
/* Frees all queues, including the device's first one. They must be idle. */
void gnd__queues_free(gnd__gdev *d);

gnd_status gnd__progs_new(gnd__gdev *d, gnd_err *e);
void gnd__progs_delete(gnd__gdev *d);

/* Called after a compilation that began at that time: adds the time taken to d's. */
void gnd__compiling_end(gnd__gdev *d, int64_t began);

/* One kernel of a program. The backend's launch() takes k. */
struct gnd__kernel {
    gnd_kern *k;
    char *name;
    int *holds; /* the hold counter of its program */
    void *note; /* gnd__gate_kernel_note */
    struct gnd__kernel *next;
};

#endif
