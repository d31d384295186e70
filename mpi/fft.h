/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fft.h - the transform of a distributed vector, for fn_fft.c.
 */
#ifndef GNDM_FFT_H
#define GNDM_FFT_H

#include "call.h"

/* A transform along one axis. n: its length; for a real transform, the number of reals. */
typedef struct gndm__fft {
    int inverse, real;
    int64_t n;
    gnd_norm norm;
} gndm__fft;

/* Whether gndm__fft_vector computes this transform: the vector is split, and so long that dividing
 * the work pays for the exchanges. */
int gndm__fft_fits(const gndm_array *x, const gndm__fft *f);
/* The transform of the vector x, which is padded with zeros or truncated as in NumPy. t is the
 * complex dtype of the transform. The cuts of the result are nearly proportional to those of x. */
gnd_status gndm__fft_vector(gndm_ctx *c, gndm_array *x, const gndm__fft *f, gnd_dtype t,
                            gndm_array **out);

#endif
