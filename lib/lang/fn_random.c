/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_random.c - the language's random numbers: handlers of funcs.def. A program has one
 * generator, from which each call draws; its seed is 0 until seed(n). The argument seed= makes a
 * generator for one call, and default_rng(n) makes a generator with methods (lang/call.c). So a
 * program gives the same results in every run. The signatures are those of NumPy's Generator.
 */
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/random.h>
#include <gnd/view.h>
#include "lang/call.h"

/* What all functions of random numbers need. */
typedef struct random {
    gnd_rng own, *g;
    gnd_device *dev;
    gnd_dtype t;
    int ndim; /* -1: the shape follows from the parameters */
    int64_t shape[GND_MAX_NDIM];
} random_call;

/* Chooses the generator: the one of the argument seed=, or the program's. */
static int generator(gnd__args *c, int seed, random_call *r)
{
    int64_t v;
    r->g = &c->x->rng;
    if (!gnd__arg_given(c, seed))
        return 0;
    if (gnd__arg_int(c, seed, &v))
        return -1;
    r->own = gnd_rng_seed((uint64_t)v);
    r->g = &r->own;
    return 0;
}

/* Reads the arguments size, dtype and seed, given by their positions; -1: the function does not
 * have the argument. */
static int common(gnd__args *c, int size, int dtype, int seed, random_call *r)
{
    r->t = GND_DTYPE_DEFAULT;
    if (size >= 0) {
        r->ndim = -1;
        if (gnd__arg_given(c, size) && gnd__arg_ints(c, size, r->shape, GND_MAX_NDIM, &r->ndim))
            return -1;
    }
    return (dtype >= 0 && gnd__arg_dtype(c, dtype, &r->t)) || generator(c, seed, r) ||
                   gnd__arg_device(c, &r->dev)
               ? -1
               : 0;
}

/* Reads a parameter of the distribution that has a default. */
static gnd_array *with_default(gnd__args *c, int i, double value)
{
    if (!gnd__arg_given(c, i))
        c->arg[i].v = gnd__val_float(value);
    /* lists become arrays of the device, numbers stay weak scalars */
    return gnd__arg_array(c, i);
}

int gnd__fn_seed(gnd__args *c)
{
    int64_t v;
    if (gnd__arg_int(c, 0, &v))
        return -1;
    c->x->rng = gnd_rng_seed((uint64_t)v);
    *c->out = (gnd__val){.kind = GND__V_NONE};
    return 0;
}

/* --- without parameters ----------------------------------------------------------------------- */

typedef gnd_array *make0(gnd_rng *, gnd_device *, gnd_dtype, int, const int64_t *);

static int plain(gnd__args *c, make0 *make)
{
    random_call r;
    return common(c, 0, 1, 2, &r) ? -1 : gnd__ret(c, make(r.g, r.dev, r.t, r.ndim, r.shape));
}

int gnd__fn_random(gnd__args *c)
{
    return plain(c, gnd_rng_random);
}
int gnd__fn_standard_normal(gnd__args *c)
{
    return plain(c, gnd_rng_standard_normal);
}

static gnd_array *unscaled_exponential(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                       const int64_t *shape)
{
    gnd_array *one = gnd_int(1), *y = gnd_rng_exponential(g, dev, t, ndim, shape, one);
    gnd_release(one);
    return y;
}

int gnd__fn_standard_exponential(gnd__args *c)
{
    return plain(c, unscaled_exponential);
}
int gnd__fn_standard_cauchy(gnd__args *c)
{
    return plain(c, gnd_rng_standard_cauchy);
}

/* rand(2, 3): the extents are the arguments. */
static int plain_rest(gnd__args *c, make0 *make)
{
    random_call r;
    if (gnd__rest_ints(c, r.shape, GND_MAX_NDIM, &r.ndim))
        return -1;
    return common(c, -1, 1, 2, &r) ? -1 : gnd__ret(c, make(r.g, r.dev, r.t, r.ndim, r.shape));
}

int gnd__fn_rand(gnd__args *c)
{
    return plain_rest(c, gnd_rng_random);
}
int gnd__fn_randn(gnd__args *c)
{
    return plain_rest(c, gnd_rng_standard_normal);
}

/* --- of one and of two ------------------------------------------------------------------------ */

typedef gnd_array *make1(gnd_rng *, gnd_device *, gnd_dtype, int, const int64_t *, gnd_array *);
typedef gnd_array *make2(gnd_rng *, gnd_device *, gnd_dtype, int, const int64_t *, gnd_array *,
                         gnd_array *);

static int of_one(gnd__args *c, make1 *make, double a)
{
    random_call r;
    gnd_array *x = with_default(c, 0, a);
    if (!x || common(c, 1, 2, 3, &r))
        return -1;
    return gnd__ret(c, make(r.g, r.dev, r.t, r.ndim, r.shape, x));
}

static int of_two(gnd__args *c, make2 *make, double a, double b)
{
    random_call r;
    gnd_array *x = with_default(c, 0, a), *y = x ? with_default(c, 1, b) : NULL;
    if (!y || common(c, 2, 3, 4, &r))
        return -1;
    return gnd__ret(c, make(r.g, r.dev, r.t, r.ndim, r.shape, x, y));
}

typedef gnd_array *make3(gnd_rng *, gnd_device *, gnd_dtype, int, const int64_t *, gnd_array *,
                         gnd_array *, gnd_array *);

static int of_three(gnd__args *c, make3 *make)
{
    random_call r;
    gnd_array *x[3];
    for (int i = 0; i < 3; i++)
        if (!(x[i] = gnd__arg_array(c, i)))
            return -1;
    if (common(c, 3, 4, 5, &r))
        return -1;
    return gnd__ret(c, make(r.g, r.dev, r.t, r.ndim, r.shape, x[0], x[1], x[2]));
}

/* HANDLER(name, of, function, defaults of its parameters): the handler of a distribution. */
#define HANDLER(name, of, ...)                                                                     \
    int gnd__fn_##name(gnd__args *c)                                                               \
    {                                                                                              \
        return of(c, __VA_ARGS__);                                                                 \
    }
HANDLER(uniform, of_two, gnd_rng_uniform, 0, 1)
HANDLER(normal, of_two, gnd_rng_normal, 0, 1)
HANDLER(lognormal, of_two, gnd_rng_lognormal, 0, 1)
HANDLER(exponential, of_one, gnd_rng_exponential, 1)
HANDLER(random_gamma, of_two, gnd_rng_gamma, 1, 1)
HANDLER(beta, of_two, gnd_rng_beta, 1, 1)
HANDLER(chisquare, of_one, gnd_rng_chisquare, 1)
HANDLER(standard_t, of_one, gnd_rng_standard_t, 1)
HANDLER(laplace, of_two, gnd_rng_laplace, 0, 1)
HANDLER(logistic, of_two, gnd_rng_logistic, 0, 1)
HANDLER(poisson, of_one, gnd_rng_poisson, 1)
HANDLER(binomial, of_two, gnd_rng_binomial, 1, 1)
HANDLER(geometric, of_one, gnd_rng_geometric, 1)
HANDLER(gumbel, of_two, gnd_rng_gumbel, 0, 1)
HANDLER(weibull, of_one, gnd_rng_weibull, 1)
HANDLER(pareto, of_one, gnd_rng_pareto, 1)
HANDLER(random_power, of_one, gnd_rng_power, 1)
HANDLER(rayleigh, of_one, gnd_rng_rayleigh, 1)
HANDLER(wald, of_two, gnd_rng_wald, 1, 1)
HANDLER(random_f, of_two, gnd_rng_f, 1, 1)
HANDLER(noncentral_chisquare, of_two, gnd_rng_noncentral_chisquare, 1, 1)
HANDLER(negative_binomial, of_two, gnd_rng_negative_binomial, 1, 1)
HANDLER(logseries, of_one, gnd_rng_logseries, 1)
HANDLER(vonmises, of_two, gnd_rng_vonmises, 0, 1)
HANDLER(zipf, of_one, gnd_rng_zipf, 2)
HANDLER(hypergeometric, of_three, gnd_rng_hypergeometric)
HANDLER(triangular, of_three, gnd_rng_triangular)
HANDLER(noncentral_f, of_three, gnd_rng_noncentral_f)

static gnd_array *unscaled_gamma(gnd_rng *g, gnd_device *dev, gnd_dtype t, int ndim,
                                 const int64_t *shape, gnd_array *a)
{
    gnd_array *one = gnd_int(1), *y = gnd_rng_gamma(g, dev, t, ndim, shape, a, one);
    gnd_release(one);
    return y;
}

int gnd__fn_standard_gamma(gnd__args *c)
{
    return of_one(c, unscaled_gamma, 1);
}

int gnd__fn_integers(gnd__args *c)
{
    random_call r;
    int endpoint = 0;
    gnd_array *low = gnd__arg_array(c, 0), *high = NULL;
    if (!low || (gnd__arg_given(c, 1) && !(high = gnd__arg_array(c, 1))) ||
        (gnd__arg_given(c, 4) && gnd__arg_bool(c, 4, &endpoint)) || common(c, 2, 3, 5, &r))
        return -1;
    return gnd__ret(c, gnd_rng_integers(r.g, r.dev, r.t, r.ndim, r.shape, high ? low : NULL,
                                        high ? high : low, endpoint));
}

/* --- rows ------------------------------------------------------------------------------------- */

int gnd__fn_multinomial(gnd__args *c)
{
    random_call r;
    gnd_array *n = gnd__arg_array(c, 0), *p = n ? gnd__arg_strong(c, 1) : NULL;
    if (!p || common(c, 2, 3, 4, &r))
        return -1;
    return gnd__ret(c, gnd_rng_multinomial(r.g, r.dev, r.t, r.ndim, r.shape, n, p));
}

int gnd__fn_multivariate_hypergeometric(gnd__args *c)
{
    random_call r;
    gnd_array *colors = gnd__arg_strong(c, 0), *n = colors ? gnd__arg_array(c, 1) : NULL;
    if (!n || gnd__arg_word(c, 3, "marginals count", 0) < 0 || common(c, 2, 4, 5, &r))
        return -1;
    return gnd__ret(
        c, gnd_rng_multivariate_hypergeometric(r.g, r.dev, r.t, r.ndim, r.shape, colors, n));
}

int gnd__fn_dirichlet(gnd__args *c)
{
    random_call r;
    gnd_array *alpha = gnd__arg_strong(c, 0);
    if (!alpha || common(c, 1, 2, 3, &r))
        return -1;
    return gnd__ret(c, gnd_rng_dirichlet(r.g, r.dev, r.t, r.ndim, r.shape, alpha));
}

int gnd__fn_multivariate_normal(gnd__args *c)
{
    random_call r;
    gnd_array *mean = gnd__arg_strong(c, 0), *cov = mean ? gnd__arg_strong(c, 1) : NULL;
    int root = cov ? gnd__arg_word(c, 3, "svd eigh cholesky", GND_ROOT_SVD) : -1;
    if (root < 0 || common(c, 2, 4, 5, &r))
        return -1;
    return gnd__ret(c, gnd_rng_multivariate_normal(r.g, r.dev, r.t, r.ndim, r.shape, mean, cov,
                                                   (gnd_rng_root)root));
}

/* --- order ------------------------------------------------------------------------------------ */

int gnd__fn_choice(gnd__args *c)
{
    random_call r;
    int replace = 1;
    gnd_array *a = gnd__arg_array(c, 0), *p = NULL;
    if (!a || (gnd__arg_given(c, 2) && gnd__arg_bool(c, 2, &replace)) ||
        (gnd__arg_given(c, 3) && !(p = gnd__arg_strong(c, 3))) || common(c, 1, -1, 4, &r))
        return -1;
    return gnd__ret(c, gnd_rng_choice(r.g, r.dev, a, r.ndim, r.shape, replace, p));
}

int gnd__fn_shuffle(gnd__args *c)
{
    random_call r;
    int axis = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_axis(c, 1, &axis)) || generator(c, 2, &r))
        return -1;
    return gnd__ret(c, gnd_rng_shuffle(r.g, x, axis));
}

int gnd__fn_permutation(gnd__args *c)
{
    random_call r;
    int64_t n;
    if (!gnd__val_is_number(&c->arg[0].v))
        return gnd__fn_shuffle(c);
    if (gnd__arg_int(c, 0, &n) || common(c, -1, -1, 2, &r))
        return -1;
    return gnd__ret(c, gnd_rng_permutation(r.g, r.dev, n));
}

int gnd__fn_permuted(gnd__args *c)
{
    random_call r;
    int axis = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_axis(c, 1, &axis)) || generator(c, 2, &r))
        return -1;
    if (gnd__arg_given(c, 1))
        return gnd__ret(c, gnd_rng_permuted(r.g, x, axis));
    gnd_array *flat = gnd_reshape(x, 1, (const int64_t[]){-1}), *y = gnd_rng_permuted(r.g, flat, 0);
    gnd_array *z = gnd_reshape(y, gnd_ndim(x), gnd_shape(x));
    gnd_release(flat);
    gnd_release(y);
    return gnd__ret(c, z);
}
