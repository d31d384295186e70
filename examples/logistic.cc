/* SPDX-License-Identifier: BSD-3-Clause
 *
 * logistic [DEVICE [ROWS [TIMES]]] - logistic regression by Newton's method, in C++: which rows of
 * a table belong to class 1. TIMES: how often, for who wants to time it.
 *
 *     c++ -std=c++17 -O2 logistic.cc $(pkg-config --cflags --libs gnd) -o logistic
 */
#include <gnd.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv)
try {
    gnd::device dev(argc > 1 ? argv[1] : nullptr);
    const int64_t n = argc > 2 ? std::atol(argv[2]) : 5000, k = 4;
    const gnd_dtype t = gnd_default_float(dev);

    /* A table of quasi-random numbers, and classes that a line and some disorder decide. */
    const gnd::array i = gnd_arange_i64(dev, 1, n + 1, 1, t);
    const gnd::array seeds =
        gnd::from(dev, {0.618033988749895, 0.754877666246693, 0.819172513396164}).astype(t);
    const gnd::array u = i[{gnd::slice(), gnd::newaxis}] * seeds % 1.0 - 0.5;
    const gnd::array x = gnd::concat({gnd::ones(dev, t, {n, 1}), u}, 1);
    const gnd::array y =
        (gnd::matmul(u, gnd::from(dev, {3.0, -2.0, 1.0}).astype(t)) + 0.25 > gnd::sin(i)).astype(t);

    gnd::array w;
    int rounds = 0;
    for (long times = argc > 3 ? std::atol(argv[3]) : 1; times > 0; times--) {
        w = gnd::zeros(dev, t, {k});
        rounds = 0;
        for (double step = 1; step > 1e-6 && rounds < 50; rounds++) {
            const gnd::array p = 1 / (1 + gnd::exp(-gnd::matmul(x, w)));
            const gnd::array weighted = x * (p * (1 - p))[{gnd::slice(), gnd::newaxis}];
            const gnd::array change =
                gnd::solve(gnd::matmul(weighted.T(), x), gnd::matmul(x.T(), y - p));
            w += change;
            step = gnd::max(gnd::abs(change)).item<double>();
        }
    }
    const gnd::array p = 1 / (1 + gnd::exp(-gnd::matmul(x, w)));
    const double right = gnd::mean(((p > 0.5) == (y > 0.5)).astype(t)).item<double>();
    const std::vector<double> v = w.to_vector<double>();
    std::printf("%lld rows on %s: weights %.6f %.6f %.6f %.6f after %d rounds, %.2f%% right\n",
                static_cast<long long>(n), dev.id(), v[0], v[1], v[2], v[3], rounds, 100 * right);
    return right > 0.7 ? 0 : 1;
} catch (const gnd::error &e) {
    std::fprintf(stderr, "logistic: %s\n", e.what());
    return 2;
}
