/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/image.h - filters of images and of arrays of any number of dimensions: rank filters and
 * morphology, with the names and semantics of scipy.ndimage; and resizing. The following holds for
 * filters and grey morphology.
 *
 * The window of an element reaches, along an axis with size s, from s / 2 (rounded down) before the
 * element to s - 1 - s / 2 after it. size has n entries: one for each axis of x, or one for all
 * axes. A picture of shape (h, w, 3) uses {3, 3, 1}. border selects the values beyond the edges.
 * fill, for GND_BORDER_CONSTANT, is a scalar or 0-d array, cast to the dtype of x; NULL: 0. Results
 * have the shape and dtype of x. All dtypes except complex ones.
 *
 * NaN: rank filters treat NaN as larger than every number, like gnd_sort, so a result is NaN only
 * if the window has too few numbers. Minimum and maximum filters and grey morphology give NaN if
 * the window has one.
 *
 * Errors: GND_ERR_NULL; GND_ERR_ARG: a size below 1, an invalid border, or a rank outside of the
 * window; GND_ERR_SHAPE: n is neither 1 nor gnd_ndim(x), or fill has axes; GND_ERR_DTYPE;
 * GND_ERR_OVERFLOW; GND_ERR_DEVICE; the errors of the arrays.
 */
#ifndef GND_IMAGE_H
#define GND_IMAGE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Values beyond the edges, with SciPy's names. The examples extend a b c d: */
typedef enum gnd_border {
    GND_BORDER_REFLECT = 0,  /* b a | a b c d | d c: gnd_pad's "symmetric" */
    GND_BORDER_CONSTANT = 1, /* fill */
    GND_BORDER_NEAREST = 2,  /* a a | a b c d | d d: gnd_pad's "edge" */
    GND_BORDER_MIRROR = 3,   /* c b | a b c d | c b: gnd_pad's "reflect" */
    GND_BORDER_WRAP = 4      /* c d | a b c d | a b */
} gnd_border;

/* --- rank filters ----------------------------------------------------------------------------- */

/* The element of rank `rank` in the sorted window (0: the smallest, -1: the largest). Uses memory
 * for all windows, except for the smallest and the largest. */
GND_API gnd_array *gnd_rank_filter(gnd_array *x, int64_t rank, int n, const int64_t *size,
                                   gnd_border border, gnd_array *fill);
/* The median of the window; for an even number the larger of the two middle elements, as in
 * SciPy. */
GND_API gnd_array *gnd_median_filter(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                     gnd_array *fill);
/* The element of rank m percentile / 100, rounded down, in the sorted window of m elements; 100
 * gives the largest. percentile is from -100 to 100; a negative one counts from 100. */
GND_API gnd_array *gnd_percentile_filter(gnd_array *x, double percentile, int n,
                                         const int64_t *size, gnd_border border, gnd_array *fill);
/* The smallest element of the window, computed along one axis after the other. */
GND_API gnd_array *gnd_minimum_filter(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                      gnd_array *fill);
/* The largest element of the window, computed along one axis after the other. */
GND_API gnd_array *gnd_maximum_filter(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                      gnd_array *fill);

/* --- grey morphology by boxes ----------------------------------------------------------------- */

/* The smallest element of the window; same as gnd_minimum_filter. */
GND_API gnd_array *gnd_grey_erosion(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                    gnd_array *fill);
/* The largest element of the mirrored window. For an even size s this window differs: s - 1 - s / 2
 * elements before, s / 2 after. */
GND_API gnd_array *gnd_grey_dilation(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                     gnd_array *fill);
/* gnd_grey_dilation of gnd_grey_erosion: removes bright details smaller than the window. */
GND_API gnd_array *gnd_grey_opening(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                    gnd_array *fill);
/* gnd_grey_erosion of gnd_grey_dilation: removes dark details smaller than the window. */
GND_API gnd_array *gnd_grey_closing(gnd_array *x, int n, const int64_t *size, gnd_border border,
                                    gnd_array *fill);

/* --- binary morphology ------------------------------------------------------------------------ */

/* bool: whether all neighbors that the structure selects are true: element p + q - s / 2 for each q
 * where the structure, with s elements along an axis, is true. x and structure have the same number
 * of axes, at most 16, and any dtype; nonzero is true. structure NULL: the element and its
 * neighbors along each axis. Elements beyond the edges are border (0 or 1). Applied `iterations`
 * times, at least once. GND_ERR_ARG: iterations; GND_ERR_SHAPE: different numbers of axes, or an
 * empty structure. */
GND_API gnd_array *gnd_binary_erosion(gnd_array *x, gnd_array *structure, int iterations,
                                      int border);
/* bool: whether any of the elements p - (q - s / 2) is true. Arguments as for
 * gnd_binary_erosion. */
GND_API gnd_array *gnd_binary_dilation(gnd_array *x, gnd_array *structure, int iterations,
                                       int border);
/* `iterations` erosions followed by as many dilations. Elements beyond the edges are false, as in
 * SciPy. */
GND_API gnd_array *gnd_binary_opening(gnd_array *x, gnd_array *structure, int iterations);
/* `iterations` dilations followed by as many erosions. Elements beyond the edges are false, so
 * regions that touch an edge are eroded there, as in SciPy. */
GND_API gnd_array *gnd_binary_closing(gnd_array *x, gnd_array *structure, int iterations);

/* --- resizing --------------------------------------------------------------------------------- */

/* Interpolation of gnd_image_resize. */
typedef enum gnd_interpolation {
    GND_INTERPOLATE_NEAREST, /* the element whose interval contains the position */
    GND_INTERPOLATE_LINEAR,  /* the two nearest elements */
    GND_INTERPOLATE_CUBIC    /* the four nearest elements, by Keys' cubic with a = -1/2 */
} gnd_interpolation;

/* Resizes x to a shape with the same number of axes; a picture of shape (h, w, 3) uses {2 * h, 2 *
 * w, 3}. The semantics are those of jax.image.resize: the ends of the axes coincide, so element j
 * of m is at position (j + 1/2) n / m - 1/2 of n; elements beyond the edges have weight 0, and
 * weights are normalized to sum 1. (LINEAR without antialias equals PyTorch's interpolate with
 * align_corners=False; NEAREST equals its "nearest-exact".) antialias: if an axis becomes shorter,
 * the filter is wider by n / m, so that every element counts; not for NEAREST. NEAREST keeps the
 * dtype; the others convert ints and bools to the default float. 16-bit floats are computed in
 * float32 and rounded once. GND_ERR_SHAPE: the number of axes, or elements requested from an empty
 * axis; GND_ERR_ARG; GND_ERR_OVERFLOW. */
GND_API gnd_array *gnd_image_resize(gnd_array *x, int ndim, const int64_t *shape,
                                    gnd_interpolation how, int antialias);

#ifdef __cplusplus
}
#endif
#endif
