/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/priv.h - what the files of lib/device share and nobody else sees: counting of backend
 * calls, the wording of failures, and the parts of an open device that have their own file.
 */
#ifndef GND_DEVICE_PRIV_H
#define GND_DEVICE_PRIV_H

#include <stdatomic.h>
#include "device/gate.h"
#include "base/err.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* --- counting (call.c) ------------------------------------------------------------------------
 * Every backend call whose failure the caller gets to see is counted, and can be made to fail.
 * Advisory calls (cache_key, binary_*, mem_info, blas.supports, finish while closing) are not:
 * their failure is answered by doing without, so no error would follow from it. */
extern atomic_long gnd__gate_ncalls;
extern atomic_long gnd__gate_failing; /* the number of the call that fails; 0: none */

gnd_status gnd__gate_injected(gnd_err *e);

/* GND_OK, or the injected failure when it is this call's turn. */
static inline gnd_status gnd__gate_tick(gnd_err *e)
{
    long c = atomic_fetch_add_explicit(&gnd__gate_ncalls, 1, memory_order_relaxed) + 1;
    if (UNLIKELY(c == atomic_load_explicit(&gnd__gate_failing, memory_order_relaxed)))
        return gnd__gate_injected(e);
    return UNLIKELY(gnd__forked) ? gnd__fork_error(e) : GND_OK;
}

/* The one place where a missing optional slot is answered. */
gnd_status gnd__gate_missing(const gnd__gdev *d, const char *slot, gnd_err *e);
/* Makes a failure of a plugin presentable: a status that is none becomes GND_ERR_BACKEND, a message
 * that is missing is made up, and the device's id is put before it, but where the matrix is to blame and not the
 * device. Returns the status. */
gnd_status gnd__gate_failed(const char *id, const char *slot, gnd_status st, gnd_err *e);
/* The same of an open device, by any call but the pool's: memory that the call lacked makes d starved. */
gnd_status gnd__gate_call_failed(gnd__gdev *d, const char *slot, gnd_status st, gnd_err *e);

/* --- loading (gate.c) ------------------------------------------------------------------------- */

/* Checks the tables at in and copies them to b, cut or zero-extended to this core's sizes, then
 * asks count(). b->name is set before. On failure b->why holds the reason. */
void gnd__gate_adopt(gnd__backend *b, const gnd_backend *in);
/* All backends, in order of preference, loaded or not: only their names and paths are sure. */
int gnd__gate_found(const gnd__backend *const **list);
/* Loads b (of that list) unless it is. */
void gnd__gate_need(const gnd__backend *b);

/* --- the null backend (null.c) ---------------------------------------------------------------- */
const gnd_backend *gnd__null_tables(void);

/* --- parts of an open device ------------------------------------------------------------------ */
gnd_status gnd__pool_new(gnd__gdev *d, gnd_err *e);
/* Gives everything back, whether blocks are still out or not. The device is idle. */
void gnd__pool_delete(gnd__gdev *d);

gnd_status gnd__progs_new(gnd__gdev *d, gnd_err *e);
void gnd__progs_delete(gnd__gdev *d);

/* Round a compilation (compiling.c): when it began, and what came to d's time. */
int64_t gnd__compiling_begin(void);
void gnd__compiling_end(gnd__gdev *d, int64_t began);

/* One kernel of one program; k is what the backend's launch() takes. */
struct gnd__kernel {
    gnd_kern *k;
    char *name;
    int *holds;                 /* its program's */
    void *note;                 /* gnd__gate_kernel_note */
    struct gnd__kernel *next;
};

#endif
