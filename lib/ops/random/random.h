/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/random/random.h - declarations shared by the files of random numbers: the streams of a call,
 * and its draws.
 */
#ifndef GND_OPS_RANDOM_RANDOM_H
#define GND_OPS_RANDOM_RANDOM_H

#include "array/steps.h"
#include <gnd/random.h>

enum { GND__DRAW_PARAMS = 3 };

/* One call of a distribution. */
typedef struct gnd__draw {
    const char *func;
    gnd__inner in; /* from gnd__draw_begin to gnd__draw_end */
    gnd_device *dev;
    gnd_dtype t; /* of the result */
    gnd_dtype c; /* compute dtype: float32 or float64 */
    int ndim;
    int64_t dim[GND_MAX_NDIM];
    gnd_rng g;                        /* its state before the call */
    gnd_array *index;                 /* the indices of the elements, uint64, in that shape */
    gnd_array *par[GND__DRAW_PARAMS]; /* parameters, weak scalars or of dtype c */
} gnd__draw;

/* Stream `sub` of a call: 64 bits. */
uint64_t gnd__rng_stream(const gnd_rng *g, uint32_t sub);
/* Counts a call. Returns the generator as it was before. */
gnd_rng gnd__rng_take(gnd_rng *g);

/* The range of a parameter. */
typedef enum gnd__span {
    GND__REAL,
    GND__NOT_NEGATIVE,
    GND__POSITIVE,
    GND__PROBABILITY,
    GND__CHANCE, /* ]0, 1] */
    GND__SHARE,  /* ]0, 1[ */
    GND__ABOVE_ONE,
    GND__TRIALS /* a whole number, not negative */
} gnd__span;

typedef struct gnd__param {
    const char *name;
    gnd__span span;
    gnd_array *x;
} gnd__param;

/* Begins a call: checks all arguments, then fills d. counts: results are whole numbers. float16
 * computes in float32. Returns an error, after which gnd__draw_end is not called; or NULL. */
gnd_array *gnd__draw_begin(gnd__draw *d, const char *func, gnd_rng *g, gnd_device *dev, gnd_dtype t,
                           int counts, int ndim, const int64_t *shape, int n, const gnd__param *p);
/* Applies op32 (op64 if c is float64) to the index, stream `sub` and n more arguments. */
gnd_array *gnd__draw_of(gnd__draw *d, gnd__op op32, gnd__op op64, gnd_dtype t, uint32_t sub, int n,
                        gnd_array *const *more);
/* The second half of gnd__draw_begin: sets the dtypes and the indices of d, whose device, shape and
 * result dtype are set. */
void gnd__draw_places(gnd__draw *d);
/* The first half of gnd__draw_begin: counts the call, checks and sets the device and the shape. */
gnd_array *gnd__draw_shape(gnd__draw *d, const char *func, gnd_rng *g, gnd_device *dev, int ndim,
                           const int64_t *shape, int n, const gnd__param *p);
/* Like gnd__draw_of, but the arguments keep their dtypes. */
gnd_array *gnd__draw_raw(gnd__draw *d, gnd__op op, gnd_dtype t, uint32_t sub, int n,
                         gnd_array *const *more);
/* Converts the result to dtype d->t and ends the call. */
gnd_array *gnd__draw_end(gnd__draw *d, gnd_array *y);

#endif
