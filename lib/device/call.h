/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/call.h - what the files with calls through the gate share (call.c, lists.c, peer.c,
 * async.c): each call is counted, fails if a test asked for that, has a span in the trace, and
 * completes the plugin's error message.
 */
#ifndef GND_DEVICE_CALL_H
#define GND_DEVICE_CALL_H

#include "device/priv.h"
#include "device/trace.h"

/* Ends each call; returns at once on GND_OK. */
static inline gnd_status done(gnd__gdev *d, const char *slot, gnd_status st, gnd_err *e)
{
    return st == GND_OK ? GND_OK : gnd__gate_call_failed(d, slot, st, e);
}

/* An allocated block has at least its size rounded up to 16 bytes. */
static inline int outside(const gnd__block *b, size_t off, size_t nbytes)
{
    size_t cap = (b->nbytes + 15) & ~(size_t)15;
    return off > cap || nbytes > cap - off;
}

static inline gnd_status out_of_range(const gnd__gdev *d, const char *slot, const gnd__block *b,
                                      size_t off, size_t nbytes, gnd_err *e)
{
    return gnd__err(e, GND_ERR_INTERNAL, "%s: %s: bytes %zu to %zu of a block of %zu", d->id, slot,
                    off, off + nbytes, b->nbytes);
}

/* The same for a call that is not counted. */
#define ADVICE(slot, ...)                                                                          \
    done(d, slot, UNLIKELY(gnd__forked) ? gnd__fork_error(e) : (__VA_ARGS__), e)

/* Sets st to the call's result, with a span in the trace (device/trace.h). Skips the call if a test
 * asked for a failure. */
#define CALL(kind, category, name, nbytes, ...)                                                    \
    do {                                                                                           \
        if ((st = gnd__gate_tick(e)) == GND_OK) {                                                  \
            gnd__span span;                                                                        \
            gnd__span_begin(d, &span, GND__SPAN_##kind);                                           \
            st = __VA_ARGS__;                                                                      \
            d->worked = d->pending = 1;                                                            \
            gnd__span_end(d, &span, category, name, nbytes);                                       \
        }                                                                                          \
    } while (0)

#endif
