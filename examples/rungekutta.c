/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rungekutta - 1000 pendulums of all swings by the classical method of Runge and Kutta, 10,000
 * steps on the device (gnd_scan), of which every step leaves the angle of one and the energy's
 * drift: a pendulum's energy stays.
 */
#include <gnd.h>
#include <math.h>

enum { PENDULUMS = 1000, STEPS = 10000 };
static const double dt = 0.002;

/* u' of u = (angles, speeds). */
static gnd_array *slope(gnd_array *u)
{
    gnd_array *row[2] = {gnd_at(u, "1"), gnd_negative(gnd_sin(gnd_at(u, "0")))};
    return gnd_stack(2, row, 0);
}

static gnd_array *along(gnd_array *u, gnd_array *k, double h)
{
    return gnd_add(u, gnd_mul(k, gnd_real(h)));
}

static gnd_array *energy(gnd_array *u)
{
    return gnd_sub(gnd_mul(gnd_square(gnd_at(u, "1")), gnd_real(0.5)), gnd_cos(gnd_at(u, "0")));
}

/* The state: u, and the energies in the beginning. */
static void step(gnd_array *const *s, gnd_array *const *x, gnd_array **next, gnd_array **y,
                 void *arg)
{
    (void)x, (void)arg;
    gnd_array *u = s[0], *k1 = slope(u), *k2 = slope(along(u, k1, dt / 2)),
              *k3 = slope(along(u, k2, dt / 2)), *k4 = slope(along(u, k3, dt));
    gnd_array *sum = gnd_add(gnd_add(k1, k4), gnd_mul(gnd_add(k2, k3), gnd_real(2)));
    next[0] = along(u, sum, dt / 6);
    next[1] = s[1];
    y[0] = gnd_at(next[0], "0, 99");
    y[1] = gnd_max(gnd_abs(gnd_sub(energy(next[0]), s[1])), GND_ALL, 0);
}

int main(void)
{
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    gnd_dtype t = gnd_default_float(dev);
    /* Pendulum i is let go at (i + 1) / 1000 of 3 rad. */
    gnd_array *angle =
        gnd_mul(gnd_arange_i64(dev, 1, PENDULUMS + 1, 1, t), gnd_real(3.0 / PENDULUMS));
    gnd_array *row[2] = {angle, gnd_zeros_like(angle, GND_DTYPE_DEFAULT)},
              *u = gnd_stack(2, row, 0);
    gnd_array *out[2], *ys[2];
    gnd_status s =
        gnd_scan(2, (gnd_array *[]){u, energy(u)}, 0, NULL, STEPS, 0, 2, step, NULL, out, ys);
    double drift = gnd_item_f64(gnd_max(ys[1], GND_ALL, 0), &s);
    /* Pendulum 99 swings by 0.3 rad: its period is 2 pi / agm(1, cos(0.15)). Its quarter of a
     * period is where its angle first is below 0. */
    double first =
        (double)gnd_item_i64(gnd_argmax(gnd_less(ys[0], gnd_real(0)), GND_ALL, 0), NULL) * dt;
    double a = 1, b = cos(0.15);
    for (int i = 0; i < 5; i++) {
        double m = (a + b) / 2;
        b = sqrt(a * b);
        a = m;
    }
    if (s == GND_OK)
        printf(
            "rungekutta: %d steps on %s; energies drift by %.1e, a quarter swing takes %.3f, by theory %.3f\n",
            STEPS, gnd_device_id(dev), drift, first + dt / 2, GND_PI / 2 / a);
    else
        fprintf(stderr, "rungekutta: %s\n", gnd_message());
    gnd_scope_end();
    gnd_close(dev);
    return s != GND_OK;
}
