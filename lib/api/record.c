/* SPDX-License-Identifier: BSD-3-Clause
 *
 * api/record.c - the public side of recordings: placeholders, checks of arguments, and what goes in and
 * out. The work is sched/record.c's.
 */
#include <gnd/array.h>
#include <gnd/record.h>

#include <stdio.h>
#include <string.h>
#include "api/host.h"
#include "api/place.h"
#include "base/mem.h"
#include "graph/check.h"
#include "sched/device.h"
#include "sched/record.h"

struct gnd_recording {
    gnd_err err;          /* code != 0: it could not be made */
    gnd_device *dev;
    gnd__recorded *r;     /* NULL: that, or the device was closed */
};

static gnd_recording nomem_recording = {
    .err = { .code = GND_ERR_NOMEM, .msg = "record: out of host memory" },
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

/* --- making ------------------------------------------------------------------------------------- */

/* The error of `bad`, which is done with, as e. */
static gnd_status take_error(gnd_array *bad, gnd_err *e)
{
    *e = *bad->p.err;
    gnd__done(bad);
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
            return take_error(bad, e);
        if (in[i]->kind != GND__DATA || in[i]->data.st)
            return gnd__err(e, GND_ERR_ARG, "record: %s is no placeholder: gnd_placeholder makes them", name);
        for (int j = 0; j < i; j++)
            if (in[i] == in[j])
                return gnd__err(e, GND_ERR_ARG, "record: in[%d] and in[%d] are the same placeholder", j, i);
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
        return gnd__err(e, GND_ERR_ARG, "record: %d inputs and %d outputs: at least one output is needed", nin,
                        nout);
    if ((st = check_inputs(nin, in, e)) != GND_OK)
        return st;
    if (!out)
        return gnd__err(e, GND_ERR_NULL, "record: out is NULL");
    for (int i = 0; i < nout; i++) {
        snprintf(name, sizeof name, "out[%d]", i);
        gnd_array *bad = gnd__check_strong(out[i], "record", name);
        if (bad)
            return take_error(bad, e);
    }
    *dev = out[0]->dev;
    for (int i = 0; i < nin + nout; i++) {
        const gnd_array *x = i < nout ? out[i] : in[i - nout];
        if (x->dev != *dev)
            return gnd__err(e, GND_ERR_DEVICE, "record: arrays of two devices, %s and %s", gnd__device_id(*dev),
                            gnd__device_id(x->dev));
    }
    return GND_OK;
}

gnd_recording *gnd_record(int nin, gnd_array *const *in, int nout, gnd_array *const *out)
{
    gnd_recording *r = gnd__calloc(1, sizeof *r);
    if (!r)
        return &nomem_recording;
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

gnd_status gnd_recording_status(const gnd_recording *r)
{
    if (!r)
        return GND_ERR_NULL;
    return r->err.code || r->r ? r->err.code : GND_ERR_STATE;
}

const char *gnd_recording_error(const gnd_recording *r)
{
    if (!r)
        return "the recording is NULL";
    return r->err.code || r->r ? r->err.msg : "the device of the recording was closed";
}

gnd_status gnd_recording_free(gnd_recording *r)
{
    gnd_err e = { GND_OK, 0, "" };
    gnd_status st = GND_OK;
    if (!r || r == &nomem_recording)
        return GND_OK;
    if (r->r && gnd__forked)
        return gnd__fork_error(&e), gnd__only_status("recording_free", &e);
    if (r->r) {
        gnd__gdev *d = r->dev->g;
        gnd__gate_lock(d);
        st = gnd__recorded_free(r->r, &e);
        gnd__gate_unlock(d);
    }
    gnd__free(r);
    return st == GND_OK ? st : gnd__only_status("recording_free", &e);
}

/* --- in and out --------------------------------------------------------------------------------- */

/* Whether r works, and has number k of n ("input", "output"). */
static gnd_status usable(const gnd_recording *r, const char *what, int k, int n, gnd_err *e)
{
    gnd_status st = gnd_recording_status(r);
    if (st != GND_OK)
        return gnd__err(e, st, "%s", gnd_recording_error(r));
    if (gnd__forked)
        return gnd__fork_error(e);
    return k >= 0 && k < n ? GND_OK : gnd__err(e, GND_ERR_ARG, "%s %d of %d", what, k, n);
}

static int inputs(const gnd_recording *r)
{
    return r && r->r ? r->r->nin : 0;
}

static int outputs(const gnd_recording *r)
{
    return r && r->r ? r->r->nout : 0;
}

static gnd_status copy_in(gnd_recording *r, gnd_array *to, gnd_array *x, gnd_err *e)
{
    gnd__gdev *d = r->dev->g;
    gnd_array *c;
    gnd_status st = gnd__ready(x, &c, e);
    if (st != GND_OK)
        return st;
    st = gnd__checks_pass(x->data.st, e);
    if (st == GND_OK && x->size > 0)
        st = gnd__gate_copy(d, to->data.st->block, 0, c->data.st->block,
                            (size_t)c->data.off * gnd_dtype_size((gnd_dtype)x->dtype), gnd_nbytes(x), e);
    gnd__unref(c);
    return st;
}

/* x, called so, has the dtype and the shape of input i. */
static gnd_status check_like(const gnd_recording *r, const char *what, const gnd_array *x, int i, gnd_err *e)
{
    char a[GND__SHAPE_TEXT], b[GND__SHAPE_TEXT];
    const gnd_array *to = r->r->in[i];
    if (x->dtype != to->dtype)
        return gnd__err(e, GND_ERR_DTYPE, "%s is %s, input %d %s", what, gnd_dtype_name((gnd_dtype)x->dtype), i,
                        gnd_dtype_name((gnd_dtype)to->dtype));
    if (x->ndim != to->ndim || (x->ndim && memcmp(x->dim, to->dim, x->ndim * sizeof *x->dim)))
        return gnd__err(e, GND_ERR_SHAPE, "%s has shape %s, input %d %s", what, gnd__shape_text(a, x->ndim, x->dim),
                        i, gnd__shape_text(b, to->ndim, to->dim));
    return GND_OK;
}

gnd_status gnd_recording_set(gnd_recording *r, int i, gnd_array *x)
{
    gnd_err e = { GND_OK, 0, "" };
    gnd_status st = usable(r, "input", i, inputs(r), &e);
    if (st == GND_OK) {
        gnd_array *bad = gnd__check_strong(x, "recording_set", "x");
        if (bad)
            st = take_error(bad, &e);
        else if (x->dev != r->dev)
            st = gnd__err(&e, GND_ERR_DEVICE, "x is on %s, the recording on %s", gnd__device_id(x->dev),
                          gnd__device_id(r->dev));
        else
            st = check_like(r, "x", x, i, &e);
        if (st == GND_OK) {
            gnd__gate_lock(r->dev->g);
            st = copy_in(r, r->r->in[i], x, &e);
            gnd__gate_unlock(r->dev->g);
        }
    }
    return st == GND_OK ? st : gnd__only_status("recording_set", &e);
}

gnd_status gnd_recording_feed(gnd_recording *r, int o, int i)
{
    char what[32];
    gnd_err e = { GND_OK, 0, "" };
    gnd_status st = usable(r, "output", o, outputs(r), &e);
    if (st == GND_OK)
        st = usable(r, "input", i, inputs(r), &e);
    if (st == GND_OK) {
        snprintf(what, sizeof what, "output %d", o);
        st = check_like(r, what, r->r->out[o], i, &e);
    }
    if (st == GND_OK) {
        gnd_array *c, *to = r->r->in[i];
        gnd__gdev *d = r->dev->g;
        gnd__gate_lock(d);
        st = gnd__ready(r->r->out[o], &c, &e);
        if (st == GND_OK) {
            if (to->size > 0 && c->data.st != to->data.st) /* else it is all of that input */
                st = gnd__gate_copy(d, to->data.st->block, 0, c->data.st->block,
                                    (size_t)c->data.off * gnd_dtype_size((gnd_dtype)c->dtype), gnd_nbytes(to), &e);
            gnd__unref(c);
        }
        gnd__gate_unlock(d);
    }
    return st == GND_OK ? st : gnd__only_status("recording_feed", &e);
}

/* The bytes of a's elements must be nbytes, and there must be a place for them. */
static gnd_status check_bytes(const gnd_array *a, const void *p, size_t nbytes, gnd_err *e)
{
    if (nbytes != gnd_nbytes(a))
        return gnd__err(e, GND_ERR_SHAPE, "%zu bytes given, the array has %zu", nbytes, gnd_nbytes(a));
    return p || nbytes == 0 ? GND_OK : gnd__err(e, GND_ERR_NULL, "the host's memory is NULL");
}

gnd_status gnd_recording_write(gnd_recording *r, int i, const void *src, size_t nbytes)
{
    gnd_err e = { GND_OK, 0, "" };
    gnd_status st = usable(r, "input", i, inputs(r), &e);
    if (st == GND_OK)
        st = check_bytes(r->r->in[i], src, nbytes, &e);
    if (st == GND_OK) {
        gnd__gate_lock(r->dev->g);
        st = gnd__gate_write(r->dev->g, r->r->in[i]->data.st->block, 0, src, nbytes, &e);
        gnd__gate_unlock(r->dev->g);
    }
    return st == GND_OK ? st : gnd__only_status("recording_write", &e);
}

gnd_status gnd_replay(gnd_recording *r)
{
    gnd_err e = { GND_OK, 0, "" };
    gnd_status st = usable(r, "", 0, 1, &e);
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
    return st == GND_OK ? st : gnd__only_status("replay", &e);
}

gnd_status gnd_recording_read(gnd_recording *r, int o, void *dst, size_t nbytes)
{
    gnd_err e = { GND_OK, 0, "" };
    gnd_status st = usable(r, "output", o, outputs(r), &e);
    if (st == GND_OK)
        st = check_bytes(r->r->out[o], dst, nbytes, &e);
    if (st == GND_OK) {
        gnd__gdev *d = r->dev->g;
        gnd_array *c;
        gnd__gate_lock(d);
        st = gnd__ready(r->r->out[o], &c, &e);
        if (st == GND_OK) {
            const size_t off = (size_t)c->data.off * gnd_dtype_size((gnd_dtype)c->dtype);
            st = nbytes > 0 ? gnd__gate_read(d, dst, c->data.st->block, off, nbytes, &e) : gnd__gate_finish(d, &e);
            if (st == GND_OK)
                st = gnd__checks_again(r->r->checks, &e);
            gnd__unref(c);
        }
        gnd__gate_unlock(d);
    }
    return st == GND_OK ? st : gnd__only_status("recording_read", &e);
}

gnd_array *gnd_recording_get(gnd_recording *r, int o)
{
    gnd_err e = { GND_OK, 0, "" };
    gnd_array *y = NULL, *c;
    gnd_status st = usable(r, "output", o, outputs(r), &e);
    if (st == GND_OK) {
        const gnd_array *from = r->r->out[o];
        y = gnd__placed(r->dev, (gnd_dtype)from->dtype, from->ndim, from->dim);
        if (y->kind == GND__ERROR)
            return y;
        gnd__gdev *d = r->dev->g;
        gnd__gate_lock(d);
        st = gnd__checks_again(r->r->checks, &e);
        if (st == GND_OK)
            st = gnd__ready(r->r->out[o], &c, &e);
        if (st == GND_OK) {
            st = gnd__gate_copy(d, y->data.st->block, 0, c->data.st->block,
                                (size_t)c->data.off * gnd_dtype_size((gnd_dtype)c->dtype), gnd_nbytes(y), &e);
            gnd__unref(c);
        }
        gnd__gate_unlock(d);
    }
    if (st == GND_OK)
        return y;
    gnd__err_prefix(&e, "recording_get");
    if (y)
        gnd__done(y);
    return gnd__error_node(r && r->r ? r->dev : NULL, &e);
}

gnd_status gnd_recording_wait(gnd_recording *r)
{
    gnd_err e = { GND_OK, 0, "" };
    gnd_status st = usable(r, "", 0, 1, &e);
    if (st == GND_OK) {
        gnd__gdev *d = r->dev->g;
        gnd__gate_lock(d);
        st = gnd__gate_finish(d, &e);
        if (st == GND_OK)
            st = gnd__checks_again(r->r->checks, &e);
        gnd__gate_unlock(d);
    }
    return st == GND_OK ? st : gnd__only_status("recording_wait", &e);
}
