/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/record.c - the public side of recordings: placeholders, checks of arguments, and what goes
 * in and out. The work is sched/record.c's.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/record.h>

#include <stdio.h>
#include <string.h>
#include "array/host.h"
#include "array/place.h"
#include "array/record.h"
#include "base/grave.h"
#include "base/mem.h"
#include "graph/check.h"
#include "device/device.h"
#include "graph/graph.h"
#include "sched/record.h"

struct gnd_recording {
    uint32_t magic; /* RECORDING; 0 once freed */
    gnd_err err;    /* code != 0: it could not be made */
    /* code != 0: the first error of a step that nobody was told by _read, _get or _wait */
    gnd_err stuck;
    gnd_device *dev;
    gnd__recorded *r; /* NULL: that, or the device was closed */
};

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

/* The error of `bad` as e. It is released. */
static gnd_status take_error(gnd_array *bad, gnd_err *e)
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
            return take_error(bad, e);
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
            return take_error(bad, e);
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

static int is_freed(const gnd_recording *r)
{
    return gnd__grave_magic(r) != RECORDING;
}

/* Whether there is something to replay. */
static int works(const gnd_recording *r)
{
    return r && !is_freed(r) && r->r;
}

/* What a recording says of itself. */
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

/* --- in and out ------------------------------------------------------------------------------- */

/* Whether r works, and has number k of n ("input", "output"). Steps do nothing after one that
 * failed. */
static gnd_status usable(const gnd_recording *r, const char *what, int k, int n, gnd_err *e)
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

/* The same for who is to be told: the error of a step, which is forgotten with that, or what is
 * wrong else. */
static gnd_status told(gnd_recording *r, const char *what, int k, int n, const char *func,
                       gnd_err *e)
{
    gnd_status st = usable(r, what, k, n, e);
    if (st != GND_OK && works(r) && r->stuck.code)
        gnd__err_clear(&r->stuck);
    else if (st != GND_OK)
        gnd__err_prefix(e, "%s", func);
    return st;
}

/* The end of a step, which failed with e unless st is GND_OK: the first error stays until it is
 * told. */
static gnd_status stepped(gnd_recording *r, const char *func, gnd_status st, gnd_err *e)
{
    if (st == GND_OK)
        return st;
    if (works(r) && !r->stuck.code) {
        const size_t n = strlen(func); /* the layers below may have said it already */
        if (strncmp(e->msg, func, n) != 0 || e->msg[n] != ':')
            gnd__err_prefix(e, "%s", func);
        r->stuck = *e;
    }
    return works(r) && r->stuck.code ? gnd__refuse(st, "%s", r->stuck.msg)
                                     : gnd__only_status(func, e);
}

static int inputs(const gnd_recording *r)
{
    return works(r) ? r->r->nin : 0;
}

static int outputs(const gnd_recording *r)
{
    return works(r) ? r->r->nout : 0;
}

/* The elements of x to input i, of its dtype and shape. */
static gnd_status copy_in(gnd_recording *r, int i, gnd_array *x, gnd_err *e)
{
    gnd_array *c;
    gnd_status st = gnd__ready(x, &c, e);
    if (st != GND_OK)
        return st;
    st = gnd__checks_pass(x->data.st, e);
    if (st == GND_OK && x->size > 0) {
        gnd__recorded_write(r->r, i);
        st = gnd__gate_copy(r->dev->g, r->r->in[i]->data.st->block, 0, c->data.st->block,
                            (size_t)c->data.off * gnd_dtype_size((gnd_dtype)c->dtype),
                            gnd__nbytes(x), e);
    }
    gnd__unref(c);
    return st;
}

/* x, called so, has the dtype and the shape of input i. */
static gnd_status check_like(const gnd_recording *r, const char *what, const gnd_array *x, int i,
                             gnd_err *e)
{
    char a[GND__SHAPE_TEXT], b[GND__SHAPE_TEXT];
    const gnd_array *to = r->r->in[i];
    if (x->dtype != to->dtype)
        return gnd__err(e, GND_ERR_DTYPE, "%s is %s, input %d %s", what,
                        gnd_dtype_name((gnd_dtype)x->dtype), i,
                        gnd_dtype_name((gnd_dtype)to->dtype));
    if (x->ndim != to->ndim || (x->ndim && memcmp(x->dim, to->dim, x->ndim * sizeof *x->dim)))
        return gnd__err(e, GND_ERR_SHAPE, "%s has shape %s, input %d %s", what,
                        gnd__shape_text(a, x->ndim, x->dim), i,
                        gnd__shape_text(b, to->ndim, to->dim));
    return GND_OK;
}

/* Input i has memory: `what` is on the device. */
static gnd_status check_memory(const gnd_recording *r, const char *what, int i, gnd_err *e)
{
    if (!gnd__recorded_by_value(r->r, i))
        return GND_OK;
    return gnd__err(
        e, GND_ERR_ARG,
        "%s is an array, input %d a number (gnd_placeholder_number), which has no memory: "
        "gnd_recording_set_f64 sets it; a gnd_placeholder of shape () takes arrays",
        what, i);
}

static gnd_status array_in(gnd_recording *r, int i, gnd_array *x, gnd_err *e)
{
    if (check_memory(r, "x", i, e) != GND_OK)
        return e->code;
    if (x->dev != r->dev)
        return gnd__err(e, GND_ERR_DEVICE, "x is on %s, the recording on %s",
                        gnd__device_id(x->dev), gnd__device_id(r->dev));
    gnd_status st = check_like(r, "x", x, i, e);
    if (st == GND_OK) {
        gnd__gate_lock(r->dev->g);
        st = copy_in(r, i, x, e);
        gnd__gate_unlock(r->dev->g);
    }
    return st;
}

static const char *kind_text(int kind)
{
    return kind == 'b' ? "a bool" : kind == 'i' ? "an int" : kind == 'f' ? "a float" : "complex";
}

/* The number x, a weak scalar, for input i: an argument of the kernel that writes it. */
static gnd_status number_in(gnd_recording *r, int i, gnd_array *x, gnd_err *e)
{
    char text[GND__SHAPE_TEXT];
    const gnd_array *to = r->r->in[i];
    const gnd_dtype t = (gnd_dtype)to->dtype;
    if (to->ndim > 0)
        return gnd__err(e, GND_ERR_SHAPE, "x is a number, input %d has shape %s", i,
                        gnd__shape_text(text, to->ndim, to->dim));
    if (gnd__promote_weak(t, x->p.value.kind, GND_FLOAT64) != t)
        return gnd__err(e, GND_ERR_DTYPE, "x is %s, input %d %s", kind_text(x->p.value.kind), i,
                        gnd_dtype_name(t));
    gnd_array *c = gnd__strong(x, r->dev, t, "recording_set");
    if (c->kind == GND__ERROR)
        return take_error(c, e);
    gnd_status st = GND_OK;
    gnd__gate_lock(r->dev->g);
    if (gnd__recorded_by_value(r->r, i))
        gnd__recorded_value(r->r, i, &c->p.value);
    else
        st = gnd__recorded_number(r->r, i, c, e);
    gnd__gate_unlock(r->dev->g);
    gnd_release(c);
    return st;
}

gnd_status gnd_recording_set(gnd_recording *r, int i, gnd_array *x)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = usable(r, "input", i, inputs(r), &e);
    if (st == GND_OK) {
        gnd_array *bad = gnd__check(x, "recording_set", "x");
        if (bad)
            st = take_error(bad, &e);
        else if (x->weak)
            st = number_in(r, i, x, &e);
        else
            st = array_in(r, i, x, &e);
    }
    return stepped(r, "recording_set", st, &e);
}

gnd_status gnd_recording_set_f64(gnd_recording *r, int i, double v)
{
    gnd_array *x = gnd_real(v);
    gnd_status st = gnd_recording_set(r, i, x);
    gnd_release(x);
    return st;
}

gnd_status gnd_recording_set_i64(gnd_recording *r, int i, int64_t v)
{
    gnd_array *x = gnd_int(v);
    gnd_status st = gnd_recording_set(r, i, x);
    gnd_release(x);
    return st;
}

/* A copy of output o with memory of its own. Lock held. */
static gnd_status copy_of(gnd_recording *r, int o, gnd_array **out, gnd_err *e)
{
    gnd_array *c;
    const gnd_array *from = r->r->out[o];
    gnd_array *y = gnd__placed(r->dev, (gnd_dtype)from->dtype, from->ndim, from->dim);
    if (y->kind == GND__ERROR)
        return take_error(y, e);
    gnd_status st = gnd__ready(r->r->out[o], &c, e);
    if (st == GND_OK) {
        st = gnd__gate_copy(r->dev->g, y->data.st->block, 0, c->data.st->block,
                            (size_t)c->data.off * gnd_dtype_size((gnd_dtype)c->dtype),
                            gnd__nbytes(y), e);
        gnd__unref(c);
    }
    if (st != GND_OK)
        gnd_release(y);
    *out = y;
    return st;
}

/* An output on its way to an input: a block that changes places, a copy, or the output itself
 * (neither). */
typedef struct fed {
    gnd__block *block;
    gnd_array *copy;
} fed;

/* All that reads inputs comes before anything that changes one. */
static gnd_status feed_all(gnd_recording *r, int n, const int *o, const int *i, fed *f, gnd_err *e)
{
    gnd_status st = GND_OK;
    for (int k = 0; k < n && st == GND_OK; k++) {
        f[k].block = gnd__recorded_block(r->r, o[k], i[k]);
        if (!f[k].block && n > 1 && gnd__recorded_is_input(r->r, o[k]))
            st = copy_of(r, o[k], &f[k].copy, e);
    }
    for (int k = 0; k < n && st == GND_OK; k++)
        if (f[k].block)
            gnd__recorded_place(r->r, i[k], f[k].block);
    for (int k = 0; k < n && st == GND_OK; k++)
        if (!f[k].block)
            st = copy_in(r, i[k], f[k].copy ? f[k].copy : r->r->out[o[k]], e);
    for (int k = 0; k < n; k++)
        if (f[k].copy)
            gnd_release(f[k].copy);
    return st;
}

static gnd_status feed(gnd_recording *r, int n, const int *o, const int *i, gnd_err *e)
{
    char what[32];
    fed few[8] = {0}, *f = few;
    gnd_status st = usable(r, "", 0, 1, e);
    if (st == GND_OK && n < 0)
        st = gnd__err(e, GND_ERR_ARG, "%d outputs", n);
    if (st == GND_OK && n > 0 && (!o || !i))
        st = gnd__err(e, GND_ERR_NULL, "%s is NULL", o ? "i" : "o");
    for (int k = 0; k < n && st == GND_OK; k++) {
        st = usable(r, "output", o[k], outputs(r), e);
        if (st == GND_OK)
            st = usable(r, "input", i[k], inputs(r), e);
        if (st == GND_OK) {
            snprintf(what, sizeof what, "output %d", o[k]);
            st = check_like(r, what, r->r->out[o[k]], i[k], e);
            if (st == GND_OK)
                st = check_memory(r, what, i[k], e);
        }
    }
    if (st != GND_OK)
        return st;
    if (n > 8 && !(f = gnd__calloc((size_t)n, sizeof *f)))
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    gnd__gate_lock(r->dev->g);
    st = feed_all(r, n, o, i, f, e);
    gnd__gate_unlock(r->dev->g);
    if (f != few)
        gnd__free(f);
    return st;
}

gnd_status gnd_recording_feed(gnd_recording *r, int o, int i)
{
    gnd_err e = {GND_OK, 0, ""};
    const gnd_status st = feed(r, 1, &o, &i, &e);
    return stepped(r, "recording_feed", st, &e);
}

gnd_status gnd_recording_feed_all(gnd_recording *r, int n, const int *o, const int *i)
{
    gnd_err e = {GND_OK, 0, ""};
    const gnd_status st = feed(r, n, o, i, &e);
    return stepped(r, "recording_feed_all", st, &e);
}

/* The bytes of a's elements must be nbytes, and there must be a place for them. */
static gnd_status check_bytes(const gnd_array *a, const void *p, size_t nbytes, gnd_err *e)
{
    if (nbytes != gnd__nbytes(a))
        return gnd__err(e, GND_ERR_SHAPE, "%zu bytes given, the array has %zu", nbytes,
                        gnd__nbytes(a));
    return p || nbytes == 0 ? GND_OK : gnd__err(e, GND_ERR_NULL, "the host's memory is NULL");
}

gnd_status gnd_recording_write(gnd_recording *r, int i, const void *src, size_t nbytes)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = usable(r, "input", i, inputs(r), &e);
    if (st == GND_OK)
        st = check_bytes(r->r->in[i], src, nbytes, &e);
    if (st == GND_OK && gnd__recorded_by_value(r->r, i)) {
        const gnd__scalar v = gnd__load_scalar((gnd_dtype)r->r->in[i]->dtype, src);
        gnd__recorded_value(r->r, i, &v);
    } else if (st == GND_OK) {
        gnd__gate_lock(r->dev->g);
        gnd__recorded_write(r->r, i);
        st = gnd__gate_write(r->dev->g, r->r->in[i]->data.st->block, 0, src, nbytes, &e);
        gnd__gate_unlock(r->dev->g);
    }
    return stepped(r, "recording_write", st, &e);
}

gnd_status gnd_replay(gnd_recording *r)
{
    gnd_err e = {GND_OK, 0, ""};
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
    return stepped(r, "replay", st, &e);
}

gnd_status gnd_recording_read(gnd_recording *r, int o, void *dst, size_t nbytes)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = told(r, "output", o, outputs(r), "recording_read", &e);
    if (st != GND_OK)
        return gnd__refuse(st, "%s", e.msg);
    st = check_bytes(r->r->out[o], dst, nbytes, &e);
    if (st == GND_OK) {
        gnd__gdev *d = r->dev->g;
        gnd_array *c;
        gnd__gate_lock(d);
        st = gnd__ready(r->r->out[o], &c, &e);
        if (st == GND_OK) {
            const size_t off = (size_t)c->data.off * gnd_dtype_size((gnd_dtype)c->dtype);
            st = nbytes > 0 ? gnd__gate_read(d, dst, c->data.st->block, off, nbytes, &e)
                            : gnd__gate_finish(d, &e);
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
    gnd_err e = {GND_OK, 0, ""};
    gnd_array *y = NULL;
    gnd_status st = told(r, "output", o, outputs(r), "recording_get", &e);
    if (st == GND_OK) {
        gnd__gate_lock(r->dev->g);
        st = gnd__checks_again(r->r->checks, &e);
        if (st == GND_OK)
            st = copy_of(r, o, &y, &e);
        gnd__gate_unlock(r->dev->g);
        if (st == GND_OK)
            return y;
        gnd__err_prefix(&e, "recording_get");
    }
    return gnd__error_node(works(r) ? r->dev : NULL, &e);
}

/* --- rows of larger arrays (array/loop_scan.c) ------------------------------------------------ */

const gnd_array *gnd__recording_output(const gnd_recording *r, int o)
{
    return r->r->out[o];
}

static gnd_status copy_row(gnd_recording *r, gnd_array *to, int64_t to_row, gnd_array *from,
                           int64_t from_row, gnd_err *e)
{
    const size_t nbytes = to_row < 0 ? gnd__nbytes(to) : gnd__nbytes(from),
                 esize = gnd_dtype_size((gnd_dtype)to->dtype);
    if (nbytes == 0)
        return GND_OK;
    return gnd__gate_copy(
        r->dev->g, to->data.st->block,
        (size_t)to->data.off * esize + (to_row < 0 ? 0 : (size_t)to_row * nbytes),
        from->data.st->block,
        (size_t)from->data.off * esize + (from_row < 0 ? 0 : (size_t)from_row * nbytes), nbytes, e);
}

gnd_status gnd__recording_row_in(gnd_recording *r, int i, gnd_array *x, int64_t row)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st = usable(r, "input", i, inputs(r), &e);
    if (st == GND_OK) {
        gnd__gate_lock(r->dev->g);
        gnd__recorded_write(r->r, i);
        st = copy_row(r, r->r->in[i], -1, x, row, &e);
        gnd__gate_unlock(r->dev->g);
    }
    return stepped(r, "recording_set", st, &e);
}

gnd_status gnd__recording_row_out(gnd_recording *r, int o, gnd_array *y, int64_t row)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_array *c;
    gnd_status st = usable(r, "output", o, outputs(r), &e);
    if (st == GND_OK) {
        gnd__gate_lock(r->dev->g);
        st = gnd__ready(r->r->out[o], &c, &e);
        if (st == GND_OK) {
            st = copy_row(r, y, row, c, -1, &e);
            gnd__unref(c);
        }
        gnd__gate_unlock(r->dev->g);
    }
    return stepped(r, "recording_get", st, &e);
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
    gnd_status st = told(r, "", 0, 1, "recording_wait", &e);
    if (works(r) && !gnd__forked) { /* also after a step that failed */
        gnd__gdev *d = r->dev->g;
        gnd__gate_lock(d);
        gnd_status x = gnd__gate_finish(d, &found);
        if (x == GND_OK)
            x = gnd__checks_again(r->r->checks, &found);
        gnd__gate_unlock(d);
        if (st == GND_OK && x != GND_OK)
            return gnd__only_status("recording_wait", &found);
    }
    return st == GND_OK ? st : gnd__refuse(st, "%s", e.msg);
}
