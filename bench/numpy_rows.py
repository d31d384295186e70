#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# numpy_rows.py - the rows of `gnd bench` in NumPy, for machines without a GPU: the same work, the same
# names, the same method (two warm-up calls, then the median of 5 batches of at least 30 ms), as JSON
# lines; and in numexpr, where that is installed, the rows that it has an expression for. To have all in
# one window of time, row by row:
#
#     build/run bench/numpy_rows.py --gnd -d opencl:pocl >rows.jsonl
#
# --rounds N does each row N times, gnd and the others in turn, and keeps the best of each: for machines
# that other work shares.
import argparse
import fnmatch
import json
import math
import subprocess
import sys
import time

import numpy as np

try:
    import numexpr
except ImportError:
    numexpr = None

# Rows that are one expression of numexpr's, of the inputs a and b (and of c0, a float32: beside a
# constant of its own it computes in float64). It has no float16, no indexing and no erf.
NUMEXPR = {
    'copy': 'a',
    'add': 'a + b',
    'add_f64': 'a + b',
    'sin': 'sin(a)',
    'exp': 'exp(a)',
    'sin_f64': 'sin(a)',
    'chain': '2 * a + 3 * b - sqrt(a * a + b * b)',
    'where': 'where(a > c0, a, b)',
    'bcast_row': 'a + row',
    'bcast_col': 'a + col',
    'sum': 'sum(a)',
    'sum_f64': 'sum(a)',
    'sum_sq_diff': 'sum((a - b) * (a - b))',
    'max': 'max(a)',
    'sum_axis0': 'sum(a, axis=0)',
    'sum_axis1': 'sum(a, axis=1)',
    'small_add_1000': 'a + b',
    'small_chain_1000': '2 * a + 3 * b - sqrt(a * a + b * b)',
    'small_sum_1000': 'sum(a)',
}


def chain(x, y):
    return 2 * x + 3 * y - np.sqrt(x * x + y * y)


def softmax(m):
    e = np.exp(m - m.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def heat(u):
    u = u.copy()
    for _ in range(50):
        u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    return u


def black_scholes(a, ndtr):
    S, K, T = 50 + 50 * a[0], 50 + 50 * a[1], 0.1 + 2 * a[2]
    d1 = (np.log(S / K) + (0.02 + 0.5 * 0.09) * T) / (0.3 * np.sqrt(T))
    return S * ndtr(d1) - K * np.exp(-0.02 * T) * ndtr(d1 - 0.3 * np.sqrt(T))


def nbody(a):
    r = a[None] - a[:, None]
    d2 = (r * r).sum(-1) + np.float32(1e-3)
    return (r / (d2 * np.sqrt(d2))[..., None]).sum(1)


def kmeans(a, b):
    dist = (a * a).sum(1)[:, None] - 2 * a @ b.T + (b * b).sum(1)[None]
    hot = (dist.argmin(1) == np.arange(16)[:, None]).astype(np.float32)
    return hot @ a / hot.sum(1)[:, None]


def mandelbrot(c):
    z, n = np.zeros_like(c), np.zeros(c.shape, np.int32)
    for _ in range(50):
        z = z * z + c
        n = n + (np.abs(z) < 2)
    return n


def rows(n):
    """(name, function that makes the inputs, function of them) of each row."""
    g = np.random.default_rng(1)
    side = math.isqrt(n)

    def rand(*shape, dtype=np.float32):
        return g.random(shape, dtype=np.float32).astype(dtype)

    x, y = rand(n), rand(n)
    m = x[:side * side].reshape(side, side)

    def xy(dtype=np.float32):
        return lambda: (x.astype(dtype), y.astype(dtype))

    def square(k, dtype):
        return lambda: (rand(k, k, dtype=dtype), rand(k, k, dtype=dtype))

    def ints(top):
        return lambda: ((x * top).astype(np.int32),)

    def both(fn):
        return lambda: (fn(),)

    def cplx(*shape):
        return both(lambda: (rand(*shape) + 1j * rand(*shape)).astype(np.complex64))

    def spd(k):
        def make():
            a = rand(k, k)
            return a @ a.T + k * np.eye(k, dtype=np.float32)
        return both(make)

    def scatter(i):
        z = np.zeros(1000000, np.float32)
        np.add.at(z, i, x)
        return z

    one, none = (lambda: (x,)), (lambda: ())
    mat = lambda: (m,)
    yield 'copy', one, np.copy
    yield 'add', xy(), np.add
    yield 'add_f16', xy(np.float16), np.add
    yield 'add_f64', xy(np.float64), np.add
    yield 'sin', one, np.sin
    yield 'exp', one, np.exp
    yield 'sin_f64', xy(np.float64), lambda a, b: np.sin(a)
    yield 'cast_f32_f16', one, lambda a: a.astype(np.float16)
    yield 'chain', xy(), chain
    yield 'where', xy(), lambda a, b: np.where(a > 0.5, a, b)
    yield 'searchsorted', lambda: (np.sort(y), x), np.searchsorted
    yield 'bincount', ints(1000000), np.bincount
    yield 'unique', ints(1000000), np.unique
    yield 'histogram', one, lambda a: np.histogram(a, 256, (0, 1))
    yield 'bcast_row', mat, lambda a: a + a[0]
    yield 'bcast_col', mat, lambda a: a + a[:, :1]
    yield 'strided_copy', one, lambda a: a[::2].copy()
    yield 'transpose_copy', mat, lambda a: np.ascontiguousarray(a.T)
    if n % (1 << 18) == 0:
        yield ('permute4d_copy', lambda: (x.reshape(64, n >> 18, 64, 64),),
               lambda a: np.ascontiguousarray(a.transpose(0, 2, 3, 1)))
    yield 'concat', xy(), lambda a, b: np.concatenate([a, b])
    yield 'sum', one, np.sum
    yield 'sum_f64', xy(np.float64), lambda a, b: a.sum()
    yield 'sum_sq_diff', xy(), lambda a, b: ((a - b)**2).sum()
    yield 'sum_axis0', mat, lambda a: a.sum(axis=0)
    yield 'sum_axis1', mat, lambda a: a.sum(axis=1)
    yield 'max', one, np.max
    yield 'argmax', one, np.argmax
    yield 'argmax_axis0', mat, lambda a: a.argmax(axis=0)
    yield 'any', one, lambda a: (a > 2).any()
    yield 'var_axis1', mat, lambda a: a.var(axis=1)
    yield 'softmax_axis1', mat, softmax
    yield 'take_random', lambda: (x, g.integers(0, n, n, dtype=np.int32)), np.take
    yield 'take_rows', lambda: (m, g.integers(0, side, side, dtype=np.int32)), lambda a, i: a[i]
    yield 'mask_select', lambda: (x, x > 0.5), lambda a, k: a[k]
    yield 'nonzero', lambda: (x > 0.5,), np.nonzero
    yield 'scatter_add', ints(1000000), scatter
    yield 'cumsum', one, np.cumsum
    yield 'cumsum_axis1', mat, lambda a: a.cumsum(axis=1)
    yield 'cumsum_axis0', mat, lambda a: a.cumsum(axis=0)
    yield 'sort', one, np.sort
    yield 'argsort', one, np.argsort
    yield 'sort_axis1', mat, lambda a: np.sort(a, axis=1)
    yield 'topk_axis1_64', mat, lambda a: np.take_along_axis(a, np.argpartition(a, -64, axis=1)[:, -64:], 1)
    for k, t, name in ((512, np.float32, 'f32'), (1024, np.float32, 'f32'), (1024, np.float64, 'f64'),
                       (1024, np.float16, 'f16')):
        yield f'matmul_{name}_{k}', square(k, t), np.matmul
    yield 'matmul_batched_64x512', lambda: (rand(64, 512, 512), rand(64, 512, 512)), np.matmul
    yield f'gemv_{side}', lambda: (m, rand(side)), np.matmul
    yield 'gram_1Mx64', both(lambda: rand(1 << 20, 64)), lambda a: a.T @ a
    yield ('einsum_bij_bjk_bik', lambda: (rand(64, 128, 64), rand(64, 64, 128)),
           lambda a, b: np.einsum('bij,bjk->bik', a, b, optimize=True))
    for name, fn in (('small_add_1000', np.add), ('small_chain_1000', chain)):
        yield name, lambda: (rand(1000), rand(1000)), fn
    yield 'small_sum_1000', both(lambda: rand(1000)), np.sum
    yield 'fft_2p24', cplx(1 << 24), np.fft.fft
    yield 'rfft_2p24', both(lambda: rand(1 << 24)), np.fft.rfft
    yield 'fft2_4096', cplx(4096, 4096), np.fft.fft2
    yield 'fft_batched_4096', cplx(4096, 4096), np.fft.fft
    yield 'fft_prime_1000003', cplx(1000003), np.fft.fft
    yield 'cholesky_f32_4096', spd(4096), np.linalg.cholesky
    yield ('solve_f64_4096', lambda: (rand(4096, 4096, dtype=np.float64), rand(4096, dtype=np.float64)),
           np.linalg.solve)
    yield 'inv_f32_4096', both(lambda: rand(4096, 4096)), np.linalg.inv
    yield 'qr_f32_8192x1024', both(lambda: rand(8192, 1024)), np.linalg.qr
    yield 'svd_f32_1024', both(lambda: rand(1024, 1024)), lambda a: np.linalg.svd(a, full_matrices=False)
    yield 'eigh_f32_2048', spd(2048), np.linalg.eigh
    yield 'w_heat_4096x50', both(lambda: rand(4096, 4096)), heat
    try:
        from scipy.special import ndtr
        yield 'w_blackscholes_1e7', both(lambda: rand(3, 10000000)), lambda a: black_scholes(a, ndtr)
    except ImportError:
        pass
    yield 'w_nbody_8192', both(lambda: rand(8192, 3)), nbody
    yield 'w_kmeans_step_1e6x32x16', lambda: (rand(1000000, 32), rand(16, 32)), kmeans
    yield ('w_mandelbrot_2048x50', both(lambda: (np.linspace(-2, 1, 2048)[None] + 1j *
                                                 np.linspace(-1.5, 1.5, 2048)[:, None]).astype(np.complex64)),
           mandelbrot)
    yield ('w_pairdist_4096x32', both(lambda: rand(4096, 32)),
           lambda a: np.sqrt(((a[:, None] - a[None])**2).sum(-1)))
    yield 'rand', none, lambda: g.random(n, dtype=np.float32)
    yield 'randn', none, lambda: g.standard_normal(n, dtype=np.float32)
    yield 'randint', none, lambda: g.integers(0, 1000, n, dtype=np.int32)
    yield (f'w_mc_pi_2p{n.bit_length() - 1}', none,
           lambda: (g.random(n, dtype=np.float32)**2 + g.random(n, dtype=np.float32)**2 < 1).mean())


def in_numexpr(name, args):
    """The row as a call of numexpr's, or None."""
    if not numexpr or name not in NUMEXPR:
        return None
    names = dict(zip('ab', args), c0=np.float32(0.5))
    if name.startswith('bcast'):
        names.update(row=args[0][0], col=args[0][:, :1])
    return lambda: numexpr.evaluate(NUMEXPR[name], local_dict=names)


def seconds(fn, args):
    """Of a call: the median of 5 batches, of 2 where a batch is long."""
    def batch(calls):
        t = time.perf_counter()
        for _ in range(calls):
            fn(*args)
        return time.perf_counter() - t

    batch(1)
    t, calls = batch(1), 1
    while t < 0.03:
        calls = int(min(1.2 * 0.03 / max(t / calls, 1e-8), 20 * calls)) + 1
        t = batch(calls)
    all_ = sorted(batch(calls) for _ in range(5 if 5 * t < 4 else 2))
    return (all_[len(all_) // 2] if len(all_) % 2 else sum(all_) / 2) / calls


def gnd_row(n, name, device):
    out = subprocess.run(['gnd', 'bench', '--json', '--n', str(n), '--only', name, '-d', device],
                         stdout=subprocess.PIPE, check=False).stdout.decode().splitlines()
    return json.loads(out[-1]) if out else None


def keep(best, who, r):
    if r and ('ms' not in best.get(who, {}) or r.get('ms', math.inf) < best[who]['ms']):
        best[who] = r


def main():
    p = argparse.ArgumentParser(description='The rows of gnd bench in NumPy and numexpr, as JSON lines.')
    p.add_argument('--n', default='2^24', help='elements of the large arrays: a number or 2^K')
    p.add_argument('--only', default='*', help='names or patterns with commas between them')
    p.add_argument('--gnd', action='store_true', help="before each row, the row of `gnd bench`")
    p.add_argument('-d', '--device', default='opencl:pocl', help='of gnd bench')
    p.add_argument('--rounds', type=int, default=1, help='how often, the best counts')
    o = p.parse_args()
    n = 1 << int(o.n[2:]) if o.n.startswith('2^') else int(o.n)
    for name, make, fn in rows(n):
        if not any(fnmatch.fnmatchcase(name, w) for w in o.only.split(',')):
            continue
        best = {}
        args = None
        for _ in range(o.rounds):
            if o.gnd:
                keep(best, 'gnd', gnd_row(n, name, o.device))
            args = args or make()
            for who, call, of in (('numpy', fn, args), ('numexpr', in_numexpr(name, args), ())):
                if call:
                    ms = round(seconds(call, of) * 1e3, 6)
                    keep(best, who, {'row': name, 'framework': who, 'device': 'cpu', 'ms': ms})
        for r in best.values():
            print(json.dumps(r), flush=True)


if __name__ == '__main__':
    main()
