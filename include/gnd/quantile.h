/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/quantile.h - order statistics over a set of axes (GND_ALL: all axes). flags: 0 or
 * GND_KEEPDIMS. Errors of all functions: GND_ERR_NULL, GND_ERR_AXIS, GND_ERR_DTYPE, GND_ERR_ARG,
 * GND_ERR_DEVICE, the error of the array. Computed by sorting: exact, and equal on every device.
 *
 * If an element is NaN the result is NaN. The nan functions ignore NaN, and give NaN if no other
 * element is left. All functions give NaN for no elements (GND_ERR_SHAPE if the result's dtype has
 * no NaN).
 */
#ifndef GND_QUANTILE_H
#define GND_QUANTILE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Methods. Quantile q of n sorted elements lies at position i + g, counted from 0, with 0 <= g < 1.
 * The result is (1 - g) x[i] + g x[i + 1] unless stated otherwise. The numbers 1 to 9 are those of
 * R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages" (1996). X(name, NumPy's
 * name). */
#define GND_QUANTILE_LIST(X)                                                                       \
    X(GND_Q_LINEAR, "linear")             /* 7: q (n - 1) */                                       \
    X(GND_Q_LOWER, "lower")               /* floor(q (n - 1)) */                                   \
    X(GND_Q_HIGHER, "higher")             /* ceil(q (n - 1)) */                                    \
    X(GND_Q_MIDPOINT, "midpoint")         /* the mean of both */                                   \
    X(GND_Q_NEAREST, "nearest")           /* q (n - 1) rounded, halves to even */                  \
    X(GND_Q_INVERTED_CDF, "inverted_cdf") /* 1: q n - 1 upwards */                                 \
    X(GND_Q_AVERAGED_INVERTED_CDF, "averaged_inverted_cdf") /* 2: the mean where that is whole */  \
    X(GND_Q_CLOSEST_OBSERVATION, "closest_observation")     /* 3: q n - 1 to the nearest */        \
    X(GND_Q_INTERPOLATED_INVERTED_CDF, "interpolated_inverted_cdf") /* 4: q n - 1 */               \
    X(GND_Q_HAZEN, "hazen")                                         /* 5: q n - 1/2 */             \
    X(GND_Q_WEIBULL, "weibull")                                     /* 6: q (n + 1) - 1 */         \
    X(GND_Q_MEDIAN_UNBIASED, "median_unbiased")                     /* 8: q (n + 1/3) - 2/3 */     \
    X(GND_Q_NORMAL_UNBIASED, "normal_unbiased")                     /* 9: q (n + 1/4) - 5/8 */
typedef enum gnd_quantile_method {
#define X(name, text) name,
    GND_QUANTILE_LIST(X)
#undef X
        GND_Q_METHODS
} gnd_quantile_method;

/* The median: the mean of the one or two middle elements. Bools and ints give the default float. */
GND_API gnd_array *gnd_median(gnd_array *x, gnd_axes axes, unsigned flags);
/* Same as gnd_median, ignoring NaN. */
GND_API gnd_array *gnd_nanmedian(gnd_array *x, gnd_axes axes, unsigned flags);
/* Quantiles. q is a number or an array of quantiles from 0 to 1 (GND_ERR_ARG; for an array, when
 * the result is read). The axes of q come first in the result. Methods that select an element keep
 * the dtype of x; the others give the dtype of x (ints: the default float), promoted with that of
 * an array q. x is not complex. */
GND_API gnd_array *gnd_quantile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                                gnd_quantile_method method);
/* Same as gnd_quantile, ignoring NaN. */
GND_API gnd_array *gnd_nanquantile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                                   gnd_quantile_method method);
/* Same as gnd_quantile, with q from 0 to 100. */
GND_API gnd_array *gnd_percentile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                                  gnd_quantile_method method);
/* Same as gnd_percentile, ignoring NaN. */
GND_API gnd_array *gnd_nanpercentile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                                     gnd_quantile_method method);

#ifdef __cplusplus
}
#endif
#endif
