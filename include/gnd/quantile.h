/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/quantile.h - order statistics over a set of axes (GND_ALL: all of them). flags: 0 or
 * GND_KEEPDIMS. Errors of all: GND_ERR_NULL, GND_ERR_AXIS, GND_ERR_DTYPE, GND_ERR_ARG,
 * GND_ERR_DEVICE, the array's own error. By sorting: exact, and the same on every device.
 *
 * A NaN among the elements makes a result NaN; the nan-forms leave NaN out, and give it where
 * nothing else is there, as all do for nothing (GND_ERR_SHAPE where the result has no NaN).
 */
#ifndef GND_QUANTILE_H
#define GND_QUANTILE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Quantile q of n sorted elements lies at a place i + g, counted from 0, with 0 <= g < 1. The
 * result is (1 - g) x[i] + g x[i + 1] where nothing else is said. The numbers 1 to 9 are those of
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

/* The mean of the one or two elements in the middle. bools and ints give the default float. */
GND_API gnd_array *gnd_median(gnd_array *x, gnd_axes axes, unsigned flags);
/* gnd_median of the elements that are no NaN. */
GND_API gnd_array *gnd_nanmedian(gnd_array *x, gnd_axes axes, unsigned flags);
/* q: a number or an array of quantiles from 0 to 1 (GND_ERR_ARG; of an array, when the result is
 * read). The axes of q come first in the result. Methods that take one of the elements give the
 * dtype of x, the others that of x (ints: the default float), or what it promotes to with an array
 * q. No complex x. */
GND_API gnd_array *gnd_quantile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                                gnd_quantile_method method);
/* gnd_quantile of the elements that are no NaN. */
GND_API gnd_array *gnd_nanquantile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                                   gnd_quantile_method method);
/* gnd_quantile with q from 0 to 100. */
GND_API gnd_array *gnd_percentile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                                  gnd_quantile_method method);
/* gnd_percentile of the elements that are no NaN. */
GND_API gnd_array *gnd_nanpercentile(gnd_array *x, gnd_array *q, gnd_axes axes, unsigned flags,
                                     gnd_quantile_method method);

#ifdef __cplusplus
}
#endif
#endif
