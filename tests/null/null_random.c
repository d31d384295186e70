/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_random.c - the functions of gnd/random.h on the null device: wrong arguments give the errors
 * that the header promises, shapes and dtypes are right, each call counts once, and whichever
 * allocation fails on the way, none crashes or loses memory.
 */
#include <math.h>
#include <string.h>

#include <gnd.h>
#include "base/mem.h"
#include "expect.h"
#include "tap.h"

#define D GND_DTYPE_DEFAULT

static gnd_device *dev, *dev32;
static gnd_rng g;

#define IS(call, t, ...) expect_array(call, t, __VA_ARGS__, #call)

static void errors(void)
{
    gnd_array *one = gnd_int(1), *less = gnd_int(-1), *half = gnd_real(0.5),
              *three = gnd_ones(dev, GND_FLOAT32, DIM(3));
    gnd_array *z = gnd_ones(dev, GND_COMPLEX64, DIM(2)),
              *far = gnd_ones(dev32, GND_FLOAT32, DIM(3));
    gnd_array *m = gnd_ones(dev, GND_FLOAT32, DIM(3, 3)), *mine = gnd_fail(GND_ERR_IO, "my own");
    FAILS(gnd_rng_random(NULL, dev, D, DIM(2)), GND_ERR_NULL, "rng_random: g is NULL");
    FAILS(gnd_rng_random(&g, NULL, D, DIM(2)), GND_ERR_NULL, "rng_random");
    FAILS(gnd_rng_random(&g, dev, D, DIM(2, -1)), GND_ERR_SHAPE, "rng_random");
    FAILS(gnd_rng_random(&g, dev, GND_INT32, DIM(2)), GND_ERR_DTYPE,
          "rng_random: dtype int32: it must be a float");
    FAILS(gnd_rng_random(&g, dev, GND_COMPLEX64, DIM(2)), GND_ERR_DTYPE, "it must be a float");
    FAILS(gnd_rng_random(&g, dev32, GND_FLOAT64, DIM(2)), GND_ERR_UNSUPPORTED, "rng_random");
    FAILS(gnd_rng_normal(&g, dev, D, DIM(2), one, less), GND_ERR_ARG,
          "rng_normal: scale is -1: it must be 0 or more");
    FAILS(gnd_rng_normal(&g, dev, D, DIM(2), NULL, one), GND_ERR_NULL, "loc is NULL");
    FAILS(gnd_rng_normal(&g, dev, D, DIM(2), mine, one), GND_ERR_IO, "my own");
    FAILS(gnd_rng_normal(&g, dev, D, DIM(2), three, one), GND_ERR_SHAPE,
          "rng_normal: parameters of shape (3,) do not broadcast to (2,)");
    FAILS(gnd_rng_normal(&g, dev, D, DIM(3), far, one), GND_ERR_DEVICE,
          "rng_normal: a parameter is on");
    FAILS(gnd_rng_normal(&g, dev, D, DIM(2), z, one), GND_ERR_DTYPE, "loc is complex");
    FAILS(gnd_rng_gamma(&g, dev, D, DIM(2), less, one), GND_ERR_ARG,
          "a is -1: it must be 0 or more");
    FAILS(gnd_rng_beta(&g, dev, D, DIM(2), one, gnd_int(0)), GND_ERR_ARG,
          "b is 0: it must be more than 0");
    FAILS(gnd_rng_chisquare(&g, dev, D, DIM(2), less), GND_ERR_ARG, "df is -1");
    FAILS(gnd_rng_poisson(&g, dev, D, DIM(2), gnd_real(1e19)), GND_ERR_ARG,
          "lam is 1e+19: it must be at most");
    FAILS(gnd_rng_zipf(&g, dev, D, DIM(2), one), GND_ERR_ARG, "a is 1: it must be more than 1");
    FAILS(gnd_rng_hypergeometric(&g, dev, D, DIM(2), one, one, gnd_int(3)), GND_ERR_ARG,
          "nsample is 3: it must be at most ngood + nbad, 1 + 1");
    FAILS(gnd_rng_vonmises(&g, dev, D, DIM(2), one, gnd_real(-1)), GND_ERR_ARG, "kappa is -1");
    FAILS(gnd_rng_poisson(&g, dev, D, DIM(2), gnd_real(NAN)), GND_ERR_ARG, "lam is nan");
    FAILS(gnd_rng_poisson(&g, dev, GND_BOOL, DIM(2), one), GND_ERR_DTYPE,
          "it must be an int or a float");
    FAILS(gnd_rng_binomial(&g, dev, D, DIM(2), one, gnd_real(1.5)), GND_ERR_ARG,
          "p is 1.5: it must be in 0 .. 1");
    FAILS(gnd_rng_binomial(&g, dev, D, DIM(2), gnd_real(2.5), one), GND_ERR_ARG,
          "n is 2.5: it must be a whole number");
    FAILS(gnd_rng_uniform(&g, dev, GND_FLOAT32, DIM(2), gnd_real(-2e38), gnd_real(2e38)),
          GND_ERR_ARG, "low -2e+38 and high 2e+38: their difference is not a finite float32");
    FAILS(gnd_rng_uniform(&g, dev, D, DIM(2), gnd_real(NAN), one), GND_ERR_ARG,
          "low nan and high 1: their difference");
    FAILS(gnd_rng_geometric(&g, dev, D, DIM(2), gnd_int(0)), GND_ERR_ARG,
          "p is 0: it must be more than 0 and at most 1");
    FAILS(gnd_rng_integers(&g, dev, D, DIM(2), one, one, 0), GND_ERR_ARG,
          "low 1 and high 1: nothing lies between");
    FAILS(gnd_rng_integers(&g, dev, GND_INT8, DIM(2), one, gnd_int(129), 0), GND_ERR_OVERFLOW,
          "1 .. 128 does not fit int8");
    FAILS(gnd_rng_integers(&g, dev, GND_UINT8, DIM(2), less, one, 0), GND_ERR_OVERFLOW,
          "does not fit uint8");
    FAILS(gnd_rng_integers(&g, dev, GND_FLOAT32, DIM(2), NULL, one, 0), GND_ERR_DTYPE,
          "it must be an int or bool");
    FAILS(gnd_rng_integers(&g, dev, D, DIM(2), half, one, 0), GND_ERR_DTYPE,
          "low is a float scalar");
    FAILS(gnd_rng_integers(&g, dev, D, DIM(3), three, one, 0), GND_ERR_DTYPE, "low is float32");
    FAILS(gnd_rng_multinomial(&g, dev, D, DIM(2), one, half), GND_ERR_DEVICE, "rng_multinomial: p");
    FAILS(gnd_rng_multinomial(&g, dev, D, DIM(2), less, three), GND_ERR_ARG, "n is -1");
    FAILS(gnd_rng_dirichlet(&g, dev, D, DIM(2), gnd_zeros(dev, GND_FLOAT32, DIM(2, 0))),
          GND_ERR_SHAPE, "alpha has shape (2, 0)");
    FAILS(gnd_rng_multivariate_normal(&g, dev, D, DIM(2), three, three, GND_ROOT_SVD),
          GND_ERR_SHAPE, "mean (3,) and cov (3,): (k,) and (k, k) are needed");
    FAILS(gnd_rng_permutation(&g, dev, -1), GND_ERR_ARG, "n is -1");
    FAILS(gnd_rng_shuffle(&g, m, 2), GND_ERR_AXIS, "rng_shuffle: axis 2");
    FAILS(gnd_rng_permuted(&g, one, 0), GND_ERR_DEVICE, "rng_permuted: x is a scalar");
    FAILS(gnd_rng_choice(&g, dev, gnd_int(0), DIM(2), 1, NULL), GND_ERR_ARG,
          "nothing to choose from");
    FAILS(gnd_rng_choice(&g, dev, gnd_int(3), DIM(2, 2), 0, NULL), GND_ERR_ARG,
          "4 of 3 elements without replacement");
    FAILS(gnd_rng_choice(&g, dev, half, DIM(2), 1, NULL), GND_ERR_DTYPE, "a is a float scalar");
    FAILS(gnd_rng_choice(&g, dev, gnd_int(4), DIM(2), 1, three), GND_ERR_SHAPE,
          "p has shape (3,) for 4 elements");
    FAILS(gnd_rng_choice(&g, dev, gnd_int(3), DIM(2), 1, far), GND_ERR_DEVICE, "p is on");
    FAILS(gnd_rng_choice(&g, dev, gnd_ones(dev, D, 0, NULL), DIM(2), 1, NULL), GND_ERR_SHAPE,
          "a has no axis");
}

static void shapes(void)
{
    gnd_array *v = gnd_ones(dev, GND_FLOAT32, DIM(4)), *c = gnd_ones(dev, GND_FLOAT32, DIM(3, 1));
    gnd_array *m = gnd_ones(dev, GND_INT16, DIM(5, 3)), *one = gnd_int(1);
    gnd_rng h = g;
    IS(gnd_rng_random(&h, dev, D, DIM(2, 3)), GND_FLOAT64, DIM(2, 3));
    IS(gnd_rng_random(&h, dev32, D, DIM(2, 3)), GND_FLOAT32, DIM(2, 3));
    IS(gnd_rng_normal(&h, dev, GND_FLOAT16, -1, NULL, v, c), GND_FLOAT16, DIM(3, 4));
    IS(gnd_rng_normal(&h, NULL, GND_FLOAT32, DIM(2, 3, 4), v, c), GND_FLOAT32, DIM(2, 3, 4));
    IS(gnd_rng_poisson(&h, dev, D, -1, NULL, one), GND_INT64, 0, NULL);
    IS(gnd_rng_poisson(&h, dev, GND_UINT8, DIM(2), one), GND_UINT8, DIM(2));
    IS(gnd_rng_integers(&h, dev, GND_BOOL, DIM(7), NULL, NULL, 0), GND_BOOL, DIM(7));
    IS(gnd_rng_multinomial(&h, dev, D, DIM(2), one, v), GND_INT64, DIM(2, 4));
    IS(gnd_rng_multivariate_hypergeometric(&h, dev, D, DIM(2), v, one), GND_INT64, DIM(2, 4));
    IS(gnd_rng_hypergeometric(&h, dev, D, -1, NULL, v, one, c), GND_INT64, DIM(3, 4));
    IS(gnd_rng_dirichlet(&h, dev, GND_FLOAT32, DIM(2), v), GND_FLOAT32, DIM(2, 4));
    IS(gnd_rng_dirichlet(&h, dev, GND_FLOAT32, -1, NULL, v), GND_FLOAT32, DIM(4));
    IS(gnd_rng_permutation(&h, dev, 0), GND_INT64, DIM(0));
    IS(gnd_rng_shuffle(&h, m, -1), GND_INT16, DIM(5, 3));
    IS(gnd_rng_permuted(&h, m, 0), GND_INT16, DIM(5, 3));
    IS(gnd_rng_choice(&h, NULL, m, DIM(2, 2), 1, NULL), GND_INT16, DIM(2, 2, 3));
    IS(gnd_rng_choice(&h, dev, gnd_int(9), DIM(2), 0, NULL), GND_INT64, DIM(2));
    tap_is_int(h.calls - g.calls, 17, "each counts one call");
    gnd_rng_random(&h, dev, GND_INT8, DIM(2));
    gnd_rng_shuffle(&h, m, 9);
    gnd_rng_dirichlet(&h, dev, D, DIM(2), one);
    tap_is_int(h.calls - g.calls, 20, "failing ones too");
}

/* Outside of scopes: what is given stays the caller's, and nothing but the result is left. */
static void owners(void)
{
    gnd_array *v = gnd_ones(dev, GND_FLOAT32, DIM(4)), *one = gnd_int(1),
              *m = gnd_ones(dev, GND_FLOAT32, DIM(4, 4));
    gnd_rng h = g;
    gnd_stats before, after;
    gnd_eval_all(2, (gnd_array *[]){v, m});
    gnd_device_stats(dev, &before);
    gnd_release(gnd_rng_multinomial(&h, dev, D, DIM(2), one, v));
    gnd_release(gnd_rng_dirichlet(&h, dev, D, DIM(2), v));
    gnd_release(gnd_rng_multivariate_normal(&h, dev, D, DIM(2), v, m, GND_ROOT_CHOLESKY));
    gnd_release(gnd_rng_beta(&h, dev, D, DIM(4), v, v));
    gnd_release(gnd_rng_choice(&h, dev, m, DIM(2), 1, v));
    gnd_device_stats(dev, &after);
    tap_is_int((long long)(after.arrays - before.arrays), 0, "arguments stay, and nothing else");
    gnd_release(v);
    gnd_release(one);
    gnd_release(m);
    gnd_device_stats(dev, &after);
    tap_is_int((long long)(before.arrays - after.arrays), 2, "arguments are the caller's");
}

/* Everything once; 1 when some of it failed for want of memory, -1 when otherwise. */
static int everything(void)
{
    gnd_array *v = gnd_ones(dev, GND_FLOAT32, DIM(4)), *m = gnd_ones(dev, GND_FLOAT32, DIM(5, 4));
    gnd_array *one = gnd_int(1), *half = gnd_real(0.5);
    gnd_rng h = g;
    gnd_array *all[] = {gnd_rng_uniform(&h, dev, D, DIM(4), v, one),
                        gnd_rng_lognormal(&h, dev, D, DIM(4), one, v),
                        gnd_rng_beta(&h, dev, D, DIM(4), v, half),
                        gnd_rng_standard_t(&h, dev, D, DIM(4), one),
                        gnd_rng_binomial(&h, dev, D, DIM(4), v, half),
                        gnd_rng_integers(&h, dev, D, DIM(2), one, gnd_int(5), 1),
                        gnd_rng_dirichlet(&h, dev, D, DIM(2), v),
                        gnd_rng_permutation(&h, dev, 6),
                        gnd_rng_permuted(&h, m, 1),
                        gnd_rng_shuffle(&h, m, 0),
                        gnd_rng_choice(&h, dev, m, DIM(2), 0, NULL)};
    int r = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        gnd_status st = gnd_status_of(all[i]);
        if (st)
            r = st == GND_ERR_NOMEM && r >= 0 ? 1 : -1;
    }
    return r;
}

static void memory(void)
{
    int bad = 0, lost = 0, k = 1;
    gnd_scope_begin();
    everything(); /* the device's tables grow once */
    gnd_scope_end();
    for (int r = 1; r && k < 4000; k++) {
        long live = gnd__mem_live();
        gnd_scope_begin();
        gnd__mem_fail_at(k);
        r = everything();
        gnd__mem_fail_at(0);
        gnd_scope_end();
        bad += r < 0;
        lost += gnd__mem_live() != live;
    }
    tap_is_int(bad, 0, "every one of %d allocations failing is an error of memory", k);
    tap_is_int(lost, 0, "and nothing stays behind");
}

int main(void)
{
    dev = gnd_open("null:0");
    dev32 = gnd_open("null:1");
    g = gnd_rng_seed(1);
    gnd_scope_begin();
    errors();
    shapes();
    gnd_scope_end();
    owners();
    memory();
    gnd_close(dev);
    gnd_close(dev32);
    return tap_done();
}
