/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_fft.c - the language's Fourier transforms: handlers of funcs.def. They have numpy.fft's
 * names without the module: fft(x), fftfreq(n).
 */
#include <gnd/array.h>
#include <gnd/fft.h>
#include "lang/call.h"

static int arg_norm(gnd__args *c, int i, gnd_norm *norm)
{
    const int k = gnd__arg_word(c, i, "backward ortho forward", GND_NORM_BACKWARD);
    *norm = (gnd_norm)k;
    return k < 0 ? -1 : 0;
}

typedef gnd_array *one_fn(gnd_array *, int64_t, int, gnd_norm);
typedef gnd_array *many_fn(gnd_array *, int, const int *, const int64_t *, gnd_norm);

/* name(x, n=None, axis=-1, norm=None) */
static int one(gnd__args *c, one_fn *f)
{
    int64_t n = GND_FFT_FULL;
    int axis = -1;
    gnd_norm norm;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &n)) ||
        (gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &axis)) || arg_norm(c, 3, &norm))
        return -1;
    if (gnd__arg_given(c, 1) && n < 1)
        return gnd__arg_value(c, 1, "at least 1");
    return gnd__ret(c, f(x, n, axis, norm));
}

/* name(x, s=None, axes=None, norm=None). If axes is not given: the last two with `two`. If axes is
 * None: the last len(s) axes, or all. */
static int many(gnd__args *c, many_fn *f, int two)
{
    int64_t s[GND_MAX_NDIM], a[GND_MAX_NDIM];
    int axes[GND_MAX_NDIM], naxes = -1, ns = -1;
    gnd_norm norm;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_ints(c, 1, s, GND_MAX_NDIM, &ns)) ||
        (gnd__arg_given(c, 2) && gnd__arg_ints(c, 2, a, GND_MAX_NDIM, &naxes)) ||
        arg_norm(c, 3, &norm))
        return -1;
    if (two && c->arg[2].v.kind == GND__V_MISSING) {
        naxes = 2;
        a[0] = -2;
        a[1] = -1;
    } else if (naxes < 0 && ns >= 0) {
        naxes = ns;
        for (int i = 0; i < ns; i++)
            a[i] = i - ns;
    }
    if (ns >= 0 && naxes >= 0 && ns != naxes)
        return gnd__arg_value(c, 1, "as long as axes");
    for (int i = 0; i < naxes; i++)
        axes[i] = a[i] < -1000 || a[i] > 1000 ? 1000 : (int)a[i];
    return gnd__ret(c, f(x, naxes, naxes < 0 ? NULL : axes, ns < 0 ? NULL : s, norm));
}

int gnd__fn_fft(gnd__args *c)
{
    return one(c, gnd_fft);
}
int gnd__fn_ifft(gnd__args *c)
{
    return one(c, gnd_ifft);
}
int gnd__fn_rfft(gnd__args *c)
{
    return one(c, gnd_rfft);
}
int gnd__fn_irfft(gnd__args *c)
{
    return one(c, gnd_irfft);
}
int gnd__fn_hfft(gnd__args *c)
{
    return one(c, gnd_hfft);
}
int gnd__fn_ihfft(gnd__args *c)
{
    return one(c, gnd_ihfft);
}
int gnd__fn_fft2(gnd__args *c)
{
    return many(c, gnd_fftn, 1);
}
int gnd__fn_ifft2(gnd__args *c)
{
    return many(c, gnd_ifftn, 1);
}
int gnd__fn_rfft2(gnd__args *c)
{
    return many(c, gnd_rfftn, 1);
}
int gnd__fn_irfft2(gnd__args *c)
{
    return many(c, gnd_irfftn, 1);
}
int gnd__fn_fftn(gnd__args *c)
{
    return many(c, gnd_fftn, 0);
}
int gnd__fn_ifftn(gnd__args *c)
{
    return many(c, gnd_ifftn, 0);
}
int gnd__fn_rfftn(gnd__args *c)
{
    return many(c, gnd_rfftn, 0);
}
int gnd__fn_irfftn(gnd__args *c)
{
    return many(c, gnd_irfftn, 0);
}

typedef gnd_array *typed_fn(gnd_array *, int, int64_t, int, gnd_norm);

/* name(x, type=2, n=None, axis=-1, norm=None) */
static int typed(gnd__args *c, typed_fn *f)
{
    int64_t n = GND_FFT_FULL, type = 2;
    int axis = -1;
    gnd_norm norm;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &type)) ||
        (gnd__arg_given(c, 2) && gnd__arg_int(c, 2, &n)) ||
        (gnd__arg_given(c, 3) && gnd__arg_axis(c, 3, &axis)) || arg_norm(c, 4, &norm))
        return -1;
    if (type < 1 || type > 4)
        return gnd__arg_value(c, 1, "1, 2, 3 or 4");
    if (gnd__arg_given(c, 2) && n < 1)
        return gnd__arg_value(c, 2, "at least 1");
    return gnd__ret(c, f(x, (int)type, n, axis, norm));
}

int gnd__fn_dct(gnd__args *c)
{
    return typed(c, gnd_dct);
}
int gnd__fn_idct(gnd__args *c)
{
    return typed(c, gnd_idct);
}
int gnd__fn_dst(gnd__args *c)
{
    return typed(c, gnd_dst);
}
int gnd__fn_idst(gnd__args *c)
{
    return typed(c, gnd_idst);
}

typedef gnd_array *freq_fn(gnd_device *, int64_t, double, gnd_dtype);

static int freq(gnd__args *c, freq_fn *f)
{
    gnd_device *dev;
    int64_t n;
    double d = 1;
    gnd_dtype t;
    if (gnd__arg_int(c, 0, &n) || (gnd__arg_given(c, 1) && gnd__arg_real(c, 1, &d)) ||
        gnd__arg_dtype(c, 2, &t) || gnd__arg_device(c, &dev))
        return -1;
    return gnd__ret(c, f(dev, n, d, t));
}

int gnd__fn_fftfreq(gnd__args *c)
{
    return freq(c, gnd_fftfreq);
}
int gnd__fn_rfftfreq(gnd__args *c)
{
    return freq(c, gnd_rfftfreq);
}

int gnd__fn_fftshift(gnd__args *c)
{
    return gnd__ret_axes(c, gnd_fftshift);
}
int gnd__fn_ifftshift(gnd__args *c)
{
    return gnd__ret_axes(c, gnd_ifftshift);
}
