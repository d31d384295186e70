/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/kernel/snippet_call.c - calls of elementwise and reduction kernels: letters get their dtypes
 * from the arguments, shapes broadcast, and the nodes are made. A reduction is a call, a fold and a
 * call for each output, which fuse like any others.
 */
#include <stdio.h>
#include <string.h>
#include "array/host.h"
#include "array/views.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "ops/kernel/snippet.h"
#include <gnd/array.h>

/* A call under construction. */
typedef struct call {
    gnd_ekernel *k;
    int nin;
    gnd_array *const *in;
    const gnd_kernel_call *how;
    gnd_device *dev;
    gnd__letters letters;
    gnd__shape shape;
    int64_t size;
    const gnd__bound *b;
    gnd_err e;
} call;

static gnd_status take_error(call *c, gnd_array *bad)
{
    c->e = *bad->p.err;
    gnd_release(bad);
    return c->e.code;
}

/* --- dtypes ----------------------------------------------------------------------------------- */

/* Notes that array or output `what` number i has dtype t, for parameter p. */
static gnd_status meet(call *c, const char *what, int i, const gnd__sparam *p, gnd_dtype t)
{
    int16_t *of = &c->letters.of[(unsigned char)p->letter];
    if (p->raw && (t == GND_FLOAT16 || t == GND_BFLOAT16))
        return gnd__err(&c->e, GND_ERR_DTYPE,
                        "%s[%d], raw %s, is %s, which has no type in C: convert it to float32",
                        what, i, p->name, gnd_dtype_name(t));
    if (!p->letter)
        return (int)t == p->dtype
                   ? GND_OK
                   : gnd__err(&c->e, GND_ERR_DTYPE, "%s[%d], %s, is %s and the parameter is %s",
                              what, i, p->name, gnd_dtype_name(t),
                              gnd_dtype_name((gnd_dtype)p->dtype));
    if (*of < 0)
        *of = (int16_t)t;
    return *of == (int16_t)t
               ? GND_OK
               : gnd__err(&c->e, GND_ERR_DTYPE, "%s[%d], %s, is %s, and %c is %s", what, i, p->name,
                          gnd_dtype_name(t), p->letter, gnd_dtype_name((gnd_dtype)*of));
}

static gnd_status all_known(call *c, const char *what, const gnd__sparams *s)
{
    for (int i = 0; i < s->n; i++) {
        const gnd_dtype t = gnd__sparam_dtype(&s->p[i], &c->letters);
        if ((int)t < 0)
            return gnd__err(&c->e, GND_ERR_DTYPE,
                            "nothing tells what %c is, the type of %s %s: no array has it",
                            s->p[i].letter, what, s->p[i].name);
        if (gnd__check_dtype("", c->dev, t, &c->e) != GND_OK)
            return c->e.code;
        if (s->p[i].raw && (t == GND_FLOAT16 || t == GND_BFLOAT16))
            return gnd__err(&c->e, GND_ERR_DTYPE,
                            "raw %s is %s, which has no type in C: convert it to float32",
                            s->p[i].name, gnd_dtype_name(t));
    }
    return GND_OK;
}

static gnd_status find_dtypes(call *c, int reduces)
{
    const gnd_ekernel *k = c->k;
    gnd_status st = GND_OK;
    memset(&c->letters, -1, sizeof c->letters);
    for (int i = 0; i < c->nin && st == GND_OK; i++)
        if (!c->in[i]->weak)
            st = meet(c, "in", i, &k->in.p[i], (gnd_dtype)c->in[i]->dtype);
    for (int o = 0; o < k->out.n && st == GND_OK && c->how && c->how->out_dtype; o++) {
        const gnd_dtype t = c->how->out_dtype[o];
        if (t == GND_DTYPE_DEFAULT)
            continue;
        if ((unsigned)t >= GND_NDTYPES)
            return gnd__err(&c->e, GND_ERR_DTYPE, "out_dtype[%d]: %d is no dtype", o, (int)t);
        st = meet(c, "out_dtype", o, &k->out.p[o], t);
    }
    if (st == GND_OK)
        st = all_known(c, "input", &k->in);
    if (st == GND_OK)
        st = all_known(c, "output", &k->out);
    return st == GND_OK && reduces ? all_known(c, "reduced value", &k->acc) : st;
}

/* --- arguments -------------------------------------------------------------------------------- */

static gnd_status check_arrays(call *c, const char *func)
{
    gnd_array *bad;
    if (c->nin != c->k->in.n)
        return gnd__err(&c->e, GND_ERR_ARG, "%d input%s given, the kernel has %d", c->nin,
                        c->nin == 1 ? "" : "s", c->k->in.n);
    if (c->nin > 0 && !c->in)
        return gnd__err(&c->e, GND_ERR_NULL, "in is NULL");
    for (int i = 0; i < c->nin; i++) {
        bad = gnd__check_item(c->in[i], func, "in", i);
        if (bad)
            return take_error(c, bad);
        if (c->in[i]->weak && c->k->in.p[i].raw)
            return gnd__err(&c->e, GND_ERR_ARG,
                            "in[%d], raw %s, is a number: gnd_full makes an array of it", i,
                            c->k->in.p[i].name);
    }
    c->dev = c->how ? c->how->dev : NULL;
    if (c->dev && (bad = gnd__check_device(func, c->dev)))
        return take_error(c, bad);
    for (int i = 0; i < c->nin; i++) {
        gnd_device *d = c->in[i]->dev;
        if (d && c->dev && d != c->dev)
            return gnd__err(&c->e, GND_ERR_DEVICE, "in[%d] is an array of %s, others are of %s", i,
                            gnd__device_id(d), gnd__device_id(c->dev));
        c->dev = d ? d : c->dev;
    }
    return c->dev ? GND_OK
                  : gnd__err(&c->e, GND_ERR_DEVICE, "no input is an array, and no device is given");
}

static gnd_status find_shape(call *c)
{
    const int64_t size = c->how ? c->how->size : 0;
    int arrays = 0;
    memset(&c->shape, 0, sizeof c->shape);
    for (int i = 0; i < c->nin; i++) {
        gnd__shape s = {.ndim = c->in[i]->ndim};
        if (c->k->in.p[i].raw || c->in[i]->weak)
            continue;
        memcpy(s.dim, c->in[i]->dim, (size_t)s.ndim * sizeof *s.dim);
        if (gnd__shape_broadcast(&c->shape, &s)) {
            char have[GND__SHAPE_TEXT], want[GND__SHAPE_TEXT];
            return gnd__err(&c->e, GND_ERR_SHAPE,
                            "in[%d], %s, of shape %s does not broadcast with %s", i,
                            c->k->in.p[i].name, gnd__shape_text(have, s.ndim, s.dim),
                            gnd__shape_text(want, c->shape.ndim, c->shape.dim));
        }
        arrays++;
    }
    if (arrays && size)
        return gnd__err(&c->e, GND_ERR_ARG,
                        "size is %lld, and arrays that are not raw have a shape", (long long)size);
    if (size < 0)
        return gnd__err(&c->e, GND_ERR_ARG, "size is %lld", (long long)size);
    if (!arrays && !size)
        return gnd__err(&c->e, GND_ERR_ARG, "no input but raw ones is an array: size is needed");
    if (!arrays) {
        c->shape.ndim = 1;
        c->shape.dim[0] = size;
    }
    c->size = gnd__shape_size(c->shape.ndim, c->shape.dim, 16);
    return c->size < 0 ? gnd__err(&c->e, GND_ERR_OVERFLOW, "an array of this shape is too large")
                       : GND_OK;
}

static gnd_array *number(call *c, int64_t v)
{
    gnd__scalar s = {.kind = 'i', .re = (double)v};
    s.i = v;
    return gnd__const(c->dev, GND_INT64, &s, 0);
}

/* x as memory in C order. A view may have another layout when it is evaluated. */
static gnd_array *in_memory(gnd_array *x)
{
    const int loose = x->kind == GND__VIEW || x->kind == GND__RESHAPE ||
                      (x->kind == GND__DATA && x->data.st && !x->data.contig);
    return loose && x->size > 0 ? gnd__stored(x) : x;
}

/* Collects the arguments of the kernel's function in arg. Returns their number, or -1: *bad is an
 * error. */
static int arguments(call *c, const char *func, gnd_array **arg, gnd_array **bad)
{
    const gnd__hidden *u = &c->k->code.uses;
    int n = 0;
    for (int i = 0; i < c->nin; i++) {
        const gnd__sparam *p = &c->k->in.p[i];
        arg[n++] = p->raw
                       ? in_memory(c->in[i])
                       : gnd__as_strong(c->in[i], c->dev, gnd__sparam_dtype(p, &c->letters), func);
    }
    if (u->i) {
        gnd_array *iota = gnd__node(GND__IOTA, c->dev, GND_INT64, 1, &c->size, 0, NULL);
        arg[n++] =
            iota->kind == GND__ERROR ? iota : gnd__reshaped(iota, c->shape.ndim, c->shape.dim);
    }
    if (u->n || u->in_n)
        arg[n++] = number(c, c->size);
    for (int i = 0; i < c->nin; i++)
        if (u->sizes >> i & 1)
            arg[n++] = number(c, c->in[i]->size);
    for (int i = 0; i < n; i++)
        if (arg[i]->kind == GND__ERROR) {
            *bad = arg[i];
            return -1;
        }
    return n;
}

/* Checks a call completely, before nodes are made. */
static gnd_status check(call *c, const char *func, int reduces)
{
    gnd_status st = check_arrays(c, func);
    if (st == GND_OK)
        st = find_dtypes(c, reduces);
    if (st == GND_OK)
        st = find_shape(c);
    if (st != GND_OK)
        return st;
    c->b = gnd__bind(c->k, reduces, c->dev, &c->letters, &c->e);
    return c->b ? GND_OK : c->e.code;
}

/* --- elementwise ------------------------------------------------------------------------------ */

/* Puts the error of a call into each of n outputs. */
static gnd_status fail(call *c, const char *func, const char *name, int n, gnd_array **out)
{
    gnd_array *bad;
    if (name && strncmp(c->e.msg, func, strlen(func)))
        gnd__err_prefix(&c->e, "%s: kernel %s", func, name);
    else
        gnd__err_named(&c->e, func);
    bad = gnd__error_node(c->dev, &c->e);
    return gnd__all_fail(n > 0 ? n : 1, out, bad);
}

/* Puts the outputs of the calls into y. */
static void outputs(call *c, gnd__snippet *fn, int n, int ndim, const int64_t *dim,
                    gnd_array *const *arg, gnd_array **y)
{
    for (int o = 0; o < n; o++)
        y[o] = gnd__call_node(fn, o, c->dev, ndim, dim, arg);
}

static gnd_status told(int n, gnd_array *const *y)
{
    gnd_status st = GND_OK;
    for (int o = 0; o < n && st == GND_OK; o++)
        st = gnd__told(y[o]);
    return st;
}

gnd_status gnd_elementwise_call(gnd_ekernel *k, int nin, gnd_array *const *in,
                                const gnd_kernel_call *how, gnd_array **out)
{
    static const char func[] = "elementwise_call";
    call c = {.k = k, .nin = nin, .in = in, .how = how};
    gnd_array *arg[GND__CALL_ARGS], *bad = NULL;
    if (!out)
        return gnd__refuse(GND_ERR_NULL, "%s: out is NULL", func);
    gnd_status st = gnd__ekernel_usable(k, &c.e);
    if (st != GND_OK)
        return fail(&c, func, NULL, 1, out);
    if (check(&c, func, 0) != GND_OK)
        return fail(&c, func, k->name, k->out.n, out);
    const gnd__inner inner = gnd__enter(func);
    if (arguments(&c, func, arg, &bad) < 0)
        for (int o = 0; o < k->out.n; o++)
            out[o] = o ? gnd__same(bad) : bad;
    else
        outputs(&c, c.b->fn[GND__FN_MAP], k->out.n, c.shape.ndim, c.shape.dim, arg, out);
    gnd__leave_all(inner, k->out.n, out);
    return told(k->out.n, out);
}

/* --- reductions ------------------------------------------------------------------------------- */

static void reduce(call *c, const char *func, uint32_t mask, unsigned flags, gnd_array **y)
{
    const gnd_ekernel *k = c->k;
    gnd_array *arg[GND__CALL_ARGS], *bad = NULL, *x, *post[3];
    int64_t dim[GND_MAX_NDIM];
    int ndim = 0, n = 1;
    for (int d = 0; d < c->shape.ndim; d++)
        if (!(mask >> d & 1))
            dim[ndim++] = c->shape.dim[d];
    if (arguments(c, func, arg, &bad) < 0)
        x = bad;
    else if (c->size == 0)
        x = gnd__call_node(c->b->fn[GND__FN_NOTHING], 0, c->dev, ndim, dim, NULL);
    else
        x = gnd__call_node(c->b->fn[GND__FN_MAP], 0, c->dev, c->shape.ndim, c->shape.dim, arg);
    if (x->kind != GND__ERROR && c->size > 0 && mask)
        x = gnd__fold_node(x, c->b->fn[GND__FN_FOLD], mask);
    post[0] = x;
    if (k->post.uses.in_n)
        post[n++] = number(c, c->size);
    if (k->post.uses.out_n)
        post[n++] = number(c, x->size);
    for (int i = n - 1; i >= 0; i--)
        bad = post[i]->kind == GND__ERROR ? post[i] : bad;
    for (int o = 0; o < k->out.n && bad; o++)
        y[o] = o ? gnd__same(bad) : bad;
    if (bad)
        return;
    outputs(c, c->b->fn[GND__FN_POST], k->out.n, ndim, dim, post, y);
    for (int o = 0; o < k->out.n && (flags & GND_KEEPDIMS) && mask; o++)
        if (y[o]->kind != GND__ERROR)
            y[o] = gnd__expanded(y[o], mask);
}

gnd_status gnd_reduction_call(gnd_rkernel *r, int nin, gnd_array *const *in, gnd_axes axes,
                              unsigned flags, const gnd_kernel_call *how, gnd_array **out)
{
    static const char func[] = "reduction_call";
    call c = {.k = r ? &r->k : NULL, .nin = nin, .in = in, .how = how};
    gnd_array *bad;
    uint32_t mask = 0;
    if (!out)
        return gnd__refuse(GND_ERR_NULL, "%s: out is NULL", func);
    gnd_status st = gnd__rkernel_usable(r, &c.e);
    if (st != GND_OK)
        return fail(&c, func, NULL, 1, out);
    st = check(&c, func, 1);
    if (st == GND_OK && (flags & ~GND_KEEPDIMS))
        st = gnd__err(&c.e, GND_ERR_ARG, "flags %#x: 0 and GND_KEEPDIMS are possible", flags);
    if (st == GND_OK && (bad = gnd__check_axes(func, c.dev, axes, c.shape.ndim, &mask)))
        st = take_error(&c, bad);
    if (st != GND_OK)
        return fail(&c, func, r->k.name, r->k.out.n, out);
    const gnd__inner inner = gnd__enter(func);
    reduce(&c, func, mask, flags, out);
    gnd__leave_all(inner, r->k.out.n, out);
    return told(r->k.out.n, out);
}
