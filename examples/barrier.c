/* SPDX-License-Identifier: BSD-3-Clause
 *
 * barrier [N [TIMES]] - the price of a call that is void once its share falls to a barrier, as the
 * mean over N paths (200,000) of 16 steps. Between two steps a path is a bridge, which stays above
 * the barrier with a known probability: so few steps are exact, and the price by theory is within
 * the error. TIMES > 1: how long it takes, too.
 */
#include "share.h"
#include <math.h>

enum { STEPS = 16 };
static const double spot = 100, strike = 105, barrier = 90, interest = 0.03, volatility = 0.25,
                    years = 1;

typedef struct market {
    gnd_device *dev;
    int64_t paths;
    double price, error;
    gnd_status status;
} market;

static void simulate(void *arg)
{
    market *m = arg;
    const double dt = years / STEPS, variance = volatility * volatility * dt;
    gnd_scope_begin();
    gnd_rng rng = gnd_rng_seed(2026);
    gnd_array *z =
        gnd_rng_standard_normal(&rng, m->dev, GND_FLOAT32, 2, (int64_t[]){m->paths, STEPS});
    /* Logarithms of the share over the barrier. */
    gnd_array *moves = gnd_add_f(gnd_mul_f(z, sqrt(variance)), interest * dt - variance / 2);
    gnd_array *after =
        gnd_add_f(gnd_cumulative_sum(moves, GND_AXIS(1), 0, GND_FLOAT32), log(spot / barrier));
    gnd_array *before = gnd_sub(after, moves);
    gnd_array *above = gnd_mul(gnd_maximum(before, gnd_real(0)), gnd_maximum(after, gnd_real(0)));
    gnd_array *alive =
        gnd_prod(gnd_negative(gnd_expm1(gnd_mul_f(above, -2 / variance))), GND_AXIS(1), 0);
    gnd_array *last = gnd_mul_f(gnd_exp(gnd_at(after, ":, -1")), barrier);
    gnd_array *paid = gnd_mul(gnd_maximum(gnd_sub_f(last, strike), gnd_real(0)), alive);
    gnd_array *worth = gnd_mul_f(paid, exp(-interest * years));
    gnd_array *found[] = {gnd_mean(worth, GND_ALL, 0), gnd_std(worth, GND_ALL, 0, 1)};
    m->status = gnd_eval_all(2, found);
    m->price = gnd_item_f64(found[0], &m->status);
    m->error = gnd_item_f64(found[1], &m->status) / sqrt((double)m->paths);
    gnd_scope_end();
}

/* A call without a barrier (Black and Scholes). */
static double call(double s)
{
    const double deviation = volatility * sqrt(years);
    const double d = (log(s / strike) + interest * years) / deviation;
    return 0.5 * (s * erfc(-(d + deviation / 2) / sqrt(2)) -
                  strike * exp(-interest * years) * erfc(-(d - deviation / 2) / sqrt(2)));
}

int main(int argc, char **argv)
{
    gnd_scope_begin();
    market m = {gnd_open(NULL), argc > 1 ? atoll(argv[1]) : 200000, 0, 0, GND_OK};
    repeat(argc > 2 ? atoi(argv[2]) : 1, simulate, &m);
    /* Less the call that starts at the barrier's mirror image. */
    const double mirror = pow(barrier / spot, 2 * interest / (volatility * volatility) - 1);
    const double theory = call(spot) - mirror * call(barrier * barrier / spot);
    if (m.status == GND_OK)
        printf("barrier: %lld paths on %s; price %.7g, standard error %.4g, by theory %.10g\n",
               (long long)m.paths, gnd_device_id(m.dev), m.price, m.error, theory);
    else
        fprintf(stderr, "barrier: %s\n", gnd_message());
    gnd_scope_end();
    gnd_close(m.dev);
    return m.status != GND_OK;
}
