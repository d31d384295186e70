/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/random.h - random numbers from a generator that the caller owns. Generator: Philox4x32-10
 * (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC11), a function of a
 * counter and a key, so nothing is drawn in an order and no memory is held: arrays are lazy, fuse,
 * and every element of one depends on the generator, the number of the call and the element's place
 * in C order alone.
 *
 * The same generator gives gnd_rng_random, gnd_rng_uniform of scalars 0 and 1, gnd_rng_integers,
 * permutations and shuffles bit for bit on every device, whatever the shape of its kernels. The
 * other distributions use logarithms and roots, which differ in the last places between vendors;
 * with float64 they are computed in float64, so that a device without it may round another way.
 * What is drawn is fixed for a release; doc/RANDOM.md has the streams and the algorithms.
 *
 * Every function takes the generator (one number of its calls, failing or not), the device, a
 * dtype, a shape (ndim, shape) and parameters that broadcast to the shape: arrays of the device or
 * weak scalars (gnd_real ...). ndim < 0: the shape is that to which the parameters broadcast. dev
 * NULL: the device of the parameters. t GND_DTYPE_DEFAULT: the device's default float, or int64 for
 * counts. float16 and bfloat16 are drawn in float32 (uniforms as exact multiples of 2^-11 and
 * 2^-8).
 *
 * Errors of all: GND_ERR_NULL, GND_ERR_DEVICE, GND_ERR_DTYPE (complex; a float where an int is
 * meant), GND_ERR_SHAPE (a parameter does not broadcast to the shape), GND_ERR_ARG (a scalar
 * parameter out of the range that the function names), GND_ERR_OVERFLOW, GND_ERR_UNSUPPORTED
 * (float64 on a device without it). Elements of array parameters out of range give NaN, and -1
 * where results are counts.
 */
#ifndef GND_RANDOM_H
#define GND_RANDOM_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- generators ---------------------------------------------------------------------------------
 */

/* A generator: plain memory, copied by assignment. Calls change it, so threads share none: give
 * each one that gnd_rng_split made. */
typedef struct gnd_rng {
    uint64_t key;   /* the seed, or what a split drew */
    uint64_t calls; /* so many have been made */
} gnd_rng;

/* The generator of a seed, before its first call. */
GND_API gnd_rng gnd_rng_seed(uint64_t seed);
/* A generator of its own, independent of g: its key is drawn from g, which counts one call. g NULL:
 * as gnd_rng_seed(0). */
GND_API gnd_rng gnd_rng_split(gnd_rng *g);
/* Leaves out so many calls. */
GND_API void gnd_rng_jump(gnd_rng *g, uint64_t calls);
/* The generator as GND_RNG_BYTES bytes, the same on every machine, and back. GND_ERR_NULL;
 * GND_ERR_FORMAT: the bytes are not n = GND_RNG_BYTES that gnd_rng_save wrote. */
enum { GND_RNG_BYTES = 24 };
/* Writes the generator's state to bytes, which has room for GND_RNG_BYTES; they are the same on
 * every machine. GND_ERR_NULL. */
GND_API gnd_status gnd_rng_save(const gnd_rng *g, void *bytes);
/* Sets the generator to a state that gnd_rng_save wrote. GND_ERR_NULL; GND_ERR_FORMAT: the bytes
 * are not n = GND_RNG_BYTES of its. */
GND_API gnd_status gnd_rng_restore(gnd_rng *g, const void *bytes, size_t n);

/* --- continuous ---------------------------------------------------------------------------------
 */

/* Uniform in [0, 1): multiples of 2^-24, of 2^-53 for float64. */
GND_API gnd_array *gnd_rng_random(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                  const int64_t *shape);
/* low + (high - low) * u; rounding may give high. GND_ERR_ARG: scalars whose difference is not
 * finite. */
GND_API gnd_array *gnd_rng_uniform(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                   const int64_t *shape, gnd_array *low, gnd_array *high);
/* Normal numbers of mean 0 and deviation 1 (Box and Muller's method). */
GND_API gnd_array *gnd_rng_standard_normal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                           const int64_t *shape);
/* Normal numbers of mean loc and deviation scale >= 0. */
GND_API gnd_array *gnd_rng_normal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                  const int64_t *shape, gnd_array *loc, gnd_array *scale);
/* exp of a normal number of mean `mean` and deviation sigma >= 0. */
GND_API gnd_array *gnd_rng_lognormal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *mean, gnd_array *sigma);
/* Of mean scale >= 0. */
GND_API gnd_array *gnd_rng_exponential(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                       const int64_t *shape, gnd_array *scale);
/* Of density x^(a-1) exp(-x/scale), a >= 0 (all 0 for 0), scale >= 0. Marsaglia and Tsang's method.
 */
GND_API gnd_array *gnd_rng_gamma(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                 const int64_t *shape, gnd_array *a, gnd_array *scale);
/* Of density x^(a-1) (1-x)^(b-1), a > 0, b > 0: of two gamma numbers in logarithms. */
GND_API gnd_array *gnd_rng_beta(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                const int64_t *shape, gnd_array *a, gnd_array *b);
/* Chi-square with df > 0 degrees of freedom. */
GND_API gnd_array *gnd_rng_chisquare(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *df);
/* Student's t with df > 0 degrees of freedom. */
GND_API gnd_array *gnd_rng_standard_t(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                      const int64_t *shape, gnd_array *df);
/* Of density exp(-|x - loc|/scale) / (2 scale); scale >= 0. */
GND_API gnd_array *gnd_rng_laplace(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                   const int64_t *shape, gnd_array *loc, gnd_array *scale);
/* Of density exp(-z) / (scale (1 + exp(-z))^2) with z = (x - loc)/scale; scale >= 0. */
GND_API gnd_array *gnd_rng_logistic(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                    const int64_t *shape, gnd_array *loc, gnd_array *scale);

/* --- discrete -----------------------------------------------------------------------------------
 */

/* Integers low .. high - 1 (endpoint != 0: .. high), each as likely: Lemire's method (ACM TOMACS
 * 29, 2019). Any int dtype, or bool; low and high are ints, high NULL: t's greatest value, which is
 * possible; low NULL: 0. GND_ERR_ARG: scalars with nothing between them; GND_ERR_OVERFLOW: they do
 * not fit t. Elements of arrays with nothing between them give low. */
GND_API gnd_array *gnd_rng_integers(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                    const int64_t *shape, gnd_array *low, gnd_array *high,
                                    int endpoint);
/* The next ones count: t is an int dtype, or a float one, which rounds. Computed in float64,
 * without it in float32, which tells whole numbers up to 2^24 apart. */
/* Of mean lam >= 0 (up to 9.2e18). Hoermann's PTRS from 10 on. */
GND_API gnd_array *gnd_rng_poisson(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                   const int64_t *shape, gnd_array *lam);
/* Successes in n >= 0 trials, a whole number, of probability p in 0 .. 1. Hoermann's BTRS where n
 * min(p, 1-p) >= 10. */
GND_API gnd_array *gnd_rng_binomial(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                    const int64_t *shape, gnd_array *n, gnd_array *p);
/* Trials of probability p, 0 < p <= 1, up to the first success: 1, 2, ... */
GND_API gnd_array *gnd_rng_geometric(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *p);

/* --- rows ---------------------------------------------------------------------------------------
 */

/* Shape + (k,): the successes of n >= 0 trials among k outcomes of the probabilities along the last
 * axis of p, an array (..., k); n is an array or a scalar that broadcasts to the shape, and so does
 * p without its last axis. The last outcome gets what is left: p's last element counts for nothing.
 * Draws k - 1 binomial numbers, one launch each. t: an int dtype, or a float one. GND_ERR_SHAPE: p
 * has no axis, k = 0. */
GND_API gnd_array *gnd_rng_multinomial(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                       const int64_t *shape, gnd_array *n, gnd_array *p);
/* Shape + (k,): gamma numbers of the shapes alpha > 0, an array (..., k), over their sum. */
GND_API gnd_array *gnd_rng_dirichlet(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *alpha);
/* Shape + (k,): normal rows of mean (k,) and covariance cov (k, k), which is taken to be symmetric,
 * by a root of it from its singular values, its eigenvalues or Cholesky's factor (which must be
 * positive definite, else GND_ERR_LINALG). */
typedef enum gnd_rng_root { GND_ROOT_SVD, GND_ROOT_EIGH, GND_ROOT_CHOLESKY } gnd_rng_root;
/* Normal rows of mean (k,) and covariance cov (k, k), which is taken to be symmetric: the result
 * has the shape and (k,) behind it. root says by which root of cov; GND_ERR_LINALG:
 * GND_ROOT_CHOLESKY, and cov is not positive definite. */
GND_API gnd_array *gnd_rng_multivariate_normal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                               const int64_t *shape, gnd_array *mean,
                                               gnd_array *cov, gnd_rng_root root);

/* --- order --------------------------------------------------------------------------------------
 */

/* 0 .. n - 1 in random order, int64: by sorting 64 random bits each. GND_ERR_ARG: n < 0. */
GND_API gnd_array *gnd_rng_permutation(gnd_rng *g, gnd_device *dev, int64_t n);
/* x with its slices along axis in random order. GND_ERR_AXIS. */
GND_API gnd_array *gnd_rng_shuffle(gnd_rng *g, gnd_array *x, int axis);
/* x with the elements of each row along axis in a random order of their own. GND_ERR_AXIS. */
GND_API gnd_array *gnd_rng_permuted(gnd_rng *g, gnd_array *x, int axis);
/* Of the given shape: elements of a, drawn along its first axis (then with its other axes behind),
 * or the integers 0 .. a - 1 (int64) when a is a scalar. replace 0: no element twice. p NULL: each
 * as likely; else their weights, an array of one axis on the device: >= 0, not all 0, of any sum. p
 * is read, so the call waits for it. With replacement Walker's alias method (Vose: A linear
 * algorithm for generating random numbers with a given distribution, 1991), to 2^-32 of a weight;
 * without Efraimidis and Spirakis's (Weighted random sampling with a reservoir, 2006). GND_ERR_ARG:
 * nothing to choose from, or too few elements without replacement; weights that are none;
 * GND_ERR_SHAPE: not as many as elements. */
GND_API gnd_array *gnd_rng_choice(gnd_rng *g, gnd_device *dev, gnd_array *a, int ndim,
                                  const int64_t *shape, int replace, gnd_array *p);

#ifdef __cplusplus
}
#endif
#endif
