/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_image.c - the language's image filters: handlers of funcs.def, with the arguments of
 * scipy.ndimage's functions.
 */
#include <gnd/array.h>
#include <gnd/image.h>
#include "lang/call.h"

/* The arguments size, mode and cval, which begin at argument i. */
typedef struct window {
    int n;
    int64_t size[GND_MAX_NDIM];
    gnd_border border;
    gnd_array *fill;
} window;

/* Returns 0, or -1 with the error set. */
static int arg_window(gnd__args *c, int i, window *w)
{
    w->fill = NULL;
    if (gnd__arg_ints(c, i, w->size, GND_MAX_NDIM, &w->n))
        return -1;
    const int border =
        gnd__arg_word(c, i + 1, "reflect constant nearest mirror wrap", GND_BORDER_REFLECT);
    if (border < 0 || (gnd__arg_given(c, i + 2) && !(w->fill = gnd__arg_array(c, i + 2))))
        return -1;
    w->border = (gnd_border)border;
    return 0;
}

/* name(input, size, mode='reflect', cval=0) */
static int box(gnd__args *c,
               gnd_array *(*f)(gnd_array *, int, const int64_t *, gnd_border, gnd_array *))
{
    window w;
    gnd_array *x = gnd__arg_strong(c, 0);
    return !x || arg_window(c, 1, &w) ? -1 : gnd__ret(c, f(x, w.n, w.size, w.border, w.fill));
}

int gnd__fn_median_filter(gnd__args *c)
{
    return box(c, gnd_median_filter);
}
int gnd__fn_minimum_filter(gnd__args *c)
{
    return box(c, gnd_minimum_filter);
}
int gnd__fn_maximum_filter(gnd__args *c)
{
    return box(c, gnd_maximum_filter);
}
int gnd__fn_grey_erosion(gnd__args *c)
{
    return box(c, gnd_grey_erosion);
}
int gnd__fn_grey_dilation(gnd__args *c)
{
    return box(c, gnd_grey_dilation);
}
int gnd__fn_grey_opening(gnd__args *c)
{
    return box(c, gnd_grey_opening);
}
int gnd__fn_grey_closing(gnd__args *c)
{
    return box(c, gnd_grey_closing);
}

/* rank_filter(input, rank, size, mode='reflect', cval=0) */
int gnd__fn_rank_filter(gnd__args *c)
{
    window w;
    int64_t rank;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_int(c, 1, &rank) || arg_window(c, 2, &w))
        return -1;
    return gnd__ret(c, gnd_rank_filter(x, rank, w.n, w.size, w.border, w.fill));
}

/* percentile_filter(input, percentile, size, mode='reflect', cval=0) */
int gnd__fn_percentile_filter(gnd__args *c)
{
    window w;
    double percentile;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_real(c, 1, &percentile) || arg_window(c, 2, &w))
        return -1;
    return gnd__ret(c, gnd_percentile_filter(x, percentile, w.n, w.size, w.border, w.fill));
}

/* --- binary morphology, other sizes ----------------------------------------------------------- */

/* name(input, structure=None, iterations=1), and border_value=0 if the function has that
 * parameter. */
static int binary(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_array *, int, int),
                  gnd_array *(*twice)(gnd_array *, gnd_array *, int))
{
    int64_t n = 1;
    int border = 0;
    gnd_array *x = gnd__arg_strong(c, 0), *s = NULL;
    if (!x || (gnd__arg_given(c, 1) && !(s = gnd__arg_strong(c, 1))) ||
        (gnd__arg_given(c, 2) && gnd__arg_int(c, 2, &n)) ||
        (f && gnd__arg_given(c, 3) && gnd__arg_bool(c, 3, &border)))
        return -1;
    if (n > INT32_MAX)
        return gnd__arg_wrong(c, 2, "less than 2^31");
    const int times = n < 0 ? 0 : (int)n;
    return gnd__ret(c, f ? f(x, s, times, border) : twice(x, s, times));
}

int gnd__fn_binary_erosion(gnd__args *c)
{
    return binary(c, gnd_binary_erosion, NULL);
}
int gnd__fn_binary_dilation(gnd__args *c)
{
    return binary(c, gnd_binary_dilation, NULL);
}
int gnd__fn_binary_opening(gnd__args *c)
{
    return binary(c, NULL, gnd_binary_opening);
}
int gnd__fn_binary_closing(gnd__args *c)
{
    return binary(c, NULL, gnd_binary_closing);
}

/* image, shape, method, antialias */
int gnd__fn_image_resize(gnd__args *c)
{
    int64_t shape[GND_MAX_NDIM];
    int ndim, antialias = 1;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_ints(c, 1, shape, GND_MAX_NDIM, &ndim))
        return -1;
    const int how = gnd__arg_word(c, 2, "nearest linear cubic", GND_INTERPOLATE_LINEAR);
    if (how < 0 || (gnd__arg_given(c, 3) && gnd__arg_bool(c, 3, &antialias)))
        return -1;
    return gnd__ret(c, gnd_image_resize(x, ndim, shape, (gnd_interpolation)how, antialias));
}
