/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nbody [DEVICE [BODIES [STEPS]]] - a cluster of bodies under their own gravity, by the leapfrog
 * method, in C++: all pairs in one kernel a step. Prints the energy before and after, which should
 * be the same.
 *
 *     c++ -std=c++17 -O2 nbody.cc $(pkg-config --cflags --libs gnd) -o nbody
 */
#include <gnd.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

static const double soft2 = 0.01; // the softening length, squared

struct cluster {
    gnd::array x, v, m; // places and velocities (n, 3), masses (n,)
};

/* x[j] - x[i] for all pairs, (n, n, 3), and the softened distances, (n, n). */
static gnd::array distances(const gnd::array &x)
{
    return x[{gnd::newaxis, gnd::slice()}] - x[{gnd::slice(), gnd::newaxis}];
}

static gnd::array acceleration(const cluster &c)
{
    const gnd::array d = distances(c.x);
    const gnd::array r2 = gnd::sum(d * d, GND_AXIS(2)) + soft2;
    const gnd::array w = c.m / (r2 * gnd::sqrt(r2));
    return gnd::sum(w[{gnd::slice(), gnd::slice(), gnd::newaxis}] * d, GND_AXIS(1));
}

static double energy(const cluster &c)
{
    const gnd::array d = distances(c.x);
    const gnd::array r = gnd::sqrt(gnd::sum(d * d, GND_AXIS(2)) + soft2);
    const gnd::array kinetic = 0.5 * gnd::sum(c.m * gnd::sum(c.v * c.v, GND_AXIS(1)));
    const gnd::array pairs = c.m[{gnd::slice(), gnd::newaxis}] * c.m / r;
    const gnd::array itself = c.m * c.m / std::sqrt(soft2); // i = j is no pair
    return (kinetic - 0.5 * (gnd::sum(pairs) - gnd::sum(itself))).item<double>();
}

/* Bodies in a ball, at rest, without a random number, so that every program has the same ones. */
static cluster made(gnd_device *dev, long n)
{
    std::vector<double> x;
    for (long i = 0; i < n; i++) {
        const double u = (i + 0.5) / n, turn = 2.399963229728653 * i,
                     r = std::cbrt(std::fmod(i * 0.618033988749895, 1.0));
        x.push_back(r * std::sqrt(1 - (2 * u - 1) * (2 * u - 1)) * std::cos(turn));
        x.push_back(r * std::sqrt(1 - (2 * u - 1) * (2 * u - 1)) * std::sin(turn));
        x.push_back(r * (2 * u - 1));
    }
    const gnd_dtype t = gnd_default_float(dev);
    return {gnd::from(dev, x, {n, 3}).astype(t), gnd::zeros(dev, t, {n, 3}),
            gnd::ones(dev, t, {n}) / n};
}

int main(int argc, char **argv)
try {
    gnd::device dev(argc > 1 ? argv[1] : nullptr);
    const long n = argc > 2 ? std::atol(argv[2]) : 512, steps = argc > 3 ? std::atol(argv[3]) : 50;
    const double dt = 0.01;
    cluster c = made(dev, n);
    const double before = energy(c);
    gnd::array a = acceleration(c);
    for (long i = 0; i < steps; i++) {
        c.v += 0.5 * dt * a;
        c.x += dt * c.v;
        a = acceleration(c);
        c.v += 0.5 * dt * a;
        gnd_array *now[] = {c.x, c.v, a};
        gnd_eval_all(3, now); // queues this step; nothing waits
    }
    const double after = energy(c);
    std::printf("%ld bodies, %ld steps on %s: energy %.9g before, %.9g after, radius %.9g\n", n,
                steps, dev.id(), before, after,
                gnd::sqrt(gnd::mean(gnd::sum(c.x * c.x, GND_AXIS(1)))).item<double>());
    return std::fabs(after - before) < 1e-3 * std::fabs(before) ? 0 : 1;
} catch (const gnd::error &e) {
    std::fprintf(stderr, "nbody: %s\n", e.what());
    return 2;
}
