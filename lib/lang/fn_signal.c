/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_signal.c - the language's convolutions: handlers of funcs.def, with the arguments of
 * NumPy's convolve and correlate, and of scipy.signal's functions.
 */
#include <gnd/array.h>
#include <gnd/manip.h>
#include <gnd/signal.h>
#include "lang/call.h"

static int arg_mode(gnd__args *c, int i, int missing)
{
    return gnd__arg_word(c, i, "full same valid", missing);
}

static int arg_method(gnd__args *c, int i)
{
    return gnd__arg_word(c, i, "auto direct fft blocks", GND_CONV_AUTO);
}

/* name(a, v, mode, method='auto') */
static int line(gnd__args *c,
                gnd_array *(*f)(gnd_array *, gnd_array *, gnd_conv_mode, gnd_conv_method),
                int missing)
{
    gnd_array *a = gnd__arg_strong(c, 0), *v = a ? gnd__arg_strong(c, 1) : NULL;
    int mode = v ? arg_mode(c, 2, missing) : -1, method = mode < 0 ? -1 : arg_method(c, 3);
    if (method < 0)
        return -1;
    gnd_scope_begin();
    gnd_array *y =
        f(gnd_atleast_1d(a), gnd_atleast_1d(v), (gnd_conv_mode)mode, (gnd_conv_method)method);
    gnd_keep(y);
    gnd_scope_end();
    return gnd__ret(c, y);
}

int gnd__fn_convolve(gnd__args *c)
{
    return line(c, gnd_convolve, GND_CONV_FULL);
}
int gnd__fn_correlate(gnd__args *c)
{
    return line(c, gnd_correlate, GND_CONV_VALID);
}

/* name(in1, in2, mode='full', axes=None) */
static int several(gnd__args *c,
                   gnd_array *(*f)(gnd_array *, gnd_array *, gnd_conv_mode, int, const int *))
{
    int64_t a[GND_MAX_NDIM];
    int axes[GND_MAX_NDIM], naxes = -1;
    gnd_array *x = gnd__arg_strong(c, 0), *k = x ? gnd__arg_strong(c, 1) : NULL;
    int mode = k ? arg_mode(c, 2, GND_CONV_FULL) : -1;
    if (mode < 0 || (gnd__arg_given(c, 3) && gnd__arg_ints(c, 3, a, GND_MAX_NDIM, &naxes)))
        return -1;
    for (int i = 0; i < naxes; i++)
        axes[i] = a[i] < -1000 || a[i] > 1000 ? 1000 : (int)a[i];
    return gnd__ret(c, f(x, k, (gnd_conv_mode)mode, naxes, naxes < 0 ? NULL : axes));
}

int gnd__fn_fftconvolve(gnd__args *c)
{
    return several(c, gnd_fftconvolve);
}
int gnd__fn_oaconvolve(gnd__args *c)
{
    return several(c, gnd_oaconvolve);
}

/* conv2d(in1, in2, mode='full', boundary='fill', fillvalue=0, method='auto') */
int gnd__fn_conv2d(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *k = x ? gnd__arg_strong(c, 1) : NULL, *fill = NULL;
    int mode = k ? arg_mode(c, 2, GND_CONV_FULL) : -1;
    int boundary = mode < 0 ? -1 : gnd__arg_word(c, 3, "fill wrap symm", GND_BOUNDARY_FILL);
    int method = boundary < 0 ? -1 : arg_method(c, 5);
    if (method < 0 || (gnd__arg_given(c, 4) && !(fill = gnd__arg_array(c, 4))))
        return -1;
    return gnd__ret(c, gnd_conv2d(x, k, (gnd_conv_mode)mode, (gnd_boundary)boundary, fill,
                                  (gnd_conv_method)method));
}
