/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/record_io.c - inputs and outputs of recordings: arrays and numbers are set, outputs are
 * read or fed to inputs, and rows of larger arrays go in and out for loops.
 */
#include "array/record_priv.h"

#include <stdio.h>
#include <string.h>
#include "array/place.h"
#include "array/record.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/create.h>

/* Gives input i the elements of x, which has the same dtype and shape: a copy, unless `lent`, a
 * user's array, can lend its memory. */
static gnd_status copy_in(gnd_recording *r, int i, gnd_array *x, int lent, gnd_err *e)
{
    gnd_array *c;
    gnd_status st = gnd__ready(x, &c, e);
    if (st != GND_OK)
        return st;
    st = gnd__checks_pass(x->data.st, e);
    const int there = st == GND_OK && c->data.st == r->r->in[i]->data.st; /* it is fed to itself */
    if (st == GND_OK && x->size > 0 && !there && !(lent && gnd__recorded_lend(r->r, i, c))) {
        gnd__recorded_write(r->r, i);
        st = gnd__gate_copy(r->dev->g, r->r->in[i]->data.st->block, 0, c->data.st->block,
                            (size_t)c->data.off * gnd_dtype_size((gnd_dtype)c->dtype),
                            gnd__nbytes(x), e);
    }
    gnd__unref(c);
    return st;
}

/* Checks that x, called `what` in messages, has the dtype and the shape of input i. */
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
        st = copy_in(r, i, x, 1, e);
        gnd__gate_unlock(r->dev->g);
    }
    return st;
}

static const char *kind_text(int kind)
{
    return kind == 'b' ? "a bool" : kind == 'i' ? "an int" : kind == 'f' ? "a float" : "complex";
}

/* Sets input i to the number x, a weak scalar: an argument of the kernel that writes it. */
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
        return gnd__recording_take_error(c, e);
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
    gnd_status st = gnd__recording_usable(r, "input", i, gnd__recording_inputs(r), &e);
    if (st == GND_OK) {
        gnd_array *bad = gnd__check(x, "recording_set", "x");
        if (bad)
            st = gnd__recording_take_error(bad, &e);
        else if (x->weak)
            st = number_in(r, i, x, &e);
        else
            st = array_in(r, i, x, &e);
    }
    return gnd__recording_stepped(r, "recording_set", st, &e);
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

/* Makes a copy of output o with its own memory. The lock is held. */
static gnd_status copy_of(gnd_recording *r, int o, gnd_array **out, gnd_err *e)
{
    gnd_array *c;
    const gnd_array *from = r->r->out[o];
    gnd_array *y = gnd__placed(r->dev, (gnd_dtype)from->dtype, from->ndim, from->dim);
    if (y->kind == GND__ERROR)
        return gnd__recording_take_error(y, e);
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

/* An output that is fed to an input: a block that moves there, a copy, or (neither) the output
 * itself. */
typedef struct fed {
    gnd__block *block;
    gnd_array *copy;
} fed;

/* Reads all inputs before it changes any. */
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
            st = copy_in(r, i[k], f[k].copy ? f[k].copy : r->r->out[o[k]], 0, e);
    for (int k = 0; k < n; k++)
        if (f[k].copy)
            gnd_release(f[k].copy);
    return st;
}

static gnd_status feed(gnd_recording *r, int n, const int *o, const int *i, gnd_err *e)
{
    char what[32];
    fed few[8] = {0}, *f = few;
    gnd_status st = gnd__recording_usable(r, "", 0, 1, e);
    if (st == GND_OK && n < 0)
        st = gnd__err(e, GND_ERR_ARG, "%d outputs", n);
    if (st == GND_OK && n > 0 && (!o || !i))
        st = gnd__err(e, GND_ERR_NULL, "%s is NULL", o ? "i" : "o");
    for (int k = 0; k < n && st == GND_OK; k++) {
        st = gnd__recording_usable(r, "output", o[k], gnd__recording_outputs(r), e);
        if (st == GND_OK)
            st = gnd__recording_usable(r, "input", i[k], gnd__recording_inputs(r), e);
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
    return gnd__recording_stepped(r, "recording_feed", st, &e);
}

gnd_status gnd_recording_feed_all(gnd_recording *r, int n, const int *o, const int *i)
{
    gnd_err e = {GND_OK, 0, ""};
    const gnd_status st = feed(r, n, o, i, &e);
    return gnd__recording_stepped(r, "recording_feed_all", st, &e);
}

/* Checks that the elements of a have nbytes bytes, and that there is a destination. */
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
    gnd_status st = gnd__recording_usable(r, "input", i, gnd__recording_inputs(r), &e);
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
    return gnd__recording_stepped(r, "recording_write", st, &e);
}

gnd_status gnd_recording_read(gnd_recording *r, int o, void *dst, size_t nbytes)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_status st =
        gnd__recording_told(r, "output", o, gnd__recording_outputs(r), "recording_read", &e);
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
    gnd_status st =
        gnd__recording_told(r, "output", o, gnd__recording_outputs(r), "recording_get", &e);
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
    return gnd__error_node(gnd__recording_works(r) ? r->dev : NULL, &e);
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
    gnd_status st = gnd__recording_usable(r, "input", i, gnd__recording_inputs(r), &e);
    if (st == GND_OK) {
        gnd__gate_lock(r->dev->g);
        gnd__recorded_write(r->r, i);
        st = copy_row(r, r->r->in[i], -1, x, row, &e);
        gnd__gate_unlock(r->dev->g);
    }
    return gnd__recording_stepped(r, "recording_set", st, &e);
}

gnd_status gnd__recording_row_out(gnd_recording *r, int o, gnd_array *y, int64_t row)
{
    gnd_err e = {GND_OK, 0, ""};
    gnd_array *c;
    gnd_status st = gnd__recording_usable(r, "output", o, gnd__recording_outputs(r), &e);
    if (st == GND_OK) {
        gnd__gate_lock(r->dev->g);
        st = gnd__ready(r->r->out[o], &c, &e);
        if (st == GND_OK) {
            st = copy_row(r, y, row, c, -1, &e);
            gnd__unref(c);
        }
        gnd__gate_unlock(r->dev->g);
    }
    return gnd__recording_stepped(r, "recording_get", st, &e);
}
