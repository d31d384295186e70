#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_cuda_lang.py - what kernels in Python can say: slices against NumPy's at random (a seed is printed; GND_TEST_SEED
# sets it), loops over anything, float16, integers' rules, math, cmath and bits against Python, votes, every atomic
# operation, signatures, vectors, prints; and what a device without warps says. py_cuda.py has kernels as a whole.
import cmath
import math
import os
import subprocess
import sys

import pytap as t
from pytap import gnd, np
from gnd import cuda
from gnd.cuda.random import (create_xoroshiro128p_states, xoroshiro128p_next, xoroshiro128p_normal_float64,
                             xoroshiro128p_uniform_float32, xoroshiro128p_uniform_float64)

SEED = int(os.environ.get('GND_TEST_SEED', '1'))
TABLE = np.array([[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]])
COMPLEX = np.array([1 + 2j, 3 - 4j])
WIDE = gnd.Device().info()['has_float64']


def launched(f, *args, threads=1):
    """f's arrays after a launch of one block."""
    args = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    cuda.jit(f)[1, threads](*args)
    return args


@cuda.jit
def sliced(x, lo, hi, step, out, n):
    y = x[lo:hi:step]
    n[0] = y.size
    k = 0
    for v in y:
        out[k] = v
        k += 1


@cuda.jit
def ends(x, hi, out, n):
    for k, y in enumerate((x[:hi], x[hi:], x[::-2][1:], x[-3:])):
        n[k] = len(y)
        for i in range(y.shape[0]):
            out[k, i] = y[i]


def twodim(a, out):
    b = a[1:, ::-2]
    c = a.T[1]
    out[0] = b.shape[0] * 100 + b.shape[1] * 10 + b[0, 1]
    out[1] = c[2] + c.size * 100
    a[:, 0] = 7
    a[1:3, 2] = c[:2]
    a[0, ...] *= 2
    a[1:, 2] -= a[:2, 3]
    out[2] = a[None, 1, 1:][0, 0]
    out[3] = a.reshape(2, -1)[1, 2] + a.ravel()[5]
    out[4] = a[-1][-1] + a[..., 0][2]


def test_slices():
    r = np.random.default_rng(SEED)
    x = np.arange(11)
    bad = []
    for _ in range(60):
        lo, hi = (int(v) for v in r.integers(-15, 16, 2))
        step = int(r.choice([1, 2, 3, -1, -2, -5, 12]))
        out, n = np.full(11, -1), np.zeros(1, np.int64)
        sliced[1, 1](x, lo, hi, step, out, n)
        want = x[lo:hi:step]
        if n[0] != want.size or not np.array_equal(out[:n[0]], want):
            bad.append((lo, hi, step))
    t.ok(not bad, f'60 random slices of seed {SEED}')
    t.say(bad) if bad else None
    for hi in (0, 4, 11):
        out, n = np.zeros((4, 11), np.int64), np.zeros(4, np.int64)
        ends[1, 1](x, hi, out, n)
        want = [x[:hi], x[hi:], x[::-2][1:], x[-3:]]
        t.ok([len(w) for w in want] == n.tolist() and all(np.array_equal(o[:len(w)], w) for o, w in zip(out, want)),
             f'open ends, an enumerated tuple of views, {hi}')
    a = np.arange(12.).reshape(3, 4)
    got, out = launched(twodim, a, np.zeros(5))
    mine = a.copy()
    want = np.zeros(5)
    twodim(mine, want)
    t.ok(np.array_equal(out, want) and np.array_equal(got, mine), 'two dimensions: views, writes through them, reshape') or \
        t.say(f'{out} {want}\n{got}\n{mine}')


def loops(pairs, x, out):
    s = 0.0
    for a, b in zip(pairs, x[1:]):
        s += a * b
    for i, (k, v) in enumerate(zip(range(5, 0, -2), x), 10):
        s += i * k + v
    for row in TABLE:
        for v in row[::-1]:
            if v > 5:
                continue
            s = s * 0.5 + v
    for v in reversed(x):
        if v == 2:
            break
        s -= v
    else:
        s = 0.0
    while s > 1000:
        s /= 2
    else:
        s += 3
    out[0] = s
    out[1] = len(pairs) + pairs[-1] + sum_of(*pairs[1:])
    out[2] = 3 in pairs
    out[3] = (1, 2) == pairs[:2]


@cuda.jit(device=True)
def sum_of(a, b=10):
    return a + 2 * b


def test_loops():
    x = np.arange(6.)
    out = launched(loops, (1, 2, 3), x, np.zeros(4))[-1]
    want = np.zeros(4)
    global sum_of
    keep, sum_of = sum_of, sum_of.py_func
    loops((1, 2, 3), x, want)
    sum_of = keep
    t.ok(np.allclose(out, want), 'zip, enumerate, reversed, range, rows of a global array, tuples')


def through(a, b, z, out):
    for row in a:
        row[0] = 7
    for i, (r, q) in enumerate(zip(a, (b, b))):
        q[i] = r[0] + i
    if (c := out[1:]).size:
        c[0] = z.imag
    out[0] = z.real
    x = a[0]
    x = x[1:]
    out[2] = x.size
    x = (1, 2)
    out[3] = x[1]


def test_through():
    """What a loop or := names is its array; a scalar of NumPy's keeps its imaginary part."""
    a, b, _, out = launched(through, np.zeros((2, 3)), np.zeros(4), np.complex64(1 + 2j), np.zeros(4))
    t.ok(a.tolist() == [[7, 0, 0]] * 2 and b.tolist() == [7, 8, 0, 0] and out.tolist() == [1, 2, 2, 2],
         'writes through names of loops; a name of another type') or t.say(f'{a} {b} {out}')


def halves(x, y, out):
    i = cuda.grid(1)
    out[i, 0] = x[i] + y[i]
    out[i, 1] = x[i] * y[i] - x[i]
    out[i, 2] = x[i] / y[i]
    out[i, 3] = cuda.fp16.hsqrt(cuda.fp16.habs(x[i]))
    out[i, 4] = -x[i]
    out[i, 5] = np.float16(i * 1000.3)
    out[i, 6] = max(x[i], y[i])


def test_float16():
    r = np.random.default_rng(SEED)
    x, y = ((r.random(64) * 100 - 50).astype(np.float16) for _ in range(2))
    out = launched(halves, x, y, np.zeros((64, 7), np.float16), threads=64)[-1]
    want = np.stack([x + y, x * y - x, x / y, np.sqrt(np.abs(x)), -x, (np.arange(64) * 1000.3).astype(np.float16),
                     np.maximum(x, y)], 1)
    with np.errstate(all='ignore'):
        t.ok(np.array_equal(out, want), 'float16 is rounded once after each operation')


def integers(a, b, u, out):
    out[0] = a // b
    out[1] = a % b
    out[2] = a // -b
    out[3] = -a % b
    out[4] = a ** 3
    out[5] = (a << 3) + (a >> 1) + (a & 6) + (a | 1) + (a ^ 5) + ~a
    out[6] = int(a / b * 100)
    out[7] = u > a
    out[8] = -1 < u
    out[9] = abs(-a) + min(a, b, 3) + (0 < a < b < 100)
    out[10] = 2 ** -1 == 0.5


@cuda.jit
def known(out):
    n = 4
    w = cuda.local.array((n, 2), np.int16)
    w[:] = 3
    s = 0
    for row in w:
        for v in row:
            s += v
    out[0] = s + w.size


def test_integers():
    for a, b in ((7, 2), (-7, 2), (7, -2), (-9, 4)):
        out = launched(integers, a, b, np.uint64(3), np.zeros(11, np.int64))[-1]
        want = np.zeros(11, np.int64)
        integers(a, b, 3, want)
        want[10] = 0  # Numba's: an int
        t.ok(np.array_equal(out, want), f"Python's signs, {a} and {b}") or t.say(f'{out}\n{want}')
    t.ok(launched(known.py_func, np.zeros(1, np.int64))[0][0] == 32, 'a constant in a variable, a slice that is filled')


UNARY = ['acos', 'asin', 'atan', 'cos', 'sin', 'tan', 'cosh', 'sinh', 'tanh', 'asinh', 'atanh', 'exp', 'expm1', 'erf', 'erfc', 'fabs',
         'log1p', 'degrees', 'radians', 'floor', 'ceil', 'trunc']
POSITIVE = ['acosh', 'gamma', 'lgamma', 'log', 'log2', 'log10', 'sqrt']
BINARY = ['atan2', 'hypot', 'pow', 'copysign', 'fmod', 'remainder']


def generated(lines, arguments):
    """A kernel of these lines, out of a file."""
    import linecache
    text = f'def kernel({arguments}):\n    x = a[cuda.grid(1)]\n    o = out[cuda.grid(1)]\n' + ''.join(f'    {s}\n' for s in lines)
    name = f'<generated {len(linecache.cache)}>'
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space = {'math': math, 'cmath': cmath, 'cuda': cuda}
    exec(compile(text, name, 'exec'), space)
    return cuda.jit(space['kernel'])


def test_math():
    x = np.array([0.1, 0.4, 0.96])
    lines = [f'o[{k}] = math.{n}(x)' for k, n in enumerate(UNARY)]
    lines += [f'o[{len(UNARY) + k}] = math.{n}(x + 1)' for k, n in enumerate(POSITIVE)]
    n = len(UNARY) + len(POSITIVE)
    lines += [f'o[{n + k}] = math.{name}(x, 0.3)' for k, name in enumerate(BINARY)]
    n += len(BINARY)
    lines += [f'o[{n}], o[{n + 1}] = math.modf(-x - 1)', f'o[{n + 2}], e = math.frexp(x)', f'o[{n + 3}] = math.ldexp(x, e)',
              f'o[{n + 4}] = math.isnan(x) + math.isinf(x) * 2 + math.isfinite(x) * 4', f'o[{n + 5}] = math.log(x, 3.0)',
              f'o[{n + 6}] = round(x * 10, 0) + round(x, 1) + round(x * 3)']
    out = np.zeros((3, n + 7))
    generated(lines, 'a, out')[1, 3](x, out)
    for row, v in zip(out, x.tolist()):
        want = [getattr(math, f)(v) for f in UNARY] + [getattr(math, f)(v + 1) for f in POSITIVE]
        want += [getattr(math, f)(v, 0.3) for f in BINARY] + [*math.modf(-v - 1), math.frexp(v)[0], math.ldexp(v, math.frexp(v)[1]),
                                                              4, math.log(v, 3.0), round(v * 10, 0) + round(v, 1) + round(v * 3)]
        tolerance = 1e-13 if WIDE else 2e-6
        bad = [(k, a, b) for k, (a, b) in enumerate(zip(row, want)) if not math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)]
        t.ok(not bad, f'{len(want)} values of math at {v}') or t.say(bad)


CUNARY = ['acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'cos', 'cosh', 'exp', 'log', 'log10', 'sin', 'sinh', 'sqrt', 'tan', 'tanh']


def test_cmath():
    if not WIDE:
        return
    z = np.array([0.5 - 0.25j, -0.3 + 2j])
    lines = [f'o[{k}] = cmath.{n}(x)' for k, n in enumerate(CUNARY)]
    n = len(CUNARY)
    lines += [f'o[{n}] = complex(*cmath.polar(x)) + cmath.rect(2.0, cmath.phase(x))', f'o[{n + 1}] = cmath.log(x, 2.0)',
              f'o[{n + 2}] = x.conjugate() * x + abs(x) + x ** 2 + complex(x.real, 3)', f'o[{n + 3}] = cmath.isnan(x) + 2 * (x == x)']
    out = np.zeros((2, n + 4), complex)
    generated(lines, 'a, out')[1, 2](z, out)
    for row, v in zip(out, z.tolist()):
        want = [getattr(cmath, f)(v) for f in CUNARY] + [complex(*cmath.polar(v)) + cmath.rect(2.0, cmath.phase(v)), cmath.log(v, 2.0),
                                                         v.conjugate() * v + abs(v) + v ** 2 + complex(v.real, 3), 2]
        t.ok(np.allclose(row, want, rtol=1e-12), f'{len(want)} values of cmath at {v}') or t.say(f'{row}\n{want}')


def bits(x, out):
    i = cuda.grid(1)
    out[i, 0] = cuda.popc(x[i])
    out[i, 1] = cuda.clz(x[i])
    out[i, 2] = cuda.ffs(x[i])
    out[i, 3] = cuda.brev(x[i])


def test_bits():
    for dtype, n in ((np.uint32, 32), (np.uint64, 64)):
        x = np.array([0, 1, 0x80000000, 0x12345678, 2**n - 1], dtype)
        out = launched(bits, x, np.zeros((5, 4), dtype), threads=5)[-1]
        want = []
        for v in x.tolist():
            s = f'{v:0{n}b}'
            want.append([s.count('1'), n - len(s.lstrip('0')), n - s.rfind('1') if v else 0, int(s[::-1], 2)])
        t.ok(out.tolist() == want, f'popc, clz, ffs, brev of {n} bits') or t.say(f'{out}\n{want}')


def votes(x, out):
    i = cuda.threadIdx.x
    out[i, 0] = cuda.syncthreads_count(x[i] > 2)
    out[i, 1] = cuda.syncthreads_and(x[i])
    out[i, 2] = cuda.syncthreads_or(x[i] > 100)
    out[i, 3] = voted(x[i])


@cuda.jit(device=True)
def voted(v):
    part = cuda.shared.array(32, np.int32)
    part[cuda.threadIdx.x] = v
    n = cuda.syncthreads_count(v == 1)
    return n * 1000 + part[(cuda.threadIdx.x + 1) % cuda.blockDim.x]


def tree(x):
    s = cuda.shared.array(64, np.int64)
    i = cuda.threadIdx.x
    s[i] = x[i]
    cuda.syncthreads()
    k = 1
    while k < cuda.blockDim.x:
        if i % (2 * k) == 0:
            s[i] += s[i + k]
        k *= 2
        cuda.syncthreads()
    x[i] = s[0]


def dynamic(out):
    s = cuda.shared.array(0, np.float32)
    i = cuda.threadIdx.x
    s[i] = i
    cuda.syncthreads()
    out[i] = s[s.size - 1 - i] + s.size


def test_groups():
    x = np.array([1, 2, 3, 4] * 8)
    out = launched(votes, x, np.zeros((32, 4), np.int64), threads=32)[-1]
    t.ok((out[:, :3] == [16, 1, 0]).all() and np.array_equal(out[:, 3], 8000 + np.roll(x, -1)), 'votes, shared memory of a function')
    t.ok((launched(tree, np.arange(64), threads=64)[0] == 2016).all(), 'a tree of sums by blockDim')
    out = np.zeros(10, np.float32)
    cuda.jit(dynamic)[1, 10, 0, 40](out)
    t.ok(np.array_equal(out, np.arange(10)[::-1] + 10), 'dynamic shared memory')


ATOMIC = {'add': lambda a, v: a + v, 'sub': lambda a, v: a - v, 'max': max, 'min': min, 'and_': lambda a, v: a & v,
          'or_': lambda a, v: a | v, 'xor': lambda a, v: a ^ v, 'exch': lambda a, v: v, 'inc': lambda a, v: 0 if a >= v else a + 1,
          'dec': lambda a, v: v if a == 0 or a > v else a - 1, 'nanmax': max, 'nanmin': min}


def cased(x, old):
    i = cuda.grid(1)
    old[i] = cuda.atomic.cas(x, 0, 5, 9)
    cuda.atomic.compare_and_swap(x[1:], 6, 8)


def test_atomics():
    for dtype in (np.uint32, np.int32, np.uint64, np.int64, np.float32, np.float64):
        if dtype == np.float64 and not WIDE:
            continue
        names = [n for n in ATOMIC if dtype not in (np.float32, np.float64) or n in ('add', 'sub', 'max', 'min', 'nanmax', 'nanmin', 'exch')]
        lines = [f'o[{2 * k}, 1] = cuda.atomic.{n}(out[0], ({2 * k}, 0), x)' for k, n in enumerate(names)]
        out = np.full((1, 2 * len(names), 2), 6, dtype)
        generated(lines, 'a, out')[1, 1](np.array([5], dtype), out)
        t.ok(out[0, ::2].tolist() == [[ATOMIC[n](6, 5), 6] for n in names], f'{len(names)} atomic operations of {np.dtype(dtype)}') or \
            t.say(out[0, ::2].tolist())
    x, old = launched(cased, np.array([5, 6, 7], np.int32), np.zeros(8, np.int32), threads=8)
    t.ok(x.tolist() == [9, 8, 7] and sorted(old.tolist()) == [5] + [9] * 7, 'compare and swap')


@cuda.jit('void(float32[:], float32, int32)')
def typed(x, a, b):
    x[0] = a / 3 + b // 2


@cuda.jit(['float64(float64, float64)', 'int64(int64, int64)'], device=True)
def either(a, b):
    return a / b


@cuda.jit
def uses(out, p):
    out[0] = either(7, 2)
    out[1] = either(7.0, 2)
    out[2] = p.x + p.y
    v = cuda.float32x3(1, cuda.float32x2(p.x, 3))
    out[3] = v.x + v.y * 10 + v.z * 100
    np.add(out[:2], 1, out[4:6])


def test_types():
    x = np.zeros(1, np.float32)
    typed[1, 1](x, 2, 7.9)
    t.ok(x[0] == np.float32(np.float32(2) / 3 + 3), 'numbers get the types of the signature')
    t.raises(TypeError, lambda: typed[1, 1](np.zeros(1), 1, 1), "an array of another dtype than the signature's", 'No matching')
    t.raises(cuda.TypingError, lambda: cuda.jit('void(int32[:])')(lambda a: a.nothing), 'a signature compiles at once', 'has no nothing')
    import collections
    point = collections.namedtuple('point', 'x y')
    out = np.zeros(6)
    uses[1, 1](out, point(2, 5.5))
    t.ok(out.tolist() == [3, 3.5, 7.5, 321, 4, 4.5], 'signatures of functions, named tuples, vectors, a ufunc') or t.say(out)
    if COMPLEX is not None and WIDE:
        def constants(out):
            c = cuda.const.array_like(COMPLEX)
            out[0] = c[1] * TABLE[1, -1]
        t.ok(launched(constants, np.zeros(1, complex))[0][0] == (3 - 4j) * 6.5, 'constant arrays')


@cuda.jit
def drawn(states, out, bits):
    i = cuda.grid(1)
    for k in range(out.shape[1]):
        bits[i, k] = xoroshiro128p_next(states, i)
    out[i, 0] = xoroshiro128p_uniform_float32(states, i)
    out[i, 1] = xoroshiro128p_uniform_float64(states, i)
    out[i, 2] = xoroshiro128p_normal_float64(states, i)


def test_random():
    states = create_xoroshiro128p_states(3, seed=1, subsequence_start=2)
    host = [[int(w) for w in s] for s in states.copy_to_host()]
    later = create_xoroshiro128p_states(5, seed=1).copy_to_host()
    t.ok(host == later[2:].tolist(), 'states of random numbers are 2^64 numbers apart')
    out, bits = np.zeros((3, 3)), np.zeros((3, 3), np.uint64)
    drawn[1, 3](states, out, bits)
    full, good = 2**64 - 1, []
    for s, o, b in zip(host, out, bits):
        def draw():
            r = s[0] + s[1] & full
            x = s[0] ^ s[1]
            s[:] = ((s[0] << 55 | s[0] >> 9) ^ x ^ x << 14) & full, (x << 36 | x >> 28) & full
            return r
        good.append(b.tolist() == [draw() for _ in range(3)])
        u = [(draw() >> 11) / 2**53 for _ in range(4)]
        want = [np.float32(u[0]), u[1], math.sqrt(-2 * math.log(u[2])) * math.cos(2 * math.pi * u[3])]
        good.append(np.allclose(o, want, rtol=1e-12 if WIDE else 1e-4))
    t.ok(all(good), 'xoroshiro128+ in kernels') or t.say(good)


PRINTS = '''
import os, sys, linecache
from gnd import cuda
@cuda.jit
def f(x):
    print(cuda.threadIdx.x, "50% of", x, (1, 2.5), x > 2)
f[1, 1](3)
'''


def test_print():
    path = os.path.join(os.environ['GND_BUILDDIR'], 'py_cuda_print.py')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(PRINTS)
    r = subprocess.run([sys.executable, '-B', path], capture_output=True, text=True)
    os.remove(path)
    t.ok('0 50% of 3 (1, 2.500000) True' in r.stdout, 'print') or t.say(r.stdout + r.stderr)


def warps(out):
    i = cuda.laneid
    out[i, 0] = cuda.shfl_sync(0xffffffff, i * 2, 5)
    out[i, 1] = cuda.shfl_down_sync(0xffffffff, float(i), 1)
    out[i, 2] = cuda.ballot_sync(0xffffffff, i % 2 == 0)
    out[i, 3] = cuda.any_sync(0xffffffff, i == 3) + 2 * cuda.all_sync(0xffffffff, i < 31)
    out[i, 4] = cuda.shfl_xor_sync(0xffffffff, i, 1) + cuda.warpsize
    cuda.syncwarp()


def test_warps():
    info = gnd.Device().info()
    if info['backend'] != 'cuda' and 'nvidia' not in info['vendor'].lower():
        t.raises(cuda.TypingError, lambda: launched(warps, np.zeros((32, 5)), threads=32), 'a device without warps says so', 'no warps')
        return
    out = launched(warps, np.zeros((32, 5)), threads=32)[0]
    i = np.arange(32)
    want = np.stack([np.full(32, 10), np.minimum(i + 1, 31), np.full(32, 0x55555555), np.full(32, 1), (i ^ 1) + 32], 1)
    t.ok(np.array_equal(out, want), 'warps') or t.say(out)


t.run([test_slices, test_loops, test_through, test_float16, test_integers, test_math, test_cmath, test_bits, test_groups, test_atomics, test_types,
       test_random, test_print, test_warps])
