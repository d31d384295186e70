/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/random.h - random numbers from a generator that the caller owns. The generator is
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC11), a
 * function of a counter and a key. Arrays of random numbers are lazy, fuse, and use no memory
 * before they are stored. Every element depends only on the generator, the number of the call, and
 * the position of the element in C order.
 *
 * gnd_rng_random, gnd_rng_uniform of scalars 0 and 1, gnd_rng_integers, permutations and shuffles
 * are bit-identical on every device. Other distributions use logarithms and roots, which differ
 * between vendors in the last places. They are computed in float64 if the device has it, so a
 * device without float64 may round differently. The numbers of a seed are fixed within a release.
 * doc/RANDOM.md describes the streams and algorithms.
 *
 * Every function takes the generator (each call counts, also if it fails), the device, a dtype, a
 * shape (ndim, shape), and parameters that broadcast to the shape: arrays of the device, or weak
 * scalars (gnd_real ...). ndim < 0: the broadcast shape of the parameters. dev NULL: the device of
 * the parameters. t GND_DTYPE_DEFAULT: the device's default float, or int64 for counts. float16 and
 * bfloat16 are drawn in float32 (uniform numbers as exact multiples of 2^-11 and 2^-8).
 *
 * Errors of all functions: GND_ERR_NULL; GND_ERR_DEVICE; GND_ERR_DTYPE: complex, or a float instead
 * of an int; GND_ERR_SHAPE: a parameter does not broadcast to the shape; GND_ERR_ARG: a scalar
 * parameter out of the stated range; GND_ERR_OVERFLOW; GND_ERR_UNSUPPORTED: float64 on a device
 * without it. Elements of array parameters out of range give NaN, or -1 if results are counts.
 */
#ifndef GND_RANDOM_H
#define GND_RANDOM_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- generators ------------------------------------------------------------------------------- */

/* A generator: plain data, copied by assignment. Calls change it, so threads must not share one;
 * give each thread a generator from gnd_rng_split. */
typedef struct gnd_rng {
    uint64_t key;   /* the seed, or a key drawn by a split */
    uint64_t calls; /* number of calls so far */
} gnd_rng;

/* The generator of a seed, before its first call. */
GND_API gnd_rng gnd_rng_seed(uint64_t seed);
/* A new generator, independent of g. Its key is drawn from g, which counts as one call. g NULL:
 * same as gnd_rng_seed(0). */
GND_API gnd_rng gnd_rng_split(gnd_rng *g);
/* Skips n calls. */
GND_API void gnd_rng_jump(gnd_rng *g, uint64_t calls);
/* The size of a saved generator. The saved bytes are the same on every machine. */
enum { GND_RNG_BYTES = 24 };
/* Writes the generator's state to bytes, which has room for GND_RNG_BYTES. The bytes are the same
 * on every machine. GND_ERR_NULL. */
GND_API gnd_status gnd_rng_save(const gnd_rng *g, void *bytes);
/* Sets the generator to a state written by gnd_rng_save. n must be GND_RNG_BYTES. GND_ERR_NULL;
 * GND_ERR_FORMAT: the bytes were not written by gnd_rng_save, or n is another number. */
GND_API gnd_status gnd_rng_restore(gnd_rng *g, const void *bytes, size_t n);

/* --- continuous distributions ----------------------------------------------------------------- */

/* Uniform in [0, 1): multiples of 2^-24, or 2^-53 for float64. */
GND_API gnd_array *gnd_rng_random(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                  const int64_t *shape);
/* Uniform: low + (high - low) * u. Rounding may give high. GND_ERR_ARG: scalars whose difference is
 * not finite. */
GND_API gnd_array *gnd_rng_uniform(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                   const int64_t *shape, gnd_array *low, gnd_array *high);
/* Normal with mean 0 and standard deviation 1 (Box-Muller method). */
GND_API gnd_array *gnd_rng_standard_normal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                           const int64_t *shape);
/* Normal with mean loc and standard deviation scale >= 0. */
GND_API gnd_array *gnd_rng_normal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                  const int64_t *shape, gnd_array *loc, gnd_array *scale);
/* Log-normal: exp of a normal number with mean `mean` and standard deviation sigma >= 0. */
GND_API gnd_array *gnd_rng_lognormal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *mean, gnd_array *sigma);
/* Exponential with mean scale >= 0. */
GND_API gnd_array *gnd_rng_exponential(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                       const int64_t *shape, gnd_array *scale);
/* Gamma, with density x^(a-1) exp(-x/scale), a >= 0 (a = 0 gives 0), scale >= 0. Marsaglia and
 * Tsang's method. */
GND_API gnd_array *gnd_rng_gamma(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                 const int64_t *shape, gnd_array *a, gnd_array *scale);
/* Beta, with density x^(a-1) (1-x)^(b-1), a > 0, b > 0. Computed from two gamma numbers in
 * logarithms. */
GND_API gnd_array *gnd_rng_beta(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                const int64_t *shape, gnd_array *a, gnd_array *b);
/* Chi-square with df > 0 degrees of freedom. */
GND_API gnd_array *gnd_rng_chisquare(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *df);
/* Student's t with df > 0 degrees of freedom. */
GND_API gnd_array *gnd_rng_standard_t(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                      const int64_t *shape, gnd_array *df);
/* Laplace, with density exp(-|x - loc|/scale) / (2 scale); scale >= 0. */
GND_API gnd_array *gnd_rng_laplace(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                   const int64_t *shape, gnd_array *loc, gnd_array *scale);
/* Logistic, with density exp(-z) / (scale (1 + exp(-z))^2) with z = (x - loc)/scale; scale >= 0. */
GND_API gnd_array *gnd_rng_logistic(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                    const int64_t *shape, gnd_array *loc, gnd_array *scale);

/* Gumbel: loc - scale log(e) of an exponential number e; scale >= 0. */
GND_API gnd_array *gnd_rng_gumbel(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                  const int64_t *shape, gnd_array *loc, gnd_array *scale);
/* Weibull of scale 1: e^(1/a) of an exponential number e; a >= 0 (a = 0 gives 0). */
GND_API gnd_array *gnd_rng_weibull(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                   const int64_t *shape, gnd_array *a);
/* Pareto II (Lomax): exp(e/a) - 1 of an exponential number e; a > 0. */
GND_API gnd_array *gnd_rng_pareto(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                  const int64_t *shape, gnd_array *a);
/* Power, with density a x^(a-1) in 0 .. 1; a > 0. */
GND_API gnd_array *gnd_rng_power(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                 const int64_t *shape, gnd_array *a);
/* Rayleigh: scale sqrt(2 e) of an exponential number e; scale >= 0. */
GND_API gnd_array *gnd_rng_rayleigh(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                    const int64_t *shape, gnd_array *scale);
/* Cauchy around 0 of scale 1: the quotient of two normal numbers. */
GND_API gnd_array *gnd_rng_standard_cauchy(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                           const int64_t *shape);
/* Triangular in left .. right with the peak at mode. GND_ERR_ARG: scalars without left <= mode <=
 * right and left < right; elements of array parameters without it give NaN. */
GND_API gnd_array *gnd_rng_triangular(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                      const int64_t *shape, gnd_array *left, gnd_array *mode,
                                      gnd_array *right);
/* Wald (inverse Gaussian) with mean > 0 and scale > 0, by Michael, Schucany and Haas (The American
 * Statistician 30, 1976), without cancellation. */
GND_API gnd_array *gnd_rng_wald(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                const int64_t *shape, gnd_array *mean, gnd_array *scale);
/* Fisher's F with dfnum > 0 and dfden > 0 degrees of freedom. */
GND_API gnd_array *gnd_rng_f(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                             const int64_t *shape, gnd_array *dfnum, gnd_array *dfden);
/* Noncentral chi-square with df > 0 degrees of freedom and noncentrality nonc >= 0: chi-square of
 * df + 2 k degrees, k a Poisson number of mean nonc/2. */
GND_API gnd_array *gnd_rng_noncentral_chisquare(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                                const int64_t *shape, gnd_array *df,
                                                gnd_array *nonc);
/* Noncentral F: gnd_rng_f with a noncentral numerator, nonc >= 0. */
GND_API gnd_array *gnd_rng_noncentral_f(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                        const int64_t *shape, gnd_array *dfnum, gnd_array *dfden,
                                        gnd_array *nonc);

/* Von Mises: angles around mu of concentration kappa >= 0, in -pi .. pi, by Best and Fisher
 * (Applied Statistics 28, 1979). */
GND_API gnd_array *gnd_rng_vonmises(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                    const int64_t *shape, gnd_array *mu, gnd_array *kappa);

/* --- discrete distributions ------------------------------------------------------------------- */

/* Integers low .. high - 1 (endpoint != 0: .. high), with equal probability, by Lemire's method
 * (ACM TOMACS 29, 2019). t is an int dtype or bool. low and high are ints. high NULL: up to and
 * including the largest value of t; low NULL: 0. GND_ERR_ARG: scalars with an empty range;
 * GND_ERR_OVERFLOW: they do not fit t. Elements of array parameters with an empty range give
 * low. */
GND_API gnd_array *gnd_rng_integers(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                    const int64_t *shape, gnd_array *low, gnd_array *high,
                                    int endpoint);
/* The following distributions return counts. t is an int dtype, or a float dtype, which rounds.
 * Computed in float64; on a device without it in float32, which represents whole numbers up to 2^24
 * exactly. */
/* Poisson with mean lam >= 0 (up to 9.2e18). Uses Hoermann's PTRS for lam >= 10. */
GND_API gnd_array *gnd_rng_poisson(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                   const int64_t *shape, gnd_array *lam);
/* Binomial: successes in n >= 0 trials (a whole number) of probability p in 0 .. 1. Uses Hoermann's
 * BTRS if n min(p, 1-p) >= 10. */
GND_API gnd_array *gnd_rng_binomial(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                    const int64_t *shape, gnd_array *n, gnd_array *p);
/* Geometric: number of trials of probability p, 0 < p <= 1, up to the first success: 1, 2, ... */
GND_API gnd_array *gnd_rng_geometric(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *p);

/* Negative binomial: failures before n > 0 successes of probability p, 0 < p <= 1; n need not be
 * whole. A Poisson number whose mean is a gamma number. */
GND_API gnd_array *gnd_rng_negative_binomial(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                             const int64_t *shape, gnd_array *n, gnd_array *p);
/* Logarithmic series: k = 1, 2, ... with probability -p^k / (k log(1-p)), 0 < p < 1. Kemp's method
 * LS (Applied Statistics 30, 1981). */
GND_API gnd_array *gnd_rng_logseries(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *p);

/* Zipf: k = 1, 2, ... with probability proportional to k^-a, a > 1, up to 9.2e18. Elements of array
 * parameters that are not above 1 give -1. Devroye's rejection (Non-Uniform Random Variate
 * Generation, 1986). */
GND_API gnd_array *gnd_rng_zipf(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                const int64_t *shape, gnd_array *a);
/* Hypergeometric: the good ones among nsample things drawn, without putting back, from ngood good
 * and nbad bad ones. GND_ERR_ARG: scalars that are negative or not whole, or nsample > ngood +
 * nbad; elements of array parameters like that give -1. HRUA* of Stadlober (J. Comput. Appl. Math.
 * 31, 1990); one after the other for fewer than 10. Counts above 2^53 (without float64: 2^24) are
 * rounded. */
GND_API gnd_array *gnd_rng_hypergeometric(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                          const int64_t *shape, gnd_array *ngood, gnd_array *nbad,
                                          gnd_array *nsample);

/* --- multivariate distributions --------------------------------------------------------------- */

/* Multinomial, with shape + (k,): the numbers of n >= 0 trials with each of k outcomes. The last
 * axis of p, an array (..., k), has the probabilities. n and p without its last axis broadcast to
 * the shape. The last outcome gets the remaining trials; the last element of p is not used. Draws k
 * - 1 binomial numbers, with one launch each. t: an int or float dtype. GND_ERR_SHAPE: p has no
 * axis, or k = 0. */
GND_API gnd_array *gnd_rng_multinomial(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                       const int64_t *shape, gnd_array *n, gnd_array *p);
/* Multivariate hypergeometric, with shape + (k,): how many of nsample >= 0 things drawn, without
 * putting back, have each of k colors. The last axis of colors, an array (..., k), has the numbers
 * of things; nsample and colors without its last axis broadcast to the shape. Rows of which nsample
 * is more than their things, or with a negative number, are -1. Draws k - 1 hypergeometric numbers,
 * with one launch each. GND_ERR_SHAPE: colors has no axis, or k = 0. */
GND_API gnd_array *gnd_rng_multivariate_hypergeometric(gnd_rng *g, gnd_device *dev, gnd_dtype t,
                                                       int ndim, const int64_t *shape,
                                                       gnd_array *colors, gnd_array *nsample);
/* Dirichlet, with shape + (k,): gamma numbers with shapes alpha > 0, an array (..., k), divided by
 * their sum. */
GND_API gnd_array *gnd_rng_dirichlet(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                     const int64_t *shape, gnd_array *alpha);
/* How a multivariate normal distribution computes the root of its covariance: from singular values,
 * from eigenvalues, or by Cholesky (cov must then be positive definite, else GND_ERR_LINALG). */
typedef enum gnd_rng_root { GND_ROOT_SVD, GND_ROOT_EIGH, GND_ROOT_CHOLESKY } gnd_rng_root;
/* Multivariate normal: rows of mean (k,) and covariance cov (k, k), which is taken to be symmetric.
 * The result has the shape followed by (k,). root selects the method for the root of cov.
 * GND_ERR_LINALG: GND_ROOT_CHOLESKY, and cov is not positive definite. */
GND_API gnd_array *gnd_rng_multivariate_normal(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                               const int64_t *shape, gnd_array *mean,
                                               gnd_array *cov, gnd_rng_root root);

/* --- permutations and samples ----------------------------------------------------------------- */

/* A random permutation of 0 .. n - 1, int64, by sorting 64 random bits per element. GND_ERR_ARG: n
 * < 0. */
GND_API gnd_array *gnd_rng_permutation(gnd_rng *g, gnd_device *dev, int64_t n);
/* x with its slices along axis in random order. GND_ERR_AXIS. */
GND_API gnd_array *gnd_rng_shuffle(gnd_rng *g, gnd_array *x, int axis);
/* x with each row along axis shuffled independently. GND_ERR_AXIS. */
GND_API gnd_array *gnd_rng_permuted(gnd_rng *g, gnd_array *x, int axis);
/* Draws elements of a along its first axis, in the given shape followed by the other axes of a. If
 * a is a scalar, draws the integers 0 .. a - 1 (int64). replace 0: no element is drawn twice. p
 * NULL: equal probabilities; else weights, a 1-d array on the device: >= 0, not all 0, with any
 * sum. The call reads p, so it waits for it. With replacement: Walker's alias method (Vose: A
 * linear algorithm for generating random numbers with a given distribution, 1991), to 2^-32 of a
 * weight. Without: Efraimidis and Spirakis (Weighted random sampling with a reservoir, 2006).
 * GND_ERR_ARG: no elements, too few elements without replacement, or invalid weights;
 * GND_ERR_SHAPE: the number of weights differs from the number of elements. */
GND_API gnd_array *gnd_rng_choice(gnd_rng *g, gnd_device *dev, gnd_array *a, int ndim,
                                  const int64_t *shape, int replace, gnd_array *p);

#ifdef __cplusplus
}
#endif
#endif
