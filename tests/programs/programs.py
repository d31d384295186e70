#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# programs.py [--times] - eight whole programs of examples/ beside NumPy: k-means, principal components, logistic
# regression, an image pipeline, the wave equation, a barrier option, PageRank and n bodies. Each makes its inputs by
# formulas, so that NumPy can make the same ones, here in float64; tolerances are those of float32, in which all but the
# C++ programs compute. --times: no test; how long each takes at larger sizes, beside NumPy in the same dtype, and
# beside the loops of bench/programs_c.
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

SRC, BUILD = os.environ['GND_SRCDIR'], os.environ['GND_BUILDDIR']
DEVICE = os.environ['GND_TEST_DEVICES'].split(',')[0]
FACTOR = (2654435769, 3242174889, 2447445413)
count = failed = 0


def ok(good, name, *said):
    global count, failed
    count += 1
    failed += not good
    print('ok' if good else 'not ok', count, '-', name)
    for line in said if not good else ():
        print('#', line)


# --- what the programs compute, in NumPy: each function gives a computation of no arguments ----------------------

def spread(i, k):
    return (i * FACTOR[k] & 0xffffffff) >> 8


def spread01(i, k, t):
    return ((spread(i, k) + 0.5) * 2.0**-24).astype(t)


def kmeans(n, t):
    turn = np.arange(6) * (2 * np.pi / 6)
    corners = np.stack([10 * np.cos(turn), 10 * np.sin(turn)], 1)
    i = np.arange(6 * n)
    towards, away = 2 * np.pi * spread01(i, 1, float), 2.5 * np.sqrt(-2 * np.log(spread01(i, 2, float)))
    points = (corners[i % 6] + np.stack([away * np.cos(towards), away * np.sin(towards)], 1)).astype(t)

    def nearest(c):
        return ((points[:, None] - c)**2).sum(2).argmin(1)

    def work():
        c = points[:6] * t(0.1)
        label, changed = nearest(c), True
        while changed:
            mine = (label[:, None] == np.arange(6)).astype(t)
            number = mine.sum(0)[:, None]
            c = np.where(number > 0, mine.T @ points / np.maximum(number, 1), c)
            old, label = label, nearest(c)
            changed = (old != label).any()
        return abs(c - corners).max(), ((points - c[label])**2).sum(1).mean()
    return work


def pca(n, t):
    i, j = np.arange(n), np.arange(16)
    rows = np.stack([(spread01(i, k, float) - 0.5) * (3 - k) for k in range(3)], 1)
    weights = np.cos(np.arange(1, 4)[:, None] * (j + 1.0))
    table = (rows @ weights + 0.1 * (spread01(16 * i[:, None] + j, 0, float) - 0.5)).astype(t)

    def work():
        x = table - table.mean(0)
        w, v = np.linalg.eigh(x.T @ x / t(n - 1))
        scores = x @ v[:, -3:]
        left = x - scores @ v[:, -3:].T
        return (*w[:-5:-1], abs(scores[:, -1]).max(), np.sqrt((left**2).mean()))
    return work


def logistic(n, t):
    i = np.arange(1, n + 1).astype(t)
    u = (i[:, None] * np.array([0.618033988749895, 0.754877666246693, 0.819172513396164], t)) % 1 - t(0.5)
    x = np.concatenate([np.ones((n, 1), t), u], 1)
    y = (u @ np.array([3, -2, 1], t) + t(0.25) > np.sin(i)).astype(t)

    def work():
        w, rounds, change = np.zeros(4, t), 0, np.ones(1)
        while abs(change).max() > 1e-6 and rounds < 50:
            p = 1 / (1 + np.exp(-(x @ w)))
            change = np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x, x.T @ (y - p))
            w = w + change
            rounds += 1
        return (*w, rounds, 100 * ((1 / (1 + np.exp(-(x @ w))) > 0.5) == (y > 0.5)).mean())
    return work


def image(n, t):
    i = np.arange(n)
    x = i / n
    waves = np.sin(17 * x) * np.cos(13 * x[:, None])
    disc = np.hypot(x - 0.6, x[:, None] - 0.4) < 0.25
    picture = (0.1 * waves + 0.2 + 0.4 * disc + 0.1 * (spread01(i[:, None] * n + i, 0, float) - 0.5)).astype(t)
    bell = np.exp(-0.125 * np.arange(-6, 7)**2)
    bell = (bell / bell.sum()).astype(t)

    def work():
        p = np.pad(picture, ((6, 6), (0, 0)), 'symmetric')
        p = np.pad(sum(bell[k] * p[k:k + n] for k in range(13)), ((0, 0), (6, 6)), 'symmetric')
        smooth = sum(bell[k] * p[:, k:k + n] for k in range(13))
        p = np.pad(smooth, 1, 'edge')
        steep = np.hypot(p[2:, 1:-1] - p[:-2, 1:-1], p[1:-1, 2:] - p[1:-1, :-2]) / 2
        level = np.clip(smooth * 256, 0, 255).astype(np.int32)
        upto = np.bincount(level.ravel(), minlength=256).cumsum().astype(t)
        even = (upto / upto[-1])[level]
        edge = steep > t(0.03)
        np.where(edge, t(1), even)
        return steep.max(), edge.mean(), even.mean(), even.std()
    return work


def wave(n, t):
    x = np.arange(1, n + 1) / (n + 1)
    start = np.exp(-200 * ((x - 0.4)**2 + ((x - 0.3)**2)[:, None])).astype(t)

    def work():
        before, u = start, start
        for _ in range(500):
            p = np.pad(u, 1)
            around = p[:-2, 1:-1] + p[2:, 1:-1] + (p[1:-1, :-2] + p[1:-1, 2:])
            before, u = u, 2 * u - before + t(0.25) * (around - 4 * u)
        return u[n // 2, n // 2], abs(u).max(), np.sqrt((u**2).mean())
    return work


def barrier(n, t):
    s, k, b, r, v, steps = 100, 105, 90, 0.03, 0.25, 16
    rng = np.random.default_rng(1)
    dt, var = 1 / steps, v * v / steps

    def work():
        moves = t(math.sqrt(var)) * rng.standard_normal((n, steps), t) + t(r * dt - var / 2)
        after = moves.cumsum(1) + t(math.log(s / b))
        above = np.maximum(after - moves, 0) * np.maximum(after, 0)
        alive = (-np.expm1(t(-2 / var) * above)).prod(1)
        worth = np.maximum(b * np.exp(after[:, -1]) - k, 0) * alive * t(math.exp(-r))
        return worth.mean(), worth.std(ddof=1) / math.sqrt(n)
    return work


def barrier_theory(s=100, k=105, b=90, r=0.03, v=0.25):
    def phi(x):
        return (1 + math.erf(x / math.sqrt(2))) / 2

    def call(s):
        d = (math.log(s / k) + r) / v
        return s * phi(d + v / 2) - k * math.exp(-r) * phi(d - v / 2)
    return call(s) - (b / s)**(2 * r / v**2 - 1) * call(b * b / s)


def pagerank(n, t):
    i = np.arange(8 * n)
    start = spread(i, 0) * (n - n // 10) >> 24
    end = (spread(i, 1)**2 >> 24) * n >> 24
    out = np.bincount(start, minlength=n).astype(t)

    def work():
        rank, steps, change = np.full(n, 1 / n, t), 0, 1
        while change > 1e-6:
            come = np.bincount(end, (rank / np.maximum(out, 1))[start], n).astype(t)
            new = t(0.85) * (come + rank[out == 0].sum() / t(n)) + t(0.15 / n)
            rank, steps, change = new, steps + 1, abs(new - rank).sum()
        return steps, rank.argmax(), rank.max(), rank.sum(), (rank**2).sum() * n
    return work


def nbody(n, steps, t):
    i = np.arange(n)
    u, turn, r = (i + 0.5) / n, 2.399963229728653 * i, np.cbrt(np.fmod(i * 0.618033988749895, 1))
    flat = np.sqrt(1 - (2 * u - 1)**2)
    start = np.stack([r * flat * np.cos(turn), r * flat * np.sin(turn), r * (2 * u - 1)], 1).astype(t)
    soft2, dt, m = 0.01, 0.01, 1 / n

    def apart(x):
        d = x - x[:, None]
        return d, (d * d).sum(2) + soft2

    def acceleration(x):
        d, r2 = apart(x)
        return ((m / (r2 * np.sqrt(r2)))[:, :, None] * d).sum(1)

    def energy(x, v):
        pairs = (m * m / np.sqrt(apart(x)[1])).sum() - n * m * m / math.sqrt(soft2)
        return 0.5 * m * (v * v).sum() - 0.5 * pairs

    def work():
        x, v = start.copy(), np.zeros_like(start)
        before, a = energy(x, v), acceleration(x)
        for _ in range(steps):
            v += 0.5 * dt * a
            x += dt * v
            a = acceleration(x)
            v += 0.5 * dt * a
        return before, energy(x, v), np.sqrt((x * x).sum(1).mean())
    return work


# --- running them ------------------------------------------------------------------------------------------------

NUMBER = r'(?<![\w.:])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w:])'


def run(name, *args):
    """The numbers that the program prints, and what it said."""
    cc = os.path.exists(name)
    env = dict(os.environ, GND_DEVICE=DEVICE)
    p = subprocess.run([name if cc else os.path.join(BUILD, 'examples', name), *([DEVICE] if cc else []),
                        *map(str, args)], env=env, capture_output=True, text=True)
    said = p.stdout.strip() + p.stderr.strip()
    return ([float(x) for x in re.findall(NUMBER, p.stdout)] if p.returncode == 0 else []), said


def compiled(name, folder):
    """The program of examples/NAME.cc, or None without a compiler for it."""
    sanitizers = os.environ.get('GND_TEST_SANITIZERS', 'no')
    flags = {'no': ['-O2'], 'yes': ['-O0', '-fsanitize=address,undefined']}.get(
        sanitizers, ['-O0', '-fsanitize=' + sanitizers])
    program = os.path.join(folder, name)
    subprocess.run([*os.environ['CXX'].split(), '-std=c++17', *flags, '-I' + BUILD + '/include',
                    '-I' + SRC + '/include', '-o', program, SRC + '/examples/' + name + '.cc',
                    '-L' + BUILD + '/lib/.libs', '-Wl,-rpath,' + BUILD + '/lib/.libs', '-lgnd'], check=True)
    return program


def compiler():
    p = subprocess.run([*os.environ['CXX'].split(), '-std=c++17', '-fsyntax-only', '-x', 'c++', '-'],
                       input='int main() {}', text=True, capture_output=True) if shutil.which(
                           os.environ['CXX'].split()[0]) else None
    return p is not None and p.returncode == 0


def compare(name, got, said, wanted):
    """wanted: for each number of the line its name, its value (None: any) and the tolerance, absolute."""
    ok(len(got) == len(wanted), name + ': its numbers', 'found %s in:' % got, said)
    if len(got) != len(wanted):
        return
    for g, (what, w, tolerance) in zip(got, wanted):
        if w is not None:
            ok(abs(g - w) <= tolerance, '%s: %s' % (name, what), '%.9g, NumPy has %.9g +- %.2g' % (g, w, tolerance),
               said)


def test():
    f = np.float64
    off, mean = kmeans(300, f)()
    compare('kmeans', *run('kmeans', 300), [
        ('steps', None, 0), ('centres', off, 2e-3), ('points elsewhere', 0, 0), ('mean square', mean, 1e-5 * mean)])
    v1, v2, v3, v4, extent, rms = pca(3000, f)()
    compare('pca', *run('pca', 3000), [
        ('rows', 3000, 0), ('first variance', v1, 1e-5), ('second variance', v2, 1e-5), ('third variance', v3, 1e-5),
        ('fourth variance', v4, 1e-5), ('extent', extent, 1e-4), ('rms', rms, 1e-5)])
    steepest, edges, even, deviation = image(150, f)()
    compare('image', *run('image', 150), [
        ('height', 150, 0), ('width', 150, 0), ('steepest', steepest, 1e-6), ('edges', edges, 1e-4),
        ('evened', even, 1e-4), ('deviation', deviation, 1e-4)])
    middle, height, rms = wave(60, f)()
    compare('wave', *run('wave', 60), [
        ('height', 60, 0), ('width', 60, 0), ('steps', 500, 0), ('middle', middle, 2e-5), ('largest', height, 2e-5),
        ('rms', rms, 1e-5)])
    theory, (price, error) = barrier_theory(), barrier(50000, f)()
    compare('barrier', *run('barrier', 50000), [
        ('paths', 50000, 0), ('price, within 4 standard errors', theory, 4 * error),
        ('standard error', error, 0.03 * error), ('theory', theory, 1e-8)])
    ok(abs(price - theory) < 4 * error, 'barrier: so is NumPy\'s', '%g, %g' % (price, theory))
    steps, page, first, total, squares = pagerank(3000, f)()
    compare('pagerank', *run('pagerank', 3000), [
        ('pages', 3000, 0), ('steps', steps, 1), ('first page', page, 0), ('its rank', first, 1e-5 * first),
        ('sum', total, 1e-5), ('squares', squares, 1e-5 * squares)])
    if not compiler():
        for name in 'logistic', 'nbody':
            ok(True, '%s # SKIP no C++17 compiler: %s' % (name, os.environ['CXX']))
        return
    with tempfile.TemporaryDirectory() as folder:
        *w, rounds, right = logistic(5000, f)()
        compare('logistic', *run(compiled('logistic', folder), 5000), [
            ('rows', 5000, 0), *[('weight', x, 2e-6) for x in w], ('rounds', rounds, 1), ('right', right, 0.011)])
        before, after, radius = nbody(128, 20, f)()
        compare('nbody', *run(compiled('nbody', folder), 128, 20), [
            ('bodies', 128, 0), ('steps', 20, 0), ('energy before', before, 1e-7), ('energy after', after, 1e-7),
            ('radius', radius, 1e-7)])


# --- times -------------------------------------------------------------------------------------------------------

def median(work, times):
    work()
    ms = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        ms.append(1e3 * (time.perf_counter() - start))
    return sorted(ms)[times // 2]


def times():
    n = 5
    loops = subprocess.run([BUILD + '/bench/programs_c'], capture_output=True, text=True, check=True).stdout
    loops = {line.split()[0]: line.split()[1] for line in loops.splitlines()}
    print('| program | gnd ms | NumPy ms | ratio | C, one core, ms |\n|---|---|---|---|---|')

    def row(title, name, gnd, work):
        numpy = median(work, n)
        print('| %s | %.1f | %.1f | %.2f | %s |' % (title, gnd, numpy, gnd / numpy, loops.get(name, '')), flush=True)
    for title, name, work, size in [
            ('k-means, 6 clouds of %d', 'kmeans', kmeans, 20000),
            ('PCA, %d x 16', 'pca', pca, 500000),
            ('image pipeline, %d squared', 'image', image, 1024),
            ('wave equation, %d squared, 500 steps', 'wave', wave, 512),
            ('barrier option, %d paths of 16 steps', 'barrier', barrier, 500000),
            ('PageRank, %d pages, 8 links each', 'pagerank', pagerank, 200000)]:
        row(title % size, name, run(name, size, n)[0][0], work(size, np.float32))
    with tempfile.TemporaryDirectory() as folder:
        logistic_program, nbody_program = compiled('logistic', folder), compiled('nbody', folder)

        def more(program, less, greater):
            """ms for what the second arguments ask beyond the first: of two processes, the median of some."""
            def timed(args):
                start = time.perf_counter()
                run(program, *args)
                return 1e3 * (time.perf_counter() - start)
            timed(less)
            timed(greater)
            return sorted(timed(greater) - timed(less) for _ in range(5))[2]
        row('logistic regression, 500000 x 4, float64', 'logistic',
            more(logistic_program, (500000, 1), (500000, 11)) / 10, logistic(500000, np.float64))
        row('512 bodies, 50 steps, float64', 'nbody',
            more(nbody_program, (512, 50), (512, 550)) / 10, nbody(512, 50, np.float64))


if '--times' in sys.argv[1:]:
    times()
    sys.exit(0)
test()
print('1..%d' % count)
sys.exit(failed > 0)
