/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_create.c - the language's functions that create arrays: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/manip.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "lang/call.h"

#include <math.h>

/* --- of a shape ------------------------------------------------------------------------------- */

typedef gnd_array *(*shaped)(gnd_device *, gnd_dtype, int, const int64_t *);

static int of_shape(gnd__args *c, shaped make)
{
    int64_t shape[GND_MAX_NDIM];
    int ndim;
    gnd_dtype t;
    gnd_device *dev;
    if (gnd__arg_ints(c, 0, shape, GND_MAX_NDIM, &ndim) || gnd__arg_dtype(c, 1, &t) ||
        gnd__arg_order(c, 2) || gnd__arg_device(c, &dev))
        return -1;
    return gnd__ret(c, make(dev, t, ndim, shape));
}

int gnd__fn_zeros(gnd__args *c)
{
    return of_shape(c, gnd_zeros);
}
int gnd__fn_ones(gnd__args *c)
{
    return of_shape(c, gnd_ones);
}
int gnd__fn_empty(gnd__args *c)
{
    return of_shape(c, gnd_empty);
}

int gnd__fn_full(gnd__args *c)
{
    int64_t shape[GND_MAX_NDIM];
    int ndim;
    gnd_dtype t;
    gnd_device *dev;
    gnd_array *value;
    if (gnd__arg_ints(c, 0, shape, GND_MAX_NDIM, &ndim) || !(value = gnd__arg_array(c, 1)) ||
        gnd__arg_dtype(c, 2, &t) || gnd__arg_order(c, 3) || gnd__arg_device(c, &dev))
        return -1;
    return gnd__ret(c, gnd_full(dev, t, ndim, shape, value));
}

/* Reads order=, subok= and shape= of the *_like functions (arguments i, i + 1 and i + 2). Returns
 * an array with that shape and the dtype and device of x. */
static gnd_array *prototype(gnd__args *c, gnd_array *x, int i)
{
    int64_t shape[GND_MAX_NDIM];
    int ndim, subok;
    if (!x || gnd__arg_order(c, i) || (gnd__arg_given(c, i + 1) && gnd__arg_bool(c, i + 1, &subok)))
        return NULL;
    if (!gnd__arg_given(c, i + 2))
        return x;
    if (gnd__arg_ints(c, i + 2, shape, GND_MAX_NDIM, &ndim))
        return NULL;
    gnd__val v; /* replaces argument 0, which frees x */
    if (gnd__val_array(c->x, &v, gnd_empty(gnd_device_of(x), gnd_dtype_of(x), ndim, shape), c->at))
        return NULL;
    gnd__val_drop(&c->arg[0].v);
    c->arg[0].v = v;
    return v.held->a;
}

static int like(gnd__args *c, gnd_array *(*make)(gnd_array *, gnd_dtype))
{
    gnd_dtype t;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_dtype(c, 1, &t) || !(x = prototype(c, x, 2)))
        return -1;
    return gnd__ret(c, make(x, t));
}

int gnd__fn_zeros_like(gnd__args *c)
{
    return like(c, gnd_zeros_like);
}
int gnd__fn_ones_like(gnd__args *c)
{
    return like(c, gnd_ones_like);
}
int gnd__fn_empty_like(gnd__args *c)
{
    return like(c, gnd_empty_like);
}

int gnd__fn_full_like(gnd__args *c)
{
    gnd_dtype t;
    gnd_array *x = gnd__arg_strong(c, 0), *value;
    if (!x || !(value = gnd__arg_array(c, 1)) || gnd__arg_dtype(c, 2, &t) ||
        !(x = prototype(c, x, 3)))
        return -1;
    return gnd__ret(c, gnd_full_like(x, t, value));
}

/* --- ranges ----------------------------------------------------------------------------------- */

int gnd__fn_arange(gnd__args *c)
{
    gnd_device *dev;
    gnd_dtype t;
    /* arange(stop) is arange(0, stop). */
    if (!gnd__arg_given(c, 1)) {
        gnd__val_drop(&c->arg[1].v);
        c->arg[1] = c->arg[0];
        c->arg[0] = (gnd__slot){.v = gnd__val_int(0), .at = c->arg[1].at};
    }
    if (!gnd__arg_given(c, 2))
        c->arg[2] = (gnd__slot){.v = gnd__val_int(1), .at = (uint32_t)c->at};
    gnd_array *start = gnd__arg_scalar(c, 0), *stop = start ? gnd__arg_scalar(c, 1) : NULL,
              *step = stop ? gnd__arg_scalar(c, 2) : NULL;
    if (!step || gnd__arg_dtype(c, 3, &t) || gnd__arg_device(c, &dev))
        return -1;
    gnd_array *y = gnd_arange(dev, start, stop, step, t);
    if (t != GND_BOOL || gnd_size(y) <= 2)
        return gnd__ret(c, y);
    gnd_release(y);
    return gnd__arg_wrong(c, 3, "a dtype of numbers for more than 2 elements");
}

int gnd__fn_linspace(gnd__args *c)
{
    gnd_device *dev;
    gnd_dtype t;
    int64_t num = 50;
    int endpoint = 1;
    gnd_array *start = gnd__arg_scalar(c, 0), *stop = start ? gnd__arg_scalar(c, 1) : NULL;
    if (!stop || (gnd__arg_given(c, 2) && gnd__arg_int(c, 2, &num)) ||
        (gnd__arg_given(c, 3) && gnd__arg_bool(c, 3, &endpoint)) || gnd__arg_dtype(c, 4, &t) ||
        gnd__arg_device(c, &dev))
        return -1;
    return gnd__ret(c, gnd_linspace(dev, start, stop, num, endpoint, t));
}

/* --- matrices --------------------------------------------------------------------------------- */

/* n, m (default n), k, dtype: the common arguments of eye and tri. */
static int matrix(gnd__args *c, int64_t *n, int64_t *m, int64_t *k, gnd_dtype *t, gnd_device **dev)
{
    *k = 0;
    if (gnd__arg_int(c, 0, n))
        return -1;
    *m = *n;
    if ((gnd__arg_given(c, 1) && gnd__arg_int(c, 1, m)) ||
        (gnd__arg_given(c, 2) && gnd__arg_int(c, 2, k)) || gnd__arg_dtype(c, 3, t) ||
        gnd__arg_order(c, 4) || gnd__arg_device(c, dev))
        return -1;
    if (*n < 0 || *m < 0)
        return gnd__expr_fail(c->x, GND_ERR_SHAPE, c->at,
                              "%s: shape (%lld, %lld): a negative extent", c->name, (long long)*n,
                              (long long)*m);
    return 0;
}

int gnd__fn_eye(gnd__args *c)
{
    int64_t n, m, k;
    gnd_dtype t;
    gnd_device *dev;
    return matrix(c, &n, &m, &k, &t, &dev) ? -1 : gnd__ret(c, gnd_eye(dev, t, n, m, k));
}

int gnd__fn_identity(gnd__args *c)
{
    c->arg[3] = c->arg[1]; /* (n, dtype) becomes (n, m, k, dtype) */
    c->param[3] = c->param[1];
    c->arg[1].v.kind = GND__V_MISSING;
    return gnd__fn_eye(c);
}

int gnd__fn_tri(gnd__args *c)
{
    int64_t n, m, k;
    gnd_dtype t;
    gnd_device *dev;
    return matrix(c, &n, &m, &k, &t, &dev) ? -1 : gnd__ret(c, gnd_tri(dev, t, n, m, k));
}

/* A vector becomes a square matrix, each row of which is the vector. */
static gnd_array *square(gnd_array *x)
{
    const int64_t n = gnd_ndim(x) == 1 ? gnd_shape(x)[0] : 0;
    return gnd_ndim(x) == 1 ? gnd_broadcast_to(x, 2, (const int64_t[]){n, n}) : gnd_retain(x);
}

static gnd_array *lower(gnd_array *x, int64_t k)
{
    gnd_array *m = square(x), *y = gnd_tril(m, k);
    gnd_release(m);
    return y;
}

static gnd_array *upper(gnd_array *x, int64_t k)
{
    gnd_array *m = square(x), *y = gnd_triu(m, k);
    gnd_release(m);
    return y;
}

int gnd__fn_tril(gnd__args *c)
{
    return gnd__ret_int(c, lower);
}
int gnd__fn_triu(gnd__args *c)
{
    return gnd__ret_int(c, upper);
}

/* Coordinate i of n, reshaped so that only one extent may differ from 1. */
static gnd_array *coordinate(gnd_array *x, int i, int n, int ij)
{
    int64_t shape[GND_MAX_NDIM];
    if (n > GND_MAX_NDIM)
        return gnd_fail(GND_ERR_SHAPE, "meshgrid: %d arrays, at most %d are possible", n,
                        GND_MAX_NDIM);
    for (int k = 0; k < n; k++)
        shape[k] = 1;
    shape[!ij && n > 1 && i < 2 ? 1 - i : i] = gnd_size(x);
    return gnd_reshape(x, n, shape);
}

int gnd__fn_meshgrid(gnd__args *c)
{
    int ij = gnd__arg_word(c, 3, "xy ij", 0), sparse = 0, n;
    if (ij < 0 || gnd__arg_copy(c, 1) || (gnd__arg_given(c, 2) && gnd__arg_bool(c, 2, &sparse)))
        return -1;
    gnd_array **x = gnd__rest_arrays(c, &n);
    gnd_array **out = gnd__calloc((size_t)n + 1, sizeof *out);
    if (!x || !out) {
        gnd__free(x);
        gnd__free(out);
        return x ? gnd__expr_nomem(c->x) : -1;
    }
    gnd_status s = GND_OK;
    for (int i = 0; sparse && i < n; i++)
        out[i] = coordinate(x[i], i, n, ij);
    if (!sparse && n)
        s = gnd_meshgrid(n, x, ij, out);
    gnd__free(x);
    int r = gnd__ret_tuple(c, out, n, s);
    gnd__free(out);
    return r;
}

/* --- of values -------------------------------------------------------------------------------- */

/* Python's float(2), int(2.5), bool(1), complex(1), whose result is a number. Returns 1 for other
 * calls. */
static int number_as(gnd__args *c, gnd_dtype t)
{
    gnd__val v = c->arg[0].v;
    if (!c->arg[1].v.python || !gnd__val_is_number(&v))
        return 1;
    double re = gnd__val_real(&v), im = v.kind == GND__V_COMPLEX ? v.z.im : 0;
    int kind = gnd_dtype_kind(t);
    if (kind == 'b') {
        *c->out = gnd__val_bool(re != 0 || im != 0);
    } else if (kind == 'c') {
        *c->out = gnd__val_complex(re, im);
    } else if (v.kind == GND__V_COMPLEX) {
        return gnd__expr_fail(c->x, GND_ERR_DTYPE, c->arg[0].at,
                              "%s: a complex number: take real()", c->name);
    } else if (kind == 'f') {
        *c->out = gnd__val_float(re);
    } else if (v.kind <= GND__V_UINT) {
        *c->out = v.kind == GND__V_UINT ? v : gnd__val_int(v.i);
    } else {
        if (!(re >= -0x1p63 && re < 0x1p64))
            return gnd__expr_fail(c->x, GND_ERR_OVERFLOW, c->arg[0].at,
                                  "%s: %g fits neither int64 nor uint64", c->name, re);
        *c->out = re < 0x1p63 ? gnd__val_int((int64_t)re) : gnd__val_uint((uint64_t)re);
    }
    return 0;
}

/* Returns argument 0, an array or a number, as dtype t. */
static int as_dtype(gnd__args *c, gnd_dtype t)
{
    gnd_array *x = gnd__arg_array(c, 0);
    if (!x)
        return -1;
    if (gnd_is_weak(x) && c->x->dev)
        return gnd__ret(c, gnd_asarray(c->x->dev, x, t));
    if (t == GND_DTYPE_DEFAULT || t == gnd_dtype_of(x))
        return gnd__ret(c, gnd__again(x));
    return gnd__ret(c, gnd_astype(x, t));
}

int gnd__fn_array(gnd__args *c)
{
    gnd_dtype t;
    return gnd__arg_dtype(c, 1, &t) || gnd__arg_copy(c, 2) ? -1 : as_dtype(c, t);
}

int gnd__fn_astype(gnd__args *c)
{
    gnd_dtype t;
    if (gnd__arg_dtype(c, 1, &t) || gnd__arg_copy(c, 2))
        return -1;
    if (t == GND_DTYPE_DEFAULT)
        return gnd__arg_wrong(c, 1, "a dtype");
    int r = number_as(c, t);
    return r <= 0 ? r : as_dtype(c, t);
}

int gnd__fn_copy(gnd__args *c)
{
    gnd_array *x = gnd__arg_array(c, 0);
    return x && !gnd__arg_order(c, 1) ? gnd__ret(c, gnd__again(x)) : -1;
}
