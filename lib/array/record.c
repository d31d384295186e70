/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/record.c - recordings: placeholders, the checks of gnd_record, errors that wait to be
 * reported, and replays. Elements go in and out in record_io.c; the work is sched/record.c's.
 */
#include "array/record.h"

#include <stdio.h>
#include <string.h>
#include "array/record_priv.h"
#include "base/grave.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/check.h"
#include <gnd/array.h>

enum { RECORDING = 0x676e6433 };

static gnd__graves freed;

static gnd_recording nomem_recording = {
    .magic = RECORDING,
    .err = {.code = GND_ERR_NOMEM, .msg = "record: out of host memory"},
};

gnd_array *gnd_placeholder(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape)
{
    gnd_array *bad = gnd__check_device("placeholder", dev);
    if (bad)
        return bad;
    if (t == GND_DTYPE_DEFAULT)
        t = gnd__device_float(dev);
    if ((bad = gnd__check_type("placeholder", dev, t)) ||
        (bad = gnd__check_shape("placeholder", dev, t, ndim, shape)))
        return bad;
    return gnd__node(GND__DATA, dev, t, ndim, shape, 0, NULL);
}

gnd_array *gnd_placeholder_number(gnd_device *dev, gnd_dtype t)
{
    gnd_array *bad = gnd__check_device("placeholder_number", dev);
    if (bad)
        return bad;
    if (t == GND_DTYPE_DEFAULT)
        t = gnd__device_float(dev);
    if ((bad = gnd__check_type("placeholder_number", dev, t)))
        return bad;
    gnd_array *x = gnd__node(GND__DATA, dev, t, 0, NULL, 0, NULL);
    if (x->kind == GND__DATA)
        x->p.number = 1;
    return x;
}

/* --- making ----------------------------------------------------------------------------------- */

gnd_status gnd__recording_take_error(gnd_array *bad, gnd_err *e)
{
    *e = *bad->p.err;
    gnd_release(bad);
    return e->code;
}

static gnd_status check_inputs(int nin, gnd_array *const *in, gnd_err *e)
{
    char name[32];
    if (nin > 0 && !in)
        return gnd__err(e, GND_ERR_NULL, "record: in is NULL");
    for (int i = 0; i < nin; i++) {
        snprintf(name, sizeof name, "in[%d]", i);
        gnd_array *bad = gnd__check(in[i], "record", name);
        if (bad)
            return gnd__recording_take_error(bad, e);
        if (in[i]->kind != GND__DATA || in[i]->data.st)
            return gnd__err(e, GND_ERR_ARG,
                            "record: %s is no placeholder: gnd_placeholder makes them", name);
        for (int j = 0; j < i; j++)
            if (in[i] == in[j])
                return gnd__err(e, GND_ERR_ARG,
                                "record: in[%d] and in[%d] are the same placeholder", j, i);
    }
    return GND_OK;
}

/* The arguments of gnd_record; *dev is the device of all. */
static gnd_status check_record(int nin, gnd_array *const *in, int nout, gnd_array *const *out,
                               gnd_device **dev, gnd_err *e)
{
    char name[32];
    gnd_status st;
    if (nin < 0 || nout < 1)
        return gnd__err(e, GND_ERR_ARG,
                        "record: %d inputs and %d outputs: at least one output is needed", nin,
                        nout);
    if ((st = check_inputs(nin, in, e)) != GND_OK)
        return st;
    if (!out)
        return gnd__err(e, GND_ERR_NULL, "record: out is NULL");
    for (int i = 0; i < nout; i++) {
        snprintf(name, sizeof name, "out[%d]", i);
        gnd_array *bad = gnd__check_strong(out[i], "record", name);
        if (bad)
            return gnd__recording_take_error(bad, e);
    }
    *dev = out[0]->dev;
    for (int i = 0; i < nin + nout; i++) {
        const gnd_array *x = i < nout ? out[i] : in[i - nout];
        if (x->dev != *dev)
            return gnd__err(e, GND_ERR_DEVICE, "record: arrays of two devices, %s and %s",
                            gnd__device_id(*dev), gnd__device_id(x->dev));
    }
    return GND_OK;
}

gnd_recording *gnd_record(int nin, gnd_array *const *in, int nout, gnd_array *const *out)
{
    gnd_recording *r = gnd__grave_new(&freed, sizeof *r);
    if (!r)
        return &nomem_recording;
    r->magic = RECORDING;
    if (check_record(nin, in, nout, out, &r->dev, &r->err) != GND_OK)
        return r;
    if (gnd__forked) {
        gnd__fork_error(&r->err);
        return r;
    }
    gnd__gate_lock(r->dev->g);
    if (gnd__recorded_make(r->dev, nin, in, nout, out, &r->r, &r->err) != GND_OK)
        gnd__err_prefix(&r->err, "record");
    gnd__gate_unlock(r->dev->g);
    return r;
}

/* --- state ------------------------------------------------------------------------------------ */

static int is_freed(const gnd_recording *r)
{
    return gnd__grave_magic(r) != RECORDING;
}

int gnd__recording_works(const gnd_recording *r)
{
    return r && !is_freed(r) && r->r;
}

/* Reports the status of a recording. */
static const gnd_err *state_of(const gnd_recording *r)
{
    static const gnd_err none = {GND_ERR_NULL, 0, "the recording is NULL"};
    static const gnd_err gone = {GND_ERR_STATE, 0, "the recording was freed"};
    static const gnd_err closed = {GND_ERR_STATE, 0, "the device of the recording was closed"};
    if (!r || is_freed(r))
        return r ? &gone : &none;
    return r->err.code ? &r->err : r->r ? &r->stuck : &closed;
}

gnd_status gnd_recording_status(const gnd_recording *r)
{
    return state_of(r)->code;
}

const char *gnd_recording_error(const gnd_recording *r)
{
    return state_of(r)->msg;
}

gnd_status gnd_recording_free(gnd_recording *r)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = GND_OK;
    if (!r || r == &nomem_recording)
        return GND_OK;
    if (is_freed(r))
        return gnd__refuse(GND_ERR_STATE, "recording_free: r is a freed recording");
    if (r->r && gnd__forked)
        return gnd__fork_error(&e), gnd__only_status("recording_free", &e);
    if (r->r) {
        gnd__gdev *d = r->dev->g;
        gnd__gate_lock(d);
        st = gnd__recorded_free(r->r, &e);
        gnd__gate_unlock(d);
    }
    gnd__grave_free(&freed, r);
    return st == GND_OK ? st : gnd__only_status("recording_free", &e);
}

gnd_status gnd__recording_usable(const gnd_recording *r, const char *what, int k, int n, gnd_err *e)
{
    const gnd_err *state = state_of(r);
    if (state->code != GND_OK) {
        *e = *state;
        return e->code;
    }
    if (gnd__forked)
        return gnd__fork_error(e);
    return k >= 0 && k < n ? GND_OK : gnd__err(e, GND_ERR_ARG, "%s %d of %d", what, k, n);
}

gnd_status gnd__recording_told(gnd_recording *r, const char *what, int k, int n, const char *func,
                               gnd_err *e)
{
    gnd_status st = gnd__recording_usable(r, what, k, n, e);
    if (st != GND_OK && gnd__recording_works(r) && r->stuck.code)
        gnd__err_clear(&r->stuck);
    else if (st != GND_OK)
        gnd__err_prefix(e, "%s", func);
    return st;
}

gnd_status gnd__recording_stepped(gnd_recording *r, const char *func, gnd_status st, gnd_err *e)
{
    if (st == GND_OK)
        return st;
    if (gnd__recording_works(r) && !r->stuck.code) {
        const size_t n = strlen(func); /* the layers below may have reported it already */
        if (strncmp(e->msg, func, n) != 0 || e->msg[n] != ':')
            gnd__err_prefix(e, "%s", func);
        r->stuck = *e;
    }
    return gnd__recording_works(r) && r->stuck.code ? gnd__refuse(st, "%s", r->stuck.msg)
                                                    : gnd__only_status(func, e);
}

int gnd__recording_inputs(const gnd_recording *r)
{
    return gnd__recording_works(r) ? r->r->nin : 0;
}

int gnd__recording_outputs(const gnd_recording *r)
{
    return gnd__recording_works(r) ? r->r->nout : 0;
}

/* --- replay ----------------------------------------------------------------------------------- */

gnd_status gnd_replay(gnd_recording *r)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = gnd__recording_usable(r, "", 0, 1, &e);
    if (st == GND_OK) {
        gnd__gdev *d = r->dev->g;
        gnd__gate_lock(d);
        d->starved = 0;
        st = gnd__recorded_run(r->r, &e);
        if (st == GND_ERR_DEVMEM && d->starved && gnd__pool_trim(d)) { /* as gnd__evaluate does */
            gnd__err_clear(&e);
            st = gnd__recorded_run(r->r, &e);
        }
        gnd__gate_unlock(d);
    }
    return gnd__recording_stepped(r, "replay", st, &e);
}

/* --- loops on the device (array/loop.c) ------------------------------------------------------- */

gnd_status gnd__recording_cycle(gnd_recording *r, int n, const int *o, const int *i, int word,
                                int *steps)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd__gate_lock(r->dev->g);
    const gnd_status st = gnd__cycle_make(r->r, n, o, i, word, steps, &e);
    gnd__gate_unlock(r->dev->g);
    return st == GND_OK ? st : gnd__only_status("recording", &e);
}

gnd_status gnd__recording_turn(gnd_recording *r, int64_t made, int64_t limit, int64_t *word)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd__gate_lock(r->dev->g);
    const gnd_status st = gnd__cycle_run(r->r, made, limit, word, &e);
    gnd__gate_unlock(r->dev->g);
    return st == GND_OK ? st : gnd__only_status("recording", &e);
}

gnd_status gnd_recording_wait(gnd_recording *r)
{
    gnd_err e = {GND_OK, 0, ""}, found = {GND_OK, 0, ""};
    gnd_status st = gnd__recording_told(r, "", 0, 1, "recording_wait", &e);
    if (gnd__recording_works(r) && !gnd__forked) { /* this applies after a failed step too */
        gnd__gdev *d = r->dev->g;
        gnd__gate_lock(d);
        gnd_status x = gnd__recorded_use(r->r, &found);
        if (x == GND_OK)
            x = gnd__gate_finish(d, &found);
        if (x == GND_OK)
            x = gnd__checks_again(r->r->checks, &found);
        gnd__gate_unlock(d);
        if (st == GND_OK && x != GND_OK)
            return gnd__only_status("recording_wait", &found);
    }
    return st == GND_OK ? st : gnd__refuse(st, "%s", e.msg);
}
