/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/image.h - filters of images, and of arrays of any number of dimensions: by rank within a
 * window, and morphology, with the names and meanings of scipy.ndimage; and images in other sizes.
 * What follows here is about filters and grey morphology.
 *
 * The window of an element reaches, along an axis where it has s elements, from s / 2 (rounded
 * down) before the element to s - 1 - s / 2 after it. size has n entries: one for each axis of x,
 * or one for all of them. A picture of shape (h, w, 3) takes {3, 3, 1}. What lies beyond the edges
 * is said by border; fill, for GND_BORDER_CONSTANT, is a scalar or 0-d array, cast to x's dtype;
 * NULL: 0. Results have the shape and the dtype of x. Every dtype but the complex ones.
 *
 * NaN: the filters by rank take it for greater than every number, as gnd_sort does, so that a
 * result is NaN only when fewer numbers than that are in the window. Minimum and maximum filters,
 * and grey morphology, give NaN where there is one in the window.
 *
 * Errors of these: GND_ERR_NULL; GND_ERR_ARG: a size below 1, a border that is none, a rank that
 * the window does not have; GND_ERR_SHAPE: n is neither 1 nor gnd_ndim(x), a fill with axes;
 * GND_ERR_DTYPE, GND_ERR_OVERFLOW, GND_ERR_DEVICE, the arrays' own.
 */
#ifndef GND_IMAGE_H
#define GND_IMAGE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What lies beyond the edges, with SciPy's names: of a b c d */
typedef enum gnd_border {
    GND_BORDER_REFLECT = 0,  /* b a | a b c d | d c: gnd_pad's "symmetric" */
    GND_BORDER_CONSTANT = 1, /* fill */
    GND_BORDER_NEAREST = 2,  /* a a | a b c d | d d: gnd_pad's "edge" */
    GND_BORDER_MIRROR = 3,   /* c b | a b c d | c b: gnd_pad's "reflect" */
    GND_BORDER_WRAP = 4      /* c d | a b c d | a b */
} gnd_border;

/* --- by rank ---------------------------------------------------------------------------------- */

/* The element that is at place `rank` (0: the smallest; -1: the greatest) of the window's elements
 * in order. But for the smallest and the greatest, takes memory for all windows. */
GND_API gnd_array *gnd_rank_filter(gnd_array *x, int64_t rank, int n, const int64_t *size,
                                   gnd_border border, gnd_array *fill);
/* The middle one of the window's elements in order; of two, the greater one, as SciPy has it. */
GND_API gnd_array *gnd_median_filter(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                     gnd_array *fill);
/* The element at place m percentile / 100, rounded down, of the window's m elements in order; for
 * 100 the greatest. percentile is from -100 to 100; a negative one counts from 100 on. */
GND_API gnd_array *gnd_percentile_filter(gnd_array *x, double percentile, int n,
                                         const int64_t *size, gnd_border border, gnd_array *fill);
/* The smallest element of the window, along one axis after the other. */
GND_API gnd_array *gnd_minimum_filter(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                      gnd_array *fill);
/* The greatest element of the window, along one axis after the other. */
GND_API gnd_array *gnd_maximum_filter(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                      gnd_array *fill);

/* --- grey morphology by boxes ----------------------------------------------------------------- */

/* The smallest element of the window: gnd_minimum_filter. */
GND_API gnd_array *gnd_grey_erosion(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                    gnd_array *fill);
/* The greatest element of the mirrored window, which is another one where a size is even: s - 1 - s
 * / 2 elements before, s / 2 after. */
GND_API gnd_array *gnd_grey_dilation(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                     gnd_array *fill);
/* gnd_grey_dilation of gnd_grey_erosion: what is bright and smaller than the box goes. */
GND_API gnd_array *gnd_grey_opening(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                    gnd_array *fill);
/* gnd_grey_erosion of gnd_grey_dilation: what is dark and smaller than the box goes. */
GND_API gnd_array *gnd_grey_closing(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                    gnd_array *fill);

/* --- binary morphology ------------------------------------------------------------------------ */

/* bool: whether all of the elements near one that the structure names are true: element p + q - s /
 * 2 for each q where the structure, of s elements along an axis, is true. x and structure have as
 * many axes, at most 16, and any dtype: what is not 0 is true. structure NULL: the element itself
 * and its neighbours along each axis. Beyond the edges all is border (0 or 1). iterations times
 * over, at least once (GND_ERR_ARG). GND_ERR_SHAPE: axes, an empty structure. */
GND_API gnd_array *gnd_binary_erosion(gnd_array *x, gnd_array *structure, int iterations,
                                      int border);
/* bool: whether any of the elements p - (q - s / 2) is true; the arguments are those of
 * gnd_binary_erosion. */
GND_API gnd_array *gnd_binary_dilation(gnd_array *x, gnd_array *structure, int iterations,
                                       int border);
/* As many erosions as iterations says, and then as many dilations; false beyond the edges, as SciPy
 * has it. */
GND_API gnd_array *gnd_binary_opening(gnd_array *x, gnd_array *structure, int iterations);
/* As many dilations as iterations says, and then as many erosions; false beyond the edges, so that
 * what touches an edge is taken away there, as SciPy has it. */
GND_API gnd_array *gnd_binary_closing(gnd_array *x, gnd_array *structure, int iterations);

/* --- other sizes ------------------------------------------------------------------------------ */

/* How gnd_image_resize weighs the elements near a place. */
typedef enum gnd_interpolation {
    GND_INTERPOLATE_NEAREST, /* the one whose part of the axis it lies in */
    GND_INTERPOLATE_LINEAR,  /* the two beside it */
    GND_INTERPOLATE_CUBIC    /* the four round it, by Keys' cubic with a = -1/2 */
} gnd_interpolation;

/* x in another shape of as many axes; a picture of shape (h, w, 3) takes {2 * h, 2 * w, 3}.
 * Meanings are those of jax.image.resize: the axes' ends coincide, so that element j of m lies at
 * (j + 1/2) n / m - 1/2 of n; what is beyond the edges weighs nothing, and the weights add up to 1.
 * (GND_INTERPOLATE_LINEAR without antialias gives what PyTorch's interpolate gives with
 * align_corners=False, NEAREST what its "nearest-exact" gives.) antialias: where an axis becomes
 * shorter, the weights reach n / m times as far, so that each element counts; not for NEAREST.
 * NEAREST keeps the dtype, the others give ints and bools as the default float. 16-bit floats are
 * computed in float32 and rounded once. GND_ERR_SHAPE: axes, something of nothing; GND_ERR_ARG,
 * GND_ERR_OVERFLOW. */
GND_API gnd_array *gnd_image_resize(gnd_array *x, int ndim, const int64_t *shape,
                                    gnd_interpolation how, int antialias);

#ifdef __cplusplus
}
#endif
#endif
